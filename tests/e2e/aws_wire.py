"""Runs tests/tools/aws_wire.c, which puts the AWS wire layer behind JSON lines."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TRUEUP_BUILD", ROOT / "build"))
PROGRAM = BUILD / "tests" / "aws_wire"


class Wire:
    """ask() sends one question and gives its answer."""

    def __init__(self):
        self.process = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, do, **question):
        self.process.stdin.write(json.dumps({"do": do, **question}).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"the program ended with {self.process.wait()} at {do} {question}"
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0


@pytest.fixture(scope="module")
def wire():
    """The driver, which `make test` builds before the tests run."""
    assert PROGRAM.exists(), f"{PROGRAM} is not built: run `make {PROGRAM}`"
    driver = Wire()
    yield driver
    driver.close()
