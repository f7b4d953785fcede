"""A replace that emptied the old one and could not delete it, and is undone: that is taken back as it was before."""

import pytest

from test_hard_cases import write
from test_hard_groups import ALL_SIZES, sizes_of, template_and_group
from trueup_runner import apply, plan_is_empty


def group(name, **fields):
    spec = template_and_group("#!/bin/sh\n")
    spec["aws.autoscaling_group"]["workers"].update(name=name, **fields)
    return spec


def empty(stack, cloud, **fields):
    """A group that was scaled to 2 by hand, and left behind empty; the run, and the spec of before."""
    ignored = fields.pop("ignore", [])
    fields["lifecycle"] = {"create_before_destroy": True, "ignore": ignored}
    before = group("workers", **fields)
    write(stack, before)
    apply(stack)
    cloud.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName="workers", DesiredCapacity=2)
    cloud.sim("pass", 120)
    write(stack, group("others", **fields))
    cloud.sim("fault", "DeleteAutoScalingGroup", "deny", "1", "1")
    stack.run("apply", "--yes", status=7)
    assert sizes_of(cloud) == (0, 0, 0)
    [run, *_] = stack.run("state", "history").out.split()
    return run, before


SAID = [{}, {"desired": 2}, {"desired": 1}, {"ignore": ALL_SIZES}, {"ignore": ["max"]}]


def is_whole(stack, cloud, before):
    assert sizes_of(cloud) == (1, 2, 2)
    assert [each["AutoScalingGroupName"] for each in cloud.things("auto-scaling-group").values()] == ["workers"]
    write(stack, before)
    plan_is_empty(stack)
    stack.run("drift")


@pytest.mark.parametrize("said", SAID, ids=["nothing", "as it is", "otherwise", "ignored", "a bound ignored"])
def test_what_was_emptied_is_filled_again(stack, cloud, said):
    run, before = empty(stack, cloud, **said)
    shown = stack.run("undo", run, "--detailed-exitcode", "--output", "json", status=2).json
    done = stack.run("undo", run, "--yes", "--output", "json").json
    assert done["digest"] == shown["digest"]
    stack.run("drift")
    is_whole(stack, cloud, before)


@pytest.mark.parametrize("said", SAID[:2], ids=["nothing", "as it is"])
@pytest.mark.parametrize("action, status", [("UpdateAutoScalingGroup", 1), ("DeleteAutoScalingGroup", 7)])
def test_the_undoing_is_refused_halfway(stack, cloud, said, action, status):
    """The same command finishes it."""
    run, before = empty(stack, cloud, **said)
    cloud.sim("fault", action, "deny", "1", "1")
    stack.run("undo", run, "--yes", status=status)
    stack.run("undo", run, "--yes")
    is_whole(stack, cloud, before)
