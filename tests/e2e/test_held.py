"""What cannot be deleted because something still uses it, of which the service says no more than that."""

import pytest

from trueup_runner import Ref, apply, errors_of, ids_of, spec_text

IMAGE = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
GROUP = "aws.security_group.g"


def write(stack, groups, subnets="a", machines="m"):
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.subnet": {name: {"vpc": Ref("aws.vpc.v"), "cidr": f"10.0.{ord(name)}.0/24"} for name in subnets},
        "aws.security_group": {name: {"vpc": Ref("aws.vpc.v"), "name": name, "description": "d"} for name in groups},
        "aws.instance": {name: {**IMAGE, "subnet": Ref("aws.subnet.a")} for name in machines},
    }
    stack.write("stack.yaml", spec_text({kind: each for kind, each in spec.items() if each}))


def warnings_of(document):
    return [each["message"] for each in document["diagnostics"] if each["severity"] == "warning"]


def refused(stack, *words):
    """The error, after all the waiting, and what is told beside it."""
    done = stack.run(*words, "--output", "json", status=1).json
    [error] = errors_of(done)
    assert "DependencyViolation" in error["message"]
    return warnings_of(done)


@pytest.mark.parametrize("machines", ["m", "mn"])
def test_a_group_that_others_have_given_to_machines_since(stack, cloud, machines):
    """A saved plan reads no machine that it does not touch."""
    write(stack, "gh", machines=machines)
    apply(stack)
    ids = ids_of(stack)
    write(stack, "h", machines=machines)
    stack.run("plan", "--out", "p.plan")
    holders = sorted(ids[f"aws.instance.{name}"] for name in machines)
    for holder in holders:
        cloud.client().modify_instance_attribute(InstanceId=holder, Groups=[ids[GROUP]])
    [told] = refused(stack, "apply", "p.plan")
    said = told.removeprefix(f"'{GROUP}' is used by instance{'s' if len(machines) > 1 else ''} ")
    assert sorted(said.replace("'", "").split(", ")) == holders


def test_nobody_may_list_what_holds_it(stack, cloud):
    """Then it is told as it was."""
    write(stack, "gh")
    apply(stack)
    ids = ids_of(stack)
    write(stack, "h")
    stack.run("plan", "--out", "p.plan")
    cloud.client().modify_instance_attribute(InstanceId=ids["aws.instance.m"], Groups=[ids[GROUP]])
    fault = cloud.fault("DescribeInstances", "deny", count=0)
    assert refused(stack, "apply", "p.plan") == []
    cloud.heal(fault)
    [told] = refused(stack, "apply", "p.plan")
    assert told == f"'{GROUP}' is used by instance '{ids['aws.instance.m']}'"


def test_a_subnet_with_machines_of_others(stack, cloud):
    write(stack, "", subnets="ab", machines="")
    apply(stack)
    subnet = ids_of(stack)["aws.subnet.b"]
    count = 7
    cloud.client().run_instances(ImageId=IMAGE["image"], InstanceType="t3.micro", SubnetId=subnet, MinCount=count, MaxCount=count)
    write(stack, "", machines="")
    [told] = refused(stack, "apply", "--yes")
    assert told.startswith("'aws.subnet.b' is used by instances 'i-") and told.endswith("' and 2 more")
