#include <stdio.h>

#include "tests/simulate/judge.h"

/* What belongs to somebody else in the same account. */

static struct value text_map(struct arena *arena, const char *const (*pairs)[2])
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (size_t i = 0; pairs[i][0]; i++)
		value_builder_member(&builder, slice_of(pairs[i][0]), value_text(pairs[i][1]));
	return value_builder_map(&builder, arena);
}

static void add_foreign(struct universe *universe, struct arena *arena, const char *type, const char *id,
			const char *const (*pairs)[2])
{
	struct value attributes = text_map(arena, pairs);
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics, arena);
	if (!sim_add(universe->sim, arena, slice_of(region_name), slice_of(type), slice_of(id), &attributes, NULL,
		     &diagnostics))
		universe_fail(universe, "the simulator takes no foreign %s", type);
	diagnostics_release(&diagnostics);
}

static const char foreign_vpc[] = "vpc-0f0f0f0f0f0f0f0f0";

const struct foreign_thing foreign_things[FOREIGN_COUNT] = {
	[FOREIGN_VPC] = {"vpc", foreign_vpc},
	[FOREIGN_SUBNET] = {"subnet", "subnet-0f0f0f0f0f0f0f0f0"},
	[FOREIGN_CUSTOMER_GATEWAY] = {"customer-gateway", "cgw-0f0f0f0f0f0f0f0f0"},
	[FOREIGN_KEY_PAIR] = {"key-pair", "key-0f0f0f0f0f0f0f0f0"},
};

static const struct slice unknown_intent = {"2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f2f", 32};

static void set(struct universe *universe, const struct foreign_thing *thing, const struct value_member *members,
		size_t count)
{
	const struct value attributes = value_map(members, count);
	struct diagnostics diagnostics;
	struct arena arena;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	if (!sim_change(universe->sim, slice_of(region_name), slice_of(thing->type), slice_of(thing->id), &attributes,
			&diagnostics))
		universe_fail(universe, "the simulator takes no tags");
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

/* What carries the tags of something, and what they say. */
static void set_tags(struct universe *universe, const struct foreign_thing *thing, struct slice lineage,
		     struct slice object, struct slice address, struct slice intent)
{
	struct value_member members[] = {
		{value_text("tagSet.0.key"), value_text("trueup:stack")},
		{value_text("tagSet.0.value"), value_string(lineage)},
		{value_text("tagSet.1.key"), value_text("trueup:object")},
		{value_text("tagSet.1.value"), value_string(object)},
		{value_text("tagSet.2.key"), value_text("trueup:intent")},
		{value_text("tagSet.2.value"), value_string(intent)},
		{value_text("tagSet.3.key"), value_text("trueup:address")},
		{value_text("tagSet.3.value"), value_string(address)},
	};

	set(universe, thing, members, sizeof(members) / sizeof(members[0]));
}

void foreign_make(struct universe *universe, struct foreign *foreign)
{
	static const char *const vpc[][2] = {{"cidrBlock", "10.99.0.0/16"}, {"state", "available"}, {NULL, NULL}};
	static const char *const subnet[][2] = {{"cidrBlock", "10.99.1.0/24"},
						{"vpcId", "vpc-0f0f0f0f0f0f0f0f0"},
						{"availabilityZone", "us-west-2a"},
						{"state", "available"},
						{NULL, NULL}};
	static const char *const group[][2] = {{"groupName", "g0-0"},
					       {"groupDescription", "of others"},
					       {"vpcId", "vpc-0f0f0f0f0f0f0f0f0"},
					       {NULL, NULL}};
	static const char *const gateway[][2] = {{"ipAddress", "198.51.100.250"},
						 {"bgpAsn", "65001"},
						 {"state", "available"},
						 {"type", "ipsec.1"},
						 {NULL, NULL}};
	static const char *const key[][2] = {{"keyName", "others"}, {"keyType", "ed25519"}, {NULL, NULL}};
	struct arena arena;
	struct value world;

	arena_init(&arena);
	add_foreign(universe, &arena, "vpc", foreign_vpc, vpc);
	add_foreign(universe, &arena, "subnet", "subnet-0f0f0f0f0f0f0f0f0", subnet);
	add_foreign(universe, &arena, "security-group", "sg-0f0f0f0f0f0f0f0f0", group);
	set_tags(universe, &foreign_things[FOREIGN_VPC], SLICE("0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"), unknown_intent,
		 SLICE("aws.vpc.theirs"), unknown_intent);
	add_foreign(universe, &arena, "customer-gateway", "cgw-0f0f0f0f0f0f0f0f0", gateway);
	add_foreign(universe, &arena, "key-pair", "key-0f0f0f0f0f0f0f0f0", key);
	if (oracle_look(universe, &arena, &world))
		foreign->before = value_copy(&universe->lasting, value_get_named(&world, region_name));
	arena_release(&arena);
}

/* As they are now. */
static struct value foreign_now(const struct foreign *foreign, const struct value *region, struct arena *arena)
{
	VALUE_BUILDER_AUTO all;

	value_builder_init(&all);
	for (uint32_t i = 0; i < foreign->before.count; i++) {
		const struct value_member *type = &foreign->before.members[i];
		const struct value *now = value_get(region, value_slice(&type->key));
		VALUE_BUILDER_AUTO things;

		value_builder_init(&things);
		for (uint32_t at = 0; at < type->value.count; at++) {
			struct slice id = value_slice(&type->value.members[at].key);
			const struct value *body = value_get(now, id);

			if (body)
				value_builder_member(&things, id, *body);
		}
		value_builder_member(&all, value_slice(&type->key), value_builder_map(&things, arena));
	}
	return value_builder_map(&all, arena);
}

struct slice foreign_tag_of(const struct value *body, const char *key)
{
	const struct value *tags = value_get_named(body, "tagSet");

	for (uint32_t i = 0; value_is(tags, VALUE_LIST) && i < tags->count; i++)
		if (slice_is(value_slice(value_get_named(&tags->items[i], "key")), key))
			return value_slice(value_get_named(&tags->items[i], "value"));
	return (struct slice){"", 0};
}

/* Takes what is foreign as it is now for what it should be. */
static void foreign_note(struct universe *universe, struct foreign *foreign)
{
	struct value world;
	struct arena arena;

	arena_init(&arena);
	if (oracle_look(universe, &arena, &world)) {
		struct value now = foreign_now(foreign, value_get_named(&world, region_name), &arena);

		foreign->before = value_copy(&universe->lasting, &now);
	}
	arena_release(&arena);
}

bool foreign_copy_tags(struct universe *universe, struct foreign *foreign, const char *type, const char *address,
		       enum foreign_number to, bool but_intent)
{
	const struct value *things;
	struct value world;
	struct arena arena;
	bool done = false;

	arena_init(&arena);
	things = oracle_look(universe, &arena, &world) ? value_get_named(value_get_named(&world, region_name), type)
						       : NULL;
	for (uint32_t i = 0; value_is(things, VALUE_MAP) && i < things->count && !done; i++) {
		const struct value *body = &things->members[i].value;
		struct slice intent = foreign_tag_of(body, "trueup:intent");

		done = slice_is(foreign_tag_of(body, "trueup:address"), address) && !body_is_gone(body) &&
		       !foreign_is_one(foreign, slice_of(type), value_slice(&things->members[i].key));
		if (done)
			set_tags(universe, &foreign_things[to], foreign_tag_of(body, "trueup:stack"),
				 foreign_tag_of(body, "trueup:object"), slice_of(address),
				 but_intent || intent.size == 0 ? unknown_intent : intent);
	}
	arena_release(&arena);
	foreign_note(universe, foreign);
	return done;
}

void foreign_say_address(struct universe *universe, struct foreign *foreign, enum foreign_number of,
			 const char *address)
{
	const struct value_member member = {value_text("tagSet.3.value"), value_text(address)};

	set(universe, &foreign_things[of], &member, 1);
	foreign_note(universe, foreign);
}

void foreign_give_address(struct universe *universe, struct foreign *foreign, unsigned octet)
{
	char address[32];

	(void)snprintf(address, sizeof(address), "198.51.100.%u", octet);
	const struct value_member member = {value_text("ipAddress"), value_text(address)};

	set(universe, &foreign_things[FOREIGN_CUSTOMER_GATEWAY], &member, 1);
	foreign_note(universe, foreign);
}

/* Ours at an address; NULL: there is none. */
static const struct value_member *find_ours(const struct foreign *foreign, const struct value *region, const char *type,
					    const char *address)
{
	const struct value *things = value_get_named(region, type);

	for (uint32_t i = 0; value_is(things, VALUE_MAP) && i < things->count; i++) {
		const struct value_member *thing = &things->members[i];

		if (slice_is(foreign_tag_of(&thing->value, "trueup:address"), address) &&
		    !body_is_gone(&thing->value) && !foreign_is_one(foreign, slice_of(type), value_slice(&thing->key)))
			return thing;
	}
	return NULL;
}

/* That thing is one of theirs, too. */
static void foreign_take_in(struct universe *universe, struct foreign *foreign, const char *type, const char *id)
{
	struct value world;
	struct arena arena;

	arena_init(&arena);
	if (oracle_look(universe, &arena, &world)) {
		const struct value *region = value_get_named(&world, region_name);
		const struct value *body = value_get_named(value_get_named(region, type), id);
		const struct value_member one = {value_text(id), body ? *body : value_null()};
		const struct value new = value_map(&one, 1);
		const struct value_member things = {
			value_text(type), value_overlaid(value_get_named(&foreign->before, type), &new, &arena)};
		const struct value all = value_map(&things, 1), now = value_overlaid(&foreign->before, &all, &arena);

		foreign->before = value_copy(&universe->lasting, &now);
	}
	arena_release(&arena);
}

static const char table_type[] = "route-table", table_id[] = "rtb-0f0f0f0f0f0f0f0f0";

bool foreign_seize_subnet(struct universe *universe, struct foreign *foreign, const char *address)
{
	const struct value_member *subnet = NULL;
	struct value world;
	struct arena arena;

	arena_init(&arena);
	if (oracle_look(universe, &arena, &world))
		subnet = find_ours(foreign, value_get_named(&world, region_name), "subnet", address);
	if (subnet) {
		const struct value vpc = *value_get_named(&subnet->value, "vpcId");
		const char *const pairs[][2] = {
			{"vpcId", arena_string(&arena, value_slice(&vpc))},
			{"associationSet.0.routeTableAssociationId", "rtbassoc-0f0f0f0f0f0f0f0f0"},
			{"associationSet.0.routeTableId", table_id},
			{"associationSet.0.main", "false"},
			{"associationSet.0.subnetId", arena_string(&arena, value_slice(&subnet->key))},
			{"associationSet.0.associationState.state", "associated"},
			{NULL, NULL}};

		add_foreign(universe, &arena, table_type, table_id, pairs);
		foreign_take_in(universe, foreign, table_type, table_id);
	}
	arena_release(&arena);
	return subnet != NULL;
}

void foreign_give_up_subnet(struct universe *universe, struct foreign *foreign)
{
	struct diagnostics diagnostics;
	struct arena arena;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	if (!sim_remove(universe->sim, slice_of(region_name), slice_of(table_type), slice_of(table_id), &diagnostics))
		universe_fail(universe, "the simulator does not let go of a table");
	diagnostics_release(&diagnostics);
	arena_release(&arena);
	foreign_note(universe, foreign);
}

void foreign_drop_tags(struct universe *universe, struct foreign *foreign, enum foreign_number from)
{
	set_tags(universe, &foreign_things[from], unknown_intent, unknown_intent, SLICE("aws.vpc.theirs"),
		 unknown_intent);
	foreign_note(universe, foreign);
}

bool foreign_is_one(const struct foreign *foreign, struct slice type, struct slice id)
{
	return value_get(value_get(&foreign->before, type), id) != NULL;
}

void foreign_judge(struct universe *universe, const struct foreign *foreign, const struct value *region)
{
	for (uint32_t i = 0; i < foreign->before.count; i++) {
		const struct value_member *type = &foreign->before.members[i];
		const struct value *now = value_get(region, value_slice(&type->key));

		for (uint32_t at = 0; at < type->value.count; at++) {
			const struct value_member *thing = &type->value.members[at];
			const struct value *body = value_get(now, value_slice(&thing->key));

			if (!body || !value_equal(body, &thing->value))
				universe_fail(universe, "foreign: %.*s was %s",
					      SLICE_ARGUMENTS(value_slice(&thing->key)), body ? "changed" : "removed");
		}
	}
}
