"""Who holds the stack: shown, waited for, and taken away; always between real processes."""

import re
import signal
import sqlite3
import time

import pytest

from cli import Terminal, edit, recorded
from test_cli_runs import Gate, finish, gate, subnets, tiny, vpcs  # noqa: F401


def holder(stack):
    return stack.run("lease", "show", "--output", "json").json["holder"]


def outcomes(stack):
    return [run["outcome"] for run in stack.run("state", "history", "--output", "json").json["runs"]]


def wait_until(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def held(tiny, gate):  # noqa: F811
    """A run that holds the stack, kept from making the VPC until the gate opens."""
    gate.before = "CreateVpc"
    run = tiny.start("apply", "--yes")
    assert gate.held.wait(120)
    yield run
    gate.open()
    if run.poll() is None:
        run.kill()
    run.communicate()


def test_nobody_holds(tiny):  # noqa: F811
    assert "there is no state file" in tiny.run("lease", "show", status=1).err
    assert not (tiny.folder / ".trueup").exists()
    tiny.run("plan")
    assert tiny.run("lease", "show").out == "no run holds the stack 'tiny'\n"
    document = tiny.run("lease", "show", "--output", "json").json
    assert (document["schema"], document["command"]) == ("1.0", "lease show")
    assert (document["stack"], document["held"], document["holder"]) == ("tiny", False, None)
    assert "no run holds the stack 'tiny'" in tiny.run("lease", "break", "12345678", "--yes", status=1).err


def test_show(tiny, held):  # noqa: F811
    shown = holder(tiny)
    assert re.fullmatch("[0-9a-f]{32}", shown["run"])
    assert (shown["command"], shown["process"], shown["process_state"]) == ("apply", held.pid, "alive")
    assert (shown["fencing"], shown["expired"]) == (1, False)
    assert 0 < shown["expires_in_ms"] <= 90000
    moment = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    assert re.fullmatch(moment, shown["since"]) and re.fullmatch(moment, shown["heartbeat"])
    text = tiny.run("lease", "show").out
    for part in [shown["run"], "apply", shown["host"], f"{held.pid}, still running", shown["since"], "expires    in "]:
        assert part in text
    # Wherever the record is listed it is told, too.
    listed = tiny.run("state", "list", "--output", "json").json
    assert listed["holder"]["run"] == shown["run"]
    assert f"held: 'apply', process {held.pid} on host" in tiny.run("state", "list").out
    assert outcomes(tiny) == ["running"]
    held.send_signal(signal.SIGSTOP)
    for beats_before_ms, process, ends in [
        (20000, "still running", "expires    in "),
        (20000, "has not ended, but gives no heartbeat: it may be suspended", "expires    in "),
        (60000, "has not ended, but", "expired    the next run takes the lease at once, and until then this one may go on"),
    ]:
        with sqlite3.connect(tiny.folder / ".trueup/state.db") as state:
            state.execute(f"UPDATE lease SET beat_boot_ms = beat_boot_ms - {beats_before_ms}")
        text = tiny.run("lease", "show").out
        assert f"{held.pid}, {process}" in text and ends in text
    held.kill()
    held.wait()
    assert "expired    the next run takes the lease at once\n" in tiny.run("lease", "show").out
    shown = holder(tiny)
    assert (shown["process_state"], shown["expired"], shown["expires_in_ms"]) == ("gone", True, 0)
    assert f"{held.pid}, gone" in tiny.run("lease", "show").out
    assert ", expired\n" in tiny.run("state", "list").out
    assert outcomes(tiny) == ["lost"]


def test_a_plan_tells_of_the_run_at_work(tiny, held):  # noqa: F811
    """Whoever takes no lease goes on, and says whose calls are open and why what is shown may be half done."""
    run = holder(tiny)
    at_work = f"another run is at work on the stack 'tiny', and what is shown may be half done: 'apply', process {held.pid}"
    own = f"AT WORK calls of run {run['run'][:8]}, which is at work and records what comes of them\n  ? aws.vpc.main"
    for line, status in [(["plan"], 0), (["plan", "--refresh=none"], 0), (["drift"], 3)]:
        result = tiny.run(*line, status=status)
        assert result.err.count("warning: ") == 1 and f"warning: {at_work}" in result.err
        assert own in result.out and "earlier run" not in result.out and "never" not in result.out
        document = tiny.run(*line, "--output", "json", status=status).json
        assert {name: document["holder"][name] for name in ("run", "command", "process", "since")} == {
            name: run[name] for name in ("run", "command", "process", "since")
        }
        (call,) = document["open"]
        assert (call["operation"], call["run"], call["outlook"]) == ("CreateVpc", run["run"], "under way")
        assert [one["fault"] for one in document["diagnostics"]] == ["lease"]
    assert "open: CreateVpc for aws.vpc.main, by the run that is at work\n" in tiny.run("state", "list").out
    # Once it is dead it is an earlier one.
    held.kill()
    held.wait()
    result = tiny.run("plan")
    assert "OPEN    calls of an earlier run whose answer nobody saw\n  ? aws.vpc.main" in result.out
    assert "at work" not in (result.out + result.err).lower()
    document = tiny.run("plan", "--output", "json").json
    assert "holder" not in document and document["open"][0]["outlook"] == "waiting"
    assert "open: CreateVpc for aws.vpc.main, outcome unknown\n" in tiny.run("state", "list").out


def test_a_deletion_under_way_is_that_of_the_run_at_work(tiny, gate):  # noqa: F811
    tiny.run("apply", "--yes")
    gate.after = "DeleteSubnet"
    ending = tiny.start("destroy", "--yes", "--target", "aws.subnet.a")
    assert gate.held.wait(120)
    out = tiny.run("plan").out
    assert f"begun to be deleted by run {holder(tiny)['run'][:8]}\n" in out
    assert "BEGUN   what a run did that has not ended: not drift\n" in out and "earlier run" not in out
    drift = tiny.run("drift", status=3).out
    assert "no drift to be seen: what is there is as recorded, but for what the run at work does\n" in drift
    gate.open()
    finish(ending, 0)
    result = tiny.run("plan")
    assert "at work" not in (result.out + result.err).lower()


def test_what_is_under_way_between_two_calls_is_no_drift(tiny, gate):  # noqa: F811
    """No call is open while a run reads what it has made, which may take minutes."""
    seen = []

    def hold(action, _wanted):
        seen.append(action)
        if action == "DescribeVpcs" and "CreateVpc" in seen and not gate.held.is_set():
            gate.held.set()
            gate.opened.wait(60)
        return False

    gate.hold = hold
    making = tiny.start("apply", "--yes")
    assert gate.held.wait(120)
    result = tiny.run("drift", status=3)
    assert "aws.vpc.main   begun, and not finished" in result.out and "AT WORK" not in result.out
    gate.open()
    finish(making, 0)
    tiny.run("drift")


def test_a_run_that_begins_during_a_plan_is_told(tiny, gate, moto):  # noqa: F811
    gate.before = "DescribeVpcs"
    plan = tiny.start("plan")
    assert gate.held.wait(120)
    second = Gate(moto.address)
    second.before = "CreateVpc"
    run = tiny.start("apply", "--yes", AWS_ENDPOINT_URL=second.url)
    try:
        assert second.held.wait(120)
        gate.open()
        out, err = finish(plan, 0)
    finally:
        second.close()
    assert f"what is shown may be half done: 'apply', process {run.pid} on host" in err
    finish(run, 0)


def test_heartbeat_renews(tiny, held):  # noqa: F811
    first = holder(tiny)
    time.sleep(9.5)
    second = holder(tiny)
    assert second["run"] == first["run"] and second["heartbeat"] > first["heartbeat"]
    assert second["expires_in_ms"] > 90000 - 9500


def test_heartbeat_renews_while_recovery_reads(tiny, held, gate):  # noqa: F811
    held.kill()
    held.wait()
    gate.open()
    gate.arm("before", "DescribeVpcs")
    recovering = tiny.start("recover")
    assert gate.held.wait(120)
    first = holder(tiny)
    time.sleep(9.5)
    second = holder(tiny)
    assert second["run"] == first["run"] and second["heartbeat"] > first["heartbeat"]
    assert second["expires_in_ms"] > 90000 - 9500
    gate.open()
    finish(recovering, 0)


def test_break(tiny, held, gate, moto):  # noqa: F811
    run = holder(tiny)["run"]
    other = "0" * 8 if not run.startswith("0" * 8) else "1" * 8
    assert f"run '{other}' does not hold" in tiny.run("lease", "break", other, "--yes", status=1).err
    assert "at least 8 digits" in tiny.run("lease", "break", run[:7], "--yes", status=64).err
    assert "nobody can be asked" in tiny.run("lease", "break", run, status=64).err
    assert holder(tiny)["run"] == run
    result = tiny.run("lease", "break", run[:8], "--yes")
    assert f"process {held.pid} of that run is still running" in result.err
    assert run in result.out
    assert holder(tiny) is None and outcomes(tiny) == ["lost"]
    # It sends no more and records no more; what it had sent takes effect, and is settled by the next.
    gate.open()
    out, err = finish(held, 5)
    assert "this run lost its lease" in err and "what was done is recorded" not in out
    assert outcomes(tiny) == ["lost"] and len(subnets(moto)) == 0
    wait_until(lambda: len(vpcs(moto)) == 1)
    result = tiny.run("apply", "--yes")
    assert "unfinished call" in result.err
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 2
    tiny.run("plan", "--detailed-exitcode")


def test_break_asks(tiny, held):  # noqa: F811
    run = holder(tiny)["run"]
    terminal = Terminal(tiny, "lease", "break", run)
    terminal.read_until("Only 'yes' will do: ")
    assert f"Take the lease away from 'apply', process {held.pid}" in terminal.text
    terminal.type("y\n")
    terminal.end(1)
    assert holder(tiny)["run"] == run
    terminal = Terminal(tiny, "lease", "break", run)
    terminal.read_until("Only 'yes' will do: ")
    terminal.type("yes\n")
    terminal.end(0)
    assert holder(tiny) is None


@pytest.mark.parametrize("line", [["apply", "--yes"], ["destroy", "--yes"], ["state", "rm", "aws.vpc.main", "--yes"]])
def test_held_by_another(tiny, held, line):  # noqa: F811
    for arguments, least_s in [([], 0), (["--lease-timeout", "0"], 0), (["--lease-timeout=1s500ms"], 1.5)]:
        result = tiny.run(*line, *arguments, status=5)
        assert f"another run holds the stack 'tiny': 'apply', process {held.pid} on host" in result.err
        assert f"'trueup lease break {holder(tiny)['run'][:8]}' takes the stack away from one that hangs" in result.err
        assert least_s <= result.seconds < least_s + 10
        assert result.err.count("waiting up to") == (least_s > 0)
    assert held.poll() is None


def test_a_run_that_stands_still_while_it_writes(tiny, held, gate, moto):  # noqa: F811
    """Its lease is over, and nobody can take it: whoever waits waits on, and all are told whom to end."""
    held.send_signal(signal.SIGSTOP)
    state = sqlite3.connect(tiny.folder / ".trueup/state.db", isolation_level=None)
    state.execute("UPDATE lease SET beat_boot_ms = beat_boot_ms - 200000")
    state.execute("BEGIN IMMEDIATE")
    try:
        told = f"stands still while it writes the state file: 'apply', process {held.pid} on host"
        for words in (["apply", "--yes"], ["apply", "--yes", "--lease-timeout", "6s"], ["lease", "break", holder(tiny)["run"], "--yes"]):
            result = tiny.run(*words, status=5)
            assert told in result.err and f"kill -CONT {held.pid}" in result.err
        waiting = tiny.start("apply", "--yes", "--lease-timeout", "1m")
        while b"waiting up to" not in (line := waiting.stderr.readline()):
            assert line, "it does not wait"
    finally:
        state.execute("ROLLBACK")
        state.close()
    held.send_signal(signal.SIGCONT)
    gate.open()
    finish(waiting, 0)
    # It goes on where its heartbeat comes before the one who waits; its call may have been held for too long by then.
    held.communicate(timeout=30)
    assert held.returncode in (0, 5, 7)
    tiny.run("plan", "--detailed-exitcode")
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 2


def test_waits_and_goes_on(tiny, held, gate, moto):  # noqa: F811
    second = tiny.start("apply", "--yes", TRUEUP_LEASE_TIMEOUT="1m")
    time.sleep(1.5)
    assert second.poll() is None
    gate.open()
    finish(held, 0)
    out, err = finish(second, 0)
    (line,) = [line for line in err.splitlines() if "waiting" in line]
    assert line.startswith(f"waiting up to 60 s for another run to end: 'apply', process {held.pid} on host")
    # What was planned before would make everything twice.
    assert "nothing to do" in out
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 2


def test_takes_over_from_the_dead(tiny, held, gate, moto):  # noqa: F811
    second = tiny.start("apply", "--yes", "--lease-timeout", "1m")
    time.sleep(1)
    assert second.poll() is None
    held.kill()
    held.wait()
    gate.open()
    finish(second, 0)
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 2
    # What the dead one had sent is settled by a run of its own.
    assert outcomes(tiny) == ["done", "done", "lost"]


def test_interrupted_while_waiting(tiny, held):  # noqa: F811
    for number, status in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
        second = tiny.start("apply", "--yes", "--lease-timeout", "1m")
        while b"waiting up to" not in (line := second.stderr.readline()):
            assert line, "it does not wait"
        began = time.monotonic()
        second.send_signal(number)
        _, err = finish(second, status)
        assert "interrupted while waiting for another run" in err
        assert time.monotonic() - began < 5
    assert holder(tiny)["process"] == held.pid


def overtake(tiny, gate, slow, action, *words):  # noqa: F811
    """Another apply has the stack by the time that the question is answered."""
    gate.before = action
    fast = tiny.start("apply", "--yes", *words)
    assert gate.held.wait(120)
    slow.type("yes\n")
    slow.read_until("waiting up to")
    gate.open()
    finish(fast, 0)


def test_plans_again(tiny, gate, moto):  # noqa: F811
    """The stack was free when it was planned, and another run was faster than the answer."""
    slow = Terminal(tiny, "apply", "--lease-timeout", "1m")
    slow.read_until("Only 'yes' will do: ")
    assert "3 create" in slow.text
    overtake(tiny, gate, slow, "CreateVpc")
    slow.read_until("nothing to do")
    slow.end(0)
    assert "the other run has changed the stack" in slow.text
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 2


def test_asks_again_for_another_plan(tiny, gate, moto):  # noqa: F811
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    slow = Terminal(tiny, "apply", "--lease-timeout", "1m")
    slow.read_until("Only 'yes' will do: ")
    edit(tiny, "  b: {vpc: main, cidr: 10.0.2.0/24}\n", "  c: {vpc: main, cidr: 10.0.3.0/24}\n")
    overtake(tiny, gate, slow, "CreateSubnet", "--target", "aws.subnet.c")
    slow.read_until("(?s)changed the stack.*Only 'yes' will do: ")
    slow.type("no\n")
    slow.end(1)
    assert len(subnets(moto)) == 3
    # The files of that plan, and not those of the first one as well.
    assert re.findall("  spec ([0-9a-f]+)", slow.text)[-1] == re.search("  spec ([0-9a-f]+)", tiny.run("plan").out)[1]


def test_asks_again_where_another_value_is_shown(tiny, gate):
    """The plan is the same, for it follows what it refers to; but whoever said yes has seen another id."""
    tiny.write("two.yaml", "aws.vpc:\n  two: {cidr: 10.9.0.0/16}\n")
    tiny.run("apply", "--yes")
    tiny.write("new.yaml", "aws.subnet:\n  new: {vpc: two, cidr: 10.9.1.0/24}\n")
    slow = Terminal(tiny, "apply", "--lease-timeout", "1m", NO_COLOR="1")
    slow.read_until("Only 'yes' will do: ")
    edit(tiny, "10.9.0.0/16", "10.9.0.0/17", "two.yaml")
    overtake(tiny, gate, slow, "CreateVpc", "--target", "aws.vpc.two")
    slow.read_until("(?s)changed the stack.*Only 'yes' will do: ")
    slow.type("yes\n")
    slow.end(0)
    first, second = re.findall("^plan ([0-9a-f]{8})", slow.text, re.MULTILINE)
    assert first == second
    assert len(set(re.findall("^ {6}vpc +(vpc-[0-9a-f]+)", slow.text, re.MULTILINE))) == 2


def test_saved_plan_waits_and_is_refused(tiny, gate, moto):  # noqa: F811
    tiny.run("plan", "--out", "p.plan")
    gate.before = "CreateVpc"
    first = tiny.start("apply", "--yes")
    assert gate.held.wait(120)
    second = tiny.start("apply", "p.plan", "--lease-timeout", "1m")
    time.sleep(1)
    assert second.poll() is None
    gate.open()
    finish(first, 0)
    _, err = finish(second, 4)
    assert "nothing is left to be done of this plan: run " in err
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 2


def test_moving_waits(tiny, held, gate):  # noqa: F811
    # Nothing is recorded at that address yet.
    second = tiny.start("state", "mv", "aws.subnet.a", "aws.subnet.z", "--lease-timeout", "1m")
    time.sleep(1)
    assert second.poll() is None
    gate.open()
    finish(held, 0)
    finish(second, 0)
    assert "aws.subnet.z" in recorded(tiny) and "aws.subnet.a" not in recorded(tiny)
    assert outcomes(tiny) == ["done", "done"]
