"""IPv6 ranges from Amazon: no spec can say which they are, and yet subnets take theirs from them."""

import ipaddress

import pytest

from trueup_runner import Expression, Ref, apply, ids_of, plan, plan_is_empty, spec_text

VPC = Ref("aws.vpc.main")


def network(ipv6, numbers, assign=True, **more):
    """A VPC and a subnet for each number, that part of the VPC's range; None: of IPv4 alone."""
    subnets = {}
    for index, number in enumerate(numbers):
        subnets[f"s{index}"] = {"vpc": VPC, "cidr": f"10.0.{index}.0/24", **more}
        if number is not None:
            subnets[f"s{index}"].update(
                ipv6_cidr=f"${{cidr_subnet(aws.vpc.main.ipv6_cidr, 8, {number})}}", assign_ipv6_on_creation=assign
            )
    return spec_text({"aws.vpc": {"main": {"cidr": "10.0.0.0/16", "ipv6": ipv6}}, "aws.subnet": subnets})


def parts_of(cloud):
    """{IPv4 range: which part of the VPC's range it has, or None} of each subnet."""
    ec2 = cloud.client()
    [vpc] = ec2.describe_vpcs()["Vpcs"]
    states = ("associated", "associating")
    held = [each for each in vpc["Ipv6CidrBlockAssociationSet"] if each["Ipv6CidrBlockState"]["State"] in states]
    parts = {}
    for subnet in ec2.describe_subnets()["Subnets"]:
        ranges = [ipaddress.ip_network(each["Ipv6CidrBlock"]) for each in subnet["Ipv6CidrBlockAssociationSet"]]
        assert subnet["AssignIpv6AddressOnCreation"] == bool(ranges)
        first = int(ipaddress.ip_network(held[0]["Ipv6CidrBlock"])[0]) if held else 0
        parts[subnet["CidrBlock"]] = (int(ranges[0][0]) - first) >> 64 if ranges else None
    return parts


def test_turned_on_under_subnets_that_are_there(stack, cloud):
    stack.write("stack.yaml", network(False, [None, None]))
    apply(stack)
    made = ids_of(stack)
    stack.write("stack.yaml", network(True, [3, 255]))
    planned = plan(stack, status=2)
    assert planned.operations() == {"aws.vpc.main": "update", "aws.subnet.s0": "update", "aws.subnet.s1": "update"}
    apply(stack)
    assert ids_of(stack) == made
    assert parts_of(cloud) == {"10.0.0.0/24": 3, "10.0.1.0/24": 255}
    plan_is_empty(stack)


@pytest.mark.parametrize("numbers", [[None, None], [None], []], ids=["given up", "and one deleted", "and all deleted"])
def test_turned_off_at_once(stack, cloud, numbers):
    stack.write("stack.yaml", network(True, [3, 255]))
    apply(stack)
    stack.write("stack.yaml", network(False, numbers))
    apply(stack)
    assert parts_of(cloud) == {f"10.0.{index}.0/24": None for index in range(len(numbers))}
    plan_is_empty(stack)


@pytest.mark.parametrize("numbers", [[None, None], [None], []], ids=["given up", "and one deleted", "and all deleted"])
def test_turned_off_for_a_target(stack, cloud, numbers):
    """What is planned of it can be done: those that must let go first come along."""
    gateway = '"aws.vpn_gateway": {"g": {"vpc": "main"}}'
    stack.write("stack.yaml", network(True, [3, 255]))
    apply(stack)
    stack.write("stack.yaml", network(False, numbers))
    stack.write("gateway.yaml", f"{{{gateway}}}")
    stack.run("apply", "--yes", "--target", "aws.vpn_gateway.g")
    assert parts_of(cloud) == {f"10.0.{index}.0/24": None for index in range(len(numbers))}
    plan_is_empty(stack)


def test_a_range_taken_away_by_hand(stack, cloud):
    stack.write("stack.yaml", network(True, [3]))
    apply(stack)
    ec2 = cloud.client()
    [subnet] = ec2.describe_subnets()["Subnets"]
    ec2.modify_subnet_attribute(SubnetId=subnet["SubnetId"], AssignIpv6AddressOnCreation={"Value": False})
    [association] = subnet["Ipv6CidrBlockAssociationSet"]
    ec2.disassociate_subnet_cidr_block(AssociationId=association["AssociationId"])
    planned = plan(stack, status=2)
    assert planned.actions["aws.subnet.s0"].fields() == {"ipv6_cidr", "assign_ipv6_on_creation"}
    apply(stack)
    assert parts_of(cloud) == {"10.0.0.0/24": 3}
    plan_is_empty(stack)


@pytest.mark.parametrize("theirs", [False, True])
@pytest.mark.parametrize("before, after", [([3], [4]), ([3, 4], [4, 3])], ids=["other", "swapped"])
def test_what_others_assign_is_theirs_beyond_another_part(stack, cloud, theirs, before, after):
    """It is switched off for the exchange where it is on, and nowhere else; what the spec says of it is not heeded."""
    left = {"assign": not theirs, "lifecycle": {"ignore": ["assign_ipv6_on_creation"]}}
    stack.write("stack.yaml", network(True, before, **left))
    apply(stack)
    ec2 = cloud.client()
    for subnet in ec2.describe_subnets()["Subnets"]:
        ec2.modify_subnet_attribute(SubnetId=subnet["SubnetId"], AssignIpv6AddressOnCreation={"Value": theirs})
    stack.write("stack.yaml", network(True, after, **left))
    apply(stack)
    subnets = ec2.describe_subnets()["Subnets"]
    assert {each["AssignIpv6AddressOnCreation"] for each in subnets} == {theirs}
    plan_is_empty(stack)


def test_the_example(stack, root):
    keys = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]
    stack.environment.update(dict.fromkeys(keys), AWS_ENDPOINT_URL="sim:world")
    stack.write("network.yaml", (root / "examples/ipv6/network.yaml").read_text())
    apply(stack)
    plan_is_empty(stack)
    told = stack.run("output", "--output", "json").json["outputs"]
    assert ipaddress.ip_address(told["web"]) in ipaddress.ip_network(told["range"])
    stack.run("destroy", "--yes")
    assert ids_of(stack) == {}


@pytest.mark.parametrize(
    "numbers, line, said",
    [
        pytest.param([3, 3], 's1', "overlaps ${cidr_subnet(aws.vpc.main.ipv6_cidr, 8, 3)} of 'aws.subnet.s0'", id="twice"),
        pytest.param([3, 256], 's1', "'aws.vpc.main.ipv6_cidr' has no subnet of that length with the number 256", id="256"),
        pytest.param([-1, 3], 's0', "has no subnet of that length with the number -1", id="below the first"),
    ],
)
def test_parts_that_cannot_be(stack, numbers, line, said):
    """Whichever range it will be: it is told before any call."""
    stack.write("stack.yaml", network(True, numbers))
    [error] = stack.run("validate", "--output", "json", status=1).json["diagnostics"]
    assert said in error["message"] and error["address"] == f"aws.subnet.{line}"
    assert error["line"] != error["related"]["line"]


def test_a_subnet_of_a_vpc_without(stack, cloud):
    stack.write("stack.yaml", network(False, [3]))
    [error] = stack.run("validate", "--output", "json", status=1).json["diagnostics"]
    assert error["message"] == "'aws.vpc.main' has no 'ipv6_cidr' as long as its 'ipv6' is not true"
    assert error["hint"] == "set 'ipv6: true' there" and error["address"] == "aws.subnet.s0"


@pytest.mark.parametrize("change", ["in place", "anew"])
def test_a_range_of_another_network(stack, cloud, change):
    """A slip in the name: the service would say so when the range that was there is gone, or the subnet."""

    def part_of(vpc, **more):
        subnet = {"vpc": Ref("aws.vpc.n"), "cidr": "10.1.0.0/24", "ipv6_cidr": f"${{cidr_subnet(aws.vpc.{vpc}.ipv6_cidr, 8, 1)}}"}
        vpcs = {"m": {"cidr": "10.0.0.0/16", "ipv6": True}, "n": {"cidr": "10.1.0.0/16", "ipv6": True}}
        return spec_text({"aws.vpc": vpcs, "aws.subnet": {"a": {**subnet, **more}}})

    stack.write("stack.yaml", part_of("n"))
    stack.run("apply", "--yes")
    there = cloud.things("subnet")
    stack.write("stack.yaml", part_of("m", **({} if change == "in place" else {"cidr": "10.1.1.0/24"})))
    told = stack.run("apply", "--yes", status=1).err
    assert "that lies in a range of 'aws.vpc.m', and in none of 'aws.vpc.n'" in told and cloud.things("subnet") == there


def machine(subnet, numbers, owner, nested=False, names="ab"):
    """In one of two subnets, with addresses of the range of one of them; without an owner, of any."""
    addresses6 = [f"${{cidr_host(aws.subnet.{owner}.ipv6_cidr, {each})}}" if owner else each for each in numbers]
    addresses = {"addresses6": addresses6}
    within = {"interfaces": [{"device_index": 0, **addresses}]} if nested else addresses
    subnets = {
        name: {
            "vpc": VPC,
            "cidr": f"10.0.{number}.0/24",
            "zone": "eu-central-1a",
            "ipv6_cidr": f"${{cidr_subnet(aws.vpc.main.ipv6_cidr, 8, {number})}}",
        }
        for name, number in zip(names, map("_abc".index, names))
    }
    instance = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref(f"aws.subnet.{subnet}")}
    return spec_text(
        {
            "aws.vpc": {"main": {"cidr": "10.0.0.0/16", "ipv6": True}},
            "aws.subnet": subnets,
            "aws.instance": {"m": {**instance, **within}},
        }
    )


OTHERS = "that lies in a range of 'aws.subnet.{}', and in none of 'aws.subnet.{}'"


@pytest.mark.parametrize(
    "before, after, said",
    [
        pytest.param(("a", [10], "a"), ("b", [10], "a"), OTHERS.format("a", "b"), id="moved without them"),
        pytest.param(("a", [10], "a"), ("c", [10], "a", False, "abc"), OTHERS.format("a", "c"), id="to a new one"),
        pytest.param(("a", [10], "a"), ("a", [10], "b"), OTHERS.format("b", "a"), id="in place"),
        pytest.param(("a", [10], "a", True), ("b", [10], "a", True), OTHERS.format("a", "b"), id="of an interface"),
        pytest.param(("a", [10], "a"), ("a", [10, 3], "a"), "that the service keeps for itself", id="kept"),
        pytest.param(("a", [10], "a"), ("a", ["2001:db8::9"], None), "in no range of 'aws.subnet.a'", id="nobody's"),
    ],
)
def test_addresses_outside_of_their_subnet(stack, cloud, before, after, said):
    """The service would say so when the machine that was there is gone, or its address."""
    stack.write("stack.yaml", machine(*before))
    apply(stack)
    there = cloud.show()
    stack.write("stack.yaml", machine(*after))
    [error] = stack.run("plan", "--output", "json", status=1).json["diagnostics"]
    assert said in error["message"] and error["address"] == "aws.instance.m"
    line = (stack.folder / "stack.yaml").read_text().splitlines()[error["line"] - 1]
    assert "cidr_host" in line or "2001:db8::9" in line
    stack.run("apply", "--yes", status=1)
    assert cloud.show() == there


def prefixed(subnet, prefix, sort="prefixes6"):
    """A machine whose interface has a prefix of either subnet."""
    text = machine(subnet, [], "a", nested=True)
    return text.replace('"addresses6": []', f'"{sort}": ["{prefix}"]')


PREFIX6 = "${cidr_subnet(aws.subnet.%s.ipv6_cidr, 16, 5)}"


@pytest.mark.parametrize(
    "before, after, said",
    [
        pytest.param(("a", PREFIX6 % "a"), ("b", PREFIX6 % "a"), OTHERS.format("a", "b"), id="moved without"),
        pytest.param(("a", PREFIX6 % "a"), ("a", PREFIX6 % "b"), OTHERS.format("b", "a"), id="of another subnet"),
    ],
)
def test_prefixes_outside_of_their_subnet(stack, cloud, before, after, said):
    """The service would say so when the machine that was there is gone."""
    stack.write("stack.yaml", prefixed(*before))
    apply(stack)
    there = cloud.show()
    stack.write("stack.yaml", prefixed(*after))
    [error] = stack.run("apply", "--yes", "--output", "json", status=1).json["diagnostics"]
    assert said in error["message"] and error["address"] == "aws.instance.m"
    assert "cidr_subnet(aws.subnet" in (stack.folder / "stack.yaml").read_text().splitlines()[error["line"] - 1]
    assert cloud.show() == there


def test_a_machine_moves_along_with_its_addresses(stack, cloud):
    """To a subnet that is there, then to one that is to be made, and with both to another network."""
    stack.write("stack.yaml", machine("a", [10], "a"))
    apply(stack)
    stack.write("stack.yaml", machine("b", [10], "b"))
    apply(stack)
    stack.write("stack.yaml", machine("c", [10], "c", names="bc"))
    apply(stack)
    stack.write("stack.yaml", machine("c", [10], "c", names="bc").replace("10.0.", "10.1."))
    apply(stack)
    plan_is_empty(stack)


def alone(number=1, **more):
    """A subnet of IPv6 alone, which gives addresses by itself."""
    part = f"${{cidr_subnet(aws.vpc.main.ipv6_cidr, 8, {number})}}"
    subnet = {"vpc": VPC, "ipv6_native": True, "ipv6_cidr": part, **more}
    return spec_text({"aws.vpc": {"main": {"cidr": "10.0.0.0/16", "ipv6": True}}, "aws.subnet": {"a": subnet}})


def test_host_names_of_ipv6_alone_stay_as_they_have_to_be(stack, cloud):
    """What others go back to, where the spec says nothing of it any more, the service refuses there."""
    stack.write("stack.yaml", alone(hostname_type="resource-name"))
    apply(stack)
    stack.write("stack.yaml", alone())
    assert plan(stack, status=2).actions["aws.subnet.a"].effects() == {"release"}
    apply(stack)
    plan_is_empty(stack)


def test_ipv6_alone_goes_on_giving_addresses(stack, cloud):
    """A machine there would have no address at all."""
    stack.write("stack.yaml", alone(assign_ipv6_on_creation=True))
    apply(stack)
    stack.write("stack.yaml", alone())
    assert plan(stack, status=2).actions["aws.subnet.a"].effects() == {"release"}
    apply(stack)
    [subnet] = cloud.client().describe_subnets()["Subnets"]
    assert subnet["AssignIpv6AddressOnCreation"]
    plan_is_empty(stack)


def test_a_range_goes_that_others_have_addresses_given_of(stack, cloud):
    """The spec never said whether: without a range nothing can be given, and it was refused by each apply."""
    fields = {"vpc": Ref("aws.vpc.v"), "cidr": "10.20.1.0/24", "ipv6_cidr": Expression("${cidr_subnet(aws.vpc.v.ipv6_cidr, 8, 1)}")}
    spec = {"aws.vpc": {"v": {"cidr": "10.20.0.0/16", "ipv6": True}}, "aws.subnet": {"a": fields}}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    subnet = ids_of(stack)["aws.subnet.a"]
    cloud.client().modify_subnet_attribute(SubnetId=subnet, AssignIpv6AddressOnCreation={"Value": True})
    del fields["ipv6_cidr"]
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    assert not cloud.client().describe_subnets(SubnetIds=[subnet])["Subnets"][0]["AssignIpv6AddressOnCreation"]
    plan_is_empty(stack)


def test_ipv6_alone_gets_another_range(stack, cloud):
    """What gives addresses of the old one is switched off for that, though the spec never said that it is on."""
    stack.write("stack.yaml", alone())
    apply(stack)
    made = ids_of(stack)
    stack.write("stack.yaml", alone(2))
    apply(stack)
    assert ids_of(stack) == made
    [subnet] = cloud.client().describe_subnets()["Subnets"]
    assert subnet["AssignIpv6AddressOnCreation"] and subnet["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlock"].endswith("02::/64")
    plan_is_empty(stack)
