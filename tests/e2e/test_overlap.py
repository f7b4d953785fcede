"""What validate says of ranges that overlap: both lines, and why the two must not."""

import pytest

from conftest import Stack

HEAD = """stack: s
providers: {aws: {region: us-west-2, endpoint: "sim:w"}, aws.east: {region: us-east-1, endpoint: "sim:w"}}
"""
# From line 10 on: both VPCs reach one customer gateway.
BY_VPN = """aws.vpn_gateway: {v: {vpc: v}, w: {vpc: w}}
aws.customer_gateway: {c: {address: 203.0.113.7, asn: 65000}}
aws.vpn_connection:
  v: {customer_gateway: c, vpn_gateway: v, static_routes_only: true%s}
  w: {customer_gateway: c, vpn_gateway: w, static_routes_only: true%s}
"""
# Likewise, by customer gateways of two regions, of two numbers, of IPv6: of one address all the same.
FAR = "{provider: aws.east, %s}"
BY_DEVICE = (
    BY_VPN.replace("w: {vpc: w}", "w: " + FAR % "vpc: w")
    .replace("asn: 65000}", "asn: 65000}, d: " + FAR % "address: 203.0.113.7, asn: 65000")
    .replace("w: {customer_gateway: c", "w: {provider: aws.east, customer_gateway: d")
)
BY_TWO_NUMBERS = BY_VPN.replace("asn: 65000}", "asn: 65000}, d: {address: 203.0.113.7, asn: 65001}").replace(
    "w: {customer_gateway: c", "w: {customer_gateway: d"
)
BY_PEERING = """aws.route_table:
  v: {vpc: v, routes: [{destination: 10.9.0.0/16, peering: pcx-0123456789abcdef0}]}
  w: {vpc: w, routes: [{destination: 10.8.0.0/16, peering: pcx-0123456789abcdef0}]}
"""
STATIC, NO_ROUTES = ", routes: [%s]", ("", "")


def vpcs(v, w="10.1.0.0/16"):
    """On lines 4 and 5, with their subnets on lines 7 to 9."""
    return f"aws.vpc:\n  v: {{cidr: {v}}}\n  w: {{cidr: {w}}}\n"


def subnets(*ranges):
    """Of v and w in turn."""
    rows = [f"{{vpc: {'vw'[i % 2]}, cidr: 10.{i % 2}.{i}.0/24, ipv6_cidr: '{each}'}}" for i, each in enumerate(ranges)]
    return "aws.subnet:\n" + "".join(f"  s{i}: {row}\n" for i, row in enumerate(rows)) + "#\n" * (3 - len(rows))


APART = vpcs("10.0.0.0/16") + subnets()
MEET = ", and the two meet by VPN or peering"

# Spec from line 3 on, and of each overlap both lines, the error's own first, and what it says.
OVERLAPS = {
    "VPCs that meet by VPN": (
        vpcs("10.0.0.0/16", "10.0.128.0/17") + subnets() + BY_VPN % NO_ROUTES,
        [(5, 4, "10.0.128.0/17 of 'aws.vpc.w' overlaps 10.0.0.0/16 of 'aws.vpc.v'" + MEET)],
    ),
    "VPCs of two regions that meet by VPN at one device": (
        vpcs("10.0.0.0/16", "10.0.0.0/16, provider: aws.east") + subnets() + BY_DEVICE % NO_ROUTES,
        [(5, 4, "10.0.0.0/16 of 'aws.vpc.w' overlaps 10.0.0.0/16 of 'aws.vpc.v'" + MEET)],
    ),
    "VPCs of two regions that meet by VPN at one device, IPv6": (
        vpcs("10.0.0.0/16", "10.0.0.0/16, provider: aws.east")
        + subnets()
        + BY_DEVICE.replace("203.0.113.7", "'2001:db8::7'", 1).replace("203.0.113.7", "'2001:DB8:0::7'") % NO_ROUTES,
        [(5, 4, "10.0.0.0/16 of 'aws.vpc.w' overlaps 10.0.0.0/16 of 'aws.vpc.v'" + MEET)],
    ),
    "VPCs that meet by VPN at one device of two numbers": (
        vpcs("10.0.0.0/16", "10.0.128.0/17") + subnets() + BY_TWO_NUMBERS % NO_ROUTES,
        [(5, 4, "10.0.128.0/17 of 'aws.vpc.w' overlaps 10.0.0.0/16 of 'aws.vpc.v'" + MEET)],
    ),
    "VPCs of two regions with VPNs to two devices": (
        vpcs("10.0.0.0/16", "10.0.0.0/16, provider: aws.east")
        + subnets()
        + BY_DEVICE.replace("203.0.113.7", "203.0.113.8", 1) % NO_ROUTES,
        [],
    ),
    "VPCs that do not meet": (vpcs("10.0.0.0/16", "10.0.128.0/17"), []),
    "VPCs that meet by VPN, apart": (APART + BY_VPN % NO_ROUTES, []),
    "the last addresses of a VPC": (
        vpcs("10.0.0.0/16", "10.0.255.240/28") + subnets() + BY_VPN % NO_ROUTES,
        [(5, 4, "10.0.255.240/28 of 'aws.vpc.w' overlaps 10.0.0.0/16 of 'aws.vpc.v'" + MEET)],
    ),
    "VPCs that meet by peering": (
        vpcs("10.0.0.0/16", "10.0.128.0/17") + subnets() + BY_PEERING,
        [(5, 4, "10.0.128.0/17 of 'aws.vpc.w' overlaps 10.0.0.0/16 of 'aws.vpc.v', and the two meet by peering")],
    ),
    "VPCs of two peerings": (
        vpcs("10.0.0.0/16", "10.0.128.0/17") + subnets() + BY_PEERING.replace("pcx-0123456789abcdef0", "pcx-00000000", 1),
        [],
    ),
    "VPCs that meet by peering, apart": (APART + BY_PEERING, []),
    # Whether they meet there, the gateway's own route tables tell, and no spec.
    "VPCs that lead to one transit gateway": (
        vpcs("10.0.0.0/16", "10.0.128.0/17") + subnets() + BY_PEERING.replace("peering: pcx", "transit_gateway: tgw"),
        [],
    ),
    "a network, and a VPC that a peering alone reaches": (
        APART + BY_PEERING + "address_space: {networks: {rack: 10.0.4.0/24}}\n",
        [],
    ),
    "subnets of VPCs that meet by peering, IPv6": (
        vpcs("10.0.0.0/16") + subnets("fd00:1::/64", "fd00:1::/64") + BY_PEERING,
        [(8, 7, "fd00:1::/64 of 'aws.subnet.s1' overlaps fd00:1::/64 of 'aws.subnet.s0', and the two meet by peering")],
    ),
    "a further range": (
        vpcs("10.0.0.0/16", "10.2.0.0/16, secondary_cidrs: [10.3.0.0/16, 10.0.1.0/24]") + subnets() + BY_VPN % NO_ROUTES,
        [(5, 4, "10.0.1.0/24 of 'aws.vpc.w' overlaps 10.0.0.0/16 of 'aws.vpc.v'" + MEET)],
    ),
    "two ranges of one VPC": (
        vpcs("10.0.0.0/16, secondary_cidrs: [10.0.1.0/24]"),
        [(4, 4, "10.0.1.0/24 of 'aws.vpc.v' overlaps 10.0.0.0/16 of 'aws.vpc.v'")],
    ),
    "a static route over the own VPC": (
        APART + BY_VPN % (STATIC % "10.0.255.255/32", ""),
        [(13, 4, "10.0.255.255/32 of 'aws.vpn_connection.v' overlaps 10.0.0.0/16 of 'aws.vpc.v'" + MEET)],
    ),
    "a static route that is the own VPC": (
        APART + BY_VPN % (STATIC % "10.0.0.0/16", ""),
        [(13, 4, "10.0.0.0/16 of 'aws.vpn_connection.v' overlaps 10.0.0.0/16 of 'aws.vpc.v'" + MEET)],
    ),
    # As an office has one for all that is its own: the nearer way is taken.
    "a static route that is wider than both VPCs": (APART + BY_VPN % (STATIC % "10.0.0.0/8", ""), []),
    "a static route over the VPC of another connection": (
        APART + BY_VPN % (STATIC % "10.1.7.0/24", ""),
        [(13, 5, "10.1.7.0/24 of 'aws.vpn_connection.v' overlaps 10.1.0.0/16 of 'aws.vpc.w'" + MEET)],
    ),
    "static routes of two connections": (
        APART + BY_VPN % (STATIC % "10.9.0.0/16", STATIC % "10.9.3.0/24"),
        [(14, 13, "10.9.3.0/24 of 'aws.vpn_connection.w' overlaps 10.9.0.0/16 of 'aws.vpn_connection.v'" + MEET)],
    ),
    "static routes of two connections, the narrower one to what is reserved": (
        APART
        + BY_VPN % (STATIC % "10.9.0.0/16", STATIC % "10.9.3.0/24")
        + "address_space: {reserved: {branch: 10.9.3.0/24}}\n",
        [],
    ),
    "one static route of two connections": (APART + BY_VPN % (STATIC % "10.9.0.0/16", STATIC % "10.9.0.0/16"), []),
    "a network, and a VPC that a VPN reaches": (
        APART + BY_VPN % NO_ROUTES + "address_space: {networks: {rack: 10.0.4.0/24}}\n",
        [(4, 15, "10.0.0.0/16 of 'aws.vpc.v' overlaps 10.0.4.0/24 (network 'rack')")],
    ),
    "a network, and a VPC that nothing reaches": (APART + "address_space: {networks: {rack: 10.0.4.0/24}}\n", []),
    "what is reserved, and a VPC that nothing reaches": (
        APART + "address_space: {reserved: {office: 10.0.4.0/24}}\n",
        [(4, 10, "10.0.0.0/16 of 'aws.vpc.v' overlaps 10.0.4.0/24 (reserved 'office')")],
    ),
    "subnets of one VPC": (
        vpcs("10.0.0.0/16") + "aws.subnet:\n  s0: {vpc: v, cidr: 10.0.1.0/24}\n  s1: {vpc: v, cidr: 10.0.1.240/28}\n",
        [(8, 7, "10.0.1.240/28 of 'aws.subnet.s1' overlaps 10.0.1.0/24 of 'aws.subnet.s0', both within 'aws.vpc.v'")],
    ),
    "subnets of one VPC, IPv6": (
        vpcs("10.0.0.0/16") + subnets("fd00:1::/64", "fd00:2::/64", "fd00:1::/64"),
        [(9, 7, "fd00:1::/64 of 'aws.subnet.s2' overlaps fd00:1::/64 of 'aws.subnet.s0', and both are in one routing domain")],
    ),
    "subnets of VPCs that meet by VPN, IPv6": (
        vpcs("10.0.0.0/16") + subnets("fd00:1::/64", "fd00:1::/64") + BY_VPN % NO_ROUTES,
        [(8, 7, "fd00:1::/64 of 'aws.subnet.s1' overlaps fd00:1::/64 of 'aws.subnet.s0', and both are in one routing domain")],
    ),
    "subnets of VPCs that do not meet, IPv6": (vpcs("10.0.0.0/16") + subnets("fd00:1::/64", "fd00:1::/64"), []),
    "a network, and a subnet that a VPN reaches, IPv6": (
        vpcs("10.0.0.0/16") + subnets("fd00:1::/64") + BY_VPN % NO_ROUTES + "address_space: {networks: {rack: 'fd00:1::/128'}}\n",
        [(7, 15, "fd00:1::/64 of 'aws.subnet.s0' overlaps fd00:1::/128 (network 'rack')")],
    ),
    "what is reserved, IPv6": (
        vpcs("10.0.0.0/16") + subnets("fd00:1::/64") + "address_space: {reserved: {office: 'fd00::/16'}}\n",
        [(7, 10, "fd00:1::/64 of 'aws.subnet.s0' overlaps fd00::/16 (reserved 'office')")],
    ),
}


@pytest.mark.parametrize("name", OVERLAPS)
def test_overlap(tmp_path, name):
    text, expected = OVERLAPS[name]
    stack = Stack(tmp_path)
    stack.write("stack.yaml", HEAD + text)
    told = stack.run("validate", "--output", "json", status=1 if expected else 0).json["diagnostics"]
    assert [(each["line"], each["related"]["line"], each["message"]) for each in told] == expected
