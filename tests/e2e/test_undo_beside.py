"""`trueup undo RUN` where a route leads to a gateway that is in another network, or in none, before and after."""

import json

import pytest

from cli import recorded, simulate, world
from test_undo import apply_spec, is_as_in, lost, operations, runs, undo

C, T = "aws.internet_gateway.c", "aws.route_table.t"
ROUTED = {"t": ["c"]}
IGNORES = {"ignore": ["routes"]}


def spec(tables=ROUTED, tags=None, lifecycle=None, vpcs=("main", "side"), **gateways):
    """Tables in the network main by the gateways that they lead to (v: one in it), and others by the network of each."""
    more = {**({"tags": tags} if tags else {}), **({"lifecycle": lifecycle} if lifecycle else {})}
    routes = {
        "c": {"destination": "0.0.0.0/0", "internet_gateway": "c"},
        "v": {"destination": "10.9.0.0/16", "vpn_gateway": "v"},
    }
    net = {"stack": "net", "providers": {"aws": {"region": "eu-central-1"}}}
    net["aws.vpc"] = {name: {"cidr": f"10.{number}.0.0/16"} for number, name in enumerate(vpcs)}
    net["aws.internet_gateway"] = {name: {"vpc": vpc} if vpc else {} for name, vpc in gateways.items()}
    net["aws.vpn_gateway"] = {"v": {"vpc": "main"}} if any("v" in names for names in tables.values()) else {}
    net["aws.route_table"] = {
        table: {"vpc": "main", "routes": [routes[name] for name in names], **more} for table, names in tables.items()
    }
    return json.dumps(net, indent=1)


def denied(stack, text, *operations):
    """An apply of that, whose calls of these operations are refused; its run."""
    faults = [stack.run("sim", "../world", "fault", one, "deny").out.split()[-1] for one in operations]
    stack.write("net.yaml", text)
    stack.run("apply", "--yes", status=7)
    for fault in faults:
        stack.run("sim", "../world", "remove", "fault", fault)
    return runs(stack)[0]["id"]


def test_routes_that_are_left_to_others_stay(stack):
    """The gateway moves with each run, whatever leads to it, and back with each undoing."""
    simulate(stack, "../world")
    apply_spec(stack, spec(lifecycle=IGNORES, c="main"))
    routes = world(stack, "route-table")
    done = [apply_spec(stack, spec({"t": []}, lifecycle=IGNORES, c=vpc)) for vpc in ("side", None)]
    for run in reversed(done):
        assert operations(undo(stack, run, "--yes")) == {C: "update"}
    assert world(stack, "route-table") == routes
    assert is_as_in(stack, spec(lifecycle=IGNORES, c="main"))


def test_a_route_that_was_as_crooked_before(stack):
    """Two runs moved the gateway, and could not take the route out: what the last one did goes back all the same."""
    simulate(stack, "../world")
    apply_spec(stack, spec(c="main"))
    first = denied(stack, spec({"t": []}, c="side"), "DeleteRoute")
    last = denied(stack, spec({"t": []}, c=None), "DeleteRoute")
    for run in (last, first):
        assert operations(undo(stack, run, "--yes")) == {C: "update"}
    assert is_as_in(stack, spec(c="main"))


@pytest.mark.parametrize("tags", [None, {"of": "then"}], ids=["left alone", "changed elsewhere"])
def test_an_undoing_that_made_what_others_lead_to_is_undone(stack, tags):
    """As the apply that deleted it did not mind the route, nor does that."""
    specs = spec(lifecycle=IGNORES, c="main"), spec({"t": []}, tags, IGNORES)
    simulate(stack, "../world")
    apply_spec(stack, specs[0])
    run = apply_spec(stack, specs[1])
    undo(stack, run, "--yes")
    assert is_as_in(stack, specs[0])
    made = runs(stack)[0]["id"]
    done = operations(undo(stack, made, "--yes"))
    assert done == {C: "delete", **({T: "update"} if tags else {})}
    assert is_as_in(stack, specs[1])
    undo(stack, runs(stack)[0]["id"], "--yes")
    assert C in recorded(stack)
    assert is_as_in(stack, specs[0])


# What the first run does, though it cannot take the route out, and the last one; both do so again with what comes back.
CUT_OFF = {
    "the table goes": ({"c": None}, {"c": None}, "DeleteRouteTable", {T: "create"}),
    "the network goes too": ({"c": None, "vpcs": ()}, {"c": None, "vpcs": ()}, "DeleteRouteTable", {T: "create", "aws.vpc.main": "create"}),
    "the table goes, and led elsewhere": ({"c": "side"}, {"c": "side"}, "DeleteRouteTable", {T: "create"}),
    "another route stays": (
        {"tables": {"t": ["v"]}, "c": None},
        {"tables": {"t": ["v"]}},
        "DeleteRoute",
        {C: "create"},
    ),
    "the gateway goes": ({"tables": {"t": []}, "c": None}, {"tables": {"t": []}}, "DeleteRoute", {C: "create"}),
    "the gateway moves on": ({"c": "side"}, {"c": None}, "DeleteRouteTable", {T: "create", C: "update"}),
}


@pytest.mark.parametrize("first, last, operation, back", CUT_OFF.values(), ids=CUT_OFF)
def test_what_an_earlier_run_left_apart_comes_back_with_the_undoing_of_that(stack, first, last, operation, back):
    """The last one first, without the route, then the other one, then what was left out."""
    simulate(stack, "../world")
    kept = first.get("tables", {}).get("t", [])
    before = spec({"t": ["c", *kept]}, c="main", vpcs=("main",) if "vpcs" in first else ("main", "side"))
    apply_spec(stack, before)
    one = denied(stack, spec(**{"tables": {}, **first}), operation)
    other = apply_spec(stack, spec(**{"tables": {}, **last}))
    undone = undo(stack, other, "--yes", status=7)
    assert operations(undone) == back
    told = (
        f"'routes' does not come back: it refers to '{C}', which the run found in another 'vpc', or in none (apply, run {one[:8]}); "
        f"undo that earlier run, and then undo this one again with --target {T}"
    )
    assert (T, told) in lost(undone)
    assert undo(stack, other, status=7)["actions"] == []
    undo(stack, one, "--yes")
    undo(stack, other, "--yes", "--target", T)
    assert is_as_in(stack, before)


def test_the_run_that_took_what_is_needed_is_named(stack):
    simulate(stack, "../world")
    apply_spec(stack, spec({}, c="main", vpcs=("main",)))
    first = apply_spec(stack, spec({}, c=None, vpcs=("main",)))
    last = apply_spec(stack, spec({}, c=None, vpcs=()))
    told = f"stays as it is: it needs 'aws.vpc.main', which is not there any more (apply, run {last[:8]}); first undo that run"
    assert (C, told) in lost(undo(stack, first, "--yes", status=7))
    for run in (last, first):
        undo(stack, run, "--yes")
    assert is_as_in(stack, spec({}, c="main", vpcs=("main",)))


def homes(groups=("k",), description="d", k="side"):
    """A machine with an interface in another network than its first one, and the network of one of its groups."""
    subnets = {"a": {"vpc": "main", "cidr": "10.0.1.0/24"}, "b": {"vpc": "side", "cidr": "10.1.1.0/24"}}
    named = {name: {"vpc": vpc, "name": name, "description": "d"} for name, vpc in (("g", "main"), ("k", k), ("l", "side"))}
    further = {"device_index": 1, "subnet": "b", "security_groups": list(groups), "description": description}
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": "a", "security_groups": ["g"], "interfaces": [further]}
    net = {**json.loads(spec({})), "aws.subnet": subnets, "aws.security_group": named, "aws.instance": {"m": machine}}
    return json.dumps(net, indent=1)


def test_an_interface_in_another_network(stack):
    """What it refers to lies with its own subnet, and not with the rest of the machine."""
    simulate(stack, "../world")
    apply_spec(stack, homes())
    run = apply_spec(stack, homes(description="e"))
    assert operations(undo(stack, run, "--yes")) == {"aws.instance.m": "update"}
    assert is_as_in(stack, homes())


def test_an_interface_whose_group_has_left_its_network(stack):
    simulate(stack, "../world")
    apply_spec(stack, homes("kl"))
    run = apply_spec(stack, homes("l"))
    later = apply_spec(stack, homes("l", k="main"))
    refused = undo(stack, run, status=1)["diagnostics"]
    assert [each["message"] for each in refused if each["severity"] == "error"] == [
        "'aws.instance.m' would refer to 'aws.security_group.k', which lies in 'aws.vpc.main' then, but 'aws.subnet.b' lies in "
        f"'aws.vpc.side' (apply, run {later[:8]})"
    ]
