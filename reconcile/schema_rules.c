#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/json.h"
#include "base/redaction.h"
#include "reconcile/schema.h"
#include "reconcile/schema_walk.h"

enum {
	CHOICES_MOST = 256,
	LISTING_BYTES = 1024,
	SHOWN_BYTES = 80,
	ITEM_KEY_LARGEST_BYTES = 64 * 1024,
};

struct slice schema_shown(struct arena *arena, struct slice text)
{
	BUFFER_AUTO shown;

	buffer_init(&shown, SHOWN_BYTES * 4 + 4);
	for (size_t i = 0; i < text.size && i < SHOWN_BYTES; i++) {
		unsigned char byte = (unsigned char)text.data[i];

		if (byte < 0x20 || byte == 0x7f)
			buffer_format(&shown, "\\x%02x", byte);
		else
			buffer_byte(&shown, text.data[i]);
	}
	if (text.size > SHOWN_BYTES)
		buffer_string(&shown, "...");
	return arena_copy(arena, buffer_slice(&shown));
}

/* "'zone' cannot be 'x'"; of a secret no more is told than that. */
static void report_value(struct schema_walk *walk, const char *name, const struct value *value, const char *secret)
{
	struct diagnostics *diagnostics = walk->diagnostics;

	if (value->secret)
		diag_error(diagnostics, FAULT_USER, value->position, "'%s' %s", name, secret);
	else if (value->type == VALUE_INTEGER)
		diag_error(diagnostics, FAULT_USER, value->position, "'%s' cannot be %" PRId64, name, value->integer);
	else
		diag_error(diagnostics, FAULT_USER, value->position, "'%s' cannot be '%.*s'", name,
			   SLICE_ARGUMENTS(schema_shown(diagnostics->arena, value_slice(value))));
}

static struct slice choice_text(const struct schema_walk *walk, const struct value *value)
{
	if (value->type == VALUE_INTEGER)
		return arena_format(walk->diagnostics->arena, "%" PRId64, value->integer);
	return value_slice(value);
}

static void report_choice(struct schema_walk *walk, const struct field *field, const char *name,
			  const struct value *value)
{
	struct slice candidates[CHOICES_MOST];
	BUFFER_AUTO listing;
	size_t count = 0;
	int nearest;

	buffer_init(&listing, LISTING_BYTES);
	for (; count < CHOICES_MOST && field->choices[count]; count++) {
		candidates[count] = slice_of(field->choices[count]);
		buffer_format(&listing, "%s%s", count > 0 ? ", " : "", field->choices[count]);
	}
	nearest = value->secret ? -1 : slice_nearest(choice_text(walk, value), candidates, count);
	report_value(walk, name, value, "is none of the values that it may have");
	if (nearest >= 0)
		diag_hint(walk->diagnostics, "did you mean '%s'? It may be: %.*s%s", field->choices[nearest],
			  SLICE_ARGUMENTS(buffer_slice(&listing)), listing.full ? ", ..." : "");
	else
		diag_hint(walk->diagnostics, "it may be: %.*s%s", SLICE_ARGUMENTS(buffer_slice(&listing)),
			  listing.full ? ", ..." : "");
}

void schema_hint_at_fields(struct schema_walk *walk, const struct fields *fields)
{
	BUFFER_AUTO listing;

	buffer_init(&listing, LISTING_BYTES);
	for (size_t i = 0; i < fields->count; i++)
		buffer_format(&listing, "%s%s", i > 0 ? ", " : "", field_at(fields, i)->name);
	if (listing.full)
		diag_hint(walk->diagnostics, "'trueup schema' lists its fields");
	else if (fields->count > 0)
		diag_hint(walk->diagnostics, "it may have: %.*s", SLICE_ARGUMENTS(buffer_slice(&listing)));
}

static void check_choices(struct schema_walk *walk, const struct field *field, const char *name,
			  const struct value *value)
{
	struct slice text = choice_text(walk, value);

	for (size_t i = 0; field->choices[i]; i++) {
		if (slice_is(text, field->choices[i]))
			return;
	}
	report_choice(walk, field, name, value);
}

static void check_pattern(struct schema_walk *walk, const struct field *field, const char *name,
			  const struct value *value)
{
	if (pattern_matches(field->pattern, value_slice(value)))
		return;
	report_value(walk, name, value, "does not have the form that it needs; it is a secret and not shown");
	diag_hint(walk->diagnostics, "write %s", field->in_words);
}

/* What bounds count in a value: itself, its characters, its items; of what is encoded on its way, its bytes. */
static bool measure(const struct field *field, const struct value *value, int64_t *ret, const char **ret_unit)
{
	*ret_unit = "";
	*ret = value->type == VALUE_INTEGER ? value->integer : (int64_t)value->count;
	if (value->type == VALUE_STRING) {
		bool in_bytes = (field->flags & ENCODED) != 0;
		struct slice text = value_slice(value);

		*ret = (int64_t)(in_bytes ? text.size : slice_characters(text));
		*ret_unit = in_bytes ? " bytes" : " characters";
	}
	if (value->type == VALUE_LIST)
		*ret_unit = " items";
	if (value->type == VALUE_MAP)
		*ret_unit = " entries";
	return value->type == VALUE_INTEGER || value->type == VALUE_STRING || value->type == VALUE_LIST ||
	       value->type == VALUE_MAP;
}

/* "1 item", "2 items". */
static struct slice counted(struct arena *arena, int64_t count, const char *unit)
{
	size_t size = strlen(unit);

	/* "entries" has a singular of its own. */
	if (count != 1)
		return arena_format(arena, "%" PRId64 "%s", count, unit);
	return strcmp(unit, " entries") == 0 ? SLICE("1 entry")
					     : arena_format(arena, "1%.*s", (int)(size > 0 ? size - 1 : 0), unit);
}

static void hint_bounds(struct schema_walk *walk, const struct field *field, const char *unit)
{
	struct arena *arena = walk->diagnostics->arena;

	if (field->most < field->least)
		diag_hint(walk->diagnostics, "at least %" PRId64 " are needed", field->least);
	else if (field->most == field->least)
		diag_hint(walk->diagnostics, "it takes exactly %.*s",
			  SLICE_ARGUMENTS(counted(arena, field->least, unit)));
	else
		diag_hint(walk->diagnostics, "it takes from %" PRId64 " to %.*s", field->least,
			  SLICE_ARGUMENTS(counted(arena, field->most, unit)));
}

static void check_bounds(struct schema_walk *walk, const struct field *field, const char *name,
			 const struct value *value)
{
	/* A lower bound alone is written without an upper one. */
	bool open = field->most < field->least;
	const char *unit = "";
	int64_t size;

	if (value->type == VALUE_NUMBER) {
		if (value->number >= (double)field->least && (open || value->number <= (double)field->most))
			return;
		diag_error(walk->diagnostics, FAULT_USER, value->position, "'%s' is out of bounds", name);
	} else {
		if (!measure(field, value, &size, &unit) || (size >= field->least && (open || size <= field->most)))
			return;
		if (unit[0] != '\0')
			diag_error(walk->diagnostics, FAULT_USER, value->position, "'%s' cannot have %.*s", name,
				   SLICE_ARGUMENTS(counted(walk->diagnostics->arena, size, unit)));
		else if (value->secret)
			diag_error(walk->diagnostics, FAULT_USER, value->position, "'%s' is out of bounds", name);
		else
			diag_error(walk->diagnostics, FAULT_USER, value->position, "'%s' cannot be %" PRId64, name,
				   size);
	}
	if (value->type == VALUE_INTEGER || value->type == VALUE_NUMBER)
		diag_hint(walk->diagnostics,
			  open ? "it must be at least %" PRId64 : "it must be from %" PRId64 " to %" PRId64,
			  field->least, field->most);
	else
		hint_bounds(walk, field, unit);
}

void schema_rules(struct schema_walk *walk, const struct field *field, const char *name, const struct value *value)
{
	size_t errors_before = walk->diagnostics->error_count;

	if (field->choices && (value->type == VALUE_STRING || value->type == VALUE_INTEGER))
		check_choices(walk, field, name, value);
	if (field->pattern && value->type == VALUE_STRING)
		check_pattern(walk, field, name, value);
	if (field->least != 0 || field->most != 0)
		check_bounds(walk, field, name, value);
	/* One complaint about a value is enough, and a check is promised a value that is known; of an object, the
	 * members are looked at one by one. */
	if (field->check && walk->diagnostics->error_count == errors_before &&
	    (field->type == FIELD_OBJECT || field->type == FIELD_MAP || !value_has_deferred(value)) &&
	    !value_has_unread(value))
		field->check(field, value, walk->diagnostics);
}

/* The letters that YAML 1.1 has for true and false, of which YAML 1.2 makes text. */
static bool is_old_truth(const struct value *given)
{
	static const char letters[] = "yYnN";

	return given->type == VALUE_STRING && given->style != VALUE_STYLE_QUOTED && value_slice(given).size == 1 &&
	       memchr(letters, value_slice(given).data[0], sizeof(letters) - 1);
}

void schema_hint_at_type(struct schema_walk *walk, const struct field *field, const struct value *given)
{
	struct diagnostics *diagnostics = walk->diagnostics;
	bool scalar = given->type != VALUE_LIST && given->type != VALUE_MAP;

	if (field->type == FIELD_STRING && scalar && given->style == VALUE_STYLE_COMPUTED)
		diag_hint(diagnostics, "write tostring(...) around the expression if it is meant as text");
	else if (field->type == FIELD_STRING && scalar && given->type != VALUE_NULL)
		diag_hint(diagnostics, "put it in quotes if it is meant as text");
	else if (field->type == FIELD_REFERENCE && field->output && given->type == VALUE_INTEGER)
		diag_hint(diagnostics,
			  "put it in quotes if it is meant as such, or name a resource, whose '%s' is taken",
			  field->output);
	else if (field->type == FIELD_REFERENCE && field->target && !field->output &&
		 (given->type == VALUE_LIST || given->type == VALUE_MAP))
		diag_hint(diagnostics, "it takes one: the name of a resource, or the id of what is not in this stack");
	else if (given->type == VALUE_STRING && given->style == VALUE_STYLE_QUOTED &&
		 (field->type == FIELD_INTEGER || field->type == FIELD_NUMBER || field->type == FIELD_BOOL))
		diag_hint(diagnostics, "leave out the quotes");
	else if (field->type == FIELD_BOOL && is_old_truth(given))
		diag_hint(diagnostics, "write true or false: '%.*s' is text", SLICE_ARGUMENTS(value_slice(given)));
	else if ((field->type == FIELD_LIST || field->type == FIELD_SET) && scalar)
		diag_hint(diagnostics, "write it as a list: [...], or one item a line after '- '");
}

struct slice schema_number_shown(const struct value *number, struct arena *arena)
{
	return number->secret ? SLICE(REDACTION_MARK) : arena_format(arena, "%" PRId64, number->integer);
}

/* A part of a key as text that holds no space, so that the parts stay apart. */
static void append_part(struct buffer *key, const struct value *value)
{
	static const struct json_style style = {.clear = false};
	struct slice text = value_slice(value);

	if (value->type == VALUE_DEFERRED)
		text = value->deferred->text;
	if (!value->secret && (value->type == VALUE_STRING || value->type == VALUE_DEFERRED) && text.size > 0 &&
	    !memchr(text.data, ' ', text.size) && text.data[0] != '"')
		buffer_append(key, text);
	else if (!json_write(key, value, &style))
		key->full = true;
}

const struct value *schema_key_part(const struct field *member, const struct value *item)
{
	const struct value *part = value_if_set(value_get_named(item, member->name));

	if (part && part->type == VALUE_INTEGER && member->unset_value &&
	    part->integer == strtoll(member->unset_value, NULL, 10))
		return NULL;
	return part;
}

/* All members where none is marked KEY, so that items without a key are matched whole. */
struct slice schema_item_key(const struct field *item, const struct value *value, struct arena *arena)
{
	bool keyed = schema_has_keys(item) && value->type == VALUE_MAP;
	struct slice text;
	struct buffer key;

	/* The scalar itself, whatever is in it. */
	if (value->type == VALUE_STRING && !value->secret)
		return value_slice(value);
	buffer_init(&key, ITEM_KEY_LARGEST_BYTES);
	for (size_t i = 0; keyed && i < item->members.count; i++) {
		const struct field *member = field_at(&item->members, i);
		const struct value *part;

		if (!(member->flags & KEY))
			continue;
		if (key.size > 0)
			buffer_byte(&key, ' ');
		part = schema_key_part(member, value);
		if (part)
			append_part(&key, part);
		else
			buffer_byte(&key, '-');
	}
	if (!keyed)
		append_part(&key, value);
	text = arena_copy(arena, buffer_slice(&key));
	buffer_release(&key);
	return text;
}

struct slice schema_item_name(const struct field *item, const struct value *value, struct arena *arena)
{
	struct slice rest = schema_item_key(item, value, arena);
	char *name = arena_get(arena, rest.size + 1);
	size_t size = 0;

	while (rest.size > 0) {
		struct slice part = slice_cut(&rest, ' ');

		if (slice_is(part, "-"))
			continue;
		if (size > 0)
			name[size++] = ' ';
		memcpy(name + size, part.data, part.size);
		size += part.size;
	}
	return (struct slice){name, size};
}

bool schema_item_is_apart(const struct field *set, const struct value *item, struct arena *arena)
{
	return set->lies_by && value_if_set(value_get_named(item, set->lies_by)) &&
	       !(set->own_item && slice_is(schema_item_name(set->item, item, arena), set->own_item));
}
