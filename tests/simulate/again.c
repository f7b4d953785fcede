#include "tests/simulate/story.h"

/*
 * A call with a token was never sent, for its run died right then, and is to be sent once more: by a run that something
 * befalls just there, or whose spec has what it makes no more, otherwise, or by another alias; or it was sent once more
 * already, by a run that died as well.
 */

enum {
	LEASE_MS = 40 * 1000,
	GRACE_MS = 150 * 1000, /* what may have come would be there by then */
	LOCKS_MOST = 8,
	LOCKS_TO_COMMIT = 2,
	LOOKS_MOST = 3,
	SURE_REQUEST_LEAST = 3,
	SURE_REQUEST_MOST = 16,
	/* A token lives for an hour. */
	THINK_LEAST_MS = 40 * 60 * 1000,
	THINK_MOST_MS = 80 * 60 * 1000,
};

/* What a call with a token makes, and what it is read by. */
static const struct maker {
	enum species species;
	const char *call, *read, *more; /* more: a further field, or NULL */
} makers[] = {
	{SPECIES_INSTANCE, "RunInstances", "DescribeInstances", ", termination_protection: false"},
	{SPECIES_TEMPLATE, "CreateLaunchTemplate", "DescribeLaunchTemplates", ", ebs_optimized: true"},
	{SPECIES_ROUTE_TABLE, "CreateRouteTable", "DescribeRouteTables", NULL},
};
enum { MAKERS = sizeof(makers) / sizeof(makers[0]) };

/* What was made a moment before, and was to go by the same run. */
static const enum species beside_species = SPECIES_CUSTOMER_GATEWAY;
static const unsigned beside_number = 1;
static const char beside_read[] = "DescribeCustomerGateways";

static const char near_alias[] = ", provider: aws.other";
static const char near_places[] = "providers: {aws.other: {region: us-west-2}}\n";
static const char other_places[] = "providers: {aws: {endpoint: \"https://elsewhere.example\"}}\n";

struct sending {
	struct story *story;
	const struct maker *maker;
	struct thing *thing, *beside;
	struct thing *another; /* that such a call makes, too, or NULL */
};

static struct chance *plot_of(const struct sending *sending)
{
	return &sending->story->universe->plot;
}

static bool find_thing(struct sending *sending)
{
	struct blueprint *blueprint = &sending->story->blueprint;
	int64_t first = chance_between(plot_of(sending), 0, MAKERS - 1);

	for (int64_t i = 0; i < MAKERS && !sending->thing; i++) {
		sending->maker = &makers[(first + i) % MAKERS];
		if (blueprint_find(blueprint, sending->maker->species, 0))
			sending->thing = blueprint_thing(blueprint, sending->maker->species, 0);
	}
	if (!sending->thing)
		return false;
	sending->beside = blueprint_thing(blueprint, beside_species, beside_number);
	if (!sending->beside)
		sending->beside = blueprint_add(blueprint, beside_species, beside_number);
	return sending->beside != NULL;
}

static void want(const struct sending *sending, bool wanted)
{
	sending->thing->wanted = wanted;
	if (sending->another)
		sending->another->wanted = wanted;
	sending->beside->wanted = !wanted;
	story_save_spec(sending->story);
}

/* The call is recorded as one that nobody knows the outcome of, and so is that which deletes the other thing. */
static void leave_open(struct sending *sending)
{
	const struct misfortune dies = {.sure_change = 1, .sure_mishap = MISHAP_CRASH_BEFORE};
	struct story *story = sending->story;

	sending->beside->renewal++;
	want(sending, false);
	story_make_peace(story);
	want(sending, true);
	story_run(story, "apply --yes", &dies);
	universe_pass(story->universe, chance_one_in(plot_of(sending), 2) ? LEASE_MS : GRACE_MS);
}

static void carry_out(const struct sending *sending, const struct misfortune *misfortune)
{
	struct story *story = sending->story;

	if (chance_one_in(plot_of(sending), 2)) {
		story_run(story, "apply --yes", misfortune);
		return;
	}
	story_run(story, "plan --out /stack/saved.plan", NULL);
	story_run(story, "apply /stack/saved.plan", misfortune);
}

static void recover_or_carry_out(const struct sending *sending, const struct misfortune *misfortune)
{
	if (chance_one_in(plot_of(sending), 2))
		story_run(sending->story, "recover", misfortune);
	else
		carry_out(sending, misfortune);
}

static struct misfortune draw_lock(struct chance *plot, int64_t most)
{
	return (struct misfortune){.disk_step = (uint64_t)chance_between(plot, 1, most),
				   .disk_mishap = MISHAP_DISK_ERROR,
				   .locks_alone = true};
}

/* The state file fails once it was sent, or when it was refused and what the first one has made was looked for. */
static void lose_disk(struct sending *sending)
{
	struct chance *plot = plot_of(sending);
	struct misfortune misfortune = draw_lock(plot, LOCKS_MOST);

	if (chance_one_in(plot, 3)) {
		misfortune = draw_lock(plot, LOCKS_TO_COMMIT);
		misfortune.sure_change = misfortune.disk_after = 1;
		misfortune.sure_mishap = MISHAP_FAILED_CREATE;
	} else if (chance_one_in(plot, 3)) {
		misfortune.locks_alone = false;
		misfortune.disk_mishap = mishap_draw_disk(plot);
	}
	misfortune.after_change = true;
	recover_or_carry_out(sending, &misfortune);
}

/* It is refused, and nobody can tell what the first one has made, or nobody waits for that. */
static void refuse(struct sending *sending)
{
	struct chance *plot = plot_of(sending);
	struct misfortune misfortune = {.sure_change = 1, .sure_mishap = MISHAP_FAILED_CREATE, .after_change = true};

	switch (chance_between(plot, 0, 2)) {
	case 0:
		misfortune.denied = sending->maker->read;
		break;
	case 1:
		misfortune.sure_wait = 1;
		break;
	default:
		misfortune.sure_look = (uint64_t)chance_between(plot, 1, LOOKS_MOST);
		misfortune.look_mishap = MISHAP_INTERRUPT;
		break;
	}
	recover_or_carry_out(sending, &misfortune);
}

/* Another run settles it when the plan is made, or about then; or first of all, and the state file fails when that is
 * read anew. */
static void overtake(struct sending *sending)
{
	struct chance *plot = plot_of(sending);
	struct misfortune misfortune = {0};

	if (chance_one_in(plot, 2)) {
		misfortune = draw_lock(plot, LOCKS_MOST);
		misfortune.sure_request = misfortune.disk_after = 1;
	} else {
		misfortune.sure_request = (uint64_t)chance_between(plot, SURE_REQUEST_LEAST, SURE_REQUEST_MOST);
	}
	misfortune.sure_mishap = MISHAP_RIVAL;
	carry_out(sending, &misfortune);
}

/* What the other call came to cannot be told either, and is no matter of this one, nor of a plan of this one alone. */
static void deny_beside(struct sending *sending)
{
	const struct misfortune denied = {.denied = beside_read};
	struct misfortune misfortune = denied;

	if (chance_one_in(plot_of(sending), 2)) {
		misfortune.sure_change = 1;
		misfortune.sure_mishap = MISHAP_FAILED_CREATE;
	}
	if (chance_one_in(plot_of(sending), 2)) {
		story_run(sending->story, "apply --yes", &misfortune);
		return;
	}
	story_run(sending->story, "plan --out /stack/saved.plan", &denied);
	story_run(sending->story, "apply /stack/saved.plan", &misfortune);
}

/* Nobody answers whoever looks meanwhile. */
static void ask_nobody(struct universe *universe)
{
	const struct misfortune deaf = {.alone = true, .denied = "GetCallerIdentity"};

	story_run(universe->story, "plan", &deaf);
}

static void look_meanwhile(struct sending *sending)
{
	struct universe *universe = sending->story->universe;
	const struct misfortune misfortune = {
		.sure_change = (uint64_t)chance_between(&universe->plot, 1, 3),
		.sure_mishap = MISHAP_RIVAL,
		.denied = beside_read,
	};
	void (*rival)(struct universe *) = universe->rival;
	struct thing *network = blueprint_thing(&sending->story->blueprint, SPECIES_VPC, 0);

	network->in_place++;
	story_save_spec(sending->story);
	universe->rival = ask_nobody;
	story_run(sending->story, "apply --yes", &misfortune);
	universe->rival = rival;
}

/* What it is sent with is sealed. */
static void lose_key(struct sending *sending)
{
	struct universe *universe = sending->story->universe;
	const char *key = universe->sealing_key;

	universe->sealing_key = chance_one_in(&universe->plot, 2) ? NULL : story_keys[1];
	story_run(sending->story, "recover", NULL);
	universe->sealing_key = key;
}

static void settle_unwanted(const struct sending *sending)
{
	if (chance_one_in(plot_of(sending), 2))
		story_run(sending->story, "recover", NULL);
	else
		carry_out(sending, NULL);
}

/* The spec has it no more, or otherwise. */
static void change_mind(struct sending *sending)
{
	struct thing *thing = sending->thing;

	switch (chance_between(plot_of(sending), 0, 2)) {
	case 0:
		thing->wanted = false;
		break;
	case 1:
		thing->more = sending->maker->more;
		thing->in_place += !thing->more;
		break;
	default:
		thing->renewal++;
		thing->in_place++;
		break;
	}
	story_save_spec(sending->story);
	settle_unwanted(sending);
	thing->more = NULL;
	thing->wanted = true;
}

/* It is on its way once more, and nobody waits for it: so it is for the grace from then on. */
static void die_again(struct sending *sending)
{
	static const enum mishap ends[] = {MISHAP_CRASH_BEFORE, MISHAP_CRASH_SENT, MISHAP_DELAYED};
	struct universe *universe = sending->story->universe;
	const struct misfortune dies = {.sure_first = sending->maker->call,
					.sure_mishap = ends[chance_between(&universe->plot, 0, 2)]};

	/* What is beside it stays: nothing else is waited for as long. */
	sending->beside->wanted = true;
	story_save_spec(sending->story);
	carry_out(sending, &dies);
	universe_pass(universe, LEASE_MS);
	change_mind(sending);
	sending->beside->wanted = false;
}

/* The spec has it go by another alias, which leads to the same place. */
static void go_round(struct sending *sending)
{
	sending->story->blueprint.places = near_places;
	sending->thing->more = near_alias;
	story_save_spec(sending->story);
	settle_unwanted(sending);
}

/* The alias that it went by is gone. */
static void lose_alias(struct sending *sending)
{
	struct story *story = sending->story;

	story->blueprint.places = near_places;
	sending->thing->more = near_alias;
	leave_open(sending);
	story->blueprint.places = NULL;
	sending->thing->more = NULL;
	story_save_spec(story);
	settle_unwanted(sending);
}

/* It leads elsewhere by now. */
static void move_alias(struct sending *sending)
{
	leave_open(sending);
	sending->story->blueprint.places = other_places;
	story_save_spec(sending->story);
	story_run(sending->story, "recover", NULL);
}

static struct thing *find_another(const struct sending *sending)
{
	struct blueprint *blueprint = &sending->story->blueprint;

	for (size_t i = 0; i < MAKERS; i++)
		if (&makers[i] != sending->maker && blueprint_find(blueprint, makers[i].species, 0))
			return blueprint_thing(blueprint, makers[i].species, 0);
	return NULL;
}

/* Whoever is asked thinks for so long that it cannot be sent once more; the spec has another such thing otherwise by
 * now, mostly. */
static void hesitate(struct sending *sending)
{
	struct chance *plot = plot_of(sending);
	const struct misfortune thinks = {.think_ms = chance_between(plot, THINK_LEAST_MS, THINK_MOST_MS)};

	sending->another = find_another(sending);
	leave_open(sending);
	if (sending->another)
		sending->another->renewal++;
	story_save_spec(sending->story);
	story_run(sending->story, "apply", &thinks);
}

static const struct trouble {
	void (*tell)(struct sending *sending);
	unsigned weight;
	bool begins; /* by leaving the call open itself */
} troubles[] = {
	{lose_disk, 8, false}, {refuse, 5, false},	   {overtake, 4, false},    {deny_beside, 2, false},
	{lose_key, 4, false},  {look_meanwhile, 2, false}, {change_mind, 3, false}, {go_round, 1, false},
	{lose_alias, 1, true}, {move_alias, 2, true},	   {hesitate, 3, true},	    {die_again, 4, false},
};
enum { TROUBLES = sizeof(troubles) / sizeof(troubles[0]) };

static void tell_trouble(struct sending *sending)
{
	int64_t sum = 0;

	for (size_t i = 0; i < TROUBLES; i++)
		sum += troubles[i].weight;
	int64_t at = chance_between(plot_of(sending), 0, sum - 1);

	for (size_t i = 0; i < TROUBLES; i++) {
		at -= troubles[i].weight;
		if (at >= 0)
			continue;
		if (!troubles[i].begins)
			leave_open(sending);
		troubles[i].tell(sending);
		return;
	}
}

void story_send_again(struct story *story)
{
	struct sending sending = {.story = story};

	if (!find_thing(&sending))
		return;
	tell_trouble(&sending);
	oracle_settled(story->universe);
	story->blueprint.places = NULL;
	sending.thing->more = NULL;
	story_save_spec(story);
	universe_pass(story->universe, LEASE_MS);
	story_make_peace(story);
	if (!story->universe->failure[0])
		story_expect_nothing_planned(story);
}
