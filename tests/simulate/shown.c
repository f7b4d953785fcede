#define _GNU_SOURCE 1 /* memmem() */
#include "tests/simulate/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/digest.h"
#include "base/memory.h"

#define BEFORE "-----BEGIN OPENSSH PRIVATE KEY-----\n"
#define BEHIND "\n-----END OPENSSH PRIVATE KEY-----"

const char shown_folder[] = "/stack/keys";

void shown_init(struct shown *shown)
{
	*shown = (struct shown){NULL, 0, 0};
}

void shown_release(struct shown *shown)
{
	free(shown->keys);
	shown_init(shown);
}

void shown_note(struct shown *shown, struct slice answer)
{
	const char *at = answer.size > 0 ? memmem(answer.data, answer.size, BEFORE, sizeof(BEFORE) - 1) : NULL;

	if (!at || (size_t)(answer.data + answer.size - at) < sizeof(BEFORE) - 1 + SHOWN_KEY_BYTES)
		return;
	shown->keys = memory_room(shown->keys, shown->count, &shown->capacity, sizeof(*shown->keys));
	memcpy(shown->keys[shown->count++], at + sizeof(BEFORE) - 1, SHOWN_KEY_BYTES);
}

/* As providers/sim makes them: no keys, only alike in form, and told by the pair's id. */
bool shown_is_key_of(struct slice text, struct slice id)
{
	struct digest digest;
	struct arena arena;
	char seed[64];
	bool same;

	(void)snprintf(seed, sizeof(seed), "private %.*s", SLICE_ARGUMENTS(id));
	digest = digest_of(slice_of(seed));
	arena_init(&arena);
	same = slice_equal(text,
			   arena_format(&arena, BEFORE "%.*s" BEHIND,
					SLICE_ARGUMENTS(base64_encode(
						&arena, (struct slice){(const char *)digest.bytes, DIGEST_BYTES}))));
	arena_release(&arena);
	return same;
}

bool shown_contains(const struct shown *shown, struct slice text)
{
	for (size_t i = 0; i < shown->count; i++)
		if (slice_contains(text, (struct slice){shown->keys[i], SHOWN_KEY_BYTES}))
			return true;
	return false;
}

const char *shown_search(const struct shown *shown, const struct disk *disk)
{
	for (size_t i = 0; i < disk->name_count; i++) {
		const struct disk_file *file = disk->names[i].written;

		if (file && !slice_starts_with(slice_of(disk->names[i].path), slice_of(shown_folder)) &&
		    shown_contains(shown, (struct slice){file->bytes, file->size}))
			return disk->names[i].path;
	}
	return NULL;
}
