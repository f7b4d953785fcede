#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem() */
#endif

#include "reconcile/secret_marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/redaction.h"
#include "reconcile/diff_field.h"
#include "reconcile/schema_walk.h"

enum {
	FINGERPRINT_HEX = 64,
	/* Places tried for the end of one secret within a text, before it is taken for another text. */
	TRIES_MOST = 256,
	/* Shorter numbers are everywhere. */
	NUMBER_LEAST_BYTES = 4,
	NUMBER_MOST_BYTES = 64,
};

/* The texts of models that are secret, whole or in parts. */
struct marking {
	struct arena *arena;
	const struct json_style *style;
	const struct redaction *known; /* or NULL */
	const struct fields *fields;   /* of what is marked; NULL: it is outputs */
	const struct output *id;       /* of these, the one that stays as it is; or NULL */
	const struct value *const *given;
	size_t given_count;
	const struct value **models; /* owned: what of these is secret */
	size_t count;
	size_t capacity;
	struct slice *parts; /* owned: the secret texts within them that are known in clear */
	size_t part_count;
	size_t part_capacity;
	unsigned tries;			 /* left for the text at hand */
	char whole[FINGERPRINT_HEX + 1]; /* of the text at hand; empty: not taken yet */
	/* What is said of the field at hand, and the texts of that in clear: taken when one is asked for. */
	const struct value **said;
	size_t said_count;
	struct map texts;
};

static void add_part(struct marking *marking, struct slice text)
{
	if (text.size < REDACTION_LEAST_BYTES)
		return;
	marking->parts =
		memory_room(marking->parts, marking->part_count, &marking->part_capacity, sizeof(*marking->parts));
	marking->parts[marking->part_count++] = text;
}

static void add_parts(struct marking *marking, const struct value *value)
{
	if (value->type != VALUE_STRING || value->style == VALUE_STYLE_SEALED)
		return;
	if (!value->segmented)
		add_part(marking, value_slice(value));
	for (size_t i = 0; value->segmented && i < value->segments->count; i++)
		if (value->segments->segments[i].secret)
			add_part(marking, value->segments->segments[i].text);
}

static void collect(struct marking *marking, const struct value *value)
{
	bool whole = value->secret && value->type != VALUE_DEFERRED;

	/* What it comes to is not known; what it will hold is. */
	if (value->type == VALUE_DEFERRED && value->deferred->secrets)
		collect(marking, value->deferred->secrets);
	if (whole) {
		marking->models =
			memory_room(marking->models, marking->count, &marking->capacity, sizeof(*marking->models));
		marking->models[marking->count++] = value;
		add_parts(marking, value);
		/* Of a secret list or map every part is secret, and may come back alone. */
	}
	for (uint32_t i = 0; value->type == VALUE_LIST && i < value->count; i++)
		collect(marking, &value->items[i]);
	for (uint32_t i = 0; value->type == VALUE_MAP && i < value->count; i++)
		collect(marking, &value->members[i].value);
}

static bool has_fingerprint(const struct marking *marking, struct slice secret, struct slice fingerprint)
{
	char found[FINGERPRINT_HEX + 1] = "";

	if (!marking->style->fingerprint)
		return false;
	marking->style->fingerprint(marking->style->context, secret, found);
	found[FINGERPRINT_HEX] = '\0';
	return slice_is(fingerprint, found);
}

/* Where part begins in text, or text.size. */
static size_t find(struct slice text, struct slice part)
{
	const char *found = part.size > 0 && part.size <= text.size
				    ? (const char *)memmem(text.data, text.size, part.data, part.size)
				    : NULL;

	return found ? (size_t)(found - text.data) : text.size;
}

/*
 * Whether text is made as the segments of model from `next` on, of which only fingerprints are
 * known; parts gets its pieces. Two secrets never stand side by side: value_segments() joins them.
 */
static bool is_made_so(struct marking *marking, const struct segmented *model, size_t next, struct slice text,
		       struct segment *parts)
{
	const struct segment *segment = &model->segments[next];
	bool last = next + 1 == model->count;

	if (next == model->count)
		return text.size == 0;
	parts[next].secret = segment->secret;
	if (!segment->secret) {
		parts[next].text = slice_first(text, segment->text.size);
		return slice_starts_with(text, segment->text) &&
		       is_made_so(marking, model, next + 1, slice_from(text, segment->text.size), parts);
	}
	for (size_t size = 0; size <= text.size && marking->tries > 0; size++) {
		size += last ? text.size : find(slice_from(text, size), model->segments[next + 1].text);
		if (size > text.size || (!last && size == text.size))
			return false;
		marking->tries--;
		parts[next].text = slice_first(text, size);
		if (has_fingerprint(marking, parts[next].text, segment->text) &&
		    is_made_so(marking, model, next + 1, slice_from(text, size), parts))
			return true;
	}
	return false;
}

/* value is the text of model: it gets the same marks. */
static bool take_segments(struct marking *marking, const struct value *model, struct value *value)
{
	const struct segmented *segmented = model->segments;
	struct segment *parts = arena_new_array(marking->arena, segmented->count, struct segment);

	if (model->style != VALUE_STYLE_SEALED) {
		if (!slice_equal(segmented->whole, value_slice(value)))
			return false;
		*value = value_at(*model, value->position);
		return true;
	}
	marking->tries = TRIES_MOST;
	if (!is_made_so(marking, segmented, 0, value_slice(value), parts))
		return false;
	*value = value_at(value_segments(marking->arena, parts, segmented->count), value->position);
	return true;
}

/* Taken once, however many models it is held against; empty where nobody can take one. */
static struct slice whole_fingerprint(struct marking *marking, const struct value *value)
{
	struct value plain = *value;
	BUFFER_AUTO text;

	buffer_init(&text, SIZE_MAX);
	plain.secret = false;
	if (!marking->whole[0] && marking->style->fingerprint && json_secret_text(&text, &plain))
		marking->style->fingerprint(marking->style->context, buffer_slice(&text), marking->whole);
	marking->whole[FINGERPRINT_HEX] = '\0';
	return slice_of(marking->whole);
}

static bool is_whole(struct marking *marking, const struct value *model, const struct value *value)
{
	if (model->style != VALUE_STYLE_SEALED)
		return value_equal(model, value);
	struct slice fingerprint = whole_fingerprint(marking, value);

	return fingerprint.size > 0 && slice_equal(fingerprint, value_slice(model));
}

static bool is_markable(const struct value *value)
{
	BUFFER_AUTO text;

	buffer_init(&text, NUMBER_MOST_BYTES);
	if (value->type == VALUE_STRING)
		return value->count > 0;
	if (value->type != VALUE_INTEGER && value->type != VALUE_NUMBER)
		return false;
	return json_write(&text, value, NULL) && text.size >= NUMBER_LEAST_BYTES;
}

/* How long the longest secret known in clear is that text has at its start; 0: it has none. */
static size_t part_at(const struct marking *marking, struct slice text)
{
	size_t longest = 0;

	for (size_t i = 0; i < marking->part_count; i++)
		if (marking->parts[i].size > longest && slice_starts_with(text, marking->parts[i]))
			longest = marking->parts[i].size;
	return longest;
}

/* The first secret within text of those that the models have in clear; empty: it has none. */
static struct slice find_part(const struct marking *marking, struct slice text)
{
	for (size_t i = 0; marking->part_count > 0 && i + REDACTION_LEAST_BYTES <= text.size; i++) {
		struct slice rest = slice_from(text, i);
		size_t size = part_at(marking, rest);

		if (size > 0)
			return slice_first(rest, size);
	}
	return (struct slice){NULL, 0};
}

/* The same of those that are known, in any form. */
static struct slice find_known(const struct marking *marking, struct slice text)
{
	return marking->known ? redaction_find(marking->known, text) : (struct slice){NULL, 0};
}

typedef struct slice find_secret(const struct marking *marking, struct slice text);

/* A text that no model has as a whole may hold a secret all the same: somebody has written around it. */
static struct value mark_parts(const struct marking *marking, const struct value *text, find_secret *first)
{
	struct slice rest = value_slice(text), secret;
	struct segment *segments = NULL;
	size_t count = 0, capacity = 0;
	struct value marked = *text;

	while ((secret = first(marking, rest)).size > 0) {
		size_t before = (size_t)(secret.data - rest.data);

		/* Two of them, and what is left at the end. */
		segments = memory_room(segments, count + 2, &capacity, sizeof(*segments));
		segments[count++] = (struct segment){slice_first(rest, before), false};
		segments[count++] = (struct segment){secret, true};
		rest = slice_from(rest, before + secret.size);
	}
	if (count > 0) {
		segments[count++] = (struct segment){rest, false};
		marked = value_at(value_segments(marking->arena, segments, count), text->position);
	}
	free(segments);
	return marked;
}

static struct value mark_scalar(struct marking *marking, struct value value)
{
	if (value.segmented || value.style == VALUE_STYLE_SEALED || !is_markable(&value))
		return value;
	marking->whole[0] = '\0';
	for (size_t i = 0; i < marking->count; i++) {
		const struct value *model = marking->models[i];

		if (model->segmented) {
			/* Also where the service's own model calls all of it sensitive. */
			if (value.type == VALUE_STRING && take_segments(marking, model, &value))
				return value;
		} else if (!value.secret && is_whole(marking, model, &value)) {
			value.secret = true;
			return value;
		}
	}
	return value.type == VALUE_STRING && !value.secret ? mark_parts(marking, &value, find_part) : value;
}

static bool has_known(const struct redaction *known, const struct value *value)
{
	bool found = value->type == VALUE_STRING && !value->secret && redaction_finds(known, value_slice(value));

	for (uint32_t i = 0; !found && value->type == VALUE_LIST && i < value->count; i++)
		found = has_known(known, &value->items[i]);
	for (uint32_t i = 0; !found && value->type == VALUE_MAP && i < value->count; i++)
		found = has_known(known, &value->members[i].value);
	return found;
}

static void add_said(struct marking *marking, const struct value *said)
{
	if (said->type == VALUE_STRING && !said->secret)
		map_mark(&marking->texts, value_slice(said));
	for (uint32_t i = 0; said->type == VALUE_LIST && i < said->count; i++)
		add_said(marking, &said->items[i]);
	for (uint32_t i = 0; said->type == VALUE_MAP && i < said->count; i++)
		add_said(marking, &said->members[i].value);
}

static bool is_said(struct marking *marking, const struct value *value)
{
	for (size_t i = 0; i < marking->said_count; i++)
		add_said(marking, marking->said[i]);
	marking->said_count = 0;
	return value->type == VALUE_STRING && map_has(&marking->texts, value_slice(value));
}

/* Of whatever comes next nothing is said yet. */
static void forget_said(struct marking *marking)
{
	map_release(&marking->texts);
	map_init(&marking->texts);
	marking->said_count = 0;
}

static struct value mark_any(struct marking *marking, const struct field *field, const struct value *value);

/* set: they are an item's, whose key is as it is. */
static struct value mark_members(struct marking *marking, const struct field *field, bool set,
				 const struct value *value)
{
	struct value_member *members = arena_new_array(marking->arena, value->count, struct value_member);
	bool is_object = field && field->type == FIELD_OBJECT;
	struct value marked = *value;

	for (uint32_t i = 0; i < value->count; i++) {
		const struct value_member *member = &value->members[i];
		const struct field *part = is_object ? field_named(&field->members, value_slice(&member->key))
					   : field   ? field->item
						     : NULL;
		bool stays = set && part && (part->flags & KEY);

		members[i] =
			stays ? *member : (struct value_member){member->key, mark_any(marking, part, &member->value)};
	}
	marked.members = members;
	return marked;
}

/* What tells the items of a set apart is no secret: no spec may have one there (schema_secrets.c). */
static struct value mark_items(struct marking *marking, const struct field *field, const struct value *value)
{
	struct value *items = arena_new_array(marking->arena, value->count, struct value);
	bool set = field && field->type == FIELD_SET;
	const struct field *item = field ? field->item : NULL;
	struct value marked = *value;

	if (set && !schema_has_keys(item))
		return marked;
	for (uint32_t i = 0; i < value->count; i++)
		items[i] = set && value->items[i].type == VALUE_MAP
				   ? mark_members(marking, item, true, &value->items[i])
				   : mark_any(marking, item, &value->items[i]);
	marked.items = items;
	return marked;
}

/* Without a mark, whoever put it there; but of a fingerprint nobody has the text. */
static struct value in_clear(const struct value *value)
{
	bool marked = value->type == VALUE_STRING && value->secret && value->style != VALUE_STYLE_SEALED;

	return marked ? value_at(value_string(value_slice(value)), value->position) : *value;
}

/* Depth is that of what was read, with a bound. */
static struct value mark_any(struct marking *marking, const struct field *field, const struct value *value)
{
	struct value marked;

	if (value->type == VALUE_LIST)
		return mark_items(marking, field, value);
	if (value->type == VALUE_MAP)
		return mark_members(marking, field, false, value);
	marked = mark_scalar(marking, *value);
	if (marked.type == VALUE_STRING && !marked.secret)
		marked = mark_parts(marking, &marked, find_known);
	return marked.secret && value->style != VALUE_STYLE_SEALED && is_said(marking, value) ? in_clear(value)
											      : marked;
}

/* What spec and record say of a field, none of it secret, stays so; a text however the service writes it: a policy. */
static struct value mark_field(struct marking *marking, const struct value_member *member)
{
	const struct field *field = field_named(marking->fields, value_slice(&member->key));
	bool secret = false, like = false;

	forget_said(marking);
	for (size_t i = 0; i < marking->given_count; i++) {
		const struct value *given = marking->given[i];
		const struct value *said =
			value_is(given, VALUE_MAP) ? value_get_given(given, value_slice(&member->key)) : NULL;

		if (!said)
			continue;
		secret |= value_has_secret(said);
		like |= field && said->type == VALUE_STRING && diff_field(field, said, &member->value) == LIKE;
		marking->said[marking->said_count++] = said;
	}
	if (secret)
		marking->said_count = 0;
	else if (like)
		return in_clear(&member->value);
	else if (field && (field->flags & IDENTIFIES))
		return member->value;
	return mark_any(marking, field, &member->value);
}

static struct value mark_output(struct marking *marking, const struct value_member *member)
{
	bool stays = marking->id && slice_is(value_slice(&member->key), marking->id->name);

	return stays ? member->value : mark_any(marking, NULL, &member->value);
}

typedef struct value mark_member(struct marking *marking, const struct value_member *member);

static struct value mark_each(struct marking *marking, const struct value *live, mark_member *mark)
{
	struct value_member *members = arena_new_array(marking->arena, live->count, struct value_member);
	struct value marked = *live;

	for (uint32_t i = 0; i < live->count; i++)
		members[i] = (struct value_member){live->members[i].key, mark(marking, &live->members[i])};
	marked.members = members;
	return marked;
}

static void begin(struct marking *marking, const struct value *const *models, size_t count)
{
	marking->given = models;
	marking->given_count = count;
	map_init(&marking->texts);
	marking->said = arena_new_array(marking->arena, count + 1, const struct value *);
	for (size_t i = 0; i < count; i++)
		if (models[i] && value_has_secret(models[i]))
			collect(marking, models[i]);
}

static void end(struct marking *marking)
{
	map_release(&marking->texts);
	free(marking->models);
	free(marking->parts);
}

struct value secret_marks_put(struct arena *arena, struct run_secrets secrets, const struct fields *fields,
			      const struct value *live, const struct value *const *models, size_t model_count)
{
	struct marking marking = {.arena = arena, .style = secrets.style, .known = secrets.known, .fields = fields};
	struct value marked = *live;

	if (!value_is(live, VALUE_MAP))
		return marked;
	begin(&marking, models, model_count);
	bool is_marked = model_count > 0 && value_has_secret(live);
	if (marking.count > 0 || is_marked || (secrets.known && has_known(secrets.known, live)))
		marked = mark_each(&marking, live, mark_field);
	end(&marking);
	return marked;
}

struct value secret_marks_put_outputs(struct arena *arena, const struct json_style *style, const struct kind *kind,
				      const struct value *live, const struct value *const *models, size_t model_count)
{
	struct marking marking = {.arena = arena, .style = style, .id = kind_output(kind, NULL)};
	struct value marked = *live;

	if (!value_is(live, VALUE_MAP))
		return marked;
	begin(&marking, models, model_count);
	for (size_t i = 0; i < model_count; i++)
		if (value_is(models[i], VALUE_MAP))
			marking.said[marking.said_count++] = models[i];
	if (marking.count > 0)
		marked = mark_each(&marking, live, mark_output);
	end(&marking);
	return marked;
}

static void gather(const struct value *value, struct value_builder *ret)
{
	if (value->type == VALUE_LIST || value->type == VALUE_MAP) {
		for (uint32_t i = 0; i < value->count; i++)
			gather(value->type == VALUE_LIST ? &value->items[i] : &value->members[i].value, ret);
	} else if (value_has_secret(value)) {
		value_builder_item(ret, *value);
	}
}

struct value secret_marks_of(const struct value *value, struct arena *arena)
{
	VALUE_BUILDER_AUTO all;

	value_builder_init(&all);
	gather(value, &all);
	return all.count > 0 ? value_builder_list(&all, arena) : value_null();
}

static bool is_echo(const struct redaction *secrets, const struct value *value)
{
	return value->type == VALUE_STRING && !value->secret && redaction_finds(secrets, value_slice(value));
}

static bool has_echo(const struct redaction *secrets, const struct value *value)
{
	bool found = is_echo(secrets, value);

	for (uint32_t i = 0; !found && value->type == VALUE_MAP && i < value->count; i++)
		found = has_echo(secrets, &value->members[i].value);
	return found;
}

struct value secret_marks_echoed(struct arena *arena, const struct redaction *secrets, const struct value *live)
{
	struct value marked = *live;
	struct value_member *members;

	if (secrets->count == 0 || !has_echo(secrets, live))
		return marked;
	if (live->type != VALUE_MAP) {
		marked.secret = true;
		return marked;
	}
	members = arena_new_array(arena, live->count, struct value_member);
	for (uint32_t i = 0; i < live->count; i++)
		members[i] = (struct value_member){live->members[i].key,
						   secret_marks_echoed(arena, secrets, &live->members[i].value)};
	marked.members = members;
	return marked;
}
