"""What only mentions an object keeps it from nothing: where both cannot be there at once the old one goes first."""

import copy

import pytest

from trueup_runner import Ref, apply, errors_of, ids_of, plan, plan_is_empty, spec_text

OTHER = "ami-0fedcba9876543210"
TEMPLATE = {"name": "small", "image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
STACK = {
    "aws.vpc": {"main": {"cidr": "10.20.0.0/16"}},
    "aws.subnet": {
        "a": {"vpc": Ref("aws.vpc.main"), "cidr": "10.20.0.0/24", "zone": "eu-central-1a"},
        "b": {"vpc": Ref("aws.vpc.main"), "cidr": "10.20.1.0/24", "zone": "eu-central-1b"},
    },
    "aws.security_group": {"web": {"vpc": Ref("aws.vpc.main"), "name": "web", "description": "old"}},
}


def write(stack, *edits):
    spec = copy.deepcopy(STACK)
    for edit in edits:
        edit(spec)
    stack.write("stack.yaml", spec_text(spec))


def in_template(spec, group="web"):
    spec["aws.launch_template"] = {"small": {**TEMPLATE, "security_groups": [Ref(f"aws.security_group.{group}")]}}


def in_user_data(spec):
    spec["aws.launch_template"] = {"small": {**TEMPLATE, "user_data": "group ${aws.security_group.web.id}"}}


def in_tag(spec, target="aws.security_group.web"):
    spec["aws.internet_gateway"] = {"way": {"vpc": Ref("aws.vpc.main"), "tags": {"for": "${%s.id}" % target}}}


def described(spec):
    spec["aws.security_group"]["web"]["description"] = "new"


def machine(spec, image="ami-0123456789abcdef0"):
    machine = {"image": image, "instance_type": "t3.micro", "subnet": Ref("aws.subnet.a"), "address": "10.20.0.10"}
    spec["aws.instance"] = {"fixed": machine}
    in_tag(spec, "aws.instance.fixed")


def group(spec, most=0, **more):
    spec["aws.launch_template"] = {"small": {**TEMPLATE, **more}}
    subnets = [Ref("aws.subnet.a"), Ref("aws.subnet.b")]
    spec["aws.autoscaling_group"] = {
        "fleet": {"name": "fleet", "launch_template": Ref("aws.launch_template.small"), "subnets": subnets, "min": 0}
        | {"max": most, "desired": most}
    }


def elsewhere(spec):
    spec["aws.subnet"]["a"]["zone"] = "eu-central-1c"


def renamed(spec):
    spec["aws.security_group"]["site"] = spec["aws.security_group"].pop("web")


def behind_an_interface(spec, image=TEMPLATE["image"], **address):
    """The machine is mentioned, and has the group at an interface that it was launched with."""
    first, further = ({"device_index": index, "subnet": Ref("aws.subnet.a")} for index in (0, 1))
    interfaces = [first, {**further, "security_groups": [Ref("aws.security_group.web")], **address}]
    spec["aws.instance"] = {"fixed": {"image": image, "instance_type": "t3.micro", "interfaces": interfaces}}
    in_tag(spec, "aws.instance.fixed")


REPLACED = [
    pytest.param([in_template], [in_template, described], "aws.security_group.web", id="group in a template"),
    pytest.param([in_user_data], [in_user_data, described], "aws.security_group.web", id="group in user data"),
    pytest.param([in_tag], [in_tag, described], "aws.security_group.web", id="group in a tag"),
    pytest.param([machine], [lambda spec: machine(spec, OTHER)], "aws.instance.fixed", id="machine in a tag"),
    pytest.param(
        [lambda spec: behind_an_interface(spec, address="10.20.0.20")],
        [lambda spec: behind_an_interface(spec, OTHER, address="10.20.0.20"), described],
        "aws.instance.fixed",
        id="machine in a tag, with an address and a group",
    ),
    pytest.param(
        [behind_an_interface],
        [lambda spec: behind_an_interface(spec, OTHER), described],
        "aws.instance.fixed",
        id="machine in a tag, with a group",
    ),
    pytest.param([group], [group, elsewhere], "aws.subnet.a", id="subnet of a group that runs nothing"),
]


@pytest.mark.parametrize("before, after, address", REPLACED)
def test_replaced_at_once(stack, cloud, before, after, address):
    write(stack, *before)
    apply(stack)
    old = ids_of(stack)[address]
    write(stack, *after)
    assert plan(stack, status=2).actions[address].operation == "replace"
    apply(stack)
    assert ids_of(stack)[address] != old
    plan_is_empty(stack)


def test_one_takes_the_name_of_another_that_is_mentioned(stack, cloud):
    write(stack, in_template)
    apply(stack)
    write(stack, renamed, lambda spec: in_template(spec, "site"))
    apply(stack)
    plan_is_empty(stack)


def test_new_one_first_where_both_can_be_there(stack, cloud):
    """What mentions it is never without one."""
    write(stack, in_template)
    apply(stack)
    write(stack, in_template, described, lambda spec: spec["aws.security_group"]["web"].update(name="www"))
    apply(stack)
    [run, *_] = stack.run("state", "history", "--output", "json").json["runs"]
    calls = [call["operation"] for call in stack.run("state", "history", run["id"], "--output", "json").json["calls"]]
    assert calls.index("CreateSecurityGroup") < calls.index("ModifyLaunchTemplate") < calls.index("DeleteSecurityGroup")
    plan_is_empty(stack)


@pytest.mark.parametrize(
    "before, edit, address, user",
    [
        pytest.param(
            lambda spec: group(spec, 1), elsewhere, "aws.subnet.a", "aws.autoscaling_group.fleet", id="subnet it is launched in"
        ),
        pytest.param(
            lambda spec: group(spec, 1, security_groups=[Ref("aws.security_group.web")]),
            described, "aws.security_group.web", "aws.launch_template.small", id="group it is launched with",
        ),
    ],
)  # fmt: skip
def test_refused_where_something_runs_by_it(stack, cloud, before, edit, address, user):
    write(stack, before)
    apply(stack)
    cloud.sim("pass", 600)
    write(stack, before, edit)
    [error] = errors_of(stack.run("plan", "--output", "json", status=1).json)
    assert error["address"] == address and "before the old one is deleted" in error["message"]
    assert f"have '{user}' do without it and apply that first" in error["hint"]


@pytest.mark.parametrize("image", ["ami-0123456789abcdef0", "ami-0fedcba9876543210"], ids=["stays", "is replaced"])
def test_refused_where_it_is_mentioned_and_used(stack, cloud, image):
    """By a machine of which a new one is made first, if any. Its tag comes before the use of the group."""
    text = """\
stack: s
providers: {aws: {region: eu-central-1}}
aws.vpc: {main: {cidr: 10.20.0.0/16}}
aws.subnet: {a: {vpc: main, cidr: 10.20.0.0/24}}
aws.security_group: {web: {vpc: main, name: web, description: old}}
aws.instance:
  user:
    tags: {for: '${aws.security_group.web.id}'}
    security_groups: [web]
    image: ami-0123456789abcdef0
    instance_type: t3.micro
    subnet: a
    lifecycle: {create_before_destroy: true}
"""
    stack.write("stack.yaml", text)
    apply(stack)
    stack.write("stack.yaml", text.replace("old", "new").replace("ami-0123456789abcdef0", image))
    [error] = errors_of(stack.run("plan", "--output", "json", status=1).json)
    assert "have 'aws.instance.user' do without it and apply that first" in error["hint"]


def test_refused_where_something_runs_by_what_another_takes_the_name_of(stack, cloud):
    """The template that is to name the new group has launched machines with the old one, which keep that."""
    write(stack, lambda spec: group(spec, 1, security_groups=[Ref("aws.security_group.web")]))
    apply(stack)
    cloud.sim("pass", 600)
    write(stack, renamed, lambda spec: group(spec, 1, security_groups=[Ref("aws.security_group.site")]))
    [error] = errors_of(stack.run("plan", "--output", "json", status=1).json)
    assert error["message"].startswith("these steps wait for each other: ")
    assert "trueup state mv aws.security_group.web aws.security_group.site" in error["hint"]


def test_a_group_that_moves_holds_nothing_that_it_mentions(stack, cloud):
    """Its instances go with it to another subnet; a tag that names the one they leave does not say otherwise."""

    def placed(name, **tags):
        def edit(spec):
            group(spec, 1)
            spec["aws.subnet"] = {each: spec["aws.subnet"][each] for each in {name, "b"}}
            fleet = spec["aws.autoscaling_group"]["fleet"]
            fleet["subnets"] = [Ref(f"aws.subnet.{name}")]
            fleet["tags"] = [{"key": key, "value": value, "propagate": False} for key, value in tags.items()]

        return edit

    write(stack, placed("a", net="${aws.subnet.a.id}"))
    apply(stack)
    cloud.sim("pass", 120)
    write(stack, placed("b"))
    planned = plan(stack, status=2)
    assert planned.actions["aws.subnet.a"].operation == "delete" and planned.data["running"] == []
    apply(stack)
    plan_is_empty(stack)


def test_a_group_follows_a_subnet_that_it_names_by_two_outputs(stack, cloud):
    """It is one subnet all the same."""

    def follows(spec):
        group(spec)
        spec["aws.autoscaling_group"]["fleet"]["subnets"] = ["${coalesce(aws.subnet.a.id, aws.subnet.a.arn)}"]

    def moves(spec):
        spec["aws.vpc"]["other"] = {"cidr": "10.30.0.0/16"}
        spec["aws.subnet"]["a"] |= {"vpc": Ref("aws.vpc.other"), "cidr": "10.30.0.0/24"}

    write(stack, follows)
    apply(stack)
    write(stack, follows, moves)
    assert plan(stack, status=2).actions["aws.autoscaling_group.fleet"].operation == "replace"
    apply(stack)
    plan_is_empty(stack)


def test_what_was_left_behind_comes_back_though_a_text_names_its_network(stack, cloud):
    """What it lies in the field says that refers to it, and no description made of its id."""

    def named(name):
        said = {"name": name, "description": "of ${aws.vpc.main.id}", "lifecycle": {"create_before_destroy": True}}
        return lambda spec: spec["aws.security_group"]["web"].update(said)

    write(stack, named("one"))
    apply(stack)
    old = ids_of(stack)["aws.security_group.web"]
    write(stack, named("two"))
    cloud.fault("CreateSecurityGroup", "deny")
    stack.run("apply", "--yes", status=(1, 7))
    fault = cloud.fault("DeleteSecurityGroup", "deny", 1, 0)
    stack.run("apply", "--yes", status=7)
    cloud.heal(fault)
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    stack.run("undo", run, "--yes")
    assert ids_of(stack)["aws.security_group.web"] == old
