"""A run that was killed between two calls of one change: what stands there then is neither old nor new, and its own."""

import json
import signal
import time

import pytest

from simulator import simulator  # noqa: F401
from test_comes_late import outcomes
from test_cut_off import drift
from test_take_back import REGION, Site
from test_undo import operations, runs, undo
from trueup_runner import Ref, apply, ids_of, plan_is_empty, spec_text

NET = {"v": {"cidr": "10.20.0.0/16", "ipv6": True}, "w": {"cidr": "10.30.0.0/16"}}
SUBNETS = {"a": {"vpc": "v", "cidr": "10.20.1.0/24"}, "b": {"vpc": "v", "cidr": "10.20.2.0/24"}}


def net(kind, fields, **more):
    return spec_text({"aws.vpc": NET, **more, f"aws.{kind}": {"x": fields}})


def gateway(kind, vpc):
    return net(kind, {"vpc": vpc})


def announcing(vpc):
    """Each VPC has a table, and the gateway announces to that of its own."""
    tables = {name: {"vpc": name} for name in "vw"}
    to = [Ref(f"aws.route_table.{vpc}")]
    return net("vpn_gateway", {"vpc": vpc, "propagate_to": to}, **{"aws.route_table": tables})


def range6(number):
    part = f"${{cidr_subnet(aws.vpc.v.ipv6_cidr, 8, {number})}}"
    return net("subnet", {"vpc": "v", "cidr": "10.20.1.0/24", "assign_ipv6_on_creation": True, "ipv6_cidr": part})


def alone(number):
    """It gives addresses of its range, and no spec says so."""
    part = f"${{cidr_subnet(aws.vpc.v.ipv6_cidr, 8, {number})}}"
    return net("subnet", {"vpc": "v", "ipv6_native": True, "ipv6_cidr": part})


def machine(size):
    fields = {"image": "ami-0123456789abcdef0", "instance_type": size, "subnet": "a", "running": True}
    return net("instance", fields, **{"aws.subnet": SUBNETS})


def table(subnet):
    return net("route_table", {"vpc": "v", "subnets": [Ref(f"aws.subnet.{subnet}")]}, **{"aws.subnet": SUBNETS})


def tunnels(timeout_s):
    sites = {
        "aws.vpn_gateway": {"g": {"vpc": "v"}},
        "aws.customer_gateway": {"c": {"address": "198.51.100.7", "asn": 65010}},
    }
    ends = {"vpn_gateway": "g", "customer_gateway": "c", "static_routes_only": True}
    return net("vpn_connection", {**ends, "tunnels": [{"dpd_timeout_s": timeout_s}] * 2}, **sites)


def groups(about):
    rule = {"protocol": "tcp", "from_port": 1, "to_port": 2, "group": Ref("aws.security_group.x")}
    return spec_text(
        {
            "aws.vpc": NET,
            "aws.security_group": {
                "x": {"vpc": "v", "name": "x", "description": about},
                "y": {"vpc": "v", "name": "y", "description": "y", "ingress": [rule]},
            },
        }
    )


GATE, VPN, SUBNET = "aws.internet_gateway.x", "aws.vpn_gateway.x", "aws.subnet.x"
MACHINE, TABLE, TUNNELS, GROUP = "aws.instance.x", "aws.route_table.x", "aws.vpn_connection.x", "aws.security_group.y"
OWING = (SUBNET, MACHINE)  # where something rests on what is changed, and is off meanwhile
MOVES = {kind: (gateway(kind, "v"), gateway(kind, "w")) for kind in ("internet_gateway", "vpn_gateway")}
RANGES = (range6(1), range6(2))
ALONE = (alone(1), alone(2))
SIZES = (machine("t3.micro"), machine("t3.small"))

# The specs before and after, the call that does not reach the service any more, which of that name, and whose it is.
CUTS = {
    "a gateway to the internet is moved": (MOVES["internet_gateway"], "AttachInternetGateway", 1, GATE),
    "a gateway of a VPN is moved": (MOVES["vpn_gateway"], "AttachVpnGateway", 1, VPN),
    "what a gateway announces is off": ((announcing("v"), announcing("w")), "DetachVpnGateway", 1, VPN),
    "a gateway that announced is detached": ((announcing("v"), announcing("w")), "AttachVpnGateway", 1, VPN),
    "what rests on a range is off": (RANGES, "DisassociateSubnetCidrBlock", 1, SUBNET),
    "a range is taken away": (RANGES, "AssociateSubnetCidrBlock", 1, SUBNET),
    "a range is there, and what rests on it is not": (RANGES, "ModifySubnetAttribute", 2, SUBNET),
    "what nobody set to rest on a range is off": (ALONE, "DisassociateSubnetCidrBlock", 1, SUBNET),
    "a range is taken away from below it": (ALONE, "AssociateSubnetCidrBlock", 1, SUBNET),
    "a range is there, and what nobody set is not": (ALONE, "ModifySubnetAttribute", 2, SUBNET),
    "an instance is stopped": (SIZES, "ModifyInstanceAttribute", 1, MACHINE),
    "an instance is not started again": (SIZES, "StartInstances", 1, MACHINE),
    "one subnet leaves a table": ((table("a"), table("b")), "AssociateRouteTable", 1, TABLE),
    "one tunnel of two": ((tunnels(40), tunnels(50)), "ModifyVpnTunnelOptions", 2, TUNNELS),
    "a rule lets go of what is replaced": ((groups("one"), groups("two")), "DeleteSecurityGroup", 1, GROUP),
}


@pytest.fixture
def site(stack, simulator):  # noqa: F811
    site = Site(stack, simulator)
    yield site
    site.proxy.stop()


@pytest.fixture(params=CUTS)
def cut(request, site):
    (old, new), action, count, address = CUTS[request.param]
    return cut_off(site, old, new, action, count), old, new, address


def cut_off(site, old, new, action, count=1):
    seen = []

    def cuts(number, sent, executed):
        seen.append((sent, executed))
        return seen[-1] == (action, False) and seen.count((action, False)) == count

    site.stack.write("stack.yaml", old)
    apply(site.stack)
    site.stack.write("stack.yaml", new)
    site.cut_off(signal.SIGKILL, cuts)
    return site.stack


def causes(document):
    return {change["cause"] for action in document["actions"] for change in action["changes"]}


def test_between_is_no_drift(cut):
    """Neither before recovery nor after it, whichever spec is asked about."""
    stack, old, new, address = cut
    # The call may still come.
    document = drift(stack, 3)
    assert document["actions"] == [] and [one["address"] for one in document["unfinished"]] == [address]
    for known in (1, int(address in OWING)):
        for text in (old, new):
            stack.write("stack.yaml", text)
            document = stack.run("plan", "--output", "json").json
            assert operations(document)[address] == "update" and causes(document) <= {"intent", "target"}
            assert len(document["unfinished"]) == known
        stack.run("recover")
    left = sorted(operations(stack.run("plan", "--output", "json").json))
    document = drift(stack, 2)
    assert document["actions"] == [] and sorted(one["address"] for one in document["unfinished"]) == left
    apply(stack)
    plan_is_empty(stack)
    assert drift(stack, 0)["unfinished"] == []


@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
def test_between_is_undone(cut, recovered):
    stack, old, new, address = cut
    run = runs(stack)[0]["id"]
    if recovered:
        stack.run("recover")
    assert operations(undo(stack, run, "--yes")) == {address: "update"}
    stack.write("stack.yaml", old)
    plan_is_empty(stack)


@pytest.mark.parametrize("undone", [False, True], ids=["applied", "undone"])
@pytest.mark.parametrize("action", ["DisassociateSubnetCidrBlock", "AssociateSubnetCidrBlock", "ModifySubnetAttribute"])
def test_what_nobody_set_to_rest_on_a_range_is_on_again(site, action, undone):
    stack = cut_off(site, *ALONE, action, 2 if action == "ModifySubnetAttribute" else 1)
    if undone:
        undo(stack, runs(stack)[0]["id"], "--yes")
    else:
        apply(stack)
    [subnet] = site.server.client("ec2").describe_subnets()["Subnets"]
    assert subnet["AssignIpv6AddressOnCreation"]
    stack.write("stack.yaml", ALONE[0 if undone else 1])
    plan_is_empty(stack)


def test_foreign_value_is_drift(site):
    """A gateway that somebody attached to a third VPC while it was detached is where no call of ours put it."""
    third = {"aws.vpc": {**NET, "z": {"cidr": "10.40.0.0/16"}}}
    specs = [spec_text({**third, "aws.internet_gateway": {"x": {"vpc": vpc}}}) for vpc in "vw"]
    stack = cut_off(site, *specs, "AttachInternetGateway")
    ids = ids_of(stack)
    site.server.client("ec2").attach_internet_gateway(InternetGatewayId=ids[GATE], VpcId=ids["aws.vpc.z"])
    for status in (3, 2):
        (action,) = drift(stack, status)["actions"]
        assert [(change["path"], change["before"]) for change in action["changes"]] == [("vpc", ids["aws.vpc.z"])]
        stack.run("recover")


def unsaid(text):
    return text.replace('"running": true', '"tags": {}')


def machine_is(site, *expected):
    [instance] = site.server.client("ec2").describe_instances()["Reservations"][0]["Instances"]
    assert (instance["InstanceType"], instance["State"]["Name"]) == expected


def owes(stack, status, fields=None):
    """As long as it is stopped it is told, and is no drift."""
    document = drift(stack, status)
    assert document["actions"] == [] and [each["owed"] for each in document["unfinished"]] == ["running"]
    assert fields is None or document["unfinished"][0]["fields"] == fields
    assert "running: to be switched on again" in stack.run("drift", status=status, TRUEUP_GRACE="120").out


@pytest.mark.parametrize("said", [True, False], ids=["said before", "never said"])
@pytest.mark.parametrize("action", ["ModifyInstanceAttribute", "StartInstances"])
@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
def test_instance_is_started_again(site, said, action, recovered):
    """Though nothing says whether it runs, or nothing does any more: it did, and was stopped for the change alone."""
    old, new = SIZES if said else map(unsaid, SIZES)
    stack = cut_off(site, old, new, action)
    stack.write("stack.yaml", unsaid(new))
    for status in (3, 2)[: 1 + recovered]:
        owes(stack, status)
        document = stack.run("plan", "--output", "json").json
        assert ("running", "intent") in [(each["path"], each["cause"]) for each in document["actions"][0]["changes"]]
        if recovered:
            stack.run("recover")
    if recovered:
        owes(stack, 2, "")
    apply(stack)
    machine_is(site, "t3.small", "running")
    plan_is_empty(stack)
    assert drift(stack, 0)["unfinished"] == []


@pytest.mark.parametrize("said", [True, False], ids=["said", "never said"])
@pytest.mark.parametrize("action", ["ModifyInstanceAttribute", "StartInstances"])
@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
def test_undo_starts_an_instance_again(site, said, action, recovered):
    old, new = SIZES if said else map(unsaid, SIZES)
    stack = cut_off(site, old, new, action)
    run = runs(stack)[0]["id"]
    if recovered:
        stack.run("recover")
    assert operations(undo(stack, run, "--yes")) == {MACHINE: "update"}
    machine_is(site, "t3.micro", "running")
    stack.write("stack.yaml", old)
    plan_is_empty(stack)
    assert drift(stack, 0)["unfinished"] == []


def test_instance_that_is_to_be_stopped_is_left_so(site):
    """Who says since that it is not to run has his way, and nothing is left to do."""
    stack = cut_off(site, *SIZES, "ModifyInstanceAttribute")
    stack.write("stack.yaml", SIZES[0].replace('"running": true', '"running": false'))
    apply(stack)
    machine_is(site, "t3.micro", "stopped")
    plan_is_empty(stack)
    assert drift(stack, 0)["unfinished"] == []


@pytest.mark.parametrize("undone", [False, True], ids=["set back", "undone"])
def test_a_gateway_that_still_detaches_is_attached_again(site, undone):
    """It takes the service a while, and what goes is no more what the spec wants than what is gone."""
    old, new = MOVES["vpn_gateway"]
    site.stack.write("stack.yaml", old)
    apply(site.stack)
    site.server.settings(pace_percent=5)
    site.stack.write("stack.yaml", new)
    site.cut_off(signal.SIGKILL, lambda number, sent, executed: sent == "DetachVpnGateway" and executed)
    site.stack.write("stack.yaml", old)
    assert drift(site.stack, 2)["actions"] == []
    if undone:
        undo(site.stack, runs(site.stack)[0]["id"], "--yes")
    else:
        apply(site.stack)
    [gateway] = site.server.client("ec2").describe_vpn_gateways()["VpnGateways"]
    held = [each["VpcId"] for each in gateway["VpcAttachments"] if each["State"] == "attached"]
    assert held == [ids_of(site.stack)["aws.vpc.v"]]
    plan_is_empty(site.stack)
    assert drift(site.stack, 0)["unfinished"] == []


def fixed(image, name="x"):
    fields = {"image": image, "instance_type": "t3.micro", "subnet": "a", "address": "10.20.1.10"}
    return spec_text({"aws.vpc": NET, "aws.subnet": SUBNETS, "aws.instance": {name: fields}})


FIXED = (fixed("ami-0123456789abcdef0"), fixed("ami-0fedcba9876543210"))


def holders(site):
    return [
        each["InstanceId"]
        for page in site.server.client("ec2").describe_instances()["Reservations"]
        for each in page["Instances"]
        if each.get("PrivateIpAddress") == "10.20.1.10" and each["State"]["Name"] == "running"
    ]


@pytest.mark.parametrize("name", ["x", "y"], ids=["replaced", "under another name"])
def test_room_is_awaited_that_a_killed_run_began_to_make(site, name):
    """The old machine still has the address that the new one is to have: nobody else's deletion, and no failure."""
    old, new = FIXED
    site.stack.write("stack.yaml", old)
    apply(site.stack)
    site.server.settings(pace_percent=5)
    site.stack.write("stack.yaml", new)
    site.cut_off(signal.SIGKILL, lambda number, sent, executed: sent == "TerminateInstances" and executed)
    site.stack.write("stack.yaml", fixed("ami-0fedcba9876543210", name))
    planned = site.stack.run("plan", "--output", "json").json
    assert operations(planned)[f"aws.instance.{name}"] == "create"
    assert name == "y" or planned["actions"][0]["reason"] == "is being deleted by a run that did not end, and is made anew after that"
    apply(site.stack)
    assert holders(site) == [ids_of(site.stack)[f"aws.instance.{name}"]]
    plan_is_empty(site.stack)


def test_an_address_goes_on_to_another_machine(site):
    """It is free only once the machine that had it is gone."""
    site.stack.write("stack.yaml", FIXED[0])
    apply(site.stack)
    site.server.settings(pace_percent=5)
    site.stack.write("stack.yaml", fixed("ami-0123456789abcdef0", "y"))
    apply(site.stack)
    assert holders(site) == [ids_of(site.stack)["aws.instance.y"]]
    plan_is_empty(site.stack)


def test_old_and_new_never_share_an_address(site):
    site.stack.write("stack.yaml", FIXED[0])
    apply(site.stack)
    site.stack.write("stack.yaml", FIXED[1].replace('"address"', '"lifecycle": {"create_before_destroy": true}, "address"'))
    assert "old and new cannot have the same 'address' at a time" in site.stack.run("validate").err
    assert "both would have the same 'address'" in site.stack.run("plan", status=1).err


def test_the_service_takes_no_new_connection_for_the_old_one(site):
    """Both of one pair of gateways: the create would be answered with the old one, and the run would end there."""
    spec = (
        "stack: demo\naws.vpn_gateway: {g: {}}\naws.customer_gateway: {c: {address: 203.0.113.7}}\n"
        "aws.vpn_connection: {w: {vpn_gateway: g, customer_gateway: c}}\n"
    )
    site.stack.write("stack.yaml", spec)
    apply(site.stack)
    first = "customer_gateway: c, static_routes_only: true, lifecycle: {create_before_destroy: true}"
    site.stack.write("stack.yaml", spec.replace("customer_gateway: c", first))
    same = "the same 'customer_gateway', 'vpn_gateway'"
    assert f"old and new cannot have {same} at a time" in site.stack.run("validate").err
    assert f"would take both for one: they have {same}" in site.stack.run("plan", status=1).err
    site.stack.write("stack.yaml", spec.replace("customer_gateway: c", first.replace("true}", "false}")))
    apply(site.stack)
    plan_is_empty(site.stack)


@pytest.mark.parametrize("saved", [False, True], ids=["at once", "as planned before"])
def test_room_is_awaited_that_somebody_makes(site, saved):
    """Also where it is gone by the time that the plan is applied."""
    site.stack.write("stack.yaml", FIXED[0])
    apply(site.stack)
    [was] = holders(site)
    site.server.settings(pace_percent=5)
    site.server.client("ec2").terminate_instances(InstanceIds=[was])
    planned = site.stack.run("plan", "--out", "saved.plan", "--output", "json").json
    assert planned["actions"][0]["reason"] == "is being deleted outside of this stack, and is made anew after that"
    if saved:
        site.server.client("ec2").get_waiter("instance_terminated").wait(
            InstanceIds=[was], WaiterConfig={"Delay": 1, "MaxAttempts": 30}
        )
    site.stack.run("apply", *(["saved.plan"] if saved else ["--yes"]))
    assert holders(site) == [ids_of(site.stack)[MACHINE]] != [was]
    plan_is_empty(site.stack)


# The specs before and after, the call that the service carries on with, which of that name, whose it is, and how much
# of the usual time it takes, in percent.
SLOW = {
    "a gateway attaches": (MOVES["vpn_gateway"], "AttachVpnGateway", 1, VPN, 5),
    "a tunnel is changed": ((tunnels(40), tunnels(50)), "ModifyVpnTunnelOptions", 2, TUNNELS, 2),
    "a machine starts": (SIZES, "StartInstances", 1, MACHINE, 5),
}


@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
@pytest.mark.parametrize("name", SLOW)
def test_what_the_service_carries_on_with_is_waited_for(site, name, recovered):
    (old, new), operation, count, address, pace = SLOW[name]
    carried_out = []

    def cuts(number, sent, executed):
        carried_out.extend([sent] * executed)
        return executed and sent == operation and carried_out.count(operation) == count

    site.stack.write("stack.yaml", old)
    apply(site.stack)
    site.server.settings(pace_percent=4 * pace if recovered else pace)
    site.stack.write("stack.yaml", new)
    site.cut_off(signal.SIGKILL, cuts)
    if recovered:
        site.stack.run("recover")
    planned = site.stack.run("plan", "--output", "json").json
    assert operations(planned) == {address: "update"} and planned["actions"][0]["changes"] == []
    assert planned["actions"][0]["reason"] == "is still at what a run began that did not end"
    assert drift(site.stack, 2)["actions"] == []
    apply(site.stack)
    assert causes(site.stack.run("plan", "--output", "json").json) == set()
    plan_is_empty(site.stack)
    assert drift(site.stack, 0)["unfinished"] == []


def admitting(resources):
    """Somebody admits the machine's address: it follows the machine, and lets go of nothing before."""
    document = json.loads(resources)
    rule = {"protocol": "tcp", "from_port": 1, "to_port": 2, "cidr": Ref("${aws.instance.x.address}/32")}
    document["aws.security_group"] = {"g": {"vpc": "v", "name": "g", "description": "g", "ingress": [rule]}}
    return json.dumps(document)


def test_who_refers_to_what_is_awaited_follows_it(site):
    site.stack.write("stack.yaml", admitting(FIXED[0]))
    apply(site.stack)
    site.server.settings(pace_percent=5)
    site.server.client("ec2").terminate_instances(InstanceIds=holders(site))
    apply(site.stack)
    assert holders(site) == [ids_of(site.stack)[MACHINE]]
    plan_is_empty(site.stack)


def test_undoing_awaits_what_the_run_began_to_delete(site):
    site.stack.write("stack.yaml", FIXED[0])
    apply(site.stack)
    site.server.settings(pace_percent=5)
    site.stack.write("stack.yaml", FIXED[1])
    site.cut_off(signal.SIGKILL, lambda number, sent, executed: sent == "TerminateInstances" and executed)
    assert operations(undo(site.stack, runs(site.stack)[0]["id"], "--yes")) == {MACHINE: "create"}
    site.stack.write("stack.yaml", FIXED[0])
    assert holders(site) == [ids_of(site.stack)[MACHINE]]
    plan_is_empty(site.stack)


@pytest.mark.parametrize("gone", [False, True], ids=["there", "gone since"])
def test_half_made_is_told_by_drift(site, gone):
    """Nothing is compared of it, and that is no good news."""
    site.stack.write("stack.yaml", FIXED[0])
    site.cut_off(signal.SIGKILL, lambda number, sent, executed: sent == "DescribeInstances" and holders(site) != [])
    if gone:
        site.server.client("ec2").terminate_instances(InstanceIds=holders(site))
    assert f"'{MACHINE}' is not finished yet: the next apply goes on with it" in site.stack.run("recover").out
    document = drift(site.stack, 2)
    assert [(each["address"], each["makes"]) for each in document["unfinished"]] == [(MACHINE, True)]
    assert f"{MACHINE}   begun, and not finished, by a run" in site.stack.run("drift", status=2).out
    apply(site.stack)
    assert drift(site.stack, 0)["unfinished"] == []


def test_what_is_finished_after_all_is_not_begun_to_be_deleted(site):
    """A network that was never finished has just gone, and is still listed when the next run goes on with it."""

    def killed_at(action):
        site.cut_off(signal.SIGKILL, lambda number, sent, executed: sent == action and not executed)

    site.stack.write("stack.yaml", spec_text({"aws.vpc": {"x": {"cidr": "10.20.0.0/16", "dns_support": False}}}))
    killed_at("ModifyVpcAttribute")
    site.stack.run("recover")
    site.server.settings(lag_ms=3000)
    site.stack.environment["TRUEUP_GRACE"] = "120"
    site.cut_off(signal.SIGINT, lambda number, sent, executed: sent == "DeleteVpc" and executed, "destroy", "--yes")
    killed_at("ModifyVpcAttribute")
    assert drift(site.stack, 3)["unfinished"] == []
    site.server.settings(lag_ms=0)
    apply(site.stack)
    assert outcomes(site, "ModifyVpcAttribute")[-2] == "absent"
    plan_is_empty(site.stack)


@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
def test_an_ignored_set_comes_back_whole(site, recovered):
    """A deletion has emptied it and came to nothing; the run that fills it again is killed after the first of two."""

    def subnets():
        tables = site.server.show(REGION)["route-table"].values()
        return sorted(one["subnetId"] for table in tables for one in table["associationSet"] if "subnetId" in one)

    fields = {"vpc": "v", "subnets": [Ref("aws.subnet.a"), Ref("aws.subnet.b")]}
    ignoring = net("route_table", {**fields, "lifecycle": {"ignore": ["subnets"]}}, **{"aws.subnet": SUBNETS})
    for text in (net("route_table", fields, **{"aws.subnet": SUBNETS}), ignoring):
        site.stack.write("stack.yaml", text)
        apply(site.stack)
    before = subnets()
    site.stack.write("stack.yaml", spec_text({"aws.vpc": NET, "aws.subnet": SUBNETS}))
    site.cut_off(signal.SIGKILL, lambda number, sent, executed: sent == "DeleteRouteTable" and not executed)
    assert subnets() == []
    site.stack.write("stack.yaml", ignoring)
    site.cut_off(signal.SIGKILL, lambda number, sent, executed: sent == "AssociateRouteTable" and executed)
    assert len(subnets()) == 1
    if recovered:
        site.stack.run("recover")
    apply(site.stack)
    assert subnets() == before
    plan_is_empty(site.stack)


def test_a_machine_whose_running_is_ignored_runs_on(site):
    """Whoever starts and stops it, a change that takes a stop leaves it as it was."""
    ignoring = SIZES[0].replace('"running": true', '"running": false, "lifecycle": {"ignore": ["running"]}')
    site.stack.write("stack.yaml", ignoring)
    apply(site.stack)
    site.server.client("ec2").start_instances(InstanceIds=[ids_of(site.stack)[MACHINE]])
    site.stack.write("stack.yaml", ignoring.replace("t3.micro", "t3.small"))
    assert "stops and starts the machine" in site.stack.run("plan").out
    apply(site.stack)
    machine_is(site, "t3.small", "running")


def test_a_saved_plan_that_waits_holds_when_nothing_is_left(site):
    old, new = MOVES["vpn_gateway"]
    site.stack.write("stack.yaml", old)
    apply(site.stack)
    site.server.settings(pace_percent=20)
    site.stack.write("stack.yaml", new)
    site.cut_off(signal.SIGKILL, lambda number, sent, executed: sent == "AttachVpnGateway" and executed)
    site.stack.run("recover")
    assert operations(site.stack.run("plan", "--out", "saved.plan", "--output", "json").json) == {VPN: "update"}
    site.server.settings(pace_percent=0)
    deadline = time.monotonic() + 30
    while "BEGUN" in site.stack.run("drift", status=(0, 2)).out and time.monotonic() < deadline:
        time.sleep(0.2)
    site.stack.run("apply", "saved.plan")
    plan_is_empty(site.stack)


@pytest.mark.parametrize("ignored", [False, True], ids=["not set any more", "ignored"])
def test_nothing_is_deleted_for_an_address_that_another_keeps(site, ignored):
    fields = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": "a"}
    spec = {"aws.vpc": NET, "aws.subnet": SUBNETS}
    both = {"x": {**fields, "address": "10.20.1.10"}, "y": {**fields, "address": "10.20.1.11"}}
    site.stack.write("stack.yaml", spec_text({**spec, "aws.instance": both}))
    apply(site.stack)
    moved = {"x": {**fields}, "y": {**fields, "address": "10.20.1.10"}}
    if ignored:
        moved["x"].update(address="10.20.1.99", lifecycle={"ignore": ["address"]})
    site.stack.write("stack.yaml", spec_text({**spec, "aws.instance": moved}))
    told = "'aws.instance.y' cannot have '10.20.1.10' as its 'address': 'aws.instance.x' has it, and keeps it"
    for command in (["plan"], ["apply", "--yes"]):
        assert told in site.stack.run(*command, status=1).err
    assert len(holders(site)) == 1


def test_a_record_depends_on_nothing_that_a_killed_run_was_to_put_there(site):
    """It had taken off what was there, and nothing of what was to come has come, or does by a later spec."""

    def routed(propagation, **gateways):
        return spec_text(
            {
                "aws.vpc": {"v": {"cidr": "10.1.0.0/16"}, "w": {"cidr": "10.2.0.0/16"}},
                "aws.vpn_gateway": {name: {"vpc": Ref(f"aws.vpc.{vpc}")} for name, vpc in gateways.items()},
                "aws.route_table": {"q": {"vpc": Ref("aws.vpc.v"), **propagation}},
            }
        )

    site.stack.write("stack.yaml", routed({"propagation": [Ref("aws.vpn_gateway.y")]}, y="v"))
    apply(site.stack)
    site.stack.write("stack.yaml", routed({"propagation": [Ref("aws.vpn_gateway.x")]}, x="v", y="w"))
    site.cut_off(signal.SIGKILL, lambda number, sent, executed: sent == "EnableVgwRoutePropagation" and not executed)
    site.stack.run("recover")
    site.stack.write("stack.yaml", routed({}, y="w"))
    apply(site.stack)
    plan_is_empty(site.stack)
    drift(site.stack, 0)
    assert site.stack.run("state", "check").out.startswith("sound: ")
