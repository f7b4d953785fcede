"""A word that is a secret in one place and none in another; and secrets that spec and record know nothing of."""

import shutil

import pytest

from cli import recorded, simulate, world

HEAD = """\
stack: words
providers: {aws: {region: eu-central-1}}
vars: {word: {type: string, secret: true}}
"""
ELSEWHERE = 'aws.vpc: {main: {cidr: 10.0.0.0/16}, other: {cidr: 10.9.0.0/16, tags: {note: "is ${var.word}"}}}\n'
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cEJHmzLkzGEpZgKTjEvMpgLRzYlTvbJSk7Zo0LLUd"
WAYS = """\
aws.vpn_gateway: {v: {vpc: main}}
aws.customer_gateway: {c: {address: 198.51.100.7, asn: 65010}}
aws.vpn_connection: {c: {customer_gateway: c, vpn_gateway: v, static_routes_only: true, TAGS ROUTES}}
"""
ROUTES = "routes: [192.168.0.0/16]"
RULES = """\
aws.security_group: {g: {vpc: main, name: gg, description: d, egress: [], TAGS ingress: [
  {protocol: tcp, from_port: 22, to_port: 22, cidr: 192.168.0.0/16}]}}
aws.internet_gateway: {i: {vpc: main}}
aws.route_table: {r: {vpc: main, TAGS routes: [{destination: 192.168.0.0/16, internet_gateway: i}]}}
"""
GROUP = """\
aws.subnet: {a: {vpc: main, cidr: 10.0.1.0/24}}
aws.launch_template: {t: {name: other, image: ami-0123456789abcdef0, instance_type: t3.micro, block_devices: [
  {device: /dev/production, size_gib: 8}], tags: {note: "${var.word}"}}}
aws.autoscaling_group: {g: {name: web-production-1, launch_template: t, subnets: [a], min: 0, max: 3, tags: [
  {key: env, value: "${var.word}", propagate: true}, {key: production, value: "yes", propagate: true}]}}
"""
WORDS = [
    pytest.param("192.168.0.0/16", WAYS.replace("ROUTES", ROUTES), id="routes of a connection"),
    pytest.param("192.168.0.0/16", RULES, id="rules and routes of a table"),
    pytest.param("production", f'aws.key_pair: {{k: {{name: production, TAGS public_key: "{KEY}"}}}}\n', id="a key's comment"),
    pytest.param("production", GROUP, id="a name, keys of tags, and a device"),
]


@pytest.fixture
def words(stack):
    simulate(stack)
    return stack


def write(stack, word, spec, tags=""):
    stack.environment["TRUEUP_VAR_word"] = word
    stack.write("stack.yaml", HEAD + ELSEWHERE + spec.replace("TAGS", tags))


def assert_settled(stack):
    assert "nothing to do" in stack.run("plan", "--detailed-exitcode").out
    stack.run("drift")


@pytest.mark.parametrize("beside", ["", 'tags: {note: "is ${var.word}"},'], ids=["elsewhere", "beside it"])
@pytest.mark.parametrize("word, spec", WORDS)
def test_a_word_that_is_no_secret_where_it_stands(words, word, spec, beside):
    """Nothing is made anew or taken away for it, nor is it after a state that was lost."""
    write(words, word, spec, beside)
    words.run("apply", "--yes")
    assert_settled(words)
    ids = recorded(words)
    shutil.rmtree(words.folder / ".trueup")
    words.run("state", "rebuild", "--yes", status=(0, 7))
    words.run("apply", "--yes")
    assert recorded(words) == ids
    assert_settled(words)


def test_what_others_added_is_taken_into_the_spec(words):
    """It is what a secret of another resource is, and was recorded before the spec said it."""
    write(words, "192.168.0.0/16", WAYS.replace("ROUTES", ""))
    words.run("apply", "--yes")
    connection = recorded(words)["aws.vpn_connection.c"]
    route = '[{"destinationCidrBlock":"192.168.0.0/16","source":"Static","state":"available"}]'
    words.run("sim", "change", "vpn-connection", connection, f"routes={route}")
    words.run("apply", "--yes")
    write(words, "192.168.0.0/16", WAYS.replace("ROUTES", ROUTES))
    assert "already so, will be recorded" in words.run("plan").out
    words.run("apply", "--yes")
    assert world(words, "vpn-connection")[connection]["routes"][0]["state"] == "available"
    assert_settled(words)


SECRET = "FirstSecret42"
NETWORKS = """\
aws.vpc:
  other: {cidr: 10.9.0.0/16, tags: {note: "${var.word}"}}
  set: {cidr: 10.1.0.0/16, tags: {team: a}, dns_support: true}
  unset: {cidr: 10.2.0.0/16, dns_support: true}
  ignored: {cidr: 10.3.0.0/16, dns_support: true, tags: {a: b}, lifecycle: {ignore: [tags]}}
"""


@pytest.mark.parametrize("name", ["set", "unset", "ignored"])
def test_a_saved_plan_where_somebody_put_a_secret(words, name):
    """Whoever applies it knows of that secret by the plan alone: it is compared, hidden and recorded by that."""
    words.environment["TRUEUP_VAR_word"] = SECRET
    words.write("stack.yaml", HEAD + NETWORKS)
    words.run("apply", "--yes")
    words.run("sim", "change", "vpc", recorded(words)[f"aws.vpc.{name}"], f"tags.more=once {SECRET} x")
    lines = NETWORKS.splitlines(keepends=True)
    words.write("stack.yaml", HEAD + "".join(line.replace("support: true", f"support: {f'{name}:' not in line}".lower()) for line in lines))
    said = words.run("plan", "--out", "saved").out
    (words.folder / "stack.yaml").rename(words.folder / "stack.txt")
    said += words.run("apply", "saved").out
    (words.folder / "stack.txt").rename(words.folder / "stack.yaml")
    assert_settled(words)
    kept = b"".join(path.read_bytes() for path in [words.folder / "saved", *(words.folder / ".trueup").glob("state.db*")])
    assert SECRET not in said and SECRET.encode() not in kept


TEMPLATE = """\
aws.vpc: {main: {cidr: 10.0.0.0/16, tags: {all: "MARKED", part: "is MARKED"}}}
aws.launch_template: {t: {name: ttt, image: ami-0123456789abcdef0, instance_type: t3.micro, LIFECYCLE user_data: "is TEXT"}}
"""
PROTECTED = "lifecycle: {protect: true},"
IN_CLEAR = {
    "a reference": ("${aws.vpc.main.id}", "x", PROTECTED, True),
    "no secret any more, alone": ("${var.word}", "${var.word}", "", False),
    "no secret any more, with more": ("${var.word} ${aws.vpc.main.id}", "${var.word}", PROTECTED, False),
}


@pytest.mark.parametrize("saved", [pytest.param(True, id="saved"), pytest.param(False, id="at once")])
@pytest.mark.parametrize("text, marked, lifecycle, secret", IN_CLEAR.values(), ids=IN_CLEAR)
def test_what_is_said_in_clear_is_recorded_so(words, text, marked, lifecycle, secret, saved):
    """Also by a plan that calls nothing, of what AWS's model calls sensitive, or was a secret before."""
    words.environment["TRUEUP_VAR_word"] = SECRET
    spec = HEAD + TEMPLATE.replace("TEXT", text).replace("MARKED", marked)
    words.write("stack.yaml", spec.replace("LIFECYCLE", ""))
    words.run("apply", "--yes")
    spec = spec if secret else spec.replace("secret: true", "secret: false")
    words.write("stack.yaml", spec.replace("LIFECYCLE", lifecycle))
    assert "0 update" in words.run("plan", "--out", "saved").out
    words.run("apply", *(["saved"] if saved else ["--yes"]))
    assert "secret~" not in "".join(words.run("state", "show", each).out for each in ("aws.launch_template.t", "aws.vpc.main"))
    assert_settled(words)
    assert "nothing to do" in words.run("plan", "--refresh=none", "--detailed-exitcode").out


@pytest.mark.parametrize("there", [pytest.param(True, id="said by the spec"), pytest.param(False, id="no more in the spec")])
def test_a_rebuilt_state_keeps_no_secret(words, there):
    """Of what was read, nor of what is the object's own: a rule that somebody wrote into, also in another form."""
    group = """\
aws.security_group: {g: {vpc: main, name: g, description: d, egress: [], ingress: [
  {protocol: tcp, from_port: 22, to_port: 22, cidr: 10.0.0.0/8, description: "see it"}]}}
"""
    write(words, SECRET, group)
    words.run("apply", "--yes")
    for rule, body in world(words, "security-group-rule").items():
        if body.get("description") == "see it":
            words.run("sim", "change", "security-group-rule", rule, f"description=see {SECRET}")
    words.run("sim", "change", "vpc", recorded(words)["aws.vpc.main"], "tags.more=Rmlyc3RTZWNyZXQ0Mg==")
    write(words, SECRET, group if there else "")
    shutil.rmtree(words.folder / ".trueup")
    words.run("state", "rebuild", "--yes")
    words.run("plan")
    kept = (words.folder / ".trueup" / "state.db").read_bytes()
    assert SECRET.encode() not in kept and b"Rmlyc3RTZWNyZXQ0Mg" not in kept and b"see " in kept
