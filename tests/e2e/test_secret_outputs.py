"""A secret output of one resource in a field of another: what it says is sent, and never its fingerprint."""

import base64

import pytest

from cli import edit, simulate, world
from test_undo import runs

GATEWAYS = """\
stack: outputs
aws.customer_gateway:
  office: {address: 203.0.113.7, asn: 65001}
aws.vpn_gateway:
  edge: {}
aws.vpn_connection:
  office: {customer_gateway: office, vpn_gateway: edge, static_routes_only: true}
"""
TEMPLATES = """\
aws.launch_template:
  whole: {name: whole, instance_type: t3.micro, user_data: "${aws.vpn_connection.office.configuration}"}
  within: {name: within, instance_type: t3.micro, user_data: "#!/bin/sh\\n: ${aws.vpn_connection.office.configuration}"}
  made: {name: made, instance_type: t3.micro, user_data: "${base64_encode(aws.vpn_connection.office.configuration)}"}
"""


@pytest.fixture
def connected(stack):
    """A VPN connection that was made by an earlier run."""
    simulate(stack)
    stack.write("stack.yaml", GATEWAYS)
    stack.run("apply", "--yes")
    stack.write("stack.yaml", GATEWAYS + TEMPLATES)
    return stack


def user_data(stack):
    """What the machines of each template would start with, by version."""
    versions = world(stack, "launch-template-version").values()
    return {
        (each["launchTemplateName"], str(each["versionNumber"])): base64.b64decode(
            each["launchTemplateData"]["userData"]
        ).decode()
        for each in versions
    }


def check(stack, *versions):
    """All of them have what the service tells the customer's device."""
    data = user_data(stack)
    [connection] = world(stack, "vpn-connection")
    configuration = data["whole", "1"]
    assert configuration.startswith("<?xml") and f'<vpn_connection id="{connection}">' in configuration
    assert data == {
        (name, version): text
        for version in versions
        for name, text in (
            ("whole", configuration),
            ("within", f"#!/bin/sh\n: {configuration}"),
            ("made", base64.b64encode(configuration.encode()).decode()),
        )
    }
    assert stack.run("plan", "--output", "json").json["actions"] == []


@pytest.mark.parametrize("saved", [False, True], ids=["at once", "as a saved plan"])
def test_of_an_earlier_run(connected, saved):
    """The connection is not touched by the run that needs its configuration; nor by the next, for another field."""

    def apply():
        if saved:
            connected.run("plan", "--out", "p.plan")
        connected.run("apply", *(["p.plan"] if saved else ["--yes"]))

    apply()
    check(connected, "1")
    edit(connected, "t3.micro", "t3.small", "stack.yaml")
    apply()
    check(connected, "1", "2")


def test_finished_by_the_next_run(stack):
    """The run that made the connection was refused the templates."""
    simulate(stack)
    stack.write("stack.yaml", GATEWAYS + TEMPLATES)
    stack.run("sim", "fault", "CreateLaunchTemplate", "deny", "1", "3")
    stack.run("apply", "--yes", status=7)
    stack.run("apply", "--yes")
    check(stack, "1")


def test_taken_back(connected):
    """What an undoing does not touch itself has been read for it, too."""
    connected.run("apply", "--yes")
    edit(connected, "t3.micro", "t3.small", "stack.yaml")
    connected.run("apply", "--yes")
    run = runs(connected)[0]["id"]
    edit(connected, "t3.small", "t3.micro", "stack.yaml")
    [connection] = world(connected, "vpn-connection")
    connected.run("sim", "change", "vpn-connection", connection, "tags.note=by-hand")
    document = connected.run("undo", run, "--yes", "--output", "json").json
    assert {action["address"].split(".")[1] for action in document["actions"]} == {"launch_template"}
    connected.run("sim", "change", "vpn-connection", connection, "tags.note=null")
    check(connected, "1", "2", "3")


def test_not_read(connected):
    """Without what it says there is nothing to send, and it is said which one is missing."""
    fault = connected.run("sim", "fault", "DescribeVpnConnections", "deny").out.split()[-1]
    result = connected.run("apply", "--yes", status=3)
    assert not world(connected, "launch-template")
    assert result.err.count("'configuration' of 'aws.vpn_connection.office' is a secret that was not read") == 2
    assert "hint: only its fingerprint is recorded: run again once it can be read" in result.err
    assert "CreateLaunchTemplate: of a secret that it sends only the fingerprint is at hand" in result.err
    assert "hint: give the spec the secret, or run again once the output that it is can be read" in result.err
    connected.run("sim", "remove", "fault", fault)
    connected.run("apply", "--yes")
    check(connected, "1")
