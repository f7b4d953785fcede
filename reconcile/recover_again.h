#ifndef TRUEUP_RECONCILE_RECOVER_AGAIN_H
#define TRUEUP_RECONCILE_RECOVER_AGAIN_H

#include "reconcile/loop.h"
#include "reconcile/plan.h"
#include "reconcile/recover.h"
#include "reconcile/sessions.h"

/*
 * The token recipe: what was sent with a token is sent once more with the same one, and the
 * service answers with what the first made, or makes it now. So nothing need be waited for.
 */

/*
 * What these calls name, and how new it is: without that each would be sent for minutes where what it names was deleted
 * since.
 */
struct recover_fresh {
	struct map since; /* fresh.h, by the wall clock */
	struct world *world;
};

/* Of what is recorded, and not known to be gone. Texts in recovery->arena. */
void recover_fresh_init(struct recover_fresh *fresh, const struct recovery *recovery, struct world *world);
void recover_fresh_release(struct recover_fresh *fresh);
/* For struct loop_settings; context: a struct recover_fresh. */
int64_t recover_fresh_age_ms(void *context, const struct call *call);

/*
 * Whether the resource is to be what the object's create was to make: of that kind, through the alias, with the fields
 * as the spec had them. object: with its body.
 */
bool recover_is_wanted(const struct object *object, const struct resource *resource, const struct json_style *style,
		       struct arena *scratch);
/* Whether the action of a plan makes the object with all that the create was sent with. object: with its body. */
bool recover_is_planned(const struct object *object, const struct action *action, const struct json_style *style,
			struct arena *scratch);
/* Whether the intent's outcome can be had this way, by a verdict that looks have led to: not past the token's life, and
 * of nothing but what is wanted. */
bool recover_can_send_again(const struct recovery *recovery, size_t index);
/*
 * Sends all that is judged SETTLEMENT_AGAIN, and records what comes of it: read the intents again afterwards. loop
 * has the store, whose lease is held. False where it was interrupted.
 */
__attribute__((warn_unused_result)) bool recover_send_again(const struct recovery *recovery, struct loop *loop,
							    const struct sessions *sessions, const struct kinds *kinds);

#endif
