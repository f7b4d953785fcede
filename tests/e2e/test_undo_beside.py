"""`trueup undo RUN` where a route leads to a gateway that is in another network, or in none, before and after."""

import json

import pytest

from cli import recorded, simulate, world
from test_undo import apply_spec, is_as_in, operations, runs, undo

C, T = "aws.internet_gateway.c", "aws.route_table.t"
ROUTED = {"t": ["c"]}
IGNORES = {"ignore": ["routes"]}


def spec(tables=ROUTED, tags=None, lifecycle=None, vpcs=("main", "side"), **gateways):
    """Tables in the network main by the gateways that they lead to, and gateways by the network that each is in."""
    more = {**({"tags": tags} if tags else {}), **({"lifecycle": lifecycle} if lifecycle else {})}
    destinations = {"c": "0.0.0.0/0", "d": "10.9.0.0/16"}
    net = {"stack": "net", "providers": {"aws": {"region": "eu-central-1"}}}
    net["aws.vpc"] = {name: {"cidr": f"10.{number}.0.0/16"} for number, name in enumerate(vpcs)}
    net["aws.internet_gateway"] = {name: {"vpc": vpc} if vpc else {} for name, vpc in gateways.items()}
    net["aws.route_table"] = {
        table: {
            "vpc": "main",
            "routes": [{"destination": destinations[name], "internet_gateway": name} for name in names],
            **more,
        }
        for table, names in tables.items()
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
