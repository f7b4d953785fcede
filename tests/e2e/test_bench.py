"""The bench: that it measures what it says, and judges it. The figures themselves are the machine's."""

import os
import re
import subprocess
import sys

import pytest

from conftest import BINARY, BUILD, clean_environment

COUNT = 120
ROWS = ["libyaml's events", "validate", "apply", "plan without refresh", "plan with refresh"]


@pytest.fixture(scope="module")
def printed(root):
    done = subprocess.run(
        [sys.executable, root / "tools/bench.py", BINARY, "--sizes", f"{COUNT},{2 * COUNT}", "--runs", "1"],
        env=clean_environment(BUILD=BUILD),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def rows(printed):
    """The figures of the smaller size, by row: wall and CPU milliseconds, megabytes, ratio, requests."""
    found = re.findall(rf"^ +{COUNT}  (\D+?) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +(\d+)$", printed, re.MULTILINE)
    return {name: tuple(map(float, figures)) for name, *figures in found}


def test_every_row_is_there(rows, printed):
    assert list(rows) == ROWS, printed


def test_the_ratio_is_to_the_loop_of_the_same_run(rows):
    loop_ms = rows["libyaml's events"][1]
    for name, (_, cpu_ms, _, ratio, _) in rows.items():
        # Both are printed with few digits.
        assert ratio == pytest.approx(cpu_ms / loop_ms, rel=0.1, abs=0.1), name


def test_memory_is_that_of_the_program_alone(rows):
    """The loop takes next to nothing; the interpreter that asks for it has ten times as much."""
    assert 0.5 < rows["libyaml's events"][2] < 5
    assert rows["libyaml's events"][2] < rows["validate"][2]


def test_requests_are_counted(rows):
    assert rows["validate"][4] == rows["plan without refresh"][4] == 0
    # Who answers, and a page of each of two kinds.
    assert rows["plan with refresh"][4] == 3
    assert rows["apply"][4] > COUNT


def test_a_bar_stands_beside_what_it_judges(root):
    """A row for which something is asked says so, and how it is met."""
    done = subprocess.run(
        [sys.executable, "-c", "import bench; print(bench.judge(2.5, 2), bench.judge(2, 2))"],
        env={**os.environ, "PYTHONPATH": str(root / "tools"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "at most 2: MISSED at most 2: ok\n", done.stderr


def test_the_start_is_judged(printed):
    wall_ms, verdict = re.match(r"trueup version: ([\d.]+) ms \(at most 5: (ok|MISSED)\)\n", printed).groups()
    assert verdict == ("ok" if float(wall_ms) <= 5 else "MISSED")


def test_a_run_that_fails_ends_the_bench(root, tmp_path):
    broken = tmp_path / "trueup"
    broken.write_text("#!/bin/sh\n[ \"$1\" = version ] || { echo no such thing >&2; exit 3; }\n")
    broken.chmod(0o755)
    done = subprocess.run(
        [sys.executable, root / "tools/bench.py", broken, "--sizes", "10", "--runs", "1"],
        env=clean_environment(BUILD=BUILD),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "validate\nexit 3\nno such thing" in done.stderr
