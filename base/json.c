#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/members.h"

/* One text under way. That the buffer was full is asked once, at the end. */
struct writing {
	struct buffer *buffer;
	const struct json_style *style;
	size_t indent; /* levels; used only when pretty */
};

static void write_value(struct writing *writing, const struct value *value);

static inline void put(struct buffer *buffer, const char *data, size_t size)
{
	buffer_append(buffer, (struct slice){data, size});
}

static inline void put_byte(struct buffer *buffer, char byte)
{
	buffer_byte(buffer, byte);
}

static inline void put_text(struct buffer *buffer, struct slice text)
{
	buffer_append(buffer, text);
}

/* Whether byte stands for itself within a JSON string and is ASCII. */
static inline bool is_plain(char byte)
{
	return byte >= 0x20 && byte != '"' && byte != '\\' && (unsigned char)byte < 0x80;
}

static void write_escape(struct buffer *buffer, char byte)
{
	static const char digits[] = "0123456789abcdef";
	static const char shorts[] = "\"\\\b\f\n\r\t";
	static const char letters[] = "\"\\bfnrt";
	const char *found = (const char *)memchr(shorts, byte, sizeof(shorts) - 1);

	if (found) {
		put(buffer, (const char[]){'\\', letters[found - shorts]}, 2);
		return;
	}
	put_text(buffer, SLICE("\\u00"));
	put(buffer, (const char[]){digits[(unsigned char)byte >> 4], digits[byte & 15]}, 2);
}

/* The end of the well-formed UTF-8 from offset on. */
static size_t utf8_end(struct slice text, size_t offset)
{
	size_t bad;

	return slice_is_utf8(slice_from(text, offset), &bad) ? text.size : offset + bad;
}

/* The inside of a JSON string. */
static void write_escaped(struct buffer *buffer, struct slice text)
{
	size_t start = 0, good_end = 0;

	for (size_t i = 0; i < text.size; i++) {
		char byte = text.data[i];

		if (is_plain(byte))
			continue;
		if ((unsigned char)byte >= 0x80) {
			if (i >= good_end)
				good_end = utf8_end(text, i);
			if (i < good_end)
				continue;
		}
		put(buffer, text.data + start, i - start);
		start = i + 1;
		/* What is no UTF-8 cannot stand in JSON: U+FFFD takes the place of each such byte. */
		if ((unsigned char)byte >= 0x80)
			put_text(buffer, SLICE("\xef\xbf\xbd"));
		else
			write_escape(buffer, byte);
	}
	if (start < text.size)
		put(buffer, text.data + start, text.size - start);
}

/* Whether every byte of a word is_plain(), by the tests for a byte that is zero or below a number which S. E. Anderson
 * collects in "Bit Twiddling Hacks". */
static inline bool are_plain(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
	uint64_t quotes = word ^ (ones * '"'), slashes = word ^ (ones * '\\');

	return ((word | ((word - ones * 0x20) & ~word) | ((quotes - ones) & ~quotes) | ((slashes - ones) & ~slashes)) &
		tops) == 0;
}

/* Copies while it looks; false where text has a byte that is not is_plain(). The last words of two sizes overlap the
 * ones before, so that nothing but the shortest texts goes byte by byte. */
static inline bool copy_plain(char *to, struct slice text)
{
	uint64_t word;
	uint32_t first, last;
	size_t i = 0;

	for (; text.size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, text.data + i, sizeof(word));
		memcpy(to + i, &word, sizeof(word));
		if (!are_plain(word))
			return false;
	}
	if (i == text.size)
		return true;
	if (text.size >= sizeof(word)) {
		memcpy(&word, text.data + text.size - sizeof(word), sizeof(word));
		memcpy(to + text.size - sizeof(word), &word, sizeof(word));
		return are_plain(word);
	}
	if (text.size >= sizeof(first)) {
		memcpy(&first, text.data, sizeof(first));
		memcpy(&last, text.data + text.size - sizeof(last), sizeof(last));
		memcpy(to, &first, sizeof(first));
		memcpy(to + text.size - sizeof(last), &last, sizeof(last));
		return are_plain((uint64_t)last << 32 | first);
	}
	for (; i < text.size; i++) {
		if (!is_plain(text.data[i]))
			return false;
		to[i] = text.data[i];
	}
	return true;
}

/* Writes a text that needs no escapes, with its quotes, into a buffer that has room; else writes nothing. */
static inline bool write_plain(struct buffer *buffer, struct slice text)
{
	char *to;

	if (buffer->full || buffer->capacity - buffer->size < 2 || buffer->capacity - buffer->size - 2 < text.size)
		return false;
	to = buffer->data + buffer->size;
	if (!copy_plain(to + 1, text))
		return false;
	to[0] = to[1 + text.size] = '"';
	to[2 + text.size] = '\0';
	buffer->size += 2 + text.size;
	return true;
}

bool json_write_string(struct buffer *buffer, struct slice text)
{
	if (write_plain(buffer, text))
		return true;
	put_byte(buffer, '"');
	write_escaped(buffer, text);
	put_byte(buffer, '"');
	return !buffer->full;
}

static void write_integer(struct buffer *buffer, int64_t integer)
{
	char digits[20];
	size_t start = sizeof(digits);
	uint64_t rest = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;

	do {
		digits[--start] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (integer < 0)
		digits[--start] = '-';
	put(buffer, digits + start, sizeof(digits) - start);
}

/*
 * The shortest of 15, 16 or 17 digits that reads back the same. printf() and strtod() use the
 * radix character of the locale, whatever it is; here it becomes a point. A whole number gets
 * ".0", so that it is read as a number again and not as an integer.
 */
static void write_number(struct buffer *buffer, double number)
{
	char text[64];
	bool radix = false, marked = false;

	if (!isfinite(number)) {
		put_text(buffer, SLICE("null"));
		return;
	}
	/* Zero has two signs but value_equal() knows one zero. */
	if (number == 0)
		number = 0;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	for (const char *byte = text; *byte; byte++) {
		bool part = (*byte >= '0' && *byte <= '9') || *byte == '-' || *byte == '+' || *byte == 'e';

		if (part)
			put_byte(buffer, *byte);
		else if (!radix)
			put_byte(buffer, '.');
		radix = radix || !part;
		marked = marked || !part || *byte == 'e';
	}
	if (!marked)
		put_text(buffer, SLICE(".0"));
}

static void take_fingerprint(const struct json_style *style, struct slice secret, char ret[65])
{
	memset(ret, 0, 65);
	if (style->fingerprint)
		style->fingerprint(style->context, secret, ret);
	ret[64] = '\0';
}

/* secret may be of any bytes; only its fingerprint is written. One that is sealed is one already. */
static void write_fingerprint(struct writing *writing, struct slice secret, bool sealed)
{
	char fingerprint[65];

	if (sealed) {
		put_text(writing->buffer, SLICE("{\"$secret\":"));
		json_write_string(writing->buffer, secret);
		put_byte(writing->buffer, '}');
		return;
	}
	take_fingerprint(writing->style, secret, fingerprint);
	put_text(writing->buffer, SLICE("{\"$secret\":"));
	json_write_string(writing->buffer, slice_of(fingerprint));
	put_byte(writing->buffer, '}');
}

static void write_segments(struct writing *writing, const struct segmented *segmented, bool sealed)
{
	put_text(writing->buffer, SLICE("{\"$segments\":["));
	for (size_t i = 0; i < segmented->count; i++) {
		const struct segment *segment = &segmented->segments[i];

		if (i > 0)
			put_byte(writing->buffer, ',');
		if (segment->secret)
			write_fingerprint(writing, segment->text, sealed);
		else
			json_write_string(writing->buffer, segment->text);
	}
	put_text(writing->buffer, SLICE("]}"));
}

bool json_secret_text(struct buffer *buffer, const struct value *value)
{
	static const struct json_style plain = {.clear = true};

	if (value->type == VALUE_STRING)
		return buffer_append(buffer, value_slice(value));
	return buffer_byte(buffer, '\0') && json_write(buffer, value, &plain);
}

static void write_secret(struct writing *writing, const struct value *value)
{
	BUFFER_AUTO clear;

	buffer_init_wiped(&clear, SIZE_MAX);
	if (value->type == VALUE_STRING) {
		write_fingerprint(writing, value_slice(value), value->style == VALUE_STYLE_SEALED);
		return;
	}
	(void)json_secret_text(&clear, value);
	write_fingerprint(writing, buffer_slice(&clear), false);
}

static void write_deferred(struct writing *writing, const struct deferred *deferred)
{
	put_text(writing->buffer, SLICE("{\"$deferred\":"));
	json_write_string(writing->buffer, deferred->text);
	if (deferred->secrets) {
		put_text(writing->buffer, SLICE(",\"$secrets\":"));
		write_value(writing, deferred->secrets);
	}
	put_byte(writing->buffer, '}');
}

/* True where value is one of the things that JSON lacks; it is written then. */
static bool write_symbol(struct writing *writing, const struct value *value)
{
	if (value->type == VALUE_DEFERRED) {
		write_deferred(writing, value->deferred);
		return true;
	}
	if (value->type == VALUE_UNREAD) {
		put_text(writing->buffer, SLICE("{\"$unread\":true}"));
		return true;
	}
	if (value->type == VALUE_STRING && value->segmented) {
		write_segments(writing, value->segments, value->style == VALUE_STYLE_SEALED);
		return true;
	}
	if (value->secret) {
		write_secret(writing, value);
		return true;
	}
	return false;
}

/* Before an item, and before the closing bracket. */
static void write_line(struct writing *writing)
{
	put_byte(writing->buffer, '\n');
	for (size_t i = 0; i < writing->indent; i++)
		put_text(writing->buffer, SLICE("  "));
}

static inline void write_break(struct writing *writing)
{
	if (writing->style->pretty)
		write_line(writing);
}

static void write_list(struct writing *writing, const struct value *list)
{
	put_byte(writing->buffer, '[');
	writing->indent++;
	for (size_t i = 0; i < list->count && !writing->buffer->full; i++) {
		if (i > 0)
			put_byte(writing->buffer, ',');
		write_break(writing);
		write_value(writing, &list->items[i]);
	}
	writing->indent--;
	if (list->count > 0)
		write_break(writing);
	put_byte(writing->buffer, ']');
}

static void write_key(struct writing *writing, struct slice key)
{
	/* The same '$' in front of every such key leaves their order as it is. */
	if (!writing->style->clear && key.size > 0 && key.data[0] == '$') {
		put_text(writing->buffer, SLICE("\"$"));
		write_escaped(writing->buffer, key);
		put_byte(writing->buffer, '"');
	} else {
		json_write_string(writing->buffer, key);
	}
	put_byte(writing->buffer, ':');
	if (writing->style->pretty)
		put_byte(writing->buffer, ' ');
}

static void write_member(struct writing *writing, const struct value_member *member, bool first)
{
	if (!first)
		put_byte(writing->buffer, ',');
	write_break(writing);
	write_key(writing, value_slice(&member->key));
	write_value(writing, &member->value);
}

static void write_members_sorted(struct writing *writing, const struct value *map)
{
	MEMBERS_AUTO members;

	members_sort(&members, map);
	for (size_t i = 0; i < map->count && !writing->buffer->full; i++)
		write_member(writing, members.sorted[i], i == 0);
}

static void write_map(struct writing *writing, const struct value *map)
{
	put_byte(writing->buffer, '{');
	writing->indent++;
	if (!writing->style->pretty)
		write_members_sorted(writing, map);
	for (size_t i = 0; writing->style->pretty && i < map->count && !writing->buffer->full; i++)
		write_member(writing, &map->members[i], i == 0);
	writing->indent--;
	if (map->count > 0)
		write_break(writing);
	put_byte(writing->buffer, '}');
}

static void write_value(struct writing *writing, const struct value *value)
{
	struct buffer *buffer = writing->buffer;

	if (!writing->style->clear && write_symbol(writing, value))
		return;
	switch ((enum value_type)value->type) {
	case VALUE_NULL:
	case VALUE_UNREAD:
		put_text(buffer, SLICE("null"));
		break;
	case VALUE_BOOL:
		put_text(buffer, value->boolean ? SLICE("true") : SLICE("false"));
		break;
	case VALUE_INTEGER:
		write_integer(buffer, value->integer);
		break;
	case VALUE_NUMBER:
		write_number(buffer, value->number);
		break;
	case VALUE_STRING:
		json_write_string(buffer, value_slice(value));
		break;
	case VALUE_LIST:
		write_list(writing, value);
		break;
	case VALUE_MAP:
		write_map(writing, value);
		break;
	case VALUE_DEFERRED:
		json_write_string(buffer, value->deferred->text);
		break;
	}
}

bool json_write(struct buffer *buffer, const struct value *value, const struct json_style *style)
{
	static const struct json_style canonical = {0};
	struct writing writing = {.buffer = buffer, .style = style ? style : &canonical};

	write_value(&writing, value);
	return !buffer->full;
}

struct slice json_canonical(struct arena *arena, const struct value *value, const struct json_style *style)
{
	struct json_style canonical = style ? *style : (struct json_style){0};
	BUFFER_AUTO buffer;
	struct writing writing = {.buffer = &buffer, .style = &canonical};

	canonical.pretty = false;
	buffer_init(&buffer, SIZE_MAX);
	write_value(&writing, value);
	return arena_copy(arena, buffer_slice(&buffer));
}

static struct value seal_string(struct arena *arena, const struct value *value, const struct json_style *style)
{
	char fingerprint[65];
	struct value sealed = *value;

	if (value->segmented) {
		struct segment *segments = arena_new_array(arena, value->segments->count, struct segment);
		for (size_t i = 0; i < value->segments->count; i++) {
			segments[i] = value->segments->segments[i];
			if (!segments[i].secret)
				continue;
			take_fingerprint(style, segments[i].text, fingerprint);
			segments[i].text = arena_copy(arena, slice_of(fingerprint));
		}
		sealed = value_at(value_segments(arena, segments, value->segments->count), value->position);
	} else {
		take_fingerprint(style, value_slice(value), fingerprint);
		sealed = value_at(value_string(arena_copy(arena, slice_of(fingerprint))), value->position);
		sealed.secret = true;
	}
	sealed.style = VALUE_STYLE_SEALED;
	return sealed;
}

static struct value seal_deferred(struct arena *arena, const struct value *value, const struct json_style *style)
{
	struct value *secrets = arena_new(arena, struct value);
	struct deferred *deferred = arena_new(arena, struct deferred);
	struct value sealed = *value;

	if (!value->deferred->secrets)
		return sealed;
	*secrets = json_seal(arena, value->deferred->secrets, style);
	*deferred = *value->deferred;
	deferred->secrets = secrets;
	sealed.deferred = deferred;
	return sealed;
}

/* One that is no string becomes the fingerprint of its text. */
static struct value seal_whole(struct arena *arena, const struct value *value, const struct json_style *style)
{
	struct value text;
	BUFFER_AUTO clear;

	buffer_init_wiped(&clear, SIZE_MAX);
	(void)json_secret_text(&clear, value);
	text = value_at(value_string(buffer_slice(&clear)), value->position);
	return seal_string(arena, &text, style);
}

struct value json_seal(struct arena *arena, const struct value *value, const struct json_style *style)
{
	struct value sealed = *value;

	if (!value_has_secret(value) || value->style == VALUE_STYLE_SEALED)
		return sealed;
	if (value->type == VALUE_STRING)
		return seal_string(arena, value, style);
	if (value->type == VALUE_DEFERRED)
		return seal_deferred(arena, value, style);
	if (value->secret)
		return seal_whole(arena, value, style);
	if (value->type == VALUE_LIST) {
		struct value *items = arena_new_array(arena, value->count, struct value);
		for (uint32_t i = 0; i < value->count; i++)
			items[i] = json_seal(arena, &value->items[i], style);
		sealed.items = items;
	} else if (value->type == VALUE_MAP) {
		struct value_member *members = arena_new_array(arena, value->count, struct value_member);
		for (uint32_t i = 0; i < value->count; i++) {
			members[i].key = value->members[i].key;
			members[i].value = json_seal(arena, &value->members[i].value, style);
		}
		sealed.members = members;
	}
	return sealed;
}
