"""A run that goes on with a replace of which an earlier one had left the old one behind, and is undone."""

import signal

import pytest

from simulator import simulator  # noqa: F401
from test_left_behind import ADDRESS, NET, is_replaced, leave_behind, machine
from test_sent_again_as_planned import DENIED, NO_ANSWER, answering, changes_of, running
from test_take_back import REGION, next_after, site  # noqa: F401
from trueup_runner import Ref, apply, ids_of, plan_is_empty, spec_text


def last_run(site, command="apply"):
    listed = site.stack.run("state", "history", "--output", "json").json["runs"]
    return next(each["id"] for each in listed if each["command"].startswith(command))


def undone(site, run, *words, status=0):
    """What an undoing is told to have to do, and what it sends."""
    shown = site.stack.run("undo", run, "--detailed-exitcode", "--output", "json", *words, status=(0, 2, 7)).json
    _, sent = changes_of(site, "undo", run, "--yes", *words, status=status)
    return {(each["operation"], each.get("provider_id")) for each in shown["actions"]}, sent


def deny_after_it_is_made(site):
    made = []

    def answer(fields):
        made.extend([1] if fields["Action"] == "RunInstances" else [])
        return DENIED if made and fields["Action"] == "DescribeInstances" else None

    site.proxy.answer = answer
    site.stack.run("apply", "--yes", status=7)
    site.proxy.answer = lambda fields: None


ENDS = {
    "killed": lambda site: site.cut_off(signal.SIGKILL, next_after("RunInstances")),
    "interrupted": lambda site: site.cut_off(signal.SIGINT, next_after("RunInstances")),
    "not read": deny_after_it_is_made,
    "killed when it deletes": lambda site: site.cut_off(signal.SIGKILL, lambda _, action, done: action == "TerminateInstances" and not done),
}


def begin(site, first=DENIED, end="killed"):
    """Gives the one that was left behind, and the one that the second run made in its place before it ended."""
    old = leave_behind(site, first)
    ENDS[end](site)
    [new] = set(running(site)) - {old}
    return old, new


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("first", [DENIED, NO_ANSWER], ids=["refused", "not answered"])
def test_what_stood_before_the_run_stays(site, first, end):  # noqa: F811
    """The run made its successor, and did not delete it; drift has nothing to tell, and the next apply replaces it."""
    old, new = begin(site, first, end)
    told, sent = undone(site, last_run(site))
    assert told == {("take-back", old), ("delete", new)} and sent == ["TerminateInstances"]
    assert running(site) == [old] == [ids_of(site.stack)[ADDRESS]]
    site.stack.run("drift")
    assert "is as it was recorded before" in site.stack.run("undo", last_run(site), "--yes").out
    is_replaced(site, old)


@pytest.mark.parametrize("first", [DENIED, NO_ANSWER], ids=["refused", "not answered"])
def test_what_the_run_deleted_is_made_anew(site, first):  # noqa: F811
    """As another replace; that the one of before does not come back is told. Nothing is left of the earlier run then."""
    old = leave_behind(site, first)
    begun = last_run(site)
    apply(site.stack)
    made, new = last_run(site), ids_of(site.stack)[ADDRESS]
    told = site.stack.run("undo", made, "--detailed-exitcode", status=2).out
    assert f"'{old}', which was there before, does not come back" in told
    told, sent = undone(site, made)
    assert told == {("replace", new)} and sent == ["RunInstances", "TerminateInstances"]
    [again] = running(site)
    assert again == ids_of(site.stack)[ADDRESS]
    assert site.server.show(REGION)["instance"][again]["subnetId"] == ids_of(site.stack)["aws.subnet.a"]
    for run in (made, begun):
        assert "is as it was recorded before" in site.stack.run("undo", run, "--yes").out
    site.stack.write("stack.yaml", spec_text({**NET, **machine("a")}))
    plan_is_empty(site.stack)


def home(team):
    return {**NET, "aws.vpc": {"home": {"cidr": "10.20.0.0/16", "tags": {"team": team}}}}


@pytest.mark.parametrize("then", ["nothing", "the machine is removed"])
def test_what_the_run_cleaned_up_beside_its_successor_is_no_part_of_it(site, then):  # noqa: F811
    """The successor stood there before the run, which deleted what was left over and had another thing to do."""
    stack = site.stack
    stack.write("stack.yaml", spec_text({**home("red"), **machine("a")}))
    apply(stack)
    stack.write("stack.yaml", spec_text({**home("red"), **machine("b")}))
    site.proxy.answer = answering("TerminateInstances", DENIED)
    stack.run("apply", "--yes", status=7)
    site.proxy.answer = lambda fields: None
    stack.write("stack.yaml", spec_text({**home("blue"), **machine("b")}))
    apply(stack)
    run, left = last_run(site), running(site)
    assert left == [ids_of(stack)[ADDRESS]]
    if then != "nothing":
        stack.write("stack.yaml", spec_text(home("blue")))
        apply(stack)
        left = []
    _, sent = undone(site, run)
    assert sent == ["CreateTags"] and running(site) == left
    stack.write("stack.yaml", spec_text({**home("red"), **(machine("b") if left else {})}))
    plan_is_empty(stack)


@pytest.mark.parametrize("words", [("apply",), ("destroy",)])
def test_what_the_run_only_deleted_is_made_anew(site, words):  # noqa: F811
    old = leave_behind(site)
    if words == ("apply",):
        site.stack.write("stack.yaml", spec_text(NET))
    site.stack.run(*words, "--yes")
    told = site.stack.run("undo", last_run(site, words[0]), "--detailed-exitcode", status=2).out
    assert f"gets another id than '{old}'" in told
    _, sent = undone(site, last_run(site, words[0]))
    assert [each for each in sent if each in ("RunInstances", "TerminateInstances")] == ["RunInstances"]
    assert running(site) == [ids_of(site.stack)[ADDRESS]] != [old]
    site.stack.write("stack.yaml", spec_text({**NET, **machine("a")}))
    plan_is_empty(site.stack)


def test_a_later_run_has_deleted_it(site):  # noqa: F811
    """The run in between made its successor, so what it found is made anew where that goes."""
    begin(site)
    run = last_run(site)
    apply(site.stack)
    told, sent = undone(site, run)
    assert [operation for operation, _ in told] == ["replace"] and sent == ["RunInstances", "TerminateInstances"]
    assert site.server.show(REGION)["instance"][running(site)[0]]["subnetId"] == ids_of(site.stack)["aws.subnet.a"]


def test_the_run_took_it_back(site):  # noqa: F811
    """It did no more than that: nothing is left to undo."""
    old = leave_behind(site)
    site.stack.write("stack.yaml", spec_text({**NET, **machine("a")}))
    _, sent = changes_of(site, "apply", "--yes")
    assert sent == [] and ids_of(site.stack)[ADDRESS] == old
    assert undone(site, last_run(site)) == (set(), [])
    assert running(site) == [old]


@pytest.mark.parametrize("saved", [False, True])
def test_the_undoing_is_undone(site, saved):  # noqa: F811
    old, _ = begin(site)
    run = last_run(site)
    if saved:
        site.stack.run("undo", run, "--out", "back.plan")
        site.stack.run("apply", "back.plan", "--yes")
    else:
        site.stack.run("undo", run, "--yes")
    assert running(site) == [old]
    site.stack.run("undo", site.stack.run("state", "history", "--output", "json").json["runs"][0]["id"], "--yes")
    assert running(site) == [ids_of(site.stack)[ADDRESS]] != [old]
    plan_is_empty(site.stack)


def test_the_undoing_is_cut_off(site):  # noqa: F811
    """Whichever request it is killed at, the same command finishes."""
    old, _ = begin(site)
    run, at = last_run(site), []

    def cuts(number, action, executed):
        at.append(action)
        return len(at) == wanted

    for wanted in range(1, 100):
        at.clear()
        try:
            site.cut_off(signal.SIGKILL, cuts, "undo", run, "--yes")
        except AssertionError:
            break
        assert old in running(site)
    assert wanted > 4
    site.stack.run("undo", run, "--yes")
    assert running(site) == [old] == [ids_of(site.stack)[ADDRESS]]
    site.stack.run("drift")


def guarded(name):
    group = {"name": name, "description": "web", "vpc": Ref("aws.vpc.home"), "lifecycle": {"create_before_destroy": True}}
    template = {"name": "worker", "instance_type": "t3.micro", "security_groups": [Ref("aws.security_group.web")]}
    return {"aws.vpc": NET["aws.vpc"], "aws.security_group": {"web": group}, "aws.launch_template": {"worker": template}}


@pytest.mark.parametrize("cut", ["before it followed", "after it followed", "whole"])
def test_something_uses_it(site, cut):  # noqa: F811
    """What refers to it follows it back."""
    stack = site.stack
    stack.environment["TRUEUP_GRACE"] = "1"
    stack.write("stack.yaml", spec_text(guarded("first")))
    apply(stack)
    before = ids_of(stack)
    stack.write("stack.yaml", spec_text(guarded("second")))
    site.proxy.answer = answering("CreateSecurityGroup", DENIED)
    stack.run("apply", "--yes", status=1)
    site.proxy.answer = lambda fields: None
    if cut == "whole":
        apply(stack)
    elif cut == "before it followed":
        site.cut_off(signal.SIGKILL, next_after("CreateSecurityGroup"))
    else:
        site.cut_off(signal.SIGKILL, lambda _, action, executed: action == "DeleteSecurityGroup" and not executed)
    stack.run("undo", last_run(site), "--yes")
    assert (ids_of(stack) == before) == (cut != "whole")
    assert sorted(each["groupName"] for each in site.server.show(REGION)["security-group"].values()) == ["default", "first"]
    stack.run("drift")
    stack.write("stack.yaml", spec_text(guarded("first")))
    plan_is_empty(stack)


def moved(cidr):
    """The machine goes where its subnet does: what the spec says of it stays the same."""
    return {"aws.vpc": NET["aws.vpc"], "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": cidr, "lifecycle": {"create_before_destroy": True}}}, **machine("a")}


def test_it_cannot_be_taken_back(site):  # noqa: F811
    """What it lies in was replaced by the run before: it is left where it was, and what the run made goes."""
    stack = site.stack
    stack.environment["TRUEUP_GRACE"] = "1"
    stack.write("stack.yaml", spec_text(moved("10.20.1.0/24")))
    apply(stack)
    old, subnet = ids_of(stack)[ADDRESS], ids_of(stack)["aws.subnet.a"]
    stack.write("stack.yaml", spec_text(moved("10.20.9.0/24")))
    site.proxy.answer = answering("RunInstances", DENIED)
    stack.run("apply", "--yes", status=7)
    site.proxy.answer = lambda fields: None
    begun = last_run(site)
    site.cut_off(signal.SIGKILL, next_after("RunInstances"))
    [new] = set(running(site)) - {old}
    told, sent = undone(site, last_run(site))
    assert told == {("delete", new)} and sent == ["TerminateInstances"]
    assert running(site) == [old] and site.roles()[old] == site.roles()[subnet] == "deposed"
    stack.run("drift", status=2)
    stack.run("undo", begun, "--yes")
    assert running(site) == [old] and site.roles()[old] == site.roles()[subnet] == "current"
    stack.write("stack.yaml", spec_text(moved("10.20.1.0/24")))
    plan_is_empty(stack)


def test_what_was_left_behind_before_a_run_that_changed_another_stays(site):  # noqa: F811
    """The run changed what stands there, and could not delete what was left over; the undoing has no call about that."""
    stack = site.stack
    stack.environment["TRUEUP_GRACE"] = "1"
    stack.write("stack.yaml", spec_text({**NET, **machine("a")}))
    apply(stack)
    old = ids_of(stack)[ADDRESS]
    site.proxy.answer = answering("TerminateInstances", DENIED)
    stack.write("stack.yaml", spec_text({**NET, **machine("b")}))
    stack.run("apply", "--yes", status=7)
    tagged = {"aws.instance": {"m": {**machine("b")["aws.instance"]["m"], "tags": {"team": "red"}}}}
    stack.write("stack.yaml", spec_text({**NET, **tagged}))
    stack.run("apply", "--yes", status=7)
    site.proxy.answer = lambda fields: None
    assert len(running(site)) == 2 and site.roles()[old] == "deposed"
    _, sent = undone(site, last_run(site))
    assert sent == ["DeleteTags"] and len(running(site)) == 2
