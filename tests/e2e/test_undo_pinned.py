"""`trueup undo RUN` where others have had something stay that names what the undoing would delete."""

import pytest

from trueup_runner import Ref, SimulatedCloud, apply, errors_of, ids_of, spec_text

HOME, Z = Ref("aws.vpc.home"), "aws.security_group.z"
RULE = {"IpProtocol": "tcp", "FromPort": 9, "ToPort": 9}


def write(stack, z=None):
    """A machine and a group that say nothing of others, and the group that comes, or gets another name."""
    called = {"z": {"vpc": HOME, "name": z, "description": "d"}} if z else {}
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.a")}
    resources = {
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
        "aws.subnet": {"a": {"vpc": HOME, "cidr": "10.20.0.0/24"}},
        "aws.instance": {"n": machine},
        "aws.security_group": {"y": {"vpc": HOME, "name": "y", "description": "d"}, **called},
    }
    stack.write("stack.yaml", spec_text(resources))


def put_machine(client, ids):
    client.modify_instance_attribute(InstanceId=ids["aws.instance.n"], Groups=[ids[Z]])
    return "'security_groups' of 'aws.instance.n' names it"


def let_in(client, ids):
    rule = {**RULE, "UserIdGroupPairs": [{"GroupId": ids[Z]}]}
    client.authorize_security_group_ingress(GroupId=ids["aws.security_group.y"], IpPermissions=[rule])
    return f"ingress[tcp 9 9 {ids[Z]}] of 'aws.security_group.y' names it"


@pytest.mark.parametrize("others", [put_machine, let_in])
@pytest.mark.parametrize("before", [None, "former"], ids=["made", "replaced"])
def test_refused_before_any_call(stack, before, others):
    cloud = SimulatedCloud(stack)
    write(stack, before)
    apply(stack)
    write(stack, "later")
    apply(stack)
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    told = others(cloud.client(), ids_of(stack))
    [error] = errors_of(stack.run("undo", run, "--yes", "--output", "json", status=1).json)
    assert error["message"] == f"'{Z}' cannot be deleted: {told}, and stays as it is", error
    cloud.close()
