#ifndef TRUEUP_RECONCILE_FRESH_H
#define TRUEUP_RECONCILE_FRESH_H

#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/value.h"

/*
 * Services tell of a new object late: the next call may be answered with "there is no such thing". That is
 * worth another try for what is new, and for nothing else.
 */

/* What has this id or name is as new as that, by any one clock; fresh: by text, its items in arena. */
void fresh_note(struct map *fresh, struct slice text, int64_t since_ms, struct arena *arena);
/* How old the newest of what these parameters of a call name is; INT64_MAX: none of it is new. Where counts says so of
 * any of the texts that they have, be it new or not, those alone are looked at. */
typedef bool fresh_counts(void *context, struct slice text);
int64_t fresh_age_ms(const struct map *fresh, const struct value *parameters, int64_t now_ms, fresh_counts *counts,
		     void *context);

#endif
