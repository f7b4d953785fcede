"""`trueup undo RUN`: what a past run changed goes back, on the simulator and on moto's server."""

import sqlite3

import pytest

from cli import Terminal, applied, cloud_stack, recorded, simulate, world  # noqa: F401
from test_cli_runs import gate  # noqa: F401
from test_late_twins import come_late
from test_recover import rows

NET = """\
stack: net
providers: {aws: {region: eu-central-1}}
aws.vpc:
  main: {cidr: 10.0.0.0/16, tags: {team: red, floor: "1"}}
aws.subnet:
  a: {vpc: main, cidr: 10.0.1.0/24}
  b: {vpc: main, cidr: 10.0.2.0/24}
aws.security_group:
  web:
    vpc: main
    name: web
    description: web servers
    ingress:
      - {protocol: tcp, from_port: 443, to_port: 443, cidr: 10.0.0.0/16}
outputs:
  vpc: "${aws.vpc.main.id}"
"""

SUBNETS = """\
  a: {vpc: main, cidr: 10.0.1.0/24}
  b: {vpc: main, cidr: 10.0.2.0/24}
"""
RULE = "      - {protocol: tcp, from_port: 443, to_port: 443, cidr: 10.0.0.0/16}\n"
TWO_RULES = RULE + RULE.replace("443", "80")


@pytest.fixture
def net(cloud_stack):
    """The stack, applied, on the simulator and on moto's server."""
    return applied(cloud_stack, "net.yaml", NET)


@pytest.fixture
def sim(stack):
    """The same on the simulator alone, for what has nothing to do with a server."""
    simulate(stack, "../world")
    return applied(stack, "net.yaml", NET)


def runs(stack):
    """The runs, the newest first."""
    return stack.run("state", "history", "--output", "json").json["runs"]


def apply_spec(stack, text):
    """Applies another spec, and gives the run's id."""
    stack.write("net.yaml", text)
    stack.run("apply", "--yes")
    return runs(stack)[0]["id"]


def undo(stack, run, *arguments, status=0):
    return stack.run("undo", run, "--output", "json", *arguments, status=status).json


def operations(document):
    return {action["address"]: action["operation"] for action in document["actions"]}


def lost(document):
    return {(note["address"], note["what"].split(" than ")[0]) for note in document["irreversible"]}


def is_as_in(stack, text):
    """Whether the world is what that spec says: nothing is left to plan."""
    stack.write("net.yaml", text)
    return stack.run("plan", "--output", "json").json["actions"] == []


CHANGES = {
    "create": (
        NET.replace(SUBNETS, SUBNETS + "  c: {vpc: main, cidr: 10.0.3.0/24}\n"),
        {"aws.subnet.c": "delete"},
        set(),
    ),
    "update of a field": (
        NET.replace("team: red", "team: blue"),
        {"aws.vpc.main": "update"},
        set(),
    ),
    "update of a part": (
        NET.replace(RULE, TWO_RULES),
        {"aws.security_group.web": "update"},
        set(),
    ),
    "a field that the spec did not set before": (
        NET.replace('floor: "1"}}', 'floor: "1"}, dns_hostnames: true}'),
        {"aws.vpc.main": "update"},
        set(),
    ),
    "a part that keeps its value where it is not set": (
        NET.replace("    ingress:\n", "    egress: [{protocol: all, cidr: 10.0.0.0/16}]\n    ingress:\n"),
        {"aws.security_group.web": "update"},
        set(),
    ),
    "what is left to others": (
        NET.replace('floor: "1"}}', 'floor: "1"}, lifecycle: {ignore: [tags]}}'),
        {"aws.vpc.main": "record"},
        set(),
    ),
    "replace": (
        NET.replace("10.0.2.0/24", "10.0.7.0/24"),
        {"aws.subnet.b": "replace"},
        {("aws.subnet.b", "gets another id")},
    ),
    "delete": (
        NET.replace("  b: {vpc: main, cidr: 10.0.2.0/24}\n", ""),
        {"aws.subnet.b": "create"},
        {("aws.subnet.b", "gets another id")},
    ),
    "replace of what others refer to": (
        NET.replace("10.0.", "10.8."),
        {
            "aws.vpc.main": "replace",
            "aws.subnet.a": "replace",
            "aws.subnet.b": "replace",
            "aws.security_group.web": "replace",
        },
        {
            (address, "gets another id")
            for address in ("aws.vpc.main", "aws.subnet.a", "aws.subnet.b", "aws.security_group.web")
        },
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_undone(net, change):
    """The world is as before, and the plan of the spec tells the difference; the undoing can be undone."""
    text, wanted, losses = CHANGES[change]
    run = apply_spec(net, text)
    shown = undo(net, run[:8], "--detailed-exitcode", status=2)
    assert operations(shown) == wanted
    assert lost(shown) == losses
    assert shown["undoes"] == run
    done = undo(net, run[:8], "--yes")
    assert done["digest"] == shown["digest"]
    assert net.run("plan", "--output", "json").json["actions"] != []
    assert undo(net, run[:8], "--detailed-exitcode")["actions"] == []
    history = runs(net)
    assert (history[0]["command"], history[0]["outcome"]) == (f"undo {run[:8]}", "done")
    assert is_as_in(net, NET)
    undo(net, history[0]["id"][:8], "--yes")
    assert is_as_in(net, text)


def test_first_apply_and_destroy(net):
    """All of a stack can go and come again."""
    first = runs(net)[0]["id"]
    before = recorded(net)
    assert set(operations(undo(net, first, "--yes")).values()) == {"delete"}
    assert recorded(net) == {}
    undo(net, runs(net)[0]["id"], "--yes")
    assert is_as_in(net, NET)
    assert recorded(net).keys() == before.keys() and recorded(net) != before
    net.run("destroy", "--yes")
    document = undo(net, runs(net)[0]["id"], "--yes")
    assert operations(document) == {address: "create" for address in before}
    assert {address for address, _ in lost(document)} == set(before)
    assert is_as_in(net, NET)


def test_of_later_runs_the_rest_stays(net):
    """As with a merge: other fields, keys and rules that were changed since are none of the run's business."""
    run = apply_spec(net, NET.replace("team: red", "team: blue").replace(RULE, TWO_RULES))
    later = NET.replace("team: red", "team: blue").replace('floor: "1"', 'floor: "2"')
    apply_spec(net, later.replace(RULE, TWO_RULES + RULE.replace("443", "22")).replace("10.0.2.0", "10.0.9.0"))
    document = undo(net, run[:8], "--yes")
    assert operations(document) == {"aws.vpc.main": "update", "aws.security_group.web": "update"}
    wanted = NET.replace('floor: "1"', 'floor: "2"').replace("10.0.2.0", "10.0.9.0")
    assert is_as_in(net, wanted.replace(RULE, RULE + RULE.replace("443", "22")))


def test_of_what_was_set_first_the_rest_stays(net):
    """What was not set counts as empty, where that is what it is then: a later run's rules and tags stay."""
    web = NET.replace("    ingress:\n" + RULE, "").replace(', tags: {team: red, floor: "1"}', "")
    apply_spec(net, web)
    run = apply_spec(net, NET)
    apply_spec(net, NET.replace(RULE, TWO_RULES).replace('floor: "1"', 'floor: "1", part: b'))
    document = undo(net, run[:8], "--yes")
    assert operations(document) == {"aws.vpc.main": "update", "aws.security_group.web": "update"}
    tagged = NET.replace('{team: red, floor: "1"}', "{part: b}")
    assert is_as_in(net, tagged.replace(RULE, RULE.replace("443", "80")))


BLUE = NET.replace("team: red", "team: blue")
THIRD = NET.replace(SUBNETS, SUBNETS + "  c: {vpc: main, cidr: 10.0.3.0/24}\n")
EXTRA = NET.replace("aws.subnet:", "  extra: {cidr: 10.5.0.0/16}\naws.subnet:")
EXTRA_C = EXTRA.replace(SUBNETS, SUBNETS + "  c: {vpc: extra, cidr: 10.5.1.0/24}\n")
ONE = NET.replace(RULE, RULE.replace("16}", '16, description: "1"}'))
USER = """\
  user:
    vpc: main
    name: user
    description: what web servers may reach
    tags: {floor: one}
    ingress:
      - {protocol: tcp, from_port: 5432, to_port: 5432, group: web}
"""
LESS = NET.replace("  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")


@pytest.mark.parametrize(
    "run, later, said",
    [
        (BLUE, NET.replace("team: red", "team: green"), "'aws.vpc.main' has changed again since: 'tags.team'"),
        (BLUE, NET.replace('{team: red, floor: "1"}', '{floor: "1"}'), "'aws.vpc.main' has changed again since"),
        (THIRD, THIRD.replace("10.0.3.0", "10.0.4.0"), "'aws.subnet.c' has changed again since"),
        (LESS, NET.replace("10.0.2.0", "10.0.9.0"), "'aws.subnet.b' is there again, and otherwise"),
        (
            NET.replace(SUBNETS, SUBNETS + "  c: {vpc: main, cidr: 10.0.3.0/24}\n").replace("10.0.2.0", "10.0.9.0"),
            LESS,
            "'aws.subnet.b' is gone since",
        ),
        (ONE, ONE.replace('"1"}', '"2"}'), "'ingress[tcp 443 443 10.0.0.0/16]'"),
        (ONE, NET.replace("ingress:\n" + RULE, "ingress: []\n"), "'ingress[tcp 443 443 10.0.0.0/16]'"),
    ],
    ids=[
        "another value",
        "taken out",
        "made and changed",
        "removed and made",
        "changed and removed",
        "another rule",
        "rule taken out",
    ],
)
def test_conflict(sim, run, later, said):
    """What later runs changed likewise is named with the run, and nothing is done."""
    id = apply_spec(sim, run)
    since = apply_spec(sim, later)
    before = recorded(sim)
    document = undo(sim, id[:8], "--yes", status=1)
    messages = [one["message"] for one in document["diagnostics"]]
    named = "" if "again, and" in said else f"run {since[:8]})"
    assert any(said in message and named in message for message in messages), messages
    assert recorded(sim) == before and runs(sim)[0]["id"] == since


def test_what_others_need_stays(sim):
    """A thing that a later run built upon is not taken away; the rest can be had by --target."""
    run = apply_spec(sim, EXTRA.replace("red", "blue"))
    apply_spec(sim, EXTRA_C.replace("red", "blue"))
    document = undo(sim, run[:8], "--yes", status=1)
    assert "'aws.subnet.c' needs 'aws.vpc.extra', which the run made" in document["diagnostics"][0]["message"]
    document = undo(sim, run[:8], "--yes", "--target", "aws.vpc.main")
    assert operations(document) == {"aws.vpc.main": "update"}
    document = undo(sim, run[:8], "--target", "aws.vpc.none", status=1)
    assert "the run did not change 'aws.vpc.none'" in document["diagnostics"][0]["message"]


def test_what_others_need_stays_beside_what_was_forgotten(sim):
    """Something else that they need, and that is recorded no longer, does not hide it."""
    made = NET.replace("outputs:", "  work: {vpc: main, name: work, description: workers}\noutputs:")
    run = apply_spec(sim, made)
    rule = RULE.replace("cidr: 10.0.0.0/16", "group: work")
    apply_spec(sim, made.replace("outputs:", USER + rule + "outputs:"))
    sim.run("state", "rm", "aws.security_group.web", "--yes")
    document = undo(sim, run[:8], "--yes", status=1)
    told = "'aws.security_group.user' needs 'aws.security_group.work', which the run made"
    assert told in document["diagnostics"][0]["message"]


def test_what_it_needs_is_gone(sim):
    """What cannot be made again is listed with the reason, and the rest goes back."""
    apply_spec(sim, EXTRA_C)
    run = apply_spec(sim, EXTRA.replace("red", "blue"))
    later = apply_spec(sim, BLUE)[:8]
    document = undo(sim, run[:8], "--yes", status=7)
    assert operations(document) == {"aws.vpc.main": "update"}
    gone = f"it needs 'aws.vpc.extra', which is not there any more (apply, run {later}); first undo that run"
    assert document["irreversible"] == [
        {
            "address": "aws.subnet.c",
            "what": f"is not made again: {gone}",
            "stays": True,
        }
    ]
    assert undo(sim, run[:8], "--detailed-exitcode", status=7)["actions"] == []


def test_what_it_needs_is_called_alike(sim):
    """What the change needed then and no longer does is not taken for what it needs now."""
    base = NET.replace("outputs:", USER + "outputs:")
    apply_spec(sim, base)
    run = apply_spec(sim, base.replace("floor: one", "floor: two"))
    later = base.replace("  web:", "  web2:").replace("name: web", "name: web2").replace("group: web", "group: web2")
    apply_spec(sim, later.replace("floor: one", "floor: two"))
    assert operations(undo(sim, run[:8], "--yes")) == {"aws.security_group.user": "update"}
    assert is_as_in(sim, later)


def test_renamed_since(sim):
    run = apply_spec(sim, BLUE)
    sim.run("state", "mv", "aws.vpc.main", "aws.vpc.first")
    document = undo(sim, run[:8], "--yes", status=1)
    assert "'aws.vpc.main' is called 'aws.vpc.first' since" in document["diagnostics"][0]["message"]


def test_drift_elsewhere_is_left_alone(stack, moto):
    """Only the fields that the run changed go back, whatever else has moved; the next plan tells of that."""
    stack.environment.update(AWS_ENDPOINT_URL=moto.address)
    base = NET.replace("cidr: 10.0.0.0/16, tags", "cidr: 10.0.0.0/16, dns_hostnames: true, tags")
    apply_spec(stack, base)
    run = apply_spec(stack, base.replace("team: red", "team: blue"))
    ec2, vpc = moto.client("ec2"), recorded(stack)["aws.vpc.main"]
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": False})
    document = undo(stack, run[:8], "--yes")
    assert [change["path"] for action in document["actions"] for change in action["changes"]] == ["tags.team"]
    assert not ec2.describe_vpc_attribute(VpcId=vpc, Attribute="enableDnsHostnames")["EnableDnsHostnames"]["Value"]
    stack.write("net.yaml", base)
    changes = stack.run("plan", "--output", "json").json["actions"][0]["changes"]
    assert [(change["path"], change["cause"]) for change in changes] == [("dns_hostnames", "drift")]


@pytest.mark.parametrize("whole", [True, False], ids=["the last of its kind goes", "the run did not touch its address"])
def test_twin(sim, whole):
    """What a call of ours made twice goes with the undoing, and drift at the same address stays."""
    run = runs(sim)[0]["id"] if whole else apply_spec(sim, THIRD)
    wanted = {address: "delete" for address in recorded(sim)} if whole else {"aws.subnet.c": "delete"}
    if not whole:
        sim.run("sim", "change", "vpc", recorded(sim)["aws.vpc.main"], "tags.team=green")
    twin = come_late(sim, rows(sim, "SELECT lower(hex(intent)) FROM history WHERE operation = 'CreateVpc'")[0][0])
    told = f"{twin} was made for 'aws.vpc.main' by a call that came late"
    shown = sim.run("undo", run, "--detailed-exitcode", status=2)
    assert f"{told}: the next apply of the whole stack deletes it" in shown.err
    assert [line for line in shown.out.splitlines() if "DELETE, made by a call that came late" in line and twin in line]
    assert twin in world(sim, "vpc")
    document = undo(sim, run, "--yes")
    assert operations(document) == {**wanted, "aws.vpc.main": "delete"}
    assert twin in {action.get("provider_id") for action in document["actions"]}
    assert set(world(sim, "vpc")) == (set() if whole else {recorded(sim)["aws.vpc.main"]})
    assert operations(undo(sim, run, "--detailed-exitcode")) == {}
    if not whole:
        sim.write("net.yaml", NET)
        (drifted,) = sim.run("plan", "--output", "json").json["actions"]
        assert [change["cause"] for change in drifted["changes"]] == ["drift"]


def test_twin_beside_what_was_chosen(sim):
    """--target keeps to what it names; what was recorded of the twin is deleted by the next apply."""
    run = apply_spec(sim, THIRD)
    twin = come_late(sim, rows(sim, "SELECT lower(hex(intent)) FROM history WHERE operation = 'CreateVpc'")[0][0])
    document = undo(sim, run, "--yes", "--target", "aws.subnet.c")
    assert operations(document) == {"aws.subnet.c": "delete"}
    sim.write("net.yaml", NET)
    assert twin in sim.run("apply", "--yes").out
    assert twin not in world(sim, "vpc")
    assert is_as_in(sim, NET)


def test_what_it_needs_has_vanished(sim):
    """All is read, and only what goes back is judged: what refers to a VPC that is gone is not made anew for it."""
    run = apply_spec(sim, NET.replace("cidr: 10.0.1.0/24", "cidr: 10.0.1.0/24, tags: {team: red}"))
    sim.run("sim", "remove", "vpc", recorded(sim)["aws.vpc.main"])
    assert operations(undo(sim, run, "--yes")) == {"aws.subnet.a": "update"}
    sim.write("net.yaml", NET)
    assert operations(sim.run("plan", "--output", "json").json)["aws.vpc.main"] == "create"


GONE = "does not go back: it was deleted outside of this stack"


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "beside another"])
def test_what_was_deleted_outside(sim, alone):
    """The run did not remove it, so it is not made: that is told, and what else the run did goes back."""
    text = NET.replace("cidr: 10.0.1.0/24", "cidr: 10.0.1.0/24, tags: {team: red}")
    run = apply_spec(sim, text if alone else text.replace("team: red, floor", "team: blue, floor"))
    sim.run("sim", "remove", "subnet", recorded(sim)["aws.subnet.a"])
    shown = undo(sim, run, "--detailed-exitcode", status=7 if alone else 2)
    document = undo(sim, run, "--yes", status=7)
    assert operations(shown) == operations(document) == ({} if alone else {"aws.vpc.main": "update"})
    assert document["irreversible"] == [{"address": "aws.subnet.a", "what": GONE, "stays": True}]
    assert len(world(sim, "subnet")) == 1
    sim.write("net.yaml", NET)
    assert operations(sim.run("plan", "--output", "json").json) == {"aws.subnet.a": "create"}


def test_what_is_removed_needs_what_was_deleted_outside(sim):
    """Nothing is made in a network that is no more, and none is made for it."""
    run = apply_spec(sim, NET.replace("  b: {vpc: main, cidr: 10.0.2.0/24}\n", ""))
    sim.run("sim", "remove", "vpc", recorded(sim)["aws.vpc.main"])
    document = undo(sim, run, "--yes", status=7)
    assert document["actions"] == [] and "it needs 'aws.vpc.main'" in document["irreversible"][0]["what"]


def test_what_was_replaced_and_deleted_outside(sim):
    """The old one the run removed: that comes back; what only followed the new one, and is gone, does not."""
    template = "aws.launch_template:\n  t: {name: machines, image: ami-0123456789abcdef0, security_groups: [web]}\noutputs:"
    apply_spec(sim, NET.replace("outputs:", template))
    run = apply_spec(sim, NET.replace("outputs:", template).replace("name: web", "name: web2"))
    for kind, address in [("security-group", "aws.security_group.web"), ("launch-template", "aws.launch_template.t")]:
        sim.run("sim", "remove", kind, recorded(sim)[address])
    assert operations(undo(sim, run, "--yes")) == {"aws.security_group.web": "create"}
    assert undo(sim, run, "--yes")["actions"] == []


@pytest.mark.parametrize("variable", [{"TRUEUP_DETAILED_EXITCODE": "1"}, {"TRUEUP_OUT": "back.plan"}], ids="".join)
def test_what_the_environment_says_for_plans(sim, variable):
    """It makes no plan of an undoing that was asked for."""
    run = apply_spec(sim, THIRD)
    sim.run("undo", run[:8], "--yes", **variable)
    assert "aws.subnet.c" not in recorded(sim)
    assert not (sim.folder / "back.plan").exists()


def test_asked_and_saved(sim):
    """It is confirmed like an apply, and its plan can be saved, shown and applied without the spec."""
    run = apply_spec(sim, THIRD)
    terminal = Terminal(sim, "undo", run[:8])
    terminal.read_until("Apply this?")
    terminal.type("no\n")
    terminal.end(1)
    assert "aws.subnet.c" in recorded(sim)
    result = sim.run("undo", run[:8], "--out", "back.plan")
    assert f"undoes run {run[:8]}" in result.out and "DELETE, the run made it" in result.out
    assert "aws.subnet.c" in recorded(sim)
    sim.run("undo", run[:8], "--yes", "--digest", "00000000", status=4)
    sim.run("undo", run[:8], "--yes", "--max-delete", "0", status=6)
    (sim.folder / "net.yaml").rename(sim.folder / "net.txt")
    shown = sim.run("show", "back.plan")
    assert f"undoes run {run[:8]}" in shown.out and "DELETE, the run made it" in shown.out
    applied = sim.run("apply", "back.plan", "--output", "json").json
    assert applied["undoes"] == run
    assert "aws.subnet.c" not in recorded(sim)
    assert runs(sim)[0]["command"] == f"undo {run[:8]}"


@pytest.mark.parametrize("change", ["a part that keeps its value where it is not set", "what is left to others"])
def test_saved(sim, change):
    """So a saved plan does, which is applied without the spec."""
    run = apply_spec(sim, CHANGES[change][0])
    sim.run("undo", run, "--out", "back.plan")
    (sim.folder / "net.yaml").rename(sim.folder / "net.txt")
    sim.run("apply", "back.plan")
    assert is_as_in(sim, NET)


def test_what_cannot_be_undone(sim):
    """Runs that changed the record alone, that are not there, or that an older version made."""
    sim.run("state", "rm", "--yes", "aws.subnet.b")
    result = sim.run("undo", runs(sim)[0]["id"][:8], status=1)
    assert "was 'state rm', which changed nothing but the record" in result.err
    assert "no run is recorded whose id begins with 'ffff'" in sim.run("undo", "ffff", status=1).err
    first = runs(sim)[-1]["id"]
    with sqlite3.connect(sim.folder / ".trueup/state.db") as database:
        database.execute("DELETE FROM formers")
    database.close()
    assert "was made by an older version, which did not keep what it found" in sim.run("undo", first[:8], status=1).err


def test_refused(sim):
    """A run each call of which was refused did nothing, and that is said."""
    sim.run("sim", "fault", "CreateTags", "deny")
    sim.write("net.yaml", BLUE)
    sim.run("apply", "--yes", status=(1, 7))
    run = runs(sim)[0]["id"]
    for arguments in (["--yes"], ["--detailed-exitcode"]):
        assert "the run did nothing, each of its calls was refused" in sim.run("undo", run, *arguments).out
    assert sim.run("drift", "--output", "json").json["unfinished"] == []


def test_what_was_refused_because_it_was_done(sim):
    """A call that was lost is sent again and refused: it did something, which is undone, and then nothing is left of it."""
    sim.run("sim", "fault", "DeleteSubnet", "lost_answer", 1, 1)
    sim.write("net.yaml", LESS)
    sim.run("apply", "--yes")
    run = runs(sim)[0]["id"]
    assert "1 create" in sim.run("undo", run, "--yes").out
    assert "what the run changed is as it was recorded before" in sim.run("undo", run, "--yes").out


def test_run_of_long_ago(sim):
    """What a run found is dropped once it is older than 90 days and than the last 100 runs."""
    first = runs(sim)[-1]["id"]
    with sqlite3.connect(sim.folder / ".trueup/state.db") as database:
        database.execute("UPDATE runs SET started_ms = started_ms - 91 * 86400000")
        database.executemany(
            "INSERT INTO runs (id, command, plan_digest, host, process, started_ms, ended_ms, outcome)"
            " VALUES (?, 'apply', '', '', 1, 1, 2, 'done')",
            [(number.to_bytes(16, "big"),) for number in range(1, 101)],
        )
    database.close()
    assert "0 create" in sim.run("undo", first[:8], "--detailed-exitcode", status=2).out
    apply_spec(sim, BLUE)
    assert "not recorded any more: it is older than 90 days" in sim.run("undo", first[:8], status=1).err


@pytest.mark.parametrize("held", ["before", "after"])
def test_cut_off(stack, gate, moto, held):
    """What a killed run had begun is settled first, and then undone like anything else."""
    stack.environment.update(AWS_ENDPOINT_URL=gate.url)
    apply_spec(stack, NET)
    stack.write("net.yaml", THIRD.replace("red", "blue"))
    setattr(gate, held, "CreateSubnet")
    process = stack.start("apply", "--yes")
    assert gate.held.wait(120)
    process.kill()
    process.communicate()
    gate.open()
    run = runs(stack)[0]["id"]
    undo(stack, run, "--yes")
    assert is_as_in(stack, NET)
    filters = [{"Name": "vpc-id", "Values": [recorded(stack)["aws.vpc.main"]]}]
    assert len(moto.client("ec2").describe_subnets(Filters=filters)["Subnets"]) == 2


def test_protected_until_now(sim):
    """The refusal says how what is protected can go: having done so is no later change that stands in the way."""
    run = apply_spec(sim, THIRD.replace("10.0.3.0/24}", "10.0.3.0/24, lifecycle: {protect: true}}"))
    refused = sim.run("undo", run, "--yes", status=1).err
    assert "'aws.subnet.c' is protected, so it is not destroyed" in refused and "apply it once without 'protect'" in refused
    apply_spec(sim, THIRD)
    assert operations(undo(sim, run, "--yes")) == {"aws.subnet.c": "delete"}
    assert is_as_in(sim, NET)


def test_gone_before_the_undoing(sim):
    """What the run made and somebody has removed: nothing is called, and that is why."""
    run = apply_spec(sim, THIRD)
    sim.run("sim", "remove", "subnet", recorded(sim)["aws.subnet.c"])
    assert "forget, gone already" in sim.run("undo", run, "--yes").out
    assert is_as_in(sim, NET)


def test_forgotten_since(sim):
    """No hint leads to a run that cannot be undone; once it is recorded again its own can be."""
    run = apply_spec(sim, BLUE)
    sim.run("state", "rm", "--yes", "aws.vpc.main")
    refused = sim.run("undo", run, status=1).err
    assert "'aws.vpc.main' is gone since (state rm, run " in refused
    assert "where it is still there, 'trueup state rebuild --force' records it again: do that before, or name" in refused
    sim.run("state", "rebuild", "--force", "--yes")
    sim.run("undo", run, "--yes")
    assert is_as_in(sim, NET)


def test_nothing_recorded(stack):
    """Where there is no state there is nothing to undo, and none is made."""
    simulate(stack)
    stack.write("net.yaml", NET)
    assert "there is no state file" in stack.run("undo", "01234567", status=1).err
    assert not (stack.folder / ".trueup").exists()


def test_older_state(sim):
    """A state of the format before is brought up when it is opened for writing."""
    with sqlite3.connect(sim.folder / ".trueup/state.db") as database:
        database.executescript(
            "DROP TABLE formers; DROP TABLE watched; DROP TABLE step_times;"
            "ALTER TABLE stack DROP COLUMN sealing_key; ALTER TABLE intents DROP COLUMN sealed; ALTER TABLE intents DROP COLUMN sent_ms;"
            "DELETE FROM migrations WHERE version > 1; PRAGMA user_version = 1;"
        )
    database.close()
    assert "of an older format" in sim.run("state", "list", status=1).err
    run = apply_spec(sim, BLUE)
    undo(sim, run, "--yes")
    assert is_as_in(sim, NET)
