"""The network interfaces of an instance: where each member is read, and values of all of them."""

import ipaddress

from samples import launch, picked
from trueup_runner import Expression, Ref

# Those that one names are no number of the subnet's choice; the first one, which is taken away, is nobody's for ever.
NO_CHOICE6 = {"address6_count": None, "primary_ipv6": None}


# Only a type with several network cards takes an interface for each.
CLUSTER = {
    "instance_type": "p5.48xlarge",
    "credits": None,
    "cpu": None,
    **dict.fromkeys(("subnet", "security_groups", "source_dest_check", "address", "address6_count", "primary_ipv6")),
}


def interface(card, type, description, further=None):
    return {
        "device_index": 1 if card else 0,
        "network_card": card,
        "type": type,
        "subnet": Ref("aws.subnet.a"),
        "security_groups": [Ref("aws.security_group.one")],
        "description": description,
        "delete_on_termination": True,
        **(further or {}),
    }


OTHER_GROUPS = {"security_groups": [Ref("aws.security_group.one"), Ref("aws.security_group.two")]}


def first_of(interfaces):
    """The listing is in no order."""
    [first] = [
        each for each in interfaces if (each["Attachment"]["DeviceIndex"], each["Attachment"].get("NetworkCardIndex", 0)) == (0, 0)
    ]
    return first


def described(interface):
    """What is told of an interface, as far as it is what was said of it."""
    attachment = interface["Attachment"]
    told = {
        "device_index": attachment["DeviceIndex"],
        "network_card": attachment.get("NetworkCardIndex"),
        "type": interface["InterfaceType"],
        "subnet": interface["SubnetId"],
        "security_groups": [group["GroupId"] for group in interface["Groups"]],
        "description": interface["Description"],
        "delete_on_termination": attachment["DeleteOnTermination"],
    }
    if interface.get("Ipv4Prefixes"):
        told["prefixes"] = [each["Ipv4Prefix"] for each in interface["Ipv4Prefixes"]]
    return told


ADDRESSED = {
    "addresses": ("PrivateIpAddresses", {"address": "PrivateIpAddress", "primary": "Primary"}),
    "address": "PrivateIpAddress",
    **launch.paths(launch.ENA, within="Attachment."),
    "tcp_timeout_s": "ConnectionTrackingConfiguration.TcpEstablishedTimeout",
    "udp_timeout_s": "ConnectionTrackingConfiguration.UdpTimeout",
    "udp_stream_timeout_s": "ConnectionTrackingConfiguration.UdpStreamTimeout",
}


def interfaces_of(cloud, identity):
    """All that is told of them."""
    [reservation] = cloud.client().describe_instances(InstanceIds=[identity])["Reservations"]
    return [
        {
            **described(each),
            **addresses6(each),
            **picked(each, ADDRESSED),
            "secondary_addresses": len(each.get("PrivateIpAddresses", [])) - 1,
            "public_address": "PublicIp" in each.get("Association", {}),
            "prefixes": [one["Ipv4Prefix"] for one in each.get("Ipv4Prefixes", [])],
            "prefix_count": len(each.get("Ipv4Prefixes", [])),
            "prefixes6": [part(one["Ipv6Prefix"]) for one in each.get("Ipv6Prefixes", [])],
            "prefix6_count": len(each.get("Ipv6Prefixes", [])),
        }
        for each in reservation["Instances"][0]["NetworkInterfaces"]
    ]


def part(prefix):
    """The expression that a prefix of the first subnet's range is the value of."""
    number = int(ipaddress.ip_network(prefix)[0]) >> 48 & 0xFFFF
    return Expression(f"${{cidr_subnet(aws.subnet.a.ipv6_cidr, 16, {number})}}")


def prefix6(number):
    return Expression(f"${{cidr_subnet(aws.subnet.a.ipv6_cidr, 16, {number})}}")


def host(number):
    """An address in the first of these subnets."""
    return Expression(f"${{cidr_host(aws.subnet.a.ipv6_cidr, {number})}}")


# {member: (its path, a value, another one)}: of an interface that is alone, with addresses that are counted,
ALONE = {
    "type": (None, "interface", "efa"),
    "subnet": (None, Ref("aws.subnet.a"), Ref("aws.subnet.b")),
    "security_groups": (None, [Ref("aws.security_group.one")], [Ref("aws.security_group.two")]),
    "description": (None, "front", "back"),
    "delete_on_termination": (None, True, False),
    "public_address": (None, True, False),
    "carrier_address": (None, True, False),
    "address": (None, "10.20.0.10", "10.20.16.10"),
    "secondary_addresses": (None, 1, 2),
    "address6_count": (None, 1, 2),
    "primary_ipv6": (None, True, False),
    "prefix_count": (None, 1, 2),
    "prefix6_count": (None, 1, 2),
    **launch.ENA,
    **launch.TIMEOUTS,
}
# and with those that are named.
NAMED = {
    "addresses": (
        None,
        [{"address": "10.20.0.20", "primary": True}, {"address": "10.20.0.21", "primary": False}],
        [{"address": "10.20.0.20", "primary": False}, {"address": "10.20.0.22", "primary": True}],
    ),
    "addresses6": (None, [host(10), host(11)], [host(12)]),
    "prefixes": (None, ["10.20.8.0/28"], ["10.20.9.0/28"]),
    "prefixes6": (None, [prefix6(1)], [prefix6(2)]),
}
LAID = {"subnet": Ref("aws.subnet.a"), "security_groups": [Ref("aws.security_group.one")]}


def addresses6(interface):
    """What is told of an interface's IPv6 addresses; those that nobody chose are of any number."""
    told = interface["Ipv6Addresses"]
    numbers = [int(ipaddress.ip_address(each["Ipv6Address"])) % 2**64 for each in told]
    return {
        "addresses6": [host(number) for number in numbers],
        "address6_count": len(told),
        "primary_ipv6": any(each.get("IsPrimaryIpv6") for each in told),
    }
