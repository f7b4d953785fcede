"""Two places of a stack, one of which does not say who answers: it stops nothing but what is about itself."""

import json
import shutil
import sqlite3

import pytest

from cli import recorded

# The pair of keys that every simulated world knows.
KEYS = {"AWS_ACCESS_KEY_ID": "sim", "AWS_SECRET_ACCESS_KEY": "sim"}

SPEC = {
    "stack": "two",
    "providers": {
        "aws": {"region": "us-west-2", "endpoint": "sim:../west"},
        "aws.east": {"region": "us-east-1", "endpoint": "sim:../east"},
    },
    "aws.vpc": {
        "main": {"cidr": "10.20.0.0/16"},
        "east": {"cidr": "10.30.0.0/16", "provider": "aws.east"},
    },
    "aws.subnet": {
        "a": {"vpc": "main", "cidr": "10.20.1.0/24"},
        "b": {"vpc": "main", "cidr": "10.20.2.0/24"},
        "e": {"vpc": "east", "cidr": "10.30.1.0/24", "provider": "aws.east", "depends_on": ["aws.subnet.b"]},
    },
}
EAST = ["aws.subnet.e", "aws.vpc.east"]
SILENT = "could not ask who answers for provider aws.east"


class Two:
    """The stack, its spec as a value, and both worlds."""

    def __init__(self, stack):
        self.stack, self.run = stack, stack.run
        self.spec = json.loads(json.dumps(SPEC))
        stack.environment.update(KEYS)
        self.sim("west", "add", "settings", "settings", "account=111122223333")
        self.sim("east", "add", "settings", "settings", "account=999988887777")
        self.write()

    def write(self):
        self.stack.write("two.yaml", json.dumps(self.spec, indent=1))

    def sim(self, world, *words):
        return self.run("sim", f"../{world}", *words).out

    def things(self, world, kind):
        regions = json.loads(self.sim(world, "show", kind))
        return {id: thing for region in regions.values() for id, thing in region.get(kind, {}).items()}

    def fault(self, world, operation, kind, *words):
        return world, self.sim(world, "fault", operation, kind, *words).split()[-1]

    def heal(self, fault):
        world, id = fault
        self.sim(world, "remove", "fault", id)

    def silence(self, kind="deny"):
        return self.fault("east", "GetCallerIdentity", kind)

    def ask(self, *words, status=3):
        return self.run(*words, "--output", "json", status=status).json


@pytest.fixture
def two(stack):
    return Two(stack)


@pytest.fixture
def made(two):
    two.run("apply", "--yes")
    return two


def actions(document):
    return {one["address"]: one["operation"] for one in document["actions"] if one["operation"] != "unread"}


def unread(document):
    """The addresses, of all of which the place that is silent is why."""
    assert all(SILENT in one["reason"] for one in document["unread"]), document["unread"]
    return [one["address"] for one in document["unread"]]


@pytest.mark.parametrize("kind", ["deny", "refused"])
def test_what_lies_elsewhere_is_compared_and_mended(made, kind):
    made.sim("west", "remove", "subnet", recorded(made.stack)["aws.subnet.a"])
    fault = made.silence(kind)
    drift = made.ask("drift")
    assert (actions(drift), drift["drift"], drift["read"], drift["managed"]) == ({"aws.subnet.a": "create"}, 1, 3, 5)
    assert unread(drift) == EAST
    [told] = drift["diagnostics"]
    assert told["severity"] == "warning" and SILENT in told["message"] and told["hint"]
    plan = made.ask("plan")
    assert actions(plan) == {"aws.subnet.a": "create"} and unread(plan) == EAST
    made.run("apply", "--yes", status=3)
    assert len(made.things("west", "subnet")) == 2
    assert made.ask("plan")["actions"] == plan["actions"][1:]
    made.heal(fault)
    assert made.ask("plan", status=0)["actions"] == []


def test_a_part_that_lies_elsewhere_is_whole(made):
    made.sim("west", "remove", "subnet", recorded(made.stack)["aws.subnet.a"])
    made.silence()
    assert unread(made.ask("plan", "--target", "aws.subnet.a", status=0)) == []
    made.run("apply", "--yes", "--target", "aws.subnet.a")
    assert len(made.things("west", "subnet")) == 2


def test_nothing_is_made_there_nor_goes(made):
    """Nobody looked: neither what is new in the spec, nor what has left it, nor what waits for either."""
    made.spec["aws.subnet"]["new"] = {"vpc": "east", "cidr": "10.30.2.0/24", "provider": "aws.east"}
    made.spec["aws.subnet"]["c"] = {"vpc": "main", "cidr": "10.20.3.0/24"}
    # Another object in the place of b, which what lies there refers to.
    made.spec["aws.subnet"]["b"]["cidr"] = "10.20.9.0/24"
    made.write()
    before, old = made.things("east", "subnet"), recorded(made.stack)["aws.subnet.b"]
    made.silence()
    plan = made.ask("plan")
    assert actions(plan) == {"aws.subnet.c": "create"}
    held = [one["reason"] for one in plan["unread"] if one["address"] == "aws.subnet.b"]
    assert held == ["'aws.subnet.e' refers to it and could not be read"]
    assert {one["address"] for one in plan["unread"]} == {*EAST, "aws.subnet.b", "aws.subnet.new"}
    made.run("apply", "--yes", status=3)
    del made.spec["aws.subnet"]["e"], made.spec["aws.subnet"]["new"]
    made.write()
    assert actions(made.ask("plan")) == {}
    made.run("apply", "--yes", status=3)
    assert made.things("east", "subnet") == before and old in made.things("west", "subnet")


@pytest.mark.parametrize("name", ["c", "b"], ids=["new", "moved"])
def test_what_is_to_lie_there_is_not_looked_for(made, name):
    """It may be there already, made by a run that the record knows nothing of."""
    fault = made.silence()
    made.spec["aws.subnet"][name] = {"vpc": "east", "cidr": "10.30.7.0/24", "provider": "aws.east"}
    made.write()
    assert actions(made.ask("plan")) == {}
    drift = made.run("drift", status=3)
    assert "cannot be told: 'aws.subnet' could not be listed: " + SILENT in drift.err
    made.heal(fault)
    if name == "b":
        assert "but provider 'aws.east' reaches" in made.run("plan", status=1).err
        return
    made.run("apply", "--yes")
    assert made.ask("plan", status=0)["actions"] == []


@pytest.fixture
def cut_off(two):
    """In each of the places the answer to a call was lost, and what it made is there."""
    del two.spec["aws.subnet"]["b"], two.spec["aws.subnet"]["e"]["depends_on"]
    two.write()
    for world in "west", "east":
        two.fault(world, "CreateSubnet", "lost_answer", "1", "1")
    two.run("apply", "--yes", status=7)
    assert [len(two.things(world, "subnet")) for world in ("west", "east")] == [1, 1]
    return two


def open_calls(document):
    return {one["address"]: one["reason"] for one in document["open"]}


@pytest.mark.parametrize("command", [["recover"], ["apply", "--yes"]], ids=["recover", "apply"])
def test_of_open_calls_those_that_lie_elsewhere_are_settled(cut_off, command):
    fault = cut_off.silence()
    told = open_calls(cut_off.ask("drift"))
    assert told.keys() == {"aws.subnet.a", "aws.subnet.e"}
    assert SILENT not in told["aws.subnet.a"] and SILENT in told["aws.subnet.e"]
    result = cut_off.run(*command, status=7)
    [line] = [line for line in result.err.splitlines() if "it is not known what became of" in line]
    assert "CreateSubnet for 'aws.subnet.e'" in line and SILENT in line
    assert open_calls(cut_off.ask("drift")) == {"aws.subnet.e": told["aws.subnet.e"]}
    cut_off.heal(fault)
    cut_off.run("apply", "--yes")
    assert cut_off.ask("plan", status=0)["actions"] == []
    assert [len(cut_off.things(world, "subnet")) for world in ("west", "east")] == [1, 1]


def test_recovery_is_not_whole(made):
    """Nothing is open, as far as the record knows."""
    fault = made.silence()
    made.run("recover", status=3)
    made.heal(fault)
    made.run("recover")


def test_whether_a_state_was_lost_cannot_be_told(two):
    """What is there would be made a second time, once the record has a lineage of its own."""
    fault = two.silence()
    assert actions(two.ask("plan")) == {f"aws.{name}": "create" for name in ("subnet.a", "subnet.b", "vpc.main")}
    assert "whether a state was lost cannot be told" in two.run("apply", "--yes", status=3).err
    two.run("drift", status=3)
    assert two.things("west", "vpc") == {}
    two.heal(fault)
    two.run("apply", "--yes")


def test_a_destroy_leaves_what_lies_there(made):
    fault = made.silence()
    made.run("destroy", "--yes", status=3)
    # And what that refers to.
    assert recorded(made.stack).keys() == {*EAST, "aws.subnet.b", "aws.vpc.main"}
    assert [len(made.things(world, "subnet")) for world in ("west", "east")] == [1, 1]
    made.heal(fault)
    made.run("destroy", "--yes")
    assert made.things("west", "vpc") == made.things("east", "vpc") == {}


@pytest.mark.parametrize("refresh", ["full", "none"])
@pytest.mark.parametrize("name, status", [("a", 0), ("e", 4)])
def test_a_saved_plan(made, name, status, refresh):
    """It is carried out where all that it is about can be looked at."""
    made.spec["aws.subnet"][name]["tags"] = {"team": "red"}
    made.write()
    made.run("plan", "--out", "p.plan", f"--refresh={refresh}")
    made.silence()
    result = made.run("apply", "p.plan", status=status)
    assert SILENT in result.err
    if status:
        assert "'aws.subnet.e'" in result.err and "it cannot be read now: " + SILENT in result.err


def test_a_plan_is_saved_without_what_is_unread(made):
    made.spec["aws.subnet"]["a"]["tags"] = {"team": "red"}
    made.write()
    fault = made.silence()
    made.run("plan", "--out", "p.plan", status=3)
    made.run("apply", "p.plan", status=3)
    made.heal(fault)
    assert made.ask("plan", status=0)["actions"] == []


def leave_east(two):
    """The block goes from the spec, and all that lies there: the place is recorded, and no alias leads to it."""
    del two.spec["providers"]["aws.east"], two.spec["aws.vpc"]["east"], two.spec["aws.subnet"]["e"]
    two.write()


def answer_as_another(two):
    two.sim("east", "change", "settings", "settings", "account=555566667777")


# What happens to a place, and what is said of it.
NOBODY = "provider 'aws.east'"
RECORDED = "the place of 'aws.subnet.e' and 1 more (aws account 999988887777, region us-east-1, "
SILENCES = {
    "silent": ([Two.silence], NOBODY),
    "silent, and recorded alone": ([leave_east, Two.silence], RECORDED),
    "another account": ([answer_as_another], RECORDED),
    "another account, and recorded alone": ([leave_east, answer_as_another], RECORDED),
}


@pytest.mark.parametrize("silence, why", SILENCES.values(), ids=SILENCES)
@pytest.mark.parametrize("command", ["undo", "rebuild"])
def test_what_needs_all_is_refused(made, command, silence, why):
    """Nobody could tell what became of what is recorded there."""
    [run] = made.ask("state", "history", status=0)["runs"]
    for step in silence:
        step(made)
    before = recorded(made.stack)
    words = {"undo": ["undo", run["id"], "--yes"], "rebuild": ["state", "rebuild", "--force", "--yes"]}
    result = made.run(*words[command], status=1)
    assert "while nobody answers for " + why in result.err
    reason = "could not ask who answers" if Two.silence in silence else "the credentials at hand reach another account"
    assert reason in result.err
    assert recorded(made.stack) == before


@pytest.mark.parametrize("silence", [Two.silence, answer_as_another])
def test_recovery_is_not_whole_where_a_place_is_recorded_alone(made, silence):
    leave_east(made)
    silence(made)
    told = made.run("recover", status=3)
    assert "warning: nobody answers for " + RECORDED in told.err and "nothing is open" not in told.out
    # What is recorded there may be let go of.
    made.run("state", "rm", *EAST, "--yes")
    made.run("recover")


def test_nothing_is_listed_at_a_place_that_is_another(made):
    """A call was given up there: what comes late is looked for, but not in another account."""
    made.stack.environment["TRUEUP_GRACE"] = "0"
    made.spec["aws.subnet"]["n"] = {"vpc": "east", "cidr": "10.30.9.0/24", "provider": "aws.east"}
    made.write()
    fault = made.fault("east", "CreateSubnet", "lost_request")
    made.run("apply", "--yes", status=7)
    made.heal(fault)
    del made.spec["aws.subnet"]["n"]
    leave_east(made)
    made.run("recover")
    fault = made.silence()
    calls = made.ask("drift")["calls"]
    made.heal(fault)
    answer_as_another(made)
    assert made.ask("drift")["calls"] == calls


@pytest.mark.parametrize("spoiled", [False, True], ids=["sound", "spoiled"])
def test_nothing_is_rebuilt_where_a_recorded_kind_cannot_be_listed(made, spoiled):
    """The spec has none of it any more."""
    del made.spec["aws.subnet"]
    made.write()
    if spoiled:
        with sqlite3.connect(made.stack.folder / ".trueup/state.db") as database:
            database.execute("UPDATE bodies SET body = '{}'")
    fault = made.fault("west", "DescribeSubnets", "deny")
    before = recorded(made.stack)
    told = made.run("state", "rebuild", "--force", "--yes", status=1).err
    assert "error: what there is of 'aws.subnet' in" in told and "trueup state rm" in told
    assert recorded(made.stack) == before
    if spoiled:
        made.heal(fault)
    else:
        made.run("state", "rm", "aws.subnet.a", "aws.subnet.b", "--yes")
    made.run("state", "rebuild", "--force", "--yes", status=3 if spoiled else 0)
    assert recorded(made.stack).keys() == before.keys() - (set() if spoiled else {"aws.subnet.a", "aws.subnet.b"})


def test_nobody_answers(made):
    made.silence()
    made.fault("west", "GetCallerIdentity", "deny")
    for command in ["drift"], ["plan"], ["apply", "--yes"], ["recover"]:
        result = made.run(*command, status=1)
        assert result.err.count("error: could not ask who answers") == 2, result


def test_an_alias_that_is_set_up_wrong_is_an_error(made):
    made.spec["providers"]["aws.east"]["endpoint"] = "nowhere"
    made.write()
    for command in "drift", "plan":
        assert "error: provider 'aws.east' cannot have the endpoint 'nowhere'" in made.run(command, status=1).err


# --- Controllers of machines, each rack with a password of its own.

RACKS = {
    "stack": "racks",
    "providers": {
        "aws": {"region": "us-west-2", "endpoint": "sim:../west"},
        **{
            f"metal.{rack}": {"endpoint": "sim:../west", "user": rack, "password_env": f"RACK_{rack.upper()}"}
            for rack in "ab"
        },
    },
    "aws.vpc": {"main": {"cidr": "10.20.0.0/16"}},
    "metal.machine": {
        rack: {"controller": f"https://{rack}.example", "power": "on", "provider": f"metal.{rack}"} for rack in "ab"
    },
}


@pytest.fixture
def racks(stack):
    stack.environment.update(KEYS)
    for rack in "ab":
        attributes = f"serial={rack}", f"user={rack}", f"password=of-{rack}", "power=Off"
        stack.run("sim", "../west", "add", "machine", f"{rack}.example", *attributes)
        stack.environment[f"RACK_{rack.upper()}"] = f"of-{rack}"
    stack.write("racks.yaml", json.dumps(RACKS))
    stack.run("apply", "--yes")
    return stack


def test_a_password_that_is_not_set_stops_no_other_rack(racks):
    """Nor is its controller asked with the other's."""
    for name in "a", "b":
        racks.run("sim", "../west", "change", "machine", f"{name}.example", "power=Off")
    racks.run("sim", "../west", "change", "vpc", recorded(racks)["aws.vpc.main"], "tags.team=green")
    del racks.environment["RACK_B"]
    why = "provider 'metal.b' takes its password from RACK_B, which is not set or empty"
    drift = racks.run("drift", "--output", "json", status=3).json
    assert actions(drift).keys() == {"aws.vpc.main", "metal.machine.a"}
    assert [(one["address"], one["reason"]) for one in drift["unread"]] == [("metal.machine.b", why)]
    racks.run("apply", "--yes", status=3)
    machines = json.loads(racks.run("sim", "../west", "show", "machine").out)[""]["machine"]
    assert [machines[f"{rack}.example"]["power"] for rack in "ab"] == ["On", "Off"]
    racks.environment["RACK_B"] = "of-b"
    racks.run("apply", "--yes")
    racks.run("drift")


def test_a_controller_is_asked_with_its_own_password_alone(racks):
    """Its provider block has left the spec with it, and the other rack's would be let in."""
    racks.run("sim", "../west", "change", "machine", "b.example", "user=a", "password=of-a")
    spec = {**RACKS, "providers": dict(RACKS["providers"]), "metal.machine": dict(RACKS["metal.machine"])}
    del spec["providers"]["metal.b"], spec["metal.machine"]["b"]
    racks.write("racks.yaml", json.dumps(spec))
    unread = racks.run("drift", "--output", "json", status=3).json["unread"]
    why = "the provider block that it is recorded with is in the spec no more"
    assert [(one["address"], one["reason"]) for one in unread] == [("metal.machine.b", why)]
    racks.run("apply", "--yes")
    assert "metal.machine.b" not in recorded(racks)
    racks.run("drift")


def test_a_block_that_was_renamed_is_a_way_all_the_same(racks):
    spec = {**RACKS, "providers": dict(RACKS["providers"]), "metal.machine": dict(RACKS["metal.machine"])}
    spec["providers"]["metal.rack"] = spec["providers"].pop("metal.b")
    spec["metal.machine"]["b"] = {**spec["metal.machine"]["b"], "provider": "metal.rack"}
    racks.write("racks.yaml", json.dumps(spec))
    racks.run("drift")
    racks.run("apply", "--yes")
    racks.run("sim", "../west", "change", "machine", "b.example", "power=Off")
    assert actions(racks.run("drift", "--output", "json", status=2).json).keys() == {"metal.machine.b"}


def test_a_machine_that_is_not_recorded_waits_for_its_password(racks):
    racks.run("state", "rm", "metal.machine.b", "--yes")
    del racks.environment["RACK_B"]
    plan = racks.run("plan", "--output", "json", status=3).json
    assert actions(plan) == {} and [one["address"] for one in plan["unread"]] == ["metal.machine.b"]
    racks.run("drift", status=3)


def test_what_another_version_has_recorded_keeps_its_record(made):
    """Nobody could list its kind."""
    made.sim("east", "remove", "subnet", recorded(made.stack)["aws.subnet.e"])
    with sqlite3.connect(made.stack.folder / ".trueup/state.db") as database:
        database.execute("UPDATE objects SET kind = 'aws.later', address = 'aws.later.e' WHERE address = 'aws.subnet.e'")
    del made.spec["aws.subnet"]["e"]
    made.write()
    before = recorded(made.stack)
    document = made.ask("state", "rebuild", "--force", "--yes")
    assert [(one["class"], one["address"]) for one in document["findings"]] == [
        ("extra", "aws.later.e"),
        ("unread", "aws.later.e"),
    ]
    assert recorded(made.stack) == before


def rebuild_racks(racks, *words, status):
    document = racks.run("state", "rebuild", "--yes", "--output", "json", *words, status=status).json
    return {(one["class"], one["address"]) for one in document["findings"]}


def test_a_machine_that_is_not_seen_in_a_rebuild_keeps_its_record(racks):
    """What was still to be done about it is not forgotten either."""
    spec = json.loads(json.dumps(RACKS))
    del spec["metal.machine"]["b"]["power"]
    racks.write("racks.yaml", json.dumps(spec))
    before, planned = recorded(racks), racks.run("plan", "--output", "json").json["actions"]
    assert planned
    racks.run("sim", "../west", "change", "machine", "b.example", "password=other")
    assert rebuild_racks(racks, "--force", status=3) == {("unread", "metal.machine.b")}
    assert recorded(racks) == before
    racks.run("drift", status=3)
    racks.run("sim", "../west", "change", "machine", "b.example", "password=of-b")
    assert racks.run("plan", "--output", "json").json["actions"] == planned
    racks.run("state", "check")


def test_a_machine_that_is_not_seen_is_not_told_to_be_absent(racks):
    """Of a state that was lost nothing else tells of it."""
    shutil.rmtree(racks.folder / ".trueup")
    racks.run("sim", "../west", "change", "machine", "b.example", "password=other")
    found = rebuild_racks(racks, status=3)
    assert found == {("unseen", "metal.machine.b"), ("assumed", "metal.machine.a")}
    assert recorded(racks).keys() == {"aws.vpc.main", "metal.machine.a"}


def test_a_machine_that_has_left_the_spec_keeps_its_record(racks):
    """It has no tags to be found by, and the next apply lets go of it."""
    spec = json.loads(json.dumps(RACKS))
    del spec["metal.machine"]["b"], spec["providers"]["metal.b"]
    racks.write("racks.yaml", json.dumps(spec))
    before, planned = recorded(racks), racks.run("plan", "--output", "json", status=None).json
    # No password is at hand for it.
    told = {("extra", "metal.machine.b"), ("unread", "metal.machine.b")}
    assert rebuild_racks(racks, "--force", status=3) == told
    assert recorded(racks) == before
    after = racks.run("plan", "--output", "json", status=None).json
    assert (after["actions"], after["unread"]) == (planned["actions"], planned["unread"])
