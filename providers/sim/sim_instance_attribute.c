#include <stdio.h>

#include "base/base64.h"
#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_query.h"

/* Attributes of instances: what can be read alone, and what can be changed, one a call. */

/* By the name in DescribeInstanceAttribute. */
static const struct {
	const char *name;      /* also the element of the answer */
	const char *own;       /* in the instance's tree */
	const char *parameter; /* of ModifyInstanceAttribute, or NULL: it cannot be changed */
	const char *inner;     /* the parameter's member that holds the value */
	bool stopped;	       /* only while the instance is stopped */
} attributes[] = {
	{"disableApiTermination", "_disableApiTermination", "DisableApiTermination", "Value", false},
	{"disableApiStop", "_disableApiStop", "DisableApiStop", "Value", false},
	{"instanceInitiatedShutdownBehavior", "_instanceInitiatedShutdownBehavior", "InstanceInitiatedShutdownBehavior",
	 "Value", false},
	{"userData", "_userData", "UserData", "Value", true},
	{"sourceDestCheck", "sourceDestCheck", "SourceDestCheck", "Value", false},
	{"instanceType", "instanceType", "InstanceType", "Value", true},
	{"kernel", "kernelId", "Kernel", "Value", true},
	{"ramdisk", "ramdiskId", "Ramdisk", "Value", true},
	{"ebsOptimized", "ebsOptimized", "EbsOptimized", "Value", true},
	{"enaSupport", "enaSupport", "EnaSupport", "Value", true},
	{"sriovNetSupport", "sriovNetSupport", "SriovNetSupport", "Value", true},
	{"enclaveOptions", "enclaveOptions", "EnclaveOptions", "Enabled", true},
	{"groupSet", "groupSet", "GroupId", NULL, false},
	{"blockDeviceMapping", "blockDeviceMapping", "BlockDeviceMapping", NULL, false},
	{"rootDeviceName", "rootDeviceName", NULL, NULL, false},
	{"productCodes", "productCodes", NULL, NULL, false},
};

enum { ATTRIBUTE_COUNT = sizeof(attributes) / sizeof(attributes[0]) };

static void describe_instance_attribute(struct sim_call *call)
{
	struct slice id = sim_text(call, "InstanceId"), wanted = sim_text(call, "Attribute");
	struct sim_object *instance = sim_find_listed(call->sim, call->region, SIM_INSTANCE, id);
	const struct node *body = instance ? sim_listed(call->sim, instance) : NULL;

	if (!body) {
		sim_absent(call, sim_types[SIM_INSTANCE], id);
		return;
	}
	for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
		const struct node *value = node_get(body, attributes[i].own);

		if (!slice_is(wanted, attributes[i].name))
			continue;
		sim_out_text(call, "instanceId", id);
		if (value && value->type != NODE_TEXT) {
			sim_out_node(call, attributes[i].name, value);
			return;
		}
		sim_out_open(call, attributes[i].name);
		if (node_slice(value).size > 0)
			sim_out_node(call, "value", value);
		sim_out_close(call, attributes[i].name);
		return;
	}
	sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter attribute is invalid. Unknown attribute.",
		 SLICE_ARGUMENTS(wanted));
}

static bool value_allowed(struct sim_call *call, const char *name, struct slice text)
{
	struct slice decoded;

	if (strcmp(name, "instanceInitiatedShutdownBehavior") == 0 && !slice_is(text, "stop") &&
	    !slice_is(text, "terminate"))
		sim_fail(call, "InvalidParameterValue",
			 "Value (%.*s) for parameter instanceInitiatedShutdownBehavior is invalid.",
			 SLICE_ARGUMENTS(text));
	if (strcmp(name, "instanceType") == 0 && !sim_instance_type_valid(text))
		sim_fail(call, "InvalidInstanceAttributeValue", "Invalid value '%.*s' for InstanceType.",
			 SLICE_ARGUMENTS(text));
	if (strcmp(name, "userData") == 0 && !base64_decode(call->arena, text, &decoded))
		sim_fail(call, "InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.");
	return !call->failed;
}

static void set_groups(struct sim_call *call, struct sim_object *instance)
{
	const struct node *ids = node_get(&call->request, "GroupId");

	for (uint32_t i = 0; i < ids->count && !call->failed; i++) {
		struct sim_object *group = sim_need_id(call, SIM_SECURITY_GROUP, node_slice(&ids->items[i]));

		if (group && !slice_equal(node_text(&group->body, "vpcId"), node_text(&instance->body, "vpcId")))
			sim_fail(call, "InvalidGroup.NotFound",
				 "You have specified two resources that belong to different networks.");
	}
	if (call->failed)
		return;
	struct node *body = sim_edit(call->sim, instance);
	sim_instance_groups(instance, ids);
	struct node *interfaces = node_find(body, "networkInterfaceSet");
	if (interfaces && interfaces->count > 0)
		node_put_copy(&interfaces->items[0], "groupSet", node_get(body, "groupSet"));
}

/*
 * Of a device only its deletion at the end can be changed here: "If no value is specified for DeleteOnTermination, the
 * default is true" (API_ModifyInstanceAttribute).
 */
static void set_devices(struct sim_call *call, struct sim_object *instance)
{
	const struct node *given = node_get(&call->request, "BlockDeviceMapping");

	for (uint32_t i = 0; i < given->count; i++) {
		struct slice device = node_text(&given->items[i], "DeviceName");
		struct slice told = node_text(node_get(&given->items[i], "Ebs"), "DeleteOnTermination");
		const char *ends = told.size == 0 || sim_truth(told) ? "true" : "false";
		struct node *held =
			node_item(node_find(sim_edit(call->sim, instance), "blockDeviceMapping"), "deviceName", device);
		struct node *ebs = node_find(held, "ebs");

		if (!ebs) {
			sim_fail(call, "InvalidInstanceAttributeValue", "No device is currently mapped at %.*s",
				 SLICE_ARGUMENTS(device));
			return;
		}
		struct sim_object *volume = sim_find(call->region, SIM_VOLUME, node_text(ebs, "volumeId"));
		node_set(ebs, "deleteOnTermination", ends);
		struct node *attachments = volume ? node_find(sim_edit(call->sim, volume), "attachmentSet") : NULL;
		if (attachments && attachments->count > 0)
			node_set(&attachments->items[0], "deleteOnTermination", ends);
	}
}

static void set_attribute(struct sim_call *call, struct sim_object *instance, size_t which, struct slice text)
{
	struct node *body;

	if (!value_allowed(call, attributes[which].name, text))
		return;
	body = sim_edit(call->sim, instance);
	if (slice_is(text, "True") || slice_is(text, "False"))
		text = sim_truth(text) ? SLICE("true") : SLICE("false");
	if (strcmp(attributes[which].name, "enclaveOptions") == 0)
		node_put(node_map(body, "enclaveOptions"), "enabled", text);
	else
		node_put(body, attributes[which].own, text);
	struct node *interfaces = node_find(body, "networkInterfaceSet");
	if (strcmp(attributes[which].name, "sourceDestCheck") == 0 && interfaces && interfaces->count > 0)
		node_put(&interfaces->items[0], "sourceDestCheck", text);
}

/* Either a parameter of its own, or Attribute and Value. Returns how many are given. */
static size_t asked_attribute(struct sim_call *call, size_t *ret_which, struct slice *ret_text)
{
	size_t given = 0;

	for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
		const struct node *node =
			attributes[i].parameter ? node_get(&call->request, attributes[i].parameter) : NULL;

		if (node) {
			given++;
			*ret_which = i;
			*ret_text = attributes[i].inner ? node_text(node, attributes[i].inner) : SLICE("");
		} else if (attributes[i].inner && slice_is(sim_text(call, "Attribute"), attributes[i].name) &&
			   sim_given(call, "Value")) {
			given++;
			*ret_which = i;
			*ret_text = sim_text(call, "Value");
		}
	}
	return given;
}

/* What the instance has of its only interface. */
static bool is_of_interface(const char *name)
{
	return strcmp(name, "groupSet") == 0 || strcmp(name, "sourceDestCheck") == 0;
}

bool sim_attribute_alone(struct sim_call *call, size_t given)
{
	if (given == 1)
		return true;
	sim_fail(call, given ? "InvalidParameterCombination" : "MissingParameter",
		 given ? "Fields for multiple attribute types specified: only one attribute can be modified at a time"
		       : "No attributes specified.");
	return false;
}

static void modify_instance_attribute(struct sim_call *call)
{
	struct sim_object *instance = sim_need(call, SIM_INSTANCE, "InstanceId");
	struct slice text = SLICE("");
	size_t which = 0, given;

	if (!instance)
		return;
	given = asked_attribute(call, &which, &text);
	if (!sim_attribute_alone(call, given))
		return;
	if (attributes[which].stopped && !slice_is(sim_instance_state(instance), "stopped")) {
		sim_fail(call, "IncorrectInstanceState", "The instance '%.*s' is not in the 'stopped' state.",
			 SLICE_ARGUMENTS(instance->id));
		return;
	}
	/* "You can't change the instance type of a Spot Instance."
	 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-resize.html) */
	if (strcmp(attributes[which].name, "instanceType") == 0 && node_get(&instance->body, "_spotRequest"))
		sim_fail(call, "UnsupportedOperation",
			 "The instance type of the spot instance '%.*s' cannot be changed.",
			 SLICE_ARGUMENTS(instance->id));
	else if (is_of_interface(attributes[which].name) && node_count(&instance->body, "networkInterfaceSet") > 1)
		sim_fail(
			call, "InvalidInstanceID",
			"There are multiple interfaces attached to instance '%.*s'. Please specify an interface ID for "
			"the operation instead.",
			SLICE_ARGUMENTS(instance->id));
	else if (strcmp(attributes[which].name, "groupSet") == 0)
		set_groups(call, instance);
	else if (strcmp(attributes[which].name, "blockDeviceMapping") == 0)
		set_devices(call, instance);
	else
		set_attribute(call, instance, which, text);
	if (!call->failed)
		sim_out_return(call);
}

/* Calls that set members of one map of the instance. */
struct options {
	const char *map;    /* in the instance's tree */
	const char *answer; /* the element of the answer: NULL: "return"; "": the members beside instanceId */
	bool stopped;
	struct {
		const char *parameter, *name, *allowed; /* allowed: between '|', or NULL */
	} members[8];
};

static const struct options metadata = {
	"metadataOptions",
	"instanceMetadataOptions",
	false,
	{
		{"HttpTokens", "httpTokens", "|optional|required|"},
		{"HttpPutResponseHopLimit", "httpPutResponseHopLimit", NULL},
		{"HttpEndpoint", "httpEndpoint", "|enabled|disabled|"},
		{"HttpProtocolIpv6", "httpProtocolIpv6", "|enabled|disabled|"},
		{"InstanceMetadataTags", "instanceMetadataTags", "|enabled|disabled|"},
	},
};

static const struct options placement = {
	"placement",
	NULL,
	true,
	{
		{"GroupName", "groupName", NULL},
		{"GroupId", "groupId", NULL},
		{"PartitionNumber", "partitionNumber", NULL},
		{"Tenancy", "tenancy", "|default|dedicated|host|"},
		{"Affinity", "affinity", "|default|host|"},
		{"HostId", "hostId", NULL},
		{"HostResourceGroupArn", "hostResourceGroupArn", NULL},
	},
};

static const struct options cpu = {
	"cpuOptions",
	"",
	true,
	{
		{"CoreCount", "coreCount", NULL},
		{"ThreadsPerCore", "threadsPerCore", "|1|2|"},
		{"NestedVirtualization", "nestedVirtualization", "|enabled|disabled|"},
	},
};

static const struct options maintenance = {
	"maintenanceOptions",
	"",
	false,
	{
		{"AutoRecovery", "autoRecovery", "|default|disabled|"},
		{"RebootMigration", "rebootMigration", "|default|disabled|"},
	},
};

static const struct options network = {
	"networkPerformanceOptions",
	"",
	true,
	{{"BandwidthWeighting", "bandwidthWeighting", "|default|vpc-1|ebs-1|"}},
};

static const struct options dns_names = {
	"privateDnsNameOptions",
	NULL,
	true,
	{
		{"PrivateDnsHostnameType", "hostnameType", "|ip-name|resource-name|"},
		{"EnableResourceNameDnsARecord", "enableResourceNameDnsARecord", NULL},
		{"EnableResourceNameDnsAAAARecord", "enableResourceNameDnsAAAARecord", NULL},
	},
};

static bool option_allowed(struct sim_call *call, const char *name, struct slice text, const char *allowed)
{
	char wanted[64];

	(void)snprintf(wanted, sizeof(wanted), "|%.*s|", (int)(text.size > 60 ? 60 : text.size), text.data);
	if (allowed && !strstr(allowed, wanted))
		sim_fail(call, "InvalidParameterValue", "Value (%.*s) for parameter %s is invalid.",
			 SLICE_ARGUMENTS(text), name);
	return !call->failed;
}

static void modify_options(struct sim_call *call)
{
	const struct options *options = call->action->data;
	struct sim_object *instance = sim_need(call, SIM_INSTANCE, "InstanceId");
	struct node *map;

	if (!instance)
		return;
	if (options->stopped && !slice_is(sim_instance_state(instance), "stopped"))
		sim_fail(call, "IncorrectInstanceState", "The instance '%.*s' is not in the 'stopped' state.",
			 SLICE_ARGUMENTS(instance->id));
	for (size_t i = 0; i < 8 && options->members[i].parameter; i++)
		if (sim_given(call, options->members[i].parameter))
			(void)option_allowed(call, options->members[i].name,
					     sim_text(call, options->members[i].parameter),
					     options->members[i].allowed);
	if (call->failed)
		return;
	map = node_map(sim_edit(call->sim, instance), options->map);
	for (size_t i = 0; i < 8 && options->members[i].parameter; i++)
		if (sim_given(call, options->members[i].parameter))
			node_put(map, options->members[i].name, sim_text(call, options->members[i].parameter));
	if (!options->answer) {
		sim_out_return(call);
		return;
	}
	sim_out_text(call, "instanceId", instance->id);
	if (*options->answer)
		sim_out_node(call, options->answer, map);
	else
		sim_out_members(call, map);
}

static void modify_capacity_reservation(struct sim_call *call)
{
	struct sim_object *instance = sim_need(call, SIM_INSTANCE, "InstanceId");

	if (!instance)
		return;
	if (!slice_is(sim_instance_state(instance), "stopped")) {
		sim_fail(call, "IncorrectInstanceState", "The instance '%.*s' is not in the 'stopped' state.",
			 SLICE_ARGUMENTS(instance->id));
		return;
	}
	struct node *map = node_map(sim_edit(call->sim, instance), "capacityReservationSpecification");
	node_reset(map, NODE_MAP);
	sim_copy_parameter(call, "CapacityReservationSpecification", map);
	sim_out_return(call);
}

static const struct sim_action actions[] = {
	{"DescribeInstanceAttribute", describe_instance_attribute, "InstanceId! Attribute!", NULL},
	{"ModifyInstanceAttribute", modify_instance_attribute,
	 "InstanceId! Attribute Value SourceDestCheck{Value:b} EnclaveOptions{Enabled:b} DisableApiStop{Value:b} "
	 "DisableApiTermination{Value:b} InstanceType{Value} Kernel{Value} Ramdisk{Value} UserData{Value} "
	 "InstanceInitiatedShutdownBehavior{Value} GroupId[] EbsOptimized{Value:b} SriovNetSupport{Value} "
	 "EnaSupport{Value:b} "
	 "BlockDeviceMapping[]{DeviceName Ebs{VolumeId DeleteOnTermination:b} VirtualName NoDevice}",
	 NULL},
	{"ModifyInstanceMetadataOptions", modify_options,
	 "InstanceId! HttpTokens HttpPutResponseHopLimit:i HttpEndpoint HttpProtocolIpv6 InstanceMetadataTags",
	 &metadata},
	{"ModifyInstancePlacement", modify_options,
	 "InstanceId! GroupName PartitionNumber:i HostResourceGroupArn GroupId Tenancy Affinity HostId", &placement},
	{"ModifyInstanceCpuOptions", modify_options, "InstanceId! CoreCount:i ThreadsPerCore:i NestedVirtualization",
	 &cpu},
	{"ModifyInstanceMaintenanceOptions", modify_options, "InstanceId! AutoRecovery RebootMigration", &maintenance},
	{"ModifyInstanceNetworkPerformanceOptions", modify_options, "InstanceId! BandwidthWeighting!", &network},
	{"ModifyPrivateDnsNameOptions", modify_options,
	 "InstanceId! PrivateDnsHostnameType EnableResourceNameDnsARecord:b EnableResourceNameDnsAAAARecord:b",
	 &dns_names},
	{"ModifyInstanceCapacityReservationAttributes", modify_capacity_reservation,
	 "InstanceId! CapacityReservationSpecification!{CapacityReservationPreference "
	 "CapacityReservationTarget{CapacityReservationId CapacityReservationResourceGroupArn}}",
	 NULL},
};

const struct sim_family sim_instance_attribute_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
