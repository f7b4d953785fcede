"""What can exist but once, and goes from one object to another: attachments and names."""

import signal

import pytest

from simulator import simulator  # noqa: F401
from test_take_back import Site
from trueup_runner import MotoCloud, Ref, SimulatedCloud, apply, errors_of, ids_of, plan_is_empty, spec_text

VPC = {"home": {"cidr": "10.20.0.0/16"}}


@pytest.fixture(params=["simulator", "moto"])
def cloud(request, stack):
    if request.param == "moto":
        cloud = MotoCloud(stack, request.getfixturevalue("moto"))
    else:
        cloud = SimulatedCloud(stack)
    yield cloud
    cloud.close()


def write(stack, resources):
    stack.write("stack.yaml", spec_text(resources))


def gateways(cloud, vpc):
    """Ids of the VPN gateways that are attached to a VPC."""
    return [
        each["VpnGatewayId"]
        for each in cloud.client().describe_vpn_gateways()["VpnGateways"]
        for attachment in each.get("VpcAttachments", [])
        if attachment["VpcId"] == vpc and attachment["State"] == "attached" and each["State"] == "available"
    ]


def vpn(cloud, asn, name="edge"):
    gateway = {
        "aws.vpc": VPC,
        "aws.vpn_gateway": {
            name: {"vpc": Ref("aws.vpc.home"), "asn": asn, "lifecycle": {"create_before_destroy": True}}
        },
    }
    # Its listing of connections cannot be read, and it has no propagation.
    if cloud.name == "moto":
        return gateway
    return {
        **gateway,
        "aws.customer_gateway": {"office": {"address": "203.0.113.7", "asn": 65001}},
        "aws.vpn_connection": {
            "office": {
                "vpn_gateway": Ref(f"aws.vpn_gateway.{name}"),
                "customer_gateway": Ref("aws.customer_gateway.office"),
                "static_routes_only": True,
            }
        },
        "aws.route_table": {
            "private": {
                "vpc": Ref("aws.vpc.home"),
                "routes": [{"destination": "192.168.10.0/24", "vpn_gateway": Ref(f"aws.vpn_gateway.{name}")}],
                "propagation": [Ref(f"aws.vpn_gateway.{name}")],
            }
        },
    }


@pytest.mark.parametrize("asn, name", [(64601, "edge"), (64600, "front")], ids=["replaced", "another one"])
def test_a_vpn_gateway_gives_way_under_a_live_connection(stack, cloud, asn, name):
    """A VPC takes one gateway: the old one leaves, the new one comes in, the connection moves, the old one goes."""
    write(stack, vpn(cloud, 64600))
    apply(stack)
    plan_is_empty(stack)
    before = ids_of(stack)

    write(stack, vpn(cloud, asn, name))
    apply(stack)
    after = ids_of(stack)
    new = after[f"aws.vpn_gateway.{name}"]
    assert new != before["aws.vpn_gateway.edge"]
    assert gateways(cloud, after["aws.vpc.home"]) == [new]
    if "aws.vpn_connection.office" in after:
        connection = after["aws.vpn_connection.office"]
        [live] = cloud.client().describe_vpn_connections(VpnConnectionIds=[connection])["VpnConnections"]
        assert live["VpnGatewayId"] == new and connection == before["aws.vpn_connection.office"]
    plan_is_empty(stack)
    stack.run("destroy", "--yes")
    assert ids_of(stack) == {}


def office(gateway, *others):
    """A connection by that customer gateway, and others by theirs, with one VPN gateway."""
    connections = {"office": gateway, **dict(others)}
    addresses = {"first": "203.0.113.7", "second": "203.0.113.8"}
    return {
        "aws.vpc": VPC,
        "aws.vpn_gateway": {"edge": {"vpc": Ref("aws.vpc.home")}},
        "aws.customer_gateway": {
            name: {"address": addresses[name], "asn": 65001} for name in sorted(set(connections.values()))
        },
        "aws.vpn_connection": {
            name: {
                "vpn_gateway": Ref("aws.vpn_gateway.edge"),
                "customer_gateway": Ref(f"aws.customer_gateway.{by}"),
                "static_routes_only": True,
            }
            for name, by in connections.items()
        },
    }


@pytest.mark.parametrize("cloud", ["simulator"], indirect=True)
def test_a_new_connection_waits_until_another_one_has_left_its_customer_gateway(stack, cloud):
    """The service would take it for that one."""
    write(stack, office("first"))
    apply(stack)
    before = ids_of(stack)
    write(stack, office("second", ("branch", "first")))
    apply(stack)
    plan_is_empty(stack)
    after = ids_of(stack)
    assert after["aws.vpn_connection.office"] == before["aws.vpn_connection.office"]
    assert len({after[f"aws.vpn_connection.{name}"] for name in ("office", "branch")}) == 2


@pytest.mark.parametrize("cloud", ["simulator"], indirect=True)
def test_two_connections_exchange_their_customer_gateways(stack, cloud):
    write(stack, office("first", ("branch", "second")))
    apply(stack)
    write(stack, office("second", ("branch", "first")))
    apply(stack)
    plan_is_empty(stack)


def tables(**subnets):
    names = sorted(name for each in subnets.values() for name in each)
    return {
        "aws.vpc": VPC,
        "aws.subnet": {name: {"vpc": "home", "cidr": f"10.20.{number}.0/24"} for number, name in enumerate(names)},
        "aws.route_table": {table: {"vpc": "home", "subnets": each} for table, each in subnets.items()},
    }


def ranges(**numbers):
    def subnet(place, number):
        own = {"vpc": "home", "cidr": f"10.20.{place}.0/24"}
        if number is None:
            return own
        own["ipv6_cidr"] = "${cidr_subnet(aws.vpc.home.ipv6_cidr, 8, %d)}" % number
        return {**own, "assign_ipv6_on_creation": True}

    subnets = {name: subnet(place, number) for place, (name, number) in enumerate(numbers.items())}
    return {"aws.vpc": {"home": {**VPC["home"], "ipv6": True}}, "aws.subnet": subnets}


def machines(**numbers):
    def machine(own):
        addresses = ["${cidr_host(aws.subnet.a.ipv6_cidr, %d)}" % number for number in own]
        return {
            "image": "ami-0123456789abcdef0",
            "instance_type": "m6i.large",
            "subnet": Ref("aws.subnet.a"),
            "addresses6": addresses,
        }

    return {**ranges(a=1), "aws.instance": {name: machine(own) for name, own in numbers.items()}}


def connections(*fields, **inside):
    """Connections of one VPN gateway, each to a device of its own, with the third numbers of their tunnels' ranges."""
    tunnels = {
        name: {"tunnels": [{"inside_cidr": f"169.254.{number}.0/30"} for number in numbers]} if numbers else {}
        for name, numbers in inside.items()
    }
    return {
        "aws.vpc": {**VPC, "other": {"cidr": "10.30.0.0/16"}},
        "aws.vpn_gateway": {"edge": {"vpc": Ref("aws.vpc.home")}, "far": {"vpc": Ref("aws.vpc.other")}},
        "aws.customer_gateway": {
            name: {"address": f"203.0.113.{place}", "asn": 65001} for place, name in enumerate("xyz")
        },
        "aws.vpn_connection": {
            name: {
                "vpn_gateway": Ref("aws.vpn_gateway.edge"),
                "customer_gateway": Ref(f"aws.customer_gateway.{name}"),
                **own,
                **dict(*fields).get(name, {}),
            }
            for name, own in tunnels.items()
        },
    }


FAR = {"x": {"vpn_gateway": Ref("aws.vpn_gateway.far")}}
MOVES = {
    "an inside range moves": (connections(x=[10, 11], y=[20, 21]), connections(x=[12, 11], y=[10, 21])),
    "an inside range moves back": (connections(x=[20, 21], y=[10, 11]), connections(x=[10, 21], y=[12, 11])),
    "inside ranges are free elsewhere": (connections(x=[10, 11], y=[20, 21]), connections(FAR, x=[10, 11], y=[10, 11])),
    "inside ranges come from elsewhere": (connections(FAR, x=[10, 11], y=[10, 11]), connections(x=[10, 11], y=[20, 21])),
    "an address moves": (machines(x=[10, 11], y=[12]), machines(x=[10], y=[11, 12])),
    "addresses are exchanged": (machines(x=[10], y=[11]), machines(x=[11], y=[10])),
    "a subnet moves": (tables(t=["a", "b"], u=[]), tables(t=["a"], u=["b"])),
    "a subnet moves back": (tables(t=["a"], u=["b"]), tables(t=["a", "b"], u=[])),
    "subnets are exchanged": (tables(t=["a"], u=["b"]), tables(t=["b"], u=["a"])),
    "a range moves": (ranges(a=1, b=None), ranges(a=None, b=1)),
    "a range moves back": (ranges(a=None, b=1), ranges(a=1, b=None)),
    "ranges are exchanged": (ranges(a=1, b=2), ranges(a=2, b=1)),
}


def attached(kind):
    return lambda **vpcs: {
        "aws.vpc": {**VPC, "other": {"cidr": "10.30.0.0/16"}},
        kind: {name: {"vpc": Ref(f"aws.vpc.{vpc}")} if vpc else {} for name, vpc in vpcs.items()},
    }


def made_first(**numbers):
    subnet = {"vpc": Ref("aws.vpc.home"), "lifecycle": {"create_before_destroy": True}}
    subnets = {name: {**subnet, "cidr": f"10.20.{number}.0/24"} for name, number in numbers.items()}
    return {"aws.vpc": VPC, "aws.subnet": subnets}


def made_first_of_one_table(**numbers):
    table = {"vpc": Ref("aws.vpc.home"), "subnets": [Ref(f"aws.subnet.{name}") for name in numbers]}
    return {**made_first(**numbers), "aws.route_table": {"t": table}}


def admitting_each_other(**names):
    """Two groups, one of which an instance uses."""
    vpc, other = {"vpc": Ref("aws.vpc.home")}, {"a": "b", "b": "a"}
    rule = {"protocol": "tcp", "from_port": 22, "to_port": 22}
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.s")}
    return {
        "aws.vpc": VPC,
        "aws.subnet": {"s": {**vpc, "cidr": "10.20.0.0/24"}},
        "aws.security_group": {
            at: {**vpc, "name": f"group {name}", "description": at, "ingress": [{**rule, "group": Ref(f"aws.security_group.{other[at]}")}]}
            for at, name in names.items()
        },
        "aws.instance": {"i": {**machine, "security_groups": [Ref("aws.security_group.a")]}},
    }


VPCS = [{"a": "home", "b": "other"}, {"a": None, "b": "home"}, {"a": "other", "b": "home"}]
INSIDE = [{"x": [10, 11], "y": [20, 21]}, {"x": [30, 11], "y": [20, 21]}, {"x": [30, 11], "y": [10, 21]}, {"x": [20, 11], "y": [10, 21]}]
RANGES = [{"a": 1, "b": 2}, {"a": 3, "b": 2}, {"a": 3, "b": 1}, {"a": 2, "b": 1}]
NAMES = [{"a": 1, "b": 2}, {"a": 1, "b": 3}, {"a": 2, "b": 3}, {"a": 2, "b": 1}]


@pytest.mark.parametrize(
    "swapped, rounds, steps, hint",
    [
        (attached("aws.internet_gateway"), VPCS, "change", "take 'vpc' out"),
        (attached("aws.vpn_gateway"), VPCS, "change", "take 'vpc' out"),
        (made_first, RANGES, "detach", "give 'aws.subnet.a' another 'cidr'"),
        (made_first_of_one_table, RANGES, "detach", "give 'aws.subnet.a' another 'cidr'"),
        (admitting_each_other, NAMES, "detach", "give 'aws.security_group.b' another 'name'"),
        (connections, INSIDE, "change", "give 'aws.vpn_connection.x' another 'inside_cidr'"),
    ],
    ids=["internet gateways", "VPN gateways", "subnets made first", "subnets of a table", "groups of a machine", "tunnels"],
)
def test_what_cannot_be_exchanged_at_once_says_how(stack, swapped, rounds, steps, hint):
    """In words of whoever reads a plan; what the hint says does it."""
    cloud = SimulatedCloud(stack)
    before, *meanwhile, after = rounds
    write(stack, swapped(**before))
    apply(stack)
    write(stack, swapped(**after))
    [error] = errors_of(stack.run("plan", "--output", "json", status=1).json)
    assert error["message"].startswith(f"these steps wait for each other: {steps} aws."), error
    assert "settle" not in error["message"] and hint in error["hint"], error
    for spec in (*meanwhile, after):
        write(stack, swapped(**spec))
        apply(stack)
    plan_is_empty(stack)
    cloud.close()


def gateway_made_first(asn, **vpcs):
    """Two VPN gateways; another number of `y` makes that anew, ahead of the old one's deletion."""
    resources = attached("aws.vpn_gateway")(**vpcs)
    resources["aws.vpn_gateway"]["y"].update(asn=asn, lifecycle={"create_before_destroy": True})
    return resources


@pytest.mark.parametrize("denied", [False, True], ids=["made", "denied"])
@pytest.mark.parametrize(
    "before, after",
    [({"y": "home"}, {"y": "home"}), ({"x": "other", "y": "home"}, {"x": "home", "y": "other"})],
    ids=["in its place", "two change places"],
)
def test_a_gateway_that_is_made_first_only_leaves_its_network_before(stack, before, after, denied):
    """The VPC is free once the old one has left it; deleted that is, as any, once the new one is there."""
    cloud = SimulatedCloud(stack)
    write(stack, gateway_made_first(64600, **before))
    apply(stack)
    old = ids_of(stack)["aws.vpn_gateway.y"]
    write(stack, gateway_made_first(64601, **after))
    if denied:
        cloud.fault("CreateVpnGateway", "deny")
        apply(stack, status=7)
        assert cloud.things("vpn-gateway")[old]["state"] == "available"
    apply(stack)
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    calls = stack.run("state", "history", run, "--output", "json").json["calls"]
    order = [call["operation"] for call in calls if call["address"] == "aws.vpn_gateway.y"]
    assert order.index("CreateVpnGateway") < order.index("DeleteVpnGateway"), order
    stack.run("drift")
    plan_is_empty(stack)
    cloud.close()


def carry_out(stack, saved, *target):
    """Applies the spec, or a plan of it that was saved: in the same order of calls."""
    if saved:
        stack.run("plan", f"--refresh={saved}", "--out", "p.plan", *target)
    apply(stack, *["p.plan"] if saved else target)


@pytest.mark.parametrize("saved", [None, "full", "none"])
@pytest.mark.parametrize("move", MOVES)
def test_what_two_cannot_have_moves_in_one_apply(stack, move, saved):
    cloud = SimulatedCloud(stack)
    before, after = MOVES[move]
    write(stack, before)
    apply(stack)
    ids = ids_of(stack)
    write(stack, after)
    carry_out(stack, saved)
    assert ids_of(stack) == ids
    plan_is_empty(stack)
    cloud.close()


# The one that takes something, which another one has.
TAKERS = {
    "an inside range moves": "aws.vpn_connection.y",
    "inside ranges are free elsewhere": "aws.vpn_connection.y",
    "an address moves": "aws.instance.y",
    "addresses are exchanged": "aws.instance.y",
    "a subnet moves": "aws.route_table.u",
    "subnets are exchanged": "aws.route_table.u",
    "a range moves": "aws.subnet.b",
    "ranges are exchanged": "aws.subnet.b",
}


@pytest.mark.parametrize("saved", [None, "full", "none"])
@pytest.mark.parametrize("move", TAKERS)
def test_what_two_cannot_have_comes_along_with_its_taker(stack, move, saved):
    cloud = SimulatedCloud(stack)
    before, after = MOVES[move]
    write(stack, before)
    apply(stack)
    ids = ids_of(stack)
    write(stack, after)
    carry_out(stack, saved, "--target", TAKERS[move])
    assert ids_of(stack) == ids
    plan_is_empty(stack)
    cloud.close()


@pytest.mark.parametrize("target", [[], ["--target", "aws.key_pair.l"]], ids=["all", "one of them"])
@pytest.mark.parametrize("saved", [None, "full", "none"])
def test_two_aliases_exchange_their_regions(stack, saved, target):
    """Each name is had by the other one, in the region to which its own alias goes."""
    cloud = SimulatedCloud(stack)

    def of_regions(one, other):
        pairs = {
            "k": {"name": "kk", "provider": "aws.a", "secret_to": {"file": "k.pem"}},
            "l": {"name": "kk", "provider": "aws.b", "secret_to": {"file": "l.pem"}},
        }
        providers = {"aws.a": {"region": one}, "aws.b": {"region": other}}
        stack.write("stack.yaml", spec_text({"aws.key_pair": pairs}, providers=providers))

    of_regions("us-west-2", "eu-west-1")
    apply(stack)
    of_regions("eu-west-1", "us-west-2")
    carry_out(stack, saved, *target)
    plan_is_empty(stack)
    cloud.close()


def without(resources, kind, name, **instead):
    """The giver is gone, or is another one."""
    left = {each: fields for each, fields in resources[kind].items() if each != name}
    return {**resources, kind: {**left, **instead}}


TWO = {**tables(t=["a", "b"], u=[]), "aws.vpc": {**VPC, "other": {"cidr": "10.30.0.0/16"}}}
TAKEN = {**TWO, "aws.route_table": {**TWO["aws.route_table"], "u": {"vpc": "home", "subnets": ["a", "b"]}}}
RANGED = ranges(a=1, b=None)
GIVEN = ranges(a=None, b=1)
U, B, ELSEWHERE = "aws.route_table.u", "aws.subnet.b", {"vpc": "home", "cidr": "10.20.9.0/24"}
HELD = machines(x=[10], y=[11])
LET_GO = machines(x=[12], y=[10, 11])
ANOTHER = {**LET_GO["aws.instance"]["x"], "image": "ami-0a1b2c3d4e5f60718"}
Y = "aws.instance.y"
LINKED, UNLINKED = connections(x=[10, 11], y=[20, 21]), connections(x=[12, 13], y=[10, 11])
NEWLY_LINKED = connections(x=[12, 13], y=[20, 21], z=[10, 11])
STATIC = {**UNLINKED["aws.vpn_connection"]["x"], "static_routes_only": True}
LINK = "aws.vpn_connection.y"
GIVERS = {
    "a connection that goes": (LINKED, without(UNLINKED, "aws.vpn_connection", "x"), LINK),
    "a connection that is replaced": (LINKED, without(UNLINKED, "aws.vpn_connection", "x", x=STATIC), LINK),
    "a connection that gives it to a new one": (LINKED, NEWLY_LINKED, "aws.vpn_connection.z"),
    "a machine that goes": (HELD, without(LET_GO, "aws.instance", "x"), Y),
    "a machine that is replaced": (HELD, without(LET_GO, "aws.instance", "x", x=ANOTHER), Y),
    "a table that goes": (TWO, without(TAKEN, "aws.route_table", "t"), U),
    "a table that is replaced": (TWO, without(TAKEN, "aws.route_table", "t", t={"vpc": "other"}), U),
    "a subnet that goes": (RANGED, without(GIVEN, "aws.subnet", "a"), B),
    "a subnet that is replaced": (RANGED, without(GIVEN, "aws.subnet", "a", a=ELSEWHERE), B),
}


@pytest.mark.parametrize("targeted", [False, True], ids=["all", "its taker"])
@pytest.mark.parametrize("saved", [None, "full", "none"])
@pytest.mark.parametrize("giver", GIVERS)
def test_what_two_cannot_have_comes_from_one_that_goes(stack, giver, saved, targeted):
    cloud = SimulatedCloud(stack)
    before, after, taker = GIVERS[giver]
    write(stack, before)
    apply(stack)
    write(stack, after)
    carry_out(stack, saved, *["--target", taker] if targeted else [])
    plan_is_empty(stack)
    cloud.close()


@pytest.mark.parametrize(
    "holder",
    [{"tunnels": None}, {"tunnels": [{}, {"inside_cidr": "169.254.11.0/30"}]}, {"lifecycle": {"ignore": ["tunnels"]}}],
    ids=["says nothing", "says nothing of one", "ignores it"],
)
def test_an_inside_range_that_its_holder_keeps_is_told_before_any_call(stack, holder):
    cloud = SimulatedCloud(stack)
    write(stack, connections(x=[10, 11], y=[20, 21]))
    apply(stack)
    before = cloud.show()
    resources = connections(x=[12, 11], y=[10, 21])
    own = {**resources["aws.vpn_connection"]["x"], **holder}
    resources["aws.vpn_connection"]["x"] = {name: value for name, value in own.items() if value is not None}
    write(stack, resources)
    for command in ("plan",), ("apply", "--yes"), ("apply", "--yes", "--target", LINK):
        [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
        assert error["message"] == (
            f"'{LINK}' cannot have '169.254.10.0/30' as its 'inside_cidr': 'aws.vpn_connection.x' has it, "
            "and keeps it under this plan"
        )
        assert "have 'aws.vpn_connection.x' set 'tunnels' without that" in error["hint"]
    assert cloud.show() == before
    cloud.close()


@pytest.mark.parametrize("executed", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("call", [1, 2])
@pytest.mark.parametrize("move", ["a subnet moves", "subnets are exchanged", "ranges are exchanged", "addresses are exchanged"])
def test_a_move_that_was_cut_off_is_no_drift_and_goes_on(stack, simulator, move, call, executed):  # noqa: F811
    site = Site(stack, simulator)
    changes = []

    def cuts(number, action, was_executed):
        if not action.startswith("Describe") and action != "GetCallerIdentity" and was_executed == executed:
            changes.append(action)
        return len(changes) == call

    before, after = MOVES[move]
    write(stack, before)
    apply(stack)
    write(stack, after)
    site.cut_off(signal.SIGKILL, cuts)
    assert stack.run("drift", "--output", "json", status=None).json["actions"] == []
    apply(stack)
    plan_is_empty(stack)
    write(stack, before)
    apply(stack)
    plan_is_empty(stack)
    site.proxy.stop()


MACHINE = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
GROUP = {"vpc": Ref("aws.vpc.home"), "description": "who may"}
PORT = {"protocol": "tcp", "from_port": 22, "to_port": 22}
NEWCOMERS = {
    "a table with the subnet": lambda cidr, new: {
        "aws.route_table": {"u": {"vpc": Ref("aws.vpc.home"), "subnets": [Ref("aws.subnet.a")]}} if new else {},
        "aws.instance": {"m": {**MACHINE, "subnet": Ref("aws.subnet.a")}},
        "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": cidr}},
    },
    "a table with the subnet of another": lambda cidr, new: {
        "aws.route_table": {
            "t": {
                "vpc": Ref("aws.vpc.home"),
                "subnets": [] if new else [Ref("aws.subnet.a")],
                "lifecycle": {"ignore": ["subnets"]},
            },
            **({"u": {"vpc": Ref("aws.vpc.home"), "subnets": [Ref("aws.subnet.a")]}} if new else {}),
        },
        "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": cidr}},
    },
    "a group with a rule": lambda cidr, new: {
        "aws.security_group": {
            **({"a": {**GROUP, "name": "a", "ingress": [{**PORT, "group": Ref("aws.security_group.b")}]}} if new else {}),
            "b": {**GROUP, "name": "b", "description": cidr},
        },
    },
}


@pytest.mark.parametrize("newcomer", NEWCOMERS.values(), ids=NEWCOMERS)
def test_what_is_new_names_in_a_part_what_is_replaced_behind_it(stack, newcomer):
    """A part binds nothing when fields are judged: what it refers to may come later, and have another id then."""
    cloud = SimulatedCloud(stack)
    write(stack, {**newcomer("10.20.0.0/24", False), "aws.vpc": VPC})
    apply(stack)
    write(stack, {**newcomer("10.20.1.0/24", True), "aws.vpc": VPC})
    shown = stack.run("plan", "--out", "new.plan").out
    assert "(known after apply: ${aws.s" in shown, shown
    stack.run("apply", "new.plan")
    plan_is_empty(stack)
    cloud.close()


@pytest.mark.parametrize("edge", [{}, {"edge": {}}], ids=["deleted", "detached"])
def test_a_network_is_free_once_what_a_killed_run_detached_has_left(stack, simulator, edge):  # noqa: F811
    """A read shows nothing of what is on its way out, and the service says for a while that the place is taken."""
    site = Site(stack, simulator)
    write(stack, {"aws.vpc": VPC, "aws.vpn_gateway": {"edge": {"vpc": Ref("aws.vpc.home")}}})
    apply(stack)
    simulator.settings(pace_percent=30)
    write(stack, {"aws.vpc": VPC, "aws.vpn_gateway": {"after": {"vpc": Ref("aws.vpc.home")}, **edge}})
    site.cut_off(signal.SIGKILL, lambda number, sent, executed: sent == "DetachVpnGateway" and executed)
    apply(stack)
    plan_is_empty(stack)
    site.proxy.stop()
