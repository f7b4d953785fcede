#include "reconcile/undo_parts.h"

/*
 * What goes back refers to others by the addresses that they had then. Where `state mv` has given such an address to
 * another object since, or taken it from the one that was meant, it would go back to what it never referred to. What
 * was replaced since keeps its address, and is followed.
 */

struct move {
	struct slice from; /* what it was called when the run had ended */
	struct slice object_id;
};

struct moves {
	struct undo_work *work;
	struct map by_address; /* of then, to the struct move of what was there */
	struct map by_object;
	bool gathered;
};

bool undo_is_move(const struct past_object *past)
{
	return past->was && past->is && past->before.role != OBJECT_DEPOSED &&
	       slice_equal(past->before.object_id, past->after.object_id) &&
	       !slice_equal(past->before.address, past->after.address);
}

static void add_move(struct moves *moves, const struct past_object *past)
{
	struct move *move;

	if (!undo_is_move(past) || map_get(&moves->by_object, past->before.object_id))
		return;
	move = arena_new(moves->work->arena, struct move);
	*move = (struct move){past->before.address, past->before.object_id};
	map_set(&moves->by_object, move->object_id, move);
	(void)map_add(&moves->by_address, move->from, move);
}

/* Only where a name is in question. */
static void gather_moves(struct moves *moves)
{
	size_t count;
	const struct undo_since *runs;

	if (moves->gathered)
		return;
	moves->gathered = true;
	runs = undo_since(moves->work, &count);
	map_init_in(&moves->by_address, moves->work->arena);
	map_init_in(&moves->by_object, moves->work->arena);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < runs[i].past_count; k++)
			add_move(moves, &runs[i].past[k]);
}

static bool refuse(struct undo_work *work, const struct undo_case *one, const struct dependency *dependency,
		   struct slice what)
{
	diag_error(work->diagnostics, FAULT_CONFLICT, NOWHERE, "'%.*s' referred to '%.*s', which %.*s",
		   SLICE_ARGUMENTS(one->address), SLICE_ARGUMENTS(dependency->address), SLICE_ARGUMENTS(what));
	diag_address(work->diagnostics, one->address);
	diag_hint(work->diagnostics,
		  "give them back their names with 'trueup state mv', or name what is to go back with --target");
	return false;
}

/* What that address stood for when the run had ended; NULL: it still does, or it is gone. */
static const struct object *moved_away(struct moves *moves, struct slice address)
{
	gather_moves(moves);
	const struct move *away = map_get(&moves->by_address, address);
	const struct object *meant = away ? map_get(&moves->work->now_id, away->object_id) : NULL;

	return meant && !slice_equal(meant->address, address) ? meant : NULL;
}

static bool check_reference(struct moves *moves, const struct undo_case *one, const struct dependency *dependency)
{
	struct undo_work *work = moves->work;
	const struct object *now = map_get(&work->now, dependency->address);
	const struct object *meant = moved_away(moves, dependency->address);
	const struct move *here = now ? map_get(&moves->by_object, now->object_id) : NULL;

	if (meant)
		return refuse(work, one, dependency,
			      arena_format(work->arena, "is called '%.*s' since", SLICE_ARGUMENTS(meant->address)));
	if (here && !slice_equal(here->from, dependency->address))
		return refuse(work, one, dependency,
			      arena_format(work->arena, "is another object since, then called '%.*s'",
					   SLICE_ARGUMENTS(here->from)));
	return true;
}

/* Whether the field goes back to what referred to that, and what is there now is not what was meant. */
static bool is_in_question(const struct undo_work *work, const struct undo_case *one,
			   const struct dependency *dependency)
{
	const struct value *back = value_get(&one->resource.desired, dependency->field);
	const struct value *there = one->now ? value_get(&one->now->applied, dependency->field) : NULL;
	const struct object *now = map_get(&work->now, dependency->address);

	if (!back || !undo_mentions(back, dependency->address) || (there && value_equal(back, there)))
		return false;
	return !now || !undo_refers_to(one->was, dependency, now);
}

/* How many items of the field refer to that, or whether it does. */
static size_t count_mentions(const struct object *form, const struct dependency *dependency)
{
	const struct value *value = value_get(&form->applied, dependency->field);
	size_t count = 0;

	if (!value_is(value, VALUE_LIST))
		return value && undo_mentions(value, dependency->address);
	for (uint32_t i = 0; i < value->count; i++)
		count += undo_mentions(&value->items[i], dependency->address);
	return count;
}

/* Whether it was the run that gave the field what referred to that, and by that name it is in it no more. */
static bool may_be_renamed(const struct undo_case *one, const struct dependency *dependency)
{
	return count_mentions(one->left, dependency) > count_mentions(one->was, dependency) &&
	       value_get(&one->base->applied, dependency->field) && count_mentions(one->base, dependency) == 0;
}

/* What the run gave it under another name would count as what a later one did, and stay. */
static bool check_given(struct moves *moves, const struct undo_case *one, const struct dependency *dependency)
{
	const struct object *meant = moved_away(moves, dependency->address);

	return !meant || !undo_refers_to(one->base, dependency, meant) || check_reference(moves, one, dependency);
}

static bool check_case(struct moves *moves, const struct undo_case *one)
{
	bool goes_back = one->verdict == UNDO_MAKE || one->verdict == UNDO_CHANGE;
	bool good = true;

	for (size_t k = 0; goes_back && one->was && k < one->was->dependency_count; k++)
		if (is_in_question(moves->work, one, &one->was->dependencies[k]))
			good &= check_reference(moves, one, &one->was->dependencies[k]);
	for (size_t k = 0; one->kind && one->was && one->left && one->base && k < one->left->dependency_count; k++)
		if (may_be_renamed(one, &one->left->dependencies[k]))
			good &= check_given(moves, one, &one->left->dependencies[k]);
	return good;
}

bool undo_check_references(struct undo_work *work)
{
	struct moves moves = {.work = work};
	bool good = true;

	for (size_t i = 0; i < work->case_count; i++)
		good &= check_case(&moves, &work->cases[i]);
	return good;
}

/* The last ones first: each name leads to the last one that came of it. */
static void gather_names(struct undo_work *work)
{
	size_t count;
	const struct undo_since *runs = undo_since(work, &count);

	work->names = map_new(work->arena);
	while (count-- > 0) {
		for (size_t k = 0; k < runs[count].past_count; k++) {
			const struct past_object *past = &runs[count].past[k];
			struct slice *name;

			if (!undo_is_move(past))
				continue;
			name = arena_new(work->arena, struct slice);
			*name = past->after.address;
			if (map_get(work->names, past->after.address))
				*name = *(const struct slice *)map_get(work->names, past->after.address);
			map_set(work->names, past->before.address, name);
		}
	}
}

struct slice undo_name_now(struct undo_work *work, struct slice address)
{
	if (!work->names)
		gather_names(work);
	const struct slice *name = map_get(work->names, address);

	return name ? *name : address;
}
