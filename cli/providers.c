#include "cli/providers.h"

#include <stdlib.h>

#include "providers/aws/aws.h"
#include "providers/metal/metal.h"

static const struct provider *const items[] = {
	&aws_provider,
	&metal_provider,
};

const struct providers all_providers = {items, sizeof(items) / sizeof(items[0])};

static int compare_kinds(const void *a, const void *b)
{
	const struct kind *const *left = a;
	const struct kind *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

struct kinds all_kinds(struct arena *arena)
{
	size_t count = 0;

	for (size_t i = 0; i < all_providers.count; i++)
		count += all_providers.items[i]->kind_count;
	const struct kind **sorted = arena_new_array(arena, count + 1, const struct kind *);
	count = 0;
	for (size_t i = 0; i < all_providers.count; i++)
		for (size_t k = 0; k < all_providers.items[i]->kind_count; k++)
			sorted[count++] = all_providers.items[i]->kinds[k];
	qsort(sorted, count, sizeof(*sorted), compare_kinds);
	return (struct kinds){sorted, count};
}

const struct provider_schema *all_provider_schemas(struct arena *arena)
{
	struct provider_schema *schemas = arena_new_array(arena, all_providers.count, struct provider_schema);

	for (size_t i = 0; i < all_providers.count; i++) {
		const struct provider *provider = all_providers.items[i];

		schemas[i] =
			(struct provider_schema){provider->name, provider->settings, provider->check, provider->expect};
	}
	return schemas;
}
