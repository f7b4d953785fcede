from samples import CLEARED, KEPT, Alike, Change, Sample, Unset
from trueup_runner import Ref, found, tags_of

SOURCES = [
    ("IpRanges", "CidrIp", "cidr"),
    ("Ipv6Ranges", "CidrIpv6", "cidr6"),
    ("UserIdGroupPairs", "GroupId", "group"),
    ("PrefixListIds", "PrefixListId", "prefix_list"),
]


def rules_of(permissions):
    """One rule for each source, as a spec has them."""
    rules = []
    for permission in permissions:
        for listed, member, name in SOURCES:
            for pair in permission.get(listed, []):
                every = permission["IpProtocol"] == "-1"
                rule = {"protocol": "all" if every else permission["IpProtocol"], name: pair[member]}
                # Protocols without a name have no ports.
                if not every and "FromPort" in permission:
                    rule.update(from_port=permission["FromPort"], to_port=permission["ToPort"])
                if pair.get("Description"):
                    rule["description"] = pair["Description"]
                rules.append(rule)
    return sorted(rules, key=lambda each: sorted(map(str, each.items())))


def read(cloud, identity):
    answer = found(lambda: cloud.client().describe_security_groups(GroupIds=[identity]), "InvalidGroup.NotFound")
    if not answer:
        return None
    group = answer["SecurityGroups"][0]
    return {
        "name": group["GroupName"],
        "description": group["Description"],
        "vpc": group["VpcId"],
        "ingress": rules_of(group["IpPermissions"]),
        "egress": rules_of(group["IpPermissionsEgress"]),
        "tags": tags_of(group.get("Tags")),
    }


SSH = {"protocol": "tcp", "from_port": 22, "to_port": 22, "cidr": "10.0.0.0/8", "description": "from within"}
WEB = {"protocol": "tcp", "from_port": 443, "to_port": 443, "cidr6": "::/0"}
PEERS = {"protocol": "udp", "from_port": 4789, "to_port": 4790, "group": Ref("aws.security_group.peer")}
PING = {"protocol": "icmp", "from_port": 8, "to_port": -1, "cidr": "10.0.0.0/8"}
OUT = {"protocol": "all", "cidr": "0.0.0.0/0"}
# Protocols and ports in other words than AWS's own.
ALIKE = [
    ({"protocol": "6", "from_port": 22}, {"protocol": "tcp", "from_port": 22, "to_port": 22}),
    ({"protocol": "17", "from_port": 0, "to_port": 65535}, {"protocol": "udp", "from_port": 0, "to_port": 65535}),
    ({"protocol": "1"}, {"protocol": "icmp", "from_port": -1, "to_port": -1}),
    ({"protocol": "icmp", "from_port": 8}, {"protocol": "icmp", "from_port": 8, "to_port": -1}),
    ({"protocol": "58"}, {"protocol": "icmpv6", "from_port": -1, "to_port": -1}),
    ({"protocol": "50", "from_port": 0, "to_port": 0}, {"protocol": "50"}),
    ({"protocol": "51", "from_port": -1, "to_port": -1}, {"protocol": "51"}),
]
EVERY_PORT = [{}, {"from_port": 0, "to_port": 0}, {"from_port": -1, "to_port": -1}, {"from_port": 0, "to_port": 65535}]


def spread(rules):
    """Each with a source of its own."""
    return [{**rule, "cidr": f"10.{number}.0.0/16"} for number, rule in enumerate(rules)]

SAMPLE = Sample(
    kind="aws.security_group",
    simulated="security-group",
    needs={
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}, "away": {"cidr": "10.30.0.0/16"}},
        "aws.security_group": {
            "peer": {"name": "peer", "description": "the others", "vpc": Ref("aws.vpc.home")},
        },
    },
    values={
        "name": "main",
        "description": "what is tried",
        "vpc": Ref("aws.vpc.home"),
        "ingress": [SSH, WEB, PEERS, PING],
        "egress": [OUT],
        "tags": {"team": "research"},
    },
    in_place={
        # One goes, one gets another text, one comes.
        "ingress": Change([{**SSH, "description": "from the office"}, PEERS, PING, {**WEB, "from_port": 80, "to_port": 80}]),
        "egress": Change([{"protocol": "tcp", "from_port": 0, "to_port": 65535, "cidr": "10.0.0.0/8"}]),
        "tags": Change({"team": "research", "Name": "main"}),
    },
    replaces={
        "name": Change("other"),
        "description": Change("what is tried again"),
        "vpc": Change(Ref("aws.vpc.away"), given={"ingress": [SSH]}),
    },
    unset_members={"ingress.0.description": Unset(CLEARED)},
    unset={"ingress": Unset([]), "egress": Unset(KEPT), "tags": Unset({})},
    alike={
        "ingress": Alike(spread(canonical for _, canonical in ALIKE), spread(given for given, _ in ALIKE)),
        "egress": Alike(
            spread({"protocol": "all"} for _ in EVERY_PORT),
            spread({"protocol": name, **ports} for name, ports in zip(("all", "-1", "all", "-1"), EVERY_PORT)),
        ),
    },
    read=read,
    remove=lambda cloud, identity: cloud.client().delete_security_group(GroupId=identity),
)
