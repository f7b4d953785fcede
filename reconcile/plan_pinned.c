#include "reconcile/plan_items.h"

/*
 * Versions that a spec names by number, and that their object will not have: what is made anew has but the first. An
 * apply would find that out only after it has made the object.
 */

/* What a reference leads to, where that is one thing alone. */
struct leading {
	struct planning *planning;
	const struct item *target;
	size_t count;
};

static const struct value *note_target(void *context, struct slice address, struct slice name)
{
	struct leading *leading = context;

	(void)name;
	leading->target = plan_item_at(leading->planning, address);
	leading->count++;
	return NULL;
}

/* NULL: it is not of this stack, or nobody knows. */
static const struct item *target_of(struct planning *planning, const struct value *reference)
{
	const struct resolver *resolver = planning->input->resolver;
	struct leading leading = {.planning = planning};
	struct output_source source = {&leading, note_target};
	struct diagnostics unheard;
	struct value resolved;

	if (!reference || !value_is(reference, VALUE_DEFERRED))
		return NULL;
	diagnostics_init(&unheard, planning->arena);
	bool good = resolver->resolve(resolver, reference, &source, planning->arena, &resolved, &unheard);
	diagnostics_release(&unheard);
	return good && leading.count == 1 ? leading.target : NULL;
}

/* The last number that the output will have come to; 0: nobody knows. */
static int64_t last_number(struct planning *planning, const struct item *target, const struct output *output)
{
	bool is_read = target->live && target->live->presence == PRESENCE_PRESENT;
	const struct value *now = is_read ? value_get_named(&target->live->outputs, output->name) : NULL;
	int64_t number = 0;

	if (plan_is_new_for_certain(target) && target->in_focus)
		return 1;
	if (operation_makes(target->operation) || target->operation == OPERATION_INCOMPLETE ||
	    target->operation == OPERATION_CONFLICT)
		return 0;
	if (!target->live && target->object && plan_load_body(planning, target->object))
		now = value_get_named(&target->object->outputs, output->name);
	if (!now || !value_is(now, VALUE_STRING) || !slice_integer(value_slice(now), &number))
		return 0;
	return number + (target->fields && changes_renew(target->fields->changes, target->fields->count, output));
}

static void report(struct planning *planning, const struct item *item, const struct field *field,
		   const struct value *given, const struct item *target, int64_t last)
{
	bool is_new = plan_is_new_for_certain(target);
	struct slice numbers =
		last == 1 ? SLICE("1") : arena_format(planning->arena, "a number from 1 to %lld", (long long)last);

	diag_error(planning->diagnostics, FAULT_CONFLICT, given->position,
		   "'%s' cannot be %.*s: '%.*s' %s %lld as its '%s'", field->name,
		   SLICE_ARGUMENTS(value_shown(given, SIZE_MAX)), SLICE_ARGUMENTS(target->address),
		   is_new ? "is made anew, with" : "will have no more than", (long long)last, field->output);
	diag_address(planning->diagnostics, item->address);
	diag_hint(planning->diagnostics, "write %.*s, or leave '%s' out, so that it follows the latest",
		  SLICE_ARGUMENTS(numbers), field->name);
}

static void check_fields(struct planning *planning, const struct item *item, const struct fields *fields,
			 const struct value *given);

static void check_value(struct planning *planning, const struct item *item, const struct field *field,
			const struct value *given)
{
	if (field->type == FIELD_OBJECT && value_is(given, VALUE_MAP))
		check_fields(planning, item, &field->members, given);
	for (uint32_t i = 0; field->item && value_is(given, VALUE_LIST) && i < given->count; i++)
		check_value(planning, item, field->item, &given->items[i]);
}

/* given: MAP; what refers to a version stands beside what refers to the thing. */
static void check_number(struct planning *planning, const struct item *item, const struct field *field,
			 const struct value *given, const struct value *value)
{
	int64_t number = 0, last = 0;

	if (!field->follows || !value_is(value, VALUE_STRING) || !slice_integer(value_slice(value), &number))
		return;
	const struct item *target = target_of(planning, value_get_named(given, field->follows));
	const struct output *output =
		target ? output_named(&target->resource->kind->outputs, slice_of(field->output)) : NULL;
	if (output && output->counts)
		last = last_number(planning, target, output);
	if (last > 0 && number > last)
		report(planning, item, field, value, target, last);
}

static void check_fields(struct planning *planning, const struct item *item, const struct fields *fields,
			 const struct value *given)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct value *value = value_if_set(value_get_named(given, field->name));

		if (!value)
			continue;
		check_number(planning, item, field, given, value);
		check_value(planning, item, field, value);
	}
}

void plan_tell_pinned(struct planning *planning)
{
	for (size_t i = 0; i < planning->item_count; i++) {
		const struct item *item = &planning->items[i];

		if (item->resource && item->in_focus && plan_item_acts(item))
			check_fields(planning, item, &item->resource->kind->fields, &item->resource->desired);
	}
}
