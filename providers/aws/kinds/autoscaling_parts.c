#include "providers/aws/kinds/autoscaling_parts.h"

#include "providers/aws/parameters.h"

const char *const aws_group_absent[] = {"ValidationError.NotFound", NULL};
const char *const aws_group_busy[] = {"ResourceInUse", "ScalingActivityInProgress", "ResourceContention", NULL};

static bool is_reserved(struct slice key)
{
	return slice_starts_with(key, SLICE("trueup:")) || slice_starts_with(key, SLICE("aws:"));
}

static const struct {
	const char *member;
	const char *field;
} tag_members[] = {{"Key", "key"}, {"Value", "value"}, {"PropagateAtLaunch", "propagate"}};

struct value aws_decode_group_tags(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *tags = value_get_named(item, "Tags");
	VALUE_BUILDER_AUTO builder;
	VALUE_BUILDER_AUTO tag;
	(void)field;
	value_builder_init(&builder);
	value_builder_init(&tag);
	for (uint32_t i = 0; tags && value_is(tags, VALUE_LIST) && i < tags->count; i++) {
		if (is_reserved(value_slice(value_get_named(&tags->items[i], "Key"))))
			continue;
		for (size_t k = 0; k < sizeof(tag_members) / sizeof(tag_members[0]); k++) {
			const struct value *member = value_get_named(&tags->items[i], tag_members[k].member);
			if (member)
				value_builder_member(&tag, slice_of(tag_members[k].field), *member);
		}
		value_builder_item(&builder, value_builder_map(&tag, arena));
	}
	return value_builder_list(&builder, arena);
}

static struct value ownership_tag(const struct value *tag, struct arena *arena)
{
	struct value_member *members = arena_new_array(arena, 3, struct value_member);
	members[0] = (struct value_member){value_text("Key"), *value_get_named(tag, "Key")};
	members[1] = (struct value_member){value_text("Value"), *value_get_named(tag, "Value")};
	members[2] = (struct value_member){value_text("PropagateAtLaunch"), value_bool(false)};
	return value_map(members, 3);
}

static const char *const of_group[] = {"ResourceType", "auto-scaling-group", NULL};

struct value aws_own_group_tags(const struct work *work, const struct value *tags, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < tags->count; i++) {
		struct value tag = ownership_tag(&tags->items[i], arena);
		VALUE_BUILDER_AUTO whole;
		value_builder_init(&whole);
		value_builder_member(&whole, SLICE("ResourceId"), value_string(work->task.object->provider_id));
		value_builder_member(&whole, slice_of(of_group[0]), value_text(of_group[1]));
		for (uint32_t k = 0; k < tag.count; k++)
			value_builder_member(&whole, value_slice(&tag.members[k].key), tag.members[k].value);
		value_builder_item(&builder, value_builder_map(&whole, arena));
	}
	return value_builder_list(&builder, arena);
}

/* Whose the group is stands in its own tags, and never in those of what it launches. */
void aws_complete_group(struct work *work, struct aws_parameters *parameters)
{
	struct arena *arena = &work->task.scratch;
	const struct fields *fields = &work->kind->fields;
	const struct aws_field *tags = (const struct aws_field *)field_named(fields, SLICE("tags"));
	const struct value *wanted = value_get_named(work->desired, "tags");
	struct value ours = aws_encode_tags(NULL, &work->tagging, arena);
	struct value theirs = wanted ? aws_encode(tags, wanted, arena) : value_list(NULL, 0);
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < theirs.count; i++)
		value_builder_item(&builder, theirs.items[i]);
	for (uint32_t i = 0; i < ours.count; i++)
		value_builder_item(&builder, ownership_tag(&ours.items[i], arena));
	aws_parameter_add(parameters, "Tags", value_builder_list(&builder, arena));
}

static const struct aws_field tag_fields[] = {
	{.field = {.name = "key",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | KEY,
		   .check = aws_check_tag_key,
		   .about = "name of the tag"},
	 .member = "Key"},
	{.field = {.name = "value", .type = FIELD_STRING, .flags = REQUIRED, .most = 256, .about = "its value"},
	 .member = "Value"},
	{.field = {.name = "propagate",
		   .type = FIELD_BOOL,
		   .flags = REQUIRED,
		   .about = "whether new instances get it too"},
	 .member = "PropagateAtLaunch"},
};
const struct aws_field aws_group_tag = {
	.field = {.name = "tag", .type = FIELD_OBJECT, .members = FIELDS(tag_fields)},
};
const struct aws_part aws_group_tags = {
	.add = {.operation = "CreateOrUpdateTags", .recipe = RECIPE_CONVERGE, .settling = aws_group_busy},
	.remove = {.operation = "DeleteTags", .recipe = RECIPE_CONVERGE, .settling = aws_group_busy},
	.change = {.operation = "CreateOrUpdateTags", .recipe = RECIPE_CONVERGE, .settling = aws_group_busy},
	.items = "Tags",
	.batch = 25,
	.item_id = "ResourceId",
	.item_fixed = of_group,
};

static const char *const transitions[] = {"autoscaling:EC2_INSTANCE_LAUNCHING", "autoscaling:EC2_INSTANCE_TERMINATING",
					  NULL};
static const char *const hook_results[] = {"CONTINUE", "ABANDON", NULL};
static const struct aws_field hook_fields[] = {
	{.field = {.name = "name",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | KEY,
		   .least = 1,
		   .most = 255,
		   .pattern = "[A-Za-z0-9_/-]+",
		   .in_words = "letters, digits and _ / - alone",
		   .about = "name of the hook"},
	 .member = "LifecycleHookName"},
	{.field = {.name = "transition",
		   .type = FIELD_STRING,
		   .flags = REQUIRED,
		   .choices = transitions,
		   .about = "what it holds up"},
	 .member = "LifecycleTransition"},
	{.field = {.name = "timeout_s",
		   .type = FIELD_INTEGER,
		   .least = 30,
		   .most = 7200,
		   .when_unset = UNSET_RELEASE,
		   .about = "how long an instance waits; 3600 where it was never given"},
	 .member = "HeartbeatTimeout"},
	{.field = {.name = "default_result",
		   .type = FIELD_STRING,
		   .choices = hook_results,
		   .when_unset = UNSET_RELEASE,
		   .about = "what becomes of it then; ABANDON where it was never given"},
	 .member = "DefaultResult"},
	{.field = {.name = "notify",
		   .type = FIELD_STRING,
		   .when_unset = UNSET_RELEASE,
		   .about = "ARN of the queue or topic that is told"},
	 .member = "NotificationTargetARN"},
	{.field = {.name = "role",
		   .type = FIELD_STRING,
		   .when_unset = UNSET_RELEASE,
		   .about = "ARN of the role that may tell it"},
	 .member = "RoleARN"},
	{.field = {.name = "metadata",
		   .type = FIELD_STRING,
		   .least = 1,
		   .most = 4000,
		   .pattern = "[\\t\\n\\r -~]+",
		   .in_words = "ASCII characters alone",
		   .when_unset = UNSET_RELEASE,
		   .about = "text that is told with it"},
	 .member = "NotificationMetadata"},
};
const struct aws_field aws_group_hook = {
	.field = {.name = "hook", .type = FIELD_OBJECT, .members = FIELDS(hook_fields)},
};
const struct aws_part aws_group_hooks = {
	.add = {.operation = "PutLifecycleHook",
		.id = "AutoScalingGroupName",
		.recipe = RECIPE_CONVERGE,
		.settling = aws_group_busy},
	.remove = {.operation = "DeleteLifecycleHook",
		   .id = "AutoScalingGroupName",
		   .recipe = RECIPE_CONVERGE,
		   .absent = aws_group_absent,
		   .settling = aws_group_busy},
	.change = {.operation = "PutLifecycleHook",
		   .id = "AutoScalingGroupName",
		   .recipe = RECIPE_CONVERGE,
		   .settling = aws_group_busy},
	.inline_in_create = true,
};
const struct aws_detail aws_group_hook_detail = {
	.operation = "DescribeLifecycleHooks", .id = "AutoScalingGroupName", .list = "LifecycleHooks"};

#define MEMBERSHIP(adding, removing, list)                                                                             \
	{                                                                                                              \
		.add = {.operation = (adding),                                                                         \
			.id = "AutoScalingGroupName",                                                                  \
			.recipe = RECIPE_CONVERGE,                                                                     \
			.settling = aws_group_busy},                                                                   \
		.remove = {.operation = (removing),                                                                    \
			   .id = "AutoScalingGroupName",                                                               \
			   .recipe = RECIPE_CONVERGE,                                                                  \
			   .absent = aws_group_absent,                                                                 \
			   .settling = aws_group_busy},                                                                \
		.items = (list), .batch = 10                                                                           \
	}

const struct aws_part aws_group_targets = {
	.add = {.operation = "AttachLoadBalancerTargetGroups",
		.id = "AutoScalingGroupName",
		.recipe = RECIPE_CONVERGE,
		.settling = aws_group_busy},
	.remove = {.operation = "DetachLoadBalancerTargetGroups",
		   .id = "AutoScalingGroupName",
		   .recipe = RECIPE_CONVERGE,
		   .absent = aws_group_absent,
		   .settling = aws_group_busy},
	.items = "TargetGroupARNs",
	.batch = 10,
	.inline_in_create = true,
};
const struct aws_part aws_group_suspended = MEMBERSHIP("SuspendProcesses", "ResumeProcesses", "ScalingProcesses");
static const char *const each_minute[] = {"Granularity", "1Minute", NULL};
const struct aws_part aws_group_metrics = {
	.add = {.operation = "EnableMetricsCollection",
		.id = "AutoScalingGroupName",
		.fixed = each_minute,
		.recipe = RECIPE_CONVERGE,
		.settling = aws_group_busy},
	.remove = {.operation = "DisableMetricsCollection",
		   .id = "AutoScalingGroupName",
		   .recipe = RECIPE_CONVERGE,
		   .absent = aws_group_absent,
		   .settling = aws_group_busy},
	.items = "Metrics",
	.batch = 20,
};

static const char *const processes[] = {"Launch",	   "Terminate",	  "AddToLoadBalancer", "AlarmNotification",
					"AZRebalance",	   "HealthCheck", "ReplaceUnhealthy",  "ScheduledActions",
					"InstanceRefresh", NULL};
const struct aws_field aws_arn = {.field = {.name = "arn",
					    .type = FIELD_STRING,
					    .pattern = "arn:.*",
					    .in_words = "an ARN, which begins with 'arn:'"}};
const struct aws_field aws_group_process = {
	.field = {.name = "process", .type = FIELD_STRING, .choices = processes},
	.read = "ProcessName",
};
const struct aws_field aws_group_metric = {
	.field = {.name = "metric",
		  .type = FIELD_STRING,
		  .pattern = "[A-Za-z]+",
		  .in_words = "the name of a metric, letters alone"},
	.read = "Metric",
};
