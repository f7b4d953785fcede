#include "providers/net/request_check.h"

#include <stdio.h>
#include <string.h>

#include "providers/net/libcurl.h"

static bool is_token(struct slice text)
{
	static const char allowed[] = "!#$%&'*+-.^_`|~0123456789"
				      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"; /* RFC 9110, 5.6.2 */

	for (size_t i = 0; i < text.size; i++)
		if (memchr(allowed, text.data[i], sizeof allowed - 1) == NULL)
			return false;
	return text.size > 0;
}

static bool has_control(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (((unsigned char)text.data[i] < 0x20 && text.data[i] != '\t') || text.data[i] == 0x7f)
			return true;
	return false;
}

/* They say where the body ends or what the connection does, which is libcurl's to say. */
static bool is_framing(struct slice name)
{
	static const char *const framing[] = {"content-length", "transfer-encoding", "connection", "expect",
					      "upgrade",	"trailer",	     "te",	   "keep-alive"};

	for (size_t i = 0; i < sizeof framing / sizeof framing[0]; i++)
		if (slice_equal_caseless(name, slice_of(framing[i])))
			return true;
	return false;
}

static const char *header_problem(const struct http_header *header, size_t body_size)
{
	int64_t length = -1;

	if (!is_token(header->name))
		return "a header has a name that HTTP does not allow";
	if (has_control(header->value))
		return "a header's value holds a line break or another control character";
	if (!is_framing(header->name))
		return NULL;
	if (slice_equal_caseless(header->name, SLICE("content-length")) && slice_integer(header->value, &length) &&
	    length >= 0 && (size_t)length == body_size)
		return NULL;
	return "a header tells of the body's length or the connection, which only the transport may";
}

static void take_part(CURLU *parts, CURLUPart part, unsigned flags, char *ret, size_t size)
{
	char *text = NULL;

	if (libcurl()->url_get(parts, part, &text, flags) == CURLUE_OK)
		snprintf(ret, size, "%s", text);
	libcurl()->free(text);
}

static const char *split_url(CURLU *parts, const char *url, struct request_target *ret_target)
{
	char scheme[8] = "";
	CURLUcode code = libcurl()->url_set(parts, CURLUPART_URL, url, CURLU_PATH_AS_IS | CURLU_DISALLOW_USER);

	if (code == CURLUE_USER_NOT_ALLOWED)
		return "the URL holds a user name or password";
	if (code != CURLUE_OK)
		return "the URL is malformed";
	take_part(parts, CURLUPART_SCHEME, 0, scheme, sizeof scheme);
	take_part(parts, CURLUPART_HOST, 0, ret_target->host, sizeof ret_target->host);
	take_part(parts, CURLUPART_PORT, CURLU_DEFAULT_PORT, ret_target->port, sizeof ret_target->port);
	if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
		return "the URL does not begin with http:// or https://";
	return NULL;
}

static const char *url_problem(struct slice given, const char *url, struct request_target *ret_target)
{
	CURLU *parts;
	const char *problem;

	if (given.size > REQUEST_URL_BYTES_MOST)
		return "the URL is too long";
	if (has_control(given) || strpbrk(url, " \t") != NULL)
		return "the URL holds a space or line break";
	parts = libcurl()->url();
	problem = parts != NULL ? split_url(parts, url, ret_target) : "libcurl cannot read the URL";
	libcurl()->url_cleanup(parts);
	return problem;
}

const char *request_problem(const struct http_request *request, const char *url, struct request_target *ret_target)
{
	const char *problem = http_request_refusal(request);

	if (problem == NULL)
		problem = url_problem(request->url, url, ret_target);
	if (problem == NULL && !is_token(request->method))
		problem = "the method is not one that HTTP allows";
	for (size_t i = 0; problem == NULL && i < request->header_count; i++)
		problem = header_problem(&request->headers[i], request->body.size);
	return problem;
}
