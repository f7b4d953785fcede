"""What the tests of metal.machine share: machines of an emulator, and stacks that describe them.

What a machine is and does is asked of the emulator itself, never of the program under test.
"""

import json
import time
import urllib.request

USER, PASSWORD = "ops", "correct horse"
UNREAD, REFUSED, PARTLY = 3, 4, 7


def uuid_of(number):
    return f"6f2f1c3e-0000-4000-8000-{number:012d}"


def mac_of(number, port=0):
    return f"52:54:00:{number // 256:02x}:{number % 256:02x}:{port:02x}"


def machine(number, power="Off", ports=1):
    """A machine as the emulator's configuration has it."""
    nics = [{"mac": mac_of(number, port), "ip": f"172.22.0.{port + 1}"} for port in range(ports)]
    return {"uuid": uuid_of(number), "name": f"node-{number}", "power_state": power, "nics": nics}


def system_url(server, number):
    return f"{server.address}/redfish/v1/Systems/{uuid_of(number)}"


# Every field of the kind but `controller`, for the one machine of the simulator.
WHOLE = {
    "power": "off",
    "serial": "S1",
    "model": "R750",
    "manufacturer": "Dell",
    "memory_gib": 384,
    "processors": {"count": 2},
    "macs": [mac_of(2), mac_of(1)],
    "system": "1",
}

# What of it the emulator does not tell, so that the simulator alone does: where that would stand, and why it does not.
UNTOLD = {
    "serial": (["SerialNumber"], "sushy-tools' page of a system has none"),
    "model": (["Model"], "sushy-tools' page of a system has none"),
    "memory_gib": (["MemorySummary", "TotalSystemMemoryGiB"], "its fake driver knows no memory; others need libvirt"),
    "processors": (["ProcessorSummary", "Count"], "its fake driver knows no processors; others need libvirt"),
}


def ask(url, body=None):
    """What a controller answers, as a client of our own sees it."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def power_of(server, number):
    return ask(system_url(server, number))["PowerState"]


def turn(server, number, reset_type, until):
    """Turns a machine on or off behind the program's back."""
    ask(system_url(server, number) + "/Actions/ComputerSystem.Reset", {"ResetType": reset_type})
    deadline = time.monotonic() + 30
    while power_of(server, number) != until:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def write(stack, machines, **settings):
    spec = {"stack": "racks", "providers": {"metal": settings}, "metal.machine": machines}
    stack.write("stack.yaml", json.dumps(spec))


def plan(stack, status=0, **settings):
    return stack.run("plan", "--output", "json", status=status, **settings).json


def operations(planned):
    return {action["address"]: action["operation"] for action in planned["actions"]}


def changes(planned, address):
    action = next(action for action in planned["actions"] if action["address"] == address)
    return {change["path"]: (change["effect"], change["before"], change["after"]) for change in action["changes"]}


def reasons(planned):
    return {(unread["address"], unread.get("field", "")): unread["reason"] for unread in planned["unread"]}


def is_empty(stack):
    return operations(plan(stack)) == {}
