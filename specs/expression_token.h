#ifndef TRUEUP_SPECS_EXPRESSION_TOKEN_H
#define TRUEUP_SPECS_EXPRESSION_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/slice.h"
#include "base/source.h"

/*
 * Cuts the text between "${" and "}" into tokens. The text of strings is not its business:
 * at TOKEN_QUOTE the offset stands behind the quote and the parser reads on from there.
 */
enum token_type {
	TOKEN_END,
	TOKEN_NAME,   /* a letter or '_', then letters, digits, '_', and '-' between two of them; digits may lead after
			 '.' */
	TOKEN_NUMBER, /* as in JSON, without a sign */
	TOKEN_QUOTE,
	TOKEN_DOT,
	TOKEN_COMMA,
	TOKEN_COLON,
	TOKEN_QUESTION,
	TOKEN_OPEN_ROUND,
	TOKEN_CLOSE_ROUND,
	TOKEN_OPEN_SQUARE,
	TOKEN_CLOSE_SQUARE,
	TOKEN_OPEN_CURLY,
	TOKEN_CLOSE_CURLY,
	TOKEN_OR,
	TOKEN_AND,
	TOKEN_EQUAL,
	TOKEN_UNEQUAL,
	TOKEN_LESS,
	TOKEN_LESS_OR_EQUAL,
	TOKEN_MORE,
	TOKEN_MORE_OR_EQUAL,
	TOKEN_PLUS,
	TOKEN_MINUS,
	TOKEN_STAR,
	TOKEN_SLASH,
	TOKEN_PERCENT,
	TOKEN_NOT,
	TOKEN_TYPES,
};

struct token {
	enum token_type type;
	struct slice text; /* of the source */
	size_t offset;
	struct position position;
};

struct tokenizer {
	struct slice text;
	size_t offset; /* where the next token is looked for */
	size_t count;  /* of tokens so far */
	bool after_dot;
	struct position start; /* of the text */
	/* The last line begun at or before the last position asked for. */
	size_t line_offset;
	uint32_t line;
	size_t scanned;
};

void tokenizer_init(struct tokenizer *tokenizer, struct slice text, struct position start);
/* False after a diagnostic: a byte that begins nothing, or too many tokens. */
__attribute__((warn_unused_result)) bool tokenizer_next(struct tokenizer *tokenizer, struct token *ret,
							struct diagnostics *diagnostics);
/* The place of an offset in the file. Offsets must not decrease from call to call. */
struct position tokenizer_position(struct tokenizer *tokenizer, size_t offset);

/* What may stand as a name in a reference, or as a key without quotes. */
bool name_is_plain(struct slice name);

#endif
