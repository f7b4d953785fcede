"""A further range of a VPC goes in the same run as what lies in it, and after that."""

import pytest

from test_handover import carry_out
from trueup_runner import Ref, apply, errors_of, ids_of, plan_is_empty, spec_text


def network(*secondary, **subnets):
    """Subnets of a VPC with further ranges, all routed by one table."""
    return {
        "aws.vpc": {"m": {"cidr": "10.0.0.0/16", "secondary_cidrs": list(secondary)}},
        "aws.subnet": {name: {"vpc": Ref("aws.vpc.m"), "cidr": cidr} for name, cidr in subnets.items()},
        "aws.route_table": {"t": {"vpc": Ref("aws.vpc.m"), "subnets": [Ref(f"aws.subnet.{name}") for name in subnets]}},
    }


def with_machine(resources):
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "m6i.large", "subnet": Ref("aws.subnet.a")}
    return {**resources, "aws.instance": {"i": machine}}


KEPT = {"k": "10.0.1.0/24"}
TWO = {
    "aws.vpc": {"m": {"cidr": "10.0.0.0/16", "secondary_cidrs": ["10.5.0.0/16"]}, "n": {"cidr": "10.9.0.0/16"}},
    "aws.subnet": {"a": {"vpc": Ref("aws.vpc.m"), "cidr": "10.5.0.0/24"}},
}
OVER = {
    "aws.vpc": {"m": {"cidr": "10.0.0.0/16"}, "n": {"cidr": "10.9.0.0/16", "secondary_cidrs": ["10.5.0.0/16"]}},
    "aws.subnet": {"a": {"vpc": Ref("aws.vpc.n"), "cidr": "10.5.0.0/24"}},
}
FIVE = ["10.1.0.0/16", "10.2.0.0/16", "10.3.0.0/16"]
CHANGES = {
    "both go": (network("10.5.0.0/16", a="10.5.0.0/24", **KEPT), network(**KEPT)),
    "a machine with them": (with_machine(network("10.5.0.0/16", a="10.5.0.0/24", **KEPT)), network(**KEPT)),
    "another range": (network("10.5.0.0/16", a="10.5.0.0/24"), network("10.6.0.0/16", a="10.6.0.0/24")),
    "a part of it": (network("10.5.0.0/16", a="10.5.0.0/24"), network("10.5.0.0/17", a="10.5.1.0/24")),
    "one of five": (
        network(*FIVE, "10.4.0.0/16", a="10.4.0.0/24"),
        network(*FIVE, "10.5.0.0/16", a="10.5.0.0/24"),
    ),
    "another VPC": (TWO, OVER),
}


def go_over(stack, first, second):
    """From one spec to another, each applied."""
    stack.write("stack.yaml", spec_text(first))
    apply(stack)
    stack.write("stack.yaml", spec_text(second))
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("change", CHANGES)
def test_a_range_goes_with_what_lies_in_it(stack, cloud, change):
    first, second = CHANGES[change]
    go_over(stack, first, second)
    for name, spec in second["aws.vpc"].items():
        [vpc] = cloud.client().describe_vpcs(VpcIds=[ids_of(stack)[f"aws.vpc.{name}"]])["Vpcs"]
        there = [
            each["CidrBlock"]
            for each in vpc["CidrBlockAssociationSet"]
            if each["CidrBlockState"]["State"] == "associated"
        ]
        assert sorted(there) == sorted([spec["cidr"], *spec.get("secondary_cidrs", [])])


def with_new_route(resources):
    resources["aws.internet_gateway"] = {"i": {"vpc": Ref("aws.vpc.m")}}
    resources["aws.route_table"]["t"]["routes"] = [{"destination": "0.0.0.0/0", "internet_gateway": Ref("aws.internet_gateway.i")}]


def with_new_subnet(resources):
    resources["aws.subnet"]["f"] = {"vpc": Ref("aws.vpc.m"), "cidr": "10.0.2.0/24"}
    resources["aws.route_table"]["t"]["subnets"].append(Ref("aws.subnet.f"))


def with_new_mention(resources):
    resources["aws.security_group"] = {"w": {"vpc": Ref("aws.vpc.m"), "name": "w", "description": "new"}}
    resources["aws.route_table"]["t"]["tags"] = {"for": "${aws.security_group.w.id}"}


@pytest.mark.parametrize("more", [with_new_route, with_new_subnet, with_new_mention], ids=lambda more: more.__name__)
def test_a_range_goes_beside_what_is_new(stack, cloud, more):
    """That needs no more of the VPC than its id, and does not wait for it where the VPC waits for what refers to it."""
    after = network(**KEPT)
    more(after)
    go_over(stack, network("10.5.0.0/16", a="10.5.0.0/24", **KEPT), after)


def of_six(on, *groups):
    """A machine in those groups, with an IPv6 address or without."""
    home, part = {"vpc": Ref("aws.vpc.m")}, {"ipv6_cidr": "${cidr_subnet(aws.vpc.m.ipv6_cidr, 8, 1)}"} if on else {}
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.k")}
    within = {"security_groups": [Ref(f"aws.security_group.{name}") for name in groups]}
    return {
        "aws.vpc": {"m": {"cidr": "10.0.0.0/16", "ipv6": on}},
        "aws.subnet": {"k": {**home, "cidr": "10.0.1.0/24", **part}},
        "aws.security_group": {name: {**home, "name": name, "description": "d"} for name in groups},
        "aws.instance": {"i": {**machine, **within, "address6_count": int(on)}},
    }


def test_a_range_of_ipv6_goes_beside_a_new_group(stack, cloud):
    go_over(stack, of_six(True, "w"), of_six(False, "w", "x"))


def test_what_needs_the_new_range_first_is_refused_before_anything_is_done(stack, cloud):
    """Its successor would have to be there before the old subnet can go: that takes two applies."""
    before, after = (network(f"{each}.0.0/16", a=f"{each}.0.0/24") for each in ("10.5", "10.6"))
    for each in (before, after):
        each["aws.subnet"]["a"]["lifecycle"] = {"create_before_destroy": True}
    stack.write("stack.yaml", spec_text(before))
    apply(stack)
    ids = ids_of(stack)
    stack.write("stack.yaml", spec_text(after))
    refused = stack.run("apply", "--yes", status=1)
    assert "in two steps" in refused.err
    assert ids_of(stack) == ids


def test_an_undoing_that_would_take_two_applies_does_not_name_two(stack, cloud):
    before, after = (network(f"{each}.0.0/16", a=f"{each}.0.0/24") for each in ("10.5", "10.6"))
    go_over(stack, before, after)
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    after["aws.subnet"]["a"]["lifecycle"] = {"create_before_destroy": True}
    stack.write("stack.yaml", spec_text(after))
    [error] = errors_of(stack.run("undo", run, "--output", "json", status=1).json)
    assert "these steps wait for each other" in error["message"]
    assert "change the spec back" in error["hint"]


def with_range6(cidr, number=None, first=True, **vpc):
    """A subnet that has a part of the range from Amazon, or, without a number, none, and no more of that range."""
    subnet = {"vpc": Ref("aws.vpc.m"), "cidr": cidr, "lifecycle": {"create_before_destroy": first}}
    if number is not None:
        subnet["ipv6_cidr"] = f"${{cidr_subnet(aws.vpc.m.ipv6_cidr, 8, {number})}}"
    return {
        "aws.vpc": {"m": {"cidr": "10.0.0.0/16", "ipv6": number is not None, **vpc}},
        "aws.subnet": {"a": subnet},
        "aws.route_table": {"t": {"vpc": Ref("aws.vpc.m"), "subnets": [Ref("aws.subnet.a")]}},
    }


@pytest.mark.parametrize("of", ["a network", "one with a machine"])
@pytest.mark.parametrize("first", [True, False], ids=["made first", "destroyed first"])
def test_a_range_from_amazon_goes_after_what_lies_in_it(stack, cloud, first, of):
    wrap = with_machine if of == "one with a machine" else dict
    stack.write("stack.yaml", spec_text(wrap(with_range6("10.0.1.0/24", 1, first))))
    apply(stack)
    stack.write("stack.yaml", spec_text(wrap(with_range6("10.0.4.0/24", first=first))))
    apply(stack)
    plan_is_empty(stack)
    [vpc] = cloud.client().describe_vpcs(VpcIds=[ids_of(stack)["aws.vpc.m"]])["Vpcs"]
    states = {each["Ipv6CidrBlockState"]["State"] for each in vpc.get("Ipv6CidrBlockAssociationSet", [])}
    assert "associated" not in states


def test_a_range_from_amazon_goes_when_the_run_was_cut_short(stack, cloud):
    """The new subnet is made by then, and the old one is left behind, with its part of the range."""
    stack.write("stack.yaml", spec_text(with_range6("10.0.1.0/24", 1)))
    apply(stack)
    stack.write("stack.yaml", spec_text(with_range6("10.0.4.0/24")))
    fault = cloud.fault("DeleteSubnet", "deny")
    stack.run("apply", "--yes", status=7)
    cloud.heal(fault)
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("saved", ["full", "none"])
def test_a_range_from_amazon_goes_by_a_saved_plan(stack, cloud, saved):
    stack.write("stack.yaml", spec_text(with_range6("10.0.1.0/24", 1)))
    apply(stack)
    stack.write("stack.yaml", spec_text(with_range6("10.0.4.0/24")))
    carry_out(stack, saved)
    plan_is_empty(stack)


def test_a_range_from_amazon_comes_back_and_goes_again(stack, cloud):
    """After the first undoing the subnet is recorded as it is: the range is nothing that it still needs when it goes."""
    stack.write("stack.yaml", spec_text(with_range6("10.0.1.0/24", 1)))
    apply(stack)
    stack.write("stack.yaml", spec_text(with_range6("10.0.4.0/24")))
    apply(stack)
    for _ in range(3):
        run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
        stack.run("undo", run, "--yes")
        stack.run("drift")


@pytest.mark.parametrize("refresh", ["full", "none"])
def test_a_range_from_amazon_under_what_leaves_its_own_to_others_is_refused_with_the_way_out(stack, cloud, refresh):
    """The service refuses it only when it is asked."""
    stack.write("stack.yaml", spec_text(with_range6("10.0.1.0/24", 1)))
    apply(stack)
    before = cloud.show()
    second = with_range6("10.0.1.0/24")
    second["aws.subnet"]["a"]["lifecycle"] = {"ignore": ["ipv6_cidr"]}
    stack.write("stack.yaml", spec_text(second))
    for command in (["plan", f"--refresh={refresh}"], ["apply", "--yes"]):
        [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
        assert "'aws.vpc.m' cannot let go of 2600:" in error["message"] and "'aws.subnet.a' lies in it" in error["message"]
        assert error["hint"].endswith(
            "or take 'ipv6_cidr' out of 'lifecycle.ignore' of 'aws.subnet.a', and have 'aws.subnet.a' give that up in the "
            "same edit, by its 'ipv6_cidr': then it goes first"
        )
    assert cloud.show() == before
    stack.write("stack.yaml", spec_text(with_range6("10.0.1.0/24")))
    apply(stack)
    plan_is_empty(stack)


def test_a_new_subnet_that_may_need_a_new_range_is_not_made_before_that(stack, cloud):
    stack.write("stack.yaml", spec_text(with_range6("10.0.1.0/24", 1)))
    apply(stack)
    ids = ids_of(stack)
    stack.write("stack.yaml", spec_text(with_range6("10.5.4.0/24", secondary_cidrs=["10.5.0.0/16"])))
    refused = stack.run("apply", "--yes", status=1)
    assert "in two steps" in refused.err
    assert ids_of(stack) == ids


@pytest.mark.parametrize("first, second", [(16, 17), (17, 16)], ids=["narrower", "wider"])
@pytest.mark.parametrize("refresh", ["full", "none"])
def test_a_range_that_changes_under_what_stays_is_refused_before_anything_is_done(stack, cloud, first, second, refresh):
    """No two ranges of a VPC overlap, and none goes under a subnet, though the new one would hold that too."""
    stack.write("stack.yaml", spec_text(network(f"10.5.0.0/{first}", a="10.5.0.0/24")))
    apply(stack)
    ids = ids_of(stack)
    stack.write("stack.yaml", spec_text(network(f"10.5.0.0/{second}", a="10.5.0.0/24")))
    for command in (["plan", f"--refresh={refresh}"], ["apply", "--yes"]):
        [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
        assert f"cannot let go of 10.5.0.0/{first}: 'aws.subnet.a' lies in it" in error["message"]
        assert error["address"] == "aws.vpc.m" and error["line"] > 0 and error["related"]["line"] > error["line"]
    assert ids_of(stack) == ids


def test_a_range_under_what_leaves_its_own_to_others_is_refused_with_the_way_out(stack, cloud):
    """Another range in the spec does not lead out, as long as it is ignored."""
    stack.write("stack.yaml", spec_text(network("10.5.0.0/16", a="10.5.0.0/24")))
    apply(stack)
    second = network(a="10.0.1.0/24")
    second["aws.subnet"]["a"]["lifecycle"] = {"ignore": ["cidr"]}
    stack.write("stack.yaml", spec_text(second))
    [error] = errors_of(stack.run("plan", "--output", "json", status=1).json)
    assert "take 'cidr' out of 'lifecycle.ignore' of 'aws.subnet.a', and give 'aws.subnet.a' another 'cidr'" in error["hint"]
    stack.write("stack.yaml", spec_text(network(a="10.0.1.0/24")))
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("saved", [None, "full", "none"])
@pytest.mark.parametrize("change", ["both go", "a part of it", "another range"])
def test_what_lies_in_a_range_comes_along_with_the_vpc(stack, cloud, change, saved):
    first, second = CHANGES[change]
    stack.write("stack.yaml", spec_text(first))
    apply(stack)
    stack.write("stack.yaml", spec_text(second))
    carry_out(stack, saved, "--target", "aws.vpc.m")
    apply(stack)
    plan_is_empty(stack)


def test_a_strangers_subnet_keeps_the_range(stack, cloud):
    stack.write("stack.yaml", spec_text(network("10.5.0.0/16", **KEPT)))
    apply(stack)
    cloud.client().create_subnet(VpcId=ids_of(stack)["aws.vpc.m"], CidrBlock="10.5.0.0/24")
    stack.write("stack.yaml", spec_text(network(**KEPT)))
    refused = stack.run("apply", "--yes", status=1)
    assert "lies in it" in refused.err


def test_a_range_that_a_network_leaves_to_others_is_no_place_before_it_is_there(stack, cloud):
    """The spec has it, and nobody added it: what would have to go for it stays, and nothing is made where it is not."""

    def ignoring(subnet, **vpc):
        return {
            "aws.vpc": {"m": {"cidr": "10.0.0.0/16", **vpc}},
            "aws.subnet": {"a": {"vpc": Ref("aws.vpc.m"), "cidr": subnet}},
        }

    others = {"secondary_cidrs": ["10.5.0.0/16"], "lifecycle": {"ignore": ["secondary_cidrs"]}}
    stack.write("stack.yaml", spec_text(ignoring("10.0.1.0/24")))
    apply(stack)
    ids = ids_of(stack)
    stack.write("stack.yaml", spec_text(ignoring("10.5.1.0/24", **others)))
    [error] = errors_of(stack.run("apply", "--yes", "--output", "json", status=1).json)
    assert "'aws.vpc.m' has no range around that, and leaves 'secondary_cidrs' to others" in error["message"]
    assert error["address"] == "aws.subnet.a" and "add the range by hand first" in error["hint"]
    assert ids_of(stack) == ids
    cloud.client().associate_vpc_cidr_block(VpcId=ids["aws.vpc.m"], CidrBlock="10.5.0.0/16")
    apply(stack)
    plan_is_empty(stack)
    # Made whole, it gets what the spec says once.
    stack.run("destroy", "--yes")
    apply(stack)
    plan_is_empty(stack)


def addressed(number, machine=None, beside=None, vpc=True, **machines):
    """Two subnets by the numbers of their IPv6 ranges, None: it has none, and machines by what is said of each."""

    def part(number):
        return {} if number is None else {"ipv6_cidr": f"${{cidr_subnet(aws.vpc.m.ipv6_cidr, 8, {number})}}"}

    image = {"image": "ami-0123456789abcdef0", "instance_type": "m6i.large"}
    subnet = {"vpc": Ref("aws.vpc.m"), "cidr": "10.0.0.0/24", **part(number)}
    other = {"vpc": Ref("aws.vpc.m"), "cidr": "10.0.1.0/24", **part(beside)}
    machines = {**({} if machine is None else {"i": machine}), **machines}
    return {
        "aws.vpc": {"m": {"cidr": "10.0.0.0/16", "ipv6": vpc}},
        "aws.subnet": {"a": subnet, "b": other},
        "aws.instance": {name: {**image, "subnet": Ref("aws.subnet.a"), **said} for name, said in machines.items()},
    }


def host(number, place):
    return {"addresses6": [f"${{cidr_host(cidr_subnet(aws.vpc.m.ipv6_cidr, 8, {number}), {place})}}"]}


ONE, NO = {"address6_count": 1}, {"address6_count": 0}
CARD = {"subnet": Ref("aws.subnet.b"), "interfaces": [{"device_index": 1, "subnet": Ref("aws.subnet.a"), **ONE}]}
FIRST = {"lifecycle": {"create_before_destroy": True}}
LEFT = {
    "the address goes": (addressed(0, ONE), addressed(None, NO)),
    "the address goes, and the VPC's range": (addressed(0, ONE), addressed(None, NO, vpc=False)),
    "a named one goes": (addressed(0, host(0, 9)), addressed(None, NO)),
    "the machine goes": (addressed(0, ONE), addressed(None)),
    "a machine with a further interface goes": (addressed(0, CARD), addressed(None)),
    "the machine is another": (addressed(0, ONE), addressed(None, {**NO, "address": "10.0.0.9"})),
    "the machine moves": (addressed(0, ONE), addressed(None, {"subnet": Ref("aws.subnet.b")})),
    "another one moves ahead": (addressed(0, ONE), addressed(None, {"subnet": Ref("aws.subnet.b"), **FIRST})),
    "the address goes, another range": (addressed(0, ONE), addressed(1, NO)),
    "the machine is another, another range": tuple(
        addressed(number, {**ONE, "address": f"10.0.0.{number + 8}"}) for number in (0, 1)
    ),
    "a named one, another range": (addressed(0, host(0, 9)), addressed(1, host(1, 9))),
    "another subnet has it": (addressed(0, ONE), addressed(None, NO, 0)),
    "a named one, and another subnet has it": (addressed(0, host(0, 9)), addressed(None, NO, 0)),
    "they are exchanged": (addressed(0, ONE, 1, j=NO), addressed(1, NO, 0, j=ONE)),
    "one goes, one comes": (addressed(0, ONE, j=NO), addressed(1, NO, j=ONE)),
}


@pytest.mark.parametrize("change", LEFT)
def test_a_subnets_range_goes_after_the_addresses_in_it(stack, cloud, change):
    first, second = LEFT[change]
    go_over(stack, first, second)
    stack.write("stack.yaml", spec_text(first))
    apply(stack)


@pytest.mark.parametrize("after", [{}, FIRST], ids=["destroyed first", "made first"])
def test_an_address_of_a_machine_that_moves_is_free_before_another_takes_it(stack, cloud, after):
    stack.write("stack.yaml", spec_text(addressed(0, {**host(0, 9), **after}, j=NO)))
    apply(stack)
    stack.write("stack.yaml", spec_text(addressed(0, {"subnet": Ref("aws.subnet.b"), **after}, j=host(0, 9))))
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("held", [ONE, host(0, 9)], ids=["by number", "by name"])
def test_a_subnets_range_goes_after_the_addresses_of_what_was_not_finished(stack, cloud, held):
    whole = {"source_dest_check": False}
    stack.write("stack.yaml", spec_text(addressed(0)))
    apply(stack)
    stack.write("stack.yaml", spec_text(addressed(0, {**held, **whole})))
    faults = [cloud.fault(f"Modify{kind}Attribute", "deny") for kind in ("Instance", "NetworkInterface")]
    stack.run("apply", "--yes", status=7)
    for fault in faults:
        cloud.heal(fault)
    stack.write("stack.yaml", spec_text(addressed(None, {**NO, **whole})))
    apply(stack)
    plan_is_empty(stack)


TWO = {"address6_count": 2}
OTHERS = {"lifecycle": {"ignore": ["address6_count", "addresses6"]}}
HELD = {
    "it is not said to go": (ONE, None, {}),
    "one of two goes": (TWO, 1, ONE),
    "the spec leaves it to others": (ONE, None, {**NO, **OTHERS}),
}


@pytest.mark.parametrize("refresh", ["full", "none"])
@pytest.mark.parametrize("case", HELD)
def test_a_subnets_range_under_an_address_that_stays_is_refused_before_anything_is_done(stack, cloud, case, refresh):
    before, other, after = HELD[case]
    stack.write("stack.yaml", spec_text(addressed(0, before)))
    apply(stack)
    stack.write("stack.yaml", spec_text(addressed(other, after)))
    ids = ids_of(stack)
    for command in (["plan", f"--refresh={refresh}"], ["apply", "--yes"]):
        [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
        assert "'aws.subnet.a' cannot let go of " in error["message"]
        assert "'aws.instance.i' has an address there, with the 'addresses6' " in error["message"]
        assert error["address"] == "aws.subnet.a" and error["related"]["line"] > error["line"] > 0
        assert "by its 'address6_count': then it goes first" in error["hint"]
        assert ("out of 'lifecycle.ignore' of 'aws.instance.i', and have" in error["hint"]) == ("lifecycle" in after)
    assert ids_of(stack) == ids
    if "lifecycle" in after:
        stack.write("stack.yaml", spec_text(addressed(other, {**NO, "lifecycle": {"ignore": ["addresses6"]}})))
        apply(stack)
        plan_is_empty(stack)


@pytest.mark.parametrize("saved", [None, "full", "none"])
def test_an_address_in_it_goes_along_with_the_subnets_range(stack, cloud, saved):
    stack.write("stack.yaml", spec_text(addressed(0, ONE)))
    apply(stack)
    stack.write("stack.yaml", spec_text(addressed(None, NO)))
    carry_out(stack, saved, "--target", "aws.subnet.a")
    plan_is_empty(stack)


def test_a_subnets_range_under_what_is_made_ahead_is_refused_before_anything_is_done(stack, cloud):
    """The old one goes last, and the new one would get an address in the range that has to be empty by then."""
    stack.write("stack.yaml", spec_text(addressed(0, {**ONE, **FIRST})))
    apply(stack)
    stack.write("stack.yaml", spec_text(addressed(None, {**NO, **FIRST, "address": "10.0.0.9"})))
    [error] = errors_of(stack.run("apply", "--yes", "--output", "json", status=1).json)
    assert error["message"].startswith("these steps wait for each other:")
