"""Secrets in the lines of a spec that are shown with an error, however they are written."""

import re

import pytest


@pytest.mark.parametrize(
    "declared",
    [
        pytest.param("here: {secret: true, default: HunTer2word}", id="declared twice"),
        pytest.param("word: {secret: true, type: integer, default: HunTer2word}", id="of another type"),
        pytest.param("word: {secret: yes, default: HunTer2word}", id="no boolean"),
        pytest.param("word: {secret: true, default: HunTer2word, oops: 1}", id="an unknown member"),
        pytest.param("'a b': {secret: true, default: HunTer2word}", id="no name"),
        pytest.param("word: {secret: true, default: one-more-word, default: HunTer2word}", id="a second default"),
        pytest.param("word: {secret: false, default: HunTer2word, secret: true}", id="no secret and a secret"),
        pytest.param("word: {secret: true, default: HunTer2word, more: [}", id="before what is no YAML"),
        pytest.param("word: {a: 1, a: {b: [{secret: true, default: HunTer2word}]}}", id="deep in what is given twice"),
        pytest.param("word: 1\n  word: {secret: true, default: HunTer2word}", id="a second variable of that name"),
    ],
)
def test_default_is_hidden_whatever_is_wrong_with_it(stack, declared):
    """The line that is shown has it."""
    stack.write("stack.yaml", f"stack: secrets\nproviders: {{aws: {{region: eu-central-1}}}}\nvars:\n  {declared}\n")
    stack.write("more.yaml", "vars:\n  here: 1\n")
    result = stack.run("validate", status=1)
    assert re.search("stack.yaml:[45]:", result.err)
    assert "HunTer2word" not in result.out + result.err


@pytest.mark.parametrize(
    "tunnel",
    [
        pytest.param("pre_shared_key: HunTer2word, pre_shared_key: another_1", id="the first"),
        pytest.param("pre_shared_key: another_1, pre_shared_key: HunTer2word", id="the second"),
        pytest.param("inside_cidr: 169.254.10.0/30, inside_cidr: {pre_shared_key: HunTer2word}", id="where it makes no sense"),
    ],
)
def test_secret_field_that_is_given_twice(stack, tunnel):
    connection = f"aws.vpn_connection: {{c: {{customer_gateway: cgw-0123456789abcdef0, tunnels: [{{{tunnel}}}]}}}}\n"
    stack.write("stack.yaml", "stack: secrets\nproviders: {aws: {region: eu-central-1}}\n" + connection)
    result = stack.run("validate", status=1)
    assert "is given twice" in result.err and "(secret)" in result.err
    assert "HunTer2word" not in result.out + result.err


WRITTEN = {
    "an expression that fails": ('"HunTer2word${var.nope}"', "HunTer2"),
    "an expression over a known value": ('"HunTer2word${var.here}"', "HunTer2"),
    "a text within an expression": ("'${upper(\"HunTer2word\", 2)}'", "HunTer2|HUNTER2"),
    "single quotes": ("'it''s a HunTer2word'", "HunTer2"),
    "escapes": ('"first\\"half\\x4ffHunTer2"', "half|HunTer2"),
    "a number": ("0x1234567", "1234567|19088743"),
    "a number that nobody can read": ("01234567", "1234567"),
    "a tag": ("!!int HunTer2word", "HunTer2"),
    "two lines": ('"HunTer2word\n          HunTer2other"', "HunTer2"),
}


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("written, words", WRITTEN.values(), ids=WRITTEN)
def test_secret_that_is_written_otherwise_than_it_reads(stack, written, words, output):
    """The line that is shown with an error has it as it is written."""
    default = "another-one" if "${" in written else written
    stack.write(
        "stack.yaml",
        "stack: secrets\nproviders: {aws: {region: eu-central-1}}\n"
        "vars:\n  here: {default: plain}\n"
        f"  word: {{default: {default}, secret: true, oops: 1}}\n"
        "aws.vpn_connection:\n  c:\n    customer_gateway: cgw-0123456789abcdef0\n    tunnels:\n"
        f"      - {{pre_shared_key: {written}, nonsense: 1}}\n",
    )
    result = stack.run("validate", "--output", output, status=1)
    assert not re.search(words, result.out + result.err), result.err
    for wrong in "nonsense", "oops":
        line, mark = re.search(rf"'{wrong}'.*\n.*-->.*\n(.*)\n(.*)\n", result.err).groups()
        assert line[mark.index("^") :].startswith(wrong) and "(secret)" in line, result.err


MISPLACED = {
    "a reference": "aws.subnet: {a: {vpc: %s, cidr: 10.0.0.0/24}}",
    "a provider": "aws.vpc: {a: {cidr: 10.0.0.0/16, provider: %s}}",
    "an alias of a provider": "aws.vpc: {a: {cidr: 10.0.0.0/16, provider: 'aws.%s'}}",
    "a field to ignore": "aws.vpc: {a: {cidr: 10.0.0.0/16, lifecycle: {ignore: [%s]}}}",
    "what is depended on": "aws.vpc: {a: {cidr: 10.0.0.0/16, depends_on: [%s]}}",
    "no list": "aws.vpc: {a: {cidr: 10.0.0.0/16, depends_on: %s}}",
    "a range": "aws.vpc: {a: {cidr: %s}}",
    "a controller": "metal.machine: {a: {controller: %s}}",
    "a MAC address": "metal.machine: {a: {controller: https://10.0.0.5, interfaces: [{mac: %s}]}}",
}


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("size", [8, 200])
@pytest.mark.parametrize("spec", MISPLACED.values(), ids=MISPLACED)
def test_secret_where_it_makes_no_sense(stack, spec, size, output):
    """A message shows only the beginning of what is long, and that is no secret any more that is searched for."""
    secret = ("HunTer2word" * 20)[:size]
    given = "${var.word}" if "'" in spec else '"${var.word}"'
    stack.write(
        "stack.yaml",
        "stack: secrets\nproviders: {aws: {region: eu-central-1}, metal: {}}\nvars: {word: {secret: true}}\n"
        f"{spec % given}\n",
    )
    result = stack.run("validate", "--output", output, status=1, TRUEUP_VAR_word=secret)
    assert "HunTer" not in result.out + result.err, result.err


UNREAD = {
    "quotes without an end": '{pre_shared_key: "HunTer2word',
    "an escape that is none": r'{pre_shared_key: "HunTer2\qword", nonsense: 1}',
    "quotes within": '{pre_shared_key: "HunTer2"word", nonsense: 1}',
    "quotes within, on a line of its own": 'pre_shared_key:\n          "HunTer2"word',
    "a colon within": "pre_shared_key: HunTer2: word",
    "what no text begins with": "pre_shared_key: @HunTer2word",
    "an alias of nothing": "pre_shared_key: *HunTer2word",
    "a tag that is none": "pre_shared_key: !HunTer2word",
    "behind a mistake": "{inside_cidr: x y: z, pre_shared_key: HunTer2word}",
    "lines of it": "pre_shared_key:\n          - HunTer2word\n          - @HunTer2word",
    "no text": '{pre_shared_key: "HunTer2\udcffword"}',
}


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("tunnel", UNREAD.values(), ids=UNREAD)
def test_secret_in_what_could_not_be_read(stack, tunnel, output):
    """It is known by the name in front of it."""
    (stack.folder / "stack.yaml").write_bytes(
        "stack: secrets\nproviders: {aws: {region: eu-central-1}}\naws.vpn_connection:\n  c:\n"
        f"    customer_gateway: cgw-0123456789abcdef0\n    tunnels:\n      - {tunnel}\n"
        "".encode("utf-8", "surrogateescape")
    )
    result = stack.run("validate", "--output", output, status=1)
    assert not re.search("HunTer2|word", result.out + result.err), result.err
    assert "(secret)" in result.err, result.err


def test_what_could_not_be_read_is_shown(stack):
    stack.write("stack.yaml", "stack: s\nvars: {word: {default: 1}}\naws.vpc:\n  a: {cidr: [}\n")
    assert "4 |   a: {cidr: [}" in stack.run("validate", status=1).err


def test_names_in_a_secret_are_shown(stack):
    """Where a field has nothing else, a slip in them is easier found so."""
    stack.write(
        "stack.yaml",
        "stack: secrets\nproviders: {aws: {region: eu-central-1}}\naws.vpn_connection:\n"
        '  c: {customer_gateway: cgw-0123456789abcdef0, tunnels: [{pre_shared_key: "${var.nope}"}]}\n',
    )
    assert 'pre_shared_key: "${var.nope}"' in stack.run("validate", status=1).err


def test_what_is_no_secret_is_shown_where_it_is_given_twice(stack):
    stack.write("stack.yaml", "stack: s\nvars:\n  here: {default: a-place, default: another-place}\n")
    assert "{default: a-place, default: another-place}" in stack.run("validate", status=1).err
QUOTED = {
    "a number that is refused": (
        "vars: {x: {type: integer, secret: true, default: 4711}}\naws.vpn_gateway: {g: {asn: '${var.x}'}}\n",
        "cannot be (secret): Amazon's side takes a private number",
        "4711",
    ),
    "the number that Amazon keeps": (
        "vars: {x: {type: integer, secret: true, default: 7224}}\n"
        "aws.customer_gateway: {g: {address: 203.0.113.9, asn: '${var.x}'}}\n",
        "cannot be (secret), which Amazon keeps for itself",
        "7224",
    ),
    "what would be right in place of it": (
        "vars: {x: {type: string, secret: true, default: 192.168.77.9/24}}\naws.vpc: {v: {cidr: '${var.x}'}}\n",
        "has bits set beyond its length",
        "192.168",
    ),
    "another spelling of it": (
        "vars: {x: {type: string, secret: true, default: '2001:0DB8:0077::/64'}}\n"
        "aws.vpc: {v: {cidr: 10.0.0.0/16, ipv6: true}}\naws.subnet:\n"
        "  a: {vpc: v, cidr: 10.0.1.0/24, ipv6_cidr: '${var.x}'}\n  b: {vpc: v, cidr: 10.0.2.0/24, ipv6_cidr: '${var.x}'}\n",
        "overlaps",
        "2001:",
    ),
}


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("spec, said, secret", QUOTED.values(), ids=QUOTED)
def test_error_that_is_about_it(stack, spec, said, secret, output):
    """Also where it is too short, or written too differently, to be struck out of the text."""
    stack.write("secret.yaml", spec.splitlines()[0] + "\n")
    stack.write("stack.yaml", "stack: s\nproviders: {aws: {region: eu-central-1}}\n" + "\n".join(spec.splitlines()[1:]) + "\n")
    result = stack.run("validate", "--output", output, status=1)
    assert said in result.out + result.err and secret not in result.out + result.err, result.err
