#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/made.h"

/* What is remembered of items that no read gives back in whole, when a read tells of one no more. */

static const struct field disk_fields[] = {
	{.name = "device", .type = FIELD_STRING, .flags = KEY},
	{.name = "size", .type = FIELD_INTEGER, .when_unset = UNSET_RELEASE},
	{.name = "ends", .type = FIELD_BOOL, .flags = SEEN, .when_unset = UNSET_RELEASE},
	{.name = "sticks",
	 .type = FIELD_BOOL,
	 .flags = IMMUTABLE,
	 .read_where_shown = true,
	 .in_place_to = "true",
	 .when_unset = UNSET_RELEASE},
};
static const struct field disk = {.name = "disk", .type = FIELD_OBJECT, .members = FIELDS(disk_fields)};
static const struct field fields[] = {{.name = "disks",
				       .type = FIELD_SET,
				       .flags = IMMUTABLE | WRITE_ONLY,
				       .item = &disk,
				       .when_unset = UNSET_RELEASE}};
static const struct kind kind = {.name = "t.net", .version = 1, .fields = FIELDS(fields)};

#define A "{\"device\":\"a\",\"size\":5}"
#define A_SEEN "{\"device\":\"a\",\"ends\":true,\"size\":5}"
#define B "{\"device\":\"b\",\"size\":6}"
#define B_SEEN "{\"device\":\"b\",\"ends\":true,\"size\":6}"
#define STICKS(is) "{\"device\":\"a\",\"ends\":true,\"size\":5,\"sticks\":" is "}"
#define READ_STICKS "{\"device\":\"a\",\"ends\":true,\"sticks\":true}"
#define READ(device) "{\"device\":\"" device "\",\"ends\":true}"

static const struct row {
	const char *name;
	const char *said, *known, *live; /* lists, or NULL */
	const char *left, *lost;	 /* likewise */
	const char *observed; /* by an update that says so, of what was known so before, and saw what is live */
} rows[] = {
	{"all are told of", A "," B, A_SEEN "," B_SEEN, READ("a") "," READ("b"), A_SEEN "," B_SEEN, "",
	 A_SEEN "," B_SEEN},
	{"one is gone that is said", A "," B, A_SEEN "," B_SEEN, READ("b"), A_SEEN "," B_SEEN, A, A_SEEN "," B_SEEN},
	{"all are gone", A, A_SEEN, NULL, A_SEEN, A, A_SEEN},
	{"one is gone that is said no more", B, A_SEEN "," B_SEEN, READ("b"), B_SEEN, "", B_SEEN},
	{"one is gone, and none is said", NULL, A_SEEN "," B_SEEN, READ("b"), B_SEEN, NULL, B_SEEN},
	{"one of which no read has told", A "," B, A "," B_SEEN, READ("b"), A "," B_SEEN, "", A "," B_SEEN},
	{"one that is to end is known by that", A_SEEN, A_SEEN, NULL, A_SEEN, A_SEEN, A_SEEN},
	{"one that nobody names", A, A_SEEN, READ("a") "," READ("c"), A_SEEN, "", A_SEEN},
	{"nothing is known", A, NULL, READ("a"), NULL, "", A_SEEN},
	{"what a read shows is so", STICKS("false"), STICKS("false"), READ_STICKS, STICKS("false"), "", STICKS("true")},
	{"what it does not show is as it was made", STICKS("false"), STICKS("false"), READ("a"), STICKS("false"), "",
	 STICKS("false")},
	{"what was never said is not told of", A_SEEN, A_SEEN, READ_STICKS, A_SEEN, "", A_SEEN},
	{"what the spec lets go of is told of", NULL, STICKS("false"), READ_STICKS, STICKS("false"), NULL,
	 STICKS("true")},
};

static const struct value *list(struct arena *arena, const char *items)
{
	struct diagnostics bugs;
	struct value *value = arena_new(arena, struct value);

	if (!items)
		return NULL;
	diagnostics_init(&bugs, arena);
	if (!json_read(arena, arena_format(arena, "[%s]", items), true, 4096, "test", value, &bugs))
		fail_msg("bad JSON in the test: %s", items);
	diagnostics_release(&bugs);
	return value;
}

static struct value map(struct arena *arena, const struct value *disks)
{
	struct value_member *member = arena_new(arena, struct value_member);

	*member = (struct value_member){value_text("disks"), disks ? *disks : value_null()};
	return value_map(member, 1);
}

static void expect(struct arena *arena, const struct row *row, const char *what, const struct value *got,
		   const char *wanted)
{
	static const struct json_style style = {.clear = false};
	struct slice text = got ? json_canonical(arena, got, &style) : SLICE("nothing");
	struct slice expected = wanted ? arena_format(arena, "[%s]", wanted) : SLICE("nothing");

	if (!slice_equal(text, expected))
		fail_msg("%s: %s: %.*s, not %.*s", row->name, what, SLICE_ARGUMENTS(text), SLICE_ARGUMENTS(expected));
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct arena arena;

		arena_init(&arena);
		const struct value *said = list(&arena, row->said), *known = list(&arena, row->known);
		const struct value *live = list(&arena, row->live);
		struct value seen = map(&arena, live), resolved = map(&arena, said), former = map(&arena, known);
		struct value observed = made_observed(&kind, &seen, &resolved, &former, &arena);
		expect(&arena, row, "left", made_left(fields, said, known, live, &arena), row->left);
		expect(&arena, row, "lost", made_lost(fields, said, known, live, &arena), row->lost);
		expect(&arena, row, "observed", value_if_set(value_get_named(&observed, "disks")), row->observed);
		arena_release(&arena);
	}
}

static const struct change_row {
	const char *name, *wanted, *now; /* lists */
	bool in_place;
} change_rows[] = {
	{"what is seen", A_SEEN, "{\"device\":\"a\",\"ends\":false,\"size\":5}", true},
	{"what is not", A_SEEN, "{\"device\":\"a\",\"ends\":true,\"size\":6}", false},
	{"what comes in place", STICKS("true"), STICKS("false"), true},
	{"what comes in place, and was never said", STICKS("true"), A_SEEN, true},
	{"what does not go in place", STICKS("false"), STICKS("true"), false},
	{"what comes in place beside what does not", STICKS("true") "," B_SEEN, STICKS("false"), false},
	{"what comes in place of one that is another", STICKS("true"), "{\"device\":\"a\",\"size\":6,\"sticks\":false}",
	 false},
};

static void test_changes_in_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(change_rows) / sizeof(change_rows[0]); i++) {
		const struct change_row *row = &change_rows[i];
		struct arena arena;

		arena_init(&arena);
		const struct value *wanted = list(&arena, row->wanted), *now = list(&arena, row->now);
		if (made_changes_in_place(fields, wanted, now, &arena) != row->in_place)
			fail_msg("%s: in place: %d", row->name, !row->in_place);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_changes_in_place),
	};

	return cmocka_run_group_tests_name("made", tests, NULL, NULL);
}
