#include "specs/expression_evaluate.h"

#include "specs/expression_operator.h"

static const struct node *substitute_children(struct evaluator *evaluator, const struct node *node);

/*
 * node with what is known put in place of names, and nothing computed: for a branch that
 * fails if it is taken, while it is not known yet whether it is.
 */
static const struct node *substitute(struct evaluator *evaluator, const struct node *node)
{
	const struct node *item = evaluator->item, *result;

	if (!evaluate_spend(evaluator, 1, node->position))
		return NULL;
	if (node->type == NODE_ITEM || (node->type == NODE_REFERENCE && !node->whole))
		return evaluate(evaluator, node);
	if (node->type != NODE_SPLAT)
		return substitute_children(evaluator, node);
	/* The body of an inner splat has items of its own. */
	result = substitute(evaluator, node->children[0]);
	evaluator->item = NULL;
	if (result) {
		const struct node **children = arena_new_array(evaluator->arena, 2, const struct node *);

		children[0] = result;
		children[1] = substitute(evaluator, node->children[1]);
		result = children[1] ? node_with_children(evaluator->arena, node, children) : NULL;
	}
	evaluator->item = item;
	return result;
}

static const struct node *substitute_children(struct evaluator *evaluator, const struct node *node)
{
	const struct node **children = arena_new_array(evaluator->arena, node->child_count, const struct node *);

	for (uint32_t i = 0; i < node->child_count; i++) {
		children[i] = substitute(evaluator, node->children[i]);
		if (!children[i])
			return NULL;
	}
	return node_with_children(evaluator->arena, node, children);
}

/* Folds as far as that works; what goes wrong counts only once the branch is taken. */
static const struct node *evaluate_untaken(struct evaluator *evaluator, const struct node *node)
{
	struct diagnostics *told = evaluator->diagnostics;
	struct diagnostics untold;
	const struct node *result;

	diagnostics_init(&untold, evaluator->arena);
	evaluator->diagnostics = &untold;
	result = evaluate(evaluator, node);
	evaluator->diagnostics = told;
	diagnostics_release(&untold);
	return result ? result : substitute(evaluator, node);
}

/* Whether node, once known, cannot be but true or false. */
static bool is_surely_bool(const struct node *node)
{
	return (node->type == NODE_UNARY || node->type == NODE_BINARY) && node->operator->gives_bool;
}

static bool check_bool(struct evaluator *evaluator, const struct node *node, const char *where)
{
	const struct value *value = &node->literal.value;

	if (node->type != NODE_LITERAL || value->type == VALUE_BOOL)
		return true;
	return diag_error(evaluator->diagnostics, FAULT_USER, node->position, "%s needs true or false here, not %s",
			  where, value_type_name((enum value_type)value->type));
}

const struct node *evaluate_logic(struct evaluator *evaluator, const struct node *node)
{
	const char *where = node->operator->decides ? "'||'" : "'&&'";
	const struct node **children = arena_new_array(evaluator->arena, 2, const struct node *);
	const struct node *left = evaluate(evaluator, node->children[0]), *right;

	if (!left || !check_bool(evaluator, left, where))
		return NULL;
	children[0] = left;
	if (left->type != NODE_LITERAL) {
		children[1] = evaluate_untaken(evaluator, node->children[1]);
		return children[1] ? node_with_children(evaluator->arena, node, children) : NULL;
	}
	if (left->literal.value.boolean == node->operator->decides)
		return left;
	right = evaluate(evaluator, node->children[1]);
	if (!right || !check_bool(evaluator, right, where))
		return NULL;
	children[1] = right;
	if (right->type == NODE_LITERAL)
		return evaluate_known(evaluator, node, children, value_bool(right->literal.value.boolean),
				      left->secret || right->secret);
	if (!left->secret && is_surely_bool(right))
		return right;
	return node_with_children(evaluator->arena, node, children);
}

/* The condition is known. Where it is secret, so is what was chosen, and that it was. */
static const struct node *choose(struct evaluator *evaluator, const struct node *node, const struct node *condition)
{
	const struct node **children = arena_new_array(evaluator->arena, 3, const struct node *);
	bool first = condition->literal.value.boolean;
	const struct node *chosen = evaluate(evaluator, node->children[first ? 1 : 2]), *other;

	if (!chosen || !condition->secret)
		return chosen;
	other = evaluate_untaken(evaluator, node->children[first ? 2 : 1]);
	if (!other)
		return NULL;
	children[0] = condition;
	children[1] = first ? chosen : other;
	children[2] = first ? other : chosen;
	if (chosen->type == NODE_LITERAL)
		return evaluate_known(evaluator, node, children, chosen->literal.value, true);
	return node_with_children(evaluator->arena, node, children);
}

const struct node *evaluate_conditional(struct evaluator *evaluator, const struct node *node)
{
	const struct node **children = arena_new_array(evaluator->arena, 3, const struct node *);
	const struct node *condition = evaluate(evaluator, node->children[0]);

	if (!condition || !check_bool(evaluator, condition, "the condition before '?'"))
		return NULL;
	if (condition->type == NODE_LITERAL)
		return choose(evaluator, node, condition);
	children[0] = condition;
	for (size_t i = 1; i < 3; i++) {
		children[i] = evaluate_untaken(evaluator, node->children[i]);
		if (!children[i])
			return NULL;
	}
	return node_with_children(evaluator->arena, node, children);
}
