#ifndef TRUEUP_RECONCILE_RECOVER_AGAIN_H
#define TRUEUP_RECONCILE_RECOVER_AGAIN_H

#include "reconcile/loop.h"
#include "reconcile/recover.h"
#include "reconcile/sessions.h"

/*
 * The token recipe: what was sent with a token is sent once more with the same one, and the
 * service answers with what the first made, or makes it now. So nothing need be waited for.
 */

/* Whether the intent's outcome can be had this way: not past the token's life. */
bool recover_can_send_again(const struct recovery *recovery, size_t index);
/*
 * Sends all that can be, and records what comes of it: read the intents again afterwards. loop
 * has the store, whose lease is held. False where it was interrupted.
 */
__attribute__((warn_unused_result)) bool recover_send_again(const struct recovery *recovery, struct loop *loop,
							    const struct sessions *sessions, const struct kinds *kinds);

#endif
