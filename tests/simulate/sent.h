#ifndef TRUEUP_TESTS_SIMULATE_SENT_H
#define TRUEUP_TESTS_SIMULATE_SENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/* What left the machine, as far as promises hang on it: tokens, calls that nobody knows the outcome of, and which calls
 * have come to anything. */

enum {
	SENT_ID_BYTES = 33,
	SENT_TOKEN_BYTES = 65,
	SENT_TOKENS_MOST = 256,
	SENT_UNSURE_MOST = 64,
	SENT_CALLS_MOST = 2048,
	/* How long a service knows a token at least, and how far the wall clock may be from what it was. */
	SENT_TOKEN_LIFE_MS = 60 * 60 * 1000,
	SENT_CLOCK_MOST_MS = 8 * 60 * 1000,
	/* So long after its sending was recorded a call may leave. */
	SENT_RECORDED_MOST_MS = 10 * 1000,
};

struct sent_token {
	char token[SENT_TOKEN_BYTES];
	char intent[SENT_ID_BYTES]; /* of the last call with it */
	int64_t first_ms;  /* of that intent, by the cloud's boot clock; those aside that were refused at first */
	bool may_be_known; /* a call of that intent may have been done, for all that was heard of it */
	bool is_refused;   /* each so far was, the last one too: the service has not heard of the token */
	uint64_t body;	   /* digest of what was asked with it */
};

/* A call that changes something, all attempts of it. */
struct sent_call {
	char intent[SENT_ID_BYTES];
	uint64_t asked;	  /* digest of what it makes, else of its body */
	uint64_t about;	  /* the same of what takes its work back, or does it another way; 0: not told by its words */
	bool ends;	  /* what others were about is emptied first, and counts as empty with that */
	bool came;	  /* the service has carried out one of them, or may have; or another that asked the same */
	uint64_t arrival; /* which it was of all that came; 0: it did not itself */
	int64_t last_ms;  /* when the last of them left, by the machine's wall clock */
};

struct sent {
	struct sent_token tokens[SENT_TOKENS_MOST];
	size_t token_count;
	char unsure[SENT_UNSURE_MOST][SENT_ID_BYTES]; /* intents of which the last answer told nothing */
	size_t unsure_count;
	struct sent_call calls[SENT_CALLS_MOST];
	size_t call_count;
	uint64_t arrivals;
};

/*
 * A request of an intent goes out with a token. Why it must not; NULL: it may. Another intent means that the object was
 * read since, and stood as before: then it does no harm that the service has forgotten the token.
 */
const char *sent_token(struct sent *sent, struct slice intent, struct slice token, struct slice body, int64_t now_ms);
/* An answer has come, or the news that there is none; is_unsure: it tells nothing of what was done. */
void sent_answer(struct sent *sent, struct slice intent, bool is_unsure);
/* A call that changes something leaves. makes: the object that is to be made, by whichever call, or empty. */
void sent_call(struct sent *sent, const char *operation, struct slice intent, struct slice body, struct slice makes,
	       int64_t wall_ms);
/* It has come, and was carried out. */
void sent_came(struct sent *sent, struct slice intent);
/* Whether the call left and the service has done nothing of it. */
bool sent_is_missing(const struct sent *sent, struct slice intent);
/* When it left the last time; false where it did not. */
bool sent_last(const struct sent *sent, struct slice intent, int64_t *ret_ms);

#endif
