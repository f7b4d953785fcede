#ifndef TRUEUP_CLI_UNCOMPARED_H
#define TRUEUP_CLI_UNCOMPARED_H

#include "cli/job.h"
#include "cli/render.h"

/* Of what is recorded and there, with its bodies loaded: what no read gives back. In *ret, in the job's arena; their
 * number. */
size_t uncompared_list(const struct job *job, const struct uncompared **ret);
/* The same of what was not asked for, as each takes a call and no spec sets it. */
size_t unasked_list(const struct job *job, const struct uncompared **ret);

#endif
