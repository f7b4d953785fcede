#ifndef TRUEUP_RECONCILE_UNDO_PARTS_H
#define TRUEUP_RECONCILE_UNDO_PARTS_H

#include "base/map.h"
#include "reconcile/undo.h"

/* What undo*.c share; private to undo. */

enum undo_verdict {
	UNDO_NOTHING, /* as it was before, or it cannot go back */
	UNDO_REMOVE,  /* the run made it */
	UNDO_MAKE,    /* the run removed it */
	UNDO_CHANGE,
	UNDO_UNKNOWN, /* a run began something there, and what came of it could not be read */
};

/* One address that the run changed, or an earlier undoing of it. */
struct undo_case {
	struct slice address;
	const struct kind *kind;
	const struct object *was;    /* what it goes back to: what the run found, as whole; NULL: nothing */
	const struct object *found;  /* the same as it was found, where an earlier deletion had emptied it; or NULL */
	const struct object *behind; /* what a replace had left behind there, where nothing else stood then; or NULL */
	bool removed_behind;	     /* the run deleted that */
	struct slice lacks;	     /* what it did without: see undo_do_without() */
	const struct object *lay_in; /* what it can lie in nothing but, and a replace had left behind then; or NULL */
	bool is_elsewhere;	     /* it cannot go back: that is not what it would lie in */
	const struct object *left;   /* what it left */
	const struct object *now;
	const struct undo_touched *touched; /* by an earlier undoing, after all others; or NULL */
	bool touched_alone;		    /* the run itself did not change it */
	const struct object *base;	    /* out of which the run's changes are taken: now, or what touched found */
	const struct past_object *next;	    /* names the run that changed it again, or NULL */
	enum undo_verdict verdict;
	struct resource resource;	/* of UNDO_MAKE and UNDO_CHANGE */
	size_t first_note, notes_after; /* of the undoing's, what was said where it was judged */
};

/* The calls of the run about one object that were not refused, numbered in the order of their outcomes. */
struct undo_sent {
	size_t first, last;
	bool settled_later; /* one of them, by what another run has read */
};

struct undo_work {
	const struct undo_input *input;
	struct undoing *undoing;
	struct diagnostics *diagnostics;
	struct arena *arena;
	struct map now;		 /* by address, to struct object */
	struct map now_id;	 /* by object id, likewise */
	struct map gone;	 /* of now, by address: what somebody has deleted outside */
	struct map gone_behind;	 /* of what is left behind now, by object id, likewise */
	struct map unknown;	 /* of now, by address: begun, and what came of that could not be read */
	struct map stood_behind; /* object ids of what was left behind when the run began */
	struct map stood;	 /* addresses at which something stood beside that, and the run did not change it */
	struct map awaited;	 /* what is left behind now and could be its address's own again, where nothing else is:
				  * by address, to const struct object */
	const struct map *spec;	 /* see stack_addresses() */
	struct map spare;
	struct undo_case *cases;
	size_t case_count;
	struct map cases_by_address;
	/* NULL before one is asked for. */
	struct map *secrets;		/* that the spec has, by fingerprint, to struct value */
	struct map *steps;		/* of later runs, by address, to the last struct undo_step */
	struct map *names;		/* see undo_name_now(): by address, to a struct slice */
	struct map *changed;		/* by the run, by address: see undo_begun.c */
	struct map *sent;		/* see undo_sent_about(): by object id, to a struct undo_sent */
	struct map *ended;		/* object ids of what was there before the run, and not after it */
	const struct undo_since *since; /* later runs; see undo_since() */
	size_t since_count;
	bool has_since;
};

/* Whether a form that a run found or left speaks for its address: what stands beside that, left behind, does not. */
static inline bool undo_speaks(bool is_there, const struct object *form)
{
	return is_there && form->role != OBJECT_DEPOSED;
}

/* What the run did is undone, and this is lost with it. */
__attribute__((format(printf, 3, 4))) void undo_note(struct undo_work *work, struct slice address, const char *format,
						     ...);
/* What the run did is left as it is. */
__attribute__((format(printf, 3, 4))) void undo_stays(struct undo_work *work, struct slice address, const char *format,
						      ...);
/* What a deletion had emptied that came to nothing: as it was before, for nobody wants that half back. */
const struct object *undo_as_whole(const struct undo_work *work, const struct object *found);
/* Of a case whose `was` is what the run found. */
void undo_make_whole(struct undo_work *work, struct undo_case *one);
/* What the run found of something that an earlier one had only begun to make. */
const struct object *undo_as_begun(struct undo_work *work, const struct object *found);
/* Of a case whose `left` the run may have only begun to make: but for what a later one has done as it was to be. */
void undo_take_begun(struct undo_work *work, struct undo_case *one);
/* What the cases go back to refers to what the run has ended, where it was recorded with the ids of that. */
void undo_take_references(struct undo_work *work);
/* What becomes of it; false after diagnostics. */
bool undo_judge(struct undo_work *work, struct undo_case *one);
/* Whether what is recorded is as the run found it, with nothing but some of what had been taken out of that before. */
bool undo_is_found(const struct undo_work *work, const struct undo_case *one);
/*
 * Has the case go back to the object as it was found in all that refers to something which will not be there, instead
 * of to what it was before an earlier run emptied it, and judges it anew; false where nothing of that does. *good is
 * cleared after diagnostics.
 */
bool undo_do_without(struct undo_work *work, struct undo_case *one, struct slice address, bool *good);
/* Takes out what was said of a case before it was judged anew. */
void undo_drop_void_notes(struct undoing *undoing);
/* Whether what the alias reaches is where the object was. */
bool undo_reaches_place(const struct undo_work *work, const struct object *was);
/* What was left behind when the run began is what some cases go back to. */
void undo_find_behind(struct undo_work *work);
/* Fills awaited. */
void undo_find_awaited(struct undo_work *work);
/* Of what is left behind at the addresses that are planned, what was not so when the run began. */
void undo_choose_leaving(struct undo_work *work);
/* What the run sent about an object; NULL: nothing that was not refused. */
const struct undo_sent *undo_sent_about(struct undo_work *work, struct slice object_id);
/* Whether the run replaced it, and had deleted the old one before it began to make the new one. */
bool undo_ended_first(struct undo_work *work, const struct undo_case *one);
/* Of what the run adopted: what it changed of it, which stays. */
void undo_tell_adopted(struct undo_work *work, const struct undo_case *one);
/* Whether a value, as a spec has it, refers to that. */
bool undo_mentions(const struct value *value, struct slice address);
/* Whether what the run made is as it left it, so that its deletion takes nobody's change along. */
bool undo_is_as_left(const struct undo_case *one);
/* Whether the spec would ask the same of both, and in the same place. */
bool undo_same_form(const struct object *a, const struct object *b);
/* What the object depended on, as far as the fields of the resource refer to it: what was recorded when its fields
 * referred to more than they do now, as after a change that was cut off, is left out. */
void undo_take_dependencies(struct undo_work *work, const struct object *object, struct resource *ret);
/* What either form of a case with a base depended on, likewise, once what the run changed of `depends_on` is taken
 * back.
 */
void undo_join_dependencies(struct undo_work *work, const struct undo_case *one, struct resource *ret);
/* Whether `depends_on` names others by that than it does now. */
bool undo_names_others(struct undo_work *work, const struct undo_case *one);
/* The resource that an object was last applied as, with secrets that the spec still has. */
struct resource undo_resource_of(struct undo_work *work, const struct object *object, const struct kind *kind);
/* value with all secrets put back that the spec has somewhere; of the others the fingerprints stay. */
struct value undo_opened(struct undo_work *work, const struct value *value);
/* What is to be recorded as left to others once the run is undone; *ret_moves: it is not so now. Of a case with a base.
 */
struct value undo_left_to_others(const struct undo_work *work, const struct undo_case *one, bool *ret_moves);
/* Whether the run left the field to others, so that no call of it was about that. What it made anew had it set; and so
 * had an undoing that gave back what a run had taken up. */
bool undo_was_left_alone(const struct undo_work *work, const struct undo_case *one, struct slice name);
/* Takes out of the base all that the run changed: UNDO_CHANGE, or UNDO_NOTHING with notes.
 * False after a diagnostic: a later run has changed the same. */
bool undo_merge(struct undo_work *work, struct undo_case *one);
/* Whether two MAPs of fields have the same of that one: not set is as null. */
bool undo_same_field(const struct value *a, const struct value *b, const struct field *field);
/* The stack and the addresses, of the cases; false after diagnostics. */
bool undo_build(struct undo_work *work);
bool undo_is_target(const struct undo_work *work, struct slice address);
/* The case of an address, a new one where there is none: of so many as the run and its undoings changed, and
 * undo_count_followers(). */
struct undo_case *undo_case_at(struct undo_work *work, struct slice address);
/* Whether the object refers by that to the target, as it was recorded; and could never refer to another. */
bool undo_refers_to(const struct object *object, const struct dependency *dependency, const struct object *target);
bool undo_lies_in(const struct object *object, const struct dependency *dependency, const struct object *home);
/* Of cases that were judged: whether what they refer to has the address still that it had then; false after
 * diagnostics. */
bool undo_check_references(struct undo_work *work);
/* Fills lay_in of cases. */
void undo_find_homes(struct undo_work *work);
/* Cases of what lay in what the run replaced and left behind, and a later run made anew in the successor; how many
 * there may be. False after diagnostics. */
bool undo_find_followers(struct undo_work *work);
size_t undo_count_followers(struct undo_work *work);
/* The runs after the one that is undone, the oldest first; none where they cannot be told. */
const struct undo_since *undo_since(struct undo_work *work, size_t *ret_count);
/* What of an object is at stake: a field, or what it has under a key, or an item of it as it is in any form. */
struct undo_place {
	const struct field *field;
	struct slice key;
	const struct value *item;
};

/* The later run whose doing it is that a case cannot go back, in a place of it or, NULL, as a whole; NULL: none is
 * known. */
const struct undo_since *undo_blamed(struct undo_work *work, const struct undo_case *one,
				     const struct undo_place *place);

/* What became, since, of what the run left at an address. */
struct undo_fate {
	const struct undo_since *another; /* made what stands there by now, which is nothing of the run's; or NULL */
	const struct undo_since *forgot;  /* took what was the run's out of the record, and left it be; or NULL */
};

/* By what later runs found and left there: both are NULL where that is not known. What stands there by now has another
 * object id than what the run left, or nothing does. */
struct undo_fate undo_fate_at(struct undo_work *work, struct slice address);
/* The later run as of which what an address has needs that; NULL: none is known. */
const struct undo_since *undo_blamed_for_need(struct undo_work *work, struct slice address, struct slice needed);
/* What the first later run that changed something at an address found there; false: none did. */
bool undo_found_since(struct undo_work *work, struct slice address, const struct object **ret);
/* Whether `state mv` gave it another address. */
bool undo_is_move(const struct past_object *past);
/* What is called so once the run had ended is called that by now, or what came in its place there. */
struct slice undo_name_now(struct undo_work *work, struct slice address);
/* The hint of the error that was told last: what is to be done first about that run; NULL: about the one that is not
 * known. */
void undo_hint(struct undo_work *work, const struct undo_since *run, const char *first);
/* That run for the end of a message; of NULL nothing. */
struct slice undo_since_text(struct undo_work *work, const struct undo_since *run);

/* Notes what an action of the plan of it loses, or leaves as the run made it. */
void undo_note_losses(struct undo_work *work, const struct action *action);

#endif
