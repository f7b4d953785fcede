#include <ctype.h>
#include <stdio.h>

#include "providers/sim/sim_launch.h"
#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_query.h"

/* Instances: running and listing them. */

enum { RUNNING_MS = 25 * 1000 };

static struct slice subnet_id(const struct node *data)
{
	struct slice id = node_text(data, "_subnetId");

	return id.size > 0 ? id : node_text(sim_interface_first(data), "subnetId");
}

static const struct node *group_ids(const struct node *data)
{
	const struct node *of_interface = node_get(sim_interface_first(data), "groupSet");

	return of_interface && of_interface->count > 0 ? of_interface : node_get(data, "securityGroupIdSet");
}

static void add_group(struct node *list, const struct sim_object *group)
{
	struct node *item = node_append(list, NODE_MAP);

	node_put(item, "groupId", group->id);
	node_put(item, "groupName", node_text(&group->body, "groupName"));
}

static void put_groups(struct sim_region *region, struct slice vpc_id, const struct node *ids, struct node *list)
{
	char key[512];

	node_reset(list, NODE_LIST);
	for (uint32_t i = 0; ids && i < ids->count; i++) {
		struct sim_object *group = sim_find(region, SIM_SECURITY_GROUP, node_slice(&ids->items[i]));

		if (group)
			add_group(list, group);
	}
	if (list->count > 0)
		return;
	(void)snprintf(key, sizeof(key), "%.*s/default", SLICE_ARGUMENTS(vpc_id));
	struct sim_object *group = sim_find_key(region, SIM_SECURITY_GROUP, slice_of(key));
	if (group)
		add_group(list, group);
}

void sim_instance_groups(struct sim_object *instance, const struct node *ids)
{
	put_groups(instance->region, node_text(&instance->body, "vpcId"), ids, node_list(&instance->body, "groupSet"));
}

void sim_interface_groups(struct sim_object *instance, const struct node *ids, struct node *interface)
{
	put_groups(instance->region, node_text(&instance->body, "vpcId"), ids, node_list(interface, "groupSet"));
}

bool sim_groups_check(struct sim_call *call, const struct node *ids, const struct sim_object *subnet)
{
	for (uint32_t i = 0; ids && i < ids->count && !call->failed; i++) {
		struct sim_object *group = sim_need_id(call, SIM_SECURITY_GROUP, node_slice(&ids->items[i]));

		if (group && !slice_equal(node_text(&group->body, "vpcId"), node_text(&subnet->body, "vpcId")))
			sim_fail(call, "InvalidParameter",
				 "Security group %.*s and subnet %.*s belong to different networks.",
				 SLICE_ARGUMENTS(group->id), SLICE_ARGUMENTS(subnet->id));
	}
	return !call->failed;
}

bool sim_instance_type_valid(struct slice type)
{
	size_t dot = 0;

	for (size_t i = 0; i < type.size; i++) {
		if (type.data[i] == '.')
			dot = i;
		else if (!islower((unsigned char)type.data[i]) && !isdigit((unsigned char)type.data[i]) &&
			 type.data[i] != '-')
			return false;
	}
	return dot > 0 && dot + 1 < type.size;
}

/* What does not go together: page "RunInstances", of EnclaveOptions, page "ModifyInstanceAttribute", of
 * DisableApiTermination, and page "RequestLaunchTemplateData", of CreditSpecification: "Valid only for T instances." */
static bool goes_together(struct sim_call *call, const struct node *data)
{
	if (node_is(node_get(data, "enclaveOptions"), "enabled", "true") &&
	    node_is(node_get(data, "hibernationOptions"), "configured", "true"))
		sim_fail(call, "InvalidParameterCombination",
			 "You can't enable AWS Nitro Enclaves and hibernation on the same instance.");
	else if (node_is(data, "disableApiTermination", "true") &&
		 node_is(node_get(data, "instanceMarketOptions"), "marketType", "spot"))
		sim_fail(call, "InvalidParameterCombination",
			 "You can't enable termination protection for Spot Instances.");
	else if (node_get(data, "creditSpecification") && sim_usual_credits(node_text(data, "instanceType")).size == 0)
		sim_fail(call, "InvalidParameterCombination", "The instance type '%.*s' does not support CPU credits.",
			 SLICE_ARGUMENTS(node_text(data, "instanceType")));
	return !call->failed;
}

bool sim_launch_check(struct sim_call *call, const struct node *data)
{
	struct slice type = node_text(data, "instanceType"), key = node_text(data, "keyName");
	struct slice image = node_text(data, "imageId"),
		     zone = node_text(node_get(data, "placement"), "availabilityZone");
	struct sim_object *subnet;

	if (image.size == 0) {
		sim_fail(call, "MissingParameter", "The request must contain the parameter ImageId");
		return false;
	}
	if (!sim_need_id(call, SIM_IMAGE, image))
		return false;
	if (type.size > 0 && !sim_instance_type_valid(type))
		sim_fail(call, "InvalidParameterValue", "Invalid value '%.*s' for InstanceType.",
			 SLICE_ARGUMENTS(type));
	if (key.size > 0 && !sim_find_key(call->region, SIM_KEY_PAIR, key))
		sim_fail(call, "InvalidKeyPair.NotFound", "The key pair '%.*s' does not exist", SLICE_ARGUMENTS(key));
	if (subnet_id(data).size == 0)
		sim_fail(call, "VPCIdNotSpecified",
			 "No default VPC for this user. GroupName is only supported for EC2-Classic and default VPC.");
	if (call->failed)
		return false;
	subnet = sim_need_id(call, SIM_SUBNET, subnet_id(data));
	if (subnet && zone.size > 0 && !slice_equal(zone, node_text(&subnet->body, "availabilityZone")))
		sim_fail(call, "InvalidParameterValue", "The subnet '%.*s' is not in the availability zone %.*s",
			 SLICE_ARGUMENTS(subnet->id), SLICE_ARGUMENTS(zone));
	return subnet && !call->failed && goes_together(call, data) && sim_interfaces_check(call, data, subnet) &&
	       sim_groups_check(call, group_ids(data), subnet) &&
	       sim_addresses6_check(call, data, sim_interface_first(data), subnet);
}

static void fill_network(struct sim_call *call, struct sim_object *instance, struct sim_object *subnet,
			 const struct node *data, struct slice address)
{
	const struct node *given = sim_interface_first(data);
	struct node *body = &instance->body;
	bool is_public = node_get(given, "associatePublicIpAddress")
				 ? node_is(given, "associatePublicIpAddress", "true")
				 : node_is(&subnet->body, "mapPublicIpOnLaunch", "true");
	struct cidr parts = {0};

	node_put(body, "subnetId", subnet->id);
	node_put(body, "vpcId", node_text(&subnet->body, "vpcId"));
	if (address.size > 0)
		node_put(body, "privateIpAddress", address);
	if (cidr_read_address(address, &parts))
		node_format(body, "privateDnsName", "ip-%d-%d-%d-%d.%.*s.compute.internal", parts.bytes[0],
			    parts.bytes[1], parts.bytes[2], parts.bytes[3], SLICE_ARGUMENTS(call->region->name));
	node_set(body, "dnsName", "");
	sim_instance_groups(instance, group_ids(data));
	sim_interfaces_make(call, instance, subnet, data);
	sim_public_address_set(call->sim, instance, is_public && address.size > 0);
}

/* What an instance is like where nothing is said of it. */
static void fill_options(struct sim_call *call, struct node *body, const struct node *data)
{
	static const char *const maps[] = {"cpuOptions",
					   "hibernationOptions",
					   "enclaveOptions",
					   "privateDnsNameOptions",
					   "maintenanceOptions",
					   "networkPerformanceOptions",
					   "capacityReservationSpecification",
					   "metadataOptions",
					   NULL};
	struct node *map = node_map(body, "metadataOptions");

	(void)call;
	node_set(map, "state", "applied");
	node_set(map, "httpTokens", "optional");
	node_set(map, "httpPutResponseHopLimit", "1");
	node_set(map, "httpEndpoint", "enabled");
	node_set(map, "httpProtocolIpv6", "disabled");
	node_set(map, "instanceMetadataTags", "disabled");
	map = node_map(body, "cpuOptions");
	node_set(map, "coreCount", "1");
	node_set(map, "threadsPerCore", "2");
	node_set(node_map(body, "capacityReservationSpecification"), "capacityReservationPreference", "open");
	node_set(node_map(body, "hibernationOptions"), "configured", "false");
	node_set(node_map(body, "enclaveOptions"), "enabled", "false");
	map = node_map(body, "maintenanceOptions");
	node_set(map, "autoRecovery", "default");
	node_set(map, "rebootMigration", "default");
	map = node_map(body, "privateDnsNameOptions");
	node_set(map, "hostnameType", "ip-name");
	node_set(map, "enableResourceNameDnsARecord", "false");
	node_set(map, "enableResourceNameDnsAAAARecord", "false");
	node_set(node_map(body, "networkPerformanceOptions"), "bandwidthWeighting", "default");
	for (const char *const *name = maps; *name; name++) {
		const struct node *given = node_get(data, *name);

		for (uint32_t i = 0; given && i < given->count; i++)
			node_put_copy(node_map(body, *name), given->items[i].name, &given->items[i]);
	}
	node_set(node_map(body, "monitoring"), "state",
		 node_is(node_get(data, "monitoring"), "enabled", "true") ? "enabled" : "disabled");
	node_put(body, "ebsOptimized",
		 node_get(data, "ebsOptimized") ? node_text(data, "ebsOptimized") : SLICE("false"));
	node_set(body, "sourceDestCheck", "true");
	if (node_get(data, "creditSpecification"))
		node_put(body, "_cpuCredits", node_text(node_get(data, "creditSpecification"), "cpuCredits"));
}

/* What is read by DescribeInstanceAttribute alone. */
static void fill_attributes(struct node *body, const struct node *data)
{
	static const char *const names[][3] = {
		{"disableApiTermination", "_disableApiTermination", "false"},
		{"disableApiStop", "_disableApiStop", "false"},
		{"instanceInitiatedShutdownBehavior", "_instanceInitiatedShutdownBehavior", "stop"},
		{"userData", "_userData", ""},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		node_put(body, names[i][1],
			 node_get(data, names[i][0]) ? node_text(data, names[i][0]) : slice_of(names[i][2]));
}

/* What a launch may say and nothing changes later; who does not say it has none of it. */
static void fill_choices(struct sim_call *call, struct node *body, const struct node *data)
{
	static const char *const names[][2] = {
		{"keyName", "keyName"},
		{"kernelId", "kernelId"},
		{"ramDiskId", "ramdiskId"},
	};
	struct slice market = node_text(node_get(data, "instanceMarketOptions"), "marketType");
	const struct node *spot = node_get(node_get(data, "instanceMarketOptions"), "spotOptions");
	char digits[9];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (node_get(data, names[i][0]))
			node_put(body, names[i][1], node_text(data, names[i][0]));
	if (node_get(data, "licenseSet"))
		node_put_copy(body, "licenseSet", node_get(data, "licenseSet"));
	if (market.size > 0)
		node_put(body, "instanceLifecycle", market);
	if (slice_is(market, "spot")) {
		sim_random_hex(call->sim, digits, 8);
		node_format(body, "spotInstanceRequestId", "sir-%s", digits);
		node_set(body, "_spotRequest", "active");
		node_put(body, "_spotType", node_text(spot, "spotInstanceType"));
	}
}

static void fill_tags(struct node *body, const struct node *data, const struct sim_object *version)
{
	const struct node *specifications = node_get(data, "tagSpecificationSet");

	node_list(body, "tagSet");
	for (uint32_t i = 0; specifications && i < specifications->count; i++) {
		const struct node *tags = node_get(&specifications->items[i], "tagSet");

		if (!node_is(&specifications->items[i], "resourceType", "instance"))
			continue;
		for (uint32_t at = 0; tags && at < tags->count; at++)
			sim_tag_set(body, node_text(&tags->items[at], "key"), node_text(&tags->items[at], "value"));
	}
	if (!version)
		return;
	sim_tag_set(body, SLICE("aws:ec2launchtemplate:id"), node_text(&version->body, "launchTemplateId"));
	sim_tag_set(body, SLICE("aws:ec2launchtemplate:version"), node_text(&version->body, "versionNumber"));
}

struct sim_object *sim_launch_instance(struct sim_call *call, const struct sim_launch *launch, int64_t index)
{
	const struct node *data = launch->data;
	struct sim_object *subnet = sim_find(call->region, SIM_SUBNET, subnet_id(data));
	const struct sim_object *image = sim_find(call->region, SIM_IMAGE, node_text(data, "imageId"));
	struct slice address;
	char now[32];

	if (!subnet || !image || !sim_interface_address(call, subnet, sim_interface_wanted(data), &address))
		return NULL;
	struct sim_object *instance = sim_create(call->sim, call->region, SIM_INSTANCE, (struct slice){NULL, 0});
	struct node *body = &instance->body, *placement;
	sim_time_text(call->sim->now_ms, now);
	node_put(body, "imageId", image->id);
	sim_instance_set_state(body, "pending");
	if (call->fails_later)
		node_set(body, "_failsLater", "true");
	node_format(body, "_ownerId", "%012lld", (long long)sim_setting(call->sim, SIM_SETTING_ACCOUNT));
	node_put(body, "_reservationId", launch->reservation_id);
	node_set(body, "reason", "");
	fill_choices(call, body, data);
	node_number(body, "amiLaunchIndex", index);
	node_list(body, "productCodes");
	node_put(body, "instanceType",
		 node_get(data, "instanceType") ? node_text(data, "instanceType") : SLICE("m1.small"));
	node_set(body, "launchTime", now);
	placement = node_map(body, "placement");
	node_set(placement, "tenancy", "default");
	node_set(placement, "groupName", "");
	if (node_get(data, "placement"))
		for (uint32_t i = 0; i < node_get(data, "placement")->count; i++)
			node_put_copy(placement, node_get(data, "placement")->items[i].name,
				      &node_get(data, "placement")->items[i]);
	node_put(placement, "availabilityZone", node_text(&subnet->body, "availabilityZone"));
	node_put(placement, "availabilityZoneId", node_text(&subnet->body, "availabilityZoneId"));
	node_put(body, "architecture", node_text(&image->body, "architecture"));
	node_set(body, "rootDeviceType", "ebs");
	node_put(body, "rootDeviceName", node_text(&image->body, "rootDeviceName"));
	node_set(body, "virtualizationType", "hvm");
	node_set(body, "hypervisor", "xen");
	node_set(body, "enaSupport", "true");
	node_set(body, "platformDetails", "Linux/UNIX");
	node_put(body, "clientToken", launch->token);
	fill_network(call, instance, subnet, data, address);
	fill_options(call, body, data);
	fill_attributes(body, data);
	if (node_get(data, "iamInstanceProfile"))
		sim_instance_profile(call, node_get(data, "iamInstanceProfile"), body);
	fill_tags(body, data, launch->template_version);
	sim_volumes_make(call, instance, image, data);
	sim_schedule(call->sim, instance, sim_pace(call->sim, RUNNING_MS) + call->lingers_ms);
	return instance;
}

/* The request's own parameters go over the template's. */
static bool read_data(struct sim_call *call, struct node *data, struct sim_object **ret_version)
{
	const struct node *specification = node_get(&call->request, "LaunchTemplate");
	struct node own = {.type = NODE_MAP};

	*ret_version = specification ? sim_template_version(call, specification) : NULL;
	if (call->failed)
		return false;
	node_reset(data, NODE_MAP);
	if (*ret_version)
		node_copy(data, node_get(&(*ret_version)->body, "launchTemplateData"));
	sim_copy_members(call->shape, &call->request, &own);
	for (uint32_t i = 0; i < own.count; i++)
		node_put_copy(data, own.items[i].name, &own.items[i]);
	node_release(&own);
	if (sim_given(call, "SubnetId"))
		node_put(data, "_subnetId", sim_text(call, "SubnetId"));
	if (sim_given(call, "PrivateIpAddress"))
		node_put(data, "_privateIpAddress", sim_text(call, "PrivateIpAddress"));
	return true;
}

static void write_reservation(struct sim_call *call, const struct sim_object *first)
{
	struct slice reservation_id = node_text(&first->body, "_reservationId");
	const struct sim_table *table = &call->region->tables[SIM_INSTANCE];

	sim_out_text(call, "reservationId", reservation_id);
	sim_out_text(call, "ownerId", node_text(&first->body, "_ownerId"));
	sim_out_string(call, "groupSet", "");
	sim_out_open(call, "instancesSet");
	for (size_t i = sim_table_seek(table, first->sequence); i < table->count; i++) {
		const struct node *body = &table->objects[i]->body;

		if (table->objects[i]->removed || !slice_equal(node_text(body, "_reservationId"), reservation_id))
			break;
		sim_out_node(call, "item", body);
	}
	sim_out_close(call, "instancesSet");
}

static bool check_counts(struct sim_call *call, int64_t *ret_count)
{
	int64_t least = sim_number(call, "MinCount", 1), most = sim_number(call, "MaxCount", 1);
	int64_t free_count =
		sim_setting(call->sim, SIM_SETTING_INSTANCES) - (int64_t)sim_table_count(call->region, SIM_INSTANCE);

	if (least < 1 || most < least || most > 1000)
		sim_fail(call, "InvalidParameterValue",
			 "Invalid value '%lld' for maxCount. Must be at least minCount and at most 1000.",
			 (long long)most);
	else if (free_count < least)
		sim_fail(call, "InstanceLimitExceeded",
			 "You have requested more instances (%lld) than your current instance limit allows.",
			 (long long)least);
	*ret_count = most < free_count ? most : free_count;
	return !call->failed;
}

static void run_instances(struct sim_call *call)
{
	struct slice token = sim_text(call, "ClientToken");
	struct sim_object *version, *first = NULL, **made = NULL;
	struct node data = {.type = NODE_MAP};
	char digits[18];
	int64_t count, made_count = 0;

	sim_tag_new(call, "instance", NULL);
	if (!call->failed && !sim_token_fresh(call, token, &first)) {
		if (first)
			write_reservation(call, first);
		return;
	}
	if (!call->failed && check_counts(call, &count) && read_data(call, &data, &version) &&
	    sim_launch_check(call, &data)) {
		sim_random_hex(call->sim, digits, 17);
		struct sim_launch launch = {
			.data = &data,
			.reservation_id = arena_format(call->arena, "r-%s", digits),
			.token = token,
			.template_version = version,
		};
		made = arena_new_array(call->arena, (size_t)count, struct sim_object *);
		for (int64_t i = 0; i < count && !call->failed; i++) {
			struct sim_object *instance = sim_launch_instance(call, &launch, i);

			if (instance)
				made[made_count++] = instance;
		}
		first = made_count > 0 ? made[0] : NULL;
	}
	/* All of them, or none. */
	for (int64_t i = 0; i < made_count && call->failed; i++)
		sim_delete(call->sim, made[i]);
	if (first && !call->failed) {
		sim_token_record(call, token, first);
		write_reservation(call, first);
	}
	node_release(&data);
}

/* A listing's item is a reservation; one with several instances comes as one for each. */
static void write(struct sim_call *call, const struct sim_object *instance, const struct node *body)
{
	(void)instance;
	sim_out_text(call, "reservationId", node_text(body, "_reservationId"));
	sim_out_text(call, "ownerId", node_text(body, "_ownerId"));
	sim_out_string(call, "groupSet", "");
	sim_out_open(call, "instancesSet");
	sim_out_node(call, "item", body);
	sim_out_close(call, "instancesSet");
}

static const struct sim_filter filters[] = {
	{"instance-id", "instanceId", NULL},
	{"instance-state-name", "instanceState.name", NULL},
	{"instance-state-code", "instanceState.code", NULL},
	{"vpc-id", "vpcId", NULL},
	{"subnet-id", "subnetId", NULL},
	{"image-id", "imageId", NULL},
	{"instance-type", "instanceType", NULL},
	{"key-name", "keyName", NULL},
	{"private-ip-address", "privateIpAddress", NULL},
	{"ip-address", "ipAddress", NULL},
	{"private-dns-name", "privateDnsName", NULL},
	{"dns-name", "dnsName", NULL},
	{"availability-zone", "placement.availabilityZone", NULL},
	{"tenancy", "placement.tenancy", NULL},
	{"client-token", "clientToken", NULL},
	{"reservation-id", "_reservationId", NULL},
	{"owner-id", "_ownerId", NULL},
	{"architecture", "architecture", NULL},
	{"launch-time", "launchTime", NULL},
	{"root-device-name", "rootDeviceName", NULL},
	{"instance.group-id", "groupSet.groupId", NULL},
	{"instance.group-name", "groupSet.groupName", NULL},
	{"network-interface.network-interface-id", "networkInterfaceSet.networkInterfaceId", NULL},
	{"network-interface.group-id", "networkInterfaceSet.groupSet.groupId", NULL},
	{"network-interface.subnet-id", "networkInterfaceSet.subnetId", NULL},
	{"network-interface.vpc-id", "networkInterfaceSet.vpcId", NULL},
	{"block-device-mapping.volume-id", "blockDeviceMapping.ebs.volumeId", NULL},
	{"iam-instance-profile.arn", "iamInstanceProfile.arn", NULL},
	{"monitoring-state", "monitoring.state", NULL},
};

static const struct sim_listing listing = {
	.type = SIM_INSTANCE,
	.set = "reservationSet",
	.ids = "InstanceId",
	.filters = filters,
	.filter_count = sizeof(filters) / sizeof(filters[0]),
	.page_least = 5,
	.page_most = 1000,
	.ids_exclude_pages = true,
	.write = write,
};

static const struct sim_action actions[] = {
	{"RunInstances", run_instances,
	 "MaxCount:i! MinCount:i! ClientToken=_token LaunchTemplate=_template{LaunchTemplateId LaunchTemplateName "
	 "Version} "
	 "SubnetId=_subnetId PrivateIpAddress=_privateIpAddress AdditionalInfo=_additionalInfo RamdiskId=ramDiskId "
	 "Ipv6AddressCount=_ipv6Count:i Ipv6Address=_ipv6[]{Ipv6Address IsPrimaryIpv6:b} "
	 "EnablePrimaryIpv6=_primaryIpv6:b " SIM_LAUNCH_DATA,
	 &listing},
	{"DescribeInstances", sim_describe,
	 "Filter[]{Name Value[]} InstanceId[] NextToken MaxResults:i IncludeManagedResources:b", &listing},
};

const struct sim_family sim_instance_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
