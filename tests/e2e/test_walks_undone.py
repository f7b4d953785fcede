"""Drawn stacks whose last change is taken back, and those whose plan is carried out when others have been at work."""

import copy

import pytest
from hands import Hands
from test_walks import TOLD, there, write
from walks import Walk

from trueup_runner import errors_of, plan_is_empty

STEPS = 4


def newest(stack):
    return stack.run("state", "history", "--output", "json").json["runs"][0]["id"]


# The last two are those that once broke.
@pytest.mark.parametrize("seed", [*range(10), 484, 695])
def test_a_walk_undone(stack, cloud, seed):
    """What is there is as the spec of before says."""
    walk = Walk(seed)
    write(stack, walk.stack)
    stack.run("apply", "--yes")
    for _ in range(STEPS):
        before, former = copy.deepcopy(walk.stack), newest(stack)
        while walk.stack == before:
            walk.step()
        write(stack, walk.stack)
        if stack.run("apply", "--yes", status=(0, 1)).status or newest(stack) == former:
            walk.stack = before
            continue
        undone = stack.run("undo", newest(stack), "--yes", "--output", "json", status=(0, 1))
        if undone.status:
            assert all(TOLD.search(each["message"]) and each["hint"] for each in errors_of(undone.json)), undone
        else:
            write(stack, before)
        plan_is_empty(stack)
        stack.run("drift")
        write(stack, walk.stack)
        stack.run("apply", "--yes")


@pytest.mark.parametrize("others", ["hands", "a run", "both", "nobody", "the same plan"])
@pytest.mark.parametrize("seed", range(4))
def test_a_walk_with_a_saved_plan(stack, cloud, seed, others):
    """It does all that it shows, or nothing at all."""
    walk, hands = Walk(seed), Hands(cloud, seed)
    write(stack, walk.stack)
    stack.run("apply", "--yes")
    for _ in range(STEPS):
        before = copy.deepcopy(walk.stack)
        walk.step()
        wanted = copy.deepcopy(walk.stack)
        write(stack, wanted)
        if stack.run("plan", "--out", "saved", status=(0, 1)).status:
            walk.stack = before
            continue
        if others in ("a run", "both"):
            walk.stack = before
            walk.step()
            write(stack, walk.stack)
            stack.run("apply", "--yes", status=(0, 1))
        if others in ("hands", "both"):
            hands.act(1)
        if others == "the same plan":
            stack.run("apply", "saved")
        (stack.folder / "stack.yaml").unlink()
        earlier = there(stack, cloud)
        ended = stack.run("apply", "saved", status=0 if others == "nobody" else (0, 1, 4))
        if ended.status:
            assert there(stack, cloud) == earlier and "hint: " in ended.err, (hands.done, ended)
        write(stack, wanted)
        if others == "nobody":
            plan_is_empty(stack)
        if stack.run("apply", "--yes", status=(0, 1)).status:
            return
        walk.stack = wanted
        plan_is_empty(stack)
        stack.run("drift")
