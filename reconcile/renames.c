#include "reconcile/renames.h"

#include "reconcile/unfinished.h"

static bool names_any(const struct renames *renames, const struct dependency *dependencies, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (renames->new_address(renames->context, dependencies[i].address).data)
			return true;
	return false;
}

static const struct dependency *renamed(const struct renames *renames, const struct dependency *dependencies,
					size_t count, struct arena *arena)
{
	struct dependency *all = arena_new_array(arena, count, struct dependency);

	for (size_t i = 0; i < count; i++) {
		struct slice address = renames->new_address(renames->context, dependencies[i].address);

		all[i] = dependencies[i];
		if (address.data)
			all[i].address = address;
	}
	return all;
}

bool renames_concern(const struct renames *renames, const struct object *object, struct arena *arena)
{
	const struct dependency *noted = NULL;
	size_t count = object->has_body ? unfinished_wanted(object, arena, &noted) : 0;

	/* What refers to itself (a rule that admits its own group) has no dependency by that. */
	return (object->has_body && renames->new_address(renames->context, object->address).data) ||
	       names_any(renames, object->dependencies, object->dependency_count) || names_any(renames, noted, count);
}

struct naming {
	const struct renames *renames;
	struct arena *arena;
};

/* The new name of an output; those of all else stay as they are. */
static const struct value *new_name(void *context, struct slice address, struct slice output)
{
	const struct naming *naming = context;
	struct slice now = naming->renames->new_address(naming->renames->context, address);

	if (!now.data)
		return NULL;
	struct value *value = arena_new(naming->arena, struct value);
	*value = naming->renames->resolver->refer(naming->arena, now, output);
	return value;
}

bool renames_rewrite(const struct renames *renames, struct object *object, struct arena *arena,
		     struct diagnostics *diagnostics)
{
	struct naming naming = {renames, arena};
	struct output_source source = {&naming, new_name};
	const struct resolver *resolver = renames->resolver;
	const struct dependency *noted = NULL;
	size_t count = unfinished_wanted(object, arena, &noted);

	object->dependencies = renamed(renames, object->dependencies, object->dependency_count, arena);
	/* Of a text that names the old address; the next plan compares the long way. */
	object->symbolic = (struct digest){0};
	if (!resolver->resolve(resolver, &object->applied, &source, arena, &object->applied, diagnostics) ||
	    (value_is(&object->let_go, VALUE_MAP) &&
	     !resolver->resolve(resolver, &object->let_go, &source, arena, &object->let_go, diagnostics)))
		return false;
	if (count == 0)
		return true;
	unfinished_put_wanted(object, renamed(renames, noted, count, arena), count, arena);
	return resolver->resolve(resolver, &object->unfinished, &source, arena, &object->unfinished, diagnostics);
}
