#include "providers/aws/sign_canonical.h"

#include <stdlib.h>
#include <string.h>

#include "providers/aws/uri.h"

enum { PART_BYTES_MOST = 1 << 20 };

/*
 * Sorted. Proxies and tracers change these, or they speak of one hop only (RFC 9110, section
 * 7.6.1); Authorization is the signature's own place.
 */
static const char *const unsigned_headers[] = {
	"authorization",
	"baggage",
	"connection",
	"expect",
	"keep-alive",
	"proxy-authenticate",
	"proxy-authorization",
	"te",
	"traceparent",
	"tracestate",
	"trailer",
	"transfer-encoding",
	"upgrade",
	"user-agent",
	"x-amzn-trace-id",
};

struct pair {
	struct slice name;
	struct slice value;
	size_t number; /* keeps equal names in the order they came in */
};

static int compare_name_value(const void *a, const void *b)
{
	const struct pair *left = a;
	const struct pair *right = b;
	int order = slice_compare(left->name, right->name);

	return order != 0 ? order : slice_compare(left->value, right->value);
}

static int compare_name_number(const void *a, const void *b)
{
	const struct pair *left = a;
	const struct pair *right = b;
	int order = slice_compare(left->name, right->name);

	if (order != 0)
		return order;
	return left->number < right->number ? -1 : left->number > right->number;
}

static void sort_pairs(struct pair *pairs, size_t count, int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(pairs, count, sizeof(*pairs), compare);
}

/* Without ".", ".." and empty segments, as RFC 3986, section 5.2.4 has it, but for one thing that
 * AWS does otherwise: a ".." at the end leaves no '/' behind. */
static struct slice normal_path(struct arena *arena, struct slice path)
{
	struct slice *segments = arena_new_array(arena, path.size + 1, struct slice);
	char *text = arena_get(arena, path.size + 1);
	struct slice rest = path;
	size_t count = 0;
	size_t size = 0;

	while (rest.data) {
		struct slice segment = slice_cut(&rest, '/');

		if (segment.size == 0 || slice_is(segment, "."))
			continue;
		if (!slice_is(segment, ".."))
			segments[count++] = segment;
		else if (count > 0)
			count--;
	}
	for (size_t i = 0; i < count; i++) {
		text[size++] = '/';
		memcpy(text + size, segments[i].data, segments[i].size);
		size += segments[i].size;
	}
	if (count == 0 || path.data[path.size - 1] == '/')
		text[size++] = '/';
	return (struct slice){text, size};
}

void aws_canonical_path(struct buffer *buffer, struct arena *arena, struct slice path, bool as_given, bool encoded_once)
{
	if (path.size == 0)
		path = SLICE("/");
	if (!as_given)
		path = normal_path(arena, path);
	if (encoded_once)
		buffer_append(buffer, path);
	else
		aws_uri_encode(buffer, path, true);
}

static struct slice encoded_afresh(struct arena *arena, struct slice text)
{
	BUFFER_AUTO plain;
	BUFFER_AUTO encoded;

	buffer_init(&plain, PART_BYTES_MOST);
	buffer_init(&encoded, PART_BYTES_MOST);
	aws_uri_decode(&plain, text);
	aws_uri_encode(&encoded, buffer_slice(&plain), false);
	return arena_copy(arena, buffer_slice(&encoded));
}

void aws_canonical_query(struct buffer *buffer, struct arena *arena, struct slice query)
{
	struct slice rest = query;
	struct pair *pairs;
	size_t count = 1;

	if (query.size == 0)
		return;
	for (size_t i = 0; i < query.size; i++)
		count += query.data[i] == '&';
	pairs = arena_new_array(arena, count, struct pair);
	count = 0;
	while (rest.data) {
		struct slice value = slice_cut(&rest, '&');
		struct slice name = slice_cut(&value, '=');

		if (name.size == 0 && !value.data)
			continue;
		pairs[count].name = encoded_afresh(arena, name);
		pairs[count++].value = encoded_afresh(arena, value);
	}
	sort_pairs(pairs, count, compare_name_value);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buffer_byte(buffer, '&');
		buffer_append(buffer, pairs[i].name);
		buffer_byte(buffer, '=');
		buffer_append(buffer, pairs[i].value);
	}
}

static struct slice lower(struct arena *arena, struct slice text)
{
	char *copy = arena_get(arena, text.size);

	for (size_t i = 0; i < text.size; i++)
		copy[i] = lower_case(text.data[i]);
	return (struct slice){copy, text.size};
}

static int compare_unsigned(const void *key, const void *entry)
{
	const struct slice *name = key;
	const char *const *other = entry;

	return slice_compare(*name, slice_of(*other));
}

static bool is_unsigned(struct slice name)
{
	return bsearch(&name, unsigned_headers, sizeof(unsigned_headers) / sizeof(unsigned_headers[0]),
		       sizeof(unsigned_headers[0]), compare_unsigned) != NULL;
}

/* Trimmed, and each run of white space as one space: quotes do not protect it. */
static void append_header_value(struct buffer *buffer, struct slice value)
{
	bool pending = false;
	bool begun = false;

	for (size_t i = 0; i < value.size; i++) {
		if (slice_is_space(value.data[i])) {
			pending = begun;
			continue;
		}
		if (pending)
			buffer_byte(buffer, ' ');
		buffer_byte(buffer, value.data[i]);
		pending = false;
		begun = true;
	}
}

struct slice aws_canonical_headers(struct buffer *buffer, struct arena *arena, const struct http_header *headers,
				   size_t count)
{
	struct pair *pairs = arena_new_array(arena, count, struct pair);
	BUFFER_AUTO names;
	size_t kept = 0;

	buffer_init(&names, PART_BYTES_MOST);
	for (size_t i = 0; i < count; i++) {
		struct slice name = lower(arena, slice_trim(headers[i].name));

		if (!is_unsigned(name))
			pairs[kept++] = (struct pair){name, headers[i].value, i};
	}
	sort_pairs(pairs, kept, compare_name_number);
	for (size_t i = 0; i < kept; i++) {
		bool again = i > 0 && slice_equal(pairs[i].name, pairs[i - 1].name);

		if (again) {
			buffer_byte(buffer, ',');
		} else {
			if (i > 0)
				buffer_byte(&names, ';');
			buffer_append(&names, pairs[i].name);
			buffer_append(buffer, pairs[i].name);
			buffer_byte(buffer, ':');
		}
		append_header_value(buffer, pairs[i].value);
		if (i + 1 == kept || !slice_equal(pairs[i].name, pairs[i + 1].name))
			buffer_byte(buffer, '\n');
	}
	return arena_copy(arena, buffer_slice(&names));
}
