#ifndef TRUEUP_TESTS_SIMULATE_FLIGHT_H
#define TRUEUP_TESTS_SIMULATE_FLIGHT_H

#include "tests/simulate/universe.h"

/* One request on its way. Everything in it is a copy: it may outlive the one who sent it. */

enum { FLIGHT_TOKEN_BYTES = 65 };

enum stage {
	STAGE_NEW,
	STAGE_HELD,	/* not at the cloud yet, until at_ms */
	STAGE_SENT,	/* the cloud has it */
	STAGE_ANSWERED, /* the answer arrives at at_ms */
	STAGE_LOST,	/* there will be no answer */
	STAGE_OVER,
};

struct flight {
	struct flight *next;
	struct universe *universe;
	struct process *process; /* that waits for it; NULL: nobody does */
	uint64_t number;
	char operation[NAME_BYTES];
	struct http_request request;
	struct slice intent; /* that it was sent for: the mishap unnamed takes it from the request */
	char *request_bytes; /* owned: what these two point to */
	http_done *done;
	void *context;
	enum mishap mishap;
	bool is_copy;  /* of one that was sent already */
	bool was_done; /* its call counted as done before the cloud had any of it, though only its work tells of it */
	enum stage stage;
	int64_t at_ms;	     /* by the cloud's boot clock */
	int64_t delay_ms;    /* that its answer takes longer */
	int64_t given_up_ms; /* when the client gives up; 0: never */
	struct http_response response;
	struct http_header headers[8];
	char *response_bytes; /* owned: what response points to */
};

/* process: NULL where nobody waits for it. */
struct flight *flight_new(struct universe *universe, struct process *process, const struct http_request *request,
			  http_done *done, void *context);
void flight_free(struct flight *flight);
/* Into the universe's list, as the newest. */
void flight_append(struct flight *flight);
/* Takes over an answer, changed as the mishap has it. */
void flight_answer(struct flight *flight, const struct http_response *response);
/* The answer of one that gets none. */
void flight_silence(struct flight *flight);
/* Brings about flight->mishap; embark sends it. */
void flight_befall(struct flight *flight, void (*embark)(struct flight *flight));
/* Whether it comes to the cloud a second time, or when the client has given it up. */
bool flight_is_belated(const struct flight *flight);
/* The value of the tag in which it carries its intent: 32 hex digits and NUL. */
bool flight_intent_tag(const struct flight *flight, char ret[33]);
/* Its idempotency token, and NUL. */
bool flight_token(const struct flight *flight, char ret[FLIGHT_TOKEN_BYTES]);

#endif
