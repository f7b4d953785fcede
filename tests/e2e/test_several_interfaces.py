"""An instance with several interfaces, as a router or a firewall has them: what is said of it is the first one's."""

from trueup_runner import Ref, apply, plan, plan_is_empty, spec_text

HOME = Ref("aws.vpc.v")
MACHINE = {"image": "ami-0123456789abcdef0", "instance_type": "m6i.large"}
FURTHER = {"device_index": 1, "subnet": Ref("aws.subnet.b"), "security_groups": [Ref("aws.security_group.k")]}


def write(stack, groups="g", **said):
    """The first interface is that of the instance itself."""
    named = {name: {"vpc": HOME, "name": name, "description": "d"} for name in "ghk"}
    machine = {**MACHINE, "subnet": Ref("aws.subnet.a"), "interfaces": [FURTHER], **said}
    machine["security_groups"] = [Ref(f"aws.security_group.{name}") for name in groups]
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.subnet": {name: {"vpc": HOME, "cidr": f"10.0.{i}.0/24", "zone": "eu-central-1a"} for i, name in enumerate("ab")},
        "aws.security_group": named,
        "aws.instance": {"m": machine},
    }
    stack.write("stack.yaml", spec_text(spec))


def interfaces(cloud):
    """Of each, by its slot: the names of its groups, and whether it checks source and destination."""
    [machine] = cloud.things("instance").values()
    groups = {key: group["groupName"] for key, group in cloud.things("security-group").items()}
    return {
        int(each["attachment"]["deviceIndex"]): (
            sorted(groups[group["groupId"]] for group in each["groupSet"]),
            each["sourceDestCheck"] == "true",
        )
        for each in machine["networkInterfaceSet"]
    }


def test_a_router_is_made_and_changed(stack, cloud):
    write(stack, source_dest_check=False)
    apply(stack)
    assert interfaces(cloud) == {0: (["g"], False), 1: (["k"], True)}
    plan_is_empty(stack)
    write(stack, groups="gh", source_dest_check=True)
    assert plan(stack, status=2).actions["aws.instance.m"].operation == "update"
    apply(stack)
    assert interfaces(cloud) == {0: (["g", "h"], True), 1: (["k"], True)}
    plan_is_empty(stack)
    write(stack, groups="h")
    apply(stack)
    assert interfaces(cloud) == {0: (["h"], True), 1: (["k"], True)}
    plan_is_empty(stack)
    stack.run("destroy", "--yes")


def test_what_others_do_to_the_first_one_is_drift(stack, cloud):
    write(stack, source_dest_check=False)
    apply(stack)
    [(machine, body)] = cloud.things("instance").items()
    [(group, _)] = [item for item in cloud.things("security-group").items() if item[1]["groupName"] == "h"]
    first = [{**each} for each in body["networkInterfaceSet"]]
    first[0]["sourceDestCheck"], first[0]["groupSet"] = "true", [{"groupId": group}]
    cloud.change("instance", machine, networkInterfaceSet=first)
    stack.run("drift", status=2)
    apply(stack)
    assert interfaces(cloud) == {0: (["g"], False), 1: (["k"], True)}
    plan_is_empty(stack)


def test_several_of_which_the_spec_says_no_more(stack, cloud):
    """What it was launched with it has, managed or not."""
    write(stack)
    apply(stack)
    write(stack, interfaces=None)
    apply(stack)
    write(stack, interfaces=None, groups="h", source_dest_check=False)
    apply(stack)
    assert interfaces(cloud) == {0: (["h"], False), 1: (["k"], True)}
    plan_is_empty(stack)


def test_what_only_an_interface_uses_goes_after_the_machine(stack, cloud):
    """The spec let go of it, so that no field tells what it holds."""
    write(stack)
    apply(stack)
    write(stack, interfaces=None)
    apply(stack)
    stack.write("stack.yaml", spec_text({"aws.vpc": {"v": {"cidr": "10.0.0.0/16"}}}))
    fault = cloud.fault("TerminateInstances", "deny", count=0)
    done = stack.run("apply", "--yes", status=7)
    for name in ("aws.subnet.b", "aws.security_group.k"):
        assert f"{name}  skipped: what it needs is not done" in done.err, done
    cloud.heal(fault)
    apply(stack)
    assert not cloud.things("subnet")
    plan_is_empty(stack)
