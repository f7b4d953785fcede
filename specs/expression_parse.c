#include "specs/expression_parse.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/json.h"
#include "specs/expression_operator.h"
#include "specs/expression_parser.h"

void nodes_release(struct nodes *nodes)
{
	free(nodes->items);
	*nodes = (struct nodes){0};
}

void nodes_add(struct nodes *nodes, const struct node *node)
{
	nodes->items = memory_room(nodes->items, nodes->count, &nodes->capacity, sizeof(*nodes->items));
	nodes->items[nodes->count++] = node;
}

const struct node *nodes_parent(const struct nodes *nodes, struct arena *arena, enum node_type type,
				struct position position)
{
	const struct node **children = arena_new_array(arena, nodes->count, const struct node *);

	for (size_t i = 0; i < nodes->count; i++)
		children[i] = nodes->items[i];
	return node_parent(arena, type, position, children, nodes->count);
}

bool parser_next(struct parser *parser)
{
	return tokenizer_next(&parser->tokenizer, &parser->token, parser->diagnostics);
}

const struct node *parser_unexpected(struct parser *parser, const char *what)
{
	const struct token *token = &parser->token;

	if (token->type == TOKEN_END)
		diag_error(parser->diagnostics, FAULT_USER, token->position, "expected %s, but the text ends here",
			   what);
	else
		diag_error(parser->diagnostics, FAULT_USER, token->position, "expected %s, found '%.*s'", what,
			   SLICE_ARGUMENTS(slice_first(token->text, 64)));
	return NULL;
}

bool parser_expect(struct parser *parser, enum token_type type, const char *what)
{
	if (parser->token.type != type) {
		parser_unexpected(parser, what);
		return false;
	}
	return parser_next(parser);
}

/* False after a diagnostic where brackets nest too deep. */
static bool parser_enter(struct parser *parser)
{
	if (parser->depth == EXPRESSION_DEEPEST)
		return diag_error(parser->diagnostics, FAULT_USER, parser->token.position,
				  "the expression nests deeper than %d levels", EXPRESSION_DEEPEST);
	parser->depth++;
	return true;
}

static const struct node *parse_number(struct parser *parser, bool negative, struct position position)
{
	struct slice text = parser->token.text;
	struct diagnostics ignored;
	struct value value;
	int64_t integer;
	bool whole = true, readable = true;

	for (size_t i = 0; i < text.size; i++)
		whole = whole && text.data[i] >= '0' && text.data[i] <= '9';
	if (negative)
		text = arena_format(parser->arena, "-%.*s", SLICE_ARGUMENTS(text));
	if (whole && (parser->token.text.size == 1 || parser->token.text.data[0] != '0') &&
	    slice_integer(text, &integer)) {
		value = value_integer(integer);
	} else if (whole) {
		readable = false;
	} else {
		diagnostics_init(&ignored, parser->arena);
		readable = json_read(parser->arena, text, false, 512, "the number", &value, &ignored);
		diagnostics_release(&ignored);
	}
	if (!readable) {
		diag_error(parser->diagnostics, FAULT_USER, position, "'%.*s' is too large or no proper number",
			   SLICE_ARGUMENTS(slice_first(text, 64)));
		return NULL;
	}
	if (!parser_next(parser))
		return NULL;
	return node_literal(parser->arena, value_at(value, position), position);
}

/* Items up to the closing bracket, which is taken; a comma may stand behind the last. */
static bool parse_items(struct parser *parser, enum token_type close, const char *what, struct nodes *nodes)
{
	while (parser->token.type != close) {
		const struct node *item = parse_expression(parser);

		if (!item)
			return false;
		nodes_add(nodes, item);
		if (parser->token.type == close)
			break;
		if (!parser_expect(parser, TOKEN_COMMA, what))
			return false;
	}
	return parser_next(parser);
}

static const struct node *parse_list(struct parser *parser)
{
	struct position position = parser->token.position;
	NODES_AUTO items = {0};

	if (!parser_next(parser) || !parse_items(parser, TOKEN_CLOSE_SQUARE, "',' or ']'", &items))
		return NULL;
	return nodes_parent(&items, parser->arena, NODE_LIST, position);
}

static const struct node *parse_key(struct parser *parser)
{
	struct token token = parser->token;
	const struct node *key;

	if (token.type == TOKEN_NAME)
		return parser_next(parser) ? node_string(parser->arena, token.text, token.position) : NULL;
	if (token.type != TOKEN_QUOTE)
		return parser_unexpected(parser, "a name, a string or '}'");
	key = parse_template(parser, true, token.position);
	return key && parser_next(parser) ? key : NULL;
}

static const struct node *parse_map(struct parser *parser)
{
	struct position position = parser->token.position;
	NODES_AUTO pairs = {0};

	if (!parser_next(parser))
		return NULL;
	while (parser->token.type != TOKEN_CLOSE_CURLY) {
		const struct node *key = parse_key(parser);
		const struct node *value;

		if (!key || !parser_expect(parser, TOKEN_COLON, "':'"))
			return NULL;
		value = parse_expression(parser);
		if (!value)
			return NULL;
		nodes_add(&pairs, key);
		nodes_add(&pairs, value);
		if (parser->token.type == TOKEN_CLOSE_CURLY)
			break;
		if (!parser_expect(parser, TOKEN_COMMA, "',' or '}'"))
			return NULL;
	}
	return parser_next(parser) ? nodes_parent(&pairs, parser->arena, NODE_MAP, position) : NULL;
}

static const struct node *parse_round(struct parser *parser)
{
	const struct node *inner;

	if (!parser_next(parser))
		return NULL;
	inner = parse_expression(parser);
	if (!inner || !parser_expect(parser, TOKEN_CLOSE_ROUND, "')' or an operator"))
		return NULL;
	return inner;
}

static const struct node *parse_string(struct parser *parser)
{
	const struct node *string = parse_template(parser, true, parser->token.position);

	return string && parser_next(parser) ? string : NULL;
}

static const struct node *parse_positive(struct parser *parser)
{
	return parse_number(parser, false, parser->token.position);
}

static const struct node *parse_primary(struct parser *parser)
{
	static const struct {
		enum token_type type;
		const struct node *(*parse)(struct parser *parser);
	} starts[] = {
		{TOKEN_NAME, parse_name},	 {TOKEN_NUMBER, parse_positive},  {TOKEN_QUOTE, parse_string},
		{TOKEN_OPEN_ROUND, parse_round}, {TOKEN_OPEN_SQUARE, parse_list}, {TOKEN_OPEN_CURLY, parse_map},
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (starts[i].type == parser->token.type)
			return starts[i].parse(parser);
	}
	return parser_unexpected(parser, "a value");
}

static const struct node *two_children(struct parser *parser, enum node_type type, struct position position,
				       const struct node *first, const struct node *second)
{
	const struct node **children = arena_new_array(parser->arena, 2, const struct node *);

	children[0] = first;
	children[1] = second;
	return node_parent(parser->arena, type, position, children, 2);
}

/* The ".a", "[b]" and ".*" behind base. */
static const struct node *parse_postfix(struct parser *parser, const struct node *base);

const struct node *parse_splat(struct parser *parser, const struct node *base, struct position position)
{
	const struct node *item = node_parent(parser->arena, NODE_ITEM, position, NULL, 0);
	const struct node *body;

	if (!parser_enter(parser))
		return NULL;
	body = parse_postfix(parser, item);
	parser->depth--;
	return body ? two_children(parser, NODE_SPLAT, position, base, body) : NULL;
}

const struct node *parse_member(struct parser *parser, const struct node *base, const struct token *name)
{
	if (!name_is_plain(name->text)) {
		diag_error(parser->diagnostics, FAULT_USER, name->position, "no member is called '%.*s'",
			   SLICE_ARGUMENTS(slice_first(name->text, 64)));
		diag_hint(parser->diagnostics, "write [0] for the first item of a list and [\"0\"] for a member");
		return NULL;
	}
	return two_children(parser, NODE_INDEX, name->position, base,
			    node_string(parser->arena, name->text, name->position));
}

/* Behind the dot. */
static const struct node *take_member(struct parser *parser, const struct node *base)
{
	struct token name = parser->token;

	if (name.type != TOKEN_NAME)
		return parser_unexpected(parser, "a name or '*' behind the dot");
	return parser_next(parser) ? parse_member(parser, base, &name) : NULL;
}

static const struct node *parse_postfix(struct parser *parser, const struct node *base)
{
	while (base) {
		struct token token = parser->token;

		if (token.type != TOKEN_DOT && token.type != TOKEN_OPEN_SQUARE)
			return base;
		if (!parser_next(parser))
			return NULL;
		if (parser->token.type == TOKEN_STAR) {
			if (!parser_next(parser))
				return NULL;
			if (token.type == TOKEN_OPEN_SQUARE && !parser_expect(parser, TOKEN_CLOSE_SQUARE, "']'"))
				return NULL;
			base = parse_splat(parser, base, token.position);
		} else if (token.type == TOKEN_DOT) {
			base = take_member(parser, base);
		} else {
			const struct node *key = parse_expression(parser);

			if (!key || !parser_expect(parser, TOKEN_CLOSE_SQUARE, "']'"))
				return NULL;
			base = two_children(parser, NODE_INDEX, key->position, base, key);
		}
	}
	return NULL;
}

static const struct node *parse_unary(struct parser *parser)
{
	const struct operator* operator= operator_unary(parser->token.type);
	struct position position = parser->token.position;
	struct node node = {.type = NODE_UNARY, .position = position, .child_count = 1, .operator= operator};
	const struct node **child;

	if (!operator)
		return parse_postfix(parser, parse_primary(parser));
	if (!parser_next(parser))
		return NULL;
	/* The least whole number has no positive twin, so the sign belongs to the number. */
	if (operator->token == TOKEN_MINUS && parser->token.type == TOKEN_NUMBER)
		return parse_postfix(parser, parse_number(parser, true, position));
	if (!parser_enter(parser))
		return NULL;
	child = arena_new_array(parser->arena, 1, const struct node *);
	child[0] = parse_unary(parser);
	parser->depth--;
	node.children = child;
	return child[0] ? node_new(parser->arena, node) : NULL;
}

static const struct node *parse_binary(struct parser *parser, int least)
{
	const struct node *left = parse_unary(parser);

	while (left) {
		const struct operator* operator= operator_binary(parser->token.type);
		struct node node = {.type = NODE_BINARY, .position = parser->token.position, .child_count = 2};
		const struct node **children;

		if (!operator||(int) operator->precedence<least)
			return left;
		if (!parser_next(parser))
			return NULL;
		children = arena_new_array(parser->arena, 2, const struct node *);
		children[0] = left;
		children[1] = parse_binary(parser, (int)operator->precedence + 1);
		if (!children[1])
			return NULL;
		node.operator= operator;
		node.children = children;
		left = node_new(parser->arena, node);
	}
	return NULL;
}

static const struct node *parse_conditional(struct parser *parser)
{
	const struct node *condition = parse_binary(parser, PRECEDENCE_OR);
	struct position position = parser->token.position;
	const struct node **children;

	if (!condition || parser->token.type != TOKEN_QUESTION)
		return condition;
	children = arena_new_array(parser->arena, 3, const struct node *);
	children[0] = condition;
	if (!parser_next(parser))
		return NULL;
	children[1] = parse_expression(parser);
	if (!children[1] || !parser_expect(parser, TOKEN_COLON, "':' or an operator"))
		return NULL;
	children[2] = parse_expression(parser);
	return children[2] ? node_parent(parser->arena, NODE_CONDITIONAL, position, children, 3) : NULL;
}

const struct node *parse_expression(struct parser *parser)
{
	const struct node *node;

	if (!parser_enter(parser))
		return NULL;
	node = parse_conditional(parser);
	parser->depth--;
	return node;
}

const struct node *expression_parse(struct arena *arena, struct slice text, struct position position,
				    bool (*is_kind)(void *context, struct slice name), void *context,
				    struct diagnostics *diagnostics)
{
	struct parser parser = {.arena = arena, .is_kind = is_kind, .context = context, .diagnostics = diagnostics};
	const struct node *root;
	size_t bad;

	tokenizer_init(&parser.tokenizer, text, position);
	if (text.size > EXPRESSION_LONGEST_BYTES) {
		diag_error(diagnostics, FAULT_USER, position, "a text with expressions is longer than %d bytes",
			   EXPRESSION_LONGEST_BYTES);
		return NULL;
	}
	if (!slice_is_utf8(text, &bad)) {
		diag_error(diagnostics, FAULT_USER, tokenizer_position(&parser.tokenizer, bad), "invalid UTF-8");
		return NULL;
	}
	root = parse_template(&parser, false, position);
	if (root && root->depth > NODE_DEEPEST) {
		diag_error(diagnostics, FAULT_USER, root->position, "the expression chains more than %d operators",
			   NODE_DEEPEST);
		return NULL;
	}
	return root;
}
