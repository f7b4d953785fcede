"""`trueup undo RUN` where what goes back refers to something that `state mv` has given another address since."""

import shutil

import pytest

from simulator import simulator  # noqa: F401
from test_take_back import REGION, site  # noqa: F401
from test_undo_left_behind import last_run
from trueup_runner import Ref, apply, plan_is_empty, spec_text


def settle(site, vpcs, **kinds):
    nets = {"aws.vpc": {name: {"cidr": f"10.{number}.0.0/16"} for name, number in vpcs.items()}}
    site.stack.write("stack.yaml", spec_text({**nets, **{f"aws.{kind}": named for kind, named in kinds.items()}}))
    apply(site.stack)


def rename(site, *pairs):
    for before, after in pairs:
        site.stack.run("state", "mv", before, after)


def refused(site, run, *words):
    there = site.server.show(REGION)
    told = site.stack.run("undo", run, "--yes", *words, status=1).err
    assert site.server.show(REGION) == there
    return told


def group(name, **fields):
    return {"vpc": Ref("aws.vpc.v"), "name": name, "description": "d", **fields}


def test_a_rule_is_not_given_to_who_has_the_name_now(site):  # noqa: F811
    rule = {"protocol": "tcp", "from_port": 5432, "to_port": 5432, "group": Ref("aws.security_group.web")}
    settle(site, {"v": 1}, security_group={"web": group("web"), "db": group("db", ingress=[rule])})
    settle(site, {"v": 1}, security_group={"web": group("web"), "db": group("db")})
    run = last_run(site)
    rename(site, ("aws.security_group.web", "aws.security_group.front"))
    settle(site, {"v": 1}, security_group={"front": group("web"), "web": group("guests"), "db": group("db")})
    told = refused(site, run)
    assert "'aws.security_group.db' referred to 'aws.security_group.web', which is called 'aws.security_group.front' since" in told
    assert "give them back their names with 'trueup state mv'" in told


def attached(site):
    ec2 = site.server.client("ec2")
    nets = {vpc["VpcId"]: vpc["CidrBlock"] for vpc in ec2.describe_vpcs()["Vpcs"]}
    gateways = ec2.describe_internet_gateways()["InternetGateways"]
    return [nets[each["VpcId"]] for gateway in gateways for each in gateway["Attachments"]]


@pytest.mark.parametrize(
    "others, moves, name",
    [
        ({}, ["ac"], "c"),
        ({"d": 3}, ["at", "da", "td"], "d"),
    ],
    ids=["renamed", "swapped"],
)
def test_a_gateway_does_not_go_to_another_network(site, others, moves, name):  # noqa: F811
    was, left = ({"i": {"vpc": Ref(f"aws.vpc.{net}")}} for net in "ab")
    settle(site, {"a": 1, "b": 2, **others}, internet_gateway=was)
    settle(site, {"a": 1, "b": 2, **others}, internet_gateway=left)
    run = last_run(site)
    rename(site, *[(f"aws.vpc.{before}", f"aws.vpc.{after}") for before, after in moves])
    settle(site, {name: 1, "b": 2, **{"a": number for number in others.values()}}, internet_gateway=left)
    assert f"'aws.internet_gateway.i' referred to 'aws.vpc.a', which is called 'aws.vpc.{name}' since" in refused(site, run)
    rename(site, *[(f"aws.vpc.{after}", f"aws.vpc.{before}") for before, after in reversed(moves)])
    site.stack.run("undo", run, "--yes")
    assert attached(site) == ["10.1.0.0/16"]


def test_what_was_removed_is_not_made_in_another_network(site):  # noqa: F811
    settle(site, {"a": 1, "x": 5}, security_group={"g": {**group("g"), "vpc": Ref("aws.vpc.a")}})
    settle(site, {"x": 5})
    run = last_run(site)
    rename(site, ("aws.vpc.x", "aws.vpc.a"))
    told = refused(site, run, "--target", "aws.security_group.g")
    assert "'aws.security_group.g' referred to 'aws.vpc.a', which is another object since, then called 'aws.vpc.x'" in told


def test_a_rule_that_the_run_gave_is_not_overlooked(site):  # noqa: F811
    """By its new name it would count as one that another run has given."""
    rule = {"protocol": "tcp", "from_port": 5432, "to_port": 5432, "group": Ref("aws.security_group.web")}
    settle(site, {"v": 1}, security_group={"web": group("web"), "db": group("db")})
    settle(site, {"v": 1}, security_group={"web": group("web"), "db": group("db", ingress=[rule])})
    run = last_run(site)
    rename(site, ("aws.security_group.web", "aws.security_group.front"))
    told = refused(site, run)
    assert "'aws.security_group.db' referred to 'aws.security_group.web', which is called 'aws.security_group.front' since" in told
    rename(site, ("aws.security_group.front", "aws.security_group.web"))
    site.stack.run("undo", run, "--yes")
    groups = site.server.client("ec2").describe_security_groups()["SecurityGroups"]
    assert [one["IpPermissions"] for one in groups if one["GroupName"] == "db"] == [[]]


def test_a_rule_beside_one_that_is_called_otherwise_is_taken_back(site):  # noqa: F811
    """The run gave no reference: there was one before it."""
    rule = {"protocol": "tcp", "from_port": 5432, "to_port": 5432, "group": Ref("aws.security_group.web")}
    plain = {"protocol": "tcp", "from_port": 443, "to_port": 443, "cidr": "10.0.0.0/8"}
    settle(site, {"v": 1}, security_group={"web": group("web"), "db": group("db", ingress=[rule])})
    settle(site, {"v": 1}, security_group={"web": group("web"), "db": group("db", ingress=[rule, plain])})
    run = last_run(site)
    rename(site, ("aws.security_group.web", "aws.security_group.front"))
    renamed = {**rule, "group": Ref("aws.security_group.front")}
    settle(site, {"v": 1}, security_group={"front": group("web"), "db": group("db", ingress=[renamed, plain])})
    site.stack.run("undo", run, "--yes")
    front = spec_text(
        {
            "aws.vpc": {"v": {"cidr": "10.1.0.0/16"}},
            "aws.security_group": {"front": group("web"), "db": group("db", ingress=[renamed])},
        }
    )
    site.stack.write("stack.yaml", front)
    plan_is_empty(site.stack)


@pytest.mark.parametrize("taken", [True, False], ids=["the name is another's", "the name is nobody's"])
def test_a_group_that_admits_itself_does_so_under_its_new_name(site, taken):  # noqa: F811
    """The run after the renaming has changed something else, and its undoing leaves the rule alone."""
    itself = {"protocol": "tcp", "from_port": 6000, "to_port": 6999, "group": "self"}
    settle(site, {"v": 1}, security_group={"web": group("web", ingress=[itself])})
    rename(site, ("aws.security_group.web", "aws.security_group.front"))
    others = {"web": group("guests")} if taken else {}
    tagged = group("web", ingress=[itself], tags={"a": "b"})
    settle(site, {"v": 1}, security_group={"front": tagged, **others})
    rules = site.server.show(REGION)["security-group-rule"]
    site.stack.run("undo", last_run(site), "--yes")
    now = site.server.show(REGION)["security-group-rule"]
    admitting = [each for each in now.values() if each.get("fromPort") == "6000"]
    assert [each["groupId"] == each["referencedGroupInfo"]["groupId"] for each in admitting] == [True]
    assert taken or now == rules
    site.stack.run("drift")


def test_a_rebuild_gives_it_the_new_name_in_its_own_rule(site, tmp_path):  # noqa: F811
    """An older state is put back, and the tags tell the name of since."""
    itself = {"protocol": "tcp", "from_port": 6000, "to_port": 6999, "group": "self"}
    settle(site, {"v": 1}, security_group={"web": group("web", ingress=[itself])})
    shutil.copytree(site.stack.folder / ".trueup", tmp_path / "older")
    rename(site, ("aws.security_group.web", "aws.security_group.front"))
    settle(site, {"v": 1}, security_group={"front": group("web", ingress=[itself])})
    shutil.rmtree(site.stack.folder / ".trueup")
    shutil.copytree(tmp_path / "older", site.stack.folder / ".trueup")
    site.stack.run("state", "rebuild", "--yes", "--force")
    settle(site, {"v": 1}, security_group={"front": group("web", ingress=[itself], tags={"a": "b"}), "web": group("guests")})
    rules = site.server.show(REGION)["security-group-rule"]
    site.stack.run("undo", last_run(site), "--yes")
    now = site.server.show(REGION)["security-group-rule"]
    assert {key: each for key, each in rules.items() if each.get("fromPort") == "6000"}.items() <= now.items()
