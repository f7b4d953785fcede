#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <string.h>

#include "providers/aws/parameters.h"
#include "providers/aws/shape.h"
#include "tests/unit/support_aws_kinds.h"

/*
 * Holds the tables of kinds against each word that the API's model lists, so that a word that AWS adds is noticed when
 * the shapes are made anew.
 */

enum { PATH_BYTES = 256 };

/* States in which an object is there and nothing is waited for. */
static const char *const ready[] = {"available", "running", "stopped", NULL};

static bool is_word(const char *const *words, struct slice text)
{
	for (; words && *words; words++)
		if (slice_is(text, *words))
			return true;
	return false;
}

static void check_states(const struct aws_kind *kind)
{
	const struct aws_states *states = &kind->states;
	const struct aws_operation_shape *operation = aws_operation_of(kind, kind->list.operation);
	const char *const *const lists[] = {states->pending, states->leaving, states->gone, states->failed, ready};
	char path[PATH_BYTES];

	if (!states->member || !operation)
		return;
	/* "A.*.B" joins lists: a path steps through them without the star. */
	const char *star = strstr(kind->list.items, ".*.");
	int joined = star ? (int)(star - kind->list.items) : (int)strlen(kind->list.items);
	snprintf(path, sizeof(path), "%.*s%s.%s", joined, kind->list.items, star ? star + 2 : "", states->member);
	const struct aws_shape *shape = aws_shape_at(operation->output, path);
	for (size_t i = 0; shape && i < shape->value_count; i++) {
		size_t found = 0;
		for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
			found += is_word(lists[k], shape->values[i]);
		if (found != 1)
			kind_report(kind, "the state '%s' means %zu things", shape->values[i].data, found);
	}
}

int main(void)
{
	return kinds_try(check_states);
}
