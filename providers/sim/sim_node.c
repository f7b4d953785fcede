#include "providers/sim/sim_node.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static bool is_branch(const struct node *node)
{
	return node->type != NODE_TEXT;
}

void node_release(struct node *node)
{
	if (is_branch(node)) {
		for (uint32_t i = 0; i < node->count; i++)
			node_release(&node->items[i]);
		free(node->items);
	} else if (node->count >= NODE_SMALL) {
		free(node->text);
	}
	*node = (struct node){.name = node->name};
}

void node_reset(struct node *node, enum node_type type)
{
	node_release(node);
	node->type = (uint8_t)type;
	if (type != NODE_TEXT)
		node->items = NULL;
}

void node_assign(struct node *node, struct slice text)
{
	struct node fresh = {.name = node->name, .count = (uint32_t)text.size, .type = NODE_TEXT};
	char *to = fresh.small;

	if (text.size >= NODE_SMALL)
		to = fresh.text = memory_get(text.size + 1);
	if (text.size > 0)
		memcpy(to, text.data, text.size);
	node_release(node);
	*node = fresh;
}

static struct node *grow(struct node *branch, const char *name, enum node_type type)
{
	assert(branch);
	uint32_t count = branch->count;

	if (!branch->items)
		branch->items = memory_get(4 * sizeof(*branch->items));
	else if (count >= 4 && (count & (count - 1)) == 0)
		branch->items = memory_resize(branch->items, (size_t)count * 2 * sizeof(*branch->items));
	branch->count++;
	branch->items[count] = (struct node){.name = name, .type = (uint8_t)type};
	return &branch->items[count];
}

void node_copy(struct node *to, const struct node *from)
{
	struct node copy = {.name = to->name, .type = from ? from->type : to->type};

	if (from && is_branch(from)) {
		for (uint32_t i = 0; i < from->count; i++) {
			struct node *child = grow(&copy, from->items[i].name, (enum node_type)from->items[i].type);

			node_copy(child, &from->items[i]);
		}
	} else if (from) {
		node_assign(&copy, node_slice(from));
	}
	node_release(to);
	*to = copy;
}

struct slice node_slice(const struct node *node)
{
	if (!node || is_branch(node))
		return (struct slice){NULL, 0};
	return (struct slice){node->count < NODE_SMALL ? node->small : node->text, node->count};
}

struct node *node_find(struct node *map, const char *name)
{
	if (!map || map->type != NODE_MAP)
		return NULL;
	for (uint32_t i = 0; i < map->count; i++)
		if (map->items[i].name == name || strcmp(map->items[i].name, name) == 0)
			return &map->items[i];
	return NULL;
}

const struct node *node_get(const struct node *map, const char *name)
{
	if (!map || map->type != NODE_MAP)
		return NULL;
	for (uint32_t i = 0; i < map->count; i++)
		if (map->items[i].name == name || strcmp(map->items[i].name, name) == 0)
			return &map->items[i];
	return NULL;
}

struct slice node_text(const struct node *map, const char *name)
{
	return node_slice(node_get(map, name));
}

bool node_is(const struct node *map, const char *name, const char *text)
{
	const struct node *child = node_get(map, name);

	return child && !is_branch(child) && slice_is(node_slice(child), text);
}

int64_t node_integer(const struct node *map, const char *name, int64_t otherwise)
{
	int64_t number;

	return slice_integer(node_text(map, name), &number) ? number : otherwise;
}

size_t node_count(const struct node *map, const char *name)
{
	const struct node *child = node_get(map, name);

	return child && child->type == NODE_LIST ? child->count : 0;
}

struct node *node_item(struct node *list, const char *name, struct slice text)
{
	if (!list || list->type != NODE_LIST)
		return NULL;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct node *member = node_get(&list->items[i], name);

		if (member && slice_equal(node_slice(member), text))
			return &list->items[i];
	}
	return NULL;
}

static struct node *child_of(struct node *map, const char *name)
{
	struct node *child = node_find(map, name);

	return child ? child : grow(map, name, NODE_TEXT);
}

struct node *node_put(struct node *map, const char *name, struct slice text)
{
	struct node fresh = {.name = name};

	/* Copied before the map may grow: the text may be that of a child, which moves then. */
	node_assign(&fresh, text);
	struct node *child = child_of(map, name);
	fresh.name = child->name;
	node_release(child);
	*child = fresh;
	return child;
}

struct node *node_set(struct node *map, const char *name, const char *text)
{
	return node_put(map, name, slice_of(text));
}

struct node *node_number(struct node *map, const char *name, int64_t number)
{
	return node_format(map, name, "%lld", (long long)number);
}

struct node *node_format(struct node *map, const char *name, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	int size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (size < 0)
		size = 0;
	if ((size_t)size >= sizeof(text))
		size = sizeof(text) - 1;
	return node_put(map, name, (struct slice){text, (size_t)size});
}

struct node *node_put_copy(struct node *map, const char *name, const struct node *from)
{
	struct node copy = {.name = name};

	node_copy(&copy, from);
	struct node *child = child_of(map, name);
	node_release(child);
	*child = copy;
	return child;
}

static struct node *branch_of(struct node *map, const char *name, enum node_type type)
{
	struct node *child = child_of(map, name);

	if (child->type != type)
		node_reset(child, type);
	return child;
}

struct node *node_list(struct node *map, const char *name)
{
	return branch_of(map, name, NODE_LIST);
}

struct node *node_map(struct node *map, const char *name)
{
	return branch_of(map, name, NODE_MAP);
}

struct node *node_append(struct node *list, enum node_type type)
{
	return grow(list, NULL, type);
}

void node_remove(struct node *list, size_t index)
{
	node_release(&list->items[index]);
	list->count--;
	if (index < list->count)
		memmove(&list->items[index], &list->items[index + 1], (list->count - index) * sizeof(*list->items));
}

void node_drop(struct node *map, const char *name)
{
	struct node *child = node_find(map, name);

	if (child)
		node_remove(map, (size_t)(child - map->items));
}

static const struct node *step(const struct node *node, struct slice part)
{
	for (uint32_t i = 0; i < node->count; i++)
		if (slice_is(part, node->items[i].name))
			return &node->items[i];
	return NULL;
}

bool node_walk(const struct node *node, const char *path, node_visit *visit, void *context)
{
	if (!node)
		return false;
	if (node->type == NODE_LIST) {
		for (uint32_t i = 0; i < node->count; i++)
			if (node_walk(&node->items[i], path, visit, context))
				return true;
		return false;
	}
	if (*path == '\0')
		return node->type == NODE_TEXT && visit(context, node_slice(node));
	if (node->type != NODE_MAP)
		return false;
	size_t length = strcspn(path, ".");
	const char *rest = path + length + (path[length] == '.');
	return node_walk(step(node, (struct slice){path, length}), rest, visit, context);
}
