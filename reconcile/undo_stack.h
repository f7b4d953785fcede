#ifndef TRUEUP_RECONCILE_UNDO_STACK_H
#define TRUEUP_RECONCILE_UNDO_STACK_H

#include "reconcile/graph.h"
#include "reconcile/undo_parts.h"

/* The stack that should be there: made by undo_stack.c, looked through by undo_room.c. */

/* An address of it. */
struct entry {
	struct slice address;
	struct undo_case *one; /* NULL: the run left it alone */
	struct resource resource;
	bool is_there;
	bool is_gone; /* recorded as there, and somebody has deleted it: it is left so, unless it goes back */
	bool is_planned;
	bool is_reached; /* it is looked at what it needs */
};

struct entries {
	struct undo_work *work;
	struct entry *items;
	size_t count;
	struct map by_address;
	struct graph users;
};

/* Whether it becomes what it was, or is made once more. */
bool undo_goes_back(const struct entry *entry);
/* Of what goes back: whether that takes another object than is there. */
bool undo_is_made_anew(struct undo_work *work, const struct entry *entry);
/* Whether there is room for what goes back; false after diagnostics. */
bool undo_check_room(struct entries *entries);

#endif
