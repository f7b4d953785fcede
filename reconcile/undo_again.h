#ifndef TRUEUP_RECONCILE_UNDO_AGAIN_H
#define TRUEUP_RECONCILE_UNDO_AGAIN_H

#include "reconcile/undo.h"

/* A run after the one that is undone. */
struct undo_later {
	bool undoes; /* that one, or a run that undid it, and so on: what it did is no later change, but a part of this
		      */
	struct past_object *past; /* what it changed; bodies of former objects are read where it undoes */
	size_t past_count;
};

/* Where runs that undo were the last to change something; oldest first. In arena. */
void undo_again_gather(const struct undo_later *runs, size_t count, struct arena *arena, struct undo_touched **ret,
		       size_t *ret_count);

#endif
