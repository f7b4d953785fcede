#include "reconcile/secret_known.h"

#include "base/redaction.h"
#include "reconcile/diff_field.h"

/* One field, and what is said of it. */
struct known_place {
	struct arena *arena;
	const struct redaction *secrets;
	const struct value **said;
	size_t said_count;
};

static bool is_known(const struct redaction *secrets, const struct value *value)
{
	return value->type == VALUE_STRING && !value->secret && redaction_finds(secrets, value_slice(value));
}

static bool has_known(const struct redaction *secrets, const struct value *value)
{
	bool found = is_known(secrets, value);

	for (uint32_t i = 0; !found && value->type == VALUE_LIST && i < value->count; i++)
		found = has_known(secrets, &value->items[i]);
	for (uint32_t i = 0; !found && value->type == VALUE_MAP && i < value->count; i++)
		found = has_known(secrets, &value->members[i].value);
	return found;
}

static bool says(const struct value *said, struct slice text)
{
	bool found = said->type == VALUE_STRING && !said->secret && slice_equal(value_slice(said), text);

	for (uint32_t i = 0; !found && said->type == VALUE_LIST && i < said->count; i++)
		found = says(&said->items[i], text);
	for (uint32_t i = 0; !found && said->type == VALUE_MAP && i < said->count; i++)
		found = says(&said->members[i].value, text);
	return found;
}

static bool is_said(const struct known_place *place, struct slice text)
{
	for (size_t i = 0; i < place->said_count; i++)
		if (says(place->said[i], text))
			return true;
	return false;
}

/* text, which has some, with each form marked. */
static struct value hide_text(const struct known_place *place, const struct value *text)
{
	struct slice rest = value_slice(text), form;
	struct segment *segments;
	size_t count = 0;

	for (; (form = redaction_find(place->secrets, rest)).size > 0; count++)
		rest = slice_from(rest, (size_t)(form.data - rest.data) + form.size);
	segments = arena_new_array(place->arena, 2 * count + 1, struct segment);
	rest = value_slice(text);
	count = 0;
	while ((form = redaction_find(place->secrets, rest)).size > 0) {
		size_t before = (size_t)(form.data - rest.data);

		segments[count++] = (struct segment){slice_first(rest, before), false};
		segments[count++] = (struct segment){form, true};
		rest = slice_from(rest, before + form.size);
	}
	segments[count++] = (struct segment){rest, false};
	return value_at(value_segments(place->arena, segments, count), text->position);
}

/* Depth is that of live, which was read with a bound. */
static struct value hide(const struct known_place *place, const struct value *live)
{
	struct value hidden = *live;

	if (!has_known(place->secrets, live))
		return hidden;
	if (live->type == VALUE_STRING)
		return is_said(place, value_slice(live)) ? hidden : hide_text(place, live);
	if (live->type == VALUE_LIST) {
		struct value *items = arena_new_array(place->arena, live->count, struct value);

		for (uint32_t i = 0; i < live->count; i++)
			items[i] = hide(place, &live->items[i]);
		hidden.items = items;
	} else {
		struct value_member *members = arena_new_array(place->arena, live->count, struct value_member);

		for (uint32_t i = 0; i < live->count; i++)
			members[i] = (struct value_member){live->members[i].key, hide(place, &live->members[i].value)};
		hidden.members = members;
	}
	return hidden;
}

/* A text that a service writes in its own way is said all the same: a policy. */
static struct value hide_field(const struct known_place *all, const struct field *field,
			       const struct value_member *member)
{
	const struct value **said = arena_new_array(all->arena, all->said_count, const struct value *);
	struct known_place place = {all->arena, all->secrets, said, 0};

	for (size_t i = 0; i < all->said_count; i++) {
		const struct value *value = value_get_given(all->said[i], value_slice(&member->key));

		if (value && field && diff_field(field, value, &member->value) == LIKE)
			return member->value;
		if (value)
			said[place.said_count++] = value;
	}
	return hide(&place, &member->value);
}

bool secret_known_is_in(const struct json_style *style, const struct value *live)
{
	return style && style->known && style->known->count > 0 && has_known(style->known, live);
}

struct value secret_known_hide(struct arena *arena, const struct json_style *style, const struct fields *fields,
			       const struct value *live, const struct value *const *said, size_t said_count)
{
	struct value hidden = *live;

	if (!value_is(live, VALUE_MAP) || !secret_known_is_in(style, live))
		return hidden;
	const struct value **given = arena_new_array(arena, said_count, const struct value *);
	struct known_place place = {arena, style->known, given, 0};
	struct value_member *members = arena_new_array(arena, live->count, struct value_member);

	for (size_t i = 0; i < said_count; i++)
		if (value_is(said[i], VALUE_MAP))
			given[place.said_count++] = said[i];
	for (uint32_t i = 0; i < live->count; i++) {
		const struct value_member *member = &live->members[i];
		bool known = has_known(style->known, &member->value);
		const struct field *field = known ? field_named(fields, value_slice(&member->key)) : NULL;

		members[i] = known ? (struct value_member){member->key, hide_field(&place, field, member)} : *member;
	}
	hidden.members = members;
	return hidden;
}
