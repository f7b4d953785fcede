#include <inttypes.h>

#include "base/buffer.h"
#include "reconcile/schema_walk.h"

enum {
	CHOICES_MOST = 256,
	LISTING_BYTES = 1024,
	SHOWN_BYTES = 80,
};

/* As messages quote it: long values are cut, and a secret is not shown. */
static struct slice shown(const struct schema_walk *walk, const struct value *value)
{
	struct slice text = value_slice(value);

	if (value->secret)
		return SLICE("a secret");
	if (value->type == VALUE_INTEGER)
		return arena_format(walk->diagnostics->arena, "%" PRId64, value->integer);
	if (text.size <= SHOWN_BYTES)
		return arena_format(walk->diagnostics->arena, "'%.*s'", SLICE_ARGUMENTS(text));
	return arena_format(walk->diagnostics->arena, "'%.*s...'", (int)SHOWN_BYTES, text.data);
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
	diag_error(walk->diagnostics, FAULT_USER, value->position, "'%s' cannot be %.*s", name,
		   SLICE_ARGUMENTS(shown(walk, value)));
	if (nearest >= 0)
		diag_hint(walk->diagnostics, "did you mean '%s'? It may be: %.*s%s", field->choices[nearest],
			  SLICE_ARGUMENTS(buffer_slice(&listing)), listing.full ? ", ..." : "");
	else
		diag_hint(walk->diagnostics, "it may be: %.*s%s", SLICE_ARGUMENTS(buffer_slice(&listing)),
			  listing.full ? ", ..." : "");
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
	diag_error(walk->diagnostics, FAULT_USER, value->position, "'%s' cannot be %.*s", name,
		   SLICE_ARGUMENTS(shown(walk, value)));
	diag_hint(walk->diagnostics, "it must match the pattern %s", field->pattern);
}

/* What bounds count in a value: itself, its bytes, its items. */
static bool measure(const struct value *value, int64_t *ret, const char **ret_unit)
{
	*ret_unit = "";
	*ret = value->type == VALUE_INTEGER ? value->integer : (int64_t)value->count;
	if (value->type == VALUE_STRING) {
		*ret = (int64_t)value_slice(value).size;
		*ret_unit = " bytes";
	}
	if (value->type == VALUE_LIST)
		*ret_unit = " items";
	if (value->type == VALUE_MAP)
		*ret_unit = " entries";
	return value->type == VALUE_INTEGER || value->type == VALUE_STRING || value->type == VALUE_LIST ||
	       value->type == VALUE_MAP;
}

static void check_bounds(struct schema_walk *walk, const struct field *field, const char *name,
			 const struct value *value)
{
	/* A lower bound alone is written without an upper one. */
	bool open = field->most < field->least;
	const char *unit;
	int64_t size;

	if (value->type == VALUE_NUMBER) {
		if (value->number >= (double)field->least && (open || value->number <= (double)field->most))
			return;
		diag_error(walk->diagnostics, FAULT_USER, value->position, "'%s' is out of bounds", name);
	} else {
		if (!measure(value, &size, &unit) || (size >= field->least && (open || size <= field->most)))
			return;
		if (unit[0] != '\0')
			diag_error(walk->diagnostics, FAULT_USER, value->position, "'%s' cannot have %" PRId64 "%s",
				   name, size, unit);
		else if (value->secret)
			diag_error(walk->diagnostics, FAULT_USER, value->position, "'%s' is out of bounds", name);
		else
			diag_error(walk->diagnostics, FAULT_USER, value->position, "'%s' cannot be %" PRId64, name,
				   size);
	}
	if (open)
		diag_hint(walk->diagnostics, "at least %" PRId64 " are needed", field->least);
	else
		diag_hint(walk->diagnostics, "it must be from %" PRId64 " to %" PRId64, field->least, field->most);
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
	/* One complaint about a value is enough, and a check is promised a value that is known. */
	if (field->check && walk->diagnostics->error_count == errors_before && !value_has_deferred(value) &&
	    !value_has_unread(value))
		field->check(field, value, walk->diagnostics);
}
