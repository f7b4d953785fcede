from samples import CLEARED, KEPT, Change, Sample, Unset
from trueup_runner import Ref, found, tags_of


def read(cloud, identity):
    ec2 = cloud.client()
    answer = found(lambda: ec2.describe_vpn_gateways(VpnGatewayIds=[identity]), "InvalidVpnGatewayID.NotFound")
    if not answer or not answer["VpnGateways"] or answer["VpnGateways"][0].get("State") in ("deleting", "deleted"):
        return None
    gateway = answer["VpnGateways"][0]
    attached = [each["VpcId"] for each in gateway.get("VpcAttachments", []) if each["State"] == "attached"]
    return {
        "vpc": attached[0] if attached else None,
        "asn": gateway.get("AmazonSideAsn"),
        "propagate_to": sorted(
            table["RouteTableId"]
            for table in ec2.describe_route_tables()["RouteTables"]
            if any(each["GatewayId"] == identity for each in table.get("PropagatingVgws", []))
        ),
        "tags": tags_of(gateway.get("Tags")),
    }


def is_detached(ec2, identity):
    attachments = ec2.describe_vpn_gateways(VpnGatewayIds=[identity])["VpnGateways"][0].get("VpcAttachments", [])
    return all(each["State"] == "detached" for each in attachments)


def remove(cloud, identity):
    ec2 = cloud.client()
    attached = read(cloud, identity)["vpc"]
    if attached:
        ec2.detach_vpn_gateway(VpnGatewayId=identity, VpcId=attached)
        cloud.wait_for(lambda: is_detached(ec2, identity))
    ec2.delete_vpn_gateway(VpnGatewayId=identity)


SAMPLE = Sample(
    kind="aws.vpn_gateway",
    simulated="vpn-gateway",
    needs={
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}, "away": {"cidr": "10.30.0.0/16"}},
        "aws.route_table": {"a": {"vpc": Ref("aws.vpc.home")}, "b": {"vpc": Ref("aws.vpc.home")}},
    },
    values={
        "vpc": Ref("aws.vpc.home"),
        "asn": 64600,
        "zone": "eu-central-1a",
        "propagate_to": [Ref("aws.route_table.a")],
        "tags": {"team": "research"},
    },
    in_place={
        "vpc": Change(Ref("aws.vpc.away"), given={"propagate_to": []}),
        "propagate_to": Change([Ref("aws.route_table.b")]),
        "tags": Change({"team": "operations"}),
    },
    replaces={"asn": Change(64601), "zone": Change("eu-central-1b")},
    unset={
        "vpc": Unset(CLEARED, given={"propagate_to": []}),
        "asn": Unset(KEPT),
        "zone": Unset(KEPT),
        "propagate_to": Unset([]),
        "tags": Unset({}),
    },
    unreadable={"zone": "DescribeVpnGateways does not tell it"},
    not_on_moto={"propagate_to": "EnableVgwRoutePropagation is missing"},
    read=read,
    remove=remove,
)
