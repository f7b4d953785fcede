#include "reconcile/store.h"

static const char *const recipes[] = {
	[RECIPE_CONVERGE] = "converge", [RECIPE_TAG] = "tag",	      [RECIPE_TOKEN] = "token",
	[RECIPE_NATURAL] = "natural",	[RECIPE_DISCARD] = "discard", [RECIPE_NONE] = "none",
};

const char *recipe_name(enum recipe recipe)
{
	return recipes[recipe];
}

struct slice intent_place(struct arena *arena, struct slice id)
{
	return arena_format(arena, "intent %.*s", SLICE_ARGUMENTS(id));
}

enum recipe recipe_named(struct slice name)
{
	for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		if (slice_is(name, recipes[i]))
			return (enum recipe)i;
	}
	return RECIPE_CONVERGE;
}
