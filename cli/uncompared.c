#include "cli/uncompared.h"

#include <string.h>

#include "cli/providers.h"

/* Whether a drift says nothing of the field of a thing that is there. */
typedef bool is_listed(const struct object *object, const struct live *live, const struct kind *kind,
		       const struct field *field);

static bool is_uncompared(const struct object *object, const struct live *live, const struct kind *kind,
			  const struct field *field)
{
	(void)kind;
	/* What leads to the thing is compared by finding it there; where a secret goes is no property of it. */
	return (field->flags & WRITE_ONLY) && !(field->flags & IDENTIFIES) && strcmp(field->name, SECRET_TO) != 0 &&
	       !ignored_has(&object->ignored, slice_of(field->name)) &&
	       value_if_set(value_get_named(&object->applied, field->name)) &&
	       !field_is_told(field, value_get_named(&live->fields, field->name));
}

/* What takes a call of its own is read where a spec sets it. */
static bool is_unasked(const struct object *object, const struct live *live, const struct kind *kind,
		       const struct field *field)
{
	const struct provider *provider = providers_find(&all_providers, object->identity.provider);
	struct value_member alone = {value_text(field->name), value_text("")};
	const struct value matters = value_map(&alone, 1);

	/* What is asked for to be shown is read without a call of its own. */
	alone.value.secret = true;
	return provider && !value_get_named(&object->applied, field->name) &&
	       !ignored_has(&object->ignored, slice_of(field->name)) && !value_get_named(&live->fields, field->name) &&
	       provider->needs_detail(kind, &matters);
}

static size_t most_of(const struct job *job)
{
	size_t most = 0;

	for (size_t i = 0; i < job->kinds.count; i++)
		most += job->kinds.items[i]->fields.count;
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

static size_t list(const struct job *job, is_listed *is_one, const struct uncompared **ret)
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
		for (size_t k = 0; k < kind->fields.count; k++)
			if (is_one(object, live, kind, field_at(&kind->fields, k)))
				count = add(items, count, kind, field_at(&kind->fields, k));
	}
	return count;
}

size_t uncompared_list(const struct job *job, const struct uncompared **ret)
{
	return list(job, is_uncompared, ret);
}

size_t unasked_list(const struct job *job, const struct uncompared **ret)
{
	return list(job, is_unasked, ret);
}
