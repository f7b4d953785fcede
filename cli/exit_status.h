#ifndef TRUEUP_CLI_EXIT_STATUS_H
#define TRUEUP_CLI_EXIT_STATUS_H

#include "base/diag.h"

/* What the program ends with; scripts rely on these numbers. */
enum exit_status {
	STATUS_FINE = 0,
	STATUS_ERROR = 1,
	STATUS_CHANGES = 2,    /* drift, or changes under --detailed-exitcode */
	STATUS_INCOMPLETE = 3, /* something could not be read: outranks STATUS_CHANGES */
	STATUS_REFUSED = 4,    /* stale plan or wrong digest */
	STATUS_LEASE = 5,      /* another run holds the stack */
	STATUS_BUDGET = 6,     /* more deletions than allowed */
	STATUS_PARTLY = 7,     /* partly applied: run again to resume; or applied, and not told; or not all undone */
	STATUS_USAGE = 64,     /* EX_USAGE of sysexits.h */
	STATUS_SIGNAL = 128,
	STATUS_UNREAD_OUTPUT = 141, /* STATUS_SIGNAL and SIGPIPE, of which other programs end then */
	STATUS_INTERRUPTED = 130,   /* STATUS_SIGNAL and SIGINT; 143 for SIGTERM, 129 for SIGHUP */
};

/* The status that the errors ask for, the most telling one first; `otherwise` without errors. */
int exit_status_of(const struct diagnostics *diagnostics, int otherwise);
/* "exit code", what it means: one row of a table for help; NULL past the last. */
const char *exit_status_about(size_t row, int *ret_status);

#endif
