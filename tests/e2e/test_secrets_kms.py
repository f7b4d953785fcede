"""The sealing key made by AWS KMS, kept encrypted in the state, and asked for again; against moto's KMS."""

import base64
import contextlib
import http.server
import json
import sqlite3
import ssl
import threading

import pytest

from cli import Terminal, digest
from conftest import REGION, serve
from scripted_server import certificate
from test_secrets import HEX, OTHER, Home, assert_nowhere, lose, SPEC
from trueup_runner import Wire


@pytest.fixture
def kms(moto):
    return moto.client("kms")


@pytest.fixture
def key(kms):
    return kms.create_key()["KeyMetadata"]["Arn"]


@pytest.fixture
def here(tmp_path, moto, key):
    made = Home(tmp_path / "here", tmp_path / "world")
    made.stack.write("stack.yaml", SPEC)
    made.stack.environment.update(
        AWS_ENDPOINT_URL_KMS=moto.address,
        AWS_REGION=REGION,
        TRUEUP_SEALING_KEY=f"kms:{key}",
    )
    return made


def recorded(home):
    """The id of the stack's key, and the key as KMS encrypted it."""
    return home.rows("SELECT sealing_key FROM stack")[0][0].split(" ")


def test_key_is_made_and_opened_by_kms(here, tmp_path, kms):
    here.run("plan", "--out", tmp_path / "plan")
    assert here.keys() == []
    identity, wrapped = recorded(here)
    lineage = here.rows("SELECT lower(hex(lineage)) FROM stack")[0][0]
    opened = kms.decrypt(CiphertextBlob=base64.b64decode(wrapped), EncryptionContext={"trueup:stack": lineage})
    clear = opened["Plaintext"]
    assert len(clear) == 32
    for path in tmp_path.rglob("*"):
        if path.is_file():
            text = path.read_bytes()
            assert clear not in text and clear.hex().encode() not in text and base64.b64encode(clear) not in text
    assert json.loads((tmp_path / "plan").read_text())["sealing_key"] == identity
    # Without the spec's variables: by what was sealed alone.
    here.stack.write("stack.yaml", "stack: secrets\n")
    applied = here.run("apply", tmp_path / "plan", TRUEUP_VAR_password=None, TRUEUP_VAR_token=None)
    assert "2 done" in applied.out
    here.stack.write("stack.yaml", SPEC)
    assert "nothing to do" in here.run("plan").out
    assert_nowhere(tmp_path, here)


def test_two_users_share_it(here, tmp_path):
    first = here.run("plan", "--out", tmp_path / "plan")
    there = Home(tmp_path / "there", tmp_path / "world")
    there.take_state(here)
    there.stack.environment = {**here.stack.environment, "HOME": str(there.home)}
    assert digest(there.run("apply", tmp_path / "plan")) == digest(first)


def test_open_call_is_sent_again(here):
    lose(here, "CreateLaunchTemplate", "lost_request")
    here.run("apply", "--yes")
    assert [one for (one,) in here.rows("SELECT outcome FROM history WHERE operation = 'CreateLaunchTemplate'")] == [
        "done"
    ]


def test_key_of_another_stack_is_none_of_this(here, tmp_path, moto):
    here.run("plan", "--out", tmp_path / "plan")
    other = Home(tmp_path / "other", tmp_path / "world")
    other.stack.environment = {**here.stack.environment, "HOME": str(other.home)}
    other.stack.write("stack.yaml", SPEC)
    other.run("plan")
    with sqlite3.connect(other.stack.folder / ".trueup" / "state.db") as database:
        database.execute("UPDATE stack SET sealing_key = ?", [" ".join(recorded(here))])
    refused = other.run("plan", "--out", tmp_path / "again", status=1)
    assert "KMS did not do Decrypt" in refused.err and "InvalidCiphertext" in refused.err


def test_key_that_was_made_before_the_lineage(here, tmp_path):
    """KMS opens it for that lineage alone, and a rebuild takes another: a new one is made."""
    here.run("plan", "--out", tmp_path / "plan")
    before = recorded(here)
    other = Home(tmp_path / "other", tmp_path / "world")
    other.stack.environment = {**here.stack.environment, "HOME": str(other.home)}
    other.stack.write("stack.yaml", SPEC)
    other.run("apply", "--yes")
    here.run("state", "rebuild", "--yes")
    assert recorded(here) == [""]
    here.run("plan", "--out", tmp_path / "plan", TRUEUP_VAR_password=OTHER)
    assert len(recorded(here)) == 2 and recorded(here)[0] != before[0]
    here.run("apply", tmp_path / "plan")


@pytest.mark.parametrize("name", ["alias/none", "00000000-0000-0000-0000-000000000000"])
def test_key_that_is_not_there(here, tmp_path, name):
    refused = here.run("plan", "--out", tmp_path / "plan", status=1, TRUEUP_SEALING_KEY=f"kms:{name}")
    assert "KMS did not do GenerateDataKey" in refused.err and "NotFoundException" in refused.err
    assert not (tmp_path / "plan").exists() and recorded(here) == [""]


def test_wrong_key_is_an_error(here, tmp_path, kms):
    here.run("plan", "--out", tmp_path / "plan")
    before = recorded(here)
    other = kms.create_key()["KeyMetadata"]["Arn"]
    refused = here.run("apply", tmp_path / "plan", status=1, TRUEUP_SEALING_KEY=f"kms:{other}")
    assert f"KMS did not do Decrypt of the stack's key {before[0]} for the key '{other}'" in refused.err
    assert "and the one that the stack's key was made with" in refused.err
    refused = here.run("apply", tmp_path / "plan", status=1, TRUEUP_SEALING_KEY=HEX)
    assert before[0] in refused.err
    # As AWS has it.
    incorrect = json.dumps({"__type": "IncorrectKeyException", "message": "The key ID in the request does not fit"})
    with answering(lambda token: (400, incorrect)) as settings:
        refused = here.run("apply", tmp_path / "plan", status=1, **settings)
    assert before[0] in refused.err and "allow kms:" not in refused.err
    assert "name in TRUEUP_SEALING_KEY the key of KMS that the stack's key was made with" in refused.err
    assert recorded(here) == before and here.run("state", "list").out == ""


def test_without_kms(here, tmp_path):
    unreachable = {"AWS_ENDPOINT_URL_KMS": "http://127.0.0.1:9"}
    refused = here.run("plan", "--out", tmp_path / "plan", status=1, **unreachable)
    assert "KMS did not do GenerateDataKey" in refused.err
    assert "see to it that KMS can be reached" in refused.err and "allow kms:" not in refused.err
    somewhere = {"AWS_REGION": None, "TRUEUP_SEALING_KEY": "kms:alias/a"}
    for settings, told in (somewhere, "set AWS_REGION or AWS_DEFAULT_REGION"), ({"AWS_ENDPOINT_URL_KMS": None}, ""):
        assert told in here.run("plan", "--out", tmp_path / "plan", status=1, **settings).err
    assert not (tmp_path / "plan").exists()


@pytest.mark.parametrize(
    "status, said, tries",
    [
        ("407 No", "the proxy wants another user and password", 1),
        ("403 No", "the proxy lets nobody through", 1),
        ("502 No", "CONNECT tunnel failed, response 502", 3),
    ],
)
def test_proxy_that_opens_no_way(here, tmp_path, status, said, tries):
    """A wrong password that is tried again and again locks its owner out."""
    proxy = Wire(lambda head: [f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode()])
    way = {"HTTPS_PROXY": proxy.address, "AWS_ENDPOINT_URL_KMS": "https://kms.example"}
    refused = here.run("plan", "--out", tmp_path / "plan", status=1, **way)
    proxy.stop()
    assert "KMS did not do GenerateDataKey" in refused.err and said in refused.err
    assert proxy.requests == tries


def test_tls_that_nobody_vouches_for(here, tmp_path):
    """Nothing of that passes, so it is asked once."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate(tmp_path, "nobody", "127.0.0.1"))
    greeted = []
    context.sni_callback = lambda *greeting: greeted.append(greeting) and None
    server = Wire(lambda head: [], tls=context)
    refused = here.run("plan", "--out", tmp_path / "plan", status=1, AWS_ENDPOINT_URL_KMS=server.address)
    server.stop()
    assert "cannot verify the certificate" in refused.err and "CA bundle" in refused.err
    assert len(greeted) == 1 and server.requests == 0


def refuse(token):
    """A KMS that repeats what it was sent."""
    return 400, json.dumps({"__type": "AccessDeniedException", "message": f"no {token}"})


class Scripted(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        status, text = self.server.answer(self.headers["X-Amz-Security-Token"])
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def answering(answer):
    """The setting that leads to a KMS which answers so."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    server.answer = answer
    serve(server)
    yield {"AWS_ENDPOINT_URL_KMS": f"http://127.0.0.1:{server.server_port}"}
    server.shutdown()


@pytest.fixture
def refusing():
    """The setting that leads to a KMS which refuses whatever it is asked."""
    with answering(refuse) as settings:
        yield settings


def test_kms_that_is_throttled(here, tmp_path):
    throttled = json.dumps({"__type": "ThrottlingException", "message": "Rate exceeded"})
    with answering(lambda token: (400, throttled)) as settings:
        refused = here.run("plan", "--out", tmp_path / "plan", status=1, **settings)
    assert "KMS did not do GenerateDataKey" in refused.err and "ThrottlingException: " in refused.err
    assert "run again later" in refused.err and "allow kms:" not in refused.err


@pytest.mark.parametrize("before", [False, True], ids=["to make it", "to open it"])
@pytest.mark.parametrize(
    "code", ["ExpiredTokenException", "com.amazonaws.kms#InvalidSignatureException", "UnrecognizedClientException"]
)
def test_credentials_that_kms_does_not_take(here, tmp_path, code, before):
    """That is none of the key's fault: who is told of policies, or of another key, looks there in vain."""
    if before:
        here.run("plan", "--out", tmp_path / "first")
    with answering(lambda token: (400, json.dumps({"__type": code, "message": "no"}))) as settings:
        refused = here.run("plan", "--out", tmp_path / "plan", status=1, **settings)
    assert f"{code}: " in refused.err and "get new credentials, or set the machine's clock" in refused.err
    assert "allow kms:" not in refused.err and "rekey" not in refused.err


def test_kms_that_is_down_for_some_seconds(here, tmp_path):
    key = {"Plaintext": base64.b64encode(bytes(32)).decode(), "CiphertextBlob": base64.b64encode(b"wrapped").decode()}
    answers = [(503, "<html>")] * 3 + [(200, json.dumps(key))]
    with answering(lambda token: answers.pop(0)) as settings:
        here.run("plan", "--out", tmp_path / "plan", **settings)
    assert (tmp_path / "plan").exists() and answers == []


NOT_KMS = "what answers there is not KMS"


@pytest.mark.parametrize(
    "status, text, said, hint",
    [
        (403, "<html>Please sign in</html>", "HTTP 403 with an answer that is no AWS error", NOT_KMS),
        (403, '{"message": "Forbidden"}', "HTTP 403 with an answer that is no AWS error", NOT_KMS),
        (400, '{"__type": [], "message": {}}', "HTTP 400 with an answer that is no AWS error", NOT_KMS),
        (404, "", "HTTP 404 with an empty answer", NOT_KMS),
        (204, "", "HTTP 204 with an empty answer", NOT_KMS),
        (302, "", "the endpoint points elsewhere (HTTP 302)", "redirects are not followed"),
        (200, "<html>", "KMS's answer is not valid JSON", NOT_KMS),
        (407, "<html>", "HTTP 407", "check http_proxy"),
    ],
)
def test_page_that_is_no_answer_of_kms(here, tmp_path, status, text, said, hint):
    """AWS names a code with whatever it refuses: what names none tells nothing of policies and keys."""
    tokens = []
    with answering(lambda token: tokens.append(token) or (status, text)) as settings:
        refused = here.run("plan", "--out", tmp_path / "plan", status=1, **settings)
    assert said in refused.err and hint in refused.err and "allow kms:" not in refused.err
    assert len(tokens) == 1


KEY = base64.b64encode(bytes(range(32))).decode()
ECHOES = {
    "a refusal": (400, json.dumps({"__type": "AccessDeniedException", "message": f"no {KEY}"}), "AccessDeniedException"),
    "a long one": (400, json.dumps({"__type": "AccessDeniedException", "message": KEY * 500}), "AccessDeniedException"),
    "a code with its service": (400, json.dumps({"__type": "com.amazonaws.kms#DisabledException", "message": KEY}), "kms#DisabledException"),
    "a code that is none": (400, json.dumps({"__type": KEY, "message": "no"}), "HTTP 400 with an answer that is no AWS error"),
    "another service's": (403, f"<Error><Code>InvalidAction</Code><Message>{KEY}</Message></Error>", "InvalidAction"),
    "a page": (403, f"<html>{KEY}", "HTTP 403 with an answer that is no AWS error"),
    "what was asked for": (500, json.dumps({"Plaintext": KEY, "CiphertextBlob": KEY}), "HTTP 500 with an answer"),
    "a key of JSON": (200, json.dumps({KEY: {"$" + KEY: 1}}), "KMS"),
}


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("output", [[], ["--output", "json"]], ids=["text", "document"])
def test_nothing_of_an_answer_that_is_no_key_is_quoted(here, tmp_path, echo, output):
    """What it was asked for may be in it, and of a key that is just made nobody knows yet that it is one."""
    status, text, said = ECHOES[echo]
    with answering(lambda token: (status, text)) as settings:
        refused = here.run("plan", "--out", tmp_path / "plan", *output, status=1, **settings)
    assert said in refused.err + refused.out and KEY[:12] not in refused.err + refused.out


@pytest.mark.parametrize("command", [["plan", "--out", "plan"], ["apply", "--yes"], ["state", "rekey"]])
def test_kms_that_does_not_answer(here, command):
    """Nobody wonders what the command waits for; each asks but once."""
    lose(here, "CreateLaunchTemplate", "lost_request")
    released, asked = threading.Event(), []

    def hang(token):
        asked.append(token)
        released.wait(30)
        return refuse(token)

    with answering(hang) as settings:
        shown = Terminal(here.stack, *command, **settings)
        shown.read_until("waiting for the sealing key: 1")
        shown.read_until("waiting for the sealing key: 2")
        released.set()
        shown.end(1)
    assert "KMS did not do" in shown.text and len(asked) == 1 + (command[-1] == "rekey")


def test_key_that_is_gone_for_good(here, refusing):
    """A call is open that is sealed under it: nobody can send that again, and the hint tells what can be done."""
    lose(here, "CreateLaunchTemplate", "lost_request")
    refused = here.run("apply", "--yes", status=1, **refusing)
    assert "KMS did not do Decrypt" in refused.err and "'trueup state rekey' then gives" in refused.err
    warned = here.run("plan", "--out", "plan", TRUEUP_SEALING_KEY=None)
    assert "name in TRUEUP_SEALING_KEY the key of KMS" in warned.err
    here.run("apply", "--yes", **refusing, TRUEUP_SEALING_KEY=None)
    here.run("state", "rekey", **refusing, TRUEUP_SEALING_KEY=None, TRUEUP_NEW_SEALING_KEY=HEX)
    assert "nothing to do" in here.run("plan", TRUEUP_SEALING_KEY=HEX).out


def test_credentials_that_kms_echoes(here, tmp_path, refusing):
    settings = {**refusing, "AWS_SESSION_TOKEN": "FwoGZXIvYXdzEXAMPLETOKEN"}
    here.run("plan", "--out", tmp_path / "plan", TRUEUP_SEALING_KEY=HEX)
    settings.update(TRUEUP_SEALING_KEY=HEX, TRUEUP_NEW_SEALING_KEY="kms:alias/a")
    refused = here.run("state", "rekey", status=1, **settings)
    assert "AccessDeniedException" in refused.err and "FwoG" not in refused.out + refused.err


def test_rekey_away_from_a_key_that_cannot_be_had(here):
    """The old key is needed only where something is sealed in the state."""
    elsewhere = {"AWS_ENDPOINT_URL_KMS": "http://127.0.0.1:9", "TRUEUP_NEW_SEALING_KEY": "22" * 32}
    lose(here, "CreateLaunchTemplate", "lost_request")
    before = recorded(here)
    refused = here.run("state", "rekey", status=1, **elsewhere)
    assert "KMS did not do Decrypt" in refused.err and recorded(here) == before
    here.run("apply", "--yes")
    done = here.run("state", "rekey", **elsewhere)
    assert f"it was {before[0]}" in done.out and "warning: " in done.err and "KMS did not do Decrypt" in done.err
    here.run("plan", "--out", "plan", TRUEUP_SEALING_KEY="22" * 32)


def test_rekey_to_kms_and_back(here, key):
    ours = {"TRUEUP_SEALING_KEY": HEX}
    here.run("plan", "--out", "plan", **ours)
    (first,) = recorded(here)
    refused = here.run("plan", "--out", "plan", status=1)
    assert "was not made there" in refused.err and first in refused.err
    here.run("state", "rekey", TRUEUP_NEW_SEALING_KEY=f"kms:{key}", **ours)
    second, wrapped = recorded(here)
    assert second != first and wrapped
    here.run("plan", "--out", "plan")
    here.run("state", "rekey", TRUEUP_NEW_SEALING_KEY="22" * 32)
    assert len(recorded(here)) == 1
    here.run("plan", "--out", "plan", TRUEUP_SEALING_KEY="22" * 32)
