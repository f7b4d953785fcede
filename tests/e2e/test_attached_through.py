"""An instance has its public address through an internet gateway, which stays attached as long as the instance has it."""

import copy

import pytest

from trueup_runner import Ref, apply, errors_of, ids_of, plan_is_empty, spec_text

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


def write(stack, *edits, **fields):
    spec = copy.deepcopy(STACK)
    spec["aws.instance"]["front"].update(fields)
    for edit in edits:
        edit(spec)
    stack.write("stack.yaml", spec_text(spec))


def refused(stack, *command):
    [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
    assert error["address"] == GATEWAY and f"after this plan '{MACHINE}' has a 'public_address'" in error["message"]
    assert f"have '{MACHINE}' go too, or give it 'public_ip: false'" in error["hint"]


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
    write(stack, *([] if there else [without_machine]))
    apply(stack)
    write(stack, without_gateway, moved_subnet)
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


def to_another(spec):
    spec["aws.internet_gateway"] = {"new": {"vpc": Ref("aws.vpc.main")}}


def moved_subnet(spec):
    spec["aws.subnet"]["main"]["cidr"] = "10.0.7.0/24"


def public_subnet(spec):
    """The machine itself says nothing of an address."""
    spec["aws.subnet"]["main"]["public"] = True
    del spec["aws.instance"]["front"]["public_ip"]


@pytest.mark.parametrize(
    "before, after",
    [
        pytest.param([without_machine], [], id="made"),
        pytest.param([without_machine], [moved_subnet], id="made in a new subnet"),
        pytest.param([public_subnet, without_machine], [public_subnet], id="made in a subnet that gives it one"),
        pytest.param([], [moved_subnet], id="replaced"),
        pytest.param([stopped], [lambda spec: spec["aws.instance"]["front"].update(running=True)], id="started"),
        pytest.param([], [stopped], id="stopped"),
    ],
)
def test_given_up_to_another_that_what_is_brought_waits_for(stack, cloud, before, after):
    write(stack, *before)
    apply(stack)
    write(stack, to_another, *after)
    apply(stack)
    plan_is_empty(stack)


def waiting(spec):
    spec["aws.instance"]["front"]["depends_on"] = [GATEWAY]


def new_first(spec):
    spec["aws.instance"]["front"].update(image="ami-0fedcba9876543210", public_ip=False, lifecycle={"create_before_destroy": True})


@pytest.mark.parametrize("given_up", [detached, moved], ids=name)
@pytest.mark.parametrize("let_go", [without_address, stopped, new_first], ids=name)
def test_refused_where_what_lets_go_waits_for_the_gateway(stack, cloud, given_up, let_go):
    """The service waits for the one, and that for the other: what the hint says leads out."""
    write(stack, waiting)
    apply(stack)
    write(stack, waiting, given_up, let_go)
    [error] = errors_of(stack.run("apply", "--yes", "--output", "json", status=1).json)
    assert error["address"] == GATEWAY
    assert f"before '{MACHINE}' has let go of its 'public_address', and that waits for it" in error["message"]
    write(stack, given_up, let_go)
    apply(stack)
    plan_is_empty(stack)


def test_replaced_before_the_gateway_that_it_waits_for_goes(stack, cloud):
    write(stack, waiting)
    apply(stack)
    write(stack, waiting, detached, public_ip=False, address="10.0.1.50")
    apply(stack)
    plan_is_empty(stack)


def test_refused_where_the_old_one_stays_until_the_new_one_is_there(stack, cloud):
    write(stack)
    apply(stack)
    first = {"lifecycle": {"create_before_destroy": True}}
    write(stack, to_another, lambda spec: spec["aws.instance"]["front"].update(image="ami-0fedcba9876543210", **first))
    refused(stack, "plan")


@pytest.mark.parametrize(
    "before, after, has",
    [
        pytest.param({"public_ip": False, "running": False}, {"public_ip": True, "running": True}, ["public_ip"], id="no address"),
        pytest.param({"public_ip": False, "running": False}, {"public_ip": True, "running": True}, ["running"], id="stopped"),
        pytest.param({"public_ip": False, "running": False}, {"public_ip": True, "running": None}, [], id="stopped by nobody"),
    ],
)
def test_given_up_where_what_brings_an_address_is_left_to_others(stack, cloud, before, after, has):
    write(stack, **before)
    apply(stack)
    write(stack, without_gateway, **{name: said for name, said in after.items() if said is not None}, lifecycle={"ignore": has})
    apply(stack)
    plan_is_empty(stack)


def test_refused_where_others_look_after_an_address_that_a_start_brings(stack, cloud):
    """No read of what is stopped tells that: it is as the last run left it."""
    write(stack, running=False)
    apply(stack)
    write(stack, without_gateway, public_ip=False, running=True, lifecycle={"ignore": ["public_ip"]})
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


def test_given_up_where_the_machine_is_made_anew_in_another_vpc(stack, cloud):
    def both(spec):
        spec["aws.internet_gateway"]["far"] = {"vpc": Ref("aws.vpc.other")}
        spec["aws.subnet"]["far"] = {"vpc": Ref("aws.vpc.other"), "cidr": "10.1.1.0/24"}

    write(stack, both)
    apply(stack)
    write(stack, both, lambda spec: spec["aws.internet_gateway"].pop("way"), subnet=Ref("aws.subnet.far"))
    apply(stack)
    plan_is_empty(stack)


def test_beside_a_machine_that_is_refused_itself_nothing_more_is_said(stack, cloud):
    """Once its protection is off it goes, and its address with it."""
    write(stack, lifecycle={"protect": True})
    apply(stack)
    write(stack, without_gateway, without_machine)
    [error] = errors_of(stack.run("plan", "--output", "json", status=1).json)
    assert error["address"] == MACHINE and "is protected and no longer in the spec" in error["message"]
