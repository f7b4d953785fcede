#include "reconcile/provider.h"

static const char *const phase_words[PHASE_COUNT] = {
	[PHASE_MAKE] = "make",
	[PHASE_SETTLE] = "settle",
	[PHASE_UNSETTLE] = "unsettle",
	[PHASE_DELETE] = "delete",
};
const struct names phase_names = NAMES(phase_words);

const char *phase_name(enum phase phase)
{
	return phase_words[phase];
}

const struct provider *providers_find(const struct providers *providers, struct slice name)
{
	for (size_t i = 0; i < providers->count; i++)
		if (slice_is(name, providers->items[i]->name))
			return providers->items[i];
	return NULL;
}

struct live *live_add(struct reading *reading)
{
	reading->found = arena_room(reading->arena, reading->found, reading->found_count, &reading->found_capacity,
				    sizeof(*reading->found));
	struct live *live = &reading->found[reading->found_count++];
	*live = (struct live){0};
	return live;
}

int64_t ownership_generation(const struct ownership *ownership)
{
	int64_t generation;
	bool counted = slice_integer(ownership->generation, &generation);

	return counted && generation > 0 && generation <= GENERATION_MOST ? generation : 1;
}

bool live_is_another(const struct live *live, const struct kind *kind, const struct value *outputs,
		     struct slice lineage)
{
	if (!outputs || (lineage.size > 0 && slice_equal(live->ownership.lineage, lineage)))
		return false;
	for (size_t i = 0; i < kind->outputs.count; i++) {
		const struct output *output = output_at(&kind->outputs, i);
		const struct value *then = value_if_set(value_get_named(outputs, output->name));
		const struct value *now = value_if_set(value_get_named(&live->outputs, output->name));
		if (output->tells_apart && then && now && !value_has_unread(now) && !value_equal(then, now))
			return true;
	}
	return false;
}

bool mark_tells(const struct value *mark)
{
	return mark && !value_has_unread(mark) && (!value_is(mark, VALUE_LIST) || mark->count > 0);
}

const struct output *live_untold(const struct live *live, const struct kind *kind, const struct value *outputs,
				 struct slice lineage)
{
	const struct output *untold = NULL;

	if (!outputs || live->presence != PRESENCE_PRESENT ||
	    (lineage.size > 0 && slice_equal(live->ownership.lineage, lineage)))
		return NULL;
	for (size_t i = 0; i < kind->outputs.count; i++) {
		const struct output *output = output_at(&kind->outputs, i);
		const struct value *then = value_if_set(value_get_named(outputs, output->name));
		const struct value *now = value_get_named(&live->outputs, output->name);
		if (!output->tells_apart || !mark_tells(then))
			continue;
		if (!now || !value_has_unread(now))
			return NULL;
		untold = untold ? untold : output;
	}
	return untold;
}

struct live live_copy(struct arena *arena, const struct live *live)
{
	return (struct live){
		.presence = live->presence,
		.readiness = live->readiness,
		.state = arena_copy(arena, live->state),
		.is_displaced = live->is_displaced,
		.provider_id = arena_copy(arena, live->provider_id),
		.fields = value_copy(arena, &live->fields),
		.outputs = value_copy(arena, &live->outputs),
		.running = value_copy(arena, &live->running),
		.uses = value_copy(arena, &live->uses),
		.dead = value_copy(arena, &live->dead),
		.unsupported = value_copy(arena, &live->unsupported),
		.ownership = {arena_copy(arena, live->ownership.lineage), arena_copy(arena, live->ownership.object_id),
			      arena_copy(arena, live->ownership.intent), arena_copy(arena, live->ownership.generation),
			      arena_copy(arena, live->ownership.address), live->ownership.is_stripped},
		.unread_reason = arena_copy(arena, live->unread_reason),
		.unread_hint = arena_copy(arena, live->unread_hint),
	};
}
