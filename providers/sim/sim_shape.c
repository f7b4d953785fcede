#include <ctype.h>
#include <stdlib.h>

#include "base/memory.h"
#include "providers/sim/sim_call.h"

/* Reads the tables of parameters, and requests by them. */

struct reader {
	const char *at;
	struct arena *arena;
	enum sim_service service;
};

static const struct sim_shape *read_members(struct reader *reader, size_t *ret_count);

static struct slice word(struct reader *reader)
{
	const char *start = reader->at;

	while (isalnum((unsigned char)*reader->at) || *reader->at == '_')
		reader->at++;
	return (struct slice){start, (size_t)(reader->at - start)};
}

static const char *answer_name(struct reader *reader, struct slice name)
{
	char *copy = arena_get(reader->arena, name.size + 1);

	memcpy(copy, name.data, name.size);
	if (reader->service == SIM_EC2)
		copy[0] = (char)tolower((unsigned char)copy[0]);
	return copy;
}

static bool take(struct reader *reader, const char *text)
{
	size_t size = strlen(text);

	if (strncmp(reader->at, text, size) != 0)
		return false;
	reader->at += size;
	return true;
}

static struct sim_shape read_member(struct reader *reader)
{
	struct slice name = word(reader);
	struct sim_shape shape = {.name = arena_string(reader->arena, name), .type = 's'};

	if (take(reader, "="))
		shape.answer = arena_string(reader->arena, word(reader));
	else
		shape.answer = answer_name(reader, name);
	if (take(reader, ":"))
		shape.type = *reader->at++;
	shape.required = take(reader, "!");
	shape.list = take(reader, "[]");
	if (take(reader, "{")) {
		shape.type = 'm';
		shape.members = read_members(reader, &shape.member_count);
		reader->at += *reader->at == '}';
	}
	return shape;
}

static const struct sim_shape *read_members(struct reader *reader, size_t *ret_count)
{
	struct sim_shape *members = NULL;
	size_t count = 0, capacity = 0;

	for (;;) {
		reader->at += strspn(reader->at, " ");
		if (!isalpha((unsigned char)*reader->at))
			break;
		members = memory_room(members, count, &capacity, sizeof(*members));
		members[count++] = read_member(reader);
	}
	struct sim_shape *lasting = arena_new_array(reader->arena, count + 1, struct sim_shape);
	if (count > 0)
		memcpy(lasting, members, count * sizeof(*members));
	free(members);
	*ret_count = count;
	return lasting;
}

struct sim_shape *sim_shape_read(struct arena *arena, const char *text, enum sim_service service)
{
	struct reader reader = {text, arena, service};
	struct sim_shape *shape = arena_new(arena, struct sim_shape);

	shape->type = 'm';
	shape->members = read_members(&reader, &shape->member_count);
	return shape;
}

static const struct sim_shape *member_named(const struct sim_shape *shape, struct slice name)
{
	for (size_t i = 0; i < shape->member_count; i++)
		if (slice_is(name, shape->members[i].name))
			return &shape->members[i];
	return NULL;
}

const struct sim_shape *sim_shape_member(const struct sim_shape *shape, const char *path)
{
	struct slice rest = slice_of(path);

	while (shape && rest.size > 0)
		shape = member_named(shape, slice_cut(&rest, '.'));
	return shape;
}

static void copy_one(const struct sim_shape *shape, const struct node *from, struct node *to)
{
	if (shape->type != 'm') {
		node_assign(to, node_slice(from));
		return;
	}
	node_reset(to, NODE_MAP);
	sim_copy_members(shape, from, to);
}

void sim_copy_members(const struct sim_shape *shape, const struct node *request, struct node *body)
{
	for (size_t i = 0; i < shape->member_count; i++) {
		const struct sim_shape *member = &shape->members[i];
		const struct node *from = node_get(request, member->name);

		if (!from)
			continue;
		if (!member->list) {
			copy_one(member, from, node_set(body, member->answer, ""));
			continue;
		}
		struct node *list = node_list(body, member->answer);
		node_reset(list, NODE_LIST);
		for (uint32_t at = 0; from->type == NODE_LIST && at < from->count; at++)
			copy_one(member, &from->items[at], node_append(list, NODE_TEXT));
	}
}

void sim_copy_parameter(struct sim_call *call, const char *path, struct node *body)
{
	const struct sim_shape *shape = call->shape;
	const struct node *request = &call->request;
	struct slice rest = slice_of(path);

	while (shape && request && rest.size > 0) {
		shape = member_named(shape, slice_cut(&rest, '.'));
		request = shape ? node_get(request, shape->name) : NULL;
	}
	if (shape && request)
		sim_copy_members(shape, request, body);
}

static bool is_boolean(struct slice text)
{
	return slice_is(text, "true") || slice_is(text, "false") || slice_is(text, "True") || slice_is(text, "False") ||
	       slice_is(text, "1") || slice_is(text, "0");
}

/* Where a parameter stands, written only where something is said of it. */
struct place {
	const struct place *above; /* NULL: a parameter of the action itself */
	const char *name;	   /* NULL: an item of the list above */
	unsigned number;	   /* of the item, from 1 */
};

enum { PATH_BYTES_MOST = 600 };

static void append_path(struct buffer *path, const struct place *place)
{
	if (place->above) {
		append_path(path, place->above);
		(void)buffer_byte(path, '.');
	}
	if (place->name)
		(void)buffer_string(path, place->name);
	else
		(void)buffer_decimal(path, place->number);
}

static const char *path_of(struct sim_call *call, const struct place *place)
{
	BUFFER_AUTO path;

	buffer_init(&path, PATH_BYTES_MOST);
	append_path(&path, place);
	return arena_string(call->arena, buffer_slice(&path));
}

static void not_recognized(struct sim_call *call, const char *code, const struct place *place)
{
	sim_fail(call, code, "The parameter %s is not recognized", path_of(call, place));
}

static void check_scalar(struct sim_call *call, const struct sim_shape *shape, const struct node *node,
			 const struct place *place)
{
	const char *invalid = call->service == SIM_EC2 ? "InvalidParameterValue" : "MalformedInput";
	struct slice text = node_slice(node);
	int64_t number;

	if (node->type != NODE_TEXT)
		not_recognized(call, "UnknownParameter", place);
	else if (shape->type == 'i' && !slice_integer(text, &number))
		sim_fail(call, invalid, "Value (%.*s) for parameter %s is invalid. Invalid integer value",
			 SLICE_ARGUMENTS(text), path_of(call, place));
	else if (shape->type == 'b' && !is_boolean(text))
		sim_fail(call, invalid, "Value (%.*s) for parameter %s is invalid. Invalid boolean value",
			 SLICE_ARGUMENTS(text), path_of(call, place));
}

static void check_map(struct sim_call *call, const struct sim_shape *shape, const struct node *request,
		      const struct place *above);

static void check_one(struct sim_call *call, const struct sim_shape *shape, const struct node *node,
		      const struct place *place)
{
	if (shape->type != 'm')
		check_scalar(call, shape, node, place);
	else if (node->type == NODE_MAP)
		check_map(call, shape, node, place);
	else if (node->type == NODE_LIST || node->count > 0)
		not_recognized(call, "UnknownParameter", place);
}

static void check_member(struct sim_call *call, const struct sim_shape *shape, const struct node *node,
			 const struct place *place)
{
	if (!shape->list) {
		check_one(call, shape, node, place);
		return;
	}
	/* The query protocol sends an empty list as an empty text. */
	if (node->type == NODE_TEXT && node->count == 0 && call->service != SIM_EC2)
		return;
	if (node->type != NODE_LIST) {
		not_recognized(call, "UnknownParameter", place);
		return;
	}
	for (uint32_t i = 0; i < node->count; i++)
		check_one(call, shape, &node->items[i], &(struct place){.above = place, .number = (unsigned)i + 1});
}

static void missing(struct sim_call *call, const struct place *place)
{
	if (call->service == SIM_EC2)
		sim_fail(call, "MissingParameter", "The request must contain the parameter %s", path_of(call, place));
	else
		sim_fail(
			call, "ValidationError",
			"1 validation error detected: Value null at '%s' failed to satisfy constraint: Member must not "
			"be null",
			path_of(call, place));
}

static void check_map(struct sim_call *call, const struct sim_shape *shape, const struct node *request,
		      const struct place *above)
{
	for (uint32_t i = 0; i < request->count && !call->failed; i++) {
		const struct node *node = &request->items[i];
		const struct sim_shape *member = member_named(shape, slice_of(node->name));
		struct place place = {.above = above, .name = node->name};

		if (member)
			check_member(call, member, node, &place);
		else
			not_recognized(call, call->service == SIM_EC2 ? "UnknownParameter" : "ValidationError", &place);
	}
	for (size_t i = 0; i < shape->member_count && !call->failed; i++)
		if (shape->members[i].required && !node_get(request, shape->members[i].name))
			missing(call, &(struct place){.above = above, .name = shape->members[i].name});
}

void sim_shape_check(struct sim_call *call)
{
	check_map(call, call->shape, &call->request, NULL);
}
