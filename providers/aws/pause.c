#include "providers/aws/work.h"

/*
 * A change that can be made only while the object stands still: it is stopped before it, and started again once nothing
 * is left to change. Where this work stands with that, change->pause tells; nothing else writes it.
 */

enum {
	SHOWS_MS = 1000, /* a listing may lag behind a stop or a start */
	STOPS_MOST = 2,
};

static const struct aws_pause *pause_of(const struct work *work)
{
	return aws_kind_of(work->kind)->pause;
}

bool aws_is_running(const struct work *work)
{
	const char *name = work->kind->running;
	const struct value *running = name ? value_get_named(&work->now.fields, name) : NULL;

	return value_is_true(running);
}

bool aws_stops_once_made(const struct work *work)
{
	const char *name = work->kind->running;
	const struct value *running = name ? value_get_named(work->desired, name) : NULL;

	return running && value_is(running, VALUE_BOOL) && !running->boolean;
}

/* ran: it did, until it was stopped for a change: where the spec says otherwise and no change of that is planned, that
 * is left as it was. */
static bool is_to_stay_stopped(const struct work *work, bool ran)
{
	const struct value *running = work->desired ? value_get_named(work->desired, work->kind->running) : NULL;
	const struct field *field = field_named(&work->kind->fields, slice_of(work->kind->running));

	return running && value_is(running, VALUE_BOOL) && !running->boolean &&
	       (!ran || aws_is_planned(work, (const struct aws_field *)field));
}

static enum step send_pause(struct work *work, const struct aws_call *call)
{
	const struct field *running = field_named(&work->kind->fields, slice_of(work->kind->running));
	struct aws_parameters parameters = {.count = 0};

	aws_change_of(work)->looks = 0;
	aws_call_begin(work, call, &parameters);
	aws_choose_value(work, call, &parameters, (const struct aws_field *)running,
			 value_bool(call == &pause_of(work)->start));
	return aws_send(work, STAGE_PAUSED);
}

bool aws_must_stop(const struct work *work, const struct aws_change *change)
{
	for (size_t i = 0; i < change->field_count; i++)
		if (change->fields[i]->field.flags & PAUSES)
			return aws_is_running(work);
	return false;
}

/* A listing may lag behind the stop. What runs for longer was not stopped, or somebody starts it each time. */
enum step aws_stop(struct work *work)
{
	struct aws_change *change = aws_change_of(work);

	if (change->pause == PAUSE_STOPPED && aws_count_look(work))
		return aws_look_later(work);
	if (change->stops == STOPS_MOST)
		return aws_fail(work, FAULT_CONFLICT, "still runs, though it was stopped for a change",
				"see who or what starts it, then run again");
	change->pause = PAUSE_STOPPED;
	change->stops++;
	return send_pause(work, &pause_of(work)->stop);
}

/*
 * What was made and never finished has run from the start. Where it stands still, a run that was cut off has stopped it
 * for a change, and of what is not finished no record tells how it was before.
 */
static bool may_be_left_stopped(const struct work *work, const struct aws_change *change)
{
	return pause_of(work) && work->phase == PHASE_MAKE && change->pause == PAUSE_NONE &&
	       work->task.object->role == OBJECT_INCOMPLETE;
}

/* A listing may lag behind the start. What stands still for longer came up and went down again. */
static enum step see_it_run(struct work *work)
{
	if (aws_is_running(work)) {
		aws_change_of(work)->pause = PAUSE_OVER;
		return STEP_DONE;
	}
	if (aws_count_look(work))
		return aws_look_later(work);
	return aws_fail(work, FAULT_CONFLICT, "was stopped for a change, and does not start again",
			"see what keeps it from starting: the next run starts it");
}

enum step aws_start_again(struct work *work)
{
	struct aws_change *change = aws_change_of(work);
	bool ran = change->pause == PAUSE_STOPPED;

	if (change->pause == PAUSE_STARTED)
		return see_it_run(work);
	if (!ran && !may_be_left_stopped(work, change))
		return STEP_DONE;
	if (aws_is_running(work) || is_to_stay_stopped(work, ran)) {
		change->pause = PAUSE_OVER;
		return STEP_DONE;
	}
	change->pause = PAUSE_STARTED;
	return send_pause(work, &pause_of(work)->start);
}

/*
 * What was stopped for a change that was refused is started again: no other run would, until the spec says what the
 * service takes. Of a change that nobody knows the outcome of the next run finds out, and goes on from there.
 */
enum step aws_give_up(struct work *work, const struct answer *answer)
{
	struct aws_change *change = aws_change_of(work);
	enum step step = aws_change_refused(work, answer, "change");

	if (change->pause != PAUSE_STOPPED || answer->fault == FAULT_AMBIGUOUS || is_to_stay_stopped(work, true))
		return step;
	change->pause = PAUSE_GIVEN_UP;
	return send_pause(work, &pause_of(work)->start);
}

enum step aws_paused(struct work *work, const struct answer *answer)
{
	bool is_done = aws_is_done(aws_change_of(work)->call, answer);
	bool is_over = aws_change_of(work)->pause == PAUSE_GIVEN_UP;

	if (!is_done && (is_over || !aws_may_be_done(answer)))
		return aws_change_refused(work, answer, "stop or start");
	if (is_over) {
		const struct aws_change *change = aws_change_of(work);
		aws_note_field(work, &change->fields[0]->field, &change->after);
		return STEP_FAILED;
	}
	return aws_read_again(work, SHOWS_MS);
}
