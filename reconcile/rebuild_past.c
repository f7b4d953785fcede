#include <string.h>

#include "reconcile/rebuild_parts.h"
#include "reconcile/renames.h"
#include "reconcile/unfinished.h"

/*
 * What neither tags nor spec tell: what was applied, where the key of a pair is, what was begun and not finished, what
 * a replace has left behind. Of what is recorded soundly the record stays as it was, so that the next plan is what it
 * would have been without a rebuild.
 */

void rebuild_past_init(struct rebuild_past *past, struct object *const *objects, const bool *is_sound, size_t count,
		       struct arena *arena)
{
	*past = (struct rebuild_past){.objects = objects, .is_sound = is_sound, .count = count};
	map_init(&past->by_object_id);
	map_init(&past->by_id);
	map_init(&past->protected_ids);
	for (size_t i = 0; i < count; i++) {
		if (objects[i]->protect)
			map_mark(&past->protected_ids, objects[i]->object_id);
		if (!is_sound[i])
			continue;
		map_set(&past->by_object_id, objects[i]->object_id, objects[i]);
		struct slice key = rebuild_id_key(arena, objects[i]->kind, objects[i]->provider_id);
		if (objects[i]->role != OBJECT_DEPOSED || !map_get(&past->by_id, key))
			map_set(&past->by_id, key, objects[i]);
	}
}

void rebuild_past_release(struct rebuild_past *past)
{
	map_release(&past->by_object_id);
	map_release(&past->by_id);
	map_release(&past->protected_ids);
}

bool rebuild_was_left(const struct rebuilding *rebuilding, struct slice object_id)
{
	const struct object *former = map_get(&rebuilding->past->by_object_id, object_id);

	return former && former->role == OBJECT_DEPOSED;
}

bool rebuild_was_protected(const struct rebuilding *rebuilding, struct slice object_id)
{
	return map_has(&rebuilding->past->protected_ids, object_id);
}

bool rebuild_is_whole(const struct object *object)
{
	return object->role == OBJECT_CURRENT && !unfinished_has_note(object) && !value_has_unread(&object->resolved) &&
	       !(value_is(&object->let_go, VALUE_MAP) && object->let_go.count > 0);
}

bool rebuild_is_at(const struct object *former, struct slice object_id, const struct identity *identity)
{
	return identity_equal(&former->identity, identity) ||
	       (slice_equal(former->object_id, object_id) && identity_same_place(&former->identity, identity));
}

/* Its record of before, or NULL. */
static const struct object *former_of(const struct rebuilding *rebuilding, const struct object *object)
{
	const struct object *former = map_get(&rebuilding->past->by_object_id, object->object_id);
	bool is_same = former && slice_equal(former->kind, object->kind) &&
		       rebuild_is_at(former, object->object_id, &object->identity) &&
		       (former->provider_id.size == 0 || slice_equal(former->provider_id, object->provider_id));

	return is_same ? former : NULL;
}

/* Whether it has none of these fields, of which what is shown once is one. */
static bool lacks_shown(const struct object *object, const struct exclusive *exclusive)
{
	bool has_shown = false;

	if (exclusive->field || !exclusive->needs_one)
		return false;
	for (size_t i = 0; exclusive->members[i]; i++) {
		if (value_if_set(value_get_named(&object->resolved, exclusive->members[i])))
			return false;
		has_shown |= strcmp(exclusive->members[i], SECRET_TO) == 0;
	}
	return has_shown;
}

/* What a rebuild could not tell is not recorded: where all is by its tags alone, or its key was lost, spec and files
 * may tell more by now. */
static bool is_telling(const struct rebuilding *rebuilding, const struct object *object)
{
	const struct kind *kind = kinds_find(rebuilding->kinds, object->kind);
	static const struct digest never = {0};

	for (size_t i = 0; kind && i < kind->exclusive_count; i++)
		if (lacks_shown(object, &kind->exclusives[i]))
			return false;
	return object->applied.count > 0 || !digest_equal(&object->symbolic, &never);
}

const struct object *rebuild_kept(const struct rebuilding *rebuilding, const struct object *object)
{
	const struct object *former = former_of(rebuilding, object);

	if (map_has(&rebuilding->outdated, object->object_id))
		return NULL;
	return former && (!rebuild_is_whole(former) || is_telling(rebuilding, former)) ? former : NULL;
}

/* What has another address now than it was recorded under, which `state mv` gave it: by the latter, to struct object.
 */
static void find_renamed(const struct rebuilding *rebuilding, struct map *ret)
{
	map_init(ret);
	for (size_t i = 0; i < rebuilding->object_count; i++) {
		struct object *object = rebuilding->objects[i];
		const struct object *former = former_of(rebuilding, object);

		if (former && former->role != OBJECT_DEPOSED && !slice_equal(former->address, object->address))
			map_set(ret, former->address, object);
	}
}

static struct slice new_address(void *context, struct slice address)
{
	const struct object *object = map_get(context, address);

	return object ? object->address : (struct slice){NULL, 0};
}

/* By its tags it may have another address, and another may have taken its place since. */
static bool keep(struct rebuilding *rebuilding, struct object *object, const struct object *former,
		 const struct renames *renames, struct diagnostics *diagnostics)
{
	struct object kept = *former;

	kept.address = object->address;
	kept.provider = object->provider;
	kept.provider_id = object->provider_id;
	kept.identity = object->identity;
	if (object->role == OBJECT_DEPOSED)
		kept.role = OBJECT_DEPOSED;
	/* It has come only now: nobody saw it made. */
	if (former->provider_id.size == 0)
		object_discard_shown(&kept, rebuilding->arena);
	/* By the name that it had: what it says of itself follows it, too. */
	if (renames_concern(renames, former, rebuilding->arena) &&
	    !renames_rewrite(renames, &kept, rebuilding->arena, diagnostics))
		return false;
	*object = kept;
	if (kept.role != OBJECT_DEPOSED && !rebuild_is_whole(former))
		rebuild_note(rebuilding, REBUILD_KEPT, kept.address, kept.provider_id, (struct slice){NULL, 0});
	return true;
}

/* What was left behind, or never came, is missed by nobody. */
static bool is_missed(const struct object *object)
{
	return object->has_body && object->provider_id.size > 0 &&
	       (object->role == OBJECT_DEPOSED ? unfinished_has_note(object) : !rebuild_is_whole(object));
}

bool rebuild_keep(struct rebuilding *rebuilding, struct diagnostics *diagnostics)
{
	const struct rebuild_past *past = rebuilding->past;
	struct map kept, renamed;
	const struct renames renames = {
		.resolver = rebuilding->resolver, .new_address = new_address, .context = &renamed};
	bool good = true;

	map_init(&kept);
	find_renamed(rebuilding, &renamed);
	for (size_t i = 0; i < rebuilding->object_count; i++) {
		struct object *object = rebuilding->objects[i];
		const struct object *former = rebuild_kept(rebuilding, object);

		if (!former)
			continue;
		map_mark(&kept, object->object_id);
		good &= keep(rebuilding, object, former, &renames, diagnostics);
	}
	for (size_t i = 0; i < past->count; i++) {
		const struct object *former = past->objects[i];

		if (!former->has_body || (is_missed(former) && !map_has(&kept, former->object_id)))
			rebuild_note(rebuilding, former->has_body ? REBUILD_DROPPED : REBUILD_DAMAGED, former->address,
				     former->provider_id, (struct slice){NULL, 0});
	}
	map_release(&kept);
	map_release(&renamed);
	return good;
}
