#include "state/past_calls.h"

#include "base/id.h"
#include "base/map.h"
#include "state/intents.h"

/* A question, beside the others about the same call or of the same provider's id. */
struct asked {
	const struct past_question *question;
	struct past_call *answer;
	uint8_t object_id[ID_BYTES];
	uint8_t intent[ID_BYTES];
	struct asked *next_of_call, *next_of_id;
};

struct asking {
	struct database *database;
	struct arena *arena;
	struct map by_call; /* by the intent's bytes, to the first struct asked */
	struct map by_id;   /* by the provider's id, likewise */
};

static void add(struct asking *asking, struct asked *asked)
{
	const struct past_question *question = asked->question;
	struct slice intent = {(const char *)asked->intent, ID_BYTES};

	/* The ids may be what anybody wrote into a tag. */
	if (id_read(question->intent, asked->intent)) {
		asked->next_of_call = map_get(&asking->by_call, intent);
		map_set(&asking->by_call, intent, asked);
	}
	if (question->object_id.size == 0 || id_read(question->object_id, asked->object_id)) {
		asked->next_of_id = map_get(&asking->by_id, question->provider_id);
		map_set(&asking->by_id, question->provider_id, asked);
	}
}

/* What the object was when a run last changed or deleted it; without an id where none did. */
static bool read_last(const struct asking *asking, struct slice object_id, struct past_call *ret,
		      struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(asking->database, STATEMENT_FORMER_LAST);
	bool row;

	query_blob(&query, object_id.data, object_id.size);
	if (!query_next(&query, &row, diagnostics))
		return false;
	ret->provider_id = row ? query_column_copy(&query, 0, asking->arena) : (struct slice){"", 0};
	ret->body = row ? query_column_copy(&query, 1, asking->arena) : (struct slice){"", 0};
	return true;
}

static bool answer_ended(const struct asking *asking, const struct query *query, struct asked *first,
			 struct diagnostics *diagnostics)
{
	int outcome = names_find(&outcome_names, query_column_text(query, 1));
	struct past_call past = {
		.known = true,
		.address = query_column_copy(query, 3, asking->arena),
		.kind = query_column_copy(query, 5, asking->arena),
		.ended_ms = query_column_integer(query, 2),
	};

	if (outcome >= 0)
		past.outcome = (enum outcome)outcome;
	if (!read_last(asking, query_column_blob(query, 4), &past, diagnostics))
		return false;
	for (struct asked *asked = first; asked; asked = asked->next_of_call)
		*asked->answer = past;
	return true;
}

static bool search_history(const struct asking *asking, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(asking->database, STATEMENT_HISTORY);
	bool row;

	while (query_next(&query, &row, diagnostics)) {
		if (!row)
			return true;
		struct asked *first = map_get(&asking->by_call, query_column_blob(&query, 0));
		if (first && !answer_ended(asking, &query, first, diagnostics))
			return false;
	}
	return false;
}

static bool search_open(const struct asking *asking, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(asking->database, STATEMENT_INTENT_ADDRESSES);
	bool row;

	while (query_next(&query, &row, diagnostics)) {
		if (!row)
			return true;
		for (struct asked *asked = map_get(&asking->by_call, query_column_blob(&query, 0)); asked;
		     asked = asked->next_of_call)
			*asked->answer = (struct past_call){
				.known = true,
				.is_open = true,
				.address = query_column_copy(&query, 1, asking->arena),
			};
	}
	return false;
}

/* After the other two, which give whole answers. */
static bool search_formers(const struct asking *asking, struct diagnostics *diagnostics)
{
	QUERY_AUTO query = query_start(asking->database, STATEMENT_FORMER_IDS);
	bool row;

	while (query_next(&query, &row, diagnostics)) {
		if (!row)
			return true;
		struct slice object_id = query_column_blob(&query, 1);
		for (struct asked *asked = map_get(&asking->by_id, query_column_text(&query, 0)); asked;
		     asked = asked->next_of_id) {
			if (asked->question->object_id.size > 0 &&
			    !slice_equal(object_id, (struct slice){(const char *)asked->object_id, ID_BYTES}))
				continue;
			asked->answer->was_recorded = true;
			asked->answer->was_missed = query_column_integer(&query, 2) != 0;
			asked->answer->called_ms = query_column_integer(&query, 3);
		}
	}
	return false;
}

bool past_calls_find(struct database *database, struct arena *arena, const struct past_question *questions,
		     size_t count, struct past_call *ret, struct diagnostics *diagnostics)
{
	struct asking asking = {.database = database, .arena = arena};
	struct asked *asked = arena_new_array(arena, count + 1, struct asked);

	map_init(&asking.by_call);
	map_init(&asking.by_id);
	for (size_t i = 0; i < count; i++) {
		ret[i] = (struct past_call){.known = false};
		asked[i] = (struct asked){.question = &questions[i], .answer = &ret[i]};
		add(&asking, &asked[i]);
	}
	bool good = (asking.by_call.count == 0 ||
		     (search_history(&asking, diagnostics) && search_open(&asking, diagnostics))) &&
		    (asking.by_id.count == 0 || search_formers(&asking, diagnostics));
	map_release(&asking.by_call);
	map_release(&asking.by_id);
	return good;
}
