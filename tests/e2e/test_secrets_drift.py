"""What somebody has done to a secret outside: what stands around it is shown, what took its place is not."""

import json
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
KEY = 'BEGIN-OF-KEY\nfirst-line-of-it "q"\nlast-line-of-it-all\nEND-OF-KEY'
COMMANDS = [
    pytest.param(["drift"], id="drift"),
    pytest.param(["drift", "--output", "json"], id="drift as JSON"),
    pytest.param(["plan"], id="plan"),
    pytest.param(["plan", "--output", "json"], id="plan as JSON"),
]
SAVED = pytest.param(["plan", "--out", "saved"], id="saved plan")


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


def saved(stack):
    """The plan that was saved, where one was."""
    path = stack.folder / "saved"
    return path.read_text() if path.exists() else ""


def assert_untold(said, secret):
    assert not [word for word in re.findall(r"[\w-]{8,}", secret) if word in said], said


@pytest.mark.parametrize("command", [*COMMANDS, SAVED])
@pytest.mark.parametrize(
    "address, tag",
    [
        pytest.param("aws.vpc.main", f"tags.note=a {KEY} b\nmore of it\n", id="written around"),
        pytest.param("aws.vpc.other", f"tags.team=red\n{KEY}\nmore of it\n", id="put elsewhere"),
        pytest.param("aws.vpc.other", "tags.team=more of it: last-line-of-it-all", id="one line put elsewhere"),
    ],
)
def test_secret_of_many_lines(applied, command, address, tag):
    change(applied, address, tag)
    result = applied.run(*command, status=(0, 2))
    assert "more of it" in result.out
    assert_untold(result.out + result.err + saved(applied), KEY)


ROTATED = "RotatedByHand3"


@pytest.mark.parametrize("command", [*COMMANDS, SAVED])
@pytest.mark.parametrize(
    "spec, tag",
    [
        pytest.param("${var.key}", ROTATED, id="whole"),
        pytest.param("a ${var.key} b", f"a {ROTATED} b", id="in part"),
        pytest.param("a ${var.key}", f"another {ROTATED}", id="with another text around it"),
        pytest.param("a ${var.key}", f"a former-password-1 {ROTATED}", id="a former one"),
    ],
)
def test_other_secret_in_its_place(applied, command, spec, tag):
    """Somebody has put another password there, of which nothing tells that it is one but where it stands."""
    applied.environment["TRUEUP_VAR_key"] = "former-password-1"
    applied.write("stack.yaml", SPEC.replace("a ${var.key} b", spec))
    applied.run("apply", "--yes")
    change(applied, "aws.vpc.main", f"tags.note={tag}")
    result = applied.run(*command, TRUEUP_VAR_key="present-password-2", status=(0, 2))
    assert "note" in result.out and "team" not in result.out
    assert_untold(result.out + result.err + saved(applied), f"{tag} former-password-1")


def test_other_secret_is_not_recorded(applied):
    """What is ignored is left as it is, and seen with every change of the rest; nor is it drift then."""
    applied.write("stack.yaml", SPEC.replace('b"}', 'b"}, lifecycle: {ignore: [tags]}'))
    applied.run("apply", "--yes")
    change(applied, "aws.vpc.main", f"tags.note=a {ROTATED} b")
    for name in ("dns_hostnames", "dns_support"):
        text = (applied.folder / "stack.yaml").read_text()
        applied.write("stack.yaml", text.replace("cidr: 10.0.0.0/16", f"cidr: 10.0.0.0/16, {name}: true"))
        applied.run("apply", "--yes")
        applied.run("drift")
    assert ROTATED.encode() not in (applied.folder / ".trueup" / "state.db").read_bytes()


GROUP = """\
aws.vpc: {main: {cidr: 10.0.0.0/16}, other: {cidr: 10.1.0.0/16, tags: {note: "${var.key}"}}}
aws.security_group:
  g:
    {vpc: main, name: g, description: d, ingress: [
      {protocol: tcp, from_port: 22, to_port: 22, cidr: 10.0.0.0/8, description: plain},
      {protocol: tcp, from_port: 22, to_port: 22, group: h}], egress: []}
  h: {vpc: main, name: h, description: d, ingress: [{protocol: tcp, from_port: 22, to_port: 22, group: g}]}
"""
IGNORED = GROUP.replace("egress: []", "tags: {a: b}, lifecycle: {ignore: [ingress]}")


@pytest.mark.parametrize("deleted", [pytest.param(False, id="changed"), pytest.param(True, id="deleted by halves")])
def test_secret_that_came_late_is_not_recorded(stack, deleted):
    """A call of an earlier run has put it where neither spec nor record has one any more."""
    simulate(stack)
    stack.environment["TRUEUP_VAR_key"] = "FirstSecret42"
    stack.write("stack.yaml", SPEC.split("aws.vpc")[0] + GROUP)
    stack.run("apply", "--yes")
    group = recorded(stack)["aws.security_group.g"]
    rules = json.loads(stack.run("sim", "show", "security-group-rule").out)["eu-central-1"]["security-group-rule"]
    rule = next(name for name, rule in rules.items() if rule.get("description") == "plain")
    stack.run("sim", "change", "security-group-rule", rule, "description=once FirstSecret42 more")
    if deleted:
        stack.run("sim", "fault", "DeleteSecurityGroup", "deny")
        stack.run("destroy", "--yes", status=7)
    else:
        stack.write("stack.yaml", SPEC.split("aws.vpc")[0] + IGNORED)
        stack.run("apply", "--yes")
    database = b"".join(path.read_bytes() for path in (stack.folder / ".trueup").glob("state.db*"))
    assert group.encode() in database and b"FirstSecret42" not in database


TUNNELS = """\
aws.customer_gateway:
  here: {address: 198.51.100.1, asn: 65000}
aws.vpn_gateway:
  there: {asn: 64600}
aws.vpn_connection:
  between:
    customer_gateway: here
    vpn_gateway: there
    tunnels:
      - {pre_shared_key: "Written_Out.${var.key}"}
      - {pre_shared_key: '${replace(aws.vpn_gateway.there.id, "-", "_")}.${var.key}'}
"""


def test_secret_field_that_is_said_in_part(applied):
    """What the spec says itself of a key is as secret as what the variable holds."""
    applied.environment["TRUEUP_VAR_key"] = "of_a_variable"
    applied.write("stack.yaml", SPEC + TUNNELS)
    said = [applied.run("plan", "--out", "saved"), applied.run("plan", "--output", "json"), applied.run("apply", "--yes")]
    said += [applied.run("state", "show", "aws.vpn_connection.between", "--output", "json")]
    assert "nothing to do" in applied.run("plan").out
    files = [applied.folder / "saved", applied.folder / ".trueup" / "state.db"]
    said = "".join(one.out + one.err for one in said) + "".join(file.read_bytes().decode("latin-1") for file in files)
    assert "pre_shared_key" in said
    assert_untold(said, "Written_Out.of_a_variable")
