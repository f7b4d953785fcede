import base64

from samples import CLEARED, Alike, Change, Members, Sample, Unset, launch, picked
from trueup_runner import Ref, found, tags_of

# {member: (its path, a value, another one)}: of an interface with addresses that are named,
NAMED = {
    "type": ("InterfaceType", "interface", "efa"),
    "subnet": ("SubnetId", Ref("aws.subnet.a"), Ref("aws.subnet.b")),
    "security_groups": ("Groups", [Ref("aws.security_group.one")], [Ref("aws.security_group.two")]),
    "description": ("Description", "front", "back"),
    "delete_on_termination": ("DeleteOnTermination", True, False),
    "public_address": ("AssociatePublicIpAddress", True, False),
    "carrier_address": ("AssociateCarrierIpAddress", True, False),
    "address": ("PrivateIpAddress", "10.20.0.10", "10.20.16.10"),
    "addresses6": (("Ipv6Addresses", "Ipv6Address"), ["fd00::10", "fd00::11"], ["fd00::12"]),
    "primary_ipv6": ("PrimaryIpv6", True, False),
    "prefixes": (("Ipv4Prefixes", "Ipv4Prefix"), ["10.20.1.0/28"], ["10.20.17.0/28"]),
    "prefixes6": (("Ipv6Prefixes", "Ipv6Prefix"), ["fd00::1:0:0:0/80"], ["fd00::2:0:0:0/80"]),
    **launch.ENA,
    **launch.TIMEOUTS,
}
# of one with addresses that are counted,
COUNTED = {
    "secondary_addresses": ("SecondaryPrivateIpAddressCount", 1, 2),
    "address6_count": ("Ipv6AddressCount", 1, 2),
    "prefix_count": ("Ipv4PrefixCount", 1, 2),
    "prefix6_count": ("Ipv6PrefixCount", 1, 2),
}
# and of one that is there already.
THERE = {"interface": ("NetworkInterfaceId", "eni-0123456789abcdef0", "eni-0123456789abcdef1")}
ZONE = {
    "zone": ("AvailabilityZone", "eu-central-1a", "eu-central-1b"),
    "spread_domain": ("SpreadDomain", "one", "two"),
}
ZONE_ID = {"zone_id": ("AvailabilityZoneId", "euc1-az1", "euc1-az2")}
CPU = {
    "cores": ("CoreCount", 2, 4),
    "threads_per_core": ("ThreadsPerCore", 1, 2),
    "amd_sev_snp": ("AmdSevSnp", "enabled", "disabled"),
    "nested_virtualization": ("NestedVirtualization", "enabled", "disabled"),
}
CAPACITY = (launch.CAPACITY, launch.RESERVED, launch.RESERVED_GROUP)
PLACEMENT = (launch.PLACEMENT, launch.OTHER_PLACEMENT, launch.HOST_GROUP, ZONE, ZONE_ID)

DATA = {
    "image": "ImageId",
    "instance_type": "InstanceType",
    "requirements": launch.paths(launch.REQUIREMENTS, launch.OTHER_REQUIREMENTS, within="InstanceRequirements."),
    "key": "KeyName",
    "security_groups": "SecurityGroupIds",
    "instance_profile": "IamInstanceProfile.Name",
    "block_devices": (
        "BlockDeviceMappings",
        {
            "device": "DeviceName",
            "suppressed": "NoDevice",
            "virtual_name": "VirtualName",
            **launch.paths(launch.VOLUME),
        },
    ),
    "interfaces": (
        "NetworkInterfaces",
        {
            "device_index": "DeviceIndex",
            "network_card": "NetworkCardIndex",
            "addresses": ("PrivateIpAddresses", {"address": "PrivateIpAddress", "primary": "Primary"}),
            **launch.paths(NAMED, COUNTED, THERE),
        },
    ),
    "metadata": launch.paths(launch.METADATA, within="MetadataOptions."),
    "monitoring": "Monitoring.Enabled",
    "placement": launch.paths(*PLACEMENT, within="Placement."),
    "market": launch.paths(launch.SPOT, within="InstanceMarketOptions."),
    "credits": "CreditSpecification.CpuCredits",
    "ebs_optimized": "EbsOptimized",
    "capacity_reservation": launch.paths(*CAPACITY, within="CapacityReservationSpecification."),
    "cpu": launch.paths(CPU, within="CpuOptions."),
    "hibernation": "HibernationOptions.Configured",
    "enclave": "EnclaveOptions.Enabled",
    "launch_tags": ("TagSpecifications", {"resource": "ResourceType", "tags": "Tags"}),
    "termination_protection": "DisableApiTermination",
    "stop_protection": "DisableApiStop",
    "shutdown_behavior": "InstanceInitiatedShutdownBehavior",
    "private_dns": launch.paths(launch.DNS, within="PrivateDnsNameOptions."),
    "licenses": ("LicenseSpecifications", "LicenseConfigurationArn"),
    "auto_recovery": "MaintenanceOptions.AutoRecovery",
    "bandwidth_weighting": "NetworkPerformanceOptions.BandwidthWeighting",
    "kernel": "KernelId",
    "ramdisk": "RamDiskId",
}


def read(cloud, identity):
    ec2 = cloud.client()
    gone = ("InvalidLaunchTemplateId.NotFound", "InvalidLaunchTemplateId.NotFoundException")
    answer = found(lambda: ec2.describe_launch_templates(LaunchTemplateIds=[identity]), *gone)
    if not answer or not answer["LaunchTemplates"]:
        return None
    template = answer["LaunchTemplates"][0]
    # What counts is what instances are launched from.
    assert template["DefaultVersionNumber"] == template["LatestVersionNumber"]
    versions = ec2.describe_launch_template_versions(LaunchTemplateId=identity, Versions=["$Latest"])
    version = versions["LaunchTemplateVersions"][0]
    data = version["LaunchTemplateData"]
    told = picked(data, DATA)
    told.update(
        name=template["LaunchTemplateName"],
        description=version.get("VersionDescription"),
        user_data=base64.b64decode(data["UserData"]).decode() if data.get("UserData") else None,
        tags=tags_of(template.get("Tags")),
    )
    for each in told["block_devices"] or []:
        # What a device is left out by says nothing itself.
        each.update({"suppressed": True} if "suppressed" in each else {})
    if told["market"] and "valid_until" in told["market"]:
        told["market"]["valid_until"] = f"{told['market']['valid_until']:%Y-%m-%dT%H:%M:%SZ}"
    if told["launch_tags"]:
        # moto shows the template's own tags here as well.
        told["launch_tags"] = [
            {**each, "tags": tags_of(each["tags"])} for each in told["launch_tags"] if each["resource"] != "launch-template"
        ] or None
    return told


def cleared(*names):
    return {name: Unset(CLEARED) for name in names}


# An interface says itself which groups it is in, and what a type must offer stands in its place.
INTERFACE = {
    "device_index": 0,
    "security_groups": [Ref("aws.security_group.one")],
    "public_address": False,
    "delete_on_termination": True,
}
BY_INTERFACE = {"security_groups": None, "interfaces": [INTERFACE]}
RESERVED = {"preference": "capacity-reservations-only", "reservation": "cr-0123456789abcdef0"}
REQUIREMENTS = {
    "vcpus_min": 2,
    "vcpus_max": 8,
    "memory_mib_min": 4096,
    "excluded_types": ["t2.*"],
    "bare_metal": "excluded",
}
BY_REQUIREMENTS = {"instance_type": None, "requirements": REQUIREMENTS}

# Their IPv6 ranges are others' business: a template names addresses in them, and is no instance yet.
OF_OTHERS = {"vpc": Ref("aws.vpc.home"), "lifecycle": {"ignore": ["ipv6_cidr"]}}

SAMPLE = Sample(
    kind="aws.launch_template",
    simulated="launch-template",
    needs={
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
        "aws.subnet": {
            "a": {**OF_OTHERS, "cidr": "10.20.0.0/20"},
            "b": {**OF_OTHERS, "cidr": "10.20.16.0/20"},
        },
        "aws.security_group": {
            "one": {"name": "one", "description": "one", "vpc": Ref("aws.vpc.home")},
            "two": {"name": "two", "description": "two", "vpc": Ref("aws.vpc.home")},
        },
    },
    values={
        "name": "worker",
        "description": "first",
        "image": "ami-0123456789abcdef0",
        "instance_type": "t3.micro",
        "key": "somebody",
        "security_groups": [Ref("aws.security_group.one")],
        "user_data": "#!/bin/sh\necho one\n",
        "instance_profile": "worker",
        "block_devices": [
            {"device": "/dev/xvda", "size_gib": 20, "type": "gp3", "encrypted": True, "delete_on_termination": True}
        ],
        "metadata": {"tokens": "required", "hop_limit": 2},
        "monitoring": True,
        "placement": {"tenancy": "dedicated"},
        "market": {"type": "spot", "max_price": "0.10", "interruption": "terminate"},
        "credits": "standard",
        "ebs_optimized": True,
        "capacity_reservation": {"preference": "open"},
        "cpu": {"cores": 1, "threads_per_core": 1},
        "hibernation": False,
        "enclave": False,
        "launch_tags": [{"resource": "instance", "tags": {"role": "worker"}}],
        "termination_protection": True,
        "stop_protection": True,
        "shutdown_behavior": "terminate",
        "private_dns": {"hostname_type": "resource-name", "a_record": True},
        "licenses": ["arn:aws:license-manager:eu-central-1:123456789012:license-configuration:lic-0123456789abcdef0"],
        "auto_recovery": "disabled",
        "bandwidth_weighting": "vpc-1",
        "kernel": "aki-01234567",
        "ramdisk": "ari-01234567",
        "tags": {"team": "research"},
    },
    in_place={
        "description": Change("second"),
        "image": Change("ami-0123456789abcdef1"),
        "instance_type": Change("t3.small"),
        "key": Change("somebody-else"),
        "security_groups": Change([Ref("aws.security_group.one"), Ref("aws.security_group.two")]),
        "user_data": Change("#!/bin/sh\necho two\n"),
        "instance_profile": Change("other"),
        "block_devices": Change(
            [
                {"device": "/dev/xvda", "size_gib": 30, "type": "gp3", "encrypted": True, "delete_on_termination": True},
                {"device": "/dev/sdf", "size_gib": 100, "type": "io2", "iops": 1000},
            ]
        ),
        "metadata": Change({"tokens": "optional", "hop_limit": 1, "tags": "enabled"}),
        "monitoring": Change(False),
        "placement": Change({"tenancy": "default", "zone": "eu-central-1a"}),
        "market": Change({"type": "spot", "max_price": "0.20", "interruption": "terminate"}),
        "credits": Change("unlimited"),
        "ebs_optimized": Change(False),
        "capacity_reservation": Change({"preference": "none"}),
        "cpu": Change({"cores": 1, "threads_per_core": 2}),
        "hibernation": Change(True),
        "enclave": Change(True),
        "launch_tags": Change(
            [
                {"resource": "instance", "tags": {"role": "server"}},
                {"resource": "volume", "tags": {"role": "worker", "disk": "1"}},
            ]
        ),
        "termination_protection": Change(False),
        "stop_protection": Change(False),
        "shutdown_behavior": Change("stop"),
        "private_dns": Change({"hostname_type": "ip-name", "a_record": False}),
        "licenses": Change(
            ["arn:aws:license-manager:eu-central-1:123456789012:license-configuration:lic-0123456789abcdef1"]
        ),
        "auto_recovery": Change("default"),
        "bandwidth_weighting": Change("ebs-1"),
        "kernel": Change("aki-11234567"),
        "ramdisk": Change("ari-11234567"),
        "interfaces": Change(
            [{**INTERFACE, "public_address": True, "security_groups": [Ref("aws.security_group.two")]}], given=BY_INTERFACE
        ),
        "requirements": Change({**REQUIREMENTS, "vcpus_max": 16, "bare_metal": "included"}, given=BY_REQUIREMENTS),
        "tags": Change({"team": "operations"}),
    },
    replaces={"name": Change("worker-2")},
    unset_members={
        "metadata.hop_limit": Unset(CLEARED),
        "private_dns.a_record": Unset(CLEARED),
        "placement.tenancy": Unset(CLEARED, given={"placement": {"group": "near", "tenancy": "dedicated"}}),
        "market.max_price": Unset(CLEARED),
        "cpu.amd_sev_snp": Unset(
            CLEARED, given={"cpu": {"cores": 1, "threads_per_core": 1, "amd_sev_snp": "disabled"}}
        ),
        "capacity_reservation.preference": Unset(CLEARED, given={"capacity_reservation": RESERVED}),
    },
    together=(
        (
            "requirements",
            "block devices",
            "interfaces",
            "metadata",
            "placement",
            "cpu",
            "private names",
            "launch tags",
            "a reservation",
        ),
        ("market", "other requirements", "other block devices", "named addresses", "placement by an id"),
        ("another market", "other interfaces", "placement on hosts of a group", "reservations of a group"),
    ),
    members_on_moto=("requirements",),
    members={
        "requirements": launch.object_of(
            "requirements", launch.REQUIREMENTS, becomes=CLEARED, without=launch.NEEDED, given={"instance_type": None}
        ),
        "other requirements": launch.object_of(
            "requirements",
            launch.OTHER_REQUIREMENTS,
            becomes=CLEARED,
            also={"vcpus_min": 2, "memory_mib_min": 4096},
            given={"instance_type": None},
        ),
        "block devices": Members(
            "block_devices",
            first=[
                {"device": "/dev/xvda", **launch.first(launch.VOLUME)},
                {"device": "/dev/xvdb", "virtual_name": "ephemeral0"},
                {"device": "/dev/xvdc", "suppressed": True},
            ],
            second=[
                {"device": "/dev/xvda", **launch.second(launch.VOLUME)},
                {"device": "/dev/xvdb", "virtual_name": "ephemeral1"},
                {"device": "/dev/xvdc", "size_gib": 8},
            ],
            unset={
                **launch.all_of(launch.VOLUME, becomes=CLEARED, within="0.", without=("size_gib",)),
                "1.virtual_name": CLEARED,
                "2.size_gib": CLEARED,
            },
            keys=("device",),
        ),
        "other block devices": Members(
            "block_devices",
            first=launch.VOLUMES,
            second=launch.OTHER_VOLUMES,
            keys=("device",),
        ),
        "interfaces": Members(
            "interfaces",
            first=[
                {"device_index": 0, **launch.first(NAMED)},
                {"device_index": 1, **launch.first(COUNTED)},
                {"device_index": 2, **launch.first(THERE)},
            ],
            second=[
                {"device_index": 0, **launch.second(NAMED)},
                {"device_index": 1, **launch.second(COUNTED)},
                {"device_index": 2, **launch.second(THERE)},
            ],
            unset={
                **launch.all_of(NAMED, becomes=CLEARED, within="0."),
                **launch.all_of(COUNTED, becomes=CLEARED, within="1."),
                **launch.all_of(THERE, becomes=CLEARED, within="2."),
            },
            given={"security_groups": None},
            keys=("device_index", "network_card"),
        ),
        "named addresses": Members(
            "interfaces",
            first=[
                {
                    "device_index": 0,
                    "addresses": [{"address": "10.20.0.20", "primary": True}, {"address": "10.20.0.21", "primary": False}],
                }
            ],
            second=[
                {
                    "device_index": 0,
                    "addresses": [{"address": "10.20.0.20", "primary": False}, {"address": "10.20.0.22", "primary": True}],
                }
            ],
            unset={"0.addresses": CLEARED},
            given={"security_groups": None},
            keys=("device_index", "network_card", "address"),
        ),
        "other interfaces": Members(
            "interfaces",
            first=[
                {"device_index": 0, "network_card": 0, "addresses": [{"address": "10.20.0.20", "primary": True}]},
                {"device_index": 1, "network_card": 1},
            ],
            second=[
                {"device_index": 0, "network_card": 1, "addresses": [{"address": "10.20.0.20"}]},
                {"device_index": 2},
            ],
            given={"security_groups": None},
            keys=("device_index", "network_card", "address"),
        ),
        **launch.objects(becomes=CLEARED),
        "placement": launch.object_of("placement", launch.PLACEMENT, ZONE, ZONE_ID, becomes=CLEARED, without=("tenancy",)),
        "market": launch.object_of("market", launch.SPOT, becomes=CLEARED, without=("max_price",)),
        "a request of one time": Members("market", first=launch.LASTING, second=launch.PASSING),
        "another market": Members("market", first={"type": "spot"}, second={"type": "capacity-block"}),
        "cpu": launch.object_of("cpu", CPU, becomes=CLEARED, without=("amd_sev_snp",)),
        "launch tags": Members(
            "launch_tags",
            first=[{"resource": "instance", "tags": {"role": "worker"}}],
            second=[{"resource": "network-interface", "tags": {"role": "worker"}}],
            keys=("resource",),
        ),
    },
    alike={
        "block_devices": Alike(
            told=[{"device": "/dev/xvda", "size_gib": 8}],
            written=[{"device": "/dev/xvda", "size_gib": 8, "suppressed": False}],
        ),
    },
    untried_members={
        "changed block_devices.*.suppressed": "false is as if nothing were said",
    },
    unset={
        **cleared(
            "description",
            "image",
            "instance_type",
            "key",
            "security_groups",
            "user_data",
            "instance_profile",
            "block_devices",
            "metadata",
            "monitoring",
            "placement",
            "market",
            "credits",
            "ebs_optimized",
            "capacity_reservation",
            "cpu",
            "hibernation",
            "enclave",
            "launch_tags",
            "termination_protection",
            "stop_protection",
            "shutdown_behavior",
            "private_dns",
            "licenses",
            "auto_recovery",
            "bandwidth_weighting",
            "kernel",
            "ramdisk",
        ),
        "interfaces": Unset(CLEARED, given=BY_INTERFACE),
        "requirements": Unset(CLEARED, given=BY_REQUIREMENTS),
        "tags": Unset({}),
    },
    further={
        "interfaces and requirements": {
            "name": "worker",
            "image": "ami-0123456789abcdef0",
            "requirements": REQUIREMENTS,
            "interfaces": [INTERFACE],
        }
    },
    on_moto=(
        "name",
        "description",
        "image",
        "security_groups",
        "user_data",
        "instance_profile",
        "block_devices",
        "metadata",
        "launch_tags",
    ),
    fixed_on_moto={"tags": "DescribeLaunchTemplates shows the first tags whatever CreateTags says"},
    read=read,
    remove=lambda cloud, identity: cloud.client().delete_launch_template(LaunchTemplateId=identity),
)
