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


@pytest.mark.parametrize("said", [False, True])
def test_what_others_switch_while_it_stands_still_one_apply_puts_right(stack, cloud, said):
    """It does not show before the machine runs again: so it is set with the start, whatever it is."""
    write(stack, public_ip=said, running=True)
    apply(stack)
    cloud.client().stop_instances(InstanceIds=[ids_of(stack)[MACHINE]])
    cloud.wait_for(lambda: machine_of(cloud, stack)["instanceState"]["name"] == "stopped")
    switch(cloud, stack, not said)
    stack.run("drift", status=2)
    planned = plan(stack, status=2)
    assert planned.actions[MACHINE].fields() >= {"running", "public_ip"}
    [again] = [each for each in planned.actions[MACHINE].changes if each["path"] == "public_ip"]
    assert (again["before"], again["after"], again["unread"]) == (said, said, True)
    assert re.search(rf"public_ip +{str(said).lower()}   set again, as what is there does not show", stack.run("plan").out)
    stack.run("plan", "--out", "p.plan")
    stack.run("apply", "p.plan")
    assert has_address(cloud, stack) == said
    plan_is_empty(stack)
    stack.run("drift")


def test_what_starts_as_the_spec_says_has_what_it_says(stack, cloud):
    write(stack, public_ip=False, running=False)
    apply(stack)
    switch(cloud, stack, True)
    plan_is_empty(stack)
    write(stack, public_ip=False, running=True)
    apply(stack)
    assert not has_address(cloud, stack)
    plan_is_empty(stack)
    stack.run("drift")


@pytest.mark.parametrize("case", ["elastic", "ignored", "never said"])
def test_what_nothing_is_sent_of_with_a_start(stack, cloud, case):
    """An elastic address has its place; what is left to others is theirs."""
    said = {"public_ip": True} if case != "never said" else {}
    said |= {"lifecycle": {"ignore": ["public_ip"]}} if case == "ignored" else {}
    write(stack, running=True, **said)
    apply(stack)
    cloud.client().stop_instances(InstanceIds=[ids_of(stack)[MACHINE]])
    cloud.wait_for(lambda: machine_of(cloud, stack)["instanceState"]["name"] == "stopped")
    if case == "elastic":
        [first] = machine_of(cloud, stack)["networkInterfaceSet"]
        first["association"] = {"publicIp": "203.0.113.7", "ipOwnerId": "123456789012"}
        cloud.change("instance", ids_of(stack)[MACHINE], networkInterfaceSet=[first], ipAddress="203.0.113.7")
    assert "public_ip" not in plan(stack, status=2).actions[MACHINE].fields()


@pytest.mark.parametrize("fault", ["lost_answer", "lost_request", "deny"])
@pytest.mark.parametrize("call", ["ModifyNetworkInterfaceAttribute", "StartInstances"])
def test_a_start_that_is_cut_off(stack, cloud, call, fault):
    write(stack, public_ip=False, running=True)
    apply(stack)
    cloud.client().stop_instances(InstanceIds=[ids_of(stack)[MACHINE]])
    cloud.wait_for(lambda: machine_of(cloud, stack)["instanceState"]["name"] == "stopped")
    switch(cloud, stack, True)
    cloud.fault(call, fault, count=1)
    stack.run("apply", "--yes", status=None)
    apply(stack)
    assert not has_address(cloud, stack)
    plan_is_empty(stack)
    stack.run("drift")


def test_a_saved_plan_of_what_does_not_show_any_more_is_refused_for_that(stack, cloud):
    """It stood as it is to be by then, for all that anybody could tell: nobody knows."""
    write(stack, public_ip=False)
    apply(stack)
    switch(cloud, stack, True)
    stack.run("plan", "--out", "p.plan")
    cloud.client().stop_instances(InstanceIds=[ids_of(stack)[MACHINE]])
    cloud.wait_for(lambda: machine_of(cloud, stack)["instanceState"]["name"] == "stopped")
    refused = stack.run("apply", "p.plan", status=4).err
    assert "its 'public_ip' does not show while it stands still" in refused and "as the plan wants it" not in refused
