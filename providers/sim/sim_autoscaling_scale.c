#include "providers/sim/sim_autoscaling.h"
#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"

/* What an Auto Scaling group does by itself: it launches, terminates and replaces instances. */

enum {
	STEP_MS = 5 * 1000,
	RETRY_MS = 90 * 1000,  /* after a launch that failed */
	NOTICE_MS = 30 * 1000, /* until an instance that ended on its own is missed */
	ACTIVITIES_MOST = 20,
};

struct sim_object *sim_group_instance(const struct sim_object *group, size_t *cursor)
{
	struct sim_object *instance;

	while ((instance = sim_referrer(group, SIM_INSTANCE, cursor)) != NULL)
		if (!slice_is(sim_instance_state(instance), "terminated"))
			return instance;
	return NULL;
}

void sim_group_wake(struct sim *sim, struct sim_object *group, int64_t delay_ms)
{
	int64_t at_ms = sim->now_ms + sim_pace(sim, delay_ms);

	if (group->due_ms == 0 || group->due_ms > at_ms)
		sim_schedule(sim, group, sim_pace(sim, delay_ms));
}

static bool suspended(const struct sim_object *group, const char *process)
{
	const struct node *list = node_get(&group->body, "SuspendedProcesses");

	for (uint32_t i = 0; list && i < list->count; i++)
		if (node_is(&list->items[i], "ProcessName", process))
			return true;
	return false;
}

static void record(struct sim *sim, struct sim_object *group, const char *what, struct slice id, const char *cause,
		   const char *status, const char *message)
{
	struct node *list = node_list(sim_edit(sim, group), "_activities");
	struct node *activity;
	char digits[33], now[32];

	if (list->count >= ACTIVITIES_MOST)
		node_remove(list, 0);
	sim_random_hex(sim, digits, 32);
	sim_time_text(sim->now_ms, now);
	activity = node_append(list, NODE_MAP);
	node_format(activity, "ActivityId", "%.8s-%.4s-%.4s-%.4s-%.12s", digits, digits + 8, digits + 12, digits + 16,
		    digits + 20);
	node_put(activity, "AutoScalingGroupName", node_text(&group->body, "AutoScalingGroupName"));
	node_format(activity, "Description", "%s EC2 instance%s%.*s", what, id.size > 0 ? ": " : "",
		    SLICE_ARGUMENTS(id));
	node_set(activity, "Cause", cause);
	node_set(activity, "StartTime", now);
	node_set(activity, "EndTime", now);
	node_set(activity, "StatusCode", status);
	if (message)
		node_set(activity, "StatusMessage", message);
	node_set(activity, "Progress", "100");
}

/* The subnet with the fewest instances of the group. */
static struct slice emptiest_subnet(const struct sim_object *group)
{
	struct slice rest = node_text(&group->body, "VPCZoneIdentifier"), subnet, best = {NULL, 0};
	size_t least = SIZE_MAX;

	while (sim_group_next_subnet(&rest, &subnet)) {
		struct sim_object *instance;
		size_t cursor = 0, count = 0;

		while ((instance = sim_group_instance(group, &cursor)) != NULL)
			count += slice_equal(node_text(&instance->body, "subnetId"), subnet);
		if (count < least) {
			least = count;
			best = subnet;
		}
	}
	return best;
}

static void join_group(struct sim_object *instance, const struct sim_object *group, const struct sim_object *version)
{
	struct node *body = &instance->body, *shown;
	const struct node *tags = node_get(&group->body, "Tags");

	node_put(body, "_groupId", group->id);
	node_set(body, "_lifecycle", "Pending");
	node_put(body, "_protected", node_text(&group->body, "NewInstancesProtectedFromScaleIn"));
	shown = node_map(body, "_launchTemplate");
	node_put(shown, "LaunchTemplateId", node_text(&version->body, "launchTemplateId"));
	node_put(shown, "LaunchTemplateName", node_text(&version->body, "launchTemplateName"));
	node_put(shown, "Version", node_text(&version->body, "versionNumber"));
	for (uint32_t i = 0; tags && i < tags->count; i++)
		if (node_is(&tags->items[i], "PropagateAtLaunch", "true"))
			sim_tag_set(body, node_text(&tags->items[i], "Key"), node_text(&tags->items[i], "Value"));
	sim_tag_set(body, SLICE("aws:autoscaling:groupName"), node_text(&group->body, "AutoScalingGroupName"));
}

/* As if the group made the call itself: its failure is an activity, not an answer. */
static bool launch_one(struct sim *sim, struct sim_object *group)
{
	struct sim_call call = {.sim = sim, .region = group->region, .service = SIM_AUTOSCALING};
	struct node data = {.type = NODE_MAP};
	struct sim_object *version, *instance = NULL;
	struct arena arena;
	BUFFER_AUTO out;
	char digits[18];

	arena_init(&arena);
	buffer_init(&out, 1 << 20);
	call.arena = &arena;
	call.out = &out;
	struct slice subnet = arena_copy(&arena, emptiest_subnet(group));
	if (sim_group_launch_data(&call, group, subnet, &data, &version) && sim_launch_check(&call, &data)) {
		sim_random_hex(sim, digits, 17);
		struct sim_launch launch = {
			.data = &data,
			.reservation_id = arena_format(&arena, "r-%s", digits),
			.template_version = version,
		};
		instance = sim_launch_instance(&call, &launch, 0);
	}
	if (instance) {
		join_group(instance, group, version);
		/* For the next one of this very step to be put where there are fewer. */
		sim_relink(sim, instance);
		record(sim, group, "Launching a new", instance->id,
		       "an instance was started in response to a difference between desired and actual capacity",
		       "Successful", NULL);
	} else {
		record(sim, group, "Launching a new", SLICE(""),
		       "an instance was to be started in response to a difference between desired and actual capacity",
		       "Failed", call.message);
	}
	node_release(&data);
	arena_release(&arena);
	return instance != NULL;
}

/* A hook of that transition, or NULL. */
static struct sim_object *sim_group_hook(const struct sim_object *group, const char *transition)
{
	struct sim_object *hook;
	size_t cursor = 0;

	while ((hook = sim_referrer(group, SIM_LIFECYCLE_HOOK, &cursor)) != NULL)
		if (node_is(&hook->body, "LifecycleTransition", transition))
			return hook;
	return NULL;
}

/* The group wakes when the hook's time is over: nothing else may happen to it until then. */
static void hold(struct sim *sim, struct sim_object *group, struct sim_object *instance, const struct sim_object *hook,
		 const char *lifecycle)
{
	struct node *body = sim_edit(sim, instance);
	int64_t timeout_ms = node_integer(&hook->body, "HeartbeatTimeout", 3600) * 1000;

	node_set(body, "_lifecycle", lifecycle);
	node_put(body, "_hookResult", node_text(&hook->body, "DefaultResult"));
	node_number(body, "_hookEndMs", sim->now_ms + sim_pace(sim, timeout_ms));
	sim_group_wake(sim, group, timeout_ms);
}

static void terminate_now(struct sim *sim, struct sim_object *instance)
{
	struct node *body = sim_edit(sim, instance);

	node_set(body, "_lifecycle", "Terminating");
	node_set(body, "_hookEndMs", "0");
	sim_instance_terminate(sim, instance, "Server.ScheduledStop", "Terminated by its Auto Scaling group");
}

/*
 * "Retained instances don't count toward desired capacity and remain until you call
 * TerminateInstanceInAutoScalingGroup"
 * (https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_RetentionTriggers.html).
 */
static bool is_retained(const struct sim_object *instance)
{
	return node_is(&instance->body, "_lifecycle", "Terminating:Retained");
}

static bool retains(const struct sim_object *group)
{
	const struct node *policy = node_get(&group->body, "InstanceLifecyclePolicy");
	const struct node *triggers = policy ? node_get(policy, "RetentionTriggers") : NULL;

	return triggers && node_is(triggers, "TerminateHookAbandon", "retain") && !node_get(&group->body, "Status");
}

void sim_group_end_instance(struct sim *sim, struct sim_object *group, struct sim_object *instance, const char *cause)
{
	struct sim_object *hook = sim_group_hook(group, "autoscaling:EC2_INSTANCE_TERMINATING");

	record(sim, group, "Terminating", instance->id, cause, "Successful", NULL);
	if (hook && !node_get(&group->body, "Status") && !is_retained(instance))
		hold(sim, group, instance, hook, "Terminating:Wait");
	else
		terminate_now(sim, instance);
}

static bool is_ending(const struct sim_object *instance)
{
	return slice_starts_with(node_text(&instance->body, "_lifecycle"), SLICE("Terminating")) ||
	       slice_is(sim_instance_state(instance), "shutting-down");
}

/* Hooks whose time is over let go. */
static int64_t release_holds(struct sim *sim, struct sim_object *group)
{
	struct sim_object *instance;
	size_t cursor = 0;
	int64_t next_ms = 0;

	while ((instance = sim_group_instance(group, &cursor)) != NULL) {
		int64_t end_ms = node_integer(&instance->body, "_hookEndMs", 0);

		if (end_ms == 0)
			continue;
		if (end_ms > sim->now_ms) {
			next_ms = next_ms == 0 || end_ms < next_ms ? end_ms : next_ms;
			continue;
		}
		struct node *body = sim_edit(sim, instance);
		node_set(body, "_hookEndMs", "0");
		if (node_is(body, "_lifecycle", "Pending:Wait") && node_is(body, "_hookResult", "CONTINUE"))
			node_set(body, "_lifecycle", "InService");
		else if (node_is(body, "_lifecycle", "Terminating:Wait") && !node_is(body, "_hookResult", "CONTINUE") &&
			 retains(group))
			node_set(body, "_lifecycle", "Terminating:Retained");
		else
			terminate_now(sim, instance);
	}
	return next_ms;
}

/* A stopped instance of a group counts as unhealthy and is replaced. */
static size_t count_live(struct sim *sim, struct sim_object *group, bool *ret_ending)
{
	struct sim_object *instance;
	size_t cursor = 0, count = 0;

	while ((instance = sim_group_instance(group, &cursor)) != NULL) {
		struct slice state = sim_instance_state(instance);
		bool unhealthy = slice_is(state, "stopped") || slice_is(state, "stopping");

		if (unhealthy && !is_ending(instance) && !suspended(group, "HealthCheck") &&
		    !suspended(group, "ReplaceUnhealthy"))
			sim_group_end_instance(sim, group, instance,
					       "an instance was taken out of service as unhealthy");
		if (is_retained(instance) && node_get(&group->body, "Status"))
			terminate_now(sim, instance);
		if (is_ending(instance))
			*ret_ending = true;
		else
			count++;
	}
	return count;
}

static void scale_in(struct sim *sim, struct sim_object *group, size_t surplus)
{
	struct sim_object *instance;
	size_t cursor = 0;
	bool forced = node_get(&group->body, "Status") != NULL;

	while (surplus > 0 && (instance = sim_group_instance(group, &cursor)) != NULL) {
		if (is_ending(instance) || (!forced && node_is(&instance->body, "_protected", "true")))
			continue;
		sim_group_end_instance(
			sim, group, instance,
			"an instance was terminated in response to a difference between desired and actual capacity");
		surplus--;
	}
}

/* In a zone that the group has left. */
static bool is_stray(const struct sim_object *group, const struct sim_object *instance)
{
	const struct node *zones = node_get(&group->body, "AvailabilityZones");
	struct slice zone = node_text(node_get(&instance->body, "placement"), "availabilityZone");

	for (uint32_t i = 0; zones && i < zones->count; i++)
		if (slice_equal(node_slice(&zones->items[i]), zone))
			return false;
	return !is_ending(instance) && !node_is(&instance->body, "_protected", "true");
}

/*
 * What is in a zone that the group has left is replaced, and goes once the others do all the work. Another subnet of
 * the same zone moves nothing
 * (https://docs.aws.amazon.com/autoscaling/ec2/userguide/auto-scaling-benefits.html). Returns how many there were.
 */
static size_t rebalance(struct sim *sim, struct sim_object *group)
{
	int64_t desired = node_integer(&group->body, "DesiredCapacity", 0), serving = 0;
	struct sim_object *instance;
	size_t cursor = 0, strays = 0;

	if (suspended(group, "AZRebalance"))
		return 0;
	while ((instance = sim_group_instance(group, &cursor)) != NULL) {
		if (is_stray(group, instance))
			strays++;
		else if (!is_ending(instance) && node_is(&instance->body, "_lifecycle", "InService"))
			serving++;
	}
	if (strays == 0 || serving < desired || suspended(group, "Terminate"))
		return strays;
	cursor = 0;
	while ((instance = sim_group_instance(group, &cursor)) != NULL)
		if (is_stray(group, instance))
			sim_group_end_instance(sim, group, instance,
					       "an instance was terminated in a zone that the group has left");
	return strays;
}

void sim_group_forget(struct sim *sim, struct sim_object *group)
{
	sim_delete_referrers(sim, group, SIM_LIFECYCLE_HOOK);
	sim_delete(sim, group);
}

void sim_group_tick(struct sim *sim, struct sim_object *group)
{
	int64_t desired = node_integer(&group->body, "DesiredCapacity", 0), next_ms = release_holds(sim, group);
	bool ending = false, failed = false;
	size_t live = count_live(sim, group, &ending), strays = rebalance(sim, group);

	/* Those that are replaced count for nothing. */
	live -= strays;
	ending = ending || strays > 0;
	if (node_get(&group->body, "Status") && live == 0 && !ending) {
		sim_group_forget(sim, group);
		return;
	}
	for (size_t i = live; (int64_t)i < desired && !failed && !suspended(group, "Launch"); i++)
		failed = !launch_one(sim, group);
	/* "If you suspend the Terminate process, you can still force instances to be terminated"
	 * (https://docs.aws.amazon.com/autoscaling/ec2/userguide/suspend-resume-considerations.html). */
	if ((int64_t)live > desired && (node_get(&group->body, "Status") || !suspended(group, "Terminate")))
		scale_in(sim, group, live - (size_t)desired);
	/* Not at the world's pace: at none at all a group that cannot launch would try for ever. */
	if (failed)
		sim_schedule(sim, group, RETRY_MS);
	else if (node_get(&group->body, "Status"))
		sim_group_wake(sim, group, STEP_MS);
	if (next_ms > 0 && (group->due_ms == 0 || group->due_ms > next_ms))
		sim_schedule(sim, group, next_ms - sim->now_ms);
}

void sim_group_instance_changed(struct sim *sim, struct sim_object *instance)
{
	struct sim_object *group =
		sim_find(instance->region, SIM_AUTOSCALING_GROUP, node_text(&instance->body, "_groupId"));
	struct slice state = sim_instance_state(instance);
	struct sim_object *hook;

	if (!group)
		return;
	if (slice_is(state, "running") && node_is(&instance->body, "_lifecycle", "Pending")) {
		hook = sim_group_hook(group, "autoscaling:EC2_INSTANCE_LAUNCHING");
		if (hook)
			hold(sim, group, instance, hook, "Pending:Wait");
		else
			node_set(sim_edit(sim, instance), "_lifecycle", "InService");
	}
	sim_group_wake(sim, group, is_ending(instance) ? STEP_MS : NOTICE_MS);
}
