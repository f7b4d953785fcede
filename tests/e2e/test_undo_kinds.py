"""`trueup undo` over the kinds: fields changed, replaced or taken out by a run, and taken back."""

import pytest

from test_conformance import SAMPLES, rows, trial  # noqa: F401
from trueup_runner import apply, ids_of, plan_is_empty


# Each takes seconds: a fifth of the fields, of every kind some, and each whose way back is of another sort.
EVERY = 5


def some(table):
    return [
        row
        for number, row in enumerate(rows(table))
        if number % EVERY == 0 or getattr(getattr(SAMPLES[row.values[0]], table)[row.values[1]], "one_way", False)
    ]


def undo_last(stack):
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    return stack.run("undo", run, "--yes", "--output", "json", status=(0, 7))


def taken_back(tried, changed):
    """Applies the spec with what is changed, undoes that, and demands what was before."""
    before, identity = dict(tried.values), tried.identity()
    tried.write({**tried.values, **changed})
    apply(tried.stack)
    after = tried.identity()
    undone = undo_last(tried.stack)
    document = undone.json
    assert undone.status == (7 if any(note["stays"] for note in document["irreversible"]) else 0)
    if any("is a secret" in note["what"] for note in document["irreversible"]):
        # It is told, and all is as the run left it.
        assert document["actions"] == []
        plan_is_empty(tried.stack)
        return identity, after
    tried.write(before)
    plan_is_empty(tried.stack)
    replaced = {note["address"] for note in document["irreversible"] if "another id" in note["what"]}
    assert (tried.identity() == after) == (tried.address not in replaced)
    return identity, after


@pytest.mark.parametrize("kind, field", some("in_place"))
def test_changed_in_place(trial, kind, field):  # noqa: F811
    change = SAMPLES[kind].in_place[field]
    tried = trial(kind, "simulator", change.given)
    if change.prepare:
        change.prepare(tried.cloud, tried.identity())
    identity, after = taken_back(tried, {**change.along, field: change.to})
    assert identity == after and (after != tried.identity()) == change.one_way
    tried.check_live()


@pytest.mark.parametrize("kind, field", some("replaces"))
def test_replaced(trial, kind, field):  # noqa: F811
    change = SAMPLES[kind].replaces[field]
    tried = trial(kind, "simulator", change.given)
    identity, after = taken_back(tried, {**change.along, field: change.to})
    assert len({identity, after, tried.identity()}) == (2 if change.one_way else 3) or "name" in SAMPLES[kind].values
    tried.check_live()


@pytest.mark.parametrize("kind, field", some("unset"))
def test_taken_out(trial, kind, field):  # noqa: F811
    unset = SAMPLES[kind].unset[field]
    tried = trial(kind, "simulator", unset.given)
    taken_back(tried, {**unset.along, field: None})
    tried.check_live()


@pytest.mark.parametrize("kind", SAMPLES)
def test_made_and_removed(trial, kind):  # noqa: F811
    """The whole of it: what made it is undone, and that too."""
    tried = trial(kind, "simulator")
    apply(tried.stack)
    first = tried.identity()
    runs = tried.stack.run("state", "history", "--output", "json").json["runs"]
    made = next(run["id"] for run in reversed(runs) if run["calls"] > 0)
    tried.stack.run("undo", made, "--yes")
    assert ids_of(tried.stack) == {} and tried.gone(first)
    undo_last(tried.stack)
    plan_is_empty(tried.stack)
    tried.check_live()
