"""`depends_on`, where the spec has another one by now: what is recorded follows."""

import pytest

from trueup_runner import SimulatedCloud, apply, ids_of, plan, plan_is_empty, spec_text

NET, GATEWAY = "aws.vpc.net", "aws.customer_gateway.far"


def write(stack, net=None, gateway=None):
    """Fields beside the usual ones; None: it is not in the spec."""
    resources = {}
    if net is not None:
        resources["aws.vpc"] = {"net": {"cidr": "10.20.0.0/16", **net}}
    if gateway is not None:
        resources["aws.customer_gateway"] = {"far": {"address": "198.51.100.7", "asn": 65010, **gateway}}
    stack.write("stack.yaml", spec_text(resources))


def after(*addresses, **fields):
    return {"depends_on": list(addresses), **fields}


@pytest.fixture
def site(stack):
    SimulatedCloud(stack)
    return stack


def newest(stack):
    return stack.run("state", "history", "--output", "json").json["runs"][0]["id"]


@pytest.mark.parametrize("how", ["destroy", "out of the spec"])
@pytest.mark.parametrize("more", [{}, {"tags": {"a": "b"}}], ids=["alone", "with a change"])
def test_what_was_turned_around_can_go(site, more, how):
    write(site, after(GATEWAY), {})
    apply(site)
    write(site, {}, after(NET, **more))
    apply(site)
    plan_is_empty(site)
    if how == "destroy":
        site.run("destroy", "--yes")
    else:
        write(site)
        apply(site)
    assert ids_of(site) == {}
    calls = site.run("state", "history", newest(site)).out
    assert calls.index("DeleteCustomerGateway") < calls.index("DeleteVpc")


def test_it_is_shown_approved_and_recorded(site):
    write(site, {}, {})
    apply(site)
    nothing = plan(site).data["digest"]
    for before, now in (([], [GATEWAY]), ([GATEWAY], [])):
        write(site, after(*now), {})
        planned = plan(site, status=2)
        assert planned.operations() == {NET: "record"}
        [change] = planned.actions[NET].changes
        shown = {name: change[name] for name in ("path", "cause", "effect", "before", "after")}
        assert shown == {"path": "depends_on", "cause": "intent", "effect": "lifecycle", "before": before, "after": now}
        site.run("drift")
        site.run("apply", "--yes", "--digest", nothing, status=4)
        site.run("apply", "--yes", "--digest", planned.data["digest"])
        [net] = site.run("state", "show", NET, "--output", "json").json["objects"]
        assert net["depends_on"] == now
        assert plan(site, status=0).data["digest"] == nothing
