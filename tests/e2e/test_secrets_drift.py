"""What somebody has done to a secret outside: what stands around it is shown, what took its place is not."""

import re

import pytest

from cli import recorded, simulate

SPEC = """\
stack: shown
providers: {aws: {region: eu-central-1}}
vars:
  key: {type: string, secret: true}
aws.vpc:
  main: {cidr: 10.0.0.0/16, tags: {note: "a ${var.key} b"}}
  other: {cidr: 10.1.0.0/16, tags: {team: red}}
"""
KEY = 'BEGIN-OF-KEY\nfirst-line-of-it "q"\nlast-line-of-it\nEND-OF-KEY'
COMMANDS = [
    pytest.param(["drift"], id="drift"),
    pytest.param(["drift", "--output", "json"], id="drift as JSON"),
    pytest.param(["plan"], id="plan"),
    pytest.param(["plan", "--output", "json"], id="plan as JSON"),
]


@pytest.fixture
def applied(stack):
    """A stack with a secret, applied on a simulated world."""
    simulate(stack)
    stack.environment["TRUEUP_VAR_key"] = KEY
    stack.write("stack.yaml", SPEC)
    stack.run("apply", "--yes")
    return stack


def change(stack, address, tag):
    stack.run("sim", "change", "vpc", recorded(stack)[address], tag)


def assert_untold(said, secret):
    assert not [word for word in re.findall(r"[\w-]{8,}", secret) if word in said], said


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "address, tag",
    [
        pytest.param("aws.vpc.main", f"tags.note=a {KEY} b\nmore of it\n", id="written around"),
        pytest.param("aws.vpc.other", f"tags.team=red\n{KEY}\nmore of it\n", id="put elsewhere"),
    ],
)
def test_secret_of_many_lines(applied, command, address, tag):
    change(applied, address, tag)
    result = applied.run(*command, status=(0, 2))
    assert "more of it" in result.out
    assert_untold(result.out + result.err, KEY)
