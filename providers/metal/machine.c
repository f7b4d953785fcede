#include "providers/metal/address.h"
#include "providers/metal/metal.h"

/* The kind metal.machine. Its fields are named as people name them; system.c knows Redfish's names. */

/* An address with a fault in it is shown no further than this. */
enum { SHOWN_BYTES = 80 };

static bool check_controller(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	struct slice text = value_slice(value), shown = value_shown(value, SHOWN_BYTES);
	struct metal_address address;
	const char *problem;

	if (metal_address_read(text, &address, &problem))
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' %s: '%.*s'", field->name, problem,
		   SLICE_ARGUMENTS(shown));
	diag_hint(diagnostics, "write it like https://10.0.0.5, or like https://10.0.0.5/redfish/v1/Systems/1 for one "
			       "of several systems");
	return false;
}

static struct value controller_form(const struct value *value, struct arena *arena)
{
	struct value form = value_string(metal_address_form(value_slice(value), arena));

	return value->secret ? *value : form;
}

/* Also as a record of before there was one form has it. */
static bool is_same_controller(struct slice a, struct slice b)
{
	struct arena scratch;
	bool same;

	arena_init(&scratch);
	same = slice_equal(metal_address_form(a, &scratch), metal_address_form(b, &scratch));
	arena_release(&scratch);
	return same;
}

static bool check_mac(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	struct slice text = value_slice(value), shown = value_shown(value, SHOWN_BYTES);

	(void)field;
	if (pattern_matches("[0-9a-f]{2}(:[0-9a-f]{2}){5}", text))
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%.*s' is not a MAC address as it is written here",
		   SLICE_ARGUMENTS(shown));
	diag_hint(diagnostics, "write six pairs of hexadecimal digits in lower case with colons between them, in "
			       "quotes: \"00:5c:52:31:3a:9c\"");
	return false;
}

static const struct field mac = {.name = "mac", .type = FIELD_STRING, .check = check_mac, .about = "a MAC address"};

static const struct field processor_fields[] = {
	{.name = "count",
	 .type = FIELD_INTEGER,
	 .least = 1,
	 .most = 4096,
	 .when_unset = UNSET_RELEASE,
	 .about = "processors in sockets, not cores"},
	{.name = "model",
	 .type = FIELD_STRING,
	 .most = 256,
	 .when_unset = UNSET_RELEASE,
	 .about = "their model, as the controller names it"},
};

static const char *const power_choices[] = {"on", "off", NULL};

static const struct field fields[] = {
	/* No machine knows the address under which we reach it: another one is compared with the record. */
	{.name = "controller",
	 .type = FIELD_STRING,
	 .flags = REQUIRED | IMMUTABLE | NAMES | IDENTIFIES | WRITE_ONLY,
	 .check = check_controller,
	 .form = controller_form,
	 .same = is_same_controller,
	 .about = "https:// address of the baseboard controller, or of one system on it"},
	{.name = "system",
	 .type = FIELD_STRING,
	 .flags = IMMUTABLE | IDENTIFIES | WRITE_ONLY,
	 .pattern = "[A-Za-z0-9._~-]{1,128}",
	 .in_words = "the id that the controller lists it under: up to 128 letters, digits and . _ ~ -",
	 .when_unset = UNSET_RELEASE,
	 .about = "id of the system, where the controller has several"},
	{.name = "power",
	 .type = FIELD_STRING,
	 .choices = power_choices,
	 .when_unset = UNSET_RELEASE,
	 .about = "\"on\" or \"off\", in quotes; left as it is where it is not given"},
	{.name = "serial",
	 .type = FIELD_STRING,
	 .flags = FIXED,
	 .when_unset = UNSET_RELEASE,
	 .most = 256,
	 .about = "serial number that it must have"},
	{.name = "manufacturer",
	 .type = FIELD_STRING,
	 .flags = FIXED,
	 .when_unset = UNSET_RELEASE,
	 .most = 256,
	 .about = "manufacturer that it must have"},
	{.name = "model",
	 .type = FIELD_STRING,
	 .flags = FIXED,
	 .when_unset = UNSET_RELEASE,
	 .most = 256,
	 .about = "model that it must be"},
	{.name = "memory_gib",
	 .type = FIELD_NUMBER,
	 .flags = FIXED,
	 .when_unset = UNSET_RELEASE,
	 .about = "memory that it must have, in GiB, as the controller counts it"},
	{.name = "processors",
	 .type = FIELD_OBJECT,
	 .flags = FIXED,
	 .when_unset = UNSET_RELEASE,
	 .members = FIELDS(processor_fields),
	 .about = "processors that it must have"},
	{.name = "macs",
	 .type = FIELD_SET,
	 .flags = FIXED,
	 .when_unset = UNSET_RELEASE,
	 .item = &mac,
	 .about = "MAC addresses of all its network interfaces"},
};

static const char *const renews_power[] = {"power", NULL};

static const struct output outputs[] = {
	{.name = "id", .about = "URL of the system"},
	{.name = "uuid", .tells_apart = true, .about = "UUID of the system"},
	{.name = "serial", .tells_apart = true, .about = "serial number"},
	{.name = "manufacturer", .about = "manufacturer"},
	{.name = "model", .about = "model"},
	{.name = "power", .about = "on or off", .renewed_by = renews_power},
	{.name = "macs", .tells_apart = true, .about = "MAC addresses of its network interfaces"},
	{.name = "system", .about = "path of the system on its controller"},
};

/* A machine is looked at before anything is made, so where it is must be known then. */
static bool is_known(const struct value *desired, const char *name, struct diagnostics *diagnostics)
{
	const struct value *value = value_get_named(desired, name);

	if (!value || !value_has_deferred(value))
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' cannot depend on what another resource gives", name);
	diag_hint(diagnostics, "write the value itself, or take it from a variable");
	return false;
}

static bool check(const struct kind *kind, const struct value *desired, struct diagnostics *diagnostics)
{
	const struct value *controller = value_get_named(desired, "controller");
	const struct value *system = value_get_named(desired, "system");
	struct metal_address address;
	const char *problem;

	(void)kind;
	if (!is_known(desired, "controller", diagnostics) || !is_known(desired, "system", diagnostics))
		return false;
	if (!controller || !system || !metal_address_read(value_slice(controller), &address, &problem) ||
	    address.system.size == 0)
		return true;
	diag_error(diagnostics, FAULT_USER, system->position, "'controller' names the system already");
	diag_related(diagnostics, controller->position, "here");
	diag_hint(diagnostics, "leave out 'system', or the path of 'controller'");
	return false;
}

static const char *const which_machine[] = {"controller", "system", NULL};

const struct kind metal_machine = {
	.name = "metal.machine",
	.about = "a machine that is there, through its baseboard controller (Redfish)",
	.version = 1,
	.fields = FIELDS(fields),
	.outputs = FIELDS(outputs),
	.found = true,
	.told_apart_by = which_machine,
	.check = check,
};

static const struct field setting_fields[] = {
	{.name = "user", .type = FIELD_STRING, .about = "user of the controllers"},
	{.name = "password", .type = FIELD_STRING, .flags = SECRET, .about = "that user's password"},
	{.name = PASSWORD_VARIABLE,
	 .type = FIELD_STRING,
	 .pattern = "[A-Za-z_][A-Za-z0-9_]*",
	 .in_words = "the name of an environment variable: letters, digits and _, the first no digit",
	 .about = "name of the environment variable that holds the password"},
	{.name = "ca_file",
	 .type = FIELD_STRING,
	 .about = "PEM file of the authorities that signed their certificates; a relative path begins at the spec"},
	{.name = "insecure", .type = FIELD_BOOL, .about = "accept any certificate: whoever stands between may listen"},
	{.name = "allow_plain", .type = FIELD_BOOL, .about = "accept http:// addresses: the password travels in clear"},
	{.name = "endpoint",
	 .type = FIELD_STRING,
	 .flags = IDENTIFIES,
	 .about = "sim: or sim:FILE for the simulator; else as TRUEUP_METAL_ENDPOINT or AWS_ENDPOINT_URL says"},
};

static const struct kind *const kinds[] = {&metal_machine};

const struct provider metal_provider = {
	.name = "metal",
	.about = "bare-metal machines over Redfish",
	.kinds = kinds,
	.kind_count = sizeof(kinds) / sizeof(kinds[0]),
	.settings = FIELDS(setting_fields),
	.check = metal_check,
	.open = metal_open,
	.close = metal_close,
	.settings_of = metal_settings_of,
	.expect = metal_expect,
	.identify = metal_identify,
	.list = metal_list,
	.needs_detail = metal_needs_detail,
	.detail = metal_detail,
	.advance = metal_advance,
	.prepare = metal_prepare,
	.interpret = metal_interpret,
	.limits = metal_limits,
};
