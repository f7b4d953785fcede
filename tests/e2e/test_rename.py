"""What `state mv` renamed carries its new address once it was applied: a record that is lost, or older, is told by it."""

import shutil

import pytest

from cli import applied, recorded, simulate, world  # noqa: F401
from test_conformance import SAMPLES, on, trial  # noqa: F401
from test_state_older import BASE, RENAMED, put_back, runs, sim  # noqa: F401
from test_state_rebuild import lose, rebuild
from trueup_runner import apply, ids_of, measured, plan, plan_is_empty, spec_text

TAG = "trueup:address"


def rename(tried, kind):
    """In the record, and in the spec."""
    tried.stack.run("state", "mv", tried.address, f"{kind}.renamed")
    resources = {each: dict(named) for each, named in tried.sample.needs.items()}
    resources.setdefault(kind, {})["renamed"] = tried.values
    tried.stack.write("stack.yaml", spec_text(resources))


@pytest.mark.parametrize(
    "kind, cloud",
    [(kind, cloud) for kind, cloud in on("life") if cloud == "simulator" or "tags" not in SAMPLES[kind].fixed_on_moto],
)
def test_every_kind(trial, kind, cloud):  # noqa: F811
    tried = trial(kind, cloud)
    if cloud == "simulator":
        apply(tried.stack)
    before = ids_of(tried.stack)
    rename(tried, kind)
    planned = plan(tried.stack)
    if kind != "metal.machine":
        [action] = planned.data["actions"]
        [change] = action["changes"]
        assert (action["operation"], action["reason"]) == ("update", "was renamed, and its tags follow")
        assert (change["path"], change["before"], change["after"]) == (TAG, tried.address, f"{kind}.renamed")
    apply(tried.stack)
    plan_is_empty(tried.stack)
    lose(tried.stack)
    rebuild(tried.stack)
    assert ids_of(tried.stack) == {f"{kind}.renamed" if at == tried.address else at: id for at, id in before.items()}
    plan_is_empty(tried.stack)


def test_older_state_of_before(sim):  # noqa: F811
    """The record that is put back has it under the name of before."""
    id = recorded(sim)["aws.subnet.a"]
    sim.run("state", "backup", "before.db")
    moved = sim.run("state", "mv", "aws.subnet.a", "aws.subnet.z").out
    assert moved.endswith("\nwhere the spec still has the old address, rename it there too\n")
    applied(sim, "net.yaml", RENAMED)
    put_back(sim)
    result = sim.run("apply", "--yes", status=4)
    assert f"'aws.subnet.z' is there as {id}, made by this stack and recorded as 'aws.subnet.a'" in result.err
    assert "'trueup state mv aws.subnet.a aws.subnet.z'" in result.err
    assert recorded(sim)["aws.subnet.a"] == id and set(world(sim, "subnet")) == {id}


def test_disk_that_gets_full_after_it(sim, tmp_path):  # noqa: F811
    """Whoever ran it again would be told that nothing is recorded at the old address."""
    kept, told = tmp_path / "kept", 0
    shutil.copytree(sim.folder / ".trueup", kept)
    for most_kib in range(40, 160, 4):
        shutil.rmtree(sim.folder / ".trueup")
        shutil.copytree(kept, sim.folder / ".trueup")
        limited = ["bash", "-c", f'ulimit -S -f {most_kib}; exec "$@"', "bash"]
        failed = measured(sim, "state", "mv", "aws.subnet.a", "aws.subnet.z", wrapper=limited)
        is_moved = "aws.subnet.z" in recorded(sim)
        assert failed.status == 0 or ("it is not to be run again" in failed.err) == is_moved, failed
        told += failed.status != 0 and is_moved
    assert told > 0


def test_what_is_no_matter_of_tags(sim):  # noqa: F811
    """No drift, and nothing that an undoing or a plan that read nothing would do."""
    [run] = runs(sim)
    sim.write("net.yaml", BASE.replace("10.0.1.0/24", "10.0.1.0/24, tags: {team: red}"))
    sim.run("apply", "--yes")
    sim.run("state", "mv", "aws.subnet.a", "aws.subnet.z")
    sim.write("net.yaml", RENAMED)
    assert "no drift" in sim.run("drift").out
    sim.run("plan", "--refresh=none", "--out", "p.plan")
    sim.run("apply", "p.plan")
    [action] = sim.run("plan", "--output", "json").json["actions"]
    assert [change["path"] for change in action["changes"]] == [TAG]
    assert "trueup:address" not in sim.run("undo", "--detailed-exitcode", run, status=(1, 2)).out
    # Whoever leaves the tags to others leaves these.
    sim.write("net.yaml", RENAMED.replace("10.0.1.0/24", "10.0.1.0/24, lifecycle: {ignore: [tags]}"))
    [action] = sim.run("plan", "--output", "json").json["actions"]
    assert (action["operation"], [change["path"] for change in action["changes"]]) == ("record", ["lifecycle.ignore"])
    sim.run("apply", "--yes")
    plan_is_empty(sim)


def test_saved_plan_that_renames(sim):  # noqa: F811
    sim.run("state", "mv", "aws.subnet.a", "aws.subnet.z")
    sim.write("net.yaml", RENAMED)
    sim.run("plan", "--out", "p.plan")
    assert "was renamed, and its tags follow" in sim.run("show", "p.plan").out
    sim.run("apply", "p.plan")
    plan_is_empty(sim)


def test_with_a_change_of_its_own(sim):  # noqa: F811
    """One call more, and another reason."""
    sim.run("state", "mv", "aws.subnet.a", "aws.subnet.z")
    sim.write("net.yaml", RENAMED.replace("10.0.1.0/24", "10.0.1.0/24, tags: {team: red}"))
    [action] = sim.run("plan", "--output", "json").json["actions"]
    assert action["reason"] == "can change in place"
    assert [change["path"] for change in action["changes"]] == ["tags.team", TAG]
    sim.run("apply", "--yes")
    plan_is_empty(sim)


@pytest.mark.parametrize(
    "tag, value, why",
    [
        ("object", "null", "taken away"),
        ("object", "0123456789abcdef" * 2, "changed"),
        ("address", "null", "taken away"),
        ("address", "aws.vpc.main", "changed"),
        ("stack", "null", "taken away"),
    ],
)
def test_tag_that_says_what_was_never_written_here(sim, tag, value, why):  # noqa: F811
    """As tags that were copied from another thing: it is drift, by the name of the tag, and is set again."""
    id = recorded(sim)["aws.subnet.a"]
    name = f"trueup:{tag}"

    def tags():
        return {each["key"]: each["value"] for each in world(sim, "subnet")[id]["tagSet"]}

    before = tags()
    sim.run("sim", "../world", "change", "subnet", id, f"tags.{name}={value}")
    [action] = sim.run("drift", "--output", "json", status=2).json["actions"]
    [change] = action["changes"]
    assert (action["address"], change["path"], change["cause"]) == ("aws.subnet.a", name, "drift"), action
    [action] = sim.run("plan", "--output", "json").json["actions"]
    assert action["reason"] == f"the tags that tell whose it is were {why}"
    sim.run("apply", "--yes")
    plan_is_empty(sim)
    sim.run("drift")
    assert tags() == before


def test_a_plan_says_how_what_was_only_renamed_is_kept(stack):
    """One that goes and one that comes with the same fields; of several that are alike nobody can tell which is which."""
    simulate(stack, "../world")
    spec = """\
stack: one
providers: {aws: {region: us-west-2}}
aws.vpc: {v: {cidr: 10.0.0.0/16}}
aws.internet_gateway: {%s: {vpc: v}}
aws.vpn_gateway:
  %s: {tags: {of: both}}
  %s: {tags: {of: both}}
"""
    applied(stack, "one.yaml", spec % ("way", "a", "b"))
    stack.write("one.yaml", spec % ("gateway", "c", "d"))
    words = stack.run("plan").err
    assert "'aws.internet_gateway.gateway' is to be made as 'aws.internet_gateway.way' was, which is to go" in words
    assert "'trueup state mv aws.internet_gateway.way aws.internet_gateway.gateway' keeps it" in words
    assert "aws.vpn_gateway" not in words
    stack.run("state", "mv", "aws.internet_gateway.way", "aws.internet_gateway.gateway")
    stack.write("one.yaml", spec % ("gateway", "a", "b"))
    assert stack.run("plan").err == ""
    assert stack.run("plan", "--destroy").err == ""


def test_each_that_was_only_renamed_is_told(stack):
    simulate(stack, "../world")

    def spec(prefix):
        subnets = "".join(f"  {prefix}{i}: {{vpc: v, cidr: 10.0.{i}.0/24}}\n" for i in range(8))
        providers = "providers: {aws: {region: us-west-2}}"
        return f"stack: one\n{providers}\naws.vpc: {{v: {{cidr: 10.0.0.0/16}}}}\naws.subnet:\n{subnets}"

    applied(stack, "one.yaml", spec("a"))
    stack.write("one.yaml", spec("b"))
    words = stack.run("plan").err
    for i in range(8):
        assert f"'trueup state mv aws.subnet.a{i} aws.subnet.b{i}' keeps it" in words


def test_what_lies_elsewhere_was_not_renamed(stack):
    simulate(stack, "../world")
    spec = """\
stack: one
providers: {aws: {region: us-west-2}, aws.east: {region: us-east-1}}
aws.internet_gateway: {%s}
"""
    applied(stack, "one.yaml", spec % "one: {}")
    stack.write("one.yaml", spec % "two: {provider: aws.east}")
    assert stack.run("plan").err == ""


KEPT = """\
stack: one
providers: {aws: {region: us-west-2}}
aws.vpc:
  %s
"""


def test_what_is_protected_and_was_only_renamed_is_kept_as_the_refusal_says(stack):
    """Who takes its protection off first, as for a deletion, would lose it."""
    simulate(stack, "../world")
    applied(stack, "one.yaml", KEPT % "main: {cidr: 10.1.0.0/16, lifecycle: {protect: true}}")
    before = recorded(stack)["aws.vpc.main"]
    stack.write("one.yaml", KEPT % "renamed: {cidr: 10.1.0.0/16, lifecycle: {protect: true}}")
    words = stack.run("plan", status=1).err
    assert "'aws.vpc.main' is protected and no longer in the spec" in words
    assert "hint: if it was only renamed, 'trueup state mv aws.vpc.main aws.vpc.renamed' keeps it; else apply it once" in words
    stack.run("state", "mv", "aws.vpc.main", "aws.vpc.renamed")
    stack.run("apply", "--yes")
    assert recorded(stack) == {"aws.vpc.renamed": before}
    stack.write("one.yaml", KEPT % "other: {cidr: 10.2.0.0/16}")
    assert "hint: apply it once without 'protect'" in stack.run("plan", status=1).err


@pytest.mark.parametrize(
    "old, new",
    [
        ("", ", lifecycle: {protect: true}"),
        ("", ", lifecycle: {create_before_destroy: true}"),
        (", lifecycle: {ignore: [tags]}", ""),
        (", tags: {a: b}", ""),
        (", tags: {a: b}", ", tags: {a: c}"),
    ],
)
def test_a_renaming_is_seen_behind_another_lifecycle_or_other_tags(stack, old, new):
    simulate(stack, "../world")
    applied(stack, "one.yaml", KEPT % f"main: {{cidr: 10.1.0.0/16{old}}}")
    stack.write("one.yaml", KEPT % f"renamed: {{cidr: 10.1.0.0/16{new}}}")
    words = stack.run("plan").err
    assert "'aws.vpc.renamed' is to be made as 'aws.vpc.main' was, which is to go" in words
    assert "'trueup state mv aws.vpc.main aws.vpc.renamed' keeps it" in words


def test_of_several_that_differ_in_tags_alone_each_is_known_by_them(stack):
    simulate(stack, "../world")
    applied(stack, "one.yaml", KEPT % "a: {cidr: 10.1.0.0/16, tags: {of: x}}\n  b: {cidr: 10.1.0.0/16, tags: {of: y}}")
    stack.write("one.yaml", KEPT % "c: {cidr: 10.1.0.0/16, tags: {of: y}}\n  d: {cidr: 10.1.0.0/16, tags: {of: z}}")
    words = stack.run("plan").err
    assert "'trueup state mv aws.vpc.b aws.vpc.c'" in words and "'trueup state mv aws.vpc.a aws.vpc.d'" in words
