#ifndef TRUEUP_CLI_SPEC_SCHEMA_H
#define TRUEUP_CLI_SPEC_SCHEMA_H

#include "base/arena.h"
#include "base/value.h"
#include "reconcile/kind.h"
#include "reconcile/provider.h"

/* A JSON Schema (draft 7, which editors read) of spec files, made from the
 * tables of kinds. It is no stricter than the loader: whatever an expression may stand for
 * is allowed to be one. */
struct value spec_schema(const struct kinds *kinds, const struct providers *providers, struct arena *arena);

#endif
