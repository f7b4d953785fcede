"""An empty text, a zero and an empty list in every optional field of every kind: refused, or settled by one apply.

Modules elsewhere often give a field "" or 0 where nothing is meant; AWS keeps nothing there, and shows nothing.
"""

import copy

import pytest

from conftest import Stack
from test_conformance import META_FIELDS, SAMPLES, kinds_of
from trueup_runner import Ref, SimulatedCloud, apply, plan, spec_text

EMPTY = {"string": "", "integer": 0, "number": 0, "array": [], "object": {}}


def plain(schema):
    """The schema of a value that is no expression."""
    return schema.get("else", schema)


def type_of(schema):
    """Beside null, which is as if the field were not there."""
    kind = schema.get("type")
    return next(one for one in kind if one != "null") if isinstance(kind, list) else kind


def optional_within(schema, path=()):
    """(path, empty value) for every optional member, at any depth; an item of a list is its first."""
    for name, member in schema["properties"].items():
        member, here = plain(member), (*path, name)
        kind = type_of(member)
        if name not in schema.get("required", []) and kind in EMPTY:
            yield here, EMPTY[kind]
        if kind == "array":
            member, here = plain(member["items"]), (*here, 0)
        if "properties" in member:
            yield from optional_within(member, here)


def specs_of(sample):
    """Fields of the resource as the sample has them anywhere."""
    tables = [sample.in_place, sample.replaces, sample.unset, sample.unset_members]
    yield sample.values
    for table in tables:
        for change in table.values():
            together = {**sample.values, **change.given}
            yield {name: value for name, value in together.items() if value is not None}
    yield from sample.further.values()


def parent_of(fields, path):
    for step in path[:-1]:
        if isinstance(fields, dict) and step not in fields:
            return None
        if isinstance(fields, list) and not fields:
            return None
        fields = fields[step]
    return fields


def numbered(value, number):
    """The same with other names, so that many may stand side by side."""
    if isinstance(value, Ref):
        return type(value)(f"{value}-{number}")
    if isinstance(value, dict):
        return {key: numbered(each, number) for key, each in value.items()}
    if isinstance(value, list):
        return [numbered(each, number) for each in value]
    return value


def named(fields, number):
    """What must not exist twice differs too."""
    fields = numbered(fields, number)
    if "name" in fields:
        fields["name"] = f"{fields['name']}-{number}"
    if "asn" in fields and "address" in fields:
        fields["address"] = f"198.51.{fields['address'].rpartition('.')[2]}.{number}"
    return fields


def variants_of(sample, schema):
    """[(path, fields as the sample has them, the same with the empty value)]."""
    apart = {*META_FIELDS, *sample.untried}
    schema = {**schema, "properties": {name: each for name, each in schema["properties"].items() if name not in apart}}
    specs = list(specs_of(sample))
    variants, missing = [], []
    for path, empty in optional_within(schema):
        having = [fields for fields in specs if parent_of(fields, path) is not None]
        if not having:
            missing.append(".".join(map(str, path)))
            continue
        full = [fields for fields in having if path[-1] in parent_of(fields, path)]
        before = (full or having)[0]
        after = copy.deepcopy(before)
        parent_of(after, path)[path[-1]] = empty
        variants.append((".".join(map(str, path)), before, after))
    return variants, missing


class Side:
    """Many resources of one kind in one stack, each with what it needs."""

    def __init__(self, stack, sample):
        self.stack, self.sample = stack, sample
        SimulatedCloud(stack)

    def write(self, given):
        """given: {number: fields}."""
        resources = {self.sample.kind: {}}
        for number, fields in given.items():
            for kind, others in self.sample.needs.items():
                mine = {f"{name}-{number}": named(each, number) for name, each in others.items()}
                resources.setdefault(kind, {}).update(mine)
            resources[self.sample.kind][f"main-{number}"] = named(fields, number)
        self.stack.write("stack.yaml", spec_text(resources))

    def refused(self):
        """{number: messages} of what validate does not take."""
        found = {}
        for each in self.stack.run("validate", "--output", "json", status=None).json["diagnostics"]:
            if each["severity"] == "error":
                found.setdefault(int(each["address"].rsplit("-", 1)[1]), []).append(each["message"])
        return found


@pytest.fixture
def variants(request, tmp_path):
    sample = SAMPLES[request.param]
    stack = Stack(tmp_path / "stack")
    stack.folder.mkdir()
    side = Side(stack, sample)
    found, missing = variants_of(sample, kinds_of(stack)[request.param])
    assert found and missing == []
    side.write({number: after for number, (_, _, after) in enumerate(found)})
    refused = side.refused()
    taken = {number: each for number, each in enumerate(found) if number not in refused}
    return side, taken


def settles(side, given):
    """One apply, and nothing is left to be done."""
    side.write({number: fields for number, (_, fields) in given.items()})
    applied = apply(side.stack, status=None)
    left = plan(side.stack)
    said = {int(address.rsplit("-", 1)[1]): action.changes for address, action in left.actions.items()}
    assert {given[number][0]: changes for number, changes in said.items()} == {}
    assert applied.status == 0, applied


@pytest.mark.parametrize("variants", SAMPLES, indirect=True)
def test_made_with_empty_values(variants):
    side, taken = variants
    settles(side, {number: (path, after) for number, (path, _, after) in taken.items()})


@pytest.mark.parametrize("variants", SAMPLES, indirect=True)
def test_changed_to_empty_values(variants):
    side, taken = variants
    settles(side, {number: (path, before) for number, (path, before, _) in taken.items()})
    settles(side, {number: (path, after) for number, (path, _, after) in taken.items()})
