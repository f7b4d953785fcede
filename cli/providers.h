#ifndef TRUEUP_CLI_PROVIDERS_H
#define TRUEUP_CLI_PROVIDERS_H

#include "base/arena.h"
#include "reconcile/kind.h"
#include "reconcile/provider.h"
#include "specs/load.h"

/* Every provider that there is: a new one is one line in providers.c. */
extern const struct providers all_providers;

/* Every kind of every provider, sorted by name, in arena. */
struct kinds all_kinds(struct arena *arena);
/* What provider blocks may set: one row a provider, all_providers.count of them. */
const struct provider_schema *all_provider_schemas(struct arena *arena);

#endif
