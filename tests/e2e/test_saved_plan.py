"""Saved plans in places that have moved on, or that could not be read: what they still say, and when they still hold."""

import contextlib
import hashlib
import json
import re
import sqlite3
import subprocess

import pytest

from conftest import BINARY, clean_environment
from cli import edit, recorded, tiny, world  # noqa: F401
from test_cli_drift import deny
from test_drift_of_runs import begun


def test_unread_stays_unread(tiny):
    """What the plan could not read and does not touch is not read again; nothing is claimed about it all the same."""
    edit(tiny, "main: {", "other: {cidr: 10.8.0.0/16, dns_support: true}\n  main: {")
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    tiny.run("sim", "fault", "DescribeVpcAttribute", "deny")
    planned = tiny.run("plan", "--out", "p.plan", "--output", "json", status=3).json
    assert [(one["address"], one["field"]) for one in planned["unread"]] == [("aws.vpc.other", "dns_support")]
    shown = tiny.run("show", "p.plan", "--output", "json", status=3).json
    applied = tiny.run("apply", "p.plan", "--output", "json", status=3).json
    assert applied["applied"]["done"] == 1
    assert applied["unread"] == shown["unread"] == planned["unread"]


def test_unread_is_not_destroyed(tiny):
    """A saved plan does nothing to what it left out, nor to what that refers to."""
    tiny.run("apply", "--yes")
    fault = tiny.run("sim", "fault", "DescribeSubnets", "deny").out.split()[-1]
    tiny.run("plan", "--destroy", "--out", "p.plan", status=3)
    tiny.run("sim", "remove", "fault", fault)
    tiny.run("apply", "p.plan", status=3)
    assert len(world(tiny, "subnet")) == 2 and len(world(tiny, "vpc")) == 1


def test_unread_is_read_again_where_it_is_changed(tiny):
    edit(tiny, "tags: {team: red}", "dns_support: true, tags: {team: red}")
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    fault = tiny.run("sim", "fault", "DescribeVpcAttribute", "deny").out.split()[-1]
    assert tiny.run("plan", "--out", "p.plan", "--output", "json", status=3).json["unread"]
    tiny.run("sim", "remove", "fault", fault)
    assert tiny.run("apply", "p.plan", "--output", "json").json["unread"] == []


@pytest.mark.parametrize(
    "out, directory",
    [
        ("p.plan", []),
        ("p plan's $(false).plan", []),
        ("--out", []),
        ("p.plan", ["-C", "st a'ck"]),
        ("./a/p.plan", ["--directory=-d"]),
        ("it's\n\\n\u202e.plan", ["-C", "x\ny"]),
    ],
)
def test_what_is_printed_can_be_pasted(tiny, tmp_path, out, directory):
    """Into a shell, where the user stands."""
    (tiny.folder / "a").mkdir()
    if directory:
        there = tiny.folder / directory[-1].split("=")[-1]
        there.mkdir()
        (tiny.folder / "tiny.yaml").rename(there / "tiny.yaml")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "trueup").symlink_to(BINARY)
    shown = tiny.run(*directory, "plan", f"--out={out}").out
    command = re.search("^apply exactly this:  (.*)$", shown, re.MULTILINE).group(1)
    applied = subprocess.run(
        # Not every /bin/sh takes $'...' yet.
        ["bash", "-c", command],
        cwd=tiny.folder,
        env=clean_environment(**tiny.environment, PATH=f"{programs}:/usr/bin:/bin"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert applied.returncode == 0 and "applied: 3 done" in applied.stdout, (command, applied)


@pytest.mark.parametrize("given", ["zzzzzzzz", "0" * 7, "0" * 65, "0123456g", "ABCDEF01", " 01234567"])
def test_what_no_digest_can_be_is_a_mistake_of_the_line(tiny, given):
    result = tiny.run("apply", "no.plan", f"--digest={given}", status=64)
    assert "of 0-9 and a-f, not" in result.err and "no.plan" not in result.err


ESCAPE = "\x1b[2Jnothing to do\u202e"


def forge(path, change):
    """Changes a plan file and makes it whole again, as whoever can write it could."""
    document = json.loads(path.read_text())
    del document["SHA256"]
    mark = document.pop("SHA256-HMAC")
    change(document)
    members = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))[1:]
    digest = hashlib.sha256(members.encode()).hexdigest()
    path.write_text(f'{{"SHA256":"{digest}","SHA256-HMAC":"{mark}",{members}')


def test_reason_does_not_steer_the_terminal(tiny):
    tiny.run("plan", "--out", "p.plan")
    forge(tiny.folder / "p.plan", lambda document: None)
    tiny.run("show", "p.plan")
    forge(tiny.folder / "p.plan", lambda document: document["actions"][0].update(reason=ESCAPE))
    shown = tiny.run("show", "p.plan")
    assert "nothing to do" in shown.out
    assert "\x1b" not in shown.out and "\u202e" not in shown.out


def other_values(document):
    """What is shown stays as it was."""
    [action] = document["actions"]
    for part in ("desired", "known"):
        action[part]["tags"]["team"] = "evil"


def other_words(document):
    [change] = document["actions"][0]["changes"]
    change["after"] = "harmless"


def other_place(document):
    [provider] = document["providers"]
    provider["value"]["endpoint"] = "http://127.0.0.1:9"


@pytest.mark.parametrize("change", [other_values, other_words, other_place])
def test_forged_plan_is_refused_before_the_first_call(tiny, change):
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    tiny.run("plan", "--out", "p.plan")
    forge(tiny.folder / "p.plan", change)
    digest = tiny.run("show", "p.plan", "--output", "json").json["digest"]
    before = (tiny.folder / "world").read_bytes()
    refused = tiny.run("apply", "p.plan", "--digest", digest, status=4).err
    assert "error: the plan 'p.plan' is not as it was written with the state in '.'\n" in refused
    assert refused.count("error: ") == 1 and (tiny.folder / "world").read_bytes() == before
    tiny.run("plan", "--out", "p.plan")
    forge(tiny.folder / "p.plan", lambda document: None)
    tiny.run("apply", "p.plan")


@pytest.mark.parametrize(
    "sql, arguments",
    [
        pytest.param("UPDATE runs SET outcome = ?", ("state", "history"), id="the outcome of a run"),
        pytest.param("UPDATE runs SET command = ?", ("state", "history"), id="the command of a run"),
    ],
)
def test_record_does_not_steer_the_terminal(tiny, sql, arguments):
    tiny.run("apply", "--yes")
    with contextlib.closing(sqlite3.connect(tiny.folder / ".trueup/state.db")) as database, database:
        database.execute(sql, (ESCAPE,))
    shown = tiny.run(*arguments)
    assert "nothing to do" in shown.out
    assert "\x1b" not in shown.out and "\u202e" not in shown.out


def change(stack, kind, address, attribute):
    stack.run("sim", "change", kind, recorded(stack)[address], attribute)


def remove_subnet(stack):
    stack.run("sim", "remove", "subnet", recorded(stack)["aws.subnet.b"])


WITHOUT_B = ("  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
MOVED_B = ("10.0.2.0", "10.0.3.0")
BLUE = ("team: red", "team: blue")


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


@pytest.mark.parametrize("beside", [True, False], ids=["with another change", "alone"])
def test_plan_that_read_nothing_stands_where_a_field_is_as_it_is_to_be(tiny, beside):
    """Each takes a call of its own to be read, and was never set: nobody knew that it is so already."""
    tiny.run("apply", "--yes")
    if beside:
        edit(tiny, *BLUE)
    edit(tiny, "{cidr: 10.0.0.0/16", "{dns_support: true, dns_hostnames: false, cidr: 10.0.0.0/16")
    tiny.run("plan", "--refresh=none", "--out", "p.plan")
    tiny.run("apply", "p.plan")
    tiny.run("plan", "--detailed-exitcode")


# What a later run knew nothing of: {name: (made before the failed run, what is denied, commands, status of the last)}
BLIND = {
    "a plan of before": (True, None, [("apply", "p.plan")], 0),
    "its kind unread": (False, "DescribeSubnets", [("apply", "--yes")], 3),
    "a plan of its kind unread": (False, "DescribeSubnets", [("plan", "--out", "p.plan"), ("apply", "p.plan")], 3),
}


@pytest.mark.parametrize("before, denied, commands, status", BLIND.values(), ids=BLIND)
def test_what_was_not_made_anew_is_missed_though_a_run_did_all_it_knew_of(tiny, before, denied, commands, status):
    tiny.run("apply", "--yes")
    edit(tiny, "team: red", "team: blue")
    if before:
        tiny.run("plan", "--out", "p.plan")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    allowed = [deny(tiny, action) for action in ("CreateSubnet", "CreateTags")]
    tiny.run("apply", "--yes", status=7)
    for allow in allowed:
        allow()
    allow = deny(tiny, denied) if denied else None
    for command in commands:
        assert tiny.run(*command, status=None).status == status
    if allow:
        allow()
    [told] = begun(tiny)
    assert (told["address"], told["reason"]) == ("aws.subnet.b", "was deleted by a run that did not make it anew")
    [action] = tiny.run("plan", "--output", "json").json["actions"]
    assert (action["operation"], action["reason"]) == ("create", told["reason"])
    assert tiny.run("state", "history", "--output", "json").json["runs"][0]["command"] == "apply in part"
    tiny.run("apply", "--yes")
    assert begun(tiny, 0) == []


@pytest.mark.parametrize("flags", [[], ["--destroy"]], ids=["made", "destroyed"])
def test_plan_that_is_applied_again_says_which_run_carried_it_out(tiny, flags):
    """As a pipeline does that begins again after its last step."""
    if flags:
        tiny.run("apply", "--yes")
    tiny.run("plan", *flags, "--out", "p.plan")
    tiny.run("apply", "p.plan")
    [run, *_] = tiny.run("state", "history", "--output", "json").json["runs"]
    refused = tiny.run("apply", "p.plan", status=4).err
    assert refused.count("error: ") == 1
    assert f"nothing is left to be done of this plan: run {run['id'][:8]} carried it out at {run['since']}\n" in refused


def test_half_applied_is_refused_in_one_word_each(tiny):
    """What the first time began has an object now that the plan does not know: one thing, not two that contradict."""
    edit(tiny, "main: {", "main: {dns_support: false, ")
    tiny.run("plan", "--out", "p.plan")
    deny(tiny, "ModifyVpcAttribute")
    told = tiny.run("apply", "p.plan", status=7).out
    assert "\nwhat was done is recorded: see to the errors, then plan again for what is left\n" in told and "run it again" not in told
    refused = tiny.run("apply", "p.plan", status=4).err
    assert re.findall(r"error: '(.*)' has changed since the plan was made: a run has worked at it since", refused) == [
        "aws.vpc.main"
    ]
    assert refused.count("'aws.vpc.main' has changed") == 1 and "does nothing" not in refused


@pytest.mark.parametrize(
    "environment",
    [
        {"AWS_REGION": "us-east-1"},
        {"AWS_REGION": None},
        {"AWS_ENDPOINT_URL": "sim:other"},
        {"AWS_ENDPOINT_URL": None, "AWS_REGION": None},
        {"AWS_ENDPOINT_URL_EC2": "http://127.0.0.1:1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("refresh", ["full", "none"])
def test_plan_goes_where_it_was_made_for_whatever_the_environment_says_by_then(tiny, refresh, environment):
    edit(tiny, "providers: {aws: {region: eu-central-1}}\n", "")
    tiny.environment["AWS_REGION"] = "us-west-2"
    tiny.run("plan", "--out", "p.plan", f"--refresh={refresh}")
    (tiny.folder / "tiny.yaml").unlink()
    tiny.run("apply", "p.plan", **environment)
    places = {one["identity"] for one in tiny.run("state", "list", "--output", "json").json["objects"]}
    assert places == {"aws:123456789012:us-west-2@sim%3Aworld"}
    assert len(world(tiny, "subnet")) == 2 and not (tiny.folder / "other").exists()


def test_plan_of_another_account_says_so(tiny):
    """Nothing has changed in the one that it was made for."""
    tiny.run("plan", "--out", "p.plan")
    tiny.run("sim", "change", "settings", "settings", "account=999999999999")
    refused = tiny.run("apply", "p.plan", status=4).err
    assert (
        "error: the plan has 'aws.vpc.main' in the account 123456789012, and provider 'aws' reaches the account "
        "999999999999\n" in refused
    )
    assert "has changed since" not in refused and world(tiny, "vpc") == {}


@pytest.mark.parametrize("command", [[], ["--destroy"]], ids=str)
def test_plan_that_does_nothing_claims_nothing_of_what_is_there(tiny, command):
    """It reads nothing: what is there may have moved on, and the spec too."""
    if not command:
        tiny.run("apply", "--yes")
    tiny.run("plan", *command, "--out", "p.plan")
    tiny.run("apply", "--yes")
    change(tiny, "vpc", "aws.vpc.main", "tags.team=green")
    applied = tiny.run("apply", "p.plan").out
    assert "nothing read\n" in applied and "as the spec says" not in applied and "is recorded" not in applied
    changed = ", the state has changed since it was made" if command else ""
    assert f"nothing to do: the plan does nothing{changed}, and what is there now was not read\n" in applied
    document = tiny.run("apply", "p.plan", "--output", "json").json
    assert [document[name] for name in ("refreshed", "read", "calls", "actions")] == [False, 0, 0, []]
    assert document["digest"] == tiny.run("show", "p.plan", "--output", "json").json["digest"]
