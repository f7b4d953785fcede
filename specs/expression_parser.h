#ifndef TRUEUP_SPECS_EXPRESSION_PARSER_H
#define TRUEUP_SPECS_EXPRESSION_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "specs/expression_token.h"
#include "specs/expression_tree.h"

/* What the files of the parser share; nobody else includes this. Every parse_*() returns
 * NULL after a diagnostic and otherwise leaves parser->token behind what it took. */
struct parser {
	struct arena *arena;
	struct tokenizer tokenizer;
	struct token token; /* looked at, not yet taken */
	unsigned depth;
	bool (*is_kind)(void *context, struct slice name);
	void *context;
	struct diagnostics *diagnostics;
};

/* Grows on the heap while a list is read. */
struct nodes {
	const struct node **items; /* owned */
	size_t count;
	size_t capacity;
};
void nodes_release(struct nodes *nodes);
void nodes_add(struct nodes *nodes, const struct node *node);
/* A node of that type with these children. */
const struct node *nodes_parent(const struct nodes *nodes, struct arena *arena, enum node_type type,
				struct position position);

#define NODES_AUTO __attribute__((cleanup(nodes_release))) struct nodes

bool parser_next(struct parser *parser);
/* Takes a token of that type, or says that `what` was expected. */
bool parser_expect(struct parser *parser, enum token_type type, const char *what);
/* A diagnostic at the token at hand: "expected what, found ...". Always NULL. */
const struct node *parser_unexpected(struct parser *parser, const char *what);

const struct node *parse_expression(struct parser *parser);
/* The text from the tokenizer's offset on: to the closing quote, or to the end. open: the
 * place of the opening quote. */
const struct node *parse_template(struct parser *parser, bool quoted, struct position open);
/* What begins with a name: a keyword, a call or a reference. */
const struct node *parse_name(struct parser *parser);
/* base.name, the name taken already. */
const struct node *parse_member(struct parser *parser, const struct node *base, const struct token *name);
/* The body of a splat over base, behind its '*'. */
const struct node *parse_splat(struct parser *parser, const struct node *base, struct position position);

#endif
