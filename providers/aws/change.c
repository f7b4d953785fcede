#include "providers/aws/work.h"

#include "base/digest.h"
#include "base/json.h"
#include "providers/aws/errors.h"
#include "reconcile/diff_field.h"

/*
 * An object that is there becomes what is desired: the calls that converge.c and parts.c choose, sent one after
 * another until nothing differs and a read says so too, with what must come before each.
 */

enum {
	ROUNDS_MOST = 1,
	TOKEN_BYTES = 32,
};

/*
 * A call that was cut off is sent again with the same token by whoever looks next, whatever credentials that has, as
 * long as the object stands as it did; not once it is known to be done, for it may have come to nothing since. Of
 * secrets only the fingerprints are in it, whose key the stack alone has.
 */
static struct slice token_of(struct work *work, const struct aws_change *change)
{
	static const struct digest none = {0};
	struct arena *arena = &work->task.scratch;
	struct value parameters = aws_parameters_value(&change->parameters, arena);
	struct slice text = json_canonical(arena, &parameters, work->style);
	struct slice outputs = json_canonical(arena, &work->now.outputs, work->style);
	struct slice what = arena_format(arena, "%.*s %s %.*s %.*s", SLICE_ARGUMENTS(work->task.object->object_id),
					 change->call->operation, SLICE_ARGUMENTS(outputs), SLICE_ARGUMENTS(text));
	if (!digest_equal(&change->spent_token, &none))
		what = arena_format(arena, "%.*s %.*s", SLICE_ARGUMENTS(what),
				    SLICE_ARGUMENTS(digest_text(arena, &change->spent_token)));
	struct digest digest = digest_of(what);
	return slice_first(digest_text(arena, &digest), TOKEN_BYTES);
}

enum step aws_send(struct work *work, int stage)
{
	struct aws_change *change = aws_change_of(work);
	if (!change->sent_any)
		change->spent_token = work->task.object->spent_token;
	struct slice token = change->call->token ? token_of(work, change) : (struct slice){0};
	if (token.size)
		aws_parameter_add(&change->parameters, change->call->token, value_string(token));
	aws_call_set(&work->task, work->session, aws_kind_of(work->kind), change->call, &change->parameters);
	work->task.call.token = token;
	aws_tell_effect(work, change);
	change->sent_any = true;
	work->stage = stage;
	return STEP_CALL;
}

static enum step look_up(struct work *work, const struct aws_lookup *lookup)
{
	struct aws_parameters parameters = {.count = 0};
	aws_parameter_add(&parameters, lookup->id,
			  lookup->find ? *aws_change_of(work)->reclaimed
				       : value_string(work->task.object->provider_id));
	aws_parameters_fixed(&parameters, aws_kind_of(work->kind), lookup->operation, lookup->fixed);
	aws_read_set(&work->task, work->session, aws_kind_of(work->kind), lookup->operation, &parameters);
	work->stage = STAGE_LOOKED;
	return STEP_CALL;
}

/* What the change that was chosen says, as one text. */
static struct slice text_of(struct work *work, const struct aws_change *change)
{
	static const struct json_style clear = {.clear = true};
	struct arena *arena = &work->task.scratch;
	struct value parameters = aws_parameters_value(&change->parameters, arena);
	return arena_format(arena, "%s %.*s", change->call->operation,
			    SLICE_ARGUMENTS(json_canonical(arena, &parameters, &clear)));
}

/* Whether the change that was chosen was waited for already: a read still shows what was before it, or another call
 * took it back. */
static bool is_waited_for(struct work *work, const struct aws_change *change)
{
	if (!change->call->waits || !change->waited)
		return false;
	struct slice text = text_of(work, change);
	for (const struct aws_waited *waited = change->waited; waited; waited = waited->before)
		if (slice_equal(waited->text, text))
			return true;
	return false;
}

static void wait_for(struct work *work, struct aws_change *change)
{
	struct aws_waited *waited = arena_new(&work->task.scratch, struct aws_waited);
	*waited = (struct aws_waited){text_of(work, change), change->waited};
	change->waited = waited;
	change->looks = 0;
}

/* The change was chosen: what must come before it comes first. */
static enum step carry_out(struct work *work)
{
	struct aws_change *change = aws_change_of(work);
	if (aws_is_late(work))
		return aws_too_late(work);
	if (change->call->waits && !is_waited_for(work, change))
		wait_for(work, change);
	if (aws_must_stop(work, change))
		return aws_stop(work);
	return change->call->lookup ? look_up(work, change->call->lookup) : aws_send(work, STAGE_CHANGED);
}

static bool next_call(struct work *work)
{
	if (aws_next_hidden_part_call(work))
		return true;
	if (aws_change_of(work)->unread_part)
		return false;
	if (work->phase == PHASE_MAKE && (aws_next_field_call(work) || aws_next_renaming_call(work)))
		return true;
	if (work->phase == PHASE_UNSETTLE && aws_next_yielding_call(work))
		return true;
	return aws_next_part_call(work);
}

bool aws_count_round(struct work *work)
{
	struct aws_change *change = aws_change_of(work);
	if (change->rounds == ROUNDS_MOST)
		return false;
	change->rounds++;
	change->looks = 0;
	return true;
}

enum step aws_shows_old(struct work *work, const char *name, const char *hint)
{
	return aws_fail(work, FAULT_CONFLICT,
			arena_text(&work->task.scratch, "still shows its old '%s', though %s was accepted", name,
				   aws_change_of(work)->call->operation),
			hint);
}

static const char *name_of_changed(const struct aws_change *change)
{
	if (change->renames)
		return ADDRESS_TAG;
	return change->field_count ? change->fields[0]->field.name : "a field";
}

/* Whether the change that was chosen was accepted, and sending it again would do as much again (RECIPE_SNAPSHOT): only
 * a read may settle it. */
static bool is_sent_for_good(const struct work *work, const struct aws_change *change)
{
	return change->call->recipe == RECIPE_SNAPSHOT && change->field_count > 0 &&
	       aws_was_sent(work, &change->fields[0]->field);
}

static enum step look_for(struct work *work)
{
	if (aws_count_long_look(work))
		return aws_look_later(work);
	return aws_shows_old(work, name_of_changed(aws_change_of(work)),
			     "it was not sent once more, for it does as much again each time: look whether it shows "
			     "by now, then run again");
}

/*
 * Whether the item was this object's own before: wanted, and seen with it. What is being made has its record from the
 * spec, and so has what was left to others; neither tells that it ever had the item. What an attempt that was cut off
 * has let go of to put it back stands in both.
 */
static bool was_its_own(const struct object *object, const struct field *field, const struct value *item)
{
	const struct value *wanted = value_get_named(&object->resolved, field->name);
	const struct value *seen = value_get_named(&object->observed, field->name);
	return wanted && seen && value_holds(wanted, item) && value_holds(seen, item);
}

/*
 * An item that the change which was chosen would give other values, though somebody else has put it there: the service
 * had it already when it was to be added, and neither was it seen before, nor has the record it so. NULL: there is
 * none.
 */
static const struct value *find_anothers(struct work *work, const struct aws_change *change)
{
	const struct field *field = change->has_after ? &change->fields[0]->field : NULL;
	const struct value *seen = field ? value_get_named(&change->met, field->name) : NULL;
	const struct value *now = seen ? aws_now(work, change->fields[0]) : NULL, *found = NULL;
	struct diff_index after;
	if (!now || !value_is(now, VALUE_LIST) || !value_is(&change->after, VALUE_LIST))
		return NULL;
	diff_index_init(&after, field, &change->after, &work->task.scratch);
	for (uint32_t i = 0; i < now->count && !found; i++) {
		const struct value *item = &now->items[i], *then = diff_index_find(&after, item);
		if (then && !value_equal(then, item) && !value_holds(seen, item) &&
		    !was_its_own(work->task.object, field, item))
			found = item;
	}
	diff_index_release(&after);
	return found;
}

static enum step refuse_to_overwrite(struct work *work, const struct value *item)
{
	const struct field *field = &aws_change_of(work)->fields[0]->field;
	struct arena *scratch = &work->task.scratch;
	struct slice path = diff_item_path(field, slice_of(field->name), item, scratch);
	return aws_fail(work, FAULT_STALE,
			arena_text(scratch, "has changed since the plan was made: other values are there now (%.*s)",
				   SLICE_ARGUMENTS(path)),
			"they were left as they are: plan again, and review that");
}

/* A read shows other than what was sent: it is under way, and after a while sent once more. */
static enum step look_again(struct work *work)
{
	struct aws_change *change = aws_change_of(work);
	if (is_sent_for_good(work, change))
		return look_for(work);
	if (aws_count_look(work))
		return aws_look_later(work);
	const struct value *anothers = find_anothers(work, change);
	if (anothers)
		return refuse_to_overwrite(work, anothers);
	if (!aws_count_round(work))
		return aws_shows_old(work, name_of_changed(change),
				     "run again; if it stays so, the service holds another value than it was given");
	change->verified = false;
	return carry_out(work);
}

/* Whether an output that the field renews is there although the field says no, or is not although it says yes. */
static bool shows_otherwise(const struct work *work, const struct field *field, bool wanted)
{
	for (size_t i = 0; i < work->kind->outputs.count; i++) {
		const struct output *output = output_at(&work->kind->outputs, i);
		bool is_there = value_if_set(value_get_named(&work->now.outputs, output->name)) != NULL;
		if (is_there != wanted && output_renewed_by(output, field->name))
			return true;
	}
	return false;
}

/*
 * A field that cannot be read shows in nothing but the outputs that it renews. Where it is true or false, such an
 * output is there or is not: a listing that lags would have the one of before recorded, and given to others.
 */
static bool awaits_outputs(struct work *work)
{
	/* What stands still shows it once it is started. */
	if (aws_kind_of(work->kind)->pause && !aws_is_running(work))
		return false;
	for (size_t i = 0; i < work->kind->fields.count; i++) {
		const struct field *field = field_at(&work->kind->fields, i);
		const struct value *wanted = value_get_named(work->desired, field->name);
		if (!(field->flags & WRITE_ONLY) || !aws_was_sent(work, field) || !wanted ||
		    !value_is(wanted, VALUE_BOOL))
			continue;
		if (shows_otherwise(work, field, wanted->boolean))
			return true;
	}
	return false;
}

/* Nothing of the object itself differs any more, and a read says so too. */
static enum step converged(struct work *work)
{
	struct aws_change *change = aws_change_of(work);
	bool is_known = change->verified || !change->sent_any;
	if (is_known && work->phase == PHASE_MAKE && aws_next_alignment_call(work)) {
		if (change->aligning)
			return look_again(work);
		change->aligning = true;
		change->verified = false;
		change->looks = 0;
		return carry_out(work);
	}
	enum step step = aws_start_again(work);
	if (step != STEP_DONE)
		return step;
	/* For a while: an elastic address, say, stays whatever the field says. */
	if (work->phase == PHASE_MAKE && awaits_outputs(work) && aws_count_look(work))
		return aws_look_later(work);
	return STEP_DONE;
}

static enum step unread(struct work *work, const struct aws_field *field)
{
	struct slice why = work->now.unread_reason;
	/* Where it was read for the plan, that has told why. */
	return aws_fail(work, FAULT_TRANSIENT,
			arena_text(&work->task.scratch, "is not as the spec says: its '%s' could not be read%s%.*s%s",
				   field->field.name, why.size > 0 ? " (" : "", SLICE_ARGUMENTS(why),
				   why.size > 0 ? ")" : ""),
			"run again once it can be read");
}

enum step aws_converge(struct work *work)
{
	struct aws_change *change = aws_change_of(work);
	work->stage = STAGE_CONVERGE;
	change->refusal = NULL;
	change->unread_part = NULL;
	if (next_call(work)) {
		if (change->refusal)
			return aws_fail(work, FAULT_UNSUPPORTED, change->refusal, NULL);
		bool is_out = change->verified || is_waited_for(work, change) || is_sent_for_good(work, change) ||
			      find_anothers(work, change);
		return is_out ? look_again(work) : carry_out(work);
	}
	if (change->unread_part && !change->verified)
		return unread(work, change->unread_part);
	if (!change->sent_any || change->verified)
		return converged(work);
	change->verified = true;
	return aws_read_after(work, 0);
}

/* The service had what the change was to add: of the first such answer, what was seen of the field before. */
static void note_met(struct work *work)
{
	struct aws_change *change = aws_change_of(work);
	const struct field *field = change->has_after ? &change->fields[0]->field : NULL;
	if (!field || value_get_named(&change->met, field->name))
		return;
	const struct value *seen = aws_now(work, change->fields[0]);
	change->met = value_with(&change->met, slice_of(field->name), seen ? *seen : value_list(NULL, 0),
				 &work->task.scratch);
}

/* What a change did is so, until a read says otherwise. */
static void note_change(struct work *work)
{
	struct aws_change *change = aws_change_of(work);
	if (change->renames)
		aws_note_renaming(work);
	if (change->has_after) {
		aws_note_field(work, &change->fields[0]->field, &change->after);
		aws_note_sent(work, &change->fields[0]->field, &change->after);
		return;
	}
	for (size_t i = 0; i < change->field_count; i++) {
		const struct field *field = &change->fields[i]->field;
		const struct value *now = value_get_named(&work->now.fields, field->name);
		const struct value *wanted = aws_wanted(work, change->fields[i]);
		aws_note_sent(work, field, wanted);
		if (!now || !value_is(now, VALUE_UNREAD))
			aws_note_field(work, field, wanted);
	}
}

/* Some calls succeed with failures inside; the first of them counts. */
static bool holds_failure(const struct aws_call *call, const struct answer *answer, struct answer *ret)
{
	const struct value *failures = call->failures ? value_path(&answer->body, call->failures) : NULL;
	if (!failures || !value_is(failures, VALUE_LIST) || failures->count == 0)
		return false;
	*ret = (struct answer){
		.code = value_slice(value_path(&failures->items[0], "Error.Code")),
		.message = value_slice(value_path(&failures->items[0], "Error.Message")),
		.request_id = answer->request_id,
	};
	ret->fault = aws_error_fault(ret->code, 0, true);
	return true;
}

bool aws_is_done(const struct aws_call *call, const struct answer *answer)
{
	return answer->ok || slice_is_one_of(answer->code, call->present) ||
	       slice_is_one_of(answer->code, call->absent);
}

bool aws_may_be_done(const struct answer *answer)
{
	return answer->unsure && answer->fault != FAULT_AMBIGUOUS;
}

/* Whether a read tells what became of the change. */
static bool is_shown(const struct aws_change *change)
{
	for (size_t i = 0; i < change->field_count; i++)
		if (change->fields[i]->field.flags & WRITE_ONLY)
			return false;
	return true;
}

/*
 * Whether what was to come is another's, though the record has it as this object's: somebody moved it. Once for each:
 * what is another's still is not fought over.
 */
static bool is_to_reclaim(const struct work *work, const struct aws_change *change, const struct answer *answer)
{
	const struct aws_part *part = change->has_after ? change->fields[0]->part : NULL;
	if (!part || !change->added || change->call != &part->add || !slice_is_one_of(answer->code, part->taken) ||
	    (change->reclaimed && value_equal(change->reclaimed, change->added)))
		return false;
	return was_its_own(work->task.object, &change->fields[0]->field, change->added);
}

/* Takes it away from there; what differs then is that it is to come. */
static enum step reclaim(struct work *work, struct aws_change *change)
{
	const struct aws_call *call = &change->fields[0]->part->reclaim;
	struct value *item = arena_new(&work->task.scratch, struct value);
	struct aws_parameters parameters = {.count = 0};
	*item = value_copy(&work->task.scratch, change->added);
	change->reclaimed = item;
	aws_choose(work, call, &parameters);
	return look_up(work, call->lookup);
}

/* Whether what was to be taken away is the service's own, which people have but changed. */
static bool is_to_set_back(const struct aws_change *change, const struct answer *answer)
{
	const struct aws_part *part = change->has_after ? change->fields[0]->part : NULL;

	return part && change->call == &part->remove && slice_is_one_of(answer->code, part->not_ours);
}

/* It stays, as the service had it: what differs of it goes. */
static enum step set_back(struct work *work, struct aws_change *change)
{
	const struct aws_call *call = &change->fields[0]->part->set_back;

	change->call = call;
	aws_parameters_fixed(&change->parameters, aws_kind_of(work->kind), call->operation, call->fixed);
	return aws_send(work, STAGE_CHANGED);
}

enum step aws_changed(struct work *work, const struct answer *answer)
{
	const struct aws_call *call = aws_change_of(work)->call;
	struct answer failure;
	bool may_be_done = aws_may_be_done(answer) && is_shown(aws_change_of(work));
	if (!aws_is_done(call, answer) && !may_be_done) {
		if (is_to_reclaim(work, aws_change_of(work), answer))
			return reclaim(work, aws_change_of(work));
		if (is_to_set_back(aws_change_of(work), answer))
			return set_back(work, aws_change_of(work));
		return aws_give_up(work, answer);
	}
	if (answer->ok && holds_failure(call, answer, &failure))
		return aws_give_up(work, &failure);
	if (!answer->ok && slice_is_one_of(answer->code, call->present))
		note_met(work);
	note_change(work);
	/* A listing that lags would show it ready, and as it was before: a change is given time to show. */
	return call->waits ? aws_read_again(work, aws_poll_ms(work)) : aws_converge(work);
}

enum step aws_looked_up(struct work *work, const struct answer *answer)
{
	struct aws_change *change = aws_change_of(work);
	const struct aws_lookup *lookup = change->call->lookup;
	if (!answer->ok)
		return aws_change_refused(work, answer, "look up what belongs to");
	const struct value *found = lookup->find ? lookup->find(&answer->body, change->reclaimed)
						 : value_path(&answer->body, lookup->result);
	if (!found && aws_next_page(aws_kind_of(work->kind), lookup->operation, &answer->body).size > 0)
		return aws_fail(work, FAULT_TRANSIENT,
				arena_text(&work->task.scratch,
					   "was not changed: %s answered without the rest of its list, which may have "
					   "what is looked for",
					   lookup->operation),
				"run again: what is there is looked at first");
	if (!found) {
		change->sent_any = true;
		note_change(work);
		return aws_converge(work);
	}
	struct value copy = value_copy(&work->task.scratch, found);
	aws_parameter_add(&change->parameters, lookup->member, copy);
	return aws_send(work, STAGE_CHANGED);
}
