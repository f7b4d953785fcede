#ifndef TRUEUP_SPECS_EXPRESSION_OPERATOR_H
#define TRUEUP_SPECS_EXPRESSION_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/value.h"
#include "specs/expression_token.h"
#include "specs/expression_tree.h"

/* What binds tighter has the greater number; within one level the left comes first. */
enum precedence {
	PRECEDENCE_CONDITIONAL = 1,
	PRECEDENCE_OR,
	PRECEDENCE_AND,
	PRECEDENCE_EQUAL,
	PRECEDENCE_ORDER,
	PRECEDENCE_SUM,
	PRECEDENCE_PRODUCT,
	PRECEDENCE_UNARY,
	PRECEDENCE_POSTFIX,
};

/* One application to known operands. */
struct operation {
	const struct node *node;	    /* NODE_UNARY or NODE_BINARY; its position is the operator's */
	const struct node *const *operands; /* literals */
	struct arena *arena;
	struct diagnostics *diagnostics;
};

typedef bool operator_body(const struct operation *operation, struct value *ret);

/* Outcomes of a comparison, each a bit. */
enum outcome {
	IS_LESS = 1 << 0,
	IS_EQUAL = 1 << 1,
	IS_MORE = 1 << 2,
};

struct operator
{
	const char *text;
	enum token_type token;
	enum precedence precedence;
	bool gives_bool;
	/* The right operand counts only where the left one does not decide; no body. */
	bool is_logic;
	bool decides;	  /* is_logic: the left operand that is already the result */
	unsigned accepts; /* comparisons: of enum outcome */
	operator_body *body;
	/* Arithmetic: on two whole numbers (true: it overflows), and on others. */
	bool (*whole)(int64_t left, int64_t right, int64_t * ret);
	double (*number)(double left, double right);
};

/* NULL where the token is no such operator. */
const struct operator* operator_unary(enum token_type token);
const struct operator* operator_binary(enum token_type token);
/* Whether a and b are the same value, 1 and 1.0 included. */
bool operands_equal(const struct value *a, const struct value *b);
/* <0, 0, >0; both are numbers or integers. Exact over all of int64. */
int numbers_compare(const struct value *a, const struct value *b);

#endif
