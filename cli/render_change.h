#ifndef TRUEUP_CLI_RENDER_CHANGE_H
#define TRUEUP_CLI_RENDER_CHANGE_H

#include "cli/render.h"

/* The lines of one change within an action of the text plan. */
struct change_view {
	struct buffer *buffer;
	const struct palette *palette;
	const struct json_style *style;
	const struct redaction *redaction; /* or NULL */
	struct arena *arena;
	int width;	 /* of the column of paths */
	bool drift_only; /* nothing is going to be reverted */
	bool listed;	 /* the fields of what will be made: values, not differences */
	bool replaced;	 /* another object takes the place of the one that has these values */
};

void render_change(struct change_view *view, const struct change *as_planned);

#endif
