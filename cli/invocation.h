#ifndef TRUEUP_CLI_INVOCATION_H
#define TRUEUP_CLI_INVOCATION_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"
#include "cli/command.h"
#include "cli/exit_status.h"
#include "cli/sinks.h"
#include "cli/palette.h"
#include "cli/simulated.h"
#include "cli/written.h"
#include "state/sqlite_store.h"

/* One command being run: what it is given, and where its results go. */
struct invocation {
	struct simulated *simulated;
	struct world *world; /* the simulated one */
	const struct arguments *arguments;
	struct arena *arena; /* gone when the command ends */
	struct diagnostics *diagnostics;
	struct sources *sources;
	struct sinks *sinks;
	struct written *written;
	const struct palette *talk; /* colours of standard error */
	/* Where the command plans again because another run changed the stack meanwhile: */
	int64_t lease_deadline_ms; /* real boot clock: how long to wait for leases in all; 0: not waited yet */
	struct lease_sight lease_sight;
	unsigned overtaken_count; /* how often one came and went while this one read */
	struct slice wanted;	  /* plan_shown() of the plan that the user wanted, or empty */
	/* Ids of objects whose creates were cut off, and that a plan did not make as they were to be made: these calls
	 * are not sent once more, and what they may have made is looked for. */
	struct slice *looked_for;
	size_t looked_for_count;
};

/* One line of talk on standard error. */
__attribute__((format(printf, 2, 3))) void talk(struct invocation *invocation, const char *format, ...);
/* The file of --out. */
struct written_file written_plan(const struct invocation *invocation);
/* The report of this command, with what all reports share. */
struct report invocation_report(struct invocation *invocation);
/* Shows the report and gives the status that the command ends with. */
int invocation_end(struct invocation *invocation, struct report *report, int status);
/* The same without anything but the diagnostics to show. */
int invocation_fail(struct invocation *invocation, int status);

#endif
