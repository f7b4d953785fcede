#include "providers/sim/sim_launch.h"

/*
 * The public address of an instance's first interface, where it is one of AWS's own choice: page "Public IPv4
 * addresses" of the guide "Amazon EC2 instance IP addressing". It comes with a start, and goes with a stop.
 */

static struct node *first_of(struct node *body)
{
	struct node *list = node_find(body, "networkInterfaceSet");

	return list && list->count > 0 ? &list->items[0] : NULL;
}

static void give(struct sim *sim, struct sim_object *instance)
{
	int last[3] = {(int)sim_random_between(sim, 1, 254), (int)sim_random_between(sim, 0, 255),
		       (int)sim_random_between(sim, 1, 254)};
	struct node *body = sim_edit(sim, instance);
	struct node *interface = first_of(body);

	node_format(body, "ipAddress", "54.%d.%d.%d", last[0], last[1], last[2]);
	node_format(body, "dnsName", "ec2-54-%d-%d-%d.%.*s.compute.amazonaws.com", last[0], last[1], last[2],
		    SLICE_ARGUMENTS(instance->region->name));
	if (!interface)
		return;
	struct node *association = node_map(interface, "association");
	node_put(association, "publicIp", node_text(body, "ipAddress"));
	node_put(association, "publicDnsName", node_text(body, "dnsName"));
	node_set(association, "ipOwnerId", "amazon");
}

void sim_public_address_release(struct sim *sim, struct sim_object *instance)
{
	struct node *body = sim_edit(sim, instance);
	struct node *interface = first_of(body);

	node_drop(body, "ipAddress");
	node_set(body, "dnsName", "");
	if (interface)
		node_drop(interface, "association");
}

void sim_public_address_renew(struct sim *sim, struct sim_object *instance)
{
	/* With a second interface it is not given again. */
	if (node_is(&instance->body, "_publicIp", "true") && node_count(&instance->body, "networkInterfaceSet") == 1 &&
	    !node_get(&instance->body, "ipAddress"))
		give(sim, instance);
}

void sim_public_address_set(struct sim *sim, struct sim_object *instance, bool wanted)
{
	struct slice state = sim_instance_state(instance);

	node_set(sim_edit(sim, instance), "_publicIp", wanted ? "true" : "false");
	if (!wanted)
		sim_public_address_release(sim, instance);
	else if ((slice_is(state, "pending") || slice_is(state, "running")) && !node_get(&instance->body, "ipAddress"))
		give(sim, instance);
}
