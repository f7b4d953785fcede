#ifndef TRUEUP_SPECS_EXPRESSION_TREE_H
#define TRUEUP_SPECS_EXPRESSION_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/source.h"
#include "base/value.h"
#include "specs/expression.h"

/*
 * The syntax tree of expressions. Nodes are immutable and live in an arena; parser and
 * evaluator make them, and what an evaluation leaves open is a tree again, which shares the
 * nodes that did not change. Only specs/expression*.c and their
 * tests include this.
 */

enum node_type {
	NODE_LITERAL,	  /* a value; without deferred values within */
	NODE_REFERENCE,	  /* an output of a resource, or a variable */
	NODE_ITEM,	  /* within the body of a splat: the item at hand */
	NODE_TEMPLATE,	  /* children: the parts of a string, in order */
	NODE_LIST,	  /* children: the items */
	NODE_MAP,	  /* children: key, value, key, value, ... */
	NODE_INDEX,	  /* children: what is indexed, the key; "a.b" is a["b"] */
	NODE_SPLAT,	  /* children: the list, what is made of each item (NODE_ITEM stands for it) */
	NODE_UNARY,	  /* child: the operand */
	NODE_BINARY,	  /* children: left, right */
	NODE_CONDITIONAL, /* children: condition, value if true, value if false */
	NODE_CALL,	  /* children: the arguments */
	NODE_TYPES,
};

enum {
	/* Brackets within brackets, in source and in print. */
	EXPRESSION_DEEPEST = 64,
	/* Levels of a tree: a chain of operators is deep without any brackets. */
	NODE_DEEPEST = 1000,
	EXPRESSION_MOST_TOKENS = 65536,
	EXPRESSION_LONGEST_BYTES = 1024 * 1024,
};

struct operator;
struct function;
struct node;

struct literal {
	struct value value;
	/* Printed in place of a secret value: where the value came from. NULL: the value itself. */
	const struct node *shown;
};

struct node {
	struct position position;
	uint8_t type; /* enum node_type */
	bool secret;  /* NODE_LITERAL: something within is */
	bool whole;   /* NODE_REFERENCE: stands for all instances of a resource (a splat's base) */
	uint8_t reserved;
	uint16_t depth;	 /* levels of the tree below and with this node; saturates */
	uint32_t weight; /* NODE_LITERAL: values within; saturates */
	uint32_t child_count;
	const struct node *const *children;
	union {
		struct literal literal;
		const struct expression_reference *reference;
		const struct operator* operator; /* NODE_UNARY, NODE_BINARY */
		const struct function *function;
	};
};

struct expression {
	struct slice text; /* normalised: equal texts mean equal values */
	struct position position;
	/* NULL where the whole is one reference, which needs no tree: see expression_root(). */
	const struct node *root;
	const struct expression_reference *references;
	size_t reference_count;
	/* As in struct deferred: what the secret variables hold that text names. */
	const struct value *secrets;
};

/* A copy of node whose depth is computed from its children. */
const struct node *node_new(struct arena *arena, struct node node);
/* value is known, and neither list nor map. */
const struct node *node_literal(struct arena *arena, struct value value, struct position position);
const struct node *node_string(struct arena *arena, struct slice text, struct position position);
/* children is borrowed: it must live as long as the node. */
const struct node *node_parent(struct arena *arena, enum node_type type, struct position position,
			       const struct node *const *children, size_t count);
/* node with other children; node itself where they are the same. */
const struct node *node_with_children(struct arena *arena, const struct node *node, const struct node *const *children);
/* Whether node is a literal of that type. */
bool node_has_type(const struct node *node, enum value_type type);
/* The tree of an expression, made where it is not there yet. */
const struct node *expression_root(const struct expression *expression, struct arena *arena);
/* Completes an expression from its tree: text and references. False where the text would
 * pass the limits of what can be read again. */
__attribute__((warn_unused_result)) bool expression_finish(struct arena *arena, const struct node *root,
							   struct position position, struct expression *ret);

#endif
