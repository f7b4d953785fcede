"""What a change switches off for as long as it takes is switched on again if it was on before, and is left alone if others
had it off: whatever becomes of the run, and whatever the spec says of what it leaves to others."""

import dataclasses
import signal

import pytest

from simulator import simulator  # noqa: F401
from test_cut_off import drift
from test_take_back import Site
from trueup_runner import apply, ids_of, plan_is_empty, spec_text

NET = {"v": {"cidr": "10.20.0.0/16", "ipv6": True}}


def machine(number, **more):
    fields = {"image": "ami-0123456789abcdef0", "instance_type": f"t{number + 1}.small", "subnet": "a", **more}
    subnets = {"a": {"vpc": "v", "cidr": "10.20.1.0/24"}}
    return spec_text({"aws.vpc": NET, "aws.subnet": subnets, "aws.instance": {"x": fields}})


def subnet(number, **more):
    part = f"${{cidr_subnet(aws.vpc.v.ipv6_cidr, 8, {number})}}"
    return spec_text({"aws.vpc": NET, "aws.subnet": {"x": {"vpc": "v", "cidr": "10.20.1.0/24", "ipv6_cidr": part, **more}}})


def is_running(ec2, identity, on=None):
    if on is not None:
        (ec2.start_instances if on else ec2.stop_instances)(InstanceIds=[identity])
    [page] = ec2.describe_instances(InstanceIds=[identity])["Reservations"]
    return page["Instances"][0]["State"]["Name"] == "running"


def assigns(ec2, identity, on=None):
    if on is not None:
        ec2.modify_subnet_attribute(SubnetId=identity, AssignIpv6AddressOnCreation={"Value": on})
    [subnet] = ec2.describe_subnets(SubnetIds=[identity])["Subnets"]
    return subnet["AssignIpv6AddressOnCreation"]


@dataclasses.dataclass
class Thing:
    address: str
    field: str
    spec: object
    switch: object

    def write(self, stack, number, said, ignored):
        more = {} if said is None else {self.field: said}
        if ignored:
            more["lifecycle"] = {"ignore": [self.field]}
        stack.write("stack.yaml", self.spec(number, tags={"number": f"{number}"}, **more))


MACHINE = Thing("aws.instance.x", "running", machine, is_running)
SUBNET = Thing("aws.subnet.x", "assign_ipv6_on_creation", subnet, assigns)

# What the spec says of it, whether it leaves that to others, and what they have made of it.
OFF = {"on ignored": (True, True, False), "off ignored": (False, True, False), "unsaid": (None, True, False)}
ON = {
    "on ignored": (True, True, True),
    "off ignored": (False, True, True),
    "unsaid": (None, True, True),
    "never said": (None, False, True),
}
# The call that comes to nothing, and the how manieth of its name.
MACHINE_CALLS = [("ModifyInstanceAttribute", 1), ("CreateTags", 1), ("StartInstances", 1)]
SUBNET_CALLS = [("DisassociateSubnetCidrBlock", 1), ("AssociateSubnetCidrBlock", 1), ("ModifySubnetAttribute", 2)]


def rows():
    for thing, calls in ((MACHINE, MACHINE_CALLS), (SUBNET, SUBNET_CALLS)):
        others = {**OFF, "never said": (None, False, False)} if thing is MACHINE else OFF
        for call in calls:
            # Nothing switches on what was off.
            for name, theirs in (others if call[0] not in ("StartInstances", "ModifySubnetAttribute") else {}).items():
                yield pytest.param(thing, call, *theirs, id=f"{call[0]}-off-{name}")
            for name, theirs in ON.items():
                yield pytest.param(thing, call, *theirs, id=f"{call[0]}-on-{name}")


@pytest.fixture
def site(stack, simulator):  # noqa: F811
    site = Site(stack, simulator)
    yield site
    site.proxy.stop()


def begin(stack, client, thing, said, ignored, theirs):
    """Made, and then switched by others; the spec of another number is there."""
    thing.write(stack, 1, said, ignored)
    apply(stack)
    ec2, identity = client(), ids_of(stack)[thing.address]
    thing.switch(ec2, identity, theirs)
    while thing.switch(ec2, identity) != theirs:
        pass
    thing.write(stack, 2, said, ignored)
    return ec2, identity


@pytest.mark.parametrize("recovered", [False, True], ids=["at once", "recovered before"])
@pytest.mark.parametrize("thing, call, said, ignored, theirs", list(rows()))
def test_cut_off(site, thing, call, said, ignored, theirs, recovered):
    stack, seen = site.stack, []

    def cuts(number, sent, executed):
        seen.append((sent, executed))
        return seen[-1] == (call[0], False) and seen.count((call[0], False)) == call[1]

    ec2, identity = begin(stack, lambda: site.server.client("ec2"), thing, said, ignored, theirs)
    site.cut_off(signal.SIGKILL, cuts)
    if recovered:
        stack.run("recover")
    document = stack.run("drift", "--output", "json", status=None).json
    is_off = theirs and not thing.switch(ec2, identity)
    assert [each["owed"] for each in document["unfinished"] if each["owed"]] == [thing.field] * is_off
    apply(stack)
    assert thing.switch(ec2, identity) == theirs
    plan_is_empty(stack)
    assert drift(stack, None)["unfinished"] == []


@pytest.mark.parametrize("theirs", [False, True])
@pytest.mark.parametrize(
    "thing, denied",
    [(MACHINE, "CreateTags"), (SUBNET, "AssociateSubnetCidrBlock")],
    ids=["machine", "subnet"],
)
def test_denied(stack, cloud, thing, denied, theirs):
    ec2, identity = begin(stack, cloud.client, thing, not theirs, True, theirs)
    fault = cloud.fault(denied, "deny", 1, 0)
    stack.run("apply", "--yes", status=7)
    cloud.heal(fault)
    apply(stack)
    assert thing.switch(ec2, identity) == theirs
    plan_is_empty(stack)


@pytest.mark.parametrize("denied", ["ModifyInstanceAttribute", "CreateTags"])
def test_stopped_after_the_run(stack, cloud, denied):
    """It was started again, though not all of the change was made: who stops it then has stopped it."""
    ec2, identity = begin(stack, cloud.client, MACHINE, None, False, True)
    fault = cloud.fault(denied, "deny", 1, 0)
    stack.run("apply", "--yes", status=7)
    cloud.heal(fault)
    cloud.wait_for(lambda: is_running(ec2, identity))
    is_running(ec2, identity, False)
    cloud.wait_for(lambda: not is_running(ec2, identity))
    assert [each["owed"] for each in drift(stack, 2)["unfinished"]] in ([], [""])
    apply(stack)
    assert not is_running(ec2, identity)


def test_told_what_to_switch_off(stack, cloud):
    """Without a range it cannot be on again: that is for those who switched it on, whatever the spec says of it."""
    ec2, identity = begin(stack, cloud.client, SUBNET, None, True, True)
    fields = {"vpc": "v", "cidr": "10.20.1.0/24", "lifecycle": {"ignore": [SUBNET.field]}}
    stack.write("stack.yaml", spec_text({"aws.vpc": NET, "aws.subnet": {"x": fields}}))
    failed = stack.run("apply", "--yes", status=None)
    assert failed.status != 0 and "where the spec ignores that field, switch it off by hand" in failed.err
    assigns(ec2, identity, False)
    apply(stack)
    plan_is_empty(stack)
