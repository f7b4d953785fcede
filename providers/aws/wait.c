#include "providers/aws/work.h"

/*
 * When a work looks at its object again: after a part of the time that it has waited already. What comes soon is
 * seen soon, and what takes long is asked for seldom: a wait of ten minutes is some sixty looks. Where many wait, they
 * share looks (loop_settings.read), so there are not more of them.
 */

enum {
	PART = 8,
	/* What comes soon. */
	SOON_MS = 1000,
	SOON_PART = 16,
	LOOK_LEAST_MS = 50,
	/* Throughout it where something is made: others wait for that in a row, and each look that is late adds up. */
	LOOK_LEAST_MADE_MS = 12,
	/* What takes time at all is not ready sooner. */
	FIRST_LOOK_MS = 300,
	LOOK_MOST_MS = 30 * 1000,
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

enum step aws_read_again(struct work *work, int64_t delay_ms)
{
	work->has_now = false;
	work->stage = STAGE_READY;
	return aws_read_after(work, delay_ms);
}

/* Since the last answer, or since the phase began: patience starts there. */
static int64_t waited_ms(const struct work *work)
{
	return work->task.now_ms - (work->deadline_ms - work->patience_ms);
}

static int64_t part_ms(const struct work *work, int64_t part, int64_t least_ms)
{
	int64_t delay_ms = waited_ms(work) / part;
	if (delay_ms > LOOK_MOST_MS)
		return LOOK_MOST_MS;
	return delay_ms < least_ms ? least_ms : delay_ms;
}

bool aws_is_late(const struct work *work)
{
	return work->task.now_ms >= work->deadline_ms;
}

enum step aws_look_later(struct work *work)
{
	return aws_read_after(work, part_ms(work, waited_ms(work) < SOON_MS ? SOON_PART : PART, LOOK_LEAST_MS));
}

int64_t aws_poll_ms(const struct work *work)
{
	int64_t kinds_ms = aws_kind_of(work->kind)->poll_ms;
	int64_t least_ms = kinds_ms ? kinds_ms : LOOK_LEAST_MADE_MS;
	int64_t delay_ms = waited_ms(work) < SOON_MS ? least_ms : part_ms(work, PART, least_ms);
	int64_t first_ms = FIRST_LOOK_MS - waited_ms(work);
	return delay_ms < first_ms ? first_ms : delay_ms;
}

enum step aws_poll_later(struct work *work)
{
	return aws_read_after(work, aws_poll_ms(work));
}

bool aws_count_absence(struct work *work)
{
	struct aws_change *change = aws_change_of(work);
	if (change->created_ms)
		return work->task.now_ms - change->created_ms < APPEAR_MS;
	return change->sent_any && (change->absences++ < LOOKS_LEAST || waited_ms(work) < LAG_MS);
}

bool aws_count_look(struct work *work)
{
	return aws_change_of(work)->looks++ < LOOKS_LEAST || waited_ms(work) < LAG_MS;
}

bool aws_count_long_look(struct work *work)
{
	return aws_count_look(work) || waited_ms(work) < work->grace_ms;
}
