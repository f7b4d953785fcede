#include "providers/aws/work.h"
#include "reconcile/diff_field.h"
#include "reconcile/made.h"
#include "reconcile/schema.h"

/* Which call comes next, to bring an object's own fields to what is desired. */

struct aws_change *aws_change_of(struct work *work)
{
	struct aws_change *change = work->detail;
	if (change)
		return change;
	change = arena_new(&work->task.scratch, struct aws_change);
	change->fields = arena_new_array(&work->task.scratch, work->kind->fields.count, const struct aws_field *);
	work->detail = change;
	return change;
}

const struct value *aws_now(const struct work *work, const struct aws_field *field)
{
	return value_if_set(value_get_named(&work->now.fields, field->field.name));
}

static bool is_ignored(const struct work *work, const struct aws_field *field)
{
	return slice_is_among(field->field.name, work->ignored, work->ignored_count);
}

/* Whether it is for others to say: the spec leaves it to them, or says nothing of it. */
static bool is_for_others(const struct work *work, const struct aws_field *field)
{
	return is_ignored(work, field) || !value_if_set(value_get_named(work->desired, field->field.name));
}

/*
 * Whether it is for others to say, and was switched off for an exchange of what it rests on. That is done of what is
 * on, so it is to be on again then, whatever the spec says.
 */
static bool is_to_restore(const struct work *work, const struct aws_field *field)
{
	return field->rests_on && is_for_others(work, field) && aws_was_sent(work, &field->field) &&
	       value_if_set(value_get_named(work->desired, field->rests_on));
}

const struct value *aws_wanted(const struct work *work, const struct aws_field *field)
{
	static const struct value on = {.type = VALUE_BOOL, .boolean = true};
	if (is_to_restore(work, field))
		return &on;
	return value_if_set(value_get_named(work->desired, field->field.name));
}

/*
 * What is there of the field, as far as a call could change it. Of what is read in part alone the rest is as wanted:
 * what differs there no call changes. Where not even that part is listed, the record tells.
 */
static const struct value *there_of(struct work *work, const struct aws_field *field)
{
	const struct value *now = aws_now(work, field), *wanted = aws_wanted(work, field);
	const struct value *recorded = value_get_named(&work->task.object->resolved, field->field.name);
	struct arena *arena = &work->task.scratch;
	if (!wanted || !made_has_seen(&field->field))
		return now;
	const struct value *known = made_now(&field->field, NULL, wanted, recorded, arena);
	return made_now(&field->field, NULL, known, now, arena);
}

bool aws_is_released(const struct work *work, const struct aws_field *field)
{
	return work->released && value_get_named(work->released, field->field.name);
}

static bool is_to_change(const struct work *work, const char *name)
{
	return name && changes_set(work->changes, work->change_count, slice_of(name));
}

static bool is_among_changes(const struct work *work, const struct aws_field *field)
{
	bool follows = !is_ignored(work, field) || is_to_restore(work, field);
	return is_to_change(work, field->field.name) || (follows && is_to_change(work, field->rests_on));
}

bool aws_is_planned(const struct work *work, const struct aws_field *field)
{
	return work->creating || is_among_changes(work, field);
}

static struct value with_field(const struct value *fields, const struct field *field, const struct value *value,
			       struct arena *arena)
{
	return value_with(fields, slice_of(field->name), value ? *value : value_null(), arena);
}

void aws_note_field(struct work *work, const struct field *field, const struct value *value)
{
	work->now.fields = with_field(&work->now.fields, field, value, &work->task.scratch);
}

void aws_note_sent(struct work *work, const struct field *field, const struct value *value)
{
	work->sent = with_field(&work->sent, field, value, &work->task.scratch);
}

bool aws_was_sent(const struct work *work, const struct field *field)
{
	return value_get_named(&work->sent, field->name) != NULL;
}

void aws_call_begin(const struct work *work, const struct aws_call *call, struct aws_parameters *parameters)
{
	const struct value *other = call->id_output ? value_get_named(&work->now.outputs, call->id_output) : NULL;
	parameters->count = 0;
	if (call->id)
		aws_parameter_add(parameters, call->id, other ? *other : value_string(work->task.object->provider_id));
	aws_parameters_fixed(parameters, aws_kind_of(work->kind), call->operation, call->fixed);
}

void aws_choose(struct work *work, const struct aws_call *call, const struct aws_parameters *parameters)
{
	struct aws_change *change = aws_change_of(work);
	change->call = call;
	change->parameters = *parameters;
	change->field_count = 0;
	change->has_after = false;
	change->added = NULL;
	change->renames = false;
	change->refusal = NULL;
}

void aws_choose_value(struct work *work, const struct aws_call *call, const struct aws_parameters *parameters,
		      const struct aws_field *field, struct value after)
{
	struct aws_change *change = aws_change_of(work);
	aws_choose(work, call, parameters);
	change->fields[0] = field;
	change->field_count = 1;
	change->has_after = true;
	change->after = after;
}

/* Whether the field wants a call now. A field that cannot be read is sent once, unseen. */
static bool wants_change(struct work *work, const struct aws_field *field)
{
	const struct value *wanted = aws_wanted(work, field);
	bool blind = (field->field.flags & WRITE_ONLY) && !made_has_seen(&field->field);
	if ((!field->update && !field->each && !field->amount) || field->part ||
	    (!wanted && !aws_is_released(work, field)) || !aws_is_planned(work, field))
		return false;
	/* No call changes it of this one. */
	if (field->field.immutable_with && field_is_immutable(&field->field, &work->now.outputs))
		return false;
	enum likeness likeness = blind ? LIKE_UNREAD : diff_field(&field->field, wanted, there_of(work, field));
	if (likeness == LIKE)
		return false;
	if (likeness != LIKE_UNREAD)
		return true;
	/* It travelled in the create call already: in this work's, or in that of a run that was cut off, and then the
	 * spec may have changed since. */
	bool has_travelled = work->creating && field->member &&
			     (aws_change_of(work)->created_ms > 0 || !is_among_changes(work, field));
	return !has_travelled && !aws_was_sent(work, &field->field);
}

/* A call that takes one field has no word for one that goes: it makes room by itself for what takes its place. */
static bool goes_unsaid(const struct work *work, const struct aws_field *field)
{
	return !aws_wanted(work, field) && field->update && field->update->one_field && !field->update_off &&
	       !field->cleared;
}

static bool is_off(const struct value *wanted)
{
	return !wanted || (value_is(wanted, VALUE_BOOL) && !wanted->boolean);
}

/* The call that changes a field from what is there to what is wanted. */
static const struct aws_call *update_of(const struct work *work, const struct aws_field *field)
{
	if (field->update_off &&
	    (is_off(aws_wanted(work, field)) || ((field->field.flags & EXCHANGED) && aws_now(work, field))))
		return field->update_off;
	if (field->update_several && value_is(&work->now.uses, VALUE_LIST) && work->now.uses.count > 0)
		return field->update_several;
	return field->update_first && !aws_now(work, field) ? field->update_first : field->update;
}

/*
 * Tags change by their keys: one call for those that go, one for those that come or change. In that order: there may be
 * no room for the new ones beside the old.
 */
static bool next_tag_call(struct work *work, const struct aws_kind *kind, const struct aws_field *field)
{
	const struct value *wanted = aws_wanted(work, field);
	const struct value *now = aws_now(work, field);
	struct arena *arena = &work->task.scratch;
	struct aws_parameters parameters = {.count = 0};
	VALUE_BUILDER_AUTO set;
	VALUE_BUILDER_AUTO gone;
	VALUE_BUILDER_AUTO kept;
	value_builder_init(&set);
	value_builder_init(&gone);
	value_builder_init(&kept);
	if (!aws_is_planned(work, field) || !wanted)
		return false;
	for (uint32_t i = 0; i < wanted->count; i++) {
		const struct value *there = now ? value_get(now, value_slice(&wanted->members[i].key)) : NULL;
		if (!there || !value_equal(there, &wanted->members[i].value))
			value_builder_member(&set, value_slice(&wanted->members[i].key), wanted->members[i].value);
	}
	for (uint32_t i = 0; now && i < now->count; i++) {
		struct slice key = value_slice(&now->members[i].key);
		value_builder_member(value_get(wanted, key) ? &kept : &gone, key, now->members[i].value);
	}
	struct value coming = value_builder_map(&set, arena);
	struct value going = value_builder_map(&gone, arena);
	if (coming.count == 0 && going.count == 0)
		return false;
	const struct aws_call *call = going.count ? &kind->untag : &kind->tag;
	if (!call->operation)
		call = going.count ? &aws_delete_tags : &aws_create_tags;
	aws_call_begin(work, call, &parameters);
	aws_parameter_add(&parameters, "Tags", aws_encode_tags(going.count ? &going : &coming, NULL, arena));
	aws_choose_value(work, call, &parameters, field, going.count ? value_builder_map(&kept, arena) : *wanted);
	return true;
}

/* Ignored, and not planned. What follows a change goes with it: others chose a version of another template. */
static bool is_left_to_others(const struct work *work, const struct aws_field *field)
{
	return is_ignored(work, field) && !aws_is_planned(work, field) && !is_to_change(work, field->field.follows);
}

/* What a call holds of a field, changed or not: what is wanted, or what others are to have there; a new whole also what
 * they put where nothing is wanted. */
static const struct value *sent_of(const struct work *work, const struct aws_field *field, const struct aws_call *call)
{
	const struct value *wanted = aws_wanted(work, field);
	const struct value *now = aws_now(work, field);
	bool is_unread = now && value_has_unread(now);
	if (is_left_to_others(work, field))
		return is_unread ? wanted : now;
	if (wanted || !call->whole || is_unread || aws_is_released(work, field))
		return wanted;
	return now;
}

static void add_field(struct work *work, const struct aws_field *field, const struct aws_call *call,
		      struct aws_parameters *parameters)
{
	const char *path = field->change ? field->change : field->member;
	const struct value *value = sent_of(work, field, call);
	struct arena *arena = &work->task.scratch;
	if (call == field->update_off || strcmp(path, "-") == 0)
		return;
	if (value && strcmp(path, "*") == 0)
		aws_encode_members(&field->field.members, value, AWS_MEMBERS_CHANGE, parameters, arena);
	else if (value)
		aws_parameter_add(parameters, path, aws_encode_change(field, value, arena));
	else if (field->cleared)
		aws_parameter_add(parameters, path, aws_constant(field->cleared, arena));
}

/* Whether both lie within one structure, which the API takes as a whole. */
static bool travel_together(const struct aws_field *a, const struct aws_field *b)
{
	const char *left = a->change ? a->change : a->member;
	const char *right = b->change ? b->change : b->member;
	size_t head = strcspn(left, ".");
	return left[head] == '.' && strncmp(left, right, head + 1) == 0;
}

static bool travels_with_a_change(struct work *work, const struct aws_field *field, const struct aws_call *call)
{
	for (size_t i = 0; i < work->kind->fields.count; i++) {
		const struct aws_field *other = aws_field_at(&work->kind->fields, i);
		if (other != field && other->update && update_of(work, other) == call &&
		    travel_together(field, other) && wants_change(work, other))
			return true;
	}
	return false;
}

/* What is let go of ahead of the change has nothing that is wanted yet. */
static bool is_managed(const struct work *work, const struct aws_field *field)
{
	if (work->phase == PHASE_UNSETTLE)
		return value_get_named(&work->task.object->resolved, field->field.name);
	return aws_wanted(work, field);
}

/* Whether another value comes in the place of the one that is taken away. */
static bool comes_another(const struct work *work, const struct aws_field *field)
{
	for (size_t i = 0; i < work->change_count; i++)
		if (work->changes[i].field == &field->field && work->changes[i].effect == EFFECT_SET)
			return value_if_set(&work->changes[i].after);
	return false;
}

/* What a value that is to be taken away holds up, or NULL: what is true, and is managed, is to be true again, or is
 * nobody's to keep. */
static const struct aws_field *resting_on(const struct work *work, const struct aws_field *field)
{
	bool again = comes_another(work, field);

	for (size_t i = 0; i < work->kind->fields.count; i++) {
		const struct aws_field *other = aws_field_at(&work->kind->fields, i);
		if (other->rests_on && strcmp(other->rests_on, field->field.name) == 0 &&
		    (again || is_managed(work, other) || !is_ignored(work, other)) && !is_off(aws_now(work, other)))
			return other;
	}
	return NULL;
}

/* One value makes room for another, and what rests on it for that. */
static void choose_exchange(struct work *work, const struct aws_field *field)
{
	const struct aws_field *resting = resting_on(work, field);
	struct aws_parameters parameters = {.count = 0};
	if (!resting) {
		aws_call_begin(work, field->update_off, &parameters);
		aws_choose_value(work, field->update_off, &parameters, field, value_null());
		return;
	}
	aws_call_begin(work, resting->update, &parameters);
	aws_parameter_add(&parameters, resting->change, value_bool(false));
	aws_choose_value(work, resting->update, &parameters, resting, value_bool(false));
}

/* All fields that differ and share the call travel together, where the call takes several. */
static void choose_update(struct work *work, const struct aws_field *first)
{
	const struct aws_call *call = update_of(work, first);
	struct aws_change *change = aws_change_of(work);
	struct aws_parameters parameters = {.count = 0};
	aws_call_begin(work, call, &parameters);
	aws_choose(work, call, &parameters);
	for (size_t i = 0; i < work->kind->fields.count; i++) {
		const struct aws_field *field = aws_field_at(&work->kind->fields, i);
		if (!field->update || update_of(work, field) != call || (call->one_field && field != first))
			continue;
		bool differs = wants_change(work, field);
		if (differs)
			change->fields[change->field_count++] = field;
		if (differs || call->whole || (sent_of(work, field, call) && travels_with_a_change(work, field, call)))
			add_field(work, field, call, &change->parameters);
	}
}

/* What of an item is to become different: at most so many of its members. */
static struct value differing_members(const struct fields *members, const struct value *wanted, const struct value *now,
				      size_t most, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	size_t count = 0;
	value_builder_init(&builder);
	for (size_t i = 0; i < members->count && count < most; i++) {
		const struct field *member = field_at(members, i);
		const struct value *mine = value_get_named(wanted, member->name);
		if (!mine || diff_field(member, mine, value_get_named(now, member->name)) != UNLIKE)
			continue;
		value_builder_member(&builder, slice_of(member->name), *mine);
		count++;
	}
	return value_builder_map(&builder, arena);
}

/* The place of the item among those that are there; `others` where it has none. */
static uint32_t place_of(const struct field *field, const struct value *items, uint32_t index,
			 const struct value *others, struct arena *arena)
{
	struct slice key = {0};
	if (field->type != FIELD_SET)
		return index;
	key = schema_item_key(field->item, &items->items[index], arena);
	for (uint32_t i = 0; i < others->count; i++)
		if (slice_equal(key, schema_item_key(field->item, &others->items[i], arena)))
			return i;
	return others->count;
}

/* The items as they are listed, or else as they are known to be, once that of the wanted one is changed. */
static struct value items_after(struct work *work, const struct aws_field *field, const struct value *wanted,
				uint32_t index, const struct value *changed)
{
	const struct value *listed = aws_now(work, field);
	const struct value *now = value_is(listed, VALUE_LIST) ? listed : there_of(work, field);
	struct arena *arena = &work->task.scratch;
	struct value *items = arena_new_array(arena, now->count, struct value);
	uint32_t place = place_of(&field->field, wanted, index, now, arena);
	memcpy(items, now->items, now->count * sizeof(*items));
	if (place < now->count)
		items[place] = value_overlaid(&now->items[place], changed, arena);
	return value_list(items, now->count);
}

/* What a call names an item by: an output tells it, the item as it is listed, or the item itself by its key. NULL:
 * nothing. */
static const struct value *name_of(struct work *work, const struct aws_field *field, const struct value *wanted,
				   uint32_t index)
{
	const struct value *item = &wanted->items[index], *listed = aws_now(work, field);
	const struct value *names =
		field->each->names_output ? value_get_named(&work->now.outputs, field->each->names_output) : NULL;
	if (field->each->names_output)
		return value_is(names, VALUE_LIST) && index < names->count ? &names->items[index] : NULL;
	if (field->each->name_member) {
		uint32_t place = value_is(listed, VALUE_LIST)
					 ? place_of(&field->field, wanted, index, listed, &work->task.scratch)
					 : 0;
		return value_is(listed, VALUE_LIST) && place < listed->count
			       ? value_get_named(&listed->items[place], field->each->name_member)
			       : NULL;
	}
	for (size_t i = 0; i < field->field.item->members.count; i++) {
		const struct field *member = field_at(&field->field.item->members, i);
		if (member->flags & KEY)
			return value_get_named(item, member->name);
	}
	return NULL;
}

/* The first item that differs gets a call of its own. */
static bool choose_item(struct work *work, const struct aws_field *field)
{
	const struct aws_each *each = field->each;
	const struct value *wanted = aws_wanted(work, field);
	const struct value *now = there_of(work, field);
	struct arena *arena = &work->task.scratch;
	const struct aws_field *item = (const struct aws_field *)field->field.item;
	for (uint32_t i = 0; wanted && value_is(now, VALUE_LIST) && i < wanted->count; i++) {
		uint32_t place = place_of(&field->field, wanted, i, now, arena);
		if (place >= now->count)
			continue;
		struct value changed = differing_members(&item->field.members, &wanted->items[i], &now->items[place],
							 each->change.one_field ? 1 : SIZE_MAX, arena);
		struct aws_parameters parameters = {.count = 0};
		if (changed.count == 0)
			continue;
		const struct value *name = name_of(work, field, wanted, i);
		if (!name)
			break;
		aws_call_begin(work, &each->change, &parameters);
		aws_parameter_add(&parameters, each->name, *name);
		if (each->item)
			aws_parameter_add(&parameters, each->item, aws_encode(item, &changed, arena));
		else
			aws_encode_members(&item->field.members, &changed, AWS_MEMBERS_CHANGE, &parameters, arena);
		aws_choose_value(work, &each->change, &parameters, field,
				 items_after(work, field, wanted, i, &changed));
		return true;
	}
	/* Nothing is known that a call could name. */
	aws_change_of(work)->refusal = "has items that cannot be changed, because the service does not list them";
	return true;
}

/* Those that are too many: first what is not recorded, for others have added it, and else the last. There are few. */
static struct value surplus_of(struct work *work, const struct aws_amount *amount, const struct value *names,
			       uint32_t count)
{
	const struct value *recorded = value_get_named(&work->task.object->outputs, amount->names_output);
	struct value *items = arena_new_array(&work->task.scratch, count, struct value);
	uint32_t missing = count;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = names->count; i > 0 && missing > 0; i--) {
			bool is_recorded = recorded && value_holds(recorded, &names->items[i - 1]);
			if (is_recorded == (pass == 1))
				items[--missing] = names->items[i - 1];
		}
	return value_list(items, count);
}

/* As many more as are missing, or those that are too many. */
static bool choose_amount(struct work *work, const struct aws_field *field)
{
	const struct aws_amount *amount = field->amount;
	const struct value *names = value_get_named(&work->now.outputs, amount->names_output);
	const struct value *number = aws_wanted(work, field);
	int64_t wanted = number ? number->integer : 0;
	uint32_t count = value_is(names, VALUE_LIST) ? names->count : 0;
	bool grows = wanted > count;
	const struct aws_call *call = grows ? &amount->more : &amount->fewer;
	struct aws_parameters parameters = {.count = 0};
	aws_call_begin(work, call, &parameters);
	if (grows)
		aws_parameter_add(&parameters, amount->number, value_integer(wanted - count));
	else
		aws_parameter_add(&parameters, amount->named,
				  surplus_of(work, amount, names, count - (uint32_t)wanted));
	aws_choose_value(work, call, &parameters, field, value_integer(wanted));
	return true;
}

static bool stops(const struct work *work, const struct aws_field *field)
{
	const char *running = work->kind->running;
	return (field->field.flags & PAUSES) || (running && strcmp(field->field.name, running) == 0);
}

/* What forbids that the object is stopped: it goes before anything that stops it, and comes after all of that. */
static bool comes_later(struct work *work, const struct aws_field *field)
{
	bool comes = field->field.bars_stop && !is_off(aws_wanted(work, field));
	bool later = false;
	for (size_t i = 0; (comes || stops(work, field)) && !later && i < work->kind->fields.count; i++) {
		const struct aws_field *other = aws_field_at(&work->kind->fields, i);
		bool before = comes ? stops(work, other) : other->field.bars_stop && is_off(aws_wanted(work, other));
		later = before && wants_change(work, other) && !goes_unsaid(work, other);
	}
	return later;
}

bool aws_next_field_call(struct work *work)
{
	const struct aws_kind *kind = aws_kind_of(work->kind);
	for (size_t i = 0; i < kind->kind.fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		if (strcmp(field->field.name, "tags") == 0 && kind->tags_member && !field->part) {
			if (next_tag_call(work, kind, field))
				return true;
			continue;
		}
		if (!wants_change(work, field) || goes_unsaid(work, field) || comes_later(work, field))
			continue;
		if (field->each)
			return choose_item(work, field);
		if (field->amount)
			return choose_amount(work, field);
		if ((field->field.flags & EXCHANGED) && update_of(work, field) == field->update_off)
			choose_exchange(work, field);
		else
			choose_update(work, field);
		return true;
	}
	return false;
}

bool aws_next_yielding_call(struct work *work)
{
	for (size_t i = 0; work->yields && i < work->kind->fields.count; i++) {
		const struct aws_field *field = aws_field_at(&work->kind->fields, i);
		const struct value *yielded = value_get_named(work->yields, field->field.name);
		if (!yielded || !(field->field.flags & EXCHANGED) ||
		    diff_field(&field->field, yielded, aws_now(work, field)) != LIKE)
			continue;
		choose_exchange(work, field);
		return true;
	}
	return false;
}

bool aws_next_alignment_call(struct work *work)
{
	const struct aws_alignment *alignment = aws_kind_of(work->kind)->alignment;
	struct aws_parameters parameters = {.count = 0};
	if (!alignment)
		return false;
	const struct output *aligned = output_named(&work->kind->outputs, slice_of(alignment->output));
	const struct value *output = value_get_named(&work->now.outputs, aligned->name);
	const struct value *wanted = value_get_named(&work->now.outputs, aligned->follows);
	if (!wanted || (output && value_equal(output, wanted)))
		return false;
	aws_call_begin(work, &alignment->call, &parameters);
	aws_parameter_add(&parameters, alignment->member, *wanted);
	aws_choose(work, &alignment->call, &parameters);
	return true;
}
