#include "specs/expression_tree.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "specs/expression_print.h"

const struct node *node_new(struct arena *arena, struct node node)
{
	struct node *made = arena_new(arena, struct node);
	unsigned deepest = 0;

	for (uint32_t i = 0; i < node.child_count; i++) {
		if (node.children[i]->depth > deepest)
			deepest = node.children[i]->depth;
	}
	node.depth = deepest < UINT16_MAX ? (uint16_t)(deepest + 1) : UINT16_MAX;
	*made = node;
	return made;
}

const struct node *node_literal(struct arena *arena, struct value value, struct position position)
{
	return node_new(arena, (struct node){
				       .type = NODE_LITERAL,
				       .position = position,
				       .weight = 1,
				       .literal = {.value = value},
			       });
}

const struct node *node_string(struct arena *arena, struct slice text, struct position position)
{
	return node_literal(arena, value_at(value_string(text), position), position);
}

const struct node *node_parent(struct arena *arena, enum node_type type, struct position position,
			       const struct node *const *children, size_t count)
{
	return node_new(arena, (struct node){
				       .type = (uint8_t)type,
				       .position = position,
				       .children = children,
				       .child_count = (uint32_t)count,
			       });
}

const struct node *node_with_children(struct arena *arena, const struct node *node, const struct node *const *children)
{
	struct node copy = *node;
	bool same = true;

	for (uint32_t i = 0; i < node->child_count; i++)
		same = same && children[i] == node->children[i];
	if (same)
		return node;
	copy.children = children;
	return node_new(arena, copy);
}

bool node_has_type(const struct node *node, enum value_type type)
{
	return node->type == NODE_LITERAL && node->literal.value.type == type;
}

const struct node *expression_root(const struct expression *expression, struct arena *arena)
{
	if (expression->root)
		return expression->root;
	return node_new(arena, (struct node){
				       .type = NODE_REFERENCE,
				       .position = expression->references->position,
				       .reference = expression->references,
			       });
}

static size_t references_count(const struct node *node)
{
	size_t count = node->type == NODE_REFERENCE;

	for (uint32_t i = 0; i < node->child_count; i++)
		count += references_count(node->children[i]);
	return count;
}

static struct expression_reference *references_fill(const struct node *node, struct expression_reference *to)
{
	if (node->type == NODE_REFERENCE)
		*to++ = *node->reference;
	for (uint32_t i = 0; i < node->child_count; i++)
		to = references_fill(node->children[i], to);
	return to;
}

/*
 * What text shows a name for and the tree knows the value of. Outputs that are known are left
 * out: whoever reads the text back asks for those again.
 */
static void secrets_collect(const struct node *node, struct value_builder *secrets, struct arena *arena)
{
	const struct node *shown = node->type == NODE_LITERAL ? node->literal.shown : NULL;
	const struct node *within = shown ? shown : node;

	if (shown && shown->type == NODE_REFERENCE && slice_is(shown->reference->address, "var"))
		value_builder_set(secrets,
				  arena_format(arena, "var.%.*s", SLICE_ARGUMENTS(shown->reference->attribute)),
				  node->literal.value);
	for (uint32_t i = 0; i < within->child_count; i++)
		secrets_collect(within->children[i], secrets, arena);
}

static const struct value *secrets_of(const struct node *root, struct arena *arena)
{
	struct value *secrets = NULL;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	secrets_collect(root, &builder, arena);
	if (builder.count > 0) {
		secrets = arena_new(arena, struct value);
		*secrets = value_builder_map(&builder, arena);
	}
	return secrets;
}

bool expression_finish(struct arena *arena, const struct node *root, struct position position, struct expression *ret)
{
	size_t count = references_count(root);
	struct expression_reference *references = arena_new_array(arena, count, struct expression_reference);
	BUFFER_AUTO text = {0};

	buffer_init(&text, EXPRESSION_LONGEST_BYTES);
	if (root->depth > NODE_DEEPEST || !expression_print(&text, root))
		return false;
	references_fill(root, references);
	*ret = (struct expression){
		.text = arena_copy(arena, buffer_slice(&text)),
		.position = position,
		.root = root,
		.references = references,
		.reference_count = count,
		.secrets = secrets_of(root, arena),
	};
	return true;
}
