"""What a run writes at its user's word, and what it must not write over: told before anything is read or sent."""

import pathlib

import pytest

from cli import TINY, tiny  # noqa: F401

NOT_MADE = [["show"], ["change", "vpc", "vpc-1", "x=y"], ["remove", "vpc", "vpc-1"], ["fault", "*", "deny"], ["pass", "1"]]


@pytest.mark.parametrize("line", NOT_MADE, ids=lambda line: line[0])
def test_a_world_whose_name_is_misspelt(tiny, line):  # noqa: F811
    refused = tiny.run("sim", "wrold", *line, status=1)
    assert "there is no simulated world 'wrold'" in refused.err and "sim FILE add" in refused.err
    assert not (tiny.folder / "wrold").exists()


def test_a_world_that_is_made(tiny):  # noqa: F811
    tiny.run("sim", "mine", "add", "machine", "bmc.example")
    assert "bmc.example" in tiny.run("sim", "mine", "show").out
    # The next plan makes the one that the environment names, and may be rehearsed on before.
    tiny.run("sim", "fault", "CreateVpc", "deny")
    assert (tiny.folder / "world").exists()


@pytest.mark.parametrize("mode, warned", [(0o700, False), (0o755, False), (0o777, True), (0o770, True)])
def test_the_folder_of_the_state_is_the_users_alone(tiny, mode, warned):  # noqa: F811
    tiny.run("plan")
    folder = tiny.folder / ".trueup"
    folder.chmod(mode)
    said = tiny.run("plan").err
    assert ("other users could write the state's folder" in said) == warned
    assert folder.stat().st_mode & 0o7777 == 0o700
    assert tiny.run("plan").err == ""


@pytest.mark.parametrize("within", [False, True], ids=["by its path", "from within"])
def test_a_stack_at_too_long_a_path(tiny, within):  # noqa: F811
    deep = pathlib.Path(*["d" * 100] * 5)
    tiny.write(deep / "tiny.yaml", TINY)
    if within:
        tiny.folder /= deep
    refused = tiny.run(*([] if within else ["-C", deep]), "plan", status=1)
    assert "is too long: with all folders from '/' on SQLite takes" in refused.err
    assert "a shorter path" in refused.err
