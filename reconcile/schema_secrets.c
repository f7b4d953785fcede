#include "reconcile/schema.h"
#include "reconcile/schema_walk.h"

/* Whether any field is secret, so that values of most kinds are not walked at all. Tables are finite. */
static bool has_secret(const struct field *field)
{
	if (field->flags & SECRET)
		return true;
	if (field->item && has_secret(field->item))
		return true;
	for (size_t i = 0; i < field->members.count; i++)
		if (has_secret(field_at(&field->members, i)))
			return true;
	return false;
}

bool schema_has_secrets(const struct fields *fields)
{
	for (size_t i = 0; i < fields->count; i++)
		if (has_secret(field_at(fields, i)))
			return true;
	return false;
}

static void visit(const struct field *field, const struct value *given,
		  void (*found)(void *context, const struct value *value), void *context)
{
	if (field->flags & SECRET) {
		found(context, given);
		return;
	}
	if (given->type == VALUE_MAP && field->members.count > 0)
		schema_secrets(&field->members, given, found, context);
	for (uint32_t i = 0; field->item && given->type == VALUE_LIST && i < given->count; i++)
		visit(field->item, &given->items[i], found, context);
	for (uint32_t i = 0; field->item && given->type == VALUE_MAP && i < given->count; i++)
		visit(field->item, &given->members[i].value, found, context);
}

void schema_secrets(const struct fields *fields, const struct value *given,
		    void (*found)(void *context, const struct value *value), void *context)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct value *value = has_secret(field) ? value_get_named(given, field->name) : NULL;

		if (value)
			visit(field, value, found, context);
	}
}

static void report_secret_id(struct schema_walk *walk, const char *name, const struct value *given)
{
	diag_error(walk->diagnostics, FAULT_USER, given->position,
		   "'%s' cannot hold a secret: ids and places are made of it, and are recorded and shown in clear",
		   name);
	diag_hint(walk->diagnostics, "write what anybody may see, or take it from a variable that is not secret");
}

static void report_secret_keys(struct schema_walk *walk, const char *name, const struct value *given)
{
	diag_error(walk->diagnostics, FAULT_USER, given->position,
		   "'%s' cannot have secret keys: each is compared by itself, and is recorded and shown in clear",
		   name);
	diag_hint(walk->diagnostics, "write the keys in the spec, and take from what is secret only what they hold");
}

bool schema_refuses_secret(struct schema_walk *walk, const struct field *field, const char *name,
			   const struct value *given)
{
	bool is_id = (field->flags & IDENTIFIES) && value_has_secret(given);

	if (!walk->diagnostics)
		return false;
	if (is_id)
		report_secret_id(walk, name, given);
	else if (field->type == FIELD_MAP && given->type == VALUE_MAP && given->secret && given->count > 0)
		report_secret_keys(walk, name, given);
	else
		return false;
	return true;
}
