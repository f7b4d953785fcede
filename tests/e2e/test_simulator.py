"""The simulator judged by somebody else's client: boto3 signs, writes and parses every request and answer here."""

import base64
import datetime
import json
import os
import pathlib
import subprocess
import urllib.error
import urllib.request
import xml.etree.ElementTree

import boto3
import botocore.config
import botocore.exceptions
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TRUEUP_BUILD", ROOT / "build"))
SERVER = pathlib.Path(os.environ.get("TRUEUP_SIM_SERVER", BUILD / "tests" / "sim_server"))

IMAGE = "ami-0123456789abcdef0"
# Whoever runs the tests may have a proxy; these servers are on this machine.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
RSA_KEY = (
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC3F6tyPEFEzV0LX3X8BsXdMsQz1x2cEikKDEY0aIj41qgxMCP/iteneqXSIFZBp5vizPvaoIR3Um9xK7"
    "PGoW8giupGn+EPuxIA4cDM4vzOqOkiMPhz5XK0whEjkVzTo4+S0puvDZuwIsdiW9mxhJc7tgBNL0cYlWSYVkz4G/fslNfRPW5mYAM49f4fhtxPb5ok4Q2Lg9"
    "dPKVHO/Bgeu5woMc7RY0p1ej6D4CKFE6lymSDJpW0YHX/wqE9+cfEauh7xZcG0q9t2ta6F6fmX0agvpFyZo8aFbXeUBr7osSCJNgvavWbM/06niWrOvYX2xw"
    "Wdhmh0G5cr8hs7k1mVzR0l me@example"
)


def strange_elements(node, shape, path):
    """Elements of an answer that the API's model does not know there: boto3 itself passes them over in silence."""
    name = node.tag.rpartition("}")[2]
    here = f"{path}/{name}"
    if shape is None:
        return []
    if shape.type_name == "list":
        item = shape.member.serialization.get("name", "member")
        wrong = [f"{here}/{child.tag}" for child in node if child.tag.rpartition("}")[2] != item]
        return wrong + [found for child in node for found in strange_elements(child, shape.member, here)]
    if shape.type_name != "structure":
        return [f"{here}/{child.tag}" for child in node]
    members = {member.serialization.get("name", key): member for key, member in shape.members.items()}
    found = []
    for child in node:
        tag = child.tag.rpartition("}")[2]
        if tag in members:
            found += strange_elements(child, members[tag], here)
        else:
            found.append(f"{here}/{tag}")
    return found


def check_answer(operation_model, response_dict, **_):
    if response_dict["status_code"] != 200 or not response_dict["body"].rstrip().endswith(b"Response>"):
        return
    root = xml.etree.ElementTree.fromstring(response_dict["body"])
    shape = operation_model.output_shape
    wrapper = (shape.serialization.get("resultWrapper") if shape else None) or operation_model.name + "Result"
    holder = root if operation_model.service_model.service_name == "ec2" else root.find(f"{{*}}{wrapper}")
    # Operations without a result say "return", as EC2 does, though the model leaves it out.
    ours = {"requestId", "return", "ResponseMetadata"}
    for child in list(holder):
        if child.tag.rpartition("}")[2] in ours and (shape is None or child.tag.rpartition("}")[2] not in shape.members):
            holder.remove(child)
    if shape is None:
        assert len(holder) == 0, f"{operation_model.name} answers more than nothing"
    else:
        assert strange_elements(holder, shape, "") == []


class Simulator:
    """A running server with one world, and clients that talk to it."""

    def __init__(self, endpoint="sim:"):
        self.process = subprocess.Popen([SERVER, endpoint, "7"], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("port "), f"{SERVER} did not start"
        self.url = f"http://127.0.0.1:{int(line.split()[1])}"
        # The tests move the clock ahead of the one that boto3 signs with.
        self.settings(signature_age=0)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def client(self, service, key="sim", secret="sim", region="us-west-2", token=None):
        config = botocore.config.Config(
            retries={"total_max_attempts": 1}, proxies={}, connect_timeout=5, read_timeout=20
        )
        client = boto3.client(
            service,
            endpoint_url=self.url,
            region_name=region,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            aws_session_token=token,
            config=config,
        )
        client.meta.events.register("before-parse", check_answer)
        return client

    def steer(self, path, body=None):
        data = json.dumps(body).encode() if body is not None else b""
        with OPENER.open(urllib.request.Request(self.url + "/_sim/" + path, data=data), timeout=20) as answer:
            return json.load(answer)

    def settings(self, **values):
        self.steer("change?&settings&settings", values)

    def change(self, kind, thing, **attributes):
        self.steer(f"change?us-west-2&{kind}&{thing}", attributes)

    def advance(self, seconds):
        self.steer(f"advance?{int(seconds * 1000)}")

    def show(self, region="us-west-2"):
        return self.steer("show").get(region, {})


@pytest.fixture
def simulator():
    simulator = Simulator()
    yield simulator
    simulator.close()
    assert simulator.process.returncode == -9, "the simulator ended before it was told to"


@pytest.fixture
def ec2(simulator):
    return simulator.client("ec2")


@pytest.fixture
def autoscaling(simulator):
    return simulator.client("autoscaling")


def refused(code, call, *arguments, **parameters):
    """The call fails with that code; gives its message and HTTP status."""
    with pytest.raises(botocore.exceptions.ClientError) as caught:
        call(*arguments, **parameters)
    response = caught.value.response
    assert response["Error"]["Code"] == code, response["Error"]
    return response["Error"]["Message"], response["ResponseMetadata"]["HTTPStatusCode"]


def tagged(kind, **tags):
    return [{"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}]


def filters(**values):
    return [{"Name": name.replace("_", "-"), "Values": list(value)} for name, value in values.items()]


@pytest.fixture
def vpc(ec2):
    return ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]


@pytest.fixture
def subnet(ec2, vpc):
    return ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.1.0/24", AvailabilityZone="us-west-2b")["Subnet"]["SubnetId"]


class TestSignatures:
    def test_the_caller(self, simulator):
        identity = simulator.client("sts").get_caller_identity()
        assert identity["Account"] == "123456789012"
        assert identity["Arn"] == "arn:aws:iam::123456789012:user/sim"

    @pytest.mark.parametrize(
        "service,operation,code,status",
        [
            ("ec2", "describe_vpcs", "AuthFailure", 401),
            ("sts", "get_caller_identity", "SignatureDoesNotMatch", 403),
            ("autoscaling", "describe_auto_scaling_groups", "SignatureDoesNotMatch", 403),
        ],
    )
    def test_a_wrong_secret(self, simulator, service, operation, code, status):
        client = simulator.client(service, secret="other")
        assert refused(code, getattr(client, operation))[1] == status

    @pytest.mark.parametrize(
        "service,operation,code,status",
        [
            ("ec2", "describe_vpcs", "AuthFailure", 401),
            ("sts", "get_caller_identity", "InvalidClientTokenId", 403),
            ("autoscaling", "describe_auto_scaling_groups", "InvalidClientTokenId", 403),
        ],
    )
    def test_an_unknown_key(self, simulator, service, operation, code, status):
        client = simulator.client(service, key="nobody")
        assert refused(code, getattr(client, operation))[1] == status

    def test_a_key_of_its_own_with_a_session_token(self, simulator):
        simulator.steer("add?&access_key&AKIDEXAMPLE", {"secret": "s3cret", "token": "session+token=="})
        client = simulator.client("ec2", key="AKIDEXAMPLE", secret="s3cret", token="session+token==")
        assert client.describe_vpcs()["Vpcs"] == []
        without = simulator.client("ec2", key="AKIDEXAMPLE", secret="s3cret")
        refused("AuthFailure", without.describe_vpcs)

    def test_an_old_signature(self, simulator, ec2):
        simulator.settings(signature_age=1)
        assert ec2.describe_vpcs()["Vpcs"] == []
        simulator.advance(16 * 60)
        refused("RequestExpired", ec2.describe_vpcs)

    def test_regions_are_apart(self, simulator, ec2, vpc):
        assert simulator.client("ec2", region="eu-west-1").describe_vpcs()["Vpcs"] == []
        assert [vpc] == [item["VpcId"] for item in ec2.describe_vpcs()["Vpcs"]]


class TestProtocol:
    def test_an_action_that_is_none(self, simulator, ec2):
        refused("InvalidAction", ec2.create_nat_gateway, SubnetId="subnet-1")
        refused("InvalidAction", simulator.client("autoscaling").put_warm_pool, AutoScalingGroupName="a")

    def test_dry_run(self, ec2):
        assert refused("DryRunOperation", ec2.create_vpc, CidrBlock="10.0.0.0/16", DryRun=True)[1] == 412
        assert ec2.describe_vpcs()["Vpcs"] == []

    def test_a_parameter_that_is_none(self, ec2):
        def add(params, **_):
            params["body"]["Colour"] = "red"

        ec2.meta.events.register("before-call.ec2.CreateVpc", add)
        message, status = refused("UnknownParameter", ec2.create_vpc, CidrBlock="10.0.0.0/16")
        assert "Colour" in message and status == 400

    def test_a_parameter_that_is_missing(self, ec2):
        def drop(params, **_):
            del params["body"]["VpcId"]

        ec2.meta.events.register("before-call.ec2.DeleteVpc", drop)
        refused("MissingParameter", ec2.delete_vpc, VpcId="vpc-1")


class TestVpc:
    def test_what_comes_with_one(self, simulator, ec2):
        vpc = ec2.create_vpc(CidrBlock="10.0.0.7/16", TagSpecifications=tagged("vpc", Name="a & <b>"))["Vpc"]
        assert vpc["CidrBlock"] == "10.0.0.0/16" and vpc["State"] == "pending"
        assert vpc["Tags"] == [{"Key": "Name", "Value": "a & <b>"}]
        assert vpc["CidrBlockAssociationSet"][0]["CidrBlockState"]["State"] == "associated"
        simulator.advance(2)
        assert ec2.describe_vpcs()["Vpcs"][0]["State"] == "available"
        [table] = ec2.describe_route_tables()["RouteTables"]
        assert table["Associations"][0]["Main"] and table["Routes"][0]["GatewayId"] == "local"
        [group] = ec2.describe_security_groups()["SecurityGroups"]
        assert group["GroupName"] == "default"
        assert group["IpPermissions"][0]["UserIdGroupPairs"][0]["GroupId"] == group["GroupId"]
        assert group["IpPermissionsEgress"][0]["IpRanges"] == [{"CidrIp": "0.0.0.0/0"}]
        ec2.delete_vpc(VpcId=vpc["VpcId"])
        assert simulator.show().keys() <= {"token"}

    @pytest.mark.parametrize(
        "cidr,code",
        [
            ("10.0.0.0/15", "InvalidVpc.Range"),
            ("10.0.0.0/29", "InvalidVpc.Range"),
            ("10.0.0.0", "InvalidParameterValue"),
            ("10.0.0.256/16", "InvalidParameterValue"),
        ],
    )
    def test_ranges_that_it_cannot_have(self, ec2, cidr, code):
        refused(code, ec2.create_vpc, CidrBlock=cidr)

    def test_dns_one_attribute_a_call(self, ec2, vpc):
        def value(name):
            answer = ec2.describe_vpc_attribute(VpcId=vpc, Attribute=name)
            return answer[name[0].upper() + name[1:]]["Value"]

        assert value("enableDnsSupport") and not value("enableDnsHostnames")
        ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
        assert value("enableDnsHostnames")
        refused(
            "InvalidParameterCombination",
            ec2.modify_vpc_attribute,
            VpcId=vpc,
            EnableDnsHostnames={"Value": True},
            EnableDnsSupport={"Value": True},
        )
        ec2.modify_vpc_attribute(VpcId=vpc, EnableNetworkAddressUsageMetrics={"Value": True})
        assert value("enableNetworkAddressUsageMetrics")

    def test_secondary_ranges(self, simulator, ec2, vpc):
        association = ec2.associate_vpc_cidr_block(VpcId=vpc, CidrBlock="10.1.0.0/16")["CidrBlockAssociation"]
        assert association["CidrBlockState"]["State"] == "associating"
        simulator.advance(5)
        [live] = ec2.describe_vpcs()["Vpcs"]
        assert [item["CidrBlockState"]["State"] for item in live["CidrBlockAssociationSet"]] == ["associated"] * 2
        routes = ec2.describe_route_tables()["RouteTables"][0]["Routes"]
        assert {route["DestinationCidrBlock"] for route in routes} == {"10.0.0.0/16", "10.1.0.0/16"}
        for cidr in ["10.1.128.0/20", "192.168.0.0/16", "169.254.0.0/20", "198.19.0.0/16"]:
            refused("InvalidVpc.Range", ec2.associate_vpc_cidr_block, VpcId=vpc, CidrBlock=cidr)
        inside = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/24")["Subnet"]["SubnetId"]
        refused("InvalidCidr.InUse", ec2.disassociate_vpc_cidr_block, AssociationId=association["AssociationId"])
        ec2.delete_subnet(SubnetId=inside)
        ec2.disassociate_vpc_cidr_block(AssociationId=association["AssociationId"])
        simulator.advance(5)
        states = [item["CidrBlockState"]["State"] for item in ec2.describe_vpcs()["Vpcs"][0]["CidrBlockAssociationSet"]]
        assert states == ["associated", "disassociated"]
        primary = live["CidrBlockAssociationSet"][0]["AssociationId"]
        refused("OperationNotPermitted", ec2.disassociate_vpc_cidr_block, AssociationId=primary)

    def test_what_keeps_it(self, ec2, vpc, subnet):
        refused("DependencyViolation", ec2.delete_vpc, VpcId=vpc)
        ec2.delete_subnet(SubnetId=subnet)
        ec2.delete_vpc(VpcId=vpc)
        refused("InvalidVpcID.NotFound", ec2.delete_vpc, VpcId=vpc)

    def test_a_quota(self, simulator, ec2, vpc):
        simulator.settings(vpcs=2)
        ec2.create_vpc(CidrBlock="10.1.0.0/16")
        refused("VpcLimitExceeded", ec2.create_vpc, CidrBlock="10.2.0.0/16")


class TestSubnet:
    def test_one(self, simulator, ec2, vpc):
        made = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.1.9/24", AvailabilityZoneId="usw2-az3")["Subnet"]
        assert made["CidrBlock"] == "10.0.1.0/24" and made["AvailabilityZone"] == "us-west-2c"
        assert made["AvailableIpAddressCount"] == 251
        ec2.modify_subnet_attribute(SubnetId=made["SubnetId"], MapPublicIpOnLaunch={"Value": True})
        ec2.modify_subnet_attribute(SubnetId=made["SubnetId"], PrivateDnsHostnameTypeOnLaunch="resource-name")
        [live] = ec2.describe_subnets()["Subnets"]
        assert live["MapPublicIpOnLaunch"] and live["PrivateDnsNameOptionsOnLaunch"]["HostnameType"] == "resource-name"
        refused(
            "InvalidParameterCombination",
            ec2.modify_subnet_attribute,
            SubnetId=made["SubnetId"],
            MapPublicIpOnLaunch={"Value": False},
            EnableResourceNameDnsARecordOnLaunch={"Value": True},
        )

    @pytest.mark.parametrize(
        "cidr,code",
        [
            ("10.0.1.128/25", "InvalidSubnet.Conflict"),
            ("10.0.0.0/16", "InvalidSubnet.Conflict"),
            ("10.1.0.0/24", "InvalidSubnet.Range"),
            ("10.0.2.0/29", "InvalidSubnet.Range"),
            ("fish", "InvalidParameterValue"),
        ],
    )
    def test_ranges_that_it_cannot_have(self, ec2, vpc, subnet, cidr, code):
        refused(code, ec2.create_subnet, VpcId=vpc, CidrBlock=cidr)

    def test_ipv6(self, simulator, ec2):
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", AmazonProvidedIpv6CidrBlock=True)["Vpc"]
        block = vpc["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlock"]
        assert block.endswith("/56")
        subnet = ec2.create_subnet(VpcId=vpc["VpcId"], CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
        inner = block.replace("/56", "/64")
        association = ec2.associate_subnet_cidr_block(SubnetId=subnet, Ipv6CidrBlock=inner)["Ipv6CidrBlockAssociation"]
        simulator.advance(5)
        [live] = ec2.describe_subnets()["Subnets"]
        assert live["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlockState"]["State"] == "associated"
        ec2.modify_subnet_attribute(SubnetId=subnet, AssignIpv6AddressOnCreation={"Value": True})
        ec2.disassociate_subnet_cidr_block(AssociationId=association["AssociationId"])
        simulator.advance(5)
        assert ec2.describe_subnets()["Subnets"][0]["Ipv6CidrBlockAssociationSet"] == []


class TestListings:
    def test_pages(self, ec2, vpc):
        made = [ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{i}.0/24")["Subnet"]["SubnetId"] for i in range(13)]
        pages = list(ec2.get_paginator("describe_subnets").paginate(PaginationConfig={"PageSize": 5}))
        assert [len(page["Subnets"]) for page in pages] == [5, 5, 3]
        assert [item["SubnetId"] for page in pages for item in page["Subnets"]] == made
        chosen = filters(subnet_id=made[::-1])
        pages = ec2.get_paginator("describe_subnets").paginate(Filters=chosen, PaginationConfig={"PageSize": 5})
        assert [item["SubnetId"] for page in pages for item in page["Subnets"]] == made
        refused("InvalidNextToken", ec2.describe_subnets, NextToken="nonsense", MaxResults=5)
        refused("InvalidParameterValue", ec2.describe_subnets, MaxResults=1001)

    def test_filters(self, ec2, vpc):
        for number in range(3):
            ec2.create_subnet(
                VpcId=vpc,
                CidrBlock=f"10.0.{number}.0/24",
                TagSpecifications=tagged("subnet", Name=f"web-{number}", stage="prod" if number else "test"),
            )

        def found(**values):
            return [item["CidrBlock"][5] for item in ec2.describe_subnets(Filters=filters(**values))["Subnets"]]

        assert found(vpc_id=[vpc]) == ["0", "1", "2"]
        assert found(cidr_block=["10.0.1.0/24", "10.0.2.0/24"]) == ["1", "2"]
        assert found(**{"tag:Name": ["web-?"]}) == ["0", "1", "2"]
        assert found(**{"tag:Name": ["*1", "*2"], "tag:stage": ["prod"]}) == ["1", "2"]
        assert found(tag_key=["colour"]) == []
        some = [item["SubnetId"] for item in ec2.describe_subnets()["Subnets"]][1:]
        assert found(subnet_id=[*some, "subnet-00000000000000000"]) == ["1", "2"]
        refused("InvalidParameterValue", ec2.describe_subnets, Filters=filters(colour=["red"]))
        refused("FilterLimitExceeded", ec2.describe_subnets, Filters=filters(subnet_id=["x"] * 201))

    def test_one_missing_id_fails_the_call(self, ec2, vpc):
        refused("InvalidVpcID.NotFound", ec2.describe_vpcs, VpcIds=[vpc, "vpc-0123456789abcdef0"])
        refused("InvalidVpcID.Malformed", ec2.describe_vpcs, VpcIds=["fish"])

    def test_listings_lag_behind_writes(self, simulator, ec2, vpc):
        simulator.settings(lag_ms=2000)
        late = [ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"] for _ in range(8)]
        assert len(ec2.describe_vpcs()["Vpcs"]) < 9
        simulator.advance(2)
        assert [item["VpcId"] for item in ec2.describe_vpcs()["Vpcs"]] == [vpc, *late]
        for one in late:
            ec2.delete_vpc(VpcId=one)
        assert len(ec2.describe_vpcs()["Vpcs"]) > 1
        simulator.advance(2)
        assert [item["VpcId"] for item in ec2.describe_vpcs()["Vpcs"]] == [vpc]


class TestTags:
    def test_set_read_and_removed(self, ec2, vpc, subnet):
        ec2.create_tags(Resources=[vpc, subnet], Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": ""}])
        ec2.create_tags(Resources=[vpc], Tags=[{"Key": "a", "Value": "2"}])
        listed = {(tag["ResourceId"], tag["Key"]): tag["Value"] for tag in ec2.describe_tags()["Tags"]}
        assert listed == {(vpc, "a"): "2", (vpc, "b"): "", (subnet, "a"): "1", (subnet, "b"): ""}
        [one] = ec2.describe_tags(Filters=filters(resource_type=["subnet"], key=["a"]))["Tags"]
        assert one == {"ResourceId": subnet, "ResourceType": "subnet", "Key": "a", "Value": "1"}
        ec2.delete_tags(Resources=[vpc], Tags=[{"Key": "a", "Value": "other"}, {"Key": "b"}])
        assert ec2.describe_vpcs()["Vpcs"][0]["Tags"] == [{"Key": "a", "Value": "2"}]

    def test_pages(self, ec2, vpc):
        for number in range(4):
            made = ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24")["Subnet"]["SubnetId"]
            ec2.create_tags(Resources=[made], Tags=[{"Key": key, "Value": "v"} for key in "abc"])
        pages = list(ec2.get_paginator("describe_tags").paginate(PaginationConfig={"PageSize": 5}))
        assert [len(page["Tags"]) for page in pages] == [5, 5, 2]
        assert len({(tag["ResourceId"], tag["Key"]) for page in pages for tag in page["Tags"]}) == 12

    @pytest.mark.parametrize(
        "tags,code",
        [
            ([{"Key": "aws:x", "Value": ""}], "InvalidParameterValue"),
            ([{"Key": "k" * 129, "Value": ""}], "InvalidParameterValue"),
            ([{"Key": "k", "Value": "v" * 257}], "InvalidParameterValue"),
            ([{"Key": str(i), "Value": ""} for i in range(51)], "TagLimitExceeded"),
        ],
    )
    def test_what_may_not_be(self, ec2, vpc, tags, code):
        refused(code, ec2.create_tags, Resources=[vpc], Tags=tags)
        refused(code, ec2.create_vpc, CidrBlock="10.9.0.0/16", TagSpecifications=[{"ResourceType": "vpc", "Tags": tags}])
        assert len(ec2.describe_vpcs()["Vpcs"]) == 1

    def test_the_wrong_type(self, ec2):
        refused("InvalidParameterValue", ec2.create_vpc, CidrBlock="10.0.0.0/16", TagSpecifications=tagged("subnet", a="1"))
        refused("InvalidVpcID.NotFound", ec2.create_tags, Resources=["vpc-00000000"], Tags=[{"Key": "a", "Value": ""}])
        refused("InvalidID", ec2.create_tags, Resources=["fish"], Tags=[{"Key": "a", "Value": ""}])


class TestRouting:
    @pytest.fixture
    def gateway(self, ec2, vpc):
        gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
        return gateway

    @pytest.fixture
    def table(self, ec2, vpc):
        return ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]

    def test_an_internet_gateway(self, ec2, vpc, gateway):
        [live] = ec2.describe_internet_gateways()["InternetGateways"]
        assert live["Attachments"] == [{"State": "available", "VpcId": vpc}]
        refused("Resource.AlreadyAssociated", ec2.attach_internet_gateway, InternetGatewayId=gateway, VpcId=vpc)
        other = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        refused("InvalidParameterValue", ec2.attach_internet_gateway, InternetGatewayId=other, VpcId=vpc)
        refused("DependencyViolation", ec2.delete_internet_gateway, InternetGatewayId=gateway)
        refused("DependencyViolation", ec2.delete_vpc, VpcId=vpc)
        ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
        refused("Gateway.NotAttached", ec2.detach_internet_gateway, InternetGatewayId=gateway, VpcId=vpc)
        ec2.delete_internet_gateway(InternetGatewayId=gateway)
        refused("InvalidInternetGatewayID.NotFound", ec2.delete_internet_gateway, InternetGatewayId=gateway)

    def test_routes(self, ec2, vpc, gateway, table):
        ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
        again = {"RouteTableId": table, "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": gateway}
        refused("RouteAlreadyExists", ec2.create_route, **again)
        ec2.create_route(RouteTableId=table, DestinationIpv6CidrBlock="::/0", GatewayId=gateway)
        inside = {"RouteTableId": table, "DestinationCidrBlock": "10.0.4.0/24", "GatewayId": gateway}
        refused("InvalidParameterValue", ec2.create_route, **inside)
        unknown = {"RouteTableId": table, "DestinationCidrBlock": "1.0.0.0/8", "GatewayId": "igw-00000000"}
        refused("InvalidGatewayID.NotFound", ec2.create_route, **unknown)
        ec2.replace_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
        ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
        [live] = ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"]
        assert [route["State"] for route in live["Routes"]] == ["active", "blackhole", "blackhole"]
        ec2.delete_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0")
        refused("InvalidRoute.NotFound", ec2.delete_route, RouteTableId=table, DestinationCidrBlock="0.0.0.0/0")
        local = {"RouteTableId": table, "DestinationCidrBlock": "10.0.0.0/16"}
        refused("InvalidParameterValue", ec2.delete_route, **local)

    def test_associations(self, ec2, vpc, subnet, gateway, table):
        first = ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)["AssociationId"]
        refused("Resource.AlreadyAssociated", ec2.associate_route_table, RouteTableId=table, SubnetId=subnet)
        refused("DependencyViolation", ec2.delete_route_table, RouteTableId=table)
        other = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
        second = ec2.replace_route_table_association(AssociationId=first, RouteTableId=other)["NewAssociationId"]
        assert second != first
        ec2.delete_route_table(RouteTableId=table)
        ec2.disassociate_route_table(AssociationId=second)
        refused("InvalidAssociationID.NotFound", ec2.disassociate_route_table, AssociationId=second)
        [main] = ec2.describe_route_tables(Filters=filters(**{"association.main": ["true"]}))["RouteTables"]
        held = main["Associations"][0]["RouteTableAssociationId"]
        refused("InvalidParameterValue", ec2.disassociate_route_table, AssociationId=held)
        ec2.replace_route_table_association(AssociationId=held, RouteTableId=other)
        [main] = ec2.describe_route_tables(Filters=filters(**{"association.main": ["true"]}))["RouteTables"]
        assert main["RouteTableId"] == other
        edge = ec2.associate_route_table(RouteTableId=other, GatewayId=gateway)["AssociationId"]
        [live] = ec2.describe_route_tables(RouteTableIds=[other])["RouteTables"]
        assert {item.get("GatewayId") for item in live["Associations"]} == {None, gateway}
        ec2.disassociate_route_table(AssociationId=edge)

    def test_a_token_makes_one(self, ec2, vpc):
        first = ec2.create_route_table(VpcId=vpc, ClientToken="t1")["RouteTable"]["RouteTableId"]
        assert ec2.create_route_table(VpcId=vpc, ClientToken="t1")["RouteTable"]["RouteTableId"] == first
        other = tagged("route-table", a="1")
        refused(
            "IdempotentParameterMismatch", ec2.create_route_table, VpcId=vpc, ClientToken="t1", TagSpecifications=other
        )


def permission(port, **sources):
    return {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, **sources}


class TestSecurityGroups:
    @pytest.fixture
    def group(self, ec2, vpc):
        return ec2.create_security_group(GroupName="web", Description="for the web", VpcId=vpc)["GroupId"]

    def test_names(self, ec2, vpc, group):
        again = {"GroupName": "web", "Description": "again", "VpcId": vpc}
        refused("InvalidGroup.Duplicate", ec2.create_security_group, **again)
        refused("InvalidParameterValue", ec2.create_security_group, GroupName="sg-x", Description="d", VpcId=vpc)
        refused("VPCIdNotSpecified", ec2.create_security_group, GroupName="x", Description="d")
        ec2.delete_security_group(GroupId=group)
        assert ec2.create_security_group(**again)["GroupId"] != group
        [default] = ec2.describe_security_groups(Filters=filters(group_name=["default"]))["SecurityGroups"]
        refused("CannotDelete", ec2.delete_security_group, GroupId=default["GroupId"])

    def test_rules_in_groups_of_one_protocol_and_port(self, ec2, group):
        wanted = [
            permission(22, IpRanges=[{"CidrIp": "10.0.0.9/8", "Description": "inside"}, {"CidrIp": "1.2.3.4/32"}]),
            permission(22, Ipv6Ranges=[{"CidrIpv6": "fd00::/8"}], UserIdGroupPairs=[{"GroupId": group}]),
            {"IpProtocol": "icmp", "FromPort": -1, "ToPort": -1, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]},
        ]
        answer = ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=wanted)
        assert answer["Return"] and len(answer["SecurityGroupRules"]) == 5
        [live] = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"]
        first, second = live["IpPermissions"]
        assert first["IpRanges"] == [{"CidrIp": "10.0.0.0/8", "Description": "inside"}, {"CidrIp": "1.2.3.4/32"}]
        assert first["Ipv6Ranges"] == [{"CidrIpv6": "fd00::/8"}]
        assert first["UserIdGroupPairs"] == [{"GroupId": group, "UserId": "123456789012"}]
        assert (second["IpProtocol"], second["FromPort"], second["ToPort"]) == ("icmp", -1, -1)
        refused("InvalidPermission.Duplicate", ec2.authorize_security_group_ingress, GroupId=group, IpPermissions=wanted[:1])
        rules = ec2.describe_security_group_rules(Filters=filters(group_id=[group]))["SecurityGroupRules"]
        assert len(rules) == 6 and sum(rule["IsEgress"] for rule in rules) == 1
        ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=wanted)
        refused("InvalidPermission.NotFound", ec2.revoke_security_group_ingress, GroupId=group, IpPermissions=wanted)
        assert ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]["IpPermissions"] == []

    def test_rules_by_their_ids(self, ec2, group):
        answer = ec2.authorize_security_group_egress(
            GroupId=group, IpPermissions=[permission(443, IpRanges=[{"CidrIp": "10.0.0.0/8"}])]
        )
        rule = answer["SecurityGroupRules"][0]["SecurityGroupRuleId"]
        change = {"IpProtocol": "tcp", "FromPort": 80, "ToPort": 81, "CidrIpv4": "10.0.0.0/9", "Description": "x"}
        ec2.modify_security_group_rules(
            GroupId=group, SecurityGroupRules=[{"SecurityGroupRuleId": rule, "SecurityGroupRule": change}]
        )
        [live] = ec2.describe_security_group_rules(SecurityGroupRuleIds=[rule])["SecurityGroupRules"]
        assert (live["FromPort"], live["ToPort"], live["CidrIpv4"], live["Description"]) == (80, 81, "10.0.0.0/9", "x")
        ec2.update_security_group_rule_descriptions_egress(
            GroupId=group, SecurityGroupRuleDescriptions=[{"SecurityGroupRuleId": rule, "Description": "y"}]
        )
        [live] = ec2.describe_security_group_rules(SecurityGroupRuleIds=[rule])["SecurityGroupRules"]
        assert live["Description"] == "y"
        ec2.create_tags(Resources=[rule], Tags=[{"Key": "a", "Value": "1"}])
        revoked = ec2.revoke_security_group_egress(GroupId=group, SecurityGroupRuleIds=[rule])
        assert revoked["RevokedSecurityGroupRules"][0]["SecurityGroupRuleId"] == rule
        refused("InvalidSecurityGroupRuleId.NotFound", ec2.describe_security_group_rules, SecurityGroupRuleIds=[rule])

    def test_groups_that_admit_each_other(self, ec2, vpc, group):
        other = ec2.create_security_group(GroupName="db", Description="for data", VpcId=vpc)["GroupId"]
        for here, there in [(group, other), (other, group)]:
            ec2.authorize_security_group_ingress(
                GroupId=here, IpPermissions=[permission(5432, UserIdGroupPairs=[{"GroupId": there}])]
            )
        refused("DependencyViolation", ec2.delete_security_group, GroupId=group)
        ec2.revoke_security_group_ingress(
            GroupId=other, IpPermissions=[permission(5432, UserIdGroupPairs=[{"GroupId": group}])]
        )
        ec2.delete_security_group(GroupId=group)
        ec2.delete_security_group(GroupId=other)

    @pytest.mark.parametrize(
        "wanted",
        [
            {"IpProtocol": "tcp", "IpRanges": [{"CidrIp": "10.0.0.0/8"}]},
            {"IpProtocol": "tcp", "FromPort": 9, "ToPort": 3, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]},
            {"IpProtocol": "fish", "FromPort": 1, "ToPort": 1, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]},
            {"IpProtocol": "tcp", "FromPort": 1, "ToPort": 1, "IpRanges": [{"CidrIp": "10.0.0.0/33"}]},
            {"IpProtocol": "tcp", "FromPort": 1, "ToPort": 1, "IpRanges": [{"CidrIp": "fd00::/8"}]},
            {"IpProtocol": "tcp", "FromPort": 1, "ToPort": 1},
            {"IpProtocol": "tcp", "FromPort": 1, "ToPort": 1, "IpRanges": [{"CidrIp": "1.0.0.0/8", "Description": "é"}]},
        ],
    )
    def test_rules_that_are_none(self, ec2, group, wanted):
        refused("InvalidParameterValue", ec2.authorize_security_group_ingress, GroupId=group, IpPermissions=[wanted])


class TestKeyPairs:
    def test_one(self, ec2):
        made = ec2.import_key_pair(KeyName="me", PublicKeyMaterial=RSA_KEY.encode(), TagSpecifications=tagged("key-pair", a="1"))
        # As `ssh-keygen -ef me.pub -m PKCS8 | openssl pkey -pubin -outform DER | openssl md5 -c` says.
        assert made["KeyFingerprint"] == FINGERPRINT
        refused("InvalidKeyPair.Duplicate", ec2.import_key_pair, KeyName="me", PublicKeyMaterial=RSA_KEY.encode())
        refused("InvalidKey.Format", ec2.import_key_pair, KeyName="you", PublicKeyMaterial=b"fish")
        [live] = ec2.describe_key_pairs(IncludePublicKey=True)["KeyPairs"]
        assert live["PublicKey"].split()[:2] == RSA_KEY.split()[:2]
        assert live["KeyType"] == "rsa" and live["Tags"] == [{"Key": "a", "Value": "1"}]
        assert "PublicKey" not in ec2.describe_key_pairs(KeyNames=["me"])["KeyPairs"][0]
        ec2.delete_key_pair(KeyName="me")
        ec2.delete_key_pair(KeyName="me")
        refused("InvalidKeyPair.NotFound", ec2.describe_key_pairs, KeyNames=["me"])


# The key's modulus and exponent in DER, by hand, so that nothing but hashlib is needed here.
def fingerprint(line):
    import hashlib

    blob = base64.b64decode(line.split()[1])
    parts = []
    while blob:
        size = int.from_bytes(blob[:4], "big")
        parts.append(blob[4 : 4 + size])
        blob = blob[4 + size :]

    def der(tag, content):
        size = len(content)
        length = bytes([size]) if size < 128 else b"\x81" + bytes([size]) if size < 256 else b"\x82" + size.to_bytes(2, "big")
        return bytes([tag]) + length + content

    algorithm = bytes.fromhex("300d06092a864886f70d0101010500")
    numbers = der(0x30, der(2, parts[2]) + der(2, parts[1]))
    digest = hashlib.md5(der(0x30, algorithm + der(3, b"\0" + numbers))).hexdigest()
    return ":".join(digest[i : i + 2] for i in range(0, 32, 2))


FINGERPRINT = fingerprint(RSA_KEY)


def sample(shape, name=""):
    """A value for every member that the model has, so that none can be forgotten."""
    if shape.type_name == "structure":
        return {key: sample(member, key) for key, member in shape.members.items()}
    if shape.type_name == "list":
        return [sample(shape.member, name)]
    if shape.type_name in ("integer", "long"):
        return 7
    if shape.type_name in ("double", "float"):
        return 1.5
    if shape.type_name == "boolean":
        return True
    if shape.type_name == "timestamp":
        return datetime.datetime(2026, 11, 21, 8, 45, 22, tzinfo=datetime.timezone.utc)
    known = {"UserData": "aGVsbG8=", "ImageId": IMAGE}
    return known.get(name) or (shape.enum[0] if getattr(shape, "enum", None) else f"the {name}")


class TestLaunchTemplates:
    def test_every_member_comes_back(self, ec2):
        shape = ec2.meta.service_model.operation_model("CreateLaunchTemplate").input_shape
        data = sample(shape.members["LaunchTemplateData"])
        ec2.create_launch_template(LaunchTemplateName="all", LaunchTemplateData=data)
        [live] = ec2.describe_launch_template_versions(LaunchTemplateName="all")["LaunchTemplateVersions"]
        assert live["LaunchTemplateData"] == data

    def test_versions(self, ec2):
        data = {
            "ImageId": IMAGE,
            "InstanceType": "t3.micro",
            "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 20, "Encrypted": True}}],
            "NetworkInterfaces": [{"DeviceIndex": 0, "AssociatePublicIpAddress": True, "Groups": ["sg-1"]}],
            "TagSpecifications": tagged("instance", Name="a"),
            "MetadataOptions": {"HttpTokens": "required"},
            "UserData": base64.b64encode(b"#!/bin/sh").decode(),
        }
        made = ec2.create_launch_template(LaunchTemplateName="web", LaunchTemplateData=data)["LaunchTemplate"]
        assert (made["DefaultVersionNumber"], made["LatestVersionNumber"]) == (1, 1)
        name = {"LaunchTemplateName": "web"}
        second = ec2.create_launch_template_version(
            **name, SourceVersion="1", VersionDescription="two", LaunchTemplateData={"InstanceType": "t3.large"}
        )["LaunchTemplateVersion"]
        assert second["VersionNumber"] == 2 and not second["DefaultVersion"]
        assert second["LaunchTemplateData"] == {**data, "InstanceType": "t3.large"}
        ec2.modify_launch_template(**name, DefaultVersion="2")
        listed = ec2.describe_launch_template_versions(Versions=["$Latest", "$Default"])["LaunchTemplateVersions"]
        assert [item["VersionNumber"] for item in listed] == [2]
        listed = ec2.describe_launch_template_versions(**name)["LaunchTemplateVersions"]
        assert [(item["VersionNumber"], item["DefaultVersion"]) for item in listed] == [(1, False), (2, True)]
        answer = ec2.delete_launch_template_versions(**name, Versions=["1", "2", "7"])
        assert [item["VersionNumber"] for item in answer["SuccessfullyDeletedLaunchTemplateVersions"]] == [1]
        failures = {
            item["VersionNumber"]: item["ResponseError"]["Code"]
            for item in answer["UnsuccessfullyDeletedLaunchTemplateVersions"]
        }
        assert failures == {2: "unexpectedError", 7: "launchTemplateVersionDoesNotExist"}
        ec2.delete_launch_template(**name)
        refused("InvalidLaunchTemplateName.NotFoundException", ec2.describe_launch_templates, LaunchTemplateNames=["web"])

    def test_names_and_tokens(self, ec2):
        data = {"InstanceType": "t3.micro"}
        first = ec2.create_launch_template(LaunchTemplateName="one", LaunchTemplateData=data, ClientToken="t")
        again = ec2.create_launch_template(LaunchTemplateName="one", LaunchTemplateData=data, ClientToken="t")
        assert first["LaunchTemplate"]["LaunchTemplateId"] == again["LaunchTemplate"]["LaunchTemplateId"]
        same = {"LaunchTemplateName": "one", "LaunchTemplateData": data, "ClientToken": "u"}
        refused("InvalidLaunchTemplateName.AlreadyExistsException", ec2.create_launch_template, **same)
        refused("InvalidLaunchTemplateId.VersionNotFound", ec2.modify_launch_template, LaunchTemplateName="one", DefaultVersion="9")

    def test_pages_over_all_templates(self, ec2):
        for number in range(5):
            name = f"template-{number}"
            ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData={"InstanceType": "t3.micro"})
            ec2.create_launch_template_version(LaunchTemplateName=name, LaunchTemplateData={"InstanceType": "t3.nano"})
        pages = ec2.get_paginator("describe_launch_template_versions").paginate(
            Versions=["$Latest", "$Default"], PaginationConfig={"PageSize": 3}
        )
        listed = [(item["LaunchTemplateName"], item["VersionNumber"]) for page in pages for item in page["LaunchTemplateVersions"]]
        assert listed == [(f"template-{number}", version) for number in range(5) for version in (1, 2)]
        refused("InvalidParameterCombination", ec2.describe_launch_template_versions, Versions=["1"])


class TestInstances:
    def run(self, ec2, subnet, **parameters):
        answer = ec2.run_instances(
            **{"ImageId": IMAGE, "InstanceType": "t3.micro", "SubnetId": subnet, "MinCount": 1, "MaxCount": 1, **parameters}
        )
        return answer["Instances"]

    def test_a_life(self, simulator, ec2, vpc, subnet):
        [made] = self.run(ec2, subnet, TagSpecifications=tagged("instance", Name="a"), UserData="hello")
        assert made["State"]["Name"] == "pending" and made["PrivateIpAddress"] == "10.0.1.4"
        instance = made["InstanceId"]
        simulator.advance(30)
        live = ec2.describe_instances()["Reservations"][0]["Instances"][0]
        assert live["State"] == {"Code": 16, "Name": "running"} and live["VpcId"] == vpc
        assert live["SecurityGroups"][0]["GroupName"] == "default"
        assert live["Placement"]["AvailabilityZone"] == "us-west-2b"
        assert ec2.describe_subnets()["Subnets"][0]["AvailableIpAddressCount"] == 250
        [volume] = ec2.describe_volumes(Filters=filters(**{"attachment.instance-id": [instance]}))["Volumes"]
        assert volume["VolumeId"] == live["BlockDeviceMappings"][0]["Ebs"]["VolumeId"] and volume["Size"] == 8
        refused("DependencyViolation", ec2.delete_subnet, SubnetId=subnet)
        data = ec2.describe_instance_attribute(InstanceId=instance, Attribute="userData")["UserData"]["Value"]
        assert base64.b64decode(data) == b"hello"
        ec2.stop_instances(InstanceIds=[instance])
        refused("IncorrectInstanceState", ec2.start_instances, InstanceIds=[instance])
        simulator.advance(40)
        ec2.modify_instance_attribute(InstanceId=instance, InstanceType={"Value": "t3.large"})
        ec2.start_instances(InstanceIds=[instance])
        simulator.advance(40)
        wrong_time = {"InstanceId": instance, "InstanceType": {"Value": "t3.micro"}}
        refused("IncorrectInstanceState", ec2.modify_instance_attribute, **wrong_time)
        ec2.terminate_instances(InstanceIds=[instance])
        simulator.advance(60)
        live = ec2.describe_instances()["Reservations"][0]["Instances"][0]
        assert live["State"]["Name"] == "terminated" and "SubnetId" not in live and live["InstanceType"] == "t3.large"
        assert ec2.describe_volumes()["Volumes"] == []
        ec2.delete_subnet(SubnetId=subnet)
        simulator.advance(3601)
        assert ec2.describe_instances()["Reservations"] == []
        refused("InvalidInstanceID.NotFound", ec2.describe_instances, InstanceIds=[instance])

    def test_a_token_runs_them_once(self, ec2, subnet):
        first = self.run(ec2, subnet, ClientToken="t", MinCount=2, MaxCount=2)
        again = self.run(ec2, subnet, ClientToken="t", MinCount=2, MaxCount=2)
        assert [item["InstanceId"] for item in first] == [item["InstanceId"] for item in again]
        with pytest.raises(botocore.exceptions.ClientError, match="IdempotentParameterMismatch"):
            self.run(ec2, subnet, ClientToken="t", MinCount=1, MaxCount=1)

    def test_attributes_one_a_call(self, simulator, ec2, vpc, subnet):
        [made] = self.run(ec2, subnet)
        instance = made["InstanceId"]
        ec2.modify_instance_attribute(InstanceId=instance, DisableApiTermination={"Value": True})
        refused("OperationNotPermitted", ec2.terminate_instances, InstanceIds=[instance])
        both = {"InstanceId": instance, "DisableApiTermination": {"Value": False}, "SourceDestCheck": {"Value": False}}
        refused("InvalidParameterCombination", ec2.modify_instance_attribute, **both)
        answer = ec2.describe_instance_attribute(InstanceId=instance, Attribute="disableApiTermination")
        assert answer["DisableApiTermination"]["Value"]
        group = ec2.create_security_group(GroupName="web", Description="d", VpcId=vpc)["GroupId"]
        ec2.modify_instance_attribute(InstanceId=instance, Groups=[group])
        refused("DependencyViolation", ec2.delete_security_group, GroupId=group)
        options = ec2.modify_instance_metadata_options(InstanceId=instance, HttpTokens="required", HttpPutResponseHopLimit=2)
        assert options["InstanceMetadataOptions"]["HttpTokens"] == "required"
        ec2.monitor_instances(InstanceIds=[instance])
        live = ec2.describe_instances()["Reservations"][0]["Instances"][0]
        assert live["SecurityGroups"] == [{"GroupId": group, "GroupName": "web"}]
        assert live["MetadataOptions"]["HttpPutResponseHopLimit"] == 2 and live["Monitoring"]["State"] == "enabled"

    def test_what_a_launch_alone_says(self, ec2, subnet):
        arn = "arn:aws:license-manager:us-west-2:123456789012:license-configuration:lic-0123456789abcdef0"
        [made] = self.run(
            ec2,
            subnet,
            KernelId="aki-01234567",
            RamdiskId="ari-01234567",
            LicenseSpecifications=[{"LicenseConfigurationArn": arn}],
            InstanceMarketOptions={"MarketType": "spot"},
        )
        live = ec2.describe_instances(InstanceIds=[made["InstanceId"]])["Reservations"][0]["Instances"][0]
        assert (live["KernelId"], live["RamdiskId"]) == ("aki-01234567", "ari-01234567")
        assert live["Licenses"] == [{"LicenseConfigurationArn": arn}]
        assert live["InstanceLifecycle"] == "spot" and live["SpotInstanceRequestId"].startswith("sir-")

    def test_profiles_and_credits(self, ec2, subnet):
        [made] = self.run(ec2, subnet, IamInstanceProfile={"Name": "web"})
        instance = made["InstanceId"]
        [held] = ec2.describe_iam_instance_profile_associations()["IamInstanceProfileAssociations"]
        assert held["IamInstanceProfile"]["Arn"] == "arn:aws:iam::123456789012:instance-profile/web"
        states = {"associating": [], "associat*": [held], "associated": [held]}
        for state, wanted in states.items():
            listed = ec2.describe_iam_instance_profile_associations(Filters=filters(**{"state": [state]}))
            assert listed["IamInstanceProfileAssociations"] == wanted
        replaced = ec2.replace_iam_instance_profile_association(
            AssociationId=held["AssociationId"], IamInstanceProfile={"Name": "db"}
        )["IamInstanceProfileAssociation"]
        ec2.disassociate_iam_instance_profile(AssociationId=replaced["AssociationId"])
        assert ec2.describe_iam_instance_profile_associations()["IamInstanceProfileAssociations"] == []
        [credit] = ec2.describe_instance_credit_specifications()["InstanceCreditSpecifications"]
        assert credit == {"InstanceId": instance, "CpuCredits": "unlimited"}
        ec2.modify_instance_credit_specification(
            InstanceCreditSpecifications=[{"InstanceId": instance, "CpuCredits": "standard"}]
        )
        assert ec2.describe_instance_credit_specifications()["InstanceCreditSpecifications"] == []

    @pytest.mark.parametrize(
        "change,code",
        [
            ({"ImageId": "ami-00000000"}, "InvalidAMIID.NotFound"),
            ({"InstanceType": "Fish"}, "InvalidParameterValue"),
            ({"KeyName": "nobody"}, "InvalidKeyPair.NotFound"),
            ({"SecurityGroupIds": ["sg-00000000"]}, "InvalidGroup.NotFound"),
            ({"SubnetId": "subnet-00000000"}, "InvalidSubnetID.NotFound"),
            ({"MinCount": 3, "MaxCount": 2}, "InvalidParameterValue"),
        ],
    )
    def test_what_cannot_run(self, ec2, subnet, change, code):
        with pytest.raises(botocore.exceptions.ClientError) as caught:
            self.run(ec2, subnet, **change)
        assert caught.value.response["Error"]["Code"] == code
        assert ec2.describe_instances()["Reservations"] == []


class TestVpn:
    @pytest.fixture
    def customer(self, ec2):
        return ec2.create_customer_gateway(Type="ipsec.1", IpAddress="198.51.100.7", BgpAsn=65010)["CustomerGateway"]

    @pytest.fixture
    def gateway(self, simulator, ec2, vpc):
        gateway = ec2.create_vpn_gateway(Type="ipsec.1", AmazonSideAsn=64600)["VpnGateway"]["VpnGatewayId"]
        answer = ec2.attach_vpn_gateway(VpcId=vpc, VpnGatewayId=gateway)["VpcAttachment"]
        assert answer == {"State": "attaching", "VpcId": vpc}
        simulator.advance(20)
        return gateway

    def connect(self, ec2, customer, gateway, **options):
        return ec2.create_vpn_connection(
            Type="ipsec.1", CustomerGatewayId=customer["CustomerGatewayId"], VpnGatewayId=gateway, Options=options
        )["VpnConnection"]

    def test_a_gateway(self, simulator, ec2, vpc, gateway):
        [live] = ec2.describe_vpn_gateways()["VpnGateways"]
        assert live["VpcAttachments"] == [{"State": "attached", "VpcId": vpc}] and live["AmazonSideAsn"] == 64600
        refused("IncorrectState", ec2.delete_vpn_gateway, VpnGatewayId=gateway)
        refused("DependencyViolation", ec2.delete_vpc, VpcId=vpc)
        other = ec2.create_vpn_gateway(Type="ipsec.1")["VpnGateway"]["VpnGatewayId"]
        refused("InvalidVpcState", ec2.attach_vpn_gateway, VpcId=vpc, VpnGatewayId=other)
        ec2.detach_vpn_gateway(VpcId=vpc, VpnGatewayId=gateway)
        refused("IncorrectState", ec2.delete_vpn_gateway, VpnGatewayId=gateway)
        simulator.advance(30)
        assert ec2.describe_vpn_gateways(VpnGatewayIds=[gateway])["VpnGateways"][0]["VpcAttachments"][0]["State"] == "detached"
        ec2.delete_vpn_gateway(VpnGatewayId=gateway)
        simulator.advance(10)
        assert ec2.describe_vpn_gateways(VpnGatewayIds=[gateway])["VpnGateways"][0]["State"] == "deleted"
        refused("InvalidVpnGatewayID.NotFound", ec2.attach_vpn_gateway, VpcId=vpc, VpnGatewayId=gateway)
        ec2.delete_vpc(VpcId=vpc)

    def test_an_identical_customer_gateway_is_the_same(self, ec2, customer):
        again = ec2.create_customer_gateway(Type="ipsec.1", IpAddress="198.51.100.7", BgpAsn=65010)["CustomerGateway"]
        assert again["CustomerGatewayId"] == customer["CustomerGatewayId"]
        named = ec2.create_customer_gateway(Type="ipsec.1", IpAddress="198.51.100.7", BgpAsn=65010, DeviceName="b")
        assert named["CustomerGateway"]["CustomerGatewayId"] != customer["CustomerGatewayId"]
        refused("InvalidParameterValue", ec2.create_customer_gateway, Type="ipsec.1", IpAddress="127.0.0.1")

    def test_a_connection(self, simulator, ec2, customer, gateway):
        tunnels = [
            {
                "TunnelInsideCidr": "169.254.10.0/30",
                "PreSharedKey": "a.secret_key",
                "Phase1EncryptionAlgorithms": [{"Value": "AES256"}],
                "Phase1DHGroupNumbers": [{"Value": 14}],
                "IKEVersions": [{"Value": "ikev2"}],
                "StartupAction": "start",
                "DPDTimeoutSeconds": 40,
            }
        ]
        made = self.connect(ec2, customer, gateway, StaticRoutesOnly=True, TunnelOptions=tunnels)
        assert made["State"] == "pending"
        connection = made["VpnConnectionId"]
        route = {"VpnConnectionId": connection, "DestinationCidrBlock": "192.168.0.0/16"}
        refused("IncorrectState", ec2.create_vpn_connection_route, **route)
        simulator.advance(240)
        [live] = ec2.describe_vpn_connections()["VpnConnections"]
        assert live["State"] == "available"
        first, second = live["Options"]["TunnelOptions"]
        # The model spells two members differently in answers.
        spelled = {"IKEVersions": "IkeVersions", "DPDTimeoutSeconds": "DpdTimeoutSeconds"}
        assert {key: first[spelled.get(key, key)] for key in tunnels[0]} == tunnels[0]
        assert second["TunnelInsideCidr"].startswith("169.254.") and len(second["PreSharedKey"]) == 32
        document = xml.etree.ElementTree.fromstring(live["CustomerGatewayConfiguration"])
        assert document.get("id") == connection and len(document.findall("ipsec_tunnel")) == 2
        assert document.findtext("ipsec_tunnel/ike/pre_shared_key") == "a.secret_key"
        assert document.find("ipsec_tunnel/vpn_gateway/bgp") is None
        assert document.findtext("ipsec_tunnel/vpn_gateway/tunnel_inside_address/ip_address") == "169.254.10.1"
        ec2.create_vpn_connection_route(**route)
        simulator.advance(10)
        [table] = ec2.describe_route_tables()["RouteTables"]
        ec2.enable_vgw_route_propagation(GatewayId=gateway, RouteTableId=table["RouteTableId"])
        [table] = ec2.describe_route_tables()["RouteTables"]
        assert table["PropagatingVgws"] == [{"GatewayId": gateway}]
        assert table["Routes"][1]["Origin"] == "EnableVgwRoutePropagation"
        refused("IncorrectState", ec2.delete_customer_gateway, CustomerGatewayId=customer["CustomerGatewayId"])
        refused("IncorrectState", ec2.delete_vpn_gateway, VpnGatewayId=gateway)
        ec2.delete_vpn_connection_route(**route)
        simulator.advance(10)
        assert len(ec2.describe_route_tables()["RouteTables"][0]["Routes"]) == 1
        ec2.delete_vpn_connection(VpnConnectionId=connection)
        refused("IncorrectState", ec2.delete_customer_gateway, CustomerGatewayId=customer["CustomerGatewayId"])
        simulator.advance(90)
        assert ec2.describe_vpn_connections()["VpnConnections"][0]["State"] == "deleted"
        ec2.delete_customer_gateway(CustomerGatewayId=customer["CustomerGatewayId"])

    def test_changes(self, simulator, ec2, customer, gateway):
        connection = self.connect(ec2, customer, gateway)["VpnConnectionId"]
        refused("IncorrectState", ec2.modify_vpn_connection_options, VpnConnectionId=connection, LocalIpv4NetworkCidr="10.0.0.0/8")
        simulator.advance(240)
        answer = ec2.modify_vpn_connection_options(VpnConnectionId=connection, LocalIpv4NetworkCidr="10.0.0.0/8")
        assert answer["VpnConnection"]["State"] == "modifying"
        assert answer["VpnConnection"]["Options"]["LocalIpv4NetworkCidr"] == "10.0.0.0/8"
        simulator.advance(180)
        outside = answer["VpnConnection"]["Options"]["TunnelOptions"][1]["OutsideIpAddress"]
        answer = ec2.modify_vpn_tunnel_options(
            VpnConnectionId=connection, VpnTunnelOutsideIpAddress=outside, TunnelOptions={"PreSharedKey": "another_one"}
        )
        assert answer["VpnConnection"]["Options"]["TunnelOptions"][1]["PreSharedKey"] == "another_one"
        simulator.advance(180)
        other = ec2.create_customer_gateway(Type="ipsec.1", IpAddress="198.51.100.8", BgpAsn=65011)["CustomerGateway"]
        ec2.modify_vpn_connection(VpnConnectionId=connection, CustomerGatewayId=other["CustomerGatewayId"])
        ec2.delete_customer_gateway(CustomerGatewayId=customer["CustomerGatewayId"])
        simulator.advance(180)
        [live] = ec2.describe_vpn_connections()["VpnConnections"]
        assert live["CustomerGatewayId"] == other["CustomerGatewayId"] and live["State"] == "available"
        document = xml.etree.ElementTree.fromstring(live["CustomerGatewayConfiguration"])
        assert document.findtext("ipsec_tunnel/customer_gateway/bgp/asn") == "65011"

    @pytest.mark.parametrize(
        "tunnel",
        [
            {"TunnelInsideCidr": "10.0.0.0/30"},
            {"TunnelInsideCidr": "169.254.0.0/30"},
            {"TunnelInsideCidr": "169.254.10.0/29"},
            {"PreSharedKey": "0startswithzero"},
            {"PreSharedKey": "short"},
            {"Phase1LifetimeSeconds": 100},
            {"Phase1LifetimeSeconds": 900, "Phase2LifetimeSeconds": 900},
            {"RekeyMarginTimeSeconds": 1801},
            {"DPDTimeoutSeconds": 29},
            {"DPDTimeoutAction": "cry"},
            {"Phase1DHGroupNumbers": [{"Value": 5}]},
            {"IKEVersions": [{"Value": "ikev1"}], "StartupAction": "start"},
        ],
    )
    def test_tunnels_that_cannot_be(self, ec2, customer, gateway, tunnel):
        with pytest.raises(botocore.exceptions.ClientError, match="InvalidParameterValue"):
            self.connect(ec2, customer, gateway, TunnelOptions=[tunnel])
        assert ec2.describe_vpn_connections()["VpnConnections"] == []


class TestAutoScaling:
    @pytest.fixture
    def template(self, ec2):
        made = ec2.create_launch_template(
            LaunchTemplateName="web", LaunchTemplateData={"ImageId": IMAGE, "InstanceType": "t3.micro"}
        )
        return made["LaunchTemplate"]["LaunchTemplateId"]

    @pytest.fixture
    def group(self, autoscaling, template, subnet):
        autoscaling.create_auto_scaling_group(
            AutoScalingGroupName="web",
            LaunchTemplate={"LaunchTemplateId": template, "Version": "1"},
            MinSize=1,
            MaxSize=4,
            DesiredCapacity=2,
            VPCZoneIdentifier=subnet,
            Tags=[{"Key": "Name", "Value": "web", "PropagateAtLaunch": True}, {"Key": "own", "Value": "x"}],
        )
        return "web"

    def live(self, autoscaling):
        [group] = autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"]
        return group

    def test_it_keeps_its_capacity(self, simulator, ec2, autoscaling, group, subnet):
        simulator.advance(60)
        live = self.live(autoscaling)
        assert [item["LifecycleState"] for item in live["Instances"]] == ["InService"] * 2
        assert live["VPCZoneIdentifier"] == subnet and live["AvailabilityZones"] == ["us-west-2b"]
        instances = [item["Instances"][0] for item in ec2.describe_instances()["Reservations"]]
        tags = {tag["Key"]: tag["Value"] for tag in instances[0]["Tags"]}
        assert tags["Name"] == "web" and tags["aws:autoscaling:groupName"] == "web" and "own" not in tags
        ec2.terminate_instances(InstanceIds=[instances[0]["InstanceId"]])
        simulator.advance(180)
        states = [item["Instances"][0]["State"]["Name"] for item in ec2.describe_instances()["Reservations"]]
        assert sorted(states) == ["running", "running", "terminated"]
        autoscaling.update_auto_scaling_group(AutoScalingGroupName="web", MinSize=3)
        assert self.live(autoscaling)["DesiredCapacity"] == 3
        simulator.advance(120)
        assert len(self.live(autoscaling)["Instances"]) == 3

    def test_deletion(self, simulator, autoscaling, group):
        simulator.advance(60)
        name = {"AutoScalingGroupName": "web"}
        refused("ResourceInUse", autoscaling.delete_auto_scaling_group, **name)
        autoscaling.update_auto_scaling_group(**name, MinSize=0, DesiredCapacity=0)
        simulator.advance(10)
        refused("ScalingActivityInProgress", autoscaling.delete_auto_scaling_group, **name)
        simulator.advance(120)
        autoscaling.delete_auto_scaling_group(**name)
        assert autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"] == []
        refused("ValidationError", autoscaling.delete_auto_scaling_group, **name)

    def test_forced_deletion(self, simulator, ec2, autoscaling, group):
        simulator.advance(60)
        autoscaling.delete_auto_scaling_group(AutoScalingGroupName="web", ForceDelete=True)
        assert self.live(autoscaling)["Status"] == "Delete in progress"
        simulator.advance(180)
        assert autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"] == []
        assert {item["Instances"][0]["State"]["Name"] for item in ec2.describe_instances()["Reservations"]} == {"terminated"}

    @pytest.mark.parametrize(
        "change,code",
        [
            ({"DesiredCapacity": 9}, "ValidationError"),
            ({"MaxSize": 0}, "ValidationError"),
            ({"VPCZoneIdentifier": "subnet-00000000"}, "ValidationError"),
            ({"LaunchTemplate": {"LaunchTemplateName": "web", "Version": "9"}}, "ValidationError"),
            ({"Tags": [{"Key": "aws:x", "Value": ""}]}, "ValidationError"),
            ({"AutoScalingGroupName": "web"}, "AlreadyExists"),
        ],
    )
    def test_what_cannot_be(self, autoscaling, group, template, subnet, change, code):
        parameters = {
            "AutoScalingGroupName": "other",
            "LaunchTemplate": {"LaunchTemplateId": template},
            "MinSize": 1,
            "MaxSize": 4,
            "VPCZoneIdentifier": subnet,
            **change,
        }
        refused(code, autoscaling.create_auto_scaling_group, **parameters)
        assert len(autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"]) == 1

    def test_mixed_instances(self, simulator, autoscaling, template, subnet):
        autoscaling.create_auto_scaling_group(
            AutoScalingGroupName="mixed",
            MinSize=1,
            MaxSize=1,
            VPCZoneIdentifier=subnet,
            MixedInstancesPolicy={
                "LaunchTemplate": {
                    "LaunchTemplateSpecification": {"LaunchTemplateId": template, "Version": "$Latest"},
                    "Overrides": [{"InstanceType": "t3.large", "WeightedCapacity": "1"}, {"InstanceType": "t3.small"}],
                },
                "InstancesDistribution": {"OnDemandPercentageAboveBaseCapacity": 50, "SpotAllocationStrategy": "capacity-optimized"},
            },
        )
        simulator.advance(60)
        live = self.live(autoscaling)
        policy = live["MixedInstancesPolicy"]
        assert policy["LaunchTemplate"]["LaunchTemplateSpecification"]["LaunchTemplateName"] == "web"
        assert [item["InstanceType"] for item in policy["LaunchTemplate"]["Overrides"]] == ["t3.large", "t3.small"]
        assert policy["InstancesDistribution"]["OnDemandPercentageAboveBaseCapacity"] == 50
        assert live["Instances"][0]["InstanceType"] == "t3.large"

    def test_every_member_comes_back(self, autoscaling, template, subnet):
        shape = autoscaling.meta.service_model.operation_model("CreateAutoScalingGroup").input_shape
        own = ["MixedInstancesPolicy", "AvailabilityZoneIds", "LaunchConfigurationName", "InstanceId", "LaunchTemplate"]
        own += ["LifecycleHookSpecificationList", "Tags", "TrafficSources", "SkipZonalShiftValidation"]
        wanted = {key: sample(member, key) for key, member in shape.members.items() if key not in own}
        wanted.update(AutoScalingGroupName="all", VPCZoneIdentifier=subnet, AvailabilityZones=["us-west-2b"])
        policy = sample(shape.members["MixedInstancesPolicy"])
        chosen = {"LaunchTemplateId": template, "LaunchTemplateName": "web", "Version": "1"}
        policy["LaunchTemplate"]["LaunchTemplateSpecification"] = chosen
        override = policy["LaunchTemplate"]["Overrides"][0]
        override.update(InstanceType="t3.large", LaunchTemplateSpecification=chosen)
        autoscaling.create_auto_scaling_group(**wanted, MixedInstancesPolicy=policy)
        live = self.live(autoscaling)
        assert live["MixedInstancesPolicy"] == policy
        assert {key: live.get(key) for key in wanted} == wanted

    def test_hooks(self, simulator, autoscaling, template, subnet):
        hook = {"LifecycleHookName": "up", "LifecycleTransition": "autoscaling:EC2_INSTANCE_LAUNCHING"}
        autoscaling.create_auto_scaling_group(
            AutoScalingGroupName="web",
            LaunchTemplate={"LaunchTemplateId": template},
            MinSize=1,
            MaxSize=1,
            VPCZoneIdentifier=subnet,
            LifecycleHookSpecificationList=[{**hook, "HeartbeatTimeout": 300, "DefaultResult": "CONTINUE"}],
        )
        simulator.advance(60)
        assert self.live(autoscaling)["Instances"][0]["LifecycleState"] == "Pending:Wait"
        simulator.advance(300)
        assert self.live(autoscaling)["Instances"][0]["LifecycleState"] == "InService"
        name = {"AutoScalingGroupName": "web"}
        autoscaling.put_lifecycle_hook(**name, LifecycleHookName="up", HeartbeatTimeout=600)
        [live] = autoscaling.describe_lifecycle_hooks(**name)["LifecycleHooks"]
        assert (live["HeartbeatTimeout"], live["DefaultResult"], live["GlobalTimeout"]) == (600, "CONTINUE", 60000)
        autoscaling.delete_lifecycle_hook(**name, LifecycleHookName="up")
        assert autoscaling.describe_lifecycle_hooks(**name)["LifecycleHooks"] == []

    def test_a_hook_lets_go_of_what_leaves(self, simulator, autoscaling, ec2, group):
        name = {"AutoScalingGroupName": "web"}
        autoscaling.put_lifecycle_hook(
            **name,
            LifecycleHookName="down",
            LifecycleTransition="autoscaling:EC2_INSTANCE_TERMINATING",
            HeartbeatTimeout=300,
            DefaultResult="CONTINUE",
        )
        simulator.advance(120)
        autoscaling.update_auto_scaling_group(**name, MinSize=0, MaxSize=0, DesiredCapacity=0)
        simulator.advance(120)
        states = {each["LifecycleState"] for each in self.live(autoscaling)["Instances"]}
        assert states == {"Terminating:Wait"}
        simulator.advance(300)
        assert self.live(autoscaling)["Instances"] == []

    @pytest.mark.parametrize("zone, moves", [("us-west-2a", True), ("us-west-2b", False)])
    def test_another_subnet(self, simulator, ec2, autoscaling, vpc, subnet, group, zone, moves):
        simulator.advance(120)
        first = {each["InstanceId"] for each in self.live(autoscaling)["Instances"]}
        other = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.7.0/24", AvailabilityZone=zone)["Subnet"]["SubnetId"]
        simulator.advance(30)
        autoscaling.update_auto_scaling_group(AutoScalingGroupName="web", VPCZoneIdentifier=other)
        simulator.advance(30)
        # The new ones come before the old ones go.
        assert first <= {each["InstanceId"] for each in self.live(autoscaling)["Instances"]}
        simulator.advance(300)
        last = self.live(autoscaling)["Instances"]
        assert len(last) == 2 and {each["LifecycleState"] for each in last} == {"InService"}
        assert first.isdisjoint(each["InstanceId"] for each in last) == moves
        if moves:
            ec2.delete_subnet(SubnetId=subnet)
        else:
            refused("DependencyViolation", ec2.delete_subnet, SubnetId=subnet)

    def test_target_groups(self, autoscaling, group):
        name = {"AutoScalingGroupName": "web"}
        arns = [f"arn:aws:elasticloadbalancing:us-west-2:123456789012:targetgroup/{each}/0123456789abcdef" for each in "ab"]
        autoscaling.attach_load_balancer_target_groups(**name, TargetGroupARNs=arns)
        live = self.live(autoscaling)
        assert live["TargetGroupARNs"] == arns
        assert [(each["Identifier"], each["Type"]) for each in live["TrafficSources"]] == [(arn, "elbv2") for arn in arns]
        autoscaling.detach_load_balancer_target_groups(**name, TargetGroupARNs=arns[:1])
        assert self.live(autoscaling)["TargetGroupARNs"] == arns[1:]
        refused("ValidationError", autoscaling.attach_load_balancer_target_groups, **name, TargetGroupARNs=["web"])
        autoscaling.detach_load_balancer_target_groups(**name, TargetGroupARNs=arns)
        assert self.live(autoscaling)["TrafficSources"] == []

    def test_tags_processes_and_metrics(self, simulator, autoscaling, group):
        tag = {"ResourceId": "web", "ResourceType": "auto-scaling-group", "Key": "own"}
        autoscaling.create_or_update_tags(Tags=[{**tag, "Value": "y", "PropagateAtLaunch": True}])
        listed = {item["Key"]: (item["Value"], item["PropagateAtLaunch"]) for item in autoscaling.describe_tags()["Tags"]}
        assert listed == {"Name": ("web", True), "own": ("y", True)}
        autoscaling.delete_tags(Tags=[tag])
        assert [item["Key"] for item in self.live(autoscaling)["Tags"]] == ["Name"]
        name = {"AutoScalingGroupName": "web"}
        autoscaling.suspend_processes(**name, ScalingProcesses=["Launch", "AZRebalance"])
        assert {item["ProcessName"] for item in self.live(autoscaling)["SuspendedProcesses"]} == {"Launch", "AZRebalance"}
        autoscaling.enable_metrics_collection(**name, Granularity="1Minute", Metrics=["GroupMinSize"])
        assert self.live(autoscaling)["EnabledMetrics"] == [{"Metric": "GroupMinSize", "Granularity": "1Minute"}]
        autoscaling.resume_processes(**name)
        autoscaling.disable_metrics_collection(**name)
        live = self.live(autoscaling)
        assert live["SuspendedProcesses"] == [] and live["EnabledMetrics"] == []


class TestFaults:
    @pytest.mark.parametrize(
        "kind,code,status",
        [
            ("deny", "UnauthorizedOperation", 403),
            ("throttle", "RequestLimitExceeded", 503),
            ("error", "InternalError", 500),
            ("unavailable", "Unavailable", 503),
            ("unsupported", "InvalidAction", 400),
        ],
    )
    def test_answers(self, simulator, ec2, kind, code, status):
        simulator.steer("add?&fault&", {"action": "CreateVpc", "kind": kind, "first": 2, "count": 1})
        ec2.create_vpc(CidrBlock="10.0.0.0/16")
        assert refused(code, ec2.create_vpc, CidrBlock="10.1.0.0/16")[1] == status
        ec2.create_vpc(CidrBlock="10.2.0.0/16")
        assert len(ec2.describe_vpcs()["Vpcs"]) == 2

    def test_an_answer_that_is_lost(self, simulator, ec2):
        simulator.steer("add?&fault&", {"action": "CreateVpc", "kind": "lost_answer"})
        with pytest.raises(botocore.exceptions.ConnectionClosedError):
            ec2.create_vpc(CidrBlock="10.0.0.0/16")
        assert len(ec2.describe_vpcs()["Vpcs"]) == 1

    def test_a_request_that_is_lost(self, simulator, ec2):
        simulator.steer("add?&fault&", {"action": "CreateVpc", "kind": "lost_request"})
        with pytest.raises(botocore.exceptions.ConnectionClosedError):
            ec2.create_vpc(CidrBlock="10.0.0.0/16")
        assert ec2.describe_vpcs()["Vpcs"] == []

    def test_half_an_answer_and_html(self, simulator, ec2, vpc):
        simulator.steer("add?&fault&", {"action": "DescribeVpcs", "kind": "half_answer"})
        with pytest.raises(botocore.parsers.ResponseParserError):
            ec2.describe_vpcs()
        simulator.steer("add?&fault&", {"action": "DescribeVpcs", "kind": "html"})
        with pytest.raises(botocore.parsers.ResponseParserError):
            ec2.describe_vpcs()
        assert len(ec2.describe_vpcs()["Vpcs"]) == 1

    def test_a_stale_read(self, simulator, ec2, vpc):
        simulator.steer("add?&fault&", {"action": "DescribeVpcs", "kind": "stale"})
        assert ec2.describe_vpcs()["Vpcs"] == []
        assert len(ec2.describe_vpcs()["Vpcs"]) == 1


class TestByHand:
    def test_a_change_behind_the_api(self, simulator, ec2, vpc, subnet):
        simulator.change("vpc", vpc, enableDnsSupport="false")
        assert not ec2.describe_vpc_attribute(VpcId=vpc, Attribute="enableDnsSupport")["EnableDnsSupport"]["Value"]
        simulator.change("vpc", vpc, tagSet=[{"key": "a", "value": "1"}])
        assert ec2.describe_vpcs()["Vpcs"][0]["Tags"] == [{"Key": "a", "Value": "1"}]
        simulator.change("vpc", vpc, **{"tagSet.0.value": "2", "tagSet.1": {"key": "b", "value": ""}})
        assert ec2.describe_vpcs()["Vpcs"][0]["Tags"] == [{"Key": "a", "Value": "2"}, {"Key": "b", "Value": ""}]
        simulator.change("vpc", vpc, **{"tagSet.0": None})
        assert ec2.describe_vpcs()["Vpcs"][0]["Tags"] == [{"Key": "b", "Value": ""}]
        simulator.steer(f"remove?us-west-2&subnet&{subnet}")
        assert ec2.describe_subnets()["Subnets"] == []
        ec2.delete_vpc(VpcId=vpc)

    def test_what_is_not_there(self, simulator):
        with pytest.raises(urllib.error.HTTPError) as caught:
            simulator.steer("change?us-west-2&vcp&x", {})
        assert b"no type 'vcp'" in caught.value.read()
        with pytest.raises(urllib.error.HTTPError):
            simulator.steer("remove?us-west-2&vpc&vpc-1")


class TestMachines:
    @pytest.fixture
    def machine(self, simulator):
        simulator.steer(
            "add?&machine&bmc-1.example",
            {
                "serial": "S-1",
                "model": "R760",
                "manufacturer": "Acme",
                "power": "Off",
                "memory_gib": 512,
                "processors": 2,
                "user": "root",
                "password": "p:w",
                "macs": ["02:00:00:00:00:01", "02:00:00:00:00:02"],
            },
        )

    def ask(self, simulator, path, body=None, user="root:p:w", host="bmc-1.example"):
        headers = {"Host": host, "Content-Type": "application/json"}
        if user:
            headers["Authorization"] = "Basic " + base64.b64encode(user.encode()).decode()
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(simulator.url + path, data=data, headers=headers)
        with OPENER.open(request, timeout=20) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def test_reads(self, simulator, machine):
        assert self.ask(simulator, "/redfish/v1/", user=None)["Systems"]["@odata.id"] == "/redfish/v1/Systems"
        [member] = self.ask(simulator, "/redfish/v1/Systems")["Members"]
        system = self.ask(simulator, member["@odata.id"])
        assert (system["SerialNumber"], system["Model"], system["PowerState"]) == ("S-1", "R760", "Off")
        assert system["MemorySummary"]["TotalSystemMemoryGiB"] == 512 and system["ProcessorSummary"]["Count"] == 2
        interfaces = self.ask(simulator, system["EthernetInterfaces"]["@odata.id"])["Members"]
        macs = [self.ask(simulator, item["@odata.id"])["MACAddress"] for item in interfaces]
        assert macs == ["02:00:00:00:00:01", "02:00:00:00:00:02"]

    def test_power_lands_later(self, simulator, machine):
        reset = "/redfish/v1/Systems/1/Actions/ComputerSystem.Reset"
        self.ask(simulator, reset, {"ResetType": "On"})
        assert self.ask(simulator, "/redfish/v1/Systems/1")["PowerState"] == "PoweringOn"
        simulator.advance(12)
        assert self.ask(simulator, "/redfish/v1/Systems/1")["PowerState"] == "On"
        self.ask(simulator, reset, {"ResetType": "ForceRestart"})
        simulator.advance(24)
        assert self.ask(simulator, "/redfish/v1/Systems/1")["PowerState"] == "On"
        self.ask(simulator, reset, {"ResetType": "GracefulShutdown"})
        simulator.advance(31)
        assert self.ask(simulator, "/redfish/v1/Systems/1")["PowerState"] == "Off"

    @pytest.mark.parametrize(
        "path,body,user,status",
        [
            ("/redfish/v1/Systems", None, "root:wrong", 401),
            ("/redfish/v1/Systems", None, None, 401),
            ("/redfish/v1/Chassis", None, "root:p:w", 404),
            ("/redfish/v1/Systems/1/EthernetInterfaces/3", None, "root:p:w", 404),
            ("/redfish/v1/Systems/1", {}, "root:p:w", 405),
            ("/redfish/v1/Systems/1/Actions/ComputerSystem.Reset", {"ResetType": "Fly"}, "root:p:w", 400),
        ],
    )
    def test_refusals(self, simulator, machine, path, body, user, status):
        with pytest.raises(urllib.error.HTTPError) as caught:
            self.ask(simulator, path, body, user)
        assert caught.value.code == status and "error" in json.load(caught.value)

    def test_a_machine_that_is_none(self, simulator, machine):
        with pytest.raises((urllib.error.URLError, ConnectionError)):
            self.ask(simulator, "/redfish/v1/", host="bmc-2.example")


class TestFile:
    def test_a_world_that_lasts(self, tmp_path):
        path = tmp_path / "world.sim"
        simulator = Simulator(f"sim:{path}")
        ec2 = simulator.client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=tagged("vpc", a="ä"))["Vpc"]["VpcId"]
        gone = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
        kept = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.1.0/24")["Subnet"]["SubnetId"]
        ec2.delete_subnet(SubnetId=gone)
        before = simulator.show()
        simulator.close()
        with path.open("ab") as file:
            file.write(b'{"now":1,"objects":[{"region":"us-west-2","type":"vpc","id":"vpc-torn"')
        simulator = Simulator(f"sim:{path}")
        ec2 = simulator.client("ec2")
        assert simulator.show() == before
        assert [item["SubnetId"] for item in ec2.describe_subnets()["Subnets"]] == [kept]
        refused("InvalidSubnet.Conflict", ec2.create_subnet, VpcId=vpc, CidrBlock="10.0.1.0/25")
        refused("DependencyViolation", ec2.delete_vpc, VpcId=vpc)
        simulator.close()

    def test_two_processes_share_it(self, tmp_path):
        path = f"sim:{tmp_path / 'world.sim'}"
        one, two = Simulator(path), Simulator(path)
        vpc = one.client("ec2").create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        two.client("ec2").create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")
        refused("InvalidSubnet.Conflict", one.client("ec2").create_subnet, VpcId=vpc, CidrBlock="10.0.0.0/24")
        assert one.show() == two.show()
        one.close()
        two.close()

    def test_a_file_that_is_none(self, tmp_path):
        path = tmp_path / "notes.txt"
        path.write_text("not a world\n")
        result = subprocess.run([SERVER, f"sim:{path}"], capture_output=True, text=True, timeout=20)
        assert result.returncode == 1 and "no simulated world" in result.stderr
        assert path.read_text() == "not a world\n"
