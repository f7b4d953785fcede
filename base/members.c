#include "base/members.h"

#include <stdlib.h>

#include "base/memory.h"

int members_compare(const struct value_member *a, const struct value_member *b)
{
	return slice_compare(value_slice(&a->key), value_slice(&b->key));
}

static int compare_pointers(const void *a, const void *b)
{
	const struct value_member *const *first = (const struct value_member *const *)a;
	const struct value_member *const *second = (const struct value_member *const *)b;

	return members_compare(*first, *second);
}

/* For a handful: members that lie in order already take one comparison each. */
static void insert_sorted(struct members *members, const struct value *map)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct value_member *member = &map->members[i];
		size_t k = i;

		for (; k > 0 && members_compare(members->sorted[k - 1], member) > 0; k--)
			members->sorted[k] = members->sorted[k - 1];
		members->sorted[k] = member;
	}
}

void members_sort(struct members *members, const struct value *map)
{
	bool in_order = true;

	members->sorted = members->few;
	if (map->count <= MEMBERS_FEW) {
		insert_sorted(members, map);
		return;
	}
	members->sorted = (const struct value_member **)memory_get(map->count * sizeof(const struct value_member *));
	for (size_t i = 0; i < map->count; i++) {
		members->sorted[i] = &map->members[i];
		if (i > 0 && in_order)
			in_order = members_compare(members->sorted[i - 1], members->sorted[i]) <= 0;
	}
	if (!in_order)
		qsort(members->sorted, map->count, sizeof(const struct value_member *), compare_pointers);
}

void members_release(struct members *members)
{
	if (members->sorted != members->few)
		free(members->sorted);
	members->sorted = members->few;
}
