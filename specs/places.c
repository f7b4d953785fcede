#include "specs/places.h"

#include "reconcile/schema.h"

/*
 * References from one place to another. Everything that a reference field may name lives in one region of one account
 * with whatever names it: EC2 and Auto Scaling look for no id anywhere else.
 */

/* What tells two places apart, and what stands for it where it is empty; NULL: then it is not known yet. */
static const struct part {
	const char *name;
	size_t offset;
	const char *otherwise;
} parts[] = {
	{"account", offsetof(struct identity, account), NULL},
	{"region", offsetof(struct identity, region), NULL},
	{"endpoint", offsetof(struct identity, endpoint), "of its own"},
};

static struct slice part_of(const struct identity *identity, const struct part *part)
{
	const struct slice *text = (const struct slice *)(const void *)((const char *)identity + part->offset);

	return text->size == 0 && part->otherwise ? slice_of(part->otherwise) : *text;
}

/* The first part that is known of both and differs, or NULL. */
static const struct part *difference(const struct identity *a, const struct identity *b)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct slice one = part_of(a, &parts[i]), other = part_of(b, &parts[i]);

		if (one.size > 0 && other.size > 0 && !slice_equal(one, other))
			return &parts[i];
	}
	return NULL;
}

static void report(struct loading *loading, const struct resource *referrer, const struct place *from,
		   const struct meeting *meeting, const struct place *to, const struct part *part)
{
	const struct resource *target = &loading->resources[meeting->target];

	diag_error(loading->diagnostics, FAULT_USER, meeting->position,
		   "'%s' refers to '%.*s', which provider '%.*s' has in %s %.*s, but provider '%.*s' reaches %s %.*s",
		   meeting->field, SLICE_ARGUMENTS(target->address), SLICE_ARGUMENTS(target->provider), part->name,
		   SLICE_ARGUMENTS(part_of(&to->identity, part)), SLICE_ARGUMENTS(referrer->provider), part->name,
		   SLICE_ARGUMENTS(part_of(&from->identity, part)));
	diag_address(loading->diagnostics, referrer->address);
	diag_related(loading->diagnostics, target->position, "it is declared here");
	diag_hint(loading->diagnostics, "give both the same 'provider': '%s' is looked for in its own place alone",
		  meeting->field);
}

static struct place place_of(const struct loading *loading, const struct provider_settings *settings)
{
	struct place place = {.known = false};
	struct slice rest = settings->name;
	struct slice provider = slice_cut(&rest, '.');
	/* Of an alias without a block there is nothing to say but that. */
	bool is_there = !rest.data || settings->position.line > 0;

	for (size_t i = 0; is_there && i < loading->schema_count; i++) {
		if (slice_is(provider, loading->schemas[i].name) && loading->schemas[i].expect)
			place.known = loading->schemas[i].expect(loading->world, &settings->settings, loading->arena,
								 &place.identity);
	}
	return place;
}

static void check(struct loading *loading, uint32_t entry, const struct map *places)
{
	const struct resource *referrer = &loading->resources[entry];
	const struct place *from = (const struct place *)map_get(places, referrer->provider);

	for (uint32_t i = loading->entries[entry].first_meeting; i > 0; i = loading->meetings[i - 1].next) {
		const struct meeting *meeting = &loading->meetings[i - 1];
		struct slice provider = loading->resources[meeting->target].provider;
		const struct place *to;
		const struct part *part;

		if (!meeting->names || slice_equal(provider, referrer->provider))
			continue;
		to = (const struct place *)map_get(places, provider);
		part = from && to && from->known && to->known ? difference(&from->identity, &to->identity) : NULL;
		if (part)
			report(loading, referrer, from, meeting, to, part);
	}
}

void places_find(const struct loading *loading, const struct stack *stack, struct map *ret)
{
	struct place *all = arena_new_array(loading->arena, stack->provider_count, struct place);

	for (size_t i = 0; i < stack->provider_count; i++) {
		all[i] = place_of(loading, &stack->providers[i]);
		map_set(ret, stack->providers[i].name, &all[i]);
	}
}

void places_check(struct loading *loading, const struct map *places)
{
	for (size_t i = 0; places->count > 1 && i < loading->resource_count; i++)
		check(loading, (uint32_t)i, places);
}

/* What is left to others may be there, and what is misspelt is told where that is. */
static bool lacks(const struct loading *loading, const struct resource *resource, struct slice name)
{
	const struct fields *fields = &resource->kind->fields;
	const struct field *field = field_named(fields, name);

	return field && !(field->flags & REQUIRED) && !value_get_given(&resource->desired, name) &&
	       !slice_is_among(field->name, resource->ignored, resource->ignored_count) &&
	       !schema_is_misspelt(fields, field, loading->entries[loading_index(loading, resource)].block);
}

bool places_lack(struct loading *loading, const struct places_need *need)
{
	if (!lacks(loading, need->of, need->field))
		return false;
	diag_error(loading->diagnostics, FAULT_USER, need->value->position,
		   "'%s' needs '%.*s' of '%.*s', which is not set", need->name, SLICE_ARGUMENTS(need->field),
		   SLICE_ARGUMENTS(need->of->address));
	diag_address(loading->diagnostics, need->resource->address);
	diag_related(loading->diagnostics, need->of->position, "it is declared here");
	diag_hint(loading->diagnostics, "set it; where somebody else does, say 'lifecycle: {ignore: [%.*s]}' there",
		  SLICE_ARGUMENTS(need->field));
	return true;
}
