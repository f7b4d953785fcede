#ifndef TRUEUP_PROVIDERS_SIM_INTERFACE_H
#define TRUEUP_PROVIDERS_SIM_INTERFACE_H

#include "providers/sim/sim_call.h"

/* An interface of an instance, as a call names it. */
struct sim_interface {
	struct sim_object *instance;
	struct sim_object *subnet; /* NULL: taken away by hand */
	struct node *item;	   /* in the instance's tree, to be changed */
	bool is_first;		   /* the primary one, whose addresses the instance itself shows as well */
};

/* The interface that NetworkInterfaceId names; a failed call and false where there is none. */
bool sim_interface_need(struct sim_call *call, struct sim_interface *ret);

#endif
