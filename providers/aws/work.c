#include "providers/aws/work.h"

#include "providers/aws/held.h"
#include "reconcile/own_items.h"

/* The life of an object, as steps: make, settle, unsettle, delete. */

enum {
	DOUBTS_MOST = 4,	/* so often a deletion may know of no object that is listed all the same */
	DELETE_ROUNDS_MOST = 4, /* so often a deletion is sent again that may have been done */
	ABSENCES_LEAST = 3,	/* in so many listings in a row it is missing then: one may lag as the call does */
};

/* The fault may be the service's, the way's to it or the credentials': the reason tells. */
static enum step not_read_back(struct work *work)
{
	struct slice why = work->now.unread_reason;

	return aws_fail(work, FAULT_TRANSIENT,
			arena_text(&work->task.scratch, "could not be read back%s%.*s%s", why.size > 0 ? " (" : "",
				   SLICE_ARGUMENTS(why), why.size > 0 ? ")" : ""),
			"run again once it can be read");
}

/* The gate behind every read: what was read must be there and ready. */
static bool is_usable(struct work *work, enum step *ret_step)
{
	switch (work->now.presence) {
	case PRESENCE_UNREAD:
		*ret_step = not_read_back(work);
		return false;
	case PRESENCE_LEAVING:
		*ret_step = aws_fail(work, FAULT_CONFLICT, "is being deleted by somebody else",
				     "run again once it is gone");
		return false;
	case PRESENCE_ABSENT:
		/* What is listed as gone, or as another one, will not appear any more. */
		if (work->now.state.size == 0 && !work->now.is_displaced && aws_count_absence(work))
			*ret_step = aws_look_later(work);
		else
			*ret_step = aws_fail(work, FAULT_ABSENT, "is not there any more",
					     "run again: it will be made anew");
		return false;
	case PRESENCE_PRESENT:
		break;
	}
	if (work->now.readiness == READY_FAILED) {
		*ret_step = aws_fail(work, FAULT_CONFLICT, "was given up by the service",
				     object_was_finished(work->task.object)
					     ? "see what befell it: once it is deleted, the next run makes it anew"
					     : "the next run replaces it");
		return false;
	}
	if (work->now.readiness == READY_PENDING) {
		*ret_step = aws_is_late(work) ? aws_too_late(work) : aws_poll_later(work);
		return false;
	}
	return true;
}

/*
 * Whether it may be taken away from there: that is its own, the plan saw it there, this work has put it there, or it
 * goes, or is another's to take. Anywhere else others have attached it, and use it.
 */
static bool may_leave(const struct work *work, const struct aws_field *field, const struct value *now)
{
	const struct value *sent = value_get_named(&work->sent, field->field.name);
	return own_place(work->task.object, &field->field, now) || (sent && value_equal(sent, now)) ||
	       aws_names_leaving(work, now) || changes_end(work->changes, work->change_count, &field->field, now);
}

/* That is believed once no listing can lag any more, which would show where it was before. */
static enum step refuse_to_leave(struct work *work, const struct value *now)
{
	struct arena *scratch = &work->task.scratch;
	struct slice place = value_slice(now), address = work->task.object->address;
	if (aws_count_look(work))
		return aws_look_later(work);
	if (work->phase == PHASE_MAKE)
		return aws_fail(work, FAULT_STALE,
				arena_text(scratch, "has changed since the plan was made: it is attached to %.*s",
					   SLICE_ARGUMENTS(place)),
				"it was not detached from there: plan again, and review that");
	return aws_fail(
		work, FAULT_CONFLICT,
		arena_text(scratch, "is attached to %.*s, which is not recorded as its own", SLICE_ARGUMENTS(place)),
		arena_text(scratch, "detach it there first, or give it up: 'trueup state rm %.*s'",
			   SLICE_ARGUMENTS(address)));
}

/* Whether what was sent shows. */
static bool is_moved(struct work *work, const struct aws_field *field)
{
	const struct aws_change *change = aws_change_of(work);
	const struct value *now = aws_now(work, field);
	return now ? value_equal(now, &change->after) : value_is(&change->after, VALUE_NULL);
}

static enum step send_half_move(struct work *work, const struct aws_field *field)
{
	const struct value *now = aws_now(work, field);
	const struct aws_call *call = now ? &field->attachment->detach : &field->attachment->attach;
	const struct value *side = now ? now : value_get_named(work->desired, field->field.name);
	struct aws_parameters parameters = {.count = 0};
	aws_call_begin(work, call, &parameters);
	aws_parameter_add(&parameters, field->attachment->member, *side);
	aws_choose_value(work, call, &parameters, field, now ? value_null() : value_copy(&work->task.scratch, side));
	aws_note_sent(work, &field->field, &aws_change_of(work)->after);
	aws_change_of(work)->moved = field;
	/* What was taken off before was read to be so: what comes after is yet to be sent. */
	aws_change_of(work)->verified = false;
	return aws_send(work, STAGE_MOVED);
}

/* The next half of a move, or the same once more: a listing may lag behind it, or somebody undo it each time. */
static enum step move(struct work *work, const struct aws_field *field)
{
	const struct value *now = aws_now(work, field);
	if (now && !may_leave(work, field, now))
		return refuse_to_leave(work, now);
	if (aws_change_of(work)->moved != field || is_moved(work, field)) {
		aws_change_of(work)->looks = 0;
		return send_half_move(work, field);
	}
	if (aws_count_look(work))
		return aws_look_later(work);
	if (aws_count_round(work))
		return send_half_move(work, field);
	return aws_shows_old(work, field->field.name, "see who or what takes it back, then run again");
}

static enum step moved(struct work *work, const struct answer *answer)
{
	if (!aws_is_done(aws_change_of(work)->call, answer) && !aws_may_be_done(answer))
		return aws_change_refused(work, answer, "attach or detach");
	return aws_read_again(work, 0);
}

/* Ready and ours: from here on it is a matter of differences. */
static enum step ready(struct work *work)
{
	enum step step;
	work->stage = STAGE_READY;
	/* Whose it is shows before it is ready, which may take long. */
	if (work->now.presence == PRESENCE_PRESENT && !aws_is_ours(work, &step))
		return step;
	if (!is_usable(work, &step))
		return step;
	const struct aws_field *attachment = work->phase == PHASE_MAKE ? aws_wrong_attachment(work) : NULL;
	return attachment && !aws_would_hide_part(work) ? move(work, attachment) : aws_converge(work);
}

static const struct aws_call *create_of(const struct work *work)
{
	const struct aws_kind *kind = aws_kind_of(work->kind);
	return kind->create_shown.operation && value_get_named(work->desired, SECRET_TO) ? &kind->create_shown
											 : &kind->create;
}

static enum step create(struct work *work)
{
	const struct aws_kind *kind = aws_kind_of(work->kind);
	const struct aws_call *call = create_of(work);
	struct arena *arena = &work->task.scratch;
	struct aws_parameters parameters = {.count = 0};
	aws_parameters_fixed(&parameters, kind, call->operation, call->fixed);
	for (size_t i = 0; i < kind->kind.fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		const struct value *wanted = value_get_named(work->desired, field->field.name);
		if (field->field.bars_stop && aws_stops_once_made(work))
			continue;
		if (wanted && field->member && (!field->part || field->part->inline_in_create))
			aws_parameter_add(&parameters, field->member, aws_encode(field, wanted, arena));
	}
	if (call->tagged) {
		const struct value *tags = value_get_named(work->desired, "tags");
		aws_parameter_add(&parameters, "TagSpecifications.0.ResourceType", value_text(call->tagged));
		aws_parameter_add(&parameters, "TagSpecifications.0.Tags",
				  aws_encode_tags(tags, &work->tagging, arena));
	}
	if (call->token)
		aws_parameter_add(&parameters, call->token, value_string(work->tagging.intent));
	if (kind->complete)
		kind->complete(work, &parameters);
	aws_call_set(&work->task, work->session, kind, call, &parameters);
	work->task.call.creates = true;
	work->task.call.intent = work->tagging.intent;
	if (call->token)
		work->task.call.token = work->tagging.intent;
	work->task.call.tells[0] = call->result;
	work->task.call.shows_once = call == &kind->create_shown;
	work->task.call.tells[1] = work->task.call.shows_once ? kind->shows : NULL;
	work->stage = STAGE_CREATED;
	return STEP_CALL;
}

static enum step created(struct work *work, const struct answer *answer)
{
	const struct aws_call *call = create_of(work);
	/* Where the name is the id, one that is there already may be ours of a run that was cut off. */
	bool is_there = !call->result && slice_is_one_of(answer->code, call->present);
	if (!answer->ok && !is_there) {
		/* A definite refusal made nothing, so there is nothing to remember. */
		if (answer->fault != FAULT_AMBIGUOUS)
			work->task.record_removed = true;
		return aws_refused(work, call, answer, "create");
	}
	const struct value *id =
		call->result ? value_path(&answer->body, call->result) : value_get_named(work->desired, "name");
	work->task.object->provider_id = arena_copy(work->keep, value_slice(id));
	work->task.record_changed = work->task.head_only = true;
	aws_note_created(work, is_there ? ORIGIN_TAKEN : call->hands_back ? ORIGIN_REPEATED : ORIGIN_NEW);
	if (call == &aws_kind_of(work->kind)->create_shown) {
		work->task.shown_to = value_get_named(work->desired, SECRET_TO);
		work->task.shown = value_slice(value_path(&answer->body, aws_kind_of(work->kind)->shows));
	}
	return aws_read_again(work, 0);
}

static enum step send_delete(struct work *work)
{
	const struct aws_kind *kind = aws_kind_of(work->kind);
	const struct aws_call *call =
		work->force && kind->delete_forced.operation ? &kind->delete_forced : &kind->delete;
	struct aws_parameters parameters = {.count = 0};
	aws_call_begin(work, call, &parameters);
	aws_choose(work, call, &parameters);
	return aws_send(work, STAGE_DELETED);
}

static enum step wait_until_gone(struct work *work)
{
	if (work->now.presence == PRESENCE_ABSENT)
		return STEP_DONE;
	if (work->now.presence == PRESENCE_UNREAD)
		return not_read_back(work);
	if (work->awaits_gone && work->now.presence == PRESENCE_PRESENT)
		return aws_fail(work, FAULT_STALE, "is not being deleted any more",
				"nothing was done to it: plan again, and review that");
	return aws_is_late(work) ? aws_too_late(work) : aws_poll_later(work);
}

static enum step begin_doubt(struct work *work)
{
	aws_change_of(work)->looks = 0;
	if (aws_change_of(work)->doubts++ == 0)
		aws_change_of(work)->absences = work->now.presence == PRESENCE_ABSENT;
	work->stage = STAGE_DOUBTED;
	return aws_read_after(work, 0);
}

/*
 * The delete call knew of no such object: it is gone, and a listing that shows it lags, or it is so young that not
 * every call and listing know of it. Once no listing can lag any more it is deleted once more.
 */
static enum step doubt(struct work *work)
{
	if (work->now.presence == PRESENCE_UNREAD)
		return not_read_back(work);
	if (work->now.presence == PRESENCE_ABSENT && ++aws_change_of(work)->absences < ABSENCES_LEAST)
		return aws_look_later(work);
	if (work->now.presence != PRESENCE_PRESENT) {
		work->stage = STAGE_LEAVING;
		return wait_until_gone(work);
	}
	aws_change_of(work)->absences = 0;
	if (aws_count_look(work))
		return aws_look_later(work);
	if (aws_change_of(work)->doubts < DOUBTS_MOST)
		return send_delete(work);
	return aws_fail(work, FAULT_CONFLICT, "is listed, though the call that deletes it knows of none", "run again");
}

static enum step delete_object(struct work *work, const struct answer *answer)
{
	const struct aws_kind *kind = aws_kind_of(work->kind);
	const struct aws_call *call = work->detail ? aws_change_of(work)->call : NULL;
	if (work->stage == STAGE_LEAVING || (work->awaits_gone && work->has_now))
		return wait_until_gone(work);
	if (work->stage == STAGE_DOUBTED)
		return doubt(work);
	if (work->stage == STAGE_HELD)
		return aws_holders_told(work, answer);
	if (work->stage == STAGE_MOVED && answer)
		return moved(work, answer);
	if (work->stage == STAGE_DELETED && answer && call) {
		bool is_absent = slice_is_one_of(answer->code, call->absent);
		if (!answer->ok && !is_absent && aws_may_be_done(answer) &&
		    aws_change_of(work)->rounds++ < DELETE_ROUNDS_MOST)
			return aws_read_again(work, 0);
		if (!answer->ok && !is_absent)
			return aws_delete_refused(work, answer);
		if (!answer->ok && work->has_now && work->now.presence != PRESENCE_LEAVING)
			return begin_doubt(work);
		work->stage = STAGE_LEAVING;
		return kind->states.leaving && answer->ok ? aws_read_after(work, 0) : STEP_DONE;
	}
	if (!work->has_now)
		return aws_read_after(work, 0);
	if (work->now.presence == PRESENCE_UNREAD)
		return not_read_back(work);
	/* A listing may lag, and what is young may be missing from it: the delete call knows. Of what has its id and
	 * is another one nothing is deleted. */
	if (work->now.presence == PRESENCE_ABSENT)
		return work->task.object->provider_id.size && !work->now.is_displaced ? send_delete(work) : STEP_DONE;
	if (work->now.presence == PRESENCE_LEAVING) {
		work->stage = STAGE_LEAVING;
		return aws_poll_later(work);
	}
	if (work->now.readiness == READY_PENDING && work->stage == STAGE_READY)
		return aws_is_late(work) ? aws_too_late(work) : aws_poll_later(work);
	const struct aws_field *attachment = aws_wrong_attachment(work);
	if (attachment)
		return move(work, attachment);
	bool prepares = kind->before_delete && !(work->force && kind->delete_forced.operation);
	enum step step = prepares ? kind->before_delete(work, answer) : STEP_DONE;
	return step == STEP_DONE ? send_delete(work) : step;
}

/* What another of its kind waits for: it is out once the service says so. */
static enum step vacate(struct work *work)
{
	if (work->now.readiness == READY_PENDING)
		return aws_is_late(work) ? aws_too_late(work) : aws_read_again(work, aws_poll_ms(work));
	const struct aws_field *attachment = aws_wrong_attachment(work);
	return attachment ? move(work, attachment) : STEP_DONE;
}

static enum step held_by_others(struct work *work, struct slice items)
{
	return aws_fail(work, FAULT_CONFLICT,
			arena_text(&work->task.scratch, "cannot be deleted: others have put %.*s there",
				   SLICE_ARGUMENTS(items)),
			OTHERS_ITEMS_HINT);
}

static enum step unsettle(struct work *work, const struct answer *answer)
{
	if (work->stage == STAGE_CHANGED && answer)
		return aws_changed(work, answer);
	if (work->stage == STAGE_MOVED && answer)
		return moved(work, answer);
	if (!work->has_now)
		return aws_read_after(work, 0);
	if (work->now.presence == PRESENCE_UNREAD)
		return not_read_back(work);
	/* Gone or going: its parts go with it. */
	if (work->now.presence != PRESENCE_PRESENT)
		return STEP_DONE;
	/* Before anything is done to it. A listing may lag: what it shows is believed once it shows for a while. */
	struct slice others = work->unsettle_all ? aws_others_items(work) : (struct slice){0};
	if (others.size > 0)
		return aws_count_look(work) ? aws_look_later(work) : held_by_others(work, others);
	/* What takes time to leave has left once the service says so. */
	if (work->now.readiness == READY_PENDING && work->yields && aws_change_of(work)->sent_any)
		return aws_is_late(work) ? aws_too_late(work) : aws_read_again(work, aws_poll_ms(work));
	enum step step = aws_converge(work);
	return step == STEP_DONE && work->vacates ? vacate(work) : step;
}

static enum step make_or_settle(struct work *work, const struct answer *answer)
{
	if (work->stage == STAGE_START && work->phase == PHASE_MAKE && work->task.object->provider_id.size == 0)
		return create(work);
	if (work->stage == STAGE_CREATED && answer)
		return created(work, answer);
	if (work->stage == STAGE_CHANGED && answer)
		return aws_changed(work, answer);
	if (work->stage == STAGE_MOVED && answer)
		return moved(work, answer);
	if (work->stage == STAGE_LOOKED && answer)
		return aws_looked_up(work, answer);
	if (work->stage == STAGE_PAUSED && answer)
		return aws_paused(work, answer);
	if (!work->has_now)
		return aws_read_after(work, 0);
	return ready(work);
}

enum step aws_advance(struct work *work, const struct answer *answer)
{
	/* A call may have waited long for its turn: patience is for what comes after it. */
	if (answer)
		work->deadline_ms = work->task.now_ms + work->patience_ms;
	switch (work->phase) {
	case PHASE_MAKE:
	case PHASE_SETTLE:
		return make_or_settle(work, answer);
	case PHASE_UNSETTLE:
		return unsettle(work, answer);
	case PHASE_DELETE:
		return delete_object(work, answer);
	}
	return STEP_FAILED;
}
