#include "reconcile/store.h"

static const char *const recipes[] = {
	[RECIPE_CONVERGE] = "converge", [RECIPE_TAG] = "tag",	      [RECIPE_TOKEN] = "token",
	[RECIPE_NATURAL] = "natural",	[RECIPE_DISCARD] = "discard", [RECIPE_NONE] = "none",
};

const char *recipe_name(enum recipe recipe)
{
	return recipes[recipe];
}

enum recipe recipe_named(struct slice name)
{
	for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		if (slice_is(name, recipes[i]))
			return (enum recipe)i;
	}
	return RECIPE_CONVERGE;
}
