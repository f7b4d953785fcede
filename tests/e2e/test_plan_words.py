"""What a plan, a drift and an apply say is so: no less than what happens, and no more."""

import re
import shutil

import pytest

from cli import digest, edit, recorded, tiny  # noqa: F401
from conftest import REGION
from trueup_runner import Expression, Ref, apply, ids_of, plan, plan_is_empty, spec_text

INSTANCE = "aws.instance.i"
IMAGE = "ami-0123456789abcdef0"
NETWORK = {
    "aws.vpc": {"v": {"cidr": "10.50.0.0/16"}},
    "aws.subnet": {"p": {"vpc": Ref("aws.vpc.v"), "cidr": "10.50.1.0/24"}},
}
PAUSES = "stops and starts the machine"


def instance(**fields):
    machine = {"image": IMAGE, "instance_type": "t3.micro", "subnet": Ref("aws.subnet.p"), **fields}
    return {**NETWORK, "aws.instance": {"i": machine}}


def write(stack, resources, **sections):
    stack.write("stack.yaml", spec_text(resources, **sections))


def pausing(planned):
    return {each["path"] for each in planned.actions[INSTANCE].changes if each["pauses"]}


@pytest.mark.parametrize(
    ("before", "after", "stops"),
    [
        ({}, {"instance_type": "t3.small"}, {"instance_type"}),
        ({"user_data": "a"}, {}, {"user_data"}),
        ({}, {"enclave": True, "ebs_optimized": True, "monitoring": True}, {"enclave", "ebs_optimized"}),
        ({}, {"cpu": {"cores": 1, "threads_per_core": 1}}, {"cpu"}),
        ({}, {"monitoring": True, "tags": {"a": "b"}}, set()),
        # Another machine, and none that is stopped for it.
        ({}, {"instance_type": "t3.small", "image": "ami-0123456789abcdef1"}, set()),
        ({"running": False}, {"running": False, "instance_type": "t3.small"}, set()),
        ({"running": False}, {"running": True, "instance_type": "t3.small"}, set()),
        # That is what the change of `running` says.
        ({}, {"running": False, "instance_type": "t3.small"}, set()),
    ],
)
def test_a_change_that_stops_the_machine_says_so(stack, cloud, before, after, stops):
    write(stack, instance(**before))
    apply(stack)
    write(stack, instance(**after))
    for arguments in ([], ["--refresh=none"]):
        assert pausing(plan(stack, *arguments, status=2)) == stops
        shown = stack.run("plan", "--out", "saved.plan", *arguments).out
        assert shown.count(PAUSES) == len(stops)
        assert stack.run("show", "saved.plan").out.count(PAUSES) == len(stops)


def test_drift_that_takes_a_stop_to_revert_says_so(stack, cloud):
    write(stack, instance())
    apply(stack)
    client, identity = cloud.client(), ids_of(stack)[INSTANCE]
    client.stop_instances(InstanceIds=[identity])
    cloud.sim("pass", 120)
    client.modify_instance_attribute(InstanceId=identity, InstanceType={"Value": "t3.large"})
    assert PAUSES not in stack.run("plan").out
    client.start_instances(InstanceIds=[identity])
    cloud.sim("pass", 120)
    assert f"instance_type  t3.micro, now t3.large   will revert, {PAUSES}\n" in stack.run("plan").out
    assert PAUSES not in stack.run("drift", status=2).out


TEMPLATE = "aws.launch_template.t"


@pytest.mark.parametrize(
    ("versions", "kind", "default", "drifted", "planned"),
    [
        # Nobody touched the default version: it is to follow the one that somebody made.
        (1, "t3.micro", None, [("latest_version", 1, 2)], [("default_version", 1, 2, "target", "set")]),
        (1, "t3.micro", "2", [("latest_version", 1, 2), ("default_version", 1, 2)], []),
        # Another version is to come, of a number that nobody knows.
        (1, "t3.large", None, [], []),
        (2, "t3.large", "2", [("default_version", 1, 2)], [("default_version", 1, 2, "drift", "moved")]),
        (
            2,
            "t3.micro",
            "2",
            [("latest_version", 1, 3), ("default_version", 1, 2)],
            [("default_version", 1, 2, "drift", "moved"), ("default_version", 2, 3, "target", "set")],
        ),
    ],
)
def test_drift_of_a_default_version_is_what_was_recorded_against_what_is(
    stack, cloud, versions, kind, default, drifted, planned
):
    write(stack, {"aws.launch_template": {"t": {"name": "worker", "instance_type": "t3.micro"}}})
    apply(stack)
    client, identity = cloud.client(), ids_of(stack)[TEMPLATE]
    for _ in range(versions):
        client.create_launch_template_version(
            LaunchTemplateId=identity, LaunchTemplateData={"InstanceType": kind}
        )
    if default:
        client.modify_launch_template(LaunchTemplateId=identity, DefaultVersion=default)
    [action] = stack.run("drift", "--output", "json", status=2).json["actions"]
    told = {(each["path"], each["before"], each["after"]) for each in action["changes"]}
    moved = {("instance_type", kind, "t3.micro")} if kind != "t3.micro" else set()
    assert told == {(path, str(before), str(after)) for path, before, after in drifted} | moved
    shown = stack.run("drift", status=2).out
    for path, before, after in drifted:
        assert f"{before}, now {after}\n" in shown.split(path, 1)[1]
    assert "is to" not in shown and "outside\n" not in shown.partition("outside of this stack\n")[2]
    changes = [
        (each["path"], int(each["before"]), int(each["after"]), each["cause"], each["effect"])
        for each in plan(stack, status=2).actions[TEMPLATE].changes
        if each["path"] != "instance_type" and each["effect"] != "record"
    ]
    assert changes == planned


def template(**fields):
    """It refers to a group, so that what the spec says of it is an expression, and what is recorded an id."""
    group = {"g": {"name": "g", "description": "d", "vpc": Ref("aws.vpc.v")}}
    fields = {"name": "worker", "image": "ami-0123456789abcdef0", "security_groups": [Ref("aws.security_group.g")], **fields}
    return {"aws.vpc": {"v": {"cidr": "10.50.0.0/16"}}, "aws.security_group": group, "aws.launch_template": {"t": fields}}


@pytest.fixture
def moved_default(stack, cloud):
    """The template has a second version, and others have made the first one its default again."""
    for kind in "t3.micro", "t3.small":
        write(stack, template(instance_type=kind))
        apply(stack)
    cloud.client().modify_launch_template(LaunchTemplateId=ids_of(stack)[TEMPLATE], DefaultVersion="1")


@pytest.mark.usefixtures("moved_default")
def test_a_default_version_that_others_moved_is_drift_whatever_the_template_refers_to(stack):
    [action] = stack.run("drift", "--output", "json", status=2).json["actions"]
    assert [(each["path"], each["before"], each["after"]) for each in action["changes"]] == [("default_version", "1", "2")]
    apply(stack)
    plan_is_empty(stack)
    stack.run("drift")


@pytest.mark.usefixtures("moved_default")
@pytest.mark.parametrize(
    ("edit", "told"),
    [({"instance_type": "t3.large"}, ("drift", "moved", "2", "1")), ({"tags": {"a": "1"}}, ("drift", "set", "1", "2"))],
    ids=["by another version", "by none"],
)
def test_a_default_version_that_others_moved_is_told_beside_an_edit(stack, edit, told):
    """No number is said of a version that is yet to be made."""
    write(stack, template(**{"instance_type": "t3.small", **edit}))
    planned = plan(stack, status=2)
    changes = [each for each in planned.actions[TEMPLATE].changes if each["path"] == "default_version"]
    assert [(each["cause"], each["effect"], each["before"], each["after"]) for each in changes] == [told]
    assert "1 drift" in stack.run("plan").out
    apply(stack)
    plan_is_empty(stack)
    stack.run("drift")


def interfaces(**second):
    first = {"device_index": 0, "description": "a"}
    subnets = {**NETWORK["aws.subnet"], "q": {"vpc": Ref("aws.vpc.v"), "cidr": "10.50.2.0/24"}}
    return {**instance(interfaces=[first, {"device_index": 1, **second}]), "aws.subnet": subnets}


@pytest.mark.parametrize(
    ("second", "lines"),
    [
        ({"subnet": Ref("aws.subnet.q"), "description": "b"}, [r"interfaces\[1\]\.subnet +subnet-\w+ -> subnet-\w+"]),
        (
            {"subnet": Ref("aws.subnet.q"), "description": "c"},
            [r"interfaces\[1\]\.subnet +subnet-\w+ -> subnet-\w+", r"interfaces\[1\]\.description +b -> c"],
        ),
        (
            {"subnet": Ref("aws.subnet.p"), "description": "b", "delete_on_termination": True},
            [r"interfaces\[1\]\.delete_on_termination +unset -> true"],
        ),
    ],
)
def test_the_member_that_needs_a_new_object_is_named(stack, cloud, second, lines):
    write(stack, interfaces(subnet=Ref("aws.subnet.p"), description="b"))
    apply(stack)
    write(stack, interfaces(**second))
    shown = [line for line in stack.run("plan").out.splitlines() if "interfaces" in line]
    assert len(shown) == len(lines)
    for line, pattern in zip(shown, lines, strict=True):
        assert re.fullmatch(rf" +{pattern} +needs a new object", line), line


def test_where_nothing_could_be_read_nothing_is_said_of_it(stack, cloud):
    write(stack, NETWORK)
    apply(stack)
    cloud.sim("fault", "DescribeVpcs", "deny")
    for command, good in (("plan", "nothing to do: what could be compared is as the spec says"), ("drift", "no drift")):
        assert good in stack.run(command, status=3).out
    cloud.sim("fault", "DescribeSubnets", "deny")
    for command in ("plan", "drift"):
        shown = stack.run(command, status=3).out
        assert shown.endswith("nothing could be read, so nothing is known of what is there\n2 unread\n")


def test_what_a_create_hands_back_changed_nothing(stack, cloud):
    """EC2 answers CreateCustomerGateway with the one that is there, where its parameters are the same."""
    cloud.client().create_customer_gateway(Type="ipsec.1", BgpAsn=65010, PublicIp="198.51.100.7")
    write(stack, {"aws.customer_gateway": {"c": {"address": "198.51.100.7", "asn": 65010}}})
    result = apply(stack, status=1)
    assert "not applied: 0 done, 1 failed, 0 skipped, " in result.out
    assert result.out.endswith("nothing was changed\n") and "use the id of what exists" in result.err
    assert stack.run("state", "history", "--output", "json").json["runs"][0]["outcome"] == "failed"


def test_without_a_state_file_the_first_thing_to_try_is_to_rebuild_it(stack, cloud):
    write(stack, NETWORK)
    apply(stack)
    shutil.rmtree(stack.folder / ".trueup")
    for command in (["plan"], ["drift"], ["plan", "--destroy"], ["apply", "--yes"], ["destroy", "--yes"], ["state", "list"]):
        told = stack.run(*command, status=None).err
        assert "state rebuild" in told.split("hint: ", 1)[1].splitlines()[0], command
        shutil.rmtree(stack.folder / ".trueup", ignore_errors=True)


def test_what_stays_as_it_is_shows_no_step(stack, cloud):
    write(stack, {"aws.vpc": {"v": {"cidr": "10.50.0.0/16", "dns_support": True}}})
    apply(stack)
    write(stack, {"aws.vpc": {"v": {"cidr": "10.50.0.0/16"}}})
    assert "      dns_support   true   already so, will be recorded\n" in stack.run("plan").out


def rule(port, cidr):
    return {"protocol": "tcp", "from_port": port, "to_port": port, "cidr": cidr}


def group(**fields):
    return {"aws.security_group": {"g": {"vpc": Ref("aws.vpc.v"), "name": "g", "description": "a", **fields}}}


def table(vpc, **fields):
    return {
        "aws.vpc": {"v": {"cidr": "10.50.0.0/16"}, "w": {"cidr": "10.51.0.0/16"}},
        "aws.internet_gateway": {"i": {"vpc": Ref("aws.vpc.w")}},
        "aws.route_table": {"t": {"vpc": Ref(f"aws.vpc.{vpc}"), **fields}},
    }


def tunnels(**fields):
    return {
        "aws.customer_gateway": {"c": {"address": "198.51.100.7"}},
        "aws.vpn_gateway": {"g": {"vpc": Ref("aws.vpc.v")}},
        "aws.vpn_connection": {
            "c": {"customer_gateway": Ref("aws.customer_gateway.c"), "vpn_gateway": Ref("aws.vpn_gateway.g"), **fields}
        },
    }


@pytest.mark.parametrize(
    ("address", "before", "after", "told"),
    [
        (
            "aws.security_group.g",
            group(ingress=[rule(22, "10.0.0.0/8")]),
            group(description="b", ingress=[rule(22, "0.0.0.0/0")]),
            {"ingress[tcp 22 22 10.0.0.0/8]": "removed: {", "ingress[tcp 22 22 0.0.0.0/0]": "added: {"},
        ),
        (
            "aws.security_group.g",
            group(egress=[rule(443, "10.0.0.0/8")]),
            group(description="b"),
            {"egress": "no longer managed, goes with the old object"},
        ),
        (
            "aws.route_table.t",
            table("v"),
            table("w", routes=[{"destination": "0.0.0.0/0", "internet_gateway": Ref("aws.internet_gateway.i")}]),
            {"routes[0.0.0.0/0]": "added: {destination: 0.0.0.0/0"},
        ),
        (
            "aws.vpn_connection.c",
            tunnels(static_routes_only=False),
            tunnels(static_routes_only=True, routes=["192.168.12.0/24"]),
            {"routes[192.168.12.0/24]": "added"},
        ),
    ],
)
def test_a_replace_tells_what_the_new_object_has_of_parts(stack, cloud, address, before, after, told):
    write(stack, {**NETWORK, **before})
    apply(stack)
    write(stack, {**NETWORK, **after})
    for arguments in ([], ["--refresh=none"]):
        planned = plan(stack, *arguments, status=2)
        assert planned.actions[address].operation == "replace"
        assert set(told) <= {each["path"] for each in planned.actions[address].changes}
        shown = stack.run("plan", *arguments).out
        for path, text in told.items():
            assert re.search(rf"^      {re.escape(path)} +.*{re.escape(text)}", shown, re.MULTILINE), path
    apply(stack)
    plan(stack)


def test_a_replace_tells_what_goes_of_what_others_added(stack, cloud):
    write(stack, {**NETWORK, **group()})
    apply(stack)
    client, identity = cloud.client(), ids_of(stack)["aws.security_group.g"]
    client.authorize_security_group_ingress(
        GroupId=identity, IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="0.0.0.0/0"
    )
    path = "ingress[tcp 22 22 0.0.0.0/0]"
    assert re.search(rf"{re.escape(path)} .*not managed, left as it is\n", stack.run("plan").out)
    write(stack, {**NETWORK, **group(description="b")})
    assert re.search(rf"{re.escape(path)} .*not managed, goes with the old object\n", stack.run("plan").out)


def test_an_undo_that_replaces_tells_of_parts(stack, cloud):
    write(stack, {**NETWORK, **group()})
    apply(stack)
    write(stack, {**NETWORK, **group(description="b", egress=[rule(443, "10.0.0.0/8")])})
    apply(stack)
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    shown = stack.run("undo", run, "--detailed-exitcode", status=2).out
    assert re.search(r"^      egress\[tcp 443 443 10.0.0.0/8\] +removed", shown, re.MULTILINE)
    assert re.search(r"^      egress\[all 0.0.0.0/0\] +added", shown, re.MULTILINE)


def test_a_value_that_is_not_known_yet_replaces_whatever_it_turns_out_to_be(stack, cloud):
    far = {"aws.customer_gateway": {"c": {"address": Expression("${aws.instance.i.public_address}")}}}
    write(stack, {**instance(public_ip=True), **far})
    apply(stack)
    write(stack, {**instance(public_ip=True, instance_type="t3.small"), **far})
    shown = stack.run("plan").out
    assert re.search(r"aws\.customer_gateway\.c .* REPLACE, cannot change in place\n", shown)
    assert re.search(r"^      address .*   not known yet, so it needs a new object$", shown, re.MULTILINE)
    apply(stack)
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    calls = re.findall(r"(DeleteCustomerGateway|StartInstances)", stack.run("state", "history", run).out)
    assert calls == ["DeleteCustomerGateway", "StartInstances"]


def test_what_is_protected_and_what_asks_for_another_one(stack, cloud):
    """The plan has no action of it that would show the fields."""
    kept = {"lifecycle": {"protect": True}}
    write(stack, {"aws.vpc": {"v": {"cidr": "10.50.0.0/16", **kept}}})
    apply(stack)
    write(stack, {"aws.vpc": {"v": {"cidr": "10.51.0.0/16", **kept}}})
    refused = stack.run("plan", status=1).err
    assert "'aws.vpc.v' is protected, and the change needs a new object" in refused
    assert "cause: 'cidr' cannot change in place\n" in refused


def test_what_becomes_of_the_lifecycle_is_shown_and_approved(tiny):  # noqa: F811
    """No call is sent for it, and yet a destroy and all later plans go by it."""
    tiny.run("apply", "--yes")
    nothing, written = digest(tiny.run("plan")), "tags: {team: red}"
    approved = {nothing}
    for said, shown in (
        ("{protect: true}", ["lifecycle.protect  false -> true"]),
        ("{protect: true, ignore: [tags, dns_support]}", ["lifecycle.ignore  [] -> [dns_support, tags]"]),
        ("{ignore: [dns_support, tags]}", ["lifecycle.protect  true -> false"]),
        ("{protect: true, ignore: [tags]}", ["lifecycle.protect  false -> true", "ignore  [dns_support, tags] -> [tags]"]),
        ("{ignore: [tags]}", ["lifecycle.protect  true -> false"]),
    ):
        edit(tiny, written, f"tags: {{team: red}}, lifecycle: {said}")
        written = f"tags: {{team: red}}, lifecycle: {said}"
        planned = tiny.run("plan", "--out", "p.plan")
        document = tiny.run("plan", "--output", "json").json
        [action] = document["actions"]
        assert action["operation"] == "record", document
        assert {(each["cause"], each["effect"]) for each in action["changes"]} == {("intent", "lifecycle")}, action
        for result in (planned, tiny.run("show", "p.plan")):
            lines = [line for line in result.out.splitlines() if line.startswith("      ")]
            assert all(re.search(re.escape(each).replace("\\ \\ ", " +"), result.out) for each in shown), result.out
            assert len(lines) == len(shown), result.out
        # Who approved that nothing is done did not approve this, and a destroy is still refused as before.
        tiny.run("apply", "--yes", "--digest", nothing, status=4)
        tiny.run("apply", "--yes", "--digest", digest(planned))
        assert digest(tiny.run("plan")) == nothing
        approved.add(digest(planned))
    assert len(approved) == 6, approved


def test_what_is_still_protected_is_so_whoever_approved_nothing(tiny):  # noqa: F811
    edit(tiny, "tags: {team: red}", "lifecycle: {protect: true}")
    tiny.run("apply", "--yes")
    nothing = digest(tiny.run("plan"))
    edit(tiny, ", lifecycle: {protect: true}", "")
    tiny.run("apply", "--yes", "--digest", nothing, status=4)
    assert "'aws.vpc.main' is protected" in tiny.run("destroy", "--yes", status=1).err


def test_a_saved_plan_takes_off_no_protection_that_came_after_it(tiny):  # noqa: F811
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    tiny.run("plan", "--out", "p.plan")
    edit(tiny, "tags: {team: blue}", "tags: {team: red}, lifecycle: {protect: true}")
    tiny.run("apply", "--yes")
    assert "'aws.vpc.main' has changed since the plan was made" in tiny.run("apply", "p.plan", status=4).err
    assert "'aws.vpc.main' is protected" in tiny.run("destroy", "--yes", status=1).err


# In the order of the document.
MEMBERS = """
schema command status stack lineage serial digest spec refreshed destroy managed read drift calls counts actions unread
running open unfinished unlisted diagnostics
""".split()


def test_the_document_of_a_plan(tiny):  # noqa: F811
    """What scripts and reviewers read."""
    first = tiny.run("plan", "--output", "json").json
    assert list(first) == MEMBERS
    assert [first[name] for name in ("serial", "refreshed", "destroy", "managed", "read")] == [0, True, False, 0, 0]
    assert [each["awaits_gone"] for each in first["actions"]] == [False] * 3
    tiny.run("apply", "--yes")
    edit(tiny, "10.0.0.0/16", "10.0.0.0/17")
    replaced = tiny.run("plan", "--output", "json").json
    assert [replaced[name] for name in ("managed", "read", "lineage")] == [3, 3, first["lineage"]]
    assert replaced["spec"] != first["spec"] and replaced["serial"] > 0
    down = {"aws.subnet.a": 0, "aws.subnet.b": 0, "aws.vpc.main": 2}
    assert {each["address"]: each["takes_down"] for each in replaced["actions"]} == down
    unread = tiny.run("plan", "--refresh=none", "--output", "json").json
    assert [unread[name] for name in ("refreshed", "managed", "read", "calls")] == [False, 3, 0, 0]
    assert tiny.run("plan", "--destroy", "--output", "json").json["destroy"] is True


def test_a_create_that_waits_for_an_end_says_so(tiny):  # noqa: F811
    """What is being deleted is gone before it is made anew."""
    tiny.write("more.yaml", "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    tiny.run("apply", "--yes")
    tiny.run("sim", "change", "customer-gateway", recorded(tiny)["aws.customer_gateway.c"], "state=deleting")
    [action] = tiny.run("plan", "--output", "json").json["actions"]
    assert (action["operation"], action["awaits_gone"]) == ("create", True)


@pytest.mark.parametrize("ignored, told", [("tags", True), ("zone", False)])
def test_what_a_replace_makes_of_ignored_fields(stack, cloud, ignored, told):
    """No change shows what others have made of them, nor that the new object has them as the spec says."""
    subnet = {"vpc": Ref("aws.vpc.v"), "zone": f"{REGION}a", "tags": {"team": "red"}, "lifecycle": {"ignore": [ignored]}}
    write(stack, {**NETWORK, "aws.subnet": {"p": {**subnet, "cidr": "10.50.1.0/24"}}})
    apply(stack)
    if told:
        cloud.sim("change", "subnet", ids_of(stack)["aws.subnet.p"], "tags.team=blue")
    assert plan(stack, status=0).data["diagnostics"] == []
    write(stack, {**NETWORK, "aws.subnet": {"p": {**subnet, "cidr": "10.50.2.0/24"}}})
    planned = plan(stack, status=2)
    assert planned.operations() == {"aws.subnet.p": "replace"}
    said = [each["message"] for each in planned.data["diagnostics"]]
    assert said == (
        ["'aws.subnet.p' is replaced: the new one has its 'tags' as it is said, and what others have set there is lost"]
        if told
        else []
    )


@pytest.mark.parametrize("others", [True, False])
def test_what_a_replace_makes_of_ignored_fields_that_nobody_says(stack, cloud, others):
    group = {"vpc": Ref("aws.vpc.v"), "name": "g", "lifecycle": {"ignore": ["ingress"]}}
    # Whatever the service gives any new one is no loss.
    subnet = {"vpc": Ref("aws.vpc.v"), "lifecycle": {"ignore": ["zone", "assign_ipv6_on_creation", "ipv6_native"]}}

    def both(description, cidr):
        named = {"g": {**group, "description": description}}
        return {**NETWORK, "aws.security_group": named, "aws.subnet": {"p": {**subnet, "cidr": cidr}}}

    write(stack, both("one", "10.50.1.0/24"))
    apply(stack)
    if others:
        cloud.client().authorize_security_group_ingress(
            GroupId=ids_of(stack)["aws.security_group.g"],
            IpPermissions=[{"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}],
        )
    write(stack, both("two", "10.50.2.0/24"))
    planned = plan(stack, status=2)
    assert planned.operations() == {"aws.security_group.g": "replace", "aws.subnet.p": "replace"}
    lost = "nobody says what 'ingress' the new one is to have, and what is set there now is lost"
    said = [each["message"] for each in planned.data["diagnostics"]]
    assert said == ([f"'aws.security_group.g' is replaced: {lost}"] if others else [])
