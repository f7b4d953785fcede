#include "providers/aws/kinds/launch_rules.h"

#include <inttypes.h>

#include "providers/aws/kinds/field_rules.h"

static const char *const one_time[] = {"one-time", NULL};
static const char *const no_reservation[] = {"open", "none", NULL};

static const struct field_rule rules[] = {
	/* "Supported only for persistent requests."
	 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_SpotMarketOptions.html) A request is of one time
	 * where nothing is said (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestSpotInstances.html,
	 * Type). */
	{{{"market.valid_until", NULL, false}, {"market.spot_type", one_time, true}},
	 "only a persistent spot request has a 'valid_until'",
	 "leave out 'valid_until', or write 'spot_type: persistent'"},
	/* "You can only specify CapacityReservationPreference and CapacityReservationTarget if the
	 * CapacityReservationPreference is capacity-reservations-only."
	 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservationSpecification.html) */
	{{{"capacity_reservation.preference", no_reservation, false},
	  {"capacity_reservation.reservation", NULL, false}},
	 "this 'preference' names no reservation, but 'reservation' does",
	 "write 'preference: capacity-reservations-only', or leave out one of the two"},
	{{{"capacity_reservation.preference", no_reservation, false},
	  {"capacity_reservation.resource_group", NULL, false}},
	 "this 'preference' names no reservations, but 'resource_group' does",
	 "write 'preference: capacity-reservations-only', or leave out one of the two"},
	/* "Both the core count and threads per core must be specified in the request."
	 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CpuOptionsRequest.html) */
	{{{"cpu.cores", NULL, false}, {"cpu.threads_per_core", aws_never, true}},
	 "'cores' needs 'threads_per_core' beside it",
	 "add 'threads_per_core': 1, or 2 as most types have it"},
	{{{"cpu.threads_per_core", NULL, false}, {"cpu.cores", aws_never, true}},
	 "'threads_per_core' needs 'cores' beside it",
	 "add 'cores': as many as the instance type has, or fewer"},
};

/*
 * Sizes and operations a second by type
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html), and which need and which take the
 * latter: "Required for io1 and io2 volumes. Optional for gp3 volumes. Omit for all other volume types."
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html). There too: throughput is "Supported
 * for gp3 volumes only."
 */
static const struct volume_type {
	const char *name;
	int64_t size_least, size_most;
	int64_t iops_least, iops_most; /* 0: it takes none */
	bool needs_iops, takes_throughput;
} volume_types[] = {
	{"gp2", 1, 16384, 0, 0, false, false},	    {"gp3", 1, 65536, 3000, 80000, false, true},
	{"io1", 4, 16384, 100, 64000, true, false}, {"io2", 4, 65536, 100, 256000, true, false},
	{"sc1", 125, 16384, 0, 0, false, false},    {"st1", 125, 16384, 0, 0, false, false},
	{"standard", 1, 1024, 0, 0, false, false},
};

static const struct volume_type *type_of(const struct value *device)
{
	const struct value *type = value_get_named(device, "type");

	for (size_t i = 0; value_is(type, VALUE_STRING) && i < sizeof(volume_types) / sizeof(volume_types[0]); i++)
		if (slice_is(value_slice(type), volume_types[i].name))
			return &volume_types[i];
	return NULL;
}

static bool check_range(const struct value *device, const char *name, const struct volume_type *type, int64_t least,
			int64_t most, struct diagnostics *diagnostics)
{
	const struct value *number = value_get_named(device, name);

	if (!value_is(number, VALUE_INTEGER) || (number->integer >= least && number->integer <= most))
		return true;
	diag_error(diagnostics, FAULT_USER, number->position, "'%s' of a volume of type %s cannot be %" PRId64, name,
		   type->name, number->integer);
	diag_related(diagnostics, value_get_named(device, "type")->position, "its type is said here");
	diag_hint(diagnostics, "AWS takes %" PRId64 " to %" PRId64, least, most);
	return false;
}

static bool refuse_of_type(const struct value *device, const char *name, const struct volume_type *type,
			   const char *hint, struct diagnostics *diagnostics)
{
	const struct value *value = value_get_named(device, name);

	if (!value_is(value, VALUE_INTEGER))
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "a volume of type %s takes no '%s'", type->name, name);
	diag_related(diagnostics, value_get_named(device, "type")->position, "its type is said here");
	diag_hint(diagnostics, "%s", hint);
	return false;
}

static bool check_volume(const struct value *device, struct diagnostics *diagnostics)
{
	const struct value *suppressed = value_get_named(device, "suppressed");
	const struct volume_type *type = type_of(device);
	bool good;

	/* Of a device that is left out nothing else counts. */
	if (!type || (suppressed && (!value_is(suppressed, VALUE_BOOL) || value_is_true(suppressed))))
		return true;
	good = check_range(device, "size_gib", type, type->size_least, type->size_most, diagnostics);
	if (type->iops_most > 0)
		good = check_range(device, "iops", type, type->iops_least, type->iops_most, diagnostics) && good;
	else
		good = refuse_of_type(device, "iops", type, "leave it out, or take a type that does: gp3, io1 or io2",
				      diagnostics) &&
		       good;
	if (!type->takes_throughput)
		good = refuse_of_type(device, "throughput_mib_s", type, "leave it out, or write 'type: gp3'",
				      diagnostics) &&
		       good;
	if (type->needs_iops && !value_get_named(device, "iops")) {
		diag_error(diagnostics, FAULT_USER, value_get_named(device, "type")->position,
			   "a volume of type %s needs the field 'iops'", type->name);
		diag_hint(diagnostics, "add 'iops': operations a second, %" PRId64 " to %" PRId64, type->iops_least,
			  type->iops_most);
		good = false;
	}
	return good;
}

/* "Only one IPv4 address can be designated as primary."
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_PrivateIpAddressSpecification.html) */
static bool check_addresses(const struct value *interface, struct diagnostics *diagnostics)
{
	const struct value *list = value_get_named(interface, "addresses"), *first = NULL;

	for (uint32_t i = 0; value_is(list, VALUE_LIST) && i < list->count; i++) {
		const struct value *primary = value_get_named(&list->items[i], "primary");

		if (!value_is_true(primary))
			continue;
		if (first) {
			diag_error(diagnostics, FAULT_USER, primary->position,
				   "two of 'addresses' of one interface are 'primary'");
			diag_related(diagnostics, first->position, "the other one is here");
			diag_hint(diagnostics, "leave 'primary: true' at one of them");
			return false;
		}
		first = primary;
	}
	return true;
}

static const struct list_rule {
	const char *field;
	bool (*check)(const struct value *item, struct diagnostics *diagnostics);
} list_rules[] = {{"block_devices", check_volume}, {"interfaces", check_addresses}};

bool aws_check_launch(const struct value *desired, struct diagnostics *diagnostics)
{
	bool good = aws_check_rules(rules, sizeof(rules) / sizeof(rules[0]), desired, diagnostics);

	for (size_t i = 0; i < sizeof(list_rules) / sizeof(list_rules[0]); i++) {
		const struct value *list = value_get_named(desired, list_rules[i].field);

		for (uint32_t k = 0; value_is(list, VALUE_LIST) && k < list->count; k++)
			if (value_is(&list->items[k], VALUE_MAP))
				good = list_rules[i].check(&list->items[k], diagnostics) && good;
	}
	return good;
}
