#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "tests/unit/support_plan.h"

/* What a plan says of the count of a t.user, which is left to others, where the least or the most of it change. */

#define USER(fields) "{\"t.user.c\":{" fields "}}"
#define WAS_LIVE(applied, live)                                                                                        \
	"{\"t.user.c\":{\"id\":\"u1\",\"applied\":{" applied "},\"resolved\":{" applied "},\"live\":{" live "}}}"
#define SIZES(least, most, count) "\"least\":" least ",\"most\":" most ",\"count\":" count
#define BOUNDS(least, most) "\"least\":" least ",\"most\":" most

static const struct row {
	const char *name, *spec, *record;
	const char *expected; /* "path effect before > after", of each change */
} rows[] = {
	{"within both", USER(SIZES("1", "5", "2")), WAS_LIVE(SIZES("1", "6", "2"), SIZES("1", "6", "5")),
	 "most set 6 > 5; count left 2 > 5"},
	{"above the most", USER(SIZES("1", "4", "2")), WAS_LIVE(SIZES("1", "6", "2"), SIZES("1", "6", "5")),
	 "most set 6 > 4; count bound 5 > 4"},
	{"below the least", USER(SIZES("3", "6", "2")), WAS_LIVE(SIZES("1", "6", "2"), SIZES("1", "6", "2")),
	 "least set 1 > 3; count bound 2 > 3"},
	{"of which the spec says nothing any more", USER(BOUNDS("1", "1")),
	 WAS_LIVE(SIZES("1", "6", "2"), SIZES("1", "6", "2")), "most set 6 > 1; count bound 2 > 1"},
	{"of which it never said anything", USER(BOUNDS("1", "1")), WAS_LIVE(BOUNDS("1", "6"), SIZES("1", "6", "2")),
	 "most set 6 > 1; count bound 2 > 1"},
	{"a bound that somebody else moved goes back", USER(SIZES("1", "6", "2")),
	 WAS_LIVE(SIZES("1", "6", "2"), SIZES("1", "9", "8")), "most set 9 > 6; count bound 8 > 6"},
	{"the spec says it, too", USER(SIZES("1", "4", "3")), WAS_LIVE(SIZES("1", "6", "2"), SIZES("1", "6", "5")),
	 "most set 6 > 4; count set 5 > 3"},
	{"out of bounds that stay", USER("\"version\":2," BOUNDS("1", "6")),
	 WAS_LIVE(BOUNDS("1", "6"), SIZES("1", "6", "8")), "version set null > 2"},
	{"a bound that is not known yet",
	 "{\"t.net.a\":{\"range\":\"10\"},\"t.user.c\":{" BOUNDS("1", REF("t.net.a.version")) "}}",
	 WAS_LIVE(BOUNDS("1", "6"), SIZES("1", "6", "8")), "most set 6 > {\"$deferred\":\"${t.net.a.version}\"}"},
	{"with a new object", USER("\"name\":\"n\"," BOUNDS("1", "4")),
	 WAS_LIVE("\"name\":\"m\"," BOUNDS("1", "6"), "\"name\":\"m\"," SIZES("1", "6", "5")),
	 "most set 6 > 4; name replace \"m\" > \"n\""},
};

static const struct action *find_user(const struct plan *plan)
{
	for (size_t i = 0; i < plan->action_count; i++)
		if (slice_is(plan->actions[i].address, "t.user.c"))
			return &plan->actions[i];
	return NULL;
}

static void write_change(struct buffer *text, const struct change *change)
{
	static const struct json_style style = {.fingerprint = NULL};

	buffer_format(text, "%s%.*s %s ", text->size > 0 ? "; " : "", SLICE_ARGUMENTS(change->path),
		      change_effect_names.words[change->effect]);
	assert_true(json_write(text, &change->before, &style));
	buffer_string(text, " > ");
	assert_true(json_write(text, &change->after, &style));
}

static void test_rows(void **state)
{
	const struct row *row = *state;
	struct plan_fixture fixture;
	struct buffer said;

	plan_from_texts(&fixture, row->spec, row->record, false);
	buffer_init(&said, 1 << 16);
	const struct action *action = find_user(&fixture.plan);
	for (size_t i = 0; action && i < action->change_count; i++)
		write_change(&said, &action->changes[i]);
	if (!slice_is(buffer_slice(&said), row->expected))
		fail_msg("'%.*s', not '%s'", SLICE_ARGUMENTS(buffer_slice(&said)), row->expected);
	buffer_release(&said);
	plan_fixture_release(&fixture);
}

/* Whoever approves it approves how many end. */
static void test_approval(void **state)
{
	static const char *const lives[] = {WAS_LIVE(SIZES("1", "6", "2"), SIZES("1", "6", "2")),
					    WAS_LIVE(SIZES("1", "6", "2"), SIZES("1", "6", "4")),
					    WAS_LIVE(SIZES("1", "6", "2"), SIZES("1", "6", "5")),
					    WAS_LIVE(SIZES("1", "6", "2"), SIZES("1", "6", "6"))};
	struct plan_fixture fixture;
	struct digest digests[4];
	static const struct json_style style = {.fingerprint = NULL};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		plan_from_texts(&fixture, USER(SIZES("1", "4", "2")), lives[i], false);
		digests[i] = plan_approval(&fixture.plan, &fixture.arena, &style);
		plan_fixture_release(&fixture);
	}
	assert_true(digest_equal(&digests[0], &digests[1]));
	assert_false(digest_equal(&digests[1], &digests[2]));
	assert_false(digest_equal(&digests[2], &digests[3]));
}

int main(void)
{
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	struct CMUnitTest tests[COUNT + 1];

	for (size_t i = 0; i < COUNT; i++)
		tests[i] = (struct CMUnitTest){rows[i].name, test_rows, NULL, NULL, (void *)(uintptr_t)&rows[i]};
	tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(test_approval);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
