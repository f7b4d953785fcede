#include <stdio.h>

#include "tests/simulate/judge.h"
#include "tests/simulate/story.h"

/* A call comes twice, or late, on a stack that is well: the state file fails when what it made is judged, another run
 * has changed that by then, what it is one of has gone, or somebody has let go of it. */

enum {
	LEASE_MS = 40 * 1000,
	/* Nothing but who answers was asked for before. */
	ASKED = 3,
	/* So many requests read all of a stack, or all of it twice. */
	READ_LEAST = 8,
	READ_MOST = 24,
	SAVED_MOST = 6,
	LATE_MOST_MS = 10 * 60 * 1000,
	/* So many locks are taken from there to where it is judged, to where it is recorded, and to where all is read
	 * anew. */
	LOCKS_TO_JUDGE = 3,
	LOCKS_TO_RECORD = 10,
	LOCKS_TO_READ = 18,
};

static const char network_address[] = "aws.vpc.v1";

/* One of the first locks that are taken after a request, no earlier than so many requests. */
static struct misfortune draw_lock(struct chance *plot, int64_t requests, int64_t most)
{
	return (struct misfortune){.disk_after = (uint64_t)requests,
				   .disk_step = (uint64_t)chance_between(plot, 1, most),
				   .disk_mishap = MISHAP_DISK_ERROR,
				   .locks_alone = true};
}

/* A network that nothing else names is made, and the mishap befalls that. denied: another call, which is, or NULL. */
static bool make_network(struct story *story, enum mishap mishap, const char *denied)
{
	struct blueprint *blueprint = &story->blueprint;
	struct misfortune misfortune = {
		.sure_first = "CreateVpc", .sure_mishap = mishap, .denied = denied, .gentle = true};
	struct thing *network = blueprint_thing(blueprint, SPECIES_VPC, 1);

	if (network && network->wanted) {
		network->renewal++;
	} else if (!network) {
		network = blueprint_add(blueprint, SPECIES_VPC, 1);
	}
	if (!network)
		return false;
	network->wanted = true;
	story_save_spec(story);
	story_run(story, "apply --yes", &misfortune);
	return true;
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

	story_run(story, "plan --out /stack/saved.plan", NULL);
	if (chance_one_in(plot, 3)) {
		story_apply_over_twin(story);
		return;
	}
	if (chance_one_in(plot, 2))
		misfortune.sure_request = (uint64_t)chance_between(plot, ASKED - 1, SAVED_MOST);
	else
		misfortune = draw_lock(plot, ASKED - 1, LOCKS_TO_RECORD);
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

/* It is there twice; beside it a replace that was denied leaves something behind now and then. */
static void come_twice(struct story *story, const char *denied)
{
	struct universe *universe = story->universe;
	const struct misfortune misfortune = draw_lock(&universe->plot, ASKED, LOCKS_TO_JUDGE);

	if (denied)
		blueprint_thing(&story->blueprint, SPECIES_GROUP, 0)->renewal++;
	if (!make_network(story, MISHAP_DUPLICATE, denied))
		return;
	universe_pass(universe, LEASE_MS);
	if (!story_has_twin(universe))
		return;
	if (chance_one_in(&universe->plot, 2))
		story_run(story, "plan --out /stack/saved.plan", &misfortune);
	if (chance_one_in(&universe->plot, 2))
		carry_out_saved(story);
	else
		sweep(story);
}

/* The id of what is recorded, or of what is not and has our tags; empty: there is nothing. */
static struct slice find_network(struct universe *universe, bool recorded, struct arena *arena)
{
	struct slice id = {NULL, 0};
	struct audit_record record;

	if (!audit_read(&universe->audit, arena, &record))
		return id;
	audit_leave(&universe->audit);
	if (!recorded)
		return oracle_find_unrecorded(universe, &record, "vpc", arena, &id) ? id : (struct slice){NULL, 0};
	for (size_t i = 0; i < record.object_count; i++)
		if (slice_is(record.objects[i].address, network_address))
			id = record.objects[i].provider_id;
	return id;
}

/* False where there is nothing. */
static bool take_away(struct universe *universe, bool recorded)
{
	struct diagnostics diagnostics;
	struct arena arena;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	struct slice id = find_network(universe, recorded, &arena);
	bool done = id.size > 0 && sim_remove(universe->sim, slice_of(region_name), SLICE("vpc"), id, &diagnostics);

	if (done)
		trace_line(&universe->trace, "somebody removes %.*s", SLICE_ARGUMENTS(id));
	diagnostics_release(&diagnostics);
	arena_release(&arena);
	return done;
}

/* It was given up, and comes when what was made in its place has gone. */
static void come_when_gone(struct story *story)
{
	if (!make_network(story, MISHAP_LATE_REQUEST, NULL))
		return;
	story_run(story, "recover", NULL);
	story_run(story, "apply --yes", NULL);
	(void)take_away(story->universe, true);
	universe_pass(story->universe, LATE_MOST_MS);
	story_run(story, "plan", NULL);
}

/* Nobody wants to know any more what came of it: it is left where it is. */
static void let_go(struct story *story)
{
	struct universe *universe = story->universe;

	if (!make_network(story, MISHAP_LATE_REQUEST, NULL))
		return;
	story_run(story, "state rm --force --yes aws.vpc.v1", NULL);
	universe_pass(universe, LATE_MOST_MS);
	story_run(story, "apply --yes", NULL);
	if (!take_away(universe, false))
		universe_fail(universe, "late: what was let go of is not there any more");
}

void story_come_late(struct story *story)
{
	struct universe *universe = story->universe;
	void (*rival)(struct universe *) = universe->rival;

	universe->rival = rename_to_and_fro;
	switch (chance_between(&universe->plot, 0, 7)) {
	case 0:
		come_when_gone(story);
		break;
	case 1:
		let_go(story);
		break;
	case 2:
		come_twice(story, "CreateSecurityGroup");
		break;
	default:
		come_twice(story, NULL);
		break;
	}
	universe->rival = rival;
	universe_pass(universe, LEASE_MS);
	story_make_peace(story);
	if (!universe->failure[0])
		story_expect_nothing_planned(story);
}
