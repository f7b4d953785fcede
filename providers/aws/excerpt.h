#ifndef TRUEUP_PROVIDERS_AWS_EXCERPT_H
#define TRUEUP_PROVIDERS_AWS_EXCERPT_H

#include "base/arena.h"
#include "base/slice.h"

/* The first bytes of an answer that could not be read, fit for a terminal: what is not
 * printable ASCII is written as \n or \x1b. */
struct slice aws_excerpt(struct arena *arena, struct slice body);

#endif
