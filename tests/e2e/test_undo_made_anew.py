"""Undoing a run that made something anew, for a field that the spec had never set and that cannot change in place."""

import pytest

from cli import applied, simulate, world
from test_undo import apply_spec, is_as_in, lost, operations, undo

SPEC = """\
stack: net
providers: {aws: {region: us-west-2}}
aws.vpc:
  v: {cidr: 10.1.0.0/16}
aws.subnet:
  a: {vpc: v, cidr: 10.1.1.0/24}
aws.vpn_gateway:
  g: {vpc: v%s}
aws.instance:
  i: {image: ami-0123456789abcdef0, instance_type: t3.small, subnet: a%s}
"""
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cEJHmzLkzGEpZgKTjEvMpgLRzYlTvbJSk7Zo0LLUd"


@pytest.mark.parametrize(
    "gateway, machine, address",
    [
        (", asn: 65001", "", "aws.vpn_gateway.g"),
        ("", ", address: 10.1.1.77", "aws.instance.i"),
        ("", ", hibernation: true", "aws.instance.i"),
    ],
    ids=["asn", "address", "hibernation"],
)
@pytest.mark.parametrize("saved", [False, True], ids=["at once", "saved"])
def test_what_the_run_made_for_that_goes_with_it(stack, gateway, machine, address, saved):
    """To keep it would be to undo nothing: with the spec of then nothing would tell of it any more."""
    simulate(stack, "../world")
    before = SPEC % ("", "")
    apply_spec(stack, before)
    run = apply_spec(stack, SPEC % (gateway, machine))
    if saved:
        assert operations(undo(stack, run, "--out", "undo.plan")) == {address: "replace"}
        stack.run("apply", "undo.plan")
    else:
        assert operations(undo(stack, run, "--yes")) == {address: "replace"}
    assert is_as_in(stack, before)
    [made] = [each for each in world(stack, "vpn-gateway").values() if each["state"] == "available"]
    assert made["amazonSideAsn"] == "64512"
    assert undo(stack, run, "--yes")["actions"] == []


PAIR = (
    "aws.key_pair:\n  k: {name: admin, public_key: "
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl x}\n"
)


@pytest.mark.parametrize("saved", [False, True], ids=["at once", "saved"])
def test_what_a_later_run_made_anew_and_the_undoing_does_again(stack, saved):
    """What the run set goes with the old one, whatever the other is made for; so nothing of the run stays."""
    simulate(stack, "../world")
    before = SPEC.replace("10.1.1.0/24}", "10.1.1.0/24}\n  b: {vpc: v, cidr: 10.1.2.0/24}") % ("", "")
    after = before.replace("subnet: a", "subnet: b, key: k") + PAIR
    apply_spec(stack, before)
    run = apply_spec(stack, after)
    apply_spec(stack, after.replace("ami-0123456789abcdef0", "ami-0a1b2c3d4e5f60718"))
    planned = undo(stack, run, "--out" if saved else "--yes", *["undo.plan"] * saved)
    assert operations(planned) == {"aws.instance.i": "replace", "aws.key_pair.k": "delete"}
    assert [note["what"].split(" than ")[0] for note in planned["irreversible"]] == ["gets another id"]
    if saved:
        stack.run("apply", "undo.plan")
    assert is_as_in(stack, before.replace("ami-0123456789abcdef0", "ami-0a1b2c3d4e5f60718"))
    assert undo(stack, run, "--yes")["actions"] == []


@pytest.mark.parametrize("again", [False, True], ids=["given back", "given again since"])
def test_what_the_service_gave_does_not_come_back(stack, again):
    """An IPv6 range from Amazon that was given back is another one the next time; whoever has one by now keeps it."""
    simulate(stack, "../world")
    whole = "stack: net\nproviders: {aws: {region: us-west-2}}\naws.vpc:\n  v: {cidr: 10.1.0.0/16, ipv6: true, tags: {a: b}}\n"
    apply_spec(stack, whole)
    [vpc] = world(stack, "vpc").values()
    [given] = [each["ipv6CidrBlock"] for each in vpc["ipv6CidrBlockAssociationSet"]]
    run = apply_spec(stack, whole.replace(", ipv6: true", "").replace("a: b", "a: c"))
    if again:
        apply_spec(stack, whole.replace("a: b", "a: c"))
    notes = undo(stack, run, "--yes")["irreversible"]
    told = f"its 'ipv6_cidr' is another one than '{given}' then"
    assert notes == ([] if again else [{"address": "aws.vpc.v", "what": told, "stays": False}])
    assert is_as_in(stack, whole)


GROUPED = """\
stack: net
providers: {aws: {region: us-west-2}}
aws.vpc:
  v: {cidr: 10.1.0.0/16}
aws.security_group:
  f: {name: web, description: %s, vpc: v}
aws.launch_template:
  a: {name: tone, image: ami-0123456789abcdef0, instance_type: m7i.large%s}
"""


def test_what_the_run_put_to_use_is_out_of_use_first(stack):
    """Two groups of one name cannot be there at once, and nothing refers to the old one when it goes."""
    simulate(stack, "../world")
    before = GROUPED % ("one", "")
    apply_spec(stack, before)
    run = apply_spec(stack, GROUPED % ("two", ", security_groups: [f]"))
    done = operations(undo(stack, run, "--yes"))
    assert done == {"aws.security_group.f": "replace", "aws.launch_template.a": "update"}
    assert is_as_in(stack, before)


def test_what_has_its_name_for_an_id_is_another_one_of_that_name(stack):
    simulate(stack, "../world")
    whole = SPEC % ("", "") + (
        "aws.launch_template:\n  t: {name: tone, image: ami-0123456789abcdef0, instance_type: t3.small}\n"
        "aws.autoscaling_group:\n  w: {name: workers, launch_template: t, subnets: [a], min: 0, max: 1}\n"
    )
    apply_spec(stack, whole)
    run = apply_spec(stack, whole.split("aws.autoscaling_group")[0])
    [note] = undo(stack, run, "--yes")["irreversible"]
    assert note["what"] == "is another one than 'workers' was, and what that held is gone"
    assert is_as_in(stack, whole)


@pytest.mark.parametrize("machine", [", address: 10.1.1.4", ", key: k"], ids=["an address", "a key"])
def test_what_the_run_only_took_over_is_as_it_was(stack, machine):
    """It names what was so already, and nothing is left of it: once it is taken back all is as before."""
    simulate(stack, "../world")
    key = f'aws.key_pair: {{k: {{name: k, public_key: "{PUBLIC_KEY}"}}}}\n'
    apply_spec(stack, SPEC % ("", machine) + key)
    apply_spec(stack, SPEC % ("", "") + key)
    taken = apply_spec(stack, SPEC % ("", machine) + key)
    assert operations(undo(stack, taken, "--yes")) == {"aws.instance.i": "record"}
    assert is_as_in(stack, SPEC % ("", "") + key)


def group_spec(description, name="web", first=False):
    """A group whose description cannot change in place, and that is to be made before the old one goes or not."""
    lifecycle = ", lifecycle: {create_before_destroy: true}" if first else ""
    return f"""\
stack: net
providers: {{aws: {{region: us-west-2}}}}
aws.vpc: {{v: {{cidr: 10.1.0.0/16}}}}
aws.security_group: {{g: {{vpc: v, name: {name}, description: {description}{lifecycle}}}}}
"""


@pytest.mark.parametrize("arguments", [["--yes"], ["--out", "saved.plan"]], ids=["at once", "saved"])
def test_the_spec_has_the_new_one_made_first_since(stack, arguments):
    """The old one, which has the same name, goes first as in the run; an order that can be had stays the spec's."""
    simulate(stack, "../world")
    apply_spec(stack, group_spec("one"))
    run = apply_spec(stack, group_spec("two"))
    stack.write("net.yaml", group_spec("two", first=True))
    (action,) = undo(stack, run, *arguments)["actions"]
    assert action["operation"] == "replace" and not action.get("create_before_destroy")
    if arguments != ["--yes"]:
        stack.run("apply", "saved.plan", "--yes")
    assert is_as_in(stack, group_spec("one"))
    run = apply_spec(stack, group_spec("two", "web2"))
    stack.write("net.yaml", group_spec("two", "web2", first=True))
    (action,) = undo(stack, run, "--yes")["actions"]
    assert action["operation"] == "replace" and action["create_before_destroy"]
    assert is_as_in(stack, group_spec("one"))


def test_the_run_made_the_new_one_first(stack):
    """It may be asked for what it could not be, as by an apply, and the spec can say so."""
    simulate(stack, "../world")
    apply_spec(stack, group_spec("one"))
    run = apply_spec(stack, group_spec("two", "web2", first=True))
    apply_spec(stack, group_spec("two"))
    stack.write("net.yaml", group_spec("two", first=True))
    error = undo(stack, run, "--yes", status=1)["diagnostics"][-1]
    assert error["message"].endswith("before the old one is deleted, but both would have the same 'name'")
    stack.write("net.yaml", group_spec("two"))
    undo(stack, run, "--yes")
    assert is_as_in(stack, group_spec("one"))


FAR = """\
stack: net
providers: {aws: {region: eu-central-1}, aws.far: {region: us-west-2}}
aws.vpc:
  main: {cidr: 10.0.0.0/16, provider: aws.far}
aws.subnet:
  a: {vpc: main, cidr: 10.0.1.0/24, provider: aws.far}
"""


@pytest.mark.parametrize("moved", [(", provider: aws.far", ""), ("us-west-2", "us-east-1")])
def test_made_anew_elsewhere(stack, moved):
    """What a run made anew because its alias is another, or reaches another region, goes back to where it was."""
    simulate(stack, "../world")
    applied(stack, "net.yaml", FAR)
    run = apply_spec(stack, FAR.replace(*moved))
    if moved[1]:
        document = undo(stack, run, "--yes", status=7)
        assert {what.split(":")[0] for _, what in lost(document)} == {"stays where it is"}
        stack.write("net.yaml", FAR)
    assert operations(undo(stack, run, "--yes")) == {"aws.vpc.main": "replace", "aws.subnet.a": "replace"}
    assert is_as_in(stack, FAR)


def test_made_anew_elsewhere_twice(stack):
    simulate(stack, "../world")
    applied(stack, "net.yaml", FAR)
    run = apply_spec(stack, FAR.replace("us-west-2", "us-east-1"))
    apply_spec(stack, FAR.replace("us-west-2", "us-east-2"))
    assert "'aws.subnet.a' has changed again since (apply, run" in stack.run("undo", run, "--yes", status=1).err
