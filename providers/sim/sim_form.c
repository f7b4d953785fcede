#include "base/hex.h"
#include "providers/sim/sim_call.h"

/* application/x-www-form-urlencoded bodies whose names are paths: "Tag.1.Key=Name". */

enum {
	FORM_MOST_BYTES = 4 << 20,
	PATH_MOST_STEPS = 16,
	LIST_MOST_ITEMS = 5000,
	SHOWN_BYTES = 200,
};

/* Stands in a list for an index that has not been seen; unseen ones are taken out at the end. */
static const char gap[] = "(gap)";

bool sim_url_decode(struct arena *arena, struct slice text, struct slice *ret)
{
	char *to = arena_get(arena, text.size + 1);
	size_t size = 0;

	for (size_t i = 0; i < text.size; i++) {
		char byte = text.data[i];

		if (byte == '%') {
			int high = i + 2 < text.size ? hex_digit(text.data[i + 1]) : -1;
			int low = i + 2 < text.size ? hex_digit(text.data[i + 2]) : -1;

			if (high < 0 || low < 0)
				return false;
			byte = (char)(high * 16 + low);
			i += 2;
		} else if (byte == '+') {
			byte = ' ';
		}
		to[size++] = byte;
	}
	*ret = (struct slice){to, size};
	return true;
}

static struct node *item_at(struct node *list, size_t number)
{
	while (list->count < number)
		node_append(list, NODE_TEXT)->name = gap;
	struct node *item = &list->items[number - 1];
	if (item->name == gap)
		item->name = NULL;
	return item;
}

static struct node *child_at(struct sim_call *call, struct node *map, struct slice name)
{
	for (uint32_t i = 0; i < map->count; i++)
		if (slice_is(name, map->items[i].name))
			return &map->items[i];
	return node_set(map, arena_string(call->arena, name), "");
}

static bool bad(struct sim_call *call, struct slice name)
{
	sim_fail(call, "MalformedQueryString", "The query string contains a syntax error near %.*s",
		 SLICE_ARGUMENTS(slice_first(name, SHOWN_BYTES)));
	return false;
}

static bool put(struct sim_call *call, struct slice name, struct slice text)
{
	struct node *node = &call->request;
	struct slice rest = name;
	int64_t number;

	for (size_t steps = 0; rest.data; steps++) {
		struct slice step = slice_cut(&rest, '.');

		if (steps == PATH_MOST_STEPS || step.size == 0)
			return bad(call, name);
		/* The query protocol puts "member", and for one list "item", before the index. */
		if ((slice_is(step, "member") || slice_is(step, "item")) && call->service != SIM_EC2 && rest.data)
			continue;
		if (node->type == NODE_TEXT && node->count > 0)
			return bad(call, name);
		if (slice_integer(step, &number)) {
			if (number < 1 || number > LIST_MOST_ITEMS || (node->type == NODE_MAP && node->count > 0))
				return bad(call, name);
			if (node->type != NODE_LIST)
				node_reset(node, NODE_LIST);
			node = item_at(node, (size_t)number);
		} else {
			if (node->type == NODE_LIST)
				return bad(call, name);
			if (node->type != NODE_MAP)
				node_reset(node, NODE_MAP);
			node = child_at(call, node, step);
		}
	}
	if (node->type != NODE_TEXT)
		return bad(call, name);
	if (!slice_fits_xml(text, NULL)) {
		sim_fail_about(call, "InvalidParameterValue",
			       "The value of the parameter %s has characters that XML 1.0 cannot carry",
			       slice_first(name, SHOWN_BYTES));
		return false;
	}
	node_assign(node, text);
	return true;
}

static void close_gaps(struct node *node)
{
	if (node->type == NODE_TEXT)
		return;
	for (uint32_t i = node->count; i-- > 0;) {
		if (node->type == NODE_LIST && node->items[i].name == gap)
			node_remove(node, i);
		else
			close_gaps(&node->items[i]);
	}
}

void sim_form_read(struct sim_call *call, struct slice form)
{
	struct slice name, text;

	node_reset(&call->request, NODE_MAP);
	if (form.size > FORM_MOST_BYTES) {
		sim_fail(call, "RequestEntityTooLarge", "The request is too large");
		return;
	}
	while (form.size > 0 && !call->failed) {
		struct slice value = slice_cut(&form, '&');
		struct slice key = slice_cut(&value, '=');

		if (key.size == 0)
			continue;
		if (!sim_url_decode(call->arena, key, &name) || !sim_url_decode(call->arena, value, &text))
			(void)bad(call, key);
		else
			(void)put(call, name, text);
	}
	close_gaps(&call->request);
}
