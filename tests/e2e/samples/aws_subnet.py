import ipaddress

from samples import KEPT, REPLACED, Change, Sample, Unset
from trueup_runner import Expression, Ref, found, tags_of

# No spec can say which range Amazon gives a VPC.
VPCS = {"10.20.0.0/16": "home", "10.30.0.0/16": "away"}


def part_of(name, number):
    return Expression(f"${{cidr_subnet(aws.vpc.{name}.ipv6_cidr, 8, {number})}}")


def range_of(ec2, subnet):
    """The expression that a subnet's IPv6 range is the value of, or None."""
    [vpc] = ec2.describe_vpcs(VpcIds=[subnet["VpcId"]])["Vpcs"]
    for each in subnet.get("Ipv6CidrBlockAssociationSet", []):
        if each["Ipv6CidrBlockState"]["State"] == "associated":
            whole = ipaddress.ip_network(vpc["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlock"])
            mine = ipaddress.ip_network(each["Ipv6CidrBlock"])
            assert mine.prefixlen == 64 and mine.subnet_of(whole)
            return part_of(VPCS[vpc["CidrBlock"]], (int(mine[0]) - int(whole[0])) >> 64)
    return None


def read(cloud, identity):
    answer = found(lambda: cloud.client().describe_subnets(SubnetIds=[identity]), "InvalidSubnetID.NotFound")
    if not answer:
        return None
    subnet = answer["Subnets"][0]
    names = subnet.get("PrivateDnsNameOptionsOnLaunch", {})
    return {
        "vpc": subnet["VpcId"],
        "cidr": subnet.get("CidrBlock"),
        "ipv6_cidr": range_of(cloud.client(), subnet),
        "ipv6_native": subnet.get("Ipv6Native"),
        "zone": subnet["AvailabilityZone"],
        "public": subnet["MapPublicIpOnLaunch"],
        "assign_ipv6_on_creation": subnet.get("AssignIpv6AddressOnCreation"),
        "dns64": subnet.get("EnableDns64"),
        "hostname_type": names.get("HostnameType"),
        "resource_name_dns_a": names.get("EnableResourceNameDnsARecord"),
        "resource_name_dns_aaaa": names.get("EnableResourceNameDnsAAAARecord"),
        "tags": tags_of(subnet.get("Tags")),
    }


SAMPLE = Sample(
    kind="aws.subnet",
    simulated="subnet",
    needs={"aws.vpc": {name: {"cidr": cidr, "ipv6": True} for cidr, name in VPCS.items()}},
    values={
        "vpc": Ref("aws.vpc.home"),
        "cidr": "10.20.16.0/20",
        "ipv6_cidr": part_of("home", 7),
        "zone": "eu-central-1b",
        "public": True,
        "assign_ipv6_on_creation": True,
        "dns64": True,
        "hostname_type": "resource-name",
        "resource_name_dns_a": True,
        "resource_name_dns_aaaa": True,
        "tags": {"team": "research"},
    },
    in_place={
        # It makes room for the new range with addresses given from it; these are given from the new one.
        "ipv6_cidr": Change(part_of("home", 255)),
        "public": Change(False),
        "assign_ipv6_on_creation": Change(False),
        "dns64": Change(False),
        "hostname_type": Change("ip-name"),
        "resource_name_dns_a": Change(False),
        "resource_name_dns_aaaa": Change(False),
        "tags": Change({"team": "research", "Name": "b"}),
    },
    replaces={
        "vpc": Change(Ref("aws.vpc.away"), along={"cidr": "10.30.16.0/20", "ipv6_cidr": part_of("away", 7)}),
        "cidr": Change("10.20.32.0/20"),
        "zone": Change("eu-central-1c"),
        "ipv6_native": Change(True, along={"cidr": None, "public": False, "resource_name_dns_a": False}),
    },
    unset={
        "cidr": Unset(REPLACED, along={"ipv6_native": True, "public": False, "resource_name_dns_a": False}),
        "ipv6_cidr": Unset(None, along={"assign_ipv6_on_creation": False, "dns64": False, "resource_name_dns_aaaa": False}),
        "ipv6_native": Unset(False, given={"ipv6_native": False}),
        "zone": Unset(KEPT),
        "public": Unset(False),
        "assign_ipv6_on_creation": Unset(False),
        "dns64": Unset(False),
        "hostname_type": Unset("ip-name"),
        "resource_name_dns_a": Unset(False),
        "resource_name_dns_aaaa": Unset(False),
        "tags": Unset({}),
    },
    further={
        "IPv6 alone": {
            "vpc": Ref("aws.vpc.home"),
            "ipv6_cidr": part_of("home", 0),
            "ipv6_native": True,
            "hostname_type": "resource-name",
            "resource_name_dns_aaaa": True,
        },
    },
    not_on_moto={
        "ipv6_cidr": "DescribeSubnets tells the state of no range",
        "ipv6_native": "DescribeSubnets tells the state of no range",
        "assign_ipv6_on_creation": "DescribeSubnets tells the state of no range",
        "dns64": "ModifySubnetAttribute answers and changes nothing",
        "hostname_type": "ModifySubnetAttribute answers and changes nothing",
        "resource_name_dns_a": "ModifySubnetAttribute answers and changes nothing",
        "resource_name_dns_aaaa": "ModifySubnetAttribute answers and changes nothing",
    },
    moto_lacks={
        "IPv6 alone": "DescribeSubnets tells the state of no range",
        "unset cidr": "DescribeSubnets tells the state of no range",
    },
    read=read,
    remove=lambda cloud, identity: cloud.client().delete_subnet(SubnetId=identity),
)
