"""A replace of a network that was cut off before all that lay in it had followed, and both runs undone, in any order."""

import json

import pytest

from cli import applied, recorded, simulate
from test_undo import is_as_in, lost, operations, runs, undo

VPC, SUBNET, MACHINE = "aws.vpc.main", "aws.subnet.a", "aws.instance.m"


def spec(net, first=False, team="red", machine=False):
    lifecycle = {"lifecycle": {"create_before_destroy": True}} if first else {}
    stack = {
        "stack": "net",
        "providers": {"aws": {"region": "eu-central-1"}},
        "aws.vpc": {"main": {"cidr": f"10.{net}.0.0/16", **lifecycle}},
        "aws.subnet": {"a": {"vpc": "main", "cidr": f"10.{net}.1.0/24", "tags": {"team": team}}},
    }
    if not first:
        # What follows in place, and has the network made before the old one goes.
        stack["aws.vpn_gateway"] = {"edge": {"vpc": "main"}}
    if machine:
        stack["aws.instance"] = {
            "m": {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": "a", "address": f"10.{net}.1.9"}
        }
    return json.dumps(stack, indent=1)


def refusing(stack, operation, *command, times=1, status=7):
    """The run's id, in which the service refused that so often."""
    shown = stack.run("sim", "fault", operation, "deny", "1", str(times)).out
    stack.run(*command, "--yes", status=status)
    stack.run("sim", "remove", "fault", shown.split()[-1])
    return runs(stack)[0]["id"]


def moved_in_two(stack, before, after):
    """The run that began to replace the network, and the one that moved what lay in it."""
    simulate(stack, "../world")
    applied(stack, "net.yaml", before)
    stack.write("net.yaml", after)
    begun = refusing(stack, "TerminateInstances" if "instance" in after else "DeleteSubnet", "apply", times=9)
    stack.run("apply", "--yes")
    return begun, runs(stack)[0]["id"]


@pytest.mark.parametrize("first", [False, True], ids=["destroyed first", "made first"])
def test_the_last_run_first(stack, first):
    """What the run moved cannot go back alone: it stays, before any call, and goes back with the run before."""
    begun, ended = moved_in_two(stack, spec(8, first), spec(0, first))
    kept = recorded(stack)
    document = undo(stack, ended, "--yes", status=7)
    (said,) = [note["what"] for note in document["irreversible"]]
    assert said.startswith("stays as it is: it lay in 'vpc-") and f"'{VPC}' is another one by now" in said
    assert document["actions"] == [] and recorded(stack) == kept
    follows = {} if first else {"aws.vpn_gateway.edge": "update"}
    assert operations(undo(stack, begun, "--yes")) == {VPC: "replace", SUBNET: "replace"} | follows
    assert is_as_in(stack, spec(8, first))
    for run in (ended, begun):
        assert undo(stack, run, "--yes")["actions"] == []


@pytest.mark.parametrize("first", [False, True], ids=["destroyed first", "made first"])
def test_the_first_run_alone(stack, first):
    """Nothing of the later run's can be in what comes back, but what can change in place."""
    begun, ended = moved_in_two(stack, spec(8, first), spec(0, first, team="blue"))
    undo(stack, begun, "--yes")
    assert is_as_in(stack, spec(8, first, team="blue"))
    undo(stack, ended, "--yes")
    assert is_as_in(stack, spec(8, first, team="red"))
    assert undo(stack, begun, "--yes")["actions"] == []


def test_what_lies_in_that(stack):
    begun, ended = moved_in_two(stack, spec(8, machine=True), spec(0, machine=True))
    document = undo(stack, ended, "--yes", status=7)
    assert document["actions"] == [] and {address for address, _ in lost(document)} == {SUBNET, MACHINE}
    undo(stack, begun, "--yes")
    assert is_as_in(stack, spec(8, machine=True))
    assert undo(stack, ended, "--yes")["actions"] == []


def test_the_later_run_was_cut_off_too(stack):
    """What it only deleted is not made where it cannot be, but once its network is there again."""
    simulate(stack, "../world")
    applied(stack, "net.yaml", spec(8))
    stack.write("net.yaml", spec(0))
    begun = refusing(stack, "DeleteSubnet", "apply")
    ended = refusing(stack, "CreateSubnet", "apply")
    (said,) = [note["what"] for note in undo(stack, ended, "--yes", status=7)["irreversible"]]
    assert said.startswith("is not made again: it lay in 'vpc-")
    undo(stack, begun, "--yes")
    undo(stack, ended, "--yes")
    assert is_as_in(stack, spec(8))


@pytest.mark.parametrize("operation", ["DeleteSubnet", "CreateSubnet", "CreateVpc", "DeleteVpc"])
def test_the_undoing_failed_half_way(stack, operation):
    begun, _ = moved_in_two(stack, spec(8), spec(0))
    refusing(stack, operation, "undo", begun, times=9)
    undo(stack, begun, "--yes")
    assert is_as_in(stack, spec(8))


def table_spec(net, machine=True):
    stack = {**json.loads(spec(net, machine=machine)), "aws.route_table": {"r": {"vpc": "main", "subnets": ["a"]}}}
    return json.dumps(stack, indent=1)


@pytest.mark.parametrize("operation", [None, "AssociateRouteTable", "CreateSubnet", "DeleteVpc"])
def test_undone_twice_where_the_run_ended_what_refers_to_what_followed(stack, operation):
    """What the run did not change, and an undoing did, has the goal of the first undoing still."""
    begun, _ = moved_in_two(stack, table_spec(8), table_spec(0))
    if operation:
        refusing(stack, operation, "undo", begun, times=9)
    undo(stack, begun, "--yes")
    assert is_as_in(stack, table_spec(8))
    assert undo(stack, begun, "--yes")["actions"] == []


def test_the_undoing_is_undone(stack):
    begun, _ = moved_in_two(stack, spec(8), spec(0))
    undo(stack, begun, "--yes")
    undo(stack, runs(stack)[0]["id"], "--yes")
    assert is_as_in(stack, spec(0))


def test_the_network_was_taken_back(stack):
    """What was never moved does not follow it into the other one, whose ranges are others."""
    simulate(stack, "../world")
    applied(stack, "net.yaml", spec(8))
    stack.write("net.yaml", spec(0))
    begun = refusing(stack, "DeleteSubnet", "apply", times=9)
    stack.write("net.yaml", spec(8))
    stack.run("apply", "--yes")
    kept = recorded(stack)
    (told,) = undo(stack, runs(stack)[0]["id"], "--yes", status=1)["diagnostics"]
    assert told["message"].startswith(f"'{SUBNET}' would follow '{VPC}', and its 'cidr' does not lie in what that")
    assert recorded(stack) == kept
    assert undo(stack, begun, "--yes")["actions"] == []
    assert is_as_in(stack, spec(8))


def test_a_subnet_that_a_later_run_made(stack):
    simulate(stack, "../world")
    alone = {**json.loads(spec(8)), "aws.subnet": {}}
    applied(stack, "net.yaml", json.dumps(alone))
    moved = {**json.loads(spec(0)), "aws.subnet": {}}
    stack.write("net.yaml", json.dumps(moved))
    stack.run("apply", "--yes")
    run = runs(stack)[0]["id"]
    stack.write("net.yaml", spec(0))
    stack.run("apply", "--yes")
    named = runs(stack)[0]["id"]
    (told,) = undo(stack, run, "--yes", status=1)["diagnostics"]
    assert told["message"].endswith(f"does not lie in what that goes back to (apply, run {named[:8]})")
    undo(stack, named, "--yes")
    undo(stack, run, "--yes")
    assert is_as_in(stack, json.dumps(alone))


@pytest.mark.parametrize("between", [True, False], ids=["between the runs", "after both"])
@pytest.mark.parametrize("moved", [SUBNET, MACHINE])
def test_what_would_follow_was_renamed(stack, moved, between):
    """It is not taken for something else that goes first, and could not come again."""
    before, after = spec(8, machine=True), spec(0, machine=True)
    renamed = after.replace('"a": {', '"z": {').replace('"subnet": "a"', '"subnet": "z"')
    if moved == MACHINE:
        renamed = after.replace('"m": {', '"z": {')
    other = f"{moved.rpartition('.')[0]}.z"
    simulate(stack, "../world")
    applied(stack, "net.yaml", before)
    stack.write("net.yaml", after)
    begun = refusing(stack, "TerminateInstances", "apply", times=9)
    if between:
        stack.run("state", "mv", moved, other)
        stack.write("net.yaml", renamed)
    stack.run("apply", "--yes")
    if not between:
        stack.run("state", "mv", moved, other)
    kept = recorded(stack)
    (told,) = undo(stack, begun, "--yes", status=1)["diagnostics"]
    assert told["message"].startswith(f"'{moved}' lay in '") and told["message"].endswith(f"is called '{other}' since")
    assert "'trueup state mv'" in told["hint"] and recorded(stack) == kept
    stack.run("state", "mv", other, moved)
    undo(stack, begun, "--yes")
    assert is_as_in(stack, before)


@pytest.mark.parametrize("spot", [True, False], ids=["of the spot market", "of no market"])
def test_what_changes_in_place_of_some_alone(stack, spot):
    """The type of a spot instance is its own for good: what the later run made it as goes with what that made."""

    def typed(net, size):
        one = json.loads(spec(net, machine=True))
        one["aws.instance"]["m"].update(instance_type=size, **({"market": {"type": "spot"}} if spot else {}))
        return json.dumps(one)

    begun, ended = moved_in_two(stack, typed(8, "t3.micro"), typed(0, "t3.large"))
    undo(stack, begun, "--yes")
    assert is_as_in(stack, typed(8, "t3.micro" if spot else "t3.large"))
    undo(stack, ended, "--yes")
    assert is_as_in(stack, typed(8, "t3.micro"))
