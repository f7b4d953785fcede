#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reconcile/refresh_parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What an object without an id is taken to be, of what a listing shows: what is recorded so is changed and deleted. */
static const struct {
	const char *name;
	struct {
		const char *id; /* NULL: not listed */
		const char *lineage, *object_id;
		enum presence presence;
	} listed[2];
	const char *wanted; /* its id from then on; "": it has none yet */
} rows[] = {
	{"what carries its tag", {{"vpc-1", "ours", "one", PRESENCE_PRESENT}}, "vpc-1"},
	{"what carries another's tag", {{"vpc-1", "ours", "two", PRESENCE_PRESENT}}, ""},
	{"what carries none", {{"vpc-1", "ours", "", PRESENCE_PRESENT}}, ""},
	{"another stack's that carries its tag", {{"vpc-1", "theirs", "one", PRESENCE_PRESENT}}, ""},
	{"what carries its tag and no stack's", {{"vpc-1", "", "one", PRESENCE_PRESENT}}, ""},
	{"its own beside another stack's",
	 {{"vpc-1", "ours", "one", PRESENCE_PRESENT}, {"vpc-2", "theirs", "one", PRESENCE_PRESENT}},
	 "vpc-1"},
	{"what is on its way out", {{"vpc-1", "ours", "one", PRESENCE_LEAVING}}, ""},
	{"its own beside what is on its way out",
	 {{"vpc-1", "ours", "one", PRESENCE_PRESENT}, {"vpc-2", "ours", "one", PRESENCE_LEAVING}},
	 "vpc-1"},
};

static void test_matches(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct object object = {.object_id = SLICE("one"), .provider_id = SLICE("")};
		struct object *objects[] = {&object};
		struct live found[COUNT(rows[i].listed)];
		struct loop loop = {.settings.lineage = SLICE("ours")};
		struct arena arena;
		size_t member = 0, count = 0;

		arena_init(&arena);
		for (; count < COUNT(found) && rows[i].listed[count].id; count++)
			found[count] = (struct live){
				.presence = rows[i].listed[count].presence,
				.provider_id = slice_of(rows[i].listed[count].id),
				.ownership.lineage = slice_of(rows[i].listed[count].lineage),
				.ownership.object_id = slice_of(rows[i].listed[count].object_id),
			};
		struct refresh refresh = {.loop = &loop, .objects = objects, .object_count = 1, .arena = &arena};
		refresh_match_tags(&refresh, found, count, &member, 1);
		if (!slice_is(object.provider_id, rows[i].wanted) || object.is_found != (rows[i].wanted[0] != '\0'))
			fail_msg("%s: taken to be '%.*s'", rows[i].name, SLICE_ARGUMENTS(object.provider_id));
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_matches)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
