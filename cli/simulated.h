#ifndef TRUEUP_CLI_SIMULATED_H
#define TRUEUP_CLI_SIMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/http.h"
#include "base/redaction.h"
#include "base/world.h"
#include "providers/sim/sim.h"

/*
 * A world whose requests go to a simulator where their endpoint says so ("sim:..."), and
 * to the network otherwise. Once a simulator is open the world's clocks are virtual: they
 * go on from where the real ones stood, and a wait for simulated answers takes no time.
 * While a request on the network is in flight they pass as real ones do.
 *
 * Whatever is written to its streams goes without the secrets that are known.
 */

struct simulator {
	char *endpoint;	       /* owned */
	struct sim *sim;       /* owned */
	int64_t boot_ahead_ms; /* the world's boot clock less the simulator's */
	struct simulator *next;
};

/* A request whose simulator could not be opened; answered by the next wait(). */
struct refused {
	http_done *done;
	void *context;
	char *message; /* owned, as the hint is */
	char *hint;    /* or empty */
	struct refused *next;
};

struct simulated {
	struct world world;	    /* first: callbacks are handed its address */
	struct transport transport; /* world.transport points here */
	struct world *real;	    /* borrowed */
	const char *folder;	    /* of the stack, borrowed: from here on lies the FILE of "sim:FILE" */
	struct simulator *simulators;
	struct refused *refused;
	struct redaction redaction; /* what must not be written */
	/* Called now and then while something is waited for; NULL: nobody wants to know. */
	void (*tick)(void *context);
	void *tick_context;
};

void simulated_open(struct simulated *simulated, struct world *real);
void simulated_close(struct simulated *simulated);

#endif
