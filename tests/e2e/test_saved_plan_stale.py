"""Saved plans where something has changed since: when they are stale, and when they still hold."""

import re

import pytest

from cli import edit, recorded, tiny, world  # noqa: F401
from test_saved_plan import BLUE, change


def remove_subnet(stack):
    stack.run("sim", "remove", "subnet", recorded(stack)["aws.subnet.b"])


WITHOUT_B = ("  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
MOVED_B = ("10.0.2.0", "10.0.3.0")


@pytest.mark.parametrize(
    "edits, happens, address, words",
    [
        pytest.param(
            BLUE, lambda stack: change(stack, "vpc", "aws.vpc.main", "tags.team=green"), "aws.vpc.main",
            "other values are there now", id="changed",
        ),
        pytest.param(
            BLUE, lambda stack: change(stack, "vpc", "aws.vpc.main", "tags.team=blue"), "aws.vpc.main",
            "it is as the plan wants it already, and only its record would follow", id="changed so already",
        ),
        pytest.param(
            WITHOUT_B, remove_subnet, "aws.subnet.b",
            "it is gone already, and only its record is left to go", id="deleted, was to be deleted",
        ),
        pytest.param(
            MOVED_B, remove_subnet, "aws.subnet.b",
            "it would have to be created now", id="deleted, was to be replaced",
        ),
        pytest.param(
            MOVED_B, lambda stack: stack.run("sim", "fault", "DescribeSubnets", "deny"), "aws.subnet.b",
            "it cannot be read now: could not read aws.subnet: DescribeSubnets answered UnauthorizedOperation: "
            "You are not authorized to perform this operation.", id="not to be read",
        ),
    ],
)
def test_stale_plan_says_in_a_sentence_what_has_changed(tiny, edits, happens, address, words):
    tiny.run("apply", "--yes")
    edit(tiny, *edits)
    tiny.run("plan", "--out", "p.plan")
    happens(tiny)
    refused = tiny.run("apply", "p.plan", status=4).err
    assert f"error: '{address}' has changed since the plan was made: {words}\n" in refused
    assert refused.count("error: ") == 1


def test_plan_is_stale_where_what_it_replaces_is_protected_by_now(tiny):
    tiny.run("apply", "--yes")
    edit(tiny, *MOVED_B)
    tiny.run("plan", "--out", "p.plan")
    edit(tiny, "cidr: 10.0.3.0/24", "cidr: 10.0.2.0/24, lifecycle: {protect: true}")
    tiny.run("apply", "--yes")
    refused = tiny.run("apply", "p.plan", status=4).err
    assert "error: 'aws.subnet.b' is protected" in refused
    assert "'aws.subnet.b' has changed since the plan was made: nothing may be done to it now\n" in refused


@pytest.mark.parametrize("refresh", ["full", "none"])
@pytest.mark.parametrize("target", [False, True], ids=["whole", "targeted"])
@pytest.mark.parametrize("kind, address", [("internet-gateway", "aws.internet_gateway.g"), ("vpc", "aws.vpc.main")])
def test_plan_is_stale_where_what_it_refers_to_is_gone(tiny, kind, address, target, refresh):
    """The plan does nothing to it: only its actions name it."""
    tiny.write("gateway.yaml", "aws.internet_gateway:\n  g: {vpc: main}\n")
    tiny.run("apply", "--yes")
    tiny.write("more.yaml", "aws.route_table:\n  r: {vpc: main, routes: [{destination: 0.0.0.0/0, internet_gateway: g}]}\n")
    focus = ["--target", "aws.route_table.r"] if target else []
    tiny.run("plan", "--out", "saved.plan", f"--refresh={refresh}", *focus)
    tiny.run("sim", "remove", kind, recorded(tiny)[address])
    before = world(tiny, "route-table")
    result = tiny.run("apply", "saved.plan", status=4)
    assert f"'{address}' has changed since the plan was made: it is not there any more" in result.err
    assert "'aws.route_table.r' refers to it" in result.err
    assert world(tiny, "route-table") == before


# What another run or a user does to the record meanwhile.
UNRECORDED = {
    "renamed": [("state", "mv", "aws.vpc.main", "aws.vpc.other")],
    "forgotten": [("state", "rm", "--yes", "aws.vpc.main")],
    "destroyed": [("destroy", "--yes")],
}


@pytest.mark.parametrize("commands", UNRECORDED.values(), ids=UNRECORDED)
def test_plan_is_stale_where_what_it_refers_to_is_not_recorded(tiny, commands):
    tiny.run("apply", "--yes")
    tiny.write("more.yaml", "aws.internet_gateway:\n  g: {vpc: main}\naws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    tiny.run("plan", "--out", "p.plan")
    for command in commands:
        tiny.run(*command)
    refused = tiny.run("apply", "p.plan", status=4).err
    assert "'aws.vpc.main' has changed since the plan was made: it is not recorded any more, and 'aws.internet_gateway.g' refers to it" in refused
    assert world(tiny, "customer-gateway") == {}


NETWORK = "aws.vpc:\n  two: {cidr: 10.9.0.0/16, ipv6: true}\n"
NEWER = "aws.subnet:\n  new: {vpc: two, cidr: 10.9.1.0/24, ipv6_cidr: '${cidr_subnet(aws.vpc.two.ipv6_cidr, 8, 1)}'}\n"
# What a plan ends: {name: (options, the spec then)}
ENDS = {
    "deleted": ([], ""),
    "destroyed": (["--destroy"], NETWORK),
    "replaced": ([], NETWORK.replace("10.9.", "10.8.")),
    "an output": ([], NETWORK.replace("true", "false")),
}


@pytest.mark.parametrize("options, then", ENDS.values(), ids=ENDS)
def test_plan_is_stale_where_something_else_refers_to_what_it_ends(tiny, options, then):
    """What another run has made there since would make the calls fail in the middle."""
    tiny.write("two.yaml", NETWORK)
    tiny.run("apply", "--yes")
    tiny.write("two.yaml", then)
    tiny.run("plan", *options, "--out", "p.plan")
    tiny.write("two.yaml", NETWORK)
    tiny.write("new.yaml", NEWER)
    tiny.run("apply", "--yes")
    before = {kind: world(tiny, kind) for kind in ("vpc", "subnet")}
    refused = tiny.run("apply", "p.plan", status=4).err
    assert "'aws.vpc.two' has changed since the plan was made: 'aws.subnet.new' refers to it by now, and is no part of the plan" in refused
    assert {kind: world(tiny, kind) for kind in ("vpc", "subnet")} == before


@pytest.mark.parametrize("read", ["all", "none", "denied"])
@pytest.mark.parametrize("moved", ["replaced", "tagged"])
def test_plan_is_stale_where_what_it_refers_to_is_another(tiny, moved, read):
    """What was approved names the one that was there, or that the record had, where nothing was read, or could be."""
    tiny.write("two.yaml", NETWORK)
    tiny.run("apply", "--yes")
    tiny.write("new.yaml", "aws.subnet:\n  new: {vpc: two, cidr: 10.9.1.0/24}\n")
    denied = tiny.run("sim", "fault", "DescribeVpcs", "deny").out.split()[-1] if read == "denied" else None
    tiny.run("plan", "--out", "p.plan", *(["--refresh=none"] if read == "none" else []), status=3 if denied else 0)
    if denied:
        tiny.run("sim", "remove", "fault", denied)
    (tiny.folder / "new.yaml").unlink()
    changed = {"replaced": ("9.0.0/16", "9.0.0/17"), "tagged": ("ipv6: true", "ipv6: true, tags: {a: b}")}[moved]
    edit(tiny, *changed, "two.yaml")
    tiny.run("apply", "--yes")
    if moved == "tagged":
        shown = tiny.run("apply", "p.plan", status=3 if denied else 0).out
        assert f"vpc   {recorded(tiny)['aws.vpc.two']}" in re.sub(" {3,}", "   ", shown)
        return
    refused = tiny.run("apply", "p.plan", status=4).err
    assert "'aws.subnet.new' has changed since the plan was made: it would be given another value than the one that is shown" in refused
    assert len(world(tiny, "subnet")) == 2


GROUPS = "aws.security_group:\n  %s: {name: %s, description: of both, vpc: %s}\n"


@pytest.mark.parametrize("name, vpc", [("web", "main"), ("other", "main"), ("web", "two")])
def test_plan_is_stale_where_something_else_has_the_name_by_now(tiny, name, vpc):
    tiny.write("two.yaml", NETWORK)
    tiny.run("apply", "--yes")
    tiny.write("group.yaml", GROUPS % ("a", "web", "main") + "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    tiny.run("plan", "--out", "p.plan")
    tiny.write("group.yaml", GROUPS % ("b", name, vpc))
    tiny.run("apply", "--yes")
    taken = (name, vpc) == ("web", "main")
    result = tiny.run("apply", "p.plan", status=4 if taken else 0)
    assert ("'aws.security_group.b' has by now what it would have as its 'name'" in result.err) == taken
    assert len(world(tiny, "customer-gateway")) == (0 if taken else 1)


@pytest.mark.parametrize("theirs, status", [("10.0.65.0/24", 4), ("10.0.64.0/18", 4), ("10.0.128.0/24", 0)])
def test_plan_is_stale_where_something_else_has_a_part_of_the_range_by_now(tiny, theirs, status):
    tiny.run("apply", "--yes")
    tiny.write("late.yaml", "aws.subnet:\n  late: {vpc: main, cidr: 10.0.64.0/18}\n")
    tiny.run("plan", "--out", "p.plan")
    tiny.write("late.yaml", "aws.subnet:\n  other: {vpc: main, cidr: %s}\n" % theirs)
    tiny.run("apply", "--yes")
    result = tiny.run("apply", "p.plan", status=status)
    assert ("'aws.subnet.other' has by now what it would have as its 'cidr'" in result.err) == (status == 4)


SIX = 'ipv6_cidr: "${cidr_subnet(aws.vpc.main.ipv6_cidr, %d, %d)}"'


@pytest.mark.parametrize("made", [True, False], ids=["made", "changed"])
@pytest.mark.parametrize("theirs, status", [((8, 0), 4), ((4, 0), 4), ((8, 1), 0)])
def test_plan_is_stale_where_something_else_has_a_part_of_the_ipv6_range_by_now(tiny, made, theirs, status):
    edit(tiny, "10.0.0.0/16", "10.0.0.0/16, ipv6: true")
    late = "  late: {vpc: main, cidr: 10.0.64.0/24, %s}\n"
    tiny.write("late.yaml", "aws.subnet:\n" + ("" if made else late % "public: false") + "  c: {vpc: main, cidr: 10.0.65.0/24}\n")
    tiny.run("apply", "--yes")
    now = (tiny.folder / "late.yaml").read_text()
    tiny.write("late.yaml", "aws.subnet:\n" + late % (SIX % (8, 0)) + "  c: {vpc: main, cidr: 10.0.65.0/24}\n")
    tiny.run("plan", "--out", "p.plan")
    tiny.write("late.yaml", now + "  other: {vpc: main, cidr: 10.0.66.0/24, %s}\n" % (SIX % theirs))
    tiny.run("apply", "--yes")
    result = tiny.run("apply", "p.plan", status=status)
    assert ("'aws.subnet.other' has by now what it would have as its 'ipv6_cidr'" in result.err) == (status == 4)


TABLES = "aws.route_table:\n  g: {vpc: main, subnets: [%s]}\n  h: {vpc: main, subnets: [%s]}\n"


HANDED_ON = {
    "attached": ("  g: {}\n", "  g: {vpc: main}\n", "  g: {}\n  h: {vpc: main}\n"),
    "handed on": ("  g: {vpc: two}\n", "  g: {vpc: main}\n", "  g: {vpc: two}\n  h: {vpc: main}\n"),
    "made": ("  {}\n", "  g: {vpc: main}\n", "  h: {vpc: main}\n"),
}


@pytest.mark.parametrize("specs", HANDED_ON.values(), ids=HANDED_ON)
@pytest.mark.parametrize("kind", ["aws.internet_gateway", "aws.vpn_gateway"])
def test_plan_is_stale_where_something_else_is_attached_there_by_now(tiny, kind, specs):
    tiny.write("two.yaml", NETWORK)
    refuse_after_another_run(tiny, *(f"{kind}:\n{text}" for text in specs), f"'{kind}.h' has by now what it would have as its 'vpc'")


def test_plan_is_stale_where_something_else_has_the_subnet_by_now(tiny):
    subnet = "aws.subnet:\n  one: {vpc: main, cidr: 10.0.64.0/24}\n"
    specs = [subnet + TABLES % tables for tables in (("", ""), ("one", ""), ("", "one"))]
    refuse_after_another_run(tiny, *specs, "'aws.route_table.h' has by now what it would have in its 'subnets'")


def refuse_after_another_run(tiny, before, planned, since, told):
    """And nothing was done."""
    tiny.write("late.yaml", before)
    tiny.run("apply", "--yes")
    tiny.write("late.yaml", planned)
    tiny.run("plan", "--out", "p.plan")
    tiny.write("late.yaml", since)
    tiny.run("apply", "--yes")
    assert told in tiny.run("apply", "p.plan", status=4).err
    tiny.run("plan", "--detailed-exitcode")


GATEWAY = "aws.internet_gateway:\n  g: {vpc: main, depends_on: [aws.vpc.two]}\n"


def carry_out_after_another_run(tiny, now, then):
    """A plan from one text to the other is saved, and applied when another run has made something apart."""
    tiny.write("two.yaml", now)
    tiny.run("apply", "--yes")
    tiny.write("two.yaml", then)
    tiny.run("plan", "--out", "p.plan")
    tiny.write("two.yaml", now + "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    tiny.run("apply", "--yes")
    tiny.run("apply", "p.plan")


@pytest.mark.parametrize("now, then", [(NETWORK, ""), (NETWORK + GATEWAY, NETWORK.replace("10.9.", "10.8.") + GATEWAY)], ids=["deleted", "replaced"])
def test_plan_holds_where_another_run_was_about_something_else(tiny, now, then):
    """What only comes after what is replaced stays as it is, as it did in the plan."""
    carry_out_after_another_run(tiny, now, then)
    assert {vpc["cidrBlock"] for vpc in world(tiny, "vpc").values()} == {"10.0.0.0/16"} | ({"10.8.0.0/16"} if then else set())


TEMPLATE = (
    "aws.security_group:\n  g: {vpc: main, name: %s, description: of a template}\n"
    "aws.launch_template:\n  t: {name: lab, security_groups: [g], lifecycle: {ignore: [security_groups]}}\n"
)
LATE = "aws.vpn_gateway:\n  g: {%s}\n"


@pytest.mark.parametrize(
    "now, then",
    [(TEMPLATE % "one", TEMPLATE % "two"), (NETWORK + LATE % "depends_on: [aws.vpc.two]", LATE % "")],
    ids=["what it ignores", "what it came after"],
)
def test_plan_holds_where_something_referred_to_what_it_ends_before(tiny, now, then):
    """It is left as it is, as in the plan, whatever another run has recorded elsewhere."""
    carry_out_after_another_run(tiny, now, then)
    tiny.write("two.yaml", then + "aws.customer_gateway:\n  c: {address: 198.51.100.7, asn: 65010}\n")
    tiny.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("uses", ["two", "main"])
def test_plan_is_stale_where_what_came_after_something_uses_it_by_now(tiny, uses):
    """Who came after what the plan ends may use that since, or something else that it ends."""
    after = LATE % "depends_on: [aws.vpc.two]"
    tiny.write("two.yaml", NETWORK + after)
    tiny.run("apply", "--yes")
    whole = (tiny.folder / "tiny.yaml").read_text()
    tiny.write("tiny.yaml", whole.replace("10.0.", "10.7."))
    tiny.write("two.yaml", NETWORK.replace("10.9.", "10.8.") + after)
    tiny.run("plan", "--out", "p.plan")
    tiny.write("tiny.yaml", whole)
    tiny.write("two.yaml", NETWORK + LATE % f"vpc: {uses}, depends_on: [aws.vpc.two]")
    tiny.run("apply", "--yes")
    refused = f"'aws.vpc.{uses}' has changed since the plan was made: 'aws.vpn_gateway.g' refers to it by now"
    assert refused in tiny.run("apply", "p.plan", status=4).err


NET = "aws.vpc:\n  net: {cidr: %s}\n"


def test_undo_is_stale_where_something_refers_by_now_to_what_is_to_go(tiny):
    tiny.run("apply", "--yes")
    tiny.write("net.yaml", NET % "10.9.0.0/16")
    tiny.run("apply", "--yes")
    run = tiny.run("state", "history", "--output", "json").json["runs"][0]["id"]
    tiny.run("undo", run, "--out", "saved.plan")
    tiny.write("late.yaml", "aws.subnet:\n  late: {vpc: net, cidr: 10.9.1.0/24}\n")
    tiny.run("apply", "--yes")
    result = tiny.run("apply", "saved.plan", status=4)
    assert "'aws.subnet.late' refers to it by now, and is no part of the plan" in result.err


def test_plan_goes_on_where_a_user_of_what_is_replaced_needs_nothing(tiny):
    """What it takes from it is the same of the new one."""
    user = 'aws.customer_gateway:\n  g: {address: 198.51.100.7, asn: 65010, tags: {net: "${aws.vpc.net.cidr}"}}\n'
    tiny.write("net.yaml", NET % "10.9.0.0/16" + user)
    tiny.run("apply", "--yes")
    tiny.write("net.yaml", NET % "10.9.0.0/16, tenancy: dedicated" + user)
    planned = tiny.run("plan", "--out", "saved.plan", "--output", "json").json
    assert [(one["address"], one["operation"]) for one in planned["actions"]] == [("aws.vpc.net", "replace")]
    tiny.run("apply", "saved.plan")
    tiny.run("plan", "--detailed-exitcode")


def test_plan_goes_on_where_something_else_is_gone(tiny):
    tiny.write("gateway.yaml", "aws.internet_gateway:\n  g: {vpc: main}\n")
    tiny.run("apply", "--yes")
    tiny.write("more.yaml", "aws.route_table:\n  r: {vpc: main}\n")
    tiny.run("plan", "--out", "saved.plan")
    tiny.run("sim", "remove", "internet-gateway", recorded(tiny)["aws.internet_gateway.g"])
    tiny.run("apply", "saved.plan")


def test_plan_that_read_nothing_is_stale_where_something_has_changed(tiny):
    tiny.run("apply", "--yes")
    edit(tiny, *BLUE)
    edit(tiny, "{cidr: 10.0.0.0/16", "{dns_hostnames: true, cidr: 10.0.0.0/16")
    tiny.run("plan", "--refresh=none", "--out", "p.plan")
    change(tiny, "vpc", "aws.vpc.main", "tags.team=green")
    assert "'aws.vpc.main' has changed since the plan was made" in tiny.run("apply", "p.plan", status=4).err
    change(tiny, "vpc", "aws.vpc.main", "tags.team=red")
    tiny.run("apply", "p.plan")
    tiny.run("plan", "--detailed-exitcode")


KEPT = [
    pytest.param("depends_on: [aws.vpc.net]", "depends_on", id="depends_on"),
    pytest.param("lifecycle: {ignore: [tenancy]}", "lifecycle.ignore", id="ignore"),
    pytest.param("lifecycle: {protect: true}", "lifecycle.protect", id="protect"),
]


@pytest.mark.parametrize("kept, name", KEPT)
def test_refusal_names_what_was_recorded_alone(tiny, kept, name):
    """No call sets it: nothing else is there than when the plan was made."""
    other = NET % "10.9.0.0/16" + "  other: {cidr: 10.8.0.0/16, %s}\n"
    tiny.write("net.yaml", other % "tags: {team: red}")
    tiny.run("apply", "--yes")
    tiny.write("net.yaml", other % f"tags: {{team: blue}}, {kept}")
    tiny.run("plan", "--out", "saved.plan")
    tiny.write("net.yaml", other % f"tags: {{team: red}}, {kept}")
    tiny.run("apply", "--yes")
    error = tiny.run("apply", "saved.plan", status=4).err
    assert f"another run has recorded its '{name}' since, and nothing else of it is otherwise" in error
    tiny.write("net.yaml", other % f"tags: {{team: green}}, {kept}")
    tiny.run("apply", "--yes")
    assert "other values are there now" in tiny.run("apply", "saved.plan", status=4).err
