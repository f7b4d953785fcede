"""Auto Scaling groups while what they stand on changes, on the simulator: what follows, and what only new instances do."""

import pytest

from conftest import REGION
from simulator import RSA_KEY
from test_hard_cases import VPC, nothing_is_left, write
from trueup_runner import Ref, apply, ids_of, plan, plan_is_empty

SSH = {"protocol": "tcp", "from_port": 22, "to_port": 22, "cidr": "10.0.0.0/8"}


def template_and_group(user_data):
    return {
        "aws.vpc": VPC,
        "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.0.0/20", "zone": f"{REGION}a"}},
        "aws.launch_template": {
            "worker": {
                "name": "worker",
                "image": "ami-0123456789abcdef0",
                "instance_type": "t3.micro",
                "user_data": user_data,
            }
        },
        "aws.autoscaling_group": {
            "workers": {
                "name": "workers",
                "min": 1,
                "max": 2,
                "subnets": [Ref("aws.subnet.a")],
                "launch_template": Ref("aws.launch_template.worker"),
            }
        },
    }


def running(planned):
    """[(address, effect, count)] of what the plan says of what runs."""
    return [(each["address"], each["effect"], each["count"]) for each in planned.data["running"]]


def version_of(cloud):
    [group] = cloud.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=["workers"])[
        "AutoScalingGroups"
    ]
    return group["LaunchTemplate"]["Version"]


def test_a_template_changed_under_its_group(stack, cloud):
    write(stack, template_and_group("#!/bin/sh\necho one\n"))
    apply(stack)
    plan_is_empty(stack)
    assert version_of(cloud) == "1"
    ids = ids_of(stack)
    cloud.sim("pass", 120)
    assert "RUNNING" not in stack.run("plan").out

    write(stack, template_and_group("#!/bin/sh\necho two\n"))
    planned = plan(stack, status=2)
    assert planned.operations() == {
        "aws.launch_template.worker": "update",
        "aws.autoscaling_group.workers": "update",
    }
    kept = "1 instance keeps version 1 until it is replaced"
    assert running(planned) == [("aws.autoscaling_group.workers", "keeps", 1)]
    assert kept in stack.run("plan", "--out", "saved").out and kept in stack.run("show", "saved").out
    assert kept in stack.run("apply", "--yes", "saved").out
    assert version_of(cloud) == "2"
    assert ids_of(stack) == ids
    # The group is as the spec says, and what it launched is as it was: every look says so, and none calls it drift.
    plan_is_empty(stack)
    assert kept in stack.run("plan").out and kept in stack.run("drift").out
    for command in "plan", "drift":
        [told] = stack.run(command, "--output", "json").json["running"]
        assert told == {"address": "aws.autoscaling_group.workers", "effect": "keeps", "count": 1, "what": kept}

    cloud.client().terminate_instances(InstanceIds=list(cloud.things("instance")))
    cloud.sim("pass", 300)
    assert "RUNNING" not in stack.run("plan").out and "RUNNING" not in stack.run("drift").out

    stack.run("destroy", "--yes")
    nothing_is_left(stack, cloud, "vpc", "subnet", "launch-template", "auto-scaling-group")


@pytest.mark.parametrize("word", ["$Latest", "$Default"])
def test_a_template_changed_under_a_group_that_follows_it(stack, cloud, word):
    """AWS follows the word, so that nothing is done to the group: the plan tells of its instances all the same."""
    specs = [template_and_group(f"#!/bin/sh\necho {each}\n") for each in (1, 2)]
    for spec in specs:
        spec["aws.autoscaling_group"]["workers"]["launch_template_version"] = word
    write(stack, specs[0])
    apply(stack)
    cloud.sim("pass", 120)
    assert running(plan(stack)) == []

    write(stack, specs[1])
    planned = plan(stack, status=2)
    assert planned.operations() == {"aws.launch_template.worker": "update"}
    assert running(planned) == [("aws.autoscaling_group.workers", "keeps", 1)]
    apply(stack)
    assert running(plan(stack)) == [("aws.autoscaling_group.workers", "keeps", 1)]


def group_in(zone, cidr):
    return {
        **template_and_group("#!/bin/sh\n"),
        "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": cidr, "zone": f"{REGION}{zone}"}},
    }


def test_the_instances_of_a_group_are_balanced(stack, cloud):
    """Those of one launch, too: what a plan says by zone is of a world as it can be."""
    spec = group_in("a", "10.20.0.0/20")
    spec["aws.subnet"]["b"] = {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.16.0/20", "zone": f"{REGION}b"}
    group = spec["aws.autoscaling_group"]["workers"]
    for count in 4, 8:
        group.update(min=count, max=count, subnets=[Ref("aws.subnet.a"), Ref("aws.subnet.b")])
        write(stack, spec)
        apply(stack)
        cloud.sim("pass", 120)
        zones = [each["placement"]["availabilityZone"] for each in cloud.things("instance").values()]
        assert [zones.count(f"{REGION}{zone}") for zone in "ab"] == [count // 2] * 2


def test_the_subnet_of_a_group_moves_to_another_zone(stack, cloud):
    """The new subnet comes, the group's instances move, and then the old one can go: in one run."""
    write(stack, group_in("a", "10.20.0.0/20"))
    apply(stack)
    cloud.sim("pass", 120)
    ids = ids_of(stack)

    write(stack, group_in("b", "10.20.16.0/20"))
    planned = plan(stack, status=2)
    assert planned.operations() == {
        "aws.subnet.a": "replace",
        "aws.autoscaling_group.workers": "update",
    }
    assert running(planned) == []
    apply(stack)
    plan_is_empty(stack)
    [subnet] = cloud.things("subnet")
    assert subnet == ids_of(stack)["aws.subnet.a"] != ids["aws.subnet.a"]

    stack.run("destroy", "--yes")
    nothing_is_left(stack, cloud, "vpc", "subnet", "launch-template", "auto-scaling-group")


def test_a_subnet_that_a_groups_instances_do_not_leave(stack, cloud):
    """In the same zone nothing moves them: the run tells what to do, and the next one goes on from there."""
    write(stack, group_in("a", "10.20.0.0/20"))
    apply(stack)
    cloud.sim("pass", 120)

    write(stack, group_in("a", "10.20.16.0/20"))
    assert running(plan(stack, status=2)) == [("aws.subnet.a", "holds", 1)]
    said = stack.run("plan").out
    assert "cannot be deleted before 1 instance of aws.autoscaling_group.workers is gone" in said
    said = stack.run("apply", "--yes", status=7).err
    assert "could not delete aws.subnet.a" in said and "stay until they are replaced" in said
    planned = plan(stack, status=2)
    assert planned.operations() == {"aws.subnet.a": "delete"}
    assert running(planned) == [("aws.subnet.a", "holds", 1)]
    said = stack.run("plan").out
    assert "may be held by 1 instance of aws.autoscaling_group.workers until it is gone" in said
    assert "fails for these as long as they run" in said

    cloud.client().terminate_instances(InstanceIds=list(cloud.things("instance")))
    apply(stack)
    plan_is_empty(stack)
    assert list(cloud.things("subnet")) == [ids_of(stack)["aws.subnet.a"]]


UP = {"name": "up", "transition": "autoscaling:EC2_INSTANCE_LAUNCHING", "timeout_s": 300, "default_result": "CONTINUE"}


@pytest.mark.parametrize("fields", [{}, {"hooks": [UP]}, {"suspended": ["AZRebalance"]}, {"scale_in_protection": True}])
def test_a_subnet_goes_with_its_zone(stack, cloud, fields):
    """At once where AWS moves the instances; else the first plan says what holds it."""
    spec = group_in("a", "10.20.0.0/20")
    spec["aws.subnet"]["b"] = {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.16.0/20", "zone": f"{REGION}b"}
    group = spec["aws.autoscaling_group"]["workers"]
    group.update(min=2, subnets=[Ref("aws.subnet.a"), Ref("aws.subnet.b")], **fields)
    write(stack, spec)
    apply(stack)
    cloud.sim("pass", 500)
    del spec["aws.subnet"]["b"]
    group["subnets"] = [Ref("aws.subnet.a")]
    write(stack, spec)
    assert running(plan(stack, status=2)) == ([("aws.subnet.b", "holds", 1)] if fields else [])
    stack.run("apply", "--yes", status=7 if fields else 0)


def example(stack, root, within):
    keys = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]
    stack.environment.update(dict.fromkeys(keys), TRUEUP_VAR_simulator="sim:world", BMC_PASSWORD="calvin")
    text = (root / "examples/network/network.yaml").read_text()
    assert "10.20." in text
    stack.write("network.yaml", text.replace("10.20.", f"{within}."))


def test_the_example_in_another_range(stack, root):
    """A VPC goes with all that is in it, what its group runs there too: one run, and nothing is left to do."""
    example(stack, root, "10.20")
    stack.run("sim", "world", "add", "machine", "bmc-07.example", "serial=J3R7K42", "user=root", "password=calvin")
    apply(stack)
    stack.run("sim", "world", "pass", 300)

    example(stack, root, "10.21")
    planned = plan(stack, status=2)
    assert planned.operations() == {
        **{f"aws.subnet.{name}": "replace" for name in "abc"},
        **{f"aws.security_group.{name}": "replace" for name in ("gate", "nodes")},
        "aws.vpc.main": "replace",
        "aws.route_table.main": "replace",
        "aws.autoscaling_group.nodes": "replace",
        "aws.internet_gateway.main": "update",
        "aws.launch_template.node": "update",
        "aws.vpn_gateway.office": "update",
    }
    assert running(planned) == [("aws.autoscaling_group.nodes", "ends", 2)]
    apply(stack)
    plan_is_empty(stack)
    stack.run("sim", "world", "pass", 300)
    plan_is_empty(stack)

    world = stack.run("sim", "world", "show").json["us-west-2"]
    ids = ids_of(stack)
    assert [*world["vpc"]] == [ids["aws.vpc.main"]]
    instances = [each for each in world["instance"].values() if each["instanceState"]["name"] == "running"]
    assert len(instances) == 2
    assert {each["subnetId"] for each in instances} <= {ids["aws.subnet.a"], ids["aws.subnet.b"]}


def test_a_group_goes_over_to_a_vpc_of_another_name(stack, cloud):
    """What its instances are in leaves the spec altogether, and they with it."""
    write(stack, group_in("a", "10.20.0.0/20"))
    apply(stack)
    cloud.sim("pass", 120)
    spec = group_in("a", "10.30.0.0/20")
    subnet = {**spec["aws.subnet"]["a"], "vpc": Ref("aws.vpc.office")}
    group = {**spec["aws.autoscaling_group"]["workers"], "subnets": [Ref("aws.subnet.desk")]}
    write(
        stack,
        {
            **spec,
            "aws.vpc": {"office": {"cidr": "10.30.0.0/16"}},
            "aws.subnet": {"desk": subnet},
            "aws.autoscaling_group": {"workers": group},
        },
    )
    planned = plan(stack, status=2)
    assert planned.operations() == {
        "aws.autoscaling_group.workers": "replace",
        "aws.subnet.a": "delete",
        "aws.subnet.desk": "create",
        "aws.vpc.home": "delete",
        "aws.vpc.office": "create",
    }
    assert running(planned) == [("aws.autoscaling_group.workers", "ends", 1)]
    apply(stack)
    plan_is_empty(stack)
    assert list(cloud.things("vpc")) == [ids_of(stack)["aws.vpc.office"]]


def test_a_group_goes_over_to_a_vpc_that_was_there_before(stack, cloud):
    """Both are known: they differ, so what it runs goes with it."""
    spec = group_in("a", "10.20.0.0/20")
    home = spec["aws.subnet"]["a"]
    desk = {"vpc": Ref("aws.vpc.office"), "cidr": "10.30.0.0/20", "zone": f"{REGION}a"}
    vpcs = {**VPC, "office": {"cidr": "10.30.0.0/16"}}
    group = {**spec["aws.autoscaling_group"]["workers"], "subnets": [Ref("aws.subnet.desk")]}
    write(stack, {**spec, "aws.vpc": vpcs, "aws.subnet": {"a": home, "desk": desk}})
    apply(stack)
    cloud.sim("pass", 120)

    moved = {**spec, "aws.vpc": {"office": vpcs["office"]}, "aws.subnet": {"desk": desk}}
    write(stack, {**moved, "aws.autoscaling_group": {"workers": group}})
    planned = plan(stack, status=2)
    assert planned.operations() == {
        "aws.autoscaling_group.workers": "replace",
        "aws.subnet.a": "delete",
        "aws.vpc.home": "delete",
    }
    assert running(planned) == [("aws.autoscaling_group.workers", "ends", 1)]
    apply(stack)
    plan_is_empty(stack)
    assert list(cloud.things("vpc")) == [ids_of(stack)["aws.vpc.office"]]


def group_with_guard(name):
    spec = group_in("a", "10.20.0.0/20")
    spec["aws.launch_template"]["worker"]["security_groups"] = [Ref("aws.security_group.guard")]
    return {
        **spec,
        "aws.security_group": {"guard": {"vpc": Ref("aws.vpc.home"), "name": name, "description": "nodes", "ingress": [SSH]}},
    }


def test_a_security_group_that_a_groups_instances_keep(stack, cloud):
    """The template has the new one, the instances that run have the old one: the run tells what to do."""
    write(stack, group_with_guard("one"))
    apply(stack)
    cloud.sim("pass", 120)

    write(stack, group_with_guard("two"))
    assert running(plan(stack, status=2)) == [
        ("aws.autoscaling_group.workers", "keeps", 1),
        ("aws.security_group.guard", "holds", 1),
    ]
    said = stack.run("apply", "--yes", status=7).err
    assert "could not delete aws.security_group.guard" in said and "keep this one until they are replaced" in said
    planned = plan(stack, status=2)
    assert planned.operations() == {"aws.security_group.guard": "delete"}
    assert ("aws.security_group.guard", "holds", 1) in running(planned)
    assert "BEGUN" not in stack.run("plan").out

    cloud.client().terminate_instances(InstanceIds=list(cloud.things("instance")))
    apply(stack)
    plan_is_empty(stack)
    assert ids_of(stack)["aws.security_group.guard"] in cloud.things("security-group")


@pytest.mark.parametrize(
    "guard,said,forced",
    [
        ({"deletion_protection": "prevent-all-deletion"}, "is protected from deletion", False),
        ({"scale_in_protection": True}, "cannot be emptied while instances of it are protected from scale-in", True),
        ({"suspended": ["Terminate"]}, "cannot be emptied while its process 'Terminate' is suspended", True),
    ],
    ids=["protected", "scale-in", "suspended"],
)
def test_what_a_group_cannot_lose_is_left_running(stack, cloud, guard, said, forced):
    spec = template_and_group("#!/bin/sh\n")
    spec["aws.autoscaling_group"]["workers"].update(guard)
    write(stack, spec)
    apply(stack)
    for _ in range(2):
        cloud.sim("pass", 120)
        plan_is_empty(stack)
    [instance] = cloud.things("instance")

    assert said in stack.run("plan", "--destroy", status=0 if forced else 1).err
    refused = stack.run("destroy", "--yes", status=1)
    assert said in refused.err and "is not finished yet" not in refused.err
    [group] = cloud.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    assert group["MaxSize"] == 2 and [each["InstanceId"] for each in group["Instances"]] == [instance]

    if not forced:
        spec["aws.autoscaling_group"]["workers"]["deletion_protection"] = "none"
        write(stack, spec)
        apply(stack)
    stack.run("destroy", "--yes", *(["--force"] if forced else []))
    nothing_is_left(stack, cloud, "vpc", "subnet", "launch-template", "auto-scaling-group")


def test_force_is_not_recommended_where_it_would_be_refused(stack, cloud):
    spec = template_and_group("#!/bin/sh\n")
    group = spec["aws.autoscaling_group"]["workers"]
    group.update(suspended=["Terminate"], deletion_protection="prevent-force-deletion")
    write(stack, spec)
    apply(stack)
    cloud.sim("pass", 120)
    for words in (("plan", "--destroy"), ("destroy", "--yes")):
        told = stack.run(*words, status=(0, 1)).err
        assert "take 'Terminate' out of 'suspended' and apply, then delete it" in told and "--force" not in told
    del group["suspended"]
    write(stack, spec)
    apply(stack)
    stack.run("destroy", "--yes")
    nothing_is_left(stack, cloud, "vpc", "subnet", "launch-template", "auto-scaling-group")


def lifecycles(scaling):
    [group] = scaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    return {each["InstanceId"]: each["LifecycleState"] for each in group["Instances"]}


def test_what_a_group_retains_is_not_waited_for(stack, cloud):
    spec = template_and_group("#!/bin/sh\n")
    drain = {"name": "drain", "transition": "autoscaling:EC2_INSTANCE_TERMINATING", "timeout_s": 60}
    spec["aws.autoscaling_group"]["workers"].update(abandoned_instances="retain", hooks=[drain])
    write(stack, spec)
    apply(stack)
    cloud.sim("pass", 120)
    [instance] = cloud.things("instance")
    scaling = cloud.client("autoscaling")
    end = {"InstanceId": instance, "ShouldDecrementDesiredCapacity": False}
    scaling.terminate_instance_in_auto_scaling_group(**end)
    cloud.sim("pass", 120)
    states = lifecycles(scaling)
    assert states.pop(instance) == "Terminating:Retained" and list(states.values()) == ["InService"]

    assert ("aws.autoscaling_group.workers", "ends", 2) in running(plan(stack, "--destroy", status=2))
    refused = stack.run("destroy", "--yes", status=1)
    assert "cannot be emptied while instances of it are retained" in refused.err and sizes_of(cloud) == (1, 2, 1)
    scaling.terminate_instance_in_auto_scaling_group(**end)
    cloud.sim("pass", 120)
    assert lifecycles(scaling) == states
    stack.run("destroy", "--yes", "--force")
    nothing_is_left(stack, cloud, "vpc", "subnet", "launch-template", "auto-scaling-group")


def sizes_of(cloud):
    [group] = cloud.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=["workers"])[
        "AutoScalingGroups"
    ]
    return group["MinSize"], group["MaxSize"], group["DesiredCapacity"]


ALL_SIZES = ["min", "max", "desired"]


@pytest.mark.parametrize(
    ("ignored", "edits", "by_hand", "undone", "sizes"),
    [
        ([], {}, {}, False, (1, 2, 2)),
        ([], {}, {}, True, (1, 2, 2)),
        (ALL_SIZES, {}, {}, False, (1, 6, 5)),
        (ALL_SIZES, {}, {}, True, (1, 6, 5)),
        ([], {"max": 4, "desired": 3}, {}, False, (1, 4, 3)),
        ([], {"max": 1}, {}, False, (1, 1, 1)),
        (ALL_SIZES, {}, {"MaxSize": 4, "DesiredCapacity": 3}, False, (1, 4, 3)),
    ],
    ids=[
        "applied again",
        "undone",
        "sizes that others set",
        "sizes that others set, undone",
        "another capacity in the spec",
        "another bound in the spec",
        "filled by others since",
    ],
)
def test_a_group_that_was_emptied_and_not_deleted_is_filled_again(stack, cloud, ignored, edits, by_hand, undone, sizes):
    """A deletion empties a group first. Where it is refused then, nobody else would ever scale it up again."""
    spec = template_and_group("#!/bin/sh\n")
    group = spec["aws.autoscaling_group"]["workers"]
    group.update({"desired": 1, **({"lifecycle": {"ignore": ignored}} if ignored else {})})
    write(stack, spec)
    apply(stack)
    scaling = cloud.client("autoscaling")
    most, wish = (6, 5) if ignored else (2, 2)
    scaling.update_auto_scaling_group(AutoScalingGroupName="workers", MaxSize=most, DesiredCapacity=wish)
    cloud.sim("pass", 120)

    cloud.sim("fault", "DeleteAutoScalingGroup", "deny", "1", "1")
    stack.run("destroy", "--yes", status=7)
    assert sizes_of(cloud) == (0, 0, 0)
    told = "desired, max, min" if ignored else "desired"
    assert f"{told}: to be set back, should it stay, moved" in stack.run("drift", status=2).out
    [run, *_] = stack.run("state", "history").out.split()
    stack.run("recover")
    # It is not forgotten where that was refused, either.
    cloud.sim("fault", "UpdateAutoScalingGroup", "deny", "1", "1")
    stack.run("apply", "--yes", status=1)
    assert f"{told}: to be set back" in stack.run("drift", status=2).out
    if undone:
        stack.run("undo", run, "--yes")
    else:
        if by_hand:
            scaling.update_auto_scaling_group(AutoScalingGroupName="workers", **by_hand)
        group.update(edits)
        write(stack, spec)
        apply(stack)
    assert sizes_of(cloud) == sizes
    plan_is_empty(stack)
    stack.run("drift")
    stack.run("destroy", "--yes")
    nothing_is_left(stack, cloud)


def test_a_group_that_was_emptied_shows_that_though_nobody_saw_the_answer(stack, cloud):
    """The sizes tell what came of that call: nothing is waited for, and nothing is said to be absent."""
    write(stack, template_and_group("#!/bin/sh\n"))
    apply(stack)
    cloud.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName="workers", DesiredCapacity=2)
    cloud.sim("pass", 120)
    fault = cloud.fault("UpdateAutoScalingGroup", "lost_answer", count=0)
    stack.run("destroy", "--yes", status=7)
    cloud.heal(fault)
    assert sizes_of(cloud) == (0, 0, 0)
    told = stack.run("drift", "--grace", "120", status=2).out
    assert "desired: to be set back, should it stay, moved" in told and "nothing shows yet" not in told
    [run, *_] = stack.run("state", "history").out.split()
    stack.run("recover", "--grace", "120")
    calls = stack.run("state", "history", run, "--output", "json").json["calls"]
    assert ("UpdateAutoScalingGroup", "done") in [(each["operation"], each["outcome"]) for each in calls]
    apply(stack)
    assert sizes_of(cloud) == (1, 2, 2)
    plan_is_empty(stack)


def test_the_key_of_a_group_s_template_goes_last(stack, cloud):
    """By its name in an expression, too: the service does not empty a group whose template names what is gone."""
    key = {"admins": {"name": "ops", "public_key": RSA_KEY}, "ops": {"name": "others", "public_key": RSA_KEY}}
    for given in Ref("aws.key_pair.admins"), "${aws.key_pair.admins.name}":
        spec = {**template_and_group("#!/bin/sh\n"), "aws.key_pair": key}
        spec["aws.launch_template"]["worker"]["key"] = given
        write(stack, spec)
        apply(stack)
        plan_is_empty(stack)
        [version] = cloud.client().describe_launch_template_versions(LaunchTemplateName="worker")[
            "LaunchTemplateVersions"
        ]
        assert version["LaunchTemplateData"]["KeyName"] == "ops"
        cloud.sim("pass", 120)
        stack.run("destroy", "--yes")
        nothing_is_left(stack, cloud, "vpc", "key-pair", "launch-template", "auto-scaling-group")
