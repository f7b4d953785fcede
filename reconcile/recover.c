#include "reconcile/recover.h"

#include "base/map.h"

enum { POLL_MS = 1000 };

struct verdict recover_judge(const struct intent *intent, const struct object *object, const struct live *live)
{
	if (!object && !intent->creates)
		return (struct verdict){SETTLEMENT_DONE, "its object is no longer recorded"};
	if (!object)
		return (struct verdict){SETTLEMENT_NONE,
					"what it would have made is not recorded, so nothing was read"};
	if (!live || live->presence == PRESENCE_UNREAD)
		return (struct verdict){SETTLEMENT_NONE, "its object could not be read"};
	/* The plan compares the object with the spec anyway: what the call left undone is planned anew. */
	if (live->presence == PRESENCE_ABSENT && intent->creates)
		return (struct verdict){SETTLEMENT_FAILED, "settled by reading: there is no such object"};
	return (struct verdict){SETTLEMENT_DONE, "settled by reading"};
}

void recover_all(struct recovery *recovery)
{
	struct map by_id; /* to index + 1 into objects, as a pointer into the array */
	size_t count = recovery->intent_count;

	map_init(&by_id);
	map_reserve(&by_id, recovery->object_count);
	union {
		struct object *const *constant;
		struct object **items;
	} objects = {recovery->objects};
	for (size_t i = 0; i < recovery->object_count; i++)
		map_set(&by_id, recovery->objects[i]->object_id, &objects.items[i]);
	recovery->closes = arena_new_array(recovery->arena, count + 1, struct intent_close);
	recovery->open = arena_new_array(recovery->arena, count + 1, const struct intent *);
	recovery->reasons = arena_new_array(recovery->arena, count + 1, const char *);
	for (size_t i = 0; i < count; i++) {
		const struct intent *intent = &recovery->intents[i];
		struct object *const *object = map_get(&by_id, intent->object_id);
		const struct live *live = object && recovery->live ? recovery->live[object - recovery->objects] : NULL;
		struct verdict verdict = recover_judge(intent, object ? *object : NULL, live);

		if (verdict.settlement == SETTLEMENT_NONE) {
			recovery->reasons[recovery->open_count] = verdict.why;
			recovery->open[recovery->open_count++] = intent;
			continue;
		}
		recovery->closes[recovery->close_count++] = (struct intent_close){
			.id = intent->id,
			.outcome = verdict.settlement == SETTLEMENT_DONE ? OUTCOME_DONE : OUTCOME_FAILED,
			.note = slice_of(verdict.why),
		};
	}
	map_release(&by_id);
}

bool recover_commit(const struct recovery *recovery, struct store *store, struct diagnostics *diagnostics)
{
	struct commit commit = {.closes = recovery->closes, .close_count = recovery->close_count};
	enum commit_state state = COMMIT_DONE;

	if (recovery->close_count == 0)
		return true;
	state = store->ops->commit(store, &commit, diagnostics);
	while (state == COMMIT_PENDING)
		state = store->ops->poll(store, POLL_MS, diagnostics);
	return state == COMMIT_DONE;
}
