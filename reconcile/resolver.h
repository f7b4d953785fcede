#ifndef TRUEUP_RECONCILE_RESOLVER_H
#define TRUEUP_RECONCILE_RESOLVER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/value.h"

/* Where a resolver gets outputs of other resources. */
struct output_source {
	void *context;
	/* The output's value, or NULL while it is not known. */
	const struct value *(*get)(void *context, struct slice address, struct slice output);
};

/*
 * Turns deferred values into values. Declared here, implemented by specs (which compiles
 * expressions), joined by cli, so that reconcile knows no expression language.
 */
struct resolver {
	void *context;
	/*
	 * Every deferred value within `value` whose outputs are all known is replaced by its
	 * result; one that is not stays deferred. A deferred value read from a file (program
	 * NULL) is compiled from its text. *ret shares what did not change. False after a
	 * diagnostic: an expression failed (wrong type, index out of range).
	 */
	bool (*resolve)(const struct resolver *resolver, const struct value *value, const struct output_source *source,
			struct arena *arena, struct value *ret, struct diagnostics *diagnostics);
	/* A deferred value that is that output, in arena. */
	struct value (*refer)(struct arena *arena, struct slice address, struct slice output);
};

#endif
