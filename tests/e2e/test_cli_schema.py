"""`trueup schema`: it takes what the loader takes, and tells what is wrong in words."""

import json

import jsonschema
import pytest
import yaml

from cli import TINY


def test_schema_takes_what_the_loader_takes(stack, root):
    schema = json.loads(stack.run("schema").out)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    validator.validate(yaml.safe_load(TINY))
    for example in sorted(root.glob("examples/*/*.yaml")):
        validator.validate(yaml.safe_load(example.read_text()))


@pytest.mark.parametrize(
    "old, new",
    [
        ("cidr: 10.0.1.0/24", "cidr: 10.0.1.0/24, zonne: x"),
        ("cidr: 10.0.1.0/24", "zone: x"),
        ("aws.subnet:", "aws.subnett:"),
        ("team: red", "team: [red]"),
        ("region: eu-central-1", "regoin: eu-central-1"),
    ],
)
def test_schema_refuses_what_the_loader_refuses(stack, old, new):
    assert old in TINY
    validator = jsonschema.Draft7Validator(json.loads(stack.run("schema").out))
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(yaml.safe_load(TINY.replace(old, new)))
    stack.write("tiny.yaml", TINY.replace(old, new))
    stack.run("validate", status=1)


SCHEMA_WORDS = {
    "field of a resource": ("cidr: 10.0.1.0/24", "cidr: 10.0.1.0/24, zonne: x", ["aws.subnet", "a"], "'zonne' was"),
    "field that is missing": ("vpc: main, cidr: 10.0.1.0", "cidr: 10.0.1.0", ["aws.subnet", "a"], "'vpc' is a required"),
    "field of a provider": ("region: eu-central-1", "regoin: x", ["providers", "aws"], "'regoin' "),
    "type": ("team: red", "team: [red]", ["aws.vpc", "main", "tags", "team"], "['red'] is not of type 'string'"),
    "form": ("tags: {team: red}", "dhcp_options: x", ["aws.vpc", "main", "dhcp_options"], "'x' does not match"),
    "type of a variable": ("aws.vpc:", "vars: {m: {type: strin}}\naws.vpc:", ["vars", "m", "type"], "'strin' is not one of"),
    "word of a variable": ("aws.vpc:", "vars: {m: {defautl: 1}}\naws.vpc:", ["vars", "m"], "'defautl' was unexpected"),
    "setting": ("aws.vpc:", "settings: {max_delet: 1}\naws.vpc:", ["settings"], "'max_delet' was unexpected"),
    "type of a setting": ("aws.vpc:", "settings: {max_delete: x}\naws.vpc:", ["settings", "max_delete"], "'x' is not of type"),
    "part of the address space": ("aws.vpc:", "address_space: {reservd: {}}\naws.vpc:", ["address_space"], "'reservd' was"),
    "range of it": (
        "aws.vpc:",
        "address_space: {reserved: {office: 10}}\naws.vpc:",
        ["address_space", "reserved", "office"],
        "10 is not of type",
    ),
    "name of an output": ("  vpc: \"", "  a vpc: \"", ["outputs"], "'a vpc' does not match"),
    "choice": ("team: red}", "team: red}, tenancy: mine", ["aws.vpc", "main", "tenancy"], "'mine' is not one of"),
}


@pytest.mark.parametrize("old, new, path, word", SCHEMA_WORDS.values(), ids=SCHEMA_WORDS)
def test_schema_tells_what_is_wrong(stack, old, new, path, word):
    """Where it is, and in words of its own, not that none of some forms fits; an expression may stand there."""
    assert old in TINY
    validator = jsonschema.Draft7Validator(json.loads(stack.run("schema").out))
    (error,) = validator.iter_errors(yaml.safe_load(TINY.replace(old, new)))
    assert list(error.absolute_path) == path and word in error.message
    validator.validate(yaml.safe_load(TINY.replace("tags: {team: red}", "tags: '${x}', tenancy: '${x}'")))


def test_schema_takes_sections(stack):
    """Whatever the loader takes of them, expressions and empty ones among it, and what is said twice over in a list."""
    validator = jsonschema.Draft7Validator(json.loads(stack.run("schema").out))
    sections = (
        "vars: {lan: {type: string, default: 192.168.0.0/24}, most: 3, parts: {default: {lab: 192.168.2.0/24}}}\n"
        "settings: {max_delete: '${var.most}'}\n"
        "address_space: {pools: {a: 100.64.0.0/16}, reserved: {b: ['${var.lan}', 'fd00:1::/48']}, networks: '${var.parts}'}\n"
        "outputs: {a: 1, _b-c: [x], d: {e: '${var.lan}'}}\n"
    )
    empty = "settings:\naddress_space: {pools: }\noutputs:\nvars:\nproviders:\naws.vpc:\n"
    for text in (sections, empty, "address_space:\nproviders: {aws: }\n"):
        validator.validate(yaml.safe_load("stack: tiny\n" + text))
        stack.write("tiny.yaml", "stack: tiny\n" + text)
        stack.run("validate")


def test_schema_takes_variables(stack):
    """What is no map is the default itself."""
    validator = jsonschema.Draft7Validator(json.loads(stack.run("schema").out))
    declared = "vars: {a: x, b: 1, c: [1], d: , e: {type: map, default: {k: v}, secret: true, about: what it is}}\n"
    validator.validate(yaml.safe_load(TINY + declared))
    stack.write("tiny.yaml", TINY + declared.replace("d: ,", ""))
    stack.run("validate")


def test_outputs_of_a_kind_are_told(stack):
    """In the schema with what they are, and where one is named that there is not."""
    instance = json.loads(stack.run("schema").out)["properties"]["aws.instance"]
    assert instance["outputs"]["address"] == "first private IPv4 address"
    assert instance["description"].endswith("; outputs: " + ", ".join(instance["outputs"]))
    stack.write("tiny.yaml", TINY.replace("${aws.vpc.main.id}", "${aws.subnet.a.private_ip}"))
    names = ", ".join(json.loads(stack.run("schema").out)["properties"]["aws.subnet"]["outputs"])
    error = stack.run("validate", status=1).err
    assert "'aws.subnet.a' has no 'private_ip'" in error and f"its outputs are: {names}" in error
