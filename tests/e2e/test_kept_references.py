"""What stays in a field that no call empties keeps from being deleted what it names."""

import pytest

from trueup_runner import Ref, SimulatedCloud, apply, errors_of, ids_of, plan_is_empty, spec_text

IMAGE = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}


@pytest.fixture
def cloud(stack):
    cloud = SimulatedCloud(stack)
    yield cloud
    cloud.close()


def write(stack, groups, machine, subnets=("s",), **changed):
    group = {"vpc": Ref("aws.vpc.v"), "description": "d"}
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.subnet": {name: {"vpc": Ref("aws.vpc.v"), "cidr": "10.0.0.0/24"} for name in subnets},
        "aws.security_group": {name: {**group, "name": name, **changed} for name in groups},
        "aws.instance": {"m": {**IMAGE, **machine}},
    }
    stack.write("stack.yaml", spec_text({kind: named for kind, named in spec.items() if named}))


def refused(stack, target, field, hint):
    """Before any call, whatever is asked for."""
    for words in ("plan",), ("apply", "--yes"):
        [error] = errors_of(stack.run(*words, "--output", "json", status=1).json)
        assert error["message"] == f"'{target}' cannot be deleted: '{field}' of 'aws.instance.m' names it, and stays as it is"
        assert hint in error["hint"]


IN_SUBNET = {"subnet": Ref("aws.subnet.s")}
IN_GROUP = {**IN_SUBNET, "security_groups": [Ref("aws.security_group.g")]}
GROUP_HINT = "have 'aws.instance.m' set 'security_groups' without that"


def test_a_group_goes_with_the_field_that_names_it(stack, cloud):
    write(stack, "g", IN_GROUP)
    apply(stack)
    before = cloud.show()
    write(stack, "", IN_SUBNET)
    refused(stack, "aws.security_group.g", "security_groups", GROUP_HINT)
    assert cloud.show() == before
    write(stack, "h", {**IN_SUBNET, "security_groups": [Ref("aws.security_group.h")]})
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("words", [["apply", "--yes"], ["destroy", "--yes", "--target", "aws.security_group.g"]])
def test_a_group_goes_after_the_field_that_named_it(stack, cloud, words):
    """A run before has recorded that nothing more is asked for there."""
    write(stack, "g", IN_GROUP)
    apply(stack)
    write(stack, "g", IN_SUBNET)
    apply(stack)
    write(stack, "", IN_SUBNET)
    refusal = stack.run(*words, status=1)
    assert "'security_groups' of 'aws.instance.m' names it" in refusal.err and GROUP_HINT in refusal.err
    stack.run("destroy", "--yes")


def test_a_group_is_replaced_that_an_ignored_field_names(stack, cloud):
    machine = {**IN_GROUP, "lifecycle": {"ignore": ["security_groups"]}}
    write(stack, "g", machine)
    apply(stack)
    write(stack, "g", machine, name="another")
    refused(stack, "aws.security_group.g", "security_groups", GROUP_HINT)
    write(stack, "g", IN_GROUP, name="another")
    apply(stack)
    plan_is_empty(stack)


def test_a_subnet_goes_with_the_field_that_names_it(stack, cloud):
    """Nothing but its deletion takes a machine out of there."""
    write(stack, "", IN_SUBNET)
    apply(stack)
    ids = ids_of(stack)
    write(stack, "", {}, subnets=())
    refused(stack, "aws.subnet.s", "subnet", "have that go too, or keep 'aws.subnet.s'")
    assert ids_of(stack) == ids
