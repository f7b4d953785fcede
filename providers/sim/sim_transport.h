#ifndef TRUEUP_PROVIDERS_SIM_TRANSPORT_H
#define TRUEUP_PROVIDERS_SIM_TRANSPORT_H

struct sim;

void sim_transport_init(struct sim *sim);
void sim_transport_release(struct sim *sim);

#endif
