"""Drawn stacks whose applies are cut off, at any moment and by whatever befalls a call, while the spec moves on.

What an apply has left half done the next one ends, also where the spec is another by then, or the one of before.
"""

import copy
import random
import shutil
import time

import pytest
from conftest import Stack
from test_recover import rows
from test_walks import TOLD, write
from walks import Walk

from trueup_runner import errors_of, plan_is_empty

STEPS = 6


def calls_of(stack, folder):
    """What an apply would send, by the name of each call, and the seconds that it takes; found out on a copy."""
    shutil.rmtree(folder, ignore_errors=True)
    copied = Stack(shutil.copytree(stack.folder, folder))
    copied.environment = stack.environment
    done = copied.run("apply", "--yes", status=(0, 1))
    last = "SELECT operation FROM history WHERE run = (SELECT max(number) FROM runs) ORDER BY number"
    return [each for (each,) in rows(copied, last)] if done.status == 0 else [], done.seconds


def kill(stack, chance, longest_s):
    run = stack.start("apply", "--yes")
    time.sleep(chance.random() * longest_s)
    run.kill()
    run.communicate()


def let_fail(stack, cloud, chance, calls):
    """One of the calls is denied, for once or until it is allowed again, or fails once in another way."""
    number = chance.randrange(len(calls))
    mishap = chance.choice(["deny", "error", "lost_answer", "lost_answer", "lost_request"])
    first = calls[: number + 1].count(calls[number])
    fault = cloud.fault(calls[number], mishap, first, chance.choice([0, 1]) if mishap == "deny" else 1)
    stack.run("apply", "--yes", status=(0, 1, 7))
    cloud.heal(fault)


def end(stack, walk, others):
    """Applies what the walk has come to; where that is refused before it begins, the first of the others that is not."""
    for spec in [walk.stack, *others]:
        write(stack, spec)
        ended = stack.run("apply", "--yes", "--output", "json", status=(0, 1))
        if ended.status == 0:
            walk.stack = copy.deepcopy(spec)
            plan_is_empty(stack)
            stack.run("drift")
            return
        errors = errors_of(ended.json)
        assert errors and all(TOLD.search(each["message"]) and each.get("hint") for each in errors), ended
    pytest.fail(f"refused, with the spec of before as well:\n{ended}")


@pytest.mark.parametrize("seed", range(16))
def test_a_walk_cut_off(stack, cloud, tmp_path, seed):
    walk, chance = Walk(seed), random.Random(seed)
    write(stack, walk.stack)
    stack.run("apply", "--yes")
    for _ in range(STEPS):
        before = copy.deepcopy(walk.stack)
        walk.step()
        cut_off = copy.deepcopy(walk.stack)
        write(stack, cut_off)
        calls, took_s = calls_of(stack, tmp_path / "copy")
        if calls and chance.random() < 0.6:
            let_fail(stack, cloud, chance, calls)
        else:
            kill(stack, chance, took_s)
        turn = chance.choice(["stay", "stay", "go on", "go back"])
        if turn == "go on":
            walk.step()
        elif turn == "go back":
            walk.stack = copy.deepcopy(before)
        end(stack, walk, [cut_off, before])
    stack.run("destroy", "--yes")
    assert not cloud.things("vpc") and not cloud.things("security-group")
