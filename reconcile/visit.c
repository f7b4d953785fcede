#include "reconcile/visit.h"

#include "reconcile/plan.h"

static void walk(const struct visited *visited, visit_found *found, void *context)
{
	const struct field *field = visited->field;
	const struct value *value = visited->value;
	const struct scope within = {value, visited->scope};
	struct visited next = *visited;

	if (!value_if_set(value))
		return;
	found(context, visited);
	next.field = field->item;
	next.list = visited->list ? visited->list : field;
	for (uint32_t i = 0; field->item && value_is(value, VALUE_LIST) && i < value->count; i++) {
		next.value = &value->items[i];
		next.item = visited->item ? visited->item : next.value;
		walk(&next, found, context);
	}
	for (uint32_t i = 0; field->item && value_is(value, VALUE_MAP) && i < value->count; i++) {
		next.value = &value->members[i].value;
		next.item = visited->item ? visited->item : next.value;
		walk(&next, found, context);
	}
	next = *visited;
	next.scope = &within;
	for (size_t i = 0; value_is(value, VALUE_MAP) && i < field->members.count; i++) {
		next.field = field_at(&field->members, i);
		next.name = next.field->name;
		next.value = value_get_named(value, next.name);
		walk(&next, found, context);
	}
}

void visit_value(const struct field *top, const struct field *field, const struct value *value,
		 const struct scope *scope, visit_found *found, void *context)
{
	const struct visited visited = {.top = top, .field = field, .name = top->name, .value = value, .scope = scope};

	walk(&visited, found, context);
}

void visit_field(const struct field *top, const struct value *fields, visit_found *found, void *context)
{
	visit_value(top, top, value_get_named(fields, top->name), &(struct scope){fields, NULL}, found, context);
}

void visit_action(const struct action *action, visit_found *found, void *context)
{
	for (size_t i = 0; operation_makes(action->operation) && i < action->kind->fields.count; i++)
		visit_field(field_at(&action->kind->fields, i), &action->known, found, context);
	for (size_t i = 0; operation_keeps(action->operation) && i < action->change_count; i++) {
		const struct change *change = &action->changes[i];

		if (!change->field || change->effect != EFFECT_SET)
			continue;
		/* Of a set each item is a change. */
		bool is_item = change->field->type == FIELD_SET && !value_is(&change->after, VALUE_LIST);
		visit_value(change->field, is_item ? change->field->item : change->field, &change->after, NULL, found,
			    context);
	}
}
