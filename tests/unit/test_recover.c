#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reconcile/recover.h"
#include "reconcile/refresh_parts.h"

enum { SENT_MS = 1000000, GRACE_MS = 120000 };

static const struct {
	const char *name;
	bool creates;
	bool recorded;
	bool named; /* the object's id is known */
	bool read;
	enum presence presence;
	bool may_come;
	enum settlement wanted;
	enum call_shown shows;
} rows[] = {
	{"create, object found", true, true, true, true, PRESENCE_PRESENT, true, SETTLEMENT_DONE, SHOWS_NOTHING},
	{"create, object found leaving", true, true, true, true, PRESENCE_LEAVING, true, SETTLEMENT_DONE,
	 SHOWS_NOTHING},
	{"create, no such object yet", true, true, false, true, PRESENCE_ABSENT, true, SETTLEMENT_WAIT, SHOWS_NOTHING},
	{"create, no such object for long", true, true, false, true, PRESENCE_ABSENT, false, SETTLEMENT_ABSENT,
	 SHOWS_NOTHING},
	{"create, id known and object gone", true, true, true, true, PRESENCE_ABSENT, true, SETTLEMENT_DONE,
	 SHOWS_NOTHING},
	{"create, object unread", true, true, false, true, PRESENCE_UNREAD, false, SETTLEMENT_NONE, SHOWS_NOTHING},
	{"create, not read at all", true, true, false, false, PRESENCE_PRESENT, false, SETTLEMENT_NONE, SHOWS_NOTHING},
	{"create, object not recorded", true, false, false, false, PRESENCE_PRESENT, true, SETTLEMENT_ABSENT,
	 SHOWS_NOTHING},
	{"change, it shows", false, true, true, true, PRESENCE_PRESENT, true, SETTLEMENT_DONE, SHOWS_DONE},
	{"change, what tells could not be read", false, true, true, true, PRESENCE_PRESENT, true, SETTLEMENT_NONE,
	 SHOWS_UNREAD},
	{"change, what tells could not be read for long", false, true, true, true, PRESENCE_PRESENT, false,
	 SETTLEMENT_NONE, SHOWS_UNREAD},
	{"change, what told could not be read, and it is gone", false, true, true, true, PRESENCE_ABSENT, true,
	 SETTLEMENT_DONE, SHOWS_UNREAD},
	{"change or delete, nothing shows", false, true, true, true, PRESENCE_PRESENT, true, SETTLEMENT_WAIT,
	 SHOWS_NOTHING},
	{"change or delete, nothing shows for long", false, true, true, true, PRESENCE_PRESENT, false,
	 SETTLEMENT_ABSENT, SHOWS_NOTHING},
	{"change or delete, object gone", false, true, true, true, PRESENCE_ABSENT, true, SETTLEMENT_DONE,
	 SHOWS_NOTHING},
	{"change or delete, object leaving", false, true, true, true, PRESENCE_LEAVING, true, SETTLEMENT_DONE,
	 SHOWS_NOTHING},
	{"change, object unread", false, true, true, true, PRESENCE_UNREAD, true, SETTLEMENT_NONE, SHOWS_NOTHING},
	{"change, not read at all", false, true, true, false, PRESENCE_PRESENT, true, SETTLEMENT_NONE, SHOWS_NOTHING},
	{"delete, object no longer recorded", false, false, true, false, PRESENCE_PRESENT, true, SETTLEMENT_DONE,
	 SHOWS_NOTHING},
};

/* What is shown once and was lost: the record is as if it had been made without. */
static void test_lost(void **state)
{
	struct intent intent = {.creates = true, .wall_ms = SENT_MS, .recipe = RECIPE_DISCARD};
	struct object object = {.provider_id = SLICE("key-1")};
	struct live live = {.presence = PRESENCE_PRESENT};

	(void)state;
	assert_string_equal(recover_judge(&intent, NULL, &object, &live, SHOWS_NOTHING, true).why,
			    "what is shown once was lost: another is made");
	intent.recipe = RECIPE_NATURAL;
	assert_string_equal(recover_judge(&intent, NULL, &object, &live, SHOWS_NOTHING, true).why,
			    "settled by reading");
}

/* Of what does as much again each time, nothing tells but that there is more than before of what it makes. */
static void test_as_before(void **state)
{
	static const struct output outputs[] = {{.name = "public_address"},
						{.name = "addresses6", .shows_work_of = "Assign"},
						{.name = "range", .shows_work_of = "Associate"}};
	static const struct kind kind = {.name = "test.thing", .outputs = FIELDS(outputs)};
	static const struct {
		const char *name;
		enum recipe recipe;
		const char *moved;	  /* an output that is other now */
		const char *before, *now; /* NULL: none */
		enum presence presence;
		bool may_come;
		enum settlement wanted;
	} looks[] = {
		{"as before", RECIPE_SNAPSHOT, "addresses6", "one", "one", PRESENCE_PRESENT, true, SETTLEMENT_WAIT},
		{"as before for long", RECIPE_SNAPSHOT, "addresses6", "one", "one", PRESENCE_PRESENT, false,
		 SETTLEMENT_ABSENT},
		{"more than before", RECIPE_SNAPSHOT, "addresses6", "one", "two", PRESENCE_PRESENT, true,
		 SETTLEMENT_DONE},
		{"the first ones", RECIPE_SNAPSHOT, "addresses6", NULL, "one", PRESENCE_PRESENT, true, SETTLEMENT_DONE},
		{"none still", RECIPE_SNAPSHOT, "addresses6", NULL, NULL, PRESENCE_PRESENT, true, SETTLEMENT_WAIT},
		{"none any more", RECIPE_SNAPSHOT, "addresses6", "one", NULL, PRESENCE_PRESENT, true, SETTLEMENT_WAIT},
		{"none any more for long", RECIPE_SNAPSHOT, "addresses6", "one", NULL, PRESENCE_PRESENT, false,
		 SETTLEMENT_ABSENT},
		{"what it does not make", RECIPE_SNAPSHOT, "public_address", "one", NULL, PRESENCE_PRESENT, true,
		 SETTLEMENT_WAIT},
		{"what another call makes", RECIPE_SNAPSHOT, "range", NULL, "one", PRESENCE_PRESENT, true,
		 SETTLEMENT_WAIT},
		{"gone", RECIPE_SNAPSHOT, "addresses6", "one", "one", PRESENCE_ABSENT, true, SETTLEMENT_DONE},
		{"what converges", RECIPE_CONVERGE, "addresses6", "one", "two", PRESENCE_PRESENT, true,
		 SETTLEMENT_WAIT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		struct value name = value_text(looks[i].moved);
		struct value_member before = {name, value_text(looks[i].before ? looks[i].before : "")};
		struct value_member now = {name, value_text(looks[i].now ? looks[i].now : "")};
		struct intent intent = {.wall_ms = SENT_MS, .operation = SLICE("Assign"), .recipe = looks[i].recipe};
		struct object object = {.provider_id = SLICE("i-1"),
					.outputs = value_map(&before, looks[i].before != NULL)};
		struct live live = {.presence = looks[i].presence, .outputs = value_map(&now, looks[i].now != NULL)};
		/* That the number of them is as it was to be tells nothing of a call that adds to them. */
		enum call_shown shows = looks[i].recipe == RECIPE_SNAPSHOT ? SHOWS_DONE : SHOWS_NOTHING;
		struct verdict verdict = recover_judge(&intent, &kind, &object, &live, shows, looks[i].may_come);

		if (verdict.settlement != looks[i].wanted)
			fail_msg("%s: %d instead of %d", looks[i].name, (int)verdict.settlement, (int)looks[i].wanted);
	}
}

/* Of a list in whatever order it comes: what the call added is new in it. */
static void test_as_before_in_any_order(void **state)
{
	static const struct output output = {.name = "addresses6", .shows_work_of = "Assign"};
	static const struct kind kind = {.name = "test.thing", .outputs = {&output, 1, sizeof(output)}};
	static const struct {
		const char *name;
		const char *now; /* a letter for each, and "ab" before */
		enum settlement wanted;
	} looks[] = {
		{"as before", "ab", SETTLEMENT_WAIT},
		{"in another order", "ba", SETTLEMENT_WAIT},
		{"one more", "cba", SETTLEMENT_DONE},
		{"one fewer", "a", SETTLEMENT_WAIT},
		{"another in its place: ours came, and somebody took one away", "ac", SETTLEMENT_DONE},
		{"none any more", "", SETTLEMENT_WAIT},
		{"ours alone", "c", SETTLEMENT_DONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		struct value were[] = {value_text("a"), value_text("b")}, are[3];
		uint32_t count = 0;
		for (const char *at = looks[i].now; *at; at++)
			are[count++] = value_string((struct slice){at, 1});
		struct value_member before = {value_text("addresses6"), value_list(were, 2)};
		struct value_member now = {value_text("addresses6"), value_list(are, count)};
		struct intent intent = {.wall_ms = SENT_MS, .operation = SLICE("Assign"), .recipe = RECIPE_SNAPSHOT};
		struct object object = {.provider_id = SLICE("i-1"), .outputs = value_map(&before, 1)};
		struct live live = {.presence = PRESENCE_PRESENT, .outputs = value_map(&now, 1)};
		struct verdict verdict = recover_judge(&intent, &kind, &object, &live, SHOWS_NOTHING, true);

		if (verdict.settlement != looks[i].wanted)
			fail_msg("%s: %d instead of %d", looks[i].name, (int)verdict.settlement, (int)looks[i].wanted);
	}
}

static void test_judge(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct intent intent = {.creates = rows[i].creates, .wall_ms = SENT_MS};
		struct object object = {.provider_id = rows[i].named ? SLICE("vpc-1") : SLICE("")};
		struct live live = {.presence = rows[i].presence};
		struct verdict verdict = recover_judge(&intent, NULL, rows[i].recorded ? &object : NULL,
						       rows[i].read ? &live : NULL, rows[i].shows, rows[i].may_come);

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
	struct live absent = {.presence = PRESENCE_ABSENT}, unread = {.presence = PRESENCE_UNREAD};
	const struct live *live[] = {&absent, &unread};
	struct intent intents[] = {
		{.object_id = SLICE("two"), .creates = true, .wall_ms = SENT_MS},
		{.object_id = SLICE("one"), .creates = true, .wall_ms = SENT_MS},
		{.object_id = SLICE("three"), .creates = true, .wall_ms = SENT_MS},
	};
	const struct kinds kinds = {.count = 0};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	struct recovery recovery = {
		.kinds = &kinds,
		.intents = intents,
		.intent_count = 3,
		.objects = objects,
		.object_count = 2,
		.live = live,
		.now_ms = SENT_MS + 2 * GRACE_MS,
		.looked_ms = SENT_MS,
		.grace_ms = GRACE_MS,
		.arena = &arena,
	};
	recover_all(&recovery);
	assert_int_equal(recovery.verdicts[0].settlement, SETTLEMENT_NONE);
	assert_ptr_equal(recovery.subjects[0], &second);
	assert_int_equal(recovery.verdicts[1].settlement, SETTLEMENT_WAIT);
	assert_ptr_equal(recovery.subjects[1], &first);
	assert_int_equal(recovery.verdicts[2].settlement, SETTLEMENT_ABSENT);
	assert_null(recovery.subjects[2]);
	assert_int_equal(recovery.waiting_count, 1);
	assert_int_equal(recovery.open_count, 1);
	/* The last moment of waiting, and the first after it; the other clock may have been ahead of ours. It counts
	 * when it was asked, however late the answer came. */
	recovery.looked_ms = SENT_MS + GRACE_MS - 1;
	recover_all(&recovery);
	assert_int_equal(recovery.verdicts[1].settlement, SETTLEMENT_WAIT);
	recovery.looked_ms++;
	recover_all(&recovery);
	assert_int_equal(recovery.verdicts[1].settlement, SETTLEMENT_ABSENT);
	recovery.looked_ms = SENT_MS - 9;
	recover_all(&recovery);
	assert_int_equal(recovery.verdicts[1].settlement, SETTLEMENT_WAIT);
	recovery.waited = true;
	recover_all(&recovery);
	assert_int_equal(recovery.verdicts[1].settlement, SETTLEMENT_ABSENT);
	/* Without a look at reality nothing is settled. */
	recovery.live = NULL;
	recover_all(&recovery);
	assert_int_equal(recovery.open_count, 2);
	assert_int_equal(recovery.waiting_count, 0);
	arena_release(&arena);
}

/* However late it is found: the secret that was shown for it is lost, and nothing else that is recorded of it. */
static void test_found_late(void **state)
{
	struct value_member fields[] = {{value_text("name"), value_text("k")},
					{value_text(SECRET_TO), value_text("f")}};
	struct object object = {.object_id = SLICE("one"),
				.has_body = true,
				.resolved = value_map(fields, sizeof(fields) / sizeof(fields[0]))};
	struct object *objects[] = {&object};
	struct live found = {.presence = PRESENCE_PRESENT,
			     .provider_id = SLICE("key-1"),
			     .ownership = {.lineage = SLICE("ours"), .object_id = SLICE("one")}};
	struct loop loop = {.settings.lineage = SLICE("ours")};
	struct arena arena;
	size_t member = 0;

	(void)state;
	arena_init(&arena);
	struct refresh refresh = {.loop = &loop, .objects = objects, .object_count = 1, .arena = &arena};
	refresh_match_tags(&refresh, &found, 1, &member, 1);
	assert_true(slice_is(object.provider_id, "key-1"));
	assert_null(value_get_named(&object.resolved, SECRET_TO));
	assert_non_null(value_get_named(&object.resolved, "name"));
	arena_release(&arena);
}

static enum commit_state pending_commit(struct store *store, const struct commit *commit,
					struct diagnostics *diagnostics)
{
	(void)store;
	(void)commit;
	(void)diagnostics;
	return COMMIT_PENDING;
}

/* A store that takes two looks. */
static enum commit_state finishing_poll(struct store *store, int64_t deadline_ms, struct diagnostics *diagnostics)
{
	static int polls;

	(void)store;
	(void)deadline_ms;
	(void)diagnostics;
	return ++polls < 2 ? COMMIT_PENDING : COMMIT_DONE;
}

static void test_commit_is_waited_for(void **state)
{
	static const struct store_ops ops = {.commit = pending_commit, .poll = finishing_poll};
	struct store store = {&ops};
	struct commit commit = {.close_count = 0};
	struct diagnostics diagnostics;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	assert_true(store_make_durable(&store, &commit, &diagnostics));
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

struct recorder {
	struct store store;
	size_t closes, upserts;
};

static enum commit_state note_commit(struct store *store, const struct commit *commit, struct diagnostics *diagnostics)
{
	struct recorder *recorder = (struct recorder *)store;

	(void)diagnostics;
	assert_true(commit->settles);
	recorder->closes += commit->close_count;
	recorder->upserts += commit->upsert_count;
	return COMMIT_DONE;
}

/* What a create has made, whenever that was, may be missing from the next listing: it is young. */
static void test_young_again(void **state)
{
	static const struct {
		bool creates, is_there;
		size_t upserts;
		int64_t created_ms;
	} creates[] = {
		{true, true, 1, SENT_MS + GRACE_MS},
		{true, false, 0, SENT_MS},
		{false, true, 0, SENT_MS},
	};
	static const struct store_ops ops = {.commit = note_commit};

	(void)state;
	for (size_t i = 0; i < sizeof(creates) / sizeof(creates[0]); i++) {
		struct object object = {.object_id = SLICE("object"), .created_ms = SENT_MS};
		struct object *objects = &object;
		struct intent intent = {
			.id = SLICE("intent"), .object_id = object.object_id, .creates = creates[i].creates};
		struct live found = {.presence = creates[i].is_there ? PRESENCE_PRESENT : PRESENCE_ABSENT};
		const struct live *live = &found;
		struct recorder recorder = {.store = {&ops}};
		struct diagnostics diagnostics;
		struct kinds kinds = {0};
		struct arena arena;

		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		if (creates[i].is_there)
			object.provider_id = SLICE("vpc-1");
		struct recovery recovery = {.intents = &intent,
					    .intent_count = 1,
					    .objects = &objects,
					    .object_count = 1,
					    .live = &live,
					    .kinds = &kinds,
					    .now_ms = SENT_MS + GRACE_MS,
					    .looked_ms = SENT_MS + GRACE_MS - 1,
					    .arena = &arena};
		recover_all(&recovery);
		assert_true(recover_commit(&recovery, &recorder.store, &diagnostics));
		assert_int_equal(recorder.closes, 1);
		if (recorder.upserts != creates[i].upserts || object.created_ms != creates[i].created_ms)
			fail_msg("row %zu: %zu recorded, made at %lld ms", i, recorder.upserts,
				 (long long)object.created_ms);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

/* Nothing is claimed about what may still come. */
static void test_hold(void **state)
{
	static const struct {
		const char *name;
		bool creates;
		bool named;
		enum presence presence, wanted;
	} holds[] = {
		{"a create that may still come", true, false, PRESENCE_ABSENT, PRESENCE_UNREAD},
		{"a create that came", true, false, PRESENCE_PRESENT, PRESENCE_PRESENT},
		{"what was made is gone", true, true, PRESENCE_ABSENT, PRESENCE_ABSENT},
		{"what was changed is gone", false, false, PRESENCE_ABSENT, PRESENCE_ABSENT},
		{"what was changed is there", false, true, PRESENCE_PRESENT, PRESENCE_UNREAD},
		{"what was changed is on its way out", false, true, PRESENCE_LEAVING, PRESENCE_LEAVING},
		{"not read", true, false, PRESENCE_UNREAD, PRESENCE_UNREAD},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(holds) / sizeof(holds[0]); i++) {
		struct object other = {.object_id = SLICE("other")};
		struct object object = {.object_id = SLICE("one"),
					.provider_id = holds[i].named ? SLICE("vpc-1") : SLICE("")};
		struct object *objects[] = {&other, &object};
		struct live absent = {.presence = PRESENCE_ABSENT}, seen = {.presence = holds[i].presence};
		const struct live *live[] = {&absent, &seen};
		struct intent intent = {
			.object_id = SLICE("one"), .operation = SLICE("CreateVpc"), .creates = holds[i].creates};

		recover_hold(&intent, 1, objects, 2, live, &arena);
		assert_ptr_equal(live[0], &absent);
		if (live[1]->presence != holds[i].wanted)
			fail_msg("%s: %d instead of %d", holds[i].name, (int)live[1]->presence, (int)holds[i].wanted);
		assert_int_equal(seen.presence, holds[i].presence);
	}
	arena_release(&arena);
}

/* No output of a kind that nobody knows tells that it is otherwise than before. */
static void test_no_kind(void **state)
{
	const struct intent intent = {.recipe = RECIPE_SNAPSHOT, .operation = SLICE("AssignThings")};
	const struct object object = {.provider_id = SLICE("one")};
	const struct live live = {.presence = PRESENCE_PRESENT};

	(void)state;
	assert_int_equal(recover_judge(&intent, NULL, &object, &live, SHOWS_NOTHING, true).settlement, SETTLEMENT_WAIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge),
		cmocka_unit_test(test_no_kind),
		cmocka_unit_test(test_as_before),
		cmocka_unit_test(test_as_before_in_any_order),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_found_late),
		cmocka_unit_test(test_commit_is_waited_for),
		cmocka_unit_test(test_young_again),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_hold),
	};

	return cmocka_run_group_tests_name("recover", tests, NULL, NULL);
}
