"""What a group's capacity comes to where its bounds change, on the simulator: AWS brings it within them unasked."""

import pytest

from test_hard_cases import write
from test_hard_groups import running, sizes_of, template_and_group
from trueup_runner import apply, plan, plan_is_empty

GROUP = "aws.autoscaling_group.workers"


def make(stack, cloud, most, capacity, **fields):
    """A group from 0 to 6 that others have given this capacity, and this most."""
    spec = template_and_group("#!/bin/sh\n")
    group = spec["aws.autoscaling_group"]["workers"]
    group.update(min=0, max=6, **fields)
    write(stack, spec)
    apply(stack)
    scaling = cloud.client("autoscaling")
    scaling.update_auto_scaling_group(AutoScalingGroupName="workers", MaxSize=most, DesiredCapacity=capacity)
    cloud.sim("pass", 120)
    return spec, group


def running_in(cloud):
    return sum(each["instanceState"]["name"] == "running" for each in cloud.things("instance").values())


@pytest.mark.parametrize(
    ("fields", "drops", "most", "live_most", "capacity", "told"),
    [
        ({"desired": 2}, False, 4, 6, 5, 1),
        ({"desired": 2}, True, 1, 6, 2, 1),
        ({}, False, 3, 6, 5, 2),
        ({"desired": 1, "lifecycle": {"ignore": ["desired"]}}, False, 1, 6, 3, 2),
        ({"desired": 2}, False, 6, 9, 8, 2),
        ({"desired": 2}, False, 5, 6, 5, 0),
    ],
    ids=["left to others", "no longer said", "never said", "ignored", "drift of the bound", "within"],
)
def test_the_most_is_lowered(stack, cloud, fields, drops, most, live_most, capacity, told):
    spec, group = make(stack, cloud, live_most, capacity, **fields)
    group["max"] = most
    if drops:
        del group["desired"]
    write(stack, spec)
    planned = plan(stack, status=2)
    [action] = planned.data["actions"]
    moved = [(each["before"], each["after"]) for each in action["changes"] if each["effect"] == "bound"]
    assert moved == ([(capacity, most)] if told else [])
    assert running(planned) == ([(GROUP, "ends", told)] if told else [])
    if told:
        text = stack.run("plan").out
        assert f"desired       {capacity} -> {most}   brought within its bounds\n" in text
        assert f"instance{'s end' if told > 1 else ' ends'}, as 'desired' becomes {most}\n" in text
        assert "kept as it is" not in text and "left to its other owner" not in text
    apply(stack)
    assert sizes_of(cloud) == (0, most, min(most, capacity))
    cloud.sim("pass", 120)
    assert running_in(cloud) == capacity - told
    plan_is_empty(stack)
    stack.run("drift")


def test_the_least_is_raised(stack, cloud):
    spec, group = make(stack, cloud, 6, 0, desired=0)
    group["min"] = 2
    del group["desired"]
    write(stack, spec)
    planned = plan(stack, status=2)
    assert running(planned) == [(GROUP, "starts", 2)]
    assert "2 instances start, as 'desired' becomes 2\n" in stack.run("plan").out
    apply(stack)
    assert sizes_of(cloud) == (2, 6, 2)
    plan_is_empty(stack)


def test_drift_says_nothing_of_what_it_would_come_to(stack, cloud):
    make(stack, cloud, 9, 8, desired=2)
    told = stack.run("drift", status=2).out
    assert "max           6, now 9\n" in told and "desired       2, now 8   left to its other owner\n" in told
    assert "brought" not in told and "RUNNING" not in told


def test_more_would_end_than_was_approved(stack, cloud):
    """Others go on scaling it meanwhile."""
    spec, group = make(stack, cloud, 6, 5, desired=2)
    group["max"] = 4
    write(stack, spec)
    stack.run("plan", "--out", "saved")
    digest = plan(stack, status=2).data["digest"]
    cloud.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName="workers", DesiredCapacity=6)
    assert "has changed since the plan was made" in stack.run("apply", "--yes", "saved", status=4).err
    assert "this is not the plan that was approved" in stack.run("apply", "--digest", digest, status=4).err
    assert sizes_of(cloud) == (0, 6, 6)
