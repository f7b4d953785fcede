"""What refers to something, on the simulator, where the spec leaves it to others or nobody could read it."""

from simulator import RSA_KEY
from test_hard_cases import VPC, nothing_is_left, write
from test_hard_groups import SSH, template_and_group
from trueup_runner import Expression, Ref, apply, ids_of, plan, plan_is_empty


def test_rules_that_a_deletion_took_off_come_back_with_what_they_name(stack, cloud):
    """Of groups that admit each other one goes, and the other is refused: the rule names the one that is made anew."""
    ssh = {each: SSH[each] for each in ("protocol", "from_port", "to_port")}
    groups = {
        name: {
            "name": name,
            "description": "d",
            "vpc": Ref("aws.vpc.home"),
            "ingress": [{**ssh, "group": Ref(f"aws.security_group.{other}")}],
        }
        for name, other in (("a", "b"), ("b", "a"))
    }
    groups["a"].update({"lifecycle": {"ignore": ["ingress"]}, "tags": {"k": Expression("${var.token}")}})
    spec = {"vars": {"token": {"type": "string", "secret": True}}, "aws.vpc": VPC, "aws.security_group": groups}
    write(stack, spec)
    stack.environment["TRUEUP_VAR_token"] = "horsebattery77"
    apply(stack)
    cloud.sim("fault", "DeleteSecurityGroup", "deny", "2", "1")
    stack.run("destroy", "--yes", status=7)
    assert b"horsebattery77" not in (stack.folder / ".trueup/state.db").read_bytes()
    apply(stack)
    plan_is_empty(stack)
    rules = {each["GroupId"]: each["IpPermissions"] for each in cloud.client().describe_security_groups()["SecurityGroups"]}
    ids = ids_of(stack)
    for name, other in (("a", "b"), ("b", "a")):
        [rule] = rules[ids[f"aws.security_group.{name}"]]
        assert [each["GroupId"] for each in rule["UserIdGroupPairs"]] == [ids[f"aws.security_group.{other}"]]


def test_an_ignored_field_names_what_is_made_in_the_same_run(stack, cloud):
    """Others look after the rules of a group that changes: it waits for the new group that those of the spec name."""
    ssh = {each: SSH[each] for each in ("protocol", "from_port", "to_port")}
    kept = {"name": "a", "description": "d", "vpc": Ref("aws.vpc.home"), "lifecycle": {"ignore": ["ingress"]}}
    write(stack, {"aws.vpc": VPC, "aws.security_group": {"a": kept}})
    apply(stack)
    changed = {**kept, "tags": {"k": "v"}, "ingress": [{**ssh, "group": Ref("aws.security_group.b")}]}
    other = {**kept, "name": "b", "ingress": [{**ssh, "group": Ref("aws.security_group.a")}]}
    write(stack, {"aws.vpc": VPC, "aws.security_group": {"a": changed, "b": other}})
    apply(stack)
    plan_is_empty(stack)
    groups = {each["GroupName"]: each for each in cloud.client().describe_security_groups()["SecurityGroups"]}
    assert groups["a"]["Tags"] and not groups["a"]["IpPermissions"]
    [rule] = groups["b"]["IpPermissions"]
    assert [each["GroupId"] for each in rule["UserIdGroupPairs"]] == [groups["a"]["GroupId"]]


def test_what_an_unread_template_names_is_not_taken_away(stack, cloud):
    """A key and a group that the spec lets go of stay as long as it cannot be told whether the template has let go."""
    template = {"name": "worker", "image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
    named = {"key": Ref("aws.key_pair.k"), "security_groups": [Ref("aws.security_group.g")]}
    group = {"name": "g", "description": "d", "vpc": Ref("aws.vpc.home")}
    gone = {"aws.key_pair": {"k": {"name": "kkk", "public_key": RSA_KEY}}, "aws.security_group": {"g": group}}
    kept = {"aws.vpc": VPC, "aws.launch_template": {"worker": {**template, **named}}}
    write(stack, {**kept, **gone})
    apply(stack)
    kept["aws.launch_template"]["worker"] = template
    write(stack, kept)
    cloud.sim("fault", "DescribeLaunchTemplates", "deny", "1", "1")
    done = stack.run("apply", "--yes", status=3)
    told = "? 'aws.launch_template.worker' refers to it and could not be read\n      aws.key_pair.k\n      aws.security_group.g\n"
    assert told in done.out
    assert "nothing to do: what could be compared is as the spec says" in done.out
    apply(stack)
    plan_is_empty(stack)
    assert not cloud.client().describe_key_pairs()["KeyPairs"]


def test_what_an_unread_subnet_lies_in_is_not_destroyed(stack, cloud):
    """Without a try that the service refuses for five minutes, and blames on strangers."""
    write(stack, {"aws.vpc": VPC, "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.0.0/20"}}})
    apply(stack)
    cloud.sim("fault", "DescribeSubnets", "deny", "1", "1")
    done = stack.run("destroy", "--yes", status=3)
    assert "? 'aws.subnet.a' refers to it and could not be read\n      aws.vpc.home\n" in done.out
    assert "nothing to do: what is to go could not be read, or what could not be read holds it\n" in done.out
    stack.run("destroy", "--yes")
    nothing_is_left(stack, cloud)


def test_ownership_tags_that_were_taken_away_come_back(stack, cloud):
    """A clean-up of tags takes them: drift tells of it, the next apply sets them, and a lost record can be rebuilt."""
    spec = template_and_group("#!/bin/sh\necho one\n")
    write(stack, spec)
    apply(stack)
    before = ids_of(stack)
    ours = [f"trueup:{each}" for each in ("stack", "object", "intent", "generation", "address")]
    ids = [identity for address, identity in before.items() if address != "aws.autoscaling_group.workers"]
    cloud.client().delete_tags(Resources=ids, Tags=[{"Key": each} for each in ours])
    cloud.client("autoscaling").delete_tags(
        Tags=[{"ResourceId": "workers", "ResourceType": "auto-scaling-group", "Key": each} for each in ours]
    )
    told = stack.run("drift", status=2).out
    assert all(address in told for address in before) and "now unset" in told
    assert plan(stack, status=2).operations() == dict.fromkeys(before, "update")
    assert "the tags that tell whose it is were taken away" in stack.run("plan").out
    apply(stack)
    plan_is_empty(stack)
    stack.run("drift")
    (stack.folder / ".trueup/state.db").unlink()
    stack.run("state", "rebuild", "--yes")
    assert ids_of(stack) == before


def test_ownership_tags_of_what_ignores_tags_are_left(stack, cloud):
    write(stack, {"aws.vpc": {"home": {"cidr": "10.20.0.0/16", "lifecycle": {"ignore": ["tags"]}}}})
    apply(stack)
    cloud.client().delete_tags(Resources=list(ids_of(stack).values()), Tags=[{"Key": "trueup:stack"}])
    plan_is_empty(stack)
    stack.run("drift")


def test_an_ignored_field_names_what_is_replaced_because_of_its_owner(stack, cloud):
    """The one waits for the other's change, and not for what its own rules name: nobody sets these, but by hand."""
    ssh = {each: SSH[each] for each in ("protocol", "from_port", "to_port")}

    def groups(tag, text):
        kept = {"name": "a", "description": "d", "vpc": Ref("aws.vpc.home"), "tags": {"k": tag}}
        kept.update({"lifecycle": {"ignore": ["ingress"]}, "ingress": [{**ssh, "group": Ref("aws.security_group.b")}]})
        other = {"name": "b", "description": Expression(text + "${aws.security_group.a.id}"), "vpc": Ref("aws.vpc.home")}
        return {"aws.vpc": VPC, "aws.security_group": {"a": kept, "b": other}}

    write(stack, groups("v", "used by "))
    apply(stack)
    write(stack, groups("w", "used with "))
    refused = stack.run("plan", status=1).err
    assert "'aws.security_group.b' cannot be deleted" in refused and "names it, and stays as it is" in refused
    ids, ec2 = ids_of(stack), cloud.client()
    ec2.revoke_security_group_ingress(
        GroupId=ids["aws.security_group.a"],
        IpPermissions=[
            {
                "IpProtocol": ssh["protocol"],
                "FromPort": ssh["from_port"],
                "ToPort": ssh["to_port"],
                "UserIdGroupPairs": [{"GroupId": ids["aws.security_group.b"]}],
            }
        ],
    )
    assert plan(stack, status=2).operations() == {"aws.security_group.a": "update", "aws.security_group.b": "replace"}
    apply(stack)
    plan_is_empty(stack)
