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

/* What takes back what the other does, with the same parameters. */
static const char *const opposites[][2] = {{"Attach", "Detach"}, {"Enable", "Disable"}};

/* Those that are about one thing, and what tells that: the one that takes it away does not say what it was like. end:
 * what has done with the thing all that the others were to do; NULL: none. A key of one name and one material there is
 * but once, whichever object it was to be. */
static const struct {
	const char *operations[3], *parameters[2], *end;
} subjects[] = {
	{{"CreateRoute", "ReplaceRoute", "DeleteRoute"}, {"DestinationCidrBlock=", "RouteTableId="}, NULL},
	{{"UpdateAutoScalingGroup", "DeleteAutoScalingGroup"}, {"AutoScalingGroupName="}, "DeleteAutoScalingGroup"},
	{{"ImportKeyPair"}, {"KeyName=", "PublicKeyMaterial="}, "ImportKeyPair"},
	{{"AuthorizeSecurityGroup", "RevokeSecurityGroup"}, {"GroupId="}, NULL},
};

static bool starts_with_one(struct slice text, const char *const *beginnings, size_t count)
{
	for (size_t i = 0; i < count && beginnings[i]; i++)
		if (slice_starts_with(text, slice_of(beginnings[i])))
			return true;
	return false;
}

/* 0: it is about none of them. */
static uint64_t subject_of(struct slice operation, struct slice body)
{
	uint64_t about = 0;

	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		struct slice rest = starts_with_one(operation, subjects[i].operations, 3) ? body : (struct slice){0};

		while (rest.size > 0) {
			struct slice parameter = slice_cut(&rest, '&');

			if (starts_with_one(parameter, subjects[i].parameters, 2))
				about ^= digest(parameter);
		}
	}
	return about;
}

static uint64_t about_of(struct slice operation, struct slice body)
{
	const struct slice action = SLICE("Action=");

	for (size_t i = 0; i < 2 * sizeof(opposites) / sizeof(opposites[0]); i++) {
		struct slice verb = slice_of(opposites[i / 2][i % 2]);

		if (slice_starts_with(operation, verb) && slice_starts_with(body, action))
			return digest(slice_from(body, action.size + verb.size));
	}
	return subject_of(operation, body);
}

static bool is_end(struct slice operation)
{
	bool is = false;

	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		is |= subjects[i].end && slice_is(operation, subjects[i].end);
	return is;
}

/* What is gone is gone for who asks for that later, too; and what was done last is done as long as nothing takes it
 * back: of a propagation both ends ask for it, and a listing may not show yet what another run did. */
static bool is_done_already(const struct sent *sent, struct slice operation, const struct sent_call *call)
{
	const struct sent_call *last = NULL;

	for (size_t i = 0; i < sent->call_count; i++) {
		const struct sent_call *other = &sent->calls[i];

		if (other->came && other->asked == call->asked && slice_starts_with(operation, SLICE("Delete")))
			return true;
		if (call->about && other->about == call->about && other->arrival > (last ? last->arrival : 0))
			last = other;
	}
	return last && last->asked == call->asked;
}

void sent_call(struct sent *sent, const char *operation, struct slice intent, struct slice body, struct slice makes,
	       int64_t wall_ms)
{
	size_t at = find_call(sent, intent);

	if (at == SENT_CALLS_MOST && sent->call_count == SENT_CALLS_MOST)
		return;
	if (at == SENT_CALLS_MOST) {
		struct sent_call call = {.asked = digest(makes.size > 0 ? makes : body),
					 .about = about_of(slice_of(operation), body),
					 .ends = is_end(slice_of(operation))};

		(void)snprintf(call.intent, SENT_ID_BYTES, "%.*s", SLICE_ARGUMENTS(intent));
		call.came = is_done_already(sent, slice_of(operation), &call);
		at = sent->call_count++;
		sent->calls[at] = call;
	}
	sent->calls[at].last_ms = wall_ms;
}

void sent_came(struct sent *sent, struct slice intent)
{
	size_t at = find_call(sent, intent);

	if (at == SENT_CALLS_MOST)
		return;
	const struct sent_call *call = &sent->calls[at];

	sent->calls[at].arrival = ++sent->arrivals;
	for (size_t i = 0; i < sent->call_count; i++)
		sent->calls[i].came |=
			sent->calls[i].asked == call->asked || (call->ends && sent->calls[i].about == call->about);
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
