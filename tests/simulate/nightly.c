#include "cli/exit_status.h"
#include "tests/simulate/judge.h"
#include "tests/simulate/story.h"

/* The look that nobody sits in front of: green where all is well, and at no other time. */

enum {
	DENIED_ONE_IN = 4,
	/* What was made or deleted a moment ago may still be listed as it was before. */
	SETTLING_MS = 5 * 60 * 1000,
	LAG_MS = 5 * 1000,
};

/* The types of which somebody changes something: story_meddle(). */
static const char *const types[] = {"vpc", "key-pair", "launch-template", "instance", "internet-gateway"};

static bool is_same(const struct value *before, const struct value *after)
{
	bool same = true;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct value *then = value_get_named(before, types[i]);
		const struct value *now = value_get_named(after, types[i]);

		same &= then && now ? value_equal(then, now) : then == now;
	}
	return same;
}

/* Somebody changes something of ours or takes it away; false where all is as it was. */
static bool meddle(struct universe *universe)
{
	struct value before, after;
	struct arena arena;

	arena_init(&arena);
	bool seen = oracle_look(universe, &arena, &before);

	universe->operator(universe);
	seen = seen && oracle_look(universe, &arena, &after);
	bool changed = seen && !is_same(value_get_named(&before, region_name), value_get_named(&after, region_name));

	arena_release(&arena);
	return changed;
}

static void expect(struct story *story, const char *when, const struct misfortune *misfortune, int wanted)
{
	universe_pass(story->universe, SETTLING_MS);
	int status = story_run(story, "drift", misfortune);

	if (status != wanted)
		universe_fail(story->universe, "drift: %s it ends with status %d instead of %d: %s", when, status,
			      wanted, story->error);
}

void story_look_at_night(struct story *story)
{
	universe_pass(story->universe, LAG_MS);
	if (story_run(story, "drift", NULL) == STATUS_FINE)
		oracle_recorded(story->universe, &story->foreign);
}

void story_nightly(struct story *story)
{
	const struct misfortune denied = {.alone = true, .denied = "DescribeVpcAttribute"};
	struct universe *universe = story->universe;

	expect(story, "where all is well", NULL, STATUS_FINE);
	if (chance_one_in(&universe->plot, DENIED_ONE_IN))
		expect(story, "where something may not be read", &denied, STATUS_INCOMPLETE);
	if (!meddle(universe))
		return;
	expect(story, "after somebody's change", NULL, STATUS_CHANGES);
	story_make_peace(story);
	if (!universe->failure[0])
		expect(story, "where that was set right", NULL, STATUS_FINE);
}
