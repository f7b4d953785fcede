#include "tests/simulate/story.h"

enum {
	NIGHT_LEAST_MS = 61 * 60 * 1000,
	NIGHT_MOST_MS = 3 * 60 * 60 * 1000,
	CLOCK_MOST_MS = 4 * 60 * 1000,
	SURE_REQUEST_MOST = 8,
	SURE_WAIT_MOST = 4,
	DISK_STEPS_MOST = 40,
	DISK_AFTER_MOST = 20,
	SWEEP_LEAST = 5,
	SWEEP_MOST = 25,
	SWEEP_LOCKS_MOST = 20,
};

const char *const story_keys[2] = {
	"5b1c0f8e72d94a3b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b",
	"a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
};

/* One thing goes wrong, about where recovery is at work. */
static struct misfortune draw_misfortune(struct chance *plot)
{
	struct misfortune misfortune = {.aimed = true};

	switch (chance_between(plot, 0, 7)) {
	case 0:
	case 1:
		misfortune.sure_change = 1;
		break;
	case 2:
		misfortune.sure_request = (uint64_t)chance_between(plot, 1, SURE_REQUEST_MOST);
		break;
	case 3:
		/* Reading is refused, or what was found goes away while the rest is waited for. */
		misfortune.sure_request = (uint64_t)chance_between(plot, 2, SURE_REQUEST_MOST);
		misfortune.sure_mishap = chance_one_in(plot, 2) ? MISHAP_DENIED : MISHAP_OPERATOR;
		break;
	case 4:
		misfortune.sure_wait = (uint64_t)chance_between(plot, 1, SURE_WAIT_MOST);
		break;
	default:
		misfortune.disk_after = (uint64_t)chance_between(plot, 0, DISK_AFTER_MOST);
		misfortune.disk_step = (uint64_t)chance_between(plot, 1, DISK_STEPS_MOST);
		misfortune.disk_mishap = mishap_draw_disk(plot);
		break;
	}
	return misfortune;
}

/* About where what was made twice is swept: when everything was read. */
static struct misfortune draw_sweeping(struct chance *plot)
{
	struct misfortune misfortune = {.aimed = true};

	if (chance_one_in(plot, 3)) {
		misfortune.sure_request = (uint64_t)chance_between(plot, SWEEP_LEAST, 2 * SWEEP_MOST);
		misfortune.sure_mishap = chance_one_in(plot, 2) ? MISHAP_INTERRUPT : MISHAP_RIVAL;
		return misfortune;
	}
	misfortune.disk_after = (uint64_t)chance_between(plot, SWEEP_LEAST, SWEEP_MOST);
	misfortune.disk_step = (uint64_t)chance_between(plot, 1, SWEEP_LOCKS_MOST);
	misfortune.locks_alone = true;
	misfortune.disk_mishap = MISHAP_DISK_ERROR;
	return misfortune;
}

/* What is the case by then. */
static void let_pass(struct universe *universe)
{
	struct chance *plot = &universe->plot;

	/* What was made twice is known for an hour only. */
	if (!universe->may_double && chance_one_in(plot, 4))
		universe_pass(universe, chance_between(plot, NIGHT_LEAST_MS, NIGHT_MOST_MS));
	if (chance_one_in(plot, 8)) {
		universe->may_double = true;
		universe->wall_ahead_ms = chance_between(plot, -CLOCK_MOST_MS, CLOCK_MOST_MS);
	}
}

void story_settle(struct story *story)
{
	struct universe *universe = story->universe;
	struct chance *plot = &universe->plot;
	const char *key = universe->sealing_key;
	struct audit_lease lease;
	struct misfortune misfortune;

	if (chance_one_in(plot, 2) || !audit_lease(&universe->audit, &lease))
		return;
	if (lease.intent_count > 0)
		misfortune = draw_misfortune(plot);
	else if (universe->may_double)
		misfortune = draw_sweeping(plot);
	else
		return;
	let_pass(universe);
	if (chance_one_in(plot, 8))
		story_run(story, "plan --refresh none", NULL, NULL);
	/* Whoever settles it may have another key, or none. */
	if (lease.has_key && chance_one_in(plot, 8))
		universe->sealing_key = chance_one_in(plot, 2) ? NULL : story_keys[1];
	story_run(story,
		  chance_one_in(plot, 3)   ? "apply --yes"
		  : chance_one_in(plot, 6) ? "destroy --yes"
					   : "recover",
		  &misfortune, NULL);
	universe->sealing_key = key;
}
