"""Output that nobody reads: a terminal after Ctrl-S, a pager, a collector of logs that hangs. No run waits for it."""

import os
import signal
import subprocess
import time

import pytest

from cli import NO_ECHO_S, Terminal, simulate
from conftest import BINARY, clean_environment
from test_cli_runs import Gate, gate, subnets, tiny, vpcs  # noqa: F401

# Their progress is more than a terminal or a pipe holds.
COUNT = 400
MANY = "stack: many\naws.customer_gateway:\n" + "".join(
    f"  {'g' * 59}{number:04d}: {{address: 198.51.{number // 200}.{number % 200 + 1}, asn: 65010}}\n"
    for number in range(COUNT)
)


class Pipe:
    """A standard error that nobody reads yet."""

    def __init__(self, stack, *arguments):
        self.process = stack.start(*arguments)
        self.pid = self.process.pid

    def end(self, status):
        out, err = self.process.communicate(timeout=30)
        assert self.process.returncode == status, (out + err).decode()
        return err.decode()


class Paused:
    """A terminal that nobody looks at yet."""

    def __init__(self, stack, *arguments):
        self.terminal = Terminal(stack, *arguments, size=(24, 120), NO_COLOR="1")
        self.pid = self.terminal.process

    def end(self, status):
        self.terminal.end(status)
        return self.terminal.text


def await_end(stack):
    """Until the run, which tells nobody, has given back the stack."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        runs = stack.run("state", "history", "--output", "json", status=None)
        if runs.status == 0 and [run["outcome"] for run in runs.json["runs"]] == ["done"]:
            return
        time.sleep(0.1)
    pytest.fail(f"the run has not come to its end:\n{runs}")


@pytest.mark.parametrize("reader", [Pipe, Paused])
def test_a_run_comes_to_its_end(stack, reader):
    simulate(stack)
    stack.write("many.yaml", MANY)
    run = reader(stack, "apply", "--yes", "--output", "text=/dev/null")
    await_end(stack)
    told = run.end(0)
    # Whoever reads on has missed nothing.
    assert told.count("  created after ") == COUNT and "left out" not in told


@pytest.mark.parametrize("reader", [Pipe, Paused])
def test_a_signal_ends_the_wait_at_the_end(stack, reader):
    simulate(stack)
    stack.write("many.yaml", MANY)
    run = reader(stack, "apply", "--yes", "--output", "text=/dev/null")
    await_end(stack)
    os.kill(run.pid, signal.SIGTERM)
    # Longer than it waits for somebody to read, so that it is not the reading below that ends it.
    time.sleep(4)
    assert run.end(143).count("  created after ") < COUNT


@pytest.fixture
def full():
    """The one end of a pipe that takes nothing more."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"x" * 4096)
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    yield writer
    os.close(reader)
    os.close(writer)


def start(stack, *arguments, **streams):
    environment = clean_environment(**stack.environment)
    return subprocess.Popen([BINARY, *arguments], cwd=stack.folder, env=environment, stdin=subprocess.DEVNULL, **streams)


def test_interrupted_with_a_call_in_flight(tiny, gate, moto, full):  # noqa: F811
    gate.before = "CreateVpc"
    run = start(tiny, "apply", "--yes", stdout=subprocess.DEVNULL, stderr=full)
    assert gate.held.wait(120)
    # Others write there too, and want to wait for its reader.
    assert os.get_blocking(full)
    run.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    assert run.poll() is None
    gate.open()
    assert run.wait(10) == 143
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 0
    assert vpcs(moto)[0] in tiny.run("state", "list").out
    assert tiny.run("lease", "show").out.startswith("no run holds")


def test_stopped_at_once(tiny, gate, full):  # noqa: F811
    gate.after = "CreateVpc"
    run = start(tiny, "apply", "--yes", stdout=subprocess.DEVNULL, stderr=full)
    assert gate.held.wait(120)
    for _ in range(2):
        time.sleep(NO_ECHO_S)
        run.send_signal(signal.SIGTERM)
    assert run.wait(1.5) == 143
    assert "open: CreateVpc" in tiny.run("state", "list").out


@pytest.mark.parametrize(
    "command, stream, number, status",
    [
        (["plan"], "stdout", signal.SIGINT, 130),
        (["plan"], "stdout", signal.SIGHUP, 129),
        (["apply", "--yes"], "stdout", signal.SIGTERM, 143),
        (["apply", "--yes"], "stderr", signal.SIGTERM, 143),
        (["validate"], "stderr", signal.SIGTERM, 143),
    ],
)
def test_a_signal_ends_the_wait_for_a_reader(stack, full, command, stream, number, status):
    """Nothing is held by then."""
    simulate(stack)
    # "validate" has little to say, unless something is wrong.
    stack.write("many.yaml", MANY + ("x: [\n" if command == ["validate"] else ""))
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: full}
    run = start(stack, *command, **streams)
    time.sleep(1)
    assert run.poll() is None
    run.send_signal(number)
    assert run.wait(10) == status
