"""What AWS would refuse halfway is refused by validate, with the line and what to do."""

import pytest

from conftest import Stack

HEAD = 'stack: s\nproviders: {aws: {region: us-west-2, endpoint: "sim:w"}}\n'
NETWORK = """aws.vpc: {v: {cidr: 10.0.0.0/16}, w: {cidr: 10.1.0.0/16}}
aws.subnet: {s: {vpc: v, cidr: 10.0.1.0/24}}
"""
TWO_VPCS = """aws.vpc: {v: {cidr: 10.0.0.0/16}, w: {cidr: 10.1.0.0/16}}
aws.subnet: {s: {vpc: v, cidr: 10.0.1.0/24}, r: {vpc: v, cidr: 10.0.2.0/24}, t: {vpc: w, cidr: 10.1.1.0/24}}
"""
TWO_ZONES = """aws.vpc: {v: {cidr: 10.0.0.0/16}}
aws.subnet: {s: {vpc: v, cidr: 10.0.1.0/24, zone: us-west-2a}, r: {vpc: v, cidr: 10.0.2.0/24, zone: us-west-2b},
  t: {vpc: v, cidr: 10.0.3.0/24}}
"""
GROUP = "vpc: v, description: d"
TEMPLATE = "image: ami-0123456789abcdef0, instance_type: t3.micro"
LITERAL = "vpc-0123456789abcdef0"

# Spec, and of each error where it is, and parts of what it and its hint say.
ROWS = {
    "two groups of one name": (
        f"aws.security_group: {{a: {{name: g, {GROUP}}},\n  b: {{name: g, {GROUP}}}}}\n",
        [(6, ["aws.security_group.a", "aws.security_group.b", "same 'name'", "in a vpc"])],
    ),
    "bounds of a group whose template is not there": (
        "aws.autoscaling_group:\n  g: {name: g, subnets: [s], launch_template: t,\n    min: 5,\n    max: 2}\n",
        [(6, ["there is no aws.launch_template 't'"]), (7, ["'min' is greater than 'max'"])],
    ),
    "a template twice, whose version nobody gave": (
        f"aws.launch_template: {{t: {{name: tmpl, {TEMPLATE}}}}}\naws.autoscaling_group:\n"
        "  g: {name: g, subnets: [s], min: 0, max: 1, launch_template: t,\n    mixed_instances: {launch_template: t}}\n",
        [(8, ["cannot have both 'launch_template' and 'mixed_instances'"])],
    ),
    "a field that is like none of those there are": (
        "aws.autoscaling_group:\n  g: {name: g, subnets: [s], min: 0, max: 1,\n"
        "    mixed_instances: {launch_template: lt-0123456789abcdef0, instances: []}}\n",
        [(7, ["'mixed_instances' has no field 'instances'", "it may have: launch_template, "])],
    ),
    "user data of more bytes than characters": (
        f"aws.launch_template: {{t: {{name: tmpl, user_data: {'ä' * 8193}}}}}\n",
        [(5, ["cannot have 16386 bytes"])],
    ),
    "two groups whose names differ in case alone": (
        f"aws.security_group: {{a: {{name: Db, {GROUP}}},\n  b: {{name: dB, {GROUP}}}}}\n",
        [(6, ["aws.security_group.a", "aws.security_group.b", "same 'name'", "in a vpc"])],
    ),
    "names that nobody knows, and which differ in case alone": (
        "aws.internet_gateway: {u: {vpc: v}, U: {vpc: w}}\n"
        f"aws.security_group: {{a: {{name: \"${{aws.internet_gateway.u.id}}\", {GROUP}}},\n"
        f"  b: {{name: \"${{aws.internet_gateway.U.id}}\", {GROUP}}}}}\n",
        [],
    ),
    "a group whose name would be another": (
        f"aws.security_group:\n  a: {{name: 'g ', {GROUP}}}\n",
        [(6, ["'name' of a security group cannot end with a space"])],
    ),
    "a rule that is described in letters that no rule has": (
        f"aws.security_group:\n  a:\n    name: g\n    description: d\n    vpc: v\n    ingress:\n"
        "      - {protocol: tcp, from_port: 22, to_port: 22, cidr: 10.0.0.0/8, description: 'the office <hq>'}\n",
        [(11, ["'description' cannot be 'the office <hq>'"])],
    ),
    "groups of one name in two VPCs": (
        f"aws.security_group: {{a: {{name: g, {GROUP}}},\n  b: {{name: g, description: d, vpc: w}}}}\n",
        [],
    ),
    "groups of one name in one VPC of others": (
        f"aws.security_group: {{a: {{name: g, description: d, vpc: {LITERAL}}},\n"
        f"  b: {{name: g, description: d, vpc: {LITERAL}}}}}\n",
        [(6, ["same 'name'"])],
    ),
    "a group that is a machine": (
        f"aws.instance:\n  a: {{{TEMPLATE}, subnet: s, security_groups: [a]}}\n",
        [(6, ["'security_groups' expects a reference to 'aws.security_group', but 'a' is of kind 'aws.instance'"])],
    ),
    "groups whose VPCs and names are one only when run together": (
        "aws.security_group: {a: {name: 89abcdef0x, description: d, vpc: vpc-01234567},\n"
        f"  b: {{name: x, description: d, vpc: {LITERAL}}}}}\n",
        [],
    ),
    "two customers of one address and number": (
        "aws.customer_gateway:\n  a: {address: 203.0.113.7, asn: 65000}\n  b: {address: 203.0.113.7, asn: 65000}\n",
        [(7, ["'aws.customer_gateway.b' is the same thing as 'aws.customer_gateway.a'", "'address', 'asn'"])],
    ),
    "two customers of one address": (
        "aws.customer_gateway:\n  a: {address: 203.0.113.7, asn: 65000}\n  b: {address: 203.0.113.7, asn: 65001}\n",
        [],
    ),
    "two customers of one address, and the number that both have": (
        "aws.customer_gateway:\n  a: {address: 203.0.113.7, asn: 65000}\n  b: {address: 203.0.113.7}\n",
        [(7, ["'aws.customer_gateway.b' is the same thing as", "same 'address', 'asn' (65000 where it is not given)"])],
    ),
    "two customers of one address, one without a number": (
        "aws.customer_gateway:\n  a: {address: 203.0.113.7, asn: 65001}\n  b: {address: 203.0.113.7}\n",
        [],
    ),
    "two connections of the same ends": (
        "aws.vpn_gateway: {g: {vpc: v}}\naws.customer_gateway: {c: {address: 203.0.113.7}}\naws.vpn_connection:\n"
        "  a: {customer_gateway: c, vpn_gateway: g}\n"
        "  b: {customer_gateway: '${aws.customer_gateway.c.id}', vpn_gateway: g, static_routes_only: true}\n",
        [(9, ["'aws.vpn_connection.b' is the same thing as", "same 'customer_gateway', 'vpn_gateway'"])],
    ),
    "two connections of one customer": (
        "aws.vpn_gateway: {g: {vpc: v}, h: {vpc: w}}\naws.customer_gateway: {c: {address: 203.0.113.7}}\n"
        "aws.vpn_connection:\n  a: {customer_gateway: c, vpn_gateway: g}\n  b: {customer_gateway: c, vpn_gateway: h}\n",
        [],
    ),
    "two connections of one customer to one transit gateway": (
        "aws.customer_gateway: {c: {address: 203.0.113.7}}\naws.vpn_connection:\n"
        "  a: {customer_gateway: c, transit_gateway: tgw-0123456789abcdef0}\n"
        "  b: {customer_gateway: c, transit_gateway: tgw-0123456789abcdef0}\n",
        [],
    ),
    "two machines of one controller": (
        "metal.machine:\n  a: {controller: 'https://b.example', system: '1'}\n"
        "  b: {controller: 'https://b.example', system: '2'}\n",
        [],
    ),
    "two templates of one name": (
        f"aws.launch_template: {{a: {{name: tmpl, {TEMPLATE}}},\n  b: {{name: tmpl, {TEMPLATE}}}}}\n",
        [(6, ["same 'name'", "in a region"])],
    ),
    "a secret in a name that is the id": (
        "vars: {p: {type: string, secret: true, default: hunter2}}\n"
        f"aws.launch_template: {{t: {{name: \"t-${{var.p}}\", {TEMPLATE}}}}}\n"
        "aws.autoscaling_group:\n"
        '  a: {name: "g-${var.p}", min: 0, max: 1, subnets: [s], launch_template: t}\n'
        '  b: {name: "${aws.vpc.v.id}-${var.p}", min: 0, max: 1, subnets: [s], launch_template: t}\n',
        [(8, ["'name' cannot hold a secret"]), (9, ["'name' cannot hold a secret"])],
    ),
    "a secret in an address that the id is made of": (
        "vars: {p: {type: string, secret: true, default: hunter2}}\nmetal.machine:\n"
        '  m: {controller: "https://${var.p}.example"}\n'
        '  n: {controller: "https://b.example", system: "${var.p}"}\n',
        [(7, ["'controller' cannot hold a secret"]), (8, ["'system' cannot hold a secret"])],
    ),
    "a secret in what tells rules, routes and tags apart": (
        "vars: {p: {type: string, secret: true, default: 203.0.113.9/32}, n: {type: integer, secret: true, default: 7}}\n"
        "aws.security_group:\n  g:\n    {vpc: v, name: g, description: d,\n"
        '    ingress: [{protocol: tcp, from_port: 1, to_port: 9,\n      cidr: "${var.p}"},\n'
        '      {protocol: tcp, to_port: 9, cidr: 10.0.0.0/8,\n      from_port: "${var.n}"}]}\n'
        'aws.route_table: {t: {vpc: v, routes: [{internet_gateway: i,\n    destination: \'${replace(var.p, "/32", "/31")}\'}]}}\n'
        "aws.internet_gateway: {i: {vpc: v}}\n"
        "aws.vpn_gateway: {g: {vpc: v}}\naws.customer_gateway: {c: {address: 203.0.113.7}}\naws.vpn_connection:\n"
        "  a: {customer_gateway: c, vpn_gateway: g, static_routes_only: true, routes: [10.9.0.0/16,\n"
        '    "${var.p}"]}\n'
        f"aws.launch_template: {{l: {{name: tmpl, {TEMPLATE}}}}}\n"
        "aws.autoscaling_group: {a: {name: a, min: 0, max: 1, subnets: [s], launch_template: l,\n"
        '  tags: [{value: "${var.p}", propagate: true,\n    key: "${var.p}-${aws.vpc.v.id}"}]}}\n',
        [
            (10, ["'cidr' cannot hold a secret: what tells the items of a list apart"]),
            (12, ["'from_port' cannot hold a secret"]),
            (14, ["'destination' cannot hold a secret"]),
            (20, ["'routes' cannot hold a secret"]),
            (24, ["'key' cannot hold a secret"]),
        ],
    ),
    "a secret output in what tells routes and rules apart": (
        "aws.vpn_gateway: {g: {vpc: v}}\naws.customer_gateway: {c: {address: 203.0.113.7}}\naws.vpn_connection:\n"
        "  a: {customer_gateway: c, vpn_gateway: g}\n"
        "  b: {customer_gateway: c, transit_gateway: tgw-0123456789abcdef0, static_routes_only: true,\n"
        "    routes: ['${trim(aws.vpn_connection.a.configuration)}']}\n"
        "aws.security_group: {g: {vpc: v, name: g, description: '${aws.vpn_connection.a.id}', ingress: [\n"
        "  {protocol: tcp, from_port: 1, to_port: 9, cidr: '${aws.vpn_connection.a.configuration}'}]}}\n",
        [(10, ["'routes' cannot hold a secret"]), (12, ["'cidr' cannot hold a secret"])],
    ),
    "two tables for one subnet": (
        "aws.route_table:\n  a: {vpc: v, subnets: [s]}\n  b: {vpc: v, subnets: [s]}\n",
        [(7, ["aws.route_table.a", "same target in 'subnets'"])],
    ),
    "two gateways for one VPC": (
        "aws.internet_gateway:\n  a: {vpc: v}\n  b: {vpc: v}\n",
        [(7, ["same target in 'vpc'"])],
    ),
    "a gateway of each sort for one VPC": (
        "aws.internet_gateway: {a: {vpc: v}}\naws.vpn_gateway: {b: {vpc: v}}\n",
        [],
    ),
    "a route for the VPC's own range": (
        "aws.internet_gateway: {g: {vpc: v}}\n"
        "aws.route_table: {t: {vpc: v, routes: [{destination: 10.0.0.0/16, internet_gateway: g}]}}\n",
        [(6, ["10.0.0.0/16 is the range of 'aws.vpc.v' itself"])],
    ),
    "a route for one of the VPC's further ranges": (
        "aws.vpc: {x: {cidr: 10.8.0.0/16, secondary_cidrs: [10.9.0.0/16]}}\n"
        "aws.route_table: {t: {vpc: x, routes: [{destination: 10.9.0.0/16, transit_gateway: tgw-0123456789abcdef0}]}}\n",
        [(6, ["10.9.0.0/16 is the range of 'aws.vpc.x' itself"])],
    ),
    "a route for a part of the VPC's range that nothing within takes over": (
        "aws.internet_gateway: {g: {vpc: v}}\n"
        "aws.route_table: {t: {vpc: v, routes: [{destination: 10.0.5.0/24, internet_gateway: g}]}}\n",
        [(6, ["10.0.5.0/24 lies within 'aws.vpc.v' itself"])],
    ),
    "the same for a part of a further range": (
        "aws.vpc: {x: {cidr: 10.8.0.0/16, secondary_cidrs: [10.9.0.0/16]}}\n"
        "aws.route_table: {t: {vpc: x, routes: [{destination: 10.9.5.0/24, peering: pcx-0123456789abcdef0}]}}\n",
        [(6, ["10.9.5.0/24 lies within 'aws.vpc.x' itself"])],
    ),
    "routes for another VPC's range, and for a part of the own one": (
        "aws.route_table:\n  t: {vpc: v, routes: [{destination: 10.1.0.0/16, peering: pcx-0123456789abcdef0},\n"
        "    {destination: 10.0.1.0/24, interface: eni-0123456789abcdef0}]}\n",
        [],
    ),
    "propagation that both ends tell": (
        "aws.vpn_gateway: {g: {vpc: v, propagate_to: [t]}}\naws.route_table: {t: {vpc: v, propagation: [g]}}\n",
        [(6, ["'propagation' of 'aws.route_table.t'", "'propagate_to' of 'aws.vpn_gateway.g'"])],
    ),
    "propagation that each end tells of another": (
        "aws.vpn_gateway: {g: {vpc: v, propagate_to: [t]}}\n"
        "aws.route_table: {t: {vpc: v}, u: {vpc: v, propagation: [g]}}\n",
        [],
    ),
    "two subnets with one IPv6 range": (
        "aws.vpc: {v: {cidr: 10.0.0.0/16}}\naws.subnet:\n  a: {vpc: v, cidr: 10.0.2.0/24, ipv6_cidr: '2600:1f14:0:7::/64'}\n"
        "  b: {vpc: v, cidr: 10.0.3.0/24, ipv6_cidr: '2600:1f14:0:7::/64'}\n",
        [(8, ["2600:1f14:0:7::/64", "aws.subnet.a", "overlap"])],
    ),
    "a zone of what an alias that is not there would reach": (
        f"aws.instance: {{i: {{{TEMPLATE}, provider: aws.east, zone: us-east-1a}}}}\n",
        [(5, ["there is no provider 'aws.east'"])],
    ),
    "a zone of another region": (
        "aws.launch_template:\n  a: {name: one, placement: {zone: us-east-1a}}\n  b: {name: two, placement: {zone: us-west-2a}}\n",
        [(6, ["'zone' is not in region us-west-2"])],
    ),
    "an instance in a zone of another region": (
        "aws.instance:\n  a: {image: ami-0123456789abcdef0, instance_type: t3.micro, zone: us-west-1a}\n",
        [(6, ["'zone' is not in region us-west-2"])],
    ),
    "a region in place of a zone": (
        "aws.instance:\n  a: {image: ami-0123456789abcdef0, instance_type: t3.micro, zone: us-west-2}\n",
        [(6, ["'zone' is us-west-2, the whole region"])],
    ),
    "a subnet of another VPC than its route table's": (
        TWO_VPCS + "aws.route_table:\n  a: {vpc: v, subnets: [s]}\n  b: {vpc: w, subnets: [r]}\n",
        [(9, ["'subnets' refers to 'aws.subnet.r', which lies in 'aws.vpc.v'", "'aws.route_table.b' lies in 'aws.vpc.w'"])],
    ),
    "an instance in another zone than its subnet's": (
        TWO_ZONES + f"aws.instance:\n  i: {{{TEMPLATE}, subnet: s,\n    zone: us-west-2b}}\n",
        [(9, ["'subnet' refers to 'aws.subnet.s', with 'zone: us-west-2a', but 'aws.instance.i' has 'zone: us-west-2b'"])],
    ),
    "interfaces of one instance in two zones": (
        TWO_ZONES + f"aws.instance:\n  i: {{{TEMPLATE}, subnet: s,\n    interfaces: [{{device_index: 1, subnet: r}}]}}\n"
        f"  j: {{{TEMPLATE}, subnet: s,\n    interfaces: [{{device_index: 1, subnet: t}}]}}\n",
        [(10, ["'subnet' refers to 'aws.subnet.r', with 'zone: us-west-2b', but 'aws.subnet.s' has 'zone: us-west-2a'"])],
    ),
    "zones and subnets that are left to others": (
        TWO_ZONES + f"aws.instance:\n  i: {{{TEMPLATE}, subnet: s, zone: us-west-2b, lifecycle: {{ignore: [zone]}}}}\n"
        f"  j: {{{TEMPLATE}, subnet: s, zone: us-west-2b, lifecycle: {{ignore: [subnet]}}}}\n",
        [],
    ),
    "a template with groups of another VPC than the subnets of who uses it": (
        TWO_VPCS + f"aws.security_group: {{a: {{name: a, {GROUP}}}}}\naws.launch_template:\n  l: {{name: tmpl, {TEMPLATE}, security_groups: [a]}}\n"
        "aws.autoscaling_group:\n  f: {name: f, min: 0, max: 1, launch_template: l, subnets: [s]}\n"
        "  g: {name: g, min: 0, max: 1, launch_template: l, subnets: [t]}\n"
        "  h: {name: h, min: 0, max: 1, launch_template: l, launch_template_version: '1', subnets: [t]}\n"
        "  i: {name: i, min: 0, max: 1, launch_template: l, subnets: [t], lifecycle: {ignore: [launch_template]}}\n"
        "  j: {name: j, min: 0, max: 1, launch_template: l, subnets: [t], lifecycle: {ignore: [subnets]}}\n",
        [(12, ["'launch_template' refers to 'aws.launch_template.l' and so to 'aws.security_group.a'", "'aws.subnet.t' lies in 'aws.vpc.w'"])],
    ),
    "gateways of another VPC than the route table's": (
        "aws.internet_gateway: {i: {vpc: v}}\naws.vpn_gateway: {g: {vpc: v}}\n"
        "aws.route_table:\n  a:\n    vpc: w\n    propagation: [g]\n    routes:\n"
        "      - {destination: 0.0.0.0/0, internet_gateway: i}\n"
        "      - {destination: 192.168.0.0/24, vpn_gateway: g}\n",
        [(10, ["'propagation' refers to"]), (12, ["'internet_gateway' refers to"]), (13, ["'vpn_gateway' refers to"])],
    ),
    "a route table of another VPC than the gateway's": (
        "aws.route_table: {t: {vpc: v}}\naws.vpn_gateway:\n  g: {vpc: w, propagate_to: [t]}\n",
        [(7, ["'propagate_to' refers to 'aws.route_table.t'"])],
    ),
    "a gateway that is in no VPC": (
        "aws.route_table: {t: {vpc: v}}\naws.vpn_gateway:\n  g: {propagate_to: [t]}\n",
        [(7, ["'propagate_to' needs 'vpc' of 'aws.vpn_gateway.g', which is not set"])],
    ),
    "gateways that are in no VPC, for a route table": (
        "aws.internet_gateway: {i: {}}\naws.vpn_gateway: {g: {}}\n"
        "aws.route_table:\n  a:\n    vpc: w\n    propagation: [g]\n    routes:\n"
        "      - {destination: 0.0.0.0/0, internet_gateway: i}\n"
        "      - {destination: 192.168.0.0/24, vpn_gateway: g}\n",
        [(line, ["needs 'vpc' of 'aws.", "which is not set"]) for line in (10, 12, 13)],
    ),
    "gateways that somebody else attaches, or that are of no spec": (
        "aws.internet_gateway: {i: {lifecycle: {ignore: [vpc]}}, j: {vpc: '${aws.vpc.w.id}'}}\n"
        "aws.route_table:\n  a: {vpc: w, propagation: [vgw-0123456789abcdef0], routes: [\n"
        "    {destination: 0.0.0.0/0, internet_gateway: i}, {destination: 192.168.0.0/24, internet_gateway: j}]}\n",
        [],
    ),
    "routes to machines of another VPC than the route table's": (
        TWO_VPCS + f"aws.instance: {{m: {{{TEMPLATE}, subnet: s}}, n: {{{TEMPLATE}, subnet: t}}, o: {{{TEMPLATE}}}}}\n"
        "aws.route_table:\n  a:\n    vpc: w\n    routes:\n"
        "      - {destination: 192.168.0.0/24, interface: '${aws.instance.m.interface}'}\n"
        "      - {destination: 192.168.1.0/24, interface: '${aws.instance.n.interface}'}\n"
        "      - {destination: 192.168.2.0/24, interface: '${aws.instance.o.interface}'}\n"
        "      - {destination: 192.168.3.0/24, interface: eni-0123456789abcdef0}\n"
        "  b: {vpc: w, routes: [{destination: 192.168.0.0/24, interface: '${aws.instance.m.interface}'}], lifecycle: {ignore: [routes]}}\n",
        [(12, ["'interface' refers to 'aws.instance.m' and so to 'aws.subnet.s', which lies in 'aws.vpc.v'", "'aws.route_table.a' lies in 'aws.vpc.w'"])],
    ),
    "routes to machines that somebody else puts somewhere": (
        TWO_VPCS + f"aws.instance: {{m: {{{TEMPLATE}, subnet: s, lifecycle: {{ignore: [subnet]}}}}}}\n"
        "aws.route_table:\n  a: {vpc: w, routes: [{destination: 192.168.0.0/24, interface: '${aws.instance.m.interface}'}]}\n",
        [],
    ),
    "a gateway whose VPC is misspelt": (
        "aws.internet_gateway:\n  i: {vcp: w}\n"
        "aws.route_table: {a: {vpc: w, routes: [{destination: 0.0.0.0/0, internet_gateway: i}]}}\n",
        [(6, ["has no field 'vcp'"])],
    ),
    "a group of another VPC than the instance's subnet": (
        "aws.security_group: {g: {name: g, description: d, vpc: w}}\n"
        f"aws.instance:\n  a: {{{TEMPLATE}, security_groups: [g], subnet: s}}\n",
        [(7, ["'security_groups' refers to 'aws.security_group.g'", "'aws.subnet.s' lies in 'aws.vpc.v'"])],
    ),
    "groups of another VPC than an interface's own subnet": (
        f"{TWO_VPCS}aws.security_group: {{g: {{name: g, description: d, vpc: w}}, h: {{name: h, {GROUP}}}}}\n"
        f"aws.instance:\n  a: {{{TEMPLATE}, subnet: s, security_groups: [h], interfaces: [\n"
        "    {device_index: 0, description: first},\n    {device_index: 1, subnet: r, security_groups: [g, h]},\n"
        "    {device_index: 2, subnet: t, security_groups: [h]}]}\n"
        f"  b: {{{TEMPLATE}, subnet: s, interfaces: [{{device_index: 0, security_groups: [g]}}]}}\n"
        f"  c: {{{TEMPLATE}, security_groups: [g], interfaces: [{{device_index: 0, subnet: s}}]}}\n"
        f"  d: {{{TEMPLATE}, interfaces: [{{device_index: 0, security_groups: [h]}}, {{device_index: 1, subnet: subnet-0123456789abcdef0,\n"
        "    security_groups: [g, h]}]}\n",
        [
            (11, ["'security_groups' refers to 'aws.security_group.g', which lies in 'aws.vpc.w', but 'aws.subnet.r' lies in 'aws.vpc.v'"]),
            (12, ["'security_groups' refers to 'aws.security_group.h', which lies in 'aws.vpc.v', but 'aws.subnet.t' lies in 'aws.vpc.w'"]),
            (13, ["'security_groups' refers to 'aws.security_group.g'", "'aws.subnet.s' lies in 'aws.vpc.v'"]),
            (14, ["'subnet' refers to 'aws.subnet.s'", "'aws.security_group.g' lies in 'aws.vpc.w'"]),
            (16, ["'security_groups' refers to 'aws.security_group.h'", "'aws.security_group.g' lies in 'aws.vpc.w'"]),
        ],
    ),
    "an instance that is at home in two VPCs": (
        f"{TWO_VPCS}aws.security_group: {{g: {{name: g, description: d, vpc: w}}, h: {{name: h, {GROUP}}}}}\n"
        f"aws.instance:\n  a: {{{TEMPLATE}, subnet: s, security_groups: [h], interfaces: [{{device_index: 1, subnet: t, security_groups: [g]}},\n"
        "    {device_index: 2, subnet: r, security_groups: [h]}]}\n"
        f"  b: {{{TEMPLATE}, interfaces: [{{device_index: 1, subnet: t, security_groups: [g]}}]}}\n"
        "aws.route_table: {a: {vpc: v, routes: [{destination: 192.168.0.0/24, interface: '${aws.instance.a.interface}'}]}}\n",
        [],
    ),
    "a template with interfaces in groups of another VPC than the subnets of who uses it": (
        f"{TWO_VPCS}aws.security_group: {{g: {{name: g, description: d, vpc: w}}, h: {{name: h, {GROUP}}}}}\n"
        f"aws.launch_template:\n  l: {{name: one, {TEMPLATE}, interfaces: [{{device_index: 0, security_groups: [h]}},\n"
        "    {device_index: 1, subnet: t, security_groups: [g]}]}\n"
        f"  m: {{name: two, {TEMPLATE}, interfaces: [{{device_index: 0, security_groups: [h]}},\n"
        "    {device_index: 1, subnet: t, security_groups: [h]}]}\n"
        "aws.autoscaling_group:\n  f: {name: f, min: 0, max: 1, launch_template: l, subnets: [s]}\n"
        "  g: {name: g, min: 0, max: 1, launch_template: l, subnets: [t]}\n",
        [
            (12, ["'security_groups' refers to 'aws.security_group.h', which lies in 'aws.vpc.v', but 'aws.subnet.t' lies in 'aws.vpc.w'"]),
            (15, ["'launch_template' refers to 'aws.launch_template.l' and so to 'aws.security_group.h'", "'aws.subnet.t' lies in 'aws.vpc.w'"]),
        ],
    ),
    "groups of two VPCs in one template": (
        f"aws.security_group: {{g: {{name: g, description: d, vpc: w}}, h: {{name: h, {GROUP}}}}}\n"
        "aws.launch_template:\n  a: {name: one, security_groups: [g, h]}\n",
        [(7, ["'security_groups' refers to 'aws.security_group.h'", "'aws.security_group.g' lies in 'aws.vpc.w'"])],
    ),
    "the address of a key pair that is not in the spec": (
        "aws.launch_template: {a: {name: one, key: aws.key_pair.t}}\n",
        [(5, ["there is no aws.key_pair 'aws.key_pair.t'"])],
    ),
    "the name of a key pair of others": ("aws.launch_template: {a: {name: one, key: aws.ours.t}}\n", []),
    "one secret name of two groups": (
        "vars: {n: {type: string, secret: true, default: sesame12}}\naws.security_group:\n"
        "  g: {vpc: v, description: d, name: '${var.n}'}\n  h: {vpc: v, description: d, name: '${var.n}'}\n",
        [(8, ["have the same 'name', which exists once in a vpc"])],
    ),
    "customer gateways of one secret name": (
        "vars: {n: {type: string, secret: true, default: sesame12}}\naws.customer_gateway:\n"
        "  c: {address: 198.51.100.7, asn: 65010, device_name: '${var.n}'}\n"
        "  d: {address: 198.51.100.7, asn: 65010, device_name: '${var.n}'}\n",
        [(8, ["'aws.customer_gateway.d' is the same thing as 'aws.customer_gateway.c'"])],
    ),
    "subnets of two VPCs in one Auto Scaling group": (
        TWO_VPCS + "aws.launch_template: {a: {name: one, image: ami-0123456789abcdef0}}\n"
        "aws.autoscaling_group:\n  g: {name: g, launch_template: a, min: 0, max: 0, subnets: [s, t]}\n",
        [(9, ["'subnets' refers to 'aws.subnet.t'", "'aws.subnet.s' lies in 'aws.vpc.v'"])],
    ),
    "a rule that names a group of a VPC that may be a peer": (
        f"aws.security_group: {{g: {{name: g, description: d, vpc: w}},\n"
        f"  h: {{name: h, {GROUP}, ingress: [{{protocol: all, group: g}}]}}}}\n",
        [],
    ),
    "a subnet of a VPC that is known by its id alone": (
        "aws.vpc: {v: {cidr: 10.0.0.0/16}}\n"
        f"aws.subnet: {{x: {{vpc: {LITERAL}, cidr: 10.9.0.0/24}}}}\naws.route_table: {{t: {{vpc: v, subnets: [x]}}}}\n",
        [],
    ),
    "a subnet of a VPC whose further range is wrong": (
        "aws.vpc:\n  v:\n    cidr: 10.0.0.0/16\n"
        "    secondary_cidrs: ['${cidr_subnet(\"10.1.0.0/16\", 40, 0)}']\n"
        "aws.subnet: {x: {vpc: v, cidr: 10.1.0.0/24}}\n",
        [(8, ["a /16 prefix can become longer"])],
    ),
    "a subnet of one VPC or the other": (
        "aws.vpc: {v: {cidr: 10.0.0.0/16}, w: {cidr: 10.1.0.0/16}}\n"
        "aws.subnet: {x: {vpc: '${aws.vpc.v.owner == \"1\" ? aws.vpc.v.id : aws.vpc.w.id}', cidr: 10.1.5.0/24}}\n",
        [],
    ),
    "tags of AWS and of trueup": (
        "aws.internet_gateway:\n  a:\n    tags: {AWS:x: z,\n      'trueup:stack': z}\n",
        [(7, ["'aws:'"]), (8, ["'trueup:'"])],
    ),
    "too many tags": (
        "aws.internet_gateway:\n  a:\n    tags: {%s}\n" % ", ".join(f"t{i}: x" for i in range(46)),
        [(7, ["46 tags", "45 fit"])],
    ),
    "as many tags as fit": (
        "aws.internet_gateway:\n  a:\n    tags: {%s}\n" % ", ".join(f"t{i}: x" for i in range(45)),
        [],
    ),
    "a name like an id": (
        "aws.security_group: {a: {name: sg-x, vpc: v, description: d}}\n",
        [(5, ["'sg-'"])],
    ),
    "a name of other characters": (
        'aws.security_group: {a: {name: "a<b", vpc: v, description: d}}\n',
        [(5, ["'name' cannot be 'a<b'"])],
    ),
    "a second range of another family": (
        "aws.vpc:\n  x: {cidr: 172.17.0.0/16,\n    secondary_cidrs: [198.19.0.0/16]}\n",
        [(7, ["198.19.0.0/16", "172.17.0.0/16"])],
    ),
    "a second range of the same family, and a shared one": (
        "aws.vpc: {x: {cidr: 172.17.0.0/16, secondary_cidrs: [172.18.0.0/16, 100.64.0.0/16]}}\n",
        [],
    ),
}


def check(tmp_path, text, expected):
    own_network = "aws.vpc" in text.split(":")[0]
    network = "# no other VPC\n# no subnet\n" if own_network else NETWORK
    stack = Stack(tmp_path)
    stack.write("stack.yaml", HEAD + network + text)
    told = stack.run("validate", "--output", "json", status=1 if expected else 0).json["diagnostics"]
    assert [each["line"] for each in told] == [line for line, _ in expected], told
    for each, (_, parts) in zip(told, expected):
        assert all(part in f"{each['message']}: {each.get('hint')}" for part in parts), each


@pytest.mark.parametrize("name", ROWS)
def test_refused_by_validate(tmp_path, name):
    check(tmp_path, *ROWS[name])


ACCOUNT, OTHER = "111122223333", "444455556666"


@pytest.mark.parametrize("accounts, refused", [((ACCOUNT, ACCOUNT), True), ((ACCOUNT, OTHER), False), ((None, None), False)])
def test_one_name_by_two_providers(tmp_path, accounts, refused):
    """Where they lead to one account it is one name; of accounts that nobody names nothing is known."""
    settings = [f"account: '{each}', " if each else "" for each in accounts]
    stack = Stack(tmp_path)
    stack.write(
        "stack.yaml",
        "stack: s\nproviders:\n  aws: {%sregion: us-west-2}\n  aws.b: {%sregion: us-west-2}\n" % tuple(settings)
        + f"aws.launch_template: {{a: {{name: tmpl, {TEMPLATE}}}, b: {{name: tmpl, {TEMPLATE}, provider: aws.b}}}}\n",
    )
    told = stack.run("validate", "--output", "json", status=1 if refused else 0).json["diagnostics"]
    assert ["same 'name'" in each["message"] for each in told] == [True] * refused, told


def test_names_of_two_places_do_not_meet(tmp_path):
    stack = Stack(tmp_path)
    stack.write(
        "stack.yaml",
        'stack: s\nproviders:\n  aws: {region: us-west-2, endpoint: "sim:w"}\n'
        '  aws.east: {region: us-east-1, endpoint: "sim:w"}\n'
        f"aws.launch_template: {{a: {{name: tmpl, {TEMPLATE}}},\n"
        f"  b: {{provider: aws.east, name: tmpl, {TEMPLATE}}}}}\n",
    )
    stack.run("validate")


def test_endpoints_that_lead_nowhere(tmp_path):
    """Wherever the command runs: each is told, in its place."""
    stack = Stack(tmp_path)
    stack.write(
        "stack.yaml",
        "stack: s\nproviders:\n  aws: {region: us-west-2, endpoint: 'ftp://x'}\n"
        "  aws.b: {region: us-west-2,\n    endpoints: {ec2: 'https://ok',\n      sts: ' https://x',\n      s4: 'https://x',\n      s5: 'https://x'}}\n",
    )
    told = stack.run("validate", "--output", "json", status=1).json["diagnostics"]
    assert [(each["line"], each["message"]) for each in told] == [
        (3, "provider 'aws' cannot have the endpoint 'ftp://x'"),
        (6, "provider 'aws.b' cannot have the endpoint ' https://x'"),
        (7, "provider 'aws.b' knows no service 's4'"),
        (8, "provider 'aws.b' knows no service 's5'"),
    ]


FIRST = "lifecycle: {create_before_destroy: true}"


@pytest.mark.parametrize(
    "text, line, field",
    [
        pytest.param(
            f"aws.security_group:\n  a: {{{GROUP}, {FIRST},\n    name: g}}\n",
            7,
            "name",
            id="a name, which is unique",
        ),
        pytest.param(
            f"aws.subnet:\n  a: {{vpc: v, {FIRST},\n    cidr: 10.0.2.0/24}}\n", 7, "cidr", id="a range, which others cannot have"
        ),
        pytest.param(f"aws.internet_gateway:\n  a: {{vpc: v, {FIRST}}}\n", None, None, id="a gateway, which leaves first"),
        pytest.param(f"aws.security_group:\n  a: {{{GROUP}, name: g}}\n", None, None, id="nobody asks for that order"),
    ],
)
def test_the_new_one_first_where_both_cannot_be(tmp_path, text, line, field):
    """No error: what changes the name too is carried out (see test_handover.py)."""
    stack = Stack(tmp_path)
    network = "aws.vpc: {v: {cidr: 10.0.0.0/16}}\n# one VPC\n"
    stack.write("stack.yaml", HEAD + network + text)
    told = stack.run("validate", "--output", "json").json["diagnostics"]
    assert [each.get("line") for each in told] == ([line] if line else [])
    for each in told:
        assert each["severity"] == "warning" and f"cannot have the same '{field}' at a time" in each["message"]
