#ifndef TRUEUP_CLI_LINE_DIFF_H
#define TRUEUP_CLI_LINE_DIFF_H

#include <stddef.h>

#include "base/slice.h"

enum line_kind {
	LINE_SAME,
	LINE_GONE,
	LINE_NEW,
	LINE_CUT, /* some that are the same were left out; the text is empty */
};

/*
 * Tells two texts apart line by line; emit gets the lines in order, with two same lines
 * around each change. Texts that differ in very many lines are shown as all gone, all new.
 */
void line_diff(struct slice before, struct slice after,
	       void (*emit)(void *context, enum line_kind kind, struct slice line), void *context);

#endif
