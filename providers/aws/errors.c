#include "providers/aws/errors.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "providers/aws/excerpt.h"

enum {
	DEPTH_MOST = 16,
	MESSAGE_BYTES_MOST = 16 * 1024,
	BODY_BYTES_MOST = 1 << 20,
	/* In UTF-8 a byte of the body may take two. */
	TEXT_BYTES_MOST = 2 * BODY_BYTES_MOST,
	HTTP_PROXY_AUTHENTICATION = 407,
	RETRY_AFTER_S_MOST = 60, /* a server that asks for more is asked again all the same */
};

enum field { FIELD_NONE, FIELD_CODE, FIELD_MESSAGE, FIELD_REQUEST_ID, FIELD_COUNT };

/*
 * EC2: Response > Errors > Error > Code, Message; Response > RequestID.
 * Query: ErrorResponse > Error > Code, Message; ErrorResponse > RequestId.
 */
static const struct {
	const char *name;
	const char *above; /* NULL: anywhere */
	enum field field;
} fields[] = {
	{"Code", "Error", FIELD_CODE},	       {"Message", "Error", FIELD_MESSAGE},
	{"RequestID", NULL, FIELD_REQUEST_ID}, {"RequestId", NULL, FIELD_REQUEST_ID},
	{"requestId", NULL, FIELD_REQUEST_ID},
};

struct reader {
	XML_Parser parser;
	size_t elements;
	bool in_error[DEPTH_MOST + 1]; /* whether the open element of this depth is Error */
	enum field field;	       /* being read */
	size_t field_depth;
	struct buffer texts[FIELD_COUNT];
};

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
	struct reader *reader = context;
	const char *colon = strchr(name, ':');

	(void)attributes;
	if (reader->elements == DEPTH_MOST) {
		XML_StopParser(reader->parser, XML_FALSE);
		return;
	}
	name = colon ? colon + 1 : name;
	reader->elements++;
	reader->in_error[reader->elements] = strcmp(name, "Error") == 0;
	if (reader->field != FIELD_NONE)
		return;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		bool here = strcmp(name, fields[i].name) == 0 &&
			    (!fields[i].above || reader->in_error[reader->elements - 1]);

		/* The first of several errors counts. */
		if (here && reader->texts[fields[i].field].size == 0) {
			reader->field = fields[i].field;
			reader->field_depth = reader->elements;
		}
	}
}

static void XMLCALL on_end(void *context, const XML_Char *name)
{
	struct reader *reader = context;

	(void)name;
	if (reader->elements == reader->field_depth)
		reader->field = FIELD_NONE;
	if (reader->elements > 0)
		reader->elements--;
}

static void XMLCALL on_text(void *context, const XML_Char *text, int size)
{
	struct reader *reader = context;

	if (reader->field != FIELD_NONE && reader->elements == reader->field_depth)
		buffer_append(&reader->texts[reader->field], (struct slice){text, (size_t)size});
}

static void XMLCALL on_doctype(void *context, const XML_Char *name, const XML_Char *system, const XML_Char *public,
			       int has_subset)
{
	struct reader *reader = context;

	(void)name;
	(void)system;
	(void)public;
	(void)has_subset;
	XML_StopParser(reader->parser, XML_FALSE);
}

/* Takes what it finds: an error cut short is still worth its code. */
static void read_xml(struct slice body, struct arena *arena, struct aws_error *error)
{
	static const XML_Memory_Handling_Suite memory = {memory_get, memory_resize, free};
	struct reader reader = {.parser = XML_ParserCreate_MM(NULL, &memory, NULL)};

	for (size_t i = 0; i < FIELD_COUNT; i++)
		buffer_init(&reader.texts[i], TEXT_BYTES_MOST);
	XML_SetUserData(reader.parser, &reader);
	XML_SetElementHandler(reader.parser, on_start, on_end);
	XML_SetCharacterDataHandler(reader.parser, on_text);
	XML_SetStartDoctypeDeclHandler(reader.parser, on_doctype);
	if (XML_Parse(reader.parser, body.data, (int)body.size, XML_TRUE) != XML_STATUS_OK &&
	    reader.field != FIELD_NONE)
		buffer_clear(&reader.texts[reader.field]);
	error->code = arena_copy(arena, slice_trim(buffer_slice(&reader.texts[FIELD_CODE])));
	error->message = arena_copy(arena, slice_trim(buffer_slice(&reader.texts[FIELD_MESSAGE])));
	error->request_id = arena_copy(arena, slice_trim(buffer_slice(&reader.texts[FIELD_REQUEST_ID])));
	for (size_t i = 0; i < FIELD_COUNT; i++)
		buffer_release(&reader.texts[i]);
	XML_ParserFree(reader.parser);
}

/* What is untold goes first: nobody would find a half of it. */
struct slice aws_error_shorten(struct slice message, const struct redaction *untold, struct arena *arena)
{
	size_t size = MESSAGE_BYTES_MOST;

	if (message.size <= MESSAGE_BYTES_MOST)
		return message;
	message = redaction_shown(untold, message, arena);
	if (message.size <= MESSAGE_BYTES_MOST)
		return message;
	/* Before a character of several bytes, not within it. */
	while (size > 0 && (message.data[size] & 0xc0) == 0x80)
		size--;
	return arena_format(arena, "%.*s...", SLICE_ARGUMENTS(slice_first(message, size)));
}

static bool is_word(struct slice text, const char *bytes, size_t most)
{
	for (size_t i = 0; i < text.size; i++)
		if (!memchr(bytes, text.data[i], strlen(bytes)))
			return false;
	return text.size <= most;
}

bool aws_error_is_code(struct slice code)
{
	enum { BYTES_MOST = 64 };

	return is_word(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.#", BYTES_MOST);
}

bool aws_error_is_request_id(struct slice id)
{
	enum { BYTES_MOST = 36 };

	return is_word(id, "0123456789ABCDEFabcdef-", BYTES_MOST);
}

static struct slice header(const struct http_response *response, const char *name)
{
	return http_header_value(response->headers, response->header_count, name);
}

static struct slice header_request_id(const struct http_response *response)
{
	struct slice id = header(response, "x-amzn-requestid");

	return id.size > 0 ? id : header(response, "x-amz-request-id");
}

static bool is_html(struct slice body)
{
	struct slice text = slice_trim(body);

	return slice_equal_caseless(slice_first(text, 5), SLICE("<html")) ||
	       slice_equal_caseless(slice_first(text, 9), SLICE("<!doctype"));
}

/* The library that moto serves with, and no proxy: https://werkzeug.palletsprojects.com */
static bool is_werkzeug(const struct http_response *response)
{
	return slice_starts_with(header(response, "server"), SLICE("Werkzeug"));
}

/* How moto says that it does not know an action: AWS and all others name a code. */
static bool lacks_operation(const struct http_response *response)
{
	switch (response->status) {
	case 404:
	case 405:
	case 501:
		return true;
	case 500:
		return is_html(response->body) && header_request_id(response).size == 0;
	default:
		return false;
	}
}

/*
 * An answer that is none of the API's: AWS names a code with whatever it refuses. A proxy on the way, or a filter that
 * lets no answer through, may say so after a change was made: of a change such an answer says nothing, unless it tells
 * that the request was not passed on. Nor does it say what the service knows: what reads is not answered.
 */
static enum fault fault_without_code(const struct http_response *response, bool mutating)
{
	if (is_werkzeug(response) && lacks_operation(response))
		return FAULT_UNSUPPORTED;
	enum fault fault = aws_error_fault((struct slice){NULL, 0}, response->status, mutating);
	bool was_held_back = response->status == HTTP_PROXY_AUTHENTICATION || fault == FAULT_THROTTLED;

	return mutating && !was_held_back ? FAULT_AMBIGUOUS : fault;
}

static bool is_redirect(const struct http_response *response)
{
	return response->status >= 300 && response->status < 400;
}

static struct slice hint_without_code(const struct http_response *response)
{
	if (is_redirect(response))
		return SLICE("redirects are not followed, as a request is signed for one host: name the server "
			     "itself as the endpoint");
	if (response->status == HTTP_PROXY_AUTHENTICATION)
		return SLICE("the proxy wants another user and password: check http_proxy");
	return (struct slice){NULL, 0};
}

static struct slice message_without_code(const struct http_response *response, enum fault fault,
					 const struct redaction *untold, struct arena *arena)
{
	struct slice excerpt = aws_excerpt(arena, untold, response->body);

	if (fault == FAULT_UNSUPPORTED)
		return arena_format(arena, "this endpoint does not know the operation (HTTP %d)", response->status);
	if (is_redirect(response))
		return arena_format(arena, "the endpoint points elsewhere (HTTP %d)", response->status);
	if (excerpt.size == 0)
		return arena_format(arena, "HTTP %d with an empty answer", response->status);
	return arena_format(arena, "HTTP %d with an answer that is no AWS error: %.*s", response->status,
			    SLICE_ARGUMENTS(excerpt));
}

/* Seconds only: AWS sends no dates there. */
static int64_t retry_after_ms(const struct http_response *response)
{
	int64_t seconds;

	if (!slice_integer(header(response, "retry-after"), &seconds) || seconds < 0)
		return 0;
	return (seconds < RETRY_AFTER_S_MOST ? seconds : RETRY_AFTER_S_MOST) * 1000;
}

void aws_error_read(const struct http_response *response, bool mutating, const struct redaction *untold,
		    struct arena *arena, struct aws_error *ret)
{
	struct aws_error error = {0};

	if (!response->answered) {
		error.fault = response->fault;
		error.message = arena_copy(arena, response->message);
		error.hint = arena_copy(arena, response->hint);
		*ret = error;
		return;
	}
	error.status = response->status;
	error.retry_after_ms = retry_after_ms(response);
	if (response->body.size > 0 && response->body.size <= BODY_BYTES_MOST)
		read_xml(response->body, arena, &error);
	error.message = aws_error_shorten(error.message, untold, arena);
	if (error.request_id.size == 0)
		error.request_id = arena_copy(arena, header_request_id(response));
	if (error.code.size > 0) {
		error.fault = aws_error_fault(error.code, error.status, mutating);
	} else {
		error.fault = fault_without_code(response, mutating);
		/* moto has the same page for what it does not know and for an accident of its own. */
		error.doubted = error.fault == FAULT_UNSUPPORTED && response->status == 500 && !mutating;
		error.message = message_without_code(response, error.fault, untold, arena);
		error.hint = hint_without_code(response);
	}
	*ret = error;
}
