#ifndef TRUEUP_CLI_SAVED_REFUSAL_H
#define TRUEUP_CLI_SAVED_REFUSAL_H

#include "cli/job.h"

/* Says that what a saved plan has of the address is not so any more, and why; false. */
bool saved_plan_refuse(struct job *job, struct slice address, struct slice what);

#endif
