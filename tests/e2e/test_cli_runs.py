"""Runs that are held up, interrupted or killed, against a third-party server behind a gate."""

import http.server
import json
import os
import signal
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

from cli import NO_ECHO_S, TINY
from conftest import REGION, Stack, serve


class Gate:
    """Stands before a server and holds the calls of one action: before they reach it, or their answers."""

    def __init__(self, address):
        self.address = address
        self.held = threading.Event()
        self.opened = threading.Event()
        self.before = self.after = None
        self.loses = False  # what is held before it reaches the server: it never does
        gate = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                action = urllib.parse.parse_qs(body.decode())["Action"][0]
                if gate.hold(action, gate.before) and gate.loses:
                    self.close_connection = True
                    return
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                request = urllib.request.Request(gate.address + self.path, data=body, headers=headers, method="POST")
                try:
                    answer = urllib.request.urlopen(request, timeout=30)
                except urllib.error.HTTPError as error:
                    answer = error
                text = answer.read()
                gate.hold(action, gate.after)
                try:
                    self.send_response(answer.status)
                    self.send_header("Content-Type", "text/xml")
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                except OSError:
                    pass

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        serve(self.server)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def hold(self, action, wanted):
        if action != wanted:
            return False
        self.held.set()
        self.opened.wait(60)
        return True

    def arm(self, held, action):
        """Closed again, should it have been opened before."""
        self.held.clear()
        self.opened.clear()
        self.loses = False
        setattr(self, held, action)

    def open(self):
        self.before = self.after = None
        self.opened.set()

    def close(self):
        self.open()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def gate(moto):
    gate = Gate(moto.address)
    yield gate
    gate.close()


@pytest.fixture
def tiny(tmp_path, gate):
    stack = Stack(tmp_path)
    stack.environment["AWS_ENDPOINT_URL"] = gate.url
    stack.write("tiny.yaml", TINY)
    return stack


def subnets(moto):
    return moto.client("ec2", REGION).describe_subnets(Filters=[{"Name": "vpc-id", "Values": vpcs(moto)}])["Subnets"]


def vpcs(moto):
    found = moto.client("ec2", REGION).describe_vpcs()["Vpcs"]
    return [vpc["VpcId"] for vpc in found if not vpc["IsDefault"]]


def finish(process, status):
    out, err = process.communicate(timeout=60)
    assert process.returncode == status, (out + err).decode()
    return out.decode(), err.decode()


def wait_for(process, text):
    """Reads standard error until the text stands there; gives what was read."""
    read = b""
    while text.encode() not in read:
        part = os.read(process.stderr.fileno(), 65536)
        assert part, read.decode()
        read += part
    return read.decode()


def test_one_run_at_a_time(tiny, gate, moto):
    gate.before = "CreateVpc"
    first = tiny.start("apply", "--yes")
    assert gate.held.wait(120)
    result = tiny.run("apply", "--yes", status=5)
    assert "error: " in result.err
    # Reading needs no lease.
    tiny.run("plan")
    tiny.run("state", "list")
    gate.open()
    finish(first, 0)
    tiny.run("plan", "--detailed-exitcode")
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 2


def test_interrupt_finishes_what_is_in_flight(tiny, gate, moto):
    gate.before = "CreateVpc"
    run = tiny.start("apply", "--yes")
    assert gate.held.wait(120)
    run.send_signal(signal.SIGINT)
    told = wait_for(run, "in flight")
    gate.open()
    out, err = finish(run, 130)
    assert (told + err).count("finishing 1 call in flight; again to stop at once") == 1
    assert "aws.vpc.main  created, not finished after" in err and "FAILED" not in told + err
    assert "partly applied: 0 done, 0 failed, 2 skipped, 1 not finished (1 halfway), " in out
    _, _, left = out.partition("left for the next run\n")
    assert [line.split() for line in left.splitlines()[:3]] == [
        ["aws.vpc.main", "begun,", "not", "finished"],
        ["aws.subnet.a", "still", "to", "do"],
        ["aws.subnet.b", "still", "to", "do"],
    ]
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 0
    assert vpcs(moto)[0] in tiny.run("state", "list").out
    tiny.run("apply", "--yes")
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_signals_that_come_together_are_one(tiny, gate, moto, number):
    """timeout(1) signals its child and then the group, and a shell repeats the hangup that the kernel has told."""
    gate.before = "CreateVpc"
    run = tiny.start("apply", "--yes")
    assert gate.held.wait(120)
    # It is stopped between them, so that both are there when it goes on; the same one would not come twice.
    for each in [signal.SIGSTOP, number, signal.SIGTERM, signal.SIGCONT]:
        run.send_signal(each)
    told = wait_for(run, "in flight")
    time.sleep(0.5)
    assert run.poll() is None
    gate.open()
    _, err = finish(run, 128 + number)
    assert "aws.vpc.main  created, not finished after" in told + err
    assert "unknown" not in tiny.run("state", "list").out and len(vpcs(moto)) == 1


@pytest.mark.parametrize("signals", [[signal.SIGINT] * 2, [signal.SIGTERM] * 2, [signal.SIGHUP] * 2, [signal.SIGKILL]])
def test_stopped_at_once_and_resumed(tiny, gate, moto, signals):
    gate.after = "CreateVpc"
    run = tiny.start("apply", "--yes", "--output", "json")
    assert gate.held.wait(120)
    run.send_signal(signals[0])
    if len(signals) > 1:
        wait_for(run, "in flight")
        time.sleep(NO_ECHO_S)
        run.send_signal(signals[1])
    out, err = finish(run, {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}[signals[0]])
    if len(signals) > 1:
        document = json.loads(out)
        applied = document["applied"]
        assert document["status"] == run.returncode
        assert "aws.vpc.main  creating, not answered after" in err
        assert (applied["failed"], applied["skipped"], applied["unfinished"], applied["halfway"]) == (0, 2, 1, 1)
        assert [(one["address"], one["ending"]) for one in applied["left"]] == [
            ("aws.subnet.a", "skipped"),
            ("aws.subnet.b", "skipped"),
            ("aws.vpc.main", "unfinished"),
        ]
    # It was made, and nobody saw the answer.
    assert len(vpcs(moto)) == 1
    assert "open: CreateVpc" in tiny.run("state", "list").out
    gate.open()
    result = tiny.run("apply", "--yes")
    assert "1 unfinished call of an earlier run settled" in result.err
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 2
    tiny.run("plan", "--detailed-exitcode")


def interrupted_at_once(run):
    """What only reads is not waited for: one interrupt is enough."""
    began = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, err = finish(run, 130)
    assert time.monotonic() - began < 10 and "in flight" not in err


@pytest.mark.parametrize("action", ["GetCallerIdentity", "DescribeVpcs", "DescribeSubnets"])
def test_interrupt_before_any_change(tiny, gate, moto, action):
    tiny.run("apply", "--yes")
    tiny.write("tiny.yaml", TINY.replace("team: red", "team: blue"))
    gate.before = action
    run = tiny.start("apply", "--yes")
    assert gate.held.wait(120)
    interrupted_at_once(run)


def test_interrupt_while_waiting_for_what_was_made(tiny, gate, moto):
    """The create is answered: reading until it is ready is the next run's work."""
    gate.before = "DescribeVpcs"
    run = tiny.start("apply", "--yes")
    assert gate.held.wait(120)
    interrupted_at_once(run)
    gate.open()
    tiny.run("apply", "--yes")
    assert len(vpcs(moto)) == 1 and len(subnets(moto)) == 2


def test_interrupt_while_reading(tiny, gate, moto):
    tiny.run("apply", "--yes")
    gate.before = "DescribeSubnets"
    run = tiny.start("plan")
    assert gate.held.wait(120)
    interrupted_at_once(run)


@pytest.mark.parametrize("replaced", [pytest.param(False, id="removed"), pytest.param(True, id="replaced")])
def test_state_that_is_taken_away(tiny, gate, moto, replaced):
    """What is written into a file that has no name any more is lost: no run is called done after that."""
    tiny.run("plan")
    state = tiny.folder / ".trueup/state.db"
    earlier = state.read_bytes()
    gate.after = "CreateVpc"
    run = tiny.start("apply", "--yes", "--output", "text", "--output", "json=report.json")
    assert gate.held.wait(120)
    for path in state.parent.iterdir():
        path.unlink()
    if replaced:
        state.write_bytes(earlier)
    gate.open()
    out, err = finish(run, 7)
    assert "was removed or replaced while this run was at work" in err
    assert "partly applied: 0 done, 0 failed, 2 skipped, 1 not finished (1 halfway)" in out
    assert "not all that was done is recorded: see the error" in out and "run it again to resume" not in out
    assert json.loads((tiny.folder / "report.json").read_text())["applied"]["recorded"] is False
    assert len(subnets(moto)) == 0
