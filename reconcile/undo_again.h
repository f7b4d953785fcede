#ifndef TRUEUP_RECONCILE_UNDO_AGAIN_H
#define TRUEUP_RECONCILE_UNDO_AGAIN_H

#include "reconcile/undo.h"

/* Where runs that undo were the last to change something. later: the oldest first, with the bodies of what undoings
 * changed. In arena. */
void undo_again_gather(const struct undo_since *later, size_t count, struct arena *arena, struct undo_touched **ret,
		       size_t *ret_count);

#endif
