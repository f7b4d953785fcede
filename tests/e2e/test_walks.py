"""Sound specs, drawn at random and changed at random: an apply does all of a change, or is refused before it begins."""

import copy
import re

import pytest
from walks import Walk

from trueup_runner import errors_of, ids_of, plan_is_empty, spec_text

STEPS = 6
# What no order of calls does, or leaves a thing as it is: the plan says so, and what to do about it.
TOLD = re.compile(
    r"these steps wait for each other"
    r"|must be replaced by a new object before the old one is deleted"
    r"|and stays as it is"
    r"|keeps it under this plan"
)


def write(stack, drawn):
    stack.write("stack.yaml", spec_text({kind: named for kind, named in drawn.items() if named}))


def there(stack, cloud):
    """What is recorded, and the networks as they are: machines change by themselves as time passes."""
    kinds = ("vpc", "subnet", "security-group", "route-table", "internet-gateway", "vpn-gateway")
    return ids_of(stack), [cloud.things(kind) for kind in kinds]


@pytest.mark.parametrize("seed", range(60))
def test_a_walk(stack, cloud, seed):
    walk, refused = Walk(seed), 0
    for step in range(STEPS):
        write(stack, walk.stack)
        stack.run("validate")
        before = there(stack, cloud) if step else None
        ended = stack.run("apply", "--yes", "--output", "json", status=(0, 1) if step else 0)
        if ended.status == 0:
            plan_is_empty(stack)
            stack.run("drift")
        else:
            errors = errors_of(ended.json)
            assert errors and all(TOLD.search(each["message"]) and each.get("hint") for each in errors), ended
            assert there(stack, cloud) == before
            walk.stack = applied
            refused += 1
        applied = copy.deepcopy(walk.stack)
        while walk.stack == applied:
            walk.step()
    assert refused < STEPS - 1
    write(stack, applied)
    stack.run("destroy", "--yes")
    assert not cloud.things("vpc") and not cloud.things("security-group")
