"""What is said of a line that is mistyped, and of an action that failed: where the spec has it, and what to do."""

import re
import unicodedata

import pytest

from cli import edit, tiny  # noqa: F401

REFUSED = """\
aws.subnet:
  web: {vpc: main, cidr: 10.0.9.0/24, zone: eu-central-1z}
"""


@pytest.fixture
def refused(tiny):
    """A stack with a subnet in a zone that its region has not."""
    tiny.write("web.yaml", REFUSED)
    return tiny


def test_a_failed_action_names_its_place(refused):
    result = refused.run("apply", "--yes", status=7)
    said = re.search(r"^error: could not create aws\.subnet\.web: .*\n(.*\n)+", result.err, re.MULTILINE)
    assert said, result.err
    assert "  --> web.yaml:2:3\n     2 |   web: {vpc: main" in said[0]
    assert "  hint: the service does not take these values: change them in the spec\n" in said[0]


def test_a_failed_action_names_its_place_to_programs(refused):
    (said,) = refused.run("apply", "--yes", "--output", "json", status=7).json["diagnostics"]
    assert (said["file"], said["line"], said["column"]) == ("web.yaml", 2, 3)
    assert said["address"] == "aws.subnet.web" and said["hint"]


def test_a_failed_action_of_a_saved_plan_names_its_place(refused):
    """Where the files are that the plan was made of is not known, but what they said is."""
    refused.run("plan", "--out", "p.plan")
    (refused.folder / "web.yaml").unlink()
    result = refused.run("apply", "p.plan", "--output", "json", status=7)
    (said,) = result.json["diagnostics"]
    assert said["place"] == "web.yaml:2" and "file" not in said
    assert "  --> web.yaml:2\n" in result.err


def test_what_is_removed_has_no_place(tiny):
    """Only the record has it."""
    tiny.run("apply", "--yes")
    edit(tiny, "  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
    tiny.run("sim", "fault", "DeleteSubnet", "deny")
    result = tiny.run("apply", "--yes", status=1)
    assert "error: could not delete aws.subnet.b: " in result.err
    assert "-->" not in result.err and "what their policies allow: DeleteSubnet" in result.err


@pytest.mark.parametrize(
    "before",
    ["plain", "äöü", "日本語", "한국", "ＡＢ", "e\u0301", "👍", "a\u200bb", "\u202e", "\tx\t", "é日\u202e"],
    ids=ascii,
)
def test_a_caret_stands_under_what_it_is_about(stack, before):
    """Behind what takes two columns, or none, or is shown as an escape."""

    def columns(text):
        widths = {"W": 2, "F": 2}
        return sum(0 if unicodedata.combining(each) else widths.get(unicodedata.east_asian_width(each), 1) for each in text)

    stack.write("a.yaml", f'stack: x\naws.vpc: {{main: {{cidr: 10.0.0.0/16, tags: {{k: "{before}"}}, zonne: 1}}}}\n')
    err = stack.run("validate", status=1).err
    line, caret = [line for line in err.splitlines() if "|" in line][:2]
    shown, _, _ = line.partition("zonne")
    assert caret.count("\t") == shown.count("\t")
    assert columns(caret.replace("\t", "")) - 1 == columns(shown.replace("\t", ""))


@pytest.mark.parametrize(
    "line",
    [
        ["plan", "--vra=pw=SuperSecret1"],
        ["plan", "--vra", "pw=SuperSecret1"],
        ["plan", "--var=SuperSecret1"],
        ["plan", "--var", "pw", "SuperSecret1"],
        ["plan", "--var", "=SuperSecret1"],
        ["plan", "-var=pw=SuperSecret1"],
        ["plan", "pw=SuperSecret1"],
        ["--var", "pw=SuperSecret1", "plan"],
        ["state", "--var", "pw=SuperSecret1", "list"],
    ],
    ids=" ".join,
)
def test_wrong_line_repeats_no_value_of_a_variable(stack, line):
    """It may be secret, and what is told comes to rest in logs."""
    for settings in ({}, {"TRUEUP_OUTPUT": "json"}):
        result = stack.run(*line, status=64, **settings)
        assert "SuperSecret1" not in result.out + result.err


def test_a_wrong_account_is_told_once(tiny):
    """Of whatever is recorded there, by one error: there is one thing to do about it."""
    tiny.run("apply", "--yes")
    tiny.run("sim", "add", "settings", "settings", "account=999999999999")
    for command in ["plan"], ["apply", "--yes"]:
        told = tiny.run(*command, "--output", "json", status=1).json["diagnostics"]
        [error] = [each for each in told if each["severity"] == "error"]
        assert "but provider 'aws' reaches" in error["message"] and "whatever else is recorded there" in error["hint"]


def test_a_wrong_account_is_told_of_each_place(tiny):
    """What is recorded in another place may be reached by other credentials."""
    edit(tiny, "aws.vpc:", 'aws.vpc:\n  far: {cidr: 10.8.0.0/16, provider: aws.east}\n  farther: {cidr: 10.9.0.0/16, provider: aws.east}')
    edit(tiny, "{aws: {", "{aws.east: {region: us-east-1}, aws: {")
    tiny.run("apply", "--yes")
    tiny.run("sim", "add", "settings", "settings", "account=999999999999")
    told = tiny.run("plan", "--output", "json", status=1).json["diagnostics"]
    wrong = [each["message"] for each in told if each["severity"] == "error"]
    assert sorted(re.search("but provider '(.*)' reaches", each)[1] for each in wrong) == ["aws", "aws.east"]


@pytest.mark.parametrize("fault", ["error", "unavailable", "lost_request", "lost_answer", "half_answer", "huge", "refused", "html"])
@pytest.mark.parametrize("call", ["DescribeVpcs", "GetCallerIdentity"])
def test_a_read_without_an_answer_leaves_nothing_open(tiny, call, fault):
    """It changes nothing, whatever came of it."""
    tiny.run("apply", "--yes")
    tiny.run("sim", "fault", call, fault)
    done = tiny.run("plan", "--output", "json", status=None)
    assert "outcome" not in done.out + done.err and '"ambiguous"' not in done.out and done.json["status"] != 0
