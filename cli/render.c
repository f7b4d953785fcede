#include "cli/render.h"

/* Every form that output may have. */
static const struct renderer *const renderers[] = {&render_text, &render_json};

const struct renderer *renderer_at(size_t index)
{
	return index < sizeof(renderers) / sizeof(renderers[0]) ? renderers[index] : NULL;
}

const struct renderer *renderer_named(struct slice name)
{
	const struct renderer *renderer;

	for (size_t i = 0; (renderer = renderer_at(i)) != NULL; i++)
		if (slice_is(name, renderer->name))
			return renderer;
	return NULL;
}
