"""What the tests of the command line share: stacks on the simulator, and a terminal to run the program on."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import termios
import time

import pytest

from conftest import BINARY, clean_environment

# After which a second signal is one more request to stop: what comes within 0.25 s of the first, as the program notices
# them, is the same.
NO_ECHO_S = 1

TINY = """\
stack: tiny
providers: {aws: {region: eu-central-1}}
aws.vpc:
  main: {cidr: 10.0.0.0/16, tags: {team: red}}
aws.subnet:
  a: {vpc: main, cidr: 10.0.1.0/24}
  b: {vpc: main, cidr: 10.0.2.0/24}
outputs:
  vpc: "${aws.vpc.main.id}"
"""


def simulate(stack, world="world"):
    """Lets the stack's commands meet the simulated world in that file, seen from the stack's folder."""
    # The pair of keys that every simulated world knows.
    stack.environment.update(AWS_ENDPOINT_URL=f"sim:{world}", AWS_ACCESS_KEY_ID="sim", AWS_SECRET_ACCESS_KEY="sim")


@pytest.fixture
def tiny(stack):
    """A VPC with two subnets on a simulated world in the stack's folder, not applied yet."""
    simulate(stack)
    stack.write("tiny.yaml", TINY)
    return stack


@pytest.fixture(params=["sim", "moto"])
def cloud_stack(stack, request):
    """A stack that meets a simulated world, and once more moto's server."""
    if request.param == "sim":
        # Beside the folder, which some tests copy as a whole.
        simulate(stack, "../world")
    else:
        stack.environment.update(AWS_ENDPOINT_URL=request.getfixturevalue("moto").address)
    return stack


def applied(stack, name, text):
    """The stack with one file of a spec, applied."""
    stack.write(name, text)
    stack.run("apply", "--yes")
    return stack


def edit(stack, old, new, name="tiny.yaml"):
    """Replaces text that must be there in a file of the stack."""
    text = (stack.folder / name).read_text()
    assert old in text
    stack.write(name, text.replace(old, new))


def world(stack, kind):
    """The things of one type that are in the simulated world, by id."""
    regions = json.loads(stack.run("sim", "show", kind).out)
    return {id: thing for region in regions.values() for id, thing in region.get(kind, {}).items()}


def recorded(stack):
    """The recorded ids by address."""
    objects = stack.run("state", "list", "--output", "json").json["objects"]
    return {one["address"]: one["provider_id"] for one in objects}


def digest(result):
    """The approval digest that a plan shows."""
    return re.search(r"^plan ([0-9a-f]{8}) ", result.out, re.MULTILINE).group(1)


class Terminal:
    """The program on a terminal of its own."""

    def __init__(self, stack, *arguments, size=(0, 0), stdout=None, **settings):
        """size: rows and columns; 0 where the terminal does not tell. stdout: a file in place of it."""
        environment = clean_environment(**{**stack.environment, "TERM": "xterm", **settings})
        self.text = ""
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            # Whatever goes wrong here, the child must not go on as a second run of the tests.
            try:
                fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
                os.chdir(stack.folder)
                if stdout:
                    os.dup2(os.open(stdout, os.O_WRONLY), 1)
                os.execve(BINARY, [str(BINARY), *map(str, arguments)], environment)
            finally:
                os._exit(127)

    def read_until(self, pattern, seconds=30):
        """Reads until the pattern was shown, or, with None, until the program has closed the terminal."""
        deadline = time.monotonic() + seconds
        while pattern is None or not re.search(pattern, self.text):
            ready, _, _ = select.select([self.descriptor], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"no {pattern!r} within {seconds} s in:\n{self.text}"
            try:
                data = os.read(self.descriptor, 65536)
            except OSError:
                data = b""
            if not data:
                assert pattern is None, f"no {pattern!r} in:\n{self.text}"
                return
            self.text += data.decode("utf-8", "replace")

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def interrupt(self):
        os.kill(self.process, signal.SIGINT)

    def end(self, status):
        """Reads to the end and demands the exit status."""
        self.read_until(None)
        os.close(self.descriptor)
        got = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        assert got == status, f"exit status {got} instead of {status}:\n{self.text}"
