#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support_aws.h"

#include "base/json.h"
#include "providers/aws/errors.h"
#include "reconcile/diff.h"
#include "reconcile/schema.h"

enum { STEPS_MOST = 2000, MINUTE_MS = 60 * 1000, BEGIN_MS = 5000 };

struct driving {
	const struct scenario *scenario;
	const struct object *recorded; /* something else, or NULL */
	struct arena arena;
	struct diagnostics diagnostics;
	struct aws_session session;
	struct object object;
	struct work work;
	size_t row;
	size_t change; /* of effects */
	int repeated;
	int64_t now_ms;
};

static const struct json_style clear = {.clear = true};

static struct value read_json(struct driving *driving, const char *text)
{
	struct value value = value_map(NULL, 0);
	if (text &&
	    !json_read(&driving->arena, slice_of(text), true, 1 << 20, "the test", &value, &driving->diagnostics))
		fail_msg("%s: not JSON: %s", driving->scenario->name, text);
	return value;
}

static struct value canonical(struct driving *driving, const char *text)
{
	struct value value = read_json(driving, text);
	return schema_canonical_fields(&driving->scenario->kind->kind.fields, &value, &driving->arena);
}

/* A token is nobody's to foretell. */
static struct value without_token(struct driving *driving, const struct value *parameters, const struct value *expected)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < parameters->count; i++) {
		struct slice key = value_slice(&parameters->members[i].key);
		bool hidden =
			slice_is(key, "ClientToken") && slice_is(value_slice(value_get(expected, key)), "<token>");
		value_builder_member(&builder, key, hidden ? value_text("<token>") : parameters->members[i].value);
	}
	return value_builder_map(&builder, &driving->arena);
}

static void check_parameters(struct driving *driving, const struct call *call, const struct exchange *row)
{
	if (!row->parameters)
		return;
	struct value expected = read_json(driving, row->parameters);
	struct value given = without_token(driving, call->parameters, &expected);
	struct slice want = json_canonical(&driving->arena, &expected, &clear);
	struct slice have = json_canonical(&driving->arena, &given, &clear);
	if (!slice_equal(want, have))
		fail_msg("%s: row %zu, %s\n  sent     %.*s\n  expected %.*s", driving->scenario->name, driving->row,
			 row->operation, SLICE_ARGUMENTS(have), SLICE_ARGUMENTS(want));
}

static void check_effect(struct driving *driving, const struct call *call)
{
	const struct scenario *scenario = driving->scenario;
	if (!call->mutating || !scenario->effects[0])
		return;
	const char *want = scenario->effects[driving->change++];
	struct slice have = SLICE("nothing");
	if (call->comes)
		have = arena_format(&driving->arena, "%.*s %.*s",
				    SLICE_ARGUMENTS(json_canonical(&driving->arena, call->comes, &clear)),
				    SLICE_ARGUMENTS(json_canonical(&driving->arena, call->goes, &clear)));
	if (!want || !slice_is(have, want))
		fail_msg("%s: %s is said to do %.*s, not %s", scenario->name, call->operation, SLICE_ARGUMENTS(have),
			 want ? want : "anything");
}

static struct answer answer_to(struct driving *driving, const struct call *call)
{
	const struct exchange *row = &driving->scenario->script[driving->row];
	if (!row->operation || strcmp(row->operation, call->operation) != 0) {
		struct slice sent = json_canonical(&driving->arena, call->parameters, &clear);
		fail_msg("%s: row %zu: %s was called in place of %s, with %.*s", driving->scenario->name, driving->row,
			 call->operation, row->operation ? row->operation : "nothing", SLICE_ARGUMENTS(sent));
	}
	check_parameters(driving, call, row);
	check_effect(driving, call);
	if (row->repeat >= 0 && driving->repeated == row->repeat) {
		driving->row++;
		driving->repeated = 0;
	} else {
		driving->repeated++;
	}
	if (row->answer)
		return (struct answer){.ok = true, .body = read_json(driving, row->answer)};
	struct slice code = slice_of(row->code);
	bool unsure = slice_starts_with(code, SLICE("?"));
	code = slice_from(code, unsure);
	return (struct answer){
		.code = code,
		.message = SLICE("refused by the test"),
		.fault = aws_error_fault(code, 400, call->mutating),
		.unsure = unsure,
	};
}

static bool finish_reading(struct driving *driving, struct reading *reading,
			   enum step (*next)(struct reading *reading, const struct answer *answer))
{
	struct answer answer;
	enum step step = next(reading, NULL);
	for (int i = 0; i < STEPS_MOST && step == STEP_CALL; i++) {
		answer = answer_to(driving, &reading->task.call);
		step = next(reading, &answer);
	}
	return step == STEP_DONE;
}

/* What the engine does between a step that asks to read and the next. */
static void read_object(struct driving *driving)
{
	struct slice id = driving->object.provider_id;
	struct work *work = &driving->work;
	struct reading reading = {
		.session = &driving->session.session,
		.kind = work->kind,
		.ids = &id,
		.id_count = 1,
		.arena = &driving->arena,
		.task = {.now_ms = driving->now_ms},
	};
	struct diagnostics unsaid;
	arena_init(&reading.task.scratch);
	diagnostics_init(&unsaid, &driving->arena);
	reading.task.diagnostics = &unsaid;
	bool listed = finish_reading(driving, &reading, aws_list);
	work->now = (struct live){.presence = listed ? PRESENCE_ABSENT : PRESENCE_UNREAD};
	if (!listed)
		work->now.unread_reason = diagnostics_first_error(&unsaid)->message;
	for (size_t i = 0; i < reading.found_count; i++)
		if (slice_equal(reading.found[i].provider_id, id))
			work->now = reading.found[i];
	if (work->now.presence == PRESENCE_PRESENT &&
	    live_is_another(&work->now, work->kind, &driving->object.outputs, work->tagging.lineage))
		work->now = (struct live){.is_displaced = true};
	if (work->now.presence == PRESENCE_PRESENT && work->desired && aws_needs_detail(work->kind, work->desired)) {
		reading.subject = &work->now;
		reading.matters = work->desired;
		reading.cursor = 0;
		assert_true(finish_reading(driving, &reading, aws_detail));
	}
	work->now = live_copy(&driving->arena, &work->now);
	work->has_now = true;
	diagnostics_release(&unsaid);
	arena_release(&reading.task.scratch);
}

/* The planned changes: what applied and wanted make of each other where live is as applied. */
static void plan_changes(struct driving *driving, const struct value *applied, struct value *wanted)
{
	struct difference *difference = arena_new(&driving->arena, struct difference);
	const struct diff_input input = {
		.kind = driving->work.kind,
		.wanted = wanted,
		.applied = applied,
		.observed = applied,
		.live = applied,
		.ignored = driving->work.ignored,
		.ignored_count = driving->work.ignored_count,
	};
	VALUE_BUILDER_AUTO builder;
	diff_resource(&input, &driving->arena, difference);
	if (difference->replaces)
		fail_msg("%s: the plan would have a new object", driving->scenario->name);
	driving->work.changes = difference->changes;
	driving->work.change_count = difference->count;
	driving->work.released = &difference->released;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < wanted->count; i++)
		value_builder_member(&builder, value_slice(&wanted->members[i].key), wanted->members[i].value);
	for (uint32_t i = 0; i < difference->constants.count; i++)
		value_builder_member(&builder, value_slice(&difference->constants.members[i].key),
				     difference->constants.members[i].value);
	*wanted = value_builder_map(&builder, &driving->arena);
}

static const struct object *find_recorded(const struct work *work, struct slice provider_id)
{
	const void *driving = (const char *)work - offsetof(struct driving, work);
	const struct object *recorded = ((const struct driving *)driving)->recorded;

	return recorded && slice_equal(recorded->provider_id, provider_id) ? recorded : NULL;
}

static void begin(struct driving *driving, struct value *wanted, struct slice *leaving, struct slice *ignored)
{
	const struct scenario *scenario = driving->scenario;
	static const struct json_style style = {.fingerprint = NULL};
	struct value *applied = arena_new(&driving->arena, struct value);
	struct value *yields = arena_new(&driving->arena, struct value);
	/* Each run has others, as temporary ones are. */
	driving->session.credentials.secret_key = slice_of(scenario->name);
	driving->object = (struct object){
		.address = SLICE("aws.x.test"),
		.object_id = SLICE("object"),
		.provider_id = slice_of(scenario->provider_id),
		.role = scenario->unfinished ? OBJECT_INCOMPLETE : OBJECT_CURRENT,
	};
	driving->work = (struct work){
		.session = &driving->session.session,
		.kind = &scenario->kind->kind,
		.phase = scenario->phase,
		.creating = scenario->wanted && (!scenario->applied || scenario->unfinished),
		.tagging = {SLICE("stack"), SLICE("object"), SLICE("intent"), SLICE("aws.x.test"), 1},
		.force = scenario->force,
		.unsettle_all = scenario->unsettle_all,
		.patience_ms = 30 * MINUTE_MS,
		.deadline_ms = BEGIN_MS + 30 * MINUTE_MS,
		.grace_ms = 2 * MINUTE_MS,
		.keep = &driving->arena,
		.style = &style,
		.find_recorded = find_recorded,
		.task = {.diagnostics = &driving->diagnostics, .object = &driving->object},
	};
	arena_init(&driving->work.task.scratch);
	driving->now_ms = driving->work.task.now_ms = BEGIN_MS;
	*applied = canonical(driving, scenario->applied);
	*wanted = canonical(driving, scenario->wanted);
	*leaving = slice_of(scenario->leaving);
	driving->work.ignored = ignored;
	driving->work.ignored_count = scenario->ignored ? 1 : 0;
	driving->work.leaving_ids = leaving;
	driving->work.leaving_count = scenario->leaving ? 1 : 0;
	if (scenario->yields)
		*yields = canonical(driving, scenario->yields);
	driving->work.yields = yields;
	driving->object.resolved = *applied;
	if (scenario->spent)
		driving->object.spent_token = digest_of(slice_of(scenario->spent));
	driving->object.observed = read_json(driving, scenario->observed);
	driving->object.outputs = read_json(driving, scenario->outputs);
	if (scenario->wanted)
		driving->work.desired = wanted;
	if (scenario->wanted && scenario->applied)
		plan_changes(driving, applied, wanted);
}

static enum step drive(struct driving *driving)
{
	struct answer answer;
	struct task *task = &driving->work.task;
	enum step step = aws_advance(&driving->work, NULL);
	for (int i = 0; i < STEPS_MOST && step != STEP_DONE && step != STEP_FAILED; i++) {
		if (step == STEP_CALL) {
			answer = answer_to(driving, &task->call);
			step = aws_advance(&driving->work, &answer);
			continue;
		}
		if (task->wake_ms > driving->now_ms)
			driving->now_ms = task->wake_ms;
		task->now_ms = driving->now_ms;
		read_object(driving);
		step = aws_advance(&driving->work, NULL);
	}
	return step;
}

static void check_message(const struct driving *driving)
{
	const struct diag *error = diagnostics_first_error(&driving->diagnostics);
	struct slice part = slice_of(driving->scenario->message);
	if (!driving->scenario->message)
		return;
	if (!error || (!slice_contains(error->message, part) && !slice_contains(error->hint, part)))
		fail_msg("%s: nothing says '%s', but: %.*s", driving->scenario->name, driving->scenario->message,
			 error ? (int)error->message.size : 0, error ? error->message.data : "");
}

static void check_end(struct driving *driving, enum step step)
{
	const struct scenario *scenario = driving->scenario;
	const struct exchange *left = &scenario->script[driving->row];
	const struct diag *error = diagnostics_first_error(&driving->diagnostics);
	if (step != scenario->ends)
		fail_msg("%s: it ended as %d: %.*s", scenario->name, (int)step, error ? (int)error->message.size : 0,
			 error ? error->message.data : "");
	if (left->operation && left->repeat >= 0)
		fail_msg("%s: row %zu, %s, was never called", scenario->name, driving->row, left->operation);
	check_message(driving);
	struct value fields = read_json(driving, scenario->fields);
	for (uint32_t i = 0; i < fields.count; i++) {
		const struct value *now = value_get(&driving->work.now.fields, value_slice(&fields.members[i].key));
		struct slice have = now ? json_canonical(&driving->arena, now, &clear) : SLICE("nothing");
		struct slice want = json_canonical(&driving->arena, &fields.members[i].value, &clear);
		if (!slice_equal(have, want))
			fail_msg("%s: '%.*s' is %.*s, not %.*s", scenario->name,
				 SLICE_ARGUMENTS(value_slice(&fields.members[i].key)), SLICE_ARGUMENTS(have),
				 SLICE_ARGUMENTS(want));
	}
	if (driving->work.task.record_removed != scenario->record_removed)
		fail_msg("%s: the record is %s", scenario->name, scenario->record_removed ? "kept" : "removed");
	if (driving->work.task.disowned != scenario->disowned)
		fail_msg("%s: what the create made is %s", scenario->name, scenario->disowned ? "let go" : "awaited");
	if (driving->work.task.in_doubt != scenario->in_doubt)
		fail_msg("%s: whose it is %s in doubt", scenario->name, scenario->in_doubt ? "is not" : "is");
	if (scenario->waits && driving->now_ms - BEGIN_MS < MINUTE_MS)
		fail_msg("%s: it did not wait", scenario->name);
}

void scenario_run(const struct scenario *scenario)
{
	scenario_run_beside(scenario, NULL);
}

void scenario_run_beside(const struct scenario *scenario, const struct object *recorded)
{
	struct driving driving = {.scenario = scenario, .recorded = recorded};
	struct value wanted;
	struct slice leaving, ignored = slice_of(scenario->ignored);
	arena_init(&driving.arena);
	diagnostics_init(&driving.diagnostics, &driving.arena);
	begin(&driving, &wanted, &leaving, &ignored);
	check_end(&driving, drive(&driving));
	arena_release(&driving.work.task.scratch);
	diagnostics_release(&driving.diagnostics);
	arena_release(&driving.arena);
}
