#include "base/secret_parts.h"

static void visit_string(const struct value *value, secret_visit *visit, void *context)
{
	if (value->style == VALUE_STYLE_SEALED)
		return;
	if (!value->segmented) {
		visit(context, value);
		return;
	}
	for (size_t i = 0; i < value->segments->count; i++) {
		struct value part = value_string(value->segments->segments[i].text);

		part.secret = value->segments->segments[i].secret;
		if (part.secret)
			visit(context, &part);
	}
}

void secret_parts_visit(const struct value *value, secret_visit *visit, void *context)
{
	if (!value_has_secret(value))
		return;
	if (value->type == VALUE_DEFERRED && value->deferred->secrets)
		secret_parts_visit(value->deferred->secrets, visit, context);
	else if (value->type == VALUE_STRING)
		visit_string(value, visit, context);
	else if (value->secret && value->type != VALUE_DEFERRED)
		visit(context, value);
	for (uint32_t i = 0; value->type == VALUE_LIST && !value->secret && i < value->count; i++)
		secret_parts_visit(&value->items[i], visit, context);
	for (uint32_t i = 0; value->type == VALUE_MAP && !value->secret && i < value->count; i++)
		secret_parts_visit(&value->members[i].value, visit, context);
}

/* What is put back, and by whom it is known. */
struct opening {
	struct arena *arena;
	secret_find *find;
	void *context;
};

static bool open_value(const struct opening *opening, const struct value *value, struct value *ret);

/* value: a secret in one piece. */
static bool open_whole(const struct opening *opening, const struct value *value, struct value *ret)
{
	const struct value *found;

	if (!opening->find(opening->context, value_slice(value), &found))
		return false;
	*ret = *value;
	if (found) {
		*ret = value_secret(opening->arena, value_at(*found, value->position));
		/* Unset may be a secret as well. */
		ret->secret = true;
	}
	return true;
}

static bool open_segments(const struct opening *opening, const struct value *value, struct value *ret)
{
	size_t count = value->segments->count, known = 0, secrets = 0;
	struct segment *segments = arena_new_array(opening->arena, count, struct segment);

	for (size_t i = 0; i < count; i++) {
		struct value text = value_string(value->segments->segments[i].text), opened;

		segments[i] = value->segments->segments[i];
		if (!segments[i].secret)
			continue;
		if (!open_whole(opening, &text, &opened))
			return false;
		known += opened.secret;
		secrets++;
		segments[i].text = value_slice(&opened);
	}
	/* Half a text in clear would be taken for another text. */
	*ret = known < secrets ? *value : value_at(value_segments(opening->arena, segments, count), value->position);
	return true;
}

static bool open_deferred(const struct opening *opening, const struct value *value, struct value *ret)
{
	struct deferred *deferred = arena_new(opening->arena, struct deferred);
	struct value *secrets = arena_new(opening->arena, struct value);

	if (!open_value(opening, value->deferred->secrets, secrets))
		return false;
	*deferred = *value->deferred;
	deferred->secrets = secrets;
	*ret = *value;
	ret->deferred = deferred;
	return true;
}

static bool open_parts(const struct opening *opening, const struct value *value, struct value *ret)
{
	struct value opened = *value;

	if (value->type == VALUE_LIST) {
		struct value *items = arena_new_array(opening->arena, value->count, struct value);

		for (uint32_t i = 0; i < value->count; i++)
			if (!open_value(opening, &value->items[i], &items[i]))
				return false;
		opened.items = items;
	} else if (value->type == VALUE_MAP) {
		struct value_member *members = arena_new_array(opening->arena, value->count, struct value_member);

		for (uint32_t i = 0; i < value->count; i++) {
			members[i].key = value->members[i].key;
			if (!open_value(opening, &value->members[i].value, &members[i].value))
				return false;
		}
		opened.members = members;
	}
	*ret = opened;
	return true;
}

static bool open_value(const struct opening *opening, const struct value *value, struct value *ret)
{
	if (!value_has_fingerprint(value)) {
		*ret = *value;
		return true;
	}
	if (value->type == VALUE_DEFERRED)
		return open_deferred(opening, value, ret);
	if (value->type != VALUE_STRING)
		return open_parts(opening, value, ret);
	return value->segmented ? open_segments(opening, value, ret) : open_whole(opening, value, ret);
}

bool secret_parts_open(struct arena *arena, const struct value *value, secret_find *find, void *context,
		       struct value *ret)
{
	struct opening opening = {.arena = arena, .find = find, .context = context};

	return open_value(&opening, value, ret);
}
