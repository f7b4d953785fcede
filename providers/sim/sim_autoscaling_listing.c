#include "providers/sim/sim_autoscaling.h"
#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_query.h"

/* Listings of Auto Scaling groups, their instances, activities and tags. */

enum {
	TAG_MOST = 50,
	PAGE_MOST = 100,
	PAGE_DEFAULT = 50,
};

static int64_t page_size(struct sim_call *call)
{
	int64_t size = sim_number(call, "MaxRecords", PAGE_DEFAULT);

	if (size < 1 || size > PAGE_MOST)
		sim_fail(call, "ValidationError", "MaxRecords must be between 1 and %d", PAGE_MOST);
	return size;
}

static bool page_start(struct sim_call *call, uint64_t *ret)
{
	*ret = 0;
	return sim_text(call, "NextToken").size == 0 || sim_token_read(call, sim_text(call, "NextToken"), ret);
}

static bool has_name(const struct node *names, struct slice name)
{
	for (uint32_t i = 0; names && names->type == NODE_LIST && i < names->count; i++)
		if (slice_equal(node_slice(&names->items[i]), name))
			return true;
	return !names || names->count == 0;
}

static bool tag_fits(const struct node *tag, struct slice name, const struct node *values)
{
	if (slice_starts_with(name, SLICE("tag:")))
		return slice_equal(slice_from(name, 4), node_text(tag, "Key")) &&
		       sim_matches(values, node_text(tag, "Value"));
	return sim_matches(values, node_text(tag, slice_is(name, "tag-key") ? "Key" : "Value"));
}

static bool group_fits(struct sim_call *call, const struct node *body)
{
	const struct node *filters = node_get(&call->request, "Filters"), *tags = node_get(body, "Tags");

	for (uint32_t i = 0; filters && filters->type == NODE_LIST && i < filters->count; i++) {
		struct slice name = node_text(&filters->items[i], "Name");
		bool fits = false;

		if (!slice_is(name, "tag-key") && !slice_is(name, "tag-value") &&
		    !slice_starts_with(name, SLICE("tag:")))
			sim_fail(call, "ValidationError",
				 "Filter type %.*s is not correct. Allowed Filter types are: tag-key, "
				 "tag-value, tag:<key>",
				 SLICE_ARGUMENTS(name));
		for (uint32_t at = 0; tags && at < tags->count && !fits; at++)
			fits = tag_fits(&tags->items[at], name, node_get(&filters->items[i], "Values"));
		if (!fits)
			return false;
	}
	return has_name(node_get(&call->request, "AutoScalingGroupNames"), node_text(body, "AutoScalingGroupName"));
}

static void write_instance(struct sim_call *call, const struct sim_object *instance, const struct sim_object *group)
{
	const struct node *body = &instance->body, *placement = node_get(body, "placement");
	struct slice state = sim_instance_state(instance);
	bool healthy = slice_is(state, "pending") || slice_is(state, "running");

	sim_out_open(call, "member");
	sim_out_text(call, "InstanceId", instance->id);
	sim_out_text(call, "InstanceType", node_text(body, "instanceType"));
	sim_out_text(call, "AvailabilityZone", node_text(placement, "availabilityZone"));
	sim_out_text(call, "LifecycleState", node_text(body, "_lifecycle"));
	sim_out_string(call, "HealthStatus", healthy ? "Healthy" : "Unhealthy");
	sim_out_node(call, "LaunchTemplate", node_get(body, "_launchTemplate"));
	sim_out_text(call, "ProtectedFromScaleIn", node_text(body, "_protected"));
	if (group)
		sim_out_text(call, "AutoScalingGroupName", node_text(&group->body, "AutoScalingGroupName"));
	sim_out_close(call, "member");
}

static void write_group(struct sim_call *call, const struct sim_object *group, const struct node *body)
{
	const struct sim_object *instance;
	size_t cursor = 0;

	sim_out_open(call, "member");
	sim_out_members(call, body);
	sim_out_open(call, "Instances");
	while (sim_flag(call, "IncludeInstances", true) && (instance = sim_group_instance(group, &cursor)) != NULL)
		write_instance(call, instance, NULL);
	sim_out_close(call, "Instances");
	sim_out_close(call, "member");
}

static void describe_groups(struct sim_call *call)
{
	const struct sim_table *table = &call->region->tables[SIM_AUTOSCALING_GROUP];
	int64_t left = page_size(call);
	uint64_t from, next = 0;

	if (call->failed || !page_start(call, &from))
		return;
	sim_out_open(call, "AutoScalingGroups");
	for (size_t i = sim_table_seek(table, from); i < table->count && next == 0; i++) {
		const struct node *body = sim_listed(call->sim, table->objects[i]);

		if (!body || !group_fits(call, body))
			continue;
		if (left-- == 0)
			next = table->objects[i]->sequence;
		else
			write_group(call, table->objects[i], body);
	}
	sim_out_close(call, "AutoScalingGroups");
	if (next > 0)
		sim_token_write(call, "NextToken", next);
}

static void describe_instances(struct sim_call *call)
{
	const struct sim_table *table = &call->region->tables[SIM_INSTANCE];
	int64_t left = page_size(call);
	uint64_t from, next = 0;

	if (call->failed || !page_start(call, &from))
		return;
	sim_out_open(call, "AutoScalingInstances");
	for (size_t i = sim_table_seek(table, from); i < table->count && next == 0; i++) {
		const struct sim_object *instance = table->objects[i];
		const struct sim_object *group = instance->removed ? NULL
								   : sim_find(call->region, SIM_AUTOSCALING_GROUP,
									      node_text(&instance->body, "_groupId"));

		if (!group || slice_is(sim_instance_state(instance), "terminated") ||
		    !has_name(node_get(&call->request, "InstanceIds"), instance->id))
			continue;
		if (left-- == 0)
			next = instance->sequence;
		else
			write_instance(call, instance, group);
	}
	sim_out_close(call, "AutoScalingInstances");
	if (next > 0)
		sim_token_write(call, "NextToken", next);
}

/* Newest first, as the API lists them. */
static void describe_activities(struct sim_call *call)
{
	struct sim_object *group = sim_group_need(call);
	const struct node *list = group ? node_get(&group->body, "_activities") : NULL;

	sim_out_open(call, "Activities");
	for (uint32_t i = list ? list->count : 0; i-- > 0;) {
		sim_out_open(call, "member");
		sim_out_members(call, &list->items[i]);
		sim_out_text(call, "AutoScalingGroupARN", node_text(&group->body, "AutoScalingGroupARN"));
		sim_out_close(call, "member");
	}
	sim_out_close(call, "Activities");
}

bool sim_group_tags_check(struct sim_call *call, const struct node *tags, bool of_group)
{
	if (tags && tags->type != NODE_LIST)
		return true;
	if (tags && tags->count > TAG_MOST)
		sim_fail(call, "ValidationError", "The number of tags for a group is limited to %d", TAG_MOST);
	for (uint32_t i = 0; tags && i < tags->count; i++) {
		struct slice key = node_text(&tags->items[i], "Key"), type = node_text(&tags->items[i], "ResourceType");

		if (key.size == 0 || slice_characters(key) > 128)
			sim_fail(call, "ValidationError", "Tag keys must be 1 to 128 characters long");
		else if (slice_starts_with(key, SLICE("aws:")))
			sim_fail(call, "ValidationError",
				 "Tag keys starting with 'aws:' are reserved for internal use");
		else if (slice_characters(node_text(&tags->items[i], "Value")) > 256)
			sim_fail(call, "ValidationError", "Tag values must be at most 256 characters long");
		else if ((of_group || type.size > 0) && !slice_is(type, "auto-scaling-group"))
			sim_fail(call, "ValidationError", "Invalid resource type '%.*s'", SLICE_ARGUMENTS(type));
		for (uint32_t other = 0; other < i; other++)
			if (slice_equal(node_text(&tags->items[other], "Key"), key) &&
			    slice_equal(node_text(&tags->items[other], "ResourceId"),
					node_text(&tags->items[i], "ResourceId")))
				sim_fail(call, "ValidationError", "Duplicate tag keys were found: %.*s",
					 SLICE_ARGUMENTS(key));
	}
	return !call->failed;
}

void sim_group_tag(struct node *body, const struct node *tag)
{
	struct slice key = node_text(tag, "Key");
	struct node *list = node_list(body, "Tags");
	struct node *item = node_item(list, "Key", key);

	if (!item) {
		item = node_append(list, NODE_MAP);
		node_put(item, "ResourceId", node_text(body, "AutoScalingGroupName"));
		node_set(item, "ResourceType", "auto-scaling-group");
		node_put(item, "Key", key);
	}
	node_put(item, "Value", node_text(tag, "Value"));
	node_set(item, "PropagateAtLaunch", sim_truth(node_text(tag, "PropagateAtLaunch")) ? "true" : "false");
}

static struct sim_object *tagged_group(struct sim_call *call, const struct node *tag)
{
	struct slice name = node_text(tag, "ResourceId");
	struct sim_object *group = sim_find_key(call->region, SIM_AUTOSCALING_GROUP, name);

	if (!group)
		sim_fail(call, "ValidationError", "AutoScalingGroup name not found - AutoScalingGroup '%.*s' not found",
			 SLICE_ARGUMENTS(name));
	return group;
}

static void change_tags(struct sim_call *call, bool set)
{
	const struct node *tags = node_get(&call->request, "Tags");

	if (tags->type != NODE_LIST || !sim_group_tags_check(call, tags, true))
		return;
	for (uint32_t i = 0; i < tags->count; i++) {
		struct sim_object *group = tagged_group(call, &tags->items[i]);

		if (!group)
			return;
		if (set && node_count(&group->body, "Tags") >= TAG_MOST &&
		    !node_item(node_find(&group->body, "Tags"), "Key", node_text(&tags->items[i], "Key"))) {
			sim_fail(call, "LimitExceeded", "The number of tags for a group is limited to %d", TAG_MOST);
			return;
		}
	}
	for (uint32_t i = 0; i < tags->count; i++) {
		struct node *body = sim_edit(call->sim, tagged_group(call, &tags->items[i]));
		struct node *list = node_list(body, "Tags");
		struct node *item = node_item(list, "Key", node_text(&tags->items[i], "Key"));

		if (set)
			sim_group_tag(body, &tags->items[i]);
		else if (item)
			node_remove(list, (size_t)(item - list->items));
	}
}

static void create_or_update_tags(struct sim_call *call)
{
	change_tags(call, true);
}

static void delete_tags(struct sim_call *call)
{
	change_tags(call, false);
}

static bool tag_asked(struct sim_call *call, const struct node *tag)
{
	static const char *const names[][2] = {
		{"auto-scaling-group", "ResourceId"},
		{"key", "Key"},
		{"value", "Value"},
		{"propagate-at-launch", "PropagateAtLaunch"},
	};
	const struct node *filters = node_get(&call->request, "Filters");

	for (uint32_t i = 0; filters && filters->type == NODE_LIST && i < filters->count; i++) {
		const char *member = NULL;

		for (size_t at = 0; at < sizeof(names) / sizeof(names[0]); at++)
			if (slice_is(node_text(&filters->items[i], "Name"), names[at][0]))
				member = names[at][1];
		if (!member) {
			sim_fail(call, "ValidationError", "Invalid filter '%.*s'",
				 SLICE_ARGUMENTS(node_text(&filters->items[i], "Name")));
			return false;
		}
		if (!sim_matches(node_get(&filters->items[i], "Values"), node_text(tag, member)))
			return false;
	}
	return true;
}

static void describe_tags(struct sim_call *call)
{
	const struct sim_table *table = &call->region->tables[SIM_AUTOSCALING_GROUP];
	int64_t left = page_size(call);
	uint64_t from, next = 0;

	if (call->failed || !page_start(call, &from))
		return;
	sim_out_open(call, "Tags");
	/* A page ends with a group's last tag, so that a token is a group's place. */
	for (size_t i = sim_table_seek(table, from); i < table->count && next == 0; i++) {
		const struct node *tags = node_get(sim_listed(call->sim, table->objects[i]), "Tags");

		if (left <= 0)
			next = table->objects[i]->sequence;
		for (uint32_t at = 0; next == 0 && tags && at < tags->count; at++) {
			if (!tag_asked(call, &tags->items[at]))
				continue;
			sim_out_node(call, "member", &tags->items[at]);
			left--;
		}
	}
	sim_out_close(call, "Tags");
	if (next > 0)
		sim_token_write(call, "NextToken", next);
}

#define PAGE "NextToken MaxRecords:i IncludeManagedResources:b "
#define TAGS "Tags![]{ResourceId ResourceType Key! Value PropagateAtLaunch:b}"

static const struct sim_action actions[] = {
	{"DescribeAutoScalingGroups", describe_groups,
	 "AutoScalingGroupNames[] IncludeInstances:b Filters[]{Name Values[]} " PAGE, NULL},
	{"DescribeAutoScalingInstances", describe_instances, "InstanceIds[] " PAGE, NULL},
	{"DescribeScalingActivities", describe_activities,
	 "ActivityIds[] AutoScalingGroupName IncludeDeletedGroups:b Filters[]{Name Values[]} " PAGE, NULL},
	{"CreateOrUpdateTags", create_or_update_tags, TAGS, NULL},
	{"DeleteTags", delete_tags, TAGS, NULL},
	{"DescribeTags", describe_tags, "Filters[]{Name Values[]} " PAGE, NULL},
};

const struct sim_family sim_autoscaling_listing_family = {SIM_AUTOSCALING, actions,
							  sizeof(actions) / sizeof(actions[0])};
