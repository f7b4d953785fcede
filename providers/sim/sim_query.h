#ifndef TRUEUP_PROVIDERS_SIM_QUERY_H
#define TRUEUP_PROVIDERS_SIM_QUERY_H

#include <stdbool.h>

#include "base/slice.h"

struct sim;

/* Puts every action into sim->actions. */
void sim_actions_index(struct sim *sim);
/* A boolean parameter's text. */
bool sim_truth(struct slice text);

#endif
