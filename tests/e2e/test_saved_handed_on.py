"""A saved plan takes a subnet from one table and gives it to another, and others have moved it by the time it is applied."""

import pytest

from trueup_runner import Ref, apply, ids_of, plan_is_empty, spec_text

HOME, SUBNET = Ref("aws.vpc.home"), Ref("aws.subnet.a")
OTHERS = [Ref("aws.subnet.b")]
# What becomes of the table that has it: it goes, gives it up, or is made anew.
WAYS = {
    "deleted": {},
    "changed": {"old": {"vpc": HOME, "subnets": []}},
    "keeps another": {"old": {"vpc": HOME, "subnets": OTHERS}},
}


def write(stack, **tables):
    subnets = {name: {"vpc": HOME, "cidr": f"10.20.{number}.0/24"} for number, name in enumerate("ab")}
    tables["beside"] = {"vpc": HOME}
    stack.write(
        "stack.yaml",
        spec_text({"aws.vpc": {"home": {"cidr": "10.20.0.0/16"}}, "aws.subnet": subnets, "aws.route_table": tables}),
    )


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def planned(request, stack, cloud):
    write(stack, old={"vpc": HOME, "subnets": [SUBNET, *OTHERS]})
    apply(stack)
    write(stack, **request.param, new={"vpc": HOME, "subnets": [SUBNET]})
    stack.run("plan", "--out", "p.plan")


def move(stack, cloud, table, subnet="aws.subnet.a"):
    """By hand; table None: to none at all."""
    ec2, ids = cloud.client(), ids_of(stack)
    [there] = ec2.describe_route_tables(Filters=[{"Name": "association.subnet-id", "Values": [ids[subnet]]}])["RouteTables"]
    [link] = [each["RouteTableAssociationId"] for each in there["Associations"] if each["SubnetId"] == ids[subnet]]
    if table:
        ec2.replace_route_table_association(AssociationId=link, RouteTableId=ids[table])
    else:
        ec2.disassociate_route_table(AssociationId=link)


@pytest.mark.parametrize("table", ["aws.route_table.beside", None])
def test_somebody_has_moved_it(stack, cloud, planned, table):
    move(stack, cloud, table)
    before = ids_of(stack)
    refused = stack.run("apply", "p.plan", status=4)
    assert "'aws.route_table.old' has changed since the plan was made" in refused.err
    assert ids_of(stack) == before


def test_nobody_has(stack, cloud, planned):
    stack.run("apply", "p.plan")
    plan_is_empty(stack)


def test_it_was_nowhere_when_the_plan_was_made(stack, cloud):
    """What has not changed since is no reason: whoever reviewed the plan had it before them."""
    write(stack, old={"vpc": HOME, "subnets": [SUBNET, *OTHERS]})
    apply(stack)
    move(stack, cloud, None)
    write(stack, new={"vpc": HOME, "subnets": [SUBNET]})
    stack.run("plan", "--out", "p.plan")
    stack.run("apply", "p.plan")
    plan_is_empty(stack)
