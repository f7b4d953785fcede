"""A state made anew from what is there holds no secret in clear that a service gives back so."""

import shutil

import pytest

from test_secrets import HEX, OTHER, PASSWORD, Home, assert_nowhere

SPEC = """\
stack: secrets
vars: {password: {type: string, secret: true}}
providers: {aws: {region: us-west-2}}
aws.vpc:
  n: {cidr: 10.0.0.0/16, tags: {word: "is ${var.password}"}}
aws.subnet:
  a: {vpc: n, cidr: 10.0.1.0/24}
aws.instance:
  i: {image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a, user_data: "word ${var.password}"}
"""


@pytest.mark.parametrize(
    "edit, password, planned",
    [
        (("", ""), PASSWORD, set()),
        (("", ""), OTHER, {"aws.vpc.n", "aws.instance.i"}),
        (("  i: {image", "  j: {image"), PASSWORD, {"aws.instance.i", "aws.instance.j"}),
        (("  i: {image", "  # i: {image"), PASSWORD, {"aws.instance.i"}),
        ((', user_data: "word ${var.password}"', ""), PASSWORD, set()),
    ],
    ids=["as it was", "another value", "renamed", "not in the spec", "set no more"],
)
def test_nothing_rests_in_clear(tmp_path, edit, password, planned):
    here = Home(tmp_path / "here", tmp_path / "world")
    here.stack.write("stack.yaml", SPEC)
    here.run("apply", "--yes")
    shutil.rmtree(here.stack.folder / ".trueup")
    here.stack.write("stack.yaml", SPEC.replace(*edit))
    here.stack.environment["TRUEUP_VAR_password"] = password
    here.run("state", "rebuild", "--yes")
    here.run("state", "show", "aws.instance.i")
    actions = here.run("plan", "--output", "json").json["actions"]
    assert {action["address"] for action in actions} == planned
    here.run("drift", status=None)
    assert_nowhere(tmp_path, here)


@pytest.mark.parametrize("key", [None, HEX], ids=["of a file", "of the environment"])
def test_key_that_was_made_before_the_lineage(tmp_path, key):
    """A plan in a folder without a state makes one, and a key for it; then the lineage of another's is taken."""
    first, other = (Home(tmp_path / name, tmp_path / "world") for name in ("first", "other"))
    for home in first, other:
        home.stack.write("stack.yaml", SPEC)
        home.stack.environment["TRUEUP_SEALING_KEY"] = key
    other.run("plan", "--out", "plan")
    first.run("apply", "--yes")
    other.run("state", "rebuild", "--yes")
    again = other.run("plan", "--out", "plan", TRUEUP_VAR_password=OTHER)
    assert "without its secrets" not in again.err
    assert other.key_id()
    other.run("apply", "plan")
