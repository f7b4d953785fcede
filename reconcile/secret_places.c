#define _GNU_SOURCE 1 /* memmem() */
#include "reconcile/secret_places.h"

#include <assert.h>
#include <string.h>

#include "reconcile/diff_field.h"

/* One place in live, and what the models have there. */
struct place {
	struct arena *arena;
	const struct json_style *style;
	const struct value *models[SECRET_PLACES_MODELS_MOST];
	size_t count;
};

static void add_model(struct place *place, const struct value *model)
{
	if (value_if_set(model))
		place->models[place->count++] = model;
}

static struct place within(const struct place *place)
{
	return (struct place){.arena = place->arena, .style = place->style};
}

static bool has_secret(const struct place *place)
{
	for (size_t i = 0; i < place->count; i++)
		if (value_has_secret(place->models[i]))
			return true;
	return false;
}

/* A list or map of which nothing but a fingerprint, or an expression, is there: that is what each part comes from. */
static bool is_secret_as_one(const struct value *model)
{
	return model->type != VALUE_MAP && model->type != VALUE_LIST && value_has_secret(model);
}

/* live and model: sealed. Whether every secret of model is a part of the text. */
static bool has_secrets_of(const struct value *live, const struct value *model)
{
	bool all = true, found = false;

	if (!value_has_secret(model))
		return true;
	if (model->type == VALUE_DEFERRED)
		return has_secrets_of(live, model->deferred->secrets);
	for (uint32_t i = 0; model->type == VALUE_LIST && i < model->count; i++)
		all &= has_secrets_of(live, &model->items[i]);
	for (uint32_t i = 0; model->type == VALUE_MAP && i < model->count; i++)
		all &= has_secrets_of(live, &model->members[i].value);
	if (model->type != VALUE_STRING)
		return all;
	const struct segment whole = {value_slice(model), true};
	const struct segment *secrets = model->segmented ? model->segments->segments : &whole;

	for (size_t i = 0; i < (model->segmented ? model->segments->count : 1); i++, found = false) {
		for (size_t k = 0; secrets[i].secret && !found && k < live->segments->count; k++)
			found = live->segments->segments[k].secret &&
				slice_equal(live->segments->segments[k].text, secrets[i].text);
		all &= found || !secrets[i].secret;
	}
	return all;
}

/* Whether nothing of live can be a secret that is not marked. */
static bool is_known(const struct place *place, const struct value *live)
{
	const struct value sealed = json_seal(place->arena, live, place->style);
	bool all = live->segmented;

	for (size_t i = 0; i < place->count; i++) {
		const struct value model = json_seal(place->arena, place->models[i], place->style);

		if (value_equal(&model, &sealed))
			return true;
		all = all && has_secrets_of(&sealed, &model);
	}
	return all;
}

/* Where the text that is no secret begins, or text.size + 1: it is not there. */
static size_t find_clear(const struct segmented *model, size_t which, struct slice text, size_t from)
{
	struct slice rest = slice_from(text, from), clear = model->segments[which].text;
	const char *found;

	if (clear.size > rest.size)
		return text.size + 1;
	if (which + 1 == model->count)
		return slice_ends_with(rest, clear) ? text.size - clear.size : text.size + 1;
	found = (const char *)memmem(rest.data, rest.size, clear.data, clear.size);
	return found && (which > 0 || found == rest.data) ? from + (size_t)(found - rest.data) : text.size + 1;
}

/* Whether live has all texts of model that are no secret, in their order; what stands between them is marked. */
static bool mark_between(const struct place *place, const struct value *model, struct value *live)
{
	const struct segmented *segmented = model->segments;
	struct segment *parts = arena_new_array(place->arena, 2 * segmented->count, struct segment);
	struct slice text = value_slice(live);
	size_t count = 0, at = 0;

	for (size_t i = 0; i <= segmented->count; i++) {
		bool ends = i == segmented->count;
		size_t begin = ends ? text.size : at;

		if (!ends && segmented->segments[i].secret)
			continue;
		if (!ends)
			begin = find_clear(segmented, i, text, at);
		if (begin > text.size)
			return false;
		if (begin > at)
			parts[count++] = (struct segment){{text.data + at, begin - at}, true};
		if (ends)
			break;
		parts[count++] = (struct segment){segmented->segments[i].text, false};
		at = begin + segmented->segments[i].text.size;
	}
	*live = value_at(value_segments(place->arena, parts, count), live->position);
	return true;
}

static struct value hide_scalar(const struct place *place, struct value live)
{
	bool hidden = live.secret && (!live.segmented || live.style == VALUE_STYLE_SEALED);

	if (hidden || live.type == VALUE_NULL || live.type == VALUE_UNREAD || is_known(place, &live))
		return live;
	for (size_t i = 0; live.type == VALUE_STRING && i < place->count; i++)
		if (place->models[i]->type == VALUE_STRING && place->models[i]->segmented &&
		    mark_between(place, place->models[i], &live))
			return live;
	return value_secret(place->arena, live);
}

static struct value hide(const struct place *place, const struct field *field, const struct value *live);

static struct value hide_members(const struct place *place, const struct fields *fields, const struct field *item,
				 const struct value *live)
{
	struct value_member *members = arena_new_array(place->arena, live->count, struct value_member);
	struct value marked = *live;

	for (uint32_t i = 0; i < live->count; i++) {
		struct slice name = value_slice(&live->members[i].key);
		struct place member = within(place);

		for (size_t k = 0; k < place->count; k++)
			add_model(&member, is_secret_as_one(place->models[k]) ? place->models[k]
									      : value_get(place->models[k], name));
		members[i] = (struct value_member){
			live->members[i].key,
			hide(&member, fields ? field_named(fields, name) : item, &live->members[i].value)};
	}
	marked.members = members;
	return marked;
}

/* The models' items with the key of each; of others nothing tells which they were. */
static struct value hide_set(const struct place *place, const struct field *set, const struct value *live)
{
	struct value *items = arena_new_array(place->arena, live->count, struct value);
	struct diff_index indexes[SECRET_PLACES_MODELS_MOST];
	struct value marked = *live;

	for (size_t k = 0; k < place->count; k++)
		diff_index_init(&indexes[k], set, place->models[k], place->arena);
	for (uint32_t i = 0; i < live->count; i++) {
		struct place item = within(place);

		items[i] = live->items[i];
		for (size_t k = 0; k < place->count; k++)
			add_model(&item, diff_index_find(&indexes[k], &items[i]));
		if (items[i].type == VALUE_MAP)
			items[i] = hide(&item, set->item, &items[i]);
	}
	for (size_t k = 0; k < place->count; k++)
		diff_index_release(&indexes[k]);
	marked.items = items;
	return marked;
}

static struct value hide_items(const struct place *place, const struct field *item, const struct value *live)
{
	struct value *items = arena_new_array(place->arena, live->count, struct value);
	struct value marked = *live;

	for (uint32_t i = 0; i < live->count; i++) {
		struct place one = within(place);

		for (size_t k = 0; k < place->count; k++) {
			const struct value *model = place->models[k];

			if (model->type == VALUE_LIST)
				add_model(&one, i < model->count ? &model->items[i] : NULL);
			else if (is_secret_as_one(model))
				add_model(&one, model);
		}
		items[i] = hide(&one, item, &live->items[i]);
	}
	marked.items = items;
	return marked;
}

/* Depth is that of live, which was read with a bound. */
static struct value hide(const struct place *place, const struct field *field, const struct value *live)
{
	if (!has_secret(place))
		return *live;
	if (live->type == VALUE_MAP)
		return hide_members(place, field && field->type == FIELD_OBJECT ? &field->members : NULL,
				    field ? field->item : NULL, live);
	if (live->type == VALUE_LIST)
		return field && field->type == FIELD_SET ? hide_set(place, field, live)
							 : hide_items(place, field ? field->item : NULL, live);
	return hide_scalar(place, *live);
}

struct value secret_places_hide(struct arena *arena, const struct json_style *style, const struct fields *fields,
				const struct value *live, const struct value *const *models, size_t model_count)
{
	struct place place = {.arena = arena, .style = style};

	assert(model_count <= SECRET_PLACES_MODELS_MOST);
	for (size_t i = 0; i < model_count; i++)
		add_model(&place, models[i]);
	return value_is(live, VALUE_MAP) && has_secret(&place) ? hide_members(&place, fields, NULL, live) : *live;
}
