"""Saved plans in places that have moved on, or that could not be read: what they still say."""

import contextlib
import hashlib
import json
import re
import sqlite3
import subprocess

import pytest

from conftest import BINARY, clean_environment
from cli import edit, recorded, tiny, world  # noqa: F401
from test_cli_drift import deny
from test_drift_of_runs import begun


BLUE = ("team: red", "team: blue")


def change(stack, kind, address, attribute):
    stack.run("sim", "change", kind, recorded(stack)[address], attribute)


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


def test_unread_is_not_destroyed(tiny):
    """A saved plan does nothing to what it left out, nor to what that refers to."""
    tiny.run("apply", "--yes")
    fault = tiny.run("sim", "fault", "DescribeSubnets", "deny").out.split()[-1]
    tiny.run("plan", "--destroy", "--out", "p.plan", status=3)
    tiny.run("sim", "remove", "fault", fault)
    tiny.run("apply", "p.plan", status=3)
    assert len(world(tiny, "subnet")) == 2 and len(world(tiny, "vpc")) == 1


def test_unread_is_read_again_where_it_is_changed(tiny):
    edit(tiny, "tags: {team: red}", "dns_support: true, tags: {team: red}")
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    fault = tiny.run("sim", "fault", "DescribeVpcAttribute", "deny").out.split()[-1]
    assert tiny.run("plan", "--out", "p.plan", "--output", "json", status=3).json["unread"]
    tiny.run("sim", "remove", "fault", fault)
    assert tiny.run("apply", "p.plan", "--output", "json").json["unread"] == []


@pytest.mark.parametrize(
    "out, directory",
    [
        ("p.plan", []),
        ("p plan's $(false).plan", []),
        ("--out", []),
        ("p.plan", ["-C", "st a'ck"]),
        ("./a/p.plan", ["--directory=-d"]),
        ("it's\n\\n\u202e.plan", ["-C", "x\ny"]),
    ],
)
def test_what_is_printed_can_be_pasted(tiny, tmp_path, out, directory):
    """Into a shell, where the user stands."""
    (tiny.folder / "a").mkdir()
    if directory:
        there = tiny.folder / directory[-1].split("=")[-1]
        there.mkdir()
        (tiny.folder / "tiny.yaml").rename(there / "tiny.yaml")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "trueup").symlink_to(BINARY)
    shown = tiny.run(*directory, "plan", f"--out={out}").out
    command = re.search("^apply exactly this:  (.*)$", shown, re.MULTILINE).group(1)
    applied = subprocess.run(
        # Not every /bin/sh takes $'...' yet.
        ["bash", "-c", command],
        cwd=tiny.folder,
        env=clean_environment(**tiny.environment, PATH=f"{programs}:/usr/bin:/bin"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert applied.returncode == 0 and "applied: 3 done" in applied.stdout, (command, applied)


@pytest.mark.parametrize("given", ["zzzzzzzz", "0" * 7, "0" * 65, "0123456g", "ABCDEF01", " 01234567"])
def test_what_no_digest_can_be_is_a_mistake_of_the_line(tiny, given):
    result = tiny.run("apply", "no.plan", f"--digest={given}", status=64)
    assert "of 0-9 and a-f, not" in result.err and "no.plan" not in result.err


ESCAPE = "\x1b[2Jnothing to do\u202e"


def forge(path, change):
    """Changes a plan file and makes it whole again, as whoever can write it could."""
    document = json.loads(path.read_text())
    del document["SHA256"]
    mark = document.pop("SHA256-HMAC")
    change(document)
    members = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))[1:]
    digest = hashlib.sha256(members.encode()).hexdigest()
    path.write_text(f'{{"SHA256":"{digest}","SHA256-HMAC":"{mark}",{members}')


def test_reason_does_not_steer_the_terminal(tiny):
    tiny.run("plan", "--out", "p.plan")
    forge(tiny.folder / "p.plan", lambda document: None)
    tiny.run("show", "p.plan")
    forge(tiny.folder / "p.plan", lambda document: document["actions"][0].update(reason=ESCAPE))
    shown = tiny.run("show", "p.plan")
    assert "nothing to do" in shown.out
    assert "\x1b" not in shown.out and "\u202e" not in shown.out


def other_values(document):
    """What is shown stays as it was."""
    [action] = document["actions"]
    for part in ("desired", "known"):
        action[part]["tags"]["team"] = "evil"


def other_words(document):
    [change] = document["actions"][0]["changes"]
    change["after"] = "harmless"


def other_place(document):
    [provider] = document["providers"]
    provider["value"]["endpoint"] = "http://127.0.0.1:9"


@pytest.mark.parametrize("change", [other_values, other_words, other_place])
def test_forged_plan_is_refused_before_the_first_call(tiny, change):
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    tiny.run("plan", "--out", "p.plan")
    forge(tiny.folder / "p.plan", change)
    digest = tiny.run("show", "p.plan", "--output", "json").json["digest"]
    before = (tiny.folder / "world").read_bytes()
    refused = tiny.run("apply", "p.plan", "--digest", digest, status=4).err
    assert "error: the plan 'p.plan' is not as it was written with the state in '.'\n" in refused
    assert refused.count("error: ") == 1 and (tiny.folder / "world").read_bytes() == before
    tiny.run("plan", "--out", "p.plan")
    forge(tiny.folder / "p.plan", lambda document: None)
    tiny.run("apply", "p.plan")


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


@pytest.mark.parametrize("beside", [True, False], ids=["with another change", "alone"])
def test_plan_that_read_nothing_stands_where_a_field_is_as_it_is_to_be(tiny, beside):
    """Each takes a call of its own to be read, and was never set: nobody knew that it is so already."""
    tiny.run("apply", "--yes")
    if beside:
        edit(tiny, *BLUE)
    edit(tiny, "{cidr: 10.0.0.0/16", "{dns_support: true, dns_hostnames: false, cidr: 10.0.0.0/16")
    tiny.run("plan", "--refresh=none", "--out", "p.plan")
    tiny.run("apply", "p.plan")
    tiny.run("plan", "--detailed-exitcode")


# What a later run knew nothing of: {name: (made before the failed run, what is denied, commands, status of the last)}
BLIND = {
    "a plan of before": (True, None, [("apply", "p.plan")], 0),
    "its kind unread": (False, "DescribeSubnets", [("apply", "--yes")], 3),
    "a plan of its kind unread": (False, "DescribeSubnets", [("plan", "--out", "p.plan"), ("apply", "p.plan")], 3),
}


@pytest.mark.parametrize("before, denied, commands, status", BLIND.values(), ids=BLIND)
def test_what_was_not_made_anew_is_missed_though_a_run_did_all_it_knew_of(tiny, before, denied, commands, status):
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    if before:
        tiny.run("plan", "--out", "p.plan")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    allowed = [deny(tiny, action) for action in ("CreateSubnet", "CreateTags")]
    tiny.run("apply", "--yes", status=7)
    for allow in allowed:
        allow()
    allow = deny(tiny, denied) if denied else None
    for command in commands:
        assert tiny.run(*command, status=None).status == status
    if allow:
        allow()
    [told] = begun(tiny)
    assert (told["address"], told["reason"]) == ("aws.subnet.b", "was deleted by a run that did not make it anew")
    [action] = tiny.run("plan", "--output", "json").json["actions"]
    assert (action["operation"], action["reason"]) == ("create", told["reason"])
    assert tiny.run("state", "history", "--output", "json").json["runs"][0]["command"] == "apply in part"
    tiny.run("apply", "--yes")
    assert begun(tiny, 0) == []


@pytest.mark.parametrize("flags", [[], ["--destroy"]], ids=["made", "destroyed"])
def test_plan_that_is_applied_again_says_which_run_carried_it_out(tiny, flags):
    """As a pipeline does that begins again after its last step."""
    if flags:
        tiny.run("apply", "--yes")
    tiny.run("plan", *flags, "--out", "p.plan")
    tiny.run("apply", "p.plan")
    [run, *_] = tiny.run("state", "history", "--output", "json").json["runs"]
    refused = tiny.run("apply", "p.plan", status=4).err
    assert refused.count("error: ") == 1
    assert f"nothing is left to be done of this plan: run {run['id'][:8]} carried it out at {run['since']}\n" in refused


def test_half_applied_is_refused_in_one_word_each(tiny):
    """What the first time began has an object now that the plan does not know: one thing, not two that contradict."""
    edit(tiny, "main: {", "main: {dns_support: false, ")
    tiny.run("plan", "--out", "p.plan")
    deny(tiny, "ModifyVpcAttribute")
    told = tiny.run("apply", "p.plan", status=7).out
    assert "\nwhat was done is recorded: see to the errors, then plan again for what is left\n" in told and "run it again" not in told
    refused = tiny.run("apply", "p.plan", status=4).err
    assert re.findall(r"error: '(.*)' has changed since the plan was made: a run has worked at it since", refused) == [
        "aws.vpc.main"
    ]
    assert refused.count("'aws.vpc.main' has changed") == 1 and "does nothing" not in refused


@pytest.mark.parametrize(
    "environment",
    [
        {"AWS_REGION": "us-east-1"},
        {"AWS_REGION": None},
        {"AWS_ENDPOINT_URL": "sim:other"},
        {"AWS_ENDPOINT_URL": None, "AWS_REGION": None},
        {"AWS_ENDPOINT_URL_EC2": "http://127.0.0.1:1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("refresh", ["full", "none"])
def test_plan_goes_where_it_was_made_for_whatever_the_environment_says_by_then(tiny, refresh, environment):
    edit(tiny, "providers: {aws: {region: eu-central-1}}\n", "")
    tiny.environment["AWS_REGION"] = "us-west-2"
    tiny.run("plan", "--out", "p.plan", f"--refresh={refresh}")
    (tiny.folder / "tiny.yaml").unlink()
    tiny.run("apply", "p.plan", **environment)
    places = {one["identity"] for one in tiny.run("state", "list", "--output", "json").json["objects"]}
    assert places == {"aws:123456789012:us-west-2@sim%3Aworld"}
    assert len(world(tiny, "subnet")) == 2 and not (tiny.folder / "other").exists()


def test_plan_of_another_account_says_so(tiny):
    """Nothing has changed in the one that it was made for."""
    tiny.run("plan", "--out", "p.plan")
    tiny.run("sim", "change", "settings", "settings", "account=999999999999")
    refused = tiny.run("apply", "p.plan", status=4).err
    assert (
        "error: the plan has 'aws.vpc.main' in the account 123456789012, and provider 'aws' reaches the account "
        "999999999999\n" in refused
    )
    assert "has changed since" not in refused and world(tiny, "vpc") == {}


@pytest.mark.parametrize("command", [[], ["--destroy"]], ids=str)
def test_plan_that_does_nothing_claims_nothing_of_what_is_there(tiny, command):
    """It reads nothing: what is there may have moved on, and the spec too."""
    if not command:
        tiny.run("apply", "--yes")
    tiny.run("plan", *command, "--out", "p.plan")
    tiny.run("apply", "--yes")
    change(tiny, "vpc", "aws.vpc.main", "tags.team=green")
    applied = tiny.run("apply", "p.plan").out
    assert "nothing read\n" in applied and "as the spec says" not in applied and "is recorded" not in applied
    changed = ", the state has changed since it was made" if command else ""
    assert f"nothing to do: the plan does nothing{changed}, and what is there now was not read\n" in applied
    document = tiny.run("apply", "p.plan", "--output", "json").json
    assert [document[name] for name in ("refreshed", "read", "calls", "actions")] == [False, 0, 0, []]
    assert document["digest"] == tiny.run("show", "p.plan", "--output", "json").json["digest"]
