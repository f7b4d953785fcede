"""Routes that are as the spec says, and lead nowhere: what they name is gone, or no longer attached."""

import pytest
from trueup_runner import Expression, Ref, apply, errors_of, ids_of, plan, plan_is_empty, spec_text

TABLE, MACHINE, GATEWAY = "aws.route_table.r", "aws.instance.m", "aws.internet_gateway.i"
IMAGE = {"image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
FAR = "192.168.0.0/16"


def write(stack, *routes, image=IMAGE, gateway="i", **lifecycle):
    table = {"vpc": Ref("aws.vpc.v"), "routes": list(routes)}
    if lifecycle:
        table["lifecycle"] = lifecycle
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.internet_gateway": {gateway: {"vpc": Ref("aws.vpc.v")}},
        "aws.subnet": {"s": {"vpc": Ref("aws.vpc.v"), "cidr": "10.0.0.0/24"}},
        "aws.instance": {"m": {**image, "subnet": Ref("aws.subnet.s")}},
        "aws.route_table": {"r": table},
    }
    stack.write("stack.yaml", spec_text(spec))


def state_of(cloud, stack, destination):
    routes = cloud.things("route-table")[ids_of(stack)[TABLE]]["routeSet"]
    return next(each["state"] for each in routes if each["destinationCidrBlock"] == destination)


@pytest.fixture
def other(stack, cloud):
    """The interface of a machine that no spec has, and how to end that."""
    write(stack)
    apply(stack)
    ec2 = cloud.client()
    [made] = ec2.run_instances(
        ImageId=IMAGE["image"], InstanceType="t3.micro", MinCount=1, MaxCount=1, SubnetId=ids_of(stack)["aws.subnet.s"]
    )["Instances"]

    def end():
        ec2.terminate_instances(InstanceIds=[made["InstanceId"]])
        cloud.wait_for(lambda: state_of(cloud, stack, FAR) == "blackhole")

    return made["NetworkInterfaces"][0]["NetworkInterfaceId"], end


def warnings(document):
    return [each for each in document["diagnostics"] if "leads nowhere" in each["message"]]


def foretold(stack, *words):
    planned = stack.run("plan", "--output", "json", *words, status=None).json
    return [each for each in planned["diagnostics"] if "goes on naming" in each["message"]]


def outputs_of(stack, address):
    return stack.run("state", "show", address, "--output", "json").json["objects"][0]["outputs"]


def test_the_nightly_look_tells_it_each_time(stack, cloud, other):
    interface, end = other
    write(stack, {"destination": FAR, "interface": interface})
    apply(stack)
    stack.run("drift")
    end()
    for _ in range(2):
        drift = stack.run("drift", "--output", "json", status=2).json
        [action] = drift["actions"]
        [change] = action["changes"]
        assert (action["address"], change["path"], change["effect"]) == (TABLE, f"routes[{FAR}]", "dead")
        [told] = warnings(drift)
        assert interface in told["cause"] and "another target" in told["hint"]
        assert f"routes[{FAR}]" in stack.run("drift", status=2).out
        # No call brings back what it names: nothing is done, and it is not hidden by the record either.
        planned = plan(stack, status=0)
        assert planned.data["actions"] == [] and warnings(planned.data) and not errors_of(planned.data)
        apply(stack)


def test_another_target_puts_it_right(stack, cloud, other):
    interface, end = other
    write(stack, {"destination": FAR, "interface": interface})
    apply(stack)
    end()
    write(stack, {"destination": FAR, "internet_gateway": Ref(GATEWAY)})
    planned = plan(stack, status=2)
    assert planned.actions[TABLE].operation == "update" and not warnings(planned.data)
    apply(stack)
    assert state_of(cloud, stack, FAR) == "active"
    plan_is_empty(stack)
    stack.run("drift")


def test_what_else_has_moved_is_told_beside_it(stack, cloud, other):
    interface, end = other
    write(stack, {"destination": FAR, "interface": interface}, {"destination": "0.0.0.0/0", "internet_gateway": Ref(GATEWAY)})
    apply(stack)
    end()
    cloud.client().delete_route(RouteTableId=ids_of(stack)[TABLE], DestinationCidrBlock="0.0.0.0/0")
    [action] = stack.run("drift", "--output", "json", status=2).json["actions"]
    assert {each["path"]: each["effect"] for each in action["changes"]} == {"routes[0.0.0.0/0]": "set", f"routes[{FAR}]": "dead"}
    apply(stack)
    assert [each["path"] for each in stack.run("drift", "--output", "json", status=2).json["actions"][0]["changes"]] == [f"routes[{FAR}]"]


def test_what_is_left_to_others_is_theirs(stack, cloud, other):
    interface, end = other
    for lifecycle in {}, {"ignore": ["routes"]}:
        write(stack, {"destination": FAR, "interface": interface}, **lifecycle)
        apply(stack)
    end()
    assert not warnings(stack.run("drift", "--output", "json").json)
    plan_is_empty(stack)


@pytest.mark.parametrize("gateway", ["internet_gateway", "vpn_gateway"])
def test_what_the_plan_attaches_again_is_told_there_alone(stack, cloud, gateway):
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        f"aws.{gateway}": {"g": {"vpc": Ref("aws.vpc.v")}},
        "aws.route_table": {
            "r": {"vpc": Ref("aws.vpc.v"), "routes": [{"destination": FAR, gateway: Ref(f"aws.{gateway}.g")}]}
        },
    }
    stack.write("stack.yaml", spec_text(spec))
    apply(stack)
    ids, ec2 = ids_of(stack), cloud.client()
    ended = {"VpcId": ids["aws.vpc.v"], "".join(each.title() for each in gateway.split("_")) + "Id": ids[f"aws.{gateway}.g"]}
    getattr(ec2, f"detach_{gateway}")(**ended)
    cloud.wait_for(lambda: state_of(cloud, stack, FAR) == "blackhole")
    cloud.sim("pass", 60)
    drift = stack.run("drift", "--output", "json", status=2).json
    assert [each["address"] for each in drift["actions"]] == [f"aws.{gateway}.g"] and not warnings(drift)
    assert not warnings(plan(stack, status=2).data)
    apply(stack)
    assert state_of(cloud, stack, FAR) == "active"
    plan_is_empty(stack)
    stack.run("drift")


def test_a_machine_that_is_made_anew_gets_its_route(stack, cloud):
    write(stack, {"destination": FAR, "interface": "${aws.instance.m.interface}"})
    apply(stack)
    cloud.client().terminate_instances(InstanceIds=[ids_of(stack)[MACHINE]])
    cloud.wait_for(lambda: state_of(cloud, stack, FAR) == "blackhole")
    drift = stack.run("drift", "--output", "json", status=2).json
    assert [each["address"] for each in drift["actions"]] == [MACHINE] and not warnings(drift)
    apply(stack)
    assert state_of(cloud, stack, FAR) == "active"
    plan_is_empty(stack)
    stack.run("drift")


def test_a_machine_that_is_to_stand_still(stack, cloud):
    """Nothing goes through it, as the spec has it."""
    write(stack, {"destination": FAR, "interface": "${aws.instance.m.interface}"})
    text = (stack.folder / "stack.yaml").read_text()
    stack.write("stack.yaml", text.replace('"instance_type"', '"running": false, "instance_type"'))
    apply(stack)
    [routes] = [each["routeSet"] for each in cloud.things("route-table").values() if len(each["routeSet"]) > 1]
    for each in routes[1:]:
        each["state"] = "blackhole"
    cloud.change("route-table", ids_of(stack)[TABLE], routeSet=routes)
    assert not warnings(stack.run("drift", "--output", "json").json)
    plan_is_empty(stack)


def test_a_machine_that_somebody_has_stopped(stack, cloud):
    """The spec does not say that it runs: that it is started again is up to whoever stopped it."""
    write(stack, {"destination": FAR, "interface": "${aws.instance.m.interface}"})
    apply(stack)
    ids = ids_of(stack)
    cloud.change("instance", ids[MACHINE], instanceState={"code": 80, "name": "stopped"})
    routes = cloud.things("route-table")[ids[TABLE]]["routeSet"]
    for each in routes:
        each["state"] = "blackhole" if "networkInterfaceId" in each else each["state"]
    cloud.change("route-table", ids[TABLE], routeSet=routes)
    [told] = warnings(stack.run("drift", "--output", "json", status=2).json)
    assert "stands still" in told["message"] and "start what it names" in told["hint"]


@pytest.mark.parametrize("table", ["stays", "moves", "lets go"])
def test_a_machine_that_moves_to_another_vpc(stack, cloud, table):
    """What routes to it lies where it does: else that is refused before anything is replaced."""

    def write_at(vpc, of_table, *routes):
        spec = {
            "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}, "w": {"cidr": "10.1.0.0/16"}},
            "aws.subnet": {
                name: {"vpc": Ref(f"aws.vpc.{name}"), "cidr": f"10.{number}.0.0/24"} for number, name in enumerate("vw")
            },
            "aws.instance": {"m": {**IMAGE, "subnet": Ref(f"aws.subnet.{vpc}")}},
            "aws.route_table": {"r": {"vpc": Ref(f"aws.vpc.{of_table}"), "routes": list(routes)}},
        }
        stack.write("stack.yaml", spec_text(spec))

    route = {"destination": FAR, "interface": "${aws.instance.m.interface}"}
    write_at("v", "v", route)
    apply(stack)
    before = cloud.show()
    write_at("w", "w" if table == "moves" else "v", *([] if table == "lets go" else [route]))
    if table == "stays":
        [error] = errors_of(stack.run("apply", "--yes", "--output", "json", status=1).json)
        assert "'interface' refers to 'aws.instance.m' and so to 'aws.subnet.w', which lies in 'aws.vpc.w'" in error["message"]
        assert cloud.show() == before
        return
    apply(stack)
    if table == "moves":
        assert state_of(cloud, stack, FAR) == "active"
    plan_is_empty(stack)
    stack.run("drift")


@pytest.mark.parametrize("words", [[], ["--refresh=none"], ["--target", MACHINE]], ids=["all", "as recorded", "its target"])
def test_a_route_that_names_by_its_id_what_goes_is_told_before(stack, cloud, words):
    """No reference says what waits for it, and the service lets it go: the route leads nowhere then."""
    write(stack)
    apply(stack)
    machine, gateway = outputs_of(stack, MACHINE)["interface"], ids_of(stack)[GATEWAY]
    routes = {"destination": FAR, "interface": machine}, {"destination": "0.0.0.0/0", "internet_gateway": gateway}
    write(stack, *routes)
    apply(stack)
    assert not foretold(stack, *words)
    other = {**IMAGE, "image": "ami-0a1b2c3d4e5f60718"}
    write(stack, *routes, image=other)
    [told] = foretold(stack, *words)
    assert told["address"] == TABLE and told["message"] == (
        f"'{TABLE}': routes[{FAR}] goes on naming {machine}, the 'interface' of the '{MACHINE}' that goes"
    )
    assert told["hint"].startswith("write '${aws.instance.m.interface}' there: ")
    # As the hint has it.
    write(stack, {"destination": FAR, "interface": Expression("${aws.instance.m.interface}")}, image=other)
    assert not foretold(stack, *words)


def test_a_route_that_names_by_its_id_a_gateway_that_is_deleted_is_told_before(stack, cloud):
    write(stack)
    apply(stack)
    gateway = ids_of(stack)[GATEWAY]
    write(stack, {"destination": "0.0.0.0/0", "internet_gateway": gateway})
    apply(stack)
    write(stack, {"destination": "0.0.0.0/0", "internet_gateway": gateway}, gateway="j")
    [told] = foretold(stack)
    assert f"goes on naming {gateway}, the 'id' of the '{GATEWAY}' that goes" in told["message"]
    assert told["hint"] == "have it name another one, or take it out"


def with_further(stack, cloud, **further):
    """The route names the second interface of the machine by its id."""
    machine = {**IMAGE, "interfaces": [{"device_index": 1, "subnet": Ref("aws.subnet.s"), **further}]}
    write(stack, image=machine)
    apply(stack)
    [made] = cloud.client().describe_instances()["Reservations"][0]["Instances"]
    [interface] = [each["NetworkInterfaceId"] for each in made["NetworkInterfaces"] if each["Attachment"]["DeviceIndex"] == 1]
    write(stack, {"destination": FAR, "interface": interface}, image=machine)
    apply(stack)
    assert not foretold(stack)
    return interface, machine


@pytest.mark.parametrize("words", [[], ["--target", MACHINE]], ids=["all", "its target"])
def test_a_route_that_names_a_further_interface_of_what_goes_is_told_before(stack, cloud, words):
    """It has no output, and is read with its machine all the same."""
    interface, machine = with_further(stack, cloud)
    write(stack, {"destination": FAR, "interface": interface}, image={**machine, "image": "ami-0a1b2c3d4e5f60718"})
    [told] = foretold(stack, *words)
    assert told["address"] == TABLE and told["message"] == (
        f"'{TABLE}': routes[{FAR}] goes on naming {interface}, the 'interfaces[1]' of the '{MACHINE}' that goes"
    )
    assert told["hint"] == f"have it name another one, or that of the new '{MACHINE}' once it is made: no output tells that"
    apply(stack)
    cloud.wait_for(lambda: state_of(cloud, stack, FAR) == "blackhole")


def test_a_route_that_names_a_further_interface_of_what_is_deleted_is_told_before(stack, cloud):
    interface, _ = with_further(stack, cloud)
    route = {"destination": FAR, "interface": interface}
    spec = {
        "aws.vpc": {"v": {"cidr": "10.0.0.0/16"}},
        "aws.internet_gateway": {"i": {"vpc": Ref("aws.vpc.v")}},
        "aws.subnet": {"s": {"vpc": Ref("aws.vpc.v"), "cidr": "10.0.0.0/24"}},
        "aws.route_table": {"r": {"vpc": Ref("aws.vpc.v"), "routes": [route]}},
    }
    stack.write("stack.yaml", spec_text(spec))
    [told] = foretold(stack)
    assert f"goes on naming {interface}, the 'interfaces[1]' of the '{MACHINE}' that goes" in told["message"]
    assert told["hint"] == "have it name another one, or take it out"


def test_an_interface_that_the_next_machine_has_too_does_not_go(stack, cloud):
    """It is there already, and is made with neither."""
    interface, machine = with_further(stack, cloud)
    there = {**machine, "interfaces": [{"device_index": 1, "interface": interface}]}
    write(stack, {"destination": FAR, "interface": interface}, image=there)
    assert plan(stack, status=2).actions[MACHINE].operation == "replace"
    assert not foretold(stack)
