#include "reconcile/rebuild_parts.h"
#include "reconcile/unfinished.h"

/*
 * What neither tags nor spec tell: what was begun and not finished, what nobody saw come to its end (a key that was
 * shown once), and what a replace has left behind. Of such an object the record stays as it was.
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
			map_set(&past->protected_ids, objects[i]->object_id, objects[i]);
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
	return map_get(&rebuilding->past->protected_ids, object_id) != NULL;
}

/* With its body. */
static bool is_whole(const struct object *object)
{
	return object->role == OBJECT_CURRENT && !unfinished_is(object) && !value_has_unread(&object->resolved) &&
	       !(value_is(&object->let_go, VALUE_MAP) && object->let_go.count > 0);
}

const struct object *rebuild_former(const struct rebuilding *rebuilding, const struct object *object)
{
	const struct object *former = map_get(&rebuilding->past->by_object_id, object->object_id);
	bool is_same = former && slice_equal(former->kind, object->kind) &&
		       identity_equal(&former->identity, &object->identity) &&
		       (former->provider_id.size == 0 || slice_equal(former->provider_id, object->provider_id));

	return is_same ? former : NULL;
}

const struct object *rebuild_kept(const struct rebuilding *rebuilding, const struct object *object)
{
	const struct object *former = rebuild_former(rebuilding, object);

	return former && !is_whole(former) ? former : NULL;
}

/* By its tags it may have another address, and another may have taken its place since. */
static void keep(struct rebuilding *rebuilding, struct object *object, const struct object *former)
{
	struct object kept = *former;

	kept.address = object->address;
	kept.provider = object->provider;
	kept.provider_id = object->provider_id;
	if (object->role == OBJECT_DEPOSED)
		kept.role = OBJECT_DEPOSED;
	/* It has come only now: nobody saw it made. */
	if (former->provider_id.size == 0)
		object_discard_shown(&kept, rebuilding->arena);
	*object = kept;
	if (kept.role != OBJECT_DEPOSED)
		rebuild_note(rebuilding, REBUILD_KEPT, kept.address, kept.provider_id, (struct slice){NULL, 0});
}

/* What was left behind, or never came, is missed by nobody. */
static bool is_missed(const struct object *object)
{
	return object->has_body && object->provider_id.size > 0 &&
	       (object->role == OBJECT_DEPOSED ? unfinished_is(object) : !is_whole(object));
}

void rebuild_keep(struct rebuilding *rebuilding)
{
	const struct rebuild_past *past = rebuilding->past;
	struct map kept;

	map_init(&kept);
	for (size_t i = 0; i < rebuilding->object_count; i++) {
		struct object *object = rebuilding->objects[i];
		const struct object *former = rebuild_kept(rebuilding, object);

		if (!former)
			continue;
		map_set(&kept, object->object_id, object);
		keep(rebuilding, object, former);
	}
	for (size_t i = 0; i < past->count; i++) {
		const struct object *former = past->objects[i];

		if (!former->has_body || (is_missed(former) && !map_get(&kept, former->object_id)))
			rebuild_note(rebuilding, former->has_body ? REBUILD_DROPPED : REBUILD_DAMAGED, former->address,
				     former->provider_id, (struct slice){NULL, 0});
	}
	map_release(&kept);
}
