#include "state/watched.h"

static bool run_about(struct database *database, enum statement statement, struct slice id,
		      struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, statement);

	query_id(&query, id);
	return query_run(&query, diagnostics);
}

static bool add(struct database *database, enum statement statement, int64_t wall_ms, struct slice id,
		struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, statement);

	query_integer(&query, wall_ms);
	query_id(&query, id);
	return query_run(&query, diagnostics);
}

bool watched_add_intent(struct database *database, struct slice intent, int64_t wall_ms,
			struct diagnostics *diagnostics)
{
	return add(database, STATEMENT_WATCH_INTENT, wall_ms, intent, diagnostics);
}

bool watched_add_call(struct database *database, struct slice intent, struct diagnostics *diagnostics)
{
	return run_about(database, STATEMENT_WATCH_CALL, intent, diagnostics);
}

bool watched_add_object(struct database *database, struct slice object_id, int64_t wall_ms,
			struct diagnostics *diagnostics)
{
	return add(database, STATEMENT_WATCH_OBJECT, wall_ms, object_id, diagnostics);
}

bool watched_drop(struct database *database, struct slice object_id, struct diagnostics *diagnostics)
{
	return run_about(database, STATEMENT_WATCH_NO_MORE, object_id, diagnostics);
}

bool watched_prune(struct database *database, int64_t wall_ms, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_WATCHED_PRUNE);

	query_integer(&query, wall_ms - WATCHED_MS);
	return query_run(&query, diagnostics);
}

static bool read_one(struct database *database, const struct query *query, struct arena *arena, struct watched *ret,
		     struct diagnostics *diagnostics)
{
	struct slice identity = query_column_text(query, 1);

	*ret = (struct watched){
		.kind = query_column_copy(query, 0, arena),
		.has_identity = identity.size > 0,
		.address = query_column_copy(query, 2, arena),
		.provider_id = query_column_copy(query, 3, arena),
	};
	return !ret->has_identity || identity_read(arena, identity, &ret->identity) ||
	       database_damaged(database, diagnostics, "what is watched of '%.*s' has no readable identity",
				SLICE_ARGUMENTS(ret->address));
}

bool watched_read(struct database *database, struct arena *arena, int64_t wall_ms, struct watched **ret,
		  size_t *ret_count, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_WATCHED);
	struct watched *all = NULL;
	size_t count = 0, capacity = 0;
	bool row;

	query_integer(&query, wall_ms - WATCHED_MS);
	while (query_next(&query, &row, diagnostics)) {
		if (!row) {
			*ret = all;
			*ret_count = count;
			return true;
		}
		all = (struct watched *)arena_room(arena, all, count, &capacity, sizeof(*all));
		if (!read_one(database, &query, arena, &all[count++], diagnostics))
			return false;
	}
	return false;
}
