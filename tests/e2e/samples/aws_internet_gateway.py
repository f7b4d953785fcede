from samples import CLEARED, Change, Sample, Unset
from trueup_runner import Ref, found, tags_of


def read(cloud, identity):
    answer = found(
        lambda: cloud.client().describe_internet_gateways(InternetGatewayIds=[identity]),
        "InvalidInternetGatewayID.NotFound",
    )
    if not answer:
        return None
    gateway = answer["InternetGateways"][0]
    attached = [each["VpcId"] for each in gateway["Attachments"] if each["State"] in ("available", "attached")]
    return {"vpc": attached[0] if attached else None, "tags": tags_of(gateway.get("Tags"))}


def remove(cloud, identity):
    ec2 = cloud.client()
    attached = read(cloud, identity)["vpc"]
    if attached:
        ec2.detach_internet_gateway(InternetGatewayId=identity, VpcId=attached)
    ec2.delete_internet_gateway(InternetGatewayId=identity)


SAMPLE = Sample(
    kind="aws.internet_gateway",
    simulated="internet-gateway",
    needs={"aws.vpc": {"home": {"cidr": "10.20.0.0/16"}, "away": {"cidr": "10.30.0.0/16"}}},
    values={"vpc": Ref("aws.vpc.home"), "tags": {"team": "research"}},
    in_place={"vpc": Change(Ref("aws.vpc.away")), "tags": Change({"team": "operations"})},
    unset={"vpc": Unset(CLEARED), "tags": Unset({})},
    read=read,
    remove=remove,
)
