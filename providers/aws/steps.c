#include <string.h>

#include "providers/aws/aws.h"
#include "providers/aws/kind.h"

/* What the calls of one update leave between them, told by the tables that choose the calls (converge.c, parts.c). */

/* Whether the object is stopped for a change of one of these fields. */
static bool pauses(const struct kind *kind, const struct value *changed)
{
	for (uint32_t i = 0; i < changed->count; i++) {
		const struct field *field = field_named(&kind->fields, value_slice(&changed->members[i].key));

		if (field && (field->flags & PAUSES))
			return true;
	}
	return false;
}

bool aws_takes_steps(const struct kind *kind, const struct field *field, const struct value *changed)
{
	const struct aws_field *own = (const struct aws_field *)field;

	if (own->rests_on && value_get_named(changed, own->rests_on))
		return true;
	if (kind->running && strcmp(kind->running, field->name) == 0 && pauses(kind, changed))
		return true;
	bool makes_room =
		own->attachment || (own->field.flags & EXCHANGED) || (own->part && !own->part->change.operation);

	return (makes_room || own->each) && value_get_named(changed, field->name);
}
