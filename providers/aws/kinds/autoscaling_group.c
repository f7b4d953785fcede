#include "providers/aws/kinds/autoscaling_parts.h"
#include "providers/aws/kinds/field_rules.h"
#include "providers/aws/kinds/group_emptying.h"
#include "providers/aws/kinds/group_instances.h"
#include "providers/aws/kinds/kinds.h"
#include "providers/aws/kinds/mixed_instances.h"
#include "providers/aws/work.h"

/*
 * https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html
 *
 * A group goes by its name alone, which may be given again: the UUID in its ARN tells. It is emptied before it is
 * deleted: what it launched goes first, with its life cycle hooks; by force it goes at once.
 */

enum { DAY_S = 86400 };

static const char *const young[] = {"ValidationError.NotFound", "ValidationError.LaunchTemplateNotFound",
				    "ValidationError.IamInstanceProfile", NULL};

static const struct aws_call update = {
	.operation = "UpdateAutoScalingGroup",
	.id = "AutoScalingGroupName",
	.recipe = RECIPE_CONVERGE,
	.settling = aws_group_busy,
};

/* One text of ids with commas between them. */
static struct value encode_subnets(const struct aws_field *field, const struct value *value, struct arena *arena)
{
	struct buffer text;
	(void)field;
	buffer_init(&text, 64 * 1024);
	for (uint32_t i = 0; i < value->count; i++) {
		if (i > 0)
			buffer_byte(&text, ',');
		buffer_append(&text, value_slice(&value->items[i]));
	}
	struct value joined = value_string(arena_copy(arena, buffer_slice(&text)));
	buffer_release(&text);
	return joined;
}

static struct value decode_subnets(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	struct slice rest = value_slice(value_get_named(item, field->member));
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	while (rest.size > 0) {
		struct slice id = slice_trim(slice_cut(&rest, ','));
		if (id.size > 0)
			value_builder_item(&builder, value_string(id));
	}
	return value_builder_list(&builder, arena);
}

static const struct aws_field text = {.field = {.name = "value", .type = FIELD_STRING}};
/*
 * Other subnets are set in place, and AWS moves what runs only out of a zone that the group leaves ("You change the
 * Availability Zones for your group", under "Rebalancing activities",
 * https://docs.aws.amazon.com/autoscaling/ec2/userguide/auto-scaling-benefits.html): it launches first, then
 * terminates. Of another subnet of the same zone the API says that "the new settings take effect on any scaling
 * activities after this call returns" (API_UpdateAutoScalingGroup.html), so what runs stays where it is; those who
 * saw AWS move it (CloudFormation's page of VPCZoneIdentifier says so of stacks) and those who saw it stay
 * (https://github.com/hashicorp/terraform/issues/7743) do not agree. In another VPC none of it can stay: its subnets
 * and security groups go with the old one, which waits for them.
 */
static const struct aws_field subnet = {
	.field = {.name = "subnet",
		  .type = FIELD_REFERENCE,
		  .target = "aws.subnet",
		  .stays_in = "vpc",
		  .beside = "vpc",
		  .launches_of = "cidr"},
};

static const struct aws_field maintenance_fields[] = {
	{.field = {.name = "min_healthy_percent",
		   .type = FIELD_INTEGER,
		   .flags = REQUIRED,
		   .least = 0,
		   .most = 100,
		   .about = "least capacity while instances are replaced"},
	 .member = "MinHealthyPercentage"},
	{.field = {.name = "max_healthy_percent",
		   .type = FIELD_INTEGER,
		   .flags = REQUIRED,
		   .least = 100,
		   .most = 200,
		   .about = "most capacity while instances are replaced"},
	 .member = "MaxHealthyPercentage"},
};

/* https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstanceMaintenancePolicy.html */
static bool check_maintenance(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	const struct value *least = value_get_named(value, "min_healthy_percent");
	const struct value *most = value_get_named(value, "max_healthy_percent");
	(void)field;
	if (!value_is(least, VALUE_INTEGER) || !value_is(most, VALUE_INTEGER) || most->integer - least->integer <= 100)
		return true;
	diag_error(diagnostics, FAULT_USER, most->position,
		   "'max_healthy_percent' is more than 100 above 'min_healthy_percent'");
	diag_hint(diagnostics, "AWS takes no more than 100 between the two");
	return false;
}

static const char *const impaired_behaviors[] = {"ReplaceUnhealthy", "IgnoreUnhealthy", NULL};
static const struct aws_field zonal_shift_fields[] = {
	{.field = {.name = "enabled", .type = FIELD_BOOL, .flags = REQUIRED, .about = "whether zonal shifts count"},
	 .member = "ZonalShiftEnabled"},
	{.field = {.name = "impaired_health",
		   .type = FIELD_STRING,
		   .choices = impaired_behaviors,
		   .when_unset = UNSET_RELEASE,
		   .about = "what becomes of unhealthy instances in an impaired zone"},
	 .member = "ImpairedZoneHealthCheckBehavior"},
};

static const char *const capacity_preferences[] = {"capacity-reservations-only", "capacity-reservations-first", "none",
						   "default", NULL};
static const struct aws_field capacity_fields[] = {
	{.field = {.name = "preference",
		   .type = FIELD_STRING,
		   .flags = REQUIRED,
		   .choices = capacity_preferences,
		   .about = "which reservations are used"},
	 .member = "CapacityReservationPreference"},
	{.field = {.name = "reservations",
		   .type = FIELD_SET,
		   .item = &text.field,
		   .when_unset = UNSET_CLEAR,
		   .about = "reservations to use, by their ids"},
	 .member = "CapacityReservationTarget.CapacityReservationIds"},
	{.field = {.name = "resource_groups",
		   .type = FIELD_SET,
		   .item = &aws_arn.field,
		   .when_unset = UNSET_CLEAR,
		   .about = "groups of reservations to use, by their ARNs"},
	 .member = "CapacityReservationTarget.CapacityReservationResourceGroupArns"},
};

/* 0 is none (https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-max-instance-lifetime.html). */
static bool check_lifetime(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	if (value->integer == 0 || value->integer >= DAY_S)
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' cannot be less than a day", field->name);
	diag_hint(diagnostics, "write at least %d, or 0, which lets instances grow old", DAY_S);
	return false;
}

#define CONSTANT(text, of_type, path, high, value, description)                                                        \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = (of_type),                                                                           \
			  .least = 0,                                                                                  \
			  .most = (high),                                                                              \
			  .when_unset = UNSET_CONSTANT,                                                                \
			  .unset_value = (value),                                                                      \
			  .about = (description)},                                                                     \
		.member = (path), .update = &update, .missing = (value)                                                \
	}
/* The API clears it by a value that means none. */
#define CLEARED(text, of_type, path, low, high, number, description)                                                   \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = (of_type),                                                                           \
			  .least = (low),                                                                              \
			  .most = (high),                                                                              \
			  .when_unset = UNSET_CLEAR,                                                                   \
			  .none = (number),                                                                            \
			  .about = (description)},                                                                     \
		.member = (path), .update = &update, .cleared = (number)                                               \
	}
#define SIZE(text, path, flag, low, high, description)                                                                 \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_INTEGER,                                                                       \
			  .flags = (flag),                                                                             \
			  .least = 0,                                                                                  \
			  .most = 100000,                                                                              \
			  .at_least = (low),                                                                           \
			  .at_most = (high),                                                                           \
			  .when_unset = UNSET_RELEASE,                                                                 \
			  .about = (description)},                                                                     \
		.member = (path), .update = &update                                                                    \
	}

static const char *const units[] = {"units", "vcpu", "memory-mib", NULL};
static const char *const distributions[] = {"balanced-only", "balanced-best-effort", "reservations-then-balanced",
					    NULL};
static const char *const protections[] = {"none", "prevent-force-deletion", "prevent-all-deletion", NULL};
static const char *const abandon_triggers[] = {"retain", "terminate", NULL};

/*
 * AWS has two ways to say what is launched; a change from one to the other is one update, in which
 * the one that goes is just not said.
 */
static const struct aws_field fields[] = {
	{.field = {.name = "name",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | IMMUTABLE | NAMES | IDENTIFIES,
		   .least = 1,
		   .most = 255,
		   /* "any ASCII character 33 to 126", but the member's own pattern admits a space too. */
		   .pattern = "[ -9;-~]+",
		   .in_words = "ASCII characters alone, and no colon",
		   .about = "name of the group"},
	 .member = "AutoScalingGroupName"},
	{.field = {.name = "launch_template",
		   .type = FIELD_REFERENCE,
		   .target = "aws.launch_template",
		   .beside_through = true,
		   .when_unset = UNSET_CLEAR,
		   .about = "the template that instances come from"},
	 .member = "LaunchTemplate.LaunchTemplateId",
	 .update = &update},
	{.field = {.name = "launch_template_version",
		   .type = FIELD_REFERENCE,
		   .target = "aws.launch_template",
		   .output = "latest_version",
		   .follows = "launch_template",
		   .when_unset = UNSET_CLEAR,
		   .about = "its version: number, $Latest or $Default; the latest number if not given"},
	 .member = "LaunchTemplate.Version",
	 .update = &update},
	{.field = {.name = "mixed_instances",
		   .type = FIELD_OBJECT,
		   .members = {aws_mixed_fields, AWS_MIXED_FIELDS, sizeof(struct aws_field)},
		   .when_unset = UNSET_CLEAR,
		   .about = "several types, on demand and spot, in place of launch_template"},
	 .member = "MixedInstancesPolicy",
	 .update = &update},
	{.field = {.name = "subnets",
		   .type = FIELD_SET,
		   .flags = REQUIRED,
		   .item = &subnet.field,
		   .least = 1,
		   .most = 100,
		   .about = "subnets that instances lie in"},
	 .member = "VPCZoneIdentifier",
	 .update = &update,
	 .encode = encode_subnets,
	 .decode = decode_subnets},
	SIZE("min", "MinSize", REQUIRED, NULL, NULL, "least capacity"),
	SIZE("max", "MaxSize", REQUIRED, NULL, NULL, "most capacity"),
	SIZE("desired", "DesiredCapacity", OBSERVED, "min", "max",
	     "capacity to begin with; then it is left to who scales it"),
	{.field = {.name = "capacity_unit",
		   .type = FIELD_STRING,
		   .choices = units,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"units\"",
		   .about = "what capacity counts"},
	 .member = "DesiredCapacityType",
	 .update = &update,
	 .missing = "\"units\""},
	{.field = {.name = "health_check",
		   .type = FIELD_STRING,
		   .pattern = "[A-Z0-9_]+(,[A-Z0-9_]+)*",
		   .in_words = "types in capitals, several with commas between them: EC2,ELB",
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"EC2\"",
		   .about = "EC2, ELB, EBS, VPC_LATTICE"},
	 .member = "HealthCheckType",
	 .update = &update},
	CONSTANT("health_check_grace_s", FIELD_INTEGER, "HealthCheckGracePeriod", INT32_MAX, "0",
		 "how long a new instance's health does not count"),
	CONSTANT("cooldown_s", FIELD_INTEGER, "DefaultCooldown", INT32_MAX, "300", "rest after a simple scaling"),
	CLEARED("warmup_s", FIELD_INTEGER, "DefaultInstanceWarmup", -1, INT32_MAX, "-1",
		"until a new instance's metrics count"),
	{.field = {.name = "termination_policies",
		   .type = FIELD_LIST,
		   .item = &text.field,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[\"Default\"]",
		   .about = "which instance goes first"},
	 .member = "TerminationPolicies",
	 .update = &update},
	CONSTANT("scale_in_protection", FIELD_BOOL, "NewInstancesProtectedFromScaleIn", 0, "false",
		 "whether new instances are kept when the group shrinks"),
	CONSTANT("capacity_rebalance", FIELD_BOOL, "CapacityRebalance", 0, "false",
		 "whether spot instances at risk are replaced ahead"),
	{.field = {.name = "max_instance_lifetime_s",
		   .type = FIELD_INTEGER,
		   .least = 0,
		   .most = INT32_MAX,
		   .check = check_lifetime,
		   .when_unset = UNSET_CLEAR,
		   .none = "0",
		   .about = "age at which one is replaced, a day at least"},
	 .member = "MaxInstanceLifetime",
	 .update = &update,
	 .cleared = "0"},
	CLEARED("placement_group", FIELD_STRING, "PlacementGroup", 0, 0, "\"\"", "placement group, by its name"),
	{.field = {.name = "service_linked_role",
		   .type = FIELD_STRING,
		   .pattern = "arn:.*",
		   .in_words = "an ARN, which begins with 'arn:'",
		   .when_unset = UNSET_RELEASE,
		   .about = "ARN of the role that it acts in"},
	 .member = "ServiceLinkedRoleARN",
	 .update = &update},
	{.field = {.name = "maintenance",
		   .type = FIELD_OBJECT,
		   .members = FIELDS(maintenance_fields),
		   .check = check_maintenance,
		   .when_unset = UNSET_CLEAR,
		   .about = "capacity while instances are replaced"},
	 .member = "InstanceMaintenancePolicy",
	 .update = &update,
	 .cleared = "{\"MinHealthyPercentage\":-1,\"MaxHealthyPercentage\":-1}"},
	{.field = {.name = "zone_distribution",
		   .type = FIELD_STRING,
		   .choices = distributions,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"balanced-best-effort\"",
		   .about = "how capacity is spread over zones"},
	 .member = "AvailabilityZoneDistribution.CapacityDistributionStrategy",
	 .update = &update,
	 .missing = "\"balanced-best-effort\""},
	{.field = {.name = "zonal_shift",
		   .type = FIELD_OBJECT,
		   .members = FIELDS(zonal_shift_fields),
		   .when_unset = UNSET_RELEASE,
		   .about = "what an impaired zone leads to"},
	 .member = "AvailabilityZoneImpairmentPolicy",
	 .update = &update},
	{.field = {.name = "capacity_reservation",
		   .type = FIELD_OBJECT,
		   .members = FIELDS(capacity_fields),
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "{\"preference\":\"default\"}",
		   .about = "use of reserved capacity"},
	 .member = "CapacityReservationSpecification",
	 .update = &update,
	 .missing = "{\"preference\":\"default\"}"},
	{.field = {.name = "abandoned_instances",
		   .type = FIELD_STRING,
		   .choices = abandon_triggers,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"terminate\"",
		   .about = "what becomes of one whose terminating hook was abandoned"},
	 .member = "InstanceLifecyclePolicy.RetentionTriggers.TerminateHookAbandon",
	 .update = &update,
	 .missing = "\"terminate\""},
	{.field = {.name = "deletion_protection",
		   .type = FIELD_STRING,
		   .choices = protections,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "\"none\"",
		   .bars_deletion = "prevent-all-deletion",
		   .about = "which deletion AWS refuses"},
	 .member = "DeletionProtection",
	 .update = &update,
	 .missing = "\"none\""},
	{.field = {.name = "target_groups",
		   .type = FIELD_SET,
		   .flags = COMPARED,
		   .item = &aws_arn.field,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .about = "load balancers' target groups, by their ARNs"},
	 .member = "TargetGroupARNs",
	 .part = &aws_group_targets},
	{.field = {.name = "hooks",
		   .type = FIELD_SET,
		   .flags = COMPARED,
		   .item = &aws_group_hook.field,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .about = "what holds up a launch or a termination"},
	 .member = "LifecycleHookSpecificationList",
	 .read = "LifecycleHooks",
	 .detail = &aws_group_hook_detail,
	 .part = &aws_group_hooks},
	{.field = {.name = "suspended",
		   .type = FIELD_SET,
		   .flags = COMPARED,
		   .item = &aws_group_process.field,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .about = "processes that rest"},
	 .read = "SuspendedProcesses",
	 .part = &aws_group_suspended},
	{.field = {.name = "metrics",
		   .type = FIELD_SET,
		   .flags = COMPARED,
		   .item = &aws_group_metric.field,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .about = "metrics that are collected each minute"},
	 .read = "EnabledMetrics",
	 .part = &aws_group_metrics},
	{.field = {.name = "tags",
		   .type = FIELD_SET,
		   .flags = COMPARED,
		   .item = &aws_group_tag.field,
		   .check = aws_check_tag_count,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .about = "tags, each with whether new instances get it"},
	 .read = "Tags",
	 .decode = aws_decode_group_tags,
	 .part = &aws_group_tags},
};

static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "[ -~]{1,255}", .is_chosen = true, .about = "its name, which is its id"},
	 .read = "AutoScalingGroupName"},
	{.output = {.name = "arn", .tells_apart = true, .about = "Amazon resource name"},
	 .read = "AutoScalingGroupARN"},
};

static const char *const sources[] = {"launch_template", "mixed_instances", NULL};
static const char *const versions[] = {"launch_template_version", "mixed_instances", NULL};
static const struct exclusive exclusives[] = {
	{NULL, sources, true},
	{NULL, versions, false},
};

/* "If you specify open or none for CapacityReservationPreference, do not specify a CapacityReservationTarget."
 * (https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CapacityReservationSpecification.html) */
static const char *const no_reservation[] = {"none", NULL};
#define NO_RESERVATION(path)                                                                                           \
	{                                                                                                              \
		{{"capacity_reservation.preference", no_reservation, false}, {(path), NULL, false}},                   \
			"'preference: none' uses no reservation, but some are named",                                  \
			"write another 'preference', such as capacity-reservations-only, or name none"                 \
	}
static const struct field_rule rules[] = {NO_RESERVATION("capacity_reservation.reservations"),
					  NO_RESERVATION("capacity_reservation.resource_groups")};

/* What AWS would refuse only after much else was made. */
static bool check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *least = value_get_named(desired, "min");
	const struct value *most = value_get_named(desired, "max");
	const struct value *wish = value_get_named(desired, "desired");
	bool good = aws_check_rules(rules, sizeof(rules) / sizeof(rules[0]), desired, diagnostics);
	(void)kind;
	if (value_is(least, VALUE_INTEGER) && value_is(most, VALUE_INTEGER) && least->integer > most->integer)
		good = diag_error(diagnostics, FAULT_USER, least->position, "'min' is greater than 'max'");
	if (value_is(wish, VALUE_INTEGER) && value_is(most, VALUE_INTEGER) && wish->integer > most->integer)
		good = diag_error(diagnostics, FAULT_USER, wish->position, "'desired' is greater than 'max'");
	if (value_is(wish, VALUE_INTEGER) && value_is(least, VALUE_INTEGER) && wish->integer < least->integer)
		good = diag_error(diagnostics, FAULT_USER, wish->position, "'desired' is less than 'min'");
	return aws_check_mixed(value_get_named(desired, "mixed_instances"), diagnostics) && good;
}

static const char *const leaving[] = {"Delete in progress", NULL};
static const char *const taken[] = {"AlreadyExists", NULL};
static const char *const forced[] = {"ForceDelete", "true", NULL};
static const char *const occupied[] = {
	"ResourceInUse", "instances of the group are still there, or deletion_protection is set",
	"ScalingActivityInProgress", "the group is still scaling: run again later, or delete it by force", NULL};

#define BOTH(path, reason)                                                                                             \
	{"CreateAutoScalingGroup", path, reason},                                                                      \
	{                                                                                                              \
		"UpdateAutoScalingGroup", path, reason                                                                 \
	}
#define TEMPLATE "MixedInstancesPolicy.LaunchTemplate."

#define SCHEDULES "a schedule is a thing of its own, by its name; with lifecycle.ignore the sizes are left to it"

static const struct aws_omission omitted[] = {
	BOTH("LaunchConfigurationName", "launch configurations are superseded by launch templates"),
	BOTH("LaunchTemplate.LaunchTemplateName", "templates are named by their ids"),
	BOTH(TEMPLATE "LaunchTemplateSpecification.LaunchTemplateName", "templates are named by their ids"),
	BOTH(TEMPLATE "Overrides.LaunchTemplateSpecification.LaunchTemplateName", "templates are named by their ids"),
	BOTH("MixedInstancesPolicy.InstancesDistribution.DistributionSegments",
	     "on_demand_base and on_demand_percent say how capacity is shared out"),
	BOTH("AvailabilityZones", "subnets say where instances are"),
	BOTH("AvailabilityZoneIds", "subnets say where instances are"),
	BOTH("Context", "reserved by AWS"),
	BOTH("SkipZonalShiftValidation", "a check of AWS that is worth its answer"),
	{"CreateAutoScalingGroup", "InstanceId", "a template is taken in place of an instance"},
	{"CreateAutoScalingGroup", "LoadBalancerNames", "Classic Load Balancers are not managed"},
	{"CreateAutoScalingGroup", "TrafficSources",
	 "target_groups says it for load balancers; VPC Lattice is not managed"},
	{"CreateAutoScalingGroup", "Operator", "only AWS's own services set it"},
	{"AttachInstances", NULL, "is about single instances, which are the group's own matter"},
	{"DetachInstances", NULL, "is about single instances, which are the group's own matter"},
	{"EnterStandby", NULL, "is about single instances, which are the group's own matter"},
	{"ExitStandby", NULL, "is about single instances, which are the group's own matter"},
	{"SetInstanceHealth", NULL, "is about single instances, which are the group's own matter"},
	{"SetInstanceProtection", NULL, "is about single instances, which are the group's own matter"},
	{"AttachLoadBalancers", NULL, "classic load balancers are not managed; target groups are"},
	{"DetachLoadBalancers", NULL, "classic load balancers are not managed; target groups are"},
	{"AttachTrafficSources", NULL, "target groups are attached by calls of their own; VPC Lattice is not managed"},
	{"DetachTrafficSources", NULL, "target groups are attached by calls of their own; VPC Lattice is not managed"},
	{"PutScheduledUpdateGroupAction", NULL, SCHEDULES},
	{"BatchPutScheduledUpdateGroupAction", NULL, SCHEDULES},
	{"BatchDeleteScheduledAction", NULL, SCHEDULES},
	{"PutScalingPolicy", NULL,
	 "a policy is a thing of its own, by its name; with lifecycle.ignore the size is left to it"},
	{"PutNotificationConfiguration", NULL, "tells a topic, of a service that is not managed, of what happens"},
	{"PutWarmPool", NULL, "a pool is a thing of its own beside the group"},
	{"SetDesiredCapacity", NULL, "UpdateAutoScalingGroup sets it together with its bounds"},
};

const struct aws_kind aws_autoscaling_group = {
	.kind = {.name = "aws.autoscaling_group",
		 .about = "instances that are launched and replaced as needed",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs),
		 .exclusives = exclusives,
		 .exclusive_count = sizeof(exclusives) / sizeof(exclusives[0]),
		 .runs = &aws_group_runs,
		 .check = check},
	.service = "autoscaling",
	.create = {.operation = "CreateAutoScalingGroup",
		   .recipe = RECIPE_NATURAL,
		   .present = taken,
		   .settling = young},
	.delete = {.operation = "DeleteAutoScalingGroup",
		   .id = "AutoScalingGroupName",
		   .recipe = RECIPE_CONVERGE,
		   .absent = aws_group_absent,
		   .settling = aws_group_busy,
		   .hints = occupied},
	.delete_forced = {.operation = "DeleteAutoScalingGroup",
			  .id = "AutoScalingGroupName",
			  .fixed = forced,
			  .recipe = RECIPE_CONVERGE,
			  .absent = aws_group_absent,
			  .settling = aws_group_busy,
			  .hints = occupied},
	.list = {.operation = "DescribeAutoScalingGroups",
		 .items = "AutoScalingGroups",
		 .page = 100,
		 .ids = "AutoScalingGroupNames",
		 .most_ids = 50},
	.states = {.member = "Status", .leaving = leaving},
	.tags_member = "Tags",
	.tag = {.operation = "CreateOrUpdateTags", .recipe = RECIPE_CONVERGE, .settling = aws_group_busy},
	.own_tags = aws_own_group_tags,
	.omitted = omitted,
	.omitted_count = sizeof(omitted) / sizeof(omitted[0]),
	.poll_ms = 5000,
	.readiness = aws_group_readiness,
	.running = aws_group_running,
	.before_delete = aws_group_empty,
	.complete = aws_complete_group,
};
