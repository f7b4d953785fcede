#ifndef TRUEUP_BASE_DIGEST_H
#define TRUEUP_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"

enum { DIGEST_BYTES = 32, DIGEST_HEX = 64 };

/* SHA-256 (FIPS 180-4). */
struct digest {
	uint8_t bytes[DIGEST_BYTES];
};

struct digest digest_of(struct slice text);
/* HMAC-SHA-256 (RFC 2104). */
struct digest digest_keyed(struct slice key, struct slice text);
bool digest_equal(const struct digest *a, const struct digest *b);
/* Lower case, NUL-terminated. */
void digest_hex(const struct digest *digest, char ret[DIGEST_HEX + 1]);
struct slice digest_text(struct arena *arena, const struct digest *digest);
/* False where text is not exactly 64 lower-case hex digits. */
__attribute__((warn_unused_result)) bool digest_read(struct slice text, struct digest *ret);

#endif
