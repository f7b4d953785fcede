#include "specs/yaml_spans.h"

#include <string.h>

/* One expression without any text of its own: names are best shown as they are. */
static bool has_names_alone(struct slice text)
{
	return slice_starts_with(text, SLICE("${")) && memchr(text.data, '}', text.size) == text.data + text.size - 1 &&
	       !memchr(text.data, '"', text.size) && !memchr(text.data, '\'', text.size);
}

static bool is_decimal(struct slice text)
{
	size_t i = text.size > 0 && text.data[0] == '-' ? 1 : 0;

	while (i < text.size && text.data[i] >= '0' && text.data[i] <= '9')
		i++;
	return i == text.size;
}

bool yaml_reads_as_written(const struct value *value, struct slice text)
{
	if (value->type == VALUE_STRING)
		return !slice_contains(text, SLICE("${")) || has_names_alone(text);
	if (value->type == VALUE_INTEGER)
		return is_decimal(text);
	return value->type == VALUE_NULL || value->type == VALUE_BOOL;
}

void yaml_spans_add(struct yaml_spans *spans, struct yaml_places *places, const yaml_mark_t *end, struct position from,
		    size_t byte)
{
	struct slice text = places->text;
	size_t end_byte;

	(void)yaml_place(places, end, &end_byte);
	text = slice_from(slice_first(text, end_byte), byte);
	spans->items = (struct span *)arena_room(spans->arena, spans->items, spans->count, &spans->capacity,
						 sizeof(*spans->items));
	spans->items[spans->count++] = (struct span){from, text, false};
}
