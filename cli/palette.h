#ifndef TRUEUP_CLI_PALETTE_H
#define TRUEUP_CLI_PALETTE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/printable.h"
#include "base/world.h"
#include "cli/command.h"

/* The few colours that there are, named by what they say. */
enum paint {
	PAINT_PLAIN,
	PAINT_GOOD,
	PAINT_CHANGE,
	PAINT_BAD,
	PAINT_LOUD, /* what destroys: cannot be overlooked */
	PAINT_BOLD,
	PAINT_FAINT,
	PAINT_COUNT,
};

struct palette {
	const char *start[PAINT_COUNT]; /* escape sequences, or empty */
	const char *end;
};

extern const struct palette palette_plain;

/* --color, then NO_COLOR, then CLICOLOR_FORCE, then whether the stream is a terminal that
 * knows more than TERM=dumb. */
const struct palette *palette_for(struct world *world, const struct arguments *arguments, int stream);

/* Appends formatted text in a colour. */
__attribute__((format(printf, 4, 5))) void paint(struct buffer *buffer, const struct palette *palette, enum paint paint,
						 const char *format, ...);
/* Appends text from outside, as print_safe() does, in a colour; gives the columns that it takes. */
size_t paint_safe(struct buffer *buffer, const struct palette *palette, enum paint paint, struct slice text);
/* Appends text from outside as one word of a shell: quoted where the shell would read it otherwise, in a way that it
 * takes escapes where there are any. */
void print_word(struct buffer *buffer, struct slice text);

#endif
