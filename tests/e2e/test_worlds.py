"""Which world a run goes to: the simulated one or the real one, and how a mixture of both shows."""

import http.server
import json

import pytest

from conftest import serve

WORLD = "sim:world"


@pytest.fixture
def controller():
    """A server on 127.0.0.1 that stands for a real controller; `seen` holds the requests that reached it."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # pylint: disable=invalid-name
            server.seen.append((self.path, self.headers.get("Authorization")))
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments):  # pylint: disable=arguments-differ
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.seen = []
    server.address = f"http://127.0.0.1:{server.server_port}"
    serve(server)
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def stack(stack):  # pylint: disable=redefined-outer-name
    """With the pair of keys that every simulated world knows."""
    stack.environment.update(AWS_ACCESS_KEY_ID="sim", AWS_SECRET_ACCESS_KEY="sim")
    return stack


def write(stack, controller, aws=None, **settings):
    spec = {
        "stack": "racks",
        "providers": {
            "metal": {"user": "ops", "password": "geheim", "allow_plain": True, **settings},
            "aws": {"region": "eu-central-1", **(aws or {})},
        },
        "metal.machine": {"m": {"controller": controller.address}},
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
    }
    stack.write("stack.yaml", json.dumps(spec))


# Rows: settings of metal, and the environment.
@pytest.mark.parametrize(
    "settings, environment",
    [
        ({}, {"AWS_ENDPOINT_URL": WORLD}),
        ({}, {"AWS_ENDPOINT_URL": WORLD, "TRUEUP_METAL_ENDPOINT": "sim:other"}),
        ({"endpoint": WORLD}, {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}),
        ({"endpoint": WORLD}, {"AWS_ENDPOINT_URL": WORLD, "TRUEUP_METAL_ENDPOINT": "sim:other"}),
    ],
)
def test_a_simulated_run_asks_no_controller(stack, controller, settings, environment):
    write(stack, controller, **settings)
    result = stack.run("plan", "--output", "json", status=(1, 3), **environment)
    assert controller.seen == []
    assert "geheim" not in result.out + result.err


def test_a_machine_of_the_simulator_is_found(stack, controller):
    name = controller.address.split("//")[1]
    stack.run("sim", "world", "add", "machine", name, "user=ops", "password=geheim", "serial=S1")
    write(stack, controller)
    planned = stack.run("plan", "--output", "json", AWS_ENDPOINT_URL=WORLD).json
    assert {"metal.machine.m", "aws.vpc.v"} == {action["address"] for action in planned["actions"]}
    assert controller.seen == [] and "real_providers" not in planned
    shown = stack.run("plan", AWS_ENDPOINT_URL=WORLD)
    assert "MIXED" not in shown.out


def test_a_mixture_is_said_in_the_header(stack, controller):
    """AWS alone is sent to the simulator by the spec, so the controllers are real."""
    write(stack, controller, aws={"endpoint": WORLD})
    shown = stack.run("plan", status=3)
    assert "simulated: aws; REAL: metal\n" in shown.out and shown.out.splitlines()[1].startswith("MIXED")
    planned = stack.run("plan", "--output", "json", status=3).json
    assert (planned["simulated_providers"], planned["real_providers"]) == ("aws", "metal")
    assert controller.seen


def test_only_a_simulator_can_stand_for_all_controllers(stack, controller):
    write(stack, controller)
    refused = stack.run("plan", status=1, AWS_ENDPOINT_URL=WORLD, TRUEUP_METAL_ENDPOINT="https://10.0.0.1")
    assert "provider 'metal' cannot have the endpoint 'https://10.0.0.1'" in refused.err
    assert controller.seen == []


# Commands that mean nothing, and parts of what is said of each: the message and the hint.
NONSENSE = {
    "a call that there is not": (["fault", "DescribeFoo", "deny"], "no call 'DescribeFoo'", "CreateVpc"),
    "a call misspelt": (["fault", "DescribeVpc", "deny"], "no call 'DescribeVpc'", "'DescribeVpcs'"),
    "calls that there are not": (["fault", "Foo*", "deny"], "no call 'Foo*'", "Describe*"),
    "a kind that there is not": (["fault", "DescribeVpcs", "explode"], "no kind of fault 'explode'", "help sim"),
    "a kind misspelt": (["fault", "*", "deni"], "no kind of fault 'deni'", "'deny'"),
    "before the first": (["fault", "*", "deny", "0"], "'first'", None),
    "not one": (["fault", "*", "deny", "1", "0"], "'count' of a fault is a whole number from 1 on", "leave it out"),
    "no number": (["fault", "*", "deny", "1", "x"], "'count'", None),
    "added by hand": (["add", "fault", "action=CreateVpc", "kind=boom"], "no kind of fault 'boom'", None),
    "a type that there is not": (["show", "foo"], "no type 'foo'", "show"),
    "a type misspelt": (["show", "route_table"], "no type 'route_table'", "'route-table'"),
}


@pytest.mark.parametrize("words, message, hint", NONSENSE.values(), ids=NONSENSE)
def test_what_the_simulator_cannot_do_is_refused(stack, words, message, hint):
    stack.environment.update(AWS_ENDPOINT_URL="sim:world")
    document = stack.run("sim", *words, "--output", "json", status=1).json
    [error] = document["diagnostics"]
    assert message in error["message"] and (not hint or hint in error["hint"]), error
    assert json.loads(stack.run("sim", "show").out) == {}


def test_what_the_simulator_can_do_is_taken(stack):
    stack.environment.update(AWS_ENDPOINT_URL="sim:world")
    for words in ["Describe*", "deny"], ["*", "html", "2", "1"], ["GET /redfish/v1/*", "refused"]:
        stack.run("sim", "fault", *words)
    assert len(json.loads(stack.run("sim", "world", "show", "fault").out)[""]["fault"]) == 3
    assert json.loads(stack.run("sim", "world", "show", "route-table").out) == {}


def test_no_name_is_shown_twice(stack):
    """What is the simulator's own is shown, and changed, under a name that nothing else there has."""
    stack.environment["AWS_ENDPOINT_URL"] = WORLD
    head = "stack: t\nproviders: {aws: {region: eu-central-1}}\n"
    stack.write("stack.yaml", f"{head}aws.vpc: {{v: {{cidr: 10.0.0.0/16, ipv6: true}}}}\n")
    stack.run("apply", "--yes")
    twice = []

    def members(pairs):
        names = [name for name, _ in pairs]
        twice.extend(name for name in set(names) if names.count(name) > 1)
        return dict(pairs)

    shown = json.loads(stack.run("sim", "world", "show").out, object_pairs_hook=members)
    assert shown["eu-central-1"]["vpc"] and twice == []
