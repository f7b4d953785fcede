"""What --target takes along and leaves, and what it says of names that there are not."""

import re

import pytest

from cli import edit, recorded, tiny  # noqa: F401
from test_cli_plan import actions
from test_hard_cases import write
from test_hard_groups import template_and_group, version_of
from trueup_runner import Ref, apply, plan_is_empty


def test_target(tiny):
    assert actions(tiny.run("plan", "--target", "aws.subnet.a", "--output", "json")) == {
        "aws.subnet.a": "create",
        "aws.vpc.main": "create",
    }
    tiny.run("apply", "--yes", "--target", "aws.vpc.main")
    assert list(recorded(tiny)) == ["aws.vpc.main"]


def test_target_that_is_removed_takes_its_users_along(tiny):
    tiny.run("apply", "--yes")
    text = tiny.run("plan", "--destroy", "--target", "aws.vpc.main").out
    assert "INTENT  what was named is to go, and what refers to it\n" in text
    assert re.search(r"- aws\.vpc\.main +DELETE, named as a target\n", text)
    assert len(re.findall(r"- aws\.subnet\.[ab] +DELETE, refers to what is to go\n", text)) == 2
    edit(tiny, (tiny.folder / "tiny.yaml").read_text().partition("providers: ")[2].partition("\n")[2], "")
    assert "applied: 3 done" in tiny.run("apply", "--yes", "--target", "aws.vpc.main").out


def test_destroying_targets_again_where_one_is_gone_already(tiny):
    tiny.run("apply", "--yes")
    both = ["destroy", "--yes", "--target", "aws.subnet.a", "--target", "aws.subnet.b"]
    fault = tiny.run("sim", "fault", "DeleteSubnet", "deny", "1", "1").out.split()[-1]
    told = tiny.run(*both, status=7).out
    assert "\nwhat was done is recorded: see to the errors, then run it again to resume\n" in told
    tiny.run("sim", "remove", "fault", fault, status=None)
    tiny.run(*both)
    assert list(recorded(tiny)) == ["aws.vpc.main"]
    for line in both, ["plan", "--destroy", *both[2:]]:
        assert "nothing to do: nothing is recorded of what was named\n" in tiny.run(*line).out


@pytest.mark.parametrize("command", [["plan"], ["plan", "--refresh=none"], ["plan", "--destroy"], ["apply", "--yes"], ["destroy", "--yes"]])
@pytest.mark.parametrize("is_first", [True, False], ids=["no state yet", "recorded"])
def test_target_that_is_not_there_is_told_before_anything_is_read(tiny, is_first, command):
    if not is_first:
        tiny.run("apply", "--yes")
    result = tiny.run(*command, "--target", "aws.vpc.mian", status=1, AWS_ENDPOINT_URL="http://127.0.0.1:9")
    assert result.err.startswith("error: there is no 'aws.vpc.mian' in the ") and "hint: " in result.err
    assert result.err.count("error: ") == 1 and result.out == ""


@pytest.mark.parametrize("removed", [False, True], ids=["another", "none"])
def test_no_group_is_left_with_a_version_that_names_what_a_target_ended(stack, cloud, removed):
    """The template takes the security group along, so the group that is pinned to its version has to come as well."""
    spec = template_and_group("")
    named = {"name": "app", "description": "app", "vpc": Ref("aws.vpc.home")}
    spec["aws.security_group"] = {"app": {**named, "lifecycle": {"create_before_destroy": True}}}
    spec["aws.launch_template"]["worker"].update(user_data="one", security_groups=[Ref("aws.security_group.app")])
    write(stack, spec)
    apply(stack)

    # A version of the template's own is no reason: what it names is still there.
    spec["aws.launch_template"]["worker"]["user_data"] = "two"
    write(stack, spec)
    assert "1 done" in stack.run("apply", "--yes", "--target", "aws.launch_template.worker").out
    assert version_of(cloud) == "1"

    if removed:
        del spec["aws.security_group"], spec["aws.launch_template"]["worker"]["security_groups"]
    else:
        spec["aws.security_group"]["app"]["name"] = "other"
    write(stack, spec)
    stack.run("apply", "--yes", "--target", "aws.security_group.app")
    assert version_of(cloud) == "3"
    plan_is_empty(stack)
