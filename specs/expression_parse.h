#ifndef TRUEUP_SPECS_EXPRESSION_PARSE_H
#define TRUEUP_SPECS_EXPRESSION_PARSE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/source.h"
#include "specs/expression_tree.h"

/* The tree of a whole scalar's text; text must live as long as the tree. NULL after a
 * diagnostic. is_kind and context: see expression_compile(). */
const struct node *expression_parse(struct arena *arena, struct slice text, struct position position,
				    bool (*is_kind)(void *context, struct slice name), void *context,
				    struct diagnostics *diagnostics);

#endif
