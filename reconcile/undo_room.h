#ifndef TRUEUP_RECONCILE_UNDO_ROOM_H
#define TRUEUP_RECONCILE_UNDO_ROOM_H

#include "reconcile/undo_stack.h"

/* What undo_room.c, undo_claims.c, undo_beside.c and undo_seen.c share; private to these. */

struct room {
	struct undo_work *work;
	const struct entries *entries;
	bool *makes;		  /* of each entry: it goes back by another object than is there */
	bool *follows;		  /* of each entry: that, or it lies in such a one: it may be another object then */
	const struct live **live; /* of each entry that is recorded; or NULL */
	struct map by_id;	  /* by provider id, to the entries that keep what they have now */
	struct output_source outputs;
	bool good;
};

size_t room_number(const struct room *room, const struct entry *entry);
const struct object *room_recorded(const struct room *room, const struct entry *entry);
/* Whether it will be there, whatever becomes of it before. */
bool room_is_there(const struct entry *entry);
/* A value with what it refers to in place, as far as that is known. */
const struct value *room_settled(const struct room *room, const struct value *value);
/* What a reference of an entry, or of what refers by ids alone (NULL), leads to; NULL: nothing that is known, or one of
 * several. */
const struct entry *room_target(const struct room *room, const struct entry *entry, const struct value *reference);
/* Which run gave a recorded resource what it has in that field. */
const struct undo_since *room_given_by(const struct room *room, const struct entry *entry, const struct field *field);
/* What was seen of fields that no spec had set is not set again where it names what is gone, or lies elsewhere. */
void undo_drop_lost(struct room *room);
/* Whether nobody else has by then what goes back needs for itself alone; room->good is cleared after diagnostics. */
void undo_check_claims(struct room *room);
/* Likewise, whether what refers to something that it can only use where both lie in the same thing will do so. */
void undo_check_beside(struct room *room);

#endif
