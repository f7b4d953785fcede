#include "base/buffer.h"
#include "base/secret_parts.h"
#include "reconcile/undo_parts.h"

/* What the history holds as fingerprints, and the spec still has: wherever that stands in it now, and be it a secret
 * there no more. */

static void note_secret(void *context, const struct value *secret)
{
	struct undo_work *work = context;
	const struct json_style *style = work->input->style;
	char fingerprint[65] = "";
	struct value *known;
	BUFFER_AUTO text;

	buffer_init_wiped(&text, SIZE_MAX);
	(void)json_secret_text(&text, secret);
	style->fingerprint(style->context, buffer_slice(&text), fingerprint);
	known = arena_new(work->arena, struct value);
	*known = *secret;
	map_set(work->secrets, arena_copy(work->arena, slice_of(fingerprint)), known);
}

/* What is in clear there may have been a secret before. */
static void note_clear(struct undo_work *work, const struct value *value)
{
	if (!value_has_secret(value) && !value_has_deferred(value))
		note_secret(work, value);
	for (uint32_t i = 0; value->type == VALUE_LIST && i < value->count; i++)
		note_clear(work, &value->items[i]);
	for (uint32_t i = 0; value->type == VALUE_MAP && i < value->count; i++)
		note_clear(work, &value->members[i].value);
}

static void note_all(struct undo_work *work, const struct value *value)
{
	secret_parts_visit(value, note_secret, work);
	note_clear(work, value);
}

static void search_spec(struct undo_work *work)
{
	const struct stack *spec = work->input->spec;

	work->secrets = map_new(work->arena);
	if (!work->input->style->fingerprint)
		return;
	note_all(work, &spec->variables);
	for (size_t i = 0; i < spec->resource_count; i++)
		note_all(work, &spec->resources[i].desired);
}

static bool find_secret(void *context, struct slice fingerprint, const struct value **ret)
{
	struct undo_work *work = context;

	*ret = (const struct value *)map_get(work->secrets, fingerprint);
	return true;
}

struct value undo_opened(struct undo_work *work, const struct value *value)
{
	struct value opened = *value;

	if (!value_has_fingerprint(value))
		return opened;
	if (!work->secrets)
		search_spec(work);
	return secret_parts_open(work->arena, value, find_secret, work, &opened) ? opened : *value;
}
