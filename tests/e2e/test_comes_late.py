"""A change or a deletion that is still on its way when its run is killed: looked for, and done only where it shows."""

import signal
import threading
import time

import pytest

from simulator import simulator  # noqa: F401
from test_take_back import REGION, site  # noqa: F401
from trueup_runner import Ref, apply, ids_of, plan_is_empty, spec_text

A = {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.1.0/24"}}
B = {"b": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.2.0/24"}}
NOTHING = 200, b""


def net(subnets, team="red"):
    tags = {"stays": "so", "team": team} if team else {"stays": "so"}
    return spec_text({"aws.vpc": {"home": {"cidr": "10.20.0.0/16", "tags": tags}}, "aws.subnet": subnets})


# The call that is held up, and the spec that has it sent, where the one before has both subnets and a red team.
CALLS = {
    "a deletion": ("DeleteSubnet", net(A)),
    "a change": ("CreateTags", net({**A, **B}, "blue")),
    "what is taken away": ("DeleteTags", net({**A, **B}, None)),
}
BEFORE = net({**A, **B})


class Held:
    """A call that has left its run, and waits on its way to the service until it is let go or lost."""

    def __init__(self, site, action):  # noqa: F811
        self.action, self.left, self.goes, self.came = action, threading.Event(), threading.Event(), threading.Event()
        self.is_lost = False
        site.proxy.answer, site.proxy.amend = self._hold, self._note

    def _hold(self, fields):
        if fields["Action"] != self.action or self.left.is_set():
            return None
        self.left.set()
        assert self.goes.wait(60)
        return NOTHING if self.is_lost else None

    def _note(self, fields, text):
        if fields["Action"] == self.action:
            self.came.set()
        return text

    def lose(self):
        self.is_lost = True
        self.goes.set()


def kill(site, action, spec):  # noqa: F811
    """An apply is killed while the call is held up."""
    held = Held(site, action)
    site.stack.write("stack.yaml", spec)
    process = site.stack.start("apply", "--yes")
    assert held.left.wait(120)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return held


def outcomes(site, action):  # noqa: F811
    """Of its calls, the oldest first."""
    history = site.stack.run("state", "history", "--output", "json").json["runs"]
    calls = [
        call
        for run in reversed(history)
        for call in site.stack.run("state", "history", run["id"], "--output", "json").json["calls"]
    ]
    return [call["outcome"] for call in calls if call["operation"] == action]


def is_waiting(site, action):  # noqa: F811
    """To drift, which cannot tell what has become of it."""
    document = site.stack.run("drift", "--output", "json", status=3, TRUEUP_GRACE="120").json
    return [(call["operation"], call["outlook"]) for call in document["open"]] == [(action, "waiting")]


@pytest.fixture(params=CALLS)
def late(request, site):  # noqa: F811
    site.stack.write("stack.yaml", BEFORE)
    apply(site.stack)
    action, spec = CALLS[request.param]
    return site, action, spec, kill(site, action, spec)


def test_it_is_looked_for(late):
    """Whoever sets the spec back meanwhile has what it says, for what comes late has come before."""
    site, action, _, held = late
    assert is_waiting(site, action)
    site.stack.environment["TRUEUP_GRACE"] = "60"
    threading.Timer(1.5, held.goes.set).start()
    result = site.stack.run("recover")
    assert f"looking for what {action} for 'aws." in result.err and "may have done" in result.err
    site.stack.write("stack.yaml", BEFORE)
    apply(site.stack)
    assert held.came.wait(60)
    plan_is_empty(site.stack)
    assert site.stack.run("drift").status == 0
    assert outcomes(site, action)[0] == "done"
    assert set(ids_of(site.stack)) == {"aws.vpc.home", "aws.subnet.a", "aws.subnet.b"}
    assert len(site.server.show(REGION)["subnet"]) == 2


@pytest.mark.parametrize("command", ["recover", "apply"])
def test_it_never_comes(late, command):
    """Nobody can say that it was done; what is missing is planned anew."""
    site, action, spec, held = late
    held.lose()
    assert is_waiting(site, action)
    site.stack.environment["TRUEUP_GRACE"] = "2"
    if command == "recover":
        site.stack.run("recover")
        assert outcomes(site, action) == ["absent"]
        assert site.stack.run("drift", "--output", "json").json["actions"] == []
        assert len(site.server.show(REGION)["subnet"]) == 2
    result = site.stack.run("apply", "--yes")
    assert ("looking for what " in result.err) == (command == "apply")
    assert outcomes(site, action) == ["absent", "done"]
    plan_is_empty(site.stack)
    assert len(site.server.show(REGION)["subnet"]) == (1 if action == "DeleteSubnet" else 2)


def test_a_look_is_as_old_as_its_question(site):  # noqa: F811
    """It was answered before the call came, and that answer comes only when the grace is over."""
    held = kill(site, "CreateVpc", spec_text({"aws.vpc": {"home": {"cidr": "10.20.0.0/16"}}}))

    def amend(fields, text):
        if fields["Action"] == "DescribeVpcs" and not held.goes.is_set():
            held.goes.set()
            time.sleep(5.5)
        return text

    site.proxy.amend = amend
    site.stack.run("recover", TRUEUP_GRACE="5")
    assert outcomes(site, "CreateVpc") == ["done"]
    apply(site.stack)
    plan_is_empty(site.stack)
    assert len(site.things("vpc")) == 1


SIX = {
    "aws.vpc": {"six": {"cidr": "10.6.0.0/16", "ipv6": True}},
    "aws.subnet": {
        "six": {
            "vpc": Ref("aws.vpc.six"),
            "cidr": "10.6.0.0/24",
            "ipv6_cidr": "${cidr_subnet(aws.vpc.six.ipv6_cidr, 8, 1)}",
        }
    },
}


def addressed(count):
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "t3.xlarge", "subnet": Ref("aws.subnet.six")}
    return spec_text({**SIX, "aws.instance": {"six": {**machine, "address6_count": count}}})


# Of several calls the first, which is carried out; the others were never sent.
NAMED = BEFORE.replace('"cidr": "10.20.0.0/16"', '"cidr": "10.20.0.0/16", "dns_hostnames": true')
FIRST = {
    "of a change": (BEFORE, BEFORE.replace("stays", "comes"), "CreateTags"),
    "of what is made": (None, NAMED, "ModifyVpcAttribute"),
    "of what adds": (addressed(2), addressed(4), "AssignIpv6Addresses"),
}


def cut_off_after(site, before, spec, action):  # noqa: F811
    """Killed when the first of its calls was carried out, long before the grace is over."""
    if before:
        site.stack.write("stack.yaml", before)
        apply(site.stack)
    site.stack.write("stack.yaml", spec)
    site.cut_off(signal.SIGKILL, lambda _, each, is_answered: each == action and is_answered)
    site.stack.environment["TRUEUP_GRACE"] = "60"


@pytest.mark.parametrize("before, spec, action", FIRST.values(), ids=FIRST)
def test_for_what_shows_nobody_waits(site, before, spec, action):  # noqa: F811
    cut_off_after(site, before, spec, action)
    document = site.stack.run("drift", "--output", "json", status=2).json
    assert [(call["operation"], call["outlook"]) for call in document["open"]] == [(action, "done")]
    assert "looking for" not in site.stack.run("recover").err
    assert outcomes(site, action) == ["done"]
    apply(site.stack)
    plan_is_empty(site.stack)


@pytest.mark.parametrize("before, spec, action", FIRST.values(), ids=FIRST)
def test_an_undoing_foretells_of_what_shows_what_a_plan_does(site, before, spec, action):  # noqa: F811
    """It reads twice, and the first reading is no record for the second."""
    cut_off_after(site, before, spec, action)
    planned = site.stack.run("plan", "--output", "json").json
    run = site.stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    undoing = site.stack.run("undo", run, "--detailed-exitcode", "--output", "json", status=2).json
    assert [(call["operation"], call["outlook"]) for call in undoing["open"]] == [(action, "done")]
    assert undoing["open"] == planned["open"] and undoing["unfinished"] == planned["unfinished"]


def addresses_of(site):  # noqa: F811
    """The interface of the one instance, and its addresses."""
    [listed] = site.server.client("ec2").describe_instances()["Reservations"]
    [interface] = listed["Instances"][0]["NetworkInterfaces"]
    return interface["NetworkInterfaceId"], [each["Ipv6Address"] for each in interface["Ipv6Addresses"]]


def take_one_away(site):  # noqa: F811
    interface, addresses = addresses_of(site)
    site.server.client("ec2").unassign_ipv6_addresses(NetworkInterfaceId=interface, Ipv6Addresses=addresses[:1])


def test_what_others_take_away_is_no_work_of_what_adds(site):  # noqa: F811
    """What was taken away meanwhile tells nothing of a call that is still on its way: it is looked for."""
    site.stack.write("stack.yaml", addressed(2))
    apply(site.stack)
    held = kill(site, "AssignIpv6Addresses", addressed(4))
    take_one_away(site)
    assert is_waiting(site, "AssignIpv6Addresses")
    site.stack.environment["TRUEUP_GRACE"] = "60"
    threading.Timer(1.5, held.goes.set).start()
    result = site.stack.run("apply", "--yes")
    assert "looking for what AssignIpv6Addresses for 'aws.instance.six' may have done" in result.err
    assert held.came.wait(60)
    assert outcomes(site, "AssignIpv6Addresses") == ["done", "done"]
    assert len(addresses_of(site)[1]) == 4
    plan_is_empty(site.stack)


def test_what_came_shows_though_others_took_away_as_much(site):  # noqa: F811
    """There are as many as before, and others."""
    site.stack.write("stack.yaml", addressed(2))
    apply(site.stack)
    site.stack.write("stack.yaml", addressed(3))
    site.cut_off(signal.SIGKILL, lambda _, each, is_answered: each == "AssignIpv6Addresses" and is_answered)
    take_one_away(site)
    site.stack.environment["TRUEUP_GRACE"] = "60"
    assert "looking for" not in site.stack.run("recover").err
    assert outcomes(site, "AssignIpv6Addresses") == ["done"]
    apply(site.stack)
    assert len(addresses_of(site)[1]) == 3
    plan_is_empty(site.stack)


def refused(code, status=403):
    error = f"<Error><Code>{code}</Code><Message>no</Message></Error>"
    return status, f"<Response><Errors>{error}</Errors><RequestID>x</RequestID></Response>".encode()


DENIED, UNSUPPORTED = refused("UnauthorizedOperation"), refused("InvalidAction", 400)
BROKEN = 502, b"<html>bad gateway</html>"


def home(named, team):
    fields = {"cidr": "10.20.0.0/16", "tags": {"team": team}}
    return spec_text({"aws.vpc": {"home": {**fields, "dns_hostnames": True} if named else fields}})


def cut_off_unread(site, before, answer):  # noqa: F811
    """Its change was carried out, its run killed, and what tells of that cannot be read."""
    if before:
        site.stack.write("stack.yaml", before)
        apply(site.stack)
    site.stack.write("stack.yaml", home(True, "red"))
    site.cut_off(signal.SIGKILL, lambda _, each, is_answered: each == "ModifyVpcAttribute" and is_answered)
    site.proxy.answer = lambda fields: answer if fields["Action"] == "DescribeVpcAttribute" else None


@pytest.mark.parametrize("answer", [DENIED, BROKEN], ids=["denied", "no answer"])
@pytest.mark.parametrize("before", [home(False, "red"), None], ids=["of a change", "of what is made"])
def test_what_tells_cannot_be_read(site, before, answer):  # noqa: F811
    """The grace is over, and yet nobody can say that nothing came; nor is anything done about it, or about its record."""
    cut_off_unread(site, before, answer)
    document = site.stack.run("drift", "--output", "json", status=3, TRUEUP_GRACE="120").json
    [call] = document["open"]
    assert (call["operation"], call["outlook"]) == ("ModifyVpcAttribute", "unknown")
    [vpc] = site.things("vpc")
    result = site.stack.run("recover", status=7)
    told = f"what became of ModifyVpcAttribute for 'aws.vpc.home' ({vpc}, intent {call['intent']}): "
    why = "the field that tells could not be read"
    assert told + why in result.err and f"ModifyVpcAttribute: {why}; it stays open" in result.out
    first = len(site.proxy.actions)
    site.stack.write("stack.yaml", home(False, "blue"))
    document = site.stack.run("plan", "--output", "json", status=3).json
    assert [call["outlook"] for call in document["open"]] == ["unknown"]
    for command in ("apply", "destroy"):
        assert "it is not known what became of ModifyVpcAttribute: " in site.stack.run(command, "--yes", status=7).out
    assert all(action.startswith(("Describe", "Get")) for action in site.proxy.actions[first:])
    assert outcomes(site, "ModifyVpcAttribute") == ["unknown"]
    site.proxy.answer = lambda fields: None
    site.stack.run("recover")
    assert outcomes(site, "ModifyVpcAttribute") == ["done"]
    apply(site.stack)
    plan_is_empty(site.stack)
    told = site.server.client("ec2").describe_vpc_attribute(VpcId=vpc, Attribute="enableDnsHostnames")
    assert told["EnableDnsHostnames"]["Value"] is False


@pytest.mark.parametrize("before", [home(False, "red"), None], ids=["of a change", "of what is made"])
def test_what_tells_cannot_be_read_by_an_undoing(site, before):  # noqa: F811
    """It does not say that nothing is left, nor does it touch that, and what comes of it is taken back later."""
    cut_off_unread(site, before, DENIED)
    listed = site.stack.run("state", "history", "--output", "json").json["runs"]
    [run] = [run["id"] for run in listed if run["outcome"] == "lost"]
    first, why = len(site.proxy.actions), "it is not known what became of ModifyVpcAttribute: "
    shown = site.stack.run("undo", run, "--detailed-exitcode", status=3)
    done = site.stack.run("undo", run, "--yes", status=7)
    assert why in shown.out and why in done.out
    assert all(action.startswith(("Describe", "Get")) for action in site.proxy.actions[first:])
    site.proxy.answer = lambda fields: None
    site.stack.run("undo", run, "--yes")
    vpcs = site.things("vpc")
    assert len(vpcs) == (1 if before else 0)
    for vpc in vpcs:
        told = site.server.client("ec2").describe_vpc_attribute(VpcId=vpc, Attribute="enableDnsHostnames")
        assert told["EnableDnsHostnames"]["Value"] is False
    assert "is as it was recorded before\n" in site.stack.run("undo", run, "--yes").out


def started(site, by):  # noqa: F811
    machine = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": Ref("aws.subnet.six")}
    site.stack.write("stack.yaml", spec_text({**SIX, "aws.instance": {"six": {**machine, "user_data": by}}}))


def states(site):  # noqa: F811
    return [each["instanceState"]["name"] for each in site.server.show(REGION)["instance"].values()]


def deny_user_data(fields):
    is_it = fields["Action"] == "DescribeInstanceAttribute" and fields["Attribute"] == "userData"
    return DENIED if is_it else None


def cut_off_between(site):  # noqa: F811
    """The machine is stopped for its change, which was carried out, and its run killed."""
    site.cut_off(signal.SIGKILL, lambda _, each, is_answered: each == "ModifyInstanceAttribute" and is_answered)


def test_what_stands_still_meanwhile_is_told(site):  # noqa: F811
    """A machine that was stopped for its change is held back: each command says that it is to run again."""
    started(site, "one")
    apply(site.stack)
    started(site, "two")
    cut_off_between(site)
    site.proxy.answer = deny_user_data
    for words, status in ((("drift",), 3), (("plan",), 3), (("apply", "--yes"), 7), (("plan",), 3)):
        assert "running: to be switched on again" in site.stack.run(*words, status=status).out
    assert states(site) == ["stopped"]
    site.proxy.answer = lambda fields: None
    apply(site.stack)
    assert states(site) == ["running"]
    plan_is_empty(site.stack)


def test_what_could_not_be_read_before_either_takes_the_grace(site):  # noqa: F811
    """Whoever may set it and not read it goes on: it is set anew, and what was begun with it is brought to its end."""
    started(site, "one")
    apply(site.stack)
    started(site, "two")
    site.proxy.answer = deny_user_data
    cut_off_between(site)
    site.stack.environment["TRUEUP_GRACE"] = "60"
    assert is_waiting(site, "ModifyInstanceAttribute")
    site.stack.environment["TRUEUP_GRACE"] = "0"
    site.stack.run("recover")
    assert outcomes(site, "ModifyInstanceAttribute") == ["absent"]
    site.stack.run("apply", "--yes", status=3)
    assert outcomes(site, "ModifyInstanceAttribute") == ["absent", "done"] and states(site) == ["running"]
    site.proxy.answer = lambda fields: None
    plan_is_empty(site.stack)


def test_what_its_endpoint_cannot_tell_is_as_what_no_read_gives_back(site):  # noqa: F811
    """That takes the grace, or it would stay open for ever."""
    cut_off_unread(site, home(False, "red"), UNSUPPORTED)
    site.stack.environment["TRUEUP_GRACE"] = "60"
    assert is_waiting(site, "ModifyVpcAttribute")
    site.stack.environment["TRUEUP_GRACE"] = "0"
    site.stack.run("recover")
    assert outcomes(site, "ModifyVpcAttribute") == ["absent"]


def test_a_saved_plan_does_nothing_about_what_is_open_and_unread(site):  # noqa: F811
    """It was made while all could be read."""
    cut_off_unread(site, home(False, "red"), None)
    site.stack.write("stack.yaml", home(True, "blue"))
    site.stack.run("plan", "--out", "p.plan")
    site.proxy.answer = lambda fields: DENIED if fields["Action"] == "DescribeVpcAttribute" else None
    assert "it is not known what became of ModifyVpcAttribute" in site.stack.run("apply", "p.plan", "--yes", status=4).err
    assert outcomes(site, "ModifyVpcAttribute") == ["unknown"]
    site.proxy.answer = lambda fields: None
    site.stack.run("apply", "p.plan", "--yes")
    assert outcomes(site, "ModifyVpcAttribute") == ["done"]
    plan_is_empty(site.stack)


HOME = {"aws.vpc": {"home": {"cidr": "10.20.0.0/16"}}}


def detached_halfway(site, kind):  # noqa: F811
    """The deletion of a gateway is cut off when it has let go of its VPC, which is recorded. Gives what attaches it."""
    site.stack.write("stack.yaml", spec_text({**HOME, f"aws.{kind}_gateway": {"edge": {"vpc": Ref("aws.vpc.home")}}}))
    apply(site.stack)
    ids, ec2 = ids_of(site.stack), site.server.client("ec2")
    site.stack.write("stack.yaml", spec_text(HOME))
    detaching = f"Detach{kind.capitalize()}Gateway"
    site.cut_off(signal.SIGKILL, lambda number, sent, executed: sent == detaching and executed)
    site.stack.run("recover")
    attach = ec2.attach_internet_gateway if kind == "internet" else ec2.attach_vpn_gateway
    named = {f"{kind.capitalize()}GatewayId": ids[f"aws.{kind}_gateway.edge"], "VpcId": ids["aws.vpc.home"]}
    return lambda: attach(**named)


@pytest.mark.parametrize("kind", ["internet", "vpn"])
def test_a_gateway_that_a_late_call_attaches_once_more_is_detached_again(site, kind):  # noqa: F811
    """That is its own place still."""
    attach = detached_halfway(site, kind)
    attach()
    apply(site.stack)
    plan_is_empty(site.stack)
    assert list(ids_of(site.stack)) == ["aws.vpc.home"]


def test_a_gateway_that_its_spec_has_nowhere_is_left_where_others_attach_it(site):  # noqa: F811
    attach = detached_halfway(site, "internet")
    site.stack.write("stack.yaml", spec_text({**HOME, "aws.internet_gateway": {"edge": {}}}))
    apply(site.stack)
    attach()
    site.stack.write("stack.yaml", spec_text(HOME))
    assert "which is not recorded as its own" in site.stack.run("apply", "--yes", status=1).err
