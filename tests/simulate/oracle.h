#ifndef TRUEUP_TESTS_SIMULATE_ORACLE_H
#define TRUEUP_TESTS_SIMULATE_ORACLE_H

#include "tests/simulate/blueprint.h"
#include "tests/simulate/universe.h"

/* Judges what was promised, from the cloud's own books and the disk. Each says what is wrong by universe_fail(). */

/* Not to be found in any file or output. */
extern const char oracle_secret[];     /* secret because of the field that it is for */
extern const char oracle_start[];      /* because its variable is */
extern const char oracle_start_sent[]; /* as user data: "key " and oracle_start, in base64 */

/* Those of somebody else that tags are put on. */
enum foreign_number {
	FOREIGN_VPC,
	FOREIGN_SUBNET,
	FOREIGN_CUSTOMER_GATEWAY,
	FOREIGN_KEY_PAIR,
	FOREIGN_COUNT,
};

struct foreign_thing {
	const char *type, *id;
};

extern const struct foreign_thing foreign_things[FOREIGN_COUNT];

/* Things of somebody else in the same account. */
struct foreign {
	struct value before; /* as they were, {type: {id: body}} */
};

/* foreign.c: puts them there. */
void foreign_make(struct universe *universe, struct foreign *foreign);
/* Somebody copies the tags of what is ours at the address to one of these; but_intent: that of the intent is another.
 * False where there is no such thing. */
bool foreign_copy_tags(struct universe *universe, struct foreign *foreign, const char *type, const char *address,
		       enum foreign_number to, bool but_intent);
/* The copied tags say another address from now on. */
void foreign_say_address(struct universe *universe, struct foreign *foreign, enum foreign_number of,
			 const char *address);
/* The customer gateway is of 198.51.100.OCTET from now on. */
void foreign_give_address(struct universe *universe, struct foreign *foreign, unsigned octet);
/* Somebody's route table is for our subnet of that address; false where there is none. Until they give it up. */
bool foreign_seize_subnet(struct universe *universe, struct foreign *foreign, const char *address);
void foreign_give_up_subnet(struct universe *universe, struct foreign *foreign);
/* They are nobody's of ours any more. */
void foreign_drop_tags(struct universe *universe, struct foreign *foreign, enum foreign_number from);
/* The cloud has what the blueprint says, and the record the same; nothing more of this stack is there, and what is
 * foreign is as it was. */
void oracle_world(struct universe *universe, const struct blueprint *blueprint, const struct foreign *foreign);
/* Nothing is recorded, and the cloud holds only what is foreign, as it was. */
void oracle_nothing(struct universe *universe, const struct foreign *foreign);
/* No intent is open, and nothing of the stack is there that is not recorded: drift has said so. */
void oracle_recorded(struct universe *universe, const struct foreign *foreign);
/* Something of that type that carries the tags of the stack and is not recorded, its id in arena. */
bool oracle_find_unrecorded(struct universe *universe, const struct audit_record *record, const char *type,
			    struct arena *arena, struct slice *ret_id);
/* The type of what somebody may take away because a command told of it and left it: the second work of a call that was
 * done, and that nobody looked after for longer than the program claims it for its own. NULL: it is no such thing. */
const char *oracle_find_late(struct universe *universe, const struct foreign *foreign, struct slice id);
/* Of what the cloud chooses there are never more than the feature's most, not even for a while. */
void oracle_number(struct universe *universe, enum feature feature);
/* No call counts as failed of which the last that was heard told nothing. */
void oracle_outcomes(struct universe *universe);
/* No call that the cloud never carried out counts as done to a run that came later, unless others were at work; and
 * none was given up before the grace since it was sent last was over, unless the clock was set. */
void oracle_settled(struct universe *universe);
/* Whether the call of that intent (32 hex digits) is recorded as done. */
bool oracle_is_done(struct universe *universe, struct slice intent);
/* No secret in a file; of a stream: in what a command wrote. */
void oracle_secrets(struct universe *universe);
void oracle_output(struct universe *universe, const char *line, struct slice output);

#endif
