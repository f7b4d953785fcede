"""Aliases, regions and endpoints that change under what is there, on the simulator: what goes, what is refused."""

import pytest

from conftest import REGION
from test_hard_cases import VPC, write
from trueup_runner import MotoCloud, Ref, apply, errors_of, ids_of, plan, plan_is_empty

EAST = "us-east-1"


def in_two_regions(**aliases):
    """Sections and resources of a stack with one VPC through the default provider and one through aws.east."""
    vpcs = {"home": {"cidr": "10.20.0.0/16"}, "east": {"cidr": "10.30.0.0/16", "provider": "aws.east"}}
    subnets = {"east": {"vpc": Ref("aws.vpc.east"), "cidr": "10.30.0.0/20", "provider": "aws.east"}}
    return {"aws.vpc": vpcs, "aws.subnet": subnets}, {"providers": {"aws.east": {"region": EAST}, **aliases}}


def vpcs_in(cloud, region):
    return sorted(each["CidrBlock"] for each in cloud.client(region=region).describe_vpcs()["Vpcs"])


def test_a_provider_alias_removed_with_its_resources(stack, cloud):
    resources, sections = in_two_regions()
    write(stack, resources, **sections)
    apply(stack)
    plan_is_empty(stack)
    assert "10.30.0.0/16" in vpcs_in(cloud, EAST) and "10.30.0.0/16" not in vpcs_in(cloud, REGION)

    # Neither the alias nor what it was for is in the spec any more: it is reached as it was recorded.
    write(stack, {"aws.vpc": {"home": resources["aws.vpc"]["home"]}})
    assert plan(stack, status=2).operations() == {"aws.vpc.east": "delete", "aws.subnet.east": "delete"}
    apply(stack)
    assert "10.30.0.0/16" not in vpcs_in(cloud, EAST) and "10.20.0.0/16" in vpcs_in(cloud, REGION)
    plan_is_empty(stack)


def test_a_provider_alias_removed_while_its_resources_remain(stack, cloud):
    resources, sections = in_two_regions()
    write(stack, resources, **sections)
    apply(stack)
    before = ids_of(stack)
    write(stack, resources)
    document = stack.run("plan", "--output", "json", status=1).json
    assert {each["message"] for each in errors_of(document)} == {"there is no provider 'aws.east'"}
    assert {(each["file"], each["line"] > 0) for each in errors_of(document)} == {("stack.yaml", True)}

    # Without the word they come to the default provider's region, which is another: new ones there.
    for kind, name in (("aws.vpc", "east"), ("aws.subnet", "east")):
        del resources[kind][name]["provider"]
    write(stack, resources)
    assert plan(stack, "--refresh=none", status=2).operations() == {
        "aws.vpc.east": "replace",
        "aws.subnet.east": "replace",
    }
    planned = plan(stack, status=2)
    assert planned.operations() == {"aws.vpc.east": "replace", "aws.subnet.east": "replace"}
    assert "region" in planned.actions["aws.vpc.east"].data["reason"]
    apply(stack)
    assert "10.30.0.0/16" not in vpcs_in(cloud, EAST) and "10.30.0.0/16" in vpcs_in(cloud, REGION)
    after = ids_of(stack)
    assert after["aws.vpc.home"] == before["aws.vpc.home"] and after["aws.vpc.east"] != before["aws.vpc.east"]
    plan_is_empty(stack)


def test_the_region_of_an_alias_edited(stack, cloud):
    resources, sections = in_two_regions()
    write(stack, resources, **sections)
    apply(stack)
    sections["providers"]["aws.east"]["region"] = "us-west-2"
    write(stack, resources, **sections)
    planned = plan(stack, status=2)
    assert planned.operations() == {"aws.vpc.east": "replace", "aws.subnet.east": "replace"}
    assert "region" in planned.actions["aws.vpc.east"].data["reason"]
    # The spec and the record alone tell it.
    unread = plan(stack, "--refresh=none", "--out", "east.plan", status=2)
    assert unread.operations() == planned.operations()
    assert unread.data["digest"] == planned.data["digest"]
    stack.run("apply", "east.plan", "--yes")
    assert "10.30.0.0/16" not in vpcs_in(cloud, EAST) and "10.30.0.0/16" in vpcs_in(cloud, "us-west-2")
    plan_is_empty(stack)
    stack.run("destroy", "--yes")
    assert ids_of(stack) == {}
    assert "10.30.0.0/16" not in vpcs_in(cloud, "us-west-2")


def test_another_endpoint_is_refused(stack, cloud):
    """A state made on one cloud is never taken for another, however alike they are."""
    write(stack, {"aws.vpc": VPC})
    apply(stack)
    for arguments in (["plan"], ["apply", "--yes"]):
        result = stack.run(*arguments, "--output", "json", status=1, AWS_ENDPOINT_URL="sim:another")
        [error] = errors_of(result.json)
        assert error["address"] == "aws.vpc.home" and error["line"] == 4
        assert "endpoint sim:world" in error["message"] and "endpoint sim:another" in error["message"]
        assert result.json["actions"] == []
    assert ids_of(stack).keys() == {"aws.vpc.home"}
    plan_is_empty(stack)

    # What is to go goes where it was recorded, whatever the environment says now.
    stack.run("destroy", "--yes", AWS_ENDPOINT_URL="sim:another")
    assert "10.20.0.0/16" not in vpcs_in(cloud, REGION)


@pytest.mark.parametrize(
    "settings",
    [
        {"AWS_ENDPOINT_URL_EC2": "sim:other"},
        {"AWS_ENDPOINT_URL": None, "AWS_ENDPOINT_URL_EC2": "sim:other", "AWS_ENDPOINT_URL_STS": "sim:other"},
        {"AWS_ENDPOINT_URL": "https://ec2.example.org", "AWS_ENDPOINT_URL_STS": "sim:other"},
    ],
    ids=["two simulators", "some services", "beside a server"],
)
def test_a_simulator_of_some_services_is_refused(stack, cloud, settings):
    """Who is asked for the account and who has the network must be one, or the record names the wrong one."""
    write(stack, {"aws.vpc": VPC})
    result = stack.run("apply", "--yes", "--output", "json", status=1, **settings)
    [error] = errors_of(result.json)
    assert "sim:other" in error["message"] and "every service" in error["message"], error
    assert not (stack.folder / "other").exists()


def test_endpoints_of_single_services_are_part_of_the_place(stack, moto):
    cloud = MotoCloud(stack, moto)
    other = cloud.address().replace("127.0.0.1", "localhost")
    write(stack, {"aws.vpc": VPC})
    apply(stack, AWS_ENDPOINT_URL_EC2=other)
    result = stack.run("plan", "--output", "json", status=1)
    [error] = errors_of(result.json)
    assert f"ec2={other}" in error["message"], error
    assert plan(stack, status=0, AWS_ENDPOINT_URL_EC2=other).operations() == {}
    # The spec's own word goes before the environment's.
    endpoints = {name: cloud.address() for name in ("autoscaling", "sts")} | {"ec2": other}
    write(stack, {"aws.vpc": VPC}, providers={"aws": {"endpoints": endpoints}})
    assert plan(stack, status=0, AWS_ENDPOINT_URL_EC2="http://127.0.0.1:9").operations() == {}
    # What is to go goes where it was recorded.
    write(stack, {})
    apply(stack, AWS_ENDPOINT_URL_EC2="http://127.0.0.1:9")
    assert ids_of(stack) == {}
    assert "10.20.0.0/16" not in [each["CidrBlock"] for each in cloud.client().describe_vpcs()["Vpcs"]]


@pytest.mark.parametrize(
    "endpoints, part",
    [({"ec3": "http://127.0.0.1"}, "no service 'ec3'"), ({"ec2": "nonsense"}, "endpoint 'nonsense'")],
    ids=["unknown service", "no URL"],
)
def test_bad_endpoints_of_services_are_refused(stack, cloud, endpoints, part):
    write(stack, {"aws.vpc": VPC}, providers={"aws": {"endpoints": endpoints}})
    [error] = errors_of(stack.run("plan", "--output", "json", status=1).json)
    assert part in error["message"], error
