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

struct code_points {
	uint32_t first, last;
};

/*
 * What steers or hides, so that a text could read as another: C1 controls do as ESC does; U+2028 and U+2029
 * end lines; U+061C, U+200E and its like turn the direction of what follows (Unicode Standard Annex 9); the rest
 * has no width (Default_Ignorable_Code_Point of the Unicode Character Database, less what emoji are made of).
 */
static const struct code_points steering[] = {
	{0x80, 0x9f},	  {0xad, 0xad},	    {0x34f, 0x34f},   {0x61c, 0x61c},	  {0x115f, 0x1160},   {0x17b4, 0x17b5},
	{0x180b, 0x180f}, {0x200b, 0x200c}, {0x200e, 0x200f}, {0x2028, 0x202e},	  {0x2060, 0x206f},   {0x3164, 0x3164},
	{0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}, {0, 0},
};

/* What takes two columns of a terminal: East_Asian_Width W and F of the Unicode Character Database, in whole blocks,
 * and what is shown as an emoji. */
static const struct code_points wide[] = {
	{0x1100, 0x115f},   {0x231a, 0x231b},	{0x23e9, 0x23ec},   {0x25fd, 0x25fe}, {0x2614, 0x2615},
	{0x2e80, 0x303e},   {0x3041, 0x4dbf},	{0x4e00, 0xa4cf},   {0xa960, 0xa97f}, {0xac00, 0xd7a3},
	{0xf900, 0xfaff},   {0xfe30, 0xfe6f},	{0xff00, 0xff60},   {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
	{0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}, {0, 0},
};

/* What stands upon or joins the character before it, and takes none. */
static const struct code_points joined[] = {
	{0x300, 0x36f},	  {0x483, 0x489},   {0x591, 0x5bd},   {0x64b, 0x65f},	{0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
	{0x200d, 0x200d}, {0x20d0, 0x20ff}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0, 0},
};

/* table: up to the row of nothing at its end */
static bool is_among(const struct code_points *table, uint32_t point)
{
	for (size_t i = 0; table[i].last > 0; i++)
		if (point >= table[i].first && point <= table[i].last)
			return true;
	return false;
}

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
	return size > 1 && is_among(steering, code_point(bytes, size));
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

size_t print_safe_columns(struct slice text)
{
	size_t columns = 0;
	BUFFER_AUTO shown;

	buffer_init(&shown, SIZE_MAX);
	while (text.size > 0) {
		size_t size = printable_size(text);
		uint32_t point = size > 1 ? code_point((const unsigned char *)text.data, size) : 0;

		buffer_clear(&shown);
		print_character(&shown, &text, false);
		if (size == 0)
			columns += shown.size;
		else if (!is_among(joined, point))
			columns += is_among(wide, point) ? 2 : 1;
	}
	return columns;
}
