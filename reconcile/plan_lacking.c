#include "reconcile/plan_items.h"

/*
 * References to outputs that are not there once the plan is carried out, told when planning: an apply would come to
 * them after it has changed what comes before.
 */

/* What is missing of one value. */
struct lack {
	struct planning *planning;
	const struct item *target; /* of the first output that is; NULL: nothing is */
	const struct output *output;
	const struct field *field; /* by which the spec forgoes it; NULL: it is not there, and nothing brings it */
	bool unsure;		   /* something else is not known yet: nobody can tell whether it is needed */
};

/* The word for a value that says that there is none; NULL: it says no such thing. */
static const char *word_for_nothing(const struct value *value)
{
	if (!value || value_is(value, VALUE_NULL))
		return "not set";
	if (value_is(value, VALUE_BOOL))
		return value->boolean ? NULL : "false";
	if (value_is(value, VALUE_INTEGER))
		return value->integer == 0 ? "0" : NULL;
	return value_is(value, VALUE_LIST) && value->count == 0 ? "empty" : NULL;
}

/* Whether the spec has the field so that there is no such output. */
static bool is_forgone(const struct item *item, const struct output *output, const struct field *field)
{
	bool renewed = item->fields && changes_renew(item->fields->changes, item->fields->count, output);
	struct slice name = slice_of(field->name);

	/* Another change may bring one of somebody else's giving: an elastic address stays. */
	return word_for_nothing(value_get(&item->wanted, name)) &&
	       (!operation_keeps(item->operation) || !renewed || difference_sets(item->fields, name) ||
		difference_sets(item->parts, name));
}

/* The field by which the spec says that there is no such output; NULL: it does not. */
static const struct field *forgone_by(const struct item *item, const struct output *output)
{
	const struct fields *fields = &item->resource->kind->fields;
	const struct field *field = output->needs ? field_named(fields, slice_of(output->needs)) : NULL;

	if (field && is_forgone(item, output, field))
		return field;
	for (const char *const *name = output->ended_by; name && *name; name++) {
		field = field_named(fields, slice_of(*name));
		/* Where it is not given, another one may bring the output about, or the service by itself. */
		if (value_if_set(value_get_named(&item->wanted, *name)) && is_forgone(item, output, field))
			return field;
	}
	return NULL;
}

/* Whether it is as it is after the plan, too. */
static bool is_settled(const struct item *item, const struct output *output)
{
	const struct value *live = item->live ? value_get_named(&item->live->outputs, output->name) : NULL;

	return (item->operation == OPERATION_NONE || item->operation == OPERATION_RECORD) &&
	       !(item->live && item->live->readiness == READY_PENDING) && !(live && value_is(live, VALUE_UNREAD));
}

static const struct value *look(void *context, struct slice address, struct slice name)
{
	struct lack *lack = context;
	const struct value *value = plan_item_output(lack->planning, address, name);
	const struct item *target = plan_item_at(lack->planning, address);
	const struct output *output = target ? output_named(&target->resource->kind->outputs, name) : NULL;

	if (value)
		return value;
	const struct field *field = output ? forgone_by(target, output) : NULL;
	if (!field && (!output || !is_settled(target, output))) {
		lack->unsure = true;
	} else if (!lack->target) {
		lack->target = target;
		lack->output = output;
		lack->field = field;
	}
	return NULL;
}

/* Whether the value, which is deferred, waits for what will not be there, and for nothing else. */
static bool waits_in_vain(const struct value *value, struct lack *lack)
{
	const struct resolver *resolver = lack->planning->input->resolver;
	struct arena *arena = lack->planning->arena;
	struct output_source source = {lack, look};
	struct diagnostics unheard; /* of another mistake is told where the value is used */
	struct value resolved;

	diagnostics_init(&unheard, arena);
	bool good = resolver->resolve(resolver, value, &source, arena, &resolved, &unheard);
	diagnostics_release(&unheard);
	return good && value_has_deferred(&resolved) && lack->target && !lack->unsure;
}

static struct slice describe(const struct lack *lack)
{
	if (lack->field)
		return arena_format(lack->planning->arena, "'%.*s' will have no '%s' as its '%s' is %s",
				    SLICE_ARGUMENTS(lack->target->address), lack->output->name, lack->field->name,
				    word_for_nothing(value_get_named(&lack->target->wanted, lack->field->name)));
	return arena_format(lack->planning->arena, "'%.*s' has no '%s', and nothing in this plan gives it one",
			    SLICE_ARGUMENTS(lack->target->address), lack->output->name);
}

static struct position place_of(const struct item *item, const struct lack *lack)
{
	for (size_t i = 0; i < item->resource->dependency_count; i++) {
		const struct dependency *dependency = &item->resource->dependencies[i];

		if (slice_equal(dependency->address, lack->target->address) &&
		    slice_is(dependency->output, lack->output->name))
			return dependency->position;
	}
	return item->resource->position;
}

static void tell_hint(struct planning *planning, const struct lack *lack)
{
	diag_hint(planning->diagnostics, "leave out what refers to it, or change '%.*s' so that it has one",
		  SLICE_ARGUMENTS(lack->target->address));
}

/* What the spec itself makes impossible is an error; what reality lacks holds up nothing else. */
static void tell_reference(struct planning *planning, const struct item *item, const struct lack *lack)
{
	struct slice what = describe(lack);

	diag_add(planning->diagnostics, lack->field ? SEVERITY_ERROR : SEVERITY_WARNING, FAULT_CONFLICT,
		 place_of(item, lack), "%.*s: '%.*s' needs it", SLICE_ARGUMENTS(what), SLICE_ARGUMENTS(item->address));
	diag_address(planning->diagnostics, item->address);
	tell_hint(planning, lack);
}

/* An expression at a time: another one may stand beside it, of what is known only later. */
static void check_value(struct planning *planning, const struct item *item, const struct value *value)
{
	struct lack lack = {.planning = planning};

	if (!value_has_deferred(value))
		return;
	for (uint32_t i = 0; i < value->count && value_is(value, VALUE_LIST); i++)
		check_value(planning, item, &value->items[i]);
	for (uint32_t i = 0; i < value->count && value_is(value, VALUE_MAP); i++)
		check_value(planning, item, &value->members[i].value);
	if (value_is(value, VALUE_DEFERRED) && waits_in_vain(value, &lack))
		tell_reference(planning, item, &lack);
}

/* Whether an apply works out what the spec says of it. */
static bool is_worked_out(const struct item *item)
{
	return item->resource && item->in_focus && plan_item_acts(item);
}

void plan_tell_lacking(struct planning *planning)
{
	const struct stack *stack = planning->input->stack;

	for (size_t i = 0; i < planning->item_count; i++)
		if (is_worked_out(&planning->items[i]))
			check_value(planning, &planning->items[i], &planning->items[i].resource->desired);
	for (size_t i = 0; i < stack->output_count && !planning->input->destroy; i++) {
		const struct stack_output *output = &stack->outputs[i];
		struct lack lack = {.planning = planning};

		if (!value_has_deferred(&output->value) || !waits_in_vain(&output->value, &lack))
			continue;
		struct slice what = describe(&lack);
		diag_add(planning->diagnostics, SEVERITY_WARNING, FAULT_CONFLICT, output->position,
			 "%.*s: output '%.*s' will have no value", SLICE_ARGUMENTS(what),
			 SLICE_ARGUMENTS(output->name));
		tell_hint(planning, &lack);
	}
}
