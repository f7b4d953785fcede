#include "reconcile/apply_parts.h"

/*
 * Services tell of a new object late: the next call may be answered with "there is no such thing". That is
 * worth another try for what is new, and for nothing else.
 */

/* When an object of ours was made, or changed in this run. */
struct freshness {
	int64_t since_ms; /* by the boot clock */
};

static void note(struct applying *applying, struct slice id, int64_t since_ms)
{
	if (id.size == 0)
		return;
	struct freshness *known = map_get(&applying->fresh, id);
	if (!known) {
		known = arena_new(applying->apply->arena, struct freshness);
		known->since_ms = since_ms;
		map_set(&applying->fresh, id, known);
	} else if (known->since_ms < since_ms) {
		known->since_ms = since_ms;
	}
}

void applying_note_recorded(struct applying *applying, const struct object *object)
{
	struct world *world = applying->apply->world;
	int64_t age_ms = world->wall_ms(world) - object->created_ms;
	if (age_ms >= 0 && age_ms < LOOP_SETTLING_MS)
		note(applying, object->provider_id, loop_now_ms(&applying->loop) - age_ms);
}

void applying_note_fresh(struct applying *applying, const struct node *node)
{
	const struct object *object = node->work.task.object;
	int64_t now_ms = node->work.task.now_ms;
	note(applying, object->provider_id, now_ms);
	/* Some calls name what has an id by its name. */
	if (node->work.desired)
		note(applying, value_slice(value_get_named(node->work.desired, "name")), now_ms);
}

static void look_up(const struct applying *applying, struct slice text, int64_t *latest_ms)
{
	const struct freshness *known = map_get(&applying->fresh, text);
	if (known && known->since_ms > *latest_ms)
		*latest_ms = known->since_ms;
}

static void search(const struct applying *applying, const struct value *value, int64_t *latest_ms)
{
	if (value_is(value, VALUE_MAP)) {
		for (uint32_t i = 0; i < value->count; i++)
			search(applying, &value->members[i].value, latest_ms);
	} else if (value_is(value, VALUE_LIST)) {
		for (uint32_t i = 0; i < value->count; i++)
			search(applying, &value->items[i], latest_ms);
	} else if (value_is(value, VALUE_STRING)) {
		/* Auto Scaling takes subnets as one text. */
		struct slice rest = value_slice(value);
		while (rest.size > 0)
			look_up(applying, slice_cut(&rest, ','), latest_ms);
	}
}

int64_t applying_age_ms(void *context, const struct call *call)
{
	const struct applying *applying = context;
	int64_t latest_ms = INT64_MIN;
	search(applying, call->parameters, &latest_ms);
	return latest_ms == INT64_MIN ? INT64_MAX : loop_now_ms(&applying->loop) - latest_ms;
}
