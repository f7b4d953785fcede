#ifndef TRUEUP_RECONCILE_OWN_ITEMS_H
#define TRUEUP_RECONCILE_OWN_ITEMS_H

#include "reconcile/diff_field.h"
#include "reconcile/provider.h"
#include "reconcile/resource.h"

/*
 * Which items of a set are an object's own: wanted by what was applied last, or recorded as its own beside that, and
 * seen then. Where nothing of the set was seen yet, as of what a run that was cut off was making, what was wanted tells
 * alone; and where that refers to what was not there when it was recorded, all are taken for its own. All others
 * somebody else has put there.
 */
struct own_items {
	struct diff_index wanted, beside, seen;
	bool is_seen, is_unknown;
};

/* object with its body; it and arena must outlive the result. */
void own_items_init(struct own_items *items, const struct object *object, const struct field *set, struct arena *arena);
void own_items_release(struct own_items *items);
bool own_items_have(const struct own_items *items, const struct value *item);

/* The same of what the object is attached to (own_is_attachment()), which is but one: it is its own wherever the object
 * was seen last. */
bool own_is_attachment(const struct field *field);
bool own_place(const struct object *object, const struct field *field, const struct value *place);
/* MAP, or null: what object.own is to have, that it may be told later: all that the former record has as the object's
 * own, and that is seen by now, but for what `resolved` says by itself. Of a set that was not read, as object.ignored
 * leaves it to others or as it takes a call that nothing asks for, it stays as it was. provider: of the object; NULL:
 * nothing takes one. */
struct value own_beside(const struct provider *provider, const struct kind *kind, const struct object *former,
			const struct object *object, struct arena *arena);

/* Whether an item goes, though it is not the object's own. */
typedef bool others_item_goes(void *context, const struct field *set, const struct value *item);
/*
 * What others have put into the sets that HOLD the object, and stays: "subnets[subnet-1], subnets[subnet-2]". now: MAP
 * of its fields. Empty: nothing.
 */
struct slice others_items(const struct object *object, const struct kind *kind, const struct value *now,
			  others_item_goes *goes, void *context, struct arena *arena);
#define OTHERS_ITEMS_HINT                                                                                              \
	"take out what others have put there, or have the spec name it and apply that once; then it can go"

#endif
