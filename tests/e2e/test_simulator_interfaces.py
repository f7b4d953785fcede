"""The simulated AWS: what changes of the network interfaces of an instance that is there."""

import pytest

from simulator import IMAGE, ec2, refused, simulator, subnet, vpc  # noqa: F401


@pytest.fixture
def run(simulator, ec2, subnet):
    """run(...) gives the id of an instance that runs, and shown(id) what is listed of it."""

    def start(*interfaces, **parameters):
        place = {"NetworkInterfaces": list(interfaces)} if interfaces else {"SubnetId": subnet}
        type = {"InstanceType": "m6i.large", **parameters}
        made = ec2.run_instances(ImageId=IMAGE, MinCount=1, MaxCount=1, **place, **type)["Instances"][0]["InstanceId"]
        simulator.advance(30)
        return made

    return start


def shown(ec2, instance):
    return ec2.describe_instances(InstanceIds=[instance])["Reservations"][0]["Instances"][0]


def interface(ec2, instance, number=0):
    return shown(ec2, instance)["NetworkInterfaces"][number]


def test_a_launch_that_is_refused_makes_nothing(simulator, ec2, subnet, run):
    """Not the instance whose further interface has an address that another one has."""
    taken = interface(ec2, run())["PrivateIpAddress"]
    simulator.advance(60)
    further = {"DeviceIndex": 1, "SubnetId": subnet, "PrivateIpAddress": taken}
    interfaces = [{"DeviceIndex": 0, "SubnetId": subnet}, further]
    asked = {"ImageId": IMAGE, "MinCount": 1, "MaxCount": 1, "InstanceType": "m6i.large"}
    refused("InvalidIPAddress.InUse", ec2.run_instances, **asked, NetworkInterfaces=interfaces)
    simulator.advance(60)
    assert sum(len(one["Instances"]) for one in ec2.describe_instances()["Reservations"]) == 1


class TestAttributes:
    def test_a_public_address_comes_and_goes(self, simulator, ec2, run):
        instance = run()
        first = interface(ec2, instance)
        own = {"NetworkInterfaceId": first["NetworkInterfaceId"]}
        assert "PublicIpAddress" not in shown(ec2, instance) and "Association" not in first

        ec2.modify_network_interface_attribute(**own, AssociatePublicIpAddress=True)
        given = shown(ec2, instance)["PublicIpAddress"]
        assert interface(ec2, instance)["Association"]["PublicIp"] == given
        ec2.modify_network_interface_attribute(**own, AssociatePublicIpAddress=True)
        assert shown(ec2, instance)["PublicIpAddress"] == given

        ec2.stop_instances(InstanceIds=[instance])
        simulator.advance(60)
        assert "PublicIpAddress" not in shown(ec2, instance)
        ec2.modify_network_interface_attribute(**own, AssociatePublicIpAddress=False)
        ec2.modify_network_interface_attribute(**own, AssociatePublicIpAddress=True)
        assert "PublicIpAddress" not in shown(ec2, instance)
        ec2.start_instances(InstanceIds=[instance])
        assert shown(ec2, instance)["PublicIpAddress"] != given

        ec2.modify_network_interface_attribute(**own, AssociatePublicIpAddress=False)
        assert "PublicIpAddress" not in shown(ec2, instance) and "Association" not in interface(ec2, instance)

    def test_it_is_of_the_first_interface_alone(self, ec2, subnet, run):
        instance = run({"DeviceIndex": 0, "SubnetId": subnet}, {"DeviceIndex": 1, "SubnetId": subnet})
        further = interface(ec2, instance, 1)["NetworkInterfaceId"]
        ec2.modify_network_interface_attribute(NetworkInterfaceId=further, AssociatePublicIpAddress=True)
        assert "PublicIpAddress" not in shown(ec2, instance)

    def test_one_a_call(self, ec2, vpc, subnet, run):
        instance = run({"DeviceIndex": 0, "SubnetId": subnet}, {"DeviceIndex": 1, "SubnetId": subnet})
        group = ec2.create_security_group(GroupName="web", Description="d", VpcId=vpc)["GroupId"]
        for number in (0, 1):
            own = {"NetworkInterfaceId": interface(ec2, instance, number)["NetworkInterfaceId"]}
            attachment = {"AttachmentId": interface(ec2, instance, number)["Attachment"]["AttachmentId"]}
            ec2.modify_network_interface_attribute(**own, Description={"Value": "front"})
            ec2.modify_network_interface_attribute(**own, SourceDestCheck={"Value": False})
            ec2.modify_network_interface_attribute(**own, Groups=[group])
            ec2.modify_network_interface_attribute(**own, Attachment={**attachment, "DeleteOnTermination": False})
            live = interface(ec2, instance, number)
            assert live["Description"] == "front" and live["SourceDestCheck"] is False
            assert live["Groups"] == [{"GroupId": group, "GroupName": "web"}]
            assert live["Attachment"]["DeleteOnTermination"] is False
        assert shown(ec2, instance)["SecurityGroups"] == [{"GroupId": group, "GroupName": "web"}]
        refused("DependencyViolation", ec2.delete_security_group, GroupId=group)

    @pytest.mark.parametrize(
        "code, change",
        [
            ("MissingParameter", {}),
            ("InvalidParameterCombination", {"Description": {"Value": "a"}, "SourceDestCheck": {"Value": True}}),
            ("InvalidNetworkInterfaceID.NotFound", {"NetworkInterfaceId": "eni-0123456789abcdef0"}),
            ("InvalidNetworkInterfaceID.Malformed", {"NetworkInterfaceId": "i-0123456789abcdef0"}),
            ("InvalidGroup.NotFound", {"Groups": ["sg-00000000"]}),
            ("SecurityGroupsPerInterfaceLimitExceeded", {"Groups": [f"sg-{number:08}" for number in range(17)]}),
            ("MissingParameter", {"Attachment": {"DeleteOnTermination": True}}),
            ("InvalidAttachmentID.NotFound", {"Attachment": {"AttachmentId": "eni-attach-0", "DeleteOnTermination": True}}),
            ("InvalidParameterCombination", {"EnablePrimaryIpv6": True}),
        ],
    )
    def test_refused(self, ec2, run, code, change):
        own = {"NetworkInterfaceId": interface(ec2, run())["NetworkInterfaceId"]}
        if list(change) == ["NetworkInterfaceId"]:
            change = {**change, "AssociatePublicIpAddress": True}
        refused(code, ec2.modify_network_interface_attribute, **{**own, **change})

    def test_groups_of_another_network(self, ec2, run):
        other = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        group = ec2.create_security_group(GroupName="web", Description="d", VpcId=other)["GroupId"]
        own = {"NetworkInterfaceId": interface(ec2, run())["NetworkInterfaceId"]}
        refused("InvalidParameter", ec2.modify_network_interface_attribute, **own, Groups=[group])


class TestAddresses:
    def ids(self, ec2, *instances):
        return [interface(ec2, each)["NetworkInterfaceId"] for each in instances]

    def free(self, ec2, subnet):
        [one] = ec2.describe_subnets(SubnetIds=[subnet])["Subnets"]
        return one["AvailableIpAddressCount"]

    def test_private_ones(self, ec2, subnet, run):
        instance = run()
        [own] = self.ids(ec2, instance)
        before = self.free(ec2, subnet)
        named = ec2.assign_private_ip_addresses(NetworkInterfaceId=own, PrivateIpAddresses=["10.0.1.77"])
        assert named["AssignedPrivateIpAddresses"] == [{"PrivateIpAddress": "10.0.1.77"}]
        more = ec2.assign_private_ip_addresses(NetworkInterfaceId=own, SecondaryPrivateIpAddressCount=2)
        chosen = [each["PrivateIpAddress"] for each in more["AssignedPrivateIpAddresses"]]
        live = interface(ec2, instance)["PrivateIpAddresses"]
        assert [each["PrivateIpAddress"] for each in live[1:]] == ["10.0.1.77", *chosen] and len({*chosen}) == 2
        assert [each["Primary"] for each in live] == [True, False, False, False]
        assert self.free(ec2, subnet) == before - 3
        ec2.unassign_private_ip_addresses(NetworkInterfaceId=own, PrivateIpAddresses=["10.0.1.77", chosen[0]])
        assert [each["PrivateIpAddress"] for each in interface(ec2, instance)["PrivateIpAddresses"][1:]] == chosen[1:]
        assert self.free(ec2, subnet) == before - 1

    def test_one_moves_only_where_that_is_allowed(self, ec2, run):
        one, other = run(), run()
        giver, taker = self.ids(ec2, one, other)
        address = {"PrivateIpAddresses": ["10.0.1.77"]}
        ec2.assign_private_ip_addresses(NetworkInterfaceId=giver, **address)
        message, _ = refused("InvalidParameterValue", ec2.assign_private_ip_addresses, NetworkInterfaceId=taker, **address)
        assert message == f"[10.0.1.77] assigned to [{giver}], but move is not allowed."
        ec2.assign_private_ip_addresses(NetworkInterfaceId=taker, AllowReassignment=True, **address)
        assert len(interface(ec2, one)["PrivateIpAddresses"]) == 1
        assert interface(ec2, other)["PrivateIpAddresses"][1]["PrivateIpAddress"] == "10.0.1.77"

    def test_prefixes(self, ec2, run):
        instance = run()
        [own] = self.ids(ec2, instance)
        ec2.assign_private_ip_addresses(NetworkInterfaceId=own, Ipv4Prefixes=["10.0.1.64/28"])
        more = ec2.assign_private_ip_addresses(NetworkInterfaceId=own, Ipv4PrefixCount=2)
        assert [each["Ipv4Prefix"] for each in more["AssignedIpv4Prefixes"]] == ["10.0.1.224/28", "10.0.1.208/28"]
        ec2.unassign_private_ip_addresses(NetworkInterfaceId=own, Ipv4Prefixes=["10.0.1.224/28"])
        live = [each["Ipv4Prefix"] for each in interface(ec2, instance)["Ipv4Prefixes"]]
        assert live == ["10.0.1.64/28", "10.0.1.208/28"]

    @pytest.fixture
    def range6(self, simulator, ec2, vpc, subnet):
        ec2.associate_vpc_cidr_block(VpcId=vpc, AmazonProvidedIpv6CidrBlock=True)
        simulator.advance(60)
        [own] = ec2.describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["Ipv6CidrBlockAssociationSet"]
        cidr = own["Ipv6CidrBlock"].replace("/56", "/64")
        ec2.associate_subnet_cidr_block(SubnetId=subnet, Ipv6CidrBlock=cidr)
        simulator.advance(60)
        return cidr.removesuffix("/64")

    def test_ipv6_prefixes_from_the_start(self, ec2, subnet, range6, run):
        live = interface(ec2, run({"DeviceIndex": 0, "SubnetId": subnet, "Ipv6PrefixCount": 2}))
        prefixes = {each["Ipv6Prefix"] for each in live["Ipv6Prefixes"]}
        assert len(prefixes) == 2 and all(each.startswith(range6[:-2]) and each.endswith("/80") for each in prefixes)

    def test_what_overlaps_with_what_is_there(self, ec2, subnet, range6, run):
        """A prefix, or an address, of what others have: each by a launch, and by a call of its own."""
        first = self.ids(ec2, run({"DeviceIndex": 0, "SubnetId": subnet, "PrivateIpAddress": "10.0.1.70"}))[0]
        [other] = self.ids(ec2, run({"DeviceIndex": 0, "SubnetId": subnet, "PrivateIpAddress": "10.0.1.9"}))
        prefix6 = f"{range6}/80"
        ec2.assign_private_ip_addresses(NetworkInterfaceId=first, Ipv4Prefixes=["10.0.1.16/28"])
        ec2.assign_ipv6_addresses(NetworkInterfaceId=first, Ipv6Prefixes=[prefix6])
        for name, taken in ("Ipv4Prefix", "10.0.1.16/28"), ("Ipv4Prefix", "10.0.1.64/28"), ("Ipv6Prefix", prefix6):
            launched = {"DeviceIndex": 0, "SubnetId": subnet, name + "es": [{name: taken}]}
            refused("InvalidParameterValue", lambda launched=launched: run(launched))
            assign = ec2.assign_private_ip_addresses if "4" in name else ec2.assign_ipv6_addresses
            refused("InvalidParameterValue", assign, NetworkInterfaceId=other, **{name + "es": [taken]})
        for launched in {"PrivateIpAddress": "10.0.1.20"}, {"Ipv6Addresses": [{"Ipv6Address": f"{range6}9"}]}:
            launched = {"DeviceIndex": 0, "SubnetId": subnet, **launched}
            refused("InvalidIPAddress.InUse", lambda launched=launched: run(launched))
        address = {"PrivateIpAddresses": ["10.0.1.20"], "NetworkInterfaceId": other}
        refused("InvalidParameterValue", ec2.assign_private_ip_addresses, **address)
        refused("InvalidParameterValue", ec2.assign_ipv6_addresses, NetworkInterfaceId=other, Ipv6Addresses=[f"{range6}9"])

    def test_ipv6(self, ec2, range6, run):
        instance = run()
        [own] = self.ids(ec2, instance)
        address = f"{range6}77"
        named = ec2.assign_ipv6_addresses(NetworkInterfaceId=own, Ipv6Addresses=[address])
        assert named["AssignedIpv6Addresses"] == [address] and shown(ec2, instance)["Ipv6Address"] == address
        more = ec2.assign_ipv6_addresses(NetworkInterfaceId=own, Ipv6AddressCount=2)["AssignedIpv6Addresses"]
        prefixes = ec2.assign_ipv6_addresses(NetworkInterfaceId=own, Ipv6PrefixCount=1)["AssignedIpv6Prefixes"]
        live = interface(ec2, instance)
        assert [each["Ipv6Address"] for each in live["Ipv6Addresses"]] == [address, *more] and len(more) == 2
        assert [each["Ipv6Prefix"] for each in live["Ipv6Prefixes"]] == prefixes and prefixes[0].endswith("/80")

        ec2.modify_network_interface_attribute(NetworkInterfaceId=own, EnablePrimaryIpv6=True)
        off = {"NetworkInterfaceId": own, "EnablePrimaryIpv6": False}
        refused("InvalidParameterValue", ec2.modify_network_interface_attribute, **off)
        refused("InvalidParameterValue", ec2.unassign_ipv6_addresses, NetworkInterfaceId=own, Ipv6Addresses=[address])
        gone = ec2.unassign_ipv6_addresses(NetworkInterfaceId=own, Ipv6Addresses=more, Ipv6Prefixes=prefixes)
        assert gone["UnassignedIpv6Addresses"] == more and gone["UnassignedIpv6Prefixes"] == prefixes
        live = interface(ec2, instance)
        assert live["Ipv6Addresses"] == [{"Ipv6Address": address, "IsPrimaryIpv6": True}] and not live["Ipv6Prefixes"]

    @pytest.mark.parametrize(
        "code, what",
        [
            ("MissingParameter", {}),
            ("InvalidParameterCombination", {"PrivateIpAddresses": ["10.0.1.9"], "SecondaryPrivateIpAddressCount": 1}),
            ("InvalidParameterCombination", {"Ipv4Prefixes": ["10.0.1.16/28"], "Ipv4PrefixCount": 1}),
            ("InvalidParameterValue", {"PrivateIpAddresses": ["10.0.2.9"]}),
            ("InvalidParameterValue", {"Ipv4Prefixes": ["10.0.1.0/27"]}),
            ("PrivateIpAddressLimitExceeded", {"SecondaryPrivateIpAddressCount": 10}),
            ("InvalidNetworkInterfaceID.NotFound", {"NetworkInterfaceId": "eni-0123456789abcdef0", "Ipv4PrefixCount": 1}),
        ],
    )
    def test_what_cannot_be_assigned(self, ec2, run, code, what):
        [own] = self.ids(ec2, run())
        refused(code, ec2.assign_private_ip_addresses, **{"NetworkInterfaceId": own, **what})

    def test_what_cannot_be_given_up(self, ec2, run):
        instance = run()
        own = {"NetworkInterfaceId": self.ids(ec2, instance)[0]}
        first = shown(ec2, instance)["PrivateIpAddress"]
        refused("MissingParameter", ec2.unassign_private_ip_addresses, **own)
        refused("InvalidParameterValue", ec2.unassign_private_ip_addresses, **own, PrivateIpAddresses=[first])
        refused("InvalidParameterValue", ec2.unassign_private_ip_addresses, **own, PrivateIpAddresses=["10.0.1.99"])
        refused("InvalidParameterValue", ec2.unassign_ipv6_addresses, **own, Ipv6Addresses=["fd00::1"])
        refused("InvalidParameterValue", ec2.assign_ipv6_addresses, **own, Ipv6AddressCount=1)
