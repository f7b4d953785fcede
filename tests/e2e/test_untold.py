"""What was done and could not be told: the status says that something was changed."""

import pytest

from cli import Terminal, edit, recorded, tiny  # noqa: F401
from test_cli import onto_a_full_disk

DONE_UNTOLD = "all of the plan was applied, and is recorded: only the report of it could not be written"


@pytest.mark.parametrize("command", ["apply --yes", "apply p.plan", "destroy --yes", "undo RUN --yes"])
def test_what_was_done_and_not_told_is_done(tiny, command):
    """It is not given up for a plan that nobody could see; who reads only the status must not take it for undone."""
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    tiny.run("plan", "--out", "p.plan")
    run = tiny.run("state", "history", "--output", "json").json["runs"][0]["id"]
    done = onto_a_full_disk(tiny, *command.replace("RUN", run).split())
    told = done.stderr.decode()
    assert done.returncode == 7 and told.count("standard output could not be written") == 1 and DONE_UNTOLD in told
    assert len(recorded(tiny)) == (3 if command.startswith("apply") else 0)
    # Nothing is left to do, and so nothing is changed.
    again = onto_a_full_disk(tiny, *(["destroy"] if "RUN" in command else command.split()[:1]), "--yes")
    assert again.returncode == 1 and DONE_UNTOLD not in again.stderr.decode()


def test_what_was_done_is_done_though_its_document_is_lost(tiny):
    (tiny.folder / "out").mkdir()
    terminal = Terminal(tiny, "apply", "--output", "json=out/x")
    terminal.read_until("Only 'yes'")
    (tiny.folder / "out").rmdir()
    terminal.type("yes\n")
    terminal.end(7)
    assert DONE_UNTOLD in terminal.text and len(recorded(tiny)) == 3
