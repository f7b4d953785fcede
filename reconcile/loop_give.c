#include "reconcile/loop_parts.h"

/* Meanwhile nothing is begun, but the lease is kept, answers are taken in, and an interrupt is heard. */
static bool go_on(void *context)
{
	struct loop *loop = context;
	struct world *world = loop->settings.world;

	if (!loop->stopping && world->interrupted(world) > 0)
		loop_stop(loop);
	loop_heartbeat(loop);
	if (loop->in_flight > 0)
		world->transport->wait(world->transport, loop_now_ms(loop));
	return !loop->broken;
}

/* Where the stack is somebody else's by now, who may have put another there: no clock tells that, the record does. */
static bool may_give(struct loop *loop, const struct task *task)
{
	enum fault fault;

	if (!loop->broken && loop_beat(loop))
		return true;
	const char *reason = loop_break_reason(loop, &fault);
	diag_error(task->diagnostics, fault, NOWHERE, "what '%.*s' was shown is put nowhere: %s",
		   SLICE_ARGUMENTS(task->object->address), reason);
	diag_address(task->diagnostics, task->object->address);
	diag_hint(task->diagnostics, "the next run deletes what was made, and makes another");
	return false;
}

void loop_give(struct loop *loop, struct task *task)
{
	const struct loop_settings *settings = &loop->settings;
	struct watch watch = {.go_on = go_on, .context = loop};
	bool given;

	/* What came before must not wait for it. */
	loop_commit(loop);
	loop->giving++;
	given = settings->give_shown && may_give(loop, task) &&
		settings->give_shown(settings->give_context, task, &watch);
	loop->giving--;
	/* Nobody shows it again: the intent stays open, and recovery has another one made. */
	if (!given) {
		task->record_changed = task->loop.has_close = false;
		task->loop.wanted = STEP_FAILED;
	}
	task->shown_to = NULL;
}
