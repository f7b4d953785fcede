#ifndef TRUEUP_BASE_TIME_TEXT_H
#define TRUEUP_BASE_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/value.h"

/* A moment as RFC 3339 has it, in UTC: "2025-11-21T12:13:15Z". wall_ms: since 1970. */
struct slice time_text(struct arena *arena, int64_t wall_ms);
/* The same for a document; null for 0. */
struct value time_value(struct arena *arena, int64_t wall_ms);

/*
 * A span of time as a user writes it: numbers with a unit each, the larger units first:
 * "30s", "5m", "1h30m", "250ms"; "0" needs none. At most 10000 days.
 */
__attribute__((warn_unused_result)) bool duration_read(struct slice text, int64_t *ret_ms);

#endif
