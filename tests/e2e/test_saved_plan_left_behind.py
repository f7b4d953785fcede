"""Saved plans beside what a replace has left behind: it goes, or stays, and what its address stands for is another matter."""

import pytest

from cli import edit, recorded, tiny, world  # noqa: F401
from test_cli_drift import deny

ROUTES = "aws.route_table:\n  r: {vpc: main, subnets: [a]}\n"


@pytest.fixture
def left(tiny):  # noqa: F811
    """Another subnet has been made in the place of one that could not be deleted."""
    edit(tiny, "a: {", "a: {lifecycle: {create_before_destroy: true}, ")
    tiny.write("routes.yaml", ROUTES)
    tiny.run("apply", "--yes")
    edit(tiny, "10.0.1.0", "10.0.3.0")
    tiny.run("sim", "fault", "DeleteSubnet", "deny", "1", "1")
    tiny.run("apply", "--yes", status=7)
    assert sorted(each["role"] for each in objects(tiny) if each["address"] == "aws.subnet.a") == ["current", "deposed"]
    return tiny


def objects(stack):
    return stack.run("state", "list", "--output", "json").json["objects"]


def left_behind(stack):
    return {each["provider_id"] for each in objects(stack) if each["role"] == "deposed"}


def own(stack, address):
    (current,) = [each["provider_id"] for each in objects(stack) if (each["address"], each["role"]) == (address, "current")]
    return current


INSTANCE = "aws.instance:\n  i: {image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a}\n"
# Name: (file, what is in it, what that becomes)
BESIDE = {
    "nothing else": ("tiny.yaml", "team: red", "team: red"),
    "what its address stands for": ("tiny.yaml", "10.0.3.0/24", "10.0.3.0/24, public: true"),
    "what it lies in": ("tiny.yaml", "team: red", "team: blue"),
    "what refers to its address": ("routes.yaml", "r: {vpc: main", "r: {vpc: main, tags: {a: b}"),
    "what lets go of its address": ("routes.yaml", "subnets: [a]", "subnets: [b]"),
    "what is new at its address": ("routes.yaml", ROUTES, ROUTES + INSTANCE),
}


@pytest.mark.parametrize("options", [[], ["--refresh=none"], ["--target", "aws.subnet.a"]], ids=" ".join)
@pytest.mark.parametrize("file, old, new", BESIDE.values(), ids=BESIDE)
def test_it_goes(left, file, old, new, options):
    edit(left, old, new, file)
    gone = left_behind(left)
    planned = left.run("plan", "--out", "p.plan", "--output", "json", *options).json
    assert gone == {one["provider_id"] for one in planned["actions"] if one["operation"] == "delete"}
    applied = left.run("apply", "p.plan", "--output", "json").json
    assert applied["applied"]["done"] == len(planned["actions"])
    assert not gone & set(world(left, "subnet"))
    left.run("apply", "--yes")
    left.run("plan", "--detailed-exitcode")


def test_it_goes_with_all(left):
    left.run("plan", "--destroy", "--out", "p.plan")
    left.run("apply", "p.plan")
    assert recorded(left) == {} and world(left, "vpc") == {}


def test_it_goes_with_what_its_address_stands_for(left):
    edit(left, "  a: {lifecycle: {create_before_destroy: true}, vpc: main, cidr: 10.0.3.0/24}\n", "")
    left.write("routes.yaml", "")
    left.run("plan", "--out", "p.plan", "--target", "aws.subnet.a")
    left.run("apply", "p.plan")
    left.run("plan", "--detailed-exitcode")


def test_it_stays_while_its_address_goes_on(left):
    """What may still use it could not be read."""
    allow = deny(left, "DescribeRouteTables")
    edit(left, "10.0.3.0/24", "10.0.3.0/24, public: true")
    planned = left.run("plan", "--out", "p.plan", "--output", "json", status=3).json
    stays = ("unread", "aws.subnet.a")
    assert stays in {(one["operation"], one["address"]) for one in planned["actions"]}
    applied = left.run("apply", "p.plan", "--output", "json", status=3).json
    assert applied["applied"]["done"] == 1
    assert applied["unread"] == planned["unread"]
    assert left_behind(left) and left_behind(left) <= set(world(left, "subnet"))
    allow()
    left.run("apply", "--yes")
    left.run("plan", "--detailed-exitcode")


def test_what_its_address_stands_for_stays_unread(tiny):  # noqa: F811
    edit(tiny, "main: {", "main: {lifecycle: {create_before_destroy: true}, dns_support: true, ")
    tiny.run("apply", "--yes")
    edit(tiny, "10.0.0.0/16", "10.0.0.0/17")
    tiny.run("sim", "fault", "DeleteVpc", "deny", "1", "1")
    tiny.run("apply", "--yes", status=7)
    deny(tiny, "DescribeVpcAttribute")
    planned = tiny.run("plan", "--out", "p.plan", "--output", "json", status=3).json
    assert [(one["address"], one["field"]) for one in planned["unread"]] == [("aws.vpc.main", "dns_support")]
    applied = tiny.run("apply", "p.plan", "--output", "json", status=3).json
    assert applied["unread"] == planned["unread"]
    assert len(world(tiny, "vpc")) == 1


def test_plan_is_stale_where_what_its_address_stands_for_is_gone(left):
    """Something new is to refer to that, and nothing else is done there."""
    edit(left, ROUTES, ROUTES + INSTANCE, "routes.yaml")
    left.run("plan", "--out", "p.plan")
    left.run("sim", "remove", "subnet", own(left, "aws.subnet.a"))
    result = left.run("apply", "p.plan", status=4)
    assert "'aws.subnet.a' has changed since the plan was made: it is not there any more" in result.err
    assert left_behind(left) <= set(world(left, "subnet"))


def test_plan_is_stale_where_what_its_address_stands_for_has_the_range_by_now(left):
    edit(left, "outputs:", "  c: {vpc: main, cidr: 10.0.64.0/18}\noutputs:")
    left.run("plan", "--out", "p.plan")
    edit(left, "  c: {vpc: main, cidr: 10.0.64.0/18}\n", "")
    edit(left, "10.0.3.0", "10.0.65.0")
    left.run("sim", "fault", "DeleteSubnet", "deny", "1", "2")
    left.run("apply", "--yes", status=7)
    result = left.run("apply", "p.plan", status=4)
    assert "'aws.subnet.a' has by now what it would have as its 'cidr'" in result.err
