"""Answers to listings that do not list as AWS does, or keep something back: one error, and nothing is taken for gone."""

import itertools
import json
import shutil

import pytest

from simulator import IMAGE
from test_bad_answers import HTML, answer
from trueup_runner import Proxy, Ref, apply, ids_of, plan, plan_is_empty, spec_text

PAGE = """<DescribeVpcsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>\
<vpcSet>%s</vpcSet><nextToken>%s</nextToken></DescribeVpcsResponse>"""
ITEM = "<item><vpcId>vpc-%08x</vpcId><cidrBlock>10.9.0.0/16</cidrBlock><state>available</state></item>"
MANY = "".join("<item><vpcId>vpc-%08x</vpcId></item>" % number for number in range(40000))
ENDLESS = {
    "one token for ever": (lambda number: PAGE % (ITEM % number, "again"), "the token of an earlier page", 10),
    "tokens in a circle": (lambda number: PAGE % (ITEM % number, number % 5), "the token of an earlier page", 30),
    "empty pages for ever": (lambda number: PAGE % ("", number), "1,000 empty pages", 1010),
    "full pages for ever": (lambda number: PAGE % (MANY, number), "1,000,000 items", 60),
}


@pytest.mark.parametrize("page, fragment, most", ENDLESS.values(), ids=ENDLESS)
def test_a_listing_without_an_end(stack, moto, page, fragment, most):
    """It is given up, and what it would have told is unread: neither there nor gone."""
    proxy = Proxy(moto.address)
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    stack.write("stack.yaml", spec_text({"aws.vpc": {"home": {"cidr": "10.0.0.0/16"}}}))
    apply(stack)
    numbers = itertools.count(1)
    proxy.answer = lambda fields: page(next(numbers)).encode() if fields["Action"] == "DescribeVpcs" else None
    planned = plan(stack, status=3)
    assert planned.operations() == {"aws.vpc.home": "unread"}
    assert fragment in json.dumps(planned.data["unread"]), planned
    assert next(numbers) <= most
    proxy.stop()


@pytest.mark.parametrize("page, fragment, most", ENDLESS.values(), ids=ENDLESS)
def test_a_listing_without_an_end_of_what_was_never_made(stack, moto, page, fragment, most):
    """What it would have told may be there: nothing is made beside it."""
    proxy = Proxy(moto.address)
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    stack.write("stack.yaml", spec_text({"aws.vpc": {"home": {"cidr": "10.0.0.0/16"}}}))
    numbers = itertools.count(1)
    sent = []

    def answer(fields):
        sent.append(fields["Action"])
        return page(next(numbers)).encode() if fields["Action"] == "DescribeVpcs" else None

    proxy.answer = answer
    planned = stack.run("plan", "--output", "json", status=3).json
    assert fragment in json.dumps(planned) and "knows nothing" not in json.dumps(planned)
    stack.run("apply", "--yes", status=3)
    assert "CreateVpc" not in sent
    proxy.stop()


@pytest.mark.parametrize("status", [404, 405, 500, 501])
def test_a_page_in_place_of_a_listing_of_what_was_lost(stack, moto, status):
    """A proxy on the way does not know what the service knows: nothing is made beside what may be there."""
    proxy = Proxy(moto.address)
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    stack.write("stack.yaml", spec_text({"aws.vpc": {"home": {"cidr": "10.0.0.0/16"}}}))
    apply(stack)
    shutil.rmtree(stack.folder / ".trueup")
    proxy.actions.clear()
    proxy.answer = lambda fields: (status, HTML) if fields["Action"] == "DescribeVpcs" else None
    planned = stack.run("plan", "--output", "json", status=3).json
    assert f"HTTP {status} with an answer that is no AWS error" in json.dumps(planned) and "knows nothing" not in json.dumps(planned)
    stack.run("apply", "--yes", status=3)
    assert "CreateVpc" not in proxy.actions
    proxy.stop()


LISTLESS = {
    "without its list": (
        "aws.vpc.home",
        "DescribeVpcs",
        "<DescribeVpcsResponse/>",
        "DescribeVpcs answered without its list",
    ),
    "with another's answer": (
        "aws.vpc.home",
        "DescribeVpcs",
        "<DescribeSubnetsResponse><subnetSet/></DescribeSubnetsResponse>",
        "the answer to 'DescribeVpcs' cannot be read: it answers something else",
    ),
    "with nobody's answer": (
        "aws.vpc.home",
        "DescribeVpcs",
        "<FooResponse><vpcSet/></FooResponse>",
        "the answer to 'DescribeVpcs' cannot be read: it answers something else",
    ),
    "without its inner list": (
        "aws.instance.host",
        "DescribeInstances",
        "<DescribeInstancesResponse><reservationSet><item/></reservationSet></DescribeInstancesResponse>",
        "DescribeInstances answered without its list",
    ),
    "with two of it": (
        "aws.vpc.home",
        "DescribeVpcs",
        "<DescribeVpcsResponse><vpcSet/><vpcSet><item><vpcId>vpc-1</vpcId></item></vpcSet></DescribeVpcsResponse>",
        "the answer to 'DescribeVpcs' cannot be read: it has an element twice that comes once",
    ),
    "with what has no id": (
        "aws.vpc.home",
        "DescribeVpcs",
        "<DescribeVpcsResponse><vpcSet><item><cidrBlock>10.0.0.0/16</cidrBlock></item></vpcSet></DescribeVpcsResponse>",
        "DescribeVpcs answered with something that has no id",
    ),
    "with what has an empty id": (
        "aws.instance.host",
        "DescribeInstances",
        "<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId/></item></instancesSet></item>"
        "</reservationSet></DescribeInstancesResponse>",
        "DescribeInstances answered with something that has no id",
    ),
}


@pytest.mark.parametrize("address, action, body, fragment", LISTLESS.values(), ids=LISTLESS)
def test_a_listing_without_its_list(stack, moto, address, action, body, fragment):
    """It does not tell that there is nothing: what it would have told is unread, and nothing is made anew."""
    proxy = Proxy(moto.address)
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    instance = {"image": IMAGE, "instance_type": "t3.micro"}
    stack.write("stack.yaml", spec_text({"aws.vpc": {"home": {"cidr": "10.0.0.0/16"}}, "aws.instance": {"host": instance}}))
    apply(stack)
    proxy.answer = lambda fields: body.encode() if fields["Action"] == action else None
    planned = plan(stack, status=3)
    assert planned.operations() == {address: "unread"}
    assert fragment in json.dumps(planned.data["unread"]), planned
    proxy.stop()


def test_a_deletion_that_is_answered_with_false(stack, moto):
    """EC2 names an error with what it refuses: of what was deleted this tells nothing, and it stays recorded."""
    proxy = Proxy(moto.address)
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    home, subnet = {"home": {"cidr": "10.0.0.0/16"}}, {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.0.1.0/24"}}
    stack.write("stack.yaml", spec_text({"aws.vpc": home, "aws.subnet": subnet}))
    apply(stack)
    stack.write("stack.yaml", spec_text({"aws.vpc": home}))
    body = b"<DeleteSubnetResponse><requestId>x</requestId><return>false</return></DeleteSubnetResponse>"
    proxy.answer = lambda fields: (200, body) if fields["Action"] == "DeleteSubnet" else None
    result = stack.run("apply", "--yes", status=7)
    assert "what came of the call to delete aws.subnet.a is not known: DeleteSubnet: " in result.err
    assert "it says 'false' of its success, and names no error" in result.err
    assert "aws.subnet.a" in ids_of(stack)
    proxy.answer = lambda fields: None
    stack.run("apply", "--yes", TRUEUP_GRACE="0")
    assert list(ids_of(stack)) == ["aws.vpc.home"]
    plan_is_empty(stack)
    proxy.stop()


HALF = {
    "an attribute of a VPC": ("aws.vpc.home", "dns_hostnames", "DescribeVpcAttribute"),
    "that is true unless somebody says otherwise": ("aws.vpc.home", "dns_support", "DescribeVpcAttribute"),
    "an attribute of an instance": ("aws.instance.host", "stop_protection", "DescribeInstanceAttribute"),
    "a word of it": ("aws.instance.host", "shutdown_behavior", "DescribeInstanceAttribute"),
}


@pytest.mark.parametrize("address, field, action", HALF.values(), ids=HALF)
def test_an_answer_without_what_it_was_asked_for(stack, moto, address, field, action):
    """Each of them has a value at any time: that one is left out does not tell that there is none."""
    proxy = Proxy(moto.address)
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    instance = {"image": IMAGE, "instance_type": "t3.micro"}
    resources = {"aws.vpc": {"home": {"cidr": "10.0.0.0/16"}}, "aws.instance": {"host": instance}}
    kind, name = address.rsplit(".", 1)
    resources[kind][name][field] = "stop" if field == "shutdown_behavior" else True
    stack.write("stack.yaml", spec_text(resources))
    apply(stack)
    plan_is_empty(stack)
    sent = []
    proxy.answer = lambda fields: sent.append(fields["Action"]) or (
        f"<{action}Response><requestId>1</requestId></{action}Response>".encode() if fields["Action"] == action else None
    )
    planned = plan(stack, status=3)
    assert planned.data["actions"] == []
    assert {(each["address"], each["field"]) for each in planned.data["unread"]} == {(address, field)}
    assert f"{action} answered without what it was asked for" in json.dumps(planned.data["unread"]), planned
    stack.run("drift", status=3)
    stack.run("apply", "--yes", status=3)
    assert not [each for each in sent if each.startswith("Modify")]
    proxy.stop()


FIRST_PAGES = {
    "of the tables that take in the routes of a gateway": ("aws.vpn_gateway.edge", "propagate_to", "DescribeRouteTables", "routeTableSet"),
    "of what an instance has": ("aws.instance.host", "credits", "DescribeInstanceCreditSpecifications", "instanceCreditSpecificationSet"),
}


@pytest.mark.parametrize("address, field, action, items", FIRST_PAGES.values(), ids=FIRST_PAGES)
def test_a_page_of_what_the_list_leaves_out(stack, cloud, address, field, action, items):
    """What is not on it is not gone: the rest of what it was asked for is on another page."""
    proxy = Proxy(cloud.address())
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    resources = {
        "aws.vpc": {"home": {"cidr": "10.0.0.0/16"}},
        "aws.route_table": {"private": {"vpc": Ref("aws.vpc.home")}},
        "aws.vpn_gateway": {"edge": {"vpc": Ref("aws.vpc.home"), "propagate_to": [Ref("aws.route_table.private")]}},
        "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.0.1.0/24"}},
        "aws.instance": {"host": {"image": IMAGE, "instance_type": "t3.micro", "subnet": Ref("aws.subnet.a"), "credits": "standard"}},
    }
    stack.write("stack.yaml", spec_text(resources))
    apply(stack)
    plan_is_empty(stack)
    page = f"<{action}Response><requestId>1</requestId><{items}/><nextToken>more</nextToken></{action}Response>".encode()

    def answer(fields):
        is_detail = action != "DescribeRouteTables" or fields.get("Filter.1.Name") == "vpc-id"
        return page if fields["Action"] == action and is_detail else None

    proxy.answer = answer
    planned = plan(stack, status=3)
    assert planned.data["actions"] == [] and planned.data["drift"] == 0
    assert {(each["address"], each["field"]) for each in planned.data["unread"]} == {(address, field)}
    assert f"{action} answered without the rest of its list" in json.dumps(planned.data["unread"]), planned
    proxy.answer = lambda fields: None
    plan_is_empty(stack)
    proxy.stop()
