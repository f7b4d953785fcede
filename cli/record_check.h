#ifndef TRUEUP_CLI_RECORD_CHECK_H
#define TRUEUP_CLI_RECORD_CHECK_H

#include <stdbool.h>

#include "base/slice.h"

/* Whether all that the state records can be read, and makes sense. What is wrong with the file as such the store tells.
 */

struct job;

/* One of what is wrong: a sentence. address: of the object that it is about, or empty; both live as long as the job.
 * is_unreadable: nobody has that part of the record any more. */
typedef void record_finding(void *context, struct slice address, struct slice what, bool is_unreadable);

/* Reads the record anew and tells each of what is wrong with it. */
void record_check(struct job *job, record_finding *tell, void *context);

#endif
