"""A run is killed that began when another one had read the record and did not have the stack yet."""

import pytest

from simulator import simulator  # noqa: F401
from test_cli_runs import finish
from test_comes_late import Held, outcomes
from test_take_back import site  # noqa: F401
from trueup_runner import apply, plan_is_empty, spec_text


def networks(*names):
    numbers = {"zero": 0, "late": 1, "other": 2, "more": 3}
    return spec_text({"aws.vpc": {name: {"cidr": f"10.{numbers[name]}.0.0/16"} for name in names}})


def kill(site, *words):  # noqa: F811
    """The run is killed when it has sent a create, which is still on its way."""
    held = Held(site, "CreateVpc")
    process = site.stack.start(*words)
    assert held.left.wait(30)
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
    assert held.came.wait(30)


def begin(site, *words, **settings):  # noqa: F811
    """The command has read what is recorded, and asks who answers."""
    held = Held(site, "GetCallerIdentity")
    process = site.stack.start(*words, **settings)
    assert held.left.wait(30)
    return process, held


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
    assert held.came.wait(30)
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
