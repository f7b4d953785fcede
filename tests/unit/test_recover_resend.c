#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reconcile/recover_resend.h"

/* What is sent once more after a crash, and what is not. */

enum { SENT_MS = 50 * 60 * 1000, HOUR_MS = 60 * 60 * 1000, GRACE_MS = 60 * 1000, OLD_MS = HOUR_MS - GRACE_MS };

static const struct {
	const char *name;
	enum settlement settlement;
	enum recipe recipe;
	int64_t later_ms;
	bool wanted;
	bool unrecorded;	/* its object */
	bool dropped;		/* nobody wants what it makes any more */
	const char *parameters; /* NULL: {} */
	bool changes;		/* what is there: the plan that makes the same change has the same token by itself */
} rows[] = {
	{"nothing is there yet", SETTLEMENT_WAIT, RECIPE_TOKEN, 1, true, false, false, NULL, false},
	{"nothing was there for long", SETTLEMENT_ABSENT, RECIPE_TOKEN, OLD_MS - 1, true, false, false, NULL, false},
	{"late, it may come when its token is forgotten", SETTLEMENT_ABSENT, RECIPE_TOKEN, OLD_MS, false, false, false,
	 NULL, false},
	{"the clock was set back: nobody knows how old it is", SETTLEMENT_WAIT, RECIPE_TOKEN, -1, false, false, false,
	 NULL, false},
	{"without a token", SETTLEMENT_WAIT, RECIPE_TAG, 1, false, false, false, NULL, false},
	{"it was found", SETTLEMENT_DONE, RECIPE_TOKEN, 1, false, false, false, NULL, false},
	{"it cannot be told", SETTLEMENT_NONE, RECIPE_TOKEN, 1, false, false, false, NULL, false},
	{"its object is no longer recorded", SETTLEMENT_ABSENT, RECIPE_TOKEN, 1, false, true, false, NULL, false},
	{"what it makes is not wanted any more", SETTLEMENT_WAIT, RECIPE_TOKEN, 1, false, false, true, NULL, false},
	{"nor after long", SETTLEMENT_ABSENT, RECIPE_TOKEN, OLD_MS - 1, false, false, true, NULL, false},
	{"of a secret the fingerprint is left", SETTLEMENT_WAIT, RECIPE_TOKEN, 1, false, false, false,
	 "{\"name\":{\"$secret\":\"9c1e77aa9c1e77aa9c1e77aa9c1e77aa\"}}", false},
	{"damaged", SETTLEMENT_WAIT, RECIPE_TOKEN, 1, false, false, false, "{\"name\":", false},
	{"of a change", SETTLEMENT_WAIT, RECIPE_TOKEN, 1, false, false, false, NULL, true},
};

static bool is_wanted(void *context, const struct object *object)
{
	(void)object;
	return !*(const bool *)context;
}

static void test_which(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct intent intent = {.recipe = rows[i].recipe,
					.creates = !rows[i].changes,
					.wall_ms = SENT_MS,
					.parameters = slice_of(rows[i].parameters ? rows[i].parameters : "{}")};
		struct verdict verdict = {.settlement = rows[i].settlement};
		struct object object = {0}, *subject = rows[i].unrecorded ? NULL : &object;
		bool dropped = rows[i].dropped;
		struct recovery recovery = {.intents = &intent,
					    .intent_count = 1,
					    .verdicts = &verdict,
					    .subjects = &subject,
					    .now_ms = SENT_MS + rows[i].later_ms,
					    .grace_ms = GRACE_MS,
					    .is_wanted = is_wanted,
					    .context = &dropped,
					    .arena = &arena};
		struct value parameters;

		if (recover_can_resend(&recovery, 0, &parameters) != rows[i].wanted)
			fail_msg("%s", rows[i].name);
		recovery.is_wanted = NULL;
		if (recover_can_resend(&recovery, 0, &parameters))
			fail_msg("%s, and nobody says what is wanted", rows[i].name);
	}
	arena_release(&arena);
}

/* What was sent once more may come for the grace from then on, also where its token is too old for a third time. */
static void test_how_long(void **state)
{
	static const struct {
		const char *name;
		int64_t first_ms, last_ms, now_ms; /* 0: the first was the last */
		enum settlement settlement;
	} looks[] = {
		{"sent once", SENT_MS, 0, SENT_MS + GRACE_MS - 1, SETTLEMENT_WAIT},
		{"and as long ago as the grace is", SENT_MS, 0, SENT_MS + GRACE_MS, SETTLEMENT_ABSENT},
		{"sent once more", SENT_MS, SENT_MS + OLD_MS - 1, SENT_MS + HOUR_MS - 2, SETTLEMENT_WAIT},
		{"and as long ago as the grace is", SENT_MS, SENT_MS + OLD_MS - 1, SENT_MS + HOUR_MS - 1,
		 SETTLEMENT_ABSENT},
		{"after the clock was set back", SENT_MS, SENT_MS - GRACE_MS, SENT_MS + 1, SETTLEMENT_WAIT},
	};
	static const struct live absent = {.presence = PRESENCE_ABSENT};
	const struct kinds kinds = {.count = 0};
	struct object object = {.object_id = SLICE("one")}, *objects[] = {&object};
	const struct live *live[] = {&absent};
	bool dropped = false;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		const struct intent intent = {.object_id = object.object_id,
					      .recipe = RECIPE_TOKEN,
					      .creates = true,
					      .wall_ms = looks[i].first_ms,
					      .sent_ms = looks[i].last_ms,
					      .parameters = SLICE("{}")};
		struct recovery recovery = {.intents = &intent,
					    .intent_count = 1,
					    .objects = objects,
					    .object_count = 1,
					    .live = live,
					    .kinds = &kinds,
					    .now_ms = looks[i].now_ms,
					    .looked_ms = looks[i].now_ms,
					    .grace_ms = GRACE_MS,
					    .context = &dropped,
					    .arena = &arena};

		recover_all(&recovery);
		if (recovery.verdicts[0].settlement != looks[i].settlement)
			fail_msg("%s: %d", looks[i].name, (int)recovery.verdicts[0].settlement);
		/* How old its token is counts from the first. */
		recovery.is_wanted = is_wanted;
		recover_all(&recovery);
		bool is_young = looks[i].now_ms - looks[i].first_ms < OLD_MS;
		if ((recovery.verdicts[0].settlement == SETTLEMENT_RESEND) != is_young)
			fail_msg("%s: %d where it is wanted", looks[i].name, (int)recovery.verdicts[0].settlement);
	}
	arena_release(&arena);
}

/* What only the key can tell is told by nobody else. */
static void test_key(void **state)
{
	static const struct {
		const char *name;
		const char *sealed;
		bool lacks_key, dropped;
		int64_t later_ms;
		enum settlement settlement;
	} keys[] = {
		{"there is none", "{}", false, false, 1, SETTLEMENT_WAIT},
		{"it cannot be had", "{}", true, false, 1, SETTLEMENT_NONE},
		{"nothing is sealed under it", "", true, false, 1, SETTLEMENT_RESEND},
		{"what is made is not wanted any more", "{}", true, true, 1, SETTLEMENT_WAIT},
		{"the token is forgotten", "{}", true, false, OLD_MS, SETTLEMENT_ABSENT},
	};
	static const struct live absent = {.presence = PRESENCE_ABSENT};
	const struct kinds kinds = {.count = 0};
	struct object object = {.object_id = SLICE("one")}, *objects[] = {&object};
	const struct live *live[] = {&absent};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct intent intent = {.object_id = object.object_id,
					.recipe = RECIPE_TOKEN,
					.creates = true,
					.wall_ms = SENT_MS,
					.parameters =
						SLICE("{\"name\":{\"$secret\":\"9c1e77aa9c1e77aa9c1e77aa9c1e77aa\"}}"),
					.sealed = slice_of(keys[i].sealed)};
		bool dropped = keys[i].dropped;

		if (intent.sealed.size == 0)
			intent.parameters = SLICE("{}");
		struct recovery recovery = {.intents = &intent,
					    .intent_count = 1,
					    .objects = objects,
					    .object_count = 1,
					    .live = live,
					    .kinds = &kinds,
					    .now_ms = SENT_MS + keys[i].later_ms,
					    .looked_ms = SENT_MS + keys[i].later_ms,
					    .grace_ms = GRACE_MS,
					    .lacks_key = keys[i].lacks_key,
					    .is_wanted = is_wanted,
					    .context = &dropped,
					    .arena = &arena};
		recover_all(&recovery);
		if (recovery.verdicts[0].settlement != keys[i].settlement)
			fail_msg("%s: %d", keys[i].name, (int)recovery.verdicts[0].settlement);
		assert_int_equal(recovery.open_count, keys[i].settlement == SETTLEMENT_NONE);
	}
	arena_release(&arena);
}

static void test_resends(void **state)
{
	const struct intent intents[] = {{.object_id = SLICE("one"), .token = SLICE("first")},
					 {.object_id = SLICE("two"), .token = SLICE("second")}};
	struct verdict verdicts[] = {{.settlement = SETTLEMENT_WAIT}, {.settlement = SETTLEMENT_RESEND}};
	struct value parameters[2] = {value_null(), value_map(NULL, 0)};
	struct arena arena;
	struct map map;

	(void)state;
	arena_init(&arena);
	map_init(&map);
	const struct recovery recovery = {
		.intents = intents, .intent_count = 2, .verdicts = verdicts, .parameters = parameters, .arena = &arena};
	recover_resends(&recovery, &map);
	assert_int_equal(map.count, 1);
	const struct resend *resend = map_get(&map, SLICE("two"));
	assert_true(resend && resend->intent == &intents[1] && resend->parameters == &parameters[1]);
	map_release(&map);
	arena_release(&arena);
}

/* Whether a plan asks for the same still. */
static const struct {
	const char *name;
	const char *provider, *net, *rule;
	enum operation operation;
	bool planned;
} asked[] = {
	{"the same", "one", "net-1", "in", OPERATION_CREATE, true},
	{"what it refers to is another one by now", "one", "net-2", "in", OPERATION_CREATE, false},
	{"what it refers to is known only later", "one", NULL, "in", OPERATION_CREATE, false},
	{"through another alias", "two", "net-1", "in", OPERATION_CREATE, false},
	{"what is set once it is there", "one", "net-1", "out", OPERATION_CREATE, true},
	{"it has come", "one", "net-1", "in", OPERATION_UPDATE, false},
	{"its record goes", "one", "net-1", "in", OPERATION_FORGET, false},
};

static void test_asked(void **state)
{
	const struct deferred later = {.text = SLICE("${t.net.a}")};
	static const struct field fields[] = {{.name = "net", .type = FIELD_STRING},
					      {.name = "rule", .type = FIELD_STRING, .flags = SETTLES}};
	static const struct kind kind = {.name = "t.thing", .fields = FIELDS(fields)};
	const struct json_style style = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		const struct value_member sent[] = {{value_text("net"), value_text("net-1")},
						    {value_text("rule"), value_text("in")}};
		const struct value_member now[] = {
			{value_text("net"), asked[i].net ? value_text(asked[i].net) : value_deferred(&later)},
			{value_text("rule"), value_text(asked[i].rule)}};
		const struct object object = {.provider = SLICE("one"), .resolved = value_map(sent, 2)};
		const struct action action = {.operation = asked[i].operation,
					      .kind = &kind,
					      .provider = slice_of(asked[i].provider),
					      .known = value_map(now, 2)};
		struct arena scratch;

		arena_init(&scratch);
		if (recover_is_planned(&object, &action, &style, &scratch) != asked[i].planned)
			fail_msg("%s", asked[i].name);
		arena_release(&scratch);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which),	cmocka_unit_test(test_how_long), cmocka_unit_test(test_key),
		cmocka_unit_test(test_resends), cmocka_unit_test(test_asked),
	};

	return cmocka_run_group_tests_name("recover_resend", tests, NULL, NULL);
}
