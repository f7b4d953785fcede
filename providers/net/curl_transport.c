#include "providers/net/curl_transport.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "providers/net/exchange.h"
#include "providers/net/libcurl.h"

enum {
	CONNECTIONS_PER_HOST = 16,
	/* Half of the usual 1024 descriptors of a process; where it may have fewer, half of those. */
	CONNECTIONS_IN_ALL = 512,
	/* libcurl waits on a clock that stands still while the machine sleeps, and a signal may
	 * arrive just before the wait: look up this often. */
	SLICE_MS = 1000,
};

struct exchange_list {
	struct exchange *first;
	struct exchange *last;
};

struct curl_transport {
	struct transport transport; /* first: the one is cast to the other */
	CURLM *multi;		    /* owned; NULL until something is sent */
	struct exchange_list running;
	struct exchange_list ended;   /* not sent, or ended by us: told at the next wait() */
	struct exchange_list telling; /* those of `ended` whose turn it is */
	struct exchange_list spare;
	size_t pending;
	/* Before this time nothing is idle; so the running ones are rarely walked. */
	int64_t idle_check_at_ms;
	struct http_header headers[EXCHANGE_HEADERS_MOST]; /* of the answer being told */
};

static void list_add(struct exchange_list *list, struct exchange *exchange)
{
	exchange->previous = list->last;
	exchange->next = NULL;
	if (list->last != NULL)
		list->last->next = exchange;
	else
		list->first = exchange;
	list->last = exchange;
}

static void list_remove(struct exchange_list *list, struct exchange *exchange)
{
	if (exchange->previous != NULL)
		exchange->previous->next = exchange->next;
	else
		list->first = exchange->next;
	if (exchange->next != NULL)
		exchange->next->previous = exchange->previous;
	else
		list->last = exchange->previous;
}

/* Takes it from its list and libcurl; the exchange keeps its answer. */
static void detach(struct curl_transport *transport, struct exchange_list *list, struct exchange *exchange)
{
	list_remove(list, exchange);
	if (list == &transport->running)
		libcurl()->multi_remove_handle(transport->multi, exchange->easy);
}

static void put_away(struct curl_transport *transport, struct exchange *exchange)
{
	exchange_clear(exchange);
	list_add(&transport->spare, exchange);
}

static void tell(struct curl_transport *transport, struct exchange *exchange, CURLcode result)
{
	struct http_response response;

	transport->pending--;
	exchange_answer(exchange, result, transport->headers, &response);
	exchange->done(exchange->context, &response);
	put_away(transport, exchange);
}

/* Those that ended before the call: a callback that starts a hopeless request again and
 * again gets its answer at the next wait(). */
static size_t tell_ended(struct curl_transport *transport)
{
	size_t count = 0;

	transport->telling = transport->ended;
	transport->ended = (struct exchange_list){NULL, NULL};
	while (transport->telling.first != NULL) {
		struct exchange *exchange = transport->telling.first;

		detach(transport, &transport->telling, exchange);
		tell(transport, exchange, exchange->stopped);
		count++;
	}
	return count;
}

static size_t tell_finished(struct curl_transport *transport)
{
	size_t count = 0;
	int left = 0;
	CURLMsg *message;

	while (transport->multi != NULL && (message = libcurl()->multi_info_read(transport->multi, &left)) != NULL) {
		struct exchange *exchange = NULL;
		CURLcode result = message->data.result;

		libcurl()->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&exchange);
		/* A message dies with its handle's place in the multi handle. */
		detach(transport, &transport->running, exchange);
		tell(transport, exchange, result);
		count++;
	}
	return count;
}

static void end_idle(struct curl_transport *transport, int64_t now_ms)
{
	struct exchange *next;
	int64_t earliest_ms = INT64_MAX;

	if (now_ms < transport->idle_check_at_ms)
		return;
	for (struct exchange *exchange = transport->running.first; exchange != NULL; exchange = next) {
		int64_t idle_at_ms = exchange_idle_at_ms(exchange, now_ms);

		next = exchange->next;
		if (idle_at_ms <= now_ms) {
			exchange_stop(exchange, CURLE_OPERATION_TIMEDOUT, "nothing came for %lld ms",
				      (long long)exchange->request->idle_timeout_ms);
			detach(transport, &transport->running, exchange);
			list_add(&transport->ended, exchange);
		} else if (idle_at_ms < earliest_ms) {
			earliest_ms = idle_at_ms;
		}
	}
	transport->idle_check_at_ms = earliest_ms;
}

/* libcurl itself is out of order: nobody may wait for an answer that cannot come. */
static void end_all(struct curl_transport *transport, CURLMcode code)
{
	while (transport->running.first != NULL) {
		struct exchange *exchange = transport->running.first;

		exchange_stop(exchange, CURLE_FAILED_INIT, "%s", libcurl()->multi_strerror(code));
		detach(transport, &transport->running, exchange);
		list_add(&transport->ended, exchange);
	}
}

/* Milliseconds that libcurl may sleep. */
static int slice_ms(const struct curl_transport *transport, int64_t now_ms, int64_t deadline_ms)
{
	int64_t until_ms = deadline_ms < transport->idle_check_at_ms ? deadline_ms : transport->idle_check_at_ms;

	return until_ms <= now_ms ? 0 : until_ms - now_ms < SLICE_MS ? (int)(until_ms - now_ms) : SLICE_MS;
}

static void *curl_calloc(size_t count, size_t size_bytes)
{
	size_t all;

	if (__builtin_mul_overflow(count, size_bytes, &all))
		return NULL;
	return memory_get(all > 0 ? all : 1);
}

static char *curl_strdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(memory_get(size), text, size);
}

/* How many connections there may be at once, those included that wait for another request. */
static long connections_most(void)
{
	struct rlimit descriptors;

	if (getrlimit(RLIMIT_NOFILE, &descriptors) < 0 || descriptors.rlim_cur / 2 >= CONNECTIONS_IN_ALL)
		return CONNECTIONS_IN_ALL;
	return descriptors.rlim_cur < 4 ? 1 : (long)(descriptors.rlim_cur / 2);
}

/*
 * libcurl and OpenSSL's part of it take a millisecond to start, which a command that sends nothing
 * need not spend. Where that fails there is no multi handle, which libcurl itself then says.
 */
static void begin(struct curl_transport *transport)
{
	if (transport->multi != NULL || libcurl() == NULL ||
	    libcurl()->global_init_mem(CURL_GLOBAL_DEFAULT, memory_get, free, memory_resize, curl_strdup,
				       curl_calloc) != CURLE_OK)
		return;
	transport->multi = libcurl()->multi_init();
	if (transport->multi == NULL) {
		libcurl()->global_cleanup();
		return;
	}
	long most = connections_most();
	libcurl()->multi_setopt(transport->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
	libcurl()->multi_setopt(transport->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)CONNECTIONS_PER_HOST);
	libcurl()->multi_setopt(transport->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, most);
	libcurl()->multi_setopt(transport->multi, CURLMOPT_MAXCONNECTS, most);
}

static void transport_start(struct transport *base, const struct http_request *request, http_done *done, void *context)
{
	struct curl_transport *transport = (struct curl_transport *)base;
	struct exchange *exchange = transport->spare.last;
	int64_t now_ms = exchange_clock_ms();
	int64_t idle_at_ms;

	begin(transport);
	if (exchange != NULL)
		list_remove(&transport->spare, exchange);
	else
		exchange = exchange_new();
	transport->pending++;
	if (!exchange_prepare(exchange, request, done, context)) {
		list_add(&transport->ended, exchange);
		return;
	}
	if (libcurl()->multi_add_handle(transport->multi, exchange->easy) != CURLM_OK) {
		exchange_stop(exchange, CURLE_FAILED_INIT, "libcurl does not take the request");
		list_add(&transport->ended, exchange);
		return;
	}
	list_add(&transport->running, exchange);
	idle_at_ms = exchange_idle_at_ms(exchange, now_ms);
	if (idle_at_ms < transport->idle_check_at_ms)
		transport->idle_check_at_ms = idle_at_ms;
}

static void transport_wait(struct transport *base, int64_t deadline_ms)
{
	struct curl_transport *transport = (struct curl_transport *)base;
	int64_t look_up_at_ms = exchange_clock_ms() + SLICE_MS;

	begin(transport);
	for (;;) {
		int running = 0;
		CURLMcode code = transport->multi ? libcurl()->multi_perform(transport->multi, &running) : CURLM_OK;
		size_t told = tell_finished(transport);
		int64_t now_ms = exchange_clock_ms();

		if (code != CURLM_OK)
			end_all(transport, code);
		end_idle(transport, now_ms);
		told += tell_ended(transport);
		if (told > 0 || now_ms >= deadline_ms || now_ms >= look_up_at_ms)
			return;
		if (transport->multi == NULL) {
			poll(NULL, 0, slice_ms(transport, now_ms, deadline_ms));
			return;
		}
		errno = 0;
		code = libcurl()->multi_poll(transport->multi, NULL, 0, slice_ms(transport, now_ms, deadline_ms), NULL);
		if (errno == EINTR)
			deadline_ms = now_ms;
		if (code != CURLM_OK)
			end_all(transport, code);
	}
}

static size_t transport_pending(const struct transport *base)
{
	return ((const struct curl_transport *)base)->pending;
}

static void cancel_in(struct curl_transport *transport, struct exchange_list *list, const void *context)
{
	struct exchange *next;

	for (struct exchange *exchange = list->first; exchange != NULL; exchange = next) {
		next = exchange->next;
		if (exchange->context != context)
			continue;
		detach(transport, list, exchange);
		put_away(transport, exchange);
		transport->pending--;
	}
}

static void transport_cancel(struct transport *base, void *context)
{
	struct curl_transport *transport = (struct curl_transport *)base;

	cancel_in(transport, &transport->running, context);
	cancel_in(transport, &transport->ended, context);
	cancel_in(transport, &transport->telling, context);
}

struct transport *curl_transport_open(struct arena *arena)
{
	struct curl_transport *transport = arena_new(arena, struct curl_transport);

	transport->idle_check_at_ms = INT64_MAX;
	transport->transport = (struct transport){
		.start = transport_start,
		.wait = transport_wait,
		.pending = transport_pending,
		.cancel = transport_cancel,
	};
	return &transport->transport;
}

void curl_transport_close(struct transport *transport)
{
	struct curl_transport *curl = (struct curl_transport *)transport;
	struct exchange_list *lists[] = {&curl->running, &curl->ended, &curl->telling, &curl->spare};

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		while (lists[i]->first != NULL) {
			struct exchange *exchange = lists[i]->first;

			detach(curl, lists[i], exchange);
			exchange_free(exchange);
		}
	}
	if (curl->multi == NULL)
		return;
	libcurl()->multi_cleanup(curl->multi);
	libcurl()->global_cleanup();
}
