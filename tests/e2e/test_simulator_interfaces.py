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
