#include "reconcile/diff.h"

/*
 * What the spec leaves to others may be bounded by what it says: the capacity of a group. Who lowers the most that it
 * may have lowers the capacity too, and things end, though no call says so.
 */

static const struct value *integer_of(const struct value *value)
{
	return value && value_is(value, VALUE_INTEGER) ? value : NULL;
}

static struct change *find_change(const struct difference *difference, const char *name)
{
	for (size_t i = 0; i < difference->count; i++)
		if (difference->changes[i].field && strcmp(difference->changes[i].field->name, name) == 0)
			return &difference->changes[i];
	return NULL;
}

/* What the bound becomes; NULL: it stays, or is not known yet. A bound that stays moves nothing. */
static const struct value *new_bound(const struct difference *difference, const char *name)
{
	for (size_t i = 0; name && i < difference->count; i++) {
		const struct change *change = &difference->changes[i];
		if (change->effect == EFFECT_SET && change->field && strcmp(change->field->name, name) == 0)
			return integer_of(&change->after);
	}
	return NULL;
}

static int64_t within(const struct field *field, int64_t now, const struct difference *difference)
{
	const struct value *least = new_bound(difference, field->at_least);
	const struct value *most = new_bound(difference, field->at_most);
	if (least && now < least->integer)
		return least->integer;
	return most && now > most->integer ? most->integer : now;
}

/* A change more, behind the others. */
static struct change *add_change(struct difference *difference, struct arena *arena)
{
	struct change *changes = arena_new_array(arena, difference->count + 1, struct change);
	if (difference->count > 0)
		memcpy(changes, difference->changes, difference->count * sizeof(*changes));
	difference->changes = changes;
	return &changes[difference->count++];
}

void diff_bounds(const struct kind *kind, const struct value *now, struct arena *arena, struct difference *ret)
{
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		bool bounded = field->at_least || field->at_most;
		const struct value *is = bounded ? integer_of(value_get_named(now, field->name)) : NULL;
		struct change *told = is ? find_change(ret, field->name) : NULL;
		int64_t becomes = is ? within(field, is->integer, ret) : 0;
		if (!is || becomes == is->integer || (told && told->effect == EFFECT_SET))
			continue;
		if (!told)
			told = add_change(ret, arena);
		*told = (struct change){
			.path = slice_of(field->name),
			.field = field,
			.cause = CAUSE_TARGET,
			.effect = EFFECT_BOUND,
			.before = *is,
			.after = value_integer(becomes),
		};
	}
}
