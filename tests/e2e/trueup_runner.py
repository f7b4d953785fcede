"""The program at work: specs as values, what a run said, and the clouds it runs against."""

import contextlib
import dataclasses
import datetime
import functools
import http.client
import http.server
import json
import os
import re
import resource
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse

import boto3
import botocore.config
import botocore.exceptions
import signing_clock

from conftest import BINARY, BUILD, REGION, Result, Stack, clean_environment, serve

TARGET = "main"


class Ref(str):
    """An address in a field that refers to another resource; a spec names it, a service knows its id."""


class ByName(Ref):
    """A reference that the service answers with the other's name, which here is that of the resource too."""


class Expression(str):
    """A value that no one knows before it is worked out."""


def as_written(value):
    """A value as a spec has it: a reference by the name behind its kind."""
    if isinstance(value, Ref):
        return value.rsplit(".", 1)[1]
    if isinstance(value, dict):
        return {key: as_written(each) for key, each in value.items()}
    if isinstance(value, list):
        return [as_written(each) for each in value]
    return value


def spec_text(resources, stack="conformance", **sections):
    """A spec of {kind: {name: fields}}; JSON, which is YAML too."""
    return json.dumps({"stack": stack, **sections, **as_written(resources)}, indent=2) + "\n"


@dataclasses.dataclass
class Action:
    """One line of a plan."""

    data: dict

    @property
    def operation(self):
        return self.data["operation"]

    @property
    def changes(self):
        return self.data["changes"]

    def fields(self):
        """The top-level fields that change: "ingress" of "ingress[tcp 22 22]", "tags" of "tags.team"."""
        return {re.match(r"[a-z0-9_]+", change["path"]).group() for change in self.changes}

    def effects(self):
        return {change["effect"] for change in self.changes}


@dataclasses.dataclass
class Plan:
    """A plan as `--output json` tells it."""

    status: int
    data: dict

    @property
    def actions(self):
        return {action["address"]: Action(action) for action in self.data["actions"]}

    def operations(self):
        """{address: operation}; an address may stand there twice, with a deposed object."""
        return {address: action.operation for address, action in self.actions.items()}

    def __str__(self):
        lines = [f"exit status {self.status}"]
        for action in self.data["actions"]:
            lines.append(f"{action['operation']} {action['address']}: {action['reason']}")
            lines += [
                f"    {each['path']} ({each['cause']}, {each['effect']}) {each['before']} -> {each['after']}"
                for each in action["changes"]
            ]
        lines += [f"unread {each}" for each in self.data["unread"]]
        lines += [f"{each['severity']} {each['message']}" for each in self.data["diagnostics"]]
        return "\n".join(lines)


def errors_of(document):
    return [each for each in document["diagnostics"] if each["severity"] == "error"]


def plan(stack, *arguments, status=None, **settings):
    """Plans and holds the exit status against what the plan says."""
    result = stack.run("plan", "--output", "json", "--detailed-exitcode", *arguments, status=None, **settings)
    assert result.out, f"no document:\n{result}"
    document = result.json
    # What the program says of itself must agree with how it ends.
    assert document["status"] == result.status, result
    if result.status in (0, 2):
        assert (result.status == 2) == bool(document["actions"]), result
    if status is not None:
        assert result.status == status, result
    return Plan(result.status, document)


def plan_is_empty(stack, **settings):
    planned = plan(stack, **settings)
    assert planned.status == 0 and planned.data["actions"] == [], str(planned)


def apply(stack, *arguments, **settings):
    return stack.run("apply", "--yes", *arguments, **settings)


def ids_of(stack):
    """{address: the service's id} of what is recorded and current."""
    listed = stack.run("state", "list", "--output", "json").json
    return {each["address"]: each["provider_id"] for each in listed["objects"] if each["role"] == "current"}


@functools.cache
def _client(service, address, region, key):
    """To make one takes longer than most tests, so they are kept."""
    return boto3.client(
        service,
        endpoint_url=address,
        region_name=region,
        aws_access_key_id=key[0],
        aws_secret_access_key=key[1],
        config=botocore.config.Config(retries={"total_max_attempts": 1}, proxies={}),
    )


class _Forwarder:
    """One address for the simulated clouds of all tests of a worker, so that its clients can be kept."""

    def __init__(self):
        self.port = None
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            near, _ = self._listener.accept()
            threading.Thread(target=self._forward, args=(near,), daemon=True).start()

    def _forward(self, near):
        with contextlib.suppress(OSError), near, socket.create_connection(("127.0.0.1", self.port)) as far:
            threading.Thread(target=self._pump, args=(near, far), daemon=True).start()
            self._pump(far, near)

    @staticmethod
    def _pump(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


@functools.cache
def _forwarder():
    return _Forwarder()


class Cloud:
    """What a stack is applied to. Its client() is boto3: what is live is judged by that, never by our own code."""

    name = None
    key = ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")

    def __init__(self, stack):
        self.stack = stack
        stack.environment.update(
            AWS_ACCESS_KEY_ID=self.key[0], AWS_SECRET_ACCESS_KEY=self.key[1], AWS_ENDPOINT_URL=self.endpoint()
        )

    def endpoint(self):
        raise NotImplementedError

    def address(self):
        raise NotImplementedError

    def client(self, service="ec2", region=REGION):
        return _client(service, self.address(), region, self.key)

    def wait_for(self, condition):
        """What condition() gives once it gives something; the simulator's clock is moved instead of waited for."""
        for _ in range(100):
            outcome = condition()
            if outcome:
                return outcome
            self.pass_time()
        raise AssertionError("it never came to be")

    def pass_time(self):
        time.sleep(0.05)

    def close(self):
        """Ends what was started for it."""


class MotoCloud(Cloud):
    """moto's server, which the caller has emptied."""

    name = "moto"

    def __init__(self, stack, moto):
        self.moto = moto
        signing_clock.follow()
        super().__init__(stack)

    def endpoint(self):
        return self.moto.address

    def address(self):
        return self.moto.address


class SimulatedCloud(Cloud):
    """The built-in simulator: the program has its world in a file, and others reach the same file by a server."""

    name = "simulator"
    key = ("sim", "sim")
    file = "world"

    def __init__(self, stack):
        self._server = None
        self._port = None
        super().__init__(stack)

    def endpoint(self):
        # Relative, so that a copied stack has a world of its own under the same name.
        return f"sim:{self.file}"

    def address(self):
        if self._server is None:
            self._server = subprocess.Popen(
                [BUILD / "tests/sim_server", self.endpoint()],
                cwd=self.stack.folder,
                env=clean_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                text=True,
            )
            self._port = int(self._server.stdout.readline().split()[1])
        self._set_clock()
        _forwarder().port = self._port
        return _forwarder().address

    def _set_clock(self):
        text = (self.stack.folder / self.file).read_bytes() if (self.stack.folder / self.file).exists() else b""
        now = max((int(each) for each in re.findall(rb'^\{"now":(\d+)', text, re.MULTILINE)), default=None)
        moment = datetime.datetime.fromtimestamp(now / 1000, datetime.timezone.utc) if now is not None else None
        signing_clock.follow(moment and moment.replace(tzinfo=None))

    def sim(self, *words, **settings):
        """`trueup sim WORDS` on this world; gives what it says."""
        return self.stack.run("sim", *words, AWS_ENDPOINT_URL=self.endpoint(), **settings).out

    def remove(self, kind, identity):
        """Takes a thing away without a trace."""
        self.sim("remove", kind, identity)

    def change(self, kind, identity, **attributes):
        self.sim("change", kind, identity, *(f"{name}={json.dumps(value)}" for name, value in attributes.items()))

    def fault(self, action, kind, first=1, count=1):
        """What goes wrong from now on; count 0: for ever. Gives the fault's id, for heal()."""
        return self.sim("fault", action, kind, first, *([count] if count else [])).split()[-1]

    def heal(self, fault):
        self.sim("remove", "fault", fault)

    def show(self):
        """{region: {type: {id: {attribute: value}}}}"""
        return json.loads(self.sim("show"))

    def things(self, kind, region=REGION):
        return self.show().get(region, {}).get(kind, {})

    def pass_time(self):
        self.sim("pass", 1)
        self._set_clock()

    def close(self):
        if self._server:
            self._server.kill()
            self._server.wait()
            self._server.stdout.close()
            self._server = None


def found(call, *codes):
    """What a call of boto3 answers, or None where it fails with one of these codes."""
    try:
        return call()
    except botocore.exceptions.ClientError as error:
        if error.response["Error"]["Code"] in codes:
            return None
        raise


def tags_of(listed):
    """The user's own of a service's tags: what the program adds to know its objects again is left out."""
    return {each["Key"]: each["Value"] for each in listed or [] if not each["Key"].startswith("trueup:")}


def copy_stack(stack, folder):
    """The same stack with all its files, elsewhere."""
    subprocess.run(["cp", "-a", stack.folder, folder], check=True)
    copy = Stack(folder)
    copy.environment.update(stack.environment, HOME=str(folder))
    return copy


@dataclasses.dataclass
class Measured(Result):
    """A run and what it took."""

    peak_bytes: int = 0


# As root, a file's permissions mean nothing: without its capabilities they do.
POWERLESS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []


def measured(stack, *arguments, wrapper=(), timeout_s=60, **settings):
    """Runs the program, within another where `wrapper` says so, and gives its peak memory too."""
    command = [*wrapper, BINARY, *map(str, arguments)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=stack.folder,
            env=clean_environment(**{**stack.environment, **settings}),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        killer = threading.Timer(timeout_s, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
        texts = [stream.read().decode("utf-8", "backslashreplace") for stream in map(rewound, (out, err))]
    # A child begins with the peak of whoever starts it: what is no more than that tells nothing.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = usage.ru_maxrss * 1024 if usage.ru_maxrss > own else 0
    return Measured(["trueup", *arguments], process.returncode, *texts, seconds, peak)


def rewound(stream):
    stream.seek(0)
    return stream


class Wire:
    """A server on loopback that answers every request with whatever bytes answer(head) gives, and then hangs up."""

    def __init__(self, answer, tls=None):
        self.requests = 0
        self._answer = answer
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = f"{'https' if tls else 'http'}://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        # What a client that gives up does to its server is no failure of the test.
        with contextlib.suppress(OSError), connection:
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            head = b""
            # What is no request gets its answer at once.
            while b"\r\n\r\n" not in head and (not head or head[:1].isalpha()):
                more = connection.recv(65536)
                if not more:
                    return
                head += more
            self.requests += 1
            for piece in self._answer(head):
                connection.sendall(piece)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass

    def stop(self):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


class Proxy:
    """Stands between the program and a server: counts what passes, and may end the program at one point.

    at(number, action, executed) is asked before a request is passed on and after it was answered; where it says true
    the program that `victim` is then gets SIGKILL, and no answer. answer(fields) may give a body in the server's place,
    or a status and a body; amend(fields, text) what is handed on of a body that the server gave, likewise.
    """

    def __init__(self, address, at=None):
        self.actions = []
        self.victim = None
        self.answer = lambda fields: None
        self.amend = lambda fields, text: text
        self._at = at or (lambda number, action, executed: False)
        self._lock = threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                proxy.pass_on(self)

            def log_message(self, *arguments):
                """Says nothing."""

        self._upstream = urllib.parse.urlsplit(address)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        serve(self._server)

    def pass_on(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        fields = dict(urllib.parse.parse_qsl(body.decode()))
        action = fields["Action"]
        with self._lock:
            number = len(self.actions)
            self.actions.append(action)
        if self._kills(handler, number, action, False):
            return
        text = self.answer(fields)
        if text is not None:
            status, text = text if isinstance(text, tuple) else (200, text)
            self._send(handler, status, "text/xml", text)
            return
        with self._lock:
            connection = http.client.HTTPConnection(self._upstream.hostname, self._upstream.port, timeout=60)
            # Signatures cover the host that the program was told.
            connection.request("POST", handler.path, body, dict(handler.headers))
            answer = connection.getresponse()
            text = answer.read()
            connection.close()
        if self._kills(handler, number, action, True):
            return
        text = self.amend(fields, text)
        status, text = text if isinstance(text, tuple) else (answer.status, text)
        self._send(handler, status, answer.headers.get("Content-Type", "text/xml"), text)

    @staticmethod
    def _send(handler, status, kind, text):
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def _kills(self, handler, number, action, executed):
        if not self.victim or not self._at(number, action, executed):
            return False
        self.victim.kill()
        self.victim.wait()
        handler.close_connection = True
        return True

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
