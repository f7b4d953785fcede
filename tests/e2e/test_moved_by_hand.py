"""What somebody has given to another object by hand, though it can be had but once.

On the simulator alone: the third party's server lets a table take a subnet that another has, and then neither shows it
so.
"""

import shutil

import pytest

from trueup_runner import Ref, apply, ids_of, plan_is_empty, spec_text

SUBNETS = {name: {"vpc": Ref("aws.vpc.home"), "cidr": f"10.20.{number}.0/24"} for number, name in enumerate("ab")}


def routed(*subnets, vpc=None, **more):
    return {
        "aws.vpc": {"home": vpc or {"cidr": "10.20.0.0/16"}},
        "aws.subnet": SUBNETS,
        "aws.route_table": {"t": {"vpc": Ref("aws.vpc.home"), "subnets": [Ref(f"aws.subnet.{name}") for name in subnets]}},
        **more,
    }


def tables_of(ec2):
    """{subnet: table}"""
    return {
        each["SubnetId"]: each["RouteTableId"]
        for table in ec2.describe_route_tables()["RouteTables"]
        for each in table["Associations"]
        if "SubnetId" in each
    }


def association_of(ec2, subnet):
    [association] = [
        each["RouteTableAssociationId"]
        for listed in ec2.describe_route_tables()["RouteTables"]
        for each in listed["Associations"]
        if each.get("SubnetId") == subnet
    ]
    return association


def move(ec2, subnet, table):
    ec2.replace_route_table_association(AssociationId=association_of(ec2, subnet), RouteTableId=table)


def test_a_subnet_that_another_table_was_given_is_taken_back(stack, cloud):
    """As the console moves it: the association goes over to a table of theirs, and ours misses it."""
    stack.write("stack.yaml", spec_text(routed("a", "b")))
    apply(stack)
    ids = ids_of(stack)
    ec2 = cloud.client()
    wanted = tables_of(ec2)
    theirs = ec2.create_route_table(VpcId=ids["aws.vpc.home"])["RouteTable"]["RouteTableId"]
    for name in "ab":
        move(ec2, ids[f"aws.subnet.{name}"], theirs)
    assert set(tables_of(ec2).values()) == {theirs}
    assert "subnets" in stack.run("drift", status=2).out
    apply(stack)
    assert tables_of(ec2) == wanted
    plan_is_empty(stack)
    stack.run("drift")


def test_a_subnet_that_never_was_the_tables_own_is_left_where_it_is(stack, cloud):
    """Only what is recorded as ours is taken back; who says so is told what to do."""
    stack.write("stack.yaml", spec_text(routed("a")))
    apply(stack)
    ids = ids_of(stack)
    ec2 = cloud.client()
    theirs = ec2.create_route_table(VpcId=ids["aws.vpc.home"])["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=theirs, SubnetId=ids["aws.subnet.b"])
    stack.write("stack.yaml", spec_text(routed("a", "b")))
    refused = stack.run("apply", "--yes", status=1)
    assert "another route table has the subnet" in refused.err
    assert tables_of(ec2)[ids["aws.subnet.b"]] == theirs


def their_table(ec2, ids, subnet):
    theirs = ec2.create_route_table(VpcId=ids["aws.vpc.home"])["RouteTable"]["RouteTableId"]
    ec2.associate_route_table(RouteTableId=theirs, SubnetId=ids[f"aws.subnet.{subnet}"])
    return theirs


def test_a_table_that_is_made_takes_no_subnet_from_another(stack, cloud):
    """Nor where the next run goes on with it: the record of what is being made has no more than the spec."""
    before = routed()
    del before["aws.route_table"]
    stack.write("stack.yaml", spec_text(before))
    apply(stack)
    ec2, ids = cloud.client(), ids_of(stack)
    theirs = their_table(ec2, ids, "b")
    stack.write("stack.yaml", spec_text(routed("a", "b")))
    for _ in range(2):
        refused = stack.run("apply", "--yes", status=(1, 7))
        assert "another route table has the subnet" in refused.err
        assert tables_of(ec2)[ids["aws.subnet.b"]] == theirs
    ec2.disassociate_route_table(AssociationId=association_of(ec2, ids["aws.subnet.b"]))
    apply(stack)
    plan_is_empty(stack)


def test_what_was_left_to_others_never_was_the_tables_own(stack, cloud):
    """The record has what the spec says of it, though nobody has seen it so."""
    spec = routed("a")
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    ec2, ids = cloud.client(), ids_of(stack)
    theirs = their_table(ec2, ids, "b")
    spec = routed("a", "b")
    spec["aws.route_table"]["t"]["lifecycle"] = {"ignore": ["subnets"]}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    stack.write("stack.yaml", spec_text(routed("a", "b")))
    refused = stack.run("apply", "--yes", status=1)
    assert "another route table has the subnet" in refused.err
    assert tables_of(ec2)[ids["aws.subnet.b"]] == theirs


def test_a_run_that_failed_halfway_goes_on_to_take_back(stack, cloud):
    """What its own attempt has taken from theirs, or not come to yet, is this table's own as before."""
    stack.write("stack.yaml", spec_text(routed("a", "b")))
    apply(stack)
    ec2, ids = cloud.client(), ids_of(stack)
    wanted = tables_of(ec2)
    theirs = ec2.create_route_table(VpcId=ids["aws.vpc.home"])["RouteTable"]["RouteTableId"]
    for name in "ab":
        move(ec2, ids[f"aws.subnet.{name}"], theirs)
    cloud.fault("AssociateRouteTable", "deny", first=2)
    stack.run("apply", "--yes", status=7)
    [free] = wanted.keys() - tables_of(ec2).keys()
    ec2.associate_route_table(RouteTableId=theirs, SubnetId=free)
    stack.run("recover")
    apply(stack)
    assert tables_of(ec2) == wanted
    plan_is_empty(stack)


def their_subnet(ec2, ids):
    theirs = ec2.create_subnet(VpcId=ids["aws.vpc.home"], CidrBlock="10.20.9.0/24")["Subnet"]["SubnetId"]
    ec2.associate_route_table(RouteTableId=ids["aws.route_table.t"], SubnetId=theirs)
    return theirs


@pytest.mark.parametrize("way", ["leaves", "leaves, unmanaged", "undone", "as saved before"])
def test_a_table_that_goes_takes_no_subnet_of_others_with_it(stack, cloud, way):
    """AWS deletes no table that a subnet is associated with, and whose it is tells the record alone."""
    spec = routed() if way == "leaves, unmanaged" else routed("a")
    if way == "leaves, unmanaged":
        del spec["aws.route_table"]["t"]["subnets"]
    without = {kind: things for kind, things in spec.items() if kind != "aws.route_table"}
    stack.write("stack.yaml", spec_text(without))
    apply(stack)
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    ec2, ids = cloud.client(), ids_of(stack)
    command = ["apply", "--yes"]
    if way == "undone":
        made = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
        command = ["undo", made, "--yes"]
    else:
        stack.write("stack.yaml", spec_text(without))
    if way == "as saved before":
        stack.run("plan", "--out", "saved.plan")
        command = ["apply", "saved.plan"]
    theirs = their_subnet(ec2, ids)
    before = tables_of(ec2)
    refused = stack.run(*command, status=1)
    assert f"others have put subnets[{theirs}] there" in refused.err
    assert tables_of(ec2) == before
    ec2.disassociate_route_table(AssociationId=association_of(ec2, theirs))
    stack.run(*command)
    assert not tables_of(ec2)


def moved_to_another_of_ours(stack, cloud):
    spec = routed("a")
    spec["aws.route_table"]["u"] = {"vpc": Ref("aws.vpc.home"), "subnets": [Ref("aws.subnet.b")]}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    ec2, ids = cloud.client(), ids_of(stack)
    move(ec2, ids["aws.subnet.a"], ids["aws.route_table.u"])
    return spec, ec2, ids


def test_a_table_goes_with_a_subnet_that_goes_too(stack, cloud):
    """Somebody moved ours to another table of ours: nothing of others is in the way of a destroy."""
    _, ec2, _ = moved_to_another_of_ours(stack, cloud)
    stack.run("destroy", "--yes")
    assert not tables_of(ec2)


def test_a_table_goes_that_has_what_another_one_takes_back(stack, cloud):
    spec, ec2, ids = moved_to_another_of_ours(stack, cloud)
    del spec["aws.route_table"]["u"]
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    assert tables_of(ec2) == {ids["aws.subnet.a"]: ids["aws.route_table.t"]}
    plan_is_empty(stack)


def attachments(ec2, gateway):
    [listed] = ec2.describe_vpn_gateways(VpnGatewayIds=[gateway])["VpnGateways"]
    return {each["State"] for each in listed["VpcAttachments"]} or {"detached"}


@pytest.mark.parametrize("kind", ["internet", "vpn"])
def test_a_gateway_in_the_place_of_ours_is_named_as_what_is_in_the_way(stack, cloud, kind):
    ours = {f"aws.{kind}_gateway": {"edge": {"vpc": Ref("aws.vpc.home")}}}
    stack.write("stack.yaml", spec_text(routed(**ours)))
    apply(stack)
    ids = ids_of(stack)
    ec2, vpc, own = cloud.client(), ids["aws.vpc.home"], ids[f"aws.{kind}_gateway.edge"]
    if kind == "internet":
        ec2.detach_internet_gateway(InternetGatewayId=own, VpcId=vpc)
        other = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(InternetGatewayId=other, VpcId=vpc)
    else:
        ec2.detach_vpn_gateway(VpnGatewayId=own, VpcId=vpc)
        other = ec2.create_vpn_gateway(Type="ipsec.1")["VpnGateway"]["VpnGatewayId"]
        cloud.wait_for(lambda: attachments(ec2, own) == {"detached"})
        ec2.attach_vpn_gateway(VpnGatewayId=other, VpcId=vpc)
        cloud.wait_for(lambda: attachments(ec2, other) == {"attached"})
    refused = stack.run("apply", "--yes", status=1)
    assert "attached to the VPC" in refused.err and "a VPC takes one" in refused.err


def test_what_still_moves_is_recorded_as_it_was_shown(stack, cloud):
    """Nobody asks for it to run; it is stopping when that is recorded, and takes half a minute to be stopped."""
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.a")}
    stack.write("stack.yaml", spec_text(routed("a", **{"aws.instance": {"m": machine}})))
    apply(stack)
    cloud.client().stop_instances(InstanceIds=[ids_of(stack)["aws.instance.m"]])
    assert "running" in stack.run("drift", status=2).out
    stack.run("apply", "--yes")
    stack.run("drift")
    plan_is_empty(stack)


def wait_until(cloud, ec2, kind, gateway, state):
    if kind == "vpn":
        cloud.wait_for(lambda: attachments(ec2, gateway) == {state})


def attach(cloud, ec2, kind, gateway, vpc):
    if kind == "internet":
        ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    else:
        ec2.attach_vpn_gateway(VpnGatewayId=gateway, VpcId=vpc)
    wait_until(cloud, ec2, kind, gateway, "attached")


def detach(cloud, ec2, kind, gateway, vpc):
    if kind == "internet":
        ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    else:
        ec2.detach_vpn_gateway(VpnGatewayId=gateway, VpcId=vpc)
    wait_until(cloud, ec2, kind, gateway, "detached")


@pytest.mark.parametrize("kind", ["internet", "vpn"])
@pytest.mark.parametrize("given", [True, False], ids=["moved away", "of no VPC of ours"])
def test_a_gateway_that_others_attached_is_not_detached_to_delete_it(stack, cloud, kind, given):
    """The service deletes none that is attached; to detach it would take it from whoever attached it there."""
    ours = {f"aws.{kind}_gateway": {"edge": {"vpc": Ref("aws.vpc.home")} if given else {}}}
    stack.write("stack.yaml", spec_text(routed(**ours)))
    apply(stack)
    ids = ids_of(stack)
    ec2, own = cloud.client(), ids[f"aws.{kind}_gateway.edge"]
    theirs = ec2.create_vpc(CidrBlock="10.50.0.0/16")["Vpc"]["VpcId"]
    if given:
        detach(cloud, ec2, kind, own, ids["aws.vpc.home"])
    attach(cloud, ec2, kind, own, theirs)
    stack.write("stack.yaml", spec_text(routed()))
    for words in (["apply", "--yes"], ["destroy", "--yes"]):
        refused = stack.run(*words, status=1)
        assert f"cannot be deleted: its 'vpc' is {theirs}, which is not recorded as its own" in refused.err
        assert f"detach it there first, or give it up: 'trueup state rm aws.{kind}_gateway.edge'" in refused.err
    detach(cloud, ec2, kind, own, theirs)
    stack.run("destroy", "--yes")


def admitting(**more):
    rule = {"protocol": "tcp", "from_port": 22, "to_port": 22, "group": Ref("aws.security_group.old")}
    groups = {
        "web": {"name": "web", "description": "w", "vpc": Ref("aws.vpc.home"), "ingress": [rule], **more},
        "old": {"name": "old", "description": "o", "vpc": Ref("aws.vpc.home")},
    }
    return {"aws.vpc": {"home": {"cidr": "10.20.0.0/16"}}, "aws.security_group": groups}


def let_out_by_hand(cloud, group, to):
    rule = {"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80, "UserIdGroupPairs": [{"GroupId": to}]}
    cloud.client().authorize_security_group_egress(GroupId=group, IpPermissions=[rule])
    return lambda: cloud.client().revoke_security_group_egress(GroupId=group, IpPermissions=[rule])


def rules_of(cloud, group):
    [listed] = cloud.client().describe_security_groups(GroupIds=[group])["SecurityGroups"]
    return listed["IpPermissions"], listed["IpPermissionsEgress"]


@pytest.mark.parametrize("ignored", [[], ["egress"]], ids=["unmanaged", "ignored"])
@pytest.mark.parametrize("goes", ["replaced", "deleted"])
def test_a_rule_of_others_is_not_lost_with_the_group_that_it_names(stack, cloud, ignored, goes):
    """Nobody would put it back: the group that stays has no such rule in the spec."""
    spec = admitting(lifecycle={"ignore": ignored})
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    ids = ids_of(stack)
    web, old = ids["aws.security_group.web"], ids["aws.security_group.old"]
    take_out = let_out_by_hand(cloud, web, old)
    before = rules_of(cloud, web)
    if goes == "replaced":
        spec["aws.security_group"]["old"]["description"] = "another"
    else:
        del spec["aws.security_group"]["old"]
        spec["aws.security_group"]["web"]["ingress"] = []
    stack.write("stack.yaml", spec_text(spec))
    refused = stack.run("apply", "--yes", status=1)
    assert f"egress[tcp 80 80 {old}] of 'aws.security_group.web' names it" in refused.err
    assert rules_of(cloud, web) == before
    take_out()
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("more", [{}, {"tags": {"x": "y"}}], ids=["alone", "with another change"])
def test_a_rule_of_ours_in_an_ignored_field_holds_the_group_that_it_names(stack, cloud, more):
    """Nothing in the plan lets go of it, nor would put it back."""
    spec = admitting(lifecycle={"ignore": ["ingress"]})
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    web = ids_of(stack)["aws.security_group.web"]
    before = rules_of(cloud, web)
    spec["aws.security_group"]["old"]["description"] = "another"
    spec["aws.security_group"]["web"].update(more)
    stack.write("stack.yaml", spec_text(spec))
    refused = stack.run("apply", "--yes", status=1)
    assert "names it, and stays as it is" in refused.err
    assert "take 'ingress' out of 'lifecycle.ignore' of 'aws.security_group.web'" in refused.err
    assert rules_of(cloud, web) == before
    del spec["aws.security_group"]["web"]["lifecycle"]
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    plan_is_empty(stack)


def test_a_rule_by_hand_goes_where_its_group_goes_or_the_spec_has_no_such_rule(stack, cloud):
    spec = admitting(egress=[])
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    ids = ids_of(stack)
    web, old = ids["aws.security_group.web"], ids["aws.security_group.old"]
    let_out_by_hand(cloud, web, old)
    spec["aws.security_group"]["old"]["description"] = "another"
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    assert not rules_of(cloud, web)[1]
    let_out_by_hand(cloud, web, ids_of(stack)["aws.security_group.old"])
    stack.run("destroy", "--yes")


def test_a_route_of_others_stays_where_its_gateway_is_replaced(stack, cloud):
    gateway = {"vpc": Ref("aws.vpc.home"), "asn": 64512}
    spec = routed(**{"aws.vpn_gateway": {"g": gateway}})
    spec["aws.route_table"]["t"] = {"vpc": Ref("aws.vpc.home"), "propagation": [Ref("aws.vpn_gateway.g")]}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    ec2, ids = cloud.client(), ids_of(stack)
    theirs = {"DestinationCidrBlock": "172.16.0.0/12", "GatewayId": ids["aws.vpn_gateway.g"]}
    ec2.create_route(RouteTableId=ids["aws.route_table.t"], **theirs)
    gateway["asn"] = 64513
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    [table] = ec2.describe_route_tables(RouteTableIds=[ids["aws.route_table.t"]])["RouteTables"]
    assert any(theirs.items() <= route.items() for route in table["Routes"])
    plan_is_empty(stack)


TWO_NETS = {"home": {"cidr": "10.20.0.0/16"}, "away": {"cidr": "10.30.0.0/16"}}


def gated(kind="internet", **gateways):
    return {"aws.vpc": TWO_NETS, f"aws.{kind}_gateway": gateways}


def write_and_apply(stack, spec):
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)


@pytest.mark.parametrize("kind", ["internet", "vpn"])
def test_a_gateway_goes_with_the_vpc_that_somebody_moved_it_to(stack, cloud, kind):
    write_and_apply(stack, gated(kind, g={"vpc": Ref("aws.vpc.home")}))
    ec2, ids = cloud.client(), ids_of(stack)
    own = ids[f"aws.{kind}_gateway.g"]
    detach(cloud, ec2, kind, own, ids["aws.vpc.home"])
    attach(cloud, ec2, kind, own, ids["aws.vpc.away"])
    stack.run("destroy", "--yes")
    assert not ids_of(stack)


def give_place_away(stack, cloud):
    """Somebody moves gateway g to where h was; the spec that has h alone."""
    spec = gated(g={"vpc": Ref("aws.vpc.home")}, h={"vpc": Ref("aws.vpc.away")})
    write_and_apply(stack, spec)
    ec2, ids = cloud.client(), ids_of(stack)
    g, h = ids["aws.internet_gateway.g"], ids["aws.internet_gateway.h"]
    detach(cloud, ec2, "internet", g, ids["aws.vpc.home"])
    detach(cloud, ec2, "internet", h, ids["aws.vpc.away"])
    attach(cloud, ec2, "internet", g, ids["aws.vpc.away"])
    return gated(h={"vpc": Ref("aws.vpc.away")})


def test_a_gateway_goes_from_where_another_of_ours_takes_its_place_back(stack, cloud):
    write_and_apply(stack, give_place_away(stack, cloud))
    plan_is_empty(stack)


@pytest.mark.parametrize("ignored", [[], ["vpc"]], ids=["set", "ignored"])
def test_a_gateway_goes_from_where_a_new_one_of_ours_is_to_be(stack, cloud, ignored):
    """What is made has its place also where the spec leaves that to others from then on."""
    write_and_apply(stack, gated(g={}))
    ec2, ids = cloud.client(), ids_of(stack)
    attach(cloud, ec2, "internet", ids["aws.internet_gateway.g"], ids["aws.vpc.home"])
    write_and_apply(stack, gated(h={"vpc": Ref("aws.vpc.home"), "lifecycle": {"ignore": ignored}}))
    plan_is_empty(stack)


def test_a_gateway_stays_where_others_moved_it_after_such_a_plan(stack, cloud):
    """What another of ours was to have is no more than what the plan saw."""
    stack.write("stack.yaml", spec_text(give_place_away(stack, cloud)))
    stack.run("plan", "--out", "saved.plan")
    ec2, ids = cloud.client(), ids_of(stack)
    g = ids["aws.internet_gateway.g"]
    theirs = ec2.create_vpc(CidrBlock="10.50.0.0/16")["Vpc"]["VpcId"]
    detach(cloud, ec2, "internet", g, ids["aws.vpc.away"])
    attach(cloud, ec2, "internet", g, theirs)
    refused = stack.run("apply", "saved.plan", status=1)
    assert f"'aws.internet_gateway.g' cannot be deleted: its 'vpc' is {theirs}" in refused.err
    [listed] = ec2.describe_internet_gateways(InternetGatewayIds=[g])["InternetGateways"]
    assert [each["VpcId"] for each in listed["Attachments"]] == [theirs]


@pytest.mark.parametrize("now", ["changed", "removed"])
@pytest.mark.parametrize("what", ["table", "gateway"])
def test_what_we_made_stays_our_own_in_a_field_that_is_ignored(stack, cloud, what, now):
    """The spec may say of it what it will: nobody but us has put it there. What others put there since is theirs."""
    spec = routed("a") if what == "table" else gated(g={"vpc": Ref("aws.vpc.home")})
    kind, name, field = ("aws.route_table", "t", "subnets") if what == "table" else ("aws.internet_gateway", "g", "vpc")
    thing = spec[kind][name]
    thing["lifecycle"] = {"ignore": [field]}
    write_and_apply(stack, spec)
    ec2, ids = cloud.client(), ids_of(stack)
    thing["tags"] = {"x": "1"}
    if now == "removed":
        del thing[field]
    else:
        thing[field] = [Ref("aws.subnet.b")] if what == "table" else Ref("aws.vpc.away")
    write_and_apply(stack, spec)
    thing["tags"] = {"x": "2"}
    write_and_apply(stack, spec)
    theirs = their_subnet(ec2, ids) if what == "table" else None
    del spec[kind]
    stack.write("stack.yaml", spec_text(spec))
    if what == "table":
        refused = stack.run("apply", "--yes", status=1)
        assert f"others have put subnets[{theirs}] there" in refused.err
        ec2.disassociate_route_table(AssociationId=association_of(ec2, theirs))
    apply(stack)
    plan_is_empty(stack)


def test_what_others_put_back_into_an_ignored_field_is_theirs(stack, cloud):
    spec = routed("a")
    table = spec["aws.route_table"]["t"]
    table["lifecycle"] = {"ignore": ["subnets"]}
    write_and_apply(stack, spec)
    ec2, ids = cloud.client(), ids_of(stack)
    subnet = ids["aws.subnet.a"]
    del table["subnets"]
    ec2.disassociate_route_table(AssociationId=association_of(ec2, subnet))
    table["tags"] = {"x": "1"}
    write_and_apply(stack, spec)
    ec2.associate_route_table(RouteTableId=ids["aws.route_table.t"], SubnetId=subnet)
    table["tags"] = {"x": "2"}
    write_and_apply(stack, spec)
    del spec["aws.route_table"]
    stack.write("stack.yaml", spec_text(spec))
    refused = stack.run("apply", "--yes", status=1)
    assert f"others have put subnets[{subnet}] there" in refused.err


def lose_and_rebuild(stack, spec, **more):
    shutil.rmtree(stack.folder / ".trueup")
    stack.write("stack.yaml", spec_text(spec))
    return stack.run("state", "rebuild", "--yes", **more)


def test_what_a_rebuild_finds_counts_as_our_own_and_what_comes_after_does_not(stack, cloud):
    spec = routed("a", **{"aws.internet_gateway": {"g": {"vpc": Ref("aws.vpc.home")}}})
    write_and_apply(stack, spec)
    ec2, ids = cloud.client(), ids_of(stack)
    del spec["aws.internet_gateway"], spec["aws.route_table"]
    lose_and_rebuild(stack, spec)
    theirs = their_subnet(ec2, ids)
    other = ec2.create_vpc(CidrBlock="10.50.0.0/16")["Vpc"]["VpcId"]
    gateway = ids["aws.internet_gateway.g"]
    detach(cloud, ec2, "internet", gateway, ids["aws.vpc.home"])
    attach(cloud, ec2, "internet", gateway, other)
    for _ in range(2):
        refused = stack.run("apply", "--yes", status=1)
        assert f"others have put subnets[{theirs}] there" in refused.err
        assert f"its 'vpc' is {other}, which is not recorded as its own" in refused.err
        stack.run("state", "rebuild", "--yes", "--force")
    ec2.disassociate_route_table(AssociationId=association_of(ec2, theirs))
    detach(cloud, ec2, "internet", gateway, other)
    attach(cloud, ec2, "internet", gateway, ids["aws.vpc.home"])
    apply(stack)
    plan_is_empty(stack)


def test_what_comes_after_a_rebuild_that_found_nothing_is_theirs(stack, cloud):
    spec = routed()
    write_and_apply(stack, spec)
    ec2, ids = cloud.client(), ids_of(stack)
    del spec["aws.route_table"]
    lose_and_rebuild(stack, spec)
    theirs = their_subnet(ec2, ids)
    stack.run("state", "rebuild", "--yes", "--force")
    refused = stack.run("apply", "--yes", status=1)
    assert f"others have put subnets[{theirs}] there" in refused.err


def test_what_a_replace_left_behind_goes_after_a_rebuild(stack, cloud):
    spec = routed("a")
    spec["aws.vpc"] = TWO_NETS
    spec["aws.subnet"] = {**SUBNETS, "c": {"vpc": Ref("aws.vpc.away"), "cidr": "10.30.1.0/24"}}
    table = spec["aws.route_table"]["t"]
    table["lifecycle"] = {"create_before_destroy": True}
    write_and_apply(stack, spec)
    ec2, subnet = cloud.client(), ids_of(stack)["aws.subnet.a"]
    table.update(vpc=Ref("aws.vpc.away"), subnets=[Ref("aws.subnet.c")])
    fault = cloud.fault("DisassociateRouteTable", "deny", first=1)
    stack.write("stack.yaml", spec_text(spec))
    stack.run("apply", "--yes", status=7)
    cloud.heal(fault)
    lose_and_rebuild(stack, spec)
    apply(stack)
    assert subnet not in tables_of(ec2)
    plan_is_empty(stack)
