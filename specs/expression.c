#include "specs/expression.h"

#include "specs/expression_evaluate.h"
#include "specs/expression_parse.h"
#include "specs/expression_tree.h"

bool expression_compile(struct arena *arena, struct slice text, struct position position,
			bool (*is_kind)(void *context, struct slice name), void *context, const struct expression **ret,
			struct diagnostics *diagnostics)
{
	struct expression *expression = arena_new(arena, struct expression);
	const struct node *root =
		expression_parse(arena, arena_copy(arena, text), position, is_kind, context, diagnostics);

	if (!root)
		return false;
	if (!expression_finish(arena, root, position, expression))
		return diag_error(diagnostics, FAULT_USER, position, "the expression is too long or nests too deep");
	/* Then it is as cheap as one that was no text. */
	if (root->type == NODE_REFERENCE && !root->whole)
		expression->root = NULL;
	*ret = expression;
	return true;
}

void expression_references(const struct expression *expression, const struct expression_reference **ret,
			   size_t *ret_count)
{
	*ret = expression->references;
	*ret_count = expression->reference_count;
}

/* All that a typed reference needs, in one piece: a spec may hold 100,000 of them. */
struct plain_reference {
	struct deferred deferred;
	struct expression expression;
	struct expression_reference reference;
};

struct value expression_of_reference(struct arena *arena, struct slice address, struct slice attribute,
				     struct position position)
{
	size_t size = sizeof("${.}") - 1 + address.size + attribute.size;
	struct plain_reference *plain = (struct plain_reference *)arena_get(arena, sizeof(*plain) + size + 1);
	char *text = (char *)(plain + 1), *to = text;

	memcpy(to, "${", 2);
	to += 2;
	if (address.size > 0)
		memcpy(to, address.data, address.size);
	plain->reference.address = (struct slice){to, address.size};
	to += address.size;
	*to++ = '.';
	if (attribute.size > 0)
		memcpy(to, attribute.data, attribute.size);
	plain->reference.attribute = (struct slice){to, attribute.size};
	to += attribute.size;
	*to = '}';
	plain->reference.position = position;
	plain->expression = (struct expression){
		.text = {text, size},
		.position = position,
		.references = &plain->reference,
		.reference_count = 1,
	};
	plain->deferred = (struct deferred){.text = {text, size}, .program = &plain->expression};
	return value_at(value_deferred(&plain->deferred), position);
}

static struct value deferred_expression(struct arena *arena, const struct expression *expression)
{
	struct deferred *deferred = arena_new(arena, struct deferred);

	*deferred = (struct deferred){
		.text = expression->text,
		.program = expression,
		.secrets = expression->secrets,
	};
	return value_at(value_deferred(deferred), expression->position);
}

/* Whether the parts of a list or a map are values of their own, of which some may be deferred. */
static bool has_parts(const struct node *node)
{
	if (node->type == NODE_LIST)
		return true;
	if (node->type != NODE_MAP)
		return false;
	for (uint32_t i = 0; i < node->child_count; i += 2) {
		if (!node_has_type(node->children[i], VALUE_STRING) || node->children[i]->secret)
			return false;
	}
	return true;
}

static bool value_of(struct evaluator *evaluator, const struct node *node, struct value *ret);

static bool value_of_parts(struct evaluator *evaluator, const struct node *node, struct value *ret)
{
	bool is_map = node->type == NODE_MAP;
	size_t step = is_map ? 2 : 1, count = node->child_count / step;
	VALUE_BUILDER_AUTO builder = {0};

	value_builder_init(&builder);
	for (size_t i = 0; i < count; i++) {
		struct value value;

		if (!value_of(evaluator, node->children[step * i + step - 1], &value))
			return false;
		if (is_map)
			value_builder_member(&builder, value_slice(&node->children[2 * i]->literal.value), value);
		else
			value_builder_item(&builder, value);
	}
	*ret = is_map ? value_builder_map(&builder, evaluator->arena) : value_builder_list(&builder, evaluator->arena);
	ret->position = node->position;
	return true;
}

/* The value that an evaluated tree stands for, as far as it is known. */
static bool value_of(struct evaluator *evaluator, const struct node *node, struct value *ret)
{
	struct expression *expression;

	if (node->type == NODE_LITERAL) {
		*ret = node->literal.value;
		return true;
	}
	if (has_parts(node))
		return value_of_parts(evaluator, node, ret);
	if (node->type == NODE_REFERENCE) {
		*ret = expression_of_reference(evaluator->arena, node->reference->address, node->reference->attribute,
					       node->position);
		return true;
	}
	expression = arena_new(evaluator->arena, struct expression);
	if (!expression_finish(evaluator->arena, node, node->position, expression)) {
		diag_error(evaluator->diagnostics, FAULT_USER, node->position,
			   "the expression has to wait for a value, and with all that is known of it already it "
			   "becomes too long or nests too deep to be kept");
		diag_hint(evaluator->diagnostics, "keep long texts and lists out of expressions over other "
						  "resources' outputs");
		return false;
	}
	*ret = deferred_expression(evaluator->arena, expression);
	return true;
}

/*
 * One reference and nothing else, to a scalar or to what is not known: no tree is made. False
 * where there is more to do.
 */
static bool evaluate_plain(const struct expression *expression, const struct output_source *source, struct arena *arena,
			   struct value *ret)
{
	const struct expression_reference *reference = expression->references;
	const struct value *value;

	if (expression->root)
		return false;
	value = source ? source->get(source->context, reference->address, reference->attribute) : NULL;
	if (value && (value->type == VALUE_LIST || value->type == VALUE_MAP))
		return false;
	if (!value || value->type == VALUE_UNREAD)
		*ret = deferred_expression(arena, expression);
	else
		*ret = value_at(*value, expression->position);
	return true;
}

bool expression_evaluate(const struct expression *expression, const struct output_source *source, struct arena *arena,
			 struct value *ret, struct diagnostics *diagnostics)
{
	struct evaluator evaluator = {
		.arena = arena,
		.source = source,
		.diagnostics = diagnostics,
		.steps = EVALUATION_MOST_STEPS,
		.used_bytes = arena->used_bytes,
	};
	const struct node *root;
	struct value value;

	if (evaluate_plain(expression, source, arena, ret))
		return true;
	root = evaluate(&evaluator, expression_root(expression, arena));
	if (evaluator.exhausted) {
		diag_error(diagnostics, FAULT_USER, evaluator.exhausted_at,
			   "the expression takes too many steps or too much memory to evaluate");
		return false;
	}
	if (!root)
		return false;
	if (root == expression->root && root->type != NODE_LITERAL && !has_parts(root))
		value = deferred_expression(arena, expression);
	else if (!value_of(&evaluator, root, &value))
		return false;
	*ret = value_at(value, expression->position);
	return true;
}
