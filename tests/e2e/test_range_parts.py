"""A range that lies in what another subnet has, or around it, is to be had once that one has gone."""

import pytest

from test_handover import carry_out
from trueup_runner import Ref, apply, errors_of, ids_of, plan_is_empty, spec_text


def network(tables=None, more=None, **cidrs):
    """Subnets of one VPC; tables: which of them each table routes."""
    return {
        "aws.vpc": {"m": {"cidr": "10.0.0.0/16", "ipv6": True}},
        "aws.subnet": {
            name: {"vpc": Ref("aws.vpc.m"), **(each if isinstance(each, dict) else {"cidr": each})}
            for name, each in cidrs.items()
        },
        "aws.route_table": {
            table: {"vpc": Ref("aws.vpc.m"), "subnets": [Ref(f"aws.subnet.{name}") for name in names]}
            for table, names in (tables or {}).items()
        },
        **(more or {}),
    }


def machine(subnet):
    own = {"image": "ami-0123456789abcdef0", "instance_type": "m6i.large", "subnet": Ref(f"aws.subnet.{subnet}")}
    return {"aws.instance": {"i": own}}


def group(*subnets, desired=0):
    template = {"name": "worker", "image": "ami-0123456789abcdef0", "instance_type": "m6i.large"}
    return {
        "aws.launch_template": {"t": template},
        "aws.autoscaling_group": {
            "g": {
                "name": "g",
                "launch_template": Ref("aws.launch_template.t"),
                "subnets": [Ref(f"aws.subnet.{name}") for name in subnets],
                "min": 0,
                "max": 1,
                "desired": desired,
            }
        },
    }


def part6(cidr, bits):
    """A subnet with the first of the VPC's IPv6 ranges of that many further bits."""
    return {"cidr": cidr, "ipv6_cidr": "${cidr_subnet(aws.vpc.m.ipv6_cidr, %d, 0)}" % bits}


WHOLE, LOW, HIGH = "10.0.1.0/24", "10.0.1.0/25", "10.0.1.128/25"
OTHER, OTHER_LOW = "10.0.2.0/24", "10.0.2.0/25"

# Before, after, and who takes what another one has.
CHANGES = {
    "split": (network({"t": "d"}, d=WHOLE), network({"t": "ab"}, a=LOW, b=HIGH), "a"),
    "split, no table": (network(d=WHOLE), network(a=LOW), "a"),
    "joined": (network({"t": "ab"}, a=LOW, b=HIGH), network({"t": "d"}, d=WHOLE), "d"),
    "shrunk": (network({"t": "d"}, d=WHOLE), network({"t": "da"}, d=LOW, a=HIGH), "a"),
    "exchanged": (
        network({"t": "c", "u": "d"}, c=OTHER, d=WHOLE),
        network({"t": "c", "u": "d"}, c=LOW, d=OTHER_LOW),
        "c",
    ),
    "around": (network({"t": "c"}, c=OTHER, d=WHOLE), network({"t": "c"}, c="10.0.0.0/20"), "c"),
    "a machine moves": (network({"t": "d"}, machine("d"), d=WHOLE), network({"t": "a"}, machine("a"), a=LOW), "a"),
    "a part of IPv6": (
        network(c=part6(OTHER, 4), d=WHOLE),
        network(c=OTHER, d=part6(WHOLE, 8)),
        "d",
    ),
    "a part of IPv6 to a new one": (network(c=part6(OTHER, 4)), network(c=OTHER, d=part6(WHOLE, 8)), "d"),
}


def subnets_of(cloud, vpc):
    found = cloud.client().describe_subnets(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["Subnets"]
    return {each["SubnetId"]: each["CidrBlock"] for each in found}


def change(stack, first, second):
    stack.write("stack.yaml", spec_text(first))
    apply(stack)
    stack.write("stack.yaml", spec_text(second))


@pytest.mark.parametrize("edit", CHANGES)
def test_a_part_of_a_range_is_taken_in_one_apply(stack, cloud, edit):
    first, second, _ = CHANGES[edit]
    change(stack, first, second)
    apply(stack)
    plan_is_empty(stack)
    ids = ids_of(stack)
    wanted = {ids[f"aws.subnet.{name}"]: each["cidr"] for name, each in second["aws.subnet"].items()}
    assert subnets_of(cloud, ids["aws.vpc.m"]) == wanted


def test_a_group_that_would_have_to_move_first_is_refused_before_anything_is_done(stack, cloud):
    """What the hint says does it, once nothing runs there: the new subnet elsewhere first."""
    change(stack, network(None, group("d", desired=1), d=WHOLE), network(None, group("a", desired=1), a=LOW))
    cloud.sim("pass", 600)
    ids = ids_of(stack)
    [error] = errors_of(stack.run("apply", "--yes", "--output", "json", status=1).json)
    assert error["message"].startswith("these steps wait for each other: ")
    assert "with another 'cidr' of 'aws.subnet.a'" in error["hint"]
    assert ids_of(stack) == ids
    stack.write("stack.yaml", spec_text(network(None, group("d"), d=WHOLE)))
    apply(stack)
    for cidr in (OTHER, LOW):
        stack.write("stack.yaml", spec_text(network(None, group("a"), a=cidr)))
        apply(stack)
    plan_is_empty(stack)


def test_a_group_that_runs_nothing_is_no_hindrance(stack, cloud):
    """It but names the old subnet, which can go first."""
    for subnets in ({"d": WHOLE}, {"a": LOW}, {"a": WHOLE}):
        stack.write("stack.yaml", spec_text(network(None, group(*subnets), **subnets)))
        apply(stack)
    plan_is_empty(stack)


def test_one_that_is_made_first_cannot_have_a_part_of_what_the_old_one_has(stack, cloud):
    change(stack, network(None, group("d", desired=1), d=WHOLE), network(None, group("d", desired=1), d=LOW))
    cloud.sim("pass", 600)
    ids = ids_of(stack)
    [error] = errors_of(stack.run("apply", "--yes", "--output", "json", status=1).json)
    assert f"its new 'cidr' overlaps {WHOLE}" in error["message"] and error["line"] > 0
    assert ids_of(stack) == ids


def test_a_part_of_what_another_one_keeps_is_refused_before_anything_is_done(stack, cloud):
    """Its spec says another range, and ignores which it has."""
    kept = {"cidr": OTHER, "lifecycle": {"ignore": ["cidr"]}}
    change(stack, network({"t": "c"}, c="10.0.9.0/24", d=WHOLE), network({"t": "c"}, c=LOW, d=kept))
    ids = ids_of(stack)
    [error] = errors_of(stack.run("apply", "--yes", "--output", "json", status=1).json)
    assert f"'aws.subnet.d' has {WHOLE}, and keeps it" in error["message"] and error["address"] == "aws.subnet.c"
    assert ids_of(stack) == ids


@pytest.mark.parametrize("saved", [None, "full", "none"])
@pytest.mark.parametrize("edit", CHANGES)
def test_whoever_has_a_part_of_it_comes_along_with_its_taker(stack, cloud, edit, saved):
    first, second, taker = CHANGES[edit]
    change(stack, first, second)
    carry_out(stack, saved, "--target", f"aws.subnet.{taker}")
    # What was not named comes with the rest of the spec.
    apply(stack)
    plan_is_empty(stack)
