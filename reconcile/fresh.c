#include "reconcile/fresh.h"

/* When something was made, or changed. */
struct freshness {
	int64_t since_ms;
};

void fresh_note(struct map *fresh, struct slice text, int64_t since_ms, struct arena *arena)
{
	if (text.size == 0)
		return;
	struct freshness *known = map_get(fresh, text);
	if (!known) {
		known = arena_new(arena, struct freshness);
		known->since_ms = since_ms;
		map_set(fresh, text, known);
	} else if (known->since_ms < since_ms) {
		known->since_ms = since_ms;
	}
}

static void look_up(const struct map *fresh, struct slice text, int64_t *latest_ms)
{
	const struct freshness *known = map_get(fresh, text);
	if (known && known->since_ms > *latest_ms)
		*latest_ms = known->since_ms;
}

static void search(const struct map *fresh, const struct value *value, int64_t *latest_ms)
{
	if (value_is(value, VALUE_MAP)) {
		for (uint32_t i = 0; i < value->count; i++)
			search(fresh, &value->members[i].value, latest_ms);
	} else if (value_is(value, VALUE_LIST)) {
		for (uint32_t i = 0; i < value->count; i++)
			search(fresh, &value->items[i], latest_ms);
	} else if (value_is(value, VALUE_STRING)) {
		/* Auto Scaling takes subnets as one text. */
		struct slice rest = value_slice(value);
		while (rest.size > 0)
			look_up(fresh, slice_cut(&rest, ','), latest_ms);
	}
}

int64_t fresh_age_ms(const struct map *fresh, const struct value *parameters, int64_t now_ms)
{
	int64_t latest_ms = INT64_MIN;
	search(fresh, parameters, &latest_ms);
	return latest_ms == INT64_MIN ? INT64_MAX : now_ms - latest_ms;
}
