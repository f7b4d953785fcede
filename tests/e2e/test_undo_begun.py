"""What one run began to make and the next finished: both undone, the last one first, at each of the calls that failed."""

import json

import pytest

from cli import applied, recorded, simulate
from test_undo import is_as_in, operations, runs, undo
from test_undo_elsewhere import refusing

ONE, TWO, TABLE, SUBNET = "aws.security_group.one", "aws.security_group.two", "aws.route_table.main", "aws.subnet.a"
OPEN = {"protocol": "tcp", "from_port": 443, "to_port": 443, "cidr": "10.0.0.0/16"}


def spec(net=4, **things):
    stack = {"stack": "net", "providers": {"aws": {"region": "eu-central-1"}}}
    stack["aws.vpc"] = {"main": {"cidr": "10.0.0.0/16"}}
    stack["aws.subnet"] = {"a": {"vpc": "main", "cidr": f"10.0.{net}.0/24"}}
    return json.dumps({**stack, **things}, indent=1)


def groups(ending=""):
    """Two that name one another, and one of them somebody else."""

    def group(name, port, other, *rules):
        admits = {"protocol": "tcp", "from_port": port, "to_port": port, "group": other}
        return {"vpc": "main", "name": name + ending, "description": "d", "ingress": [admits, *rules]}

    return {"aws.security_group": {"one": group("one", 22, "two", OPEN), "two": group("two", 80, "one")}}


def table(*subnets):
    return {"aws.route_table": {"main": {"vpc": "main", **({"subnets": subnets} if subnets else {})}}}


def fault(stack, operation, kind):
    """The run in which the first such call fails in that way."""
    shown = stack.run("sim", "fault", operation, kind, "1", "1").out
    stack.run("apply", "--yes", status=7)
    stack.run("sim", "remove", "fault", shown.split()[-1])
    return next(run["id"] for run in runs(stack) if run["command"] == "apply")


def begin(stack, before, after, operation, kind):
    simulate(stack, "../world")
    stack.environment["TRUEUP_GRACE"] = "0"
    applied(stack, "net.yaml", before)
    stack.write("net.yaml", after)
    return fault(stack, operation, kind)


def finish(stack, text):
    stack.write("net.yaml", text)
    stack.run("apply", "--yes")
    return next(run["id"] for run in runs(stack) if run["command"] == "apply")


def both_undone(stack, begun, ended, before):
    """Neither waits for the other, and nothing is left of either."""
    undo(stack, ended, "--yes")
    assert undo(stack, ended, "--yes")["actions"] == []
    undo(stack, begun, "--yes")
    assert undo(stack, begun, "--yes")["actions"] == []
    assert is_as_in(stack, before)


@pytest.mark.parametrize("before", [spec(), spec(**groups())], ids=["made", "replaced"])
@pytest.mark.parametrize("operation", ["CreateSecurityGroup", "AuthorizeSecurityGroupIngress"])
@pytest.mark.parametrize("kind", ["deny", "html", "lost_answer"])
def test_groups_that_name_one_another(stack, before, operation, kind):
    begun = begin(stack, before, spec(**groups("2")), operation, kind)
    both_undone(stack, begun, finish(stack, spec(**groups("2"))), before)


def test_the_rule_goes_that_the_last_run_added(stack):
    """The other one stays, which the first run may have added; and the undoing can be undone."""
    begin(stack, spec(), spec(**groups()), "CreateSecurityGroup", "deny")
    ended = finish(stack, spec(**groups()))
    document = undo(stack, ended, "--yes")
    (kept,) = {ONE, TWO} & set(recorded(stack))
    assert operations(document) == {kept: "update", ({ONE, TWO} - {kept}).pop(): "delete"}
    (change,) = next(action["changes"] for action in document["actions"] if action["address"] == kept)
    assert change["path"].startswith("ingress[tcp ")
    undo(stack, runs(stack)[0]["id"], "--yes")
    assert is_as_in(stack, spec(**groups()))


def test_a_run_in_between_that_made_nothing(stack):
    """It found the same, and left the same."""
    begun = begin(stack, spec(), spec(**groups()), "CreateSecurityGroup", "deny")
    between = refusing(stack, "CreateSecurityGroup", "apply", times=9)
    ended = finish(stack, spec(**groups()))
    assert undo(stack, between, "--yes")["actions"] == []
    both_undone(stack, begun, ended, spec())


@pytest.mark.parametrize("operation", ["RevokeSecurityGroupIngress", "DeleteSecurityGroup"])
def test_the_undoing_failed_half_way(stack, operation):
    begun = begin(stack, spec(), spec(**groups()), "CreateSecurityGroup", "deny")
    ended = finish(stack, spec(**groups()))
    refusing(stack, operation, "undo", ended, times=9, status=(1, 7))
    both_undone(stack, begun, ended, spec())


@pytest.mark.parametrize("after", [spec(1, **table()), spec(1, **table("a"))], ids=["without", "with"])
def test_a_table_whose_subnet_was_not_there(stack, after):
    """Nothing was associated yet, so nothing of that has to come back."""
    begun = begin(stack, spec(), spec(1, **table("a")), "CreateSubnet", "deny")
    ended = finish(stack, after)
    document = undo(stack, ended, "--detailed-exitcode", status=2)
    assert document["irreversible"] == [] and operations(document)[SUBNET] == "delete"
    assert (TABLE in operations(document)) == ("subnets" in after)
    both_undone(stack, begun, ended, spec())


def test_the_first_run_alone(stack):
    """It is refused where the later one made what needs it, and told which that is."""
    begun = begin(stack, spec(), spec(**groups()), "CreateSecurityGroup", "deny")
    ended = finish(stack, spec(**groups()))
    (told,) = undo(stack, begun, "--yes", status=1)["diagnostics"]
    assert "which the run made and which would go" in told["message"]
    assert told["message"].endswith(f"(apply, run {ended[:8]})")


def admitting(last):
    """A range, and the members of the group itself up to that port."""
    rules = [{"protocol": "tcp", "from_port": 6000, "to_port": last, "group": "nodes"}, OPEN]
    group = {"vpc": "main", "name": "nodes", "description": "d", "ingress": rules}
    return spec(**{"aws.security_group": {"nodes": group}})


def ports(stack):
    rules = stack.run("sim", "show", "security-group-rule").json["eu-central-1"]["security-group-rule"]
    return sorted(int(rule["toPort"]) for rule in rules.values() if rule["toPort"] != "-1")


@pytest.mark.parametrize("recoveries", [0, 1, 2])
def test_a_rule_that_was_never_made_is_none_that_was_applied(stack, recoveries):
    """It follows a reference, and what it was to replace is gone: whoever reads that settles it once more."""
    run = begin(stack, admitting(6999), admitting(6998), "AuthorizeSecurityGroupIngress", "deny")
    assert ports(stack) == [443]
    for _ in range(recoveries):
        stack.run("recover")
    document = stack.run("drift", "--output", "json", status=2).json
    assert [each["address"] for each in document["unfinished"]] == ["aws.security_group.nodes"]
    stack.run("undo", run, "--yes")
    assert ports(stack) == [443, 6999]
    stack.write("net.yaml", admitting(6999))
    stack.run("plan", "--detailed-exitcode")


def test_a_rule_that_was_made_late_is_undone(stack):
    begin(stack, admitting(6999), admitting(6998), "AuthorizeSecurityGroupIngress", "deny")
    stack.run("recover")
    ended = finish(stack, admitting(6998))
    assert ports(stack) == [443, 6998]
    stack.run("undo", ended, "--yes")
    assert ports(stack) == [443]


def leading(*nets):
    routes = [{"destination": f"10.{net}.0.0/16", "internet_gateway": "main"} for net in nets]
    table = {"vpc": "main", "routes": routes}
    return spec(**{"aws.internet_gateway": {"main": {"vpc": "main"}}, "aws.route_table": {"main": table}})


def test_the_items_of_a_set_are_recorded_in_order(stack):
    """What an undoing makes of two runs' items is as a spec has it, so that the next plan finds nothing to say."""
    simulate(stack, "../world")
    applied(stack, "net.yaml", leading(99, 98))
    run = finish(stack, leading(99, 97))
    finish(stack, leading(99, 97, 95))
    stack.run("undo", run, "--yes")
    stack.write("net.yaml", leading(99, 98, 95))
    stack.run("plan", "--detailed-exitcode")
