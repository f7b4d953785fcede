"""What keeps the record: state history, mv, rm, backup and check; nothing of the world is touched by them."""

import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3

import pytest

from cli import Terminal, applied, edit, recorded, simulate, tiny, world  # noqa: F401
from test_cli_drift import deny
from test_cli_runs import finish, gate, tiny as gated, vpcs  # noqa: F401

RICH = """\
stack: rich
providers: {aws: {region: eu-central-1}}
aws.vpc:
  main: {cidr: 10.0.0.0/16, tags: {team: red}}
  other: {cidr: 10.1.0.0/16}
aws.subnet:
  a: {vpc: main, cidr: 10.0.1.0/24}
  b: {vpc: main, cidr: 10.0.2.0/24, tags: {note: "in ${aws.vpc.main.id} and ${aws.vpc.other.id}"}}
aws.security_group:
  web:
    vpc: main
    name: web
    description: web servers
    ingress: [{protocol: tcp, from_port: 443, to_port: 443, cidr: 10.0.0.0/16}]
  data:
    vpc: main
    name: data
    description: databases
    ingress: [{protocol: tcp, from_port: 5432, to_port: 5432, group: web}]
outputs:
  vpc: "${aws.vpc.main.id}"
"""


@pytest.fixture
def rich(stack):
    """An applied stack whose resources refer to each other in every way."""
    simulate(stack)
    return applied(stack, "rich.yaml", RICH)


def ask(stack, command, *arguments, **settings):
    return stack.run("state", command, *arguments, "--output", "json", **settings).json


def harmless(stack):
    """Plans, and demands that the only thing to do, if any, is to correct a tag that holds an address."""
    document = stack.run("plan", "--output", "json").json
    changes = [change for action in document["actions"] for change in action["changes"]]
    assert all("trueup:address" in change["path"] for change in changes), document["actions"]
    assert {action["operation"] for action in document["actions"]} <= {"update", "record"}


def damage(stack, sql):
    with sqlite3.connect(stack.folder / ".trueup/state.db") as database:
        database.executescript(sql)
    database.close()


def test_history(rich):
    edit(rich, "team: red", "team: blue", "rich.yaml")
    rich.run("apply", "--yes")
    runs = ask(rich, "history")["runs"]
    assert [run["command"] for run in runs] == ["apply", "apply"]
    assert [run["outcome"] for run in runs] == ["done", "done"]
    assert runs[0]["calls"] < runs[1]["calls"] and runs[0]["open"] == 0
    assert runs[0]["plan_digest"] != runs[1]["plan_digest"] and runs[0]["duration_ms"] >= 0
    lines = rich.run("state", "history").out.splitlines()
    assert [line.split()[0] for line in lines] == [run["id"][:8] for run in runs]
    document = ask(rich, "history", runs[1]["id"][:8])
    assert document["run"] == runs[1]
    calls = [(call["address"], call["operation"], call["outcome"]) for call in document["calls"]]
    assert calls[0][1:] == ("CreateVpc", "done")
    assert ("aws.subnet.a", "CreateSubnet", "done") in calls
    assert len(calls) == runs[1]["calls"]
    text = rich.run("state", "history", runs[1]["id"]).out
    assert re.search(r"^  aws\.subnet\.a +CreateSubnet  done$", text, re.MULTILINE)
    assert "no run is recorded whose id begins with" in rich.run("state", "history", "zzzz", status=1).err
    for command in (["state", "history"], ["undo"]):
        refused = rich.run(*command, runs[1]["id"][:3], status=64).err
        assert f"'trueup {' '.join(command)}' takes at least 4 digits of a run's id" in refused


def test_history_of_failures(tiny):  # noqa: F811
    tiny.run("plan")
    tiny.run("sim", "world", "fault", "CreateSubnet", "deny")
    tiny.run("apply", "--yes", status=7)
    (run,) = ask(tiny, "history")["runs"]
    assert run["outcome"] == "partly"
    outcomes = {call["operation"]: call["outcome"] for call in ask(tiny, "history", run["id"])["calls"]}
    assert outcomes == {"CreateVpc": "done", "CreateSubnet": "failed"}
    assert any(call["note"] for call in ask(tiny, "history", run["id"])["calls"])


def test_history_of_the_dead(gated, gate):  # noqa: F811
    gate.after = "CreateVpc"
    run = gated.start("apply", "--yes")
    assert gate.held.wait(120)
    run.send_signal(signal.SIGKILL)
    finish(run, -9)
    (lost,) = ask(gated, "history")["runs"]
    assert (lost["outcome"], lost["calls"], lost["open"], lost["ended"]) == ("lost", 0, 1, None)
    (call,) = ask(gated, "history", lost["id"])["calls"]
    assert (call["operation"], call["outcome"], call["ended"]) == ("CreateVpc", "unknown", None)
    assert "1 open" in gated.run("state", "history").out
    gate.open()
    gated.run("apply", "--yes")
    runs = ask(gated, "history")["runs"]
    assert [(run["command"], run["outcome"]) for run in runs] == [("apply", "done"), ("recover", "done"), ("apply", "lost")]
    (call,) = ask(gated, "history", lost["id"])["calls"]
    assert (call["operation"], call["outcome"]) == ("CreateVpc", "done")
    assert call["note"].endswith(f"(recover {runs[1]['id'][:8]})") and ask(gated, "history", runs[1]["id"])["calls"] == []


MOVES = [
    ("aws.vpc.main", "aws.vpc.core", [("\n  main:", "\n  core:"), ("vpc: main", "vpc: core"), ("vpc.main.", "vpc.core.")]),
    ("aws.subnet.a", "aws.subnet.first", [("\n  a:", "\n  first:")]),
    ("aws.security_group.web", "aws.security_group.front", [("\n  web:", "\n  front:"), ("group: web", "group: front")]),
]


@pytest.mark.parametrize("source, target, edits", MOVES, ids=[row[0] for row in MOVES])
def test_mv(rich, source, target, edits):
    before, there = recorded(rich), world(rich, "vpc")
    document = ask(rich, "mv", source, target)
    assert (document["from"], document["to"], document["moved"]) == (source, target, 1)
    for old, new in edits:
        text = (rich.folder / "rich.yaml").read_text()
        assert old in text
        rich.write("rich.yaml", text.replace(old, new))
    after = recorded(rich)
    assert after == {target if address == source else address: id for address, id in before.items()}
    assert ask(rich, "check")["sound"]
    harmless(rich)
    rich.run("plan", "--refresh=none", "--detailed-exitcode", status=(0, 2))
    rich.run("apply", "--yes")
    rich.run("plan", "--detailed-exitcode")
    assert recorded(rich) == after and world(rich, "vpc").keys() == there.keys()
    # The order of deletion comes from what was rewritten.
    rich.run("destroy", "--yes")
    assert recorded(rich) == {}


def test_mv_there_and_back(rich):
    before = {address: rich.run("state", "show", address).out for address in recorded(rich)}
    rich.run("state", "mv", "aws.vpc.main", "aws.vpc.core")
    assert "aws.vpc.main" not in rich.run("state", "show", "aws.subnet.b").out
    shown = rich.run("state", "show", "aws.subnet.a").out
    assert f"  vpc  {recorded(rich)['aws.vpc.core']}  from ${{aws.vpc.core.id}}\n" in shown
    assert "known after apply" not in shown
    assert ask(rich, "show", "aws.subnet.a")["objects"][0]["depends_on"] == ["aws.vpc.core"]
    rich.run("state", "mv", "aws.vpc.core", "aws.vpc.main")
    assert {address: rich.run("state", "show", address).out for address in recorded(rich)} == before
    rich.run("plan", "--detailed-exitcode")


def test_mv_takes_open_calls_along(gated, gate, moto):  # noqa: F811
    gate.after = "CreateVpc"
    run = gated.start("apply", "--yes")
    assert gate.held.wait(120)
    run.send_signal(signal.SIGKILL)
    finish(run, -9)
    gate.open()
    gated.run("state", "mv", "aws.vpc.main", "aws.vpc.core")
    assert "open: CreateVpc for aws.vpc.core" in gated.run("state", "list").out
    text = (gated.folder / "tiny.yaml").read_text()
    gated.write("tiny.yaml", text.replace("main", "core"))
    gated.run("apply", "--yes")
    assert len(vpcs(moto)) == 1
    gated.run("plan", "--detailed-exitcode")


def associate_half(rich):
    """Nobody has heard whether the route table has subnet b now."""
    table = "aws.route_table:\n  r: {vpc: main, subnets: [a]}\n"
    rich.write("table.yaml", table)
    rich.run("apply", "--yes")
    rich.write("table.yaml", table.replace("[a]", "[a, b]"))
    rich.run("sim", "fault", "AssociateRouteTable", "lost_answer", 1, 3)
    rich.run("apply", "--yes", status=7)


def test_mv_takes_an_unfinished_change_along(rich):
    """What recovery makes of it refers to the new address; what it is to follow, and what waits for it, hangs on that."""
    associate_half(rich)
    rich.run("state", "mv", "aws.subnet.b", "aws.subnet.z")
    rich.run("recover")
    with sqlite3.connect(rich.folder / ".trueup/state.db") as database:
        (body,) = database.execute(
            "SELECT body FROM bodies JOIN objects USING (object_id) WHERE address = 'aws.route_table.r'"
        ).fetchone()
    body = json.loads(body)
    assert "${aws.subnet.z.id}" in str(body["applied"]) and "aws.subnet.b" not in str(body)
    assert "aws.subnet.z" in [each["address"] for each in body["dependencies"]]


def test_a_run_that_begins_a_change_again_renews_its_time(rich):
    """What comes late of it may come as long after the second call as after the first."""

    def cut_off():
        fault = rich.run("sim", "fault", "CreateTags", "lost_request", 1, 9).out.split()[-1]
        rich.run("apply", "--yes", "--grace", 3600, status=7)
        rich.run("sim", "remove", "fault", fault)
        with sqlite3.connect(rich.folder / ".trueup/state.db") as database:
            [(since,)] = database.execute(
                "SELECT json_extract(body, '$.unfinished.since') FROM bodies WHERE body LIKE '%unfinished%'"
            )
        return since

    edit(rich, "team: red", "team: blue", "rich.yaml")
    first = cut_off()
    rich.run("sim", "pass", "60")
    assert cut_off() >= first + 60_000


def test_rm_warns_of_what_an_unfinished_change_refers_to(rich):
    """Recovery records the reference, and nothing stands there any more."""
    associate_half(rich)
    told = "warning: 'aws.route_table.r' depends on 'aws.subnet.b', which is forgotten"
    assert told in rich.run("state", "rm", "--yes", "aws.subnet.b").err


WRONG_MOVES = [
    ("nothing there", ["aws.vpc.mian", "aws.vpc.x"], "nothing is recorded at 'aws.vpc.mian'", "aws.vpc.main"),
    ("target taken", ["aws.subnet.a", "aws.subnet.b"], "something is recorded at 'aws.subnet.b' already", "another name"),
    ("onto itself", ["aws.subnet.a", "aws.subnet.a"], "something is recorded at 'aws.subnet.a' already", None),
    ("another kind", ["aws.subnet.a", "aws.vpc.x"], "'aws.vpc.x' is no address for", "aws.subnet.NAME"),
    ("only a name", ["aws.subnet.a", "x"], "'x' is no address for", "aws.subnet.NAME"),
    ("no name", ["aws.subnet.a", "aws.subnet."], "'aws.subnet.' is no address for", None),
    ("a name that no spec takes", ["aws.subnet.a", "aws.subnet.x y"], "is no address for", None),
    ("a longer kind", ["aws.subnet.a", "aws.subnets.x"], "is no address for", None),
]


@pytest.mark.parametrize("line, message, hint", [row[1:] for row in WRONG_MOVES], ids=[row[0] for row in WRONG_MOVES])
def test_mv_refused(rich, line, message, hint):
    before = ask(rich, "history")["runs"], recorded(rich)
    result = rich.run("state", "mv", *line, status=1)
    assert message in result.err and (hint is None or hint in result.err)
    assert (ask(rich, "history")["runs"], recorded(rich)) == before


def test_rm(rich):
    there = world(rich, "vpc")
    ids = recorded(rich)
    document = ask(rich, "rm", "aws.vpc.other", "aws.subnet.a", "--yes")
    assert [one["address"] for one in document["forgotten"]] == ["aws.subnet.a", "aws.vpc.other"]
    assert document["dependents"] == ["aws.subnet.b"]
    assert recorded(rich).keys() == ids.keys() - {"aws.subnet.a", "aws.vpc.other"}
    assert world(rich, "vpc") == there and ids["aws.subnet.a"] in world(rich, "subnet")
    assert ask(rich, "history")["runs"][0]["command"] == "state rm"
    result = rich.run("state", "check", status=1)
    assert "aws.subnet.b: depends on 'aws.vpc.other', where nothing is recorded" in result.out


def test_rm_tells_the_way_back(rich):
    ids = recorded(rich)
    told = rich.run("state", "rm", "aws.vpc.main", "--yes").out
    assert "stays, with its tags: 'trueup state rebuild --force', before any apply, records it again\n" in told
    rich.run("state", "rebuild", "--force", "--yes")
    assert recorded(rich) == ids and rich.run("plan", "--output", "json").json["actions"] == []


def test_what_a_replace_did_not_make_anew_is_no_damage(stack):
    """What named it is recorded as it was: the next apply makes it, and drift tells of it."""
    spec = """
        stack: tiny
        providers: {aws: {region: eu-central-1}}
        aws.vpc: {main: {cidr: 10.0.0.0/16}}
        aws.subnet: {a: {vpc: main, cidr: 10.0.1.0/24}}
        aws.route_table: {r: {vpc: main, subnets: [a]}}
    """
    simulate(stack)
    stack.write("stack.yaml", spec)
    stack.run("apply", "--yes")
    stack.write("stack.yaml", spec.replace("10.0.1.0", "10.0.9.0"))
    stack.run("sim", "fault", "CreateSubnet", "deny", "1", "1")
    stack.run("apply", "--yes", status=7)
    assert "did not make it anew" in stack.run("drift", status=2).out
    assert "sound: 2 objects" in stack.run("state", "check").out
    # What people let go of comes back by no apply.
    stack.run("state", "rm", "aws.vpc.main", "--yes")
    result = stack.run("state", "check", status=1)
    assert "aws.route_table.r: depends on 'aws.vpc.main', where nothing is recorded" in result.out


def test_rm_asks(rich):
    assert "nobody can be asked" in rich.run("state", "rm", "aws.subnet.a", status=64).err
    terminal = Terminal(rich, "state", "rm", "aws.vpc.other")
    terminal.read_until("Only 'yes' will do: ")
    assert "aws.vpc.other  vpc-" in terminal.text
    terminal.type("no\n")
    terminal.end(1)
    assert "'aws.subnet.b' depends on 'aws.vpc.other', which is forgotten" in terminal.text
    assert "aws.vpc.other" in recorded(rich)
    terminal = Terminal(rich, "state", "rm", "aws.subnet.a")
    terminal.read_until("Only 'yes' will do: ")
    terminal.type("yes\n")
    terminal.end(0)
    assert "aws.subnet.a" not in recorded(rich)


@pytest.mark.parametrize("command", [["rm", "aws.vpc.other"], ["rebuild", "--force"]], ids=["rm", "rebuild"])
def test_somebody_else_was_faster(rich, command):
    """What was asked about is no plan, so nobody is told to plan again."""
    terminal = Terminal(rich, "state", *command)
    terminal.read_until("Only 'yes' will do: ")
    rich.run("state", "mv", "aws.subnet.a", "aws.subnet.c")
    terminal.type("yes\n")
    terminal.end(4)
    assert "another run has changed the stack since this command read it" in terminal.text
    assert "run the command again" in terminal.text and "plan again" not in terminal.text
    assert "aws.vpc.other" in recorded(rich)


def test_rm_of_nothing(rich):
    result = rich.run("state", "rm", "aws.subnet.a", "aws.subnet.x", "--yes", status=1)
    assert "nothing is recorded at 'aws.subnet.x'" in result.err
    assert "aws.subnet.a" in recorded(rich)


def test_rm_with_an_open_call(gated, gate):  # noqa: F811
    gate.after = "CreateVpc"
    run = gated.start("apply", "--yes")
    assert gate.held.wait(120)
    run.send_signal(signal.SIGKILL)
    finish(run, -9)
    gate.open()
    result = gated.run("state", "rm", "aws.vpc.main", "--yes", status=1)
    assert "it is not known what became of CreateVpc for 'aws.vpc.main'" in result.err and "--force" in result.err
    assert "open: CreateVpc" in gated.run("state", "list").out
    gated.run("state", "rm", "aws.vpc.main", "--yes", "--force")
    assert gated.run("state", "list").out == ""
    forgot, lost = ask(gated, "history")["runs"]
    (call,) = ask(gated, "history", lost["id"])["calls"]
    assert (call["operation"], call["outcome"]) == ("CreateVpc", "forgotten")
    assert call["note"].endswith(f"(state rm {forgot['id'][:8]})")


def test_backup_and_back(rich):
    ids = recorded(rich)
    assert "backed up to copy.db" in rich.run("state", "backup", "copy.db").out
    copy = rich.folder / "copy.db"
    assert copy.stat().st_mode & 0o777 == 0o600
    before = copy.read_bytes()
    edit(rich, "team: red", "team: blue", "rich.yaml")
    rich.run("apply", "--yes")
    result = rich.run("state", "backup", "copy.db", status=1)
    assert "there is a file of that name" in result.err and "--force" in result.err
    assert copy.read_bytes() == before
    shutil.copy(copy, rich.folder / ".trueup/state.db")
    assert recorded(rich) == ids and ask(rich, "check")["sound"]
    # The record is the older one: what was done since shows as drift, or is done already.
    rich.run("apply", "--yes")
    rich.run("plan", "--detailed-exitcode")
    rich.run("state", "backup", "copy.db", "--force")
    assert copy.read_bytes() != before
    assert sorted(name for name in os.listdir(rich.folder) if "copy" in name) == ["copy.db"]


def test_backup_beside_a_run(gated, gate):  # noqa: F811
    gate.before = "CreateSubnet"
    run = gated.start("apply", "--yes")
    assert gate.held.wait(120)
    gated.run("state", "backup", "copy.db")
    gate.open()
    finish(run, 0)
    (gated.folder / "elsewhere/.trueup").mkdir(parents=True)
    shutil.copy(gated.folder / "copy.db", gated.folder / "elsewhere/.trueup/state.db")
    listed = gated.run("-C", "elsewhere", "state", "list", "--output", "json").json
    assert "aws.vpc.main" in [one["address"] for one in listed["objects"]]
    assert listed["holder"]["process"] == run.pid


def test_backup_refused(rich):
    assert "is the state file itself" in rich.run("state", "backup", ".trueup/state.db", "--force", status=1).err
    assert "there is no state file" in rich.run("-C", ".trueup", "state", "backup", "x.db", status=1).err
    assert rich.run("state", "backup", "no/such/folder.db", status=1).err


DAMAGES = [
    ("body is no JSON", "UPDATE bodies SET body = 'x' WHERE body LIKE '%10.0.1.0/24%'", "aws.subnet.a", "JSON"),
    ("body lacks a part", "UPDATE bodies SET body = '{}' WHERE body LIKE '%10.0.1.0/24%'", "aws.subnet.a", "is damaged"),
    (
        "a note that is none",
        "UPDATE bodies SET body = json_set(body, '$.unfinished.owed', 'abcdefgh') WHERE body LIKE '%10.0.1.0/24%'",
        "aws.subnet.a",
        "what it says of an unfinished change is of a wrong type",
    ),
    (
        "a path that is none",
        "UPDATE bodies SET body = json_set(body, '$.released', 7) WHERE body LIKE '%10.0.1.0/24%'",
        "aws.subnet.a",
        "what it says of what the spec let go of is of a wrong type",
    ),
    ("no body", "DELETE FROM bodies WHERE body LIKE '%10.0.1.0/24%'", None, "'aws.subnet.a' has no body"),
    (
        "dependency gone",
        "UPDATE objects SET address = 'aws.vpc.x' WHERE address = 'aws.vpc.other'",
        "aws.subnet.b",
        "depends on 'aws.vpc.other'",
    ),
    (
        "unknown kind",
        "UPDATE objects SET kind = 'aws.nothing', address = 'aws.nothing.a' WHERE address = 'aws.subnet.a'",
        "aws.nothing.a",
        "'aws.nothing', which this program does not",
    ),
    (
        "address of another kind",
        "UPDATE objects SET address = 'aws.x.a' WHERE address = 'aws.subnet.a'",
        None,
        "object 'aws.x.a' is of kind 'aws.subnet'",
    ),
    (
        "two at one address",
        "UPDATE objects SET address = 'aws.subnet.a' WHERE address = 'aws.subnet.b'",
        None,
        "two current objects are recorded at 'aws.subnet.a'",
    ),
    ("kind of another address", "UPDATE objects SET kind = 'aws.vpc' WHERE address = 'aws.subnet.a'", None, "object 'aws.subnet.a' is of kind 'aws.vpc'"),
    (
        "kind of another provider",
        "UPDATE objects SET kind = 'metal.machine', address = 'metal.machine.a' WHERE address = 'aws.subnet.a'",
        None,
        "object 'metal.machine.a' is of kind 'metal.machine' and lies at 'aws:",
    ),
    (
        "alias of another provider",
        "UPDATE objects SET provider = 'metal' WHERE address = 'aws.subnet.a'",
        None,
        "object 'aws.subnet.a' is of kind 'aws.subnet' and lies at 'aws:",
    ),
    ("no identity", "UPDATE objects SET identity = 'x'", None, "has no readable identity"),
    ("an empty body", "UPDATE bodies SET body = '' WHERE body LIKE '%10.0.1.0/24%'", None, "'aws.subnet.a' has an empty body"),
    ("no id", "UPDATE objects SET provider_id = '' WHERE address = 'aws.subnet.a'", None, "'aws.subnet.a' has no id of its service"),
    (
        "an id that its outputs contradict",
        "UPDATE objects SET provider_id = 'subnet-0123456789abcdef0' WHERE address = 'aws.subnet.a'",
        "aws.subnet.a",
        "its id is 'subnet-0123456789abcdef0', and 'subnet-",
    ),
    ("no generation", "UPDATE objects SET generation = -1 WHERE address = 'aws.subnet.a'", None, "has the generation -1"),
    ("a later kind", "UPDATE objects SET kind_version = 99 WHERE address = 'aws.subnet.a'", "aws.subnet.a", "a later version"),
    ("no lease", "DELETE FROM lease", None, "the row of the lease is missing"),
    ("a lease that is none", "UPDATE lease SET fencing = -1", None, "fencing number is -1"),
    ("a serial that is none", "UPDATE stack SET serial = -5", None, "the serial is -5"),
    ("a run without an id", "UPDATE runs SET id = x'00' WHERE number = 1", None, "has an id of 1 bytes"),
    ("a call without an id", "UPDATE history SET intent = x'00' WHERE number = 1", None, "has an id of other than 16 bytes"),
    ("a former without an id", "UPDATE formers SET object_id = x'00' WHERE number = 1", None, "a former record of 'aws."),
    ("an id that is none", "UPDATE objects SET symbolic = x'00' WHERE address = 'aws.subnet.a'", None, "a digest of 1 bytes"),
]


@pytest.mark.parametrize("sql, address, finding", [row[1:] for row in DAMAGES], ids=[row[0] for row in DAMAGES])
def test_check(rich, sql, address, finding):
    assert rich.run("state", "check").out.startswith("sound: 6 objects, 0 open calls, serial ")
    document = ask(rich, "check")
    assert (document["sound"], document["findings"]) == (True, [])
    damage(rich, sql)
    document = ask(rich, "check", status=1)
    assert not document["sound"]
    assert any(one["address"] == address and finding in one["finding"] for one in document["findings"]), document
    assert finding in rich.run("state", "check", status=1).out


def test_what_a_later_version_recorded_is_left_alone(rich):
    """It may have more fields than are known here, which an apply would take out of the record."""
    damage(rich, "UPDATE objects SET kind_version = 99 WHERE address = 'aws.subnet.a'")
    for command in (["plan"], ["drift"], ["apply", "--yes"]):
        assert "was recorded by a later version of this program" in rich.run(*command, status=3).out


UNUSABLE = [
    ("no lease", "DELETE FROM lease", "the row of the lease is missing"),
    ("no bodies", "DELETE FROM bodies", "' has no body"),
    ("one body less", "DELETE FROM bodies WHERE body LIKE '%10.0.1.0/24%'", "the object at 'aws.subnet.a' has no body"),
    ("an empty body", "UPDATE bodies SET body = '' WHERE body LIKE '%10.0.1.0/24%'", "'aws.subnet.a' has no body"),
]


def test_a_state_without_a_table_is_damaged(rich):
    damage(rich, "DROP TABLE intents")
    for line in (["plan"], ["destroy", "--yes"], ["state", "check"]):
        told = rich.run(*line, status=1).err
        assert "it is damaged" in told and "no such table: intents" in told and "this is a bug" not in told, told
    assert "'trueup state rebuild' makes the state anew" in rich.run("state", "backup", "copy.db", status=1).err


@pytest.mark.parametrize("sql, cause", [row[1:] for row in UNUSABLE], ids=[row[0] for row in UNUSABLE])
def test_what_no_command_can_use_is_no_sound_state(rich, sql, cause):
    edit(rich, "team: red", "team: blue", "rich.yaml")
    damage(rich, sql)
    for line in (["plan"], ["apply", "--yes"], ["destroy", "--yes"], ["drift"]):
        [error] = rich.run(*line, "--output", "json", status=1).json["diagnostics"]
        assert error["message"].endswith("it is damaged") and error["cause"].endswith(cause), error
    rich.run("state", "check", status=1)
    assert "is not sound" in rich.run("state", "backup", "copy.db", status=1).err
    assert not (rich.folder / "copy.db").exists()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE bodies SET body = substr(body, 1, 100) WHERE length(body) = (SELECT max(length(body)) FROM bodies)",
        "UPDATE formers SET body = substr(body, 1, 100)",
    ],
    ids=["a record", "what a run found"],
)
def test_no_sound_backup_gives_way_to_one_that_cannot_be_read(rich, sql):
    edit(rich, "team: red", "team: blue", "rich.yaml")
    rich.run("apply", "--yes")
    rich.run("state", "backup", "last.db", "--force")
    sound = (rich.folder / "last.db").read_bytes()
    damage(rich, sql)
    refused = rich.run("state", "backup", "last.db", "--force", status=1).err
    assert re.search(r"warning: aws\.\S+: the record cannot be read in full: \w.* JSON at line 1", refused), refused
    assert "there is a file of that name" in refused
    assert "or say --force" not in refused and "hint: name another file: " in refused, refused
    assert (rich.folder / "last.db").read_bytes() == sound
    # Whoever mends it has use for a copy.
    told = rich.run("state", "backup", "broken.db")
    assert "the record cannot be read in full: " in told.err and "backed up to broken.db" in told.out


def test_what_a_rebuild_has_made_anew_is_sound_again(rich):
    """What cannot be read of the record before is what a rebuild is for: the backups of every night go on behind it."""
    rich.run("state", "backup", "last.db")
    damage(rich, "UPDATE bodies SET body = 'x' WHERE body LIKE '%10.0.1.0/24%'")
    rich.run("state", "check", status=1)
    rich.run("state", "rebuild", "--force", "--yes", status=3)
    assert ask(rich, "check")["sound"]
    told = rich.run("state", "backup", "last.db", "--force")
    assert "backed up to last.db" in told.out and told.err == ""


def test_what_has_another_id_by_its_record(rich):
    """By its wrong id it would be gone, and what is there, under its tags, be taken for the work of a call come late."""
    there = [world(rich, kind) for kind in ("vpc", "subnet", "security-group")]
    damage(rich, "UPDATE objects SET provider_id = 'vpc-0123456789abcdef0' WHERE address = 'aws.vpc.main'")
    for line in (["plan"], ["drift"], ["apply", "--yes"], ["destroy", "--yes"], ["recover"]):
        refused = rich.run(*line, status=1).err
        assert "the record of 'aws.vpc.main' is damaged: its id is 'vpc-0123456789abcdef0', and 'vpc-" in refused
        assert "'trueup state rebuild --force' records what is there" in refused
    assert [world(rich, kind) for kind in ("vpc", "subnet", "security-group")] == there
    rich.run("state", "rebuild", "--force", "--yes")
    rich.run("state", "check")
    assert rich.run("plan", "--output", "json").json["actions"] == []


def test_what_is_recorded_in_another_place(rich):
    """It is not there, and what is here has the recorded id: no second one is made."""
    there = [world(rich, kind) for kind in ("vpc", "subnet", "security-group")]
    place = "replace(identity, 'eu-central-1', 'eu-central-2')"
    damage(rich, f"UPDATE objects SET identity = {place} WHERE address = 'aws.vpc.main'")
    for line, status in {("plan", "--detailed-exitcode"): 2, ("drift",): 2, ("apply", "--yes"): 4}.items():
        told = rich.run(*line, status=status).err
        assert f"{recorded(rich)['aws.vpc.main']} carries the tags of this stack, as 'aws.vpc.main'" in told
        assert "'trueup state rebuild --force' records what is there" in told
    assert [world(rich, kind) for kind in ("vpc", "subnet", "security-group")] == there
    rich.run("state", "rebuild", "--force", "--yes")
    assert rich.run("plan", "--output", "json").json["actions"] == []


def test_check_of_what_came_after_something_that_is_gone(tiny):  # noqa: F811
    """It was left as it is, and what it came after is recorded with it until something else is done to it."""
    later = "aws.vpc:\n  two: {cidr: 10.2.0.0/16}\naws.vpn_gateway:\n  g: {vpc: main, depends_on: [aws.vpc.two]}\n"
    applied(tiny, "more.yaml", later)
    applied(tiny, "more.yaml", "aws.vpn_gateway:\n  g: {vpc: main}\n")
    tiny.run("plan", "--detailed-exitcode")
    assert tiny.run("state", "check").out.startswith("sound: 4 objects, ")


def test_check_of_what_a_refused_deletion_has_let_go_of(tiny):  # noqa: F811
    """The subnet is gone, and the table that let go of it is not: no record is lost, before recovery or after."""
    applied(tiny, "more.yaml", "aws.subnet:\n  c: {vpc: main, cidr: 10.0.9.0/24}\naws.route_table:\n  r: {vpc: main, subnets: [c]}\n")
    deny(tiny, "DeleteRouteTable")
    tiny.run("destroy", "--yes", status=7)
    assert "aws.subnet.c" not in recorded(tiny) and "aws.route_table.r" in recorded(tiny)
    assert tiny.run("state", "check").out.startswith("sound: ")
    tiny.run("recover")
    assert tiny.run("state", "check").out.startswith("sound: ")


@pytest.mark.parametrize(
    "sql, finding",
    [
        ("UPDATE intents SET parameters = '{'", "parameters of an open call is not valid JSON"),
        ("UPDATE intents SET kind = 'aws.nothing'", "an open call of the kind 'aws.nothing'"),
        ("UPDATE formers SET body = 'x' WHERE body IS NOT NULL", "is not valid JSON"),
    ],
)
def test_check_of_what_a_run_found_and_left_open(rich, sql, finding):
    edit(rich, "team: red", "team: blue", "rich.yaml")
    rich.run("sim", "fault", "CreateTags", "lost_answer", "1", "9")
    rich.run("apply", "--yes", status=7)
    assert "1 open call" in rich.run("state", "check").out
    damage(rich, sql)
    assert finding in rich.run("state", "check", status=1).out


def test_a_record_that_is_cut_is_told_with_a_way_out(rich):
    damage(rich, "UPDATE bodies SET body = substr(body, 1, 200)")
    for line in (["plan"], ["drift"], ["apply", "--yes"], ["recover"]):
        told = rich.run(*line, status=1).err
        assert "is not valid JSON" in told and "'trueup state rebuild --force' records what is there" in told
    rich.run("state", "rebuild", "--force", "--yes", status=3)
    rich.run("plan")


def test_check_of_damaged_pages(rich):
    path = rich.folder / ".trueup/state.db"
    data = bytearray(path.read_bytes())
    # What a page holds begins at its end; before that there may be nothing.
    for at in range(8 * 4096, len(data), 4096):
        data[at + 3000 : at + 4000] = bytes(1000)
    path.write_bytes(data)
    result = rich.run("state", "check", status=1)
    assert "damaged" in result.out + result.err


@pytest.mark.parametrize("line", [["backup", "copy.db"], ["rebuild", "--force", "--yes"]], ids=lambda line: line[0])
def test_what_is_copied_is_named_where_it_is_damaged(rich, line):
    """Its copy is gone by then, and nobody could move that away."""
    path = rich.folder / ".trueup/state.db"
    data = bytearray(path.read_bytes())
    with contextlib.closing(sqlite3.connect(path)) as database:
        [(page,)] = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'history'")
    data[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    refused = rich.run("state", *line, status=1).err
    assert "cannot read the state file '.trueup/state.db': it is damaged" in refused
    assert "'copy.db'" not in refused and "before-rebuild" not in refused
    assert re.search(rf"cause: Page {page}: [^\\\n]+$", refused, re.MULTILINE), refused
    assert os.listdir(rich.folder / ".trueup") == ["state.db"] and not (rich.folder / "copy.db").exists()


@pytest.mark.parametrize(
    "line",
    [["mv", "aws.vpc.a", "aws.vpc.b"], ["rm", "aws.vpc.a", "--yes"], ["backup", "x"], ["check"], ["history"], ["list"]],
    ids=lambda line: line[0],
)
def test_without_a_state(stack, line):
    assert "there is no state file" in stack.run("state", *line, status=1).err
    assert os.listdir(stack.folder) == []


def test_only_read(rich):
    path = rich.folder / ".trueup/state.db"
    before = path.read_bytes()
    for line in [["history"], ["check"], ["backup", "copy.db"], ["list"]]:
        rich.run("state", *line)
    rich.run("lease", "show")
    assert path.read_bytes() == before
    assert os.listdir(rich.folder / ".trueup") == ["state.db"]
