#ifndef TRUEUP_PROVIDERS_AWS_HELD_H
#define TRUEUP_PROVIDERS_AWS_HELD_H

#include "providers/aws/work.h"

/*
 * What the service does not delete, because something still uses it: it says that, and not always what. What may is
 * listed then, so that people know where to look (aws_kind.holders).
 */

/* The delete call was refused for good: tells of it, and asks for what may hold the object where the answer says that
 * something does. */
enum step aws_delete_refused(struct work *work, const struct answer *answer);
/* The answer to that, or NULL: STEP_FAILED, with a warning that names what was found. */
enum step aws_holders_told(struct work *work, const struct answer *answer);

#endif
