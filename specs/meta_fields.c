#include "specs/references.h"
#include "specs/resources.h"

enum { SHOWN_BYTES = 80, CANDIDATES_MOST = 256 };

/* value has its expressions, which may use variables only, evaluated. */
typedef void meta_read(struct loading *loading, uint32_t entry, const struct value *value);

static meta_read read_depends_on;
static meta_read read_provider;
static meta_read read_lifecycle;

struct meta_field {
	const char *name;
	meta_read *read; /* NULL: part of the language, but not supported yet */
};

static const struct meta_field meta_fields[] = {
	{"depends_on", read_depends_on},
	{"provider", read_provider},
	{"lifecycle", read_lifecycle},
	{"for_each", NULL},
	{"when", NULL},
	{"import", NULL},
	{"moved_from", NULL},
	{"timeouts", NULL},
};

enum { META_COUNT = sizeof(meta_fields) / sizeof(meta_fields[0]) };

static meta_read read_protect;
static meta_read read_create_before_destroy;
static meta_read read_ignore;

static const struct meta_field lifecycle_fields[] = {
	{"protect", read_protect}, {"create_before_destroy", read_create_before_destroy},
	{"ignore", read_ignore},   {"replace_when", NULL},
	{"forget", NULL},
};

enum { LIFECYCLE_COUNT = sizeof(lifecycle_fields) / sizeof(lifecycle_fields[0]) };

static const struct meta_field *find(const struct meta_field *rows, size_t count, struct slice name)
{
	for (size_t i = 0; i < count; i++) {
		if (slice_is(name, rows[i].name))
			return &rows[i];
	}
	return NULL;
}

static void report_misfit(struct loading *loading, const char *name, const char *expected, const struct value *value)
{
	if (value->type != VALUE_UNREAD)
		diag_error(loading->diagnostics, FAULT_USER, value->position, "'%s' expects %s, found %s", name,
			   expected, value_type_name(value->type));
}

static void report_no_list(struct loading *loading, const char *name, const char *expected, const struct value *value)
{
	report_misfit(loading, name, expected, value);
	if (value->type == VALUE_STRING)
		diag_hint(loading->diagnostics, "write it as a list: [%.*s]",
			  SLICE_ARGUMENTS(value_shown(value, SHOWN_BYTES)));
}

static void read_row(struct loading *loading, uint32_t entry, const struct meta_field *row,
		     const struct value_member *member)
{
	struct value value;

	if (!row->read) {
		diag_error(loading->diagnostics, FAULT_USER, member->key.position, "'%s' is not supported yet",
			   row->name);
		return;
	}
	references_resolve_value(loading, row->name, &member->value, &value);
	if (value.type != VALUE_NULL)
		row->read(loading, entry, &value);
}

bool meta_field_read(struct loading *loading, uint32_t entry, const struct value_member *member)
{
	const struct meta_field *row = find(meta_fields, META_COUNT, value_slice(&member->key));

	if (row)
		read_row(loading, entry, row, member);
	return row != NULL;
}

static void depend_on(struct loading *loading, uint32_t entry, const struct value *value)
{
	struct meeting meeting = {.binding = BINDS_WHOLE, .position = value->position};
	const struct resource *target = loading_find(loading, value_slice(value));

	if (value->type != VALUE_STRING) {
		report_misfit(loading, "depends_on", "addresses such as aws.vpc.train", value);
		return;
	}
	if (!target) {
		if (loading_report_absent(loading, value_shown(value, SIZE_MAX), value->position) &&
		    !slice_contains(value_slice(value), SLICE(".")))
			diag_hint(loading->diagnostics, "write the whole address: the kind, a dot and the name");
		return;
	}
	meeting.target = loading_index(loading, target);
	if (meeting.target == entry)
		diag_error(loading->diagnostics, FAULT_USER, value->position, "'%.*s' cannot depend on itself",
			   SLICE_ARGUMENTS(target->address));
	else
		references_meet(loading, entry, &meeting);
}

static void read_depends_on(struct loading *loading, uint32_t entry, const struct value *value)
{
	if (value->type != VALUE_LIST) {
		report_no_list(loading, "depends_on", "a list of addresses", value);
		return;
	}
	for (size_t i = 0; i < value->count; i++)
		depend_on(loading, entry, &value->items[i]);
}

static void read_provider(struct loading *loading, uint32_t entry, const struct value *value)
{
	struct resource *resource = &loading->resources[entry];
	struct slice name = value_slice(value), rest = name;
	struct slice provider = slice_cut(&rest, '.');

	if (value->type != VALUE_STRING) {
		report_misfit(loading, "provider", "the name of a provider", value);
		return;
	}
	if (!slice_equal(provider, kind_provider(resource->kind))) {
		diag_error(loading->diagnostics, FAULT_USER, value->position,
			   "'%s' needs a provider of '%.*s', not '%.*s'", resource->kind->name,
			   SLICE_ARGUMENTS(kind_provider(resource->kind)),
			   SLICE_ARGUMENTS(value_shown(value, SHOWN_BYTES)));
		return;
	}
	/* Kept of one that is not there, too: nothing is said of what it would reach. */
	resource->provider = arena_copy(loading->arena, name);
	/* A provider without an alias needs no block. */
	if (rest.data && !map_get(&loading->providers, name) && !loading->cut) {
		diag_error(loading->diagnostics, FAULT_USER, value->position, "there is no provider '%.*s'",
			   SLICE_ARGUMENTS(value_shown(value, SHOWN_BYTES)));
		diag_hint(loading->diagnostics, "add it under 'providers:'");
		loading_suggest_key(loading, &loading->providers, name);
	}
}

/* What those who come from Terraform look for. */
static const struct word_hint lifecycle_elsewhere[] = {
	{"prevent_destroy", "write 'protect'"},
	{"ignore_changes", "write 'ignore'"},
	{NULL, NULL},
};

static void read_lifecycle(struct loading *loading, uint32_t entry, const struct value *value)
{
	const struct value *map = loading_map(loading, "'lifecycle'", value);

	for (size_t i = 0; map && i < map->count; i++) {
		const struct value_member *member = &map->members[i];
		struct slice name = value_slice(&member->key);
		const struct meta_field *row = find(lifecycle_fields, LIFECYCLE_COUNT, name);
		struct slice candidates[LIFECYCLE_COUNT];

		if (row) {
			read_row(loading, entry, row, member);
			continue;
		}
		for (size_t k = 0; k < LIFECYCLE_COUNT; k++)
			candidates[k] = slice_of(lifecycle_fields[k].name);
		diag_error(loading->diagnostics, FAULT_USER, member->key.position, "'lifecycle' has no '%.*s'",
			   SLICE_ARGUMENTS(slice_first(name, SHOWN_BYTES)));
		if (!diag_hint_for_word(loading->diagnostics, name, lifecycle_elsewhere) &&
		    !diag_suggest(loading->diagnostics, name, candidates, LIFECYCLE_COUNT))
			diag_hint(loading->diagnostics, "it may have: protect, create_before_destroy, ignore");
	}
}

static void read_protect(struct loading *loading, uint32_t entry, const struct value *value)
{
	if (value->type == VALUE_BOOL)
		loading->resources[entry].protect = value->boolean;
	else
		report_misfit(loading, "protect", "true or false", value);
}

static void read_create_before_destroy(struct loading *loading, uint32_t entry, const struct value *value)
{
	if (value->type == VALUE_BOOL)
		loading->resources[entry].create_before_destroy = value->boolean ? CHOICE_YES : CHOICE_NO;
	else
		report_misfit(loading, "create_before_destroy", "true or false", value);
}

static void report_no_field(struct loading *loading, const struct kind *kind, const struct value *value)
{
	struct slice candidates[CANDIDATES_MOST];
	size_t count = kind->fields.count < CANDIDATES_MOST ? kind->fields.count : CANDIDATES_MOST;

	for (size_t i = 0; i < count; i++)
		candidates[i] = slice_of(field_at(&kind->fields, i)->name);
	diag_error(loading->diagnostics, FAULT_USER, value->position, "%s has no field '%.*s' to ignore", kind->name,
		   SLICE_ARGUMENTS(value_shown(value, SHOWN_BYTES)));
	(void)diag_suggest(loading->diagnostics, value_slice(value), candidates, count);
}

static void read_ignore(struct loading *loading, uint32_t entry, const struct value *value)
{
	struct resource *resource = &loading->resources[entry];
	struct slice *ignored;

	if (value->type != VALUE_LIST) {
		report_no_list(loading, "ignore", "a list of field names", value);
		return;
	}
	ignored = arena_new_array(loading->arena, value->count, struct slice);
	for (size_t i = 0; i < value->count; i++) {
		const struct value *item = &value->items[i];

		if (item->type != VALUE_STRING)
			report_misfit(loading, "ignore", "names of fields", item);
		else if (!field_named(&resource->kind->fields, value_slice(item)))
			report_no_field(loading, resource->kind, item);
		else
			ignored[resource->ignored_count++] = value_slice(item);
	}
	resource->ignored = ignored;
}
