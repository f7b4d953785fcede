"""Tunnels of a VPN connection, in whatever order the service lists them."""

import json

import pytest

from trueup_runner import Ref, SimulatedCloud, apply, ids_of, plan_is_empty, spec_text

ADDRESSES = "169.254.10.0/30", "169.254.11.0/30"


def vpn(*tunnels):
    return {
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
        "aws.vpn_gateway": {"edge": {"vpc": Ref("aws.vpc.home")}},
        "aws.customer_gateway": {"office": {"address": "203.0.113.7", "asn": 65001}},
        "aws.vpn_connection": {
            "office": {
                "vpn_gateway": Ref("aws.vpn_gateway.edge"),
                "customer_gateway": Ref("aws.customer_gateway.office"),
                "static_routes_only": True,
                "tunnels": list(tunnels),
            }
        },
    }


def list_the_other_way(stack):
    """From now on the simulator answers with the connection's tunnels in the other order."""
    path = stack.folder / SimulatedCloud.file
    last = None
    for line in path.read_text().splitlines()[1:]:
        for each in json.loads(line).get("objects", []):
            if each["type"] == "vpn-connection":
                last = json.loads(line)["now"], each
    now, connection = last
    connection["body"]["options"]["tunnelOptionSet"].reverse()
    with path.open("a") as file:
        file.write(json.dumps({"now": now, "objects": [connection]}, separators=(",", ":")) + "\n")


def timeouts(cloud, identity):
    """Seconds until a silent peer counts as dead, by outside address."""
    [live] = cloud.client().describe_vpn_connections(VpnConnectionIds=[identity])["VpnConnections"]
    return {each["OutsideIpAddress"]: each["DpdTimeoutSeconds"] for each in live["Options"]["TunnelOptions"]}


@pytest.mark.parametrize("ranges", [ADDRESSES, (None, None)], ids=["with ranges", "without"])
def test_tunnels_are_known_again(stack, ranges):
    cloud = SimulatedCloud(stack)

    def write(*seconds):
        tunnels = [
            {"dpd_timeout_s": each, **({"inside_cidr": inside} if inside else {})}
            for each, inside in zip(seconds, ranges)
        ]
        stack.write("stack.yaml", spec_text(vpn(*tunnels)))

    write(50, 60)
    apply(stack)
    identity = ids_of(stack)["aws.vpn_connection.office"]
    before = timeouts(cloud, identity)
    first = next(address for address, seconds in before.items() if seconds == 50)
    list_the_other_way(stack)
    assert list(timeouts(cloud, identity)) == list(reversed(before))
    plan_is_empty(stack)

    write(70, 60)
    apply(stack)
    assert timeouts(cloud, identity) == {**before, first: 70}
    plan_is_empty(stack)
    cloud.close()
