#include "reconcile/forecast.h"

#include "base/map.h"

enum {
	/* So long steps must have waited for their turn before that says how fast it goes. */
	CROWD_LEAST_MS = 5000,
	/* No call is answered sooner: a step that usually is over by then makes none, and needs no turn. */
	CALL_LEAST_MS = 5,
	/* What takes so much longer than twice its usual time may take for ever. */
	OVERDUE_LEAST_MS = 30 * 1000,
};

/* Nothing is waited for that long: a record that says so is damaged. */
#define TOOK_MOST_MS ((int64_t)7 * 24 * 60 * 60 * 1000)

/* The times of one sort of step: first those that were recorded, then those of this run. */
struct sort_of_step {
	int64_t usual_ms;
	int64_t took_ms[STEP_TIMES_KEPT]; /* a ring */
	size_t count;			  /* of all that were put in */
};

struct forecast_kind {
	const struct kind *kind;
	struct sort_of_step sorts[OPERATION_COUNT][PHASE_COUNT];
};

static void sort_add(struct sort_of_step *sort, int64_t took_ms)
{
	sort->took_ms[sort->count++ % STEP_TIMES_KEPT] = took_ms;
}

/* The middle one; of two, the longer. Times are few: each is moved to its place among those before it. */
static int64_t sort_median_ms(const struct sort_of_step *sort)
{
	int64_t ordered[STEP_TIMES_KEPT] = {0};

	for (size_t i = 0; i < sort->count; i++) {
		size_t place = i;

		for (; place > 0 && ordered[place - 1] > sort->took_ms[i]; place--)
			ordered[place] = ordered[place - 1];
		ordered[place] = sort->took_ms[i];
	}
	return sort->count > 0 ? ordered[sort->count / 2] : FORECAST_UNKNOWN;
}

/* Actions of one kind mostly stand together. */
static void find_kinds(struct forecast *forecast, struct map *by_name)
{
	const struct plan *plan = forecast->plan;
	size_t capacity = 0;
	uint32_t *numbers = arena_new_array(forecast->arena, plan->action_count + 1, uint32_t);

	for (size_t i = 0; i < plan->action_count; i++) {
		const struct kind *kind = plan->actions[i].kind;
		struct slice name = slice_of(kind->name);

		if (i > 0 && plan->actions[i - 1].kind == kind) {
			numbers[i] = numbers[i - 1];
			continue;
		}
		size_t number = map_number(by_name, name);
		if (number == SIZE_MAX) {
			forecast->kinds = arena_room(forecast->arena, forecast->kinds, forecast->kind_count, &capacity,
						     sizeof(*forecast->kinds));
			number = forecast->kind_count++;
			forecast->kinds[number] = (struct forecast_kind){.kind = kind};
			map_set_number(by_name, name, number);
		}
		numbers[i] = (uint32_t)number;
	}
	forecast->kind_numbers = numbers;
}

/* What another version of the program wrote may be of a kind, an operation or a phase that this one does not know. */
static void take_time(struct forecast *forecast, const struct map *by_name, const struct step_time *time)
{
	size_t number = map_number(by_name, time->kind);
	int operation = names_find(&operation_names, time->operation);
	int phase = names_find(&phase_names, time->phase);

	if (number == SIZE_MAX || operation < 0 || phase < 0 || time->took_ms < 0 || time->took_ms > TOOK_MOST_MS)
		return;
	struct sort_of_step *sort = &forecast->kinds[number].sorts[operation][phase];
	if (sort->count < STEP_TIMES_KEPT)
		sort_add(sort, time->took_ms);
	forecast->any_known = true;
}

void forecast_init(struct forecast *forecast, const struct plan *plan, const struct step_time *times, size_t count,
		   struct arena *arena)
{
	struct map by_name;

	*forecast = (struct forecast){.plan = plan, .arena = arena};
	map_init(&by_name);
	find_kinds(forecast, &by_name);
	for (size_t i = 0; i < count; i++)
		take_time(forecast, &by_name, &times[i]);
	for (size_t i = 0; i < forecast->kind_count; i++) {
		struct sort_of_step *sorts = forecast->kinds[i].sorts[0];

		for (size_t k = 0; k < OPERATION_COUNT * PHASE_COUNT; k++) {
			sorts[k].usual_ms = sort_median_ms(&sorts[k]);
			sorts[k].count = 0;
		}
	}
	map_release(&by_name);
}

static struct sort_of_step *sort_of(const struct forecast *forecast, const struct phases *phases, size_t node)
{
	size_t action = phases->actions[node];
	enum operation operation = forecast->plan->actions[action].operation;

	return &forecast->kinds[forecast->kind_numbers[action]].sorts[operation][phases->kinds[node]];
}

static void add_paths(struct forecast *forecast, const struct graph *graph)
{
	struct arena scratch;
	uint32_t *cycle;
	size_t cycle_count;

	arena_init(&scratch);
	int64_t *weights = arena_new_array(&scratch, forecast->step_count + 1, int64_t);
	int64_t *paths = arena_new_array(&scratch, forecast->step_count + 1, int64_t);
	for (size_t i = 0; i < forecast->step_count; i++)
		weights[i] = forecast->steps[i].usual_ms > 0 ? forecast->steps[i].usual_ms : 0;
	/* What has an order has no cycle. */
	if (graph_remaining(graph, weights, paths, &scratch, &cycle, &cycle_count))
		for (size_t i = 0; i < forecast->step_count; i++)
			forecast->steps[i].path_ms = paths[i];
	arena_release(&scratch);
}

static void add_usual_times(struct forecast *forecast, const struct phases *phases)
{
	int64_t *usual_ms = arena_new_array(forecast->arena, forecast->plan->action_count + 1, int64_t);

	for (size_t i = 0; i < forecast->step_count; i++) {
		int64_t *whole_ms = &usual_ms[phases->actions[i]], step_ms = forecast->steps[i].usual_ms;

		if (*whole_ms != FORECAST_UNKNOWN)
			*whole_ms = step_ms == FORECAST_UNKNOWN ? FORECAST_UNKNOWN : *whole_ms + step_ms;
	}
	forecast->usual_ms = usual_ms;
}

void forecast_order(struct forecast *forecast, const struct phases *phases)
{
	forecast->step_count = phases->node_count;
	forecast->steps = arena_new_array(forecast->arena, phases->node_count + 1, struct forecast_step);
	for (size_t i = 0; i < forecast->step_count; i++) {
		forecast->steps[i].sort = sort_of(forecast, phases, i);
		forecast->steps[i].usual_ms = forecast->steps[i].sort->usual_ms;
	}
	if (!forecast->any_known)
		return;
	add_paths(forecast, &phases->graph);
	add_usual_times(forecast, phases);
}

void forecast_begin(struct forecast *forecast, size_t node, int64_t now_ms)
{
	forecast->steps[node].state = FORECAST_RUNS;
	forecast->steps[node].began_ms = now_ms;
}

void forecast_end(struct forecast *forecast, size_t node, bool done, int64_t now_ms, int64_t held_ms)
{
	struct forecast_step *step = &forecast->steps[node];
	int64_t took_ms = now_ms - step->began_ms - held_ms;

	if (done && step->state == FORECAST_RUNS)
		sort_add(step->sort, took_ms > 0 ? took_ms : 0);
	step->state = done ? FORECAST_DONE : FORECAST_DROPPED;
}

void forecast_times(const struct forecast *forecast, struct step_time **ret, size_t *ret_count)
{
	struct step_time *times = NULL;
	size_t count = 0, capacity = 0;

	for (size_t i = 0; i < forecast->kind_count * OPERATION_COUNT * PHASE_COUNT; i++) {
		const struct forecast_kind *kind = &forecast->kinds[i / (OPERATION_COUNT * PHASE_COUNT)];
		size_t operation = i / PHASE_COUNT % OPERATION_COUNT, phase = i % PHASE_COUNT;
		const struct sort_of_step *sort = &kind->sorts[operation][phase];

		for (size_t k = sort->count > STEP_TIMES_KEPT ? sort->count - STEP_TIMES_KEPT : 0; k < sort->count;
		     k++) {
			times = arena_room(forecast->arena, times, count, &capacity, sizeof(*times));
			times[count++] = (struct step_time){
				.kind = slice_of(kind->kind->name),
				.operation = slice_of(operation_name((enum operation)operation)),
				.phase = slice_of(phase_name((enum phase)phase)),
				.took_ms = sort->took_ms[k % STEP_TIMES_KEPT],
			};
		}
	}
	*ret = times;
	*ret_count = count;
}

int64_t forecast_usual_ms(const struct forecast *forecast, size_t action)
{
	return forecast->usual_ms ? forecast->usual_ms[action] : FORECAST_UNKNOWN;
}

static int64_t way_left_ms(const struct forecast_step *step, int64_t now_ms)
{
	int64_t spent_ms = now_ms - step->began_ms;

	if (step->state != FORECAST_RUNS || step->usual_ms == FORECAST_UNKNOWN)
		return step->path_ms;
	return step->path_ms - (spent_ms < step->usual_ms ? spent_ms : step->usual_ms);
}

static bool is_overdue(const struct forecast_step *step, int64_t now_ms)
{
	return step->state == FORECAST_RUNS && step->usual_ms != FORECAST_UNKNOWN &&
	       now_ms - step->began_ms > 2 * step->usual_ms + OVERDUE_LEAST_MS;
}

int64_t forecast_left_ms(const struct forecast_step *steps, size_t count, const struct crowd *crowd, int64_t now_ms)
{
	size_t left = 0, known = 0, turns_left = 0, turns_done = 0;
	int64_t longest_ms = 0, turns_ms = 0;
	bool overdue = false;

	for (size_t i = 0; i < count; i++) {
		bool takes_turn = steps[i].usual_ms == FORECAST_UNKNOWN || steps[i].usual_ms >= CALL_LEAST_MS;
		turns_done += takes_turn && steps[i].state == FORECAST_DONE;
		if (steps[i].state >= FORECAST_DONE)
			continue;
		int64_t way_ms = way_left_ms(&steps[i], now_ms);
		left++;
		turns_left += takes_turn;
		known += steps[i].usual_ms != FORECAST_UNKNOWN;
		if (way_ms > longest_ms)
			overdue = is_overdue(&steps[i], now_ms);
		longest_ms = way_ms > longest_ms ? way_ms : longest_ms;
	}
	if (overdue || 2 * known < left || (crowd->now && crowd->lasted_ms < CROWD_LEAST_MS))
		return FORECAST_UNKNOWN;
	if (crowd->lasted_ms >= CROWD_LEAST_MS && turns_done > 0)
		turns_ms = crowd->lasted_ms * (int64_t)turns_left / (int64_t)turns_done;
	return turns_ms > longest_ms ? turns_ms : longest_ms;
}
