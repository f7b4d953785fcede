#include "base/buffer.h"
#include "reconcile/unique.h"
#include "specs/places.h"

/* Resources that would be one and the same thing, each with the other's values to bring it to. */

enum { KEY_LARGEST_BYTES = 16 * 1024 };

/*
 * What tells the thing from others, and where it is; empty where that is not known, or nothing does. An expression
 * stands for what it will be: another one may come to the same, but that is not known.
 */
static struct slice key_of(const struct loading *loading, const struct resource *resource, const struct place *place)
{
	/* Of a secret it is the text that counts, too; no key is shown. */
	const struct json_style style = {.clear = true};
	struct slice key = {NULL, 0};
	bool given = false, known = true;
	BUFFER_AUTO text;

	buffer_init(&text, KEY_LARGEST_BYTES);
	buffer_format(&text, "%s %.*s", resource->kind->name,
		      SLICE_ARGUMENTS(identity_text(loading->arena, &place->identity)));
	for (const char *const *name = resource->kind->told_apart_by; *name; name++) {
		const struct value *value = value_get_named(&resource->desired, *name);

		buffer_byte(&text, '\n');
		if (!value) {
			known = known && !resource->kind->told_apart_by_all;
			buffer_string(&text, unique_where_not_given(resource->kind, *name));
			continue;
		}
		given = true;
		known = known && !value_has_unread(value);
		if (known)
			known = json_write(&text, value, &style);
	}
	if (given && known && !text.full)
		key = arena_copy(loading->arena, buffer_slice(&text));
	return key;
}

static void report(struct loading *loading, const struct resource *resource, const struct resource *earlier)
{
	diag_error(
		loading->diagnostics, FAULT_USER, resource->position,
		"'%.*s' is the same thing as '%.*s': both have the same %.*s", SLICE_ARGUMENTS(resource->address),
		SLICE_ARGUMENTS(earlier->address),
		SLICE_ARGUMENTS(unique_names(resource->kind, &resource->desired, &earlier->desired, loading->arena)));
	diag_address(loading->diagnostics, resource->address);
	diag_related(loading->diagnostics, earlier->position, "it is declared here");
	diag_hint(loading->diagnostics, "keep one of them, and refer to it from wherever the other was used");
}

void twins_check(struct loading *loading, const struct map *places)
{
	struct map seen;

	map_init(&seen);
	for (size_t i = 0; i < loading->resource_count; i++) {
		const struct resource *resource = &loading->resources[i];
		const struct resource *earlier;
		const struct place *place;
		struct slice key;

		if (!resource->kind->told_apart_by)
			continue;
		place = (const struct place *)map_get(places, resource->provider);
		if (!place || !place->known)
			continue;
		key = key_of(loading, resource, place);
		if (key.size == 0)
			continue;
		earlier = (const struct resource *)map_get(&seen, key);
		if (earlier)
			report(loading, resource, earlier);
		else
			map_set(&seen, key, &loading->resources[i]);
	}
	map_release(&seen);
}
