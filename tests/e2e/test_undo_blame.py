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
