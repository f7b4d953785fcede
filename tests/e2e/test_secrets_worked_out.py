"""What an expression makes of a secret and of an output is as secret as what it makes of the secret alone."""

import pytest

from cli import edit, simulate, world

SPEC = """\
stack: made
vars:
  word: {type: string, secret: true, default: Zebra-Hunter7q}
aws.vpc:
  home: {cidr: 10.0.0.0/16, tags: {plain: x}}
"""
MADE = '${upper(join("-", [var.word, split("-", aws.vpc.%s.id)[0]]))}'
VALUE = "ZEBRA-HUNTER7Q-VPC"


@pytest.fixture
def home(stack):
    simulate(stack)
    stack.write("stack.yaml", SPEC)
    stack.run("apply", "--yes")
    return stack


def add_foreign_group(stack):
    [vpc] = world(stack, "vpc")
    stack.run("sim", "add", "security-group", f"groupName={VALUE}", f"vpcId={vpc}", "groupDescription=foreign")


def check_hidden(stack, *results):
    said = "".join(each.out + each.err for each in results)
    files = b"".join(path.read_bytes() for path in (stack.folder / ".trueup").rglob("*") if path.is_file())
    assert "ZEBRA" not in said.upper() and b"ZEBRA" not in files.upper(), said
    return said


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("other", ["", "network: {cidr: 10.1.0.0/16}\n"], ids=["known", "known only when it was made"])
def test_service_that_echoes_it(home, other, output):
    """While it is applied, by a plan that was saved, too, and while it is destroyed."""
    add_foreign_group(home)
    if other:
        home.write("other.yaml", "aws.vpc: {" + other.strip() + "}\n")
    name = MADE % ("network" if other else "home")
    home.write("group.yaml", f"aws.security_group:\n  g: {{vpc: home, description: d, name: '{name}'}}\n")
    results = [home.run("plan", "--out", "p.plan", "--output", output)]
    assert b"ZEBRA" not in (home.folder / "p.plan").read_bytes().upper()
    spec = {path.name: path.read_text() for path in home.folder.glob("*.yaml")}
    for name in spec:
        (home.folder / name).unlink()
    results.append(home.run("apply", "p.plan", "--output", output, status=7 if other else 1))
    for name, text in spec.items():
        home.write(name, text)
    results.append(home.run("apply", "--yes", "--output", output, status=1))
    results.append(home.run("state", "history", "--output", output))
    said = check_hidden(home, *results)
    assert said.count("The security group '(secret)' already exists") >= 2


@pytest.mark.parametrize("output", ["text", "json"])
def test_error_of_our_own(home, output):
    """Two that would have one name, of which one is there; each says it otherwise, so that no spec alone tells."""
    same = '${upper(join("-", [var.word, "vpc"]))}'
    home.write("group.yaml", f"aws.security_group:\n  g: {{vpc: home, description: d, name: '{MADE % 'home'}'}}\n")
    home.run("apply", "--yes")
    edit(home, "  g:", f"  h: {{vpc: home, description: d, name: '{same}'}}\n  g:", "group.yaml")
    said = check_hidden(home, home.run("plan", "--output", output, status=1))
    assert "'aws.security_group.h' cannot have '(secret)' as its 'name'" in said


@pytest.mark.parametrize("output", ["text", "json"])
def test_what_others_show_of_it(home, output):
    """Drift in a field that no spec says it in."""
    home.write("other.yaml", f"aws.vpc:\n  other: {{cidr: 10.1.0.0/16, tags: {{it: '{MADE % 'home'}'}}}}\n")
    home.run("apply", "--yes")
    for vpc in world(home, "vpc"):
        home.run("sim", "change", "vpc", vpc, f"tags.plain=see {VALUE}", f"tags.more={VALUE}")
    results = [home.run("drift", "--output", output, status=2), home.run("plan", "--output", output)]
    assert "see secret~" in check_hidden(home, *results)
