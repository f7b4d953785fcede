#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tests/unit/support_kinds.h"
#include "tests/unit/support_load.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

enum { TEXT_LARGEST_BYTES = 64 * 1024 * 1024 };

static struct folder *folder_of(struct world *world)
{
	return (struct folder *)world;
}

static bool folder_read(struct world *world, struct arena *arena, const char *path, size_t limit_bytes,
			struct slice *ret, struct diagnostics *diagnostics)
{
	struct folder *folder = folder_of(world);

	for (size_t i = 0; i < folder->count; i++) {
		struct slice name = arena_format(arena, "specs/%.*s", SLICE_ARGUMENTS(folder->names[i]));

		if (!slice_is(name, path))
			continue;
		if (folder->unreadable && slice_is(folder->names[i], folder->unreadable))
			return diag_error(diagnostics, FAULT_USER, NOWHERE, "cannot read '%s'", path);
		if (folder->texts[i].size > limit_bytes)
			return diag_error(diagnostics, FAULT_USER, NOWHERE, "'%s' is too large", path);
		*ret = folder->texts[i];
		return true;
	}
	return diag_error(diagnostics, FAULT_ABSENT, NOWHERE, "there is no '%s'", path);
}

static bool folder_list(struct world *world, struct arena *arena, const char *path, struct slice **ret_names,
			size_t *ret_count, struct diagnostics *diagnostics)
{
	struct folder *folder = folder_of(world);

	if (strcmp(path, "specs") != 0)
		return diag_error(diagnostics, FAULT_ABSENT, NOWHERE, "there is no folder '%s'", path);
	*ret_names = arena_new_array(arena, folder->count, struct slice);
	memcpy(*ret_names, folder->names, folder->count * sizeof(struct slice));
	*ret_count = folder->count;
	return true;
}

static const char *folder_environment(struct world *world, const char *name)
{
	const char *const *at = folder_of(world)->environment;

	for (; at && *at; at += 2) {
		if (strcmp(at[0], name) == 0)
			return at[1];
	}
	return NULL;
}

void folder_init(struct folder *folder, const char *files)
{
	struct slice rest = slice_of(files);

	*folder = (struct folder){
		.world = {.read_file = folder_read, .list_folder = folder_list, .environment = folder_environment}};
	while (rest.size > 0) {
		const char *next;
		size_t size;

		assert_true(slice_starts_with(rest, SLICE("=== ")));
		assert_true(folder->count < FOLDER_FILES_MOST);
		rest = slice_from(rest, 4);
		folder->names[folder->count] = slice_cut(&rest, '\n');
		next = strstr(rest.data ? rest.data : "", "=== ");
		size = next ? (size_t)(next - rest.data) : rest.size;
		folder->texts[folder->count++] = slice_first(rest, size);
		rest = slice_from(rest, size);
	}
}

static const struct field provider_fields[] = {
	{.name = "region", .type = FIELD_STRING, .flags = REQUIRED},
	{.name = "retries", .type = FIELD_INTEGER},
	{.name = "account", .type = FIELD_STRING},
	{.name = "endpoint", .type = FIELD_STRING},
};

static bool expect(struct world *world, const struct value *settings, struct arena *arena, struct identity *ret)
{
	(void)world;
	(void)arena;
	*ret = (struct identity){
		.region = value_slice(value_get_named(settings, "region")),
		.account = value_slice(value_get_named(settings, "account")),
		.endpoint = value_slice(value_get_named(settings, "endpoint")),
	};
	return true;
}

static const struct provider_schema schemas[] = {
	{"net", FIELDS(provider_fields), NULL, expect},
	{"box", {NULL, 0, sizeof(struct field)}, NULL, expect},
};

void loaded_start(struct loaded *loaded, struct folder *folder, const struct load_options *options)
{
	*loaded = (struct loaded){.good = false};
	arena_init(&loaded->arena);
	diagnostics_init(&loaded->diagnostics, &loaded->arena);
	sources_init(&loaded->sources);
	buffer_init(&loaded->text, TEXT_LARGEST_BYTES);
	loaded->good = stack_load(&folder->world, "specs", &support_kinds, options, &loaded->arena, &loaded->sources,
				  schemas, COUNT(schemas), &loaded->stack, &loaded->diagnostics);
	assert_int_equal(loaded->good, loaded->diagnostics.error_count == 0);
	diagnostics_sort(&loaded->diagnostics);
}

void loaded_end(struct loaded *loaded)
{
	buffer_release(&loaded->text);
	sources_release(&loaded->sources);
	diagnostics_release(&loaded->diagnostics);
	arena_release(&loaded->arena);
}

static void write_place(struct loaded *loaded, struct position position)
{
	struct slice place = sources_place(&loaded->sources, position, &loaded->arena);

	/* All files lie in one folder. */
	if (slice_starts_with(place, SLICE("specs/")))
		place = slice_from(place, 6);
	buffer_append(&loaded->text, place);
}

/* "file:line:column: message (hint) <related> [address]", one a line. */
static void write_diagnostics(struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->diagnostics.count; i++) {
		const struct diag *diag = &loaded->diagnostics.items[i];

		if (diag->position.line > 0) {
			write_place(loaded, diag->position);
			buffer_string(&loaded->text, ": ");
		}
		buffer_append(&loaded->text, diag->message);
		if (diag->hint.size > 0)
			buffer_format(&loaded->text, " (%.*s)", SLICE_ARGUMENTS(diag->hint));
		if (diag->related.line > 0) {
			buffer_string(&loaded->text, " <");
			write_place(loaded, diag->related);
			buffer_string(&loaded->text, ">");
		}
		if (diag->address.size > 0)
			buffer_format(&loaded->text, " [%.*s]", SLICE_ARGUMENTS(diag->address));
		buffer_string(&loaded->text, "\n");
	}
}

static void write_json(struct loaded *loaded, const struct value *value)
{
	static const struct json_style style = {.clear = false};

	assert_true(json_write(&loaded->text, value, &style));
}

static void write_dependency(struct loaded *loaded, const struct dependency *dependency)
{
	static const char *const bindings[] = {
		[BINDS_MAKE] = "make",
		[BINDS_SETTLE] = "settle",
		[BINDS_WHOLE] = "whole",
	};

	buffer_format(&loaded->text, "\n  %s %.*s", bindings[dependency->binding],
		      SLICE_ARGUMENTS(dependency->address));
	if (dependency->output.size > 0)
		buffer_format(&loaded->text, ".%.*s in %.*s", SLICE_ARGUMENTS(dependency->output),
			      SLICE_ARGUMENTS(dependency->field));
	buffer_string(&loaded->text, dependency->immutable ? " immutable" : "");
}

static int compare_resources(const void *a, const void *b)
{
	return slice_compare((*(const struct resource *const *)a)->address,
			     (*(const struct resource *const *)b)->address);
}

static void write_resource(struct loaded *loaded, const struct resource *resource)
{
	buffer_format(&loaded->text, "%.*s ", SLICE_ARGUMENTS(resource->address));
	write_json(loaded, &resource->desired);
	if (resource->protect)
		buffer_string(&loaded->text, " protect");
	if (resource->create_before_destroy != CHOICE_UNSET)
		buffer_format(&loaded->text, " create_before_destroy=%d", resource->create_before_destroy);
	for (size_t i = 0; i < resource->ignored_count; i++)
		buffer_format(&loaded->text, " ignores %.*s", SLICE_ARGUMENTS(resource->ignored[i]));
	if (!slice_equal(resource->provider, kind_provider(resource->kind)))
		buffer_format(&loaded->text, " by %.*s", SLICE_ARGUMENTS(resource->provider));
	for (size_t i = 0; i < resource->dependency_count; i++)
		write_dependency(loaded, &resource->dependencies[i]);
	buffer_string(&loaded->text, "\n");
}

/* The whole stack in a form that says nothing of files and lines. */
static void write_stack(struct loaded *loaded)
{
	const struct stack *stack = &loaded->stack;
	const struct resource **sorted =
		arena_new_array(&loaded->arena, stack->resource_count, const struct resource *);

	for (size_t i = 0; i < stack->resource_count; i++)
		sorted[i] = &stack->resources[i];
	qsort(sorted, stack->resource_count, sizeof(const struct resource *), compare_resources);
	for (size_t i = 0; i < stack->resource_count; i++)
		write_resource(loaded, sorted[i]);
	for (size_t i = 0; i < stack->output_count; i++) {
		buffer_format(&loaded->text, "output %.*s ", SLICE_ARGUMENTS(stack->outputs[i].name));
		write_json(loaded, &stack->outputs[i].value);
		buffer_string(&loaded->text, "\n");
	}
	for (size_t i = 0; i < stack->provider_count; i++) {
		if (stack->providers[i].settings.count == 0 && stack->provider_count == 1)
			continue;
		buffer_format(&loaded->text, "provider %.*s ", SLICE_ARGUMENTS(stack->providers[i].name));
		write_json(loaded, &stack->providers[i].settings);
		buffer_string(&loaded->text, "\n");
	}
	if (stack->max_delete >= 0)
		buffer_format(&loaded->text, "max_delete %lld\n", (long long)stack->max_delete);
}

const char *loaded_text(struct loaded *loaded)
{
	if (loaded->good)
		write_stack(loaded);
	else
		write_diagnostics(loaded);
	return arena_string(&loaded->arena, buffer_slice(&loaded->text));
}

size_t load_rows_check(const struct load_row *rows, size_t count)
{
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++) {
		struct loaded loaded;
		struct folder folder;
		const char *text;

		folder_init(&folder, rows[i].files);
		loaded_start(&loaded, &folder, NULL);
		text = loaded_text(&loaded);
		if (strcmp(text, rows[i].expected) != 0) {
			print_error("%s:\n%s", rows[i].name, text);
			wrong++;
		}
		loaded_end(&loaded);
	}
	return wrong;
}
