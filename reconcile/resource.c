#include "reconcile/resource.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/hex.h"
#include "base/http.h"

enum {
	IDENTITY_LIMIT_BYTES = 16 * 1024,
	DESIRED_LIMIT_BYTES = 64 * 1024 * 1024,
};

const struct map *stack_addresses(const struct stack *stack, struct map *spare)
{
	if (stack->addresses && stack->resource_count > 0 && stack->resource_count == stack->addresses->count &&
	    map_get(stack->addresses, stack->resources[0].address) == &stack->resources[0])
		return stack->addresses;
	map_reserve(spare, stack->resource_count);
	for (size_t i = 0; i < stack->resource_count; i++)
		map_add(spare, stack->resources[i].address, &stack->resources[i]);
	return spare;
}

bool address_is_of(struct slice address, struct slice kind)
{
	return address.size > kind.size + 1 && slice_starts_with(address, kind) && address.data[kind.size] == '.';
}

struct slice address_name(struct slice address, struct slice kind)
{
	return slice_from(address, kind.size + 1);
}

int object_compare(const struct object *left, const struct object *right)
{
	int order = slice_compare(left->address, right->address);

	if (order == 0)
		order = (int)left->role - (int)right->role;
	return order != 0 ? order : slice_compare(left->object_id, right->object_id);
}

bool identity_equal(const struct identity *a, const struct identity *b)
{
	return slice_equal(a->provider, b->provider) && slice_equal(a->partition, b->partition) &&
	       slice_equal(a->account, b->account) && slice_equal(a->region, b->region) &&
	       slice_equal(a->endpoint, b->endpoint);
}

struct identity identity_any_way(const struct identity *identity)
{
	struct identity place = *identity;

	if (place.account.size > 0 && !endpoint_is_simulated(place.endpoint))
		place.endpoint = (struct slice){NULL, 0};
	return place;
}

bool identity_same_place(const struct identity *a, const struct identity *b)
{
	const struct identity one = identity_any_way(a), other = identity_any_way(b);

	return identity_equal(&one, &other);
}

/* Whether a byte would be taken for a separator, an escape, or the end of the text's word. */
static bool needs_escape(char byte)
{
	return byte == ':' || byte == '@' || byte == '%' || (unsigned char)byte <= ' ' || byte == 0x7f;
}

static void escape(struct buffer *buffer, struct slice text)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < text.size; i++) {
		unsigned char byte = (unsigned char)text.data[i];

		if (needs_escape(text.data[i])) {
			const char code[] = {'%', digits[byte >> 4], digits[byte & 15]};
			buffer_append(buffer, (struct slice){code, sizeof(code)});
		} else {
			buffer_byte(buffer, text.data[i]);
		}
	}
}

/*
 * provider:account:region[:partition][@endpoint]. The partition is left out where it is
 * named as the provider is, which is the common case.
 */
static void identity_write(struct buffer *buffer, const struct identity *identity)
{
	escape(buffer, identity->provider);
	buffer_byte(buffer, ':');
	escape(buffer, identity->account);
	buffer_byte(buffer, ':');
	escape(buffer, identity->region);
	if (!slice_equal(identity->partition, identity->provider)) {
		buffer_byte(buffer, ':');
		escape(buffer, identity->partition);
	}
	if (identity->endpoint.size > 0) {
		buffer_byte(buffer, '@');
		escape(buffer, identity->endpoint);
	}
}

struct slice identity_text(struct arena *arena, const struct identity *identity)
{
	BUFFER_AUTO buffer;

	buffer_init(&buffer, IDENTITY_LIMIT_BYTES);
	identity_write(&buffer, identity);
	return arena_copy(arena, buffer_slice(&buffer));
}

struct slice identity_told(struct arena *arena, const struct identity *identity)
{
	const struct {
		const char *name;
		struct slice text;
	} parts[] = {
		{" account ", identity->account}, {", region ", identity->region}, {", endpoint ", identity->endpoint}};
	BUFFER_AUTO buffer;

	buffer_init(&buffer, IDENTITY_LIMIT_BYTES);
	buffer_append(&buffer, identity->provider);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].text.size > 0)
			buffer_format(&buffer, "%s%.*s", parts[i].name, SLICE_ARGUMENTS(parts[i].text));
	return arena_copy(arena, buffer_slice(&buffer));
}

static bool unescape(struct arena *arena, struct slice text, struct slice *ret)
{
	char *plain = (char *)arena_get(arena, text.size + 1);
	size_t size = 0;

	for (size_t i = 0; i < text.size; i++) {
		int high, low;

		if (text.data[i] != '%') {
			plain[size++] = text.data[i];
			continue;
		}
		if (text.size - i < 3)
			return false;
		high = hex_digit(text.data[i + 1]);
		low = hex_digit(text.data[i + 2]);
		if (high < 0 || low < 0)
			return false;
		plain[size++] = (char)(high << 4 | low);
		i += 2;
	}
	*ret = (struct slice){plain, size};
	return true;
}

/* Upper and lower case are one in scheme and host, and a slash at the end leads nowhere else (RFC 3986, 6.2). */
static void write_endpoint(struct buffer *buffer, struct slice url)
{
	struct slice path = url, scheme = slice_cut(&path, '/');
	size_t at = scheme.size + 2;

	while (at < url.size && url.data[at] != '/')
		at++;
	if (!slice_ends_with(scheme, SLICE(":")) || !slice_starts_with(path, SLICE("/")) || at > url.size) {
		buffer_append(buffer, url);
		return;
	}
	for (size_t i = 0; i < at; i++) {
		char byte = url.data[i];

		buffer_byte(buffer, byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte);
	}
	path = slice_from(url, at);
	while (slice_ends_with(path, SLICE("/")))
		path.size--;
	buffer_append(buffer, path);
}

struct slice identity_endpoint(struct arena *arena, struct slice endpoint)
{
	struct slice rest = endpoint;
	BUFFER_AUTO plain;

	buffer_init(&plain, SIZE_MAX);
	/* A path of the file system: letters are what they are there. */
	if (endpoint.size == 0 || endpoint_is_simulated(endpoint))
		return endpoint;
	while (rest.data) {
		write_endpoint(&plain, slice_cut(&rest, ' '));
		if (rest.data)
			buffer_byte(&plain, ' ');
	}
	return arena_copy(arena, buffer_slice(&plain));
}

bool identity_read(struct arena *arena, struct slice text, struct identity *ret)
{
	enum { PROVIDER, ACCOUNT, REGION, PARTITION, COMPONENTS };
	struct slice endpoint = text, rest = slice_cut(&endpoint, '@');
	struct slice components[COMPONENTS];
	struct identity identity;
	size_t count = 0;
	BUFFER_AUTO again;

	buffer_init(&again, IDENTITY_LIMIT_BYTES);
	do {
		if (count == COMPONENTS || !unescape(arena, slice_cut(&rest, ':'), &components[count++]))
			return false;
	} while (rest.data);
	if (count <= REGION || !unescape(arena, endpoint, &identity.endpoint))
		return false;
	identity.provider = components[PROVIDER];
	identity.account = components[ACCOUNT];
	identity.region = components[REGION];
	identity.partition = components[count > PARTITION ? PARTITION : PROVIDER];
	/* One identity has one text: any other spelling is refused. */
	identity_write(&again, &identity);
	if (!slice_equal(buffer_slice(&again), text))
		return false;
	identity.endpoint = identity_endpoint(arena, identity.endpoint);
	*ret = identity;
	return true;
}

/* A JSON list of the texts, sorted and without repeats: their order means nothing. NULL: there are none. */
static void write_names(struct buffer *buffer, struct slice *names, size_t count)
{
	if (count > 1)
		qsort(names, count, sizeof(*names), slice_order);
	buffer_byte(buffer, '[');
	for (size_t i = 0; names && i < count; i++) {
		if (i > 0 && slice_equal(names[i - 1], names[i]))
			continue;
		if (i > 0)
			buffer_byte(buffer, ',');
		json_write_string(buffer, names[i]);
	}
	buffer_byte(buffer, ']');
}

static void write_ignored(struct buffer *buffer, const struct resource *resource, struct arena *scratch)
{
	struct slice *names = NULL;

	if (resource->ignored_count > 0)
		names = arena_new_array(scratch, resource->ignored_count, struct slice);
	for (size_t i = 0; i < resource->ignored_count; i++)
		names[i] = resource->ignored[i];
	write_names(buffer, names, resource->ignored_count);
}

/* What depends_on names stands in no field, and yet is recorded for the order of deletion. */
static void write_depends_on(struct buffer *buffer, const struct resource *resource, struct arena *scratch)
{
	struct slice *names = NULL;
	size_t count = 0;

	for (size_t i = 0; i < resource->dependency_count; i++) {
		if (resource->dependencies[i].binding != BINDS_WHOLE)
			continue;
		if (!names)
			names = arena_new_array(scratch, resource->dependency_count, struct slice);
		names[count++] = resource->dependencies[i].address;
	}
	write_names(buffer, names, count);
}

void resource_symbolic_init(struct buffer *text)
{
	buffer_init(text, DESIRED_LIMIT_BYTES);
}

/* The members stand in the order of canonical JSON. */
struct digest resource_symbolic_in(struct buffer *text, const struct resource *resource, const struct json_style *style,
				   struct arena *scratch)
{
	struct digest never = {0};

	buffer_clear(text);
	buffer_append(text, SLICE("{\"create_before_destroy\":"));
	buffer_decimal(text, (uint64_t)resource->create_before_destroy);
	buffer_append(text, SLICE(",\"depends_on\":"));
	write_depends_on(text, resource, scratch);
	buffer_append(text, SLICE(",\"desired\":"));
	if (!json_write(text, &resource->desired, style))
		return never;
	buffer_append(text, SLICE(",\"ignored\":"));
	write_ignored(text, resource, scratch);
	buffer_append(text, SLICE(",\"kind\":"));
	json_write_string(text, slice_of(resource->kind->name));
	buffer_append(text, resource->protect ? SLICE(",\"protect\":true,\"version\":")
					      : SLICE(",\"protect\":false,\"version\":"));
	buffer_decimal(text, resource->kind->version);
	buffer_byte(text, '}');
	/* A text that was cut proves nothing. */
	return text->full ? never : digest_of(buffer_slice(text));
}

struct digest resource_symbolic(const struct resource *resource, const struct json_style *style, struct arena *scratch)
{
	BUFFER_AUTO text;

	resource_symbolic_init(&text);
	return resource_symbolic_in(&text, resource, style, scratch);
}

static const char *const binding_words[] = {
	[BINDS_MAKE] = "make",
	[BINDS_SETTLE] = "settle",
	[BINDS_WHOLE] = "whole",
};
const struct names binding_names = NAMES(binding_words);

static const char *const role_words[] = {
	[OBJECT_CURRENT] = "current",
	[OBJECT_DEPOSED] = "deposed",
	[OBJECT_INCOMPLETE] = "incomplete",
};
const struct names role_names = NAMES(role_words);

bool object_was_finished(const struct object *object)
{
	static const struct digest never = {0};

	if (object->role != OBJECT_DEPOSED)
		return object->role == OBJECT_CURRENT;
	/* Either is recorded with the last step alone; what was rebuilt from its tags has just the second. */
	return !digest_equal(&object->symbolic, &never) || object->observed.count > 0;
}

bool object_was_never_seen(const struct object *object)
{
	return object->role == OBJECT_INCOMPLETE && object->provider_id.size == 0;
}

bool object_is_twin(const struct object *object)
{
	/* Nothing is recorded of what it was to be, nor that it ever was that. */
	return object->role == OBJECT_DEPOSED && object->applied.count == 0 && !object_was_finished(object);
}

/* One of a list of names, as often as it may stand there. */
bool ignored_has(const struct value *list, struct slice name)
{
	for (uint32_t i = 0; value_is(list, VALUE_LIST) && i < list->count; i++)
		if (slice_equal(value_slice(&list->items[i]), name))
			return true;
	return false;
}

bool resource_leaves(const struct resource *resource, struct slice name)
{
	if (value_is(&resource->left_to_others, VALUE_LIST))
		return ignored_has(&resource->left_to_others, name);
	for (size_t i = 0; i < resource->ignored_count; i++)
		if (slice_equal(resource->ignored[i], name))
			return true;
	return false;
}

bool ignored_equal(const struct value *a, const struct value *b)
{
	bool same = true;

	if (!value_is(a, VALUE_LIST) || !value_is(b, VALUE_LIST))
		return true;
	for (uint32_t i = 0; same && i < a->count; i++)
		same = ignored_has(b, value_slice(&a->items[i]));
	for (uint32_t i = 0; same && i < b->count; i++)
		same = ignored_has(a, value_slice(&b->items[i]));
	return same;
}

struct value ignored_write(const struct slice *names, size_t count, struct arena *arena)
{
	struct value *items = arena_new_array(arena, count + 1, struct value);

	for (size_t i = 0; i < count; i++)
		items[i] = value_string(names[i]);
	return value_list(items, count);
}

const struct slice *ignored_read(const struct value *list, struct arena *arena)
{
	struct slice *names = arena_new_array(arena, list->count + 1, struct slice);

	for (uint32_t i = 0; i < list->count; i++)
		names[i] = value_slice(&list->items[i]);
	return names;
}

static int compare_names(const void *a, const void *b)
{
	return slice_compare(value_slice(a), value_slice(b));
}

struct value ignored_in_order(const struct value *list, struct arena *arena)
{
	struct value *items = arena_new_array(arena, list->count + 1, struct value);
	size_t count = 0;

	for (uint32_t i = 0; i < list->count; i++)
		items[i] = value_string(value_slice(&list->items[i]));
	if (list->count > 1)
		qsort(items, list->count, sizeof(*items), compare_names);
	for (uint32_t i = 0; i < list->count; i++)
		if (count == 0 || compare_names(&items[i], &items[count - 1]) != 0)
			items[count++] = items[i];
	return value_list(items, count);
}

void object_discard_shown(struct object *object, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (uint32_t i = 0; i < object->resolved.count; i++)
		if (!slice_is(value_slice(&object->resolved.members[i].key), SECRET_TO))
			value_builder_member(&builder, value_slice(&object->resolved.members[i].key),
					     object->resolved.members[i].value);
	object->resolved = value_builder_map(&builder, arena);
}
