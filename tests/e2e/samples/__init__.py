"""A sample for every kind: what test_conformance.py needs to know to try the kind from its creation to its end.

One file a kind, found by itself; each sets SAMPLE. The values of a sample set every field that one resource can have
at once; `further` makes variants for fields that exclude each other. What is live is read by `read`, with boto3.
"""

import dataclasses
import importlib
import pathlib
import typing

# What becomes of a field that was set and no longer is, beside a value that it goes back to.
KEPT = "kept, and no longer managed"
REPLACED = "only a new object is without it"
CLEARED = None


@dataclasses.dataclass
class Change:
    """A field gets another value. Where `given` and `along` say None, the spec does not have the field."""

    to: object
    # What else the spec says before and after, where the field needs it.
    given: dict = dataclasses.field(default_factory=dict)
    # What else changes at the same time because of the field, as fields of the same plan.
    along: dict = dataclasses.field(default_factory=dict)
    # prepare(cloud, id): what must be done by hand first, because no field does it.
    prepare: typing.Callable = None
    # The way back is of the other sort: a new object after a change in place, in place after a new object.
    one_way: bool = False


@dataclasses.dataclass
class Unset:
    """A field is taken out of the spec: what it goes back to, or KEPT, REPLACED, CLEARED."""

    becomes: object
    given: dict = dataclasses.field(default_factory=dict)
    along: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Members:
    """A field is made as `first` and changed to `second`; then `unset` is taken out of that, all of it at once."""

    field: str
    first: object
    second: object
    # {path within the field, as "0.iops": what it goes back to, or KEPT, CLEARED}
    unset: dict = dataclasses.field(default_factory=dict)
    # What else the spec says, where the members need it.
    given: dict = dataclasses.field(default_factory=dict)
    # Members by which items are told apart: where one of these is another, so is the item.
    keys: tuple = ()
    # The change makes a new object.
    replaces: bool = False
    # Members that no service tells of.
    unreadable: tuple = ()


@dataclasses.dataclass
class Alike:
    """A field in other words than those in which the service tells it."""

    told: object
    written: object


@dataclasses.dataclass
class Sample:
    kind: str
    # {field: value}: the first spec. References are Ref("aws.vpc.main").
    values: dict
    # read(cloud, id) -> {field: value} as the service tells it, with ids for references; None: there is none.
    read: typing.Callable
    # remove(cloud, id): deletes it behind our back, with everything that holds it.
    remove: typing.Callable
    # The simulator's word for the kind.
    simulated: str
    # {kind: {name: fields}}: what it refers to.
    needs: dict = dataclasses.field(default_factory=dict)
    in_place: dict = dataclasses.field(default_factory=dict)
    replaces: dict = dataclasses.field(default_factory=dict)
    unset: dict = dataclasses.field(default_factory=dict)
    # {"tunnels.0.dpd_action": Unset}: a member within a field is taken out, and the rest of the field stays.
    unset_members: dict = dataclasses.field(default_factory=dict)
    # {name: Members}: many members of one field at once; test_conformance_members.py tries them.
    members: dict = dataclasses.field(default_factory=dict)
    # {field: read(cloud, id)}: tells more of it than `read`, for `members`.
    details: dict = dataclasses.field(default_factory=dict)
    # {"tunnels.*.inside_cidr6": reason}: cannot be tried; "unset PATH", "changed PATH": cannot be that.
    untried_members: dict = dataclasses.field(default_factory=dict)
    # {field: Alike}
    alike: dict = dataclasses.field(default_factory=dict)
    # {field: reason}: cannot be read with boto3 on any server.
    unreadable: dict = dataclasses.field(default_factory=dict)
    # {field: reason}: moto does not take it, forgets it, or misstates it; such fields are left out there.
    not_on_moto: dict = dataclasses.field(default_factory=dict)
    # {field: reason}: moto takes it when the resource is made, and forgets to change it.
    fixed_on_moto: dict = dataclasses.field(default_factory=dict)
    # {field: reason}: moto drops it when the resource is made, and takes it once that is there.
    later_on_moto: dict = dataclasses.field(default_factory=dict)
    # Where moto keeps what it is given as it is, some fields stand for all; None: all of them.
    on_moto: tuple = None
    # Reasons why moto cannot do the kind ("everything"), or a step of it ("life", "change", "unset", "replace",
    # "removal"), at all, a step for one field ("unset name"), or one of `further`, by its name.
    moto_lacks: dict = dataclasses.field(default_factory=dict)
    # Tuples of names of `members` that are tried at the same time, in one resource.
    together: tuple = ()
    # The first of those that are tried on moto too, where each takes seconds; and {name: reason}: there alone.
    members_on_moto: tuple = ()
    only_on_moto: dict = dataclasses.field(default_factory=dict)
    # {field: reason}: cannot be tried at all.
    untried: dict = dataclasses.field(default_factory=dict)
    # {name: {field: value}}: other first specs, each made, planned empty and destroyed.
    further: dict = dataclasses.field(default_factory=dict)
    # made(cloud) -> {what stands in `members` for it: its id}: what those that are only on moto need.
    made: typing.Callable = None
    # beforehand(cloud): makes on moto what the resource needs and no kind makes; the simulator needs nothing of that.
    beforehand: typing.Callable = None

    def fields(self, cloud):
        """Names of the fields that the resource can be made with on this cloud."""
        return [name for name in self.values if cloud != "moto" or name not in {**self.not_on_moto, **self.later_on_moto}]


def picked(answer, paths):
    """{field: what stands at its path}; a dict of paths reaches into an object, of which nothing set is None.

    A path is "A.B"; a tuple ("A.B", "C") gives C of each item in a list, ("A", {...}) each item as an object.
    """
    found = {}
    for field, path in paths.items():
        found[field] = _one(answer, path)
    return found


def _one(answer, path):
    if isinstance(path, dict):
        inner = {name: value for name, value in picked(answer, path).items() if value is not None}
        return inner or None
    if isinstance(path, tuple):
        items = _one(answer, path[0])
        if items is None:
            return None
        each = (_one(item, path[1]) for item in items)
        return [one for one in each if one is not None]
    for step in path.split("."):
        if answer is None:
            return None
        answer = answer[int(step)] if step.isdigit() and isinstance(answer, list) else answer.get(step)
    return answer


def _load():
    samples = {}
    for path in sorted(pathlib.Path(__file__).parent.glob("aws_*.py")):
        sample = importlib.import_module(f"samples.{path.stem}").SAMPLE
        samples[sample.kind] = sample
    return samples


def all_samples():
    """{kind: Sample}."""
    return _load()
