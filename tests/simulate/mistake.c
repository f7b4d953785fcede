#include "tests/simulate/story.h"

#include <stdio.h>

#include "cli/exit_status.h"
#include "tests/simulate/judge.h"

/* Tags that people copied or changed by hand on a stack that is well, and what is said of that. */

enum { HOUR_MS = 61 * 60 * 1000 };

/* What tags are copied from, and to. */
struct bearer {
	enum species species;
	enum foreign_number foreign;
};

static const struct bearer bearers[] = {
	{SPECIES_CUSTOMER_GATEWAY, FOREIGN_CUSTOMER_GATEWAY},
	{SPECIES_KEY_PAIR, FOREIGN_KEY_PAIR},
};
enum { BEARERS = sizeof(bearers) / sizeof(bearers[0]) };

/* One thing of ours, for a while. */
struct marked {
	struct story *story;
	const struct bearer *bearer;
	struct thing *thing;
	const char *type;
	char address[THING_ADDRESS_BYTES];
	struct slice id;
	const struct value *body; /* the cloud's, as it was */
	struct arena arena;
};

static bool find_marked(struct marked *marked)
{
	struct universe *universe = marked->story->universe;
	struct audit_record record;
	struct value world;

	for (size_t i = 0; i < BEARERS && !marked->thing; i++) {
		marked->bearer = &bearers[i];
		if (blueprint_find(&marked->story->blueprint, bearers[i].species, 0))
			marked->thing = blueprint_thing(&marked->story->blueprint, bearers[i].species, 0);
	}
	if (!marked->thing || !audit_read(&universe->audit, &marked->arena, &record) ||
	    !oracle_look(universe, &marked->arena, &world))
		return false;
	audit_leave(&universe->audit);
	thing_address(marked->thing, marked->address);
	marked->type = foreign_things[marked->bearer->foreign].type;
	for (size_t i = 0; i < record.object_count; i++)
		if (slice_is(record.objects[i].address, marked->address))
			marked->id = record.objects[i].provider_id;
	marked->body = value_get(value_get_named(value_get_named(&world, region_name), marked->type), marked->id);
	return marked->body != NULL;
}

/* What the tag says of the thing: another text, or what it said before. */
static void say(struct marked *marked, const char *key, const char *text)
{
	struct universe *universe = marked->story->universe;
	const struct value *tags = value_get_named(marked->body, "tagSet");
	struct diagnostics diagnostics;
	char path[32] = "";

	for (uint32_t i = 0; value_is(tags, VALUE_LIST) && i < tags->count; i++)
		if (slice_is(value_slice(value_get_named(&tags->items[i], "key")), key))
			(void)snprintf(path, sizeof(path), "tagSet.%u.value", i);
	const struct value_member member = {value_text(path),
					    text ? value_text(text) : value_string(foreign_tag_of(marked->body, key))};
	const struct value attributes = value_map(&member, 1);

	diagnostics_init(&diagnostics, &marked->arena);
	if (!sim_change(universe->sim, slice_of(region_name), slice_of(marked->type), marked->id, &attributes,
			&diagnostics))
		universe_fail(universe, "the simulator takes no tag");
	diagnostics_release(&diagnostics);
}

static void plan_without(const struct marked *marked)
{
	marked->thing->wanted = false;
	story_save_spec(marked->story);
	story_run(marked->story, "plan", NULL);
	marked->thing->wanted = true;
	story_save_spec(marked->story);
}

/* Ours is gone, and something of somebody else says that it is ours: no second one is made, before those tags are off.
 */
static void lose_to_copy(struct marked *marked)
{
	struct story *story = marked->story;
	struct universe *universe = story->universe;
	struct diagnostics diagnostics;
	uint64_t changes = universe->changes;
	int status;

	(void)foreign_copy_tags(universe, &story->foreign, marked->type, marked->address, marked->bearer->foreign,
				true);
	diagnostics_init(&diagnostics, &marked->arena);
	if (!sim_remove(universe->sim, slice_of(region_name), slice_of(marked->type), marked->id, &diagnostics))
		universe_fail(universe, "the simulator does not remove %s", marked->address);
	diagnostics_release(&diagnostics);
	status = story_run(story, "apply --yes", NULL);
	if (status != STATUS_REFUSED || universe->changes != changes)
		universe_fail(universe, "copied tags: apply ends with status %d, and makes what they say is there",
			      status);
	plan_without(marked);
	foreign_drop_tags(universe, &story->foreign, marked->bearer->foreign);
	story_make_peace(story);
}

/* Somebody changes a tag of ours, and puts it right again. */
static void change_tag(struct marked *marked)
{
	struct chance *plot = &marked->story->universe->plot;

	if (chance_one_in(plot, 3)) {
		say(marked, "trueup:stack", "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f");
		story_run(marked->story, "plan", NULL);
		say(marked, "trueup:stack", NULL);
		return;
	}
	say(marked, "trueup:address", chance_one_in(plot, 2) ? "aws.vpc.v0" : "aws.vpc.nowhere");
	plan_without(marked);
	say(marked, "trueup:address", NULL);
}

/* With the tags of our network on another one: a look without a spec, and a saved plan that has no business with ours.
 */
static void copy_network(struct story *story)
{
	struct universe *universe = story->universe;
	struct thing *other = blueprint_thing(&story->blueprint, SPECIES_VPC, 1);

	if (other && other->wanted) {
		other->wanted = false;
		story_save_spec(story);
		story_make_peace(story);
		other->wanted = true;
		story_save_spec(story);
	}
	universe_pass(universe, HOUR_MS);
	if (foreign_copy_tags(universe, &story->foreign, "vpc", "aws.vpc.v0", FOREIGN_VPC, true)) {
		foreign_say_address(universe, &story->foreign, FOREIGN_VPC,
				    chance_one_in(&universe->plot, 2) ? "" : "aws.vpc.nowhere");
		story_run(story, "plan", NULL);
		foreign_say_address(universe, &story->foreign, FOREIGN_VPC, "aws.vpc.v0");
	}
	story_run(story, "plan --out /stack/saved.plan", NULL);
	disk_remove(&universe->disk, SLICE("/stack/spec.yaml"));
	story_run(story, "drift", NULL);
	story_run(story, "apply /stack/saved.plan", NULL);
	story_save_spec(story);
	foreign_drop_tags(universe, &story->foreign, FOREIGN_VPC);
	story_make_peace(story);
}

void story_mistake(struct story *story)
{
	struct marked marked = {.story = story};

	universe_pass(story->universe, HOUR_MS);
	arena_init(&marked.arena);
	if (chance_one_in(&story->universe->plot, 4) || !find_marked(&marked))
		copy_network(story);
	else if (chance_one_in(&story->universe->plot, 3))
		lose_to_copy(&marked);
	else
		change_tag(&marked);
	arena_release(&marked.arena);
	story->idle = false;
	if (!story->universe->failure[0])
		story_expect_nothing_planned(story);
}
