"""What the end-to-end tests share: the program, third-party servers, and clients of theirs.

`make test` tells where things are: TRUEUP_BINARY (the program), TRUEUP_BUILD (the build folder). Without them the tests
take build/ beside the sources, so that `build/venv/bin/python -m pytest tests/e2e` works as well.
"""

import collections
import dataclasses
import gc
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import boto3
import botocore.config
import pytest
import signing_clock
from xdist.scheduler import LoadScopeScheduling

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TRUEUP_BUILD", ROOT / "build"))
BINARY = pathlib.Path(os.environ.get("TRUEUP_BINARY", BUILD / "trueup"))
# Where the environment's own programs are: moto_server, sushy-emulator.
PYTHON_PROGRAMS = pathlib.Path(sys.executable).parent

REGION = "eu-central-1"
# What a test must not inherit: settings of whoever runs the tests, and those of the make that started them.
FOREIGN = re.compile(r"^(AWS_|TRUEUP_|MAKE|MFLAGS$|GNUMAKEFLAGS$|XDG_|LC_|LANG|TZ$|NO_COLOR$|.*_proxy$|.*_PROXY$)")


def clean_environment(**settings):
    """The environment less what would change an answer, plus `settings` (None removes one)."""
    environment = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
    environment.update(LC_ALL="C.UTF-8", TZ="UTC")
    environment.update(settings)
    return {name: str(value) for name, value in environment.items() if value is not None}


# Files whose tests share, by their first parameter, what takes longer to set up than most of them take.
SHARING = {"test_kill.py"}


class OneByOne(LoadScopeScheduling):
    """Gives the workers one test at a time; those that share to one of them, and as the largest scopes before all others."""

    def _split_scope(self, nodeid):
        file = nodeid.partition("::")[0]
        shared = re.search(r"\[\w+", nodeid) if file.rpartition("/")[2] in SHARING else None
        return file + shared.group() if shared else nodeid


def pytest_xdist_make_scheduler(config, log):
    """In place of xdist's own groups, which it writes into what pytest 9.2 reads no more: its tests' ids."""
    return OneByOne(config, log) if config.getvalue("dist") == "loadgroup" else None


# Files whose tests ask one thing of every field, at every point where a run may end, or of every seed. Of each test's
# rows one in ONE_IN is the sample that `make test` takes, the first always; `make thorough` takes the others.
MANY_ROWS = {
    "test_bad_answers.py",
    "test_bad_listings.py",
    "test_blocked_output.py",
    "test_comes_late.py",
    "test_conformance.py",
    "test_conformance_members.py",
    "test_cut_between.py",
    "test_cut_off.py",
    "test_faults.py",
    "test_frame.py",
    "test_handed_back.py",
    "test_handover.py",
    "test_handover_names.py",
    "test_handover_routes.py",
    "test_kill.py",
    "test_lease.py",
    "test_lost_state.py",
    "test_metal.py",
    "test_metal_controllers.py",
    "test_rebuild_unfinished.py",
    "test_refused_unseen.py",
    "test_rename.py",
    "test_run_between.py",
    "test_secret_to_cut_off.py",
    "test_sent_again.py",
    "test_sent_again_as_planned.py",
    "test_sent_again_waits.py",
    "test_simulation.py",
    "test_state_rebuild.py",
    "test_switched_by_others.py",
    "test_take_back.py",
    "test_undo.py",
    "test_undo_cut_off.py",
    "test_undo_emptied.py",
    "test_undo_kinds.py",
    "test_undo_left_behind.py",
    "test_walks.py",
    "test_walks_by_hand.py",
    "test_walks_rebuilt.py",
    "test_walks_undone.py",
}
ONE_IN = 8


def pytest_addoption(parser):
    parser.addoption(
        "--rows", choices=("all", "sample", "others"), default="all", help="which rows of the files with many"
    )


def pytest_collection_modifyitems(config, items):
    """Keeps the rows that --rows asks for."""
    wanted = config.getoption("rows")
    if wanted == "all":
        return
    rows_before = collections.Counter()
    parts = {"sample": [], "others": []}
    for item in items:
        test = item.nodeid.partition("[")[0]
        in_sample = item.path.name not in MANY_ROWS or rows_before[test] % ONE_IN == 0
        rows_before[test] += 1
        parts["sample" if in_sample else "others"].append(item)
    items[:] = parts.pop(wanted)
    [left_out] = parts.values()
    config.hook.pytest_deselected(items=left_out)


def pytest_configure():
    """Under nohup a program starts with SIGHUP ignored, and what it starts as well; what is handled it does not inherit."""
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


def pytest_collection_finish():
    """What was loaded stays to the end: looked through by each collection, it cost a tenth of the tests' time."""
    gc.freeze()


@dataclasses.dataclass
class Result:
    """How a run of the program ended."""

    command: list
    status: int
    out: str
    err: str
    seconds: float

    @property
    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return f"$ {' '.join(map(str, self.command))}\n{self.out}{self.err}[exit status {self.status}]"


class Stack:
    """A folder with specs and the program run in it.

    `environment` holds for every run of this stack; it starts with credentials that no real account has, the region,
    and no endpoint: a test sets AWS_ENDPOINT_URL to "sim:", "sim:FILE" or a server's address.
    """

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {
            "HOME": str(self.folder),
            "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            "AWS_REGION": REGION,
            # What a lost create may have made shows at once on the servers of the tests.
            "TRUEUP_GRACE": "2",
        }

    def write(self, name, text):
        """Writes a file of the stack; bytes as they are, text as UTF-8."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def start(self, *arguments, **settings):
        """Starts the program without waiting; the caller ends it. `settings` are as in clean_environment()."""
        return subprocess.Popen(
            [BINARY, *map(str, arguments)],
            cwd=self.folder,
            env=clean_environment(**{**self.environment, **settings}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments, status=0, given="", timeout_s=60, **settings):
        """Runs the program to its end and demands its exit status: a number, some of them, or None for any."""
        command = [BINARY, *map(str, arguments)]
        began = time.monotonic()
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=clean_environment(**{**self.environment, **settings}),
            input=given.encode(),
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
        result = Result(
            ["trueup", *arguments],
            done.returncode,
            done.stdout.decode("utf-8", "backslashreplace"),
            done.stderr.decode("utf-8", "backslashreplace"),
            time.monotonic() - began,
        )
        wanted = status if isinstance(status, (tuple, list, set, range)) else [status]
        if status is not None and result.status not in wanted:
            pytest.fail(f"wanted exit status {status}:\n{result}", pytrace=True)
        return result


@pytest.fixture
def stack(tmp_path):
    """An empty stack in a folder of its own."""
    folder = tmp_path / "stack"
    folder.mkdir()
    return Stack(folder)


@pytest.fixture
def make_stack(tmp_path):
    """make_stack("name") gives further stacks, each in a folder of its own."""

    def make(name):
        folder = tmp_path / name
        folder.mkdir()
        return Stack(folder)

    return make


@pytest.fixture(scope="session")
def root():
    """The folder of the sources."""
    return ROOT


@pytest.fixture(scope="session")
def binary():
    """The program under test."""
    assert BINARY.exists(), f"{BINARY} is not built: run `make`"
    return BINARY


def serve(server):
    """Lets an http.server answer, in a thread of its own; its shutdown() takes half a second where it looks seldom."""
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()


class Server:
    """A third-party server on a free port of 127.0.0.1, which tells its address on its output when it is ready."""

    ready_within_s = 60

    def __init__(self, command, **settings):
        self.command = [str(word) for word in command]
        self.output = []
        self.address = None
        self._found = threading.Event()
        self._process = subprocess.Popen(
            self.command,
            env=clean_environment(PYTHONUNBUFFERED="1", **settings),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        # Reads on for the server's whole life, or a full pipe would stop it.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._found.wait(self.ready_within_s)
        if self.address is None:
            self.stop()
            raise RuntimeError(f"{self.command[0]} did not start:\n{''.join(self.output)}")

    def _read(self):
        for line in self._process.stdout:
            self.output.append(line)
            match = re.search(r"Running on (https?://127\.0\.0\.1:\d+)", line)
            if match and self.address is None:
                self.address = match.group(1)
                self._found.set()
        self._found.set()

    def stop(self):
        """Ends the server; when this returns its port and files are free."""
        self._process.kill()
        self._process.wait()
        self._reader.join()


# No test asks for the images that moto would make, some hundred anew after each reset.
MOTO_SETTINGS = {"MOTO_EC2_LOAD_DEFAULT_AMIS": "false"}


class Moto(Server):
    """moto's server: AWS as a third party reads its API."""

    def __init__(self):
        super().__init__([PYTHON_PROGRAMS / "moto_server", "-H", "127.0.0.1", "-p", "0"], **MOTO_SETTINGS)

    def post(self, path, body=b""):
        """Calls the server's own interface, such as /moto-api/reset."""
        # Of a form, the type that would be sent unasked, the server keeps no body.
        kind = {"Content-Type": "application/octet-stream"}
        request = urllib.request.Request(self.address + path, data=body, headers=kind, method="POST")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def reset(self):
        """Forgets everything and makes the same ids from now on; signatures are not checked."""
        self.post("/moto-api/reset-auth", b"inf")
        self.post("/moto-api/reset")
        self.post("/moto-api/seed?a=1")

    def client(self, service, region=REGION):
        """A boto3 client of this server: what is live is judged by it, never by our own code."""
        return aws_client(service, self.address, region)


def aws_client(service, endpoint, region=REGION):
    """A boto3 client that talks to `endpoint` alone and repeats nothing."""
    return boto3.client(
        service,
        endpoint_url=endpoint,
        region_name=region,
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
        config=botocore.config.Config(retries={"total_max_attempts": 1}, proxies={}),
    )


@pytest.fixture(scope="session")
def moto_server():
    """One server for all tests of a worker; take `moto` in a test."""
    server = Moto()
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def real_time():
    """No test signs in the time to which the one before it had moved a simulator's clock."""
    signing_clock.follow()


@pytest.fixture
def moto(moto_server):
    """moto's server, empty."""
    moto_server.reset()
    return moto_server


@pytest.fixture
def cloud(stack):
    """A simulated cloud, empty, for `stack`."""
    from trueup_runner import SimulatedCloud  # which takes from here itself

    cloud = SimulatedCloud(stack)
    yield cloud
    cloud.close()


@pytest.fixture
def redfish(tmp_path):
    """redfish(machines, **settings) starts sushy-tools' Redfish emulator with these machines.

    A machine is a dictionary as SUSHY_EMULATOR_FAKE_SYSTEMS takes it: uuid, name, power_state, nics. Further settings
    go into its configuration: redfish(machines, SSL_CERT="cert.pem", SSL_KEY="key.pem", AUTH_FILE="htpasswd").
    """
    servers = []

    def start(machines, **settings):
        configuration = {
            "FAKE_DRIVER": True,
            "FAKE_SYSTEMS": machines,
            "LISTEN_IP": "127.0.0.1",
            "LISTEN_PORT": 0,
            "FEATURE_SET": "full",
            # Its records would otherwise go into one folder for all emulators of the machine.
            "STATE_DIR": str(tmp_path / f"redfish-{len(servers)}"),
            **settings,
        }
        pathlib.Path(configuration["STATE_DIR"]).mkdir()
        path = tmp_path / f"redfish-{len(servers)}.conf"
        path.write_text("".join(f"SUSHY_EMULATOR_{name} = {value!r}\n" for name, value in configuration.items()))
        servers.append(Server([PYTHON_PROGRAMS / "sushy-emulator", "--config", path]))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def source_copy(tmp_path):
    """A copy of the tree without what was built, for tests that plant something in it."""
    copy = tmp_path / "tree"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "build", "build-*", "venv", "__pycache__"))
    return copy
