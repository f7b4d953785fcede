#include "reconcile/undo_parts.h"

/* What the run sent calls about: whether it changed something at all, and in which order it replaced something. */

static struct undo_sent *sent_at(struct undo_work *work, struct slice object_id)
{
	struct undo_sent *sent = map_get(work->sent, object_id);

	if (sent)
		return sent;
	sent = arena_new(work->arena, struct undo_sent);
	*sent = (struct undo_sent){.first = SIZE_MAX};
	map_set(work->sent, object_id, sent);
	return sent;
}

/* The calls stand in the order of their outcomes. */
static void index_sent(struct undo_work *work)
{
	const struct undo_input *input = work->input;

	work->sent = map_new(work->arena);
	for (size_t i = 0; i < input->call_count; i++) {
		const struct call_record *call = &input->calls[i];

		if (slice_is(call->outcome, "failed"))
			continue;
		struct undo_sent *sent = sent_at(work, call->object_id);

		sent->first = sent->first == SIZE_MAX ? i : sent->first;
		sent->last = i;
		sent->settled_later |= call->settled_later;
	}
}

const struct undo_sent *undo_sent_about(struct undo_work *work, struct slice object_id)
{
	if (!work->sent)
		index_sent(work);
	return map_get(work->sent, object_id);
}

/* Whether nothing is recorded any more of what was there before the run. */
static bool was_ended(struct undo_work *work, struct slice object_id)
{
	const struct undo_input *input = work->input;

	if (!work->ended) {
		work->ended = map_new(work->arena);
		for (size_t i = 0; i < input->past_count; i++)
			if (input->past[i].was && !input->past[i].is)
				map_mark(work->ended, input->past[i].before.object_id);
	}
	return map_has(work->ended, object_id);
}

bool undo_ended_first(struct undo_work *work, const struct undo_case *one)
{
	const struct object *was = one->was, *left = one->left;

	if (!was || !left || slice_equal(was->object_id, left->object_id) || !was_ended(work, was->object_id))
		return false;
	const struct undo_sent *old = undo_sent_about(work, was->object_id);
	const struct undo_sent *new = undo_sent_about(work, left->object_id);

	/* When what recovery has settled came about nobody recorded. */
	return old && new && !old->settled_later && !new->settled_later && old->last < new->first;
}
