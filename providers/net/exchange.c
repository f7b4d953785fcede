#include "providers/net/exchange.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "providers/net/curl_fault.h"
#include "providers/net/libcurl.h"

enum { SIZE_WORDS_BYTES = 32 };

int64_t exchange_clock_ms(void)
{
	struct timespec now = {0, 0};

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void exchange_stop(struct exchange *exchange, CURLcode code, const char *format, ...)
{
	va_list arguments;

	if (exchange->stopped != CURLE_OK)
		return;
	exchange->stopped = code;
	va_start(arguments, format);
	vsnprintf(exchange->detail, sizeof exchange->detail, format, arguments);
	va_end(arguments);
}

int64_t exchange_idle_at_ms(const struct exchange *exchange, int64_t now_ms)
{
	int64_t idle_timeout_ms = exchange->request->idle_timeout_ms;
	int64_t from_ms = exchange->send_count > 0 ? exchange->active_ms : now_ms;

	return idle_timeout_ms > 0 && idle_timeout_ms < INT64_MAX - from_ms ? from_ms + idle_timeout_ms : INT64_MAX;
}

/*
 * Called each time libcurl is about to send the request, with a connection ready. libcurl
 * sends it again by itself, without a body to rewind too, when a kept connection dies
 * before the first byte of an answer, and when an HTTP/2 server turns a stream away. For a
 * mutating request that ends here: the first copy may have been carried out.
 */
static int before_send(void *context, char *remote_address, char *local_address, int remote_port, int local_port)
{
	struct exchange *exchange = context;

	(void)remote_address;
	(void)local_address;
	(void)remote_port;
	(void)local_port;
	if (exchange->send_count > 0 && exchange->request->mutating) {
		exchange_stop(exchange, CURLE_ABORTED_BY_CALLBACK, "it is not sent a second time");
		return CURL_PREREQFUNC_ABORT;
	}
	exchange->send_count++;
	exchange->body_offset = 0;
	exchange->active_ms = exchange_clock_ms();
	return CURL_PREREQFUNC_OK;
}

static size_t give_body(char *ret, size_t size, size_t count, void *context)
{
	struct exchange *exchange = context;
	struct slice rest = slice_first(slice_from(exchange->request->body, exchange->body_offset), size * count);

	if (rest.size > 0)
		memcpy(ret, rest.data, rest.size);
	exchange->body_offset += rest.size;
	exchange->active_ms = exchange_clock_ms();
	return rest.size;
}

/* The second lock on the same door as before_send(): a body that cannot be rewound cannot
 * be sent twice. */
static int rewind_body(void *context, curl_off_t offset, int origin)
{
	struct exchange *exchange = context;

	if (exchange->request->mutating || origin != SEEK_SET || offset < 0 ||
	    (size_t)offset > exchange->request->body.size)
		return CURL_SEEKFUNC_FAIL;
	exchange->body_offset = (size_t)offset;
	return CURL_SEEKFUNC_OK;
}

/* "256 MiB": in the largest unit that leaves nothing over. */
static const char *size_in_words(size_t bytes, char (*ret)[SIZE_WORDS_BYTES])
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
	size_t unit = 0;

	while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	(void)snprintf(*ret, sizeof(*ret), "%zu %s", bytes, units[unit]);
	return *ret;
}

static size_t take_body(char *data, size_t size, size_t count, void *context)
{
	struct exchange *exchange = context;
	size_t limit_bytes = exchange->request->response_limit_bytes;
	curl_off_t announced = -1;
	char limit[SIZE_WORDS_BYTES];

	exchange->active_ms = exchange_clock_ms();
	/* Not to read up to the limit what will be thrown away. */
	if (exchange->body.size == 0 &&
	    libcurl()->easy_getinfo(exchange->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced) == CURLE_OK &&
	    announced > 0 && (uint64_t)announced > limit_bytes) {
		exchange_stop(exchange, CURLE_FILESIZE_EXCEEDED, "it announces %lld bytes, at most %s are taken",
			      (long long)announced, size_in_words(limit_bytes, &limit));
		return 0;
	}
	if (!buffer_append(&exchange->body, (struct slice){data, size * count})) {
		exchange_stop(exchange, CURLE_FILESIZE_EXCEEDED, "at most %s are taken",
			      size_in_words(limit_bytes, &limit));
		return 0;
	}
	return size * count;
}

/* A line that goes on with the value of the line before (RFC 9112, 5.2). */
static bool continue_header(struct exchange *exchange, struct slice line)
{
	struct received_header *last;

	if (exchange->header_count == 0)
		return true;
	last = &exchange->headers[exchange->header_count - 1];
	last->value_size += (uint32_t)line.size + 1;
	return buffer_byte(&exchange->header_text, ' ') && buffer_append(&exchange->header_text, line);
}

static bool add_header(struct exchange *exchange, struct slice name, struct slice value)
{
	struct received_header *header;

	if (exchange->header_count == EXCHANGE_HEADERS_MOST)
		return false;
	header = &exchange->headers[exchange->header_count++];
	header->name_offset = (uint32_t)exchange->header_text.size;
	header->name_size = (uint32_t)name.size;
	header->value_offset = header->name_offset + header->name_size;
	header->value_size = (uint32_t)value.size;
	for (size_t i = 0; i < name.size; i++)
		if (!buffer_byte(&exchange->header_text, lower_case(name.data[i])))
			return false;
	return buffer_append(&exchange->header_text, value);
}

/* One line of a header block. Interim answers (1xx) come as blocks of their own before the
 * answer's, trailers as lines after it. */
static bool take_header_line(struct exchange *exchange, struct slice line)
{
	struct slice text = slice_trim(line);
	struct slice rest = text;
	long status = 0;

	if (exchange->headers_complete)
		return true;
	if (slice_starts_with(line, SLICE("HTTP/"))) {
		exchange->header_count = 0;
		buffer_clear(&exchange->header_text);
		return true;
	}
	if (text.size == 0) {
		libcurl()->easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &status);
		exchange->headers_complete = status >= 200;
		return true;
	}
	if (line.data[0] == ' ' || line.data[0] == '\t')
		return continue_header(exchange, text);
	slice_cut(&rest, ':');
	if (rest.data == NULL)
		return true;
	return add_header(exchange, (struct slice){text.data, text.size - rest.size - 1}, slice_trim(rest));
}

static size_t take_header(char *data, size_t size, size_t count, void *context)
{
	struct exchange *exchange = context;

	exchange->active_ms = exchange_clock_ms();
	exchange->header_bytes += size * count;
	if (exchange->header_bytes > EXCHANGE_HEADER_BYTES_MOST ||
	    !take_header_line(exchange, (struct slice){data, size * count})) {
		exchange_stop(exchange, CURLE_FILESIZE_EXCEEDED, "at most %d headers of %d bytes in all are taken",
			      EXCHANGE_HEADERS_MOST, EXCHANGE_HEADER_BYTES_MOST);
		return 0;
	}
	return size * count;
}

struct exchange *exchange_new(void)
{
	struct exchange *exchange = memory_get(sizeof *exchange);

	buffer_init(&exchange->header_text, EXCHANGE_HEADER_BYTES_MOST);
	return exchange;
}

void exchange_clear(struct exchange *exchange)
{
	if (exchange->header_lines != NULL)
		libcurl()->slist_free_all(exchange->header_lines);
	exchange->header_lines = NULL;
	exchange->request = NULL;
	exchange->done = NULL;
	exchange->context = NULL;
	exchange->send_count = 0;
	exchange->body_offset = 0;
	buffer_release(&exchange->body);
	buffer_clear(&exchange->header_text);
	exchange->header_count = 0;
	exchange->header_bytes = 0;
	exchange->headers_complete = false;
	exchange->stopped = CURLE_OK;
	exchange->target.host[0] = '\0';
	exchange->target.port[0] = '\0';
	exchange->detail[0] = '\0';
	exchange->curl_detail[0] = '\0';
}

void exchange_free(struct exchange *exchange)
{
	exchange_clear(exchange);
	if (exchange->easy != NULL)
		libcurl()->easy_cleanup(exchange->easy);
	buffer_release(&exchange->header_text);
	free(exchange);
}

/* The handle's options: https://curl.se/libcurl/c/curl_easy_setopt.html */

static bool set_header_lines(struct exchange *exchange)
{
	const struct http_request *request = exchange->request;
	/* Without this libcurl asks before it sends a large body and waits a second. */
	struct curl_slist *lines = libcurl()->slist_append(NULL, "Expect:");
	bool fine = lines != NULL;
	BUFFER_AUTO line;

	buffer_init(&line, 1024 * 1024);
	for (size_t i = 0; fine && i < request->header_count; i++) {
		struct slice value = slice_trim(request->headers[i].value);
		struct curl_slist *longer = NULL;

		buffer_clear(&line);
		/* "Name:" would take a header away; "Name;" sends it with no value. */
		if (buffer_append(&line, request->headers[i].name) &&
		    buffer_string(&line, value.size > 0 ? ": " : ";") && buffer_append(&line, value))
			longer = libcurl()->slist_append(lines, line.data);
		fine = longer != NULL;
	}
	exchange->header_lines = lines;
	return fine && libcurl()->easy_setopt(exchange->easy, CURLOPT_HTTPHEADER, lines) == CURLE_OK;
}

static long timeout_option(int64_t timeout_ms)
{
	return timeout_ms > INT_MAX ? INT_MAX : (long)(timeout_ms > 0 ? timeout_ms : 0);
}

struct number_option {
	CURLoption option;
	long value;
};

static bool set_numbers(CURL *easy, const struct number_option *options, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (libcurl()->easy_setopt(easy, options[i].option, options[i].value) != CURLE_OK)
			return false;
	return true;
}

static bool set_limits(struct exchange *exchange)
{
	const struct http_request *request = exchange->request;
	const struct number_option options[] = {
		{CURLOPT_NOSIGNAL, 1},
		{CURLOPT_FOLLOWLOCATION, 0},
		{CURLOPT_PATH_AS_IS, 1},
		{CURLOPT_DISALLOW_USERNAME_IN_URL, 1},
		{CURLOPT_HTTP09_ALLOWED, 0},
		{CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
		{CURLOPT_NETRC, CURL_NETRC_IGNORED},
		{CURLOPT_TCP_KEEPALIVE, 1},
		/* Servers close idle connections after a minute or less; what is older is not worth the race. */
		{CURLOPT_MAXAGE_CONN, 30},
		/* Over TLS wait to learn whether a connection on its way can be shared (HTTP/2). */
		{CURLOPT_PIPEWAIT, slice_starts_with(request->url, SLICE("https:")) ? 1 : 0},
		{CURLOPT_CONNECTTIMEOUT_MS, timeout_option(request->connect_timeout_ms)},
		{CURLOPT_TIMEOUT_MS, timeout_option(request->total_timeout_ms)},
		{CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
		{CURLOPT_SSL_VERIFYPEER, request->insecure ? 0 : 1},
		{CURLOPT_SSL_VERIFYHOST, request->insecure ? 0 : 2},
	};

	/* Refused by a libcurl that was built without HTTP/2, which then speaks HTTP/1.1. */
	libcurl()->easy_setopt(exchange->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
#if LIBCURL_VERSION_NUM >= 0x075500
	if (libcurl()->easy_setopt(exchange->easy, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK)
		return false;
#else
	if (libcurl()->easy_setopt(exchange->easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)) !=
	    CURLE_OK)
		return false;
#endif
	return set_numbers(exchange->easy, options, sizeof options / sizeof options[0]);
}

static bool set_trust(struct exchange *exchange)
{
	char *path;
	bool fine;

	if (exchange->request->ca_file.size == 0)
		return true;
	path = slice_text(exchange->request->ca_file);
	/* The system's folder of certificates would be trusted beside the bundle. */
	fine = libcurl()->easy_setopt(exchange->easy, CURLOPT_CAINFO, path) == CURLE_OK &&
	       libcurl()->easy_setopt(exchange->easy, CURLOPT_CAPATH, NULL) == CURLE_OK;
	free(path);
	return fine;
}

static bool set_method(struct exchange *exchange, const char *method)
{
	const struct http_request *request = exchange->request;
	/* These announce an empty body too (RFC 9110, 8.6). */
	bool upload = request->body.size > 0 || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 ||
		      strcmp(method, "PATCH") == 0;
	CURLoption kind = upload ? CURLOPT_UPLOAD : strcmp(method, "HEAD") == 0 ? CURLOPT_NOBODY : CURLOPT_HTTPGET;

	return libcurl()->easy_setopt(exchange->easy, kind, 1L) == CURLE_OK &&
	       libcurl()->easy_setopt(exchange->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->body.size) ==
		       CURLE_OK &&
	       libcurl()->easy_setopt(exchange->easy, CURLOPT_CUSTOMREQUEST, method) == CURLE_OK;
}

static bool set_callbacks(struct exchange *exchange)
{
	CURL *easy = exchange->easy;

	return libcurl()->easy_setopt(easy, CURLOPT_PRIVATE, exchange) == CURLE_OK &&
	       libcurl()->easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->curl_detail) == CURLE_OK &&
	       libcurl()->easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_send) == CURLE_OK &&
	       libcurl()->easy_setopt(easy, CURLOPT_PREREQDATA, exchange) == CURLE_OK &&
	       libcurl()->easy_setopt(easy, CURLOPT_READFUNCTION, give_body) == CURLE_OK &&
	       libcurl()->easy_setopt(easy, CURLOPT_READDATA, exchange) == CURLE_OK &&
	       libcurl()->easy_setopt(easy, CURLOPT_SEEKFUNCTION, rewind_body) == CURLE_OK &&
	       libcurl()->easy_setopt(easy, CURLOPT_SEEKDATA, exchange) == CURLE_OK &&
	       libcurl()->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
	       libcurl()->easy_setopt(easy, CURLOPT_WRITEDATA, exchange) == CURLE_OK &&
	       libcurl()->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header) == CURLE_OK &&
	       libcurl()->easy_setopt(easy, CURLOPT_HEADERDATA, exchange) == CURLE_OK;
}

static bool set_options(struct exchange *exchange, const char *url, const char *method)
{
	return set_callbacks(exchange) && set_limits(exchange) && set_trust(exchange) && set_method(exchange, method) &&
	       set_header_lines(exchange) &&
	       libcurl()->easy_setopt(exchange->easy, CURLOPT_ACCEPT_ENCODING, "gzip") == CURLE_OK &&
	       libcurl()->easy_setopt(exchange->easy, CURLOPT_URL, url) == CURLE_OK;
}

static bool ready_handle(struct exchange *exchange, const struct http_request *request)
{
	char *url = slice_text(request->url);
	char *method = slice_text(request->method);
	const char *problem;
	bool fine;

	if (exchange->easy != NULL)
		libcurl()->easy_reset(exchange->easy);
	else
		exchange->easy = libcurl()->easy_init();
	problem = request_problem(request, url, &exchange->target);
	fine = problem == NULL && exchange->easy != NULL && set_options(exchange, url, method);
	if (problem != NULL)
		exchange_stop(exchange, CURLE_URL_MALFORMAT, "%s", problem);
	else if (!fine)
		exchange_stop(exchange, CURLE_FAILED_INIT, "libcurl refuses the request's settings");
	free(url);
	free(method);
	return fine;
}

bool exchange_prepare(struct exchange *exchange, const struct http_request *request, http_done *done, void *context)
{
	exchange->request = request;
	exchange->done = done;
	exchange->context = context;
	if (request->asks_for_key)
		buffer_init_wiped(&exchange->body, request->response_limit_bytes);
	else
		buffer_init(&exchange->body, request->response_limit_bytes);
	if (libcurl() != NULL)
		return ready_handle(exchange, request);
	exchange_stop(exchange, CURLE_FAILED_INIT, "%s", libcurl_problem());
	return false;
}

/* A server's bytes may stand in libcurl's words. */
static void clean_detail(char *text)
{
	size_t size = strlen(text);

	while (size > 0 && (text[size - 1] == '.' || text[size - 1] == '\n' || text[size - 1] == ' '))
		text[--size] = '\0';
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] >= 0x7f)
			text[i] = '?';
}

/* libcurl quotes the URL of a proxy that it cannot use whole, with its password; a scheme need not stand before it. */
static bool quotes_proxy(const struct exchange *exchange)
{
	return exchange->stopped == CURLE_OK &&
	       (strstr(exchange->curl_detail, "://") != NULL || strchr(exchange->curl_detail, '@') != NULL);
}

/* Our words, else the system's on a connection that failed, else libcurl's. */
static const char *failure_detail(struct exchange *exchange, CURLcode code)
{
	char *ret = exchange->stopped != CURLE_OK ? exchange->detail : exchange->curl_detail;
	long error = 0;

	if (quotes_proxy(exchange))
		return "it is not shown, as it may hold a password";
	if (exchange->stopped == CURLE_OK && code == CURLE_COULDNT_CONNECT &&
	    libcurl()->easy_getinfo(exchange->easy, CURLINFO_OS_ERRNO, &error) == CURLE_OK && error != 0)
		return strerror((int)error);
	clean_detail(ret);
	return ret[0] != '\0' ? ret : libcurl()->easy_strerror(code);
}

static const struct curl_fault *fault_of(const struct exchange *exchange, CURLcode code)
{
	const struct curl_fault *row = NULL;
	long proxy_status = 0;

	if (quotes_proxy(exchange))
		return &curl_fault_proxy_url;
	if (exchange->stopped == CURLE_OK &&
	    libcurl()->easy_getinfo(exchange->easy, CURLINFO_HTTP_CONNECTCODE, &proxy_status) == CURLE_OK)
		row = curl_fault_of_proxy(proxy_status);
	return row != NULL ? row : curl_fault_of(code);
}

static void tell_failure(struct exchange *exchange, CURLcode code, struct http_response *ret)
{
	const struct curl_fault *row = fault_of(exchange, code);
	bool ambiguous = exchange->send_count > 0 && exchange->request->mutating;
	bool known = exchange->target.host[0] != '\0';

	snprintf(exchange->message, sizeof exchange->message, "%s %s%s%s%s (%s)%s", row->words,
		 known ? "'" : "the server", exchange->target.host, known ? "' port " : "", exchange->target.port,
		 failure_detail(exchange, code), ambiguous ? "; the request may have been carried out" : "");
	ret->hint = slice_of(row->advice);
	ret->fault = ambiguous ? FAULT_AMBIGUOUS : row->fault;
	ret->message = slice_of(exchange->message);
}

void exchange_answer(struct exchange *exchange, CURLcode result, struct http_header scratch[EXCHANGE_HEADERS_MOST],
		     struct http_response *ret)
{
	CURLcode code = exchange->stopped != CURLE_OK ? exchange->stopped : result;
	struct slice text = buffer_slice(&exchange->header_text);
	long status = 0;

	*ret = (struct http_response){.answered = false};
	if (code == CURLE_OK)
		libcurl()->easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &status);
	if (code == CURLE_OK && (status < 200 || status > 999))
		code = CURLE_WEIRD_SERVER_REPLY;
	/* libcurl takes a connection that closes amid the headers for the end of the answer. */
	if (code == CURLE_OK && !exchange->headers_complete)
		code = CURLE_PARTIAL_FILE;
	if (code != CURLE_OK) {
		tell_failure(exchange, code, ret);
		return;
	}
	for (size_t i = 0; i < exchange->header_count; i++) {
		const struct received_header *header = &exchange->headers[i];

		scratch[i].name = slice_first(slice_from(text, header->name_offset), header->name_size);
		scratch[i].value = slice_first(slice_from(text, header->value_offset), header->value_size);
	}
	ret->answered = true;
	ret->status = (int)status;
	ret->headers = scratch;
	ret->header_count = exchange->header_count;
	ret->body = buffer_slice(&exchange->body);
}
