"""An undoing that is refused names the run that is to be undone first, which then can be."""

from test_undo import NET, is_as_in, apply_spec, recorded, sim, undo  # noqa: F401


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
    assert "no run gives back what was forgotten" in refused


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
