"""What is wrong in a spec is told once, clearly, with its place and what to do, and nothing is changed by it."""

import json
import os
import re

import pytest

from bad_input import ERROR, MIB, Wrong, check_errors, tree
from trueup_runner import POWERLESS, errors_of, measured

HEAD = "stack: demo\n"
VPC = HEAD + "aws.vpc:\n  home: {cidr: 10.20.0.0/16}\n"
SUBNET = VPC + "aws.subnet:\n  a: {vpc: home, cidr: 10.20.0.0/20}\n"


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
        [Wrong("stack.yaml:2:73", "levels deep", "less deep")],
    ),
    "10,000 maps": (nested(10000, "{a: ", "}", "1"), [Wrong("stack.yaml:2:262", "levels deep", "less deep")]),
    "10,000 indents": (
        HEAD + "aws.vpc:\n" + "".join(" " * (level + 1) + "a:\n" for level in range(10000)),
        [Wrong("stack.yaml:66:65", "levels deep", "less deep")],
    ),
    "a million brackets without an end": (
        HEAD + "aws.vpc: " + "[" * 1000000,
        [Wrong("stack.yaml:2:73", "levels deep")],
    ),
    "invalid UTF-8": (VPC.encode() + b"# \xff\xfe\n", [Wrong("stack.yaml:4:3", "0xff is not UTF-8", "as UTF-8")]),
    "overlong UTF-8": (VPC.encode() + b"# \xc0\xaf\n", [Wrong("stack.yaml:4:3", "0xc0 is not UTF-8", "as UTF-8")]),
    "UTF-16": (VPC.encode("utf-16"), [Wrong("stack.yaml:1:1", "0xff is not UTF-8", "as UTF-8")]),
    "NUL bytes": (VPC.encode() + b"# a\0b\0\n", [Wrong("stack.yaml:4:4", "NUL", "damaged"), Wrong("stack.yaml:4:6", "NUL", "damaged")]),
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
    "fields that neither a group nor its overrides have": (
        HEAD + "aws.autoscaling_group:\n  g:\n    {name: g, min: 0, max: 1, subnets: [subnet-0a1b2c3d], sunbets: [], mixed_instances:\n"
        "    {launch_template: lt-0a1b2c3d, foo: 1, overrides: [\n"
        "    {instance_type: a, bar: 1},\n    {instance_type: b, bar: 1}]}}\n",
        [
            Wrong("stack.yaml:4:59", "no field 'sunbets'", "'subnets'"),
            Wrong("stack.yaml:5:36", "no field 'foo'"),
            Wrong("stack.yaml:6:24", "no field 'bar'"),
            Wrong("stack.yaml:7:24", "no field 'bar'"),
        ],
    ),
    "a provider whose name is too short to be near to any": (
        VPC + "providers: {aw: {region: eu-west-1}}\n",
        [Wrong("stack.yaml:4:13", "no provider 'aw'", "there are: aws, metal")],
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
    "y for true": (
        HEAD + "aws.vpc:\n  home: {cidr: 10.20.0.0/16, dns_support: y}\n",
        [Wrong("stack.yaml:3:43", "found a string", "write true or false: 'y' is text")],
    ),
    "a number for a template's version": (
        HEAD + "aws.autoscaling_group:\n  g: {name: g, min: 0, max: 0, launch_template: lt-0123456789abcdef0, "
        "launch_template_version: 1, subnets: [subnet-0123456789abcdef0]}\n",
        [Wrong("stack.yaml:3:96", "found a whole number", "put it in quotes")],
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
        [Wrong("stack.yaml:3:15", "'asn' cannot be 0", "from 1 to 4294967294")],
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
    "a reference to another kind, of a name that an unknown kind has too": (
        SUBNET.replace("vpc: home", "vpc: aws.customer_gateway.office")
        + "aws.customer_gateway:\n  office: {address: 203.0.113.7}\naws.foo:\n  office: {}\n",
        [
            Wrong("stack.yaml:5:12", "is of kind 'aws.customer_gateway'", related="stack.yaml:7:3"),
            Wrong("stack.yaml:8:1", "'aws.foo'", "'trueup schema'"),
        ],
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
        [Wrong("stack.yaml:5:15", "'aws.vpc.home' has no 'idd'", "'id'? Its outputs are: id, ")],
    ),
    "an expression without an end": (
        SUBNET.replace("vpc: home", 'vpc: "${aws.vpc.home.id"'),
        [Wrong("stack.yaml:5:13", "never closed", "'}'")],
    ),
    "an expression as a key": (
        VPC.replace("/16}", "/16, tags: {'${lower(var.k)}': a, '$${k}': b}}") + "vars: {k: {default: K}}\n",
        [Wrong("stack.yaml:3:37", "'${lower(var.k)}' is a key, in which nothing is evaluated", "'$${'")],
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


@pytest.mark.parametrize(
    "rest, lines",
    [
        pytest.param("aws.subnet:\n\tz: {}\n", [3, 5], id="a section behind it"),
        pytest.param("\tz: {}\n", [3, 4], id="a tab behind it"),
        pytest.param(" z: {}\n", [3, 4], id="one that stands apart"),
        pytest.param("  b:\n    cidr: 10.1.0.7/16\naws.subnet:\n\tz: {}\n", [3, 5, 7], id="a section behind a block"),
        # Behind these, what breaks off may have been meant as a part of the block.
        pytest.param("  b:\n    tags: {a: b}\n   cidr: 10.1.0.0/16\n", [3, 6], id="a block that breaks off"),
        pytest.param("  b:\n    tags: {a: b}\n\tcidr: 10.1.0.0/16\n", [3, 6], id="a tab in a block"),
    ],
)
def test_what_stands_complete_before_a_break_is_checked(stack, rest, lines):
    stack.write("stack.yaml", HEAD + "aws.vpc:\n  a: {cidr: 10.0.0.7/16}\n" + rest)
    told = errors_of(stack.run("validate", "--output", "json", status=1).json)
    assert [each["line"] for each in told] == lines, told


def test_ranges_that_several_files_reserve(stack):
    stack.write("a.yaml", HEAD + "address_space: {reserved: {office: 10.20.4.0/24}}\n")
    stack.write("b.yaml", "address_space: {reserved: {lab: 10.99.0.0/16}}\n")
    stack.write("c.yaml", "aws.vpc: {home: {cidr: 10.20.0.0/16}, away: {cidr: 10.99.0.0/16}}\n")
    told = [each["message"] for each in stack.run("validate", "--output", "json", status=1).json["diagnostics"]]
    assert len(told) == 2 and "'office'" in told[0] + told[1] and "'lab'" in told[0] + told[1], told


def test_an_address_in_two_files(stack):
    stack.write("a.yaml", VPC)
    stack.write("b.yaml", VPC.replace(HEAD, ""))
    check_spec(stack, [Wrong("b.yaml:2:3", "'aws.vpc.home'", related="a.yaml:3:3")])


def test_ten_thousand_errors_take_no_ten_thousand_lines(stack):
    stack.write("stack.yaml", HEAD + "aws.vpc:\n" + "".join(f"  v{number}: {{cidrr: 1}}\n" for number in range(10000)))
    result = measured(stack, "validate")
    assert result.status == ERROR and result.seconds < 10 and result.peak_bytes < 300 * MIB
    assert re.search(r"^and 9000 more$", result.err, re.MULTILINE), result.err[-500:]
    assert result.err.count("error:") == 1000
    document = stack.run("validate", "--output", "json", status=ERROR).json
    assert len(document["diagnostics"]) == 1000 and document["diagnostics_left_out"] == 9000


def test_a_chain_of_values_ends(stack):
    """Each is the one before in a list: as deep as the chain is long, and together as large as its square."""
    link = '  m{}: {{cidr: 10.0.0.0/16, tags: {{a: "${{[aws.vpc.m{}.tags.a]}}"}}}}\n'
    chain = "".join(link.format(number, number - 1) for number in range(1, 3000))
    stack.write("stack.yaml", HEAD + "aws.vpc:\n  m0: {cidr: 10.0.0.0/16, tags: {a: x}}\n" + chain)
    result = measured(stack, "validate", "--output", "json")
    told = errors_of(json.loads(result.out))
    assert result.status == ERROR and result.peak_bytes < 100 * MIB, result.peak_bytes
    # What refers to that one is not judged any more.
    assert all("found a list" in each["message"] for each in told[:-1]) and len(told) == 65, told
    check_errors(told[-1:], [Wrong("stack.yaml:68:38", "deeper than 64 levels", "what is needed of it alone")])


def test_values_of_parts_that_are_shared_end(stack):
    """A few kilobytes of expressions that come to three gigabytes."""
    texts = "vars: {texts: {type: list, default: [&text " + "x" * 300000 + ", *text" * 99 + "]}}\n"
    outputs = 'outputs: {o: "${[' + ", ".join(["var.texts"] * 100) + ']}", p: "${var.texts}"}\n'
    stack.write("stack.yaml", HEAD + texts + outputs)
    check_spec(stack, [Wrong("stack.yaml:3:14", "more than 2000 MB", "divide the stack")], most_bytes=100 * MIB)


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


KEYS = {
    "tags": 'aws.vpc: {v: {cidr: 10.0.0.0/16, tags: "${merge(var.m, var.m)}"}}',
    "metadata": 'aws.launch_template: {t: {name: t, metadata: "${var.m}"}}',
}


@pytest.mark.parametrize("name, spec", KEYS.items(), ids=KEYS)
def test_no_secret_among_keys(stack, name, spec):
    """Those of a map are recorded and shown as they are."""
    stack.write("stack.yaml", f"stack: s\nvars: {{m: {{type: map, secret: true}}}}\n{spec}\n")
    told = stack.run("validate", "--var", 'm={"x": "y", "SecretKeyName1": "z"}', status=1).err
    assert re.search(f"'{name}' (cannot have secret keys|is given a field .* not shown)", told) and "SecretKey" not in told
