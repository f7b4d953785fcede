#include "base/printable.h"

#include <stdint.h>

/* Length of the well-formed UTF-8 sequence at the start of text, 0 where there is none. */
static size_t sequence_size(struct slice text)
{
	unsigned char first = (unsigned char)text.data[0];
	size_t size = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	size_t bad;

	return size <= text.size && slice_is_utf8(slice_first(text, size), &bad) ? size : 0;
}

/*
 * What steers or hides, so that a text could read as another: C1 controls do as ESC does; U+2028 and U+2029
 * end lines; U+061C, U+200E and its like turn the direction of what follows (Unicode Standard Annex 9); the rest
 * has no width (Default_Ignorable_Code_Point of the Unicode Character Database, less what emoji are made of).
 */
static const struct {
	uint32_t first, last;
} steering[] = {
	{0x80, 0x9f},	  {0xad, 0xad},	    {0x34f, 0x34f},   {0x61c, 0x61c},	  {0x115f, 0x1160},   {0x17b4, 0x17b5},
	{0x180b, 0x180f}, {0x200b, 0x200c}, {0x200e, 0x200f}, {0x2028, 0x202e},	  {0x2060, 0x206f},   {0x3164, 0x3164},
	{0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

/* Of a well-formed sequence (RFC 3629). */
static uint32_t code_point(const unsigned char *bytes, size_t size)
{
	static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t point = bytes[0] & first_bits[size];

	for (size_t i = 1; i < size; i++)
		point = point << 6 | (bytes[i] & 0x3f);
	return point;
}

static bool is_steering(const unsigned char *bytes, size_t size)
{
	uint32_t point = size > 1 ? code_point(bytes, size) : 0;

	for (size_t i = 0; point > 0 && i < sizeof(steering) / sizeof(steering[0]); i++)
		if (point >= steering[i].first && point <= steering[i].last)
			return true;
	return false;
}

size_t printable_size(struct slice text)
{
	const unsigned char *bytes = (const unsigned char *)text.data;
	size_t size = sequence_size(text);
	bool control = size == 1 && (bytes[0] < 0x20 || bytes[0] == 0x7f);

	return control || (size > 0 && is_steering(bytes, size)) ? 0 : size;
}

/* A shell may take more than two digits behind \x, and never more than three of an octal number. */
static void print_escaped(struct buffer *buffer, unsigned char byte, bool octal)
{
	static const struct {
		unsigned char byte;
		const char *escape;
	} known[] = {{'\n', "\\n"}, {'\r', "\\r"}, {'\t', "\\t"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (byte == known[i].byte) {
			buffer_string(buffer, known[i].escape);
			return;
		}
	buffer_format(buffer, octal ? "\\%03o" : "\\x%02x", (unsigned)byte);
}

void print_character(struct buffer *buffer, struct slice *text, bool octal)
{
	size_t size = printable_size(*text);

	if (size > 0)
		buffer_append(buffer, slice_first(*text, size));
	else
		print_escaped(buffer, (unsigned char)text->data[0], octal);
	*text = slice_from(*text, size > 0 ? size : 1);
}

void print_safe(struct buffer *buffer, struct slice text)
{
	while (text.size > 0)
		print_character(buffer, &text, false);
}
