"""libcurl, which the program loads when it sends its first request and not before."""

import subprocess

import pytest

from conftest import BINARY, clean_environment

STACK = """\
stack: tiny
providers: {aws: {region: eu-central-1}}
aws.vpc:
  main: {cidr: 10.0.0.0/16}
"""


@pytest.fixture
def no_curl(tmp_path):
    """An environment in which what the loader finds first under libcurl's name is no library."""
    folder = tmp_path / "libraries"
    folder.mkdir()
    (folder / "libcurl.so.4").write_text("no library\n")
    return {"LD_LIBRARY_PATH": str(folder)}


def test_the_program_is_not_linked_with_libcurl():
    environment = clean_environment() | {"LD_TRACE_LOADED_OBJECTS": "1"}
    done = subprocess.run([BINARY], env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert "libsqlite3" in done.stdout and "libcurl" not in done.stdout


@pytest.mark.parametrize(
    "command", [["version"], ["validate"], ["plan"], ["apply", "--yes"]], ids=lambda command: command[0]
)
def test_what_sends_nothing_needs_no_libcurl(stack, no_curl, command):
    stack.write("tiny.yaml", STACK)
    stack.environment.update(
        no_curl, AWS_ENDPOINT_URL="sim:world", AWS_ACCESS_KEY_ID="sim", AWS_SECRET_ACCESS_KEY="sim"
    )
    stack.run(*command)


def test_a_libcurl_that_cannot_be_loaded_is_reported(stack, no_curl):
    stack.write("tiny.yaml", STACK)
    stack.environment.update(
        no_curl, AWS_ENDPOINT_URL="http://127.0.0.1:9", AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b"
    )
    done = stack.run("plan", status=1)
    assert f"cannot send anything to the server (libcurl cannot be loaded: {no_curl['LD_LIBRARY_PATH']}/libcurl.so.4" in done.err
