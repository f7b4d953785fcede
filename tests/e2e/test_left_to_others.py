"""What a spec leaves to others has what is read of it: nothing else can have that, nor is kept from what it lost."""

import pytest
from conftest import REGION

from test_moved_by_hand import attach, detach, move, routed, tables_of
from trueup_runner import MotoCloud, Ref, SimulatedCloud, apply, ids_of, plan_is_empty, spec_text

IMAGE = "ami-0123456789abcdef0"
HOME, LEFT = Ref("aws.vpc.home"), {"ignore": ["vpc"]}
GATEWAYS = {"internet": "aws.internet_gateway", "vpn": "aws.vpn_gateway"}


def write(stack, kind, **gateways):
    vpcs = {"home": {"cidr": "10.20.0.0/16"}, "other": {"cidr": "10.30.0.0/16"}}
    stack.write("stack.yaml", spec_text({"aws.vpc": vpcs, GATEWAYS[kind]: gateways}))


def attach_and_take(stack, cloud, kind):
    """A gateway that the record alone has at home: its spec names another VPC by now, and leaves that to others."""
    write(stack, kind, left={"vpc": HOME, "lifecycle": LEFT})
    apply(stack)
    ids = ids_of(stack)
    detach(cloud, cloud.client(), kind, ids[f"{GATEWAYS[kind]}.left"], ids["aws.vpc.home"])
    return {"vpc": Ref("aws.vpc.other"), "lifecycle": LEFT}


def last_run(stack):
    return stack.run("state", "history", "--output", "json").json["runs"][0]["id"]


@pytest.mark.parametrize("kind", GATEWAYS)
def test_a_gateway_comes_back_to_what_only_the_record_has_given_away(stack, cloud, kind):
    left = attach_and_take(stack, cloud, kind)
    write(stack, kind, left=left, own={"vpc": HOME})
    apply(stack)
    write(stack, kind, left=left)
    apply(stack)
    stack.run("undo", last_run(stack), "--yes")
    write(stack, kind, left=left, own={"vpc": HOME})
    plan_is_empty(stack)


def test_a_table_takes_its_subnet_again_that_only_the_record_has_given_away(stack, cloud):
    """What a spec comes to say of a set that it leaves to others is recorded, though no call does it."""
    spec = routed("a")
    tables = spec["aws.route_table"]
    tables["t"]["lifecycle"] = {"ignore": ["subnets"]}
    tables["own"] = {"vpc": HOME, "subnets": [Ref("aws.subnet.b")]}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    del tables["own"]
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    run = last_run(stack)
    tables["t"] |= {"subnets": [Ref("aws.subnet.b")], "tags": {"team": "net"}}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    stack.run("undo", run, "--yes")
    ids = ids_of(stack)
    assert tables_of(cloud.client())[ids["aws.subnet.b"]] == ids["aws.route_table.own"]


@pytest.mark.parametrize("kind", GATEWAYS)
@pytest.mark.parametrize("made", [True, False], ids=["made", "tagged"])
def test_a_saved_plan_stands_though_the_record_has_given_away_what_it_takes(stack, cloud, kind, made):
    """Somebody had taken that before it was made: a run between is no reason to plan again."""
    left = attach_and_take(stack, cloud, kind)
    before = {} if made else {"own": {"vpc": HOME}}
    own = {"vpc": HOME} if made else {"vpc": HOME, "tags": {"team": "net"}}
    write(stack, kind, left=left, **before)
    apply(stack)
    write(stack, kind, left=left, own=own)
    stack.run("plan", "--out", "p.plan")
    stack.write("between.yaml", "aws.vpc:\n  third: {cidr: 10.40.0.0/16}\n")
    write(stack, kind, left=left, **before)
    apply(stack)
    stack.run("apply", "p.plan")
    write(stack, kind, left=left, own=own)
    plan_is_empty(stack)


@pytest.mark.parametrize("name", ["first", "zone"])
def test_but_not_where_something_else_has_it_since(stack, cloud, name):
    """Before the one of the record, or behind it."""
    left = attach_and_take(stack, cloud, "internet")
    write(stack, "internet", left=left, own={"vpc": HOME})
    stack.run("plan", "--out", "p.plan")
    write(stack, "internet", left=left, **{name: {"vpc": HOME}})
    apply(stack)
    refused = stack.run("apply", "p.plan", status=4)
    assert f"'aws.internet_gateway.{name}' has by now what it would have as its 'vpc'" in refused.err


def keeps(stack, cloud, taker, field, keeper, hint):
    """Before any call: what else the spec has is not made either."""
    ids, before = ids_of(stack), cloud.show()
    for words in ("plan",), ("apply", "--yes"):
        refused = stack.run(*words, status=1).err
        assert f"'{taker}' cannot have '" in refused and f"as its '{field}': '{keeper}' has it, and keeps it" in refused
        assert hint in refused
    assert (ids_of(stack), cloud.show()) == (ids, before)


@pytest.mark.parametrize("kind", GATEWAYS)
@pytest.mark.parametrize("said", [{}, {"vpc": Ref("aws.vpc.other")}], ids=["no more", "elsewhere"])
def test_a_gateway_keeps_the_vpc_that_its_spec_leaves_to_others(stack, cloud, kind, said):
    write(stack, kind, left={"vpc": HOME, "lifecycle": LEFT})
    apply(stack)
    write(stack, kind, left={**said, "lifecycle": LEFT}, own={"vpc": HOME})
    keeper = f"{GATEWAYS[kind]}.left"
    keeps(stack, cloud, f"{GATEWAYS[kind]}.own", "vpc", keeper, f"take 'vpc' out of 'lifecycle.ignore' of '{keeper}'")
    write(stack, kind, left=said, own={"vpc": HOME})
    apply(stack)
    plan_is_empty(stack)


@pytest.mark.parametrize("kind", GATEWAYS)
def test_a_gateway_keeps_the_vpc_that_others_have_attached_it_to(stack, cloud, kind):
    write(stack, kind, left={})
    apply(stack)
    ids, ec2, keeper = ids_of(stack), cloud.client(), f"{GATEWAYS[kind]}.left"
    attach(cloud, ec2, kind, ids[keeper], ids["aws.vpc.home"])
    write(stack, kind, left={}, own={"vpc": HOME})
    keeps(stack, cloud, f"{GATEWAYS[kind]}.own", "vpc", keeper, "take out what others have put there")
    detach(cloud, ec2, kind, ids[keeper], ids["aws.vpc.home"])
    apply(stack)
    plan_is_empty(stack)


def test_a_table_keeps_the_subnet_that_its_spec_leaves_to_others(stack, cloud):
    spec = routed("b")
    tables = spec["aws.route_table"]
    tables["t"]["lifecycle"] = {"ignore": ["subnets"]}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    tables["t"]["subnets"] = []
    tables["own"] = {"vpc": HOME, "subnets": [Ref("aws.subnet.b")]}
    stack.write("stack.yaml", spec_text(spec))
    keeps(stack, cloud, "aws.route_table.own", "subnets", "aws.route_table.t", "take 'subnets' out of 'lifecycle.ignore'")
    del tables["t"]["lifecycle"]
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    plan_is_empty(stack)


def test_a_table_takes_its_subnet_back_from_one_that_never_set_any(stack, cloud):
    """Somebody moved it there; it is recorded as the other's own."""
    spec = routed("b")
    spec["aws.route_table"]["idle"] = {"vpc": HOME}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    ids, ec2 = ids_of(stack), cloud.client()
    move(ec2, ids["aws.subnet.b"], ids["aws.route_table.idle"])
    apply(stack)
    assert tables_of(ec2) == {ids["aws.subnet.b"]: ids["aws.route_table.t"]}


def test_a_record_is_sound_whose_field_left_to_others_named_what_is_gone(stack, cloud):
    spec = routed("a", "b")
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    spec["aws.route_table"]["t"]["lifecycle"] = {"ignore": ["subnets"]}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    spec["aws.route_table"]["t"]["subnets"] = [Ref("aws.subnet.a")]
    spec["aws.subnet"] = {"a": spec["aws.subnet"]["a"]}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    plan_is_empty(stack)
    assert stack.run("state", "check").out.startswith("sound: ")


NETWORK = {"aws.vpc": {"home": {"cidr": "10.20.0.0/16"}}}
SUBNET, TEMPLATE = Ref("aws.subnet.a"), Ref("aws.launch_template.t")
GROUP = {"name": "g", "launch_template": TEMPLATE, "subnets": [SUBNET], "min": 0, "max": 1, "desired": 0}
ROUTE = {"destination": "172.16.0.0/16", "vpn_gateway": Ref("aws.vpn_gateway.w")}
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cEJHmzLkzGEpZgKTjEvMpgLRzYlTvbJSk7Zo0LLUd first"
LAUNCH = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
NAMING = [
    ("aws.autoscaling_group.g", GROUP, "subnets", "aws.subnet.a"),
    ("aws.autoscaling_group.g", GROUP, "launch_template", "aws.launch_template.t"),
    ("aws.launch_template.l", {**LAUNCH, "name": "large", "security_groups": [Ref("aws.security_group.s")]}, "security_groups", "aws.security_group.s"),
    ("aws.route_table.r", {"vpc": HOME, "routes": [ROUTE]}, "routes", "aws.vpn_gateway.w"),
    ("aws.route_table.r", {"vpc": HOME, "subnets": [SUBNET]}, "subnets", "aws.subnet.a"),
]


def naming(stack, address, thing, ignored, turn):
    """All that is named is another one with each turn."""
    kind, name = address.rsplit(".", 1)
    spec = {
        **NETWORK,
        "aws.subnet": {"a": {"vpc": HOME, "cidr": f"10.20.{turn}.0/24"}},
        "aws.vpn_gateway": {"w": {"vpc": HOME, "asn": 64600 + turn}},
        "aws.security_group": {"s": {"vpc": HOME, "name": f"s{turn}", "description": str(turn)}},
        "aws.launch_template": {"t": {**LAUNCH, "name": f"small-{turn}"}},
    }
    spec.setdefault(kind, {})[name] = {**thing, "lifecycle": {"ignore": ignored}}
    stack.write("stack.yaml", spec_text(spec))


@pytest.mark.parametrize("address, thing, field, named", NAMING)
def test_what_is_left_to_others_names_what_goes(stack, cloud, address, thing, field, named):
    """No call of ours has it name the new one, and it did so in silence."""
    naming(stack, address, thing, [field], 1)
    apply(stack)
    naming(stack, address, thing, [field], 2)
    said = f"warning: '{address}' goes on naming the '{named}' that goes: its '{field}' is left to others"
    for words in ("plan",), ("apply", "--yes"):
        assert said in stack.run(*words).err
    naming(stack, address, thing, [], 3)
    assert "left to others" not in stack.run("plan").err


def test_what_goes_is_another_thing_of_that_name(stack, cloud):
    """A key pair is named, and a group has the name that goes."""
    key = {"aws.key_pair": {"k": {"name": "web", "public_key": PUBLIC_KEY}}}
    template = {"aws.launch_template": {"t": {**LAUNCH, "name": "small", "key": Ref("aws.key_pair.k"), "lifecycle": {"ignore": ["key"]}}}}
    group = {"aws.autoscaling_group": {"g": {**GROUP, "name": "web"}}}
    net = {**NETWORK, "aws.subnet": {"a": {"vpc": HOME, "cidr": "10.20.1.0/24"}}}
    stack.write("stack.yaml", spec_text({**net, **key, **template, **group}))
    apply(stack)
    stack.write("stack.yaml", spec_text({**net, **key, **template}))
    assert "left to others" not in stack.run("plan").err


def key_spec(ignored, name="web", public=PUBLIC_KEY, resource="k"):
    template = {**LAUNCH, "name": "small", "key": "web" if ignored else Ref(f"aws.key_pair.{resource}")}
    pair = {resource: {"name": name, "public_key": public}} if name else {}
    left = {"lifecycle": {"ignore": ["key"]}} if ignored else {}
    return spec_text({"aws.key_pair": pair, "aws.launch_template": {"t": {**template, **left}}})


@pytest.mark.parametrize(
    "after, goes",
    [
        (key_spec(True, None), True),
        (key_spec(True, "other"), True),
        (key_spec(True, public=PUBLIC_KEY.replace("first", "second").replace("LLUd", "LLUe")), False),
        (key_spec(True, resource="l"), False),
    ],
    ids=["deleted", "under another name", "another of that name", "of another resource"],
)
def test_what_is_left_to_others_names_what_goes_by_its_name(stack, cloud, after, goes):
    """A key pair is named by that: the next one of its name is what is meant then."""
    stack.write("stack.yaml", key_spec(False))
    apply(stack)
    stack.write("stack.yaml", after)
    said = "warning: 'aws.launch_template.t' goes on naming the 'aws.key_pair.k' that goes: its 'key' is left to others"
    for words in ("plan",), ("apply", "--yes"):
        assert (said in stack.run(*words).err) == goes


def test_a_machine_that_was_let_in_by_a_key_stays_so(stack, cloud):
    """It has what it was launched with, and needs the pair no more."""
    net = {**NETWORK, "aws.subnet": {"a": {"vpc": HOME, "cidr": "10.20.1.0/24"}}}
    key = {"aws.key_pair": {"k": {"name": "web", "public_key": PUBLIC_KEY}}}
    machine = {**LAUNCH, "subnet": SUBNET, "key": Ref("aws.key_pair.k"), "lifecycle": {"ignore": ["key"]}}
    stack.write("stack.yaml", spec_text({**net, **key, "aws.instance": {"m": machine}}))
    apply(stack)
    stack.write("stack.yaml", spec_text({**net, "aws.instance": {"m": {**machine, "key": "web"}}}))
    assert "left to others" not in apply(stack).err
    plan_is_empty(stack)


def launched(groups, guard=True, other=False):
    """A template that leaves its groups to others, and what launches from it, or from another one."""
    named = {"security_groups": [Ref("aws.security_group.s")]} if guard else {}
    template = {**LAUNCH, "name": "small", **named, "lifecycle": {"ignore": ["security_groups"]}}
    uses = Ref("aws.launch_template.other") if other else TEMPLATE
    return spec_text(
        {
            **NETWORK,
            "aws.subnet": {"a": {"vpc": HOME, "cidr": "10.20.1.0/24"}},
            "aws.security_group": {"s": {"vpc": HOME, "name": "guard", "description": "d"}} if guard else {},
            "aws.launch_template": {"t": template, "other": {**LAUNCH, "name": "other"}},
            "aws.autoscaling_group": {name: {**GROUP, "name": name, "launch_template": uses, **fields} for name, fields in groups.items()},
        }
    )


@pytest.mark.parametrize(
    "groups, said",
    [
        ({"g": {"name": "renamed"}}, "'aws.autoscaling_group.g' cannot be made"),
        ({"g": {}, "h": {}}, "'aws.autoscaling_group.h' cannot be made"),
    ],
    ids=["made anew", "made beside"],
)
def test_nothing_launches_from_what_names_what_goes(stack, cloud, groups, said):
    """The service refuses it, minutes later: so does the plan."""
    stack.write("stack.yaml", launched({"g": {}}))
    apply(stack)
    stack.write("stack.yaml", launched(groups, guard=False))
    for words in ("plan",), ("apply", "--yes"):
        told = stack.run(*words, status=1).err
        assert (
            f"error: {said}: 'aws.launch_template.t', which it launches from, goes on naming the 'aws.security_group.s' "
            "that goes, for its 'security_groups' is left to others"
        ) in told
        assert "warning: 'aws.launch_template.t'" not in told
    assert "aws.security_group.s" in ids_of(stack)


@pytest.mark.parametrize("edit", [{}, {"tags": [{"key": "team", "value": "blue", "propagate": False}]}], ids=["as it was", "but for its tags"])
def test_what_launched_before_stays(stack, cloud, edit):
    """That it launches nothing any more is for its owner to see to."""
    stack.write("stack.yaml", launched({"g": {}}))
    apply(stack)
    stack.write("stack.yaml", launched({"g": edit}, guard=False))
    assert "warning: 'aws.launch_template.t' goes on naming the 'aws.security_group.s' that goes" in apply(stack).err


def test_what_launches_from_another_template_is_made(stack, cloud):
    stack.write("stack.yaml", launched({"g": {}}, other=True))
    apply(stack)
    stack.write("stack.yaml", launched({"g": {"name": "renamed"}}, guard=False, other=True))
    assert "goes on naming the 'aws.security_group.s' that goes" in apply(stack).err


@pytest.mark.parametrize("where", ["simulator", "moto"])
def test_the_version_of_a_template_is_left_to_whoever_chooses_the_template(stack, moto_server, where):
    """What the spec says of no version is the number of its own template's, which means nothing for another one."""
    moto_server.reset()
    cloud = SimulatedCloud(stack) if where == "simulator" else MotoCloud(stack, moto_server)
    templates = {"one": {"description": "first"}, "two": {"description": "first"}}
    group = {"name": "g", "min": 0, "max": 1, "subnets": [Ref("aws.subnet.a")], "lifecycle": {"ignore": ["launch_template"]}}

    def write_group(template, **fields):
        network = {"aws.vpc": {"home": {"cidr": "10.20.0.0/16"}}}
        network["aws.subnet"] = {"a": {"vpc": HOME, "cidr": "10.20.0.0/24", "zone": f"{REGION}a"}}
        made = {name: {"name": f"the-{name}", "image": IMAGE, **each} for name, each in templates.items()}
        named = {"launch_template": Ref(f"aws.launch_template.{template}")}
        groups = {"g": {**group, **named, **fields}}
        stack.write("stack.yaml", spec_text({**network, "aws.launch_template": made, "aws.autoscaling_group": groups}))

    def runs_by():
        client = cloud.client("autoscaling")
        launches = client.describe_auto_scaling_groups()["AutoScalingGroups"][0]["LaunchTemplate"]
        return launches["LaunchTemplateId"], launches["Version"]

    write_group("one")
    apply(stack)
    ids = ids_of(stack)
    assert runs_by() == (ids["aws.launch_template.one"], "1")
    for text in ("second", "third"):
        templates["two"]["description"] = text
        write_group("one")
        apply(stack)
    # The spec names another one, of which there is a third version.
    write_group("two")
    apply(stack)
    plan_is_empty(stack)
    assert runs_by() == (ids["aws.launch_template.one"], "1")
    # Others choose that, and its second version.
    chosen = {"LaunchTemplateId": ids["aws.launch_template.two"], "Version": "2"}
    cloud.client("autoscaling").update_auto_scaling_group(AutoScalingGroupName="g", LaunchTemplate=chosen)
    stack.run("drift")
    plan_is_empty(stack)
    write_group("one", max=2)
    apply(stack)
    plan_is_empty(stack)
    assert runs_by() == (ids["aws.launch_template.two"], "2")
