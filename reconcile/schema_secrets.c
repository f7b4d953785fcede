#include "reconcile/schema.h"
#include "reconcile/schema_walk.h"

static bool is_secret(const struct field *field)
{
	return (field->flags & SECRET) != 0;
}

/* Values of most kinds are not walked at all. */
static bool has_secret(const struct field *field)
{
	return field_any(field, is_secret);
}

bool schema_has_secrets(const struct fields *fields)
{
	return fields_any(fields, is_secret);
}

static void visit(const struct field *field, const struct value *given,
		  void (*found)(void *context, const struct value *value), void *context)
{
	if (is_secret(field)) {
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

bool schema_has_keys(const struct field *item)
{
	for (size_t i = 0; item->type == FIELD_OBJECT && i < item->members.count; i++)
		if (field_at(&item->members, i)->flags & KEY)
			return true;
	return false;
}

/* What goes on through a table, or to each item. */
struct key_visit {
	void (*found)(void *context, const char *name, const struct value *value);
	void *context;
};

static void visit_keys(const struct key_visit *visit, const struct field *field, const char *name,
		       const struct value *given);

static void visit_members(const struct key_visit *visit, const struct fields *fields, const struct value *given)
{
	for (size_t i = 0; given->type == VALUE_MAP && i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		const struct value *value = value_get_named(given, field->name);

		if (value)
			visit_keys(visit, field, field->name, value);
	}
}

/* Depth is that of the tables, which is finite. */
static void visit_keys(const struct key_visit *visit, const struct field *field, const char *name,
		       const struct value *given)
{
	bool whole = field->type == FIELD_SET && !schema_has_keys(field->item);

	if ((field->flags & KEY) || (whole && given->type != VALUE_LIST)) {
		visit->found(visit->context, name, given);
		return;
	}
	visit_members(visit, &field->members, given);
	for (uint32_t i = 0; field->item && given->type == VALUE_LIST && i < given->count; i++) {
		if (whole)
			visit->found(visit->context, name, &given->items[i]);
		else
			visit_keys(visit, field->item, name, &given->items[i]);
	}
	for (uint32_t i = 0; field->item && given->type == VALUE_MAP && i < given->count; i++)
		visit_keys(visit, field->item, name, &given->members[i].value);
}

void schema_keys(const struct fields *fields, const struct value *given,
		 void (*found)(void *context, const char *name, const struct value *value), void *context)
{
	const struct key_visit visit = {found, context};

	visit_members(&visit, fields, given);
}

static void hint_at_clear(struct diagnostics *diagnostics)
{
	diag_hint(diagnostics, "write what anybody may see, or take it from a variable that is not secret");
}

static void report_secret_id(struct schema_walk *walk, const char *name, const struct value *given)
{
	diag_error(walk->diagnostics, FAULT_USER, given->position,
		   "'%s' cannot hold a secret: ids and places are made of it, and are recorded and shown in clear",
		   name);
	hint_at_clear(walk->diagnostics);
}

static void report_secret_keys(struct schema_walk *walk, const char *name, const struct value *given)
{
	diag_error(walk->diagnostics, FAULT_USER, given->position,
		   "'%s' cannot have secret keys: each is compared by itself, and is recorded and shown in clear",
		   name);
	diag_hint(walk->diagnostics, "write the keys in the spec, and take from what is secret only what they hold");
}

void schema_report_secret_key(const char *name, const struct value *given, struct diagnostics *diagnostics)
{
	diag_error(diagnostics, FAULT_USER, given->position,
		   "'%s' cannot hold a secret: what tells the items of a list apart is recorded and shown in clear",
		   name);
	hint_at_clear(diagnostics);
}

/* Whether no item of a set can be told from the others without what is secret. */
static bool has_secret_items(const struct field *field, const struct value *given)
{
	if (field->type != FIELD_SET)
		return false;
	if (given->type == VALUE_LIST)
		return given->secret && given->count > 0;
	return given->secret || (!schema_has_keys(field->item) && value_has_secret(given));
}

bool schema_has_secret_key(const struct field *item, const struct value *value)
{
	if (value->secret || !schema_has_keys(item))
		return value_has_secret(value);
	for (size_t i = 0; i < item->members.count; i++) {
		const struct field *member = field_at(&item->members, i);
		const struct value *part = member->flags & KEY ? value_get_named(value, member->name) : NULL;

		if (part && value_has_secret(part))
			return true;
	}
	return false;
}

bool schema_refuses_secret(struct schema_walk *walk, const struct field *field, const char *name,
			   const struct value *given)
{
	if (!walk->diagnostics)
		return false;
	if ((field->flags & IDENTIFIES) && value_has_secret(given))
		report_secret_id(walk, name, given);
	else if (field->type == FIELD_MAP && given->type == VALUE_MAP && given->secret && given->count > 0)
		report_secret_keys(walk, name, given);
	else if (((field->flags & KEY) && value_has_secret(given)) || has_secret_items(field, given))
		schema_report_secret_key(name, given, walk->diagnostics);
	else
		return false;
	return true;
}

bool schema_refuses_secret_item(struct schema_walk *walk, const struct field *set, const char *name,
				const struct value *item)
{
	/* What is secret in one of its keys alone is told of that. */
	bool secret = item->secret || !schema_has_keys(set->item);

	if (!walk->diagnostics || set->type != FIELD_SET || !secret || !schema_has_secret_key(set->item, item))
		return false;
	schema_report_secret_key(name, item, walk->diagnostics);
	return true;
}
