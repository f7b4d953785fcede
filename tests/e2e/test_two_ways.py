"""Two endpoints that lead to one account and region: what both show is one thing, where a state was lost or is remade."""

import pytest

from test_state_rebuild import findings, lose, rebuild
from trueup_runner import apply, ids_of, plan, plan_is_empty, spec_text

VPCS = {"a": {"cidr": "10.20.0.0/16"}, "b": {"cidr": "10.30.0.0/16"}}
REGION = {"region": "us-west-2"}


def elsewhere(cloud):
    return cloud.address().replace("127.0.0.1", "localhost")


def places(stack):
    listed = stack.run("state", "list", "--output", "json").json["objects"]
    return {each["address"]: each["identity"].partition("@")[2] for each in listed}


def test_a_lost_state_is_rebuilt_where_the_spec_has_each(stack, cloud):
    vpcs = {**VPCS, "b": {**VPCS["b"], "provider": "aws.b"}}
    aliases = {"aws": {**REGION, "endpoint": cloud.address()}, "aws.b": {**REGION, "endpoint": elsewhere(cloud)}}
    stack.write("stack.yaml", spec_text({"aws.vpc": vpcs}, providers=aliases))
    apply(stack)
    ids, there = ids_of(stack), places(stack)
    assert len(set(there.values())) == 2
    lose(stack)
    assert ", and 1 more of the spec" in apply(stack, status=4).err
    document = rebuild(stack)
    assert document["findings"] == [] and (ids_of(stack), places(stack)) == (ids, there)
    plan_is_empty(stack)
    rebuild(stack, "--force")
    assert (ids_of(stack), places(stack)) == (ids, there)


@pytest.mark.parametrize("variable", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_AUTO_SCALING"])
def test_a_record_follows_its_provider_to_another_endpoint(stack, cloud, variable):
    """And stays what it was: what was applied, which no read tells, and what waits to be done."""
    stack.environment["AWS_ENDPOINT_URL"] = cloud.address()
    stack.write("stack.yaml", spec_text({"aws.vpc": {**VPCS, "a": {**VPCS["a"], "dns_hostnames": True}}}))
    apply(stack)
    ids, there = ids_of(stack), places(stack)
    stack.write("stack.yaml", spec_text({"aws.vpc": VPCS}))
    pending = plan(stack).operations()
    assert pending == {"aws.vpc.a": "update"}
    stack.environment[variable] = elsewhere(cloud)
    assert "is recorded in aws account" in stack.run("plan", status=1).err
    assert findings(rebuild(stack, "--force")) == []
    assert ids_of(stack) == ids and set(places(stack).values()).isdisjoint(there.values())
    assert plan(stack).operations() == pending
    apply(stack)
    plan_is_empty(stack)
    stack.run("destroy", "--yes")


def test_what_the_spec_has_no_more_stays_where_it_is_recorded(stack, cloud):
    stack.environment["AWS_ENDPOINT_URL"] = cloud.address()
    stack.write("stack.yaml", spec_text({"aws.vpc": VPCS}))
    apply(stack)
    there = places(stack)
    stack.environment["AWS_ENDPOINT_URL"] = elsewhere(cloud)
    stack.write("stack.yaml", spec_text({"aws.vpc": {"b": VPCS["b"]}}))
    assert findings(rebuild(stack, "--force"), "address") == [("extra", "aws.vpc.a")]
    assert places(stack)["aws.vpc.a"] == there["aws.vpc.a"] and places(stack)["aws.vpc.b"] != there["aws.vpc.b"]
    assert plan(stack).operations() == {"aws.vpc.a": "delete"}
    apply(stack)


def test_two_that_say_the_same_are_two_by_either_way(stack, cloud):
    """The ids tell them apart: each is named once."""
    stack.environment["AWS_ENDPOINT_URL"] = cloud.address()
    aliases = {"aws": REGION, "aws.b": {**REGION, "endpoint": elsewhere(cloud)}}
    vpcs = {**VPCS, "b": {**VPCS["b"], "provider": "aws.b"}}
    stack.write("stack.yaml", spec_text({"aws.vpc": vpcs}, providers=aliases))
    apply(stack)
    ids, ec2 = ids_of(stack), cloud.client(region="us-west-2")
    tags = ec2.describe_vpcs(VpcIds=[ids["aws.vpc.a"]])["Vpcs"][0]["Tags"]
    twin = ec2.create_vpc(CidrBlock="10.40.0.0/16")["Vpc"]["VpcId"]
    ec2.create_tags(Resources=[twin], Tags=tags)
    lose(stack)
    claims = findings(rebuild(stack, status=7), "address", "provider_id")
    assert sorted(claims) == sorted(("twins", "aws.vpc.a", id) for id in (twin, ids["aws.vpc.a"]))
    assert set(ids_of(stack)) == {"aws.vpc.b"}
    assert "but for 2 of this stack that are not recorded" in stack.run("drift", status=2).out


def test_a_twin_is_recorded_where_what_it_is_like_is(stack, cloud):
    """Left behind by a deletion that was refused, it is no stranger by the other way."""
    aliases = {"aws": {**REGION, "endpoint": cloud.address()}, "aws.b": {**REGION, "endpoint": elsewhere(cloud)}}
    vpcs = {"a": {**VPCS["a"], "provider": "aws.b"}, "b": VPCS["b"]}
    stack.write("stack.yaml", spec_text({"aws.vpc": vpcs}, providers=aliases))
    apply(stack)
    there, ec2 = places(stack)["aws.vpc.b"], cloud.client(region="us-west-2")
    tags = ec2.describe_vpcs(VpcIds=[ids_of(stack)["aws.vpc.b"]])["Vpcs"][0]["Tags"]
    twin = ec2.create_vpc(CidrBlock=VPCS["b"]["cidr"])["Vpc"]["VpcId"]
    ec2.create_tags(Resources=[twin], Tags=tags)
    cloud.fault("DeleteVpc", "deny", count=1)
    stack.run("apply", "--yes", status=None)
    recorded = stack.run("state", "list", "--output", "json").json["objects"]
    assert [each["identity"].partition("@")[2] for each in recorded if each["provider_id"] == twin] == [there]
    shown = stack.run("plan")
    assert "left alone" not in shown.err and f"DELETE, made by a call that came late  {twin}" in shown.out.replace("   ", "  "), shown
    stack.run("apply", "--yes")
    assert twin not in cloud.things("vpc", region="us-west-2")
