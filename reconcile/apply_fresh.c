#include "reconcile/apply_parts.h"
#include "reconcile/fresh.h"

/* What is new to a service, as far as an apply knows; by the boot clock. */

static void note(struct applying *applying, struct slice text, int64_t since_ms)
{
	fresh_note(&applying->fresh, text, since_ms, applying->apply->arena);
}

void applying_note_recorded(struct applying *applying, struct object *object)
{
	struct world *world = applying->apply->world;
	int64_t age_ms = world->wall_ms(world) - object->created_ms;
	if (object->provider_id.size > 0)
		map_add(&applying->ids, object->provider_id, object);
	if (age_ms >= 0 && age_ms < LOOP_SETTLING_MS)
		note(applying, object->provider_id, loop_now_ms(&applying->loop) - age_ms);
}

void applying_note_fresh(struct applying *applying, const struct node *node)
{
	struct object *object = node->work.task.object;
	int64_t now_ms = node->work.task.now_ms;
	note(applying, object->provider_id, now_ms);
	if (object->provider_id.size > 0)
		map_add(&applying->ids, object->provider_id, object);
	/* Some calls name what has an id by its name. */
	if (node->work.desired)
		note(applying, value_slice(value_get_named(node->work.desired, "name")), now_ms);
}

int64_t applying_age_ms(void *context, const struct call *call)
{
	const struct applying *applying = context;
	return fresh_age_ms(&applying->fresh, call->parameters, loop_now_ms(&applying->loop));
}
