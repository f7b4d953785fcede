"""Addresses and interfaces that AWS would refuse halfway are refused by validate, with the line and what to do."""

import pytest

from test_bad_aws_spec import TEMPLATE, TWO_VPCS, check

DUAL = """aws.vpc: {v: {cidr: 10.0.0.0/16, ipv6: true}}
aws.subnet: {s: {vpc: v, cidr: 10.0.1.0/24, ipv6_cidr: '%s'}}
"""


def machine(said, *interfaces):
    """What is said of the instance is on line 6, each of its interfaces on a line of its own from 7."""
    return f"aws.instance:\n  a: {{{TEMPLATE}, {said}interfaces: [\n    " + ",\n    ".join(f"{{{each}}}" for each in interfaces) + "]}\n"


# As in test_bad_aws_spec.py.
ROWS = {
    "one fixed address for two machines": (
        "aws.instance:\n"
        f"  a: {{{TEMPLATE}, subnet: s, address: 10.0.1.9}}\n"
        f"  b: {{{TEMPLATE}, subnet: s, address: 10.0.1.9}}\n",
        [(7, ["aws.instance.a", "same address in 'address', which one at a time has"])],
    ),
    "one fixed address for interfaces of two machines, and for two of one": (
        DUAL % "2001:db8::/64" + "aws.instance:\n"
        f"  a: {{{TEMPLATE}, subnet: s, address: 10.0.1.9, addresses6: ['2001:db8::5']}}\n"
        f"  b: {{{TEMPLATE}, interfaces: [{{device_index: 0, subnet: s, address: 10.0.1.8}},\n"
        "    {device_index: 1, subnet: s, address: 10.0.1.9},\n"
        "    {device_index: 2, subnet: s, address: 10.0.1.7, secondary_addresses: 2, addresses6: ['2001:db8::4']},\n"
        "    {device_index: 3, subnet: s, address: 10.0.1.8, addresses6: [\n"
        "      '2001:db8::4',\n"
        "      '2001:db8::5']}]}\n",
        [
            (9, ["'aws.instance.b' has the same address twice in 'address'"]),
            (10, ["aws.instance.a' and 'aws.instance.b' have the same address in 'address', which one at a time has"]),
            (13, ["'aws.instance.b' has the same address twice in 'addresses6'"]),
            (14, ["aws.instance.a' and 'aws.instance.b' have the same address in 'addresses6'"]),
        ],
    ),
    "a fixed address outside of its subnet": (
        f"aws.instance:\n  a: {{{TEMPLATE}, subnet: s,\n    address: 10.0.2.9}}\n",
        [(7, ["10.0.2.9 lies outside of 10.0.1.0/24 of 'aws.subnet.s'"])],
    ),
    "fixed addresses that AWS keeps": (
        "aws.instance:\n"
        f"  a: {{{TEMPLATE}, subnet: s, address: 10.0.1.0}}\n"
        f"  b: {{{TEMPLATE}, subnet: s, address: 10.0.1.3}}\n"
        f"  c: {{{TEMPLATE}, subnet: s, address: 10.0.1.255}}\n",
        [(line, ["10.0.1.0/24 of 'aws.subnet.s' that the service keeps"]) for line in (6, 7, 8)],
    ),
    "IPv6 addresses that their subnet cannot give": (
        "aws.vpc: {v: {cidr: 10.0.0.0/16}}\naws.subnet:\n  six: {vpc: v, cidr: 10.0.9.0/24, ipv6_cidr: '2001:db8::/64'}\n"
        f"aws.instance:\n  a: {{{TEMPLATE}, subnet: six, addresses6: ['2001:db8:0:1::9', '2001:db8::4', '2001:db8::fffe', '2001:db8::3']}}\n"
        f"  b: {{{TEMPLATE}, subnet: six, addresses6: ['2001:db8::ffff:ffff:ffff:ffff']}}\n",
        [
            (9, ["2001:db8:0:1::9 lies outside of 2001:db8::/64 of 'aws.subnet.six'"]),
            (9, ["2001:db8::3 is one of the addresses"]),
            (10, ["that the service keeps"]),
        ],
    ),
    "addresses of IPv4 for which their subnet has no range": (
        "aws.vpc: {v: {cidr: 10.0.0.0/16, ipv6: true}}\naws.subnet: {s: {vpc: v, ipv6_cidr: '2001:db8:0:1::/64', ipv6_native: true}}\n"
        f"aws.instance:\n  a: {{{TEMPLATE}, subnet: s, interfaces: [{{device_index: 0, secondary_addresses: 1}},\n"
        "    {device_index: 1, subnet: s, secondary_addresses: 0, prefix_count: 0},\n"
        "    {device_index: 2, subnet: s, prefix_count: 2}]}\n"
        "aws.launch_template: {t: {name: tmpl, interfaces: [{device_index: 0, subnet: s, prefix_count: 1,\n"
        "  secondary_addresses: 2}]}}\n",
        [
            (8, ["'secondary_addresses' needs 'cidr' of 'aws.subnet.s', which is not set"]),
            (10, ["'prefix_count' needs 'cidr' of 'aws.subnet.s', which is not set"]),
            (11, ["'prefix_count' needs 'cidr' of 'aws.subnet.s', which is not set"]),
            (12, ["'secondary_addresses' needs 'cidr' of 'aws.subnet.s', which is not set"]),
        ],
    ),
    "addresses for which their subnet has no range": (
        "aws.vpc: {v: {cidr: 10.0.0.0/16, ipv6: true}}\naws.subnet:\n  s: {vpc: v, cidr: 10.0.1.0/24}\n"
        "  six: {vpc: v, ipv6_cidr: '2001:db8:0:1::/64', ipv6_native: true}\n  other: {vpc: v, cidr: 10.0.9.0/24, lifecycle: {ignore: [ipv6_cidr]}}\n"
        "aws.instance:\n"
        f"  a: {{{TEMPLATE}, subnet: s, address6_count: 1}}\n"
        f"  b: {{{TEMPLATE}, subnet: s, address6_count: 0}}\n"
        f"  c: {{{TEMPLATE}, subnet: s, addresses6: ['2001:db8::9']}}\n"
        f"  d: {{{TEMPLATE}, subnet: six, address: 10.0.1.9}}\n"
        f"  e: {{{TEMPLATE}, subnet: other, address6_count: 1}}\n"
        f"  f: {{{TEMPLATE}, subnet: s, interfaces: [{{device_index: 0, address6_count: 2}},\n"
        "    {device_index: 1, subnet: s, prefix6_count: 1}]}\n"
        "aws.launch_template: {t: {name: tmpl, interfaces: [{device_index: 0, subnet: s, address6_count: 1}]}}\n",
        [
            (11, ["'address6_count' needs 'ipv6_cidr' of 'aws.subnet.s', which is not set"]),
            (13, ["'addresses6' needs 'ipv6_cidr' of 'aws.subnet.s', which is not set"]),
            (14, ["'address' needs 'cidr' of 'aws.subnet.six', which is not set"]),
            (16, ["'address6_count' needs 'ipv6_cidr' of 'aws.subnet.s'"]),
            (17, ["'prefix6_count' needs 'ipv6_cidr' of 'aws.subnet.s'"]),
            (18, ["'address6_count' needs 'ipv6_cidr' of 'aws.subnet.s'"]),
        ],
    ),
    "the first and the last address to be had, and one in a subnet of others": (
        "aws.instance:\n"
        f"  a: {{{TEMPLATE}, subnet: s, address: 10.0.1.4}}\n"
        f"  b: {{{TEMPLATE}, subnet: s, address: 10.0.1.254}}\n"
        f"  c: {{{TEMPLATE}, subnet: subnet-0123456789abcdef0, address: 10.9.9.0}}\n",
        [],
    ),
    "addresses of interfaces outside of their subnets": (
        f"aws.instance:\n  a: {{{TEMPLATE}, interfaces: [{{device_index: 0, subnet: s, address: 10.0.2.9}},\n"
        "    {device_index: 1, subnet: s, addresses: [{address: 10.0.1.9, primary: true},\n"
        "      {address: 10.0.3.9}]}]}\n"
        f"  b: {{{TEMPLATE}, subnet: s, interfaces: [{{device_index: 0, address: 10.0.1.3}}]}}\n",
        [
            (6, ["10.0.2.9 lies outside of 10.0.1.0/24 of 'aws.subnet.s'"]),
            (8, ["10.0.3.9 lies outside of 10.0.1.0/24 of 'aws.subnet.s'"]),
            (9, ["10.0.1.3 is one of the addresses in 10.0.1.0/24 of 'aws.subnet.s' that the service keeps"]),
        ],
    ),
    "addresses of both families outside of their subnet": (
        "aws.vpc: {v: {cidr: 10.0.0.0/16, ipv6: true}}\n"
        "aws.subnet: {t: {vpc: v, cidr: 10.0.2.0/24, ipv6_cidr: '2001:db8:0:1::/64'}}\n"
        f"aws.instance:\n  a: {{{TEMPLATE}, subnet: t, addresses6: ['2001:db8:0:2::9']}}\n"
        f"  b: {{{TEMPLATE}, interfaces: [{{device_index: 0, subnet: t,\n    addresses6: ['2001:db8:0:3::9']}}]}}\n"
        f"  c: {{{TEMPLATE}, interfaces: [{{device_index: 0, subnet: t, addresses6: ['2001:db8:0:1::9']}}]}}\n",
        [
            (8, ["2001:db8:0:2::9 lies outside of 2001:db8:0:1::/64 of 'aws.subnet.t'"]),
            (10, ["2001:db8:0:3::9 lies outside of 2001:db8:0:1::/64 of 'aws.subnet.t'"]),
        ],
    ),
    "prefixes of interfaces outside of their subnet, or without a range": (
        "aws.vpc: {v: {cidr: 10.0.0.0/16, ipv6: true}}\n"
        "aws.subnet: {t: {vpc: v, cidr: 10.0.2.0/24, ipv6_cidr: '2001:db8:0:1::/64'}, u: {vpc: v, cidr: 10.0.3.0/24}}\n"
        f"aws.instance:\n  a: {{{TEMPLATE}, subnet: t, interfaces: [{{device_index: 0,\n"
        "    prefixes: [10.0.2.16/28, 10.0.3.16/28],\n    prefixes6: ['2001:db8:0:2::/80', '2001:db8:0:1:9::/80']}]}\n"
        f"  b: {{{TEMPLATE}, subnet: u, interfaces: [{{device_index: 0, prefixes6: ['2001:db8:0:1:7::/80']}}]}}\n"
        "aws.launch_template:\n  a: {name: tmpl, interfaces: [{device_index: 0, subnet: t, prefixes: [10.0.9.16/28]}]}\n",
        [
            (9, ["10.0.3.16/28 lies outside of 10.0.2.0/24 of 'aws.subnet.t'"]),
            (10, ["2001:db8:0:2::/80 lies outside of 2001:db8:0:1::/64 of 'aws.subnet.t'"]),
            (11, ["'prefixes6' needs 'ipv6_cidr' of 'aws.subnet.u', which is not set"]),
            (13, ["10.0.9.16/28 lies outside of 10.0.2.0/24 of 'aws.subnet.t'"]),
        ],
    ),
    "one prefix for two machines": (
        f"aws.instance:\n  a: {{{TEMPLATE}, subnet: s, interfaces: [{{device_index: 0, prefixes: [10.0.1.16/28]}}]}}\n"
        f"  b: {{{TEMPLATE}, subnet: s, interfaces: [{{device_index: 0, prefixes: [10.0.1.16/28]}}]}}\n",
        [(7, ["'aws.instance.a' and 'aws.instance.b' have the same range in 'prefixes', which one at a time has"])],
    ),
    "addresses within the prefix of another machine": (
        f"{TWO_VPCS}aws.instance:\n  a: {{{TEMPLATE}, subnet: s, interfaces: [{{device_index: 0, prefixes: [10.0.1.16/28]}}]}}\n"
        f"  b: {{{TEMPLATE}, subnet: s, address: 10.0.1.17}}\n"
        f"  c: {{{TEMPLATE}, subnet: subnet-0123456789abcdef0, address: 10.0.1.17}}\n"
        f"  d: {{{TEMPLATE}, subnet: s, address: 10.0.1.32}}\n"
        f"  e: {{{TEMPLATE}, subnet: r, interfaces: [{{device_index: 0}}, {{device_index: 1, subnet: s,\n"
        "    addresses: [{address: 10.0.1.31}]}]}\n",
        [
            (9, ["'aws.instance.b' cannot have 10.0.1.17 as its 'address'", "10.0.1.16/28, which 'aws.instance.a' has in its 'prefixes'"]),
            (13, ["'aws.instance.e' cannot have 10.0.1.31 as its 'address'"]),
        ],
    ),
    "an interface of a template outside of its subnet": (
        "aws.launch_template:\n  a: {name: tmpl, interfaces: [{device_index: 0, subnet: s, address: 10.0.2.9}]}\n",
        [(6, ["10.0.2.9 lies outside of 10.0.1.0/24 of 'aws.subnet.s'"])],
    ),
    "addresses of interfaces where they can be had": (
        f"aws.instance:\n  a: {{{TEMPLATE}, interfaces: [{{device_index: 0, subnet: s, address: 10.0.1.9}},\n"
        "    {device_index: 1, subnet: subnet-0123456789abcdef0, address: 10.9.9.9}]}\n",
        [],
    ),
    "one address for two machines": (
        DUAL % "2001:db8::/64" + "aws.instance:\n"
        f"  a: {{{TEMPLATE}, subnet: s, addresses6: ['2001:db8::9']}}\n"
        f"  b: {{{TEMPLATE}, subnet: s, addresses6: ['2001:db8:0::9']}}\n",
        [(9, ["aws.instance.a", "same address in 'addresses6'"])],
    ),
    "one fixed address where no subnet is named": (
        f"aws.instance:\n  a: {{{TEMPLATE}, zone: us-west-2a, address: 172.31.0.9}}\n"
        f"  b: {{{TEMPLATE}, zone: us-west-2b, address: 172.31.0.9}}\n",
        [],
    ),
    "one address in two subnets": (
        DUAL % "fd00::/64" + "aws.instance:\n"
        f"  a: {{{TEMPLATE}, subnet: s, addresses6: ['fd00::9']}}\n"
        f"  b: {{{TEMPLATE}, subnet: subnet-0123456789abcdef0, addresses6: ['fd00::9']}}\n",
        [],
    ),
    "what an instance and its first interface both say": (
        machine("subnet: s, ", "device_index: 1, subnet: s", "device_index: 0, network_card: 0, subnet: s"),
        [(8, ["'subnet' is said of the first interface here, and 'subnet' of the instance"])],
    ),
    "IPv6 addresses of an instance by number, and of its first interface by name": (
        machine("address6_count: 1, ", "device_index: 0, addresses6: ['fd00::1']"),
        [(7, ["'addresses6' is said of the first interface here, and 'address6_count' of the instance"])],
    ),
    "IPv6 addresses of an interface by name and number": (
        machine("", "device_index: 0, address6_count: 1, addresses6: ['fd00::1']"),
        [(7, ["'addresses6'", "'address6_count'"])],
    ),
    "what an instance and its first interface say apart": (
        machine("public_ip: true, subnet: s, source_dest_check: false, ", "device_index: 0, description: front, prefix_count: 1"),
        [],
    ),
    "a public address with several interfaces": (
        machine("public_ip: false, ", "device_index: 0", "device_index: 1, subnet: s"),
        [(6, ["'public_ip' cannot be said of an instance that starts with several interfaces"])],
    ),
    "a public address of the first of several interfaces": (
        machine("", "device_index: 0, public_address: true", "device_index: 1, subnet: s"),
        [(7, ["'public_address' cannot be said of an instance that starts with several interfaces"])],
    ),
    "a public address beside a further interface, and of it": (
        machine("public_ip: true, ", "device_index: 1, subnet: s, public_address: true"),
        [(6, ["'public_ip'", "several interfaces"]), (7, ["'public_address' cannot be said of a further interface"])],
    ),
    "groups of the first of several interfaces, said twice": (
        machine(
            "security_groups: [sg-0123456789abcdef0], source_dest_check: false, ",
            "device_index: 0, security_groups: [sg-0123456789abcdef1]",
            "device_index: 0, network_card: 1",
        ),
        [(7, ["'security_groups' is said of the first interface here, and 'security_groups' of the instance"])],
    ),
    "two first interfaces": (
        machine("", "device_index: 0", "device_index: 0, network_card: 0"),
        [(8, ["slot 0 of card 0"])],
    ),
    "an interface that is there already, and what only a new one can be told": (
        machine("subnet: s, ", "device_index: 0, interface: eni-0123456789abcdef0, description: d"),
        [(6, ["'subnet' cannot be said of a first interface"]), (7, ["'description' cannot be said of an interface that is"])],
    ),
    "addresses of an interface that has none": (
        machine("", "device_index: 0, type: efa", "device_index: 1, type: efa-only, address: 10.0.1.9, prefix_count: 1"),
        [(8, ["'address' cannot be said of an 'efa-only' interface"]), (8, ["'prefix_count' cannot be said"])],
    ),
    "a first interface without an address": (
        machine("", "device_index: 0, type: efa-only"),
        [(7, ["the first interface cannot be 'efa-only'"])],
    ),
    "further interfaces without a subnet": (
        machine("subnet: s, ", "device_index: 1", "device_index: 2, subnet: s", "device_index: 1, network_card: 1, type: efa-only"),
        [(7, ["a further interface needs the field 'subnet'", "that of its first interface alone"]), (9, ["needs the field 'subnet'"])],
    ),
    "a further interface without a subnet beside a first one that has its own": (
        machine("", "device_index: 0, subnet: s", "device_index: 1")
        + f"  b: {{{TEMPLATE}, interfaces: [{{device_index: 0, interface: eni-0123456789abcdef0}},\n    {{device_index: 1}}]}}\n",
        [(8, ["a further interface needs the field 'subnet'"]), (10, ["a further interface needs the field 'subnet'"])],
    ),
    "interfaces in the default VPC, and one that is there already": (
        machine("", "device_index: 0", "device_index: 1")
        + f"  b: {{{TEMPLATE}, subnet: s, interfaces: [{{device_index: 1, interface: eni-0123456789abcdef0}}]}}\n",
        [],
    ),
    "interfaces of a cluster": (
        machine("", "device_index: 0, type: efa, subnet: s", "device_index: 1, network_card: 1, type: efa-only, subnet: s"),
        [],
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_refused_by_validate(tmp_path, name):
    check(tmp_path, *ROWS[name])
