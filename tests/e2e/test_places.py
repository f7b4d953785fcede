"""Where a stack's objects are: accounts, regions and endpoints, and what must not be taken for one another."""

import contextlib
import sqlite3

import pytest

from trueup_runner import Proxy, apply, errors_of, ids_of, plan, plan_is_empty, spec_text

VPC = {"train": {"cidr": "10.20.0.0/16"}}
ACCOUNT, OTHER_ACCOUNT = "123456789012", "999999999999"


def of_account(account):
    return spec_text({"aws.vpc": VPC}, providers={"aws": {"account": account}})


def refused(stack, *arguments, **settings):
    """The one error of a run, with its place."""
    [error] = errors_of(stack.run(*arguments, "--output", "json", status=1, **settings).json)
    return error


@pytest.mark.parametrize("command", [["plan"], ["apply", "--yes"], ["destroy", "--yes"], ["drift"]], ids=" ".join)
def test_another_account_is_not_even_read(stack, cloud, command):
    stack.write("stack.yaml", of_account(ACCOUNT))
    apply(stack)
    stack.write("stack.yaml", of_account(OTHER_ACCOUNT))
    proxy = Proxy(cloud.address())
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    error = refused(stack, *command)
    proxy.stop()
    assert f"account {OTHER_ACCOUNT}" in error["message"] and f"account {ACCOUNT}" in error["message"], error
    assert (error["file"], error["line"] > 1) == ("stack.yaml", True), error
    assert set(proxy.actions) == {"GetCallerIdentity"}
    assert ids_of(stack)


def test_another_account_than_recorded_is_told_without_asking(stack, cloud):
    stack.write("stack.yaml", of_account(ACCOUNT))
    apply(stack)
    plan_is_empty(stack)
    stack.run("plan", "--refresh=none")
    stack.write("stack.yaml", of_account(OTHER_ACCOUNT))
    error = refused(stack, "plan", "--refresh=none")
    assert f"recorded in account {ACCOUNT}" in error["message"], error
    assert (error["file"], error["line"] > 1) == ("stack.yaml", True), error


def test_a_first_run_in_another_account_leaves_nothing_behind(stack, cloud):
    stack.write("stack.yaml", of_account(OTHER_ACCOUNT))
    refused(stack, "apply", "--yes")
    assert not (stack.folder / ".trueup").exists()


def in_two_regions(**subnet):
    return spec_text(
        {
            "aws.vpc": {"train": {"cidr": "10.20.0.0/16", "provider": "aws.east"}},
            "aws.subnet": {"a": {"vpc": "train", "cidr": "10.20.1.0/24", **subnet}},
        },
        providers={"aws": {}, "aws.east": {"region": "us-east-1"}},
    )


def test_a_reference_to_another_region_is_an_error_of_the_spec(stack, cloud):
    """Even a plan would destroy before it fails: the id is not to be found there."""
    stack.write("stack.yaml", in_two_regions(provider="aws.east"))
    apply(stack)
    stack.write("stack.yaml", in_two_regions())
    for command in ["validate"], ["plan"], ["apply", "--yes"]:
        error = refused(stack, *command)
        assert "'aws.vpc.train'" in error["message"] and "region us-east-1" in error["message"], error
        assert error["address"] == "aws.subnet.a", error
    # Without a region of its own the default provider may be there too.
    stack.run("validate", AWS_REGION=None)
    stack.run("validate", AWS_REGION="us-east-1")
    assert len(ids_of(stack)) == 2


def test_no_zone_is_made_up_for_what_is_no_region(stack, cloud):
    subnet = {"vpc": "train", "cidr": "10.20.1.0/24", "zone": "us-west-2a"}
    stack.write("stack.yaml", spec_text({"aws.vpc": VPC, "aws.subnet": {"a": subnet}}))
    error = refused(stack, "plan", AWS_REGION="us_west")
    assert error["message"] == "'us_west' is no region that provider 'aws' can have", error
    assert error["hint"] == "a region is named like us-west-2, and AWS_REGION or AWS_DEFAULT_REGION names this one", error


def test_a_simulated_world_lies_beside_its_spec(stack, make_stack):
    """Wherever the program is started, and however the folder or the file in it is spelled."""
    above = make_stack("above")
    stack.folder.rename(above.folder / "sub")
    stack.folder = above.folder / "sub"
    above.environment.update(AWS_ACCESS_KEY_ID="sim", AWS_SECRET_ACCESS_KEY="sim")
    stack.environment.update(above.environment)
    stack.write("stack.yaml", spec_text({"aws.vpc": VPC}, providers={"aws": {"endpoint": "sim:w"}}))
    apply(stack)
    (above.folder / "link").symlink_to("sub")
    world = stack.folder / "w"
    for endpoint in "sim:w", "sim:./w", "sim:../sub/w", "sim:../link/w", f"sim:{world}", f"sim:{above.folder}/link/w":
        stack.write("stack.yaml", spec_text({"aws.vpc": VPC}, providers={"aws": {"endpoint": endpoint}}))
        for folder in "sub", "link", stack.folder:
            assert plan(above, "-C", folder, status=0).operations() == {}
        plan_is_empty(stack)
        [recorded] = stack.run("state", "list", "--output", "json").json["objects"]
        assert recorded["identity"].endswith("@sim%3Aw"), recorded
    assert not (above.folder / "w").exists()
    stack.write("stack.yaml", spec_text({"aws.vpc": VPC}))
    assert plan(above, "-C", "link", status=0, AWS_ENDPOINT_URL="sim:w").operations() == {}
    assert "vpc" in above.run("-C", "sub", "sim", "show", "vpc", AWS_ENDPOINT_URL="sim:w").out
    # Another world is another place, and is not taken for this one.
    error = refused(above, "-C", "sub", "plan", AWS_ENDPOINT_URL="sim:../w")
    assert f"sim:{above.folder}/w" in error["message"], error


def test_a_stack_that_is_moved_takes_its_world_along(stack):
    stack.environment.update(AWS_ACCESS_KEY_ID="sim", AWS_SECRET_ACCESS_KEY="sim")
    stack.write("stack.yaml", spec_text({"aws.vpc": VPC}, providers={"aws": {"endpoint": f"sim:{stack.folder}/w"}}))
    apply(stack)
    stack.folder.rename(stack.folder.with_name("moved"))
    stack.folder = stack.folder.with_name("moved")
    stack.write("stack.yaml", spec_text({"aws.vpc": VPC}, providers={"aws": {"endpoint": "sim:w"}}))
    plan_is_empty(stack)


def test_a_record_that_spells_its_world_in_another_way_still_means_it(stack):
    """As it was recorded while the spec's own spelling was the name of the place."""
    stack.environment.update(AWS_ACCESS_KEY_ID="sim", AWS_SECRET_ACCESS_KEY="sim")
    stack.write("stack.yaml", spec_text({"aws.vpc": VPC}, providers={"aws": {"endpoint": "sim:w"}}))
    apply(stack)
    with contextlib.closing(sqlite3.connect(stack.folder / ".trueup/state.db")) as database, database:
        changed = database.execute("UPDATE objects SET identity = replace(identity, '@sim%3Aw', '@sim%3A./w')").rowcount
        assert changed == 1
    plan_is_empty(stack)
    stack.run("destroy", "--yes")
    assert ids_of(stack) == {}


def test_one_place_however_its_endpoint_is_spelled(stack, cloud):
    address = cloud.address()
    stack.write("stack.yaml", spec_text({"aws.vpc": VPC}))
    stack.environment["AWS_ENDPOINT_URL"] = address + "/"
    apply(stack)
    for spelled in address, address.upper().replace("HTTP:", "Http:"), address + "//":
        stack.environment["AWS_ENDPOINT_URL"] = spelled
        plan_is_empty(stack)
    for spelled in address + "?x=1", address + "/#x":
        error = refused(stack, "plan", AWS_ENDPOINT_URL=spelled)
        assert error["message"] == f"provider 'aws' cannot have the endpoint '{spelled}'", error
