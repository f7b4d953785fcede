"""The program killed (-9) at any point of its talk with a cloud, and at any moment: one more run makes all good.

A stack of 40 resources is applied to moto, half of it replaced, and all of it destroyed. Each is killed around one of
its requests: before it reaches moto, when it was executed and nothing answered, when it was answered; once, and again
while it recovers. What is live afterwards is read with boto3 and must be what an undisturbed run leaves.

As it is, a sample is taken; with IN_FULL=1 in the environment (`make kill`), every request is, and 300 moments.
"""

import collections
import concurrent.futures
import contextlib
import dataclasses
import itertools
import json
import os
import queue
import random
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

from conftest import BINARY, MOTO_SETTINGS, REGION, ROOT, Server, Stack, clean_environment
from trueup_runner import Ref, copy_stack, ids_of, plan_is_empty, spec_text

EVERYTHING = os.environ.get("IN_FULL") == "1"
# Of the requests, every how many-th is a point to be killed at.
STRIDE = 1 if EVERYTHING else 97
RANDOM_MOMENTS = 300 if EVERYTHING else 6
# How often a moment is tried that came too late.
MOMENT_TRIES = 8
# At a time; each is a server and a stack that are set up first.
AT_ONCE = 4 if EVERYTHING else 2
# About as many requests as a recovering run makes, of which the second kill picks one.
RECOVERY_REQUESTS = 60
MOMENTS = ["before", "executed", "answered"]
PROGRAM_TIMEOUT_S = 120


def network(side, resources, changed=False):
    """20 resources: a VPC and what is in it, two groups that admit each other, what else a site has."""
    block = {"left": "10.1", "right": "10.3" if changed else "10.2"}[side]
    vpc = Ref(f"aws.vpc.{side}")
    resources["aws.vpc"][side] = {"cidr": f"{block}.0.0/16", "dns_hostnames": True}
    for number in range(7):
        resources["aws.subnet"][f"{side}-{number}"] = {
            "vpc": vpc,
            "cidr": f"{block}.{number}.0/24",
            "public": number == 0,
        }
    resources["aws.internet_gateway"][side] = {"vpc": vpc, "tags": {"Name": "changed" if changed else "first"}}
    resources["aws.vpn_gateway"][side] = {"vpc": vpc}
    for name, destination, gateway, subnets in [
        ("outer", "0.0.0.0/0", "internet_gateway", (0, 1)),
        ("inner", "192.168.0.0/16", "vpn_gateway", (2,)),
    ]:
        resources["aws.route_table"][f"{side}-{name}"] = {
            "vpc": vpc,
            "routes": [{"destination": destination, gateway: Ref(f"aws.{gateway}.{side}")}],
            "subnets": [Ref(f"aws.subnet.{side}-{number}") for number in subnets],
        }
    for number in range(4):
        # A template that stays refers to the first two, so their successors come before they go, under another name.
        suffix = "-new" if changed and number < 2 else ""
        peer = Ref(f"aws.security_group.{side}-{number ^ 1}")
        resources["aws.security_group"][f"{side}-{number}"] = {
            "name": f"{side}-{number}{suffix}",
            "description": "a group",
            "vpc": vpc,
            "ingress": [{"protocol": "tcp", "from_port": 22, "to_port": 22, "group": peer}],
        }
    resources["aws.customer_gateway"][side] = {
        "address": {"left": "203.0.113.5", "right": "203.0.113.9" if changed else "203.0.113.7"}[side],
        "asn": 64999,
    }
    for number in range(3):
        resources["aws.launch_template"][f"{side}-{number}"] = {
            # The last is found by its name alone, which changes.
            "name": f"{side}-{number}" + ("-new" if changed and number == 2 else ""),
            "instance_type": "t3.micro",
            "security_groups": [Ref(f"aws.security_group.{side}-{number % 2}")],
        }


def spec(changed):
    resources = collections.defaultdict(dict)
    network("left", resources)
    network("right", resources, changed)
    assert sum(map(len, resources.values())) == 40
    return spec_text(resources)


class Branch:
    """A server with a gate, of which copies can be made; see tests/tools/moto_branch.py.

    A recorded place includes the endpoint, so a copy must stand where the original stood: that is what push is for.
    """

    def __init__(self, address):
        self.address = address

    def post(self, what, **body):
        request = urllib.request.Request(f"{self.address}/gate/{what}", json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def copy(self):
        return Branch(self.post("copy")["address"])


_local = threading.local()


def client(address):
    """boto3's client of a server: one a thread, as making it takes longer than all it does in a case."""
    if not hasattr(_local, "client"):
        _local.client = boto3.session.Session().client(
            "ec2",
            endpoint_url="http://127.0.0.1:1",
            region_name=REGION,
            aws_access_key_id="AKIDEXAMPLE",
            aws_secret_access_key="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            config=botocore.config.Config(retries={"total_max_attempts": 1}, proxies={}),
        )

        def redirect(request, **_):
            request.url = _local.address + re.sub(r"^http://[^/]*", "", request.url)

        _local.client.meta.events.register("before-send", redirect)
    _local.address = address
    return _local.client


def reality(address):
    """({address or None: count}, description): all that is in the region, with the addresses of ours for their ids."""
    ec2 = client(address)
    found = {
        "vpc": [(each["VpcId"], each) for each in ec2.describe_vpcs()["Vpcs"]],
        "subnet": [(each["SubnetId"], each) for each in ec2.describe_subnets()["Subnets"]],
        "gateway": [(each["InternetGatewayId"], each) for each in ec2.describe_internet_gateways()["InternetGateways"]],
        "table": [(each["RouteTableId"], each) for each in ec2.describe_route_tables()["RouteTables"]],
        "group": [(each["GroupId"], each) for each in ec2.describe_security_groups()["SecurityGroups"]],
        "vpn": [(each["VpnGatewayId"], each) for each in ec2.describe_vpn_gateways()["VpnGateways"]],
        "customer": [(each["CustomerGatewayId"], each) for each in ec2.describe_customer_gateways()["CustomerGateways"]],
        "template": [
            (each["LaunchTemplateId"], each) for each in ec2.describe_launch_templates()["LaunchTemplates"]
        ],
    }
    # moto goes on to list what was deleted.
    live = [
        (kind, identity, each)
        for kind, things in found.items()
        for identity, each in things
        if each.get("State") not in ("deleting", "deleted")
    ]
    tags = {identity: {tag["Key"]: tag["Value"] for tag in each.get("Tags", [])} for _, identity, each in live}
    names = {identity: each.get("trueup:address") for identity, each in tags.items()}

    def name(identity):
        return names.get(identity) or "not ours"

    describe = {
        "vpc": lambda each: each["CidrBlock"],
        "subnet": lambda each: (each["CidrBlock"], name(each["VpcId"]), each["MapPublicIpOnLaunch"]),
        "gateway": lambda each: [name(attached["VpcId"]) for attached in each["Attachments"]],
        "table": lambda each: (
            name(each["VpcId"]),
            sorted(
                (route["DestinationCidrBlock"], name(route.get("GatewayId")), route["State"]) for route in each["Routes"]
            ),
            sorted(name(entry.get("SubnetId")) for entry in each["Associations"]),
        ),
        "group": lambda each: (
            each["GroupName"],
            name(each["VpcId"]),
            sorted(
                (rule.get("FromPort"), rule.get("ToPort"), sorted(name(pair["GroupId"]) for pair in rule["UserIdGroupPairs"]))
                for rule in each["IpPermissions"]
            ),
        ),
        "vpn": lambda each: [name(it["VpcId"]) for it in each["VpcAttachments"] if it["State"] == "attached"],
        "customer": lambda each: each["IpAddress"],
        "template": lambda each: (
            each["LaunchTemplateName"],
            each["LatestVersionNumber"],
            groups_of(ec2, each, name),
        ),
    }
    lines = sorted(f"{kind} {name(identity)}: {describe[kind](each)}" for kind, identity, each in live)
    return {identity: address for identity, address in names.items() if address}, lines


def groups_of(ec2, template, name):
    [version] = ec2.describe_launch_template_versions(
        LaunchTemplateId=template["LaunchTemplateId"], Versions=["$Default"]
    )["LaunchTemplateVersions"]
    return sorted(name(group) for group in version["LaunchTemplateData"].get("SecurityGroupIds", []))


@dataclasses.dataclass
class Run:
    killed: bool
    status: int
    told: str


def start_held(stack, *arguments):
    """The program, which begins once its standard input is closed: whoever kills it must know its number before."""
    return subprocess.Popen(
        ["sh", "-c", 'read -r line; exec "$@"', "sh", BINARY, *arguments],
        cwd=stack.folder,
        env=clean_environment(**stack.environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def run_killed(stack, server, arguments, after_s=None, **point):
    """Runs the program, killed at a point of its talk or after a time."""
    process = start_held(stack, *arguments)
    server.post("arm", process=process.pid, **point)
    if after_s is not None:
        killer = threading.Timer(after_s, process.kill)
        killer.start()
    out, _ = process.communicate(timeout=PROGRAM_TIMEOUT_S)
    if after_s is not None:
        killer.cancel()
        killer.join()
    server.post("arm")
    return Run(process.returncode == -signal.SIGKILL, process.returncode, out.decode("utf-8", "backslashreplace"))


class Place:
    """A server and a stack as they are before something is tried; one thing is tried at a time."""

    def __init__(self, server, folder, changed=False, before=()):
        folder.mkdir()
        self.server = server
        self.folder = folder
        self.stack = Stack(folder)
        self.stack.environment["AWS_ENDPOINT_URL"] = server.address
        self.stack.write("stack.yaml", spec(False))
        if before:
            self.stack.run(*before)
        self.stack.write("stack.yaml", spec(changed))

    @contextlib.contextmanager
    def tried(self):
        """A copy of both, for as long as it takes."""
        self.server.post("push")
        copy = copy_stack(self.stack, self.folder.with_name(self.folder.name + "-tried"))
        try:
            yield copy
        finally:
            self.server.post("pop")
            shutil.rmtree(copy.folder)


@dataclasses.dataclass
class Work:
    """What a run does, and what an undisturbed one leaves."""

    arguments: list
    places: list
    requests: int = 0
    seconds: float = 0
    lines: list = None

    def measure(self):
        with self.places[0].tried() as stack:
            server = self.places[0].server
            server.post("arm")
            began = time.monotonic()
            stack.run(*self.arguments)
            self.seconds = time.monotonic() - began
            self.requests = len(server.post("log")["actions"])
            names, self.lines = reality(server.address)
            assert ids_of(stack) == {address: identity for identity, address in names.items()}
        return names


APPLY, DESTROY = ["apply", "--yes"], ["destroy", "--yes"]
# What is killed: its arguments, whether the spec has changed, what was run before; how many resources it leaves.
RUNS = {"apply": (APPLY, False, (), 40), "replace": (APPLY, True, APPLY, 40), "destroy": (DESTROY, False, APPLY, 0)}


class Works(dict):
    """What can be killed, each at AT_ONCE places: set up when it is first asked for, as not all workers ask for all."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder
        self.root = Server([sys.executable, ROOT / "tests/tools/moto_branch.py"], **MOTO_SETTINGS)
        self.server = Branch(self.root.address)
        # The first call of each sort makes moto load what it needs; copies then have it.
        self.nothing = reality(self.server.address)[1]

    def __missing__(self, name):
        arguments, changed, before, left = RUNS[name]
        places = [Place(self.server.copy(), self.folder / f"{name}-{n}", changed, before) for n in range(AT_ONCE)]
        first = reality(places[0].server.address)[1]
        work = self[name] = Work(arguments, places)
        names = work.measure()
        assert len(set(names.values())) == len(names) == left
        assert (first == self.nothing) == (not before) and (work.lines == self.nothing) == (left == 0)
        assert len(set(work.lines) ^ set(first)) >= 15
        return work


@pytest.fixture(scope="session")
def works(tmp_path_factory):
    works = Works(tmp_path_factory.mktemp("kill"))
    yield works
    works.root.stop()


class Case:
    """One run that is killed, perhaps its recovery too, and the run that must make all good."""

    def __init__(self, work, kills):
        self.work = work
        self.kills = kills
        self.killed = 0
        self.told = []

    def run(self, place):
        """What went wrong, or None. A moment that came too late is tried again: the machine was busier when it was measured."""
        for _ in range(MOMENT_TRIES):
            failure = self.run_once(place)
            if failure or self.killed or "part" not in self.kills[0]:
                break
        return failure

    def run_once(self, place):
        with place.tried() as stack:
            try:
                self.disturb(stack, place.server)
                self.check(stack, place.server)
            except (AssertionError, pytest.fail.Exception, subprocess.TimeoutExpired) as failure:
                return f"{self.kills}: {failure}\n" + "\n".join(self.told)
        return None

    def disturb(self, stack, server):
        for kill in self.kills:
            began = time.monotonic()
            run = run_killed(stack, server, self.work.arguments, **self.point_of(kill))
            self.killed += run.killed
            if not run.killed and "part" in kill:
                self.work.seconds = min(self.work.seconds, time.monotonic() - began)
            self.told.append(f"{kill}, exit status {run.status}:\n{run.told}")
            assert run.killed or run.status == 0, f"a run that was not killed ended with {run.status}"

    def point_of(self, kill):
        return {"after_s": kill["part"] * self.work.seconds} if "part" in kill else kill

    def check(self, stack, server):
        # What a killed run had sent arrives before all that follows: one request is served at a time.
        final = run_killed(stack, server, self.work.arguments)
        self.told.append(f"the last run, exit status {final.status}:\n{final.told}")
        names, lines = reality(server.address)
        missing = list((collections.Counter(self.work.lines) - collections.Counter(lines)).elements())
        surplus = list((collections.Counter(lines) - collections.Counter(self.work.lines)).elements())
        assert final.status == 0, f"the last run ended with {final.status}"
        assert missing + surplus == [], f"not there: {missing}; there, and should not be: {surplus}"
        assert ids_of(stack) == {address: identity for identity, address in names.items()}, "ids are not as recorded"
        listed = stack.run("state", "list", "--output", "json").json
        assert [each for each in listed["objects"] if each["role"] != "current"] == [], "something is left over"
        if self.work.arguments[0] == "destroy":
            stack.run("plan", "--destroy", "--detailed-exitcode")
        else:
            plan_is_empty(stack)


def run_all(work, plans):
    """Runs the cases, one at a time in each place; fails with what the first of those that went wrong said."""
    cases = [Case(work, kills) for kills in plans]
    free = queue.SimpleQueue()
    for place in work.places:
        free.put(place)

    def run(case):
        place = free.get()
        try:
            return case.run(place)
        finally:
            free.put(place)

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        failures = [failure for failure in pool.map(run, cases) if failure]
    killed = sum(case.killed for case in cases)
    print(f"{len(cases)} cases, {killed} of {sum(map(len, plans))} kills in time, {len(failures)} cases went wrong")
    if failures:
        first = "\n".join(failure.splitlines()[0] for failure in failures)
        pytest.fail(f"{len(failures)} of {len(cases)} cases went wrong:\n{first}\n\n{failures[0]}", pytrace=False)
    # A kill that comes too late is none; most must come in time.
    assert killed * 2 >= sum(map(len, plans)), f"of {sum(map(len, plans))} kills only {killed} came in time"


def point(chance, number, moment):
    return {
        "number": number,
        "moment": moment,
        "late": chance.random() < 0.5,
        "delay_s": chance.choice([0, 0.0005, 0.002, 0.005]),
    }


@pytest.mark.parametrize("times", ["once", "twice"])
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("work", RUNS)
def test_killed_at_a_request(works, work, moment, times):
    chance = random.Random(f"{work} {moment} {times}")
    # So that the tests together reach all parts of a run.
    ways = [*itertools.product(MOMENTS, ["once", "twice"])]
    # How often a run looks at what takes time is not the same each time, so the last numbers may not come.
    stride = min(STRIDE, works[work].requests * 9 // 10)
    first = ways.index((moment, times)) * stride // len(ways)
    plans = []
    for number in range(first, works[work].requests, stride):
        kills = [point(chance, number, moment)]
        if times == "twice":
            kills.append(point(chance, chance.randrange(RECOVERY_REQUESTS), chance.choice(MOMENTS)))
        plans.append(kills)
    run_all(works[work], plans)


@pytest.mark.parametrize("work", RUNS)
def test_killed_at_a_moment(works, work):
    chance = random.Random(work)
    plans = [[{"part": chance.random()}] for _ in range(RANDOM_MOMENTS // 3)]
    run_all(works[work], plans)
