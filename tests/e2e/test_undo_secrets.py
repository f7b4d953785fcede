"""`trueup undo RUN` where fields hold secrets, of which the history has the fingerprints alone."""

import pytest

from cli import recorded, simulate, world  # noqa: F401
from test_undo import apply_spec, lost, operations, undo

PASSWORD = "first-password-1"
SPEC = """\
stack: net
vars:
  password: {type: string, secret: true}
aws.vpc:
  main: {cidr: 10.0.0.0/16, tags: {Name: first, note: "x-${var.password}"}}
aws.subnet:
  a: {vpc: main, cidr: 10.0.1.0/24}
"""
MACHINE = """\
aws.instance:
  one:
    subnet: a
    image: ami-0123456789abcdef0
    instance_type: t3.micro
    user_data: "#!/bin/sh\\nmode=first\\necho ${var.password}\\n"
"""
KEPT = "what it was is a secret, of which only the fingerprint is recorded"


@pytest.fixture
def secret(stack):
    """A VPC with a secret in one of its tags, and a machine with it in its user data."""
    stack.environment["TRUEUP_VAR_password"] = PASSWORD
    simulate(stack)
    apply_spec(stack, SPEC + MACHINE)
    return stack


def test_plain_part_goes_back(secret):
    """What the run changed beside a secret that the spec still has goes back, in a map and within a text."""
    changed = (SPEC + MACHINE).replace("Name: first", "Name: second, extra: e").replace("mode=first", "mode=second")
    run = apply_spec(secret, changed)
    document = undo(secret, run, "--yes")
    assert operations(document) == {"aws.vpc.main": "update", "aws.instance.one": "update"}
    assert lost(document) == set()
    secret.write("net.yaml", SPEC + MACHINE)
    assert secret.run("plan", "--output", "json").json["actions"] == []


def test_made_again_with_what_a_variable_holds(secret):
    """Nothing of the spec uses the secret any more, but its variable has it."""
    run = apply_spec(secret, SPEC.replace('"x-${var.password}"', "none"))
    document = undo(secret, run, "--yes")
    assert operations(document) == {"aws.vpc.main": "update", "aws.instance.one": "create"}
    secret.write("net.yaml", SPEC + MACHINE)
    assert secret.run("plan", "--output", "json").json["actions"] == []
