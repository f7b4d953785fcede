#include "specs/load.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "specs/loading.h"
#include "specs/places.h"
#include "specs/resources.h"
#include "specs/sections.h"
#include "specs/unread.h"
#include "specs/yaml.h"

enum {
	PATH_LARGEST_BYTES = 4096,
	/* Names that a run may compare in search of the nearest: well under a second. */
	SUGGESTIONS_MOST = 1000000,
};

static void loading_init(struct loading *loading)
{
	arena_init(&loading->scratch);
	arena_init(&loading->working);
	map_init(&loading->variables);
	map_init(&loading->exported);
	map_init(&loading->providers);
	map_init(&loading->ranges);
	map_init(&loading->strays);
	loading->addresses = map_new(loading->arena);
	map_init(&loading->outputs);
	loading->suggestions_left = SUGGESTIONS_MOST;
	loading->evaluation_left = EVALUATED_MOST_BYTES;
}

static void loading_release(struct loading *loading)
{
	arena_release(&loading->scratch);
	arena_release(&loading->working);
	map_release(&loading->variables);
	map_release(&loading->exported);
	map_release(&loading->providers);
	map_release(&loading->ranges);
	map_release(&loading->strays);
	map_release(&loading->outputs);
	free(loading->roots);
	free(loading->waiting);
}

bool stack_is_file_name(struct slice name)
{
	return (slice_ends_with(name, SLICE(".yaml")) || slice_ends_with(name, SLICE(".yml"))) && name.data[0] != '.';
}

/* As the user would type it; NULL after a diagnostic. */
static const char *make_path(struct loading *loading, const char *folder, struct slice name)
{
	bool here = folder[0] == '\0' || strcmp(folder, ".") == 0;
	bool ends = !here && folder[strlen(folder) - 1] == '/';
	struct slice path = arena_format(loading->arena, "%s%s%.*s", here ? "" : folder, here || ends ? "" : "/",
					 SLICE_ARGUMENTS(name));

	if (path.size <= PATH_LARGEST_BYTES)
		return path.data;
	diag_error(loading->diagnostics, FAULT_USER, NOWHERE, "the path of '%.*s' is too long", SLICE_ARGUMENTS(name));
	return NULL;
}

/* Meant as one, most likely; of what else lies there nobody can tell. */
static bool is_nearly_spec(struct slice name)
{
	size_t dot = name.size;

	while (dot > 0 && name.data[dot - 1] != '.')
		dot--;
	struct slice ending = slice_from(name, dot);
	return dot > 1 && name.data[0] != '.' && !stack_is_file_name(name) &&
	       (slice_equal_caseless(ending, SLICE("yaml")) || slice_equal_caseless(ending, SLICE("yml")));
}

/* Unread, all that stands in it would be planned to be deleted. Said once for a folder. */
static void warn_of_unread(struct loading *loading, const char *folder, const struct slice *names, size_t count)
{
	size_t first = count, others = 0;
	const char *path;

	for (size_t i = 0; i < count; i++) {
		if (!is_nearly_spec(names[i]))
			continue;
		if (first == count)
			first = i;
		else
			others++;
	}
	path = first < count ? make_path(loading, folder, names[first]) : NULL;
	if (!path)
		return;
	struct slice are = others > 0 ? arena_format(loading->arena, " and %zu more are", others) : SLICE(" is");
	diag_add(loading->diagnostics, SEVERITY_WARNING, FAULT_USER, NOWHERE, "'%s'%.*s not read", path,
		 SLICE_ARGUMENTS(are));
	diag_hint(loading->diagnostics,
		  "a spec is what ends in .yaml or .yml, in lower case: rename what belongs to it");
}

/* What is read once it turned out to be a map. */
static void take_tree(struct loading *loading, const struct yaml_tree *tree)
{
	const struct value *root = &tree->root;

	if (root->type == VALUE_NULL || root->type == VALUE_UNREAD)
		return;
	if (root->type == VALUE_MAP) {
		loading->roots[loading->root_count++] = (struct root){root, tree->shared};
		return;
	}
	loading->cut = true;
	/* Why the rest of it was not read has been said. */
	if (tree->cut || value_has_unread(root))
		return;
	diag_error(loading->diagnostics, FAULT_USER, root->position, "a spec is a map of kinds and sections, found %s",
		   value_type_name(root->type));
	diag_hint(loading->diagnostics, "begin with a line such as 'stack: NAME' or 'aws.vpc:'");
}

/* *bytes_left and *expansion_left are what the files that follow may still use. */
static void read_spec(struct loading *loading, const char *folder, struct slice name, size_t *bytes_left,
		      size_t *expansion_left)
{
	size_t limit = *bytes_left < LOAD_FILE_LARGEST_BYTES ? *bytes_left : LOAD_FILE_LARGEST_BYTES;
	const char *path = make_path(loading, folder, name);
	struct yaml_tree *tree;
	struct slice text;
	uint16_t file;

	/* What is not read may hold what others refer to. */
	if (!path ||
	    !loading->world->read_file(loading->world, loading->arena, path, limit, &text, loading->diagnostics)) {
		loading->cut = true;
		return;
	}
	*bytes_left -= text.size;
	file = sources_add(loading->sources, slice_of(path), text);
	tree = arena_new(loading->arena, struct yaml_tree);
	if (!yaml_read(loading->arena, text, file, expansion_left, tree, loading->diagnostics) && tree->cut)
		loading->cut = true;
	unread_hide(loading, file, tree);
	take_tree(loading, tree);
}

bool stack_has_files(struct world *world, const char *folder, struct arena *arena)
{
	struct diagnostics findings;
	struct slice *names;
	size_t count;
	bool found = false;

	diagnostics_init(&findings, arena);
	bool listed = world->list_folder(world, arena, folder, &names, &count, &findings);
	for (size_t i = 0; listed && i < count; i++)
		found |= stack_is_file_name(names[i]);
	diagnostics_release(&findings);
	return found || !listed;
}

/* False after a diagnostic where there is nothing to check at all. */
static bool read_folder(struct loading *loading, const char *folder)
{
	size_t bytes_left = LOAD_STACK_LARGEST_BYTES, expansion_left = YAML_EXPANSION_MOST;
	size_t count, spec_count = 0;
	struct slice *names;

	if (!loading->world->list_folder(loading->world, loading->arena, folder, &names, &count, loading->diagnostics))
		return false;
	for (size_t i = 0; i < count; i++)
		spec_count += stack_is_file_name(names[i]) ? 1 : 0;
	warn_of_unread(loading, folder, names, count);
	if (spec_count == 0) {
		diag_error(loading->diagnostics, FAULT_USER, NOWHERE, "there is no spec in '%s'", folder);
		diag_hint(loading->diagnostics, "put a file such as stack.yaml there, or name another folder with -C");
		return false;
	}
	if (spec_count >= UINT16_MAX - 1 - loading->sources->count) {
		diag_error(loading->diagnostics, FAULT_USER, NOWHERE, "there are too many specs in '%s'", folder);
		diag_hint(loading->diagnostics, "bring them into fewer files");
		return false;
	}
	loading->roots = (struct root *)memory_get(spec_count * sizeof(*loading->roots));
	for (size_t i = 0; i < count; i++) {
		if (stack_is_file_name(names[i]))
			read_spec(loading, folder, names[i], &bytes_left, &expansion_left);
	}
	return true;
}

static void check_stack_name(struct loading *loading)
{
	if (loading->stack_name.type != VALUE_NULL || loading->cut)
		return;
	diag_error(loading->diagnostics, FAULT_USER, NOWHERE, "the stack has no name");
	diag_hint(loading->diagnostics,
		  "add a line such as 'stack: research-west'; the name stays for the stack's life");
}

static int compare_providers(const void *a, const void *b)
{
	return slice_compare(((const struct provider_settings *)a)->name, ((const struct provider_settings *)b)->name);
}

/* The blocks, and an empty one for each provider that is used without. */
static void finish_providers(struct loading *loading, struct stack *stack)
{
	struct map *providers = &loading->providers;
	struct provider_settings *all;

	for (size_t i = 0; i < loading->resource_count; i++) {
		const struct resource *resource = &loading->resources[i];
		struct provider_settings *settings;

		/* Neighbours mostly have the same one. */
		if ((i > 0 && slice_equal(resource->provider, resource[-1].provider)) ||
		    map_get(providers, resource->provider))
			continue;
		settings = arena_new(loading->arena, struct provider_settings);
		*settings = (struct provider_settings){resource->provider, NOWHERE, value_map(NULL, 0)};
		map_set(providers, resource->provider, settings);
	}
	all = arena_new_array(loading->arena, providers->count, struct provider_settings);
	for (size_t i = 0; i < providers->count; i++)
		all[i] = *(const struct provider_settings *)providers->entries[i].item;
	if (providers->count > 1)
		qsort(all, providers->count, sizeof(*all), compare_providers);
	stack->providers = all;
	stack->provider_count = providers->count;
}

static struct value values_of_variables(const struct loading *loading)
{
	VALUE_BUILDER_AUTO values;

	value_builder_init(&values);
	for (size_t i = 0; i < loading->variables.count; i++)
		value_builder_item(&values, ((const struct variable *)loading->variables.entries[i].item)->value);
	return value_builder_list(&values, loading->arena);
}

static void finish(struct loading *loading, struct stack *stack)
{
	*stack = (struct stack){
		.name = value_slice(&loading->stack_name),
		.resources = loading->resources,
		.resource_count = loading->resource_count,
		.max_delete = loading->max_delete.type == VALUE_INTEGER ? loading->max_delete.integer : -1,
		.variables = values_of_variables(loading),
		.addresses = loading->addresses,
	};
	finish_providers(loading, stack);
	sections_outputs(loading, &stack->outputs, &stack->output_count);
}

static void check_things(struct loading *loading, const struct stack *stack)
{
	struct map places;

	map_init(&places);
	places_find(loading, stack, &places);
	places_check(loading, &places);
	twins_check(loading, &places);
	claims_check(loading, &places);
	regions_check(loading, &places);
	routes_check(loading);
	beside_check(loading);
	addresses_check(loading);
	shares_check(loading);
	map_release(&places);
}

static bool load(struct loading *loading, const char *folder, struct stack *ret)
{
	size_t errors_before = loading->diagnostics->error_count;
	struct stack stack;

	if (!read_folder(loading, folder))
		return false;
	sections_read(loading);
	check_stack_name(loading);
	resources_collect(loading);
	resources_complete(loading);
	finish(loading, &stack);
	check_things(loading, &stack);
	needs_check(loading);
	dependencies_check(loading);
	if (!overlap_check(&stack, &loading->space, loading->sources, loading->diagnostics) ||
	    loading->diagnostics->error_count != errors_before)
		return false;
	*ret = stack;
	return true;
}

bool stack_load(struct world *world, const char *folder, const struct kinds *kinds, const struct load_options *options,
		struct arena *arena, struct sources *sources, const struct provider_schema *schemas,
		size_t schema_count, struct stack *ret, struct diagnostics *diagnostics)
{
	struct loading loading = {
		.world = world,
		.kinds = kinds,
		.options = options,
		.schemas = schemas,
		.schema_count = schema_count,
		.arena = arena,
		.sources = sources,
		.diagnostics = diagnostics,
		.stack_name = value_null(),
		.max_delete = value_null(),
	};
	bool good;

	loading_init(&loading);
	good = load(&loading, folder, ret);
	loading_release(&loading);
	return good;
}
