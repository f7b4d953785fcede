#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "reconcile/resource.h"

/* Whether a record says one thing of the id of what it stands for. */

static void test_ids(void **state)
{
	static const struct output outputs[] = {{.name = "id"}, {.name = "owner"}};
	static const struct output others[] = {{.name = "name"}, {.name = "id"}};
	static const struct kind made = {.name = "t.net", .outputs = FIELDS(outputs)};
	static const struct kind named = {.name = "t.pair", .outputs = FIELDS(others)};
	static const struct kind found = {.name = "t.machine", .outputs = FIELDS(outputs), .found = true};
	static const struct kind bare = {.name = "t.bare"};
	static const struct {
		const char *name;
		const struct kind *kind;
		const char *provider_id, *outputs;
		bool good;
	} rows[] = {
		{"the same", &made, "net-1", "{\"id\":\"net-1\",\"owner\":\"me\"}", true},
		{"another one", &made, "net-2", "{\"id\":\"net-1\",\"owner\":\"me\"}", false},
		{"begun, and without an id", &made, "", "{\"id\":\"net-1\"}", true},
		{"made, and not read yet", &made, "net-1", "{}", true},
		{"could not be read", &made, "net-1", "{\"id\":{\"$unread\":true}}", true},
		{"the first output is the id", &named, "a", "{\"id\":\"b\",\"name\":\"a\"}", true},
		{"the first output is another", &named, "b", "{\"id\":\"b\",\"name\":\"a\"}", false},
		{"found by its address", &found, "/1", "{\"id\":\"/2\"}", true},
		{"of a kind without outputs", &bare, "a", "{\"id\":\"b\"}", true},
		{"of a kind that nobody knows", NULL, "a", "{\"id\":\"b\"}", true},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct object object = {.address = SLICE("t.net.a"), .provider_id = slice_of(rows[i].provider_id)};
		struct diagnostics diagnostics;

		diagnostics_init(&diagnostics, &arena);
		if (!json_read(&arena, slice_of(rows[i].outputs), true, 1024, "the row", &object.outputs, &diagnostics))
			fail_msg("%s: no outputs", rows[i].name);
		if (object_check_id(&object, rows[i].kind, &arena, &diagnostics) != rows[i].good ||
		    (diagnostics.error_count > 0) == rows[i].good)
			fail_msg("%s", rows[i].name);
		diagnostics_release(&diagnostics);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_ids)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
