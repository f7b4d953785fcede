#ifndef TRUEUP_CLI_HOLDER_VIEW_H
#define TRUEUP_CLI_HOLDER_VIEW_H

#include "base/value.h"
#include "reconcile/store.h"

/* Who holds the lease, for people and for programs. */

/* "'apply', process 4711 on host 'workbench', run 0123abcd..., since ...". */
struct slice holder_text(struct arena *arena, const struct lease_holder *holder);
/* A map, or null where nobody holds it. */
struct value holder_value(struct arena *arena, const struct lease_holder *holder);

#endif
