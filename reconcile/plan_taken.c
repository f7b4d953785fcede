#include "reconcile/plan_items.h"
#include "reconcile/ranges.h"
#include "reconcile/unique.h"

/*
 * What can exist but once, and something has that stays: nothing new can have it. Two resources that ask for the same
 * in places that the spec names are refused when it is read; here are two by aliases of which only the answer of who is
 * there tells that they lead to one place, and what one asks for and another has without asking, as an address that
 * its spec sets no more, or ignores. Of a range any part exists but once. What goes from one object to another in
 * place, as what it is attached to, nothing keeps from that but that both ask for it, be they there already or not.
 */

/* What a resource asks for that one at a time has, and could hand on. */
struct claim {
	const struct item *by;
	const struct field *field;
	const struct value *value;
};

struct taking {
	struct planning *planning;
	struct map wanted; /* what is to be made, by what it needs for itself alone */
	struct map kinds;  /* of those */
	struct map claims; /* the first claim of each such thing */
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

static void report_claims(struct planning *planning, const struct claim *claim, const struct claim *earlier)
{
	const struct field *field = claim->field->item ? claim->field->item : claim->field;
	bool address = field->type == FIELD_ADDRESS;
	struct slice one = earlier->by->resource->provider, other = claim->by->resource->provider;

	diag_error(planning->diagnostics, FAULT_CONFLICT, claim->value->position,
		   "'%.*s' and '%.*s' have the same %s in '%s', which %s", SLICE_ARGUMENTS(earlier->by->address),
		   SLICE_ARGUMENTS(claim->by->address), address ? "address" : "target", claim->field->name,
		   address ? "one at a time has" : "takes only one of them");
	diag_address(planning->diagnostics, claim->by->address);
	if (!slice_equal(one, other))
		diag_cause(planning->diagnostics,
			   arena_format(planning->arena, "their providers '%.*s' and '%.*s' lead to one place: %.*s",
					SLICE_ARGUMENTS(one), SLICE_ARGUMENTS(other),
					SLICE_ARGUMENTS(identity_told(planning->arena, claim->by->identity))));
	diag_related(planning->diagnostics, earlier->value->position, "the other one is here");
	diag_hint(planning->diagnostics, "leave it to one of them");
}

/* What is made by this plan has no id yet: the reference stands for it. */
static struct value asked_for(struct planning *planning, const struct value *value)
{
	const struct resolver *resolver = planning->input->resolver;
	struct output_source source = {planning, plan_item_output};
	struct diagnostics unsaid;
	struct value resolved = *value;

	if (!value_is(value, VALUE_DEFERRED))
		return *value;
	diagnostics_init(&unsaid, planning->arena);
	bool good = resolver->resolve(resolver, value, &source, planning->arena, &resolved, &unsaid);
	diagnostics_release(&unsaid);
	return good && value_is(&resolved, VALUE_STRING) ? resolved : value_string(value->deferred->text);
}

/*
 * Whether it does not have what its spec says there, and leaves to others: no call gives it that. Where it was not read
 * nobody knows; an undoing has asked before who has what goes back. What is made has all that its spec says.
 */
static bool lacks_ignored(const struct planning *planning, const struct claim *claim, const struct value *value)
{
	const struct item *item = claim->by;
	struct slice name = slice_of(claim->field->name);
	const struct value left = plan_left_to_others(planning, item->resource);
	const struct value *now = item->live ? value_get(&item->live->fields, name) : NULL;

	return item->object && !operation_makes(item->operation) && ignored_has(&left, name) &&
	       !(now && value_holds(now, value));
}

static void claim(struct taking *taking, const struct claim *claim)
{
	const struct item *item = claim->by;
	struct arena *arena = taking->planning->arena;
	const struct value value = asked_for(taking->planning, claim->value);
	struct slice text =
		unique_value(item->resource->kind, claim->field, &value, &item->wanted, item->identity, arena);
	struct claim *kept;

	if (text.size == 0 || lacks_ignored(taking->planning, claim, &value))
		return;
	kept = arena_new(arena, struct claim);
	*kept = *claim;
	const struct claim *earlier = map_add(&taking->claims, text, kept);
	if (earlier && earlier->by != item && (earlier->by->in_focus || item->in_focus))
		report_claims(taking->planning, claim, earlier);
}

static void claim_all(struct taking *taking, const struct item *item)
{
	const struct kind *kind = item->resource->kind;

	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);
		const struct value *value = value_if_set(value_get_named(&item->wanted, field->name));

		if (value && unique_is_handed_on(field))
			claim(taking, &(struct claim){item, field, value});
		for (uint32_t k = 0; value && unique_items(field) && value_is(value, VALUE_LIST) && k < value->count;
		     k++)
			claim(taking, &(struct claim){item, field, &value->items[k]});
	}
}

void plan_tell_taken(struct planning *planning)
{
	struct taking taking = {.planning = planning};

	map_init(&taking.wanted);
	map_init(&taking.kinds);
	map_init(&taking.claims);
	ranges_init(&taking.ranges, planning->arena);
	for (size_t i = 0; i < planning->item_count; i++)
		if (is_made(&planning->items[i]))
			note_wanted(&taking, &planning->items[i]);
	for (size_t i = 0; i < planning->item_count; i++)
		if (planning->items[i].resource && planning->items[i].identity && !planning->items[i].resource->stands)
			claim_all(&taking, &planning->items[i]);
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
	map_release(&taking.claims);
	ranges_release(&taking.ranges);
}
