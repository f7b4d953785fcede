"""The curl transport against servers that keep to a script, on sockets of this machine.

tests/tools/http_probe.c sends what is asked for here and tells what came of it.
"""

import contextlib
import datetime
import gzip
import ipaddress
import json
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time

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


# --- Mutating requests reach the server at most once.

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


def dies_on_second(ending):
    """Answers a connection's first request; reads the second and ends the connection. Further connections answer all."""

    def script(client):
        if client.server.connections > 1:
            answer_all(client)
        client.request()
        client.send(OK)
        client.request()
        ending(client)

    return script


ENDINGS = {"closes": lambda client: None, "resets": Client.reset}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
@pytest.mark.parametrize("request_", MUTATING.values(), ids=MUTATING)
def test_mutating_request_arrives_once_when_a_kept_connection_dies(serve, probe, request_, ending):
    server = serve(dies_on_second(ending))
    assert probe.one(server.url)["status"] == 200
    answer = probe.one(server.url, mutating=True, **request_)
    failed(answer, "ambiguous", "127.0.0.1", server.port, "may have been carried out")
    assert [head.split()[0] for head in server.arrived] == ["GET", request_["method"]]


def test_mutating_request_without_an_intent_is_not_sent(serve, probe):
    server = serve(answer_all)
    answer = probe.one(server.url, method="POST", body="x", mutating=True, unrecorded=True)
    failed(answer, "user", "without an intent")
    assert server.arrived == []
    assert probe.one(server.url, method="POST", body="x", mutating=True)["status"] == 200


@pytest.mark.parametrize("request_", MUTATING.values(), ids=MUTATING)
def test_reading_request_is_sent_again_when_a_kept_connection_dies(serve, probe, request_):
    """The contrast: it is libcurl that would send again, so the test above tests something."""
    server = serve(dies_on_second(ENDINGS["closes"]))
    assert probe.one(server.url)["status"] == 200
    assert probe.one(server.url, **request_)["status"] == 200
    assert [head.split()[0] for head in server.arrived] == ["GET", request_["method"], request_["method"]]
    body = request_.get("body", "").encode()
    assert [one for one in server.bodies if one] == [body, body][: 2 * bool(body)]


def test_body_cut_off_on_a_kept_connection_is_not_sent_again(serve, probe):
    def script(client):
        if client.server.connections > 1:
            answer_all(client)
        client.request()
        client.send(OK)
        client.head()
        client.take(1000)
        client.reset()

    server = serve(script)
    assert probe.one(server.url)["status"] == 200
    failed(probe.one(server.url, method="POST", body="x" * 8 * MIB, mutating=True), "ambiguous")
    assert len(server.arrived) == 2


# --- No answer, or not a whole one.

DEAD_ENDS = {
    "closes at once": b"",
    "half a status line": b"HTTP/1.1 2",
    "half the headers": b"HTTP/1.1 200 OK\r\nContent-Type: text/x",
    "half the body": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<half>",
    "half a chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n<half>",
    "no last chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
    "only an interim answer": b"HTTP/1.1 100 Continue\r\n\r\n",
}
GARBAGE = {
    "another protocol": (b"SSH-2.0-OpenSSH_9.2p1\r\n", "internal"),
    "zeros": (bytes(5000), "internal"),
    "a page without headers": (b"<html><body>hello</body></html>\n", "internal"),
    "a status that is none": (b"HTTP/1.1 abc OK\r\n\r\n", "internal"),
    "no gzip": (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain", "internal"),
    "a bad chunk": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n", "transient"),
}


def says(data):
    def script(client):
        client.request()
        client.send(data)

    return script


@pytest.mark.parametrize("mutating", [False, True], ids=["reading", "mutating"])
@pytest.mark.parametrize("data", DEAD_ENDS.values(), ids=DEAD_ENDS)
def test_half_an_answer_is_none(serve, probe, data, mutating):
    server = serve(says(data))
    answer = probe.one(server.url, method="POST", body="x", mutating=mutating)
    failed(answer, "ambiguous" if mutating else "transient", "127.0.0.1", server.port)
    assert len(server.arrived) == 1


@pytest.mark.parametrize("data, fault", GARBAGE.values(), ids=GARBAGE)
def test_garbage_is_no_answer(serve, probe, data, fault):
    server = serve(says(data))
    failed(probe.one(server.url), fault, server.port)
    failed(probe.one(server.url, method="POST", mutating=True), "ambiguous", server.port)
    assert len(server.arrived) == 2


def test_refused_connection_was_never_sent(probe):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    answer = probe.one(f"http://127.0.0.1:{port}/", method="POST", body="x", mutating=True)
    failed(answer, "transient", "cannot connect to '127.0.0.1'", port, "Connection refused")


def test_unknown_host(probe):
    answer = probe.one("https://ec2.nowhere.invalid/", method="POST", body="x", mutating=True)
    failed(answer, "user", "'ec2.nowhere.invalid' port 443", "check the spelling of the endpoint")


BAD_REQUESTS = {
    "no scheme": ({"url": "127.0.0.1/"}, "http:// or https://", "malformed"),
    "another scheme": ({"url": "ftp://127.0.0.1/"}, "http:// or https://"),
    "a file": ({"url": "file:///etc/passwd"}, "http:// or https://", "malformed"),
    "a login": ({"url": "http://me:secret@127.0.0.1/"}, "holds a user name"),
    "a space": ({"url": "{url}/a b"}, "space or line break"),
    "a line break": ({"url": "{url}/a\r\nX: y"}, "space or line break"),
    "a NUL": ({"url": "{url}/a\0b"}, "space or line break"),
    "an endless URL": ({"url": "{url}/" + "a" * 70000}, "too long"),
    "no URL": ({"url": ""}, "malformed"),
    "a bad port": ({"url": "http://127.0.0.1:99999/"}, "malformed"),
    "no method": ({"method": ""}, "method"),
    "two requests in a method": ({"method": "GET / HTTP/1.1\r\nX:"}, "method"),
    "a line break in a value": ({"headers": [["X-A", "b\r\nX-C: d"]]}, "value holds a line break"),
    "a lone CR in a value": ({"headers": [["X-A", "b\rX-C: d"]]}, "value holds a line break"),
    "a NUL in a value": ({"headers": [["X-A", "b\0c"]]}, "value holds a line break"),
    "a line break in a name": ({"headers": [["X-A: b\r\nX-C", "d"]]}, "has a name"),
    "a colon in a name": ({"headers": [["X-A:", "d"]]}, "has a name"),
    "an empty name": ({"headers": [["", "d"]]}, "has a name"),
    "a second framing": ({"headers": [["Transfer-Encoding", "chunked"]]}, "only the transport may"),
    "a wrong length": ({"headers": [["content-length", "7"]]}, "only the transport may"),
}


@pytest.mark.parametrize("request_, words", [(row[0], row[1:]) for row in BAD_REQUESTS.values()], ids=BAD_REQUESTS)
def test_bad_request_is_never_sent(serve, probe, request_, words):
    server = serve(answer_all)
    request_ = {"method": "POST", "mutating": True, "url": "{url}", **request_}
    request_["url"] = request_["url"].replace("{url}", server.url)
    answer = probe.one(**request_)
    failed(answer, "user")
    assert any(word in answer["message"] for word in words), answer
    assert "secret" not in answer["message"]
    # An answer of the server shows that it was there to be reached.
    assert probe.one(server.url + "/after")["status"] == 200
    assert [head.split()[1] for head in server.arrived] == ["/after"]


# --- Time.


@pytest.mark.parametrize("mutating", [False, True], ids=["reading", "mutating"])
@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"], ids=["silent", "stalls"])
def test_idle_timeout(serve, probe, sent, mutating):
    def script(client):
        client.request()
        client.send(sent)
        client.hold()

    answer = probe.one(serve(script).url, method="POST", mutating=mutating, idle_timeout_ms=300)
    failed(answer, "ambiguous" if mutating else "transient", "no answer in time", "nothing came for 300 ms")
    assert 300 <= answer["elapsed_ms"] < 3000


def test_server_that_does_not_read_is_idle(serve, probe):
    def script(client):
        client.head()
        time.sleep(5)

    answer = probe.one(serve(script).url, method="POST", body="x" * 32 * MIB, mutating=True, idle_timeout_ms=500)
    failed(answer, "ambiguous", "nothing came for 500 ms")
    assert answer["elapsed_ms"] < 4000


def test_slow_headers_are_not_idle(serve, probe):
    def script(client):
        client.request()
        for line in [b"HTTP/1.1 200 OK\r\n"] + [b"X: y\r\n"] * 8 + [b"Content-Length: 2\r\n", b"\r\n", b"o", b"k"]:
            client.send(line)
            time.sleep(0.1)

    answer = probe.one(serve(script).url, idle_timeout_ms=600)
    assert answer["status"] == 200 and answer["body"] == "ok"
    assert answer["elapsed_ms"] > 1000


def trickle(client):
    client.request()
    client.send(b"HTTP/1.1 200 OK\r\n")
    for _ in range(1000):
        client.send(b"X: y\r\n")
        time.sleep(0.05)


@pytest.mark.parametrize("mutating", [False, True], ids=["reading", "mutating"])
def test_total_timeout(serve, probe, mutating):
    server = serve(trickle)
    answer = probe.one(server.url, method="POST", mutating=mutating, total_timeout_ms=500)
    failed(answer, "ambiguous" if mutating else "transient", "no answer in time", server.port)
    # libcurl's clock and the probe's round differently.
    assert 490 <= answer["elapsed_ms"] < 3000


def test_connect_timeout_was_never_sent(serve, probe):
    """The TLS handshake belongs to connecting."""
    server = serve(Client.hold)
    url = f"https://127.0.0.1:{server.port}/"
    answer = probe.one(url, method="POST", body="x", mutating=True, connect_timeout_ms=400)
    failed(answer, "transient", "no answer in time", server.port)
    assert 390 <= answer["elapsed_ms"] < 3000


def test_waiting_for_a_free_connection_is_not_connecting(serve, probe):
    def script(client):
        client.request()
        time.sleep(0.8)
        client.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")

    server = serve(script)
    request = {"url": server.url, "connect_timeout_ms": 500, "idle_timeout_ms": 1500}
    answers = probe.batch(*[request] * 40)
    assert [answer.get("status") for answer in answers] == [200] * 40, answers
    assert server.connections == 40


def test_wait_ends_at_its_deadline(serve, probe):
    answers = probe.batch({"url": serve(Client.hold).url, "idle_timeout_ms": 60000}, wait_ms=400)
    assert answers == []
    assert probe.last["pending"] == 1
    assert 400 <= probe.last["waited_ms"] < 900


def test_wait_returns_on_a_signal(serve, probe):
    server = serve(lambda client: (client.request(), client.hold()))
    probe.start({"url": server.url, "idle_timeout_ms": 60000})
    while not server.arrived:
        time.sleep(0.01)
    # Well inside one of wait()'s own turns of a second.
    time.sleep(0.1)
    began = time.monotonic()
    probe.process.send_signal(signal.SIGINT)
    assert probe.results() == []
    assert time.monotonic() - began < 0.6
    assert probe.last["interrupted"]


# --- Size.


def endless(head, chunk):
    def script(client):
        client.request()
        client.send(head)
        while True:
            client.send(chunk)

    return script


TOO_LARGE = {
    "10 GB announced": endless(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n", bytes(65536)),
    "endless": endless(b"HTTP/1.1 200 OK\r\n\r\n", bytes(65536)),
    "endless chunks": endless(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + bytes(65536) + b"\r\n"
    ),
    "one byte too many": says(b"HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n" + bytes(100001)),
    "small when packed": says(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + gzip.compress(bytes(64 * MIB))
    ),
    "too many headers": says(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 300 + b"\r\n"),
    "too long a header": says(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70000 + b"\r\n\r\n"),
    "endless headers": endless(b"HTTP/1.1 200 OK\r\n", b"X: " + b"y" * 200 + b"\r\n"),
    "endless interim answers": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 10),
}


@pytest.mark.parametrize("mutating", [False, True], ids=["reading", "mutating"])
@pytest.mark.parametrize("script", TOO_LARGE.values(), ids=TOO_LARGE)
def test_too_large_an_answer_is_cut_short(serve, probe, script, mutating):
    request = {"method": "POST", "mutating": mutating, "response_limit_bytes": 100000}
    answer = probe.one(serve(script).url, **request)
    failed(answer, "ambiguous" if mutating else "internal", "too large an answer", "are taken")
    assert answer["elapsed_ms"] < 5000


def test_answer_at_its_limit_is_taken(serve, probe):
    server = serve(says(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"a" * 100000))
    answer = probe.one(server.url, response_limit_bytes=100000)
    assert answer["status"] == 200 and answer["body_size"] == 100000


def test_no_body_fits_a_limit_of_nothing(serve, probe):
    server = serve(says(b"HTTP/1.1 204 No Content\r\n\r\n"))
    assert probe.one(server.url, response_limit_bytes=0)["status"] == 204


# --- TLS.


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


# Rows: the server's certificate, the bundle of the request, insecure, the fault or None.
TLS = {
    "self-signed": ("right", None, False, "auth"),
    "in the bundle": ("right", "right", False, None),
    "not in the bundle": ("right", "other", False, "auth"),
    "for another address": ("elsewhere", "elsewhere", False, "auth"),
    "expired": ("expired", "expired", False, "auth"),
    "not valid yet": ("early", "early", False, "auth"),
    "whatever it is": ("elsewhere", None, True, None),
    "bundle is missing": ("right", "/nowhere/bundle.pem", False, "user"),
}


@pytest.mark.parametrize("name, bundle, insecure, fault", TLS.values(), ids=TLS)
def test_certificate(serve, probe, certificates, name, bundle, insecure, fault):
    server = serve(answer_all, server_tls(certificates, name))
    path = certificates[bundle][0] if bundle in certificates else bundle or ""
    answer = probe.one(server.url, method="POST", mutating=True, ca_file=path, insecure=insecure)
    if fault:
        failed(answer, fault, "'127.0.0.1'", server.port, "certificate")
        assert server.arrived == []
    else:
        assert answer["status"] == 200
        assert len(server.arrived) == 1


def test_verified_request_takes_no_insecure_connection(serve, probe, certificates):
    server = serve(answer_all, server_tls(certificates, "right"))
    assert probe.one(server.url, insecure=True)["status"] == 200
    failed(probe.one(server.url), "auth")
    assert len(server.arrived) == 1


def test_tls_to_a_server_without_it_was_never_sent(serve, probe):
    server = serve(lambda client: client.send(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
    answer = probe.one(f"https://127.0.0.1:{server.port}/", method="POST", body="x", mutating=True)
    failed(answer, "transient", "cannot start TLS with '127.0.0.1'", server.port)


# --- What is sent and what is given back.


def heads(server):
    """Of each request that arrived: the request line, and its headers in lower case."""
    for head in server.arrived:
        line, *headers = head.split("\r\n")
        yield line, {name.lower(): value.strip() for name, value in (one.split(":", 1) for one in headers)}


@pytest.mark.parametrize(
    "path",
    ["/", "/a/../b/./c", "//a//b", "/a%2Fb%2f/%7E~", "/?a=b%20c&d=%2F%2f&e", "/x?a=../b/./c&d='()*!", "/a;b=c,d:e@f"],
)
def test_path_is_sent_as_given(serve, probe, path):
    server = serve(answer_all)
    assert probe.one(server.url + path)["status"] == 200
    assert [line for line, _ in heads(server)] == [f"GET {path} HTTP/1.1"]


@pytest.mark.parametrize("request_", MUTATING.values(), ids=MUTATING)
def test_no_headers_but_those_given(serve, probe, request_):
    server = serve(answer_all)
    given = [["X-Given", "a  b"], ["X-Empty", ""], ["Authorization", "AWS4-HMAC-SHA256 x=y, z=w"]]
    assert probe.one(server.url, mutating=True, headers=given, **request_)["status"] == 200
    ((line, headers),) = heads(server)
    assert line.split()[0] == request_["method"]
    length = headers.pop("content-length", None)
    expected = str(len(request_.get("body", "")))
    assert length == (expected if request_["method"] in ("POST", "PUT", "PATCH") or "body" in request_ else None)
    assert headers.pop("host") == f"127.0.0.1:{server.port}"
    assert headers.pop("accept") == "*/*"
    assert headers.pop("accept-encoding") == "gzip"
    assert headers == {"x-given": "a  b", "x-empty": "", "authorization": "AWS4-HMAC-SHA256 x=y, z=w"}
    assert b"".join(server.bodies) == request_.get("body", "").encode()


def test_headers_that_replace_those_of_the_transport(serve, probe):
    server = serve(answer_all)
    given = [["Host", "ec2.example"], ["accept", "text/xml"], ["Accept-Encoding", "identity"], ["Content-Length", "1"]]
    assert probe.one(server.url, method="POST", body="x", headers=given)["status"] == 200
    assert len(server.arrived[0].split("\r\n")) == 5
    ((_, headers),) = heads(server)
    assert headers == {name.lower(): value for name, value in given}


def test_large_body_goes_without_asking(serve, probe):
    server = serve(answer_all)
    answer = probe.one(server.url, method="POST", body="x" * 4 * MIB, mutating=True)
    assert answer["status"] == 200 and answer["elapsed_ms"] < 900
    assert server.bodies == [b"x" * 4 * MIB]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_an_answer(serve, probe, status):
    def script(client):
        while True:
            client.request()
            location = f"{client.server.url}/elsewhere"
            client.send(f"HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode())

    server = serve(script)
    answer = probe.one(server.url, method="POST", body="x", mutating=True)
    assert answer["status"] == status
    assert answer["headers"][0] == ["location", f"{server.url}/elsewhere"]
    assert len(server.arrived) == 1


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 407, 417, 429, 500, 503, 599])
def test_each_status_is_an_answer(serve, probe, status):
    """None of them, not even those libcurl knows an answer to, makes the transport ask again."""
    data = f"HTTP/1.1 {status} Status\r\nWWW-Authenticate: Basic\r\nRetry-After: 0\r\nContent-Length: 2\r\n\r\nno"
    server = serve(says(data.encode()))
    answer = probe.one(server.url, method="POST", body="x", mutating=True)
    assert answer["status"] == status and answer["body"] == "no"
    assert len(server.arrived) == 1


def test_headers_of_the_answer(serve, probe):
    server = serve(
        says(
            b"HTTP/1.1 103 Early Hints\r\nLink: early\r\n\r\n"
            b"HTTP/1.1 200 OK\r\nContent-TYPE: text/xml \r\nSet-Cookie: a\r\nSet-Cookie: b\r\nX-Empty:\r\n"
            b"X-Folded: one\r\n  two\r\nX-Colon: a:b\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"2\r\nok\r\n0\r\nX-Trailer: late\r\n\r\n"
        )
    )
    answer = probe.one(server.url)
    assert answer["status"] == 200 and answer["body"] == "ok"
    assert answer["headers"] == [
        ["content-type", "text/xml"],
        ["set-cookie", "a"],
        ["set-cookie", "b"],
        ["x-empty", ""],
        ["x-folded", "one two"],
        ["x-colon", "a:b"],
        ["transfer-encoding", "chunked"],
    ]


def test_packed_answer_is_unpacked(serve, probe):
    packed = gzip.compress(b"<DescribeVpcsResponse/>")
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n".encode()
    assert probe.one(serve(says(head + packed)).url)["body"] == "<DescribeVpcsResponse/>"


def test_head_has_no_body(serve, probe):
    server = serve(says(b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n"))
    answer = probe.one(server.url, method="HEAD")
    assert answer["status"] == 200 and answer["body_size"] == 0


def test_second_answer_is_not_the_next_request_s(serve, probe):
    def script(client):
        client.request()
        client.send(OK + b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
        client.hold()

    server = serve(script)
    for _ in range(3):
        assert probe.one(server.url)["body"] == "ok"
    assert server.connections == 3


# --- Many requests.


def test_connection_is_kept(serve, probe):
    server = serve(answer_all)
    answers = probe.batch({"url": server.url, "repeat": 9})
    assert [answer["status"] for answer in answers] == [200] * 10
    assert server.connections == 1


def test_at_most_16_connections_for_a_host(serve, probe):
    def script(client):
        while True:
            client.request()
            time.sleep(0.05)
            client.send(OK)

    server = serve(script)
    answers = probe.batch(*[{"url": server.url}] * 200)
    assert [answer["status"] for answer in answers] == [200] * 200
    assert server.connections == 16


def test_callback_may_start_what_cannot_be_sent(probe):
    answers = probe.batch({"url": "nonsense", "repeat": 50})
    assert len(answers) == 51
    assert probe.last["pending"] == 0


@pytest.mark.parametrize("victim", ["waits", "bad"])
def test_cancelled_request_is_not_heard_of_again(serve, probe, victim):
    held = serve(lambda client: (client.request(), client.hold()))
    url = held.url if victim == "waits" else "nonsense"
    answers = probe.batch(
        {"id": "first", "url": "also nonsense" if victim == "bad" else serve(answer_all).url, "cancels": "victim"},
        {"id": "victim", "url": url},
    )
    assert [answer["id"] for answer in answers] == ["first"]
    assert probe.last["pending"] == 0


# --- HTTP/2 (RFC 9113), as little of it as the scripts need: no header of a request is decoded.

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
END_STREAM, ACK, END_HEADERS = 1, 1, 4
REFUSED_STREAM = 7


def send_frame(client, kind, flags, stream, payload=b""):
    client.send(struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload)


def streams(client):
    """The number of each stream whose request is whole."""
    assert client.take(24) == b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    send_frame(client, SETTINGS, 0, 0)
    while True:
        head = client.take(9)
        kind, flags, stream = head[3], head[4], struct.unpack(">I", head[5:])[0]
        payload = client.take(int.from_bytes(head[:3], "big"))
        if kind in (SETTINGS, PING) and not flags & ACK:
            send_frame(client, kind, ACK, 0, payload if kind == PING else b"")
        if kind == HEADERS:
            client.server.arrived.append(stream)
        if kind in (HEADERS, DATA) and flags & END_STREAM:
            yield stream


def answer_stream(client, stream):
    # 0x88: ":status: 200" in HPACK's static table (RFC 7541, appendix A).
    send_frame(client, HEADERS, END_HEADERS, stream, b"\x88")
    send_frame(client, DATA, END_STREAM, stream, b"ok")


def test_http2_shares_one_connection(serve, probe, certificates):
    def script(client):
        waiting = []
        for stream in streams(client):
            waiting.append(stream)
            if len(waiting) == 20:
                for one in waiting:
                    answer_stream(client, one)

    server = serve(script, server_tls(certificates, "right", "h2", "http/1.1"))
    request = {"url": server.url, "ca_file": certificates["right"][0], "method": "POST", "body": "x"}
    answers = probe.batch(*[request] * 20)
    assert [(answer.get("status"), answer.get("body")) for answer in answers] == [(200, "ok")] * 20, answers
    assert server.connections == 1


def refuse_second(client):
    for count, stream in enumerate(streams(client)):
        if count == 1 and client.server.connections == 1:
            send_frame(client, RST_STREAM, 0, stream, struct.pack(">I", REFUSED_STREAM))
        else:
            answer_stream(client, stream)


def go_away_second(client):
    for count, stream in enumerate(streams(client)):
        if count == 1 and client.server.connections == 1:
            send_frame(client, GOAWAY, 0, 0, struct.pack(">II", 1, 0))
            return
        answer_stream(client, stream)


def close_second(client):
    for count, stream in enumerate(streams(client)):
        if count == 1 and client.server.connections == 1:
            return
        answer_stream(client, stream)


HTTP2_ENDS = {"stream refused": refuse_second, "sent away": go_away_second, "closed": close_second}


@pytest.mark.parametrize("body", ["x", ""], ids=["body", "no body"])
@pytest.mark.parametrize("script", HTTP2_ENDS.values(), ids=HTTP2_ENDS)
def test_http2_mutating_request_arrives_once(serve, probe, certificates, script, body):
    server = serve(script, server_tls(certificates, "right", "h2"))
    request = {"url": server.url, "ca_file": certificates["right"][0], "method": "POST", "body": body}
    assert probe.one(**request)["status"] == 200
    failed(probe.one(mutating=True, **request), "ambiguous", server.port)
    assert len(server.arrived) == 2
