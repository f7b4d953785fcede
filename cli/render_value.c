#include "cli/render.h"

enum { FINGERPRINT_SHOWN_DIGITS = 8, SECRET_LIMIT_BYTES = 64 * 1024 * 1024 };

/* The text of a secret, or, where it is sealed, the fingerprint of one. */
static void print_secret(struct buffer *buffer, const struct json_style *style, struct slice text, bool sealed)
{
	char fingerprint[65] = "";

	if (!sealed && style && style->fingerprint) {
		style->fingerprint(style->context, text, fingerprint);
		fingerprint[64] = '\0';
	}
	struct slice digits = slice_first(sealed ? text : slice_of(fingerprint), FINGERPRINT_SHOWN_DIGITS);
	buffer_format(buffer, "secret~%.*s", SLICE_ARGUMENTS(digits));
}

static void print_segments(struct buffer *buffer, const struct value *value, const struct json_style *style,
			   void (*print)(struct buffer *buffer, struct slice text))
{
	for (size_t i = 0; i < value->segments->count; i++) {
		const struct segment *segment = &value->segments->segments[i];

		if (segment->secret)
			print_secret(buffer, style, segment->text, value->style == VALUE_STYLE_SEALED);
		else
			print(buffer, segment->text);
	}
}

void render_as_json(struct buffer *buffer, const struct value *value, const struct json_style *style)
{
	static const struct json_style plain = {0};

	if (!json_write(buffer, value, style ? style : &plain))
		buffer->full = true;
}

/* Whether a text can stand without quotes: no white space at its ends, nothing to escape. */
static bool is_plain(struct slice text)
{
	if (text.size == 0 || text.data[0] == ' ' || text.data[text.size - 1] == ' ')
		return false;
	for (size_t i = 0; i < text.size; i++) {
		unsigned char byte = (unsigned char)text.data[i];

		if (byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\')
			return false;
	}
	return true;
}

static void print_text(struct buffer *buffer, struct slice text, bool within)
{
	bool plain =
		is_plain(text) && !(within && (slice_contains(text, SLICE(",")) || slice_contains(text, SLICE(":")) ||
					       slice_contains(text, SLICE(" "))));

	if (plain) {
		print_safe(buffer, text);
		return;
	}
	buffer_byte(buffer, '"');
	while (text.size > 0) {
		size_t size = 0;

		while (size < text.size && text.data[size] != '"' && text.data[size] != '\\')
			size++;
		print_safe(buffer, slice_first(text, size));
		if (size < text.size)
			buffer_format(buffer, "\\%c", text.data[size++]);
		text = slice_from(text, size);
	}
	buffer_byte(buffer, '"');
}

static void print_string(struct buffer *buffer, const struct value *value, const struct json_style *style, bool within)
{
	if (value->secret && !value->segmented) {
		print_secret(buffer, style, value_slice(value), value->style == VALUE_STYLE_SEALED);
		return;
	}
	if (!value->segmented) {
		print_text(buffer, value_slice(value), within);
		return;
	}
	buffer_byte(buffer, '"');
	print_segments(buffer, value, style, print_safe);
	buffer_byte(buffer, '"');
}

static void print_value(struct buffer *buffer, const struct value *value, const struct json_style *style, bool within);

static void print_map(struct buffer *buffer, const struct value *map, const struct json_style *style)
{
	buffer_byte(buffer, '{');
	for (uint32_t i = 0; i < map->count; i++) {
		if (i > 0)
			buffer_string(buffer, ", ");
		print_text(buffer, value_slice(&map->members[i].key), true);
		buffer_string(buffer, ": ");
		print_value(buffer, &map->members[i].value, style, true);
	}
	buffer_byte(buffer, '}');
}

static void print_list(struct buffer *buffer, const struct value *list, const struct json_style *style)
{
	buffer_byte(buffer, '[');
	for (uint32_t i = 0; i < list->count; i++) {
		if (i > 0)
			buffer_string(buffer, ", ");
		print_value(buffer, &list->items[i], style, true);
	}
	buffer_byte(buffer, ']');
}

/* Other than a text, which may be secret in parts, it is shown as one; the names in a map are secret too. */
static bool is_secret_whole(const struct value *value)
{
	return value->secret && value->type != VALUE_STRING && value->type != VALUE_DEFERRED;
}

static void print_secret_whole(struct buffer *buffer, const struct value *value, const struct json_style *style)
{
	BUFFER_AUTO clear;

	buffer_init_wiped(&clear, SECRET_LIMIT_BYTES);
	if (!json_secret_text(&clear, value))
		buffer->full = true;
	print_secret(buffer, style, buffer_slice(&clear), false);
}

/*
 * Another value of a secret variable shows, though the text is the same. What expression_hide() has named is no
 * variable of the spec.
 */
static void print_deferred_secrets(struct buffer *buffer, const struct value *secrets, const struct json_style *style)
{
	bool has_literal = false;

	for (uint32_t i = 0; secrets && i < secrets->count; i++) {
		buffer_string(buffer, i > 0 ? ", " : " with ");
		print_safe(buffer, value_slice(&secrets->members[i].key));
		buffer_string(buffer, " ");
		print_value(buffer, &secrets->members[i].value, style, true);
		has_literal |= slice_starts_with(value_slice(&secrets->members[i].key), SLICE("var.literal-"));
	}
	if (has_literal)
		buffer_string(buffer, "; literal-N: what the spec says there itself");
}

static void print_value(struct buffer *buffer, const struct value *value, const struct json_style *style, bool within)
{
	if (is_secret_whole(value)) {
		print_secret_whole(buffer, value, style);
		return;
	}
	switch ((enum value_type)value->type) {
	case VALUE_NULL:
		buffer_string(buffer, "unset");
		break;
	case VALUE_BOOL:
	case VALUE_INTEGER:
	case VALUE_NUMBER:
		render_as_json(buffer, value, style);
		break;
	case VALUE_STRING:
		print_string(buffer, value, style, within);
		break;
	case VALUE_LIST:
		print_list(buffer, value, style);
		break;
	case VALUE_MAP:
		print_map(buffer, value, style);
		break;
	case VALUE_DEFERRED:
		buffer_string(buffer, within ? "(known after apply: " : "known after apply: ");
		print_safe(buffer, value->deferred->text);
		print_deferred_secrets(buffer, value->deferred->secrets, style);
		buffer_string(buffer, within ? ")" : "");
		break;
	case VALUE_UNREAD:
		buffer_string(buffer, "unread");
		break;
	}
}

void render_value(struct buffer *buffer, const struct value *value, const struct json_style *style)
{
	print_value(buffer, value, style, false);
}

const struct value *render_next_output(const struct value *outputs, struct slice name, uint32_t *next)
{
	const struct value_member *member =
		value_is(outputs, VALUE_MAP) && *next < outputs->count ? &outputs->members[*next] : NULL;

	if (!member || !slice_equal(value_slice(&member->key), name))
		return NULL;
	++*next;
	return &member->value;
}

void render_output(struct buffer *buffer, const struct stack_output *output, const struct value *value,
		   const struct json_style *style)
{
	if (value)
		render_value(buffer, value, style);
	else if (value_has_fingerprint(&output->value))
		buffer_string(buffer, "(not known here: it is made of a secret that is not at hand)");
	else
		buffer_string(buffer, "(not known until it is applied)");
}

bool render_is_long(const struct value *value, const struct json_style *style)
{
	/* Objects in a row are read, and compared, one a line. */
	if (value_is(value, VALUE_LIST) && value->count > 1 && value_is(&value->items[0], VALUE_MAP))
		return true;
	BUFFER_AUTO text;

	buffer_init(&text, RENDER_INLINE_BYTES);
	render_value(&text, value, style);
	return text.full;
}

static void append(struct buffer *buffer, struct slice text)
{
	buffer_append(buffer, text);
}

/* A text as it is, with its secrets hidden. */
static void print_whole_text(struct buffer *buffer, const struct value *value, const struct json_style *style)
{
	if (value->segmented)
		print_segments(buffer, value, style, append);
	else if (value->secret)
		print_secret(buffer, style, value_slice(value), value->style == VALUE_STYLE_SEALED);
	else
		buffer_append(buffer, value_slice(value));
}

static void print_lines(struct buffer *buffer, const struct value *value, const struct json_style *style,
			int first_indent, int indent);

/* Behind "- " or "key: ": on the same line where it fits, else split; a map's first member
 * may stand on the line of the dash. */
static void print_entry(struct buffer *buffer, const struct value *value, const struct json_style *style, int indent,
			bool dash)
{
	bool splits = (value_is(value, VALUE_LIST) || value_is(value, VALUE_MAP)) && !is_secret_whole(value) &&
		      render_is_long(value, style);

	if (splits && !(dash && value_is(value, VALUE_MAP))) {
		buffer_byte(buffer, '\n');
		print_lines(buffer, value, style, indent, indent);
		return;
	}
	buffer_byte(buffer, ' ');
	if (splits) {
		print_lines(buffer, value, style, 0, indent);
		return;
	}
	print_value(buffer, value, style, true);
	buffer_byte(buffer, '\n');
}

static void print_lines(struct buffer *buffer, const struct value *value, const struct json_style *style,
			int first_indent, int indent)
{
	for (uint32_t i = 0; value_is(value, VALUE_LIST) && i < value->count; i++) {
		buffer_format(buffer, "%*s-", i > 0 ? indent : first_indent, "");
		print_entry(buffer, &value->items[i], style, indent + 2, true);
	}
	for (uint32_t i = 0; value_is(value, VALUE_MAP) && i < value->count; i++) {
		/* What is to be unset has no line; the line it had is gone. */
		if (value_is(&value->members[i].value, VALUE_NULL))
			continue;
		buffer_format(buffer, "%*s", i > 0 ? indent : first_indent, "");
		print_text(buffer, value_slice(&value->members[i].key), true);
		buffer_byte(buffer, ':');
		print_entry(buffer, &value->members[i].value, style, indent + 2, false);
	}
}

void render_lines(struct buffer *buffer, const struct value *value, const struct json_style *style)
{
	if (value_is(value, VALUE_STRING))
		print_whole_text(buffer, value, style);
	else if ((value_is(value, VALUE_LIST) || value_is(value, VALUE_MAP)) && !is_secret_whole(value))
		print_lines(buffer, value, style, 0, 0);
	else if (!value_is(value, VALUE_NULL))
		print_value(buffer, value, style, false);
}

/* A text for what is secret, or is in part. */
static struct value hidden_text(const struct value *value, const struct json_style *style, struct arena *arena)
{
	BUFFER_AUTO text;

	buffer_init(&text, SECRET_LIMIT_BYTES);
	if (is_secret_whole(value))
		print_secret_whole(&text, value, style);
	else if (value->segmented)
		print_segments(&text, value, style, append);
	else
		print_secret(&text, style, value_slice(value), value->style == VALUE_STYLE_SEALED);
	return value_string(arena_copy(arena, buffer_slice(&text)));
}

struct value render_hidden(const struct value *value, const struct json_style *style, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (!value_has_secret(value) || value_is(value, VALUE_DEFERRED))
		return *value;
	if (is_secret_whole(value) || value_is(value, VALUE_STRING))
		return hidden_text(value, style, arena);
	if (value_is(value, VALUE_LIST)) {
		for (uint32_t i = 0; i < value->count; i++)
			value_builder_item(&builder, render_hidden(&value->items[i], style, arena));
		return value_builder_list(&builder, arena);
	}
	for (uint32_t i = 0; i < value->count; i++)
		value_builder_member(&builder, value_slice(&value->members[i].key),
				     render_hidden(&value->members[i].value, style, arena));
	return value_builder_map(&builder, arena);
}
