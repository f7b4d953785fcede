"""A change with a token that was done is done anew where what it did has come to nothing, on the simulator."""

import signal

import pytest

from simulator import simulator  # noqa: F401
from test_take_back import site  # noqa: F401
from trueup_runner import apply, ids_of, plan_is_empty, spec_text

MADE = "CreateLaunchTemplateVersion"


def write(stack, instance_type):
    template = {"name": "worker", "image": "ami-0123456789abcdef0", "instance_type": instance_type}
    stack.write("stack.yaml", spec_text({"aws.launch_template": {"t": template}}))


def take_away(stack, cloud):
    """Somebody has the first version count again, and deletes the other one; its number."""
    ec2, template = cloud.client(), ids_of(stack)["aws.launch_template.t"]
    [shown] = ec2.describe_launch_templates(LaunchTemplateIds=[template])["LaunchTemplates"]
    ec2.modify_launch_template(LaunchTemplateId=template, DefaultVersion="1")
    ec2.delete_launch_template_versions(LaunchTemplateId=template, Versions=[str(shown["LatestVersionNumber"])])
    return shown["LatestVersionNumber"]


def answered(stack, cloud):
    apply(stack)


def recovered(stack, cloud):
    """No answer ever came; the next run finds that it is done."""
    fault = cloud.fault(MADE, "lost_answer", 1, 0)
    stack.run("apply", "--yes", status=7)
    cloud.heal(fault)
    stack.run("recover")
    apply(stack)


@pytest.mark.parametrize("change", [answered, recovered], ids=lambda change: change.__name__)
def test_what_was_done_is_done_anew(stack, cloud, change):
    write(stack, "t3.micro")
    apply(stack)
    write(stack, "t3.small")
    change(stack, cloud)
    plan_is_empty(stack)
    for number in 2, 3:
        assert take_away(stack, cloud) == number
        stack.run("drift", status=2)
        apply(stack)
        plan_is_empty(stack)


def test_what_no_listing_shows_yet_is_sent_with_its_token(site):  # noqa: F811
    """Killed when it was answered; the next run still sees what was there before it, and makes no second one."""
    stack, answered = site.stack, []
    write(stack, "t3.micro")
    apply(stack)
    site.server.settings(lag_ms=2500)
    write(stack, "t3.small")

    def cuts(number, action, executed):
        answered.extend([number] if action == MADE and executed else [])
        return bool(answered) and executed and number >= answered[0] + 2

    site.cut_off(signal.SIGKILL, cuts)
    first = len(site.proxy.actions)
    apply(stack)
    assert MADE in site.proxy.actions[first:]
    template = ids_of(stack)["aws.launch_template.t"]
    versions = site.server.client("ec2").describe_launch_template_versions(LaunchTemplateId=template)
    kinds = {each["VersionNumber"]: each["LaunchTemplateData"]["InstanceType"] for each in versions["LaunchTemplateVersions"]}
    assert kinds == {1: "t3.micro", 2: "t3.small"}
