#include "tests/simulate/feature.h"

#include <stddef.h>

#include "tests/simulate/oracle.h"

#define TARGETS "arn:aws:elasticloadbalancing:us-west-2:123456789012:targetgroup/"
/* Subnets and instances with IPv6 lie in a VPC that has it. */
#define NETWORK_OF_IPV6                                                                                                \
	{                                                                                                              \
		SPECIES_VPC, "ipv6",                                                                                   \
		{                                                                                                      \
			"true", "true"                                                                                 \
		}                                                                                                      \
	}
#define RANGE_OF_IPV6 "\"${cidr_subnet(aws.vpc.v0.ipv6_cidr, 8, #)}\""

const struct feature_row feature_rows[FEATURE_COUNT] = {
	[FEATURE_RANGES] = {.pieces = {{SPECIES_VPC, "secondary_cidrs", {NULL, "[100.64.0.0/16]"}}},
			    .path = "cidrBlockAssociationSet.*.cidrBlock",
			    .seen = {NULL, "100.64.0.0/16"}},
	[FEATURE_IPV6] = {.pieces = {{SPECIES_VPC, "ipv6", {NULL, "true"}}},
			  .path = "ipv6CidrBlockAssociationSet.*.ipv6Pool",
			  .seen = {NULL, "Amazon"}},
	[FEATURE_DHCP] = {.pieces = {{SPECIES_VPC, "dhcp_options", {"default", "dopt-0d0e0f0a0b0c0d0e0"}}},
			  .path = "dhcpOptionsId",
			  .seen = {"default", "dopt-0d0e0f0a0b0c0d0e0"}},
	/* Back again it takes another network. */
	[FEATURE_TENANCY] = {.pieces = {{SPECIES_VPC, "tenancy", {"dedicated", "default"}}},
			     .path = "instanceTenancy",
			     .seen = {"dedicated", "default"}},
	[FEATURE_PUBLIC_SUBNET] = {.pieces = {{SPECIES_SUBNET, "public", {NULL, "true"}}},
				   .path = "mapPublicIpOnLaunch",
				   .seen = {"false", "true"},
				   .is_public = true},
	[FEATURE_SUBNET_IPV6] = {.pieces = {NETWORK_OF_IPV6, {SPECIES_SUBNET, "ipv6_cidr", {NULL, RANGE_OF_IPV6}}},
				 .path = "ipv6CidrBlockAssociationSet.*.ipv6CidrBlockState.state",
				 .seen = {NULL, "associated"}},
	[FEATURE_EGRESS] = {.pieces = {{SPECIES_GROUP,
					"egress",
					{"[{protocol: tcp, from_port: 443, to_port: 443, cidr: 0.0.0.0/0}]",
					 "[{protocol: tcp, from_port: 80, to_port: 80, cidr: 0.0.0.0/0}]"}}},
			    .type = "security-group-rule",
			    .owner = "groupId",
			    .path = "fromPort",
			    .seen = {"443", "80"}},
	[FEATURE_EGRESS_DESCRIPTION] =
		{.pieces = {{SPECIES_GROUP,
			     "egress",
			     {"[{protocol: all, cidr: 0.0.0.0/0, description: all}]",
			      "[{protocol: all, cidr: 0.0.0.0/0, description: \"${var.start}\"}]"}}},
		 .type = "security-group-rule",
		 .owner = "groupId",
		 .path = "description",
		 .seen = {"all", oracle_start}},
	[FEATURE_CONNECTION_OPTIONS] =
		{.pieces = {{SPECIES_VPN_CONNECTION, "local_cidr", {"192.168.0.0/16", "192.168.0.0/17"}}},
		 .path = "options.localIpv4NetworkCidr",
		 .seen = {"192.168.0.0/16", "192.168.0.0/17"}},
	[FEATURE_TUNNELS] = {.pieces = {{SPECIES_VPN_CONNECTION,
					 "tunnels",
					 {"[{pre_shared_key: \"${var.key}\"}, "
					  "{pre_shared_key: \"${var.key}\", dpd_timeout_s: 50}]",
					  "[{pre_shared_key: \"${var.key}\"}, "
					  "{pre_shared_key: \"${var.key}\", dpd_timeout_s: 60}]"}}},
			     .path = "options.tunnelOptionSet.*.dpdTimeoutSeconds",
			     .seen = {"50", "60"}},
	/* Given back they stay as they are, and before they are the cloud's own: its books may show any. */
	[FEATURE_FIRST_TUNNELS] = {.pieces = {{SPECIES_VPN_CONNECTION,
					       "tunnels",
					       {NULL, "[{pre_shared_key: \"${var.key}\"}, "
						      "{pre_shared_key: \"${var.key}\", dpd_timeout_s: 50}]"}}},
				   .path = "options.tunnelOptionSet.0.preSharedKey"},
	[FEATURE_HOOKS] = {.pieces = {{SPECIES_SCALING_GROUP,
				       "hooks",
				       {NULL,
					"[{name: drain, transition: \"autoscaling:EC2_INSTANCE_TERMINATING\"}]"}}},
			   .type = "lifecycle-hook",
			   .owner = "AutoScalingGroupName",
			   .path = "LifecycleHookName",
			   .seen = {NULL, "drain"}},
	[FEATURE_SUSPENDED] = {.pieces = {{SPECIES_SCALING_GROUP, "suspended", {NULL, "[AZRebalance]"}}},
			       .path = "SuspendedProcesses.0.ProcessName",
			       .seen = {NULL, "AZRebalance"}},
	[FEATURE_METRICS] = {.pieces = {{SPECIES_SCALING_GROUP, "metrics", {NULL, "[GroupMinSize]"}}},
			     .path = "EnabledMetrics.0.Metric",
			     .seen = {NULL, "GroupMinSize"}},
	[FEATURE_TARGET_GROUPS] =
		{.pieces = {{SPECIES_SCALING_GROUP, "target_groups", {NULL, "[\"" TARGETS "web/0123456789abcdef\"]"}}},
		 .path = "TargetGroupARNs.0",
		 .seen = {NULL, TARGETS "web/0123456789abcdef"}},
	[FEATURE_GROUP_TAGS] =
		{.pieces = {{SPECIES_SCALING_GROUP, "tags", {NULL, "[{key: a-team, value: red, propagate: true}]"}}},
		 .path = "Tags.*.Key",
		 .seen = {NULL, "a-team"}},
	[FEATURE_MAINTENANCE] =
		{.pieces = {{SPECIES_SCALING_GROUP, "termination_policies", {"[Default]", "[OldestInstance]"}},
			    {SPECIES_SCALING_GROUP,
			     "maintenance",
			     {NULL, "{min_healthy_percent: 90, max_healthy_percent: 120}"}}},
		 .path = "InstanceMaintenancePolicy.MaxHealthyPercentage",
		 .seen = {NULL, "120"}},
	[FEATURE_PROFILE] = {.pieces = {{SPECIES_INSTANCE, "instance_profile", {NULL, "worker"}}},
			     .path = "iamInstanceProfile.arn",
			     .seen = {NULL, "arn:aws:iam::123456789012:instance-profile/worker"}},
	[FEATURE_OTHER_PROFILE] = {.pieces = {{SPECIES_INSTANCE, "instance_profile", {"worker", "driver"}}},
				   .path = "iamInstanceProfile.arn",
				   .seen = {"arn:aws:iam::123456789012:instance-profile/worker",
					    "arn:aws:iam::123456789012:instance-profile/driver"}},
	[FEATURE_ADDRESSES6] = {.pieces = {NETWORK_OF_IPV6,
					   {SPECIES_SUBNET, "ipv6_cidr", {RANGE_OF_IPV6, RANGE_OF_IPV6}},
					   {SPECIES_INSTANCE, "address6_count", {"1", "3"}}},
				.path = "networkInterfaceSet.0.ipv6AddressesSet.2.isPrimaryIpv6",
				.seen = {NULL, "false"},
				.list = "networkInterfaceSet.0.ipv6AddressesSet",
				.most = 3},
	[FEATURE_DISK_END] = {.pieces = {{SPECIES_INSTANCE,
					  "block_devices",
					  {"[{device: /dev/sdf, size_gib: 8, delete_on_termination: true}]",
					   "[{device: /dev/sdf, size_gib: 8, delete_on_termination: false}]"}}},
			      .path = "blockDeviceMapping.1.ebs.deleteOnTermination",
			      .seen = {"true", "false"}},
	[FEATURE_USER_DATA] = {.pieces = {{SPECIES_INSTANCE, "user_data", {"one", "two"}}}},
	[FEATURE_TYPE] = {.pieces = {{SPECIES_INSTANCE, "running", {"true", "true"}},
				     {SPECIES_INSTANCE, "instance_type", {"t3.micro", "t3.small"}}},
			  .path = "instanceType",
			  .seen = {"t3.micro", "t3.small"}},
	[FEATURE_METADATA] = {.pieces = {{SPECIES_INSTANCE, "metadata", {"{tokens: optional}", "{tokens: required}"}}},
			      .path = "metadataOptions.httpTokens",
			      .seen = {"optional", "required"}},
	[FEATURE_PLACEMENT] = {.pieces = {{SPECIES_INSTANCE, "placement", {"{group: near}", "{group: far}"}}},
			       .path = "placement.groupName",
			       .seen = {"near", "far"}},
	[FEATURE_CPU] = {.pieces = {{SPECIES_INSTANCE,
				     "cpu",
				     {"{cores: 1, threads_per_core: 2}", "{cores: 1, threads_per_core: 1}"}}},
			 .path = "cpuOptions.threadsPerCore",
			 .seen = {"2", "1"}},
	[FEATURE_RECOVERY] = {.pieces = {{SPECIES_INSTANCE, "auto_recovery", {NULL, "disabled"}}},
			      .path = "maintenanceOptions.autoRecovery",
			      .seen = {"default", "disabled"}},
	[FEATURE_WEIGHTING] = {.pieces = {{SPECIES_INSTANCE, "bandwidth_weighting", {NULL, "vpc-1"}}},
			       .path = "networkPerformanceOptions.bandwidthWeighting",
			       .seen = {"default", "vpc-1"}},
	[FEATURE_CAPACITY] =
		{.pieces = {{SPECIES_INSTANCE, "capacity_reservation", {"{preference: open}", "{preference: none}"}}},
		 .path = "capacityReservationSpecification.capacityReservationPreference",
		 .seen = {"open", "none"}},
	[FEATURE_HOST_NAMES] = {.pieces = {{SPECIES_INSTANCE,
					    "private_dns",
					    {"{hostname_type: ip-name}", "{hostname_type: resource-name}"}}},
				.path = "privateDnsNameOptions.hostnameType",
				.seen = {"ip-name", "resource-name"}},
	[FEATURE_CREDITS] = {.pieces = {{SPECIES_INSTANCE, "credits", {"standard", "unlimited"}}}},
	[FEATURE_RUNNING] = {.pieces = {{SPECIES_INSTANCE, "running", {"true", "false"}}},
			     .path = "instanceState.name",
			     .seen = {"running", "stopped"}},
	[FEATURE_PUBLIC_ADDRESS] = {.pieces = {{SPECIES_INSTANCE, "public_ip", {"false", "true"}}},
				    .path = "networkInterfaceSet.0.association.ipOwnerId",
				    .seen = {NULL, "amazon"},
				    .is_blind = true,
				    .is_public = true},
};

const struct feature_piece *feature_subject(enum feature feature)
{
	const struct feature_piece *pieces = feature_rows[feature].pieces;
	const struct feature_piece *subject = NULL;

	for (size_t i = 0; i < FEATURE_PIECES && pieces[i].field; i++)
		subject = &pieces[i];
	return subject;
}
