#ifndef TRUEUP_CLI_WORLD_OUTPUT_H
#define TRUEUP_CLI_WORLD_OUTPUT_H

#include "base/buffer.h"
#include "base/world.h"

/*
 * Standard output and standard error, whose reader may stop reading at any time: a terminal after Ctrl-S, a pager, a
 * collector of logs that hangs. Nothing but output_write() waits for it, and that no longer than nobody interrupts.
 */

enum {
	/* As much as is kept of what was told, beside what is written already. */
	OUTPUT_KEPT_BYTES = 4 * 1024 * 1024,
	/* For which an interrupted run waits for a reader that takes nothing. */
	OUTPUT_GRACE_MS = 2000,
};

struct output {
	/* By stream: a description of our own (open(2)) that does not block. On the one that we were given whoever
	 * started us would not block any more either. -1: there is none. */
	int own[3];
	bool looked[3]; /* whether there is one */
	/* Told, and not taken by standard error yet. Its first bytes follow what was written in part. */
	struct buffer kept;
	size_t begun_bytes;
	size_t dropped_lines; /* of what came behind those */
	int64_t waited_ms;    /* since it was interrupted, and something was taken last */
};

void output_open(struct output *output);
/* What is kept is lost. */
void output_close(struct output *output);
/* Those of struct world. */
bool output_write(struct output *output, struct world *world, int stream, struct slice text);
bool output_tell(struct output *output, struct slice text);

#endif
