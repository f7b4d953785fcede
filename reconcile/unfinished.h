#ifndef TRUEUP_RECONCILE_UNFINISHED_H
#define TRUEUP_RECONCILE_UNFINISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/json.h"
#include "reconcile/diff.h"
#include "reconcile/provider.h"
#include "reconcile/resource.h"
#include "reconcile/run_secrets.h"

/*
 * What a run began to do to an object that is recorded as whole. It stands in the record from the first call on and
 * until the last was answered; should the run end in between, what came of its calls is known as its own doing, and
 * not taken for somebody else's.
 */

/* Of an update: fields, as the spec has them and resolved as far as known, both MAPs; constants: what others go back to
 * that it does not set, MAP; changes: what was planned; wanted: what the spec's form refers to. */
struct unfinished_update {
	const struct change *changes;
	size_t change_count;
	const struct value *symbolic;
	const struct value *resolved;
	const struct value *constants;
	const struct dependency *wanted;
	size_t wanted_count;
};

/* An object as it was read; provider: of its kind; resource: at its address, NULL where none is known. */
struct unfinished_reading {
	const struct kind *kind;
	const struct provider *provider;
	const struct live *live;
	const struct resource *resource;
};

/* Each notes it in object, in arena, and says whether that is new. */
bool unfinished_note_update(struct object *object, const struct unfinished_update *update, int64_t wall_ms,
			    struct arena *arena);
/* before: as it is when the deletion begins; kind and live alone. */
bool unfinished_note_delete(struct object *object, const struct unfinished_reading *before, int64_t wall_ms,
			    struct arena *arena);
/*
 * Of an object that is not finished and that a later run goes on with: takes into its record what that is to set beyond
 * what the run that began it was to, so that it counts as set should the spec be set back. What no read gives back is
 * taken as something that nobody knows, also where the record had it otherwise; what becomes a secret is taken in too,
 * beside what the record had, as a read would show it. Whether that is new.
 */
bool unfinished_take_more(struct object *object, const struct unfinished_update *update, struct arena *arena);
/* Of an object that a later run makes whole after all: the deletion that was begun is over, and what it has taken off
 * is still owed. Whether one was begun. */
bool unfinished_stay(struct object *object, struct arena *arena);
/* What is noted already goes on now: what comes late of it may come as long after this call as after its first one.
 * Whether that is new. */
bool unfinished_renew(struct object *object, int64_t wall_ms, struct arena *arena);
void unfinished_end(struct object *object);
/* Has the note say what the call does that is sent next, so that it can be told apart from the others; that of an
 * object which is being made as well, which says nothing else. Whether that is new. */
bool unfinished_note_call(struct object *object, const struct call *call, struct arena *arena);
/*
 * Has the note of an update say what the call switches off that is sent next, and that the update does not set; no more
 * what the call before it has switched on again. comes: of that call, or NULL; now: MAP of the fields, as they are
 * known. Whether that is new.
 */
bool unfinished_note_switched(struct object *object, const struct value *comes, const struct value *now,
			      struct arena *arena);
/* What a reading shows of a call. */
enum call_shown {
	SHOWS_NOTHING, /* what it was to do is not there, or no read can show it */
	SHOWS_DONE,
	SHOWS_UNREAD, /* what could not be read this time tells alone: all the rest is as it was to be */
};

/*
 * Whether a reading shows what an operation was to do, where the note says that; else all that was begun with the
 * object, so that whichever call it was has come. What no read can show does not show, nor what its endpoint cannot
 * tell at all (live.unsupported); nor does a deletion, as long as the object is there.
 */
enum call_shown unfinished_shows(const struct object *object, struct slice operation,
				 const struct unfinished_reading *reading, struct run_secrets secrets,
				 struct arena *arena);

/* Whether a note that was read has its members as they are written here; NULL: there is none. */
bool unfinished_is_sound(const struct value *note, struct arena *arena);
/* Changes a MAP of fields in place; false: it stays as it is. */
typedef bool unfinished_fields(void *context, struct value *fields);
/* Has every MAP of fields within a note changed; whether any was. A note may be null. */
bool unfinished_change_fields(struct value *note, unfinished_fields *change, void *context, struct arena *arena);
/* Of an object with its body; without one there is none. */
bool unfinished_has_note(const struct object *object);
/* Whether it says that a deletion was begun. */
bool unfinished_is_deletion(const struct object *object);
/* Whether an update sets the tags that tell whose it is. */
bool unfinished_sets_tags(const struct object *object);
/* What the operation does (struct call: comes, goes); false where the note does not say that of it. */
bool unfinished_effect(const struct object *object, struct slice operation, const struct value **ret_comes,
		       const struct value **ret_goes);
/* What the call was to bring that was sent last (struct call: comes); MAP, or NULL where the note does not say that. */
const struct value *unfinished_comes(const struct object *object);
/* The fields that an update sets, resolved as far as they were known; MAP, with null for what it clears; or NULL. */
const struct value *unfinished_resolved(const struct object *object);
/* The same as the spec has them; NULL: there is no note. */
const struct value *unfinished_applied(const struct object *object);
/* What these refer to, in an array in arena; its length, 0 also where it was not noted. */
size_t unfinished_wanted(const struct object *object, struct arena *arena, const struct dependency **ret);
/* Has the note say these instead. */
void unfinished_put_wanted(struct object *object, const struct dependency *wanted, size_t count, struct arena *arena);
/* Not set, or false. */
bool unfinished_is_off(const struct value *value);
/* What calls of an update switch off that it does not set, as it was before them: MAP, or NULL in the note of an older
 * program, which did not tell that. */
const struct value *unfinished_switched(const struct object *object);
/*
 * What an update did not set, and has switched off while it was under way, as it was before: MAP, or NULL. The next
 * plan switches it on again, unless the spec says otherwise.
 */
const struct value *unfinished_owed(const struct object *object);
/* Takes one field into it, or out of it where value is NULL; of an object with a note. */
void unfinished_owe(struct object *object, struct slice name, const struct value *value, struct arena *arena);
/*
 * The fields as they were when a deletion began, MAP, or NULL; once it was settled, those alone that it has moved and
 * that were not the spec's to say. The next plan sets them back.
 */
const struct value *unfinished_before(const struct object *object);
/* As the deletion left these: MAP without what was unset then; NULL: that was not settled yet. */
const struct value *unfinished_left(const struct object *object);
/* Both, of an object with a note; with an empty before there is neither any more. */
void unfinished_put_before(struct object *object, const struct value *before, const struct value *left,
			   struct arena *arena);
/* The names of fields, MAP or NULL, joined by ", ". */
struct slice unfinished_names(const struct value *fields, struct arena *arena);
/* Whether it was begun less than grace_ms ago, so that more of it may show yet. */
bool unfinished_is_young(const struct object *object, int64_t now_ms, int64_t grace_ms);

struct unfinished_outcome {
	bool taken;  /* something was done that the record did not know */
	bool whole;  /* nothing is left to come */
	bool owes;   /* see unfinished_owed() and unfinished_before() */
	bool at_it;  /* the service still carries out what was begun */
	bool unread; /* a field that it set could not be read: nobody knows what came of that */
};

/*
 * Takes into the record what has come true, part by part where a field has parts: the rest stays as it was recorded.
 * Secrets only as fingerprints. What is absent or being deleted changes nothing in the record.
 */
struct unfinished_outcome unfinished_settle(struct object *object, const struct unfinished_reading *reading,
					    struct run_secrets secrets, struct arena *arena);

#endif
