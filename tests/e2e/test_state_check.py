"""`trueup state check`, and what other commands say of a record that is damaged."""

import contextlib
import os
import re
import sqlite3

import pytest

from cli import applied, edit, recorded, tiny, world  # noqa: F401
from test_cli_drift import deny
from test_state_commands import ask, damage, rich  # noqa: F401

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
