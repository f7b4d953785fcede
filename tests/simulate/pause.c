#include "tests/simulate/judge.h"
#include "tests/simulate/story.h"

/*
 * A machine is stopped for a change, and whether it runs is left to others, who start and stop it before that and, once
 * the run was killed, meanwhile. It runs in the end where they had it run or have started it, and nowhere else.
 */

enum {
	CHANGES_MOST = 4,
};

static const char *const more[][2] = {
	{", ebs_optimized: false", ", ebs_optimized: true"},
	{", ebs_optimized: false, lifecycle: {ignore: [running]}",
	 ", ebs_optimized: true, lifecycle: {ignore: [running]}"},
};

/* Something is under way where this is neither "running" nor "stopped"; empty: it is not there. */
static struct slice state_of(struct universe *universe, const struct thing *machine, struct arena *arena)
{
	char address[THING_ADDRESS_BYTES];
	struct value world;

	thing_address(machine, address);
	struct slice id = story_id_at(universe, address, arena);
	if (!oracle_look(universe, arena, &world))
		return SLICE("");
	const struct value *all = value_get_named(value_get_named(&world, region_name), "instance");
	return value_slice(value_get_named(value_get_named(value_get(all, id), "instanceState"), "name"));
}

static bool runs(struct universe *universe, const struct thing *machine)
{
	struct arena arena;

	arena_init(&arena);
	bool is = slice_is(state_of(universe, machine, &arena), "running");
	arena_release(&arena);
	return is;
}

static void turn(struct universe *universe, bool on)
{
	story_set(universe, "aws.instance", "instance", "instanceState.name", on ? "running" : "stopped");
}

/* Applies until one is done: what is there is for the caller to judge. */
static void finish(struct story *story)
{
	int status = -1;

	for (int i = 0; i < STORY_FINAL_RUNS && status != 0; i++) {
		universe_pass(story->universe, STORY_PEACE_MS);
		status = story_run(story, "apply --yes", NULL);
	}
	if (status != 0)
		universe_fail(story->universe, "pause: the third apply without a mishap ends with status %d: %s",
			      status, story->error);
}

/* The only one there is, so that nothing else is started and stopped with it. */
static struct thing *find(struct story *story, unsigned number)
{
	struct thing *other = blueprint_thing(&story->blueprint, SPECIES_INSTANCE, 1 - number);
	struct thing *machine = blueprint_thing(&story->blueprint, SPECIES_INSTANCE, number);

	if (!machine)
		machine = blueprint_add(&story->blueprint, SPECIES_INSTANCE, number);
	if (!machine)
		return NULL;
	machine->wanted = true;
	if (other)
		other->wanted = false;
	return machine;
}

static void tell(struct story *story, struct thing *machine, bool ignored)
{
	struct universe *universe = story->universe;
	struct chance *plot = &universe->plot;
	bool on = chance_one_in(plot, 2);

	turn(universe, on);
	machine->more = more[ignored][1];
	story_begin(story, NULL, chance_between(plot, 1, CHANGES_MOST));
	if (chance_one_in(plot, 2))
		story_run(story, "recover", NULL);
	/* A stop of ours that has come through is not told from one of theirs after that. */
	if (chance_one_in(plot, 3)) {
		turn(universe, true);
		on = true;
	}
	if (chance_one_in(plot, 3))
		story_begin(story, NULL, chance_between(plot, 1, CHANGES_MOST));
	finish(story);
	if (!universe->failure[0] && runs(universe, machine) != on)
		universe_fail(universe, "pause: the machine is %s, and others had it %s", on ? "stopped" : "running",
			      on ? "run" : "stopped");
	if (!universe->failure[0])
		story_expect_nothing_planned(story);
	turn(universe, true);
	machine->more = NULL;
}

void story_pause(struct story *story)
{
	struct universe *universe = story->universe;
	struct thing *machine;

	/* The spec says of the second one that it runs. */
	bool ignored = chance_one_in(&universe->plot, 2);
	machine = find(story, ignored);
	if (!machine || !blueprint_has(&story->blueprint, machine) || blueprint_features(&story->blueprint, machine))
		return;
	machine->more = more[ignored][0];
	story_save_spec(story);
	story_make_peace(story);
	if (universe->failure[0])
		return;
	tell(story, machine, ignored);
	story_save_spec(story);
	if (!universe->failure[0])
		story_make_peace(story);
	if (!universe->failure[0])
		story_expect_nothing_planned(story);
}
