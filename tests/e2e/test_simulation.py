"""A sample of the deterministic simulation; all of it: make simulate, make simulate-mutants.

Each seed tells a story of a stack, a cloud, a disk and mishaps, and the simulation itself judges how it ends."""

import os
import pathlib
import re
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("TRUEUP_BUILD", pathlib.Path(__file__).parents[2] / "build"))
SIMULATE = BUILD / "tests" / "simulate"


def simulate(*words):
    result = subprocess.run([SIMULATE, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=250)
    return result.returncode, result.stdout


def test_seeds_keep_all_promises():
    status, told = simulate("--first", "1", "--count", "200", "--check", "3")
    assert status == 0, told
    assert re.search(r"^200 seeds in .*, 0 broke a promise$", told, re.MULTILINE), told


def test_seeds_keep_all_promises_where_mishaps_come_in_crowds():
    status, told = simulate("--storm", "--first", "700690", "--count", "30", "--check", "1")
    assert status == 0, told
    assert re.search(r"^30 seeds in .*, 0 broke a promise$", told, re.MULTILINE), told
    assert simulate("--verbose", "--first", "1", "--count", "1") != simulate("--verbose", "--storm", "--first", "1", "--count", "1")


def test_seeds_keep_all_promises_where_each_life_is_a_long_one():
    status, told = simulate("--long", "--first", "1", "--count", "100", "--check", "1")
    assert status == 0, told
    assert re.search(r"^100 seeds in .*, 0 broke a promise$", told, re.MULTILINE), told
    lengths = [len(simulate(*words, "--verbose", "--first", "1", "--count", "20")[1]) for words in ([], ["--long"])]
    assert lengths[0] < lengths[1]


def test_the_report_counts_pairs_of_operation_and_mishap(tmp_path):
    report = tmp_path / "report.txt"
    status, told = simulate("--count", "100", "--check", "0", "--report", str(report))
    assert status == 0, told
    rows = [line.split() for line in report.read_text().splitlines()]
    counts = {row[0]: sum(int(cell) for cell in row[1:] if cell != "-") for row in rows if row and row[0] == "CreateVpc"}
    assert counts["CreateVpc"] > 0
    pairs = int(re.search(r" of (\d+) pairs of operation and mishap ", told)[1])
    never = sum(row[0] == "rare:" and row[-1] == "0" for row in rows if row)
    assert 50 <= pairs - never < pairs


def test_the_report_names_every_pair_and_why_one_cannot_be(tmp_path):
    report = tmp_path / "report.txt"
    status, told = simulate("--count", "1", "--check", "0", "--least", "1000000", "--report", str(report))
    assert status == 0, told
    lines = report.read_text().splitlines()
    columns = [line for line in lines if line.startswith("column ")]
    possible = {tuple(line.split()[1:3]) for line in lines if line.startswith("rare: ")}
    never = {tuple(line.split(": ")[1].split()): line.split(": ")[2] for line in lines if line.startswith("never: ")}
    operations = {operation for operation, _ in possible}
    assert possible.isdisjoint(never) and all(never.values())
    assert len(possible) + len(never) == len(operations) * len(columns)
    assert never["DescribeVpcs", "duplicate"] == "a read has no effect, however late or often it comes"
    assert ("CreateVpc", "duplicate") in possible and ("disk-sync", "disk-full") in possible


def test_some_seed_is_about_every_operation_of_the_kinds():
    """The simulation takes them from the tables of the kinds, and says which it has no row for."""
    status, told = simulate("--count", "1", "--check", "0")
    assert status == 0 and "no seed is about" not in told, told


def test_a_seed_replays_to_the_byte():
    assert simulate("--verbose", "--first", "77", "--count", "1") == simulate("--verbose", "--first", "77", "--count", "1")


def test_a_seed_that_breaks_a_promise_replays_with_its_schedule():
    """As no seed does by itself, of a program that is broken on purpose."""
    for seed in range(1, 1000):
        command = "--mutant", "sweep", "--verbose", "--first", str(seed), "--count", "1"
        status, told = simulate(*command)
        if status != 0:
            break
    [ending] = re.findall(rf"^seed {seed}: (.*), trace [0-9a-f]{{16}}$", told, re.MULTILINE)
    assert f"BROKEN: {ending}" in told and ending != "all promises kept"
    schedule = re.findall(r"^\[\d+\] (?:request \d+ \w+|trueup [a-z]+) .*$", told, re.MULTILINE)
    assert len(schedule) > 50 and any(not line.endswith(" none") for line in schedule if " request " in line)
    assert simulate(*command) == (status, told)


MUTANTS = ["converge", "tag", "token", "natural", "discard", "snapshot", "unseen", "sweep", "fence"]
MUTANTS += ["failed", "grace", "life", "resent", "bare", "gate", "doubt"]


def test_every_mutant_is_tried_below():
    _, told = simulate("--mutant", "all", "--count", "1")
    assert [line.split()[0] for line in told.splitlines()] == MUTANTS


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_program_broken_on_purpose_is_caught(mutant):
    status, told = simulate("--long", "--mutant", mutant, "--count", "10000")
    assert status == 0, told
    assert told.startswith(mutant) and " caught after " in told


def test_a_mutant_that_is_none_is_refused():
    status, told = simulate("--mutant", "none-such")
    assert status == 1 and "there is no mutant 'none-such'" in told


@pytest.mark.parametrize("number", ["x", "1e6", "-1", "", "10 ", "99999999999999999999"])
def test_what_is_no_number_of_seeds_is_refused(number):
    """Not taken for none, which would pass."""
    status, told = simulate("--count", number)
    assert status == 64 and told.startswith("simulate [--first N]"), told
