#ifndef TRUEUP_BASE_BUFFER_H
#define TRUEUP_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/*
 * Bytes that grow up to a mandatory cap. Once an append would pass the cap nothing more
 * is taken and `full` stays set, so a writer may append many times and ask once.
 */
struct buffer {
	char *data; /* owned; NULL while empty; always followed by a NUL that does not count */
	size_t size;
	size_t capacity;
	size_t limit_bytes;
	bool full;
	bool wiped; /* see buffer_init_wiped() */
};

void buffer_init(struct buffer *buffer, size_t limit_bytes);
/* For key material: what it held is wiped before the memory is given back, also where it only grows. */
void buffer_init_wiped(struct buffer *buffer, size_t limit_bytes);
void buffer_release(struct buffer *buffer);
void buffer_clear(struct buffer *buffer);
/* buffer_append() where the buffer must grow, or is full. */
bool buffer_append_slowly(struct buffer *buffer, struct slice text);

/* False, and nothing appended, where the cap would be passed. Most appends are a few bytes into a buffer that has room:
 * worth not calling for. */
static inline bool buffer_append(struct buffer *buffer, struct slice text)
{
	if (!buffer->data || buffer->full || buffer->capacity - buffer->size < text.size || text.size == 0)
		return buffer_append_slowly(buffer, text);
	memcpy(buffer->data + buffer->size, text.data, text.size);
	buffer->size += text.size;
	buffer->data[buffer->size] = '\0';
	return true;
}

static inline bool buffer_string(struct buffer *buffer, const char *string)
{
	return buffer_append(buffer, slice_of(string));
}

static inline bool buffer_byte(struct buffer *buffer, char byte)
{
	return buffer_append(buffer, (struct slice){&byte, 1});
}

/* The number in decimal digits, at a tenth of what buffer_format() costs. */
bool buffer_decimal(struct buffer *buffer, uint64_t number);
__attribute__((format(printf, 2, 3))) bool buffer_format(struct buffer *buffer, const char *format, ...);
bool buffer_vformat(struct buffer *buffer, const char *format, va_list arguments);
/* Takes back the blanks at the end: the rest of a column that nothing followed. */
void buffer_trim_end(struct buffer *buffer);
/* Ends the line that it ends with, where that has no end yet. */
void buffer_end_line(struct buffer *buffer);
/* Borrowed: valid until the next append. */
struct slice buffer_slice(const struct buffer *buffer);

#define BUFFER_AUTO __attribute__((cleanup(buffer_release))) struct buffer

#endif
