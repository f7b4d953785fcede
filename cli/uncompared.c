#include "cli/uncompared.h"

#include <string.h>

static bool is_uncompared(const struct field *field)
{
	/* What leads to the thing is compared by finding it there; where a secret goes is no property of it. */
	return (field->flags & WRITE_ONLY) && !(field->flags & IDENTIFIES) && strcmp(field->name, SECRET_TO) != 0;
}

static size_t most_of(const struct job *job)
{
	size_t most = 0;

	for (size_t i = 0; i < job->kinds.count; i++)
		for (size_t k = 0; k < job->kinds.items[i]->fields.count; k++)
			most += is_uncompared(field_at(&job->kinds.items[i]->fields, k));
	return most;
}

/* Kinds have few of them: a search among all that were met is short. */
static size_t add(struct uncompared *items, size_t count, const struct kind *kind, const struct field *field)
{
	size_t at = 0;

	while (at < count && items[at].field != field)
		at++;
	if (at == count)
		items[count++] = (struct uncompared){kind, field, 0};
	items[at].count++;
	return count;
}

size_t uncompared_list(const struct job *job, const struct uncompared **ret)
{
	struct uncompared *items = arena_new_array(job->arena, most_of(job) + 1, struct uncompared);
	size_t count = 0;

	*ret = items;
	for (size_t i = 0; i < job->object_count; i++) {
		const struct object *object = job->objects[i];
		const struct live *live = job->refresh.live[i];
		const struct kind *kind = kinds_find(&job->kinds, object->kind);

		if (!kind || !object->has_body || !live || live->presence != PRESENCE_PRESENT)
			continue;
		for (size_t k = 0; k < kind->fields.count; k++) {
			const struct field *field = field_at(&kind->fields, k);

			if (is_uncompared(field) && value_if_set(value_get_named(&object->applied, field->name)) &&
			    !field_is_told(field, value_get_named(&live->fields, field->name)))
				count = add(items, count, kind, field);
		}
	}
	return count;
}
