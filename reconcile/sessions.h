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
	const char **reasons;	/* why nobody is asked there, parallel to items; NULL: somebody answers */
	/* Where each leads, parallel too: an alias as far as settings and environment tell, the rest as recorded. */
	struct identity *places;
	size_t count;
	const struct provider_settings *aliases; /* of the stack: the first of items, in their order */
	size_t alias_count;
	struct redaction *secrets; /* of whoever asks through them; wiped when closed */
};

/*
 * Opens them and asks each who answers (one call each, side by side, in `loop`). An alias that is set up wrong is an
 * error, and one that is another account than its block names. One that has no credentials, or does not say who it is,
 * is told as a warning as long as somebody else answers, else as an error. What it leads to is unread, as is what is
 * recorded in a place that cannot be reached.
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
/* The session of an alias, or NULL: nobody answers. */
struct session *sessions_of_alias(const struct sessions *sessions, const struct stack *stack, struct slice alias);
/* Why nobody answers for an alias; NULL: somebody does, or it is none of the stack's. */
const char *sessions_silence(const struct sessions *sessions, const struct stack *stack, struct slice alias);
/* Why nobody answers in a recorded place, or for an alias that may lead there; NULL: none of these is silent. */
const char *sessions_silence_at(const struct sessions *sessions, const struct identity *place);
/* The one with that number; NULL: nobody is asked there. */
struct session *sessions_at(const struct sessions *sessions, size_t number);
/* The number of the first for which nobody answers, from that one on; sessions->count: all answer. */
size_t sessions_silent(const struct sessions *sessions, size_t from);
/* A session that reaches a recorded place, that of `alias` before others: several may reach it, and
 * not with the same credentials. NULL and *ret_reason where none does, or where nobody answers for `alias`, which may
 * lead there. */
struct session *sessions_of_identity(const struct sessions *sessions, const struct identity *identity,
				     struct slice alias, struct slice *ret_reason);

#endif
