#include <string.h>

#include "reconcile/diff_parts.h"

/* How what an object shows beside its fields differs from what was recorded, or from what it follows. */

/*
 * Where a run was cut off before the last of its calls, it is the spec that is not carried out yet; else it is drift.
 * After recovery the record itself has what that left behind. Only what is no more as recorded was moved by others.
 */
static enum change_cause cause_of_rest(const struct diffing *diffing, const struct output *output,
				       const struct value *is)
{
	const struct value *recorded = diff_member(diffing->input->recorded_outputs, output->name);
	const struct value *goal = diff_member(diffing->input->recorded_outputs, output->follows);
	bool moved = recorded && !value_equal(recorded, is);
	bool left = recorded && goal && !value_equal(recorded, goal);
	bool intended = !diffing->input->observed || (!moved && (left || diffing->input->unfinished));

	return intended ? CAUSE_INTENT : CAUSE_DRIFT;
}

/* Makes an output that follows another one equal to it; false: it is so, or nobody knows. */
static bool judge_follower(struct diffing *diffing, const struct output *output)
{
	const struct value *is = diff_member(diffing->input->outputs, output->name);
	const struct value *goal = output->follows ? diff_member(diffing->input->outputs, output->follows) : NULL;
	if (!is || !goal || diff_is_unread(is) || diff_is_unread(goal) || value_equal(is, goal))
		return false;
	const struct value *recorded = diff_member(diffing->input->recorded_outputs, output->name);
	enum change_cause cause = cause_of_rest(diffing, output, is);
	/* Where another change gives the goal a new value, what it follows it to is not known yet. */
	bool known = !changes_renew(diffing->result->changes, diffing->result->count,
				    output_named(&diffing->input->kind->outputs, slice_of(output->follows)));
	/* Where the goal moved, what somebody else made of it is told apart from what it becomes. */
	bool apart = cause == CAUSE_DRIFT && recorded && (!known || !value_equal(recorded, goal));
	if (apart && !value_equal(recorded, is))
		diff_add(diffing, NULL, slice_of(output->name), CAUSE_DRIFT, EFFECT_MOVED, recorded, is);
	if (known)
		diff_add(diffing, NULL, slice_of(output->name), apart ? CAUSE_TARGET : cause, EFFECT_SET, is, goal);
	return true;
}

/* Whether a field of its name tells of it already, be it changed or only shown. */
static bool is_told(const struct diffing *diffing, const struct output *output)
{
	for (size_t i = 0; i < diffing->result->count; i++) {
		const struct field *field = diffing->result->changes[i].field;
		if (field && strcmp(field->name, output->name) == 0)
			return true;
	}
	return false;
}

/*
 * What an object shows beside its fields is as it is: nothing reverts it. Where it is no more as it was recorded, the
 * record follows, and with it all that refers to the output. So it is with one that comes: who waits for an object
 * waits until it shows what it is to show, and a public address that somebody gives it is no intent of the spec.
 */
static void judge_output(struct diffing *diffing, const struct output *output)
{
	const struct diff_input *input = diffing->input;
	const struct value *recorded = diff_member(input->recorded_outputs, output->name);
	const struct value *live = diff_member(input->outputs, output->name);
	if (!input->outputs || !input->recorded_outputs || output->secret || diff_is_unread(recorded) ||
	    diff_is_unread(live) || (live && value_has_secret(live)) || (recorded && value_has_secret(recorded)) ||
	    is_told(diffing, output) || changes_renew(diffing->result->changes, diffing->result->count, output))
		return;
	if (recorded && live ? !value_equal(recorded, live) : recorded || live)
		diff_add(diffing, NULL, slice_of(output->name), input->unfinished ? CAUSE_INTENT : CAUSE_DRIFT,
			 EFFECT_RECORD, recorded, live);
}

void diff_judge_outputs(struct diffing *diffing)
{
	const struct outputs *outputs = &diffing->input->kind->outputs;
	for (size_t i = 0; i < outputs->count; i++) {
		const struct output *output = output_at(outputs, i);
		if (!judge_follower(diffing, output))
			judge_output(diffing, output);
	}
}
