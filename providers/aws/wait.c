#include "providers/aws/work.h"

/*
 * When a work looks at its object again: after a part of the time that it has waited already. What comes soon is
 * seen soon, and what takes long is asked for seldom. Where many wait, they share looks (loop_settings.read), so
 * there are not more of them.
 */

enum {
	LOOK_PART = 16,
	LOOK_LEAST_MS = 50,
	LOOK_MOST_MS = 1000,
	POLL_MS = 2000, /* where the kind says nothing else */
	/* What a slow kind starts with, as a part of its longest. */
	SLOW_PART = 8,
	/* A listing is believed after so long, and so many looks. */
	LAG_MS = 20 * 1000,
	LOOKS_LEAST = 5,
	/* A new object may be missing from a listing for so long. */
	APPEAR_MS = 5 * 60 * 1000,
};

enum step aws_read_after(struct work *work, int64_t delay_ms)
{
	work->task.wake_ms = work->task.now_ms + delay_ms;
	return STEP_READ;
}

/* Since the last answer, or since the phase began: patience starts there. */
static int64_t waited_ms(const struct work *work)
{
	return work->task.now_ms - (work->deadline_ms - work->patience_ms);
}

static enum step read_within(struct work *work, int64_t least_ms, int64_t most_ms)
{
	int64_t delay_ms = waited_ms(work) / LOOK_PART;
	if (delay_ms > most_ms)
		delay_ms = most_ms;
	return aws_read_after(work, delay_ms < least_ms ? least_ms : delay_ms);
}

enum step aws_look_later(struct work *work)
{
	return read_within(work, LOOK_LEAST_MS, LOOK_MOST_MS);
}

int64_t aws_poll_ms(const struct work *work)
{
	const struct aws_kind *kind = aws_kind_of(work->kind);
	return kind->poll_ms ? kind->poll_ms : POLL_MS;
}

enum step aws_poll_later(struct work *work)
{
	int64_t slow_ms = aws_kind_of(work->kind)->poll_ms;
	return read_within(work, slow_ms ? slow_ms / SLOW_PART : LOOK_LEAST_MS, aws_poll_ms(work));
}

bool aws_may_appear(struct work *work)
{
	struct aws_change *change = aws_change_of(work);
	if (change->created_ms)
		return work->task.now_ms - change->created_ms < APPEAR_MS;
	return change->sent_any && (change->absences++ < LOOKS_LEAST || waited_ms(work) < LAG_MS);
}

bool aws_may_show(struct work *work)
{
	return aws_change_of(work)->looks++ < LOOKS_LEAST || waited_ms(work) < LAG_MS;
}
