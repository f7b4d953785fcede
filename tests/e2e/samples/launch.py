"""What a launch template, an instance and a group have in common: where it is read, and values of all its members."""

from samples import Members

# {member: (the path of it in an answer, a value, another one)}
REQUIREMENTS = {
    "vcpus_min": ("VCpuCount.Min", 2, 4),
    "vcpus_max": ("VCpuCount.Max", 8, 16),
    "memory_mib_min": ("MemoryMiB.Min", 4096, 8192),
    "memory_mib_max": ("MemoryMiB.Max", 65536, 131072),
    "memory_gib_per_vcpu_min": ("MemoryGiBPerVCpu.Min", 0.5, 1.25),
    "memory_gib_per_vcpu_max": ("MemoryGiBPerVCpu.Max", 8.0, 7.5),
    "interfaces_min": ("NetworkInterfaceCount.Min", 1, 2),
    "interfaces_max": ("NetworkInterfaceCount.Max", 4, 8),
    "bandwidth_gbit_s_min": ("NetworkBandwidthGbps.Min", 0.5, 1.5),
    "bandwidth_gbit_s_max": ("NetworkBandwidthGbps.Max", 25.0, 12.5),
    "local_storage_gb_min": ("TotalLocalStorageGB.Min", 59.5, 118.0),
    "local_storage_gb_max": ("TotalLocalStorageGB.Max", 475.0, 950.5),
    "ebs_bandwidth_mbit_s_min": ("BaselineEbsBandwidthMbps.Min", 87, 347),
    "ebs_bandwidth_mbit_s_max": ("BaselineEbsBandwidthMbps.Max", 4750, 9500),
    "accelerators_min": ("AcceleratorCount.Min", 1, 2),
    "accelerators_max": ("AcceleratorCount.Max", 4, 8),
    "accelerator_memory_mib_min": ("AcceleratorTotalMemoryMiB.Min", 16384, 24576),
    "accelerator_memory_mib_max": ("AcceleratorTotalMemoryMiB.Max", 98304, 196608),
    "excluded_types": ("ExcludedInstanceTypes", ["t2.*", "m1.small"], ["t2.*"]),
    "cpu_makers": ("CpuManufacturers", ["intel", "amd"], ["amazon-web-services"]),
    "generations": ("InstanceGenerations", ["current"], ["current", "previous"]),
    "local_storage_types": ("LocalStorageTypes", ["ssd"], ["hdd", "ssd"]),
    "accelerator_types": ("AcceleratorTypes", ["gpu"], ["gpu", "fpga"]),
    "accelerator_makers": ("AcceleratorManufacturers", ["nvidia"], ["nvidia", "amd"]),
    "accelerator_names": ("AcceleratorNames", ["t4", "a100"], ["v100"]),
    "bare_metal": ("BareMetal", "excluded", "included"),
    "burstable": ("BurstablePerformance", "included", "excluded"),
    "local_storage": ("LocalStorage", "included", "required"),
    "hibernation": ("RequireHibernateSupport", True, False),
    "spot_price_percent": ("SpotMaxPricePercentageOverLowestPrice", 100, 50),
    "on_demand_price_percent": ("OnDemandMaxPricePercentageOverLowestPrice", 20, 40),
    "reference_families": (("BaselinePerformanceFactors.Cpu.References", "InstanceFamily"), ["m5"], ["c5"]),
    # Only a template has it.
    "encryption_in_transit": ("RequireEncryptionInTransit", True, False),
}
# These take the place of others.
OTHER_REQUIREMENTS = {
    "allowed_types": ("AllowedInstanceTypes", ["m5.*", "c5.large"], ["m5.*"]),
    "spot_price_of_on_demand_percent": ("MaxSpotPriceAsPercentageOfOptimalOnDemandPrice", 80, 60),
}
# Without these a service refuses requirements.
NEEDED = ("vcpus_min", "memory_mib_min")

VOLUME = {
    "size_gib": ("Ebs.VolumeSize", 100, 200),
    "type": ("Ebs.VolumeType", "gp3", "gp3"),
    "iops": ("Ebs.Iops", 4000, 5000),
    "throughput_mib_s": ("Ebs.Throughput", 250, 500),
    "encrypted": ("Ebs.Encrypted", True, True),
    "kms_key": ("Ebs.KmsKeyId", "alias/one", "alias/two"),
    "snapshot": ("Ebs.SnapshotId", "snap-0123456789abcdef0", "snap-0123456789abcdef1"),
    "delete_on_termination": ("Ebs.DeleteOnTermination", True, False),
    "initialization_rate_mib_s": ("Ebs.VolumeInitializationRate", 100, 200),
    "ebs_card": ("Ebs.EbsCardIndex", 0, 1),
}

# Not every type of a volume has each of these, and a key is for what is encrypted.
VOLUMES = [
    {"device": "/dev/sdg", "size_gib": 10, "type": "gp3", "encrypted": True},
    {"device": "/dev/sdh", "size_gib": 10, "delete_on_termination": True},
]
OTHER_VOLUMES = [
    {"device": "/dev/sdg", "size_gib": 10, "type": "io2", "iops": 1000, "encrypted": False},
    {"device": "/dev/sdi", "size_gib": 10},
]

METADATA = {
    "tokens": ("HttpTokens", "required", "optional"),
    "endpoint": ("HttpEndpoint", "enabled", "disabled"),
    "hop_limit": ("HttpPutResponseHopLimit", 2, 1),
    "ipv6": ("HttpProtocolIpv6", "enabled", "disabled"),
    "tags": ("InstanceMetadataTags", "enabled", "disabled"),
}

# One way to say where it is, and others.
PLACEMENT = {
    "group": ("GroupName", "near", "far"),
    "partition": ("PartitionNumber", 1, 2),
    "tenancy": ("Tenancy", "dedicated", "default"),
}
OTHER_PLACEMENT = {
    "group_id": ("GroupId", "pg-0123456789abcdef0", "pg-0123456789abcdef1"),
    "affinity": ("Affinity", "host", "default"),
    "host": ("HostId", "h-0123456789abcdef0", "h-0123456789abcdef1"),
    "tenancy": ("Tenancy", "host", "host"),
}
RESOURCE_GROUP = "arn:aws:resource-groups:eu-central-1:123456789012:group/"
HOST_GROUP = {
    "host_resource_group": ("HostResourceGroupArn", RESOURCE_GROUP + "one", RESOURCE_GROUP + "two"),
    "tenancy": ("Tenancy", "host", "host"),
}

SPOT = {
    "type": ("MarketType", "spot", "spot"),
    "max_price": ("SpotOptions.MaxPrice", "0.10", "0.20"),
    "spot_type": ("SpotOptions.SpotInstanceType", "persistent", "persistent"),
    "valid_until": ("SpotOptions.ValidUntil", "2030-01-31T12:00:00Z", "2031-02-28T13:30:00Z"),
    "interruption": ("SpotOptions.InstanceInterruptionBehavior", "stop", "hibernate"),
}

# Only a persistent request has an end, and only one of one time may terminate what it launched.
LASTING = {"type": "spot", "max_price": "0.10", "spot_type": "persistent", "interruption": "stop"}
PASSING = {"type": "spot", "max_price": "0.20", "spot_type": "one-time", "interruption": "terminate"}

RESERVATION = "CapacityReservationTarget.CapacityReservationId"
RESERVATIONS = "CapacityReservationTarget.CapacityReservationResourceGroupArn"
CAPACITY = {"preference": ("CapacityReservationPreference", "open", "none")}
RESERVED = {"reservation": (RESERVATION, "cr-0123456789abcdef0", "cr-0123456789abcdef1")}
RESERVED_GROUP = {"resource_group": (RESERVATIONS, RESOURCE_GROUP + "one", RESOURCE_GROUP + "two")}

DNS = {
    "hostname_type": ("HostnameType", "resource-name", "ip-name"),
    "a_record": ("EnableResourceNameDnsARecord", True, False),
    "aaaa_record": ("EnableResourceNameDnsAAAARecord", True, False),
}

TIMEOUTS = {
    "tcp_timeout_s": ("ConnectionTrackingSpecification.TcpEstablishedTimeout", 600, 1200),
    "udp_timeout_s": ("ConnectionTrackingSpecification.UdpTimeout", 40, 50),
    "udp_stream_timeout_s": ("ConnectionTrackingSpecification.UdpStreamTimeout", 120, 150),
}
ENA = {
    "ena_express": ("EnaSrdSpecification.EnaSrdEnabled", True, False),
    "ena_express_udp": ("EnaSrdSpecification.EnaSrdUdpSpecification.EnaSrdUdpEnabled", True, False),
    "ena_queues": ("EnaQueueCount", 2, 4),
}


def paths(*tables, within=""):
    """{member: its path}, as picked() takes it."""
    return {
        name: (within + path[0], path[1]) if isinstance(path, tuple) else within + path
        for table in tables
        for name, (path, _, _) in table.items()
    }


def first(*tables, without=()):
    return {name: value for table in tables for name, (_, value, _) in table.items() if name not in without}


def second(*tables, without=()):
    return {name: value for table in tables for name, (_, _, value) in table.items() if name not in without}


def all_of(*tables, becomes, within="", without=()):
    """What takes all these members out."""
    return {within + name: becomes for table in tables for name in table if name not in without}


def object_of(field, *tables, becomes, without=(), given=None, also=None):
    """Members of an object, of which those in `without` are not taken out, as some must stay."""
    return Members(
        field,
        first={**(also or {}), **first(*tables)},
        second={**(also or {}), **second(*tables)},
        unset=all_of(*tables, becomes=becomes, without=without),
        given=given or {},
    )


def objects(becomes):
    """Those that both templates and instances have."""
    only = {"preference": "capacity-reservations-only"}
    rows = {
        "metadata": ("metadata", (METADATA,), ("hop_limit",), None),
        "placement by an id": ("placement", (OTHER_PLACEMENT,), ("tenancy",), None),
        "placement on hosts of a group": ("placement", (HOST_GROUP,), ("tenancy",), None),
        "a reservation": ("capacity_reservation", (RESERVED,), (), only),
        "reservations of a group": ("capacity_reservation", (RESERVED_GROUP,), (), only),
        "private names": ("private_dns", (DNS,), ("a_record",), None),
    }
    return {
        name: object_of(field, *tables, becomes=becomes, without=without, also=also)
        for name, (field, tables, without, also) in rows.items()
    }
