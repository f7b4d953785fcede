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

/* What nearly every text consists of: what neither is escaped nor can be out of place. */
static size_t plain_size(struct slice text)
{
	size_t size = 0;

	while (size < text.size && text.data[size] >= ' ' && text.data[size] <= '~' && text.data[size] != '&' &&
	       text.data[size] != '<' && text.data[size] != '>' && text.data[size] != '"')
		size++;
	return size;
}

static const char *entity_of(char byte)
{
	switch (byte) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\r':
		return "&#xD;";
	default:
		return NULL;
	}
}

static void escape(struct buffer *out, struct slice text)
{
	while (text.size > 0) {
		size_t plain = plain_size(text), other = plain;

		(void)buffer_append(out, slice_first(text, plain));
		while (other < text.size && !entity_of(text.data[other]) &&
		       (text.data[other] < ' ' || text.data[other] > '~'))
			other++;
		append(out, (struct slice){text.data + plain, other - plain});
		text = slice_from(text, other);
		while (text.size > 0 && entity_of(text.data[0])) {
			(void)buffer_string(out, entity_of(text.data[0]));
			text = slice_from(text, 1);
		}
	}
}

static void tag(struct buffer *out, struct slice open, struct slice name)
{
	(void)buffer_append(out, open);
	(void)buffer_append(out, name);
	(void)buffer_byte(out, '>');
}

void sim_out_open(struct sim_call *call, const char *name)
{
	tag(call->out, SLICE("<"), slice_of(name));
}

void sim_out_close(struct sim_call *call, const char *name)
{
	tag(call->out, SLICE("</"), slice_of(name));
}

void sim_out_text(struct sim_call *call, const char *name, struct slice text)
{
	struct slice own = slice_of(name);

	tag(call->out, SLICE("<"), own);
	escape(call->out, text);
	tag(call->out, SLICE("</"), own);
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

void sim_out_return(struct sim_call *call)
{
	sim_out_string(call, "return", "true");
}
