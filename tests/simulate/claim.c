#include <stdio.h>

#include "tests/simulate/judge.h"
#include "tests/simulate/story.h"

/*
 * Somebody else has what ours is to have: the address of a gateway, whose create the cloud answers with what has it, or
 * the route table of a subnet, which takes but one.
 */

enum {
	LOOKS_MOST = 2,
	LEASE_MS = 40 * 1000,
	USUAL_OCTET = 250, /* where nothing of ours is */
};

/* Between the create's answer and the look at whose it is, or about there. */
static struct misfortune draw_misfortune(struct chance *plot)
{
	static const enum mishap ends[] = {MISHAP_CRASH_BEFORE, MISHAP_CRASH_SENT,    MISHAP_CRASH_ANSWER,
					   MISHAP_INTERRUPT,	MISHAP_INTERRUPT_TWO, MISHAP_DENIED,
					   MISHAP_NONE};
	struct misfortune misfortune = {
		.sure_look = (uint64_t)chance_between(plot, 0, LOOKS_MOST),
		.sure_mishap = ends[chance_between(plot, 0, sizeof(ends) / sizeof(ends[0]) - 1)],
	};

	misfortune.sure_change = misfortune.sure_look == 0 ? 1 : 0;
	return misfortune;
}

static struct thing *find_gateway(struct blueprint *blueprint)
{
	for (unsigned number = 0; number < 2; number++)
		if (blueprint_find(blueprint, SPECIES_CUSTOMER_GATEWAY, number))
			return blueprint_thing(blueprint, SPECIES_CUSTOMER_GATEWAY, number);
	return NULL;
}

/* None of these has any business with what is somebody else's. */
static void go_on(struct story *story, bool may_destroy)
{
	struct universe *universe = story->universe;
	char run[AUDIT_RUN_BYTES], line[64];

	switch (chance_between(&universe->plot, 0, may_destroy ? 5 : 4)) {
	case 0:
		story_run(story, "recover", NULL);
		break;
	case 1:
		audit_last_run(&universe->audit, run);
		(void)snprintf(line, sizeof(line), "undo %s --yes", run);
		story_run(story, line, NULL);
		break;
	case 2:
		story_run(story, "plan --out /stack/saved.plan", NULL);
		story_run(story, "apply /stack/saved.plan", NULL);
		break;
	case 3:
		story_run(story, "drift", NULL);
		break;
	case 5:
		story_run(story, "destroy --yes", NULL);
		break;
	default:
		break;
	}
}

static void judge_theirs(struct story *story)
{
	struct universe *universe = story->universe;
	const char *id = foreign_things[FOREIGN_CUSTOMER_GATEWAY].id;
	struct audit_record record = {.object_count = 0};
	struct value world;
	struct arena arena;

	arena_init(&arena);
	if (oracle_look(universe, &arena, &world))
		foreign_judge(universe, &story->foreign, value_get_named(&world, region_name));
	(void)audit_read(&universe->audit, &arena, &record);
	for (size_t i = 0; i < record.object_count; i++)
		if (slice_is(record.objects[i].provider_id, id))
			universe_fail(universe, "claim: %s is recorded, which is somebody else's", id);
	audit_leave(&universe->audit);
	arena_release(&arena);
}

/* What is wanted now is tried, and tried again; it comes when they have given it up. */
static void try_in_vain(struct story *story, const char *what, bool may_destroy)
{
	struct universe *universe = story->universe;
	struct misfortune misfortune = draw_misfortune(&universe->plot);

	story_save_spec(story);
	story_run(story, "apply --yes", &misfortune);
	universe_pass(universe, LEASE_MS);
	go_on(story, may_destroy);
	judge_theirs(story);
	universe_pass(universe, STORY_PEACE_MS);
	if (story_run(story, "apply --yes", NULL) == 0)
		universe_fail(universe, "claim: an apply ends with 0, though somebody else has the %s", what);
	judge_theirs(story);
}

static void claim_address(struct story *story)
{
	struct universe *universe = story->universe;
	struct thing *gateway = find_gateway(&story->blueprint);

	if (!gateway)
		return;
	gateway->wanted = false;
	story_save_spec(story);
	story_make_peace(story);
	/* Tags of another stack, or none. */
	if (chance_one_in(&universe->plot, 2))
		foreign_drop_tags(universe, &story->foreign, FOREIGN_CUSTOMER_GATEWAY);
	foreign_give_address(universe, &story->foreign, customer_octet(gateway));
	gateway->wanted = true;
	try_in_vain(story, "address", true);
	foreign_give_address(universe, &story->foreign, USUAL_OCTET);
	story_make_peace(story);
}

/* Ours is made with the subnet, or is to have it beside what it has. */
static void claim_subnet(struct story *story)
{
	struct universe *universe = story->universe;
	struct thing *table = blueprint_thing(&story->blueprint, SPECIES_ROUTE_TABLE, 0);

	if (!table || !blueprint_has(&story->blueprint, table))
		return;
	table->wanted = chance_one_in(&universe->plot, 2);
	while (route_table_subnets(table) > 0)
		table->parts++;
	story_save_spec(story);
	story_make_peace(story);
	if (universe->failure[0] || !foreign_seize_subnet(universe, &story->foreign, "aws.subnet.s0"))
		return;
	table->wanted = true;
	table->parts++;
	/* A subnet that goes takes what it was told with it. */
	try_in_vain(story, "subnet", false);
	foreign_give_up_subnet(universe, &story->foreign);
	story_make_peace(story);
}

void story_claim(struct story *story)
{
	if (chance_one_in(&story->universe->plot, 2))
		claim_address(story);
	else
		claim_subnet(story);
	if (!story->universe->failure[0])
		story_expect_nothing_planned(story);
}
