#ifndef TRUEUP_PROVIDERS_SIM_FAULT_H
#define TRUEUP_PROVIDERS_SIM_FAULT_H

#include "providers/sim/sim_call.h"
#include "providers/sim/sim_http.h"

/* Faults that were put into the world, as things of type "fault". */

/* Counts a request of that action, and finds the fault that hits it. False where none does. */
bool sim_fault_take(struct sim *sim, struct slice action, enum sim_fault_kind *ret);
/* Before execution: fails the call, or answers in its stead. True where the call must not run. */
bool sim_fault_before(enum sim_fault_kind kind, struct sim_call *call, struct sim_answer *answer);
/* After execution: spoils the answer. */
void sim_fault_after(enum sim_fault_kind kind, struct sim_answer *answer);

#endif
