"""A create that may answer with what was there before, and a run that ends before it has seen whose that is."""

import shutil
import signal

import pytest

from simulator import simulator, tagged  # noqa: F401
from test_take_back import REGION, Site
from trueup_runner import Proxy, Ref, apply, ids_of, plan, plan_is_empty, spec_text

ADDRESS = "198.51.100.7"
GATEWAY = {"aws.customer_gateway": {"office": {"address": ADDRESS, "asn": 65010}}}
ENDS = {**GATEWAY, "aws.vpn_gateway": {"edge": {}}}
CONNECTION = {"vpn_gateway": Ref("aws.vpn_gateway.edge"), "customer_gateway": Ref("aws.customer_gateway.office")}
UNDER_GROUP = {
    "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
    "aws.subnet": {"a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.1.0/24"}},
    "aws.launch_template": {
        "worker": {"name": "worker", "image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
    },
}
GROUP = {"name": "workers", "min": 0, "max": 2, "subnets": [Ref("aws.subnet.a")]}
# Of another stack: what has no such tags is looked at for twenty seconds, as tags may come late.
THEIRS = {"trueup:stack": "a" * 32, "trueup:object": "b" * 32, "trueup:address": "aws.x.theirs"}
NOT_OURS = "exists already and is not of this stack"


def make_gateway(client, **tags):
    more = {"TagSpecifications": tagged("customer-gateway", **tags)} if tags else {}
    made = client("ec2").create_customer_gateway(Type="ipsec.1", BgpAsn=65010, PublicIp=ADDRESS, **more)
    return made["CustomerGateway"]["CustomerGatewayId"]


def make_connection(client, **tags):
    ec2 = client("ec2")
    [ours] = ec2.describe_customer_gateways()["CustomerGateways"]
    [edge] = ec2.describe_vpn_gateways()["VpnGateways"]
    made = ec2.create_vpn_connection(
        Type="ipsec.1",
        CustomerGatewayId=ours["CustomerGatewayId"],
        VpnGatewayId=edge["VpnGatewayId"],
        TagSpecifications=tagged("vpn-connection", **tags),
    )
    return made["VpnConnection"]["VpnConnectionId"]


def make_group(client, **tags):
    """Of that name, by somebody who was faster."""
    ec2 = client("ec2")
    [template] = ec2.describe_launch_templates()["LaunchTemplates"]
    [subnet] = ec2.describe_subnets()["Subnets"]
    bears = [
        {"ResourceId": "workers", "ResourceType": "auto-scaling-group", "Key": key, "Value": value, "PropagateAtLaunch": False}
        for key, value in tags.items()
    ]
    client("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName="workers",
        MinSize=0,
        MaxSize=5,
        VPCZoneIdentifier=subnet["SubnetId"],
        LaunchTemplate={"LaunchTemplateId": template["LaunchTemplateId"], "Version": "1"},
        Tags=bears,
    )
    return "workers"


# What is applied first, what then; the create, the kind as the simulator calls it, and who makes the other one.
KINDS = {
    "customer gateway": (None, GATEWAY, "CreateCustomerGateway", "customer-gateway", make_gateway),
    "VPN connection": (
        ENDS,
        {**ENDS, "aws.vpn_connection": {"office": CONNECTION}},
        "CreateVpnConnection",
        "vpn-connection",
        make_connection,
    ),
    "Auto Scaling group": (
        UNDER_GROUP,
        {
            **UNDER_GROUP,
            "aws.autoscaling_group": {"g": {**GROUP, "launch_template": Ref("aws.launch_template.worker")}},
        },
        "CreateAutoScalingGroup",
        "auto-scaling-group",
        make_group,
    ),
}
HOW = {"killed": signal.SIGKILL, "interrupted": signal.SIGINT}


class Doubt:
    """A stack whose run has ended between the answer of a create and the look at whose it is."""

    def __init__(self, site, kind, how, tags):
        before, spec, create, self.type, make = KINDS[kind]
        self.site, self.stack, self.server = site, site.stack, site.server
        if before:
            self.stack.write("stack.yaml", spec_text(before))
            apply(self.stack)
        self.stack.write("stack.yaml", spec_text(spec))
        self.id, self.bears, self.make = None, tags, make
        answered = []

        def cuts(number, action, executed):
            if action == create and not executed and tags is not None:
                self.make_theirs()
            if action == create and executed:
                answered.append(number)
                return how == "interrupted"
            return bool(answered) and how == "killed"

        site.cut_off(HOW[how], cuts)
        assert answered

    def make_theirs(self):
        self.id = self.make(self.server.client, **self.bears)
        self.server.advance(30)
        self.theirs = self.server.show(REGION)[self.type]

    def is_left_alone(self):
        """It is as it was, there is no other of its kind, and it is not recorded."""
        return self.server.show(REGION)[self.type] == self.theirs and self.id not in ids_of(self.stack).values()


@pytest.fixture
def site(stack, simulator):  # noqa: F811
    site = Site(stack, simulator)
    yield site
    site.proxy.stop()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("kind", KINDS)
def test_the_next_apply_refuses_it(site, kind, how):
    doubt = Doubt(site, kind, how, THEIRS)
    assert f"{doubt.id} {NOT_OURS}" in apply(doubt.stack, status=1).err
    assert doubt.is_left_alone()


def test_so_it_does_where_it_bears_no_tags(site):
    doubt = Doubt(site, "customer gateway", "killed", {})
    assert f"{doubt.id} {NOT_OURS}" in apply(doubt.stack, status=1).err
    assert doubt.is_left_alone()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_ours_is_kept(site, kind, how):
    doubt = Doubt(site, kind, how, None)
    apply(doubt.stack)
    assert len(site.things(doubt.type)) == 1
    plan_is_empty(doubt.stack)


def last_run(stack):
    return stack.run("state", "history", "--output", "json").json["runs"][0]["id"]


def undo(doubt):
    doubt.stack.run("undo", doubt.run, "--yes")


def destroy(doubt):
    doubt.stack.run("destroy", "--yes")


def recover(doubt):
    assert "1 unfinished call of an earlier run settled" in doubt.stack.run("recover").err
    assert plan(doubt.stack, status=2).operations() == {"aws.customer_gateway.office": "create"}


def look(doubt):
    """Neither says anything of theirs."""
    assert plan(doubt.stack, status=2).operations() == {"aws.customer_gateway.office": "create"}
    told = doubt.stack.run("drift", "--output", "json", status=3, TRUEUP_GRACE="120").json
    assert told["actions"] == [] and len(told["open"]) == 1
    assert doubt.id not in str(told)


def saved(doubt, *words):
    doubt.stack.run("plan", "--out", "saved", *words)
    assert NOT_OURS in doubt.stack.run("apply", "--yes", "saved", status=1).err


def unread(doubt):
    saved(doubt, "--refresh=none")


def removed(doubt):
    doubt.stack.write("stack.yaml", spec_text({}))
    apply(doubt.stack)


def rebuild(doubt):
    shutil.rmtree(doubt.stack.folder / ".trueup")
    doubt.stack.run("state", "rebuild", "--yes", status=None)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("way", [undo, destroy, recover, look, saved, unread, removed, rebuild], ids=lambda way: way.__name__)
def test_no_way_on_takes_it(site, how, way):
    doubt = Doubt(site, "customer gateway", how, THEIRS)
    doubt.run = last_run(doubt.stack)
    way(doubt)
    assert doubt.is_left_alone()
    doubt.stack.run("destroy", "--yes")
    assert doubt.is_left_alone() and ids_of(doubt.stack) == {}


@pytest.mark.parametrize("words", [["apply"], ["destroy"], ["undo"]], ids=" ".join)
def test_the_look_is_refused(stack, cloud, words):
    """By permissions that lack it, or longer than a run tries; here the first look is that of the plan."""
    theirs = make_gateway(lambda service: cloud.client(), owner="others")
    stack.write("stack.yaml", spec_text(GATEWAY))
    before = cloud.things("customer-gateway")
    cloud.fault("DescribeCustomerGateways", "deny", 2, 1)
    assert "could not be read back" in stack.run("apply", "--yes", status=7).err
    assert theirs not in ids_of(stack).values()
    if words == ["apply"]:
        assert f"{theirs} {NOT_OURS}" in apply(stack, status=1).err
    else:
        stack.run(*words, *([last_run(stack)] if words == ["undo"] else []), "--yes")
    assert ids_of(stack) == {} and cloud.things("customer-gateway") == before


OF_ANOTHER = {
    "a network": ("CreateVpc", "aws.vpc", {"cidr": "10.1.0.0/16"}, {"cidr": "10.2.0.0/16"}, "describe_vpcs", "Vpcs"),
    "a subnet": (
        "CreateSubnet",
        "aws.subnet",
        {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.1.0/24"},
        {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.2.0/24"},
        "describe_subnets",
        "Subnets",
    ),
}


@pytest.mark.parametrize("what, way", [("a subnet", "apply"), ("a network", "saved"), ("a network", "destroy")])
def test_an_answer_that_is_anothers(stack, moto, what, way):
    """A connection that is one answer behind: what the create made is there, and what it was answered with is not it."""
    create, kind, first, second, describe, listed = OF_ANOTHER[what]
    proxy = Proxy(moto.address)
    stack.environment["AWS_ENDPOINT_URL"] = proxy.address
    second = {**second, "depends_on": [f"{kind}.first"]}
    home = {"home": {"cidr": "10.20.0.0/16"}}
    spec = {"aws.vpc": home}
    spec[kind] = {**spec.get(kind, {}), "first": first, "second": second}
    stack.write("stack.yaml", spec_text(spec))
    texts = []

    def answer_again(fields, text):
        if fields["Action"] != create or "10.20.0.0/16" in fields.values():
            return text
        texts.append(text)
        return texts[0]

    proxy.amend = answer_again
    told = apply(stack, status=7).err
    proxy.amend = lambda fields, text: text
    assert len(texts) == 2
    assert f"what became of '{kind}.second' is not known" in told and f"which is '{kind}.first'" in told
    shown = plan(stack, status=2).data["actions"]
    assert sorted((one["operation"], one["address"]) for one in shown) == [("create", f"{kind}.second"), ("delete", f"{kind}.second")]
    if way == "saved":
        plan(stack, "--out", "saved", status=2)
        stack.run("apply", "saved")
    elif way == "apply":
        apply(stack)
    if way == "destroy":
        stack.run("destroy", "--yes")
    else:
        plan_is_empty(stack)
    stack.run("drift")
    tagged_here = [
        each
        for each in getattr(moto.client("ec2"), describe)()[listed]
        if any(tag["Key"] == "trueup:stack" for tag in each.get("Tags", []))
    ]
    assert len(tagged_here) == (0 if way == "destroy" else len(spec[kind]))
    proxy.stop()
