"""The simulated AWS: key pairs, launch templates and instances."""

import base64
import ipaddress

import botocore.config
import botocore.exceptions
import pytest

from simulator import IMAGE, RSA_KEY, ec2, filters, refused, sample, simulator, subnet, tagged, vpc  # noqa: F401


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
        within = {"SubnetId": subnet} if subnet else {}
        answer = ec2.run_instances(
            **{"ImageId": IMAGE, "InstanceType": "t3.micro", "MinCount": 1, "MaxCount": 1, **within, **parameters}
        )
        return answer["Instances"]

    def test_a_life(self, simulator, ec2, vpc, subnet):
        [made] = self.run(ec2, subnet, TagSpecifications=tagged("instance", Name="a"), UserData="hello")
        assert made["State"]["Name"] == "pending" and made["PrivateIpAddress"] == "10.0.1.4"
        instance = made["InstanceId"]
        taken = {"ImageId": IMAGE, "MinCount": 1, "MaxCount": 1, "SubnetId": subnet, "PrivateIpAddress": "10.0.1.4"}
        refused("InvalidIPAddress.InUse", ec2.run_instances, **taken)
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

    def test_the_type_of_a_spot_instance_stays(self, simulator, ec2, subnet):
        options = {"SpotInstanceType": "persistent", "InstanceInterruptionBehavior": "stop"}
        [made] = self.run(ec2, subnet, InstanceMarketOptions={"MarketType": "spot", "SpotOptions": options})
        spot = made["InstanceId"]
        simulator.advance(60)
        ec2.stop_instances(InstanceIds=[spot])
        simulator.advance(60)
        ec2.modify_instance_attribute(InstanceId=spot, EbsOptimized={"Value": True})
        refused("UnsupportedOperation", ec2.modify_instance_attribute, InstanceId=spot, InstanceType={"Value": "t3.large"})

    def test_interfaces(self, simulator, ec2, vpc, subnet):
        def free():
            [one] = ec2.describe_subnets(SubnetIds=[subnet])["Subnets"]
            return one["AvailableIpAddressCount"]

        group = ec2.create_security_group(GroupName="web", Description="d", VpcId=vpc)["GroupId"]
        other = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.2.0/24", AvailabilityZone="us-west-2b")["Subnet"]["SubnetId"]
        before = free()
        [made] = self.run_with(
            ec2,
            {"DeviceIndex": 1, "NetworkCardIndex": 1, "InterfaceType": "efa-only", "SubnetId": other, "Groups": [group]},
            {
                "DeviceIndex": 0,
                "SubnetId": subnet,
                "Description": "front",
                "PrivateIpAddress": "10.0.1.4",
                "SecondaryPrivateIpAddressCount": 1,
                "Ipv4PrefixCount": 1,
                "DeleteOnTermination": False,
            },
        )
        live = {each["Attachment"]["NetworkCardIndex"]: each for each in made["NetworkInterfaces"]}
        assert made["SubnetId"] == live[0]["SubnetId"] == subnet and live[1]["SubnetId"] == other
        assert (live[0]["InterfaceType"], live[1]["InterfaceType"]) == ("interface", "efa-only")
        assert [each["PrivateIpAddress"] for each in live[0]["PrivateIpAddresses"]] == ["10.0.1.4", "10.0.1.5"]
        assert live[0]["Ipv4Prefixes"] == [{"Ipv4Prefix": "10.0.1.224/28"}] and live[0]["Description"] == "front"
        assert live[1]["Groups"] == [{"GroupId": group, "GroupName": "web"}] and "PrivateIpAddresses" not in live[1]
        assert not live[0]["Attachment"]["DeleteOnTermination"] and live[1]["Attachment"]["DeleteOnTermination"]
        assert free() == before - 2
        instance = made["InstanceId"]
        refused("DependencyViolation", ec2.delete_subnet, SubnetId=other)
        refused("DependencyViolation", ec2.delete_security_group, GroupId=group)
        refused("InvalidInstanceID", ec2.modify_instance_attribute, InstanceId=instance, Groups=[group])
        unchecked = {"InstanceId": instance, "SourceDestCheck": {"Value": False}}
        refused("InvalidInstanceID", ec2.modify_instance_attribute, **unchecked)
        ec2.terminate_instances(InstanceIds=[instance])
        simulator.advance(60)
        ec2.delete_subnet(SubnetId=other)
        assert free() == before

    def run_with(self, ec2, *interfaces, **parameters):
        return self.run(ec2, None, NetworkInterfaces=list(interfaces), **parameters)

    @pytest.mark.parametrize(
        "code, change, beside",
        [
            ("InvalidParameterCombination", {}, {"SubnetId": None}),
            ("InvalidParameterCombination", {}, {"SecurityGroupIds": ["sg-00000000"]}),
            ("InvalidParameterCombination", {}, {"PrivateIpAddress": "10.0.1.9"}),
            ("InvalidParameterCombination", {}, {"Ipv6AddressCount": 1}),
            ("InvalidParameterCombination", {}, {"Ipv6Addresses": [{"Ipv6Address": "fd00::1"}]}),
            ("InvalidParameterCombination", {"InterfaceType": "efa-only"}, {}),
            ("InvalidParameterCombination", {"Ipv4PrefixCount": 1, "Ipv4Prefixes": [{"Ipv4Prefix": "10.0.1.0/28"}]}, {}),
            ("InvalidParameterValue", {"InterfaceType": "fish"}, {}),
            ("InvalidParameterValue", {"Ipv4Prefixes": [{"Ipv4Prefix": "10.0.9.0/28"}]}, {}),
            ("InvalidParameterValue", {"Ipv4Prefixes": [{"Ipv4Prefix": "10.0.1.16/29"}]}, {}),
            ("InvalidParameterValue", {"Ipv6Prefixes": [{"Ipv6Prefix": "fd00::/80"}]}, {}),
            ("InvalidParameterValue", {"PrivateIpAddress": "10.0.9.9"}, {}),
            ("InvalidParameterValue", {"PrivateIpAddress": "10.0.1.3"}, {}),
            ("InvalidParameterValue", {"PrivateIpAddress": "10.0.1.255"}, {}),
            ("InvalidParameterCombination", {}, {"EnclaveOptions": {"Enabled": True}, "HibernationOptions": {"Configured": True}}),
            ("InvalidParameterCombination", {}, {"DisableApiTermination": True, "InstanceMarketOptions": {"MarketType": "spot"}}),
            ("InvalidGroup.NotFound", {"Groups": ["sg-00000000"]}, {}),
            ("InvalidNetworkInterfaceID.NotFound", {"NetworkInterfaceId": "eni-0123456789abcdef0"}, {}),
        ],
    )
    def test_interfaces_that_cannot_be(self, ec2, subnet, code, change, beside):
        self.refused_with(ec2, code, {"DeviceIndex": 0, "SubnetId": subnet, **change}, **{key: value or subnet for key, value in beside.items()})

    @pytest.mark.parametrize(
        "code, first, further",
        [
            ("InvalidParameterCombination", {"AssociatePublicIpAddress": False}, {}),
            ("InvalidParameterCombination", {}, {"InterfaceType": "efa-only", "PrivateIpAddress": "10.0.1.9"}),
            ("InvalidSubnetID.NotFound", {}, {"SubnetId": "subnet-00000000"}),
            ("InvalidGroup.NotFound", {}, {"Groups": ["sg-00000000"]}),
        ],
    )
    def test_several_interfaces_that_cannot_be(self, ec2, subnet, code, first, further):
        own = {"SubnetId": subnet}
        self.refused_with(ec2, code, {"DeviceIndex": 0, **own, **first}, {"DeviceIndex": 1, **own, **further})

    def refused_with(self, ec2, code, *interfaces, **parameters):
        with pytest.raises(botocore.exceptions.ClientError) as caught:
            self.run_with(ec2, *interfaces, **parameters)
        assert caught.value.response["Error"]["Code"] == code
        assert ec2.describe_instances()["Reservations"] == []

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

    def test_credits_are_those_of_the_present_type(self, simulator, ec2, subnet):
        [made] = self.run(ec2, subnet, InstanceType="m7i.large")
        instance = made["InstanceId"]
        wanted = [{"InstanceId": instance, "CpuCredits": "standard"}]
        told = ec2.modify_instance_credit_specification(InstanceCreditSpecifications=wanted)
        [refused] = told["UnsuccessfulInstanceCreditSpecifications"]
        assert refused["Error"]["Code"] == "InstanceCreditSpecification.NotSupported"
        simulator.advance(40)
        ec2.stop_instances(InstanceIds=[instance])
        simulator.advance(40)
        ec2.modify_instance_attribute(InstanceId=instance, InstanceType={"Value": "t3.micro"})
        credits = {"InstanceIds": [instance]}
        assert ec2.describe_instance_credit_specifications(**credits)["InstanceCreditSpecifications"] == [
            {"InstanceId": instance, "CpuCredits": "unlimited"}
        ]
        told = ec2.modify_instance_credit_specification(InstanceCreditSpecifications=wanted)
        assert told["UnsuccessfulInstanceCreditSpecifications"] == []
        assert ec2.describe_instance_credit_specifications(**credits)["InstanceCreditSpecifications"] == wanted
        ec2.modify_instance_attribute(InstanceId=instance, InstanceType={"Value": "m7i.large"})
        assert ec2.describe_instance_credit_specifications(**credits)["InstanceCreditSpecifications"] == []

    @pytest.mark.parametrize(
        "change,code",
        [
            ({"ImageId": "ami-00000000"}, "InvalidAMIID.NotFound"),
            ({"InstanceType": "Fish"}, "InvalidParameterValue"),
            ({"KeyName": "nobody"}, "InvalidKeyPair.NotFound"),
            ({"SecurityGroupIds": ["sg-00000000"]}, "InvalidGroup.NotFound"),
            ({"SubnetId": "subnet-00000000"}, "InvalidSubnetID.NotFound"),
            ({"MinCount": 3, "MaxCount": 2}, "InvalidParameterValue"),
            ({"InstanceType": "m7i.large", "CreditSpecification": {"CpuCredits": "standard"}}, "InvalidParameterCombination"),
            ({"InstanceType": "trn1.2xlarge", "CreditSpecification": {"CpuCredits": "standard"}}, "InvalidParameterCombination"),
        ],
    )
    def test_what_cannot_run(self, ec2, subnet, change, code):
        with pytest.raises(botocore.exceptions.ClientError) as caught:
            self.run(ec2, subnet, **change)
        assert caught.value.response["Error"]["Code"] == code
        assert ec2.describe_instances()["Reservations"] == []


class TestIpv6:
    @pytest.fixture
    def block(self, simulator, ec2, vpc):
        """A /64 of the VPC's range."""
        ec2.associate_vpc_cidr_block(VpcId=vpc, AmazonProvidedIpv6CidrBlock=True)
        simulator.advance(5)
        [whole] = ec2.describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["Ipv6CidrBlockAssociationSet"]
        return ipaddress.ip_network(whole["Ipv6CidrBlock"].replace("/56", "/64"))

    def run(self, ec2, subnet, **parameters):
        made = ec2.run_instances(ImageId=IMAGE, MinCount=1, MaxCount=1, SubnetId=subnet, **parameters)["Instances"][0]
        return made, [each["Ipv6Address"] for each in made["NetworkInterfaces"][0]["Ipv6Addresses"]]

    def test_addresses(self, ec2, subnet, block):
        refused("InvalidParameterValue", self.run, ec2, subnet, Ipv6AddressCount=1)
        ec2.associate_subnet_cidr_block(SubnetId=subnet, Ipv6CidrBlock=str(block))
        assert self.run(ec2, subnet)[1] == []
        made, addresses = self.run(ec2, subnet, Ipv6AddressCount=2, EnablePrimaryIpv6=True)
        assert len(set(addresses)) == 2 and all(ipaddress.ip_address(each) in block for each in addresses)
        told = made["NetworkInterfaces"][0]["Ipv6Addresses"]
        assert made["Ipv6Address"] == addresses[0] and [each["IsPrimaryIpv6"] for each in told] == [True, False]
        chosen = [{"Ipv6Address": str(block[9])}]
        assert self.run(ec2, subnet, Ipv6Addresses=chosen)[1] == [str(block[9])]
        refused("InvalidParameterCombination", self.run, ec2, subnet, Ipv6Addresses=chosen, Ipv6AddressCount=1)
        refused("InvalidParameterValue", self.run, ec2, subnet, Ipv6Addresses=[{"Ipv6Address": "2001:db8::1"}])
        ec2.modify_subnet_attribute(SubnetId=subnet, AssignIpv6AddressOnCreation={"Value": True})
        assert len(self.run(ec2, subnet)[1]) == 1

    def test_a_range_whose_addresses_are_in_use(self, simulator, ec2, subnet, block):
        made = ec2.associate_subnet_cidr_block(SubnetId=subnet, Ipv6CidrBlock=str(block))["Ipv6CidrBlockAssociation"]
        simulator.advance(5)
        gone = {"AssociationId": made["AssociationId"]}
        instance = self.run(ec2, subnet, Ipv6AddressCount=1)[0]["InstanceId"]
        refused("InvalidCidrBlock.InUse", ec2.disassociate_subnet_cidr_block, **gone)
        ec2.terminate_instances(InstanceIds=[instance])
        simulator.advance(120)
        ec2.disassociate_subnet_cidr_block(**gone)

    def test_in_a_subnet_of_ipv6_alone(self, ec2, vpc, block):
        subnet = ec2.create_subnet(VpcId=vpc, Ipv6CidrBlock=str(block), Ipv6Native=True)["Subnet"]["SubnetId"]
        made, addresses = self.run(ec2, subnet)
        assert len(addresses) == 1 and "PrivateIpAddress" not in made
        assert made["NetworkInterfaces"][0]["PrivateIpAddresses"] == []
        assert ec2.describe_subnets(SubnetIds=[subnet])["Subnets"][0]["AvailableIpAddressCount"] == 0
        refused("InvalidParameterValue", self.run, ec2, subnet, PrivateIpAddress="10.0.0.9")
