#include "tests/simulate/judge.h"
#include "tests/simulate/story.h"

/* Somebody else changes what is ours, or takes it away. */

/* What is done to an object. */
struct meddling {
	const char *kind, *type;
	const char *path;  /* NULL: takes the object away */
	const char *value; /* NULL: takes what stands there away */
	const char *only;  /* what the path says now; NULL: anything */
};

/* What is recorded as it stands, in arena. */
static struct audit_record read_record(struct universe *universe, struct arena *arena)
{
	struct audit_record record;

	(void)audit_read(&universe->audit, arena, &record);
	audit_leave(&universe->audit);
	return record;
}

/* The body of a thing of that type, or NULL. */
static const struct value *body_of(struct universe *universe, const char *type, struct slice id, struct arena *arena)
{
	struct value world;

	if (!oracle_look(universe, arena, &world))
		return NULL;
	return value_get(value_get_named(value_get_named(&world, region_name), type), id);
}

static bool says(struct universe *universe, const struct meddling *meddling, struct slice id, struct arena *arena)
{
	const struct value *body = body_of(universe, meddling->type, id, arena);

	return body && slice_is(value_slice(value_path(body, meddling->path)), meddling->only);
}

/* Takes away something of ours that is not recorded yet; false where there is nothing. */
static bool remove_unrecorded(struct universe *universe, const struct audit_record *record, struct arena *arena)
{
	static const char *const types[] = {"key-pair", "customer-gateway", "launch-template", "internet-gateway",
					    NULL};
	struct diagnostics diagnostics;
	struct slice id;
	bool done = false;

	diagnostics_init(&diagnostics, arena);
	for (const char *const *type = types; *type && !done; type++)
		done = oracle_find_unrecorded(universe, record, *type, arena, &id) &&
		       sim_remove(universe->sim, SLICE("us-west-2"), slice_of(*type), id, &diagnostics);
	if (done)
		trace_line(&universe->trace, "somebody removes %.*s", SLICE_ARGUMENTS(id));
	diagnostics_release(&diagnostics);
	return done;
}

/* False where the object is not of that kind, has no id yet, or does not say what it is done to only. */
static bool meddle(struct universe *universe, const struct meddling *meddling, const struct audit_object *object,
		   struct arena *arena)
{
	struct value_member member = {value_text(meddling->path ? meddling->path : ""),
				      meddling->value ? value_text(meddling->value) : value_null()};
	const struct value attributes = value_map(&member, 1);
	struct diagnostics diagnostics;
	struct slice id = object->provider_id;
	bool done;

	if (!slice_is(object->kind, meddling->kind) || id.size == 0 ||
	    (meddling->only && !says(universe, meddling, id, arena)))
		return false;
	diagnostics_init(&diagnostics, arena);
	done = meddling->path
		       ? sim_change(universe->sim, slice_of(region_name), slice_of(meddling->type), id, &attributes,
				    &diagnostics)
		       : sim_remove(universe->sim, slice_of(region_name), slice_of(meddling->type), id, &diagnostics);
	trace_line(&universe->trace, "somebody %s %.*s %s%s: %s", meddling->path ? "sets" : "removes",
		   SLICE_ARGUMENTS(id), meddling->path ? "to " : "", meddling->value ? meddling->value : "",
		   done ? "done" : "there is none");
	universe->is_meddled_with |= done;
	diagnostics_release(&diagnostics);
	return true;
}

/* Does the first that fits to what a call of unknown outcome is about; false where none does. */
static bool meddle_with_open(struct universe *universe, const struct meddling *rows, size_t count,
			     const struct audit_record *record, struct arena *arena)
{
	for (size_t i = 0; i < record->object_count; i++)
		for (size_t k = 0; record->objects[i].is_open && k < count; k++)
			if (meddle(universe, &rows[k], &record->objects[i], arena))
				return true;
	return false;
}

static bool remove_open(struct universe *universe, const struct audit_record *record, struct arena *arena)
{
	static const struct meddling removals[] = {
		{"aws.instance", "instance", NULL, NULL, NULL},
		{"aws.key_pair", "key-pair", NULL, NULL, NULL},
		{"aws.launch_template", "launch-template", NULL, NULL, NULL},
		{"aws.internet_gateway", "internet-gateway", NULL, NULL, NULL},
		{"aws.customer_gateway", "customer-gateway", NULL, NULL, NULL},
	};

	return meddle_with_open(universe, removals, sizeof(removals) / sizeof(removals[0]), record, arena);
}

bool story_end_changing(struct universe *universe)
{
	/* It goes on being listed, by the clock of what is under way. */
	static const struct meddling endings[] = {
		{"aws.vpn_connection", "vpn-connection", "state", "deleting", "modifying"},
		{"aws.instance", "instance", "instanceState.name", "shutting-down", "stopping"},
	};
	struct arena arena;

	arena_init(&arena);
	const struct audit_record record = read_record(universe, &arena);
	bool done = meddle_with_open(universe, endings, sizeof(endings) / sizeof(endings[0]), &record, &arena);
	arena_release(&arena);
	return done;
}

/* Sets what stands there by another value. */
static void set_anew(struct universe *universe, const struct meddling *meddling, const struct audit_object *object,
		     struct arena *arena)
{
	const struct value *body = body_of(universe, meddling->type, object->provider_id, arena);

	if (body && value_path(body, meddling->path))
		(void)meddle(universe, meddling, object, arena);
}

void story_set(struct universe *universe, const char *kind, const char *type, const char *path, const char *value)
{
	const struct meddling meddling = {kind, type, path, value, NULL};
	struct arena arena;

	arena_init(&arena);
	const struct audit_record record = read_record(universe, &arena);
	for (size_t i = 0; i < record.object_count; i++)
		if (slice_is(record.objects[i].kind, kind))
			set_anew(universe, &meddling, &record.objects[i], &arena);
	arena_release(&arena);
}

/* The same of all of a type that say under owner that they are its parts. */
static void meddle_with_parts(struct universe *universe, const struct meddling *meddling, const char *owner,
			      struct slice id, struct arena *arena)
{
	const struct value *parts = NULL;
	struct value world;

	if (id.size > 0 && oracle_look(universe, arena, &world))
		parts = value_get_named(value_get_named(&world, region_name), meddling->type);
	for (uint32_t i = 0; value_is(parts, VALUE_MAP) && i < parts->count; i++) {
		const struct audit_object part = {.kind = slice_of(meddling->kind),
						  .provider_id = value_slice(&parts->members[i].key)};

		if (slice_equal(value_slice(value_get_named(&parts->members[i].value, owner)), id))
			set_anew(universe, meddling, &part, arena);
	}
}

void story_set_parts(struct universe *universe, const char *kind, const char *type, const char *owner, const char *path,
		     const char *value)
{
	const struct meddling meddling = {kind, type, path, value, NULL};
	struct arena arena;

	arena_init(&arena);
	const struct audit_record record = read_record(universe, &arena);
	for (size_t i = 0; i < record.object_count; i++)
		if (slice_is(record.objects[i].kind, kind))
			meddle_with_parts(universe, &meddling, owner, record.objects[i].provider_id, &arena);
	arena_release(&arena);
}

struct slice story_id_at(struct universe *universe, const char *address, struct arena *arena)
{
	const struct audit_record record = read_record(universe, arena);
	struct slice id = {NULL, 0};

	for (size_t i = 0; i < record.object_count; i++)
		if (slice_is(record.objects[i].address, address))
			id = record.objects[i].provider_id;
	return id;
}

void story_meddle(struct universe *universe)
{
	struct story *story = universe->story;
	static const struct meddling meddlings[] = {
		{"aws.vpc", "vpc", "enableDnsSupport", "false", NULL},
		{"aws.key_pair", "key-pair", NULL, NULL, NULL},
		{"aws.launch_template", "launch-template", NULL, NULL, NULL},
		{"aws.instance", "instance", NULL, NULL, NULL},
		{"aws.internet_gateway", "internet-gateway", NULL, NULL, NULL},
		{"aws.instance", "instance", "monitoring.state", "disabled", NULL},
	};
	const struct meddling *meddling =
		&meddlings[chance_between(&universe->fate, 0, sizeof(meddlings) / sizeof(meddlings[0]) - 1)];
	struct audit_record record;
	struct arena arena;
	bool done = false;

	story->meddled = true;
	arena_init(&arena);
	(void)audit_read(&universe->audit, &arena, &record);
	audit_leave(&universe->audit);
	if (chance_one_in(&universe->fate, 2))
		done = remove_open(universe, &record, &arena) || remove_unrecorded(universe, &record, &arena);
	for (size_t i = 0; !done && i < record.object_count; i++)
		done = meddle(universe, meddling, &record.objects[i], &arena);
	arena_release(&arena);
}

/* Has the tag of that key say another text on a thing, or takes it off. */
static void change_tag(struct universe *universe, const char *type, struct slice id, const char *key, const char *text)
{
	struct arena arena;

	arena_init(&arena);
	const struct value *tags = value_get_named(body_of(universe, type, id, &arena), "tagSet");

	for (uint32_t i = 0; value_is(tags, VALUE_LIST) && i < tags->count; i++) {
		if (!slice_is(value_slice(value_get_named(&tags->items[i], "key")), key))
			continue;
		struct value_member member = {
			value_string(arena_format(&arena, "tagSet.%u%s", i, text ? ".value" : "")),
			text ? value_text(text) : value_null()};
		const struct value attributes = value_map(&member, 1);
		struct diagnostics diagnostics;

		diagnostics_init(&diagnostics, &arena);
		if (!sim_change(universe->sim, slice_of(region_name), slice_of(type), id, &attributes, &diagnostics))
			universe_fail(universe, "the simulator does not change a tag");
		diagnostics_release(&diagnostics);
		trace_line(&universe->trace, "somebody has the tag %s of %.*s say '%s'", key, SLICE_ARGUMENTS(id),
			   text ? text : "");
	}
	arena_release(&arena);
}

void story_change_tags(struct universe *universe, const char *key, const char *text)
{
	static const struct {
		const char *kind, *type;
	} rows[] = {{"aws.vpc", "vpc"},
		    {"aws.subnet", "subnet"},
		    {"aws.customer_gateway", "customer-gateway"},
		    {"aws.security_group", "security-group"}};
	struct arena arena;

	arena_init(&arena);
	const struct audit_record record = read_record(universe, &arena);
	for (size_t i = 0; i < record.object_count; i++)
		for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
			if (slice_is(record.objects[i].kind, rows[k].kind) && record.objects[i].provider_id.size > 0)
				change_tag(universe, rows[k].type, record.objects[i].provider_id, key, text);
	arena_release(&arena);
}
