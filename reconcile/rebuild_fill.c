#include "reconcile/diff_field.h"
#include "reconcile/made.h"
#include "reconcile/own_items.h"
#include "reconcile/rebuild_parts.h"
#include "reconcile/released.h"
#include "reconcile/schema.h"
#include "reconcile/secret_marks.h"
#include "reconcile/secret_places.h"

/* What the records hold of each object: what was recorded, or else what the spec says, as far as what is there says the
 * same. */

struct filling {
	struct rebuilding *rebuilding;
	struct diagnostics *diagnostics;
	const struct map *resources; /* see stack_addresses() */
	struct map spare;
	struct map by_address; /* to struct object */
	struct map by_id;      /* by kind and id, to struct object */
};

static const struct value *output_of(void *context, struct slice address, struct slice name)
{
	const struct filling *filling = (const struct filling *)context;
	const struct object *object = map_get(&filling->by_address, address);

	return object ? value_get(&object->outputs, name) : NULL;
}

static const struct digest *outputs_of(void *context, struct slice address)
{
	const struct filling *filling = (const struct filling *)context;
	const struct object *object = map_get(&filling->by_address, address);

	return object ? &object->outputs_digest : NULL;
}

static bool is_read(const struct live *live)
{
	return live && live->presence == PRESENCE_PRESENT;
}

/* Of what could not be read, and was not recorded, the id is known, which is the first of a kind's outputs. */
static struct value outputs_known(const struct rebuilding *rebuilding, const struct object *object,
				  const struct kind *kind, const struct live *live)
{
	const struct object *kept = rebuild_kept(rebuilding, object);
	struct value_member *id;

	if (is_read(live) && value_is(&live->outputs, VALUE_MAP))
		return live->outputs;
	if (kept)
		return kept->outputs;
	if (!kind || kind->outputs.count == 0)
		return value_map(NULL, 0);
	id = arena_new(rebuilding->arena, struct value_member);
	*id = (struct value_member){value_text(output_at(&kind->outputs, 0)->name), value_string(object->provider_id)};
	return value_map(id, 1);
}

static void fill_outputs(const struct filling *filling, struct object *object, const struct kind *kind,
			 const struct live *live)
{
	struct arena scratch;

	arena_init(&scratch);
	object->outputs = outputs_known(filling->rebuilding, object, kind, live);
	object->outputs_digest =
		digest_of(json_canonical(&scratch, &object->outputs, filling->rebuilding->secrets.style));
	arena_release(&scratch);
}

/* In the form that it is applied in, where that is known already. */
static bool resolve(struct filling *filling, const struct resource *resource, struct value *ret)
{
	const struct rebuilding *rebuilding = filling->rebuilding;
	struct output_source source = {filling, output_of};
	struct diagnostics findings;

	if (!rebuilding->resolver->resolve(rebuilding->resolver, &resource->desired, &source, rebuilding->arena, ret,
					   filling->diagnostics))
		return false;
	struct value canonical;
	diagnostics_init(&findings, rebuilding->arena);
	/* What is wrong with it is the next plan's to tell. */
	if (schema_check(resource->kind, ret, rebuilding->arena, &canonical, &findings))
		*ret = canonical;
	diagnostics_release(&findings);
	return true;
}

enum standing {
	STANDS,	 /* there as the spec says */
	ASSUMED, /* nobody can tell */
	DIFFERS,
};

/* Also where the other end says more, which a read shows here as well (MIRRORED). */
static bool is_mirrored_whole(const struct field *field, const struct value *wanted, const struct value *live)
{
	if (!(field->flags & MIRRORED) || !live || !value_is(wanted, VALUE_LIST))
		return false;
	for (uint32_t i = 0; i < wanted->count; i++)
		if (!value_holds(live, &wanted->items[i]))
			return false;
	return true;
}

static enum standing standing_of(const struct field *field, const struct value *wanted, const struct value *live)
{
	if (field->flags & WRITE_ONLY)
		return ASSUMED;
	/* Whoever else looks after it may have moved it since. */
	if ((field->flags & OBSERVED) || is_mirrored_whole(field, wanted, live))
		return STANDS;
	switch (diff_field(field, wanted, live)) {
	case LIKE:
		return STANDS;
	case LIKE_UNREAD:
		return ASSUMED;
	case LIKE_UNKNOWN:
	case UNLIKE:
		break;
	}
	return DIFFERS;
}

/* What was to be put into a file that is not there is nowhere, nor is what came late. Whether a program was given it
 * nobody can tell. */
static bool is_lost(const struct rebuilding *rebuilding, const struct object *object, const struct live *live,
		    const struct field *field, const struct value *wanted)
{
	bool is_shown = strcmp(field->name, SECRET_TO) == 0 && object->role == OBJECT_CURRENT;
	const struct value *file = is_shown ? value_get_named(wanted, "file") : NULL;
	bool unseen =
		is_shown && live->ownership.intent.size > 0 && map_has(rebuilding->unseen, live->ownership.intent);

	return unseen || (file && value_is(file, VALUE_STRING) &&
			  !rebuilding->has_secret(rebuilding->context, value_slice(file)));
}

/*
 * What was read only because the spec sets it, and is not recorded as applied: nothing reads it again to see whether it
 * has changed.
 */
static bool is_read_no_more(const struct rebuilding *rebuilding, const struct kind *kind, const struct value *applied,
			    struct slice name)
{
	const struct provider *provider = providers_find(rebuilding->providers, kind_provider(kind));
	struct value_member alone = {value_string(name), value_text("")};
	const struct value matters = value_map(&alone, 1);

	/* Of one in clear more may be asked, whether it may be shown. */
	alone.value.secret = true;

	return !value_get(applied, name) && provider && provider->needs_detail(kind, &matters);
}

/* What was read comes to rest in the record: with the marks of the secrets that the spec has there. */
static struct value mark(const struct rebuilding *rebuilding, const struct resource *resource,
			 const struct value *resolved, const struct value *fields)
{
	const struct value *models[] = {&resource->desired, resolved};
	const struct fields *of_kind = &resource->kind->fields;
	const struct value put = secret_marks_put(rebuilding->arena, rebuilding->secrets, of_kind, fields, models, 2);

	return secret_places_hide(rebuilding->arena, rebuilding->secrets.style, of_kind, &put, models, 2);
}

/* marked: what was read. */
static struct value seen(const struct rebuilding *rebuilding, const struct resource *resource,
			 const struct value *applied, const struct value *marked)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < marked->count; i++) {
		const struct value_member *member = &marked->members[i];

		if (!value_get(&resource->desired, value_slice(&member->key)) ||
		    !is_read_no_more(rebuilding, resource->kind, applied, value_slice(&member->key)))
			value_builder_member(&builder, value_slice(&member->key), member->value);
	}
	return value_builder_map(&builder, rebuilding->arena);
}

/*
 * Where it was not recorded, nothing tells any more what of it others have put there: what a read shows counts as the
 * object's own, but for what the spec does not set, or ignores and does not name. said: MAP, what the spec says of it;
 * NULL: it does not have it, or another in its place.
 */
static void note_own(const struct filling *filling, struct object *object, const struct kind *kind,
		     const struct value *said)
{
	const struct rebuilding *rebuilding = filling->rebuilding;
	const struct object *former = map_get(&rebuilding->past->by_object_id, object->object_id);
	struct object all = *object;
	VALUE_BUILDER_AUTO own;

	value_builder_init(&own);
	for (size_t i = 0; i < kind->fields.count; i++) {
		const char *name = field_at(&kind->fields, i)->name;
		const struct value *now = value_get_named(&object->observed, name);
		const struct value *wanted = said ? value_get_named(said, name) : now;

		if (now && wanted)
			value_builder_member(&own, slice_of(name),
					     ignored_has(&object->ignored, slice_of(name)) ? *wanted : *now);
	}
	all.resolved = value_builder_map(&own, rebuilding->arena);
	object->own = former ? former->own : own_beside(NULL, kind, &all, object, rebuilding->arena);
	object->released = former && said ? released_after(&former->released, NULL, 0, said, rebuilding->arena)
			   : former	  ? former->released
					  : value_null();
}

/* Of an object the members that the spec names: what else is there, others may have set. */
static struct value named_of(const struct field *field, const struct value *wanted, const struct value *there,
			     struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (field->type != FIELD_OBJECT || !value_is(wanted, VALUE_MAP) || !value_is(there, VALUE_MAP))
		return *there;
	for (uint32_t i = 0; i < there->count; i++) {
		struct slice name = value_slice(&there->members[i].key);
		const struct field *member = field_named(&field->members, name);
		const struct value *said = value_get_given(wanted, name);

		if (member && said)
			value_builder_member(&builder, name, named_of(member, said, &there->members[i].value, arena));
	}
	return value_builder_map(&builder, arena);
}

/*
 * What is there (marked) where the spec says something else: it was set once, or came with the object, and an undoing
 * of the run that changes it goes back to it. False: nothing is, others look after it, or a secret is part of it, and
 * what it was nobody knows.
 */
static bool set_before(const struct object *object, const struct field *field, const struct value *wanted,
		       const struct value *marked, struct arena *arena, struct value *ret)
{
	const struct value *there = field && wanted ? value_get_named(marked, field->name) : NULL;

	if (!value_if_set(there) || value_has_unread(there) || value_has_secret(there) ||
	    value_has_fingerprint(there) || value_has_secret(wanted) ||
	    ignored_has(&object->ignored, slice_of(field->name)))
		return false;
	*ret = named_of(field, wanted, there, arena);
	return true;
}

static bool fill_from_spec(struct filling *filling, struct object *object, const struct resource *resource,
			   const struct live *live)
{
	struct rebuilding *rebuilding = filling->rebuilding;
	VALUE_BUILDER_AUTO applied;
	VALUE_BUILDER_AUTO resolved;
	VALUE_BUILDER_AUTO others; /* of these, those of which the spec says something else */
	bool all = true;
	struct value known;

	value_builder_init(&applied);
	value_builder_init(&resolved);
	value_builder_init(&others);
	if (!resolve(filling, resource, &known))
		return false;
	const struct value marked = mark(rebuilding, resource, &known, &live->fields);
	for (uint32_t i = 0; i < resource->desired.count; i++) {
		struct slice name = value_slice(&resource->desired.members[i].key);
		const struct field *field = field_named(&resource->kind->fields, name);
		const struct value *wanted = value_get(&known, name);
		enum standing standing =
			field && wanted ? standing_of(field, wanted, value_get(&live->fields, name)) : DIFFERS;
		bool lost = standing == ASSUMED && is_lost(rebuilding, object, live, field, wanted);

		if (standing == ASSUMED)
			rebuild_note(rebuilding, lost ? REBUILD_LOST : REBUILD_ASSUMED, object->address,
				     object->provider_id, name);
		all &= standing != DIFFERS && !lost;
		struct value before;
		if (standing != DIFFERS && !lost) {
			value_builder_member(&applied, name, resource->desired.members[i].value);
			value_builder_member(&resolved, name, *wanted);
		} else if (!lost && set_before(object, field, wanted, &marked, rebuilding->arena, &before)) {
			value_builder_member(&applied, name,
					     rebuild_refer(rebuilding, &filling->by_id, field, &before));
			value_builder_member(&resolved, name, before);
			value_builder_member(&others, name, before);
		}
	}
	object->applied = value_builder_map(&applied, rebuilding->arena);
	object->resolved = value_builder_map(&resolved, rebuilding->arena);
	const struct value observed = seen(rebuilding, resource, &object->applied, &marked);
	object->observed = made_observed(resource->kind, &observed, &object->resolved, NULL, rebuilding->arena);
	note_own(filling, object, resource->kind, object->role == OBJECT_CURRENT ? &known : NULL);
	object->dependencies = resource->dependencies;
	object->dependency_count = resource->dependency_count;
	const struct value otherwise = value_builder_map(&others, rebuilding->arena);
	if (otherwise.count > 0)
		rebuild_infer_dependencies(rebuilding, object, resource->kind, &filling->by_id, &otherwise);
	if (!all)
		return true;
	object->symbolic = resource_symbolic(resource, rebuilding->secrets.style, rebuilding->arena);
	object->inputs = plan_inputs_digest(resource->dependencies, resource->dependency_count, outputs_of, filling);
	return true;
}

static void note_unread(struct rebuilding *rebuilding, const struct object *object, const struct live *live)
{
	rebuild_note(rebuilding, REBUILD_UNREAD, object->address, object->provider_id,
		     live ? live->unread_reason : (struct slice){NULL, 0});
}

/* What was not recorded. */
static bool fill(struct filling *filling, struct object *object, const struct live *live)
{
	struct rebuilding *rebuilding = filling->rebuilding;
	const struct resource *resource = map_get(filling->resources, object->address);
	const struct kind *kind = kinds_find(rebuilding->kinds, object->kind);

	object->resolved = value_map(NULL, 0);
	object->protect |= !resource && rebuild_was_protected(rebuilding, object->object_id);
	if (!is_read(live)) {
		note_unread(rebuilding, object, live);
		return true;
	}
	object->observed = live->fields;
	if (resource && resource->kind == kind)
		return fill_from_spec(filling, object, resource, live);
	if (!kind)
		return true;
	object->observed =
		secret_marks_put(rebuilding->arena, rebuilding->secrets, &kind->fields, &live->fields, NULL, 0);
	note_own(filling, object, kind, NULL);
	rebuild_infer_dependencies(rebuilding, object, kind, &filling->by_id, &object->observed);
	return true;
}

/* Whether what is there is all that the spec says, the record something else, and nothing but that in it. */
static bool is_outdated(const struct object *former, const struct resource *resource, const struct value *known,
			const struct live *live)
{
	bool differs = false;

	for (uint32_t i = 0; i < resource->desired.count; i++) {
		struct slice name = value_slice(&resource->desired.members[i].key);
		const struct field *field = field_named(&resource->kind->fields, name);
		const struct value *wanted = value_get(known, name), *before = value_get(&former->resolved, name);

		if (!field || !wanted || (field->flags & OBSERVED) ||
		    standing_of(field, wanted, value_get(&live->fields, name)) != STANDS)
			return false;
		differs |= !before || diff_field(field, wanted, before) != LIKE;
	}
	for (uint32_t i = 0; i < former->applied.count; i++)
		if (!value_get(&resource->desired, value_slice(&former->applied.members[i].key)))
			return false;
	return differs;
}

/* An older state may have been put back: what later runs have done is theirs, and no pending change. */
static bool look_for_outdated(struct filling *filling, const struct object *object, const struct live *live)
{
	struct rebuilding *rebuilding = filling->rebuilding;
	const struct object *former = rebuild_kept(rebuilding, object);
	const struct resource *resource = map_get(filling->resources, object->address);
	struct value known;

	if (!former || !rebuild_is_whole(former) || !resource || !slice_is(object->kind, resource->kind->name) ||
	    !is_read(live))
		return true;
	if (!resolve(filling, resource, &known))
		return false;
	if (is_outdated(former, resource, &known, live))
		map_mark(&rebuilding->outdated, object->object_id);
	return true;
}

bool rebuild_fill(struct rebuilding *rebuilding, const struct live *const *live, struct diagnostics *diagnostics)
{
	struct filling filling = {.rebuilding = rebuilding, .diagnostics = diagnostics};
	bool good = true;

	map_init(&filling.spare);
	filling.resources = stack_addresses(rebuilding->stack, &filling.spare);
	map_init(&filling.by_address);
	map_init(&filling.by_id);
	map_init_in(&rebuilding->outdated, rebuilding->arena);
	for (size_t i = 0; i < rebuilding->object_count; i++) {
		struct object *object = rebuilding->objects[i];
		const struct kind *kind = kinds_find(rebuilding->kinds, object->kind);

		if (object->role == OBJECT_CURRENT)
			map_set(&filling.by_address, object->address, object);
		if (kind)
			map_set(&filling.by_id, rebuild_id_key(rebuilding->arena, object->kind, object->provider_id),
				object);
		fill_outputs(&filling, object, kind, live[i]);
	}
	for (size_t i = 0; i < rebuilding->object_count; i++) {
		struct object *object = rebuilding->objects[i];

		good &= look_for_outdated(&filling, object, live[i]);
		if (!rebuild_kept(rebuilding, object))
			good &= fill(&filling, object, live[i]);
		else if (!live[i] || live[i]->presence == PRESENCE_UNREAD)
			note_unread(rebuilding, object, live[i]);
	}
	good &= rebuild_keep(rebuilding, diagnostics);
	map_release(&filling.spare);
	map_release(&filling.by_address);
	map_release(&filling.by_id);
	return good;
}
