"""Two processes of the program want different things of one stack at the same moment, again and again.

In each round both begin together, and in some of them one is killed (-9) on its way. Whoever is not killed applies
what it wants or is refused, never anything between; the record and the simulated world stay in step, and nothing is
made twice.

As it is, a few rounds are run; with IN_FULL=1 in the environment (`make contest`), 1,000.
"""

import collections
import contextlib
import os
import random
import sqlite3
import time

from cli import recorded, simulate, world

ROUNDS = 1000 if os.environ.get("IN_FULL") == "1" else 40
# Every how many-th round the one that holds the stack is killed, and how soon at most.
KILL_EVERY = 2
KILLED_AFTER_S = 0.005
# What a run that came second may end with: the stack has changed since it planned; another run holds it.
REFUSED = {4, 5}
KILLED = -9

SPEC = """\
stack: contest
providers: {aws: {region: eu-central-1}}
vars:
  number: {type: string}
aws.vpc:
  main: {cidr: 10.0.0.0/16, tags: {number: "${var.number}"}}
aws.subnet:
  fixed: {vpc: main, cidr: 10.0.255.0/24}
  moving: {vpc: main, cidr: "10.0.${var.number}.0/24"}
"""


def holder(database):
    """The process that holds the stack, or None."""
    row = database.execute("SELECT process FROM lease WHERE run IS NOT NULL").fetchone()
    return row and row[0]


def kill_holder(stack, runs, after_s):
    """Kills the first of the runs that is seen to hold the stack, if any is seen."""
    with contextlib.closing(sqlite3.connect(stack.folder / ".trueup/state.db", isolation_level=None)) as database:
        while any(run.poll() is None for run in runs):
            process = holder(database)
            for run in runs:
                if run.pid == process:
                    time.sleep(after_s)
                    run.kill()
                    return
            time.sleep(0.0002)


def run_together(stack, numbers, after_s):
    """(exit status, what it said) of each; the holder is killed after so long, or never, where that is None."""
    runs = [stack.start("apply", "--yes", f"--var=number={number}") for number in numbers]
    if after_s is not None:
        kill_holder(stack, runs, after_s)
    texts = [b"".join(run.communicate(timeout=60)).decode() for run in runs]
    return [(run.returncode, text) for run, text in zip(runs, texts)]


def check(stack):
    """That the world is what one of the runs wanted, as a whole, and that the record says the same."""
    ids = recorded(stack)
    live = {**world(stack, "vpc"), **world(stack, "subnet")}
    assert sorted(ids) == ["aws.subnet.fixed", "aws.subnet.moving", "aws.vpc.main"]
    assert sorted(ids.values()) == sorted(live), "not what is recorded is there"
    tags = {tag["key"]: tag["value"] for tag in live[ids["aws.vpc.main"]]["tagSet"]}
    assert live[ids["aws.subnet.moving"]]["cidrBlock"] == f"10.0.{tags['number']}.0/24"
    stack.run("plan", "--detailed-exitcode", f"--var=number={tags['number']}")
    return int(tags["number"])


def test_two_processes_on_one_state(stack):
    simulate(stack)
    stack.write("stack.yaml", SPEC)
    stack.run("apply", "--yes", "--var=number=0")
    chance = random.Random("contest")
    told = collections.Counter()
    now = 0
    for number in range(ROUNDS):
        wanted = chance.sample([other for other in range(200) if other != now], 2)
        ends = run_together(stack, wanted, chance.uniform(0, KILLED_AFTER_S) if number % KILL_EVERY == 0 else None)
        statuses = [status for status, _ in ends]
        told.update(statuses)
        for status, text in ends:
            assert status in {0, *REFUSED} or (status == KILLED and number % KILL_EVERY == 0), text
            assert status not in REFUSED or "another run" in text, text
            assert "lost its lease" not in text, text
        if KILLED in statuses:
            # Half of what the dead one wanted may be there: the next run settles that and takes it from there.
            now = chance.choice([other for other in range(200) if other != now])
            stack.run("apply", "--yes", f"--var=number={now}")
            assert check(stack) == now
            continue
        assert 0 in statuses, ends
        now = check(stack)
        assert now in [each for each, status in zip(wanted, statuses) if status == 0]
    runs = stack.run("state", "history", "--output", "json").json["runs"]
    outcomes = collections.Counter(run["outcome"] for run in runs)
    print(f"{ROUNDS} rounds: exit statuses {dict(told)}, runs in the record {dict(outcomes)}")
    assert set(outcomes) <= {"done", "lost"} and outcomes["lost"] <= told[KILLED]
    # Not a contest otherwise.
    assert any(told[status] for status in REFUSED) and outcomes["lost"] >= ROUNDS // KILL_EVERY // 4
