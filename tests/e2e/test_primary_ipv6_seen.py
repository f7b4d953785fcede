"""Which IPv6 address of a machine stays with it: what others have switched on is seen, and only a new one is without."""

import re

import pytest
from trueup_runner import Ref, apply, ids_of, plan, plan_is_empty, spec_text

MACHINE = "aws.instance.m"


def write(stack, **said):
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.s"), **said}
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16", "ipv6": True}},
        "aws.subnet": {
            "s": {"vpc": Ref("aws.vpc.v"), "cidr": "10.0.0.0/24", "ipv6_cidr": "${cidr_subnet(aws.vpc.v.ipv6_cidr, 8, 0)}"}
        },
        "aws.instance": {"m": machine},
    }
    stack.write("stack.yaml", spec_text(spec))


def interface_of(cloud, stack):
    [interface] = cloud.things("instance")[ids_of(stack)[MACHINE]]["networkInterfaceSet"]
    return interface


def is_primary(cloud, stack):
    return [each["isPrimaryIpv6"] == "true" for each in interface_of(cloud, stack)["ipv6AddressesSet"]]


def mark(cloud, stack, primary):
    """As AWS keeps it, which takes back no such mark by a call."""
    interface = interface_of(cloud, stack)
    interface["ipv6AddressesSet"][0]["isPrimaryIpv6"] = primary
    cloud.change("instance", ids_of(stack)[MACHINE], networkInterfaceSet=[interface])


def change_of(document):
    [change] = [each for action in document["actions"] for each in action["changes"] if each["path"] == "primary_ipv6"]
    return change


def test_what_was_enabled_and_is_not_any_more(stack, cloud):
    write(stack, address6_count=2, primary_ipv6=True)
    apply(stack)
    plan_is_empty(stack)
    assert "primary_ipv6" not in stack.run("drift").out
    mark(cloud, stack, False)
    assert re.search(r"primary_ipv6 +true, now false", stack.run("drift", status=2).out)
    planned = plan(stack, status=2)
    assert planned.actions[MACHINE].operation == "update" and change_of(planned.data)["cause"] == "drift"
    apply(stack)
    assert is_primary(cloud, stack) == [True, False]
    plan_is_empty(stack)
    stack.run("drift")


def test_what_others_enable_only_a_new_one_is_without(stack, cloud):
    write(stack, address6_count=1, primary_ipv6=False)
    apply(stack)
    stack.run("drift")
    before = ids_of(stack)[MACHINE]
    interface = interface_of(cloud, stack)["networkInterfaceId"]
    cloud.client().modify_network_interface_attribute(NetworkInterfaceId=interface, EnablePrimaryIpv6=True)
    assert re.search(r"primary_ipv6 +false, now true", stack.run("drift", status=2).out)
    planned = plan(stack, status=2)
    assert planned.actions[MACHINE].operation == "replace"
    assert (change_of(planned.data)["cause"], change_of(planned.data)["effect"]) == ("drift", "replace")
    # To take what is there for right keeps the machine.
    write(stack, address6_count=1, primary_ipv6=True)
    assert plan(stack).actions[MACHINE].operation == "record"
    apply(stack)
    assert ids_of(stack)[MACHINE] == before
    plan_is_empty(stack)
    stack.run("drift")


@pytest.mark.parametrize("said", [True, False])
def test_without_an_address_nothing_tells_of_it(stack, cloud, said):
    write(stack, primary_ipv6=said)
    apply(stack)
    assert "aws.instance.primary_ipv6 of 1" in stack.run("drift").out
    plan_is_empty(stack)


def test_a_spec_that_lets_go_of_it(stack, cloud):
    write(stack, address6_count=1, primary_ipv6=False)
    apply(stack)
    write(stack, address6_count=1)
    apply(stack)
    mark(cloud, stack, True)
    stack.run("drift")
    plan_is_empty(stack)
    write(stack, address6_count=1, primary_ipv6=True)
    assert plan(stack).actions[MACHINE].operation == "record"


def write_further(stack, **said):
    """Of its second interface."""
    write(stack, interfaces=[{"device_index": 1, "subnet": Ref("aws.subnet.s"), "description": "d", **said}])


def further_of(cloud, stack):
    listed = cloud.things("instance")[ids_of(stack)[MACHINE]]["networkInterfaceSet"]
    [interface] = [each for each in listed if int(each["attachment"]["deviceIndex"]) == 1]
    return listed, interface


def mark_further(cloud, stack, primary):
    listed, interface = further_of(cloud, stack)
    interface["ipv6AddressesSet"][0]["isPrimaryIpv6"] = primary
    cloud.change("instance", ids_of(stack)[MACHINE], networkInterfaceSet=listed)


def is_further_primary(cloud, stack):
    return [each["isPrimaryIpv6"] == "true" for each in further_of(cloud, stack)[1]["ipv6AddressesSet"]]


MOVED = r"interfaces\[1\]\.primary_ipv6 +%s, now %s"


def test_of_a_further_interface_what_was_enabled_and_is_not_any_more(stack, cloud):
    write_further(stack, address6_count=2, primary_ipv6=True)
    apply(stack)
    plan_is_empty(stack)
    stack.run("drift")
    mark_further(cloud, stack, False)
    assert re.search(MOVED % ("true", "false"), stack.run("drift", status=2).out)
    assert plan(stack, status=2).actions[MACHINE].operation == "update"
    apply(stack)
    assert is_further_primary(cloud, stack) == [True, False]
    plan_is_empty(stack)
    stack.run("drift")


def test_of_a_further_interface_what_others_enable_only_a_new_one_is_without(stack, cloud):
    write_further(stack, address6_count=1, primary_ipv6=False)
    apply(stack)
    stack.run("drift")
    before = ids_of(stack)[MACHINE]
    cloud.client().modify_network_interface_attribute(
        NetworkInterfaceId=further_of(cloud, stack)[1]["networkInterfaceId"], EnablePrimaryIpv6=True
    )
    assert re.search(MOVED % ("false", "true"), stack.run("drift", status=2).out)
    assert plan(stack, status=2).actions[MACHINE].operation == "replace"
    # To take what is there for right keeps the machine.
    write_further(stack, address6_count=1, primary_ipv6=True)
    assert plan(stack).actions[MACHINE].operation == "record"
    apply(stack)
    assert ids_of(stack)[MACHINE] == before
    plan_is_empty(stack)
    stack.run("drift")


def test_of_a_further_interface_it_is_enabled_in_place(stack, cloud):
    """With what else of it changes so, and not with what only a new one has."""
    write_further(stack, address6_count=1)
    apply(stack)
    before = ids_of(stack)[MACHINE]
    write_further(stack, address6_count=1, primary_ipv6=True, description="e")
    assert plan(stack, status=2).actions[MACHINE].operation == "update"
    apply(stack)
    assert ids_of(stack)[MACHINE] == before and is_further_primary(cloud, stack) == [True]
    plan_is_empty(stack)
    stack.run("drift")
    write_further(stack, address6_count=1, primary_ipv6=False)
    assert plan(stack, status=2).actions[MACHINE].operation == "replace"
    write_further(stack, address6_count=2, primary_ipv6=True)
    assert plan(stack, status=2).actions[MACHINE].operation == "replace"


@pytest.mark.parametrize("said", [True, False])
def test_of_a_further_interface_without_an_address_nothing_tells_of_it(stack, cloud, said):
    write_further(stack, primary_ipv6=said)
    apply(stack)
    stack.run("drift")
    plan_is_empty(stack)


def test_of_a_further_interface_that_never_said_it(stack, cloud):
    """As a machine has it whose record is older than that look."""
    write_further(stack, address6_count=1)
    apply(stack)
    mark_further(cloud, stack, True)
    stack.run("drift")
    plan_is_empty(stack)
    write_further(stack, address6_count=1, primary_ipv6=True)
    assert plan(stack).actions[MACHINE].operation == "record"


@pytest.mark.parametrize("fault", ["lost_answer", "lost_request", "deny"])
@pytest.mark.parametrize(
    "say, look, change",
    [(write, is_primary, mark), (write_further, is_further_primary, mark_further)],
    ids=["its own", "of a further interface"],
)
def test_one_that_is_cut_off(stack, cloud, say, look, change, fault):
    say(stack, address6_count=1, primary_ipv6=True)
    apply(stack)
    change(cloud, stack, False)
    cloud.fault("ModifyNetworkInterfaceAttribute", fault, count=1)
    stack.run("apply", "--yes", status=None)
    stack.run("apply", "--yes")
    assert look(cloud, stack) == [True]
    plan_is_empty(stack)
    stack.run("drift")
