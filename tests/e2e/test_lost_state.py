"""A state that was lost, where nobody has said so: noticed before anything is made twice."""

import pytest

from cli import applied, cloud_stack, recorded, simulate  # noqa: F401
from test_state_rebuild import NET, lose, rebuild, sim  # noqa: F401
from trueup_runner import ids_of

# What has no name that exists once can be made a second time without anybody noticing.
NAMELESS = NET.partition("aws.key_pair")[0]


@pytest.fixture
def nameless(cloud_stack):
    return applied(cloud_stack, "net.yaml", NAMELESS)


@pytest.fixture
def nameless_sim(stack):
    simulate(stack, "../world")
    return applied(stack, "net.yaml", NAMELESS)


def warnings_of(document):
    return [one["message"] for one in document["diagnostics"] if one["severity"] == "warning"]


def test_lost_state_is_noticed(nameless):
    ids = ids_of(nameless)
    lose(nameless)
    result = nameless.run("plan")
    assert "warning: nothing is recorded, and yet 'aws." in result.err
    assert "where the state of this stack is elsewhere (another clone, a CI runner) use that; where it" in result.err
    assert "is lost, 'trueup state rebuild' makes it anew" in result.err
    assert "where another stack of the account has this name, give this one another ('stack'); " in result.err
    document = nameless.run("plan", "--detailed-exitcode", "--output", "json", status=2).json
    [warning] = warnings_of(document)
    assert any(id in warning for id in ids.values()) and "and 2 more of the spec" in warning
    # Who answers, and a listing of each kind of the spec: the pages that the next plan reads, too.
    assert document["calls"] == 3
    result = nameless.run("apply", "--yes", status=4)
    assert "error: nothing is recorded, and yet" in result.err and "--force" in result.err
    assert recorded(nameless) == {}
    assert "the plan is not saved" in nameless.run("plan", "--out", "p.plan", status=4).err
    assert not (nameless.folder / "p.plan").exists()
    # Neither is a drift of nothing green, nor a destroy of nothing silent.
    drift = nameless.run("drift", status=2)
    assert "warning: nothing is recorded, and yet" in drift.err
    assert "but for 3 of this stack that are not recorded" in drift.out and "no drift" not in drift.out
    recover = nameless.run("recover", status=7)
    assert "warning: nothing is recorded, and yet" in recover.err and "nothing is open" not in recover.out
    # What would come of an apply is none of theirs, nor of a plan to destroy.
    destroying = nameless.run("plan", "--destroy", "--detailed-exitcode", status=2)
    assert "nothing is recorded, and yet 3 of this stack are there" in destroying.out
    assert not [each for each in (drift, recover, destroying) if "twice" in each.err]
    destroy = nameless.run("destroy", "--yes", status=4)
    assert "error: nothing is recorded, and yet" in destroy.err and "destroy with --force" in destroy.err
    assert "nothing to do" not in destroy.out
    forced = nameless.run("destroy", "--yes", "--force")
    assert "warning: nothing is recorded, and yet" in forced.err and "destroy with --force" not in forced.err
    rebuild(nameless)
    assert ids_of(nameless) == ids
    document = nameless.run("plan", "--detailed-exitcode", "--output", "json").json
    assert (document["diagnostics"], document["calls"]) == ([], 3)


def test_lost_state_is_noticed_by_drift_alone(nameless):
    """Nobody has planned since, so there is no state file at all, and none is made."""
    lose(nameless)
    drift = nameless.run("drift", status=2)
    assert "warning: nothing is recorded, and yet" in drift.err and "'trueup state rebuild'" in drift.err
    assert "but for 3 of this stack that are not recorded" in drift.out
    assert not (nameless.folder / ".trueup").exists()


def test_drift_of_what_was_never_applied(stack):
    simulate(stack, "../world")
    stack.write("net.yaml", NAMELESS)
    result = stack.run("drift", status=1)
    assert "nothing is recorded yet: there is no state file" in result.err and "'trueup apply' first" in result.err
    assert not (stack.folder / ".trueup").exists()
    fault = stack.run("sim", "../world", "fault", "DescribeSubnets", "deny").out.split()[-1]
    assert "whether a state was lost cannot be told: 'aws.subnet'" in stack.run("drift", status=3).err
    stack.run("sim", "../world", "remove", "fault", fault)
    stack.run("plan")
    assert "\nnothing is recorded yet\n" in stack.run("drift").out
    stack.run("apply", "--yes")
    stack.run("destroy", "--yes")
    assert "\nnothing is recorded\n" in stack.run("drift").out


def test_lost_state_of_what_is_there_but_once(sim):
    """A name that is taken is not the user's mistake then: nothing first sends them to give another."""
    lose(sim)
    result = sim.run("apply", "--yes", status=4)
    assert "error: nothing is recorded, and yet" in result.err
    for told in result.err, sim.run("plan", status=1).err:
        hints = [line for line in told.splitlines() if line.startswith("  hint:")]
        assert len(hints) > 1 and all("'trueup state rebuild' makes it anew" in hint for hint in hints), told
        assert "does not belong to this stack" not in told
    assert recorded(sim) == {}


def test_lost_state_among_very_many(nameless_sim, tmp_path):
    """Where a listing has more than a page, what a lost state made is asked for by its tags."""
    tables = "".join(f"  t{number}: {{vpc: v}}\n" for number in range(120))
    crowd = "stack: crowd\nproviders: {aws: {region: eu-central-1}}\naws.vpc: {v: {cidr: 10.9.0.0/16}}\naws.route_table:\n"
    nameless_sim.write("net.yaml", crowd + tables)
    lose(nameless_sim)
    nameless_sim.run("apply", "--yes")
    lose(nameless_sim)
    ours = NAMELESS + "aws.route_table: {ours: {vpc: main}}\n"
    nameless_sim.write("net.yaml", ours)
    rebuild(nameless_sim)
    nameless_sim.run("apply", "--yes")
    lose(nameless_sim)
    document = nameless_sim.run("plan", "--output", "json").json
    assert ", and 3 more of the spec" in warnings_of(document)[0]
    # Two kinds by the page, and one whose page overflows.
    assert document["calls"] == 5


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param("stack: net", "stack: other", id="another stack has the same addresses"),
        pytest.param("main", "second", id="no address is in the spec"),
    ],
)
def test_nothing_is_lost(nameless_sim, old, new):
    lose(nameless_sim)
    nameless_sim.write("net.yaml", NAMELESS.partition("aws.subnet")[0].replace(old, new))
    assert nameless_sim.run("plan", "--output", "json").json["diagnostics"] == []
    nameless_sim.run("apply", "--yes")


def test_made_twice_where_that_is_meant(nameless_sim):
    lose(nameless_sim)
    result = nameless_sim.run("apply", "--yes", "--force")
    assert "3 done" in result.out and "warning: nothing is recorded, and yet" in result.err
    assert nameless_sim.run("plan", "--output", "json").json["diagnostics"] == []
    # A record that is empty since a destroy is no lost one, though what the first state made is still there.
    nameless_sim.run("destroy", "--yes")
    assert nameless_sim.run("plan", "--output", "json").json["diagnostics"] == []
    nameless_sim.run("apply", "--yes")


@pytest.mark.parametrize("fault", ["deny", "unavailable"])
def test_whether_it_was_lost_cannot_be_told(nameless_sim, fault):
    """What could not be listed may be there already: nobody makes it a second time unless told to."""
    ids = ids_of(nameless_sim)
    lose(nameless_sim)
    fault = nameless_sim.run("sim", "../world", "fault", "DescribeSubnets", fault).out.split()[-1]
    spec = NAMELESS.replace("  main:", "  new:").replace("vpc: main", "vpc: new")
    nameless_sim.write("net.yaml", spec.replace("  a:", "  c:").partition("  b:")[0])
    result = nameless_sim.run("plan", "--detailed-exitcode", status=3)
    assert "warning: nothing is recorded, and whether a state was lost cannot be told: 'aws.subnet'" in result.err
    drift, recover = nameless_sim.run("drift", status=3), nameless_sim.run("recover", status=3)
    assert [each.err.count("cannot be told") for each in (drift, recover)] == [1, 1]
    assert not [each for each in (drift, recover) if "twice" in each.err]
    result = nameless_sim.run("apply", "--yes", status=3)
    assert "error: nothing is recorded, and whether" in result.err and "--force" in result.err
    assert "the plan is not saved" in nameless_sim.run("plan", "--out", "p.plan", status=3).err
    assert not (nameless_sim.folder / "p.plan").exists()
    assert recorded(nameless_sim) == {}
    assert "error: nothing is recorded, and whether" in nameless_sim.run("destroy", "--yes", status=3).err
    # Forced or not, what could not be read is claimed by nobody.
    assert "warning: nothing is recorded, and" in nameless_sim.run("destroy", "--yes", "--force", status=3).err
    nameless_sim.run("sim", "../world", "remove", "fault", fault)
    nameless_sim.write("net.yaml", NAMELESS)
    rebuild(nameless_sim)
    assert ids_of(nameless_sim) == ids


def test_made_where_it_cannot_be_told(stack):
    """Whoever knows that nothing is there yet says so."""
    simulate(stack, "../world")
    stack.write("net.yaml", NAMELESS)
    stack.run("sim", "fault", "DescribeVpcs", "deny", "1", "2")
    stack.run("apply", "--yes", status=3)
    result = stack.run("apply", "--yes", "--force")
    assert "3 done" in result.out and "warning: nothing is recorded, and whether" in result.err


def test_a_kind_that_the_endpoint_does_not_know(stack):
    """What it does not know was never made there: it is no reason to doubt the rest."""
    simulate(stack, "../world")
    stack.write("net.yaml", NAMELESS)
    stack.run("sim", "fault", "DescribeSubnets", "unsupported", "1", "1")
    [told] = stack.run("plan", "--output", "json").json["diagnostics"]
    assert (told["severity"], told["fault"]) == ("warning", "unsupported")
    assert "the endpoint knows nothing of 'aws.subnet': could not read aws.subnet: DescribeSubnets" in told["message"], told
    assert stack.run("plan", "--output", "json").json["diagnostics"] == []


def test_saved_plan_over_a_lost_state(nameless_sim):
    """A plan that read nothing knows nothing of it: its apply looks before its first call."""
    ids = ids_of(nameless_sim)
    lose(nameless_sim)
    nameless_sim.run("plan", "--refresh=none", "--out", "p.plan")
    result = nameless_sim.run("apply", "p.plan", status=4)
    assert "error: nothing is recorded, and yet 'aws." in result.err and ", and 2 more of the spec" in result.err
    nameless_sim.run("sim", "../world", "fault", "DescribeVpcs", "deny", "1", "1")
    assert "cannot be told: 'aws.vpc'" in nameless_sim.run("apply", "p.plan", status=4).err
    assert recorded(nameless_sim) == {}
    rebuild(nameless_sim)
    assert ids_of(nameless_sim) == ids


def test_saved_plan_over_what_cannot_be_told(stack):
    simulate(stack, "../world")
    stack.write("net.yaml", NAMELESS)
    stack.run("plan", "--refresh=none", "--out", "p.plan")
    stack.run("sim", "fault", "DescribeVpcs", "deny", "1", "1")
    stack.run("apply", "p.plan", status=3)
    assert "3 done" in stack.run("apply", "p.plan").out
