#include "tests/simulate/tally.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

void tally_init(struct tally *tally)
{
	map_init(&tally->counts);
	arena_init(&tally->arena);
}

void tally_release(struct tally *tally)
{
	map_release(&tally->counts);
	arena_release(&tally->arena);
}

void tally_add(struct tally *tally, const char *operation, const char *mishap, uint64_t count)
{
	char key[128];
	int size = snprintf(key, sizeof(key), "%s %s", operation, mishap);
	struct slice name = {key, size > 0 && (size_t)size < sizeof(key) ? (size_t)size : sizeof(key) - 1};
	uint64_t *known = map_get(&tally->counts, name);

	if (!known) {
		known = arena_new(&tally->arena, uint64_t);
		map_set(&tally->counts, arena_copy(&tally->arena, name), known);
	}
	*known += count;
}

void tally_write(const struct tally *tally, FILE *to)
{
	for (size_t i = 0; i < tally->counts.count; i++)
		fprintf(to, "pair %.*s %" PRIu64 "\n", SLICE_ARGUMENTS(tally->counts.entries[i].key),
			*(const uint64_t *)tally->counts.entries[i].item);
}

static int by_key(const void *a, const void *b)
{
	return slice_compare((*(const struct map_entry *const *)a)->key, (*(const struct map_entry *const *)b)->key);
}

void tally_show(const struct tally *tally, FILE *to)
{
	size_t count = tally->counts.count;
	const struct map_entry **entries = memory_get((count + 1) * sizeof(*entries));
	struct slice before = {NULL, 0};

	for (size_t i = 0; i < count; i++)
		entries[i] = &tally->counts.entries[i];
	qsort(entries, count, sizeof(*entries), by_key);
	for (size_t i = 0; i < count; i++) {
		struct slice mishap = entries[i]->key;
		struct slice operation = slice_cut(&mishap, ' ');

		if (!slice_equal(operation, before))
			fprintf(to, "%s%.*s:", i > 0 ? "\n" : "", SLICE_ARGUMENTS(operation));
		fprintf(to, " %.*s %" PRIu64, SLICE_ARGUMENTS(mishap), *(const uint64_t *)entries[i]->item);
		before = operation;
	}
	fprintf(to, "\n");
	free(entries);
}
