"""Saved plans in places that have moved on, or that could not be read: what they still say, and when they still hold."""

import contextlib
import hashlib
import json
import sqlite3

import pytest

from cli import edit, tiny, world  # noqa: F401


def test_unread_stays_unread(tiny):
    """What the plan could not read and does not touch is not read again; nothing is claimed about it all the same."""
    edit(tiny, "main: {", "other: {cidr: 10.8.0.0/16, dns_support: true}\n  main: {")
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    tiny.run("sim", "fault", "DescribeVpcAttribute", "deny")
    planned = tiny.run("plan", "--out", "p.plan", "--output", "json", status=3).json
    assert [(one["address"], one["field"]) for one in planned["unread"]] == [("aws.vpc.other", "dns_support")]
    shown = tiny.run("show", "p.plan", "--output", "json", status=3).json
    applied = tiny.run("apply", "p.plan", "--output", "json", status=3).json
    assert applied["applied"]["done"] == 1
    assert applied["unread"] == shown["unread"] == planned["unread"]


def test_unread_is_read_again_where_it_is_changed(tiny):
    edit(tiny, "tags: {team: red}", "dns_support: true, tags: {team: red}")
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    fault = tiny.run("sim", "fault", "DescribeVpcAttribute", "deny").out.split()[-1]
    assert tiny.run("plan", "--out", "p.plan", "--output", "json", status=3).json["unread"]
    tiny.run("sim", "remove", "fault", fault)
    assert tiny.run("apply", "p.plan", "--output", "json").json["unread"] == []


ESCAPE = "\x1b[2Jnothing to do\u202e"


def forge(path, change):
    """Changes a plan file and makes it whole again, as whoever can write it could."""
    document = json.loads(path.read_text())
    del document["SHA256"]
    change(document)
    members = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))[1:]
    digest = hashlib.sha256(members.encode()).hexdigest()
    path.write_text(f'{{"SHA256":"{digest}",{members}')


def test_reason_does_not_steer_the_terminal(tiny):
    tiny.run("plan", "--out", "p.plan")
    forge(tiny.folder / "p.plan", lambda document: None)
    tiny.run("show", "p.plan")
    forge(tiny.folder / "p.plan", lambda document: document["actions"][0].update(reason=ESCAPE))
    shown = tiny.run("show", "p.plan")
    assert "nothing to do" in shown.out
    assert "\x1b" not in shown.out and "\u202e" not in shown.out


@pytest.mark.parametrize(
    "sql, arguments",
    [
        pytest.param("UPDATE runs SET outcome = ?", ("state", "history"), id="the outcome of a run"),
        pytest.param("UPDATE runs SET command = ?", ("state", "history"), id="the command of a run"),
    ],
)
def test_record_does_not_steer_the_terminal(tiny, sql, arguments):
    tiny.run("apply", "--yes")
    with contextlib.closing(sqlite3.connect(tiny.folder / ".trueup/state.db")) as database, database:
        database.execute(sql, (ESCAPE,))
    shown = tiny.run(*arguments)
    assert "nothing to do" in shown.out
    assert "\x1b" not in shown.out and "\u202e" not in shown.out
