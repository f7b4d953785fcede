"""What an easy design gets wrong, on the simulator: each from an empty cloud to the end, with boto3 as the judge."""

import json
import re
import signal

import pytest

from cli import Terminal
from trueup_runner import (
    Expression,
    Proxy,
    Ref,
    SimulatedCloud,
    apply,
    errors_of,
    found,
    ids_of,
    plan,
    plan_is_empty,
    spec_text,
    tags_of,
)

NOTHING_DONE = 1
INCOMPLETE = 3


def write(stack, resources, **sections):
    stack.write("stack.yaml", spec_text(resources, **sections))


def nothing_is_left(stack, cloud, *kinds):
    assert ids_of(stack) == {}
    for kind in kinds:
        ours = [each for each in cloud.things(kind).values() if "trueup:stack" in json.dumps(each)]
        states = {each.get("state") for each in ours}
        assert states <= {"deleted"}, ours


VPC = {"home": {"cidr": "10.20.0.0/16"}}


def admits(group, port):
    return {"protocol": "tcp", "from_port": port, "to_port": port, "group": Ref(f"aws.security_group.{group}")}


def pairs(cloud, identity):
    [group] = cloud.client().describe_security_groups(GroupIds=[identity])["SecurityGroups"]
    return {pair["GroupId"] for rule in group["IpPermissions"] for pair in rule["UserIdGroupPairs"]}


def two_groups(**ports):
    return {
        "aws.vpc": VPC,
        "aws.security_group": {
            name: {
                "name": name,
                "description": name,
                "vpc": Ref("aws.vpc.home"),
                "ingress": [admits(other, ports.get(name, 5432)), admits(name, 9100)],
            }
            for name, other in (("web", "data"), ("data", "web"))
        },
    }


def test_two_groups_that_admit_each_other(stack, cloud):
    write(stack, two_groups())
    apply(stack)
    ids = ids_of(stack)
    web, data = ids["aws.security_group.web"], ids["aws.security_group.data"]
    assert pairs(cloud, web) == pairs(cloud, data) == {web, data}
    plan_is_empty(stack)

    # A change of both sides at once.
    write(stack, two_groups(web=5433, data=5434))
    assert set(plan(stack, status=2).operations().values()) == {"update"}
    apply(stack)
    assert ids_of(stack) == ids
    plan_is_empty(stack)

    # One of them is replaced while the other goes on admitting it.
    resources = two_groups(web=5433, data=5434)
    resources["aws.security_group"]["web"]["description"] = "another"
    write(stack, resources)
    assert plan(stack, status=2).operations() == {
        "aws.security_group.web": "replace",
        "aws.security_group.data": "update",
    }
    apply(stack)
    ids = ids_of(stack)
    assert ids["aws.security_group.data"] == data and ids["aws.security_group.web"] != web
    assert pairs(cloud, data) == {ids["aws.security_group.web"], data}
    assert found(lambda: pairs(cloud, web), "InvalidGroup.NotFound") is None
    plan_is_empty(stack)

    # Both leave the spec, the VPC stays.
    write(stack, {"aws.vpc": VPC})
    assert plan(stack, status=2).operations() == {
        "aws.security_group.web": "delete",
        "aws.security_group.data": "delete",
    }
    apply(stack)
    write(stack, two_groups())
    apply(stack)
    stack.run("destroy", "--yes")
    nothing_is_left(stack, cloud, "vpc", "security-group")


def gateway_and_table(side):
    """The table routes to the gateway, and the gateway propagates to the table (or the table says that it does)."""
    resources = {
        "aws.vpc": VPC,
        "aws.vpn_gateway": {"edge": {"vpc": Ref("aws.vpc.home")}},
        "aws.route_table": {
            "private": {
                "vpc": Ref("aws.vpc.home"),
                "routes": [{"destination": "192.168.10.0/24", "vpn_gateway": Ref("aws.vpn_gateway.edge")}],
            }
        },
    }
    if side == "gateway":
        resources["aws.vpn_gateway"]["edge"]["propagate_to"] = [Ref("aws.route_table.private")]
    else:
        resources["aws.route_table"]["private"]["propagation"] = [Ref("aws.vpn_gateway.edge")]
    return resources


@pytest.mark.parametrize("side", ["gateway", "table"])
def test_a_gateway_and_a_table_that_name_each_other(stack, cloud, side):
    write(stack, gateway_and_table(side))
    apply(stack)
    plan_is_empty(stack)
    ids = ids_of(stack)
    [table] = cloud.client().describe_route_tables(RouteTableIds=[ids["aws.route_table.private"]])["RouteTables"]
    gateway = ids["aws.vpn_gateway.edge"]
    assert [each["GatewayId"] for each in table["PropagatingVgws"]] == [gateway]
    assert {each["GatewayId"] for each in table["Routes"] if each["Origin"] == "CreateRoute"} == {gateway}

    # The gateway is replaced: the table lets go of the old one and takes the new one.
    resources = gateway_and_table(side)
    resources["aws.vpn_gateway"]["edge"]["asn"] = 64999
    write(stack, resources)
    apply(stack)
    plan_is_empty(stack)
    gateway = ids_of(stack)["aws.vpn_gateway.edge"]
    assert gateway != ids["aws.vpn_gateway.edge"]
    assert ids_of(stack)["aws.route_table.private"] == ids["aws.route_table.private"]
    [table] = cloud.client().describe_route_tables(RouteTableIds=[ids["aws.route_table.private"]])["RouteTables"]
    assert {each["GatewayId"] for each in table["Routes"] if each["Origin"] == "CreateRoute"} == {gateway}

    stack.run("destroy", "--yes")
    nothing_is_left(stack, cloud, "vpc", "vpn-gateway", "route-table")


def vpn(address):
    return {
        "aws.vpc": VPC,
        "aws.vpn_gateway": {"edge": {"vpc": Ref("aws.vpc.home")}},
        "aws.customer_gateway": {"office": {"address": address, "asn": 65001}},
        "aws.vpn_connection": {
            "office": {
                "vpn_gateway": Ref("aws.vpn_gateway.edge"),
                "customer_gateway": Ref("aws.customer_gateway.office"),
                "static_routes_only": True,
                "routes": ["192.168.10.0/24"],
            }
        },
    }


def transactions(stack):
    """What the simulator's file says was written, in order: [(type, id, body or None)]."""
    lines = (stack.folder / SimulatedCloud.file).read_text().splitlines()[1:]
    return [
        (each["type"], each["id"], each.get("body")) for line in lines for each in json.loads(line).get("objects", [])
    ]


def test_a_customer_gateway_replaced_under_a_live_connection(stack, cloud):
    write(stack, vpn("203.0.113.7"))
    apply(stack)
    plan_is_empty(stack)
    before = ids_of(stack)
    old, connection = before["aws.customer_gateway.office"], before["aws.vpn_connection.office"]
    seen = len(transactions(stack))

    write(stack, vpn("203.0.113.8"))
    planned = plan(stack, status=2)
    assert planned.operations() == {
        "aws.customer_gateway.office": "replace",
        "aws.vpn_connection.office": "update",
    }
    assert planned.actions["aws.customer_gateway.office"].data["create_before_destroy"] is True
    apply(stack)
    after = ids_of(stack)
    new = after["aws.customer_gateway.office"]
    assert new != old and after["aws.vpn_connection.office"] == connection
    [live] = cloud.client().describe_vpn_connections(VpnConnectionIds=[connection])["VpnConnections"]
    assert live["CustomerGatewayId"] == new and live["State"] == "available"
    assert [each["DestinationCidrBlock"] for each in live["Routes"]] == ["192.168.10.0/24"]

    # The new gateway first, then the connection moved, then the old one deleted; the connection never left.
    events = []
    for kind, identity, body in transactions(stack)[seen:]:
        if kind == "customer-gateway" and identity == new and body:
            events.append("made")
        elif kind == "customer-gateway" and identity == old and (not body or body["state"] in ("deleting", "deleted")):
            events.append("deleted")
        elif kind == "vpn-connection":
            assert body and body["state"] not in ("deleting", "deleted")
            if body["customerGatewayId"] == new:
                events.append("moved")
    assert list(dict.fromkeys(events)) == ["made", "moved", "deleted"]
    plan_is_empty(stack)

    stack.run("destroy", "--yes")
    nothing_is_left(stack, cloud, "vpc", "vpn-gateway", "customer-gateway", "vpn-connection")


def machine_with(*devices):
    needed = {"aws.vpc": VPC, "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.0.0/20"}}}
    told = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.a")}
    return {**needed, "aws.instance": {"i": {**told, "block_devices": list(devices)}}}


def test_a_volume_that_is_to_outlive_its_machine(stack, cloud):
    def told():
        [reservation] = cloud.client().describe_instances(InstanceIds=[machine])["Reservations"]
        mappings = reservation["Instances"][0]["BlockDeviceMappings"]
        return {each["DeviceName"]: each["Ebs"]["DeleteOnTermination"] for each in mappings}

    def somebody_sets(device, **ebs):
        mapping = {"DeviceName": device, "Ebs": ebs}
        cloud.client().modify_instance_attribute(InstanceId=machine, BlockDeviceMappings=[mapping])

    disk = {"device": "/dev/sdf", "size_gib": 8, "delete_on_termination": False}
    write(stack, machine_with(disk, {"device": "/dev/sdg", "size_gib": 9}))
    apply(stack)
    plan_is_empty(stack)
    machine = ids_of(stack)["aws.instance.i"]
    assert told() == {"/dev/xvda": True, "/dev/sdf": False, "/dev/sdg": True}

    # What somebody else made of it is drift; of what the image brought along, which no spec names, it is not.
    somebody_sets("/dev/xvda", DeleteOnTermination=False)
    stack.run("drift")
    somebody_sets("/dev/sdf")
    assert told()["/dev/sdf"], "true is what it means to say nothing"
    assert "block_devices[/dev/sdf].delete_on_termination" in stack.run("drift", status=2).out
    assert plan(stack, status=2).operations() == {"aws.instance.i": "update"}
    apply(stack)
    plan_is_empty(stack)
    assert told() == {"/dev/xvda": False, "/dev/sdf": False, "/dev/sdg": True}
    # Of a volume that is named it is shown, and left as it is.
    somebody_sets("/dev/sdg", DeleteOnTermination=False)
    assert "block_devices[/dev/sdg].delete_on_termination" in stack.run("drift", status=2).out
    apply(stack)
    plan_is_empty(stack)
    assert told() == {"/dev/xvda": False, "/dev/sdf": False, "/dev/sdg": False}

    # Where none is attached any more that is told by whoever looks (test_volumes.py), and else by the service.
    write(stack, machine_with({**disk, "delete_on_termination": True}, {"device": "/dev/sdg", "size_gib": 9}))
    terminal = Terminal(stack, "apply")
    terminal.read_until("Only 'yes' will do: ")
    cloud.change("instance", machine, **{"blockDeviceMapping.1.deviceName": "/dev/sdz"})
    terminal.type("yes\n")
    terminal.end(NOTHING_DONE)
    assert "No device is currently mapped at /dev/sdf" in terminal.text and "as it was" in terminal.text
    assert ids_of(stack)["aws.instance.i"] == machine


def test_a_vpc_whose_dns_attributes_are_denied(stack, cloud):
    vpcs = {"home": {"cidr": "10.20.0.0/16", "dns_support": True, "dns_hostnames": True}}
    write(stack, {"aws.vpc": vpcs})
    apply(stack)
    plan_is_empty(stack)
    fault = cloud.fault("DescribeVpcAttribute", "deny", count=0)

    planned = plan(stack, status=INCOMPLETE)
    assert planned.data["actions"] == []
    assert {(each["address"], each["field"]) for each in planned.data["unread"]} == {
        ("aws.vpc.home", "dns_support"),
        ("aws.vpc.home", "dns_hostnames"),
    }
    answered = "DescribeVpcAttribute answered UnauthorizedOperation: "
    assert all(answered in each["reason"] for each in planned.data["unread"]), planned.data["unread"]
    # Never green, on no command, and said in words.
    told = stack.run("plan", status=INCOMPLETE)
    assert "UNREAD" in told.out and "aws.vpc.home.dns_hostnames" in told.out
    stack.run("drift", status=INCOMPLETE)

    # What does not depend on it goes on: another resource, and another field of the same one.
    vpcs["home"]["tags"] = {"team": "research"}
    subnets = {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.0.0/20"}}
    write(stack, {"aws.vpc": vpcs, "aws.subnet": subnets})
    planned = plan(stack, status=INCOMPLETE)
    assert planned.operations() == {"aws.vpc.home": "update", "aws.subnet.a": "create"}
    assert planned.actions["aws.vpc.home"].fields() - {"dns_support", "dns_hostnames"} == {"tags"}
    apply(stack, status=INCOMPLETE)
    ids = ids_of(stack)
    ec2 = cloud.client()
    assert found(lambda: ec2.describe_subnets(SubnetIds=[ids["aws.subnet.a"]]), "InvalidSubnetID.NotFound")
    [vpc] = ec2.describe_vpcs(VpcIds=[ids["aws.vpc.home"]])["Vpcs"]
    assert tags_of(vpc["Tags"]) == {"team": "research"}

    cloud.heal(fault)
    plan_is_empty(stack)
    # It was not written over while nobody could see it.
    told = ec2.describe_vpc_attribute(VpcId=ids["aws.vpc.home"], Attribute="enableDnsHostnames")
    assert told["EnableDnsHostnames"]["Value"] is True


GUARDED = {
    "aws.vpc": VPC,
    "aws.security_group": {
        "web": {
            "name": "web",
            "description": "web",
            "vpc": Ref("aws.vpc.home"),
            "ingress": [{"protocol": "tcp", "from_port": 443, "to_port": 443, "cidr": "0.0.0.0/0"}],
            "tags": {"team": "research"},
        }
    },
}


def killed_at(stack, cloud, at):
    """Applies until the program is killed at a point of its talk with the cloud; gives the proxy for what follows."""
    proxy = Proxy(cloud.address(), at)
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    process = stack.start("apply", "--yes")
    proxy.victim = process
    out, err = process.communicate(timeout=120)
    proxy.victim = None
    return proxy, process.returncode, (out + err).decode()


def web_groups(cloud):
    answer = cloud.client().describe_security_groups(Filters=[{"Name": "group-name", "Values": ["web"]}])
    return answer["SecurityGroups"]


def test_killed_between_a_group_and_its_rules(stack, cloud):
    write(stack, GUARDED)
    proxy, status, told = killed_at(
        stack, cloud, lambda number, action, executed: action == "AuthorizeSecurityGroupIngress" and not executed
    )
    assert status == -signal.SIGKILL, told
    [group] = web_groups(cloud)
    assert group["IpPermissions"] == []
    made = proxy.actions.count("CreateSecurityGroup")

    apply(stack)
    [resumed] = web_groups(cloud)
    assert resumed["GroupId"] == group["GroupId"] == ids_of(stack)["aws.security_group.web"]
    assert [each["FromPort"] for each in resumed["IpPermissions"]] == [443]
    assert proxy.actions.count("CreateSecurityGroup") == made
    plan_is_empty(stack)
    stack.run("destroy", "--yes")
    assert web_groups(cloud) == []
    proxy.stop()


# Each request of an undisturbed apply of GUARDED that changes something, in an order that is always the same.
CHANGES = ["CreateVpc", "CreateSecurityGroup", "AuthorizeSecurityGroupIngress"]


@pytest.mark.parametrize("executed", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("action", CHANGES)
def test_killed_at_any_change(stack, cloud, action, executed):
    write(stack, GUARDED)
    proxy, status, told = killed_at(
        stack, cloud, lambda number, asked, done: asked == action and done == executed
    )
    assert status == -signal.SIGKILL, told
    apply(stack, timeout_s=120)
    plan_is_empty(stack)
    ids = ids_of(stack)
    [group] = web_groups(cloud)
    assert group["GroupId"] == ids["aws.security_group.web"]
    assert [each["FromPort"] for each in group["IpPermissions"]] == [443]
    ours = [each for each in cloud.client().describe_vpcs()["Vpcs"] if each["CidrBlock"] == "10.20.0.0/16"]
    assert [each["VpcId"] for each in ours] == [ids["aws.vpc.home"]]
    proxy.stop()


def test_what_the_service_takes_for_one_thing_is_told_with_both_names(stack, cloud):
    """An address that is known once the VPC is made: only the service can tell that these are equal."""
    later = Expression('${aws.vpc.home.id == "" ? "203.0.113.9" : "203.0.113.1"}')
    gateways = {"c1": {"address": later}, "c2": {"address": "203.0.113.1"}}
    write(stack, {"aws.vpc": VPC, "aws.customer_gateway": gateways})
    [error] = errors_of(stack.run("apply", "--yes", "--output", "json", status=7).json)
    names = {error["address"], re.search(r"which is '([^']+)' of this stack", error["message"])[1]}
    assert names == {"aws.customer_gateway.c1", "aws.customer_gateway.c2"}, error
    assert error["file"] == "stack.yaml" and error["line"] > 1, error
    assert "import" not in error["hint"], error
    # Else the spec alone tells, also where one gives the number that the other gets.
    gateways["c1"] = {"address": "203.0.113.1", "asn": 65000}
    write(stack, {"aws.customer_gateway": gateways})
    [error] = errors_of(stack.run("validate", "--output", "json", status=1).json)
    assert "both have the same 'address'" in error["message"], error


def test_stop_protection_forbids_all_that_ends_or_stops_a_machine(stack, cloud):
    spec = machine_with()
    machine = spec["aws.instance"]["i"]
    del machine["block_devices"]
    machine["stop_protection"] = True
    write(stack, spec)
    apply(stack)
    assert "apply it once with 'stop_protection: false'" in stack.run("destroy", "--yes", status=1).err
    machine["instance_type"] = "t3.small"
    write(stack, spec)
    for command in (["plan"], ["plan", "--refresh=none"], ["apply", "--yes"]):
        [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
        assert "is protected from being stopped: its 'stop_protection' is true" in error["message"], error
        assert "apply it once with 'stop_protection: false'" in error["hint"], error
    # Of what neither spec nor record says anything, nothing is read: the service refuses that.
    del machine["stop_protection"]
    machine["instance_type"] = "t3.micro"
    write(stack, spec)
    apply(stack)
    [instance] = cloud.things("instance")
    cloud.client("ec2").modify_instance_attribute(InstanceId=instance, DisableApiStop={"Value": True})
    machine["instance_type"] = "t3.small"
    write(stack, spec)
    assert "set 'stop_protection: false'" in stack.run("apply", "--yes", status=1).err
    machine["stop_protection"] = False
    write(stack, spec)
    apply(stack)
    stack.run("destroy", "--yes")
    nothing_is_left(stack, cloud, "vpc", "subnet")


def test_what_aws_protects_from_deletion_is_refused_before_anything_goes(stack, cloud):
    """Else it runs on without what it stands on: a destroy takes the ways to it before its turn comes."""
    spec = machine_with()
    machine = spec["aws.instance"]["i"]
    machine.update(block_devices=[], termination_protection=True)
    spec["aws.internet_gateway"] = {"g": {"vpc": Ref("aws.vpc.home")}}
    write(stack, spec)
    apply(stack)
    made = ids_of(stack)

    def is_refused(hint, *command):
        [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
        assert error["address"] == "aws.instance.i" and hint in error["hint"], error
        assert "is protected from deletion: its 'termination_protection' is true" in error["message"], error
        assert ids_of(stack) == made and len(cloud.things("internet-gateway")) == 1

    is_refused("apply it once with 'termination_protection: false'", "plan", "--destroy")
    is_refused("apply it once with 'termination_protection: false'", "destroy", "--yes")
    is_refused("apply it once with 'termination_protection: false'", "plan", "--destroy", "--refresh=none")
    machine["lifecycle"] = {"ignore": ["termination_protection"]}
    write(stack, spec)
    apply(stack)
    is_refused("take 'termination_protection' out of 'lifecycle.ignore', and apply it once with", "plan", "--destroy")
    del machine["lifecycle"]
    write(stack, spec)
    apply(stack)
    machine.update(termination_protection=False, image="ami-0fedcba9876543210")
    write(stack, spec)
    is_refused("apply 'termination_protection: false' first", "apply", "--yes")
    write(stack, {kind: spec[kind] for kind in ("aws.vpc", "aws.subnet")})
    is_refused("apply it once with 'termination_protection: false'", "apply", "--yes")
    # As it says: one after the other.
    machine["image"] = "ami-0123456789abcdef0"
    write(stack, spec)
    apply(stack)
    machine["image"] = "ami-0fedcba9876543210"
    write(stack, spec)
    apply(stack)
    stack.run("destroy", "--yes")
    nothing_is_left(stack, cloud, "vpc", "subnet", "internet-gateway")


def test_stop_protection_comes_after_the_stop_and_goes_before_it(stack, cloud):
    """Whatever stops the machine: that it is not to run, or what changes while it stands still."""
    spec = machine_with()
    machine = spec["aws.instance"]["i"]
    del machine["block_devices"]
    for changes in (
        {"running": False, "stop_protection": True},
        {"running": True, "stop_protection": False},
        {"instance_type": "t3.small", "stop_protection": True},
        {"instance_type": "t3.large", "stop_protection": False},
        {"instance_type": "t3.small", "stop_protection": True},
    ):
        machine.update(changes)
        write(stack, spec)
        apply(stack)
        plan_is_empty(stack)
    stack.run("undo", "--yes", stack.run("state", "history", "--output", "json").json["runs"][0]["id"])
    machine.update(instance_type="t3.large", stop_protection=False)
    write(stack, spec)
    plan_is_empty(stack)


@pytest.mark.parametrize("spot_type,left", [("persistent", "cancelled"), ("one-time", "closed")])
def test_no_spot_request_outlives_its_machine(stack, cloud, spot_type, left):
    """A persistent one would be open again, and launch another machine, which nobody knows of."""
    spec = machine_with()
    del spec["aws.instance"]["i"]["block_devices"]
    persistent = {"interruption": "stop"} if spot_type == "persistent" else {}
    spec["aws.instance"]["i"]["market"] = {"type": "spot", "spot_type": spot_type, **persistent}
    write(stack, spec)
    apply(stack)
    stack.run("destroy", "--yes")
    [machine] = cloud.things("instance").values()
    assert machine["spotRequest"] == left


def test_all_tags_of_a_thing_that_has_no_room_for_more_get_other_keys(stack, cloud):
    """With the five of our own there are as many as EC2 takes."""
    for prefix in ("cost-center-", "CostCenter"):
        tags = {f"{prefix}{number}": "x" for number in range(45)}
        write(stack, {"aws.vpc": {"home": {"cidr": "10.20.0.0/16", "tags": tags}}})
        apply(stack)
        plan_is_empty(stack)
        [network] = cloud.things("vpc").values()
        there = {each["key"]: each["value"] for each in network["tagSet"]}
        assert tags.items() <= there.items() and len(there) == 50


@pytest.mark.parametrize("market", [{"type": "spot"}, {"type": "spot", "spot_type": "one-time"}], ids=["unsaid", "said"])
def test_a_spot_instance_of_one_time_is_not_stopped_for_a_change(stack, cloud, market):
    """EC2 does not stop it, so what needs that is refused before anything else is done."""
    spec = machine_with()
    del spec["aws.instance"]["i"]["block_devices"]
    spec["aws.instance"]["i"]["market"] = market
    write(stack, spec)
    apply(stack)
    spec["aws.instance"]["i"].update(ebs_optimized=True, tags={"a": "b"})
    write(stack, spec)
    [told] = errors_of(stack.run("apply", "--yes", "--output", "json", status=NOTHING_DONE).json)
    assert "cannot be stopped: it is the spot instance of a one-time request" in told["message"]
    assert told["cause"] == "the change of 'ebs_optimized' stops it"
    # In place, without a stop; and what has another market is another machine.
    del spec["aws.instance"]["i"]["ebs_optimized"]
    write(stack, spec)
    apply(stack)
    del spec["aws.instance"]["i"]["market"]
    spec["aws.instance"]["i"].update(ebs_optimized=True)
    write(stack, spec)
    assert "! aws.instance.i" in apply(stack).out
    plan_is_empty(stack)


@pytest.mark.parametrize("market", [{}, {"spot_type": "persistent", "interruption": "stop"}], ids=["one-time", "persistent"])
def test_a_spot_instance_of_another_type_is_another_one(stack, cloud, market):
    """EC2 changes the type of none, stopped or not; the record need not know what it was launched as."""
    spec = machine_with()
    machine = spec["aws.instance"]["i"]
    del machine["block_devices"]
    machine["market"] = {"type": "spot", **market}
    write(stack, spec)
    apply(stack)
    machine.update(instance_type="t3.large")
    write(stack, spec)
    planned = plan(stack, status=2).actions["aws.instance.i"]
    assert planned.operation == "replace" and planned.fields() == {"instance_type"}
    apply(stack)
    types = {each["instanceType"]: each["instanceState"]["name"] for each in cloud.things("instance").values()}
    assert types == {"t3.micro": "terminated", "t3.large": "running"}
    plan_is_empty(stack)
