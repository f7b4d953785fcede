from samples import CLEARED, KEPT, Change, Members, Sample, Unset, launch, picked
from trueup_runner import Ref, tags_of

# A template's encryption in transit is none of a group's.
REQUIREMENTS = {name: path for name, path in launch.REQUIREMENTS.items() if name != "encryption_in_transit"}

PATHS = {
    "name": "AutoScalingGroupName",
    "launch_template": "LaunchTemplate.LaunchTemplateId",
    "launch_template_version": "LaunchTemplate.Version",
    "min": "MinSize",
    "max": "MaxSize",
    "desired": "DesiredCapacity",
    "capacity_unit": "DesiredCapacityType",
    "health_check": "HealthCheckType",
    "health_check_grace_s": "HealthCheckGracePeriod",
    "cooldown_s": "DefaultCooldown",
    "warmup_s": "DefaultInstanceWarmup",
    "termination_policies": "TerminationPolicies",
    "scale_in_protection": "NewInstancesProtectedFromScaleIn",
    "capacity_rebalance": "CapacityRebalance",
    "max_instance_lifetime_s": "MaxInstanceLifetime",
    "placement_group": "PlacementGroup",
    "service_linked_role": "ServiceLinkedRoleARN",
    "maintenance": {
        "min_healthy_percent": "InstanceMaintenancePolicy.MinHealthyPercentage",
        "max_healthy_percent": "InstanceMaintenancePolicy.MaxHealthyPercentage",
    },
    "zone_distribution": "AvailabilityZoneDistribution.CapacityDistributionStrategy",
    "zonal_shift": {
        "enabled": "AvailabilityZoneImpairmentPolicy.ZonalShiftEnabled",
        "impaired_health": "AvailabilityZoneImpairmentPolicy.ImpairedZoneHealthCheckBehavior",
    },
    "capacity_reservation": {"preference": "CapacityReservationSpecification.CapacityReservationPreference"},
    "abandoned_instances": "InstanceLifecyclePolicy.RetentionTriggers.TerminateHookAbandon",
    "deletion_protection": "DeletionProtection",
    "target_groups": "TargetGroupARNs",
    "suspended": ("SuspendedProcesses", "ProcessName"),
    "metrics": ("EnabledMetrics", "Metric"),
    "mixed_instances": {
        "launch_template": "MixedInstancesPolicy.LaunchTemplate.LaunchTemplateSpecification.LaunchTemplateId",
        "overrides": (
            "MixedInstancesPolicy.LaunchTemplate.Overrides",
            {
                "instance_type": "InstanceType",
                "weight": "WeightedCapacity",
                "requirements": {
                    "vcpus_min": "InstanceRequirements.VCpuCount.Min",
                    "memory_mib_min": "InstanceRequirements.MemoryMiB.Min",
                },
            },
        ),
        "on_demand_base": "MixedInstancesPolicy.InstancesDistribution.OnDemandBaseCapacity",
        "on_demand_percent": "MixedInstancesPolicy.InstancesDistribution.OnDemandPercentageAboveBaseCapacity",
        "spot_strategy": "MixedInstancesPolicy.InstancesDistribution.SpotAllocationStrategy",
    },
}
# {member: (its path, a value, another one)}
DISTRIBUTION = {
    "on_demand_strategy": ("OnDemandAllocationStrategy", "lowest-price", "prioritized"),
    "on_demand_base": ("OnDemandBaseCapacity", 1, 2),
    "on_demand_percent": ("OnDemandPercentageAboveBaseCapacity", 50, 25),
    "spot_strategy": ("SpotAllocationStrategy", "lowest-price", "lowest-price"),
    "spot_pools": ("SpotInstancePools", 3, 4),
    "spot_max_price": ("SpotMaxPrice", "0.10", "0.20"),
}
# All that is told of these, also what is told unasked.
WHOLE = {
    "mixed_instances": {
        "launch_template": "MixedInstancesPolicy.LaunchTemplate.LaunchTemplateSpecification.LaunchTemplateId",
        "launch_template_version": "MixedInstancesPolicy.LaunchTemplate.LaunchTemplateSpecification.Version",
        "overrides": (
            "MixedInstancesPolicy.LaunchTemplate.Overrides",
            {
                "instance_type": "InstanceType",
                "weight": "WeightedCapacity",
                "image": "ImageId",
                "launch_template": "LaunchTemplateSpecification.LaunchTemplateId",
                "launch_template_version": "LaunchTemplateSpecification.Version",
                "requirements": launch.paths(REQUIREMENTS, launch.OTHER_REQUIREMENTS, within="InstanceRequirements."),
            },
        ),
        **launch.paths(DISTRIBUTION, within="MixedInstancesPolicy.InstancesDistribution."),
    },
    "capacity_reservation": {
        "preference": "CapacityReservationSpecification.CapacityReservationPreference",
        "reservations": "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationIds",
        "resource_groups": "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationResourceGroupArns",
    },
}
HOOK = {
    "name": "LifecycleHookName",
    "transition": "LifecycleTransition",
    "timeout_s": "HeartbeatTimeout",
    "default_result": "DefaultResult",
    "notify": "NotificationTargetARN",
    "role": "RoleARN",
    "metadata": "NotificationMetadata",
}


def read(cloud, identity):
    scaling = cloud.client("autoscaling")
    groups = scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[identity])["AutoScalingGroups"]
    if not groups or groups[0].get("Status") == "Delete in progress":
        return None
    group = groups[0]
    hooks = scaling.describe_lifecycle_hooks(AutoScalingGroupName=identity)["LifecycleHooks"]
    told = picked(group, PATHS)
    # A policy without overrides answers with an empty list of them.
    if told["mixed_instances"] and not told["mixed_instances"].get("overrides"):
        told["mixed_instances"].pop("overrides", None)
    # moto names a queue and a role of its own for every hook.
    members = HOOK if cloud.name == "simulator" else {name: HOOK[name] for name in LAUNCHING}
    told.update(
        subnets=sorted(group["VPCZoneIdentifier"].split(",")),
        hooks=[{name: value for name, value in picked(each, members).items() if value is not None} for each in hooks],
        tags=[
            {"key": each["Key"], "value": each["Value"], "propagate": each["PropagateAtLaunch"]}
            for each in group["Tags"]
            if each["Key"] in tags_of(group["Tags"])
        ],
    )
    return told


def whole(field):
    def detail(cloud, identity):
        scaling = cloud.client("autoscaling")
        [group] = scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[identity])["AutoScalingGroups"]
        return picked(group, {field: WHOLE[field]})[field]

    return detail


def remove(cloud, identity):
    cloud.client("autoscaling").delete_auto_scaling_group(AutoScalingGroupName=identity, ForceDelete=True)
    cloud.wait_for(lambda: read(cloud, identity) is None)


LAUNCHING = {
    "name": "launching",
    "transition": "autoscaling:EC2_INSTANCE_LAUNCHING",
    "timeout_s": 300,
    "default_result": "CONTINUE",
}
TERMINATING = {**LAUNCHING, "name": "terminating", "transition": "autoscaling:EC2_INSTANCE_TERMINATING"}
TELLING = {
    "notify": "arn:aws:sqs:eu-central-1:123456789012:hooks",
    "role": "arn:aws:iam::123456789012:role/hooks",
    "metadata": "rack 7",
}

# One of the two ways to say what is launched takes the other's place.
NO_TEMPLATE = {"launch_template": None, "launch_template_version": None}
MIXED = {
    "launch_template": Ref("aws.launch_template.worker"),
    "overrides": [
        {"instance_type": "t3.small", "weight": "1"},
        {"instance_type": "t3.large", "weight": "2"},
    ],
    "on_demand_base": 1,
    "on_demand_percent": 50,
    "spot_strategy": "price-capacity-optimized",
}
OTHER_MIXED = {
    **MIXED,
    "launch_template": Ref("aws.launch_template.other"),
    "overrides": [{"instance_type": "t3.large", "weight": "3"}],
    "on_demand_percent": 100,
}
# Capacity is counted otherwise than in instances only where types are chosen by what they offer.
BY_REQUIREMENTS = {
    **NO_TEMPLATE,
    "mixed_instances": {
        "launch_template": Ref("aws.launch_template.bare"),
        "overrides": [{"requirements": {"vcpus_min": 2, "memory_mib_min": 4096}}],
        "on_demand_base": 0,
        "on_demand_percent": 100,
        "spot_strategy": "price-capacity-optimized",
    },
}

NEEDED = {name: launch.REQUIREMENTS[name][1] for name in launch.NEEDED}
PLAIN = {"launch_template": Ref("aws.launch_template.worker")}
TYPES = {"instance_type": "t3.small", "weight": "1", "image": "ami-0123456789abcdef0"}
OTHER_TYPES = {"instance_type": "t3.large", "weight": "2", "image": "ami-0a1b2c3d4e5f60718"}
TEMPLATE = {"launch_template": Ref("aws.launch_template.other"), "launch_template_version": "$Default"}
OTHER_TEMPLATE = {"launch_template": Ref("aws.launch_template.worker"), "launch_template_version": "$Latest"}


def mixed(overrides, others, unset):
    return Members(
        "mixed_instances",
        first={**PLAIN, "overrides": overrides},
        second={**PLAIN, "overrides": others},
        unset=unset,
        given=NO_TEMPLATE,
    )


def target_group(name):
    return f"arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/{name}/0123456789abcdef"


def service_role(name):
    return f"arn:aws:iam::123456789012:role/aws-service-role/autoscaling.amazonaws.com/{name}"


SAMPLE = Sample(
    kind="aws.autoscaling_group",
    simulated="auto-scaling-group",
    needs={
        "aws.vpc": {"home": {"cidr": "10.20.0.0/16"}},
        "aws.subnet": {
            "a": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.0.0/20", "zone": "eu-central-1a"},
            "b": {"vpc": Ref("aws.vpc.home"), "cidr": "10.20.16.0/20", "zone": "eu-central-1b"},
        },
        "aws.launch_template": {
            name: {"name": name, "image": "ami-0123456789abcdef0", "instance_type": "t3.micro"}
            for name in ("worker", "other")
        }
        | {"bare": {"name": "bare", "image": "ami-0123456789abcdef0"}},
    },
    values={
        "name": "workers",
        "launch_template": Ref("aws.launch_template.worker"),
        "launch_template_version": "$Default",
        "subnets": [Ref("aws.subnet.a")],
        "min": 0,
        "max": 3,
        "desired": 0,
        "health_check": "EC2",
        "health_check_grace_s": 120,
        "cooldown_s": 60,
        "warmup_s": 90,
        "termination_policies": ["OldestInstance", "Default"],
        "scale_in_protection": True,
        "capacity_rebalance": True,
        "max_instance_lifetime_s": 864000,
        "placement_group": "near",
        "service_linked_role": service_role("AWSServiceRoleForAutoScaling_one"),
        "maintenance": {"min_healthy_percent": 90, "max_healthy_percent": 120},
        "zone_distribution": "balanced-only",
        "zonal_shift": {"enabled": True, "impaired_health": "IgnoreUnhealthy"},
        "capacity_reservation": {"preference": "none"},
        "abandoned_instances": "retain",
        "deletion_protection": "none",
        "target_groups": [target_group("one")],
        "hooks": [LAUNCHING],
        "suspended": ["AZRebalance"],
        "metrics": ["GroupMinSize", "GroupMaxSize"],
        "tags": [
            {"key": "team", "value": "research", "propagate": True},
            {"key": "cost", "value": "7", "propagate": False},
        ],
    },
    in_place={
        "launch_template": Change(Ref("aws.launch_template.other")),
        "launch_template_version": Change("$Latest"),
        "mixed_instances": Change(OTHER_MIXED, given={**NO_TEMPLATE, "mixed_instances": MIXED}),
        "subnets": Change([Ref("aws.subnet.a"), Ref("aws.subnet.b")]),
        "min": Change(1, given={"desired": 1}),
        "max": Change(5),
        "desired": Change(1),
        "capacity_unit": Change("memory-mib", given={**BY_REQUIREMENTS, "capacity_unit": "vcpu"}),
        "health_check": Change("ELB"),
        "health_check_grace_s": Change(240),
        "cooldown_s": Change(30),
        "warmup_s": Change(45),
        "termination_policies": Change(["NewestInstance"]),
        "scale_in_protection": Change(False),
        "capacity_rebalance": Change(False),
        "max_instance_lifetime_s": Change(1728000),
        "placement_group": Change("far"),
        "service_linked_role": Change(service_role("AWSServiceRoleForAutoScaling_two")),
        "maintenance": Change({"min_healthy_percent": 100, "max_healthy_percent": 150}),
        "zone_distribution": Change("balanced-best-effort"),
        "zonal_shift": Change({"enabled": False, "impaired_health": "IgnoreUnhealthy"}),
        "capacity_reservation": Change({"preference": "capacity-reservations-first"}),
        "abandoned_instances": Change("terminate"),
        "deletion_protection": Change("prevent-all-deletion"),
        "target_groups": Change([target_group("two"), target_group("three")]),
        "hooks": Change([{**LAUNCHING, "timeout_s": 600}, TERMINATING]),
        "suspended": Change(["ReplaceUnhealthy"]),
        "metrics": Change(["GroupMinSize", "GroupTotalInstances"]),
        "tags": Change(
            [
                {"key": "team", "value": "operations", "propagate": True},
                {"key": "rack", "value": "7", "propagate": False},
            ]
        ),
    },
    replaces={"name": Change("workers-2")},
    unset={
        "launch_template": Unset(CLEARED, along={"launch_template_version": None, "mixed_instances": MIXED}),
        # It follows the template then, which has one version.
        "launch_template_version": Unset("1"),
        "mixed_instances": Unset(
            CLEARED,
            given={**NO_TEMPLATE, "mixed_instances": MIXED},
            along={"launch_template": Ref("aws.launch_template.worker"), "launch_template_version": "$Default"},
        ),
        "desired": Unset(KEPT),
        "capacity_unit": Unset("units", given={**BY_REQUIREMENTS, "capacity_unit": "vcpu"}),
        "health_check": Unset("EC2", given={"health_check": "ELB"}),
        "health_check_grace_s": Unset(0),
        "cooldown_s": Unset(300),
        "warmup_s": Unset(CLEARED),
        "termination_policies": Unset(["Default"]),
        "scale_in_protection": Unset(False),
        "capacity_rebalance": Unset(False),
        "max_instance_lifetime_s": Unset(CLEARED),
        "placement_group": Unset(CLEARED),
        "service_linked_role": Unset(KEPT),
        "maintenance": Unset(CLEARED),
        "zone_distribution": Unset("balanced-best-effort"),
        "zonal_shift": Unset(KEPT),
        "capacity_reservation": Unset({"preference": "default"}),
        "abandoned_instances": Unset("terminate"),
        "deletion_protection": Unset("none", given={"deletion_protection": "prevent-force-deletion"}),
        "target_groups": Unset([]),
        "hooks": Unset([]),
        "suspended": Unset([]),
        "metrics": Unset([]),
        "tags": Unset([]),
    },
    unset_members={
        "hooks.0.timeout_s": Unset(KEPT),
        "hooks.0.default_result": Unset(KEPT),
        "zonal_shift.impaired_health": Unset(KEPT),
        **{
            f"mixed_instances.{path}": Unset(becomes, given={**NO_TEMPLATE, "mixed_instances": MIXED})
            for path, becomes in {
                "on_demand_base": KEPT,
                "on_demand_percent": KEPT,
                "spot_strategy": KEPT,
                "overrides": CLEARED,
            }.items()
        },
    },
    together=(
        ("overrides by requirements", "maintenance", "zonal shift", "reservations", "hooks"),
        ("overrides by other requirements", "reservations of groups", "another hook", "tags"),
    ),
    members_on_moto=("distribution",),
    members={
        "overrides by requirements": mixed(
            [{"requirements": launch.first(REQUIREMENTS)}],
            [{"requirements": launch.second(REQUIREMENTS)}],
            launch.all_of(REQUIREMENTS, becomes=CLEARED, within="overrides.0.requirements.", without=launch.NEEDED),
        ),
        "overrides by other requirements": mixed(
            [{"requirements": {**NEEDED, **launch.first(launch.OTHER_REQUIREMENTS)}}],
            [{"requirements": {**NEEDED, **launch.second(launch.OTHER_REQUIREMENTS)}}],
            launch.all_of(launch.OTHER_REQUIREMENTS, becomes=CLEARED, within="overrides.0.requirements."),
        ),
        "overrides of types": mixed(
            [TYPES, {**TYPES}],
            [OTHER_TYPES, {**OTHER_TYPES}],
            {
                "overrides.0.image": CLEARED,
                "overrides.1.instance_type": CLEARED,
                # All have one, or none has.
                "overrides.0.weight": CLEARED,
                "overrides.1.weight": CLEARED,
            },
        ),
        "overrides of images": mixed(
            [{"requirements": NEEDED, "image": "ami-0123456789abcdef0"}],
            [{"requirements": NEEDED, "image": "ami-0a1b2c3d4e5f60718"}],
            {"overrides.0.requirements": CLEARED},
        ),
        "overrides with templates": mixed(
            [{"instance_type": "t3.small", **TEMPLATE}, {"instance_type": "t3.micro", **TEMPLATE}],
            [{"instance_type": "t3.small", **OTHER_TEMPLATE}, {"instance_type": "t3.micro", **OTHER_TEMPLATE}],
            {
                "overrides.0.launch_template_version": "1",
                "overrides.1.launch_template": CLEARED,
                "overrides.1.launch_template_version": CLEARED,
            },
        ),
        "distribution": Members(
            "mixed_instances",
            first={**PLAIN, **launch.first(DISTRIBUTION)},
            second={**PLAIN, **launch.second(DISTRIBUTION)},
            unset=launch.all_of(DISTRIBUTION, becomes=KEPT),
            given=NO_TEMPLATE,
        ),
        # Pools are counted with lowest-price alone.
        "another strategy": Members(
            "mixed_instances",
            first={**PLAIN, "spot_strategy": "lowest-price"},
            second={**PLAIN, "spot_strategy": "capacity-optimized"},
            given=NO_TEMPLATE,
        ),
        "template of a policy": Members(
            "mixed_instances",
            first={"launch_template": Ref("aws.launch_template.worker"), "launch_template_version": "$Default"},
            second={"launch_template": Ref("aws.launch_template.worker"), "launch_template_version": "$Latest"},
            unset={"launch_template_version": "1"},
            given=NO_TEMPLATE,
        ),
        "maintenance": Members(
            "maintenance",
            first={"min_healthy_percent": 90, "max_healthy_percent": 120},
            second={"min_healthy_percent": 80, "max_healthy_percent": 110},
        ),
        "zonal shift": Members(
            "zonal_shift",
            first={"enabled": True, "impaired_health": "IgnoreUnhealthy"},
            second={"enabled": False, "impaired_health": "ReplaceUnhealthy"},
            unset={"impaired_health": KEPT},
        ),
        "reservations": Members(
            "capacity_reservation",
            first={"preference": "capacity-reservations-only", "reservations": ["cr-0123456789abcdef0"]},
            second={"preference": "capacity-reservations-first", "reservations": ["cr-0123456789abcdef1"]},
            unset={"reservations": CLEARED},
        ),
        "reservations of groups": Members(
            "capacity_reservation",
            first={"preference": "capacity-reservations-only", "resource_groups": [launch.RESOURCE_GROUP + "one"]},
            second={"preference": "capacity-reservations-only", "resource_groups": [launch.RESOURCE_GROUP + "two"]},
            unset={"resource_groups": CLEARED},
        ),
        "hooks": Members(
            "hooks",
            first=[{**LAUNCHING, **TELLING}],
            second=[
                {
                    "name": "launching",
                    "transition": "autoscaling:EC2_INSTANCE_TERMINATING",
                    "timeout_s": 600,
                    "default_result": "ABANDON",
                    "notify": "arn:aws:sns:eu-central-1:123456789012:hooks",
                    "role": "arn:aws:iam::123456789012:role/others",
                    "metadata": "rack 8",
                }
            ],
            unset={f"0.{name}": KEPT for name in TELLING},
            keys=("name",),
        ),
        "another hook": Members("hooks", first=[LAUNCHING], second=[{**LAUNCHING, "name": "other"}], keys=("name",)),
        "tags": Members(
            "tags",
            first=[{"key": "team", "value": "research", "propagate": True}, {"key": "a", "value": "1", "propagate": True}],
            second=[
                {"key": "team", "value": "operations", "propagate": False},
                {"key": "b", "value": "1", "propagate": True},
            ],
            keys=("key",),
        ),
    },
    details={field: whole(field) for field in WHOLE},
    further={
        "mixed instances": {
            "name": "mixed",
            "mixed_instances": MIXED,
            "subnets": [Ref("aws.subnet.a")],
            "min": 0,
            "max": 4,
        },
        "mixed instances without overrides": {
            "name": "plain",
            "mixed_instances": {name: value for name, value in MIXED.items() if name != "overrides"},
            "subnets": [Ref("aws.subnet.a")],
            "min": 0,
            "max": 4,
        },
        "with instances": {
            "name": "running",
            "launch_template": Ref("aws.launch_template.worker"),
            "subnets": [Ref("aws.subnet.a"), Ref("aws.subnet.b")],
            "min": 2,
            "max": 4,
        },
        "with hooks": {
            "name": "held",
            "launch_template": Ref("aws.launch_template.worker"),
            "subnets": [Ref("aws.subnet.a")],
            "min": 1,
            "max": 1,
            "hooks": [{**LAUNCHING, **TELLING}, {**TERMINATING, **TELLING}],
        },
    },
    not_on_moto={
        "target_groups": "load balancers must be there, which no kind makes",
        **dict.fromkeys(
            (
                "capacity_unit",
                "warmup_s",
                "max_instance_lifetime_s",
                "service_linked_role",
                "maintenance",
                "zone_distribution",
                "zonal_shift",
                "capacity_reservation",
                "abandoned_instances",
                "deletion_protection",
            ),
            "CreateAutoScalingGroup forgets it",
        ),
    },
    fixed_on_moto={
        "metrics": "DisableMetricsCollection is missing",
        **dict.fromkeys(
            ("cooldown_s", "termination_policies", "capacity_rebalance", "placement_group"),
            "UpdateAutoScalingGroup forgets it",
        ),
    },
    later_on_moto={"hooks": "CreateAutoScalingGroup forgets them; PutLifecycleHook takes them"},
    moto_lacks={
        "with hooks": "CreateAutoScalingGroup forgets hooks, and PutLifecycleHook whom they tell",
        **dict.fromkeys(
            ("change mixed_instances", "unset mixed_instances", "unset launch_template"),
            "DescribeAutoScalingGroups shows a template beside the policy that took its place",
        ),
    },
    read=read,
    remove=remove,
)
