"""`trueup state rebuild --force` over sound records: the next plan is what it would have been without it."""

import json
import shutil
import sqlite3

import pytest

from cli import recorded, simulate
from test_state_rebuild import findings, rebuild
from trueup_runner import plan_is_empty

VPC = {"cidr": "10.20.0.0/16"}
NET = {"aws.vpc": {"home": VPC}, "aws.subnet": {"a": {"vpc": "home", "cidr": "10.20.1.0/24"}}}
IMAGE = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
TEMPLATE = {"aws.launch_template": {"t": {"name": "ttt", **IMAGE}}}
GROUP = {"name": "g", "launch_template": "t", "subnets": ["a"], "min": 0, "max": 5, "desired": 1}
MACHINE = {**IMAGE, "subnet": "a"}


def write(stack, *parts):
    spec = {"stack": "one", "providers": {"aws": {"region": "us-west-2"}}}
    for kinds in parts:
        for kind, named in kinds.items():
            spec[kind] = {**spec.get(kind, {}), **named}
    stack.write("one.yaml", json.dumps(spec))


def applied(stack, *parts):
    simulate(stack, "../world")
    write(stack, *parts)
    stack.run("apply", "--yes")


def fault(stack, *words):
    return stack.run("sim", "../world", "fault", *words).out.split()[-1]


def heal(stack, number):
    stack.run("sim", "../world", "remove", "fault", number)


def planned(stack):
    document = stack.run("plan", "--output", "json").json
    return document["digest"], document["actions"]


PENDING = {
    "what others may move": (
        [NET, TEMPLATE, {"aws.autoscaling_group": {"g": GROUP}}],
        {"aws.autoscaling_group": {"g": {**GROUP, "desired": 3}}},
    ),
    "what no read gives back": (
        [NET, {"aws.instance": {"m": MACHINE}}],
        {"aws.instance": {"m": {**MACHINE, "public_ip": True}}},
    ),
    "set no more": ([NET, {"aws.vpc": {"home": {**VPC, "dns_hostnames": True, "tags": {"a": "b"}}}}], NET),
    "what it refers to": (
        [NET, {"aws.vpc": {"two": {"cidr": "10.30.0.0/16"}}, "aws.vpn_gateway": {"w": {"vpc": "home"}}}],
        {"aws.vpn_gateway": {"w": {"vpc": "two"}}},
    ),
}


@pytest.mark.parametrize("before, after", PENDING.values(), ids=PENDING)
def test_what_is_pending_stays_so(stack, before, after):
    applied(stack, *before)
    write(stack, *before, after)
    pending = planned(stack)
    assert len(pending[1]) == 1
    assert rebuild(stack, "--force")["findings"] == []
    assert planned(stack) == pending
    stack.run("apply", "--yes")
    plan_is_empty(stack)


def test_what_the_spec_has_left_is_as_it_was_applied(stack):
    """Back in the spec with less, the rest is to be taken away."""
    applied(stack, NET, {"aws.vpc": {"x": {"cidr": "10.30.0.0/16", "dns_hostnames": True, "tags": {"a": "b"}}}})
    write(stack, NET)
    assert findings(rebuild(stack, "--force"), "address") == [("extra", "aws.vpc.x")]
    write(stack, NET, {"aws.vpc": {"x": {"cidr": "10.30.0.0/16"}}})
    _, [action] = planned(stack)
    assert {change["path"] for change in action["changes"]} == {"dns_hostnames", "tags.a"}


def test_what_could_not_be_read_is_as_it_was_applied(stack):
    applied(stack, NET, {"aws.vpc": {"home": {**VPC, "dns_hostnames": True}}})
    write(stack, NET)
    pending = planned(stack)
    number = fault(stack, "DescribeVpcs", "deny", "2")
    assert findings(rebuild(stack, "--force", status=3), "address") == [("unread", "aws.vpc.home")]
    heal(stack, number)
    assert planned(stack) == pending and pending[1]


def test_what_could_only_be_told_by_its_tags_is_asked_for_again(stack):
    """A record that tells nothing keeps nobody from saying what is there."""
    applied(stack, NET, {"aws.instance": {"m": {**MACHINE, "public_ip": True}}})
    (stack.folder / ".trueup/state.db").unlink()
    number = fault(stack, "DescribeInstances", "deny", "2")
    assert ("unread", "aws.instance.m") in findings(rebuild(stack, status=3), "address")
    heal(stack, number)
    assert findings(rebuild(stack, "--force"), "address", "what") == [("assumed", "aws.instance.m", "public_ip")]
    plan_is_empty(stack)


def test_what_was_renamed_is_referred_to_by_the_name_of_its_tags(stack):
    """No apply has written the other name into them yet."""
    applied(stack, NET)
    stack.run("state", "mv", "aws.vpc.home", "aws.vpc.other")
    assert rebuild(stack, "--force")["findings"] == []
    stack.run("state", "check")
    stack.run("destroy", "--yes")
    assert recorded(stack) == {}


def pairs(**files):
    return {"aws.key_pair": {name: {"name": name, "secret_to": {"file": file}} for name, file in files.items()}}


@pytest.mark.parametrize("how", ["left", "unread", "renamed"])
def test_the_only_key_of_a_pair_is_put_over_by_none(stack, how):
    applied(stack, pairs(a="ops.pem"))
    key, there = (stack.folder / "ops.pem").read_bytes(), recorded(stack)
    if how == "renamed":
        stack.run("state", "mv", "aws.key_pair.a", "aws.key_pair.c")
    number = fault(stack, "DescribeKeyPairs", "deny", "2") if how == "unread" else None
    write(stack, pairs(b="ops.pem"))
    rebuild(stack, "--force", status=3 if number else 0)
    if number:
        heal(stack, number)
    told = stack.run("apply", "--yes", status=1).err
    assert "'aws.key_pair.a' is there and has its key in it, which is shown only once" in told
    assert (stack.folder / "ops.pem").read_bytes() == key and recorded(stack) == there


def test_a_key_that_was_taken_elsewhere_is_not_lost(stack):
    """The record tells that it was shown; what became of the file since is not trueup's to say."""
    applied(stack, pairs(a="ops.pem"))
    (stack.folder / "ops.pem").unlink()
    assert rebuild(stack, "--force")["findings"] == []
    plan_is_empty(stack)


def test_a_key_that_was_lost_and_is_found_is_recorded(stack):
    applied(stack, pairs(a="ops.pem"))
    key = (stack.folder / "ops.pem").read_bytes()
    (stack.folder / "ops.pem").unlink()
    (stack.folder / ".trueup/state.db").unlink()
    assert findings(rebuild(stack, status=7), "what") == [("lost", "secret_to")]
    assert findings(rebuild(stack, "--force", status=7), "what") == [("lost", "secret_to")]
    (stack.folder / "ops.pem").write_bytes(key)
    assert findings(rebuild(stack, "--force"), "what") == [("assumed", "secret_to")]
    plan_is_empty(stack)


GROUPS = {name: {"vpc": "home", "name": name, "description": name} for name in ("open", "closed")}


def machine(team, subnet="a"):
    return {"aws.instance": {"m": {**MACHINE, "subnet": subnet, "security_groups": ["closed"], "tags": {"team": team}}}}


def last_run(stack):
    return stack.run("state", "history", "--output", "json").json["runs"][0]["id"]


MOVES = {
    "to another name": [("aws.subnet.a", "aws.subnet.z"), ("aws.vpc.home", "aws.vpc.away")],
    "in turn": [("open", "x"), ("closed", "open"), ("x", "closed")],
}


@pytest.mark.parametrize("moves", MOVES.values(), ids=MOVES)
def test_what_refers_to_a_name_refers_to_that_of_the_tags(stack, moves):
    """A name that `state mv` gave and no tag has: else an undoing put a machine where something else is called so."""
    applied(stack, NET, {"aws.security_group": GROUPS}, machine("red"))
    write(stack, NET, {"aws.security_group": GROUPS}, machine("blue"))
    stack.run("apply", "--yes")
    run = last_run(stack)
    for move in moves:
        stack.run("state", "mv", *(name if "." in name else f"aws.security_group.{name}" for name in move))
    rebuild(stack, "--force")
    plan_is_empty(stack)
    stack.run("undo", run, "--yes")
    write(stack, NET, {"aws.security_group": GROUPS}, machine("red"))
    plan_is_empty(stack)


def test_an_older_record_gives_way_to_what_spec_and_world_agree_in(stack):
    """A backup from before two runs: what they did is no change that waits, and none of somebody else's."""
    applied(stack, NET, {"aws.security_group": GROUPS}, machine("red"))
    stack.run("state", "backup", "../older.db")
    other = {**GROUPS, "closed": {**GROUPS["closed"], "name": "shut"}}
    write(stack, NET, {"aws.security_group": other}, machine("red"))
    stack.run("apply", "--yes")
    stack.run("state", "mv", "aws.subnet.a", "aws.subnet.z")
    renamed = {"aws.vpc": NET["aws.vpc"], "aws.subnet": {"z": NET["aws.subnet"]["a"]}}
    write(stack, renamed, {"aws.security_group": other}, machine("green", "z"))
    stack.run("apply", "--yes")
    for file in (stack.folder / ".trueup").glob("state.db*"):
        file.unlink()
    shutil.copy(stack.folder / "../older.db", stack.folder / ".trueup/state.db")
    assert findings(rebuild(stack, "--force"), "address") == []
    plan_is_empty(stack)
    stack.run("drift")


def test_tags_of_another_object_are_known_by_the_id(stack):
    """Somebody has copied them over ours; two that say the same are told apart by what is recorded."""
    applied(stack, NET, {"aws.subnet": {"b": {"vpc": "home", "cidr": "10.20.2.0/24"}}})
    before = recorded(stack)
    for address in "aws.subnet.a", "aws.subnet.b":
        stack.run("sim", "../world", "change", "subnet", before[address], f"tags.trueup:object={'0f' * 16}")
    assert findings(rebuild(stack, "--force"), "address") == []
    assert recorded(stack) == before
    stack.run("apply", "--yes")
    plan_is_empty(stack)


@pytest.mark.parametrize("name", ["a", "z"], ids=["as it was", "renamed"])
def test_of_two_that_claim_an_address_the_recorded_one_keeps_it(stack, name):
    """A run that lost its lease has made the other, with the same tags: it is told, and nothing of ours is lost."""
    applied(stack, NET)
    before = recorded(stack)
    subnets = stack.run("sim", "../world", "show", "subnet").json["us-west-2"]["subnet"]
    tags = [f"tags.{tag['key']}={tag['value']}" for tag in subnets[before["aws.subnet.a"]]["tagSet"]]
    vpc = f"vpcId={before['aws.vpc.home']}"
    stack.run("sim", "../world", "--region", "us-west-2", "add", "subnet", "cidrBlock=10.20.9.0/24", vpc, "state=available")
    there = stack.run("sim", "../world", "show", "subnet").json["us-west-2"]["subnet"]
    [other] = set(there) - set(subnets)
    stack.run("sim", "../world", "change", "subnet", other, *tags)
    if name != "a":
        stack.run("state", "mv", "aws.subnet.a", f"aws.subnet.{name}")
        before = recorded(stack)
    told = stack.run("state", "rebuild", "--force", "--yes", status=7).out
    assert f"{other} claims the same as one that is recorded" in " ".join(told.split())
    document = rebuild(stack, "--force", status=7)
    [twin] = [one for one in findings(document, "address", "provider_id") if one[0] == "twins"]
    assert twin == ("twins", "aws.subnet.a", other)
    assert recorded(stack) == before


def subnets(**numbers):
    return {**NET, "aws.subnet": {name: {"vpc": "home", "cidr": f"10.20.{number}.0/24"} for name, number in numbers.items()}}


CLASHES = {
    "of one generation": ([subnets(a=1)], ["az"], subnets(z=1, a=2)),
    "the renamed one newer": ([subnets(a=3), subnets(a=1)], ["az"], subnets(z=1, a=2)),
    "swapped": ([subnets(a=1, b=2)], ["ax", "ba", "xb"], subnets(a=2, b=1)),
    "in turn": ([subnets(a=1, b=2, c=3)], ["ax", "ca", "bc", "xb"], subnets(a=3, b=1, c=2)),
    "each renamed": ([subnets(a=1)], ["az"], subnets(z=1, a=2), ["ay"], subnets(z=1, y=2)),
    "renamed twice": ([subnets(a=1)], ["az"], subnets(z=1, a=2), ["ay"], subnets(z=1, y=2, a=3)),
}


def clash(stack, before, *steps):
    """The tags of what was renamed say yet what another is called."""
    applied(stack)
    for spec in before:
        write(stack, spec)
        stack.run("apply", "--yes")
    for moves, after in zip(steps[::2], steps[1::2], strict=True):
        for old, new in moves:
            stack.run("state", "mv", f"aws.subnet.{old}", f"aws.subnet.{new}")
        write(stack, after)
        if "a" in after["aws.subnet"]:
            stack.run("apply", "--yes", "--target", "aws.subnet.a")


@pytest.mark.parametrize("case", CLASHES.values(), ids=CLASHES)
def test_of_two_tags_that_say_one_name_the_records_decide(stack, case):
    """Else what was renamed was what a replace has left, and deleted, or nobody's, and made once more."""
    clash(stack, *case)
    before, pending = recorded(stack), planned(stack)
    assert all(set(change["path"] for change in action["changes"]) == {"trueup:address"} for action in pending[1])
    assert rebuild(stack, "--force")["findings"] == []
    assert recorded(stack) == before and planned(stack) == pending
    stack.run("apply", "--yes")
    plan_is_empty(stack)


RENAMED = {
    "one": ([subnets(a=1)], ["az"], subnets(z=1)),
    "one, beside a new one": ([subnets(a=1)], ["az"], subnets(z=1, b=2)),
    "one that is to be made anew": ([subnets(a=1)], ["az"], subnets(z=3)),
    "swapped": ([subnets(a=1, b=2)], ["ax", "ba", "xb"], subnets(a=2, b=1)),
    "in turn": ([subnets(a=1, b=2, c=3)], ["ax", "ca", "bc", "xb"], subnets(a=3, b=1, c=2)),
    "to the name of one that is gone": ([subnets(a=1, b=2), subnets(a=1)], ["ab"], subnets(b=1)),
}


@pytest.mark.parametrize("before, moves, after", RENAMED.values(), ids=RENAMED)
def test_what_the_spec_has_under_its_new_name_keeps_that(stack, before, moves, after):
    """Else the rebuild that brings back what was forgotten has the next apply delete what was renamed before that."""
    other = {"aws.vpc": {"else": {"cidr": "10.99.0.0/16"}}}
    applied(stack, other)
    for spec in before:
        write(stack, other, spec)
        stack.run("apply", "--yes")
    for old, new in moves:
        stack.run("state", "mv", f"aws.subnet.{old}", f"aws.subnet.{new}")
    write(stack, other, after)
    there, pending = recorded(stack), planned(stack)
    stack.run("state", "rm", "aws.vpc.else", "--yes")
    assert {one[0] for one in findings(rebuild(stack, "--force"), "address")} <= {"absent"}
    assert recorded(stack) == there and planned(stack) == pending
    stack.run("apply", "--yes")
    plan_is_empty(stack)


def test_what_was_renamed_gives_way_to_one_of_which_the_record_is_damaged(stack):
    clash(stack, *CLASHES["the renamed one newer"])
    before = recorded(stack)
    with sqlite3.connect(stack.folder / ".trueup/state.db") as database:
        [[id]] = database.execute("SELECT object_id FROM objects WHERE address = 'aws.subnet.a'")
        database.execute("UPDATE bodies SET body = '{}' WHERE object_id = ?", [id])
    assert findings(rebuild(stack, "--force", status=3), "address") == [("damaged", "aws.subnet.a")]
    assert recorded(stack) == before


def test_what_was_left_behind_is_so_of_the_name_that_it_was_renamed_to(stack):
    clash(stack, [subnets(a=1)], ["az"], subnets(z=1, a=2))
    after = subnets(z=3, a=2)
    after["aws.subnet"]["z"]["lifecycle"] = {"create_before_destroy": True}
    write(stack, after)
    number = fault(stack, "DeleteSubnet", "deny")
    stack.run("apply", "--yes", status=7)
    before, pending = recorded(stack), planned(stack)
    rebuild(stack, "--force")
    assert recorded(stack) == before and planned(stack) == pending and pending[1]
    heal(stack, number)
    stack.run("apply", "--yes")
    plan_is_empty(stack)
