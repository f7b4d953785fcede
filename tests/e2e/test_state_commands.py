"""What keeps the record: state history, mv, rm and backup; nothing of the world is touched by them."""

import json
import os
import re
import shutil
import signal
import sqlite3

import pytest

from cli import Terminal, applied, edit, recorded, simulate, tiny, world  # noqa: F401
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
