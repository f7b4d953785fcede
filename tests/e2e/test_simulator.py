"""The simulated AWS at its wire: signatures, protocol, listings, faults, what is done by hand, machines, files."""

import base64
import datetime
import json
import subprocess
import urllib.error
import urllib.request

import botocore.config
import botocore.exceptions
import pytest
import signing_clock

from simulator import OPENER, SERVER, Simulator, ec2, filters, refused, simulator, subnet, tagged, vpc  # noqa: F401


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

    @pytest.mark.parametrize("turn", ["first", "second"])
    def test_what_a_test_signed_in_ends_with_it(self, simulator, ec2, turn):
        """The other turn left boto3 an hour ahead, where the same process ran it."""
        simulator.settings(signature_age=1)
        assert ec2.describe_vpcs()["Vpcs"] == []
        now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        signing_clock.follow(now + datetime.timedelta(hours=1))
        refused("AuthFailure", ec2.describe_vpcs)

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


    def test_what_is_given_up_later(self, simulator, ec2, subnet):
        simulator.steer("add?&fault&", {"action": "RunInstances", "kind": "fails_later"})
        launched = ec2.run_instances(ImageId="ami-0123456789abcdef0", SubnetId=subnet, MinCount=1, MaxCount=1)
        ids = [launched["Instances"][0]["InstanceId"]]
        assert launched["Instances"][0]["State"]["Name"] == "pending"
        simulator.advance(60)
        [held] = ec2.describe_instances(InstanceIds=ids)["Reservations"]
        assert held["Instances"][0]["State"]["Name"] == "terminated"

    def test_what_takes_longer_than_anybody_waits(self, simulator, ec2, subnet):
        simulator.steer("add?&fault&", {"action": "RunInstances", "kind": "lingers"})
        launched = ec2.run_instances(ImageId="ami-0123456789abcdef0", SubnetId=subnet, MinCount=1, MaxCount=1)
        ids = [launched["Instances"][0]["InstanceId"]]
        for seconds, state in ((1800, "pending"), (1000, "running")):
            simulator.advance(seconds)
            [held] = ec2.describe_instances(InstanceIds=ids)["Reservations"]
            assert held["Instances"][0]["State"]["Name"] == state


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
        # What is on its way goes on while the world is opened anew.
        simulator.advance(60)
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


KEY = b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDaVDQWzWbIWMEQl3UBcHPZ5KSCLZcyrkR6ZZsKmVHjj"


def test_what_no_call_may_say(ec2, vpc, subnet):  # noqa: F811
    wrong, missing = "InvalidParameterValue", "MissingParameter"
    twice = [{"Key": "a", "Value": "x"}, {"Key": "a", "Value": "y"}]
    specification = [{"ResourceType": "vpc", "Tags": twice}]
    refused(wrong, ec2.create_vpc, CidrBlock="10.9.0.0/16", TagSpecifications=specification)
    refused(wrong, ec2.create_tags, Resources=[vpc], Tags=[{"Key": "aws:x", "Value": "x"}])
    refused(wrong, ec2.delete_tags, Resources=[vpc], Tags=[{"Key": "aws:x"}])
    refused(wrong, ec2.import_key_pair, KeyName="a\tb", PublicKeyMaterial=KEY)
    refused(missing, ec2.delete_key_pair)
    refused(missing, ec2.run_instances, InstanceType="t3.micro", MinCount=1, MaxCount=1, SubnetId=subnet)
    refused(wrong, ec2.create_customer_gateway, Type="ipsec.1", IpAddress="203.0.113.1", BgpAsn=0)
