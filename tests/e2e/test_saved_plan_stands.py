"""Saved plans beside what they do nothing to: it stands as it is, whatever the record cannot say of it."""

import re
import shutil

import pytest

from test_secrets import Home, assert_untold

# Fit for a description.
PASSWORD = "hunter2-and-hunter2"

SPEC = """\
stack: stands
vars: {password: {type: string, secret: true}}
providers: {aws: {region: us-west-2}}
aws.vpc: {main: {cidr: 10.20.0.0/16}}
aws.subnet: {a: {vpc: main, cidr: 10.20.0.0/24}, b: {vpc: main, cidr: 10.20.1.0/24}}
aws.security_group: {g: {name: "of ${var.password}", description: "of ${var.password}", vpc: main}}
aws.launch_template:
  t: {name: template, image: ami-0123456789abcdef0, instance_type: m7i.large, security_groups: [g], user_data: 'DATA'}
aws.autoscaling_group:
  nodes: {name: nodes, launch_template: t, subnets: [a, b], min: 0, max: 6, desired: 1}
"""
DATA = {
    "in part": "#!/bin/sh\\necho ${var.password}",
    "as a whole": "${var.password}",
    "beside an output": "${var.password} of ${aws.vpc.main.id}",
    "worked out": '${upper("${var.password} of ${aws.vpc.main.id}")}',
}
GROUP, TEMPLATE = "aws.autoscaling_group.nodes", "aws.launch_template.t"
LARGER, MOVED = ("max: 6", "max: 8"), ("10.20.1.0", "10.20.2.0")
# Name: (edits, options, what is done)
EDITS = {
    "the group": ([LARGER], [], {GROUP: "update"}),
    "targeted": ([LARGER], ["--target", GROUP], {GROUP: "update"}),
    "unread": ([LARGER], ["--refresh=none"], {GROUP: "update"}),
    "another subnet": ([MOVED], [], {GROUP: "update", "aws.subnet.b": "replace"}),
    "what it lies in": ([("16}", "16, tags: {a: b}}"), LARGER], [], {GROUP: "update", "aws.vpc.main": "update"}),
    "one less": ([("[a, b]", "[a]")], [], {GROUP: "update"}),
}


def prepared(tmp_path, text):
    here = Home(tmp_path / "here", tmp_path / "world")
    here.stack.environment["TRUEUP_VAR_password"] = PASSWORD
    here.stack.write("stack.yaml", text)
    here.run("apply", "--yes")
    return here


def edit(here, *edits):
    text = (here.stack.folder / "stack.yaml").read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    here.stack.write("stack.yaml", text)


def apply_elsewhere(here, tmp_path, key):
    """By somebody who has the state and the plan, and neither spec nor variables."""
    there = Home(tmp_path / "there", tmp_path / "world")
    del there.stack.environment["TRUEUP_VAR_password"]
    there.take_state(here)
    if key:
        shutil.copytree(here.home / ".config", there.home / ".config")
    there.run("apply", tmp_path / "plan")
    here.take_state(there)
    assert_untold(there.said, PASSWORD)


@pytest.mark.parametrize("where", ["here", "without the key", "without the spec", "with neither"])
@pytest.mark.parametrize("edits, options, done", EDITS.values(), ids=EDITS)
def test_secret_of_a_template_that_stands(tmp_path, edits, options, done, where):
    """The record knows it by its fingerprint alone; the group that follows the template's version is as it was."""
    here = prepared(tmp_path, SPEC.replace("DATA", DATA["in part"]))
    edit(here, *edits)
    planned = here.run("plan", "--out", tmp_path / "plan", "--output", "json", *options).json
    assert {one["address"]: one["operation"] for one in planned["actions"]} == done
    if where == "without the key":
        shutil.rmtree(here.home / ".config", ignore_errors=True)
    if where in ("here", "without the key"):
        here.run("apply", tmp_path / "plan")
    else:
        apply_elsewhere(here, tmp_path, where == "without the spec")
    assert "nothing to do" in here.run("plan").out
    assert_untold(here.said, PASSWORD)


@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
@pytest.mark.parametrize("name", ["the group", "what it lies in", "another subnet"])
def test_secret_in_any_form_that_stands(tmp_path, name, data):
    here = prepared(tmp_path, SPEC.replace("DATA", data))
    edit(here, *EDITS[name][0])
    here.run("plan", "--out", tmp_path / "plan")
    apply_elsewhere(here, tmp_path, False)
    assert "nothing to do" in here.run("plan").out


def test_secret_that_cannot_change_in_place_stands(tmp_path):
    """The security group would seem to be replaced, and its id not to be known."""
    here = prepared(tmp_path, SPEC.replace("DATA", "echo"))
    edit(here, ("m7i.large", "m7i.xlarge"))
    here.run("plan", "--out", tmp_path / "plan")
    apply_elsewhere(here, tmp_path, False)
    assert "nothing to do" in here.run("plan").out


def test_what_is_left_to_others_stands(tmp_path):
    """What the spec ignores no record says."""
    left = "{lifecycle: {ignore: [user_data]}, name: template"
    here = prepared(tmp_path, SPEC.replace("DATA", "echo").replace("{name: template", left))
    [version] = re.findall(r"lt-[0-9a-f]+:1", here.run("sim", "show", "launch-template-version").out)
    here.run("sim", "change", "launch-template-version", version, "launchTemplateData.userData=ZWNobyBvdGhlcg==")
    edit(here, LARGER)
    here.run("plan", "--out", tmp_path / "plan")
    here.run("apply", tmp_path / "plan")
    assert "nothing to do" in here.run("plan").out


def test_version_that_is_made_meanwhile_does_not_stand(tmp_path):
    here = prepared(tmp_path, SPEC.replace("DATA", DATA["in part"]))
    edit(here, LARGER)
    here.run("plan", "--out", tmp_path / "plan")
    edit(here, LARGER[::-1], ("m7i.large", "m7i.xlarge"))
    here.run("apply", "--yes", "--target", TEMPLATE)
    refused = here.run("apply", tmp_path / "plan", status=4)
    assert f"'{GROUP}' has changed since the plan was made" in refused.err
