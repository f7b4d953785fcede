#include "specs/expression_evaluate.h"

enum { INDEX_MOST_CANDIDATES = 256 };

/* That there is no such member, with the nearest name there is. */
static void no_member(struct evaluator *evaluator, const struct node *key, const struct slice *names, size_t count)
{
	struct slice wanted = value_slice(&key->literal.value);

	if (key->secret) {
		diag_error(evaluator->diagnostics, FAULT_USER, key->position, "the map has no member of that name");
		return;
	}
	diag_error(evaluator->diagnostics, FAULT_USER, key->position, "the map has no member '%.*s'",
		   SLICE_ARGUMENTS(slice_first(wanted, 64)));
	if (!diag_suggest(evaluator->diagnostics, wanted, names, count))
		diag_hint(evaluator->diagnostics, "get(map, key, default) gives a default for a member that may lack");
}

/* The offset of a list of count items that key means; false after a diagnostic. */
static bool list_offset(struct evaluator *evaluator, const struct node *key, size_t count, size_t *ret)
{
	const struct value *value = &key->literal.value;

	if (value->type != VALUE_INTEGER) {
		diag_error(evaluator->diagnostics, FAULT_USER, key->position,
			   "an item of a list is chosen by a whole number, not by %s",
			   value_type_name((enum value_type)value->type));
		if (value->type == VALUE_STRING)
			diag_hint(evaluator->diagnostics, "[0] is the first item; '.*.name' takes a member of each");
		return false;
	}
	if (value->integer >= 0 && (uint64_t)value->integer < count) {
		*ret = (size_t)value->integer;
		return true;
	}
	if (key->secret)
		return diag_error(evaluator->diagnostics, FAULT_USER, key->position,
				  "the list has no item of that number");
	diag_error(evaluator->diagnostics, FAULT_USER, key->position, "the list has %zu item%s and no item %lld", count,
		   count == 1 ? "" : "s", (long long)value->integer);
	diag_hint(evaluator->diagnostics, "items count from 0; element(list, number) begins again past the end");
	return false;
}

/* key is a string; false after a diagnostic. */
static bool check_name(struct evaluator *evaluator, const struct node *key)
{
	if (node_has_type(key, VALUE_STRING))
		return true;
	return diag_error(evaluator->diagnostics, FAULT_USER, key->position,
			  "a member of a map is chosen by its name, not by %s",
			  value_type_name((enum value_type)key->literal.value.type));
}

static const struct value *map_member(struct evaluator *evaluator, const struct value *map, const struct node *key)
{
	struct slice names[INDEX_MOST_CANDIDATES];
	const struct value *member;
	size_t count = 0;

	if (!check_name(evaluator, key))
		return NULL;
	member = value_get(map, value_slice(&key->literal.value));
	if (member)
		return member;
	/* The names of a secret map are secret too. */
	for (uint32_t i = 0; !map->secret && i < map->count && count < INDEX_MOST_CANDIDATES; i++)
		names[count++] = value_slice(&map->members[i].key);
	no_member(evaluator, key, names, count);
	return NULL;
}

/* Base and key are known. */
static const struct node *index_known(struct evaluator *evaluator, const struct node *node,
				      const struct node *const *children)
{
	const struct node *base = children[0], *key = children[1];
	const struct value *value = &base->literal.value, *part = NULL;
	size_t offset = 0;

	if (value->type == VALUE_LIST) {
		if (!list_offset(evaluator, key, value->count, &offset))
			return NULL;
		part = &value->items[offset];
	} else if (value->type == VALUE_MAP) {
		part = map_member(evaluator, value, key);
	} else {
		diag_error(evaluator->diagnostics, FAULT_USER, key->position, "%s has no members or items",
			   value_type_name((enum value_type)value->type));
	}
	if (!part)
		return NULL;
	return evaluate_known(evaluator, node, children, *part, value->secret || key->secret);
}

static const struct node *index_list(struct evaluator *evaluator, const struct node *list, const struct node *key)
{
	size_t offset = 0;

	return list_offset(evaluator, key, list->child_count, &offset) ? list->children[offset] : NULL;
}

/* The member of a map with open parts; *ret_open where a key is open, so that it may be the one. */
static const struct node *index_map(struct evaluator *evaluator, const struct node *map, const struct node *key,
				    bool *ret_open)
{
	struct slice names[INDEX_MOST_CANDIDATES];
	size_t count = 0;

	*ret_open = false;
	if (!check_name(evaluator, key))
		return NULL;
	for (uint32_t i = 0; i < map->child_count; i += 2) {
		const struct node *name = map->children[i];

		if (!node_has_type(name, VALUE_STRING) || name->secret) {
			*ret_open = true;
			return NULL;
		}
		if (slice_equal(value_slice(&name->literal.value), value_slice(&key->literal.value)))
			return map->children[i + 1];
		if (count < INDEX_MOST_CANDIDATES)
			names[count++] = value_slice(&name->literal.value);
	}
	no_member(evaluator, key, names, count);
	return NULL;
}

const struct node *evaluate_index(struct evaluator *evaluator, const struct node *node)
{
	const struct node *const *children;
	const struct node *base, *key, *part;
	bool known, open;

	if (!evaluate_children(evaluator, node, &children, &known))
		return NULL;
	if (known)
		return index_known(evaluator, node, children);
	base = children[0];
	key = children[1];
	/* What a secret key chooses must not show in what is left. */
	if (key->type != NODE_LITERAL || key->secret)
		return node_with_children(evaluator->arena, node, children);
	if (base->type == NODE_LIST)
		return index_list(evaluator, base, key);
	if (base->type == NODE_MAP) {
		part = index_map(evaluator, base, key, &open);
		if (!open)
			return part;
	}
	return node_with_children(evaluator->arena, node, children);
}

/* The body with nothing known of the item. */
static const struct node *splat_open(struct evaluator *evaluator, const struct node *node, const struct node *base)
{
	const struct node **children = arena_new_array(evaluator->arena, 2, const struct node *);
	const struct node *item = evaluator->item;

	children[0] = base;
	evaluator->item = NULL;
	children[1] = evaluate(evaluator, node->children[1]);
	evaluator->item = item;
	return children[1] ? node_with_children(evaluator->arena, node, children) : NULL;
}

/* The node that names an item of a known list. */
static const struct node *item_origin(struct evaluator *evaluator, const struct node *list, uint32_t index)
{
	const struct node **children;

	if (list->literal.shown && list->literal.shown->type == NODE_LIST)
		return list->literal.shown->children[index];
	children = arena_new_array(evaluator->arena, 2, const struct node *);
	children[0] = list;
	children[1] = node_literal(evaluator->arena, value_integer((int64_t)index), list->position);
	return node_parent(evaluator->arena, NODE_INDEX, list->position, children, 2);
}

/* The items of a list, each as a tree; false after a diagnostic where base is no list. */
static bool splat_items(struct evaluator *evaluator, const struct node *base, const struct node *const **ret,
			size_t *ret_count)
{
	const struct value *list = &base->literal.value;
	const struct node **items;

	if (base->type == NODE_LIST) {
		*ret = base->children;
		*ret_count = base->child_count;
		return true;
	}
	if (list->type != VALUE_LIST)
		return diag_error(evaluator->diagnostics, FAULT_USER, base->position, "'*' goes over a list, not %s",
				  value_type_name((enum value_type)list->type));
	items = arena_new_array(evaluator->arena, list->count, const struct node *);
	for (uint32_t i = 0; i < list->count; i++) {
		items[i] = evaluate_value(evaluator, &list->items[i], item_origin(evaluator, base, i));
		if (!items[i])
			return false;
	}
	*ret = items;
	*ret_count = list->count;
	return true;
}

const struct node *evaluate_splat(struct evaluator *evaluator, const struct node *node)
{
	const struct node *base = evaluate(evaluator, node->children[0]), *outer = evaluator->item;
	const struct node *const *items = NULL;
	const struct node **results;
	size_t count = 0, done = 0;

	if (!base)
		return NULL;
	if (base->type != NODE_LITERAL && base->type != NODE_LIST)
		return splat_open(evaluator, node, base);
	if (!splat_items(evaluator, base, &items, &count))
		return NULL;
	results = arena_new_array(evaluator->arena, count, const struct node *);
	while (done < count) {
		evaluator->item = items[done];
		results[done] = evaluate(evaluator, node->children[1]);
		if (!results[done])
			break;
		done++;
	}
	evaluator->item = outer;
	return done == count ? evaluate_items(evaluator, node, results, count) : NULL;
}
