"""What drift tells of runs that did not come to their end, and of what they have left."""

import contextlib
import re
import resource
import secrets
import sqlite3

import pytest

from cli import edit, recorded, tiny  # noqa: F401
from test_cli_drift import deny


def begun(stack, status=2):
    """What drift tells of runs that did not end, and that it tells of nothing else."""
    document = stack.run("drift", "--output", "json", status=status).json
    assert document["actions"] == []
    return document["unfinished"]


def test_what_a_replace_deleted_and_did_not_make_anew_is_no_good_news(tiny):
    tiny.run("apply", "--yes")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    allow = deny(tiny, "CreateSubnet")
    tiny.run("apply", "--yes", status=7)
    [told] = begun(tiny)
    why = "was deleted by a run that did not make it anew"
    assert (told["address"], told["makes"], told["deletes"], told["reason"]) == ("aws.subnet.b", True, False, why)
    assert told["run"] == tiny.run("state", "history", "--output", "json").json["runs"][0]["id"]
    text = tiny.run("drift", status=2).out
    assert re.search(rf"\nBEGUN .*\n  \? aws\.subnet\.b   {why} \(run [0-9a-f]{{8}}\)\n", text), text
    assert text.endswith("\nwhat is there is as recorded, but for what was begun and not finished: see BEGUN above\n")
    # What nobody wants any more is not missed, until somebody does.
    edit(tiny, "  b: {", "  # b: {")
    assert begun(tiny, 0) == []
    edit(tiny, "  # b: {", "  b: {")
    # Another run that is refused leaves it as it is; one that makes it ends it.
    tiny.run("apply", "--yes", status=1)
    assert [each["address"] for each in begun(tiny)] == ["aws.subnet.b"]
    delete = deny(tiny, "DeleteSubnet")
    tiny.run("destroy", "--yes", status=1)
    delete()
    assert [each["address"] for each in begun(tiny)] == ["aws.subnet.b"]
    lost = deny(tiny, "DeleteSubnet", "lost_request")
    tiny.run("destroy", "--yes", status=7)
    lost()
    tiny.run("recover")
    assert [(each["address"], each["reason"]) for each in begun(tiny)] == [("aws.subnet.b", why)]
    allow()
    tiny.run("apply", "--yes")
    assert begun(tiny, 0) == []


def last_command(stack):
    return stack.run("state", "history", "--output", "json").json["runs"][0]["command"]


GATEWAY = "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n"


def test_a_destroy_that_found_something_gone_alone_tells_nothing_of_the_rest(tiny):
    tiny.write("more.yaml", GATEWAY)
    tiny.run("apply", "--yes")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    deny(tiny, "CreateSubnet")
    tiny.run("apply", "--yes", status=7)
    tiny.run("sim", "remove", "customer-gateway", recorded(tiny)["aws.customer_gateway.c"])
    deny(tiny, "DeleteSubnet")
    tiny.run("destroy", "--yes", status=7)
    assert [each["address"] for each in begun(tiny)] == ["aws.customer_gateway.c", "aws.subnet.b"]


@pytest.mark.parametrize("target", [(), ("--target", "aws.vpc.main")], ids=["all", "a target"])
@pytest.mark.parametrize("saved", [False, True], ids=["at once", "by a saved plan"])
def test_what_a_destroy_deleted_is_not_missed(tiny, saved, target):
    tiny.run("apply", "--yes")
    deny(tiny, "DeleteVpc")
    if saved:
        tiny.run("plan", "--destroy", *target, "--out", "p.plan")
    tiny.run(*(["apply", "p.plan"] if saved else ["destroy", "--yes", *target]), status=7)
    assert recorded(tiny).keys() == {"aws.vpc.main"}
    assert last_command(tiny) == " ".join(["destroy", *target[:1]])
    assert begun(tiny, 0) == []


def test_what_a_destroy_let_go_of_is_not_missed(tiny):
    """A machine is only found: nothing is asked for where it goes."""
    tiny.write("more.yaml", "metal.machine:\n  m: {controller: https://10.9.0.1}\n")
    edit(tiny, "providers: {", "providers: {metal: {user: root, password: calvin}, ")
    tiny.run("sim", "add", "machine", "10.9.0.1", "serial=S1", "user=root", "password=calvin")
    tiny.run("apply", "--yes")
    deny(tiny, "DeleteSubnet")
    tiny.run("destroy", "--yes", status=7)
    assert "metal.machine.m" not in recorded(tiny)
    # What takes no tags and is not recorded is unread; of the run nothing is told.
    assert begun(tiny, 3) == []


PARTS = {
    "an apply": [("apply", "--yes", "--target", "aws.vpc.main")],
    "a destroy": [("destroy", "--yes", "--target", "aws.customer_gateway.c")],
    "a saved plan": [("plan", "--target", "aws.vpc.main", "--out", "p.plan"), ("apply", "p.plan")],
    "an undo": [("apply", "--yes", "--target", "aws.vpc.main"), ("undo", None, "--yes")],
}


@pytest.mark.parametrize("commands", PARTS.values(), ids=PARTS)
def test_what_was_not_made_anew_is_missed_though_a_part_was_done(tiny, commands):
    tiny.write("more.yaml", GATEWAY)
    tiny.run("apply", "--yes")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    edit(tiny, "team: red", "team: blue")
    allow, tagged = deny(tiny, "CreateSubnet"), deny(tiny, "CreateTags")
    tiny.run("apply", "--yes", status=7)
    tagged()
    for command in commands:
        last = tiny.run("state", "history", "--output", "json").json["runs"][0]
        tiny.run(*[each or last["id"] for each in command])
    # The other thing that was refused is not asked for any more.
    edit(tiny, "team: blue", "team: red")
    [told] = begun(tiny)
    assert (told["address"], told["reason"]) == ("aws.subnet.b", "was deleted by a run that did not make it anew")
    # What is made anew by a run about a part is settled, and so is what goes again by one.
    allow()
    tiny.run("apply", "--yes", "--target", "aws.subnet.b")
    assert begun(tiny, 0) == []
    tiny.run("destroy", "--yes", "--target", "aws.subnet.b")
    assert begun(tiny, 0) == []


def test_what_was_made_anew_is_not_told_though_its_run_failed_elsewhere(tiny):
    tiny.write("more.yaml", "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    tiny.run("apply", "--yes")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    edit(tiny, "198.51.100.7", "198.51.100.8", "more.yaml")
    deny(tiny, "CreateCustomerGateway")
    tiny.run("apply", "--yes", status=7)
    assert [each["address"] for each in begun(tiny)] == ["aws.customer_gateway.c"]


def test_what_somebody_deleted_is_missed_until_it_is_made_anew(tiny):
    tiny.run("apply", "--yes")
    tiny.run("sim", "remove", "subnet", recorded(tiny)["aws.subnet.b"])
    tiny.run("drift", status=2)
    allow = deny(tiny, "CreateSubnet")
    tiny.run("apply", "--yes", status=1)
    tiny.run("drift", status=2)
    allow()
    tiny.run("apply", "--yes")
    tiny.run("drift")


def test_what_a_replace_has_left_behind_is_no_good_news(tiny):
    edit(tiny, "cidr: 10.0.2.0/24", "cidr: 10.0.2.0/24, lifecycle: {create_before_destroy: true}")
    tiny.run("apply", "--yes")
    old = recorded(tiny)["aws.subnet.b"]
    edit(tiny, "10.0.2.0", "10.0.3.0")
    allow = deny(tiny, "DeleteSubnet")
    tiny.run("apply", "--yes", status=7)
    [told] = begun(tiny)
    why = "was left behind by a replace"
    assert (told["address"], told["deletes"], told["reason"], told["provider_id"]) == ("aws.subnet.b", True, why, old)
    assert f"  ? aws.subnet.b   {why}: {old}\n" in tiny.run("drift", status=2).out
    tiny.run("sim", "remove", "subnet", old)
    assert begun(tiny, 0) == []
    allow()
    tiny.run("apply", "--yes")
    tiny.run("drift")


ROUTES = """aws.route_table:
  one: {vpc: main, subnets: [a, b]}
  two: {vpc: main, subnets: []}
"""
GATEWAYS = """aws.vpc:
  other: {cidr: 10.1.0.0/16}
aws.vpn_gateway:
  g: {vpc: main}
"""
# What is applied, what of it is changed and to what, the call that is refused then, and the address.
HALVES = {
    "a gateway that is attached nowhere": (
        GATEWAYS,
        "g: {vpc: main}",
        "g: {vpc: other}",
        "AttachVpnGateway",
        "aws.vpn_gateway.g",
    ),
    "a subnet between two route tables": (
        ROUTES,
        "[a, b]}\n  two: {vpc: main, subnets: []",
        "[a]}\n  two: {vpc: main, subnets: [b]",
        "AssociateRouteTable",
        "aws.route_table.two",
    ),
}
MISSED = "was to be changed by a run that did not come to its end"


@pytest.mark.parametrize("spec, old, new, refused, address", HALVES.values(), ids=HALVES)
@pytest.mark.parametrize("after", [None, ("recover",), ("apply", "--yes", "--target", "aws.subnet.a")])
def test_what_was_changed_in_part_is_no_good_news(tiny, spec, old, new, refused, address, after):
    """Recovery has recorded what there is: nothing but the history tells that it was to be something else."""
    tiny.write("more.yaml", spec)
    tiny.run("apply", "--yes")
    edit(tiny, old, new, "more.yaml")
    allow = deny(tiny, refused)
    tiny.run("apply", "--yes", status=7)
    if after:
        tiny.run(*after)
    assert [each["address"] for each in begun(tiny)] == [address]
    if not after:
        # No call of it is unfinished: each was answered.
        why = "vpc: begun to be set by a run\n" if refused == "AttachVpnGateway" else MISSED
        assert f"  ? {address}   {why}" in tiny.run("drift", status=2).out
    else:
        [told] = begun(tiny)
        runs = tiny.run("state", "history", "--output", "json").json["runs"]
        run = next(each for each in runs if each["outcome"] == "partly")
        assert (told["reason"], told["run"]) == (MISSED, run["id"])
    # It is not missed where the spec is content with what there is, nor where it is finished.
    allow()
    tiny.run("apply", "--yes", "--target", address)
    assert begun(tiny, 0) == []


def test_what_a_run_did_not_change_is_missed_while_the_spec_asks_for_it(tiny):
    tiny.write("more.yaml", "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    edit(tiny, "team: red", "team: red, floor: low")
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    allow = deny(tiny, "CreateTags")
    # Of a run that changed nothing the record is as it was.
    tiny.run("apply", "--yes", status=1)
    assert begun(tiny, 0) == []
    edit(tiny, "10.0.2.0", "10.0.3.0")
    tiny.run("apply", "--yes", status=7)
    assert MISSED in [each.get("reason") for each in begun(tiny)]
    edit(tiny, "team: blue", "team: red")
    assert MISSED not in [each.get("reason") for each in begun(tiny, None)]
    edit(tiny, "team: red", "team: blue")
    allow()
    tiny.run("apply", "--yes")
    # A later edit is nobody's unfinished work.
    edit(tiny, "team: blue", "team: green")
    assert begun(tiny, 0) == []


def last_run(stack):
    return stack.run("state", "history", "--output", "json").json["runs"][0]["id"]


def test_what_a_failed_run_did_wholly_is_not_unfinished_once_the_spec_is_edited(tiny):
    tiny.write("more.yaml", GATEWAY)
    deny(tiny, "CreateCustomerGateway")
    tiny.run("apply", "--yes", status=7)
    assert begun(tiny, 0) == []
    edit(tiny, "team: red", "team: blue")
    assert begun(tiny, 0) == []
    # Nor is what it put back as it was.
    edit(tiny, "team: blue", "team: red")
    tiny.run("sim", "change", "vpc", recorded(tiny)["aws.vpc.main"], "tags.team=green")
    tiny.run("apply", "--yes", status=7)
    edit(tiny, "team: red", "team: blue")
    assert begun(tiny, 0) == []
    # Nor is it what an earlier run had left of it.
    edit(tiny, "cidr: 10.0.1.0/24", "cidr: 10.0.1.0/24, public: true")
    allow = deny(tiny, "ModifySubnetAttribute")
    tiny.run("apply", "--yes", status=7)
    assert [each["address"] for each in begun(tiny)] == ["aws.subnet.a"]
    allow()
    tiny.run("apply", "--yes", status=7)
    edit(tiny, "public: true", "public: false")
    assert begun(tiny, 0) == []


ROUTED = """aws.internet_gateway:
  i: {vpc: main}
aws.route_table:
  r: {vpc: main, tags: {a: b}, routes: [{destination: 0.0.0.0/0, internet_gateway: i}]}
"""


def test_what_was_done_by_a_call_that_was_lost_once_is_done(tiny):
    """It is sent again, and refused because it was carried out before: a look tells, and the history has it as done."""
    tiny.write("more.yaml", ROUTED + GATEWAY.replace("65010", "65010, tags: {c: d}"))
    tiny.run("apply", "--yes")
    edit(tiny, "[{destination: 0.0.0.0/0, internet_gateway: i}]", "[]", "more.yaml")
    edit(tiny, "c: d", "c: e", "more.yaml")
    tiny.run("sim", "fault", "DeleteRoute", "lost_answer", "1", "1")
    deny(tiny, "CreateTags")
    tiny.run("apply", "--yes", status=7)
    calls = tiny.run("state", "history", last_run(tiny), "--output", "json").json["calls"]
    assert {(each["operation"], each["outcome"]) for each in calls} == {("CreateTags", "failed"), ("DeleteRoute", "done")}
    # The run has changed something, and has left something else as it was.
    edit(tiny, "a: b", "a: c", "more.yaml")
    assert [(each["address"], each["reason"]) for each in begun(tiny)] == [("aws.customer_gateway.c", MISSED)]


def test_a_run_that_only_deleted_something_by_a_call_that_was_lost_once_has_changed_something(tiny):
    group = "aws.security_group:\n  g: {vpc: main, name: g, description: g}\n"
    gateway = GATEWAY.replace("65010", "65010, tags: {c: d}")
    tiny.write("more.yaml", group + gateway)
    tiny.run("apply", "--yes")
    tiny.write("more.yaml", gateway.replace("c: d", "c: e"))
    tiny.run("sim", "fault", "DeleteSecurityGroup", "lost_answer", "1", "1")
    deny(tiny, "CreateTags")
    tiny.run("apply", "--yes", status=7)
    assert [(each["address"], each["reason"]) for each in begun(tiny)] == [("aws.customer_gateway.c", MISSED)]


def test_what_a_destroy_deleted_by_a_call_that_was_lost_once_is_not_missed(tiny):
    tiny.write("more.yaml", "aws.security_group:\n  g: {vpc: main, name: g, description: g}\n")
    tiny.run("apply", "--yes")
    tiny.run("sim", "fault", "DeleteSecurityGroup", "lost_answer", "1", "1")
    deny(tiny, "DeleteSubnet")
    tiny.run("destroy", "--yes", status=7)
    assert "aws.security_group.g" not in recorded(tiny)
    assert begun(tiny, 0) == []


def test_what_was_changed_in_part_is_told_under_another_address(tiny):
    tiny.write("more.yaml", GATEWAYS)
    tiny.run("apply", "--yes")
    edit(tiny, "g: {vpc: main}", "g: {vpc: other}", "more.yaml")
    deny(tiny, "AttachVpnGateway")
    tiny.run("apply", "--yes", status=7)
    tiny.run("recover")
    tiny.run("state", "mv", "aws.vpn_gateway.g", "aws.vpn_gateway.h")
    edit(tiny, "g: {vpc: other}", "h: {vpc: other}", "more.yaml")
    assert [(each["address"], each["reason"]) for each in begun(tiny)] == [("aws.vpn_gateway.h", MISSED)]


def test_what_a_run_that_was_undone_was_refused_is_not_missed(tiny):
    tiny.write("more.yaml", GATEWAY)
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    edit(tiny, "aws.subnet:\n", "aws.key_pair:\n  k: {name: ops, secret_to: {file: ops.pem}}\naws.subnet:\n")
    edit(tiny, "198.51.100.7", "198.51.100.8", "more.yaml")
    allow = deny(tiny, "CreateTags")
    tiny.run("apply", "--yes", status=7)
    allow()
    changed = last_run(tiny)
    missed = [("aws.vpc.main", MISSED)]
    # What is taken back in part leaves the rest as it was, what is taken back whole nothing, and that again as it was.
    for run, part, told in [
        (changed, ["--target", "aws.customer_gateway.c"], missed),
        (changed, [], []),
        (None, [], missed),
        (changed, ["--target", "aws.customer_gateway.c"], missed),
        (changed, [], []),
    ]:
        tiny.run("undo", run or last_run(tiny), "--yes", *part)
        assert [(each["address"], each["reason"]) for each in begun(tiny, 2 if told else 0)] == told
    # What a run about a part makes again is the spec's.
    tiny.run("apply", "--yes", "--target", "aws.customer_gateway.c")
    assert begun(tiny, 0) == []


def test_a_run_whose_only_call_was_lost_has_changed_nothing(tiny):
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    allow = deny(tiny, "CreateTags", "lost_request")
    tiny.run("apply", "--yes", status=7)
    allow()
    tiny.run("recover")
    assert begun(tiny, 0) == []


@pytest.mark.parametrize(
    "part, missed", [("aws.customer_gateway.c", "aws.subnet.b"), ("aws.subnet.b", "aws.internet_gateway.i")]
)
def test_what_an_undoing_deleted_is_missed_only_where_something_was_before(tiny, part, missed):
    tiny.run("apply", "--yes")
    tiny.write("more.yaml", GATEWAY + "aws.internet_gateway:\n  i: {vpc: main}\n")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    tiny.run("apply", "--yes")
    changed, refused = last_run(tiny), [deny(tiny, name) for name in ("DeleteCustomerGateway", "CreateSubnet")]
    tiny.run("undo", changed, "--yes", status=7)
    gone = {each["address"] for each in begun(tiny) if "was deleted" in each["reason"]}
    assert gone == {"aws.internet_gateway.i", "aws.subnet.b"}
    # Of what is taken back in part the rest is missed: what the run made with what else it made, and what was before.
    first = part == "aws.subnet.b"
    refused[first]()
    tiny.run("undo", changed, "--yes", "--target", part)
    assert [each["address"] for each in begun(tiny)] == [missed]
    refused[not first]()
    tiny.run("undo", changed, "--yes")
    assert begun(tiny, 0) == []


@pytest.mark.parametrize("refused, more", [("DeleteCustomerGateway", GATEWAY), ("CreateTags", "")], ids=["made", "changed"])
def test_half_an_undoing_is_no_good_news(tiny, refused, more):
    """What it deleted goes for good with the rest: until that is as it was, too, nobody has taken the run back."""
    tiny.run("apply", "--yes")
    tiny.write("more.yaml", more + "aws.internet_gateway:\n  i: {vpc: main}\n")
    if not more:
        edit(tiny, "team: red", "team: blue")
    tiny.run("apply", "--yes")
    changed, allow = last_run(tiny), deny(tiny, refused)
    tiny.run("undo", changed, "--yes", status=7)
    assert [each["address"] for each in begun(tiny)] == ["aws.internet_gateway.i"]
    tiny.run("undo", changed, "--yes", status=1)
    assert [each["address"] for each in begun(tiny)] == ["aws.internet_gateway.i"]
    allow()
    tiny.run("undo", changed, "--yes")
    assert begun(tiny, 0) == []


def add_runs(stack, count, command, outcome, calls):
    """Runs as the history has them, each with so many calls that were refused."""
    run = "INSERT INTO runs (id, command, plan_digest, host, process, started_ms, ended_ms, outcome)"
    call = "INSERT INTO history (run, intent, object_id, address, kind, operation, outcome, note, sent_ms, ended_ms)"
    with contextlib.closing(sqlite3.connect(stack.folder / ".trueup/state.db")) as database, database:
        for _ in range(count):
            values = (secrets.token_bytes(16), command, outcome)
            number = database.execute(run + " VALUES (?, ?, '', 'here', 1, 1, 2, ?)", values).lastrowid
            rows = ((number, secrets.token_bytes(16), secrets.token_bytes(16)) for _ in range(calls))
            made = " VALUES (?, ?, ?, 'aws.subnet.z', 'aws.subnet', 'CreateSubnet', 'failed', '', 1, 2)"
            database.executemany(call + made, rows)


def work_of(stack, *arguments):
    """The seconds of the processor that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    stack.run(*arguments)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


@pytest.mark.parametrize("command, outcome", [("apply --target", "done"), ("apply", "failed")], ids=["part", "refused"])
def test_many_runs_after_a_long_history_take_no_longer_than_one(tiny, command, outcome):
    """Each by itself would take as long as it takes to go through all calls that there ever were."""
    tiny.run("apply", "--yes")
    add_runs(tiny, 1, "apply", "failed", 20000)
    one = work_of(tiny, "drift")
    add_runs(tiny, 500, command, outcome, 1)
    assert work_of(tiny, "drift") < 5 * one
