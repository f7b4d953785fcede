#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/unit/support_state_file.h"

/* What may be there without being recorded: what was missed, and what a call that was given up may have made. */

#define MISSED "aws.subnet aws.subnet.s000001 'subnet-1' us-west-2"
#define GIVEN_UP "aws.vpc aws.vpc.a '' us-west-2"

struct watching {
	struct state_fixture *fixture;
	struct store *store;
	struct intent intent; /* of the call that is open, or was last */
};

static void commit(struct watching *watching, const struct commit *commit)
{
	if (watching->store->ops->commit(watching->store, commit, &watching->fixture->diagnostics) != COMMIT_DONE)
		fixture_give_up(watching->fixture);
}

static void put(struct watching *watching, int64_t seen)
{
	struct object *object = fixture_object(watching->fixture, 1);
	const struct object *const objects[] = {object};
	const struct slice bodies[] = {SLICE("{}")};

	if (!seen)
		object->provider_id = SLICE("");
	commit(watching, &(struct commit){.upserts = objects, .bodies = bodies, .upsert_count = 1});
}

static void take_out(struct watching *watching, int64_t missed)
{
	const struct removal removal = {fixture_id(watching->fixture, 1), missed != 0};

	commit(watching, &(struct commit){.removals = &removal, .removal_count = 1});
}

enum { CHANGES, CREATES, CREATES_ALIKE };

/* creates: CREATES_ALIKE: what is of the kind of the object. */
static void send(struct watching *watching, int64_t creates)
{
	const struct identity *place = &fixture_object(watching->fixture, 1)->identity;

	watching->intent = fixture_intent(watching->fixture, 1);
	watching->intent.identity = identity_text(&watching->fixture->arena, place);
	watching->intent.creates = creates != CHANGES;
	if (creates == CREATES_ALIKE)
		watching->intent.kind = SLICE("aws.subnet");
	commit(watching, &(struct commit){.intents = &watching->intent, .intent_count = 1});
}

static void close_as(struct watching *watching, int64_t outcome)
{
	const struct intent_close close = {watching->intent.id, (enum outcome)outcome, SLICE("read")};

	commit(watching, &(struct commit){.closes = &close, .close_count = 1});
}

static void correct_as(struct watching *watching, int64_t outcome)
{
	const struct intent_close close = {watching->intent.id, (enum outcome)outcome, SLICE("read")};

	commit(watching, &(struct commit){.corrections = &close, .correction_count = 1});
}

static void pass(struct watching *watching, int64_t days)
{
	watching->fixture->wall_offset_ms += days * 24 * 60 * 60 * 1000;
}

static void end(struct watching *watching)
{
	if (!watching->store->ops->end(watching->store, SLICE("done"), &watching->fixture->diagnostics))
		fixture_give_up(watching->fixture);
}

static void run_again(struct watching *watching, int64_t unused)
{
	(void)unused;
	end(watching);
	fixture_begin(watching->fixture, watching->store);
}

/* One word: what is done. */
static void act(struct watching *watching, struct slice word)
{
	static const struct {
		const char *word;
		void (*act)(struct watching *watching, int64_t argument);
		int64_t argument;
	} acts[] = {
		{"put", put, true},
		{"begin", put, false},
		{"missed", take_out, true},
		{"removed", take_out, false},
		{"create", send, CREATES},
		{"alike", send, CREATES_ALIKE},
		{"change", send, CHANGES},
		{"done", close_as, OUTCOME_DONE},
		{"absent", close_as, OUTCOME_ABSENT},
		{"corrected", correct_as, OUTCOME_ABSENT},
		{"later", pass, 89},
		{"longago", pass, 91},
		{"run", run_again, 0},
	};

	for (size_t i = 0; i < COUNT(acts); i++) {
		if (slice_is(word, acts[i].word)) {
			acts[i].act(watching, acts[i].argument);
			return;
		}
	}
	fail_msg("no such word: %.*s", SLICE_ARGUMENTS(word));
}

static struct slice seen(struct watching *watching)
{
	struct slice text = SLICE("");
	struct watched *all;
	size_t count;

	if (!watching->store->ops->watched(watching->store, &watching->fixture->arena, &all, &count,
					   &watching->fixture->diagnostics))
		fixture_give_up(watching->fixture);
	for (size_t i = 0; i < count; i++)
		text = arena_format(&watching->fixture->arena, "%.*s%s%.*s %.*s '%.*s' %.*s", SLICE_ARGUMENTS(text),
				    i > 0 ? "; " : "", SLICE_ARGUMENTS(all[i].kind), SLICE_ARGUMENTS(all[i].address),
				    SLICE_ARGUMENTS(all[i].provider_id),
				    SLICE_ARGUMENTS(all[i].has_identity ? all[i].identity.region : SLICE("anywhere")));
	return text;
}

static void open_and_act(struct watching *watching, const char *steps)
{
	struct slice rest = slice_of(steps);

	if (!state_file_open(watching->fixture, STATE_WRITE, &watching->store))
		fixture_give_up(watching->fixture);
	fixture_begin(watching->fixture, watching->store);
	while (rest.size > 0)
		act(watching, slice_cut(&rest, ' '));
}

static void expect(struct watching *watching, const char *steps, const char *wanted)
{
	struct slice is = seen(watching);

	if (!slice_is(is, wanted))
		fail_msg("%s: watched are '%.*s', not '%s'", steps, SLICE_ARGUMENTS(is), wanted);
}

static void test_watched(void **state)
{
	static const struct {
		const char *steps, *wanted;
	} rows[] = {
		{"put", ""},
		{"put missed", MISSED},
		{"put removed", ""},
		{"begin missed", ""},
		{"put missed put", ""},
		{"put missed put removed", ""},
		{"put missed put missed", MISSED},
		{"put missed later", MISSED},
		{"put missed longago", ""},
		{"put missed run", MISSED},
		{"put missed longago run", ""},
		{"create absent", GIVEN_UP},
		{"create done", ""},
		{"change absent", ""},
		{"create absent put removed", GIVEN_UP},
		{"create absent longago", ""},
		{"put create done corrected removed", GIVEN_UP},
		{"create done corrected", "aws.vpc aws.vpc.a '' anywhere"},
		{"create absent put missed", MISSED "; " GIVEN_UP},
		/* Of each place one that was there, and one that may have come. */
		{"alike absent put missed", MISSED "; aws.subnet aws.vpc.a '' us-west-2"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct watching watching = {.fixture = *state};

		open_and_act(&watching, rows[i].steps);
		expect(&watching, rows[i].steps, rows[i].wanted);
		end(&watching);
		watching.store->ops->close(watching.store);
		state_file_remove(watching.fixture);
	}
}

/* Of an older file every call that was given up may have made something, and nobody knows where. */
static void test_older(void **state)
{
	static const struct {
		const char *steps, *wanted;
	} rows[] = {
		{"create absent", "aws.vpc aws.vpc.a '' anywhere"},
		{"put run missed", MISSED},
		{"put create done missed", ""},
		{"put run create done removed", ""},
		{"put run missed run put", ""},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct watching watching = {.fixture = *state};

		open_and_act(&watching, rows[i].steps);
		end(&watching);
		watching.store->ops->close(watching.store);
		state_file_make_older(watching.fixture, 1);
		if (!state_file_open(watching.fixture, STATE_WRITE, &watching.store))
			fixture_give_up(watching.fixture);
		expect(&watching, rows[i].steps, rows[i].wanted);
		watching.store->ops->close(watching.store);
		state_file_remove(watching.fixture);
	}
}

static void test_damage(void **state)
{
	struct watching watching = {.fixture = *state};
	struct watched *all;
	size_t count;

	if (!state_file_open(watching.fixture, STATE_WRITE, &watching.store))
		fixture_give_up(watching.fixture);
	fixture_begin(watching.fixture, watching.store);
	put(&watching, true);
	take_out(&watching, true);
	end(&watching);
	fixture_script(watching.fixture, "UPDATE watched SET identity = 'x'");
	assert_false(watching.store->ops->watched(watching.store, &watching.fixture->arena, &all, &count,
						  &watching.fixture->diagnostics));
	assert_true(state_fixture_said(watching.fixture, FAULT_USER, "no readable identity"));
	watching.store->ops->close(watching.store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {STATE_TEST(test_watched), STATE_TEST(test_older), STATE_TEST(test_damage)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
