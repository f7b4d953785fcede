#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "reconcile/recover.h"

enum { SENT_MS = 1000000, GRACE_MS = 120000 };

/* Only what our own calls did is swept; what nobody can explain is told. */
static void test_twins(void **state)
{
	enum { HOUR_MS = 60 * 60 * 1000, LAG_MS = 10 * 60 * 1000 };
	static const struct {
		const char *name;
		struct past_call past;
		const char *recorded; /* id of the object that the tags name, or NULL */
		const char *before;   /* id that it had when a run last changed or deleted it, or NULL */
		int64_t later_ms;
		enum stray_origin wanted;
		const char *intent; /* that the recorded object was read with, or NULL: it was not read */
		bool gone;	    /* it was not there */
	} twins[] = {
		{"of no call of ours", {.known = false}, "vpc-1", NULL, 0, STRAY_UNKNOWN, NULL, false},
		{"given up, and it came late",
		 {.known = true, .outcome = OUTCOME_ABSENT},
		 "vpc-1",
		 NULL,
		 HOUR_MS,
		 STRAY_TWIN,
		 NULL,
		 false},
		{"given up, and it came late beside another",
		 {.known = true, .outcome = OUTCOME_ABSENT},
		 "vpc-1",
		 NULL,
		 HOUR_MS,
		 STRAY_TWIN,
		 "later",
		 false},
		{"given up, came late and was taken, and came twice",
		 {.known = true, .outcome = OUTCOME_ABSENT},
		 "vpc-1",
		 NULL,
		 HOUR_MS - 1,
		 STRAY_TWIN,
		 "first",
		 false},
		{"given up, came late and was taken, and its tags were copied",
		 {.known = true, .outcome = OUTCOME_ABSENT},
		 "vpc-1",
		 NULL,
		 HOUR_MS,
		 STRAY_UNKNOWN,
		 "first",
		 false},
		{"given up, and nothing is recorded",
		 {.known = true, .outcome = OUTCOME_ABSENT},
		 NULL,
		 NULL,
		 HOUR_MS,
		 STRAY_TWIN,
		 NULL,
		 false},
		{"refused, and yet it came",
		 {.known = true, .outcome = OUTCOME_FAILED},
		 "vpc-1",
		 NULL,
		 0,
		 STRAY_TWIN,
		 NULL,
		 false},
		{"done twice",
		 {.known = true, .outcome = OUTCOME_DONE},
		 "vpc-1",
		 NULL,
		 HOUR_MS - 1,
		 STRAY_TWIN,
		 NULL,
		 false},
		{"done twice, and settled by this very run, which has slept since",
		 {.known = true, .outcome = OUTCOME_DONE},
		 "vpc-1",
		 NULL,
		 -2 * HOUR_MS,
		 STRAY_TWIN,
		 NULL,
		 false},
		{"done twice, and deleted since",
		 {.known = true, .outcome = OUTCOME_DONE},
		 NULL,
		 "vpc-1",
		 HOUR_MS - 1,
		 STRAY_TWIN,
		 NULL,
		 false},
		{"tags copied by people",
		 {.known = true, .outcome = OUTCOME_DONE},
		 "vpc-1",
		 NULL,
		 HOUR_MS,
		 STRAY_UNKNOWN,
		 NULL,
		 false},
		{"tags copied, and deleted since",
		 {.known = true, .outcome = OUTCOME_DONE},
		 NULL,
		 "vpc-1",
		 HOUR_MS,
		 STRAY_UNKNOWN,
		 NULL,
		 false},
		{"forgotten by people",
		 {.known = true, .outcome = OUTCOME_DONE},
		 NULL,
		 "vpc-2",
		 0,
		 STRAY_LEFT,
		 NULL,
		 false},
		{"known by nothing", {.known = true, .outcome = OUTCOME_DONE}, NULL, NULL, 0, STRAY_LEFT, NULL, false},
		{"the recorded one itself",
		 {.known = true, .outcome = OUTCOME_DONE},
		 "vpc-2",
		 "vpc-1",
		 0,
		 STRAY_LEFT,
		 NULL,
		 false},
		{"the recorded one itself, in another place than is recorded",
		 {.known = true, .outcome = OUTCOME_DONE, .was_recorded = true},
		 "vpc-2",
		 "vpc-2",
		 0,
		 STRAY_UNKNOWN,
		 "first",
		 true},
		{"given up, came late and was taken, in another place than is recorded",
		 {.known = true, .outcome = OUTCOME_ABSENT},
		 "vpc-2",
		 NULL,
		 0,
		 STRAY_UNKNOWN,
		 "first",
		 true},
		{"recorded without an id",
		 {.known = true, .outcome = OUTCOME_DONE},
		 "",
		 NULL,
		 0,
		 STRAY_LEFT,
		 NULL,
		 false},
		{"given up, came late, and deleted since",
		 {.known = true, .outcome = OUTCOME_ABSENT, .was_recorded = true},
		 "vpc-1",
		 NULL,
		 HOUR_MS,
		 STRAY_LEFT,
		 NULL,
		 false},
		{"forgotten by people with its call, which nobody saw answered",
		 {.known = true, .outcome = OUTCOME_FORGOTTEN},
		 NULL,
		 NULL,
		 0,
		 STRAY_LEFT,
		 NULL,
		 false},
		{"recorded once, by whatever call", {.was_recorded = true}, NULL, NULL, 0, STRAY_LEFT, NULL, false},
		{"not found when the state was made anew",
		 {.known = true, .outcome = OUTCOME_DONE, .was_recorded = true, .was_missed = true},
		 NULL,
		 "vpc-2",
		 0,
		 STRAY_UNKNOWN,
		 NULL,
		 false},
		{"deleted less than ten minutes ago",
		 {.known = true, .outcome = OUTCOME_DONE, .was_recorded = true, .called_ms = SENT_MS},
		 NULL,
		 "vpc-2",
		 LAG_MS - 1,
		 STRAY_LEFT,
		 NULL,
		 false},
		{"deleted ten minutes ago, and there",
		 {.known = true, .outcome = OUTCOME_DONE, .was_recorded = true, .called_ms = SENT_MS},
		 NULL,
		 "vpc-2",
		 LAG_MS,
		 STRAY_UNKNOWN,
		 NULL,
		 false},
		{"deleted, and there when the clock was set back",
		 {.known = true, .outcome = OUTCOME_DONE, .was_recorded = true, .called_ms = SENT_MS},
		 NULL,
		 "vpc-2",
		 -LAG_MS,
		 STRAY_UNKNOWN,
		 NULL,
		 false},
		{"on its way", {.known = true, .is_open = true}, NULL, NULL, 0, STRAY_LEFT, NULL, false},
		{"on its way, and recorded",
		 {.known = true, .is_open = true},
		 "vpc-1",
		 NULL,
		 0,
		 STRAY_LEFT,
		 NULL,
		 false},
	};

	static const char nothing_set[] =
		"{\"applied\":{},\"dependencies\":[],\"observed\":{},\"outputs\":{},\"resolved\":{}}";
	static const struct provider provider = {.name = "t"};
	static const struct session session = {.provider = &provider};
	static const struct kind kind = {.name = "t.vpc"};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++) {
		struct live live = {.provider_id = SLICE("vpc-2"), .ownership.intent = SLICE("first")};
		struct live own = {.presence = twins[i].gone ? PRESENCE_ABSENT : PRESENCE_PRESENT,
				   .ownership.intent = slice_of(twins[i].intent)};
		struct stray stray = {&live, &kind, &session};
		struct object object = {.provider_id = slice_of(twins[i].recorded), .has_body = true};
		struct past_call past = twins[i].past;

		past.kind = SLICE("t.vpc");
		past.ended_ms = SENT_MS;
		past.provider_id = slice_of(twins[i].before);
		past.body = slice_of(nothing_set);
		if (recover_stray_origin(&past, &stray, twins[i].recorded ? &object : NULL,
					 twins[i].intent ? &own : NULL, SENT_MS + twins[i].later_ms,
					 &arena) != twins[i].wanted)
			fail_msg("%s", twins[i].name);
	}
	arena_release(&arena);
}

/* A MAP of texts: "cidr=a vpc=v". */
static struct value texts(struct arena *arena, const char *pairs)
{
	char *rest = arena_get(arena, strlen(pairs) + 1), *at = NULL;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	memcpy(rest, pairs, strlen(pairs) + 1);
	for (char *key = strtok_r(rest, "= ", &at); key; key = strtok_r(NULL, "= ", &at))
		value_builder_member(&builder, slice_of(key), value_text(strtok_r(NULL, "= ", &at)));
	return value_builder_map(&builder, arena);
}

static bool has_token(const struct kind *kind)
{
	return strcmp(kind->name, "t.machine") == 0;
}

/* What is done twice is the same twice. */
static void test_alike(void **state)
{
	static const struct field fields[] = {
		{.name = "cidr", .type = FIELD_STRING, .flags = IMMUTABLE},
		{.name = "tenancy", .type = FIELD_STRING, .flags = IMMUTABLE, .in_place_to = "default"},
		{.name = "vpc", .type = FIELD_REFERENCE, .flags = PINS},
		{.name = "label", .type = FIELD_STRING},
		{.name = "place", .type = FIELD_STRING, .flags = IMMUTABLE | WRITE_ONLY},
	};
	static const struct kind network = {.name = "t.network", .fields = FIELDS(fields)};
	static const struct kind machine = {.name = "t.machine", .fields = FIELDS(fields)};
	static const struct provider provider = {.name = "t", .has_token = has_token};
	static const struct session session = {.provider = &provider};
	static const struct {
		const char *name;
		const struct kind *kind;
		const char *resolved, *observed, *live;
		enum stray_origin wanted;
	} likes[] = {
		{"the same", &network, "cidr=a vpc=v", "", "cidr=a vpc=v", STRAY_TWIN},
		{"another range", &network, "cidr=a", "", "cidr=b", STRAY_UNKNOWN},
		{"no range", &network, "cidr=a", "", "", STRAY_UNKNOWN},
		{"another range than was seen", &network, "", "cidr=a", "cidr=b", STRAY_UNKNOWN},
		{"a range of which nothing is known", &network, "", "", "cidr=b", STRAY_TWIN},
		{"changed in place since", &network, "tenancy=default", "", "tenancy=x", STRAY_TWIN},
		{"never changed in place to that", &network, "tenancy=x", "", "tenancy=default", STRAY_UNKNOWN},
		{"nobody has attached it yet", &network, "vpc=v", "", "", STRAY_TWIN},
		{"somebody has attached it", &network, "vpc=v", "", "vpc=w", STRAY_UNKNOWN},
		{"what changes at any time", &network, "label=a", "", "label=b", STRAY_TWIN},
		{"what no read gives back", &network, "place=a", "", "", STRAY_TWIN},
		{"the same, of what has a token", &machine, "cidr=a", "", "cidr=a", STRAY_UNKNOWN},
	};
	struct past_call past = {.known = true, .outcome = OUTCOME_DONE, .ended_ms = SENT_MS};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < sizeof(likes) / sizeof(likes[0]); i++) {
		past.kind = slice_of(likes[i].kind->name);
		const struct live live = {.provider_id = SLICE("vpc-2"), .fields = texts(&arena, likes[i].live)};
		const struct stray stray = {&live, likes[i].kind, &session};
		const struct object object = {
			.provider_id = SLICE("vpc-1"),
			.has_body = true,
			.resolved = texts(&arena, likes[i].resolved),
			.observed = texts(&arena, likes[i].observed),
		};
		if (recover_stray_origin(&past, &stray, &object, NULL, SENT_MS, &arena) != likes[i].wanted)
			fail_msg("%s", likes[i].name);
	}
	const struct live live = {.provider_id = SLICE("vpc-2"), .fields = value_map(NULL, 0)};
	const struct stray stray = {&live, &network, &session};
	const struct object object = {.provider_id = SLICE("vpc-1"), .has_body = true};

	/* No call of a machine has made it. */
	assert_int_equal(recover_stray_origin(&past, &stray, &object, NULL, SENT_MS, &arena), STRAY_UNKNOWN);
	/* Nobody can tell what the call made. */
	past.kind = SLICE("t.network");
	past.provider_id = SLICE("vpc-1");
	past.body = SLICE("{");
	assert_int_equal(recover_stray_origin(&past, &stray, NULL, NULL, SENT_MS, &arena), STRAY_UNKNOWN);
	arena_release(&arena);
}
static struct value_member member(const char *key, const char *text)
{
	return (struct value_member){.key = value_string(slice_of(key)), .value = value_string(slice_of(text))};
}

/* Which objects of the past count as what was found: where names are used again, the same object only. */
static void test_ask(void **state)
{
	static const struct field fields[] = {{.name = "size", .type = FIELD_INTEGER},
					      {.name = "label", .type = FIELD_STRING},
					      {.name = "name", .type = FIELD_STRING, .flags = NAMES}};
	static const struct kind kind = {.name = "test.thing", .fields = FIELDS(fields)};
	static const struct {
		const char *id, *label, *name; /* NULL: not read */
		const char *wanted;
	} asked[] = {
		{"vpc-1", NULL, NULL, ""},
		{"vpc-1", "vpc-1", "web", ""},
		{"web", NULL, "web", "one"},
		{"web", "web", "other", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct value_member members[2];
		size_t count = 0;

		if (asked[i].label)
			members[count++] = member("label", asked[i].label);
		if (asked[i].name)
			members[count++] = member("name", asked[i].name);
		const struct live live = {.provider_id = slice_of(asked[i].id),
					  .ownership = {.intent = SLICE("first"), .object_id = SLICE("one")},
					  .fields = value_map(members, count)};
		const struct stray stray = {.live = &live, .kind = &kind};
		const struct past_question question = recover_ask(&stray);

		assert_true(slice_is(question.intent, "first"));
		assert_true(slice_is(question.provider_id, asked[i].id));
		if (!slice_is(question.object_id, asked[i].wanted))
			fail_msg("row %zu: '%.*s'", i, SLICE_ARGUMENTS(question.object_id));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twins),
		cmocka_unit_test(test_alike),
		cmocka_unit_test(test_ask),
	};

	return cmocka_run_group_tests_name("recover_twins", tests, NULL, NULL);
}
