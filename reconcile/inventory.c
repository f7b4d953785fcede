#include "reconcile/inventory.h"

#include "base/map.h"
#include "reconcile/read.h"

struct listing {
	struct read_batch batch;
	struct read_request request; /* for nothing in particular: it takes the reason where the listing fails */
};

static void add_item(struct inventory *inventory, const struct read_batch *batch, const struct live *live)
{
	inventory->items = arena_room(inventory->arena, inventory->items, inventory->count, &inventory->capacity,
				      sizeof(*inventory->items));
	inventory->items[inventory->count++] = (struct stray){live, batch->kind, batch->session};
}

static void on_listed(struct read_batch *batch)
{
	(void)batch;
}

static size_t count_listings(const struct inventory *inventory)
{
	size_t count = 0;

	for (size_t i = 0; i < inventory->sessions->count; i++)
		if (sessions_at(inventory->sessions, i))
			count += sessions_at(inventory->sessions, i)->provider->kind_count;
	return count;
}

static void start(struct inventory *inventory, struct listing *listing, struct session *session,
		  const struct kind *kind)
{
	listing->batch = (struct read_batch){
		.loop = inventory->loop,
		.session = session,
		.kind = kind,
		.requests = &listing->request,
		.count = 1,
		.everything = true,
		.anyones = true,
		.arena = inventory->arena,
		.done = on_listed,
	};
	read_start(&listing->batch);
}

/* A listing that moves between two of its pages shows a thing on both. */
static void add_found(struct inventory *inventory, const struct read_batch *batch)
{
	struct map seen;

	map_init(&seen);
	for (size_t k = 0; k < batch->found_count; k++)
		if (batch->found[k].presence == PRESENCE_PRESENT && map_mark(&seen, batch->found[k].provider_id))
			add_item(inventory, batch, &batch->found[k]);
	map_release(&seen);
}

/* Each place once: several aliases may reach it. Whoever answers at a recorded place as somebody else is asked for
 * nothing. Kinds that are found are no listing's matter. */
static size_t start_all(struct inventory *inventory, struct listing *listings)
{
	size_t count = 0;
	struct map places;

	map_init(&places);
	for (size_t i = 0; i < inventory->sessions->count; i++) {
		struct session *session = sessions_at(inventory->sessions, i);

		if (!session || !map_mark(&places, identity_text(inventory->arena, &session->identity)))
			continue;
		for (size_t k = 0; k < session->provider->kind_count; k++)
			if (!session->provider->kinds[k]->found)
				start(inventory, &listings[count++], session, session->provider->kinds[k]);
	}
	map_release(&places);
	return count;
}

bool inventory_take(struct inventory *inventory, struct diagnostics *diagnostics)
{
	size_t most = count_listings(inventory);
	struct listing *listings = arena_new_array(inventory->arena, most + 1, struct listing);
	size_t count = start_all(inventory, listings);

	if (!loop_run(inventory->loop))
		return diag_error(diagnostics, FAULT_TRANSIENT, NOWHERE, "interrupted while reading what is there");
	inventory->unlisted = arena_new_array(inventory->arena, count + 1, struct unlisted);
	for (size_t i = 0; i < count; i++) {
		const struct read_batch *batch = &listings[i].batch;

		if (listings[i].request.live->presence == PRESENCE_UNREAD)
			inventory->unlisted[inventory->unlisted_count++] =
				(struct unlisted){batch->kind, batch->session, listings[i].request.live->unread_reason};
		add_found(inventory, batch);
	}
	return true;
}
