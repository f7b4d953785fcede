#include "tests/simulate/tally.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "tests/simulate/target.h"

enum { KEY_BYTES = 128 };

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
	char key[KEY_BYTES];
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

static int by_name(const void *a, const void *b)
{
	return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static uint64_t tally_count(const struct tally *tally, struct slice operation, const char *mishap)
{
	char key[KEY_BYTES];
	int size = snprintf(key, sizeof(key), "%.*s %s", SLICE_ARGUMENTS(operation), mishap);
	const uint64_t *count = map_get(&tally->counts, (struct slice){key, (size_t)size});

	return count ? *count : 0;
}

/* The operations, each once and sorted; owned by the caller. */
static struct slice *list_operations(const struct tally *tally, size_t *ret_count)
{
	struct slice *names = memory_get((tally->counts.count + 1) * sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; i < tally->counts.count; i++) {
		struct slice rest = tally->counts.entries[i].key;

		names[i] = slice_cut(&rest, ' ');
	}
	qsort(names, tally->counts.count, sizeof(*names), by_name);
	for (size_t i = 0; i < tally->counts.count; i++)
		if (count == 0 || !slice_equal(names[count - 1], names[i]))
			names[count++] = names[i];
	*ret_count = count;
	return names;
}

static void show_row(const struct tally *tally, struct slice operation, FILE *to)
{
	fprintf(to, "%-30.*s", SLICE_ARGUMENTS(operation));
	for (enum mishap mishap = MISHAP_NONE + 1; mishap < MISHAP_COUNT; mishap++) {
		uint64_t count = tally_count(tally, operation, mishap_name(mishap));

		if (count > 0)
			fprintf(to, " %6" PRIu64, count);
		else
			fprintf(to, "      -");
	}
	fprintf(to, "\n");
}

void tally_show(const struct tally *tally, FILE *to)
{
	size_t count;
	struct slice *operations = list_operations(tally, &count);

	for (enum mishap mishap = MISHAP_NONE + 1; mishap < MISHAP_COUNT; mishap++)
		fprintf(to, "column %2d: %s\n", (int)mishap, mishap_name(mishap));
	fprintf(to, "\n%-30s", "operation");
	for (enum mishap mishap = MISHAP_NONE + 1; mishap < MISHAP_COUNT; mishap++)
		fprintf(to, " %6d", (int)mishap);
	fprintf(to, "\n");
	for (size_t i = 0; i < count; i++)
		if (!slice_is(operations[i], TALLY_BROKEN))
			show_row(tally, operations[i], to);
	free(operations);
}

struct search {
	const struct tally *tally;
	uint64_t least;
	struct tally_rarity *rarity;
	FILE *to;
};

static void weigh(void *context, const char *operation, enum mishap mishap, const char *absence)
{
	struct search *search = context;
	uint64_t count = tally_count(search->tally, slice_of(operation), mishap_name(mishap));

	if (absence) {
		if (search->to)
			fprintf(search->to, "never: %s %s: %s\n", operation, mishap_name(mishap), absence);
		return;
	}
	search->rarity->pairs++;
	if (count < search->rarity->least)
		search->rarity->least = count;
	if (count >= search->least)
		return;
	search->rarity->rare++;
	if (search->to)
		fprintf(search->to, "rare: %s %s %" PRIu64 "\n", operation, mishap_name(mishap), count);
}

struct tally_rarity tally_rarity(const struct tally *tally, uint64_t least, FILE *to)
{
	struct tally_rarity rarity = {.least = UINT64_MAX};
	struct search search = {tally, least, &rarity, to};

	target_each(weigh, &search);
	return rarity;
}
