#include "base/buffer.h"
#include "reconcile/schema.h"
#include "specs/references.h"
#include "specs/sections.h"

enum { SHOWN_BYTES = 80, CANDIDATES_MOST = 64, HINT_LIMIT_BYTES = 512 };

static const struct provider_schema *find_schema(const struct loading *loading, struct slice provider)
{
	for (size_t i = 0; i < loading->schema_count; i++) {
		if (slice_is(provider, loading->schemas[i].name))
			return &loading->schemas[i];
	}
	return NULL;
}

static void report_unknown(struct loading *loading, struct slice provider, struct position position)
{
	struct slice candidates[CANDIDATES_MOST] = {{NULL, 0}};
	BUFFER_AUTO names;
	size_t count = loading->schema_count < CANDIDATES_MOST ? loading->schema_count : CANDIDATES_MOST;

	buffer_init(&names, HINT_LIMIT_BYTES);
	for (size_t i = 0; i < count; i++) {
		candidates[i] = slice_of(loading->schemas[i].name);
		buffer_format(&names, "%s%s", i > 0 ? ", " : "", loading->schemas[i].name);
	}
	diag_error(loading->diagnostics, FAULT_USER, position, "there is no provider '%.*s'",
		   SLICE_ARGUMENTS(slice_first(provider, SHOWN_BYTES)));
	if (!diag_suggest(loading->diagnostics, provider, candidates, count))
		diag_hint(loading->diagnostics, "there are: %.*s", SLICE_ARGUMENTS(buffer_slice(&names)));
}

/* "aws", or "aws.east" with a name of the user's choice. NULL after a diagnostic. */
static const struct provider_schema *check_name(struct loading *loading, const struct value *key)
{
	struct slice alias = value_slice(key);
	struct slice provider = slice_cut(&alias, '.');
	const struct provider_schema *schema = find_schema(loading, provider);

	if (!schema) {
		report_unknown(loading, provider, key->position);
		return NULL;
	}
	if (!alias.data || loading_is_name(alias))
		return schema;
	diag_error(loading->diagnostics, FAULT_USER, key->position, "'%.*s' cannot be the name of an alias",
		   SLICE_ARGUMENTS(slice_first(alias, SHOWN_BYTES)));
	diag_hint(loading->diagnostics, LOADING_NAME_RULE);
	return NULL;
}

static void read_block(struct loading *loading, const struct value_member *member)
{
	struct slice name = value_slice(&member->key);
	const struct provider_schema *schema = check_name(loading, &member->key);
	const struct provider_settings *earlier = (const struct provider_settings *)map_get(&loading->providers, name);
	struct provider_settings *settings;
	const struct value *map;
	struct slice what;
	struct value value;

	if (!schema)
		return;
	if (earlier) {
		diag_error(loading->diagnostics, FAULT_USER, member->key.position, "the provider '%.*s' is given twice",
			   SLICE_ARGUMENTS(name));
		diag_related(loading->diagnostics, earlier->position, "it is given here as well");
		return;
	}
	what = arena_format(loading->arena, "provider '%.*s'", SLICE_ARGUMENTS(name));
	settings = arena_new(loading->arena, struct provider_settings);
	*settings = (struct provider_settings){name, member->key.position, value_map(NULL, 0)};
	map_set(&loading->providers, name, settings);
	map = loading_map(loading, what.data, &member->value);
	if (!map)
		return;
	references_resolve_value(loading, "providers", map, &value);
	/* What is missing is missing from the block as a whole. */
	value.position = member->key.position;
	loading_redact_fields(loading, &schema->settings, &value);
	if (!schema_check_fields(&schema->settings, what.data, &value, loading->arena, &settings->settings,
				 loading->diagnostics) ||
	    (schema->check && !schema->check(name, &settings->settings, loading->diagnostics)))
		settings->settings = value_map(NULL, 0);
}

void provider_blocks_read(struct loading *loading, const struct value *value)
{
	const struct value *map = loading_map(loading, "'providers'", value);

	for (size_t i = 0; map && i < map->count; i++)
		read_block(loading, &map->members[i]);
}
