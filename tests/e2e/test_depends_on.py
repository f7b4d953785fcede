"""`depends_on`, where the spec has another one by now: what is recorded follows, and an undoing takes that back."""

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


def undo_newest(stack):
    return stack.run("undo", newest(stack), "--yes")


def take_away(stack, how):
    if how == "destroy":
        stack.run("destroy", "--yes")
    else:
        write(stack)
        apply(stack)
    assert ids_of(stack) == {}


@pytest.mark.parametrize("how", ["destroy", "out of the spec"])
@pytest.mark.parametrize("more", [{}, {"tags": {"a": "b"}}], ids=["alone", "with a change"])
def test_what_was_turned_around_can_go(site, more, how):
    write(site, after(GATEWAY), {})
    apply(site)
    write(site, {}, after(NET, **more))
    apply(site)
    plan_is_empty(site)
    take_away(site, how)
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


@pytest.mark.parametrize(
    "before, changed",
    [
        ({}, {}),
        ({}, {"tags": {"a": "b"}}),
        ({}, {"cidr": "10.30.0.0/16"}),
        ({}, {"lifecycle": {"protect": True}}),
        ({}, {"lifecycle": {"ignore": ["tags"]}}),
        ({"tags": {"a": "b"}}, {}),
    ],
    ids=["alone", "an update", "a replace", "protected", "left to others", "taken off"],
)
def test_a_run_that_made_what_something_comes_after_is_undone(site, before, changed):
    """And so is the undoing."""
    write(site, before)
    apply(site)
    write(site, after(GATEWAY, **changed), {})
    apply(site)
    undo_newest(site)
    assert list(ids_of(site)) == [NET]
    write(site, before)
    plan_is_empty(site)
    undo_newest(site)
    write(site, after(GATEWAY, **changed), {})
    plan_is_empty(site)


@pytest.mark.parametrize("changed", [{}, {"tags": {"a": "b"}}], ids=["alone", "an update"])
def test_a_run_that_took_away_what_something_came_after_is_undone(site, changed):
    write(site, after(GATEWAY), {})
    apply(site)
    write(site, changed)
    apply(site)
    undo_newest(site)
    write(site, after(GATEWAY), {})
    plan_is_empty(site)
    undo_newest(site)
    assert list(ids_of(site)) == [NET]
    write(site, changed)
    plan_is_empty(site)


def test_what_stays_goes_back_though_what_it_came_after_is_gone(site):
    """A later run took that away, and out of `depends_on`; the one before it had only looked on."""
    write(site, after(GATEWAY), {})
    apply(site)
    write(site, {"tags": {"a": "b"}}, {})
    apply(site)
    changed = newest(site)
    write(site, {"tags": {"a": "b"}})
    apply(site)
    site.run("undo", changed, "--yes")
    write(site, {})
    plan_is_empty(site)


FAR, NEAR = "aws.customer_gateway.far", "aws.customer_gateway.near"


def write_beside(stack, name, net):
    """The network beside a gateway that is called so."""
    gateway = {name: {"address": "198.51.100.7", "asn": 65010}}
    networks = {} if net is None else {"net": {"cidr": "10.20.0.0/16", **net}}
    stack.write("stack.yaml", spec_text({"aws.vpc": networks, "aws.customer_gateway": gateway}))


@pytest.mark.parametrize(
    "before, changed",
    [
        (after(FAR), {}),
        ({}, after(FAR)),
        (after(FAR), {"tags": {"a": "b"}}),
        ({}, after(FAR, tags={"a": "b"})),
        (after(FAR), {"tenancy": "dedicated"}),
        (after(FAR), None),
    ],
    ids=["taken out", "added", "taken out of an update", "added in an update", "taken out of a replace", "of what went"],
)
@pytest.mark.parametrize("applied", [False, True], ids=["moved", "moved and applied"])
def test_what_it_comes_after_is_called_otherwise_since(site, before, changed, applied):
    """It follows: the spec of before, with the new name, plans nothing, and so it is with the undoing's."""

    def renamed(fields):
        return fields and {**fields, **({"depends_on": [NEAR]} if "depends_on" in fields else {})}

    write_beside(site, "far", before)
    apply(site)
    write_beside(site, "far", changed)
    apply(site)
    run = newest(site)
    site.run("state", "mv", FAR, NEAR)
    write_beside(site, "near", renamed(changed))
    if applied:
        apply(site)
    site.run("undo", run, "--yes")
    write_beside(site, "near", renamed(before))
    if not applied:
        # The new name is to go into the tags.
        assert "depends_on" not in site.run("plan").out
        apply(site)
    plan_is_empty(site)


def test_a_later_run_that_comes_after_what_would_go_is_named(site):
    write(site, {})
    apply(site)
    write(site, {}, {})
    apply(site)
    made = newest(site)
    write(site, after(GATEWAY), {})
    apply(site)
    refused = site.run("undo", made, "--yes", status=1).err
    assert f"'{NET}' needs '{GATEWAY}', which the run made and which would go (apply, run {newest(site)[:8]})" in refused


def turn_around_and_undo(site):
    """The record says of each that it comes after the other."""
    write(site, after(GATEWAY), {})
    apply(site)
    write(site, {}, {})
    apply(site)
    taken_out = newest(site)
    write(site, {}, after(NET))
    apply(site)
    site.run("undo", taken_out, "--yes")


def read_one_alone(site):
    """The same by an apply that could not read the one that is to come first by now."""
    write(site, after(GATEWAY), {})
    apply(site)
    write(site, {}, after(NET))
    site.run("sim", "fault", "DescribeVpcs", "deny", "1", "1")
    site.run("apply", "--yes", status=3)


@pytest.mark.parametrize("get_there", [turn_around_and_undo, read_one_alone])
@pytest.mark.parametrize("how", ["destroy", "out of the spec"])
def test_two_that_are_recorded_as_coming_after_each_other_can_go(site, get_there, how):
    """The order of making is no reason to keep what is there for ever."""
    get_there(site)
    take_away(site, how)
