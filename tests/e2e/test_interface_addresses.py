"""Addresses of an instance's interfaces: each can be had but once, and goes with its instance alone."""

import pytest

from test_handover import carry_out, connections, ranges, write
from trueup_runner import Ref, SimulatedCloud, apply, errors_of, ids_of, plan_is_empty

MACHINE = {"image": "ami-0123456789abcdef0", "instance_type": "m6i.large"}


def card(said, slot=1, **first):
    """A machine, by what is said of one of its interfaces, and of the machine itself."""
    interfaces = [{"device_index": slot, **({"subnet": Ref("aws.subnet.a")} if slot else {}), **said}]
    return {**MACHINE, "subnet": Ref("aws.subnet.b"), "interfaces": interfaces, **first}


def cards(**own):
    """Machines in two subnets that have an IPv6 range each."""
    return {**ranges(a=1, b=2), "aws.instance": own}


def own(*said, **more):
    """A machine that has its addresses by itself, not by its interfaces."""
    return {**MACHINE, "subnet": Ref("aws.subnet.a"), **dict(*said, **more)}


Y = "aws.instance.y"
AT, MORE = {"address": "10.20.0.50"}, {"addresses": [{"address": "10.20.0.50", "primary": True}]}
AT6 = {"addresses6": ["${cidr_host(aws.subnet.a.ipv6_cidr, 9)}"]}
NEXT, NEXT6 = {"address": "10.20.0.51"}, {"addresses6": ["${cidr_host(aws.subnet.a.ipv6_cidr, 10)}"]}
PREFIX, NEXT_PREFIX = {"prefixes": ["10.20.0.64/28"]}, {"prefixes": ["10.20.0.96/28"]}
PREFIX6 = {"prefixes6": ["${cidr_subnet(aws.subnet.a.ipv6_cidr, 16, 9)}"]}
OTHER_IMAGE = {"image": "ami-0a1b2c3d4e5f60718"}
FIRST = {"lifecycle": {"create_before_destroy": True}}
GIVERS = {
    "an interface that goes": (cards(x=card(AT)), cards(y=card(AT))),
    "an interface that is another": (cards(x=card(AT)), cards(x=card(NEXT), y=card(AT))),
    "an interface of a machine that is replaced": (
        cards(x=card(AT)),
        cards(x=card(NEXT, **OTHER_IMAGE), y=card(AT)),
    ),
    "an interface of a machine that is replaced by another first": (
        cards(x=card(AT)),
        cards(x=card(NEXT, **OTHER_IMAGE, **FIRST), y=card(AT)),
    ),
    "interfaces that are exchanged": (cards(x=card(AT), y=card(NEXT)), cards(x=card(NEXT), y=card(AT))),
    "an interface, to a machine itself": (cards(x=card(AT)), cards(y=own(AT))),
    "a machine itself, to an interface": (cards(x=own(AT)), cards(y=card(AT))),
    "one of the addresses of an interface": (cards(x=card(MORE)), cards(y=card(MORE))),
    "one of those of the first, to a further one": (
        cards(x=card(MORE, 0, subnet=Ref("aws.subnet.a"))),
        cards(y=card(AT)),
    ),
    "an IPv6 address of an interface": (cards(x=card(AT6)), cards(y=card(AT6))),
    "that, to a machine itself": (cards(x=card(AT6)), cards(y=own(AT6))),
    "that, to a machine that is there": (cards(x=card(AT6), y=own()), cards(y=own(AT6))),
    "an IPv6 address of a machine itself, to an interface": (cards(x=own(AT6)), cards(y=card(AT6))),
    "of a machine that stays, to an interface": (cards(x=own(AT6)), cards(x=own(NEXT6), y=card(AT6))),
    "a prefix of an interface that is another": (cards(x=card(PREFIX)), cards(x=card(NEXT_PREFIX), y=card(PREFIX))),
    "an IPv6 prefix of an interface": (cards(x=card(PREFIX6)), cards(y=card(PREFIX6))),
}


@pytest.mark.parametrize("targeted", [False, True], ids=["all", "its taker"])
@pytest.mark.parametrize("saved", [None, "full", "none"])
@pytest.mark.parametrize("giver", GIVERS)
def test_an_address_is_free_before_another_takes_it(stack, giver, saved, targeted):
    cloud = SimulatedCloud(stack)
    before, after = GIVERS[giver]
    write(stack, before)
    apply(stack)
    write(stack, after)
    carry_out(stack, saved, *["--target", Y] if targeted else [])
    plan_is_empty(stack)
    cloud.close()


@pytest.mark.parametrize(
    "holder, released",
    [({}, False), ({}, True), ({**card(NEXT), "lifecycle": {"ignore": ["interfaces"]}}, False)],
    ids=["says nothing", "has said nothing since", "ignores it"],
)
def test_an_address_that_an_interface_keeps_is_told_before_any_call(stack, holder, released):
    """No read gives it back: the record tells that the machine was made with it, also once the spec does not."""
    cloud = SimulatedCloud(stack)
    holder = {**MACHINE, "subnet": Ref("aws.subnet.b"), **holder}
    write(stack, cards(x=card(AT)))
    apply(stack)
    if released:
        write(stack, cards(x=holder))
        apply(stack)
    before = cloud.show()
    for taker in card(AT), own(AT), card(MORE):
        write(stack, cards(x=holder, y=taker))
        for command in ("plan",), ("apply", "--yes"), ("apply", "--yes", "--target", Y):
            [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
            assert error["message"] == (
                f"'{Y}' cannot have '10.20.0.50' as its 'address': 'aws.instance.x' has it, "
                "and keeps it under this plan"
            )
            way = "give 'aws.instance.x' another"
            if "lifecycle" in holder:
                way = "take 'interfaces' out of 'lifecycle.ignore' of 'aws.instance.x', and give that another"
            assert error["hint"] == f"take another one, or {way} 'address' in its 'interfaces', with which it is made anew"
    assert cloud.show() == before
    cloud.close()


def hosts(cloud):
    """The addresses of the machines that run, by the last of their numbers."""
    there = [each for each in cloud.things("instance").values() if each.get("privateIpAddress")]
    return sorted(int(each["privateIpAddress"].rsplit(".", 1)[1]) for each in there)


def test_what_the_service_chose_is_free_once_another_is_named(stack):
    """As the hint says it; nothing but another address has a machine made anew that keeps all else."""
    cloud = SimulatedCloud(stack)
    write(stack, cards(x=own()))
    apply(stack)
    [chosen] = hosts(cloud)
    taker = own(address=f"10.20.0.{chosen}")
    write(stack, cards(x=own(), y=taker))
    [error] = errors_of(stack.run("plan", "--output", "json", status=1).json)
    assert error["hint"] == (
        "take another one, or give 'aws.instance.x' another 'address', with which it is made anew"
    ), error
    write(stack, cards(x=own(AT), y=taker))
    apply(stack)
    plan_is_empty(stack)
    assert hosts(cloud) == [chosen, 50]
    cloud.close()


@pytest.mark.parametrize("taker", [own, lambda said: own(interfaces=[{"device_index": 0, **said}])], ids=["itself", "card"])
def test_whoever_was_given_by_the_service_what_another_asks_for_is_named(stack, taker):
    """What names the other one cannot be made before it, and the service says only that something has the address."""
    cloud = SimulatedCloud(stack)
    asks = {**taker({"address": "10.20.0.4"}), "tags": {"next": "${aws.instance.x.id}"}}
    write(stack, cards(x=own(), y=asks))
    failed = stack.run("apply", "--yes", "--output", "json", status=7).json
    [error] = errors_of(failed)
    assert error["hint"].startswith("something in the subnet has this address: name one that is free")
    [warned] = [each for each in failed["diagnostics"] if each["severity"] == "warning"]
    assert warned["message"] == f"the service chose '10.20.0.4' for 'aws.instance.x', which was made before '{Y}'"
    assert warned["address"] == Y and warned["hint"] == (
        f"give '{Y}' another 'address', or 'aws.instance.x' one of its own, with which it is made anew"
    )
    write(stack, cards(x=own(AT), y=asks))
    apply(stack)
    plan_is_empty(stack)
    cloud.close()


BY_ANOTHER = {"static_routes_only": True, "customer_gateway": Ref("aws.customer_gateway.y")}
SAME = {
    "an address of an interface": (cards(x=card(AT, **FIRST)), cards(x=card(AT, **OTHER_IMAGE, **FIRST)), "address"),
    "one of several": (cards(x=card(MORE, **FIRST)), cards(x=card(MORE, **OTHER_IMAGE, **FIRST)), "address"),
    "an IPv6 one": (cards(x=card(AT6, **FIRST)), cards(x=card(AT6, **OTHER_IMAGE, **FIRST)), "addresses6"),
    "a prefix": (cards(x=card(PREFIX, **FIRST)), cards(x=card(PREFIX, **OTHER_IMAGE, **FIRST)), "prefixes"),
    "that of the machine": (cards(x=own(AT, **FIRST)), cards(x=card(AT, **OTHER_IMAGE, **FIRST)), "address"),
    "an inside range": (
        connections({"x": FIRST}, x=[10, 11]),
        connections({"x": {**FIRST, **BY_ANOTHER}}, x=[10, 12]),
        "inside_cidr",
    ),
}


@pytest.mark.parametrize("what", SAME)
def test_old_and_new_cannot_have_the_same_in_an_item(stack, what):
    """The service would refuse the new one as long as the old one is there, which goes after it."""
    cloud = SimulatedCloud(stack)
    first, then, field = SAME[what]
    write(stack, first)
    apply(stack)
    before = cloud.show()
    write(stack, then)
    warned = [each["message"] for each in stack.run("validate", "--output", "json").json["diagnostics"]]
    # What an expression comes to only the plan knows.
    is_known = what != "an IPv6 one"
    assert any(f"old and new cannot have the same '{field}' at a time" in message for message in warned) == is_known
    for command in ("plan",), ("apply", "--yes"):
        [error] = errors_of(stack.run(*command, "--output", "json", status=1).json)
        assert error["message"].endswith(f"before the old one is deleted, but both would have the same '{field}'")
        assert f"change '{field}' too" in error["hint"]
    assert cloud.show() == before
    cloud.close()


# By each of these the service is to choose an address of the subnet, and by the other of each two one is named.
CHOOSES = [own(), card({})]
SECOND = {"device_index": 1, "subnet": Ref("aws.subnet.a")}
NAMES = {
    "its own": {"z": own(address="10.20.0.4")},
    "its first interface's": {"z": own(interfaces=[{"device_index": 0, "address": "10.20.0.4"}])},
    "a further one's": {"z": card({"address": "10.20.0.4"})},
    "many": {f"z{host}": own(address=f"10.20.0.{host}") for host in range(4, 14)},
    "by what waits for another": {"z": own(address="10.20.0.50", user_data="${aws.instance.a0.address}")},
    "many, and the last by what waits for another": {
        **{f"z{host}": own(address=f"10.20.0.{host}") for host in range(4, 14)},
        "zz": own(address="10.20.0.50", user_data="${aws.instance.a0.address}"),
    },
    "by what the service is to choose another for": {
        **{f"{name}y": own(address=f"10.20.0.6{at}", interfaces=[SECOND]) for at, name in enumerate("az")},
        **{f"{'az'[host % 2]}z{host}": own(address=f"10.20.0.{host}") for host in range(4, 8)},
    },
}


@pytest.mark.parametrize("named", NAMES.values(), ids=NAMES)
def test_what_has_an_address_that_is_named_is_made_first(stack, named):
    """The service chooses of all that are free: for whatever is made before it, the one that it is to have."""
    cloud = SimulatedCloud(stack)
    machines = {**{f"a{number}": fields for number, fields in enumerate(CHOOSES * 2)}, **named}
    write(stack, cards(**machines))
    apply(stack)
    plan_is_empty(stack)
    # All end at once, and give back what they had.
    write(stack, cards(**{name: {**fields, **OTHER_IMAGE} for name, fields in machines.items()}))
    apply(stack)
    plan_is_empty(stack)
    cloud.close()


def test_what_has_an_address_that_is_named_and_is_refused_holds_nothing_up(stack):
    """It only comes first: whatever is made after it needs nothing of it."""
    cloud = SimulatedCloud(stack)
    write(stack, cards(a=own(), b=own(), z=own(address="10.20.0.4"), zz=own(address="10.20.0.5")))
    fault = cloud.fault("RunInstances", "deny")
    done = stack.run("apply", "--yes", "--output", "json", status=7).json["applied"]
    assert (done["failed"], done["skipped"]) == (1, 0)
    assert {"aws.instance.a", "aws.instance.b"} < set(ids_of(stack))
    cloud.heal(fault)
    stack.run("apply", "--yes", status=(0, 1))
    cloud.close()


HERE = Ref("aws.subnet.a")


def first(host, **said):
    """A machine whose first address is named of its first interface, and what else is said of that."""
    return own(interfaces=[{"device_index": 0, "address": f"10.20.0.{host}", **said}])


def further(host, **said):
    """The same of a further interface."""
    return card({"address": f"10.20.0.{host}", **said})


# Late in the order of names, and of what it waits for.
LATE = {"user_data": "${aws.instance.w.address}"}
ELSEWHERE = {"w": own(subnet=Ref("aws.subnet.b"))}


def late(**said):
    return {**ELSEWHERE, "z": own(**said, **LATE)}


TEMPLATE = {"t": {"name": "tmpl", **MACHINE}}


def scaling(size, **said):
    return {"name": "g", "min": size, "max": 20, "subnets": [HERE], "launch_template": Ref("aws.launch_template.t"), **said}


def with_group(machines, **said):
    return {**cards(**machines), "aws.launch_template": TEMPLATE, "aws.autoscaling_group": {"a": scaling(**said)}}


# What is named, and what has some of the service's choice beside a named one, or launches such.
PREFIXED = {"prefixes": ["10.20.0.16/28"]}
TAKERS = {
    "further addresses of an interface": cards(a=further(50, secondary_addresses=3), **late(address="10.20.0.5")),
    "further addresses of the first interface": cards(a=first(50, secondary_addresses=3), **late(address="10.20.0.5")),
    "a number of prefixes": cards(a=further(50, prefix_count=1), **late(address="10.20.0.230")),
    "a number of prefixes, and a prefix that is named": cards(
        a=further(50, prefix_count=1), **late(address="10.20.0.60", interfaces=[{"device_index": 0, "prefixes": ["10.20.0.224/28"]}])
    ),
    "a prefix that is named": cards(
        a=further(50, secondary_addresses=20), **late(address="10.20.0.60", interfaces=[{"device_index": 0, **PREFIXED}])
    ),
    "a prefix of a further interface that is named": cards(
        a=further(50, secondary_addresses=20), **late(address="10.20.0.60", interfaces=[{**SECOND, "address": "10.20.0.61", **PREFIXED}])
    ),
    # Neither z nor zz gets an address of the service's choice: what does comes after both.
    "the first address of a first interface": cards(
        a=further(50, secondary_addresses=3), **ELSEWHERE, z={**first(5), **LATE}, zz={**first(7), **LATE}
    ),
    "a group": with_group(late(address="10.20.0.5"), size=3),
    "a group, and a prefix that is named": with_group(
        late(address="10.20.0.60", interfaces=[{"device_index": 0, **PREFIXED}]), size=20
    ),
}


@pytest.mark.parametrize("spec", TAKERS.values(), ids=TAKERS)
def test_what_the_service_chooses_comes_after_what_is_named(stack, spec):
    """Be that one more address of a thing, a range of them, or an address of what a group launches."""
    cloud = SimulatedCloud(stack)
    write(stack, spec)
    apply(stack)
    plan_is_empty(stack)
    cloud.close()


@pytest.mark.parametrize(
    "before, after",
    [({"size": 0}, {"size": 3}), ({"size": 3, "subnets": [Ref("aws.subnet.b")]}, {"size": 3})],
    ids=["more of them", "elsewhere"],
)
@pytest.mark.parametrize("saved", [None, "full"])
def test_what_a_group_that_is_there_launches_comes_after_what_is_named(stack, before, after, saved):
    cloud = SimulatedCloud(stack)
    write(stack, with_group({}, **before))
    apply(stack)
    write(stack, with_group(late(address="10.20.0.5"), **after))
    carry_out(stack, saved)
    plan_is_empty(stack)
    cloud.close()


def test_a_group_that_launches_nothing_waits_for_nobody(stack):
    """Other tags of it are set at once."""
    cloud = SimulatedCloud(stack)
    write(stack, with_group({}, size=1))
    apply(stack)
    write(stack, with_group(late(address="10.20.0.50"), size=1, cooldown_s=100))
    told = stack.run("apply", "--yes").err.splitlines()
    assert told.index("  aws.autoscaling_group.a  changing") < told.index("  aws.instance.z  creating"), told
    cloud.close()


def test_an_interface_that_is_there_already_has_its_addresses(stack):
    """None is chosen for it; this one is refused, as there is none of that id, and not before it is its turn."""
    cloud = SimulatedCloud(stack)
    there = {"device_index": 1, "interface": "eni-0123456789abcdef0"}
    write(stack, cards(a=own(address="10.20.0.50", interfaces=[there]), **late(address="10.20.0.5")))
    told = stack.run("apply", "--yes", status=7).err.splitlines()
    assert told.index("  aws.instance.a  creating") < told.index("  aws.instance.z  creating"), told
    cloud.close()


@pytest.mark.parametrize("said", [AT, MORE], ids=["by its field", "by an item of its set"])
def test_a_first_address_that_is_named_is_not_waited_for(stack, said):
    """Nothing is chosen for it: it comes in its turn, beside others that are named, and not after them."""
    cloud = SimulatedCloud(stack)
    write(stack, cards(a=card(said, 0, subnet=Ref("aws.subnet.a")), b=own(), z=own(NEXT)))
    stack.run("apply", "--yes", "--parallelism", "1")
    made = {each["privateIpAddress"]: each["launchTime"] for each in cloud.things("instance").values()}
    others = [made[each] for each in made if each not in ("10.20.0.50", "10.20.0.51")]
    assert made["10.20.0.50"] <= made["10.20.0.51"] <= others[0], made
    cloud.close()
