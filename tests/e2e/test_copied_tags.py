"""Tags that somebody has copied from what an apply has just made: no call of ours made what they are on."""

import json

import pytest

from cli import recorded, simulate, world
from test_late_twins import come_late
from test_recover import rows

PROVIDERS = "providers: {aws: {region: eu-central-1}}\n"
OURS = """\
aws.vpc: {v: {cidr: 10.0.0.0/16}}
aws.subnet: {s: {vpc: v, cidr: 10.0.1.0/24}}
"""
THEIRS = """\
aws.vpc: {v: {cidr: 10.8.0.0/16}}
aws.subnet: {s: {vpc: v, cidr: 10.8.1.0/24}}
"""
MACHINE = "aws.instance: {x: {image: ami-0123456789abcdef0, instance_type: m7i.large, subnet: s}}\n"
TABLE = "aws.route_table: {x: {vpc: v}}\n"
LIKE = "{image: ami-0123456789abcdef0, instance_type: m7i.large}"
TEMPLATE = "aws.launch_template: {x: {name: %s, instance_type: m7i.large}}\n"
GATEWAY = "aws.internet_gateway: {x: {vpc: v}}\n"
GROUP = "aws.security_group: {x: {name: %s, description: all, vpc: v}}\n"
CONNECTION = """\
aws.vpn_gateway: {g: {vpc: v}}
aws.customer_gateway: {c: {address: 198.51.100.%s, asn: 65010}}
aws.vpn_connection: {x: {customer_gateway: c, vpn_gateway: g, static_routes_only: true}}
"""


@pytest.fixture
def copied(make_stack):
    """Applies our stack and another one in one world, and puts the tags of our resource on what the other one made."""

    def copy(address, kind, ours, theirs):
        stacks = []
        for name, text in (("ours", OURS + ours), ("theirs", THEIRS + theirs)):
            stacks.append(make_stack(name))
            simulate(stacks[-1], "../world")
            stacks[-1].write("stack.yaml", f"stack: {name}\n{PROVIDERS}{text}")
            stacks[-1].run("apply", "--yes")
        mine, other = (recorded(stack)[address] for stack in stacks)
        stacks[0].run("sim", "change", kind, other, f"tagSet={json.dumps(world(stacks[0], kind)[mine]['tagSet'])}")
        return stacks[0], other

    return copy


@pytest.mark.parametrize(
    "address, kind, ours, theirs",
    [
        pytest.param("aws.instance.x", "instance", MACHINE, MACHINE.replace("m7i", "c7i"), id="a machine, by another token"),
        pytest.param("aws.route_table.x", "route-table", TABLE, TABLE, id="a table"),
        pytest.param("aws.launch_template.x", "launch-template", TEMPLATE % "ours", TEMPLATE % "theirs", id="a template"),
        pytest.param("aws.vpc.v", "vpc", "", "", id="a network of another range"),
        pytest.param("aws.subnet.s", "subnet", "", "", id="a subnet of another network"),
        pytest.param("aws.security_group.x", "security-group", GROUP % "a", GROUP % "a", id="a group"),
        pytest.param("aws.internet_gateway.x", "internet-gateway", GATEWAY, GATEWAY, id="a gateway of another network"),
        pytest.param("aws.vpn_connection.x", "vpn-connection", CONNECTION % 7, CONNECTION % 8, id="between others"),
    ],
)
def test_what_our_call_cannot_have_made_is_left_alone(copied, address, kind, ours, theirs):
    stack, other = copied(address, kind, ours, theirs)
    told = f"{other} carries the tags of this stack, as '{address}', and is not recorded: it is left alone"
    before = world(stack, kind)[other]
    for command, status in {("plan", "--detailed-exitcode"): 0, ("drift",): 2, ("apply", "--yes"): 0, ("recover",): 7}.items():
        result = stack.run(*command, status=status)
        assert told in result.err and "by a call that came late" not in result.out + result.err
    stack.write("stack.yaml", f"stack: ours\n{PROVIDERS}")
    assert told in stack.run("apply", "--yes").err
    assert recorded(stack) == {} and world(stack, kind)[other] == before


def test_one_like_it_goes_and_so_once_its_own_is_gone(copied):
    """A request that came twice makes the same: it has no token."""
    stack, _ = copied("aws.vpc.v", "vpc", "", "")
    intent = rows(stack, "SELECT lower(hex(intent)) FROM history WHERE operation = 'CreateVpc'")[0][0]
    twin = come_late(stack, intent)
    assert f"{twin} was made for 'aws.vpc.v' by a call that came late" in stack.run("apply", "--yes").err
    assert twin not in world(stack, "vpc")
    stack.write("stack.yaml", f"stack: ours\n{PROVIDERS}aws.vpc: {{w: {{cidr: 10.5.0.0/16}}}}\n")
    stack.run("apply", "--yes")
    twin, other = come_late(stack, intent), come_late(stack, intent, "vpc", "cidrBlock=10.9.0.0/16", "state=available")
    applied = stack.run("apply", "--yes").err
    assert f"{twin} was made for 'aws.vpc.v' by a call that came late" in applied and twin not in world(stack, "vpc")
    assert f"{other} carries the tags of this stack, as 'aws.vpc.v', and is not recorded" in applied
    assert other in world(stack, "vpc")


@pytest.mark.parametrize("state", ["shutting-down", "terminated"])
def test_no_second_one_is_made_beside_one_with_our_tags(copied, state):
    """Whatever bears them may be what a newer state has, be ours gone or about to."""
    stack, other = copied("aws.instance.x", "instance", MACHINE, MACHINE.replace("m7i", "c7i"))
    stack.run("sim", "pass", "4000")
    ended = json.dumps({"code": "32" if state == "shutting-down" else "48", "name": state})
    stack.run("sim", "change", "instance", recorded(stack)["aws.instance.x"], f"instanceState={ended}")
    before = world(stack, "instance")
    assert f"{other} carries the tags of this stack" in stack.run("drift", status=2).err
    refused = stack.run("apply", "--yes", status=4)
    assert "what the spec has there would be made twice" in refused.err
    assert set(world(stack, "instance")) == set(before)
