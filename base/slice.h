#ifndef TRUEUP_BASE_SLICE_H
#define TRUEUP_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed bytes: whoever made them owns them. May hold any byte, NUL too; data may be
 * NULL only where size is 0. */
struct slice {
	const char *data;
	size_t size;
};

/* A slice of a string literal. */
#define SLICE(literal) ((struct slice){(literal), sizeof(literal) - 1})
/* For printf: printf("%.*s", SLICE_ARGUMENTS(s)). */
#define SLICE_ARGUMENTS(slice) (int)(slice).size, (slice).data

/* NULL gives the empty slice. */
static inline struct slice slice_of(const char *string)
{
	return string ? (struct slice){string, strlen(string)} : (struct slice){NULL, 0};
}

static inline bool slice_equal(struct slice a, struct slice b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool slice_is(struct slice a, const char *string)
{
	return slice_equal(a, slice_of(string));
}

/* For ASCII, whatever the locale. */
static inline char lower_case(char byte)
{
	return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

/* An ASCII digit, whatever the locale. */
static inline bool slice_is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* ASCII white space, whatever the locale. */
static inline bool slice_is_space(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Equal but for upper and lower case, as names of headers are. */
bool slice_equal_caseless(struct slice a, struct slice b);
/* Byte order, shorter first where one is a prefix of the other: <0, 0, >0. */
int slice_compare(struct slice a, struct slice b);
/* The same for qsort(), of what each points at. */
int slice_order(const void *a, const void *b);
/* On the heap, with a NUL behind it; the caller frees it. */
__attribute__((warn_unused_result)) char *slice_text(struct slice text);
/* Whether the list has that name. */
bool slice_is_among(const char *name, const struct slice *list, size_t count);
/* Whether text is one of the names, behind the last of which stands NULL; names NULL: there are none. */
bool slice_is_one_of(struct slice text, const char *const *names);
bool slice_starts_with(struct slice text, struct slice prefix);
bool slice_ends_with(struct slice text, struct slice suffix);
bool slice_contains(struct slice text, struct slice part);
/* From offset, clamped to the slice. */
struct slice slice_from(struct slice text, size_t offset);
struct slice slice_first(struct slice text, size_t count);
/* Without ASCII white space at either end. */
struct slice slice_trim(struct slice text);
/* Cuts *rest at the first separator: returns what stands before it and leaves what stands
 * behind it in *rest; without a separator returns all and leaves *rest empty with data NULL. */
struct slice slice_cut(struct slice *rest, char separator);
/* Decimal, the whole slice, no sign but '-', no leading '+', no spaces. False if it is none or overflows. */
__attribute__((warn_unused_result)) bool slice_integer(struct slice text, int64_t *ret);
/* Well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms). *ret_bad: offset of the first bad byte. */
__attribute__((warn_unused_result)) bool slice_is_utf8(struct slice text, size_t *ret_bad);
/* How many characters (code points) well-formed UTF-8 has. */
size_t slice_characters(struct slice text);
/* UTF-8 that XML 1.0 can carry (its production Char): of the control characters only tab, line feed and
 * carriage return; neither U+FFFE nor U+FFFF. *ret_bad: offset of the first that it cannot. */
__attribute__((warn_unused_result)) bool slice_fits_xml(struct slice text, size_t *ret_bad);
/* The candidate nearest to name by edit distance, or -1 where none is near enough to be a
 * slip of the keys (at most a third of the name's length). O(count * length^2), lengths capped at 64. */
int slice_nearest(struct slice name, const struct slice *candidates, size_t count);
/* The same for one of many names, each looked for among many: *compared, 0 at first, counts the candidates over all
 * calls, and past a million of them none is near any more. */
int slice_nearest_within(struct slice name, const struct slice *candidates, size_t count, size_t *compared);

#endif
