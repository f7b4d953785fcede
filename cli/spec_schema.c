#include "cli/spec_schema.h"

#include "base/buffer.h"
#include "base/json.h"
#include "base/value_put.h"
#include "specs/section_fields.h"

enum { DESCRIPTION_LIMIT_BYTES = 4096 };

static void put_text(struct value_builder *builder, const char *name, const char *text)
{
	if (text)
		put(builder, name, value_text(text));
}

static struct value one_member(struct arena *arena, const char *name, struct value value)
{
	struct value_member *member = arena_new(arena, struct value_member);

	*member = (struct value_member){value_text(name), value};
	return value_map(member, 1);
}

/* A field that is not required may be null, which is as if it were not there; so may a block. */
static void put_type_name(struct value_builder *builder, const char *type, bool or_null, struct arena *arena)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	value_builder_item(&list, value_text(type));
	value_builder_item(&list, value_text("null"));
	put(builder, "type", or_null ? value_builder_list(&list, arena) : value_text(type));
}

/* "${...}" somewhere in a text. */
static struct value expression(struct arena *arena)
{
	return one_member(arena, "$ref", value_text("#/definitions/expression"));
}

static struct value field_schema(const struct field *field, bool or_null, struct arena *arena);

static void add_fields(struct value_builder *properties, struct value_builder *required, const struct fields *fields,
		       struct arena *arena)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct field *field = field_at(fields, i);
		bool is_required = (field->flags & REQUIRED) != 0;

		put(properties, field->name, field_schema(field, !is_required, arena));
		if (is_required)
			value_builder_item(required, value_text(field->name));
	}
}

/* more: fields beside those, or NULL. */
static void put_properties(struct value_builder *builder, const struct fields *fields, const struct fields *more,
			   struct arena *arena)
{
	VALUE_BUILDER_AUTO properties;
	VALUE_BUILDER_AUTO required;

	value_builder_init(&properties);
	value_builder_init(&required);
	add_fields(&properties, &required, fields, arena);
	if (more)
		add_fields(&properties, &required, more, arena);
	put(builder, "properties", value_builder_map(&properties, arena));
	if (required.count > 0)
		put(builder, "required", value_builder_list(&required, arena));
	put(builder, "additionalProperties", value_bool(false));
}

static void put_choices(struct value_builder *builder, const struct field *field, bool or_null, struct arena *arena)
{
	VALUE_BUILDER_AUTO list;

	value_builder_init(&list);
	for (const char *const *choice = field->choices; *choice; choice++)
		value_builder_item(&list, value_text(*choice));
	if (or_null)
		value_builder_item(&list, value_null());
	put(builder, "enum", value_builder_list(&list, arena));
}

/* The words are for editors: other validators leave them alone, as they do with what they do not know. */
static void put_pattern(struct value_builder *builder, const struct field *field, struct arena *arena)
{
	put(builder, "pattern", value_string(arena_format(arena, "^(?:%s)$", field->pattern)));
	put(builder, "patternErrorMessage", value_string(arena_format(arena, "write %s", field->in_words)));
}

static void put_string(struct value_builder *builder, const struct field *field, bool or_null, struct arena *arena)
{
	put_type_name(builder, "string", or_null, arena);
	if (field->choices)
		put_choices(builder, field, or_null, arena);
	if (field->pattern)
		put_pattern(builder, field, arena);
	if (field->most > 0) {
		put(builder, "minLength", value_integer(field->least > 0 ? 1 : 0));
		put(builder, "maxLength", value_integer(field->most));
	}
}

static void put_number(struct value_builder *builder, const struct field *field, const char *type, bool or_null,
		       struct arena *arena)
{
	put_type_name(builder, type, or_null, arena);
	if (field->least != 0 || field->most != 0) {
		put(builder, "minimum", value_integer(field->least));
		put(builder, "maximum", value_integer(field->most));
	}
}

static void put_items(struct value_builder *builder, const struct field *field, bool or_null, struct arena *arena)
{
	put_type_name(builder, "array", or_null, arena);
	put(builder, "items", field_schema(field->item, false, arena));
	if (field->least > 0)
		put(builder, "minItems", value_integer(field->least));
	if (field->most > 0)
		put(builder, "maxItems", value_integer(field->most));
}

static void put_type(struct value_builder *builder, const struct field *field, bool or_null, struct arena *arena)
{
	switch (field->type) {
	case FIELD_STRING:
		put_string(builder, field, or_null, arena);
		break;
	case FIELD_INTEGER:
		put_number(builder, field, "integer", or_null, arena);
		break;
	case FIELD_NUMBER:
		put_number(builder, field, "number", or_null, arena);
		break;
	case FIELD_BOOL:
		put_type_name(builder, "boolean", or_null, arena);
		break;
	case FIELD_CIDR4:
	case FIELD_CIDR6:
	case FIELD_CIDR:
	case FIELD_ADDRESS:
	case FIELD_REFERENCE:
		put_type_name(builder, "string", or_null, arena);
		break;
	case FIELD_JSON:
		break;
	case FIELD_OBJECT:
		put_type_name(builder, "object", or_null, arena);
		put_properties(builder, &field->members, NULL, arena);
		break;
	case FIELD_LIST:
	case FIELD_SET:
		put_items(builder, field, or_null, arena);
		break;
	case FIELD_MAP:
		put_type_name(builder, "object", or_null, arena);
		put(builder, "additionalProperties", field_schema(field->item, true, arena));
		break;
	}
}

/* A field whose plain form would not admit the text of an expression. */
static bool needs_expression(const struct field *field)
{
	bool text = field->type == FIELD_STRING && !field->pattern && !field->choices && field->most == 0;

	return !text && field->type != FIELD_REFERENCE && field->type != FIELD_JSON && field->type != FIELD_CIDR4 &&
	       field->type != FIELD_CIDR6 && field->type != FIELD_CIDR && field->type != FIELD_ADDRESS;
}

/*
 * An expression stands for any value. What is none is held against the one form that is left: a choice of forms
 * (anyOf) would have an editor say that none fits, and not what is wrong.
 */
static struct value field_schema(const struct field *field, bool or_null, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	VALUE_BUILDER_AUTO outer;

	value_builder_init(&builder);
	value_builder_init(&outer);
	put_type(&builder, field, or_null, arena);
	if (!needs_expression(field)) {
		put_text(&builder, "description", field->about);
		return value_builder_map(&builder, arena);
	}
	put_text(&outer, "description", field->about);
	put(&outer, "if", expression(arena));
	put(&outer, "else", value_builder_map(&builder, arena));
	return value_builder_map(&outer, arena);
}

/* A part that is the same for every kind. */
static struct value written_here(struct arena *arena, struct slice text)
{
	struct diagnostics bugs;
	struct value read = value_bool(true);

	diagnostics_init(&bugs, arena);
	if (!json_read(arena, text, false, text.size, "schema", &read, &bugs))
		read = value_bool(true);
	diagnostics_release(&bugs);
	return read;
}

/* What any resource may have beside the fields of its kind. */
static const struct field name_of_field = {.name = "field", .type = FIELD_STRING};
static const struct field address = {.name = "address", .type = FIELD_STRING};
static const struct field lifecycle_fields[] = {
	{.name = "protect", .type = FIELD_BOOL, .about = "refuse whatever would delete it"},
	{.name = "create_before_destroy", .type = FIELD_BOOL, .about = "a replace makes the new one first"},
	{.name = "ignore", .type = FIELD_LIST, .item = &name_of_field, .about = "fields that are left to others"},
};
static const struct field meta_field_rows[] = {
	{.name = "lifecycle",
	 .type = FIELD_OBJECT,
	 .members = FIELDS(lifecycle_fields),
	 .about = "what becomes of it when it changes or goes"},
	{.name = "provider", .type = FIELD_STRING, .about = "the alias of a provider by which it goes"},
	{.name = "depends_on",
	 .type = FIELD_LIST,
	 .item = &address,
	 .about = "addresses of what is there before it, where no field refers to that"},
};
static const struct fields meta_fields = FIELDS(meta_field_rows);

/* What references may name beside the fields. Validators leave the word alone, as they do with what they do not know.
 */
static struct value outputs_of(const struct kind *kind, struct arena *arena)
{
	VALUE_BUILDER_AUTO outputs;

	value_builder_init(&outputs);
	for (size_t i = 0; i < kind->outputs.count; i++) {
		const struct output *output = output_at(&kind->outputs, i);

		put(&outputs, output->name, value_text(output->about ? output->about : ""));
	}
	return value_builder_map(&outputs, arena);
}

/* Editors show it beside the kind's name. */
static struct value described(const struct kind *kind, struct arena *arena)
{
	BUFFER_AUTO text;

	buffer_init(&text, DESCRIPTION_LIMIT_BYTES);
	buffer_format(&text, "%s; outputs:", kind->about);
	for (size_t i = 0; i < kind->outputs.count; i++)
		buffer_format(&text, "%s %s", i > 0 ? "," : "", output_at(&kind->outputs, i)->name);
	return value_string(arena_copy(arena, buffer_slice(&text)));
}

static struct value kind_schema(const struct kind *kind, struct arena *arena)
{
	VALUE_BUILDER_AUTO resource;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&resource);
	value_builder_init(&builder);
	put_type_name(&resource, "object", true, arena);
	put_properties(&resource, &kind->fields, &meta_fields, arena);
	put_type_name(&builder, "object", true, arena);
	put(&builder, "description", described(kind, arena));
	put(&builder, "outputs", outputs_of(kind, arena));
	put(&builder, "additionalProperties", value_builder_map(&resource, arena));
	return value_builder_map(&builder, arena);
}

/* "aws" and aliases of it, "aws.east". */
static struct value providers_schema(const struct providers *providers, struct arena *arena)
{
	VALUE_BUILDER_AUTO patterns;
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&patterns);
	value_builder_init(&builder);
	for (size_t i = 0; i < providers->count; i++) {
		struct slice pattern =
			arena_format(arena, "^%s(\\.[A-Za-z_][A-Za-z0-9_-]*)?$", providers->items[i]->name);
		VALUE_BUILDER_AUTO settings;

		value_builder_init(&settings);
		put_type_name(&settings, "object", true, arena);
		put_properties(&settings, &providers->items[i]->settings, NULL, arena);
		value_builder_member(&patterns, pattern, value_builder_map(&settings, arena));
	}
	put_type_name(&builder, "object", true, arena);
	put(&builder, "patternProperties", value_builder_map(&patterns, arena));
	put(&builder, "additionalProperties", value_bool(false));
	return value_builder_map(&builder, arena);
}

/* What is no map is short for a default. */
static struct value variables_schema(struct arena *arena)
{
	static const char text[] =
		"{\"type\":[\"object\",\"null\"],\"additionalProperties\":{\"additionalProperties\":false,"
		"\"properties\":{"
		"\"type\":{\"enum\":[\"string\",\"integer\",\"number\",\"bool\",\"list\",\"map\",\"any\"],"
		"\"description\":\"what its values are\"},"
		"\"default\":{\"description\":\"its value where none is given\"},"
		"\"secret\":{\"type\":\"boolean\",\"description\":\"its value is shown nowhere\"},"
		"\"about\":{\"description\":\"what it is for\"}}}}";

	return written_here(arena, SLICE(text));
}

static struct value settings_schema(struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	put_type_name(&builder, "object", true, arena);
	put_properties(&builder, &settings_fields, NULL, arena);
	return value_builder_map(&builder, arena);
}

/* Maps of names to a range or a list of ranges. An expression may stand for all of it, or for a part. */
static struct value address_space_schema(struct arena *arena)
{
	static const char part[] = "{\"type\":[\"object\",\"null\"],\"additionalProperties\":{"
				   "\"type\":[\"string\",\"array\"],\"items\":{\"type\":\"string\"}}}";
	VALUE_BUILDER_AUTO parts;
	VALUE_BUILDER_AUTO builder;
	VALUE_BUILDER_AUTO outer;

	value_builder_init(&parts);
	value_builder_init(&builder);
	value_builder_init(&outer);
	for (size_t i = 0; i < address_space_fields.count; i++) {
		const struct field *field = field_at(&address_space_fields, i);
		VALUE_BUILDER_AUTO one;

		value_builder_init(&one);
		put_text(&one, "description", field->about);
		put(&one, "if", expression(arena));
		put(&one, "else", written_here(arena, SLICE(part)));
		put(&parts, field->name, value_builder_map(&one, arena));
	}
	put_type_name(&builder, "object", true, arena);
	put(&builder, "properties", value_builder_map(&parts, arena));
	put(&builder, "additionalProperties", value_bool(false));
	put(&outer, "if", expression(arena));
	put(&outer, "else", value_builder_map(&builder, arena));
	return value_builder_map(&outer, arena);
}

/* Of the user's choice are their names, within a rule (loading_is_name()), and what they hold. */
static struct value outputs_schema(struct arena *arena)
{
	static const char text[] = "{\"type\":[\"object\",\"null\"],"
				   "\"propertyNames\":{\"pattern\":\"^[A-Za-z_][A-Za-z0-9_-]*$\"}}";

	return written_here(arena, SLICE(text));
}

struct value spec_schema(const struct kinds *kinds, const struct providers *providers, struct arena *arena)
{
	VALUE_BUILDER_AUTO builder;
	VALUE_BUILDER_AUTO properties;
	VALUE_BUILDER_AUTO text;

	value_builder_init(&builder);
	value_builder_init(&properties);
	value_builder_init(&text);
	put_text(&text, "type", "string");
	put_text(&text, "pattern", "\\$\\{");
	put_text(&text, "description", "an expression");
	put(&properties, "stack", one_member(arena, "type", value_text("string")));
	put(&properties, "providers", providers_schema(providers, arena));
	put(&properties, "vars", variables_schema(arena));
	put(&properties, "outputs", outputs_schema(arena));
	put(&properties, "settings", settings_schema(arena));
	put(&properties, "address_space", address_space_schema(arena));
	for (size_t i = 0; i < kinds->count; i++)
		put(&properties, kinds->items[i]->name, kind_schema(kinds->items[i], arena));
	put_text(&builder, "$schema", "http://json-schema.org/draft-07/schema#");
	put_text(&builder, "title", "trueup spec");
	put_text(&builder, "type", "object");
	put(&builder, "properties", value_builder_map(&properties, arena));
	put(&builder, "additionalProperties", value_bool(false));
	put(&builder, "definitions", one_member(arena, "expression", value_builder_map(&text, arena)));
	return value_builder_map(&builder, arena);
}
