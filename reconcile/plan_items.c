#include "reconcile/plan_items.h"

#include "reconcile/unique.h"

/* What the parts of planning share: the items of a plan, their order, what is known of them, and words about them. */

struct item *plan_item_at(struct planning *planning, struct slice address)
{
	/* Neighbours mostly refer to the same resource. */
	if (!planning->last_address.data || !slice_equal(address, planning->last_address)) {
		const struct resource *resource = planning->addresses ? map_get(planning->addresses, address) : NULL;
		planning->last_item = resource ? &planning->items[resource - planning->input->stack->resources] : NULL;
		planning->last_address = address;
	}
	return planning->last_item;
}

/*
 * Depth first along make references, without recursion: a chain of references may be as
 * long as the spec. The loader has refused cycles; one that slips through is cut where it
 * closes, and the graph of the apply reports it.
 */
void plan_items_order(struct planning *planning)
{
	struct frame {
		struct item *item;
		size_t next;
	} *stack = arena_new_array(planning->arena, planning->item_count + 1, struct frame);
	planning->order = arena_new_array(planning->arena, planning->item_count + 1, struct item *);
	for (size_t i = 0; i < planning->item_count; i++) {
		size_t depth = 0;
		if (!planning->items[i].resource || planning->items[i].visit)
			continue;
		planning->items[i].visit = 1;
		stack[depth++] = (struct frame){&planning->items[i], 0};
		while (depth > 0) {
			struct frame *top = &stack[depth - 1];
			if (top->next == top->item->resource->dependency_count) {
				planning->order[planning->order_count++] = top->item;
				depth--;
				continue;
			}
			const struct dependency *dependency = &top->item->resource->dependencies[top->next++];
			if (dependency->binding == BINDS_SETTLE)
				continue;
			struct item *target = plan_item_at(planning, dependency->address);
			if (target && target->resource && !target->visit) {
				target->visit = 1;
				stack[depth++] = (struct frame){target, 0};
			}
		}
	}
}

/* What is recorded elsewhere, and was read there, would have to move: nobody knows where to. */
void plan_items_silence(struct planning *planning)
{
	const struct stack *stack = planning->input->stack;
	for (size_t i = 0; planning->input->silences && i < stack->provider_count; i++) {
		if (!planning->input->silences[i])
			continue;
		struct live *live = arena_new(planning->arena, struct live);
		live->presence = PRESENCE_UNREAD;
		live->unread_reason = slice_of(planning->input->silences[i]);
		for (size_t k = 0; k < planning->item_count; k++)
			if (slice_equal(planning->items[k].resource->provider, stack->providers[i].name))
				planning->items[k].live = live;
	}
}

bool plan_load_body(struct planning *planning, struct object *object)
{
	if (!object || object->has_body)
		return true;
	return planning->input->load_body(planning->input->context, object, planning->diagnostics);
}

const size_t *plan_object_at(struct planning *planning, struct slice address)
{
	const struct plan_input *input = planning->input;

	if (!planning->recorded) {
		size_t *numbers = arena_new_array(planning->arena, input->object_count, size_t);
		planning->recorded = map_new(planning->arena);
		map_reserve(planning->recorded, input->object_count);
		for (size_t i = 0; i < input->object_count; i++) {
			numbers[i] = i;
			if (input->objects[i]->role != OBJECT_DEPOSED)
				map_set(planning->recorded, input->objects[i]->address, &numbers[i]);
		}
	}
	return map_get(planning->recorded, address);
}

const struct value *plan_had(struct planning *planning, const struct kind *kind, struct object *object,
			     const struct value *read)
{
	struct value *had;

	if (!kind || !value_is(read, VALUE_MAP) || !unique_is_recorded(kind) || !plan_load_body(planning, object))
		return read;
	had = arena_new(planning->arena, struct value);
	*had = unique_had(kind, read, object, planning->arena);
	return had;
}

const struct value *plan_field_now(const struct object *object, const struct live *live, const char *name)
{
	const struct value *now = live ? value_get_named(&live->fields, name) : NULL;

	if (!now && object && object->has_body)
		now = value_get_named(&object->observed, name);
	return value_if_set(now);
}

bool plan_item_acts(const struct item *item)
{
	return operation_makes(item->operation) || operation_keeps(item->operation) ||
	       item->operation == OPERATION_ADOPT;
}

bool plan_is_to_be_made(const struct item *item)
{
	return item->resource && item->in_focus && operation_makes(item->operation);
}

bool plan_is_new_for_certain(const struct item *target)
{
	return target &&
	       (target->operation == OPERATION_CREATE || (target->operation == OPERATION_REPLACE && !target->maybe));
}

struct digest plan_inputs_digest(const struct dependency *dependencies, size_t count,
				 const struct digest *(*outputs_of)(void *context, struct slice address), void *context)
{
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	for (size_t i = 0; i < count; i++) {
		/* Once for all fields, as in records of earlier versions. */
		if (dependency_repeats(dependencies, i) && dependencies[i].binding == dependencies[i - 1].binding &&
		    dependencies[i].immutable == dependencies[i - 1].immutable)
			continue;
		const struct digest *digest = outputs_of(context, dependencies[i].address);
		buffer_append(&text, dependencies[i].address);
		buffer_byte(&text, '\n');
		if (digest)
			buffer_append(&text, (struct slice){(const char *)digest->bytes, sizeof(digest->bytes)});
	}
	struct digest result = digest_of(buffer_slice(&text));
	buffer_release(&text);
	return result;
}

int unread_compare(const void *a, const void *b)
{
	const struct unread *left = a, *right = b;
	int order = slice_compare(left->address, right->address);
	return order ? order : slice_compare(left->field, right->field);
}

const char *plan_reason_beside(const struct object *object)
{
	if (object->role != OBJECT_DEPOSED)
		return "gives its place to the one that is taken back";
	return object_is_twin(object) ? "made by a call that came late" : "left behind by a replace";
}

const char *plan_reason_unwanted(const struct object *object, const struct decision *decision)
{
	/* What was never seen is not gone: its call may still be open. */
	if (decision->operation == OPERATION_FORGET && object_was_never_seen(object))
		return "is wanted no more, and nothing was seen of what its create may have made";
	return decision->reason;
}

const char *plan_hint_at_owner(const struct planning *planning, const struct object *object, const struct live *live)
{
	return arena_text(
		planning->arena,
		"the ownership tags of %.*s are of stack '%.*s', and this is '%.*s': set them back, or let go "
		"of it with 'trueup state rm %.*s'",
		SLICE_ARGUMENTS(object->provider_id), SLICE_ARGUMENTS(live->ownership.lineage),
		SLICE_ARGUMENTS(planning->input->record->lineage), SLICE_ARGUMENTS(object->address));
}

void plan_note_end(struct planning *planning, const struct action *action)
{
	diag_address(planning->diagnostics, action->address);
	if (action->operation == OPERATION_REPLACE)
		diag_cause(planning->diagnostics, SLICE("the change needs a new object, and the old one deleted"));
}
