"""What a run left to others (`lifecycle.ignore`) is left to them by its undoing, too."""

import pytest

from test_hard_cases import write
from test_hard_groups import sizes_of, template_and_group
from test_undo_drift import add_route, last_run, let_in, undo
from test_undo_drift import spec as network
from trueup_runner import apply, ids_of, plan_is_empty

GROUP, TEMPLATE = "aws.autoscaling_group.workers", "aws.launch_template.worker"


def run(stack, resources):
    write(stack, resources)
    apply(stack)
    return last_run(stack)


def group(ignored, called="worker", **fields):
    """A group, and its template, called so."""
    spec = template_and_group("#!/bin/sh\n")
    spec["aws.launch_template"]["worker"] |= {"name": called, "lifecycle": {"create_before_destroy": True}}
    spec["aws.autoscaling_group"]["workers"] |= {**fields, **({"lifecycle": {"ignore": ignored}} if ignored else {})}
    return spec


def launches_by(cloud):
    [found] = cloud.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    return found["LaunchTemplate"]["LaunchTemplateId"], found["LaunchTemplate"]["Version"]


def test_a_capacity_that_the_run_left_to_others(stack, cloud):
    """The spec had another word for it, and no call said so."""
    run(stack, group(["desired"], max=5, desired=2))
    id = run(stack, group(["desired"], max=6, desired=3))
    assert sizes_of(cloud) == (1, 6, 2)
    cloud.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName="workers", DesiredCapacity=4)
    assert undo(stack, id) == {GROUP: ["max"]}
    assert sizes_of(cloud) == (1, 5, 4)
    back = last_run(stack)
    write(stack, group(["desired"], max=5, desired=2))
    plan_is_empty(stack)
    assert undo(stack, back) == {GROUP: ["max"]}
    assert sizes_of(cloud) == (1, 6, 4)


def test_a_capacity_that_a_later_run_says_otherwise_as_well(stack, cloud):
    """What neither of them sets is nothing that they could not agree about."""
    run(stack, group(["desired"], max=5, desired=2))
    id = run(stack, group(["desired"], max=6, desired=3))
    run(stack, group(["desired"], max=6, desired=4, cooldown_s=60))
    assert undo(stack, id) == {GROUP: ["max"]}
    write(stack, group(["desired"], max=5, desired=4, cooldown_s=60))
    plan_is_empty(stack)
    assert sizes_of(cloud) == (1, 5, 2)


def test_tags_that_a_later_run_has_taken_up(stack, cloud):
    """As the spec of the run had them, which that did not heed."""
    others = {"lifecycle": {"ignore": ["tags"]}}
    run(stack, {"aws.vpc": {"home": {"cidr": "10.20.0.0/16", "tags": {"team": "red"}, **others}}})
    blue = {"cidr": "10.20.0.0/16", "tags": {"team": "blue"}}
    id = run(stack, {"aws.vpc": {"home": {**blue, "dns_hostnames": True, **others}}})
    run(stack, {"aws.vpc": {"home": {**blue, "dns_hostnames": True}}})
    assert undo(stack, id) == {"aws.vpc.home": ["dns_hostnames"]}
    stack.run("drift")
    write(stack, {"aws.vpc": {"home": blue}})
    plan_is_empty(stack)


def vpc(team, ignored, **fields):
    """A network whose tags are left to others or not, with tags that the spec says."""
    ignores = {"lifecycle": {"ignore": ["tags"]}} if ignored else {}
    return {"aws.vpc": {"home": {"cidr": "10.20.0.0/16", "tags": {"team": team}, **fields, **ignores}}}


def tags_of(cloud):
    [found] = [each for each in cloud.client().describe_vpcs()["Vpcs"] if not each["IsDefault"]]
    return {each["Key"]: each["Value"] for each in found.get("Tags", []) if not each["Key"].startswith("trueup")}


@pytest.mark.parametrize("more", [{}, {"dns_hostnames": True}], ids=["the record alone", "beside another field"])
def test_the_undoing_is_undone(stack, cloud, more):
    """What the run left to others was never what its spec said: it is left so by each of these."""
    run(stack, vpc("red", False))
    id = run(stack, vpc("blue", True, **more))
    undo(stack, id)
    stack.run("drift")
    assert undo(stack, last_run(stack)) == ({"aws.vpc.home": ["dns_hostnames"]} if more else {})
    assert tags_of(cloud) == {"team": "red"}
    write(stack, vpc("blue", True, **more))
    plan_is_empty(stack)
    assert undo(stack, last_run(stack)) == ({"aws.vpc.home": ["dns_hostnames"]} if more else {})
    write(stack, vpc("red", False))
    plan_is_empty(stack)
    stack.run("drift")


@pytest.mark.parametrize("others", [{"team": "green"}, {"team": "red", "floor": "1"}, {}], ids=["set", "added", "none"])
def test_what_the_run_took_up_is_again_as_others_had_it(stack, cloud, others):
    """As it was seen last: the spec had another word for that, which nothing had set."""
    run(stack, vpc("red", True))
    ec2, id = cloud.client(), ids_of(stack)["aws.vpc.home"]
    ec2.delete_tags(Resources=[id], Tags=[{"Key": "team"}])
    if others:
        ec2.create_tags(Resources=[id], Tags=[{"Key": key, "Value": value} for key, value in others.items()])
    run(stack, vpc("red", True, dns_hostnames=True))
    taken_up = run(stack, vpc("blue", False, dns_hostnames=True))
    assert tags_of(cloud) == {"team": "blue"}
    undo(stack, taken_up)
    assert tags_of(cloud) == others
    stack.run("drift")
    write(stack, vpc("red", True, dns_hostnames=True))
    plan_is_empty(stack)


def test_giving_back_what_was_taken_up_is_undone(stack, cloud):
    """An undoing that leaves a field to others again has set it: that goes back as well."""
    run(stack, vpc("red", True))
    taken_up = run(stack, vpc("blue", False))
    undo(stack, taken_up)
    assert tags_of(cloud) == {"team": "red"}
    undo(stack, last_run(stack))
    assert tags_of(cloud) == {"team": "blue"}
    write(stack, vpc("blue", False))
    plan_is_empty(stack)
    stack.run("drift")


EDITS = {
    "references": ("aws.route_table", "t", "routes", [], add_route),
    "addresses": (
        "aws.security_group",
        "web",
        "ingress",
        [{"protocol": "tcp", "from_port": 80, "to_port": 80, "cidr": "10.0.0.0/8"}],
        let_in,
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_set_that_the_run_left_to_others(stack, cloud, edit):
    kind, name, field, value, hand = EDITS[edit]
    before, after = network("red"), network("red")
    for each in before, after:
        each[kind][name]["lifecycle"] = {"ignore": [field]}
    after[kind][name] |= {field: value, "tags": {"team": "blue"}}
    run(stack, before)
    id = run(stack, after)
    hand(cloud.client(), ids_of(stack))
    assert undo(stack, id) == {f"{kind}.{name}": ["tags.team"]}
    write(stack, before)
    plan_is_empty(stack)


@pytest.mark.parametrize("ignored", [[], ["launch_template_version"]])
@pytest.mark.parametrize("later", [None, ["launch_template"]], ids=["as then", "left to others since"])
def test_a_group_follows_the_template_that_the_run_had_it_follow(stack, cloud, ignored, later):
    """Its version goes along with that, whoever looks after it."""
    before = group(ignored)
    run(stack, before)
    id = run(stack, group(ignored, "another"))
    assert launches_by(cloud) == (ids_of(stack)[TEMPLATE], "1")
    if later:
        run(stack, group(later, "another"))
    undo(stack, id)
    assert launches_by(cloud) == (ids_of(stack)[TEMPLATE], "1")
    write(stack, group(later or ignored))
    plan_is_empty(stack)


@pytest.mark.parametrize("change", ["replaced", "changed"])
def test_a_group_stays_with_the_template_that_the_run_had_it_stay_with(stack, cloud, change):
    """Others may have chosen one since: what the run did not set, its undoing does not either."""
    before, after = group(["launch_template"]), group(["launch_template"])
    edit = {"name": "another"} if change == "replaced" else {"instance_type": "t3.large"}
    after["aws.launch_template"]["worker"] |= edit
    run(stack, before)
    id = run(stack, after)
    ec2 = cloud.client()
    data = {"ImageId": "ami-0123456789abcdef0", "InstanceType": "t3.micro"}
    theirs = ec2.create_launch_template(LaunchTemplateName="theirs", LaunchTemplateData=data)["LaunchTemplate"]
    chosen = {"LaunchTemplateId": theirs["LaunchTemplateId"], "Version": "1"}
    cloud.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName="workers", LaunchTemplate=chosen)
    assert set(undo(stack, id)) == {TEMPLATE}
    assert launches_by(cloud) == (theirs["LaunchTemplateId"], "1")
    write(stack, before)
    plan_is_empty(stack)
