#ifndef TRUEUP_PROVIDERS_NET_CURL_TRANSPORT_H
#define TRUEUP_PROVIDERS_NET_CURL_TRANSPORT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/http.h"

/*
 * The transport to the real world, on libcurl's multi interface.
 *
 * - Connections are kept and shared; HTTP/2 where TLS negotiates it. Proxies come from the
 *   usual variables (http_proxy, https_proxy, no_proxy); no other setting of the user's is read.
 * - Sent are the caller's headers, and beyond them only Host, Content-Length, Accept and
 *   Accept-Encoding; a header whose name or value could end its line is refused.
 * - An answer is whole or none: past its limit, or cut short, it counts as not answered.
 *   Names of received headers are in lower case; trailers are left out.
 * - An answer that is too large or no HTTP gives FAULT_INTERNAL (asking again would bring the same
 *   again), but like everything else FAULT_AMBIGUOUS where a mutating request was on its way.
 * - wait() also returns when a signal arrives, and at the latest after one second, with
 *   nothing done: the caller looks at interrupted() and the clock and calls again.
 * - A done callback may call start() and cancel(), but not wait().
 */

/* The transport lives in arena and needs curl_transport_close(), which calls no callback.
 * Once for each program or test; several may be open at once. libcurl starts with the first
 * request; where it cannot, each request ends with FAULT_INTERNAL. */
struct transport *curl_transport_open(struct arena *arena);
void curl_transport_close(struct transport *transport);

#endif
