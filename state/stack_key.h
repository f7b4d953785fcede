#ifndef TRUEUP_STATE_STACK_KEY_H
#define TRUEUP_STATE_STACK_KEY_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/slice.h"
#include "state/database.h"

/*
 * Records new_id as the id of the key that secrets of the stack are sealed under, where old_id
 * is recorded; ret_set: it was. False after a diagnostic.
 */
__attribute__((warn_unused_result)) bool stack_key_set(struct database *database, struct slice old_id,
						       struct slice new_id, bool *ret_set,
						       struct diagnostics *diagnostics);

#endif
