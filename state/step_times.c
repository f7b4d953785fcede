#include "state/step_times.h"

bool step_times_read(struct database *database, struct arena *arena, struct step_time **ret, size_t *ret_count,
		     struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_STEP_TIMES);
	struct step_time *times = NULL;
	size_t count = 0, capacity = 0;
	bool row;

	while (query_next(&query, &row, diagnostics)) {
		if (!row) {
			*ret = times;
			*ret_count = count;
			return true;
		}
		times = (struct step_time *)arena_room(arena, times, count, &capacity, sizeof(*times));
		times[count++] = (struct step_time){
			.kind = query_column_copy(&query, 0, arena),
			.operation = query_column_copy(&query, 1, arena),
			.phase = query_column_copy(&query, 2, arena),
			.took_ms = query_column_integer(&query, 3),
		};
	}
	return false;
}

static bool add(struct database *database, const struct step_time *time, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_STEP_TIME_INSERT);

	query_text(&query, time->kind);
	query_text(&query, time->operation);
	query_text(&query, time->phase);
	query_integer(&query, time->took_ms);
	return query_run(&query, diagnostics);
}

bool step_times_write(struct database *database, const struct step_time *times, size_t count,
		      struct diagnostics *diagnostics)
{
	if (count == 0)
		return true;
	for (size_t i = 0; i < count; i++) {
		if (!add(database, &times[i], diagnostics))
			return false;
	}
	QUERY_AUTO full = query_start(database, STATEMENT_STEP_TIMES_FULL);
	bool is_full;

	query_integer(&full, STEP_TIMES_KEPT);
	if (!query_next(&full, &is_full, diagnostics))
		return false;
	if (!is_full)
		return true;
	QUERY_AUTO query = query_start(database, STATEMENT_STEP_TIMES_PRUNE);
	query_integer(&query, STEP_TIMES_KEPT);
	return query_run(&query, diagnostics);
}
