#ifndef TRUEUP_CLI_SAVED_REFERENCES_H
#define TRUEUP_CLI_SAVED_REFERENCES_H

#include "base/map.h"
#include "cli/job.h"

/*
 * What the actions of a saved plan refer to, and the plan itself leaves alone: somebody may have taken it away since,
 * and the calls that name it would fail in the middle. So would those that take away what another run has something
 * refer to since.
 */

/* Adds their object ids to a map of what is to be read. */
void saved_references_add(struct job *job, const struct plan *saved, struct map *ids);
/* Notes in the job's plan, which is to be saved, what refers to something that it ends and is left as it is: by what
 * the spec ignores, say. And what has by the record what the plan gives to another, or was seen to have what another
 * part of the plan gets from it. */
void saved_references_note(struct job *job);
/* After the reading and planning: false, with an error for each, where one of them is not there or not recorded any
 * more, or lies elsewhere than it is referred to from, where something refers by now to what the plan ends and is no
 * part of it, where something has a name or range that the plan gives to another, or where what one part of the plan
 * gets from another is not there any more. What could not be read is not known to be gone. */
__attribute__((warn_unused_result)) bool saved_references_check(struct job *job, const struct plan *saved);

/* Whether a field would be set to another value than the one that the plan has: what it refers to is another by now. */
bool saved_references_moved(struct job *job, const struct action *then, const struct action *now);

#endif
