"""What a thing still names cannot be deleted: what stays keeps it, and what goes too lets go of it first."""

import pytest

from trueup_runner import Ref, apply, errors_of, ids_of, plan_is_empty, spec_text

IMAGE = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}


def write(stack, groups, machine, subnets=("s",), **changed):
    group = {"vpc": Ref("aws.vpc.v"), "description": "d"}
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.subnet": {name: {"vpc": Ref("aws.vpc.v"), "cidr": "10.0.0.0/24"} for name in subnets},
        "aws.security_group": {name: {**group, "name": name, **changed} for name in groups},
        "aws.instance": {"m": {**IMAGE, **machine}},
    }
    stack.write("stack.yaml", spec_text({kind: named for kind, named in spec.items() if named}))


def refused(stack, target, field, hint):
    """Before any call, whatever is asked for."""
    for words in ("plan",), ("apply", "--yes"):
        [error] = errors_of(stack.run(*words, "--output", "json", status=1).json)
        assert error["message"] == f"'{target}' cannot be deleted: '{field}' of 'aws.instance.m' names it, and stays as it is"
        assert hint in error["hint"]


IN_SUBNET = {"subnet": Ref("aws.subnet.s")}
IN_GROUP = {**IN_SUBNET, "security_groups": [Ref("aws.security_group.g")]}
GROUP_HINT = "have 'aws.instance.m' set 'security_groups' without that"


def test_a_group_goes_with_the_field_that_names_it(stack, cloud):
    write(stack, "g", IN_GROUP)
    apply(stack)
    before = cloud.show()
    write(stack, "", IN_SUBNET)
    refused(stack, "aws.security_group.g", "security_groups", GROUP_HINT)
    assert cloud.show() == before
    write(stack, "h", {**IN_SUBNET, "security_groups": [Ref("aws.security_group.h")]})
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("words", [["apply", "--yes"], ["destroy", "--yes", "--target", "aws.security_group.g"]])
def test_a_group_goes_after_the_field_that_named_it(stack, cloud, words):
    """A run before has recorded that nothing more is asked for there."""
    write(stack, "g", IN_GROUP)
    apply(stack)
    write(stack, "g", IN_SUBNET)
    apply(stack)
    write(stack, "", IN_SUBNET)
    refusal = stack.run(*words, status=1)
    assert "'security_groups' of 'aws.instance.m' names it" in refusal.err and GROUP_HINT in refusal.err
    stack.run("destroy", "--yes")


def test_a_group_is_replaced_that_an_ignored_field_names(stack, cloud):
    machine = {**IN_GROUP, "lifecycle": {"ignore": ["security_groups"]}}
    write(stack, "g", machine)
    apply(stack)
    write(stack, "g", machine, name="another")
    refused(stack, "aws.security_group.g", "security_groups", GROUP_HINT)
    write(stack, "g", IN_GROUP, name="another")
    apply(stack)
    plan_is_empty(stack)


def test_a_subnet_goes_with_the_field_that_names_it(stack, cloud):
    """Nothing but its deletion takes a machine out of there."""
    write(stack, "", IN_SUBNET)
    apply(stack)
    ids = ids_of(stack)
    write(stack, "", {}, subnets=())
    refused(stack, "aws.subnet.s", "subnet", "have that go too, or keep 'aws.subnet.s'")
    assert ids_of(stack) == ids


HOME = Ref("aws.vpc.v")
VPC = {"aws.vpc": {"v": {"cidr": "10.0.0.0/16"}}}


def cannot_go(stack, target, named, by, hint):
    """Nor does an apply come to more."""
    before = ids_of(stack)
    for words in ("plan",), ("apply", "--yes"):
        [error] = errors_of(stack.run(*words, "--output", "json", status=1).json)
        assert error["message"] == f"'{target}' cannot be deleted: {named} of '{by}' names it, and stays as it is"
        assert hint in error["hint"]
    assert ids_of(stack) == before


def put(stack, *specs):
    stack.write("stack.yaml", spec_text({kind: named for spec in specs for kind, named in spec.items()}))


@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "one after the other"])
def test_a_group_goes_that_a_rule_names_which_the_spec_lets_go_of(stack, cloud, at_once):
    """No call takes out what is let go of as it is."""
    rule = {"protocol": "tcp", "from_port": 1, "to_port": 1, "group": Ref("aws.security_group.b")}
    a, b = ({"vpc": HOME, "name": name, "description": "d"} for name in "ab")
    put(stack, VPC, {"aws.security_group": {"a": {**a, "egress": [rule]}, "b": b}})
    apply(stack)
    if not at_once:
        put(stack, VPC, {"aws.security_group": {"a": a, "b": b}})
        apply(stack)
    group = ids_of(stack)["aws.security_group.b"]
    put(stack, VPC, {"aws.security_group": {"a": {**a, "tags": {"k": "v"}}}})
    by = "aws.security_group.a"
    cannot_go(stack, "aws.security_group.b", f"egress[tcp 1 1 {group}]", by, f"have '{by}' set 'egress' without that")
    put(stack, VPC, {"aws.security_group": {"a": {**a, "egress": []}}})
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("kind", ["aws.internet_gateway", "aws.vpn_gateway"])
@pytest.mark.parametrize("replaced", [True, False], ids=["replaced", "deleted"])
def test_a_vpc_goes_that_a_gateway_stays_attached_to(stack, cloud, kind, replaced):
    left = {"lifecycle": {"ignore": ["vpc"]}}
    put(stack, VPC, {kind: {"g": {"vpc": HOME, **left}}})
    apply(stack)
    gateway = {"vpc": HOME} if replaced else {}
    rest = {"aws.vpc": {"v": {"cidr": "10.1.0.0/16"}}} if replaced else {}
    put(stack, rest, {kind: {"g": {**gateway, **left}}})
    cannot_go(stack, "aws.vpc.v", "'vpc'", f"{kind}.g", f"take 'vpc' out of 'lifecycle.ignore' of '{kind}.g'")
    put(stack, rest, {kind: {"g": gateway}})
    apply(stack)
    plan_is_empty(stack)


LYING_IN = {
    "aws.subnet": {"cidr": "10.0.0.0/24"},
    "aws.route_table": {},
    "aws.security_group": {"name": "g", "description": "d"},
}


@pytest.mark.parametrize("kind", LYING_IN)
def test_a_vpc_is_replaced_that_something_lies_in_and_stays(stack, cloud, kind):
    thing = {"vpc": HOME, **LYING_IN[kind]}
    put(stack, VPC, {kind: {"t": {**thing, "lifecycle": {"ignore": ["vpc"]}}}})
    apply(stack)
    wider = {"aws.vpc": {"v": {"cidr": "10.0.0.0/17"}}}
    put(stack, wider, {kind: {"t": {**thing, "lifecycle": {"ignore": ["vpc"]}}}})
    hint = f"take 'vpc' out of 'lifecycle.ignore' of '{kind}.t', which is made anew then, or keep 'aws.vpc.v'"
    cannot_go(stack, "aws.vpc.v", "'vpc'", f"{kind}.t", hint)
    put(stack, wider, {kind: {"t": thing}})
    apply(stack)
    plan_is_empty(stack)


def test_a_vpc_goes_that_others_have_attached_a_gateway_to(stack, cloud):
    put(stack, VPC, {"aws.internet_gateway": {"g": {}}})
    apply(stack)
    ids = ids_of(stack)
    where = {"InternetGatewayId": ids["aws.internet_gateway.g"], "VpcId": ids["aws.vpc.v"]}
    cloud.client().attach_internet_gateway(**where)
    put(stack, {"aws.internet_gateway": {"g": {}}})
    cannot_go(stack, "aws.vpc.v", "'vpc'", "aws.internet_gateway.g", "take out what others have put there")
    cloud.client().detach_internet_gateway(**where)
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("field", ["vpn_gateway", "customer_gateway"])
def test_an_end_goes_of_a_connection_that_leaves_it_to_others(stack, cloud, field):
    gateways = {
        "aws.vpn_gateway": {"a": {}},
        "aws.customer_gateway": {"a": {"address": "203.0.113.1", "asn": 65001}},
    }
    new = {"vpn_gateway": {}, "customer_gateway": {"address": "203.0.113.2", "asn": 65001}}[field]
    ends = {each: Ref(f"aws.{each}.a") for each in ("vpn_gateway", "customer_gateway")}
    connection = {**ends, "static_routes_only": True, "lifecycle": {"ignore": [field]}}
    put(stack, gateways, {"aws.vpn_connection": {"k": connection}})
    apply(stack)
    gateways[f"aws.{field}"] = {"b": new}
    connection[field] = Ref(f"aws.{field}.b")
    put(stack, gateways, {"aws.vpn_connection": {"k": connection}})
    by = "aws.vpn_connection.k"
    cannot_go(stack, f"aws.{field}.a", f"'{field}'", by, f"take '{field}' out of 'lifecycle.ignore' of '{by}'")
    del connection["lifecycle"]
    put(stack, gateways, {"aws.vpn_connection": {"k": connection}})
    apply(stack)
    plan_is_empty(stack)


def let_in(cloud, group, other):
    pair = {"IpProtocol": "tcp", "FromPort": 9, "ToPort": 9, "UserIdGroupPairs": [{"GroupId": other}]}
    cloud.client().authorize_security_group_ingress(GroupId=group, IpPermissions=[pair])


@pytest.mark.parametrize("ignored", [[], ["ingress"]], ids=["unset", "ignored"])
@pytest.mark.parametrize("renamed", [{}, {"name": "another"}], ids=["gone", "replaced"])
def test_two_groups_go_that_others_have_let_name_each_other(stack, cloud, ignored, renamed):
    """Each lets go of the other one first: neither can be deleted while a rule names it."""
    lifecycle = {"lifecycle": {"ignore": ignored}}
    write(stack, "xy", IN_SUBNET, **lifecycle)
    apply(stack)
    ids = ids_of(stack)
    x, y = ids["aws.security_group.x"], ids["aws.security_group.y"]
    let_in(cloud, x, y)
    let_in(cloud, y, x)
    let_in(cloud, x, x)
    if renamed:
        write(stack, "y", IN_SUBNET, **lifecycle, **renamed)
    else:
        write(stack, "", IN_SUBNET)
    apply(stack)
    stack.run("destroy", "--yes")


@pytest.mark.parametrize("by_others", [False, True], ids=["dropped", "by others"])
@pytest.mark.parametrize("words", [["apply", "--yes"], ["destroy", "--yes"]], ids=["apply", "destroy"])
def test_a_group_goes_after_the_machine_that_is_still_in_it(stack, cloud, by_others, words):
    """The record does not name it there any more, or never did; and the machine takes longer to end than a group is
    waited for."""
    write(stack, "g", IN_SUBNET if by_others else IN_GROUP)
    apply(stack)
    if by_others:
        ids = ids_of(stack)
        cloud.client().modify_instance_attribute(
            InstanceId=ids["aws.instance.m"], Groups=[ids["aws.security_group.g"]]
        )
    else:
        write(stack, "g", IN_SUBNET)
        apply(stack)
    cloud.change("settings", "settings", pace_percent=1000)
    stack.write("stack.yaml", spec_text({"aws.vpc": {"v": {"cidr": "10.0.0.0/16"}}}))
    assert "DependencyViolation" not in stack.run(*words).err


def group_in(subnet, guard):
    """Of machines that stay as they were launched, whatever it is to have since."""
    return {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.subnet": {name: {"vpc": HOME, "cidr": f"10.0.{n}.0/24"} for n, name in enumerate("ab")},
        "aws.security_group": {name: {"vpc": HOME, "name": name, "description": "d"} for name in "xy"},
        "aws.launch_template": {"t": {**IMAGE, "name": "template", "security_groups": [Ref(f"aws.security_group.{guard}")]}},
        "aws.autoscaling_group": {
            "g": {"name": "g", "min": 1, "max": 2, "launch_template": Ref("aws.launch_template.t"), "subnets": [subnet]}
        },
    }


@pytest.mark.parametrize("moved", [("b", "x"), ("a", "y")], ids=["subnet", "security group"])
def test_what_a_group_has_let_go_of_goes_after_what_it_launched_there(stack, cloud, moved):
    """Its machines take longer to end than anything is waited for."""
    for subnet, guard in ("a", "x"), moved:
        put(stack, group_in(Ref(f"aws.subnet.{subnet}"), guard))
        apply(stack)
        cloud.sim("pass", 120)
    cloud.change("settings", "settings", pace_percent=1000)
    assert "DependencyViolation" not in stack.run("destroy", "--yes").err


def groups(x, y, **changed):
    group = {"vpc": HOME, "description": "d"}
    return {"aws.security_group": {x: {**group, "name": "x", **changed}, "y": {**group, "name": "y", "ingress": y}}}


@pytest.mark.parametrize("port", [1, 9], ids=["another rule", "that rule"])
@pytest.mark.parametrize("x", ["x", "z"], ids=["replaced", "given away"])
def test_a_group_lets_go_first_of_whom_others_have_let_in(stack, cloud, x, port):
    """The new one needs the name of the one that the rule of others keeps from being deleted."""
    put(stack, VPC, groups("x", []))
    apply(stack)
    ids = ids_of(stack)
    let_in(cloud, ids["aws.security_group.y"], ids["aws.security_group.x"])
    rule = {"protocol": "tcp", "from_port": port, "to_port": port, "group": Ref(f"aws.security_group.{x}")}
    put(stack, VPC, groups(x, [rule], description="d" if x == "z" else "another"))
    assert "DependencyViolation" not in stack.run("apply", "--yes").err
    plan_is_empty(stack)


@pytest.mark.parametrize("kind", ["aws.internet_gateway", "aws.vpn_gateway"])
def test_a_gateway_that_others_attached_goes_over_to_the_new_vpc(stack, cloud, kind):
    put(stack, VPC, {kind: {"g": {}}})
    apply(stack)
    ids = ids_of(stack)
    ec2 = cloud.client()
    if kind == "aws.vpn_gateway":
        ec2.attach_vpn_gateway(VpnGatewayId=ids[f"{kind}.g"], VpcId=ids["aws.vpc.v"])
    else:
        ec2.attach_internet_gateway(InternetGatewayId=ids[f"{kind}.g"], VpcId=ids["aws.vpc.v"])
    put(stack, {"aws.vpc": {"v": {"cidr": "10.1.0.0/16"}}}, {kind: {"g": {"vpc": HOME}}})
    assert "DependencyViolation" not in stack.run("apply", "--yes").err
    plan_is_empty(stack)


@pytest.mark.parametrize("given_away", [False, True], ids=["replaced", "given away"])
def test_a_machine_cannot_leave_a_group_for_one_that_needs_its_name(stack, cloud, given_away):
    """Others have put it there, and there it stays until the new one is."""
    write(stack, "x", IN_SUBNET)
    apply(stack)
    ids = ids_of(stack)
    cloud.client().modify_instance_attribute(InstanceId=ids["aws.instance.m"], Groups=[ids["aws.security_group.x"]])
    name = "z" if given_away else "x"
    machine = {**IN_SUBNET, "security_groups": [Ref(f"aws.security_group.{name}")]}
    write(stack, name, machine, name="x", description="another")
    before = cloud.show()
    [error] = errors_of(stack.run("apply", "--yes", "--output", "json", status=1).json)
    assert ("these steps wait for each other" if given_away else "both would have the same 'name'") in error["message"]
    assert cloud.show() == before
    write(stack, name, machine, name="another", description="another")
    assert "DependencyViolation" not in stack.run("apply", "--yes").err
    plan_is_empty(stack)


FURTHER = {"device_index": 1, "subnet": Ref("aws.subnet.s"), "security_groups": [Ref("aws.security_group.g")]}
FIRST = {"device_index": 0, "subnet": Ref("aws.subnet.k")}


def write_interfaces(stack, interfaces, subnets, groups):
    subnet, group = {"vpc": HOME, "zone": "eu-central-1a"}, {"vpc": HOME, "description": "d"}
    machine = {**IMAGE, "interfaces": interfaces} if interfaces else {**IMAGE, "subnet": Ref("aws.subnet.k")}
    ranges = {"k": "10.0.0.0/24", "s": "10.0.1.0/24"}
    put(
        stack,
        VPC,
        {"aws.subnet": {name: {**subnet, "cidr": ranges[name]} for name in subnets}},
        {"aws.security_group": {name: {**group, "name": name} for name in groups}} if groups else {},
        {"aws.instance": {"m": machine}},
    )


@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "one after the other"])
@pytest.mark.parametrize("target", ["aws.subnet.s", "aws.security_group.g"])
def test_what_an_interface_uses_that_the_spec_lets_go_of(stack, cloud, target, at_once):
    """A further one stays as it was launched, whatever the spec says of it by then."""
    write_interfaces(stack, [FIRST, FURTHER], "ks", "g")
    apply(stack)
    left = {"aws.subnet.s": None, "aws.security_group.g": [FIRST, {**FURTHER, "security_groups": None}]}[target]
    gone = {"subnets": "k", "groups": "g"} if target == "aws.subnet.s" else {"subnets": "ks", "groups": ""}
    if not at_once:
        write_interfaces(stack, left, "ks", "g")
        apply(stack)
        plan_is_empty(stack)
    write_interfaces(stack, left, **gone)
    before = ids_of(stack)
    for words in ("plan",), ("apply", "--yes"):
        [error] = errors_of(stack.run(*words, "--output", "json", status=1).json)
        assert error["message"].startswith(f"'{target}' cannot be deleted: network interface 'eni-")
        assert error["message"].endswith("' of 'aws.instance.m' uses it, and stays as it is")
        ways = {"aws.subnet.s": "go too, ", "aws.security_group.g": "set 'security_groups' of 'interfaces[1]' without that, "}
        assert error["hint"].startswith(f"have 'aws.instance.m' {ways[target]}")
    assert ids_of(stack) == before
    stack.run("destroy", "--yes")
    assert not cloud.things("subnet")
