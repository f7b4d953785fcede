"""Servers that keep to a script, on sockets of this machine, and the probe that talks to them.

tests/tools/http_probe.c sends what is asked for here and tells what came of it.
"""

import contextlib
import datetime
import ipaddress
import json
import socket
import ssl
import struct
import subprocess
import threading

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from conftest import BUILD, clean_environment

PROBE = BUILD / "tests/http_probe"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
MIB = 1024 * 1024


class Client:
    """One end of a scripted connection."""

    def __init__(self, server, connection):
        self.server = server
        self.socket = connection
        self.unread = b""

    def _more(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError
        self.unread += data

    def take(self, size):
        """Exactly so many bytes."""
        while len(self.unread) < size:
            self._more()
        taken, self.unread = self.unread[:size], self.unread[size:]
        return taken

    def head(self):
        """The next request up to its empty line, noted as arrived."""
        while b"\r\n\r\n" not in self.unread:
            self._more()
        head, self.unread = self.unread.split(b"\r\n\r\n", 1)
        self.server.arrived.append(head.decode())
        return head.decode()

    def request(self):
        """The next request whole; its head."""
        head = self.head()
        for line in head.split("\r\n")[1:]:
            name, value = line.split(":", 1)
            if name.lower() == "content-length":
                self.server.bodies.append(self.take(int(value)))
        return head

    def send(self, data):
        self.socket.sendall(data)

    def reset(self):
        """Ends the connection with RST instead of FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def hold(self):
        """Says nothing until the other end gives up."""
        with contextlib.suppress(EOFError):
            while True:
                self._more()


class Server:
    """Runs script(client) for each connection, in a thread of its own."""

    def __init__(self, script, tls=None):
        self.arrived = []
        self.bodies = []
        self.connections = 0
        self._script = script
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        # What a client that gives up does to its server is no failure of the test.
        with contextlib.suppress(OSError, EOFError):
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with connection:
                self._script(Client(self, connection))

    def stop(self):
        # shutdown() wakes the accept() that waits; close() alone would not.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def serve():
    """serve(script, tls) starts a server for the length of the test."""
    servers = []

    def start(script, tls=None):
        servers.append(Server(script, tls))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


class Probe:
    """The transport at work in a process of its own."""

    def __init__(self):
        self.process = subprocess.Popen(
            [PROBE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=clean_environment(), text=True
        )
        self.last = None

    def start(self, *requests, wait_ms=20000):
        for number, request in enumerate(requests):
            line = {"id": str(number), "method": "GET", "idle_timeout_ms": 10000, **request}
            self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.write(json.dumps({"wait_ms": wait_ms}) + "\n")
        self.process.stdin.flush()

    def results(self):
        """The batch's answers in the order in which they came; `last` tells of the batch."""
        answers = []
        for line in self.process.stdout:
            answer = json.loads(line)
            if "batch" in answer:
                self.last = answer
                return answers
            answers.append(answer)
        raise AssertionError(f"the probe ended with {self.process.wait()} after {answers}")

    def batch(self, *requests, **settings):
        self.start(*requests, **settings)
        return self.results()

    def one(self, url, **request):
        (answer,) = self.batch({"url": url, **request})
        return answer

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.read()
        return self.process.wait(timeout=20)


@pytest.fixture
def probe():
    assert PROBE.exists(), f"{PROBE} is not built: run `make {PROBE}`"
    started = Probe()
    yield started
    assert started.stop() == 0


def answer_all(client):
    while True:
        client.request()
        client.send(OK)


def failed(answer, fault, *words):
    """Demands a failure of this kind whose message holds the words."""
    assert not answer["answered"], answer
    assert answer["fault"] == fault, answer
    for word in words:
        assert str(word) in answer["message"], answer
    assert not answer["message"].endswith("."), answer


MUTATING = {
    "POST with a body": {"method": "POST", "body": "Action=RunInstances"},
    "POST without a body": {"method": "POST"},
    "PUT with a body": {"method": "PUT", "body": "{}"},
    "PATCH with a large body": {"method": "PATCH", "body": "x" * 3 * MIB},
    "PATCH without a body": {"method": "PATCH"},
    "DELETE without a body": {"method": "DELETE"},
    "DELETE with a body": {"method": "DELETE", "body": "{}"},
    "GET that changes something": {"method": "GET"},
}


def says(data):
    def script(client):
        client.request()
        client.send(data)

    return script


def certificate(folder, name, *addresses, days=(-1, 1)):
    """A self-signed certificate and its key; the paths of both. days: from and until when it holds, from today."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + datetime.timedelta(days=days[0]))
        .not_valid_after(now + datetime.timedelta(days=days[1]))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    certificate_path, key_path = folder / f"{name}.pem", folder / f"{name}.key"
    certificate_path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return str(certificate_path), str(key_path)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    return {
        "right": certificate(folder, "right", "127.0.0.1"),
        "other": certificate(folder, "other", "127.0.0.1"),
        "elsewhere": certificate(folder, "elsewhere", "192.0.2.1"),
        "expired": certificate(folder, "expired", "127.0.0.1", days=(-3, -2)),
        "early": certificate(folder, "early", "127.0.0.1", days=(2, 3)),
    }


def server_tls(certificates, name, *protocols):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificates[name])
    if protocols:
        context.set_alpn_protocols(list(protocols))
    return context


def heads(server):
    """Of each request that arrived: the request line, and its headers in lower case."""
    for head in server.arrived:
        line, *headers = head.split("\r\n")
        yield line, {name.lower(): value.strip() for name, value in (one.split(":", 1) for one in headers)}
