#include "cli/render.h"

/* Every form that output may have. */
static const struct renderer *const renderers[] = {&render_text, &render_json};

const struct renderer *renderer_named(struct slice name)
{
	for (size_t i = 0; i < sizeof(renderers) / sizeof(renderers[0]); i++)
		if (slice_is(name, renderers[i]->name))
			return renderers[i];
	return NULL;
}
