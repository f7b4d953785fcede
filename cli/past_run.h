#ifndef TRUEUP_CLI_PAST_RUN_H
#define TRUEUP_CLI_PAST_RUN_H

#include "base/map.h"
#include "cli/job.h"

/* The one run of those whose id begins as the user says; NULL after a diagnostic where there is none, or more. */
const struct run_record *past_run_find(struct job *job, const struct run_record *runs, size_t count,
				       struct slice wanted);

/* What a run is called that undoes the one with that id. */
struct slice past_run_undoing(struct arena *arena, struct slice id);
/* The same of what such a run is called in the history, where it may have been about a part, or most of it. */
struct slice past_run_undoing_of(struct slice command);
/* What a run of that command is called that was about a part of the stack. */
struct slice past_run_of_part(struct arena *arena, struct slice command);
/* What a run of that command is called that was about all of the stack that could be told when it was planned. */
struct slice past_run_of_most(struct arena *arena, struct slice command);

/* Whether something is recorded as it was before the run: what a run only notes as begun is, when the call is refused.
 */
bool past_run_has_kept(const struct past_object *object);

/* Reads the body of what a run found, or left, which is kept as text; empty: it has none. */
__attribute__((warn_unused_result)) bool past_run_read_body(struct job *job, struct object *object, struct slice body);
/* The same of both. */
__attribute__((warn_unused_result)) bool past_run_read_bodies(struct job *job, struct past_object *past);

/* What a run that did not come to its end has left of something, and nobody has mended since. */
struct leaving {
	const char *why;
	struct slice run; /* its id */
};

/* Each a struct leaving: what such runs have left since the last one about the whole stack that did all that it was to
 * do. */
struct leavings {
	struct map gone; /* by address: was deleted, and not made anew */
	struct map
		halfway; /* by object id: was to be changed by a run that changed something, and did not end with it */
};

/* Fills in what is to be released also after an error. */
__attribute__((warn_unused_result)) bool past_run_leavings(struct job *job, struct leavings *ret);
void leavings_release(struct leavings *leavings);

/* After planning: gives what is to be made the reason that a run deleted it for a replace and was cut off, or failed,
 * before it made the new one. */
__attribute__((warn_unused_result)) bool past_run_explain(struct job *job);

#endif
