#include "providers/sim/sim_store.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "providers/sim/sim_file.h"
#include "providers/sim/sim_setting.h"
#include "providers/sim/sim_state.h"

struct sim_region *sim_region(struct sim *sim, struct slice name)
{
	struct sim_region *region = map_get(&sim->regions, name);

	if (region)
		return region;
	region = memory_get(sizeof(*region));
	region->name = arena_copy(&sim->lasting, name);
	map_init(&region->ids);
	map_init(&region->parts);
	for (size_t i = 0; i < SIM_TYPE_COUNT; i++)
		map_init(&region->tables[i].keys);
	map_set(&sim->regions, region->name, region);
	return region;
}

static bool wakes_before(const struct sim_wake *a, const struct sim_wake *b)
{
	return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

static void wake_push(struct sim *sim, int64_t at_ms, struct sim_object *object)
{
	sim->wakes = memory_room(sim->wakes, sim->wake_count, &sim->wake_capacity, sizeof(*sim->wakes));
	struct sim_wake wake = {at_ms, sim->wake_order++, object};
	size_t at = sim->wake_count++;
	while (at > 0 && wakes_before(&wake, &sim->wakes[(at - 1) / 2])) {
		sim->wakes[at] = sim->wakes[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	sim->wakes[at] = wake;
}

static struct sim_wake wake_pop(struct sim *sim)
{
	struct sim_wake first = sim->wakes[0];
	struct sim_wake last = sim->wakes[--sim->wake_count];
	size_t at = 0;

	for (;;) {
		size_t child = at * 2 + 1;

		if (child >= sim->wake_count)
			break;
		if (child + 1 < sim->wake_count && wakes_before(&sim->wakes[child + 1], &sim->wakes[child]))
			child++;
		if (!wakes_before(&sim->wakes[child], &last))
			break;
		sim->wakes[at] = sim->wakes[child];
		at = child;
	}
	sim->wakes[at] = last;
	return first;
}

void sim_queue(struct sim *sim, struct sim_object *object)
{
	if (object->due_ms == 0 || object->queued_ms == object->due_ms)
		return;
	object->queued_ms = object->due_ms;
	wake_push(sim, object->due_ms, object);
}

static void mark_dirty(struct sim *sim, struct sim_object *object)
{
	if (object->dirty)
		return;
	object->dirty = true;
	sim->dirty = memory_room(sim->dirty, sim->dirty_count, &sim->dirty_capacity, sizeof(*sim->dirty));
	sim->dirty[sim->dirty_count++] = object;
}

static void drop_stale(struct sim_object *object)
{
	if (!object->stale)
		return;
	node_release(object->stale);
	free(object->stale);
	object->stale = NULL;
}

static void lag(struct sim *sim, struct sim_object *object)
{
	int64_t most_ms = sim->immediate ? 0 : sim_setting(sim, SIM_SETTING_LAG_MS);

	if (most_ms <= 0)
		return;
	/* What one call makes and changes shows together: a group with its first rule. */
	if (sim->call_settled_ms < sim->now_ms)
		sim->call_settled_ms = sim->now_ms + sim_random_between(sim, 0, most_ms);
	int64_t settled_ms = sim->call_settled_ms;
	if (settled_ms > object->settled_ms)
		object->settled_ms = settled_ms;
	if (settled_ms > sim->lagging_until_ms)
		sim->lagging_until_ms = settled_ms;
}

struct sim_object *sim_restore(struct sim *sim, struct sim_region *region, const struct sim_type *type, struct slice id,
			       uint64_t sequence)
{
	struct sim_table *table = &region->tables[type->number];
	struct sim_object *object = arena_new(&sim->lasting, struct sim_object);

	object->type = type;
	object->region = region;
	object->id = arena_copy(&sim->lasting, id);
	object->sequence = sequence;
	object->body.type = NODE_MAP;
	object->created_ms = sim->now_ms;
	if (sequence >= sim->next_sequence)
		sim->next_sequence = sequence + 1;
	table->objects = memory_room(table->objects, table->count, &table->capacity, sizeof(*table->objects));
	size_t at = sim_table_seek(table, sequence);
	memmove(&table->objects[at + 1], &table->objects[at], (table->count - at) * sizeof(struct sim_object *));
	table->objects[at] = object;
	table->count++;
	map_set(&region->ids, object->id, object);
	return object;
}

static struct slice fresh_id(struct sim *sim, const struct sim_region *region, const struct sim_type *type,
			     char text[64])
{
	char digits[18];
	struct slice id;

	do {
		sim_random_hex(sim, digits, 17);
		int size = snprintf(text, 64, "%s-%s", type->prefix ? type->prefix : type->name, digits);
		id = (struct slice){text, (size_t)size};
	} while (map_get(&region->ids, id));
	return id;
}

struct sim_object *sim_create(struct sim *sim, struct sim_region *region, enum sim_type_number type, struct slice id)
{
	char text[64];

	if (id.size == 0)
		id = fresh_id(sim, region, sim_types[type], text);
	struct sim_object *object = sim_restore(sim, region, sim_types[type], id, sim->next_sequence);
	if (object->type->id_name)
		node_put(&object->body, object->type->id_name, id);
	lag(sim, object);
	mark_dirty(sim, object);
	return object;
}

struct node *sim_edit(struct sim *sim, struct sim_object *object)
{
	/* A thing made in this very transaction is not listed yet, whatever is changed in it. */
	if (!object->dirty) {
		int64_t before_ms = object->settled_ms;
		bool listed = sim_listed(sim, object) != NULL;

		/* What was shown while an earlier change settled is not shown again. */
		if (sim->now_ms >= before_ms)
			drop_stale(object);
		lag(sim, object);
		if (listed && !object->stale && object->settled_ms > before_ms) {
			object->stale = memory_get(sizeof(*object->stale));
			node_copy(object->stale, &object->body);
			wake_push(sim, object->settled_ms, object);
		}
	}
	mark_dirty(sim, object);
	return &object->body;
}

static void unlink_one(struct sim_object *object, size_t at)
{
	struct sim_link link = object->to[at];
	struct sim_object *target = link.object;
	struct sim_link moved = target->from[--target->from_count];

	if (link.index < target->from_count) {
		target->from[link.index] = moved;
		moved.object->to[moved.index].index = link.index;
	}
}

static void unlink_to(struct sim_object *object)
{
	while (object->to_count > 0)
		unlink_one(object, --object->to_count);
	free(object->to);
	object->to = NULL;
}

/* Takes away the link at its source, which keeps no gap. */
static void unlink_from(struct sim_object *target)
{
	while (target->from_count > 0) {
		struct sim_link link = target->from[target->from_count - 1];
		struct sim_object *source = link.object;
		size_t last = source->to_count - 1;

		unlink_one(source, link.index);
		if (link.index < last) {
			source->to[link.index] = source->to[last];
			source->to[link.index].object->from[source->to[last].index].index = link.index;
		}
		source->to_count--;
	}
	free(target->from);
	target->from = NULL;
	target->from_capacity = 0;
}

static bool link_text(void *context, struct slice text)
{
	struct sim_object *object = context;
	struct sim_object *target = sim_find(object->region, SIM_TYPE_COUNT, text);

	if (!target || target == object)
		return false;
	for (size_t i = 0; i < object->to_count; i++)
		if (object->to[i].object == target)
			return false;
	object->to = memory_resize(object->to, (object->to_count + 1) * sizeof(*object->to));
	target->from = memory_room(target->from, target->from_count, &target->from_capacity, sizeof(*target->from));
	object->to[object->to_count] = (struct sim_link){target, target->from_count};
	target->from[target->from_count++] = (struct sim_link){object, object->to_count++};
	return false;
}

static void index_key(struct sim *sim, struct sim_object *object)
{
	struct sim_table *table = &object->region->tables[object->type->number];
	char text[512];

	if (!object->type->key)
		return;
	object->type->key(object, text);
	if (slice_is(object->key, text) && map_get(&table->keys, object->key) == object)
		return;
	/* The old key stays in the map, and then leads to a thing whose key differs. */
	object->key = arena_copy(&sim->lasting, slice_of(text));
	map_set(&table->keys, object->key, object);
}

struct part_visit {
	struct sim *sim;
	struct sim_object *object;
};

static bool index_part(void *context, struct slice id)
{
	struct part_visit *visit = context;

	if (map_get(&visit->object->region->parts, id) != visit->object)
		map_set(&visit->object->region->parts, arena_copy(&visit->sim->lasting, id), visit->object);
	return false;
}

void sim_relink(struct sim *sim, struct sim_object *object)
{
	unlink_to(object);
	for (const char *const *path = object->type->references; path && *path; path++)
		node_walk(&object->body, *path, link_text, object);
	for (const char *const *path = object->type->parts; path && *path; path++)
		node_walk(&object->body, *path, index_part, &(struct part_visit){sim, object});
	if (object->type->range_path && !cidr_read(node_text(&object->body, object->type->range_path), &object->range))
		object->range = (struct cidr){.family = 0};
	index_key(sim, object);
	if (object->type->changed)
		object->type->changed(sim, object);
}

void sim_forget(struct sim_object *object)
{
	struct sim_table *table = &object->region->tables[object->type->number];

	if (object->removed)
		return;
	unlink_to(object);
	unlink_from(object);
	object->removed = true;
	object->due_ms = 0;
	table->removed_count++;
}

void sim_delete(struct sim *sim, struct sim_object *object)
{
	if (object->removed)
		return;
	sim_edit(sim, object);
	sim_forget(object);
}

void sim_schedule(struct sim *sim, struct sim_object *object, int64_t delay_ms)
{
	object->due_ms = sim->now_ms + (delay_ms > 0 ? delay_ms : 1);
	mark_dirty(sim, object);
	sim_queue(sim, object);
}

struct sim_object *sim_find(const struct sim_region *region, enum sim_type_number type, struct slice id)
{
	struct sim_object *object = map_get(&region->ids, id);

	if (!object || object->removed || (type != SIM_TYPE_COUNT && object->type->number != type))
		return NULL;
	return object;
}

struct sim_object *sim_find_key(const struct sim_region *region, enum sim_type_number type, struct slice key)
{
	struct sim_object *object = map_get(&region->tables[type].keys, key);

	return object && !object->removed && slice_equal(object->key, key) ? object : NULL;
}

static bool is_text(void *context, struct slice text)
{
	const struct slice *wanted = context;

	return slice_equal(text, *wanted);
}

struct sim_object *sim_find_part(const struct sim_region *region, enum sim_type_number type, struct slice id)
{
	struct sim_object *object = map_get(&region->parts, id);

	if (!object || object->removed || object->type->number != type)
		return NULL;
	for (const char *const *path = object->type->parts; *path; path++)
		if (node_walk(&object->body, *path, is_text, &id))
			return object;
	return NULL;
}

struct sim_object *sim_find_listed(const struct sim *sim, const struct sim_region *region, enum sim_type_number type,
				   struct slice id)
{
	struct sim_object *object = map_get(&region->ids, id);

	return object && object->type->number == type && sim_listed(sim, object) ? object : NULL;
}

const struct node *sim_listed(const struct sim *sim, const struct sim_object *object)
{
	if (sim->now_ms < object->settled_ms)
		return object->stale;
	return object->removed ? NULL : &object->body;
}

struct sim_object *sim_referrer(const struct sim_object *target, enum sim_type_number type, size_t *cursor)
{
	while (*cursor < target->from_count) {
		struct sim_object *source = target->from[(*cursor)++].object;

		if (source->type->number == type)
			return source;
	}
	return NULL;
}

void sim_delete_referrers(struct sim *sim, struct sim_object *target, enum sim_type_number type)
{
	/* From the end, which a deletion does not move. */
	for (size_t i = target->from_count; i-- > 0;) {
		if (i < target->from_count && target->from[i].object->type->number == type)
			sim_delete(sim, target->from[i].object);
	}
}

bool sim_is_held(const struct sim_object *target)
{
	for (size_t i = 0; i < target->from_count; i++) {
		const struct sim_object *source = target->from[i].object;

		if (source->type->holds && source->type->holds(source, target))
			return true;
	}
	return false;
}

bool sim_holds(const struct sim_object *object, const struct sim_object *target)
{
	(void)object;
	(void)target;
	return true;
}

size_t sim_table_count(const struct sim_region *region, enum sim_type_number type)
{
	return region->tables[type].count - region->tables[type].removed_count;
}

size_t sim_table_seek(const struct sim_table *table, uint64_t sequence)
{
	size_t low = 0, high = table->count;

	/* Things are made in order, so the end is where most are looked for. */
	if (high > 0 && table->objects[high - 1]->sequence < sequence)
		return high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->objects[middle]->sequence < sequence)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Listings walk the table: once half of it is gone, what no listing shows any more leaves it. */
static void tidy_table(const struct sim *sim, struct sim_table *table)
{
	size_t kept = 0, removed = 0;

	if (table->removed_count < 64 || table->removed_count * 2 < table->count)
		return;
	for (size_t i = 0; i < table->count; i++) {
		struct sim_object *object = table->objects[i];

		if (object->removed && sim->now_ms >= object->settled_ms) {
			drop_stale(object);
			continue;
		}
		removed += object->removed;
		table->objects[kept++] = object;
	}
	table->count = kept;
	table->removed_count = removed;
}

void sim_commit(struct sim *sim)
{
	for (size_t i = 0; i < sim->dirty_count; i++)
		if (!sim->dirty[i]->removed)
			sim_relink(sim, sim->dirty[i]);
	sim_file_append(sim);
	for (size_t i = 0; i < sim->dirty_count; i++) {
		struct sim_object *object = sim->dirty[i];

		object->dirty = false;
		if (!object->removed)
			continue;
		node_release(&object->body);
		tidy_table(sim, &object->region->tables[object->type->number]);
	}
	sim->dirty_count = 0;
	sim->call_settled_ms = 0;
}

void sim_run_until(struct sim *sim, int64_t now_ms)
{
	bool immediate = sim->immediate;

	sim->immediate = true;
	while (sim->wake_count > 0 && sim->wakes[0].at_ms <= now_ms) {
		struct sim_wake wake = wake_pop(sim);
		struct sim_object *object = wake.object;

		/* The clock may be past it already: what falls due happens at its own time all the same. */
		sim->now_ms = wake.at_ms;
		if (object->due_ms == wake.at_ms && !object->removed) {
			object->due_ms = 0;
			object->queued_ms = 0;
			mark_dirty(sim, object);
			object->type->tick(sim, object);
			sim_commit(sim);
		}
		if (sim->now_ms >= object->settled_ms)
			drop_stale(object);
	}
	sim->now_ms = now_ms;
	sim->immediate = immediate;
}

static void release_table(struct sim_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct sim_object *object = table->objects[i];

		node_release(&object->body);
		drop_stale(object);
		free(object->to);
		free(object->from);
	}
	free(table->objects);
	map_release(&table->keys);
}

void sim_store_release(struct sim *sim)
{
	for (size_t i = 0; i < sim->regions.count; i++) {
		struct sim_region *region = sim->regions.entries[i].item;

		for (size_t j = 0; j < SIM_TYPE_COUNT; j++)
			release_table(&region->tables[j]);
		map_release(&region->ids);
		map_release(&region->parts);
		free(region);
	}
	map_release(&sim->regions);
	map_init(&sim->regions);
	sim->wake_count = 0;
	sim->dirty_count = 0;
}
