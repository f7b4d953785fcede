#ifndef TRUEUP_SPECS_EXPRESSION_EVALUATE_H
#define TRUEUP_SPECS_EXPRESSION_EVALUATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/value.h"
#include "reconcile/resolver.h"
#include "specs/expression_tree.h"

/*
 * What the files of the evaluator share; nobody else includes this. Every evaluate_*()
 * returns a tree: a literal where the node's value is known, otherwise what is left of the
 * node once its known parts are literals. NULL after a diagnostic.
 */
struct evaluator {
	struct arena *arena;
	const struct output_source *source; /* NULL: nothing is known */
	struct diagnostics *diagnostics;
	const struct node *item; /* what NODE_ITEM stands for, or NULL while that is open */
	size_t steps;		 /* left; against texts that cost more than any honest one */
	size_t used_bytes;	 /* of the arena at the start */
	bool exhausted;		 /* steps or memory are at an end; told once, by who began */
	struct position exhausted_at;
};

enum {
	EVALUATION_MOST_STEPS = 4 * 1000 * 1000,
	EVALUATION_MOST_BYTES = 64 * 1024 * 1024,
};

/* Answers for the secret variables of one deferred value, and then as another source does. */
struct secret_source {
	const struct value *secrets;	  /* as in struct deferred; no fingerprints */
	const struct output_source *next; /* may be NULL */
};

/* The get of an output_source; context: a struct secret_source. */
const struct value *evaluate_secret_get(void *context, struct slice address, struct slice output);
const struct node *evaluate(struct evaluator *evaluator, const struct node *node);
/* Each child; *ret_known: all are literals. False after a diagnostic. */
bool evaluate_children(struct evaluator *evaluator, const struct node *node, const struct node *const **ret,
		       bool *ret_known);
/* False, and evaluator->exhausted, where count more steps or the memory taken pass the limit. */
bool evaluate_spend(struct evaluator *evaluator, size_t count, struct position position);
/*
 * The literal that node with children amounts to. is_secret marks all of it; secrets
 * within value count by themselves.
 */
const struct node *evaluate_known(struct evaluator *evaluator, const struct node *node,
				  const struct node *const *children, struct value value, bool is_secret);
/* The tree of a value that came from outside; origin: the node that names it. */
const struct node *evaluate_value(struct evaluator *evaluator, const struct value *value, const struct node *origin);
/* A list of items, each a tree. */
const struct node *evaluate_items(struct evaluator *evaluator, const struct node *node, const struct node *const *items,
				  size_t count);

/* By type of node, in files of their own. */
const struct node *evaluate_template(struct evaluator *evaluator, const struct node *node);
const struct node *evaluate_list(struct evaluator *evaluator, const struct node *node);
const struct node *evaluate_map(struct evaluator *evaluator, const struct node *node);
const struct node *evaluate_index(struct evaluator *evaluator, const struct node *node);
const struct node *evaluate_splat(struct evaluator *evaluator, const struct node *node);
const struct node *evaluate_logic(struct evaluator *evaluator, const struct node *node);
const struct node *evaluate_conditional(struct evaluator *evaluator, const struct node *node);

#endif
