#ifndef TRUEUP_SPECS_EXPRESSION_H
#define TRUEUP_SPECS_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/redaction.h"
#include "base/value.h"
#include "reconcile/resolver.h"

/*
 * The expression language of specs: what stands between "${" and "}", and the text around
 * it. "$${" is a literal "${". A text with neither is what it says, and need not come here.
 *
 * Names may hold '-' between letters and digits (aws.vpc.my-vpc.id), so to subtract, put a
 * space before the sign. Whole numbers are 64 bits and never wrap; a division of two that
 * leaves a rest gives a number. Values of different types are never compared, but with null.
 */

/* A name that an expression uses: aws.vpc.train.id is address "aws.vpc.train", attribute
 * "id"; var.region is address "var", attribute "region". */
struct expression_reference {
	struct slice address;
	struct slice attribute;
	struct position position;
};

/* A compiled text; immutable, in the arena that it was compiled into. */
struct expression;

/*
 * Compiles the text of one scalar. position: where the text begins; columns within
 * count from there (exact for plain and quoted scalars without escapes). is_kind tells
 * whether a dotted prefix is a kind's name, so that kind, name and attribute are told
 * apart ("aws.vpc" is one); NULL: the first two parts are. False after diagnostics.
 */
__attribute__((warn_unused_result)) bool expression_compile(struct arena *arena, struct slice text,
							    struct position position,
							    bool (*is_kind)(void *context, struct slice name),
							    void *context, const struct expression **ret,
							    struct diagnostics *diagnostics);

/* Every reference in it, in order of appearance. */
void expression_references(const struct expression *expression, const struct expression_reference **ret,
			   size_t *ret_count);

/*
 * Evaluates as far as names are known. All known: *ret is the value (an expression that
 * fills the whole text keeps its type; within other text it becomes part of a string, whose
 * secret segments stay marked). Otherwise *ret is deferred, with what is known already
 * folded in, so that its normalised text names unknown outputs alone; a list or a map that
 * the text spells out is one, of which only the open items are deferred. Known secrets stay
 * in the text as the names that they came from; what secret variables hold goes beside it
 * (struct deferred), so that another value is another value, and whoever reads it back has it.
 *
 * A value from source may itself be deferred, or hold deferred values: its expression takes
 * the place of the name. *ret shares nodes and values with expression and with what source
 * gave, which must live as long as it does.
 */
__attribute__((warn_unused_result)) bool expression_evaluate(const struct expression *expression,
							     const struct output_source *source, struct arena *arena,
							     struct value *ret, struct diagnostics *diagnostics);

/*
 * For a field that is secret: each literal in the expressions of deferred values within
 * *value, which this wing made, goes beside their texts as what secret variables hold does
 * (var.literal-1: nobody can tell it from the text). False after a diagnostic.
 */
__attribute__((warn_unused_result)) bool expression_hide(struct arena *arena, struct value *value,
							 struct diagnostics *diagnostics);

/* A deferred value that is one plain reference: what a typed reference (vpc: train) compiles to. */
struct value expression_of_reference(struct arena *arena, struct slice address, struct slice attribute,
				     struct position position);

/* The resolver that reconcile is given. secrets: gets each secret that a value comes to, before anybody has it; NULL:
 * nobody asks. */
struct resolver expression_resolver(struct redaction *secrets);

#endif
