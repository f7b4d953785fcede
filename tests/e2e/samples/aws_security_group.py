from samples import CLEARED, KEPT, Alike, Change, Members, Sample, Unset
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


# Of a rule only what is said about it changes in place.
KEYS = ("protocol", "from_port", "to_port", "cidr", "cidr6", "group", "prefix_list")


def members(field, sources, others):
    """Rules of one kind of source each, then of another; then their descriptions go, which alone change in place."""
    return Members(
        field,
        first=[
            {"protocol": "tcp", "from_port": 80 + number, "to_port": 80 + number, "description": "one", **source}
            for number, source in enumerate(sources)
        ],
        second=[
            {"protocol": "udp", "from_port": 90 + number, "to_port": 95 + number, "description": "two", **source}
            for number, source in enumerate(others)
        ],
        unset={f"{number}.description": CLEARED for number in range(len(others))},
        keys=KEYS,
    )


# No two of them can stand in one rule. The simulated region has these prefix lists.
ONE = [
    {"cidr": "10.0.0.0/8"},
    {"cidr6": "fd00::/8"},
    {"group": Ref("aws.security_group.peer")},
    {"prefix_list": "pl-0123456789abcdef0"},
]
OTHER = [
    {"cidr": "10.0.0.0/16"},
    {"cidr6": "fd00::/16"},
    {"group": Ref("aws.security_group.third")},
    {"prefix_list": "pl-0fedcba9876543210"},
]



def without_ports(field):
    """Each source in place of another."""
    return Members(
        field,
        first=[{"protocol": "tcp", "from_port": 80, "to_port": 80, **source} for source in ONE],
        second=[{"protocol": "all", **source} for source in [*OTHER[1:], OTHER[0]]],
        keys=KEYS,
    )


SAMPLE = Sample(
    kind="aws.security_group",
    simulated="security-group",
    needs={
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}, "away": {"cidr": "10.30.0.0/16"}},
        "aws.security_group": {
            name: {"name": name, "description": "the others", "vpc": Ref("aws.vpc.home")} for name in ("peer", "third")
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
    together=(("ingress", "egress"), ("ingress without ports", "egress without ports")),
    members={
        **{field: members(field, ONE, OTHER) for field in ("ingress", "egress")},
        **{f"{field} without ports": without_ports(field) for field in ("ingress", "egress")},
    },
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
