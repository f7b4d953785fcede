#include "reconcile/diff.h"

#include "reconcile/diff_before.h"
#include "reconcile/diff_field.h"
#include "reconcile/diff_parts.h"
#include "reconcile/made.h"
#include "reconcile/unset.h"

/* A field's state during one comparison; NULL stands for "not set". */
struct side {
	const struct value *wanted, *applied, *observed, *live;
	const struct value *sealed;	 /* wanted, to be held against what is recorded */
	const struct value *live_sealed; /* live, likewise */
	const struct value *made;	 /* of what no read gives back: what the record knows of it */
};

/* An item that is sent as a whole, with a null for each member that others have set and that goes by that. */
static const struct value *with_cleared(const struct field *item, const struct value *before, const struct value *after,
					struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	if (!value_is(before, VALUE_MAP) || !value_is(after, VALUE_MAP))
		return after;
	value_builder_members(&builder, after);
	for (size_t i = 0; i < item->members.count; i++) {
		const struct field *member = field_at(&item->members, i);
		if (member->when_unset == UNSET_CLEAR && value_if_set(value_get_named(before, member->name)) &&
		    !value_get_named(after, member->name))
			value_builder_member(&builder, slice_of(member->name), value_null());
	}
	struct value *whole = arena_new(arena, struct value);
	*whole = value_at(value_builder_map(&builder, arena), after->position);
	return whole;
}

/* One change for each item that comes, goes or differs, so that a rule reads as a rule. */
static void add_item_changes(struct diffing *diffing, const struct field *field, enum change_cause cause,
			     enum change_effect effect, const struct value *live, const struct value *wanted)
{
	struct diff_index there, desired;
	struct slice name = slice_of(field->name);
	diff_index_init(&there, field, live, diffing->arena);
	diff_index_init(&desired, field, wanted, diffing->arena);
	for (uint32_t i = 0; live && i < live->count; i++) {
		const struct value *before = &live->items[i];
		const struct value *after = diff_index_find(&desired, before);
		if (after && diff_field(field->item, after, before) == LIKE)
			continue;
		if (after && effect == EFFECT_SET && field_sends_items(field))
			after = with_cleared(field->item, before, after, diffing->arena);
		diff_add(diffing, field, diff_item_path(field, name, before, diffing->arena), cause, effect, before,
			 after);
	}
	for (uint32_t i = 0; wanted && i < wanted->count; i++) {
		const struct value *after = &wanted->items[i];
		/* A key that is not known yet meets none that is there. */
		if (!diff_index_find(&there, after))
			diff_add(diffing, field, diff_item_path(field, name, after, diffing->arena), cause, effect,
				 NULL, after);
	}
	diff_index_release(&there);
	diff_index_release(&desired);
}

static void add_member_changes(struct diffing *diffing, const struct field *field, enum change_cause cause,
			       enum change_effect effect, const struct value *live, const struct value *wanted)
{
	for (uint32_t i = 0; live && i < live->count; i++) {
		const struct value_member *before = &live->members[i];
		const struct value *after = wanted ? value_get(wanted, value_slice(&before->key)) : NULL;
		if (after && value_equal(after, &before->value))
			continue;
		struct slice key = value_slice(&before->key);
		diff_add(diffing, field, arena_format(diffing->arena, "%s.%.*s", field->name, SLICE_ARGUMENTS(key)),
			 cause, effect, &before->value, after);
	}
	for (uint32_t i = 0; wanted && i < wanted->count; i++) {
		struct slice key = value_slice(&wanted->members[i].key);
		if (live && value_get(live, key))
			continue;
		diff_add(diffing, field, arena_format(diffing->arena, "%s.%.*s", field->name, SLICE_ARGUMENTS(key)),
			 cause, effect, NULL, &wanted->members[i].value);
	}
}

static void add_field_changes(struct diffing *diffing, const struct field *field, enum change_cause cause,
			      enum change_effect effect, const struct value *before, const struct value *after)
{
	size_t count = diffing->result->count;
	bool lists = (!before || value_is(before, VALUE_LIST)) && (!after || value_is(after, VALUE_LIST));
	bool maps = (!before || value_is(before, VALUE_MAP)) && (!after || value_is(after, VALUE_MAP));
	if (field->type == FIELD_SET && lists)
		add_item_changes(diffing, field, cause, effect, before, after);
	else if (field->type == FIELD_MAP && maps)
		add_member_changes(diffing, field, cause, effect, before, after);
	if (diffing->result->count == count)
		diff_add(diffing, field, slice_of(field->name), cause, effect, before, after);
}

/* Whether this object cannot have another value, though another one of the kind may. */
static bool is_immutable(const struct diff_input *input, const struct field *field)
{
	return field_is_immutable(field, input->outputs ? input->outputs : input->recorded_outputs);
}

/* What another value than the wanted one comes to. */
static enum change_effect effect_of_difference(const struct diffing *diffing, const struct field *field,
					       const struct value *wanted, const struct value *actual)
{
	if (field->flags & FIXED)
		return EFFECT_CONFLICT;
	if (field_comes_in_place(field, wanted) || made_changes_in_place(field, wanted, actual, diffing->arena))
		return EFFECT_SET;
	return is_immutable(diffing->input, field) ? EFFECT_REPLACE : EFFECT_SET;
}

/* What a wanted value comes to that is not known yet. */
static enum change_effect effect_of_unknown(const struct diffing *diffing, const struct field *field,
					    const struct value *wanted, const struct value *actual)
{
	bool in_place =
		!is_immutable(diffing->input, field) || made_changes_in_place(field, wanted, actual, diffing->arena);
	return in_place ? EFFECT_SET : EFFECT_REPLACE_UNLESS_EQUAL;
}

/* Whether two readings of a field tell the same. */
static bool has_moved(const struct field *field, const struct value *observed, const struct value *live)
{
	return diff_field(field, observed, live) == UNLIKE || diff_field(field, live, observed) == UNLIKE;
}

struct unset_visit {
	struct diffing *diffing;
	const struct field *field; /* at the top */
};

/* A member that the spec does not set: one that it did set may be let go of, another one may have moved. */
static void judge_unset_member(void *context, const struct unset_member *member)
{
	const struct unset_visit *visit = context;
	if (member->applied) {
		if (member->field->when_unset == UNSET_CONSTANT || member->field->when_unset == UNSET_CLEAR)
			return;
		const struct value *actual = visit->diffing->input->live ? member->live : member->observed;
		if (!actual)
			actual = member->applied;
		diff_add(visit->diffing, visit->field, member->path, CAUSE_INTENT, EFFECT_RELEASE, actual, actual);
		return;
	}
	if (!visit->diffing->input->live || !member->recorded || diff_is_unread(member->observed) ||
	    diff_is_unread(member->live) || (member->field->flags & (OBSERVED | WRITE_ONLY | MIRRORED)))
		return;
	if (has_moved(member->field, member->observed, member->live))
		diff_add(visit->diffing, visit->field, member->path, CAUSE_DRIFT, EFFECT_SHOW, member->observed,
			 member->live);
}

static void judge_unset_members(struct diffing *diffing, const struct field *field, const struct side *side)
{
	struct unset_visit visit = {diffing, field};
	const struct unset_sides sides = {side->sealed, side->applied, side->observed, side->live_sealed};
	if (!diffing->input->applied || ((field->flags & WRITE_ONLY) && !made_has_seen(field)))
		return;
	unset_walk(field, slice_of(field->name), &sides, diffing->arena, judge_unset_member, &visit);
}

/* What is wanted, with what becomes of the members that were applied and are not wanted any more. */
static bool complete_wanted(struct diffing *diffing, const struct field *field, const struct side *side,
			    struct side *ret)
{
	bool dropped = false;
	*ret = *side;
	if (!side->applied || value_equal(side->sealed, side->applied))
		return false;
	struct value *whole = arena_new_array(diffing->arena, 2, struct value);
	whole[0] = unset_complete(field, side->wanted, side->applied, diffing->arena, &dropped);
	if (!dropped)
		return false;
	whole[1] = unset_complete(field, side->sealed, side->applied, diffing->arena, &dropped);
	ret->wanted = &whole[0];
	ret->sealed = &whole[1];
	return true;
}

/* The spec changed, and reality moved as well: the move is told beside what becomes of it. */
static void show_move(struct diffing *diffing, const struct field *field, const struct side *side)
{
	const struct diff_input *input = diffing->input;
	bool known = input->live && side->applied && side->observed && !input->unfinished;
	if (!known || (field->flags & (OBSERVED | WRITE_ONLY | MIRRORED)) || diff_is_unread(side->observed) ||
	    diff_is_unread(side->live))
		return;
	if (has_moved(field, side->observed, side->live_sealed))
		add_field_changes(diffing, field, CAUSE_DRIFT, EFFECT_MOVED, side->observed, side->live);
}

/* Whether the spec has a field as it had it when it was last applied. */
static bool is_said_again(const struct diff_input *input, const struct field *field)
{
	const struct value *now = diff_member(input->spec, field->name);
	const struct value *then = diff_member(input->spec_applied, field->name);
	return now && then && value_equal(now, then);
}

/* Whether it is another value than was applied because what it refers to shows another one. */
static bool is_of_target(const struct diff_input *input, const struct field *field, const struct side *side)
{
	const struct value *now = diff_member(input->spec, field->name);
	return side->applied && !input->unfinished && now && value_has_deferred(now) && is_said_again(input, field);
}

/*
 * Recovery records what a cut-off run left of a reference by the id that it saw, or not at all: where that is what is
 * wanted, it is to be recorded again as the reference that the spec has. So is what the spec says by itself where it
 * was a reference: an undoing would take the record's word for what was meant.
 */
static bool is_recorded_otherwise(const struct diff_input *input, const struct field *field)
{
	const struct value *now = diff_member(input->spec, field->name);
	const struct value *then = diff_member(input->spec_applied, field->name);
	return input->spec_applied && now && !value_has_secret(now) &&
	       (value_has_deferred(now) || (then && value_has_deferred(then))) && !is_said_again(input, field);
}

/* It was none when it was recorded, and rests there in clear. */
static bool is_recorded_in_clear(const struct diff_input *input, const struct field *field)
{
	const struct value *now = diff_member(input->spec, field->name);
	return input->tells_secret && now && value_has_secret(now);
}

/* As it was last applied. To say "nothing" of what is left as it is where the spec says nothing of it is an edit. */
static bool is_applied(const struct diffing *diffing, const struct field *field, const struct side *side)
{
	bool says = side->applied || (field->when_unset != UNSET_RELEASE && field->when_unset != UNSET_UNDECLARED);
	return says && diffing->input->applied && diff_field(field, side->sealed, side->applied) == LIKE;
}

static bool is_within_change(const struct difference *difference, size_t first, struct slice path)
{
	for (size_t i = first; i < difference->count; i++) {
		struct slice item = difference->changes[i].path;

		if (difference->changes[i].effect == EFFECT_SET && slice_starts_with(path, item) &&
		    path.size > item.size && path.data[item.size] == '.')
			return true;
	}
	return false;
}

/* An item with a call of its own is sent whole: no member of one that is changed is left as others have set it. */
static void drop_left(struct diffing *diffing, size_t first)
{
	struct difference *result = diffing->result;
	size_t kept = first;

	for (size_t i = first; i < result->count; i++)
		if (result->changes[i].effect != EFFECT_SHOW ||
		    !is_within_change(result, first, result->changes[i].path))
			result->changes[kept++] = result->changes[i];
	result->count = kept;
}

/* The field is set in the spec. */
static void judge_wanted(struct diffing *diffing, const struct field *field, const struct side *as_given)
{
	struct side whole;
	const struct side *side = &whole;
	bool dropped = complete_wanted(diffing, field, as_given, &whole);
	size_t count = diffing->result->count;
	bool was_applied = !dropped && is_applied(diffing, field, side);
	bool immutable = (field->flags & IMMUTABLE) != 0;
	if ((field->flags & OBSERVED) && was_applied) {
		if (diffing->input->live && side->live && diff_field(field, side->wanted, side->live) == UNLIKE)
			diff_add(diffing, field, slice_of(field->name), CAUSE_DRIFT, EFFECT_LEFT, side->wanted,
				 side->live);
		return;
	}
	/* What no read gives back is judged by the record; so is all of it where nothing was read. */
	bool blind = (field->flags & WRITE_ONLY) || !diffing->input->live;
	/* Nobody has looked at the thing yet: whoever takes it on will see whether it is the one. */
	if ((field->flags & FIXED) && !diffing->input->live && !diffing->input->observed)
		return;
	const struct value *actual = (field->flags & WRITE_ONLY) ? side->made : blind ? side->observed : side->live;
	enum likeness likeness = diff_field(field, blind ? side->sealed : side->wanted, actual);
	if (likeness == LIKE_UNREAD && !was_applied && side->applied && !(field->flags & (FIXED | COMPARED)))
		likeness = UNLIKE;
	/* With what an object was begun that was never finished is not recorded: it is finished, not made anew. */
	if ((field->flags & WRITE_ONLY) && immutable && !diffing->input->applied)
		likeness = LIKE;
	/* What was not finished cannot have drifted. */
	enum change_cause cause = was_applied && diffing->input->observed     ? CAUSE_DRIFT
				  : is_of_target(diffing->input, field, side) ? CAUSE_TARGET
									      : CAUSE_INTENT;
	if (dropped || (side->observed && side->live_sealed && !value_equal(side->observed, side->live_sealed)))
		judge_unset_members(diffing, field, as_given);
	switch (likeness) {
	case LIKE:
		/* What is let go of says itself that the record will follow. */
		if (diffing->input->applied && diffing->result->count == count &&
		    (!was_applied || is_recorded_otherwise(diffing->input, field) ||
		     is_recorded_in_clear(diffing->input, field)))
			diff_add(diffing, field, slice_of(field->name), CAUSE_INTENT, EFFECT_RECORD, actual,
				 as_given->wanted);
		break;
	case LIKE_UNREAD:
		diff_add(diffing, field, slice_of(field->name), cause, EFFECT_UNREAD, side->applied, side->wanted);
		break;
	case LIKE_UNKNOWN:
		add_field_changes(diffing, field, is_said_again(diffing->input, field) ? CAUSE_TARGET : CAUSE_INTENT,
				  effect_of_unknown(diffing, field, side->wanted, actual), actual, side->wanted);
		break;
	case UNLIKE:
		if (cause != CAUSE_DRIFT && diffing->result->count == count)
			show_move(diffing, field, side);
		add_field_changes(diffing, field, cause, effect_of_difference(diffing, field, side->wanted, actual),
				  actual && value_is(actual, VALUE_UNREAD) ? side->applied : actual, side->wanted);
		if (field_sends_items(field))
			drop_left(diffing, count);
		break;
	}
}

static const struct value *constant_of(struct diffing *diffing, const struct field *field)
{
	const struct value *restored = diff_member(diffing->input->restores, field->name);
	struct value *constant = arena_new(diffing->arena, struct value);
	*constant = restored ? *restored : unset_constant(field, diffing->arena);
	value_builder_member(&diffing->constants, slice_of(field->name), *constant);
	return constant;
}

/* The field was set when last applied, and is not in the spec any more; or it is to be again as it was seen once. */
static void judge_released(struct diffing *diffing, const struct field *field, const struct side *side)
{
	const struct value *known = diffing->input->live ? side->live : side->observed ? side->observed : side->applied;
	const struct value *actual = field->flags & WRITE_ONLY ? side->made : known;
	bool restored = diff_member(diffing->input->restores, field->name) != NULL;
	bool remade = diffing->input->remakes && (field->flags & IMMUTABLE);
	bool kept = field->kept_where && value_is_true(diff_member(diffing->input->wanted, field->kept_where));
	enum unset_rule rule = restored ? UNSET_CONSTANT
			       : remade ? UNSET_REPLACE
			       : kept	? UNSET_RELEASE
					: field->when_unset;
	if (rule != UNSET_RELEASE && ((field->flags & COMPARED) || !side->applied) && diff_is_unread(actual)) {
		diff_add(diffing, field, slice_of(field->name), CAUSE_INTENT, EFFECT_UNREAD, side->applied, NULL);
		return;
	}
	if (rule == UNSET_UNDECLARED || rule == UNSET_RELEASE) {
		diff_add(diffing, field, slice_of(field->name), CAUSE_INTENT, EFFECT_RELEASE, actual, actual);
		return;
	}
	const struct value *goal = rule == UNSET_CONSTANT ? constant_of(diffing, field) : NULL;
	enum change_effect effect = rule == UNSET_REPLACE ? EFFECT_REPLACE : EFFECT_SET;
	if (rule == UNSET_CLEAR && side->applied)
		value_builder_member(&diffing->released, slice_of(field->name), *side->applied);
	switch (diff_field(field, goal, actual)) {
	case LIKE:
		if (side->applied)
			diff_add(diffing, field, slice_of(field->name), CAUSE_INTENT, EFFECT_RECORD, side->applied,
				 goal);
		break;
	case LIKE_UNREAD:
		add_field_changes(diffing, field, CAUSE_INTENT, effect, side->applied, goal);
		break;
	case LIKE_UNKNOWN:
	case UNLIKE:
		show_move(diffing, field, side);
		add_field_changes(diffing, field, CAUSE_INTENT, effect, actual, goal);
		break;
	}
}

/* Never set: no value is wanted, but a move since the last apply is worth showing. */
static void judge_unmanaged(struct diffing *diffing, const struct field *field, const struct side *side)
{
	if (!diffing->input->live || !diffing->input->observed || (field->flags & (OBSERVED | WRITE_ONLY | RESTATED)))
		return;
	if (diff_is_unread(side->observed) || diff_is_unread(side->live))
		return;
	/* A field that the record does not know is new in this version of the kind, or was read because a run that did
	 * not end was to set it: what is live is its baseline. */
	if (!value_get_named(diffing->input->observed, field->name) && (!side->live || diffing->input->unfinished))
		return;
	if (has_moved(field, side->observed, side->live_sealed))
		add_field_changes(diffing, field, CAUSE_DRIFT, EFFECT_SHOW, side->observed, side->live);
}

static bool is_ignored(const struct diff_input *input, const struct field *field)
{
	return diff_ignores(input, field) && !diff_member(input->owed, field->name) &&
	       !diff_member(input->before, field->name);
}

/*
 * What a deletion that came to nothing has moved goes back to what it was, where it is not for the spec to say: nobody
 * else will. False: nothing is to be done.
 */
static bool judge_before(struct diffing *diffing, const struct field *field, const struct side *side)
{
	const struct diff_input *input = diffing->input;
	const struct value *goal = diff_member(input->before, field->name);
	if (!goal || !input->live || diff_is_unread(side->live) ||
	    diff_is_for_spec(input, field, side->wanted, side->sealed))
		return false;
	if (!diff_goes_with_rest(input, field, goal, diffing->arena))
		goal = side->wanted;
	if (!goal || diff_field(field, goal, side->live) != UNLIKE)
		return goal != NULL;
	value_builder_member(&diffing->constants, slice_of(field->name), *goal);
	add_field_changes(diffing, field, CAUSE_INTENT, EFFECT_SET, side->live, goal);
	return true;
}

/*
 * What a cut-off run switched off is switched on again, unless the spec sets it. What the spec says and leaves to
 * others all the same is not heeded. False: it is judged as any other field.
 */
static bool judge_owed(struct diffing *diffing, const struct field *field, const struct side *side)
{
	const struct diff_input *input = diffing->input;
	const struct value *owed = diff_member(input->owed, field->name);
	bool is_left = owed && diff_ignores(input, field);
	const struct value *wanted = is_left ? NULL : side->wanted;
	if (!owed || !input->live || diff_field(field, owed, side->live) != UNLIKE ||
	    (wanted && diff_field(field, wanted, side->live) != LIKE))
		return is_left;
	if (!wanted)
		value_builder_member(&diffing->constants, slice_of(field->name), *owed);
	diff_add(diffing, field, slice_of(field->name), CAUSE_INTENT, wanted ? EFFECT_RECORD : EFFECT_SET,
		 wanted ? owed : side->live, wanted ? wanted : owed);
	return true;
}

/* Items of which a read told once, and tells no more: nothing brings them back but people, or a new object. */
static void judge_gone(struct diffing *diffing, const struct field *field, struct side *side)
{
	struct arena *arena = diffing->arena;
	const struct value *lost = made_lost(field, side->wanted, side->made, side->live, arena);
	const struct value *seen = made_left(field, side->wanted, side->observed, side->live, arena);
	const struct value *left = made_left(field, side->wanted, side->made, side->live, arena);
	for (uint32_t i = 0; lost && i < lost->count; i++)
		diff_add(diffing, field, diff_item_path(field, slice_of(field->name), &lost->items[i], arena),
			 CAUSE_DRIFT, EFFECT_LOST, NULL, &lost->items[i]);
	if (seen && !value_equal(seen, side->observed))
		diff_add(diffing, field, slice_of(field->name), CAUSE_DRIFT, EFFECT_SHOW, side->observed, seen);
	if (left)
		side->made = left;
}

/* Of what no read gives back for sure: what the record knows, with what is read of it all the same. */
static void take_made(struct diffing *diffing, const struct field *field, struct side *side)
{
	const struct diff_input *input = diffing->input;
	side->made = side->applied;
	if (field_is_told(field, side->live))
		side->made = side->live;
	else if (made_is_kept(field))
		side->made = made_known(field, side->applied, side->observed, diffing->arena);
	if (!made_has_seen(field))
		return;
	if (input->live && input->observed && !input->unfinished && !diff_is_unread(side->live))
		judge_gone(diffing, field, side);
	side->made = made_now(field, side->wanted, side->made, side->live, diffing->arena);
	side->live = side->live_sealed = input->live ? side->made : NULL;
}

/*
 * Others have taken the object from where alone such a set is read, and it is to be back there: what was seen of the
 * set then is there again with that. What of it is not wanted is taken away; of what is wanted nothing is claimed.
 */
static void add_unshown(struct diffing *diffing, const struct field *field, struct side *side)
{
	const struct diff_input *input = diffing->input;
	const struct value *wanted = field->read_by && input->live ? diff_member(input->wanted, field->read_by) : NULL;
	/* Not recorded where a run was cut off between leaving another place and coming back. */
	const struct value *was = wanted ? diff_member(input->applied, field->read_by) : NULL;
	const struct value *now = wanted ? diff_member(input->live, field->read_by) : NULL;
	bool is_away = wanted && (!was || value_equal(was, wanted)) && !(now && value_equal(now, wanted));
	VALUE_BUILDER_AUTO all;
	struct diff_index kept, shown;

	value_builder_init(&all);
	if (!is_away || diff_is_unread(now) || diff_is_unread(side->live) || !value_is(side->observed, VALUE_LIST))
		return;
	diff_index_init(&kept, field, side->wanted, diffing->arena);
	diff_index_init(&shown, field, side->live, diffing->arena);
	for (uint32_t i = 0; value_is(side->live, VALUE_LIST) && i < side->live->count; i++)
		value_builder_item(&all, side->live->items[i]);
	for (uint32_t i = 0; i < side->observed->count; i++)
		if (!diff_index_find(&kept, &side->observed->items[i]) &&
		    !diff_index_find(&shown, &side->observed->items[i]))
			value_builder_item(&all, side->observed->items[i]);
	diff_index_release(&kept);
	diff_index_release(&shown);
	struct value *there = arena_new(diffing->arena, struct value);
	*there = value_builder_list(&all, diffing->arena);
	side->live = side->live_sealed = there;
}

/* The map as it would be recorded. */
static const struct value *sealed_of(const struct diff_input *input, const struct value *map, struct arena *arena)
{
	if (!input->style || !map || !value_has_secret(map))
		return map;
	struct value *sealed = arena_new(arena, struct value);
	*sealed = json_seal(arena, map, input->style);
	return sealed;
}

void diff_resource(const struct diff_input *input, struct arena *arena, struct difference *ret)
{
	struct diffing diffing = {.input = input, .arena = arena, .result = ret};
	const struct value *sealed = sealed_of(input, input->wanted, arena);
	const struct value *live_sealed = sealed_of(input, input->live, arena);
	*ret = (struct difference){0};
	value_builder_init(&diffing.constants);
	value_builder_init(&diffing.released);
	for (size_t i = 0; !input->outputs_only && i < input->kind->fields.count; i++) {
		const struct field *field = field_at(&input->kind->fields, i);
		bool part = (field->flags & SETTLES) != 0;
		if ((input->parts_only && !part) || (input->fields_only && part) || is_ignored(input, field))
			continue;
		struct side side = {
			.wanted = diff_member(input->wanted, field->name),
			.sealed = diff_member(sealed, field->name),
			.applied = diff_member(input->applied, field->name),
			.observed = diff_member(input->observed, field->name),
			.live = diff_member(input->live, field->name),
			.live_sealed = diff_member(live_sealed, field->name),
		};
		if (judge_before(&diffing, field, &side) || judge_owed(&diffing, field, &side))
			continue;
		take_made(&diffing, field, &side);
		if (side.wanted || side.applied)
			add_unshown(&diffing, field, &side);
		if (side.wanted)
			judge_wanted(&diffing, field, &side);
		else if (side.applied || diff_member(input->restores, field->name))
			judge_released(&diffing, field, &side);
		else
			judge_unmanaged(&diffing, field, &side);
	}
	if (!input->parts_only)
		diff_judge_outputs(&diffing);
	ret->constants = value_builder_map(&diffing.constants, arena);
	ret->released = value_builder_map(&diffing.released, arena);
	value_builder_release(&diffing.constants);
	value_builder_release(&diffing.released);
}
