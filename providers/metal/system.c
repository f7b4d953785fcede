#include "providers/metal/system.h"

#include "base/buffer.h"
#include "base/hex.h"
#include "reconcile/schema.h"

enum { UNTOLD_BYTES = 512 };

static const struct {
	const char *name, *value;
	bool moving;
} powers[] = {
	{"On", "on", false},
	{"Off", "off", false},
	{"PoweringOn", "on", true},
	{"PoweringOff", "off", true},
};

struct metal_power metal_power_read(const struct value *system)
{
	struct slice name = value_slice(value_get_named(system, "PowerState"));

	for (size_t i = 0; i < sizeof(powers) / sizeof(powers[0]); i++)
		if (slice_is(name, powers[i].name))
			return (struct metal_power){name, slice_of(powers[i].value), powers[i].moving};
	return (struct metal_power){name, name, false};
}

static const struct value *reset_action(const struct value *system)
{
	return value_get_named(value_get_named(system, "Actions"), "#ComputerSystem.Reset");
}

static const struct value *list_of(const struct value *map, const char *name)
{
	const struct value *list = value_get_named(map, name);

	return value_is(list, VALUE_LIST) ? list : NULL;
}

const struct value *metal_reset_types(const struct value *system)
{
	return list_of(reset_action(system), "ResetType@Redfish.AllowableValues");
}

struct slice metal_reset_info(const struct value *system)
{
	return value_slice(value_get_named(reset_action(system), "@Redfish.ActionInfo"));
}

const struct value *metal_info_types(const struct value *info)
{
	const struct value *parameters = list_of(info, "Parameters");

	for (uint32_t i = 0; parameters && i < parameters->count; i++)
		if (slice_is(value_slice(value_get_named(&parameters->items[i], "Name")), "ResetType"))
			return list_of(&parameters->items[i], "AllowableValues");
	return NULL;
}

bool metal_reset_allows(const struct value *types, const char *reset_type)
{
	if (!types)
		return true;
	for (uint32_t i = 0; i < types->count; i++)
		if (slice_is(value_slice(&types->items[i]), reset_type))
			return true;
	return false;
}

struct slice metal_reset_target(const struct value *system)
{
	return value_slice(value_get_named(reset_action(system), "target"));
}

struct value metal_system_copy(const struct value *system, struct arena *arena)
{
	static const char *const names[] = {"PowerState", "SerialNumber",  "Manufacturer",    "Model",
					    "UUID",	  "MemorySummary", "ProcessorSummary"};
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct value *value = value_get_named(system, names[i]);

		if (value)
			value_builder_member(&builder, slice_of(names[i]), value_copy(arena, value));
	}
	return value_builder_map(&builder, arena);
}

struct slice metal_mac(struct slice text, struct arena *arena)
{
	static const char digits[] = "0123456789abcdef";
	enum { DIGITS = 12, SIZE = 17 };
	char mac[SIZE];
	size_t count = 0;
	int any = 0;

	for (size_t i = 0; i < text.size; i++) {
		int digit = hex_digit(text.data[i]);

		if (digit < 0 && (text.data[i] == ':' || text.data[i] == '-' || text.data[i] == '.'))
			continue;
		if (digit < 0 || count == DIGITS)
			return (struct slice){NULL, 0};
		any |= digit;
		mac[count + count / 2] = digits[digit];
		if (count % 2 == 1 && count + 1 < DIGITS)
			mac[count + count / 2 + 1] = ':';
		count++;
	}
	/* Zeros alone stand where a slot has no card. */
	return count == DIGITS && any ? arena_copy(arena, (struct slice){mac, SIZE}) : (struct slice){NULL, 0};
}

/* An empty text, and what is no text, is not told. */
static struct value told_text(const struct value *value)
{
	struct slice text = slice_trim(value_slice(value));

	return text.size > 0 ? value_string(text) : value_null();
}

/* Some controllers write whole numbers as text. */
static struct value told_number(const struct value *value)
{
	int64_t number;

	if (slice_integer(slice_trim(value_slice(value)), &number))
		return number > 0 ? value_integer(number) : value_null();
	bool positive = value && ((value_is(value, VALUE_INTEGER) && value->integer > 0) ||
				  (value_is(value, VALUE_NUMBER) && value->number > 0));

	return positive ? *value : value_null();
}

static struct value read_text(const struct metal_findings *findings, const char *path, struct arena *arena)
{
	(void)arena;
	return told_text(value_path(findings->system, path));
}

/* In the letters that are recorded, if it is the same number: some controllers write it otherwise after an update. */
static struct value read_uuid(const struct metal_findings *findings, const char *path, struct arena *arena)
{
	const struct value *recorded = value_get_named(findings->outputs, "uuid");
	struct value told = read_text(findings, path, arena);
	bool same = recorded && slice_equal_caseless(value_slice(recorded), value_slice(&told));

	return same && value_slice(&told).size > 0 ? *recorded : told;
}

static struct value read_number(const struct metal_findings *findings, const char *path, struct arena *arena)
{
	(void)arena;
	return told_number(value_path(findings->system, path));
}

static struct value read_power(const struct metal_findings *findings, const char *path, struct arena *arena)
{
	struct metal_power power = metal_power_read(findings->system);

	(void)path;
	(void)arena;
	return power.value.size > 0 ? value_string(power.value) : value_null();
}

static struct value read_processors(const struct metal_findings *findings, const char *path, struct arena *arena)
{
	const struct value *summary = value_get_named(findings->system, path);
	struct value count = told_number(value_get_named(summary, "Count"));
	struct value model = told_text(value_get_named(summary, "Model"));
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	if (!value_is(&count, VALUE_NULL))
		value_builder_member(&builder, SLICE("count"), count);
	if (!value_is(&model, VALUE_NULL))
		value_builder_member(&builder, SLICE("model"), model);
	return builder.count > 0 ? value_builder_map(&builder, arena) : value_null();
}

static struct value read_macs(const struct metal_findings *findings, const char *path, struct arena *arena)
{
	(void)path;
	(void)arena;
	return findings->macs ? *findings->macs : value_null();
}

static struct value read_fixed(const struct metal_findings *findings, const char *path, struct arena *arena)
{
	const struct value *value = value_get_named(findings->fixed, path);

	(void)arena;
	return value ? *value : value_null();
}

static struct value read_id(const struct metal_findings *findings, const char *path, struct arena *arena)
{
	(void)path;
	return value_string(
		arena_format(arena, "%.*s%.*s", SLICE_ARGUMENTS(findings->base), SLICE_ARGUMENTS(findings->path)));
}

static struct value read_path(const struct metal_findings *findings, const char *path, struct arena *arena)
{
	(void)path;
	(void)arena;
	return value_string(findings->path);
}

/* Where each field and output comes from: a path in the controller's answer, or what the function knows. */
struct origin {
	const char *name;
	struct value (*read)(const struct metal_findings *findings, const char *path, struct arena *arena);
	const char *path;
};

static const struct origin field_origins[] = {
	{"controller", read_fixed, "controller"},
	{"system", read_fixed, "system"},
	{"power", read_power, NULL},
	{"serial", read_text, "SerialNumber"},
	{"manufacturer", read_text, "Manufacturer"},
	{"model", read_text, "Model"},
	{"memory_gib", read_number, "MemorySummary.TotalSystemMemoryGiB"},
	{"processors", read_processors, "ProcessorSummary"},
	{"macs", read_macs, NULL},
};

static const struct origin output_origins[] = {
	{"id", read_id, NULL},
	{"uuid", read_uuid, "UUID"},
	{"serial", read_text, "SerialNumber"},
	{"manufacturer", read_text, "Manufacturer"},
	{"model", read_text, "Model"},
	{"power", read_power, NULL},
	{"macs", read_macs, NULL},
	{"system", read_path, NULL},
};

/* Members that are wanted of an object and not told. */
static struct value with_unread_members(const struct value *told, const struct value *wanted, struct arena *arena)
{
	if (!wanted || !value_is(wanted, VALUE_MAP) || !value_is(told, VALUE_MAP))
		return *told;
	VALUE_BUILDER_AUTO builder;
	value_builder_init(&builder);
	value_builder_members(&builder, told);
	for (uint32_t i = 0; i < wanted->count; i++)
		if (!value_get(told, value_slice(&wanted->members[i].key)))
			value_builder_member(&builder, value_slice(&wanted->members[i].key), value_unread());
	return value_builder_map(&builder, arena);
}

static struct value read_fields(const struct metal_findings *findings, const struct value *matters,
				struct arena *scratch, struct buffer *untold)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (size_t i = 0; i < sizeof(field_origins) / sizeof(field_origins[0]); i++) {
		const struct origin *origin = &field_origins[i];
		const struct value *wanted = value_get_named(matters, origin->name);
		const struct value *before = value_get_named(findings->observed, origin->name);
		struct value value = origin->read(findings, origin->path, scratch);

		value = with_unread_members(&value, wanted, scratch);
		value = with_unread_members(&value, before, scratch);
		if ((wanted || before) && value_is(&value, VALUE_NULL) && origin->read != read_fixed)
			value = value_unread();
		if (value_has_unread(&value))
			buffer_format(untold, "%s'%s'", untold->size > 0 ? ", " : "", origin->name);
		if (!value_is(&value, VALUE_NULL))
			value_builder_member(&builder, slice_of(origin->name), value);
	}
	struct value fields = value_builder_map(&builder, scratch);
	return schema_canonical_fields(&metal_machine.fields, &fields, scratch);
}

static struct value read_outputs(const struct metal_findings *findings, struct arena *scratch)
{
	VALUE_BUILDER_AUTO builder;

	value_builder_init(&builder);
	for (size_t i = 0; i < sizeof(output_origins) / sizeof(output_origins[0]); i++) {
		const struct origin *origin = &output_origins[i];
		const struct field *field = field_named(&metal_machine.fields, slice_of(origin->name));
		struct value value = origin->read(findings, origin->path, scratch);

		if (field)
			value = schema_canonical(field, &value, scratch);
		if (value_is(&value, VALUE_NULL) && value_get_named(findings->outputs, origin->name))
			value = value_unread();
		if (!value_is(&value, VALUE_NULL))
			value_builder_member(&builder, slice_of(origin->name), value);
	}
	return value_builder_map(&builder, scratch);
}

void metal_live_fill(const struct metal_findings *findings, const struct value *matters, struct arena *arena,
		     struct live *live, struct slice *ret_untold)
{
	struct metal_power power = metal_power_read(findings->system);
	struct arena scratch;
	BUFFER_AUTO untold;

	arena_init(&scratch);
	buffer_init(&untold, UNTOLD_BYTES);
	struct value fields = read_fields(findings, matters, &scratch, &untold);
	struct value outputs = read_outputs(findings, &scratch);
	struct value id = read_id(findings, NULL, &scratch);
	live->presence = PRESENCE_PRESENT;
	live->readiness = power.moving ? READY_PENDING : READY;
	live->state = arena_copy(arena, power.name);
	live->provider_id = arena_copy(arena, value_slice(&id));
	live->fields = value_copy(arena, &fields);
	live->outputs = value_copy(arena, &outputs);
	*ret_untold = arena_copy(arena, buffer_slice(&untold));
	arena_release(&scratch);
}
