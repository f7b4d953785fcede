#include "specs/expression_parser.h"

#include "specs/expression_function.h"

enum {
	REFERENCE_MOST_PARTS = 32,
	/* Parts of a kind's name: "aws.vpc", and room for one more. */
	KIND_MOST_PARTS = 3,
	FUNCTION_NAMES_MOST_BYTES = 4096,
};

/* First parts that name no kind: what they hold stands directly behind them. */
static const char *const roots[] = {"var", "each"};

/* What keyword a name is, or NULL. */
static const struct keyword {
	const char *name;
	enum value_type type;
	bool boolean;
} keywords[] = {
	{"true", VALUE_BOOL, true},
	{"false", VALUE_BOOL, false},
	{"null", VALUE_NULL, false},
};

/* The dotted names of a reference, adjacent in the text. */
struct path {
	struct token parts[REFERENCE_MOST_PARTS];
	size_t count;
	bool is_splat;	       /* ".*" follows, taken up to the star */
	struct position splat; /* where */
};

/* Names and what stands between the first and the last of them. */
static struct slice path_text(const struct path *path, size_t count)
{
	const struct token *last = &path->parts[count - 1];
	size_t start = path->parts[0].offset;

	return (struct slice){path->parts[0].text.data, last->offset + last->text.size - start};
}

static const struct node *unknown_name(struct parser *parser, const struct token *name)
{
	struct slice candidates[128];
	size_t count = 0;

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		candidates[count++] = slice_of(roots[i]);
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		candidates[count++] = slice_of(keywords[i].name);
	for (size_t i = 0; function_at(i) && count < sizeof(candidates) / sizeof(candidates[0]); i++)
		candidates[count++] = slice_of(function_at(i)->name);
	diag_error(parser->diagnostics, FAULT_USER, name->position, "unknown name '%.*s'",
		   SLICE_ARGUMENTS(slice_first(name->text, 64)));
	if (!diag_suggest(parser->diagnostics, name->text, candidates, count))
		diag_hint(parser->diagnostics, "names look like var.region or aws.vpc.main.id; write '$${' for a "
					       "literal '${'");
	return NULL;
}

static const char *function_names(struct arena *arena)
{
	BUFFER_AUTO names;

	buffer_init(&names, FUNCTION_NAMES_MOST_BYTES);
	for (size_t i = 0; function_at(i); i++)
		buffer_format(&names, "%s%s", i ? ", " : "", function_at(i)->name);
	return arena_string(arena, buffer_slice(&names));
}

static const struct node *unknown_function(struct parser *parser, const struct token *name)
{
	struct slice candidates[128];
	size_t count = 0;

	for (size_t i = 0; function_at(i) && count < sizeof(candidates) / sizeof(candidates[0]); i++)
		candidates[count++] = slice_of(function_at(i)->name);
	diag_error(parser->diagnostics, FAULT_USER, name->position, "unknown function '%.*s'",
		   SLICE_ARGUMENTS(slice_first(name->text, 64)));
	if (!diag_suggest(parser->diagnostics, name->text, candidates, count))
		diag_hint(parser->diagnostics, "there are %s", function_names(parser->arena));
	return NULL;
}

static bool check_count(struct parser *parser, const struct token *name, const struct function *function, size_t count)
{
	const char *bound = count < function->least ? "at least" : "at most";
	unsigned limit = count < function->least ? function->least : function->most;

	if (count >= function->least && count <= function->most)
		return true;
	diag_error(parser->diagnostics, FAULT_USER, name->position, "'%s' takes %s %u argument%s, not %zu",
		   function->name, function->least == function->most ? "exactly" : bound, limit, limit == 1 ? "" : "s",
		   count);
	diag_hint(parser->diagnostics, "%s(%s): %s", function->name, function->arguments, function->about);
	return false;
}

static const struct node *parse_call(struct parser *parser, const struct token *name)
{
	const struct function *function = function_find(name->text);
	struct node call = {.type = NODE_CALL, .position = name->position};
	const struct node *list;
	NODES_AUTO arguments = {0};

	if (!function)
		return unknown_function(parser, name);
	if (!parser_next(parser))
		return NULL;
	while (parser->token.type != TOKEN_CLOSE_ROUND) {
		const struct node *argument_node = parse_expression(parser);

		if (!argument_node)
			return NULL;
		nodes_add(&arguments, argument_node);
		if (parser->token.type == TOKEN_CLOSE_ROUND)
			break;
		if (!parser_expect(parser, TOKEN_COMMA, "',' or ')'"))
			return NULL;
	}
	if (!check_count(parser, name, function, arguments.count) || !parser_next(parser))
		return NULL;
	list = nodes_parent(&arguments, parser->arena, NODE_CALL, name->position);
	call.children = list->children;
	call.child_count = list->child_count;
	call.function = function;
	return node_new(parser->arena, call);
}

static bool read_path(struct parser *parser, const struct token *first, struct path *path)
{
	path->parts[0] = *first;
	path->count = 1;
	path->is_splat = false;
	for (;;) {
		struct token dot = parser->token;
		const struct token *last = &path->parts[path->count - 1];

		if (dot.type != TOKEN_DOT)
			return true;
		if (!parser_next(parser))
			return false;
		if (parser->token.type == TOKEN_STAR) {
			path->is_splat = true;
			path->splat = dot.position;
			return true;
		}
		if (parser->token.type != TOKEN_NAME) {
			parser_unexpected(parser, "a name or '*' behind the dot");
			return false;
		}
		if (dot.offset != last->offset + last->text.size || parser->token.offset != dot.offset + 1)
			return diag_error(parser->diagnostics, FAULT_USER, dot.position,
					  "a name with dots must stand without spaces");
		if (path->count == REFERENCE_MOST_PARTS)
			return diag_error(parser->diagnostics, FAULT_USER, parser->token.position,
					  "a name has more than %d parts", REFERENCE_MOST_PARTS);
		path->parts[path->count++] = parser->token;
		if (!parser_next(parser))
			return false;
	}
}

static bool is_root(struct slice name)
{
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		if (slice_is(name, roots[i]))
			return true;
	}
	return false;
}

/* How many parts make up the kind that the path begins with; 0: none that there is. */
static size_t kind_parts(const struct parser *parser, const struct path *path)
{
	for (size_t count = path->count < KIND_MOST_PARTS ? path->count : KIND_MOST_PARTS; parser->is_kind && count > 0;
	     count--) {
		if (parser->is_kind(parser->context, path_text(path, count)))
			return count;
	}
	return 0;
}

/* How many parts make up the address. ret_is_kind: they are kind and name, the name possibly lacking. */
static size_t address_parts(const struct parser *parser, const struct path *path, bool *ret_is_kind)
{
	size_t kind = kind_parts(parser, path);

	*ret_is_kind = true;
	if (kind > 0)
		return kind + 1;
	/* An unknown kind has a name of two parts like most; who looks the address up will say so. */
	*ret_is_kind = path->count >= 3 && !is_root(path->parts[0].text);
	return *ret_is_kind ? 3 : 1;
}

/* A name as other languages have it: the kind aws.vpc is aws_vpc there. */
static const struct node *no_kind(struct parser *parser, struct position position, struct slice text)
{
	struct slice name = text;
	struct slice member = slice_cut(&name, '.');
	struct slice family = slice_cut(&member, '_');
	struct slice kind = arena_format(parser->arena, "%.*s.%.*s", SLICE_ARGUMENTS(family), SLICE_ARGUMENTS(member));

	diag_error(parser->diagnostics, FAULT_USER, position, "'%.*s' begins with no kind of resource",
		   SLICE_ARGUMENTS(slice_first(text, 256)));
	if (parser->is_kind(parser->context, kind))
		diag_hint(parser->diagnostics, "did you mean '%.*s.%.*s'?", SLICE_ARGUMENTS(kind),
			  SLICE_ARGUMENTS(slice_first(name, 256)));
	else
		diag_hint(parser->diagnostics, "write kind, name and what of it is meant, as in aws.vpc.main.id");
	return NULL;
}

/* The path ends before an attribute. */
static const struct node *incomplete(struct parser *parser, const struct path *path, size_t address, bool is_kind)
{
	struct position position = path->parts[0].position;
	struct slice text = path_text(path, path->count);

	if (!is_kind && !is_root(text))
		return unknown_name(parser, &path->parts[0]);
	if (is_kind && path->count == address && parser->token.type == TOKEN_OPEN_SQUARE) {
		diag_error(parser->diagnostics, FAULT_USER, parser->token.position,
			   "instances of '%.*s' cannot be chosen by key: for_each is not supported yet",
			   SLICE_ARGUMENTS(slice_first(text, 256)));
		return NULL;
	}
	if (is_kind && path->count < address) {
		diag_error(parser->diagnostics, FAULT_USER, position, "'%.*s' is a kind of resource",
			   SLICE_ARGUMENTS(slice_first(text, 256)));
		diag_hint(parser->diagnostics, "name one resource and what of it is meant, as in %.*s.NAME.id",
			  SLICE_ARGUMENTS(slice_first(text, 256)));
		return NULL;
	}
	if (is_kind && parser->is_kind && kind_parts(parser, path) == 0)
		return no_kind(parser, position, text);
	diag_error(parser->diagnostics, FAULT_USER, position, "'%.*s' does not say what of it is meant",
		   SLICE_ARGUMENTS(slice_first(text, 256)));
	diag_hint(parser->diagnostics, "add an attribute, as in %.*s.%s", SLICE_ARGUMENTS(slice_first(text, 256)),
		  is_kind ? "id" : "name");
	return NULL;
}

static const struct node *reference_node(struct parser *parser, struct slice address, struct slice attribute,
					 struct position position, bool whole)
{
	struct expression_reference *reference = arena_new(parser->arena, struct expression_reference);

	*reference = (struct expression_reference){address, attribute, position};
	return node_new(parser->arena, (struct node){
					       .type = NODE_REFERENCE,
					       .position = position,
					       .whole = whole,
					       .reference = reference,
				       });
}

/* A splat over all instances of a resource; the token at hand is behind its star. */
static const struct node *whole_resource(struct parser *parser, const struct path *path, struct position splat)
{
	const struct node **children = arena_new_array(parser->arena, 2, const struct node *);
	const struct node *item, *node;
	struct slice address = path_text(path, path->count), attribute;

	if (parser->token.type != TOKEN_DOT)
		return parser_unexpected(parser, "'.' and an attribute behind the '*'");
	item = parse_splat(parser, reference_node(parser, address, SLICE(""), path->parts[0].position, true), splat);
	if (!item)
		return NULL;
	/* The innermost index of the body names the attribute; a splat within it has its own list there. */
	for (node = item->children[1]; node->children[0]->type != NODE_ITEM;)
		node = node->children[0];
	if (node->type != NODE_INDEX) {
		diag_error(parser->diagnostics, FAULT_USER, splat, "an attribute must follow '*'");
		return NULL;
	}
	attribute = value_slice(&node->children[1]->literal.value);
	children[0] = reference_node(parser, address, attribute, path->parts[0].position, true);
	children[1] = item->children[1];
	return node_with_children(parser->arena, item, children);
}

static const struct node *parse_reference(struct parser *parser, const struct token *first)
{
	const struct node *node;
	struct path path;
	size_t address;
	bool is_kind;

	if (!read_path(parser, first, &path))
		return NULL;
	address = address_parts(parser, &path, &is_kind);
	if (path.count <= address) {
		if (!(path.is_splat && is_kind && path.count == address))
			return incomplete(parser, &path, address, is_kind);
		return parser_next(parser) ? whole_resource(parser, &path, path.splat) : NULL;
	}
	node = reference_node(parser, path_text(&path, address), path.parts[address].text, first->position, false);
	for (size_t i = address + 1; node && i < path.count; i++)
		node = parse_member(parser, node, &path.parts[i]);
	if (!node || !path.is_splat)
		return node;
	return parser_next(parser) ? parse_splat(parser, node, path.splat) : NULL;
}

const struct node *parse_name(struct parser *parser)
{
	struct token name = parser->token;

	if (!parser_next(parser))
		return NULL;
	if (parser->token.type == TOKEN_OPEN_ROUND)
		return parse_call(parser, &name);
	if (parser->token.type != TOKEN_DOT) {
		for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
			struct value value =
				keywords[i].type == VALUE_BOOL ? value_bool(keywords[i].boolean) : value_null();

			if (slice_is(name.text, keywords[i].name))
				return node_literal(parser->arena, value_at(value, name.position), name.position);
		}
	}
	return parse_reference(parser, &name);
}
