"""A variable that becomes a secret: what was recorded of it before, in clear, rests nowhere any more."""

import pytest

from cli import edit, recorded, simulate
from test_undo import runs, undo

# One is long enough to be searched for anywhere; the other is told by its place alone.
WORD, SHORT = "hunter2hunter2", "pq:7x"
HEAD = """\
stack: words
providers: {aws: {region: eu-central-1}}
vars: {word: {type: string}, short: {type: string}}
"""
SPEC = """\
aws.vpc:
  main: {cidr: 10.0.0.0/16, tags: {note: "is ${var.word}", short: "${var.short}"}}
  gone: {cidr: 10.1.0.0/16, tags: {note: "${var.word}"}}
  ignored: {cidr: 10.2.0.0/16, tags: {note: "${var.word}"}, lifecycle: {ignore: [tags]}}
aws.subnet:
  a: {vpc: main, cidr: 10.0.1.0/24, tags: {note: "${aws.vpc.main.id} ${var.word}"}}
aws.security_group:
  g:
    vpc: main
    name: groups
    description: "for ${var.word}"
    ingress: [{protocol: tcp, from_port: 22, to_port: 22, cidr: 10.0.0.0/8, description: "by ${var.word}"}]
aws.launch_template:
  t: {name: machines, image: ami-0123456789abcdef0, instance_type: t3.micro, user_data: "echo ${var.word}"}
"""
SAYS = '"is ${var.word}"'


@pytest.fixture
def stack_of_words(stack):
    simulate(stack, "../world")
    stack.environment.update(TRUEUP_VAR_word=WORD, TRUEUP_VAR_short=SHORT)
    stack.write("stack.yaml", HEAD + SPEC)
    stack.run("apply", "--yes")
    return stack


def declare(stack):
    edit(stack, "{type: string}", "{type: string, secret: true}", "stack.yaml")


def replace(stack, old, new):
    edit(stack, old, new, "stack.yaml")


def where_told(stack):
    """The files of the stack, but its spec, that have either in clear."""
    words = (WORD.encode(), SHORT.encode())
    files = [path for path in stack.folder.rglob("*") if path.is_file() and path.name != "stack.yaml"]
    assert any(path.name == "state.db" for path in files)
    return [path.name for path in files if any(word in path.read_bytes() for word in words)]


def test_nothing_but_the_record_follows(stack_of_words):
    """A plan calls it neither a drift nor a change, and tells it nowhere; the apply makes fingerprints of it."""
    stack = stack_of_words
    assert where_told(stack) == ["state.db"]
    declare(stack)
    planned = stack.run("plan", "--out", "words.plan", "--output", "json").json
    assert {action["operation"] for action in planned["actions"]} == {"record"}
    assert {change["effect"] for action in planned["actions"] for change in action["changes"]} == {"record"}
    assert where_told(stack) == ["state.db"], "a plan that is only shown changes no record"
    stack.run("apply", "--yes")
    assert where_told(stack) == []
    assert stack.run("plan", "--output", "json").json["actions"] == []
    assert stack.run("plan", "--refresh=none", "--output", "json").json["actions"] == []
    stack.run("drift")


def change_all(stack):
    replace(stack, SAYS, '"was ${var.word}"')
    replace(stack, "for ${var.word}", "of ${var.word}")
    replace(stack, '  gone: {cidr: 10.1.0.0/16, tags: {note: "${var.word}"}}\n', "")


def test_what_the_run_finds(stack_of_words):
    """What it changes, replaces and deletes is kept as it was found: but for the secret."""
    stack = stack_of_words
    change_all(stack)
    declare(stack)
    assert "hunter2" not in stack.run("apply", "--yes").out
    assert where_told(stack) == []


def test_saved_plan_without_the_spec(stack_of_words, tmp_path):
    """It knows of secrets what it was made with. What it is not about waits for an apply with the spec."""
    stack = stack_of_words
    change_all(stack)
    declare(stack)
    stack.run("plan", "--out", "words.plan")
    (stack.folder / "stack.yaml").rename(tmp_path / "stack.yaml")
    stack.run("apply", "words.plan")
    assert where_told(stack) == ["state.db"]
    (tmp_path / "stack.yaml").rename(stack.folder / "stack.yaml")
    assert "nothing to do" in stack.run("apply", "--yes").out
    assert where_told(stack) == []


def test_run_that_fails(stack_of_words):
    """What it kept before it failed is none in clear either."""
    stack = stack_of_words
    change_all(stack)
    declare(stack)
    stack.run("sim", "fault", "DeleteVpc", "deny")
    stack.run("apply", "--yes", status=7)
    assert where_told(stack) == []


def test_earlier_runs(stack_of_words):
    """Nothing of the spec has it any more, and there is nothing to do: what earlier runs found is hidden all the same."""
    stack = stack_of_words
    stack.write("stack.yaml", HEAD + "aws.vpc: {main: {cidr: 10.0.0.0/16, tags: {note: other}}}\n")
    stack.run("apply", "--yes")
    declare(stack)
    state = stack.folder / ".trueup" / "state.db"
    assert WORD.encode() in state.read_bytes()
    assert "nothing to do" in stack.run("apply", "--yes").out
    assert WORD.encode() not in state.read_bytes()


def test_part_of_the_stack(stack_of_words):
    """An apply of one resource hides what is recorded of the others, and they differ in nothing then."""
    stack = stack_of_words
    declare(stack)
    stack.run("apply", "--yes", "--target", "aws.vpc.main")
    assert where_told(stack) == []
    assert "nothing to do" in stack.run("plan").out


def test_word_that_the_spec_has_in_clear(stack_of_words):
    """What the spec says itself is no secret there, whatever a variable holds."""
    stack = stack_of_words
    replace(stack, SAYS, f'"is {WORD}"')
    stack.run("apply", "--yes")
    declare(stack)
    stack.run("apply", "--yes")
    assert "nothing to do" in stack.run("plan").out
    assert WORD in stack.run("state", "show", "aws.vpc.main", "--output", "json", TRUEUP_VAR_word="other").out


def test_undone(stack_of_words):
    """What a run of before did goes back to what the spec still has; it is no secret only there."""
    stack = stack_of_words
    change_all(stack)
    stack.run("apply", "--yes")
    changed = runs(stack)[0]["id"]
    declare(stack)
    stack.run("undo", changed, "--out", "back.plan")
    assert where_told(stack) == ["state.db"]
    document = undo(stack, changed, "--yes")
    assert {action["address"] for action in document["actions"]} >= {"aws.vpc.main", "aws.vpc.gone", "aws.security_group.g"}
    assert where_told(stack) == []
    assert "aws.vpc.gone" in recorded(stack)
    stack.write("stack.yaml", HEAD.replace("string}", "string, secret: true}") + SPEC)
    assert stack.run("plan", "--output", "json").json["actions"] == []
