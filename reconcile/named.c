#include "reconcile/named.h"

#include <string.h>

#include "reconcile/made.h"
#include "reconcile/visit.h"

struct naming {
	named_found *found;
	void *context;
};

static void name(void *context, const struct visited *visited)
{
	const struct naming *naming = context;

	if (visited->field->type == FIELD_REFERENCE && value_is(visited->value, VALUE_STRING))
		naming->found(naming->context, visited->field, value_slice(visited->value));
}

void named_each(const struct field *field, const struct value *value, named_found *found, void *context)
{
	visit_value(field, field, value, NULL, name, &(struct naming){found, context});
}

struct in_part {
	named_in_part *found;
	void *context;
	const struct value *part;
};

static void pass_on(void *context, const struct field *reference, struct slice text)
{
	const struct in_part *in_part = context;

	in_part->found(in_part->context, in_part->part, reference, text);
}

void named_each_part(const struct field *top, const struct value *value, named_in_part *found, void *context)
{
	const struct field *item = value_is(value, VALUE_LIST) ? top->item : NULL;

	if (made_has_seen(top))
		return;
	if (!item)
		named_each(top, value, pass_on, &(struct in_part){found, context, value});
	for (uint32_t i = 0; item && i < value->count; i++)
		named_each(item, &value->items[i], pass_on, &(struct in_part){found, context, &value->items[i]});
}

bool named_is_held(const struct field *top, const struct field *reference)
{
	return !reference->output && (!(top->flags & SETTLES) || (reference->flags & PINS));
}

static bool has_pin(const struct field *field, const char *target)
{
	bool has = field->type == FIELD_REFERENCE && (field->flags & PINS) && strcmp(field->target, target) == 0;

	for (size_t i = 0; field->type == FIELD_OBJECT && i < field->members.count && !has; i++)
		has = has_pin(field_at(&field->members, i), target);
	return has || (field->item && has_pin(field->item, target));
}

bool named_pins(const struct kind *kind, struct slice field, const char *target)
{
	const struct field *top = field_named(&kind->fields, field);

	return top && has_pin(top, target);
}
