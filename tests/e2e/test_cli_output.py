"""trueup output: what a stack gives to others, and to whom it tells a secret."""

import json
import re

import pytest

from cli import edit, recorded, tiny  # noqa: F401

OUTPUTS = """\
vars: {word: {type: string, default: unguessable, secret: true}, list: {type: list, default: [1], secret: true}}
outputs:
  range: "${aws.vpc.main.cidr}"
  subnets: ["${aws.subnet.a.id}", 7]
  word: "a-${var.word}"
  words: [{k: "${var.word}"}]
  list: "${var.list}"
  lines: "one\\ntwo\\n"
"""


@pytest.fixture
def giving(tiny):
    tiny.write("outputs.yaml", OUTPUTS)
    tiny.run("apply", "--yes")
    return tiny


def test_all_of_them(giving):
    vpc = recorded(giving)["aws.vpc.main"]
    lines = dict(line.split(None, 1) for line in giving.run("output").out.splitlines())
    assert lines["vpc"] == vpc and lines["range"] == "10.0.0.0/16"
    assert lines["subnets"] == f"[{recorded(giving)['aws.subnet.a']}, 7]"
    assert lines["word"].startswith('"a-secret~')
    document = giving.run("output", "--output", "json").json
    assert document["outputs"]["vpc"] == vpc and document["stack"] == "tiny"
    assert document["outputs"]["subnets"][1] == 7
    # A program sees of a secret what people see: that it changed, and no form of the record.
    assert document["outputs"]["word"] == lines["word"].strip('"')
    assert re.fullmatch(r"secret~[0-9a-f]{8}", document["outputs"]["words"][0]["k"])
    assert re.fullmatch(r"secret~[0-9a-f]{8}", document["outputs"]["list"])
    assert "unguessable" not in json.dumps(document)


# An output and what is written when it is asked for by its name; None: the id of the VPC.
RAW = {"vpc": None, "range": "10.0.0.0/16\n", "word": "a-unguessable\n", "lines": "one\ntwo\n"}


@pytest.mark.parametrize("name, text", RAW.items(), ids=RAW)
def test_one_as_it_is(giving, name, text):
    result = giving.run("output", name)
    assert result.out == (text or recorded(giving)["aws.vpc.main"] + "\n")
    assert result.err == ""


def test_one_that_is_no_text(giving):
    assert json.loads(giving.run("output", "subnets").out) == [recorded(giving)["aws.subnet.a"], 7]


def test_a_secret_is_told_on_standard_output_alone(giving):
    document = giving.run("output", "word", "--output", "json").json
    assert list(document["outputs"]) == ["word"]
    giving.run("output", "word", "--output", "text=word.txt")
    assert "unguessable" not in json.dumps(document) + (giving.folder / "word.txt").read_text()


def test_one_that_there_is_not(giving):
    result = giving.run("output", "subnet", status=1)
    assert "error: the spec has no output 'subnet'\n  hint: did you mean 'subnets'?" in result.err and result.out == ""


def test_what_is_not_known_yet(giving):
    giving.write("more.yaml", 'aws.subnet:\n  c: {vpc: main, cidr: 10.0.3.0/24}\noutputs:\n  more: "${aws.subnet.c.id}"\n')
    assert "more     (not known until it is applied)\n" in giving.run("output").out
    assert giving.run("output", "--output", "json").json["outputs"]["more"] is None
    result = giving.run("output", "more", status=1)
    assert "the output 'more' is not known yet" in result.err and "trueup apply" in result.err


def test_a_stack_that_was_never_applied(tiny):
    result = tiny.run("output", status=1)
    assert "there is no state file" in result.err
    assert not (tiny.folder / ".trueup").exists()


def test_a_spec_without_outputs(tiny):
    edit(tiny, 'outputs:\n  vpc: "${aws.vpc.main.id}"\n', "")
    tiny.run("apply", "--yes")
    result = tiny.run("output")
    assert (result.out, result.err) == ("", "the spec has no outputs\n")
    assert tiny.run("output", "--output", "json").json["outputs"] == {}
