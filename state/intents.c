#include "state/intents.h"

#include "state/watched.h"

static const char *const outcome_words[] = {
	[OUTCOME_DONE] = "done",
	[OUTCOME_FAILED] = "failed",
	[OUTCOME_ABSENT] = "absent",
	[OUTCOME_FORGOTTEN] = "forgotten",
};
const struct names outcome_names = NAMES(outcome_words);

static bool is_moment(int64_t ms)
{
	return ms >= 0 && ms <= DATABASE_LATEST_MS;
}

static bool intent_read(const struct query *query, struct arena *arena, struct intent *ret,
			struct diagnostics *diagnostics)
{
	struct intent intent = {
		.address = query_column_copy(query, 2, arena),
		.kind = query_column_copy(query, 3, arena),
		.operation = query_column_copy(query, 4, arena),
		.recipe = recipe_named(query_column_text(query, 5)),
		.parameters = query_column_copy(query, 6, arena),
		.identity = query_column_copy(query, 7, arena),
		.token = query_column_copy(query, 8, arena),
		.wall_ms = query_column_integer(query, 9),
		.creates = query_column_integer(query, 10) != 0,
		.sealed = query_column_copy(query, 11, arena),
		.run = query_column_copy(query, 12, arena),
		.sent_ms = query_column_integer(query, 13),
	};

	if (!query_column_id(query, 0, arena, &intent.id, diagnostics) ||
	    !query_column_id(query, 1, arena, &intent.object_id, diagnostics))
		return false;
	int64_t wrong_ms = is_moment(intent.wall_ms) ? intent.sent_ms : intent.wall_ms;
	if (!is_moment(wrong_ms))
		return database_damaged(query->database, diagnostics, "a call about '%.*s' was sent at %lld ms",
					SLICE_ARGUMENTS(intent.address), (long long)wrong_ms);
	*ret = intent;
	return true;
}

static bool intents_read(struct database *database, struct arena *arena, struct intent *intents, size_t capacity,
			 size_t *ret_count, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_INTENTS);
	size_t count = 0;
	bool row;

	while (query_next(&query, &row, diagnostics)) {
		if (!row) {
			*ret_count = count;
			return true;
		}
		if (count == capacity)
			return database_damaged(database, diagnostics, "more intents than its index says");
		if (!intent_read(&query, arena, &intents[count++], diagnostics))
			return false;
	}
	return false;
}

bool intents_open(struct database *database, struct arena *arena, struct intent **ret, size_t *ret_count,
		  struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_INTENT_COUNT);
	struct intent *intents;
	size_t capacity;
	bool row;

	if (!query_next(&query, &row, diagnostics))
		return false;
	capacity = row ? (size_t)query_column_integer(&query, 0) : 0;
	intents = arena_new_array(arena, capacity, struct intent);
	if (!intents_read(database, arena, intents, capacity, ret_count, diagnostics))
		return false;
	*ret = intents;
	return true;
}

static bool renew(struct database *database, const struct intent *intent, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_INTENT_RENEW);

	query_integer(&query, intent->wall_ms);
	query_integer(&query, intent->sent_ms);
	query_text(&query, slice_of(recipe_name(intent->recipe)));
	query_id(&query, intent->id);
	if (!query_run(&query, diagnostics))
		return false;
	return query_changes(&query) == 1 ||
	       diag_error(diagnostics, FAULT_INTERNAL, NOWHERE,
			  "the intent %.*s cannot be recorded anew: it is not open", SLICE_ARGUMENTS(intent->id));
}

bool intents_add(struct database *database, const struct intent *intent, int64_t run_number,
		 struct diagnostics *diagnostics)
{
	if (intent->renewed)
		return renew(database, intent, diagnostics);
	QUERY_AUTO query = query_start(database, STATEMENT_INTENT_INSERT);

	query_id(&query, intent->id);
	query_integer(&query, run_number);
	query_id(&query, intent->object_id);
	query_text(&query, intent->address);
	query_text(&query, intent->kind);
	query_text(&query, intent->operation);
	query_text(&query, slice_of(recipe_name(intent->recipe)));
	query_text(&query, intent->parameters);
	query_text(&query, intent->identity);
	query_text(&query, intent->token);
	query_integer(&query, intent->wall_ms);
	query_integer(&query, intent->creates);
	query_text(&query, intent->sealed);
	query_integer(&query, intent->sent_ms);
	return query_run(&query, diagnostics);
}

bool intents_reseal(struct database *database, const struct intent *intent, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_INTENT_RESEAL);

	query_text(&query, intent->sealed);
	query_id(&query, intent->id);
	return query_run(&query, diagnostics);
}

bool intents_correct(struct database *database, const struct intent_close *close, int64_t wall_ms,
		     struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_INTENT_CORRECT);

	query_text(&query, slice_of(outcome_words[close->outcome]));
	query_text(&query, close->note);
	query_integer(&query, wall_ms);
	query_id(&query, close->id);
	if (!query_run(&query, diagnostics))
		return false;
	if (query_changes(&query) != 1)
		return diag_error(diagnostics, FAULT_INTERNAL, NOWHERE,
				  "the outcome of intent %.*s cannot be corrected: none is recorded",
				  SLICE_ARGUMENTS(close->id));
	return close->outcome != OUTCOME_ABSENT || watched_add_call(database, close->id, diagnostics);
}

bool intents_close(struct database *database, const struct intent_close *close, int64_t run_number, int64_t wall_ms,
		   struct diagnostics *diagnostics)
{
	QUERY_AUTO record = query_start(database, STATEMENT_INTENT_RECORD);
	QUERY_AUTO forget = query_start(database, STATEMENT_INTENT_DELETE);

	query_integer(&record, run_number);
	query_text(&record, slice_of(outcome_words[close->outcome]));
	query_text(&record, close->note);
	query_integer(&record, wall_ms);
	query_id(&record, close->id);
	if (!query_run(&record, diagnostics))
		return false;
	if (query_changes(&record) != 1)
		return diag_error(diagnostics, FAULT_INTERNAL, NOWHERE,
				  "the outcome of intent %.*s cannot be recorded: no such intent is open",
				  SLICE_ARGUMENTS(close->id));
	if (close->outcome == OUTCOME_ABSENT && !watched_add_intent(database, close->id, wall_ms, diagnostics))
		return false;
	query_id(&forget, close->id);
	return query_run(&forget, diagnostics);
}

bool intents_rename(struct database *database, const struct renaming *renaming, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(database, STATEMENT_INTENTS_RENAME);

	query_text(&query, renaming->to);
	query_text(&query, renaming->from);
	return query_run(&query, diagnostics);
}
