"""`trueup state rebuild`: a state that was lost is made anew from ownership tags and the spec."""

import json
import shutil
import urllib.parse
import urllib.request

import pytest

from cli import Terminal, applied, cloud_stack, recorded, simulate, world  # noqa: F401
from test_conformance import on, trial  # noqa: F401
from trueup_runner import Proxy, apply, copy_stack, ids_of, plan_is_empty

NET = """\
stack: net
providers: {aws: {region: eu-central-1}}
aws.vpc:
  main: {cidr: 10.0.0.0/16, tags: {team: red}}
aws.subnet:
  a: {vpc: main, cidr: 10.0.1.0/24}
  b: {vpc: main, cidr: 10.0.2.0/24}
aws.key_pair:
  door: {public_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKHEChAA/EmNSQmbTGdEPzGZmvXWYxUnuC+PkeUi9Cgk", name: door}
"""


@pytest.fixture
def net(cloud_stack):
    """The stack, applied, on the simulator and on moto's server."""
    return applied(cloud_stack, "net.yaml", NET)


@pytest.fixture
def sim(stack):
    """The same on the simulator alone, for what has nothing to do with a server."""
    simulate(stack, "../world")
    return applied(stack, "net.yaml", NET)


def lose(stack):
    shutil.rmtree(stack.folder / ".trueup")


def rebuild(stack, *arguments, status=0):
    return stack.run("state", "rebuild", "--yes", "--output", "json", *arguments, status=status).json


def actions(stack):
    return stack.run("plan", "--output", "json").json["actions"]


def operations(stack):
    return {action["address"]: action["operation"] for action in actions(stack)}


def findings(document, *members):
    return [tuple(finding[name] for name in ("class", *members)) for finding in document["findings"]]


def heads(stack):
    return stack.run("state", "list", "--output", "json").json["objects"]


@pytest.mark.parametrize("kind, cloud", on("life"))
def test_every_kind(trial, kind, cloud):  # noqa: F811
    """As it was: nothing is left to plan, and destroy finds everything in order."""
    tried = trial(kind, cloud)
    if cloud == "simulator":
        apply(tried.stack)
    before = ids_of(tried.stack)
    lose(tried.stack)
    document = rebuild(tried.stack)
    assert set(findings(document)) <= {("assumed",)}
    assert ids_of(tried.stack) == before
    plan_is_empty(tried.stack)
    tried.stack.run("state", "check")
    tried.stack.run("destroy", "--yes")
    assert ids_of(tried.stack) == {}
    assert tried.gone(before[tried.address])


def test_as_it_was(net):
    net.write("net.yaml", NET.replace("10.0.2.0", "10.0.7.0"))
    net.run("apply", "--yes")
    before = heads(net)
    assert {one["generation"] for one in before} == {1, 2}
    lose(net)
    document = rebuild(net)
    assert heads(net) == before and document["backup"] is None
    print(findings(document, "address", "what"))
    assert actions(net) == []
    assert net.run("plan", "--refresh=none", "--output", "json").json["actions"] == []
    run = net.run("state", "history", "--output", "json").json["runs"][0]
    assert (run["command"], run["outcome"]) == ("state rebuild", "done")
    net.run("apply", "--yes")
    net.run("destroy", "--yes")
    assert recorded(net) == {}


def test_after_a_plan_made_another_state(sim):
    """A plan in a folder that lost its state makes an empty one of another lineage: the tags' is taken."""
    lineage = sim.run("plan", "--output", "json").json["lineage"]
    lose(sim)
    # Nor does that one get far: the name of the key pair is somebody else's to it.
    assert sim.run("plan", "--output", "json", status=1).json["lineage"] != lineage
    assert rebuild(sim)["lineage"] == lineage
    document = sim.run("plan", "--output", "json").json
    assert document["lineage"] == lineage and document["actions"] == []


def test_what_two_pages_of_a_listing_show_is_one_thing(stack, moto):
    """A list that moves while it is read shows on a page what was on the one before."""
    proxy = Proxy(moto.address)
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    applied(stack, "net.yaml", NET)
    ids = ids_of(stack)
    lose(stack)
    # moto takes the region from it, and does not look at the rest.
    signed = {"Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/eu-central-1/ec2/aws4_request"}

    def answer(fields):
        if fields["Action"] != "DescribeSubnets":
            return None
        is_last = fields.pop("NextToken", None)
        data = urllib.parse.urlencode(fields).encode()
        page = urllib.request.urlopen(urllib.request.Request(moto.address, data, signed)).read()
        end = b"</DescribeSubnetsResponse>"
        return page if is_last else page.replace(end, b"<nextToken>2</nextToken>" + end)

    proxy.answer = answer
    assert rebuild(stack)["findings"] == []
    assert ids_of(stack) == ids and actions(stack) == []
    proxy.stop()


def test_what_is_not_found_of_a_record_is_not_made_twice(sim):
    """A listing lags. It is as lost as what an older state does not know: named, and refused until somebody has looked."""
    vpc = recorded(sim)["aws.vpc.main"]
    sim.run("sim", "--region", "eu-central-1", "../world", "fault", "DescribeVpcs", "stale", "1", "1")
    document = rebuild(sim, "--force")
    assert {finding["class"] for finding in document["findings"] if finding["address"] == "aws.vpc.main"} == {"absent"}
    told = f"{vpc} carries the tags of this stack, as 'aws.vpc.main', and is not recorded"
    assert told in sim.run("plan").err and told in sim.run("drift", status=2).err
    assert f"'aws.vpc.main' is there as {vpc}, made by this stack and not recorded" in sim.run("apply", "--yes", status=4).err
    assert told in sim.run("destroy", "--yes", status=4).err
    rebuild(sim, "--force")
    plan_is_empty(sim)


def test_what_bears_no_tags_that_make_a_record_is_known_by_its_id(sim):
    before = recorded(sim)
    sim.run("sim", "--region", "eu-central-1", "../world", "change", "vpc", before["aws.vpc.main"], "tags.trueup:object=garbled")
    assert rebuild(sim, "--force")["findings"] == [] and recorded(sim) == before
    sim.run("apply", "--yes")
    plan_is_empty(sim)


def test_records_are_not_thrown_away(sim):
    before = (sim.folder / ".trueup/state.db").read_bytes()
    document = rebuild(sim, status=1)
    assert "is there, with 4 objects" in document["diagnostics"][0]["message"]
    assert (sim.folder / ".trueup/state.db").read_bytes() == before
    sim.run("state", "rm", "--yes", "aws.subnet.b")
    document = rebuild(sim, "--force")
    assert recorded(sim).keys() == {"aws.vpc.main", "aws.subnet.a", "aws.subnet.b", "aws.key_pair.door"}
    assert actions(sim) == []
    # What was recorded before is in the backup.
    lose_to = sim.folder / document["backup"]
    lose_to.rename(sim.folder / "saved.db")
    lose(sim)
    (sim.folder / ".trueup").mkdir()
    (sim.folder / "saved.db").rename(sim.folder / ".trueup/state.db")
    assert "aws.subnet.b" not in recorded(sim)


def test_killed_after_it_was_backed_up(sim):
    """The same command again, with the backup of before still there, makes another and leaves that one."""
    sim.run("state", "backup", "copy.db")
    serial = sim.run("state", "list", "--output", "json").json["serial"]
    killed = sim.folder / f".trueup/state.db.before-rebuild-{serial}"
    (sim.folder / "copy.db").rename(killed)
    left = killed.read_bytes()
    document = rebuild(sim, "--force")
    assert (sim.folder / document["backup"]).name == killed.name + "-2"
    assert killed.read_bytes() == left
    assert actions(sim) == []


def test_asked(sim):
    lose(sim)
    assert "--yes" in sim.run("state", "rebuild", status=64).err
    terminal = Terminal(sim, "state", "rebuild")
    terminal.read_until("Record this as the stack 'net', lineage [0-9a-f]{8}\\?")
    terminal.type("no\n")
    terminal.end(1)
    assert recorded(sim) == {}
    terminal = Terminal(sim, "state", "rebuild")
    terminal.read_until("Record this")
    terminal.type("yes\n")
    terminal.end(0)
    assert len(recorded(sim)) == 4


def test_what_differs_is_planned(net):
    """What is there stands against the spec of now: another value, more, less."""
    lose(net)
    text = NET.replace("team: red", "team: blue").replace("  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
    net.write("net.yaml", text.replace("  a: {", "  c: {vpc: main, cidr: 10.0.3.0/24}\n  a: {"))
    document = rebuild(net)
    assert {("extra", "aws.subnet.b"), ("absent", "aws.subnet.c")} <= set(findings(document, "address"))
    wanted = {"aws.vpc.main": "update", "aws.subnet.b": "delete", "aws.subnet.c": "create"}
    assert operations(net) == wanted
    changes = {action["address"]: action["changes"] for action in actions(net)}
    assert [(each["path"], each["cause"]) for each in changes["aws.vpc.main"]] == [("tags.team", "intent")]
    net.run("apply", "--yes")
    assert actions(net) == []


def test_what_a_call_of_its_own_reads_is_no_drift_where_it_differs(stack):
    """Nothing reads it again for drift, as it is not recorded as applied; that is not to have lost it."""
    simulate(stack, "../world")
    spec = """\
stack: one
providers: {aws: {region: us-west-2}}
aws.vpc: {v: {cidr: 10.0.0.0/16}}
aws.subnet: {a: {vpc: v, cidr: 10.0.0.0/24}}
aws.instance: {i: {image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a, user_data: hello}}
aws.launch_template: {t: {name: ttt, image: ami-0123456789abcdef0, user_data: hello}}
"""
    applied(stack, "one.yaml", spec)
    stack.write("one.yaml", spec.replace("hello", "hello two"))
    lose(stack)
    rebuild(stack)
    stack.run("drift")
    for action in actions(stack):
        [change] = action["changes"]
        assert (change["path"], change["before"], change["after"]) == ("user_data", "hello", "hello two")
    apply(stack)
    plan_is_empty(stack)


def test_all_of_it_out_of_the_spec(net):
    """What the spec no longer has is deleted in order: what refers to what is told by the ids."""
    lose(net)
    net.write("net.yaml", "stack: net\nproviders: {aws: {region: eu-central-1}}\naws.key_pair:" + NET.split("pair:")[1])
    rebuild(net)
    net.run("apply", "--yes")
    assert list(recorded(net)) == ["aws.key_pair.door"]


@pytest.mark.parametrize("changed", [{}, {"trueup:object": "0123456789abcdef" * 2}], ids=["one object", "one generation"])
def test_twins(stack, moto, changed):
    """Two things that claim one address, and that no replace can have left: both are named and left alone."""
    stack.environment.update(AWS_ENDPOINT_URL=moto.address)
    stack.write("net.yaml", NET)
    stack.run("apply", "--yes")
    ec2, ids = moto.client("ec2"), recorded(stack)
    tags = ec2.describe_subnets(SubnetIds=[ids["aws.subnet.a"]])["Subnets"][0]["Tags"]
    twin = ec2.create_subnet(VpcId=ids["aws.vpc.main"], CidrBlock="10.0.9.0/24")["Subnet"]["SubnetId"]
    tags = [{**tag, "Value": changed.get(tag["Key"], tag["Value"])} for tag in tags]
    ec2.create_tags(Resources=[twin], Tags=tags)
    lose(stack)
    document = rebuild(stack, status=7)
    found = [finding for finding in findings(document, "address", "provider_id") if finding[0] == "twins"]
    assert sorted(found) == sorted(("twins", "aws.subnet.a", id) for id in (twin, ids["aws.subnet.a"]))
    assert "aws.subnet.a" not in recorded(stack) and recorded(stack)["aws.subnet.b"] == ids["aws.subnet.b"]
    assert len(ec2.describe_subnets(SubnetIds=[twin, ids["aws.subnet.a"]])["Subnets"]) == 2
    # Once one of them is no longer tagged it is told.
    ec2.delete_subnet(SubnetId=twin)
    rebuild(stack, "--force")
    assert recorded(stack) == ids and actions(stack) == []


ONE = "stack: net\nproviders: {aws: {region: eu-central-1}}\naws.vpc: {main: {cidr: 10.0.0.0/16}}\n"


@pytest.fixture
def one(stack):
    """A stack of one thing alone, on the simulator."""
    simulate(stack, "../world")
    return applied(stack, "net.yaml", ONE)


def test_who_has_forced_it_is_not_told_to(sim):
    """A further rebuild replaces what the first one has recorded; where it was forced it is run as it was."""
    ids = recorded(sim)
    tags = [f"tags.{tag['key']}={tag['value']}" for tag in world(sim, "vpc")[ids["aws.vpc.main"]]["tagSet"]]
    sim.run("sim", "../world", "--region", "eu-central-1", "add", "vpc", "cidrBlock=10.0.0.0/16", *tags)
    lose(sim)
    for words, force in ([], True), (["--force"], False):
        told = sim.run("state", "rebuild", "--yes", *words, status=7).out
        assert "and rebuild again" in told and ("--force" in told) == force


def test_twins_and_nothing_else(one):
    """All that is there is contested: it is named all the same, and nothing is written until one of them is gone."""
    ids, vpcs = recorded(one), world(one, "vpc")
    tags = [f"tags.{tag['key']}={tag['value']}" for tag in vpcs[ids["aws.vpc.main"]]["tagSet"]]
    one.run("sim", "../world", "--region", "eu-central-1", "add", "vpc", "cidrBlock=10.0.0.0/16", *tags)
    [twin] = set(world(one, "vpc")) - set(vpcs)
    lose(one)
    assert "nothing is recorded, and yet 'aws.vpc.main' is there" in one.run("plan").err
    told = " ".join(one.run("state", "rebuild", "--yes", status=7).out.split())
    assert told.count("is claimed by more than one, and none is recorded: see which is meant") == 2
    assert told.endswith("and rebuild again recorded nothing")
    document = rebuild(one, status=7)
    claims = sorted(("twins", "aws.vpc.main", id) for id in (twin, ids["aws.vpc.main"]))
    assert sorted(findings(document, "address", "provider_id")) == claims and document["objects"] == []
    # What led here goes on doing so.
    assert "'trueup state rebuild' makes it anew" in one.run("plan").err
    one.run("apply", "--yes", status=4)
    one.run("sim", "../world", "remove", "vpc", twin)
    assert rebuild(one)["findings"] == []
    assert recorded(one) == ids and actions(one) == []


def test_tags_that_make_no_record_and_nothing_else(one):
    [vpc] = recorded(one).values()
    one.run("sim", "../world", "change", "vpc", vpc, "tags.trueup:object=x")
    lose(one)
    assert findings(rebuild(one, status=7), "provider_id") == [("unusable", vpc), ("absent", None)]


def test_two_of_one_generation_beside_the_own(stack, moto):
    """One of them may be what a replace left behind, and nobody can tell which: all three are left alone."""
    stack.environment.update(AWS_ENDPOINT_URL=moto.address)
    applied(stack, "net.yaml", NET)
    ec2, own = moto.client("ec2"), recorded(stack)["aws.subnet.a"]
    tags = ec2.describe_subnets(SubnetIds=[own])["Subnets"][0]["Tags"]
    claims = [own]
    for number in ("8", "9"):
        changed = {"trueup:object": number * 32, "trueup:generation": "2"}
        made = ec2.create_subnet(VpcId=recorded(stack)["aws.vpc.main"], CidrBlock=f"10.0.{number}.0/24")
        claims.append(made["Subnet"]["SubnetId"])
        ec2.create_tags(Resources=claims[-1:], Tags=[{**tag, "Value": changed.get(tag["Key"], tag["Value"])} for tag in tags])
    lose(stack)
    found = findings(rebuild(stack, status=7), "address", "provider_id")
    assert sorted(found) == sorted(("twins", "aws.subnet.a", each) for each in claims)
    assert "aws.subnet.a" not in recorded(stack)


@pytest.mark.parametrize(
    "tags, said",
    [
        ({"trueup:object": "x"}, "its tag of the object is not one that was written here"),
        ({"trueup:address": "aws.vpc.main"}, "its tag of the address is not one of its kind"),
        ({"trueup:address": ""}, "its tag of the address is not one of its kind"),
    ],
)
def test_tags_that_make_no_record(stack, moto, tags, said):
    stack.environment.update(AWS_ENDPOINT_URL=moto.address)
    stack.write("net.yaml", NET)
    stack.run("apply", "--yes")
    subnet = recorded(stack)["aws.subnet.b"]
    tags = [{"Key": key, "Value": value} for key, value in tags.items()]
    moto.client("ec2").create_tags(Resources=[subnet], Tags=tags)
    lose(stack)
    document = rebuild(stack, status=7)
    assert ("unusable", subnet, said) in findings(document, "provider_id", "what")
    assert "aws.subnet.b" not in recorded(stack)


def test_a_generation_that_nobody_counted_to(sim):
    sim.run("sim", "../world", "change", "subnet", recorded(sim)["aws.subnet.b"], f"tags.trueup:generation={2**63 - 1}")
    ids = recorded(sim)
    lose(sim)
    rebuild(sim)
    assert recorded(sim) == ids and actions(sim) == []
    assert "generation 1\n" in sim.run("state", "show", "aws.subnet.b").out


def test_stacks_side_by_side(sim, tmp_path):
    """Two stacks with the same addresses in one account: whose things are meant is not guessed."""
    other = copy_stack(sim, tmp_path / "other")
    other.environment["AWS_ENDPOINT_URL"] = "sim:../world"
    lose(other)
    other.write("net.yaml", NET.replace("name: door", "name: gate").replace("stack: net", "stack: other"))
    other.run("apply", "--yes")
    lineages = {stack: stack.run("plan", "--output", "json").json["lineage"] for stack in (sim, other)}
    assert lineages[sim] != lineages[other]
    ids = recorded(sim)
    lose(sim)
    refused = rebuild(sim, status=1)["diagnostics"][0]
    assert "the things of 2 stacks carry addresses of this spec" in refused["message"]
    assert all(lineage in refused["hint"] for lineage in lineages.values())
    assert "nothing carries a lineage" in rebuild(sim, "--lineage", "00000000", status=1)["diagnostics"][0]["message"]
    for few in lineages[sim][:7], "my-stack-of-old":
        told = sim.run("state", "rebuild", "--yes", "--lineage", few, status=64).err
        assert f"takes at least 8 digits and at most 32, of 0-9 and a-f, not '{few}'" in told
    assert rebuild(sim, "--lineage", lineages[sim][:8])["lineage"] == lineages[sim]
    assert recorded(sim) == ids and actions(sim) == []
    assert actions(other) == []


def test_nothing_is_there(sim):
    sim.run("destroy", "--yes")
    lose(sim)
    document = rebuild(sim, status=1)
    assert "nothing is there that the stack 'net' made" in document["diagnostics"][0]["message"]


def test_a_kind_that_cannot_be_listed(sim):
    """What nobody may list would be made a second time: nothing is recorded then."""
    lose(sim)
    sim.run("sim", "../world", "fault", "DescribeSubnets", "deny")
    document = rebuild(sim, status=1)
    assert "what there is of 'aws.subnet' in" in document["diagnostics"][0]["message"]
    assert recorded(sim) == {}
    sim.write("net.yaml", NET.replace(NET[NET.index("aws.subnet") : NET.index("aws.key_pair")], ""))
    document = rebuild(sim)
    assert [one["severity"] for one in document["diagnostics"]] == ["warning"]
    assert recorded(sim).keys() == {"aws.vpc.main", "aws.key_pair.door"}


def test_two_that_name_each_other_and_could_not_be_read(stack):
    """Their ids are known all the same, and the next apply needs no more."""
    rule = "ingress: [{protocol: tcp, from_port: 22, to_port: 22, group: %s}]"
    groups = "".join(
        f"  {name}: {{name: {name}, description: one of two, vpc: main, {rule % other}}}\n"
        for name, other in (("a", "b"), ("b", "a"))
    )
    simulate(stack, "../world")
    applied(stack, "net.yaml", NET + "aws.security_group:\n" + groups)
    lose(stack)
    stack.run("sim", "../world", "fault", "DescribeSecurityGroups", "deny", "2", "2")
    document = rebuild(stack, status=3)
    assert {name for kind, name in findings(document, "address") if kind == "unread"} == {
        "aws.security_group.a",
        "aws.security_group.b",
    }
    assert set(operations(stack).values()) == {"record"}
    apply(stack)
    assert actions(stack) == []


def test_what_refers_to_one_that_could_not_be_read(stack):
    """All that it needs is the id, which the tags told."""
    group = "aws.security_group:\n  a: {name: a, description: a group, vpc: main}\n"
    host = "aws.instance:\n  h: {image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a, security_groups: [a]}\n"
    simulate(stack, "../world")
    applied(stack, "net.yaml", NET + group)
    lose(stack)
    stack.run("sim", "../world", "fault", "DescribeSecurityGroups", "deny", "2")
    rebuild(stack, status=3)
    stack.write("net.yaml", NET + group + host)
    stack.run("apply", "--yes", status=3)
    assert "aws.instance.h" in recorded(stack)


def adopt_machine(stack):
    """A stack of one machine, which the simulator has."""
    attributes = {"serial": "S1", "power": "Off", "user": "u", "password": "x", "macs": "[]"}
    stack.run("sim", "world", "add", "machine", "10.0.0.5", *(f"{name}={value}" for name, value in attributes.items()))
    machines = {"m": {"controller": "https://10.0.0.5", "serial": "S1", "power": "off"}}
    providers = {"metal": {"endpoint": "sim:world", "user": "u", "password": "x"}}
    stack.write("stack.yaml", json.dumps({"stack": "racks", "providers": providers, "metal.machine": machines}))
    stack.run("apply", "--yes")


def test_machines(stack):
    """What carries no tags is found by what the spec says of it."""
    adopt_machine(stack)
    before = recorded(stack)
    lose(stack)
    rebuild(stack)
    assert recorded(stack) == before and actions(stack) == []
