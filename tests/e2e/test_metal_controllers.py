"""metal.machine: whom it believes, and what controllers may not do to it."""

import base64
import contextlib
import http.server
import json
import pathlib
import shutil
import sqlite3
import subprocess
import threading
import time

import bcrypt
import pytest

from conftest import BINARY, clean_environment, serve
from metal_machines import (
    PARTLY,
    PASSWORD,
    REFUSED,
    UNREAD,
    USER,
    changes,
    is_empty,
    mac_of,
    machine,
    operations,
    plan,
    reasons,
    system_url,
    uuid_of,
    write,
)
from scripted_server import certificate
from test_secrets import assert_untold

# --- Certificates and passwords.


@pytest.fixture
def guarded(redfish, tmp_path):
    """An emulator behind TLS and a password, and the paths of its certificate and of another."""
    right, other = (certificate(tmp_path, name, "127.0.0.1") for name in ("right", "other"))
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


def test_a_certificate_lies_beside_the_spec(stack, make_stack, guarded):
    """Wherever the command runs: a file of that name elsewhere may be anybody's."""
    server, certificates = guarded
    elsewhere = make_stack("elsewhere")
    shutil.copy(certificates["right"], stack.folder / "bmc.pem")
    shutil.copy(certificates["other"], elsewhere.folder / "bmc.pem")
    machines = {"m": {"controller": system_url(server, 1)}}
    write(stack, machines, user=USER, password_env="BMC_PASSWORD", ca_file="bmc.pem")
    for runner, where in (stack, "."), (elsewhere, stack.folder):
        result = runner.run("-C", where, "plan", "--output", "json", **SECRET)
        assert operations(result.json) == {"metal.machine.m": "adopt"}


# Rows: settings, part of the error, and which setting it is about where the spec alone tells.
@pytest.mark.parametrize(
    "settings, error, about",
    [
        ({"user": USER, "password_env": "BMC_PASSWORD"}, "BMC_PASSWORD, which is not set", None),
        ({"user": USER}, "has a user but no password", "user"),
        ({"password_env": "B"}, "has a password but no user", "password_env"),
        ({"user": USER, "password": "a", "password_env": "B"}, "has both 'password' and 'password_env'", "password"),
        ({"user": "a:b", "password": "a"}, "basic authentication forbids", "user"),
        ({"ca_file": "absent.pem"}, "absent.pem", None),
        ({"ca_file": "absent.pem", "insecure": True}, "has both 'ca_file' and 'insecure'", "insecure"),
        ({"endpoint": "https://10.0.0.1"}, "cannot have the endpoint", "endpoint"),
        ({"usr": "x"}, "has no field 'usr'", "usr"),
    ],
)
def test_wrong_settings_are_errors(stack, settings, error, about):
    write(stack, {"m": {"controller": "https://127.0.0.1:1"}}, **settings)
    assert error in stack.run("plan", status=1).err
    document = stack.run("validate", "--output", "json", status=1 if about else 0).json
    assert [error in one["message"] for one in document["diagnostics"]] == ([True] if about else [])
    lines = (stack.folder / "stack.yaml").read_text().splitlines()
    assert all(about in lines[one["line"] - 1] for one in document["diagnostics"])


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


BASIC = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
TOLD = {"SerialNumber": "S1", "PowerState": "On"}

# Rows: the page of the system, and what the plan ends with.
ECHOES = {
    "refused": ((401, {}, json.dumps({"error": {"message": f"bad {PASSWORD} {BASIC}"}})), UNREAD),
    "explained": (
        (400, {}, json.dumps({"error": {"@Message.ExtendedInfo": [{"Message": f"{PASSWORD} of Basic {BASIC}"}]}})),
        UNREAD,
    ),
    "as a value": (json.dumps({**TOLD, "Model": PASSWORD, "Manufacturer": f"by {BASIC}"}), 0),
}


@pytest.mark.parametrize("name", ECHOES)
def test_a_password_that_is_echoed(stack, name):
    page, status = ECHOES[name]
    controller = Controller({**ONE, "/redfish/v1/Systems/1": page})
    write(
        stack,
        {"m": {"controller": controller.address, "serial": "S1"}},
        user=USER,
        password_env="BMC_PASSWORD",
        allow_plain=True,
    )
    said = ""
    for command in ["plan", "--out", "p.plan"], ["apply", "--yes"], ["drift", "--output", "json"], ["plan"]:
        result = stack.run(*command, status=status, **SECRET)
        said += result.out + result.err
    for command in ["show", "p.plan"], ["state", "show", "metal.machine.m"]:
        said += stack.run(*command, status=(0, 1, status)).out
    controller.close()
    assert "(secret)" in said or "secret~" in said
    assert ("nothing to do" in said) == (status == 0)
    assert_untold(said, PASSWORD)
    for path in [path for path in pathlib.Path(stack.folder).rglob("*") if path.is_file()]:
        assert_untold(path.read_bytes(), PASSWORD)


def test_plain_http_is_refused_unless_allowed(stack, redfish):
    server = redfish([machine(1)])
    write(stack, {"m": {"controller": system_url(server, 1)}})
    assert "allow_plain" in reasons(plan(stack, status=UNREAD))["metal.machine.m", ""]
    assert not any("GET" in line for line in server.output)


# --- Hostile and broken controllers.


class Controller:
    """A server of pages: {path: body, or (status, headers, body)}; `seen` holds the requests that arrived."""

    protocol = "HTTP/1.0"

    def __init__(self, pages):
        self.pages, self.seen = pages, []
        controller = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = controller.protocol

            def do_GET(self):
                controller.seen.append(self.path)
                self.answer(controller.page(self.path))

            def answer(self, page):
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

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.answer(controller.post(self.path))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        serve(self.server)

    def page(self, path):
        return self.pages.get(path, (404, {}, "{}"))

    def post(self, path):
        return 404, {}, "{}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Crowded(Controller):
    """One of many systems that takes so many requests at once, and is busy for all others."""

    def __init__(self, systems, most):
        paths = [f"/redfish/v1/Systems/{number}" for number in range(systems)]
        members = json.dumps({"Members": [{"@odata.id": path} for path in paths]})
        pages = {path: json.dumps({"SerialNumber": path}) for path in paths}
        super().__init__({**ROOT, "/redfish/v1/Systems": members, **pages})
        self.free, self.turned_away = threading.Semaphore(most), 0

    def page(self, path):
        if not self.free.acquire(blocking=False):
            self.turned_away += 1
            return 503, {}, json.dumps({"error": {"message": "the maximum number of sessions is reached"}})
        time.sleep(0.2)
        self.free.release()
        return super().page(path)


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
    "error-in-200": (
        {**ONE, "/redfish/v1/Systems/1": '{"error": {"code": "Base.1.0.GeneralError", "message": "Starting"}}'},
        "HTTP 200, and yet an error: Starting",
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


def test_a_controller_of_few_sessions(stack):
    """Its systems are asked side by side; who is turned away asks again until it is let in."""
    controller = Crowded(systems=16, most=3)
    machines = {f"m{number}": {"controller": controller.address, "system": str(number)} for number in range(16)}
    write(stack, machines, allow_plain=True)
    assert set(operations(plan(stack)).values()) == {"adopt"}
    controller.close()
    assert controller.turned_away > 0


class Lasting(Controller):
    """Keeps its connections open."""

    protocol = "HTTP/1.1"


def test_a_uuid_in_other_letters_is_the_same(stack):
    """As after a controller's update: it is one number however it is written (RFC 9562, 4)."""
    uuid = "4c4c4544-0035-3010-8052-b7c04f4a3732"
    controller = Controller({**ONE, "/redfish/v1/Systems/1": json.dumps({**TOLD, "UUID": uuid})})
    write(stack, {"m": {"controller": controller.address}}, allow_plain=True)
    stack.run("apply", "--yes")
    controller.pages["/redfish/v1/Systems/1"] = json.dumps({**TOLD, "UUID": uuid.upper()})
    stack.run("drift")
    assert is_empty(stack)
    controller.pages["/redfish/v1/Systems/1"] = json.dumps({**TOLD, "UUID": uuid.replace("4c", "5c")})
    assert "uuid" in stack.run("drift", status=2).out
    controller.close()


def test_an_id_that_is_another_where_it_stands_is_recorded(stack):
    """As after a controller's update: the machine is known by its serial, and the record follows."""
    controller = Controller({**ONE, "/redfish/v1/Systems/1": json.dumps(TOLD)})
    write(stack, {"m": {"controller": controller.address}}, allow_plain=True)
    stack.run("apply", "--yes")
    controller.pages["/redfish/v1/Systems/Self"] = controller.pages.pop("/redfish/v1/Systems/1")
    listed = controller.pages["/redfish/v1/Systems"]
    controller.pages["/redfish/v1/Systems"] = listed.replace("/Systems/1", "/Systems/Self")
    stack.run("apply", "--yes")
    for command in (["state", "list"], ["state", "show", "metal.machine.m"]):
        told = stack.run(*command).out
        assert "/Systems/Self" in told and "/Systems/1" not in told
    stack.run("drift")
    assert is_empty(stack)
    controller.close()


def test_a_uuid_that_is_told_no_more(stack):
    """Where nothing else tells the machine from another one, nothing is known of it."""
    name = "/redfish/v1/Systems/1"
    told = {"UUID": "4c4c4544-0035-3010-8052-b7c04f4a3732", "PowerState": "On"}
    controller = Controller({**ONE, name: json.dumps(told)})
    write(stack, {"m": {"controller": controller.address}}, allow_plain=True)
    stack.run("apply", "--yes")
    for untold in ({}, {"UUID": None}, {"UUID": ""}):
        controller.pages[name] = json.dumps({"PowerState": "On", **untold})
        result = stack.run("drift", "--output", "json", status=UNREAD)
        assert "its 'uuid' is not told" in reasons(result.json)["metal.machine.m", ""]
    controller.pages[name] = json.dumps({**told, "UUID": told["UUID"].replace("4c", "5c")})
    assert "uuid" in stack.run("drift", status=2).out
    controller.pages[name] = json.dumps(told)
    stack.run("drift")
    controller.close()


def test_an_interface_that_is_counted_and_not_listed(stack):
    """Its address is not gone for that."""
    name, folder = "/redfish/v1/Systems/1", "/redfish/v1/Systems/1/EthernetInterfaces"
    listed = json.dumps({"Members@odata.count": 1, "Members": [{"@odata.id": f"{folder}/1"}]})
    pages = {
        name: json.dumps({**TOLD, "EthernetInterfaces": {"@odata.id": folder}}),
        folder: listed,
        f"{folder}/1": json.dumps({"MACAddress": mac_of(1)}),
    }
    controller = Controller({**ONE, **pages})
    write(stack, {"m": {"controller": controller.address}}, allow_plain=True)
    stack.run("apply", "--yes")
    controller.pages[folder] = json.dumps({"Members@odata.count": 1, "Members": []})
    assert set(reasons(stack.run("drift", "--output", "json", status=UNREAD).json)) == {("metal.machine.m", "macs")}
    controller.pages[folder] = json.dumps({"Members@odata.count": 0, "Members": []})
    assert f"macs[{mac_of(1)}]  removed outside" in stack.run("drift", status=2).out
    controller.pages[folder] = listed
    stack.run("drift")
    controller.close()


def test_boards_of_one_serial_number_that_tell_no_uuid(stack):
    """They are two machines for all that is known."""
    pages = [json.dumps({**TOLD, "UUID": f"4c4c4544-0035-3010-8052-b7c04f4a373{i}"}) for i in range(2)]
    controllers = [Controller({**ONE, "/redfish/v1/Systems/1": page}) for page in pages]
    write(stack, {f"m{i}": {"controller": each.address} for i, each in enumerate(controllers)}, allow_plain=True)
    stack.run("apply", "--yes")
    for controller in controllers:
        controller.pages["/redfish/v1/Systems/1"] = json.dumps(TOLD)
    assert is_empty(stack)
    for controller in controllers:
        controller.close()


def test_more_controllers_than_descriptors(stack):
    """What waits for another request makes room for who waits for a connection."""
    controllers = [Lasting({**ONE, "/redfish/v1/Systems/1": json.dumps({"SerialNumber": "S"})}) for _ in range(60)]
    write(stack, {f"m{i}": {"controller": each.address} for i, each in enumerate(controllers)}, allow_plain=True)
    planned = subprocess.run(
        ["sh", "-c", 'ulimit -n 40; exec "$@"', "sh", BINARY, "plan", "--output", "json"],
        cwd=stack.folder,
        env=clean_environment(**stack.environment),
        capture_output=True,
        check=False,
    )
    for controller in controllers:
        controller.close()
    assert set(operations(json.loads(planned.stdout)).values()) == {"adopt"}, planned.stderr


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


class Swapped(Controller):
    """Its machine is another one, of another `mark`, from the first request on to turn it; that is answered with
    `status`, or not at all."""

    def __init__(self, status, mark="SerialNumber"):
        self.status, self.mark, self.turned, self.closing = status, mark, [], threading.Event()
        super().__init__(ONE)

    def page(self, path):
        if not path.endswith("/Systems/1"):
            return super().page(path)
        target = {"target": f"{path}/Actions/ComputerSystem.Reset"}
        is_on = len(self.turned) > 1 or (self.turned and self.status in (None, 204))
        return json.dumps(
            {
                self.mark: "S2" if self.turned else "S1",
                "PowerState": "On" if is_on else "Off",
                "Actions": {"#ComputerSystem.Reset": target},
            }
        )

    def post(self, path):
        self.turned.append(path)
        if self.status is None:
            self.closing.wait(60)
        return (self.status or 204 if len(self.turned) == 1 else 204), {}, ""


# Rows: how the only request is answered, and the status: a change that was taken is one.
@pytest.mark.parametrize("status, ends", [(503, REFUSED), (204, PARTLY)])
@pytest.mark.parametrize("recorded", [False, True], ids=["new", "recorded"])
def test_another_machine_amid_the_change_is_left_alone(stack, recorded, status, ends):
    controller = Swapped(status)
    if recorded:
        write(stack, {"m": {"controller": controller.address}}, allow_plain=True)
        stack.run("apply", "--yes")
    write(stack, {"m": {"controller": controller.address, "power": "on"}}, allow_plain=True)
    result = stack.run("apply", "--yes", status=ends)
    assert "another machine is in its place by now, whose 'serial' is \"S2\", not \"S1\"" in result.err
    assert len(controller.turned) == 1
    if recorded:
        assert "serial" in stack.run("drift", status=2).out
    elif status == 503:
        assert stack.run("state", "list", "--output", "json").json["objects"] == []
    controller.close()


@pytest.mark.parametrize("mark, output", [("SerialNumber", "serial"), ("UUID", "uuid")])
def test_another_machine_shows_nothing_of_a_call_that_was_cut_off(stack, mark, output):
    """Its power is no work of that call, and it is told as another one before and after recovery."""
    controller = Swapped(None, mark)
    write(stack, {"m": {"controller": controller.address}}, allow_plain=True)
    stack.run("apply", "--yes")
    write(stack, {"m": {"controller": controller.address, "power": "on"}}, allow_plain=True)
    process = stack.start("apply", "--yes")
    deadline = time.monotonic() + 30
    while not controller.turned:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.kill()
    process.communicate()
    controller.closing.set()
    time.sleep(1.1)
    assert f"{output} " in stack.run("drift", "--grace", "1", status=2).out
    stack.run("recover", "--grace", "1")
    with sqlite3.connect(stack.folder / ".trueup" / "state.db") as database:
        assert database.execute("SELECT outcome FROM history").fetchall() == [("absent",)]
    drift = stack.run("drift", "--output", "json", status=2)
    assert {output, "power"} <= set(changes(drift.json, "metal.machine.m"))
    assert "S1" in stack.run("state", "show", "metal.machine.m").out
    # Whoever applies has seen that it is taken on in the place of the other one.
    assert set(changes(plan(stack), "metal.machine.m")) >= {output}
    stack.run("apply", "--yes")
    assert is_empty(stack)
    assert len(controller.turned) == 1
    controller.close()


def test_one_machine_described_twice_is_an_error(stack, redfish):
    """Each would be turned on for the one resource and off for the other, for ever."""
    server = redfish([machine(1), machine(2)])
    web = {"controller": server.address, "system": uuid_of(1)}
    write(stack, {"lit": {**web, "power": "on"}, "dark": {**web, "power": "off"}}, allow_plain=True)
    for command in "validate", "plan":
        [error] = stack.run(command, "--output", "json", status=1).json["diagnostics"]
        assert "same 'controller', 'system'" in error["message"] and "metal.machine.lit" in error["message"], error
    # What only the machine itself tells: the plan reads it, and says so before anything is turned.
    machines = {"lit": web, "dark": {"controller": system_url(server, 1)}, "two": {**web, "system": uuid_of(2)}}
    write(stack, machines, allow_plain=True)
    stack.run("validate")
    [error] = stack.run("apply", "--yes", "--output", "json", status=1).json["diagnostics"]
    assert "the same thing" in error["message"] and "two" not in error["message"], error
    assert error["file"] == "stack.yaml"
    assert stack.run("state", "list", "--output", "json").json["objects"] == []
