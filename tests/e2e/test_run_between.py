"""A run is killed that began when another one had read the record and did not have the stack yet."""

import threading

import pytest

from simulator import simulator  # noqa: F401
from test_cli_runs import finish
from test_comes_late import NOTHING, Held, outcomes
from test_take_back import site  # noqa: F401
from trueup_runner import Ref, apply, plan_is_empty, spec_text


def networks(*names, **others):
    numbers = {"zero": 0, "late": 1, "other": 2}
    return spec_text({"aws.vpc": {name: {"cidr": f"10.{numbers[name]}.0.0/16"} for name in names}, **others})


def kill(site, *words):  # noqa: F811
    """The run is killed when it has sent a create, which is still on its way."""
    held = Held(site, "CreateVpc")
    process = site.stack.start(*words)
    assert held.left.wait(120)
    process.kill()
    process.communicate()
    return held


def come_late(site, *after):  # noqa: F811
    """A network of which nobody knows yet: its call was given up, by these words, and came after that."""
    site.stack.write("stack.yaml", networks("zero"))
    apply(site.stack)
    site.stack.write("stack.yaml", networks("zero", "late"))
    held = kill(site, "apply", "--yes")
    site.stack.run(*after)
    held.goes.set()
    assert held.came.wait(120)


def begin(site, *words, **settings):  # noqa: F811
    """The command has read what is recorded, and asks who answers."""
    held = Held(site, "GetCallerIdentity")
    process = site.stack.start(*words, **settings)
    assert held.left.wait(120)
    return process, held


def kill_unanswered(site, action, number, carried_out):  # noqa: F811
    """A run is killed that has sent so many such calls, and has an answer of none; all were carried out, or none."""
    sent, dead = threading.Semaphore(0), threading.Event()

    def is_one(fields):
        if fields["Action"] != action or dead.is_set():
            return False
        sent.release()
        assert dead.wait(120)
        return True

    def amend(fields, text):
        return NOTHING[1] if is_one(fields) else text

    site.proxy.answer = lambda fields: NOTHING if not carried_out and is_one(fields) else None
    site.proxy.amend = amend
    process = site.stack.start("apply", "--yes")
    for _ in range(number):
        assert sent.acquire(timeout=30)
    process.kill()
    process.communicate()
    dead.set()


def says(process, words):
    return any(words in line.decode() for line in process.stderr)


def first_run(site):  # noqa: F811
    return site.stack.run("state", "history", "--output", "json").json["runs"][-1]["id"]


# What finds that network, and takes the stack to record it, with how many there are in the end.
SWEEPING = {
    "apply": (lambda site: ["apply", "--yes"], 3),
    "destroy": (lambda site: ["destroy", "--yes"], 0),
    "undo": (lambda site: ["undo", first_run(site), "--yes"], 2),
    "recover": (lambda site: ["recover"], 3),
}


def is_settled_first(site, words, between=("apply", "--yes")):  # noqa: F811
    """What the run that is killed left open is looked for, and nothing is done on what was read before."""
    process, asked = begin(site, *words, TRUEUP_GRACE="60")
    held = kill(site, *between)
    asked.goes.set()
    is_looking = says(process, "looking for what CreateVpc for 'aws.vpc.other' may have made")
    held.goes.set()
    assert held.came.wait(120)
    finish(process, 0)
    assert is_looking and outcomes(site, "CreateVpc")[-1] == "done"


@pytest.mark.parametrize("words, left", SWEEPING.values(), ids=SWEEPING)
def test_what_it_left_open_is_settled_before_anything_is_planned(site, words, left):  # noqa: F811
    come_late(site, "recover")
    site.stack.write("stack.yaml", networks("zero", "late", "other"))
    is_settled_first(site, words(site))
    assert outcomes(site, "CreateVpc") == ["done", "absent", "done"]
    assert len(site.things("vpc")) == left


def test_what_it_left_open_is_settled_before_a_saved_plan(site):  # noqa: F811
    """Which deletes what a call made that came late, once it has been compared again."""
    come_late(site, "apply", "--yes")
    site.stack.run("plan", "--out", "late.plan")
    site.stack.write("stack.yaml", networks("zero", "late", "other"))
    site.stack.run("plan", "--target", "aws.vpc.other", "--out", "other.plan")
    assert len(site.things("vpc")) == 3
    is_settled_first(site, ("apply", "late.plan"), ("apply", "other.plan"))
    assert len(site.things("vpc")) == 3
    apply(site.stack)
    plan_is_empty(site.stack)


# Two calls, the spec that has them sent, and whether they were carried out; what then is told of them.
TABLES = {"aws.route_table": {name: {"vpc": Ref("aws.vpc.zero")} for name in "ab"}}
LEFT = {
    "settled": ("CreateVpc", networks("zero", "late", "other"), True, ["2 unfinished calls of an earlier run settled"]),
    "sent once more": ("CreateRouteTable", networks("zero", **TABLES), False, []),
}


@pytest.mark.parametrize("action, spec, carried_out, told", LEFT.values(), ids=LEFT)
def test_what_is_settled_is_counted_when_it_is(site, action, spec, carried_out, told):  # noqa: F811
    """The run between has settled the one call that was open, and left two."""
    site.stack.write("stack.yaml", networks("zero"))
    held = kill(site, "apply", "--yes")
    held.goes.set()
    assert held.came.wait(120)
    site.stack.write("stack.yaml", spec)
    process, asked = begin(site, "apply", "--yes", TRUEUP_GRACE="60")
    kill_unanswered(site, action, 2, carried_out)
    asked.goes.set()
    _, err = finish(process, 0)
    assert [line for line in err.splitlines() if "unfinished" in line] == told
    assert set(outcomes(site, action)) == {"done"}
    plan_is_empty(site.stack)
