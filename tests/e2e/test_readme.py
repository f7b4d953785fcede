"""What the README says to type works as it stands there; its spec is one, and so is that of docs/spec.md."""

import fnmatch
import json
import re
import shutil
import subprocess

import jsonschema
import pytest
import yaml

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


@pytest.fixture
def spec_page(root):
    return (root / "docs" / "spec.md").read_text()


def test_the_example_of_the_page_of_specs(readme, spec_page, stack):
    schema = jsonschema.Draft7Validator(json.loads(stack.run("schema").out))
    for file in blocks(spec_page, "yaml"):
        schema.validate(yaml.safe_load(file))
        stack.write(re.match(r"# (\S+\.yaml)\n", file)[1], file)
    stack.environment |= {"TRUEUP_VAR_office_key": "swordfish7", "BMC_PASSWORD": "calvin"}
    stack.environment |= {"AWS_ENDPOINT_URL": "sim:world", "AWS_ACCESS_KEY_ID": "sim", "AWS_SECRET_ACCESS_KEY": "sim"}
    assert stack.run("validate").out == "research-west: 9 resources in 2 files, no errors\n"
    machine = "bmc-07.example", "serial=J3R7K42", "user=root", "password=calvin"
    stack.run("sim", "world", "add", "machine", *machine)
    stack.run("apply", "--yes")
    assert "nothing to do" in stack.run("plan").out
    assert set(stack.run("output", "--output", "json").json["outputs"]) == {"vpc", "subnets"}
    # What lies beside the spec by then is not put under version control.
    ignored = re.search(r"(?ms)^# \.gitignore\n(.*?)^```", readme)[1]
    patterns = [line.strip("/") for line in ignored.splitlines()]
    beside = {path.name for path in stack.folder.iterdir()} - {"network.yaml", "nodes.yaml", ".config"}
    assert {"nodes.pem", "world", ".trueup"} <= beside
    assert all(any(fnmatch.fnmatch(name, pattern) for pattern in patterns) for name in beside), beside
    # What it says of lifecycle and max_delete is so.
    nodes, network = ((stack.folder / name).read_text() for name in ("nodes.yaml", "network.yaml"))
    stack.write("nodes.yaml", nodes.replace("desired: 2", "desired: 4"))
    assert "nothing to do" in stack.run("plan").out
    assert "'aws.vpc.main' is protected" in stack.run("plan", "--destroy", status=1).err
    stack.write("network.yaml", network.replace("protect: true", "protect: false"))
    stack.run("apply", "--yes")
    assert "8, and 3 are allowed" in stack.run("plan", "--destroy", status=6).err
    stack.write("network.yaml", network.replace("10.21.", "10.22."))
    actions = {action["address"]: action for action in stack.run("plan", "--output", "json").json["actions"]}
    assert actions["aws.vpc.mirror"]["operation"] == "replace" and actions["aws.vpc.mirror"]["create_before_destroy"]


def test_the_page_of_specs_has_all(spec_page, stack):
    schema = json.loads(stack.run("schema").out)["properties"]
    told = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", re.sub(r"(?ms)^```.*?^```$", "", spec_page)))))
    resource = schema["aws.key_pair"]["additionalProperties"]["properties"]
    variable = schema["vars"]["additionalProperties"]["properties"]
    wanted = {name for name in schema if "." not in name} | {"provider", "depends_on", "lifecycle", "secret_to"}
    wanted |= set(resource["lifecycle"]["else"]["properties"]) | set(schema["settings"]["properties"])
    wanted |= set(schema["address_space"]["else"]["properties"]) | set(variable) | set(variable["type"]["enum"])
    assert wanted <= told, wanted - told


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
