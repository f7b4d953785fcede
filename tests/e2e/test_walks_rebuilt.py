"""Drawn stacks whose state is lost, or an older one comes back, or which give things other addresses."""

import copy
import shutil

import pytest
from test_walks import write
from walks import KINDS, Walk, renamed

from trueup_runner import plan_is_empty

STEPS = 4
TYPES = ("vpc", "subnet", "security-group", "internet-gateway", "vpn-gateway", "route-table", "key-pair", "launch-template")


def rename(stack, walk):
    """In the record and in the spec."""
    kind = walk.one_of([each for each in KINDS if walk.stack[each]])
    old, new = walk.name_of(kind), f"n{walk.random.randint(0, 999)}"
    stack.run("state", "mv", f"{kind}.{old}", f"{kind}.{new}")
    walk.stack = renamed(walk.stack, f"{kind}.{old}", f"{kind}.{new}")
    walk.stack[kind][new] = walk.stack[kind].pop(old)
    write(stack, walk.stack)


def put_back(stack, older):
    shutil.rmtree(stack.folder / ".trueup")
    shutil.copytree(older, stack.folder / ".trueup")


@pytest.mark.parametrize("how", ["lost", "older", "renamed"])
@pytest.mark.parametrize("seed", range(4))
def test_a_walk_whose_state_is_not_what_it_was(stack, cloud, seed, how):
    walk, older = Walk(seed), stack.folder / "older"
    write(stack, walk.stack)
    stack.run("apply", "--yes")
    shutil.copytree(stack.folder / ".trueup", older)
    for _ in range(STEPS):
        before = copy.deepcopy(walk.stack)
        walk.step()
        write(stack, walk.stack)
        if stack.run("apply", "--yes", status=(0, 1)).status:
            walk.stack = before
            continue
        there = {each: set(cloud.things(each)) for each in TYPES}
        if how == "lost":
            shutil.rmtree(stack.folder / ".trueup")
            stack.run("state", "rebuild", "--yes")
        elif how == "older":
            put_back(stack, older)
        else:
            rename(stack, walk)
        # Refused where the older state leaves open what is whose.
        if stack.run("apply", "--yes", status=(0, 1, 4) if how == "older" else 0).status:
            stack.run("state", "rebuild", "--force", "--yes")
            stack.run("apply", "--yes")
        plan_is_empty(stack)
        stack.run("drift")
        now = {each: set(cloud.things(each)) for each in TYPES}
        # What is renamed only gets other tags; an older state makes anew what it knows nothing of and cannot tell.
        assert now == there if how == "renamed" else {each: len(ids) for each, ids in now.items()} == {
            each: len(ids) for each, ids in there.items()
        }
        shutil.rmtree(older)
        shutil.copytree(stack.folder / ".trueup", older)
    stack.run("destroy", "--yes")
    assert not cloud.things("vpc") and not cloud.things("security-group")
