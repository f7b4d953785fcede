#include "tests/simulate/sent.h"

#include <stdio.h>
#include <string.h>

/* FNV-1a. */
static uint64_t digest(struct slice text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < text.size; i++)
		hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
	return hash;
}

const char *sent_token(struct sent *sent, struct slice intent, struct slice token, struct slice body, int64_t now_ms)
{
	struct sent_token *known = sent->tokens, *end = sent->tokens + sent->token_count;
	uint64_t asked = digest(body);

	while (known < end && !slice_is(token, known->token))
		known++;
	if (known < end && known->body != asked)
		return "with other parameters than it was first sent with";
	if (known < end && slice_is(intent, known->intent) && !known->is_refused)
		return now_ms - known->first_ms < SENT_TOKEN_LIFE_MS + SENT_CLOCK_MOST_MS ? NULL
											  : "past its token's life";
	if (known == end && sent->token_count == SENT_TOKENS_MOST)
		return NULL;
	sent->token_count += known == end;
	known->first_ms = now_ms;
	known->body = asked;
	known->may_be_known = known->is_refused = false;
	(void)snprintf(known->intent, sizeof(known->intent), "%.*s", SLICE_ARGUMENTS(intent));
	(void)snprintf(known->token, sizeof(known->token), "%.*s", SLICE_ARGUMENTS(token));
	return NULL;
}

void sent_answer(struct sent *sent, struct slice intent, bool is_unsure)
{
	size_t at = 0;

	for (size_t i = 0; i < sent->token_count; i++) {
		struct sent_token *token = &sent->tokens[i];

		if (!slice_is(intent, token->intent))
			continue;
		token->may_be_known |= is_unsure;
		token->is_refused = !token->may_be_known;
	}
	while (at < sent->unsure_count && !slice_is(intent, sent->unsure[at]))
		at++;
	if (is_unsure && at == sent->unsure_count && at < SENT_UNSURE_MOST) {
		(void)snprintf(sent->unsure[at], SENT_ID_BYTES, "%.*s", SLICE_ARGUMENTS(intent));
		sent->unsure_count++;
	} else if (!is_unsure && at < sent->unsure_count) {
		memcpy(sent->unsure[at], sent->unsure[--sent->unsure_count], SENT_ID_BYTES);
	}
}

static size_t find_call(const struct sent *sent, struct slice intent)
{
	/* Mostly one of the last. */
	for (size_t at = sent->call_count; at > 0; at--)
		if (slice_is(intent, sent->calls[at - 1].intent))
			return at - 1;
	return SENT_CALLS_MOST;
}

/* What is gone is gone for who asks for that later, too; of a propagation both ends ask for it in one run, and it may
 * be there again in the next. */
static bool is_done_already(const struct sent *sent, const char *operation, uint64_t asked, int64_t wall_ms)
{
	int64_t since_ms = strncmp(operation, "Delete", 6) == 0	   ? INT64_MIN
			   : strncmp(operation, "Disable", 7) == 0 ? wall_ms - SENT_ONE_RUN_MS
								   : INT64_MAX;
	bool done = false;

	for (size_t i = 0; i < sent->call_count; i++)
		done |= sent->calls[i].came && sent->calls[i].asked == asked && sent->calls[i].last_ms >= since_ms;
	return done;
}

void sent_call(struct sent *sent, const char *operation, struct slice intent, struct slice asked, int64_t wall_ms)
{
	size_t at = find_call(sent, intent);

	if (at == SENT_CALLS_MOST && sent->call_count == SENT_CALLS_MOST)
		return;
	if (at == SENT_CALLS_MOST) {
		struct sent_call call = {.asked = digest(asked)};

		(void)snprintf(call.intent, SENT_ID_BYTES, "%.*s", SLICE_ARGUMENTS(intent));
		call.came = is_done_already(sent, operation, call.asked, wall_ms);
		at = sent->call_count++;
		sent->calls[at] = call;
	}
	sent->calls[at].last_ms = wall_ms;
}

void sent_came(struct sent *sent, struct slice intent)
{
	size_t at = find_call(sent, intent);

	for (size_t i = 0; at < SENT_CALLS_MOST && i < sent->call_count; i++)
		sent->calls[i].came |= sent->calls[i].asked == sent->calls[at].asked;
}

bool sent_is_missing(const struct sent *sent, struct slice intent)
{
	size_t at = find_call(sent, intent);

	return at < SENT_CALLS_MOST && !sent->calls[at].came;
}

bool sent_last(const struct sent *sent, struct slice intent, int64_t *ret_ms)
{
	size_t at = find_call(sent, intent);

	if (at < SENT_CALLS_MOST)
		*ret_ms = sent->calls[at].last_ms;
	return at < SENT_CALLS_MOST;
}
