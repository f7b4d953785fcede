#include "specs/expression_evaluate.h"

#include "specs/expression_function.h"
#include "specs/expression_operator.h"
#include "specs/expression_parse.h"

/* What a walk through a value finds. */
struct weighing {
	size_t weight;
	bool secret;
	bool deferred;
	bool unread;
	bool sealed;
};

static bool exhaust(struct evaluator *evaluator, struct position position)
{
	if (!evaluator->exhausted)
		evaluator->exhausted_at = position;
	evaluator->exhausted = true;
	return false;
}

bool evaluate_spend(struct evaluator *evaluator, size_t count, struct position position)
{
	bool bytes_left = evaluator->arena->used_bytes - evaluator->used_bytes <= EVALUATION_MOST_BYTES;

	if (evaluator->exhausted || count > evaluator->steps || !bytes_left)
		return exhaust(evaluator, position);
	evaluator->steps -= count;
	return true;
}

/* False where the value is larger than the evaluator has steps left: it may share parts so
 * often that no walk through it ever ends. */
static bool weigh(struct weighing *weighing, const struct value *value, size_t most)
{
	if (++weighing->weight > most)
		return false;
	weighing->secret = weighing->secret || value->secret;
	weighing->deferred = weighing->deferred || value->type == VALUE_DEFERRED;
	weighing->unread = weighing->unread || value->type == VALUE_UNREAD;
	weighing->sealed = weighing->sealed || value_is_sealed(value);
	for (uint32_t i = 0; value->type == VALUE_LIST && i < value->count; i++) {
		if (!weigh(weighing, &value->items[i], most))
			return false;
	}
	for (uint32_t i = 0; value->type == VALUE_MAP && i < value->count; i++) {
		if (!weigh(weighing, &value->members[i].value, most))
			return false;
	}
	return true;
}

static bool evaluate_weigh(struct evaluator *evaluator, const struct value *value, struct position position,
			   struct weighing *ret)
{
	struct weighing weighing = {0};

	if (!weigh(&weighing, value, evaluator->steps))
		return exhaust(evaluator, position);
	*ret = weighing;
	return evaluate_spend(evaluator, weighing.weight, position);
}

static const struct node *literal_of(struct evaluator *evaluator, struct value value, const struct weighing *weighing,
				     struct position position, const struct node *shown)
{
	struct node node = {
		.type = NODE_LITERAL,
		.position = position,
		.secret = weighing->secret,
		.weight = (uint32_t)weighing->weight,
		.literal = {.value = value_at(value, position), .shown = weighing->secret ? shown : NULL},
	};

	return node_new(evaluator->arena, node);
}

const struct node *evaluate_known(struct evaluator *evaluator, const struct node *node,
				  const struct node *const *children, struct value value, bool is_secret)
{
	struct weighing weighing = {0};

	if (!evaluate_weigh(evaluator, &value, node->position, &weighing))
		return NULL;
	if (is_secret)
		value = value_secret_if_unset(evaluator->arena, value);
	weighing.secret = weighing.secret || is_secret;
	return literal_of(evaluator, value, &weighing, node->position,
			  weighing.secret ? node_with_children(evaluator->arena, node, children) : NULL);
}

/* The node that names a part of what origin names. */
static const struct node *part_of(struct evaluator *evaluator, const struct node *origin, struct value key)
{
	const struct node **children = arena_new_array(evaluator->arena, 2, const struct node *);

	children[0] = origin;
	children[1] = node_literal(evaluator->arena, key, origin->position);
	return node_parent(evaluator->arena, NODE_INDEX, origin->position, children, 2);
}

const struct value *evaluate_secret_get(void *context, struct slice address, struct slice output)
{
	const struct secret_source *source = (const struct secret_source *)context;
	const struct value *members = source->secrets;

	for (uint32_t i = 0; slice_is(address, "var") && i < members->count; i++) {
		struct slice name = value_slice(&members->members[i].key);

		if (slice_starts_with(name, SLICE("var.")) && slice_equal(slice_from(name, 4), output))
			return &members->members[i].value;
	}
	return source->next ? source->next->get(source->next->context, address, output) : NULL;
}

static const struct node *tree_of_deferred(struct evaluator *evaluator, const struct value *value)
{
	const struct expression *expression = (const struct expression *)value->deferred->program;
	const struct output_source *outer = evaluator->source;
	struct secret_source held = {value->deferred->secrets, NULL};
	struct output_source source = {&held, evaluate_secret_get};
	const struct node *tree;

	if (expression)
		return expression_root(expression, evaluator->arena);
	tree = expression_parse(evaluator->arena, arena_copy(evaluator->arena, value->deferred->text), value->position,
				NULL, NULL, evaluator->diagnostics);
	if (!tree || !held.secrets || value_has_fingerprint(held.secrets))
		return tree;
	evaluator->source = &source;
	tree = evaluate(evaluator, tree);
	evaluator->source = outer;
	return tree;
}

/* A list or a map that has deferred values somewhere within. */
static const struct node *tree_of_parts(struct evaluator *evaluator, const struct value *value,
					const struct node *origin)
{
	bool is_map = value->type == VALUE_MAP;
	size_t step = is_map ? 2 : 1;
	const struct node **children = arena_new_array(evaluator->arena, value->count * step, const struct node *);

	for (uint32_t i = 0; i < value->count; i++) {
		const struct value *part = is_map ? &value->members[i].value : &value->items[i];
		struct value key = is_map ? value->members[i].key : value_integer((int64_t)i);

		if (is_map)
			children[2 * i] = node_string(evaluator->arena, value_slice(&key), origin->position);
		children[step * i + step - 1] = evaluate_value(evaluator, part, part_of(evaluator, origin, key));
		if (!children[step * i + step - 1])
			return NULL;
	}
	return node_parent(evaluator->arena, is_map ? NODE_MAP : NODE_LIST, origin->position, children,
			   value->count * step);
}

const struct node *evaluate_value(struct evaluator *evaluator, const struct value *value, const struct node *origin)
{
	struct weighing weighing = {0};

	if (value->type == VALUE_DEFERRED)
		return tree_of_deferred(evaluator, value);
	if (!evaluate_weigh(evaluator, value, origin->position, &weighing))
		return NULL;
	/* A fingerprint is not what it stands for: nothing can be made of it. */
	if (weighing.unread || value_is_sealed(value))
		return origin;
	if (weighing.deferred || weighing.sealed)
		return tree_of_parts(evaluator, value, origin);
	return literal_of(evaluator, *value, &weighing, origin->position, origin);
}

static const struct node *evaluate_literal(struct evaluator *evaluator, const struct node *node)
{
	(void)evaluator;
	return node;
}

static const struct node *evaluate_reference(struct evaluator *evaluator, const struct node *node)
{
	const struct expression_reference *reference = node->reference;
	const struct output_source *source = evaluator->source;
	const struct value *value;

	if (node->whole) {
		diag_error(evaluator->diagnostics, FAULT_USER, node->position,
			   "'%.*s.*' stands for all instances of a resource, and for_each is not supported yet",
			   SLICE_ARGUMENTS(reference->address));
		diag_hint(evaluator->diagnostics, "list the resources one by one, as in [%.*s.%.*s, ...]",
			  SLICE_ARGUMENTS(reference->address), SLICE_ARGUMENTS(reference->attribute));
		return NULL;
	}
	value = source ? source->get(source->context, reference->address, reference->attribute) : NULL;
	return value ? evaluate_value(evaluator, value, node) : node;
}

static const struct node *evaluate_item(struct evaluator *evaluator, const struct node *node)
{
	return evaluator->item ? evaluator->item : node;
}

bool evaluate_children(struct evaluator *evaluator, const struct node *node, const struct node *const **ret,
		       bool *ret_known)
{
	const struct node **children = arena_new_array(evaluator->arena, node->child_count, const struct node *);
	bool done = true, known = true;

	for (uint32_t i = 0; i < node->child_count; i++) {
		children[i] = evaluate(evaluator, node->children[i]);
		/* The rest is looked at too, so that all its errors are told at once. */
		done = done && children[i];
		known = known && children[i] && children[i]->type == NODE_LITERAL;
		if (evaluator->exhausted)
			return false;
	}
	*ret = children;
	*ret_known = known;
	return done;
}

const struct node *evaluate_items(struct evaluator *evaluator, const struct node *node, const struct node *const *items,
				  size_t count)
{
	const struct node *list = node_parent(evaluator->arena, NODE_LIST, node->position, items, count);
	struct value *values;

	for (size_t i = 0; i < count; i++) {
		if (items[i]->type != NODE_LITERAL)
			return list;
	}
	values = arena_new_array(evaluator->arena, count, struct value);
	for (size_t i = 0; i < count; i++)
		values[i] = items[i]->literal.value;
	return evaluate_known(evaluator, list, items, value_list(values, count), false);
}

static bool any_secret(const struct node *const *nodes, size_t count)
{
	bool secret = false;

	for (size_t i = 0; i < count; i++)
		secret = secret || nodes[i]->secret;
	return secret;
}

static const struct node *evaluate_operator(struct evaluator *evaluator, const struct node *node)
{
	struct operation operation = {.node = node, .arena = evaluator->arena, .diagnostics = evaluator->diagnostics};
	const struct node *const *children;
	struct value value;
	bool known;

	if (node->operator->is_logic)
		return evaluate_logic(evaluator, node);
	if (!evaluate_children(evaluator, node, &children, &known))
		return NULL;
	if (!known)
		return node_with_children(evaluator->arena, node, children);
	operation.operands = children;
	if (!node->operator->body(&operation, &value))
		return NULL;
	return evaluate_known(evaluator, node, children, value, any_secret(children, node->child_count));
}

static const struct node *evaluate_call(struct evaluator *evaluator, const struct node *node)
{
	struct call call = {
		.function = node->function,
		.position = node->position,
		.count = node->child_count,
		.arena = evaluator->arena,
		.diagnostics = evaluator->diagnostics,
	};
	bool known, is_secret = false;
	struct value value;

	if (!evaluate_children(evaluator, node, &call.arguments, &known))
		return NULL;
	if (!known)
		return node_with_children(evaluator->arena, node, call.arguments);
	for (uint32_t i = 0; i < node->child_count; i++) {
		const struct node *child = call.arguments[i];

		/* The call may look at all of each argument. */
		if (!evaluate_spend(evaluator, child->weight, node->position))
			return NULL;
		is_secret = is_secret || (node->function->keeps_marks ? child->literal.value.secret : child->secret);
	}
	if (!function_call(&call, &value))
		return NULL;
	return evaluate_known(evaluator, node, call.arguments, value, is_secret);
}

const struct node *evaluate(struct evaluator *evaluator, const struct node *node)
{
	static const struct node *(*const by_type[NODE_TYPES])(struct evaluator *, const struct node *) = {
		[NODE_LITERAL] = evaluate_literal,
		[NODE_REFERENCE] = evaluate_reference,
		[NODE_ITEM] = evaluate_item,
		[NODE_TEMPLATE] = evaluate_template,
		[NODE_LIST] = evaluate_list,
		[NODE_MAP] = evaluate_map,
		[NODE_INDEX] = evaluate_index,
		[NODE_SPLAT] = evaluate_splat,
		[NODE_UNARY] = evaluate_operator,
		[NODE_BINARY] = evaluate_operator,
		[NODE_CONDITIONAL] = evaluate_conditional,
		[NODE_CALL] = evaluate_call,
	};

	if (!evaluate_spend(evaluator, 1, node->position))
		return NULL;
	return by_type[node->type](evaluator, node);
}
