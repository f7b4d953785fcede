#include <stdio.h>

#include "providers/sim/sim_autoscaling.h"
#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_query.h"

/* What belongs to an Auto Scaling group and has calls of its own: hooks, processes, metrics, traffic, instances. */

enum {
	HOOKS_MOST = 50,
	GLOBAL_TIMEOUT_MOST = 172800,
};

static void key(const struct sim_object *hook, char ret[512])
{
	(void)snprintf(ret, 512, "%.*s/%.*s", SLICE_ARGUMENTS(node_text(&hook->body, "AutoScalingGroupName")),
		       SLICE_ARGUMENTS(node_text(&hook->body, "LifecycleHookName")));
}

static const char *const references[] = {"_groupId", NULL};

const struct sim_type sim_lifecycle_hook_type = {
	.number = SIM_LIFECYCLE_HOOK,
	.name = "lifecycle-hook",
	.prefix = "hook",
	.references = references,
	.key = key,
	.untagged = true,
};

static struct sim_object *find_hook(const struct sim_object *group, struct slice name)
{
	struct sim_object *hook;
	size_t cursor = 0;

	while ((hook = sim_referrer(group, SIM_LIFECYCLE_HOOK, &cursor)) != NULL)
		if (slice_equal(node_text(&hook->body, "LifecycleHookName"), name))
			return hook;
	return NULL;
}

static bool check_hook(struct sim_call *call, const struct node *given, bool fresh)
{
	struct slice transition = node_text(given, "LifecycleTransition"), result = node_text(given, "DefaultResult");
	int64_t timeout = node_integer(given, "HeartbeatTimeout", 3600);

	if ((fresh || transition.size > 0) && !slice_is(transition, "autoscaling:EC2_INSTANCE_LAUNCHING") &&
	    !slice_is(transition, "autoscaling:EC2_INSTANCE_TERMINATING"))
		sim_fail(call, "ValidationError", "Invalid lifecycle transition '%.*s'", SLICE_ARGUMENTS(transition));
	else if (result.size > 0 && !slice_is(result, "CONTINUE") && !slice_is(result, "ABANDON"))
		sim_fail(call, "ValidationError", "Invalid default result '%.*s'", SLICE_ARGUMENTS(result));
	else if (timeout < 30 || timeout > 7200)
		sim_fail(call, "ValidationError", "HeartbeatTimeout must be between 30 and 7200 seconds");
	return !call->failed;
}

void sim_group_hook_put(struct sim_call *call, struct sim_object *group, const struct node *given)
{
	static const char *const names[] = {"LifecycleTransition",  "NotificationTargetARN", "RoleARN",
					    "NotificationMetadata", "HeartbeatTimeout",	     "DefaultResult"};
	struct sim_object *hook = find_hook(group, node_text(given, "LifecycleHookName"));
	struct node *body;

	if (!check_hook(call, given, hook == NULL))
		return;
	if (!hook && group->from_count >= HOOKS_MOST) {
		size_t cursor = 0, count = 0;

		while (sim_referrer(group, SIM_LIFECYCLE_HOOK, &cursor))
			count++;
		if (count >= HOOKS_MOST) {
			sim_fail(call, "LimitExceeded", "At most %d lifecycle hooks are allowed for a group",
				 HOOKS_MOST);
			return;
		}
	}
	if (!hook) {
		hook = sim_create(call->sim, call->region, SIM_LIFECYCLE_HOOK, (struct slice){NULL, 0});
		node_put(&hook->body, "LifecycleHookName", node_text(given, "LifecycleHookName"));
		node_put(&hook->body, "AutoScalingGroupName", node_text(&group->body, "AutoScalingGroupName"));
		node_put(&hook->body, "_groupId", group->id);
		node_set(&hook->body, "HeartbeatTimeout", "3600");
		node_set(&hook->body, "DefaultResult", "ABANDON");
	}
	body = sim_edit(call->sim, hook);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (node_get(given, names[i]))
			node_put(body, names[i], node_text(given, names[i]));
	int64_t global = node_integer(body, "HeartbeatTimeout", 3600) * 100;
	node_number(body, "GlobalTimeout", global < GLOBAL_TIMEOUT_MOST ? global : GLOBAL_TIMEOUT_MOST);
}

static void put_lifecycle_hook(struct sim_call *call)
{
	struct sim_object *group = sim_group_need(call);

	if (group)
		sim_group_hook_put(call, group, &call->request);
}

static void delete_lifecycle_hook(struct sim_call *call)
{
	struct sim_object *group = sim_group_need(call);
	struct sim_object *hook = group ? find_hook(group, sim_text(call, "LifecycleHookName")) : NULL;

	if (group && !hook)
		sim_fail(call, "ValidationError", "No Lifecycle Hook found with name: %.*s",
			 SLICE_ARGUMENTS(sim_text(call, "LifecycleHookName")));
	if (hook)
		sim_delete(call->sim, hook);
}

static bool hook_asked(const struct sim_call *call, const struct node *body)
{
	const struct node *names = node_get(&call->request, "LifecycleHookNames");

	for (uint32_t i = 0; names && names->type == NODE_LIST && i < names->count; i++)
		if (slice_equal(node_slice(&names->items[i]), node_text(body, "LifecycleHookName")))
			return true;
	return !names || names->count == 0;
}

static void describe_lifecycle_hooks(struct sim_call *call)
{
	struct sim_object *group = sim_group_need(call), *hook;
	size_t cursor = 0;

	sim_out_open(call, "LifecycleHooks");
	while (group && (hook = sim_referrer(group, SIM_LIFECYCLE_HOOK, &cursor)) != NULL) {
		const struct node *body = sim_listed(call->sim, hook);

		if (body && hook_asked(call, body))
			sim_out_node(call, "member", body);
	}
	sim_out_close(call, "LifecycleHooks");
}

static void complete_lifecycle_action(struct sim_call *call)
{
	struct sim_object *group = sim_group_need(call);
	struct sim_object *instance = group ? sim_find(call->region, SIM_INSTANCE, sim_text(call, "InstanceId")) : NULL;
	struct slice result = sim_text(call, "LifecycleActionResult");

	if (group && (!instance || node_integer(&instance->body, "_hookEndMs", 0) == 0))
		sim_fail(call, "ValidationError", "No active Lifecycle Action found with instance ID %.*s",
			 SLICE_ARGUMENTS(sim_text(call, "InstanceId")));
	else if (group && !slice_is(result, "CONTINUE") && !slice_is(result, "ABANDON"))
		sim_fail(call, "ValidationError", "Invalid lifecycle action result '%.*s'", SLICE_ARGUMENTS(result));
	if (call->failed)
		return;
	node_put(sim_edit(call->sim, instance), "_hookResult", result);
	node_number(&instance->body, "_hookEndMs", call->sim->now_ms);
	sim_group_wake(call->sim, group, 1);
}

static const char *const processes[] = {
	"Launch",      "Terminate",	  "AddToLoadBalancer", "AlarmNotification", "AZRebalance",
	"HealthCheck", "InstanceRefresh", "ReplaceUnhealthy",  "ScheduledActions",  NULL,
};

static const char *const metrics[] = {
	"GroupMinSize",
	"GroupMaxSize",
	"GroupDesiredCapacity",
	"GroupInServiceInstances",
	"GroupPendingInstances",
	"GroupStandbyInstances",
	"GroupTerminatingInstances",
	"GroupTotalInstances",
	"GroupInServiceCapacity",
	"GroupPendingCapacity",
	"GroupStandbyCapacity",
	"GroupTerminatingCapacity",
	"GroupTotalCapacity",
	"WarmPoolDesiredCapacity",
	"WarmPoolWarmedCapacity",
	"WarmPoolPendingCapacity",
	"WarmPoolTerminatingCapacity",
	"WarmPoolTotalCapacity",
	"GroupAndWarmPoolDesiredCapacity",
	"GroupAndWarmPoolTotalCapacity",
	NULL,
};

/* A list of words that are switched on and off; no word given means all of them. */
struct words {
	const char *parameter, *list, *name;
	const char *const *known;
	const char *other_name, *other_value; /* what else an item says */
	bool on;
};

static bool word_asked(const struct sim_call *call, const struct words *words, const char *word)
{
	const struct node *given = node_get(&call->request, words->parameter);

	for (uint32_t i = 0; given && given->type == NODE_LIST && i < given->count; i++)
		if (slice_is(node_slice(&given->items[i]), word))
			return true;
	return !given || given->count == 0;
}

static bool words_known(struct sim_call *call, const struct words *words)
{
	const struct node *given = node_get(&call->request, words->parameter);

	for (uint32_t i = 0; given && given->type == NODE_LIST && i < given->count; i++) {
		bool known = false;

		for (size_t at = 0; words->known[at]; at++)
			known = known || slice_is(node_slice(&given->items[i]), words->known[at]);
		if (!known)
			sim_fail(call, "ValidationError", "Invalid value '%.*s' in %s",
				 SLICE_ARGUMENTS(node_slice(&given->items[i])), words->parameter);
	}
	return !call->failed;
}

static void switch_words(struct sim_call *call)
{
	const struct words *words = call->action->data;
	struct sim_object *group = sim_group_need(call);
	struct node *list;

	if (group && words->other_name && words->on && sim_given(call, "Granularity") &&
	    !slice_is(sim_text(call, "Granularity"), "1Minute"))
		sim_fail(call, "ValidationError", "Valid metric granularities are '1Minute'");
	if (!group || !words_known(call, words))
		return;
	list = node_list(sim_edit(call->sim, group), words->list);
	for (size_t i = 0; words->known[i]; i++) {
		struct node *item = node_item(list, words->name, slice_of(words->known[i]));

		if (!word_asked(call, words, words->known[i]))
			continue;
		if (words->on && !item) {
			item = node_append(list, NODE_MAP);
			node_set(item, words->name, words->known[i]);
			node_set(item, words->other_name, words->other_value);
		} else if (!words->on && item) {
			node_remove(list, (size_t)(item - list->items));
		}
	}
	sim_group_wake(call->sim, group, 1000);
}

static void traffic_one(struct node *body, const char *name, struct slice id, bool add)
{
	struct node *list = node_list(body, name);

	for (uint32_t i = list->count; i-- > 0;)
		if (slice_equal(node_slice(&list->items[i]), id))
			node_remove(list, i);
	if (add)
		node_assign(node_append(list, NODE_TEXT), id);
}

void sim_group_traffic(struct node *body, const struct node *sources, bool add)
{
	for (uint32_t i = 0; sources->type == NODE_LIST && i < sources->count; i++) {
		struct slice id = node_text(&sources->items[i], "Identifier"),
			     type = node_text(&sources->items[i], "Type");
		struct node *list = node_list(body, "TrafficSources");
		struct node *item = node_item(list, "Identifier", id);

		if (type.size == 0)
			type = slice_starts_with(id, SLICE("arn:")) ? SLICE("elbv2") : SLICE("elb");
		if (item && !add)
			node_remove(list, (size_t)(item - list->items));
		if (!item && add) {
			item = node_append(list, NODE_MAP);
			node_put(item, "Identifier", id);
			node_put(item, "Type", type);
		}
		if (slice_is(type, "elbv2"))
			traffic_one(body, "TargetGroupARNs", id, add);
		else if (slice_is(type, "elb"))
			traffic_one(body, "LoadBalancerNames", id, add);
	}
}

static void change_traffic(struct sim_call *call, bool add)
{
	struct sim_object *group = sim_group_need(call);

	if (group)
		sim_group_traffic(sim_edit(call->sim, group), node_get(&call->request, "TrafficSources"), add);
}

static void attach_traffic_sources(struct sim_call *call)
{
	change_traffic(call, true);
}

static void detach_traffic_sources(struct sim_call *call)
{
	change_traffic(call, false);
}

/* The older calls for load balancers' target groups: the same sources by another name. */
static void change_target_groups(struct sim_call *call, bool add)
{
	struct sim_object *group = sim_group_need(call);
	const struct node *arns = node_get(&call->request, "TargetGroupARNs");
	struct node sources = {.type = NODE_LIST};

	for (uint32_t i = 0; group && arns->type == NODE_LIST && i < arns->count && !call->failed; i++) {
		struct slice arn = node_slice(&arns->items[i]);
		struct node *source = node_append(&sources, NODE_MAP);

		if (!slice_starts_with(arn, SLICE("arn:")))
			sim_fail(call, "ValidationError", "Provided Target Groups may not be valid: %.*s",
				 SLICE_ARGUMENTS(arn));
		node_put(source, "Identifier", arn);
		node_set(source, "Type", "elbv2");
	}
	if (group && !call->failed)
		sim_group_traffic(sim_edit(call->sim, group), &sources, add);
	node_release(&sources);
}

static void attach_target_groups(struct sim_call *call)
{
	change_target_groups(call, true);
}

static void detach_target_groups(struct sim_call *call)
{
	change_target_groups(call, false);
}

static void describe_traffic_sources(struct sim_call *call)
{
	struct sim_object *group = sim_group_need(call);
	const struct node *body = group ? sim_listed(call->sim, group) : NULL;
	const struct node *list = node_get(body, "TrafficSources");

	sim_out_open(call, "TrafficSources");
	for (uint32_t i = 0; list && i < list->count; i++) {
		sim_out_open(call, "member");
		sim_out_members(call, &list->items[i]);
		sim_out_string(call, "State", "InService");
		sim_out_close(call, "member");
	}
	sim_out_close(call, "TrafficSources");
}

static void set_instance_protection(struct sim_call *call)
{
	struct sim_object *group = sim_group_need(call);
	const struct node *ids = node_get(&call->request, "InstanceIds");
	bool on = sim_flag(call, "ProtectedFromScaleIn", false);

	for (uint32_t i = 0; group && ids->type == NODE_LIST && i < ids->count && !call->failed; i++) {
		struct sim_object *instance = sim_find(call->region, SIM_INSTANCE, node_slice(&ids->items[i]));

		if (!instance || !slice_equal(node_text(&instance->body, "_groupId"), group->id))
			sim_fail(call, "ValidationError", "The instance %.*s is not part of Auto Scaling group %.*s.",
				 SLICE_ARGUMENTS(node_slice(&ids->items[i])),
				 SLICE_ARGUMENTS(sim_text(call, "AutoScalingGroupName")));
		else
			node_set(sim_edit(call->sim, instance), "_protected", on ? "true" : "false");
	}
}

static void terminate_instance(struct sim_call *call)
{
	struct sim_object *instance = sim_find(call->region, SIM_INSTANCE, sim_text(call, "InstanceId")), *group = NULL;

	if (instance)
		group = sim_find(call->region, SIM_AUTOSCALING_GROUP, node_text(&instance->body, "_groupId"));
	if (!group) {
		sim_fail(call, "ValidationError",
			 "Instance Id not found - No managed instance found for instance ID: %.*s",
			 SLICE_ARGUMENTS(sim_text(call, "InstanceId")));
		return;
	}
	if (sim_flag(call, "ShouldDecrementDesiredCapacity", false)) {
		int64_t desired = node_integer(&group->body, "DesiredCapacity", 1) - 1;

		if (desired < node_integer(&group->body, "MinSize", 0)) {
			sim_fail(call, "ValidationError",
				 "Currently, desiredSize equals minSize. Terminating instance without "
				 "replacement will violate group's min size constraint.");
			return;
		}
		node_number(sim_edit(call->sim, group), "DesiredCapacity", desired);
	}
	sim_group_end_instance(call->sim, group, instance,
			       "instance was taken out of service in response to a user request");
	sim_group_wake(call->sim, group, 1000);
	const struct node *activities = node_get(&group->body, "_activities");
	if (activities && activities->count > 0)
		sim_out_node(call, "Activity", &activities->items[activities->count - 1]);
}

static const struct words suspend = {"ScalingProcesses",
				     "SuspendedProcesses",
				     "ProcessName",
				     processes,
				     "SuspensionReason",
				     "User suspended at the user's request",
				     true};
static const struct words resume = {
	"ScalingProcesses", "SuspendedProcesses", "ProcessName", processes, NULL, NULL, false};
static const struct words enable = {"Metrics", "EnabledMetrics", "Metric", metrics, "Granularity", "1Minute", true};
static const struct words disable = {"Metrics", "EnabledMetrics", "Metric", metrics, NULL, NULL, false};

static const struct sim_action actions[] = {
	{"PutLifecycleHook", put_lifecycle_hook,
	 "LifecycleHookName! AutoScalingGroupName! LifecycleTransition RoleARN NotificationTargetARN "
	 "NotificationMetadata "
	 "HeartbeatTimeout:i DefaultResult",
	 NULL},
	{"DeleteLifecycleHook", delete_lifecycle_hook, "LifecycleHookName! AutoScalingGroupName!", NULL},
	{"DescribeLifecycleHooks", describe_lifecycle_hooks, "AutoScalingGroupName! LifecycleHookNames[]", NULL},
	{"CompleteLifecycleAction", complete_lifecycle_action,
	 "LifecycleHookName! AutoScalingGroupName! LifecycleActionToken LifecycleActionResult! InstanceId", NULL},
	{"SuspendProcesses", switch_words, "AutoScalingGroupName! ScalingProcesses[]", &suspend},
	{"ResumeProcesses", switch_words, "AutoScalingGroupName! ScalingProcesses[]", &resume},
	{"EnableMetricsCollection", switch_words, "AutoScalingGroupName! Metrics[] Granularity!", &enable},
	{"DisableMetricsCollection", switch_words, "AutoScalingGroupName! Metrics[]", &disable},
	{"AttachTrafficSources", attach_traffic_sources,
	 "AutoScalingGroupName! TrafficSources![]{Identifier! Type} SkipZonalShiftValidation:b", NULL},
	{"DetachTrafficSources", detach_traffic_sources, "AutoScalingGroupName! TrafficSources![]{Identifier! Type}",
	 NULL},
	{"AttachLoadBalancerTargetGroups", attach_target_groups, "AutoScalingGroupName! TargetGroupARNs![]", NULL},
	{"DetachLoadBalancerTargetGroups", detach_target_groups, "AutoScalingGroupName! TargetGroupARNs![]", NULL},
	{"DescribeTrafficSources", describe_traffic_sources,
	 "AutoScalingGroupName! TrafficSourceType NextToken MaxRecords:i", NULL},
	{"SetInstanceProtection", set_instance_protection,
	 "InstanceIds![] AutoScalingGroupName! ProtectedFromScaleIn:b!", NULL},
	{"TerminateInstanceInAutoScalingGroup", terminate_instance,
	 "InstanceId! ShouldDecrementDesiredCapacity:b! AutoScalingGroupName InstanceIds[]", NULL},
};

const struct sim_family sim_autoscaling_part_family = {SIM_AUTOSCALING, actions, sizeof(actions) / sizeof(actions[0])};
