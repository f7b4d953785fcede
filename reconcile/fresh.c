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

struct search {
	const struct map *fresh;
	fresh_counts *counts;
	void *context;
	int64_t latest_ms;	   /* of all */
	int64_t latest_counted_ms; /* of those that count */
	bool any_counts;
};

static void look_up(struct search *search, struct slice text)
{
	const struct freshness *known = map_get(search->fresh, text);
	bool counts = search->counts(search->context, text);

	search->any_counts |= counts;
	if (known && known->since_ms > search->latest_ms)
		search->latest_ms = known->since_ms;
	if (known && counts && known->since_ms > search->latest_counted_ms)
		search->latest_counted_ms = known->since_ms;
}

static void look_within(struct search *search, const struct value *value)
{
	if (value_is(value, VALUE_MAP)) {
		for (uint32_t i = 0; i < value->count; i++)
			look_within(search, &value->members[i].value);
	} else if (value_is(value, VALUE_LIST)) {
		for (uint32_t i = 0; i < value->count; i++)
			look_within(search, &value->items[i]);
	} else if (value_is(value, VALUE_STRING)) {
		/* Auto Scaling takes subnets as one text. */
		struct slice rest = value_slice(value);
		while (rest.size > 0)
			look_up(search, slice_cut(&rest, ','));
	}
}

int64_t fresh_age_ms(const struct map *fresh, const struct value *parameters, int64_t now_ms, fresh_counts *counts,
		     void *context)
{
	struct search search = {fresh, counts, context, INT64_MIN, INT64_MIN, false};

	look_within(&search, parameters);
	const int64_t latest_ms = search.any_counts ? search.latest_counted_ms : search.latest_ms;

	return latest_ms == INT64_MIN ? INT64_MAX : now_ms - latest_ms;
}
