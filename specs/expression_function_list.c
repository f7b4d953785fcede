#include "specs/expression_function.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/members.h"
#include "base/memory.h"
#include "specs/expression_operator.h"

#define MAP_AUTO __attribute__((cleanup(map_release))) struct map

bool call_allows(const struct call *call, size_t count)
{
	if (count <= FUNCTION_MOST_ITEMS)
		return true;
	return diag_error(call->diagnostics, FAULT_USER, call->position, "'%s' would make more than %d items",
			  call->function->name, FUNCTION_MOST_ITEMS);
}

bool function_length(const struct call *call, struct value *ret)
{
	const struct value *value = argument(call, 0);
	struct slice text = value_slice(value);
	int64_t length = 0;

	if (value->type != VALUE_STRING) {
		*ret = value_integer((int64_t)value->count);
		return true;
	}
	for (size_t i = 0; i < text.size; i++)
		length += ((unsigned char)text.data[i] & 0xc0) != 0x80;
	*ret = value_integer(length);
	return true;
}

bool function_concat(const struct call *call, struct value *ret)
{
	struct value *items;
	size_t count = 0;

	for (size_t i = 0; i < call->count; i++)
		count += argument(call, i)->count;
	if (!call_allows(call, count))
		return false;
	items = arena_new_array(call->arena, count, struct value);
	count = 0;
	for (size_t i = 0; i < call->count; i++) {
		for (uint32_t j = 0; j < argument(call, i)->count; j++)
			items[count++] = argument(call, i)->items[j];
	}
	*ret = value_list(items, count);
	return true;
}

bool function_merge(const struct call *call, struct value *ret)
{
	struct value_member *members;
	size_t count = 0;
	MAP_AUTO places = {0};

	for (size_t i = 0; i < call->count; i++)
		count += argument(call, i)->count;
	if (!call_allows(call, count))
		return false;
	members = arena_new_array(call->arena, count, struct value_member);
	map_init(&places);
	count = 0;
	for (size_t i = 0; i < call->count; i++) {
		const struct value *map = argument(call, i);

		for (uint32_t j = 0; j < map->count; j++) {
			struct value_member *there = (struct value_member *)map_add(
				&places, value_slice(&map->members[j].key), &members[count]);

			if (!there)
				there = &members[count++];
			*there = map->members[j];
		}
	}
	*ret = value_map(members, count);
	return true;
}

/* The keys or the values of a map, in order of the keys. */
static void list_members(const struct call *call, bool values, struct value *ret)
{
	const struct value *map = argument(call, 0);
	struct value *items = arena_new_array(call->arena, map->count, struct value);
	MEMBERS_AUTO members;

	members_sort(&members, map);
	for (uint32_t i = 0; i < map->count; i++)
		items[i] = values ? members.sorted[i]->value : members.sorted[i]->key;
	*ret = value_list(items, map->count);
}

bool function_keys(const struct call *call, struct value *ret)
{
	list_members(call, false, ret);
	return true;
}

bool function_values(const struct call *call, struct value *ret)
{
	list_members(call, true, ret);
	return true;
}

bool function_contains(const struct call *call, struct value *ret)
{
	const struct value *list = argument(call, 0);
	bool found = false;

	for (uint32_t i = 0; !found && i < list->count; i++)
		found = operands_equal(&list->items[i], argument(call, 1));
	*ret = value_bool(found);
	return true;
}

bool function_get(const struct call *call, struct value *ret)
{
	const struct value *of = argument(call, 0), *key = argument(call, 1), *found = NULL;
	enum value_type wanted = of->type == VALUE_MAP ? VALUE_STRING : VALUE_INTEGER;

	if (key->type != wanted)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 1),
				  "the key of %s is %s, not %s", value_type_name((enum value_type)of->type),
				  value_type_name(wanted), value_type_name((enum value_type)key->type));
	if (of->type == VALUE_MAP)
		found = value_get(of, value_slice(key));
	else if (key->integer >= 0 && (uint64_t)key->integer < of->count)
		found = &of->items[key->integer];
	*ret = found ? *found : *argument(call, 2);
	return true;
}

bool function_element(const struct call *call, struct value *ret)
{
	const struct value *list = argument(call, 0), *number = argument(call, 1);

	if (list->count == 0)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0),
				  "an empty list has no element");
	if (number->integer < 0)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 1),
				  "the number of an element must not be negative");
	*ret = list->items[(uint64_t)number->integer % list->count];
	return true;
}

static void flatten_into(const struct value *list, struct value_builder *builder)
{
	for (uint32_t i = 0; i < list->count && builder->count <= FUNCTION_MOST_ITEMS; i++) {
		if (list->items[i].type == VALUE_LIST)
			flatten_into(&list->items[i], builder);
		else
			value_builder_item(builder, list->items[i]);
	}
}

bool function_flatten(const struct call *call, struct value *ret)
{
	VALUE_BUILDER_AUTO builder = {0};

	value_builder_init(&builder);
	flatten_into(argument(call, 0), &builder);
	if (!call_allows(call, builder.count))
		return false;
	*ret = value_builder_list(&builder, call->arena);
	return true;
}

static int place_compare(const void *a, const void *b)
{
	const struct value *const *first = (const struct value *const *)a, *const *second =
										   (const struct value *const *)b;
	int order = value_compare(*first, *second);

	/* Both point into one list: the earlier item first. */
	return order != 0 ? order : (*first > *second) - (*first < *second);
}

bool function_distinct(const struct call *call, struct value *ret)
{
	const struct value *list = argument(call, 0);
	size_t count = list->count, kept = 0;
	const struct value **places = (const struct value **)memory_get((count + 1) * sizeof(*places));
	bool *repeated = (bool *)memory_get(count + 1);
	struct value *items = arena_new_array(call->arena, count, struct value);

	for (size_t i = 0; i < count; i++)
		places[i] = &list->items[i];
	qsort(places, count, sizeof(*places), place_compare);
	for (size_t i = 1; i < count; i++)
		repeated[places[i] - list->items] = value_equal(places[i - 1], places[i]);
	for (size_t i = 0; i < count; i++) {
		if (!repeated[i])
			items[kept++] = list->items[i];
	}
	free(places);
	free(repeated);
	*ret = value_list(items, kept);
	return true;
}

static int item_compare(const void *a, const void *b)
{
	const struct value *first = (const struct value *)a, *second = (const struct value *)b;

	if (first->type == VALUE_STRING)
		return slice_compare(value_slice(first), value_slice(second));
	return numbers_compare(first, second);
}

bool function_sort(const struct call *call, struct value *ret)
{
	const struct value *list = argument(call, 0);
	struct value *items = arena_new_array(call->arena, list->count, struct value);
	unsigned types = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		types |= 1U << list->items[i].type;
		items[i] = list->items[i];
	}
	if ((types & ~(unsigned)TAKES_STRING) != 0 && (types & ~(unsigned)TAKES_NUMBER) != 0)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 0),
				  "'sort' needs a list of strings alone or of numbers alone");
	qsort(items, list->count, sizeof(*items), item_compare);
	*ret = value_list(items, list->count);
	return true;
}

bool function_range(const struct call *call, struct value *ret)
{
	int64_t from = call->count > 1 ? argument(call, 0)->integer : 0;
	int64_t end = argument(call, call->count > 1 ? 1 : 0)->integer;
	int64_t step = call->count > 2 ? argument(call, 2)->integer : 1;
	uint64_t span = 0, stride = step < 0 ? 0 - (uint64_t)step : (uint64_t)step, count = 0;
	struct value *items;

	if (step == 0)
		return diag_error(call->diagnostics, FAULT_USER, argument_position(call, 2), "a step of 0 never ends");
	if (step > 0 && end > from)
		span = (uint64_t)end - (uint64_t)from;
	if (step < 0 && end < from)
		span = (uint64_t)from - (uint64_t)end;
	if (span > 0)
		count = (span - 1) / stride + 1;
	if (!call_allows(call, count))
		return false;
	items = arena_new_array(call->arena, count, struct value);
	/* Unsigned, as the product wraps where the sum does not. */
	for (uint64_t i = 0; i < count; i++)
		items[i] = value_integer((int64_t)((uint64_t)from + i * (uint64_t)step));
	*ret = value_list(items, count);
	return true;
}

bool function_coalesce(const struct call *call, struct value *ret)
{
	for (size_t i = 0; i < call->count; i++) {
		if (argument(call, i)->type != VALUE_NULL) {
			*ret = *argument(call, i);
			return true;
		}
	}
	diag_error(call->diagnostics, FAULT_USER, call->position, "every value given to 'coalesce' is null");
	diag_hint(call->diagnostics, "end with a value that is never null");
	return false;
}
