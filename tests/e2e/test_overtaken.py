"""A whole run comes and goes while a command that takes no lease has read the record, and not yet the world."""

import pytest

from simulator import simulator  # noqa: F401
from test_run_between import begin
from test_take_back import site  # noqa: F401
from trueup_runner import apply, spec_text

ANEW = "another run has changed the stack meanwhile: beginning again\n"
LOOKS = [["drift"], ["plan", "--detailed-exitcode"]]


def networks(*tags):
    """A network for each of the tags."""
    named = {f"n{number}": {"cidr": f"10.{number}.0.0/16", "tags": {"a": tag}} for number, tag in enumerate(tags)}
    return spec_text({"aws.vpc": named})


@pytest.mark.parametrize("words", LOOKS, ids=lambda words: words[0])
@pytest.mark.parametrize("after", [["2", "1"], ["1", "1", "1"], ["1"]], ids=["changes", "makes", "deletes"])
def test_run_that_came_and_went(site, words, after):  # noqa: F811
    """What it has done is no drift, and not to be done again."""
    site.stack.write("stack.yaml", networks("1", "1"))
    apply(site.stack)
    process, asked = begin(site, *words)
    site.stack.write("stack.yaml", networks(*after))
    apply(site.stack)
    asked.goes.set()
    said, told = (each.decode() for each in process.communicate(timeout=60))
    assert process.returncode == 0, said + told
    assert told == ANEW and said.count("\n") == 2 + ("not asked for" in said)


def test_the_first_run_of_all_came_and_went(site):  # noqa: F811
    """There was no state, and what that run made is not what a lost one had."""
    site.stack.write("stack.yaml", networks("1"))
    process, asked = begin(site, "drift")
    apply(site.stack)
    asked.goes.set()
    said, told = (each.decode() for each in process.communicate(timeout=60))
    assert process.returncode == 0 and told == ANEW, said + told


@pytest.mark.parametrize(("words", "status"), list(zip(LOOKS, [3, 2])), ids=["drift", "plan"])
def test_runs_that_come_and_go_all_the_time(site, words, status):  # noqa: F811
    """It gives up some time, and tells why what it shows may not be so."""
    tag = 0

    def run_between(fields):
        nonlocal tag
        if fields["Action"] == "GetCallerIdentity":
            tag += 1
            site.proxy.answer = lambda fields: None
            site.stack.write("stack.yaml", networks(str(tag)))
            apply(site.stack)
            site.proxy.answer = run_between

    site.stack.write("stack.yaml", networks("0"))
    apply(site.stack)
    site.proxy.answer = run_between
    done = site.stack.run(*words, status=status)
    assert tag == 5 and done.err.count(ANEW) == 4
    assert "other runs changed the stack 'conformance' each time that it was read" in done.err
    site.proxy.answer = lambda fields: None
    site.stack.run(*words)
