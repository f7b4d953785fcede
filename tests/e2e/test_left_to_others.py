"""What a spec leaves to others, and is recorded with what nobody has there any more: nothing else is kept from that."""

import pytest

from test_moved_by_hand import detach, routed, tables_of
from trueup_runner import Ref, SimulatedCloud, apply, ids_of, plan_is_empty, spec_text

HOME, LEFT = Ref("aws.vpc.home"), {"ignore": ["vpc"]}
GATEWAYS = {"internet": "aws.internet_gateway", "vpn": "aws.vpn_gateway"}


@pytest.fixture
def cloud(stack):
    cloud = SimulatedCloud(stack)
    yield cloud
    cloud.close()


def write(stack, kind, **gateways):
    vpcs = {"home": {"cidr": "10.20.0.0/16"}, "other": {"cidr": "10.30.0.0/16"}}
    stack.write("stack.yaml", spec_text({"aws.vpc": vpcs, GATEWAYS[kind]: gateways}))


def attach_and_take(stack, cloud, kind):
    """A gateway that the record alone has at home: its spec names another VPC by now, and leaves that to others."""
    write(stack, kind, left={"vpc": HOME, "lifecycle": LEFT})
    apply(stack)
    ids = ids_of(stack)
    detach(cloud, cloud.client(), kind, ids[f"{GATEWAYS[kind]}.left"], ids["aws.vpc.home"])
    return {"vpc": Ref("aws.vpc.other"), "lifecycle": LEFT}


def last_run(stack):
    return stack.run("state", "history", "--output", "json").json["runs"][0]["id"]


@pytest.mark.parametrize("kind", GATEWAYS)
def test_a_gateway_comes_back_to_what_only_the_record_has_given_away(stack, cloud, kind):
    left = attach_and_take(stack, cloud, kind)
    write(stack, kind, left=left, own={"vpc": HOME})
    apply(stack)
    write(stack, kind, left=left)
    apply(stack)
    stack.run("undo", last_run(stack), "--yes")
    write(stack, kind, left=left, own={"vpc": HOME})
    plan_is_empty(stack)


def test_a_table_takes_its_subnet_again_that_only_the_record_has_given_away(stack, cloud):
    """What a spec comes to say of a set that it leaves to others is recorded, though no call does it."""
    spec = routed("a")
    tables = spec["aws.route_table"]
    tables["t"]["lifecycle"] = {"ignore": ["subnets"]}
    tables["own"] = {"vpc": HOME, "subnets": [Ref("aws.subnet.b")]}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    del tables["own"]
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    run = last_run(stack)
    tables["t"] |= {"subnets": [Ref("aws.subnet.b")], "tags": {"team": "net"}}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    stack.run("undo", run, "--yes")
    ids = ids_of(stack)
    assert tables_of(cloud.client())[ids["aws.subnet.b"]] == ids["aws.route_table.own"]


@pytest.mark.parametrize("kind", GATEWAYS)
@pytest.mark.parametrize("made", [True, False], ids=["made", "tagged"])
def test_a_saved_plan_stands_though_the_record_has_given_away_what_it_takes(stack, cloud, kind, made):
    """Somebody had taken that before it was made: a run between is no reason to plan again."""
    left = attach_and_take(stack, cloud, kind)
    before = {} if made else {"own": {"vpc": HOME}}
    own = {"vpc": HOME} if made else {"vpc": HOME, "tags": {"team": "net"}}
    write(stack, kind, left=left, **before)
    apply(stack)
    write(stack, kind, left=left, own=own)
    stack.run("plan", "--out", "p.plan")
    stack.write("between.yaml", "aws.vpc:\n  third: {cidr: 10.40.0.0/16}\n")
    write(stack, kind, left=left, **before)
    apply(stack)
    stack.run("apply", "p.plan")
    write(stack, kind, left=left, own=own)
    plan_is_empty(stack)


@pytest.mark.parametrize("name", ["first", "zone"])
def test_but_not_where_something_else_has_it_since(stack, cloud, name):
    """Before the one of the record, or behind it."""
    left = attach_and_take(stack, cloud, "internet")
    write(stack, "internet", left=left, own={"vpc": HOME})
    stack.run("plan", "--out", "p.plan")
    write(stack, "internet", left=left, **{name: {"vpc": HOME}})
    apply(stack)
    refused = stack.run("apply", "p.plan", status=4)
    assert f"'aws.internet_gateway.{name}' has by now what it would have as its 'vpc'" in refused.err
