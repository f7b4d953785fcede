#include "tests/simulate/story.h"

/*
 * A deletion is cut off when it has let go of parts of what it is about, and comes to nothing: the spec has that again,
 * and leaves those parts to others by then. They come back whole, also where the run that sets them back is killed as
 * well, unless somebody else has made something of them meanwhile.
 */

enum {
	CHANGES_MOST = 4,
	LEASE_MS = 40 * 1000,
	STAYING_MOST = 2,
	/* What the route table is for, and one that it may be given by somebody. */
	SUBNETS = 4,
	SUBNETS_OF_TABLE = 3,
};

/* What is to go and stays. */
struct staying {
	struct story *story;
	struct thing *things[STAYING_MOST];
	size_t count;
};

static struct chance *plot_of(const struct staying *staying)
{
	return &staying->story->universe->plot;
}

/* Has it stand in the spec; NULL: there is no room. */
static struct thing *have(struct story *story, enum species species, unsigned number)
{
	struct thing *thing = blueprint_thing(&story->blueprint, species, number);

	if (!thing)
		thing = blueprint_add(&story->blueprint, species, number);
	if (thing)
		thing->wanted = true;
	return thing;
}

static void add(struct staying *staying, enum species species, unsigned number)
{
	struct thing *thing = have(staying->story, species, number);

	if (thing)
		staying->things[staying->count++] = thing;
}

/* A table that goes lets go of its subnets. */
static void find_table(struct staying *staying)
{
	for (unsigned number = 0; number < SUBNETS; number++)
		(void)have(staying->story, SPECIES_SUBNET, number);
	add(staying, SPECIES_ROUTE_TABLE, 0);
	while (staying->count > 0 && route_table_subnets(staying->things[0]) < SUBNETS_OF_TABLE)
		staying->things[0]->parts++;
}

/* Of two groups that name one another each lets go of its rule about the other one. */
static void find_groups(struct staying *staying)
{
	add(staying, SPECIES_GROUP, 2);
	add(staying, SPECIES_GROUP, 3);
}

/* One subnet more, or less, or another one. */
static void change_table(struct universe *universe)
{
	struct arena arena;

	arena_init(&arena);
	if (chance_one_in(&universe->plot, 2))
		story_set(universe, "aws.route_table", "route-table", "associationSet.0", NULL);
	else
		story_set(universe, "aws.route_table", "route-table", "associationSet.0.subnetId",
			  arena_string(&arena, story_id_at(universe, "aws.subnet.s3", &arena)));
	arena_release(&arena);
}

static void change_groups(struct universe *universe)
{
	story_set_parts(universe, "aws.security_group", "security-group-rule", "groupId", "description", "of others");
}

static const struct stay {
	void (*find)(struct staying *staying);
	void (*change)(struct universe *universe); /* by somebody else */
	const char *leaves;			   /* to others, as the spec says it */
	const char *sets_back;
} stays[] = {
	{find_table, change_table, ", lifecycle: {ignore: [subnets]}", "AssociateRouteTable"},
	{find_groups, change_groups, ", lifecycle: {ignore: [ingress]}", "AuthorizeSecurityGroupIngress"},
};
enum { STAYS = sizeof(stays) / sizeof(stays[0]) };

static void want(const struct staying *staying, bool wanted, const char *more)
{
	for (size_t i = 0; i < staying->count; i++) {
		staying->things[i]->wanted = wanted;
		staying->things[i]->more = more;
	}
	story_save_spec(staying->story);
}

/* True where somebody else had a hand in it. */
static bool tell(const struct staying *staying, const struct stay *stay)
{
	struct chance *plot = plot_of(staying);
	struct story *story = staying->story;
	bool changed = chance_one_in(plot, 3);

	want(staying, false, NULL);
	story_begin(story, NULL, chance_between(plot, 1, CHANGES_MOST));
	if (changed)
		stay->change(story->universe);
	want(staying, true, stay->leaves);
	if (chance_one_in(plot, 2)) {
		story_run(story, "recover", NULL);
		if (chance_one_in(plot, 2)) {
			stay->change(story->universe);
			changed = true;
		}
	}
	story_begin(story, stay->sets_back, 0);
	if (chance_one_in(plot, 2))
		story_run(story, "recover", NULL);
	return changed;
}

void story_stay(struct story *story)
{
	struct staying staying = {.story = story};

	const struct stay *stay = &stays[chance_between(&story->universe->plot, 0, STAYS - 1)];
	stay->find(&staying);
	story_save_spec(story);
	story_make_peace(story);
	if (story->universe->failure[0] || staying.count == 0)
		return;
	bool changed = tell(&staying, stay);
	universe_pass(story->universe, LEASE_MS);
	if (!changed)
		story_make_peace(story);
	/* What somebody else has made of it the spec sets right. */
	want(&staying, true, NULL);
	story_make_peace(story);
	if (!story->universe->failure[0])
		story_expect_nothing_planned(story);
}
