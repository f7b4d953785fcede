"""What plans say, how they are saved and applied, and when they are refused."""

import json
import os
import re
import shutil

import pytest

from cli import digest, edit, recorded, tiny, world  # noqa: F401


def actions(result):
    """Operation by address of a plan in JSON."""
    return {one["address"]: one["operation"] for one in result.json["actions"]}


def test_new_stack(tiny):
    result = tiny.run("plan")
    assert "  + aws.vpc.main" in result.out
    assert "tiny.yaml:4  new in the spec" in result.out
    assert "known after apply: ${aws.vpc.main.id}" in result.out
    assert result.out.endswith("3 create  0 update  0 REPLACE  0 delete | 0 drift | 0 unread\n")
    assert world(tiny, "vpc") == {}


def test_same_input_same_bytes(tiny):
    first = tiny.run("plan", "--output", "json=plan.json").out
    document = (tiny.folder / "plan.json").read_text()
    for _ in range(3):
        assert tiny.run("plan", "--output", "json=plan.json", TZ="Asia/Tokyo", LC_ALL="C").out == first
        assert (tiny.folder / "plan.json").read_text() == document


def test_apply_and_second_plan(tiny):
    result = tiny.run("apply", "--yes")
    assert "applied: 3 done, 0 failed, 0 skipped" in result.out
    vpc = recorded(tiny)["aws.vpc.main"]
    assert f"outputs\n  vpc  {vpc}\n" in result.out
    for word in ("creating", "created after"):
        assert len(re.findall(rf"^  aws\.\S+  {word}", result.err, re.MULTILINE)) == 3
    assert "nothing to do" in tiny.run("plan", "--detailed-exitcode").out
    assert "nothing to do" in tiny.run("apply").out
    assert tiny.run("apply", "--output", "json").json["outputs"] == {"vpc": vpc}


def test_apply_tells_all_in_json(tiny):
    document = tiny.run("apply", "--yes", "--output", "json").json
    assert document["status"] == 0
    assert document["applied"]["done"] == 3
    assert document["applied"]["interrupted"] is False and document["applied"]["recorded"] is True
    assert document["counts"]["create"] == 3
    assert document["outputs"] == {"vpc": recorded(tiny)["aws.vpc.main"]}


def test_detailed_exitcode(tiny):
    tiny.run("plan", "--detailed-exitcode", status=2)
    tiny.run("plan")


def test_apply_off_a_terminal_needs_yes(tiny):
    result = tiny.run("apply", status=64, given="yes\n")
    assert "say --yes" in result.err
    assert world(tiny, "vpc") == {}
    tiny.run("destroy")
    tiny.run("apply", "--yes")
    tiny.run("destroy", status=64)
    assert len(world(tiny, "vpc")) == 1


def test_apply_without_refresh_makes_no_call(tiny):
    tiny.run("apply", "--yes")
    nowhere = {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
    assert "nothing to do: what is recorded" in tiny.run("plan", "--refresh=none", **nowhere).out
    tiny.run("sim", "change", "vpc", recorded(tiny)["aws.vpc.main"], "tags.team=blue")
    tiny.run("plan", "--refresh=none", "--detailed-exitcode")
    tiny.run("plan", "--refresh=full", "--detailed-exitcode", status=2)
    edit(tiny, "10.0.2.0", "10.0.3.0")
    assert actions(tiny.run("plan", "--refresh=none", "--output", "json", **nowhere)) == {"aws.subnet.b": "replace"}


def test_variables(tiny):
    edit(tiny, "stack: tiny", "stack: tiny\nvars: {range: {type: string, default: 10.0.0.0/16}}")
    edit(tiny, "cidr: 10.0.0.0/16, tags", 'cidr: "${var.range}", tags')
    tiny.run("apply", "--yes")
    plan = tiny.run("plan", "--var", "range=10.0.0.0/17", "--output", "json")
    assert actions(plan)["aws.vpc.main"] == "replace"
    assert actions(tiny.run("plan", "--output", "json", TRUEUP_VAR_range="10.0.0.0/18"))["aws.vpc.main"] == "replace"
    assert "nothing to do" in tiny.run("plan").out


def test_drift_and_intent_are_told_apart(tiny):
    tiny.run("apply", "--yes")
    ids = recorded(tiny)
    tiny.run("sim", "change", "vpc", ids["aws.vpc.main"], "tags.team=blue")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    text = tiny.run("plan").out
    drift, intent = text.split("INTENT")
    assert "aws.vpc.main" in drift and "red, now blue   will revert" in drift
    assert re.search(r"! aws\.subnet\.b +tiny\.yaml:7  REPLACE, cannot change in place", intent)
    assert "10.0.2.0/24 -> 10.0.3.0/24   needs a new object" in intent
    assert text.endswith("0 create  1 update  1 REPLACE  0 delete | 1 drift | 0 unread\n")


@pytest.mark.parametrize("first", [True, False], ids=["made first", "destroyed first"])
def test_a_replace_says_which_of_the_two_comes_first(tiny, first):
    """A reviewer approves one of them: the digests differ."""
    tiny.run("apply", "--yes")
    edit(tiny, "cidr: 10.0.2.0/24", f"cidr: 10.0.3.0/24, lifecycle: {{create_before_destroy: {str(first).lower()}}}")
    said = "REPLACE, cannot change in place" + (", made before the old one goes" if first else "")
    assert re.search(rf"! aws\.subnet\.b +tiny\.yaml:7  {said}\n", tiny.run("plan").out)


def test_what_destroys_comes_first(tiny):
    tiny.run("apply", "--yes")
    edit(tiny, "  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
    edit(tiny, "team: red", "team: blue")
    edit(tiny, "aws.subnet:", "aws.subnet:\n  _0: {vpc: main, cidr: 10.0.7.0/24}")
    text = tiny.run("plan").out
    signs = re.findall(r"^  ([-+~!]) aws", text, re.MULTILINE)
    assert signs == ["-", "+", "~"]


def test_replacing_a_parent_tells_what_falls(tiny):
    tiny.run("apply", "--yes")
    edit(tiny, "cidr: 10.0.0.0/16", "cidr: 10.0.0.0/18")
    text = tiny.run("plan").out
    assert re.search(r"! aws\.vpc\.main .*REPLACE.*takes down 2", text)
    assert "0 create  0 update  3 REPLACE" in text


def test_long_values_differ_line_by_line(tiny):
    rules = "\n".join(f"      - {{protocol: tcp, from_port: {n}, to_port: {n}, cidr: 10.{n}.0.0/16}}" for n in range(20, 30))
    tiny.write(
        "group.yaml",
        "aws.security_group:\n  g:\n    name: g\n    description: many\n    vpc: main\n    ingress:\n" + rules + "\n",
    )
    plan = tiny.run("plan").out
    assert "        - {protocol: tcp, from_port: 20, to_port: 20, cidr: 10.20.0.0/16}\n" in plan
    tiny.run("apply", "--yes")
    edit(tiny, "from_port: 25, to_port: 25", "from_port: 25, to_port: 26", "group.yaml")
    plan = tiny.run("plan").out
    assert plan.count("ingress[") == 2
    assert " removed: " in plan and " added: " in plan


def test_a_long_path_stands_apart(tiny):
    group = "aws.security_group: {g: {name: g, description: one, vpc: main, ingress: [%s]}}\n"
    tiny.write("group.yaml", group % "")
    tiny.run("apply", "--yes")
    tiny.write("group.yaml", group % "{protocol: tcp, from_port: 10443, to_port: 10443, cidr6: '2001:db8:1234:5678::/64'}")
    assert re.search(r"ingress\[[^]]*::/64\]  added: ", tiny.run("plan").out)


WORKERS = """\
stack: tiny
providers: {aws: {region: eu-central-1}}
aws.vpc: {main: {cidr: 10.0.0.0/16}}
aws.subnet: {a: {vpc: main, cidr: 10.0.1.0/24}}
aws.launch_template: {worker: {name: worker, image: ami-0123456789abcdef0, instance_type: t3.micro}}
aws.autoscaling_group:
  workers:
    name: workers
    min: 0
    max: 3
    subnets: [a]
    mixed_instances:
      on_demand_base: 1
      overrides:
      - {weight: "2", instance_type: t3.large}
      - {weight: "1", instance_type: t3.small}
      launch_template: worker
"""


@pytest.fixture
def workers(tiny):
    tiny.write("tiny.yaml", WORKERS)
    return tiny


def signed(result, sign):
    """What follows a sign in the lines of long values."""
    return [line.strip()[2:].strip() for line in result.out.splitlines() if line.startswith(f"        {sign} ")]


@pytest.mark.parametrize(
    "old, new, gone, come",
    [
        pytest.param(
            '{weight: "2", instance_type: t3.large}\n      - {weight: "1", ',
            "{instance_type: t3.large}\n      - {",
            ["- {instance_type: t3.large, weight: 2}", "- {instance_type: t3.small, weight: 1}"],
            ["- {instance_type: t3.large, weight: unset}", "- {instance_type: t3.small, weight: unset}"],
            id="a member is taken away",
        ),
        pytest.param(
            WORKERS[WORKERS.index("      overrides:") : WORKERS.index("      launch_template: worker\n")],
            "",
            ["overrides:", "- {instance_type: t3.large, weight: 2}", "- {instance_type: t3.small, weight: 1}"],
            [],
            id="a list is taken away",
        ),
        pytest.param("on_demand_base: 1", "on_demand_base: 2", ["on_demand_base: 1"], ["on_demand_base: 2"], id="order"),
    ],
)
def test_what_differs_within_a_long_value(workers, old, new, gone, come):
    workers.run("apply", "--yes")
    edit(workers, old, new)
    planned = workers.run("plan")
    assert (signed(planned, "-"), signed(planned, "+")) == (gone, come), planned.out


def test_what_another_one_scales_is_shown_and_left(workers):
    edit(workers, "    max: 3\n", "    max: 3\n    desired: 1\n")
    workers.run("apply", "--yes")
    (group,) = world(workers, "auto-scaling-group")
    workers.run("sim", "change", "auto-scaling-group", group, "DesiredCapacity=2")
    assert "nothing to do" in workers.run("plan", "--detailed-exitcode").out
    workers.run("drift")
    edit(workers, "max: 3", "max: 4")
    planned = workers.run("plan")
    assert re.search(r"\n      desired +1, now 2   left to its other owner\n", planned.out)
    assert "| 0 drift |" in planned.out
    workers.run("sim", "change", "auto-scaling-group", group, "DesiredCapacity=3")
    assert digest(workers.run("plan")) == digest(planned)
    workers.run("apply", "--yes")
    assert world(workers, "auto-scaling-group")[group]["DesiredCapacity"] == "3"
    assert "nothing to do" in workers.run("plan", "--detailed-exitcode").out


def test_order_of_members_is_not_shown(workers):
    shown = [line for line in workers.run("plan", "--out", "p.plan").out.splitlines() if line.startswith("      ")]
    again = [line for line in workers.run("show", "p.plan").out.splitlines() if line.startswith("      ")]
    assert shown == again and any("{instance_type: t3.large, weight: 2}" in line for line in shown)


def test_what_was_saved_is_shown_as_it_was_planned(workers):
    """A reviewer compares the two: the same spec, by its digest, and members in the same order."""
    planned = workers.run("plan", "--out", "p.plan", "--output", "json")
    shown = workers.run("show", "p.plan", "--output", "json")
    assert shown.json["spec"] == planned.json["spec"]
    assert json.dumps(shown.json["actions"]) == json.dumps(planned.json["actions"])
    assert f"  spec {shown.json['spec'][:7]}" in workers.run("show", "p.plan").out


def test_budget(tiny):
    tiny.run("apply", "--yes")
    edit(tiny, "10.0.2.0", "10.0.3.0")
    result = tiny.run("plan", "--max-delete", "0", "--out", "p", status=6)
    assert "the plan deletes or replaces 1, and 0 are allowed" in result.err
    assert not (tiny.folder / "p").exists()
    tiny.run("apply", "--yes", "--max-delete", "0", status=6)
    tiny.run("destroy", "--yes", "--max-delete", "2", status=6)
    assert len(recorded(tiny)) == 3
    edit(tiny, "stack: tiny", "stack: tiny\nsettings: {max_delete: 0}")
    tiny.run("apply", "--yes", status=6)
    tiny.run("apply", "--yes", "--max-delete", "1")


def test_destroy(tiny):
    tiny.run("apply", "--yes")
    text = tiny.run("plan", "--destroy").out
    assert "INTENT  everything is to go" in text
    assert "0 create  0 update  0 REPLACE  3 delete" in text
    tiny.run("destroy", "--yes")
    assert world(tiny, "vpc") == {} and world(tiny, "subnet") == {}
    assert recorded(tiny) == {}
    assert "nothing is recorded" in tiny.run("destroy", "--yes").out


def test_saved_plan(tiny):
    plan = tiny.run("plan", "--out", "p.plan")
    assert (tiny.folder / "p.plan").stat().st_mode & 0o777 == 0o600
    assert f"apply exactly this:  trueup apply p.plan --digest {digest(plan)}\n" in plan.out
    shown = tiny.run("show", "p.plan").out
    assert digest(plan) in shown
    assert shown.splitlines()[1:] == plan.out.splitlines()[1:-1]
    assert tiny.run("show", "p.plan", "--output", "json").json["counts"]["create"] == 3
    # The folder of the spec is not needed, only its state.
    (tiny.folder / "tiny.yaml").rename(tiny.folder / "tiny.away")
    tiny.run("apply", "p.plan", "--digest", digest(plan))
    assert len(recorded(tiny)) == 3
    assert "nothing is left to be done of this plan: run " in tiny.run("apply", "p.plan", status=4).err
    (tiny.folder / "tiny.away").rename(tiny.folder / "tiny.yaml")
    assert "nothing to do" in tiny.run("plan").out


def test_digest(tiny):
    plan = tiny.run("plan", "--out", "p.plan")
    for line in (["apply", "p.plan"], ["apply", "--yes"]):
        assert "not 00000000" in tiny.run(*line, "--digest", "00000000", status=4).err
        assert "at least 8 digits" in tiny.run(*line, "--digest", digest(plan)[:7], status=64).err
    assert world(tiny, "vpc") == {}
    tiny.run("apply", "--yes", "--digest", digest(plan))
    # To do nothing is another plan, too.
    for command in ("apply", "destroy"):
        assert ", not 00000000" in tiny.run(command, "--yes", "--digest", "00000000", status=4).err
    nothing = tiny.run("plan", "--output", "json").json["digest"]
    assert "nothing to do" in tiny.run("apply", "--yes", "--digest", nothing).out
    tiny.run("destroy", "--yes")
    assert ", not 00000000" in tiny.run("destroy", "--yes", "--digest", "00000000", status=4).err


def test_edit_without_meaning_keeps_the_digest(tiny):
    first = digest(tiny.run("plan"))
    text = (tiny.folder / "tiny.yaml").read_text()
    tiny.write("tiny.yaml", "# a comment\n" + text.replace("{vpc: main, cidr: 10.0.1.0/24}", "{cidr: '10.0.1.0/24', vpc: aws.vpc.main}"))
    assert digest(tiny.run("plan")) == first
    edit(tiny, "10.0.2.0", "10.0.3.0")
    assert digest(tiny.run("plan")) != first


def test_stale_plan_names_what_has_changed(tiny):
    tiny.run("apply", "--yes")
    ids = recorded(tiny)
    edit(tiny, "team: red", "team: green")
    tiny.run("plan", "--out", "p.plan")
    # What the plan does not touch does not make it stale.
    tiny.run("sim", "change", "subnet", ids["aws.subnet.a"], "tags.x=1")
    shutil.copytree(tiny.folder / ".trueup", tiny.folder / "state-before")
    tiny.run("apply", "p.plan")
    shutil.rmtree(tiny.folder / ".trueup")
    (tiny.folder / "state-before").rename(tiny.folder / ".trueup")
    # What it does touch does.
    tiny.run("sim", "change", "vpc", ids["aws.vpc.main"], "tags.team=blue")
    result = tiny.run("apply", "p.plan", status=4)
    assert "'aws.vpc.main' has changed since the plan was made" in result.err
    assert "aws.subnet" not in result.err
    tags = {tag["key"]: tag["value"] for tag in world(tiny, "vpc")[ids["aws.vpc.main"]]["tagSet"]}
    assert tags["team"] == "blue"


def test_stale_plan_of_a_missing_object(tiny):
    tiny.run("apply", "--yes")
    edit(tiny, "  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
    tiny.run("plan", "--out", "p.plan")
    tiny.run("sim", "remove", "subnet", recorded(tiny)["aws.subnet.b"])
    assert "'aws.subnet.b' has changed" in tiny.run("apply", "p.plan", status=4).err


BROKEN_PLANS = [
    ("edited", lambda text: text.replace("10.0.1.0/24", "10.0.9.0/24")),
    ("cut short", lambda text: text[: len(text) // 2]),
    ("empty", lambda text: ""),
    ("no JSON", lambda text: "plan"),
    ("of another version", lambda text: re.sub(r'"schema":"1\.', '"schema":"9.', text)),
]


@pytest.mark.parametrize("damage", [row[1] for row in BROKEN_PLANS], ids=[row[0] for row in BROKEN_PLANS])
def test_broken_plan(tiny, damage):
    plan = tiny.run("plan", "--out", "p.plan")
    text = (tiny.folder / "p.plan").read_text()
    assert damage(text) != text
    tiny.write("p.plan", damage(text))
    result = tiny.run("apply", "p.plan", "--digest", digest(plan), status=(1, 4))
    assert result.err.startswith("error: ")
    assert world(tiny, "vpc") == {}


def test_plan_of_another_stack(tiny, make_stack):
    tiny.run("plan", "--out", "p.plan")
    other = make_stack("other")
    other.environment.update(tiny.environment)
    shutil.copy(tiny.folder / "tiny.yaml", other.folder)
    shutil.copy(tiny.folder / "p.plan", other.folder)
    # No state yet, and none is made for it.
    refused = other.run("apply", "p.plan", status=1).err
    assert "the plan 'p.plan' needs the state that it was made with, and there is no state file '.trueup/state.db'" in refused
    assert "apply it in the folder of that state (-C DIR)" in refused
    assert "where it is lost, plan again: nothing was recorded in it when the plan was made" in refused
    assert not (other.folder / ".trueup").exists()
    other.run("plan")
    refused = other.run("apply", "p.plan", status=4).err
    assert "the plan 'p.plan' was made for another state of stack 'tiny'" in refused
    assert "in the folder of that state (-C DIR), or move its file here, where nothing is recorded; where it is lost, " in refused
    assert refused.count("where it is lost, plan again: nothing was recorded in it when the plan was made") == 1
    other.run("apply", "--yes")
    assert "; plan again only where the state here is the right one" in other.run("apply", "p.plan", status=4).err
    third = make_stack("third")
    third.environment.update(tiny.environment)
    third.write("third.yaml", "stack: third\n")
    third.run("plan")
    shutil.copy(tiny.folder / "p.plan", third.folder)
    refused = third.run("apply", "p.plan", status=4).err
    assert "the plan 'p.plan' was made for the stack 'tiny', and the state in '.' is that of 'third'" in refused
    assert refused.count("error: ") == 1 and "-C DIR" in refused
    other.run("apply", "missing.plan", status=1)


def test_plan_of_a_state_with_records_that_is_lost(tiny):
    tiny.run("apply", "--yes")
    edit(tiny, "red", "blue")
    tiny.run("plan", "--out", "p.plan")
    shutil.rmtree(tiny.folder / ".trueup")
    told = "where it is lost, 'trueup state rebuild' makes another, to plan again with"
    assert told in tiny.run("apply", "p.plan", status=1).err
    tiny.run("plan", "--refresh", "none")
    assert told in tiny.run("apply", "p.plan", status=4).err
    tiny.run("state", "rebuild", "--yes")
    assert "plan again" in tiny.run("apply", "p.plan", status=4).err


SECRET = """\
aws.vpn_gateway:
  g: {vpc: main}
aws.customer_gateway:
  c: {address: 198.51.100.7, asn: 65010}
aws.vpn_connection:
  v:
    vpn_gateway: g
    customer_gateway: c
    static_routes_only: true
    tunnels:
      - {pre_shared_key: "${var.key}"}
      - {pre_shared_key: unguessable_two}
"""


@pytest.fixture
def secretive(tiny):
    tiny.write("vpn.yaml", "vars: {key: {type: string, default: unguessable_one}}\n" + SECRET)
    return tiny


def everything(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name not in ("world", "vpn.yaml"))


def test_secrets_show_nowhere(secretive):
    plan = secretive.run("plan", "--out", "p.plan", "--output", "json=plan.json", "--output", "text")
    assert len(set(re.findall(r"secret~[0-9a-f]{8}", plan.out))) == 2
    result = secretive.run("apply", "p.plan")
    again = secretive.run("plan", "--detailed-exitcode")
    assert "nothing to do" in again.out
    changed = secretive.run("plan", "--var", "key=unguessable_new")
    assert "- - {pre_shared_key: secret~" in changed.out and "+ - {pre_shared_key: secret~" in changed.out
    secretive.run("drift")
    state = secretive.run("state", "show", "aws.vpn_connection.v").out
    for text in (plan.out, result.out, result.err, changed.out, state, everything(secretive.folder).decode("latin-1")):
        assert "unguessable" not in text


def test_secrets_of_a_saved_plan_come_from_the_spec(secretive):
    """Where there is no key that they could be sealed under."""
    secretive.environment["HOME"] = ""
    secretive.run("plan", "--out", "p.plan")
    edit(secretive, "unguessable_one", "unguessable_new", "vpn.yaml")
    result = secretive.run("apply", "p.plan", status=1)
    assert "the plan sets a secret of 'aws.vpn_connection.v'" in result.err
    (secretive.folder / "vpn.yaml").rename(secretive.folder / "vpn.away")
    secretive.run("apply", "p.plan", status=1)
    assert world(secretive, "vpc") == {}
    (secretive.folder / "vpn.away").rename(secretive.folder / "vpn.yaml")
    edit(secretive, "unguessable_new", "unguessable_one", "vpn.yaml")
    secretive.run("apply", "p.plan")
    (connection,) = world(secretive, "vpn-connection").values()
    assert "unguessable_one" in json.dumps(connection)


def test_plan_that_could_not_be_saved(tiny):
    result = tiny.run("plan", "--out", "no/such/folder/p.plan", status=1)
    assert "no/such/folder" in result.err and "apply exactly this" not in result.out


@pytest.mark.parametrize("flag, value", [("target", "aws.vpc.main"), ("var", "x=1")])
def test_saved_plan_is_not_planned_again(tiny, flag, value):
    tiny.run("plan", "--out", "p.plan")
    refused = tiny.run("apply", "p.plan", f"--{flag}", value, status=64)
    assert f"a saved plan does not take --{flag}" in refused.err and "hint: " in refused.err
    assert world(tiny, "vpc") == {}
    # In the environment it stands for the commands that take it, and it is said that a saved plan does not.
    told = tiny.run("apply", "p.plan", **{f"TRUEUP_{flag.upper()}": value}).err
    assert f"warning: TRUEUP_{flag.upper()} is not heeded: a saved plan is carried out as it was made" in told
    assert len(world(tiny, "subnet")) == 2


def test_signs_of_life(secretive):
    result = secretive.run("apply", "--yes")
    signs = re.findall(r"at work: (.*)", result.err)
    assert any("aws.vpn_connection.v (creating, " in sign for sign in signs)
    assert "usually" not in result.err and " left" not in result.err


def test_a_long_wait_says_what_is_refused(tiny):  # noqa: F811
    """What holds the VPC is not ours: nobody has to guess why its deletion takes minutes."""
    tiny.run("apply", "--yes")
    [vpc] = world(tiny, "vpc")
    tiny.run("sim", "add", "subnet", f"vpcId={vpc}", "cidrBlock=10.0.200.0/24", "availabilityZone=us-west-2a")
    result = tiny.run("destroy", "--yes", status=None)
    assert re.search(r"at work: aws\.vpc\.main \(deleting, \d+ s, refused so far: DependencyViolation\)", result.err)


def test_how_long_it_usually_takes(secretive):
    """What earlier runs of the stack have seen is told before, and while it is waited for."""
    secretive.run("apply", "--yes")
    secretive.run("destroy", "--yes")
    err = secretive.run("apply", "--yes").err
    usual = re.search(r"^  aws\.vpn_connection\.v  creating, usually (\d min \d+ s)$", err, re.MULTILINE).group(1)
    left = re.findall(rf"^  \d of \d done, about (\d+ m?i?n?s?) left, at work: aws.vpn_connection.v \(creating, "
                      rf"[^)]+, usually {usual}\)$", err, re.MULTILINE)
    assert left[0] == "3 min" and left[-1].endswith("0 s"), err


def test_many_formats_from_one_apply(tiny):
    tiny.run("apply", "--yes", "--output", "json=a.json", "--output", "text=a.txt")
    assert os.stat(tiny.folder / "a.json").st_size > 0
    assert "applied: 3 done" in (tiny.folder / "a.txt").read_text()


# How a first run cannot get as far as knowing who answers.
UNIDENTIFIED = {
    "no credentials": {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": None},
    "nobody answers": {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"},
    "credentials of nobody": {"AWS_SECRET_ACCESS_KEY": "wrong"},
}


@pytest.mark.parametrize("settings", UNIDENTIFIED.values(), ids=UNIDENTIFIED)
@pytest.mark.parametrize("command", [["plan"], ["apply", "--yes"], ["destroy", "--yes"]], ids=lambda command: command[0])
def test_a_first_run_that_fails_leaves_nothing_behind(tiny, command, settings):
    assert tiny.run(*command, status=1, **settings).err.startswith("error: ")
    assert not (tiny.folder / ".trueup").exists()
    tiny.run(*command)
    assert (tiny.folder / ".trueup" / "state.db").exists()


SCRIPTED = """\
aws.launch_template:
  run:
    name: run
    user_data: |
      #!/bin/sh

      echo one

      echo two
"""


def test_no_line_ends_with_blanks(tiny):
    tiny.write("run.yaml", SCRIPTED)
    shown = [tiny.run("plan"), tiny.run("apply", "--yes")]
    edit(tiny, "echo one\n", "echo one\n\n\n      echo more\n", "run.yaml")
    edit(tiny, "  b: {vpc: main, cidr: 10.0.2.0/24}\n", "")
    shown += [tiny.run("plan"), tiny.run("plan", "--destroy"), tiny.run("state", "list"), tiny.run("help", "apply")]
    tiny.run("sim", "change", "vpc", *world(tiny, "vpc"), "tags.team=")
    shown += [tiny.run("drift", status=2), tiny.run("destroy", "--yes")]
    for result in shown:
        assert not [line for line in (result.out + result.err).splitlines() if line != line.rstrip()], result


def test_what_cannot_be_seen_is_shown(tiny):
    edit(tiny, "team: red", 'team: "a\\u200bb"')
    assert "tags          {team: a\\xe2\\x80\\x8bb}" in tiny.run("plan").out


def test_one_call_is_one(tiny):
    tiny.run("apply", "--yes")
    tiny.run("sim", "fault", "CreateSubnet", "deny")
    tiny.write("more.yaml", "aws.subnet:\n  c: {vpc: main, cidr: 10.0.3.0/24}\n")
    assert "not applied: 0 done, 1 failed, 0 skipped, 1 call in " in tiny.run("apply", "--yes", status=1).out
