#ifndef TRUEUP_TESTS_SIMULATE_STORY_H
#define TRUEUP_TESTS_SIMULATE_STORY_H

#include "tests/simulate/blueprint.h"
#include "tests/simulate/oracle.h"
#include "tests/simulate/universe.h"

/* What happens under one seed: commands, edits, mishaps; then peace, and the judgement. */

struct story {
	struct universe *universe;
	struct blueprint blueprint;
	struct foreign foreign;
	bool is_long;	 /* it is told beyond what each seed has */
	bool copied;	 /* somebody has copied our tags */
	bool meddled;	 /* somebody has changed or removed what is ours */
	bool wavered;	 /* an undoing was undone itself */
	bool lost;	 /* the last command told that an undoing does not bring back the first keys of tunnels */
	bool lacks;	 /* and here that something is not as before, because what it needs is not there any more */
	bool idle;	 /* the last command found nothing to do and nothing to warn of, and changed nothing */
	char error[400]; /* the first that the last command told, or empty */
	char left[64];	 /* the first thing of which it told that it bears our tags and was left alone, or empty */
};

enum {
	STORY_PEACE_MS = 20 * 60 * 1000, /* what is under way has come to its end by then */
	STORY_FINAL_RUNS = 3,		 /* within so many that nothing befalls all must be well */
};

/* For secrets at rest: the stack's, and another one's. */
extern const char *const story_keys[2];

/* Runs a command line, and notes in the story what it told; gives its exit status. misfortune: NULL for none. */
int story_run(struct story *story, const char *line, const struct misfortune *misfortune);
void story_save_spec(struct story *story);
/* Nothing goes wrong any more: within three applies the world is what the spec says. */
void story_make_peace(struct story *story);
/* A plan is empty then; where an idle apply has just said so, it is not made again. */
void story_expect_nothing_planned(struct story *story);
/* meddle.c: somebody changes or takes away something of ours, rather what a call of unknown outcome is about. */
void story_meddle(struct universe *universe);
/* Somebody begins to delete what a call of unknown outcome is about and a change of which is under way; false: nothing
 * is. */
bool story_end_changing(struct universe *universe);
/* Somebody sets that of everything of ours that is of the kind, and of that type in the cloud; value NULL: takes it
 * off. */
void story_set(struct universe *universe, const char *kind, const char *type, const char *path, const char *value);
/* The same of what is of that type and has the id of such a thing under owner: its parts, or what has a name for id. */
void story_set_parts(struct universe *universe, const char *kind, const char *type, const char *owner, const char *path,
		     const char *value);
/* The id of what is recorded at the address, in arena; empty: nothing is. */
struct slice story_id_at(struct universe *universe, const char *address, struct arena *arena);
/* That tag of what is ours says another text from now on, where there is one; NULL: it is taken off. */
void story_change_tags(struct universe *universe, const char *key, const char *text);
/* twin.c: whether something is there that a call of ours made, no unknown outcome is about, and is not recorded. */
bool story_has_twin(struct universe *universe);
/* Where such a thing is a network, there is another one like it from now on. */
void story_come_again(struct universe *universe);
/* The saved plan is applied, and what a call of ours made late may not be what it was by then. */
void story_apply_over_twin(struct story *story);
/* epilogue.c: an apply is taken back; an older state file is put in place; it is lost, and made anew. */
void story_undo(struct story *story);
/* So many changes to the spec (0: none), and an apply. misfortune: what befalls that, or NULL. False where there was
 * nothing to change. */
bool story_apply_edits(struct story *story, int64_t edits, const struct misfortune *misfortune,
		       char ret_run[AUDIT_RUN_BYTES]);
/* A run is undone, to the end, and something befalls that now and then. whole: nothing befell the run; belated:
 * universe->belated, before it. */
void story_take_back(struct story *story, const char *run, bool whole, uint64_t belated);
/* Whether an undoing that has just ended with that status has done all but what nobody has any more, the keys that the
 * cloud had given to tunnels, and told that beforehand. */
bool story_falls_short(const struct story *story, int status);
/* behind.c: a run that goes on with a replace which another could not finish is taken back. */
void story_undo_behind(struct story *story);
/* earlier.c: a run is taken back that a later one came after. */
void story_undo_earlier(struct story *story);
/* Something gets another address, and an apply writes that on it. misfortune: what befalls that, or NULL. False where
 * there is nothing to rename. */
bool story_rename(struct story *story, const struct misfortune *misfortune);
void story_look_back(struct story *story);
void story_rebuild(struct story *story);
/* mistake.c: somebody copies our tags, or changes them. */
void story_mistake(struct story *story);
/* claim.c: somebody else has an address that ours is to have. */
void story_claim(struct story *story);
/* again.c: a call with a token is to be sent once more, and something is in the way of that. */
void story_send_again(struct story *story);
/* late.c: a call comes twice, or late, and something happens to what it made, or when that is judged. */
void story_come_late(struct story *story);
/* elsewhere.c: the stack is in two regions, and somebody takes what is ours from the one to the other. */
void story_elsewhere(struct story *story);
/* begun.c: a run is killed, and what it has begun is told by no field, or by none that can be read. */
void story_go_on(struct story *story);
/* An apply of the spec, killed at the first call of an operation, or where that is NULL at a change, counted from 1. */
void story_begin(struct story *story, const char *operation, int64_t change);
/* stay.c: a deletion is cut off and comes to nothing, and what it has let go of is left to others. */
void story_stay(struct story *story);
/* pause.c: a machine is stopped for a change, and others start and stop it. */
void story_pause(struct story *story);
/* nightly.c: drift, after a run that did not end well; where it is green all is recorded. */
void story_look_at_night(struct story *story);
/* Drift is green where all is well, and not after somebody's change. */
void story_nightly(struct story *story);
/* vanish.c: what a call whose answer nobody saw has made, or changed, goes while it is looked at. */
void story_vanish(struct story *story);
/* settle.c: what a command left open is settled by another one, to which something happens just then. */
void story_settle(struct story *story);
/* The same of what came late, when all else has come to its end. */
void story_settle_late(struct story *story);
/* universe is open; what went wrong is in universe->failure. */
void story_tell(struct universe *universe);

#endif
