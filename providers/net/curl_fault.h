#ifndef TRUEUP_PROVIDERS_NET_CURL_FAULT_H
#define TRUEUP_PROVIDERS_NET_CURL_FAULT_H

#include <curl/curl.h>

#include "base/diag.h"

/* What a failure of libcurl means, apart from whether the request had been sent. */
struct curl_fault {
	CURLcode code;
	/* Where the request was never sent, or sending it again does no harm. */
	enum fault fault;
	const char *words;  /* goes before the host: "cannot connect to" */
	const char *advice; /* what to do about it; may be empty */
};

/* Never NULL: an unknown code gives a row that is safe for all. */
const struct curl_fault *curl_fault_of(CURLcode code);

#endif
