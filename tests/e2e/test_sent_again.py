"""A call with a token whose answer nobody saw is sent once more where what it makes is wanted, and approved: no sooner."""

import pytest

from cli import digest, edit, recorded, tiny, world  # noqa: F401
from test_recover import lose, outcomes, rows

MACHINE = "aws.instance:\n  m: {image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a}\n"
OPEN = [("RunInstances",)]


@pytest.fixture
def lost(tiny):
    """Everything is there but a machine, whose request never came to the service."""
    tiny.run("apply", "--yes")
    tiny.write("machine.yaml", MACHINE)
    lose(tiny, "RunInstances", "lost_request", 3)
    return tiny


def intents(stack):
    return rows(stack, "SELECT operation FROM intents")


def runs(stack, command):
    """Those of a command, the last first."""
    return [each for (each,) in rows(stack, f"SELECT lower(hex(id)) FROM runs WHERE command = '{command}' ORDER BY number DESC")]


def foretold(result):
    [call] = [one for one in result.json["open"] if one["operation"] == "RunInstances"]
    return call["outlook"]


def saved(stack, *command):
    stack.run(*command, "--out", "p.plan")
    return ("apply", "p.plan")


def test_a_plan_that_makes_it_has_it_sent_once_more(lost):
    """What is told is what is done: one machine, under the call of then, and nothing that the plan did not show."""
    planned = lost.run("plan")
    assert "it is sent once more with its token" in planned.out
    document = lost.run("plan", "--out", "p.plan", "--output", "json")
    assert foretold(document) == "again"
    assert [(one["operation"], one["address"]) for one in document.json["actions"]] == [("create", "aws.instance.m")]
    result = lost.run("apply", "p.plan", "--digest", digest(planned), "--output", "json")
    assert result.json["open"] == [] and "looking for" not in result.err
    assert list(world(lost, "instance")) == [recorded(lost)["aws.instance.m"]]
    assert outcomes(lost, "RunInstances") == ["done"]
    lost.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("value, again", [("horsebattery77", True), ("horsebattery78", False)])
def test_a_secret_is_compared_as_what_it_is(tiny, value, again):
    tiny.run("apply", "--yes")
    tiny.environment.update(TRUEUP_VAR_word="horsebattery77", XDG_CONFIG_HOME=str(tiny.folder.parent / "home"))
    tiny.write("machine.yaml", "vars: {word: {type: string, secret: true}}\n" + MACHINE.replace("}\n", ', user_data: "a ${var.word}"}\n'))
    lose(tiny, "RunInstances", "lost_request", 3)
    tiny.environment["TRUEUP_VAR_word"] = value
    assert (foretold(tiny.run("plan", "--out", "p.plan", "--output", "json")) == "again") == again
    tiny.run("apply", "p.plan")
    assert len(world(tiny, "instance")) == 1
    assert outcomes(tiny, "RunInstances") == (["done"] if again else ["absent", "done"])
    tiny.run("plan", "--detailed-exitcode")


def test_so_has_an_apply_that_plans_by_itself(lost):
    assert "looking for" not in lost.run("apply", "--yes").err
    assert len(world(lost, "instance")) == 1
    assert outcomes(lost, "RunInstances") == ["done"]
    lost.run("plan", "--detailed-exitcode")


def test_a_recovery_makes_nothing(lost):
    """Nobody has approved of anything: it is looked for alone."""
    lost.run("recover")
    assert world(lost, "instance") == {} and outcomes(lost, "RunInstances") == ["absent"]
    lost.run("apply", "--yes")
    assert len(world(lost, "instance")) == 1
    lost.run("plan", "--detailed-exitcode")


def test_what_is_told_is_what_can_be_done(tiny):
    """Without the key nobody knows what it was sent with."""
    home = tiny.folder.parent / "home"
    tiny.run("apply", "--yes")
    tiny.environment.update(TRUEUP_VAR_word="horsebattery77", XDG_CONFIG_HOME=str(home))
    tiny.write("machine.yaml", "vars: {word: {type: string, secret: true}}\n" + MACHINE.replace("}\n", ', user_data: "a ${var.word}"}\n'))
    lose(tiny, "RunInstances", "lost_request", 3)
    [key] = [each for each in home.rglob("*") if each.is_file()]
    assert foretold(tiny.run("plan", "--output", "json")) == "again"
    key.rename(home / "elsewhere")
    assert foretold(tiny.run("plan", "--output", "json")) != "again"
    (home / "elsewhere").rename(key)
    tiny.run("apply", "--yes")
    assert len(world(tiny, "instance")) == 1 and outcomes(tiny, "RunInstances") == ["done"]


@pytest.mark.parametrize("command, status", [(("apply",), 64), (("apply", "--yes", "--digest", "deadbeef"), 4)])
def test_nothing_is_sent_for_what_is_not_approved(lost, command, status):
    lost.run(*command, status=status)
    assert world(lost, "instance") == {} and intents(lost) == OPEN
    lost.run("apply", "--yes")
    assert len(world(lost, "instance")) == 1
    lost.run("plan", "--detailed-exitcode")


def test_a_part_of_the_stack_makes_nothing_else(lost):
    assert foretold(lost.run("plan", "--target", "aws.subnet.a", "--output", "json")) != "again"
    lost.run("apply", "--yes", "--target", "aws.subnet.a")
    assert world(lost, "instance") == {} and outcomes(lost, "RunInstances") == ["absent"]


def test_nothing_is_sent_where_the_plan_is_refused(lost):
    edit(lost, "b: ", "c: ")
    lost.run("apply", "--yes", "--max-delete", "0", status=6)
    assert world(lost, "instance") == {} and intents(lost) == OPEN


UNWANTED = {
    "saved": lambda stack: saved(stack, "plan"),
    "saved destroy": lambda stack: saved(stack, "plan", "--destroy"),
    "reviewed": lambda stack: ("apply", "--yes", "--digest", digest(stack.run("plan"))),
    "apply": lambda stack: ("apply", "--yes"),
    "recover": lambda stack: ("recover",),
    "destroy": lambda stack: ("destroy", "--yes"),
}


@pytest.mark.parametrize("way", UNWANTED)
def test_what_the_spec_has_no_more_is_not_made_for_that(lost, way):
    """It is looked for alone; a request that still comes is swept by its tag, as of any other call."""
    (lost.folder / "machine.yaml").unlink()
    planned = lost.run("plan", "--output", "json")
    drift = lost.run("drift", "--output", "json", status=(2, 3))
    assert {foretold(planned), foretold(drift)} <= {"waiting", "absent"}
    [action] = planned.json["actions"]
    assert (action["operation"], action["reason"]) == (
        "forget", "is wanted no more, and nothing was seen of what its create may have made"
    )
    lost.run(*UNWANTED[way](lost))
    assert outcomes(lost, "RunInstances") == ["absent"] and outcomes(lost, "TerminateInstances") == []
    assert world(lost, "instance") == {} and intents(lost) == []


def test_of_other_fields_nothing_is_made_as_it_was_to_be(lost):
    lost.write("machine.yaml", MACHINE.replace("t3.micro", "t3.small"))
    assert foretold(lost.run("plan", "--output", "json")) != "again"
    lost.run("apply", "--yes")
    [machine] = world(lost, "instance").values()
    assert machine["instanceType"] == "t3.small"
    assert outcomes(lost, "RunInstances") == ["absent", "done"] and outcomes(lost, "StopInstances") == []
    lost.run("plan", "--detailed-exitcode")


def test_what_it_names_is_another_one_by_now(lost):
    """The spec says the same, and the plan something else."""
    edit(lost, "10.0.1.0/24", "10.0.9.0/24")
    assert foretold(lost.run("plan", "--output", "json")) != "again"
    lost.run("apply", "--yes")
    assert len(world(lost, "instance")) == 1
    assert outcomes(lost, "RunInstances") == ["absent", "done"]
    lost.run("plan", "--detailed-exitcode")


def test_an_undoing_makes_nothing_to_delete_it(lost):
    lost.run(*saved(lost, "undo", runs(lost, "apply")[0]))
    assert world(lost, "instance") == {} and outcomes(lost, "RunInstances") == ["absent"]


@pytest.mark.parametrize("later_s", [0, 3700], ids=["sent once more", "made anew"])
def test_an_undoing_takes_away_what_the_second_run_made(lost, later_s):
    """Of the first run nobody knows that it made anything."""
    lost.run("sim", "pass", str(later_s))
    lost.run("apply", "--yes")
    assert len(world(lost, "instance")) == 1
    lost.run("undo", runs(lost, "apply")[0], "--yes")
    assert [one["instanceState"]["name"] for one in world(lost, "instance").values()] in ([], ["terminated"])
    assert "aws.instance.m" not in recorded(lost)


@pytest.mark.parametrize("way", ["sent once more", "made anew", "absent before"])
def test_an_undoing_leaves_what_a_later_run_made(lost, way):
    """The first has made nothing of it, whichever call it was that did."""
    if way == "made anew":
        lost.run("sim", "pass", "3700")
    if way == "absent before":
        lost.run("recover")
    lost.run("apply", "--yes")
    made, first = recorded(lost)["aws.instance.m"], runs(lost, "apply")[1]
    assert "is as it was recorded before" in lost.run("undo", first, "--detailed-exitcode").out
    lost.run("undo", first, "--yes")
    assert recorded(lost)["aws.instance.m"] == made
    assert [one["instanceState"]["name"] for one in world(lost, "instance").values()] == ["running"]
    lost.run("plan", "--detailed-exitcode")


@pytest.mark.parametrize("command", ["apply", "destroy"])
def test_an_undoing_makes_nothing_that_never_was(lost, command):
    """All that the run did was to forget that it had been sent for."""
    (lost.folder / "machine.yaml").unlink()
    before = recorded(lost)
    lost.run(command, "--yes")
    document = lost.run("undo", runs(lost, command)[0], "--yes", "--output", "json").json
    assert "aws.instance.m" not in [one["address"] for one in document["actions"] + document.get("lost", [])]
    assert world(lost, "instance") == {} and sorted(recorded(lost)) == sorted(set(before) - {"aws.instance.m"})
    lost.run("plan", "--detailed-exitcode")


def test_an_undoing_makes_nothing_that_its_run_was_refused(lost):
    """What had been sent for before is no more there for it: what else the run changed goes back."""
    lost.run("recover")
    edit(lost, "b: {", "b: {tags: {team: blue}, ")
    lost.run("sim", "fault", "RunInstances", "deny", "1", "1")
    lost.run("apply", "--yes", status=7)
    document = lost.run("undo", runs(lost, "apply")[0], "--yes", "--output", "json").json
    assert [(one["operation"], one["address"]) for one in document["actions"]] == [("update", "aws.subnet.b")]
    assert world(lost, "instance") == {}


def test_a_plan_goes_on_where_it_is_refused_once_more(lost):
    """What the first request has made is looked for then, and nothing came of it: it is made as the plan has it."""
    command = saved(lost, "plan")
    lost.run("sim", "fault", "RunInstances", "refused", "1", "1")
    lost.run(*command)
    assert len(world(lost, "instance")) == 1
    assert outcomes(lost, "RunInstances") in (["done"], ["absent", "done"])
    lost.run("plan", "--detailed-exitcode")


def test_a_plan_is_not_carried_out_where_nobody_can_tell(lost):
    command = saved(lost, "plan")
    lost.run("sim", "fault", "RunInstances", "lost_request", "1", "3")
    fault = lost.run("sim", "fault", "DescribeInstances", "deny", "3").out.split()[-1]
    result = lost.run(*command, status=(4, 7))
    assert world(lost, "instance") == {} and intents(lost) == OPEN, result.err
    lost.run("sim", "remove", "fault", fault)
    lost.run("apply", "--yes")
    assert len(world(lost, "instance")) == 1
    lost.run("plan", "--detailed-exitcode")


def test_it_is_not_sent_to_where_its_alias_leads_by_now(tiny):
    """A token means nothing there, and what the call may have made elsewhere is looked for where it was sent."""
    edit(tiny, "providers: {", "providers: {aws.far: {region: eu-west-1}, ")
    tiny.run("apply", "--yes")
    tiny.write("template.yaml", "aws.launch_template:\n  t: {name: template, instance_type: t3.micro, provider: aws.far}\n")
    lose(tiny, "CreateLaunchTemplate", "lost_request", 9)
    [fault] = world(tiny, "fault")
    tiny.run("sim", "remove", "fault", fault)
    edit(tiny, "eu-west-1", "eu-west-2")
    [call] = tiny.run("plan", "--output", "json").json["open"]
    assert call["outlook"] != "again"
    tiny.run("apply", "--yes")
    assert list(world(tiny, "launch-template")) == [recorded(tiny)["aws.launch_template.t"]]
    assert outcomes(tiny, "CreateLaunchTemplate") == ["absent", "done"]
    tiny.run("plan", "--detailed-exitcode")
