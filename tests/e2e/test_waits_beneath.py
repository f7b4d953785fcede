"""What uses something by what that itself refers to waits for this, though nothing is to be done to what lies between."""

import pytest

from cli import simulate

KEYS = [
    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{key}"
    for key in ("J2vQzZcSxMjHn0PkXcXzuq3wVOxyAqNnzWRwK8lOYkU", "Bo0qY3wCMW0pQYv7iYw1qHk8f4bQ0o1uPq0E3r1Yw9N")
]
SPEC = """\
stack: fleet
providers: {aws: {region: us-west-2}}
aws.vpc: {v: {cidr: 10.1.0.0/16}}
aws.subnet: {s: {vpc: v, cidr: 10.1.1.0/24}}
aws.key_pair: {k: {name: ops, public_key: "%s"}}
aws.launch_template: {t: {name: workers, image: ami-0123456789abcdef0, instance_type: t3.micro, key: k}}
aws.autoscaling_group: {g: {name: workers, launch_template: t, subnets: [s], min: 0, max: %d}}
"""


@pytest.mark.parametrize("saved", [False, True], ids=["at once", "saved"])
def test_a_group_waits_for_the_key_of_its_template(stack, saved):
    simulate(stack)
    stack.write("fleet.yaml", SPEC % (KEYS[0], 2))
    stack.run("apply", "--yes")
    stack.write("fleet.yaml", SPEC % (KEYS[1], 1))
    if saved:
        stack.run("plan", "--out", "p.plan")
        stack.run("apply", "p.plan")
    else:
        stack.run("apply", "--yes")
    [run, *_] = stack.run("state", "history", "--output", "json").json["runs"]
    calls = stack.run("state", "history", run["id"], "--output", "json").json["calls"]
    assert [call["operation"] for call in calls] == ["DeleteKeyPair", "ImportKeyPair", "UpdateAutoScalingGroup"]
