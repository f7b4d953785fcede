#ifndef TRUEUP_RECONCILE_RECOVER_RESEND_H
#define TRUEUP_RECONCILE_RECOVER_RESEND_H

#include "base/map.h"
#include "reconcile/plan.h"
#include "reconcile/recover.h"

/*
 * The token recipe: a create that was sent with a token, and whose answer nobody saw, is sent once more in the place of
 * the one that an approved plan has for its object. The service answers with what the first made, or makes it now (EC2
 * API Reference, "Ensuring idempotency"). It is a call of that action like any other: it waits for what the action
 * needs, and what it is answered with is looked at as closely.
 */
struct resend {
	const struct intent *intent;	/* open still */
	const struct value *parameters; /* MAP: those of then, with token and tags; secrets in clear */
};

/* Whether the object's action in a plan makes it with all that the create was sent with. object: with its body. */
bool recover_is_planned(const struct object *object, const struct action *action, const struct json_style *style,
			struct arena *scratch);
/*
 * Whether a create may still be sent once more, by the wall clock. Within the token's life, which counts from the
 * first sending, and early enough that what is late this time comes while the service knows the token still.
 */
bool recover_is_young(const struct intent *intent, int64_t now_ms, int64_t grace_ms);
/* Whether the call itself is one that may be sent once more still, whatever is wanted, and with or without its secrets.
 */
bool recover_may_resend(const struct intent *intent, int64_t now_ms, int64_t grace_ms);
/* Whether the intent's outcome can be had this way, by a verdict that looks have led to: of what is wanted alone. What
 * it is sent with goes to ret, in recovery->arena. */
bool recover_can_resend(const struct recovery *recovery, size_t index, struct value *ret);
/* Whether only the key that its secrets are sealed under would tell that. */
bool recover_lacks_key(const struct recovery *recovery, size_t index);
/* Adds all that is judged SETTLEMENT_RESEND: from object id to struct resend, in recovery->arena. */
void recover_resends(const struct recovery *recovery, struct map *ret);

#endif
