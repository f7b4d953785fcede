"""One run at a time on one stack, also where the world is simulated and its clock runs ahead of the machine's."""

import contextlib
import fcntl
import json
import os
import signal
import sqlite3
import time

import pytest

from cli import recorded, simulate

SPEC = {
    "stack": "contended",
    "providers": {"aws": {"region": "eu-central-1"}},
    "aws.vpc": {"main": {"cidr": "10.0.0.0/16"}},
    "aws.subnet": {f"s{number}": {"vpc": "main", "cidr": f"10.0.{number}.0/24"} for number in range(60)},
    "aws.customer_gateway": {f"c{number}": {"address": f"198.51.100.{number + 1}"} for number in range(20)},
    "aws.vpn_gateway": {"g": {"vpc": "main"}},
    # Each takes simulated minutes.
    "aws.vpn_connection": {
        f"v{number}": {"vpn_gateway": "g", "customer_gateway": f"c{number}", "static_routes_only": True}
        for number in range(20)
    },
}


@pytest.fixture
def contended(stack):
    simulate(stack)
    stack.write("stack.yaml", json.dumps(SPEC))
    return stack


def is_held(stack, beats):
    """Whether a run holds the stack, has given so many signs of life, and is not in the middle of writing."""
    path = stack.folder / ".trueup/state.db"
    if not path.exists() or not (stack.folder / "world").exists():
        return False
    with open(stack.folder / "world", "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    with contextlib.closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as database:
        try:
            row = database.execute("SELECT run IS NOT NULL, beats FROM lease WHERE id = 1").fetchone()
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return False
    return row is not None and bool(row[0]) and row[1] >= beats


def stop_while_holding(stack, beats):
    """An apply that stands still with the lease in its hand."""
    process = stack.start("apply", "--yes")
    while process.poll() is None:
        os.kill(process.pid, signal.SIGSTOP)
        if is_held(stack, beats):
            return process
        os.kill(process.pid, signal.SIGCONT)
        time.sleep(0.002)
    raise AssertionError(process.communicate())


@pytest.mark.parametrize("beats", [1, 8])
def test_a_live_holder_is_not_robbed(contended, beats):
    holder = stop_while_holding(contended, beats)
    try:
        others = [contended.start("apply", "--yes") for _ in range(2)]
        for other in others:
            _, err = other.communicate(timeout=60)
            assert other.returncode == 5, err
            assert b"another run holds the stack 'contended'" in err
    finally:
        os.kill(holder.pid, signal.SIGCONT)
    _, err = holder.communicate(timeout=60)
    assert holder.returncode == 0, err
    contended.run("plan", "--detailed-exitcode")


def test_a_dead_holder_is_followed_at_once(contended):
    holder = stop_while_holding(contended, 8)
    holder.kill()
    holder.communicate()
    contended.run("apply", "--yes")
    contended.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("command", ["apply", "destroy"])
def test_a_silent_holder_elsewhere_is_followed(stack, command):
    """The clock there was ahead by a day, so that only its silence tells that it died."""
    simulate(stack)
    spec = "stack: quiet\naws.vpc:\n  main: {cidr: 10.0.0.0/16, tags: {of: %s}}\n"
    stack.write("stack.yaml", spec % "before")
    stack.run("apply", "--yes")
    stack.write("stack.yaml", spec % "after")
    tomorrow = int((time.time() + 86400) * 1000)
    with contextlib.closing(sqlite3.connect(stack.folder / ".trueup/state.db")) as database, database:
        database.execute("UPDATE runs SET ended_ms = NULL, outcome = NULL")
        database.execute(
            "UPDATE lease SET fencing = fencing + 1, run = (SELECT id FROM runs), host = 'laptop', machine = 'another',"
            " term_ms = 2000, beats = 7, since_ms = ?1, beat_wall_ms = ?1",
            [tomorrow],
        )
    assert "on host 'laptop'" in stack.run(command, "--yes", status=5).err
    assert stack.run(command, "--yes", "--lease-timeout", "20s").seconds < 15
    assert " lost " in stack.run("state", "history").out


def test_several_at_once(contended):
    """Whoever comes second is refused, whether the first is still at work or has ended in the meantime."""
    runs = [contended.start("apply", "--yes") for _ in range(3)]
    errors = [run.communicate(timeout=120)[1] for run in runs]
    assert sorted(run.returncode for run in runs)[0] == 0, errors
    assert sum(run.returncode == 0 for run in runs) == 1, errors
    assert all(run.returncode in (0, 4, 5) for run in runs), errors
    assert not any(b"lost its lease" in err for err in errors)
    contended.run("plan", "--detailed-exitcode")
    assert len(recorded(contended)) == sum(len(things) for kind, things in SPEC.items() if kind.startswith("aws."))


def test_a_heartbeat_is_shown_while_the_simulated_clock_stands_still(stack):
    """As it does for as long as a program that is given a secret runs: the run is at work all the same."""
    simulate(stack)
    pair = {"name": "k", "secret_to": {"command": ["sh", "-c", "cat > given; while [ ! -e go ]; do sleep 0.1; done"]}}
    stack.write("stack.yaml", json.dumps({"stack": "s", "providers": SPEC["providers"], "aws.key_pair": {"k": pair}}))
    process = stack.start("apply", "--yes")

    def heartbeat():
        holder = stack.run("lease", "show", "--output", "json").json["holder"]
        return holder["heartbeat"] if holder else None

    try:
        while not (stack.folder / "given").exists():
            time.sleep(0.05)
        first = heartbeat()
        end_s = time.monotonic() + 30
        while heartbeat() == first and time.monotonic() < end_s:
            time.sleep(0.2)
        assert heartbeat() > first
    finally:
        (stack.folder / "go").touch()
        assert process.wait(timeout=60) == 0
