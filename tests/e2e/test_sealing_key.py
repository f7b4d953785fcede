"""The sealing key of the environment: what shows it, what it comes before, and what waits for it."""

import base64
import fcntl
import hashlib
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import time

import pytest

from conftest import BINARY, clean_environment
from test_secrets import HEX, OTHER, SPEC, Home, lose


@pytest.fixture
def here(tmp_path):
    made = Home(tmp_path / "here", tmp_path / "world")
    made.stack.write("stack.yaml", SPEC)
    return made


TRACED = {
    "as it is": "KEY={0}; echo $KEY",
    "in a word": "echo X{0}Y >&2; echo {0}",
    "as base64": "KEY={1}; echo $KEY",
    "by a program that fails": "KEY={0}; exit 1",
    "by one that prints something else": "KEY={1}; echo oops",
}


@pytest.mark.parametrize("script", TRACED.values(), ids=TRACED)
def test_program_that_shows_the_key_itself(here, script):
    """A shell with set -x does, on its standard error."""
    forms = HEX, base64.b64encode(bytes.fromhex(HEX)).decode()
    (here.stack.folder / "key").write_text("#!/bin/sh\nset -x\n" + script.format(*forms) + "\n")
    (here.stack.folder / "key").chmod(0o700)
    good = script.endswith(("$KEY", "{0}"))
    result = here.run("plan", "--out", "plan", status=0 if good else 1, TRUEUP_SEALING_KEY_COMMAND="./key")
    assert re.search(r"\+ (KEY=|echo X?)\(secret\)", result.err), result.err
    assert not [form for form in forms if form[:40] in result.out + result.err], result.err


@pytest.mark.parametrize(
    ("variable", "value"), [("TRUEUP_SEALING_KEY", HEX), ("TRUEUP_SEALING_KEY_COMMAND", f"echo {HEX}")]
)
def test_rekey_to_a_file_that_does_not_count_first(here, variable, value):
    here.run("plan", "--out", "plan", **{variable: value})
    told = here.run("state", "rekey", **{variable: value})
    (key,) = here.keys()
    assert f"warning: {variable} is still set, and counts before the file" in told.err
    assert f"hint: unset it, or have it give the key in the file '{key}'" in told.err
    here.run("plan", "--out", "next", status=1, **{variable: value})
    here.run("plan", "--out", "next", **{variable: ""})


@pytest.fixture
def cut_off(here):
    """A stack whose create was lost on its way, with the secret that it was sent with sealed under HEX."""
    here.stack.environment.update(TRUEUP_SEALING_KEY=HEX)
    lose(here, "CreateLaunchTemplate", "lost_request")
    assert here.rows("SELECT operation FROM intents WHERE sealed <> ''") == [("CreateLaunchTemplate",)]
    return here


def program(home, text):
    """The settings under which that script gives the key."""
    script = home.stack.folder / "key"
    script.write_text("#!/bin/sh\n" + text + "\n")
    script.chmod(0o700)
    return {"TRUEUP_SEALING_KEY": None, "TRUEUP_SEALING_KEY_COMMAND": "./key"}


def outlook(told):
    return [call["outlook"] for call in told.json["open"]]


WANTED = {
    "another key": ({"TRUEUP_SEALING_KEY": "22" * 32}, "TRUEUP_SEALING_KEY gives the key"),
    "none at all": ({"TRUEUP_SEALING_KEY": "abc"}, "what TRUEUP_SEALING_KEY gives is no sealing key"),
    "a program that fails": (
        {"TRUEUP_SEALING_KEY": None, "TRUEUP_SEALING_KEY_COMMAND": "false"},
        "'false' failed with status 1",
    ),
    "a key of KMS that it was not made with": ({"TRUEUP_SEALING_KEY": "kms:alias/a"}, "was not made there"),
}


@pytest.mark.parametrize(("settings", "reason"), WANTED.values(), ids=WANTED)
def test_what_is_open_waits_for_the_right_key(cut_off, tmp_path, settings, reason):
    cut_off.run("plan", "--out", tmp_path / "right")
    cut_off.run("plan", "--out", tmp_path / "bare", TRUEUP_SEALING_KEY=None)
    right = cut_off.run("plan", "--output", "json")
    told = cut_off.run("plan", "--output", "json", **settings)
    assert (outlook(right), outlook(told)) == (["again"], ["unknown"]) and told.json["digest"] == right.json["digest"]
    told = cut_off.run("plan", **settings)
    assert reason in told.err and "only with the stack's sealing key can it be told" in told.out
    assert "an apply does not begin without the stack's sealing key" in told.err
    assert "recovery closes it" not in told.out
    for saved in [], [tmp_path / "right"], [tmp_path / "bare"]:
        refused = cut_off.run("apply", "--yes", *saved, status=1, **settings)
        assert reason in refused.err and "settled" not in refused.err
    assert "where nothing that is set gives the key" in cut_off.run("apply", "--yes", status=1, **settings).err
    assert cut_off.rows("SELECT operation FROM intents") == [("CreateLaunchTemplate",)]
    # What sends nothing again asks for no key.
    assert cut_off.run("drift", status=2, **settings).err == cut_off.run("drift", status=2).err
    cut_off.run("apply", "--yes")
    assert cut_off.rows("SELECT outcome FROM history WHERE operation = 'CreateLaunchTemplate'") == [("done",)]


def the_run(home):
    """The one that was cut off."""
    (run,) = home.run("state", "history", "--output", "json").json["runs"]
    return run["id"]


def test_undoing_waits_for_the_right_key(cut_off):
    refused = cut_off.run("undo", the_run(cut_off), "--yes", status=1, TRUEUP_SEALING_KEY="22" * 32)
    assert "TRUEUP_SEALING_KEY gives the key" in refused.err
    assert cut_off.rows("SELECT operation FROM intents") == [("CreateLaunchTemplate",)]


@pytest.mark.parametrize(
    "settings",
    [{"TRUEUP_SEALING_KEY": "22" * 32}, {"TRUEUP_SEALING_KEY": None, "TRUEUP_SEALING_KEY_COMMAND": "false"}],
    ids=["another key", "a program that fails"],
)
def test_way_to_another_key_where_the_old_one_is_lost_and_a_call_is_open(cut_off, settings):
    refused = cut_off.run("state", "rekey", status=1, **settings)
    (variable,) = (name for name in settings if settings[name])
    assert f"where it is lost, unset {variable}, let an apply settle that call, and run this again" in refused.err
    refused = cut_off.run("state", "rekey", status=1, TRUEUP_SEALING_KEY=None)
    assert "let an apply settle what is open" in refused.err
    # What was made for want of it is looked for instead, and made anew.
    cut_off.run("apply", "--yes", TRUEUP_SEALING_KEY=None)
    cut_off.run("state", "rekey", TRUEUP_SEALING_KEY=None)
    cut_off.run("plan", "--out", "next", TRUEUP_SEALING_KEY=None)


def test_key_that_is_not_wanted_any_more(cut_off):
    """Once its token is forgotten the call is not sent again, whatever key there is."""
    with sqlite3.connect(cut_off.stack.folder / ".trueup" / "state.db") as database:
        database.execute("UPDATE intents SET wall_ms = wall_ms - 3600000")
    told = cut_off.run("plan", "--output", "json", TRUEUP_SEALING_KEY="abc")
    assert outlook(told) == ["absent"] and told.json["diagnostics"] == []


@pytest.mark.parametrize("command", [["plan"], ["plan", "--out", "plan"], ["apply", "--yes"]])
def test_program_that_fails_is_asked_once(cut_off, command):
    settings = program(cut_off, "echo asked >> asked; exit 1")
    cut_off.run(*command, status=None, **settings)
    assert (cut_off.stack.folder / "asked").read_text() == "asked\n"


@pytest.mark.parametrize("command", [["plan"], ["undo", "RUN", "--detailed-exitcode"], ["apply", "--yes"]])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupt_while_the_key_is_looked_for(cut_off, command, number, status):
    settings = program(cut_off, "echo asked > asked; exec sleep 60")
    words = [the_run(cut_off) if word == "RUN" else word for word in command]
    run = cut_off.stack.start(*words, **settings)
    while not (cut_off.stack.folder / "asked").exists():
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(number)
    out, err = run.communicate(timeout=20)
    assert (run.returncode, out) == (status, b"") and b"'./key' was interrupted" in err
    assert cut_off.rows("SELECT operation FROM intents") == [("CreateLaunchTemplate",)]


def test_key_that_is_replaced_before_recovery_begins(cut_off):
    """By another run, after this one has the old key and before it has the lease: it begins anew with the new one."""
    other = "22" * 32
    settings = program(
        cut_off,
        f"[ -e replaced ] && exec echo {other}\n"
        f"TRUEUP_SEALING_KEY={HEX} TRUEUP_NEW_SEALING_KEY={other} '{BINARY}' state rekey > replaced || exit 1\n"
        f"echo {HEX}",
    )
    cut_off.run("apply", "--yes", **settings)
    assert cut_off.rows("SELECT outcome FROM history WHERE operation = 'CreateLaunchTemplate'") == [("done",)]


@pytest.mark.parametrize("cut", [False, True], ids=["", "with an open call"])
def test_rekey_beside_another(here, cut):
    """The other one ends after this one has the old key and before it has the lease."""
    here.stack.environment.update(TRUEUP_SEALING_KEY=HEX)
    if cut:
        lose(here, "CreateLaunchTemplate", "lost_request")
    else:
        here.run("plan", "--out", "plan")
    before, other = here.key_id(), "22" * 32
    settings = program(
        here,
        f"TRUEUP_SEALING_KEY={HEX} TRUEUP_NEW_SEALING_KEY={other} '{BINARY}' state rekey > replaced || exit 1\n"
        f"echo {HEX}",
    )
    refused = here.run("state", "rekey", status=4, **settings)
    after = here.key_id()
    assert f"has just replaced the sealing key {before} of the stack: it is {after} now" in refused.err
    assert before in (here.stack.folder / "replaced").read_text() and here.keys() == []
    done = here.run("state", "rekey", TRUEUP_SEALING_KEY=other)
    assert f"it was {after}" in done.out and len(here.keys()) == 1


def memory_of(pid):
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            span, rights = line.split()[:2]
            if rights.startswith("rw") and not line.rstrip().endswith("[vvar]"):
                first, last = (int(part, 16) for part in span.split("-"))
                memory.seek(first)
                yield memory.read(last - first)


@pytest.mark.skipif(os.geteuid() != 0, reason="reads the memory of another process that cannot be dumped")
@pytest.mark.parametrize("command", [["plan", "--out", "next"], ["state", "rekey"]], ids=" ".join)
def test_key_text_is_nowhere_once_it_is_read(here, tmp_path, command):
    key = hashlib.sha256(b"a key like no other text").hexdigest()
    here.run("plan", "--out", "plan", TRUEUP_SEALING_KEY=key)
    (tmp_path / "key").write_text(key)
    # It does not end before somebody reads what it says.
    reader, writer = os.pipe()
    size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writer, b"." * size)
    settings = clean_environment(**here.stack.environment, TRUEUP_SEALING_KEY_COMMAND=f"cat {tmp_path}/key")
    run = subprocess.Popen([BINARY, *command], cwd=here.stack.folder, env=settings, stdout=writer)
    os.close(writer)
    until = time.monotonic() + 20
    while not (here.keys() or (here.stack.folder / "next").exists()) and time.monotonic() < until:
        time.sleep(0.01)
    memory = list(memory_of(run.pid))
    os.close(reader)
    run.wait(20)
    pieces = [key[at : at + 16].encode() for at in range(len(key) - 15)]
    assert here.keys() or (here.stack.folder / "next").exists()
    assert sum(map(len, memory)) > 100_000
    assert not [piece for piece in pieces if any(piece in part for part in memory)]


def test_key_file(here, tmp_path):
    here.run("plan", "--out", "plan", XDG_CONFIG_HOME=tmp_path / "settings" / "of mine")
    folder = tmp_path / "settings" / "of mine" / "trueup"
    (key,) = folder.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700 and key.stat().st_mode & 0o777 == 0o600
    assert key.name.endswith(f"-{here.key_id()}.key")
    assert here.keys() == []
    (here.stack.folder / "plan").unlink()
    for target, mode, said in ((key, 0o640, "0640|640"), (folder, 0o777, "777")):
        before = target.stat().st_mode & 0o777
        target.chmod(mode)
        refused = here.run("plan", "--out", "plan", status=1, XDG_CONFIG_HOME=folder.parent)
        assert "is open to other users" in refused.err and re.search(said, refused.err)
        target.chmod(before)
    # A relative folder is none.
    here.run("plan", "--out", "plan", XDG_CONFIG_HOME="settings")
    assert not (here.stack.folder / "settings").exists()
    key.write_text("00" * 32)
    refused = here.run("plan", "--out", "plan", status=1, XDG_CONFIG_HOME=folder.parent)
    assert str(key) in refused.err and here.key_id() in refused.err


def test_without_a_place_for_a_key(here, tmp_path):
    nowhere = tmp_path / "nowhere"
    nowhere.write_text("a file, no folder")
    # Nor is one that others can write: they could put another key there.
    theirs = tmp_path / "theirs" / "trueup"
    theirs.mkdir(parents=True)
    theirs.chmod(0o777)
    for place, why in (
        ({"XDG_CONFIG_HOME": theirs.parent}, f"'{theirs}' is open to other users (mode 777)"),
        ({"HOME": nowhere}, f"cannot make the folder '{nowhere}': a file has that name"),
        ({"HOME": None}, "neither XDG_CONFIG_HOME nor HOME names a folder"),
    ):
        warned = here.run("plan", "--out", "plan", **place)
        assert f"key is at hand to seal them under\n  cause: {why}" in warned.err
    assert not list(theirs.iterdir())
    here.run("apply", "plan", HOME=nowhere)
    assert here.key_id() == ""
    here.run("plan", "--out", "next", TRUEUP_SEALING_KEY=HEX, TRUEUP_VAR_password=OTHER)
    refused = here.run("state", "rekey", status=1, HOME=nowhere)
    assert f"no place for a file with the new key\n  cause: cannot make the folder '{nowhere}'" in refused.err
