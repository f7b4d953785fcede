#include <string.h>

#include "reconcile/diff_parts.h"
#include "reconcile/ranges.h"

/* The changes that a difference consists of: how one is added, and what they make of values, outputs and ranges. */

static const char *const cause_words[] = {
	[CAUSE_INTENT] = "intent",
	[CAUSE_DRIFT] = "drift",
	[CAUSE_TARGET] = "target",
};
const struct names change_cause_names = NAMES(cause_words);

static const char *const effect_words[] = {
	[EFFECT_SET] = "set",
	[EFFECT_REPLACE] = "replace",
	[EFFECT_REPLACE_UNLESS_EQUAL] = "replace-unless-equal",
	[EFFECT_RELEASE] = "release",
	[EFFECT_SHOW] = "show",
	[EFFECT_RECORD] = "record",
	[EFFECT_UNREAD] = "unread",
	[EFFECT_CONFLICT] = "conflict",
	[EFFECT_LEFT] = "left",
	[EFFECT_BOUND] = "bound",
	[EFFECT_MOVED] = "moved",
	[EFFECT_LIFECYCLE] = "lifecycle",
	[EFFECT_LOST] = "lost",
	[EFFECT_DEAD] = "dead",
};
const struct names change_effect_names = NAMES(effect_words);

void diff_add(struct diffing *diffing, const struct field *field, struct slice path, enum change_cause cause,
	      enum change_effect effect, const struct value *before, const struct value *after)
{
	struct difference *result = diffing->result;
	result->changes = arena_room(diffing->arena, result->changes, result->count, &diffing->capacity,
				     sizeof(*result->changes));
	result->changes[result->count++] = (struct change){
		.path = path,
		.field = field,
		.cause = cause,
		.effect = effect,
		.before = before ? *before : value_null(),
		.after = after ? *after : value_null(),
	};
	result->drifted |= cause == CAUSE_DRIFT && effect != EFFECT_UNREAD && effect != EFFECT_LEFT;
	switch (effect) {
	case EFFECT_SET:
		*(field && (field->flags & SETTLES) ? &result->settles : &result->makes) = true;
		break;
	case EFFECT_REPLACE:
		result->replaces = true;
		break;
	case EFFECT_REPLACE_UNLESS_EQUAL:
		result->maybe_replaces = true;
		break;
	case EFFECT_RELEASE:
	case EFFECT_SHOW:
	case EFFECT_RECORD:
	case EFFECT_LIFECYCLE:
		result->records = true;
		break;
	case EFFECT_UNREAD:
		result->unread = true;
		break;
	case EFFECT_CONFLICT:
		result->conflicts = true;
		break;
	case EFFECT_LOST:
		result->lacks = true;
		break;
	case EFFECT_LEFT:
	case EFFECT_BOUND:
	case EFFECT_MOVED:
	case EFFECT_DEAD:
		break;
	}
}

void difference_add(struct difference *difference, const struct change *change, struct arena *arena)
{
	struct change *changes = arena_new_array(arena, difference->count + 1, struct change);

	for (size_t i = 0; i < difference->count; i++)
		changes[i] = difference->changes[i];
	changes[difference->count++] = *change;
	difference->changes = changes;
}

bool changes_renew(const struct change *changes, size_t count, const struct output *output)
{
	for (size_t i = 0; i < count; i++) {
		const struct change *change = &changes[i];
		if (change->effect == EFFECT_SET && (change->field ? output_renewed_by(output, change->field->name)
								   : slice_is(change->path, output->name)))
			return true;
	}
	return false;
}

bool changes_take_away(const struct change *changes, size_t count, const struct output *output)
{
	for (size_t i = 0; output->needs && i < count; i++) {
		const struct change *change = &changes[i];
		if (change->field && strcmp(change->field->name, output->needs) == 0 && change->effect == EFFECT_SET)
			return value_is(&change->after, VALUE_NULL) ||
			       (value_is(&change->after, VALUE_BOOL) && !change->after.boolean);
	}
	return false;
}

bool changes_set(const struct change *changes, size_t count, struct slice field)
{
	for (size_t i = 0; i < count; i++)
		if (changes[i].effect == EFFECT_SET && changes[i].field && slice_is(field, changes[i].field->name))
			return true;
	return false;
}

/* Whether a member that is SEEN, of the item that the path leads to, names others by then. */
static bool ends_within(const struct change *changes, size_t count, struct slice path, struct slice member,
			const struct value *id)
{
	for (size_t i = 0; i < count; i++) {
		const struct value *after = &changes[i].after;
		const struct value *names = value_is(after, VALUE_MAP) ? value_get(after, member) : NULL;

		if (changes[i].effect == EFFECT_SET && slice_equal(changes[i].path, path))
			return value_is(names, VALUE_LIST) && !value_holds(names, id);
	}
	return false;
}

bool changes_end_use(const struct change *changes, size_t count, const struct value *use)
{
	const struct value *path = value_get_named(use, "path"), *member = value_get_named(use, "member");

	return path && member &&
	       ends_within(changes, count, value_slice(path), value_slice(member), value_get_named(use, "id"));
}

bool changes_end(const struct change *changes, size_t count, const struct field *field, const struct value *value)
{
	for (size_t i = 0; i < count; i++) {
		const struct change *change = &changes[i];

		if (change->field && strcmp(change->field->name, field->name) == 0 && change->effect == EFFECT_SET &&
		    value_equal(&change->before, value))
			return true;
	}
	return field->seen_within &&
	       ends_within(changes, count, slice_of(field->seen_within), slice_of(field->name), value);
}

bool change_widens(const struct change *change)
{
	return change->field && change->field->range == RANGE_DOMAIN && change->effect == EFFECT_SET &&
	       !value_is(&change->after, VALUE_NULL);
}

bool changes_widen(const struct change *changes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (change_widens(&changes[i]))
			return true;
	return false;
}

bool changes_widen_around(const struct change *changes, size_t count, const struct cidr *range)
{
	for (size_t i = 0; i < count; i++)
		if (change_widens(&changes[i]) && ranges_around(&changes[i].after, range))
			return true;
	return false;
}
