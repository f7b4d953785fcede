"""A run whose former records are gone is not undone, also where recovery has filed one with it since."""

import sqlite3

import pytest

from test_undo import NET, SUBNETS, is_as_in, runs, sim  # noqa: F401

CHANGED = NET.replace("team: red", "team: blue").replace("10.0.2.0/24", "10.0.3.0/24")
YEARS = "UPDATE runs SET started_ms = started_ms - 91 * 86400000"
LATER_RUNS = (
    "INSERT INTO runs (id, command, plan_digest, host, process, started_ms, ended_ms, outcome)"
    " WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)"
    " SELECT randomblob(16), 'state mv', '', '', 1, 1, 2, 'done' FROM n"
)
LONG_AGO = "not recorded any more: it is older than 90 days"
OLDER_VERSION = "was made by an older version, which did not keep what it found"


def cut_off(stack, operation, how):
    """A run that has changed some things, and lost sight of its last call."""
    fault = stack.run("sim", "fault", operation, how).out.split()[-1]
    stack.write("net.yaml", CHANGED)
    stack.run("apply", "--yes", status=(1, 7))
    stack.run("sim", "remove", "fault", fault)
    return runs(stack)[0]["id"]


def forget(stack, *statements):
    with sqlite3.connect(stack.folder / ".trueup/state.db") as database:
        for statement in statements:
            database.execute(statement)
    database.close()


@pytest.mark.parametrize("how", ["lost_request", "lost_answer"])
@pytest.mark.parametrize(
    "statements, said",
    [((YEARS, LATER_RUNS), LONG_AGO), (("DELETE FROM formers",), OLDER_VERSION)],
    ids=["pruned", "never kept"],
)
@pytest.mark.parametrize("arguments", [["--yes"], ["--detailed-exitcode"]], ids=["done", "planned"])
def test_one_call_was_settled_since(sim, statements, said, how, arguments):  # noqa: F811
    """The former record of that call alone would be taken for all that the run found."""
    run = cut_off(sim, "CreateSubnet", how)
    forget(sim, *statements)
    sim.run("recover")
    before = sim.run("sim", "show").out
    assert said in sim.run("undo", run, *arguments, status=1).err
    assert sim.run("sim", "show").out == before


def test_one_call_was_settled_by_the_undoing(sim):  # noqa: F811
    """Recovery comes first, and its run drops what is too old: what is left is read again."""
    run = cut_off(sim, "CreateSubnet", "lost_request")
    forget(sim, YEARS, LATER_RUNS)
    assert LONG_AGO in sim.run("undo", run, "--yes", status=1).err


def test_all_calls_were_settled_since(sim):  # noqa: F811
    """What recovery has filed with each of them is all that the run found."""
    more = SUBNETS + "  c: {vpc: main, cidr: 10.0.3.0/24}\n"
    sim.run("sim", "fault", "CreateSubnet", "lost_answer", "1", "9")
    sim.write("net.yaml", NET.replace(SUBNETS, more))
    sim.run("apply", "--yes", status=(1, 7))
    run = runs(sim)[0]["id"]
    forget(sim, "DELETE FROM formers")
    sim.run("recover")
    sim.run("undo", run, "--yes")
    assert is_as_in(sim, NET)
