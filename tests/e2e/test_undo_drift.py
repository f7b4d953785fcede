"""`trueup undo RUN` beside what people have changed since by hand, where neither the run nor its undoing has a part."""

import pytest

from trueup_runner import Ref, apply, errors_of, ids_of, plan, plan_is_empty, spec_text

HOME, WEB = Ref("aws.vpc.home"), Ref("aws.security_group.web")
IMAGE = "ami-0123456789abcdef0"
RULE = {"IpProtocol": "tcp", "FromPort": 9, "ToPort": 9, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}


def spec(team, **vpc):
    """Things that refer to one another, each with a tag of its own."""
    tags = {"tags": {"team": team}}
    return {
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16", **vpc}},
        "aws.subnet": {"a": {"vpc": HOME, "cidr": "10.20.0.0/24"}, "b": {"vpc": HOME, "cidr": "10.20.1.0/24"}},
        "aws.internet_gateway": {"i": {"vpc": HOME, **tags}},
        "aws.route_table": {
            "t": {
                "vpc": HOME,
                "subnets": [Ref("aws.subnet.a")],
                "routes": [{"destination": "0.0.0.0/0", "internet_gateway": Ref("aws.internet_gateway.i")}],
                **tags,
            }
        },
        "aws.security_group": {
            "web": {
                "vpc": HOME,
                "name": "web",
                "description": "d",
                "ingress": [{"protocol": "tcp", "from_port": 443, "to_port": 443, "group": WEB}],
                **tags,
            }
        },
        "aws.instance": {
            "n": {
                "image": IMAGE,
                "instance_type": "t3.micro",
                "subnet": Ref("aws.subnet.a"),
                "security_groups": [WEB],
                **tags,
            }
        },
    }


def last_run(stack):
    return stack.run("state", "history", "--output", "json").json["runs"][0]["id"]


def run(stack, resources):
    """Applies that, and gives the run's id."""
    stack.write("stack.yaml", spec_text(resources))
    apply(stack)
    return last_run(stack)


def undo(stack, id, status=0):
    """What the undoing sets, by address."""
    document = stack.run("undo", id, "--yes", "--output", "json", status=status).json
    return {
        each["address"]: [change["path"] for change in each["changes"] if change["effect"] == "set"]
        for each in document["actions"]
        if each["operation"] != "record"
    }


def add_route(ec2, ids):
    ec2.create_route(
        RouteTableId=ids["aws.route_table.t"],
        DestinationCidrBlock="192.168.0.0/16",
        GatewayId=ids["aws.internet_gateway.i"],
    )


def take_route(ec2, ids):
    ec2.delete_route(RouteTableId=ids["aws.route_table.t"], DestinationCidrBlock="0.0.0.0/0")


def move_subnet(ec2, ids):
    theirs = ec2.create_route_table(VpcId=ids["aws.vpc.home"])["RouteTable"]["RouteTableId"]
    [table] = ec2.describe_route_tables(RouteTableIds=[ids["aws.route_table.t"]])["RouteTables"]
    [association] = [each for each in table["Associations"] if each.get("SubnetId") == ids["aws.subnet.a"]]
    ec2.replace_route_table_association(AssociationId=association["RouteTableAssociationId"], RouteTableId=theirs)


def let_in(ec2, ids):
    ec2.authorize_security_group_ingress(GroupId=ids["aws.security_group.web"], IpPermissions=[RULE])


def regroup(ec2, ids):
    theirs = ec2.create_security_group(VpcId=ids["aws.vpc.home"], GroupName="theirs", Description="d")["GroupId"]
    ec2.modify_instance_attribute(InstanceId=ids["aws.instance.n"], Groups=[theirs])


def detach(ec2, ids):
    ec2.detach_internet_gateway(InternetGatewayId=ids["aws.internet_gateway.i"], VpcId=ids["aws.vpc.home"])


def seen(ec2):
    """All that people may have changed here."""
    return [
        ec2.describe_route_tables()["RouteTables"],
        ec2.describe_security_groups()["SecurityGroups"],
        ec2.describe_internet_gateways()["InternetGateways"],
        [each["SecurityGroups"] for one in ec2.describe_instances()["Reservations"] for each in one["Instances"]],
    ]


HANDS = [add_route, take_route, move_subnet, let_in, regroup, detach]


@pytest.mark.parametrize("hand", HANDS)
def test_what_the_run_never_touched_is_left(stack, cloud, hand):
    """All of it refers to the network of which the run changed a tag."""
    run(stack, spec("red"))
    id = run(stack, spec("red", tags={"floor": "1"}))
    ec2 = cloud.client()
    hand(ec2, ids_of(stack))
    before = seen(ec2)
    assert undo(stack, id) == {"aws.vpc.home": ["tags.floor"]}
    assert seen(ec2) == before


@pytest.mark.parametrize("hand", HANDS)
def test_what_the_run_changed_elsewhere_is_left(stack, cloud, hand):
    """The run changed another field of each."""
    run(stack, spec("red"))
    id = run(stack, spec("blue"))
    hand(cloud.client(), ids_of(stack))
    tagged = ["aws.instance.n", "aws.internet_gateway.i", "aws.route_table.t", "aws.security_group.web"]
    assert undo(stack, id) == {address: ["tags.team"] for address in tagged}
    stack.write("stack.yaml", spec_text(spec("red")))
    assert stack.run("drift", status=2)


@pytest.mark.parametrize("refers", [False, True], ids=["addresses", "references"])
def test_a_set_that_goes_back_does_so_as_a_whole(stack, cloud, refers):
    """Whether its items refer to others or not: what the run changed of it is as before, and so is the rest."""
    source = {"group": WEB} if refers else {"cidr": "10.20.0.0/16"}
    rule = {"protocol": "tcp", "from_port": 443, "to_port": 443, **source}
    before, after = spec("red"), spec("red")
    before["aws.security_group"]["web"]["ingress"] = [rule]
    after["aws.security_group"]["web"]["ingress"] = [rule, {**rule, "from_port": 80, "to_port": 80}]
    run(stack, before)
    id = run(stack, after)
    let_in(cloud.client(), ids_of(stack))
    [(address, changes)] = undo(stack, id).items()
    assert (address, len(changes)) == ("aws.security_group.web", 2)
    stack.write("stack.yaml", spec_text(before))
    plan_is_empty(stack)


def test_what_refers_to_what_is_replaced_follows_it(stack, cloud):
    """In that field, and no other has moved elsewhere than people have put it."""
    before, after = spec("red"), spec("red")
    after["aws.security_group"]["web"] |= {"name": "other", "description": "another"}
    run(stack, before)
    id = run(stack, after)
    let_in(cloud.client(), ids_of(stack))
    move_subnet(cloud.client(), ids_of(stack))
    undo(stack, id)
    stack.write("stack.yaml", spec_text(before))
    planned = plan(stack, status=2)
    assert planned.operations() == {"aws.route_table.t": "update"}, str(planned)
    assert "subnets" in planned.actions["aws.route_table.t"].fields(), str(planned)


def test_what_goes_back_needs_what_people_have_taken_away(stack, cloud):
    """The route cannot come back without the attachment, and that is none of the run's: it is told before any call."""
    before, after = spec("red"), spec("blue")
    del after["aws.route_table"]["t"]["routes"]
    run(stack, before)
    id = run(stack, after)
    ec2 = cloud.client()
    detach(ec2, ids_of(stack))
    seen_before = seen(ec2)
    [error] = errors_of(stack.run("undo", id, "--yes", "--output", "json", status=1).json)
    told = "'routes' needs a 'vpc' of 'aws.internet_gateway.i', which has none now"
    assert error["message"].startswith(told), error
    assert seen(ec2) == seen_before
