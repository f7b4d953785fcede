"""What either of two resources may say (a VPN gateway or a route table, that routes are propagated): from end to end.

On the simulator alone: the third party's server does not know the operations.
"""

import pytest

from trueup_runner import Ref, apply, ids_of, plan, plan_is_empty, spec_text


def spec(propagation=None, propagate_to=None, **more):
    gateway = {"vpc": Ref("aws.vpc.home")}
    table = {"vpc": Ref("aws.vpc.home"), **more}
    if propagate_to is not None:
        gateway["propagate_to"] = [Ref(f"aws.route_table.{name}") for name in propagate_to]
    if propagation is not None:
        table["propagation"] = [Ref(f"aws.vpn_gateway.{name}") for name in propagation]
    return {
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
        "aws.vpn_gateway": {"edge": gateway},
        "aws.route_table": {"a": table, "b": {"vpc": Ref("aws.vpc.home")}},
    }


def propagating(cloud, stack):
    ids = ids_of(stack)
    names = {ids[f"aws.route_table.{name}"]: name for name in "ab"}
    listed = cloud.client().describe_route_tables(RouteTableIds=sorted(names))["RouteTables"]
    return sorted(names[each["RouteTableId"]] for each in listed if each["PropagatingVgws"])


ENDS = {
    "to the gateway": (spec(propagation=["edge"]), spec(propagate_to=["a"]), ["a"]),
    "to the gateway, and none": (spec(propagation=["edge"]), spec(propagation=[], propagate_to=["a"]), ["a"]),
    "to the gateway, with another": (spec(propagation=["edge"]), spec(propagate_to=["a", "b"]), ["a", "b"]),
    "to the table": (spec(propagate_to=["a"]), spec(propagation=["edge"]), ["a"]),
    "to the table, and none": (spec(propagate_to=["a"]), spec(propagation=["edge"], propagate_to=[]), ["a"]),
    "to the table, less another": (spec(propagate_to=["a", "b"]), spec(propagation=["edge"]), ["a"]),
    "to the table, with its tags": (spec(propagate_to=["a"]), spec(propagation=["edge"], tags={"x": "y"}), ["a"]),
}


@pytest.mark.parametrize("move", ENDS)
def test_propagation_goes_over_to_the_other_end(stack, cloud, move):
    """It stays on, and the next plan has nothing to say of it."""
    first, second, there = ENDS[move]
    stack.write("stack.yaml", spec_text(first))
    apply(stack)
    stack.write("stack.yaml", spec_text(second))
    planned = plan(stack, status=2)
    apply(stack)
    assert propagating(cloud, stack) == there
    plan_is_empty(stack)
    stack.run("drift")
    if "another" not in move and "tags" not in move:
        assert set(planned.operations().values()) == {"record"}

    # Whoever says nothing of it any more lets go of it: then both ends do.
    stack.write("stack.yaml", spec_text(spec()))
    apply(stack)
    assert propagating(cloud, stack) == []
    plan_is_empty(stack)


def said_by_both(**edge):
    """One table is the gateway's to say, and three say it themselves."""
    home, gateway = {"vpc": Ref("aws.vpc.home")}, [Ref("aws.vpn_gateway.edge")]
    return {
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
        "aws.vpn_gateway": {"edge": {**home, "propagate_to": [Ref("aws.route_table.b")], **edge}},
        "aws.route_table": {"b": home, **{name: {**home, "propagation": gateway} for name in "acd"}},
    }


def test_what_each_end_says_for_itself_is_on_after_one_run(stack, cloud):
    """Whichever comes first: a gateway that is being made finds what the tables of the same run have turned on."""
    stack.write("stack.yaml", spec_text(said_by_both(asn=64512)))
    apply(stack)
    plan_is_empty(stack)
    stack.run("drift")
    stack.write("stack.yaml", spec_text(said_by_both(asn=64513)))
    planned = plan(stack, status=2)
    assert not [each for each in planned.actions["aws.vpn_gateway.edge"].changes if each.get("cause") == "drift"]
    apply(stack)
    plan_is_empty(stack)
    stack.run("drift")


@pytest.mark.parametrize("foreign", [False, True], ids=["whole", "with another's"])
def test_what_each_end_says_for_itself_is_so_in_a_record_made_anew(stack, cloud, foreign):
    """What a read shows at one end and the other end says is recorded there, and what nobody says is told by a plan."""
    stack.write("stack.yaml", spec_text(said_by_both()))
    apply(stack)
    ids = ids_of(stack)
    if foreign:
        spare = cloud.client().create_route_table(VpcId=ids["aws.vpc.home"])["RouteTable"]["RouteTableId"]
        cloud.client().enable_vgw_route_propagation(RouteTableId=spare, GatewayId=ids["aws.vpn_gateway.edge"])
    (stack.folder / ".trueup").rename(stack.folder / "old")
    stack.run("state", "rebuild", "--yes")
    stack.run("drift", status=2 if foreign else 0)
    if not foreign:
        plan_is_empty(stack)
        return
    [change] = plan(stack, status=2).actions["aws.vpn_gateway.edge"].changes
    assert change["path"].startswith("propagate_to")


def test_what_one_end_says_once_and_leaves_to_others_is_not_for_the_other_to_take_away(stack, cloud):
    last = said_by_both()
    for name in "acd":
        last["aws.route_table"][name]["lifecycle"] = {"ignore": ["propagation"]}
    stack.write("stack.yaml", spec_text(last))
    apply(stack)
    plan_is_empty(stack)
    stack.run("drift")
    ids = ids_of(stack)
    cloud.client().disable_vgw_route_propagation(RouteTableId=ids["aws.route_table.a"], GatewayId=ids["aws.vpn_gateway.edge"])
    stack.run("drift")
    plan_is_empty(stack)


def test_what_an_unfinished_gateway_was_begun_with_is_turned_off(stack, cloud):
    stack.write("stack.yaml", spec_text(spec(propagate_to=["a", "b"])))
    cloud.fault("EnableVgwRoutePropagation", "deny", 2, 1)
    stack.run("apply", "--yes", status=7)
    [first] = propagating(cloud, stack)
    stack.write("stack.yaml", spec_text(spec(propagate_to=sorted({"a", "b"} - {first}))))
    apply(stack)
    assert propagating(cloud, stack) == sorted({"a", "b"} - {first})
    plan_is_empty(stack)


@pytest.mark.parametrize("end", [spec(propagation=["edge"]), spec(propagate_to=["a"])], ids=["table", "gateway"])
def test_a_gateway_that_goes_behind_its_propagation_comes_back_with_it(stack, cloud, end):
    """It was detached and deleted by hand, and is listed no more: no call could name it, to make a table let go of it."""
    stack.write("stack.yaml", spec_text(end))
    apply(stack)
    ids = ids_of(stack)
    ec2 = cloud.client()
    ec2.detach_vpn_gateway(VpnGatewayId=ids["aws.vpn_gateway.edge"], VpcId=ids["aws.vpc.home"])
    cloud.wait_for(
        lambda: ec2.describe_vpn_gateways(VpnGatewayIds=[ids["aws.vpn_gateway.edge"]])["VpnGateways"][0]["VpcAttachments"][0]["State"]
        == "detached"
    )
    ec2.delete_vpn_gateway(VpnGatewayId=ids["aws.vpn_gateway.edge"])
    cloud.sim("pass", 3600)
    apply(stack)
    assert ids_of(stack)["aws.vpn_gateway.edge"] != ids["aws.vpn_gateway.edge"]
    assert propagating(cloud, stack) == ["a"]
    plan_is_empty(stack)
    stack.run("drift")


def turn_on(cloud, stack):
    ids = ids_of(stack)
    cloud.client().enable_vgw_route_propagation(RouteTableId=ids["aws.route_table.a"], GatewayId=ids["aws.vpn_gateway.edge"])
    return f"propagation[{ids['aws.vpn_gateway.edge']}]"


def test_propagation_that_no_end_says_is_drift_until_it_is_recorded(stack, cloud):
    stack.write("stack.yaml", spec_text(spec()))
    apply(stack)
    path = turn_on(cloud, stack)
    assert f"{path}  added outside   not managed, left as it is" in stack.run("drift", status=2).out
    planned = plan(stack, status=2)
    assert planned.operations() == {"aws.route_table.a": "record"}
    apply(stack)
    assert propagating(cloud, stack) == ["a"]
    plan_is_empty(stack)
    stack.run("drift")


@pytest.mark.parametrize("said", [spec(propagate_to=[]), spec(propagate_to=["b"])], ids=["none", "another"])
def test_propagation_of_a_gateway_that_says_otherwise_is_told_there(stack, cloud, said):
    stack.write("stack.yaml", spec_text(said))
    apply(stack)
    turn_on(cloud, stack)
    stack.run("drift", status=2)
    assert plan(stack, status=2).operations() == {"aws.vpn_gateway.edge": "update"}
    apply(stack)
    assert "a" not in propagating(cloud, stack)
    stack.run("drift")


WITHOUT_GATEWAY = {kind: named for kind, named in spec(tags={"x": "y"}).items() if kind != "aws.vpn_gateway"}


@pytest.mark.parametrize("last", [spec(tags={"x": "y"}), WITHOUT_GATEWAY], ids=["gateway stays", "gateway goes"])
def test_what_a_gateway_says_no_more_is_no_drift_of_the_table(stack, cloud, last):
    """Also where the table was seen with it."""
    for said in spec(propagate_to=["a"]), spec(propagate_to=["a"], tags={"x": "y"}):
        stack.write("stack.yaml", spec_text(said))
        apply(stack)
    assert propagating(cloud, stack) == ["a"]
    stack.write("stack.yaml", spec_text(last))
    stack.run("drift")
    assert set(plan(stack, status=2).operations()) == {"aws.vpn_gateway.edge"}
    apply(stack)
    plan_is_empty(stack)
    stack.run("drift")


@pytest.mark.parametrize("end", ["table", "gateway"])
def test_what_one_end_leaves_to_others_by_now_is_no_drift_of_the_other(stack, cloud, end):
    """It has put that there itself. What others add is told at the end that never said anything."""
    said = spec(propagate_to=["a"]) if end == "gateway" else spec(propagation=["edge"])
    stack.write("stack.yaml", spec_text(said))
    apply(stack)
    kind, name, field = {
        "gateway": ("aws.vpn_gateway", "edge", "propagate_to"),
        "table": ("aws.route_table", "a", "propagation"),
    }[end]
    left = spec()
    left[kind][name]["lifecycle"] = {"ignore": [field]}
    stack.write("stack.yaml", spec_text(left))
    for _ in range(2):
        apply(stack)
        plan_is_empty(stack)
        stack.run("drift")
    assert propagating(cloud, stack) == ["a"]
    ids = ids_of(stack)
    cloud.client().enable_vgw_route_propagation(RouteTableId=ids["aws.route_table.b"], GatewayId=ids["aws.vpn_gateway.edge"])
    assert "aws.route_table.b" in stack.run("drift", status=2).out


@pytest.mark.parametrize("tags", [{}, {"tags": {"x": "y"}}], ids=["nothing else", "tags too"])
@pytest.mark.parametrize("end", ["table", "gateway"])
def test_what_one_end_put_there_and_says_nothing_of_any_more_is_no_drift_of_the_other(stack, cloud, end, tags):
    """It was left to others for a while, and then neither said nor left; nobody outside has made it."""
    stack.write("stack.yaml", spec_text(spec(propagate_to=["a"]) if end == "gateway" else spec(propagation=["edge"])))
    apply(stack)
    kind, name, field = {
        "gateway": ("aws.vpn_gateway", "edge", "propagate_to"),
        "table": ("aws.route_table", "a", "propagation"),
    }[end]
    for lifecycle in ({"lifecycle": {"ignore": [field]}}, tags, {"tags": {"z": "z"}}):
        said = spec()
        said[kind][name].update(lifecycle)
        stack.write("stack.yaml", spec_text(said))
        apply(stack)
        plan_is_empty(stack)
        stack.run("drift")
    assert propagating(cloud, stack) == ["a"]
    ids = ids_of(stack)
    cloud.client().enable_vgw_route_propagation(RouteTableId=ids["aws.route_table.b"], GatewayId=ids["aws.vpn_gateway.edge"])
    assert "aws.route_table.b" in stack.run("drift", status=2).out
    stack.run("destroy", "--yes")
    assert not cloud.things("vpc")


def gateways(**named):
    """Gateways by where they are attached and the table that takes in their routes; both VPCs and both tables stay."""
    vpcs = {name: {"cidr": cidr} for name, cidr in (("home", "10.20.0.0/16"), ("away", "10.30.0.0/16"))}
    tables = {name: {"vpc": Ref(f"aws.vpc.{vpc}")} for name, vpc in (("a", "home"), ("b", "away"))}
    return {
        "aws.vpc": vpcs,
        "aws.route_table": tables,
        "aws.vpn_gateway": {
            name: {"vpc": Ref(f"aws.vpc.{at[0]}"), "propagate_to": [Ref(f"aws.route_table.{to}") for to in at[1:]]}
            if at
            else {}
            for name, at in named.items()
        },
    }


# Where the gateway is to be that was at home, for table a; and the tables then.
LEAVES = {
    "detached": (gateways(edge=()), []),
    "moved": (gateways(edge=("away", "b")), ["b"]),
    "gives way": (gateways(edge=(), other=("home",)), []),
    "moved for another": (gateways(edge=("away",), other=("home", "a")), ["a"]),
}


@pytest.mark.parametrize("fault", [None, "deny", "lost_answer"])
@pytest.mark.parametrize("leaves", LEAVES)
def test_a_table_takes_in_no_more_of_a_gateway_that_leaves(stack, cloud, leaves, fault):
    """While it is attached alone anything tells of it, so that it is turned off before."""
    last, there = LEAVES[leaves]
    stack.write("stack.yaml", spec_text(gateways(edge=("home", "a"))))
    apply(stack)
    stack.write("stack.yaml", spec_text(last))
    if fault:
        cloud.fault("DisableVgwRoutePropagation", fault)
    applied = stack.run("apply", "--yes", status=None)
    if fault == "deny":
        assert applied.status == 1 and "DisableVgwRoutePropagation" in applied.err
        assert "a" in propagating(cloud, stack)
        applied = stack.run("apply", "--yes", status=None)
    assert applied.status == 0
    assert propagating(cloud, stack) == there
    stack.run("drift")
    plan_is_empty(stack)


@pytest.mark.parametrize("last", [{}, {"vpc": Ref("aws.vpc.away")}], ids=["detached", "moved"])
@pytest.mark.parametrize("calls", [(1, 1), (2, 1), (1, 0)], ids=["first", "second", "all"])
def test_a_gateway_stays_while_nobody_knows_which_tables_take_it_in(stack, cloud, last, calls):
    """The plan could not read that, and the attachment could be: once it has left no read tells of it."""
    stack.write("stack.yaml", spec_text(gateways(edge=("home", "a"))))
    apply(stack)
    stack.write("stack.yaml", spec_text({**gateways(), "aws.vpn_gateway": {"edge": last}}))
    fault = cloud.fault("DescribeRouteTables", "deny", *calls)
    stack.run("apply", "--yes", status=(1, 3))
    cloud.heal(fault)
    stack.run("drift")
    stack.run("apply", "--yes", status=None)
    plan_is_empty(stack)
    stack.run("drift")
    stack.write("stack.yaml", spec_text(gateways(edge=("home",))))
    apply(stack)
    assert propagating(cloud, stack) == []


@pytest.mark.parametrize("denied", [False, True], ids=["never", "once before"])
def test_a_gateway_whose_deletion_fails_comes_back_without_propagation(stack, cloud, denied):
    """It is detached by then, and the spec wants it again as it is no more."""
    stack.write("stack.yaml", spec_text(gateways(edge=("home", "a"))))
    apply(stack)
    if denied:
        stack.write("stack.yaml", spec_text(gateways(edge=("home",))))
        cloud.fault("DisableVgwRoutePropagation", "deny")
        stack.run("apply", "--yes", status=1)
    stack.write("stack.yaml", spec_text({**gateways(), "aws.vpn_gateway": {}}))
    cloud.fault("DeleteVpnGateway", "deny")
    stack.run("apply", "--yes", status=7)
    stack.write("stack.yaml", spec_text(gateways(edge=("home",))))
    apply(stack)
    assert propagating(cloud, stack) == []
    plan_is_empty(stack)
    stack.run("drift")


@pytest.mark.parametrize("fault", [None, "AttachVpnGateway", "DisableVgwRoutePropagation"])
@pytest.mark.parametrize("said", [[], None, ["b"]], ids=["none", "not said", "another"])
@pytest.mark.parametrize("moved", [False, True], ids=["detached", "moved"])
def test_what_no_read_tells_of_a_detached_gateway_is_switched_off_with_its_coming_back(stack, cloud, moved, said, fault):
    """Somebody has detached it, and its table takes it in again as soon as it is attached: one apply does both."""
    first = spec(propagate_to=["a"])
    first["aws.vpc"]["away"] = {"cidr": "10.30.0.0/16"}
    stack.write("stack.yaml", spec_text(first))
    apply(stack)
    ids, ec2 = ids_of(stack), cloud.client()
    edge = ids["aws.vpn_gateway.edge"]
    ec2.detach_vpn_gateway(VpnGatewayId=edge, VpcId=ids["aws.vpc.home"])
    cloud.sim("pass", 60)
    if moved:
        ec2 = cloud.client()
        ec2.attach_vpn_gateway(VpnGatewayId=edge, VpcId=ids["aws.vpc.away"])
        cloud.sim("pass", 60)
    last = spec(propagate_to=said)
    last["aws.vpc"] = first["aws.vpc"]
    stack.write("stack.yaml", spec_text(last))
    stack.run("drift", status=2)
    told = plan(stack, status=2).actions["aws.vpn_gateway.edge"]
    assert [each["after"] for each in told.changes if each["path"] == f"propagate_to[{ids['aws.route_table.a']}]" and each["effect"] == "set"] == [None]
    if fault:
        cloud.fault(fault, "deny", count=1)
        stack.run("apply", "--yes", status=(1, 7))
    apply(stack)
    assert propagating(cloud, stack) == (said or [])
    plan_is_empty(stack)
    stack.run("drift")


def test_a_gateway_that_others_detached_takes_in_what_it_says_again(stack, cloud):
    stack.write("stack.yaml", spec_text(spec(propagate_to=["a"])))
    apply(stack)
    ids = ids_of(stack)
    cloud.client().detach_vpn_gateway(VpnGatewayId=ids["aws.vpn_gateway.edge"], VpcId=ids["aws.vpc.home"])
    cloud.sim("pass", 60)
    for table in ids["aws.route_table.a"], ids["aws.route_table.b"]:
        cloud.change("route-table", table, propagatingVgwSet=[])
    apply(stack)
    assert propagating(cloud, stack) == ["a"]
    plan_is_empty(stack)
    stack.run("drift")
