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

/* Of a proxy that was asked for a way to the server and answered with the status; NULL: the failure is not its. */
const struct curl_fault *curl_fault_of_proxy(long status);

/* Where the proxy's URL, as the environment has it, is none that libcurl can use. */
extern const struct curl_fault curl_fault_proxy_url;

#endif
