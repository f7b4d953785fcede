#include "tests/simulate/story.h"

#include <stdio.h>
#include <string.h>

#include "cli/exit_status.h"
#include "tests/simulate/judge.h"

/* The stack is in two regions, and somebody takes a group of the one to the other, tags and name and all: that is no
 * second one of ours, and none that we made there. */

static const char far_name[] = "us-east-1";
static const char far_type[] = "auto-scaling-group";
static const char far_path[] = "/stack/far.yaml";

/* What is there stands in a file of its own. */
static const char far_start[] =
	"providers: {aws.far: {region: us-east-1}}\n"
	"aws.vpc: {v9: {provider: aws.far, cidr: 10.60.0.0/16}}\n"
	"aws.subnet: {s9: {provider: aws.far, vpc: v9, cidr: 10.60.0.0/24, zone: us-east-1a}}\n"
	"aws.launch_template:\n"
	"  t9: {provider: aws.far, name: far, image: ami-0123456789abcdef0, instance_type: t3.micro}\n";
static const char far_group[] =
	"aws.autoscaling_group:\n"
	"  a9: {provider: aws.far, name: fleet-far, launch_template: t9, subnets: [s9], min: 0, max: 1, desired: 0}\n";

/* By an alias that leads to the one region, or to the other. */
static const char moving_format[] = "providers: {aws.far: {region: %s}}\n"
				    "aws.launch_template:\n"
				    "  t9: {provider: aws.far, name: far, instance_type: t3.micro}\n";

enum { LEASE_MS = 40 * 1000 };

struct copying {
	struct story *story;
	struct slice id; /* of ours, which is its name */
	struct value copy;
	struct arena arena;
};

static void save_text(struct universe *universe, const char *start, const char *rest)
{
	struct disk_file *file = disk_create(&universe->disk, slice_of(far_path));

	disk_write(file, 0, start, strlen(start));
	disk_write(file, strlen(start), rest, strlen(rest));
	disk_sync(file);
	disk_sync_folder_of(&universe->disk, slice_of(far_path));
}

static void save_far(struct universe *universe, bool with_group)
{
	save_text(universe, far_start, with_group ? far_group : "");
}

static void save_moving(struct universe *universe, const char *region)
{
	char text[256];

	(void)snprintf(text, sizeof(text), moving_format, region);
	save_text(universe, text, "");
}

/* What a call with a token was to make is wanted where its alias has come to lead meanwhile. */
static void move_alias(struct story *story)
{
	const struct misfortune dies = {.sure_change = 1, .sure_mishap = MISHAP_CRASH_BEFORE};

	save_moving(story->universe, far_name);
	story_run(story, "apply --yes", &dies);
	universe_pass(story->universe, LEASE_MS);
	save_moving(story->universe, region_name);
	story_run(story, "plan", NULL);
}

static const struct value *groups_of(const struct value *world, const char *region)
{
	return value_get_named(value_get_named(world, region), far_type);
}

/* The stack has a group. */
static bool have_group(struct story *story)
{
	static const enum species needed[] = {SPECIES_SUBNET, SPECIES_TEMPLATE, SPECIES_SCALING_GROUP};
	struct blueprint *blueprint = &story->blueprint;

	enum { NEEDED = sizeof(needed) / sizeof(needed[0]) };

	for (size_t i = 0; i < NEEDED; i++)
		if (!blueprint_thing(blueprint, needed[i], 0) && !blueprint_add(blueprint, needed[i], 0))
			return false;
	for (size_t i = 0; i < NEEDED; i++)
		blueprint_thing(blueprint, needed[i], 0)->wanted = true;
	return true;
}

static void expect_untouched(const struct copying *copying, const char *when)
{
	struct universe *universe = copying->story->universe;
	const struct value *now;
	struct value world;
	struct arena arena;

	arena_init(&arena);
	if (oracle_look(universe, &arena, &world)) {
		now = value_get(groups_of(&world, far_name), copying->id);
		if (!now || !value_equal(now, &copying->copy))
			universe_fail(universe, "elsewhere: what somebody took to another region was %s by %s",
				      now ? "changed" : "removed", when);
	}
	arena_release(&arena);
}

static bool copy_group(struct copying *copying)
{
	struct universe *universe = copying->story->universe;
	const struct value *groups, *now;
	struct diagnostics diagnostics;
	struct value world;
	bool done = false;

	diagnostics_init(&diagnostics, &copying->arena);
	groups = oracle_look(universe, &copying->arena, &world) ? groups_of(&world, region_name) : NULL;
	if (value_is(groups, VALUE_MAP) && groups->count == 1) {
		copying->id = value_slice(&groups->members[0].key);
		done = sim_add(universe->sim, &copying->arena, slice_of(far_name), slice_of(far_type), copying->id,
			       &groups->members[0].value, NULL, &diagnostics);
		if (!done)
			universe_fail(universe, "the simulator takes no second group");
		trace_line(&universe->trace, "somebody takes %.*s to %s", SLICE_ARGUMENTS(copying->id), far_name);
	}
	if (done && oracle_look(universe, &copying->arena, &world)) {
		now = value_get(groups_of(&world, far_name), copying->id);
		done = now != NULL;
		if (done)
			copying->copy = *now;
	}
	diagnostics_release(&diagnostics);
	return done;
}

static void take_away(struct copying *copying, const char *region)
{
	struct universe *universe = copying->story->universe;
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics, &copying->arena);
	if (sim_remove(universe->sim, slice_of(region), slice_of(far_type), copying->id, &diagnostics))
		trace_line(&universe->trace, "somebody removes %.*s in %s", SLICE_ARGUMENTS(copying->id), region);
	diagnostics_release(&diagnostics);
}

/* A plan that was saved before has a group made there, and is about nothing of ours that is here. */
static void carry_out_there(struct copying *copying)
{
	struct story *story = copying->story;
	int status;

	save_far(story->universe, true);
	story_run(story, "plan --out /stack/saved.plan", NULL);
	if (!copy_group(copying))
		return;
	status = story_run(story, "apply /stack/saved.plan", NULL);
	if (status != 0)
		universe_fail(story->universe, "elsewhere: the saved plan ends with status %d: %s", status,
			      story->error);
	expect_untouched(copying, "a saved plan");
}

/* While ours is there, nothing is wrong; when it is gone, it is not made a second time. */
static void lose_ours(struct copying *copying)
{
	struct story *story = copying->story;
	struct universe *universe = story->universe;
	int status;

	save_far(universe, true);
	story_run(story, "apply --yes", NULL);
	if (!copy_group(copying))
		return;
	uint64_t changes = universe->changes;
	status = story_run(story, chance_one_in(&universe->plot, 2) ? "apply --yes" : "plan --detailed-exitcode", NULL);
	if (status != 0)
		universe_fail(universe, "elsewhere: it ends with status %d while ours is there", status);
	expect_untouched(copying, "an apply");
	take_away(copying, region_name);
	status = story_run(story, "apply --yes", NULL);
	if (status != STATUS_REFUSED || universe->changes != changes)
		universe_fail(universe, "elsewhere: apply ends with status %d when ours is gone", status);
	expect_untouched(copying, "an apply that is refused");
}

/* With the file that named them they went as well. */
static void expect_nothing_there(struct universe *universe)
{
	static const char *const types[] = {far_type, "launch-template", "subnet", "vpc"};
	struct value world;
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; oracle_look(universe, &arena, &world) && i < sizeof(types) / sizeof(types[0]); i++) {
		const struct value *things = value_get_named(value_get_named(&world, far_name), types[i]);

		for (uint32_t at = 0; value_is(things, VALUE_MAP) && at < things->count; at++)
			if (!body_is_gone(&things->members[at].value))
				universe_fail(universe, "elsewhere: %.*s is still there",
					      SLICE_ARGUMENTS(value_slice(&things->members[at].key)));
	}
	arena_release(&arena);
}

static bool tell_copying(struct story *story)
{
	struct copying copying = {.story = story};

	if (!have_group(story))
		return false;
	arena_init(&copying.arena);
	story_save_spec(story);
	save_far(story->universe, false);
	story_run(story, "apply --yes", NULL);
	if (chance_one_in(&story->universe->plot, 2))
		carry_out_there(&copying);
	else
		lose_ours(&copying);
	take_away(&copying, far_name);
	arena_release(&copying.arena);
	return true;
}

void story_elsewhere(struct story *story)
{
	struct universe *universe = story->universe;

	if (chance_one_in(&universe->plot, 4))
		move_alias(story);
	else if (!tell_copying(story))
		return;
	disk_remove(&universe->disk, slice_of(far_path));
	story_make_peace(story);
	expect_nothing_there(universe);
	if (!universe->failure[0])
		story_expect_nothing_planned(story);
}
