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
} rows[] = {
	{"nothing is there yet", SETTLEMENT_WAIT, RECIPE_TOKEN, 1, true, false},
	{"nothing was there for long", SETTLEMENT_ABSENT, RECIPE_TOKEN, HOUR_MS - 1, true, false},
	{"its token may be forgotten", SETTLEMENT_ABSENT, RECIPE_TOKEN, HOUR_MS, false, false},
	{"the clock was set back: nobody knows how old it is", SETTLEMENT_WAIT, RECIPE_TOKEN, -1, false, false},
	{"without a token", SETTLEMENT_WAIT, RECIPE_TAG, 1, false, false},
	{"it was found", SETTLEMENT_DONE, RECIPE_TOKEN, 1, false, false},
	{"it cannot be told", SETTLEMENT_NONE, RECIPE_TOKEN, 1, false, false},
	{"its object is no longer recorded", SETTLEMENT_ABSENT, RECIPE_TOKEN, 1, false, true},
};

static void test_which(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct intent intent = {.recipe = rows[i].recipe, .wall_ms = SENT_MS};
		struct verdict verdict = {.settlement = rows[i].settlement};
		struct object object = {0}, *subject = rows[i].unrecorded ? NULL : &object;
		struct recovery recovery = {.intents = &intent,
					    .intent_count = 1,
					    .verdicts = &verdict,
					    .subjects = &subject,
					    .now_ms = SENT_MS + rows[i].later_ms};

		if (recover_can_send_again(&recovery, 0) != rows[i].wanted)
			fail_msg("%s", rows[i].name);
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
		struct verdict verdict = {.settlement = SETTLEMENT_WAIT};
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
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_named),
	};

	return cmocka_run_group_tests_name("recover_again", tests, NULL, NULL);
}
