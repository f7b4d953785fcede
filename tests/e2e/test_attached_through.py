"""An instance has its public address through an internet gateway, which stays attached as long as the instance has it."""

import copy

import pytest

from trueup_runner import Ref, SimulatedCloud, apply, errors_of, ids_of, plan_is_empty, spec_text

GATEWAY, MACHINE = "aws.internet_gateway.way", "aws.instance.front"
STACK = {
    "aws.vpc": {"main": {"cidr": "10.0.0.0/16"}, "other": {"cidr": "10.1.0.0/16"}},
    "aws.internet_gateway": {"way": {"vpc": Ref("aws.vpc.main")}},
    "aws.subnet": {"main": {"vpc": Ref("aws.vpc.main"), "cidr": "10.0.1.0/24"}},
    "aws.instance": {
        "front": {
            "image": "ami-0123456789abcdef0",
            "instance_type": "t3.micro",
            "subnet": Ref("aws.subnet.main"),
            "public_ip": True,
        }
    },
}


def without_gateway(spec):
    del spec["aws.internet_gateway"]


def detached(spec):
    del spec["aws.internet_gateway"]["way"]["vpc"]


def moved(spec):
    spec["aws.internet_gateway"]["way"]["vpc"] = Ref("aws.vpc.other")


GIVEN_UP = [without_gateway, detached, moved]


def without_machine(spec):
    del spec["aws.instance"]


def without_address(spec):
    spec["aws.instance"]["front"]["public_ip"] = False


def stopped(spec):
    spec["aws.instance"]["front"]["running"] = False


LET_GO = [without_machine, without_address, stopped]


def name(edit):
    return edit.__name__


@pytest.fixture
def cloud(stack):
    cloud = SimulatedCloud(stack)
    yield cloud
    cloud.close()


def write(stack, *edits, **fields):
    spec = copy.deepcopy(STACK)
    spec["aws.instance"]["front"].update(fields)
    for edit in edits:
        edit(spec)
    stack.write("stack.yaml", spec_text(spec))


def refused(stack, *command):
    [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
    assert error["address"] == GATEWAY and f"after this plan '{MACHINE}' has a 'public_address'" in error["message"]
    assert f"have '{MACHINE}' go too" in error["hint"]


@pytest.mark.parametrize("given_up", GIVEN_UP, ids=name)
def test_refused_while_the_address_stays(stack, cloud, given_up):
    write(stack)
    apply(stack)
    before = cloud.show()
    write(stack, given_up)
    for command in (["plan"], ["apply", "--yes"]):
        refused(stack, *command)
    if given_up == without_gateway:
        refused(stack, "destroy", "--yes", "--target", GATEWAY)
    assert cloud.show() == before


def test_refused_while_a_new_object_has_one(stack, cloud):
    write(stack)
    apply(stack)
    write(stack, without_gateway, address="10.0.1.50")
    refused(stack, "plan")


@pytest.mark.parametrize("there", [False, True], ids=["made", "replaced"])
def test_refused_while_one_goes_into_a_subnet_that_is_made(stack, cloud, there):
    def elsewhere(spec):
        spec["aws.subnet"]["main"]["cidr"] = "10.0.7.0/24"

    write(stack, *([] if there else [without_machine]))
    apply(stack)
    write(stack, without_gateway, elsewhere)
    refused(stack, "plan")


def test_refused_while_a_start_brings_one(stack, cloud):
    write(stack, stopped)
    apply(stack)
    write(stack, without_gateway, running=True)
    refused(stack, "plan")


def test_refused_while_one_is_made(stack, cloud):
    write(stack, without_machine)
    apply(stack)
    write(stack, without_gateway)
    refused(stack, "plan")


@pytest.mark.parametrize("given_up", GIVEN_UP, ids=name)
@pytest.mark.parametrize("let_go", LET_GO, ids=name)
def test_given_up_with_the_address(stack, cloud, given_up, let_go):
    write(stack)
    apply(stack)
    write(stack, given_up, let_go)
    apply(stack)
    plan_is_empty(stack)
    attached = [way["Attachments"] for way in cloud.client().describe_internet_gateways()["InternetGateways"]]
    here = ids_of(stack)["aws.vpc.main"]
    assert not any(each["VpcId"] == here for attachments in attached for each in attachments)


def behind_another(spec, how):
    """Another gateway takes its place, and the machine waits for that one: as it says, or by way of what it refers to."""
    spec["aws.internet_gateway"] = {"new": {"vpc": Ref("aws.vpc.main")}}
    if how == "aws.subnet.main":
        spec["aws.subnet"]["main"].update(cidr="10.0.7.0/24", depends_on=["aws.internet_gateway.new"])
    else:
        spec["aws.instance"]["front"]["depends_on"] = [how]


@pytest.mark.parametrize("how", ["aws.internet_gateway.new", "aws.subnet.main"])
def test_given_up_to_another_that_what_is_made_waits_for(stack, cloud, how):
    write(stack, without_machine)
    apply(stack)
    write(stack, lambda spec: behind_another(spec, how))
    apply(stack)
    plan_is_empty(stack)


def test_refused_where_what_is_made_does_not_wait_for_another(stack, cloud):
    write(stack, without_machine)
    apply(stack)
    write(stack, lambda spec: spec.update({"aws.internet_gateway": {"new": {"vpc": Ref("aws.vpc.main")}}}))
    refused(stack, "plan")


def test_given_up_where_nothing_has_an_address(stack, cloud):
    write(stack, public_ip=False)
    apply(stack)
    write(stack, without_gateway, public_ip=False, address="10.0.1.50")
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize(
    "before, after",
    [({"running": True}, {"running": True, "address": "10.0.1.50"}), ({"running": False}, {"running": True})],
    ids=["replaced", "started"],
)
def test_given_up_where_nothing_asks_for_an_address(stack, cloud, before, after):
    def unasked(spec):
        del spec["aws.instance"]["front"]["public_ip"]

    write(stack, unasked, **before)
    apply(stack)
    write(stack, unasked, without_gateway, **after)
    apply(stack)
    plan_is_empty(stack)


def test_given_up_beside_an_address_in_another_vpc(stack, cloud):
    def elsewhere(spec):
        spec["aws.internet_gateway"]["far"] = {"vpc": Ref("aws.vpc.other")}
        spec["aws.subnet"]["main"].update(vpc=Ref("aws.vpc.other"), cidr="10.1.1.0/24")

    write(stack, elsewhere)
    apply(stack)
    write(stack, elsewhere, lambda spec: spec["aws.internet_gateway"].pop("way"))
    apply(stack)
    plan_is_empty(stack)
