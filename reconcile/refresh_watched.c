#include "reconcile/refresh_parts.h"

/* What may be there without being recorded is looked for where it was. */

static void add_unwatched(struct refresh *refresh, const struct watched *watched, struct slice reason,
			  struct slice hint)
{
	refresh->unwatched = arena_room(refresh->arena, refresh->unwatched, refresh->unwatched_count,
					&refresh->unwatched_capacity, sizeof(*refresh->unwatched));
	refresh->unwatched[refresh->unwatched_count++] = (struct unwatched){watched, reason, hint};
}

/* Lists the kind there for what is watched, unless it is listed already: one is told of, where it cannot be; that was
 * there once, if any was. */
static void watch_in(struct refreshing *refreshing, struct session *session, const struct kind *kind,
		     const struct watched *watched)
{
	struct group *group = refresh_group(refreshing, session, kind);

	if (!group->watched || group->watched->provider_id.size == 0)
		group->watched = watched;
}

static void gather_in_place(struct refreshing *refreshing, const struct watched *watched, const struct kind *kind)
{
	const struct sessions *sessions = refreshing->refresh->sessions;
	struct slice unused;
	struct session *session = sessions_of_identity(sessions, &watched->identity, (struct slice){NULL, 0}, &unused);
	const char *silence = session ? NULL : sessions_silence_at(sessions, &watched->identity);

	if (session)
		watch_in(refreshing, session, kind, watched);
	else if (silence)
		add_unwatched(refreshing->refresh, watched, slice_of(silence), (struct slice){NULL, 0});
}

/* In whichever place. Of who did not say who it is, or is another than is recorded, nobody could record where what it
 * shows lies. */
static void gather_everywhere(struct refreshing *refreshing, const struct watched *watched, const struct kind *kind)
{
	const struct sessions *sessions = refreshing->refresh->sessions;

	for (size_t at = 0; at < sessions->count; at++) {
		struct session *session = sessions_at(sessions, at);

		if (!slice_equal(kind_provider(kind), sessions->places[at].provider))
			continue;
		if (session)
			watch_in(refreshing, session, kind, watched);
		else if (sessions->reasons[at])
			add_unwatched(refreshing->refresh, watched, slice_of(sessions->reasons[at]),
				      (struct slice){NULL, 0});
	}
}

void refresh_gather_watched(struct refreshing *refreshing)
{
	struct refresh *refresh = refreshing->refresh;

	for (size_t i = 0; i < refresh->watched_count; i++) {
		const struct watched *watched = &refresh->watched[i];
		const struct kind *kind = kinds_find(refresh->kinds, watched->kind);

		if (!kind || kind->found)
			continue;
		if (watched->has_identity)
			gather_in_place(refreshing, watched, kind);
		else
			gather_everywhere(refreshing, watched, kind);
	}
}

/* What an endpoint does not know at all was never made there; unless it was. */
void refresh_find_unwatched(struct refreshing *refreshing)
{
	for (size_t i = 0; i < refreshing->groups.count; i++) {
		const struct group *group = refreshing->groups.entries[i].item;
		const struct read_batch *batch = &group->batch;

		if (group->watched && group->count == 0 && !group->seeks && batch->unlisted_reason.size > 0 &&
		    (batch->unlisted_fault != FAULT_UNSUPPORTED || group->watched->provider_id.size > 0))
			add_unwatched(refreshing->refresh, group->watched, batch->unlisted_reason,
				      batch->unlisted_hint);
	}
}
