#include "providers/aws/held.h"

#include "base/buffer.h"

enum { NAMED_MOST = 5 };

enum step aws_delete_refused(struct work *work, const struct answer *answer)
{
	const struct aws_kind *kind = aws_kind_of(work->kind);
	const struct aws_holders *holders = kind->holders;
	struct aws_parameters parameters = {.count = 0};
	enum step step = aws_change_refused(work, answer, "delete");

	if (!holders || answer->fault != FAULT_CONFLICT)
		return step;
	aws_parameter_add(&parameters, holders->id, value_string(work->task.object->provider_id));
	aws_parameters_fixed(&parameters, kind, holders->operation, holders->fixed);
	aws_read_set(&work->task, work->session, kind, holders->operation, &parameters);
	work->stage = STAGE_HELD;
	return STEP_CALL;
}

/* "'i-1', 'i-2' and 3 more" */
static struct slice names_of(const struct value *ids, struct arena *arena)
{
	BUFFER_AUTO text;

	buffer_init(&text, 4096);
	for (uint32_t i = 0; i < ids->count && i < NAMED_MOST; i++)
		buffer_format(&text, "%s'%.*s'", i > 0 ? ", " : "", SLICE_ARGUMENTS(value_slice(&ids->items[i])));
	if (ids->count > NAMED_MOST)
		buffer_format(&text, " and %u more", (unsigned)(ids->count - NAMED_MOST));
	return arena_copy(arena, buffer_slice(&text));
}

enum step aws_holders_told(struct work *work, const struct answer *answer)
{
	const struct aws_holders *holders = aws_kind_of(work->kind)->holders;
	const struct task *task = &work->task;
	struct arena *arena = &work->task.scratch;
	const struct value ids = answer && answer->ok ? holders->ids(&answer->body, arena) : value_list(NULL, 0);

	if (ids.count == 0)
		return STEP_FAILED;
	diag_add(task->diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, NOWHERE, "'%.*s' is used by %s %.*s",
		 SLICE_ARGUMENTS(task->object->address), ids.count == 1 ? holders->one : holders->many,
		 SLICE_ARGUMENTS(names_of(&ids, arena)));
	diag_address(task->diagnostics, task->object->address);
	diag_hint(task->diagnostics, "have %s let go of it, or keep it, and run again",
		  ids.count == 1 ? "that" : "these");
	return STEP_FAILED;
}
