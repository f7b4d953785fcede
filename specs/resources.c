#include "specs/resources.h"

#include "reconcile/schema.h"
#include "specs/default_tags.h"
#include "specs/references.h"
#include "specs/sections.h"
#include "specs/yaml_scalar.h"

enum {
	ADDRESS_LONGEST_BYTES = 192,
	SHOWN_BYTES = 80,
};

/* "aws.vpc" and "train" to "aws.vpc.train". */
static struct slice make_address(struct arena *arena, const struct kind *kind, struct slice name)
{
	char address[ADDRESS_LONGEST_BYTES];
	size_t size = strlen(kind->name);

	if (size + 1 + name.size > sizeof(address))
		return arena_format(arena, "%s.%.*s", kind->name, SLICE_ARGUMENTS(name));
	memcpy(address, kind->name, size);
	address[size++] = '.';
	memcpy(address + size, name.data, name.size);
	return arena_copy(arena, (struct slice){address, size + name.size});
}

static void report_repeat(struct loading *loading, const struct resource *resource, const struct resource *earlier)
{
	diag_error(loading->diagnostics, FAULT_USER, resource->position, "'%.*s' is declared twice",
		   SLICE_ARGUMENTS(resource->address));
	diag_related(loading->diagnostics, earlier->position, "it is declared here as well");
	diag_hint(loading->diagnostics, "give one of them another name, or bring them into one");
}

/* Others refer to it by its name alone, 'vpc: main': YAML must take that for text. */
static bool check_name(struct loading *loading, struct slice name, struct position position)
{
	if (loading_is_name(name) && !yaml_scalar_is_word(name))
		return true;
	diag_error(loading->diagnostics, FAULT_USER, position, "'%.*s' cannot be the name of a resource",
		   SLICE_ARGUMENTS(slice_first(name, SHOWN_BYTES)));
	if (loading_is_name(name))
		diag_hint(loading->diagnostics,
			  "where something refers to it by that name, YAML reads true, false or null: "
			  "give it another one, such as '%.*s1'",
			  SLICE_ARGUMENTS(name));
	else
		diag_hint(loading->diagnostics, LOADING_NAME_RULE);
	return false;
}

static void collect_resource(struct loading *loading, const struct kind *kind, const struct value_member *member,
			     bool shared)
{
	static const struct value nothing = {.type = VALUE_MAP};
	struct resource *resource = &loading->resources[loading->resource_count];
	struct entry *entry = &loading->entries[loading->resource_count];
	struct slice name = value_slice(&member->key);
	const struct resource *earlier;

	if (!check_name(loading, name, member->key.position))
		return;
	resource->kind = kind;
	resource->position = member->key.position;
	resource->address = make_address(loading->arena, kind, name);
	resource->name = slice_from(resource->address, resource->address.size - name.size);
	earlier = (const struct resource *)map_add(loading->addresses, resource->address, resource);
	if (earlier) {
		report_repeat(loading, resource, earlier);
		return;
	}
	entry->block = member->value.type == VALUE_MAP ? &member->value : &nothing;
	entry->shared = shared;
	entry->refused = !loading_map(loading, resource->address.data, &member->value);
	loading->resource_count++;
}

/* The kind of a top-level member, or NULL for sections and what is neither. */
static const struct kind *member_kind(const struct loading *loading, const struct value_member *member)
{
	return sections_have(value_slice(&member->key)) ? NULL : kinds_find(loading->kinds, value_slice(&member->key));
}

static size_t count_resources(const struct loading *loading)
{
	size_t count = 0;

	for (size_t i = 0; i < loading->root_count; i++) {
		for (size_t k = 0; k < loading->roots[i].map->count; k++) {
			const struct value_member *member = &loading->roots[i].map->members[k];

			if (member->value.type == VALUE_MAP && member_kind(loading, member))
				count += member->value.count;
		}
	}
	return count;
}

/* One state for each member of each block. */
static void make_states(struct loading *loading)
{
	size_t count = 0;

	for (size_t i = 0; i < loading->resource_count; i++) {
		loading->entries[i].first_state = (uint32_t)count;
		count += loading->entries[i].block->count;
	}
	loading->states = arena_new_array(&loading->working, count + 1, uint8_t);
}

void resources_collect(struct loading *loading)
{
	size_t most = count_resources(loading);

	loading->resources = arena_new_array(loading->arena, most, struct resource);
	loading->entries = arena_new_array(&loading->working, most + 1, struct entry);
	map_reserve(loading->addresses, most);
	/* Most resources refer to one other. */
	loading->meeting_capacity = most + 1;
	loading->meetings = arena_new_array(&loading->working, loading->meeting_capacity, struct meeting);
	for (size_t i = 0; i < loading->root_count; i++) {
		for (size_t k = 0; k < loading->roots[i].map->count; k++) {
			const struct value_member *member = &loading->roots[i].map->members[k];
			const struct kind *kind = member_kind(loading, member);
			const struct value *map = kind ? loading_map(loading, kind->name, &member->value) : NULL;

			for (size_t j = 0; map && j < map->count; j++)
				collect_resource(loading, kind, &map->members[j], loading->roots[i].shared);
		}
	}
	make_states(loading);
}

/* Evaluates every field. Returns how many members of the block are none, but meta fields. */
static uint32_t evaluate(struct loading *loading, uint32_t index)
{
	const struct fields *fields = &loading->resources[index].kind->fields;
	const struct entry *entry = &loading->entries[index];
	const struct value *block = entry->block;
	uint32_t meta_count = 0;

	for (uint32_t i = 0; i < block->count; i++) {
		const struct field *field = field_named(fields, value_slice(&block->members[i].key));

		if (!field && meta_field_read(loading, index, &block->members[i])) {
			loading->states[entry->first_state + i] = FIELD_META;
			meta_count++;
		} else {
			references_resolve(loading, index, i, field);
		}
	}
	return meta_count;
}

/* The fields alone, as evaluated; shares with the text what it can. */
static struct value given_fields(struct loading *loading, uint32_t index, uint32_t meta_count)
{
	const struct entry *entry = &loading->entries[index];
	struct value given = value_at(*entry->block, loading->resources[index].position);
	struct value_member *fields;

	if (entry->fields)
		given.members = entry->fields;
	if (meta_count == 0)
		return given;
	fields = arena_new_array(loading->arena, given.count, struct value_member);
	given.count = 0;
	for (uint32_t i = 0; i < entry->block->count; i++) {
		if (loading->states[entry->first_state + i] != FIELD_META)
			fields[given.count++] = given.members[i];
	}
	given.members = fields;
	return given;
}

/*
 * Of what was refused as a whole: the fields that fit by themselves, so that a mistake in one does not hide what
 * another has to do with other resources. Those that do not are unread: nothing is known of them.
 */
static struct value what_fits(struct loading *loading, const struct kind *kind, const struct value *given)
{
	VALUE_BUILDER_AUTO fitting;
	struct arena scratch;

	value_builder_init(&fitting);
	arena_init(&scratch);
	for (uint32_t i = 0; given->type == VALUE_MAP && i < given->count; i++) {
		struct slice name = value_slice(&given->members[i].key);
		const struct field *field = field_named(&kind->fields, name);
		const struct fields alone = {field, 1, sizeof(*field)};
		const struct value single = value_map(&given->members[i], 1);
		struct value canonical = single;
		struct diagnostics unsaid;

		if (!field)
			continue;
		diagnostics_init(&unsaid, &scratch);
		if (!schema_check_fields(&alone, kind->name, &single, loading->arena, &canonical, &unsaid))
			value_builder_member(&fitting, name,
					     value_at(value_unread(), given->members[i].value.position));
		else if (canonical.count > 0)
			value_builder_member(&fitting, name, canonical.members[0].value);
		diagnostics_release(&unsaid);
		arena_reset(&scratch);
	}
	arena_release(&scratch);
	return value_at(value_builder_map(&fitting, loading->arena), given->position);
}

/*
 * What the kind's own rules are held against where some fields were refused: one mistake hides no other. Those are
 * unread as a whole, and so is a field that stands there misspelt: of these nothing more is said.
 */
static struct value what_is_known(struct loading *loading, const struct kind *kind, const struct value *given,
				  const struct value *desired)
{
	VALUE_BUILDER_AUTO known;

	value_builder_init(&known);
	for (uint32_t i = 0; i < desired->count; i++) {
		struct value value = desired->members[i].value;

		if (value_has_unread(&value))
			value = value_at(value_unread(), value.position);
		value_builder_member(&known, value_slice(&desired->members[i].key), value);
	}
	for (size_t i = 0; i < kind->fields.count; i++) {
		const struct field *field = field_at(&kind->fields, i);

		if (!value_get_named(desired, field->name) && schema_is_misspelt(&kind->fields, field, given))
			value_builder_member(&known, slice_of(field->name), value_at(value_unread(), given->position));
	}
	return value_at(value_builder_map(&known, loading->arena), desired->position);
}

static void check(struct loading *loading, struct resource *resource, const struct kind_facts *facts,
		  const struct value *given)
{
	const struct kind *kind = resource->kind;
	const struct value *asked = &resource->desired;
	struct value known;
	bool refused = false;

	if (facts->has_secrets)
		loading_redact_fields(loading, &kind->fields, given);
	else
		loading_redact_made(loading, given);
	if (!schema_check(kind, given, loading->arena, &resource->desired, loading->diagnostics)) {
		resource->desired = what_fits(loading, kind, given);
		refused = true;
	}
	/* Another form of the same is as secret. */
	loading_redact_made(loading, &resource->desired);
	if (!kind->check || given->type != VALUE_MAP)
		return;
	if (refused || (loading->diagnostics->error_count > 0 && value_has_unread(&resource->desired))) {
		known = what_is_known(loading, kind, given, &resource->desired);
		asked = &known;
	}
	kind->check(kind, asked, loading->diagnostics);
}

static struct kind_facts facts_of(struct loading *loading, const struct kind *kind)
{
	if (loading->facts.kind != kind)
		loading->facts = (struct kind_facts){
			.kind = kind,
			.provider = kind_provider(kind),
			.has_secrets = schema_has_secrets(&kind->fields),
			.follows = references_any_follow(kind),
			.tags = default_tags_field(kind),
		};
	return loading->facts;
}

static void complete(struct loading *loading, uint32_t index)
{
	struct resource *resource = &loading->resources[index];
	const struct kind_facts facts = facts_of(loading, resource->kind);
	size_t diagnostics_before = loading->diagnostics->count;
	uint32_t meta_count;
	struct value given;

	resource->provider = facts.provider;
	meta_count = evaluate(loading, index);
	given = given_fields(loading, index, meta_count);
	if (facts.follows)
		references_follow(loading, index, &given);
	if (facts.tags)
		given = default_tags_add(loading, resource, facts.tags, &given);
	if (loading->entries[index].refused)
		resource->desired = value_at(value_map(NULL, 0), given.position);
	else
		check(loading, resource, &facts, &given);
	secret_keys_check(loading, index);
	dependencies_finish(loading, index);
	if (loading->diagnostics->count > diagnostics_before)
		loading_name_resource(loading, diagnostics_before, resource);
}

void resources_complete(struct loading *loading)
{
	for (size_t i = 0; i < loading->resource_count; i++)
		complete(loading, (uint32_t)i);
}
