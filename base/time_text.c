#include "base/time_text.h"

#include <stddef.h>
#include <time.h>

static const int64_t duration_most_ms = INT64_C(10000) * 24 * 60 * 60 * 1000;

static const struct unit {
	const char *name;
	int64_t ms;
} units[] = {
	{"d", 24 * 60 * 60 * 1000}, {"h", 60 * 60 * 1000}, {"m", 60 * 1000}, {"s", 1000}, {"ms", 1},
};

enum { UNIT_COUNT = sizeof(units) / sizeof(units[0]) };

struct slice time_text(struct arena *arena, int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm parts;
	char text[64];

	if (!gmtime_r(&seconds, &parts) || strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
		return SLICE("an unknown time");
	return arena_copy(arena, slice_of(text));
}

struct value time_value(struct arena *arena, int64_t wall_ms)
{
	return wall_ms == 0 ? value_null() : value_string(time_text(arena, wall_ms));
}

/* The bytes at the beginning that are digits, or that are none, cut off. */
static struct slice cut_run(struct slice *rest, bool digits)
{
	size_t size = 0;
	struct slice run;

	while (size < rest->size && slice_is_digit(rest->data[size]) == digits)
		size++;
	run = slice_first(*rest, size);
	*rest = slice_from(*rest, size);
	return run;
}

bool duration_read(struct slice text, int64_t *ret_ms)
{
	int64_t sum_ms = 0;
	size_t unit = 0;

	if (slice_is(text, "0")) {
		*ret_ms = 0;
		return true;
	}
	if (text.size == 0)
		return false;
	while (text.size > 0) {
		struct slice digits = cut_run(&text, true), name = cut_run(&text, false);
		int64_t number;

		while (unit < UNIT_COUNT && !slice_is(name, units[unit].name))
			unit++;
		if (unit == UNIT_COUNT || !slice_integer(digits, &number) ||
		    number > (duration_most_ms - sum_ms) / units[unit].ms)
			return false;
		sum_ms += number * units[unit++].ms;
	}
	*ret_ms = sum_ms;
	return true;
}
