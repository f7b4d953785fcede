"""What can be referred to only within what both lie in, where the spec leaves to others in what one of them lies."""

import pytest

from test_moved_by_hand import attach, detach
from test_saved_plan_beside import HOME, INTERNET, VPN, WAYS, detach_by_hand, write
from trueup_runner import Ref, apply, errors_of, ids_of, plan_is_empty

LEFT = {"vpc": HOME, "lifecycle": {"ignore": ["vpc"]}}
# The gateway, what it says, what the table does, and whose action it is.
ENDS = {name: (kind, {}, refers, "aws.route_table.t") for name, (kind, refers) in WAYS.items()}
ENDS["announces"] = (VPN, {"propagate_to": [Ref("aws.route_table.t")]}, {}, f"{VPN}.g")


def refused(stack, cloud, words, *commands):
    """Before any call."""
    before = cloud.show()
    for command in commands:
        [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
        assert all(each in error["message"] for each in words), error
        assert "'vpc' out of 'lifecycle.ignore' of" in error["hint"]
    assert cloud.show() == before


@pytest.mark.parametrize("made", [False, True], ids=["table is there", "table is made"])
@pytest.mark.parametrize("place", ["nowhere", "elsewhere"])
@pytest.mark.parametrize("end", ENDS)
def test_refused_where_a_gateway_is_not_in_the_vpc(stack, cloud, end, place, made):
    kind, says, refers, address = ENDS[end]
    write(stack, kind, {"lifecycle": {"ignore": ["vpc"]}}, **({} if made else {"t": {"vpc": HOME}}))
    apply(stack)
    ids, name = ids_of(stack), "internet" if kind == INTERNET else "vpn"
    if place == "elsewhere":
        attach(cloud, cloud.client(), name, ids[f"{kind}.g"], ids["aws.vpc.other"])
    write(stack, kind, {**LEFT, **says}, t={"vpc": HOME, **refers})
    # What a table is that is to be made, its own spec tells.
    if not (end == "announces" and made and place == "elsewhere"):
        words = (f"of '{kind}.g', which has none now",) if place == "nowhere" else (ids["aws.vpc.home"], ids["aws.vpc.other"])
        refused(stack, cloud, words, ["plan"], ["apply", "--yes"])
        errors = errors_of(stack.run("plan", "--output", "json", status=1).json)
        assert [error["address"] for error in errors] == [address]
    if place == "elsewhere":
        detach(cloud, cloud.client(), name, ids[f"{kind}.g"], ids["aws.vpc.other"])
    attach(cloud, cloud.client(), name, ids[f"{kind}.g"], ids["aws.vpc.home"])
    apply(stack)
    plan_is_empty(stack)


# What is there before; nothing replaces an internet gateway.
MADE = [(end, there) for end in ENDS for there in ("nothing", "table", "both") if (end, there) != ("internet", "both")]


@pytest.mark.parametrize("end, there", MADE)
def test_refused_where_a_gateway_that_is_made_will_be_in_none(stack, cloud, end, there):
    """Nobody can have put it anywhere by the time that it is referred to; the one before it was where it is to be."""
    kind, says, refers, _ = ENDS[end]
    left = {"lifecycle": {"ignore": ["vpc"]}, **says}
    if there == "both":
        for before in {**left, "vpc": HOME, "asn": 64512}, {**left, "asn": 64512}:
            write(stack, kind, before, t={"vpc": HOME, **refers})
            apply(stack)
        left["asn"] = 64513
    elif there == "table":
        write(stack, INTERNET if kind == VPN else VPN, {}, t={"vpc": HOME})
        apply(stack)
    write(stack, kind, left, t={"vpc": HOME, **refers})
    refused(stack, cloud, (f"of '{kind}.g', which has none now",), ["plan"], ["apply", "--yes"])
    write(stack, kind, {**left, "vpc": HOME}, t={"vpc": HOME, **refers})
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("way", WAYS)
def test_an_undoing_is_refused_as_well(stack, cloud, way):
    """Others have detached it after the run that let go of it."""
    kind, refers = WAYS[way]
    write(stack, kind, LEFT, t={"vpc": HOME, **refers})
    apply(stack)
    write(stack, kind, LEFT, t={"vpc": HOME})
    apply(stack)
    detach_by_hand(stack, cloud, kind)
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    refused(stack, cloud, (f"of '{kind}.g', which has none now",), ["undo", run, "--yes"])
