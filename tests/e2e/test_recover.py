"""What became of calls whose answer nobody saw: settled once, and made once."""

import sqlite3

import pytest

from cli import edit, recorded, tiny, world  # noqa: F401
from conftest import REGION

TEMPLATE = "aws.launch_template:\n  t: {name: template, instance_type: t3.micro}\n"


def rows(stack, query):
    with sqlite3.connect(stack.folder / ".trueup" / "state.db") as database:
        return database.execute(query).fetchall()


def lose(stack, action, how="lost_answer", times=1):
    """An apply in which so many calls of that action get no answer."""
    stack.run("sim", "fault", action, how, "1", str(times))
    stack.run("apply", "--yes", status=(1, 7))
    assert rows(stack, "SELECT operation FROM intents") == [(action,)]


def outcomes(stack, action):
    return [row[0] for row in rows(stack, f"SELECT outcome FROM history WHERE operation = '{action}' ORDER BY number")]


def test_listing_that_lags_does_not_make_a_twin(tiny):
    lose(tiny, "CreateVpc")
    tiny.run("sim", "fault", "DescribeVpcs", "stale", "1", "1")
    result = tiny.run("apply", "--yes")
    assert "looking for what CreateVpc for 'aws.vpc.main' may have made" in result.err
    assert len(world(tiny, "vpc")) == 1
    assert outcomes(tiny, "CreateVpc") == ["done"]


def test_what_the_fourth_listing_shows_is_there(tiny):
    """As many may miss it; what one more misses is let go of, as below."""
    tiny.run("apply", "--yes")
    tiny.run("sim", "fault", "DescribeVpcs", "stale", "1", "3")
    tiny.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("times, state", [(2, "deleted"), (3, "available")])
def test_what_the_third_listing_shows_is_deleted_once_more(tiny, times, state):
    """The call that deletes it knew of no such object: three in a row that miss it too are enough."""
    tiny.write("more.yaml", "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    tiny.run("apply", "--yes")
    (tiny.folder / "more.yaml").unlink()
    tiny.run("sim", "fault", "DeleteCustomerGateway", "stale", "1", "1")
    tiny.run("sim", "fault", "DescribeCustomerGateways", "stale", "2", str(times))
    tiny.run("apply", "--yes")
    assert [gateway["state"] for gateway in world(tiny, "customer-gateway").values()] == [state]


@pytest.mark.parametrize("command", ["apply", "destroy"])
def test_what_a_listing_that_lags_long_has_missed_is_told(tiny, command):
    """A record is let go of when a listing and three more miss it; whoever sees it then does not take it for gone."""
    tiny.run("apply", "--yes")
    [vpc] = world(tiny, "vpc")
    tiny.run("sim", "fault", "DescribeVpcs", "stale", "1", "4")
    tiny.run(command, "--yes")
    assert vpc in world(tiny, "vpc") and vpc not in recorded(tiny).values()
    tiny.run("sim", "pass", "3600")
    told = f"{vpc} carries the tags of this stack, as 'aws.vpc.main', and is not recorded"
    assert told in tiny.run("plan").err and told in tiny.run("drift", status=2).err
    if command == "destroy":
        assert told in tiny.run("destroy", "--yes", status=4).err
        assert f"'aws.vpc.main' is there as {vpc}" in tiny.run("apply", "--yes", status=4).err
    assert len(world(tiny, "vpc")) == (2 if command == "apply" else 1)
    tiny.run("sim", "remove", "vpc", vpc)
    tiny.run("apply", "--yes")
    tiny.run("drift")


@pytest.mark.parametrize("hidden, refusal", [("the thing", "deny"), ("the thing", "unsupported"), ("and its deletion", "deny")])
def test_what_was_missed_is_told_though_nothing_else_of_its_kind_is_left(tiny, hidden, refusal):
    """Its kind has left the spec with it, and is listed all the same; where that is refused, nothing is claimed."""
    tiny.write("more.yaml", "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    tiny.run("apply", "--yes")
    [gateway] = world(tiny, "customer-gateway")
    (tiny.folder / "more.yaml").unlink()
    if hidden == "and its deletion":
        tiny.run("sim", "fault", "DeleteCustomerGateway", "stale", "1", "9")
    tiny.run("sim", "fault", "DescribeCustomerGateways", "stale", "1" if hidden == "the thing" else "2", "4")
    tiny.run("apply", "--yes")
    assert gateway in world(tiny, "customer-gateway") and gateway not in recorded(tiny).values()
    tiny.run("sim", "pass", "3600")
    told = f"{gateway} carries the tags of this stack, as 'aws.customer_gateway.c', and is not recorded"
    assert told in tiny.run("plan").err and told in tiny.run("drift", status=2).err
    assert told in tiny.run("recover", status=7).err
    fault = tiny.run("sim", "fault", "DescribeCustomerGateways", refusal).out.split()[-1]
    untold = f"whether 'aws.customer_gateway.c' ({gateway}), which was not found any more, is there after all cannot be told"
    assert untold in tiny.run("plan").err and untold in tiny.run("recover", status=3).err
    drift = tiny.run("drift", status=3)
    assert drift.err.count(untold) == 1 and "no drift: " not in drift.out
    [unlisted] = tiny.run("drift", "--output", "json", status=3).json["unlisted"]
    assert (unlisted["address"], unlisted["id"], unlisted["region"]) == ("aws.customer_gateway.c", gateway, REGION)
    tiny.run("sim", "remove", "fault", fault)
    tiny.run("sim", "remove", "customer-gateway", gateway)
    tiny.run("drift")


def test_what_was_missed_is_looked_for_where_it_was(tiny):
    """Who may not list another place has lost nothing there; nor has anybody who lost a tag."""
    edit(tiny, "providers: {", "providers: {aws.far: {region: eu-west-1}, ")
    tiny.write("more.yaml", "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    tiny.write("far.yaml", "aws.vpc:\n  far: {cidr: 10.9.0.0/16, provider: aws.far}\n")
    tiny.run("apply", "--yes")
    [gateway] = world(tiny, "customer-gateway")
    (tiny.folder / "more.yaml").unlink()
    tiny.run("sim", "remove", "customer-gateway", gateway)
    tiny.run("apply", "--yes")
    calls = tiny.run("drift", "--output", "json").json["calls"]
    tiny.run("sim", "fault", "DescribeCustomerGateways", "deny", "2", "9")
    assert tiny.run("drift", "--output", "json").json["calls"] == calls
    tiny.run("sim", "fault", "DescribeCustomerGateways", "deny")
    tiny.run("drift", status=3)
    tiny.run("sim", "pass", str(91 * 24 * 3600))
    tiny.run("drift")


def test_what_a_deletion_never_reached_is_told(tiny):
    """Its part was taken off, and then no listing showed it: a call about it was done, but none has ended it."""
    tiny.write("way.yaml", "aws.internet_gateway:\n  way: {vpc: main}\n")
    tiny.run("apply", "--yes")
    [way] = world(tiny, "internet-gateway")
    tiny.run("sim", "fault", "DeleteInternetGateway", "stale", "1", "9")
    tiny.run("sim", "fault", "DescribeInternetGateways", "stale", "2", "9")
    tiny.run("destroy", "--yes")
    tiny.run("sim", "pass", "3600")
    assert way in world(tiny, "internet-gateway")
    told = f"{way} carries the tags of this stack, as 'aws.internet_gateway.way', and is not recorded"
    assert told in tiny.run("drift", status=2).err and told in tiny.run("destroy", "--yes", status=4).err


def test_waits_no_longer_than_the_grace(tiny):
    lose(tiny, "CreateVpc", "lost_request")
    document = tiny.run("apply", "--yes", "--grace", "300", "--output", "json").json
    assert len(world(tiny, "vpc")) == 1
    assert outcomes(tiny, "CreateVpc") == ["absent", "done"]
    assert document["status"] == 0


@pytest.mark.parametrize("command, statuses", [("plan", (0, 0)), ("drift", (3, 2))])
def test_what_is_foretold_goes_by_the_grace_of_the_apply(tiny, command, statuses):
    """All that judge take --grace, and judge alike by it."""
    lose(tiny, "CreateVpc", "lost_request")

    def outlook(grace, status):
        document = tiny.run(command, "--output", "json", status=status, TRUEUP_GRACE=grace).json
        return [call["outlook"] for call in document["open"]]

    assert (outlook("3600", statuses[0]), outlook("0", statuses[1])) == (["waiting"], ["absent"])
    tiny.run("apply", "--yes", "--grace", "0")
    assert outcomes(tiny, "CreateVpc") == ["absent", "done"]
    assert len(world(tiny, "vpc")) == 1


@pytest.mark.parametrize("ago_s, outlook", [(115, "waiting"), (120, "absent")])
def test_the_grace_where_nothing_says_otherwise(tiny, ago_s, outlook):
    lose(tiny, "CreateVpc", "lost_request")
    with sqlite3.connect(tiny.folder / ".trueup" / "state.db") as database:
        database.execute(f"UPDATE intents SET wall_ms = (SELECT ended_ms FROM runs) - {ago_s * 1000}")
    told = tiny.run("plan", "--output", "json", TRUEUP_GRACE=None)
    assert [call["outlook"] for call in told.json["open"]] == [outlook]


ADDRESSED = """\
aws.vpc:
  six: {cidr: 10.6.0.0/16, ipv6: true}
aws.subnet:
  six: {vpc: six, cidr: 10.6.0.0/24, ipv6_cidr: "${cidr_subnet(aws.vpc.six.ipv6_cidr, 8, 1)}"}
aws.instance:
  six: {image: ami-0123456789abcdef0, instance_type: t3.xlarge, subnet: six, address6_count: NUMBER}
"""


DETAILED = """\
aws.instance:
  i: {image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a, user_data: "echo hello"}
"""


def test_what_is_found_by_its_tag_is_read_whole(tiny):
    """A plan tells of no difference that is none, and what was saved of it is still so after recovery."""
    tiny.write("more.yaml", DETAILED)
    lose(tiny, "RunInstances", times=3)
    planned = tiny.run("plan", "--out", "p.plan", "--output", "json").json
    [instance] = [action for action in planned["actions"] if action["address"] == "aws.instance.i"]
    assert "user_data" not in str(instance["changes"])
    tiny.run("apply", "p.plan", "--yes")
    assert outcomes(tiny, "RunInstances") == ["done"]
    assert tiny.run("plan", "--output", "json").json["actions"] == []


@pytest.mark.parametrize("listing", ["", "stale"])
@pytest.mark.parametrize(
    "how, settled", [("lost_answer", ["done"]), ("half_answer", ["done"]), ("error", ["absent", "done"]), ("lost_request", ["absent", "done"])]
)
def test_addresses_by_their_number_come_once(tiny, how, settled, listing):
    """More are asked for only once a look has told that none came."""
    tiny.write("more.yaml", ADDRESSED.replace("NUMBER", "1"))
    tiny.run("apply", "--yes")
    tiny.write("more.yaml", ADDRESSED.replace("NUMBER", "3"))
    lose(tiny, "AssignIpv6Addresses", how)
    if listing:
        tiny.run("sim", "fault", "DescribeInstances", listing, "1", "1")
    tiny.run("apply", "--yes")
    (instance,) = world(tiny, "instance").values()
    assert len(instance["networkInterfaceSet"][0]["ipv6AddressesSet"]) == 3
    assert outcomes(tiny, "AssignIpv6Addresses") == settled
    assert outcomes(tiny, "UnassignIpv6Addresses") == []
    tiny.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("how, settled", [("lost_answer", ["done"]), ("lost_request", ["absent", "done"])])
def test_what_others_did_before_a_call_is_not_its_work(tiny, how, settled):
    """An address was taken away since the last run; what a call does is told by what there was when it was sent."""
    tiny.write("more.yaml", ADDRESSED.replace("NUMBER", "2"))
    tiny.run("apply", "--yes")
    ((name, instance),) = world(tiny, "instance").items()
    [kept, _] = instance["networkInterfaceSet"][0]["ipv6AddressesSet"]
    tiny.run("sim", "change", "instance", name, "networkInterfaceSet.0.ipv6AddressesSet.1=null")
    assert world(tiny, "instance")[name]["networkInterfaceSet"][0]["ipv6AddressesSet"] == [kept]
    tiny.write("more.yaml", ADDRESSED.replace("NUMBER", "4"))
    lose(tiny, "AssignIpv6Addresses", how)
    tiny.run("apply", "--yes")
    assert len(world(tiny, "instance")[name]["networkInterfaceSet"][0]["ipv6AddressesSet"]) == 4
    assert outcomes(tiny, "AssignIpv6Addresses") == settled
    tiny.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("how, settled", [("lost_answer", ["done"]), ("lost_request", ["absent", "done"])])
def test_a_range_from_amazon_comes_once(tiny, how, settled):
    vpc = "aws.vpc:\n  six: {cidr: 10.6.0.0/16, ipv6: WHETHER}\n"
    tiny.write("more.yaml", vpc.replace("WHETHER", "false"))
    tiny.run("apply", "--yes")
    tiny.write("more.yaml", vpc.replace("WHETHER", "true"))
    lose(tiny, "AssociateVpcCidrBlock", how)
    tiny.run("apply", "--yes")
    assert outcomes(tiny, "AssociateVpcCidrBlock") == settled
    tiny.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("lag_s, status", [(110, 0), (10**6, 7)], ids=["within the grace", "after it"])
def test_what_was_accepted_is_not_asked_for_again_however_late_it_shows(tiny, lag_s, status):
    """The run looks on until the grace is over, and the next one finds what came."""
    vpc = "aws.vpc:\n  range: {cidr: 10.7.0.0/16, ipv6: WHETHER}\n"
    tiny.write("more.yaml", ADDRESSED.replace("NUMBER", "1"))
    tiny.write("range.yaml", vpc.replace("WHETHER", "false"))
    tiny.run("apply", "--yes")
    tiny.write("more.yaml", ADDRESSED.replace("NUMBER", "3"))
    tiny.write("range.yaml", vpc.replace("WHETHER", "true"))
    tiny.run("sim", "change", "settings", "settings", f"lag_ms={lag_s * 1000}")
    result = tiny.run("apply", "--yes", "--grace", "120", status=status)
    assert ("still shows its old 'address6_count', though AssignIpv6Addresses was accepted" in result.err) == (status > 0)
    assert result.err.count("it was not sent once more") == (2 if status else 0)
    tiny.run("sim", "change", "settings", "settings", "lag_ms=0")
    tiny.run("sim", "pass", lag_s)
    tiny.run("apply", "--yes")
    assert outcomes(tiny, "AssignIpv6Addresses") == outcomes(tiny, "AssociateVpcCidrBlock") == ["done"]
    (instance,) = world(tiny, "instance").values()
    assert len(instance["networkInterfaceSet"][0]["ipv6AddressesSet"]) == 3
    tiny.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("how, settled", [("lost_answer", ["done"]), ("lost_request", ["absent", "done"])])
def test_what_else_has_moved_tells_nothing_of_a_call(tiny, how, settled):
    """Stopped for the other change, the instance has lost its public address."""
    spec = ADDRESSED.replace("subnet: six,", "subnet: six, public_ip: true,")
    tiny.write("more.yaml", spec.replace("NUMBER", "1"))
    tiny.run("apply", "--yes")
    tiny.write("more.yaml", spec.replace("NUMBER", "3").replace("t3.xlarge", "t3.2xlarge"))
    lose(tiny, "AssignIpv6Addresses", how)
    assert outcomes(tiny, "StopInstances") == ["done"]
    tiny.run("apply", "--yes")
    assert outcomes(tiny, "AssignIpv6Addresses") == settled
    tiny.run("plan", "--detailed-exitcode")


IN_WORDS = {
    "a change": ("CreateTags", "lost_answer", "apply", 2),
    "a deletion": ("DeleteVpc", "lost_request", "destroy", 3),  # that may still come
}


@pytest.mark.parametrize("action, fault, command, status", IN_WORDS.values(), ids=IN_WORDS)
def test_what_a_run_that_was_cut_off_set_in_the_words_of_a_password_is_no_drift(tiny, action, fault, command, status):
    tiny.environment["PASSWORD"] = "hunter-two"
    edit(tiny, "providers: {", "providers: {metal: {user: root, password_env: PASSWORD}, ")
    edit(tiny, "team: red", "team: hunter-two, owner: nobody")
    edit(tiny, "aws.subnet:\n  a: {vpc: main, cidr: 10.0.1.0/24}\n  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
    tiny.run("apply", "--yes")
    if command == "apply":
        edit(tiny, "team: hunter-two", "team: of hunter-two")
    tiny.run("sim", "fault", action, fault, 1, 9)
    tiny.run(command, "--yes", status=(1, 7))
    assert tiny.run("drift", "--output", "json", status=status, TRUEUP_GRACE="120").json["actions"] == []
    tiny.run("recover")
    tiny.run("plan", "--detailed-exitcode")
    tiny.run("drift")


@pytest.mark.parametrize("command", [("recover",), ("apply", "--yes", "--target", "aws.vpc.main")], ids=["recover", "a part"])
def test_what_was_not_made_anew_is_missed_though_its_create_is_settled(tiny, command):
    """That nothing came of it is known now; its record is still there, and stands for nothing."""
    tiny.write("more.yaml", "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    tiny.run("apply", "--yes")
    edit(tiny, "65010", "65020", "more.yaml")
    lose(tiny, "CreateCustomerGateway", "lost_request")
    edit(tiny, "team: red", "team: blue")
    tiny.run(*command)
    [told] = tiny.run("drift", "--output", "json", status=2).json["unfinished"]
    assert (told["address"], told["reason"]) == ("aws.customer_gateway.c", "was deleted by a run that did not make it anew")
    tiny.run("apply", "--yes")
    tiny.run("drift")


def test_recover_alone_changes_nothing_else(tiny):
    lose(tiny, "CreateVpc")
    assert "nothing is open" in tiny.run("recover").out
    assert recorded(tiny)["aws.vpc.main"] in world(tiny, "vpc")
    assert world(tiny, "subnet") == {}
    assert rows(tiny, "SELECT command, outcome FROM runs ORDER BY number DESC LIMIT 1") == [("recover", "done")]
    tiny.run("apply", "--yes")
    assert len(world(tiny, "vpc")) == 1


def test_what_cannot_be_read_stays_open(tiny):
    lose(tiny, "CreateVpc")
    intent = rows(tiny, "SELECT lower(hex(id)) FROM intents")[0][0]
    fault = tiny.run("sim", "fault", "DescribeVpcs", "deny").out.split()[-1]
    result = tiny.run("recover", status=7)
    assert intent in result.err and "CreateVpc" in result.out
    assert tiny.run("drift", status=3).out.count("CreateVpc") == 1
    plan = tiny.run("plan", "--output", "json", status=3).json
    assert [(one["operation"], one["outlook"], one["intent"]) for one in plan["open"]] == [
        ("CreateVpc", "unknown", intent)
    ]
    tiny.run("apply", "--yes", status=(3, 7))
    assert len(world(tiny, "vpc")) == 1
    tiny.run("sim", "remove", "fault", fault)
    tiny.run("apply", "--yes")
    assert len(world(tiny, "vpc")) == 1


@pytest.mark.parametrize("action", ["CreateVpc", "CreateLaunchTemplate"])
def test_drift_claims_nothing_while_it_cannot_be_told_what_became_of_a_call(tiny, action):
    """All was read, and nothing is there: no good news, and no drift yet."""
    tiny.write("template.yaml", TEMPLATE)
    lose(tiny, action, "lost_request", 1 if action == "CreateVpc" else 3)
    for status, outlook in ((3, "waiting"), (2, "absent")):
        document = tiny.run("drift", "--output", "json", status=status, TRUEUP_GRACE="120").json
        assert ([one["outlook"] for one in document["open"]], document["unread"]) == ([outlook], [])
        told = tiny.run("drift", status=status, TRUEUP_GRACE="120").out
        assert "no drift" not in told and "\nOPEN " in told and told.endswith("see OPEN above\n")
        tiny.run("sim", "pass", str(3 * 60))
    assert "'open' in JSON" in tiny.run("help", "drift").out


@pytest.mark.parametrize("command", [("recover",), ("plan",), ("drift",), ("apply", "--yes"), ("undo",)])
def test_what_is_open_is_named_where_nobody_can_be_asked(tiny, command):
    """The record alone knows of it; whose credentials have expired has to hear of it all the same."""
    lose(tiny, "CreateVpc")
    [(run, intent)] = rows(tiny, "SELECT lower(hex(runs.id)), lower(hex(intents.id)) FROM runs, intents")
    tiny.run("sim", "fault", "GetCallerIdentity", "deny")
    result = tiny.run(*command, *([run] if command == ("undo",) else []), status=7 if command == ("recover",) else 1)
    told = f"it is not known what became of CreateVpc for 'aws.vpc.main' (no id, intent {intent}): nobody could be asked"
    assert result.err.count(told) == 1
    assert rows(tiny, "SELECT operation FROM intents") == [("CreateVpc",)]


def test_what_is_open_is_named_by_the_id_that_is_recorded(tiny):
    """Whoever has to look by hand is told at what."""
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    lose(tiny, "CreateTags", "lost_request", 9)
    tiny.run("sim", "fault", "GetCallerIdentity", "deny")
    told = f"what became of CreateTags for 'aws.vpc.main' ({recorded(tiny)['aws.vpc.main']}, intent "
    assert told in tiny.run("recover", status=7).err


@pytest.mark.parametrize("command", ["apply", "destroy"])
def test_what_may_still_come_is_neither_forgotten_nor_made_again(tiny, command):
    """Recovery could not look, and the plan finds nothing: that claims nothing either."""
    lose(tiny, "CreateVpc", "lost_request")
    tiny.run("sim", "fault", "DescribeVpcs", "deny", "1", "1")
    result = tiny.run(command, "--yes", status=7)
    assert "it is not known what became of CreateVpc" in result.out
    assert "aws.vpc.main" in recorded(tiny) and world(tiny, "vpc") == {}
    assert rows(tiny, "SELECT operation FROM intents") == [("CreateVpc",)]
    tiny.run("destroy", "--yes")
    assert outcomes(tiny, "CreateVpc") == ["absent"]


def test_what_may_still_come_is_not_made_by_a_saved_plan(tiny):
    """It was made by what a look had told, which recovery could not have."""
    lose(tiny, "CreateVpc", "lost_request")
    tiny.run("plan", "--out", "p.plan")
    tiny.run("sim", "fault", "DescribeVpcs", "deny", "1", "1")
    result = tiny.run("apply", "p.plan", "--yes", status=4)
    assert "'aws.vpc.main' has changed since the plan was made: it cannot be read now: it is not known what" in result.err
    assert world(tiny, "vpc") == {}
    tiny.run("apply", "p.plan", "--yes")
    assert len(world(tiny, "vpc")) == 1
    assert outcomes(tiny, "CreateVpc") == ["absent", "done"]


def test_what_was_never_finished_and_cannot_be_read_holds_up_its_users(tiny):
    """Its id is known by then, and nothing else of it."""
    lose(tiny, "CreateVpc")
    tiny.run("recover")
    fault = tiny.run("sim", "fault", "DescribeVpcs", "deny").out.split()[-1]
    plan = tiny.run("plan", "--output", "json", status=3).json
    assert {one["address"]: one["operation"] for one in plan["actions"]} == {
        "aws.vpc.main": "unread",
        "aws.subnet.a": "unread",
        "aws.subnet.b": "unread",
    }
    tiny.run("apply", "--yes", status=3)
    tiny.run("sim", "remove", "fault", fault)
    tiny.run("apply", "--yes")
    tiny.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("how", ["lost_request", "lost_answer"])
def test_token_is_sent_once_more_without_waiting(tiny, how):
    tiny.write("template.yaml", TEMPLATE)
    lose(tiny, "CreateLaunchTemplate", how, 3)
    result = tiny.run("apply", "--yes")
    assert "looking for" not in result.err
    assert outcomes(tiny, "CreateLaunchTemplate") == ["done"]
    assert list(world(tiny, "launch-template")) == [recorded(tiny)["aws.launch_template.t"]]
    assert len(world(tiny, "launch-template")) == 1
    tiny.run("plan", "--detailed-exitcode")


def test_token_is_not_sent_past_its_life(tiny):
    tiny.write("template.yaml", TEMPLATE)
    lose(tiny, "CreateLaunchTemplate", "lost_request", 3)
    tiny.run("sim", "pass", str(61 * 60))
    tiny.run("recover")
    assert outcomes(tiny, "CreateLaunchTemplate") == ["absent"]
    assert world(tiny, "launch-template") == {}


@pytest.mark.parametrize("age_s", [1, 6 * 60])
def test_token_is_not_sent_again_and_again_for_what_is_gone(tiny, age_s):
    """That the id of a subnet is refused passes where the subnet is new, and is there."""
    tiny.run("apply", "--yes")
    tiny.run("sim", "pass", str(age_s))
    tiny.write("machine.yaml", "aws.instance:\n  m: {image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a}\n")
    lose(tiny, "RunInstances", "lost_request", 3)
    tiny.run("sim", "remove", "subnet", recorded(tiny)["aws.subnet.a"])
    tiny.run("recover", "--grace", "0")
    assert outcomes(tiny, "RunInstances") == ["absent"]
    [(began_ms, ended_ms)] = rows(tiny, "SELECT started_ms, ended_ms FROM runs ORDER BY number DESC LIMIT 1")
    assert ended_ms - began_ms < 60 * 1000


def test_a_call_whose_record_is_lost(tiny):
    """By hand, or by damage: it is named all the same where nobody answers."""
    lose(tiny, "CreateVpc")
    with sqlite3.connect(tiny.folder / ".trueup" / "state.db") as database:
        database.execute("DELETE FROM objects WHERE address = 'aws.vpc.main'")
    tiny.run("sim", "fault", "GetCallerIdentity", "deny", "1")
    result = tiny.run("recover", status=7)
    assert "it is not known what became of CreateVpc for 'aws.vpc.main' (no id, intent " in result.err
    assert rows(tiny, "SELECT operation FROM intents") == [("CreateVpc",)]
