#include "cli/command_list.h"
#include "cli/invocation.h"
#include "cli/sim_tags.h"
#include "cli/simulated_place.h"

enum { WORDS_MOST = 64, VALUE_LIMIT_BYTES = 1024 * 1024, SHOW_LIMIT_BYTES = 512 * 1024 * 1024 };

/* What one verb works on. */
struct handling {
	struct invocation *invocation;
	struct sim *sim;
	struct slice region;
	const struct slice *words; /* behind the verb */
	size_t count;
	struct report *report;
	struct buffer *text;
};

struct verb {
	const char *name;
	const char *usage;
	size_t least, most;
	bool makes; /* also the world itself, where there is no such file */
	bool (*run)(struct handling *handling);
};

static bool show(struct handling *handling)
{
	struct arena *arena = handling->invocation->arena;
	struct json_style pretty = {.pretty = true};
	struct value world;
	VALUE_BUILDER_AUTO regions;

	value_builder_init(&regions);
	if (handling->count > 0 && !sim_type_check(handling->words[0], handling->invocation->diagnostics))
		return false;
	if (!sim_show(handling->sim, arena, &world, handling->invocation->diagnostics))
		return false;
	for (uint32_t i = 0; i < world.count; i++) {
		const struct value_member *region = &world.members[i];
		VALUE_BUILDER_AUTO types;

		value_builder_init(&types);
		if (handling->region.size > 0 && !slice_equal(handling->region, value_slice(&region->key)))
			continue;
		for (uint32_t k = 0; k < region->value.count; k++)
			if (handling->count == 0 ||
			    slice_equal(handling->words[0], value_slice(&region->value.members[k].key)))
				value_builder_member(&types, value_slice(&region->value.members[k].key),
						     region->value.members[k].value);
		if (types.count > 0)
			value_builder_member(&regions, value_slice(&region->key), value_builder_map(&types, arena));
	}
	struct value_member member = {value_text("world"), value_builder_map(&regions, arena)};
	struct value_member *members = arena_new(arena, struct value_member);
	*members = member;
	handling->report->data = value_map(members, 1);
	render_as_json(handling->text, &member.value, &pretty);
	buffer_byte(handling->text, '\n');
	return true;
}

/* JSON where it is JSON, else a text as it stands. */
static struct value read_value(struct arena *arena, struct slice text)
{
	struct diagnostics findings;
	struct value value;

	diagnostics_init(&findings, arena);
	if (!json_read(arena, text, false, VALUE_LIMIT_BYTES, "the value", &value, &findings))
		value = value_string(text);
	diagnostics_release(&findings);
	return value;
}

/* NAME=VALUE as often as there are words from `first` on. */
static bool read_attributes(struct handling *handling, size_t first, const struct value *thing, struct value *ret)
{
	struct arena *arena = handling->invocation->arena;
	VALUE_BUILDER_AUTO builder;
	size_t tags_added = 0;

	value_builder_init(&builder);
	for (size_t i = first; i < handling->count; i++) {
		struct slice value = handling->words[i];
		struct slice name = slice_cut(&value, '=');

		if (name.size == 0 || !value.data)
			return diag_error(handling->invocation->diagnostics, FAULT_USAGE, NOWHERE,
					  "an attribute is NAME=VALUE, not '%.*s'",
					  SLICE_ARGUMENTS(handling->words[i]));
		if (slice_starts_with(name, SLICE("tags.")))
			attribute_of_tag(&builder, thing, slice_from(name, 5), value, &tags_added, arena);
		else
			value_builder_set(&builder, name, read_value(arena, value));
	}
	*ret = value_builder_map(&builder, arena);
	return true;
}

/* The attributes of a thing as sim_show() gives them, or NULL. */
static const struct value *find_thing(struct handling *handling, struct slice type, struct slice id)
{
	struct value *world = arena_new(handling->invocation->arena, struct value);

	if (!sim_show(handling->sim, handling->invocation->arena, world, handling->invocation->diagnostics))
		return NULL;
	for (uint32_t i = 0; i < world->count; i++) {
		const struct value_member *region = &world->members[i];
		const struct value *thing = value_get(value_get(&region->value, type), id);

		if (thing && (handling->region.size == 0 || slice_equal(handling->region, value_slice(&region->key))))
			return thing;
	}
	return NULL;
}

static bool change(struct handling *handling)
{
	struct slice type = handling->words[0], id = handling->words[1];
	struct value attributes;

	if (!read_attributes(handling, 2, find_thing(handling, type, id), &attributes) ||
	    !sim_change(handling->sim, handling->region, type, id, &attributes, handling->invocation->diagnostics))
		return false;
	buffer_format(handling->text, "changed %.*s %.*s\n", SLICE_ARGUMENTS(type), SLICE_ARGUMENTS(id));
	return true;
}

/* Where a provider without a region of its own looks, too. */
static struct slice region_of(const struct handling *handling)
{
	struct world *world = handling->invocation->world;
	struct slice region = slice_of(world->environment(world, "AWS_REGION"));

	if (handling->region.size > 0)
		return handling->region;
	return region.size > 0 ? region : slice_of(world->environment(world, "AWS_DEFAULT_REGION"));
}

static bool add(struct handling *handling)
{
	struct slice type = handling->words[0];
	bool named = handling->count > 1 && !slice_contains(handling->words[1], SLICE("="));
	struct slice id = named ? handling->words[1] : (struct slice){NULL, 0};
	struct value attributes;

	if (!read_attributes(handling, named ? 2 : 1, NULL, &attributes) ||
	    !sim_add(handling->sim, handling->invocation->arena, region_of(handling), type, id, &attributes, &id,
		     handling->invocation->diagnostics))
		return false;
	buffer_format(handling->text, "added %.*s %.*s\n", SLICE_ARGUMENTS(type), SLICE_ARGUMENTS(id));
	return true;
}

static bool remove_thing(struct handling *handling)
{
	struct slice type = handling->words[0], id = handling->words[1];

	if (!sim_remove(handling->sim, handling->region, type, id, handling->invocation->diagnostics))
		return false;
	buffer_format(handling->text, "removed %.*s %.*s\n", SLICE_ARGUMENTS(type), SLICE_ARGUMENTS(id));
	return true;
}

/* The world's own form of "for ever" is 0; whoever counts to it means something else. */
static bool check_count(struct handling *handling, const struct value *attributes)
{
	const struct value *count = value_get_named(attributes, "count");

	if (handling->count < 4 || !value_is(count, VALUE_INTEGER) || count->integer != 0)
		return true;
	diag_error(handling->invocation->diagnostics, FAULT_USER, NOWHERE,
		   "'count' of a fault is a whole number from 1 on");
	diag_hint(handling->invocation->diagnostics, "leave it out for every such call from there on");
	return false;
}

/* A fault is a thing of the world too, so that it holds for the runs that follow. */
static bool fault(struct handling *handling)
{
	static const char *const names[] = {"action", "kind", "first", "count"};
	static const char *const otherwise[] = {"*", "error", "1", "0"};
	struct arena *arena = handling->invocation->arena;
	struct slice id = {NULL, 0};
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		value_builder_member(&builder, slice_of(names[i]),
				     i < handling->count ? read_value(arena, handling->words[i])
							 : value_text(otherwise[i]));
	struct value attributes = value_builder_map(&builder, arena);
	if (!check_count(handling, &attributes) || !sim_add(handling->sim, arena, handling->region, SLICE("fault"), id,
							    &attributes, &id, handling->invocation->diagnostics))
		return false;
	buffer_format(handling->text, "added fault %.*s\n", SLICE_ARGUMENTS(id));
	return true;
}

static bool pass(struct handling *handling)
{
	int64_t seconds = 0;

	if (!slice_integer(handling->words[0], &seconds) || seconds < 0 || seconds > INT32_MAX)
		return diag_error(handling->invocation->diagnostics, FAULT_USAGE, NOWHERE,
				  "'%.*s' is no number of seconds", SLICE_ARGUMENTS(handling->words[0]));
	return sim_pass(handling->sim, seconds * 1000, handling->invocation->diagnostics);
}

static const struct verb verbs[] = {
	{"show", "show [TYPE]", 0, 1, false, show},
	{"change", "change TYPE ID NAME=VALUE ...", 3, WORDS_MOST, false, change},
	{"add", "add TYPE [ID] [NAME=VALUE ...]", 1, WORDS_MOST, true, add},
	{"remove", "remove TYPE ID", 2, 2, false, remove_thing},
	{"fault", "fault ACTION KIND [FIRST [COUNT]]", 2, 4, false, fault},
	{"pass", "pass SECONDS", 1, 1, false, pass},
};

enum { VERB_COUNT = sizeof(verbs) / sizeof(verbs[0]) };

static const struct verb *verb_named(struct slice name)
{
	for (size_t i = 0; i < VERB_COUNT; i++)
		if (slice_is(name, verbs[i].name))
			return &verbs[i];
	return NULL;
}

/* The first word is the world's file, unless it is a verb: then AWS_ENDPOINT_URL names it. */
static const char *endpoint_of(struct invocation *invocation, size_t *ret_first)
{
	const struct arguments *arguments = invocation->arguments;
	struct slice file = arguments->operands[0];
	const char *given = invocation->world->environment(invocation->world, "AWS_ENDPOINT_URL");

	if (!verb_named(file)) {
		*ret_first = 1;
		if (endpoint_is_simulated(file))
			file = endpoint_file(file);
		return arena_text(invocation->arena, "sim:%.*s", SLICE_ARGUMENTS(file));
	}
	*ret_first = 0;
	if (endpoint_file(slice_of(given)).size > 0)
		return simulated_place_open(invocation->simulated->folder, slice_of(given), invocation->arena);
	diag_error(invocation->diagnostics, FAULT_USAGE, NOWHERE, "which simulated world is meant?");
	diag_hint(invocation->diagnostics, "name its file: trueup sim FILE %.*s, or set AWS_ENDPOINT_URL=sim:FILE",
		  SLICE_ARGUMENTS(file));
	return NULL;
}

static const struct verb *find_verb(struct invocation *invocation, size_t first, size_t count)
{
	const struct slice *words = invocation->arguments->operands + first;
	const struct verb *verb = count > 0 ? verb_named(words[0]) : NULL;
	struct slice names[VERB_COUNT];

	if (verb && count - 1 >= verb->least && count - 1 <= verb->most)
		return verb;
	if (verb) {
		diag_error(invocation->diagnostics, FAULT_USAGE, NOWHERE, "'trueup sim %s' takes other arguments",
			   verb->name);
		diag_hint(invocation->diagnostics, "usage: trueup sim [FILE] %s", verb->usage);
		return NULL;
	}
	for (size_t i = 0; i < VERB_COUNT; i++)
		names[i] = slice_of(verbs[i].name);
	diag_error(invocation->diagnostics, FAULT_USAGE, NOWHERE, "'trueup sim' lacks a verb it knows");
	int nearest = count > 0 ? slice_nearest(words[0], names, VERB_COUNT) : -1;
	diag_hint(invocation->diagnostics, "usage: trueup sim [FILE] %s", verbs[nearest >= 0 ? nearest : 0].usage);
	return NULL;
}

/* One that the environment names is that of the next plan, which makes it too. */
static bool check_world(struct invocation *invocation, const char *endpoint, const struct verb *verb, bool named)
{
	struct slice file = endpoint_file(slice_of(endpoint));

	if (!named || verb->makes || sim_is_there(endpoint))
		return true;
	diag_error(invocation->diagnostics, FAULT_ABSENT, NOWHERE, "there is no simulated world '%.*s'",
		   SLICE_ARGUMENTS(file));
	diag_hint(invocation->diagnostics, "check the spelling; a plan with AWS_ENDPOINT_URL=sim:FILE makes one, and "
					   "so does 'trueup sim FILE add'");
	return false;
}

static int run_sim(struct invocation *invocation)
{
	size_t first = 0;
	struct sim *sim = NULL;
	const char *endpoint = endpoint_of(invocation, &first);
	size_t count = invocation->arguments->operand_count - first;
	const struct verb *verb = endpoint ? find_verb(invocation, first, count) : NULL;
	struct report report = invocation_report(invocation);
	BUFFER_AUTO text;

	buffer_init(&text, SHOW_LIMIT_BYTES);
	if (!verb)
		return invocation_fail(invocation, STATUS_USAGE);
	if (!check_world(invocation, endpoint, verb, first > 0) ||
	    !sim_open(endpoint, invocation->world, &sim, invocation->diagnostics))
		return invocation_fail(invocation, STATUS_ERROR);
	struct handling handling = {
		.invocation = invocation,
		.sim = sim,
		.region = arguments_text(invocation->arguments, FLAG_REGION, NULL),
		.words = invocation->arguments->operands + first + 1,
		.count = count - 1,
		.report = &report,
		.text = &text,
	};
	int status = verb->run(&handling) ? STATUS_FINE : STATUS_ERROR;
	sim_close(sim);
	report.text = buffer_slice(&text);
	return invocation_end(invocation, &report, status);
}

static const enum flag_id sim_flags[] = {FLAG_REGION};

const struct command command_sim = {
	.name = "sim",
	.about = "show a simulated world, and change things in it behind everybody's back",
	.operands = "[FILE] show|change|add|remove|fault|pass ...",
	.details =
		"  show [TYPE]                        everything in it, as JSON\n"
		"  change TYPE ID NAME=VALUE ...      a dotted name reaches inside; tags.NAME=VALUE sets a tag;\n"
		"                                     null as the value takes away\n"
		"  add TYPE [ID] [NAME=VALUE ...]     in the region of --region or AWS_REGION; types beside the API's\n"
		"                                     own: machine, access_key, settings, which lie in none\n"
		"  remove TYPE ID                     without a trace\n"
		"  fault ACTION KIND [FIRST [COUNT]]  from the FIRST such call on, COUNT times or for ever: deny,\n"
		"                                     throttle, error, unavailable, refused, lost_request,\n"
		"                                     lost_answer, half_answer, html, stale, fails_later, lingers,\n"
		"                                     huge, unsupported\n"
		"  pass SECONDS                       let time pass\n"
		"\nWithout FILE the world is the one that AWS_ENDPOINT_URL=sim:FILE names, beside the\n"
		"spec: in the folder that -C names, or this one. A FILE that is not there is made by 'add'.\n",
	.least_operands = 1,
	.most_operands = WORDS_MOST,
	.flags = sim_flags,
	.flag_count = sizeof(sim_flags) / sizeof(sim_flags[0]),
	.run = run_sim,
};
