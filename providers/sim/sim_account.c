#include <ctype.h>
#include <stdio.h>
#include <time.h>

#include "providers/sim/sim_parts.h"

/* Whose account it is, its regions' zones, its attributes. */

enum { ZONE_COUNT = 4 };

const struct sim_type sim_access_key_type = {
	.number = SIM_ACCESS_KEY,
	.name = "access_key",
	.untagged = true,
	.worldwide = true,
};

bool sim_zone_name(const struct sim_region *region, size_t index, char ret[48])
{
	if (index >= ZONE_COUNT)
		return false;
	(void)snprintf(ret, 48, "%.*s%c", (int)(region->name.size > 40 ? 40 : region->name.size), region->name.data,
		       (char)('a' + (int)index));
	return true;
}

/* "ap-southeast-2" -> "apse2": the first part, the initials of each direction, the number. */
static void region_letters(struct slice region, char ret[24])
{
	static const char *const directions[] = {"north", "south", "east", "west", "central", "gov"};
	size_t size = 0;
	bool first = true;

	for (struct slice rest = region; rest.size > 0 && size < 16; first = false) {
		struct slice part = slice_cut(&rest, '-');

		for (size_t i = 0; i < part.size && size < 20; i++) {
			bool initial = first || isdigit((unsigned char)part.data[i]);

			for (size_t at = 0; at < sizeof(directions) / sizeof(directions[0]); at++)
				initial = initial || slice_starts_with(slice_from(part, i), slice_of(directions[at]));
			if (initial)
				ret[size++] = part.data[i];
		}
	}
	ret[size] = '\0';
}

bool sim_zone_id(const struct sim_region *region, struct slice name, char ret[48])
{
	char letters[24], zone[48];

	region_letters(region->name, letters);
	for (size_t i = 0; sim_zone_name(region, i, zone); i++) {
		(void)snprintf(ret, 48, "%s-az%zu", letters, i + 1);
		if (slice_is(name, zone))
			return true;
	}
	return false;
}

void sim_time_text(int64_t ms, char ret[32])
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm parts;

	gmtime_r(&seconds, &parts);
	(void)strftime(ret, 32, "%Y-%m-%dT%H:%M:%S.000Z", &parts);
}

static bool zone_asked(const struct sim_call *call, const char *zone, const char *id)
{
	const struct node *names = node_get(&call->request, "ZoneName"), *ids = node_get(&call->request, "ZoneId");
	const struct node *filters = node_get(&call->request, "Filter");
	bool asked = !names && !ids;

	for (uint32_t i = 0; names && i < names->count; i++)
		asked = asked || slice_is(node_slice(&names->items[i]), zone);
	for (uint32_t i = 0; ids && i < ids->count; i++)
		asked = asked || slice_is(node_slice(&ids->items[i]), id);
	for (uint32_t i = 0; filters && i < filters->count; i++) {
		struct slice name = node_text(&filters->items[i], "Name");
		struct slice text = slice_is(name, "zone-name")	      ? slice_of(zone)
				    : slice_is(name, "zone-id")	      ? slice_of(id)
				    : slice_is(name, "state")	      ? SLICE("available")
				    : slice_is(name, "zone-type")     ? SLICE("availability-zone")
				    : slice_is(name, "opt-in-status") ? SLICE("opt-in-not-required")
								      : call->region->name;

		asked = asked && sim_matches(node_get(&filters->items[i], "Value"), text);
	}
	return asked;
}

static void describe_availability_zones(struct sim_call *call)
{
	const struct node *names = node_get(&call->request, "ZoneName");
	char zone[48], id[48];

	for (uint32_t i = 0; names && i < names->count; i++)
		if (!sim_zone_id(call->region, node_slice(&names->items[i]), id))
			sim_fail(call, "InvalidParameterValue", "Invalid availability zone: [%.*s]",
				 SLICE_ARGUMENTS(node_slice(&names->items[i])));
	sim_out_open(call, "availabilityZoneInfo");
	for (size_t i = 0; sim_zone_name(call->region, i, zone); i++) {
		(void)sim_zone_id(call->region, slice_of(zone), id);
		if (!zone_asked(call, zone, id))
			continue;
		sim_out_open(call, "item");
		sim_out_string(call, "zoneName", zone);
		sim_out_string(call, "zoneId", id);
		sim_out_string(call, "zoneState", "available");
		sim_out_string(call, "zoneType", "availability-zone");
		sim_out_string(call, "optInStatus", "opt-in-not-required");
		sim_out_text(call, "regionName", call->region->name);
		sim_out_text(call, "groupName", call->region->name);
		sim_out_text(call, "networkBorderGroup", call->region->name);
		sim_out_string(call, "messageSet", "");
		sim_out_close(call, "item");
	}
	sim_out_close(call, "availabilityZoneInfo");
}

static const struct {
	const char *name;
	const char *value;
	enum sim_setting setting; /* where value is NULL */
} attributes[] = {
	{"supported-platforms", "VPC", SIM_SETTING_COUNT},
	{"default-vpc", "none", SIM_SETTING_COUNT},
	{"max-instances", NULL, SIM_SETTING_INSTANCES},
	{"vpc-max-security-groups-per-interface", "5", SIM_SETTING_COUNT},
	{"max-elastic-ips", "5", SIM_SETTING_COUNT},
	{"vpc-max-elastic-ips", "5", SIM_SETTING_COUNT},
};

static void describe_account_attributes(struct sim_call *call)
{
	const struct node *asked = node_get(&call->request, "AttributeName");

	sim_out_open(call, "accountAttributeSet");
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		bool wanted = !asked;
		char number[24];

		for (uint32_t at = 0; asked && at < asked->count; at++)
			wanted = wanted || slice_is(node_slice(&asked->items[at]), attributes[i].name);
		if (!wanted)
			continue;
		if (!attributes[i].value)
			(void)snprintf(number, sizeof(number), "%lld",
				       (long long)sim_setting(call->sim, attributes[i].setting));
		sim_out_open(call, "item");
		sim_out_string(call, "attributeName", attributes[i].name);
		sim_out_open(call, "attributeValueSet");
		sim_out_open(call, "item");
		sim_out_string(call, "attributeValue", attributes[i].value ? attributes[i].value : number);
		sim_out_close(call, "item");
		sim_out_close(call, "attributeValueSet");
		sim_out_close(call, "item");
	}
	sim_out_close(call, "accountAttributeSet");
}

static void get_caller_identity(struct sim_call *call)
{
	long long account = (long long)sim_setting(call->sim, SIM_SETTING_ACCOUNT);

	(void)buffer_format(call->out,
			    "<Arn>arn:aws:iam::%012lld:user/sim</Arn><UserId>AIDASIMULATEDUSER0001</UserId>"
			    "<Account>%012lld</Account>",
			    account, account);
}

static const struct sim_action actions[] = {
	{"DescribeAvailabilityZones", describe_availability_zones,
	 "ZoneName[] ZoneId[] AllAvailabilityZones:b Filter[]{Name Value[]}", NULL},
	{"DescribeAccountAttributes", describe_account_attributes, "AttributeName[]", NULL},
};

const struct sim_family sim_account_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};

static const struct sim_action identity_actions[] = {
	{"GetCallerIdentity", get_caller_identity, "", NULL},
};

const struct sim_family sim_identity_family = {SIM_STS, identity_actions, 1};
