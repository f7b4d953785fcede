#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reconcile/recover.h"

static const struct {
	const char *name;
	bool creates;
	bool recorded;
	bool read;
	enum presence presence;
	enum settlement wanted;
} rows[] = {
	{"create, object found", true, true, true, PRESENCE_PRESENT, SETTLEMENT_DONE},
	{"create, object found leaving", true, true, true, PRESENCE_LEAVING, SETTLEMENT_DONE},
	{"create, no such object", true, true, true, PRESENCE_ABSENT, SETTLEMENT_FAILED},
	{"create, object unread", true, true, true, PRESENCE_UNREAD, SETTLEMENT_NONE},
	{"create, not read at all", true, true, false, PRESENCE_PRESENT, SETTLEMENT_NONE},
	{"create, object not recorded", true, false, false, PRESENCE_PRESENT, SETTLEMENT_NONE},
	{"change, object found", false, true, true, PRESENCE_PRESENT, SETTLEMENT_DONE},
	{"change or delete, object gone", false, true, true, PRESENCE_ABSENT, SETTLEMENT_DONE},
	{"change, object unread", false, true, true, PRESENCE_UNREAD, SETTLEMENT_NONE},
	{"change, not read at all", false, true, false, PRESENCE_PRESENT, SETTLEMENT_NONE},
	{"delete, object no longer recorded", false, false, false, PRESENCE_PRESENT, SETTLEMENT_DONE},
};

static void test_judge(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct intent intent = {.creates = rows[i].creates};
		struct object object = {0};
		struct live live = {.presence = rows[i].presence};
		struct verdict verdict =
			recover_judge(&intent, rows[i].recorded ? &object : NULL, rows[i].read ? &live : NULL);

		if (verdict.settlement != rows[i].wanted)
			fail_msg("%s: %d instead of %d", rows[i].name, (int)verdict.settlement, (int)rows[i].wanted);
		assert_non_null(verdict.why);
	}
}

/* Each intent meets the object that it names, wherever that stands. */
static void test_all(void **state)
{
	struct object first = {.object_id = SLICE("one")}, second = {.object_id = SLICE("two")};
	struct object *objects[] = {&first, &second};
	struct live absent = {.presence = PRESENCE_ABSENT}, present = {.presence = PRESENCE_PRESENT};
	const struct live *live[] = {&absent, &present};
	struct intent intents[] = {
		{.id = SLICE("a"), .object_id = SLICE("two"), .creates = true},
		{.id = SLICE("b"), .object_id = SLICE("one"), .creates = true},
		{.id = SLICE("c"), .object_id = SLICE("three"), .creates = true},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct recovery recovery = {
		.intents = intents,
		.intent_count = 3,
		.objects = objects,
		.object_count = 2,
		.live = live,
		.arena = &arena,
	};
	recover_all(&recovery);
	assert_int_equal(recovery.close_count, 2);
	assert_true(slice_is(recovery.closes[0].id, "a"));
	assert_int_equal(recovery.closes[0].outcome, OUTCOME_DONE);
	assert_true(slice_is(recovery.closes[1].id, "b"));
	assert_int_equal(recovery.closes[1].outcome, OUTCOME_FAILED);
	assert_int_equal(recovery.open_count, 1);
	assert_ptr_equal(recovery.open[0], &intents[2]);
	arena_release(&arena);
}

/* Without a look at reality nothing is settled. */
static void test_nothing_read(void **state)
{
	struct object object = {.object_id = SLICE("one")};
	struct object *objects[] = {&object};
	struct intent intent = {.id = SLICE("a"), .object_id = SLICE("one")};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct recovery recovery = {
		.intents = &intent,
		.intent_count = 1,
		.objects = objects,
		.object_count = 1,
		.arena = &arena,
	};
	recover_all(&recovery);
	assert_int_equal(recovery.close_count, 0);
	assert_int_equal(recovery.open_count, 1);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_nothing_read),
	};

	return cmocka_run_group_tests_name("recover", tests, NULL, NULL);
}
