#include "cli/palette.h"

const struct palette palette_plain = {
	.start = {"", "", "", "", "", "", ""},
	.end = "",
};

static const struct palette palette_colored = {
	.start =
		{
			[PAINT_PLAIN] = "",
			[PAINT_GOOD] = "\033[32m",
			[PAINT_CHANGE] = "\033[33m",
			[PAINT_BAD] = "\033[31m",
			[PAINT_LOUD] = "\033[1;31m",
			[PAINT_BOLD] = "\033[1m",
			[PAINT_FAINT] = "\033[2m",
		},
	.end = "\033[0m",
};

static bool is_set(struct world *world, const char *name)
{
	const char *value = world->environment(world, name);

	return value && value[0] != '\0';
}

static bool wants_color(struct world *world, const struct arguments *arguments, int stream)
{
	struct slice when = arguments_text(arguments, FLAG_COLOR, "auto");
	const char *force = world->environment(world, "CLICOLOR_FORCE");

	if (!slice_is(when, "auto"))
		return slice_is(when, "always");
	/* https://no-color.org: any value that is not empty. */
	if (is_set(world, "NO_COLOR"))
		return false;
	if (force && force[0] != '\0' && strcmp(force, "0") != 0)
		return true;
	const char *terminal = world->environment(world, "TERM");
	return world->is_terminal(world, stream) && terminal && strcmp(terminal, "dumb") != 0;
}

const struct palette *palette_for(struct world *world, const struct arguments *arguments, int stream)
{
	return wants_color(world, arguments, stream) ? &palette_colored : &palette_plain;
}

void paint(struct buffer *buffer, const struct palette *palette, enum paint paint, const char *format, ...)
{
	va_list arguments;

	buffer_string(buffer, palette->start[paint]);
	va_start(arguments, format);
	buffer_vformat(buffer, format, arguments);
	va_end(arguments);
	if (palette->start[paint][0] != '\0')
		buffer_string(buffer, palette->end);
}

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

/* Length of the character at the start of text where it can be shown as it is, 0 otherwise. */
static size_t plain_size(struct slice text)
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

/* Appends the character at the start of text, or the escape of its first byte, and takes that off. */
static void print_character(struct buffer *buffer, struct slice *text, bool octal)
{
	size_t size = plain_size(*text);

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

/* What the shell reads otherwise in some place is quoted in all. */
static bool is_bare(struct slice text)
{
	static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";

	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)text.data[i] < 0x80 && !memchr(bare, text.data[i], sizeof(bare) - 1))
			return false;
	return text.size > 0;
}

static bool is_plain(struct slice text)
{
	size_t size = 1;

	while (text.size > 0 && size > 0) {
		size = plain_size(text);
		text = slice_from(text, size);
	}
	return size > 0;
}

/* $'...' of POSIX.1-2024, which shells had long before: the only quotes that take escapes. */
static void print_escaped_word(struct buffer *buffer, struct slice text)
{
	buffer_string(buffer, "$'");
	while (text.size > 0) {
		if (text.data[0] == '\'' || text.data[0] == '\\')
			buffer_byte(buffer, '\\');
		print_character(buffer, &text, true);
	}
	buffer_byte(buffer, '\'');
}

void print_word(struct buffer *buffer, struct slice text)
{
	if (!is_plain(text)) {
		print_escaped_word(buffer, text);
		return;
	}
	if (is_bare(text)) {
		buffer_append(buffer, text);
		return;
	}
	buffer_byte(buffer, '\'');
	while (text.data) {
		buffer_append(buffer, slice_cut(&text, '\''));
		/* Nothing is special between these quotes, so another one stands outside of them. */
		if (text.data)
			buffer_string(buffer, "'\\''");
	}
	buffer_byte(buffer, '\'');
}

size_t paint_safe(struct buffer *buffer, const struct palette *palette, enum paint paint, struct slice text)
{
	size_t begin, used;

	buffer_string(buffer, palette->start[paint]);
	begin = buffer->size;
	print_safe(buffer, text);
	used = buffer->size - begin;
	if (palette->start[paint][0] != '\0')
		buffer_string(buffer, palette->end);
	return used;
}
