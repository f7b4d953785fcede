"""What the curl transport sends, and what it makes of a whole answer."""

import gzip

import pytest

from scripted_server import MIB, MUTATING, OK, answer_all, heads, probe, says, serve  # noqa: F401


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
