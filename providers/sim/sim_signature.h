#ifndef TRUEUP_PROVIDERS_SIM_SIGNATURE_H
#define TRUEUP_PROVIDERS_SIM_SIGNATURE_H

#include "base/http.h"
#include "providers/sim/sim_call.h"

/* The parts of an Authorization header of Signature Version 4, borrowed from it. */
struct sim_credential {
	bool present;
	struct slice key_id, date, region, service;
	struct slice signed_headers, signature;
};

/* What a request's headers say; present is false where there is no such header. */
struct sim_credential sim_credential_read(const struct http_request *request);
/* Fails the call, with its service's own error, unless the signature is right and recent. */
void sim_signature_check(struct sim_call *call, const struct http_request *request,
			 const struct sim_credential *credential);
/* A header's value, trimmed; the empty slice without one. */
struct slice sim_header(const struct http_request *request, const char *name);
/* "host[:port]" of a URL, and what follows it. */
struct slice sim_url_authority(struct slice url, struct slice *ret_path, struct slice *ret_query);

#endif
