"""A program that takes what is shown once, and what may happen to trueup meanwhile: the key of the pair that is there
is the one that was put away, or another pair is made."""

import re
import signal
import time

import pytest

from cli import NO_ECHO_S, Terminal, simulate, world
from conftest import Stack
from test_lease import holder, wait_until
from test_recover import outcomes, rows
from test_secret_to import secret

SPEC = "stack: keys\naws.key_pair:\n"
PAIR = "  k{0}: {{name: ops{0}, secret_to: {{command: [sh, -c, '{1}']}}}}\n"
# As long as it takes to do something to trueup before the key is kept.
SLOWLY = "touch begun{0}; sleep {1}; cat > given{0}"
MEANWHILE_S = 2


@pytest.fixture
def here(tmp_path):
    (tmp_path / "stack").mkdir()
    made = Stack(tmp_path / "stack")
    simulate(made)
    slowly(made, 1)
    return made


def slowly(here, count, seconds=MEANWHILE_S):
    here.write("stack.yaml", SPEC + "".join(PAIR.format(i, SLOWLY.format(i, seconds)) for i in range(count)))


def begun(here):
    return sorted(path.name for path in here.folder.glob("begun*"))


def given(here):
    return {path.name: path.read_text() for path in here.folder.glob("given*")}


def assert_whole(here):
    assert secret(here.folder / "given0")
    assert rows(here, "SELECT count(*) FROM intents") == [(0,)]
    assert "nothing to do" in here.run("plan").out


def assert_made_once(here):
    """What the interrupt left of it is finished, and not made anew."""
    kept = given(here)
    here.run("apply", "--yes")
    assert_whole(here)
    assert given(here) == kept
    assert outcomes(here, "CreateKeyPair") == ["done"] and outcomes(here, "DeleteKeyPair") == []


def assert_made_anew(here):
    lost = set(world(here, "key-pair"))
    assert rows(here, "SELECT count(*) FROM intents") == [(1,)] and len(lost) == 1
    slowly(here, 1, 0)
    here.run("apply", "--yes")
    assert not lost & set(world(here, "key-pair"))
    assert_whole(here)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_interrupt_lets_it_finish(here, number):
    run = here.start("apply", "--yes")
    wait_until(lambda: begun(here))
    run.send_signal(number)
    said, talked = (text.decode() for text in run.communicate(timeout=30))
    assert run.returncode == 128 + number, said + talked
    assert "finishing 1 call in flight; again to stop at once" in said + talked
    assert_made_once(here)


def test_the_first_interrupt_of_a_terminal_too(here):
    terminal = Terminal(here, "apply", "--yes")
    wait_until(lambda: begun(here))
    terminal.type("\x03")
    terminal.read_until("finishing 1 call in flight")
    terminal.read_until(None)
    assert_made_once(here)


def test_the_second_interrupt_ends_it(here):
    run = here.start("apply", "--yes")
    wait_until(lambda: begun(here))
    run.send_signal(signal.SIGINT)
    time.sleep(NO_ECHO_S)
    run.send_signal(signal.SIGTERM)
    _, talked = run.communicate(timeout=30)
    assert run.returncode == 130 and b"'sh' was interrupted" in talked
    time.sleep(MEANWHILE_S)
    assert given(here) == {}
    assert_made_anew(here)


def test_it_dies_with_trueup(here):
    """Or it would put what is lost over what the next run puts there."""
    run = here.start("apply", "--yes")
    wait_until(lambda: begun(here))
    run.kill()
    run.communicate()
    time.sleep(MEANWHILE_S)
    assert given(here) == {}
    assert_made_anew(here)


def test_who_lost_the_stack_puts_nothing_away(here):
    """Suspended with one program at work and others to come; meanwhile another run makes all of it anew."""
    slowly(here, 3)
    first = here.start("apply", "--yes")
    wait_until(lambda: len(begun(here)) == 2)
    first.send_signal(signal.SIGSTOP)
    here.run("lease", "break", holder(here)["run"], "--yes")
    here.run("apply", "--yes")
    kept = given(here)
    assert len(kept) == 3
    first.send_signal(signal.SIGCONT)
    _, talked = first.communicate(timeout=30)
    assert first.returncode in (5, 7), talked
    # Told by the key that is next, or, where the first one's program had ended meanwhile, by the record of that.
    assert re.search(rb"put nowhere: the lease on the stack was lost|the stack 'keys': it was taken away", talked)
    assert given(here) == kept
    assert "nothing to do" in here.run("plan").out
    assert len(world(here, "key-pair")) == 3
