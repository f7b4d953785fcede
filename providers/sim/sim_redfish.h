#ifndef TRUEUP_PROVIDERS_SIM_REDFISH_H
#define TRUEUP_PROVIDERS_SIM_REDFISH_H

#include "base/http.h"
#include "providers/sim/sim_http.h"

/* Answers as the baseboard controller at host, a thing of type "machine"; refuses the
 * connection where there is none. */
void sim_redfish_execute(struct sim *sim, struct arena *arena, const struct http_request *request, struct slice host,
			 struct slice path, struct sim_answer *answer);

#endif
