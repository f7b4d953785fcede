#ifndef TRUEUP_CLI_RENDER_OUTLOOK_H
#define TRUEUP_CLI_RENDER_OUTLOOK_H

#include "base/buffer.h"
#include "cli/palette.h"
#include "cli/render.h"
#include "reconcile/recover.h"

/*
 * Calls of earlier runs whose answer nobody saw, what recovery would do about each, and what such runs have done; and
 * the calls of a run that is at work now, which it will settle itself.
 */

/* As sections of a plan; nothing where no call is open. */
void render_outlook(struct buffer *buffer, const struct report *report, const struct palette *palette);
/* Likewise what runs that did not end have set or deleted already; nothing where that is nothing. */
void render_unfinished(struct buffer *buffer, const struct report *report, const struct palette *palette);
struct value unfinished_value(const struct report *report);
/* As a LIST of MAPs, empty where no call is open. */
struct value outlook_value(const struct report *report);

#endif
