"""Undoing a run where something else stands by now at the address of what it made or changed."""

import pytest

from test_undo import EXTRA, NET, apply_spec, is_as_in, operations, recorded, runs, sim, undo  # noqa: F401

EXTRA_VPC = "aws.vpc.extra"
TAGGED = EXTRA.replace("extra: {cidr: 10.5.0.0/16}", "extra: {cidr: 10.5.0.0/16, tags: {team: blue}}")
SPARE = EXTRA.replace("  extra:", "  spare: {cidr: 10.5.0.0/16}\n  extra:")


def forget(stack):
    stack.run("state", "rm", "--yes", EXTRA_VPC)


def remove(stack):
    apply_spec(stack, NET)


def notes(document):
    return {note["address"]: (note["what"], note["stays"]) for note in document["irreversible"]}


@pytest.mark.parametrize("end, left", [(forget, 7), (remove, 0)], ids=["forgotten", "removed"])
@pytest.mark.parametrize("arguments", [[], ["--target", EXTRA_VPC]], ids=["whole", "target"])
def test_a_later_run_made_another_one(sim, end, left, arguments):  # noqa: F811
    """It is that run's, however like the first one it is; of that one is told what nobody can take back."""
    run = apply_spec(sim, EXTRA)
    end(sim)
    made = apply_spec(sim, EXTRA)
    before = recorded(sim)
    (told,) = undo(sim, run, "--yes", *arguments, status=1)["diagnostics"]
    assert told["message"] == f"'{EXTRA_VPC}' is another one since (apply, run {made[:8]})"
    assert told["hint"].startswith("undo the later run first")
    assert recorded(sim) == before
    assert operations(undo(sim, made, "--yes")) == {EXTRA_VPC: "delete"}
    done = undo(sim, run, "--yes", *arguments, status=left)
    assert done["actions"] == []
    assert [stays for _, stays in notes(done).values()] == [True] * (left == 7)


def test_the_other_one_was_made_anew_by_an_undoing(sim):  # noqa: F811
    """It is still the later run's, in whose name it was made anew."""
    run = apply_spec(sim, EXTRA)
    forget(sim)
    made = apply_spec(sim, EXTRA)
    undo(sim, made, "--yes")
    undo(sim, runs(sim)[0]["id"], "--yes")
    (told,) = undo(sim, run, "--yes", status=1)["diagnostics"]
    assert told["message"] == f"'{EXTRA_VPC}' is another one since (apply, run {made[:8]})"


def test_another_one_has_its_name(sim):  # noqa: F811
    apply_spec(sim, SPARE.replace("  extra: {cidr: 10.5.0.0/16}\n", ""))
    run = apply_spec(sim, SPARE)
    apply_spec(sim, SPARE.replace("  extra: {cidr: 10.5.0.0/16}\n", ""))
    sim.run("state", "mv", "aws.vpc.spare", EXTRA_VPC)
    (told,) = undo(sim, run, "--yes", status=1)["diagnostics"]
    assert told["message"].startswith(f"'{EXTRA_VPC}' is another one since (state mv")
    assert "give back the names" in told["hint"]


def test_what_was_forgotten_is_told(sim):  # noqa: F811
    """The rest goes back; what the run made is there still, and nobody else tells of it."""
    run = apply_spec(sim, EXTRA.replace("red", "blue"))
    forget(sim)
    (forgotten,) = [each for each in runs(sim) if each["command"] == "state rm"]
    for expected in ({"aws.vpc.main": "update"}, {}):
        done = undo(sim, run, "--yes", status=7)
        assert operations(done) == expected
        (told, stays) = notes(done)[EXTRA_VPC]
        assert stays and told.endswith(f"(state rm, run {forgotten['id'][:8]})")
    assert operations(undo(sim, run, "--yes", "--target", "aws.vpc.main")) == {}


def test_what_was_forgotten_and_taken_back_goes(sim):  # noqa: F811
    run = apply_spec(sim, EXTRA)
    forget(sim)
    sim.run("state", "rebuild", "--force", "--yes")
    assert operations(undo(sim, run, "--yes")) == {EXTRA_VPC: "delete"}
    assert undo(sim, run, "--yes")["irreversible"] == []


def test_a_later_run_made_it_anew_for_what_was_deleted_outside(sim):  # noqa: F811
    """Its own undoing leaves that be, as drift that was put right: so it stands for what the first run made."""
    run = apply_spec(sim, EXTRA)
    sim.run("sim", "remove", "vpc", recorded(sim)[EXTRA_VPC])
    mended = apply_spec(sim, EXTRA)
    assert "\nnothing to do: what the run changed is as it was recorded before\n" in sim.run("undo", mended, "--yes").out
    (action,) = undo(sim, run, "--yes")["actions"]
    assert (action["operation"], action["reason"]) == ("delete", "stands for what the run made")
    assert is_as_in(sim, NET)


def test_the_undoing_of_what_removed_it_made_it_anew(sim):  # noqa: F811
    """Run after run is undone, the last first."""
    run = apply_spec(sim, EXTRA)
    removed = apply_spec(sim, NET)
    undo(sim, removed, "--yes")
    assert operations(undo(sim, run, "--yes")) == {EXTRA_VPC: "delete"}
    assert is_as_in(sim, NET)


def test_the_undoing_of_its_undoing_made_it_anew(sim):  # noqa: F811
    """And it was changed, and changed back, since."""
    run = apply_spec(sim, EXTRA)
    undo(sim, run, "--yes")
    undo(sim, runs(sim)[0]["id"], "--yes")
    apply_spec(sim, TAGGED)
    apply_spec(sim, EXTRA)
    assert operations(undo(sim, run, "--yes")) == {EXTRA_VPC: "delete"}
    assert is_as_in(sim, NET)


@pytest.mark.parametrize("end", [forget, remove], ids=["forgotten", "removed"])
def test_what_the_run_changed_is_another_one(sim, end):  # noqa: F811
    """What it set stands in what was forgotten, or went with what was removed."""
    apply_spec(sim, EXTRA)
    run = apply_spec(sim, TAGGED)
    end(sim)
    made = apply_spec(sim, TAGGED)
    before = recorded(sim)
    (told,) = undo(sim, run, "--yes", status=1)["diagnostics"]
    if end is forget:
        assert told["message"].startswith(f"'{EXTRA_VPC}' is gone since (state rm, run ")
        assert told["hint"].startswith("no run gives back what was forgotten")
    else:
        assert told["message"] == f"'{EXTRA_VPC}' is another one since (apply, run {made[:8]})"
    assert recorded(sim) == before


@pytest.mark.parametrize("mended", [False, True], ids=["replaced", "deleted outside"])
def test_what_the_run_changed_was_made_anew_in_its_place(sim, mended):  # noqa: F811
    """That has what the run set of it."""
    apply_spec(sim, EXTRA)
    run = apply_spec(sim, TAGGED)
    if mended:
        sim.run("sim", "remove", "vpc", recorded(sim)[EXTRA_VPC])
    apply_spec(sim, TAGGED if mended else TAGGED.replace("10.5.", "10.6."))
    assert operations(undo(sim, run, "--yes")) == {EXTRA_VPC: "update"}
