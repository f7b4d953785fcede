"""What --target takes along and leaves, and what it says of names that there are not."""

import re

import pytest

from cli import edit, recorded, tiny  # noqa: F401
from test_cli_plan import actions


def test_target(tiny):
    assert actions(tiny.run("plan", "--target", "aws.subnet.a", "--output", "json")) == {
        "aws.subnet.a": "create",
        "aws.vpc.main": "create",
    }
    tiny.run("apply", "--yes", "--target", "aws.vpc.main")
    assert list(recorded(tiny)) == ["aws.vpc.main"]


def test_target_that_is_removed_takes_its_users_along(tiny):
    tiny.run("apply", "--yes")
    text = tiny.run("plan", "--destroy", "--target", "aws.vpc.main").out
    assert "INTENT  what was named is to go, and what refers to it\n" in text
    assert re.search(r"- aws\.vpc\.main +DELETE, named as a target\n", text)
    assert len(re.findall(r"- aws\.subnet\.[ab] +DELETE, refers to what is to go\n", text)) == 2
    edit(tiny, (tiny.folder / "tiny.yaml").read_text().partition("providers: ")[2].partition("\n")[2], "")
    assert "applied: 3 done" in tiny.run("apply", "--yes", "--target", "aws.vpc.main").out


def test_destroying_targets_again_where_one_is_gone_already(tiny):
    tiny.run("apply", "--yes")
    both = ["destroy", "--yes", "--target", "aws.subnet.a", "--target", "aws.subnet.b"]
    fault = tiny.run("sim", "fault", "DeleteSubnet", "deny", "1", "1").out.split()[-1]
    assert "run it again to resume" in tiny.run(*both, status=7).out
    tiny.run("sim", "remove", "fault", fault, status=None)
    tiny.run(*both)
    assert list(recorded(tiny)) == ["aws.vpc.main"]
    assert "nothing to do" in tiny.run(*both).out


@pytest.mark.parametrize("command", [["plan"], ["plan", "--refresh=none"], ["plan", "--destroy"], ["apply", "--yes"], ["destroy", "--yes"]])
@pytest.mark.parametrize("is_first", [True, False], ids=["no state yet", "recorded"])
def test_target_that_is_not_there_is_told_before_anything_is_read(tiny, is_first, command):
    if not is_first:
        tiny.run("apply", "--yes")
    result = tiny.run(*command, "--target", "aws.vpc.mian", status=1, AWS_ENDPOINT_URL="http://127.0.0.1:9")
    assert result.err.startswith("error: there is no 'aws.vpc.mian' in the ") and "hint: " in result.err
    assert result.err.count("error: ") == 1 and result.out == ""
