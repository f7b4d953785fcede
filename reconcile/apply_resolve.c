#include "reconcile/apply_parts.h"
#include "reconcile/schema.h"

/* What the actions set, once the outputs that it refers to are known. */

/* What is yet to be replaced has no outputs that last: whoever set them would set what is about to go. */
static bool is_to_be_replaced(const struct target *target)
{
	return target->action->operation == OPERATION_REPLACE && target->current == target->old;
}

/* What the plan has read of what the target stands for; NULL: nothing that still holds. */
static const struct live *live_seen(const struct target *target)
{
	if (target->noted || !target->has_now || target->current != target->old)
		return NULL;
	return &target->now;
}

/* What the plan was made with: it may have moved since it was recorded, and of a secret the record tells nothing. */
static const struct value *output_seen(const struct live *live, struct slice name)
{
	if (!live || live->presence != PRESENCE_PRESENT || !value_is(&live->outputs, VALUE_MAP))
		return NULL;
	const struct value *seen = value_get(&live->outputs, name);
	return seen && !value_is(seen, VALUE_UNREAD) ? seen : NULL;
}

struct object *applying_object_at(const struct applying *applying, struct slice address)
{
	const struct target *target = map_get(&applying->by_address, address);
	const struct recorded *recorded = target ? NULL : map_get(&applying->objects, address);
	if (target)
		return target->current;
	return recorded ? recorded->object : NULL;
}

/* Value of an output as it is now; for resolving. */
static const struct value *applying_output(void *context, struct slice address, struct slice name)
{
	struct applying *applying = context;
	const struct target *target = map_get(&applying->by_address, address);
	const struct recorded *recorded = target ? NULL : map_get(&applying->objects, address);
	struct object *object = applying_object_at(applying, address);
	if (!object || object->provider_id.size == 0 || (target && is_to_be_replaced(target)))
		return NULL;
	if (!object->has_body &&
	    !applying->apply->load_body(applying->apply->load_context, object, applying->diagnostics))
		return NULL;
	const struct value *seen = output_seen(target ? live_seen(target) : recorded->live, name);
	return seen ? seen : value_get(&object->outputs, name);
}

/* Whether a field that is needed now still waits; a part may, until its own phase comes. */
static bool waits(const struct kind *kind, const struct value *fields, bool with_parts)
{
	for (uint32_t i = 0; i < fields->count; i++) {
		const struct field *field = field_named(&kind->fields, value_slice(&fields->members[i].key));
		bool part = field && (field->flags & SETTLES);
		if ((with_parts || !part) && value_has_deferred(&fields->members[i].value))
			return true;
	}
	return false;
}

/* What is made of a secret output cannot be made of its fingerprint. */
static bool refuse_sealed(const struct target *target, const struct dependency *dependency,
			  struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_UNREAD, dependency->position,
		   "'%.*s' of '%.*s' is a secret that was not read, and '%.*s' needs it",
		   SLICE_ARGUMENTS(dependency->output), SLICE_ARGUMENTS(dependency->address),
		   SLICE_ARGUMENTS(target->action->address));
	diag_hint(diagnostics, "only its fingerprint is recorded: run again once it can be read");
	diag_address(diagnostics, target->action->address);
	return false;
}

/* Names the first output that the fields need and that its object does not have, where the spec refers to it. */
static bool refuse_lacking(const struct target *target, bool with_parts, struct diagnostics *diagnostics)
{
	const struct action *action = target->action;
	for (size_t i = 0; i < action->wanted_count; i++) {
		const struct dependency *dependency = &action->wanted[i];
		struct slice address = dependency->address, output = dependency->output;
		bool waits_yet = !with_parts && dependency->binding == BINDS_SETTLE;
		if (output.size == 0 || waits_yet)
			continue;
		const struct value *value = applying_output(target->applying, address, output);
		if (value && value_has_fingerprint(value))
			return refuse_sealed(target, dependency, diagnostics);
		if (value)
			continue;
		diag_error(diagnostics, FAULT_CONFLICT, dependency->position,
			   "'%.*s' has no '%.*s', which '%.*s' needs", SLICE_ARGUMENTS(address),
			   SLICE_ARGUMENTS(output), SLICE_ARGUMENTS(action->address));
		diag_hint(diagnostics, "leave out what refers to it, or change '%.*s' so that it has one",
			  SLICE_ARGUMENTS(address));
		diag_address(diagnostics, action->address);
		return false;
	}
	return diag_error(diagnostics, FAULT_INTERNAL, action->position,
			  "'%.*s' still waits for an output after all it refers to was made",
			  SLICE_ARGUMENTS(action->address));
}

bool target_resolve(struct target *target, bool with_parts, struct diagnostics *diagnostics)
{
	const struct apply *apply = target->applying->apply;
	const struct action *action = target->action;
	struct output_source source = {target->applying, applying_output};
	size_t told = diagnostics->count;
	struct value resolved;
	if (target->resolved)
		return true;
	if (!apply->resolver->resolve(apply->resolver, &action->desired, &source, apply->arena, &resolved, diagnostics))
		return false;
	if (waits(action->kind, &resolved, with_parts))
		return refuse_lacking(target, with_parts, diagnostics);
	bool good = schema_check(action->kind, &resolved, apply->arena, &target->desired, diagnostics);
	for (size_t i = told; i < diagnostics->count; i++)
		diagnostics->items[i].address = action->address;
	if (!good)
		return false;
	/* Before a phase of their own, parts may name what is yet to be replaced, the object itself included. */
	target->resolved = with_parts && !value_has_deferred(&target->desired);
	return true;
}
