#include <stdio.h>
#include <string.h>

#include "tests/simulate/judge.h"
#include "tests/simulate/story.h"

/* What somebody does to what a call of ours made late, when a plan that deletes it is saved, and to what it is one of.
 */

/* What can be made late, and how it is read. */
static const struct {
	const char *type, *read;
} sorts[] = {
	{"vpc", "DescribeVpcs"},
	{"subnet", "DescribeSubnets"},
	{"security-group", "DescribeSecurityGroups"},
	{"internet-gateway", "DescribeInternetGateways"},
	{"route-table", "DescribeRouteTables"},
	{"vpn-gateway", "DescribeVpnGateways"},
	{"customer-gateway", "DescribeCustomerGateways"},
	{"vpn-connection", "DescribeVpnConnections"},
};
static const char apply_line[] = "apply /stack/saved.plan";

enum { SORTS = sizeof(sorts) / sizeof(sorts[0]) };

/* In arena. */
struct twin {
	const char *type, *read;
	struct slice id;
	const struct value *body;
	struct slice address; /* where what it is one of is recorded; empty: it is not */
};

static bool find(struct universe *universe, struct arena *arena, struct twin *ret)
{
	struct audit_record record;
	struct value world;
	bool found = false;

	*ret = (struct twin){0};
	if (audit_read(&universe->audit, arena, &record) && oracle_look(universe, arena, &world)) {
		const struct value *region = value_get_named(&world, region_name);

		for (size_t i = 0; i < SORTS && !found; i++) {
			found = oracle_find_unrecorded(universe, &record, sorts[i].type, arena, &ret->id);
			if (!found)
				continue;
			ret->type = sorts[i].type;
			ret->read = sorts[i].read;
			ret->body = value_get(value_get_named(region, sorts[i].type), ret->id);
		}
		for (size_t i = 0; found && i < record.object_count; i++)
			if (slice_equal(record.objects[i].object_id, foreign_tag_of(ret->body, "trueup:object")))
				ret->address = record.objects[i].address;
	}
	audit_leave(&universe->audit);
	return found && record.intent_count == 0;
}

static bool set_tag(struct universe *universe, const struct twin *twin, const char *key, struct slice value,
		    struct arena *arena)
{
	const struct value *tags = value_get_named(twin->body, "tagSet");
	bool done = false;

	for (uint32_t i = 0; value_is(tags, VALUE_LIST) && i < tags->count && !done; i++) {
		if (!slice_is(value_slice(value_get_named(&tags->items[i], "key")), key))
			continue;
		struct value_member member = {value_string(arena_format(arena, "tagSet.%u.value", i)),
					      value_string(value)};
		const struct value attributes = value_map(&member, 1);
		struct diagnostics diagnostics;

		diagnostics_init(&diagnostics, arena);
		done = sim_change(universe->sim, slice_of(region_name), slice_of(twin->type), twin->id, &attributes,
				  &diagnostics);
		diagnostics_release(&diagnostics);
		trace_line(&universe->trace, "somebody sets %s of %.*s to %.*s", key, SLICE_ARGUMENTS(twin->id),
			   SLICE_ARGUMENTS(value));
	}
	return done;
}

static void take_away(struct universe *universe, const struct twin *twin, struct arena *arena)
{
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics, arena);
	if (sim_remove(universe->sim, slice_of(region_name), slice_of(twin->type), twin->id, &diagnostics))
		trace_line(&universe->trace, "somebody removes %.*s", SLICE_ARGUMENTS(twin->id));
	diagnostics_release(&diagnostics);
}

static int rename_recorded(struct story *story, struct slice from, const char *from_more, struct slice to,
			   const char *to_more)
{
	char line[2 * THING_ADDRESS_BYTES + 2 * 8 + 16];

	(void)snprintf(line, sizeof(line), "state mv %.*s%s %.*s%s", SLICE_ARGUMENTS(from), from_more,
		       SLICE_ARGUMENTS(to), to_more);
	return story_run(story, line, NULL);
}

/* The tag is another one's for as long as the plan is carried out. */
static void apply_tagged(struct story *story, const struct twin *twin, const char *key, struct arena *arena)
{
	static const char other[] = "0123456789abcdef0123456789abcdef";
	struct slice own = foreign_tag_of(twin->body, key);
	bool set = own.size > 0 && set_tag(story->universe, twin, key, SLICE(other), arena);

	story_run(story, apply_line, NULL);
	if (set)
		(void)set_tag(story->universe, twin, key, own, arena);
}

static void apply_renamed(struct story *story, const struct twin *twin)
{
	bool renamed = twin->address.size > 0 && rename_recorded(story, twin->address, "", twin->address, "x") == 0;

	story_run(story, apply_line, NULL);
	/* Where another run has made it anew meanwhile there is nothing to be done. */
	if (renamed)
		(void)rename_recorded(story, twin->address, "x", twin->address, "");
}

bool story_has_twin(struct universe *universe)
{
	struct arena arena;
	struct twin twin;

	arena_init(&arena);
	bool found = find(universe, &arena, &twin);

	arena_release(&arena);
	return found;
}

/* As the simulator keeps it: without its id, which is in it, too, and with what no listing shows under its own names.
 */
static struct value body_of_another(const struct twin *twin, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < twin->body->count; i++) {
		const struct value_member *member = &twin->body->members[i];
		struct slice name = value_slice(&member->key);

		if (slice_starts_with(name, SLICE("enable")))
			name = arena_format(arena, "_%.*s", SLICE_ARGUMENTS(name));
		if (!slice_equal(value_slice(&member->value), twin->id))
			value_builder_member(&builder, name, member->value);
	}
	return value_builder_map(&builder, arena);
}

void story_come_again(struct universe *universe)
{
	struct diagnostics diagnostics;
	struct arena arena;
	struct twin twin;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	/* Its create has no token. */
	if (find(universe, &arena, &twin) && strcmp(twin.type, "vpc") == 0) {
		const struct value attributes = body_of_another(&twin, &arena);

		if (!sim_add(universe->sim, &arena, slice_of(region_name), slice_of(twin.type), (struct slice){NULL, 0},
			     &attributes, NULL, &diagnostics))
			universe_fail(universe, "the simulator takes no second network");
		trace_line(&universe->trace, "the call that made %.*s comes once more", SLICE_ARGUMENTS(twin.id));
	}
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

void story_apply_over_twin(struct story *story)
{
	struct universe *universe = story->universe;
	struct misfortune unread = {0};
	struct arena arena;
	struct twin twin;

	arena_init(&arena);
	bool found = find(universe, &arena, &twin);

	unread.denied = twin.read;
	switch (found ? chance_between(&universe->plot, 0, 5) : 5) {
	case 0:
		take_away(universe, &twin, &arena);
		story_run(story, apply_line, NULL);
		break;
	case 1:
		story_run(story, apply_line, &unread);
		break;
	case 2:
		apply_tagged(story, &twin, "trueup:intent", &arena);
		break;
	case 3:
		apply_tagged(story, &twin, "trueup:stack", &arena);
		break;
	case 4:
		apply_renamed(story, &twin);
		break;
	default:
		story_run(story, apply_line, NULL);
		break;
	}
	arena_release(&arena);
}
