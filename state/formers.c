#include "state/formers.h"

#include "state/objects.h"

/* Columns behind those of the head. */
enum {
	FORMER_ADDRESS = 0,
	FORMER_OBJECT_ID = 2,
	FORMER_EXISTED = 14,
	FORMER_BODY,
	FORMER_RUN, /* of what the run itself found its number, of what the next one found its id */
	FORMER_COMMAND,
};

void formers_init(struct formers *formers)
{
	arena_init(&formers->arena);
	map_init(&formers->object_ids);
}

void formers_release(struct formers *formers)
{
	map_release(&formers->object_ids);
	arena_release(&formers->arena);
}

void formers_note(struct formers *formers, struct slice object_id)
{
	if (!map_has(&formers->object_ids, object_id))
		map_mark(&formers->object_ids, arena_copy(&formers->arena, object_id));
}

bool formers_keep(const struct formers *formers, struct database *database, int64_t run_number, struct slice object_id,
		  struct slice address, struct diagnostics *diagnostics)
{
	if (map_has(&formers->object_ids, object_id))
		return true;
	QUERY_AUTO query = query_start(database, STATEMENT_FORMER_KEEP);

	query_id(&query, object_id);
	query_integer(&query, run_number);
	query_text(&query, address);
	return query_run(&query, diagnostics);
}

bool formers_settle(struct database *database, struct slice intent, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_FORMER_SETTLE);

	query_id(&query, intent);
	return query_run(&query, diagnostics);
}

bool formers_prune(struct database *database, int64_t run_number, int64_t wall_ms, struct diagnostics *diagnostics)
{
	/* All the runs that there ever were are among the newest. */
	if (run_number <= FORMERS_KEPT_RUNS)
		return true;
	QUERY_AUTO query = query_start(database, STATEMENT_FORMERS_PRUNE);

	query_integer(&query, run_number - FORMERS_KEPT_RUNS);
	query_integer(&query, wall_ms - FORMERS_KEPT_MS);
	return query_run(&query, diagnostics);
}

static bool read_form(const struct query *query, struct arena *arena, bool *ret_existed, struct object *ret,
		      struct slice *ret_body, struct diagnostics *diagnostics)
{
	*ret_existed = query_column_integer(query, FORMER_EXISTED) != 0;
	if (*ret_existed) {
		*ret_body = query_column_copy(query, FORMER_BODY, arena);
		return objects_read_head(query, arena, ret, diagnostics);
	}
	ret->address = query_column_copy(query, FORMER_ADDRESS, arena);
	return query_column_id(query, FORMER_OBJECT_ID, arena, &ret->object_id, diagnostics);
}

/* What is recorded of the object now. */
static bool read_now(struct database *database, struct arena *arena, struct past_object *past,
		     struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_OBJECT);
	bool row;

	query_id(&query, past->before.object_id);
	return query_next(&query, &row, diagnostics) &&
	       (!row || read_form(&query, arena, &past->is, &past->after, &past->after_body, diagnostics));
}

static bool read_after(struct database *database, struct arena *arena, int64_t run_number, struct past_object *past,
		       struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_FORMER_NEXT);
	bool row;

	query_id(&query, past->before.object_id);
	query_integer(&query, run_number);
	if (!query_next(&query, &row, diagnostics))
		return false;
	if (!row)
		return read_now(database, arena, past, diagnostics);
	past->next_command = query_column_copy(&query, FORMER_COMMAND, arena);
	return query_column_id(&query, FORMER_RUN, arena, &past->next_run, diagnostics) &&
	       read_form(&query, arena, &past->is, &past->after, &past->after_body, diagnostics);
}

static bool count_rows(struct database *database, struct slice run, size_t *ret, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_FORMER_COUNT);
	bool row;

	query_id(&query, run);
	if (!query_next(&query, &row, diagnostics))
		return false;
	*ret = row ? (size_t)query_column_integer(&query, 0) : 0;
	return true;
}

bool formers_of(struct database *database, struct arena *arena, struct slice run, struct past_object **ret,
		size_t *ret_count, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_FORMERS);
	struct past_object *all;
	size_t capacity, count = 0;
	bool row;

	if (!count_rows(database, run, &capacity, diagnostics))
		return false;
	all = arena_new_array(arena, capacity + 1, struct past_object);
	query_id(&query, run);
	while (query_next(&query, &row, diagnostics)) {
		struct past_object *past = &all[count];

		if (!row) {
			*ret = all;
			*ret_count = count;
			return true;
		}
		if (count++ == capacity)
			return database_damaged(database, diagnostics, "more former objects than its index says");
		if (!read_form(&query, arena, &past->was, &past->before, &past->before_body, diagnostics) ||
		    !read_after(database, arena, query_column_integer(&query, FORMER_RUN), past, diagnostics))
			return false;
	}
	return false;
}

bool formers_beside(struct database *database, struct arena *arena, struct slice run, struct past_object **ret,
		    size_t *ret_count, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_BESIDE);
	struct past_object *all = NULL;
	size_t count = 0, capacity = 0;
	bool row;

	query_id(&query, run);
	while (query_next(&query, &row, diagnostics)) {
		if (!row) {
			*ret = all;
			*ret_count = count;
			return true;
		}
		all = arena_room(arena, all, count, &capacity, sizeof(*all));
		struct past_object *past = &all[count++];

		*past = (struct past_object){0};
		if (!read_form(&query, arena, &past->was, &past->before, &past->before_body, diagnostics))
			return false;
	}
	return false;
}
