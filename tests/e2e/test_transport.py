"""The curl transport against servers that break off, dawdle and overdo it: what is sent, how often, and what came of it."""

import gzip
import signal
import socket
import time

import pytest

from scripted_server import MIB, MUTATING, OK, Client, answer_all, failed, probe, says, serve  # noqa: F401

# --- Mutating requests reach the server at most once.


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
    # The name server may be out of order for a moment.
    failed(answer, "transient", "'ec2.nowhere.invalid' port 443")
    assert "check the spelling of the endpoint" in answer["hint"], answer


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


@pytest.mark.parametrize("limit, words", [(2 * MIB, "2 MiB"), (96 * 1024, "96 KiB"), (100000, "100000 bytes")])
def test_a_limit_is_told_in_words(serve, probe, limit, words):
    answer = probe.one(serve(says(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + bytes(4 * MIB))).url, response_limit_bytes=limit)
    failed(answer, "internal", f"at most {words} are taken")


def test_answer_at_its_limit_is_taken(serve, probe):
    server = serve(says(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"a" * 100000))
    answer = probe.one(server.url, response_limit_bytes=100000)
    assert answer["status"] == 200 and answer["body_size"] == 100000


def test_no_body_fits_a_limit_of_nothing(serve, probe):
    server = serve(says(b"HTTP/1.1 204 No Content\r\n\r\n"))
    assert probe.one(server.url, response_limit_bytes=0)["status"] == 204


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
