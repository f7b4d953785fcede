#include "reconcile/undo_parts.h"

/*
 * What the run found as a deletion had left it that came to nothing: emptied, so that something else could go. It goes
 * back to what it was before that; but what it referred to then may be gone with that earlier run, or have come with
 * the one that is undone. Then it goes back to what the run found, in that alone: the rest is for the undoing of the
 * earlier run, which can be undone only once the object is there again.
 */

const struct object *undo_as_whole(const struct undo_work *work, const struct object *found)
{
	struct object *whole;

	if (!value_is(&found->let_go, VALUE_MAP))
		return found;
	whole = arena_new(work->arena, struct object);
	*whole = *found;
	whole->applied = value_overlaid(&found->applied, &found->let_go, work->arena);
	return whole;
}

void undo_make_whole(struct undo_work *work, struct undo_case *one)
{
	const struct object *whole = one->was ? undo_as_whole(work, one->was) : NULL;

	if (whole != one->was)
		one->found = one->was;
	one->was = whole ? undo_as_begun(work, whole) : NULL;
}

bool undo_is_found(const struct undo_work *work, const struct undo_case *one)
{
	VALUE_BUILDER_AUTO back;
	struct object some;

	value_builder_init(&back);
	if (!one->found)
		return false;
	for (uint32_t i = 0; i < one->found->let_go.count; i++) {
		const struct value_member *member = &one->found->let_go.members[i];
		const struct value *now = value_get(&one->base->applied, value_slice(&member->key));

		if (now && value_equal(now, &member->value))
			value_builder_member(&back, value_slice(&member->key), member->value);
	}
	some = *one->found;
	some.let_go = value_builder_map(&back, work->arena);
	return undo_same_form(undo_as_whole(work, &some), one->base);
}

/* What was let go of without the fields that refer to the address. */
static struct value let_go_without(const struct undo_work *work, const struct object *found, struct slice address)
{
	VALUE_BUILDER_AUTO kept;

	value_builder_init(&kept);
	for (uint32_t i = 0; i < found->let_go.count; i++) {
		const struct value_member *member = &found->let_go.members[i];

		if (!undo_mentions(&member->value, address))
			value_builder_member(&kept, value_slice(&member->key), member->value);
	}
	return value_builder_map(&kept, work->arena);
}

static void void_notes(const struct undo_work *work, const struct undo_case *one)
{
	for (size_t i = one->first_note; i < one->notes_after; i++)
		work->undoing->notes[i].what = (struct slice){NULL, 0};
}

void undo_drop_void_notes(struct undoing *undoing)
{
	size_t kept = 0;

	for (size_t i = 0; i < undoing->note_count; i++)
		if (undoing->notes[i].what.size > 0)
			undoing->notes[kept++] = undoing->notes[i];
	undoing->note_count = kept;
}

bool undo_do_without(struct undo_work *work, struct undo_case *one, struct slice address, bool *good)
{
	struct object *found;

	if (!one->found)
		return false;
	struct value let_go = let_go_without(work, one->found, address);
	if (let_go.count == one->found->let_go.count)
		return false;
	found = arena_new(work->arena, struct object);
	*found = *one->found;
	found->let_go = let_go;
	one->found = found;
	one->was = undo_as_begun(work, undo_as_whole(work, found));
	one->lacks = address;
	one->verdict = UNDO_NOTHING;
	one->resource = (struct resource){0};
	void_notes(work, one);
	*good &= undo_judge(work, one);
	return true;
}
