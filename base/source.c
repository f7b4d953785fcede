#include "base/source.h"

#include <stdlib.h>

#include "base/memory.h"

void sources_init(struct sources *sources)
{
	*sources = (struct sources){0};
}

void sources_release(struct sources *sources)
{
	free(sources->items);
	*sources = (struct sources){0};
}

uint16_t sources_add(struct sources *sources, struct slice name, struct slice text)
{
	/* One past the last index there may be: positions in such a file have no place to show. */
	if (sources->count >= UINT16_MAX - 1)
		return UINT16_MAX;
	sources->items = memory_room(sources->items, sources->count, &sources->capacity, sizeof(*sources->items));
	sources->items[sources->count] = (struct source){.name = name, .text = text};
	return (uint16_t)sources->count++;
}

struct slice sources_place(const struct sources *sources, struct position position, struct arena *arena)
{
	struct slice name;

	if (position.line == 0 || position.file >= sources->count)
		return (struct slice){NULL, 0};
	name = sources->items[position.file].name;
	/* A column that is not known, or too far right to be counted, is better left out than wrong. */
	if (position.column == 0 || position.column == UINT16_MAX)
		return arena_format(arena, "%.*s:%u", SLICE_ARGUMENTS(name), position.line);
	return arena_format(arena, "%.*s:%u:%u", SLICE_ARGUMENTS(name), position.line, (unsigned)position.column);
}

struct slice sources_line(const struct sources *sources, struct position position)
{
	struct slice rest, line;

	if (position.line == 0 || position.file >= sources->count)
		return (struct slice){NULL, 0};
	rest = sources->items[position.file].text;
	line = slice_cut(&rest, '\n');
	for (uint32_t number = 1; number < position.line; number++) {
		if (!rest.data)
			return (struct slice){NULL, 0};
		line = slice_cut(&rest, '\n');
	}
	if (line.size > 0 && line.data[line.size - 1] == '\r')
		line.size--;
	return line;
}

/* The first that does not begin before position. */
static size_t find_span(const struct source *source, struct position position)
{
	size_t first = 0, behind = source->span_count;

	while (first < behind) {
		size_t middle = first + (behind - first) / 2;

		if (position_compare(source->spans[middle].from, position) < 0)
			first = middle + 1;
		else
			behind = middle;
	}
	return first;
}

struct slice sources_hide(struct sources *sources, struct position position)
{
	struct slice text = {NULL, 0};

	if (position.line == 0 || position.file >= sources->count)
		return text;
	struct source *source = &sources->items[position.file];
	/* Those too far right to be counted stand at one place. */
	for (size_t i = find_span(source, position);
	     i < source->span_count && position_compare(source->spans[i].from, position) == 0; i++) {
		source->spans[i].hidden = true;
		text = source->spans[i].text;
	}
	return text;
}

int position_compare(struct position a, struct position b)
{
	if (a.line == 0 || b.line == 0)
		return (a.line == 0) - (b.line == 0);
	if (a.file != b.file)
		return a.file < b.file ? -1 : 1;
	if (a.line != b.line)
		return a.line < b.line ? -1 : 1;
	return (a.column > b.column) - (a.column < b.column);
}
