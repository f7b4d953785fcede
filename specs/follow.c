#include <string.h>

#include "specs/expression.h"
#include "specs/references.h"

/*
 * Reference fields that follow another: a group that names a launch template, and says
 * nothing of the version, means the version which that template has.
 */

struct following {
	struct loading *loading;
	uint32_t entry;
	const struct field *top; /* the field of the resource that it all stands in */
};

static bool is_following(const struct field *field)
{
	return field->follows != NULL;
}

/* The address in "${aws.launch_template.gpu.id}"; empty for anything but one plain reference. */
static struct slice plain_reference(const struct value *value)
{
	struct slice text = value_is(value, VALUE_DEFERRED) ? value->deferred->text : (struct slice){0};
	size_t end = text.size;

	if (!slice_starts_with(text, SLICE("${")) || !slice_ends_with(text, SLICE("}")))
		return (struct slice){0};
	while (end > 0 && text.data[end - 1] != '.')
		end--;
	return end > 3 ? (struct slice){text.data + 2, end - 3} : (struct slice){0};
}

static bool follow_one(const struct following *following, const struct field *field, const struct value *given,
		       struct value *ret)
{
	struct loading *loading = following->loading;
	const struct value *leader = value_get_named(given, field->follows);
	const struct resource *target = leader ? loading_find(loading, plain_reference(leader)) : NULL;

	if (!target || target == &loading->resources[following->entry])
		return false;
	struct meeting meeting = {
		.output = slice_of(field->output),
		.position = leader->position,
		.target = loading_index(loading, target),
		.field = following->top->name,
		.binding = following->top->flags & SETTLES ? BINDS_SETTLE : BINDS_MAKE,
		.immutable = (following->top->flags & IMMUTABLE) != 0,
	};
	references_meet(loading, following->entry, &meeting);
	*ret = expression_of_reference(loading->arena, target->address, slice_of(field->output), leader->position);
	return true;
}

/* What follows a field that is left to others is theirs, too: by then they may have another target there. */
static void leave_to_others(struct following *following, const struct field *field)
{
	struct arena *arena = following->loading->arena;
	struct resource *resource = &following->loading->resources[following->entry];
	size_t count = resource->ignored_count;
	struct slice *ignored;

	if (!slice_is_among(field->follows, resource->ignored, count) ||
	    slice_is_among(field->name, resource->ignored, count))
		return;
	ignored = arena_new_array(arena, count + 1, struct slice);
	memcpy(ignored, resource->ignored, count * sizeof(*ignored));
	ignored[count] = slice_of(field->name);
	resource->ignored = ignored;
	resource->ignored_count++;
}

static struct value follow_fields(struct following *following, const struct fields *fields, const struct value *given);

static struct value follow_value(struct following *following, const struct field *field, const struct value *given)
{
	VALUE_BUILDER_AUTO items;
	value_builder_init(&items);
	if (!field_any(field, is_following))
		return *given;
	if (field->type == FIELD_OBJECT && value_is(given, VALUE_MAP))
		return follow_fields(following, &field->members, given);
	if (!field->item || !value_is(given, VALUE_LIST))
		return *given;
	for (uint32_t i = 0; i < given->count; i++)
		value_builder_item(&items, follow_value(following, field->item, &given->items[i]));
	return value_at(value_builder_list(&items, following->loading->arena), given->position);
}

static struct value follow_fields(struct following *following, const struct fields *fields, const struct value *given)
{
	bool top = following->top == NULL;
	VALUE_BUILDER_AUTO members;
	value_builder_init(&members);
	for (uint32_t i = 0; i < given->count; i++) {
		const struct value_member *member = &given->members[i];
		const struct field *field = field_named(fields, value_slice(&member->key));
		if (top)
			following->top = field;
		struct value value = field ? follow_value(following, field, &member->value) : member->value;
		value_builder_keyed(&members, member->key, value);
	}
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		struct value value;
		if (!field->follows || value_get_named(given, field->name))
			continue;
		if (top && kind_excludes(following->loading->resources[following->entry].kind, field, given))
			continue;
		if (top)
			following->top = field;
		if (!follow_one(following, field, given, &value))
			continue;
		if (top)
			leave_to_others(following, field);
		value_builder_member(&members, slice_of(field->name), value);
	}
	if (top)
		following->top = NULL;
	return value_at(value_builder_map(&members, following->loading->arena), given->position);
}

bool references_any_follow(const struct kind *kind)
{
	return fields_any(&kind->fields, is_following);
}

void references_follow(struct loading *loading, uint32_t entry, struct value *given)
{
	const struct kind *kind = loading->resources[entry].kind;
	struct following following = {.loading = loading, .entry = entry};

	*given = follow_fields(&following, &kind->fields, given);
}
