#ifndef TRUEUP_PROVIDERS_SIM_STATE_H
#define TRUEUP_PROVIDERS_SIM_STATE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/http.h"
#include "providers/sim/sim_setting.h"
#include "providers/sim/sim_store.h"

/* What a simulator is made of; only files of this folder look inside. */

struct sim_file;
struct sim_flight;

struct sim_wake {
	int64_t at_ms;
	uint64_t order;
	struct sim_object *object;
};

struct sim {
	struct transport transport; /* first: a struct transport * is the struct sim * */
	struct world *world;
	uint64_t random;
	int64_t now_ms;		/* virtual wall clock */
	int64_t boot_offset_ms; /* boot clock = now_ms + this */

	struct arena lasting; /* interned names, and things, which others may point to after their end */
	struct map interned;
	struct map regions; /* slice -> struct sim_region */
	struct map actions; /* number of the service and name -> struct action_entry */
	struct map signing_keys;
	struct map request_counts; /* action -> uint64_t */
	uint64_t next_sequence;

	struct sim_object **dirty; /* owned: changed in this transaction */
	size_t dirty_count, dirty_capacity;
	struct sim_wake *wakes; /* owned: a heap by time */
	size_t wake_count, wake_capacity;
	uint64_t wake_order;
	int64_t settings[SIM_SETTING_COUNT];
	int64_t lagging_until_ms; /* from then on no listing lags */
	int64_t call_settled_ms;  /* when listings show what the call at work changes; past: not drawn yet */
	bool immediate;		  /* changes made now show in listings at once */

	struct sim_flight **flights; /* owned: a heap by time of the next event */
	size_t flight_count, flight_capacity;
	uint64_t flight_order;
	size_t pending;

	struct sim_file *file; /* NULL in memory */
};

/* From low to high, both included. */
int64_t sim_random_between(struct sim *sim, int64_t low, int64_t high);
/* digits hex digits at to, and a NUL. */
void sim_random_hex(struct sim *sim, char *to, size_t digits);
/* The one copy of name, for names of nodes. */
const char *sim_intern(struct sim *sim, struct slice name);

#endif
