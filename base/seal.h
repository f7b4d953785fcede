#ifndef TRUEUP_BASE_SEAL_H
#define TRUEUP_BASE_SEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"

/*
 * Sealing: AES-256-GCM (NIST SP 800-38D) with a random nonce. What was sealed under one key,
 * in one place, opens under that key and in that place alone, and only where not a bit of it
 * is another.
 */
enum {
	SEAL_KEY_BYTES = 32,
	SEAL_KEY_ID_HEX = 16,
	SEAL_NONCE_BYTES = 12,
	SEAL_TAG_BYTES = 16,
	SEAL_LARGEST_BYTES = 64 * 1024 * 1024, /* of what is sealed */
};

struct seal_key {
	uint8_t bytes[SEAL_KEY_BYTES];
};

/* From 64 hex digits or the base64 of 32 bytes, white space around it apart; false for anything else. */
__attribute__((warn_unused_result)) bool seal_key_read(struct slice text, struct seal_key *ret);
/* As 64 hex digits, NUL-terminated; the caller wipes them. */
void seal_key_write(const struct seal_key *key, char ret[2 * SEAL_KEY_BYTES + 1]);
/* Names a key and says nothing of it: the first digits of a keyed hash. NUL-terminated. */
void seal_key_id(const struct seal_key *key, char ret[SEAL_KEY_ID_HEX + 1]);
void seal_key_wipe(struct seal_key *key);

/*
 * The base64 of nonce, ciphertext and tag, in arena. nonce: SEAL_NONCE_BYTES, random, never
 * used twice with one key. place: what has to be said again to open it.
 */
struct slice seal_text(struct arena *arena, const struct seal_key *key, const uint8_t *nonce, struct slice place,
		       struct slice text);
/* False where the key or the place is another, or the text is not as it was sealed. */
__attribute__((warn_unused_result)) bool seal_open(struct arena *arena, const struct seal_key *key, struct slice place,
						   struct slice sealed, struct slice *ret);

#endif
