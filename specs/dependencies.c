#include <stdlib.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "specs/resources.h"

enum {
	/* Resources of a circle that are shown one by one. */
	PATH_MOST = 12,
	PATH_LARGEST_BYTES = 8192,
};

/* Among those that are merged the first in the text stays. */
static int compare_all(const void *a, const void *b)
{
	const struct dependency *first = (const struct dependency *)a;
	const struct dependency *second = (const struct dependency *)b;
	int order = dependency_compare(first, second);

	return order != 0 ? order : position_compare(first->position, second->position);
}

static struct dependency dependency_of(const struct loading *loading, const struct meeting *meeting)
{
	return (struct dependency){
		.address = loading->resources[meeting->target].address,
		.output = meeting->output,
		.field = slice_of(meeting->field),
		.binding = (enum binding)meeting->binding,
		.immutable = meeting->immutable,
		.position = meeting->position,
	};
}

void dependencies_finish(struct loading *loading, uint32_t entry)
{
	struct resource *resource = &loading->resources[entry];
	struct dependency *dependencies;
	size_t count = 0, kept = 0;

	for (uint32_t i = loading->entries[entry].first_meeting; i > 0; i = loading->meetings[i - 1].next)
		count++;
	if (count == 0)
		return;
	dependencies = arena_new_array(loading->arena, count, struct dependency);
	count = 0;
	for (uint32_t i = loading->entries[entry].first_meeting; i > 0; i = loading->meetings[i - 1].next)
		dependencies[count++] = dependency_of(loading, &loading->meetings[i - 1]);
	if (count > 1)
		qsort(dependencies, count, sizeof(*dependencies), compare_all);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || dependency_compare(&dependencies[kept - 1], &dependencies[i]) != 0)
			dependencies[kept++] = dependencies[i];
	}
	resource->dependencies = dependencies;
	resource->dependency_count = kept;
}

/*
 * The circles. A resource is made and then settled, and each is a node of the graph: 2 * index
 * for make, one more for settle. Settling waits for making; a reference makes its phase wait
 * for the target's make, depends_on makes the make wait for the target's settle.
 */
struct step {
	uint32_t node;
	uint32_t meeting; /* index + 1 of the one that led here; 0: from settle to make, or the first */
	uint32_t next;	  /* index + 1 of the meeting to look at next */
	bool own_make;	  /* settle: its own make was looked at */
};

enum mark {
	MARK_NEW,
	MARK_OPEN, /* on the way that is being walked */
	MARK_DONE,
};

struct walk {
	struct loading *loading;
	uint8_t *marks;	    /* enum mark of each node */
	struct step *steps; /* the way */
	size_t count;
};

static uint32_t node_waits_for(const struct meeting *meeting)
{
	return 2 * meeting->target + (meeting->binding == BINDS_WHOLE ? 1 : 0);
}

static bool waits_in(const struct meeting *meeting, uint32_t node)
{
	return (node % 2 == 1) == (meeting->binding == BINDS_SETTLE);
}

static void path_add(const struct walk *walk, struct buffer *path, uint32_t meeting)
{
	const struct loading *loading = walk->loading;
	const struct meeting *at = &loading->meetings[meeting - 1];
	struct arena scratch;
	struct slice place;

	arena_init(&scratch);
	place = sources_place(loading->sources, at->position, &scratch);
	buffer_format(path, " needs '%.*s' (%.*s)", SLICE_ARGUMENTS(loading->resources[at->target].address),
		      SLICE_ARGUMENTS(place));
	arena_release(&scratch);
}

/* meeting closes the circle by leading back to a step of the way. */
static void report_circle(const struct walk *walk, uint32_t node, uint32_t meeting)
{
	const struct loading *loading = walk->loading;
	size_t first = 0, shown = 0, left = 0;
	/* Of what is past the most nobody sees the way, which may be as long as the spec. */
	size_t most = loading->diagnostics->error_count < DIAGNOSTICS_MOST ? walk->count : 0;
	BUFFER_AUTO path;

	buffer_init(&path, PATH_LARGEST_BYTES);
	for (size_t i = 0; i < most; i++) {
		if (walk->steps[i].node == node)
			first = i;
	}
	buffer_format(&path, "'%.*s'", SLICE_ARGUMENTS(loading->resources[node / 2].address));
	for (size_t i = first + 1; i < most; i++) {
		if (walk->steps[i].meeting == 0)
			continue;
		if (shown++ < PATH_MOST)
			path_add(walk, &path, walk->steps[i].meeting);
		else
			left++;
	}
	if (left > 0)
		buffer_format(&path, ", %zu more", left);
	if (meeting > 0)
		path_add(walk, &path, meeting);
	else
		buffer_string(&path, " to be made");
	diag_error(loading->diagnostics, FAULT_USER, loading->resources[node / 2].position,
		   "resources wait for one another in a circle: %.*s", SLICE_ARGUMENTS(buffer_slice(&path)));
	diag_address(loading->diagnostics, loading->resources[node / 2].address);
	diag_hint(loading->diagnostics, "remove one of these references");
}

static void enter(struct walk *walk, uint32_t node, uint32_t meeting)
{
	if (walk->marks[node] == MARK_OPEN)
		report_circle(walk, node, meeting);
	if (walk->marks[node] != MARK_NEW)
		return;
	walk->marks[node] = MARK_OPEN;
	walk->steps[walk->count++] = (struct step){
		.node = node,
		.meeting = meeting,
		.next = walk->loading->entries[node / 2].first_meeting,
		.own_make = node % 2 == 0,
	};
}

static void visit(struct walk *walk, uint32_t node)
{
	const struct loading *loading = walk->loading;

	enter(walk, node, 0);
	while (walk->count > 0) {
		struct step *step = &walk->steps[walk->count - 1];
		uint32_t meeting = step->next;

		if (!step->own_make) {
			step->own_make = true;
			enter(walk, step->node - 1, 0);
		} else if (meeting > 0) {
			step->next = loading->meetings[meeting - 1].next;
			if (waits_in(&loading->meetings[meeting - 1], step->node))
				enter(walk, node_waits_for(&loading->meetings[meeting - 1]), meeting);
		} else {
			walk->marks[step->node] = MARK_DONE;
			walk->count--;
		}
	}
}

/* Where everything waits only for what stands earlier in the spec there is no circle. */
static bool all_look_back(const struct loading *loading)
{
	for (size_t i = 0; i < loading->resource_count; i++) {
		uint32_t at = loading->entries[i].first_meeting;

		for (; at > 0; at = loading->meetings[at - 1].next) {
			if (loading->meetings[at - 1].target >= i)
				return false;
		}
	}
	return true;
}

void dependencies_check(struct loading *loading)
{
	size_t nodes = 2 * loading->resource_count;
	struct walk walk = {.loading = loading};

	if (all_look_back(loading))
		return;
	walk.marks = (uint8_t *)memory_get(nodes + 1);
	walk.steps = (struct step *)memory_get((nodes + 1) * sizeof(*walk.steps));
	for (uint32_t i = 0; i < nodes; i++)
		visit(&walk, i);
	free(walk.marks);
	free(walk.steps);
}
