#include "reconcile/resource.h"
#include "tests/simulate/judge.h"
#include "tests/simulate/story.h"

/*
 * A replace could not make the new one, so that the old one is left behind, with nothing in its place; the next run
 * goes on with that, and is undone. What it did not touch nobody takes away.
 */

enum { EDITS_MOST = 2, WORST_CHANGE_MOST = 4 };

/* What is replaced by making the new one first, by which call, and what the cloud calls it. */
struct maker {
	enum species species;
	const char *creates, *type;
};

static const struct maker makers[] = {
	{SPECIES_INSTANCE, "RunInstances", "instance"},
	{SPECIES_TEMPLATE, "CreateLaunchTemplate", "launch-template"},
	{SPECIES_KEY_PAIR, "ImportKeyPair", "key-pair"},
	{SPECIES_GROUP, "CreateSecurityGroup", "security-group"},
	{SPECIES_VPN_GATEWAY, "CreateVpnGateway", "vpn-gateway"},
};
enum { MAKERS = sizeof(makers) / sizeof(makers[0]) };

struct behind {
	struct story *story;
	const struct maker *maker;
	char address[THING_ADDRESS_BYTES];
	struct slice id; /* of the old one */
	bool alone;	 /* nothing else was done about the replace */
	struct arena arena;
};

static struct thing *find_thing(struct behind *behind)
{
	struct chance *plot = &behind->story->universe->plot;
	size_t first = (size_t)chance_between(plot, 0, MAKERS - 1);

	for (size_t i = 0; i < MAKERS; i++) {
		behind->maker = &makers[(first + i) % MAKERS];
		if (blueprint_find(&behind->story->blueprint, behind->maker->species, 0))
			return blueprint_thing(&behind->story->blueprint, behind->maker->species, 0);
	}
	return NULL;
}

/* The object of that role that is recorded at the address; NULL: none is. */
static const struct audit_object *recorded(struct behind *behind, enum object_role role)
{
	struct audit *audit = &behind->story->universe->audit;
	const struct audit_object *found = NULL;
	struct audit_record record;

	if (!audit_read(audit, &behind->arena, &record))
		return NULL;
	for (size_t i = 0; i < record.object_count; i++)
		if (record.objects[i].role == (int)role && slice_is(record.objects[i].address, behind->address))
			found = &record.objects[i];
	audit_leave(audit);
	return found;
}

static bool is_there(struct behind *behind)
{
	const struct value *body = NULL;
	struct value world;

	if (oracle_look(behind->story->universe, &behind->arena, &world))
		body = value_get(value_get_named(value_get_named(&world, region_name), behind->maker->type),
				 behind->id);
	return body && !body_is_gone(body);
}

/* False where the replace did not come to that. */
static bool leave_behind(struct behind *behind, struct thing *thing)
{
	const struct misfortune denied = {.alone = true, .denied = behind->maker->creates};
	uint64_t changes = behind->story->universe->changes;
	char run[AUDIT_RUN_BYTES];

	thing->renewal++;
	thing_address(thing, behind->address);
	(void)story_apply_edits(behind->story, 0, &denied, run);
	behind->alone = behind->story->universe->changes == changes + 1;
	const struct audit_object *old = recorded(behind, OBJECT_DEPOSED);
	if (old)
		behind->id = arena_copy(&behind->arena, old->provider_id);
	return old != NULL;
}

/* The run goes on with the replace, and is undone: what was there before it is there, and at its address in the end. */
static void take_back(struct behind *behind, const struct blueprint *before)
{
	struct story *story = behind->story;
	struct universe *universe = story->universe;
	const struct misfortune misfortune = {
		.alone = true, .sure_change = (uint64_t)chance_between(&universe->plot, 1, WORST_CHANGE_MOST)};
	bool whole = chance_one_in(&universe->plot, 2);
	uint64_t belated = universe->belated;
	char run[AUDIT_RUN_BYTES];

	story->meddled = story->wavered = false;
	bool changed = story_apply_edits(story, chance_between(&universe->plot, 0, EDITS_MOST),
					 whole ? NULL : &misfortune, run);
	story->blueprint = *before;
	story_save_spec(story);
	if (!changed)
		return;
	universe_pass(universe, STORY_PEACE_MS);
	bool stood = is_there(behind);
	story_take_back(story, run, whole, belated);
	if (universe->failure[0] || story->meddled || universe->belated > belated)
		return;
	/* What the run did not touch is left behind as before, and what the one before it did is not undone. */
	if (behind->alone && !recorded(behind, OBJECT_DEPOSED))
		oracle_world(universe, &story->blueprint, &story->foreign);
	else
		story_make_peace(story);
	const struct audit_object *now = recorded(behind, OBJECT_CURRENT);
	if (stood && !story->wavered && !universe->failure[0] &&
	    (!now || !slice_equal(now->provider_id, behind->id) || !is_there(behind)))
		universe_fail(universe, "behind: %s (%.*s) stood before an undoing, and %s", behind->address,
			      SLICE_ARGUMENTS(behind->id), is_there(behind) ? "is not at its address" : "is gone");
}

void story_undo_behind(struct story *story)
{
	struct behind behind = {.story = story};
	struct blueprint before = story->blueprint;
	struct thing *thing = find_thing(&behind);

	if (!thing)
		return;
	arena_init(&behind.arena);
	story->idle = false;
	if (leave_behind(&behind, thing))
		take_back(&behind, &before);
	arena_release(&behind.arena);
	if (story->universe->failure[0])
		return;
	story->blueprint = before;
	story_save_spec(story);
	story_make_peace(story);
	if (!story->universe->failure[0])
		story_expect_nothing_planned(story);
}
