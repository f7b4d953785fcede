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
		size = printable_size(text);
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
