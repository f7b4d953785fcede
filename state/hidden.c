#include "state/hidden.h"

struct hidden_body {
	enum statement rewrites;
	int64_t number;
	struct slice before, after;
};

void hidden_init(struct hidden *hidden, struct database *database, const struct store_hider *hider)
{
	*hidden = (struct hidden){.database = database, .hider = hider};
	arena_init(&hidden->arena);
}

void hidden_release(struct hidden *hidden)
{
	arena_release(&hidden->arena);
}

static void judge(struct hidden *hidden, const struct query *query, enum statement rewrites, struct arena *scratch)
{
	const struct store_hider *hider = hidden->hider;
	struct arena *arena = &hidden->arena;
	struct slice body = query_column_text(query, 3);
	struct slice after =
		hider->hide(hider->context, query_column_text(query, 1), query_column_text(query, 2), body, scratch);

	if (slice_equal(body, after))
		return;
	hidden->bodies = arena_room(arena, hidden->bodies, hidden->count, &hidden->capacity, sizeof(*hidden->bodies));
	hidden->bodies[hidden->count++] = (struct hidden_body){
		.rewrites = rewrites,
		.number = query_column_integer(query, 0),
		.before = arena_copy(arena, body),
		.after = arena_copy(arena, after),
	};
}

static bool find_in(struct hidden *hidden, enum statement all, enum statement rewrites, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(hidden->database, all);
	struct arena scratch;
	bool row = true, good = true;

	arena_init(&scratch);
	while (good && row) {
		good = query_next(&query, &row, diagnostics);
		if (good && row)
			judge(hidden, &query, rewrites, &scratch);
		arena_reset(&scratch);
	}
	arena_release(&scratch);
	return good;
}

bool hidden_find(void *hidden, struct diagnostics *diagnostics)
{
	return find_in(hidden, STATEMENT_BODIES_TOLD, STATEMENT_BODY_HIDE, diagnostics) &&
	       find_in(hidden, STATEMENT_FORMERS_TOLD, STATEMENT_FORMER_HIDE, diagnostics);
}

bool hidden_write(const struct hidden *hidden, struct database *database, struct diagnostics *diagnostics)
{
	for (size_t i = 0; i < hidden->count; i++) {
		const struct hidden_body *body = &hidden->bodies[i];
		QUERY_AUTO query = query_start(database, body->rewrites);

		query_integer(&query, body->number);
		query_text(&query, body->before);
		query_text(&query, body->after);
		if (!query_run(&query, diagnostics))
			return false;
	}
	return true;
}
