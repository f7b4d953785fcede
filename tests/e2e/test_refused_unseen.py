"""Calls that are refused after an attempt that was not answered, and answers that do not say what was made."""

import re

import pytest

from simulator import simulator  # noqa: F401
from test_comes_late import BROKEN, DENIED, SIX, home, outcomes, started, states
from test_take_back import site  # noqa: F401
from trueup_runner import apply, plan_is_empty, spec_text

NO_ANSWER = b"<html>bad gateway</html>"


class Once:
    """The first attempt is carried out, or lost, and is not answered; the next are denied, as many as there are."""

    def __init__(self, site, action, is_lost=False, denied=1):  # noqa: F811
        self.action, self.is_lost, self.asked, self.denied = action, is_lost, 0, denied
        site.proxy.answer, site.proxy.amend = self._answer, self._amend

    def _answer(self, fields):
        if fields["Action"] != self.action:
            return None
        self.asked += 1
        if self.asked == 1:
            return BROKEN if self.is_lost else None
        return DENIED if self.asked <= 1 + self.denied else None

    def _amend(self, fields, text):
        return NO_ANSWER if fields["Action"] == self.action and self.asked == 1 else text


def test_a_deletion_that_was_carried_out_is_done(site):  # noqa: F811
    site.stack.write("stack.yaml", spec_text(SIX))
    apply(site.stack)
    site.stack.write("stack.yaml", spec_text({"aws.vpc": SIX["aws.vpc"]}))
    Once(site, "DeleteSubnet")
    apply(site.stack)
    assert not site.things("subnet") and "done" in outcomes(site, "DeleteSubnet")
    assert "unknown" not in outcomes(site, "DeleteSubnet")
    plan_is_empty(site.stack)


@pytest.mark.parametrize(
    ("action", "before", "after"),
    [
        ("DeleteSubnet", spec_text(SIX), spec_text({"aws.vpc": SIX["aws.vpc"]})),
        ("ModifyVpcAttribute", home(False, "red"), home(True, "red")),
    ],
)
def test_what_may_still_come_stays_open(site, action, before, after):  # noqa: F811
    """The refusal says nothing of the attempt before it: that is looked for until the grace is over."""
    site.stack.write("stack.yaml", before)
    apply(site.stack)
    site.stack.write("stack.yaml", after)
    Once(site, action, is_lost=True, denied=20)
    site.stack.run("apply", "--yes", status=7)
    assert outcomes(site, action).count("unknown") == 1
    site.proxy.answer, site.proxy.amend = lambda fields: None, lambda fields, text: text
    site.stack.environment["TRUEUP_GRACE"] = "60"
    assert f"{action}: nothing shows yet that it was done, and it may still come" in site.stack.run("plan").out
    site.stack.environment["TRUEUP_GRACE"] = "0"
    site.stack.run("recover")
    assert "unknown" not in outcomes(site, action) and "absent" in outcomes(site, action)
    apply(site.stack)
    plan_is_empty(site.stack)


def test_a_stop_that_was_carried_out_is_done(site):  # noqa: F811
    started(site, "one")
    apply(site.stack)
    started(site, "two")
    Once(site, "StopInstances")
    apply(site.stack)
    assert states(site) == ["running"] and outcomes(site, "StopInstances") == ["done"]
    plan_is_empty(site.stack)


@pytest.mark.parametrize(("action", "member"), [("CreateVpc", "vpcId"), ("RunInstances", "instanceId")])
def test_an_answer_without_an_id_is_none(site, action, member):  # noqa: F811
    """What was made is found, though no listing shows it for a while, and no second one is made."""
    started(site, "one")
    site.server.settings(lag_ms=2000)
    site.proxy.amend = lambda fields, text: (
        re.sub(rf"<{member}>.*?</{member}>".encode(), b"", text) if fields["Action"] == action else text
    )
    assert "does not say what was made" in site.stack.run("apply", "--yes", status=7).err
    site.proxy.amend = lambda fields, text: text
    site.stack.environment["TRUEUP_GRACE"] = "60"
    apply(site.stack)
    assert len(site.things("vpc")) == 1 and states(site) == ["running"]
    plan_is_empty(site.stack)
