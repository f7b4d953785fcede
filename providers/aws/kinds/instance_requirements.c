#include "providers/aws/kinds/instance_requirements.h"

#include "providers/aws/kinds/field_rules.h"

static const char *const inclusions[] = {"included", "excluded", "required", NULL};
static const char *const cpu_makers[] = {"amazon-web-services", "amd", "apple", "intel", NULL};
static const char *const generations[] = {"current", "previous", NULL};
static const char *const storage_types[] = {"hdd", "ssd", NULL};
static const char *const accelerator_types[] = {"fpga", "gpu", "inference", "media", NULL};
static const char *const accelerator_makers[] = {"amazon-web-services", "amd", "habana", "nvidia", "xilinx", NULL};

#define WORD(list)                                                                                                     \
	{                                                                                                              \
		.field = {.name = "value", .type = FIELD_STRING, .choices = (list) }                                   \
	}
static const struct aws_field text = WORD(NULL);
static const struct aws_field cpu_maker = WORD(cpu_makers);
static const struct aws_field generation = WORD(generations);
static const struct aws_field storage_type = WORD(storage_types);
static const struct aws_field accelerator_type = WORD(accelerator_types);
static const struct aws_field accelerator_maker = WORD(accelerator_makers);
static const struct aws_field family = {.field = {.name = "family", .type = FIELD_STRING}, .member = "InstanceFamily"};

/* Not less than nothing, and no more than the API's numbers hold. */
#define AMOUNT(text, of_type, path, description) NEEDED_AMOUNT(text, of_type, path, 0, description)
#define NEEDED_AMOUNT(text, of_type, path, flag, description)                                                          \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = (of_type),                                                                           \
			  .flags = (flag),                                                                             \
			  .least = 0,                                                                                  \
			  .most = INT32_MAX,                                                                           \
			  .when_unset = UNSET_CLEAR,                                                                   \
			  .about = (description)},                                                                     \
		.member = (path)                                                                                       \
	}

/* What has a least and a most has them in this order. */
const struct aws_field aws_requirement_fields[] = {
	NEEDED_AMOUNT("vcpus_min", FIELD_INTEGER, "VCpuCount.Min", REQUIRED,
		      "least number of virtual processors; 0: any"),
	AMOUNT("vcpus_max", FIELD_INTEGER, "VCpuCount.Max", "most number of virtual processors"),
	NEEDED_AMOUNT("memory_mib_min", FIELD_INTEGER, "MemoryMiB.Min", REQUIRED, "least memory; 0: any"),
	AMOUNT("memory_mib_max", FIELD_INTEGER, "MemoryMiB.Max", "most memory"),
	AMOUNT("memory_gib_per_vcpu_min", FIELD_NUMBER, "MemoryGiBPerVCpu.Min",
	       "least memory for each virtual processor"),
	AMOUNT("memory_gib_per_vcpu_max", FIELD_NUMBER, "MemoryGiBPerVCpu.Max",
	       "most memory for each virtual processor"),
	AMOUNT("interfaces_min", FIELD_INTEGER, "NetworkInterfaceCount.Min", "least number of network interfaces"),
	AMOUNT("interfaces_max", FIELD_INTEGER, "NetworkInterfaceCount.Max", "most number of network interfaces"),
	AMOUNT("bandwidth_gbit_s_min", FIELD_NUMBER, "NetworkBandwidthGbps.Min", "least network bandwidth"),
	AMOUNT("bandwidth_gbit_s_max", FIELD_NUMBER, "NetworkBandwidthGbps.Max", "most network bandwidth"),
	AMOUNT("local_storage_gb_min", FIELD_NUMBER, "TotalLocalStorageGB.Min", "least local storage in all"),
	AMOUNT("local_storage_gb_max", FIELD_NUMBER, "TotalLocalStorageGB.Max", "most local storage in all"),
	AMOUNT("ebs_bandwidth_mbit_s_min", FIELD_INTEGER, "BaselineEbsBandwidthMbps.Min", "least bandwidth to EBS"),
	AMOUNT("ebs_bandwidth_mbit_s_max", FIELD_INTEGER, "BaselineEbsBandwidthMbps.Max", "most bandwidth to EBS"),
	AMOUNT("accelerators_min", FIELD_INTEGER, "AcceleratorCount.Min", "least number of accelerators"),
	AMOUNT("accelerators_max", FIELD_INTEGER, "AcceleratorCount.Max", "most number of accelerators"),
	AMOUNT("accelerator_memory_mib_min", FIELD_INTEGER, "AcceleratorTotalMemoryMiB.Min",
	       "least memory of the accelerators"),
	AMOUNT("accelerator_memory_mib_max", FIELD_INTEGER, "AcceleratorTotalMemoryMiB.Max",
	       "most memory of the accelerators"),
	{.field = {.name = "allowed_types",
		   .type = FIELD_SET,
		   .when_unset = UNSET_CLEAR,
		   .item = &text.field,
		   .about = "types to choose from, * allowed"},
	 .member = "AllowedInstanceTypes"},
	{.field = {.name = "excluded_types",
		   .type = FIELD_SET,
		   .when_unset = UNSET_CLEAR,
		   .item = &text.field,
		   .about = "types never chosen, * allowed"},
	 .member = "ExcludedInstanceTypes"},
	{.field = {.name = "cpu_makers",
		   .type = FIELD_SET,
		   .when_unset = UNSET_CLEAR,
		   .item = &cpu_maker.field,
		   .about = "makers of the processor"},
	 .member = "CpuManufacturers"},
	{.field = {.name = "generations",
		   .type = FIELD_SET,
		   .when_unset = UNSET_CLEAR,
		   .item = &generation.field,
		   .about = "current, previous"},
	 .member = "InstanceGenerations"},
	{.field = {.name = "local_storage_types",
		   .type = FIELD_SET,
		   .when_unset = UNSET_CLEAR,
		   .item = &storage_type.field,
		   .about = "hdd, ssd"},
	 .member = "LocalStorageTypes"},
	{.field = {.name = "accelerator_types",
		   .type = FIELD_SET,
		   .when_unset = UNSET_CLEAR,
		   .item = &accelerator_type.field,
		   .about = "gpu, fpga, inference, media"},
	 .member = "AcceleratorTypes"},
	{.field = {.name = "accelerator_makers",
		   .type = FIELD_SET,
		   .when_unset = UNSET_CLEAR,
		   .item = &accelerator_maker.field,
		   .about = "makers of the accelerator"},
	 .member = "AcceleratorManufacturers"},
	{.field = {.name = "accelerator_names",
		   .type = FIELD_SET,
		   .when_unset = UNSET_CLEAR,
		   .item = &text.field,
		   .about = "names of accelerators, such as h100"},
	 .member = "AcceleratorNames"},
	{.field = {.name = "reference_families",
		   .type = FIELD_LIST,
		   .when_unset = UNSET_CLEAR,
		   .item = &family.field,
		   .about = "families whose processor is fast enough"},
	 .member = "BaselinePerformanceFactors.Cpu.References"},
	{.field = {.name = "bare_metal",
		   .type = FIELD_STRING,
		   .when_unset = UNSET_CLEAR,
		   .choices = inclusions,
		   .about = "bare metal types: included, excluded or required"},
	 .member = "BareMetal"},
	{.field = {.name = "burstable",
		   .type = FIELD_STRING,
		   .when_unset = UNSET_CLEAR,
		   .choices = inclusions,
		   .about = "burstable types: included, excluded or required"},
	 .member = "BurstablePerformance"},
	{.field = {.name = "local_storage",
		   .type = FIELD_STRING,
		   .when_unset = UNSET_CLEAR,
		   .choices = inclusions,
		   .about = "types with local storage: included, excluded or required"},
	 .member = "LocalStorage"},
	{.field = {.name = "hibernation",
		   .type = FIELD_BOOL,
		   .when_unset = UNSET_CLEAR,
		   .about = "only types that can hibernate"},
	 .member = "RequireHibernateSupport"},
	AMOUNT("spot_price_percent", FIELD_INTEGER, "SpotMaxPricePercentageOverLowestPrice",
	       "spot: percent over the lowest price"),
	AMOUNT("spot_price_of_on_demand_percent", FIELD_INTEGER, "MaxSpotPriceAsPercentageOfOptimalOnDemandPrice",
	       "spot: percent of the on-demand price"),
	AMOUNT("on_demand_price_percent", FIELD_INTEGER, "OnDemandMaxPricePercentageOverLowestPrice",
	       "on demand: percent over the lowest price"),
	{.field = {.name = "encryption_in_transit",
		   .type = FIELD_BOOL,
		   .when_unset = UNSET_CLEAR,
		   .about = "only types that encrypt what they send each other"},
	 .member = "RequireEncryptionInTransit"},
};

_Static_assert(sizeof(aws_requirement_fields) / sizeof(aws_requirement_fields[0]) == AWS_REQUIREMENT_FIELDS,
	       "the header tells how many rows there are");

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceRequirementsRequest.html, and the same for groups:
 * https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstanceRequirements.html */
static const struct field_rule rules[] = {
	/* "If you specify AllowedInstanceTypes, you can't specify ExcludedInstanceTypes." */
	{{{"allowed_types", NULL, false}, {"excluded_types", NULL, false}},
	 "requirements cannot have both 'allowed_types' and 'excluded_types'",
	 "keep one of them: what is not among 'allowed_types' is excluded already"},
	/* "Only one of SpotMaxPricePercentageOverLowestPrice or MaxSpotPriceAsPercentageOfOptimalOnDemandPrice can be
	 * specified." */
	{{{"spot_price_percent", NULL, false}, {"spot_price_of_on_demand_percent", NULL, false}},
	 "requirements cannot have both 'spot_price_percent' and 'spot_price_of_on_demand_percent'",
	 "keep one of them"},
};

static bool is_greater(const struct value *least, const struct value *most)
{
	const struct value *const ends[] = {least, most};
	double numbers[2];
	for (size_t i = 0; i < 2; i++) {
		if (!value_is(ends[i], VALUE_INTEGER) && !value_is(ends[i], VALUE_NUMBER))
			return false;
		numbers[i] = value_is(ends[i], VALUE_NUMBER) ? ends[i]->number : (double)ends[i]->integer;
	}
	return numbers[0] > numbers[1];
}

bool aws_check_requirements(const struct value *requirements, struct diagnostics *diagnostics)
{
	bool good = aws_check_rules(rules, sizeof(rules) / sizeof(rules[0]), requirements, diagnostics);

	for (size_t i = 0; requirements && i + 1 < AWS_REQUIREMENT_FIELDS; i++) {
		const char *low = aws_requirement_fields[i].field.name,
			   *high = aws_requirement_fields[i + 1].field.name;
		const struct value *least = value_get_named(requirements, low);
		if (slice_ends_with(slice_of(low), SLICE("_min")) &&
		    is_greater(least, value_get_named(requirements, high)))
			good = diag_error(diagnostics, FAULT_USER, least->position, "'%s' is greater than '%s'", low,
					  high);
	}
	return good;
}
