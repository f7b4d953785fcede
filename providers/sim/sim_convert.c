#include "providers/sim/sim_convert.h"

#include <stdio.h>

#include "base/json.h"
#include "providers/sim/sim_state.h"

void sim_node_json(struct buffer *buffer, const struct node *node)
{
	if (node->type == NODE_TEXT) {
		(void)json_write_string(buffer, node_slice(node));
		return;
	}
	(void)buffer_byte(buffer, node->type == NODE_LIST ? '[' : '{');
	for (uint32_t i = 0; i < node->count; i++) {
		if (i > 0)
			(void)buffer_byte(buffer, ',');
		if (node->type == NODE_MAP) {
			(void)json_write_string(buffer, slice_of(node->items[i].name));
			(void)buffer_byte(buffer, ':');
		}
		sim_node_json(buffer, &node->items[i]);
	}
	(void)buffer_byte(buffer, node->type == NODE_LIST ? ']' : '}');
}

static void read_scalar(struct node *to, const struct value *value)
{
	char text[64] = "";

	switch ((enum value_type)value->type) {
	case VALUE_STRING:
		node_assign(to, value_slice(value));
		return;
	case VALUE_BOOL:
		(void)snprintf(text, sizeof(text), "%s", value->boolean ? "true" : "false");
		break;
	case VALUE_INTEGER:
		(void)snprintf(text, sizeof(text), "%lld", (long long)value->integer);
		break;
	case VALUE_NUMBER:
		(void)snprintf(text, sizeof(text), "%.17g", value->number);
		break;
	case VALUE_NULL:
	case VALUE_LIST:
	case VALUE_MAP:
	case VALUE_DEFERRED:
	case VALUE_UNREAD:
		break;
	}
	node_assign(to, slice_of(text));
}

void sim_node_read(struct sim *sim, struct node *to, const struct value *value)
{
	if (value_is(value, VALUE_MAP)) {
		node_reset(to, NODE_MAP);
		for (uint32_t i = 0; i < value->count; i++) {
			const char *name = sim_intern(sim, value_slice(&value->members[i].key));

			sim_node_read(sim, node_set(to, name, ""), &value->members[i].value);
		}
	} else if (value_is(value, VALUE_LIST)) {
		node_reset(to, NODE_LIST);
		for (uint32_t i = 0; i < value->count; i++)
			sim_node_read(sim, node_append(to, NODE_TEXT), &value->items[i]);
	} else {
		read_scalar(to, value);
	}
}

const char *sim_shown_name(const char *name)
{
	return name + (name[0] == '_');
}

struct value sim_node_value(struct arena *arena, const struct node *node)
{
	if (node->type == NODE_TEXT)
		return value_string(arena_copy(arena, node_slice(node)));
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < node->count; i++) {
		struct value child = sim_node_value(arena, &node->items[i]);

		if (node->type == NODE_LIST)
			value_builder_item(&builder, child);
		else
			value_builder_member(&builder, arena_copy(arena, slice_of(sim_shown_name(node->items[i].name))),
					     child);
	}
	return node->type == NODE_LIST ? value_builder_list(&builder, arena) : value_builder_map(&builder, arena);
}

const struct sim_type *sim_type_named(struct slice name)
{
	for (size_t i = 0; i < SIM_TYPE_COUNT; i++)
		if (slice_is(name, sim_types[i]->name))
			return sim_types[i];
	return NULL;
}
