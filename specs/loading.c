#include "specs/loading.h"

#include "reconcile/schema.h"

enum {
	NAME_LONGEST_BYTES = 63,
	SHOWN_BYTES = 80,
	/* Names compared in search of the nearest, for one mistake. */
	NEAREST_MOST = 20000,
};

void loading_redact(struct loading *loading, const struct value *value)
{
	if (loading->options && loading->options->redaction)
		redaction_add_value(loading->options->redaction, value);
}

static void hide_source(struct loading *loading, const struct value *given)
{
	struct slice written = sources_hide(loading->sources, given->position);

	/* A message about a value that could not be read quotes it as it is written, less what makes an alias of it. */
	if (slice_starts_with(written, SLICE("*")))
		written = slice_from(written, 1);
	if (given->type == VALUE_UNREAD && loading->options && loading->options->redaction)
		redaction_add(loading->options->redaction, written);
	for (uint32_t i = 0; given->type == VALUE_LIST && i < given->count; i++)
		hide_source(loading, &given->items[i]);
	for (uint32_t i = 0; given->type == VALUE_MAP && i < given->count; i++)
		hide_source(loading, &given->members[i].value);
}

void loading_hide(struct loading *loading, const struct value *given)
{
	struct value secret = value_secret(loading->arena, *given);

	hide_source(loading, given);
	loading_redact(loading, &secret);
}

static void hide_found(void *context, const struct value *value)
{
	loading_hide(context, value);
}

void loading_redact_fields(struct loading *loading, const struct fields *fields, const struct value *given)
{
	if (!loading->options || !loading->options->redaction)
		return;
	schema_secrets(fields, given, hide_found, loading);
	loading_redact_made(loading, given);
}

void loading_redact_made(struct loading *loading, const struct value *given)
{
	if (loading->options && loading->options->redaction && loading->options->redaction->count > 0)
		loading_redact(loading, given);
}

void loading_name_resource(struct loading *loading, size_t from, const struct resource *resource)
{
	struct diagnostics *diagnostics = loading->diagnostics;

	for (size_t i = from; i < diagnostics->count; i++) {
		if (diagnostics->items[i].address.size == 0)
			diagnostics->items[i].address = arena_copy(diagnostics->arena, resource->address);
	}
}

static bool is_letter(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

bool loading_is_name(struct slice name)
{
	if (name.size == 0 || name.size > NAME_LONGEST_BYTES || !is_letter(name.data[0]))
		return false;
	for (size_t i = 1; i < name.size; i++) {
		char byte = name.data[i];

		if (!is_letter(byte) && byte != '-' && !(byte >= '0' && byte <= '9'))
			return false;
	}
	return true;
}

const struct value *loading_map(struct loading *loading, const char *what, const struct value *value)
{
	static const struct value empty = {.type = VALUE_MAP};

	if (value->type == VALUE_MAP)
		return value;
	if (value->type == VALUE_NULL)
		return &empty;
	/* Of what holds something that was refused already, or was cut off before its first item, nothing more is said.
	 */
	if (!value_has_unread(value) && !(loading->cut && value->type == VALUE_LIST && value->count == 0))
		diag_error(loading->diagnostics, FAULT_USER, value->position, "%s expects a map, found %s", what,
			   value_type_name(value->type));
	return NULL;
}

/* An array for candidates in scratch; *ret_most may be less than count, and is 0 where nobody will see the hint. */
static struct slice *candidates(const struct loading *loading, size_t count, struct arena *scratch, size_t *ret_most)
{
	size_t most = count < NEAREST_MOST ? count : NEAREST_MOST;

	*ret_most = most < loading->suggestions_left ? most : loading->suggestions_left;
	if (loading->diagnostics->error_count > DIAGNOSTICS_MOST)
		*ret_most = 0;
	return arena_new_array(scratch, *ret_most, struct slice);
}

static void suggest(struct loading *loading, struct slice name, const struct slice *names, size_t count)
{
	loading->suggestions_left -= count;
	(void)diag_suggest(loading->diagnostics, name, names, count);
}

void loading_suggest_key(struct loading *loading, const struct map *map, struct slice name)
{
	struct slice *names;
	struct arena scratch;
	size_t most;

	arena_init(&scratch);
	names = candidates(loading, map->count, &scratch, &most);
	for (size_t i = 0; i < most; i++)
		names[i] = map->entries[i].key;
	suggest(loading, name, names, most);
	arena_release(&scratch);
}

void loading_suggest_name(struct loading *loading, const char *kind, struct slice name)
{
	struct slice *names;
	struct arena scratch;
	size_t most, count = 0;

	arena_init(&scratch);
	names = candidates(loading, loading->resource_count, &scratch, &most);
	for (size_t i = 0; i < loading->resource_count && count < most; i++) {
		if (strcmp(loading->resources[i].kind->name, kind) == 0)
			names[count++] = loading->resources[i].name;
	}
	suggest(loading, name, names, count);
	if (count == 0 && most > 0)
		diag_hint(loading->diagnostics, "the stack has no %s: add one, or give the id of one that exists",
			  kind);
	arena_release(&scratch);
}

struct resource *loading_find(const struct loading *loading, struct slice address)
{
	return (struct resource *)map_get(loading->addresses, address);
}

uint32_t loading_index(const struct loading *loading, const struct resource *resource)
{
	return (uint32_t)(resource - loading->resources);
}

bool loading_is_stray(const struct loading *loading, struct slice text)
{
	struct slice name = text;

	for (size_t i = text.size; i > 0 && name.size == text.size; i--)
		if (text.data[i - 1] == '.')
			name = slice_from(text, i);
	return map_has(&loading->strays, name);
}

bool loading_report_absent(struct loading *loading, struct slice address, struct position position)
{
	if (loading->cut || loading_is_stray(loading, address))
		return false;
	diag_error(loading->diagnostics, FAULT_USER, position, "there is nothing called '%.*s' in this stack",
		   SLICE_ARGUMENTS(slice_first(address, SHOWN_BYTES)));
	loading_suggest_key(loading, loading->addresses, address);
	return true;
}
