"""What is read of the interfaces that a machine started with: which there are, their groups and descriptions."""

import contextlib
import re
import sqlite3

import pytest
from trueup_runner import Ref, apply, plan, plan_is_empty, spec_text

HOME = Ref("aws.vpc.v")
MACHINE = "aws.instance.m"
IMAGE = {"image": "ami-0123456789abcdef0", "instance_type": "m6i.large"}


def interface(slot, groups, **said):
    return {"device_index": slot, "subnet": Ref("aws.subnet.b"), "security_groups": [Ref(f"aws.security_group.{each}") for each in groups], **said}


def write(stack, *interfaces, groups="ghk", names=None, description="d", **said):
    named = {each: {"vpc": HOME, "name": each, "description": "d"} for each in groups}
    for each, name in (names or {}).items():
        named[each] |= {"name": name, "description": description}
    machine = {**IMAGE, "interfaces": list(interfaces)}
    if all(each["device_index"] for each in interfaces):
        machine |= {"subnet": Ref("aws.subnet.a"), "security_groups": [Ref("aws.security_group.g")]}
    machine |= said
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.subnet": {name: {"vpc": HOME, "cidr": f"10.0.{i}.0/24", "zone": "eu-central-1a"} for i, name in enumerate("ab")},
        "aws.security_group": named,
        "aws.instance": {"m": machine},
    }
    stack.write("stack.yaml", spec_text(spec))


def machine_of(cloud):
    [(identity, body)] = [item for item in cloud.things("instance").items() if item[1]["instanceState"]["name"] == "running"]
    return identity, body


def told(cloud):
    """Of each, by its slot: the names of its groups, and its description."""
    groups = {key: group["groupName"] for key, group in cloud.things("security-group").items()}
    return {
        int(each["attachment"]["deviceIndex"]): (sorted(groups[one["groupId"]] for one in each["groupSet"]), each.get("description", ""))
        for each in machine_of(cloud)[1]["networkInterfaceSet"]
    }


def meddle(cloud, slot, **changed):
    """Somebody changes an interface, or takes it off: None for what is taken away."""
    identity, body = machine_of(cloud)
    listed = [dict(each) for each in body["networkInterfaceSet"]]
    if not changed:
        listed = [each for each in listed if int(each["attachment"]["deviceIndex"]) != slot]
    for each in listed:
        if int(each["attachment"]["deviceIndex"]) == slot:
            each |= changed
    cloud.change("instance", identity, networkInterfaceSet=listed)
    return body["networkInterfaceSet"]


def group_named(cloud, name):
    [identity] = [key for key, group in cloud.things("security-group").items() if group["groupName"] == name]
    return identity


@pytest.mark.parametrize("slot", [0, 1])
def test_groups_and_description_change_in_place(stack, cloud, slot):
    others = [] if slot == 0 else [interface(0, "g")]
    write(stack, *others, interface(slot, "k", description="back"))
    apply(stack)
    before = machine_of(cloud)[0]
    plan_is_empty(stack)
    write(stack, *others, interface(slot, "hk", description="front"))
    assert plan(stack, status=2).actions[MACHINE].operation == "update"
    apply(stack)
    assert told(cloud)[slot] == (["h", "k"], "front")
    assert machine_of(cloud)[0] == before
    plan_is_empty(stack)
    stack.run("drift")
    stack.run("destroy", "--yes")
    assert not cloud.things("security-group")


@pytest.mark.parametrize("said", [{}, {"network_card": 0}], ids=["left out", "said"])
def test_what_others_do_is_drift_and_put_back(stack, cloud, said):
    """The card that is left out is the first."""
    write(stack, interface(1, "k", description="back", **said))
    apply(stack)
    stack.run("drift")
    meddle(cloud, 1, groupSet=[{"groupId": group_named(cloud, "h")}])
    assert "interfaces[1].security_groups" in stack.run("drift", status=2).out
    apply(stack)
    assert told(cloud)[1] == (["k"], "back")
    meddle(cloud, 1, description="theirs")
    assert "interfaces[1].description" in stack.run("drift", status=2).out
    apply(stack)
    assert told(cloud)[1] == (["k"], "back")
    plan_is_empty(stack)


@pytest.mark.parametrize("said", [{}, {"network_card": 0}], ids=["left out", "said"])
def test_one_that_is_detached_is_missing_until_it_is_back(stack, cloud, said):
    write(stack, interface(1, "k", **said))
    apply(stack)
    listed = meddle(cloud, 1)
    for _ in range(2):
        shown = stack.run("drift", status=2).out
        assert f"# {MACHINE}" in shown and "lacks what no call brings back" in shown, shown
        error = stack.run("apply", "--yes", status=1).err
        assert f"'{MACHINE}' lacks interfaces[1], which the spec names" in error
        assert "attach an interface there again, or take it out of the spec" in error
    cloud.change("instance", machine_of(cloud)[0], networkInterfaceSet=listed)
    plan_is_empty(stack)
    stack.run("drift")
    meddle(cloud, 1)
    write(stack, interface(0, "g"))
    apply(stack)
    plan_is_empty(stack)
    stack.run("drift")


def test_the_card_may_be_left_out_or_said(stack, cloud):
    write(stack, interface(1, "k", network_card=0))
    apply(stack)
    before = machine_of(cloud)[0]
    for said in ({}, {"network_card": 0}):
        write(stack, interface(1, "k", **said))
        stack.run("apply", "--yes")
        assert machine_of(cloud)[0] == before
        plan_is_empty(stack)


@pytest.mark.parametrize("slot", [0, 1])
@pytest.mark.parametrize("by_others", [False, True], ids=["ours", "put there by others"])
def test_a_group_goes_that_an_interface_lets_go_of(stack, cloud, slot, by_others):
    others = [] if slot == 0 else [interface(0, "g")]
    write(stack, *others, interface(slot, "h" if by_others else "k"))
    apply(stack)
    if by_others:
        meddle(cloud, slot, groupSet=[{"groupId": group_named(cloud, "k")}])
    write(stack, *others, interface(slot, "h"), groups="gh")
    assert "DependencyViolation" not in stack.run("apply", "--yes").err
    assert told(cloud)[slot] == (["h"], "")
    plan_is_empty(stack)


@pytest.mark.parametrize("slot", [0, 1])
def test_a_group_is_replaced_before_the_old_one_goes(stack, cloud, slot):
    """An interface has one group at least, so the new one is there first."""
    others = [] if slot == 0 else [interface(0, "g")]
    write(stack, *others, interface(slot, "k"))
    apply(stack)
    before = machine_of(cloud)[0]
    write(stack, *others, interface(slot, "k"), names={"k": "new"}, description="another")
    stack.run("apply", "--yes")
    assert (machine_of(cloud)[0], told(cloud)[slot][0]) == (before, ["new"])
    plan_is_empty(stack)
    write(stack, *others, interface(slot, "k"), names={"k": "new"}, description="a third")
    assert "both would have the same 'name'" in stack.run("apply", "--yes", status=1).err


def test_a_group_that_an_interface_keeps_is_not_deleted(stack, cloud):
    write(stack, interface(0, "g"), interface(1, "hk"))
    apply(stack)
    bare = interface(1, "")
    del bare["security_groups"]
    write(stack, interface(0, "g"), bare, groups="gh")
    error = stack.run("apply", "--yes", status=1).err
    assert "'aws.security_group.k' cannot be deleted: network interface 'eni-" in error
    assert f"have '{MACHINE}' set 'security_groups' of 'interfaces[1]' without that, or keep 'aws.security_group.k'" in error
    write(stack, interface(0, "g"), interface(1, "h"), groups="gh")
    apply(stack)
    assert told(cloud)[1][0] == ["h"]


@pytest.mark.parametrize("fault", ["lost_answer", "deny", "error"])
@pytest.mark.parametrize("first", [1, 2])
def test_a_change_that_is_cut_off_is_finished(stack, cloud, fault, first):
    write(stack, interface(1, "k", description="back"), interface(2, "k", description="back"))
    apply(stack)
    write(stack, interface(1, "h", description="front"), interface(2, "gh", description="front"))
    cloud.fault("ModifyNetworkInterfaceAttribute", fault, first=first, count=1)
    stack.run("apply", "--yes", status=None)
    stack.run("apply", "--yes")
    assert told(cloud) | {0: None} == {0: None, 1: (["h"], "front"), 2: (["g", "h"], "front")}
    plan_is_empty(stack)
    stack.run("drift")


def test_a_change_is_undone(stack, cloud):
    write(stack, interface(1, "k", description="back"))
    apply(stack)
    write(stack, interface(1, "h", description="front"))
    apply(stack)
    [run, *_] = stack.run("state", "history", "--output", "json").json["runs"]
    stack.run("undo", run["id"], "--yes")
    assert told(cloud)[1] == (["k"], "back")


def test_what_an_earlier_program_did_not_look_at_has_not_moved(stack, cloud):
    """The record of one that recorded of interfaces what it had sent."""
    bare = interface(2, "")
    del bare["security_groups"]
    write(stack, interface(1, "k"), bare)
    apply(stack)
    with contextlib.closing(sqlite3.connect(stack.folder / ".trueup/state.db")) as database, database:
        sent = "json_set(body, '$.observed.interfaces', json_extract(body, '$.resolved.interfaces'))"
        assert database.execute(f"UPDATE bodies SET body = {sent} WHERE body LIKE '%device_index%'").rowcount == 1
    assert "no drift" in stack.run("drift").out
    plan_is_empty(stack)
    meddle(cloud, 1, groupSet=[{"groupId": group_named(cloud, "h")}])
    stack.run("drift", status=2)


@pytest.mark.parametrize("slot", [0, 1])
def test_a_description_where_there_is_none(stack, cloud, slot):
    """The service calls that an empty one."""
    others = [] if slot == 0 else [interface(0, "g")]
    write(stack, *others, interface(slot, "k"))
    apply(stack)
    write(stack, *others, interface(slot, "k", description="front"))
    apply(stack)
    assert told(cloud)[slot] == (["k"], "front")
    plan_is_empty(stack)
    meddle(cloud, slot, description="")
    assert "description" in stack.run("drift", status=2).out
    apply(stack)
    assert told(cloud)[slot] == (["k"], "front")
    plan_is_empty(stack)


def test_a_description_of_others_that_no_spec_says(stack, cloud):
    write(stack, interface(1, "k"))
    apply(stack)
    meddle(cloud, 1, description="theirs")
    assert re.search(r"interfaces\[1\]\.description +unset, now theirs +not managed", stack.run("drift", status=2).out)
    apply(stack)
    plan_is_empty(stack)
    assert told(cloud)[1] == (["k"], "theirs")
    meddle(cloud, 1, description="")
    assert re.search(r"interfaces\[1\]\.description +theirs, now unset +not managed", stack.run("drift", status=2).out)


LEFT = {"lifecycle": {"ignore": ["interfaces"]}}
OTHER_IMAGE = {"image": "ami-0a1b2c3d4e5f60718"}


def test_what_is_left_to_others(stack, cloud):
    """Nothing is done about what they change, and a drift does not say that it compares it."""
    write(stack, interface(1, "h"), **LEFT)
    apply(stack)
    meddle(cloud, 1, groupSet=[{"groupId": group_named(cloud, "k"), "groupName": "k"}], description="theirs")
    plan_is_empty(stack)
    drifted = stack.run("drift")
    assert "no drift" in drifted.out and "interfaces" not in drifted.out
    apply(stack)
    assert told(cloud)[1] == (["k"], "theirs")


@pytest.mark.parametrize("meddled", [True, False], ids=["changed by others", "as it was made"])
@pytest.mark.parametrize("says", [True, False], ids=["said", "no longer said"])
def test_what_is_left_to_others_goes_with_the_machine(stack, cloud, meddled, says):
    write(stack, interface(1, "h", description="back"), **LEFT)
    apply(stack)
    if meddled:
        meddle(cloud, 1, groupSet=[{"groupId": group_named(cloud, "k"), "groupName": "k"}])
    write(stack, *([interface(1, "h", description="back")] if says else []), **LEFT, **OTHER_IMAGE)
    warned = [each["message"] for each in plan(stack, status=2).data["diagnostics"] if "interfaces" in each["message"]]
    if says:
        theirs = f"'{MACHINE}' is replaced: the new one has its 'interfaces' as it is said, and what others have set there is lost"
        assert warned == ([theirs] if meddled else [])
    else:
        assert warned == [f"'{MACHINE}' is replaced: nobody says what 'interfaces' the new one is to have, and what is set there now is lost"]
    apply(stack)
    assert told(cloud).get(1) == ((["h"], "back") if says else None)
    plan_is_empty(stack)


def test_a_group_that_an_interface_uses_which_is_left_to_others(stack, cloud):
    write(stack, interface(1, "k"), **LEFT)
    apply(stack)
    write(stack, interface(1, "h"), groups="gh", **LEFT)
    [error] = plan(stack, status=1).data["diagnostics"]
    assert "'aws.security_group.k' cannot be deleted" in error["message"]
    assert f"take 'interfaces' out of 'lifecycle.ignore' of '{MACHINE}' and set 'security_groups' of 'interfaces[1]'" in error["hint"]
    write(stack, interface(1, "h"), groups="gh")
    apply(stack)
    plan_is_empty(stack)
