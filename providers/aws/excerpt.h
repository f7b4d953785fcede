#ifndef TRUEUP_PROVIDERS_AWS_EXCERPT_H
#define TRUEUP_PROVIDERS_AWS_EXCERPT_H

#include "base/arena.h"
#include "base/redaction.h"
#include "base/slice.h"

/* The first bytes of an answer that could not be read, fit for a terminal: what is not
 * printable ASCII is written as \n or \x1b. It is without what is untold (NULL: nothing), which nobody would find once
 * it is cut or written so. */
struct slice aws_excerpt(struct arena *arena, const struct redaction *untold, struct slice body);

#endif
