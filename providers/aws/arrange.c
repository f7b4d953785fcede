#include "providers/aws/aws.h"
#include "providers/aws/work.h"

/*
 * Lists whose items are told apart by what the service calls them, brought into the order of the spec: no service
 * promises to answer in an order.
 */

enum { ITEMS_MOST = 16, NONE = -1 };

struct arranging {
	const struct aws_each *each;
	const struct value *items, *names; /* as the service has them */
	const struct value *wanted;	   /* LIST, or NULL */
	const struct value *recorded;	   /* LIST of names, or NULL */
	bool taken[ITEMS_MOST];
	int order[ITEMS_MOST]; /* which item stands at each place */
};

static const struct value *list_in(const struct value *map, const char *name)
{
	const struct value *list = value_is(map, VALUE_MAP) ? value_get_named(map, name) : NULL;

	return list && value_is(list, VALUE_LIST) ? list : NULL;
}

static void take(struct arranging *arranging, uint32_t place, uint32_t item)
{
	arranging->order[place] = (int)item;
	arranging->taken[item] = true;
}

/* By what a spec may say of an item that no other one has. */
static void match_by_members(struct arranging *arranging)
{
	const struct value *wanted = arranging->wanted;

	for (const char *const *member = arranging->each->told_by; *member; member++) {
		for (uint32_t place = 0; wanted && place < wanted->count && place < arranging->items->count; place++) {
			const struct value *mine = value_get_named(&wanted->items[place], *member);

			for (uint32_t i = 0; mine && arranging->order[place] == NONE && i < arranging->items->count;
			     i++) {
				const struct value *theirs = value_get_named(&arranging->items->items[i], *member);

				if (theirs && !arranging->taken[i] && value_equal(mine, theirs))
					take(arranging, place, i);
			}
		}
	}
}

static void match_by_names(struct arranging *arranging)
{
	const struct value *recorded = arranging->recorded, *names = arranging->names;

	for (uint32_t place = 0; recorded && place < recorded->count && place < names->count; place++)
		for (uint32_t i = 0; arranging->order[place] == NONE && i < names->count; i++)
			if (!arranging->taken[i] && value_equal(&recorded->items[place], &names->items[i]))
				take(arranging, place, i);
}

static void fill_up(struct arranging *arranging)
{
	uint32_t next = 0;

	for (uint32_t place = 0; place < arranging->items->count; place++) {
		if (arranging->order[place] != NONE)
			continue;
		while (arranging->taken[next])
			next++;
		take(arranging, place, next);
	}
}

static struct value in_order(const struct arranging *arranging, const struct value *list, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t place = 0; place < list->count; place++)
		value_builder_item(&builder, list->items[arranging->order[place]]);
	return value_builder_list(&builder, arena);
}

static void arrange_field(const struct aws_field *field, struct live *live, const struct value *wanted,
			  const struct value *outputs, struct arena *arena)
{
	struct arranging arranging = {
		.each = field->each,
		.items = list_in(&live->fields, field->field.name),
		.names = list_in(&live->outputs, field->each->names_output),
		.wanted = list_in(wanted, field->field.name),
		.recorded = list_in(outputs, field->each->names_output),
	};

	if (!arranging.items || !arranging.names || arranging.items->count != arranging.names->count ||
	    arranging.items->count > ITEMS_MOST)
		return;
	for (uint32_t place = 0; place < arranging.items->count; place++)
		arranging.order[place] = NONE;
	match_by_members(&arranging);
	match_by_names(&arranging);
	fill_up(&arranging);
	live->fields = value_with(&live->fields, slice_of(field->field.name),
				  in_order(&arranging, arranging.items, arena), arena);
	live->outputs = value_with(&live->outputs, slice_of(field->each->names_output),
				   in_order(&arranging, arranging.names, arena), arena);
}

void aws_arrange(const struct kind *kind, struct live *live, const struct value *wanted, const struct value *outputs,
		 struct arena *arena)
{
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->fields, i);

		if (field->each && field->each->names_output)
			arrange_field(field, live, wanted, outputs, arena);
	}
}
