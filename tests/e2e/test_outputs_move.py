"""Outputs that another value takes the place of: by somebody else, by a change in place, or for good.

Each story is told by a security group that admits an instance by its public address: whoever has the former one is a
stranger.
"""

import pytest

from trueup_runner import Ref, apply, ids_of, plan_is_empty, spec_text

INSTANCE = "aws.instance.i"
GROUP = "aws.security_group.allow"
ADDRESS = "${aws.instance.i.public_address}"


def resources(dependent=True, **fields):
    told = {
        "aws.vpc": {"v": {"cidr": "10.50.0.0/16"}},
        "aws.subnet": {"p": {"vpc": Ref("aws.vpc.v"), "cidr": "10.50.1.0/24"}},
        "aws.instance": {
            "i": {
                "image": "ami-0123456789abcdef0",
                "instance_type": "t3.micro",
                "subnet": Ref("aws.subnet.p"),
                "public_ip": True,
                **fields,
            }
        },
    }
    if dependent:
        rule = {"protocol": "tcp", "from_port": 22, "to_port": 22, "cidr": f"{ADDRESS}/32"}
        told["aws.security_group"] = {
            "allow": {"vpc": Ref("aws.vpc.v"), "name": "allow", "description": "who may", "ingress": [rule]}
        }
    return told


def write(stack, dependent=True, **fields):
    stack.write("stack.yaml", spec_text(resources(dependent, **fields), outputs={"pub": ADDRESS}))


def live_address(stack, cloud):
    identity = ids_of(stack)[INSTANCE]
    [instance] = cloud.client().describe_instances(InstanceIds=[identity])["Reservations"][0]["Instances"]
    return instance.get("PublicIpAddress")


def admitted(stack, cloud):
    [group] = cloud.client().describe_security_groups(GroupIds=[ids_of(stack)[GROUP]])["SecurityGroups"]
    return [each["CidrIp"] for rule in group["IpPermissions"] for each in rule["IpRanges"]]


def told(stack, status=0):
    return stack.run("output", "pub", status=status).out.strip()


@pytest.mark.parametrize("dependent", [True, False])
def test_a_public_address_that_is_taken_away(stack, cloud, dependent):
    write(stack, dependent)
    apply(stack)
    assert told(stack) == live_address(stack, cloud)
    # A listing shows what was before for a while.
    cloud.change("settings", "settings", lag_ms=15000)
    write(stack, dependent=False, public_ip=False)
    apply(stack)
    assert live_address(stack, cloud) is None
    assert told(stack, status=1) == ""
    plan_is_empty(stack)


@pytest.mark.parametrize("dependent", [True, False])
def test_a_public_address_that_is_given(stack, cloud, dependent):
    write(stack, dependent=False, public_ip=False)
    apply(stack)
    cloud.change("settings", "settings", lag_ms=15000)
    write(stack, dependent)
    apply(stack)
    assert told(stack) == live_address(stack, cloud)
    if dependent:
        assert admitted(stack, cloud) == [told(stack) + "/32"]
    plan_is_empty(stack)
