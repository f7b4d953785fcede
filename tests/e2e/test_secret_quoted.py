"""A key that was made, in an answer that is none: nothing of it is quoted, for nobody is to see it but whom it is for."""

import re

import pytest

from cli import recorded
from trueup_runner import Proxy

SPEC = "stack: keys\naws.key_pair: {k: {name: ops, secret_to: {file: ops.pem}}}\n"
ERROR = "<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors><RequestID>%s</RequestID></Response>"
ID = "0c5b9d52-7a4e-4a63-9a3d-3d1f0a6f2b10"

# What stands in the place of the answer, with the key in it.
ANSWERS = {
    "a page": (400, "<html>%s</html>"),
    "a page of a server that failed": (502, "<!doctype html>%s"),
    "a text": (400, "%s"),
    "no page, it says": (200, "<html>%s</html>"),
    "another document": (400, "<CreateKeyPairResponse><keyMaterial>%s</keyMaterial></CreateKeyPairResponse>"),
    "an error's message": (400, ERROR % ("InvalidParameterValue", "%s", ID)),
    "an error that may pass": (503, ERROR % ("Unavailable", "%s", ID)),
    "an error's code": (400, ERROR % ("%s", "no", ID)),
    "an error's id": (400, ERROR % ("InvalidParameterValue", "no", "%s")),
}


@pytest.mark.parametrize("command", [["apply", "--yes"], ["apply", "--yes", "--output", "json"]], ids=["text", "json"])
@pytest.mark.parametrize("status, form", ANSWERS.values(), ids=ANSWERS)
def test_nothing_of_it_is_quoted(stack, cloud, status, form, command):
    proxy, keys = Proxy(cloud.address()), []

    def amend(fields, text):
        if fields["Action"] != "CreateKeyPair" or keys:
            return text
        keys.extend(re.findall(r"PRIVATE KEY-----\s+(\S+)", text.decode()))
        return status, (form % keys[0]).encode()

    proxy.amend = amend
    stack.environment.update(AWS_ENDPOINT_URL=proxy.address, AWS_REGION="eu-central-1", TRUEUP_GRACE="2")
    stack.write("stack.yaml", SPEC)
    result = stack.run(*command, status=(0, 1, 7))
    files = [file.read_bytes().decode("latin-1") for file in (stack.folder / ".trueup").iterdir()]
    told = [result.out, result.err, stack.run("state", "history").out, *files]
    [key] = keys
    for piece in (key[start : start + 12] for start in range(len(key) - 12)):
        assert not [text for text in told if piece in text], piece
    assert status == 200 or f"the answer (HTTP {status}) is not quoted" in result.out + result.err
    proxy.stop()


def test_a_refusal_is_told_by_its_code(stack, cloud):
    proxy, refusal = Proxy(cloud.address()), (403, (ERROR % ("UnauthorizedOperation", "KEY", ID)).encode())
    proxy.answer = lambda fields: refusal if fields["Action"] == "CreateKeyPair" else None
    stack.environment.update(AWS_ENDPOINT_URL=proxy.address, AWS_REGION="eu-central-1")
    stack.write("stack.yaml", SPEC)
    err = stack.run("apply", "--yes", status=1).err
    assert "CreateKeyPair answered UnauthorizedOperation: the answer (HTTP 403) is not quoted, as what is shown only" in err
    assert ID in err and "KEY" not in err and recorded(stack) == {}
    proxy.stop()
