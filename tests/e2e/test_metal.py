"""metal.machine: machines that exist, through Redfish, against sushy-tools' emulator and the simulator."""

import json
import re
import sqlite3
import time

import pytest

from metal_machines import (
    PARTLY,
    REFUSED,
    UNREAD,
    UNTOLD,
    USER,
    WHOLE,
    ask,
    changes,
    is_empty,
    mac_of,
    machine,
    operations,
    plan,
    power_of,
    reasons,
    system_url,
    turn,
    uuid_of,
    write,
)

# --- The whole life, against the emulator.


def test_a_machine_is_adopted_kept_and_forgotten(stack, redfish):
    server = redfish([machine(1, ports=2), machine(2, power="On")])
    web = {"controller": system_url(server, 1), "power": "on", "macs": [mac_of(1, 1), mac_of(1, 0)]}
    box = {"controller": server.address, "system": uuid_of(2), "manufacturer": "Sushy Emulator"}
    write(stack, {"web": web, "box": box}, allow_plain=True)

    first = plan(stack)
    assert operations(first) == {"metal.machine.web": "adopt", "metal.machine.box": "adopt"}
    assert changes(first, "metal.machine.web") == {"power": ("set", "off", "on")}
    assert changes(first, "metal.machine.box") == {}
    assert re.search(r"= metal\.machine\.web .*\n +power +off -> on\n", stack.run("plan").out)
    stack.run("apply", "--yes")
    assert (power_of(server, 1), power_of(server, 2)) == ("On", "On")
    assert is_empty(stack)

    shown = stack.run("state", "show", "metal.machine.web").out
    for text in (system_url(server, 1), uuid_of(1), mac_of(1, 0), mac_of(1, 1), "power  on"):
        assert text in shown

    # What the spec claims is brought back; what it does not claim is only shown.
    turn(server, 1, "ForceOff", "Off")
    turn(server, 2, "ForceOff", "Off")
    drift = stack.run("drift", status=2).out
    assert "metal.machine.web" in drift and "metal.machine.box" in drift
    second = plan(stack)
    assert changes(second, "metal.machine.web") == {"power": ("set", "off", "on")}
    assert changes(second, "metal.machine.box") == {"power": ("show", "on", "off")}
    stack.run("apply", "--yes")
    assert (power_of(server, 1), power_of(server, 2)) == ("On", "Off")
    assert is_empty(stack)

    # Changed in place, and no longer claimed.
    write(stack, {"web": {**web, "power": "off"}, "box": box}, allow_plain=True)
    assert changes(plan(stack), "metal.machine.web") == {"power": ("set", "on", "off")}
    stack.run("apply", "--yes")
    assert power_of(server, 1) == "Off"
    del web["power"]
    write(stack, {"web": web, "box": box}, allow_plain=True)
    assert changes(plan(stack), "metal.machine.web")["power"][0] == "release"
    stack.run("apply", "--yes")
    assert is_empty(stack)

    # Taken out of the spec: forgotten, also where its controller is gone, and left as it is.
    write(stack, {"web": web}, allow_plain=True)
    assert operations(plan(stack)) == {"metal.machine.box": "forget"}
    stack.run("apply", "--yes")
    server.stop()
    assert operations(plan(stack, status=UNREAD)) == {"metal.machine.web": "unread"}
    write(stack, {}, allow_plain=True)
    assert operations(plan(stack)) == {"metal.machine.web": "forget"}
    stack.run("apply", "--yes")
    assert stack.run("state", "list").out == ""


def test_a_run_that_is_killed_is_resumed(stack, redfish):
    server = redfish([machine(1)])
    write(stack, {"m": {"controller": system_url(server, 1), "power": "on"}}, allow_plain=True)
    process = stack.start("apply", "--yes")
    deadline = time.monotonic() + 30
    while not any("POST" in line for line in server.output):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.kill()
    process.communicate()
    stack.run("apply", "--yes")
    assert power_of(server, 1) == "On"
    assert is_empty(stack)
    assert stack.run("state", "list").out.startswith("metal.machine.m ")


def test_another_controller_is_another_machine(stack, redfish):
    server = redfish([machine(1), machine(2)])
    write(stack, {"m": {"controller": system_url(server, 1)}}, allow_plain=True)
    stack.run("apply", "--yes")
    write(stack, {"m": {"controller": system_url(server, 2)}}, allow_plain=True)
    planned = plan(stack)
    assert operations(planned) == {"metal.machine.m": "replace"}
    assert changes(planned, "metal.machine.m")["controller"][0] == "replace"
    stack.run("apply", "--yes")
    assert system_url(server, 2) in stack.run("state", "list").out
    assert is_empty(stack)
    write(stack, {"m": {"controller": server.address, "system": uuid_of(2)}}, allow_plain=True)
    assert operations(plan(stack)) == {"metal.machine.m": "replace"}


@pytest.mark.parametrize(
    "field, value, found",
    [
        ("manufacturer", "Dell", "has manufacturer 'Sushy Emulator', but the spec says 'Dell'"),
        ("macs", [mac_of(1), mac_of(9)], f"lacks macs[{mac_of(9)}]"),
        ("macs", [], f"has macs[{mac_of(1)}], which the spec does not name"),
    ],
)
@pytest.mark.parametrize("recorded", [False, True], ids=["new", "recorded"])
def test_another_machine_than_described_is_a_conflict(stack, redfish, field, value, found, recorded):
    server = redfish([machine(1)])
    if recorded:
        write(stack, {"m": {"controller": system_url(server, 1)}}, allow_plain=True)
        stack.run("apply", "--yes")
    write(stack, {"m": {"controller": system_url(server, 1), "power": "on", field: value}}, allow_plain=True)
    for command in (["plan"], ["apply", "--yes"]):
        result = stack.run(*command, status=1)
        assert found in result.err and "stack.yaml:1:" in result.err
    time.sleep(1)
    assert power_of(server, 1) == "Off"


def test_what_a_controller_does_not_tell_is_unread(stack, redfish):
    """The emulator's machines have no serial number and no memory."""
    server = redfish([machine(1)])
    told = ask(system_url(server, 1))
    for path, why in UNTOLD.values():
        assert path[0] not in told or path[-1] not in told[path[0]], why
    write(stack, {"m": {"controller": system_url(server, 1), "serial": "X", "memory_gib": 64}}, allow_plain=True)
    planned = plan(stack, status=UNREAD)
    assert operations(planned) == {"metal.machine.m": "adopt"}
    assert set(reasons(planned)) == {("metal.machine.m", "serial"), ("metal.machine.m", "memory_gib")}
    assert all("does not tell 'serial', 'memory_gib'" in reason for reason in reasons(planned).values())


def test_many_machines_side_by_side(stack, redfish):
    """One after another these would take a minute and more to turn on, and many calls would wait for few."""
    count = 24
    server = redfish([machine(number) for number in range(count)])
    machines = {
        f"m{number}": {"controller": system_url(server, number), "power": "on", "macs": [mac_of(number)]}
        for number in range(count)
    }
    machines["dead"] = {"controller": "http://127.0.0.1:1", "power": "on"}
    write(stack, machines, allow_plain=True)
    applied = stack.run("apply", "--yes", status=(UNREAD, PARTLY))
    assert applied.seconds < 40
    assert all(power_of(server, number) == "On" for number in range(count))
    planned = plan(stack, status=UNREAD)
    assert operations(planned) == {"metal.machine.dead": "unread"}
    assert "cannot connect" in reasons(planned)["metal.machine.dead", ""]
    server.output.clear()
    plan(stack, status=UNREAD)
    gets = [line for line in server.output if '"GET' in line]
    assert len(gets) == 3 * count


# --- The simulator: no waiting, and faults on demand.

WORLD = "world.json"
RESET = "POST /redfish/v1/Systems/1/Actions/ComputerSystem.Reset"


@pytest.fixture
def simulated(stack):
    """simulated(**fields): the spec of a machine in a simulated world; the machine is there."""
    attributes = {
        "serial": "S1",
        "model": "R750",
        "manufacturer": "Dell",
        "power": "Off",
        "memory_gib": "384",
        "processors": "2",
        "user": USER,
        "password": "x",
        "macs": json.dumps([mac_of(1), mac_of(2)]),
    }
    stack.run("sim", WORLD, "add", "machine", "10.0.0.5", *(f"{name}={value}" for name, value in attributes.items()))

    def start(**fields):
        write(
            stack,
            {"m": {"controller": "https://10.0.0.5", **fields}},
            endpoint=f"sim:{WORLD}",
            user=USER,
            password="x",
        )
        return stack

    return start


def simulated_power(stack):
    return json.loads(stack.run("sim", WORLD, "show", "machine").out)[""]["machine"]["10.0.0.5"]["power"]


def test_an_address_has_one_meaning_however_it_is_spelled(simulated):
    """The port that goes without saying is no change, and two spellings are one machine."""
    stack = simulated(controller="https://10.0.0.5:443")
    stack.run("apply", "--yes")
    simulated(controller="https://10.0.0.5")
    assert is_empty(stack)
    both = {name: {"controller": f"https://[fd00:{name}::5]"} for name in ("0", "0:0")}
    write(stack, {"m": both["0"], "n": both["0:0"]}, endpoint=f"sim:{WORLD}", user=USER, password="x")
    assert "'metal.machine.n' is the same thing as 'metal.machine.m'" in stack.run("validate", status=1).err


def test_a_simulated_machine(simulated):
    stack = simulated(**{**WHOLE, "power": "on"})
    stack.run("apply", "--yes")
    assert simulated_power(stack) == "On"
    assert is_empty(stack)
    stack = simulated(**WHOLE)
    stack.run("apply", "--yes")
    assert simulated_power(stack) == "Off"
    assert is_empty(stack)
    stack.run("sim", WORLD, "change", "machine", "10.0.0.5", "power=On")
    assert changes(plan(stack), "metal.machine.m") == {"power": ("set", "on", "off")}
    stack.run("sim", WORLD, "change", "machine", "10.0.0.5", "serial=S2")
    assert "has serial 'S2', but the spec says 'S1'" in stack.run("apply", "--yes", status=1).err
    # Another machine in its place is what drift is there to tell, as far as reading goes.
    told = stack.run("drift", status=2).out
    assert "is another thing than is recorded\n" in told and "S1, now S2" in told
    [action] = stack.run("drift", "--output", "json", status=2).json["actions"]
    assert (action["operation"], action["drifted"]) == ("conflict", True)
    assert {each["path"]: each["effect"] for each in action["changes"]} == {"serial": "conflict", "power": "set"}
    assert simulated_power(stack) == "On"
    stack.run("sim", WORLD, "remove", "machine", "10.0.0.5")
    assert operations(plan(stack, status=UNREAD)) == {"metal.machine.m": "unread"}


@pytest.mark.parametrize("field", WHOLE)
def test_a_field_that_is_taken_out_is_released(simulated, field):
    stack = simulated(**WHOLE)
    stack.run("apply", "--yes")
    simulated(**{name: value for name, value in WHOLE.items() if name != field})
    planned = plan(stack)
    assert operations(planned) == {"metal.machine.m": "record"}
    assert changes(planned, "metal.machine.m")[field][0] == "release"
    stack.run("apply", "--yes")
    assert is_empty(stack)


OTHERS = {
    "serial": "S2",
    "model": "R650",
    "manufacturer": "HPE",
    "memory_gib": 192,
    "processors": {"count": 4},
    "macs": [mac_of(1)],
}


@pytest.mark.parametrize("field", OTHERS)
def test_another_value_than_the_machine_has_is_a_conflict(simulated, field):
    stack = simulated(**{**WHOLE, field: OTHERS[field]})
    assert f"'metal.machine.m' has {field}" in stack.run("plan", status=1).err
    assert set(WHOLE) == {*OTHERS, "power", "system"}


# Rows: what goes wrong with the first request to turn it on, and with how many; it is on in the end.
@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("kind", ["lost_answer", "lost_request", "error", "unavailable", "throttle", "half_answer"])
def test_a_change_of_power_that_goes_wrong_at_first(simulated, kind, times):
    stack = simulated(power="on")
    stack.run("sim", WORLD, "fault", RESET, kind, "1", times)
    stack.run("apply", "--yes")
    assert simulated_power(stack) == "On"
    # Whatever call was not answered is settled by what the run has read.
    stack.run("drift")
    with sqlite3.connect(stack.folder / ".trueup" / "state.db") as database:
        outcomes = {outcome for (outcome,) in database.execute("SELECT outcome FROM history")}
    # Nobody took one that was refused: the machine is looked at, and asked by another request.
    assert outcomes == ({"failed", "done"} if kind in ("unavailable", "throttle") else {"done"})
    assert is_empty(stack)


def test_a_change_of_power_that_is_denied(simulated):
    stack = simulated(power="on")
    stack.run("sim", WORLD, "fault", RESET, "deny")
    result = stack.run("apply", "--yes", status=1)
    assert "HTTP 403, the user may not do that" in result.err
    assert simulated_power(stack) == "Off"
    # The machine is recorded; what is left is the power.
    planned = plan(stack)
    assert operations(planned) == {"metal.machine.m": "update"}
    assert changes(planned, "metal.machine.m") == {"power": ("set", "off", "on")}


INTERFACES = "GET /redfish/v1/Systems/1/EthernetInterfaces"


def test_interfaces_that_are_denied(simulated):
    stack = simulated(macs=[mac_of(1)], serial="S1")
    stack.run("sim", WORLD, "fault", INTERFACES, "deny")
    planned = plan(stack, status=UNREAD)
    assert operations(planned) == {"metal.machine.m": "adopt"}
    assert "EthernetInterfaces: HTTP 403" in reasons(planned)["metal.machine.m", "macs"]
    # Of no matter to a spec that says nothing of them.
    stack = simulated(serial="S1")
    assert operations(plan(stack)) == {"metal.machine.m": "adopt"}


def test_an_interface_that_tells_no_address_takes_none_away(simulated):
    """A machine that starts is not known to its controller at once."""
    stack = simulated(power="off")
    stack.run("apply", "--yes")
    simulated(power="on")
    stack.run("plan", "--out", "p.plan")

    def tell(*macs):
        stack.run("sim", WORLD, "change", "machine", "10.0.0.5", f"macs={json.dumps(macs)}")

    tell(mac_of(1), "")
    assert set(reasons(stack.run("drift", "--output", "json", status=UNREAD).json)) == {("metal.machine.m", "macs")}
    # It is no other machine for that, and the record keeps what it had.
    stack.run("apply", "p.plan", status=UNREAD)
    assert simulated_power(stack) == "On"
    tell(mac_of(1), mac_of(2))
    stack.run("drift")
    tell(mac_of(1), mac_of(3))
    assert f"macs[{mac_of(2)}]  removed outside" in stack.run("drift", status=2).out
    # One that never told any leaves none to be missed; one that the spec asks for may be its.
    tell(mac_of(1), mac_of(2), "")
    stack.run("drift")
    tell(mac_of(1), "")
    simulated(power="on", macs=[mac_of(1), mac_of(2)])
    assert set(reasons(plan(stack, status=UNREAD))) == {("metal.machine.m", "macs")}


@pytest.mark.parametrize("mark", ["serial", "macs"])
def test_what_is_told_no_more_is_not_gone(simulated, mark):
    """A controller that starts, or denies a part, takes nothing out of its machine, whatever the spec sets."""
    stack = simulated(power="on")
    stack.run("apply", "--yes")
    stack.run("sim", WORLD, "change", "machine", "10.0.0.5", "memory_gib=null", "power=Off")
    if mark == "serial":
        stack.run("sim", WORLD, "change", "machine", "10.0.0.5", "serial=null")
    else:
        stack.run("sim", WORLD, "fault", INTERFACES, "deny", "1", "2")
    untold = {("metal.machine.m", name) for name in (mark, "memory_gib")}
    drifted = stack.run("drift", "--output", "json", status=UNREAD).json
    assert set(reasons(drifted)) == untold
    assert set(changes(drifted, "metal.machine.m")) == {"power"}
    # The record keeps what it had, also where something else is done.
    stack.run("apply", "--yes", status=UNREAD)
    assert simulated_power(stack) == "On"
    stack.run("sim", WORLD, "change", "machine", "10.0.0.5", "serial=S2", "memory_gib=192", f'macs=["{mac_of(1)}"]')
    told = stack.run("drift", status=2).out
    assert "S1, now S2" in told and "384, now 192" in told and f"macs[{mac_of(2)}]  removed outside" in told
    # Of another machine the record says nothing about what there is to tell.
    stack.run("sim", WORLD, "add", "machine", "10.0.0.6", "serial=S3", f"user={USER}", "password=x", "power=On")
    simulated(controller="https://10.0.0.6", power="on")
    assert operations(plan(stack)) == {"metal.machine.m": "replace"}


@pytest.mark.parametrize("recorded", [False, True], ids=["new", "recorded"])
def test_what_is_ignored_is_no_conflict(simulated, recorded):
    """What a plan shows is what an apply does, also of a machine that has another part than the spec once said."""
    stack = simulated()
    if recorded:
        stack.run("apply", "--yes")
    simulated(power="on", serial="S9", lifecycle={"ignore": ["serial"]})
    assert changes(plan(stack), "metal.machine.m")["power"] == ("set", "off", "on")
    stack.run("apply", "--yes")
    assert simulated_power(stack) == "On"
    assert is_empty(stack)


# What tells one machine from another: what the one that is planned for has, and another one.
MARKS = {
    "serial": ("S1", "S2", "another one is in its place, whose 'serial' is \"S2\", not \"S1\""),
    "macs": (json.dumps([mac_of(1), mac_of(2)]), json.dumps([mac_of(7), mac_of(8)]), "another one is in its place, whose 'macs'"),
}


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("planned", ["new", "recorded", "unread"])
def test_a_saved_plan_is_about_the_machine_that_was_there(simulated, planned, mark):
    """Its controller's address may be that of another one by now. Where nothing was read the record tells who was there."""
    own, others, told = MARKS[mark]
    stack = simulated()
    if planned != "new":
        stack.run("apply", "--yes")
    simulated(power="on")
    stack.run("plan", "--out", "p.plan", *(["--refresh=none"] if planned == "unread" else []))
    stack.run("sim", WORLD, "change", "machine", "10.0.0.5", f"{mark}={others}")
    assert told in stack.run("apply", "p.plan", status=REFUSED).err
    assert simulated_power(stack) == "Off"
    stack.run("sim", WORLD, "change", "machine", "10.0.0.5", f"{mark}={own}")
    stack.run("apply", "p.plan")
    assert simulated_power(stack) == "On"


def test_a_plan_that_read_nothing_takes_a_machine_on(simulated):
    """Whatever it is like: it is there already, as any machine is, unless the spec describes another one."""
    stack = simulated(power="on", serial="S1")
    stack.run("plan", "--refresh=none", "--out", "p.plan")
    stack.run("sim", WORLD, "change", "machine", "10.0.0.5", "serial=S2")
    assert "has serial 'S2', but the spec says 'S1'" in stack.run("apply", "p.plan", status=REFUSED).err
    stack.run("sim", WORLD, "change", "machine", "10.0.0.5", "serial=S1")
    assert simulated_power(stack) == "Off"
    stack.run("apply", "p.plan")
    assert simulated_power(stack) == "On" and is_empty(stack)


@pytest.mark.parametrize("recorded", [False, True], ids=["new", "recorded"])
def test_a_machine_that_does_not_tell_who_it_is(simulated, recorded):
    """Nothing is claimed of it, and nothing done to it, before it does."""
    stack = simulated()
    if recorded:
        stack.run("apply", "--yes")
    simulated(power="on")
    stack.run("plan", "--out", "p.plan")
    stack.run("sim", WORLD, "change", "machine", "10.0.0.5", "serial=null")
    stack.run("sim", WORLD, "fault", INTERFACES, "deny")
    if recorded:
        [reason] = reasons(stack.run("drift", "--output", "json", status=UNREAD).json).values()
        assert reason.startswith("its 'serial' is not told, and nothing else tells it from another one: could not read")
        stack.run("apply", "--yes", status=UNREAD)
    told = "its 'serial' is not told" if recorded else "nothing tells now that it is the same one"
    assert told in stack.run("apply", "p.plan", status=REFUSED).err
    assert simulated_power(stack) == "Off"
    stack.run("sim", WORLD, "change", "machine", "10.0.0.5", "serial=S1")
    stack.run("apply", "p.plan", status=UNREAD if recorded else 0)
    assert simulated_power(stack) == "On"


def test_what_was_taken_on_keeps_what_was_set(simulated):
    """Nobody recorded how the machine was before it was taken on, so an undo says what it leaves: each time."""
    stack = simulated(power="on")
    stack.run("apply", "--yes")
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    shown = stack.run("undo", run, "--out", "back.plan", "--output", "json").json
    for operation in {"metal.machine.m": "forget"}, {}:
        undone = stack.run("undo", run, "--yes", "--output", "json", status=PARTLY).json
        assert operations(undone) == operation and simulated_power(stack) == "On"
        kept = {"address": "metal.machine.m", "stays": True, "what": "keeps its 'power': nobody recorded how it was before"}
        assert undone["irreversible"] == shown["irreversible"] == [kept]
    assert operations(plan(stack)) == {"metal.machine.m": "adopt"}


@pytest.mark.parametrize("refused", [False, True], ids=["as it was", "refused"])
def test_what_was_taken_on_and_not_changed_is_let_go_of(simulated, refused):
    """What is as it was found no run has set: there is nothing of it that could go back."""
    stack = simulated(power="off")
    if refused:
        simulated(power="on")
        stack.run("sim", WORLD, "fault", RESET, "deny")
    stack.run("apply", "--yes", status=1 if refused else 0)
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    undone = stack.run("undo", run, "--yes", "--output", "json").json
    assert operations(undone) == {"metal.machine.m": "forget"} and undone["irreversible"] == []


def test_what_was_taken_on_and_forgotten_is_let_go_of(simulated):
    """That is all that an undoing would have done."""
    stack = simulated(power="off")
    stack.run("apply", "--yes")
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    stack.run("state", "rm", "--yes", "metal.machine.m")
    undone = stack.run("undo", run, "--yes", "--output", "json").json
    assert operations(undone) == {} and undone["irreversible"] == []


def test_racks_with_passwords_of_their_own(stack):
    for rack in "a", "b":
        attributes = f"serial={rack}", f"user={rack}", f"password=of-{rack}", "power=Off"
        stack.run("sim", WORLD, "add", "machine", f"{rack}.example", *attributes)
    for power in "on", "off":
        spec = {
            "stack": "racks",
            "providers": {
                f"metal.{rack}": {"endpoint": f"sim:{WORLD}", "user": rack, "password": f"of-{rack}"} for rack in "ab"
            },
            "metal.machine": {
                rack: {"controller": f"https://{rack}.example", "power": power, "provider": f"metal.{rack}"}
                for rack in "ab"
            },
        }
        stack.write("stack.yaml", json.dumps(spec))
        stack.run("apply", "--yes")
        assert is_empty(stack)


@pytest.mark.parametrize(
    "fields, error",
    [
        ({"controller": "10.0.0.5"}, "'controller' must begin with https://"),
        ({"controller": "https://ops:x@10.0.0.5"}, "must not hold a user or password"),
        ({"controller": "https://10.0.0.5/redfish/v1/Systems/1", "system": "1"}, "names the system already"),
        ({"controller": "https://10.0.0.5", "macs": ["52:54:00:AA:00:00"]}, "is not a MAC address"),
        ({"controller": "https://10.0.0.5", "power": "standby"}, "'power' cannot be 'standby'"),
        ({"serial": "S1"}, "needs the field 'controller'"),
        ({"controller": "${aws.vpc.a.id}"}, "cannot depend on what another resource gives"),
    ],
)
def test_a_wrong_spec(stack, fields, error):
    write(stack, {"m": fields}, endpoint="sim:")
    stack.write("vpc.yaml", json.dumps({"aws.vpc": {"a": {"cidr": "10.0.0.0/16"}}}))
    result = stack.run("validate", status=1)
    assert error in result.err and "stack.yaml:1:" in result.err
