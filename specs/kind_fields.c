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

bool field_any(const struct field *field, bool (*test)(const struct field *field))
{
	return test(field) || fields_any(&field->members, test) || (field->item && field_any(field->item, test));
}

bool fields_any(const struct fields *fields, bool (*test)(const struct field *field))
{
	for (size_t i = 0; i < fields->count; i++) {
		if (field_any(field_at(fields, i), test))
			return true;
	}
	return false;
}
