#include "tests/simulate/judge.h"
#include "tests/simulate/story.h"

/* What nobody saw the answer to was carried out all the same, and goes while it is looked at; or cannot be read when it
 * is looked for, but a moment later. */

enum { LEASE_MS = 40 * 1000 };

static const char network_type[] = "vpc", network_read[] = "DescribeVpcs", network_part_read[] = "DescribeVpcAttribute";
static const char instance_type[] = "instance";

static const struct misfortune unheard = {.sure_change = 1, .sure_mishap = MISHAP_CRASH_ANSWER, .alone = true};

static void change(struct universe *universe, const char *type, struct slice id, const char *path, const char *text)
{
	const struct value_member member = {value_text(path), value_text(text)};
	const struct value attributes = value_map(&member, 1);
	struct diagnostics diagnostics;
	struct arena arena;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	if (!sim_change(universe->sim, slice_of(region_name), slice_of(type), id, &attributes, &diagnostics))
		universe_fail(universe, "the simulator does not take %s at %s", text, path);
	trace_line(&universe->trace, "somebody sets %s of %.*s to %s", path, SLICE_ARGUMENTS(id), text);
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

/* The first network of ours that is not recorded. */
static void remove_network(struct universe *universe)
{
	struct audit_record record;
	struct diagnostics diagnostics;
	struct arena arena;
	struct slice id;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	if (audit_read(&universe->audit, &arena, &record) &&
	    oracle_find_unrecorded(universe, &record, network_type, &arena, &id) &&
	    sim_remove(universe->sim, slice_of(region_name), slice_of(network_type), id, &diagnostics))
		trace_line(&universe->trace, "somebody removes %.*s", SLICE_ARGUMENTS(id));
	audit_leave(&universe->audit);
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

/* A network that nothing else names is made, or deleted, and nobody sees the answer. */
static bool change_network(struct story *story, bool makes)
{
	struct thing *network = blueprint_thing(&story->blueprint, SPECIES_VPC, 1);

	if (!network)
		network = blueprint_add(&story->blueprint, SPECIES_VPC, 1);
	if (!network)
		return false;
	network->wanted = !makes;
	story_save_spec(story);
	story_make_peace(story);
	network->wanted = makes;
	story_save_spec(story);
	story_run(story, "apply --yes", &unheard);
	universe_pass(story->universe, LEASE_MS);
	return true;
}

/* It is refused when it is looked for, and not when all is read. */
static void read_in_vain(struct story *story)
{
	struct universe *universe = story->universe;
	void (*operator)(struct universe *) = universe->operator;
	const struct misfortune goes = {.sure_first = network_part_read, .sure_mishap = MISHAP_OPERATOR};
	int64_t what = chance_between(&universe->plot, 0, 2);

	if (!change_network(story, what > 0))
		return;
	sim_fault(universe->sim, (struct sim_fault){slice_of(network_read), SIM_FAULT_DENY, 1, 1});
	trace_line(&universe->trace, "%s will be denied once", network_read);
	universe->operator= remove_network;
	story_run(story, what == 1 ? "destroy --yes" : "apply --yes", what == 2 ? &goes : NULL);
	universe->operator= operator;
}

/* An instance is to have more addresses, and is on its way out when it is looked whether it has them. */
static void end_changing(struct story *story)
{
	struct universe *universe = story->universe;
	struct blueprint *blueprint = &story->blueprint;
	struct diagnostics diagnostics;
	struct arena arena;

	if (!blueprint_find(blueprint, SPECIES_INSTANCE, 0) ||
	    (blueprint->feature != FEATURE_NONE && blueprint->feature != FEATURE_ADDRESSES6))
		return;
	bool is_new = blueprint->feature == FEATURE_NONE;

	blueprint->feature = FEATURE_ADDRESSES6;
	blueprint->featured = 0;
	story_save_spec(story);
	/* The network's range is the first of all. */
	if (is_new && chance_one_in(&universe->plot, 2)) {
		story_run(story, "apply --yes", &unheard);
		universe_pass(universe, LEASE_MS);
		story_run(story, "recover", NULL);
	}
	story_make_peace(story);
	blueprint->featured++;
	story_save_spec(story);
	story_run(story, "apply --yes", &unheard);
	universe_pass(universe, LEASE_MS);
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	struct slice id = story_id_at(universe, "aws.instance.m0", &arena);

	if (id.size > 0) {
		change(universe, instance_type, id, "instanceState.name", "shutting-down");
		story_run(story, "recover", NULL);
		if (!sim_remove(universe->sim, slice_of(region_name), slice_of(instance_type), id, &diagnostics))
			universe_fail(universe, "the simulator does not remove an instance");
	}
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

void story_vanish(struct story *story)
{
	if (chance_one_in(&story->universe->plot, 2))
		read_in_vain(story);
	else
		end_changing(story);
	universe_pass(story->universe, LEASE_MS);
	story_make_peace(story);
	if (!story->universe->failure[0])
		story_expect_nothing_planned(story);
}
