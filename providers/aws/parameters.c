#include "providers/aws/parameters.h"

#include <inttypes.h>
#include <assert.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/map.h"
#include "providers/aws/aws.h"
#include "providers/aws/shape.h"
#include "reconcile/schema.h"

void aws_parameter_add(struct aws_parameters *parameters, const char *path, struct value value)
{
	/* An encoder that has nothing to say of a value gives null. */
	if (value_is(&value, VALUE_NULL))
		return;
	assert(parameters->count < sizeof(parameters->items) / sizeof(parameters->items[0]));
	parameters->items[parameters->count++] = (struct aws_parameter){path, value};
}

const struct aws_operation_shape *aws_operation_of(const struct aws_kind *kind, const char *operation)
{
	return aws_operation(aws_service(slice_of(kind->service)), slice_of(operation));
}

struct slice aws_next_page(const struct aws_kind *kind, const char *operation, const struct value *answer)
{
	struct slice member = aws_operation_of(kind, operation)->pages.output_token;
	return member.size > 0 ? value_slice(value_get(answer, member)) : (struct slice){0};
}

static struct value fixed_value(const struct aws_shape *shape, const char *text)
{
	int64_t integer;
	if (shape && shape->type == AWS_BOOLEAN)
		return value_bool(strcmp(text, "true") == 0);
	if (shape && (shape->type == AWS_INTEGER || shape->type == AWS_LONG) && slice_integer(slice_of(text), &integer))
		return value_integer(integer);
	return value_text(text);
}

void aws_parameters_fixed(struct aws_parameters *parameters, const struct aws_kind *kind, const char *operation,
			  const char *const *fixed)
{
	const struct aws_operation_shape *shape = fixed ? aws_operation_of(kind, operation) : NULL;
	for (; shape && fixed[0]; fixed += 2)
		aws_parameter_add(parameters, fixed[0], fixed_value(aws_shape_at(shape->input, fixed[0]), fixed[1]));
}

struct value aws_constant(const char *text, struct arena *arena)
{
	struct value value = value_null();
	struct diagnostics bugs;
	diagnostics_init(&bugs, arena);
	if (!json_read(arena, slice_of(text), false, 4096, "a constant", &value, &bugs))
		value = value_null();
	diagnostics_release(&bugs);
	return value;
}

/* The first part of a path; *ret_rest: what comes behind its dot, or NULL at the end. */
static struct slice head_of(const char *path, const char **ret_rest)
{
	const char *dot = strchr(path, '.');
	*ret_rest = dot ? dot + 1 : NULL;
	return dot ? (struct slice){path, (size_t)(dot - path)} : slice_of(path);
}

/* How many share the head of the first; *ret_nested: whether one of them lies deeper. */
static size_t count_kin(const struct aws_parameter *items, size_t count, struct slice head, bool *ret_nested)
{
	size_t kin = 0;
	*ret_nested = false;
	for (size_t i = 0; i < count; i++) {
		const char *rest;
		if (!slice_equal(head, head_of(items[i].path, &rest)))
			continue;
		*ret_nested |= rest != NULL;
		kin += rest ? 1 : value_is(&items[i].value, VALUE_MAP) ? items[i].value.count : 0;
	}
	return kin;
}

static struct value assemble(const struct aws_parameter *items, size_t count, struct arena *arena);

/* What shares a head becomes one structure; a structure given whole joins with its members. */
static struct value assemble_kin(const struct aws_parameter *items, size_t count, struct slice head, size_t kin,
				 bool *taken, struct arena *arena)
{
	struct aws_parameter *group = arena_new_array(arena, kin, struct aws_parameter);
	size_t members = 0;
	for (size_t i = 0; i < count; i++) {
		const char *rest;
		const struct value *value = &items[i].value;
		if (!slice_equal(head, head_of(items[i].path, &rest)))
			continue;
		taken[i] = true;
		if (rest)
			group[members++] = (struct aws_parameter){rest, *value};
		for (uint32_t k = 0; !rest && value_is(value, VALUE_MAP) && k < value->count; k++)
			group[members++] = (struct aws_parameter){
				arena_string(arena, value_slice(&value->members[k].key)), value->members[k].value};
	}
	return assemble(group, members, arena);
}

/* Gathers parameters that share their first part, and recurs into what is behind it. */
static struct value assemble(const struct aws_parameter *items, size_t count, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	bool numbered = false;
	bool *taken = arena_new_array(arena, count + 1, bool);
	value_builder_init(&builder);
	for (size_t i = 0; i < count; i++) {
		const char *rest;
		bool nested;
		if (taken[i])
			continue;
		struct slice head = head_of(items[i].path, &rest);
		size_t kin = count_kin(items + i, count - i, head, &nested);
		struct value value =
			nested ? assemble_kin(items + i, count - i, head, kin, taken + i, arena) : items[i].value;
		numbered = head.size > 0 && head.data[0] >= '0' && head.data[0] <= '9';
		if (numbered)
			value_builder_item(&builder, value);
		else
			value_builder_member(&builder, head, value);
	}
	return numbered ? value_builder_list(&builder, arena) : value_builder_map(&builder, arena);
}

struct value aws_parameters_value(const struct aws_parameters *parameters, struct arena *arena)
{
	return assemble(parameters->items, parameters->count, arena);
}

void aws_encode_members(const struct fields *fields, const struct value *item, enum aws_members which,
			struct aws_parameters *parameters, struct arena *arena)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct aws_field *field = aws_field_at(fields, i);
		const struct value *value = value_get_named(item, field->field.name);
		const char *path = which == AWS_MEMBERS_CHANGE && field->change ? field->change : field->member;
		if (!value || value_is(value, VALUE_NULL) || !path || strcmp(path, "-") == 0)
			continue;
		if (which == AWS_MEMBERS_KEYS && !(field->field.flags & KEY))
			continue;
		aws_parameter_add(parameters, path, aws_encode(field, value, arena));
	}
}

static struct value encode_object(const struct fields *members, const struct value *value, struct arena *arena)
{
	struct aws_parameters parameters = {.count = 0};
	aws_encode_members(members, value, AWS_MEMBERS_ALL, &parameters, arena);
	return aws_parameters_value(&parameters, arena);
}

static struct value encode_items(const struct aws_field *field, const struct value *value, struct arena *arena)
{
	const struct aws_field *item = (const struct aws_field *)field->field.item;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < value->count; i++) {
		struct value encoded = aws_encode(item, &value->items[i], arena);
		/* Some lists wrap each scalar: [{Value: x}]. */
		if (item->member) {
			struct aws_parameters wrapped = {.count = 0};
			aws_parameter_add(&wrapped, item->member, encoded);
			encoded = aws_parameters_value(&wrapped, arena);
		}
		value_builder_item(&builder, encoded);
	}
	return value_builder_list(&builder, arena);
}

struct value aws_encode(const struct aws_field *field, const struct value *value, struct arena *arena)
{
	if (field->encode)
		return field->encode(field, value, arena);
	if (field->field.type == FIELD_OBJECT && value_is(value, VALUE_MAP))
		return encode_object(&field->field.members, value, arena);
	if ((field->field.type == FIELD_LIST || field->field.type == FIELD_SET) && value_is(value, VALUE_LIST))
		return encode_items(field, value, arena);
	if (field->field.type == FIELD_MAP && value_is(value, VALUE_MAP))
		return aws_encode_tags(value, NULL, arena);
	return *value;
}

struct value aws_encode_change(const struct aws_field *field, const struct value *value, struct arena *arena)
{
	return field->encode_change ? field->encode_change(field, value, arena) : aws_encode(field, value, arena);
}

static struct value decode_object(const struct fields *members, const struct value *item, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (size_t i = 0; i < members->count; i++) {
		const struct aws_field *member = aws_field_at(members, i);
		struct value value = aws_decode(member, item, arena);
		if (!value_is(&value, VALUE_NULL))
			value_builder_member(&builder, slice_of(member->field.name), value);
	}
	return value_builder_map(&builder, arena);
}

static struct value decode_items(const struct aws_field *field, const struct value *list, struct arena *arena)
{
	const struct aws_field *item = (const struct aws_field *)field->field.item;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct value *one = &list->items[i];
		if (item->decode) {
			value_builder_item(&builder, item->decode(item, one, arena));
			continue;
		}
		if (item->field.type == FIELD_OBJECT) {
			value_builder_item(&builder, decode_object(&item->field.members, one, arena));
			continue;
		}
		const char *path = item->read ? item->read : item->member;
		const struct value *scalar = path ? value_path(one, path) : one;
		if (scalar)
			value_builder_item(&builder, *scalar);
	}
	return value_builder_list(&builder, arena);
}

static struct value decode_present(const struct aws_field *field, const struct value *value, struct arena *arena)
{
	if (field->field.type == FIELD_OBJECT && value_is(value, VALUE_MAP))
		return decode_object(&field->field.members, value, arena);
	if ((field->field.type == FIELD_LIST || field->field.type == FIELD_SET) && value_is(value, VALUE_LIST))
		return decode_items(field, value, arena);
	if (field->field.type == FIELD_MAP && value_is(value, VALUE_LIST))
		return aws_decode_tags(value, arena);
	/* Where nothing is set, the query protocol often answers with an empty element. */
	if (value_is(value, VALUE_STRING) && value->count == 0)
		return value_null();
	return *value;
}

struct value aws_decode(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const char *path = field->read ? field->read : field->member;
	if (field->decode)
		return field->decode(field, item, arena);
	if (!path || strcmp(path, "-") == 0)
		return value_null();
	const struct value *found = value_path(item, path);
	struct value value = found ? decode_present(field, found, arena) : value_null();
	return field->missing && value_is(&value, VALUE_NULL) ? aws_constant(field->missing, arena) : value;
}

static bool is_reserved_key(struct slice key)
{
	return slice_starts_with(key, SLICE(OWNERSHIP_PREFIX)) || slice_starts_with(key, SLICE("aws:"));
}

/* A key that comes twice counts once, as any element of an answer: a map that has it twice cannot be read back. */
struct value aws_decode_tags(const struct value *tags, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	struct map seen;
	value_builder_init(&builder);
	map_init(&seen);
	for (uint32_t i = 0; tags && value_is(tags, VALUE_LIST) && i < tags->count; i++) {
		const struct value *key = value_get_named(&tags->items[i], "Key");
		const struct value *value = value_get_named(&tags->items[i], "Value");
		if (key && !is_reserved_key(value_slice(key)) && map_mark(&seen, value_slice(key)))
			value_builder_member(&builder, value_slice(key), value ? *value : value_text(""));
	}
	map_release(&seen);
	return value_builder_map(&builder, arena);
}

static struct ownership aws_decode_ownership(const struct value *tags)
{
	struct ownership ownership = {0};
	const struct {
		const char *key;
		struct slice *text;
	} keys[] = {
		{AWS_LINEAGE_TAG, &ownership.lineage},
		{OWNERSHIP_PREFIX "object", &ownership.object_id},
		{OWNERSHIP_PREFIX "intent", &ownership.intent},
		{OWNERSHIP_PREFIX "generation", &ownership.generation},
		{ADDRESS_TAG, &ownership.address},
	};
	for (uint32_t i = 0; tags && value_is(tags, VALUE_LIST) && i < tags->count; i++) {
		const struct value *key = value_get_named(&tags->items[i], "Key");
		const struct value *value = value_get_named(&tags->items[i], "Value");
		for (size_t k = 0; key && value && k < sizeof(keys) / sizeof(keys[0]); k++)
			if (slice_is(value_slice(key), keys[k].key))
				*keys[k].text = value_slice(value);
	}
	return ownership;
}

bool aws_is_stripped(const struct ownership *ownership)
{
	return ownership->lineage.size == 0 || ownership->object_id.size == 0 || ownership->address.size == 0;
}

static void add_tag(struct value_builder *builder, struct slice key, struct value value, struct arena *arena)
{
	struct value_member *members = arena_new_array(arena, 2, struct value_member);
	members[0] = (struct value_member){value_text("Key"), value_string(key)};
	members[1] = (struct value_member){value_text("Value"), value};
	value_builder_item(builder, value_map(members, 2));
}

struct slice aws_address_tag(const struct tagging *tagging)
{
	return slice_first(tagging->address, ADDRESS_TAG_MOST);
}

struct value aws_encode_tags(const struct value *tags, const struct tagging *tagging, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (uint32_t i = 0; tags && value_is(tags, VALUE_MAP) && i < tags->count; i++)
		add_tag(&builder, value_slice(&tags->members[i].key), tags->members[i].value, arena);
	if (tagging) {
		add_tag(&builder, SLICE(AWS_LINEAGE_TAG), value_string(tagging->lineage), arena);
		add_tag(&builder, SLICE(OWNERSHIP_PREFIX "object"), value_string(tagging->object_id), arena);
		if (tagging->intent.size > 0)
			add_tag(&builder, SLICE(OWNERSHIP_PREFIX "intent"), value_string(tagging->intent), arena);
		struct slice generation = arena_format(arena, "%" PRId64, tagging->generation);
		add_tag(&builder, SLICE(OWNERSHIP_PREFIX "generation"), value_string(generation), arena);
		add_tag(&builder, SLICE(ADDRESS_TAG), value_string(aws_address_tag(tagging)), arena);
	}
	return value_builder_list(&builder, arena);
}

static void decode_state(const struct aws_states *states, const struct value *item, struct arena *arena,
			 struct live *ret)
{
	ret->presence = PRESENCE_PRESENT;
	ret->readiness = READY;
	const struct value *state = states->member ? value_path(item, states->member) : NULL;
	if (!state)
		return;
	ret->state = value_slice(state);
	if (slice_is_one_of(ret->state, states->gone))
		ret->presence = PRESENCE_ABSENT;
	else if (slice_is_one_of(ret->state, states->leaving))
		ret->presence = PRESENCE_LEAVING;
	else if (slice_is_one_of(ret->state, states->pending))
		ret->readiness = READY_PENDING;
	else if (slice_is_one_of(ret->state, states->failed))
		ret->readiness = READY_FAILED;
	struct slice reason = states->reason ? value_slice(value_path(item, states->reason)) : (struct slice){0};
	if (reason.size > 0 && ret->presence != PRESENCE_LEAVING && ret->readiness != READY_PENDING)
		ret->state = arena_format(arena, "%.*s (%.*s)", SLICE_ARGUMENTS(ret->state), SLICE_ARGUMENTS(reason));
}

static struct value decode_outputs(const struct aws_kind *kind, const struct value *item, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (size_t i = 0; i < kind->kind.outputs.count; i++) {
		const struct aws_output *output = (const struct aws_output *)output_at(&kind->kind.outputs, i);
		const struct value *found = output->read ? value_path(item, output->read) : NULL;
		struct value value = output->decode ? output->decode(item, arena) : found ? *found : value_null();
		value.secret |= output->output.secret;
		if (!value_is(&value, VALUE_NULL))
			value_builder_member(&builder, slice_of(output->output.name), value);
	}
	return value_builder_map(&builder, arena);
}

static struct value decode_dead(const struct aws_kind *kind, const struct value *item, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	for (size_t i = 0; i < kind->kind.fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		struct value dead = field->dead ? field->dead(item, arena) : value_null();
		dead = schema_canonical(&field->field, &dead, arena);
		if (!value_is(&dead, VALUE_NULL))
			value_builder_member(&builder, slice_of(field->field.name), dead);
	}
	return value_builder_map(&builder, arena);
}

void aws_decode_live(const struct aws_kind *kind, const struct value *item, struct arena *arena, struct live *ret)
{
	const struct value *tags = kind->tags_member ? value_path(item, kind->tags_member) : NULL;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	*ret = (struct live){0};
	decode_state(&kind->states, item, arena, ret);
	ret->ownership = aws_decode_ownership(tags);
	ret->ownership.is_stripped = kind->tags_member && aws_is_stripped(&ret->ownership);
	for (size_t i = 0; i < kind->kind.fields.count; i++) {
		const struct aws_field *field = aws_field_at(&kind->kind.fields, i);
		bool is_tags = strcmp(field->field.name, "tags") == 0 && field->field.type == FIELD_MAP;
		struct value value = is_tags && kind->tags_member ? aws_decode_tags(tags, arena)
				     : field->detail		  ? value_null()
								  : aws_decode(field, item, arena);
		value = schema_canonical(&field->field, &value, arena);
		if (!value_is(&value, VALUE_NULL))
			value_builder_member(&builder, slice_of(field->field.name), value);
	}
	ret->fields = value_builder_map(&builder, arena);
	ret->outputs = decode_outputs(kind, item, arena);
	ret->running = kind->running ? kind->running(item, arena) : value_null();
	ret->uses = kind->uses ? kind->uses(item, arena) : value_null();
	ret->dead = decode_dead(kind, item, arena);
	if (kind->readiness && ret->presence == PRESENCE_PRESENT)
		ret->readiness = kind->readiness(item, ret->readiness);
	const struct output *id = output_at(&kind->kind.outputs, 0);
	const struct value *provider_id = value_get_named(&ret->outputs, id->name);
	ret->provider_id = provider_id ? value_slice(provider_id) : (struct slice){0};
}
