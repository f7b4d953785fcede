"""A route goes before the range of a VPC that holds it."""

import pytest

from test_handover import carry_out, cloud, tables, write  # noqa: F401
from trueup_runner import Ref, SimulatedCloud, apply, plan_is_empty


@pytest.mark.parametrize("target", [[], ["--target", "aws.vpc.home"]], ids=["all", "the network"])
@pytest.mark.parametrize("saved", [None, "full", "none"])
def test_a_route_goes_before_the_range_that_holds_it(stack, saved, target):
    """A VPC takes no range around where a route of any of its tables leads to."""
    stack.environment.update(AWS_ENDPOINT_URL="sim:world", AWS_ACCESS_KEY_ID="sim", AWS_SECRET_ACCESS_KEY="sim")
    spec = (
        "stack: demo\naws.vpc: {home: {cidr: 10.0.0.0/16%s}}\naws.vpn_gateway: {g: {vpc: home}}\n"
        "aws.route_table:\n"
        "  a: {vpc: home, routes: [{destination: 10.9.0.0/24, vpn_gateway: g}%s]}\n"
        "  b: {vpc: home, routes: [{destination: %s, vpn_gateway: g}]}\n"
    )
    stack.write("stack.yaml", spec % ("", ", {destination: 10.3.5.0/24, vpn_gateway: g}", "10.3.0.0/16"))
    apply(stack)
    stack.write("stack.yaml", spec % (", secondary_cidrs: [10.3.0.0/16]", "", "10.8.0.0/16"))
    carry_out(stack, saved, *target)
    plan_is_empty(stack)


def routed(*secondary, **tables):
    """Tables of a network, each with a subnet and, by its name, a route to a gateway."""
    home = Ref("aws.vpc.home")
    return {
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16", "secondary_cidrs": list(secondary)}, "other": {"cidr": "10.40.0.0/16"}},
        "aws.vpn_gateway": {"g": {"vpc": home}},
        "aws.subnet": {f"s{at}": {"vpc": home, "cidr": f"10.20.{at}.0/24"} for at in range(2)},
        "aws.route_table": tables,
    }


def table(*subnets, vpc="home", to="10.21.0.0/16"):
    routes = [{"destination": to, "vpn_gateway": Ref("aws.vpn_gateway.g")}] if vpc == "home" else []
    return {"vpc": Ref(f"aws.vpc.{vpc}"), "subnets": [Ref(f"aws.subnet.{each}") for each in subnets], "routes": routes}


@pytest.mark.parametrize("after", [{}, {"t": table(vpc="other")}], ids=["goes", "is replaced"])
@pytest.mark.parametrize("target", [[], ["--target", "aws.vpc.home"]], ids=["all", "the network"])
@pytest.mark.parametrize("saved", [None, "full", "none"])
def test_a_route_goes_with_its_table_before_the_range_that_holds_it(stack, saved, target, after):
    cloud = SimulatedCloud(stack)
    write(stack, routed(t=table("s0"), u=table("s1", to="10.22.0.0/16")))
    apply(stack)
    kept = {"u": table("s1", to="10.23.0.0/16")}
    write(stack, routed("10.21.0.0/16", **after, **kept))
    carry_out(stack, saved, *target)
    left = stack.run("plan", "--output", "json").json["actions"]
    assert [each["address"] for each in left] == (["aws.route_table.u"] if target else [])
    cloud.close()
