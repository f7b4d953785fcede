#ifndef TRUEUP_RECONCILE_DIFF_FIELD_H
#define TRUEUP_RECONCILE_DIFF_FIELD_H

#include "base/arena.h"
#include "base/map.h"
#include "base/value.h"
#include "reconcile/kind.h"

/*
 * Whether two values of one field say the same, by the field's type. What a difference comes to, for
 * a resource as a whole, is diff.h's to tell. All values are canonical (schema.h).
 */

enum likeness {
	LIKE, /* no difference that the spec would care for */
	UNLIKE,
	LIKE_UNKNOWN, /* wanted is deferred: can be told only once it is known */
	LIKE_UNREAD,  /* live could not be read */
};

/*
 * Compares one field. Members of an object that `wanted` does not have are not compared; one
 * that it has as null is to be cleared. Items of a set are matched by key; a map counts as a whole.
 * NULL or null: not set, and a list or map without items is no more than that.
 */
enum likeness diff_field(const struct field *field, const struct value *wanted, const struct value *live);

/* The items of a set by their keys, so that two sets are matched in linear time. */
struct diff_index {
	const struct field *set;
	struct arena *arena; /* for keys */
	struct map items;    /* key to const struct value */
};

/* items: a LIST, or NULL for none; it and arena must outlive the index. */
void diff_index_init(struct diff_index *index, const struct field *set, const struct value *items, struct arena *arena);
void diff_index_release(struct diff_index *index);
/* The item with the same key as `item`, or NULL. */
const struct value *diff_index_find(const struct diff_index *index, const struct value *item);

/* "ingress[tcp 443 10.0.0.0/8]": the item's key without the members that it does not set. */
struct slice diff_item_path(const struct field *set, struct slice path_of_set, const struct value *item,
			    struct arena *arena);

#endif
