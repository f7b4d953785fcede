"""A create that is sent once more is a call of the plan's action: in its order, and looked at as closely as any other."""

import re
import signal
import threading

import pytest

from simulator import simulator  # noqa: F401
from test_take_back import REGION, Site, site  # noqa: F401
from trueup_runner import Ref, apply, ids_of, plan, plan_is_empty, spec_text

NET = {
    "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
    "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.1.0/24"}},
}
GATEWAY = {"aws.internet_gateway": {"g": {"vpc": Ref("aws.vpc.home")}}}
MACHINE = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.a")}
NO_ANSWER = 502, b"<html>bad gateway</html>"
DENIED = (
    403,
    b"<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>no</Message></Error></Errors>"
    b"<RequestID>x</RequestID></Response>",
)


def machines(*names, **fields):
    return {"aws.instance": {name: {**MACHINE, **fields} for name in names}}


def answering(action, answer):
    return lambda fields: answer if fields["Action"] == action else None


def lose(site, before, after):
    """The last machine of `after` is sent for, and nothing answers; the texts of what was answered before."""
    texts = []
    site.proxy.amend = lambda fields, text: (texts.append(text) if fields["Action"] == "RunInstances" else None, text)[1]
    site.stack.environment["TRUEUP_GRACE"] = "3"
    site.stack.write("stack.yaml", spec_text(before))
    apply(site.stack)
    site.stack.write("stack.yaml", spec_text(after))
    site.proxy.answer = answering("RunInstances", NO_ANSWER)
    apply(site.stack, status=7)
    site.proxy.answer = lambda fields: None
    site.proxy.amend = lambda fields, text: text
    return texts


def running(site):
    region = site.server.show(REGION)
    return sorted(each for each, body in region.get("instance", {}).items() if body["instanceState"]["name"] == "running")


def changes_of(site, *words, status=0):
    first = len(site.proxy.actions)
    result = site.stack.run(*words, status=status)
    return result, [each for each in site.proxy.actions[first:] if not re.match("Describe|Get", each)]


@pytest.mark.parametrize("way", ["gone since", "only wanted now"])
@pytest.mark.parametrize("refused", [False, True])
def test_what_it_depends_on_comes_first(site, way, refused):  # noqa: F811
    before = {**NET, **GATEWAY} if way == "gone since" else NET
    after = {**before, **machines("m", **({"depends_on": ["aws.internet_gateway.g"]} if way == "gone since" else {}))}
    lose(site, before, after)
    if way == "gone since":
        client, ids = site.server.client("ec2"), ids_of(site.stack)
        client.detach_internet_gateway(InternetGatewayId=ids["aws.internet_gateway.g"], VpcId=ids["aws.vpc.home"])
        client.delete_internet_gateway(InternetGatewayId=ids["aws.internet_gateway.g"])
    site.stack.write("stack.yaml", spec_text({**NET, **GATEWAY, **machines("m", depends_on=["aws.internet_gateway.g"])}))
    if refused:
        site.proxy.answer = answering("CreateInternetGateway", DENIED)
        _, sent = changes_of(site, "apply", "--yes", status=1)
        assert sent == ["CreateInternetGateway"] and running(site) == []
        site.proxy.answer = lambda fields: None
    _, sent = changes_of(site, "apply", "--yes")
    assert sent == ["CreateInternetGateway", "AttachInternetGateway", "RunInstances"]
    assert len(running(site)) == 1
    plan_is_empty(site.stack)


@pytest.mark.parametrize("way", ["apply", "saved", "killed"])
def test_an_answer_that_is_anothers(site, way):  # noqa: F811
    """What has the tags of another is not recorded as what was sent for, and nothing of it is changed."""
    stack = site.stack
    first = lose(site, {**NET, **machines("m1")}, {**NET, **machines("m1", "m2")})[0]
    one = ids_of(stack)["aws.instance.m1"]
    site.proxy.amend = lambda fields, text: first if fields["Action"] == "RunInstances" else text
    if way == "apply":
        assert "which is 'aws.instance.m1'" in apply(stack, status=7).err
    else:
        plan(stack, "--out", "saved", status=2)
        if way == "killed":
            site.cut_off(signal.SIGKILL, once_answered("RunInstances"), "apply", "saved")
        else:
            stack.run("apply", "saved", status=7)
    site.proxy.amend = lambda fields, text: text
    apply(stack)
    ids = ids_of(stack)
    assert ids["aws.instance.m1"] == one and running(site) == sorted(set(ids[f"aws.instance.{name}"] for name in ("m1", "m2")))
    plan_is_empty(stack)


def once_answered(action):
    """Cuts with the first request that comes after that."""
    seen = []

    def cuts(_, each, is_answered):
        seen.extend([each] if each == action and is_answered else [])
        return each != action and bool(seen)

    return cuts


def test_an_answer_without_an_id(site):  # noqa: F811
    """It is not sent for once more under another token."""
    lose(site, NET, {**NET, **machines("m")})
    without_id = lambda text: re.sub(rb"<instanceId>[^<]*</instanceId>", b"", text)  # noqa: E731
    site.proxy.amend = lambda fields, text: without_id(text) if fields["Action"] == "RunInstances" else text
    result, sent = changes_of(site, "apply", "--yes", status=7)
    assert sent == ["RunInstances"] and "the answer does not say under which id" in result.err
    site.proxy.amend = lambda fields, text: text
    apply(site.stack)
    assert running(site) == [ids_of(site.stack)["aws.instance.m"]]
    plan_is_empty(site.stack)


def test_what_fails_afterwards_has_changed_something(site):  # noqa: F811
    lose(site, NET, {**NET, **machines("m")})
    sent = []

    def answer(fields):
        sent.extend([1] if fields["Action"] == "RunInstances" else [])
        return DENIED if sent and fields["Action"] == "DescribeInstances" else None

    site.proxy.answer = answer
    result = site.stack.run("apply", "--yes", status=7)
    assert "nothing was changed" not in result.out + result.err
    site.proxy.answer = lambda fields: None
    apply(site.stack)
    assert len(running(site)) == 1


@pytest.mark.parametrize("signals", [1, 2])
def test_an_interrupt_while_it_is_on_its_way(site, signals):  # noqa: F811
    lose(site, NET, {**NET, **machines("m")})
    came, go = threading.Event(), threading.Event()

    def hold(fields, text):
        if fields["Action"] == "RunInstances":
            came.set()
            go.wait(20)
        return text

    site.proxy.amend = hold
    process = site.stack.start("apply", "--yes")
    assert came.wait(20)
    process.send_signal(signal.SIGINT)
    said = process.stderr.readline()
    while b"finishing 1 call in flight" not in said:
        assert said
        said = process.stderr.readline()
    if signals == 2:
        process.send_signal(signal.SIGINT)
    else:
        go.set()
    out, err = process.communicate(timeout=30)
    go.set()
    assert process.returncode == 130
    assert "aws.instance.m" in (out + err).decode()
    site.proxy.amend = lambda fields, text: text
    apply(site.stack)
    assert len(running(site)) == 1
    plan_is_empty(site.stack)


def test_a_listing_that_lags_after_it(site):  # noqa: F811
    """However old the call is: what it made now may be missing from listings."""
    lose(site, NET, {**NET, **machines("m")})
    made = []

    def amend(fields, text):
        if fields["Action"] == "RunInstances":
            made.append(text)
        return text

    site.proxy.amend = amend
    site.proxy.answer = lambda fields: (
        (200, b'<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>x</requestId>'
         b"<reservationSet/></DescribeInstancesResponse>")
        if fields["Action"] == "DescribeInstances" and len(made) == 1 and not made.append(b"") else None
    )
    apply(site.stack)
    assert len(running(site)) == 1
    plan_is_empty(site.stack)


def test_where_it_is_at_another_address_by_now(site):  # noqa: F811
    """It would be made with the tags of the former: one apply is to be enough."""
    lose(site, NET, {**NET, **machines("m")})
    site.stack.run("state", "mv", "aws.instance.m", "aws.instance.n")
    site.stack.write("stack.yaml", spec_text({**NET, **machines("n")}))
    shown = plan(site.stack, status=2).data
    assert [each["outlook"] for each in shown["open"]] != ["again"]
    apply(site.stack)
    assert len(running(site)) == 1
    plan_is_empty(site.stack)


def test_a_recovery_sends_nothing(site):  # noqa: F811
    lose(site, NET, {**NET, **machines("m")})
    _, sent = changes_of(site, "recover")
    assert sent == [] and running(site) == []
    _, sent = changes_of(site, "apply", "--yes")
    assert sent == ["RunInstances"]
    plan_is_empty(site.stack)
