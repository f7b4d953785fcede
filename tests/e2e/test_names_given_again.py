"""What goes by a name that somebody has given to another thing since, on the simulator: what is recorded is gone."""

import contextlib
import shutil
import sqlite3

import pytest

from simulator import RSA_KEY
from test_hard_cases import write
from test_hard_groups import template_and_group
from trueup_runner import apply, errors_of, ids_of, plan, plan_is_empty

GROUP = "aws.autoscaling_group.workers"
TAKEN = "is gone, and another one, which does not belong to this stack, has its name"


def groups_of(cloud):
    scaling = cloud.client("autoscaling")
    return scaling.describe_auto_scaling_groups(AutoScalingGroupNames=["workers"])["AutoScalingGroups"]


def make_another(cloud, tags):
    """Deletes the group and makes one of its name in its subnet, which has another ARN."""
    scaling = cloud.client("autoscaling")
    [group] = groups_of(cloud)
    scaling.delete_auto_scaling_group(AutoScalingGroupName="workers", ForceDelete=True)
    cloud.sim("pass", 60)
    scaling.create_auto_scaling_group(
        AutoScalingGroupName="workers",
        MinSize=1,
        MaxSize=2,
        VPCZoneIdentifier=group["VPCZoneIdentifier"],
        LaunchTemplate={each: group["LaunchTemplate"][each] for each in ("LaunchTemplateId", "Version")},
        Tags=[{"ResourceId": "workers", "ResourceType": "auto-scaling-group", **each} for each in tags],
    )
    cloud.sim("pass", 30)
    [another] = groups_of(cloud)
    assert another["AutoScalingGroupARN"] != group["AutoScalingGroupARN"]
    return another


@pytest.fixture(params=[[], [{"Key": "owner", "Value": "others"}]], ids=["bare", "tagged"])
def displaced(stack, cloud, request):
    write(stack, template_and_group("#!/bin/sh\n"))
    apply(stack)
    return make_another(cloud, request.param)


def test_a_plan_says_that_its_name_is_taken(stack, cloud, displaced):
    assert "MISSING, was deleted outside of this stack" in stack.run("drift", status=2).out
    told = stack.run("plan", "--output", "json", status=1).json
    [error] = errors_of(told)
    assert error["message"] == f"'{GROUP}' {TAKEN}"
    assert error["hint"] == f"give yours another name: this one is {displaced['AutoScalingGroupARN']}"
    assert TAKEN in stack.run("apply", "--yes", status=1).err
    assert groups_of(cloud) == [displaced]

    spec = template_and_group("#!/bin/sh\n")
    spec["aws.autoscaling_group"]["workers"]["name"] = "others"
    write(stack, spec)
    assert plan(stack, status=2).operations() == {GROUP: "create"}
    apply(stack)
    plan_is_empty(stack)
    assert groups_of(cloud) == [displaced]


@pytest.mark.parametrize("words", [[], ["--force"]])
def test_what_has_its_name_is_not_destroyed(stack, cloud, displaced, words):
    stack.run("destroy", "--yes", "--target", GROUP, *words)
    assert GROUP not in ids_of(stack) and groups_of(cloud) == [displaced]


@pytest.mark.parametrize("refresh", ["--refresh=full", "--refresh=none"])
@pytest.mark.parametrize("destroys", [False, True])
def test_a_saved_plan_of_before_is_refused(stack, cloud, refresh, destroys):
    """Also one that was made without a look at it."""
    spec = template_and_group("#!/bin/sh\n")
    write(stack, spec)
    apply(stack)
    spec["aws.autoscaling_group"]["workers"]["max"] = 9
    write(stack, spec)
    stack.run("plan", refresh, "--out", "saved", *(["--destroy"] if destroys else []))
    displaced = make_another(cloud, [])
    assert f"'{GROUP}' has changed since the plan was made" in stack.run("apply", "--yes", "saved", status=4).err
    assert groups_of(cloud) == [displaced]


def test_a_group_with_our_tags_is_ours(stack, cloud):
    """As where an older record was put back: whoever made it, it is this stack's."""
    write(stack, template_and_group("#!/bin/sh\n"))
    apply(stack)
    ours = [each for each in groups_of(cloud)[0]["Tags"] if each["Key"].startswith("trueup:")]
    make_another(cloud, [{"Key": each["Key"], "Value": each["Value"]} for each in ours])
    apply(stack)
    plan_is_empty(stack)
    stack.run("destroy", "--yes")
    assert groups_of(cloud) == []


def test_a_group_that_was_recorded_without_its_arn(stack, cloud):
    """By an older program: the next apply records it."""
    write(stack, template_and_group("#!/bin/sh\n"))
    apply(stack)
    with contextlib.closing(sqlite3.connect(stack.folder / ".trueup/state.db")) as database, database:
        assert database.execute("UPDATE bodies SET body = json_remove(body, '$.outputs.arn')").rowcount > 0
    apply(stack)
    make_another(cloud, [])
    assert TAKEN in stack.run("plan", status=1).err


def test_the_name_of_what_has_an_id_is_taken(stack, cloud):
    write(stack, {"aws.key_pair": {"ops": {"name": "ops", "public_key": RSA_KEY}}})
    apply(stack)
    cloud.client().delete_key_pair(KeyName="ops")
    cloud.client().import_key_pair(KeyName="ops", PublicKeyMaterial=RSA_KEY.encode())
    assert TAKEN in stack.run("plan", status=1).err


def test_a_group_that_a_newer_state_made_by_its_name_is_rebuilt_at_its_own_address(stack, cloud):
    """An older state was put back, whose group had the name before: the tags of what is there tell whose it is."""
    spec = template_and_group("#!/bin/sh\n")
    write(stack, spec)
    apply(stack)
    shutil.copytree(stack.folder / ".trueup", stack.folder / "older")
    groups = spec["aws.autoscaling_group"]
    groups["others"] = groups.pop("workers")
    write(stack, spec)
    apply(stack)
    made = groups_of(cloud)
    shutil.rmtree(stack.folder / ".trueup")
    (stack.folder / "older").rename(stack.folder / ".trueup")
    stack.run("apply", "--yes", status=4)
    stack.run("state", "rebuild", "--force", "--yes")
    assert {GROUP, "aws.autoscaling_group.others"} & set(ids_of(stack)) == {"aws.autoscaling_group.others"}
    plan_is_empty(stack)
    assert groups_of(cloud) == made
