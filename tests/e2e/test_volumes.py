"""A volume that the spec of a machine lists and that was detached is missing until somebody has seen to that."""

import json
import re

import pytest

from cli import recorded, tiny  # noqa: F401

MACHINE = "aws.instance.i"
NAMED = ("/dev/sdf", "/dev/sdg")


def write(stack, devices=NAMED, fields=""):
    disks = ", ".join(f"{{device: {device}, size_gib: 5}}" for device in devices)
    told = f", block_devices: [{disks}]" if disks else ""
    machine = f"{{image: ami-0123456789abcdef0, instance_type: t3.micro, subnet: a{told}{fields}}}"
    stack.write("machine.yaml", f"aws.instance:\n  i: {machine}\n")


class Volumes:
    """What is attached to the machine."""

    def __init__(self, stack):
        self.stack = stack
        self.machine = recorded(stack)[MACHINE]
        [region] = json.loads(stack.run("sim", "show", "instance").out).values()
        self.all = region["instance"][self.machine]["blockDeviceMapping"]

    def attach(self, *devices):
        """These, of those that there were, and no others."""
        mappings = [each for each in self.all if each["deviceName"] in devices]
        assert len(mappings) == len(devices)
        self.stack.run("sim", "change", "instance", self.machine, f"blockDeviceMapping={json.dumps(mappings)}")


@pytest.fixture
def volumes(tiny):  # noqa: F811
    write(tiny)
    tiny.run("apply", "--yes")
    tiny.run("drift")
    return Volumes(tiny)


def is_missing(stack, device="/dev/sdf"):
    """Said by whoever looks, and nothing that an apply does away with."""
    drift = stack.run("drift", status=2).out
    told = rf"# {MACHINE} .*  lacks what no call brings back\n +block_devices\[{device}\]  removed outside: "
    assert re.search(told, drift), drift
    assert "not managed" not in drift, drift
    for command in (["plan", "--detailed-exitcode"], ["apply", "--yes"]):
        told = stack.run(*command, status=1).err
        assert f"'{MACHINE}' lacks block_devices[{device}], which the spec names" in told
        assert "attach a volume there again, or take the device out of the spec" in told
        assert f"'trueup destroy --target {MACHINE}', then apply (what refers to it goes with it)" in told


def is_as_it_is_to_be(stack):
    assert "nothing to do" in stack.run("plan", "--detailed-exitcode").out
    assert "no drift" in stack.run("drift").out


def test_it_is_missing_until_it_is_attached_again(tiny, volumes):  # noqa: F811
    volumes.attach("/dev/xvda", "/dev/sdg")
    is_missing(tiny)
    is_missing(tiny)
    [change] = tiny.run("drift", "--output", "json", status=2).json["actions"][0]["changes"]
    assert (change["path"], change["effect"], change["before"]) == ("block_devices[/dev/sdf]", "lost", None)
    volumes.attach("/dev/xvda", *NAMED)
    is_as_it_is_to_be(tiny)


def test_others_go_on(tiny, volumes):  # noqa: F811
    volumes.attach("/dev/xvda", "/dev/sdg")
    tiny.write("more.yaml", "aws.vpc:\n  more: {cidr: 10.9.0.0/16}\n")
    tiny.run("apply", "--yes", "--target", "aws.vpc.more")
    is_missing(tiny)


@pytest.mark.parametrize("devices", [("/dev/sdg",), ()])
def test_the_spec_lets_go_of_it(tiny, volumes, devices):  # noqa: F811
    """The machine is as the spec says then: it is not made anew for that."""
    volumes.attach("/dev/xvda", *devices)
    write(tiny, devices)
    [action] = tiny.run("plan", "--output", "json").json["actions"]
    assert action["operation"] == "record", action
    tiny.run("apply", "--yes")
    assert recorded(tiny)[MACHINE] == volumes.machine
    is_as_it_is_to_be(tiny)


def test_a_new_machine_has_it(tiny, volumes):  # noqa: F811
    volumes.attach("/dev/xvda", "/dev/sdg")
    tiny.run("destroy", "--yes", "--target", MACHINE)
    tiny.run("apply", "--yes")
    is_as_it_is_to_be(tiny)
    Volumes(tiny).attach("/dev/xvda", "/dev/sdg")
    write(tiny, fields=", hibernation: true")
    shown = tiny.run("plan").out
    assert f"! {MACHINE}" in shown and "comes back with the new object" in shown
    tiny.run("apply", "--yes")
    is_as_it_is_to_be(tiny)


def test_no_apply_forgets_it_meanwhile(tiny, volumes):  # noqa: F811
    """Left to others for a while, and changed in another field then: what is recorded is what the spec says, still."""
    write(tiny, fields=", lifecycle: {ignore: [block_devices]}")
    tiny.run("apply", "--yes")
    volumes.attach("/dev/xvda", "/dev/sdg")
    tiny.run("drift")
    write(tiny, fields=", tags: {a: b}, lifecycle: {ignore: [block_devices]}")
    tiny.run("apply", "--yes")
    write(tiny, fields=", tags: {a: b}")
    for command in ("plan", "apply"):
        assert "lacks block_devices[/dev/sdf]" in tiny.run(command, status=1).err


def test_one_that_nobody_names_is_not_seen(tiny, volumes):  # noqa: F811
    volumes.all.append({**volumes.all[1], "deviceName": "/dev/sdz"})
    volumes.attach("/dev/xvda", *NAMED, "/dev/sdz")
    is_as_it_is_to_be(tiny)
    volumes.attach(*NAMED)
    is_as_it_is_to_be(tiny)
