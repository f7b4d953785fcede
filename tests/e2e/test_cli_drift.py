"""Drift, and what cannot be read."""

import base64
import contextlib
import re
import sqlite3

import pytest

from cli import edit, recorded, tiny, world  # noqa: F401


def deny(stack, action, how="deny"):
    """Denies an action for ever, or has it fail otherwise; gives what takes the fault away again."""
    fault = stack.run("sim", "fault", action, how).out.split()[-1]
    return lambda: stack.run("sim", "remove", "fault", fault)


def test_no_drift(tiny):
    tiny.run("apply", "--yes")
    assert "no drift: what is there is as recorded" in tiny.run("drift").out
    # What the spec says meanwhile is no drift.
    edit(tiny, "team: red", "team: blue")
    edit(tiny, "  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
    tiny.run("drift")
    # Nor is what was not read before it said so.
    edit(tiny, "cidr: 10.0.0.0/16", "cidr: 10.0.0.0/16, dns_hostnames: true")
    tiny.run("drift")


MACHINES = """\
aws.instance:
  m: {image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a, market: {type: spot}}
  n: {image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a, block_devices: [{device: /dev/sdb, size_gib: 8}]}
  o: {image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a, block_devices: [{device: /dev/sdb, size_gib: 9}]}
aws.key_pair: {k: {name: k, secret_to: {file: k.pem}}}
"""


def test_what_is_not_compared_is_named(tiny):
    """No drift is a claim about what was looked at."""
    tiny.run("apply", "--yes")
    assert "not compared" not in tiny.run("drift").out
    assert tiny.run("drift", "--output", "json").json["uncompared"] == []
    tiny.write("machines.yaml", MACHINES)
    assert "not compared" not in tiny.run("drift").out
    tiny.run("apply", "--yes")
    seen = "block_devices of 2 (except: which there are, delete_on_termination)"
    assert f"no read gives it back: aws.instance.market of 1, aws.instance.{seen}\n" in tiny.run("drift").out
    assert tiny.run("drift", "--output", "json").json["uncompared"] == [
        {"kind": "aws.instance", "field": "market", "count": 1, "except": []},
        {"kind": "aws.instance", "field": "block_devices", "count": 2, "except": ["delete_on_termination"]},
    ]


def test_what_is_not_asked_for_is_named(tiny):
    """It takes a call for each thing, and so is read where a spec sets it alone."""
    tiny.run("apply", "--yes")
    assert "not asked for, as no spec sets it: aws.vpc.dns_support of 1, aws.vpc.dns_hostnames of 1, " in tiny.run("drift").out
    unasked = tiny.run("drift", "--output", "json").json["unasked"]
    assert {"kind": "aws.vpc", "field": "dns_support", "count": 1} in unasked
    text = (tiny.folder / "tiny.yaml").read_text()
    assert text.count("10.0.0.0/16") == 1
    tiny.write("tiny.yaml", text.replace("10.0.0.0/16", "10.0.0.0/16, dns_support: true, dns_hostnames: false, usage_metrics: false"))
    tiny.run("apply", "--yes")
    assert "not asked for" not in tiny.run("drift").out
    assert tiny.run("drift", "--output", "json").json["unasked"] == []


def test_changed_and_missing(tiny):
    tiny.run("apply", "--yes")
    ids = recorded(tiny)
    tiny.run("sim", "change", "vpc", ids["aws.vpc.main"], "tags.team=blue")
    tiny.run("sim", "remove", "subnet", ids["aws.subnet.b"])
    result = tiny.run("drift", status=2)
    assert re.search(r"~ aws\.vpc\.main +tiny\.yaml:4  changed outside of this stack", result.out)
    assert "red, now blue" in result.out
    assert re.search(r"\+ aws\.subnet\.b +tiny\.yaml:7  MISSING", result.out)
    assert result.out.endswith("1 changed  1 MISSING | 0 unread\n")
    document = tiny.run("drift", "--output", "json", status=2).json
    assert document["status"] == 2
    assert document["drift"] == 2
    assert {one["address"] for one in document["actions"]} == {"aws.vpc.main", "aws.subnet.b"}
    planned = tiny.run("plan", "--output", "json").json
    assert planned["drift"] == 2 and planned["counts"]["create"] == 1
    assert {one["address"] for one in planned["actions"] if one["drifted"]} == {"aws.vpc.main", "aws.subnet.b"}
    assert {change["cause"] for one in planned["actions"] for change in one["changes"]} == {"drift"}
    assert tiny.run("plan").out.endswith("1 create  1 update  0 REPLACE  0 delete | 2 drift | 0 unread\n")
    tiny.run("apply", "--yes")
    tiny.run("drift")


LEFT = "lifecycle: {ignore: [tags]}, "


def test_what_is_left_to_others_is_as_it_was_applied(tiny):
    edit(tiny, "{cidr: 10.0.0.0/16", "{" + LEFT + "cidr: 10.0.0.0/16")
    tiny.run("apply", "--yes")
    tiny.run("sim", "change", "vpc", recorded(tiny)["aws.vpc.main"], "tags.team=blue")
    tiny.run("drift")
    edit(tiny, LEFT, "")
    tiny.run("drift")
    # Nor does undoing another change of it make it drift.
    edit(tiny, "{cidr: 10.0.0.0/16", "{" + LEFT + "cidr: 10.0.0.0/16, dns_hostnames: true")
    tiny.run("apply", "--yes")
    tiny.run("undo", tiny.run("state", "history", "--output", "json").json["runs"][0]["id"], "--yes")
    edit(tiny, LEFT, "")
    tiny.run("drift")
    tiny.run("apply", "--yes")
    # The other way round; to leave it to others from now on changes the record alone.
    tiny.run("sim", "change", "vpc", recorded(tiny)["aws.vpc.main"], "tags.team=blue")
    edit(tiny, "{cidr: 10.0.0.0/16", "{" + LEFT + "cidr: 10.0.0.0/16")
    tiny.run("drift", status=2)
    tiny.run("apply", "--yes")
    tiny.run("drift")
    # It may have gone from the spec, too.
    (tiny.folder / "tiny.yaml").write_text("stack: tiny\nproviders: {aws: {region: eu-central-1}}\n")
    tiny.run("drift")


def test_what_an_older_program_recorded_is_left_to_others_as_the_spec_says(tiny):
    tiny.run("apply", "--yes")
    tiny.run("sim", "change", "vpc", recorded(tiny)["aws.vpc.main"], "tags.team=blue")
    with contextlib.closing(sqlite3.connect(tiny.folder / ".trueup/state.db")) as database, database:
        assert database.execute("UPDATE bodies SET body = json_remove(body, '$.ignored')").rowcount == 3
    tiny.run("drift", status=2)
    edit(tiny, "{cidr: 10.0.0.0/16", "{" + LEFT + "cidr: 10.0.0.0/16")
    tiny.run("drift")


def test_drift_of_what_the_spec_never_set(tiny):
    tiny.run("apply", "--yes")
    subnet = recorded(tiny)["aws.subnet.a"]
    tiny.run("sim", "change", "subnet", subnet, "mapPublicIpOnLaunch=true")
    assert "public" in tiny.run("drift", status=2).out
    assert "not managed, left as it is" in tiny.run("plan").out
    tiny.run("apply", "--yes")
    assert world(tiny, "subnet")[subnet]["mapPublicIpOnLaunch"] == "true"
    tiny.run("drift")


# What no plan could put right, or not as it stands: what is changed of subnet b, its operation, and what is said of it.
MOVED = {
    "another owner": ("tags.trueup:stack=" + "f" * 32, "conflict", "is recorded here, but its tags name another owner"),
    "immutable": ("cidrBlock=10.0.200.0/24", "replace", "changed outside of this stack"),
    # In use by another, which a plan would refuse.
    "taken": ("cidrBlock=10.0.1.0/24", "replace", "changed outside of this stack"),
}


@pytest.mark.parametrize("lifecycle", ["", ", lifecycle: {protect: true}"], ids=["", "protected"])
@pytest.mark.parametrize("moved", MOVED)
def test_what_cannot_be_put_right_hides_no_drift(tiny, moved, lifecycle):
    change, operation, said = MOVED[moved]
    edit(tiny, "cidr: 10.0.2.0/24", f"cidr: 10.0.2.0/24{lifecycle}")
    tiny.run("apply", "--yes")
    ids = recorded(tiny)
    tiny.run("sim", "change", "subnet", ids["aws.subnet.b"], change)
    tiny.run("sim", "change", "subnet", ids["aws.subnet.b"], "mapPublicIpOnLaunch=true")
    tiny.run("sim", "change", "vpc", ids["aws.vpc.main"], "tags.team=blue")
    document = tiny.run("drift", "--output", "json", status=2).json
    assert {one["address"]: one["operation"] for one in document["actions"]} == {
        "aws.subnet.b": operation,
        "aws.vpc.main": "update",
    }
    assert document["diagnostics"] == [] and document["drift"] == 2
    paths = {change["path"] for one in document["actions"] for change in one["changes"]}
    assert paths == {"tags.team", "public"} | ({"cidr"} if operation == "replace" else set())
    text = tiny.run("drift", status=2).out
    assert re.search(rf"aws\.subnet\.b +tiny\.yaml:7  {said}\n", text) and "red, now blue" in text
    assert text.endswith("2 changed  0 MISSING | 0 unread\n")
    # What could not be read outranks it.
    deny(tiny, "DescribeVpcs")
    assert said in tiny.run("drift", status=3).out


@pytest.mark.parametrize("wanted", [True, False], ids=["in the spec", "in none"])
def test_what_is_tagged_as_anothers_is_told_with_a_way_out(tiny, wanted):
    tiny.run("apply", "--yes")
    subnet, lineage = recorded(tiny)["aws.subnet.b"], world(tiny, "vpc").popitem()[1]["tagSet"]
    [ours] = [each["value"] for each in lineage if each["key"] == "trueup:stack"]
    tiny.run("sim", "change", "subnet", subnet, "tags.trueup:stack=other")
    if not wanted:
        edit(tiny, "  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
    for command in (["plan"], ["apply", "--yes"], ["destroy", "--yes"]):
        told = tiny.run(*command, status=1).err
        assert f"the ownership tags of {subnet} are of stack 'other', and this is '{ours}': set them back" in told
    tiny.run("sim", "change", "subnet", subnet, f"tags.trueup:stack={ours}")
    tiny.run("apply", "--yes")
    tiny.run("plan", "--detailed-exitcode")


FAILED = ["failed", "failed-insufficient-capacity", "unavailable"]


@pytest.mark.parametrize("state", FAILED)
def test_what_has_failed_is_told(tiny, state):
    tiny.run("apply", "--yes")
    subnet = recorded(tiny)["aws.subnet.b"]
    tiny.run("sim", "change", "subnet", subnet, f"state={state}")
    said = f"has failed: the service says '{state}' of"
    [action] = tiny.run("drift", "--output", "json", status=2).json["actions"]
    assert (action["address"], action["reason"]) == ("aws.subnet.b", f"{said} it")
    assert f"{said} it\n" in tiny.run("drift", status=2).out
    # What it is to be is as it was: nothing is deleted for it, and nobody is told that all is well.
    for command in (["plan"], ["apply", "--yes"]):
        result = tiny.run(*command)
        assert f"'aws.subnet.b' {said} {subnet}" in result.err and "once it is deleted" in result.err
    # Not so where nothing is wrong.
    tiny.run("sim", "change", "subnet", subnet, "state=available")
    assert "failed" not in tiny.run("plan").err
    tiny.run("drift")


def test_what_failed_in_the_making_is_made_anew(tiny):
    edit(tiny, "cidr: 10.0.2.0/24", "cidr: 10.0.2.0/24, public: true")
    allow = deny(tiny, "ModifySubnetAttribute")
    tiny.run("apply", "--yes", status=7)
    old = recorded(tiny)["aws.subnet.b"]
    tiny.run("sim", "change", "subnet", old, "state=failed")
    [action] = tiny.run("plan", "--output", "json").json["actions"]
    why = "was given up by the service before it was finished"
    assert (action["operation"], action["reason"], action["maybe"]) == ("replace", why, False)
    tiny.run("drift", status=2)
    allow()
    tiny.run("apply", "--yes")
    assert old not in world(tiny, "subnet") and recorded(tiny)["aws.subnet.b"] != old
    tiny.run("plan", "--detailed-exitcode")
    tiny.run("drift")


def test_what_is_missing_is_missing_though_a_replace_left_one_like_it(tiny):
    edit(tiny, "cidr: 10.0.2.0/24", "cidr: 10.0.2.0/24, lifecycle: {create_before_destroy: true}")
    tiny.run("apply", "--yes")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    deny(tiny, "DeleteSubnet")
    tiny.run("apply", "--yes", status=7)
    [new] = [each for each, subnet in world(tiny, "subnet").items() if subnet["cidrBlock"] == "10.0.3.0/24"]
    tiny.run("sim", "remove", "subnet", new)
    assert re.search(r"\+ aws\.subnet\.b +tiny\.yaml:7  MISSING, was deleted outside", tiny.run("drift", status=2).out)


def test_an_error_beside_drift_hides_none_of_it(tiny):
    tiny.run("apply", "--yes")
    ids = recorded(tiny)
    tiny.run("sim", "change", "vpc", ids["aws.vpc.main"], "tags.team=blue")
    # As a version with more kinds would have left it.
    with sqlite3.connect(tiny.folder / ".trueup" / "state.db") as database:
        database.execute("UPDATE objects SET kind = 'aws.unheard', address = 'aws.unheard.b' WHERE address = 'aws.subnet.b'")
    result = tiny.run("drift", status=1)
    assert "red, now blue" in result.out and "which this version does not know" in result.err
    document = tiny.run("drift", "--output", "json", status=1).json
    assert document["status"] == 1
    assert {one["address"]: one["operation"] for one in document["actions"]} == {
        "aws.unheard.b": "unread",
        "aws.vpc.main": "update",
    }


@pytest.mark.parametrize("then, now", [("hunter-two", "hunter-two"), ("hunter-two", "another"), ("another", "hunter-two")])
def test_what_the_spec_says_in_the_words_of_a_password_is_no_drift(tiny, then, now):
    """It is marked where it is read, as what a service may have echoed, and stands in the record as the spec has it."""
    tiny.environment["PASSWORD"] = then
    edit(tiny, "providers: {", "providers: {metal: {user: root, password_env: PASSWORD}, ")
    edit(tiny, "team: red", "team: red, who: hunter-two, owner: of hunter-two")
    group = "aws.security_group:\n  g: {vpc: main, name: hunter-two, description: by hunter-two, ingress: [RULE]}\n"
    tiny.write("group.yaml", group.replace("RULE", "{protocol: tcp, from_port: 1, to_port: 1, cidr: 10.0.0.0/8, description: hunter-two}"))
    tiny.run("apply", "--yes")
    tiny.environment["PASSWORD"] = now
    tiny.run("drift")
    tiny.run("sim", "change", "vpc", recorded(tiny)["aws.vpc.main"], "tags.owner=nobody")
    [action] = tiny.run("drift", "--output", "json", status=2).json["actions"]
    assert [change["path"] for change in action["changes"]] == ["tags.owner"]


def test_the_spec_changed_and_reality_moved(tiny):
    tiny.run("apply", "--yes")
    tiny.run("sim", "change", "vpc", recorded(tiny)["aws.vpc.main"], "tags.team=green")
    edit(tiny, "team: red", "team: blue")
    text = tiny.run("plan", "--out", "p.plan").out
    assert re.search(r"tags\.team +red, now green   changed outside\n +tags\.team +green -> blue\n", text), text
    assert under(text) == {"INTENT": {"aws.vpc.main"}}
    assert "0 delete | 1 drift | 0 unread" in text and "1 drift" in tiny.run("show", "p.plan").out
    document = tiny.run("plan", "--output", "json").json
    assert document["drift"] == 1
    [action] = document["actions"]
    told = [(one["cause"], one["before"], one["after"]) for one in action["changes"]]
    assert told == [("drift", "red", "green"), ("intent", "green", "blue")]
    tiny.run("apply", "p.plan")
    tiny.run("plan", "--detailed-exitcode")
    tiny.run("drift")


def test_unread_is_not_absent(tiny):
    tiny.run("apply", "--yes")
    allow = deny(tiny, "DescribeSubnets")
    for command in (["plan"], ["plan", "--detailed-exitcode"], ["apply", "--yes"], ["drift"]):
        result = tiny.run(*command, status=3)
        assert "UNREAD" in result.out
        assert "aws.subnet.a" in result.out and "UnauthorizedOperation" in result.out
        assert "what there is" not in result.out
    # It outranks what else was found, and the rest goes on.
    tiny.run("sim", "change", "vpc", recorded(tiny)["aws.vpc.main"], "tags.team=blue")
    tiny.run("drift", status=3)
    tiny.run("plan", "--detailed-exitcode", status=3)
    assert "applied: 1 done" in tiny.run("apply", "--yes", status=3).out
    allow()
    assert len(world(tiny, "subnet")) == 2
    tiny.run("plan", "--detailed-exitcode")


def test_nothing_is_recorded_and_nothing_can_be_listed(tiny):
    """A state may have been lost, or not: nobody knows."""
    allow = deny(tiny, "DescribeVpcs")
    assert "cannot be told: 'aws.vpc' could not be listed" in tiny.run("drift", status=3).err
    allow()
    assert "nothing is recorded yet" in tiny.run("drift", status=1).err


def test_one_reason_of_many_unread_is_told_once(tiny):
    subnets = "".join(f"  s{i}: {{vpc: main, cidr: 10.0.{i + 100}.0/24}}\n" for i in range(28))
    edit(tiny, "outputs:", f"{subnets}outputs:")
    tiny.run("apply", "--yes")
    deny(tiny, "DescribeSubnets")
    result = tiny.run("plan", "--out", "p.plan", status=3)
    assert result.out.count("DescribeSubnets answered UnauthorizedOperation") == 1
    hint = "check the credentials and what their policies allow: DescribeSubnets"
    assert result.out.count(f"    hint: {hint}\n      aws.subnet.a ") == 1
    assert re.search(r"\n      aws\.subnet\.s0 +tiny\.yaml:8\n", result.out) and "and 10 more" in result.out
    for command in (["plan"], ["drift"], ["show", "p.plan"]):
        unread = tiny.run(*command, "--output", "json", status=3).json["unread"]
        assert len(unread) == 30
        assert {one["hint"] for one in unread} == {hint}
    assert all(one["place"].startswith("tiny.yaml:") for one in unread)


def test_unread_field(tiny):
    edit(tiny, "cidr: 10.0.0.0/16,", "cidr: 10.0.0.0/16, dns_support: true,")
    tiny.run("apply", "--yes")
    allow = deny(tiny, "DescribeVpcAttribute")
    assert "aws.vpc.main.dns_support" in tiny.run("plan", status=3).out
    unread = tiny.run("plan", "--output", "json", status=3).json["unread"]
    assert [(one["address"], one["field"]) for one in unread] == [("aws.vpc.main", "dns_support")]
    tiny.run("drift", status=3)
    allow()
    tiny.run("plan", "--detailed-exitcode")


def test_unread_field_that_the_spec_changes(tiny):
    """It is set, from what nobody knows: neither the change nor the heading says otherwise."""
    edit(tiny, "cidr: 10.0.0.0/16,", "cidr: 10.0.0.0/16, dns_hostnames: true,")
    tiny.run("apply", "--yes")
    deny(tiny, "DescribeVpcAttribute")
    edit(tiny, "dns_hostnames: true", "dns_hostnames: false")
    result = tiny.run("plan", "--out", "p.plan", status=3)
    told = "dns_hostnames  true -> false   from what is recorded: what is there could not be read\n"
    assert told in result.out
    assert "done about it, unless it says so\n" in result.out
    assert re.search(r"aws\.vpc\.main\.dns_hostnames +tiny\.yaml:4  set all the same, because the spec", result.out)
    assert told in tiny.run("show", "p.plan", status=3).out
    [change] = tiny.run("show", "p.plan", "--output", "json", status=3).json["actions"][0]["changes"]
    assert change["unread"]
    tiny.run("apply", "p.plan", status=(3, 7))
    assert world(tiny, "vpc")[recorded(tiny)["aws.vpc.main"]]["enableDnsHostnames"] == "false"


HOOKS = """
aws.launch_template:
  t: {name: template, image: ami-0123456789abcdef0, instance_type: t3.micro}
aws.autoscaling_group:
  g: {name: g, launch_template: t, subnets: [a], min: 0, max: 1, hooks: [HOOK]}
"""
DRAIN, START = ('{name: %s, transition: "autoscaling:EC2_INSTANCE_%s"}' % one for one in (("drain", "TERMINATING"), ("start", "LAUNCHING")))


def hooks_of(stack):
    return {hook["LifecycleHookName"] for hook in world(stack, "lifecycle-hook").values()}


@pytest.mark.parametrize("after", ["", ", hooks: []", f", hooks: [{DRAIN}, {START}]"], ids=["unset", "none", "one more"])
def test_what_could_not_be_read_stays_to_be_done(tiny, after):
    """Its record follows only what was done, whatever else of the object was changed meanwhile."""
    tiny.write("hooks.yaml", HOOKS.replace("HOOK", DRAIN))
    tiny.run("apply", "--yes")
    (tiny.folder / "hooks.yaml").write_text(HOOKS.replace(", hooks: [HOOK]", after).replace("max: 1", "max: 2"))
    allow = deny(tiny, "DescribeLifecycleHooks")
    planned = tiny.run("plan", "--output", "json", status=3).json
    assert [change["path"] for change in planned["actions"][0]["changes"] if change["effect"] == "set"] == ["max"]
    assert "1 done, 0 failed" in tiny.run("apply", "--yes", status=3).out
    assert hooks_of(tiny) == {"drain"}
    allow()
    [change] = tiny.run("plan", "--output", "json").json["actions"][0]["changes"]
    assert change["path"].startswith("hooks[") and change["cause"] == "intent"
    tiny.run("apply", "--yes")
    assert hooks_of(tiny) == set(re.findall("name: (drain|start)", after))
    tiny.run("plan", "--detailed-exitcode")


def test_what_was_made_just_now_is_made_whole_unread(tiny):
    tiny.write("hooks.yaml", HOOKS.replace("HOOK", f"{DRAIN}, {START}"))
    allow = deny(tiny, "DescribeLifecycleHooks")
    tiny.run("apply", "--yes")
    assert len(world(tiny, "lifecycle-hook")) == 2
    allow()
    tiny.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("size, refresh", [(1, "none"), (2, "none"), (2, "full")])
def test_a_saved_plan_says_that_it_cannot_be_compared(tiny, size, refresh):
    tiny.write("hooks.yaml", HOOKS.replace("HOOK", DRAIN))
    tiny.run("apply", "--yes")
    tiny.write("hooks.yaml", HOOKS.replace("HOOK", f"{DRAIN}, {START}").replace("max: 1", f"max: {size}"))
    tiny.run("plan", "--refresh", refresh, "--out", "p.plan")
    allow = deny(tiny, "DescribeLifecycleHooks")
    error = tiny.run("apply", "p.plan", status=4).err
    assert "its 'hooks' cannot be read now: DescribeLifecycleHooks" in error, error
    allow()
    tiny.run("apply", "p.plan")


TEMPLATE = "aws.launch_template:\n  t: {name: tpl, image: ami-11111111}\n"


def default_version(stack):
    (template,) = world(stack, "launch-template").values()
    return template["defaultVersionNumber"], template["latestVersionNumber"]


def default_version_changes(result):
    return [
        (change["cause"], change["before"], change["after"])
        for action in result.json["actions"]
        for change in action["changes"]
        if change["path"] == "default_version"
    ]


def test_a_default_version_that_was_not_set_is_set_by_the_next_run(tiny):
    tiny.write("more.yaml", TEMPLATE)
    tiny.run("apply", "--yes")
    edit(tiny, "ami-11111111", "ami-22222222", "more.yaml")
    allow = deny(tiny, "ModifyLaunchTemplate")
    assert "ModifyLaunchTemplate" in tiny.run("apply", "--yes", status=7).err
    allow()
    assert default_version(tiny) == ("1", "2")
    result = tiny.run("plan", "--output", "json", "--out", "p.plan", "--detailed-exitcode", status=2)
    assert default_version_changes(result) == [("intent", "1", "2")]
    tiny.run("apply", "p.plan")
    assert default_version(tiny) == ("2", "2")
    tiny.run("plan", "--detailed-exitcode")


def test_a_default_version_that_somebody_moved_is_drift(tiny):
    tiny.write("more.yaml", TEMPLATE)
    tiny.run("apply", "--yes")
    edit(tiny, "ami-11111111", "ami-22222222", "more.yaml")
    tiny.run("apply", "--yes")
    tiny.run("sim", "change", "launch-template", recorded(tiny)["aws.launch_template.t"], "defaultVersionNumber=1")
    for command in [["drift"], ["plan", "--detailed-exitcode"]]:
        result = tiny.run(*command, "--output", "json", status=2)
        assert default_version_changes(result) == [("drift", "1", "2")]
    tiny.run("apply", "--yes")
    assert default_version(tiny) == ("2", "2")
    tiny.run("drift")
    tiny.run("plan", "--detailed-exitcode")


def public_key(octet):
    # An Ed25519 key as OpenSSH writes it (RFC 8709, section 4): two strings, each after its length.
    parts = [b"ssh-ed25519", bytes([octet]) * 32]
    return "ssh-ed25519 " + base64.b64encode(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).decode()


def test_a_lost_create_is_not_taken_for_what_the_spec_says_since(tiny):
    tiny.write("more.yaml", f"aws.key_pair:\n  k: {{name: key, public_key: {public_key(1)}}}\n")
    tiny.run("sim", "fault", "ImportKeyPair", "lost_answer", "1", "1")
    tiny.run("apply", "--yes", status=(1, 7))
    edit(tiny, public_key(1), public_key(2), "more.yaml")
    for _ in range(2):
        (action,) = tiny.run("plan", "--output", "json").json["actions"]
        assert (action["address"], action["operation"]) == ("aws.key_pair.k", "replace")
        tiny.run("recover")
    tiny.run("apply", "--yes")
    (pair,) = world(tiny, "key-pair").values()
    assert pair["publicKey"].startswith(public_key(2))
    tiny.run("plan", "--detailed-exitcode")


GUARDED = """\
aws.security_group: {web: {name: web, description: web, vpc: main}}
aws.launch_template:
  worker: {name: worker, image: ami-0123456789abcdef0, instance_type: t3.micro, security_groups: [web]}
aws.autoscaling_group: {workers: {name: workers, min: 0, max: 1, subnets: [a], launch_template: worker}}
"""


def under(text):
    """The addresses under each heading of a plan."""
    found, heading = {}, None
    for line in text.splitlines():
        if match := re.match(r"([A-Z]+) +[a-z]", line):
            heading = found.setdefault(match[1], set())
        elif heading is not None and (match := re.match(r"  [-+~!] (\S+)", line)):
            heading.add(match[1])
    return found


def test_what_follows_from_drift_stands_with_it(tiny):
    tiny.write("guarded.yaml", GUARDED)
    tiny.run("apply", "--yes")
    tiny.run("sim", "remove", "security-group", recorded(tiny)["aws.security_group.web"])
    edit(tiny, "10.0.2.0/24", "10.0.3.0/24")
    moved = {"aws.security_group.web", "aws.launch_template.worker", "aws.autoscaling_group.workers"}
    assert under(tiny.run("plan").out) == {"DRIFT": moved, "INTENT": {"aws.subnet.b"}}
    causes = {
        one["address"]: {change["cause"] for change in one["changes"]}
        for one in tiny.run("plan", "--output", "json").json["actions"]
    }
    assert causes["aws.launch_template.worker"] == {"target"} and causes["aws.subnet.b"] == {"intent"}
    tiny.run("plan", "--out", "p.plan")
    assert under(tiny.run("show", "p.plan").out) == {"DRIFT": moved, "INTENT": {"aws.subnet.b"}}

    # With a change of its own it is what the spec wants.
    edit(tiny, "t3.micro", "t3.small", "guarded.yaml")
    assert "aws.launch_template.worker" in under(tiny.run("plan").out)["INTENT"]


def test_what_follows_from_the_spec_stands_with_it(tiny):
    tiny.write("guarded.yaml", GUARDED)
    tiny.run("apply", "--yes")
    edit(tiny, "description: web", "description: another", "guarded.yaml")
    edit(tiny, "name: web,", "name: front,", "guarded.yaml")
    assert under(tiny.run("plan").out) == {
        "INTENT": {"aws.security_group.web", "aws.launch_template.worker", "aws.autoscaling_group.workers"}
    }
