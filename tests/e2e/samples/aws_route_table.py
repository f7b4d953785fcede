from samples import Change, Members, Sample, Unset
from trueup_runner import Ref, found, tags_of

# In this order, as an answer names several kinds of gateway alike.
GATEWAYS = {"igw-": "internet_gateway", "vgw-": "vpn_gateway", "vpce-": "endpoint"}
OTHERS = {
    "DestinationCidrBlock": "destination",
    "DestinationIpv6CidrBlock": "destination6",
    "DestinationPrefixListId": "prefix_list",
    "NatGatewayId": "nat_gateway",
    "TransitGatewayId": "transit_gateway",
    "VpcPeeringConnectionId": "peering",
    "NetworkInterfaceId": "interface",
    "EgressOnlyInternetGatewayId": "egress_only_gateway",
}


def route_of(route):
    told = {name: route[member] for member, name in OTHERS.items() if member in route}
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


def make_targets(cloud):
    """Two of each, by what stands for them: "nat-0" and "nat-1"."""
    ec2 = cloud.client()
    vpc, other = (ec2.create_vpc(CidrBlock=cidr)["Vpc"]["VpcId"] for cidr in ("10.98.0.0/16", "10.99.0.0/16"))
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.98.0.0/24")["Subnet"]["SubnetId"]
    makers = {
        "nat": lambda: ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private")["NatGateway"]["NatGatewayId"],
        "tgw": lambda: ec2.create_transit_gateway()["TransitGateway"]["TransitGatewayId"],
        "pcx": lambda: ec2.create_vpc_peering_connection(VpcId=vpc, PeerVpcId=other)["VpcPeeringConnection"][
            "VpcPeeringConnectionId"
        ],
        "eni": lambda: ec2.create_network_interface(SubnetId=subnet)["NetworkInterface"]["NetworkInterfaceId"],
        "eigw": lambda: ec2.create_egress_only_internet_gateway(VpcId=vpc)["EgressOnlyInternetGateway"][
            "EgressOnlyInternetGatewayId"
        ],
        "pl": lambda: ec2.create_managed_prefix_list(PrefixListName="one", MaxEntries=1, AddressFamily="IPv4")["PrefixList"][
            "PrefixListId"
        ],
        "vpce": lambda: ec2.create_vpc_endpoint(
            VpcId=vpc,
            VpcEndpointType="GatewayLoadBalancer",
            ServiceName="com.amazonaws.vpce.eu-central-1.vpce-svc-0123456789abcdef0",
            SubnetIds=[subnet],
        )["VpcEndpoint"]["VpcEndpointId"],
    }
    return {f"{name}-{number}": make() for name, make in makers.items() for number in (0, 1)}


def routes_to(number, **targets):
    return [
        {"destination": f"192.168.{at}.0/24", name: f"{target}-{number}"}
        for at, (name, target) in enumerate(targets.items())
    ]


TARGETS = {"nat_gateway": "nat", "transit_gateway": "tgw", "peering": "pcx", "interface": "eni"}
# Each in the place of the one before it.
TURNED = dict(zip(list(TARGETS)[1:] + list(TARGETS)[:1], list(TARGETS.values())[1:] + list(TARGETS.values())[:1]))
DESTINATIONS = ("destination", "destination6", "prefix_list")

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
    members={
        "destinations": Members(
            "routes",
            first=[
                {"destination": "192.168.10.0/24", "vpn_gateway": Ref("aws.vpn_gateway.home")},
                {"destination6": "2001:db8::/32", "internet_gateway": Ref("aws.internet_gateway.home")},
            ],
            second=[
                {"destination6": "2001:db8:1::/48", "internet_gateway": Ref("aws.internet_gateway.home")},
                {"destination6": "2001:db8:2::/48", "vpn_gateway": Ref("aws.vpn_gateway.home")},
            ],
            keys=DESTINATIONS,
        ),
        "targets": Members(
            "routes",
            first=[*routes_to(0, **TARGETS), {"destination6": "::/0", "egress_only_gateway": "eigw-0"}],
            second=[*routes_to(1, **TARGETS), {"destination6": "::/0", "egress_only_gateway": "eigw-1"}],
            keys=DESTINATIONS,
        ),
        "other targets": Members(
            "routes",
            first=[
                *routes_to(0, **TARGETS),
                {"destination6": "::/0", "egress_only_gateway": "eigw-0"},
                {"prefix_list": "pl-0", "nat_gateway": "nat-0"},
                {"prefix_list": "pl-1", "nat_gateway": "nat-0"},
                # moto cannot lead a route that is there to one.
                {"destination": "192.168.10.0/24", "endpoint": "vpce-0"},
                {"destination": "192.168.11.0/24", "endpoint": "vpce-0"},
            ],
            second=[
                *routes_to(0, **TURNED),
                {"destination6": "::/0", "internet_gateway": Ref("aws.internet_gateway.home")},
                {"prefix_list": "pl-1", "nat_gateway": "nat-0"},
                {"destination": "192.168.9.0/24", "nat_gateway": "nat-0"},
                {"destination": "192.168.12.0/24", "endpoint": "vpce-1"},
                {"destination": "192.168.13.0/24", "nat_gateway": "nat-0"},
            ],
            keys=DESTINATIONS,
        ),
    },
    made=make_targets,
    only_on_moto=dict.fromkeys(("targets", "other targets"), "the simulator has no such things"),
    untried_members={
        "changed routes.*.internet_gateway": "a VPC has but one",
        "changed routes.*.vpn_gateway": "a VPC has but one",
    },
    not_on_moto={"propagation": "EnableVgwRoutePropagation is missing"},
    read=read,
    remove=remove,
)
