#include "state/history.h"

/* The integer that a started query gives, 0 without a row. */
static bool read_count(struct query *query, size_t *ret, struct diagnostics *diagnostics)
{
	int64_t count = 0;
	bool row;

	if (!query_next(query, &row, diagnostics))
		return false;
	if (row)
		count = query_column_integer(query, 0);
	*ret = count > 0 ? (size_t)count : 0;
	return true;
}

static bool run_read(const struct query *query, struct arena *arena, struct run_record *ret,
		     struct diagnostics *diagnostics)
{
	struct run_record run = {
		.command = query_column_copy(query, 1, arena),
		.plan_digest = query_column_copy(query, 2, arena),
		.host = query_column_copy(query, 3, arena),
		.process = query_column_integer(query, 4),
		.started_ms = query_column_integer(query, 5),
		.ended_ms = query_column_integer(query, 6),
		.outcome = query_column_copy(query, 7, arena),
		.call_count = query_column_integer(query, 8),
		.open_count = query_column_integer(query, 9),
	};

	if (!query_column_id(query, 0, arena, &run.id, diagnostics))
		return false;
	*ret = run;
	return true;
}

bool history_runs(struct database *database, struct arena *arena, struct run_record **ret, size_t *ret_count,
		  struct diagnostics *diagnostics)
{
	QUERY_AUTO counting = query_start(database, STATEMENT_RUN_COUNT);
	QUERY_AUTO query = query_start(database, STATEMENT_RUNS);
	struct run_record *runs;
	size_t capacity, count = 0;
	bool row;

	if (!read_count(&counting, &capacity, diagnostics))
		return false;
	runs = arena_new_array(arena, capacity, struct run_record);
	while (query_next(&query, &row, diagnostics)) {
		if (!row) {
			*ret = runs;
			*ret_count = count;
			return true;
		}
		if (count == capacity)
			return database_damaged(database, diagnostics, "more runs than its index says");
		if (!run_read(&query, arena, &runs[count++], diagnostics))
			return false;
	}
	return false;
}

static bool call_read(const struct query *query, struct arena *arena, struct call_record *ret,
		      struct diagnostics *diagnostics)
{
	struct call_record call = {
		.address = query_column_copy(query, 0, arena),
		.kind = query_column_copy(query, 2, arena),
		.operation = query_column_copy(query, 3, arena),
		.outcome = query_column_copy(query, 4, arena),
		.note = query_column_copy(query, 5, arena),
		.sent_ms = query_column_integer(query, 6),
		.ended_ms = query_column_integer(query, 7),
	};

	/* STATEMENT_INTENT_RECORD puts the other run's name there, in brackets. */
	call.settled_later = slice_ends_with(call.note, SLICE(")"));
	if (!query_column_id(query, 1, arena, &call.object_id, diagnostics) ||
	    !query_column_id(query, 8, arena, &call.run, diagnostics))
		return false;
	*ret = call;
	return true;
}

bool history_calls(struct database *database, struct arena *arena, struct slice first, struct slice last,
		   struct call_record **ret, size_t *ret_count, struct diagnostics *diagnostics)
{
	QUERY_AUTO counting = query_start(database, STATEMENT_CALL_COUNT);
	QUERY_AUTO query = query_start(database, STATEMENT_CALLS);
	struct call_record *calls;
	size_t capacity, count = 0;
	bool row;

	query_id(&counting, first);
	query_id(&counting, last);
	query_id(&query, first);
	query_id(&query, last);
	if (!read_count(&counting, &capacity, diagnostics))
		return false;
	calls = arena_new_array(arena, capacity, struct call_record);
	while (query_next(&query, &row, diagnostics)) {
		if (!row) {
			*ret = calls;
			*ret_count = count;
			return true;
		}
		if (count == capacity)
			return database_damaged(database, diagnostics, "more calls than its index says");
		if (!call_read(&query, arena, &calls[count++], diagnostics))
			return false;
	}
	return false;
}
