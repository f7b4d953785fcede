#ifndef TRUEUP_TESTS_SIMULATE_UNIVERSE_H
#define TRUEUP_TESTS_SIMULATE_UNIVERSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/world.h"
#include "providers/sim/sim.h"
#include "tests/simulate/audit.h"
#include "tests/simulate/chance.h"
#include "tests/simulate/disk.h"
#include "tests/simulate/disk_vfs.h"
#include "tests/simulate/mishap.h"
#include "tests/simulate/sent.h"
#include "tests/simulate/shown.h"
#include "tests/simulate/tally.h"
#include "tests/simulate/target.h"
#include "tests/simulate/trace.h"

/*
 * All that there is for one seed: a cloud, a machine with a disk, a network between them,
 * and the processes that run there, one inside the other where two run at once.
 */

enum { NAME_BYTES = 64, FAILURE_BYTES = 1024 };

struct flight;
struct process;

struct universe {
	uint64_t seed;
	struct trace trace;
	struct tally *tally; /* borrowed */
	struct disk disk;
	struct audit audit;
	struct sim *sim;
	struct world sim_world; /* what the simulator was opened in: only its clocks at the beginning */
	struct arena lasting;
	struct shown shown; /* keys that the cloud has shown */
	bool storm;	    /* mishaps come in crowds: set by the caller */
	bool all_long;	    /* every life is a long one: set by the caller */

	struct chance random; /* what programs take for a cryptographic source */
	struct chance fate;   /* which mishaps come */
	struct chance plot;   /* specs and schedule */
	struct chance ruin;   /* what a loss of power leaves */
	struct target target; /* what the seed is about */

	const char *sealing_key; /* in the machine's environment; NULL: it is not set */
	int64_t wall_ahead_ms;	 /* the machine's wall clock less the cloud's */
	int64_t booted_ms;	 /* the machine's boot clock began when the cloud's boot clock showed this */
	unsigned boots;		 /* how often the machine was started */
	bool powerless;		 /* power was lost: the machine starts again before the next process does */
	int64_t last_process;

	struct sent sent;
	struct flight *flights; /* requests on their way, the oldest first */
	uint64_t flight_count;
	struct process *running; /* the innermost; NULL: none */
	/* Another command that runs while one is held up, or NULL. */
	void (*rival)(struct universe *universe);
	/* Somebody else changes something of ours. */
	void (*operator)(struct universe *universe);
	void *story; /* of rival and operator */

	uint64_t changes;	       /* requests that changed something */
	uint64_t mishaps_after_change; /* that came when something had been changed */
	uint64_t belated;	       /* of these, that came when nobody waited for them any more, or a second time */
	bool is_meddled_with;	       /* somebody else has changed something of ours */
	bool is_clock_set;	       /* the wall clock was set in between */
	bool has_doubled;	       /* something was made a second time, or when nobody waited for it */
	bool may_double;	       /* a mishap was among them after which a thing may be there twice for a while */
	struct buffer schedule;	       /* the mishaps so far, a line each */
	char failure[FAILURE_BYTES];   /* the first promise that was broken; empty: none */
};

/* One run of the program. */
struct process {
	struct world world; /* its context is this process */
	struct transport transport;
	struct universe *universe;
	struct process *outer; /* that is held up meanwhile, or NULL */
	struct disk_access access;
	struct misfortune misfortune;
	struct buffer output; /* both streams */
	bool dead;
	int interrupts;
	uint64_t requests, changes, steps; /* so far */
	uint64_t first_change;		   /* of these requests; 0: none was */
	uint64_t steps_after;		   /* of these, when misfortune.disk_after requests were sent */
	uint64_t waits;			   /* with nothing in flight */
	bool forgot;			   /* MISHAP_FORGOTTEN */
	bool overtaken;			   /* another process took the lease from it, and left it like this */
	struct audit_lease overtaken_at;
	uint64_t idle_waits;	 /* in a row, in which nothing could happen */
	char denied[NAME_BYTES]; /* an operation that may not be called from now on; empty: none */
};

/* What the machine's environment says besides; NULL-terminated pairs. */
extern const char *const universe_environment[][2];

void universe_open(struct universe *universe, uint64_t seed, bool keep_trace, struct tally *tally);
void universe_close(struct universe *universe);
/* Says that a promise was broken; the first one counts. */
__attribute__((format(printf, 2, 3))) void universe_fail(struct universe *universe, const char *format, ...);
/* Lets time pass while no process runs. */
void universe_pass(struct universe *universe, int64_t ms);
int64_t universe_wall_ms(const struct universe *universe);

/* Runs a command line ("apply --yes"; words are parted by single spaces) to its end. What is wrong with it is in
 * misfortune; NULL: nothing. output is cleared and takes what it wrote. Gives its exit status. */
int universe_run(struct universe *universe, const char *line, const struct misfortune *misfortune,
		 struct buffer *output);

/* Ends a process here and now: nothing that it does from now on has an effect. */
void process_die(struct process *process, bool power);
/* A mishap befell the process at that request or disk step; told to trace and tally. */
void process_suffer(struct process *process, enum mishap mishap, const char *operation);

/* files.c: the part of a world that is about files. */
void files_init(struct world *world);
enum disk_outcome files_ask(struct disk_access *access, enum disk_step step, const char *path);

/* network.c */
void network_init(struct process *process);
/* Gives up what the process has in flight: it goes on without anybody who waits for it, or vanishes. */
void network_orphan(struct process *process);
/* Moves the cloud on to until_ms of its boot clock, delivering to nobody. */
void network_pass(struct universe *universe, int64_t until_ms);
/* Drops everything in flight. */
void network_release(struct universe *universe);

#endif
