#include "reconcile/store.h"

#include <inttypes.h>

enum { PARAMETERS_LIMIT_BYTES = 64 * 1024 * 1024 };

static const char *const recipes[] = {
	[RECIPE_CONVERGE] = "converge", [RECIPE_TAG] = "tag",	      [RECIPE_TOKEN] = "token",
	[RECIPE_NATURAL] = "natural",	[RECIPE_DISCARD] = "discard", [RECIPE_SNAPSHOT] = "snapshot",
};

const char *recipe_name(enum recipe recipe)
{
	return recipes[recipe];
}

struct slice lease_break_text(struct arena *arena, struct slice run)
{
	enum { DIGITS = 8 }; /* of its id: as many as the command asks for */

	return arena_format(arena, "'trueup lease break %.*s' takes the stack away from one that hangs",
			    SLICE_ARGUMENTS(slice_first(run, DIGITS)));
}

struct slice lease_end_text(struct arena *arena, struct slice run, int64_t left_ms, int64_t unwatched_ms)
{
	int64_t left_s = (left_ms + 999) / 1000, unwatched_s = (unwatched_ms + 999) / 1000;
	struct slice text = arena_format(arena, "its lease ends by itself within %" PRId64 " s", unwatched_s);

	if (left_s != unwatched_s)
		text = arena_format(arena, "%.*s, or within %" PRId64 " s for a run that waits for it",
				    SLICE_ARGUMENTS(text), left_s);
	return arena_format(arena, "%.*s; %.*s", SLICE_ARGUMENTS(text), SLICE_ARGUMENTS(lease_break_text(arena, run)));
}

bool store_make_durable(struct store *store, const struct commit *commit, struct diagnostics *diagnostics)
{
	enum commit_state state = store->ops->commit(store, commit, diagnostics);

	while (state == COMMIT_PENDING)
		state = store->ops->poll(store, INT64_MAX, diagnostics);
	return state == COMMIT_DONE;
}

int64_t intent_sent_ms(const struct intent *intent)
{
	return intent->sent_ms > intent->wall_ms ? intent->sent_ms : intent->wall_ms;
}

struct slice intent_place(struct arena *arena, struct slice id)
{
	return arena_format(arena, "intent %.*s", SLICE_ARGUMENTS(id));
}

bool intent_parameters(const struct intent *intent, const struct vault *vault, struct arena *arena, struct value *ret,
		       struct diagnostics *diagnostics)
{
	struct vault_reading reading;
	struct value parameters, sealed;
	bool good;

	if (!json_read(arena, intent->parameters, true, PARAMETERS_LIMIT_BYTES, "the intent's parameters", &parameters,
		       diagnostics))
		return false;
	if (!vault || !vault->key || intent->sealed.size == 0) {
		*ret = parameters;
		return true;
	}
	if (!json_read(arena, intent->sealed, false, PARAMETERS_LIMIT_BYTES, "the intent's secrets", &sealed,
		       diagnostics))
		return false;
	vault_read(&reading, vault, intent_place(arena, intent->id), arena, &sealed, diagnostics);
	good = vault_open(&reading, &parameters, ret);
	vault_read_end(&reading);
	return good;
}

enum recipe recipe_named(struct slice name)
{
	for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		if (slice_is(name, recipes[i]))
			return (enum recipe)i;
	}
	return RECIPE_CONVERGE;
}
