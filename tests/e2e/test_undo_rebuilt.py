"""`trueup undo RUN` of the apply that follows a rebuild: the state was lost while an edit waited."""

import shutil

import pytest

from trueup_runner import Ref, apply, plan, spec_text
from walks import PUBLIC_KEY as KEY

BEFORE = {
    "aws.vpc": {"m": {"cidr": "10.0.0.0/16", "secondary_cidrs": ["10.1.0.0/16"]}},
    "aws.subnet": {"a": {"vpc": Ref("aws.vpc.m"), "cidr": "10.0.1.0/24"}},
    "aws.internet_gateway": {"i": {"vpc": Ref("aws.vpc.m")}},
    "aws.vpn_gateway": {"v": {"vpc": Ref("aws.vpc.m")}},
    "aws.customer_gateway": {"c": {"address": "198.51.100.7", "asn": 65010}},
    "aws.security_group": {
        "f": {"vpc": Ref("aws.vpc.m"), "name": "friends", "description": "f"},
        "g": {
            "vpc": Ref("aws.vpc.m"),
            "name": "guests",
            "description": "g",
            "ingress": [
                {"protocol": "tcp", "from_port": 22, "to_port": 22, "group": Ref("aws.security_group.f")},
                {"protocol": "tcp", "from_port": 443, "to_port": 443, "group": "self"},
            ],
        },
    },
    "aws.route_table": {
        "t": {"vpc": Ref("aws.vpc.m"), "routes": [{"destination": "0.0.0.0/0", "internet_gateway": Ref("aws.internet_gateway.i")}]}
    },
}
TO_THE_VPN = [{"destination": "0.0.0.0/0", "vpn_gateway": Ref("aws.vpn_gateway.v")}]
EDITS = {
    "what only a new one has otherwise": {"aws.customer_gateway": {"c": {"asn": 65011}}},
    "a range": {"aws.subnet": {"a": {"cidr": "10.0.2.0/24"}}},
    "rules that name a group, and their own": {"aws.security_group": {"g": {"ingress": []}}},
    "a route": {"aws.route_table": {"t": {"routes": TO_THE_VPN}}},
    "a tag": {"aws.vpc": {"m": {"tags": {"a": "b"}}}},
    "a further range": {"aws.vpc": {"m": {"secondary_cidrs": ["10.2.0.0/16"]}}},
}


def edited(edit):
    return {
        kind: {name: {**fields, **edit.get(kind, {}).get(name, {})} for name, fields in named.items()}
        for kind, named in BEFORE.items()
    }


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_what_was_there_comes_back(stack, cloud, edit):
    """The spec of before is nowhere recorded: what the rebuild saw is what was set."""
    stack.write("stack.yaml", spec_text(BEFORE))
    apply(stack)
    stack.write("stack.yaml", spec_text(edited(edit)))
    shutil.rmtree(stack.folder / ".trueup")
    stack.run("state", "rebuild", "--yes")
    stack.run("drift")
    apply(stack)
    [run] = [each["id"] for each in stack.run("state", "history", "--output", "json").json["runs"] if each["command"] == "apply"]
    stack.run("undo", run, "--yes")
    stack.run("drift")
    stack.write("stack.yaml", spec_text(BEFORE))
    # The record may still have to learn what the spec does not say.
    assert {each["operation"] for each in plan(stack).data["actions"]} <= {"record"}


def test_what_the_spec_had_no_more_is_not_made_again(stack, cloud):
    """By its tags nobody knows what it was made with, and that is told before anything is done."""
    stack.write("stack.yaml", spec_text(BEFORE))
    apply(stack)
    rest = {kind: named for kind, named in BEFORE.items() if kind != "aws.customer_gateway"}
    stack.write("stack.yaml", spec_text({**rest, "aws.key_pair": {"k": {"name": "made", "public_key": KEY}}}))
    shutil.rmtree(stack.folder / ".trueup")
    stack.run("state", "rebuild", "--yes")
    apply(stack)
    [run] = [each["id"] for each in stack.run("state", "history", "--output", "json").json["runs"] if each["command"] == "apply"]
    said = stack.run("undo", run, "--yes", status=7)
    assert "! aws.customer_gateway.c  is not made again: by what is recorded of it, aws.customer_gateway needs one of" in said.out
    assert "error:" not in said.err and not cloud.things("key-pair")


def rebuilt(stack, before, after, **settings):
    stack.write("stack.yaml", spec_text(before))
    apply(stack, **settings)
    stack.write("stack.yaml", spec_text(after))
    shutil.rmtree(stack.folder / ".trueup")
    stack.run("state", "rebuild", "--yes", **settings)


def test_what_others_look_after_is_not_taken_for_ours(stack, cloud):
    """The table's second subnet is there, and the spec leaves that to others: it keeps the table."""
    subnets = {name: {"vpc": Ref("aws.vpc.m"), "cidr": f"10.0.{number}.0/24"} for number, name in enumerate("ab")}
    networks = {"aws.vpc": {"m": {"cidr": "10.0.0.0/16"}}, "aws.subnet": subnets}
    table = {"vpc": Ref("aws.vpc.m"), "subnets": [Ref("aws.subnet.a"), Ref("aws.subnet.b")]}
    left = {**table, "subnets": [Ref("aws.subnet.a")], "lifecycle": {"ignore": ["subnets"]}}
    rebuilt(stack, {**networks, "aws.route_table": {"t": table}}, {**networks, "aws.route_table": {"t": left}})
    stack.write("stack.yaml", spec_text(networks))
    refused = stack.run("apply", "--yes", status=1).err
    assert "'aws.route_table.t' cannot be deleted: others have put subnets[" in refused


def test_what_the_spec_never_named_is_not_taken_for_ours(stack, cloud):
    """A member of an object that somebody may have set stays as it is."""

    def template(**metadata):
        return {"aws.launch_template": {"l": {"name": "node", "image": "ami-0123456789abcdef0", "metadata": metadata}}}

    rebuilt(stack, template(tokens="required", hop_limit=5), template(tokens="optional"))
    assert "  metadata      {tokens: required} -> {tokens: optional}\n" in stack.run("plan").out


def test_a_secret_that_was_there_is_not_recorded(stack, cloud):
    """Not in clear, where the spec says it of another one."""
    secret = "hunter2secretword"
    tagged = {name: {"cidr": f"10.{number}.0.0/16", "tags": {"pw": "${var.pw}"}} for number, name in enumerate("ab")}
    head = {"vars": {"pw": {"type": "string", "secret": True}}}
    setting = {"TRUEUP_VAR_pw": secret}
    stack.write("stack.yaml", spec_text({"aws.vpc": tagged}, **head))
    apply(stack, **setting)
    stack.write("stack.yaml", spec_text({"aws.vpc": {**tagged, "a": {"cidr": "10.0.0.0/16", "tags": {"x": "y"}}}}, **head))
    shutil.rmtree(stack.folder / ".trueup")
    stack.run("state", "rebuild", "--yes", **setting)
    apply(stack, **setting)
    written = [path.read_bytes() for path in (stack.folder / ".trueup").iterdir()]
    assert written and not [each for each in written if secret.encode() in each]
