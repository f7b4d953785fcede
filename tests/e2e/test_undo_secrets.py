"""`trueup undo RUN` where fields hold secrets, of which the history has the fingerprints alone."""

import base64

import pytest

from cli import recorded, simulate, world
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


ANOTHER = "second-password-2"


def test_nothing_can_be_taken_back(secret):
    """All that the run did is still there: that is said, and it does not end as if all were well."""
    run = apply_spec(secret, SPEC)
    secret.environment["TRUEUP_VAR_password"] = ANOTHER
    for arguments in (["--yes"], ["--detailed-exitcode"], ["--out", "back.plan"]):
        result = secret.run("undo", run, *arguments, status=7)
        assert "nothing to do: what is left of the run cannot be taken back, see LOST above" in result.out
        assert "is not made again: its 'user_data' is a secret" in result.out
    assert secret.run("apply", "back.plan", status=7).out.count("LOST") == 2
    assert "aws.instance.one" not in recorded(secret)


def test_some_can_be_taken_back(secret):
    """The rest goes back, also the other keys of a map, and the end tells that it is not all."""
    secret.environment["TRUEUP_VAR_password"] = ANOTHER
    run = apply_spec(secret, (SPEC + MACHINE).replace("Name: first", "Name: second"))
    result = secret.run("undo", run, "--yes", status=7)
    assert f"'tags.note' keeps its value: {KEPT}" in result.out
    assert f"'user_data' keeps its value: {KEPT}" in result.out
    assert result.out.endswith("not all that the run did is taken back: see LOST above\n")
    secret.write("net.yaml", SPEC + MACHINE)
    assert secret.run("plan", "--output", "json").json["actions"] == []


TEMPLATE = """\
aws.launch_template:
  machines: {name: machines, instance_type: t3.micro, user_data: "#!/bin/sh\\n: %s\\n"}
"""


def user_data(stack):
    return [
        base64.b64decode(each["launchTemplateData"]["userData"]).decode()
        for each in world(stack, "launch-template-version").values()
    ]


@pytest.mark.parametrize("saved", [False, True], ids=["at once", "as a saved plan"])
def test_beside_what_nobody_has(secret, saved):
    """A version of a template takes all of its fields along: what keeps its value goes as it is there, in clear."""
    text = SPEC + TEMPLATE % "${var.password}"
    apply_spec(secret, text)
    run = apply_spec(secret, text.replace("t3.micro", "t3.small"))
    secret.environment["TRUEUP_VAR_password"] = ANOTHER
    secret.run("undo", run, *(["--out", "back.plan"] if saved else ["--yes"]))
    if saved:
        secret.run("apply", "back.plan")
    assert user_data(secret) == [f"#!/bin/sh\n: {PASSWORD}\n"] * 3


def test_beside_what_follows_another(secret):
    """What it is made of beside the secret may be another one's by now: without the secret nobody can tell."""
    text = SPEC + TEMPLATE % "${aws.vpc.main.id} ${var.password}"
    apply_spec(secret, text)
    run = apply_spec(secret, text.replace("t3.micro", "t3.small"))
    secret.environment["TRUEUP_VAR_password"] = ANOTHER
    result = secret.run("undo", run, "--yes", status=1)
    assert "'aws.launch_template.machines' would have to be set anew, and of a secret" in result.err
    secret.environment["TRUEUP_VAR_password"] = PASSWORD
    secret.run("undo", run, "--yes")
    [vpc] = world(secret, "vpc")
    assert user_data(secret) == [f"#!/bin/sh\n: {vpc} {PASSWORD}\n"] * 3


TUNNELS = """\
aws.customer_gateway:
  office: {address: 203.0.113.9, asn: 65010}
aws.vpn_gateway:
  ours: {vpc: main}
aws.vpn_connection:
  line:
    customer_gateway: office
    vpn_gateway: ours
    static_routes_only: true
    tunnels: [{pre_shared_key: "${var.password}"}, {pre_shared_key: "b.${var.password}"}]
"""
KEYS = ("first.key.1", "second.key.2")


def secrets(stack):
    [vpc] = world(stack, "vpc").values()
    [line] = world(stack, "vpn-connection").values()
    tunnels = line["options"]["tunnelOptionSet"]
    [note] = [tag["value"] for tag in vpc["tagSet"] if tag["key"] == "note"]
    return [note, user_data(stack)[-1], *(tunnel["preSharedKey"] for tunnel in tunnels)]


@pytest.mark.parametrize("refused", [None, ("CreateTags", 1), ("ModifyVpnTunnelOptions", 2)], ids=["whole", "a tag", "a tunnel"])
def test_what_is_back_stays_so(stack, refused):
    """Who gives the same command later has the secret of before no more: what is as it was stays, the rest is told."""
    simulate(stack)
    stack.environment["TRUEUP_VAR_password"] = KEYS[0]
    apply_spec(stack, SPEC + TEMPLATE % "${var.password}" + TUNNELS)
    before = secrets(stack)
    stack.environment["TRUEUP_VAR_password"] = KEYS[1]
    run = apply_spec(stack, SPEC + TEMPLATE % "${var.password}" + TUNNELS)
    if refused:
        fault = stack.run("sim", "fault", refused[0], "deny", str(refused[1])).out.split()[-1]
    stack.run("undo", run, "--yes", "--var", f"password={KEYS[0]}", status=7 if refused else 0)
    if refused:
        stack.run("sim", "remove", "fault", fault)
    left = secrets(stack)
    assert (left == before) == (not refused) and left[1] == before[1]
    for arguments in (["--detailed-exitcode"], ["--yes"]):
        result = stack.run("undo", run, *arguments, status=7 if refused else 0)
        assert ("LOST" if refused else "is as it was recorded before") in result.out
        assert "user_data" not in result.out and secrets(stack) == left
    stack.run("undo", run, "--yes", "--var", f"password={KEYS[0]}")
    assert secrets(stack) == before


def test_a_secret_that_is_as_it_was(stack):
    """What the spec did not set before the run is let go of again; it is as it was, and nobody needs to have it."""
    simulate(stack)
    stack.environment["TRUEUP_VAR_password"] = KEYS[0]
    without = SPEC + TUNNELS[: TUNNELS.index("    tunnels:")]
    apply_spec(stack, SPEC + TUNNELS)
    apply_spec(stack, without)
    run = apply_spec(stack, SPEC + TUNNELS)
    stack.environment["TRUEUP_VAR_password"] = KEYS[1]
    document = undo(stack, run, "--yes", status=7)
    assert operations(document) == {"aws.vpn_connection.line": "record"}
    assert lost(document) == {("aws.vpn_connection.line", "'tunnels' keeps its value: the spec did not set it before")}
    stack.write("net.yaml", without)
    stack.environment["TRUEUP_VAR_password"] = KEYS[0]
    assert stack.run("plan", "--output", "json").json["actions"] == []


PAIR = "stack: net\naws.key_pair:\n  %s: {name: ops, secret_to: {file: ops.pem}}\n"


def test_a_file_that_only_the_spec_writes(stack):
    """What has its key there keeps it; what the undoing has nothing to do with writes none."""
    simulate(stack)
    apply_spec(stack, PAIR % "a")
    run = apply_spec(stack, "stack: net\n")
    later = apply_spec(stack, PAIR.replace("ops,", "other,") % "b")
    key = (stack.folder / "ops.pem").read_text()
    (told,) = undo(stack, run, "--yes", status=1)["diagnostics"]
    assert "'aws.key_pair.b' is there and has its key in it" in told["message"]
    assert (stack.folder / "ops.pem").read_text() == key
    undo(stack, later, "--yes")
    assert operations(undo(stack, run, "--yes")) == {"aws.key_pair.a": "create"}
    assert (stack.folder / "ops.pem").read_text() != key


@pytest.mark.parametrize("changes", [False, True], ids=["alone", "and another field"])
def test_no_secret_any_more(secret, changes):
    """The spec has it in clear by now: so it is known, and goes back as the secret that it was."""
    text = (SPEC + MACHINE).replace("string, secret: true", "string")
    run = apply_spec(secret, text.replace("x-${var.password}", "y-${var.password}") if changes else text)
    document = undo(secret, run, "--yes")
    assert lost(document) == set()
    assert operations(document) == {"aws.vpc.main": "update" if changes else "record", "aws.instance.one": "record"}
    assert PASSWORD not in secret.run("state", "show", "aws.vpc.main", "--output", "json").out
    secret.write("net.yaml", SPEC + MACHINE)
    assert secret.run("plan", "--output", "json").json["actions"] == []
