"""The members of fields, however deep: each set, changed and taken away, many at once."""

import copy
import dataclasses
import re

import pytest

from samples import CLEARED, KEPT
from test_conformance import (  # noqa: F401
    ELSEWHERE,
    META_FIELDS,
    SAMPLES,
    at_path,
    in_order,
    kinds_of,
    on,
    trial,
    with_ids,
)
from trueup_runner import Plan, apply, ids_of, plan_is_empty


def is_objects(value):
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)


def settled(value):
    """Texts and numbers in an order of their own; objects are told apart by their keys, or by their place."""
    if isinstance(value, dict):
        return {name: settled(each) for name, each in value.items()}
    if is_objects(value):
        return [settled(each) for each in value]
    return in_order(value)


def pairs_of(before, after, keys=()):
    """Items of two lists that are one item, or one of them None; those that are in both as they are come first."""
    rest = [each for each in after if each not in before]
    pairs = [(each, each) for each in before if each in after]
    for each in (each for each in before if each not in after):
        like = [other for other in rest if all(each.get(key) == other.get(key) for key in keys)]
        pairs.append((each, like[0] if like else None))
        if like:
            rest.remove(like[0])
    return pairs + [(None, each) for each in rest]


def differing(before, after, path, keys=(), planned=False):
    """Paths of the members in which two values differ: {"block_devices.*.iops"}.

    What a plan sets leaves out what the spec does not say and stays as it is; what goes is null there.
    """
    before, after = settled(before), settled(after)
    if before == after:
        return set()
    if isinstance(before, dict) or isinstance(after, dict):
        before, after = before or {}, after or {}
        names = [name for name in {**before, **after} if not (planned and after) or name in after]
        return set().union(
            *(differing(before.get(name), after.get(name), f"{path}.{name}", keys, planned) for name in names)
        )
    if is_objects(before) or is_objects(after):
        pairs = pairs_of(before or [], after or [], keys)
        return set().union(*(differing(*pair, f"{path}.*", keys, planned) for pair in pairs))
    return {path}


def told_by(action, keys_of):
    """Paths of the members that a plan says will change."""
    told = set()
    for change in action.changes:
        path = re.sub(r"\[[^]]*\]", ".*", change["path"])
        keys = keys_of[path.partition(".")[0]]
        if change["effect"] == "release":
            told.add(path)
        else:
            told |= differing(change["before"], change["after"], path, keys, planned=change["effect"] == "set")
    return told


def within(live, said, keys):
    """As much of what is live as is said in the spec."""
    if isinstance(said, dict):
        return {name: within((live or {}).get(name), each, keys) for name, each in said.items()}
    if is_objects(said):
        live = live or []
        names = [name for name in keys if any(name in each for each in said)]
        if not names:
            return [within(one, each, keys) for one, each in zip(live, said)] + live[len(said) :]
        # A card that is not said is the first.
        known = {tuple(one.get(name, 0) for name in names): one for one in live}
        return [within(known.get(tuple(each.get(name, 0) for name in names)), each, keys) for each in said]
    return settled(live)


def less(value, paths):
    """A value without the members at these paths."""
    left = copy.deepcopy(value)
    for path in paths:
        above, _, name = path.rpartition(".")
        del (at_path(left, above) if above else left)[name]
    return left


def readable(value, row):
    """A value without what no service tells of; an item of which only its keys are left is left out too."""
    if isinstance(value, dict):
        return {name: readable(each, row) for name, each in value.items() if name not in row.unreadable}
    if is_objects(value) and row.unreadable:
        return [readable(each, row) for each in value if set(each) - {*row.unreadable, *row.keys}]
    return value


class Trying:
    """Rows of a sample, being tried in one resource."""

    def __init__(self, tried, rows):
        self.tried, self.rows = tried, rows
        self.first = tried.identity()

    def live(self, row):
        detail = self.tried.sample.details.get(row.field)
        return detail(self.tried.cloud, self.first) if detail else self.tried.live().get(row.field)

    def check_live(self, row, said):
        live = self.live(row)
        if row.field in self.tried.sample.details or row.field not in self.tried.sample.unreadable:
            wanted = settled(with_ids(readable(said, row), ids_of(self.tried.stack)))
            assert (within(live, wanted, row.keys) if wanted else []) == wanted
            # Nothing else is there, but an image's own disks.
            assert not is_objects(wanted) or row.field in self.tried.sample.details or len(live) == len(wanted)
        return live

    def change(self, values, operation, expected):
        """The plan shows these members and nothing else."""
        self.tried.write({**self.tried.values, **values})
        # One run that tells its plan too: there are many rows.
        planned = Plan(0, apply(self.tried.stack, "--output", "json").json)
        assert planned.operations() == {self.tried.address: operation}, str(planned)
        action = planned.actions[self.tried.address]
        told = told_by(action, {row.field: row.keys for row in self.rows})
        told = {next((above for above in expected if path.startswith(f"{above}.")), path) for path in told}
        assert told == expected, str(planned)
        assert {each["cause"] for each in action.changes} == {"intent"}
        if operation == "replace":
            assert action.data["reason"] == "cannot change in place"
        plan_is_empty(self.tried.stack)
        identity = self.tried.identity()
        assert (identity != self.first) == (operation == "replace")
        self.first = identity

    def change_all(self):
        expected = set().union(*(differing(row.first, row.second, row.field, row.keys) for row in self.rows))
        replaces = any(row.replaces for row in self.rows)
        self.change({row.field: row.second for row in self.rows}, "replace" if replaces else "update", expected)
        for row in self.rows:
            self.check_live(row, row.second)

    def take_out(self):
        rows = [row for row in self.rows if row.unset]
        expected, cleared = set(), False
        for row in rows:
            released = [path for path, becomes in row.unset.items() if becomes is KEPT]
            expected |= {re.sub(r"\.\d+\b", ".*", f"{row.field}.{path}") for path in released}
            left = less(row.second, [path for path in row.unset if path not in released])
            expected |= differing(row.second, left, row.field, row.keys)
            cleared = cleared or left != row.second
        before = [self.live(row) for row in rows]
        without = {row.field: less(row.second, row.unset) for row in rows}
        self.change(without, "update" if cleared else "record", expected)
        for row, past in zip(rows, before):
            self.check_taken_out(row, past, self.check_live(row, without[row.field]))

    def check_taken_out(self, row, before, live):
        if all(becomes is KEPT for becomes in row.unset.values()):
            assert live == before
        for path, becomes in row.unset.items():
            # An object of which nothing is left is not told.
            if becomes is not KEPT and live is not None:
                assert at_path(live, path) in ([becomes] if becomes is not CLEARED else [None, []])


def replaced_by(row, ids):
    """A row with the ids of what was made, in place of what stood for them."""

    def told(value):
        if isinstance(value, dict):
            return {name: told(each) for name, each in value.items()}
        return [told(each) for each in value] if isinstance(value, list) else ids.get(value, value)

    return dataclasses.replace(row, first=told(row.first), second=told(row.second))


def groups_of(sample):
    """Names of rows that are tried in one resource."""
    others = [name for name in sample.members if not any(name in each for each in sample.together)]
    return [*sample.together, *((name,) for name in others)]


@pytest.mark.parametrize(
    "kind, cloud, names",
    [
        pytest.param(kind, cloud, names, id=f"{kind}-{cloud}-{names[0]}")
        for kind, cloud in on("life")
        for names in groups_of(SAMPLES[kind])
        if cloud == ("moto" if names[0] in SAMPLES[kind].only_on_moto else "simulator")
        or names[0] in SAMPLES[kind].members_on_moto
    ],
)
def test_members(trial, kind, cloud, names):  # noqa: F811
    rows = [SAMPLES[kind].members[name] for name in names]
    alone, given = names[0] in SAMPLES[kind].only_on_moto, {}
    for row in rows:
        given.update(row.given, **{row.field: row.first})
    tried = trial(kind, cloud, given, made=not alone)
    if alone:
        ids = SAMPLES[kind].made(tried.cloud)
        rows = [replaced_by(row, ids) for row in rows]
        tried.write({**tried.values, **{row.field: row.first for row in rows}})
        apply(tried.stack)
    trying = Trying(tried, rows)
    plan_is_empty(trying.tried.stack)
    for row in rows:
        trying.check_live(row, row.first)
    trying.change_all()
    if any(row.unset for row in rows):
        trying.take_out()
    trying.tried.stack.run("destroy", "--yes")
    assert ids_of(trying.tried.stack) == {} and trying.tried.gone(trying.first)


def members_of(schema, path=""):
    """(path, whether it is required) of each member of a JSON Schema, however deep."""
    schema = schema.get("else", schema)
    for name, each in schema.get("properties", {}).items():
        yield f"{path}{name}", name in schema.get("required", [])
        yield from members_of(each, f"{path}{name}.")
    if "items" in schema:
        yield from members_of(schema["items"], f"{path}*.")


def steps_of(sample):
    """Fields before and after, of each change that some test makes of a sample."""
    for name, change in [*sample.in_place.items(), *sample.replaces.items()]:
        given = {**sample.values, **change.given}
        yield given, {**given, **change.along, name: change.to}
    for path, unset in sample.unset_members.items():
        given = {**sample.values, **unset.given}
        yield given, less(given, [path])
    for row in sample.members.values():
        yield {row.field: row.first}, {row.field: row.second}
        yield {row.field: row.second}, {row.field: less(row.second, row.unset)}
    for fields in sample.further.values():
        yield fields, fields


def seen_in(before, after, path=""):
    """(step, path) of what becomes of the members of one value, item by item."""
    for name in before:
        if before[name] is None:
            continue
        one, other = before[name], after.get(name)
        yield "set", path + name
        if other is None:
            yield "unset", path + name
        elif one != other:
            yield "changed", path + name
        if isinstance(one, dict):
            yield from seen_in(one, other or one, f"{path}{name}.")
        elif is_objects(one):
            for number, item in enumerate(one):
                changed = other[number] if other and number < len(other) else item
                yield from seen_in(item, changed, f"{path}{name}.*.")


def test_every_member_is_tried(stack):
    """As test_every_field_is_tried of fields: set, changed, and, where it is optional, taken away."""
    missing = []
    for kind, schema in kinds_of(stack).items():
        if kind in ELSEWHERE:
            continue
        sample = SAMPLES[kind]
        seen = {each for before, after in steps_of(sample) for each in seen_in(before, after)}
        lacking = set()
        for path, required in members_of(schema):
            if "." not in path or path.partition(".")[0] in [*META_FIELDS, *sample.untried]:
                continue
            steps = ["set", "changed"] + ([] if required else ["unset"])
            left = [step for step in steps if (step, path) not in seen]
            if left and path in sample.untried_members:
                lacking.add(path)
                continue
            alone = {f"{step} {path}" for step in left} & set(sample.untried_members)
            lacking |= alone
            missing += [f"{kind}.{path} is never {step}" for step in left if f"{step} {path}" not in alone]
        missing += [f"{kind}: {path} is tried after all" for path in sorted(set(sample.untried_members) - lacking)]
    assert not missing, "\n".join(missing)


def change_template(cloud, identity):
    ec2 = cloud.client()
    made = ec2.create_launch_template_version(
        LaunchTemplateId=identity,
        SourceVersion="$Latest",
        VersionDescription="first",
        LaunchTemplateData={"MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 5}},
    )
    number = str(made["LaunchTemplateVersion"]["VersionNumber"])
    ec2.modify_launch_template(LaunchTemplateId=identity, DefaultVersion=number)


def change_rule(cloud, identity):
    rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22}
    rule["IpRanges"] = [{"CidrIp": "10.0.0.0/8", "Description": "from elsewhere"}]
    cloud.client().update_security_group_rule_descriptions_ingress(GroupId=identity, IpPermissions=[rule])


def change_route(cloud, identity):
    [gateway] = cloud.client().describe_internet_gateways()["InternetGateways"]
    cloud.client().replace_route(
        RouteTableId=identity, DestinationCidrBlock="192.168.10.0/24", GatewayId=gateway["InternetGatewayId"]
    )


def change_tunnel(cloud, identity):
    [connection] = cloud.client().describe_vpn_connections(VpnConnectionIds=[identity])["VpnConnections"]
    cloud.client().modify_vpn_tunnel_options(
        VpnConnectionId=identity,
        VpnTunnelOutsideIpAddress=connection["Options"]["TunnelOptions"][1]["OutsideIpAddress"],
        TunnelOptions={"DPDTimeoutSeconds": 35},
    )


DRIFTS = {
    "aws.autoscaling_group": (
        lambda cloud, identity: cloud.client("autoscaling").put_lifecycle_hook(
            AutoScalingGroupName=identity, LifecycleHookName="launching", HeartbeatTimeout=900
        ),
        {"hooks.*.timeout_s"},
    ),
    "aws.instance": (
        lambda cloud, identity: cloud.client().modify_instance_metadata_options(InstanceId=identity, HttpTokens="optional"),
        {"metadata.tokens"},
    ),
    "aws.launch_template": (change_template, {"metadata.hop_limit"}),
    "aws.route_table": (change_route, {"routes.*.internet_gateway", "routes.*.vpn_gateway"}),
    "aws.security_group": (change_rule, {"ingress.*.description"}),
    "aws.vpn_connection": (change_tunnel, {"tunnels.*.dpd_timeout_s"}),
}


@pytest.mark.parametrize("kind", DRIFTS)
def test_drift_of_a_member(trial, kind):  # noqa: F811
    """What somebody else has changed within a field is told as just that, and the next apply puts it right."""
    change, members = DRIFTS[kind]
    tried = trial(kind, "simulator")
    change(tried.cloud, tried.identity())
    drift = Plan(2, tried.stack.run("drift", "--output", "json", status=2).json)
    assert list(drift.actions) == [tried.address], str(drift)
    assert {each["cause"] for each in drift.actions[tried.address].changes} == {"drift"}
    keys = dict.fromkeys(tried.values, ())
    assert told_by(drift.actions[tried.address], keys) == members, str(drift)
    apply(tried.stack)
    plan_is_empty(tried.stack)
    tried.check_live()
