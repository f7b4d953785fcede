#ifndef TRUEUP_PROVIDERS_SIM_HTTP_H
#define TRUEUP_PROVIDERS_SIM_HTTP_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/http.h"

struct sim;

/* What a request came to, before faults of the way back are put on it. */
struct sim_answer {
	bool answered;
	int status;
	const char *content_type;
	struct slice request_id;
	const char *challenge; /* WWW-Authenticate, or NULL */
	struct buffer body;
	bool silent; /* without an answer: until the caller's patience ends */
	enum fault fault;
	char message[512];
};

/* Executes a request now. arena lives as long as the answer. */
void sim_http_execute(struct sim *sim, struct arena *arena, const struct http_request *request,
		      struct sim_answer *answer);

#endif
