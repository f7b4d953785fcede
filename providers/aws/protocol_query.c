#include "providers/aws/protocol.h"

#include "base/base64.h"
#include "base/json.h"
#include "providers/aws/uri.h"

/* Where the writer stands: a member of what is above, or an item of a list. */
struct place {
	const struct place *above;
	const struct aws_member *member; /* NULL: an item */
	struct slice item_name;		 /* of an item: empty in the EC2 protocol */
	size_t number;			 /* of an item, from 1 */
};

struct writer {
	const struct aws_operation_shape *operation;
	struct buffer body;
	struct arena arena;
	struct diagnostics *diagnostics;
};

static bool write_value(struct writer *writer, const struct aws_shape *shape, const struct place *place,
			const struct value *value);

static void append_model_path(struct buffer *buffer, const struct place *place)
{
	if (!place)
		return;
	append_model_path(buffer, place->above);
	if (buffer->size > 0)
		buffer_byte(buffer, '.');
	if (place->member)
		buffer_append(buffer, place->member->name);
	else
		buffer_format(buffer, "%zu", place->number - 1);
}

static void append_wire_path(struct buffer *buffer, const struct place *place)
{
	if (place->above) {
		append_wire_path(buffer, place->above);
		buffer_byte(buffer, '.');
	}
	if (place->member) {
		buffer_append(buffer, place->member->request_name);
		return;
	}
	if (place->item_name.size > 0) {
		buffer_append(buffer, place->item_name);
		buffer_byte(buffer, '.');
	}
	buffer_decimal(buffer, place->number);
}

/* "TagSpecifications.0.Tags should be a list and is a string" */
static bool mismatch(struct writer *writer, const struct place *place, struct slice what)
{
	BUFFER_AUTO path;

	buffer_init(&path, 4096);
	append_model_path(&path, place);
	if (path.size == 0)
		buffer_string(&path, "parameters");
	return diag_error(writer->diagnostics, FAULT_INTERNAL, NOWHERE,
			  "the call '%.*s' cannot be written: '%.*s' %.*s", SLICE_ARGUMENTS(writer->operation->name),
			  SLICE_ARGUMENTS(buffer_slice(&path)), SLICE_ARGUMENTS(what));
}

static bool wrong_member(struct writer *writer, const struct place *place, const char *what, struct slice member)
{
	return mismatch(writer, place, arena_format(&writer->arena, "%s '%.*s'", what, SLICE_ARGUMENTS(member)));
}

static void begin_parameter(struct writer *writer, const struct place *place)
{
	buffer_byte(&writer->body, '&');
	append_wire_path(&writer->body, place);
	buffer_byte(&writer->body, '=');
}

static bool write_structure(struct writer *writer, const struct aws_shape *shape, const struct place *above,
			    const struct value *map)
{
	const struct value *given[AWS_MEMBERS_MOST] = {NULL};

	for (uint32_t i = 0; i < map->count; i++) {
		struct slice key = value_slice(&map->members[i].key);
		const struct aws_member *member = aws_member(shape, key);

		if (!member)
			return wrong_member(writer, above, "has no member", key);
		if (given[member - shape->members])
			return wrong_member(writer, above, "holds twice the member", key);
		given[member - shape->members] = &map->members[i].value;
	}
	for (size_t i = 0; i < shape->member_count; i++) {
		struct place place = {.above = above, .member = &shape->members[i]};

		if (!given[i] && (shape->members[i].flags & AWS_MEMBER_REQUIRED) != 0)
			return wrong_member(writer, above, "lacks the member", shape->members[i].name);
		if (given[i] && !write_value(writer, shape->members[i].shape, &place, given[i]))
			return false;
	}
	return true;
}

static bool write_list(struct writer *writer, const struct aws_shape *shape, const struct place *above,
		       const struct value *list)
{
	bool query = writer->operation->service->protocol == AWS_PROTOCOL_QUERY;

	/* The query protocol tells an empty list from none; EC2 has no way to say it. */
	if (list->count == 0 && query)
		begin_parameter(writer, above);
	for (uint32_t i = 0; i < list->count; i++) {
		struct place place = {.above = above, .number = (size_t)i + 1};

		if (query)
			place.item_name = shape->item_name;
		if (!write_value(writer, shape->item, &place, &list->items[i]))
			return false;
	}
	return true;
}

static bool write_text(struct writer *writer, const struct aws_shape *shape, const struct place *place,
		       const struct value *value)
{
	struct slice text = value_slice(value);

	(void)shape;
	begin_parameter(writer, place);
	aws_uri_encode(&writer->body, text, false);
	return true;
}

static bool write_blob(struct writer *writer, const struct aws_shape *shape, const struct place *place,
		       const struct value *value)
{
	(void)shape;
	begin_parameter(writer, place);
	aws_uri_encode(&writer->body, base64_encode(&writer->arena, value_slice(value)), false);
	return true;
}

static bool write_boolean(struct writer *writer, const struct aws_shape *shape, const struct place *place,
			  const struct value *value)
{
	(void)shape;
	begin_parameter(writer, place);
	buffer_string(&writer->body, value->boolean ? "true" : "false");
	return true;
}

static bool write_number(struct writer *writer, const struct aws_shape *shape, const struct place *place,
			 const struct value *value)
{
	static const struct json_style plain = {.clear = true};
	BUFFER_AUTO text;

	(void)shape;
	buffer_init(&text, 64);
	if (!json_write(&text, value, &plain))
		return mismatch(writer, place, SLICE("is no number that can be written"));
	begin_parameter(writer, place);
	aws_uri_encode(&writer->body, buffer_slice(&text), false);
	return true;
}

static const struct {
	const char *name;
	enum value_type accepts;
	enum value_type accepts_too;
	bool (*write)(struct writer *, const struct aws_shape *, const struct place *, const struct value *);
} types[] = {
	[AWS_STRUCTURE] = {"a map", VALUE_MAP, VALUE_MAP, write_structure},
	[AWS_LIST] = {"a list", VALUE_LIST, VALUE_LIST, write_list},
	[AWS_STRING] = {"a string", VALUE_STRING, VALUE_STRING, write_text},
	[AWS_INTEGER] = {"a whole number", VALUE_INTEGER, VALUE_INTEGER, write_number},
	[AWS_LONG] = {"a whole number", VALUE_INTEGER, VALUE_INTEGER, write_number},
	[AWS_DOUBLE] = {"a number", VALUE_NUMBER, VALUE_INTEGER, write_number},
	[AWS_FLOAT] = {"a number", VALUE_NUMBER, VALUE_INTEGER, write_number},
	[AWS_BOOLEAN] = {"a boolean", VALUE_BOOL, VALUE_BOOL, write_boolean},
	[AWS_TIMESTAMP] = {"a string", VALUE_STRING, VALUE_STRING, write_text},
	[AWS_BLOB] = {"a string", VALUE_STRING, VALUE_STRING, write_blob},
};

static bool write_value(struct writer *writer, const struct aws_shape *shape, const struct place *place,
			const struct value *value)
{
	if (value->type != types[shape->type].accepts && value->type != types[shape->type].accepts_too) {
		return mismatch(writer, place,
				arena_format(&writer->arena, "should be %s and is %s", types[shape->type].name,
					     value_type_name(value->type)));
	}
	return types[shape->type].write(writer, shape, place, value);
}

bool aws_request_body(const struct aws_operation_shape *operation, const struct value *parameters, struct buffer *body,
		      struct diagnostics *diagnostics)
{
	static const struct aws_shape nothing = {.type = AWS_STRUCTURE};
	struct writer writer = {.operation = operation, .diagnostics = diagnostics};
	bool done;

	arena_init(&writer.arena);
	buffer_init(&writer.body, body->limit_bytes);
	buffer_string(&writer.body, "Action=");
	buffer_append(&writer.body, operation->name);
	buffer_string(&writer.body, "&Version=");
	buffer_append(&writer.body, operation->service->api_version);
	done = write_value(&writer, operation->input ? operation->input : &nothing, NULL, parameters);
	if (done && (writer.body.full || !buffer_append(body, buffer_slice(&writer.body))))
		done = diag_error(diagnostics, FAULT_USER, NOWHERE, "the call '%.*s' is longer than %zu bytes",
				  SLICE_ARGUMENTS(operation->name), body->limit_bytes);
	buffer_release(&writer.body);
	arena_release(&writer.arena);
	return done;
}
