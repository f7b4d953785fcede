#ifndef TRUEUP_SPECS_EXPRESSION_PRINT_H
#define TRUEUP_SPECS_EXPRESSION_PRINT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "specs/expression_tree.h"

/*
 * Writes the normalised source of a whole text: one space around operators and behind
 * commas, no parentheses but those that precedence needs, members of maps sorted. Trees that
 * mean the same because they differ in spelling alone print the same, and what is printed
 * parses to a tree that prints the same. A secret is shown as where it came from.
 * False where the text would be too long, too deep, or have too many tokens to be read again.
 */
__attribute__((warn_unused_result)) bool expression_print(struct buffer *buffer, const struct node *root);

#endif
