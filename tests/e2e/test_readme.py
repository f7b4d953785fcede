"""What the README says to type works as it stands there, and its spec is one."""

import re
import shutil
import subprocess

import pytest

from conftest import BINARY, clean_environment


@pytest.fixture(scope="module")
def readme(root):
    return (root / "README.md").read_text()


def blocks(readme, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)


def test_what_is_to_be_typed_works(root, readme, tmp_path):
    [commands] = blocks(readme, "sh")
    # The program is built already, and the tests have a folder of their own.
    lines = [line.replace("/tmp/try", "try") for line in commands.splitlines() if not line.startswith("make")]
    assert len(lines) == len(commands.splitlines()) - 1
    shutil.copytree(root / "examples", tmp_path / "examples")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "trueup").symlink_to(BINARY)
    environment = clean_environment(HOME=tmp_path)
    done = subprocess.run(
        ["bash", "-ec", "\n".join(lines)],
        cwd=tmp_path,
        env={**environment, "PATH": f"{tmp_path}/bin:{environment['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for said in "apply exactly this:  trueup apply first.plan", "nothing to do", '"subnet', "applied: ":
        assert said in done.stdout, done.stdout


def test_the_spec_is_one(readme, stack):
    [spec] = blocks(readme, "yaml")
    stack.write("network.yaml", spec)
    assert stack.run("validate").out == "research-west: 4 resources in 1 file, no errors\n"


def test_the_page_of_expressions_has_every_function(root, stack):
    page = (root / "docs" / "expressions.md").read_text()
    told = {f"{call}: {gives}" for call, gives in re.findall(r"^\| `(\w+\(.*?\))` \| (.*) \|$", page, re.MULTILINE)}
    stack.write("s.yaml", 'stack: s\noutputs: {a: "${zzz(1)}"}\n')
    [one] = stack.run("validate", "--output", "json", status=1).json["diagnostics"]
    names = one["hint"].removeprefix("there are ").split(", ")
    lines = [f'  a{i}: "${{{name}()}}"\n' for i, name in enumerate(names)]
    stack.write("s.yaml", "stack: s\noutputs:\n" + "".join(lines))
    found = stack.run("validate", "--output", "json", status=1).json["diagnostics"]
    assert {each["hint"] for each in found} == told and len(found) == len(names)


def test_what_the_page_of_expressions_says_of_variables(stack):
    stack.write(
        "s.yaml",
        "stack: s\n"
        "vars:\n  env: {type: string, default: prod}\n  zones: {type: list}\n"
        "  sizes: {type: map, default: {prod: 3}}\n"
        "outputs:\n"
        "  a: '${var.env == \"prod\" ? 3 : 1}'\n"
        '  b: "${[var.zones[0], var.sizes[var.env], var.sizes.prod, 1 + 2 * 3]}"\n'
        "  c: '${{name: \"x\"}}'\n"
        "  d: 'a $${b} ${1 < 2 && !false}'\n",
    )
    stack.environment["TRUEUP_VAR_zones"] = '["a", "b"]'
    stack.environment["AWS_ENDPOINT_URL"] = "sim:world"
    stack.run("plan")
    found = stack.run("output", "--output", "json").json["outputs"]
    assert found == {"a": 3, "b": ["a", 3, 3, 7], "c": {"name": "x"}, "d": "a ${b} true"}
