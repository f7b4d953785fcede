import base64

from samples import CLEARED, KEPT, REPLACED, Change, Members, Sample, Unset, launch, picked
from samples.interfaces import (
    ALONE,
    CLUSTER,
    LAID,
    NAMED,
    NO_CHOICE6,
    OTHER_GROUPS,
    addresses6,
    described,
    first_of,
    host,
    interface,
    interfaces_of,
)
from trueup_runner import ByName, Ref, found, tags_of

CPU = {
    "cores": ("CoreCount", 1, 1),
    "threads_per_core": ("ThreadsPerCore", 1, 2),
    "nested_virtualization": ("NestedVirtualization", "enabled", "disabled"),
}
PLACEMENT = (launch.PLACEMENT, launch.OTHER_PLACEMENT, launch.HOST_GROUP)
CAPACITY = (launch.CAPACITY, launch.RESERVED, launch.RESERVED_GROUP)

LISTED = {
    "image": "ImageId",
    "instance_type": "InstanceType",
    "subnet": "SubnetId",
    "security_groups": ("SecurityGroups", "GroupId"),
    "key": "KeyName",
    "address": "PrivateIpAddress",
    "zone": "Placement.AvailabilityZone",
    "source_dest_check": "SourceDestCheck",
    "metadata": launch.paths(launch.METADATA, within="MetadataOptions."),
    "ebs_optimized": "EbsOptimized",
    "placement": launch.paths(*PLACEMENT, within="Placement."),
    "amd_sev_snp": "CpuOptions.AmdSevSnp",
    "market": {"type": "InstanceLifecycle"},
    "cpu": launch.paths(CPU, within="CpuOptions."),
    "capacity_reservation": launch.paths(*CAPACITY, within="CapacityReservationSpecification."),
    "hibernation": "HibernationOptions.Configured",
    "enclave": "EnclaveOptions.Enabled",
    "private_dns": launch.paths(launch.DNS, within="PrivateDnsNameOptions."),
    "auto_recovery": "MaintenanceOptions.AutoRecovery",
    "reboot_migration": "MaintenanceOptions.RebootMigration",
    "bandwidth_weighting": "NetworkPerformanceOptions.BandwidthWeighting",
    "licenses": ("Licenses", "LicenseConfigurationArn"),
    "kernel": "KernelId",
    "ramdisk": "RamdiskId",
}


def read(cloud, identity):
    ec2 = cloud.client()
    answer = found(lambda: ec2.describe_instances(InstanceIds=[identity]), "InvalidInstanceID.NotFound")
    if not answer or not answer["Reservations"]:
        return None
    instance = answer["Reservations"][0]["Instances"][0]
    if instance["State"]["Name"] in ("shutting-down", "terminated"):
        return None

    def attribute(name, key):
        return ec2.describe_instance_attribute(InstanceId=identity, Attribute=name).get(key, {}).get("Value")

    told = picked(instance, LISTED)
    data = attribute("userData", "UserData")
    told.update(
        **addresses6(first_of(instance["NetworkInterfaces"])),
        public_ip="PublicIp" in first_of(instance["NetworkInterfaces"]).get("Association", {}),
        interfaces=[described(each) for each in instance["NetworkInterfaces"]],
        user_data=base64.b64decode(data).decode() if data else None,
        instance_profile=instance.get("IamInstanceProfile", {}).get("Arn", "").rsplit("/", 1)[-1] or None,
        block_devices=list(disks(ec2, instance)),
        monitoring=instance["Monitoring"]["State"] in ("enabled", "pending"),
        termination_protection=attribute("disableApiTermination", "DisableApiTermination"),
        stop_protection=attribute("disableApiStop", "DisableApiStop"),
        shutdown_behavior=attribute("instanceInitiatedShutdownBehavior", "InstanceInitiatedShutdownBehavior"),
        running=instance["State"]["Name"] in ("pending", "running"),
        tags=tags_of(instance.get("Tags")),
    )
    told["credits"] = None
    if cloud.name == "simulator":
        credits = ec2.describe_instance_credit_specifications(InstanceIds=[identity])["InstanceCreditSpecifications"]
        told["credits"] = credits[0]["CpuCredits"] if credits else None
    return told


def remove(cloud, identity):
    cloud.client().terminate_instances(InstanceIds=[identity])


def make_profiles(cloud):
    for name in ("worker", "other"):
        cloud.client("iam").create_instance_profile(InstanceProfileName=name)


def disk(size_gib, ends=True):
    return {"device": "/dev/sdf", "size_gib": size_gib, "type": "gp3", "delete_on_termination": ends}


def disks(ec2, instance):
    """The volumes attached to a machine, as far as they are not its image's."""
    for mapping in instance.get("BlockDeviceMappings", []):
        if mapping["DeviceName"] == instance["RootDeviceName"]:
            continue
        [volume] = ec2.describe_volumes(VolumeIds=[mapping["Ebs"]["VolumeId"]])["Volumes"]
        yield {
            "device": mapping["DeviceName"],
            "size_gib": volume["Size"],
            "type": volume["VolumeType"],
            "delete_on_termination": mapping["Ebs"]["DeleteOnTermination"],
        }


def license(last):
    return f"arn:aws:license-manager:eu-central-1:123456789012:license-configuration:lic-0123456789abcdef{last}"


# Made for these tests alone.
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cEJHmzLkzGEpZgKTjEvMpgLRzYlTvbJSk7Zo0LLUd"
SPOT = {"type": "spot", "max_price": "0.10"}
# Types that have what t3.micro has not; in turn they have no credits.
EPYC = {"instance_type": "m6a.large", "credits": None}
NEAR = {"group": "near", "tenancy": "default"}
NESTED = {"instance_type": "m8i.large", "credits": None}
GRAVITON = {"instance_type": "m8g.large", "credits": None, "cpu": None}
OLD = {"instance_type": "m3.medium", "credits": None, "cpu": None, "ebs_optimized": None}


VOLUME = {
    "size_gib": "Size",
    "type": "VolumeType",
    "iops": "Iops",
    "throughput_mib_s": "Throughput",
    "encrypted": "Encrypted",
    "kms_key": "KmsKeyId",
    "snapshot": "SnapshotId",
    "initialization_rate_mib_s": "VolumeInitializationRate",
    "device": "Attachments.0.Device",
    "delete_on_termination": "Attachments.0.DeleteOnTermination",
    "ebs_card": "Attachments.0.EbsCardIndex",
}


def volumes_of(cloud, identity):
    answer = cloud.client().describe_volumes(Filters=[{"Name": "attachment.instance-id", "Values": [identity]}])
    return [picked(each, VOLUME) for each in answer["Volumes"]]


def subnet(number, zone):
    part = f"${{cidr_subnet(aws.vpc.home.ipv6_cidr, 8, {number})}}"
    return {"vpc": Ref("aws.vpc.home"), "cidr": f"10.20.{16 * number}.0/20", "zone": zone, "ipv6_cidr": part}


SAMPLE = Sample(
    kind="aws.instance",
    simulated="instance",
    needs={
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16", "ipv6": True}},
        "aws.subnet": {
            "a": subnet(0, "eu-central-1a"),
            "b": subnet(1, "eu-central-1a"),
            "c": subnet(2, "eu-central-1b"),
        },
        "aws.security_group": {
            "one": {"name": "one", "description": "one", "vpc": Ref("aws.vpc.home")},
            "two": {"name": "two", "description": "two", "vpc": Ref("aws.vpc.home")},
        },
        "aws.key_pair": {
            name: {"name": name, "public_key": PUBLIC_KEY}
            for name in ("ops", "dev")
        },
    },
    values={
        "image": "ami-0123456789abcdef0",
        "instance_type": "t3.micro",
        "subnet": Ref("aws.subnet.a"),
        "security_groups": [Ref("aws.security_group.one")],
        "key": ByName("aws.key_pair.ops"),
        "user_data": "#!/bin/sh\necho one\n",
        "instance_profile": "worker",
        "address": "10.20.0.10",
        "address6_count": 2,
        "primary_ipv6": True,
        "zone": "eu-central-1a",
        "source_dest_check": False,
        "monitoring": True,
        "metadata": {
            "tokens": "required",
            "endpoint": "enabled",
            "hop_limit": 2,
            "ipv6": "disabled",
            "tags": "disabled",
        },
        "termination_protection": False,
        "stop_protection": False,
        "shutdown_behavior": "terminate",
        "block_devices": [disk(10)],
        "credits": "standard",
        "ebs_optimized": True,
        "cpu": {"cores": 1, "threads_per_core": 1},
        "capacity_reservation": {"preference": "none"},
        "hibernation": False,
        "enclave": False,
        "private_dns": {"hostname_type": "ip-name", "a_record": False, "aaaa_record": False},
        "auto_recovery": "disabled",
        "reboot_migration": "disabled",
        "running": True,
        "tags": {"team": "research"},
    },
    in_place={
        "instance_type": Change("t3.small"),
        "security_groups": Change([Ref("aws.security_group.one"), Ref("aws.security_group.two")]),
        "user_data": Change("#!/bin/sh\necho two\n"),
        "public_ip": Change(False, given={"public_ip": True}),
        "addresses6": Change([host(11), host(12)], given={"addresses6": [host(10), host(11)], **NO_CHOICE6}),
        "address6_count": Change(1),
        "primary_ipv6": Change(True, given={"primary_ipv6": False}, one_way=True),
        "instance_profile": Change("other"),
        "source_dest_check": Change(True),
        "monitoring": Change(False),
        "metadata": Change(
            {"tokens": "optional", "endpoint": "disabled", "hop_limit": 1, "ipv6": "enabled", "tags": "enabled"}
        ),
        "termination_protection": Change(True),
        "stop_protection": Change(True),
        "shutdown_behavior": Change("stop"),
        "interfaces": Change(
            [interface(0, "efa", "control"), interface(1, "efa-only", "more data", OTHER_GROUPS)],
            given={**CLUSTER, "interfaces": [interface(0, "efa", "control"), interface(1, "efa-only", "data")]},
        ),
        "block_devices": Change([disk(10, False)]),
        "credits": Change("unlimited"),
        "ebs_optimized": Change(False),
        "placement": Change({**NEAR, "group": "far"}, given={"placement": NEAR}),
        "cpu": Change({"cores": 1, "threads_per_core": 2}),
        "capacity_reservation": Change({"preference": "open"}),
        "enclave": Change(True),
        "private_dns": Change({"hostname_type": "ip-name", "a_record": True, "aaaa_record": False}),
        "auto_recovery": Change("default"),
        "reboot_migration": Change("default"),
        "bandwidth_weighting": Change("ebs-1", given={**GRAVITON, "bandwidth_weighting": "vpc-1"}),
        "running": Change(False),
        "tags": Change({"team": "operations"}),
    },
    replaces={
        "image": Change("ami-0a1b2c3d4e5f60718"),
        "subnet": Change(Ref("aws.subnet.b"), along={"address": "10.20.16.10"}),
        "key": Change(ByName("aws.key_pair.dev")),
        "address": Change("10.20.0.11"),
        "primary_ipv6": Change(False, one_way=True),
        "interfaces": Change(
            [interface(0, "efa", "control"), interface(1, "efa-only", "data", {"delete_on_termination": False})],
            given={**CLUSTER, "interfaces": [interface(0, "efa", "control"), interface(1, "efa-only", "data")]},
        ),
        "zone": Change("eu-central-1b", along={"subnet": Ref("aws.subnet.c"), "address": "10.20.32.10"}),
        "block_devices": Change([disk(20)]),
        "amd_sev_snp": Change("disabled", given={**EPYC, "amd_sev_snp": "enabled"}),
        "market": Change({**SPOT, "max_price": "0.20"}, given={"market": SPOT}),
        "hibernation": Change(True),
        "licenses": Change([license("1")], given={"licenses": [license("0")]}),
        "kernel": Change("aki-11234567", given={**OLD, "kernel": "aki-01234567"}),
        "ramdisk": Change("ari-11234567", given={**OLD, "ramdisk": "ari-01234567"}),
    },
    together=(
        ("metadata", "placement", "cpu", "a reservation", "private names"),
        ("placement by an id", "other cores", "reservations of a group"),
        ("market", "block devices", "an interface"),
        ("another market", "other block devices", "named addresses"),
    ),
    members={
        **launch.objects(becomes=KEPT),
        "placement": launch.object_of("placement", launch.PLACEMENT, becomes=KEPT, without=("tenancy",)),
        "cpu": launch.object_of("cpu", CPU, becomes=KEPT, without=("cores", "threads_per_core"), given=NESTED),
        "other cores": Members(
            "cpu",
            first={"cores": 1, "threads_per_core": 1, "nested_virtualization": "disabled"},
            second={"cores": 2, "threads_per_core": 1, "nested_virtualization": "disabled"},
            # AWS takes both or none.
            unset={"cores": KEPT, "threads_per_core": KEPT},
            given=NESTED,
        ),
        "market": Members(
            "market",
            first=launch.first(launch.SPOT),
            second=launch.second(launch.SPOT),
            unset=launch.all_of(launch.SPOT, becomes=KEPT, without=("max_price",)),
            replaces=True,
        ),
        "another market": Members(
            "market",
            first={"type": "spot", "max_price": "0.10"},
            second={"type": "capacity-block", "max_price": "0.20"},
            unset={"max_price": KEPT},
            replaces=True,
        ),
        "a request of one time": Members("market", first=launch.LASTING, second=launch.PASSING, replaces=True),
        "block devices": Members(
            "block_devices",
            first=[
                {"device": "/dev/sdf", **launch.first(launch.VOLUME)},
                {"device": "/dev/sdg", "virtual_name": "ephemeral0"},
                {"device": "/dev/sdh", "suppressed": True},
            ],
            second=[
                {"device": "/dev/sdf", **launch.second(launch.VOLUME)},
                {"device": "/dev/sdg", "virtual_name": "ephemeral1"},
                {"device": "/dev/sdh", "size_gib": 8},
            ],
            unset={**launch.all_of(launch.VOLUME, becomes=KEPT, within="0."), "1.virtual_name": KEPT},
            keys=("device",),
            replaces=True,
            unreadable=("virtual_name", "suppressed"),
        ),
        "other block devices": Members(
            "block_devices",
            first=launch.VOLUMES,
            second=launch.OTHER_VOLUMES,
            keys=("device",),
            replaces=True,
        ),
        "an interface": Members(
            "interfaces",
            first=[{"device_index": 0, **launch.first(ALONE)}],
            second=[{"device_index": 0, **launch.second(ALONE)}],
            unset=launch.all_of(ALONE, becomes=KEPT, within="0."),
            given=CLUSTER,
            keys=("device_index", "network_card"),
            replaces=True,
            unreadable=("carrier_address",),
        ),
        "named addresses": Members(
            "interfaces",
            first=[{"device_index": 0, **LAID, **launch.first(NAMED)}],
            second=[{"device_index": 0, **LAID, **launch.second(NAMED)}],
            unset=launch.all_of(NAMED, becomes=KEPT, within="0."),
            given=CLUSTER,
            keys=("device_index", "network_card", "address"),
            replaces=True,
        ),
        "other interfaces": Members(
            "interfaces",
            first=[
                {"device_index": 0, "network_card": 0, **LAID},
                {"device_index": 1, "network_card": 1, "type": "efa-only", **LAID},
            ],
            second=[
                {"device_index": 0, "addresses": [{"address": "10.20.0.20", "primary": True}], **LAID},
                {"device_index": 2, "network_card": 2, "type": "efa-only", **LAID},
            ],
            unset={"0.addresses.0.primary": KEPT},
            given=CLUSTER,
            keys=("device_index", "network_card", "address"),
            replaces=True,
        ),
    },
    details={"interfaces": interfaces_of, "block_devices": volumes_of},
    untried_members={
        "interfaces.*.interface": "no kind makes one, and RunInstances of the simulator refuses those that are not there",
        "changed block_devices.*.suppressed": "false is as if nothing were said",
    },
    unset_members={
        "metadata.hop_limit": Unset(KEPT),
        "private_dns.a_record": Unset(KEPT),
        "placement.tenancy": Unset(KEPT, given={"placement": {"group": "near", "tenancy": "dedicated"}}),
        "capacity_reservation.preference": Unset(
            KEPT,
            given={
                "capacity_reservation": {
                    "preference": "capacity-reservations-only",
                    "reservation": "cr-0123456789abcdef0",
                }
            },
        ),
    },
    unset={
        "security_groups": Unset(KEPT),
        "subnet": Unset(KEPT),
        "key": Unset(KEPT),
        "user_data": Unset(CLEARED),
        "instance_profile": Unset(CLEARED),
        "address": Unset(KEPT),
        "addresses6": Unset(KEPT, given={"addresses6": [host(10)], "address6_count": None}),
        "address6_count": Unset(KEPT),
        "primary_ipv6": Unset(KEPT),
        "public_ip": Unset(KEPT, given={"public_ip": True}),
        "interfaces": Unset(KEPT, given={**CLUSTER, "interfaces": [interface(0, "efa", "control")]}),
        "zone": Unset(KEPT),
        "source_dest_check": Unset(True),
        "monitoring": Unset(False),
        "metadata": Unset(KEPT),
        "termination_protection": Unset(False, given={"termination_protection": True}),
        "stop_protection": Unset(False, given={"stop_protection": True}),
        "shutdown_behavior": Unset("stop"),
        "block_devices": Unset(KEPT),
        "credits": Unset(KEPT),
        "ebs_optimized": Unset(KEPT),
        "placement": Unset(KEPT, given={"placement": NEAR}),
        "cpu": Unset(KEPT),
        "amd_sev_snp": Unset(KEPT, given={**EPYC, "amd_sev_snp": "enabled"}),
        "market": Unset(REPLACED, given={"market": SPOT}),
        "capacity_reservation": Unset(KEPT),
        "hibernation": Unset(KEPT),
        "enclave": Unset(KEPT),
        "private_dns": Unset(KEPT),
        "auto_recovery": Unset("default"),
        "reboot_migration": Unset("default"),
        "bandwidth_weighting": Unset("default", given={**GRAVITON, "bandwidth_weighting": "vpc-1"}),
        "licenses": Unset(KEPT, given={"licenses": [license("0")]}),
        "kernel": Unset(KEPT, given={**OLD, "kernel": "aki-01234567"}),
        "ramdisk": Unset(KEPT, given={**OLD, "ramdisk": "ari-01234567"}),
        "running": Unset(KEPT),
        "tags": Unset({}),
    },
    further={
        "a spot instance": {
            "image": "ami-0123456789abcdef0",
            "instance_type": "t3.micro",
            "subnet": Ref("aws.subnet.a"),
            "market": {**SPOT, "spot_type": "one-time", "interruption": "terminate"},
        },
        "a public address in a subnet that gives none": {
            "image": "ami-0123456789abcdef0",
            "instance_type": "t3.micro",
            "subnet": Ref("aws.subnet.a"),
            "security_groups": [Ref("aws.security_group.two")],
            "address": "10.20.0.20",
            "public_ip": True,
        },
        "prefixes for a machine of containers": {
            "image": "ami-0123456789abcdef0",
            "instance_type": "m6i.large",
            "interfaces": [interface(0, "interface", "front", {"prefixes": ["10.20.8.0/28"]})],
        },
        "little said": {
            "image": "ami-0123456789abcdef0",
            "instance_type": "t3.micro",
            "subnet": Ref("aws.subnet.a"),
        },
    },
    unreadable={
        "market": "DescribeInstances tells its type alone",
    },
    not_on_moto={
        "address": "an address stays taken after its instance was terminated",
        "placement": "RunInstances takes the zone and the host of it alone",
        "credits": "DescribeInstanceCreditSpecifications says standard of every instance",
        **dict.fromkeys(
            (
                "addresses6",
                "address6_count",
                "primary_ipv6",
                "cpu",
                "amd_sev_snp",
                "capacity_reservation",
                "enclave",
                "private_dns",
                "auto_recovery",
                "reboot_migration",
                "bandwidth_weighting",
                "licenses",
                "kernel",
                "ramdisk",
            ),
            "RunInstances forgets it",
        ),
        "interfaces": "RunInstances forgets their types, cards, prefixes and ends",
    },
    fixed_on_moto={
        "public_ip": "ModifyNetworkInterfaceAttribute takes it and forgets it",
        "monitoring": "MonitorInstances is missing",
        "shutdown_behavior": "ModifyInstanceAttribute takes it for an empty list of security groups",
        "user_data": "ModifyInstanceAttribute wants it encoded twice",
    },
    moto_lacks={
        "prefixes for a machine of containers": "RunInstances forgets them",
        "change instance_profile": "DescribeInstances goes on to show the profile that was replaced",
    },
    beforehand=make_profiles,
    read=read,
    remove=remove,
)
