#include <inttypes.h>

#include "providers/aws/kinds/instance_requirements.h"
#include "providers/aws/kinds/kinds.h"
#include "providers/aws/kinds/launch_fields.h"
#include "providers/aws/kinds/launch_interfaces.h"
#include "providers/aws/kinds/launch_rules.h"
#include "providers/aws/parameters.h"

/*
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateLaunchTemplate.html
 *
 * A change makes a new version of the whole data and then the default of it. What is shown is the
 * latest version; whoever uses a template pins the number.
 */

#define DATA "LaunchTemplateData."

/* Every change of data is one call, with all the data. */
static const char *const young[] = {"InvalidLaunchTemplateId.NotFound", NULL};
static const struct aws_call new_version = {
	.operation = "CreateLaunchTemplateVersion",
	.id = "LaunchTemplateId",
	.recipe = RECIPE_TOKEN,
	.token = "ClientToken",
	.settling = young,
	.whole = true,
};
static const struct aws_alignment make_default = {
	.call = {.operation = "ModifyLaunchTemplate", .id = "LaunchTemplateId", .recipe = RECIPE_CONVERGE},
	.member = "DefaultVersion",
	.output = "default_version",
};

/* A name, or a whole ARN. */
static struct value encode_profile(const struct aws_field *field, const struct value *value, struct arena *arena)
{
	struct value_member *members = arena_new_array(arena, 1, struct value_member);
	bool arn = slice_starts_with(value_slice(value), SLICE("arn:"));
	(void)field;
	members[0] = (struct value_member){value_text(arn ? "Arn" : "Name"), *value};
	return value_map(members, 1);
}

static struct value decode_profile(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *profile = value_path(item, field->member);
	const struct value *name = value_get_named(profile, "Name");
	const struct value *arn = value_get_named(profile, "Arn");
	(void)arena;
	return name && value_slice(name).size ? *name : arn && value_slice(arn).size ? *arn : value_null();
}

static const char *const tagged_types[] = {"instance", "volume", "network-interface", "spot-instances-request", NULL};

/* Some servers list the template's own tags here too. */
static struct value decode_launch_tags(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *all = value_path(item, field->member);
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	if (!all)
		return value_null();
	for (uint32_t i = 0; value_is(all, VALUE_LIST) && i < all->count; i++) {
		const struct value *type = value_get_named(&all->items[i], "ResourceType");
		if (!type || !slice_is_one_of(value_slice(type), tagged_types))
			continue;
		struct value_member *members = arena_new_array(arena, 2, struct value_member);
		members[0] = (struct value_member){value_text("resource"), *type};
		members[1] = (struct value_member){value_text("tags"),
						   aws_decode_tags(value_get_named(&all->items[i], "Tags"), arena)};
		value_builder_item(&builder, value_map(members, 2));
	}
	return value_builder_list(&builder, arena);
}

static struct value decode_version(const struct value *item, const char *path, struct arena *arena)
{
	const struct value *number = value_path(item, path);
	return number && value_is(number, VALUE_INTEGER)
		       ? value_string(arena_format(arena, "%" PRId64, number->integer))
		       : value_null();
}

static struct value decode_latest(const struct value *item, struct arena *arena)
{
	return decode_version(item, "VersionNumber", arena);
}

static struct value decode_default(const struct value *item, struct arena *arena)
{
	return decode_version(item, "Template.DefaultVersionNumber", arena);
}

static const struct aws_field metadata_fields[] = {METADATA_FIELDS(UNSET_CLEAR)};
static const struct aws_field placement_fields[] = {PLACEMENT_FIELDS(UNSET_CLEAR), ZONE_FIELDS(UNSET_CLEAR)};
static const struct aws_field cpu_fields[] = {CPU_FIELDS(UNSET_CLEAR), CPU_SNP_FIELD(UNSET_CLEAR)};
static const struct aws_field capacity_fields[] = {CAPACITY_FIELDS(UNSET_CLEAR)};
static const struct aws_field market_fields[] = {MARKET_FIELDS(UNSET_CLEAR)};
static const struct aws_field private_dns_fields[] = {PRIVATE_DNS_FIELDS(UNSET_CLEAR)};
static const struct aws_field block_device_fields[] = {BLOCK_DEVICE_FIELDS(UNSET_CLEAR, 0)};
static const struct aws_field block_device = {
	.field = {.name = "device", .type = FIELD_OBJECT, .members = FIELDS(block_device_fields)},
};

static const struct aws_field group = {
	.field = {.name = "group", .type = FIELD_REFERENCE, .target = "aws.security_group", .beside = "vpc"},
};

static const struct aws_field private_address_fields[] = {PRIVATE_ADDRESS_FIELDS(0, UNSET_CLEAR)};
static const struct aws_field private_address = {
	.field = {.name = "address", .type = FIELD_OBJECT, .members = FIELDS(private_address_fields)},
};
static const struct aws_field interface_prefix4 = INTERFACE_PREFIX(4, 0), interface_prefix6 = INTERFACE_PREFIX(6, 0);
static const struct aws_field interface_fields[] = {INTERFACE_FIELDS(
	0, 0, 0, UNSET_CLEAR, group, private_address, aws_interface_address6, interface_prefix4, interface_prefix6)};
static const struct aws_field interface = {
	.field = {.name = "interface", .type = FIELD_OBJECT, .members = FIELDS(interface_fields)},
};

static const struct aws_field launch_tag_fields[] = {
	{.field = {.name = "resource",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | KEY,
		   .choices = tagged_types,
		   .about = "what is tagged"},
	 .member = "ResourceType"},
	{.field = {.name = "tags",
		   .type = FIELD_MAP,
		   .flags = REQUIRED,
		   .item = &aws_tag_value,
		   .check = aws_check_tags,
		   .about = "names and values"},
	 .member = "Tags"},
};
static const struct aws_field launch_tags = {
	.field = {.name = "tags", .type = FIELD_OBJECT, .members = FIELDS(launch_tag_fields)},
};

#define SCALAR(text, of_type, path, description)                                                                       \
	{                                                                                                              \
		.field = {.name = (text), .type = (of_type), .when_unset = UNSET_CLEAR, .about = (description)},       \
		.member = DATA path, .update = &new_version                                                            \
	}
#define CHOICE(text, path, list, description)                                                                          \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_STRING,                                                                        \
			  .choices = (list),                                                                           \
			  .when_unset = UNSET_CLEAR,                                                                   \
			  .about = (description)},                                                                     \
		.member = DATA path, .update = &new_version                                                            \
	}
#define OBJECT(text, path, array, description)                                                                         \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_OBJECT,                                                                        \
			  .members = FIELDS(array),                                                                    \
			  .when_unset = UNSET_CLEAR,                                                                   \
			  .about = (description)},                                                                     \
		.member = DATA path, .update = &new_version                                                            \
	}
#define SET(text, path, of_item, description)                                                                          \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_SET,                                                                           \
			  .item = &(of_item).field,                                                                    \
			  .when_unset = UNSET_CLEAR,                                                                   \
			  .about = (description)},                                                                     \
		.member = DATA path, .update = &new_version                                                            \
	}

static const struct aws_field fields[] = {
	{.field = {.name = "name",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | IMMUTABLE | NAMES,
		   .least = 3,
		   .most = 128,
		   .pattern = "[a-zA-Z0-9()./_-]+",
		   .in_words = "letters, digits and ( ) . / _ - alone",
		   .about = "name of the template"},
	 .member = "LaunchTemplateName"},
	{.field = {.name = "description",
		   .type = FIELD_STRING,
		   .most = 255,
		   .when_unset = UNSET_CLEAR,
		   .about = "what the version is for"},
	 .member = "VersionDescription",
	 .update = &new_version},
	SCALAR("image", FIELD_STRING, "ImageId", "id of the image, or resolve:ssm:PARAMETER"),
	SCALAR("instance_type", FIELD_STRING, "InstanceType", "type of the instances"),
	OBJECT("requirements", "InstanceRequirements", aws_requirement_fields,
	       "what a type must offer, in place of instance_type"),
	{.field = {.name = "key",
		   .type = FIELD_REFERENCE,
		   .target = "aws.key_pair",
		   .output = "name",
		   .when_unset = UNSET_CLEAR,
		   .about = "key pair that instances admit, or its name"},
	 .member = DATA "KeyName",
	 .update = &new_version},
	SET("security_groups", "SecurityGroupIds", group, "groups of the instances"),
	{.field = {.name = "user_data",
		   .type = FIELD_STRING,
		   .flags = ENCODED,
		   .most = AWS_USER_DATA_BYTES,
		   .when_unset = UNSET_CLEAR,
		   .about = "what the first start runs, as text"},
	 .member = DATA "UserData",
	 .update = &new_version,
	 .shown = true,
	 .encode = aws_encode_base64,
	 .decode = aws_decode_base64},
	{.field = {.name = "instance_profile",
		   .type = FIELD_STRING,
		   .when_unset = UNSET_CLEAR,
		   .about = "IAM instance profile, by its name or ARN"},
	 .member = DATA "IamInstanceProfile",
	 .update = &new_version,
	 .encode = encode_profile,
	 .decode = decode_profile},
	SET("block_devices", "BlockDeviceMappings", block_device, "volumes"),
	/* Where no subnet is given, they lie in one of who uses the template. */
	{.field = {.name = "interfaces",
		   .type = FIELD_SET,
		   .item = &interface.field,
		   .lies_by = "subnet",
		   .when_unset = UNSET_CLEAR,
		   .about = "network interfaces"},
	 .member = DATA "NetworkInterfaces",
	 .update = &new_version},
	OBJECT("metadata", "MetadataOptions", metadata_fields, "the metadata service of the instances"),
	SCALAR("monitoring", FIELD_BOOL, "Monitoring.Enabled", "whether metrics come each minute"),
	OBJECT("placement", "Placement", placement_fields, "where the instances run"),
	OBJECT("market", "InstanceMarketOptions", market_fields, "spot instances and the like"),
	CHOICE("credits", "CreditSpecification.CpuCredits", aws_credits, "of burstable types: standard or unlimited"),
	SCALAR("ebs_optimized", FIELD_BOOL, "EbsOptimized", "whether bandwidth to EBS is set apart"),
	OBJECT("capacity_reservation", "CapacityReservationSpecification", capacity_fields, "use of reserved capacity"),
	OBJECT("cpu", "CpuOptions", cpu_fields, "cores and threads"),
	SCALAR("hibernation", FIELD_BOOL, "HibernationOptions.Configured", "whether instances can hibernate"),
	SCALAR("enclave", FIELD_BOOL, "EnclaveOptions.Enabled", "whether instances can hold Nitro enclaves"),
	{.field = {.name = "launch_tags",
		   .type = FIELD_SET,
		   .item = &launch_tags.field,
		   .when_unset = UNSET_CLEAR,
		   .about = "tags of what is launched"},
	 .member = DATA "TagSpecifications",
	 .update = &new_version,
	 .decode = decode_launch_tags},
	SCALAR("termination_protection", FIELD_BOOL, "DisableApiTermination", "whether the API may not terminate"),
	SCALAR("stop_protection", FIELD_BOOL, "DisableApiStop", "whether the API may not stop"),
	CHOICE("shutdown_behavior", "InstanceInitiatedShutdownBehavior", aws_shutdown_behaviors,
	       "what a shutdown from within leads to"),
	OBJECT("private_dns", "PrivateDnsNameOptions", private_dns_fields, "host names"),
	SET("licenses", "LicenseSpecifications", aws_license, "license configurations, by their ARNs"),
	CHOICE("auto_recovery", "MaintenanceOptions.AutoRecovery", aws_recoveries, "whether a failed host is left"),
	CHOICE("bandwidth_weighting", "NetworkPerformanceOptions.BandwidthWeighting", aws_weightings,
	       "whether bandwidth goes to the network or to EBS"),
	SCALAR("kernel", FIELD_STRING, "KernelId", "kernel of a paravirtual image"),
	SCALAR("ramdisk", FIELD_STRING, "RamDiskId", "RAM disk of a paravirtual image"),
	AWS_TAGS_FIELD,
};

/* The API takes no empty version. */
static bool check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	bool good = aws_check_requirements(value_get_named(desired, "requirements"), diagnostics);

	good = aws_check_launch(desired, diagnostics) && good;
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->fields, i);
		if (field->member && strncmp(field->member, DATA, sizeof(DATA) - 1) == 0 &&
		    value_get_named(desired, field->field.name))
			return good;
	}
	diag_error(diagnostics, FAULT_USER, desired->position, "%s says nothing of the instances it is for",
		   kind->name);
	diag_hint(diagnostics, "give at least one field besides its name, such as 'image'");
	return false;
}

static const char *const data_fields[] = {"description",
					  "image",
					  "instance_type",
					  "requirements",
					  "key",
					  "security_groups",
					  "user_data",
					  "instance_profile",
					  "block_devices",
					  "interfaces",
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
					  NULL};

static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "lt-[0-9a-f]{8,17}", .about = "id of the template"},
	 .read = "LaunchTemplateId"},
	/* Where a version is named, a word that AWS follows by itself is as good as a number. */
	{.output = {.name = "latest_version",
		    .pattern = "[0-9]{1,18}|[$](Latest|Default)",
		    .about = "number of the latest version",
		    .counts = true,
		    .renewed_by = data_fields},
	 .decode = decode_latest},
	{.output = {.name = "default_version",
		    .pattern = "[0-9]{1,18}",
		    .about = "number of the default version",
		    .renewed_by = data_fields,
		    .follows = "latest_version"},
	 .decode = decode_default},
	{.output = {.name = "name", .repeats = true, .about = "its name"}, .read = "LaunchTemplateName"},
};

static const char *const types_or_requirements[] = {"instance_type", "requirements", NULL};
static const char *const groups_or_interfaces[] = {"security_groups", "interfaces", NULL};
static const struct exclusive exclusives[] = {{NULL, types_or_requirements, false},
					      {NULL, groups_or_interfaces, false}};

static const char *const absent[] = {"InvalidLaunchTemplateId.NotFound", NULL};
static const char *const latest[] = {"Versions.0", "$Latest", NULL};
static const char *const hints[] = {"InvalidLaunchTemplateName.AlreadyExistsException",
				    "choose another name, or delete the template that has it", NULL};

static const struct aws_join templates = {
	.list = {.operation = "DescribeLaunchTemplates", .items = "LaunchTemplates", .page = 200},
	.key = "LaunchTemplateId",
	.as = "Template",
};

#define BOTH(path, reason)                                                                                             \
	{"CreateLaunchTemplate", path, reason},                                                                        \
	{                                                                                                              \
		"CreateLaunchTemplateVersion", path, reason                                                            \
	}

static const struct aws_omission omitted[] = {
	BOTH(DATA "ElasticGpuSpecifications", "Elastic Graphics ended in 2024"),
	BOTH(DATA "ElasticInferenceAccelerators", "Elastic Inference ended in 2024"),
	BOTH(DATA "SecurityGroups", "groups are named by their ids; names belong to EC2-Classic"),
	BOTH(DATA "Operator", "only AWS's own services set it"),
	BOTH(DATA "SecondaryInterfaces", "secondary networks, made for clusters of one zone, are not managed"),
	BOTH(DATA "Monitoring.MetricCategoryIds", "which metrics there are is for CloudWatch to say"),
	BOTH(DATA "InstanceMarketOptions.SpotOptions.BlockDurationMinutes", "AWS no longer takes it"),
	{"CreateLaunchTemplate", "Operator", "only AWS's own services set it"},
	{"CreateLaunchTemplateVersion", "LaunchTemplateName", "the template is named by its id"},
	{"CreateLaunchTemplateVersion", "SourceVersion", "a version is always given as a whole"},
	{"CreateLaunchTemplateVersion", "ResolveAlias", "an image given as a parameter stays one"},
	{"ModifyLaunchTemplate", "LaunchTemplateName", "the template is named by its id"},
};

const struct aws_kind aws_launch_template = {
	.kind = {.name = "aws.launch_template",
		 .about = "how instances are launched, in versions",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs),
		 .exclusives = exclusives,
		 .exclusive_count = sizeof(exclusives) / sizeof(exclusives[0]),
		 .check = check},
	.service = "ec2",
	.create = {.operation = "CreateLaunchTemplate",
		   .recipe = RECIPE_TOKEN,
		   .tagged = "launch-template",
		   .token = "ClientToken",
		   .result = "LaunchTemplate.LaunchTemplateId",
		   .hints = hints},
	.delete = {.operation = "DeleteLaunchTemplate",
		   .id = "LaunchTemplateId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = absent},
	/* Neither listing takes ids and leaves out those that are missing. */
	.list = {.operation = "DescribeLaunchTemplateVersions",
		 .items = "LaunchTemplateVersions",
		 .fixed = latest,
		 .page = 200},
	.join = &templates,
	.alignment = &make_default,
	.tags_member = "Template.Tags",
	.omitted = omitted,
	.omitted_count = sizeof(omitted) / sizeof(omitted[0]),
};
