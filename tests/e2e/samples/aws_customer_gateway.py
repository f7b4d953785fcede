from samples import KEPT, REPLACED, Change, Sample, Unset
from trueup_runner import found, tags_of


def read(cloud, identity):
    answer = found(
        lambda: cloud.client().describe_customer_gateways(CustomerGatewayIds=[identity]),
        "InvalidCustomerGatewayID.NotFound",
        "InvalidCustomerGatewayId.NotFound",
    )
    if not answer or not answer["CustomerGateways"] or answer["CustomerGateways"][0]["State"] in ("deleting", "deleted"):
        return None
    gateway = answer["CustomerGateways"][0]
    return {
        "address": gateway.get("IpAddress"),
        "asn": int(gateway["BgpAsn"]),
        "certificate": gateway.get("CertificateArn"),
        "device_name": gateway.get("DeviceName"),
        "tags": tags_of(gateway.get("Tags")),
    }


SAMPLE = Sample(
    kind="aws.customer_gateway",
    simulated="customer-gateway",
    values={
        "address": "203.0.113.7",
        "asn": 64999,
        "certificate": "arn:aws:acm:eu-central-1:123456789012:certificate/12345678-90ab-cdef-1234-567890abcdef",
        "device_name": "edge-1",
        "tags": {"site": "office"},
    },
    in_place={"tags": Change({"site": "office", "rack": "7"})},
    replaces={
        "address": Change("203.0.113.8"),
        "asn": Change(65010),
        "certificate": Change(
            "arn:aws:acm:eu-central-1:123456789012:certificate/22345678-90ab-cdef-1234-567890abcdef"
        ),
        "device_name": Change("edge-2"),
    },
    unset={
        "address": Unset(REPLACED),
        "asn": Unset(KEPT),
        "certificate": Unset(REPLACED),
        "device_name": Unset(REPLACED),
        "tags": Unset({}),
    },
    not_on_moto={
        "certificate": "CreateCustomerGateway drops it",
        "device_name": "CreateCustomerGateway drops it",
    },
    moto_lacks={"unset address": "CreateCustomerGateway drops the certificate, and one of the two is needed"},
    read=read,
    remove=lambda cloud, identity: cloud.client().delete_customer_gateway(CustomerGatewayId=identity),
)
