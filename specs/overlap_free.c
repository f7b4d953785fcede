#include "specs/overlap_parts.h"

/* The free range next to one that has to move, for the hint of a report. */

enum {
	/* Taken ranges that a search for a free one steps over, in each direction. */
	FREE_MOST_STEPS = 64,
};

/* A block of addresses, and where in it a free range is looked for. */
struct search {
	struct overlaps *overlaps;
	uint64_t *keys; /* groups whose taken ranges count */
	size_t key_count;
	overlap_number first, last;   /* of the block */
	overlap_number from;	      /* the start of the range that has to move */
	overlap_number size_less_one; /* of that range */
};

/* A taken range of that group that meets start to end, or NULL. */
static const struct record *taken_within(const struct overlaps *overlaps, uint64_t key, overlap_number start,
					 overlap_number end)
{
	size_t low = 0, high = overlaps->taken_count;

	/* The first that begins behind start. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct record *record = &overlaps->taken[middle];

		if (record->key < key || (record->key == key && record->start <= start))
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && overlaps->taken[low - 1].key == key) {
		const struct record *before = &overlaps->taken[low - 1];

		if (last_address(before->start, key_width(key), before->bits) >= start)
			return before;
	}
	if (low < overlaps->taken_count && overlaps->taken[low].key == key && overlaps->taken[low].start <= end)
		return &overlaps->taken[low];
	return NULL;
}

static const struct record *taken_at(const struct search *search, overlap_number start)
{
	const struct record *taken = NULL;

	for (size_t i = 0; i < search->key_count && !taken; i++)
		taken = taken_within(search->overlaps, search->keys[i], start, start + search->size_less_one);
	return taken;
}

/* The next free start at or above from; false where the block ends, or too many are taken. */
static bool search_up(const struct search *search, overlap_number *ret)
{
	overlap_number start = search->from;

	for (int step = 0; step < FREE_MOST_STEPS; step++) {
		const struct record *taken = taken_at(search, start);
		overlap_number end;

		if (!taken) {
			*ret = start;
			return true;
		}
		end = last_address(taken->start, key_width(taken->key), taken->bits) | search->size_less_one;
		if (end >= search->last)
			return false;
		start = end + 1;
	}
	return false;
}

static bool search_down(const struct search *search, overlap_number *ret)
{
	overlap_number start = search->from;

	for (int step = 0; step < FREE_MOST_STEPS; step++) {
		const struct record *taken = taken_at(search, start);

		if (!taken) {
			*ret = start;
			return true;
		}
		if (taken->start < start)
			start = taken->start & ~search->size_less_one;
		if (start < search->first || start - search->first <= search->size_less_one)
			return false;
		start -= search->size_less_one + 1;
	}
	return false;
}

/* The block of addresses for private use (RFC 1918, RFC 6598, RFC 4193) that holds the range. */
static bool private_block(const struct cidr *cidr, struct cidr *ret)
{
	static const struct cidr blocks[] = {
		{.bytes = {10}, .bits = 8, .family = 4},	{.bytes = {172, 16}, .bits = 12, .family = 4},
		{.bytes = {192, 168}, .bits = 16, .family = 4}, {.bytes = {100, 64}, .bits = 10, .family = 4},
		{.bytes = {0xfc}, .bits = 7, .family = 6},
	};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		if (cidr_contains(&blocks[i], cidr)) {
			*ret = blocks[i];
			return true;
		}
	}
	return false;
}

/* The parent's range that holds the range, or the first that has room for one of its size. */
static bool parent_block(const struct collection *collection, uint32_t parent, const struct cidr *cidr,
			 struct cidr *ret)
{
	const struct node *node = &collection->nodes[parent];
	bool found = false;

	for (uint32_t i = 0; i < node->range_count && i < FREE_MOST_STEPS; i++) {
		const struct cidr *block = &collection->ranges[node->first_range + i].cidr;
		bool holds = cidr_contains(block, cidr);

		if (holds || (!found && block->family == cidr->family && block->bits <= cidr->bits)) {
			*ret = *block;
			found = true;
		}
		if (holds)
			break;
	}
	return found;
}

static struct cidr cidr_at(overlap_number start, const struct cidr *like)
{
	struct cidr cidr = {.bits = like->bits, .family = like->family};

	for (size_t i = like->family == 4 ? 4 : 16; i > 0; i--) {
		cidr.bytes[i - 1] = (uint8_t)start;
		start >>= 8;
	}
	return cidr;
}

/* What a range must keep clear of: others of its domain, what is named in address_space, the far ends of peerings. */
static void add_keys(struct search *search, const struct range *range)
{
	struct collection *collection = search->overlaps->collection;
	const struct node *owner = &collection->nodes[owner_of(range)];
	bool is_6 = range->cidr.family == 6;

	search->keys = arena_new_array(search->overlaps->arena, owner->peering_count + 2, uint64_t);
	search->keys[search->key_count++] = 2 * group_of_domain(domain_of(collection, owner_of(range))) + is_6;
	search->keys[search->key_count++] = 2 * (uint64_t)GROUP_FIXED + is_6;
	for (uint32_t i = 0; i < owner->peering_count; i++)
		search->keys[search->key_count++] =
			2 * group_of_domain(collection->peerings[owner->first_peering + i].node) + is_6;
}

bool nearest_free(struct overlaps *overlaps, const struct range *range, struct cidr *ret)
{
	struct collection *collection = overlaps->collection;
	uint32_t parent = parent_of(collection, range);
	bool is_6 = range->cidr.family == 6;
	uint64_t children = parent != NO_NODE ? 2 * group_of_children(parent) + is_6 : 0;
	struct search search = {.overlaps = overlaps, .keys = &children, .key_count = 1};
	overlap_number up = 0, down = 0;
	struct cidr block;
	bool has_up, has_down;

	if (parent != NO_NODE) {
		if (!parent_block(collection, parent, &range->cidr, &block))
			return false;
	} else {
		if (!private_block(&range->cidr, &block))
			return false;
		search.key_count = 0;
		add_keys(&search, range);
	}
	overlaps_take(overlaps);
	search.first = address_number(&block);
	search.last = last_address(search.first, is_6 ? 128 : 32, block.bits);
	search.size_less_one = last_address(0, is_6 ? 128 : 32, range->cidr.bits);
	search.from = cidr_contains(&block, &range->cidr) ? address_number(&range->cidr) : search.first;
	has_up = search_up(&search, &up);
	has_down = search_down(&search, &down);
	if (!has_up && !has_down)
		return false;
	*ret = cidr_at(has_up && (!has_down || up - search.from <= search.from - down) ? up : down, &range->cidr);
	return true;
}
