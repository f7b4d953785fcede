#include "base/buffer.h"
#include "base/memory.h"
#include "specs/references_walk.h"

/*
 * The order in which fields are evaluated: one that refers to another resource's field has
 * that evaluated first. A chain of them may be as long as the spec, so what waits is kept on
 * a stack of our own.
 */

enum {
	/* Fields of a circle that are shown one by one. */
	PATH_MOST = 12,
	PATH_LARGEST_BYTES = 8192,
};

const struct value *references_member(const struct loading *loading, uint32_t entry, uint32_t member)
{
	const struct entry *at = &loading->entries[entry];

	return at->fields ? &at->fields[member].value : &at->block->members[member].value;
}

static uint8_t *state_of(struct loading *loading, uint32_t entry, uint32_t member)
{
	return &loading->states[loading->entries[entry].first_state + member];
}

static void wait_push(struct loading *loading, uint32_t entry, uint32_t member, struct position position)
{
	loading->waiting = memory_room(loading->waiting, loading->waiting_count, &loading->waiting_capacity,
				       sizeof(*loading->waiting));
	loading->waiting[loading->waiting_count++] = (struct waiting){entry, member, position, false};
}

static void path_add(const struct loading *loading, struct buffer *path, uint32_t entry, uint32_t member)
{
	const struct value_member *at = &loading->entries[entry].block->members[member];
	struct arena scratch;
	struct slice place;

	arena_init(&scratch);
	place = sources_place(loading->sources, at->key.position, &scratch);
	buffer_format(path, "%s'%.*s.%.*s' (%.*s)", path->size > 0 ? " needs " : "",
		      SLICE_ARGUMENTS(loading->resources[entry].address), SLICE_ARGUMENTS(value_slice(&at->key)),
		      SLICE_ARGUMENTS(place));
	arena_release(&scratch);
}

/* From the field that is asked for again to the one that asks, which is on top. */
static void report_circle(struct loading *loading, uint32_t entry, uint32_t member, struct position position)
{
	size_t first = 0, shown = 0, left = 0;
	/* Of what is past the most nobody sees the way, which may be as long as the spec. */
	size_t most = loading->diagnostics->error_count < DIAGNOSTICS_MOST ? loading->waiting_count : 0;
	BUFFER_AUTO path;

	buffer_init(&path, PATH_LARGEST_BYTES);
	for (size_t i = 0; i < most; i++) {
		const struct waiting *waiting = &loading->waiting[i];

		if (waiting->active && waiting->entry == entry && waiting->member == member)
			first = i;
	}
	for (size_t i = first; i < most; i++) {
		const struct waiting *waiting = &loading->waiting[i];

		if (!waiting->active)
			continue;
		if (shown < PATH_MOST)
			path_add(loading, &path, waiting->entry, waiting->member);
		else
			left++;
		shown++;
	}
	if (left > 0)
		buffer_format(&path, ", %zu more", left);
	path_add(loading, &path, entry, member);
	diag_error(loading->diagnostics, FAULT_USER, position, "the value goes round in a circle: %.*s",
		   SLICE_ARGUMENTS(buffer_slice(&path)));
	diag_hint(loading->diagnostics, "give one of them a value of its own");
}

bool references_await(struct loading *loading, uint32_t entry, uint32_t member, struct position position)
{
	if (*state_of(loading, entry, member) == FIELD_ACTIVE) {
		report_circle(loading, entry, member, position);
		return false;
	}
	wait_push(loading, entry, member, position);
	return true;
}

/*
 * Where results go. A tree is no longer changed once others see it, but this one was made
 * for this load and nobody has: unless an alias shares its parts they are overwritten.
 */
static struct value_member *place_results(struct loading *loading, const struct entry *entry)
{
	struct value_member *copy;

	if (!entry->shared)
		return (struct value_member *)(uintptr_t)entry->block->members;
	copy = arena_new_array(loading->arena, entry->block->count, struct value_member);
	memcpy(copy, entry->block->members, entry->block->count * sizeof(*copy));
	return copy;
}

static void keep(struct loading *loading, uint32_t index, uint32_t member, const struct value *value)
{
	struct entry *entry = &loading->entries[index];

	if (!entry->fields)
		entry->fields = place_results(loading, entry);
	entry->fields[member].value = *value;
}

/* False where it has to wait for fields that are on the stack now. */
static bool evaluate_field(struct loading *loading, uint32_t entry, uint32_t member, const struct field *field)
{
	const struct value_member *at = &loading->entries[entry].block->members[member];
	struct resolution resolution = {.loading = loading, .entry = entry, .top = field};
	size_t diagnostics_before = loading->diagnostics->count;
	struct value value;

	*state_of(loading, entry, member) = FIELD_ACTIVE;
	if (resolve_value(&resolution, field, 0, &at->value, &value) && !resolution.waits)
		keep(loading, entry, member, &value);
	if (loading->diagnostics->count > diagnostics_before)
		loading_name_resource(loading, diagnostics_before, &loading->resources[entry]);
	if (resolution.waits)
		return false;
	*state_of(loading, entry, member) = FIELD_DONE;
	return true;
}

static bool evaluate_waiting(struct loading *loading, uint32_t entry, uint32_t member)
{
	const struct value *key = &loading->entries[entry].block->members[member].key;

	return *state_of(loading, entry, member) == FIELD_DONE ||
	       evaluate_field(loading, entry, member,
			      field_named(&loading->resources[entry].kind->fields, value_slice(key)));
}

void references_resolve(struct loading *loading, uint32_t entry, uint32_t member, const struct field *field)
{
	if (*state_of(loading, entry, member) == FIELD_DONE)
		return;
	loading->waiting_count = 0;
	wait_push(loading, entry, member, NOWHERE);
	loading->waiting[0].active = true;
	/* Nearly always that is all. */
	if (evaluate_field(loading, entry, member, field))
		return;
	while (loading->waiting_count > 0) {
		struct waiting *top = &loading->waiting[loading->waiting_count - 1];

		top->active = true;
		if (evaluate_waiting(loading, top->entry, top->member))
			loading->waiting_count--;
	}
}
