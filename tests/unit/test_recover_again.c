#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reconcile/recover_again.h"
#include "reconcile/unfinished.h"
#include "tests/unit/support_loop.h"

/* What is sent once more after a crash, and what is not. */

enum { SENT_MS = 50 * 60 * 1000, HOUR_MS = 60 * 60 * 1000 };

static const struct {
	const char *name;
	enum settlement settlement;
	enum recipe recipe;
	int64_t later_ms;
	bool wanted;
	bool unrecorded; /* its object */
	bool dropped;	 /* nobody wants what it makes any more */
} rows[] = {
	{"nothing is there yet", SETTLEMENT_WAIT, RECIPE_TOKEN, 1, true, false, false},
	{"nothing was there for long", SETTLEMENT_ABSENT, RECIPE_TOKEN, HOUR_MS - 1, true, false, false},
	{"its token may be forgotten", SETTLEMENT_ABSENT, RECIPE_TOKEN, HOUR_MS, false, false, false},
	{"the clock was set back: nobody knows how old it is", SETTLEMENT_WAIT, RECIPE_TOKEN, -1, false, false, false},
	{"without a token", SETTLEMENT_WAIT, RECIPE_TAG, 1, false, false, false},
	{"it was found", SETTLEMENT_DONE, RECIPE_TOKEN, 1, false, false, false},
	{"it cannot be told", SETTLEMENT_NONE, RECIPE_TOKEN, 1, false, false, false},
	{"its object is no longer recorded", SETTLEMENT_ABSENT, RECIPE_TOKEN, 1, false, true, false},
	{"what it makes is not wanted any more", SETTLEMENT_WAIT, RECIPE_TOKEN, 1, false, false, true},
	{"nor after long", SETTLEMENT_ABSENT, RECIPE_TOKEN, HOUR_MS - 1, false, false, true},
};

static bool is_wanted(void *context, const struct object *object)
{
	(void)object;
	return !*(const bool *)context;
}

static void test_which(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct intent intent = {.recipe = rows[i].recipe, .wall_ms = SENT_MS};
		struct verdict verdict = {.settlement = rows[i].settlement};
		struct object object = {0}, *subject = rows[i].unrecorded ? NULL : &object;
		bool dropped = rows[i].dropped;
		struct recovery recovery = {.intents = &intent,
					    .intent_count = 1,
					    .verdicts = &verdict,
					    .subjects = &subject,
					    .now_ms = SENT_MS + rows[i].later_ms,
					    .is_wanted = is_wanted,
					    .context = &dropped};

		if (recover_can_send_again(&recovery, 0) != rows[i].wanted)
			fail_msg("%s", rows[i].name);
		recovery.is_wanted = NULL;
		if (recover_can_send_again(&recovery, 0))
			fail_msg("%s, and nobody says what is wanted", rows[i].name);
	}
}

/* Whether the same is asked for still: by the spec, with symbols, and by a plan, with what they stand for. */
static const struct {
	const char *name;
	const char *kind, *provider, *symbolic, *resolved, *rule, *object;
	enum operation operation;
	bool wanted, planned;
} asked[] = {
	{"the same", "t.thing", "one", "${t.net.a}", "net-1", "in", "two", OPERATION_CREATE, true, true},
	{"what it refers to is another one by now", "t.thing", "one", "${t.net.a}", "net-2", "in", "two",
	 OPERATION_CREATE, true, false},
	{"other fields", "t.thing", "one", "${t.net.b}", "net-2", "in", "two", OPERATION_CREATE, false, false},
	{"through another alias", "t.thing", "two", "${t.net.a}", "net-1", "in", "two", OPERATION_CREATE, false, false},
	{"another kind", "t.other", "one", "${t.net.a}", "net-1", "in", "two", OPERATION_CREATE, false, true},
	{"another object of the address", "t.thing", "one", "${t.net.a}", "net-1", "in", "three", OPERATION_CREATE,
	 true, false},
	{"what is set once it is there", "t.thing", "one", "${t.net.a}", "net-1", "out", "two", OPERATION_CREATE, true,
	 true},
	{"it has come", "t.thing", "one", "${t.net.a}", "net-1", "in", "two", OPERATION_UPDATE, true, false},
	{"its record goes", "t.thing", "one", "${t.net.a}", "net-1", "in", "two", OPERATION_FORGET, true, false},
};

static void test_asked(void **state)
{
	const struct json_style style = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		static const struct field fields[] = {{.name = "net", .type = FIELD_STRING},
						      {.name = "rule", .type = FIELD_STRING, .flags = SETTLES}};
		const struct kind kind = {.name = asked[i].kind, .fields = FIELDS(fields)};
		const struct value_member sent[] = {{value_text("net"), value_text("${t.net.a}")},
						    {value_text("net"), value_text("net-1")},
						    {value_text("rule"), value_text("in")}};
		const struct value_member now[] = {{value_text("net"), value_text(asked[i].symbolic)},
						   {value_text("net"), value_text(asked[i].resolved)},
						   {value_text("rule"), value_text(asked[i].rule)}};
		const struct object object = {.object_id = SLICE("two"),
					      .kind = SLICE("t.thing"),
					      .provider = SLICE("one"),
					      .applied = value_map(&sent[0], 1),
					      .resolved = value_map(&sent[1], 2)};
		const struct resource resource = {
			.kind = &kind, .provider = slice_of(asked[i].provider), .desired = value_map(&now[0], 1)};
		const struct action action = {.operation = asked[i].operation,
					      .kind = &kind,
					      .object_id = slice_of(asked[i].object),
					      .provider = slice_of(asked[i].provider),
					      .known = value_map(&now[1], 2)};
		struct arena scratch;

		arena_init(&scratch);
		if (recover_is_wanted(&object, &resource, &style, &scratch) != asked[i].wanted)
			fail_msg("%s: by the spec", asked[i].name);
		if (recover_is_planned(&object, &action, &style, &scratch) != asked[i].planned)
			fail_msg("%s: by the plan", asked[i].name);
		arena_release(&scratch);
	}
}

static enum step create_again(struct task *task, struct session *session, const struct kind *kind,
			      const struct value *parameters, struct arena *keep, const struct answer *answer)
{
	(void)kind;
	(void)keep;
	if (answer)
		return answer->ok ? STEP_DONE : STEP_FAILED;
	task->call = (struct call){
		.session = session,
		.operation = "CreateThing",
		.definition = (char *)session - offsetof(struct staged, session),
		.parameters = parameters,
		.mutating = true,
		.creates = true,
		.recipe = RECIPE_TOKEN,
	};
	return STEP_CALL;
}

static const struct {
	const char *name;
	const char *parameters;
	size_t sent;
	bool refused;
	size_t closes; /* what is known of the call then */
} parameters[] = {
	{"as they were", "{\"name\":\"a\"}", 1, false, 1},
	{"refused, which tells nothing of the first time", "{\"name\":\"a\"}", 1, true, 0},
	{"of a secret the fingerprint is left", "{\"name\":{\"$secret\":\"9c1e77aa9c1e77aa9c1e77aa9c1e77aa\"}}", 0,
	 false, 0},
	{"damaged", "{\"name\":", 0, false, 0},
};

static void test_parameters(void **state)
{
	static const struct reply replies[] = {{.after_ms = 1, .repeat = -1}};
	static const struct reply refusals[] = {
		{.after_ms = 1, .fault = FAULT_BUDGET, .code = "No", .message = "no", .repeat = -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
		struct object object = {.address = SLICE("aws.thing.a"), .object_id = SLICE("one")};
		struct object *subject = &object;
		struct intent intent = {.id = SLICE("two"),
					.token = SLICE("two"),
					.recipe = RECIPE_TOKEN,
					.creates = true,
					.parameters = slice_of(parameters[i].parameters)};
		struct verdict verdict = {.settlement = SETTLEMENT_AGAIN};
		struct kinds kinds = {0};
		struct staged staged;

		stage_open(&staged, parameters[i].refused ? refusals : replies);
		/* The token is as old as the intent, and no older. */
		staged.now_ms = intent.wall_ms = 2 * (int64_t)HOUR_MS;
		staged.provider.create_again = create_again;
		staged.session.identified = true;
		staged.session.identity = object.identity = (struct identity){.provider = SLICE("aws")};
		struct session *items[] = {&staged.session};
		struct sessions sessions = {.items = items, .count = 1, .alias_count = 1};
		struct recovery recovery = {.intents = &intent,
					    .intent_count = 1,
					    .verdicts = &verdict,
					    .subjects = &subject,
					    .now_ms = intent.wall_ms,
					    .arena = &staged.arena};

		assert_true(recover_send_again(&recovery, &staged.loop, &sessions, &kinds));
		if (staged.sent_count != parameters[i].sent || staged.closes != parameters[i].closes)
			fail_msg("%s: %zu sent, of %zu an outcome", parameters[i].name, staged.sent_count,
				 staged.closes);
		/* Of what may have come only now the next listing may still know nothing. */
		if (object.created_ms != (parameters[i].closes > 0 ? recovery.now_ms : 0))
			fail_msg("%s: made at %lld ms", parameters[i].name, (long long)object.created_ms);
		stage_close(&staged);
	}
}

/* What a call names, that the service does not know (yet). */
static const struct {
	const char *name;
	int64_t age_ms;
	const char *named;
	bool is_read, leaves;
	enum presence presence;
	bool fresh;
} named[] = {
	{.name = "made just now", .age_ms = 1, .named = "subnet-1", .fresh = true},
	{.name = "made just now, and named by its name", .age_ms = 1, .named = "web", .fresh = true},
	{.name = "made just now, and there",
	 .age_ms = 1,
	 .named = "subnet-1",
	 .is_read = true,
	 .presence = PRESENCE_PRESENT,
	 .fresh = true},
	{.name = "made just now, and could not be read",
	 .age_ms = 1,
	 .named = "subnet-1",
	 .is_read = true,
	 .presence = PRESENCE_UNREAD,
	 .fresh = true},
	{.name = "made just now, and gone",
	 .age_ms = 1,
	 .named = "subnet-1",
	 .is_read = true,
	 .presence = PRESENCE_ABSENT},
	{.name = "made just now, and going",
	 .age_ms = 1,
	 .named = "subnet-1",
	 .is_read = true,
	 .presence = PRESENCE_LEAVING},
	{.name = "made just now, and being deleted by an earlier run",
	 .age_ms = 1,
	 .named = "subnet-1",
	 .leaves = true},
	{.name = "made long ago", .age_ms = LOOP_SETTLING_MS, .named = "subnet-1"},
	{.name = "made later than now: the clock was set back", .age_ms = -1, .named = "subnet-1"},
	{.name = "not recorded", .age_ms = 1, .named = "subnet-2"},
};

static void test_named(void **state)
{
	static const struct reply replies[] = {{.after_ms = 1, .repeat = -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		struct staged staged;

		stage_open(&staged, replies);
		int64_t now_ms = staged.world.wall_ms(&staged.world);
		const struct value_member name = {value_text("name"), value_text("web")};
		const struct value_member parameter = {value_text("SubnetId"), value_text(named[i].named)};
		struct object object = {.provider_id = SLICE("subnet-1"), .created_ms = now_ms - named[i].age_ms};
		struct object *objects = &object;
		const struct live live = {.presence = named[i].presence}, *lives = named[i].is_read ? &live : NULL;
		struct value said = value_map(&parameter, 1);
		struct call call = {.parameters = &said};
		struct recovery recovery = {.objects = &objects,
					    .object_count = 1,
					    .live = &lives,
					    .now_ms = now_ms,
					    .arena = &staged.arena};
		struct recover_fresh fresh;

		object.has_body = true;
		object.resolved = value_map(&name, 1);
		if (named[i].leaves)
			assert_true(unfinished_note_delete(&object, NULL, now_ms, &staged.arena));
		recover_fresh_init(&fresh, &recovery, &staged.world);
		if ((recover_fresh_age_ms(&fresh, &call) < LOOP_SETTLING_MS) != named[i].fresh)
			fail_msg("%s", named[i].name);
		recover_fresh_release(&fresh);
		stage_close(&staged);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which),
		cmocka_unit_test(test_asked),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_named),
	};

	return cmocka_run_group_tests_name("recover_again", tests, NULL, NULL);
}
