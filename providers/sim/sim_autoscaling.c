#include "providers/sim/sim_autoscaling.h"

#include <stdio.h>

#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_query.h"

/* Auto Scaling groups: creating, changing, deleting them. */

enum { WAKE_MS = 2 * 1000 };

static void key(const struct sim_object *group, char ret[512])
{
	(void)snprintf(ret, 512, "%.*s", SLICE_ARGUMENTS(node_text(&group->body, "AutoScalingGroupName")));
}

static const char *const references[] = {"_launchTemplateId", NULL};

const struct sim_type sim_autoscaling_group_type = {
	.number = SIM_AUTOSCALING_GROUP,
	.name = "auto-scaling-group",
	.prefix = "asg",
	.references = references,
	.key = key,
	.tick = sim_group_tick,
	.leave = sim_group_forget,
	.untagged = true,
};

struct sim_object *sim_group_need(struct sim_call *call)
{
	struct slice name = sim_text(call, "AutoScalingGroupName");
	struct sim_object *group = sim_find_key(call->region, SIM_AUTOSCALING_GROUP, name);

	if (!group)
		sim_fail(call, "ValidationError", "AutoScalingGroup name not found - AutoScalingGroup '%.*s' not found",
			 SLICE_ARGUMENTS(name));
	return group;
}

bool sim_group_next_subnet(struct slice *rest, struct slice *ret)
{
	while (rest->size > 0) {
		*ret = slice_trim(slice_cut(rest, ','));
		if (ret->size > 0)
			return true;
	}
	return false;
}

static const struct node *specification_of(const struct node *body)
{
	const struct node *mixed = node_get(node_get(body, "MixedInstancesPolicy"), "LaunchTemplate");

	return mixed ? node_get(mixed, "LaunchTemplateSpecification") : node_get(body, "LaunchTemplate");
}

/* What EC2 says about a template becomes a validation error here. */
static void as_validation_error(struct sim_call *call)
{
	char message[sizeof(call->message)];

	if (!call->failed)
		return;
	(void)snprintf(message, sizeof(message), "%s", call->message);
	call->code = "ValidationError";
	(void)snprintf(call->message, sizeof(call->message), "You must use a valid fully-formed launch template. %.*s",
		       (int)sizeof(message) - 80, message);
}

bool sim_group_launch_data(struct sim_call *call, const struct sim_object *group, struct slice subnet_id,
			   struct node *data, struct sim_object **ret_version)
{
	const struct node *overrides =
		node_get(node_get(node_get(&group->body, "MixedInstancesPolicy"), "LaunchTemplate"), "Overrides");
	const struct node *first = overrides && overrides->count > 0 ? &overrides->items[0] : NULL;
	const struct node *specification = node_get(first, "LaunchTemplateSpecification");

	*ret_version = sim_template_version(call, specification ? specification : specification_of(&group->body));
	if (!*ret_version)
		return false;
	node_copy(data, node_get(&(*ret_version)->body, "launchTemplateData"));
	if (node_text(first, "InstanceType").size > 0)
		node_put(data, "instanceType", node_text(first, "InstanceType"));
	struct node *interfaces = node_find(data, "networkInterfaceSet");
	if (subnet_id.size > 0 && interfaces && interfaces->count > 0)
		node_put(&interfaces->items[0], "subnetId", subnet_id);
	else if (subnet_id.size > 0)
		node_put(data, "_subnetId", subnet_id);
	return true;
}

/* Says both the id and the name of each template, whichever was given. */
static void complete_specification(struct sim_call *call, struct node *specification)
{
	struct sim_object *version = specification ? sim_template_version(call, specification) : NULL;

	if (!version)
		return;
	node_put(specification, "LaunchTemplateId", node_text(&version->body, "launchTemplateId"));
	node_put(specification, "LaunchTemplateName", node_text(&version->body, "launchTemplateName"));
	if (node_text(specification, "Version").size == 0)
		node_set(specification, "Version", "$Default");
}

static void complete_policy(struct sim_call *call, struct node *policy)
{
	static const char *const defaults[][2] = {
		{"OnDemandAllocationStrategy", "prioritized"},
		{"OnDemandBaseCapacity", "0"},
		{"OnDemandPercentageAboveBaseCapacity", "100"},
		{"SpotAllocationStrategy", "lowest-price"},
	};
	struct node *map = node_map(policy, "LaunchTemplate");
	struct node *distribution, *overrides;

	if (!node_get(map, "LaunchTemplateSpecification")) {
		sim_fail(call, "ValidationError",
			 "LaunchTemplateSpecification is required in a mixed instances policy");
		return;
	}
	complete_specification(call, node_find(map, "LaunchTemplateSpecification"));
	overrides = node_list(map, "Overrides");
	for (uint32_t i = 0; i < overrides->count; i++)
		complete_specification(call, node_find(&overrides->items[i], "LaunchTemplateSpecification"));
	distribution = node_map(policy, "InstancesDistribution");
	for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		if (!node_get(distribution, defaults[i][0]))
			node_set(distribution, defaults[i][0], defaults[i][1]);
	if (node_is(distribution, "SpotAllocationStrategy", "lowest-price") &&
	    !node_get(distribution, "SpotInstancePools"))
		node_set(distribution, "SpotInstancePools", "2");
}

/* Members that are taken as given; an empty text, and the number beside it, mean: no longer. */
static const struct {
	const char *name, *clears;
} plain[] = {
	{"MinSize", NULL},
	{"MaxSize", NULL},
	{"DesiredCapacity", NULL},
	{"DefaultCooldown", NULL},
	{"HealthCheckType", NULL},
	{"HealthCheckGracePeriod", NULL},
	{"PlacementGroup", ""},
	{"NewInstancesProtectedFromScaleIn", NULL},
	{"CapacityRebalance", NULL},
	{"ServiceLinkedRoleARN", NULL},
	{"MaxInstanceLifetime", "0"},
	{"Context", ""},
	{"DesiredCapacityType", ""},
	{"DefaultInstanceWarmup", "-1"},
	{"DeletionProtection", NULL},
};

static const char *const maps[] = {
	"InstanceMaintenancePolicy",
	"AvailabilityZoneDistribution",
	"AvailabilityZoneImpairmentPolicy",
	"CapacityReservationSpecification",
	"InstanceLifecyclePolicy",
	"LaunchTemplate",
	"MixedInstancesPolicy",
	"Operator",
};

static void take_lists(struct sim_call *call, struct node *body)
{
	static const char *const lists[] = {"TerminationPolicies", "AvailabilityZones"};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct node *given = node_get(&call->request, lists[i]);

		if (!given)
			continue;
		struct node *list = node_list(body, lists[i]);
		node_reset(list, NODE_LIST);
		for (uint32_t at = 0; given->type == NODE_LIST && at < given->count; at++)
			node_assign(node_append(list, NODE_TEXT), node_slice(&given->items[at]));
	}
	if (node_count(body, "TerminationPolicies") == 0)
		node_assign(node_append(node_list(body, "TerminationPolicies"), NODE_TEXT), SLICE("Default"));
}

static void take(struct sim_call *call, struct node *body)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		const struct node *given = node_get(&call->request, plain[i].name);

		if (given && plain[i].clears && slice_is(node_slice(given), plain[i].clears))
			node_drop(body, plain[i].name);
		else if (given)
			node_put(body, plain[i].name, node_slice(given));
	}
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		if (!sim_given(call, maps[i]))
			continue;
		struct node *map = node_map(body, maps[i]);
		node_reset(map, NODE_MAP);
		sim_copy_parameter(call, maps[i], map);
	}
	if (node_is(node_get(body, "InstanceMaintenancePolicy"), "MinHealthyPercentage", "-1"))
		node_drop(body, "InstanceMaintenancePolicy");
	/* One kind of template takes the other's place. */
	if (sim_given(call, "LaunchTemplate"))
		node_drop(body, "MixedInstancesPolicy");
	else if (sim_given(call, "MixedInstancesPolicy"))
		node_drop(body, "LaunchTemplate");
	take_lists(call, body);
}

/* Numbers of a request, each under its member or at the top, and what pages of the API say they may be. */
static const struct {
	const char *path[3];
	const char *name;
	int64_t least, most;
} numbers[] = {
	{{NULL}, "DefaultCooldown", 0, INT32_MAX},
	{{NULL}, "HealthCheckGracePeriod", 0, INT32_MAX},
	{{NULL}, "DefaultInstanceWarmup", -1, INT32_MAX},
	{{NULL}, "MaxInstanceLifetime", 0, INT32_MAX},
	{{"MixedInstancesPolicy", "InstancesDistribution"}, "OnDemandBaseCapacity", 0, INT32_MAX},
	{{"MixedInstancesPolicy", "InstancesDistribution"}, "OnDemandPercentageAboveBaseCapacity", 0, 100},
	{{"MixedInstancesPolicy", "InstancesDistribution"}, "SpotInstancePools", 1, 20},
};

/* Page "InstanceMaintenancePolicy". -1 takes a threshold away. */
static void check_maintenance(struct sim_call *call)
{
	const struct node *policy = node_get(&call->request, "InstanceMaintenancePolicy");
	int64_t least = node_integer(policy, "MinHealthyPercentage", -1);
	int64_t most = node_integer(policy, "MaxHealthyPercentage", -1);

	if (least >= 0 && most >= 0 && most - least > 100)
		sim_fail(call, "ValidationError",
			 "The difference between MinHealthyPercentage and MaxHealthyPercentage cannot be greater than "
			 "100");
}

static bool check_numbers(struct sim_call *call)
{
	enum { DAY_S = 86400 };
	int64_t lifetime = sim_number(call, "MaxInstanceLifetime", 0);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct node *above = &call->request;

		for (size_t k = 0; numbers[i].path[k]; k++)
			above = node_get(above, numbers[i].path[k]);
		int64_t number = node_integer(above, numbers[i].name, numbers[i].least);
		if (number < numbers[i].least || number > numbers[i].most)
			sim_fail(call, "ValidationError",
				 "Value '%lld' at '%s' failed to satisfy constraint: it must be from %lld to %lld",
				 (long long)number, numbers[i].name, (long long)numbers[i].least,
				 (long long)numbers[i].most);
	}
	check_maintenance(call);
	if (lifetime > 0 && lifetime < DAY_S)
		sim_fail(call, "ValidationError", "The maximum instance lifetime must be 0 or at least %d", DAY_S);
	return !call->failed;
}

static bool check_sizes(struct sim_call *call, struct node *body)
{
	int64_t least = node_integer(body, "MinSize", 0), most = node_integer(body, "MaxSize", 0);
	int64_t desired = node_integer(body, "DesiredCapacity", least);

	if (least < 0 || most < least)
		sim_fail(call, "ValidationError", "Max bound, %lld, must be greater than or equal to min bound, %lld",
			 (long long)most, (long long)least);
	else if (sim_given(call, "DesiredCapacity") && (desired < least || desired > most))
		sim_fail(call, "ValidationError",
			 "Desired capacity:%lld must be between the specified min size:%lld and max size:%lld",
			 (long long)desired, (long long)least, (long long)most);
	/* New bounds move the capacity where nobody says what it shall be. */
	desired = desired < least ? least : desired > most ? most : desired;
	node_number(body, "DesiredCapacity", desired);
	return !call->failed;
}

static void add_zone(struct node *zones, struct slice zone)
{
	uint32_t at = 0;

	while (at < zones->count && slice_compare(node_slice(&zones->items[at]), zone) < 0)
		at++;
	if (at < zones->count && slice_equal(node_slice(&zones->items[at]), zone))
		return;
	(void)node_append(zones, NODE_TEXT);
	for (uint32_t i = zones->count - 1; i > at; i--)
		node_copy(&zones->items[i], &zones->items[i - 1]);
	node_assign(&zones->items[at], zone);
}

static bool check_subnets(struct sim_call *call, struct node *body)
{
	struct slice rest = sim_given(call, "VPCZoneIdentifier") ? sim_text(call, "VPCZoneIdentifier")
								 : node_text(body, "VPCZoneIdentifier");
	struct slice text = arena_copy(call->arena, rest), id;
	struct node *zones = node_list(body, "AvailabilityZones");

	rest = text;
	if (rest.size > 0)
		node_reset(zones, NODE_LIST);
	while (sim_group_next_subnet(&rest, &id)) {
		struct sim_object *subnet = sim_find(call->region, SIM_SUBNET, id);

		if (!subnet) {
			sim_fail(call, "ValidationError", "The subnet ID '%.*s' does not exist", SLICE_ARGUMENTS(id));
			return false;
		}
		add_zone(zones, node_text(&subnet->body, "availabilityZone"));
	}
	if (zones->count == 0)
		sim_fail(call, "ValidationError", "At least one Availability Zone or VPC Subnet is required.");
	if (text.size > 0)
		node_put(body, "VPCZoneIdentifier", text);
	return !call->failed;
}

static bool check_template(struct sim_call *call, struct sim_object *group)
{
	struct node *body = &group->body, data = {.type = NODE_MAP};
	struct sim_object *version;
	struct slice rest = node_text(body, "VPCZoneIdentifier"), subnet;

	if (node_get(body, "MixedInstancesPolicy"))
		complete_policy(call, node_find(body, "MixedInstancesPolicy"));
	else
		complete_specification(call, node_find(body, "LaunchTemplate"));
	if (!call->failed && sim_group_next_subnet(&rest, &subnet) &&
	    sim_group_launch_data(call, group, subnet, &data, &version)) {
		node_put(body, "_launchTemplateId", node_text(&version->body, "launchTemplateId"));
		(void)sim_launch_check(call, &data);
	}
	node_release(&data);
	as_validation_error(call);
	return !call->failed;
}

static bool one_source(struct sim_call *call, bool required)
{
	bool single = sim_given(call, "LaunchTemplate"), mixed = sim_given(call, "MixedInstancesPolicy");

	if (sim_given(call, "LaunchConfigurationName"))
		sim_fail(call, "ValidationError",
			 "Launch configuration name not found - Launch configuration %.*s not found",
			 SLICE_ARGUMENTS(sim_text(call, "LaunchConfigurationName")));
	else if (sim_given(call, "InstanceId"))
		sim_fail(call, "ValidationError", "Invalid Instance ID: %.*s",
			 SLICE_ARGUMENTS(sim_text(call, "InstanceId")));
	else if ((single && mixed) || (required && !single && !mixed))
		sim_fail(call, "ValidationError",
			 "Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or "
			 "MixedInstancesPolicy parameter.");
	return !call->failed;
}

static void fill(struct sim_call *call, struct node *body)
{
	long long account = (long long)sim_setting(call->sim, SIM_SETTING_ACCOUNT);
	struct slice name = sim_text(call, "AutoScalingGroupName");
	static const char *const lists[] = {
		"LoadBalancerNames", "TargetGroupARNs",	 "SuspendedProcesses", "EnabledMetrics", "Tags",
		"TrafficSources",    "AvailabilityZones"};
	char digits[33], made[32];

	sim_random_hex(call->sim, digits, 32);
	sim_time_text(call->sim->now_ms, made);
	node_put(body, "AutoScalingGroupName", name);
	node_format(
		body, "AutoScalingGroupARN",
		"arn:aws:autoscaling:%.*s:%012lld:autoScalingGroup:%.8s-%.4s-%.4s-%.4s-%.12s:autoScalingGroupName/%.*s",
		SLICE_ARGUMENTS(call->region->name), account, digits, digits + 8, digits + 12, digits + 16, digits + 20,
		SLICE_ARGUMENTS(name));
	node_set(body, "DefaultCooldown", "300");
	node_set(body, "HealthCheckType", "EC2");
	node_set(body, "HealthCheckGracePeriod", "0");
	node_set(body, "NewInstancesProtectedFromScaleIn", "false");
	node_set(body, "CreatedTime", made);
	node_format(body, "ServiceLinkedRoleARN",
		    "arn:aws:iam::%012lld:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling",
		    account);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		node_list(body, lists[i]);
}

static void take_sources(struct sim_call *call, struct node *body)
{
	static const char *const lists[][2] = {{"TargetGroupARNs", "elbv2"}, {"LoadBalancerNames", "elb"}};
	struct node sources = {.type = NODE_LIST};
	const struct node *given = node_get(&call->request, "TrafficSources");

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct node *names = node_get(&call->request, lists[i][0]);

		for (uint32_t at = 0; names && names->type == NODE_LIST && at < names->count; at++) {
			struct node *source = node_append(&sources, NODE_MAP);

			node_put(source, "Identifier", node_slice(&names->items[at]));
			node_set(source, "Type", lists[i][1]);
		}
	}
	sim_group_traffic(body, &sources, true);
	if (given)
		sim_group_traffic(body, given, true);
	node_release(&sources);
}

static void create_group(struct sim_call *call)
{
	struct slice name = sim_text(call, "AutoScalingGroupName");
	const struct node *tags = node_get(&call->request, "Tags");
	const struct node *hooks = node_get(&call->request, "LifecycleHookSpecificationList");
	struct sim_object *group;

	if (name.size == 0 || name.size > 255 || slice_contains(name, SLICE(":")))
		sim_fail(call, "ValidationError", "The group name must be 1 to 255 characters without ':'");
	else if (sim_find_key(call->region, SIM_AUTOSCALING_GROUP, name))
		sim_fail(call, "AlreadyExists",
			 "AutoScalingGroup by this name already exists - A group with the name %.*s already exists",
			 SLICE_ARGUMENTS(name));
	if (call->failed || !one_source(call, true) || !check_numbers(call) ||
	    !sim_group_tags_check(call, tags, false) ||
	    !sim_within_quota(call, SIM_AUTOSCALING_GROUP, SIM_SETTING_AUTOSCALING_GROUPS, "LimitExceeded",
			      "Auto Scaling groups"))
		return;
	group = sim_create(call->sim, call->region, SIM_AUTOSCALING_GROUP, (struct slice){NULL, 0});
	fill(call, &group->body);
	take(call, &group->body);
	if (!check_sizes(call, &group->body) || !check_subnets(call, &group->body) || !check_template(call, group)) {
		sim_forget(group);
		return;
	}
	take_sources(call, &group->body);
	for (uint32_t i = 0; tags && i < tags->count; i++)
		sim_group_tag(&group->body, &tags->items[i]);
	for (uint32_t i = 0; hooks && hooks->type == NODE_LIST && i < hooks->count && !call->failed; i++)
		sim_group_hook_put(call, group, &hooks->items[i]);
	if (call->failed)
		sim_group_forget(call->sim, group);
	else
		sim_group_wake(call->sim, group, WAKE_MS);
}

static bool may_change(struct sim_call *call, const struct sim_object *group)
{
	if (node_get(&group->body, "Status"))
		sim_fail(call, "ScalingActivityInProgress", "AutoScalingGroup is pending delete: %.*s",
			 SLICE_ARGUMENTS(node_text(&group->body, "AutoScalingGroupName")));
	return !call->failed;
}

static void update_group(struct sim_call *call)
{
	struct sim_object *group = sim_group_need(call);
	struct sim_object draft;

	if (!group || !may_change(call, group) || !one_source(call, false) || !check_numbers(call))
		return;
	/* Changed in a copy, so that a bad request leaves the group as it is. */
	draft = *group;
	draft.body = (struct node){.type = NODE_MAP};
	node_copy(&draft.body, &group->body);
	take(call, &draft.body);
	if (check_sizes(call, &draft.body) && check_subnets(call, &draft.body) && check_template(call, &draft)) {
		node_copy(sim_edit(call->sim, group), &draft.body);
		sim_group_wake(call->sim, group, WAKE_MS);
	}
	node_release(&draft.body);
}

static void set_desired_capacity(struct sim_call *call)
{
	struct sim_object *group = sim_group_need(call);
	int64_t desired = sim_number(call, "DesiredCapacity", 0);

	if (!group || !may_change(call, group))
		return;
	if (desired < node_integer(&group->body, "MinSize", 0) || desired > node_integer(&group->body, "MaxSize", 0)) {
		sim_fail(call, "ValidationError",
			 "New SetDesiredCapacity value %lld is %s value for the AutoScalingGroup.", (long long)desired,
			 desired < node_integer(&group->body, "MinSize", 0) ? "below min" : "above max");
		return;
	}
	node_number(sim_edit(call->sim, group), "DesiredCapacity", desired);
	sim_group_wake(call->sim, group, WAKE_MS);
}

static void delete_group(struct sim_call *call)
{
	struct sim_object *group = sim_group_need(call), *instance;
	bool force = sim_flag(call, "ForceDelete", false), ending = false;
	struct slice protection = group ? node_text(&group->body, "DeletionProtection") : SLICE("");
	size_t cursor = 0, count = 0;

	if (!group)
		return;
	while ((instance = sim_group_instance(group, &cursor)) != NULL) {
		count++;
		ending = ending || slice_starts_with(node_text(&instance->body, "_lifecycle"), SLICE("Terminating"));
	}
	if (slice_is(protection, "prevent-all-deletion") || (force && slice_is(protection, "prevent-force-deletion")))
		sim_fail(call, "ValidationError", "The group is protected from deletion");
	else if (count > 0 && !force && ending)
		sim_fail(call, "ScalingActivityInProgress",
			 "You cannot delete an AutoScalingGroup while there are scaling activities in progress for "
			 "that group.");
	else if (count > 0 && !force)
		sim_fail(call, "ResourceInUse",
			 "You cannot delete an AutoScalingGroup while there are instances or pending Spot instance "
			 "request(s) "
			 "still in the group.");
	if (call->failed)
		return;
	if (count == 0) {
		sim_group_forget(call->sim, group);
		return;
	}
	struct node *body = sim_edit(call->sim, group);
	node_set(body, "Status", "Delete in progress");
	node_set(body, "MinSize", "0");
	node_set(body, "DesiredCapacity", "0");
	sim_group_wake(call->sim, group, WAKE_MS);
}

#define SPECIFICATION "{LaunchTemplateId LaunchTemplateName Version}"
#define RANGE "{Min:i Max:i}"
#define REQUIREMENTS                                                                                                   \
	"InstanceRequirements{VCpuCount!{Min:i! Max:i} MemoryMiB!{Min:i! Max:i}"                                       \
	" CpuManufacturers[] MemoryGiBPerVCpu{Min:d Max:d} ExcludedInstanceTypes[] InstanceGenerations[] "             \
	"SpotMaxPricePercentageOverLowestPrice:i MaxSpotPriceAsPercentageOfOptimalOnDemandPrice:i "                    \
	"OnDemandMaxPricePercentageOverLowestPrice:i BareMetal BurstablePerformance RequireHibernateSupport:b "        \
	"NetworkInterfaceCount" RANGE " LocalStorage LocalStorageTypes[] TotalLocalStorageGB{Min:d Max:d} "            \
	"BaselineEbsBandwidthMbps" RANGE " AcceleratorTypes[] AcceleratorCount" RANGE                                  \
	" AcceleratorManufacturers[] AcceleratorNames[] AcceleratorTotalMemoryMiB" RANGE                               \
	" NetworkBandwidthGbps{Min:d Max:d} AllowedInstanceTypes[] "                                                   \
	"BaselinePerformanceFactors{Cpu{Reference[]{InstanceFamily}}}}"
#define COMMON                                                                                                         \
	"AutoScalingGroupName! LaunchConfigurationName LaunchTemplate" SPECIFICATION                                   \
	" MixedInstancesPolicy{LaunchTemplate{LaunchTemplateSpecification" SPECIFICATION                               \
	" Overrides[]{InstanceType WeightedCapacity ImageId LaunchTemplateSpecification" SPECIFICATION                 \
	" " REQUIREMENTS "}} InstancesDistribution{OnDemandAllocationStrategy OnDemandBaseCapacity:i "                 \
	"OnDemandPercentageAboveBaseCapacity:i SpotAllocationStrategy SpotInstancePools:i SpotMaxPrice "               \
	"DistributionSegments[]{TargetCapacityTypes[]}}} "                                                             \
	"DesiredCapacity:i DefaultCooldown:i AvailabilityZones[] AvailabilityZoneIds[] HealthCheckType "               \
	"HealthCheckGracePeriod:i PlacementGroup VPCZoneIdentifier TerminationPolicies[] "                             \
	"NewInstancesProtectedFromScaleIn:b CapacityRebalance:b DeletionProtection ServiceLinkedRoleARN "              \
	"MaxInstanceLifetime:i Context DesiredCapacityType DefaultInstanceWarmup:i "                                   \
	"InstanceMaintenancePolicy{MinHealthyPercentage:i MaxHealthyPercentage:i} "                                    \
	"AvailabilityZoneDistribution{CapacityDistributionStrategy} "                                                  \
	"AvailabilityZoneImpairmentPolicy{ZonalShiftEnabled:b ImpairedZoneHealthCheckBehavior} "                       \
	"SkipZonalShiftValidation:b "                                                                                  \
	"CapacityReservationSpecification{CapacityReservationPreference "                                              \
	"CapacityReservationTarget{CapacityReservationIds[] CapacityReservationResourceGroupArns[]}} "                 \
	"InstanceLifecyclePolicy{RetentionTriggers{TerminateHookAbandon}} "

static const struct sim_action actions[] = {
	{"CreateAutoScalingGroup", create_group,
	 COMMON "MinSize:i! MaxSize:i! InstanceId LoadBalancerNames[] TargetGroupARNs[] "
		"LifecycleHookSpecificationList[]{LifecycleHookName! LifecycleTransition! NotificationMetadata "
		"HeartbeatTimeout:i DefaultResult NotificationTargetARN RoleARN} "
		"Tags[]{ResourceId ResourceType Key! Value PropagateAtLaunch:b} TrafficSources[]{Identifier! Type} "
		"Operator{Principal!}",
	 NULL},
	{"UpdateAutoScalingGroup", update_group, COMMON "MinSize:i MaxSize:i", NULL},
	{"DeleteAutoScalingGroup", delete_group, "AutoScalingGroupName! ForceDelete:b", NULL},
	{"SetDesiredCapacity", set_desired_capacity, "AutoScalingGroupName! DesiredCapacity:i! HonorCooldown:b", NULL},
};

const struct sim_family sim_autoscaling_family = {SIM_AUTOSCALING, actions, sizeof(actions) / sizeof(actions[0])};
