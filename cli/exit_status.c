#include "cli/exit_status.h"

/* Those that ask for another status than STATUS_ERROR, the most telling first. */
static const struct {
	enum fault fault;
	enum exit_status status;
} by_fault[] = {
	{FAULT_LEASE, STATUS_LEASE},
	{FAULT_STALE, STATUS_REFUSED},
	{FAULT_BUDGET, STATUS_BUDGET},
	{FAULT_USAGE, STATUS_USAGE},
	/* Last: any other error says more. */
	{FAULT_UNREAD, STATUS_INCOMPLETE},
};

static const struct {
	enum exit_status status;
	const char *about;
} meanings[] = {
	{STATUS_FINE, "fine"},
	{STATUS_ERROR, "an error"},
	{STATUS_CHANGES, "drift, or changes under --detailed-exitcode"},
	{STATUS_INCOMPLETE, "something could not be read, or the outcome of an earlier call is not known yet"},
	{STATUS_REFUSED,
	 "refused: the plan no longer fits (plan again), its digest is another, or the state seems lost"},
	{STATUS_LEASE, "another run holds the stack"},
	{STATUS_BUDGET, "refused: more deletions than allowed"},
	{STATUS_PARTLY, "partly applied: see to the errors, then run again to resume; or applied, and the report could "
			"not be written; or an undo cannot take back all that the run did"},
	{STATUS_USAGE, "the command line is wrong"},
	{STATUS_INTERRUPTED, "interrupted, and everything done is recorded; 143 by SIGTERM, 129 by SIGHUP"},
	{STATUS_UNREAD_OUTPUT, "the reader of a command that only reads closed the output early, as 'head' does"},
};

static bool has_fault(const struct diagnostics *diagnostics, enum fault fault)
{
	for (size_t i = 0; i < diagnostics->count; i++)
		if (diagnostics->items[i].severity == SEVERITY_ERROR && diagnostics->items[i].fault == fault)
			return true;
	return false;
}

int exit_status_of(const struct diagnostics *diagnostics, int otherwise)
{
	if (diagnostics->error_count == 0)
		return otherwise;
	for (size_t i = 0; i < sizeof(by_fault) / sizeof(by_fault[0]); i++)
		/* Where a part was applied, the rest is what the next run is for. */
		if (has_fault(diagnostics, by_fault[i].fault) &&
		    !(by_fault[i].fault == FAULT_STALE && otherwise == STATUS_PARTLY))
			return (int)by_fault[i].status;
	return otherwise == STATUS_PARTLY ? STATUS_PARTLY : STATUS_ERROR;
}

const char *exit_status_about(size_t row, int *ret_status)
{
	if (row >= sizeof(meanings) / sizeof(meanings[0]))
		return NULL;
	*ret_status = (int)meanings[row].status;
	return meanings[row].about;
}
