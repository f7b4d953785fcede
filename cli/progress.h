#ifndef TRUEUP_CLI_PROGRESS_H
#define TRUEUP_CLI_PROGRESS_H

#include "cli/invocation.h"
#include "reconcile/apply.h"
#include "reconcile/forecast.h"

/*
 * Shows what an apply is doing, on standard error: on a terminal a block of the running
 * actions that is redrawn in place, elsewhere a line at start and end of each and a sign
 * of life every half minute. Where earlier runs tell how long such actions take, that is
 * shown beside them, and how long what is left may take.
 */
struct action_progress {
	const struct action *action;
	struct action_progress *older, *newer; /* among those with a phase that runs */
	enum phase phase;		       /* that runs now */
	int64_t worked_ms;		       /* of phases that are over: not while it waited for others */
	int64_t began_ms;		       /* of what runs now */
	uint8_t phases_left;
	uint8_t running; /* phases */
	bool begun;
	bool ended;
	char refusal[64]; /* what the service called it when it last refused what is tried again; empty: it did not */
};

struct progress_view {
	struct invocation *invocation;
	const struct plan *plan;
	const struct forecast *forecast;
	bool terminal;
	struct action_progress *actions;	 /* parallel to the plan's */
	struct action_progress *oldest, *newest; /* with a phase that runs */
	size_t running_count;
	size_t total, ended;  /* actions */
	size_t lines;	      /* of the block that stands on the terminal */
	int64_t left_ms;      /* estimated last, or FORECAST_UNKNOWN */
	int64_t estimated_ms; /* when, by the world's clock */
	int64_t drawn_ms;     /* by the real clock, which people see */
	int64_t heard_ms;     /* last line, by the world's clock */
};

/* From here on the view is shown whenever the world waits. phase_counts: phases of each
 * action of the forecast's plan. */
void progress_open(struct progress_view *view, struct invocation *invocation, const struct forecast *forecast,
		   const uint8_t *phase_counts);
/* Takes the block off the terminal. */
void progress_close(struct progress_view *view);
/* Of struct apply; context: the view. */
void progress_tell(void *context, enum progress progress, const struct action *action, enum phase phase,
		   int64_t elapsed_ms);

/* Likewise: why what takes long does. */
void progress_refused(void *context, const struct action *action, struct slice code);

/* Of struct apply: says what an interrupted run still waits for. */
void progress_stopping(void *context, size_t calls);

/* Shows that the command goes on with what takes longer than a moment. */
struct waiting_view {
	struct invocation *invocation;
	const char *what;
	const struct loop *loop; /* whose calls are counted, or NULL */
	bool terminal;
	bool drawn;
	int64_t began_ms; /* both by the real clock */
	int64_t heard_ms;
};

void waiting_open(struct waiting_view *view, struct invocation *invocation, const char *what, const struct loop *loop);
void waiting_close(struct waiting_view *view);

/* "0.4 s", "12 s", "3 min 20 s". */
void print_duration(struct buffer *buffer, int64_t ms);
/* ", about 40 s left", ", about 12 min left", ", about 3 h left": in steps that do not claim to know better.
 * Nothing where ms is FORECAST_UNKNOWN, or where all has taken longer than usual. */
void print_estimate(struct buffer *buffer, int64_t ms);

#endif
