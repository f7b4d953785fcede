#include "tests/simulate/judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct audit_object *sight_recorded(const struct sight *sight, const char *address)
{
	for (size_t i = 0; i < sight->record.object_count; i++)
		if (sight->record.objects[i].role == 0 && slice_is(sight->record.objects[i].address, address))
			return &sight->record.objects[i];
	return NULL;
}

bool body_is_gone(const struct value *body)
{
	static const char *const gone[] = {"deleted", "deleting", "terminated", "shutting-down", NULL};

	return slice_is_one_of(value_slice(value_get_named(body, "state")), gone) ||
	       slice_is_one_of(value_slice(value_path(body, "instanceState.name")), gone);
}

/* The id of a thing as recorded, or "". */
static const char *id_of_thing(const struct sight *sight, const struct thing *thing)
{
	const struct audit_object *object;
	char address[THING_ADDRESS_BYTES];

	thing_address(thing, address);
	object = sight_recorded(sight, address);
	return object ? object->provider_id.data : "";
}

/* The same of what others name, which stays at its address. */
static const char *id_of(const struct sight *sight, enum species species, unsigned number)
{
	return id_of_thing(sight, &(struct thing){.species = species, .number = number});
}

/* Whose body is looked at, for messages. */
struct subject {
	const struct sight *sight;
	const struct thing *thing;
	const struct value *body;
};

/* What the stack's feature is about has a judge of its own. */
static bool is_of_feature(const struct subject *subject, const char *path)
{
	const struct blueprint *blueprint = subject->sight->blueprint;
	const char *featured = feature_rows[blueprint->feature].path;

	return featured && strcmp(featured, path) == 0 && blueprint_features(blueprint, subject->thing);
}

__attribute__((format(printf, 3, 4))) static void expect(const struct subject *subject, const char *path,
							 const char *format, ...)
{
	const struct value *value = value_path(subject->body, path);
	char wanted[256], address[THING_ADDRESS_BYTES];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(wanted, sizeof(wanted), format, arguments);
	va_end(arguments);
	if (slice_is(value_slice(value), wanted) || is_of_feature(subject, path))
		return;
	thing_address(subject->thing, address);
	universe_fail(subject->sight->universe, "world: %s has %s '%.*s' instead of '%s'", address, path,
		      SLICE_ARGUMENTS(value_slice(value)), wanted);
}

static void expect_number(const struct subject *subject, const char *what, size_t number, size_t wanted)
{
	char address[THING_ADDRESS_BYTES];

	if (number == wanted)
		return;
	thing_address(subject->thing, address);
	universe_fail(subject->sight->universe, "world: %s has %zu %s instead of %zu", address, number, what, wanted);
}

/* How many items of the list at path have that text at each name; pairs end with NULL. */
static size_t count_items(const struct value *body, const char *path, const char *const (*pairs)[2])
{
	const struct value *list = value_path(body, path);
	size_t count = 0;

	for (uint32_t i = 0; value_is(list, VALUE_LIST) && i < list->count; i++) {
		bool all = true;

		for (size_t at = 0; pairs[at][0]; at++)
			all &= slice_is(value_slice(value_path(&list->items[i], pairs[at][0])), pairs[at][1]);
		count += all;
	}
	return count;
}

static size_t list_size(const struct value *body, const char *path)
{
	const struct value *list = value_path(body, path);

	return value_is(list, VALUE_LIST) ? list->count : 0;
}

static void judge_round(const struct subject *subject)
{
	char number[16];
	const char *tag = thing_tag(subject->thing);
	const char *other = strcmp(tag, "turn") == 0 ? "round" : "turn";
	const char *const pairs[][2] = {{"key", tag}, {"value", number}, {NULL, NULL}};
	const char *const others[][2] = {{"key", other}, {NULL, NULL}};

	(void)snprintf(number, sizeof(number), "%u", subject->thing->in_place);
	expect_number(subject, "right tags of the round", count_items(subject->body, "tagSet", pairs), 1);
	expect_number(subject, "tags of a round before", count_items(subject->body, "tagSet", others), 0);
}

static void judge_vpc(const struct subject *subject)
{
	const struct blueprint *blueprint = subject->sight->blueprint;

	expect(subject, "cidrBlock", "10.%u.0.0/16",
	       subject->thing->number == 0 ? vpc_octet(blueprint) : 50 + subject->thing->renewal % 8);
	expect(subject, "enableDnsSupport", "%s", subject->thing->parts % 2 ? "false" : "true");
}

static void judge_subnet(const struct subject *subject)
{
	expect(subject, "vpcId", "%s", id_of(subject->sight, SPECIES_VPC, 0));
	expect(subject, "cidrBlock", "10.%u.%u.0/24", vpc_octet(subject->sight->blueprint),
	       subnet_octet(subject->thing));
}

static void judge_group(const struct subject *subject)
{
	const struct sight *sight = subject->sight;
	const struct value *rules = value_get_named(sight->region, "security-group-rule");
	unsigned friend = subject->thing->number % 2 ? subject->thing->number - 1 : subject->thing->number + 1;
	size_t all = 0, wanted = 1, ranges = 0, friends = 0;
	char port[16], about[16];

	(void)snprintf(port, sizeof(port), "%u", 100 + subject->thing->parts);
	(void)snprintf(about, sizeof(about), "rule %u", subject->thing->in_place);
	for (uint32_t i = 0; value_is(rules, VALUE_MAP) && i < rules->count; i++) {
		const struct value *rule = &rules->members[i].value;

		if (!slice_is(value_slice(value_get_named(rule, "groupId")),
			      id_of(sight, SPECIES_GROUP, subject->thing->number)) ||
		    slice_is(value_slice(value_get_named(rule, "isEgress")), "true"))
			continue;
		all++;
		ranges += slice_is(value_slice(value_get_named(rule, "cidrIpv4")), "10.0.0.0/8") &&
			  slice_is(value_slice(value_get_named(rule, "fromPort")), port) &&
			  slice_is(value_slice(value_get_named(rule, "description")), about);
		friends += slice_is(value_slice(value_path(rule, "referencedGroupInfo.groupId")),
				    id_of(sight, SPECIES_GROUP, friend));
	}
	expect(subject, "vpcId", "%s", id_of(sight, SPECIES_VPC, 0));
	expect(subject, "groupName", "g%u-%u", subject->thing->number, subject->thing->renewal);
	expect_number(subject, "rules for the right range", ranges, 1);
	if (blueprint_find(sight->blueprint, SPECIES_GROUP, friend)) {
		wanted++;
		expect_number(subject, "rules for its friend", friends, 1);
	}
	expect_number(subject, "rules", all, wanted);
}

static void judge_internet_gateway(const struct subject *subject)
{
	const char *const pairs[][2] = {{"vpcId", id_of(subject->sight, SPECIES_VPC, 0)}, {NULL, NULL}};

	expect_number(subject, "attachments", count_items(subject->body, "attachmentSet", pairs), 1);
}

static void judge_routes(const struct subject *subject)
{
	const struct sight *sight = subject->sight;
	const char *const made[][2] = {{"origin", "CreateRoute"}, {NULL, NULL}};
	const char *const out[][2] = {{"destinationCidrBlock", "0.0.0.0/0"},
				      {"gatewayId", id_of(sight, SPECIES_INTERNET_GATEWAY, 0)},
				      {NULL, NULL}};
	char range[32];
	const char *const office[][2] = {
		{"destinationCidrBlock", range}, {"gatewayId", id_of(sight, SPECIES_VPN_GATEWAY, 0)}, {NULL, NULL}};
	bool to_vpn = route_leads_to_vpn(subject->thing);
	const char *const either[][2] = {
		{"destinationCidrBlock", "192.0.2.0/24"},
		{"gatewayId", id_of(sight, to_vpn ? SPECIES_VPN_GATEWAY : SPECIES_INTERNET_GATEWAY, 0)},
		{NULL, NULL}};
	size_t wanted = 0;

	(void)snprintf(range, sizeof(range), "172.%u.0.0/16", 16 + subject->thing->parts % 8);
	if (blueprint_find(sight->blueprint, SPECIES_INTERNET_GATEWAY, 0)) {
		wanted++;
		expect_number(subject, "routes to the internet", count_items(subject->body, "routeSet", out), 1);
	}
	if (blueprint_find(sight->blueprint, SPECIES_VPN_GATEWAY, 0)) {
		wanted++;
		expect_number(subject, "routes to the office", count_items(subject->body, "routeSet", office), 1);
	}
	if (wanted > 1) {
		wanted++;
		expect_number(subject, "routes that change sides", count_items(subject->body, "routeSet", either), 1);
	}
	expect_number(subject, "routes made", count_items(subject->body, "routeSet", made), wanted);
}

static void judge_route_table(const struct subject *subject)
{
	const struct sight *sight = subject->sight;
	const struct thing *gateway = blueprint_find(sight->blueprint, SPECIES_VPN_GATEWAY, 0);
	const char *const announcing[][2] = {{"gatewayId", id_of(sight, SPECIES_VPN_GATEWAY, 0)}, {NULL, NULL}};
	size_t wanted = 0;

	judge_routes(subject);
	for (unsigned i = 0; i < route_table_subnets(subject->thing); i++) {
		const char *const pairs[][2] = {{"subnetId", id_of(sight, SPECIES_SUBNET, i)}, {NULL, NULL}};

		if (!blueprint_find(sight->blueprint, SPECIES_SUBNET, i))
			continue;
		wanted++;
		expect_number(subject, "associations with a subnet of its own",
			      count_items(subject->body, "associationSet", pairs), 1);
	}
	expect_number(subject, "associations", list_size(subject->body, "associationSet"), wanted);
	expect_number(subject, "gateways that announce to it",
		      count_items(subject->body, "propagatingVgwSet", announcing),
		      gateway && gateway->parts % 2 && subject->thing->number == 0);
}

static void judge_vpn_gateway(const struct subject *subject)
{
	const char *const pairs[][2] = {
		{"vpcId", id_of(subject->sight, SPECIES_VPC, 0)}, {"state", "attached"}, {NULL, NULL}};

	expect(subject, "amazonSideAsn", "%u", 64600 + subject->thing->renewal % 8);
	expect_number(subject, "attachments", count_items(subject->body, "attachments", pairs), 1);
}

static void judge_customer_gateway(const struct subject *subject)
{
	expect(subject, "ipAddress", "198.51.100.%u", customer_octet(subject->thing));
	expect(subject, "state", "available");
}

static void judge_vpn_connection(const struct subject *subject)
{
	char range[32];
	const char *const pairs[][2] = {{"destinationCidrBlock", range}, {NULL, NULL}};
	const char *const live[][2] = {{"state", "available"}, {NULL, NULL}};

	(void)snprintf(range, sizeof(range), "192.168.%u.0/24", 10 + subject->thing->parts % 200);
	expect(subject, "customerGatewayId", "%s", id_of(subject->sight, SPECIES_CUSTOMER_GATEWAY, 0));
	expect(subject, "vpnGatewayId", "%s", id_of(subject->sight, SPECIES_VPN_GATEWAY, 0));
	expect(subject, "state", "available");
	expect(subject, "options.tunnelOptionSet.0.preSharedKey", "%s", oracle_secret);
	expect_number(subject, "routes to the right range", count_items(subject->body, "routes", pairs), 1);
	if (count_items(subject->body, "routes", live) > 1)
		expect_number(subject, "routes", list_size(subject->body, "routes"), 1);
}

static void judge_key_pair(const struct subject *subject)
{
	const char *keys[] = {"AAAAIJ5c", "AAAAIP5c"};
	struct slice key = value_slice(value_get_named(subject->body, "publicKey"));

	expect(subject, "keyName", "k%u-%u", subject->thing->number, subject->thing->renewal);
	expect_number(subject, "right keys", slice_contains(key, slice_of(keys[subject->thing->renewal % 2])), 1);
}

/* The key that was shown for what is there now is where the spec says, whole. */
static void judge_shown_key(const struct subject *subject)
{
	const struct universe *universe = subject->sight->universe;
	const char *id = id_of_thing(subject->sight, subject->thing);
	char path[SHOWN_KEY_PATH_BYTES];
	const struct disk_file *file;

	shown_key_path(subject->thing, path);
	file = disk_find(&universe->disk, slice_of(path));
	expect(subject, "keyName", "x%u-%u", subject->thing->number, subject->thing->renewal);
	expect_number(subject, "right keys in its file",
		      file && shown_is_key_of((struct slice){file->bytes, file->size}, slice_of(id)), 1);
}

/* The same twice in a row is one version that was made twice. */
static void judge_versions(const struct subject *subject, const struct value *versions, int64_t latest)
{
	static const char *const told[] = {"versionDescription", "launchTemplateData"};
	const char *id = id_of(subject->sight, SPECIES_TEMPLATE, 0);
	const struct value *before = NULL;

	for (int64_t number = 1; number <= latest && !subject->sight->universe->may_double; number++) {
		char name[NAME_BYTES];

		(void)snprintf(name, sizeof(name), "%s:%" PRId64, id, number);
		const struct value *version = value_get_named(versions, name);
		bool is_same = before && version;

		for (size_t i = 0; is_same && i < sizeof(told) / sizeof(told[0]); i++) {
			const struct value *now = value_get_named(version, told[i]);
			const struct value *then = value_get_named(before, told[i]);

			is_same = now && then ? value_equal(now, then) : now == then;
		}
		if (is_same)
			universe_fail(subject->sight->universe, "world: version %s was made twice", name);
		before = version;
	}
}

static void judge_template(const struct subject *subject)
{
	const struct value *versions = value_get_named(subject->sight->region, "launch-template-version");
	struct slice latest = value_slice(value_get_named(subject->body, "latestVersionNumber"));
	const struct thing *key = blueprint_find(subject->sight->blueprint, SPECIES_KEY_PAIR, 0);
	struct subject version = *subject;
	char id[NAME_BYTES];

	int64_t number = 0;

	if (slice_integer(latest, &number))
		judge_versions(subject, versions, number);
	expect(subject, "launchTemplateName", "template-%u", subject->thing->renewal);
	expect(subject, "defaultVersionNumber", "%.*s", SLICE_ARGUMENTS(latest));
	(void)snprintf(id, sizeof(id), "%s:%.*s", id_of(subject->sight, SPECIES_TEMPLATE, 0), SLICE_ARGUMENTS(latest));
	version.body = value_get_named(versions, id);
	expect(&version, "versionDescription", "v%u", subject->thing->parts);
	expect(&version, "launchTemplateData.userData", "%s", oracle_start_sent);
	if (key)
		expect(&version, "launchTemplateData.keyName", "k0-%u", key->renewal);
	if (blueprint_find(subject->sight->blueprint, SPECIES_GROUP, 0))
		expect(&version, "launchTemplateData.securityGroupIdSet.0", "%s",
		       id_of(subject->sight, SPECIES_GROUP, 0));
}

static void judge_scaling_group(const struct subject *subject)
{
	const char *id = id_of(subject->sight, SPECIES_TEMPLATE, 0);
	const struct value *templates = value_get_named(subject->sight->region, "launch-template");

	expect(subject, "MinSize", "0");
	expect(subject, "MaxSize", "%u", 2 + subject->thing->in_place % 5);
	expect(subject, "LaunchTemplate.LaunchTemplateId", "%s", id);
	expect(subject, "LaunchTemplate.Version", "%.*s",
	       SLICE_ARGUMENTS(value_slice(value_get_named(value_get_named(templates, id), "latestVersionNumber"))));
	expect(subject, "VPCZoneIdentifier", "%s", id_of(subject->sight, SPECIES_SUBNET, 0));
}

static void judge_instance(const struct subject *subject)
{
	unsigned groups = instance_groups(subject->sight->blueprint, subject->thing);

	/* A stop that comes when a later run has started it wins, and of others it is not put right. */
	if (instance_is_told_to_run(subject->thing) || !subject->sight->universe->may_double)
		expect(subject, "instanceState.name", "running");
	expect(subject, "subnetId", "%s", id_of(subject->sight, SPECIES_SUBNET, 0));
	expect(subject, "imageId", "%s",
	       subject->thing->renewal % 2 ? "ami-0a1b2c3d4e5f60718" : "ami-0123456789abcdef0");
	expect(subject, "monitoring.state", "%s", subject->thing->parts % 2 ? "enabled" : "disabled");
	if (groups == 0)
		return;
	expect_number(subject, "groups", list_size(subject->body, "groupSet"), groups);
	for (unsigned i = 0; i < groups; i++) {
		const char *const pairs[][2] = {{"groupId", id_of(subject->sight, SPECIES_GROUP, i)}, {NULL, NULL}};

		expect_number(subject, "groups of its own", count_items(subject->body, "groupSet", pairs), 1);
	}
}

/* What is on its way out is as good as gone. */
static bool is_leaving(const struct value *item)
{
	static const char *const states[] = {"cidrBlockState.state", "ipv6CidrBlockState.state", NULL};
	static const char *const gone[] = {"disassociating", "disassociated", NULL};

	for (const char *const *state = states; *state; state++)
		if (slice_is_one_of(value_slice(value_path(item, *state)), gone))
			return true;
	return false;
}

/* Whether that text stands at the path, of which one step may be any item of a list: "tagSet.*.key". */
static bool stands_at(const struct value *body, const char *path, const char *text)
{
	const char *any = strstr(path, ".*.");
	char list_path[NAME_BYTES];
	const struct value *list;

	if (!any)
		return slice_is(value_slice(value_path(body, path)), text);
	(void)snprintf(list_path, sizeof(list_path), "%.*s", (int)(any - path), path);
	list = value_path(body, list_path);
	for (uint32_t i = 0; value_is(list, VALUE_LIST) && i < list->count; i++)
		if (!is_leaving(&list->items[i]) && stands_at(&list->items[i], any + 3, text))
			return true;
	return false;
}

/* The same of the thing, or of whatever of that type belongs to it. */
static bool is_seen(const struct subject *subject, const struct feature_row *row, const char *text)
{
	const struct value *all = row->type ? value_get_named(subject->sight->region, row->type) : NULL;
	const char *id = id_of_thing(subject->sight, subject->thing);

	if (!row->type)
		return stands_at(subject->body, row->path, text);
	for (uint32_t i = 0; value_is(all, VALUE_MAP) && i < all->count; i++) {
		const struct value *body = &all->members[i].value;

		if (slice_is(value_slice(value_get_named(body, row->owner)), id) && stands_at(body, row->path, text))
			return true;
	}
	return false;
}

static void judge_feature(const struct subject *subject)
{
	const struct blueprint *blueprint = subject->sight->blueprint;
	const struct feature_row *row = &feature_rows[blueprint->feature];
	const char *wanted = row->seen[blueprint_side(blueprint)], *other = row->seen[!blueprint_side(blueprint)];

	bool is_said = feature_subject(blueprint->feature)->values[blueprint_side(blueprint)] != NULL;

	/* What comes when a later run has changed the same wins; it is put right where the spec says it and a read
	 * tells. */
	if (subject->sight->universe->may_double && (!is_said || row->is_blind))
		return;
	if (wanted && !is_seen(subject, row, wanted))
		universe_fail(subject->sight->universe, "world: '%s' is not at %s", wanted, row->path);
	if (other && is_seen(subject, row, other))
		universe_fail(subject->sight->universe, "world: '%s' is still at %s", other, row->path);
}

void judge_thing(const struct sight *sight, const struct thing *thing, const struct value *body)
{
	static void (*const judges[SPECIES_COUNT])(const struct subject *) = {
		[SPECIES_VPC] = judge_vpc,
		[SPECIES_SUBNET] = judge_subnet,
		[SPECIES_GROUP] = judge_group,
		[SPECIES_INTERNET_GATEWAY] = judge_internet_gateway,
		[SPECIES_ROUTE_TABLE] = judge_route_table,
		[SPECIES_VPN_GATEWAY] = judge_vpn_gateway,
		[SPECIES_CUSTOMER_GATEWAY] = judge_customer_gateway,
		[SPECIES_VPN_CONNECTION] = judge_vpn_connection,
		[SPECIES_KEY_PAIR] = judge_key_pair,
		[SPECIES_SHOWN_KEY] = judge_shown_key,
		[SPECIES_TEMPLATE] = judge_template,
		[SPECIES_SCALING_GROUP] = judge_scaling_group,
		[SPECIES_INSTANCE] = judge_instance,
	};
	struct subject subject = {sight, thing, body};

	judges[thing->species](&subject);
	if (blueprint_features(sight->blueprint, thing) && feature_rows[sight->blueprint->feature].path)
		judge_feature(&subject);
	/* Tags of a group are of another form, and it has none of its own here. */
	if (thing->species != SPECIES_SCALING_GROUP)
		judge_round(&subject);
}
