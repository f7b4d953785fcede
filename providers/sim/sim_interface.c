#include "providers/sim/sim_interface.h"
#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_query.h"

/* Attributes of an instance's interfaces, of which a call changes one: page "ModifyNetworkInterfaceAttribute". */

bool sim_interface_need(struct sim_call *call, struct sim_interface *ret)
{
	struct slice id = sim_text(call, "NetworkInterfaceId");
	struct sim_object *instance = sim_find_part(call->region, SIM_INSTANCE, id);

	if (!slice_starts_with(id, SLICE("eni-")))
		sim_fail(call, "InvalidNetworkInterfaceID.Malformed", "Invalid id: \"%.*s\"", SLICE_ARGUMENTS(id));
	else if (!instance)
		sim_fail(call, "InvalidNetworkInterfaceID.NotFound", "The networkInterface ID '%.*s' does not exist",
			 SLICE_ARGUMENTS(id));
	if (call->failed)
		return false;
	struct node *list = node_find(&instance->body, "networkInterfaceSet");
	struct node *item = node_item(list, "networkInterfaceId", id);
	*ret = (struct sim_interface){
		.instance = instance,
		.subnet = sim_find(call->region, SIM_SUBNET, node_text(item, "subnetId")),
		.item = item,
		.is_first = item == &list->items[0],
	};
	return true;
}

static void set_public_address(struct sim_call *call, struct sim_interface *interface)
{
	/* It "can be enabled for any network interface but will only apply to the primary network interface". */
	if (interface->is_first)
		sim_public_address_set(call->sim, interface->instance,
				       sim_flag(call, "AssociatePublicIpAddress", false) &&
					       node_get(interface->item, "privateIpAddress"));
}

static void set_description(struct sim_call *call, struct sim_interface *interface)
{
	node_put(interface->item, "description", node_text(node_get(&call->request, "Description"), "Value"));
}

static void set_source_check(struct sim_call *call, struct sim_interface *interface)
{
	struct slice text = node_text(node_get(&call->request, "SourceDestCheck"), "Value");
	const char *value = sim_truth(text) ? "true" : "false";

	node_set(interface->item, "sourceDestCheck", value);
	if (interface->is_first)
		node_set(&interface->instance->body, "sourceDestCheck", value);
}

static void set_groups(struct sim_call *call, struct sim_interface *interface)
{
	enum { GROUPS_MOST = 16 }; /* the highest that the quota "Security groups per network interface" may be */
	const struct node *ids = node_get(&call->request, "SecurityGroupId");

	if (ids->count > GROUPS_MOST)
		sim_fail(call, "SecurityGroupsPerInterfaceLimitExceeded",
			 "The maximum number of security groups per interface has been reached.");
	if (call->failed || !interface->subnet || !sim_groups_check(call, ids, interface->subnet))
		return;
	if (!interface->is_first) {
		sim_interface_groups(interface->instance, ids, interface->item);
		return;
	}
	sim_instance_groups(interface->instance, ids);
	node_put_copy(interface->item, "groupSet", node_get(&interface->instance->body, "groupSet"));
}

/* "If modifying the delete on termination attribute, you must specify the ID of the interface attachment." */
static void set_attachment(struct sim_call *call, struct sim_interface *interface)
{
	const struct node *given = node_get(&call->request, "Attachment");
	struct node *attachment = node_find(interface->item, "attachment");
	struct slice id = node_text(given, "AttachmentId");

	if (id.size == 0)
		sim_fail(call, "MissingParameter", "The request must contain the parameter attachment.attachmentId");
	else if (!slice_equal(id, node_text(attachment, "attachmentId")))
		sim_fail(call, "InvalidAttachmentID.NotFound", "The attachment '%.*s' does not exist.",
			 SLICE_ARGUMENTS(id));
	else if (node_get(given, "DeleteOnTermination"))
		node_set(attachment, "deleteOnTermination",
			 sim_truth(node_text(given, "DeleteOnTermination")) ? "true" : "false");
}

/* "Once you enable an IPv6 GUA address to be a primary IPv6, you cannot disable it." */
static void set_primary6(struct sim_call *call, struct sim_interface *interface)
{
	struct node *list = node_list(interface->item, "ipv6AddressesSet");
	bool has_one = false;

	for (uint32_t i = 0; i < list->count; i++)
		has_one |= node_is(&list->items[i], "isPrimaryIpv6", "true");
	if (!sim_flag(call, "EnablePrimaryIpv6", false) && has_one)
		sim_fail(call, "InvalidParameterValue",
			 "A primary IPv6 address cannot be disabled once it is enabled.");
	else if (sim_flag(call, "EnablePrimaryIpv6", false) && list->count == 0)
		sim_fail(call, "InvalidParameterCombination",
			 "The network interface '%.*s' has no IPv6 address that could be the primary one.",
			 SLICE_ARGUMENTS(node_text(interface->item, "networkInterfaceId")));
	else if (!has_one && list->count > 0)
		node_set(&list->items[0], "isPrimaryIpv6",
			 sim_flag(call, "EnablePrimaryIpv6", false) ? "true" : "false");
}

static void set_tracking(struct sim_call *call, struct sim_interface *interface)
{
	sim_copy_parameter(call, "ConnectionTrackingSpecification",
			   node_map(interface->item, "connectionTrackingConfiguration"));
}

static void set_express(struct sim_call *call, struct sim_interface *interface)
{
	sim_copy_parameter(call, "EnaSrdSpecification",
			   node_map(node_map(interface->item, "attachment"), "enaSrdSpecification"));
}

static const struct {
	const char *parameter;
	void (*set)(struct sim_call *call, struct sim_interface *interface);
} attributes[] = {
	{"AssociatePublicIpAddress", set_public_address},
	{"Attachment", set_attachment},
	{"ConnectionTrackingSpecification", set_tracking},
	{"Description", set_description},
	{"EnablePrimaryIpv6", set_primary6},
	{"EnaSrdSpecification", set_express},
	{"SecurityGroupId", set_groups},
	{"SourceDestCheck", set_source_check},
};

enum { ATTRIBUTE_COUNT = sizeof(attributes) / sizeof(attributes[0]) };

static void modify_attribute(struct sim_call *call)
{
	struct sim_interface interface;
	size_t which = 0, given = 0;

	for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
		if (!sim_given(call, attributes[i].parameter))
			continue;
		which = i;
		given++;
	}
	if (!sim_interface_need(call, &interface))
		return;
	if (!sim_attribute_alone(call, given))
		return;
	sim_edit(call->sim, interface.instance);
	attributes[which].set(call, &interface);
	if (!call->failed)
		sim_out_return(call);
}

static const struct sim_action actions[] = {
	{"ModifyNetworkInterfaceAttribute", modify_attribute,
	 "NetworkInterfaceId! AssociatePublicIpAddress:b EnablePrimaryIpv6:b Description{Value} "
	 "SourceDestCheck{Value:b} "
	 "SecurityGroupId[] AssociatedSubnetId[] "
	 "Attachment{AttachmentId DeleteOnTermination:b EnaQueueCount:i DefaultEnaQueueCount:b} "
	 "EnaSrdSpecification{EnaSrdEnabled:b EnaSrdUdpSpecification{EnaSrdUdpEnabled:b}} "
	 "ConnectionTrackingSpecification{TcpEstablishedTimeout:i UdpStreamTimeout:i UdpTimeout:i}",
	 NULL},
};

const struct sim_family sim_interface_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
