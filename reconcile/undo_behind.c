#include "reconcile/undo_parts.h"

/*
 * What a replace had left behind when the run began, because its successor was not made yet. Where nothing else stood
 * at the address, that is what was there: it may be there still, with the successor that the run made beside it, or
 * gone with the run that made one, or taken back since.
 */

/* What recovery swept up was never the address's own: nothing is recorded of what it was to be. */
static bool was_its_own(const struct object *object)
{
	return object->role == OBJECT_DEPOSED && value_is(&object->applied, VALUE_MAP) && object->applied.count > 0;
}

/* Of several the last one was the address's own before the successor was begun. */
static bool is_younger(const struct object *object, const struct object *than)
{
	return object->generation != than->generation ? object->generation > than->generation
						      : object->created_ms > than->created_ms;
}

static void offer(struct undo_work *work, const struct object *object, bool removed)
{
	struct undo_case *one = map_get(&work->cases_by_address, object->address);

	map_mark(&work->stood_behind, object->object_id);
	if (!one || one->was || map_has(&work->stood, object->address) || !was_its_own(object) ||
	    (one->behind && !is_younger(object, one->behind)))
		return;
	one->behind = object;
	one->removed_behind = removed;
}

/* A text that is made of an id tells nothing of that: another field has to. */
static bool lies_in_any(const struct object *object, const struct object *target, struct slice address)
{
	for (size_t i = 0; i < object->dependency_count; i++)
		if (slice_equal(object->dependencies[i].address, address) &&
		    undo_lies_in(object, &object->dependencies[i], target))
			return true;
	return false;
}

/* Whether what it can never refer to otherwise is what it referred to. */
static bool refers_as_before(const struct undo_work *work, const struct object *object)
{
	for (size_t i = 0; i < object->dependency_count; i++) {
		const struct dependency *dependency = &object->dependencies[i];
		const struct object *target = map_get(&work->now, dependency->address);

		if (dependency->immutable && !(target && lies_in_any(object, target, dependency->address)))
			return false;
	}
	return true;
}

/* Whether it can be the address's own again. */
static bool can_come_back(const struct undo_work *work, const struct object *object)
{
	return !map_has(&work->gone_behind, object->object_id) && undo_reaches_place(work, object) &&
	       refers_as_before(work, object);
}

/*
 * Whether it is what the address is to have again. Where the run sent for nothing there, that is what it deleted
 * itself. Else it is made anew where it is gone; where it is still there it is taken back, whatever came of the run's
 * call, or, if it cannot be the address's own any more, stays as it stood before the run, and what the run made is
 * deleted.
 */
static bool goes_back(const struct undo_work *work, const struct undo_case *one)
{
	const struct object *now = map_get(&work->now_id, one->behind->object_id);
	bool stands = now && now->role == OBJECT_DEPOSED;

	if (one->removed_behind)
		return true;
	if (!one->left)
		return false;
	/* The run took it back. */
	if (slice_equal(one->left->object_id, one->behind->object_id))
		return true;
	return stands ? !undo_same_form(undo_as_whole(work, one->behind), one->left) && can_come_back(work, one->behind)
		      : !object_was_never_seen(one->left);
}

void undo_find_behind(struct undo_work *work)
{
	const struct undo_input *input = work->input;

	for (size_t i = 0; i < input->beside_count; i++)
		if (input->beside[i].before.role != OBJECT_DEPOSED)
			map_mark(&work->stood, input->beside[i].before.address);
	for (size_t i = 0; i < input->past_count; i++)
		if (input->past[i].was && input->past[i].before.role == OBJECT_DEPOSED)
			offer(work, &input->past[i].before, !input->past[i].is);
	for (size_t i = 0; i < input->beside_count; i++)
		if (input->beside[i].before.role == OBJECT_DEPOSED)
			offer(work, &input->beside[i].before, false);
	for (size_t i = 0; i < work->case_count; i++)
		if (work->cases[i].behind && goes_back(work, &work->cases[i]))
			work->cases[i].was = work->cases[i].behind;
}

static bool is_empty(const struct undo_work *work, struct slice address)
{
	const struct object *now = map_get(&work->now, address);

	return !now || object_was_never_seen(now);
}

void undo_find_awaited(struct undo_work *work)
{
	const struct undo_input *input = work->input;

	for (size_t i = 0; i < input->object_count; i++) {
		const struct object *object = input->objects[i], *known = map_get(&work->awaited, object->address);

		if (was_its_own(object) && kinds_find(input->kinds, object->kind) && is_empty(work, object->address) &&
		    can_come_back(work, object) && (!known || is_younger(object, known)))
			map_set(&work->awaited, object->address, input->objects[i]);
	}
}

void undo_choose_leaving(struct undo_work *work)
{
	const struct undo_input *input = work->input;
	struct undoing *undoing = work->undoing;
	struct map planned;

	map_init(&planned);
	for (size_t i = 0; i < undoing->address_count; i++)
		map_mark(&planned, undoing->addresses[i]);
	undoing->leaving = arena_new_array(work->arena, input->object_count + 1, struct slice);
	for (size_t i = 0; i < input->object_count; i++) {
		const struct object *object = input->objects[i];

		if (object->role == OBJECT_DEPOSED && map_has(&planned, object->address) &&
		    (object_is_twin(object) || !map_has(&work->stood_behind, object->object_id)))
			undoing->leaving[undoing->leaving_count++] = object->object_id;
	}
	map_release(&planned);
}
