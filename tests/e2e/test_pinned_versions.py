"""A launch template's version by its number, on the simulator: one that cannot be is refused before all else."""

import pytest

from test_hard_cases import write
from test_hard_groups import template_and_group, version_of
from trueup_runner import Ref, apply, errors_of, plan_is_empty

GROUP = "aws.autoscaling_group.workers"
TEMPLATE = "aws.launch_template.worker"


def pinned(user_data, version, where):
    """where: in the group itself, in mixed_instances, or in one of its overrides."""
    spec = template_and_group(user_data)
    group = spec["aws.autoscaling_group"]["workers"]
    source = {"launch_template": Ref(TEMPLATE), "launch_template_version": version}
    if where == "group":
        group.update(source)
        return spec
    del group["launch_template"]
    followed = {"launch_template": Ref(TEMPLATE)}
    override = {"instance_type": "t3.micro", **(source if where == "override" else {})}
    group["mixed_instances"] = {**(source if where == "mixed" else followed), "overrides": [override]}
    return spec


@pytest.mark.parametrize("where", ["group", "mixed", "override"])
def test_a_number_that_cannot_be(stack, cloud, where):
    write(stack, pinned("one", "1", where))
    apply(stack)
    # The plan itself makes the second; there is no third.
    write(stack, pinned("two", "3", where))
    told = stack.run("plan", "--output", "json", status=1).json
    [error] = errors_of(told)
    assert error["message"] == (
        f"'launch_template_version' cannot be 3: '{TEMPLATE}' will have no more than 2 as its 'latest_version'"
    )
    assert "write a number from 1 to 2, or leave 'launch_template_version' out" in error["hint"]
    shown, caret = stack.run("apply", "--yes", status=1).err.splitlines()[2:4]
    assert shown[caret.index("^") :].startswith('"3"')
    write(stack, pinned("two", "2", where))
    apply(stack)
    plan_is_empty(stack)

    renamed = pinned("two", "2", where)
    renamed["aws.launch_template"]["worker"]["name"] = "others"
    write(stack, renamed)
    text = stack.run("apply", "--yes", status=1).err
    assert f"'launch_template_version' cannot be 2: '{TEMPLATE}' is made anew, with 1 as its 'latest_version'" in text
    assert "write 1, or leave 'launch_template_version' out" in text
    renamed = pinned("two", "1", where)
    renamed["aws.launch_template"]["worker"]["name"] = "others"
    write(stack, renamed)
    apply(stack)
    plan_is_empty(stack)


def test_a_number_that_somebody_else_has_made(stack, cloud):
    write(stack, pinned("one", "1", "group"))
    apply(stack)
    cloud.client().create_launch_template_version(
        LaunchTemplateName="worker",
        SourceVersion="1",
        LaunchTemplateData={"InstanceType": "t3.small"},
    )
    spec = pinned("one", "2", "group")
    spec["aws.launch_template"]["worker"]["instance_type"] = "t3.small"
    write(stack, spec)
    apply(stack)
    assert version_of(cloud) == "2"
