#ifndef TRUEUP_RECONCILE_RENAMES_H
#define TRUEUP_RECONCILE_RENAMES_H

#include "reconcile/resolver.h"
#include "reconcile/resource.h"

/* What is recorded is called otherwise from now on: in all that the records of others say of it. */
struct renames {
	const struct resolver *resolver;
	/* The new address of what that one stood for; .data NULL: the same as before. */
	struct slice (*new_address)(void *context, struct slice address);
	void *context; /* of new_address */
};

/* Whether the object, or what an unfinished change is to make of it, refers to what is called otherwise. */
bool renames_concern(const struct renames *renames, const struct object *object, struct arena *arena);
/* Rewrites that, with its body loaded. False after a diagnostic: an expression cannot be read. */
__attribute__((warn_unused_result)) bool renames_rewrite(const struct renames *renames, struct object *object,
							 struct arena *arena, struct diagnostics *diagnostics);

#endif
