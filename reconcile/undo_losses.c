#include "reconcile/undo_parts.h"

/* What an undoing cannot bring back, told with the plan of it. */

/* Whether it has the id again that it had, for that is what the spec says of it. */
static bool has_id_again(const struct action *action, struct slice id)
{
	for (uint32_t i = 0; i < action->known.count; i++) {
		const struct value *value = &action->known.members[i].value;

		if (value_is(value, VALUE_STRING) && slice_equal(value_slice(value), id))
			return true;
	}
	return false;
}

/* Whether the field was so before the run, which only took it over. */
static bool was_so_before(const struct undo_work *work, const struct action *action, const struct change *change)
{
	const struct undo_case *one = map_get(&work->undoing->cases, action->address);
	const struct value *seen = one && one->was && slice_is(change->path, change->field->name)
					   ? value_get_given(&one->was->observed, change->path)
					   : NULL;

	return seen && value_equal(seen, &change->before);
}

/* The field that says the same of the same thing, after the undoing (RESTATED); NULL: none does. */
static const char *restating(const struct undo_work *work, const struct action *action, const struct field *field)
{
	const struct undo_case *one = map_get(&work->undoing->cases, action->address);

	return (field->flags & RESTATED) && one ? kind_excludes(one->kind, field, &action->desired) : NULL;
}

static void note_kept(struct undo_work *work, const struct action *action, const struct change *change)
{
	if (change->effect != EFFECT_RELEASE || was_so_before(work, action, change))
		return;
	const char *restated = restating(work, action, change->field);

	/* Who else looks after it may have set it since. */
	if (change->field->flags & OBSERVED)
		undo_note(work, action->address, "'%.*s' keeps its value: it is left to others",
			  SLICE_ARGUMENTS(change->path));
	else if (!restated)
		undo_stays(work, action->address, "'%.*s' keeps its value: the spec did not set it before",
			   SLICE_ARGUMENTS(change->path));
	/* Of a number all is back once there are so many. */
	else if (!field_counts(change->field))
		undo_note(work, action->address, "'%.*s' has others than before, but as many as '%s' said",
			  SLICE_ARGUMENTS(change->path), restated);
}

void undo_note_losses(struct undo_work *work, const struct action *action)
{
	const struct undo_case *made = map_get(&work->undoing->made, action->address);

	if (action->operation == OPERATION_CREATE && made) {
		struct slice id = made->was->provider_id;

		undo_note(work, action->address,
			  has_id_again(action, id) ? "is another one than '%.*s' was, and what that held is gone"
						   : "gets another id than '%.*s', and what that held is gone",
			  SLICE_ARGUMENTS(id));
	}
	if (action->operation == OPERATION_REPLACE && !action->kind->found)
		undo_note(work, action->address, "gets another id than '%.*s', and what that holds is lost",
			  SLICE_ARGUMENTS(action->provider_id));
	if (action->operation == OPERATION_REPLACE && made)
		undo_note(work, action->address, "'%.*s', which was there before, does not come back, nor what it held",
			  SLICE_ARGUMENTS(made->was->provider_id));
	/* What is let go of goes with the old object. */
	for (size_t i = 0; action->operation != OPERATION_REPLACE && i < action->change_count; i++)
		note_kept(work, action, &action->changes[i]);
}
