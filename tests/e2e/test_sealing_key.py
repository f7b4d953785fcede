"""The sealing key of the environment: what shows it, and what it comes before."""

import base64
import re

import pytest

from test_secrets import HEX, SPEC, Home


@pytest.fixture
def here(tmp_path):
    made = Home(tmp_path / "here", tmp_path / "world")
    made.stack.write("stack.yaml", SPEC)
    return made


TRACED = {
    "as it is": "KEY={0}; echo $KEY",
    "in a word": "echo X{0}Y >&2; echo {0}",
    "as base64": "KEY={1}; echo $KEY",
    "by a program that fails": "KEY={0}; exit 1",
    "by one that prints something else": "KEY={1}; echo oops",
}


@pytest.mark.parametrize("script", TRACED.values(), ids=TRACED)
def test_program_that_shows_the_key_itself(here, script):
    """A shell with set -x does, on its standard error."""
    forms = HEX, base64.b64encode(bytes.fromhex(HEX)).decode()
    (here.stack.folder / "key").write_text("#!/bin/sh\nset -x\n" + script.format(*forms) + "\n")
    (here.stack.folder / "key").chmod(0o700)
    good = script.endswith(("$KEY", "{0}"))
    result = here.run("plan", "--out", "plan", status=0 if good else 1, TRUEUP_SEALING_KEY_COMMAND="./key")
    assert re.search(r"\+ (KEY=|echo X?)\(secret\)", result.err), result.err
    assert not [form for form in forms if form[:40] in result.out + result.err], result.err


@pytest.mark.parametrize(
    ("variable", "value"), [("TRUEUP_SEALING_KEY", HEX), ("TRUEUP_SEALING_KEY_COMMAND", f"echo {HEX}")]
)
def test_rekey_to_a_file_that_does_not_count_first(here, variable, value):
    here.run("plan", "--out", "plan", **{variable: value})
    told = here.run("state", "rekey", **{variable: value})
    (key,) = here.keys()
    assert f"warning: {variable} is still set, and counts before the file" in told.err
    assert f"hint: unset it, or have it give the key in the file '{key}'" in told.err
    here.run("plan", "--out", "next", status=1, **{variable: value})
    here.run("plan", "--out", "next", **{variable: ""})
