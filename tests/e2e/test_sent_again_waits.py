"""A create that was sent once more may come for the grace from then on, not from the first time: it is waited for."""

import http.client
import io
import signal
import threading
import time
import urllib.parse

import pytest

from cli import Terminal, tiny  # noqa: F401
from simulator import simulator  # noqa: F401
from test_comes_late import kill, outcomes
from test_sent_again import foretold, lost  # noqa: F401
from test_sent_again_as_planned import DENIED, LISTS_NONE, NET, NO_ANSWER, lose, machines, running
from test_recover import lose as lose_simulated, rows
from test_take_back import site  # noqa: F401
from trueup_runner import ids_of, plan_is_empty, spec_text

GRACE_S = 7  # by which what was sent first may not come any more
LATE_S = 1.5  # so long after that run was killed its call comes


def outlook(stack):
    """Of the call, as drift and a plan that makes no such thing have it."""
    stack.environment["TRUEUP_GRACE"] = "120"
    drift = stack.run("drift", "--output", "json", status=(2, 3))
    planned = stack.run("plan", "--target", "aws.subnet.a", "--output", "json")
    assert foretold(drift) == foretold(planned) and drift.status == (3 if foretold(drift) == "waiting" else 2)
    return foretold(drift)


@pytest.mark.parametrize("way", ["not answered", "refused in the end"])
def test_what_is_told_counts_from_the_last_sending(lost, way):  # noqa: F811
    """Which of a run that sends it three times, half a minute each, is the third."""
    lost.run("sim", "pass", "60")
    assert outlook(lost) == "waiting"
    lost.run("sim", "pass", "60")
    assert outlook(lost) == "absent"
    if way == "not answered":
        lose_simulated(lost, "RunInstances", "lost_request", 3)
    else:
        lost.run("sim", "fault", "RunInstances", "lost_request", "1", "1")
        lost.run("sim", "fault", "RunInstances", "deny", "2", "1")
        lost.run("apply", "--yes", status=7)
    assert outlook(lost) == "waiting"
    lost.run("sim", "pass", "150")
    assert outlook(lost) == "absent"


@pytest.fixture
def held(site):  # noqa: F811
    """A machine that was lost; sent for once more when nobody waits for the first any more, by a run that is killed."""
    again_after_the_grace(site)
    return kill(site, "RunInstances", spec_text({**NET, **machines("m")}))


def again_after_the_grace(site):  # noqa: F811
    lose(site, NET, {**NET, **machines("m")})
    site.stack.environment["TRUEUP_GRACE"] = str(GRACE_S)
    time.sleep(GRACE_S)


# What the spec is by then, and how many machines there are to be.
NEXT = {
    "apply": (("apply", "--yes"), {**NET, **machines("m")}, 1),
    "not wanted any more": (("apply", "--yes"), NET, 0),
    "wanted otherwise": (("apply", "--yes"), {**NET, **machines("m", instance_type="t3.small")}, 1),
    "destroy": (("destroy", "--yes"), {**NET, **machines("m")}, 0),
    "recover": (("recover",), {**NET, **machines("m")}, 1),
}


@pytest.mark.parametrize("command, spec, count", NEXT.values(), ids=NEXT)
def test_the_next_run_waits_for_it(site, held, command, spec, count):  # noqa: F811
    stack = site.stack
    stack.write("stack.yaml", spec_text(spec))
    document = stack.run("drift", "--output", "json", status=3).json
    assert [call["outlook"] for call in document["open"]] == ["waiting"]
    threading.Timer(LATE_S, held.goes.set).start()
    stack.run(*command)
    assert held.came.wait(120)
    if command == ("recover",):
        stack.run("apply", "--yes")
    assert len(running(site)) == count and outcomes(site, "RunInstances") == ["done"]
    assert running(site) == [id for address, id in ids_of(stack).items() if address == "aws.instance.m"]
    assert stack.run("drift").status == 0
    if command[0] != "destroy":
        plan_is_empty(stack)


def test_listings_lag_behind_it(site):  # noqa: F811
    """It was carried out, and the spec has it no more."""
    again_after_the_grace(site)
    stack = site.stack
    site.cut_off(signal.SIGKILL, lambda _, action, executed: action == "RunInstances" and executed)
    stack.write("stack.yaml", spec_text(NET))
    until = time.monotonic() + LATE_S
    site.proxy.answer = lambda fields: (
        LISTS_NONE if fields["Action"] == "DescribeInstances" and time.monotonic() < until else None
    )
    stack.run("apply", "--yes")
    assert running(site) == [] and outcomes(site, "TerminateInstances") == ["done"]
    assert stack.run("drift").status == 0


class Copying:
    """Keeps the first request of an action, which may come to the service later, and nobody hears the answer."""

    def __init__(self, site, action):  # noqa: F811
        self.action, self.first, self.server = action, None, urllib.parse.urlsplit(site.server.url)
        self.pass_on, site.proxy.pass_on = site.proxy.pass_on, self._keep

    def _keep(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        if self.first is None and f"Action={self.action}&".encode() in body + b"&":
            self.first = handler.path, body, dict(handler.headers)
        handler.rfile = io.BytesIO(body)
        self.pass_on(handler)

    def arrive(self):
        connection = http.client.HTTPConnection(self.server.hostname, self.server.port, timeout=30)
        connection.request("POST", *self.first)
        connection.getresponse().read()
        connection.close()


def test_the_first_attempt_comes_after_the_second_was_refused(site):  # noqa: F811
    """The run of both has ended, and the next one plans the same: it makes no second one beside what comes."""
    again_after_the_grace(site)
    stack, first, answers = site.stack, Copying(site, "RunInstances"), [DENIED, NO_ANSWER]
    site.proxy.answer = lambda fields: answers.pop() if fields["Action"] == "RunInstances" else None
    stack.run("apply", "--yes", status=7)
    site.proxy.answer = lambda fields: None
    assert answers == []
    threading.Timer(LATE_S, first.arrive).start()
    stack.run("apply", "--yes")
    assert len(running(site)) == 1 and outcomes(site, "RunInstances") == ["done"]
    plan_is_empty(stack)


THINKS_S = 15  # for so long after the plan's reading its token lives
TOKEN_S = 3600


def test_it_comes_while_somebody_thinks_for_longer_than_its_token_lives(site):  # noqa: F811
    """What was approved is to send it once more, and not to make another: the command begins anew, and finds it."""
    stack = site.stack
    stack.write("stack.yaml", spec_text(NET))
    stack.run("apply", "--yes")
    held = kill(site, "RunInstances", spec_text({**NET, **machines("m")}))
    [(sent_ms,)] = rows(stack, "SELECT wall_ms FROM intents")
    ends_s = time.time() + THINKS_S
    slow = Terminal(stack, "apply", TRUEUP_GRACE=str(TOKEN_S - int(ends_s - sent_ms / 1000)))
    slow.read_until("Only 'yes' will do: ")
    assert "it is sent once more with its token" in slow.text
    held.goes.set()
    assert held.came.wait(60)
    time.sleep(max(0, ends_s + 1 - time.time()))
    slow.type("yes\n")
    slow.read_until(r"1 unfinished call of an earlier run settled[\s\S]*Only 'yes' will do: ")
    slow.type("yes\n")
    slow.end(0)
    assert len(running(site)) == 1 and outcomes(site, "RunInstances") == ["done"]
    plan_is_empty(stack)
