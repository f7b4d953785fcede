#include "providers/sim/sim_autoscaling.h"
#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"

/* The life of an instance: from pending to an hour after its end. */

enum {
	RUNNING_MS = 25 * 1000,
	STOPPED_MS = 30 * 1000,
	TERMINATED_MS = 40 * 1000,
	LISTED_MS = 60 * 60 * 1000,
};

static const struct {
	const char *name, *code;
	const char *next; /* what it becomes by itself, or NULL */
} states[] = {
	{"pending", "0", "running"}, {"running", "16", NULL},	    {"shutting-down", "32", "terminated"},
	{"terminated", "48", NULL},  {"stopping", "64", "stopped"}, {"stopped", "80", NULL},
};

enum { STATE_COUNT = sizeof(states) / sizeof(states[0]) };

struct slice sim_instance_state(const struct sim_object *instance)
{
	return node_text(node_get(&instance->body, "instanceState"), "name");
}

void sim_instance_set_state(struct node *body, const char *name)
{
	struct node *state = node_map(body, "instanceState");

	for (size_t i = 0; i < STATE_COUNT; i++)
		if (strcmp(states[i].name, name) == 0)
			node_set(state, "code", states[i].code);
	node_set(state, "name", name);
}

/* What a terminated instance no longer has leaves its tree. */
static void release_network(struct sim *sim, struct sim_object *instance)
{
	static const char *const lists[] = {"groupSet", "blockDeviceMapping"};
	static const char *const texts[] = {"subnetId", "vpcId", "privateIpAddress", "ipAddress"};
	struct node *body = sim_edit(sim, instance);

	sim_interfaces_end(sim, instance);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		node_reset(node_list(body, lists[i]), NODE_LIST);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		node_drop(body, texts[i]);
	node_set(body, "privateDnsName", "");
	node_set(body, "dnsName", "");
}

static void tick(struct sim *sim, struct sim_object *instance)
{
	struct slice state = sim_instance_state(instance);
	const char *next = NULL;

	if (slice_is(state, "terminated")) {
		sim_delete(sim, instance);
		return;
	}
	for (size_t i = 0; i < STATE_COUNT; i++)
		if (slice_is(state, states[i].name))
			next = states[i].next;
	if (!next)
		return;
	/* As where a volume cannot be made (User Guide, "Instance terminates immediately"). */
	if (slice_is(state, "pending") && node_is(&instance->body, "_failsLater", "true")) {
		next = "terminated";
		node_set(node_map(sim_edit(sim, instance), "stateReason"), "code", "Server.InternalError");
	}
	sim_instance_set_state(sim_edit(sim, instance), next);
	sim_group_instance_changed(sim, instance);
	if (strcmp(next, "stopped") == 0)
		sim_public_address_release(sim, instance);
	if (strcmp(next, "terminated") == 0) {
		sim_routes_to(sim, instance, false);
		sim_volumes_end(sim, instance);
		release_network(sim, instance);
		sim_schedule(sim, instance, sim_pace(sim, LISTED_MS));
	}
}

static void leave(struct sim *sim, struct sim_object *instance)
{
	struct sim_object *group =
		sim_find(instance->region, SIM_AUTOSCALING_GROUP, node_text(&instance->body, "_groupId"));

	sim_routes_to(sim, instance, false);
	sim_volumes_end(sim, instance);
	release_network(sim, instance);
	if (group)
		sim_group_wake(sim, group, 1000);
}

static bool gone(const struct sim_object *instance)
{
	return slice_is(sim_instance_state(instance), "terminated");
}

static bool holds(const struct sim_object *instance, const struct sim_object *target)
{
	(void)target;
	return !gone(instance);
}

static const char *const references[] = {
	"subnetId", "vpcId", "groupSet.groupId", "networkInterfaceSet.subnetId", "networkInterfaceSet.groupSet.groupId",
	"_groupId", NULL};
static const char *const parts[] = {"_profileAssociationId", "networkInterfaceSet.networkInterfaceId", NULL};

const struct sim_type sim_instance_type = {
	.number = SIM_INSTANCE,
	.name = "instance",
	.prefix = "i",
	.id_name = "instanceId",
	.references = references,
	.parts = parts,
	.holds = holds,
	.gone = gone,
	.leave = leave,
	.tick = tick,
	.absent_code = "InvalidInstanceID.NotFound",
	.absent_message = "The instance ID '%s' does not exist",
	.malformed_code = "InvalidInstanceID.Malformed",
};

void sim_instance_terminate(struct sim *sim, struct sim_object *instance, const char *reason_code, const char *reason)
{
	struct slice state = sim_instance_state(instance);
	struct node *body;

	if (slice_is(state, "terminated") || slice_is(state, "shutting-down"))
		return;
	body = sim_edit(sim, instance);
	sim_instance_set_state(body, "shutting-down");
	node_set(node_map(body, "stateReason"), "code", reason_code);
	node_set(node_map(body, "stateReason"), "message", reason);
	if (node_is(body, "_spotRequest", "active"))
		node_set(body, "_spotRequest", node_is(body, "_spotType", "persistent") ? "open" : "closed");
	sim_schedule(sim, instance, sim_pace(sim, TERMINATED_MS));
	sim_group_instance_changed(sim, instance);
}

/* Every instance that a call names, or a failed call. */
static bool all_there(struct sim_call *call, bool (*may)(struct sim_call *, const struct sim_object *))
{
	const struct node *ids = node_get(&call->request, "InstanceId");

	for (uint32_t i = 0; i < ids->count && !call->failed; i++) {
		struct sim_object *instance = sim_need_id(call, SIM_INSTANCE, node_slice(&ids->items[i]));

		if (instance)
			(void)may(call, instance);
	}
	return !call->failed;
}

static void write_state(struct sim_call *call, const char *name, struct slice state)
{
	sim_out_open(call, name);
	for (size_t i = 0; i < STATE_COUNT; i++)
		if (slice_is(state, states[i].name))
			sim_out_string(call, "code", states[i].code);
	sim_out_text(call, "name", state);
	sim_out_close(call, name);
}

/* Changes each and writes its state before and after. */
static void change_all(struct sim_call *call, void (*change)(struct sim *sim, struct sim_object *instance))
{
	const struct node *ids = node_get(&call->request, "InstanceId");

	sim_out_open(call, "instancesSet");
	for (uint32_t i = 0; i < ids->count; i++) {
		struct sim_object *instance = sim_find(call->region, SIM_INSTANCE, node_slice(&ids->items[i]));
		struct slice before = arena_copy(call->arena, sim_instance_state(instance));

		change(call->sim, instance);
		sim_out_open(call, "item");
		sim_out_text(call, "instanceId", instance->id);
		write_state(call, "currentState", sim_instance_state(instance));
		write_state(call, "previousState", before);
		sim_out_close(call, "item");
	}
	sim_out_close(call, "instancesSet");
}

static bool may_terminate(struct sim_call *call, const struct sim_object *instance)
{
	/* Stop protection forbids it too
	 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-stop-protection.html). */
	static const char *const attributes[] = {"_disableApiTermination", "_disableApiStop"};

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]) && !call->failed; i++)
		if (node_is(&instance->body, attributes[i], "true") && !gone(instance))
			sim_fail(call, "OperationNotPermitted",
				 "The instance '%.*s' may not be terminated. Modify its '%s' instance attribute and "
				 "try again.",
				 SLICE_ARGUMENTS(instance->id), attributes[i] + 1);
	return !call->failed;
}

static void terminate(struct sim *sim, struct sim_object *instance)
{
	sim_instance_terminate(sim, instance, "Client.UserInitiatedShutdown",
			       "Client.UserInitiatedShutdown: User initiated shutdown");
}

static void terminate_instances(struct sim_call *call)
{
	if (all_there(call, may_terminate))
		change_all(call, terminate);
}

/* Of the requests no more is held than what becomes of them: an open one would launch another instance. */
static struct sim_object *requested(struct sim_call *call, struct slice request)
{
	const struct sim_table *table = &call->region->tables[SIM_INSTANCE];

	for (size_t i = 0; i < table->count; i++)
		if (slice_equal(node_text(&table->objects[i]->body, "spotInstanceRequestId"), request))
			return table->objects[i];
	sim_fail(call, "InvalidSpotInstanceRequestID.NotFound", "The spot instance request ID '%.*s' does not exist",
		 SLICE_ARGUMENTS(request));
	return NULL;
}

static void cancel_spot_instance_requests(struct sim_call *call)
{
	const struct node *ids = node_get(&call->request, "SpotInstanceRequestId");

	for (uint32_t i = 0; i < ids->count && !call->failed; i++)
		(void)requested(call, node_slice(&ids->items[i]));
	if (call->failed)
		return;
	sim_out_open(call, "spotInstanceRequestSet");
	for (uint32_t i = 0; i < ids->count; i++) {
		node_set(sim_edit(call->sim, requested(call, node_slice(&ids->items[i]))), "_spotRequest", "cancelled");
		sim_out_open(call, "item");
		sim_out_text(call, "spotInstanceRequestId", node_slice(&ids->items[i]));
		sim_out_string(call, "state", "cancelled");
		sim_out_close(call, "item");
	}
	sim_out_close(call, "spotInstanceRequestSet");
}

static bool may_start(struct sim_call *call, const struct sim_object *instance)
{
	struct slice state = sim_instance_state(instance);

	if (!slice_is(state, "stopped") && !slice_is(state, "running") && !slice_is(state, "pending"))
		sim_fail(call, "IncorrectInstanceState",
			 "The instance '%.*s' is not in a state from which it can be started.",
			 SLICE_ARGUMENTS(instance->id));
	return !call->failed;
}

static void start(struct sim *sim, struct sim_object *instance)
{
	if (!slice_is(sim_instance_state(instance), "stopped"))
		return;
	struct node *body = sim_edit(sim, instance);
	sim_instance_set_state(body, "pending");
	node_drop(body, "stateReason");
	sim_public_address_renew(sim, instance);
	sim_schedule(sim, instance, sim_pace(sim, RUNNING_MS));
}

static void start_instances(struct sim_call *call)
{
	if (all_there(call, may_start))
		change_all(call, start);
}

static bool may_stop(struct sim_call *call, const struct sim_object *instance)
{
	struct slice state = sim_instance_state(instance);

	if (node_is(&instance->body, "_disableApiStop", "true"))
		sim_fail(call, "OperationNotPermitted",
			 "The instance '%.*s' may not be stopped. Modify its 'disableApiStop' instance attribute and "
			 "try again.",
			 SLICE_ARGUMENTS(instance->id));
	else if (node_get(&instance->body, "_spotRequest") && !node_is(&instance->body, "_spotType", "persistent"))
		sim_fail(call, "UnsupportedOperation",
			 "The spot instance '%.*s' cannot be stopped: its request is not persistent.",
			 SLICE_ARGUMENTS(instance->id));
	else if (!slice_is(state, "running") && !slice_is(state, "stopping") && !slice_is(state, "stopped"))
		sim_fail(call, "IncorrectInstanceState",
			 "The instance '%.*s' is not in a state from which it can be stopped.",
			 SLICE_ARGUMENTS(instance->id));
	return !call->failed;
}

static void stop(struct sim *sim, struct sim_object *instance)
{
	if (!slice_is(sim_instance_state(instance), "running"))
		return;
	struct node *body = sim_edit(sim, instance);
	sim_instance_set_state(body, "stopping");
	node_set(node_map(body, "stateReason"), "code", "Client.UserInitiatedShutdown");
	sim_schedule(sim, instance, sim_pace(sim, STOPPED_MS));
}

static void stop_instances(struct sim_call *call)
{
	if (all_there(call, may_stop))
		change_all(call, stop);
}

static bool anything(struct sim_call *call, const struct sim_object *instance)
{
	(void)instance;
	return !call->failed;
}

static void reboot_instances(struct sim_call *call)
{
	if (all_there(call, anything))
		sim_out_return(call);
}

static void monitor(struct sim_call *call, const char *state)
{
	const struct node *ids = node_get(&call->request, "InstanceId");

	if (!all_there(call, anything))
		return;
	sim_out_open(call, "instancesSet");
	for (uint32_t i = 0; i < ids->count; i++) {
		struct sim_object *instance = sim_find(call->region, SIM_INSTANCE, node_slice(&ids->items[i]));
		struct node *monitoring = node_map(sim_edit(call->sim, instance), "monitoring");

		node_set(monitoring, "state", state);
		sim_out_open(call, "item");
		sim_out_text(call, "instanceId", instance->id);
		sim_out_node(call, "monitoring", monitoring);
		sim_out_close(call, "item");
	}
	sim_out_close(call, "instancesSet");
}

static void monitor_instances(struct sim_call *call)
{
	monitor(call, "enabled");
}

static void unmonitor_instances(struct sim_call *call)
{
	monitor(call, "disabled");
}

static bool running_only(struct sim_call *call, const struct sim_object *instance, const struct node *body)
{
	(void)instance;
	return sim_flag(call, "IncludeAllInstances", false) ||
	       node_is(node_get(body, "instanceState"), "name", "running");
}

static void write_check(struct sim_call *call, const char *name, bool running)
{
	sim_out_open(call, name);
	sim_out_string(call, "status", running ? "ok" : "not-applicable");
	sim_out_close(call, name);
}

static void write_status(struct sim_call *call, const struct sim_object *instance, const struct node *body)
{
	bool running = node_is(node_get(body, "instanceState"), "name", "running");

	sim_out_text(call, "instanceId", instance->id);
	sim_out_text(call, "availabilityZone", node_text(node_get(body, "placement"), "availabilityZone"));
	sim_out_node(call, "instanceState", node_get(body, "instanceState"));
	write_check(call, "systemStatus", running);
	write_check(call, "instanceStatus", running);
}

static const struct sim_filter status_filters[] = {
	{"instance-state-name", "instanceState.name", NULL},
	{"availability-zone", "placement.availabilityZone", NULL},
};

static const struct sim_listing status_listing = {
	.type = SIM_INSTANCE,
	.set = "instanceStatusSet",
	.ids = "InstanceId",
	.filters = status_filters,
	.filter_count = sizeof(status_filters) / sizeof(status_filters[0]),
	.page_least = 5,
	.page_most = 1000,
	.ids_exclude_pages = true,
	.keep = running_only,
	.write = write_status,
};

static const struct sim_action actions[] = {
	{"TerminateInstances", terminate_instances, "InstanceId![] Force:b SkipOsShutdown:b", NULL},
	{"CancelSpotInstanceRequests", cancel_spot_instance_requests, "SpotInstanceRequestId![]", NULL},
	{"StartInstances", start_instances, "InstanceId![] AdditionalInfo", NULL},
	{"StopInstances", stop_instances, "InstanceId![] Hibernate:b Force:b SkipOsShutdown:b", NULL},
	{"RebootInstances", reboot_instances, "InstanceId![]", NULL},
	{"MonitorInstances", monitor_instances, "InstanceId![] MetricCategoryId[]", NULL},
	{"UnmonitorInstances", unmonitor_instances, "InstanceId![] MetricCategoryId[]", NULL},
	{"DescribeInstanceStatus", sim_describe,
	 "Filter[]{Name Value[]} InstanceId[] NextToken MaxResults:i IncludeAllInstances:b IncludeManagedResources:b",
	 &status_listing},
};

const struct sim_family sim_instance_state_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
