"""What comes late of a call that was given up, or came twice: swept where it is ours, told where nobody knows."""

import pytest

from cli import edit, recorded, tiny, world  # noqa: F401
from test_recover import lose, outcomes, rows


def tags_of_intent(stack, intent):
    """The tags that a create under that intent carries, as words of `sim change`."""
    lineage, address, object_id = rows(
        stack,
        "SELECT lower(hex(lineage)), address, lower(hex(object_id)) FROM stack,"
        " (SELECT intent, address, object_id FROM history UNION ALL SELECT id, address, object_id FROM intents)"
        f" WHERE lower(hex(intent)) = '{intent}'",
    )[0]
    tags = {"stack": lineage, "object": object_id, "intent": intent, "address": address}
    return [f"tags.trueup:{name}={value}" for name, value in tags.items()]


def come_late(stack, intent, kind="vpc", *members):
    before = set(world(stack, kind))
    members = members or ("cidrBlock=10.0.0.0/16", "state=available")
    stack.run("sim", "--region", "eu-central-1", "add", kind, *members)
    made = (set(world(stack, kind)) - before).pop()
    stack.run("sim", "change", kind, made, *tags_of_intent(stack, intent))
    return made


def test_late_twin_is_swept(tiny):
    lose(tiny, "CreateVpc", "lost_request")
    tiny.run("apply", "--yes")
    intent = rows(tiny, "SELECT lower(hex(intent)) FROM history WHERE outcome = 'absent'")[0][0]
    twin = come_late(tiny, intent)
    told = f"{twin} was made for 'aws.vpc.main' by a call that came late: the next apply of the whole stack deletes it"
    assert told in tiny.run("plan", "--detailed-exitcode", status=2).err
    assert told in tiny.run("drift", status=2).err
    result = tiny.run("apply", "--yes")
    assert f"{twin} was made for 'aws.vpc.main' by a call that came late" in result.err
    assert "DELETE, made by a call that came late" in result.out and "1 delete" in result.out
    assert set(world(tiny, "vpc")) == {recorded(tiny)["aws.vpc.main"]}
    tiny.run("plan", "--detailed-exitcode")


def test_what_its_tag_told_and_was_deleted_is_no_twin_in_a_listing_that_lags(tiny):
    """Its id is recorded before its deletion: without, it would be taken for what a call of ours made late."""
    tiny.write("tiny.yaml", "stack: tiny\nproviders: {aws: {region: eu-central-1}}\naws.vpc: {main: {cidr: 10.0.0.0/16}}\n")
    lose(tiny, "CreateVpc", "lost_request")
    tiny.run("recover")
    late = come_late(tiny, rows(tiny, "SELECT lower(hex(intent)) FROM history WHERE outcome = 'absent'")[0][0])
    there = (tiny.folder / "world").read_bytes()
    tiny.run("destroy", "--yes")
    assert world(tiny, "vpc") == {} and outcomes(tiny, "DeleteVpc") == ["done"]
    (tiny.folder / "world").write_bytes(there)
    assert late in world(tiny, "vpc")
    told = tiny.run("plan", "--destroy")
    assert "came late" not in told.out + told.err and late not in told.out


def test_swept_twin_is_told_as_what_it_is(tiny):
    """Nothing was replaced."""
    lose(tiny, "CreateVpc", "lost_request")
    tiny.run("apply", "--yes")
    twin = come_late(tiny, rows(tiny, "SELECT lower(hex(intent)) FROM history WHERE outcome = 'absent'")[0][0])
    tiny.run("recover")
    (begun,) = tiny.run("drift", "--output", "json", status=2).json["unfinished"]
    assert (begun["address"], begun["reason"]) == ("aws.vpc.main", "was made by a call that came late")
    (action,) = tiny.run("plan", "--out", "p.plan", "--output", "json").json["actions"]
    assert (action["provider_id"], action["reason"]) == (twin, "made by a call that came late")
    tiny.run("apply", "p.plan")
    assert twin not in world(tiny, "vpc")
    tiny.run("plan", "--detailed-exitcode")


def test_late_twin_is_left_by_who_does_not_know_where_it_is(tiny):
    """Without a spec, and nobody says who answers: recorded without its account, no later run could reach it."""
    lose(tiny, "CreateVpc", "lost_request")
    tiny.run("apply", "--yes")
    twin = come_late(tiny, rows(tiny, "SELECT lower(hex(intent)) FROM history WHERE outcome = 'absent'")[0][0])
    specs = {path: path.read_text() for path in tiny.folder.glob("*.yaml")}
    for path in specs:
        path.unlink()
    tiny.run("sim", "fault", "GetCallerIdentity", "deny", "1", "1")
    told = tiny.run("recover", status=3)
    assert "whether anything has come of a call for 'aws.vpc.main' that was given up cannot be told: 'aws.vpc' could" in told.err
    assert "could not be listed in aws account " in told.err and "nothing is open" not in told.out
    assert rows(tiny, "SELECT count(*) FROM objects WHERE role <> 0") == [(0,)]
    for path, text in specs.items():
        path.write_text(text)
    assert f"{twin} was made for 'aws.vpc.main' by a call that came late" in tiny.run("apply", "--yes").err
    assert twin not in world(tiny, "vpc")
    tiny.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("command", [("recover",), ("apply", "--yes")])
def test_a_call_that_came_twice_is_swept_however_late_it_is_settled(tiny, command):
    """Cut off in the evening, and looked at the next morning."""
    tiny.write("gateway.yaml", "aws.customer_gateway:\n  g: {address: 198.51.100.7, asn: 65010}\n")
    lose(tiny, "CreateCustomerGateway")
    (members,) = world(tiny, "customer-gateway").values()
    same = [f"{name}={members[name]}" for name in ("type", "ipAddress", "bgpAsn", "state")]
    come_late(tiny, rows(tiny, "SELECT lower(hex(id)) FROM intents")[0][0], "customer-gateway", *same)
    tiny.run("sim", "pass", str(12 * 60 * 60))
    assert "was made for 'aws.customer_gateway.g' by a call that came late" in tiny.run(*command).err
    tiny.run("apply", "--yes")
    there = [name for name, one in world(tiny, "customer-gateway").items() if one["state"] == "available"]
    assert there == [recorded(tiny)["aws.customer_gateway.g"]]
    assert outcomes(tiny, "CreateCustomerGateway") == ["done"]


@pytest.mark.parametrize("command", [("apply", "--yes"), ("destroy", "--yes")])
def test_late_twin_is_swept_where_nothing_of_its_kind_is_recorded(tiny, command):
    lose(tiny, "CreateVpc", "lost_request")
    tiny.run("destroy", "--yes")
    assert recorded(tiny) == {}
    twin = come_late(tiny, rows(tiny, "SELECT lower(hex(intent)) FROM history WHERE outcome = 'absent'")[0][0])
    result = tiny.run(*command)
    assert f"{twin} was made for 'aws.vpc.main' by a call that came late" in result.err
    assert twin not in world(tiny, "vpc")


@pytest.mark.parametrize(
    "tag, waited_s",
    [
        pytest.param(None, 7200, id="tags that were copied"),
        pytest.param("0" * 32, 0, id="a call that the record does not know"),
        pytest.param("", 0, id="no call"),
        pytest.param("null", 0, id="a tag that was taken off"),
    ],
)
def test_what_nobody_can_explain_is_told_and_left_alone(tiny, tag, waited_s):
    """A job that looks every night must hear of it; deleting it might delete somebody's own."""
    tiny.run("apply", "--yes")
    intent = rows(tiny, "SELECT lower(hex(intent)) FROM history WHERE operation = 'CreateVpc'")[0][0]
    tiny.run("sim", "pass", str(waited_s))
    copy = come_late(tiny, intent)
    if tag is not None:
        tiny.run("sim", "change", "vpc", copy, f"tags.trueup:intent={tag}")
    told = f"{copy} carries the tags of this stack, as 'aws.vpc.main', and is not recorded: it is left alone"
    for command, status in {("plan", "--detailed-exitcode"): 0, ("drift",): 2, ("apply", "--yes"): 0, ("recover",): 7}.items():
        result = tiny.run(*command, status=status)
        assert result.err.count(told) == 1
        assert "every call that was sent is accounted for" not in result.out
    assert copy in world(tiny, "vpc")
    assert told in tiny.run("destroy", "--yes").err
    assert list(world(tiny, "vpc")) == [copy]


def test_what_was_let_go_is_nobodys_twin(tiny):
    tiny.run("apply", "--yes")
    tiny.run("state", "rm", "aws.subnet.b", "--yes")
    assert "carries the tags" not in tiny.run("drift").err


OTHER = """\
stack: tiny
providers: {aws: {region: eu-central-1}}
aws.vpc:
  other: {cidr: 10.1.0.0/16}
"""


@pytest.mark.parametrize("how", ["lost_answer", "lost_request"])
@pytest.mark.parametrize("spec", ["", OTHER], ids=["nothing of its kind", "another of its kind"])
def test_what_was_let_go_with_its_call_is_nobodys_twin(tiny, spec, how):
    """It was there, or came later: who forgot it by force was told that nobody knew, and wants it left alone."""
    lose(tiny, "CreateVpc", how)
    intent = rows(tiny, "SELECT lower(hex(id)) FROM intents")[0][0]
    tiny.run("state", "rm", "aws.vpc.main", "--yes", "--force")
    assert outcomes(tiny, "CreateVpc") == ["forgotten"]
    if how == "lost_request":
        come_late(tiny, intent)
    [let_go] = world(tiny, "vpc")
    tiny.write("tiny.yaml", spec or OTHER[: OTHER.index("aws.vpc")])
    for command in (["plan"], ["drift"], ["apply", "--yes"], ["recover"]):
        result = tiny.run(*command, status=(0, 2))
        assert "by a call that came late" not in result.out + result.err
    assert set(world(tiny, "vpc")) == {let_go, *recorded(tiny).values()}
    tiny.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("how", ["lost_answer", "lost_request"])
def test_what_comes_late_after_a_rebuild_is_swept(tiny, how):
    """A state made anew knows what a call has made, or that it may still come; nobody let go of that."""
    tiny.run("apply", "--yes")
    edit(tiny, "aws.subnet:", "  more: {cidr: 10.1.0.0/16}\naws.subnet:", "tiny.yaml")
    lose(tiny, "CreateVpc", how)
    intent = rows(tiny, "SELECT lower(hex(id)) FROM intents")[0][0]
    tiny.run("state", "rebuild", "--force", "--yes")
    assert outcomes(tiny, "CreateVpc") == ["done", "done" if how == "lost_answer" else "absent"]
    tiny.run("apply", "--yes")
    come_late(tiny, intent, "vpc", "cidrBlock=10.1.0.0/16", "state=available")
    tiny.run("apply", "--yes")
    assert set(world(tiny, "vpc")) == {recorded(tiny)["aws.vpc.main"], recorded(tiny)["aws.vpc.more"]}
