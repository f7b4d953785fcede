#include "specs/unread.h"

#include "reconcile/schema.h"
#include "specs/yaml_spans.h"

/* Of fields, wherever they stand. */
struct secret_names {
	struct loading *loading;
	const char **items;
	size_t count, capacity;
};

static bool may_be_secret(const struct secret_names *names, struct slice name)
{
	for (size_t i = 0; i < names->count; i++)
		if (slice_is(name, names->items[i]))
			return true;
	return false;
}

static void collect(struct secret_names *names, const struct fields *fields)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);

		if ((field->flags & SECRET) && !may_be_secret(names, slice_of(field->name))) {
			names->items = (const char **)arena_room(&names->loading->working, names->items, names->count,
								 &names->capacity, sizeof(*names->items));
			names->items[names->count++] = field->name;
		}
		collect(names, field->item ? &field->item->members : &field->members);
	}
}

/* By its name alone: where it would have stood nobody knows. */
static void collect_all(struct secret_names *names)
{
	const struct loading *loading = names->loading;

	for (size_t i = 0; i < loading->kinds->count; i++)
		collect(names, &loading->kinds->items[i]->fields);
	for (size_t i = 0; i < loading->schema_count; i++)
		collect(names, &loading->schemas[i].settings);
}

static bool says_secret(const struct value *map)
{
	for (uint32_t i = 0; i < map->count; i++)
		if (slice_is(value_slice(&map->members[i].key), "secret") &&
		    !(map->members[i].value.type == VALUE_BOOL && !map->members[i].value.boolean))
			return true;
	return false;
}

static void hide_within(const struct secret_names *names, const struct value *value)
{
	bool declares_secret = value->type == VALUE_MAP && says_secret(value);

	for (uint32_t i = 0; value->type == VALUE_LIST && i < value->count; i++)
		hide_within(names, &value->items[i]);
	for (uint32_t i = 0; value->type == VALUE_MAP && i < value->count; i++) {
		struct slice name = value_slice(&value->members[i].key);

		if ((declares_secret && slice_is(name, "default")) || may_be_secret(names, name))
			loading_hide(names->loading, &value->members[i].value);
		else
			hide_within(names, &value->members[i].value);
	}
}

static bool is_of_name(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
	       byte == '_' || byte == '-';
}

/* What stands behind the first name in the line that may be a secret's. */
static struct slice find_secret(const struct secret_names *names, struct slice line)
{
	size_t i = 0;

	while (i < line.size) {
		size_t begin = i;

		while (i < line.size && is_of_name(line.data[i]))
			i++;
		struct slice name = slice_from(slice_first(line, i), begin);
		/* Whether a variable is one may be said further down. */
		bool found = slice_is(name, "default") || may_be_secret(names, name);
		while (found && i < line.size && (line.data[i] == ':' || line.data[i] == ' '))
			i++;
		if (found)
			return slice_from(line, i);
		i += i == begin ? 1 : 0;
	}
	return (struct slice){NULL, 0};
}

/* The mark of an item counts: what it holds is further in. */
static size_t indentation(struct slice line)
{
	size_t size = 0;

	while (size < line.size && (line.data[size] == ' ' || line.data[size] == '-'))
		size++;
	return size;
}

/* Where the line of byte begins. */
static size_t line_start(struct slice text, size_t byte)
{
	while (byte > 0 && text.data[byte - 1] != '\n')
		byte--;
	return byte;
}

/* From the line that what begins at byte hangs under: it may be what a secret is called. */
static size_t find_start(struct slice text, size_t byte)
{
	size_t start = line_start(text, byte);
	struct slice rest = slice_from(text, start);
	size_t own = indentation(slice_cut(&rest, '\n'));

	while (start > 0) {
		start = line_start(text, start - 1);
		rest = slice_from(text, start);
		struct slice line = slice_cut(&rest, '\n');
		if (slice_trim(line).size > 0 && indentation(line) < own)
			break;
	}
	return start;
}

static void hide(struct yaml_spans *spans, struct slice text)
{
	/* Behind all that have a position. */
	const struct span span = {{UINT32_MAX, UINT16_MAX, UINT16_MAX}, text, true};

	spans->items = (struct span *)arena_room(spans->arena, spans->items, spans->count, &spans->capacity,
						 sizeof(*spans->items));
	spans->items[spans->count++] = span;
}

/* Line by line, for what cannot be read tells no more: the rest of a line with such a name, and what is further in. */
static void hide_rest(const struct secret_names *names, struct yaml_spans *spans, struct slice rest)
{
	size_t above = SIZE_MAX;

	while (rest.size > 0) {
		struct slice line = slice_cut(&rest, '\n');
		size_t in = indentation(line);
		struct slice found = slice_from(line, in);

		if (slice_trim(line).size == 0)
			continue;
		if (in <= above) {
			found = find_secret(names, line);
			above = found.data ? in : SIZE_MAX;
		}
		if (found.size > 0)
			hide(spans, found);
	}
}

void unread_hide(struct loading *loading, uint16_t file, const struct yaml_tree *tree)
{
	struct secret_names names = {.loading = loading};
	struct yaml_spans spans = {loading->arena, tree->spans, tree->span_count, tree->span_count};
	struct source *source = file < loading->sources->count ? &loading->sources->items[file] : NULL;

	if (tree->dropped_count > 0 || tree->cut)
		collect_all(&names);
	if (source && tree->cut) {
		size_t read = (size_t)(tree->rest.data - source->text.data);

		hide_rest(&names, &spans, slice_from(source->text, find_start(source->text, read)));
	}
	if (source) {
		source->spans = spans.items;
		source->span_count = spans.count;
	}
	for (size_t i = 0; i < tree->dropped_count; i++)
		hide_within(&names, &tree->dropped[i]);
}
