"""What a replace left behind, since its successor could not be made, stays until there is one."""

import signal

import pytest

from simulator import simulator  # noqa: F401
from test_sent_again_as_planned import DENIED, MACHINE, NO_ANSWER, answering, changes_of, running
from test_take_back import site  # noqa: F401
from trueup_runner import Ref, apply, ids_of, plan_is_empty, spec_text

ADDRESS = "aws.instance.m"
NET = {
    "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
    "aws.subnet": {each: {"vpc": Ref("aws.vpc.home"), "cidr": f"10.20.{number}.0/24"} for number, each in enumerate("abc")},
}


def machine(subnet):
    lifecycle = {"create_before_destroy": True}
    return {"aws.instance": {"m": {**MACHINE, "subnet": Ref(f"aws.subnet.{subnet}"), "lifecycle": lifecycle}}}


def leave_behind(site, answer=DENIED):
    """A machine that is to be in another subnet, where none could be made: gives its id."""
    stack = site.stack
    stack.environment["TRUEUP_GRACE"] = "1"
    stack.write("stack.yaml", spec_text({**NET, **machine("a")}))
    apply(stack)
    old = ids_of(stack)[ADDRESS]
    stack.write("stack.yaml", spec_text({**NET, **machine("b")}))
    site.proxy.answer = answering("RunInstances", answer)
    stack.run("apply", "--yes", status=None)
    site.proxy.answer = lambda fields: None
    assert running(site) == [old] and site.roles()[old] == "deposed"
    return old


def is_replaced(site, old):
    _, sent = changes_of(site, "apply", "--yes")
    assert sent == ["RunInstances", "TerminateInstances"]
    assert running(site) == [ids_of(site.stack)[ADDRESS]] != [old]
    plan_is_empty(site.stack)


@pytest.mark.parametrize("subnet", ["b", "c"], ids=["as before", "elsewhere again"])
@pytest.mark.parametrize("first", [DENIED, NO_ANSWER], ids=["refused", "not answered"])
@pytest.mark.parametrize("second", [DENIED, NO_ANSWER], ids=["refused again", "not answered then"])
def test_its_successor_is_not_made_again(site, first, second, subnet):  # noqa: F811
    old = leave_behind(site, first)
    site.stack.write("stack.yaml", spec_text({**NET, **machine(subnet)}))
    site.proxy.answer = answering("RunInstances", second)
    result, sent = changes_of(site, "apply", "--yes", status=None)
    assert result.status in (1, 7) and set(sent) == {"RunInstances"}
    assert running(site) == [old]
    site.proxy.answer = lambda fields: None
    is_replaced(site, old)


def test_cut_off_before_it_is_made(site):  # noqa: F811
    old = leave_behind(site)
    site.cut_off(signal.SIGKILL, lambda number, action, executed: action == "RunInstances" and not executed)
    assert running(site) == [old]
    is_replaced(site, old)


def test_a_saved_plan_keeps_the_order(site):  # noqa: F811
    old = leave_behind(site)
    site.stack.run("plan", "--out", "p")
    site.proxy.answer = answering("RunInstances", DENIED)
    _, sent = changes_of(site, "apply", "p", "--yes", status=1)
    assert sent == ["RunInstances"] and running(site) == [old]
    site.proxy.answer = lambda fields: None
    site.stack.run("plan", "--out", "p")
    _, sent = changes_of(site, "apply", "p", "--yes")
    assert sent == ["RunInstances", "TerminateInstances"]
    plan_is_empty(site.stack)


def test_named_as_a_target(site):  # noqa: F811
    old = leave_behind(site)
    site.proxy.answer = answering("RunInstances", DENIED)
    _, sent = changes_of(site, "apply", "--target", ADDRESS, "--yes", status=1)
    assert sent == ["RunInstances"] and running(site) == [old]
    site.proxy.answer = lambda fields: None
    is_replaced(site, old)


@pytest.mark.parametrize("answer", [None, DENIED], ids=["made", "refused again"])
@pytest.mark.parametrize("way", ["deleted", "replaced"])
def test_what_it_is_in_is_a_target(site, way, answer):  # noqa: F811
    """With the subnet it would go, so its successor is made first, in a plan of the subnet alone as well."""
    old = leave_behind(site)
    subnets = {name: fields for name, fields in NET["aws.subnet"].items() if name != "a"}
    if way == "replaced":
        subnets["a"] = {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.9.0/24"}
    site.stack.write("stack.yaml", spec_text({**NET, "aws.subnet": subnets, **machine("b")}))
    site.proxy.answer = answering("RunInstances", answer)
    result, sent = changes_of(site, "apply", "--target", "aws.subnet.a", "--yes", status=None)
    if answer:
        assert result.status == 1 and sent == ["RunInstances"] and running(site) == [old]
        site.proxy.answer = lambda fields: None
        result, sent = changes_of(site, "apply", "--target", "aws.subnet.a", "--yes", status=None)
    assert result.status == 0 and sent[:3] == ["RunInstances", "TerminateInstances", "DeleteSubnet"], sent
    assert running(site) == [ids_of(site.stack)[ADDRESS]] != [old]
    plan_is_empty(site.stack)


@pytest.mark.parametrize("words", [("apply",), ("destroy",), ("destroy", "--target", ADDRESS)])
def test_nothing_is_to_be_made(site, words):  # noqa: F811
    leave_behind(site)
    if words == ("apply",):
        site.stack.write("stack.yaml", spec_text(NET))
    _, sent = changes_of(site, *words, "--yes")
    assert "TerminateInstances" in sent and "RunInstances" not in sent
    assert running(site) == []


def test_taken_back_by_an_undo(site):  # noqa: F811
    old = leave_behind(site)
    runs = site.stack.run("state", "history", "--output", "json").json["runs"]
    last = next(each["id"] for each in runs if each["command"].startswith("apply"))
    _, sent = changes_of(site, "undo", last, "--yes")
    assert sent == [] and running(site) == [old] and ids_of(site.stack)[ADDRESS] == old
