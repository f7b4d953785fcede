#ifndef TRUEUP_PROVIDERS_NET_REQUEST_CHECK_H
#define TRUEUP_PROVIDERS_NET_REQUEST_CHECK_H

#include <stdbool.h>

#include "base/http.h"

/* What must not go to libcurl: it would send another request than the one given, or two. */

enum { REQUEST_URL_BYTES_MOST = 64 * 1024 };

/* Where a request goes, for messages. Empty where the URL does not tell. */
struct request_target {
	char host[256];
	char port[8];
};

/* NULL: the request may be sent. Else why not, in words that do not repeat its secrets.
 * url: the request's, followed by a NUL. */
const char *request_problem(const struct http_request *request, const char *url, struct request_target *ret_target);

#endif
