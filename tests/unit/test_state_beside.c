#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "base/buffer.h"
#include "tests/unit/support_state_file.h"

/*
 * What replaces had left behind when a run began, and it did not change. A row tells what each of a few runs does, in
 * words: a number that tells objects apart, and behind it "+" where the run records it as its address's own, "!" where
 * it leaves it behind, "-" where it removes it.
 */

enum { RUNS = 4 };

static const struct {
	const char *name;
	const char *runs[RUNS];
	const char *wanted[RUNS]; /* of each run: what was left behind, and what stood (+) */
} rows[] = {
	{"nothing", {"1+"}, {""}},
	{"there still", {"1+", "1!", "2+"}, {"", "", "1"}},
	{"standing before the run that left it behind", {"1+", "2+", "1!"}, {"", "1+", ""}},
	{"standing where nothing was ever left behind", {"1+", "2+"}, {"", ""}},
	{"removed by a later run", {"1+", "1!", "2+", "1-"}, {"", "", "1", ""}},
	{"taken back by a later run", {"1+", "1!", "2+", "1+"}, {"", "", "1", ""}},
	{"removed by the run", {"1+", "1!", "1- 2+"}, {"", "", ""}},
	{"several", {"1+ 2+", "2! 1!", "3+", "1-"}, {"", "", "1 2", "2"}},
};

static void carry_out(struct state_fixture *fixture, struct store *store, const char *words)
{
	struct slice rest = slice_of(words);

	while (rest.size > 0) {
		struct slice word = slice_cut(&rest, ' ');
		size_t number = (size_t)(word.data[0] - '0');
		struct object *object = fixture_object(fixture, number);
		const struct object *const objects[] = {object};
		const struct slice bodies[] = {arena_format(&fixture->arena, "{\"by\":%zu}", number)};
		const struct removal removal = {.object_id = object->object_id};
		struct commit commit = {.upserts = objects, .bodies = bodies, .upsert_count = 1};

		object->role = word.data[1] == '!' ? OBJECT_DEPOSED : OBJECT_CURRENT;
		if (word.data[1] == '-')
			commit = (struct commit){.removals = &removal, .removal_count = 1};
		if (store->ops->commit(store, &commit, &fixture->diagnostics) != COMMIT_DONE)
			fixture_give_up(fixture);
	}
}

static void expect(struct state_fixture *fixture, struct store *store, size_t row, size_t run)
{
	struct past_object *past;
	size_t count;
	BUFFER_AUTO told;

	buffer_init(&told, 1024);
	if (!store->ops->beside(store, &fixture->arena, fixture_id(fixture, 0xabc000 + run), &past, &count,
				&fixture->diagnostics))
		fixture_give_up(fixture);
	for (size_t i = 0; i < count; i++) {
		const struct object *object = &past[i].before;
		char digit = object->address.data[object->address.size - 1];

		assert_true(past[i].was);
		assert_true(slice_equal(object->object_id, fixture_id(fixture, (size_t)(digit - '0'))));
		assert_true(slice_equal(past[i].before_body, arena_format(&fixture->arena, "{\"by\":%c}", digit)));
		buffer_format(&told, "%s%c%s", i > 0 ? " " : "", digit, object->role == OBJECT_DEPOSED ? "" : "+");
	}
	if (!slice_is(buffer_slice(&told), rows[row].wanted[run]))
		fail_msg("%s, run %zu: %.*s", rows[row].name, run, SLICE_ARGUMENTS(buffer_slice(&told)));
}

static void test_rows(void **state)
{
	struct state_fixture *fixture = (struct state_fixture *)*state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct store *store;
		size_t count = 0;

		if (!state_file_open(fixture, STATE_WRITE, &store))
			fixture_give_up(fixture);
		for (; count < RUNS && rows[i].runs[count]; count++) {
			struct run run = {.id = fixture_id(fixture, 0xabc000 + count), .command = SLICE("apply")};

			if (!store->ops->begin(store, &run, &fixture->diagnostics))
				fixture_give_up(fixture);
			carry_out(fixture, store, rows[i].runs[count]);
			if (!store->ops->end(store, SLICE("done"), &fixture->diagnostics))
				fixture_give_up(fixture);
		}
		for (size_t k = 0; k < count; k++)
			expect(fixture, store, i, k);
		store->ops->close(store);
		state_file_remove(fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {STATE_TEST(test_rows)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
