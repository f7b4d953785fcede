"""A state older than what is there, because a backup was put back: nothing is made a second time, and nothing forgotten."""

import json
import re
import shutil

import pytest

from cli import applied, cloud_stack, recorded, simulate, world  # noqa: F401

BASE = """\
stack: net
providers: {aws: {region: eu-central-1}}
aws.vpc:
  main: {cidr: 10.0.0.0/16}
aws.subnet:
  a: {vpc: main, cidr: 10.0.1.0/24}
"""
# Of a kind that the backup knows, and of one that it does not.
SINCE = BASE + "  b: {vpc: main, cidr: 10.0.2.0/24}\naws.route_table: {t: {vpc: main}}\n"


def go_back(stack, spec):
    """Applies the spec, and puts the state of before back. Gives what was recorded then."""
    stack.run("state", "backup", "before.db", "--force")
    applied(stack, "net.yaml", spec)
    since = recorded(stack)
    put_back(stack)
    return since


def put_back(stack):
    for end in "-wal", "-shm":
        (stack.folder / f".trueup/state.db{end}").unlink(missing_ok=True)
    (stack.folder / "before.db").rename(stack.folder / ".trueup/state.db")


@pytest.fixture
def older(cloud_stack):  # noqa: F811
    """The stack, whose record knows nothing of a subnet and a route table; and what knew them."""
    return applied(cloud_stack, "net.yaml", BASE), go_back(cloud_stack, SINCE)


@pytest.fixture
def sim(stack):
    """The stack of before on the simulator, beside its folder."""
    simulate(stack, "../world")
    return applied(stack, "net.yaml", BASE)


@pytest.fixture
def older_sim(sim):
    return sim, go_back(sim, SINCE)


def told(id, address):
    return f"warning: {id} carries the tags of this stack, as '{address}', and is not recorded"


def all_told(result, since):
    return all(told(since[address], address) in result.err for address in ("aws.subnet.b", "aws.route_table.t"))


def test_what_was_made_since_is_not_made_twice(older):
    stack, since = older
    result = stack.run("plan")
    assert all_told(result, since) and "'trueup state rebuild --force'" in result.err
    document = stack.run("plan", "--output", "json").json
    # Who answers, the pages of the two kinds that are recorded, and of the one that is not.
    assert document["calls"] == 4
    result = stack.run("drift", status=2)
    assert all_told(result, since) and result.err.count(": an apply is refused, for it would make it twice") == 2
    assert all_told(stack.run("recover", status=7), since)
    result = stack.run("apply", "--yes", status=4)
    assert all_told(result, since) and "made by this stack and not recorded, and 1 more of the spec" in result.err
    assert "apply with --force" in result.err
    assert "the plan is not saved" in stack.run("plan", "--out", "p.plan", status=4).err
    assert recorded(stack).keys() == {"aws.vpc.main", "aws.subnet.a"}
    stack.run("state", "rebuild", "--force", "--yes")
    assert recorded(stack) == since
    assert stack.run("plan", "--output", "json").json["actions"] == []


def test_it_stays_where_everything_is_to_go(older_sim):
    """A clean-up that leaves something behind is not green."""
    stack, since = older_sim
    result = stack.run("destroy", "--yes", status=4)
    assert all_told(result, since) and "destroy with --force" in result.err
    assert "a destroy would leave it where it is" in result.err and "twice" not in result.err
    assert "the plan is not saved" in stack.run("plan", "--destroy", "--out", "p.plan", status=4).err
    assert recorded(stack).keys() == {"aws.vpc.main", "aws.subnet.a"}
    # Whoever names what is to go means that.
    stack.run("destroy", "--yes", "--target", "aws.subnet.a")
    stack.run("state", "rm", "aws.vpc.main", "--yes")
    stack.run("plan", "--destroy", "--detailed-exitcode", status=2)
    stack.run("state", "rebuild", "--force", "--yes")
    stack.run("destroy", "--yes")
    assert not world(stack, "subnet") and not world(stack, "vpc")


def test_it_is_left_where_that_is_meant(older_sim):
    stack, since = older_sim
    stack.run("destroy", "--yes", "--force", "--target", "aws.subnet.a")
    assert set(world(stack, "subnet")) == {since["aws.subnet.b"]}


def test_everything_is_to_go_and_a_kind_cannot_be_listed(older_sim):
    """What is there of it would stay, and nobody knows whether anything is."""
    stack, since = older_sim
    stack.run("plan", "--destroy", "--target", "aws.subnet.a", "--out", "a.plan")
    fault = stack.run("sim", "../world", "fault", "DescribeRouteTables", "deny").out.split()[-1]
    stack.write("net.yaml", SINCE.replace("  b: {vpc: main, cidr: 10.0.2.0/24}\n", ""))
    result = stack.run("plan", "--destroy", status=3)
    assert result.err.count("cannot be told: 'aws.route_table' could not be listed") == 1
    assert "a destroy would leave" in result.err and "twice" not in result.err
    assert "the plan is not saved: it may leave" in stack.run("plan", "--destroy", "--out", "p.plan", status=3).err
    assert "destroy with --force" in stack.run("destroy", "--yes", status=3).err
    assert recorded(stack).keys() == {"aws.vpc.main", "aws.subnet.a"}
    # Whoever names what is to go means that.
    stack.run("plan", "--destroy", "--target", "aws.subnet.a")
    stack.run("apply", "a.plan")
    assert "destroy with --force" in stack.run("destroy", "--yes", status=3).err
    stack.run("sim", "../world", "remove", "fault", fault)
    stack.run("state", "rebuild", "--force", "--yes")
    stack.run("destroy", "--yes")
    assert not world(stack, "vpc")


@pytest.mark.parametrize("denied", [False, True])
def test_saved_plan_that_removes_everything(sim, denied):
    """Made before more was made; the state of before that is put back, and it is applied."""
    sim.write("net.yaml", SINCE)
    sim.run("plan", "--destroy", "--out", "p.plan")
    since = go_back(sim, SINCE)
    if denied:
        sim.write("net.yaml", BASE + "aws.route_table: {t: {vpc: main}}\n")
        sim.run("sim", "../world", "fault", "DescribeRouteTables", "deny")
    result = sim.run("apply", "p.plan", status=3 if denied else 4)
    assert "'aws.route_table' could not be listed" in result.err if denied else all_told(result, since)
    assert recorded(sim).keys() == {"aws.vpc.main", "aws.subnet.a"}
    result = sim.run("destroy", "--force", "--yes", "--target", "aws.subnet.a")
    assert "destroy with --force" not in result.err


def test_made_twice_where_that_is_meant(sim):
    since = go_back(sim, BASE + "aws.route_table: {t: {vpc: main}}\n")["aws.route_table.t"]
    result = sim.run("apply", "--yes", "--force")
    assert f"warning: 'aws.route_table.t' is there as {since}, made by this stack and not recorded\n" in result.err
    assert recorded(sim)["aws.route_table.t"] != since
    # What is left is named still, and stops nothing any more.
    result = sim.run("apply", "--yes")
    assert told(since, "aws.route_table.t") in result.err and "it is left alone" in result.err


def test_what_else_is_made_is_made(older_sim):
    stack, since = older_sim
    stack.write("net.yaml", SINCE + "aws.internet_gateway: {g: {}}\n")
    stack.run("apply", "--yes", "--target", "aws.internet_gateway.g")
    assert "aws.internet_gateway.g" in recorded(stack)
    stack.run("apply", "--yes", "--target", "aws.route_table.t", status=4)


def test_replaced_since(sim):
    """What the older state names is gone, and what came in its place is not recorded."""
    since = go_back(sim, BASE.replace("10.0.1.0", "10.0.7.0"))
    gone = recorded(sim)["aws.subnet.a"]
    result = sim.run("apply", "--yes", status=4)
    assert told(since["aws.subnet.a"], "aws.subnet.a") in result.err
    assert set(world(sim, "subnet")) == {since["aws.subnet.a"]} != {gone}


def regions(stack, kind):
    """How many things of the type there are, by region."""
    shown = json.loads(stack.run("sim", "../world", "show", kind).out)
    return {region: len(things[kind]) for region, things in shown.items() if things.get(kind)}


ONE = "stack: net\nproviders: {aws: {region: %s}}\naws.vpc:\n  main: {cidr: 10.0.0.0/16}\n"


def test_what_is_gone_is_made_where_its_provider_reaches_now(stack):
    simulate(stack, "../world")
    applied(stack, "net.yaml", ONE % "us-west-2")
    stack.run("sim", "../world", "remove", "vpc", recorded(stack)["aws.vpc.main"])
    applied(stack, "net.yaml", ONE % "eu-central-1")
    assert regions(stack, "vpc") == {"eu-central-1": 1}
    assert stack.run("plan", "--output", "json").json["actions"] == []


def test_moved_since_to_another_region(stack):
    """What the older state names is gone from the one, and what came in its place stands in the other."""
    simulate(stack, "../world")
    applied(stack, "net.yaml", ONE % "us-west-2")
    since = go_back(stack, ONE % "eu-central-1")["aws.vpc.main"]
    assert told(since, "aws.vpc.main") in stack.run("drift", status=2).err
    assert told(since, "aws.vpc.main") in stack.run("apply", "--yes", status=4).err
    assert "the plan is not saved" in stack.run("plan", "--out", "p.plan", status=4).err
    # Where nobody can tell whether it is there it waits.
    stack.run("sim", "../world", "fault", "DescribeVpcs", "deny", AWS_REGION="eu-central-1")
    assert [one["address"] for one in stack.run("plan", "--output", "json", status=3).json["unread"]] == ["aws.vpc.main"]
    stack.run("apply", "--yes", status=3)
    assert regions(stack, "vpc") == {"eu-central-1": 1}


@pytest.mark.parametrize("refresh", ["full", "none"])
def test_saved_plan(sim, refresh):
    """Made before the older state was put back, or without reading: its apply looks for what it makes."""
    sim.write("net.yaml", SINCE)
    sim.run("plan", f"--refresh={refresh}", "--out", "p.plan")
    since = go_back(sim, SINCE)
    result = sim.run("apply", "p.plan", status=4)
    assert "made by this stack and not recorded, and 1 more of the spec" in result.err
    assert set(world(sim, "subnet")) == {since["aws.subnet.a"], since["aws.subnet.b"]}


def test_saved_plan_once_more(sim):
    """It makes anew what was gone; the state of before its first apply is put back, and it is applied again."""
    sim.write("net.yaml", ONE % "eu-central-1")
    sim.run("apply", "--yes")
    sim.run("sim", "../world", "remove", "vpc", recorded(sim)["aws.vpc.main"])
    sim.run("plan", "--out", "p.plan")
    sim.run("state", "backup", "before.db")
    sim.run("apply", "p.plan")
    since = recorded(sim)["aws.vpc.main"]
    put_back(sim)
    assert told(since, "aws.vpc.main") in sim.run("apply", "p.plan", status=4).err
    fault = sim.run("sim", "../world", "fault", "DescribeVpcs", "deny").out.split()[-1]
    assert "it cannot be read now: could not read aws.vpc" in sim.run("apply", "p.plan", status=4).err
    sim.run("sim", "../world", "remove", "fault", fault)
    assert set(world(sim, "vpc")) == {since}


def test_empty_state_of_before(stack):
    """Put back where nothing had been recorded yet: it is the lineage of what is there."""
    simulate(stack, "../world")
    stack.write("net.yaml", BASE)
    stack.run("plan", "--out", "p.plan")
    since = go_back(stack, BASE)
    assert "made by this stack and not recorded" in stack.run("apply", "p.plan", status=4).err
    assert "made by this stack and not recorded" in stack.run("apply", "--yes", status=4).err
    assert set(world(stack, "vpc")) == {since["aws.vpc.main"]}


def test_undoing_makes_nothing_twice(sim):
    """What a run removed and an undoing brought back is there, though the older state does not know it."""
    sim.write("net.yaml", BASE.partition("aws.subnet")[0])
    sim.run("apply", "--yes")
    run = sim.run("state", "history", "--output", "json").json["runs"][0]["id"]
    since = go_back(sim, BASE)
    assert "undo with --force" in sim.run("undo", "--yes", run, status=4).err
    assert set(world(sim, "subnet")) == {since["aws.subnet.a"]}


def runs(stack):
    return [run["id"] for run in stack.run("state", "history", "--output", "json").json["runs"]]


def left(result, since):
    return f"{told(since['aws.subnet.a'], 'aws.subnet.a')}: a destroy would leave it where it is" in result.err


def test_undoing_leaves_nothing(sim):
    """What the run made was replaced since: the older state knows the old one alone."""
    [run] = runs(sim)
    since = go_back(sim, BASE.replace("10.0.1.0", "10.0.7.0"))
    result = sim.run("undo", "--yes", run, status=4)
    assert left(result, since) and "undo with --force" in result.err
    assert set(world(sim, "subnet")) == {since["aws.subnet.a"]}


@pytest.mark.parametrize("saved", [False, True])
def test_what_was_replaced_since_is_not_forgotten(sim, saved):
    """The spec no longer has it, and its record would go."""
    spec = BASE.partition("aws.subnet")[0]
    if saved:
        sim.run("sim", "../world", "remove", "subnet", recorded(sim)["aws.subnet.a"])
        sim.write("net.yaml", spec)
        sim.run("plan", "--out", "p.plan")
    since = go_back(sim, BASE.replace("10.0.1.0", "10.0.7.0"))
    sim.write("net.yaml", spec)
    assert left(sim.run("plan"), since)
    result = sim.run("apply", *["p.plan" if saved else "--yes"], status=4)
    assert left(result, since) and "apply with --force" in result.err
    assert "the plan is not saved" in sim.run("plan", "--out", "q.plan", status=4).err
    assert set(world(sim, "subnet")) == {since["aws.subnet.a"]}
    sim.run("apply", "--yes", "--force")
    assert recorded(sim).keys() == {"aws.vpc.main"}


RENAMED = BASE.replace("  a:", "  z:")


@pytest.mark.parametrize("saved", [False, True])
def test_what_was_renamed_since_is_not_made_anew(sim, saved):
    """The older state has it under the name of before, which the spec no longer has: its tags tell."""
    id = recorded(sim)["aws.subnet.a"]
    sim.run("state", "mv", "aws.subnet.a", "aws.subnet.z")
    sim.write("net.yaml", RENAMED)
    sim.run("state", "backup", "before.db")
    sim.run("state", "mv", "aws.subnet.z", "aws.subnet.a")
    sim.write("net.yaml", BASE)
    put_back(sim)
    if saved:
        sim.run("plan", "--refresh=none", "--out", "p.plan")
    what = f"{id} carries the tags of this stack, as 'aws.subnet.a', and is recorded as 'aws.subnet.z'"
    hint = "'trueup state mv aws.subnet.z aws.subnet.a'"
    result = sim.run("plan")
    assert what in result.err and hint in result.err
    result = sim.run("apply", *["p.plan" if saved else "--yes"], status=4)
    assert what in result.err and hint in result.err
    assert f"'aws.subnet.a' is there as {id}, made by this stack and recorded as 'aws.subnet.z'" in result.err
    assert "the plan is not saved" in sim.run("plan", "--out", "q.plan", status=4).err
    assert set(world(sim, "subnet")) == {id}
    sim.run("state", "mv", "aws.subnet.z", "aws.subnet.a")
    assert sim.run("plan", "--output", "json").json["actions"] == []


def test_what_is_renamed_stays(sim):
    """A name that is given away and taken by a new one is no sign of an older state."""
    id = recorded(sim)["aws.subnet.a"]
    sim.run("state", "mv", "aws.subnet.a", "aws.subnet.z")
    applied(sim, "net.yaml", RENAMED + "  a: {vpc: main, cidr: 10.0.2.0/24}\n")
    assert recorded(sim)["aws.subnet.z"] == id and len(world(sim, "subnet")) == 2


def test_what_bears_tags_of_another_stack_is_not_renamed(sim):
    """Somebody else's tags tell nothing of how this stack called it."""
    id = recorded(sim)["aws.subnet.a"]
    sim.run("sim", "../world", "change", "subnet", id, "tags.trueup:stack=" + "f" * 32, "tags.trueup:address=aws.subnet.z")
    sim.write("net.yaml", RENAMED)
    result = sim.run("plan", status=1)
    assert "its tags name another owner" in result.err and "state mv" not in result.err


def test_what_is_renamed_to_what_goes_as_well_goes(sim):
    """Its tags name what the spec does not have either: nothing is made there."""
    sim.write("net.yaml", BASE + "  b: {vpc: main, cidr: 10.0.2.0/24}\n")
    sim.run("apply", "--yes")
    ids = recorded(sim)
    sim.run("sim", "../world", "remove", "subnet", ids["aws.subnet.b"])
    sim.run("sim", "../world", "change", "subnet", ids["aws.subnet.a"], "tags.trueup:address=aws.subnet.b")
    sim.write("net.yaml", BASE.partition("aws.subnet")[0])
    assert "state mv" not in sim.run("apply", "--yes").err
    assert not world(sim, "subnet")


def test_what_is_of_another_kind_is_not_made_twice(sim):
    """Tags that were copied from a subnet to a route table: the subnet is gone, and is made anew."""
    applied(sim, "net.yaml", BASE + "aws.route_table: {t: {vpc: main}}\n")
    table = go_back(sim, BASE + "aws.route_table: {t: {vpc: main}, u: {vpc: main}}\n")["aws.route_table.u"]
    sim.run("sim", "../world", "change", "route-table", table, "tags.trueup:address=aws.subnet.a")
    sim.run("sim", "../world", "remove", "subnet", recorded(sim)["aws.subnet.a"])
    sim.write("net.yaml", BASE + "aws.route_table: {t: {vpc: main}}\n")
    assert told(table, "aws.subnet.a") + ": it is left alone" in sim.run("apply", "--yes").err
    assert len(world(sim, "subnet")) == 1


def test_renamed_before_the_spec_is(sim):
    """What was renamed would be deleted, and another made under the name of before."""
    sim.run("state", "mv", "aws.subnet.a", "aws.subnet.z")
    assert "'trueup state mv aws.subnet.z aws.subnet.a'" in sim.run("apply", "--yes", status=4).err
    sim.run("apply", "--yes", "--force")
    assert recorded(sim).keys() == {"aws.vpc.main", "aws.subnet.a"} and len(world(sim, "subnet")) == 1


def test_what_was_let_go_is_made_anew(sim):
    """Of what people took out of the record they know."""
    sim.run("state", "rm", "aws.subnet.a", "--yes")
    sim.write("net.yaml", BASE.replace("10.0.1.0", "10.0.7.0"))
    assert sim.run("plan", "--output", "json").json["diagnostics"] == []
    sim.run("apply", "--yes")
    assert len(world(sim, "subnet")) == 2


@pytest.mark.parametrize("fault", ["deny", "unavailable"])
def test_what_cannot_be_looked_for(sim, fault):
    """It may be there already: it waits, and what does not need it goes on."""
    more = SINCE + "aws.internet_gateway: {g: {}}\n"
    sim.write("net.yaml", more)
    fault = sim.run("sim", "../world", "fault", "DescribeRouteTables", fault).out.split()[-1]
    assert sim.run("drift", status=3).err.count("cannot be told: 'aws.route_table' could not be listed") == 1
    document = sim.run("plan", "--output", "json", status=3).json
    assert [one["address"] for one in document["unread"]] == ["aws.route_table.t"]
    sim.run("apply", "--yes", status=3)
    assert recorded(sim).keys() == {"aws.vpc.main", "aws.subnet.a", "aws.subnet.b", "aws.internet_gateway.g"}
    sim.run("sim", "../world", "remove", "fault", fault)
    sim.run("apply", "--yes")
    assert "aws.route_table.t" in recorded(sim)


def test_a_kind_that_the_endpoint_does_not_know(sim):
    """What it does not know was never made there: that is said, and nothing else waits for it."""
    sim.write("net.yaml", SINCE)
    sim.run("sim", "../world", "fault", "DescribeRouteTables", "unsupported", "1", "1")
    [told] = sim.run("plan", "--output", "json").json["diagnostics"]
    assert told["severity"] == "warning" and "knows nothing of 'aws.route_table'" in told["message"], told


RACK = """\
stack: rack
providers: {metal: {endpoint: "sim:../world", user: root, password: calvin}}
metal.machine:
"""


def rack(stack, *names):
    """Applies the spec of these machines."""
    machines = "".join(f"  {name}: {{controller: https://{name}.example, power: 'on'}}\n" for name in names)
    stack.write("rack.yaml", RACK + machines)
    stack.run("apply", "--yes")


def uncompared(stack):
    document = stack.run("drift", "--output", "json", status=3).json
    assert all("takes no tags" in one["reason"] and one["hint"] for one in document["unread"])
    return document["drift"], [one["address"] for one in document["unread"]]


def test_what_takes_no_tags_is_not_claimed_to_be_as_recorded(stack):
    """A machine is found by its controller: nothing tells that it was applied since, or before the state was lost."""
    for name in "one", "two":
        attributes = f"serial={name}", "user=root", "password=calvin", "power=Off"
        stack.run("sim", "../world", "add", "machine", f"{name}.example", *attributes)
    rack(stack, "one")
    stack.run("state", "backup", "before.db")
    rack(stack, "one", "two")
    stack.run("drift")
    stack.run("sim", "../world", "change", "machine", "two.example", "power=Off")
    stack.run("drift", status=2)
    put_back(stack)
    assert uncompared(stack) == (0, ["metal.machine.two"])
    told = stack.run("drift", status=3).out
    assert re.search(r"takes no tags.*\n    hint: .*\n +metal\.machine\.two +rack\.yaml:5\n", told), told
    assert "no drift: what could be read is as recorded\n1 unread\n" in told
    stack.run("sim", "../world", "change", "machine", "one.example", "power=Off")
    assert uncompared(stack) == (1, ["metal.machine.two"])
    shutil.rmtree(stack.folder / ".trueup")
    # Nobody has planned since, so there is no state file at all, and none is made.
    assert uncompared(stack) == (0, ["metal.machine.one", "metal.machine.two"])
    assert not (stack.folder / ".trueup").exists()
    stack.run("plan")
    assert uncompared(stack) == (0, ["metal.machine.one", "metal.machine.two"])
    assert "nothing is recorded yet\n2 unread\n" in stack.run("drift", status=3).out
    stack.run("apply", "--yes")
    stack.run("drift")


FIRST = BASE.replace("10.0.1.0/24", "10.0.1.0/24, lifecycle: {create_before_destroy: true}")


def cut_off(sim):
    """A replace made the new one and could not delete the old; the state of before is put back. Gives both."""
    sim.write("net.yaml", FIRST.replace("10.0.1.0", "10.0.7.0"))
    sim.run("state", "backup", "before.db", "--force")
    fault = sim.run("sim", "../world", "fault", "DeleteSubnet", "deny").out.split()[-1]
    sim.run("apply", "--yes", status=7)
    sim.run("sim", "../world", "remove", "fault", fault)
    put_back(sim)
    both = set(world(sim, "subnet"))
    assert len(both) == 2
    return both


@pytest.mark.parametrize("command", [("apply", "--yes"), ("apply", "p.plan"), ("destroy", "--yes")], ids=" ".join)
def test_what_was_made_to_replace_is_not_made_twice(sim, command):
    """Old and new are both there, and the record has the old one alone."""
    sim.write("net.yaml", FIRST.replace("10.0.1.0", "10.0.7.0"))
    sim.run("plan", "--out", "p.plan")
    both = cut_off(sim)
    (new,) = both - {recorded(sim)["aws.subnet.a"]}
    result = sim.run(*command, status=4)
    assert told(new, "aws.subnet.a") + ": it was made in the place of what is recorded there" in result.err
    assert set(world(sim, "subnet")) == both
    sim.run("drift", status=2)
    sim.run("state", "rebuild", "--force", "--yes")
    sim.run("apply", "--yes")
    assert set(world(sim, "subnet")) == {new}
    sim.run("destroy", "--yes")
    assert world(sim, "subnet") == {}


def test_what_was_made_to_replace_stands_in_no_way(sim):
    """Nothing is made anew there, so the rest goes on."""
    both = cut_off(sim)
    sim.write("net.yaml", FIRST.replace("10.0.0.0/16", "10.0.0.0/16, tags: {team: red}"))
    sim.run("apply", "--yes")
    assert set(world(sim, "subnet")) == both
    sim.run("drift", status=2)


def test_calls(sim):
    """One listing a kind, however much of it is new; none where nothing is."""
    assert sim.run("plan", "--output", "json").json["calls"] == 3
    tables = "".join(f"  t{number}: {{vpc: main}}\n" for number in range(50))
    subnets = "".join(f"  s{number}: {{vpc: main, cidr: 10.0.{100 + number}.0/24}}\n" for number in range(50))
    sim.write("net.yaml", BASE + subnets + "aws.route_table:\n" + tables)
    assert sim.run("plan", "--output", "json").json["calls"] == 4
    assert sim.run("plan", "--refresh=none", "--output", "json").json["calls"] == 0


def placed_twice():
    """Two templates and groups of one name: one in a region that is recorded, one in another."""
    kinds = {
        "aws.vpc": "cidr: 10.1.0.0/16",
        "aws.subnet": "vpc: {0}, cidr: 10.1.1.0/24",
        "aws.launch_template": "name: web, image: ami-0123456789abcdef0, instance_type: t3.micro",
        "aws.autoscaling_group": "name: web, launch_template: {0}, subnets: [{0}], min: 0, max: 1",
    }
    spec = "stack: net\nproviders: {aws: {region: eu-central-1}, aws.east: {region: us-east-1}}\n"
    for kind, fields in kinds.items():
        spec += f"{kind}:\n  e: {{provider: aws.east, {fields.format('e')}}}\n  w: {{{fields.format('w')}}}\n"
    return spec


def test_name_that_is_recorded_in_another_region(stack):
    """Where a name is the id, that of another place says nothing of this one."""
    simulate(stack, "../world")
    both = placed_twice()
    applied(stack, "net.yaml", "".join(line for line in both.splitlines(True) if "launch_template: w" not in line))
    go_back(stack, both)
    assert "aws.autoscaling_group.w" not in recorded(stack)
    assert told("web", "aws.autoscaling_group.w") in stack.run("plan").err
    assert told("web", "aws.autoscaling_group.w") in stack.run("drift", status=2).err
    stack.run("apply", "--yes", status=4)
