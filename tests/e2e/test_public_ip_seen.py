"""A public address that others give a machine, or take from it: seen where it shows."""

import re

import pytest
from trueup_runner import Ref, apply, ids_of, plan, plan_is_empty, spec_text

MACHINE = "aws.instance.m"


def write(stack, **said):
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.s"), **said}
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.internet_gateway": {"i": {"vpc": Ref("aws.vpc.v")}},
        "aws.subnet": {"s": {"vpc": Ref("aws.vpc.v"), "cidr": "10.0.0.0/24"}},
        "aws.instance": {"m": machine},
    }
    stack.write("stack.yaml", spec_text(spec))


def machine_of(cloud, stack):
    return cloud.things("instance")[ids_of(stack)[MACHINE]]


def switch(cloud, stack, on):
    interface = machine_of(cloud, stack)["networkInterfaceSet"][0]["networkInterfaceId"]
    cloud.client().modify_network_interface_attribute(NetworkInterfaceId=interface, AssociatePublicIpAddress=on)


def has_address(cloud, stack):
    return "association" in machine_of(cloud, stack)["networkInterfaceSet"][0]


def changes(shown):
    return re.search(r"^ +public_ip +\w", shown, re.MULTILINE)


@pytest.mark.parametrize("said", [False, True])
def test_what_others_switch_is_switched_back(stack, cloud, said):
    write(stack, public_ip=said)
    apply(stack)
    plan_is_empty(stack)
    assert "not compared" not in stack.run("drift").out
    switch(cloud, stack, not said)
    assert changes(stack.run("drift", status=2).out)
    assert plan(stack, status=2).actions[MACHINE].operation == "update"
    apply(stack)
    assert has_address(cloud, stack) == said
    plan_is_empty(stack)
    stack.run("drift")


def test_what_stands_still_tells_nothing_of_it(stack, cloud):
    write(stack, public_ip=True)
    apply(stack)
    cloud.client().stop_instances(InstanceIds=[ids_of(stack)[MACHINE]])
    cloud.wait_for(lambda: machine_of(cloud, stack)["instanceState"]["name"] == "stopped")
    shown = stack.run("drift", status=2).out
    assert not changes(shown) and "aws.instance.public_ip of 1" in shown
    assert not changes(stack.run("plan").out)


def test_an_elastic_address_tells_nothing_of_it(stack, cloud):
    """AWS lets go of its own for one: whether it would have its own again nobody knows."""
    write(stack, public_ip=True)
    apply(stack)
    [first] = machine_of(cloud, stack)["networkInterfaceSet"]
    elastic = {**first["association"], "publicIp": "203.0.113.7", "ipOwnerId": "123456789012"}
    cloud.change("instance", ids_of(stack)[MACHINE], networkInterfaceSet=[{**first, "association": elastic}], ipAddress="203.0.113.7")
    shown = stack.run("drift", status=2).out
    assert not changes(shown) and "aws.instance.public_ip of 1" in shown
    apply(stack)
    assert machine_of(cloud, stack)["networkInterfaceSet"][0]["association"] == elastic
    plan_is_empty(stack)


def test_a_spec_that_says_nothing_of_it(stack, cloud):
    write(stack)
    apply(stack)
    switch(cloud, stack, True)
    shown = stack.run("drift", status=2).out
    assert "public_address" in shown and not changes(shown)
    apply(stack)
    assert has_address(cloud, stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("fault", ["lost_answer", "deny"])
def test_a_switch_that_is_cut_off(stack, cloud, fault):
    write(stack, public_ip=False)
    apply(stack)
    switch(cloud, stack, True)
    cloud.fault("ModifyNetworkInterfaceAttribute", fault, count=1)
    stack.run("apply", "--yes", status=None)
    stack.run("apply", "--yes")
    assert not has_address(cloud, stack)
    plan_is_empty(stack)
    stack.run("drift")
