#ifndef TRUEUP_PROVIDERS_AWS_ERRORS_H
#define TRUEUP_PROVIDERS_AWS_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/http.h"
#include "base/redaction.h"
#include "base/slice.h"

/* What a server says of a call that did not succeed. */
struct aws_error {
	int status;
	struct slice code; /* "InvalidVpcID.NotFound"; empty where the answer names none */
	struct slice message;
	struct slice request_id; /* or empty */
	enum fault fault;
	bool doubted;		/* as in struct answer */
	int64_t retry_after_ms; /* the server asked to wait so long; 0: it did not say */
	struct slice hint;	/* what to do about it, or empty */
};

/*
 * Reads an answer with a status of 300 and above, or no answer at all; always fills *ret, with
 * texts in arena. mutating: the call changes the world, so a fault of the server
 * (5xx) leaves open whether it was done: FAULT_AMBIGUOUS, else FAULT_TRANSIENT. A long message is cut. untold: what an
 * excerpt, or a message that is cut, must not hold, or NULL.
 */
void aws_error_read(const struct http_response *response, bool mutating, const struct redaction *untold,
		    struct arena *arena, struct aws_error *ret);

/* A message as it is, or cut where it is long: a service may repeat all that it was sent. untold: as above. */
struct slice aws_error_shorten(struct slice message, const struct redaction *untold, struct arena *arena);

/* Whether it is written as codes and ids of requests are, so that nothing else can stand there:
 * "InvalidVpcID.NotFound", "com.amazonaws.kms#DisabledException", a UUID. An empty one is. */
bool aws_error_is_code(struct slice code);
bool aws_error_is_request_id(struct slice id);

/* What a user can do about an error of that kind, or NULL where nothing general can be said. */
const char *aws_error_hint(struct slice code, enum fault fault);

/*
 * What a code means, without regard to the answer it came in; status decides where the code
 * does not (0: unknown). An error of another protocol, or of a part of a 200 answer, goes here too.
 */
enum fault aws_error_fault(struct slice code, int status, bool mutating);

#endif
