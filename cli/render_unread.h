#ifndef TRUEUP_CLI_RENDER_UNREAD_H
#define TRUEUP_CLI_RENDER_UNREAD_H

#include "cli/render.h"

/* As a section of the text plan: each reason once, with what to do about it and what it is the reason of. Nothing where
 * all was read. */
void render_unread(struct buffer *buffer, const struct report *report, const struct palette *palette);

#endif
