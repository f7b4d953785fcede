#include "specs/expression.h"

#include "specs/expression_evaluate.h"
#include "specs/expression_tree.h"

/* The literals of one expression as they get their names: var.literal-1, var.literal-2, ... */
struct hiding {
	struct arena *arena;
	const struct value *secrets; /* as in struct deferred: names that are taken; NULL: none */
	unsigned count;
};

static const struct node *hide(struct hiding *hiding, const struct node *node);

/* A secret variable of the spec may have such a name too. */
static const struct node *next_name(struct hiding *hiding, struct position position)
{
	struct expression_reference *reference = arena_new(hiding->arena, struct expression_reference);
	struct slice name;

	do {
		hiding->count++;
		name = arena_format(hiding->arena, "var.literal-%u", hiding->count);
	} while (value_get(hiding->secrets, name));
	*reference = (struct expression_reference){SLICE("var"), slice_from(name, strlen("var.")), position};
	return node_new(hiding->arena,
			(struct node){.type = NODE_REFERENCE, .position = position, .reference = reference});
}

/* Null, true and false tell nothing, and nor does what is empty. */
static bool tells_something(const struct value *value)
{
	bool is_sized = value->type == VALUE_STRING || value->type == VALUE_LIST || value->type == VALUE_MAP;

	return is_sized ? value->count > 0 : value->type == VALUE_INTEGER || value->type == VALUE_NUMBER;
}

static const struct node *hide_literal(struct hiding *hiding, const struct node *node)
{
	const struct value *value = &node->literal.value;
	struct node hidden = *node;

	if (node->literal.shown)
		hidden.literal.shown = hide(hiding, node->literal.shown);
	else if (!tells_something(value))
		return node;
	else
		hidden.literal.shown = next_name(hiding, node->position);
	hidden.literal.value = value_secret_if_unset(hiding->arena, *value);
	hidden.secret = true;
	return node_new(hiding->arena, hidden);
}

/* Names of members tell nothing that the fields of others do not. */
static bool is_key(const struct node *parent, uint32_t child)
{
	return (parent->type == NODE_INDEX && child == 1) || (parent->type == NODE_MAP && child % 2 == 0);
}

static const struct node *hide(struct hiding *hiding, const struct node *node)
{
	const struct node **children;

	if (node->type == NODE_LITERAL)
		return hide_literal(hiding, node);
	children = arena_new_array(hiding->arena, node->child_count, const struct node *);
	for (uint32_t i = 0; i < node->child_count; i++)
		children[i] = is_key(node, i) ? node->children[i] : hide(hiding, node->children[i]);
	return node_with_children(hiding->arena, node, children);
}

static bool hide_deferred(struct arena *arena, struct value *value, struct diagnostics *diagnostics)
{
	const struct expression *open = (const struct expression *)value->deferred->program;
	struct hiding hiding = {.arena = arena, .secrets = value->deferred->secrets};
	struct expression *expression;
	struct deferred *deferred;

	if (!open->root)
		return true;
	expression = arena_new(arena, struct expression);
	if (!expression_finish(arena, hide(&hiding, open->root), open->position, expression))
		return diag_error(diagnostics, FAULT_USER, value->position,
				  "the expression is too long or nests too deep to be kept as a secret");
	deferred = arena_new(arena, struct deferred);
	*deferred = (struct deferred){expression->text, expression, expression->secrets};
	value->deferred = deferred;
	return true;
}

bool expression_hide(struct arena *arena, struct value *value, struct diagnostics *diagnostics)
{
	struct value_member *members;
	struct value *items;
	bool done = true;

	if (value->type == VALUE_DEFERRED)
		return hide_deferred(arena, value, diagnostics);
	if (value->type == VALUE_LIST && value_has_deferred(value)) {
		items = arena_new_array(arena, value->count, struct value);
		memcpy(items, value->items, value->count * sizeof(*items));
		for (uint32_t i = 0; i < value->count; i++)
			done = expression_hide(arena, &items[i], diagnostics) && done;
		value->items = items;
	} else if (value->type == VALUE_MAP && value_has_deferred(value)) {
		members = arena_new_array(arena, value->count, struct value_member);
		memcpy(members, value->members, value->count * sizeof(*members));
		for (uint32_t i = 0; i < value->count; i++)
			done = expression_hide(arena, &members[i].value, diagnostics) && done;
		value->members = members;
	}
	return done;
}
