"""The curl transport over TLS and over HTTP/2."""

import struct

import pytest

from scripted_server import answer_all, certificates, failed, probe, serve, server_tls  # noqa: F401

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
        assert fault == "user" or ("clock" in answer["hint"] and "CA bundle" in answer["hint"]), answer
        assert server.arrived == []
    else:
        assert answer["status"] == 200
        assert len(server.arrived) == 1


VPC = "stack: bundle\nproviders: {aws: {region: us-west-2}}\naws.vpc: {main: {cidr: 10.0.0.0/16}}\n"

# Rows: AWS_CA_BUNDLE, whether the server is asked anything, what is said.
BUNDLES = {
    "none": (None, False, "certificate"),
    "right": ("right", True, "could not ask who answers"),
    "other": ("other", False, "certificate"),
    "missing": ("/nowhere/bundle.pem", False, "AWS_CA_BUNDLE names it"),
}


@pytest.mark.parametrize("bundle, asked, said", BUNDLES.values(), ids=BUNDLES)
def test_authorities_of_the_environment(stack, serve, certificates, bundle, asked, said):
    server = serve(answer_all, server_tls(certificates, "right"))
    keys = {name: "test" for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
    stack.environment.update(AWS_ENDPOINT_URL=server.url, **keys)
    if bundle:
        stack.environment.update(AWS_CA_BUNDLE=certificates[bundle][0] if bundle in certificates else bundle)
    stack.write("vpc.yaml", VPC)
    result = stack.run("plan", status=1)
    assert said in result.err and ("certificate" in result.err) == (said == "certificate"), result.err
    assert bool(server.arrived) == asked


def test_a_bundle_that_holds_no_certificate(stack, serve, certificates):
    """So it is told, too, where a system has none: libcurl only recommends the package that brings it."""
    server = serve(answer_all, server_tls(certificates, "right"))
    keys = {name: "test" for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
    stack.environment.update(AWS_ENDPOINT_URL=server.url, AWS_CA_BUNDLE=__file__, **keys)
    stack.write("vpc.yaml", VPC)
    result = stack.run("plan", status=1)
    assert "cannot read the certificate bundle for '127.0.0.1'" in result.err
    assert "hint: check the file that AWS_CA_BUNDLE names" in result.err and "package ca-certificates" in result.err
    assert not server.arrived


def test_verified_request_takes_no_insecure_connection(serve, probe, certificates):
    server = serve(answer_all, server_tls(certificates, "right"))
    assert probe.one(server.url, insecure=True)["status"] == 200
    failed(probe.one(server.url), "auth")
    assert len(server.arrived) == 1


def test_tls_to_a_server_without_it_was_never_sent(serve, probe):
    server = serve(lambda client: client.send(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
    answer = probe.one(f"https://127.0.0.1:{server.port}/", method="POST", body="x", mutating=True)
    failed(answer, "transient", "cannot start TLS with '127.0.0.1'", server.port)


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
