from samples import KEPT, Change, Sample, Unset
from trueup_runner import Ref, found, tags_of


def read(cloud, identity):
    answer = found(lambda: cloud.client().describe_subnets(SubnetIds=[identity]), "InvalidSubnetID.NotFound")
    if not answer:
        return None
    subnet = answer["Subnets"][0]
    names = subnet.get("PrivateDnsNameOptionsOnLaunch", {})
    return {
        "vpc": subnet["VpcId"],
        "cidr": subnet["CidrBlock"],
        "zone": subnet["AvailabilityZone"],
        "public": subnet["MapPublicIpOnLaunch"],
        "dns64": subnet.get("EnableDns64"),
        "hostname_type": names.get("HostnameType"),
        "resource_name_dns_a": names.get("EnableResourceNameDnsARecord"),
        "tags": tags_of(subnet.get("Tags")),
    }


def give_ipv6(cloud, identity):
    """Only a subnet with IPv6 takes dns64, and those ranges are not managed yet."""
    ec2 = cloud.client()
    vpc = read(cloud, identity)["vpc"]
    ec2.associate_vpc_cidr_block(VpcId=vpc, AmazonProvidedIpv6CidrBlock=True)

    def given():
        sets = ec2.describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["Ipv6CidrBlockAssociationSet"]
        return [each["Ipv6CidrBlock"] for each in sets if each["Ipv6CidrBlockState"]["State"] == "associated"]

    [block] = cloud.wait_for(given)
    ec2.associate_subnet_cidr_block(SubnetId=identity, Ipv6CidrBlock=block.replace("/56", "/64"))


SAMPLE = Sample(
    kind="aws.subnet",
    simulated="subnet",
    needs={"aws.vpc": {"home": {"cidr": "10.20.0.0/16"}, "away": {"cidr": "10.30.0.0/16"}}},
    values={
        "vpc": Ref("aws.vpc.home"),
        "cidr": "10.20.16.0/20",
        "zone": "eu-central-1b",
        "public": True,
        "dns64": False,
        "hostname_type": "resource-name",
        "resource_name_dns_a": True,
        "tags": {"team": "research"},
    },
    in_place={
        "public": Change(False),
        "dns64": Change(True, prepare=give_ipv6),
        "hostname_type": Change("ip-name"),
        "resource_name_dns_a": Change(False),
        "tags": Change({"team": "research", "Name": "b"}),
    },
    replaces={
        "vpc": Change(Ref("aws.vpc.away"), along={"cidr": "10.30.16.0/20"}),
        "cidr": Change("10.20.32.0/20"),
        "zone": Change("eu-central-1c"),
    },
    unset={
        "zone": Unset(KEPT),
        "public": Unset(False),
        "dns64": Unset(False, given={"dns64": False}),
        "hostname_type": Unset("ip-name"),
        "resource_name_dns_a": Unset(False),
        "tags": Unset({}),
    },
    not_on_moto={
        "dns64": "ModifySubnetAttribute answers and changes nothing",
        "hostname_type": "ModifySubnetAttribute answers and changes nothing",
        "resource_name_dns_a": "ModifySubnetAttribute answers and changes nothing",
    },
    read=read,
    remove=lambda cloud, identity: cloud.client().delete_subnet(SubnetId=identity),
)
