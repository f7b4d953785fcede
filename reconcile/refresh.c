#include "reconcile/refresh_parts.h"

#include <stdio.h>

#include "reconcile/known_ids.h"
#include "reconcile/lineage.h"
#include "reconcile/taken.h"
#include "reconcile/unfinished.h"

static struct live *unread_live(struct arena *arena, struct slice reason)
{
	struct live *live = arena_new(arena, struct live);
	live->presence = PRESENCE_UNREAD;
	live->unread_reason = reason;
	return live;
}

struct group *refresh_group(struct refreshing *refreshing, struct session *session, const struct kind *kind)
{
	struct arena *arena = refreshing->refresh->arena;
	char text[256];
	int length = snprintf(text, sizeof(text), "%p %s", (void *)session, kind->name);
	struct slice key = {text, length > 0 ? (size_t)length : 0};
	struct group *group = map_get(&refreshing->groups, key);
	if (!group) {
		group = arena_new(arena, struct group);
		group->refreshing = refreshing;
		group->session = session;
		group->kind = kind;
		map_add(&refreshing->groups, arena_copy(arena, key), group);
	}
	return group;
}

static struct group *join_group(struct refreshing *refreshing, struct session *session, const struct kind *kind,
				size_t member)
{
	struct arena *arena = refreshing->refresh->arena;
	struct group *group = refresh_group(refreshing, session, kind);
	group->members = arena_room(arena, group->members, group->count, &group->capacity, sizeof(*group->members));
	group->members[group->count++] = member;
	return group;
}

/* Every field that the one or the other sets. */
static const struct value *fields_that_matter(struct arena *arena, const struct value *wanted,
					      const struct value *recorded)
{
	if (!wanted || !recorded)
		return wanted ? wanted : recorded;
	struct value *all = arena_new(arena, struct value);
	*all = value_overlaid(recorded, wanted, arena);
	return all;
}

static struct read_request request_for(const struct refreshing *refreshing, const struct kind *kind, size_t member)
{
	const struct refresh *refresh = refreshing->refresh;
	if (member >= refresh->object_count) {
		const struct resource *resource = &refresh->stack->resources[member - refresh->object_count];
		/* Nobody knows an id of what is looked for by its name: it is seen among all of its kind. */
		if (!kind->found)
			return (struct read_request){.wanted = &resource->desired};
		return (struct read_request){
			.id = resource->address, .matters = &resource->desired, .wanted = &resource->desired};
	}
	const struct object *object = refresh->objects[member];
	const struct resource *resource = map_get(refreshing->by_address, object->address);
	const struct value *recorded =
		object->has_body && value_is(&object->resolved, VALUE_MAP) ? &object->resolved : NULL;
	/* Also of what a replace left behind: it may be what is wanted again. */
	const struct value *wanted = resource ? &resource->desired : NULL;
	const struct value *begun = unfinished_has_note(object) ? unfinished_resolved(object) : NULL;
	return (struct read_request){
		.id = kind->found ? object->address : object->provider_id,
		.matters =
			fields_that_matter(refresh->arena, fields_that_matter(refresh->arena, wanted, recorded), begun),
		.wanted = wanted ? wanted : recorded,
		.observed = object->has_body ? &object->observed : NULL,
		.outputs = object->has_body ? &object->outputs : NULL,
		.age_ms = refreshing->wall_ms - object->created_ms,
	};
}

static void add_stray(struct refresh *refresh, const struct group *group, const struct live *live)
{
	refresh->strays = arena_room(refresh->arena, refresh->strays, refresh->stray_count, &refresh->stray_capacity,
				     sizeof(*refresh->strays));
	refresh->strays[refresh->stray_count++] = (struct stray){live, group->kind, group->session};
}

/* What its tags tell is read as whole as what its id does. */
static void on_listed(struct read_batch *batch)
{
	const struct group *group = batch->context;
	struct refresh *refresh = group->refreshing->refresh;
	refresh_match_tags(refresh, batch->found, batch->found_count, group->members, group->count);
	for (size_t i = 0; i < group->count; i++)
		if (group->members[i] < refresh->object_count && batch->requests[i].id.size == 0)
			batch->requests[i].id = refresh->objects[group->members[i]]->provider_id;
}

/* What is gone has its name no more: it is looked for as that of what is not recorded. */
static void free_name(const struct refreshing *refreshing, size_t *member)
{
	const struct refresh *refresh = refreshing->refresh;
	const struct object *object = refresh->objects[*member];
	const struct resource *resource = map_get(refreshing->by_address, object->address);
	if (resource && object->role != OBJECT_DEPOSED && object->provider_id.size > 0 &&
	    refresh->live[*member]->presence == PRESENCE_ABSENT)
		*member = refresh->object_count + (size_t)(resource - refresh->stack->resources);
}

static void on_read(struct read_batch *batch)
{
	struct group *group = batch->context;
	struct refreshing *refreshing = group->refreshing;
	struct refresh *refresh = refreshing->refresh;
	for (size_t i = 0; i < group->count; i++) {
		size_t *member = &group->members[i];
		if (*member >= refresh->object_count) {
			refresh->unrecorded[*member - refresh->object_count] = batch->requests[i].live;
			continue;
		}
		refresh->live[*member] = batch->requests[i].live;
		free_name(refreshing, member);
	}
	if (!group->kind->found)
		taken_find(refresh, group->members, group->count, batch->found, batch->found_count,
			   &refreshing->recorded);
}

static void start_group(struct refreshing *refreshing, struct group *group)
{
	struct refresh *refresh = refreshing->refresh;
	bool nameless = false;
	group->batch = (struct read_batch){
		.loop = refresh->loop,
		.session = group->session,
		.kind = group->kind,
		.requests = arena_new_array(refresh->arena, group->count, struct read_request),
		.count = group->count,
		.lineage = group->lineage,
		.arena = refresh->arena,
		.listed = on_listed,
		.done = on_read,
		.context = group,
	};
	for (size_t i = 0; i < group->count; i++) {
		group->batch.requests[i] = request_for(refreshing, group->kind, group->members[i]);
		nameless |= group->batch.requests[i].id.size == 0;
		/* Whoever has the name of what is not recorded. */
		group->batch.anyones |= group->members[i] >= refresh->object_count;
	}
	group->batch.everything = !refresh->by_id || nameless || group->seeks;
	read_start(&group->batch);
}

static void gather_objects(struct refreshing *refreshing)
{
	struct refresh *refresh = refreshing->refresh;
	for (size_t i = 0; i < refresh->object_count; i++) {
		const struct object *object = refresh->objects[i];
		struct slice reason = SLICE("its kind is not known to this version");
		const struct kind *kind = kinds_find(refresh->kinds, object->kind);
		const struct resource *resource = map_get(refreshing->by_address, object->address);
		if (kind && object->kind_version > kind->version) {
			reason = SLICE("it was recorded by a later version of this program, which knows more of its "
				       "kind");
			kind = NULL;
		}
		struct slice alias = resource ? resource->provider : object->provider;
		struct session *session =
			kind ? sessions_of_identity(refresh->sessions, &object->identity, alias, &reason) : NULL;
		if (!session) {
			refresh->live[i] = unread_live(refresh->arena, reason);
			continue;
		}
		struct group *group = join_group(refreshing, session, kind, i);

		group->seeks |= refresh->sought && object->role != OBJECT_DEPOSED && !kind->found &&
				map_has(refresh->sought, object->address);
	}
}

/* Things that exist without us are looked at before they are taken over, and names before they are given. */
static void gather_unrecorded(struct refreshing *refreshing)
{
	struct refresh *refresh = refreshing->refresh;
	for (size_t i = 0; i < refresh->stack->resource_count; i++) {
		const struct resource *resource = &refresh->stack->resources[i];
		if (map_get(&refreshing->recorded, resource->address))
			continue;
		if (!resource->kind->found &&
		    (refresh->by_id || !taken_concerns(refresh, resource, &refreshing->recorded)))
			continue;
		struct session *session = sessions_of_alias(refresh->sessions, refresh->stack, resource->provider);
		if (session)
			join_group(refreshing, session, resource->kind, refresh->object_count + i);
	}
}

/* What is expected and not recorded there, where it can be listed at all. */
static struct session *session_to_seek(const struct refreshing *refreshing, const struct resource *resource)
{
	const struct refresh *refresh = refreshing->refresh;
	const struct object *object = map_get(&refreshing->recorded, resource->address);

	if (resource->kind->found)
		return NULL;
	struct session *session = sessions_of_alias(refresh->sessions, refresh->expected, resource->provider);

	if (!session || !object || !identity_equal(&object->identity, &session->identity))
		return session;
	return refresh->sought && map_has(refresh->sought, resource->address) ? session : NULL;
}

/*
 * The record may be older than what is there, where a backup was put back: before something is made its kind is
 * listed for what has the stack's tags already. An empty record is a new stack's, or that of one whose state was
 * lost: such a state had another lineage.
 */
static void gather_expected(struct refreshing *refreshing)
{
	const struct refresh *refresh = refreshing->refresh;
	struct slice pattern = lineage_pattern(refresh->stack->name, refresh->arena);

	for (size_t i = 0; i < refresh->expected->resource_count; i++) {
		const struct resource *resource = &refresh->expected->resources[i];
		struct session *session = session_to_seek(refreshing, resource);

		if (!session)
			continue;
		struct group *group = refresh_group(refreshing, session, resource->kind);
		group->seeks = true;
		if (refresh->is_first)
			group->lineage = pattern;
	}
}

static void find_lost(struct refreshing *refreshing)
{
	struct refresh *refresh = refreshing->refresh;
	struct map counted, spare;

	map_init(&counted);
	map_init(&spare);
	const struct map *addresses = stack_addresses(refresh->expected, &spare);
	for (size_t i = 0; i < refreshing->groups.count; i++) {
		const struct group *group = refreshing->groups.entries[i].item;

		for (size_t k = 0; k < group->batch.found_count; k++) {
			struct live *live = &group->batch.found[k];
			const struct resource *resource = map_get(addresses, live->ownership.address);

			if (live->presence != PRESENCE_PRESENT || !resource || resource->kind != group->kind ||
			    slice_equal(live->ownership.lineage, refresh->loop->settings.lineage) ||
			    !lineage_is_of(live->ownership.lineage, refresh->stack->name) ||
			    !map_mark(&counted, known_ids_key(refresh->arena, slice_of(group->kind->name), live,
							      &group->session->identity)))
				continue;
			if (refresh->lost_count++ > 0)
				continue;
			refresh->lost_address = live->ownership.address;
			refresh->lost_id = live->provider_id;
		}
	}
	map_release(&counted);
	map_release(&spare);
}

/* Why what is expected cannot be looked for where its alias leads; NULL: it can, or what is recorded of it lies there,
 * for all that is known, and is unread. */
static const char *why_not_sought(const struct refreshing *refreshing, const struct resource *resource)
{
	const struct refresh *refresh = refreshing->refresh;
	const struct object *object = map_get(&refreshing->recorded, resource->address);
	const char *silence = sessions_silence(refresh->sessions, refresh->expected, resource->provider);
	struct slice reason;

	if (!silence || resource->kind->found)
		return NULL;
	return object && !sessions_of_identity(refresh->sessions, &object->identity, resource->provider, &reason)
		       ? NULL
		       : silence;
}

static void add_unlisted(struct refresh *refresh, const struct kind *kind, struct slice reason)
{
	if (refresh->unlisted_count++ > 0)
		return;
	refresh->unlisted_kind = kind;
	refresh->unlisted_reason = reason;
}

/* Kinds of which something is expected where nobody answers. */
static void find_silent(struct refreshing *refreshing)
{
	struct refresh *refresh = refreshing->refresh;
	struct map counted;

	map_init(&counted);
	for (size_t i = 0; i < refresh->expected->resource_count; i++) {
		const struct resource *resource = &refresh->expected->resources[i];
		const char *reason = why_not_sought(refreshing, resource);

		if (!reason)
			continue;
		struct slice key = arena_format(refresh->arena, "%.*s %s", SLICE_ARGUMENTS(resource->provider),
						resource->kind->name);
		if (map_mark(&counted, key))
			add_unlisted(refresh, resource->kind, slice_of(reason));
	}
	map_release(&counted);
}

static bool is_unknown(const struct group *group)
{
	return group->seeks && group->batch.unlisted_reason.size > 0 &&
	       group->batch.unlisted_fault == FAULT_UNSUPPORTED;
}

/* What an endpoint does not know at all was never made there. */
static bool is_unlisted(const struct group *group)
{
	return group->seeks && group->batch.unlisted_reason.size > 0 && !is_unknown(group);
}

static void find_unlisted(struct refreshing *refreshing)
{
	struct refresh *refresh = refreshing->refresh;

	for (size_t i = 0; i < refreshing->groups.count; i++) {
		const struct group *group = refreshing->groups.entries[i].item;

		if (is_unlisted(group))
			add_unlisted(refresh, group->kind, group->batch.unlisted_reason);
	}
	find_silent(refreshing);
}

static struct live *unlisted_live(struct arena *arena, const struct read_batch *batch)
{
	struct live *live = unread_live(arena, batch->unlisted_reason);

	live->unread_hint = batch->unlisted_hint;
	return live;
}

/* Of what could not be looked for nothing is claimed: the rest of the stack need not wait for it. */
static void hold_unlisted(struct refreshing *refreshing)
{
	struct refresh *refresh = refreshing->refresh;

	for (size_t i = 0; i < refresh->stack->resource_count; i++) {
		const struct resource *resource = &refresh->stack->resources[i];
		struct session *session = session_to_seek(refreshing, resource);
		const struct group *group = session ? refresh_group(refreshing, session, resource->kind) : NULL;

		if (group && is_unlisted(group))
			refresh->unrecorded[i] = unlisted_live(refresh->arena, &group->batch);
	}
	/* What is looked for though it is recorded counts by what was read of the record. */
	for (size_t i = 0; i < refresh->object_count; i++) {
		const struct object *object = refresh->objects[i];
		const struct resource *resource = map_get(refreshing->by_address, object->address);

		if (resource && object->role != OBJECT_DEPOSED &&
		    refresh->unrecorded[resource - refresh->stack->resources])
			refresh->live[i] = refresh->unrecorded[resource - refresh->stack->resources];
	}
}

static void find_unknown(struct refreshing *refreshing)
{
	struct refresh *refresh = refreshing->refresh;

	for (size_t i = 0; i < refreshing->groups.count; i++) {
		const struct group *group = refreshing->groups.entries[i].item;

		if (!is_unknown(group))
			continue;
		refresh->unknown_kind = group->kind;
		refresh->unknown_reason = group->batch.unlisted_reason;
	}
}

static bool has_unlisted(const struct refreshing *refreshing)
{
	for (size_t i = 0; i < refreshing->groups.count; i++)
		if (is_unlisted(refreshing->groups.entries[i].item))
			return true;
	return false;
}

/* What was looked for without being recorded. */
static void judge_expected(struct refreshing *refreshing)
{
	const struct refresh *refresh = refreshing->refresh;

	if (refresh->is_first)
		find_lost(refreshing);
	find_unknown(refreshing);
	if (refresh->is_first || refresh->destroys || refresh->expected != refresh->stack)
		find_unlisted(refreshing);
	else if (has_unlisted(refreshing))
		hold_unlisted(refreshing);
}

/*
 * What carries our tags without being recorded came of a call whose answer nobody saw, also where somebody has taken
 * one of them off. Looked for at the end, because two aliases may list one place, by one endpoint or by two.
 */
static void find_strays(struct refreshing *refreshing)
{
	struct refresh *refresh = refreshing->refresh;
	struct slice lineage = refresh->loop->settings.lineage;
	struct known_ids known;

	known_ids_init(&known, refresh->recorded_count, refresh->arena);
	for (size_t i = 0; i < refresh->recorded_count; i++) {
		const struct object *object = refresh->recorded[i];

		if (object->provider_id.size)
			(void)known_ids_add(&known, object->provider_id, object->kind, &object->identity);
	}
	for (size_t i = 0; i < refreshing->groups.count; i++) {
		const struct group *group = refreshing->groups.entries[i].item;
		for (size_t k = 0; k < group->batch.found_count; k++) {
			struct live *live = &group->batch.found[k];
			if (live->presence == PRESENCE_PRESENT &&
			    (live->ownership.intent.size > 0 || live->ownership.object_id.size > 0) &&
			    slice_equal(live->ownership.lineage, lineage) &&
			    known_ids_add(&known, live->provider_id, slice_of(group->kind->name),
					  &group->session->identity))
				add_stray(refresh, group, live);
		}
	}
	known_ids_release(&known);
}

static void index_all(struct refreshing *refreshing)
{
	struct refresh *refresh = refreshing->refresh;

	if (!refresh->recorded) {
		refresh->recorded = refresh->objects;
		refresh->recorded_count = refresh->object_count;
	}
	refreshing->by_address = stack_addresses(refresh->stack, &refreshing->spare);
	for (size_t i = 0; i < refresh->recorded_count; i++)
		if (refresh->recorded[i]->role != OBJECT_DEPOSED)
			map_set(&refreshing->recorded, refresh->recorded[i]->address, refresh->recorded[i]);
}

static void gather_all(struct refreshing *refreshing)
{
	gather_objects(refreshing);
	gather_unrecorded(refreshing);
	refresh_gather_watched(refreshing);
	if (refreshing->refresh->expected)
		gather_expected(refreshing);
}

bool refresh_run(struct refresh *refresh, struct diagnostics *diagnostics)
{
	struct world *world = refresh->loop->settings.world;
	struct refreshing refreshing = {.refresh = refresh, .wall_ms = world->wall_ms(world)};
	refresh->began_ms = world->boot_ms(world);
	map_init(&refreshing.groups);
	map_init(&refreshing.recorded);
	map_init(&refreshing.spare);
	refresh->live = arena_new_array(refresh->arena, refresh->object_count + 1, const struct live *);
	refresh->unrecorded = arena_new_array(refresh->arena, refresh->stack->resource_count + 1, const struct live *);
	index_all(&refreshing);
	gather_all(&refreshing);
	for (size_t i = 0; i < refreshing.groups.count; i++)
		start_group(&refreshing, refreshing.groups.entries[i].item);
	bool finished = loop_run(refresh->loop);
	/* Where the lease was lost, or cannot be kept, that was told. */
	if (!finished && !refresh->loop->broken)
		diag_error(diagnostics, FAULT_TRANSIENT, NOWHERE, "interrupted while reading what is there");
	for (size_t i = 0; finished && i < refresh->object_count; i++)
		if (!refresh->live[i])
			refresh->live[i] = unread_live(refresh->arena, SLICE("it was not read"));
	if (finished && (!refresh->by_id || refresh->expected))
		find_strays(&refreshing);
	if (finished)
		refresh_find_unwatched(&refreshing);
	if (finished && refresh->expected)
		judge_expected(&refreshing);
	map_release(&refreshing.groups);
	map_release(&refreshing.recorded);
	map_release(&refreshing.spare);
	return finished;
}

void refresh_renumber(struct refresh *refresh, const struct stack *stack)
{
	const struct live **read = refresh->unrecorded;
	struct map by_address; /* of read */

	if (!read)
		return;
	map_init(&by_address);
	for (size_t i = 0; i < refresh->stack->resource_count; i++)
		map_set(&by_address, refresh->stack->resources[i].address, &read[i]);
	refresh->unrecorded = arena_new_array(refresh->arena, stack->resource_count + 1, const struct live *);
	for (size_t i = 0; i < stack->resource_count; i++) {
		const struct live *const *same = map_get(&by_address, stack->resources[i].address);

		if (same)
			refresh->unrecorded[i] = *same;
	}
	map_release(&by_address);
}
