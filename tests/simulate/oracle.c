#include "tests/simulate/judge.h"

#include <stdio.h>
#include <string.h>

#include "reconcile/recover.h"

const char oracle_secret[] = "unguessable_sesame";
const char oracle_start[] = "unforeseeable_start";
const char oracle_start_sent[] = "a2V5IHVuZm9yZXNlZWFibGVfc3RhcnQ=";

const char region_name[] = "us-west-2";

/* Types of the simulator that belong to somebody: not to the API, nor to another thing. */
static const char *const types[] = {
	"vpc",
	"subnet",
	"internet-gateway",
	"route-table",
	"security-group",
	"vpn-gateway",
	"customer-gateway",
	"vpn-connection",
	"key-pair",
	"launch-template",
	"instance",
	"auto-scaling-group",
	"volume",
	NULL,
};

bool oracle_look(struct universe *universe, struct arena *arena, struct value *ret)
{
	struct diagnostics diagnostics;
	bool good;

	diagnostics_init(&diagnostics, arena);
	good = sim_show(universe->sim, arena, ret, &diagnostics);
	diagnostics_release(&diagnostics);
	if (!good)
		universe_fail(universe, "the simulator cannot be looked at");
	return good;
}

/* What comes with a VPC and goes with it. */
static bool is_default(struct slice type, const struct value *body)
{
	return (slice_is(type, "security-group") &&
		slice_is(value_slice(value_get_named(body, "groupName")), "default")) ||
	       (slice_is(type, "route-table") &&
		slice_is(value_slice(value_path(body, "associationSet.0.main")), "true"));
}

/* Launched by a group, or the disk of an instance. */
static bool is_offspring(struct slice type, const struct value *body)
{
	const struct value *tags = value_get_named(body, "tagSet");

	if (slice_is(type, "volume"))
		return true;
	for (uint32_t i = 0; value_is(tags, VALUE_LIST) && i < tags->count; i++)
		if (slice_is(value_slice(value_get_named(&tags->items[i], "key")), "aws:autoscaling:groupName"))
			return true;
	return false;
}

/* A disk that was told to outlive its instance, and does. */
static bool is_left_behind(struct slice type, const struct value *body)
{
	const struct value *attachments = value_get_named(body, "attachmentSet");

	return slice_is(type, "volume") && value_is(attachments, VALUE_LIST) && attachments->count == 0;
}

static bool is_recorded(const struct sight *sight, struct slice id, const struct value *body)
{
	static const char *const names[] = {"keyName", "AutoScalingGroupName", "launchTemplateName", NULL};

	for (size_t i = 0; i < sight->record.object_count; i++) {
		struct slice recorded = sight->record.objects[i].provider_id;

		if (slice_equal(recorded, id))
			return true;
		for (const char *const *name = names; recorded.size > 0 && *name; name++)
			if (slice_equal(recorded, value_slice(value_get_named(body, *name))))
				return true;
	}
	return false;
}

/* Of each type, everything that is there and neither foreign nor recorded. */
static void judge_strays(const struct sight *sight, const struct foreign *foreign)
{
	for (const char *const *type = types; *type; type++) {
		const struct value *things = value_get_named(sight->region, *type);
		struct slice name = slice_of(*type);

		for (uint32_t i = 0; value_is(things, VALUE_MAP) && i < things->count; i++) {
			struct slice id = value_slice(&things->members[i].key);
			const struct value *body = &things->members[i].value;

			if (foreign_is_one(foreign, name, id) || body_is_gone(body) || is_left_behind(name, body) ||
			    is_recorded(sight, id, body) ||
			    (sight->record.object_count > 0 && (is_default(name, body) || is_offspring(name, body))))
				continue;
			universe_fail(sight->universe, "strays: %.*s is there and not recorded", SLICE_ARGUMENTS(id));
		}
	}
}

/* The body of a recorded object, wherever it is. */
static const struct value *find_body(const struct sight *sight, struct slice provider_id)
{
	for (const char *const *type = types; *type; type++) {
		const struct value *things = value_get_named(sight->region, *type);

		for (uint32_t i = 0; value_is(things, VALUE_MAP) && i < things->count; i++) {
			const struct value *body = &things->members[i].value;

			if (slice_equal(provider_id, value_slice(&things->members[i].key)) ||
			    (provider_id.size > 0 &&
			     slice_equal(provider_id, value_slice(value_get_named(body, "AutoScalingGroupName")))))
				return body;
		}
	}
	return NULL;
}

static void judge_blueprint(const struct sight *sight)
{
	size_t wanted = blueprint_size(sight->blueprint);

	for (size_t i = 0; i < sight->blueprint->count; i++) {
		const struct thing *thing = &sight->blueprint->things[i];
		const struct audit_object *object;
		const struct value *body;
		char address[THING_ADDRESS_BYTES];

		if (!blueprint_has(sight->blueprint, thing))
			continue;
		thing_address(thing, address);
		object = sight_recorded(sight, address);
		body = object ? find_body(sight, object->provider_id) : NULL;
		if (!object)
			universe_fail(sight->universe, "record: %s is not recorded", address);
		else if (!body || body_is_gone(body))
			universe_fail(sight->universe, "world: %s ('%.*s') is not there", address,
				      SLICE_ARGUMENTS(object->provider_id));
		else
			judge_thing(sight, thing, body);
	}
	if (sight->record.object_count != wanted)
		universe_fail(sight->universe, "record: %zu objects are recorded instead of %zu",
			      sight->record.object_count, wanted);
	if (sight->record.intent_count > 0)
		universe_fail(sight->universe, "record: %zu intents are still open", sight->record.intent_count);
}

static bool take_sight(struct universe *universe, struct arena *arena, const struct blueprint *blueprint,
		       struct sight *ret)
{
	struct value *world = arena_new(arena, struct value);

	*ret = (struct sight){.universe = universe, .blueprint = blueprint, .arena = arena};
	if (!oracle_look(universe, arena, world))
		return false;
	ret->region = value_get_named(world, region_name);
	if (!audit_read(&universe->audit, arena, &ret->record)) {
		universe_fail(universe, "record: the state file cannot be read");
		return false;
	}
	audit_leave(&universe->audit);
	return true;
}

void oracle_number(struct universe *universe, enum feature feature)
{
	const struct feature_row *row = &feature_rows[feature];
	const struct value *instances;
	struct arena arena;
	struct value all;

	/* Requests that come late or twice add twice. */
	if (universe->may_double)
		return;
	arena_init(&arena);
	instances = oracle_look(universe, &arena, &all)
			    ? value_get_named(value_get_named(&all, region_name), "instance")
			    : NULL;
	for (uint32_t i = 0; value_is(instances, VALUE_MAP) && i < instances->count; i++) {
		const struct value *list = value_path(&instances->members[i].value, row->list);

		if (value_is(list, VALUE_LIST) && list->count > row->most)
			universe_fail(universe, "world: %u are at %s, though never more than %u were wanted",
				      list->count, row->list, row->most);
	}
	arena_release(&arena);
}

void oracle_world(struct universe *universe, const struct blueprint *blueprint, const struct foreign *foreign)
{
	struct arena arena;
	struct sight sight;

	arena_init(&arena);
	if (take_sight(universe, &arena, blueprint, &sight)) {
		judge_blueprint(&sight);
		judge_strays(&sight, foreign);
		foreign_judge(universe, foreign, sight.region);
	}
	arena_release(&arena);
}

void oracle_nothing(struct universe *universe, const struct foreign *foreign)
{
	struct arena arena;
	struct sight sight;

	arena_init(&arena);
	if (take_sight(universe, &arena, NULL, &sight)) {
		if (sight.record.object_count > 0)
			universe_fail(universe, "destroy: %zu objects are still recorded", sight.record.object_count);
		if (sight.record.intent_count > 0)
			universe_fail(universe, "destroy: %zu intents are still open", sight.record.intent_count);
		judge_strays(&sight, foreign);
		foreign_judge(universe, foreign, sight.region);
	}
	arena_release(&arena);
}

void oracle_recorded(struct universe *universe, const struct foreign *foreign)
{
	struct arena arena;
	struct sight sight;

	arena_init(&arena);
	if (take_sight(universe, &arena, NULL, &sight)) {
		if (sight.record.intent_count > 0)
			universe_fail(universe, "drift: it is green, and %zu intents are open",
				      sight.record.intent_count);
		judge_strays(&sight, foreign);
	}
	arena_release(&arena);
}

bool oracle_find_unrecorded(struct universe *universe, const struct audit_record *record, const char *type,
			    struct arena *arena, struct slice *ret_id)
{
	struct sight sight = {.universe = universe, .arena = arena, .record = *record};
	const struct value *things;
	struct value world;

	if (record->lineage.size == 0 || !oracle_look(universe, arena, &world))
		return false;
	things = value_get_named(value_get_named(&world, region_name), type);
	for (uint32_t i = 0; value_is(things, VALUE_MAP) && i < things->count; i++) {
		const struct value *body = &things->members[i].value;

		*ret_id = value_slice(&things->members[i].key);
		if (slice_equal(foreign_tag_of(body, "trueup:stack"), record->lineage) && !body_is_gone(body) &&
		    !is_recorded(&sight, *ret_id, body))
			return true;
	}
	return false;
}

/* Whether something else there bears the tag of the same call. */
static bool has_brother(const struct value *things, struct slice id, struct slice intent)
{
	for (uint32_t i = 0; i < things->count; i++)
		if (!slice_equal(value_slice(&things->members[i].key), id) &&
		    slice_equal(foreign_tag_of(&things->members[i].value, "trueup:intent"), intent))
			return true;
	return false;
}

/* Of a call that was given up one thing is taken for what it was to make, however late it came. Of what is claimed by
 * more than one a rebuild records none, and leaves it to people. */
static bool is_too_late(struct audit *audit, const struct value *things, struct slice id, int64_t until_ms)
{
	struct slice intent = foreign_tag_of(value_get(things, id), "trueup:intent");

	return audit_is_settled(audit, intent, "done", until_ms) || audit_is_let_go(audit, id) ||
	       (audit_is_settled(audit, intent, "absent", until_ms) && has_brother(things, id, intent));
}

const char *oracle_find_late(struct universe *universe, const struct foreign *foreign, struct slice id)
{
	enum { CLAIMED_MS = 60 * 60 * 1000 };
	int64_t until_ms = universe_wall_ms(universe) - CLAIMED_MS;
	const char *found = NULL;
	struct arena arena;
	struct value world;

	arena_init(&arena);
	bool seen = oracle_look(universe, &arena, &world);
	for (const char *const *type = types; seen && *type && !found; type++) {
		const struct value *things = value_get_named(value_get_named(&world, region_name), *type);
		const struct value *body = value_is(things, VALUE_MAP) ? value_get(things, id) : NULL;

		if (body && !foreign_is_one(foreign, slice_of(*type), id) &&
		    is_too_late(&universe->audit, things, id, until_ms))
			found = *type;
	}
	audit_leave(&universe->audit);
	arena_release(&arena);
	return found;
}

void oracle_outcomes(struct universe *universe)
{
	for (size_t i = 0; i < universe->sent.unsure_count; i++)
		if (audit_is_settled(&universe->audit, slice_of(universe->sent.unsure[i]), "failed", INT64_MAX))
			universe_fail(universe, "unknown: the call of intent %s was not answered and counts as failed",
				      universe->sent.unsure[i]);
	audit_leave(&universe->audit);
}

static bool is_missing(const void *context, const struct audit_settled *settled)
{
	return sent_is_missing(context, settled->intent);
}

/* What is gone with its object, or has none any more, takes no waiting for. */
static bool is_given_up_early(const void *context, const struct audit_settled *settled)
{
	bool is_waited_for = slice_starts_with(settled->note, SLICE("nothing shows that it was done")) ||
			     slice_starts_with(settled->note, SLICE("there is no such object"));
	int64_t last_ms;

	return is_waited_for && sent_last(context, settled->intent, &last_ms) &&
	       settled->ended_ms - last_ms < RECOVER_GRACE_MS - SENT_RECORDED_MOST_MS;
}

void oracle_settled(struct universe *universe)
{
	char operation[AUDIT_OPERATION_BYTES];

	/* What others did may be what the call was to do. */
	if (!universe->is_meddled_with &&
	    audit_find_settled(&universe->audit, "done", is_missing, &universe->sent, operation))
		universe_fail(universe, "unseen: %s counts as done by what was read, and never came to anything",
			      operation);
	/* By such a clock nobody can tell how long ago it was. */
	if (!universe->is_clock_set &&
	    audit_find_settled(&universe->audit, "absent", is_given_up_early, &universe->sent, operation))
		universe_fail(universe, "given up: %s, before what was sent last may have come", operation);
	audit_leave(&universe->audit);
}

bool oracle_is_done(struct universe *universe, struct slice intent)
{
	bool is_done = audit_is_settled(&universe->audit, intent, "done", INT64_MAX);

	audit_leave(&universe->audit);
	return is_done;
}

static const char *const forms_of_secrets[] = {oracle_secret, oracle_start, oracle_start_sent};
enum { FORMS = sizeof(forms_of_secrets) / sizeof(forms_of_secrets[0]) };

void oracle_secrets(struct universe *universe)
{
	const char *path = NULL;

	for (size_t i = 0; i < FORMS && !path; i++)
		path = disk_search(&universe->disk, slice_of(forms_of_secrets[i]));
	if (path)
		universe_fail(universe, "secrets: the secret stands in '%s'", path);
	path = shown_search(&universe->shown, &universe->disk);
	if (path)
		universe_fail(universe, "secrets: a key that was shown once stands in '%s'", path);
}

void oracle_output(struct universe *universe, const char *line, struct slice output)
{
	for (size_t i = 0; i < FORMS; i++)
		if (slice_contains(output, slice_of(forms_of_secrets[i])))
			universe_fail(universe, "secrets: 'trueup %s' has shown the secret", line);
	if (shown_contains(&universe->shown, output))
		universe_fail(universe, "secrets: 'trueup %s' has shown a key that was shown once", line);
	/* What was sent once and lost is looked up, not made anew. */
	if (!universe->may_double && slice_contains(output, SLICE("by a call that came late")))
		universe_fail(universe, "twins: 'trueup %s' found what nothing but itself can have made twice", line);
	if (slice_contains(output, SLICE("that will never come")))
		universe_fail(universe, "stuck: 'trueup %s' has tasks that wait for nothing", line);
}
