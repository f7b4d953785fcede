"""What a spec has let go of stays as long as the object does: a plan that makes another one says what that is without."""

import pytest
from trueup_runner import Ref, apply, ids_of, plan_is_empty, spec_text

WARNING = "'{}' is replaced: the new one is without its '{}', which the spec has let go of"


def write(stack, description="d", image="ami-0123456789abcdef0", group=None, machine=None):
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.subnet": {"s": {"vpc": Ref("aws.vpc.v"), "cidr": "10.0.0.0/24"}},
        "aws.security_group": {"g": {"vpc": Ref("aws.vpc.v"), "name": "g", "description": description, **(group or {})}},
        "aws.instance": {"m": {"image": image, "instance_type": "t3.micro", "subnet": Ref("aws.subnet.s"), **(machine or {})}},
    }
    stack.write("stack.yaml", spec_text(spec))


def warnings_of(stack, *words):
    shown = stack.run("plan", "--output", "json", *words).json["diagnostics"]
    return [each["message"] for each in shown if each["severity"] == "warning"]


@pytest.fixture
def let_go(stack, cloud):
    """Once with, and then without: of an object a member, and fields as a whole."""
    write(stack, group={"egress": []}, machine={"metadata": {"tokens": "required", "hop_limit": 2}, "ebs_optimized": True})
    apply(stack)
    write(stack, machine={"metadata": {"tokens": "required"}})
    apply(stack)
    plan_is_empty(stack)
    return stack


LOST = [
    WARNING.format("aws.security_group.g", "egress"),
    WARNING.format("aws.instance.m", "metadata.hop_limit"),
    WARNING.format("aws.instance.m", "ebs_optimized"),
]


@pytest.mark.parametrize("words", [[], ["--refresh", "none"]], ids=["read", "unread"])
def test_a_replace_tells_what_the_new_one_is_without(let_go, words):
    write(let_go, "other", "ami-0fedcba9876543210", machine={"metadata": {"tokens": "required"}})
    assert sorted(warnings_of(let_go, *words)) == sorted(LOST)


def test_other_changes_between_keep_it_in_mind(let_go):
    write(let_go, machine={"metadata": {"tokens": "required"}, "tags": {"a": "b"}})
    assert warnings_of(let_go) == []
    apply(let_go)
    let_go.run("state", "mv", "aws.instance.m", "aws.instance.n")
    let_go.run("state", "mv", "aws.instance.n", "aws.instance.m")
    write(let_go, "other", "ami-0fedcba9876543210", machine={"metadata": {"tokens": "required"}})
    assert sorted(warnings_of(let_go)) == sorted(LOST)


def test_what_is_said_again_is_not_lost(let_go):
    said = {"metadata": {"tokens": "required", "hop_limit": 2}, "ebs_optimized": True}
    write(let_go, "other", "ami-0fedcba9876543210", group={"egress": []}, machine=said)
    assert warnings_of(let_go) == []
    write(let_go, group={"egress": []}, machine=said)
    apply(let_go)
    write(let_go, "other", "ami-0fedcba9876543210", group={"egress": []}, machine={"metadata": {"tokens": "required"}})
    # What goes in the same plan is among its changes.
    assert warnings_of(let_go) == []


@pytest.mark.parametrize("at_once", [False, True])
def test_a_new_one_has_let_go_of_nothing(let_go, at_once):
    if at_once:
        write(let_go, group={"egress": []}, machine={"metadata": {"tokens": "required", "hop_limit": 2}, "ebs_optimized": True})
        apply(let_go)
    write(let_go, "other", "ami-0fedcba9876543210", machine={"metadata": {"tokens": "required"}})
    apply(let_go)
    write(let_go, "another", machine={"metadata": {"tokens": "required"}})
    assert warnings_of(let_go) == []


def test_a_rebuild_keeps_it_in_mind(let_go, cloud):
    """Also where it writes the record anew, for the spec says something else that is there."""
    tagged = {"metadata": {"tokens": "required"}, "tags": {"a": "b"}}
    let_go.run("state", "rebuild", "--force", "--yes")
    cloud.client().create_tags(Resources=[ids_of(let_go)["aws.instance.m"]], Tags=[{"Key": "a", "Value": "b"}])
    write(let_go, machine=tagged)
    let_go.run("state", "rebuild", "--force", "--yes")
    plan_is_empty(let_go)
    write(let_go, "other", "ami-0fedcba9876543210", machine=tagged)
    assert sorted(warnings_of(let_go)) == sorted(LOST)


def test_what_is_ignored_by_now_is_told_once(let_go):
    left = {"lifecycle": {"ignore": ["egress"]}}
    write(let_go, group=left, machine={"metadata": {"tokens": "required"}})
    apply(let_go)
    write(let_go, "other", group=left, machine={"metadata": {"tokens": "required"}})
    assert not [each for each in warnings_of(let_go) if "let go of" in each]
