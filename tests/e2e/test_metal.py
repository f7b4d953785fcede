"""metal.machine: machines that exist, through Redfish, against sushy-tools' emulator, the simulator and hostile servers.

What a machine is and does is asked of the emulator itself, never of the program under test.
"""

import base64
import contextlib
import datetime
import http.server
import ipaddress
import json
import pathlib
import re
import threading
import time
import urllib.request

import bcrypt
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

USER, PASSWORD = "ops", "correct horse"
UNREAD, PARTLY = 3, 7


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


# --- Certificates and passwords.


def certificate(folder, name):
    """A self-signed certificate for 127.0.0.1 and its key; the paths of both."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(alternative, critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / f"{name}.pem", folder / f"{name}.key"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return tuple(map(str, paths))


@pytest.fixture
def guarded(redfish, tmp_path):
    """An emulator behind TLS and a password, and the paths of its certificate and of another."""
    right, other = certificate(tmp_path, "right"), certificate(tmp_path, "other")
    passwords = tmp_path / "htpasswd"
    passwords.write_text(f"{USER}:{bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()}\n")
    server = redfish([machine(1)], SSL_CERT=right[0], SSL_KEY=right[1], AUTH_FILE=str(passwords))
    assert server.address.startswith("https://")
    return server, {"right": right[0], "other": other[0]}


SECRET = {"BMC_PASSWORD": PASSWORD}


# Rows: settings (a certificate by its name), the environment, and part of why nothing is read, or None.
@pytest.mark.parametrize(
    "settings, environment, reason",
    [
        ({"user": USER, "password_env": "BMC_PASSWORD", "ca_file": "right"}, SECRET, None),
        ({"user": USER, "password": PASSWORD, "ca_file": "right"}, {}, None),
        ({"user": USER, "password_env": "BMC_PASSWORD", "insecure": True}, SECRET, None),
        ({"user": USER, "password_env": "BMC_PASSWORD", "ca_file": "other"}, SECRET, "cannot verify the certificate"),
        ({"user": USER, "password_env": "BMC_PASSWORD"}, SECRET, "cannot verify the certificate"),
        ({"user": USER, "password": "wrong", "ca_file": "right"}, {}, "HTTP 401, the user or the password is not"),
        ({"user": "root", "password": PASSWORD, "ca_file": "right"}, {}, "HTTP 401"),
        ({"ca_file": "right"}, {}, "HTTP 401"),
    ],
)
def test_who_is_believed(stack, guarded, settings, environment, reason):
    server, certificates = guarded
    if "ca_file" in settings:
        settings = {**settings, "ca_file": certificates[settings["ca_file"]]}
    write(stack, {"m": {"controller": system_url(server, 1), "macs": [mac_of(1)]}}, **settings)
    result = stack.run("plan", "--output", "json", status=UNREAD if reason else 0, **environment)
    if reason:
        assert reason in reasons(result.json)["metal.machine.m", ""]
    else:
        assert operations(result.json) == {"metal.machine.m": "adopt"}
    assert ("is insecure" in result.err) == ("insecure" in settings)


# Rows: settings and part of the error.
@pytest.mark.parametrize(
    "settings, error",
    [
        ({"user": USER, "password_env": "BMC_PASSWORD"}, "BMC_PASSWORD, which is not set"),
        ({"user": USER}, "has a user but no password"),
        ({"user": USER, "password": "a", "password_env": "B"}, "has both 'password' and 'password_env'"),
        ({"ca_file": "absent.pem"}, "absent.pem"),
        ({"endpoint": "https://10.0.0.1"}, "cannot have the endpoint"),
        ({"usr": "x"}, "has no field 'usr'"),
    ],
)
def test_wrong_settings_are_errors(stack, settings, error):
    write(stack, {"m": {"controller": "https://127.0.0.1:1"}}, **settings)
    assert error in stack.run("plan", status=1).err


def test_a_password_is_kept_nowhere(stack, guarded):
    """A saved plan works with a password from the environment, and neither plan nor record holds one."""
    server, certificates = guarded
    for setting, environment in ({"password": PASSWORD}, {}), ({"password_env": "BMC_PASSWORD"}, SECRET):
        write(
            stack,
            {"m": {"controller": system_url(server, 1), "power": "on"}},
            user=USER,
            ca_file=certificates["right"],
            **setting,
        )
        result = stack.run("plan", "--out", "p.plan", **environment)
    assert PASSWORD not in result.out + result.err
    stack.run("apply", "p.plan", "--yes", **SECRET)
    encoded = base64.b64encode(f"{USER}:{PASSWORD}".encode())
    for path in [path for path in pathlib.Path(stack.folder).rglob("*") if path.is_file()]:
        text = path.read_bytes()
        assert encoded not in text and (path.name == "stack.yaml" or PASSWORD.encode() not in text), path


def test_plain_http_is_refused_unless_allowed(stack, redfish):
    server = redfish([machine(1)])
    write(stack, {"m": {"controller": system_url(server, 1)}})
    assert "allow_plain" in reasons(plan(stack, status=UNREAD))["metal.machine.m", ""]
    assert not any("GET" in line for line in server.output)


# --- Hostile and broken controllers.


class Controller:
    """A server of pages: {path: body, or (status, headers, body)}; `seen` holds the requests that arrived."""

    def __init__(self, pages):
        self.pages, self.seen = pages, []
        controller = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                controller.seen.append(self.path)
                page = controller.pages.get(self.path, (404, {}, "{}"))
                status, headers, body = page if isinstance(page, tuple) else (200, {}, page)
                data = body if isinstance(body, bytes) else body.encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


ROOT = {"/redfish/v1/": '{"Systems": {"@odata.id": "/redfish/v1/Systems"}}'}
ONE = {**ROOT, "/redfish/v1/Systems": '{"Members": [{"@odata.id": "/redfish/v1/Systems/1"}]}'}

# Rows: the pages, with OTHER for the address of another server, and part of the reason why nothing was read.
HOSTILE = {
    "another-host": ({"/redfish/v1/": '{"Systems": {"@odata.id": "OTHER/redfish/v1/Systems"}}'}, "does not stay on it"),
    "another-host-without-scheme": ({"/redfish/v1/": '{"Systems": {"@odata.id": "//OTHER"}}'}, "does not stay on it"),
    "redirect": ({"/redfish/v1/": (302, {"Location": "OTHER/redfish/v1/"}, "")}, "never followed"),
    "huge": ({"/redfish/v1/": '{"x": "' + "a" * (2 << 20) + '"}'}, "too large an answer"),
    "deep": ({"/redfish/v1/": '{"a":' * 100000 + "1" + "}" * 100000}, "nested more than 64 levels"),
    "half": ({"/redfish/v1/": (200, {"Content-Length": "1000"}, '{"Systems"')}, "no complete answer"),
    "html": ({"/redfish/v1/": "<html>starting</html>"}, "is not valid JSON"),
    "nothing": ({}, "HTTP 404, there is nothing at this address"),
    "broken": ({"/redfish/v1/": (500, {}, "oops")}, "HTTP 500, the controller failed"),
    "denied-system": (
        {
            **ONE,
            "/redfish/v1/Systems/1": (
                403,
                {},
                '{"error": {"@Message.ExtendedInfo": [{"Message": "Ask\\u001b[31m the admin"}]}}',
            ),
        },
        "the user may not do that: Ask [31m the admin",
    ),
    "no-system": ({**ROOT, "/redfish/v1/Systems": '{"Members": []}'}, "has no system"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_controllers(stack, name):
    other = Controller({})
    pages = {
        path: tuple(json.loads(json.dumps(page).replace("OTHER", other.address)))
        if isinstance(page, tuple)
        else page.replace("OTHER", other.address)
        for path, page in HOSTILE[name][0].items()
    }
    controller = Controller(pages)
    write(stack, {"m": {"controller": controller.address, "serial": "X"}}, allow_plain=True)
    result = stack.run("plan", "--output", "json", status=UNREAD)
    controller.close()
    other.close()
    assert operations(result.json) == {"metal.machine.m": "unread"}
    assert HOSTILE[name][1] in reasons(result.json)["metal.machine.m", ""]
    assert other.seen == []
    assert "\x1b" not in result.out + result.err


def test_a_mismatch_names_both_sides(stack):
    """Hardware that the emulator does not have."""
    system = {
        "SerialNumber": "S1",
        "Model": "R750",
        "PowerState": "On",
        "MemorySummary": {"TotalSystemMemoryGiB": 384},
        "ProcessorSummary": {"Count": 2, "Model": "Xeon"},
    }
    controller = Controller({**ONE, "/redfish/v1/Systems/1": json.dumps(system)})
    right = {"serial": "S1", "model": "R750", "memory_gib": 384, "processors": {"count": 2}}
    write(stack, {"m": {"controller": controller.address, **right}}, allow_plain=True)
    stack.run("apply", "--yes")
    assert is_empty(stack)
    wrong = {"serial": "S2", "model": "R760", "memory_gib": 512, "processors": {"count": 4}}
    write(stack, {"m": {"controller": controller.address, **wrong}}, allow_plain=True)
    errors = stack.run("plan", status=1).err
    assert "has serial 'S1', but the spec says 'S2'" in errors
    assert "has model 'R750', but the spec says 'R760'" in errors
    assert "has memory_gib 384, but the spec says 512" in errors
    assert 'has processors {"count":2,"model":"Xeon"}, but the spec says {"count":4}' in errors
    # The machine was swapped for another behind the same address.
    controller.pages["/redfish/v1/Systems/1"] = json.dumps({**system, "SerialNumber": "S9"})
    write(stack, {"m": {"controller": controller.address, **right}}, allow_plain=True)
    assert "has serial 'S9', but the spec says 'S1'" in stack.run("plan", status=1).err
    controller.close()


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
    assert simulated_power(stack) == "On"
    stack.run("sim", WORLD, "remove", "machine", "10.0.0.5")
    assert operations(plan(stack, status=UNREAD)) == {"metal.machine.m": "unread"}


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


# Rows: what goes wrong with the first request to turn it on, and whether it is on in the end.
@pytest.mark.parametrize("kind", ["lost_answer", "lost_request", "error", "unavailable", "throttle", "half_answer"])
def test_a_change_of_power_that_goes_wrong_at_first(simulated, kind):
    stack = simulated(power="on")
    stack.run("sim", WORLD, "fault", RESET, kind, "1", "1")
    stack.run("apply", "--yes")
    assert simulated_power(stack) == "On"
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


def test_interfaces_that_are_denied(simulated):
    stack = simulated(macs=[mac_of(1)], serial="S1")
    stack.run("sim", WORLD, "fault", "GET /redfish/v1/Systems/1/EthernetInterfaces", "deny")
    planned = plan(stack, status=UNREAD)
    assert operations(planned) == {"metal.machine.m": "adopt"}
    assert "EthernetInterfaces: HTTP 403" in reasons(planned)["metal.machine.m", "macs"]
    # Of no matter to a spec that says nothing of them.
    stack = simulated(serial="S1")
    assert operations(plan(stack)) == {"metal.machine.m": "adopt"}


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
