#include "reconcile/plan_items.h"
#include "reconcile/ranges.h"
#include "reconcile/unique.h"

/*
 * What can exist but once, and something has that stays: nothing new can have it. Two resources that ask for the same
 * in places that the spec names are refused when it is read; here are two by aliases of which only the answer of who is
 * there tells that they lead to one place, and what one asks for and another has without asking, as an address that
 * its spec sets no more, or ignores. Of a range any part exists but once.
 */

struct taking {
	struct planning *planning;
	struct map wanted; /* what is to be made, by what it needs for itself alone */
	struct map kinds;  /* of those */
	struct ranges
		ranges; /* of those, each of which has it from then on, and of others; by the number of the item */
};

static bool is_made(const struct item *item)
{
	return item->resource && item->in_focus && operation_makes(item->operation);
}

static void report_both(struct planning *planning, const struct item *item, const struct item *earlier,
			const struct field *field)
{
	const char *scope = unique_scope(field);
	const struct value *value = value_get_named(&item->wanted, field->name);
	bool differ = ranges_differ(value, value_get_named(&earlier->wanted, field->name));

	diag_error(planning->diagnostics, FAULT_CONFLICT, value->position, "'%.*s' and '%.*s' %s '%s', %s once in a %s",
		   SLICE_ARGUMENTS(earlier->address), SLICE_ARGUMENTS(item->address),
		   differ ? "overlap in their" : "have the same", field->name,
		   differ ? "of which any part exists" : "which exists", scope ? scope : "region");
	diag_address(planning->diagnostics, item->address);
	diag_related(planning->diagnostics, value_get_named(&earlier->wanted, field->name)->position,
		     "the other one is here");
	diag_hint(planning->diagnostics, "give one of them another '%s'", field->name);
}

static void note_range(struct taking *taking, const struct item *item, const struct field *field,
		       const struct value *fields, const struct identity *place, bool wanted)
{
	const struct ranged ranged = {.owner = (size_t)(item - taking->planning->items),
				      .wanted = wanted,
				      .field = field,
				      .value = value_get_named(fields, field->name)};

	(void)ranges_add(&taking->ranges, item->resource->kind, fields, place, ranged);
}

static void note_wanted(struct taking *taking, struct item *item)
{
	const struct kind *kind = item->resource->kind;
	const struct item *earlier;

	for (size_t i = 0; item->identity && i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		struct slice text = unique_is_kept(field) ? unique_text(kind, field, &item->wanted, item->identity,
									taking->planning->arena)
							  : (struct slice){0};

		if (text.size == 0)
			continue;
		earlier = map_add(&taking->wanted, text, item);
		if (earlier)
			report_both(taking->planning, item, earlier, field);
		note_range(taking, item, field, &item->wanted, item->identity, true);
		note_range(taking, item, field, &item->wanted, item->identity, false);
		map_set(&taking->kinds, slice_of(kind->name), item);
	}
}

static void report(struct planning *planning, const struct item *maker, const struct item *holder,
		   const struct field *field)
{
	const struct value *value = value_get_named(&maker->wanted, field->name);
	const struct value *held = value_get_named(&holder->live->fields, field->name);

	diag_error(planning->diagnostics, FAULT_CONFLICT, value->position,
		   "'%.*s' cannot have '%.*s' as its '%s': '%.*s' has %.*s, and keeps it under this plan",
		   SLICE_ARGUMENTS(maker->address), SLICE_ARGUMENTS(value_shown(value, SIZE_MAX)), field->name,
		   SLICE_ARGUMENTS(holder->address),
		   SLICE_ARGUMENTS(ranges_differ(value, held) ? value_shown(held, SIZE_MAX) : SLICE("it")));
	diag_address(planning->diagnostics, maker->address);
	diag_hint(planning->diagnostics, "take another one, or have '%.*s' replaced first",
		  SLICE_ARGUMENTS(holder->address));
}

/* Those that are equal are told already. */
static void look_at_range(void *context, const struct ranged *had, const struct ranged *wanted)
{
	struct taking *taking = context;
	const struct item *holder = &taking->planning->items[had->owner];
	const struct item *maker = &taking->planning->items[wanted->owner];

	if (!ranges_differ(had->value, wanted->value))
		return;
	if (!is_made(holder))
		report(taking->planning, maker, holder, had->field);
	else if (had->owner < wanted->owner)
		report_both(taking->planning, maker, holder, had->field);
}

static void look_at_holder(struct taking *taking, const struct item *holder)
{
	const struct kind *kind = holder->resource->kind;

	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		struct slice text = unique_is_kept(field)
					    ? unique_text(kind, field, &holder->live->fields, &holder->object->identity,
							  taking->planning->arena)
					    : (struct slice){0};
		const struct item *maker = text.size > 0 ? map_get(&taking->wanted, text) : NULL;

		if (maker)
			report(taking->planning, maker, holder, field);
		if (text.size > 0)
			note_range(taking, holder, field, &holder->live->fields, &holder->object->identity, false);
	}
}

void plan_tell_taken(struct planning *planning)
{
	struct taking taking = {.planning = planning};

	map_init(&taking.wanted);
	map_init(&taking.kinds);
	ranges_init(&taking.ranges, planning->arena);
	for (size_t i = 0; i < planning->item_count; i++)
		if (is_made(&planning->items[i]))
			note_wanted(&taking, &planning->items[i]);
	for (size_t i = 0; taking.wanted.count > 0 && i < planning->item_count; i++) {
		const struct item *item = &planning->items[i];
		bool is_there =
			item->resource && item->object && item->live && item->live->presence == PRESENCE_PRESENT;

		if (is_there && !is_made(item) && map_get(&taking.kinds, slice_of(item->resource->kind->name)))
			look_at_holder(&taking, item);
	}
	ranges_meet(&taking.ranges, look_at_range, &taking);
	map_release(&taking.wanted);
	map_release(&taking.kinds);
	ranges_release(&taking.ranges);
}
