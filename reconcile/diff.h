#ifndef TRUEUP_RECONCILE_DIFF_H
#define TRUEUP_RECONCILE_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/cidr.h"
#include "base/diag.h"
#include "base/names.h"
#include "base/value.h"
#include "reconcile/kind.h"
#include "reconcile/resource.h"

/*
 * What differs between what is wanted, what was applied, what was observed then, and what
 * is live now. Values in, values out. All values are canonical (schema.h).
 */

enum change_cause {
	CAUSE_INTENT, /* the spec changed */
	CAUSE_DRIFT,  /* reality moved */
	CAUSE_TARGET, /* the spec says the same; what it refers to becomes another one */
};
extern const struct names change_cause_names;

enum change_effect {
	EFFECT_SET,		     /* becomes `after` in place */
	EFFECT_REPLACE,		     /* only a new object can have it */
	EFFECT_REPLACE_UNLESS_EQUAL, /* not known yet, and cannot change in place */
	EFFECT_RELEASE,		     /* kept as it is, no longer managed */
	EFFECT_SHOW,		     /* drift of a field that the spec never set: not reverted */
	EFFECT_RECORD,		     /* live already as wanted: only the record follows */
	EFFECT_UNREAD,		     /* could not be read, so nothing is claimed about it */
	EFFECT_CONFLICT,	     /* a fact that nothing can change is another one */
	EFFECT_LEFT,		     /* OBSERVED, and moved by its other owner: shown, and neither drift nor work */
	EFFECT_BOUND, /* the service brings it within what another change makes of its bounds: nothing is sent for it */
	EFFECT_MOVED, /* drift of what becomes another one as well: the next change says which, where that is known */
	EFFECT_LOST,  /* an item that the spec names is gone, and no call brings it back */
	EFFECT_DEAD,  /* an item is as recorded, and of no effect as what it needs is gone; of a mere look alone */
	EFFECT_LIFECYCLE, /* of no field: what is recorded of its protection, of those it is left to, of its order */
};
extern const struct names change_effect_names;

struct change {
	struct slice path;	   /* "cidr", "ingress[tcp 443 443 10.0.0.0/8]", "tags.team" */
	const struct field *field; /* the top-level field; NULL where it is about an output, or the lifecycle */
	enum change_cause cause;
	enum change_effect effect;
	struct value before; /* null: not set */
	struct value after;  /* null, also of a member within: to be unset; deferred: known after apply */
	bool pauses;	     /* what runs is stopped for it, and started again; filled in by the plan */
	bool unread; /* what is there could not be read: before is what is recorded, or what is set again; filled in by
			the plan */
};

struct difference {
	struct change *changes; /* in order of the kind's fields, then of keys */
	size_t count;
	bool makes;	     /* a field of the resource itself changes in place */
	bool settles;	     /* a part changes */
	bool replaces;	     /* an immutable field differs */
	bool maybe_replaces; /* an immutable field is deferred */
	bool conflicts;	     /* a FIXED field differs: nothing is to be done before the spec is right */
	bool lacks;	     /* an item is lost: nothing is to be done before people have seen to that */
	bool records;	     /* only the record is behind */
	bool unread;
	bool drifted;		/* any change with CAUSE_DRIFT */
	struct value constants; /* MAP: fields that were set and no longer are, with the fixed value they go back to */
	struct value released; /* MAP: fields that were set and no longer are, to be cleared, with their former value */
};

struct diff_input {
	const struct kind *kind;
	const struct json_style *style;	  /* secrets are held against what is recorded in it; NULL: as they are */
	const struct value *wanted;	  /* MAP: desired, resolved as far as known */
	const struct value *applied;	  /* MAP: resolved form last applied; NULL: never completed */
	const struct value *observed;	  /* MAP: live after the last apply; NULL: none */
	const struct value *spec;	  /* MAP: wanted, symbolic; NULL: not told apart */
	const struct value *spec_applied; /* MAP: the same when last applied; NULL: never completed */
	const struct value *live;	  /* MAP, or NULL: judged from `observed` alone */
	const struct value *outputs;	  /* MAP: live outputs; NULL: not read */
	bool tells_secret;		  /* as of an object */
	bool unfinished;		  /* a run that changed it did not end: what that left undone is no drift */
	const struct value *owed;	  /* MAP: what that run switched off, as it was before; NULL: nothing */
	const struct value *before;	  /* MAP: what its deletion moved, as it was before; NULL: nothing */
	const struct value *restores; /* MAP: what fields that are not wanted go back to; NULL: what their rule says */
	bool remakes;		      /* what cannot change in place and is let go of goes with the object */
	/* MAP: outputs as recorded; NULL: none */
	const struct value *recorded_outputs;
	const struct slice *ignored;
	size_t ignored_count;
	bool parts_only;   /* just the fields that settle */
	bool fields_only;  /* all but those */
	bool outputs_only; /* no field at all */
};

/* Everything in ret lives in arena or is shared with the input. */
void diff_resource(const struct diff_input *input, struct arena *arena, struct difference *ret);

/*
 * Adds what the service makes of a field that was brought out of its bounds (field.at_least, field.at_most) by a change
 * of these, in place of what is told of it otherwise. now: MAP of the fields as they are, or as they were last seen.
 */
void diff_bounds(const struct kind *kind, const struct value *now, struct arena *arena, struct difference *ret);

/* Adds what is set again with a start, as nothing shows what it is while the thing stands still
 * (field.shown_running). */
void diff_still(const struct diff_input *input, struct arena *arena, struct difference *ret);
/* Adds a change behind the others, in arena; what the difference comes to is the caller's to say. */
void difference_add(struct difference *difference, const struct change *change, struct arena *arena);
/* Whether they give the output another value, by a field that renews it or because it follows another output. */
bool changes_renew(const struct change *changes, size_t count, const struct output *output);
/* Whether they make the field no longer true without which there is no such output. */
bool changes_take_away(const struct change *changes, size_t count, const struct output *output);
/* Whether one of them gives the field another value in place. */
bool changes_set(const struct change *changes, size_t count, struct slice field);
/* The same of a difference, where there is any: it may be NULL. */
static inline bool difference_sets(const struct difference *difference, struct slice field)
{
	return difference && changes_set(difference->changes, difference->count, field);
}
/* Whether one of them has what is used by a part end that: of live.uses, as it says itself which change does. */
bool changes_end_use(const struct change *changes, size_t count, const struct value *use);
/* Whether one of them has the field, or an item of it, end being that value. */
bool changes_end(const struct change *changes, size_t count, const struct field *field, const struct value *value);
/* Whether it gives a network a range, in addition or in the place of another one. */
bool change_widens(const struct change *change);
/* Whether one of them does. */
bool changes_widen(const struct change *changes, size_t count);
/* Whether one of them gives a network a range around that one. */
bool changes_widen_around(const struct change *changes, size_t count, const struct cidr *range);

/* Tells each conflict, and what is lost: what the spec expects and what was found, at its place in the spec, or
 * at `otherwise` where it has none. */
void diff_report_conflicts(const struct difference *difference, struct slice address, struct position otherwise,
			   struct diagnostics *diagnostics);

#endif
