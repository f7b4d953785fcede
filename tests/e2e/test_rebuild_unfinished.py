"""`trueup state rebuild --force` over a state that can be read: what that alone knows is not lost with it."""

import json
import re
import signal
import sqlite3
import time

import pytest

from simulator import simulator  # noqa: F401
from test_comes_late import kill
from test_state_rebuild import adopt_machine
from test_take_back import REGION, next_after, site  # noqa: F401
from trueup_runner import Ref, apply, ids_of, plan_is_empty, spec_text

NET = {
    "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
    "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.1.0/24"}},
}
MACHINE = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.a")}
TEMPLATE = {"name": "tmpl", "image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
GROUP = {"name": "grp", "launch_template": Ref("aws.launch_template.tmpl"), "subnets": [Ref("aws.subnet.a")], "min": 0, "max": 5}


def write(site, *parts):
    site.stack.write("stack.yaml", spec_text({kind: named for part in parts for kind, named in part.items()}))


def rebuild(site, *words, status=0):
    return site.stack.run("state", "rebuild", "--force", "--yes", "--output", "json", *words, status=status).json


def classes(document):
    return {(each["class"], each["address"]) for each in document["findings"]}


def calls(site):
    runs = site.stack.run("state", "history", "--output", "json").json["runs"]
    told = [site.stack.run("state", "history", run["id"], "--output", "json").json["calls"] for run in reversed(runs)]
    return [(call["operation"], call["outcome"]) for run in told for call in run]


def states(site):
    return [body["instanceState"]["name"] for body in site.server.show(REGION).get("instance", {}).values()]


def begin_to_change(site, cut):
    """An instance that is stopped for a change, and not started again."""
    write(site, NET, {"aws.instance": {"m": MACHINE}})
    apply(site.stack)
    write(site, NET, {"aws.instance": {"m": {**MACHINE, "instance_type": "t3.large"}}})
    site.cut_off(signal.SIGKILL, next_after(cut))
    assert states(site) == ["stopped"]


@pytest.mark.parametrize("cut", ["ModifyInstanceAttribute", "StopInstances"])
@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
def test_a_machine_that_was_stopped_for_a_change_is_started(site, cut, times):  # noqa: F811
    begin_to_change(site, cut)
    for _ in range(times):
        assert ("kept", "aws.instance.m") in classes(rebuild(site))
    assert "running: to be switched on again" in site.stack.run("drift", status=2).out
    apply(site.stack)
    assert states(site) == ["running"]
    plan_is_empty(site.stack)
    assert rebuild(site)["findings"] == []


def test_a_group_that_a_deletion_has_emptied_is_filled_again(site):  # noqa: F811
    group = {"aws.launch_template": {"tmpl": TEMPLATE}}, {"aws.autoscaling_group": {"g": GROUP}}
    write(site, NET, *group)
    apply(site.stack)
    scaling = site.server.client("autoscaling")
    scaling.set_desired_capacity(AutoScalingGroupName="grp", DesiredCapacity=3)
    write(site, NET, group[0])
    site.cut_off(signal.SIGKILL, next_after("UpdateAutoScalingGroup"))
    write(site, NET, *group)
    assert ("kept", "aws.autoscaling_group.g") in classes(rebuild(site))
    assert "desired: to be set back" in site.stack.run("drift", status=2).out
    apply(site.stack)
    assert [each["DesiredCapacity"] for each in scaling.describe_auto_scaling_groups()["AutoScalingGroups"]] == [3]


def pair(site, name):
    keys = {"kp": {"name": name, "secret_to": {"file": "kp.pem"}}}
    site.stack.write("stack.yaml", json.dumps({"stack": "conformance", "aws.key_pair": keys}))


@pytest.mark.parametrize("recovers", [False, True], ids=["at once", "recovered"])
def test_a_key_that_nobody_saw_is_made_anew(site, recovers):  # noqa: F811
    """The file that is there has the key of the pair before, which is gone."""
    pair(site, "kp1")
    apply(site.stack)
    old = (site.stack.folder / "kp.pem").read_bytes()
    pair(site, "kp2")
    site.cut_off(signal.SIGKILL, lambda number, action, executed: action == "CreateKeyPair" and executed)
    lost = site.things("key-pair")
    if recovers:
        site.stack.run("recover")
    assert classes(rebuild(site)) == {("kept", "aws.key_pair.kp")}
    site.stack.run("drift", status=2)
    apply(site.stack)
    assert not lost & site.things("key-pair") and (site.stack.folder / "kp.pem").read_bytes() != old
    plan_is_empty(site.stack)


def test_a_key_that_came_late_is_made_anew(site):  # noqa: F811
    """The pair is there, and nobody was shown its key; in the file is another one."""
    pair(site, "kp")
    text = (site.stack.folder / "stack.yaml").read_text()
    write(site, NET)
    apply(site.stack)
    held = kill(site, "CreateKeyPair", text)
    write(site, NET)
    apply(site.stack)
    held.goes.set()
    assert held.came.wait(120)
    late = site.things("key-pair")
    (site.stack.folder / "kp.pem").write_text("another key")
    pair(site, "kp")
    assert ("lost", "aws.key_pair.kp") in classes(rebuild(site, status=7))
    apply(site.stack)
    assert len(late) == len(site.things("key-pair")) == 1 and not late & site.things("key-pair")
    assert (site.stack.folder / "kp.pem").read_text() != "another key"


def test_what_was_left_behind_stays_so_where_the_spec_fits_it(site):  # noqa: F811
    """The file has the key of its successor, so it is not taken back."""
    pair(site, "kp1")
    apply(site.stack)
    user = {"n": {"name": "node", "image": "ami-0123456789abcdef0", "instance_type": "m7i.large", "key": "kp"}}
    keys = {"kp": {"name": "kp2", "secret_to": {"file": "kp.pem"}, "lifecycle": {"create_before_destroy": True}}}
    site.stack.write("stack.yaml", json.dumps({"stack": "conformance", "aws.key_pair": keys, "aws.launch_template": user}))
    site.cut_off(signal.SIGKILL, lambda number, action, executed: action == "DeleteKeyPair" and not executed)
    key = (site.stack.folder / "kp.pem").read_bytes()
    roles = site.roles()
    pair(site, "kp1")
    rebuild(site)
    assert {id: role for id, role in site.roles().items() if id.startswith("key-")} == {
        id: role for id, role in roles.items() if id.startswith("key-")
    }
    planned = site.stack.run("plan", "--output", "json").json["actions"]
    assert "replace" in {each["operation"] for each in planned if each["address"] == "aws.key_pair.kp"}
    apply(site.stack)
    assert (site.stack.folder / "kp.pem").read_bytes() != key and len(site.things("key-pair")) == 1


TWO = {"aws.vpc": {"home": {"cidr": "10.20.0.0/16"}, "two": {"cidr": "10.30.0.0/16"}}}


def lose(site, executed):
    """A create that nobody saw answered, whether it came to the service or not."""
    write(site, {"aws.vpc": {"home": TWO["aws.vpc"]["home"]}})
    apply(site.stack)
    write(site, TWO)
    site.cut_off(signal.SIGKILL, lambda _, action, done: action == "CreateVpc" and done == executed)


@pytest.mark.parametrize("executed", [False, True])
def test_a_call_that_may_still_come_is_waited_for(site, executed):  # noqa: F811
    lose(site, executed)
    began = time.monotonic()
    document = rebuild(site, "--grace", "4")
    assert executed or time.monotonic() - began > 2
    assert calls(site)[-1] == ("CreateVpc", "done" if executed else "absent")
    assert classes(document) == {("kept" if executed else "absent", "aws.vpc.two")}
    apply(site.stack)
    assert site.things("vpc") == set(ids_of(site.stack).values())
    plan_is_empty(site.stack)


def test_nothing_is_rebuilt_where_it_cannot_be_told(site):  # noqa: F811
    """What was made may be there, and be made once more as soon as the record has no such call."""
    lose(site, True)
    denied = 403, b"<Response><Errors><Error><Code>UnauthorizedOperation</Code></Error></Errors></Response>"
    site.proxy.answer = lambda fields: denied if fields["Action"] == "DescribeVpcs" else None
    told = site.stack.run("state", "rebuild", "--force", "--yes", status=7).err
    assert re.search(r"it is not known what became of CreateVpc for 'aws.vpc.two' \(intent [0-9a-f]{32}\)", told)
    assert "run this again once it can be read" in told
    site.proxy.answer = lambda fields: None
    assert "recovery records it" in site.stack.run("plan").out
    assert classes(rebuild(site)) == {("kept", "aws.vpc.two")}


def spoil(site, address, sql):
    with sqlite3.connect(site.stack.folder / ".trueup/state.db") as database:
        database.execute(sql.format(f"(SELECT object_id FROM objects WHERE address = '{address}')"))


def test_what_cannot_be_read_is_listed(site):  # noqa: F811
    """The rest keeps its record."""
    begin_to_change(site, "StopInstances")
    spoil(site, "aws.subnet.a", "UPDATE bodies SET body = '{{}}' WHERE object_id = {}")
    assert classes(rebuild(site, status=3)) == {("kept", "aws.instance.m"), ("damaged", "aws.subnet.a")}
    apply(site.stack)
    assert states(site) == ["running"]


def test_what_was_not_finished_and_is_not_found_is_listed(site):  # noqa: F811
    """A listing that lags, once recovery has seen it: by then nobody knows that it was stopped."""
    begin_to_change(site, "StopInstances")
    machine = ids_of(site.stack)["aws.instance.m"]
    looks = []

    def lag(fields, text):
        looks.append(fields["Action"])
        if looks.count("DescribeInstances") < 2:
            return text
        return re.sub(b"<reservationSet>.*</reservationSet>", b"<reservationSet/>", text, flags=re.S)

    site.proxy.amend = lag
    document = rebuild(site, status=7)
    assert ("dropped", "aws.instance.m") in classes(document)
    assert machine in {each["provider_id"] for each in document["findings"] if each["class"] == "dropped"}


def take_tags_off(site, *ids):
    names = "trueup:stack", "trueup:object", "trueup:address"
    site.server.client("ec2").delete_tags(Resources=list(ids), Tags=[{"Key": name} for name in names])


def test_what_lost_its_tags_is_known_by_its_id(site):  # noqa: F811
    """Else it is made a second time, or stays for ever where the spec has it no more."""
    write(site, TWO)
    apply(site.stack)
    before = ids_of(site.stack)
    take_tags_off(site, *before.values())
    write(site, {"aws.vpc": {"two": TWO["aws.vpc"]["two"]}})
    assert classes(rebuild(site)) == {("extra", "aws.vpc.home")}
    apply(site.stack)
    assert site.things("vpc") == {before["aws.vpc.two"]} == set(ids_of(site.stack).values())
    plan_is_empty(site.stack)


def test_what_was_not_finished_and_lost_its_tags_keeps_its_record(site):  # noqa: F811
    begin_to_change(site, "StopInstances")
    take_tags_off(site, ids_of(site.stack)["aws.instance.m"])
    assert ("kept", "aws.instance.m") in classes(rebuild(site))
    apply(site.stack)
    assert states(site) == ["running"]
    plan_is_empty(site.stack)


def test_what_was_left_behind_and_lost_its_tags_goes(site):  # noqa: F811
    home = {"cidr": "10.20.0.0/16", "lifecycle": {"create_before_destroy": True}}
    write(site, {"aws.vpc": {"home": home}})
    apply(site.stack)
    left = site.things("vpc")
    write(site, {"aws.vpc": {"home": {**home, "cidr": "10.40.0.0/16"}}})
    site.cut_off(signal.SIGKILL, lambda _, action, executed: action == "DeleteVpc" and not executed)
    take_tags_off(site, *left)
    assert classes(rebuild(site)) == {("left", "aws.vpc.home")}
    apply(site.stack)
    assert len(site.things("vpc")) == 1 and not left & site.things("vpc")
    plan_is_empty(site.stack)


def test_a_call_about_a_damaged_record_is_not_dropped(site):  # noqa: F811
    lose(site, False)
    spoil(site, "aws.vpc.two", "UPDATE bodies SET body = '{{}}' WHERE object_id = {}")
    told = site.stack.run("state", "rebuild", "--force", "--yes", status=7).err
    assert "CreateVpc for 'aws.vpc.two'" in told and "whose record is damaged" in told and "put back the newest backup" in told


def object_ids(stack):
    with sqlite3.connect(stack.folder / ".trueup/state.db") as database:
        return database.execute("SELECT lower(hex(object_id)) FROM objects").fetchall()


def test_a_machine_without_tags_keeps_its_object_id(stack):
    """By that it is the object that calls and past runs tell of."""
    adopt_machine(stack)
    before = object_ids(stack)
    stack.run("state", "rebuild", "--force", "--yes")
    assert object_ids(stack) == before and len(before) == 1
    assert stack.run("plan", "--output", "json").json["actions"] == []


def test_a_field_that_the_spec_sets_no_more_is_set_back(site):  # noqa: F811
    template = {"aws.launch_template": {"tmpl": TEMPLATE}}
    write(site, NET, template, {"aws.autoscaling_group": {"g": {**GROUP, "metrics": ["GroupMinSize"]}}})
    apply(site.stack)
    groups = site.server.client("autoscaling").describe_auto_scaling_groups
    assert len(groups()["AutoScalingGroups"][0]["EnabledMetrics"]) == 1
    write(site, NET, template, {"aws.autoscaling_group": {"g": GROUP}})
    rebuild(site)
    apply(site.stack)
    assert not groups()["AutoScalingGroups"][0].get("EnabledMetrics")
    plan_is_empty(site.stack)


@pytest.mark.parametrize("damaged", [False, True], ids=["sound", "damaged"])
def test_what_is_protected_stays_so_where_the_spec_has_it_no_more(site, damaged):  # noqa: F811
    write(site, {"aws.vpc": {"kept": {"cidr": "10.30.0.0/16", "lifecycle": {"protect": True}}}})
    apply(site.stack)
    kept = ids_of(site.stack)["aws.vpc.kept"]
    write(site, {"aws.vpc": {"two": {"cidr": "10.40.0.0/16"}}})
    if damaged:
        spoil(site, "aws.vpc.kept", "UPDATE bodies SET body = '{{' WHERE object_id = {}")
    assert (("damaged", "aws.vpc.kept") in classes(rebuild(site, status=3 if damaged else 0))) == damaged
    told = site.stack.run("apply", "--yes", status=1).err
    assert "'aws.vpc.kept' is protected and no longer in the spec" in told
    assert kept in site.things("vpc")


def test_what_no_read_gives_back_is_as_it_was_recorded(site):  # noqa: F811
    """What the spec says of it by now is a change, as without a rebuild."""
    write(site, NET, {"aws.vpn_gateway": {"w": {"vpc": Ref("aws.vpc.home"), "zone": "us-west-2a"}}})
    apply(site.stack)
    assert classes(rebuild(site)) == set()
    write(site, NET, {"aws.vpn_gateway": {"w": {"vpc": Ref("aws.vpc.home"), "zone": "us-west-2b"}}})
    rebuild(site)
    assert "1 REPLACE" in site.stack.run("plan").out
