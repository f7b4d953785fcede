"""What answers at the other end, and does not answer as AWS does: one error, and nothing is done."""

import base64
import json
import socket
import ssl

import pytest

from bad_input import ERROR, INCOMPLETE, MIB, PARTLY, WORKING, Wrong, check_errors
from scripted_server import certificate
from simulator import IMAGE
from test_secrets import assert_untold
from trueup_runner import MotoCloud, Proxy, Ref, Wire, apply, errors_of, measured, plan, plan_is_empty, spec_text


def answer(status, body, kind="text/xml", length=None):
    head = f"HTTP/1.1 {status} Answer\r\nContent-Type: {kind}\r\nContent-Length: {len(body) if length is None else length}\r\n"
    return (head + "Connection: close\r\n\r\n").encode() + body


def endless():
    """Ten gigabytes, for whoever takes them."""
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"100000\r\n" + b"<a>" * (MIB // 3) + b" " + b"\r\n"
    for _ in range(10 * 1024):
        yield chunk


HTML = b"<!DOCTYPE html>\n<html><body><p>Please sign in<br></body></html>\n"
XML = b"<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/x</Arn>"


def identity(account=b"<Account>123456789012</Account>", arn=b"<Arn>arn:aws:iam::123456789012:user/x</Arn>"):
    result = b"<GetCallerIdentityResult>" + arn + account + b"</GetCallerIdentityResult>"
    return lambda head: [answer(200, b"<GetCallerIdentityResponse>" + result + b"</GetCallerIdentityResponse>")]


ANSWERS = {
    "half an answer": (lambda head: [answer(200, XML, length=len(XML) + 100)], "", None),
    "an answer that stops in the middle": (lambda head: [answer(200, XML)], "cannot be read", None),
    "an account that no record could hold": (identity(b"<Account>%s</Account>" % (b"1" * 20000)), "an account of 20000 bytes", "12 digits"),
    "no account": (identity(account=b""), "answered without an account", "12 digits"),
    "an empty account": (identity(account=b"<Account/>"), "answered without an account", "12 digits"),
    "no ARN": (identity(arn=b""), "answered without a partition", "begins with arn:PARTITION:"),
    "an ARN without a partition": (identity(arn=b"<Arn>arn::iam::123456789012:user/x</Arn>"), "answered without a partition", None),
    "no ARN in its place": (identity(arn=b"<Arn>user:x</Arn>"), "answered without a partition", None),
    "no answer at all": (lambda head: [], "", None),
    "no HTTP": (lambda head: [b"SSH-2.0-OpenSSH_9.2\r\n"], "", "not the service that is meant"),
    "HTML": (lambda head: [answer(200, HTML, "text/html")], "web page", None),
    "HTML with an error": (lambda head: [answer(403, HTML, "text/html")], "403", None),
    "HTTP 500 for ever": (lambda head: [answer(500, b"oops", "text/plain")], "500", None),
    "HTTP 503 for ever": (lambda head: [answer(503, b"")], "503", None),
    "a redirect": (lambda head: [answer("302 Found\r\nLocation: http://127.0.0.1:1/", b"")], "302", "redirects are not followed"),
    "10 GB announced": (lambda head: [answer(200, b"<a>", length=10 * 1024 * MIB)], "too large", "not the service that is meant"),
    "10 GB sent": (lambda head: endless(), "too large", "not the service that is meant"),
    "an XML bomb": (
        lambda head: [
            answer(
                200,
                b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
                + b"".join(b'<!ENTITY a%d "%s">' % (n, (b"&a%d;" % (n - 1) if n > 1 else b"&a;") * 10) for n in range(1, 10))
                + b"]><a>&a9;</a>",
            )
        ],
        "",
        None,
    ),
}


def check_call_error(stack, *fragments, status=ERROR, within_s=30, most_bytes=400 * MIB, **settings):
    """One error that says what was tried and what came of it; not even a state is made."""
    result = measured(stack, "apply", "--yes", "--output", "json", **settings)
    assert result.status == status, result
    [error] = errors_of(json.loads(result.out))
    for fragment in fragments:
        assert fragment in error["message"] + " " + error.get("cause", ""), error
    assert result.seconds < within_s and result.peak_bytes < most_bytes, (result.seconds, result.peak_bytes)
    assert not (stack.folder / ".trueup").exists()
    return error


@pytest.fixture
def wire():
    servers = []

    def start(*arguments, **settings):
        servers.append(Wire(*arguments, **settings))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.mark.parametrize("script, fragment, hint", ANSWERS.values(), ids=ANSWERS)
def test_answer(stack, wire, script, fragment, hint):
    stack.write("stack.yaml", spec_text(WORKING))
    server = wire(script)
    error = check_call_error(stack, "GetCallerIdentity", fragment, AWS_ENDPOINT_URL=server.address)
    assert hint is None or hint in error["hint"]
    assert 1 <= server.requests <= 20


def identity_text(arn, account="123456789012"):
    return (
        f"<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>{arn}</Arn><UserId>x</UserId><Account>{account}</Account>"
        "</GetCallerIdentityResult></GetCallerIdentityResponse>"
    ).encode()


def test_another_partition_and_none(stack, moto):
    """Two places that differ in nothing else are told apart by it; who does not say it is nobody else for that."""
    proxy = Proxy(moto.address)
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    stack.write("stack.yaml", spec_text({"aws.vpc": {"home": {"cidr": "10.0.0.0/16"}}}))
    apply(stack)
    arn = "arn:aws-cn:sts::123456789012:user/x"
    proxy.answer = lambda fields: identity_text(arn) if fields["Action"] == "GetCallerIdentity" else None
    refused = stack.run("plan", status=ERROR).err
    assert ", partition 'aws', but provider 'aws' reaches aws account 123456789012" in refused, refused
    assert ", partition 'aws-cn'\n" in refused, refused
    arn = "arn"
    assert "answered without a partition" in stack.run("plan", status=ERROR).err
    proxy.answer = lambda fields: None
    plan_is_empty(stack)
    proxy.stop()


def self_signed(folder):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate(folder, "nobody", "127.0.0.1"))
    return context


def test_tls_that_nobody_vouches_for(stack, wire, tmp_path):
    stack.write("stack.yaml", spec_text(WORKING))
    server = wire(lambda head: [answer(200, XML)], tls=self_signed(tmp_path))
    error = check_call_error(stack, "GetCallerIdentity", "certificate", AWS_ENDPOINT_URL=server.address)
    assert "CA bundle" in error["hint"] and "polic" not in error["hint"], error
    assert server.requests == 0


def test_tls_asked_of_a_plain_server(stack, wire):
    stack.write("stack.yaml", spec_text(WORKING))
    server = wire(lambda head: [answer(400, b"")])
    check_call_error(stack, "GetCallerIdentity", AWS_ENDPOINT_URL=server.address.replace("http:", "https:"))


def test_a_simulator_without_a_folder(stack):
    stack.write("stack.yaml", spec_text(WORKING))
    error = check_call_error(stack, "/no/such/folder/world' failed", AWS_ENDPOINT_URL="sim:/no/such/folder/world")
    assert "make the folder first" in error["hint"], error


def test_refused_connection(stack):
    stack.write("stack.yaml", spec_text(WORKING))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    check_call_error(stack, "GetCallerIdentity", "refused", AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")


def test_a_key_that_cannot_be_one(stack):
    stack.write("stack.yaml", spec_text(WORKING))
    error = check_call_error(
        stack,
        "GetCallerIdentity: the access key id to sign with holds a space",
        AWS_ENDPOINT_URL="http://127.0.0.1:1",
        AWS_ACCESS_KEY_ID="a b",
    )
    assert "a stray newline, quote or space" in error["hint"], error


REFUSED_WAYS = {
    "another password wanted": (407, "the proxy wants another user and password", "https_proxy", 1),
    "forbidden": (403, "the proxy lets nobody through", "whoever runs the proxy", 1),
    "nothing behind it": (502, "CONNECT tunnel failed, response 502", "can be reached", 5),
}


@pytest.mark.parametrize("status, fragment, hint, tries", REFUSED_WAYS.values(), ids=REFUSED_WAYS)
def test_proxy_that_opens_no_way(stack, wire, status, fragment, hint, tries):
    """A wrong password that is tried again and again locks its owner out."""
    stack.write("stack.yaml", spec_text(WORKING))
    proxy = wire(lambda head: [answer(f"{status} No\r\nProxy-Authenticate: Basic realm=\"a\"", HTML, "text/html")])
    asked = proxy.address.replace("//", "//user:hunter2hunter2@")
    error = check_call_error(stack, "GetCallerIdentity", fragment, HTTPS_PROXY=asked)
    assert hint in error["hint"] and "hunter2" not in json.dumps(error), error
    assert proxy.requests == tries


def test_proxy_that_wants_a_password_for_what_is_not_encrypted(stack, wire):
    stack.write("stack.yaml", spec_text(WORKING))
    proxy = wire(lambda head: [answer("407 No\r\nProxy-Authenticate: Basic realm=\"a\"", HTML, "text/html")])
    place = {"AWS_ENDPOINT_URL": "http://ec2.example", "http_proxy": proxy.address}
    error = check_call_error(stack, "GetCallerIdentity", "HTTP 407", **place)
    assert "check http_proxy" in error["hint"] and proxy.requests == 1, error


@pytest.mark.parametrize("given", ["user:hunter2%3Fhunter2", "hunter2%3Fhunter2hunter2", "hunter2%3Fhunter2hunter2:"])
def test_proxy_that_echoes_its_password(stack, wire, given):
    """As some do with what they could not pass on; of the header's base64 what is struck out begins where it may."""
    stack.write("stack.yaml", spec_text(WORKING))
    proxy = wire(lambda head: [answer("400 No", b"seen:" + head.split(b"Basic ")[1].split(b"\r")[0], "text/plain")])
    asked = proxy.address.replace("//", f"//{given}@")
    place = {"AWS_ENDPOINT_URL": "http://ec2.example", "http_proxy": asked}
    error = check_call_error(stack, "GetCallerIdentity", "seen:", **place)
    assert "(secret)" in json.dumps(error) and "1bnRlcjI" not in json.dumps(error), error
    assert "aHVudGVyM" not in json.dumps(error), error


UNUSABLE_PROXIES = [
    "http://user:hunter2/hunter2@127.0.0.1:1",
    "http://user:hunter2#hunter2@127.0.0.1:1",
    "http://user:hunter2 hunter2@127.0.0.1:1",
    "socks9://user:hunter2@127.0.0.1:1",
    "user:hunter2/hunter2@127.0.0.1:1",
]


@pytest.mark.parametrize("proxy", UNUSABLE_PROXIES)
def test_proxy_whose_url_is_none(stack, proxy):
    """libcurl quotes it whole; a password that is not encoded is the usual reason."""
    stack.write("stack.yaml", spec_text(WORKING))
    error = check_call_error(stack, "GetCallerIdentity", "cannot read the URL of the proxy", HTTPS_PROXY=proxy)
    assert "%2F" in error["hint"] and "hunter2" not in json.dumps(error), error


def test_unknown_host(stack):
    stack.write("stack.yaml", spec_text(WORKING))
    error = check_call_error(stack, "GetCallerIdentity", "nowhere.invalid", AWS_ENDPOINT_URL="http://nowhere.invalid")
    assert "or of the region that it is named after" in error["hint"], error


def test_what_the_service_keeps_otherwise_is_told(stack, moto):
    """moto takes a customer gateway's name and keeps none: another gateway would be made by each apply, and all be well."""
    stack.environment["AWS_ENDPOINT_URL"] = moto.address
    gateway = {"address": "203.0.113.7", "asn": 65001, "device_name": "office"}
    spec = {"aws.customer_gateway": {"office": gateway}, "aws.vpc": {"home": {"cidr": "10.0.0.0/16"}}}
    stack.write("stack.yaml", spec_text(spec))
    for _ in range(2):
        done = stack.run("apply", "--yes", status=7)
        assert "the service keeps another 'device_name' than it was told" in done.err
    assert plan(stack, status=2).operations() == {"aws.customer_gateway.office": "replace"}
    stack.run("drift", status=2)
    gateway["lifecycle"] = {"ignore": ["device_name"]}
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    plan_is_empty(stack)


def test_what_the_service_keeps_otherwise_of_what_some_have_for_good(stack, cloud):
    """Nothing changes the type of a spot instance: another one would be made by each apply."""
    proxy = Proxy(cloud.address())
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    proxy.amend = lambda fields, text: text.replace(b">t3.micro<", b">t3.small<")
    resources = {
        "aws.vpc": {"home": {"cidr": "10.0.0.0/16"}},
        "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.0.1.0/24"}},
        "aws.instance": {
            "host": {"image": IMAGE, "instance_type": "t3.micro", "subnet": Ref("aws.subnet.a"), "market": {"type": "spot"}}
        },
    }
    stack.write("stack.yaml", spec_text(resources))
    done = stack.run("apply", "--yes", status=7)
    assert "the service keeps another 'instance_type' than it was told" in done.err
    assert not {"StopInstances", "ModifyInstanceAttribute"} & set(proxy.actions)
    assert plan(stack, status=2).operations() == {"aws.instance.host": "replace"}
    proxy.stop()


@pytest.mark.parametrize("endpoint", ["nonsense", "ftp://127.0.0.1/", "http://", "http://127.0.0.1:99999", "file:///etc/passwd"])
def test_no_endpoint(stack, endpoint):
    stack.write("stack.yaml", spec_text(WORKING))
    error = check_call_error(stack, AWS_ENDPOINT_URL=endpoint)
    assert endpoint in json.dumps(error), error


@pytest.mark.parametrize("endpoint", ["https://user:hunter2@127.0.0.1/", "https://user@127.0.0.1", "http://user:hunt/er2@127.0.0.1"])
def test_an_endpoint_with_a_user(stack, endpoint):
    stack.write("stack.yaml", spec_text(WORKING))
    error = check_call_error(stack, "an endpoint with a user in it", AWS_ENDPOINT_URL=endpoint)
    assert "hunt" not in json.dumps(error), error


def test_no_region(stack):
    stack.write("stack.yaml", spec_text(WORKING))
    result = stack.run("plan", "--output", "json", status=ERROR, AWS_REGION=None, AWS_ENDPOINT_URL="sim:world")
    check_errors(errors_of(result.json), [Wrong(None, "provider 'aws' has no region", "AWS_REGION")])


def test_no_credentials(stack):
    stack.write("stack.yaml", spec_text(WORKING))
    settings = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
    result = stack.run("plan", "--output", "json", status=ERROR, **settings)
    check_errors(errors_of(result.json), [Wrong(None, "no AWS credentials", "AWS_ACCESS_KEY_ID")])


@pytest.mark.parametrize(
    "settings, code",
    [
        ({"AWS_SECRET_ACCESS_KEY": "wrong"}, "SignatureDoesNotMatch"),
        ({"AWS_ACCESS_KEY_ID": "AKIDNOBODY"}, "InvalidClientTokenId"),
    ],
    ids=["secret", "key"],
)
def test_wrong_credentials(stack, cloud, settings, code):
    stack.write("stack.yaml", spec_text(WORKING))
    error = check_call_error(stack, code, "GetCallerIdentity", **settings)
    assert error["fault"] == "auth" and "credentials" in error["hint"]


class Echo(Proxy):
    """Once `echoes`, it refuses all but the first question, and says what it was sent, as AWS says of a signature."""

    echoes, identity = None, None

    def _send(self, handler, status, kind, text):
        if self.identity is None:
            self.identity = text
        if self.echoes:
            status, text = (200, self.identity) if self.actions[-1] == "GetCallerIdentity" else (403, self._refusal(handler))
        super()._send(handler, status, kind, text)

    def _refusal(self, handler):
        message = f"should have been x-amz-security-token:{handler.headers['X-Amz-Security-Token']} {self.echoes}"
        error = f"<Code>SignatureDoesNotMatch</Code><Message>{message}</Message>"
        return f"<Response><Errors><Error>{error}</Error></Errors><RequestID>1</RequestID></Response>".encode()


def test_credentials_that_are_echoed(stack, cloud):
    token = "FwoGZXIvYXdzEXAMPLETOKEN1234567890"
    proxy = Echo(cloud.address())
    place = {"AWS_ENDPOINT_URL": proxy.address}
    stack.write("stack.yaml", spec_text(WORKING))
    stack.run("apply", "--yes", **place)
    key = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    proxy.echoes = f"{key[0]} {key[1]} {base64.b64encode(token.encode()).decode()}"
    place.update(AWS_ACCESS_KEY_ID=key[0], AWS_SECRET_ACCESS_KEY=key[1], AWS_SESSION_TOKEN=token)
    result = stack.run("plan", "--out", "p.plan", status=INCOMPLETE, **place)
    proxy.stop()
    assert f"x-amz-security-token:(secret) {key[0]} (secret) (secret)" in result.out
    assert_untold(result.out + result.err, key[1], token)
    assert_untold((stack.folder / "p.plan").read_bytes(), key[1], token)


def test_word_in_place_of_a_credential_is_no_secret(stack, cloud):
    """As emulators take it: it may stand in a tag, too."""
    stack.write("stack.yaml", spec_text({"aws.vpc": {"home": {"cidr": "10.20.0.0/16", "tags": {"env": "emulated"}}}}))
    cloud.sim("add", "access_key", "AKIDEMULATED", "secret=emulated")
    result = stack.run("apply", "--yes", AWS_ACCESS_KEY_ID="AKIDEMULATED", AWS_SECRET_ACCESS_KEY="emulated")
    assert "env: emulated" in result.out and "(secret)" not in result.out


FAULTS = {
    "denied": ("deny", "UnauthorizedOperation", "CreateVpc", ERROR),
    "unknown to the endpoint": ("unsupported", "CreateVpc", "does not know", ERROR),
    "answered with HTML": ("html", "web page", "outcome is unknown", PARTLY),
    "answered with errors for ever": ("error", "InternalError", None, PARTLY),
}


@pytest.mark.parametrize("kind, fragment, hint, status", FAULTS.values(), ids=FAULTS)
def test_change(stack, cloud, kind, fragment, hint, status):
    """A change that cannot be made: one error, exit 1 where nothing can have been done, and the next run does it once."""
    stack.write("stack.yaml", spec_text(WORKING))
    fault = cloud.fault("CreateVpc", kind, count=0)
    result = measured(stack, "apply", "--yes", "--output", "json")
    assert result.status == status and result.seconds < 10, result
    [error] = errors_of(json.loads(result.out))
    assert "aws.vpc.home" in error["message"] and fragment in error["message"], error
    assert error["address"] == "aws.vpc.home"
    assert hint is None or hint in error["hint"], error
    assert [each for each in cloud.things("vpc").values() if each["cidrBlock"] == "10.20.0.0/16"] == []
    cloud.heal(fault)
    apply(stack)
    plan_is_empty(stack)
    assert len([each for each in cloud.things("vpc").values() if each["cidrBlock"] == "10.20.0.0/16"]) == 1


def test_list_that_is_denied(stack, cloud):
    """What cannot be listed is unread, never absent."""
    stack.write("stack.yaml", spec_text(WORKING))
    apply(stack)
    fault = cloud.fault("DescribeVpcs", "deny", count=0)
    planned = plan(stack, status=INCOMPLETE)
    assert planned.operations() in ({}, {"aws.vpc.home": "unread"})
    [unread] = planned.data["unread"]
    assert unread["address"] == "aws.vpc.home" and "UnauthorizedOperation" in unread["reason"]
    apply(stack, status=INCOMPLETE)
    cloud.heal(fault)
    plan_is_empty(stack)


def test_action_that_moto_lacks(stack, moto):
    """HTTP 500 with a page of HTML is how a third party says that it does not know an action."""
    cloud = MotoCloud(stack, moto)
    resources = {
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
        "aws.route_table": {"private": {"vpc": Ref("aws.vpc.home")}},
        "aws.vpn_gateway": {"edge": {"vpc": Ref("aws.vpc.home"), "propagate_to": [Ref("aws.route_table.private")]}},
    }
    stack.write("stack.yaml", spec_text(resources))
    result = stack.run("apply", "--yes", "--output", "json", status=PARTLY)
    [error] = errors_of(result.json)
    assert "EnableVgwRoutePropagation" in error["message"] and error["fault"] == "unsupported", error
    assert "does not know EnableVgwRoutePropagation" in error["hint"], error
    cloud.close()
