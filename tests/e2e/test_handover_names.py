"""Names that exist but once: what goes from one object to another, and what somebody else has."""

import pytest

from test_handover import VPC, cloud, write  # noqa: F401
from trueup_runner import Ref, SimulatedCloud, apply, errors_of, ids_of, plan, plan_is_empty


def guarded(cidr):
    return {
        "aws.vpc": {"home": {"cidr": cidr}},
        "aws.security_group": {"web": {"name": "web", "description": "web", "vpc": Ref("aws.vpc.home")}},
        "aws.launch_template": {
            "worker": {
                "name": "worker",
                "image": "ami-0123456789abcdef0",
                "instance_type": "t3.micro",
                "security_groups": [Ref("aws.security_group.web")],
            }
        },
    }


def test_a_name_in_another_vpc_is_free(stack, cloud):
    """The group's name is unique in its VPC, and the new group lies in the new VPC."""
    write(stack, guarded("10.20.0.0/16"))
    apply(stack)
    before = ids_of(stack)
    write(stack, guarded("10.30.0.0/16"))
    planned = plan(stack, status=2)
    assert planned.operations() == {
        "aws.vpc.home": "replace",
        "aws.security_group.web": "replace",
        "aws.launch_template.worker": "update",
    }
    apply(stack)
    after = ids_of(stack)
    assert after["aws.launch_template.worker"] == before["aws.launch_template.worker"]
    [group] = cloud.client().describe_security_groups(GroupIds=[after["aws.security_group.web"]])["SecurityGroups"]
    assert (group["GroupName"], group["VpcId"]) == ("web", after["aws.vpc.home"])
    plan_is_empty(stack)


def two_groups(name):
    def admits(other):
        return [{"protocol": "tcp", "from_port": 5432, "to_port": 5432, "group": Ref(f"aws.security_group.{other}")}]

    def group(name, other, **more):
        return {"name": name, "description": name, "vpc": Ref("aws.vpc.home"), "ingress": admits(other), **more}

    web = group(name, "data", description="web", lifecycle={"create_before_destroy": True})
    return {"aws.vpc": VPC, "aws.security_group": {"web": web, "data": group("data", "web")}}


def test_a_name_is_taken_back_from_what_was_left_behind(stack):
    """The old group has the name that the new one needs, and the other group admits both."""
    cloud = SimulatedCloud(stack)
    write(stack, two_groups("web"))
    apply(stack)
    write(stack, two_groups("front"))
    fault = cloud.fault("DeleteSecurityGroup", "deny", count=0)
    stack.run("apply", "--yes", status=7)
    cloud.heal(fault)
    write(stack, two_groups("web"))
    apply(stack)
    plan_is_empty(stack)
    ids = ids_of(stack)
    ec2 = cloud.client()
    groups = {
        each["GroupName"]: each for each in ec2.describe_security_groups()["SecurityGroups"] if each["GroupName"] != "default"
    }
    assert {name: each["GroupId"] for name, each in groups.items()} == {
        name: ids[f"aws.security_group.{name}"] for name in ("web", "data")
    }
    [rule] = groups["data"]["IpPermissions"]
    assert [each["GroupId"] for each in rule["UserIdGroupPairs"]] == [groups["web"]["GroupId"]]
    cloud.close()


NAMED = {
    "aws.key_pair": {
        "name": "ops",
        "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDaVDQWzWbIWMEQl3UBcHPZ5KSCLZcyrkR6ZZsKmVHjj me",
    },
    "aws.launch_template": {"name": "ops", "image": "ami-0123456789abcdef0", "instance_type": "t3.micro"},
    "aws.security_group": {"name": "ops", "description": "ops", "vpc": Ref("aws.vpc.home")},
}


def make_foreign(ec2, kind, vpc):
    """Gives the id of what somebody else made under the name."""
    if kind == "aws.key_pair":
        return ec2.import_key_pair(KeyName="ops", PublicKeyMaterial=NAMED[kind]["public_key"].encode())["KeyPairId"]
    if kind == "aws.launch_template":
        data = {"ImageId": "ami-0123456789abcdef0"}
        return ec2.create_launch_template(LaunchTemplateName="ops", LaunchTemplateData=data)["LaunchTemplate"][
            "LaunchTemplateId"
        ]
    return ec2.create_security_group(GroupName="ops", Description="theirs", VpcId=vpc)["GroupId"]


@pytest.mark.parametrize("kind", NAMED)
def test_a_name_that_somebody_else_has_is_told_by_the_plan(stack, cloud, kind):
    write(stack, {"aws.vpc": VPC})
    apply(stack)
    home = ids_of(stack)["aws.vpc.home"]
    ec2 = cloud.client()
    # In another VPC the name of a group is another one.
    other = ec2.create_vpc(CidrBlock="10.40.0.0/16")["Vpc"]["VpcId"]
    if kind == "aws.security_group":
        make_foreign(ec2, kind, other)
        write(stack, {"aws.vpc": VPC, kind: {"mine": NAMED[kind]}})
        assert plan(stack, status=2).operations() == {f"{kind}.mine": "create"}
    foreign = make_foreign(ec2, kind, home)

    write(stack, {"aws.vpc": {**VPC, "more": {"cidr": "10.50.0.0/16"}}, kind: {"mine": NAMED[kind]}})
    for command in (["plan"], ["apply", "--yes"]):
        [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
        assert error["address"] == f"{kind}.mine" and error["line"] > 0
        assert "does not belong to this stack" in error["message"] and foreign in error["hint"]
    assert ids_of(stack) == {"aws.vpc.home": home}

    # Under a name of its own it is made.
    write(stack, {"aws.vpc": VPC, kind: {"mine": {**NAMED[kind], "name": "ours"}}})
    apply(stack)
    plan_is_empty(stack)


def test_a_name_that_goes_to_another_address_is_not_somebody_elses(stack, cloud):
    write(stack, {"aws.vpc": VPC, "aws.security_group": {"mine": NAMED["aws.security_group"]}})
    apply(stack)
    write(stack, {"aws.vpc": VPC, "aws.security_group": {"ours": NAMED["aws.security_group"]}})
    assert plan(stack, status=2).operations() == {
        "aws.security_group.mine": "delete",
        "aws.security_group.ours": "create",
    }
    apply(stack)
    plan_is_empty(stack)
