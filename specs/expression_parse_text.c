#include "specs/expression_parser.h"

#include "base/buffer.h"
#include "base/hex.h"

/* Where a run of literal text ended. */
enum run_end {
	RUN_FAILED,
	RUN_TEXT_END,
	RUN_QUOTE,
	RUN_OPEN, /* before "${" */
};

static const struct escape {
	char letter;
	char byte;
} escapes[] = {
	{'"', '"'}, {'\\', '\\'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'},
};

static void append_utf8(struct buffer *buffer, uint32_t code)
{
	if (code < 0x80) {
		buffer_byte(buffer, (char)code);
		return;
	}
	if (code < 0x800) {
		buffer_byte(buffer, (char)(0xc0 | code >> 6));
	} else if (code < 0x10000) {
		buffer_byte(buffer, (char)(0xe0 | code >> 12));
		buffer_byte(buffer, (char)(0x80 | (code >> 6 & 0x3f)));
	} else {
		buffer_byte(buffer, (char)(0xf0 | code >> 18));
		buffer_byte(buffer, (char)(0x80 | (code >> 12 & 0x3f)));
		buffer_byte(buffer, (char)(0x80 | (code >> 6 & 0x3f)));
	}
	buffer_byte(buffer, (char)(0x80 | (code & 0x3f)));
}

/* "u" and 4 or "U" and 8 hexadecimal digits: a code point of Unicode. False where text is none. */
static bool unicode_escape(struct slice text, struct buffer *buffer, size_t *ret_size)
{
	size_t digits = text.size > 0 && text.data[0] == 'U' ? 8 : 4;
	uint32_t code = 0;

	if (text.size <= digits || (text.data[0] != 'u' && text.data[0] != 'U'))
		return false;
	for (size_t i = 1; i <= digits; i++) {
		int digit = hex_digit(text.data[i]);

		if (digit < 0)
			return false;
		code = code << 4 | (uint32_t)digit;
	}
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return false;
	append_utf8(buffer, code);
	*ret_size = digits + 1;
	return true;
}

/* Takes the escape at the offset, a backslash. */
static bool take_escape(struct parser *parser, struct buffer *buffer)
{
	struct tokenizer *tokenizer = &parser->tokenizer;
	struct slice rest = slice_from(tokenizer->text, tokenizer->offset + 1);
	size_t size;

	for (size_t i = 0; rest.size > 0 && i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		if (escapes[i].letter == rest.data[0]) {
			buffer_byte(buffer, escapes[i].byte);
			tokenizer->offset += 2;
			return true;
		}
	}
	if (unicode_escape(rest, buffer, &size)) {
		tokenizer->offset += size + 1;
		return true;
	}
	diag_error(parser->diagnostics, FAULT_USER, tokenizer_position(tokenizer, tokenizer->offset),
		   "a backslash begins no known escape here");
	diag_hint(parser->diagnostics, "known are \\\" \\\\ \\n \\r \\t \\uXXXX and \\UXXXXXXXX; write '\\\\' for a "
				       "backslash and '$${' for a literal '${'");
	return false;
}

/* Literal text from the offset on goes to buffer; the offset stands at what ended it. */
static enum run_end take_run(struct parser *parser, bool quoted, struct buffer *buffer)
{
	struct tokenizer *tokenizer = &parser->tokenizer;

	for (;;) {
		struct slice rest = slice_from(tokenizer->text, tokenizer->offset);
		size_t plain = 0;

		while (plain < rest.size && rest.data[plain] != '$' &&
		       !(quoted && (rest.data[plain] == '"' || rest.data[plain] == '\\')))
			plain++;
		buffer_append(buffer, slice_first(rest, plain));
		tokenizer->offset += plain;
		rest = slice_from(rest, plain);
		if (rest.size == 0)
			return RUN_TEXT_END;
		if (rest.data[0] == '"')
			return RUN_QUOTE;
		if (rest.data[0] == '\\') {
			if (!take_escape(parser, buffer))
				return RUN_FAILED;
			continue;
		}
		if (slice_starts_with(rest, SLICE("${")))
			return RUN_OPEN;
		if (slice_starts_with(rest, SLICE("$${"))) {
			buffer_append(buffer, SLICE("${"));
			tokenizer->offset += 3;
			continue;
		}
		buffer_byte(buffer, '$');
		tokenizer->offset++;
	}
}

/* From "${" to behind its "}". */
static const struct node *take_interpolation(struct parser *parser)
{
	struct tokenizer *tokenizer = &parser->tokenizer;
	struct position open = tokenizer_position(tokenizer, tokenizer->offset);
	const struct node *node;

	tokenizer->offset += 2;
	tokenizer->after_dot = false;
	if (!parser_next(parser))
		return NULL;
	if (parser->token.type == TOKEN_CLOSE_CURLY) {
		diag_error(parser->diagnostics, FAULT_USER, open, "'${}' holds no expression");
		diag_hint(parser->diagnostics, "write '$${}' for the characters themselves");
		return NULL;
	}
	node = parse_expression(parser);
	if (!node || parser->token.type == TOKEN_CLOSE_CURLY)
		return node;
	if (parser->token.type != TOKEN_END)
		return parser_unexpected(parser, "'}' or an operator");
	diag_error(parser->diagnostics, FAULT_USER, open, "'${' is never closed");
	diag_hint(parser->diagnostics, "close it with '}', or write '$${' for a literal '${'");
	return NULL;
}

/* A string within a string is text of the outer one. */
static void add_part(struct nodes *parts, const struct node *node)
{
	if (node->type != NODE_TEMPLATE) {
		nodes_add(parts, node);
		return;
	}
	for (uint32_t i = 0; i < node->child_count; i++)
		nodes_add(parts, node->children[i]);
}

/* Makes one of neighbouring literal strings, so that "a${"b"}" is the string it spells. */
static void join_parts(struct parser *parser, struct nodes *parts)
{
	size_t count = 0;
	BUFFER_AUTO text = {0};

	buffer_init(&text, EXPRESSION_LONGEST_BYTES);
	for (size_t i = 0, end; i < parts->count; i = end) {
		const struct node *part = parts->items[i];

		end = i + 1;
		if (node_has_type(part, VALUE_STRING)) {
			buffer_clear(&text);
			buffer_append(&text, value_slice(&part->literal.value));
			for (; end < parts->count && node_has_type(parts->items[end], VALUE_STRING); end++)
				buffer_append(&text, value_slice(&parts->items[end]->literal.value));
			if (end > i + 1)
				part = node_string(parser->arena, arena_copy(parser->arena, buffer_slice(&text)),
						   part->position);
		}
		parts->items[count++] = part;
	}
	parts->count = count;
}

const struct node *parse_template(struct parser *parser, bool quoted, struct position open)
{
	struct tokenizer *tokenizer = &parser->tokenizer;
	NODES_AUTO parts = {0};
	BUFFER_AUTO text = {0};

	buffer_init(&text, EXPRESSION_LONGEST_BYTES);
	for (;;) {
		/* A string is where its quote is. */
		struct position start = parts.count > 0 ? tokenizer_position(tokenizer, tokenizer->offset) : open;
		enum run_end end;
		const struct node *node;

		buffer_clear(&text);
		end = take_run(parser, quoted, &text);
		if (end == RUN_FAILED)
			return NULL;
		if (text.size > 0)
			nodes_add(&parts,
				  node_string(parser->arena, arena_copy(parser->arena, buffer_slice(&text)), start));
		if (end != RUN_OPEN) {
			if (quoted && end == RUN_TEXT_END) {
				diag_error(parser->diagnostics, FAULT_USER, open, "the string is never closed");
				return NULL;
			}
			tokenizer->offset += end == RUN_QUOTE;
			break;
		}
		node = take_interpolation(parser);
		if (!node)
			return NULL;
		add_part(&parts, node);
	}
	if (parts.count == 0)
		return node_string(parser->arena, SLICE(""), open);
	join_parts(parser, &parts);
	return parts.count == 1 ? parts.items[0] : nodes_parent(&parts, parser->arena, NODE_TEMPLATE, open);
}
