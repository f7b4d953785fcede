"""A create that is sent once more is a call of the plan's action: in its order, and looked at as closely as any other."""

import re
import signal
import threading
import time

import pytest

from cli import NO_ECHO_S
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


LISTS_NONE = (
    200,
    b'<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>x</requestId>'
    b"<reservationSet/></DescribeInstancesResponse>",
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
    """It is asked again under the same token, and under no other."""
    lose(site, NET, {**NET, **machines("m")})
    without_id = lambda text: re.sub(rb"<instanceId>[^<]*</instanceId>", b"", text)  # noqa: E731
    site.proxy.amend = lambda fields, text: without_id(text) if fields["Action"] == "RunInstances" else text
    result, sent = changes_of(site, "apply", "--yes", status=7)
    assert set(sent) == {"RunInstances"} and "the answer does not say what was made" in result.err
    assert len(running(site)) == 1
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
    assert came.wait(120)
    process.send_signal(signal.SIGINT)
    said = process.stderr.readline()
    while b"finishing 1 call in flight" not in said:
        assert said
        said = process.stderr.readline()
    if signals == 2:
        time.sleep(NO_ECHO_S)
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
        LISTS_NONE
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


def test_what_was_refused_once_more_is_looked_for_by_the_next_run(site):  # noqa: F811
    """Whatever the service holds against that call, it is sent by no third run."""
    lose(site, NET, {**NET, **machines("m")})
    site.proxy.answer = answering("RunInstances", DENIED)
    result, sent = changes_of(site, "apply", "--yes", status=7)
    assert sent == ["RunInstances"] and "what came of the call to create aws.instance.m is not known" in result.err
    site.proxy.answer = lambda fields: None
    plan_before = plan(site.stack, status=2).data
    assert [each["outlook"] for each in plan_before["open"]] != ["again"]
    apply(site.stack)
    assert len(running(site)) == 1
    plan_is_empty(site.stack)


def test_an_undoing_of_a_run_that_it_was_refused_in(site):  # noqa: F811
    """That made nothing: what a later one made stays."""
    lose(site, NET, {**NET, **machines("m")})
    site.proxy.answer = answering("RunInstances", DENIED)
    apply(site.stack, status=7)
    site.proxy.answer = lambda fields: None
    apply(site.stack)
    refused = runs(site)[1]
    site.stack.run("undo", refused, "--yes")
    assert len(running(site)) == 1
    plan_is_empty(site.stack)


def test_an_undoing_of_a_replace_that_two_runs_made(site):  # noqa: F811
    """The second run goes on with the first: undone by itself it leaves a machine, and both undone the one before."""
    first = machines("m", lifecycle={"create_before_destroy": True}, user_data="a")
    second = machines("m", lifecycle={"create_before_destroy": True}, user_data="b", image="ami-0a1b2c3d4e5f60718")
    site.stack.write("stack.yaml", spec_text({**NET, **first}))
    apply(site.stack)
    lose(site, {**NET, **first}, {**NET, **second})
    apply(site.stack)
    assert len(running(site)) == 1
    made, begun = runs(site)[:2]
    site.stack.run("undo", made, "--yes")
    assert len(running(site)) == 1
    site.stack.run("undo", begun, "--yes")
    [machine] = [site.server.show(REGION)["instance"][each] for each in running(site)]
    assert machine["imageId"] == MACHINE["image"]


def runs(site):
    """Those that apply, the last first."""
    listed = site.stack.run("state", "history", "--output", "json").json["runs"]
    return [each["id"] for each in listed if each["command"] == "apply"]


def test_an_id_that_another_has_is_not_recorded_twice(site):  # noqa: F811
    """Not even where no listing shows a tag for long."""
    first = lose(site, {**NET, **machines("m1")}, {**NET, **machines("m1", "m2")})[0]
    one = ids_of(site.stack)["aws.instance.m1"]
    site.proxy.amend = lambda fields, text: (
        first if fields["Action"] == "RunInstances"
        else re.sub(rb"<tagSet>.*?</tagSet>", b"<tagSet/>", text, flags=re.DOTALL) if fields["Action"] == "DescribeInstances"
        else text
    )
    site.stack.run("apply", "--yes", status=7, timeout_s=180)
    site.proxy.amend = lambda fields, text: text
    apply(site.stack)
    ids = ids_of(site.stack)
    assert ids["aws.instance.m1"] == one and len({ids["aws.instance.m1"], ids["aws.instance.m2"]}) == len(running(site)) == 2
    plan_is_empty(site.stack)


def test_what_could_not_be_looked_for_is_not_made_beside_what_is_sent_once_more(site):  # noqa: F811
    """The plan has one call sent once more, and knows nothing of the other."""
    table = {"aws.route_table": {"t": {"vpc": Ref("aws.vpc.home")}}}
    stack, seen = site.stack, []
    stack.environment["TRUEUP_GRACE"] = "30"
    stack.write("stack.yaml", spec_text(NET))
    apply(stack)
    stack.write("stack.yaml", spec_text({**NET, **table, **machines("m")}))
    site.proxy.answer = answering("CreateRouteTable", NO_ANSWER)
    site.proxy.amend = lambda fields, text: b"garbage" if fields["Action"] == "RunInstances" else text
    apply(stack, status=7)
    site.proxy.amend = lambda fields, text: text
    stack.write("stack.yaml", spec_text({**NET, **table, **machines("m", instance_type="t3.small")}))

    def lag(fields):
        seen.append(fields["Action"])
        return (DENIED, LISTS_NONE)[min(seen.count("DescribeInstances"), 2) - 1] if seen[-1] == "DescribeInstances" else None

    site.proxy.answer = lag
    stack.run("apply", "--yes", status=(3, 7))
    assert "RunInstances" not in seen and len(running(site)) == 1
    site.proxy.answer = lambda fields: None
    apply(stack)
    assert len(running(site)) == 1
    plan_is_empty(stack)


def test_of_two_the_one_that_is_wanted_as_it_was_is_sent_once_more(site):  # noqa: F811
    stack = site.stack
    lose(site, NET, {**NET, **machines("m", "n")})
    changed = {"aws.instance": {**machines("m")["aws.instance"], **machines("n", instance_type="t3.small")["aws.instance"]}}
    stack.write("stack.yaml", spec_text({**NET, **changed}))
    outlooks = {each["address"]: each["outlook"] for each in plan(stack, status=2).data["open"]}
    assert outlooks["aws.instance.m"] == "again" != outlooks["aws.instance.n"]
    tokens = []
    site.proxy.amend = lambda fields, text: (tokens.append(fields["ClientToken"]) if fields["Action"] == "RunInstances" else None, text)[1]
    known = {each["intent"] for each in plan(stack, status=2).data["open"]}
    apply(stack)
    assert len(running(site)) == 2 and len([each for each in tokens if each in known]) == 1
    plan_is_empty(stack)
