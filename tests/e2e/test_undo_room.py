"""`trueup undo RUN` where what goes back would find its range, its name or its address taken by what came since."""

import json
import re

import pytest

from cli import recorded, simulate, world
from test_undo import apply_spec, is_as_in, lost, operations, undo

A, M = "aws.subnet.a", "aws.instance.m"
IMAGE = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl x"


def spec(machines=None, groups=None, second=None, **subnets):
    """Machines by the last number of their address in subnet a, groups by their names."""
    net = {"stack": "net", "providers": {"aws": {"region": "eu-central-1"}}, "aws.vpc": {"main": {"cidr": "10.0.0.0/16"}}}
    if second:
        net["aws.vpc"]["main"]["secondary_cidrs"] = [second]
    net["aws.subnet"] = {name: {"vpc": "main", "cidr": cidr} for name, cidr in subnets.items()}
    net["aws.instance"] = {
        name: {**IMAGE, "subnet": "a", **({"address": address} if address else {})} for name, address in (machines or {}).items()
    }
    net["aws.security_group"] = {
        name: {"vpc": "main", "name": called, "description": "d"} for name, called in (groups or {}).items()
    }
    return json.dumps(net, indent=1)


def group_spec(*names):
    """Groups that have their names by an expression over what is there."""
    return spec(groups={at: "%s-${aws.vpc.main.id}" % name for at, name in zip("ac", names)})


def pair_spec(*names):
    net = json.loads(spec())
    net["aws.key_pair"] = {
        at: {"name": "%s-${aws.vpc.main.id}" % name, "public_key": KEY} for at, name in zip("ac", names)
    }
    return json.dumps(net, indent=1)


def gateway_spec(*last):
    gateways = {at: {"address": f"203.0.113.{number}", "asn": 65001} for at, number in zip("ac", last)}
    return json.dumps(
        {"stack": "net", "providers": {"aws": {"region": "eu-central-1"}}, "aws.customer_gateway": gateways}, indent=1
    )


def interface_spec(first, *more, **interface):
    """Machine m with an address, and machine n with what is said of its second interface."""
    net = json.loads(spec({"m": first, **dict.fromkeys(more)}, **FOUR))
    for name in more:
        net["aws.instance"][name]["interfaces"] = [{"device_index": 1, "subnet": "a", **interface}]
    return json.dumps(net, indent=1)


def spec6(cidr, number, *more):
    """Subnets by the number of their IPv6 range: a with that IPv4 range too, c elsewhere."""
    net = json.loads(spec(a=cidr, **({"c": "10.0.9.0/24"} if more else {})))
    net["aws.vpc"]["main"]["ipv6"] = True
    for name, part in zip("ac", (number, *more)):
        net["aws.subnet"][name]["ipv6_cidr"] = "${cidr_subnet(aws.vpc.main.ipv6_cidr, 8, %d)}" % part
    return json.dumps(net, indent=1)


def attached_spec(kind, **vpcs):
    """Things of a kind by the network that each is in; None: in none."""
    net = json.loads(spec())
    net["aws.vpc"]["other"] = {"cidr": "10.1.0.0/16"}
    net[kind] = {name: {"vpc": vpc} if vpc else {} for name, vpc in vpcs.items()}
    return json.dumps(net, indent=1)


def table_spec(**tables):
    """Route tables by the subnets that they are for."""
    net = json.loads(spec(a="10.0.4.0/24"))
    net["aws.route_table"] = {name: {"vpc": "main", "subnets": subnets} for name, subnets in tables.items()}
    return json.dumps(net, indent=1)


def grouped_spec(a_in, subnet=None, group_in="main"):
    """Subnets a and b, and a machine in one of them with a group."""
    net = json.loads(spec({"m": None} if subnet else None, {"g": "g"}, b="10.0.2.0/24"))
    net["aws.vpc"]["other"] = {"cidr": "10.1.0.0/16"}
    net["aws.subnet"]["a"] = {"vpc": a_in, "cidr": {"main": "10.0.1.0/24", "other": "10.1.1.0/24"}[a_in]}
    net["aws.security_group"]["g"]["vpc"] = group_in
    if subnet:
        net["aws.instance"]["m"].update(subnet=subnet, security_groups=["g"])
    return json.dumps(net, indent=1)


def admitting_spec(b_in, a_in="main", called="one", admits="b"):
    """Group a, which admits group b or not."""
    net = json.loads(spec(groups={"a": called, "b": "peer"}))
    net["aws.vpc"]["other"] = {"cidr": "10.1.0.0/16"}
    net["aws.security_group"]["a"]["vpc"] = a_in
    net["aws.security_group"]["b"]["vpc"] = b_in
    rule = {"protocol": "tcp", "from_port": 1, "to_port": 2}
    net["aws.security_group"]["a"]["ingress"] = [{**rule, "group": name} for name in admits]
    return json.dumps(net, indent=1)


def routed_spec(igw_in, *routed):
    """A table with a route to a gateway, and the network that this is attached to."""
    net = json.loads(attached_spec(IGW, a=igw_in))
    net["aws.route_table"] = {"t": {"vpc": "main"}}
    if routed:
        net["aws.route_table"]["t"]["routes"] = [{"destination": "0.0.0.0/0", "internet_gateway": "a"}]
    return json.dumps(net, indent=1)


def both_spec(cidr, machines=None):
    """Subnet a with an IPv6 range by an expression beside its other one, and machines in it."""
    net = json.loads(spec(machines, a=cidr))
    net["aws.vpc"]["main"]["ipv6"] = True
    net["aws.subnet"]["a"]["ipv6_cidr"] = "${cidr_subnet(aws.vpc.main.ipv6_cidr, 8, 1)}"
    return json.dumps(net, indent=1)


IGW, VGW = "aws.internet_gateway", "aws.vpn_gateway"
FOUR, FIVE = {"a": "10.0.4.0/24"}, {"a": "10.0.5.0/24"}
PARTED = (
    "'aws.security_group.a' would refer to 'aws.security_group.b', which lies in 'aws.vpc.{there}' then, "
    "but 'aws.security_group.a' lies in 'aws.vpc.{here}'"
)
TAKEN = {
    "a part of its range": (
        (spec(**FOUR), spec(**FIVE), spec(**FIVE, c="10.0.4.0/25")),
        f"'{A}' cannot have '10.0.4.0/24' as its 'cidr' again: 'aws.subnet.c' has 10.0.4.0/25 by now",
    ),
    "its name": (
        (spec(groups={"a": "one"}), spec(groups={"a": "two"}), spec(groups={"a": "two", "c": "one"})),
        "'aws.security_group.a' cannot have 'one' as its 'name' again: 'aws.security_group.c' has it by now",
    ),
    "its address": (
        tuple(
            spec(machines, **FOUR)
            for machines in ({"m": "10.0.4.9"}, {"m": "10.0.4.8"}, {"m": "10.0.4.8", "n": "10.0.4.9"})
        ),
        f"'{M}' cannot have '10.0.4.9' as its 'address' again: 'aws.instance.n' has it by now",
    ),
    "an address that nobody asked for": (
        tuple(spec(machines, **FOUR) for machines in ({"m": "10.0.4.4"}, {"m": "10.0.4.8"}, {"m": "10.0.4.8", "n": None})),
        f"'{M}' cannot have '10.0.4.4' as its 'address' again: 'aws.instance.n' has it by now",
    ),
    "an address outside of what goes back": (
        (spec(**FOUR), spec(**FIVE), spec({"m": "10.0.5.9"}, **FIVE)),
        f"'{M}' would follow '{A}', and its 'address' does not lie in what that goes back to",
    ),
    "an address outside of what goes back with an IPv6 range": (
        (both_spec("10.0.4.0/24"), both_spec("10.0.5.0/24"), both_spec("10.0.5.0/24", {"m": "10.0.5.9"})),
        f"'{M}' would follow '{A}', and its 'address' does not lie in what that goes back to",
    ),
    "an address that is kept there": (
        tuple(spec(machines, a=f"10.0.4.0/{bits}") for machines, bits in ((None, 26), (None, 24), ({"m": "10.0.4.63"}, 24))),
        f"'{M}' would follow '{A}', and its 'address' does not lie in what that goes back to",
    ),
    "a range that what goes back does not have": (
        (spec(), spec(second="10.7.0.0/16"), spec(second="10.7.0.0/16", a="10.7.4.0/24")),
        f"'{A}' would stay in 'aws.vpc.main', and its 'cidr' does not lie in what that goes back to",
    ),
    "outside of what it was in": (
        (spec({"m": "10.0.4.9"}, **FOUR), spec(**FOUR), spec(**FIVE)),
        f"'{M}' would be made in '{A}', and its 'address' is not to be had in what that is by now",
    ),
    "its name by an expression": (
        (group_spec("one"), group_spec("two"), group_spec("two", "one")),
        "'aws.security_group.a' cannot have 'one-vpc-[0-9a-f]+' as its 'name' again: 'aws.security_group.c' has it by now",
    ),
    "the name of a pair by an expression": (
        (pair_spec("one"), pair_spec("two"), pair_spec("two", "one")),
        "'aws.key_pair.a' cannot have 'one-vpc-[0-9a-f]+' as its 'name' again: 'aws.key_pair.c' has it by now",
    ),
    "what tells it apart": (
        (gateway_spec(1), gateway_spec(2), gateway_spec(2, 1)),
        "'aws.customer_gateway.a' cannot be had again: 'aws.customer_gateway.c' has the same 'address', 'asn' by now",
    ),
    "its address on a further interface": (
        (interface_spec("10.0.4.9"), interface_spec("10.0.4.8"), interface_spec("10.0.4.8", "n", address="10.0.4.9")),
        f"'{M}' cannot have '10.0.4.9' as its 'address' again: 'aws.instance.n' has it by now",
    ),
    "its address as a second one of an interface": (
        (
            interface_spec("10.0.4.9"),
            interface_spec("10.0.4.8"),
            interface_spec(
                "10.0.4.8", "n", addresses=[{"address": "10.0.4.20", "primary": True}, {"address": "10.0.4.9"}]
            ),
        ),
        f"'{M}' cannot have '10.0.4.9' as its 'address' again: 'aws.instance.n' has it by now",
    ),
    "its other range": (
        (spec6("10.0.4.0/24", 1), spec6("10.0.5.0/24", 2), spec6("10.0.5.0/24", 2, 1)),
        f"'{A}' cannot have '[0-9a-f:/]+' as its 'ipv6_cidr' again: 'aws.subnet.c' has it by now",
    ),
    "its other range in place": (
        (spec6("10.0.4.0/24", 1), spec6("10.0.4.0/24", 2), spec6("10.0.4.0/24", 2, 1)),
        f"'{A}' cannot have '[0-9a-f:/]+' as its 'ipv6_cidr' again: 'aws.subnet.c' has it by now",
    ),
    "its network as a gateway": (
        tuple(attached_spec(IGW, **vpcs) for vpcs in ({"a": "main"}, {"a": "other"}, {"a": "other", "c": "main"})),
        f"'{IGW}.a' cannot have 'aws.vpc.main' as its 'vpc' again: '{IGW}.c' has it by now",
    ),
    "its network as a gateway of the other kind": (
        tuple(attached_spec(VGW, **vpcs) for vpcs in ({"a": "main"}, {"a": None}, {"a": None, "c": "main"})),
        f"'{VGW}.a' cannot have 'aws.vpc.main' as its 'vpc' again: '{VGW}.c' has it by now",
    ),
    "its network as a gateway that was deleted": (
        tuple(attached_spec(IGW, **vpcs) for vpcs in ({"a": "main"}, {}, {"c": "main"})),
        f"'{IGW}.a' cannot have 'aws.vpc.main' as its 'vpc' again: '{IGW}.c' has it by now",
    ),
    "the network of its subnet": (
        (grouped_spec("main", "a"), grouped_spec("main", "b"), grouped_spec("other", "b")),
        f"'{M}' would refer to 'aws.security_group.g', which lies in 'aws.vpc.main' then, "
        f"but '{A}' lies in 'aws.vpc.other'",
    ),
    "the network of its group": (
        (grouped_spec("main", "b"), grouped_spec("main"), grouped_spec("main", group_in="other")),
        f"'{M}' would refer to 'aws.security_group.g', which lies in 'aws.vpc.other' then, "
        "but 'aws.subnet.b' lies in 'aws.vpc.main'",
    ),
    "the network that what it is in goes back to": (
        (grouped_spec("main"), grouped_spec("other"), grouped_spec("other", "a", "other")),
        f"'{M}' would refer to 'aws.security_group.g', which lies in 'aws.vpc.other' then, "
        f"but '{A}' lies in 'aws.vpc.main'",
    ),
    "the network of a group that it admits": (
        (admitting_spec("main"), admitting_spec("main", called="two", admits=""), admitting_spec("other", called="two", admits="")),
        PARTED.format(there="other", here="main"),
    ),
    "the network of that by which it admits another one": (
        (admitting_spec("main"), admitting_spec("main", admits=""), admitting_spec("main", "other", admits="")),
        PARTED.format(there="main", here="other"),
    ),
    "the network that a group goes back to which another one admits since": (
        (admitting_spec("main", "other", admits=""), admitting_spec("other", "other", admits=""), admitting_spec("other", "other")),
        PARTED.format(there="main", here="other"),
    ),
    "the network of a gateway that it leads to": (
        (routed_spec("main", "a"), routed_spec("main"), routed_spec("other")),
        f"'aws.route_table.t' would refer to '{IGW}.a', which lies in 'aws.vpc.other' then, "
        "but 'aws.route_table.t' lies in 'aws.vpc.main'",
    ),
    "that the gateway which it leads to is in a network": (
        (routed_spec("main", "a"), routed_spec("main"), routed_spec(None)),
        f"'aws.route_table.t' would refer to '{IGW}.a', and needs the 'vpc' of that, which it does not have then",
    ),
    "that a gateway which something leads to since is in a network": (
        (routed_spec(None), routed_spec("main"), routed_spec("main", "a")),
        f"'aws.route_table.t' would refer to '{IGW}.a', and needs the 'vpc' of that, which it does not have then",
    ),
    "a subnet of its table": (
        (table_spec(a=["a"], c=[]), table_spec(a=[], c=[]), table_spec(a=[], c=["a"])),
        f"'aws.route_table.a' cannot have '{A}' as its 'subnet' again: 'aws.route_table.c' has it by now",
    ),
}


@pytest.mark.parametrize("specs, told", TAKEN.values(), ids=TAKEN)
def test_refused_before_any_call(stack, specs, told):
    """And the run that is named can be undone, and then the other one."""
    simulate(stack, "../world")
    _, run, named = [apply_spec(stack, text) for text in specs]
    kept = recorded(stack)
    (error,) = undo(stack, run, "--yes", status=1)["diagnostics"]
    ending = f" (apply, run {named[:8]})"
    assert error["message"].endswith(ending)
    assert re.fullmatch(told, error["message"].removesuffix(ending))
    assert recorded(stack) == kept
    undo(stack, named, "--yes")
    undo(stack, run, "--yes")
    assert is_as_in(stack, specs[0])


def test_who_has_it_goes_with_the_undoing(stack):
    simulate(stack, "../world")
    apply_spec(stack, spec(**FOUR))
    run = apply_spec(stack, spec(**FIVE, c="10.0.4.0/25"))
    assert operations(undo(stack, run, "--yes")) == {A: "replace", "aws.subnet.c": "delete"}
    assert is_as_in(stack, spec(**FOUR))


def test_who_had_it_was_deleted_outside(stack):
    simulate(stack, "../world")
    apply_spec(stack, spec(**FOUR))
    run = apply_spec(stack, spec(**FIVE))
    apply_spec(stack, spec(**FIVE, c="10.0.4.0/25"))
    stack.run("sim", "../world", "remove", "subnet", recorded(stack)["aws.subnet.c"])
    assert operations(undo(stack, run, "--yes")) == {A: "replace"}
    assert [net["cidrBlock"] for net in world(stack, "subnet").values()] == ["10.0.4.0/24"]


def test_who_has_its_other_range_goes_back_too(stack):
    simulate(stack, "../world")
    apply_spec(stack, spec6("10.0.4.0/24", 1, 2))
    run = apply_spec(stack, spec6("10.0.5.0/24", 3, 1))
    assert operations(undo(stack, run, "--yes")) == {A: "replace", "aws.subnet.c": "update"}
    assert is_as_in(stack, spec6("10.0.4.0/24", 1, 2))


def test_who_had_its_other_range_lost_it_outside(stack):
    simulate(stack, "../world")
    apply_spec(stack, spec6("10.0.4.0/24", 1))
    run = apply_spec(stack, spec6("10.0.5.0/24", 2))
    apply_spec(stack, spec6("10.0.5.0/24", 2, 1))
    stack.run("sim", "../world", "change", "subnet", recorded(stack)["aws.subnet.c"], "ipv6CidrBlockAssociationSet=null")
    assert operations(undo(stack, run, "--yes")) == {A: "replace"}


def test_its_name_by_an_expression_is_another_then(stack):
    """What it refers to is made anew, so that the name which another has since is not the one that comes."""
    name = "%s-${aws.subnet.a.id}"
    simulate(stack, "../world")
    apply_spec(stack, spec(groups={"a": name % "one"}, **FOUR))
    run = apply_spec(stack, spec(groups={"a": name % "two"}, **FIVE))
    taken = f"one-{recorded(stack)[A]}"
    apply_spec(stack, spec(groups={"a": name % "two", "c": taken}, **FIVE))
    assert operations(undo(stack, run, "--yes")) == {A: "replace", "aws.security_group.a": "replace"}
    assert is_as_in(stack, spec(groups={"a": name % "one", "c": taken}, **FOUR))


def test_who_has_it_is_left_behind(stack):
    """And goes with the next apply."""

    def moved(cidr):
        net = json.loads(spec(**FIVE, c=cidr))
        net["aws.subnet"]["c"]["lifecycle"] = {"create_before_destroy": True}
        return json.dumps(net, indent=1)

    simulate(stack, "../world")
    apply_spec(stack, spec(**FOUR))
    run = apply_spec(stack, spec(**FIVE))
    apply_spec(stack, moved("10.0.4.0/25"))
    behind = recorded(stack)["aws.subnet.c"]
    stack.write("net.yaml", moved("10.0.9.0/24"))
    fault = stack.run("sim", "../world", "fault", "DeleteSubnet", "deny").out.split()[-1]
    stack.run("apply", "--yes", status=7)
    stack.run("sim", "../world", "remove", "fault", fault)
    (error,) = undo(stack, run, "--yes", status=1)["diagnostics"]
    assert error["message"] == (
        f"'{A}' cannot have '10.0.4.0/24' as its 'cidr' again: "
        f"{behind}, which is left behind at 'aws.subnet.c', has 10.0.4.0/25 by now"
    )
    assert "apply deletes that" in error["hint"]
    stack.run("apply", "--yes")
    assert operations(undo(stack, run, "--yes")) == {A: "replace"}


def placed_spec(subnet, **subnets):
    net = json.loads(spec({"m": None}, **subnets))
    net["aws.instance"]["m"]["subnet"] = subnet
    return json.dumps(net, indent=1)


def test_what_cannot_go_back_follows_what_it_lies_in_now(stack):
    """A later run removed what it lay in, and it stays in what the same undoing replaces."""
    simulate(stack, "../world")
    before = {"d": "10.0.6.0/24"}
    apply_spec(stack, placed_spec("d", **FOUR, **before))
    run = apply_spec(stack, placed_spec("a", **FIVE, **before))
    later = apply_spec(stack, placed_spec("a", **FIVE))[:8]
    undone = undo(stack, run, "--yes", status=7)
    gone = f"'aws.subnet.d', which is not there any more (apply, run {later}); first undo that run"
    assert (M, f"stays as it is: it needs {gone}") in lost(undone)
    assert operations(undone) == {A: "replace", M: "replace"}
    assert is_as_in(stack, placed_spec("a", **FOUR))


def keyed_spec(*kinds):
    """Of a gateway in the network and a pair of keys those that are named, and what stays beside them."""
    net = json.loads(pair_spec())
    net["aws.internet_gateway"] = {"i": {"vpc": "main"}} if "gateway" in kinds else {}
    net["aws.key_pair"] = {"k": {"name": "admin", "public_key": KEY}} if "pair" in kinds else {}
    return json.dumps(net, indent=1)


@pytest.mark.parametrize("word", ["--yes", "--detailed-exitcode"])
def test_somebody_has_its_name_and_what_another_needs_is_gone(stack, word):
    """What is not made again for that takes nothing of what was read from the others."""
    simulate(stack, "../world")
    apply_spec(stack, keyed_spec("gateway", "pair"))
    run = apply_spec(stack, keyed_spec())
    stack.run("sim", "../world", "remove", "vpc", recorded(stack)["aws.vpc.main"])
    stack.run("sim", "../world", "add", "key-pair", "key-0", "keyName=admin", AWS_REGION="eu-central-1")
    (error,) = undo(stack, run, word, status=1)["diagnostics"]
    assert "aws.key_pair.k" in error["message"] and "this one is key-0" in error["hint"]
