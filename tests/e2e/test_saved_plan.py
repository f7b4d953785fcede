"""Saved plans in places that have moved on, or that could not be read: what they still say, and when they still hold."""

from cli import edit, tiny, world  # noqa: F401


def test_unread_stays_unread(tiny):
    """What the plan could not read and does not touch is not read again; nothing is claimed about it all the same."""
    edit(tiny, "main: {", "other: {cidr: 10.8.0.0/16, dns_support: true}\n  main: {")
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    tiny.run("sim", "fault", "DescribeVpcAttribute", "deny")
    planned = tiny.run("plan", "--out", "p.plan", "--output", "json", status=3).json
    assert [(one["address"], one["field"]) for one in planned["unread"]] == [("aws.vpc.other", "dns_support")]
    shown = tiny.run("show", "p.plan", "--output", "json", status=3).json
    applied = tiny.run("apply", "p.plan", "--output", "json", status=3).json
    assert applied["applied"]["done"] == 1
    assert applied["unread"] == shown["unread"] == planned["unread"]


def test_unread_is_read_again_where_it_is_changed(tiny):
    edit(tiny, "tags: {team: red}", "dns_support: true, tags: {team: red}")
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    fault = tiny.run("sim", "fault", "DescribeVpcAttribute", "deny").out.split()[-1]
    assert tiny.run("plan", "--out", "p.plan", "--output", "json", status=3).json["unread"]
    tiny.run("sim", "remove", "fault", fault)
    assert tiny.run("apply", "p.plan", "--output", "json").json["unread"] == []
