"""Connections that die around a create, under the whole program: what may have been made is settled, never made twice.

That the transport tells these apart is tried in test_transport.py; that reading calls fail clearly in test_bad_input.py.
"""

import collections
import http.client
import socket
import struct
import threading
import time
import urllib.parse

import pytest

from conftest import REGION
from trueup_runner import errors_of, ids_of, plan_is_empty, spec_text


def say_nothing(connection, answer):
    while connection.recv(65536):
        pass


def say_half_and_no_more(connection, answer):
    connection.sendall(answer[: len(answer) // 2])
    say_nothing(connection, answer)


def say_the_head_and_no_more(connection, answer):
    connection.sendall(answer[: answer.index(b"\r\n\r\n") + 4])
    say_nothing(connection, answer)


def say_half_and_hang_up(connection, answer):
    connection.sendall(answer[: len(answer) // 2])


def hang_up(connection, answer):
    pass


def reset(connection, answer):
    # With no time to linger, closing sends a reset (socket(7), SO_LINGER).
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def say_it_is_blocked(connection, answer):
    """As a filter does that lets no answer through."""
    page = b"<!DOCTYPE html><html><body>Blocked</body></html>"
    connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(page), page))


def say_where_to_sign_in(connection, answer):
    connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")


ENDINGS = [
    say_nothing,
    say_half_and_no_more,
    say_the_head_and_no_more,
    say_half_and_hang_up,
    hang_up,
    reset,
    say_it_is_blocked,
    say_where_to_sign_in,
]
# Each ending for a create that was carried out and for one that never came to the service; each a VPC of its own.
CASES = {
    f"{ending.__name__}-{'executed' if executed else 'lost'}".replace("_", "-"): (f"10.{number}.0.0/16", ending, executed)
    for number, (ending, executed) in enumerate([(ending, executed) for ending in ENDINGS for executed in [True, False]], 1)
}


class Middle:
    """Stands before moto and keeps connections, which moto does not; the first create of each case ends its own way."""

    def __init__(self, address):
        self.upstream = urllib.parse.urlsplit(address).netloc
        self.created = collections.Counter()
        self.disturbing = True
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()
        except OSError:
            # The test is over.
            pass

    def serve(self, connection):
        try:
            with connection:
                while self.serve_one(connection):
                    pass
        except OSError:
            # The program has given up.
            pass

    def serve_one(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            data += (more := connection.recv(65536))
            if not more:
                return False
        head, _, body = data.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
        length = int({name.lower(): value for name, value in headers.items()}["content-length"])
        while len(body) < length:
            body += connection.recv(65536)
        parameters = dict(urllib.parse.parse_qsl(body.decode()))
        ending, executed = self.ending_of(parameters)
        answer = self.pass_on(headers, body) if executed else b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + b" " * 100
        if ending is None:
            connection.sendall(answer)
            return True
        ending(connection, answer)
        return False

    def ending_of(self, parameters):
        if parameters["Action"] == "CreateVpc":
            self.created[parameters["CidrBlock"]] += 1
            for block, ending, executed in CASES.values():
                if self.disturbing and block == parameters["CidrBlock"]:
                    return ending, executed
        return None, True

    def pass_on(self, headers, body):
        # moto is not made for two calls at a time.
        with self.lock:
            server = http.client.HTTPConnection(self.upstream, timeout=60)
            server.request("POST", "/", body, headers)
            answer = server.getresponse()
            text = answer.read()
            server.close()
        head = f"HTTP/1.1 {answer.status} {answer.reason}\r\nContent-Type: text/xml\r\nContent-Length: {len(text)}\r\n\r\n"
        return head.encode() + text

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@pytest.fixture
def middle(moto):
    middle = Middle(moto.address)
    yield middle
    middle.stop()


def vpcs(moto):
    """How many there are of each range, beside the one that every account has."""
    listed = moto.client("ec2", REGION).describe_vpcs()["Vpcs"]
    return collections.Counter(each["CidrBlock"] for each in listed if not each["IsDefault"])


def test_a_create_without_an_answer(stack, moto, middle):
    blocks = {name: block for name, (block, _, _) in CASES.items()}
    stack.environment["AWS_ENDPOINT_URL"] = middle.address
    stack.write("stack.yaml", spec_text({"aws.vpc": {name: {"cidr": block} for name, block in blocks.items()}}))

    began = time.monotonic()
    result = stack.run("apply", "--yes", "--output", "json", status=7, timeout_s=120)
    # As long as silence is borne, once: a create that may have been carried out is not simply sent again.
    assert time.monotonic() - began < 50
    errors = {each["address"]: each for each in errors_of(result.json)}
    assert set(errors) == {f"aws.vpc.{name}" for name in CASES}
    for each in errors.values():
        assert "CreateVpc" in each["message"] and each["fault"] == "ambiguous" and "unknown" in each["hint"], each
    assert middle.created == dict.fromkeys(blocks.values(), 1)
    assert vpcs(moto) == {block: 1 for block, _, executed in CASES.values() if executed}
    assert stack.run("state", "list").out.count("open: CreateVpc") == len(CASES)

    middle.disturbing = False
    result = stack.run("apply", "--yes")
    assert f"{len(CASES)} unfinished calls of an earlier run settled" in result.err
    # What was made is taken, what was not is made.
    assert middle.created == {block: 1 if executed else 2 for block, _, executed in CASES.values()}
    assert vpcs(moto) == dict.fromkeys(blocks.values(), 1)
    live = {each["VpcId"]: each["CidrBlock"] for each in moto.client("ec2", REGION).describe_vpcs()["Vpcs"]}
    assert {address: live[identity] for address, identity in ids_of(stack).items()} == {
        f"aws.vpc.{name}": block for name, block in blocks.items()
    }
    plan_is_empty(stack)
