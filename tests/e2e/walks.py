"""Stacks that are drawn at random and changed at random, and are sound all the same.

A stack is {kind: {name: fields}}, as spec_text() takes it. Whatever was drawn or changed is mended, kind by kind: what
refers to nothing goes, and so does what there would be twice.
"""

import copy
import random

from conftest import REGION
from trueup_runner import Ref

IMAGES = ("ami-0123456789abcdef0", "ami-0fedcba9876543210")
TYPES = ("t3.micro", "t3.large")
# Made for these tests alone.
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cEJHmzLkzGEpZgKTjEvMpgLRzYlTvbJSk7Zo0LLUd"


class Walk:
    """The stack, and what it becomes step by step."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.stack = {kind: {} for kind in KINDS}
        for kind, (_, draw, most) in KINDS.items():
            for _ in range(self.random.randint(1 if kind in ("aws.vpc", "aws.subnet") else 0, most)):
                self._add(kind, draw)
        self._mend()

    def perhaps(self, odds):
        return self.random.random() < odds

    def one_of(self, choices):
        choices = list(choices)
        return self.random.choice(choices) if choices else None

    def some_of(self, choices, most):
        choices = list(choices)
        return self.random.sample(choices, self.random.randint(0, min(most, len(choices))))

    def name_of(self, kind):
        """Of one of the kind, or None."""
        return self.one_of(self.stack[kind])

    def within(self, kind, vpc):
        """The names of those of the kind that lie in the VPC, or are attached to it."""
        return [name for name, fields in self.stack[kind].items() if vpc and home(self.stack, fields) == vpc]

    def step(self):
        """Changes a few objects, takes some away, makes some, and gives some another name, or each other's."""
        for _ in range(self.one_of([1, 1, 2, 2, 3, 4])):
            kind = self.one_of(KINDS)
            others = [self._drop, self._add, self._exchange, self._rename]
            change = self._redraw if self.perhaps(0.4) else self.one_of(others)
            change(kind, KINDS[kind][1])
        self._mend()

    def _draw(self, draw):
        """Tags come first: what they mention is then mentioned before it is used."""
        fields, tags = draw(self), {}
        if fields is None or draw is draw_scaling_group:
            return fields
        if self.perhaps(0.3):
            tags[self.one_of("abc")] = self.one_of("12")
        mentioned = self.one_of(["aws.vpc", "aws.subnet", "aws.security_group", "aws.instance"])
        if self.perhaps(0.1) and self.stack[mentioned]:
            tags["see"] = f"${{{mentioned}.{self.name_of(mentioned)}.id}}"
        return {"tags": tags, **fields} if tags else fields

    def _add(self, kind, draw):
        prefix, _, most = KINDS[kind]
        name = f"{prefix}{self.random.randint(0, most + 1)}"
        fields = self._draw(draw)
        if fields is not None and len(self.stack[kind]) < most:
            self.stack[kind].setdefault(name, fields)

    def _redraw(self, kind, draw):
        name, drawn = self.name_of(kind), self._draw(draw)
        if name is None or drawn is None:
            return
        if self.perhaps(0.25):
            self.stack[kind][name] = drawn
            return
        fields = self.stack[kind][name]
        for field in self.some_of({**fields, **drawn}, 2):
            fields.pop(field, None)
            if field in drawn:
                fields[field] = drawn[field]

    def _drop(self, kind, _):
        if len(self.stack[kind]) > (kind == "aws.vpc"):
            del self.stack[kind][self.name_of(kind)]

    def _exchange(self, kind, _):
        names = self.some_of(self.stack[kind], 2)
        if len(names) == 2:
            first, second = names
            objects = self.stack[kind]
            objects[first], objects[second] = objects[second], objects[first]

    def _rename(self, kind, _):
        old, new = self.name_of(kind), f"{KINDS[kind][0]}{self.random.randint(0, 9)}"
        if old is not None and new not in self.stack[kind]:
            self.stack = renamed(self.stack, f"{kind}.{old}", f"{kind}.{new}")
            self.stack[kind][new] = self.stack[kind].pop(old)

    def _mend(self):
        mended, taken = {kind: {} for kind in KINDS}, set()
        for kind in KINDS:
            for name, fields in copy.deepcopy(self.stack[kind]).items():
                if MENDED[kind](mended, fields, lambda *thing: not (thing in taken or taken.add(thing))):
                    mended[kind][name] = fields
        mend_rules(mended)
        self.stack = mended
        addresses = {f"{kind}.{name}": number for number, kind in enumerate(KINDS) for name in mended[kind]}
        for number, kind in enumerate(KINDS):
            for fields in mended[kind].values():
                # Only of what comes before it, so that nothing waits for itself.
                see = fields.get("tags", {}).get("see")
                if see and addresses.get(see[2:-4], number) >= number:
                    del fields["tags"]["see"]


def renamed(value, old, new):
    if isinstance(value, dict):
        return {key: renamed(each, old, new) for key, each in value.items()}
    if isinstance(value, list):
        return [renamed(each, old, new) for each in value]
    if isinstance(value, Ref):
        return Ref(new) if value == old else value
    return value.replace(f"{old}.", f"{new}.") if isinstance(value, str) else value


def fields_at(stack, reference):
    """Of what the reference leads to; empty: there is no such thing."""
    kind, _, name = (reference or "..").rpartition(".")
    return stack.get(kind, {}).get(name, {})


def home(stack, fields):
    """The VPC that it lies in, or is attached to; None: it is in none, or that is not there."""
    vpc = fields.get("vpc") or fields_at(stack, fields.get("subnet")).get("vpc")
    return vpc if fields_at(stack, vpc) else None


def fit(stack, fields, name, vpc):
    """Leaves of the references in that field those that lead into the VPC; without any the field goes."""
    kept = [each for each in fields.get(name, []) if home(stack, fields_at(stack, each)) == vpc]
    fields.pop(name, None)
    if kept:
        fields[name] = kept


def refs(kind, names):
    return [Ref(f"{kind}.{name}") for name in names]


def ref(walk, kind):
    name = walk.name_of(kind)
    return None if name is None else Ref(f"{kind}.{name}")


def draw_vpc(walk):
    octet = walk.one_of([20, 30, 40])
    fields = {"cidr": f"10.{octet}.0.0/16", "ipv6": walk.perhaps(0.4)}
    if walk.perhaps(0.4):
        fields["secondary_cidrs"] = [f"10.{octet + more}.0.0/16" for more in walk.some_of((1, 2, 3), 2)]
    return fields


def mend_vpc(_, fields, claim):
    octet = int(fields["cidr"].split(".")[1])
    further = [each for each in fields.get("secondary_cidrs", []) if octet < int(each.split(".")[1]) < octet + 4]
    fields.pop("secondary_cidrs", None)
    if further:
        fields["secondary_cidrs"] = further
    return claim("vpc", octet)


def draw_subnet(walk):
    vpc = ref(walk, "aws.vpc")
    if vpc is None:
        return None
    home = fields_at(walk.stack, vpc)
    within = walk.one_of([home["cidr"], *home.get("secondary_cidrs", [])])
    fields = {
        "vpc": vpc,
        "cidr": within.replace(".0.0/16", f".{walk.random.randint(0, 5)}.0/24"),
        "zone": REGION + walk.one_of("ab"),
    }
    if home["ipv6"] and walk.perhaps(0.5):
        fields["ipv6_cidr"] = f"${{cidr_subnet({vpc}.ipv6_cidr, 8, {walk.random.randint(0, 5)})}}"
    return fields


def mend_subnet(stack, fields, claim):
    vpc = fields_at(stack, fields["vpc"])
    ranges = [vpc["cidr"], *vpc.get("secondary_cidrs", [])] if vpc else []
    octets = [each.split(".")[1] for each in ranges]
    if octets and fields["cidr"].split(".")[1] not in octets:
        fields["cidr"] = ".".join(["10", octets[0], *fields["cidr"].split(".")[2:]])
    if not vpc.get("ipv6"):
        fields.pop("ipv6_cidr", None)
    elif "ipv6_cidr" in fields:
        fields["ipv6_cidr"] = f"${{cidr_subnet({fields['vpc']}.ipv6_cidr," + fields["ipv6_cidr"].split(",", 1)[1]
        if not claim("range6", fields["ipv6_cidr"]):
            del fields["ipv6_cidr"]
    return bool(vpc) and claim("range", fields["vpc"], fields["cidr"])


def draw_group(walk):
    vpc = ref(walk, "aws.vpc")
    if vpc is None:
        return None
    fields = {"vpc": vpc, "name": walk.one_of(["web", "data", "app"]), "description": walk.one_of(["one", "two"])}
    for side in walk.some_of(["ingress", "egress"], 2):
        fields[side] = []
        for port in walk.some_of([22, 80, 443], 3):
            others = refs("aws.security_group", walk.within("aws.security_group", vpc))
            peer = {"group": walk.one_of(others)} if others and walk.perhaps(0.5) else {"cidr": "10.0.0.0/8"}
            fields[side].append({"protocol": "tcp", "from_port": port, "to_port": port, **peer})
    return fields


def mend_group(stack, fields, claim):
    return bool(fields_at(stack, fields["vpc"])) and claim("group", fields["vpc"], fields["name"])


def mend_rules(stack):
    """Once all groups are there, as two may name each other."""
    for fields in stack["aws.security_group"].values():
        for side in ("ingress", "egress"):
            if side in fields:
                peers = {each.get("group"): fields_at(stack, each.get("group")) for each in fields[side]}
                fields[side] = [
                    each for each in fields[side] if "group" not in each or peers[each["group"]].get("vpc") == fields["vpc"]
                ]


def draw_gateway(walk):
    return {"vpc": ref(walk, "aws.vpc")} if walk.perhaps(0.85) else {}


def draw_vpn_gateway(walk):
    return {**draw_gateway(walk), "asn": walk.one_of([64600, 64700])}


def mend_gateway(kind):
    def mend(stack, fields, claim):
        if "vpc" in fields and not (fields_at(stack, fields["vpc"]) and claim(kind, fields["vpc"])):
            del fields["vpc"]
        return True

    return mend


def draw_customer_gateway(walk):
    return {"address": f"198.51.100.{walk.random.randint(1, 4)}", "asn": walk.one_of([65010, 65020])}


def mend_customer_gateway(_, fields, claim):
    return claim("customer", fields["address"])


def draw_connection(walk):
    ends = {"vpn_gateway": ref(walk, "aws.vpn_gateway"), "customer_gateway": ref(walk, "aws.customer_gateway")}
    if None in ends.values():
        return None
    if walk.perhaps(0.5):
        return {**ends, "static_routes_only": True, "routes": [f"192.168.{each}.0/24" for each in walk.some_of(range(4), 3)]}
    return {**ends, "static_routes_only": False}


def mend_connection(stack, fields, claim):
    if not fields["static_routes_only"]:
        fields.pop("routes", None)
    whole = fields_at(stack, fields["vpn_gateway"]) and fields_at(stack, fields["customer_gateway"])
    return bool(whole) and claim("connection", fields["customer_gateway"])


def draw_key(walk):
    return {"name": walk.one_of(["kone", "ktwo", "kthree"]), "public_key": PUBLIC_KEY}


def draw_template(walk):
    fields = {"name": walk.one_of(["lone", "ltwo"]), "image": walk.one_of(IMAGES), "instance_type": walk.one_of(TYPES)}
    vpc = ref(walk, "aws.vpc")
    groups = walk.some_of(refs("aws.security_group", walk.within("aws.security_group", vpc)), 2)
    if groups:
        fields["security_groups"] = groups
    if walk.stack["aws.key_pair"] and walk.perhaps(0.4):
        fields["key"] = ref(walk, "aws.key_pair")
    return fields


def mend_key(stack, fields):
    if not fields_at(stack, fields.get("key")):
        fields.pop("key", None)


def mend_template(stack, fields, claim):
    mend_key(stack, fields)
    homes = [home(stack, fields_at(stack, each)) for each in fields.get("security_groups", [])]
    fit(stack, fields, "security_groups", next((each for each in homes if each), ""))
    return claim("template", fields["name"])


def draw_scaling_group(walk):
    """It runs nothing: what was launched would keep what the template and the group no longer name."""
    subnets = refs("aws.subnet", walk.within("aws.subnet", ref(walk, "aws.vpc")))
    if not subnets or not walk.stack["aws.launch_template"]:
        return None
    return {
        "name": walk.one_of(["fone", "ftwo"]),
        "launch_template": ref(walk, "aws.launch_template"),
        "subnets": walk.some_of(subnets, 2) or subnets[:1],
        **{"min": 0, "max": 3, "desired": 0},
    }


def mend_scaling_group(stack, fields, claim):
    template = fields_at(stack, fields["launch_template"])
    groups = template.get("security_groups", [])
    vpc = home(stack, fields_at(stack, (groups or fields["subnets"])[0]))
    by_zone = {fields_at(stack, each).get("zone"): each for each in fields["subnets"]}
    fields["subnets"] = list(by_zone.values())
    fit(stack, fields, "subnets", vpc)
    return bool(template and vpc and "subnets" in fields) and claim("scaling group", fields["name"])


def draw_instance(walk):
    subnet = ref(walk, "aws.subnet")
    if subnet is None:
        return None
    fields = {"subnet": subnet, "image": walk.one_of(IMAGES), "instance_type": walk.one_of(TYPES)}
    groups = refs("aws.security_group", walk.within("aws.security_group", home(walk.stack, fields)))
    if groups:
        fields["security_groups"] = walk.some_of(groups, 2) or groups[:1]
    if walk.perhaps(0.4):
        fields["address"] = f"0.0.0.{walk.random.randint(10, 14)}"
    if walk.perhaps(0.3):
        fields["source_dest_check"] = walk.perhaps(0.5)
    if walk.stack["aws.key_pair"] and walk.perhaps(0.3):
        fields["key"] = ref(walk, "aws.key_pair")
    if walk.perhaps(0.25):
        further = {"device_index": 1, "subnet": ref(walk, "aws.subnet")}
        if groups and walk.perhaps(0.5):
            further["security_groups"] = [walk.one_of(groups)]
        if walk.perhaps(0.5):
            further["address"] = f"0.0.0.{walk.random.randint(20, 24)}"
        fields["interfaces"] = [further]
    return fields


def mend_address(fields, subnet, claim):
    if "address" in fields:
        fields["address"] = subnet["cidr"].replace(".0/24", "." + fields["address"].rsplit(".", 1)[1])
        if not claim("address", subnet["vpc"], fields["address"]):
            del fields["address"]


def mend_instance(stack, fields, claim):
    subnet = fields_at(stack, fields["subnet"])
    if not subnet:
        return False
    mend_key(stack, fields)
    mend_address(fields, subnet, claim)
    fit(stack, fields, "security_groups", subnet["vpc"])
    for further in fields.get("interfaces", []):
        its = fields_at(stack, further["subnet"])
        if not its or (its["vpc"], its["zone"]) != (subnet["vpc"], subnet["zone"]):
            del fields["interfaces"]
            break
        mend_address(further, its, claim)
        fit(stack, further, "security_groups", subnet["vpc"])
    return True


def draw_table(walk):
    vpc = ref(walk, "aws.vpc")
    if vpc is None:
        return None
    fields = {"vpc": vpc, "routes": [], "subnets": walk.some_of(refs("aws.subnet", walk.within("aws.subnet", vpc)), 3)}
    for gateway in refs("aws.internet_gateway", walk.within("aws.internet_gateway", vpc)):
        fields["routes"].append({"destination": "0.0.0.0/0", "internet_gateway": gateway})
    for gateway in refs("aws.vpn_gateway", walk.within("aws.vpn_gateway", vpc)):
        fields["routes"].append({"destination": walk.one_of(["192.168.0.0/16", "172.16.0.0/12"]), "vpn_gateway": gateway})
        fields["propagation"] = walk.some_of([gateway], 1)
    for machine in walk.some_of(walk.within("aws.instance", vpc), 1):
        fields["routes"].append({"destination": "172.31.0.0/16", "interface": f"${{aws.instance.{machine}.interface}}"})
    fields["routes"] = walk.some_of(fields["routes"], 3)
    return fields


def mend_table(stack, fields, claim):
    vpc = fields["vpc"]

    def leads_on(route):
        by_interface = route.get("interface", "").removeprefix("${").removesuffix(".interface}")
        target = route.get("internet_gateway") or route.get("vpn_gateway") or by_interface
        return home(stack, fields_at(stack, target)) == vpc and claim("route", id(fields), route["destination"])

    fields["routes"] = [each for each in fields.get("routes", []) if leads_on(each)]
    fit(stack, fields, "subnets", vpc)
    fields["subnets"] = [each for each in fields.get("subnets", []) if claim("table of", each)]
    fit(stack, fields, "propagation", vpc)
    return bool(fields_at(stack, vpc))


def mend_named(kind):
    return lambda stack, fields, claim: claim(kind, fields["name"])


# {kind: (how its names begin, how one is drawn, how many there are at most)}; what refers to another comes after it.
KINDS = {
    "aws.vpc": ("v", draw_vpc, 2),
    "aws.subnet": ("s", draw_subnet, 5),
    "aws.security_group": ("g", draw_group, 4),
    "aws.internet_gateway": ("i", draw_gateway, 2),
    "aws.vpn_gateway": ("y", draw_vpn_gateway, 2),
    "aws.customer_gateway": ("c", draw_customer_gateway, 2),
    "aws.vpn_connection": ("o", draw_connection, 2),
    "aws.key_pair": ("k", draw_key, 2),
    "aws.launch_template": ("l", draw_template, 2),
    "aws.autoscaling_group": ("a", draw_scaling_group, 2),
    "aws.instance": ("m", draw_instance, 4),
    "aws.route_table": ("r", draw_table, 3),
}
MENDED = {
    "aws.vpc": mend_vpc,
    "aws.subnet": mend_subnet,
    "aws.security_group": mend_group,
    "aws.internet_gateway": mend_gateway("internet gateway"),
    "aws.vpn_gateway": mend_gateway("vpn gateway"),
    "aws.customer_gateway": mend_customer_gateway,
    "aws.vpn_connection": mend_connection,
    "aws.key_pair": mend_named("key"),
    "aws.launch_template": mend_template,
    "aws.autoscaling_group": mend_scaling_group,
    "aws.instance": mend_instance,
    "aws.route_table": mend_table,
}
