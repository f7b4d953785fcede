"""Drawn stacks of which people change things: drift tells, and an apply sets them right, or says first why it cannot."""

import pytest
from hands import Hands
from test_walks import write
from walks import Walk

from trueup_runner import errors_of, plan_is_empty

STEPS = 4


def is_foretold(applied):
    """A machine that a group has launched keeps a subnet from going: the plan says so, and the apply gives up on that."""
    held = {each["address"] for each in applied["running"] if each["effect"] == "holds"}
    return {each["address"] for each in applied["applied"]["left"] if each["ending"] == "failed"} <= held


@pytest.mark.parametrize("edits", [False, True], ids=["the spec stays", "the spec moves on"])
@pytest.mark.parametrize("seed", range(6))
def test_a_walk_by_hand(stack, cloud, seed, edits):
    walk, hands = Walk(seed), Hands(cloud, seed)
    write(stack, walk.stack)
    stack.run("apply", "--yes")
    for _ in range(STEPS):
        hands.act(hands.random.choice([1, 1, 2, 3]))
        drift = stack.run("drift", status=(0, 2))
        if edits:
            walk.step()
        write(stack, walk.stack)
        planned = stack.run("plan", "--detailed-exitcode", status=(0, 1, 2))
        assert edits or drift.status or planned.status == 0, (hands.done, planned)
        ended = stack.run("apply", "--yes", "--output", "json", status=(0, 1, 7))
        if ended.status == 1:
            assert planned.status == 1 and all(each.get("hint") for each in errors_of(ended.json)), (hands.done, ended)
            return
        if ended.status == 7:
            assert is_foretold(ended.json), (hands.done, ended)
            return
        plan_is_empty(stack)
        stack.run("drift")
    stack.run("destroy", "--yes")
