#include <stdio.h>

#include "tests/simulate/story.h"

/* A call comes twice on a stack that is well; of what it made the second time the state file tells when it fails, or
 * when another run has changed it. */

enum {
	LEASE_MS = 40 * 1000,
	/* Nothing but who answers was asked for before. */
	ASKED = 3,
	/* So many requests read all of a stack, or all of it twice. */
	READ_LEAST = 8,
	READ_MOST = 24,
	SAVED_MOST = 6,
	/* So many locks are taken from there to where it is judged, to where it is recorded, and to where all is read
	 * anew. */
	LOCKS_TO_JUDGE = 3,
	LOCKS_TO_RECORD = 10,
	LOCKS_TO_READ = 18,
};

/* One of the first locks that are taken after a request, no earlier than so many requests. */
static struct misfortune draw_lock(struct chance *plot, int64_t requests, int64_t most)
{
	return (struct misfortune){.disk_after = (uint64_t)requests,
				   .disk_step = (uint64_t)chance_between(plot, 1, most),
				   .disk_mishap = MISHAP_DISK_ERROR,
				   .locks_alone = true};
}

/* A network that nothing else names is there twice. */
static bool make_twice(struct story *story)
{
	struct blueprint *blueprint = &story->blueprint;
	struct misfortune misfortune = {
		.sure_change = 1, .sure_mishap = MISHAP_DUPLICATE, .gentle = true, .alone = true};
	struct thing *network = blueprint_thing(blueprint, SPECIES_VPC, 1);

	if (network && network->wanted) {
		/* The one before goes first. */
		network->renewal++;
		misfortune.sure_change = 2;
	} else if (!network) {
		network = blueprint_add(blueprint, SPECIES_VPC, 1);
	}
	if (!network)
		return false;
	network->wanted = true;
	story_save_spec(story);
	story_run(story, "apply --yes", &misfortune);
	universe_pass(story->universe, LEASE_MS);
	return story_has_twin(story->universe);
}

/* Changes the record, and nothing that a plan is about. */
static void rename_to_and_fro(struct universe *universe)
{
	const struct misfortune calm = {.alone = true};

	story_run(universe->story, "state mv aws.vpc.v0 aws.vpc.other", &calm);
	story_run(universe->story, "state mv aws.vpc.other aws.vpc.v0", &calm);
}

static void carry_out_saved(struct story *story)
{
	struct chance *plot = &story->universe->plot;
	struct misfortune misfortune = {.sure_mishap = MISHAP_RIVAL};

	if (chance_one_in(plot, 2))
		misfortune.sure_request = (uint64_t)chance_between(plot, ASKED - 1, SAVED_MOST);
	else
		misfortune = draw_lock(plot, ASKED - 1, LOCKS_TO_RECORD);
	story_run(story, "plan --out /stack/saved.plan", NULL);
	story_run(story, "apply /stack/saved.plan", &misfortune);
}

/* Beside what has our tags by somebody's hand, now and then: that is judged again when the rest was recorded. */
static void sweep(struct story *story)
{
	struct universe *universe = story->universe;
	struct chance *plot = &universe->plot;
	struct misfortune misfortune = {.sure_mishap = chance_one_in(plot, 2) ? MISHAP_INTERRUPT : MISHAP_RIVAL};
	bool copied = chance_one_in(plot, 4) &&
		      foreign_copy_tags(universe, &story->foreign, "vpc", "aws.vpc.v0", FOREIGN_VPC, true);

	switch (copied ? 1 : chance_between(plot, 0, 3)) {
	case 0:
		misfortune.sure_request = (uint64_t)chance_between(plot, ASKED, READ_MOST);
		break;
	case 1:
		misfortune = draw_lock(plot, chance_between(plot, READ_LEAST, READ_MOST), LOCKS_TO_JUDGE);
		break;
	default:
		misfortune = draw_lock(plot, ASKED, LOCKS_TO_READ);
		break;
	}
	story_run(story, chance_one_in(plot, 2) ? "apply --yes" : "recover", &misfortune);
	if (copied)
		foreign_drop_tags(universe, &story->foreign, FOREIGN_VPC);
}

void story_come_late(struct story *story)
{
	struct universe *universe = story->universe;
	void (*rival)(struct universe *) = universe->rival;

	universe->rival = rename_to_and_fro;
	if (make_twice(story)) {
		const struct misfortune misfortune = draw_lock(&universe->plot, ASKED, LOCKS_TO_JUDGE);

		if (chance_one_in(&universe->plot, 2))
			story_run(story, "plan --out /stack/saved.plan", &misfortune);
		if (chance_one_in(&universe->plot, 2))
			carry_out_saved(story);
		else
			sweep(story);
		universe_pass(universe, LEASE_MS);
	}
	universe->rival = rival;
	story_make_peace(story);
	if (!universe->failure[0])
		story_expect_nothing_planned(story);
}
