#include "base/cidr.h"
#include "specs/references.h"
#include "specs/section_fields.h"
#include "specs/sections.h"

enum { SHOWN_BYTES = 80 };

/* The parts of the section, and where in struct address_space each goes. */
static const struct field one_range = {.name = "range", .type = FIELD_CIDR};
#define PART(text, description)                                                                                        \
	{                                                                                                              \
		.name = (text), .type = FIELD_MAP, .item = &one_range, .about = (description)                          \
	}
static const struct {
	struct field field;
	const char *shown;
	size_t offset;
} parts[] = {
	{PART("pools", "ranges to take networks from; none is chosen from them yet"), "'pools'",
	 offsetof(struct address_space, pools)},
	{PART("reserved", "ranges of others, which no range of the stack may meet"), "'reserved'",
	 offsetof(struct address_space, reserved)},
	{PART("networks", "ranges of bare metal, which no range that is joined with others may meet"), "'networks'",
	 offsetof(struct address_space, networks)},
};
const struct fields address_space_fields = FIELDS(parts);

enum { PART_COUNT = sizeof(parts) / sizeof(parts[0]) };

static void report_host_bits(struct loading *loading, const struct value *value, const struct cidr *cidr)
{
	struct cidr network = cidr_network(*cidr);
	struct slice text = cidr_text(loading->arena, &network);

	diag_error(loading->diagnostics, FAULT_USER, value->position, "'%.*s' has bits set beyond its length",
		   SLICE_ARGUMENTS(value_shown(value, SHOWN_BYTES)));
	diag_hint(loading->diagnostics, "write %.*s, the network it lies in", SLICE_ARGUMENTS(text));
}

/* *ret: in canonical form. False after a diagnostic. */
static bool read_range(struct loading *loading, const struct value *value, struct value *ret)
{
	struct cidr cidr;

	if (value->type == VALUE_UNREAD)
		return false;
	if (value->type != VALUE_STRING || !cidr_read(value_slice(value), &cidr)) {
		diag_error(loading->diagnostics, FAULT_USER, value->position, "a range of addresses is expected here");
		diag_hint(loading->diagnostics, "write it such as 10.0.0.0/16 or fd00:1::/48");
		return false;
	}
	if (cidr.host_bits) {
		report_host_bits(loading, value, &cidr);
		return false;
	}
	*ret = value_at(value_string(cidr_text(loading->arena, &cidr)), value->position);
	return true;
}

/* Notes that a part has a name; false after a diagnostic, where it has that already. */
static bool claim_name(struct loading *loading, const char *part, const struct value *key)
{
	struct slice name = arena_format(loading->arena, "%s.%.*s", part, SLICE_ARGUMENTS(value_slice(key)));
	struct value *place = arena_new(loading->arena, struct value);
	const struct value *earlier;

	*place = *key;
	earlier = (const struct value *)map_add(&loading->ranges, name, place);
	if (!earlier)
		return true;
	diag_error(loading->diagnostics, FAULT_USER, key->position, "'%.*s' is given twice under '%s'",
		   SLICE_ARGUMENTS(slice_first(value_slice(key), SHOWN_BYTES)), part);
	diag_related(loading->diagnostics, earlier->position, "it is given here as well");
	return false;
}

static size_t range_count(const struct value *map)
{
	size_t count = 0;

	for (size_t i = 0; i < map->count; i++)
		count += map->members[i].value.type == VALUE_LIST ? map->members[i].value.count : 1;
	return count;
}

/* A name has one range, or a list of them. */
static void read_part(struct loading *loading, size_t part, const struct value *value)
{
	struct named_ranges *ranges = (struct named_ranges *)(void *)((char *)&loading->space + parts[part].offset);
	const struct value *map = loading_map(loading, parts[part].shown, value);
	struct named_range *items;

	if (!map)
		return;
	items = arena_new_array(loading->arena, ranges->count + range_count(map), struct named_range);
	if (ranges->count > 0)
		memcpy(items, ranges->items, ranges->count * sizeof(*items));
	ranges->items = items;
	for (size_t i = 0; i < map->count; i++) {
		const struct value_member *member = &map->members[i];
		bool is_list = member->value.type == VALUE_LIST;
		const struct value *list = is_list ? member->value.items : &member->value;
		size_t count = is_list ? member->value.count : 1;
		bool claimed = claim_name(loading, parts[part].field.name, &member->key);

		for (size_t k = 0; claimed && k < count; k++) {
			struct named_range *range = &items[ranges->count];

			range->name = value_slice(&member->key);
			if (read_range(loading, &list[k], &range->cidr))
				ranges->count++;
		}
	}
}

void address_space_read(struct loading *loading, const struct value *value)
{
	const struct value *map;
	struct value resolved;

	references_resolve_value(loading, "address_space", value, &resolved);
	map = loading_map(loading, "'address_space'", &resolved);
	for (size_t i = 0; map && i < map->count; i++) {
		const struct value_member *member = &map->members[i];
		size_t part = 0;

		while (part < PART_COUNT && !slice_is(value_slice(&member->key), parts[part].field.name))
			part++;
		if (part < PART_COUNT) {
			read_part(loading, part, &member->value);
			continue;
		}
		diag_error(loading->diagnostics, FAULT_USER, member->key.position, "'address_space' has no part '%.*s'",
			   SLICE_ARGUMENTS(slice_first(value_slice(&member->key), SHOWN_BYTES)));
		diag_hint(loading->diagnostics, "it may have: pools, reserved, networks");
	}
}
