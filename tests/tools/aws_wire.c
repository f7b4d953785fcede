/*
 * Lets a test in another language use the AWS wire layer.
 *
 * Standard input: one JSON object a line; standard output: one for each, in the same order.
 *   {"do": "sign", "method", "url", "headers": [[name, value], ...], "body": base64, "access_key",
 *    "secret_key", "session_token", "service", "region", "wall_ms", "path_as_given", "path_encoded_once",
 *    "body_header", "token_unsigned", "expires_s": 0 for headers, else a signed URL}
 *   {"do": "body", "service", "operation", "parameters": {...}}
 *   {"do": "read", "service", "operation", "xml"}
 *   {"do": "error", "status", "headers", "body", "mutating"}
 * Where something fails the answer is {"errors": [message, ...]}.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/json.h"
#include "providers/aws/errors.h"
#include "providers/aws/protocol.h"
#include "providers/aws/sign.h"

enum { LINE_BYTES_MOST = 64 * 1024 * 1024 };

struct wire {
	struct arena arena; /* of one line */
	struct diagnostics diagnostics;
	struct aws_signing_keys keys;
};

static struct slice text_of(const struct value *map, const char *name)
{
	const struct value *value = value_get_named(map, name);

	return value ? value_slice(value) : (struct slice){NULL, 0};
}

static int64_t number_of(const struct value *map, const char *name)
{
	const struct value *value = value_get_named(map, name);

	return value_is(value, VALUE_INTEGER) ? value->integer : 0;
}

static bool flag_of(const struct value *map, const char *name)
{
	const struct value *value = value_get_named(map, name);

	return value_is(value, VALUE_BOOL) && value->boolean;
}

static const struct http_header *headers_of(struct wire *wire, const struct value *map, size_t *ret_count)
{
	const struct value *list = value_get_named(map, "headers");
	struct http_header *headers;

	if (!value_is(list, VALUE_LIST))
		return NULL;
	headers = arena_new_array(&wire->arena, list->count, struct http_header);
	for (uint32_t i = 0; i < list->count; i++)
		headers[i] = (struct http_header){value_slice(&list->items[i].items[0]),
						  value_slice(&list->items[i].items[1])};
	*ret_count = list->count;
	return headers;
}

static void add_text(struct value_builder *builder, const char *name, struct slice text)
{
	value_builder_member(builder, slice_of(name), value_string(text));
}

static struct value list_of_headers(struct wire *wire, const struct aws_signing *signing)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (size_t i = 0; i < signing->header_count; i++) {
		struct value *pair = arena_new_array(&wire->arena, 2, struct value);

		pair[0] = value_string(signing->headers[i].name);
		pair[1] = value_string(signing->headers[i].value);
		value_builder_item(&list, value_list(pair, 2));
	}
	return value_builder_list(&list, &wire->arena);
}

static bool do_sign(struct wire *wire, const struct value *map, struct value_builder *answer)
{
	struct aws_credentials credentials = {text_of(map, "access_key"), text_of(map, "secret_key"),
					      text_of(map, "session_token")};
	struct aws_signing_options options = {
		.service = text_of(map, "service"),
		.region = text_of(map, "region"),
		.wall_ms = number_of(map, "wall_ms"),
		.path_as_given = flag_of(map, "path_as_given"),
		.path_encoded_once = flag_of(map, "path_encoded_once"),
		.body_header = flag_of(map, "body_header"),
		.token_unsigned = flag_of(map, "token_unsigned"),
	};
	struct http_request request = {.method = text_of(map, "method"), .url = text_of(map, "url")};
	int64_t expires_s = number_of(map, "expires_s");
	struct aws_signing signing;
	bool done;

	request.headers = headers_of(wire, map, &request.header_count);
	if (!base64_decode(&wire->arena, text_of(map, "body"), &request.body))
		return diag_error(&wire->diagnostics, FAULT_USER, NOWHERE, "the body is no base64");
	done = expires_s > 0 ? aws_presign(&wire->arena, &request, &credentials, &options, expires_s, &wire->keys,
					   &signing, &wire->diagnostics)
			     : aws_sign(&wire->arena, &request, &credentials, &options, &wire->keys, &signing,
					&wire->diagnostics);
	if (!done)
		return false;
	add_text(answer, "canonical_request", signing.canonical_request);
	add_text(answer, "string_to_sign", signing.string_to_sign);
	add_text(answer, "signature", signing.signature);
	add_text(answer, "url", signing.url);
	value_builder_member(answer, SLICE("headers"), list_of_headers(wire, &signing));
	return true;
}

static const struct aws_operation_shape *operation_of(struct wire *wire, const struct value *map)
{
	const struct aws_service_shape *service = aws_service(text_of(map, "service"));
	const struct aws_operation_shape *operation =
		service ? aws_operation(service, text_of(map, "operation")) : NULL;

	if (!operation)
		diag_error(&wire->diagnostics, FAULT_USER, NOWHERE, "no operation '%.*s'",
			   SLICE_ARGUMENTS(text_of(map, "operation")));
	return operation;
}

static bool do_body(struct wire *wire, const struct value *map, struct value_builder *answer)
{
	const struct aws_operation_shape *operation = operation_of(wire, map);
	BUFFER_AUTO body;

	buffer_init(&body, LINE_BYTES_MOST);
	if (!operation || !aws_request_body(operation, value_get_named(map, "parameters"), &body, &wire->diagnostics))
		return false;
	add_text(answer, "body", arena_copy(&wire->arena, buffer_slice(&body)));
	return true;
}

static bool do_read(struct wire *wire, const struct value *map, struct value_builder *answer)
{
	const struct aws_operation_shape *operation = operation_of(wire, map);
	struct value value;

	if (!operation || !aws_response_read(operation, text_of(map, "xml"), &wire->arena, &value, &wire->diagnostics))
		return false;
	value_builder_member(answer, SLICE("value"), value);
	return true;
}

static bool do_error(struct wire *wire, const struct value *map, struct value_builder *answer)
{
	struct http_response response = {
		.answered = true, .status = (int)number_of(map, "status"), .body = text_of(map, "body")};
	struct aws_error error;

	response.headers = headers_of(wire, map, &response.header_count);
	aws_error_read(&response, flag_of(map, "mutating"), NULL, &wire->arena, &error);
	add_text(answer, "code", error.code);
	add_text(answer, "message", error.message);
	add_text(answer, "request_id", error.request_id);
	value_builder_member(answer, SLICE("fault"), value_integer((int64_t)error.fault));
	return true;
}

static void answer_line(struct wire *wire, struct slice line)
{
	static const struct {
		const char *name;
		bool (*act)(struct wire *, const struct value *, struct value_builder *);
	} acts[] = {{"sign", do_sign}, {"body", do_body}, {"read", do_read}, {"error", do_error}};
	static const struct json_style style = {.clear = true};
	struct value map;
	struct value out;
	bool done = json_read(&wire->arena, line, false, LINE_BYTES_MOST, "the line", &map, &wire->diagnostics);
	VALUE_BUILDER_AUTO answer;
	BUFFER_AUTO text;

	value_builder_init(&answer);
	buffer_init(&text, LINE_BYTES_MOST);
	for (size_t i = 0; done && i < sizeof(acts) / sizeof(acts[0]); i++) {
		if (slice_is(text_of(&map, "do"), acts[i].name))
			done = acts[i].act(wire, &map, &answer);
	}
	out = value_builder_map(&answer, &wire->arena);
	if (!done) {
		for (size_t i = 0; i < wire->diagnostics.count; i++)
			value_builder_item(&answer, value_string(wire->diagnostics.items[i].message));
		struct value errors = value_builder_list(&answer, &wire->arena);
		value_builder_member(&answer, SLICE("errors"), errors);
		out = value_builder_map(&answer, &wire->arena);
	}
	if (!json_write(&text, &out, &style))
		abort();
	puts(text.data);
	fflush(stdout);
}

int main(void)
{
	struct wire wire = {.keys = {.count = 0}};
	char *line = NULL;
	size_t capacity = 0;
	ssize_t size;

	while ((size = getline(&line, &capacity, stdin)) > 0) {
		arena_init(&wire.arena);
		diagnostics_init(&wire.diagnostics, &wire.arena);
		answer_line(&wire, (struct slice){line, (size_t)size});
		diagnostics_release(&wire.diagnostics);
		arena_release(&wire.arena);
	}
	free(line);
	aws_signing_keys_wipe(&wire.keys);
	return 0;
}
