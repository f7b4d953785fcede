#ifndef TRUEUP_BASE_HTTP_H
#define TRUEUP_BASE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"

/*
 * The transport: an HTTP request goes in, a response comes out, later. Implemented by
 * curl (providers/net), by the simulator (providers/sim), and by a router over both.
 */
struct http_header {
	struct slice name;
	struct slice value;
};

/* The value of the first header of that name, in whatever case, trimmed; data NULL: there is none. */
struct slice http_header_value(const struct http_header *headers, size_t count, const char *name);

/* Whether an endpoint is the simulator: "sim:", which keeps everything in memory, or "sim:FILE". */
static inline bool endpoint_is_simulated(struct slice endpoint)
{
	return slice_starts_with(endpoint, SLICE("sim:"));
}

/* The FILE of "sim:FILE", which ends where the endpoint does; empty for any other. */
static inline struct slice endpoint_file(struct slice endpoint)
{
	return endpoint_is_simulated(endpoint) ? slice_from(endpoint, sizeof("sim:") - 1) : SLICE("");
}

struct http_request {
	struct slice method;
	struct slice url; /* scheme://host[:port]/path?query; the path is sent exactly as given */
	/* The endpoint as the user named it, where it is no URL: "sim:" or "sim:FILE". A router
	 * picks the transport by it; url is what a real endpoint would get. Empty: the network. */
	struct slice endpoint;
	const struct http_header *headers;
	size_t header_count;
	struct slice body;
	/* Changes the world: must reach the server at most once for each start(). Never sent
	 * again by the transport, redirects never followed; a reset after sending is ambiguous. */
	bool mutating;
	/* The id under which a changing request was recorded before it was made. Every transport
	 * refuses a changing request without one, so that nothing can forget to record. */
	struct slice intent;
	int64_t connect_timeout_ms;
	int64_t idle_timeout_ms;  /* without a byte in either direction */
	int64_t total_timeout_ms; /* 0: none */
	size_t response_limit_bytes;
	bool asks_for_key;    /* the answer is wiped once it was handed over */
	struct slice ca_file; /* PEM bundle instead of the system's, or empty */
	bool insecure;	      /* accept any certificate: only where the user's settings say so, with a warning */
};

struct http_response {
	/* Whether an answer came at all; then status is set and fault is meaningless. */
	bool answered;
	int status;
	const struct http_header *headers;
	size_t header_count;
	struct slice body;
	/* Without an answer: FAULT_TRANSIENT (never sent), FAULT_AMBIGUOUS (may have
	 * arrived), FAULT_AUTH (TLS verification, a proxy's password), FAULT_USER (bad URL). */
	enum fault fault;
	struct slice message; /* what curl or the simulator said, in plain words */
	struct slice hint;    /* what to do about it, or empty */
};

/* Why no transport may send it, or NULL. */
static inline const char *http_request_refusal(const struct http_request *request)
{
	return request->mutating && request->intent.size == 0 ? "a changing request was to be sent without an intent"
							      : NULL;
}

struct transport;

/* Called once for each start(), from within wait(). response lives until it returns. */
typedef void http_done(void *context, const struct http_response *response);

struct transport {
	/* Takes a request; copies nothing: request and what it points to must live until done. */
	void (*start)(struct transport *transport, const struct http_request *request, http_done *done, void *context);
	/* Makes progress until at least one request is done or the clock (boot_ms) reaches
	 * deadline_ms. A simulated transport moves its clock instead of waiting. */
	void (*wait)(struct transport *transport, int64_t deadline_ms);
	/* Requests started and not done. */
	size_t (*pending)(const struct transport *transport);
	/* Makes an endpoint that is no URL ready before anything is signed for it: a simulator's
	 * clock may be ahead of the machine's. NULL: there is nothing to make ready. */
	void (*reach)(struct transport *transport, struct slice endpoint);
	/* The one spelling of an endpoint that is no URL, in arena: it is recorded, and comes back another day from
	 * elsewhere. NULL: every spelling is a place of its own. */
	struct slice (*name)(struct transport *transport, struct slice endpoint, struct arena *arena);
	/* Ends a request that the program no longer waits for: done is not called. */
	void (*cancel)(struct transport *transport, void *context);
};

#endif
