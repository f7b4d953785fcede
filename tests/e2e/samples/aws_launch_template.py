import base64

from samples import CLEARED, Alike, Change, Sample, Unset, picked
from trueup_runner import Ref, found, tags_of

DATA = {
    "image": "ImageId",
    "instance_type": "InstanceType",
    "requirements": {
        "vcpus_min": "InstanceRequirements.VCpuCount.Min",
        "vcpus_max": "InstanceRequirements.VCpuCount.Max",
        "memory_mib_min": "InstanceRequirements.MemoryMiB.Min",
        "excluded_types": "InstanceRequirements.ExcludedInstanceTypes",
        "bare_metal": "InstanceRequirements.BareMetal",
    },
    "key": "KeyName",
    "security_groups": "SecurityGroupIds",
    "instance_profile": "IamInstanceProfile.Name",
    "block_devices": (
        "BlockDeviceMappings",
        {
            "device": "DeviceName",
            "size_gib": "Ebs.VolumeSize",
            "type": "Ebs.VolumeType",
            "iops": "Ebs.Iops",
            "encrypted": "Ebs.Encrypted",
            "delete_on_termination": "Ebs.DeleteOnTermination",
        },
    ),
    "interfaces": (
        "NetworkInterfaces",
        {
            "device_index": "DeviceIndex",
            "subnet": "SubnetId",
            "security_groups": "Groups",
            "public_address": "AssociatePublicIpAddress",
            "delete_on_termination": "DeleteOnTermination",
        },
    ),
    "metadata": {
        "tokens": "MetadataOptions.HttpTokens",
        "hop_limit": "MetadataOptions.HttpPutResponseHopLimit",
        "tags": "MetadataOptions.InstanceMetadataTags",
    },
    "monitoring": "Monitoring.Enabled",
    "placement": {"tenancy": "Placement.Tenancy", "zone": "Placement.AvailabilityZone"},
    "market": {
        "type": "InstanceMarketOptions.MarketType",
        "max_price": "InstanceMarketOptions.SpotOptions.MaxPrice",
        "interruption": "InstanceMarketOptions.SpotOptions.InstanceInterruptionBehavior",
    },
    "credits": "CreditSpecification.CpuCredits",
    "ebs_optimized": "EbsOptimized",
    "capacity_reservation": {"preference": "CapacityReservationSpecification.CapacityReservationPreference"},
    "cpu": {"cores": "CpuOptions.CoreCount", "threads_per_core": "CpuOptions.ThreadsPerCore"},
    "hibernation": "HibernationOptions.Configured",
    "enclave": "EnclaveOptions.Enabled",
    "launch_tags": ("TagSpecifications", {"resource": "ResourceType", "tags": "Tags"}),
    "termination_protection": "DisableApiTermination",
    "stop_protection": "DisableApiStop",
    "shutdown_behavior": "InstanceInitiatedShutdownBehavior",
    "private_dns": {
        "hostname_type": "PrivateDnsNameOptions.HostnameType",
        "a_record": "PrivateDnsNameOptions.EnableResourceNameDnsARecord",
    },
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
REQUIREMENTS = {
    "vcpus_min": 2,
    "vcpus_max": 8,
    "memory_mib_min": 4096,
    "excluded_types": ["t2.*"],
    "bare_metal": "excluded",
}
BY_REQUIREMENTS = {"instance_type": None, "requirements": REQUIREMENTS}

SAMPLE = Sample(
    kind="aws.launch_template",
    simulated="launch-template",
    needs={
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
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
    unset_members={"metadata.hop_limit": Unset(CLEARED), "cpu.threads_per_core": Unset(CLEARED)},
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
    alike={
        "block_devices": Alike(
            told=[{"device": "/dev/xvda", "size_gib": 8}],
            written=[{"device": "/dev/xvda", "size_gib": 8, "suppressed": False}],
        ),
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
