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

void applying_note_parts(struct applying *applying, const struct target *target)
{
	const struct kind *kind = target->action->kind;

	for (size_t i = 0; operation_makes(target->action->operation) && i < kind->outputs.count; i++) {
		const struct output *output = output_at(&kind->outputs, i);
		const struct value *told = value_get_named(&target->current->outputs, output->name);

		if (!output->repeats && told && value_is(told, VALUE_STRING))
			note(applying, value_slice(told), loop_now_ms(&applying->loop));
	}
}

/* Which of what a call names its refusal is about. */
struct blaming {
	const struct kinds *kinds;
	struct slice message;
};

static bool is_id(const struct kinds *kinds, struct slice text)
{
	for (size_t i = 0; i < kinds->count; i++) {
		const struct output *id = kind_output(kinds->items[i], NULL);

		if (id && id->pattern && !id->is_chosen && output_pattern_matches(id, text))
			return true;
	}
	return false;
}

/* A service names by its id what it does not find: that tells it from all the rest that may be new. Other texts may
 * stand in any message. */
static bool is_blamed(void *context, struct slice text)
{
	const struct blaming *blaming = context;

	return slice_contains(blaming->message, text) && is_id(blaming->kinds, text);
}

int64_t applying_age_ms(void *context, const struct call *call, struct slice message)
{
	const struct applying *applying = context;
	struct blaming blaming = {applying->apply->kinds, message};

	return fresh_age_ms(&applying->fresh, call->parameters, loop_now_ms(&applying->loop), is_blamed, &blaming);
}
