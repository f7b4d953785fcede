#include "providers/aws/kinds/instance_details.h"
#include "providers/aws/kinds/instance_devices.h"
#include "providers/aws/kinds/instance_network.h"
#include "providers/aws/kinds/instance_profile.h"
#include "providers/aws/kinds/instance_rules.h"
#include "providers/aws/kinds/instance_spot.h"
#include "providers/aws/kinds/kinds.h"
#include "providers/aws/kinds/launch_fields.h"
#include "providers/aws/parameters.h"

/*
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
 *
 * Most of it changes in place, some only while the instance is stopped: then it is stopped, changed
 * and started again. A terminated instance stays listed for an hour and counts as gone.
 */

static const char *const young[] = {"InvalidInstanceID.NotFound",
				    "InvalidSubnetID.NotFound",
				    "InvalidGroup.NotFound",
				    "InvalidKeyPair.NotFound",
				    "InvalidParameterValue.IamInstanceProfile",
				    NULL};
static const char *const unsettled[] = {"InvalidInstanceID.NotFound", "IncorrectInstanceState", NULL};

#define INSTANCE_CALL(name, single)                                                                                    \
	{                                                                                                              \
		.operation = (name), .id = "InstanceId", .recipe = RECIPE_CONVERGE, .settling = unsettled,             \
		.one_field = (single)                                                                                  \
	}

/* One attribute a call (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_ModifyInstanceAttribute.html). */
static const struct aws_call modify = INSTANCE_CALL("ModifyInstanceAttribute", true);
static const struct aws_call modify_metadata = INSTANCE_CALL("ModifyInstanceMetadataOptions", false);
static const struct aws_call modify_placement = INSTANCE_CALL("ModifyInstancePlacement", false);
static const struct aws_call modify_cpu = INSTANCE_CALL("ModifyInstanceCpuOptions", false);
static const struct aws_call modify_maintenance = INSTANCE_CALL("ModifyInstanceMaintenanceOptions", false);
static const struct aws_call modify_network = INSTANCE_CALL("ModifyInstanceNetworkPerformanceOptions", false);
static const struct aws_call modify_capacity = INSTANCE_CALL("ModifyInstanceCapacityReservationAttributes", false);
static const struct aws_call modify_dns = INSTANCE_CALL("ModifyPrivateDnsNameOptions", false);
static const struct aws_call modify_credits = {
	.operation = "ModifyInstanceCreditSpecification",
	.id = "InstanceCreditSpecifications.0.InstanceId",
	.recipe = RECIPE_CONVERGE,
	.settling = unsettled,
	.failures = "UnsuccessfulInstanceCreditSpecifications",
};
#define INSTANCES_CALL(name)                                                                                           \
	.operation = (name), .id = "InstanceIds.0", .recipe = RECIPE_CONVERGE, .settling = unsettled
static const struct aws_call monitor = {INSTANCES_CALL("MonitorInstances")};
static const struct aws_call unmonitor = {INSTANCES_CALL("UnmonitorInstances")};
static const struct aws_call start = {INSTANCES_CALL("StartInstances"), .waits = true};
static const char *const stop_protected[] = {
	"OperationNotPermitted", "stop protection is on: set 'stop_protection: false' with the change, or before it",
	NULL};
static const struct aws_call stop = {INSTANCES_CALL("StopInstances"), .waits = true, .hints = stop_protected};
static const struct aws_pause pause = {
	.stop = {INSTANCES_CALL("StopInstances"), .hints = stop_protected},
	.start = {INSTANCES_CALL("StartInstances")},
};

/* The update call takes bytes and encodes them itself. */
static struct value encode_plain(const struct aws_field *field, const struct value *value, struct arena *arena)
{
	(void)field;
	(void)arena;
	return *value;
}

static const struct aws_field metadata_fields[] = {METADATA_FIELDS(UNSET_RELEASE)};
static const struct aws_field placement_fields[] = {PLACEMENT_FIELDS(UNSET_RELEASE)};
static const struct aws_field cpu_fields[] = {CPU_FIELDS(UNSET_RELEASE)};
static const struct aws_field capacity_fields[] = {CAPACITY_FIELDS(UNSET_RELEASE)};
static const struct aws_field market_fields[] = {MARKET_FIELDS(UNSET_RELEASE)};
static const struct aws_field private_dns_fields[] = {PRIVATE_DNS_FIELDS(UNSET_RELEASE)};
static const struct aws_field group = {
	.field = {.name = "group",
		  .type = FIELD_REFERENCE,
		  .target = "aws.security_group",
		  .beside = "vpc",
		  .flags = PINS},
	.read = "GroupId",
};

/* What only a new instance can have otherwise. */
#define FIXED(text, of_type, path, list, description)                                                                  \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = (of_type),                                                                           \
			  .choices = (list),                                                                           \
			  .flags = IMMUTABLE,                                                                          \
			  .when_unset = UNSET_RELEASE,                                                                 \
			  .about = (description)},                                                                     \
		.member = (path)                                                                                       \
	}
/* A protection, that a call of its own reads and another sets. */
#define SWITCH(text, path, of_detail, bars, description)                                                               \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_BOOL,                                                                          \
			  .when_unset = UNSET_CONSTANT,                                                                \
			  .unset_value = "false",                                                                      \
			  .bars_deletion = "true",                                                                     \
			  .bars_stop = (bars),                                                                         \
			  .about = (description)},                                                                     \
		.member = (path), .update = &modify, .change = path ".Value", .read = path ".Value",                   \
		.detail = &(of_detail)                                                                                 \
	}
#define OBJECT(text, path, array, more_flags, call, description)                                                       \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_OBJECT,                                                                        \
			  .members = FIELDS(array),                                                                    \
			  .flags = (more_flags),                                                                       \
			  .when_unset = UNSET_RELEASE,                                                                 \
			  .about = (description)},                                                                     \
		.member = (path), .update = &(call), .change = "*"                                                     \
	}

static const struct aws_field fields[] = {
	{.field = {.name = "image",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | IMMUTABLE,
		   .pattern = "ami-[0-9a-f]{8,17}",
		   .in_words = "an id such as ami-0123456789abcdef0",
		   .about = "id of the image"},
	 .member = "ImageId"},
	/* "You can't change the instance type of a Spot Instance."
	 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-resize.html) */
	{.field = {.name = "instance_type",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | PAUSES,
		   .immutable_with = "spot_request",
		   .about = "type; another one stops the instance for a while, or needs a new spot instance"},
	 .member = "InstanceType",
	 .update = &modify,
	 .change = "InstanceType.Value"},
	{.field = {.name = "subnet",
		   .type = FIELD_REFERENCE,
		   .target = "aws.subnet",
		   .beside = "vpc",
		   .alike = "zone",
		   .flags = IMMUTABLE | PINS,
		   .when_unset = UNSET_RELEASE,
		   .about = "the subnet it lies in"},
	 .member = "SubnetId"},
	{.field = {.name = "security_groups",
		   .type = FIELD_SET,
		   .item = &group.field,
		   .seen_within = "interfaces[0]",
		   .least = 1,
		   .most = 16,
		   .when_unset = UNSET_RELEASE,
		   .about = "groups of its first interface; where never given, the VPC's default one"},
	 .member = "SecurityGroupIds",
	 .read = "SecurityGroups",
	 .decode = aws_decode_groups,
	 .update = &modify,
	 .update_several = &aws_modify_interface,
	 .change = "Groups"},
	{.field = {.name = "key",
		   .type = FIELD_REFERENCE,
		   .target = "aws.key_pair",
		   .output = "name",
		   .flags = IMMUTABLE,
		   .when_unset = UNSET_RELEASE,
		   .about = "key pair that it admits, or its name"},
	 .member = "KeyName"},
	{.field = {.name = "user_data",
		   .type = FIELD_STRING,
		   .flags = ENCODED | PAUSES,
		   .most = AWS_USER_DATA_BYTES,
		   .when_unset = UNSET_CLEAR,
		   .about = "what the first start runs, as text; a change stops the instance for a while"},
	 .member = "UserData",
	 .update = &modify,
	 .change = "UserData.Value",
	 .cleared = "\"\"",
	 .read = "UserData.Value",
	 .detail = &aws_instance_user_data,
	 .shown = true,
	 .encode = aws_encode_base64,
	 .encode_change = encode_plain,
	 .decode = aws_decode_base64},
	{.field = {.name = "instance_profile",
		   .type = FIELD_STRING,
		   .pattern = "[A-Za-z0-9_+=,.@-]{1,128}",
		   .in_words = "the profile's name, up to 128 letters, digits and _ + = , . @ -, not its ARN",
		   .when_unset = UNSET_CLEAR,
		   .about = "IAM instance profile, by its name"},
	 .member = "IamInstanceProfile.Name",
	 .update = &aws_profile_replace,
	 .update_first = &aws_profile_associate,
	 .update_off = &aws_profile_disassociate,
	 .read = "IamInstanceProfile.Arn",
	 .decode = aws_decode_profile},
	{.field = {.name = "address",
		   .type = FIELD_ADDRESS,
		   .flags = IMMUTABLE | SOLE,
		   .range_parent = "subnet",
		   .taken_of = "subnet.cidr",
		   .first_of = "addresses.primary",
		   .unique_in = "subnet",
		   .when_unset = UNSET_RELEASE,
		   .about = "first private IPv4 address"},
	 .member = "PrivateIpAddress"},
	/* A stop releases it, a start brings another, an associated one takes its place: what is shown is not always an
	 * answer. */
	{.field = {.name = "public_ip",
		   .type = FIELD_BOOL,
		   .flags = WRITE_ONLY,
		   .shown_running = true,
		   .when_unset = UNSET_RELEASE,
		   .about = "whether it gets a public IPv4 address; where never given, as its subnet says"},
	 .member = INSTANCE_PUBLIC_ADDRESS,
	 .update = &aws_modify_interface,
	 .change = "AssociatePublicIpAddress",
	 .decode = aws_decode_public_ip},
	{.field = {.name = "addresses6",
		   .type = FIELD_SET,
		   .flags = RESTATED | COMPARED, /* by the number of them */
		   .item = &aws_instance_address6.field,
		   .unique_in = "subnet",
		   .when_unset = UNSET_RELEASE,
		   .about = "IPv6 addresses of its first interface"},
	 .member = "Ipv6Addresses",
	 .decode = aws_decode_addresses6,
	 .part = &aws_instance_addresses6},
	{.field = {.name = "address6_count",
		   .type = FIELD_INTEGER,
		   .flags = RESTATED, /* by the addresses */
		   .taken_of = "subnet.ipv6_cidr",
		   .number_of = "addresses6",
		   .least = 0,
		   .most = 50,
		   .when_unset = UNSET_RELEASE,
		   .about = "number of IPv6 addresses of its first interface, of the subnet's choice"},
	 .member = "Ipv6AddressCount",
	 .decode = aws_decode_address6_count,
	 .amount = &aws_instance_address6_amount},
	/* "Once you enable an IPv6 GUA address to be a primary IPv6, you cannot disable it." Without any address there
	 * is none that could show it. */
	{.field = {.name = "primary_ipv6",
		   .type = FIELD_BOOL,
		   .flags = IMMUTABLE | WRITE_ONLY,
		   .read_where_shown = true,
		   .in_place_to = "true",
		   .when_unset = UNSET_RELEASE,
		   .about = "whether the first IPv6 address stays with it"},
	 .member = "EnablePrimaryIpv6",
	 .update = &aws_modify_interface,
	 .decode = aws_decode_primary_ipv6},
	{.field = {.name = "interfaces",
		   .type = FIELD_SET,
		   .item = &aws_instance_interface.field,
		   .lies_by = "subnet",
		   .own_item = "0",
		   .part_id = "interface",
		   .flags = IMMUTABLE | WRITE_ONLY,
		   .brought_back = aws_interface_brought_back,
		   .when_unset = UNSET_RELEASE,
		   .about = "network interfaces at launch: more of the first one, and further ones; their groups and "
			    "descriptions change later too"},
	 .member = "NetworkInterfaces",
	 .decode = aws_decode_interfaces,
	 .each = &aws_instance_interfaces},
	{.field = {.name = "zone",
		   .type = FIELD_STRING,
		   .flags = IMMUTABLE | REGIONAL,
		   .when_unset = UNSET_RELEASE,
		   .about = "availability zone; a subnet has one already"},
	 .member = "Placement.AvailabilityZone"},
	{.field = {.name = "source_dest_check",
		   .type = FIELD_BOOL,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "true",
		   .about = "whether its first interface takes only packets of its own; a router needs false"},
	 .read = "SourceDestCheck",
	 .decode = aws_decode_source_check,
	 .update = &modify,
	 .update_several = &aws_modify_interface,
	 .change = "SourceDestCheck.Value"},
	{.field = {.name = "monitoring",
		   .type = FIELD_BOOL,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "false",
		   .about = "whether metrics come each minute"},
	 .member = "Monitoring.Enabled",
	 .update = &monitor,
	 .update_off = &unmonitor,
	 .change = "-",
	 .read = "Monitoring.State",
	 .decode = aws_decode_monitoring},
	OBJECT("metadata", "MetadataOptions", metadata_fields, 0, modify_metadata, "the metadata service"),
	SWITCH("termination_protection", "DisableApiTermination", aws_instance_termination, false,
	       "whether the API may not terminate it; it cannot be deleted then"),
	SWITCH("stop_protection", "DisableApiStop", aws_instance_stop, true,
	       "whether the API may not stop it; it can neither be deleted then nor changed by what stops it"),
	{.field = {.name = "shutdown_behavior",
		   .type = FIELD_STRING,
		   .choices = aws_shutdown_behaviors,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"stop\"",
		   .about = "what a shutdown from within leads to"},
	 .member = "InstanceInitiatedShutdownBehavior",
	 .update = &modify,
	 .change = "InstanceInitiatedShutdownBehavior.Value",
	 .read = "InstanceInitiatedShutdownBehavior.Value",
	 .detail = &aws_instance_shutdown},
	{.field = {.name = "block_devices",
		   .type = FIELD_SET,
		   .item = &aws_instance_device.field,
		   .flags = IMMUTABLE | WRITE_ONLY,
		   .brought_back = aws_device_brought_back,
		   .when_unset = UNSET_RELEASE,
		   .about = "volumes at launch; whether one goes with the instance changes later too"},
	 .member = "BlockDeviceMappings",
	 .decode = aws_decode_devices,
	 .each = &aws_instance_devices},
	{.field = {.name = "credits",
		   .type = FIELD_STRING,
		   .choices = aws_credits,
		   .when_unset = UNSET_RELEASE,
		   .about = "of burstable types: standard or unlimited"},
	 .member = "CreditSpecification.CpuCredits",
	 .update = &modify_credits,
	 .change = "InstanceCreditSpecifications.0.CpuCredits",
	 .read = "InstanceCreditSpecifications.0.CpuCredits",
	 .detail = &aws_instance_credits},
	{.field = {.name = "ebs_optimized",
		   .type = FIELD_BOOL,
		   .flags = PAUSES,
		   .when_unset = UNSET_RELEASE,
		   .about = "whether bandwidth to EBS is set apart; a change stops the instance for a while"},
	 .member = "EbsOptimized",
	 .update = &modify,
	 .change = "EbsOptimized.Value"},
	OBJECT("placement", "Placement", placement_fields, PAUSES, modify_placement,
	       "placement group or host; a change stops the instance for a while"),
	OBJECT("cpu", "CpuOptions", cpu_fields, PAUSES, modify_cpu,
	       "cores and threads; a change stops the instance for a while"),
	FIXED("amd_sev_snp", FIELD_STRING, "CpuOptions.AmdSevSnp", aws_enabled_disabled, "memory encryption of AMD"),
	{.field = {.name = "market",
		   .type = FIELD_OBJECT,
		   .members = FIELDS(market_fields),
		   .flags = IMMUTABLE | WRITE_ONLY,
		   .when_unset = UNSET_REPLACE,
		   .about = "spot instance and the like"},
	 .member = "InstanceMarketOptions",
	 .read = "-"},
	{.field = {.name = "capacity_reservation",
		   .type = FIELD_OBJECT,
		   .flags = PAUSES,
		   .members = FIELDS(capacity_fields),
		   .when_unset = UNSET_RELEASE,
		   .about = "use of reserved capacity; a change stops the instance for a while"},
	 .member = "CapacityReservationSpecification",
	 .update = &modify_capacity},
	FIXED("hibernation", FIELD_BOOL, "HibernationOptions.Configured", NULL, "whether it can hibernate"),
	{.field = {.name = "enclave",
		   .type = FIELD_BOOL,
		   .flags = PAUSES,
		   .when_unset = UNSET_RELEASE,
		   .about = "whether it can hold Nitro enclaves; a change stops the instance for a while"},
	 .member = "EnclaveOptions.Enabled",
	 .update = &modify},
	OBJECT("private_dns", "PrivateDnsNameOptions", private_dns_fields, PAUSES, modify_dns,
	       "host names; a change stops the instance for a while"),
	{.field = {.name = "auto_recovery",
		   .type = FIELD_STRING,
		   .choices = aws_recoveries,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"default\"",
		   .about = "whether it leaves a host that fails"},
	 .member = "MaintenanceOptions.AutoRecovery",
	 .update = &modify_maintenance,
	 .change = "AutoRecovery",
	 .missing = "\"default\""},
	{.field = {.name = "reboot_migration",
		   .type = FIELD_STRING,
		   .choices = aws_recoveries,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"default\"",
		   .about = "whether a scheduled reboot moves it to another host"},
	 .read = "MaintenanceOptions.RebootMigration",
	 .update = &modify_maintenance,
	 .change = "RebootMigration",
	 .missing = "\"default\""},
	{.field = {.name = "bandwidth_weighting",
		   .type = FIELD_STRING,
		   .flags = PAUSES,
		   .choices = aws_weightings,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"default\"",
		   .about = "whether bandwidth goes to the network or to EBS; a change stops the instance for a while"},
	 .member = "NetworkPerformanceOptions.BandwidthWeighting",
	 .update = &modify_network,
	 .change = "BandwidthWeighting",
	 .missing = "\"default\""},
	{.field = {.name = "licenses",
		   .type = FIELD_SET,
		   .item = &aws_license.field,
		   .flags = IMMUTABLE,
		   .when_unset = UNSET_RELEASE,
		   .about = "license configurations, by their ARNs"},
	 .member = "LicenseSpecifications",
	 .read = "Licenses"},
	FIXED("kernel", FIELD_STRING, "KernelId", NULL, "kernel of a paravirtual image"),
	FIXED("ramdisk", FIELD_STRING, "RamdiskId", NULL, "RAM disk of a paravirtual image"),
	/* Last: what needs the instance stopped comes before it is started. */
	{.field = {.name = "running",
		   .type = FIELD_BOOL,
		   .when_unset = UNSET_RELEASE,
		   .about = "whether it runs; where never given, whoever starts and stops it is left alone"},
	 .update = &start,
	 .update_off = &stop,
	 .change = "-",
	 .read = "State.Name",
	 .decode = aws_decode_running},
	AWS_TAGS_FIELD,
};

static const char *const ways_to_address6[] = {"addresses6", "address6_count", NULL};
static const char *const ways_to_prefix[] = {"prefixes", "prefix_count", NULL};
static const char *const ways_to_prefix6[] = {"prefixes6", "prefix6_count", NULL};
static const struct exclusive exclusives[] = {{NULL, ways_to_address6, false},
					      {"interfaces", ways_to_address6, false},
					      {"interfaces", ways_to_prefix, false},
					      {"interfaces", ways_to_prefix6, false}};

/* A stop releases it and a start brings another: whatever needs the instance stopped renews it. */
static const char *const public_address_fields[] = {
	"public_ip", "running", "instance_type",	"user_data",	       "ebs_optimized", "placement",
	"cpu",	     "enclave", "capacity_reservation", "bandwidth_weighting", "private_dns",	NULL};
static const char *const public_address_ends[] = {"public_ip", "running", NULL};
static const char *const addresses6_fields[] = {"addresses6", "address6_count", NULL};
static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "i-[0-9a-f]{8,17}", .about = "id of the instance"}, .read = "InstanceId"},
	{.output = {.name = "address", .repeats = true, .about = "first private IPv4 address"},
	 .read = "PrivateIpAddress"},
	{.output = {.name = "public_address",
		    .renewed_by = public_address_fields,
		    .ended_by = public_address_ends,
		    .through = "aws.internet_gateway",
		    .through_by = "subnet",
		    .asked_by = "public_ip",
		    .about = "public IPv4 address, where it has one"},
	 .read = "PublicIpAddress"},
	{.output = {.name = "address6",
		    .renewed_by = addresses6_fields,
		    .ended_by = addresses6_fields,
		    .about = "first IPv6 address, where it has one"},
	 .read = "Ipv6Address"},
	{.output = {.name = "addresses6",
		    .renewed_by = addresses6_fields,
		    .ended_by = addresses6_fields,
		    .shows_work_of = "AssignIpv6Addresses",
		    .about = "IPv6 addresses of its first interface"},
	 .decode = aws_decode_addresses6_output},
	{.output = {.name = "private_dns_name", .about = "host name within the VPC"}, .read = "PrivateDnsName"},
	{.output = {.name = "zone", .repeats = true, .about = "its availability zone"},
	 .read = "Placement.AvailabilityZone"},
	{.output = {.name = "interface", .about = "id of its first network interface"},
	 .decode = aws_decode_first_interface},
	{.output = {.name = "spot_request", .about = "id of its spot request, where it has one"},
	 .read = "SpotInstanceRequestId"},
};

/* Volumes and interfaces carry the user's tags from the start; their own are theirs. */
static void complete(struct work *work, struct aws_parameters *parameters)
{
	const struct value *tags = value_get_named(work->desired, "tags");
	aws_instance_network(parameters, &work->task.scratch);
	if (!tags || tags->count == 0)
		return;
	aws_parameter_add(parameters, "TagSpecifications.1.ResourceType", value_text("volume"));
	aws_parameter_add(parameters, "TagSpecifications.1.Tags", aws_encode_tags(tags, NULL, &work->task.scratch));
}

static const char *const one[] = {"MinCount", "1", "MaxCount", "1", NULL};
static const char *const pending[] = {"pending", "stopping", NULL};
static const char *const leaving[] = {"shutting-down", NULL};
static const char *const gone[] = {"terminated", NULL};
static const char *const absent[] = {"InvalidInstanceID.NotFound", NULL};
/* "Stop protection also protects your instance from accidental termination"
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-stop-protection.html). */
static const char *const protected[] = {
	"OperationNotPermitted",
	"it is protected: set 'termination_protection: false' and 'stop_protection: false' and apply, then delete",
	NULL};

#define UPDATE(path, reason)                                                                                           \
	{                                                                                                              \
		"ModifyInstanceAttribute", path, reason                                                                \
	}
#define RUN(path, reason)                                                                                              \
	{                                                                                                              \
		"RunInstances", path, reason                                                                           \
	}

static const struct aws_omission omitted[] = {
	RUN("AdditionalInfo", "reserved by AWS"),
	RUN("BlockDeviceMappings.Ebs.OutpostArn", "Outposts are not managed"),
	RUN("BlockDeviceMappings.Ebs.AvailabilityZone", "a volume lies in the instance's zone"),
	RUN("BlockDeviceMappings.Ebs.AvailabilityZoneId", "a volume lies in the instance's zone"),
	RUN("ElasticGpuSpecification", "Elastic Graphics ended in 2024"),
	RUN("ElasticInferenceAccelerators", "Elastic Inference ended in 2024"),
	RUN("IamInstanceProfile.Arn", "the profile is named by its name"),
	RUN("InstanceMarketOptions.SpotOptions.BlockDurationMinutes", "AWS no longer takes it"),
	RUN("Ipv6Addresses.IsPrimaryIpv6", "primary_ipv6 says it"),
	RUN("LaunchTemplate",
	    "what a template adds would be live without being in the spec, so that no plan could show it"),
	RUN("Monitoring.MetricCategoryIds", "which metrics there are is for CloudWatch to say"),
	RUN("NetworkInterfaces.Ipv6Addresses.IsPrimaryIpv6", "primary_ipv6 says it"),
	RUN("Operator", "only AWS's own services set it"),
	RUN("Placement.AvailabilityZoneId", "the zone is given by its name"),
	RUN("Placement.SpreadDomain", "reserved by AWS"),
	RUN("SecondaryInterfaces", "secondary networks, made for clusters of one zone, are not managed"),
	RUN("SecurityGroups", "groups are named by their ids; names belong to EC2-Classic"),
	UPDATE("Attribute", "the older form of the members used"),
	UPDATE("Value", "the older form of the members used"),
	UPDATE("BlockDeviceMappings.Ebs.VolumeId", "a volume is named by its device"),
	UPDATE("BlockDeviceMappings.NoDevice", "which volumes there are is told at launch alone"),
	UPDATE("BlockDeviceMappings.VirtualName", "which volumes there are is told at launch alone"),
	UPDATE("Kernel", "an instance with another kernel is another instance"),
	UPDATE("Ramdisk", "an instance with another RAM disk is another instance"),
	UPDATE("SriovNetSupport", "a property of the image"),
	UPDATE("EnaSupport", "a property of the image"),
	{"AssociateIamInstanceProfile", "IamInstanceProfile.Arn", "the profile is named by its name"},
	{"ReplaceIamInstanceProfileAssociation", "IamInstanceProfile.Arn", "the profile is named by its name"},
	{"MonitorInstances", "MetricCategoryIds", "which metrics there are is for CloudWatch to say"},
	{"UnmonitorInstances", "MetricCategoryIds", "which metrics there are is for CloudWatch to say"},
	{"AssignIpv6Addresses", "Ipv6PrefixCount", "interfaces are told at launch alone"},
	{"AssignIpv6Addresses", "Ipv6Prefixes", "interfaces are told at launch alone"},
	{"ModifyNetworkInterfaceAttribute", "AssociatedSubnetIds", "of interfaces of AWS's own services"},
	{"ModifyNetworkInterfaceAttribute", "Attachment", "further interfaces are told at launch alone"},
	{"ModifyNetworkInterfaceAttribute", "ConnectionTrackingSpecification", "interfaces are told at launch alone"},
	{"ModifyNetworkInterfaceAttribute", "EnaSrdSpecification", "interfaces are told at launch alone"},
	{"StartInstances", "AdditionalInfo", "reserved by AWS"},
	{"StopInstances", "Hibernate", "an instance is stopped to be changed, not to be put to sleep"},
	{"StopInstances", "SkipOsShutdown", "the operating system is asked to shut down"},
	{"StopInstances", "Force", "the operating system is asked to shut down"},
	{"AssignPrivateIpAddresses", NULL, "further private addresses are told at launch alone"},
	{"UnassignPrivateIpAddresses", NULL, "further private addresses are told at launch alone"},
	{"AttachNetworkInterface", NULL, "a further interface is a thing of its own"},
	{"AttachVolume", NULL, "a further volume is a thing of its own"},
	{"ConfirmProductInstance", NULL, "asks for a product code, and changes nothing"},
	{"EnableInstanceSqlHaStandbyDetections", NULL, "licences of SQL Server are not managed"},
	{"DisableInstanceSqlHaStandbyDetections", NULL, "licences of SQL Server are not managed"},
	{"ModifyInstanceEventStartTime", NULL, "moves an event that Amazon planned: nothing that stays"},
	{"ModifyPublicIpDnsNameOptions", NULL, "public names of single interfaces are not managed"},
	{"ResetNetworkInterfaceAttribute", NULL, "attributes are set to what the spec says"},
	{"ResetInstanceAttribute", NULL, "attributes are set to what the spec says"},
};

const struct aws_kind aws_instance = {
	.kind = {.name = "aws.instance",
		 .about = "a virtual machine",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs),
		 .exclusives = exclusives,
		 .exclusive_count = sizeof(exclusives) / sizeof(exclusives[0]),
		 .running = "running",
		 .launched_as = "market",
		 .unstoppable = aws_spot_never_stops,
		 .check = aws_instance_check},
	.service = "ec2",
	.create = {.operation = "RunInstances",
		   .fixed = one,
		   .recipe = RECIPE_TOKEN,
		   .tagged = "instance",
		   .token = "ClientToken",
		   .result = "Instances.0.InstanceId",
		   .settling = young},
	.delete = {.operation = "TerminateInstances",
		   .id = "InstanceIds.0",
		   .recipe = RECIPE_CONVERGE,
		   .absent = absent,
		   .hints = protected},
	/* A quarter of what the service would give: 1,000 with 15 interfaces of 50 addresses each, as a cluster of
	 * containers has them, are more elements than an answer may hold. */
	.list = {.operation = "DescribeInstances",
		 .items = "Reservations.*.Instances",
		 .page = 250,
		 .filter = "instance-id"},
	.pause = &pause,
	.states = {.member = "State.Name",
		   .pending = pending,
		   .leaving = leaving,
		   .gone = gone,
		   .reason = "StateReason.Message"},
	.tags_member = "Tags",
	.uses = aws_instance_uses,
	.omitted = omitted,
	.omitted_count = sizeof(omitted) / sizeof(omitted[0]),
	.poll_ms = 2000,
	.before_delete = aws_end_spot_request,
	.complete = complete,
};
