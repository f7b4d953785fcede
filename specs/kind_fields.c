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
