from samples import KEPT, Change, Sample, Unset
from trueup_runner import found, tags_of


def read(cloud, identity):
    ec2 = cloud.client()
    answer = found(lambda: ec2.describe_vpcs(VpcIds=[identity]), "InvalidVpcID.NotFound")
    if not answer:
        return None
    vpc = answer["Vpcs"][0]

    def attribute(name, key):
        return ec2.describe_vpc_attribute(VpcId=identity, Attribute=name)[key]["Value"]

    return {
        "cidr": vpc["CidrBlock"],
        "secondary_cidrs": sorted(
            each["CidrBlock"]
            for each in vpc["CidrBlockAssociationSet"]
            if each["CidrBlockState"]["State"] == "associated" and each["CidrBlock"] != vpc["CidrBlock"]
        ),
        "ipv6": any(
            each["Ipv6CidrBlockState"]["State"] == "associated" for each in vpc.get("Ipv6CidrBlockAssociationSet", [])
        ),
        "tenancy": vpc["InstanceTenancy"],
        "dns_support": attribute("enableDnsSupport", "EnableDnsSupport"),
        "dns_hostnames": attribute("enableDnsHostnames", "EnableDnsHostnames"),
        "dhcp_options": vpc["DhcpOptionsId"],
        "usage_metrics": attribute("enableNetworkAddressUsageMetrics", "EnableNetworkAddressUsageMetrics"),
        "tags": tags_of(vpc.get("Tags")),
    }


# The options that the simulated region has.
REGIONS_OWN = "dopt-0d0e0f0a0b0c0d0e0"

SAMPLE = Sample(
    kind="aws.vpc",
    simulated="vpc",
    values={
        "cidr": "10.20.0.0/16",
        "secondary_cidrs": ["10.21.0.0/16", "100.64.0.0/20"],
        "ipv6": True,
        "tenancy": "dedicated",
        "dns_support": True,
        "dns_hostnames": True,
        "dhcp_options": "default",
        "usage_metrics": True,
        "tags": {"team": "research", "Name": "one two"},
    },
    in_place={
        "secondary_cidrs": Change(["10.21.0.0/16", "10.22.0.0/16"]),
        "ipv6": Change(False),
        "dns_support": Change(False, given={"dns_hostnames": False}),
        "dns_hostnames": Change(False),
        "dhcp_options": Change(REGIONS_OWN),
        "usage_metrics": Change(False),
        "tenancy": Change("default", one_way=True),
        "tags": Change({"team": "operations", "cost": "a/b=c&d +é"}),
    },
    replaces={
        "cidr": Change("10.30.0.0/16", given={"secondary_cidrs": []}),
    },
    unset={
        "secondary_cidrs": Unset([]),
        "ipv6": Unset(False),
        "tenancy": Unset(KEPT),
        "dns_support": Unset(True, given={"dns_support": False, "dns_hostnames": False}),
        "dns_hostnames": Unset(False),
        "dhcp_options": Unset(KEPT),
        "usage_metrics": Unset(False),
        "tags": Unset({}),
    },
    not_on_moto={"dhcp_options": "DescribeVpcs tells none, and there are none but those made"},
    read=read,
    remove=lambda cloud, identity: cloud.client().delete_vpc(VpcId=identity),
)
