#include "base/buffer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum { BUFFER_FIRST_BYTES = 256 };

void buffer_init(struct buffer *buffer, size_t limit_bytes)
{
	*buffer = (struct buffer){.limit_bytes = limit_bytes};
}

void buffer_init_wiped(struct buffer *buffer, size_t limit_bytes)
{
	*buffer = (struct buffer){.limit_bytes = limit_bytes, .wiped = true};
}

static void give_back(struct buffer *buffer)
{
	if (buffer->wiped)
		memory_wipe(buffer->data, buffer->capacity);
	free(buffer->data);
}

void buffer_release(struct buffer *buffer)
{
	give_back(buffer);
	*buffer = (struct buffer){.limit_bytes = buffer->limit_bytes, .wiped = buffer->wiped};
}

void buffer_clear(struct buffer *buffer)
{
	buffer->size = 0;
	buffer->full = false;
	if (buffer->data)
		buffer->data[0] = '\0';
}

/* The allocator would move what is there without a wipe of where that was. */
static char *copy_into(struct buffer *buffer, size_t size)
{
	char *data = (char *)memory_raw(size);

	if (buffer->data)
		memcpy(data, buffer->data, buffer->size + 1);
	give_back(buffer);
	return data;
}

static bool buffer_grow(struct buffer *buffer, size_t more_bytes)
{
	size_t needed, capacity;

	if (buffer->full || more_bytes > buffer->limit_bytes - buffer->size) {
		buffer->full = true;
		return false;
	}
	needed = buffer->size + more_bytes;
	capacity = buffer->capacity <= buffer->limit_bytes / 2 ? buffer->capacity * 2 : buffer->limit_bytes;
	if (capacity < BUFFER_FIRST_BYTES)
		capacity = BUFFER_FIRST_BYTES;
	if (capacity < needed)
		capacity = needed;
	if (capacity > buffer->limit_bytes)
		capacity = buffer->limit_bytes;
	buffer->data =
		buffer->wiped ? copy_into(buffer, capacity + 1) : (char *)memory_resize(buffer->data, capacity + 1);
	buffer->capacity = capacity;
	return true;
}

/* Room for more_bytes > 0 and the NUL behind them; false, and full from now on, where the cap forbids it. */
static inline bool buffer_reserve(struct buffer *buffer, size_t more_bytes)
{
	return (buffer->data && !buffer->full && more_bytes <= buffer->capacity - buffer->size) ||
	       buffer_grow(buffer, more_bytes);
}

bool buffer_append_slowly(struct buffer *buffer, struct slice text)
{
	if (text.size == 0)
		return !buffer->full;
	if (!buffer_reserve(buffer, text.size))
		return false;
	memcpy(buffer->data + buffer->size, text.data, text.size);
	buffer->size += text.size;
	buffer->data[buffer->size] = '\0';
	return true;
}

bool buffer_decimal(struct buffer *buffer, uint64_t number)
{
	char digits[20]; /* as many as 2^64 - 1 has */
	size_t first = sizeof(digits);

	do {
		digits[--first] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	return buffer_append(buffer, (struct slice){digits + first, sizeof(digits) - first});
}

bool buffer_format(struct buffer *buffer, const char *format, ...)
{
	va_list arguments;
	bool taken;

	va_start(arguments, format);
	taken = buffer_vformat(buffer, format, arguments);
	va_end(arguments);
	return taken;
}

/* Mostly there is room, and then it is formatted once. */
__attribute__((format(printf, 2, 0))) bool buffer_vformat(struct buffer *buffer, const char *format, va_list arguments)
{
	size_t room_bytes = buffer->capacity - buffer->size;
	char *end = buffer->data ? buffer->data + buffer->size : NULL;
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(end, end ? room_bytes + 1 : 0, format, arguments);
	if (end && (buffer->full || length < 0 || (size_t)length > room_bytes))
		*end = '\0';
	if (length > 0 && buffer_reserve(buffer, (size_t)length)) {
		if (!end || (size_t)length > room_bytes)
			vsnprintf(buffer->data + buffer->size, (size_t)length + 1, format, again);
		buffer->size += (size_t)length;
	}
	va_end(again);
	return !buffer->full;
}

void buffer_trim_end(struct buffer *buffer)
{
	while (buffer->size > 0 && buffer->data[buffer->size - 1] == ' ')
		buffer->data[--buffer->size] = '\0';
}

void buffer_end_line(struct buffer *buffer)
{
	if (buffer->size > 0 && buffer->data[buffer->size - 1] != '\n')
		buffer_byte(buffer, '\n');
}

struct slice buffer_slice(const struct buffer *buffer)
{
	return (struct slice){buffer->data, buffer->size};
}
