"""Characters that XML 1.0 cannot carry: one of them in a tag would make every listing of its kind unreadable."""

import json

import pytest

from cli import simulate, tiny, world  # noqa: F401

BELL = "a\x07b"


def write(stack, kind, fields):
    spec = {
        "stack": "characters",
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        kind: {"x": fields},
    }
    stack.write("stack.yaml", json.dumps(spec))


# Rows: a kind, its fields, and what is named in the message, or None where it is fine.
@pytest.mark.parametrize(
    "kind, fields, name",
    [
        ("aws.subnet", {"vpc": "v", "cidr": "10.0.1.0/24", "tags": {"a": BELL}}, "tags"),
        ("aws.subnet", {"vpc": "v", "cidr": "10.0.1.0/24", "tags": {BELL: "a"}}, "tags"),
        ("aws.security_group", {"vpc": "v", "name": "x", "description": BELL}, "description"),
        ("aws.security_group", {"vpc": "v", "name": "x", "description": "x", "tags": {"a": "\ufffe"}}, "tags"),
        ("aws.subnet", {"vpc": "v", "cidr": "10.0.1.0/24", "tags": {"a": "tab\tline\nend\r\u0085"}}, None),
        # Sent as base64.
        ("aws.launch_template", {"name": "template", "user_data": BELL}, None),
    ],
)
def test_refused_before_any_call(stack, kind, fields, name):
    write(stack, kind, fields)
    result = stack.run("validate", status=1 if name else 0)
    if name:
        assert f"'{name}' has a character that no service takes, 0x" in result.err
        assert "stack.yaml:1:" in result.err and "hint: take it out" in result.err


def test_user_data_comes_back_as_it_was(stack):
    simulate(stack)
    write(stack, "aws.launch_template", {"name": "template", "user_data": BELL})
    stack.run("apply", "--yes")
    stack.run("plan", "--detailed-exitcode")


def test_the_simulator_takes_none_by_hand(tiny):
    tiny.run("apply", "--yes")
    (vpc,) = world(tiny, "vpc")
    for words in ["change", "vpc", vpc, f"tags.a={BELL}"], ["add", "vpc", f"cidrBlock={BELL}"]:
        assert "a character that XML 1.0 cannot carry" in tiny.run("sim", *words, status=1).err
    tiny.run("plan", "--detailed-exitcode")
