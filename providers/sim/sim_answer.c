#include "providers/sim/sim_call.h"

/* Writes answers in XML: a thing's tree as it stands, lists with their items. */

/* Of what XML cannot carry, in a message about it, each byte as a question mark: an answer is well-formed always. */
static void append(struct buffer *out, struct slice text)
{
	size_t bad = 0;

	while (!slice_fits_xml(text, &bad)) {
		(void)buffer_append(out, slice_first(text, bad));
		(void)buffer_byte(out, '?');
		text = slice_from(text, bad + 1);
	}
	(void)buffer_append(out, text);
}

static void escape(struct buffer *out, struct slice text)
{
	size_t plain = 0;

	for (size_t i = 0; i < text.size; i++) {
		const char *entity = NULL;

		switch (text.data[i]) {
		case '&':
			entity = "&amp;";
			break;
		case '<':
			entity = "&lt;";
			break;
		case '>':
			entity = "&gt;";
			break;
		case '"':
			entity = "&quot;";
			break;
		case '\r':
			entity = "&#xD;";
			break;
		default:
			continue;
		}
		append(out, (struct slice){text.data + plain, i - plain});
		(void)buffer_string(out, entity);
		plain = i + 1;
	}
	append(out, slice_from(text, plain));
}

static void tag(struct buffer *out, const char *open, const char *name)
{
	(void)buffer_string(out, open);
	(void)buffer_string(out, name);
	(void)buffer_byte(out, '>');
}

void sim_out_open(struct sim_call *call, const char *name)
{
	tag(call->out, "<", name);
}

void sim_out_close(struct sim_call *call, const char *name)
{
	tag(call->out, "</", name);
}

void sim_out_text(struct sim_call *call, const char *name, struct slice text)
{
	tag(call->out, "<", name);
	escape(call->out, text);
	tag(call->out, "</", name);
}

void sim_out_string(struct sim_call *call, const char *name, const char *text)
{
	sim_out_text(call, name, slice_of(text));
}

const char *sim_item_name(const struct sim_call *call)
{
	return call->service == SIM_EC2 ? "item" : "member";
}

/* The few lists whose items have a name of their own. */
static const struct {
	const char *list;
	enum node_type type; /* of the items */
	const char *item;
} own_names[] = {
	{"groupSet", NODE_TEXT, "groupId"}, /* of a launch template's network interface */
	{"Reference", NODE_MAP, "item"},    /* of baseline performance factors */
};

static const char *item_name_of(const struct sim_call *call, const char *list, const struct node *item)
{
	for (size_t i = 0; i < sizeof(own_names) / sizeof(own_names[0]); i++)
		if (strcmp(own_names[i].list, list) == 0 && own_names[i].type == item->type)
			return own_names[i].item;
	return sim_item_name(call);
}

void sim_out_members(struct sim_call *call, const struct node *map)
{
	for (uint32_t i = 0; map && i < map->count; i++)
		if (map->items[i].name[0] != '_')
			sim_out_node(call, map->items[i].name, &map->items[i]);
}

void sim_out_node(struct sim_call *call, const char *name, const struct node *node)
{
	if (node->type == NODE_TEXT) {
		sim_out_text(call, name, node_slice(node));
		return;
	}
	sim_out_open(call, name);
	if (node->type == NODE_MAP)
		sim_out_members(call, node);
	for (uint32_t i = 0; node->type == NODE_LIST && i < node->count; i++)
		sim_out_node(call, item_name_of(call, name, &node->items[i]), &node->items[i]);
	sim_out_close(call, name);
}

void sim_out_return(struct sim_call *call, bool good)
{
	sim_out_string(call, "return", good ? "true" : "false");
}
