"""What is wrong is told once, clearly, with its place and what to do, and nothing is changed by it.

Three tables: specs, what answers at the other end, and the files of state and plan.
"""

import dataclasses
import datetime
import hashlib
import ipaddress
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import sqlite3
import ssl
import subprocess
import threading

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from conftest import Stack, clean_environment
from trueup_runner import (
    POWERLESS,
    MotoCloud,
    Proxy,
    Ref,
    SimulatedCloud,
    Wire,
    apply,
    copy_stack,
    errors_of,
    ids_of,
    measured,
    plan,
    plan_is_empty,
    spec_text,
)

ERROR, INCOMPLETE, REFUSED, LEASE, PARTLY = 1, 3, 4, 5, 7
MIB = 1024 * 1024

HEAD = "stack: demo\n"
VPC = HEAD + "aws.vpc:\n  home: {cidr: 10.20.0.0/16}\n"
SUBNET = VPC + "aws.subnet:\n  a: {vpc: home, cidr: 10.20.0.0/20}\n"


@dataclasses.dataclass
class Wrong:
    """One error: "file:line:column" or None, a part of its message, and of its hint where there is to be one."""

    place: str
    message: str
    hint: str = None
    related: str = None


def place_of(diagnostic):
    if "line" not in diagnostic:
        return None
    return ":".join(str(diagnostic[name]) for name in ("file", "line", "column") if name in diagnostic)


def check_errors(found, wanted):
    """Just these, in this order."""
    told = [(place_of(each), each["message"], each.get("hint")) for each in found]
    assert len(found) == len(wanted), told
    for each, wrong in zip(found, wanted, strict=True):
        assert place_of(each) == wrong.place, told
        assert wrong.message in each["message"], told
        assert (wrong.hint is None) or wrong.hint in each.get("hint", ""), told
        if wrong.related:
            assert place_of(each["related"]) == wrong.related, each
        # One sentence, as the house has it.
        assert each["message"] and not each["message"].endswith(".") and "\n" not in each["message"]


def nested(levels, left, right, middle=""):
    return HEAD + "aws.vpc: " + left * levels + middle + right * levels + "\n"


def alias_bomb():
    """A kilobyte that stands for ten thousand million values."""
    lines = [HEAD + "aws.vpc:\n  home:\n    cidr: 10.20.0.0/16\n    tags:\n      a0: &a0 [" + ", ".join(["x"] * 10) + "]\n"]
    for level in range(1, 11):
        lines.append(f"      a{level}: &a{level} [" + ", ".join([f"*a{level - 1}"] * 10) + "]\n")
    return "".join(lines)


RULE = "aws.security_group:\n  web: {name: web, description: web, vpc: home, ingress: [%s]}\n"

SPECS = {
    # YAML that is none, or not ours.
    "a list without an end": (HEAD + "aws.vpc: {home: {cidr: [1, 2}}\n", [Wrong("stack.yaml:2:29", "closing ']'")]),
    "a quote without an end": (
        HEAD + 'aws.vpc:\n  home:\n    cidr: "10.20.0.0/16\n',
        [Wrong("stack.yaml:4:11", "has no end", "close the quotes")],
    ),
    "truncated": (HEAD + "aws.vpc: {home: {cidr: 10.20.0.0/16", [Wrong("stack.yaml:2:36", "closing '}'")]),
    "indented at random": (
        HEAD + "aws.vpc:\n  home:\n    cidr: 10.20.0.0/16\n   tags: {}\n",
        [Wrong("stack.yaml:5:4", "fits no map or list", "indent it", "stack.yaml:3:3")],
    ),
    "a tab": (HEAD + "aws.vpc:\n\thome: {}\n", [Wrong("stack.yaml:3:1", "tab", "spaces")]),
    "a tab further in": (
        VPC.replace("{cidr: 10.20.0.0/16}", "\n    cidr: 10.20.0.0/16\n    tags:\n\t    a: b"),
        [Wrong("stack.yaml:6:1", "tab", "spaces")],
    ),
    "a second document": (VPC + "---\n" + VPC, [Wrong("stack.yaml:4:1", "second document", "file of its own")]),
    "a tag of another language": (
        HEAD + "aws.vpc:\n  home: {cidr: !!python/object:os.system ls}\n",
        [Wrong("stack.yaml:3:16", "!!python/object:os.system", "leave the tag out")],
    ),
    "an alias of nothing": (
        HEAD + "aws.vpc:\n  home: {cidr: *nowhere}\n",
        [Wrong("stack.yaml:3:16", "no anchor '&nowhere'", "quotes")],
    ),
    "an alias bomb": (alias_bomb(), [Wrong("stack.yaml:12:51", "aliases repeat more than", "write out what is needed")]),
    "10,000 lists": (
        nested(10000, "[", "]"),
        [Wrong("stack.yaml:2:10", "expects a map"), Wrong("stack.yaml:2:73", "levels deep", "less deep")],
    ),
    "10,000 maps": (nested(10000, "{a: ", "}", "1"), [Wrong("stack.yaml:2:262", "levels deep", "less deep")]),
    "10,000 indents": (
        HEAD + "aws.vpc:\n" + "".join(" " * (level + 1) + "a:\n" for level in range(10000)),
        [Wrong("stack.yaml:66:65", "levels deep", "less deep")],
    ),
    "a million brackets without an end": (
        HEAD + "aws.vpc: " + "[" * 1000000,
        [Wrong("stack.yaml:2:10", "expects a map"), Wrong("stack.yaml:2:73", "levels deep")],
    ),
    "invalid UTF-8": (VPC.encode() + b"# \xff\xfe\n", [Wrong("stack.yaml:4:3", "0xff is not UTF-8", "as UTF-8")]),
    "overlong UTF-8": (VPC.encode() + b"# \xc0\xaf\n", [Wrong("stack.yaml:4:3", "0xc0 is not UTF-8", "as UTF-8")]),
    "UTF-16": (VPC.encode("utf-16"), [Wrong("stack.yaml:1:1", "0xff is not UTF-8", "as UTF-8")]),
    "NUL bytes": (VPC.encode() + b"# a\0b\0\n", [Wrong("stack.yaml:4:4", "NUL", "damaged")]),
    "nothing but NUL bytes": (b"\0" * 4096, [Wrong("stack.yaml:1:1", "NUL", "damaged")]),
    "a control character": (VPC + "# \a\n", [Wrong("stack.yaml:4:3", "control character", "\\xNN")]),
    # Names.
    "a field twice": (
        HEAD + "aws.vpc:\n  home:\n    cidr: 10.20.0.0/16\n    cidr: 10.30.0.0/16\n",
        [Wrong("stack.yaml:5:5", "'cidr' is given twice", "one", "stack.yaml:4:5")],
    ),
    "a resource twice": (
        VPC + "  home: {cidr: 10.30.0.0/16}\n",
        [Wrong("stack.yaml:4:3", "'home' is given twice", "one", "stack.yaml:3:3")],
    ),
    "a kind twice": (
        VPC + "aws.vpc:\n  away: {cidr: 10.30.0.0/16}\n",
        [Wrong("stack.yaml:4:1", "'aws.vpc' is given twice", "one", "stack.yaml:2:1")],
    ),
    "an unknown kind": (HEAD + "aws.vcp:\n  home: {}\n", [Wrong("stack.yaml:2:1", "'aws.vcp'", "'aws.vpc'")]),
    "a kind of elsewhere": (HEAD + "gcp.network:\n  home: {}\n", [Wrong("stack.yaml:2:1", "gcp.network", "schema")]),
    "an unknown section": (HEAD + "outputz: {}\n", [Wrong("stack.yaml:2:1", "'outputz'", "'outputs'")]),
    "an unknown field": (
        HEAD + "aws.vpc:\n  home: {cidr: 10.20.0.0/16, dns_suport: true}\n",
        [Wrong("stack.yaml:3:30", "no field 'dns_suport'", "'dns_support'")],
    ),
    "an unknown field of an item": (
        VPC + RULE % "{protocol: tcp, from_prt: 22, to_port: 22, cidr: 10.0.0.0/8}",
        [Wrong("stack.yaml:5:75", "no field 'from_prt'", "'from_port'")],
    ),
    "an unknown provider": (
        HEAD + "aws.vpc:\n  home: {cidr: 10.20.0.0/16, provider: aws.east}\n",
        [Wrong("stack.yaml:3:40", "no provider 'aws.east'", "providers:")],
    ),
    "an unknown setting": (
        VPC + "providers: {aws: {regionn: eu-west-1}}\n",
        [Wrong("stack.yaml:4:19", "no field 'regionn'", "'region'")],
    ),
    "no stack": (VPC.replace(HEAD, ""), [Wrong(None, "the stack has no name", "stack: research-west")]),
    "a stack's name with blanks": (
        VPC.replace("demo", "My Stack"),
        [Wrong("stack.yaml:1:8", "'My Stack' cannot be", "lower-case")],
    ),
    # Types and values.
    "no boolean": (
        HEAD + "aws.vpc:\n  home: {cidr: 10.20.0.0/16, dns_support: maybe}\n",
        [Wrong("stack.yaml:3:43", "'dns_support' expects true or false, found a string")],
    ),
    "yes for true": (
        HEAD + "aws.vpc:\n  home: {cidr: 10.20.0.0/16, dns_support: yes}\n",
        [Wrong("stack.yaml:3:43", "'yes'", "write true")],
    ),
    "a list for a range": (HEAD + "aws.vpc:\n  home: {cidr: [10.20.0.0/16]}\n", [Wrong("stack.yaml:3:16", "found a list")]),
    "a list for a map": (
        HEAD + "aws.vpc:\n  home: {cidr: 10.20.0.0/16, tags: [a]}\n",
        [Wrong("stack.yaml:3:36", "'tags' expects a map, found a list")],
    ),
    "a text for a number": (
        HEAD + "aws.vpn_gateway:\n  edge: {asn: many}\n",
        [Wrong("stack.yaml:3:15", "'asn' expects a whole number, found a string")],
    ),
    "a number out of bounds": (
        HEAD + "aws.vpn_gateway:\n  edge: {asn: 0}\n",
        [Wrong("stack.yaml:3:15", "'asn' cannot be 0", "from 1 to 4294967295")],
    ),
    "a text for a resource": (
        HEAD + "aws.vpc:\n  home: 10.20.0.0/16\n",
        [Wrong("stack.yaml:3:9", "aws.vpc.home expects a map, found a string")],
    ),
    "a list for a kind": (HEAD + "aws.vpc: [home]\n", [Wrong("stack.yaml:2:10", "aws.vpc expects a map")]),
    "a list for a spec": ("- a\n- b\n", [Wrong("stack.yaml:1:1", "a spec is a map", "stack: NAME")]),
    "a required field is missing": (
        HEAD + "aws.vpc:\n  home: {tags: {a: b}}\n",
        [Wrong("stack.yaml:3:3", "needs the field 'cidr'", "add 'cidr'")],
    ),
    "a required field is null": (
        HEAD + "aws.vpc:\n  home: {cidr: null}\n",
        [Wrong("stack.yaml:3:3", "needs the field 'cidr'", "add 'cidr'")],
    ),
    "one of several is missing": (
        VPC + RULE % "{protocol: tcp, from_port: 22, to_port: 22}",
        [Wrong("stack.yaml:5:59", "'ingress' needs one of 'cidr', 'cidr6', 'group', 'prefix_list'")],
    ),
    "two that exclude each other": (
        VPC + RULE % "{protocol: tcp, from_port: 22, to_port: 22, cidr: 10.0.0.0/8, cidr6: '::/0'}",
        [Wrong("stack.yaml:5:128", "cannot have both 'cidr' and 'cidr6'", "one", "stack.yaml:5:109")],
    ),
    # Ranges.
    "no range": (VPC.replace("10.20.0.0/16", "10.20.0.0.0/16"), [Wrong("stack.yaml:3:16", "'10.20.0.0.0/16'")]),
    "an address for a range": (VPC.replace("/16", ""), [Wrong("stack.yaml:3:16", "such as 10.0.0.0/16")]),
    "too long a prefix": (VPC.replace("/16", "/33"), [Wrong("stack.yaml:3:16", "'10.20.0.0/33'")]),
    "host bits": (
        VPC.replace("10.20.0.0", "10.20.0.7"),
        [Wrong("stack.yaml:3:16", "'10.20.0.7/16'", "write 10.20.0.0/16")],
    ),
    "more than AWS takes": (VPC.replace("10.20.0.0/16", "10.0.0.0/8"), [Wrong("stack.yaml:3:16", "a /16 to a /28")]),
    "overlap of siblings": (
        SUBNET + "  b: {vpc: home, cidr: 10.20.8.0/24}\n",
        [Wrong("stack.yaml:6:24", "overlaps 10.20.0.0/20 of 'aws.subnet.a'", "10.20.16.0/24", "stack.yaml:5:24")],
    ),
    "outside of the parent": (
        SUBNET.replace("10.20.0.0/20", "10.30.0.0/20"),
        [Wrong("stack.yaml:5:24", "outside the ranges of 'aws.vpc.home'", "10.20.0.0/20", "stack.yaml:3:16")],
    ),
    "overlap with what is reserved": (
        VPC + "address_space: {reserved: {office: 10.20.4.0/24}}\n",
        [Wrong("stack.yaml:3:16", "reserved 'office'", "10.21.0.0/16", "stack.yaml:4:36")],
    ),
    # References.
    "a reference to nothing": (
        SUBNET.replace("vpc: home", "vpc: hmoe"),
        [Wrong("stack.yaml:5:12", "no aws.vpc 'hmoe'", "'home'")],
    ),
    "a reference to another kind": (
        SUBNET.replace("vpc: home", "vpc: aws.customer_gateway.office")
        + "aws.customer_gateway:\n  office: {address: 203.0.113.7}\n",
        [Wrong("stack.yaml:5:12", "is of kind 'aws.customer_gateway'", related="stack.yaml:7:3")],
    ),
    "an id of another kind": (
        SUBNET.replace("vpc: home", "vpc: subnet-0123456789abcdef0"),
        [Wrong("stack.yaml:5:12", "no aws.vpc 'subnet-0123456789abcdef0'")],
    ),
    "an expression over nothing": (
        SUBNET.replace("vpc: home", 'vpc: "${aws.vpc.hom.id}"'),
        [Wrong("stack.yaml:5:15", "'aws.vpc.hom'", "'aws.vpc.home'")],
    ),
    "an output that is none": (
        SUBNET.replace("vpc: home", 'vpc: "${aws.vpc.home.idd}"'),
        [Wrong("stack.yaml:5:15", "no attribute 'idd'", "'id'")],
    ),
    "an expression without an end": (
        SUBNET.replace("vpc: home", 'vpc: "${aws.vpc.home.id"'),
        [Wrong("stack.yaml:5:13", "never closed", "'}'")],
    ),
    "an unknown function": (
        VPC.replace("10.20.0.0/16", "\"${cidr_subnett('10.0.0.0/8', 8, 1)}\""),
        [Wrong("stack.yaml:3:19", "'cidr_subnett'", "'cidr_subnet'")],
    ),
    "an unknown variable": (
        VPC.replace("10.20.0.0/16", '"${var.rang}"') + "vars: {range: {type: string, default: 10.20.0.0/16}}\n",
        [Wrong("stack.yaml:3:19", "no variable 'rang'", "'range'")],
    ),
    "a cycle": (
        VPC + "aws.subnet:\n"
        "  a: {vpc: home, cidr: 10.20.0.0/20, depends_on: [aws.subnet.b]}\n"
        "  b: {vpc: home, cidr: 10.20.16.0/20, depends_on: [aws.subnet.a]}\n",
        [Wrong("stack.yaml:5:3", "'aws.subnet.a' needs 'aws.subnet.b' (stack.yaml:5:51)", "remove one")],
    ),
    "a resource that needs itself": (
        SUBNET.replace("/20}", "/20, depends_on: [aws.subnet.a]}"),
        [Wrong("stack.yaml:5:51", "cannot depend on itself")],
    ),
}


def digest_of(path):
    """Of a huge file its beginning and its size."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read(MIB)).hexdigest(), path.stat().st_size


def tree(folder):
    """{path: digest} of everything under a folder."""
    return {
        str(path.relative_to(folder)): digest_of(path) if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if not path.is_fifo() and os.access(path, os.R_OK)
    }


def check_spec(stack, wanted, wrapper=(), most_bytes=200 * MIB, within_s=10):
    """Every command that reads the spec says just this, and leaves the folder as it was."""
    stack.environment["AWS_ENDPOINT_URL"] = "sim:world"
    before = tree(stack.folder)
    for arguments in (["validate"], ["plan"], ["apply", "--yes"], ["destroy", "--yes"]):
        result = measured(stack, *arguments, "--output", "json", wrapper=wrapper)
        assert result.status == ERROR, result
        check_errors(errors_of(json.loads(result.out)), wanted)
        assert result.peak_bytes < most_bytes and result.seconds < within_s, (result.peak_bytes, result.seconds)
    assert tree(stack.folder) == before


@pytest.mark.parametrize("text, wanted", SPECS.values(), ids=SPECS)
def test_spec(stack, text, wanted):
    stack.write("stack.yaml", text)
    check_spec(stack, wanted)


def test_every_error_in_one_run(stack):
    """Over several files, each at its place, in order of files and lines."""
    stack.write("a.yaml", HEAD + "aws.vpc:\n  home: {cidr: 10.20.0.7/16, dns_suport: true}\n  away: {cidr: 7}\n")
    stack.write("b.yaml", "aws.subnet:\n  a: {vpc: hmoe, cidr: 10.20.0.0/20}\n  b: {cidr: 10.20.0.0/20}\n")
    stack.write("c.yaml", "aws.vcp: {}\nstack: demo\n")
    check_spec(
        stack,
        [
            Wrong("a.yaml:3:16", "has bits set"),
            Wrong("a.yaml:3:30", "no field 'dns_suport'"),
            Wrong("a.yaml:4:16", "found a whole number"),
            Wrong("b.yaml:2:12", "no aws.vpc 'hmoe'"),
            Wrong("b.yaml:3:3", "needs the field 'vpc'"),
            Wrong("c.yaml:1:1", "'aws.vcp'"),
            Wrong("c.yaml:2:8", "'stack' is given twice", related="a.yaml:1:8"),
        ],
    )


def test_a_file_that_breaks_off_hides_no_error_of_another(stack):
    """Only what may stand in the part that could not be read is not said to be missing."""
    stack.write("a.yaml", HEAD + "aws.vpc:\n  home: {cidr: 10.20.0.0/16}\n\tb: {}\n")
    stack.write("b.yaml", "aws.subnet:\n  a: {vpc: b, cidr: 7}\n")
    check_spec(
        stack,
        [
            Wrong("a.yaml:4:1", "tab"),
            Wrong("b.yaml:2:21", "found a whole number"),
        ],
    )


def test_an_address_in_two_files(stack):
    stack.write("a.yaml", VPC)
    stack.write("b.yaml", VPC.replace(HEAD, ""))
    check_spec(stack, [Wrong("b.yaml:2:3", "'aws.vpc.home'", related="a.yaml:3:3")])


def test_ten_thousand_errors_take_no_ten_thousand_lines(stack):
    stack.write("stack.yaml", HEAD + "aws.vpc:\n" + "".join(f"  v{number}: {{cidrr: 1}}\n" for number in range(10000)))
    result = measured(stack, "validate")
    assert result.status == ERROR and result.seconds < 10 and result.peak_bytes < 300 * MIB
    assert re.search(r"and \d+ more", result.err), result.err[-500:]
    assert result.err.count("error:") == 1000


def sparse(folder):
    with open(folder / "stack.yaml", "wb") as file:
        file.write(VPC.encode())
        file.truncate(1024 * MIB)


def unreadable(folder):
    (folder / "stack.yaml").write_text(VPC)
    (folder / "stack.yaml").chmod(0)


def a_folder(folder):
    (folder / "stack.yaml").mkdir()


def a_pipe(folder):
    os.mkfifo(folder / "stack.yaml")


def a_broken_link(folder):
    (folder / "stack.yaml").symlink_to("nowhere.yaml")


def a_link_to_itself(folder):
    (folder / "stack.yaml").symlink_to("stack.yaml")


FILES = {
    "1 GB": (sparse, [Wrong(None, "stack.yaml")]),
    "unreadable": (unreadable, [Wrong(None, "stack.yaml")]),
    "a folder": (a_folder, [Wrong(None, "stack.yaml")]),
    "a pipe": (a_pipe, [Wrong(None, "stack.yaml")]),
    "a broken link": (a_broken_link, [Wrong(None, "stack.yaml")]),
    "a link to itself": (a_link_to_itself, [Wrong(None, "stack.yaml")]),
    "nothing": (lambda folder: None, [Wrong(None, "there is no spec in '.'", "stack.yaml")]),
    "no file of YAML": (lambda folder: (folder / "notes.txt").write_text("x"), [Wrong(None, "no spec", "stack.yaml")]),
}


@pytest.mark.parametrize("make, wanted", FILES.values(), ids=FILES)
def test_spec_file(stack, make, wanted):
    make(stack.folder)
    check_spec(stack, wanted, wrapper=POWERLESS)


def test_no_such_folder(stack):
    for command in ("validate", "plan"):
        result = stack.run(command, "-C", "nowhere", "--output", "json", status=ERROR)
        check_errors(errors_of(result.json), [Wrong(None, "nowhere")])


# What answers at the other end.

WORKING = {"aws.vpc": {"home": {"cidr": "10.20.0.0/16"}}}


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

ANSWERS = {
    "half an answer": (lambda head: [answer(200, XML, length=len(XML) + 100)], "", None),
    "an answer that stops in the middle": (lambda head: [answer(200, XML)], "cannot be read", None),
    "no answer at all": (lambda head: [], "", None),
    "no HTTP": (lambda head: [b"SSH-2.0-OpenSSH_9.2\r\n"], "", None),
    "HTML": (lambda head: [answer(200, HTML, "text/html")], "web page", None),
    "HTML with an error": (lambda head: [answer(403, HTML, "text/html")], "403", None),
    "HTTP 500 for ever": (lambda head: [answer(500, b"oops", "text/plain")], "500", None),
    "HTTP 503 for ever": (lambda head: [answer(503, b"")], "503", None),
    "a redirect": (lambda head: [answer("302 Found\r\nLocation: http://127.0.0.1:1/", b"")], "302", None),
    "10 GB announced": (lambda head: [answer(200, b"<a>", length=10 * 1024 * MIB)], "too large", None),
    "10 GB sent": (lambda head: endless(), "too large", None),
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
    """One error that says what was tried and what came of it; nothing is recorded."""
    result = measured(stack, "apply", "--yes", "--output", "json", **settings)
    assert result.status == status, result
    [error] = errors_of(json.loads(result.out))
    for fragment in fragments:
        assert fragment in error["message"] + " " + error.get("cause", ""), error
    assert result.seconds < within_s and result.peak_bytes < most_bytes, (result.seconds, result.peak_bytes)
    assert ids_of(stack) == {}
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


def self_signed(folder):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "nobody")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def test_tls_that_nobody_vouches_for(stack, wire, tmp_path):
    stack.write("stack.yaml", spec_text(WORKING))
    server = wire(lambda head: [answer(200, XML)], tls=self_signed(tmp_path))
    check_call_error(stack, "GetCallerIdentity", "certificate", AWS_ENDPOINT_URL=server.address)
    assert server.requests == 0


def test_tls_asked_of_a_plain_server(stack, wire):
    stack.write("stack.yaml", spec_text(WORKING))
    server = wire(lambda head: [answer(400, b"")])
    check_call_error(stack, "GetCallerIdentity", AWS_ENDPOINT_URL=server.address.replace("http:", "https:"))


def test_refused_connection(stack):
    stack.write("stack.yaml", spec_text(WORKING))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    check_call_error(stack, "GetCallerIdentity", "refused", AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")


def test_unknown_host(stack):
    stack.write("stack.yaml", spec_text(WORKING))
    check_call_error(stack, "GetCallerIdentity", "nowhere.invalid", AWS_ENDPOINT_URL="http://nowhere.invalid")


PAGE = """<DescribeVpcsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>\
<vpcSet>%s</vpcSet><nextToken>%s</nextToken></DescribeVpcsResponse>"""
ITEM = "<item><vpcId>vpc-%08x</vpcId><cidrBlock>10.9.0.0/16</cidrBlock><state>available</state></item>"
ENDLESS = {
    "one token for ever": (lambda number: PAGE % (ITEM % number, "again"), "the token of an earlier page", 10),
    "tokens in a circle": (lambda number: PAGE % (ITEM % number, number % 5), "the token of an earlier page", 30),
    "empty pages for ever": (lambda number: PAGE % ("", number), "1,000 empty pages", 1010),
}


@pytest.mark.parametrize("page, fragment, most", ENDLESS.values(), ids=ENDLESS)
def test_a_listing_without_an_end(stack, moto, page, fragment, most):
    """It is given up, and what it would have told is unread: neither there nor gone."""
    proxy = Proxy(moto.address)
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    stack.write("stack.yaml", spec_text({"aws.vpc": {"home": {"cidr": "10.0.0.0/16"}}}))
    apply(stack)
    numbers = itertools.count(1)
    proxy.answer = lambda fields: page(next(numbers)).encode() if fields["Action"] == "DescribeVpcs" else None
    planned = plan(stack, status=3)
    assert planned.operations() == {"aws.vpc.home": "unread"}
    assert fragment in json.dumps(planned.data["unread"]), planned
    assert next(numbers) <= most
    proxy.stop()


@pytest.mark.parametrize("endpoint", ["nonsense", "ftp://127.0.0.1/", "http://", "http://127.0.0.1:99999", "file:///etc/passwd"])
def test_no_endpoint(stack, endpoint):
    stack.write("stack.yaml", spec_text(WORKING))
    error = check_call_error(stack, AWS_ENDPOINT_URL=endpoint)
    assert endpoint in json.dumps(error), error


def test_no_region(stack):
    stack.write("stack.yaml", spec_text(WORKING))
    result = stack.run("plan", "--output", "json", status=ERROR, AWS_REGION=None, AWS_ENDPOINT_URL="sim:world")
    check_errors(errors_of(result.json), [Wrong(None, "provider 'aws' has no region", "AWS_REGION")])


def test_no_credentials(stack):
    stack.write("stack.yaml", spec_text(WORKING))
    settings = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}
    result = stack.run("plan", "--output", "json", status=ERROR, **settings)
    check_errors(errors_of(result.json), [Wrong(None, "no AWS credentials", "AWS_ACCESS_KEY_ID")])


@pytest.fixture
def cloud(stack):
    cloud = SimulatedCloud(stack)
    yield cloud
    cloud.close()


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


FAULTS = {
    "denied": ("deny", "UnauthorizedOperation", "CreateVpc"),
    "unknown to the endpoint": ("unsupported", "CreateVpc", "does not know"),
    "answered with HTML": ("html", "web page", "outcome is unknown"),
    "answered with errors for ever": ("error", "InternalError", None),
}


@pytest.mark.parametrize("kind, fragment, hint", FAULTS.values(), ids=FAULTS)
def test_change(stack, cloud, kind, fragment, hint):
    """A change that cannot be made: one error, exit 1 as nothing was done, and the next run does it once it can."""
    stack.write("stack.yaml", spec_text(WORKING))
    fault = cloud.fault("CreateVpc", kind, count=0)
    result = measured(stack, "apply", "--yes", "--output", "json")
    assert result.status == ERROR and result.seconds < 10, result
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


# The files of state and plan.


@pytest.fixture
def applied(stack, cloud):
    """A stack with a VPC, and a subnet that is only in its spec."""
    stack.write("stack.yaml", spec_text(WORKING))
    apply(stack)
    stack.write("stack.yaml", spec_text({**WORKING, "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.0.0/20"}}}))
    return stack


def state_of(stack):
    return stack.folder / ".trueup/state.db"


def overwrite(stack, offset, data):
    with open(state_of(stack), "r+b") as file:
        file.seek(offset)
        file.write(data)


def execute(stack, *statements):
    with sqlite3.connect(state_of(stack)) as database:
        for statement in statements:
            database.execute(statement)
    database.close()


def halve(stack):
    size = state_of(stack).stat().st_size
    os.truncate(state_of(stack), size // 2 - 100)


STATES = {
    "no database": (lambda stack: state_of(stack).write_bytes(b"hello\n" * 1000), "state.db"),
    "zeroed": (lambda stack: state_of(stack).write_bytes(b"\0" * 65536), "state.db"),
    "truncated": (halve, "state.db"),
    "damaged pages": (lambda stack: overwrite(stack, 4096, b"\xa5" * (state_of(stack).stat().st_size - 4096)), "state.db"),
    "of a newer version": (lambda stack: execute(stack, "PRAGMA user_version = 9999"), "format 9999"),
    "of another program": (lambda stack: execute(stack, "PRAGMA application_id = 7"), "state.db"),
    "a folder": (lambda stack: (state_of(stack).unlink(), state_of(stack).mkdir()), "state.db"),
}


@pytest.mark.parametrize("damage, fragment", STATES.values(), ids=STATES)
def test_state(applied, cloud, damage, fragment):
    damage(applied)
    before, world = tree(applied.folder / ".trueup"), cloud.show()
    for arguments in (["plan"], ["apply", "--yes"], ["destroy", "--yes"], ["drift"], ["state", "list"]):
        result = measured(applied, *arguments, "--output", "json")
        assert result.status == ERROR and result.seconds < 10, result
        errors = errors_of(json.loads(result.out))
        assert len(errors) == 1 and fragment in errors[0]["message"] and errors[0].get("hint"), errors
    # Not a byte of what may still be saved, and nothing at the other end.
    after = tree(applied.folder / ".trueup")
    assert {name: after[name] for name in before} == before
    assert cloud.show() == world


def test_state_of_another_stack(applied, cloud):
    applied.write("stack.yaml", spec_text(WORKING, stack="another"))
    world = cloud.show()
    for arguments in (["plan"], ["apply", "--yes"], ["destroy", "--yes"]):
        result = applied.run(*arguments, "--output", "json", status=ERROR)
        [error] = errors_of(result.json)
        assert "conformance" in error["message"] and "another" in error["message"] and error["hint"], error
    assert cloud.show() == world


@pytest.mark.parametrize("what", ["file", "folder"])
def test_state_that_is_read_only(applied, cloud, what):
    state, world = state_of(applied), cloud.show()
    state.chmod(0o400)
    if what == "folder":
        state.parent.chmod(0o500)
    try:
        result = measured(applied, "apply", "--yes", "--output", "json", wrapper=POWERLESS)
        assert result.status == ERROR, result
        [error] = errors_of(json.loads(result.out))
        assert "state.db" in error["message"] or ".trueup" in error["message"], error
        # What only reads goes on.
        assert measured(applied, "state", "list", wrapper=POWERLESS).status == 0
    finally:
        state.parent.chmod(0o700)
        state.chmod(0o600)
    assert cloud.show() == world


def test_state_that_another_run_holds(applied, cloud):
    waiting, gone_on = threading.Event(), threading.Event()

    def at(number, action, executed):
        if action == "CreateSubnet" and not executed:
            waiting.set()
            gone_on.wait(60)
        return False

    proxy = Proxy(cloud.address(), at)
    # The record knows the cloud by its address, so this is a stack of its own.
    holder = Stack(applied.folder.parent / "holder")
    holder.folder.mkdir()
    holder.environment.update(applied.environment, AWS_ENDPOINT_URL=proxy.address)
    holder.write("stack.yaml", (applied.folder / "stack.yaml").read_text().replace("10.20.", "10.40."))
    first = holder.start("apply", "--yes")
    proxy.victim = first
    assert waiting.wait(60)
    try:
        made = tree(holder.folder / ".trueup")
        for arguments in (["apply", "--yes"], ["destroy", "--yes"]):
            result = measured(holder, *arguments, "--output", "json", AWS_ENDPOINT_URL=cloud.address())
            assert result.status in (ERROR, LEASE), result
        result = measured(holder, "apply", "--yes", "--output", "json")
        assert result.status == LEASE and result.seconds < 30, result
        [error] = errors_of(json.loads(result.out))
        assert str(first.pid) in error["message"] + error.get("hint", "") and "apply" in error["message"], error
        assert made.keys() == tree(holder.folder / ".trueup").keys()
        # Looking is free.
        assert measured(holder, "state", "list").status == 0
    finally:
        gone_on.set()
        first.communicate(timeout=60)
        proxy.stop()
    assert first.returncode == 0
    assert set(ids_of(holder)) == {"aws.vpc.home", "aws.subnet.a"}


def test_state_that_another_program_locks(applied, cloud):
    world = cloud.show()
    database = sqlite3.connect(state_of(applied), isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    try:
        result = measured(applied, "apply", "--yes", "--output", "json")
    finally:
        database.rollback()
        database.close()
    assert result.status in (ERROR, LEASE) and result.seconds < 40, result
    [error] = errors_of(json.loads(result.out))
    assert "lock" in error["message"] + error.get("cause", ""), error
    assert cloud.show() == world
    apply(applied)


def mounts():
    """How a small file system of one's own is had here, or None."""
    for words in (["unshare", "-m"], ["unshare", "-rm"]):
        done = subprocess.run(
            [*words, "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "/mnt"], capture_output=True, check=False
        )
        if done.returncode == 0:
            return words
    return None


# Copies the state onto a file system with so much room left, and runs the program there.
ON_A_FULL_DISK = """
set -e
cp -a .trueup "$1"
size=$(stat -c %s .trueup/state.db)
mount -t tmpfs -o size=$(((size + 4095) / 4096 * 4096 + $2)) tmpfs .trueup
cp -a "$1"/. .trueup/
shift 2
exec "$@"
"""


@pytest.mark.parametrize("room", [8192, 16384, 32768, 65536])
def test_state_on_a_full_disk(applied, cloud, tmp_path, room):
    """However far it comes: nothing is made that no record knows, and the record that was there stays whole."""
    words = mounts()
    if not words:
        pytest.skip("no mount namespaces here")
    wrapper = [*words, "bash", "-c", ON_A_FULL_DISK, "bash", str(tmp_path / "kept"), str(room)]
    vpcs = {f"v{number}": {"cidr": f"10.{number}.0.0/16", "tags": {"text": "x" * 200}} for number in range(50, 90)}
    applied.write("stack.yaml", spec_text({"aws.vpc": {**WORKING["aws.vpc"], **vpcs}}))
    result = measured(applied, "apply", "--yes", "--output", "json", wrapper=wrapper)
    assert result.status in (ERROR, PARTLY), result
    errors = errors_of(json.loads(result.out))
    assert len(errors) >= 1 and any("full" in each["message"] + each.get("cause", "") for each in errors), errors
    # The state under the mount is the old one: what a run without any memory of its own would find.
    assert set(ids_of(applied)) == {"aws.vpc.home"}


def test_new_state_on_a_full_disk(stack, cloud, tmp_path):
    words = mounts()
    if not words:
        pytest.skip("no mount namespaces here")
    stack.write("stack.yaml", spec_text(WORKING))
    (stack.folder / ".trueup").mkdir(mode=0o700)
    wrapper = [*words, "bash", "-c", 'mount -t tmpfs -o size=4k tmpfs .trueup && exec "$@"', "bash"]
    result = measured(stack, "apply", "--yes", "--output", "json", wrapper=wrapper)
    assert result.status == ERROR, result
    [error] = errors_of(json.loads(result.out))
    assert "full" in error["message"] + error.get("cause", ""), error
    assert "10.20.0.0/16" not in json.dumps(cloud.show())


def edit(text):
    document = json.loads(text)
    document["actions"][0]["desired"]["cidr"] = "10.20.16.0/20"
    return json.dumps(document).encode()


def edit_digestless(text):
    document = json.loads(text)
    document["actions"][0]["address"] = "aws.subnet.b"
    return json.dumps(document).encode()


PLANS = {
    "edited": (edit, None),
    "another address": (edit_digestless, None),
    "truncated": (lambda text: text[: len(text) // 2], None),
    "empty": (lambda text: b"", None),
    "of another version": (lambda text: text.replace(b'"schema":"1.0"', b'"schema":"9.0"'), "version"),
    "of another document": (lambda text: b'{"schema":"1.0","document":"shopping list"}', None),
    "no JSON": (lambda text: b"\x7fELF" + text, None),
    "nested without an end": (lambda text: b'{"actions":' + b"[" * 100000, None),
    "with a hostile address": (lambda text: text.replace(b"aws.subnet.a", b"aws.subnet.\\u0000"), None),
}


@pytest.mark.parametrize("damage, fragment", PLANS.values(), ids=PLANS)
def test_plan_file(applied, cloud, damage, fragment):
    applied.run("plan", "--out", "p.plan")
    path = applied.folder / "p.plan"
    text = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_bytes(damage(text))
    assert path.read_bytes() != text
    world = cloud.show()
    result = measured(applied, "apply", "p.plan", "--output", "json")
    assert result.status in (ERROR, REFUSED) and result.seconds < 10, result
    [error] = errors_of(json.loads(result.out))
    assert fragment is None or fragment in error["message"], error
    assert error.get("hint"), error
    assert cloud.show() == world
    # The plan as it was made still is good.
    path.write_bytes(text)
    applied.run("apply", "p.plan")
    plan_is_empty(applied)


def test_plan_file_that_is_not_there(applied):
    result = applied.run("apply", "nowhere.plan", "--output", "json", status=ERROR)
    check_errors(errors_of(result.json), [Wrong(None, "nowhere.plan")])


def test_plan_file_of_another_stack(applied, cloud, make_stack):
    applied.run("plan", "--out", "p.plan")
    other = make_stack("other")
    other.environment.update(applied.environment)
    shutil.copy(applied.folder / "world", other.folder / "world")
    other.write("stack.yaml", spec_text({"aws.vpc": {"home": {"cidr": "10.50.0.0/16"}}}))
    apply(other)
    shutil.copy(applied.folder / "p.plan", other.folder / "p.plan")
    recorded = ids_of(other)
    result = other.run("apply", "p.plan", "--output", "json", status=REFUSED)
    [error] = errors_of(result.json)
    assert "another" in error["message"] and error["hint"], error
    assert ids_of(other) == recorded


def test_plan_file_that_is_stale(applied, cloud):
    applied.run("plan", "--out", "p.plan")
    apply(applied)
    world = cloud.show()
    result = applied.run("apply", "p.plan", "--output", "json", status=REFUSED)
    [error] = errors_of(result.json)
    assert "aws.subnet.a" in error["message"] and "plan again" in error["hint"], error
    assert cloud.show() == world


def test_a_plan_outlives_changes_elsewhere(applied, cloud):
    """Only what the plan is about makes it stale."""
    applied.run("plan", "--out", "p.plan")
    cloud.client().create_vpc(CidrBlock="172.16.0.0/16")
    applied.run("apply", "p.plan")
    plan_is_empty(applied)
