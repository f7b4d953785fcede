#ifndef TRUEUP_PROVIDERS_NET_EXCHANGE_H
#define TRUEUP_PROVIDERS_NET_EXCHANGE_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/http.h"
#include "providers/net/request_check.h"

/*
 * One request on a libcurl handle, from its check to its answer. Kept by the transport
 * and used again for the next request.
 */
enum {
	EXCHANGE_HEADERS_MOST = 256,
	EXCHANGE_HEADER_BYTES_MOST = 64 * 1024, /* of an answer, interim answers included */
};

/* Offsets into header_text, which moves while it grows. */
struct received_header {
	uint32_t name_offset;
	uint32_t name_size;
	uint32_t value_offset;
	uint32_t value_size;
};

struct exchange {
	CURL *easy;			 /* owned; NULL until first prepared */
	struct curl_slist *header_lines; /* owned */
	struct exchange *previous;	 /* in the list the transport keeps it in */
	struct exchange *next;

	const struct http_request *request; /* borrowed until done */
	http_done *done;
	void *context;
	struct request_target target;

	unsigned send_count; /* how often libcurl came to send it; 0: nothing has left */
	size_t body_offset;
	int64_t active_ms; /* when a byte last moved, once sending began */

	struct buffer body;
	struct buffer header_text;
	struct received_header headers[EXCHANGE_HEADERS_MOST];
	size_t header_count;
	size_t header_bytes; /* of all header blocks so far */
	bool headers_complete;

	CURLcode stopped; /* our own reason to end it, told in `detail`, or CURLE_OK */
	char detail[CURL_ERROR_SIZE];
	char curl_detail[CURL_ERROR_SIZE];
	char message[1024];
};

__attribute__((returns_nonnull, warn_unused_result)) struct exchange *exchange_new(void);
void exchange_free(struct exchange *exchange);

/* Checks the request and readies the handle. False: it must not be sent, the exchange is
 * stopped and exchange_answer() says why. */
__attribute__((warn_unused_result)) bool exchange_prepare(struct exchange *exchange, const struct http_request *request,
							  http_done *done, void *context);
/* Ends it for a reason of ours; the first reason stays. */
__attribute__((format(printf, 3, 4))) void exchange_stop(struct exchange *exchange, CURLcode code, const char *format,
							 ...);
/* When the exchange becomes idle if nothing moves from now on; INT64_MAX: never. */
int64_t exchange_idle_at_ms(const struct exchange *exchange, int64_t now_ms);
/* result: libcurl's, not used where stopped. Texts are borrowed until exchange_clear();
 * scratch receives the headers. */
void exchange_answer(struct exchange *exchange, CURLcode result, struct http_header scratch[EXCHANGE_HEADERS_MOST],
		     struct http_response *ret);
/* Forgets the request; the handle stays. */
void exchange_clear(struct exchange *exchange);

/* CLOCK_BOOTTIME in milliseconds, as the world's boot_ms. */
int64_t exchange_clock_ms(void);

#endif
