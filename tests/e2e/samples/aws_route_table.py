from samples import Change, Sample, Unset
from trueup_runner import Ref, found, tags_of

# In this order, as an answer names several kinds of gateway alike.
GATEWAYS = {"igw-": "internet_gateway", "vgw-": "vpn_gateway"}


def route_of(route):
    told = {}
    if "DestinationCidrBlock" in route:
        told["destination"] = route["DestinationCidrBlock"]
    if "DestinationIpv6CidrBlock" in route:
        told["destination6"] = route["DestinationIpv6CidrBlock"]
    for prefix, name in GATEWAYS.items():
        if route.get("GatewayId", "").startswith(prefix):
            told[name] = route["GatewayId"]
    return told


def read(cloud, identity):
    answer = found(lambda: cloud.client().describe_route_tables(RouteTableIds=[identity]), "InvalidRouteTableID.NotFound")
    if not answer:
        return None
    table = answer["RouteTables"][0]
    return {
        "vpc": table["VpcId"],
        "routes": sorted(
            (route_of(each) for each in table["Routes"] if each["Origin"] == "CreateRoute"), key=lambda each: sorted(each.items())
        ),
        "subnets": sorted(each["SubnetId"] for each in table["Associations"] if "SubnetId" in each),
        "propagation": sorted(each["GatewayId"] for each in table.get("PropagatingVgws", [])),
        "tags": tags_of(table.get("Tags")),
    }


def remove(cloud, identity):
    ec2 = cloud.client()
    for each in ec2.describe_route_tables(RouteTableIds=[identity])["RouteTables"][0]["Associations"]:
        ec2.disassociate_route_table(AssociationId=each["RouteTableAssociationId"])
    ec2.delete_route_table(RouteTableId=identity)


INTERNET = {"destination": "0.0.0.0/0", "internet_gateway": Ref("aws.internet_gateway.home")}
INTERNET6 = {"destination6": "::/0", "internet_gateway": Ref("aws.internet_gateway.home")}
OFFICE = {"destination": "192.168.10.0/24", "vpn_gateway": Ref("aws.vpn_gateway.home")}

SAMPLE = Sample(
    kind="aws.route_table",
    simulated="route-table",
    needs={
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}, "away": {"cidr": "10.30.0.0/16"}},
        "aws.subnet": {
            "a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.0.0/20"},
            "b": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.16.0/20"},
        },
        "aws.internet_gateway": {"home": {"vpc": Ref("aws.vpc.home")}},
        "aws.vpn_gateway": {"home": {"vpc": Ref("aws.vpc.home")}},
    },
    values={
        "vpc": Ref("aws.vpc.home"),
        "routes": [INTERNET, INTERNET6, OFFICE],
        "subnets": [Ref("aws.subnet.a")],
        "propagation": [Ref("aws.vpn_gateway.home")],
        "tags": {"team": "research"},
    },
    in_place={
        # One goes, one gets another target, one comes.
        "routes": Change(
            [
                {"destination": "192.168.10.0/24", "internet_gateway": Ref("aws.internet_gateway.home")},
                {"destination": "192.168.11.0/24", "vpn_gateway": Ref("aws.vpn_gateway.home")},
            ]
        ),
        "subnets": Change([Ref("aws.subnet.b")]),
        "propagation": Change([]),
        "tags": Change({}),
    },
    replaces={"vpc": Change(Ref("aws.vpc.away"), given={"routes": [], "subnets": [], "propagation": []})},
    unset={
        "routes": Unset([]),
        "subnets": Unset([]),
        "propagation": Unset([]),
        "tags": Unset({}),
    },
    not_on_moto={"propagation": "EnableVgwRoutePropagation is missing"},
    read=read,
    remove=remove,
)
