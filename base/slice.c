#define _GNU_SOURCE 1 /* memmem() */
#include "base/slice.h"

#include "base/memory.h"

bool slice_equal_caseless(struct slice a, struct slice b)
{
	for (size_t i = 0; i < a.size && a.size == b.size; i++)
		if (lower_case(a.data[i]) != lower_case(b.data[i]))
			return false;
	return a.size == b.size;
}

int slice_compare(struct slice a, struct slice b)
{
	size_t shorter = a.size < b.size ? a.size : b.size;
	int order = shorter > 0 ? memcmp(a.data, b.data, shorter) : 0;

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

int slice_order(const void *a, const void *b)
{
	return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

char *slice_text(struct slice text)
{
	char *copy = memory_get(text.size + 1);

	if (text.size > 0)
		memcpy(copy, text.data, text.size);
	return copy;
}

bool slice_is_among(const char *name, const struct slice *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_is(list[i], name))
			return true;
	return false;
}

bool slice_is_one_of(struct slice text, const char *const *names)
{
	for (; names && *names; names++)
		if (slice_is(text, *names))
			return true;
	return false;
}

bool slice_starts_with(struct slice text, struct slice prefix)
{
	return text.size >= prefix.size && slice_equal(slice_first(text, prefix.size), prefix);
}

bool slice_ends_with(struct slice text, struct slice suffix)
{
	return text.size >= suffix.size && slice_equal(slice_from(text, text.size - suffix.size), suffix);
}

bool slice_contains(struct slice text, struct slice part)
{
	if (part.size == 0)
		return true;
	return text.size > 0 && memmem(text.data, text.size, part.data, part.size) != NULL;
}

struct slice slice_from(struct slice text, size_t offset)
{
	if (offset == 0)
		return text;
	if (offset > text.size)
		offset = text.size;
	/* Without bytes there may be no pointer to count from. */
	return text.size > 0 ? (struct slice){text.data + offset, text.size - offset} : text;
}

struct slice slice_first(struct slice text, size_t count)
{
	return (struct slice){text.data, count < text.size ? count : text.size};
}

struct slice slice_trim(struct slice text)
{
	while (text.size > 0 && slice_is_space(text.data[0]))
		text = slice_from(text, 1);
	while (text.size > 0 && slice_is_space(text.data[text.size - 1]))
		text.size--;
	return text;
}

struct slice slice_cut(struct slice *rest, char separator)
{
	struct slice all = *rest;
	const char *found = all.size > 0 ? (const char *)memchr(all.data, separator, all.size) : NULL;
	size_t before;

	if (!found) {
		*rest = (struct slice){NULL, 0};
		return all;
	}
	before = (size_t)(found - all.data);
	*rest = (struct slice){found + 1, all.size - before - 1};
	return (struct slice){all.data, before};
}

bool slice_integer(struct slice text, int64_t *ret)
{
	bool negative = text.size > 0 && text.data[0] == '-';
	int64_t number = 0;

	if (text.size == (negative ? 1 : 0))
		return false;
	for (size_t i = negative ? 1 : 0; i < text.size; i++) {
		char byte = text.data[i];

		if (byte < '0' || byte > '9')
			return false;
		/* Counted downwards: the negative range is the larger one. */
		if (__builtin_mul_overflow(number, 10, &number) || __builtin_sub_overflow(number, byte - '0', &number))
			return false;
	}
	if (!negative && __builtin_sub_overflow((int64_t)0, number, &number))
		return false;
	*ret = number;
	return true;
}

static bool is_ascii_8(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return (word & UINT64_C(0x8080808080808080)) == 0;
}

/* Length of the well-formed sequence at the start of bytes (RFC 3629, section 4), or 0. */
static size_t utf8_sequence(const unsigned char *bytes, size_t size)
{
	static const struct {
		unsigned char lead_from, lead_to, second_from, second_to;
		size_t length;
	} forms[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	if (bytes[0] < 0x80)
		return 1;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (bytes[0] < forms[i].lead_from || bytes[0] > forms[i].lead_to)
			continue;
		if (size < forms[i].length || bytes[1] < forms[i].second_from || bytes[1] > forms[i].second_to)
			return 0;
		for (size_t k = 2; k < forms[i].length; k++) {
			if ((bytes[k] & 0xc0) != 0x80)
				return 0;
		}
		return forms[i].length;
	}
	return 0;
}

bool slice_is_utf8(struct slice text, size_t *ret_bad)
{
	size_t i = 0;

	while (i < text.size) {
		size_t length;

		if (text.size - i >= 8 && is_ascii_8(text.data + i)) {
			i += 8;
			continue;
		}
		length = utf8_sequence((const unsigned char *)text.data + i, text.size - i);
		if (length == 0) {
			if (ret_bad)
				*ret_bad = i;
			return false;
		}
		i += length;
	}
	return true;
}

size_t slice_characters(struct slice text)
{
	size_t count = 0;

	/* All but the bytes that go on with one. */
	for (size_t i = 0; i < text.size; i++)
		count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
	return count;
}

/* A byte that can begin what XML leaves out, of well-formed UTF-8: a control character, or U+F000 to U+FFFF. */
static bool may_be_outside_xml(char byte)
{
	return (unsigned char)byte < 0x20 || (unsigned char)byte == 0xef;
}

static bool is_outside_xml(struct slice rest)
{
	if (rest.data[0] == '\t' || rest.data[0] == '\n' || rest.data[0] == '\r')
		return false;
	return (unsigned char)rest.data[0] < 0x20 || slice_starts_with(rest, SLICE("\xef\xbf\xbe")) ||
	       slice_starts_with(rest, SLICE("\xef\xbf\xbf"));
}

/* Whether each of 8 bytes is ASCII from 0x20 on, by the test for a byte below a number in "Bit Twiddling Hacks" (S. E.
 * Anderson). */
static inline bool is_text_8(uint64_t word)
{
	const uint64_t tops = UINT64_C(0x8080808080808080);

	return ((word | ((word - UINT64_C(0x2020202020202020)) & ~word)) & tops) == 0;
}

/* Nearly every text is such. */
static bool is_all_text(struct slice text)
{
	uint64_t word;
	size_t i = 0;

	for (; text.size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, text.data + i, sizeof(word));
		if (!is_text_8(word))
			return false;
	}
	for (; i < text.size; i++) {
		if ((unsigned char)text.data[i] < 0x20 || (unsigned char)text.data[i] >= 0x80)
			return false;
	}
	return true;
}

bool slice_fits_xml(struct slice text, size_t *ret_bad)
{
	size_t sound = text.size, unused;
	bool good;

	if (is_all_text(text))
		return true;
	good = slice_is_utf8(text, &sound);

	if (!ret_bad)
		ret_bad = &unused;
	for (size_t i = 0; i < sound; i++) {
		if (may_be_outside_xml(text.data[i]) && is_outside_xml(slice_from(text, i))) {
			*ret_bad = i;
			return false;
		}
	}
	if (!good)
		*ret_bad = sound;
	return good;
}

enum { NEAREST_LONGEST = 64, COMPARED_MOST = 1000000 };

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Edit distance in which a swap of neighbours counts as one edit. Both at most NEAREST_LONGEST bytes. */
static size_t edit_distance(struct slice a, struct slice b)
{
	size_t rows[3][NEAREST_LONGEST + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b.size; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.size; i++) {
		size_t *spare = before;

		before = above;
		above = row;
		row = spare;
		row[0] = i;
		for (size_t j = 1; j <= b.size; j++) {
			size_t replaced = above[j - 1] + (a.data[i - 1] != b.data[j - 1]);

			row[j] = smaller(replaced, 1 + smaller(above[j], row[j - 1]));
			if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1])
				row[j] = smaller(row[j], before[j - 2] + 1);
		}
	}
	return row[b.size];
}

int slice_nearest(struct slice name, const struct slice *candidates, size_t count)
{
	struct slice start = slice_first(name, NEAREST_LONGEST);
	size_t best = start.size / 3 + 1;
	int nearest = -1;

	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		struct slice other = slice_first(candidates[i], NEAREST_LONGEST);
		size_t gap = other.size > start.size ? other.size - start.size : start.size - other.size;
		size_t distance;

		/* At least as many edits as the lengths differ by. */
		if (gap >= best)
			continue;
		distance = edit_distance(start, other);
		if (distance < best) {
			best = distance;
			nearest = (int)i;
		}
	}
	return nearest;
}

int slice_nearest_within(struct slice name, const struct slice *candidates, size_t count, size_t *compared)
{
	size_t left = COMPARED_MOST - *compared;
	size_t most = count < left ? count : left;

	*compared += most;
	return slice_nearest(name, candidates, most);
}
