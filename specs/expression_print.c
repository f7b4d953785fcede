#include "specs/expression_print.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "specs/expression_function.h"
#include "specs/expression_operator.h"

/* A text under way; depth and tokens are counted as the parser will count them. */
struct printer {
	struct buffer *buffer;
	unsigned depth;
	unsigned deepest;
	size_t tokens;
};

static void print_node(struct printer *printer, const struct node *node, int least);

static void put(struct printer *printer, struct slice text)
{
	buffer_append(printer->buffer, text);
	printer->tokens++;
}

static void put_text(struct printer *printer, const char *text)
{
	put(printer, slice_of(text));
}

static void enter(struct printer *printer)
{
	if (++printer->depth > printer->deepest)
		printer->deepest = printer->depth;
}

/* A part that may be any expression: within brackets, or behind a comma. Past the limit nothing
 * more is written, as the text is lost anyway. */
static void print_inner(struct printer *printer, const struct node *node)
{
	enter(printer);
	if (printer->depth <= EXPRESSION_DEEPEST)
		print_node(printer, node, PRECEDENCE_CONDITIONAL);
	printer->depth--;
}

/* Text within or, where quoted is not set, without quotes. */
static void print_run(struct printer *printer, struct slice text, bool quoted)
{
	static const char plain_escapes[] = "\"\\\n\r\t";
	static const char letters[] = "\"\\nrt";

	for (size_t i = 0; i < text.size; i++) {
		unsigned char byte = (unsigned char)text.data[i];
		const char *escape =
			quoted ? (const char *)memchr(plain_escapes, byte, sizeof(plain_escapes) - 1) : NULL;

		if (byte == '$' && i + 1 < text.size && text.data[i + 1] == '{')
			buffer_byte(printer->buffer, '$');
		if (escape)
			buffer_append(printer->buffer,
				      (struct slice){(const char[]){'\\', letters[escape - plain_escapes]}, 2});
		else if (quoted && (byte < 0x20 || byte == 0x7f))
			buffer_format(printer->buffer, "\\u%04x", (unsigned)byte);
		else
			buffer_byte(printer->buffer, (char)byte);
	}
}

static void print_string(struct printer *printer, struct slice text)
{
	put_text(printer, "\"");
	print_run(printer, text, true);
	buffer_byte(printer->buffer, '"');
}

/* A '$' right before "${" would escape it, so it goes into an expression of its own. */
static void print_run_before_open(struct printer *printer, struct slice text, bool quoted)
{
	size_t kept = text.size;

	while (kept > 0 && text.data[kept - 1] == '$')
		kept--;
	print_run(printer, slice_first(text, kept), quoted);
	if (kept == text.size)
		return;
	put_text(printer, "${");
	enter(printer);
	print_string(printer, slice_from(text, kept));
	printer->depth--;
	put_text(printer, "}");
}

/* What is printed for node: a secret is where it came from. */
static const struct node *shown_of(const struct node *node)
{
	while (node->type == NODE_LITERAL && node->literal.shown)
		node = node->literal.shown;
	return node;
}

static bool is_string(const struct node *node)
{
	return node_has_type(shown_of(node), VALUE_STRING);
}

static struct slice string_of(const struct node *node)
{
	return value_slice(&shown_of(node)->literal.value);
}

/*
 * One part of a string. Literal text waits in run, so that "$" and "{" of two parts do not
 * become "${" unnoticed; strings within strings are text of the outer one.
 */
static void print_part(struct printer *printer, const struct node *part, struct buffer *run, bool quoted)
{
	part = shown_of(part);
	if (is_string(part)) {
		if (!buffer_append(run, string_of(part)))
			printer->buffer->full = true;
		return;
	}
	if (part->type == NODE_TEMPLATE) {
		for (uint32_t i = 0; i < part->child_count; i++)
			print_part(printer, part->children[i], run, quoted);
		return;
	}
	print_run_before_open(printer, buffer_slice(run), quoted);
	buffer_clear(run);
	put_text(printer, "${");
	print_inner(printer, part);
	put_text(printer, "}");
}

static void print_parts(struct printer *printer, const struct node *const *parts, size_t count, bool quoted)
{
	BUFFER_AUTO run = {0};

	buffer_init(&run, EXPRESSION_LONGEST_BYTES);
	for (size_t i = 0; i < count; i++)
		print_part(printer, parts[i], &run, quoted);
	print_run(printer, buffer_slice(&run), quoted);
}

static void print_template(struct printer *printer, const struct node *node)
{
	put_text(printer, "\"");
	print_parts(printer, node->children, node->child_count, true);
	buffer_byte(printer->buffer, '"');
}

static void print_items(struct printer *printer, const struct node *node)
{
	for (uint32_t i = 0; i < node->child_count; i++) {
		if (i > 0)
			put_text(printer, ", ");
		print_inner(printer, node->children[i]);
	}
}

static void print_list(struct printer *printer, const struct node *node)
{
	put_text(printer, "[");
	print_items(printer, node);
	put_text(printer, "]");
}

static void print_key(struct printer *printer, const struct node *key)
{
	if (is_string(key) && name_is_plain(string_of(key))) {
		put(printer, string_of(key));
		return;
	}
	/* Only a string may stand here: "${...}" makes one of anything. */
	put_text(printer, "\"");
	print_parts(printer, &key, 1, true);
	buffer_byte(printer->buffer, '"');
}

struct pair {
	const struct node *key;
	const struct node *value;
};

static int pair_compare(const void *a, const void *b)
{
	const struct pair *first = (const struct pair *)a, *second = (const struct pair *)b;

	return slice_compare(string_of(first->key), string_of(second->key));
}

static void print_pairs(struct printer *printer, const struct pair *pairs, size_t count)
{
	put_text(printer, "{");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			put_text(printer, ", ");
		print_key(printer, pairs[i].key);
		put_text(printer, ": ");
		print_inner(printer, pairs[i].value);
	}
	put_text(printer, "}");
}

/* The order of members means nothing, so they are sorted where their keys are known. */
static void print_map(struct printer *printer, const struct node *node)
{
	size_t count = node->child_count / 2;
	struct pair *pairs = (struct pair *)memory_get((count + 1) * sizeof(*pairs));
	bool known = true;

	for (size_t i = 0; i < count; i++) {
		pairs[i] = (struct pair){node->children[2 * i], node->children[2 * i + 1]};
		known = known && is_string(pairs[i].key);
	}
	if (known)
		qsort(pairs, count, sizeof(*pairs), pair_compare);
	print_pairs(printer, pairs, count);
	free(pairs);
}

static void print_value_list(struct printer *printer, const struct value *value)
{
	put_text(printer, "[");
	for (uint32_t i = 0; i < value->count; i++) {
		struct node item = {.type = NODE_LITERAL, .literal = {.value = value->items[i]}};

		if (i > 0)
			put_text(printer, ", ");
		print_inner(printer, &item);
	}
	put_text(printer, "]");
}

static void print_value_map(struct printer *printer, const struct value *value)
{
	struct node *keys = (struct node *)memory_get((value->count + 1) * sizeof(*keys));
	struct node *values = (struct node *)memory_get((value->count + 1) * sizeof(*values));
	struct pair *pairs = (struct pair *)memory_get((value->count + 1) * sizeof(*pairs));

	for (uint32_t i = 0; i < value->count; i++) {
		keys[i] = (struct node){.type = NODE_LITERAL, .literal = {.value = value->members[i].key}};
		values[i] = (struct node){.type = NODE_LITERAL, .literal = {.value = value->members[i].value}};
		pairs[i] = (struct pair){&keys[i], &values[i]};
	}
	qsort(pairs, value->count, sizeof(*pairs), pair_compare);
	print_pairs(printer, pairs, value->count);
	free(keys);
	free(values);
	free(pairs);
}

static void print_literal(struct printer *printer, const struct node *node)
{
	static const struct json_style plain = {.clear = true};
	const struct value *value = &node->literal.value;

	switch ((enum value_type)value->type) {
	case VALUE_STRING:
		print_string(printer, value_slice(value));
		break;
	case VALUE_LIST:
		print_value_list(printer, value);
		break;
	case VALUE_MAP:
		print_value_map(printer, value);
		break;
	case VALUE_NULL:
	case VALUE_BOOL:
	case VALUE_INTEGER:
	case VALUE_NUMBER:
	case VALUE_DEFERRED:
	case VALUE_UNREAD:
		printer->tokens += 2;
		if (!json_write(printer->buffer, value, &plain))
			printer->buffer->full = true;
		break;
	}
}

static void print_reference(struct printer *printer, const struct node *node)
{
	struct slice address = node->reference->address;

	put(printer, address);
	for (size_t i = 0; i < address.size; i++)
		printer->tokens += address.data[i] == '.' ? 2 : 0;
	if (node->whole)
		return;
	buffer_byte(printer->buffer, '.');
	put(printer, node->reference->attribute);
}

/* The base of a splat's body: ".*" stands there already. */
static void print_item(struct printer *printer, const struct node *node)
{
	(void)printer;
	(void)node;
}

static void print_index(struct printer *printer, const struct node *node)
{
	const struct node *key = node->children[1];

	print_node(printer, node->children[0], PRECEDENCE_POSTFIX);
	if (is_string(key) && name_is_plain(string_of(key))) {
		put_text(printer, ".");
		put(printer, string_of(key));
		return;
	}
	put_text(printer, "[");
	print_inner(printer, key);
	put_text(printer, "]");
}

static void print_splat(struct printer *printer, const struct node *node)
{
	print_node(printer, node->children[0], PRECEDENCE_POSTFIX);
	put_text(printer, ".*");
	enter(printer);
	if (printer->depth <= EXPRESSION_DEEPEST)
		print_node(printer, node->children[1], PRECEDENCE_POSTFIX);
	printer->depth--;
}

static void print_unary(struct printer *printer, const struct node *node)
{
	put_text(printer, node->operator->text);
	enter(printer);
	if (printer->depth <= EXPRESSION_DEEPEST)
		print_node(printer, node->children[0], PRECEDENCE_UNARY);
	printer->depth--;
}

static void print_binary(struct printer *printer, const struct node *node)
{
	print_node(printer, node->children[0], (int)node->operator->precedence);
	buffer_byte(printer->buffer, ' ');
	put_text(printer, node->operator->text);
	buffer_byte(printer->buffer, ' ');
	print_node(printer, node->children[1], (int)node->operator->precedence + 1);
}

static void print_conditional(struct printer *printer, const struct node *node)
{
	print_node(printer, node->children[0], PRECEDENCE_OR);
	put_text(printer, " ? ");
	print_inner(printer, node->children[1]);
	put_text(printer, " : ");
	print_inner(printer, node->children[2]);
}

static void print_call(struct printer *printer, const struct node *node)
{
	put_text(printer, node->function->name);
	put_text(printer, "(");
	print_items(printer, node);
	put_text(printer, ")");
}

static int node_precedence(const struct node *node)
{
	if (node->type == NODE_CONDITIONAL)
		return PRECEDENCE_CONDITIONAL;
	if (node->type == NODE_BINARY || node->type == NODE_UNARY)
		return (int)node->operator->precedence;
	/* "1.a" and "-1[0]" would be read as other things. */
	if (node_has_type(node, VALUE_INTEGER) || node_has_type(node, VALUE_NUMBER))
		return PRECEDENCE_UNARY;
	return PRECEDENCE_POSTFIX;
}

/* Within parentheses where node binds looser than least. */
static void print_node(struct printer *printer, const struct node *node, int least)
{
	static void (*const by_type[NODE_TYPES])(struct printer *, const struct node *) = {
		[NODE_LITERAL] = print_literal,
		[NODE_REFERENCE] = print_reference,
		[NODE_ITEM] = print_item,
		[NODE_TEMPLATE] = print_template,
		[NODE_LIST] = print_list,
		[NODE_MAP] = print_map,
		[NODE_INDEX] = print_index,
		[NODE_SPLAT] = print_splat,
		[NODE_UNARY] = print_unary,
		[NODE_BINARY] = print_binary,
		[NODE_CONDITIONAL] = print_conditional,
		[NODE_CALL] = print_call,
	};

	if (printer->buffer->full || printer->tokens > EXPRESSION_MOST_TOKENS)
		return;
	node = shown_of(node);
	if (node_precedence(node) >= least) {
		by_type[node->type](printer, node);
		return;
	}
	put_text(printer, "(");
	enter(printer);
	if (printer->depth <= EXPRESSION_DEEPEST)
		by_type[node->type](printer, node);
	printer->depth--;
	put_text(printer, ")");
}

bool expression_print(struct buffer *buffer, const struct node *root)
{
	struct printer printer = {.buffer = buffer};

	print_parts(&printer, &root, 1, false);
	return !buffer->full && printer.tokens <= EXPRESSION_MOST_TOKENS && printer.deepest <= EXPRESSION_DEEPEST;
}
