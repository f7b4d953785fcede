"""A replace that was cut off, and a spec that goes back: what was left behind is taken back, not made anew."""

import shutil
import signal

import pytest

from simulator import simulator  # noqa: F401
from trueup_runner import Expression, Proxy, Ref, apply, errors_of, ids_of, plan, plan_is_empty, spec_text

REGION = "us-west-2"
OLD, NEW, THIRD = "198.51.100.7", "198.51.100.9", "198.51.100.11"
GATEWAY, CONNECTION = "aws.customer_gateway.office", "aws.vpn_connection.office"


class Site:
    """A stack, the simulator's server that it is applied to, and a proxy between the two that may cut a run off."""

    def __init__(self, stack, server):
        self.stack, self.server, self.signal = stack, server, None
        self.proxy = Proxy(server.url, self._at)
        stack.environment.update(
            AWS_ENDPOINT_URL=self.proxy.address,
            AWS_REGION=REGION,
            AWS_ACCESS_KEY_ID="sim",
            AWS_SECRET_ACCESS_KEY="sim",
            TRUEUP_GRACE="0",
        )
        server.settings(pace_percent=0, lag_ms=0, latency_ms=0, latency_spread_ms=0)

    def _at(self, number, action, executed):
        if self.signal is None or not self._cuts(number, action, executed):
            return False
        if self.signal == signal.SIGKILL:
            return True
        self.proxy.victim.send_signal(self.signal)
        self.signal = None
        return False

    def cut_off(self, how, cuts, *words):
        """Applies, or does what the words say, until `cuts` says so of a request; gives the requests."""
        self._cuts, self.signal = cuts, how
        first = len(self.proxy.actions)
        process = self.stack.start(*(words or ("apply", "--yes")))
        self.proxy.victim = process
        out, err = process.communicate(timeout=60)
        self.proxy.victim = self.signal = None
        assert process.returncode in (-signal.SIGKILL, 130), (out + err).decode()
        return self.proxy.actions[first:]

    def things(self, kind):
        return {each for each, body in self.server.show(REGION).get(kind, {}).items() if body.get("state") != "deleted"}

    def roles(self):
        listed = self.stack.run("state", "list", "--output", "json").json["objects"]
        return {each["provider_id"]: each["role"] for each in listed}


@pytest.fixture
def site(stack, simulator):  # noqa: F811
    site = Site(stack, simulator)
    yield site
    site.proxy.stop()


def office(address, **more):
    return spec_text(
        {
            "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
            "aws.vpn_gateway": {"edge": {"vpc": Ref("aws.vpc.home")}},
            "aws.customer_gateway": {"office": {"address": address, "asn": 65010, **more}},
            "aws.vpn_connection": {
                "office": {
                    "vpn_gateway": Ref("aws.vpn_gateway.edge"),
                    "customer_gateway": Ref(GATEWAY),
                    "static_routes_only": True,
                }
            },
        }
    )


def made(number, action, executed):
    return action == "CreateCustomerGateway" and executed


def next_after(wanted):
    seen = []

    def cuts(number, action, executed):
        if action == wanted:
            seen.append(number)
        return bool(seen) and number > seen[0]

    return cuts


def next_after_made():
    return next_after("CreateCustomerGateway")


CUTS = [
    pytest.param((signal.SIGKILL, lambda: made), id="killed, unanswered"),
    pytest.param((signal.SIGKILL, next_after_made), id="killed, answered"),
    pytest.param((signal.SIGINT, lambda: made), id="interrupted"),
]


@pytest.fixture(params=CUTS)
def halfway(request, site):
    """The office has another address by now, and the run that gave it another gateway was cut off."""
    how, cuts = request.param
    return begin(site, how, cuts())


def begin(site, how=signal.SIGKILL, cuts=None):
    site.stack.write("stack.yaml", office(OLD))
    apply(site.stack)
    site.before = ids_of(site.stack)
    site.stack.write("stack.yaml", office(NEW))
    site.cut_off(how, cuts or next_after_made())
    assert len(site.things("customer-gateway")) == 2
    return site


def is_as_before(site):
    assert ids_of(site.stack) == site.before
    assert site.things("customer-gateway") == {site.before[GATEWAY]}
    plan_is_empty(site.stack)


def test_set_back(halfway):
    stack = halfway.stack
    stack.write("stack.yaml", office(OLD))
    apply(stack)
    is_as_before(halfway)


def test_set_back_and_forth(halfway):
    """Of the two, each is the wanted one in turn."""
    stack = halfway.stack
    stack.write("stack.yaml", office(OLD))
    halfway.cut_off(signal.SIGKILL, lambda number, action, executed: action == "DeleteCustomerGateway")
    stack.write("stack.yaml", office(NEW))
    apply(stack)
    after = ids_of(stack)
    assert halfway.things("customer-gateway") == {after[GATEWAY]} != {halfway.before[GATEWAY]}
    assert after[CONNECTION] == halfway.before[CONNECTION]
    plan_is_empty(stack)


def test_undone(halfway):
    stack = halfway.stack
    run = stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    done = stack.run("undo", run, "--yes", "--output", "json").json
    assert [each["provider_id"] for each in done["actions"] if each["operation"] == "take-back"] == [
        halfway.before[GATEWAY]
    ]
    stack.write("stack.yaml", office(OLD))
    is_as_before(halfway)


def test_the_taking_back_is_undone(site):
    """The run that took the old one back left nothing of the new one, so undoing it makes another."""
    begin(site)
    site.stack.write("stack.yaml", office(OLD))
    apply(site.stack)
    run = site.stack.run("state", "history", "--output", "json").json["runs"][0]["id"]
    site.stack.run("undo", run, "--yes")
    site.stack.write("stack.yaml", office(NEW))
    assert site.things("customer-gateway") == {ids_of(site.stack)[GATEWAY]}
    plan_is_empty(site.stack)


def test_what_is_shown(site):
    begin(site)
    stack, old = site.stack, site.before[GATEWAY]
    stack.write("stack.yaml", office(OLD))
    [new] = site.things("customer-gateway") - {old}
    told = stack.run("plan").out
    assert [line.split()[:2] for line in told.splitlines() if line.endswith(old)] == [["<", GATEWAY]]
    assert "take back, a replace left it behind, and it fits again" in told and "1 take-back" in told
    planned = plan(stack, status=2)
    assert [(each["operation"], each["provider_id"]) for each in planned.data["actions"]] == [
        ("take-back", old),
        ("delete", new),
    ]
    assert planned.data["counts"]["take-back"] == 1


def test_cut_off_again(site):
    """Whichever request the run that takes it back is cut off at, the next one finishes."""
    begin(site)
    site.stack.write("stack.yaml", office(OLD))
    at = []

    def cuts(number, action, executed):
        at.append(action)
        return len(at) == wanted

    for wanted in range(1, 100):
        at.clear()
        try:
            site.cut_off(signal.SIGKILL, cuts)
        except AssertionError:
            break
        assert set(site.roles().values()) <= {"current", "deposed", "incomplete"}
        assert list(site.roles().values()).count("current") >= len(site.before) - 1
    assert wanted > 4
    is_as_before(site)


def test_saved_plan(site):
    begin(site)
    stack = site.stack
    stack.write("stack.yaml", office(OLD))
    stack.run("plan", "--out", "back.plan", status=(0, 2))
    assert "take back" in stack.run("show", "back.plan").out
    (stack.folder / "stack.yaml").unlink()
    stack.run("apply", "back.plan", "--yes")
    stack.write("stack.yaml", office(OLD))
    is_as_before(site)


@pytest.mark.parametrize("target", [GATEWAY, CONNECTION], ids=["itself", "what refers to it"])
def test_named_as_a_target(site, target):
    begin(site)
    site.stack.write("stack.yaml", office(OLD))
    apply(site.stack, "--target", target)
    is_as_before(site)


def test_changed_as_well(site):
    """Only what can change in place differs: it is taken back and changed."""
    begin(site)
    site.stack.write("stack.yaml", office(OLD, tags={"floor": "1"}))
    planned = plan(site.stack, status=2)
    back = next(each for each in planned.data["actions"] if each["operation"] == "take-back")
    assert [change["path"] for change in back["changes"]] == ["tags.floor"]
    apply(site.stack)
    is_as_before(site)


def routed(vpc, gateway):
    """A route table in one of two networks; the gateway, if there is one, is of the first, and that has its route."""
    table = {"vpc": Ref(f"aws.vpc.{vpc}"), "lifecycle": {"create_before_destroy": True}}
    kinds = {
        "aws.vpc": {"one": {"cidr": "10.20.0.0/16"}, "two": {"cidr": "10.30.0.0/16"}},
        "aws.route_table": {"main": table},
    }
    if gateway:
        kinds["aws.internet_gateway"] = {"out": {"vpc": Ref("aws.vpc.one")}}
    if gateway and vpc == "one":
        table["routes"] = [{"destination": "0.0.0.0/0", "internet_gateway": Ref("aws.internet_gateway.out")}]
    return spec_text(kinds)


def test_letting_go_of_a_part_is_no_deletion(site):
    """The route of what is taken back goes before its gateway does; a run that is cut off there began no deletion."""
    stack = site.stack
    stack.write("stack.yaml", routed("one", True))
    apply(stack)
    before = ids_of(stack)
    stack.write("stack.yaml", routed("two", True))
    site.cut_off(signal.SIGKILL, next_after("CreateRouteTable"))
    assert site.roles()[before["aws.route_table.main"]] == "deposed"
    stack.write("stack.yaml", routed("one", False))
    done = site.cut_off(signal.SIGKILL, next_after("DeleteRoute"))
    assert "DetachInternetGateway" not in done
    begun = stack.run("drift", "--output", "json", status=2).json["unfinished"]
    # What was taken back is in the middle of its change, and what it displaced is still to go.
    assert [(each["address"], each["deletes"], each.get("reason")) for each in begun] == [
        ("aws.route_table.main", False, None),
        ("aws.route_table.main", True, "was left behind by a replace"),
    ]
    apply(stack)
    assert ids_of(stack)["aws.route_table.main"] == before["aws.route_table.main"]
    plan_is_empty(stack)


def guarded(name, about="web"):
    return spec_text(
        {
            "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
            "aws.security_group": {"web": {"name": name, "description": about, "vpc": Ref("aws.vpc.home")}},
            "aws.launch_template": {
                "worker": {
                    "name": "worker",
                    "instance_type": "t3.micro",
                    "security_groups": [Ref("aws.security_group.web")],
                }
            },
        }
    )


def begin_renaming(site, moved):
    """A group got another name, and the run was cut off before or after the template that uses it followed."""
    site.stack.write("stack.yaml", guarded("first"))
    apply(site.stack)
    before = ids_of(site.stack)
    site.stack.write("stack.yaml", guarded("second"))
    cut = "DeleteSecurityGroup" if moved else "CreateLaunchTemplateVersion"
    site.cut_off(signal.SIGKILL, lambda number, action, executed: action == cut)
    return before


def group_names(site):
    return sorted(each["groupName"] for each in site.server.show(REGION)["security-group"].values())


@pytest.mark.parametrize("moved", [False, True], ids=["template not moved", "template moved"])
def test_a_name_that_goes_back(site, moved):
    before = begin_renaming(site, moved)
    site.stack.write("stack.yaml", guarded("first"))
    apply(site.stack)
    assert ids_of(site.stack) == before
    assert group_names(site) == ["default", "first"]
    plan_is_empty(site.stack)


def test_a_name_that_goes_to_another_group(site):
    """The one left behind, which nothing uses any more, goes before the new one takes its name."""
    before = begin_renaming(site, True)
    site.stack.write("stack.yaml", guarded("first", "another"))
    apply(site.stack)
    assert ids_of(site.stack)["aws.security_group.web"] != before["aws.security_group.web"]
    assert group_names(site) == ["default", "first"]
    plan_is_empty(site.stack)


def test_a_name_that_is_still_mentioned(site):
    """A template keeps no group from being deleted: what was left behind goes, and the name is free."""
    begin_renaming(site, False)
    site.stack.write("stack.yaml", guarded("first", "another"))
    apply(site.stack)
    assert group_names(site) == ["default", "first"]
    plan_is_empty(site.stack)


def test_what_the_service_takes_for_another_of_ours(site):
    """An address that is known once the VPC is made. That the first had lost its tags changes nothing."""
    gateway = {"first": {"address": OLD}}
    site.stack.write("stack.yaml", spec_text({"aws.customer_gateway": gateway}))
    apply(site.stack)
    first = ids_of(site.stack)["aws.customer_gateway.first"]
    site.server.client("ec2").delete_tags(Resources=[first])
    gateway["second"] = {"address": Expression(f'${{aws.vpc.late.id == "" ? "203.0.113.99" : "{OLD}"}}')}
    late = {"aws.vpc": {"late": {"cidr": "10.77.0.0/16"}}}
    site.stack.write("stack.yaml", spec_text({**late, "aws.customer_gateway": gateway}))
    told = apply(site.stack, "--target", "aws.customer_gateway.second", status=7)
    assert f"the service takes it for {first}, which is 'aws.customer_gateway.first' of this stack" in told.err
    assert "partly applied: " in told.out and " done, 1 failed, 0 skipped, " in told.out


def test_what_changes_its_address_alone(site):
    """The service would hand back the first, so it goes before the second is made; where it is used, it is renamed."""
    stack = site.stack
    gateway = {"address": OLD, "asn": 65010}
    stack.write("stack.yaml", spec_text({"aws.customer_gateway": {"first": gateway}}))
    apply(stack)
    first = ids_of(stack)["aws.customer_gateway.first"]
    stack.write("stack.yaml", spec_text({"aws.customer_gateway": {"second": gateway}}))
    apply(stack)
    assert site.things("customer-gateway") == {ids_of(stack)["aws.customer_gateway.second"]} != {first}
    plan_is_empty(stack)


def test_what_changes_its_address_while_it_is_used(site):
    stack = site.stack
    stack.write("stack.yaml", office(OLD))
    apply(stack)
    before = ids_of(stack)
    stack.write("stack.yaml", office(OLD).replace('"office"', '"branch"').replace(".office.", ".branch."))
    stack.run("state", "mv", CONNECTION, CONNECTION.replace("office", "branch"))
    words = [GATEWAY, GATEWAY.replace("office", "branch")]
    [error] = errors_of(plan(stack, status=1).data)
    assert error["hint"].endswith(f"say so with 'trueup state mv {words[0]} {words[1]}'")
    stack.run("state", "mv", *words)
    changes = [change["path"] for action in plan(stack).data["actions"] for change in action["changes"]]
    assert changes == ["trueup:address"] * 2
    apply(stack)
    plan_is_empty(stack)
    assert sorted(ids_of(stack).values()) == sorted(before.values())


def test_what_was_shown_once_is_made_anew(site):
    """The file holds the key of the other one by now: of what was left behind it is lost."""
    given = site.stack.folder / "given.pem"

    def pair(name):
        more = {"secret_to": {"file": "given.pem"}, "lifecycle": {"create_before_destroy": True}}
        site.stack.write("site.yaml", spec_text({"aws.key_pair": {"k": {"name": name, **more}}}))

    pair("first")
    apply(site.stack)
    keys, pairs = [given.read_text()], site.things("key-pair")
    pair("second")
    site.cut_off(signal.SIGKILL, lambda number, action, executed: action == "DeleteKeyPair" and not executed)
    keys.append(given.read_text())
    pairs |= site.things("key-pair")
    assert len(pairs) == 2 and keys[0] != keys[1]
    pair("first")
    apply(site.stack)
    assert given.read_text() not in keys
    assert len(site.things("key-pair")) == 1 and not site.things("key-pair") & pairs
    plan_is_empty(site.stack)


def test_what_is_shown_elsewhere_is_taken_back(site):
    """The key of the one that was left behind is where it was put, and opens what uses it."""
    given = site.stack.folder / "first.pem"

    def pair(name):
        more = {"secret_to": {"file": f"{name}.pem"}, "lifecycle": {"create_before_destroy": True}}
        site.stack.write("site.yaml", spec_text({"aws.key_pair": {"k": {"name": name, **more}}}))

    pair("first")
    apply(site.stack)
    key, before = given.read_text(), site.things("key-pair")
    pair("second")
    site.cut_off(signal.SIGKILL, lambda number, action, executed: action == "DeleteKeyPair" and not executed)
    assert len(site.things("key-pair")) == 2
    pair("first")
    apply(site.stack)
    assert given.read_text() == key and site.things("key-pair") == before
    plan_is_empty(site.stack)


def test_a_key_whose_name_goes_back(site):
    """A template names the other one by now: nothing uses the one left behind, and it makes room."""

    def keyed(name, material):
        more = {"public_key": f"ssh-ed25519 {material}", "lifecycle": {"create_before_destroy": True}}
        template = {"name": "hosts", "instance_type": "t3.micro", "key": Ref("aws.key_pair.k")}
        resources = {"aws.key_pair": {"k": {"name": name, **more}}, "aws.launch_template": {"t": template}}
        site.stack.write("site.yaml", spec_text(resources))

    keyed("first", "AAAAC3NzaC1lZDI1NTE5AAAAIJ5cEJHmzLkzGEpZgKTjEvMpgLRzYlTvbJSk7Zo0LLUd")
    apply(site.stack)
    keyed("second", "AAAAC3NzaC1lZDI1NTE5AAAAIJ5cEJHmzLkzGEpZgKTjEvMpgLRzYlTvbJSk7Zo0LLUd")
    site.cut_off(signal.SIGKILL, lambda number, action, executed: action == "DeleteKeyPair" and not executed)
    assert len(site.things("key-pair")) == 2
    keyed("first", "AAAAC3NzaC1lZDI1NTE5AAAAIP5cVkGQxGnKx0xz7zZL9z0q1j2bG8wqv7nYV0T2mCkR")
    apply(site.stack)
    [pair] = site.server.show(REGION)["key-pair"].values()
    assert pair["keyName"] == "first"
    plan_is_empty(site.stack)


def test_protected_with_the_setting_back(site):
    """What is taken back loses nothing, and what goes for it was not protected."""
    begin(site)
    site.stack.write("stack.yaml", office(OLD, lifecycle={"protect": True}))
    apply(site.stack)
    is_as_before(site)


def test_protected_meanwhile(site):
    """What would be deleted for the one that is taken back is protected: it says which."""
    begin(site)
    stack, old = site.stack, site.before[GATEWAY]
    [new] = site.things("customer-gateway") - {old}
    stack.write("stack.yaml", office(NEW, lifecycle={"protect": True}))
    site.cut_off(signal.SIGKILL, lambda number, action, executed: action == "DeleteCustomerGateway")
    stack.write("stack.yaml", office(OLD))
    result = stack.run("apply", "--yes", status=1)
    assert f"is protected, and to take back {old}, which a replace left behind, would delete {new}" in result.err
    assert site.things("customer-gateway") == {old, new}


@pytest.mark.parametrize("address", [OLD, NEW])
def test_state_lost(halfway, address):
    """Of the two that a replace has left, the one that fits the spec is recorded as the address's own."""
    stack, old = halfway.stack, halfway.before[GATEWAY]
    [new] = halfway.things("customer-gateway") - {old}
    own, other = (old, new) if address == OLD else (new, old)
    shutil.rmtree(stack.folder / ".trueup")
    stack.write("stack.yaml", office(address))
    found = stack.run("state", "rebuild", "--yes", "--output", "json").json["findings"]
    assert [(each["class"], each["provider_id"]) for each in found] == [("left", other)]
    roles = halfway.roles()
    assert (roles[own], roles[other]) == ("current", "deposed")
    apply(stack)
    assert halfway.things("customer-gateway") == {own}
    plan_is_empty(stack)


def test_state_lost_and_neither_fits(halfway):
    """Then the newer one is the address's own."""
    stack, old = halfway.stack, halfway.before[GATEWAY]
    shutil.rmtree(stack.folder / ".trueup")
    stack.write("stack.yaml", office(THIRD))
    stack.run("state", "rebuild", "--yes")
    assert halfway.roles()[old] == "deposed"
    apply(stack)
    assert len(halfway.things("customer-gateway")) == 1
    plan_is_empty(stack)
