#ifndef TRUEUP_RECONCILE_REBUILD_H
#define TRUEUP_RECONCILE_REBUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/map.h"
#include "reconcile/inventory.h"
#include "reconcile/plan.h"
#include "reconcile/resolver.h"
#include "reconcile/resource.h"
#include "reconcile/run_secrets.h"

/*
 * Records made anew for a state that was lost, or is not relied on any more: from the ownership tags of what is there,
 * and from the spec; and from what is still recorded, as far as nothing else can tell it. Asks nobody anything.
 */

/* Things of one lineage. */
struct lineage {
	struct slice id;
	size_t count;	      /* things that carry it */
	size_t matched_count; /* of them, at an address that the spec has with that kind */
};

/* Sorted: the most matches first. */
struct lineage *rebuild_lineages(const struct inventory *inventory, const struct stack *stack, size_t *ret_count,
				 struct arena *arena);

enum rebuild_finding_class {
	REBUILD_TWINS,	  /* several things claim one address, or one object: none of them is recorded */
	REBUILD_BESIDE,	  /* likewise, beside what is recorded as the one that is meant */
	REBUILD_LEFT,	  /* recorded as what a replace left behind */
	REBUILD_UNUSABLE, /* its tags make no record */
	REBUILD_ABSENT,	  /* the spec has it, and nothing carries its address */
	REBUILD_EXTRA,	  /* recorded, and not in the spec */
	REBUILD_ASSUMED,  /* a field that no read gives back, taken to be as the spec says */
	REBUILD_UNREAD,	  /* it could not be read: as it was recorded, or else by its tags alone */
	REBUILD_UNSEEN,	  /* the spec has it, and whether it is there cannot be told: not recorded */
	REBUILD_LOST,	  /* a field that says where to put what was shown once, and there it is not: not recorded */
	REBUILD_KEPT,	  /* it was not finished: its record stays as it was */
	REBUILD_DROPPED,  /* it was not finished, and its record could not be kept */
	REBUILD_DAMAGED,  /* whether it was finished cannot be read */
};

enum { REBUILD_CLASS_COUNT = 13 };

struct rebuild_finding {
	enum rebuild_finding_class class;
	struct slice address;
	struct slice provider_id; /* or empty */
	struct slice what;	  /* a field, or a reason; or empty */
};

/*
 * What was recorded before, of which every call is settled, and which goes: by object id, and by kind and provider's
 * id, to struct object.
 */
struct rebuild_past {
	struct object *const *objects;
	const bool *is_sound; /* parallel: it could be read, and is not at odds with itself */
	size_t count;
	struct map by_object_id;  /* of the sound ones */
	struct map by_id;	  /* likewise; what was left behind, only where nothing else has the id */
	struct map protected_ids; /* by object id, sound or not */
};

void rebuild_past_init(struct rebuild_past *past, struct object *const *objects, const bool *is_sound, size_t count,
		       struct arena *arena);
void rebuild_past_release(struct rebuild_past *past);

struct rebuilding {
	const struct stack *stack;
	const struct kinds *kinds;
	const struct providers *providers;
	const struct resolver *resolver;
	struct run_secrets secrets;
	struct slice lineage;
	const struct rebuild_past *past;
	const struct map *unseen; /* intents of calls of which nobody saw what they showed */
	/* Whether there is a file where SECRET_TO puts one. */
	bool (*has_secret)(void *context, struct slice file);
	void *context; /* of has_secret */
	struct arena *arena;

	struct object **objects; /* sorted by address */
	size_t object_count, object_capacity;
	struct rebuild_finding *findings;
	size_t finding_count, finding_capacity;
	size_t unseen_count; /* findings of REBUILD_UNSEEN */
	struct map outdated; /* by object id: what is recorded, and is older than what spec and world agree in */
};

/*
 * What two ways to one place have shown is one thing: it stays in the inventory as the one shows it that the spec has
 * for its address, or else that of its record. Before anything is made of the inventory.
 */
void rebuild_join_ways(struct inventory *inventory, const struct stack *stack, const struct rebuild_past *past);
/* The objects of the lineage: heads, and of the body what a reading needs to know. */
void rebuild_match(struct rebuilding *rebuilding, const struct inventory *inventory);
/* One that is found by its identity: it carries no tags. object_id: new, for one that was not recorded before. */
void rebuild_add_found(struct rebuilding *rebuilding, const struct resource *resource, const struct live *live,
		       const struct session *session, struct slice object_id);
/*
 * What is recorded and cannot be told from lists: of kinds that are found so, and of those that only another version
 * knows. It stays, unless what was added has its place or is the same, or it was looked for and is gone. unrecorded:
 * parallel to the resources of the stack, what was read of those without tags; what of them could not be read, and is
 * not recorded either, is listed.
 */
void rebuild_add_recorded(struct rebuilding *rebuilding, const struct live *const *unrecorded);
/* Sorts what was added, and lists what the spec has and nothing stands for. */
void rebuild_close(struct rebuilding *rebuilding);
/* The bodies, by what was read of the objects: live is parallel to them. What is recorded soundly keeps its own. False
 * after a diagnostic: an expression failed. */
__attribute__((warn_unused_result)) bool rebuild_fill(struct rebuilding *rebuilding, const struct live *const *live,
						      struct diagnostics *diagnostics);

#endif
