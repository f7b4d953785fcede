"""What a run writes at its user's word, and what it must not write over: told before anything is read or sent."""

import pytest

from cli import tiny  # noqa: F401

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
