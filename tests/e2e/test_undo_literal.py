"""`trueup undo RUN` where the spec said by a name of its own what it had referred to, or the other way round."""

from cli import simulate
from test_undo import apply_spec, is_as_in, operations, undo

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl x"


def keyed(pair=None):
    """A launch template with the key k1: a pair of ours, whatever that is called, or else a mere name."""
    return f"""\
stack: net
providers: {{aws: {{region: eu-central-1}}}}
{f'aws.key_pair: {{k1: {{name: {pair}, public_key: "{KEY}"}}}}' if pair else ""}
aws.launch_template:
  l: {{name: web, image: ami-0123456789abcdef0, instance_type: t3.micro, key: k1}}
"""


def test_a_name_of_ours_is_a_mere_name_since(stack):
    """That is recorded without a call, or the run after it would seem to have changed nothing of what refers there."""
    simulate(stack, "../world")
    apply_spec(stack, keyed("k1"))
    stack.write("net.yaml", keyed())
    planned = stack.run("plan", "--output", "json").json
    assert operations(planned) == {"aws.key_pair.k1": "delete", "aws.launch_template.l": "record"}
    named = apply_spec(stack, keyed())
    calls = stack.run("state", "history", named, "--output", "json").json["calls"]
    assert [call["operation"] for call in calls] == ["DeleteKeyPair"]
    assert is_as_in(stack, keyed())
    run = apply_spec(stack, keyed("k2"))
    assert operations(undo(stack, run, "--yes")) == {"aws.key_pair.k1": "delete", "aws.launch_template.l": "update"}
    assert is_as_in(stack, keyed())
    assert operations(undo(stack, named, "--yes")) == {"aws.key_pair.k1": "create", "aws.launch_template.l": "record"}
    assert is_as_in(stack, keyed("k1"))
