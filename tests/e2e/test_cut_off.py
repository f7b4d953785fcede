"""A run that was killed within a change or a deletion: what it did is told as its own doing, and can be undone."""

import json
import signal

import pytest

from cli import recorded, simulate
from simulator import simulator  # noqa: F401
from test_cli_runs import gate  # noqa: F401
from test_drift_of_runs import MISSED
from test_recover import rows
from test_take_back import site  # noqa: F401
from test_undo import BLUE, LESS, NET, THIRD, apply_spec, is_as_in, operations, runs, undo
from trueup_runner import Ref, plan_is_empty, spec_text

NAMES = NET.replace('floor: "1"}}', 'floor: "1"}, dns_hostnames: true}')
TAGS = NET.replace('{team: red, floor: "1"}', "{team: blue}")

# The spec whose apply is killed, the call that was carried out then, the address, and what of it has been set.
CUTS = {
    "a tag": (BLUE, "CreateTags", "aws.vpc.main", "tags"),
    "the first of two calls": (TAGS, "DeleteTags", "aws.vpc.main", "tags"),
    "an attribute": (NAMES, "ModifyVpcAttribute", "aws.vpc.main", "dns_hostnames"),
    "an attribute that is not set any more": (NET, "ModifyVpcAttribute", "aws.vpc.main", "dns_hostnames"),
    "a deletion": (LESS, "DeleteSubnet", "aws.subnet.b", None),
}

MICRO = NET.replace("outputs:", "aws.launch_template:\n  t: {name: worker, instance_type: t3.micro}\noutputs:")
SMALL = MICRO.replace("t3.micro", "t3.small")

# Calls at which the apply of a new version of the template is killed, and whether they were carried out then: what it
# shows is new then, and its default is not.
HALVES = {
    "the new version is made": ("CreateLaunchTemplateVersion", "after"),
    "it is not the default yet": ("ModifyLaunchTemplate", "before"),
}


def base_of(spec):
    """What was applied before."""
    return NAMES if spec == NET else NET


# What a drift tells of what was begun, unless it is otherwise.
BEGUN = {"deletes": False, "makes": False, "owed": "", "moved": ""}


@pytest.fixture
def net(stack, gate, moto):
    stack.environment.update(AWS_ENDPOINT_URL=gate.url)
    apply_spec(stack, NET)
    return stack


def kill(stack, gate, spec, operation, held="after", command=("apply", "--yes")):
    """A command beside a spec is killed when the call was carried out, or ("before") before it could be; its run."""
    stack.write("net.yaml", spec)
    return kill_at(stack, gate, operation, held, command)


def kill_at(stack, gate, operation, held, command):
    gate.arm(held, operation)
    process = stack.start(*command)
    assert gate.held.wait(120)
    process.kill()
    process.communicate()
    gate.loses = held == "before"
    gate.open()
    return runs(stack)[0]["id"]


def drift(stack, status):
    return stack.run("drift", "--output", "json", status=status, TRUEUP_GRACE="120").json


@pytest.fixture(params=CUTS)
def cut(request, net, gate):
    spec, operation, address, fields = CUTS[request.param]
    apply_spec(net, base_of(spec))
    return net, spec, kill(net, gate, spec, operation), operation, address, fields


def test_own_doing_is_no_drift(cut):
    """Neither before recovery nor after it, whichever spec is asked about."""
    net, spec, run, operation, address, fields = cut
    began = {**BEGUN, "address": address, "deletes": fields is None, "fields": fields or "", "run": run}
    for text in (spec, base_of(spec)):
        net.write("net.yaml", text)
        document = drift(net, 2)
        assert (document["actions"], document["unfinished"]) == ([], [began])
        assert [one["operation"] for one in document["open"]] == [operation]
        document = net.run("plan", "--detailed-exitcode", "--output", "json", status=2).json
        assert document["unfinished"] == [began]
        assert {change["cause"] for action in document["actions"] for change in action["changes"]} <= {"intent"}
        assert "outside" not in str(document)
    said = f"begun to be deleted by run {run[:8]}" if fields is None else f"{fields}: set by an unfinished call"
    assert said in net.run("drift", status=2).out
    net.run("recover")
    # What nobody wants is not missed; of what was deleted it is told in the plan's own words.
    for text in (spec, base_of(spec)):
        net.write("net.yaml", text)
        document = net.run("plan", "--output", "json").json
        told = drift(net, 2 if document["actions"] else 0)["unfinished"]
        assert [(one["address"], one["reason"], one["run"]) for one in told] == [
            (one["address"], one["reason"] if one["operation"] == "create" else MISSED, run) for one in document["actions"]
        ]
    assert operations(document) == {address: "create" if fields is None else "update"}
    assert {change["cause"] for action in document["actions"] for change in action["changes"]} == {"intent"}
    assert is_as_in(net, spec) == (spec != TAGS)


def test_history(cut):
    """The call stands with the run that sent it, before it is settled and after."""
    net, spec, run, operation, address, fields = cut
    net.run("recover")
    (settled, lost) = runs(net)[:2]
    assert (settled["command"], settled["calls"], lost["id"], lost["open"]) == ("recover", 0, run, 0)
    call = net.run("state", "history", run, "--output", "json").json["calls"][-1]
    assert (call["address"], call["operation"], call["outcome"]) == (address, operation, "done")
    assert call["note"].endswith(f"(recover {settled['id'][:8]})")


@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
def test_undone(cut, recovered):
    net, spec, run, operation, address, fields = cut
    if recovered:
        net.run("recover")
    shown = undo(net, run, "--detailed-exitcode", status=2)
    document = undo(net, run, "--yes")
    assert operations(document) == operations(shown) == {address: "create" if fields is None else "update"}
    assert document["digest"] == shown["digest"]
    assert is_as_in(net, base_of(spec))


def test_undone_after_another_apply(cut):
    """The apply that came next only finished: what it changed itself is its own."""
    net, spec, run, operation, address, fields = cut
    net.run("apply", "--yes")
    assert is_as_in(net, spec)
    document = undo(net, run, "--yes")
    assert operations(document) == {address: "create" if fields is None else "update"}


@pytest.mark.parametrize("change", CUTS)
def test_not_carried_out(net, gate, change):
    """Killed before the call could reach the service, a run has done nothing; for a while that cannot be told."""
    spec, operation, address, fields = CUTS[change]
    apply_spec(net, base_of(spec))
    run = kill(net, gate, spec, operation, "before")
    net.write("net.yaml", base_of(spec))
    assert drift(net, 3)["unfinished"] == []
    net.run("recover")
    assert drift(net, 0)["actions"] == [] and is_as_in(net, base_of(spec))
    assert undo(net, run, "--yes")["actions"] == []


@pytest.mark.parametrize(
    "spec, operation, held",
    [
        (THIRD, "CreateSubnet", "before"),
        (THIRD, "CreateSubnet", "after"),
        (BLUE, "CreateTags", "after"),
        (LESS, "DeleteSubnet", "after"),
    ],
    ids=["create not sent", "create", "update", "delete"],
)
def test_recovered_without_the_spec(net, gate, moto, spec, operation, held):
    """A saved plan was applied where only the state lies, and that knows the places, whatever the environment says."""
    net.write("net.yaml", spec)
    net.run("plan", "--out", "p.plan")
    (net.folder / "net.yaml").unlink()
    run = kill_at(net, gate, operation, held, ("apply", "p.plan"))
    endpoint = net.environment.pop("AWS_ENDPOINT_URL")
    result = net.run("recover", "--grace", "0")
    assert "1 unfinished call of an earlier run settled" in result.err and "nothing is open" in result.out
    assert [(one["command"], one["open"]) for one in runs(net)[:2]] == [("recover", 0), ("apply", 0)]
    call = net.run("state", "history", run, "--output", "json").json["calls"][-1]
    assert (call["operation"], call["outcome"]) == (operation, "absent" if held == "before" else "done")
    assert "nothing is open" in net.run("recover").out
    net.environment.update(AWS_ENDPOINT_URL=endpoint)
    apply_spec(net, spec)
    assert is_as_in(net, spec)
    filters = [{"Name": "vpc-id", "Values": [recorded(net)["aws.vpc.main"]]}]
    assert len(moto.client("ec2").describe_subnets(Filters=filters)["Subnets"]) == {THIRD: 3, LESS: 1}.get(spec, 2)


TABLE = NET.replace("outputs:", "aws.route_table:\n  t: {vpc: main, subnets: [a, b]}\noutputs:")


def test_what_was_cut_off_is_recorded_as_a_reference_again(net, gate, moto):
    """Of a list that a deletion began to empty nothing is recorded; an apply that wants what is left records that."""
    apply_spec(net, TABLE)
    kill(net, gate, TABLE, "DisassociateRouteTable", "after", ("destroy", "--yes"))
    tables = moto.client("ec2").describe_route_tables(RouteTableIds=[recorded(net)["aws.route_table.t"]])["RouteTables"]
    left = {one["SubnetId"] for one in tables[0]["Associations"] if "SubnetId" in one}
    (name,) = (name for name in "ab" if recorded(net)[f"aws.subnet.{name}"] in left)
    apply_spec(net, TABLE.replace("[a, b]", f"[{name}]"))
    query = "SELECT body FROM bodies JOIN objects USING (object_id) WHERE address = 'aws.route_table.t'"
    applied = json.loads(rows(net, query)[0][0])["applied"]
    assert applied["subnets"] == [{"$deferred": f"${{aws.subnet.{name}.id}}"}]


def test_foreign_change_beside_it(net, gate, moto):
    """What somebody else changes in the meantime is drift all the same."""
    kill(net, gate, BLUE, "CreateTags")
    moto.client("ec2").create_tags(Resources=[recorded(net)["aws.vpc.main"]], Tags=[{"Key": "floor", "Value": "9"}])
    for recover in (False, True):
        if recover:
            net.run("recover")
        (action,) = drift(net, 2)["actions"]
        assert [(change["path"], change["cause"]) for change in action["changes"]] == [("tags.floor", "drift")]


@pytest.fixture(params=HALVES)
def half(request, net, gate):
    # Recovery does not wait for more of it to show: nothing but the record tells of it then.
    net.environment.update(TRUEUP_GRACE="0")
    apply_spec(net, MICRO)
    return net, kill(net, gate, SMALL, *HALVES[request.param]), HALVES[request.param][1] == "before"


def planned(document):
    return [
        (change["path"], change["cause"], change["before"], change["after"])
        for action in document["actions"]
        for change in action["changes"]
    ]


def test_what_follows_is_no_drift(half):
    """The default version, which is to follow what the run made, is its own doing too, before recovery and after."""
    net, run, may_come = half
    began = {**BEGUN, "address": "aws.launch_template.t", "fields": "instance_type", "run": run}
    missed = {**began, "fields": "", "reason": MISSED}
    default = ("default_version", "intent", "1", "2")
    for told, status in ((began, 3 if may_come else 2), (missed, 2)):
        document = drift(net, status)
        assert (document["actions"], document["unfinished"]) == ([], [told])
        for text, changes in [
            # By a version that is yet to be made, of a number that nobody knows.
            (MICRO, [("instance_type", "intent", "t3.small", "t3.micro")]),
            (SMALL, [default]),
        ]:
            net.write("net.yaml", text)
            document = net.run("plan", "--output", "json").json
            assert planned(document) == changes
            assert "outside" not in net.run("plan").out
        net.run("recover")
    net.run("apply", "--yes")
    assert is_as_in(net, SMALL)
    assert drift(net, 0)["actions"] == []


@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
def test_what_follows_is_undone(half, recovered):
    net, run, _ = half
    if recovered:
        net.run("recover")
    assert operations(undo(net, run, "--yes")) == {"aws.launch_template.t": "update"}
    assert is_as_in(net, MICRO)


def test_default_that_others_moved_in_the_meantime(net, gate, moto):
    net.environment.update(TRUEUP_GRACE="0")
    apply_spec(net, MICRO)
    apply_spec(net, SMALL)
    kill(net, gate, SMALL.replace("t3.small", "t3.large"), "CreateLaunchTemplateVersion")
    template = recorded(net)["aws.launch_template.t"]
    moto.client("ec2").modify_launch_template(LaunchTemplateId=template, DefaultVersion="1")
    for recover in (False, True):
        if recover:
            net.run("recover")
        assert planned(drift(net, 2)) == [("default_version", "drift", "2", "1")]


def test_second_call_is_refused(stack):
    """The first of two calls was carried out: what it did is no drift, though nothing is open, and can be undone."""
    simulate(stack)
    apply_spec(stack, NET)
    stack.write("net.yaml", TAGS)
    fault = stack.run("sim", "fault", "CreateTags", "deny").out.split()[-1]
    stack.run("apply", "--yes", status=(1, 7))
    document = drift(stack, 2)
    assert (document["actions"], document["open"]) == ([], [])
    assert [(one["address"], one["fields"], one["run"]) for one in document["unfinished"]] == [("aws.vpc.main", "tags", None)]
    stack.run("sim", "remove", "fault", fault)
    run = runs(stack)[0]["id"]
    document = undo(stack, run, "--yes")
    assert [change["path"] for action in document["actions"] for change in action["changes"]] == ["tags.floor"]
    assert is_as_in(stack, NET)


MOVED = NET.replace("10.0.2.0", "10.0.9.0")
AGAIN = "was deleted by a run that did not make it anew"


def reasons(stack):
    return {one["address"]: one["reason"] for one in stack.run("plan", "--output", "json").json["actions"]}


def test_replace_is_killed_between_its_halves(net, gate):  # noqa: F811
    """The old one is gone, and its record with it: nothing of the spec is new."""
    kill(net, gate, MOVED, "DeleteSubnet")
    assert reasons(net) == {"aws.subnet.b": "was deleted by a run that did not end"}
    net.run("recover")
    assert reasons(net) == {"aws.subnet.b": AGAIN}
    # A destroy that was killed before it had deleted anything tells nothing of that.
    kill(net, gate, MOVED, "DeleteSecurityGroup", "before", ("destroy", "--yes", "--parallelism", "1"))
    net.run("recover")
    assert [one["address"] for one in drift(net, 2)["unfinished"]] == ["aws.subnet.b"]
    assert reasons(net) == {"aws.subnet.b": AGAIN}
    apply_spec(net, MOVED)
    apply_spec(net, LESS)
    net.write("net.yaml", MOVED)
    assert reasons(net) == {"aws.subnet.b": "new in the spec"}


def test_replace_that_fails_between_its_halves(stack):
    simulate(stack)
    apply_spec(stack, NET)
    stack.write("net.yaml", MOVED.replace("  a:", "  c: {vpc: main, cidr: 10.0.3.0/24}\n  a:"))
    fault = stack.run("sim", "fault", "CreateSubnet", "deny").out.split()[-1]
    stack.run("apply", "--yes", status=7)
    stack.run("sim", "remove", "fault", fault)
    assert reasons(stack) == {"aws.subnet.b": AGAIN, "aws.subnet.c": "new in the spec"}
    stack.run("destroy", "--yes")
    assert set(reasons(stack).values()) == {"new in the spec"}


@pytest.mark.parametrize("removed", [False, True])
def test_what_somebody_else_deleted_is_told_so_after_a_run_failed(stack, removed):
    """A run drops the record of what is gone before it makes another, and that is refused."""
    simulate(stack)
    apply_spec(stack, NET)
    if removed:
        stack.run("sim", "remove", "subnet", recorded(stack)["aws.subnet.b"])
    stack.write("net.yaml", NET if removed else MOVED)
    fault = stack.run("sim", "fault", "CreateSubnet", "deny").out.split()[-1]
    stack.run("apply", "--yes", status=(1, 7))
    stack.run("sim", "remove", "fault", fault)
    told = "was deleted outside of this stack, and not made anew since" if removed else AGAIN
    assert reasons(stack) == {"aws.subnet.b": told}


def network_and_group(**group):
    """A scaling group that runs nothing, and all that it needs."""
    things = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.subnet": {"s": {"vpc": Ref("aws.vpc.v"), "cidr": "10.0.1.0/24"}},
        "aws.launch_template": {"t": {"name": "web", "image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}},
    }
    group = {"name": "off", "launch_template": Ref("aws.launch_template.t"), "subnets": [Ref("aws.subnet.s")], **group}
    return spec_text({**things, "aws.autoscaling_group": {"g": {**group, "min": 0, "max": 0}}})


def test_what_the_last_call_brings_goes_though_it_does_not_show_yet(site):  # noqa: F811
    """It was answered, and reads lag: taken for what is there, nobody would take away what the spec sets no more."""
    stack = site.stack
    stack.write("stack.yaml", network_and_group(metrics=["GroupMinSize"]))
    site.cut_off(signal.SIGINT, lambda number, action, executed: action == "EnableMetricsCollection" and not executed)
    site.server.change("auto-scaling-group", "off", EnabledMetrics=[])
    stack.write("stack.yaml", network_and_group())
    [action] = stack.run("plan", "--output", "json").json["actions"]
    changes = [(each["path"], each["cause"], each["effect"]) for each in action["changes"]]
    assert changes == [("metrics[GroupMinSize]", "intent", "set")]
    stack.run("apply", "--yes")
    calls = stack.run("state", "history", runs(stack)[0]["id"], "--output", "json").json["calls"]
    assert [each["operation"] for each in calls] == ["DisableMetricsCollection"]
    plan_is_empty(stack)
