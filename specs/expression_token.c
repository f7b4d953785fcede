#include "specs/expression_token.h"

#include "specs/expression_tree.h"

/* Longer signs first where one begins another. */
static const struct sign {
	const char *text;
	enum token_type type;
} signs[] = {
	{"||", TOKEN_OR},
	{"&&", TOKEN_AND},
	{"==", TOKEN_EQUAL},
	{"!=", TOKEN_UNEQUAL},
	{"<=", TOKEN_LESS_OR_EQUAL},
	{">=", TOKEN_MORE_OR_EQUAL},
	{"<", TOKEN_LESS},
	{">", TOKEN_MORE},
	{"+", TOKEN_PLUS},
	{"-", TOKEN_MINUS},
	{"*", TOKEN_STAR},
	{"/", TOKEN_SLASH},
	{"%", TOKEN_PERCENT},
	{"!", TOKEN_NOT},
	{".", TOKEN_DOT},
	{",", TOKEN_COMMA},
	{":", TOKEN_COLON},
	{"?", TOKEN_QUESTION},
	{"(", TOKEN_OPEN_ROUND},
	{")", TOKEN_CLOSE_ROUND},
	{"[", TOKEN_OPEN_SQUARE},
	{"]", TOKEN_CLOSE_SQUARE},
	{"{", TOKEN_OPEN_CURLY},
	{"}", TOKEN_CLOSE_CURLY},
	{"\"", TOKEN_QUOTE},
};

/* Bytes that people write out of habit, and what they should write. */
static const struct habit {
	char byte;
	const char *hint;
} habits[] = {
	{'\'', "put strings between double quotes; in YAML, set the whole value between single quotes"},
	{'=', "compare with '==', and write a member of a map as 'name: value'"},
	{'&', "write '&&' for 'and'"},
	{'|', "write '||' for 'or'"},
	{'$', "within '${' and '}' a name stands by itself, without '$'"},
};

static bool is_letter(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

void tokenizer_init(struct tokenizer *tokenizer, struct slice text, struct position start)
{
	*tokenizer = (struct tokenizer){.text = text, .start = start, .line = start.line};
}

struct position tokenizer_position(struct tokenizer *tokenizer, size_t offset)
{
	struct position position = tokenizer->start;
	size_t column;

	if (position.line == 0)
		return position;
	for (; tokenizer->scanned < offset; tokenizer->scanned++) {
		if (tokenizer->text.data[tokenizer->scanned] == '\n') {
			tokenizer->line++;
			tokenizer->line_offset = tokenizer->scanned + 1;
		}
	}
	column = offset - tokenizer->line_offset + (tokenizer->line_offset == 0 ? position.column : 1);
	position.line = tokenizer->line;
	position.column = column < UINT16_MAX ? (uint16_t)column : UINT16_MAX;
	return position;
}

/* The end of the name that begins at offset; offset itself where none does. */
static size_t name_end(struct slice text, size_t offset, bool after_dot)
{
	size_t end = offset;

	if (end == text.size || !(is_letter(text.data[end]) || (after_dot && slice_is_digit(text.data[end]))))
		return offset;
	for (end++; end < text.size; end++) {
		char byte = text.data[end];

		if (is_letter(byte) || slice_is_digit(byte))
			continue;
		/* "a-b" is a name, as resources are often called so; "a - b" and "a -b" subtract. */
		if (byte != '-' || end + 1 == text.size || text.data[end - 1] == '-' ||
		    !(is_letter(text.data[end + 1]) || slice_is_digit(text.data[end + 1])))
			break;
	}
	return end;
}

static size_t digits_end(struct slice text, size_t offset)
{
	while (offset < text.size && slice_is_digit(text.data[offset]))
		offset++;
	return offset;
}

static size_t number_end(struct slice text, size_t offset)
{
	size_t end = digits_end(text, offset), more;

	if (end == offset)
		return offset;
	if (end + 1 < text.size && text.data[end] == '.' && slice_is_digit(text.data[end + 1]))
		end = digits_end(text, end + 1);
	if (end < text.size && (text.data[end] == 'e' || text.data[end] == 'E')) {
		more = end + 1;
		if (more < text.size && (text.data[more] == '+' || text.data[more] == '-'))
			more++;
		if (digits_end(text, more) > more)
			end = digits_end(text, more);
	}
	return end;
}

/* A byte that begins no token. */
static bool refuse_byte(struct tokenizer *tokenizer, struct diagnostics *diagnostics)
{
	char byte = tokenizer->text.data[tokenizer->offset];
	struct position position = tokenizer_position(tokenizer, tokenizer->offset);

	if (byte > 0x20 && byte < 0x7f)
		diag_error(diagnostics, FAULT_USER, position, "'%c' has no meaning in an expression", byte);
	else
		diag_error(diagnostics, FAULT_USER, position, "byte 0x%02x has no meaning in an expression",
			   (unsigned)(unsigned char)byte);
	for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++) {
		if (habits[i].byte == byte)
			diag_hint(diagnostics, "%s", habits[i].hint);
	}
	return false;
}

static const struct sign *sign_at(struct slice rest)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (slice_starts_with(rest, slice_of(signs[i].text)))
			return &signs[i];
	}
	return NULL;
}

bool tokenizer_next(struct tokenizer *tokenizer, struct token *ret, struct diagnostics *diagnostics)
{
	struct slice text = tokenizer->text;
	struct token token = {.type = TOKEN_END};
	const struct sign *sign;
	size_t start, end;

	while (tokenizer->offset < text.size && is_space(text.data[tokenizer->offset]))
		tokenizer->offset++;
	start = tokenizer->offset;
	token.offset = start;
	token.position = tokenizer_position(tokenizer, start);
	if (++tokenizer->count > EXPRESSION_MOST_TOKENS)
		return diag_error(diagnostics, FAULT_USER, token.position,
				  "the text holds more than %d words and signs of expressions", EXPRESSION_MOST_TOKENS);
	if (start == text.size) {
		*ret = token;
		return true;
	}
	end = name_end(text, start, tokenizer->after_dot);
	token.type = TOKEN_NAME;
	if (end == start) {
		end = number_end(text, start);
		token.type = TOKEN_NUMBER;
	}
	if (end == start) {
		sign = sign_at(slice_from(text, start));
		if (!sign)
			return refuse_byte(tokenizer, diagnostics);
		end = start + strlen(sign->text);
		token.type = sign->type;
	}
	token.text = slice_first(slice_from(text, start), end - start);
	tokenizer->after_dot = token.type == TOKEN_DOT;
	tokenizer->offset = end;
	*ret = token;
	return true;
}

bool name_is_plain(struct slice name)
{
	return name.size > 0 && name_end(name, 0, false) == name.size;
}
