"""`trueup undo RUN` where a field that no spec had set was seen to name what is gone by now, or lies elsewhere."""

import json

import pytest

from cli import simulate, world
from test_undo import apply_spec, is_as_in, operations, undo

M = "aws.instance.m"


def spec(network=1, subnet=1, ipv6=None, tags=None, **machine):
    """A machine in a network of its own; ipv6: the number of its subnet's range in Amazon's."""
    groups = {name: {"vpc": "v", "name": name, "description": "d"} for name in "gh"}
    net = {"stack": "net", "providers": {"aws": {"region": "us-west-2"}}, "aws.security_group": groups}
    net["aws.vpc"] = {"v": {"cidr": f"10.{network}.0.0/16", **({"tags": tags} if tags else {})}}
    net["aws.subnet"] = {"a": {"vpc": "v", "cidr": f"10.{network}.{subnet}.0/24"}}
    if ipv6 is not None:
        net["aws.vpc"]["v"]["ipv6"] = True
        net["aws.subnet"]["a"]["ipv6_cidr"] = "${cidr_subnet(aws.vpc.v.ipv6_cidr, 8, %d)}" % ipv6
        net["aws.subnet"]["a"]["assign_ipv6_on_creation"] = True
    net["aws.instance"] = {"m": {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro", "subnet": "a", **machine}}
    return json.dumps(net, indent=1)


def seen(stack):
    """What the machine's groups are called, and its IPv6 addresses."""
    [machine] = [each for each in world(stack, "instance").values() if each["instanceState"]["name"] == "running"]
    groups = sorted(world(stack, "security-group")[each["groupId"]]["groupName"] for each in machine["groupSet"])
    return groups, [each["ipv6Address"] for each in machine.get("ipv6AddressesSet", [])]


GIVEN = {"security_groups": ["g"]}
ADDRESS = {"ipv6": 0, "addresses6": ["${cidr_host(aws.subnet.a.ipv6_cidr, 9)}"]}


@pytest.mark.parametrize(
    "before, run, field",
    [
        ({}, {"network": 2, **GIVEN}, "security_groups"),
        ({"ipv6": 0}, {"network": 2, **ADDRESS}, "addresses6"),
    ],
    ids=["a group", "an address"],
)
def test_what_its_network_took_along_is_not_set_again(stack, before, run, field):
    """The network's own group, and what Amazon gave, are others once that is made anew."""
    simulate(stack, "../world")
    apply_spec(stack, spec(**before))
    done = apply_spec(stack, spec(**run))
    undone = stack.run("undo", done, "--yes", "--output", "json").json
    assert operations(undone)[M] == "replace"
    assert f"'{field}' is what the service makes of it where nothing is set" in str(undone["irreversible"])
    assert is_as_in(stack, spec(**before))
    assert seen(stack)[0] == ["default"]
    assert undo(stack, done, "--yes")["actions"] == []


def test_what_a_later_run_took_along_stays_as_it_is(stack):
    """The machine is in another network's groups by now, and no spec says in which ones it was."""
    simulate(stack, "../world")
    apply_spec(stack, spec())
    run = apply_spec(stack, spec(**GIVEN))
    apply_spec(stack, spec(2, **GIVEN))
    assert operations(undo(stack, run, "--yes", status=7)) == {M: "record"}
    assert seen(stack)[0] == ["g"]
    assert is_as_in(stack, spec(2))


def test_what_was_one_of_ours_and_is_made_anew_is_not_set_again(stack):
    """An earlier spec had given that group, and the last one let go of it as it was."""
    simulate(stack, "../world")
    apply_spec(stack, spec(**GIVEN))
    apply_spec(stack, spec())
    run = apply_spec(stack, spec(security_groups=["h"]))
    apply_spec(stack, spec(security_groups=["h"]).replace('"name": "g"', '"name": "k"'))
    assert operations(undo(stack, run, "--yes", status=7)) == {M: "record"}
    assert seen(stack)[0] == ["h"]


@pytest.mark.parametrize(
    "before, run, expected",
    [
        ({}, GIVEN, (["default"], [])),
        ({}, {"subnet": 2, **GIVEN}, (["default"], [])),
        ({"ipv6": 0}, ADDRESS, None),
        ({"ipv6": 0}, {"subnet": 2, **ADDRESS}, None),
    ],
    ids=["a group, in place", "a group, in the same network", "an address, in place", "an address, in the same range"],
)
def test_what_is_there_still_is_set_again(stack, before, run, expected):
    simulate(stack, "../world")
    apply_spec(stack, spec(**before))
    then = seen(stack)
    done = apply_spec(stack, spec(**run))
    undo(stack, done, "--yes")
    assert seen(stack) == then == (expected or then)
    assert is_as_in(stack, spec(**before))


SIX = """\
stack: net
providers: {aws: {region: us-west-2}}
aws.vpc:
  v: {cidr: 10.1.0.0/16, ipv6: true}
aws.subnet:
  a: {vpc: v, cidr: 10.1.1.0/24, ipv6_cidr: "${cidr_subnet(aws.vpc.v.ipv6_cidr, 8, 0)}"}
aws.instance:
  m: {image: %s, instance_type: t3.micro, subnet: a, %s}
"""
IMAGES = ("ami-0123456789abcdef0", "ami-0fedcba9876543210")
NAMED = 'addresses6: ["${cidr_host(aws.subnet.a.ipv6_cidr, 5)}"]'
ONE, TWO = "address6_count: 1", "address6_count: 2"


@pytest.mark.parametrize("saved", [False, True], ids=["at once", "saved"])
@pytest.mark.parametrize("before, run", [(NAMED, ONE), (ONE, NAMED), (NAMED, TWO), (TWO, NAMED)])
def test_what_was_seen_is_not_sent_with_what_excludes_it(stack, before, run, saved):
    """The spec of before set the one, and the other only mirrored that: a service takes one of them alone."""
    simulate(stack, "../world")
    apply_spec(stack, SIX % (IMAGES[0], before))
    run = apply_spec(stack, SIX % (IMAGES[1], run))
    done = undo(stack, run, *(["--out", "undo.plan"] if saved else ["--yes"]))
    assert operations(done) == {M: "replace"}
    if saved:
        stack.run("apply", "undo.plan")
    assert is_as_in(stack, SIX % (IMAGES[0], before))
    assert undo(stack, run, "--yes")["actions"] == []


@pytest.mark.parametrize("before, run", [(NAMED, ONE), (NAMED, TWO), (ONE, NAMED), (TWO, NAMED)])
def test_what_was_seen_is_not_sent_in_place_with_what_excludes_it(stack, before, run):
    """Which addresses there are goes back where the spec said so, and else their number alone, which is told."""
    simulate(stack, "../world")
    apply_spec(stack, SIX % (IMAGES[0], before))
    run = apply_spec(stack, SIX % (IMAGES[0], run))
    done = undo(stack, run, "--yes")
    told = [(note["what"], note["stays"]) for note in done["irreversible"]]
    others = "'addresses6' has others than before, but as many as 'address6_count' said"
    assert told == ([] if before == NAMED else [(others, False)])
    assert is_as_in(stack, SIX % (IMAGES[0], before))
    assert undo(stack, run, "--yes")["actions"] == []
