#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem() */
#endif

#include "reconcile/secret_marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
	const struct value **models; /* owned */
	size_t count;
	size_t capacity;
	struct slice *parts; /* owned: the secret texts within them that are known in clear */
	size_t part_count;
	size_t part_capacity;
	unsigned tries; /* left for the text at hand */
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

static bool is_whole(struct marking *marking, const struct value *model, const struct value *value)
{
	struct value plain = *value;
	BUFFER_AUTO text;

	buffer_init(&text, SIZE_MAX);
	if (model->style != VALUE_STYLE_SEALED)
		return value_equal(model, value);
	plain.secret = false;
	return json_secret_text(&text, &plain) && has_fingerprint(marking, buffer_slice(&text), value_slice(model));
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

/* The longest secret known in clear that text has at its start; empty where it has none. */
static struct slice secret_at(const struct marking *marking, struct slice text)
{
	struct slice longest = {NULL, 0};

	for (size_t i = 0; i < marking->part_count; i++)
		if (marking->parts[i].size > longest.size && slice_starts_with(text, marking->parts[i]))
			longest = marking->parts[i];
	return longest;
}

/* A text that no model has as a whole may hold a secret all the same: somebody has written around it. */
static struct value mark_parts(struct marking *marking, struct value value)
{
	struct slice text = value_slice(&value);
	size_t start = 0, i = 0, count = 0, capacity = 0;
	struct segment *segments = NULL;

	while (marking->part_count > 0 && i + REDACTION_LEAST_BYTES <= text.size) {
		struct slice secret = secret_at(marking, slice_from(text, i));

		if (secret.size == 0) {
			i++;
			continue;
		}
		if (count + 2 >= capacity) {
			capacity = capacity > 0 ? capacity * 2 : 8;
			segments = (struct segment *)memory_resize(segments, capacity * sizeof(struct segment));
		}
		segments[count++] = (struct segment){{text.data + start, i - start}, false};
		segments[count++] = (struct segment){{text.data + i, secret.size}, true};
		i += secret.size;
		start = i;
	}
	if (count == 0)
		return value;
	segments[count++] = (struct segment){slice_from(text, start), false};
	value = value_at(value_segments(marking->arena, segments, count), value.position);
	free(segments);
	return value;
}

static struct value mark_scalar(struct marking *marking, struct value value)
{
	if (value.segmented || value.style == VALUE_STYLE_SEALED || !is_markable(&value))
		return value;
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
	return value.type == VALUE_STRING && !value.secret ? mark_parts(marking, value) : value;
}

static struct value mark(struct marking *marking, const struct value *value)
{
	struct value marked = *value;

	if (value->type == VALUE_LIST) {
		struct value *items = arena_new_array(marking->arena, value->count, struct value);

		for (uint32_t i = 0; i < value->count; i++)
			items[i] = mark(marking, &value->items[i]);
		marked.items = items;
	} else if (value->type == VALUE_MAP) {
		struct value_member *members = arena_new_array(marking->arena, value->count, struct value_member);

		for (uint32_t i = 0; i < value->count; i++)
			members[i] =
				(struct value_member){value->members[i].key, mark(marking, &value->members[i].value)};
		marked.members = members;
	} else {
		marked = mark_scalar(marking, marked);
	}
	return marked;
}

struct value secret_marks_put(struct arena *arena, const struct json_style *style, const struct value *live,
			      const struct value *const *models, size_t model_count)
{
	struct marking marking = {.arena = arena, .style = style};
	struct value marked = *live;

	for (size_t i = 0; i < model_count; i++)
		if (models[i] && value_has_secret(models[i]))
			collect(&marking, models[i]);
	if (marking.count > 0)
		marked = mark(&marking, live);
	free(marking.models);
	free(marking.parts);
	return marked;
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
