#ifndef TRUEUP_RECONCILE_FORECAST_H
#define TRUEUP_RECONCILE_FORECAST_H

#include "reconcile/loop.h"
#include "reconcile/phases.h"
#include "reconcile/store.h"

/*
 * How long the steps of a plan usually take, by what earlier runs recorded, and how long what is left of them may
 * take. A step is one phase of one action; its time is what it took from its own first step to its end, waits for
 * the service included, and waits for its turn left out.
 */

enum { FORECAST_UNKNOWN = -1 };

enum forecast_state {
	FORECAST_WAITS,
	FORECAST_RUNS,
	FORECAST_DONE,
	FORECAST_DROPPED, /* failed, skipped, or left */
};

struct sort_of_step;

struct forecast_step {
	int64_t usual_ms; /* or FORECAST_UNKNOWN */
	int64_t path_ms;  /* the longest way from its start to the end of the plan, in usual times */
	int64_t began_ms; /* boot clock; FORECAST_RUNS alone */
	enum forecast_state state;
	struct sort_of_step *sort;
};

struct forecast {
	const struct plan *plan;
	struct arena *arena;
	struct forecast_kind *kinds;  /* of the plan, each once */
	const uint32_t *kind_numbers; /* parallel to the plan's actions: indexes of kinds */
	size_t kind_count;
	bool any_known;
	struct forecast_step *steps; /* parallel to the nodes of the phases; NULL until they are ordered */
	size_t step_count;
	int64_t *usual_ms; /* parallel to the plan's actions; NULL until they are ordered, or where none is known */
	struct crowd crowd;
};

/* times: as of store_ops.times, the newest first. All is kept in arena. O(actions + times). */
void forecast_init(struct forecast *forecast, const struct plan *plan, const struct step_time *times, size_t count,
		   struct arena *arena);
/* The order that the plan is carried out in. */
void forecast_order(struct forecast *forecast, const struct phases *phases);
void forecast_begin(struct forecast *forecast, size_t node, int64_t now_ms);
/* held_ms: how much of its time it waited for its turn. */
void forecast_end(struct forecast *forecast, size_t node, bool done, int64_t now_ms, int64_t held_ms);
/* What to record: the last times of each sort among the steps that are done, at most STEP_TIMES_KEPT, in arena. */
void forecast_times(const struct forecast *forecast, struct step_time **ret, size_t *ret_count);

/* How long the action's steps usually take together: FORECAST_UNKNOWN where that is not known of each of them. */
int64_t forecast_usual_ms(const struct forecast *forecast, size_t action);
/*
 * How long what is left may take: the longest way through it, or, where steps have waited for their turn (for one of
 * the calls that may be in flight at once, or for a rate limit), as long as so many took so far, whichever is more.
 * FORECAST_UNKNOWN where the usual time is known of less than half of what is left, where steps wait for their turn and
 * it is too early to say how fast that goes, or where the longest way leads over a step that has taken far longer than
 * it usually does.
 */
int64_t forecast_left_ms(const struct forecast_step *steps, size_t count, const struct crowd *crowd, int64_t now_ms);

#endif
