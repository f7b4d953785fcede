#include "providers/aws/work.h"
#include "reconcile/diff_field.h"
#include "reconcile/own_items.h"
#include "reconcile/schema.h"

/* Which call comes next, to bring an object's parts to what is desired. */

enum { PART_BATCH_MOST = 64 };

/* Items that travel in one call. */
struct pick {
	const struct value *items[PART_BATCH_MOST];
	size_t count;
};

static const struct value *list_of(const struct value *value)
{
	return value && value_is(value, VALUE_LIST) ? value : NULL;
}

static size_t batch_of(const struct aws_part *part)
{
	size_t batch = part->items && part->batch ? part->batch : 1;
	return batch < PART_BATCH_MOST ? batch : PART_BATCH_MOST;
}

static bool holds_id(const struct value *value, const struct slice *ids, size_t count)
{
	if (value_is(value, VALUE_STRING))
		for (size_t i = 0; i < count; i++)
			if (ids[i].size && slice_equal(value_slice(value), ids[i]))
				return true;
	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count; i++)
		if (holds_id(&value->items[i], ids, count))
			return true;
	for (uint32_t i = 0; value_is(value, VALUE_MAP) && i < value->count; i++)
		if (holds_id(&value->members[i].value, ids, count))
			return true;
	return false;
}

bool aws_names_leaving(const struct work *work, const struct value *item)
{
	return holds_id(item, work->leaving_ids, work->leaving_count);
}

/* What is let go of ahead of a deletion. */
struct leaving {
	const struct work *work;
	struct own_items own;
	struct diff_index yields;
};

static const struct value *yielded_of(const struct work *work, const struct field *field)
{
	return list_of(work->yields ? value_get_named(work->yields, field->name) : NULL);
}

static void leaving_init(struct leaving *leaving, struct work *work, const struct field *field)
{
	leaving->work = work;
	own_items_init(&leaving->own, work->task.object, field, &work->task.scratch);
	diff_index_init(&leaving->yields, field, yielded_of(work, field), &work->task.scratch);
}

static void leaving_release(struct leaving *leaving)
{
	own_items_release(&leaving->own);
	diff_index_release(&leaving->yields);
}

/* From what stays nothing is taken for good that others have put there. */
static bool is_to_let_go(const struct leaving *leaving, const struct field *field, const struct value *item)
{
	const struct work *work = leaving->work;
	return work->unsettle_all || own_items_have(&leaving->own, item) ||
	       changes_end(work->changes, work->change_count, field, item);
}

/* The attachment without which no read shows the part, and no later phase can take it off; NULL: there is none. */
static const struct aws_field *read_through(const struct work *work, const struct aws_field *field)
{
	const char *of = field->part && field->detail ? field->detail->of : NULL;
	const struct field *read_by = of ? field_named(&work->kind->fields, slice_of(of)) : NULL;
	const struct aws_field *own = (const struct aws_field *)read_by;
	return own && own->attachment ? own : NULL;
}

/* What is read through an attachment is not to be there again, should the object stay and be attached once more. */
static bool must_leave(const struct leaving *leaving, const struct aws_field *own, const struct value *item)
{
	const struct work *work = leaving->work;
	const struct field *field = &own->field;
	bool holds = work->unsettle_all && ((field->flags & HOLDS) || read_through(work, own));
	bool names = aws_names_leaving(work, item) && is_to_let_go(leaving, field, item);
	return names || (holds && own_items_have(&leaving->own, item)) || diff_index_find(&leaving->yields, item);
}

/*
 * What the other end may say as well (MIRRORED) is taken away where the plan, which knows both, has it: that end's spec
 * may have it now. Nothing is taken from what is made anew: what is there by then the other end has put there.
 */
static bool is_kept(const struct work *work, const struct field *field, const struct value *item)
{
	return (field->flags & MIRRORED) && !changes_end(work->changes, work->change_count, field, item);
}

/* The items now there that must go. */
static void pick_removals(struct work *work, const struct aws_field *field, bool leaving, struct pick *ret)
{
	const struct value *now = list_of(aws_now(work, field));
	const struct value *wanted = list_of(work->desired ? value_get_named(work->desired, field->field.name) : NULL);
	size_t batch = batch_of(field->part);
	struct diff_index index;
	struct leaving leaves;
	diff_index_init(&index, &field->field, wanted, &work->task.scratch);
	leaving_init(&leaves, work, &field->field);
	for (uint32_t i = 0; now && i < now->count && ret->count < batch; i++) {
		const struct value *item = &now->items[i];
		const struct value *mine = diff_index_find(&index, item);
		bool differs = mine && diff_field(field->field.item, mine, item) == UNLIKE;
		bool goes = mine ? differs && !field->part->change.operation : !is_kept(work, &field->field, item);
		if (leaving ? must_leave(&leaves, field, item) : goes)
			ret->items[ret->count++] = item;
	}
	diff_index_release(&index);
	leaving_release(&leaves);
}

/* The items desired that are not there, or, with changes, are there but differ. */
static void pick_additions(struct work *work, const struct aws_field *field, bool changes, struct pick *ret)
{
	const struct value *now = list_of(aws_now(work, field));
	const struct value *wanted = list_of(work->desired ? value_get_named(work->desired, field->field.name) : NULL);
	size_t batch = batch_of(field->part);
	struct diff_index index;
	diff_index_init(&index, &field->field, now, &work->task.scratch);
	for (uint32_t i = 0; wanted && i < wanted->count && ret->count < batch; i++) {
		const struct value *item = &wanted->items[i];
		const struct value *there = diff_index_find(&index, item);
		bool differs = there && diff_field(field->field.item, item, there) == UNLIKE;
		if (changes ? differs : !there)
			ret->items[ret->count++] = item;
	}
	diff_index_release(&index);
}

/* Adds an item's members. What is taken away is named by its keys; the rest would be unknown to that call. */
static void add_members(const struct aws_field *item, const struct value *value, bool removed,
			struct aws_parameters *parameters, struct arena *arena)
{
	aws_encode_members(&item->field.members, value, removed ? AWS_MEMBERS_KEYS : AWS_MEMBERS_ALL, parameters,
			   arena);
}

static struct value encode_item(struct work *work, const struct aws_field *field, const struct value *value,
				bool removed)
{
	const struct aws_field *item = (const struct aws_field *)field->field.item;
	const struct aws_part *part = field->part;
	struct arena *arena = &work->task.scratch;
	struct aws_parameters parameters = {.count = 0};
	if (item->encode || item->field.type != FIELD_OBJECT)
		return aws_encode(item, value, arena);
	if (part->item_id)
		aws_parameter_add(&parameters, part->item_id, value_string(work->task.object->provider_id));
	for (const char *const *fixed = part->item_fixed; fixed && fixed[0]; fixed += 2)
		aws_parameter_add(&parameters, fixed[0], value_text(fixed[1]));
	add_members(item, value, removed, &parameters, arena);
	return aws_parameters_value(&parameters, arena);
}

static struct value encode_picked(struct work *work, const struct aws_field *field, const struct pick *pick,
				  bool removed)
{
	struct value *values = arena_new_array(&work->task.scratch, pick->count, struct value);
	for (size_t i = 0; i < pick->count; i++)
		values[i] = encode_item(work, field, pick->items[i], removed);
	return value_list(values, pick->count);
}

/* Some parts are removed by an id of their own, which the object's output tells by their key. */
static const struct value *removal_id(const struct work *work, const struct aws_field *field, const struct value *item,
				      struct arena *arena)
{
	const struct value *ids = value_get_named(&work->now.outputs, field->part->removal_output);
	return ids ? value_get(ids, schema_item_key(field->field.item, item, arena)) : NULL;
}

static struct value items_after(const struct work *work, const struct aws_field *field, const struct pick *pick,
				bool removed, struct arena *arena)
{
	const struct value *now = list_of(aws_now(work, field));
	struct slice picked[PART_BATCH_MOST];
	VALUE_BUILDER_AUTO builder;
	/* For this once: there is a key for each item, and a call for each few of them. */
	struct arena keys;
	arena_init(&keys);
	value_builder_init(&builder);
	for (size_t k = 0; k < pick->count; k++)
		picked[k] = schema_item_key(field->field.item, pick->items[k], &keys);
	for (uint32_t i = 0; now && i < now->count; i++) {
		struct slice key = schema_item_key(field->field.item, &now->items[i], &keys);
		bool touched = false;
		for (size_t k = 0; k < pick->count && !touched; k++)
			touched = slice_equal(key, picked[k]);
		if (!touched)
			value_builder_item(&builder, now->items[i]);
	}
	arena_release(&keys);
	for (size_t k = 0; !removed && k < pick->count; k++)
		value_builder_item(&builder, *pick->items[k]);
	return value_builder_list(&builder, arena);
}

static void choose_part(struct work *work, const struct aws_field *field, const struct aws_call *call,
			const struct pick *pick, bool removed)
{
	const struct aws_field *item = (const struct aws_field *)field->field.item;
	const struct aws_part *part = field->part;
	struct arena *arena = &work->task.scratch;
	struct aws_parameters parameters = {.count = 0};
	aws_call_begin(work, call, &parameters);
	const struct value *id =
		removed && part->removal_member ? removal_id(work, field, pick->items[0], arena) : NULL;
	if (id)
		aws_parameter_add(&parameters, part->removal_member, *id);
	else if (part->items)
		aws_parameter_add(&parameters, part->items, encode_picked(work, field, pick, removed));
	else if (item->field.type == FIELD_OBJECT)
		add_members(item, pick->items[0], removed, &parameters, arena);
	else
		aws_parameter_add(&parameters, item->member, *pick->items[0]);
	aws_choose_value(work, call, &parameters, field, items_after(work, field, pick, removed, arena));
	aws_change_of(work)->added = removed || part->items ? NULL : pick->items[0];
}

static bool next_call_of(struct work *work, const struct aws_field *field, bool leaving)
{
	struct pick pick = {.count = 0};
	pick_removals(work, field, leaving, &pick);
	if (pick.count) {
		choose_part(work, field, &field->part->remove, &pick, true);
		return true;
	}
	if (leaving)
		return false;
	pick_additions(work, field, false, &pick);
	if (pick.count) {
		choose_part(work, field, &field->part->add, &pick, false);
		return true;
	}
	pick_additions(work, field, true, &pick);
	if (pick.count && field->part->change.operation) {
		choose_part(work, field, &field->part->change, &pick, false);
		return true;
	}
	return false;
}

/* Parts that others must wait for are made with the object itself: they have no SETTLES. */
static bool is_of_phase(const struct work *work, const struct aws_field *field)
{
	bool settles = (field->field.flags & SETTLES) != 0;
	return work->phase == PHASE_UNSETTLE || settles == (work->phase == PHASE_SETTLE);
}

/*
 * What cannot be read cannot be compared: adding to it would be a guess. Only what this work itself has just made has
 * nothing of it yet; its items are sent once.
 */
static bool is_sent_unread(struct work *work, const struct aws_field *field, bool leaving)
{
	struct aws_change *change = aws_change_of(work);
	if (leaving || aws_was_sent(work, &field->field))
		return false;
	if (change->created_ms > 0)
		return true;
	change->unread_part = field;
	return false;
}

static bool others_item_leaves(void *context, const struct field *set, const struct value *item)
{
	const struct work *work = context;
	const struct value *yielded = yielded_of(work, set);
	bool leaves = aws_names_leaving(work, item);
	for (uint32_t i = 0; !leaves && yielded && i < yielded->count; i++)
		leaves = value_equal(&yielded->items[i], item);
	return leaves;
}

struct slice aws_others_items(struct work *work)
{
	return others_items(work->task.object, work->kind, &work->now.fields, others_item_leaves, work,
			    &work->task.scratch);
}

bool aws_next_part_call(struct work *work)
{
	bool leaving = work->phase == PHASE_UNSETTLE;
	for (size_t i = 0; i < work->kind->fields.count; i++) {
		const struct aws_field *field = aws_field_at(&work->kind->fields, i);
		if (!field->part || !is_of_phase(work, field))
			continue;
		const struct value *now = aws_now(work, field);
		bool wanted = work->desired && value_get_named(work->desired, field->field.name);
		if (!leaving && ((!wanted && !aws_is_released(work, field)) || !aws_is_planned(work, field)))
			continue;
		if (now && value_is(now, VALUE_UNREAD) && !is_sent_unread(work, field, leaving))
			continue;
		if (next_call_of(work, field, leaving))
			return true;
	}
	return false;
}

/* The plan says so, and that nothing is done about it. */
static bool is_left_unread(const struct work *work, const struct aws_field *field)
{
	for (size_t i = 0; i < work->change_count; i++)
		if (work->changes[i].field == &field->field && work->changes[i].effect == EFFECT_UNREAD)
			return true;
	return false;
}

/* The next part that a detachment would hide, and what of it goes first; NULL: none. */
static const struct aws_field *next_hidden_part(struct work *work, struct pick *ret)
{
	bool detaches =
		(work->phase == PHASE_MAKE && !work->creating) || (work->phase == PHASE_UNSETTLE && work->vacates);
	const struct aws_field *attachment = detaches ? aws_wrong_attachment(work) : NULL;
	if (!attachment || !aws_now(work, attachment))
		return NULL;
	for (size_t i = 0; i < work->kind->fields.count; i++) {
		const struct aws_field *field = aws_field_at(&work->kind->fields, i);
		const struct value *now = aws_now(work, field);
		if (read_through(work, field) != attachment)
			continue;
		if (is_left_unread(work, field))
			aws_change_of(work)->unread_part = field;
		if (!aws_is_planned(work, field))
			continue;
		if (now && value_is(now, VALUE_UNREAD) && !is_sent_unread(work, field, false))
			continue;
		pick_removals(work, field, false, ret);
		if (ret->count)
			return field;
	}
	return NULL;
}

bool aws_next_hidden_part_call(struct work *work)
{
	struct pick pick = {.count = 0};
	const struct aws_field *field = next_hidden_part(work, &pick);
	if (field)
		choose_part(work, field, &field->part->remove, &pick, true);
	return field;
}

/* Fields that are attached to one other thing: detach what is wrong, wait, attach what is right. */
const struct aws_field *aws_wrong_attachment(const struct work *work)
{
	bool leaves = phase_leaves(work->phase);
	for (size_t i = 0; i < work->kind->fields.count; i++) {
		const struct aws_field *field = aws_field_at(&work->kind->fields, i);
		if (!field->attachment || (!leaves && !aws_is_planned(work, field)))
			continue;
		const struct value *now = aws_now(work, field);
		const struct value *wanted = work->desired ? value_get_named(work->desired, field->field.name) : NULL;
		if (!leaves && !wanted && !aws_is_released(work, field))
			continue;
		if (diff_field(&field->field, wanted, now) == UNLIKE)
			return field;
	}
	return NULL;
}

bool aws_would_hide_part(struct work *work)
{
	struct aws_change *change = aws_change_of(work);
	struct pick pick = {.count = 0};
	change->unread_part = NULL;
	return next_hidden_part(work, &pick) || (change->unread_part && !change->verified);
}
