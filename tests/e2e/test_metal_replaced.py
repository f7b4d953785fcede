"""A machine whose resource leads to another controller: the next one takes its place, and none is made."""

import json
import re

import pytest

from metal_machines import REFUSED, USER, changes, is_empty, mac_of, operations, plan, write

WORLD = "world.json"
ADDRESSES = {"a": "10.0.0.5", "b": "10.0.0.6"}
SETTINGS = {"endpoint": f"sim:{WORLD}", "user": USER, "password": "x"}


@pytest.fixture
def two_machines(stack):
    """two_machines(m=("a", "on")) writes the spec of m on the first of two machines, of which that one is off."""
    for (name, address), power in zip(ADDRESSES.items(), ("Off", "On")):
        attributes = f"serial={name}", f"user={USER}", "password=x", f"power={power}", f'macs=["{mac_of(1)}"]'
        stack.run("sim", WORLD, "add", "machine", address, *attributes)

    def start(**machines):
        spec = {
            name: {"controller": f"https://{ADDRESSES[place]}", "power": power, "serial": place}
            for name, (place, power) in machines.items()
        }
        write(stack, spec, **SETTINGS)
        return stack

    return start


def powers_of(stack):
    machines = json.loads(stack.run("sim", WORLD, "show", "machine").out)[""]["machine"]
    return {name: machines[address]["power"].lower() for name, address in ADDRESSES.items()}


@pytest.mark.parametrize("read", [True, False], ids=["read", "not read"])
@pytest.mark.parametrize("first, then", ["ab", "ba"], ids=["off", "on"])
def test_a_machine_in_the_place_of_another_gets_its_power(two_machines, first, then, read):
    """What the plan shows is what the apply does; nothing of it has moved, for it was another one before."""
    power, other = {"a": ("off", "on"), "b": ("on", "off")}[first]
    stack = two_machines(m=(first, power))
    stack.run("apply", "--yes")
    two_machines(m=(then, power))
    shown = stack.run("plan", "--output", "json", "--out", "p.plan", *([] if read else ["--refresh=none"])).json
    [action] = shown["actions"]
    assert (action["operation"], action["drifted"]) == ("replace", False)
    assert changes(shown, "metal.machine.m")["power"] == ("set", other if read else None, power)
    assert " 0 drift " in stack.run("plan").out
    stack.run("apply", *(["--yes"] if read else ["p.plan"]))
    assert powers_of(stack) == {"a": power, "b": power}
    assert is_empty(stack)


@pytest.mark.parametrize("first, then", ["ab", "ba"], ids=["off", "on"])
def test_a_machine_that_comes_back_gets_its_power(two_machines, first, then):
    """Others had it while another one stood in its place, and nothing of that is theirs any more."""
    power, other = {"a": ("off", "On"), "b": ("on", "Off")}[first]
    stack = two_machines(m=(first, power))
    stack.run("apply", "--yes")
    two_machines(m=(then, power))
    stack.run("apply", "--yes")
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    stack.run("sim", WORLD, "change", "machine", ADDRESSES[first], f"power={other}")
    undone = stack.run("undo", run, "--yes", "--output", "json").json
    assert changes(undone, "metal.machine.m")["power"] == ("set", other.lower(), power)
    assert powers_of(stack) == {"a": power, "b": power}
    stack.run("drift")
    two_machines(m=(first, power))
    assert is_empty(stack)


def test_machines_that_change_places_get_their_power(two_machines):
    stack = two_machines(m=("a", "on"), n=("b", "off"))
    stack.run("apply", "--yes")
    two_machines(m=("b", "on"), n=("a", "off"))
    assert set(operations(plan(stack)).values()) == {"replace"}
    stack.run("apply", "--yes")
    assert powers_of(stack) == {"a": "off", "b": "on"}
    assert is_empty(stack)


def test_a_machine_in_the_place_of_another_is_as_it_is(two_machines):
    """It is not made anew: nothing that a spec leaves to others, or lets go of, gets lost with the one before."""
    stack = two_machines(m=("a", "off"))
    stack.run("apply", "--yes")

    def write_m(place, **fields):
        write(stack, {"m": {"controller": f"https://{ADDRESSES[place]}", **fields}}, **SETTINGS)

    write_m("b", power="on")
    planned = stack.run("plan").out
    assert "goes with the old object" not in planned and re.search(r"serial +b   kept as it is, no longer managed", planned)
    write_m("a", power="off", lifecycle={"ignore": ["power", "processors"]})
    stack.run("apply", "--yes")
    write_m("b", power="off", lifecycle={"ignore": ["power", "processors"]})
    assert "is replaced" not in stack.run("apply", "--yes").err
    assert powers_of(stack) == {"a": "off", "b": "on"}
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    undone = stack.run("undo", run, "--yes", "--output", "json")
    assert undone.json["irreversible"] == [] and "is replaced" not in undone.err
    write_m("a")
    stack.run("apply", "--yes")
    write_m("b")
    assert "is replaced" not in stack.run("apply", "--yes").err


def test_another_machine_than_was_reviewed_is_not_turned(two_machines):
    """A saved plan is about the machine that was there, also where it takes the place of another one."""
    stack = two_machines(m=("b", "on"))
    stack.run("apply", "--yes")
    two_machines(m=("a", "on"))
    stack.run("plan", "--out", "p.plan")
    stack.run("sim", WORLD, "change", "machine", ADDRESSES["a"], f'macs=["{mac_of(7)}"]')
    assert "another one is in its place, whose 'macs'" in stack.run("apply", "p.plan", status=REFUSED).err
    assert powers_of(stack)["a"] == "off"
