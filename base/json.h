#ifndef TRUEUP_BASE_JSON_H
#define TRUEUP_BASE_JSON_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "base/value.h"

/*
 * JSON in and out of value trees.
 *
 * Canonical form (RFC 8785 in spirit): members sorted by key bytes, no white space,
 * shortest escapes, integers as digits, other numbers as the shortest text that reads back
 * the same. What JSON lacks is written as a map with one member:
 *   {"$deferred":"${aws.vpc.a.id}"}  {"$unread":true}
 *   {"$deferred":"${aws.vpc.a.id}-${var.b}","$secrets":{"var.b":{"$secret":"9c1e…"}}}
 *   {"$secret":"9c1e…"}  or, with clear parts around it, {"$segments":["clear",{"$secret":"…"}]}
 * and a map's own keys that begin with '$' get a second '$' in front.
 */

/* Gives the fingerprint of a secret (hex, at most 64 bytes) in ret; context is the caller's. */
typedef void json_fingerprint(void *context, struct slice secret, char ret[65]);

struct json_style {
	json_fingerprint *fingerprint; /* NULL: a secret is written as {"$secret":""} */
	void *context;
	bool clear;  /* write secrets and everything else as plain JSON: only for bytes on the wire */
	bool pretty; /* two spaces, members in their own order: for people and --output json */
};

/* False where the buffer's cap was passed. */
__attribute__((warn_unused_result)) bool json_write(struct buffer *buffer, const struct value *value,
						    const struct json_style *style);
/* Canonical text in arena, as long as the value makes it. */
struct slice json_canonical(struct arena *arena, const struct value *value, const struct json_style *style);
/*
 * The same value as it would be read back: every secret replaced by its fingerprint, so
 * that it compares with what is recorded. What is sealed already stays as it is.
 */
struct value json_seal(struct arena *arena, const struct value *value, const struct json_style *style);
/*
 * Writes the text whose fingerprint stands for a secret value: of a string its bytes, of anything else a NUL and its
 * canonical text, so that "5" and 5 are two secrets. False where the buffer's cap was passed; the caller wipes it.
 */
bool json_secret_text(struct buffer *buffer, const struct value *value);
/* Writes s as a JSON string with its quotes. */
bool json_write_string(struct buffer *buffer, struct slice text);

/*
 * Reads one JSON text. symbolic: the '$' forms above become deferred, unread and secret
 * (a secret's text is then its fingerprint); otherwise every key is taken as it is.
 * Duplicate keys, trailing text, depth past 64 and texts past limit_bytes are refused;
 * messages name the line and column within the text, and `what` says which text it was.
 */
__attribute__((warn_unused_result)) bool json_read(struct arena *arena, struct slice text, bool symbolic,
						   size_t limit_bytes, const char *what, struct value *ret,
						   struct diagnostics *diagnostics);

#endif
