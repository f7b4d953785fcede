#ifndef TRUEUP_RECONCILE_SESSIONS_H
#define TRUEUP_RECONCILE_SESSIONS_H

#include "reconcile/loop.h"
#include "reconcile/provider.h"
#include "reconcile/resource.h"

/*
 * The ways to every place that a command deals with: one for each alias of the spec, and
 * one for each recorded place that no alias reaches any more.
 */
struct sessions {
	struct session **items; /* NULL where it could not be opened or answers as somebody else */
	const char **reasons;	/* why, parallel to items */
	size_t count;
	size_t alias_count;	   /* the first are those of the stack's providers, in their order */
	struct identity *recorded; /* of the rest, in their order */
	struct redaction *secrets; /* of whoever asks through them; wiped when closed */
};

/*
 * Opens them and asks each who answers (one call each, side by side, in `loop`). An alias
 * that cannot be opened or identified is an error, and one that is another account than its block names. A recorded
 * place that cannot be reached is none: its objects are unread.
 */
__attribute__((warn_unused_result)) bool sessions_open(struct sessions *sessions, const struct providers *providers,
						       struct loop *loop, const struct stack *stack,
						       struct object *const *objects, size_t object_count,
						       struct arena *arena, struct diagnostics *diagnostics);
/* For where nobody is asked: whether what is recorded lies in the account that its alias's block names. */
__attribute__((warn_unused_result)) bool sessions_account_recorded(const struct providers *providers,
								   struct world *world, const struct stack *stack,
								   struct object *const *objects, size_t count,
								   struct arena *arena,
								   struct diagnostics *diagnostics);
/* Where nobody is asked: the place that settings and environment name for each of the stack's providers, in their
 * order. What these leave open is empty, and so is all of it where they name none. */
const struct identity *sessions_expect(const struct providers *providers, struct world *world,
				       const struct stack *stack, struct arena *arena);
void sessions_close(struct sessions *sessions);
/* The session of an alias, or NULL. */
struct session *sessions_of_alias(const struct sessions *sessions, const struct stack *stack, struct slice alias);
/* A session that reaches a recorded place, that of `alias` before others: several may reach it, and
 * not with the same credentials. NULL and *ret_reason where none does. */
struct session *sessions_of_identity(const struct sessions *sessions, const struct identity *identity,
				     struct slice alias, struct slice *ret_reason);

#endif
