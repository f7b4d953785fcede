#include "reconcile/resource.h"

/* What a resource, or an object, refers to: in which order, and how a record keeps it. */

/* Members that say nothing are left out: there are many dependencies, and most say little. */
static struct value dependency_value(const struct dependency *dependency, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	value_builder_member(&builder, SLICE("address"), value_string(dependency->address));
	value_builder_member(&builder, SLICE("binding"), value_text(binding_names.words[dependency->binding]));
	if (dependency->field.size > 0)
		value_builder_member(&builder, SLICE("field"), value_string(dependency->field));
	if (dependency->immutable)
		value_builder_member(&builder, SLICE("immutable"), value_bool(true));
	if (dependency->output.size > 0)
		value_builder_member(&builder, SLICE("output"), value_string(dependency->output));
	return value_builder_map(&builder, arena);
}

struct value dependencies_write(const struct dependency *dependencies, size_t count, struct arena *arena)
{
	struct value *items = arena_new_array(arena, count, struct value);

	for (size_t i = 0; i < count; i++)
		items[i] = dependency_value(&dependencies[i], arena);
	return value_list(items, count);
}

int dependency_compare(const struct dependency *a, const struct dependency *b)
{
	int order = slice_compare(a->address, b->address);

	if (order == 0)
		order = (a->binding > b->binding) - (a->binding < b->binding);
	if (order == 0)
		order = a->immutable - b->immutable;
	if (order == 0)
		order = slice_compare(a->field, b->field);
	return order != 0 ? order : slice_compare(a->output, b->output);
}

bool dependencies_have(const struct dependency *dependencies, size_t count, const struct dependency *wanted)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(dependencies[i].address, wanted->address) &&
		    slice_equal(dependencies[i].field, wanted->field) &&
		    slice_equal(dependencies[i].output, wanted->output))
			return true;
	return false;
}

struct value dependencies_explicit(const struct dependency *dependencies, size_t count, struct arena *arena)
{
	struct value *items = arena_new_array(arena, count + 1, struct value);
	uint32_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (dependency_is_explicit(&dependencies[i]))
			items[found++] = value_string(dependencies[i].address);
	const struct value named = value_list(items, found);
	return ignored_in_order(&named, arena);
}

static bool binding_read(struct slice name, enum binding *ret)
{
	int found = names_find(&binding_names, name);

	if (found < 0)
		return false;
	*ret = (enum binding)found;
	return true;
}

static struct slice text_of(const struct value *map, const char *key)
{
	return value_slice(value_get_named(map, key));
}

bool dependencies_read(const struct value *list, struct arena *arena, struct dependency **ret)
{
	struct dependency *dependencies = arena_new_array(arena, list->count, struct dependency);

	for (size_t i = 0; i < list->count; i++) {
		const struct value *item = &list->items[i];

		dependencies[i] = (struct dependency){
			.address = text_of(item, "address"),
			.output = text_of(item, "output"),
			.field = text_of(item, "field"),
			.immutable = value_is_true(value_get_named(item, "immutable")),
		};
		if (dependencies[i].address.size == 0 ||
		    !binding_read(text_of(item, "binding"), &dependencies[i].binding))
			return false;
	}
	*ret = dependencies;
	return true;
}
