"""Runs that did not come to their end: what is told, and what the next one makes of it."""

import json

import pytest

from cli import edit, recorded, tiny, world  # noqa: F401
from test_cli_drift import DRAIN, HOOKS, deny


def test_what_was_begun_and_cannot_be_read_is_no_success(tiny):
    tiny.write("hooks.yaml", HOOKS.replace("HOOK", DRAIN))
    allowed = [deny(tiny, action) for action in ("PutLifecycleHook", "DescribeLifecycleHooks")]
    tiny.run("apply", "--yes", status=7)
    allowed[0]()
    assert "its 'hooks' could not be read\n" in tiny.run("apply", "--yes", status=1).err
    allowed[1]()
    tiny.run("apply", "--yes")
    assert len(world(tiny, "lifecycle-hook")) == 1
    tiny.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("action, kind", [("CreateSubnet", "lost_answer"), ("CreateVpc", "lost_answer"), ("CreateVpc", "lost_request")])
def test_lost_call_is_settled_and_nothing_is_made_twice(tiny, action, kind):
    tiny.run("sim", "fault", action, kind, "1", "1")
    result = tiny.run("apply", "--yes", status=7)
    assert "the outcome is unknown" in result.err
    assert " (1 halfway), " in result.out
    assert "open: " in tiny.run("state", "list").out
    assert f"{action}: " in tiny.run("plan", "--detailed-exitcode", status=2).out.partition("OPEN ")[2]
    result = tiny.run("apply", "--yes")
    assert "1 unfinished call of an earlier run settled" in result.err
    assert len(world(tiny, "vpc")) == 1 and len(world(tiny, "subnet")) == 2
    assert "open: " not in tiny.run("state", "list").out
    tiny.run("plan", "--detailed-exitcode")


def test_one_unhappy_branch_stops_only_itself(tiny):
    allow = deny(tiny, "CreateSubnet")
    tiny.write("more.yaml", "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    result = tiny.run("apply", "--yes", status=7)
    assert "partly applied: 2 done, 2 failed" in result.out
    assert sorted(recorded(tiny)) == ["aws.customer_gateway.c", "aws.vpc.main"]
    allow()
    assert "2 create" in tiny.run("plan").out
    tiny.run("apply", "--yes")
    tiny.run("plan", "--detailed-exitcode")


def test_nothing_done_is_an_error(tiny):
    deny(tiny, "CreateVpc")
    result = tiny.run("apply", "--yes", status=1)
    assert "not applied: 0 done, 1 failed, 2 skipped" in result.out
    assert "skipped: what it needs is not done" in result.err


@pytest.mark.parametrize(
    "action, old, new, counts",
    [
        pytest.param(
            "CreateSubnet", "10.0.2.0", "10.0.3.0", "0 done, 1 failed, 0 skipped (1 halfway)", id="deleted, not made anew"
        ),
        pytest.param(
            "CreateVpc", "10.0.0.0/16", "10.0.0.0/18", "0 done, 1 failed, 2 skipped (3 halfway)", id="and what stood on it"
        ),
        pytest.param(
            "DeleteSubnet", "10.0.2.0", "10.0.3.0", "not applied: 0 done, 1 failed, 0 skipped, ", id="not even deleted"
        ),
    ],
)
def test_what_stopped_halfway_is_partly_applied(tiny, action, old, new, counts):
    tiny.run("apply", "--yes")
    edit(tiny, old, new)
    allow = deny(tiny, action)
    partly = "halfway" in counts
    result = tiny.run("apply", "--yes", "--output", "text", "--output", "json=a.json", status=7 if partly else 1)
    assert (f"partly applied: {counts}, " if partly else counts) in result.out
    applied = json.loads((tiny.folder / "a.json").read_text())["applied"]
    assert counts.count(f"({applied['halfway']} halfway)") == partly
    assert tiny.run("state", "history", "--output", "json").json["runs"][0]["outcome"] == ("partly" if partly else "failed")
    allow()
    tiny.run("apply", "--yes")
    tiny.run("plan", "--detailed-exitcode")


def test_what_is_skipped_is_counted_so(tiny):
    """Letting go of parts takes no call where there are none: what was to be deleted after that was left alone."""
    tiny.run("apply", "--yes")
    deny(tiny, "DeleteSubnet")
    result = tiny.run("destroy", "--yes", status=1)
    assert "not applied: 0 done, 2 failed, 1 skipped, " in result.out
    assert result.err.count("skipped: what it needs is not done") == 1
