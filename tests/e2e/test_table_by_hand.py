"""What people do to a route table that no field says: the main one of its VPC, gateways, another target of a local route."""

import re

import pytest
from trueup_runner import Ref, apply, errors_of, ids_of, plan_is_empty, spec_text

TABLE = "aws.route_table.r"


@pytest.fixture
def made(stack, cloud):
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.internet_gateway": {"i": {"vpc": Ref("aws.vpc.v")}},
        "aws.subnet": {"s": {"vpc": Ref("aws.vpc.v"), "cidr": "10.0.0.0/24"}},
        "aws.route_table": {
            "r": {
                "vpc": Ref("aws.vpc.v"),
                "routes": [{"destination": "0.0.0.0/0", "internet_gateway": Ref("aws.internet_gateway.i")}],
                "subnets": [Ref("aws.subnet.s")],
            }
        },
        "aws.instance": {"m": {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.s")}},
    }
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    stack.run("drift")
    return stack


def make_main(cloud, table, vpc):
    ec2 = cloud.client()
    tables = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["RouteTables"]
    [association] = [each for table in tables for each in table["Associations"] if each["Main"]]
    ec2.replace_route_table_association(AssociationId=association["RouteTableAssociationId"], RouteTableId=table)
    return association["RouteTableId"]


def is_refused_first(stack, cloud, why, way):
    before = cloud.show()
    for words in ("plan", "--destroy"), ("destroy", "--yes"):
        [error] = errors_of(stack.run(*words, "--output", "json", status=1).json)
        assert error["message"] == f"'{TABLE}' cannot be deleted: {why}", error
        assert way in error["hint"], error
    assert cloud.show() == before


def test_the_main_table_of_its_vpc(made, cloud):
    ids = ids_of(made)
    former = make_main(cloud, ids[TABLE], ids["aws.vpc.v"])
    assert re.search(r"main +unset, now true", made.run("drift", status=2).out)
    is_refused_first(made, cloud, "it is the main route table of its VPC", "ReplaceRouteTableAssociation")
    made.run("apply", "--yes")
    plan_is_empty(made)
    is_refused_first(made, cloud, "it is the main route table of its VPC", "ReplaceRouteTableAssociation")
    make_main(cloud, former, ids["aws.vpc.v"])
    assert re.search(r"main +true, now unset", made.run("drift", status=2).out)
    made.run("destroy", "--yes")
    assert not cloud.things("vpc")


def test_a_gateway_that_it_routes_for(made, cloud):
    ids = ids_of(made)
    made_by_hand = cloud.client().associate_route_table(GatewayId=ids["aws.internet_gateway.i"], RouteTableId=ids[TABLE])
    assert "gateways" in made.run("drift", status=2).out
    is_refused_first(made, cloud, "it routes what comes in by gateways", "DisassociateRouteTable")
    cloud.client().disassociate_route_table(AssociationId=made_by_hand["AssociationId"])
    made.run("drift")
    made.run("destroy", "--yes")


@pytest.mark.parametrize("fault", [None, "lost_answer", "lost_request", "deny", "error"])
@pytest.mark.parametrize("call", ["DeleteRoute", "ReplaceRoute"])
def test_a_local_route_with_another_target_is_set_back(made, cloud, fault, call):
    """All traffic within the VPC went there; a local route cannot be deleted."""
    ids = ids_of(made)
    ec2 = cloud.client()
    [interface] = cloud.things("instance")[ids["aws.instance.m"]]["networkInterfaceSet"]
    before = cloud.things("route-table")[ids[TABLE]]["routeSet"]
    ec2.replace_route(RouteTableId=ids[TABLE], DestinationCidrBlock="10.0.0.0/16", NetworkInterfaceId=interface["networkInterfaceId"])
    assert "routes[10.0.0.0/16]  added outside" in made.run("drift", status=2).out
    if fault:
        cloud.fault(call, fault, count=1)
        made.run("apply", "--yes", status=None)
    made.run("apply", "--yes")
    assert cloud.things("route-table")[ids[TABLE]]["routeSet"] == before
    plan_is_empty(made)
    made.run("drift")


def test_a_local_route_that_leads_elsewhere_keeps_nothing_from_going(made, cloud):
    ids = ids_of(made)
    [interface] = cloud.things("instance")[ids["aws.instance.m"]]["networkInterfaceSet"]
    cloud.client().replace_route(
        RouteTableId=ids[TABLE], DestinationCidrBlock="10.0.0.0/16", NetworkInterfaceId=interface["networkInterfaceId"]
    )
    made.run("destroy", "--yes")
    assert not cloud.things("vpc")


def test_a_route_that_leads_elsewhere_is_changed_back_as_a_whole(made, cloud):
    """Nothing of where it leads by now is left as it is."""
    ids = ids_of(made)
    [interface] = cloud.things("instance")[ids["aws.instance.m"]]["networkInterfaceSet"]
    ec2 = cloud.client()
    ec2.replace_route(RouteTableId=ids[TABLE], DestinationCidrBlock="0.0.0.0/0", NetworkInterfaceId=interface["networkInterfaceId"])
    for words in ("drift",), ("plan", "--detailed-exitcode"):
        shown = made.run(*words, status=2).out
        assert "left as it is" not in shown
        assert re.search(r"routes\[0\.0\.0\.0/0\]\.interface +unset, now eni-", shown), shown
        assert re.search(r"routes\[0\.0\.0\.0/0\]\.internet_gateway +igw-\w+, now unset", shown), shown
    apply(made)
    plan_is_empty(made)
    made.run("drift")


def test_what_others_moved_is_drift_after_a_repair_that_was_cut_short(stack, cloud):
    """The repair gave back one of two associations, which has another id now: that is no edit of the spec."""
    names = "ab"
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.subnet": {each: {"vpc": Ref("aws.vpc.v"), "cidr": f"10.0.{i}.0/24"} for i, each in enumerate(names)},
        "aws.route_table": {"r": {"vpc": Ref("aws.vpc.v"), "subnets": [Ref(f"aws.subnet.{each}") for each in names]}},
    }
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    cloud.change("route-table", ids_of(stack)[TABLE], associationSet=[])
    fault = cloud.fault("AssociateRouteTable", "deny", 2, 0)
    stack.run("apply", "--yes", status=7)
    cloud.heal(fault)
    shown = stack.run("plan", status=0).out
    assert "removed outside" in shown and "already so, will be recorded" in shown, shown
    assert "\nDRIFT " in shown and "INTENT" not in shown, shown
    apply(stack)
    plan_is_empty(stack)
