#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/support_plan.h"

/* Numbers of a version that a t.user names of the t.net beside. */

#define NET(range, dns) "\"t.net.a\":{\"range\":\"" range "\",\"dns\":" dns "}"
#define NET_OF(version)                                                                                                \
	"\"t.net.a\":{\"id\":\"n1\",\"applied\":{\"range\":\"10\",\"dns\":true},\"resolved\":{\"range\":\"10\","       \
	"\"dns\":true},\"live\":{\"range\":\"10\",\"dns\":true},\"outputs\":{\"version\":" version "}}"
#define USER(version) "\"t.user.c\":{\"base\":" REF("t.net.a.id") ",\"base_version\":" version "}"
#define PINNED_REC                                                                                                     \
	"\"t.user.c\":{\"id\":\"u1\",\"applied\":{\"base\":" REF(                                                      \
		"t.net.a.id") ",\"base_version\":\"1\"},\"resolved\":{\"base\":\"n1\",\"base_version\":\"1\"},"        \
			      "\"live\":{\"base\":\"n1\",\"base_version\":\"1\"}}"
#define RECORD(version) "{" NET_OF(version) "," PINNED_REC "}"

static const struct row {
	const char *name, *spec, *record;
	const char *error, *hint; /* NULL: it is none */
} rows[] = {
	{"one that is there", "{" NET("10", "true") "," USER("\"2\"") "}", RECORD("\"3\""), NULL, NULL},
	{"the latest", "{" NET("10", "true") "," USER("\"3\"") "}", RECORD("\"3\""), NULL, NULL},
	{"one that is not there yet", "{" NET("10", "true") "," USER("\"4\"") "}", RECORD("\"3\""),
	 "'base_version' cannot be 4: 't.net.a' will have no more than 3 as its 'version'",
	 "write a number from 1 to 3, or leave 'base_version' out, so that it follows the latest"},
	{"one that is a secret", "{" NET("10", "true") "," USER("{\"$secret\":\"2\"}") "}", "{}",
	 "'base_version' cannot be (secret): 't.net.a' is made anew, with 1", "write 1,"},
	{"one that the plan makes", "{" NET("10", "false") "," USER("\"4\"") "}", RECORD("\"3\""), NULL, NULL},
	{"one behind that", "{" NET("10", "false") "," USER("\"5\"") "}", RECORD("\"3\""),
	 "will have no more than 4 as its 'version'", "write a number from 1 to 4"},
	{"of one that is made anew", "{" NET("11", "true") "," USER("\"2\"") "}", RECORD("\"3\""),
	 "'base_version' cannot be 2: 't.net.a' is made anew, with 1 as its 'version'",
	 "write 1, or leave 'base_version' out, so that it follows the latest"},
	{"the first of that", "{" NET("11", "true") "," USER("\"1\"") "}", RECORD("\"3\""), NULL, NULL},
	{"of one that is new with it", "{" NET("10", "true") "," USER("\"2\"") "}", "{}", "is made anew, with 1",
	 "write 1,"},
	{"a word", "{" NET("11", "true") "," USER("\"$Latest\"") "}", RECORD("\"3\""), NULL, NULL},
	{"what it follows", "{" NET("11", "true") "," USER(REF("t.net.a.version")) "}", RECORD("\"3\""), NULL, NULL},
	{"of a thing that is not of the stack", "{\"t.user.c\":{\"base\":\"n9\",\"base_version\":\"7\"}}",
	 "{" PINNED_REC "}", NULL, NULL},
	{"of one whose version nobody knows", "{" NET("10", "true") "," USER("\"7\"") "}", RECORD("null"), NULL, NULL},
};

static void test_rows(void **state)
{
	const struct row *row = *state;
	struct plan_fixture fixture;

	plan_from_texts(&fixture, row->spec, row->record, false);
	const struct diag *error = diagnostics_first_error(&fixture.diagnostics);
	if (!error != !row->error || (error && (!slice_contains(error->message, slice_of(row->error)) ||
						!slice_contains(error->hint, slice_of(row->hint)))))
		fail_msg("'%.*s' (%.*s), not '%s'", error ? (int)error->message.size : 0,
			 error ? error->message.data : "", error ? (int)error->hint.size : 0,
			 error ? error->hint.data : "", row->error ? row->error : "nothing");
	plan_fixture_release(&fixture);
}

int main(void)
{
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	struct CMUnitTest tests[COUNT];

	for (size_t i = 0; i < COUNT; i++)
		tests[i] = (struct CMUnitTest){rows[i].name, test_rows, NULL, NULL, (void *)(uintptr_t)&rows[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
