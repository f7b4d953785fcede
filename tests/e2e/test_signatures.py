"""Signature Version 4 against the published vectors and against botocore's signer."""

import base64
import datetime
import json
import pathlib
import random
import string
import unittest.mock
import urllib.parse

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import pytest

from aws_wire import wire  # noqa: F401 (a fixture)

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The suite of the AWS common runtime (aws-c-auth, Apache-2.0), where it lies beside the clone.
VECTORS = ROOT.parent / "shared" / "sigv4" / "v4"
CASES = sorted(path.name for path in VECTORS.iterdir()) if VECTORS.is_dir() else []
RANDOM_REQUESTS = 5000


def parse_request(text):
    """The method, target, header lines, and body of a vector's request; its target may hold spaces."""
    head, _, body = text.partition("\n\n")
    first, *lines = head.rstrip("\n").split("\n")
    method, rest = first.split(" ", 1)
    target = rest[: -len(" HTTP/1.1")]
    headers = []
    for line in lines:
        if line[:1] in " \t":
            headers[-1][1] += "\n" + line
        else:
            headers.append(line.split(":", 1))
    return method, target, headers, body


def vector_question(case):
    context = json.loads((VECTORS / case / "context.json").read_text())
    method, target, headers, body = parse_request((VECTORS / case / "request.txt").read_text())
    timestamp = datetime.datetime.fromisoformat(context["timestamp"].replace("Z", "+00:00"))
    return (
        dict(
            method=method,
            url="https://example.amazonaws.com" + target,
            headers=headers,
            body=base64.b64encode(body.encode()).decode(),
            access_key=context["credentials"]["access_key_id"],
            secret_key=context["credentials"]["secret_access_key"],
            session_token=context["credentials"].get("token", ""),
            service=context["service"],
            region=context["region"],
            wall_ms=int(timestamp.timestamp() * 1000),
            path_as_given=not context["normalize"],
            token_unsigned=context.get("omit_session_token", False),
        ),
        context,
    )


def check_stages(case, kind, answer, signed_request):
    assert "errors" not in answer, answer
    found = {
        "canonical-request": answer["canonical_request"],
        "string-to-sign": answer["string_to_sign"],
        "signature": answer["signature"],
        "signed-request": signed_request.rstrip("\n"),
    }
    for stage, text in found.items():
        wanted = (VECTORS / case / f"{kind}-{stage}.txt").read_text()
        assert text == (wanted.rstrip("\n") if stage == "signed-request" else wanted), stage


@pytest.mark.skipif(not CASES, reason="the vectors are not beside the clone")
def test_all_vectors_are_there():
    assert len(CASES) == 38


@pytest.mark.parametrize("case", CASES)
def test_vector_in_headers(wire, case):  # noqa: F811
    question, context = vector_question(case)
    answer = wire.ask("sign", body_header=context["sign_body"], **question)
    head, blank, body = (VECTORS / case / "request.txt").read_text().partition("\n\n")
    added = "".join(f"\n{name}:{value}" for name, value in answer["headers"])
    check_stages(case, "header", answer, head.rstrip("\n") + added + blank + body)


@pytest.mark.parametrize("case", CASES)
def test_vector_in_query(wire, case):  # noqa: F811
    question, context = vector_question(case)
    answer = wire.ask("sign", expires_s=context["expiration_in_seconds"], **question)
    text = (VECTORS / case / "request.txt").read_text()
    _, target, _, _ = parse_request(text)
    signed = answer["url"].removeprefix("https://example.amazonaws.com")
    check_stages(case, "query", answer, text.replace(f" {target} HTTP", f" {signed} HTTP", 1))


def random_text(source, letters, most):
    return "".join(source.choices(letters, k=source.randint(1, most)))


def random_request(source):
    """One that botocore and a server agree on: its query is percent-encoded already."""
    unicode_letters = string.printable.strip() + "äßλ語🙂 "
    segments = [source.choice([".", "..", "", "a b", random_text(source, unicode_letters, 8)]) for _ in range(source.randint(0, 4))]
    path = "/" + "/".join(urllib.parse.quote(each, safe="~") for each in segments)
    pairs = [
        (random_text(source, unicode_letters, 6), random_text(source, unicode_letters, 6) if source.random() < 0.8 else "")
        for _ in range(source.randint(0, 5))
    ]
    if pairs and source.random() < 0.3:
        pairs.append((pairs[0][0], random_text(source, unicode_letters, 6)))
    query = "&".join(f"{urllib.parse.quote(name, safe='~')}={urllib.parse.quote(value, safe='~')}" for name, value in pairs)
    port = source.choice(["", ":443", ":80", ":8443"])
    host = source.choice(["ec2.eu-central-1.amazonaws.com", "localhost", "[::1]"])
    names = ["Content-Type", "X-Amz-Target", "User-Agent", "Expect", "x-custom", "X-CUSTOM-2", "Accept", "Connection"]
    headers = [[name, random_text(source, string.ascii_letters + string.digits + " \t,;\"'=/", 20)] for name in source.sample(names, source.randint(0, 5))]
    return dict(
        method=source.choice(["GET", "POST", "PUT", "DELETE"]),
        url=f"{source.choice(['http', 'https'])}://{host}{port}{path}" + (f"?{query}" if query else ""),
        headers=headers,
        body=source.randbytes(source.choice([0, 0, 1, 64, 500])),
        token=random_text(source, string.ascii_letters + string.digits + "+/=", 80) if source.random() < 0.5 else "",
        access_key=random_text(source, string.ascii_uppercase + string.digits, 20),
        secret_key=random_text(source, string.ascii_letters + string.digits + "+/", 40),
        service=source.choice(["ec2", "autoscaling", "sts", "iam"]),
        region=source.choice(["eu-central-1", "us-east-1", "cn-north-1"]),
        seconds=source.randint(0, 4102444800),
    )


class RecordingSigner(botocore.auth.SigV4Auth):
    """Keeps the canonical request that it signed."""

    def canonical_request(self, request):
        self.canonical = super().canonical_request(request)
        return self.canonical


def signed_by_botocore(request):
    credentials = botocore.credentials.Credentials(request["access_key"], request["secret_key"], request["token"] or None)
    aws_request = botocore.awsrequest.AWSRequest(request["method"], request["url"], data=request["body"])
    for name, value in request["headers"]:
        aws_request.headers[name] = value
    signer = RecordingSigner(credentials, request["service"], request["region"])
    now = datetime.datetime.fromtimestamp(request["seconds"], datetime.timezone.utc)
    with unittest.mock.patch("botocore.auth.get_current_datetime", return_value=now):
        signer.add_auth(aws_request)
    return signer.canonical, aws_request.headers


def test_random_requests_as_botocore_signs_them(wire):  # noqa: F811
    source = random.Random(20150830)
    for number in range(RANDOM_REQUESTS):
        request = random_request(source)
        canonical, headers = signed_by_botocore(request)
        answer = wire.ask(
            "sign",
            **{key: request[key] for key in ("method", "url", "headers", "access_key", "secret_key", "service", "region")},
            body=base64.b64encode(request["body"]).decode(),
            session_token=request["token"],
            wall_ms=request["seconds"] * 1000 + source.randint(0, 999),
        )
        assert "errors" not in answer, (number, request, answer)
        assert answer["canonical_request"] == canonical, (number, request)
        for name, value in answer["headers"]:
            assert headers[name] == value, (number, request)
