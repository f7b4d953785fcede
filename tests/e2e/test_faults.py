"""Every allocation fails once, and every call that SQLite makes to the system: the program ends clearly, the state holds.

A plan and two applies of a small stack on the simulator are repeated, each time with one more call that fails, alone
or with all behind it (tests/tools/fault_run.c). Afterwards the state opens, the next apply makes all good, and the
simulated world holds just what it should.

As it is, a sample is taken; with IN_FULL=1 in the environment (`make faults`), every call is.
"""

import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import tempfile

import pytest

from conftest import BUILD, clean_environment

EVERYTHING = os.environ.get("IN_FULL") == "1"
# Of each row, how many calls fail, one a run.
SAMPLE = 40
# What a failing run may end with: what it wanted to say, an error, something unread, partly applied.
STATUSES = {0, 1, 2, 3, 7}

FIRST = """\
stack: small
providers: {aws: {region: eu-central-1}}
vars:
  word: {type: string, secret: true}
aws.vpc:
  main: {cidr: 10.0.0.0/16, dns_hostnames: true, tags: {team: red, word: "${var.word}"}}
aws.subnet:
  a: {vpc: main, cidr: 10.0.1.0/24, public: true}
  b: {vpc: main, cidr: 10.0.2.0/24}
aws.security_group:
  web:
    vpc: main
    name: web
    description: web servers
    ingress: [{protocol: tcp, from_port: 443, to_port: 443, cidr: 10.0.0.0/16}]
outputs:
  vpc: "${aws.vpc.main.id}"
"""
# A replace, an update, a create and a delete.
SECOND = FIRST.replace("10.0.1.0/24", "10.0.3.0/24").replace("team: red", "team: blue").replace("b: {vpc", "c: {vpc")


@dataclasses.dataclass
class Outcome:
    status: int
    calls: int
    out: str
    err: str


class Runner:
    """tests/tools/fault_run.c at work."""

    def __init__(self, folder):
        self.streams = [folder / "out", folder / "err"]
        self.process = subprocess.Popen(
            [BUILD / "tests/fault_run"],
            env=clean_environment(
                TRUEUP_VAR_word="a secret of eleven words",
                AWS_ENDPOINT_URL="sim:world",
                AWS_ACCESS_KEY_ID="sim",
                AWS_SECRET_ACCESS_KEY="sim",
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, folder, *words, what="memory", first=-1, count=1):
        line = "\t".join(map(str, [what, first, count, folder, *self.streams, f"HOME={folder}", *words]))
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        status, calls = map(int, self.process.stdout.readline().split())
        return Outcome(status, calls, *(stream.read_text("utf-8", "backslashreplace") for stream in self.streams))

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()


@pytest.fixture(scope="session")
def runner(tmp_path_factory):
    runner = Runner(tmp_path_factory.mktemp("fault-run"))
    yield runner
    runner.stop()


@pytest.fixture(scope="session")
def works(runner):
    """{name: (folder to copy, command)}; in memory where there is such a folder, for no disk is waited for there."""
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        folder = pathlib.Path(name)
        for each, spec in [("empty", FIRST), ("changed", FIRST)]:
            (folder / each).mkdir()
            (folder / each / "stack.yaml").write_text(spec)
        assert runner.run(folder / "changed", "apply", "--yes").status == 0
        (folder / "changed" / "stack.yaml").write_text(SECOND)
        yield {
            "apply": Work(runner, folder / "empty", ["apply", "--yes"]),
            "change": Work(runner, folder / "changed", ["apply", "--yes"]),
            "plan": Work(runner, folder / "changed", ["plan", "--output", "json"]),
            "forget": Work(runner, folder / "changed", ["state", "rm", "--yes", "aws.subnet.a"]),
            "save": Work(runner, folder / "empty", ["plan", "--out", "saved"]),
            "rekey": Work(runner, folder / "changed", ["state", "rekey"]),
            "rebuild": Work(runner, folder / "changed", ["state", "rebuild", "--force", "--yes"]),
        }


class Work:
    """A run, and what an undisturbed one says and leaves."""

    def __init__(self, runner, folder, command):
        self.runner = runner
        self.folder = folder
        self.copy = folder.with_name("tried")
        self.command = command
        with self:
            outcome = self.run(*command)
            assert outcome.status == 0, outcome
            self.out = outcome.out
            self.listed = self.recorded()
            assert self.run("apply", "--yes").status == 0
            self.things = self.world()
            assert self.things["vpc", "10.0.0.0/16"] == 1

    def __enter__(self):
        shutil.copytree(self.folder, self.copy)

    def __exit__(self, *_):
        shutil.rmtree(self.copy)

    def run(self, *words, **fault):
        return self.runner.run(self.copy, *words, **fault)

    def calls(self, what):
        with self:
            return self.run(*self.command, what=what).calls

    def recorded(self):
        """{address: status} as recorded; None where there is no state yet."""
        if not (self.copy / ".trueup/state.db").exists():
            return None
        outcome = self.run("state", "list", "--output", "json")
        assert outcome.status == 0, f"the state does not open: {outcome.err}"
        return {each["address"]: each["role"] for each in json.loads(outcome.out)["objects"]}

    def sealing_key(self):
        with contextlib.closing(sqlite3.connect(self.copy / ".trueup/state.db")) as database:
            return database.execute("SELECT sealing_key FROM stack").fetchone()[0]

    def has_key(self):
        """Whether the key that the state names is there, once the disk works again."""
        recorded = self.recorded() is not None and self.sealing_key()
        return not recorded or len(list(self.copy.glob(f".config/trueup/*-{recorded}.key"))) == 1

    def world(self):
        """How many there are of each kind in the simulated world, with their ranges or names."""
        outcome = self.run("sim", "show")
        assert outcome.status == 0, outcome.err
        found = collections.Counter()
        for region in json.loads(outcome.out).values():
            for kind, things in region.items():
                for thing in things.values():
                    found[kind, thing.get("cidrBlock") or thing.get("groupName") or thing.get("keyName")] += 1
        return found

    def attempt(self, what, first, count):
        """What went wrong, or None."""
        with self:
            outcome = self.run(*self.command, what=what, first=first, count=count)
            try:
                self.check(outcome)
            except (AssertionError, ValueError) as failure:
                return f"{what} {first}, {count} of {outcome.calls} calls, status {outcome.status}: {failure}\n{outcome.err}"
        return None

    def check(self, outcome):
        assert outcome.status in STATUSES, "it did not end clearly"
        if outcome.status:
            assert outcome.err.strip(), "it says nothing"
            assert "internal" not in outcome.err and "unknown problem" not in outcome.err, "it is not clear"
        listed = self.recorded()
        if self.command[0] == "plan":
            assert listed == self.listed, "a plan changed the state"
            assert outcome.status or outcome.out == self.out, "another plan, without an error"
            return
        if outcome.status:
            again = self.run("apply", "--yes")
            assert again.status == 0, f"the next apply ended with {again.status}: {again.err}"
        planned = self.run("plan", "--detailed-exitcode")
        assert planned.status == 0, f"the plan is not empty: {planned.out}{planned.err}"
        world = self.world()
        assert world == self.things, f"missing {self.things - world}, too many {world - self.things}"


ROWS = [(what, count) for what in ["memory", "disk", "full", "locked"] for count in [1, 0]]


@pytest.mark.parametrize("what, count", ROWS, ids=[f"{what}-{'one' if count else 'all'}" for what, count in ROWS])
@pytest.mark.parametrize("work", ["apply", "change", "plan"])
def test_a_call_that_fails(works, work, what, count):
    calls = works[work].calls(what)
    if (work, what) == ("plan", "full"):
        assert calls == 0, "a plan takes room on the disk"
        return
    assert calls > 10
    numbers = range(calls)
    if not EVERYTHING and calls > SAMPLE:
        numbers = sorted(random.Random(f"{work} {what} {count}").sample(numbers, SAMPLE))
    failures = [failure for number in numbers if (failure := works[work].attempt(what, number, count))]
    print(f"{calls} calls, {len(numbers)} of them failed, {len(failures)} runs went wrong")
    if failures:
        first = "\n".join("\n".join(failure.splitlines()[:2]) for failure in failures)
        pytest.fail(f"{len(failures)} of {len(numbers)} runs went wrong:\n{first}\n\n{failures[0]}", pytrace=False)


@pytest.mark.parametrize("what", ["disk", "locked"])
def test_a_file_that_fails_is_not_taken_for_a_damaged_record(works, what):
    """A rebuild would keep nothing of what that alone knows."""
    work = works["rebuild"]
    numbers = range(work.calls(what))
    if not EVERYTHING and len(numbers) > SAMPLE:
        numbers = sorted(random.Random(f"rebuild {what}").sample(numbers, SAMPLE))
    for number in numbers:
        with work:
            outcome = work.run(*work.command, what=what, first=number, count=1)
            assert outcome.status in {0, 1}, outcome
            assert "had a record that could not be read" not in outcome.out


@pytest.mark.parametrize("what", ["disk", "full"])
@pytest.mark.parametrize(
    "work, look, says",
    [
        ("forget", lambda work: "aws.subnet.a" in work.recorded(), ""),
        ("rekey", Work.sealing_key, "the sealing key is "),
    ],
    ids=["forget", "rekey"],
)
def test_what_is_recorded_all_the_same(works, work, look, says, what):
    """Where only the end of the run could not be recorded, the error says that the rest is."""
    work = works[work]
    told = 0
    for number in range(work.calls(what)):
        with work:
            before = look(work)
            outcome = work.run(*work.command, what=what, first=number, count=1)
            assert outcome.status in {0, 1}, outcome
            done = look(work) != before
            assert done or outcome.status == 1, "it says that it was done"
            assert (done and outcome.status == 1) == ("is recorded all the same" in outcome.err), outcome
            assert not done or says in outcome.out, outcome
            told += done and outcome.status == 1
    assert told > 0, "the end of the run never failed"


@pytest.mark.parametrize("count", [1, 0], ids=["one", "all"])
@pytest.mark.parametrize("what", ["disk", "full", "locked"])
@pytest.mark.parametrize("work", ["save", "rekey"])
def test_the_key_is_kept_where_its_commit_may_come_to_stand(works, work, what, count):
    """A commit that failed on its disk may be played back when the state is opened again."""
    work = works[work]
    doubted = 0
    for number in range(work.calls(what)):
        with work:
            outcome = work.run(*work.command, what=what, first=number, count=count)
            assert outcome.status in {0, 1}, outcome
            assert work.has_key(), outcome
            doubted += "it is not known whether the sealing key is" in outcome.err
    assert not doubted or (work.command[-1] == "rekey" and what != "locked")
