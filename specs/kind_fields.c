#include "specs/kind_fields.h"

void kind_fields_turn(struct kind_fields *fields, const struct kind *kind)
{
	if (fields->kind == kind)
		return;
	fields->kind = kind;
	fields->count = 0;
	for (size_t i = 0; i < kind->fields.count && fields->count < KIND_MOST_FIELDS; i++) {
		const struct field *field = field_at(&kind->fields, i);

		if (fields->wanted(field))
			fields->fields[fields->count++] = field;
	}
}

void kind_fields_visit(struct kind_fields *fields, const struct resource *resource, visit_found *found, void *context)
{
	kind_fields_turn(fields, resource->kind);
	for (size_t i = 0; i < fields->count; i++)
		visit_field(fields->fields[i], &resource->desired, found, context);
}
