"""A saved plan has something refer to what has to lie in the same thing, and has left that by the time it is applied."""

import pytest

from test_moved_by_hand import detach
from trueup_runner import Ref, apply, ids_of, plan_is_empty, spec_text

HOME = Ref("aws.vpc.home")
INTERNET, VPN = "aws.internet_gateway", "aws.vpn_gateway"
# The gateway, and by what a table refers to it.
WAYS = {
    "internet": (INTERNET, {"routes": [{"destination": "0.0.0.0/0", "internet_gateway": Ref(f"{INTERNET}.g")}]}),
    "vpn": (VPN, {"routes": [{"destination": "10.40.0.0/16", "vpn_gateway": Ref(f"{VPN}.g")}]}),
    "propagation": (VPN, {"propagation": [Ref(f"{VPN}.g")]}),
}


def write(stack, kind, gateway, **tables):
    vpcs = {"home": {"cidr": "10.20.0.0/16"}, "other": {"cidr": "10.30.0.0/16"}}
    stack.write("stack.yaml", spec_text({"aws.vpc": vpcs, kind: {"g": gateway}, "aws.route_table": tables}))


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def planned(request, stack, cloud):
    """The kind of the gateway, and the tables before the plan and by it: one comes to refer to it, and one is made so."""
    kind, refers = request.param
    before = {"old": {"vpc": HOME}}
    after = {"old": {"vpc": HOME, **refers}, "new": {"vpc": HOME, **refers}}
    write(stack, kind, {"vpc": HOME}, **before)
    apply(stack)
    write(stack, kind, {"vpc": HOME}, **after)
    stack.run("plan", "--out", "p.plan")
    return kind, before, after


def detach_by_hand(stack, cloud, kind):
    ids = ids_of(stack)
    name = "internet" if kind == INTERNET else "vpn"
    detach(cloud, cloud.client(), name, ids[f"{kind}.g"], ids["aws.vpc.home"])


def is_refused(stack, kind):
    refused = stack.run("apply", "p.plan", status=4)
    told = f"'{kind}.g' has changed since the plan was made: its 'vpc' is not that of"
    for table in ("old", "new"):
        assert f"{told} 'aws.route_table.{table}'" in refused.err
    assert "aws.route_table.new" not in ids_of(stack)


@pytest.mark.parametrize("gateway", [{}, {"vpc": Ref("aws.vpc.other")}], ids=["nowhere", "elsewhere"])
def test_another_run_has_moved_it(stack, planned, gateway):
    kind, before, _ = planned
    write(stack, kind, gateway, **before)
    apply(stack)
    is_refused(stack, kind)


def test_somebody_has_moved_it(stack, cloud, planned):
    kind, _, _ = planned
    detach_by_hand(stack, cloud, kind)
    is_refused(stack, kind)


def test_but_what_else_is_changed_of_it_is_no_obstacle(stack, planned):
    kind, before, after = planned
    gateway = {"vpc": HOME, "tags": {"team": "net"}}
    write(stack, kind, gateway, **before)
    apply(stack)
    stack.run("apply", "p.plan")
    write(stack, kind, gateway, **after)
    plan_is_empty(stack)


def test_a_plan_of_a_part_brings_it_back_first(stack, cloud, planned):
    kind, _, after = planned
    detach_by_hand(stack, cloud, kind)
    stack.run("plan", "--target", "aws.route_table.old", "--target", "aws.route_table.new", "--out", "p.plan")
    stack.run("apply", "p.plan")
    plan_is_empty(stack)
