#ifndef TRUEUP_TESTS_SIMULATE_SHOWN_H
#define TRUEUP_TESTS_SIMULATE_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "tests/simulate/disk.h"

/* The keys that the cloud makes and shows once: where they may be found, and where not. */

enum { SHOWN_KEY_BYTES = 44 }; /* 32 bytes in base64 */

struct shown {
	char (*keys)[SHOWN_KEY_BYTES]; /* owned */
	size_t count, capacity;
};

/* The folder that they go to. */
extern const char shown_folder[];

void shown_init(struct shown *shown);
void shown_release(struct shown *shown);
/* Takes in the key that an answer shows, if any. */
void shown_note(struct shown *shown, struct slice answer);
/* Whether text is the whole key of the pair of that id. */
bool shown_is_key_of(struct slice text, struct slice id);
bool shown_contains(const struct shown *shown, struct slice text);
/* The path of a file outside of the folder that holds one, or NULL. */
const char *shown_search(const struct shown *shown, const struct disk *disk);

#endif
