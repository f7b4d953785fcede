#ifndef TRUEUP_CLI_REFRESH_SOME_H
#define TRUEUP_CLI_REFRESH_SOME_H

#include "base/map.h"
#include "cli/job.h"

/* Reads, by id, the objects whose object ids are in the map; *ret is parallel to job->objects, NULL for all others.
 * refresh: with what else it is to know. False after a diagnostic. */
__attribute__((warn_unused_result)) bool job_refresh_subset(struct job *job, const struct map *object_ids,
							    struct refresh *refresh, const struct live ***ret);

#endif
