#include "tests/simulate/story.h"

/*
 * A run has begun something on a stack that is well, and was killed: what tells of its call is a tag of ours, or an
 * output, or cannot be read when it is asked for; or the spec says by now what that run has left.
 */

enum {
	WITHOUT_HOOKS_ONE_IN = 6,
	LEASE_MS = 40 * 1000,
	/* What was begun before that is not waited for any more. */
	LATE_MS = 10 * 60 * 1000,
	CHANGES_MOST = 3,
	/* Of a route table, and after how many turns it has as many again: route_table_subnets(). */
	SUBNETS = 2,
	TURNS = 4,
};

static const char network_read[] = "DescribeVpcAttribute";

/* Killed at the first call of an operation, or at a change, counted from 1. */
static struct misfortune draw_end(struct chance *plot, const char *operation, int64_t change)
{
	static const enum mishap ends[] = {MISHAP_CRASH_BEFORE, MISHAP_CRASH_SENT, MISHAP_CRASH_ANSWER};

	return (struct misfortune){.sure_first = operation,
				   .sure_change = (uint64_t)change,
				   .sure_mishap = ends[chance_between(plot, 0, 2)],
				   .alone = true};
}

void story_begin(struct story *story, const char *operation, int64_t change)
{
	const struct misfortune misfortune = draw_end(&story->universe->plot, operation, change);

	story_save_spec(story);
	story_run(story, "apply --yes", &misfortune);
	universe_pass(story->universe, LEASE_MS);
}

/* Our own tags follow another address, or come back where somebody has changed them. */
static void tag_anew(struct story *story)
{
	struct universe *universe = story->universe;

	if (chance_one_in(&universe->plot, 3)) {
		const struct misfortune misfortune = draw_end(&universe->plot, NULL, 1);

		(void)story_rename(story, &misfortune);
		universe_pass(universe, LEASE_MS);
	} else {
		/* Of the first network, something else was to change before. */
		if (chance_one_in(&universe->plot, 3)) {
			blueprint_thing(&story->blueprint, SPECIES_VPC, 0)->in_place++;
			story_begin(story, NULL, 1);
		}
		if (chance_one_in(&universe->plot, 2))
			story_change_tags(universe, "trueup:address", NULL);
		else
			story_change_tags(universe, "trueup:object", "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f");
		story_begin(story, NULL, 1);
	}
	story_run(story, "recover", NULL);
}

/* A template's new version is there, and is yet to be the one that counts: no field tells whether it is. */
static void choose_version(struct story *story)
{
	static const char chooses[] = "ModifyLaunchTemplate";
	struct thing *template = blueprint_thing(&story->blueprint, SPECIES_TEMPLATE, 0);

	if (!template || !blueprint_has(&story->blueprint, template))
		return;
	template->parts++;
	story_begin(story, chooses, 0);
	story_begin(story, chooses, 0);
	story_run(story, "recover", NULL);
}

/* A network that nothing else names, there or not; NULL: there is no room. */
static struct thing *find_network(struct story *story, bool wanted)
{
	struct thing *network = blueprint_thing(&story->blueprint, SPECIES_VPC, 1);

	if (!network)
		network = blueprint_add(&story->blueprint, SPECIES_VPC, 1);
	if (!network)
		return NULL;
	network->wanted = wanted;
	story_save_spec(story);
	story_make_peace(story);
	return network;
}

/* It is made, and one of its attributes is set though it cannot be read: nothing is told of that call. */
static void set_unread(struct story *story)
{
	struct misfortune misfortune = draw_end(&story->universe->plot, "ModifyVpcAttribute", 0);
	struct thing *network = find_network(story, false);

	if (!network)
		return;
	network->wanted = true;
	network->parts |= 1;
	story_save_spec(story);
	misfortune.denied = network_read;
	story_run(story, "apply --yes", &misfortune);
	universe_pass(story->universe, LEASE_MS);
	story_run(story, "recover", NULL);
}

/* Of what is changed, or goes, one field cannot be read. */
static void read_in_part(struct story *story)
{
	const struct misfortune denied = {.denied = network_read};
	struct thing *network = find_network(story, true);

	if (!network)
		return;
	network->in_place++;
	network->parts++;
	network->wanted = !chance_one_in(&story->universe->plot, 3);
	story_begin(story, NULL, network->wanted ? chance_between(&story->universe->plot, 1, CHANGES_MOST) : 1);
	story_run(story, "recover", &denied);
}

/*
 * The same of a group whose hook goes: there is no other set that takes a call of its own to be read. What the run has
 * left of it is told by a look, unless that is just what cannot be read.
 */
static void read_no_hook(struct story *story)
{
	const struct misfortune denied = {.denied = "DescribeLifecycleHooks"};

	story->blueprint.featured |= 1;
	story_save_spec(story);
	story_make_peace(story);
	story->blueprint.featured++;
	blueprint_thing(&story->blueprint, SPECIES_SCALING_GROUP, 0)->in_place++;
	story_begin(story, "DeleteLifecycleHook", 0);
	story_run(story, "recover", &denied);
	universe_pass(story->universe, LATE_MS);
	story_run(story, "recover", NULL);
	story_run(story, "drift", &denied);
}

/* A route table that was to go is wanted again, for as many subnets as are left to it. */
static void agree(struct story *story)
{
	struct thing *table = blueprint_thing(&story->blueprint, SPECIES_ROUTE_TABLE, 0);
	int64_t gone = chance_between(&story->universe->plot, 1, SUBNETS);

	if (!table || !blueprint_has(&story->blueprint, table))
		return;
	table->parts += TURNS - table->parts % TURNS + SUBNETS;
	story_save_spec(story);
	story_make_peace(story);
	table->wanted = false;
	story_begin(story, NULL, gone);
	/* The rest goes with the run after it. */
	if (chance_one_in(&story->universe->plot, 3))
		story_begin(story, NULL, 1);
	table->wanted = true;
	table->parts -= (unsigned)gone;
	story_save_spec(story);
	story_run(story, "recover", NULL);
}

/* A table is to be for one subnet more, and somebody takes the other one off it. */
static void lose_item(struct story *story)
{
	struct thing *table = blueprint_thing(&story->blueprint, SPECIES_ROUTE_TABLE, 0);

	if (!table || !blueprint_has(&story->blueprint, table))
		return;
	table->parts += TURNS - table->parts % TURNS + 1;
	story_save_spec(story);
	story_make_peace(story);
	table->parts++;
	story_begin(story, "AssociateRouteTable", 0);
	story_set(story->universe, "aws.route_table", "route-table", "associationSet.0", NULL);
	story_run(story, "recover", NULL);
}

/* A group was emptied before its deletion, and somebody gives it another size. */
static void regrow(struct story *story)
{
	struct thing *group = blueprint_thing(&story->blueprint, SPECIES_SCALING_GROUP, 0);

	if (!group || !blueprint_has(&story->blueprint, group))
		return;
	group->wanted = false;
	story_begin(story, "DeleteAutoScalingGroup", 0);
	story_run(story, "recover", NULL);
	story_set_parts(story->universe, "aws.autoscaling_group", "auto-scaling-group", "AutoScalingGroupName",
			"MaxSize", "9");
	story_run(story, "recover", NULL);
	group->wanted = true;
	story_save_spec(story);
}

/* A gateway that was never finished is to be another one, then again as it was, and each run is killed. Where it is
 * attached may be left to others: then it goes back there because the deletion has come to nothing. */
static void waver(struct story *story)
{
	struct thing *gateway = blueprint_thing(&story->blueprint, SPECIES_VPN_GATEWAY, 0);

	if (!gateway || !blueprint_has(&story->blueprint, gateway))
		return;
	gateway->wanted = false;
	story_save_spec(story);
	story_make_peace(story);
	gateway->wanted = true;
	if (chance_one_in(&story->universe->plot, 2))
		gateway->more = ", lifecycle: {ignore: [vpc]}";
	story_begin(story, "AttachVpnGateway", 0);
	gateway->renewal++;
	story_begin(story, "DetachVpnGateway", 0);
	gateway->renewal--;
	story_begin(story, "AttachVpnGateway", 0);
	story_run(story, "recover", NULL);
	gateway->more = NULL;
	story_save_spec(story);
}

static void tell_any(struct story *story)
{
	static const struct {
		void (*tell)(struct story *story);
		unsigned weight;
	} beginnings[] = {{tag_anew, 3}, {choose_version, 1}, {set_unread, 1}, {read_in_part, 2},
			  {agree, 2},	 {lose_item, 1},      {regrow, 1},     {waver, 2}};
	int64_t sum = 0;

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		sum += beginnings[i].weight;
	int64_t at = chance_between(&story->universe->plot, 0, sum - 1);

	for (size_t i = 0; at >= 0 && i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		at -= beginnings[i].weight;
		if (at < 0)
			beginnings[i].tell(story);
	}
}

void story_go_on(struct story *story)
{
	/* Few stacks have hooks. */
	bool has_hooks = story->blueprint.feature == FEATURE_HOOKS &&
			 blueprint_find(&story->blueprint, SPECIES_SCALING_GROUP, 0);

	if (!has_hooks && !chance_one_in(&story->universe->plot, WITHOUT_HOOKS_ONE_IN))
		return;
	if (has_hooks)
		read_no_hook(story);
	else
		tell_any(story);
	universe_pass(story->universe, LEASE_MS);
	story_make_peace(story);
	if (!story->universe->failure[0])
		story_expect_nothing_planned(story);
}
