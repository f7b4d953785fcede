#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "reconcile/plan.h"
#include "reconcile/provider.h"

/* What a thing says of who it is, beside what it said before. */

static const struct output outputs[] = {
	{.name = "id"},
	{.name = "uuid", .tells_apart = true},
	{.name = "serial", .tells_apart = true},
	{.name = "macs", .tells_apart = true},
};
static const struct kind kind = {.name = "t.box", .outputs = FIELDS(outputs), .found = true};

#define UNREAD "{\"$unread\":true}"

static const struct {
	const char *name, *recorded, *live;
	const char *lineage; /* of its tags */
	enum presence presence;
	const char *untold; /* the output that is told of, or NULL */
	const char *moved;  /* part of what is said to who has approved a plan, or NULL */
	bool another;
} rows[] = {
	{"the same", "{\"uuid\":\"u\"}", "{\"uuid\":\"u\"}", "", PRESENCE_PRESENT, NULL, NULL, false},
	{"another", "{\"uuid\":\"u\"}", "{\"uuid\":\"v\"}", "", PRESENCE_PRESENT, NULL, "whose 'uuid' is \"v\"", true},
	{"not told", "{\"uuid\":\"u\"}", "{\"uuid\":" UNREAD "}", "", PRESENCE_PRESENT, "uuid", "nothing tells", false},
	{"none of several", "{\"serial\":\"s\",\"macs\":[\"a\"]}", "{\"serial\":" UNREAD ",\"macs\":" UNREAD "}", "",
	 PRESENCE_PRESENT, "serial", "nothing tells", false},
	{"one of several", "{\"uuid\":\"u\",\"serial\":\"s\"}", "{\"uuid\":" UNREAD ",\"serial\":\"s\"}", "",
	 PRESENCE_PRESENT, NULL, NULL, false},
	{"one of several, and another", "{\"uuid\":\"u\",\"serial\":\"s\"}", "{\"uuid\":" UNREAD ",\"serial\":\"t\"}",
	 "", PRESENCE_PRESENT, NULL, "whose 'serial' is \"t\"", true},
	{"a part of the only one", "{\"macs\":[\"a\",\"b\"]}", "{\"macs\":[\"a\"," UNREAD "]}", "", PRESENCE_PRESENT,
	 "macs", "nothing tells", false},
	{"an empty list beside", "{\"uuid\":\"u\",\"macs\":[]}", "{\"uuid\":" UNREAD ",\"macs\":[]}", "",
	 PRESENCE_PRESENT, "uuid", "nothing tells", false},
	{"nothing before", "{\"id\":\"i\",\"uuid\":null,\"macs\":[]}", "{\"id\":" UNREAD ",\"uuid\":" UNREAD "}", "",
	 PRESENCE_PRESENT, NULL, NULL, false},
	{"not told before", "{\"uuid\":" UNREAD "}", "{\"uuid\":" UNREAD "}", "", PRESENCE_PRESENT, NULL, NULL, false},
	/* As what is at an address that has no record: its provider knows of nothing to be missed. */
	{"none", "{\"uuid\":\"u\"}", "{}", "", PRESENCE_PRESENT, NULL, "nothing tells", false},
	{"of these tags", "{\"uuid\":\"u\"}", "{\"uuid\":" UNREAD "}", "ours", PRESENCE_PRESENT, NULL, "nothing tells",
	 false},
	{"of other tags", "{\"uuid\":\"u\"}", "{\"uuid\":" UNREAD "}", "theirs", PRESENCE_PRESENT, "uuid",
	 "nothing tells", false},
	{"unread as a whole", "{\"uuid\":\"u\"}", "{\"uuid\":" UNREAD "}", "", PRESENCE_UNREAD, NULL, NULL, false},
	{"nothing recorded", "null", "{\"uuid\":\"u\"}", "", PRESENCE_PRESENT, NULL, NULL, false},
};

static struct value json(struct arena *arena, const char *text)
{
	struct diagnostics diagnostics;
	struct value value = value_null();

	diagnostics_init(&diagnostics, arena);
	if (!json_read(arena, slice_of(text), true, 1 << 10, "the test", &value, &diagnostics))
		fail_msg("bad JSON in the test: %s", text);
	diagnostics_release(&diagnostics);
	return value;
}

static const char *name_of(const struct output *output)
{
	return output ? output->name : "";
}

static void test_marks(void **state)
{
	const struct json_style style = {.pretty = false};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena arena;

		arena_init(&arena);
		struct value recorded = json(&arena, rows[i].recorded);
		const struct value *then = value_if_set(&recorded);
		struct live was = {.presence = PRESENCE_PRESENT, .outputs = recorded};
		struct live live = {.presence = rows[i].presence,
				    .outputs = json(&arena, rows[i].live),
				    .ownership = {.lineage = slice_of(rows[i].lineage)}};
		struct value before = plan_marks(&kind, then ? &was : NULL, &arena);
		struct value now = plan_marks(&kind, &live, &arena);
		const char *moved = plan_marks_moved(&before, &now, &arena, &style);
		const char *untold = name_of(live_untold(&live, &kind, then, SLICE("ours")));

		if (strcmp(untold, rows[i].untold ? rows[i].untold : "") != 0)
			fail_msg("%s: '%s' is not told", rows[i].name, untold);
		if (!moved || !rows[i].moved ? moved || rows[i].moved : !strstr(moved, rows[i].moved))
			fail_msg("%s: %s", rows[i].name, moved ? moved : "the same");
		if (live_is_another(&live, &kind, then, SLICE("ours")) != rows[i].another)
			fail_msg("%s: another", rows[i].name);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks),
	};

	return cmocka_run_group_tests_name("marks", tests, NULL, NULL);
}
