"""An undoing that was killed or failed half way is finished by the same command."""

import re

import pytest

from cli import applied, recorded, simulate, world
from test_cli_runs import gate  # noqa: F401
from test_cut_off import kill, kill_at
from test_undo import NET, RULE, SUBNETS, THIRD, TWO_RULES, apply_spec, is_as_in, operations, runs, undo

# What is to be undone, and at which calls of the undoing it is killed.
MIXED = (
    THIRD.replace("10.0.1.0", "10.0.8.0")
    .replace("  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
    .replace('{team: red, floor: "1"}', "{team: blue}")
    .replace(RULE, TWO_RULES)
)
TAGGED = NET.replace('floor: "1"}', 'floor: "1", door: "2"}').replace("  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
MOVED = NET.replace("10.0.", "10.8.")
KILLS = [
    (MIXED, "DeleteSubnet", "before"),
    (MIXED, "DeleteSubnet", "after"),
    (MIXED, "CreateSubnet", "before"),
    (MIXED, "CreateSubnet", "after"),
    (MIXED, "CreateTags", "after"),
    (MIXED, "RevokeSecurityGroupIngress", "after"),
    (MOVED, "DeleteVpc", "after"),
    (MOVED, "CreateVpc", "before"),
    (MOVED, "CreateVpc", "after"),
    (MOVED, "CreateSecurityGroup", "after"),
]


@pytest.fixture
def net(stack, gate, moto):  # noqa: F811
    stack.environment.update(AWS_ENDPOINT_URL=gate.url)
    apply_spec(stack, NET)
    return stack


def kill_undoing(stack, gate, run, operation, held):  # noqa: F811
    return kill(stack, gate, NET, operation, held, ("undo", run, "--yes"))


def things(moto, vpc):
    """What the undoing is about, as somebody else sees it."""
    ec2, filters = moto.client("ec2"), [{"Name": "vpc-id", "Values": [vpc]}]
    groups = ec2.describe_security_groups(Filters=filters)["SecurityGroups"]
    return (
        len([one for one in ec2.describe_vpcs()["Vpcs"] if not one["IsDefault"]]),
        sorted(one["CidrBlock"] for one in ec2.describe_subnets(Filters=filters)["Subnets"]),
        sorted((one["GroupName"], len(one["IpPermissions"])) for one in groups),
    )


def expect_finished(stack, run):
    """The same command finishes, drift knows, nothing is left then, and the spec of before plans nothing."""
    shown = undo(stack, run, "--detailed-exitcode", status=2)
    document = undo(stack, run, "--yes")
    assert operations(document) == operations(shown) != {}
    stack.run("drift")
    again = stack.run("undo", run, "--yes")
    assert "is as it was recorded before" in again.out
    assert is_as_in(stack, NET)


def name_of(text, operation, held):
    return "-".join(["all" if text == MOVED else "mixed", operation, held])


@pytest.mark.parametrize("text, operation, held", KILLS, ids=[name_of(*row) for row in KILLS])
def test_killed(net, gate, moto, text, operation, held):  # noqa: F811
    before = things(moto, recorded(net)["aws.vpc.main"])
    run = apply_spec(net, text)
    kill_undoing(net, gate, run, operation, held)
    expect_finished(net, run)
    assert things(moto, recorded(net)["aws.vpc.main"]) == before


def test_last_call_was_all_that_was_left(net, gate):  # noqa: F811
    """What recovery finds done was begun by nobody any more, once the same command has said that nothing is left."""
    run = apply_spec(net, NET.replace("team: red", "team: blue"))
    kill_at(net, gate, "CreateTags", "after", ("undo", run, "--yes"))
    net.run("recover")
    assert "an undoing that did not come to its end, which the same 'trueup undo' finishes" in net.run("drift", status=2).out
    assert "is as it was recorded before" in net.run("undo", run, "--yes").out
    net.run("drift")
    assert [one["outcome"] for one in runs(net) if one["command"] == f"undo {run[:8]}"] == ["done", "lost"]
    net.run("undo", run, "--yes")
    assert len([one for one in runs(net) if one["command"] == f"undo {run[:8]}"]) == 2


def test_what_a_killed_run_made_goes_with_a_saved_plan(net, gate, moto):  # noqa: F811
    """Whose call is open still: recovery records it, ahead of the plan that is applied."""
    before = things(moto, recorded(net)["aws.vpc.main"])
    run = kill(net, gate, THIRD, "CreateSubnet")
    shown = undo(net, run, "--out", "undo.plan")
    assert operations(shown) == {"aws.subnet.c": "delete"}
    assert [one["operation"] for one in shown["open"]] == ["CreateSubnet"]
    net.run("apply", "undo.plan")
    assert things(moto, recorded(net)["aws.vpc.main"]) == before
    assert undo(net, run, "--detailed-exitcode")["actions"] == []
    assert is_as_in(net, NET)


@pytest.mark.parametrize("words", [[], ["--target", "aws.subnet.b"]], ids=["whole", "part"])
def test_recovery_has_done_a_part_of_it(sim, words):
    """One that does the rest has done all of it; one about a part says nothing of all, and the next one does."""
    run = apply_spec(sim, TAGGED)
    faults = {"DeleteTags": "lost_answer", "CreateSubnet": "deny"}
    numbers = [sim.run("sim", "fault", *each).out.split()[-1] for each in faults.items()]
    sim.run("undo", run, "--yes", status=7)
    for number in numbers:
        sim.run("sim", "remove", "fault", number)
    sim.run("recover")
    assert operations(undo(sim, run, "--yes", *words)) == {"aws.subnet.b": "create"}
    if words:
        assert "which the same 'trueup undo' finishes" in sim.run("drift", status=2).out
        assert "is as it was recorded before" in sim.run("undo", run, "--yes").out
    sim.run("drift")
    assert is_as_in(sim, NET)


@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
def test_the_killed_undoing_is_undone(net, gate, recovered):  # noqa: F811
    """It is a run like any other: what it deleted is made anew as it was; then all of it can be undone once more."""
    run = apply_spec(net, MIXED)
    killed = kill_undoing(net, gate, run, "CreateSubnet", "before")
    if recovered:
        net.run("recover")
    undo(net, killed, "--yes")
    assert is_as_in(net, MIXED)
    undo(net, run, "--yes")
    assert is_as_in(net, NET)


OPEN = NET.replace("    ingress:\n", "    egress: [{protocol: all, cidr: 10.0.0.0/16}]\n    ingress:\n")


@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
@pytest.mark.parametrize("operation", ["AuthorizeSecurityGroupEgress", "RevokeSecurityGroupEgress"])
def test_what_was_seen_and_not_set_goes_back(net, gate, operation, recovered):  # noqa: F811
    """What the undoing has set of it is its own doing, though no spec sets it."""
    run = apply_spec(net, OPEN)
    kill_undoing(net, gate, run, operation, "after")
    if recovered:
        net.run("recover", "--grace", "0")
    assert net.run("drift", "--output", "json", status=(0, 2)).json["drift"] == 0
    undo(net, run, "--yes")
    assert undo(net, run, "--yes")["actions"] == []
    assert is_as_in(net, NET)


@pytest.fixture
def sim(stack):
    """On the simulator, where a call is refused instead, and the undoing ends half way."""
    simulate(stack, "../world")
    return applied(stack, "net.yaml", NET)


def break_undoing(stack, run, operation, *arguments):
    fault = stack.run("sim", "fault", operation, "deny").out.split()[-1]
    stack.run("undo", run, "--yes", *arguments, status=(1, 7))
    stack.run("sim", "remove", "fault", fault)


def exits(stack):
    """Where the group's machines may send to."""
    group, rules = recorded(stack)["aws.security_group.web"], world(stack, "security-group-rule").values()
    return [rule["cidrIpv4"] for rule in rules if rule["groupId"] == group and rule["isEgress"] == "true"]


SHUT = NET.replace("    ingress:\n", "    egress: []\n    ingress:\n")
ALL = ["0.0.0.0/0"]


def begin_to_open(stack, mishap="deny"):
    """All that the group had is taken away, and what the spec says of it then does not come."""
    fault = stack.run("sim", "fault", "AuthorizeSecurityGroupEgress", mishap).out.split()[-1]
    stack.write("net.yaml", OPEN)
    stack.run("apply", "--yes", status=7)
    stack.run("sim", "remove", "fault", fault)
    assert exits(stack) == []
    return runs(stack)[0]["id"]


@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
def test_what_a_run_took_away_that_was_cut_off_is_back(sim, recovered):
    """No spec had set it, so that nothing else would bring it back; who sets the spec back is told what stays."""
    run = begin_to_open(sim)
    if recovered:
        sim.run("recover", "--grace", "0")
    sim.write("net.yaml", NET)
    planned = sim.run("plan", "--detailed-exitcode", status=2).out
    assert re.search(r"egress +\[\] +kept as it is, no longer managed", planned)
    assert operations(undo(sim, run, "--yes")) == {"aws.security_group.web": "update"}
    assert exits(sim) == ALL
    assert is_as_in(sim, NET)


def test_what_a_run_took_away_and_another_one_replaced_is_back(sim):
    """Each goes back to what it found."""
    begun = begin_to_open(sim)
    finished = apply_spec(sim, OPEN)
    assert exits(sim) == ["10.0.0.0/16"]
    undo(sim, finished, "--yes")
    assert exits(sim) == []
    undo(sim, begun, "--yes")
    assert exits(sim) == ALL
    assert is_as_in(sim, NET)


def test_a_set_of_nothing_that_another_run_began_to_fill(sim):
    """It stays recorded as set, or the run that set it would seem undone."""
    emptied = apply_spec(sim, SHUT)
    begin_to_open(sim, "lost_request")
    sim.run("recover", "--grace", "0")
    undo(sim, emptied, "--yes")
    assert exits(sim) == ALL
    assert is_as_in(sim, NET)


@pytest.mark.parametrize("saved", [False, True], ids=["at once", "saved"])
@pytest.mark.parametrize("operation", [None, "DeleteVpc", "CreateSecurityGroup", "AuthorizeSecurityGroupEgress"])
@pytest.mark.parametrize("seen", [ALL, ["10.0.0.0/16"]], ids=["of the cloud", "of an earlier spec"])
def test_what_was_seen_and_not_set_comes_back_with_what_is_made_anew(sim, seen, operation, saved):
    """As no spec's: the plan of the spec of then has nothing of it to say."""
    if seen != ALL:
        apply_spec(sim, OPEN)
        apply_spec(sim, NET)
    run = apply_spec(sim, SHUT.replace("10.0.", "10.8."))
    assert exits(sim) == []
    if operation:
        fault = sim.run("sim", "fault", operation, "deny").out.split()[-1]
        sim.run("undo", run, "--yes", status=(0, 7))
        sim.run("sim", "remove", "fault", fault)
    if saved:
        sim.run("undo", run, "--out", "undo.plan")
        sim.run("apply", "undo.plan", "--yes")
    else:
        sim.run("undo", run, "--yes")
    assert exits(sim) == seen
    assert undo(sim, run, "--yes")["actions"] == []
    assert is_as_in(sim, NET)
    sim.run("drift")


LATE = "  late: {vpc: main, name: late, description: made later}\noutputs:"


def test_what_referred_to_it_is_made_anew(sim):
    """A later run made what refers to the VPC; the undoing replaced it too, and was cut off when all was gone."""
    run = apply_spec(sim, MOVED)
    apply_spec(sim, MOVED.replace("outputs:", LATE))
    break_undoing(sim, run, "CreateVpc")
    assert recorded(sim) == {}
    assert set(operations(undo(sim, run, "--yes")).values()) == {"create"}
    assert undo(sim, run, "--yes")["actions"] == []
    assert is_as_in(sim, NET.replace("outputs:", LATE))


TABLE = "aws.route_table:\n  t: {vpc: main, subnets: [b]}\noutputs:"


@pytest.mark.parametrize("later", [False, True], ids=["of the run", "made later"])
def test_what_refers_to_it_follows(sim, later):
    """The subnet is as before, and the table has lost the one that it had."""
    with_table, moved = NET.replace("outputs:", TABLE), NET.replace("10.0.2.0", "10.0.9.0")
    apply_spec(sim, NET if later else with_table)
    run = apply_spec(sim, moved if later else moved.replace("outputs:", TABLE))
    apply_spec(sim, moved.replace("outputs:", TABLE))
    break_undoing(sim, run, "AssociateRouteTable")
    assert operations(undo(sim, run, "--yes")) == {"aws.route_table.t": "update"}
    assert undo(sim, run, "--yes")["actions"] == []
    assert is_as_in(sim, with_table)


def test_what_it_replaced_is_deleted(sim):
    """The new one was made first, and the old one could not be deleted."""
    base = NET.replace("cidr: 10.0.2.0/24", "cidr: 10.0.2.0/24, lifecycle: {create_before_destroy: true}")
    apply_spec(sim, base)
    run = apply_spec(sim, base.replace("10.0.2.0", "10.0.9.0"))
    sim.write("net.yaml", base)
    break_undoing(sim, run, "DeleteSubnet")
    assert operations(undo(sim, run, "--yes")) == {"aws.subnet.b": "delete"}
    assert undo(sim, run, "--yes")["actions"] == []
    assert is_as_in(sim, base)


def friends(name, floor):
    """Two groups that admit each other; under another name the first is made anew, and let go of before."""
    groups = f"""\
  first: {{vpc: main, name: {name}, description: first, ingress: [{{protocol: all, group: second}}]}}
  second:
    vpc: main
    name: second
    description: second
    tags: {{floor: {floor}}}
    ingress: [{{protocol: all, group: first}}]
outputs:"""
    return NET.replace("outputs:", groups)


@pytest.mark.parametrize("refused", [(), ("CreateTags",)], ids=["the rest is done", "nothing else is done"])
def test_what_was_let_go_of_is_taken_back(sim, refused):
    """The run took the rule away so that the other group can be deleted, which was refused."""
    before = friends("first", "one")
    apply_spec(sim, before)
    sim.write("net.yaml", friends("other", "two"))
    faults = [sim.run("sim", "fault", one, "deny").out.split()[-1] for one in ("DeleteSecurityGroup", *refused)]
    sim.run("apply", "--yes", status=7)
    for fault in faults:
        sim.run("sim", "remove", "fault", fault)
    run = runs(sim)[0]["id"]
    sim.run("recover", "--grace", "0")
    document = undo(sim, run, "--grace", "0", "--yes")
    assert operations(document) == {"aws.security_group.second": "update"}
    assert document["drift"] == 0
    assert is_as_in(sim, before)


def test_part_by_part(sim):
    """What was named first is no later change to the rest, nor does it come with another part."""
    run = apply_spec(sim, MIXED)
    undo(sim, run, "--yes", "--target", "aws.subnet.a")
    break_undoing(sim, run, "CreateTags", "--target", "aws.vpc.main")
    assert operations(undo(sim, run, "--yes", "--target", "aws.subnet.c")) == {"aws.subnet.c": "delete"}
    assert "aws.subnet.a" not in operations(undo(sim, run, "--yes"))
    assert is_as_in(sim, NET)


GATEWAYS = """\
stack: gates
providers: {aws: {region: us-west-2}}
aws.vpc: {m: {cidr: 10.20.0.0/16}, n: {cidr: 10.30.0.0/16}}
aws.internet_gateway: {x: {vpc: m}}
"""
X, Z = "aws.internet_gateway.x", "aws.internet_gateway.z"
WRITTEN_ANEW = {
    "rebuilt": [("rebuild", "--force", "--yes")],
    "renamed there and back": [("mv", X, Z), ("mv", Z, X)],
}


@pytest.mark.parametrize("commands", WRITTEN_ANEW.values(), ids=WRITTEN_ANEW)
def test_what_only_the_record_has_anew_is_no_later_change(stack, commands):
    simulate(stack, "../world")
    applied(stack, "net.yaml", GATEWAYS)
    run = apply_spec(stack, GATEWAYS.replace("{x: {vpc: m}}", "{x: {vpc: n}, y: {vpc: m}}"))
    break_undoing(stack, run, "AttachInternetGateway")
    for command in commands:
        stack.run("state", *command)
    undo(stack, run, "--yes")
    assert is_as_in(stack, GATEWAYS)


def test_removed_by_another_run_since(sim):
    """What was made again in between and then removed is a later change as ever."""
    moved = NET.replace("10.0.2.0", "10.0.9.0")
    run = apply_spec(sim, moved)
    break_undoing(sim, run, "CreateSubnet")
    apply_spec(sim, moved)
    apply_spec(sim, moved.replace("  b: {vpc: main, cidr: 10.0.9.0/24}\n", ""))
    document = undo(sim, run, "--yes", status=1)
    assert "'aws.subnet.b' is gone since" in document["diagnostics"][0]["message"]


def test_undoing_of_the_undoing_is_cut_off(sim):
    """Whichever of the two is undone again, the world is as before that."""
    run = apply_spec(sim, MIXED)
    undo(sim, run, "--yes")
    back = runs(sim)[0]["id"]
    break_undoing(sim, back, "CreateSubnet")
    undo(sim, run, "--yes")
    assert is_as_in(sim, NET)


def test_undoing_that_was_finished_by_another(sim):
    """What was made since is not taken for what the first one left: the later one is to be undone first."""
    run = apply_spec(sim, MIXED)
    break_undoing(sim, run, "CreateSubnet")
    begun = runs(sim)[0]["id"]
    undo(sim, run, "--yes")
    document = undo(sim, begun, "--yes", status=1)
    (told,) = {(one["message"].split("'")[2], one["hint"].split(",")[0]) for one in document["diagnostics"]}
    later = runs(sim)[0]
    since = f" ({later['command']}, run {later['id'][:8]})"
    assert told == (" is there again, and otherwise" + since, "undo the later run first")
    undo(sim, later["id"], "--yes")
    undo(sim, begun, "--yes")
    assert is_as_in(sim, MIXED)


WORKERS = NET.replace(
    "outputs:",
    """\
aws.launch_template:
  worker: {name: worker, image: ami-0123456789abcdef0, instance_type: t3.micro}
aws.autoscaling_group:
  workers: {name: workers, launch_template: worker, subnets: [a], min: 1, max: 2}
outputs:""",
)
GATEWAY = NET.replace("outputs:", "aws.vpn_gateway:\n  far: {vpc: main}\noutputs:")
EMPTIED = {
    "a group": (WORKERS, "aws.autoscaling_group.workers", "DeleteAutoScalingGroup"),
    "a gateway": (GATEWAY, "aws.vpn_gateway.far", "DeleteVpnGateway"),
}


@pytest.mark.parametrize("whole", [False, True], ids=["no longer in the spec", "destroyed"])
@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
@pytest.mark.parametrize("before, address, operation", EMPTIED.values(), ids=EMPTIED.keys())
def test_a_deletion_that_took_two_runs(sim, before, address, operation, recovered, whole):
    """The first emptied it, or detached it, and was refused; what the second deletes comes back as it was before."""
    apply_spec(sim, before)
    command = ("destroy", "--yes")
    if not whole:
        sim.write("net.yaml", NET)
        command = ("apply", "--yes")
    sim.run("sim", "fault", operation, "deny", "1", "1")
    sim.run(*command, status=7)
    if recovered:
        sim.run("recover", "--grace", "0")
    sim.run(*command)
    second, first = [run["id"] for run in runs(sim) if run["command"] == command[0]][:2]
    assert operations(undo(sim, second, "--yes"))[address] == "create"
    assert undo(sim, second, "--yes")["actions"] == []
    assert address not in operations(undo(sim, first, "--yes"))
    assert is_as_in(sim, before)


def test_a_deletion_that_took_two_runs_and_a_rename_between(sim):
    """What it was detached from goes by another name since."""
    apply_spec(sim, GATEWAY)
    sim.write("net.yaml", NET)
    sim.run("sim", "fault", "DeleteVpnGateway", "deny", "1", "1")
    sim.run("apply", "--yes", status=7)
    sim.run("recover", "--grace", "0")
    sim.run("state", "mv", "aws.vpc.main", "aws.vpc.home")
    undo(sim, apply_spec(sim, NET.replace("main", "home")), "--yes")
    assert is_as_in(sim, GATEWAY.replace("main", "home"))


def group(name, rules):
    return f"  {name}: {{vpc: main, name: {name}, description: {name}, ingress: [{rules}]}}\n"


def of_group(name):
    return f"{{protocol: tcp, from_port: 22, to_port: 22, group: {name}}}"


KEPT = "{protocol: tcp, from_port: 25, to_port: 25, cidr: 10.0.0.0/16}"
FRIENDS = NET.replace("outputs:", group("one", f"{KEPT}, {of_group('two')}") + group("two", of_group("one")) + "outputs:")


@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
@pytest.mark.parametrize("other", [False, True], ids=["the other goes", "the other stays"])
def test_what_a_deletion_let_go_of_and_the_spec_has_no_more(sim, recovered, other):
    """An apply in between has agreed to it: what a later run replaces comes back without."""
    apply_spec(sim, FRIENDS)
    sim.write("net.yaml", NET)
    sim.run("sim", "fault", "DeleteSecurityGroup", "deny", "1", "2")
    sim.run("apply", "--yes", status=7)
    alone = NET.replace("outputs:", group("one", KEPT) + (group("two", KEPT) if other else "") + "outputs:")
    sim.write("net.yaml", alone)
    if recovered:
        sim.run("recover", "--grace", "0")
    apply_spec(sim, alone)
    undo(sim, apply_spec(sim, alone.replace("name: one", "name: first")), "--yes")
    assert is_as_in(sim, alone)


def test_what_a_deletion_let_go_of_and_the_spec_has_none_of(sim):
    """A list of nothing agrees as well as none."""
    apply_spec(sim, FRIENDS)
    sim.write("net.yaml", NET)
    sim.run("sim", "fault", "DeleteSecurityGroup", "deny", "1", "2")
    sim.run("apply", "--yes", status=7)
    bare = NET.replace("outputs:", group("one", KEPT) + group("two", "") + "outputs:")
    apply_spec(sim, bare)
    undo(sim, apply_spec(sim, bare.replace("name: two", "name: second")), "--yes")
    assert is_as_in(sim, bare)


ROUTED = NET.replace("outputs:", """\
aws.internet_gateway:
  way: {vpc: main}
aws.vpn_gateway:
  edge: {vpc: main, asn: 64600}
aws.route_table:
  t:
    vpc: main
    routes: [{destination: 0.0.0.0/0, internet_gateway: way}, {destination: 10.40.0.0/16, vpn_gateway: edge}]
outputs:""")


@pytest.mark.parametrize("parts", [[], ["aws.internet_gateway.way", "aws.route_table.t"]], ids=["whole", "in parts"])
def test_what_a_run_that_was_cut_off_recorded_by_ids_refers_to_what_comes_back(sim, parts):
    """The table had let go of the one gateway, and not got its successor, when the other one went."""
    apply_spec(sim, ROUTED)
    replaced = ROUTED.replace("asn: 64600", "asn: 64601")
    sim.write("net.yaml", replaced)
    fault = sim.run("sim", "fault", "CreateVpnGateway", "deny").out.split()[-1]
    sim.run("apply", "--yes", status=7)
    sim.run("sim", "remove", "fault", fault)
    without = "aws.internet_gateway:\n  way: {vpc: main}\n"
    run = apply_spec(sim, replaced.replace(without, "").replace("{destination: 0.0.0.0/0, internet_gateway: way}, ", ""))
    if parts:
        [told] = undo(sim, run, "--yes", "--target", "aws.route_table.t", status=7)["irreversible"]
        assert "it needs 'aws.internet_gateway.way', which is not there any more" in told["what"]
    for part in parts:
        undo(sim, run, "--yes", "--target", part)
    undo(sim, run, "--yes")
    edge = "aws.vpn_gateway:\n  edge: {vpc: main, asn: 64600}\n"
    assert is_as_in(sim, ROUTED.replace(edge, "").replace(", {destination: 10.40.0.0/16, vpn_gateway: edge}", ""))
    sim.run("drift")
