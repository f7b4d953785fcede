"""Outputs that another value takes the place of: by somebody else, by a change in place, or for good.

Each story is told by a security group that admits an instance by its public address: whoever has the former one is a
stranger.
"""

import pytest

from trueup_runner import Ref, apply, errors_of, ids_of, plan, plan_is_empty, spec_text

INSTANCE = "aws.instance.i"
GROUP = "aws.security_group.allow"
ADDRESS = "${aws.instance.i.public_address}"


def resources(dependent=True, **fields):
    told = {
        "aws.vpc": {"v": {"cidr": "10.50.0.0/16"}},
        "aws.subnet": {"p": {"vpc": Ref("aws.vpc.v"), "cidr": "10.50.1.0/24"}},
        "aws.instance": {
            "i": {
                "image": "ami-0123456789abcdef0",
                "instance_type": "t3.micro",
                "subnet": Ref("aws.subnet.p"),
                "public_ip": True,
                **fields,
            }
        },
    }
    if dependent:
        rule = {"protocol": "tcp", "from_port": 22, "to_port": 22, "cidr": f"{ADDRESS}/32"}
        told["aws.security_group"] = {
            "allow": {"vpc": Ref("aws.vpc.v"), "name": "allow", "description": "who may", "ingress": [rule]}
        }
    return told


def write(stack, dependent=True, **fields):
    stack.write("stack.yaml", spec_text(resources(dependent, **fields), outputs={"pub": ADDRESS}))


def live_address(stack, cloud):
    identity = ids_of(stack)[INSTANCE]
    [instance] = cloud.client().describe_instances(InstanceIds=[identity])["Reservations"][0]["Instances"]
    return instance.get("PublicIpAddress")


def admitted(stack, cloud):
    [group] = cloud.client().describe_security_groups(GroupIds=[ids_of(stack)[GROUP]])["SecurityGroups"]
    return [each["CidrIp"] for rule in group["IpPermissions"] for each in rule["IpRanges"]]


def told(stack, status=0):
    return stack.run("output", "pub", status=status).out.strip()


@pytest.mark.parametrize("dependent", [True, False])
def test_a_public_address_that_is_taken_away(stack, cloud, dependent):
    write(stack, dependent)
    apply(stack)
    assert told(stack) == live_address(stack, cloud)
    # A listing shows what was before for a while.
    cloud.change("settings", "settings", lag_ms=15000)
    write(stack, dependent=False, public_ip=False)
    apply(stack)
    assert live_address(stack, cloud) is None
    assert told(stack, status=1) == ""
    plan_is_empty(stack)


@pytest.mark.parametrize("dependent", [True, False])
def test_a_public_address_that_is_given(stack, cloud, dependent):
    write(stack, dependent=False, public_ip=False)
    apply(stack)
    cloud.change("settings", "settings", lag_ms=15000)
    write(stack, dependent)
    apply(stack)
    assert told(stack) == live_address(stack, cloud)
    if dependent:
        assert admitted(stack, cloud) == [told(stack) + "/32"]
    plan_is_empty(stack)


def test_a_public_address_that_somebody_gives(stack, cloud):
    """What was private is public now: a nightly look at it is not green."""
    write(stack, dependent=False, public_ip=False)
    apply(stack)
    stack.run("drift")
    cloud.change("instance", ids_of(stack)[INSTANCE], ipAddress="5.5.5.5")
    result = stack.run("drift", status=2)
    assert "public_address  unset, now 5.5.5.5" in result.out
    planned = plan(stack, status=2)
    assert causes(planned) == {(INSTANCE, "public_address", "drift", "record")}
    apply(stack)
    assert told(stack) == "5.5.5.5"
    plan_is_empty(stack)
    stack.run("drift")


def stop_and_start(stack, cloud):
    identity = ids_of(stack)[INSTANCE]
    for call in ("stop_instances", "start_instances"):
        getattr(cloud.client(), call)(InstanceIds=[identity])
        cloud.sim("pass", 120)


def causes(planned):
    return {
        (address, each["path"].partition("[")[0], each["cause"], each["effect"])
        for address, action in planned.actions.items()
        for each in action.changes
    }


@pytest.mark.parametrize("saved", [False, True])
def test_another_public_address_after_a_stop_by_hand(stack, cloud, saved):
    write(stack)
    apply(stack)
    before = told(stack)
    stop_and_start(stack, cloud)
    after = live_address(stack, cloud)
    assert after != before
    result = stack.run("drift", status=2)
    assert f"public_address  {before}, now {after}" in result.out
    planned = plan(stack, "--out", "saved.plan", status=2)
    assert planned.operations() == {INSTANCE: "record", GROUP: "update"}
    assert causes(planned) == {
        (INSTANCE, "public_address", "drift", "record"),
        # The spec says the same as ever.
        (GROUP, "ingress", "target", "set"),
    }
    apply(stack, *(["saved.plan"] if saved else []))
    assert told(stack) == after and admitted(stack, cloud) == [after + "/32"]
    plan_is_empty(stack)
    stack.run("drift")


def test_another_public_address_of_which_nothing_makes_use(stack, cloud):
    write(stack, dependent=False)
    apply(stack)
    stop_and_start(stack, cloud)
    assert plan(stack, status=2).operations() == {INSTANCE: "record"}
    apply(stack)
    assert told(stack) == live_address(stack, cloud)
    plan_is_empty(stack)


def place_of(stack, text):
    """Line and column, from 1, of the first place where the spec has the text."""
    for number, line in enumerate((stack.folder / "stack.yaml").read_text().splitlines(), 1):
        if text in line:
            return number, line.index(text) + 1
    raise AssertionError(f"the spec has no {text}")


def warnings_of(document):
    return [each["message"] for each in document["diagnostics"] if each["severity"] == "warning"]


def test_an_output_that_ceases_is_told_where_it_is_referred_to(stack, cloud):
    write(stack)
    apply(stack)
    write(stack, public_ip=False)
    for command in ("plan", "apply", "plan"):
        result = stack.run(command, "--output", "json", *(["--yes"] if command == "apply" else []), status=1)
        [error] = errors_of(result.json)
        ceases = f"'{INSTANCE}' will have no 'public_address' as its 'public_ip' is false"
        assert error["message"] == f"{ceases}: '{GROUP}' needs it"
        line, column = place_of(stack, f'"{ADDRESS}/32"')
        assert (error["file"], error["line"], error["column"]) == ("stack.yaml", line, column) and error["hint"]
        assert warnings_of(result.json) == [f"{ceases}: output 'pub' will have no value"]
    # Before its first call.
    assert admitted(stack, cloud) == [live_address(stack, cloud) + "/32"]


def test_a_new_object_that_will_lack_an_output(stack, cloud):
    write(stack, public_ip=False)
    [error] = errors_of(plan(stack, status=1).data)
    assert error["message"].startswith(f"'{INSTANCE}' will have no 'public_address'")
    write(stack, running=False)
    [error] = errors_of(plan(stack, status=1).data)
    assert "as its 'running' is false" in error["message"]


def test_an_output_that_reality_lacks_is_a_warning(stack, cloud):
    write(stack, dependent=False)
    apply(stack)
    cloud.client().stop_instances(InstanceIds=[ids_of(stack)[INSTANCE]])
    cloud.sim("pass", 120)
    apply(stack)
    write(stack)
    lacks = f"'{INSTANCE}' has no 'public_address', and nothing in this plan gives it one"
    document = stack.run("plan", "--output", "json").json
    assert warnings_of(document) == [f"{lacks}: output 'pub' will have no value", f"{lacks}: '{GROUP}' needs it"]
    # What else is to be done is not held up.
    [error] = errors_of(apply(stack, "--output", "json", status=7).json)
    assert error["message"] == f"'{INSTANCE}' has no 'public_address', which '{GROUP}' needs"


def test_an_output_that_ceased_is_told_by_the_plan_that_finds_it(stack, cloud):
    """The rule is not left as it is for one apply more: the address may be a stranger's by then."""
    write(stack)
    apply(stack)
    cloud.client().stop_instances(InstanceIds=[ids_of(stack)[INSTANCE]])
    cloud.sim("pass", 120)
    planned = plan(stack, status=2)
    assert planned.operations() == {INSTANCE: "record", GROUP: "update"}
    lacks = f"'{INSTANCE}' has no 'public_address', and nothing in this plan gives it one"
    assert warnings_of(planned.data) == [f"{lacks}: output 'pub' will have no value", f"{lacks}: '{GROUP}' needs it"]


def test_a_change_that_stops_the_instance_renews_its_public_address(stack, cloud):
    write(stack)
    apply(stack)
    before = told(stack)
    write(stack, instance_type="t3.small")
    assert plan(stack, status=2).operations() == {INSTANCE: "update", GROUP: "update"}
    apply(stack)
    assert told(stack) == live_address(stack, cloud) != before
    assert admitted(stack, cloud) == [told(stack) + "/32"]
    plan_is_empty(stack)


@pytest.mark.parametrize("vpc", [{"ipv6": False}, {}])
def test_an_output_of_the_stack_that_loses_its_value(stack, cloud, vpc):
    def spec(**fields):
        told = {"aws.vpc": {"v": {"cidr": "10.50.0.0/16", **fields}}}
        stack.write("stack.yaml", spec_text(told, outputs={"range": "${aws.vpc.v.ipv6_cidr}"}))

    spec(ipv6=True)
    apply(stack)
    assert warnings_of(plan(stack, status=0).data) == []
    spec(**vpc)
    said = "false" if vpc else "not set"
    lacks = f"'aws.vpc.v' will have no 'ipv6_cidr' as its 'ipv6' is {said}: output 'range' will have no value"
    assert warnings_of(plan(stack, status=2).data) == [lacks]
    apply(stack)
    assert warnings_of(plan(stack, status=0).data) == [lacks]
