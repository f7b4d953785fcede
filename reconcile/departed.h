#ifndef TRUEUP_RECONCILE_DEPARTED_H
#define TRUEUP_RECONCILE_DEPARTED_H

#include "base/json.h"
#include "base/map.h"
#include "reconcile/resource.h"

/*
 * What goes by itself with an object that a run deletes (DEPARTS: a subnet takes its association with its table along),
 * or that a run takes from one to another, is taken out of the records of those that showed it, in the commit that
 * records why. So what drift misses there was taken away by somebody else.
 */

/* Whether a field of the kind has such items; target: of that kind, or NULL: of any. */
bool departed_has(const struct kind *kind, const char *target);
/* Calls visit with the id of each such item among the fields, which may be NULL. */
void departed_each(const struct kind *kind, const struct value *fields,
		   void (*visit)(void *context, struct slice provider_id), void *context);
/* Takes what names one of the ids out of what the object showed, as far as its body is there; whether there was any.
 * gone: by provider id. */
bool departed_take_out(struct object *object, const struct kind *kind, const struct map *gone,
		       const struct json_style *style, struct arena *arena);

#endif
