#include "tests/simulate/flight.h"
#include "tests/simulate/operation.h"
#include "tests/simulate/story.h"

enum {
	NIGHT_LEAST_MS = 61 * 60 * 1000,
	NIGHT_MOST_MS = 3 * 60 * 60 * 1000,
	CLOCK_MOST_MS = 4 * 60 * 1000,
	SURE_REQUEST_MOST = 8,
	SURE_WAIT_MOST = 4,
	DISK_STEPS_MOST = 40,
	DISK_AFTER_MOST = 20,
	SWEEP_LEAST = 6,
	SWEEP_MOST = 40,
	SWEEPS = 2,
	/* So many requests read all of a stack. */
	SAVED_LEAST = 5,
	SAVED_MOST = 16,
	LOCKS_MOST = 24,
	LATE_MOST_MS = 10 * 60 * 1000,
	LEASE_MS = 40 * 1000,
};

const char *const story_keys[2] = {
	"5b1c0f8e72d94a3b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b",
	"a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
};

/* A lock is refused once nothing more is asked of the cloud for a while; another run may have come before that. */
static struct misfortune draw_lock(struct chance *plot, struct misfortune misfortune)
{
	misfortune.disk_step = (uint64_t)chance_between(plot, 1, LOCKS_MOST);
	misfortune.locks_alone = true;
	misfortune.disk_mishap = MISHAP_DISK_ERROR;
	return misfortune;
}

/* One thing goes wrong, about where recovery is at work. */
static struct misfortune draw_misfortune(struct chance *plot)
{
	static const enum mishap amid_reading[] = {MISHAP_DENIED, MISHAP_OPERATOR, MISHAP_INTERRUPT};
	struct misfortune misfortune = {.aimed = true};

	switch (chance_between(plot, 0, 9)) {
	case 0:
		misfortune.sure_change = 1;
		break;
	case 1:
		/* What is sent once more may be refused by then. */
		misfortune.sure_change = 1;
		misfortune.sure_mishap = MISHAP_DENIED;
		break;
	case 2:
		misfortune.sure_request = (uint64_t)chance_between(plot, 1, SURE_REQUEST_MOST);
		break;
	case 3:
		/* Reading is refused or given up, or what was found goes away while the rest is waited for. */
		misfortune.sure_request = (uint64_t)chance_between(plot, 2, SURE_REQUEST_MOST);
		misfortune.sure_mishap = amid_reading[chance_between(plot, 0, 2)];
		break;
	case 4:
		misfortune.sure_wait = (uint64_t)chance_between(plot, 1, SURE_WAIT_MOST);
		break;
	case 5:
		misfortune.disk_after = (uint64_t)chance_between(plot, 1, SURE_REQUEST_MOST);
		misfortune.sure_request = chance_one_in(plot, 2) ? 1 : 0;
		misfortune.sure_mishap = MISHAP_RIVAL;
		return draw_lock(plot, misfortune);
	case 6:
		misfortune.denied = "DescribeVpcAttribute";
		break;
	default:
		misfortune.disk_after = (uint64_t)chance_between(plot, 0, DISK_AFTER_MOST);
		misfortune.disk_step = (uint64_t)chance_between(plot, 1, DISK_STEPS_MOST);
		misfortune.disk_mishap = mishap_draw_disk(plot);
		break;
	}
	return misfortune;
}

/* About where what was made twice is swept: when everything was read, and when it was read again. */
static struct misfortune draw_sweeping(struct chance *plot)
{
	struct misfortune misfortune = {.aimed = true};

	if (chance_one_in(plot, 3)) {
		misfortune.sure_request = (uint64_t)chance_between(plot, 2, SWEEP_MOST);
		misfortune.sure_mishap = chance_one_in(plot, 2) ? MISHAP_INTERRUPT : MISHAP_RIVAL;
		if (misfortune.sure_mishap == MISHAP_INTERRUPT)
			return misfortune;
	}
	misfortune.disk_after = (uint64_t)chance_between(plot, 2, chance_one_in(plot, 3) ? SWEEP_MOST : SWEEP_LEAST);
	return draw_lock(plot, misfortune);
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
		universe->is_clock_set = true;
	}
}

/* Somebody looks first. */
static void look(struct story *story)
{
	static const char *const looks[] = {"plan --refresh none", "plan", "plan --target aws.vpc.v0"};
	int64_t which = chance_between(&story->universe->plot, 0, 3);

	if (which < 3)
		story_run(story, looks[which], NULL);
	else
		story_look_at_night(story);
}

/* What a create that is still on its way will make. */
static bool is_any_held(const struct universe *universe)
{
	for (const struct flight *each = universe->flights; each; each = each->next)
		if (each->stage == STAGE_HELD && !each->process && operation_creates(each->operation))
			return true;
	return false;
}

/* It is given up, and comes when what it was for is there already, or is wanted no more, or has gone again. */
static void give_up(struct story *story)
{
	struct universe *universe = story->universe;
	struct chance *plot = &universe->plot;

	story_run(story, "recover", NULL);
	if (chance_one_in(plot, 3)) {
		story_run(story, "destroy --yes", NULL);
	} else if (chance_one_in(plot, 2)) {
		story_run(story, "apply --yes", NULL);
		if (chance_one_in(plot, 3))
			story_change_tags(universe, "trueup:intent", NULL);
	}
	if (chance_one_in(plot, 2))
		universe->operator(universe);
	universe_pass(universe, LATE_MOST_MS);
}

/* The same where a saved plan that sweeps is carried out: when it has read what it is about, or as it begins on that.
 */
static struct misfortune draw_carrying_out(struct chance *plot)
{
	struct misfortune misfortune = {.aimed = true};

	if (chance_one_in(plot, 3)) {
		misfortune.sure_request = (uint64_t)chance_between(plot, SAVED_LEAST, SAVED_MOST);
		misfortune.sure_mishap = MISHAP_RIVAL;
		return misfortune;
	}
	misfortune.disk_after = (uint64_t)chance_between(plot, SAVED_LEAST, SAVED_MOST);
	return draw_lock(plot, misfortune);
}

/* It is shown by a plan, and may be another's, or gone, when that is carried out. */
static void sweep_as_saved(struct story *story)
{
	struct universe *universe = story->universe;
	struct chance *plot = &universe->plot;
	const struct misfortune misfortune = draw_carrying_out(plot);

	if (chance_one_in(plot, 3))
		story_come_again(universe);
	story_run(story, "plan --out /stack/saved.plan", chance_one_in(plot, 4) ? &misfortune : NULL);
	if (chance_one_in(plot, 4))
		story_change_tags(universe, "trueup:intent", NULL);
	else if (chance_one_in(plot, 4))
		universe->operator(universe);
	if (chance_one_in(plot, 2))
		story_run(story, "apply /stack/saved.plan", &misfortune);
	else
		story_apply_over_twin(story);
}

/* With what was made twice there may be something to sweep: more than once, for that may fail. */
static void sweep(struct story *story)
{
	struct universe *universe = story->universe;
	struct chance *plot = &universe->plot;

	for (int i = 0; i < SWEEPS; i++) {
		const struct misfortune misfortune = draw_sweeping(plot);

		/* Most go with the next apply: one that a plan shows is rare enough. */
		if (chance_one_in(plot, 6) != story_has_twin(universe))
			sweep_as_saved(story);
		else
			story_run(story, chance_one_in(plot, 3) ? "apply --yes" : "recover", &misfortune);
		universe_pass(universe, LEASE_MS);
	}
}

/* As after a saved plan that was applied elsewhere, there may be no spec. */
static void recover(struct story *story, const struct misfortune *misfortune)
{
	bool is_alone = chance_one_in(&story->universe->plot, 6);

	if (is_alone)
		disk_remove(&story->universe->disk, SLICE("/stack/spec.yaml"));
	story_run(story, "recover", misfortune);
	if (is_alone)
		story_save_spec(story);
}

void story_settle_late(struct story *story)
{
	struct universe *universe = story->universe;

	if ((!universe->has_doubled && !universe->may_double) || chance_one_in(&universe->plot, 4))
		return;
	universe->wall_ahead_ms = 0;
	universe_pass(universe, LATE_MOST_MS);
	if (story_has_twin(universe))
		sweep(story);
}

void story_settle(struct story *story)
{
	struct universe *universe = story->universe;
	struct chance *plot = &universe->plot;
	const char *key = universe->sealing_key;
	struct audit_lease lease;
	struct misfortune misfortune;

	if (is_any_held(universe) && chance_one_in(plot, 2))
		give_up(story);
	if (universe->has_doubled && chance_one_in(plot, 2)) {
		universe->has_doubled = false;
		sweep(story);
	}
	if (chance_one_in(plot, 2) || !audit_lease(&universe->audit, &lease))
		return;
	if (lease.intent_count > 0)
		misfortune = draw_misfortune(plot);
	else if (universe->may_double)
		misfortune = draw_sweeping(plot);
	else
		return;
	if (chance_one_in(plot, 8))
		universe->operator(universe);
	let_pass(universe);
	if (chance_one_in(plot, universe->has_doubled ? 2 : 8))
		look(story);
	/* Whoever settles it may have another key, or none. */
	if (lease.has_key && chance_one_in(plot, 8))
		universe->sealing_key = chance_one_in(plot, 2) ? NULL : story_keys[1];
	if (chance_one_in(plot, 3))
		story_run(story, "apply --yes", &misfortune);
	else if (chance_one_in(plot, 4))
		story_run(story, "destroy --yes", &misfortune);
	else if (chance_one_in(plot, 6))
		story_run(story, "state rebuild --force --yes", &misfortune);
	else
		recover(story, &misfortune);
	universe->sealing_key = key;
}
