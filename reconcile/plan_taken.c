#include <string.h>

#include "reconcile/own_items.h"
#include "reconcile/plan_items.h"
#include "reconcile/ranges.h"
#include "reconcile/unique.h"

/*
 * What can exist but once, and something has that stays: nothing else can have it. Two resources that ask for the same
 * in places that the spec names are refused when it is read; here are two by aliases of which only the answer of who is
 * there tells that they lead to one place, and what one asks for and another has without asking, as what its spec sets
 * no more, or ignores. What is made asks for its names, ranges and addresses, and all else keeps those that were read
 * of it; of a range any part exists but once. What goes from one object to another in place, as what it is attached to
 * or the range of a tunnel, whoever has it in its spec asks for; else it stays where it was read, unless a change takes
 * it away.
 */

/* What a resource asks for that one at a time has. */
struct claim {
	const struct item *by;
	const struct field *field; /* or a member of its items */
	struct value value;
};

struct taking {
	struct planning *planning;
	struct map claims; /* the first claim of each such thing */
	struct map kinds;  /* of what asks for any */
	/* Of what is made, each of which has it from then on, and of others; by the number of the item. */
	struct ranges ranges;
};

static void report_both(struct planning *planning, const struct claim *claim, const struct claim *earlier)
{
	const struct field *field = claim->field;
	const char *scope = unique_scope(field);
	bool differ = ranges_differ(&claim->value, &earlier->value);

	diag_error(planning->diagnostics, FAULT_CONFLICT, claim->value.position,
		   "'%.*s' and '%.*s' %s '%s', %s once in a %s", SLICE_ARGUMENTS(earlier->by->address),
		   SLICE_ARGUMENTS(claim->by->address), differ ? "overlap in their" : "have the same", field->name,
		   differ ? "of which any part exists" : "which exists", scope ? scope : "region");
	diag_address(planning->diagnostics, claim->by->address);
	diag_related(planning->diagnostics, earlier->value.position, "the other one is here");
	diag_hint(planning->diagnostics, "give one of them another '%s'", field->name);
}

static void note_range(struct taking *taking, const struct item *item, const struct field *field,
		       const struct value *value, const struct value *fields, const struct identity *place, bool wanted)
{
	const struct ranged ranged = {
		.owner = (size_t)(item - taking->planning->items), .wanted = wanted, .field = field, .value = value};

	(void)ranges_add(&taking->ranges, item->resource->kind, fields, place, ranged);
}

/* What an object keeps until it is gone another can have once it is made anew: with another value, which its spec has
 * to say, as nothing else asks for that. */
static void hint_at_holder(struct planning *planning, const struct item *holder, const struct field *top,
			   const struct field *own)
{
	const struct value left = plan_left_to_others(planning, holder->resource);
	struct slice address = holder->address, within = {NULL, 0};

	if (own != top)
		within = arena_format(planning->arena, " in its '%s'", top->name);
	if (ignored_has(&left, slice_of(top->name)))
		diag_hint(planning->diagnostics,
			  "take another one, or take '%s' out of 'lifecycle.ignore' of '%.*s', and give that another "
			  "'%s'%.*s, with which it is made anew",
			  top->name, SLICE_ARGUMENTS(address), own->name, SLICE_ARGUMENTS(within));
	else
		diag_hint(planning->diagnostics,
			  "take another one, or give '%.*s' another '%s'%.*s, with which it is made anew",
			  SLICE_ARGUMENTS(address), own->name, SLICE_ARGUMENTS(within));
}

/* own: the field of the holder's that has it, or a member within the items of top. */
static void report(struct planning *planning, const struct claim *claim, const struct item *holder,
		   const struct field *top, const struct field *own, const struct value *held)
{
	const struct field *field = claim->field;

	diag_error(planning->diagnostics, FAULT_CONFLICT, claim->value.position,
		   "'%.*s' cannot have '%.*s' as its '%s': '%.*s' has %.*s, and keeps it under this plan",
		   SLICE_ARGUMENTS(claim->by->address), SLICE_ARGUMENTS(value_shown(&claim->value, SIZE_MAX)),
		   field->name, SLICE_ARGUMENTS(holder->address),
		   SLICE_ARGUMENTS(ranges_differ(&claim->value, held) ? value_shown(held, SIZE_MAX) : SLICE("it")));
	diag_address(planning->diagnostics, claim->by->address);
	if (unique_is_kept(own))
		hint_at_holder(planning, holder, top, own);
	else
		plan_hint_at_kept(planning, holder, holder->object, top);
}

/* Those that are equal are told already. */
static void look_at_range(void *context, const struct ranged *had, const struct ranged *wanted)
{
	struct taking *taking = context;
	const struct item *holder = &taking->planning->items[had->owner];
	const struct item *maker = &taking->planning->items[wanted->owner];
	const struct claim claim = {maker, wanted->field, *wanted->value};

	if (!ranges_differ(had->value, wanted->value))
		return;
	if (!plan_is_to_be_made(holder))
		report(taking->planning, &claim, holder, had->field, had->field, had->value);
	else if (had->owner < wanted->owner)
		report_both(taking->planning, &claim, &(struct claim){holder, had->field, *had->value});
}

static void report_claims(struct planning *planning, const struct claim *claim, const struct claim *earlier)
{
	const struct unique_words words = unique_words(claim->field);
	struct slice one = earlier->by->resource->provider, other = claim->by->resource->provider;

	diag_error(planning->diagnostics, FAULT_CONFLICT, claim->value.position,
		   "'%.*s' and '%.*s' have the same %s in '%s', which %s", SLICE_ARGUMENTS(earlier->by->address),
		   SLICE_ARGUMENTS(claim->by->address), words.what, claim->field->name, words.why);
	diag_address(planning->diagnostics, claim->by->address);
	if (!slice_equal(one, other))
		diag_cause(planning->diagnostics,
			   arena_format(planning->arena, "their providers '%.*s' and '%.*s' lead to one place: %.*s",
					SLICE_ARGUMENTS(one), SLICE_ARGUMENTS(other),
					SLICE_ARGUMENTS(identity_told(planning->arena, claim->by->identity))));
	diag_related(planning->diagnostics, earlier->value.position, "the other one is here");
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

static bool is_handed_on(const struct field *field)
{
	return unique_is_handed_on(field) || unique_items(field) || unique_members(field);
}

/* Whether the plan has the field be as its spec says. What is made has it so though it is left to others. */
static bool is_set(const struct planning *planning, const struct item *item, const struct field *field)
{
	if (!value_if_set(value_get_named(&item->wanted, field->name)))
		return false;
	if (!item->object || operation_makes(item->operation))
		return true;
	const struct value left = plan_left_to_others(planning, item->resource);
	return !ignored_has(&left, slice_of(field->name));
}

/* One field of an item while what is unique in it is looked at. */
struct look {
	struct taking *taking;
	struct item *item;
	const struct field *top;
};

static void visit_values(struct taking *taking, struct item *item, const struct field *field,
			 const struct value *fields, unique_found *visit)
{
	struct look look = {taking, item, field};

	unique_each(field, fields, visit, &look);
}

static void note_claim(void *context, const struct field *field, const struct value *value, const struct value *fields)
{
	const struct look *look = context;
	struct taking *taking = look->taking;
	struct item *item = look->item;
	struct arena *arena = taking->planning->arena;
	struct claim *claim = arena_new(arena, struct claim);
	const struct claim *earlier;

	if (unique_is_kept(field) && !plan_is_to_be_made(item))
		return;
	const struct value asked = unique_is_kept(field) ? *value : asked_for(taking->planning, value);
	*claim = (struct claim){item, field, value_at(asked, value->position)};
	struct slice text = unique_value(item->resource->kind, field, &claim->value, fields, item->identity, arena);
	if (text.size == 0)
		return;
	map_mark(&taking->kinds, slice_of(item->resource->kind->name));
	earlier = map_add(&taking->claims, text, claim);
	bool concerns = earlier && earlier->by != item && (earlier->by->in_focus || item->in_focus);
	if (concerns && (unique_is_kept(field) || field != look->top))
		report_both(taking->planning, claim, earlier);
	else if (concerns)
		report_claims(taking->planning, claim, earlier);
	if (!unique_is_kept(field))
		return;
	note_range(taking, item, field, value, fields, item->identity, true);
	note_range(taking, item, field, value, fields, item->identity, false);
}

static void claim_all(struct taking *taking, struct item *item)
{
	const struct fields *fields = &item->resource->kind->fields;

	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);

		if ((unique_is_kept(field) && plan_is_to_be_made(item)) ||
		    (is_handed_on(field) && !item->resource->stands && is_set(taking->planning, item, field)))
			visit_values(taking, item, field, &item->wanted, note_claim);
	}
}

/* What was given to another behind our back is taken back from there, where it is recorded as the object's own. */
static bool is_taken_back(struct planning *planning, const struct claim *claim)
{
	struct object *object = claim->by->object;
	struct own_items own;

	if (!object || !unique_items(claim->field) || operation_makes(claim->by->operation) ||
	    !plan_load_body(planning, object))
		return false;
	own_items_init(&own, object, claim->field, planning->arena);
	bool is_own = own_items_have(&own, &claim->value);
	own_items_release(&own);
	return is_own;
}

/* Whether a change of the list gives another value to the member of the item that has this one. An item in which the
 * spec does not set it keeps it. */
static bool gives_another(const struct change *change, const struct field *member, const struct value *value)
{
	const struct value *before = &change->before, *after = &change->after;

	if (!value_is(after, VALUE_LIST))
		return true;
	for (uint32_t i = 0; value_is(before, VALUE_LIST) && i < before->count && i < after->count; i++) {
		const struct value *was = value_get_named(&before->items[i], member->name);
		const struct value *is = value_if_set(value_get_named(&after->items[i], member->name));

		if (is && was && value_equal(was, value))
			return !value_equal(is, value);
	}
	return false;
}

/* The same as plan_item_keeps(), of what is in an item: a range in one of a list also goes with its object to another
 * place. */
static bool keeps_member(const struct look *look, const struct field *member, const struct value *value)
{
	const struct item *item = look->item;
	const struct difference *fields = item->in_focus && operation_keeps(item->operation) ? item->fields : NULL;

	for (size_t i = 0; fields && !unique_is_kept(member) && i < fields->count; i++) {
		const struct change *change = &fields->changes[i];
		const char *name = change->effect == EFFECT_SET && change->field ? change->field->name : "";

		if (strcmp(name, look->top->name) == 0 && gives_another(change, member, value))
			return false;
		if (strcmp(name, member->range_parent) == 0 ||
		    (member->range_parent_id && strcmp(name, member->range_parent_id) == 0))
			return false;
	}
	return true;
}

static void look_at_held(void *context, const struct field *field, const struct value *value,
			 const struct value *fields)
{
	const struct look *look = context;
	struct taking *taking = look->taking;
	struct item *item = look->item;
	struct planning *planning = taking->planning;
	const struct identity *place = &item->object->identity;
	struct slice text = unique_value(item->resource->kind, field, value, fields, place, planning->arena);
	const struct claim *claim = text.size > 0 ? map_get(&taking->claims, text) : NULL;

	if (claim && claim->by != item && (claim->by->in_focus || item->in_focus) &&
	    (field != look->top ? keeps_member(look, field, value) : plan_item_keeps(item, field, value)) &&
	    !is_taken_back(planning, claim))
		report(planning, claim, item, look->top, field, value);
	if (text.size > 0 && unique_is_kept(field))
		note_range(taking, item, field, value, fields, place, false);
}

/* What is there, and stays, has what its spec does not say as it was read. */
static void look_at_holder(struct taking *taking, struct item *item)
{
	const struct kind *kind = item->resource->kind;

	if (!item->object || !item->live || item->live->presence != PRESENCE_PRESENT || plan_is_to_be_made(item) ||
	    !map_has(&taking->kinds, slice_of(kind->name)))
		return;
	const struct value *had = plan_had(taking->planning, kind, item->object, &item->live->fields);

	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);

		/* Of a list the spec may have an item that leaves a member as it is. */
		if (unique_is_kept(field) || unique_members(field) ||
		    (is_handed_on(field) && !is_set(taking->planning, item, field)))
			visit_values(taking, item, field, had, look_at_held);
	}
}

void plan_tell_taken(struct planning *planning)
{
	struct taking taking = {.planning = planning};

	map_init(&taking.claims);
	map_init(&taking.kinds);
	ranges_init(&taking.ranges, planning->arena);
	for (size_t i = 0; i < planning->item_count; i++)
		if (planning->items[i].resource && planning->items[i].identity)
			claim_all(&taking, &planning->items[i]);
	for (size_t i = 0; taking.claims.count > 0 && i < planning->item_count; i++)
		if (planning->items[i].resource)
			look_at_holder(&taking, &planning->items[i]);
	ranges_meet(&taking.ranges, look_at_range, &taking);
	map_release(&taking.claims);
	map_release(&taking.kinds);
	ranges_release(&taking.ranges);
}
