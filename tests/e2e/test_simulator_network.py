"""The simulated AWS: VPCs, subnets, routes, security groups and VPN."""

import ipaddress
import xml.etree.ElementTree

import botocore.config
import botocore.exceptions
import pytest

from simulator import ec2, filters, permission, refused, simulator, subnet, tagged, vpc  # noqa: F401


def local_ranges(ec2):
    [table] = ec2.describe_route_tables()["RouteTables"]
    routes = [each for each in table["Routes"] if each["GatewayId"] == "local"]
    return [each.get("DestinationCidrBlock") or each["DestinationIpv6CidrBlock"] for each in routes]


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
        # Which one it is takes a while to be told.
        assert vpc["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlock"] == ""
        simulator.advance(5)
        [whole] = ec2.describe_vpcs(VpcIds=[vpc["VpcId"]])["Vpcs"][0]["Ipv6CidrBlockAssociationSet"]
        block = whole["Ipv6CidrBlock"]
        assert local_ranges(ec2) == ["10.0.0.0/16", block]
        assert block.endswith("/56") and whole["Ipv6CidrBlockState"]["State"] == "associated"
        refused("CidrLimitExceeded", ec2.associate_vpc_cidr_block, VpcId=vpc["VpcId"], AmazonProvidedIpv6CidrBlock=True)
        subnet = ec2.create_subnet(VpcId=vpc["VpcId"], CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
        inner = block.replace("/56", "/64")
        association = ec2.associate_subnet_cidr_block(SubnetId=subnet, Ipv6CidrBlock=inner)["Ipv6CidrBlockAssociation"]
        simulator.advance(5)
        [live] = ec2.describe_subnets()["Subnets"]
        assert live["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlockState"]["State"] == "associated"
        ec2.modify_subnet_attribute(SubnetId=subnet, AssignIpv6AddressOnCreation={"Value": True})
        gone = {"AssociationId": association["AssociationId"]}
        refused("InvalidCidrBlock.InUse", ec2.disassociate_subnet_cidr_block, **gone)
        ec2.modify_subnet_attribute(SubnetId=subnet, AssignIpv6AddressOnCreation={"Value": False})
        refused("InvalidCidrBlock.InUse", ec2.disassociate_vpc_cidr_block, AssociationId=whole["AssociationId"])
        ec2.disassociate_subnet_cidr_block(**gone)
        simulator.advance(5)
        assert ec2.describe_subnets()["Subnets"][0]["Ipv6CidrBlockAssociationSet"] == []
        refused("InvalidSubnetCidrBlockAssociationID.NotFound", ec2.disassociate_subnet_cidr_block, **gone)
        refused(
            "InvalidParameterValue",
            ec2.modify_subnet_attribute,
            SubnetId=subnet,
            AssignIpv6AddressOnCreation={"Value": True},
        )
        ec2.disassociate_vpc_cidr_block(AssociationId=whole["AssociationId"])
        simulator.advance(5)
        [left] = ec2.describe_vpcs(VpcIds=[vpc["VpcId"]])["Vpcs"][0]["Ipv6CidrBlockAssociationSet"]
        assert left["Ipv6CidrBlockState"]["State"] == "disassociated"
        assert local_ranges(ec2) == ["10.0.0.0/16"]
        ec2.associate_vpc_cidr_block(VpcId=vpc["VpcId"], AmazonProvidedIpv6CidrBlock=True)

    @pytest.mark.parametrize(
        "length,number,code",
        [
            (64, 0, "InvalidSubnet.Conflict"),
            (60, 0, "InvalidSubnet.Conflict"),
            (62, 1, "InvalidSubnet.Range"),
            (68, 300, "InvalidSubnet.Range"),
            (64, 256, "InvalidSubnet.Range"),
        ],
    )
    def test_ipv6_ranges_that_it_cannot_have(self, simulator, ec2, length, number, code):
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", AmazonProvidedIpv6CidrBlock=True)["Vpc"]["VpcId"]
        simulator.advance(5)
        [whole] = ec2.describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["Ipv6CidrBlockAssociationSet"]
        first = int(ipaddress.ip_network(whole["Ipv6CidrBlock"])[0])
        ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24", Ipv6CidrBlock=f"{ipaddress.ip_address(first)}/64")
        wanted = f"{ipaddress.ip_address(first + (number << (128 - length)))}/{length}"
        refused(code, ec2.create_subnet, VpcId=vpc, CidrBlock="10.0.1.0/24", Ipv6CidrBlock=wanted)

    def test_ipv6_alone(self, simulator, ec2):
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", AmazonProvidedIpv6CidrBlock=True)["Vpc"]["VpcId"]
        simulator.advance(5)
        [whole] = ec2.describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["Ipv6CidrBlockAssociationSet"]
        given = {"VpcId": vpc, "Ipv6Native": True}
        inner = whole["Ipv6CidrBlock"].replace("/56", "/64")
        refused("InvalidParameterCombination", ec2.create_subnet, **given)
        refused("InvalidParameterCombination", ec2.create_subnet, **given, CidrBlock="10.0.0.0/24", Ipv6CidrBlock=inner)
        made = ec2.create_subnet(**given, Ipv6CidrBlock=inner)["Subnet"]
        assert made["Ipv6Native"] and made["AssignIpv6AddressOnCreation"] and "CidrBlock" not in made
        assert made["PrivateDnsNameOptionsOnLaunch"]["HostnameType"] == "resource-name"
        for attribute in [{"PrivateDnsHostnameTypeOnLaunch": "ip-name"}, {"MapPublicIpOnLaunch": {"Value": True}}]:
            refused("InvalidParameterValue", ec2.modify_subnet_attribute, SubnetId=made["SubnetId"], **attribute)


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

    def test_routes_within_the_vpc(self, ec2, vpc, subnet, gateway, table):
        """What is local is there; all of one subnet may go over an instance, and no other part of the VPC."""
        image = ec2.describe_images()["Images"][0]["ImageId"]
        [made] = ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, InstanceType="t3.micro", SubnetId=subnet)["Instances"]
        [range_of_subnet] = [each["CidrBlock"] for each in ec2.describe_subnets(SubnetIds=[subnet])["Subnets"]]
        for target in ({"GatewayId": gateway}, {"InstanceId": made["InstanceId"]}):
            refused("RouteAlreadyExists", ec2.create_route, RouteTableId=table, DestinationCidrBlock="10.0.0.0/16", **target)
            part = {"RouteTableId": table, "DestinationCidrBlock": "10.0.200.0/24", **target}
            refused("InvalidParameterValue", ec2.create_route, **part)
        whole = {"RouteTableId": table, "DestinationCidrBlock": range_of_subnet}
        refused("InvalidParameterValue", ec2.create_route, GatewayId=gateway, **whole)
        ec2.create_route(InstanceId=made["InstanceId"], **whole)

    def test_routes_over_an_instance(self, simulator, ec2, vpc, subnet, table):
        """By itself where it has one interface, by one of them else; where it is gone the route leads nowhere."""
        launch = {"ImageId": ec2.describe_images()["Images"][0]["ImageId"], "InstanceType": "t3.micro", "MinCount": 1, "MaxCount": 1}
        [single] = ec2.run_instances(SubnetId=subnet, **launch)["Instances"]
        both = [{"DeviceIndex": index, "SubnetId": subnet} for index in (0, 1)]
        [several] = ec2.run_instances(NetworkInterfaces=both, **launch)["Instances"]
        [first, second] = [each["NetworkInterfaceId"] for each in several["NetworkInterfaces"]]
        unknown = {"RouteTableId": table, "DestinationCidrBlock": "192.168.0.0/16", "NetworkInterfaceId": "eni-00000000"}
        refused("InvalidNetworkInterfaceID.NotFound", ec2.create_route, **unknown)
        ambiguous = {"RouteTableId": table, "DestinationCidrBlock": "192.168.0.0/16", "InstanceId": several["InstanceId"]}
        refused("InvalidInstanceID", ec2.create_route, **ambiguous)
        ec2.create_route(RouteTableId=table, DestinationCidrBlock="192.168.0.0/16", InstanceId=single["InstanceId"])
        ec2.create_route(RouteTableId=table, DestinationCidrBlock="192.169.0.0/16", NetworkInterfaceId=second)

        def routes():
            [live] = ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"]
            names = ("InstanceId", "NetworkInterfaceId", "State")
            return {each["DestinationCidrBlock"]: tuple(each.get(name) for name in names) for each in live["Routes"][1:]}

        [only] = [each["NetworkInterfaceId"] for each in single["NetworkInterfaces"]]
        assert routes()["192.168.0.0/16"] == (single["InstanceId"], only, "active")
        assert routes()["192.169.0.0/16"] == (several["InstanceId"], second, "active")
        ec2.replace_route(RouteTableId=table, DestinationCidrBlock="192.169.0.0/16", NetworkInterfaceId=first)
        assert routes()["192.169.0.0/16"] == (several["InstanceId"], first, "active")
        ec2.terminate_instances(InstanceIds=[several["InstanceId"]])
        simulator.advance(60)
        [state] = [each for each in routes().values() if each[1] == first]
        assert state[2] == "blackhole"

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
        gone = ec2.create_route_table(VpcId=vpc, ClientToken="t2")["RouteTable"]["RouteTableId"]
        ec2.delete_route_table(RouteTableId=gone)
        refused("InvalidParameterValue", ec2.create_route_table, VpcId=vpc, ClientToken="t2")
        other = tagged("route-table", a="1")
        refused(
            "IdempotentParameterMismatch", ec2.create_route_table, VpcId=vpc, ClientToken="t1", TagSpecifications=other
        )


class TestSecurityGroups:
    @pytest.fixture
    def group(self, ec2, vpc):
        return ec2.create_security_group(GroupName="web", Description="for the web", VpcId=vpc)["GroupId"]

    def test_names(self, ec2, vpc, group):
        again = {"GroupName": "web", "Description": "again", "VpcId": vpc}
        refused("InvalidGroup.Duplicate", ec2.create_security_group, **again)
        refused("InvalidGroup.Duplicate", ec2.create_security_group, **{**again, "GroupName": "WEB"})
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

    def test_rules_for_prefix_lists(self, ec2, group):
        lists = ["pl-0123456789abcdef0", "pl-0fedcba9876543210"]
        wanted = [permission(443, PrefixListIds=[{"PrefixListId": each, "Description": "of AWS"} for each in lists])]
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=wanted)
        [live] = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"]
        assert live["IpPermissions"][0]["PrefixListIds"] == wanted[0]["PrefixListIds"]
        ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=wanted)
        assert ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]["IpPermissions"] == []
        unknown = [permission(443, PrefixListIds=[{"PrefixListId": "pl-0123456789abcdef1"}])]
        refused("InvalidPrefixListID.NotFound", ec2.authorize_security_group_ingress, GroupId=group, IpPermissions=unknown)

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
            {"TunnelInsideIpv6Cidr": "2001:db8::/126"},
            {"LogOptions": {"CloudWatchLogOptions": {"LogOutputFormat": "xml"}}},
        ],
    )
    def test_tunnels_that_cannot_be(self, ec2, customer, gateway, tunnel):
        with pytest.raises(botocore.exceptions.ClientError, match="InvalidParameterValue"):
            self.connect(ec2, customer, gateway, TunnelOptions=[tunnel])
        assert ec2.describe_vpn_connections()["VpnConnections"] == []

    @pytest.mark.parametrize("versions", [None, ["ikev2"], ["ikev1", "ikev2"]])
    def test_tunnels_that_start_by_version_2(self, ec2, customer, gateway, versions):
        chosen = {"IKEVersions": [{"Value": each} for each in versions]} if versions else {}
        self.connect(ec2, customer, gateway, TunnelOptions=[{"StartupAction": "start", **chosen}])

    @pytest.mark.parametrize(
        "option",
        [{"TunnelBandwidth": "large"}, {"OutsideIpAddressType": "Ipv6"}, {"LocalIpv6NetworkCidr": "::/0"}],
    )
    def test_what_needs_a_transit_gateway(self, ec2, customer, gateway, option):
        refused("InvalidParameterCombination", self.connect, ec2, customer, gateway, **option)
        assert ec2.describe_vpn_connections()["VpnConnections"] == []
