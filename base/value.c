#include "base/value.h"

#include <stdlib.h>

#include "base/members.h"
#include "base/memory.h"
#include "base/redaction.h"

/* Everything a value is made from is capped far below this where it enters the program. */
static uint32_t value_count(size_t count)
{
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

struct value value_null(void)
{
	return (struct value){.type = VALUE_NULL};
}

struct value value_bool(bool boolean)
{
	return (struct value){.type = VALUE_BOOL, .boolean = boolean};
}

struct value value_integer(int64_t integer)
{
	return (struct value){.type = VALUE_INTEGER, .integer = integer};
}

struct value value_number(double number)
{
	return (struct value){.type = VALUE_NUMBER, .number = number};
}

struct value value_string(struct slice text)
{
	return (struct value){
		.type = VALUE_STRING,
		.count = value_count(text.size),
		.text = text.size > 0 ? text.data : "",
	};
}

struct value value_text(const char *text)
{
	return value_string(slice_of(text));
}

struct value value_unread(void)
{
	return (struct value){.type = VALUE_UNREAD};
}

struct value value_deferred(const struct deferred *deferred)
{
	return (struct value){.type = VALUE_DEFERRED, .deferred = deferred};
}

struct value value_segments(struct arena *arena, const struct segment *segments, size_t count)
{
	struct segment *merged = arena_new_array(arena, count, struct segment);
	struct segmented *segmented;
	size_t size = 0, merged_count = 0;
	struct value value;
	char *whole;

	for (size_t i = 0; i < count; i++)
		size += segments[i].text.size;
	whole = (char *)arena_get(arena, size + 1);
	size = 0;
	for (size_t i = 0; i < count; i++) {
		struct segment segment = segments[i];

		/* An empty secret keeps its place: that it is empty is part of the secret. */
		if (segment.text.size == 0 && !segment.secret)
			continue;
		if (merged_count == 0 || merged[merged_count - 1].secret != segment.secret)
			merged[merged_count++] = (struct segment){{whole + size, 0}, segment.secret};
		if (segment.text.size > 0)
			memcpy(whole + size, segment.text.data, segment.text.size);
		size += segment.text.size;
		merged[merged_count - 1].text.size += segment.text.size;
	}
	value = value_string((struct slice){whole, size});
	value.secret = merged_count > 1 || (merged_count == 1 && merged[0].secret);
	if (merged_count < 2)
		return value;
	segmented = arena_new(arena, struct segmented);
	*segmented = (struct segmented){.whole = {whole, size}, .segments = merged, .count = merged_count};
	value.segmented = true;
	value.segments = segmented;
	return value;
}

struct value value_list(const struct value *items, size_t count)
{
	return (struct value){.type = VALUE_LIST, .count = value_count(count), .items = items};
}

struct value value_map(const struct value_member *members, size_t count)
{
	return (struct value){.type = VALUE_MAP, .count = value_count(count), .members = members};
}

struct value value_at(struct value value, struct position position)
{
	value.position = position;
	return value;
}

/* Of what is known to be a string. */
static inline struct slice string_slice(const struct value *string)
{
	return string->segmented ? string->segments->whole : (struct slice){string->text, string->count};
}

const char *value_type_name(enum value_type type)
{
	static const char *const names[] = {
		[VALUE_NULL] = "null",
		[VALUE_BOOL] = "true or false",
		[VALUE_INTEGER] = "a whole number",
		[VALUE_NUMBER] = "a number",
		[VALUE_STRING] = "a string",
		[VALUE_LIST] = "a list",
		[VALUE_MAP] = "a map",
		[VALUE_DEFERRED] = "a value known only later",
		[VALUE_UNREAD] = "a value that could not be read",
	};

	return names[type];
}

const struct value *value_get(const struct value *map, struct slice key)
{
	if (!value_is(map, VALUE_MAP))
		return NULL;
	for (size_t i = 0; i < map->count; i++) {
		const struct value_member *member = &map->members[i];

		/* Sizes first: most members differ in that, and no text is touched. */
		if (member->key.count == key.size && slice_equal(string_slice(&member->key), key))
			return &member->value;
	}
	return NULL;
}

const struct value *value_get_named(const struct value *map, const char *key)
{
	return value_get(map, slice_of(key));
}

static bool all_digits(struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
	}
	return text.size > 0;
}

static const struct value *value_step(const struct value *value, struct slice part)
{
	int64_t index;

	if (!value_is(value, VALUE_LIST))
		return value_get(value, part);
	if (!all_digits(part) || !slice_integer(part, &index) || index >= (int64_t)value->count)
		return NULL;
	return &value->items[index];
}

const struct value *value_path(const struct value *value, const char *path)
{
	struct slice rest = slice_of(path);

	while (value && rest.data)
		value = value_step(value, slice_cut(&rest, '.'));
	return value;
}

typedef bool value_test(const struct value *value);

/* Whether test holds for value or anything below it. */
static bool value_any(const struct value *value, value_test *test)
{
	if (!value)
		return false;
	if (test(value))
		return true;
	for (size_t i = 0; value->type == VALUE_LIST && i < value->count; i++) {
		if (value_any(&value->items[i], test))
			return true;
	}
	for (size_t i = 0; value->type == VALUE_MAP && i < value->count; i++) {
		if (value_any(&value->members[i].value, test))
			return true;
	}
	return false;
}

static bool is_deferred(const struct value *value)
{
	return value->type == VALUE_DEFERRED;
}

static bool is_unread(const struct value *value)
{
	return value->type == VALUE_UNREAD;
}

static bool is_secret(const struct value *value)
{
	return value->secret || (value->type == VALUE_DEFERRED && value->deferred->secrets);
}

static bool is_fingerprint(const struct value *value)
{
	if (value->type == VALUE_DEFERRED && value->deferred->secrets)
		return value_any(value->deferred->secrets, is_fingerprint);
	return value_is_sealed(value);
}

bool value_has_deferred(const struct value *value)
{
	return value && value_any(value, is_deferred);
}

bool value_has_unread(const struct value *value)
{
	return value_any(value, is_unread);
}

bool value_has_secret(const struct value *value)
{
	return value_any(value, is_secret);
}

struct slice value_shown(const struct value *value, size_t most_bytes)
{
	return value_has_secret(value) ? SLICE(REDACTION_MARK) : slice_first(value_slice(value), most_bytes);
}

bool value_has_fingerprint(const struct value *value)
{
	return value_any(value, is_fingerprint);
}

/* What is no number at all equals itself here and precedes every number: else there were no total order. */
static int number_compare(double a, double b)
{
	bool a_is_none = a != a, b_is_none = b != b;

	if (a_is_none || b_is_none)
		return b_is_none - a_is_none;
	return (a > b) - (a < b);
}

static int list_compare(const struct value *a, const struct value *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++) {
		int order = value_compare(&a->items[i], &b->items[i]);

		if (order != 0)
			return order;
	}
	return (a->count > b->count) - (a->count < b->count);
}

static int map_compare(const struct value *a, const struct value *b)
{
	MEMBERS_AUTO first;
	MEMBERS_AUTO second;

	members_sort(&first, a);
	members_sort(&second, b);
	for (size_t i = 0; i < a->count && i < b->count; i++) {
		int order = members_compare(first.sorted[i], second.sorted[i]);

		if (order == 0)
			order = value_compare(&first.sorted[i]->value, &second.sorted[i]->value);
		if (order != 0)
			return order;
	}
	return (a->count > b->count) - (a->count < b->count);
}

static int deferred_compare(const struct deferred *a, const struct deferred *b)
{
	int order = slice_compare(a->text, b->text);

	if (order != 0 || a->secrets == b->secrets)
		return order;
	if (!a->secrets || !b->secrets)
		return a->secrets ? 1 : -1;
	return value_compare(a->secrets, b->secrets);
}

int value_compare(const struct value *a, const struct value *b)
{
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	switch ((enum value_type)a->type) {
	case VALUE_NULL:
	case VALUE_UNREAD:
		return 0;
	case VALUE_BOOL:
		return a->boolean - b->boolean;
	case VALUE_INTEGER:
		return (a->integer > b->integer) - (a->integer < b->integer);
	case VALUE_NUMBER:
		return number_compare(a->number, b->number);
	case VALUE_STRING:
		return slice_compare(string_slice(a), string_slice(b));
	case VALUE_LIST:
		return list_compare(a, b);
	case VALUE_MAP:
		return map_compare(a, b);
	case VALUE_DEFERRED:
		return deferred_compare(a->deferred, b->deferred);
	}
	return 0;
}

static bool list_equal(const struct value *a, const struct value *b)
{
	for (size_t i = 0; i < a->count; i++) {
		if (!value_equal(&a->items[i], &b->items[i]))
			return false;
	}
	return true;
}

/* Maps of one maker have their members in one order, so sorting is the rare case. */
static bool map_equal(const struct value *a, const struct value *b)
{
	for (size_t i = 0; i < a->count; i++) {
		if (!slice_equal(string_slice(&a->members[i].key), string_slice(&b->members[i].key)))
			return map_compare(a, b) == 0;
		if (!value_equal(&a->members[i].value, &b->members[i].value))
			return false;
	}
	return true;
}

bool value_equal(const struct value *a, const struct value *b)
{
	if (a == b)
		return true;
	if (a->type != b->type)
		return false;
	switch ((enum value_type)a->type) {
	case VALUE_LIST:
		return a->count == b->count && (a->items == b->items || list_equal(a, b));
	case VALUE_MAP:
		return a->count == b->count && (a->members == b->members || map_equal(a, b));
	case VALUE_STRING:
		return slice_equal(string_slice(a), string_slice(b));
	case VALUE_NULL:
	case VALUE_BOOL:
	case VALUE_INTEGER:
	case VALUE_NUMBER:
	case VALUE_DEFERRED:
	case VALUE_UNREAD:
		break;
	}
	return value_compare(a, b) == 0;
}

bool value_holds(const struct value *value, const struct value *other)
{
	if (value_equal(value, other))
		return true;
	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count; i++)
		if (value_holds(&value->items[i], other))
			return true;
	for (uint32_t i = 0; value_is(value, VALUE_MAP) && i < value->count; i++)
		if (value_holds(&value->members[i].value, other))
			return true;
	return false;
}

static struct value string_copy(struct arena *arena, struct value value)
{
	struct segmented *copy;
	struct segment *segments;
	size_t offset = 0;

	if (!value.segmented) {
		value.text = arena_string(arena, string_slice(&value));
		return value;
	}
	copy = arena_new(arena, struct segmented);
	segments = arena_new_array(arena, value.segments->count, struct segment);
	copy->whole = arena_copy(arena, value.segments->whole);
	for (size_t i = 0; i < value.segments->count; i++) {
		size_t size = value.segments->segments[i].text.size;

		segments[i].secret = value.segments->segments[i].secret;
		segments[i].text = slice_first(slice_from(copy->whole, offset), size);
		offset += size;
	}
	copy->segments = segments;
	copy->count = value.segments->count;
	value.segments = copy;
	return value;
}

/* The compiled program is shared: only the resolver that made it knows what it is. */
static const struct deferred *deferred_copy(struct arena *arena, const struct deferred *deferred)
{
	struct deferred *copy = arena_new(arena, struct deferred);

	copy->text = arena_copy(arena, deferred->text);
	copy->program = deferred->program;
	if (deferred->secrets) {
		struct value *secrets = arena_new(arena, struct value);

		*secrets = value_copy(arena, deferred->secrets);
		copy->secrets = secrets;
	}
	return copy;
}

static const struct value *items_copy(struct arena *arena, const struct value *list)
{
	struct value *items = arena_new_array(arena, list->count, struct value);

	for (size_t i = 0; i < list->count; i++)
		items[i] = value_copy(arena, &list->items[i]);
	return items;
}

static const struct value_member *members_copy(struct arena *arena, const struct value *map)
{
	struct value_member *members = arena_new_array(arena, map->count, struct value_member);

	for (size_t i = 0; i < map->count; i++) {
		members[i].key = string_copy(arena, map->members[i].key);
		members[i].value = value_copy(arena, &map->members[i].value);
	}
	return members;
}

struct value value_copy(struct arena *arena, const struct value *value)
{
	struct value copy = *value;

	switch ((enum value_type)value->type) {
	case VALUE_NULL:
	case VALUE_BOOL:
	case VALUE_INTEGER:
	case VALUE_NUMBER:
	case VALUE_UNREAD:
		break;
	case VALUE_STRING:
		return string_copy(arena, copy);
	case VALUE_LIST:
		copy.items = items_copy(arena, value);
		break;
	case VALUE_MAP:
		copy.members = members_copy(arena, value);
		break;
	case VALUE_DEFERRED:
		copy.deferred = deferred_copy(arena, value->deferred);
		break;
	}
	return copy;
}

static struct value mark(struct arena *arena, struct value value, bool marks_unset)
{
	if (value.type == VALUE_STRING && value.segmented)
		value = value_at(value_string(value_slice(&value)), value.position);
	if (value.type == VALUE_LIST) {
		struct value *items = arena_new_array(arena, value.count, struct value);

		for (size_t i = 0; i < value.count; i++)
			items[i] = mark(arena, value.items[i], marks_unset);
		value.items = items;
	} else if (value.type == VALUE_MAP) {
		struct value_member *members = arena_new_array(arena, value.count, struct value_member);

		for (size_t i = 0; i < value.count; i++)
			members[i] = (struct value_member){value.members[i].key,
							   mark(arena, value.members[i].value, marks_unset)};
		value.members = members;
	}
	value.secret = marks_unset || (value.type != VALUE_NULL && value.type != VALUE_UNREAD);
	return value;
}

struct value value_secret(struct arena *arena, struct value value)
{
	return mark(arena, value, false);
}

struct value value_secret_if_unset(struct arena *arena, struct value value)
{
	return mark(arena, value, true);
}

void value_builder_init(struct value_builder *builder)
{
	*builder = (struct value_builder){0};
}

void value_builder_release(struct value_builder *builder)
{
	free(builder->members);
	*builder = (struct value_builder){0};
}

static struct value_member *builder_next(struct value_builder *builder)
{
	builder->members = memory_room(builder->members, builder->count, &builder->capacity, sizeof(*builder->members));
	return &builder->members[builder->count++];
}

void value_builder_item(struct value_builder *builder, struct value item)
{
	builder_next(builder)->value = item;
}

void value_builder_keyed(struct value_builder *builder, struct value key, struct value value)
{
	*builder_next(builder) = (struct value_member){.key = key, .value = value};
}

void value_builder_member(struct value_builder *builder, struct slice key, struct value value)
{
	value_builder_keyed(builder, value_string(key), value);
}

void value_builder_set(struct value_builder *builder, struct slice key, struct value value)
{
	for (size_t i = 0; i < builder->count; i++) {
		if (slice_equal(string_slice(&builder->members[i].key), key)) {
			builder->members[i].value = value;
			return;
		}
	}
	value_builder_member(builder, key, value);
}

void value_builder_members(struct value_builder *builder, const struct value *map)
{
	for (uint32_t i = 0; value_is(map, VALUE_MAP) && i < map->count; i++)
		value_builder_keyed(builder, map->members[i].key, map->members[i].value);
}

void value_builder_overlay(struct value_builder *builder, const struct value *map)
{
	for (uint32_t i = 0; value_is(map, VALUE_MAP) && i < map->count; i++)
		value_builder_set(builder, string_slice(&map->members[i].key), map->members[i].value);
}

struct value value_builder_list(struct value_builder *builder, struct arena *arena)
{
	struct value *items = arena_new_array(arena, builder->count, struct value);
	size_t count = builder->count;

	for (size_t i = 0; i < count; i++)
		items[i] = builder->members[i].value;
	builder->count = 0;
	return value_list(items, count);
}

struct value value_builder_map(struct value_builder *builder, struct arena *arena)
{
	struct value_member *members = arena_new_array(arena, builder->count, struct value_member);
	size_t count = builder->count;

	if (count > 0)
		memcpy(members, builder->members, count * sizeof(*members));
	builder->count = 0;
	return value_map(members, count);
}

struct value value_overlaid(const struct value *map, const struct value *over, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	value_builder_members(&builder, map);
	value_builder_overlay(&builder, over);
	return value_builder_map(&builder, arena);
}

struct value value_with(const struct value *map, struct slice key, struct value value, struct arena *arena)
{
	const struct value_member member = {value_string(key), value};
	const struct value over = value_map(&member, 1);

	return value_overlaid(map, &over, arena);
}
