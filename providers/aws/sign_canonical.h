#ifndef TRUEUP_PROVIDERS_AWS_SIGN_CANONICAL_H
#define TRUEUP_PROVIDERS_AWS_SIGN_CANONICAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/http.h"
#include "base/slice.h"

/* The parts of a canonical request: signer and server must arrive at the same bytes. */

/* The path percent-encoded over what is sent, without dots and repeated slashes. as_given: with them; encoded_once: as
 * it is sent. Both are S3's ways. Of an empty one "/". */
void aws_canonical_path(struct buffer *buffer, struct arena *arena, struct slice path, bool as_given,
			bool encoded_once);
/* Names and values in one percent-encoding, sorted by name, then value. */
void aws_canonical_query(struct buffer *buffer, struct arena *arena, struct slice query);
/* Writes a "name:value\n" for each name, sorted; returns the names, joined by ';'. Headers that
 * may change on the way are left out. */
struct slice aws_canonical_headers(struct buffer *buffer, struct arena *arena, const struct http_header *headers,
				   size_t count);

#endif
