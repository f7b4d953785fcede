"""What goes by itself with what we delete is our doing, in what others show as in their outputs: no drift."""

import pytest

from test_moved_by_hand import association_of, move, routed
from trueup_runner import Ref, apply, ids_of, plan_is_empty, spec_text


# How a table has a subnet of ours that is none of its spec's: it was its own once, or others have put it there.
WAYS = {
    "ours, left to others": ({"subnets": [Ref("aws.subnet.b")], "lifecycle": {"ignore": ["subnets"]}}, False),
    "theirs, left to others": ({"lifecycle": {"ignore": ["subnets"]}}, True),
    "theirs, never set": ({}, True),
}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def tabled(request, stack, cloud):
    """The spec without the subnet that the table shows, applied with it."""
    fields, by_hand = request.param
    spec = routed()
    table = spec["aws.route_table"]["t"]
    del table["subnets"]
    table |= fields
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    if by_hand:
        ids = ids_of(stack)
        cloud.client().associate_route_table(RouteTableId=ids["aws.route_table.t"], SubnetId=ids["aws.subnet.b"])
        stack.run("drift", status=2)
        apply(stack)
    if "subnets" in table:
        table["subnets"] = []
    spec["aws.subnet"] = {name: body for name, body in spec["aws.subnet"].items() if name != "b"}
    return spec


def is_as_recorded(stack):
    assert "no drift" in stack.run("drift").out
    plan_is_empty(stack)


@pytest.mark.parametrize("saved", [False, True], ids=["at once", "by a saved plan"])
def test_a_subnet_takes_its_association_along(stack, tabled, saved):
    stack.write("stack.yaml", spec_text(tabled))
    if saved:
        stack.run("plan", "--out", "p.plan")
    stack.run(*(["apply", "p.plan"] if saved else ["apply", "--yes"]))
    is_as_recorded(stack)


def test_and_so_it_is_where_recovery_finds_it_gone(stack, cloud, tabled):
    stack.write("stack.yaml", spec_text(tabled))
    fault = cloud.fault("DeleteSubnet", "lost_answer", 1, 0)
    stack.run("apply", "--yes", status=None)
    cloud.heal(fault)
    stack.run("recover")
    is_as_recorded(stack)


def test_what_others_take_away_is_told(stack, cloud, tabled):
    stack.write("stack.yaml", spec_text(tabled))
    ec2, subnet = cloud.client(), ids_of(stack)["aws.subnet.b"]
    ec2.disassociate_route_table(AssociationId=association_of(ec2, subnet))
    told = stack.run("drift", status=2).out
    assert "aws.route_table.t" in told and "associations" in told
    # The deletion of a subnet that no longer has it tells nothing of that.
    stack.run("apply", "--yes")
    is_as_recorded(stack)


def test_a_subnet_that_others_deleted_is_theirs_to_tell(stack, cloud, tabled):
    ids = ids_of(stack)
    ec2 = cloud.client()
    ec2.disassociate_route_table(AssociationId=association_of(ec2, ids["aws.subnet.b"]))
    ec2.delete_subnet(SubnetId=ids["aws.subnet.b"])
    told = stack.run("drift", status=2).out
    assert "aws.route_table.t" in told and "aws.subnet.b" in told


def test_an_undoing_leaves_the_table_as_it_is(stack, tabled):
    stack.write("stack.yaml", spec_text(tabled))
    apply(stack)
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    stack.run("undo", run, "--yes")
    assert "no drift" in stack.run("drift").out


def test_what_others_take_away_is_told_also_where_the_subnet_alone_is_deleted(stack, cloud, tabled):
    stack.write("stack.yaml", spec_text(tabled))
    ec2, subnet = cloud.client(), ids_of(stack)["aws.subnet.b"]
    ec2.disassociate_route_table(AssociationId=association_of(ec2, subnet))
    # By the plan itself, where the table is recorded to refer to the subnet.
    told = stack.run("apply", "--yes", "--target", "aws.subnet.b").out + stack.run("drift", status=None).out
    assert "aws.route_table.t" in told


def test_a_subnet_that_is_taken_back_is_missed_by_nobody(stack, cloud):
    spec = routed("a", "b")
    spec["aws.route_table"]["u"] = {"vpc": Ref("aws.vpc.home"), "lifecycle": {"ignore": ["subnets"]}}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    ids = ids_of(stack)
    move(cloud.client(), ids["aws.subnet.b"], ids["aws.route_table.u"])
    assert "aws.route_table.u" in stack.run("drift", status=2).out
    apply(stack)
    is_as_recorded(stack)
