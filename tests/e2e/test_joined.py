"""A rule that names a group of another VPC, which AWS takes where the two are peered: of that no spec tells."""

import pytest

from simulator import simulator  # noqa: F401
from test_take_back import site  # noqa: F401
from trueup_runner import Expression, Ref, apply, errors_of, ids_of, spec_text

A, B = "aws.security_group.a", "aws.security_group.b"


def write(stack, groups, vpcs="ab", **rules):
    """Groups in VPCs of their names; rules: the groups that the rules of each name."""

    def group(name):
        named = [{"protocol": "tcp", "from_port": 1, "to_port": 1, "group": each} for each in rules.get(name, ())]
        return {"vpc": Ref(f"aws.vpc.{name}"), "name": name, "description": "d", **({"ingress": named} if named else {})}

    networks = {name: {"cidr": f"10.{'ab'.index(name)}.0.0/16"} for name in vpcs}
    spec = {"aws.vpc": networks, "aws.security_group": {name: group(name) for name in groups}}
    stack.write("stack.yaml", spec_text({kind: each for kind, each in spec.items() if each}))


@pytest.mark.parametrize(
    "before, after, made",
    [
        pytest.param(("", ""), {"a": [Ref(B)]}, "aws.vpc.a", id="both"),
        pytest.param(("a", "a"), {"a": [Ref(B)]}, "aws.vpc.b", id="that of what is named"),
        pytest.param(("a", "a"), {"b": [Ref(A)]}, "aws.vpc.b", id="that of what names it"),
        pytest.param(("", "a"), {"a": [Ref(B)]}, "aws.vpc.b", id="that of what is named, by a new one"),
    ],
)
def test_refused_where_a_vpc_is_only_made(stack, cloud, before, after, made):
    """Nobody can have peered that: the service said so when half was done, after five minutes of further attempts."""
    groups, vpcs = before
    if vpcs:
        write(stack, groups, vpcs)
        apply(stack)
    there = cloud.show()
    write(stack, "ab", **after)
    [naming] = after
    for words in ("plan",), ("apply", "--yes"):
        [error] = errors_of(stack.run(*words, "--output", "json", status=1).json)
        assert error["address"] == f"aws.security_group.{naming}"
        assert f"nothing can have joined '{made}' with anything" in error["message"]
        assert "join the two by hand" in error["hint"]
    assert cloud.show() == there


def test_refused_at_once_where_both_are_there(stack, cloud):
    """The groups are new, and would be waited for: but that is not what the service says of them."""
    write(stack, "")
    apply(stack)
    write(stack, "ab", a=[Ref(B)])
    done = stack.run("apply", "--yes", "--output", "json", status=7).json
    [error] = errors_of(done)
    assert "InvalidGroup.OtherNetwork" in error["message"] and "peered" in error["hint"]
    assert done["applied"]["elapsed_ms"] < 60 * 1000 and B in ids_of(stack)


@pytest.mark.parametrize("thing", ["rule", "machine", "subnet"])
def test_what_was_never_made_is_not_waited_for(stack, cloud, thing):
    """A slip in an id: what the call names beside it is new, and the message tells which of them is not there."""
    missing = "sg-0123456789abcdef0"
    rule = {"protocol": "tcp", "from_port": 1, "to_port": 1, "group": missing}
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
    subnet = {"vpc": Ref("aws.vpc.a"), "cidr": "10.0.1.0/24"}
    ways = {
        "rule": {"aws.security_group": {"a": {"vpc": Ref("aws.vpc.a"), "name": "a", "description": "d", "ingress": [rule]}}},
        "machine": {"aws.subnet": {"a": subnet}, "aws.instance": {"m": {**machine, "subnet": Ref("aws.subnet.a"), "security_groups": [missing]}}},
        "subnet": {
            "aws.subnet": {"a": subnet},
            "aws.route_table": {"t": {"vpc": Ref("aws.vpc.a"), "subnets": [Ref("aws.subnet.a"), "subnet-0123456789abcdef0"]}},
        },
    }
    stack.write("stack.yaml", spec_text({"aws.vpc": {"a": {"cidr": "10.0.0.0/16"}}, **ways[thing]}))
    done = stack.run("apply", "--yes", "--output", "json", status=7).json
    [error] = errors_of(done)
    assert "NotFound" in error["message"] and "0123456789abcdef0" in error["message"]
    assert done["applied"]["elapsed_ms"] < 60 * 1000


@pytest.mark.parametrize("table_age_s", [100, 600])
def test_what_a_message_names_beside_no_id_of_its_kind_is_waited_for(stack, cloud, table_age_s):
    """An interface has no kind of its own: the machine that it came with is new, and it may be known a moment later."""
    subnet = {"vpc": Ref("aws.vpc.a"), "cidr": "10.0.1.0/24"}
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.a")}
    spec = {"aws.vpc": {"a": {"cidr": "10.0.0.0/16"}}, "aws.subnet": {"a": subnet}}
    stack.write("stack.yaml", spec_text({**spec, "aws.route_table": {"t": {"vpc": Ref("aws.vpc.a")}}}))
    apply(stack)
    stack.run("sim", "pass", table_age_s)
    route = {"destination": "0.0.0.0/0", "interface": Expression("${aws.instance.m.interface}")}
    table = {"vpc": Ref("aws.vpc.a"), "routes": [route]}
    stack.write("stack.yaml", spec_text({**spec, "aws.instance": {"m": machine}, "aws.route_table": {"t": table}}))
    cloud.fault("CreateRoute", "stale", 1, 2)
    apply(stack)


@pytest.mark.parametrize("missing", ["The security group 'sg-1111111111111111a'", "The key pair 'office'"])
def test_what_a_template_names_and_is_not_known_yet_is_waited_for(site, missing):  # noqa: F811
    """Auto Scaling names what the call does not: a short word of the call, as a version, may stand in that by chance."""
    network = {"aws.vpc": {"a": {"cidr": "10.0.0.0/16"}}, "aws.subnet": {"a": {"vpc": Ref("aws.vpc.a"), "cidr": "10.0.1.0/24"}}}
    template = {"name": "web", "image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
    group = {
        "name": "off",
        "launch_template": Ref("aws.launch_template.t"),
        "launch_template_version": Expression("${aws.launch_template.t.latest_version}"),
        "subnets": [Ref("aws.subnet.a")],
        "min": 0,
        "max": 0,
    }
    things = {**network, "aws.launch_template": {"t": template}, "aws.autoscaling_group": {"g": group}}
    message = f"You must use a valid fully-formed launch template. {missing} does not exist"
    body = f"<ErrorResponse><Error><Code>ValidationError</Code><Message>{message}</Message></Error></ErrorResponse>"
    refused = []

    def refuse(fields):
        if fields["Action"] != "CreateAutoScalingGroup" or len(refused) == 2:
            return None
        refused.append(fields["AutoScalingGroupName"])
        return 400, body.encode()

    site.proxy.answer = refuse
    site.stack.write("stack.yaml", spec_text(things))
    apply(site.stack)
    assert refused == ["off", "off"]
