"""An undoing that is refused names the run that is to be undone first, which then can be."""

import pytest

from cli import simulate
from test_undo import NET, is_as_in, apply_spec, operations, recorded, runs, sim, undo  # noqa: F401


def tagged(team, floor):
    return NET.replace('{team: red, floor: "1"}', f'{{team: {team}, floor: "{floor}"}}')


def test_the_run_that_changed_the_same(sim):  # noqa: F811
    """Another run has changed another tag of it before."""
    run = apply_spec(sim, tagged("red", 2))
    apply_spec(sim, tagged("blue", 2))
    named = apply_spec(sim, tagged("blue", 3))
    apply_spec(sim, tagged("green", 3))
    before = recorded(sim)
    (told,) = undo(sim, run, "--yes", status=1)["diagnostics"]
    assert told["message"] == f"'aws.vpc.main' has changed again since: 'tags.floor' (apply, run {named[:8]})"
    assert recorded(sim) == before
    undo(sim, named, "--yes")
    undo(sim, run, "--yes")
    assert is_as_in(sim, tagged("green", 1))


def test_the_run_that_removed_it(sim):  # noqa: F811
    """Another run has changed it before, and the hint about what was forgotten goes by the run that is named."""
    run = apply_spec(sim, tagged("red", 2))
    apply_spec(sim, tagged("blue", 2))
    sim.run("state", "rm", "--yes", "aws.vpc.main")
    refused = sim.run("undo", run, status=1).err
    assert "'aws.vpc.main' is gone since (state rm, run " in refused
    assert "'trueup state rebuild --force' records it again" in refused


def routed(text, more):
    return text.replace("outputs:", f"aws.route_table:\n  main: {{vpc: main{more}}}\noutputs:")


def test_the_run_that_made_it_needed(sim):  # noqa: F811
    """Another run has changed that since."""
    wider = NET.replace("aws.security_group:", "  c: {vpc: main, cidr: 10.0.3.0/24}\naws.security_group:")
    run = apply_spec(sim, wider)
    apply_spec(sim, routed(wider, ""))
    named = apply_spec(sim, routed(wider, ", subnets: [c]"))
    apply_spec(sim, routed(wider, ", subnets: [c], tags: {team: red}"))
    (told,) = undo(sim, run, "--yes", status=1)["diagnostics"]
    needed = "'aws.route_table.main' needs 'aws.subnet.c', which the run made and which would go"
    assert told["message"] == f"{needed} (apply, run {named[:8]})"
    undo(sim, named, "--yes")
    undo(sim, run, "--yes")
    assert is_as_in(sim, routed(NET, ", tags: {team: red}"))


def test_no_run_is_to_be_undone_first(sim):  # noqa: F811
    """The undoing brought back what an ignored field still named, which the spec took up since as it was."""
    wider = NET.replace("aws.security_group:", "  c: {vpc: main, cidr: 10.0.3.0/24}\naws.security_group:")
    apply_spec(sim, routed(wider, ", subnets: [c], lifecycle: {ignore: [subnets]}"))
    run = apply_spec(sim, routed(NET, ", lifecycle: {ignore: [subnets]}"))
    undo(sim, run, "--yes")
    back = runs(sim)[0]["id"]
    apply_spec(sim, routed(wider, ", subnets: [c]"))
    (told,) = undo(sim, back, "--yes", status=1)["diagnostics"]
    assert told["message"] == "'aws.route_table.main' needs 'aws.subnet.c', which the run made and which would go"
    assert told["hint"].startswith("change the spec instead")


def test_what_it_refers_to_was_renamed(sim):  # noqa: F811
    """A deletion needs no names."""
    group = '  new: {vpc: main, name: new, description: d, ingress: [{protocol: tcp, from_port: 22, to_port: 22, group: web}]}\n'
    run = apply_spec(sim, NET.replace("outputs:", f"{group}outputs:"))
    sim.run("state", "mv", "aws.vpc.main", "aws.vpc.home")
    sim.run("state", "mv", "aws.security_group.web", "aws.security_group.front")
    assert operations(undo(sim, run, "--yes")) == {"aws.security_group.new": "delete"}


def test_nothing_but_the_record_changed_since(sim):  # noqa: F811
    """What cannot be undone is not named as what is to be undone."""
    gateway = NET.replace("aws.subnet:", "  other: {cidr: 10.7.0.0/16}\naws.internet_gateway: {i: {vpc: %s}}\naws.subnet:")
    apply_spec(sim, gateway % "main")
    run = apply_spec(sim, gateway % "other")
    sim.run("state", "mv", "aws.vpc.other", "aws.vpc.third")
    told = undo(sim, run, "--yes", status=1)["diagnostics"][0]
    assert told["message"].startswith("'aws.internet_gateway.i' has changed again since: 'vpc' (state mv, run ")
    assert told["hint"].startswith("that run changed nothing but the record, and cannot be undone: give back the names")


def test_the_run_that_gave_it_a_range(sim):  # noqa: F811
    """It was renamed since."""
    bare = NET.replace("  b: {vpc: main, cidr: 10.0.2.0/24}\n", "").replace("  a: {vpc: main, cidr: 10.0.1.0/24}\n", "")
    bare = bare.replace("aws.subnet:\n", "")
    apply_spec(sim, bare)
    run = apply_spec(sim, bare.replace("10.0.0.0/16, tags", "10.9.0.0/16, tags"))
    nets = "aws.subnet:\n  a: {vpc: main, cidr: 10.9.1.0/24}\naws.security_group:"
    named = apply_spec(sim, bare.replace("10.0.0.0/16, tags", "10.9.0.0/16, tags").replace("aws.security_group:", nets))
    sim.run("state", "mv", "aws.subnet.a", "aws.subnet.z")
    (told,) = undo(sim, run, "--yes", status=1)["diagnostics"]
    assert told["message"].startswith("'aws.subnet.z' would follow 'aws.vpc.main', and its 'cidr' does not lie in")
    assert told["message"].endswith(f"(apply, run {named[:8]})")


SIX = """\
stack: net
providers: {aws: {region: us-west-2}}
aws.vpc: {v: {cidr: 10.1.0.0/16, ipv6: true}}
aws.subnet: {a: {vpc: v, cidr: 10.1.0.0/24%s}}
"""
RANGE = ', ipv6_cidr: "${cidr_subnet(aws.vpc.v.ipv6_cidr, 8, 0)}"'
MACHINE = "aws.instance: {m: {image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a%s}}\n"
NAMED, COUNTED = ", addresses6: ['${cidr_host(aws.subnet.a.ipv6_cidr, 5)}']", ", address6_count: 1"


@pytest.mark.parametrize(
    "before, given, later",
    [
        ("", RANGE, MACHINE % COUNTED),
        (MACHINE % "", RANGE, MACHINE % COUNTED),
        (MACHINE % "", RANGE, MACHINE % NAMED),
        ("", RANGE + ", assign_ipv6_on_creation: true", MACHINE % ""),
    ],
    ids=["made with one", "given one", "given that one", "made where each has one"],
)
def test_the_run_that_gave_something_an_address(stack, before, given, later):
    """A range does not go from under an address; the machine was changed again since."""
    simulate(stack, "../world")
    apply_spec(stack, SIX % "" + before)
    run = apply_spec(stack, SIX % given + before)
    named = apply_spec(stack, SIX % given + later)
    tagged = later.replace("subnet: a", "tags: {team: red}, subnet: a")
    apply_spec(stack, SIX % given + tagged)
    (told,) = undo(stack, run, "--yes", status=1)["diagnostics"]
    assert told["message"].startswith("'aws.subnet.a' cannot let go of ")
    assert "'aws.instance.m' has an address there, with the 'addresses6' " in told["message"]
    assert told["message"].endswith(f"and keeps it under this plan (apply, run {named[:8]})")
    assert told["hint"] == "undo that run first, or name what is to go back with --target"
    if before and COUNTED in later:
        undo(stack, named, "--yes")
        undo(stack, run, "--yes")
        assert is_as_in(stack, SIX % "" + before.replace("subnet: a", "tags: {team: red}, subnet: a"))
