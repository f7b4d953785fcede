"""What people do to a drawn stack behind the program's back, by the services' own calls.

Each act does one thing to something that it draws, and gives what it was; None: there is nothing of the sort.
"""

import random

from botocore.exceptions import ClientError

PORTS = (22, 80, 443, 8080)
DESTINATIONS = ("0.0.0.0/0", "192.168.0.0/16", "172.16.0.0/12", "172.31.0.0/16", "192.0.2.0/24")


class Hands:
    """Of those who act; `done` tells what was, for whoever reads a test that failed."""

    def __init__(self, cloud, seed):
        self.cloud = cloud
        self.random = random.Random(seed)
        self.done = []

    @property
    def ec2(self):
        return self.cloud.client()

    @property
    def scaling(self):
        return self.cloud.client("autoscaling")

    def one(self, listed):
        return self.random.choice(listed) if listed else None

    def act(self, times):
        """So many acts, of those that the service does not refuse."""
        for _ in range(20):
            act = self.random.choice(ACTS)
            try:
                said = act(self)
            except ClientError as error:
                self.done.append(f"{act.__name__} was refused: {error.response['Error']['Code']}")
                continue
            self.cloud.sim("pass", 60)
            if said is not None:
                self.done.append(f"{act.__name__} {said}")
                times -= 1
            if times == 0:
                return

    def instances(self):
        return [
            each
            for one in self.ec2.describe_instances()["Reservations"]
            for each in one["Instances"]
            if each["State"]["Name"] not in ("terminated", "shutting-down")
        ]

    def groups(self):
        return [each for each in self.ec2.describe_security_groups()["SecurityGroups"] if each["GroupName"] != "default"]

    def tables(self):
        return [
            each
            for each in self.ec2.describe_route_tables()["RouteTables"]
            if not any(one.get("Main") for one in each["Associations"])
        ]


def terminate(h):
    thing = h.one(h.instances())
    if thing is None:
        return None
    h.ec2.terminate_instances(InstanceIds=[thing["InstanceId"]])
    return thing["InstanceId"]


def revoke(h):
    side = h.random.choice(["ingress", "egress"])
    key = "IpPermissions" if side == "ingress" else "IpPermissionsEgress"
    group = h.one([each for each in h.groups() if each[key]])
    if group is None:
        return None
    rule = h.one(group[key])
    rule = {name: value for name, value in rule.items() if value}
    getattr(h.ec2, f"revoke_security_group_{side}")(GroupId=group["GroupId"], IpPermissions=[rule])
    return group["GroupId"], side, rule


def authorize(h):
    side = h.random.choice(["ingress", "egress"])
    group, peer = h.one(h.groups()), h.one(h.groups())
    if group is None:
        return None
    port = h.random.choice(PORTS)
    to = {"UserIdGroupPairs": [{"GroupId": peer["GroupId"]}]} if h.random.random() < 0.5 else {"IpRanges": [{"CidrIp": "10.0.0.0/8"}]}
    rule = {"IpProtocol": "tcp", "FromPort": port, "ToPort": port, **to}
    getattr(h.ec2, f"authorize_security_group_{side}")(GroupId=group["GroupId"], IpPermissions=[rule])
    return group["GroupId"], side, rule


def delete_route(h):
    table = h.one(h.tables())
    routes = [each for each in table["Routes"] if each.get("Origin") == "CreateRoute"] if table else []
    route = h.one(routes)
    if route is None:
        return None
    h.ec2.delete_route(RouteTableId=table["RouteTableId"], DestinationCidrBlock=route["DestinationCidrBlock"])
    return table["RouteTableId"], route


def create_route(h):
    table = h.one(h.tables())
    if table is None:
        return None
    targets = [{"GatewayId": each["InternetGatewayId"]} for each in h.ec2.describe_internet_gateways()["InternetGateways"]]
    targets += [{"GatewayId": each["VpnGatewayId"]} for each in h.ec2.describe_vpn_gateways()["VpnGateways"]]
    targets += [{"NetworkInterfaceId": one["NetworkInterfaceId"]} for each in h.instances() for one in each["NetworkInterfaces"]]
    target = h.one(targets)
    if target is None:
        return None
    to = h.random.choice(DESTINATIONS)
    call = h.random.choice([h.ec2.create_route, h.ec2.replace_route])
    call(RouteTableId=table["RouteTableId"], DestinationCidrBlock=to, **target)
    return call.__name__, table["RouteTableId"], to, target


def disassociate(h):
    table = h.one([each for each in h.tables() if each["Associations"]])
    if table is None:
        return None
    one = h.one(table["Associations"])
    h.ec2.disassociate_route_table(AssociationId=one["RouteTableAssociationId"])
    return table["RouteTableId"], one.get("SubnetId")


def associate(h):
    table, subnet = h.one(h.tables()), h.one(h.ec2.describe_subnets()["Subnets"])
    if not table or not subnet:
        return None
    for each in h.tables():
        for one in each["Associations"]:
            if one.get("SubnetId") == subnet["SubnetId"]:
                h.ec2.replace_route_table_association(
                    AssociationId=one["RouteTableAssociationId"], RouteTableId=table["RouteTableId"]
                )
                return "replaced", table["RouteTableId"], subnet["SubnetId"]
    h.ec2.associate_route_table(RouteTableId=table["RouteTableId"], SubnetId=subnet["SubnetId"])
    return table["RouteTableId"], subnet["SubnetId"]


def detach_gateway(h):
    gateway = h.one(h.ec2.describe_internet_gateways()["InternetGateways"])
    if not gateway or not gateway["Attachments"]:
        return None
    vpc = gateway["Attachments"][0]["VpcId"]
    h.ec2.detach_internet_gateway(InternetGatewayId=gateway["InternetGatewayId"], VpcId=vpc)
    return gateway["InternetGatewayId"], vpc


def attach_gateway(h):
    gateway, vpc = h.one(h.ec2.describe_internet_gateways()["InternetGateways"]), h.one(h.ec2.describe_vpcs()["Vpcs"])
    if not gateway or not vpc:
        return None
    h.ec2.attach_internet_gateway(InternetGatewayId=gateway["InternetGatewayId"], VpcId=vpc["VpcId"])
    return gateway["InternetGatewayId"], vpc["VpcId"]


def detach_vpn(h):
    gateway = h.one([each for each in h.ec2.describe_vpn_gateways()["VpnGateways"] if each["State"] == "available"])
    if not gateway or not gateway.get("VpcAttachments"):
        return None
    vpc = gateway["VpcAttachments"][0]["VpcId"]
    h.ec2.detach_vpn_gateway(VpnGatewayId=gateway["VpnGatewayId"], VpcId=vpc)
    return gateway["VpnGatewayId"], vpc


def attach_vpn(h):
    gateway = h.one([each for each in h.ec2.describe_vpn_gateways()["VpnGateways"] if each["State"] == "available"])
    vpc = h.one(h.ec2.describe_vpcs()["Vpcs"])
    if not gateway or not vpc:
        return None
    h.ec2.attach_vpn_gateway(VpnGatewayId=gateway["VpnGatewayId"], VpcId=vpc["VpcId"])
    return gateway["VpnGatewayId"], vpc["VpcId"]


def propagate(h):
    gateway = h.one([each for each in h.ec2.describe_vpn_gateways()["VpnGateways"] if each["State"] == "available"])
    table = h.one(h.tables())
    if not gateway or not table:
        return None
    call = h.random.choice([h.ec2.enable_vgw_route_propagation, h.ec2.disable_vgw_route_propagation])
    call(GatewayId=gateway["VpnGatewayId"], RouteTableId=table["RouteTableId"])
    return call.__name__, gateway["VpnGatewayId"], table["RouteTableId"]


def everything(h):
    return (
        [each["VpcId"] for each in h.ec2.describe_vpcs()["Vpcs"]]
        + [each["SubnetId"] for each in h.ec2.describe_subnets()["Subnets"]]
        + [each["GroupId"] for each in h.groups()]
        + [each["InstanceId"] for each in h.instances()]
        + [each["RouteTableId"] for each in h.tables()]
        + [each["InternetGatewayId"] for each in h.ec2.describe_internet_gateways()["InternetGateways"]]
        + [each["VpnGatewayId"] for each in h.ec2.describe_vpn_gateways()["VpnGateways"]]
        + [each["VpnConnectionId"] for each in h.ec2.describe_vpn_connections()["VpnConnections"]]
        + [each["KeyPairId"] for each in h.ec2.describe_key_pairs()["KeyPairs"]]
    )


def tag(h):
    thing = h.one(everything(h))
    if thing is None:
        return None
    key = h.random.choice("abc")
    h.ec2.create_tags(Resources=[thing], Tags=[{"Key": key, "Value": h.random.choice("123")}])
    return thing, key


def untag(h):
    thing = h.one([each for each in h.ec2.describe_tags()["Tags"] if not each["Key"].startswith("trueup")])
    if thing is None:
        return None
    h.ec2.delete_tags(Resources=[thing["ResourceId"]], Tags=[{"Key": thing["Key"]}])
    return thing["ResourceId"], thing["Key"]


def regroup(h):
    instance = h.one(h.instances())
    groups = [each["GroupId"] for each in h.groups() if instance and each["VpcId"] == instance.get("VpcId")]
    if not groups:
        return None
    interface = h.one(instance["NetworkInterfaces"])
    chosen = h.random.sample(groups, h.random.randint(1, len(groups)))
    h.ec2.modify_network_interface_attribute(NetworkInterfaceId=interface["NetworkInterfaceId"], Groups=chosen)
    return instance["InstanceId"], interface["Attachment"]["DeviceIndex"], chosen


def stop(h):
    instance = h.one(h.instances())
    if not instance:
        return None
    call = h.random.choice([h.ec2.stop_instances, h.ec2.start_instances])
    call(InstanceIds=[instance["InstanceId"]])
    return call.__name__, instance["InstanceId"]


def check(h):
    instance = h.one(h.instances())
    if not instance:
        return None
    interface = h.one(instance["NetworkInterfaces"])
    value = h.random.random() < 0.5
    h.ec2.modify_network_interface_attribute(
        NetworkInterfaceId=interface["NetworkInterfaceId"], SourceDestCheck={"Value": value}
    )
    return instance["InstanceId"], interface["Attachment"]["DeviceIndex"], value


def delete_key(h):
    key = h.one(h.ec2.describe_key_pairs()["KeyPairs"])
    if not key:
        return None
    h.ec2.delete_key_pair(KeyPairId=key["KeyPairId"])
    return key["KeyName"]


def delete_template(h):
    template = h.one(h.ec2.describe_launch_templates()["LaunchTemplates"])
    if not template:
        return None
    h.ec2.delete_launch_template(LaunchTemplateId=template["LaunchTemplateId"])
    return template["LaunchTemplateName"]


def new_version(h):
    template = h.one(h.ec2.describe_launch_templates()["LaunchTemplates"])
    if not template:
        return None
    said = h.ec2.create_launch_template_version(
        LaunchTemplateId=template["LaunchTemplateId"],
        SourceVersion="$Latest",
        LaunchTemplateData={"InstanceType": h.random.choice(["t3.micro", "t3.large"])},
    )["LaunchTemplateVersion"]
    if h.random.random() < 0.5:
        h.ec2.modify_launch_template(LaunchTemplateId=template["LaunchTemplateId"], DefaultVersion=str(said["VersionNumber"]))
    return template["LaunchTemplateName"], said["VersionNumber"]


def rescale(h):
    group = h.one(h.scaling.describe_auto_scaling_groups()["AutoScalingGroups"])
    if not group:
        return None
    size = h.random.randint(0, 2)
    h.scaling.update_auto_scaling_group(
        AutoScalingGroupName=group["AutoScalingGroupName"], MinSize=0, MaxSize=4, DesiredCapacity=size
    )
    return group["AutoScalingGroupName"], size


def delete_scaling(h):
    group = h.one(h.scaling.describe_auto_scaling_groups()["AutoScalingGroups"])
    if not group:
        return None
    h.scaling.delete_auto_scaling_group(AutoScalingGroupName=group["AutoScalingGroupName"], ForceDelete=True)
    return group["AutoScalingGroupName"]


def delete_any(h):
    thing = h.one(everything(h))
    if thing is None:
        return None
    kinds = {
        "vpc": ("delete_vpc", "VpcId"),
        "subnet": ("delete_subnet", "SubnetId"),
        "sg": ("delete_security_group", "GroupId"),
        "rtb": ("delete_route_table", "RouteTableId"),
        "igw": ("delete_internet_gateway", "InternetGatewayId"),
        "vgw": ("delete_vpn_gateway", "VpnGatewayId"),
        "vpn": ("delete_vpn_connection", "VpnConnectionId"),
    }
    prefix = thing.split("-")[0]
    if prefix not in kinds:
        return None
    call, name = kinds[prefix]
    getattr(h.ec2, call)(**{name: thing})
    return thing


def connection_route(h):
    connection = h.one([each for each in h.ec2.describe_vpn_connections()["VpnConnections"] if each["State"] == "available"])
    if not connection:
        return None
    call = h.random.choice([h.ec2.create_vpn_connection_route, h.ec2.delete_vpn_connection_route])
    to = f"192.168.{h.random.randint(0, 3)}.0/24"
    call(VpnConnectionId=connection["VpnConnectionId"], DestinationCidrBlock=to)
    return call.__name__, connection["VpnConnectionId"], to


def dns(h):
    vpc = h.one(h.ec2.describe_vpcs()["Vpcs"])
    if not vpc:
        return None
    value = h.random.random() < 0.5
    h.ec2.modify_vpc_attribute(VpcId=vpc["VpcId"], EnableDnsSupport={"Value": value})
    return vpc["VpcId"], value


def further_range(h):
    vpc = h.one(h.ec2.describe_vpcs()["Vpcs"])
    if not vpc:
        return None
    if h.random.random() < 0.5:
        octet = int(vpc["CidrBlock"].split(".")[1]) + h.random.randint(1, 3)
        h.ec2.associate_vpc_cidr_block(VpcId=vpc["VpcId"], CidrBlock=f"10.{octet}.0.0/16")
        return vpc["VpcId"], octet
    one = h.one(vpc.get("CidrBlockAssociationSet", []) + vpc.get("Ipv6CidrBlockAssociationSet", []))
    h.ec2.disassociate_vpc_cidr_block(AssociationId=one["AssociationId"])
    return vpc["VpcId"], one.get("CidrBlock") or one.get("Ipv6CidrBlock")


def subnet_attribute(h):
    subnet = h.one(h.ec2.describe_subnets()["Subnets"])
    if not subnet:
        return None
    if subnet.get("Ipv6CidrBlockAssociationSet") and h.random.random() < 0.7:
        one = subnet["Ipv6CidrBlockAssociationSet"][0]
        h.ec2.disassociate_subnet_cidr_block(AssociationId=one["AssociationId"])
        return subnet["SubnetId"], "ipv6"
    h.ec2.modify_subnet_attribute(SubnetId=subnet["SubnetId"], MapPublicIpOnLaunch={"Value": h.random.random() < 0.5})
    return subnet["SubnetId"], "public"


def ipv6_address(h):
    instance = h.one(h.instances())
    if not instance:
        return None
    interface = h.one(instance["NetworkInterfaces"])
    h.ec2.assign_ipv6_addresses(NetworkInterfaceId=interface["NetworkInterfaceId"], Ipv6AddressCount=1)
    return instance["InstanceId"], interface["Attachment"]["DeviceIndex"]


ACTS = [
    terminate,
    revoke,
    authorize,
    delete_route,
    create_route,
    disassociate,
    associate,
    detach_gateway,
    attach_gateway,
    detach_vpn,
    attach_vpn,
    propagate,
    tag,
    untag,
    regroup,
    stop,
    check,
    delete_key,
    delete_template,
    new_version,
    rescale,
    delete_scaling,
    delete_any,
    connection_route,
    dns,
    further_range,
    subnet_attribute,
    ipv6_address,
]
