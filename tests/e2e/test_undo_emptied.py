"""A deletion that emptied something and was refused, what a later run made of that, and both undone, the last one first."""

import pytest

from cli import applied, recorded, simulate
from test_undo import NET, operations, runs, undo
from test_undo_cut_off import GATEWAY, group, of_group

ROUTED = NET.replace(
    "outputs:",
    """\
aws.internet_gateway:
  out: {vpc: main}
aws.route_table:
  main: {vpc: main, routes: [{destination: 0.0.0.0/0, internet_gateway: "${aws.internet_gateway.out.id}"}]}
outputs:""",
)
LEARNING = GATEWAY.replace("{vpc: main}", "{vpc: main, propagate_to: [t]}").replace(
    "outputs:", "aws.route_table:\n  t: {vpc: main}\noutputs:"
)
FRIENDS = NET[: NET.index("  web:")] + group("one", of_group("two")) + group("two", of_group("one")) + NET[NET.index("outputs:") :]
# What goes, and the deletion that is refused once.
EMPTIED = {
    "a table": (ROUTED, "DeleteRouteTable"),
    "a gateway": (LEARNING, "DeleteVpnGateway"),
    "one of two groups": (FRIENDS, "DeleteSecurityGroup"),
}
BOTH = [pytest.param(*row, id=name) for name, row in EMPTIED.items()]


def refused(stack, before, operation):
    """The stack, and a destroy that could not delete one thing; its run."""
    simulate(stack, "../world")
    applied(stack, "net.yaml", before)
    stack.run("sim", "fault", operation, "deny", "1", "1")
    stack.run("destroy", "--yes", status=7)
    return runs(stack)[0]["id"]


def is_whole(stack):
    return stack.run("plan", "--output", "json").json["actions"] == []


@pytest.mark.parametrize("before, operation", BOTH)
def test_a_destroy_that_took_two_runs(stack, before, operation):
    """What the first run took out of it comes back with that one; neither undoing waits for the other."""
    begun = refused(stack, before, operation)
    stack.run("destroy", "--yes")
    ended = runs(stack)[0]["id"]
    document = undo(stack, ended, "--yes")
    assert set(operations(document).values()) == {"create"}
    (said,) = [note["what"] for note in document["irreversible"] if "as the run found it" in note["what"]]
    assert "what an earlier run took out of it needs 'aws." in said
    assert undo(stack, ended, "--yes")["actions"] == []
    undo(stack, begun, "--yes")
    assert is_whole(stack)
    for run in (ended, begun):
        assert undo(stack, run, "--yes")["actions"] == []


@pytest.mark.parametrize("before, operation", BOTH)
def test_the_undoing_of_the_second_is_destroyed_too(stack, before, operation):
    begun = refused(stack, before, operation)
    stack.run("destroy", "--yes")
    ended = runs(stack)[0]["id"]
    undo(stack, ended, "--yes")
    stack.run("destroy", "--yes")
    for run in (runs(stack)[0]["id"], ended, begun):
        undo(stack, run, "--yes")
    assert is_whole(stack)


@pytest.mark.parametrize("before, operation", BOTH)
def test_the_undoing_of_the_first_is_undone(stack, before, operation):
    """What it made goes again, and what it set back for that is let go of, as it found it."""
    begun = refused(stack, before, operation)
    kept = recorded(stack)
    undo(stack, begun, "--yes")
    assert is_whole(stack)
    back = runs(stack)[0]["id"]
    done = operations(undo(stack, back, "--yes"))
    assert sorted(done.values()) == ["delete"] * (len(done) - 1) + ["update"]
    assert recorded(stack) == kept
    undo(stack, begun, "--yes")
    assert is_whole(stack)
