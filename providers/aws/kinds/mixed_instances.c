#include "providers/aws/kinds/mixed_instances.h"

#include "providers/aws/kinds/field_rules.h"
#include "providers/aws/kinds/instance_requirements.h"
#include "providers/aws/kinds/launch_fields.h"

#define TEMPLATE_FIELDS(prefix, needed)                                                                                \
	{.field = {.name = "launch_template",                                                                          \
		   .type = FIELD_REFERENCE,                                                                            \
		   .target = "aws.launch_template",                                                                    \
		   .flags = (needed),                                                                                  \
		   .when_unset = UNSET_CLEAR,                                                                          \
		   .about = "the template that instances come from"},                                                  \
	 .member = prefix "LaunchTemplateId"},                                                                         \
	{                                                                                                              \
		.field = {.name = "launch_template_version",                                                           \
			  .type = FIELD_REFERENCE,                                                                     \
			  .target = "aws.launch_template",                                                             \
			  .output = "latest_version",                                                                  \
			  .follows = "launch_template",                                                                \
			  .when_unset = UNSET_CLEAR,                                                                   \
			  .about = "its version: number, $Latest or $Default; the latest number if not given"},        \
		.member = prefix "Version"                                                                             \
	}

static const struct aws_field override_fields[] = {
	{.field = {.name = "instance_type", .type = FIELD_STRING, .when_unset = UNSET_CLEAR, .about = "a type"},
	 .member = "InstanceType"},
	{.field = {.name = "requirements",
		   .type = FIELD_OBJECT,
		   .members = {aws_requirement_fields, AWS_REQUIREMENT_FIELDS - 1, sizeof(struct aws_field)},
		   .when_unset = UNSET_CLEAR,
		   .about = "what a type must offer, in place of instance_type"},
	 .member = "InstanceRequirements"},
	{.field = {.name = "weight",
		   .type = FIELD_STRING,
		   .pattern = "[1-9][0-9]{0,2}",
		   .in_words = "a number from 1 to 999 in quotes",
		   .when_unset = UNSET_CLEAR,
		   .about = "units of capacity that one of it counts, 1 to 999, in quotes"},
	 .member = "WeightedCapacity"},
	{.field = {.name = "image", .type = FIELD_STRING, .when_unset = UNSET_CLEAR, .about = "id of another image"},
	 .member = "ImageId"},
	TEMPLATE_FIELDS("LaunchTemplateSpecification.", 0),
};
static const struct aws_field override = {
	.field = {.name = "override", .type = FIELD_OBJECT, .members = FIELDS(override_fields)},
};

static const char *const on_demand_strategies[] = {"prioritized", "lowest-price", NULL};
static const char *const spot_strategies[] = {"lowest-price", "capacity-optimized", "capacity-optimized-prioritized",
					      "price-capacity-optimized", NULL};

#define DISTRIBUTION(text, path, low, high, description)                                                               \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_INTEGER,                                                                       \
			  .least = (low),                                                                              \
			  .most = (high),                                                                              \
			  .when_unset = UNSET_RELEASE,                                                                 \
			  .about = (description)},                                                                     \
		.member = "InstancesDistribution." path                                                                \
	}
#define STRATEGY(text, path, list, description)                                                                        \
	{                                                                                                              \
		.field = {.name = (text),                                                                              \
			  .type = FIELD_STRING,                                                                        \
			  .choices = (list),                                                                           \
			  .when_unset = UNSET_RELEASE,                                                                 \
			  .about = (description)},                                                                     \
		.member = "InstancesDistribution." path                                                                \
	}

const struct aws_field aws_mixed_fields[] = {
	TEMPLATE_FIELDS("LaunchTemplate.LaunchTemplateSpecification.", REQUIRED),
	{.field = {.name = "overrides",
		   .type = FIELD_LIST,
		   .item = &override.field,
		   .most = 40,
		   .when_unset = UNSET_CLEAR,
		   .about = "types to choose from, the preferred first"},
	 .member = "LaunchTemplate.Overrides"},
	STRATEGY("on_demand_strategy", "OnDemandAllocationStrategy", on_demand_strategies,
		 "how on-demand types are chosen"),
	DISTRIBUTION("on_demand_base", "OnDemandBaseCapacity", 0, INT32_MAX, "capacity that is always on demand"),
	DISTRIBUTION("on_demand_percent", "OnDemandPercentageAboveBaseCapacity", 0, 100,
		     "percent of the rest that is on demand"),
	STRATEGY("spot_strategy", "SpotAllocationStrategy", spot_strategies, "how spot types are chosen"),
	DISTRIBUTION("spot_pools", "SpotInstancePools", 1, 20, "pools to spread over, with lowest-price"),
	{.field = {.name = "spot_max_price",
		   .type = FIELD_STRING,
		   .pattern = AWS_PRICE_PATTERN,
		   .in_words = AWS_PRICE_IN_WORDS,
		   .when_unset = UNSET_RELEASE,
		   .about = "highest price an hour, US dollars, in quotes"},
	 .member = "InstancesDistribution.SpotMaxPrice"},
};

_Static_assert(sizeof(aws_mixed_fields) / sizeof(aws_mixed_fields[0]) == AWS_MIXED_FIELDS,
	       "the header tells how many rows there are");

static bool check_override(const struct value *override_value, struct diagnostics *diagnostics)
{
	const struct value *first = value_get_named(override_value, "instance_type");
	const struct value *second = value_get_named(override_value, "requirements");
	if (value_is(override_value, VALUE_MAP) && override_value->count == 0) {
		diag_error(diagnostics, FAULT_USER, override_value->position, "an override says nothing");
		diag_hint(diagnostics, "give it an 'instance_type', or take it out");
		return false;
	}
	if (!first || !second)
		return aws_check_requirements(second, diagnostics);
	diag_error(diagnostics, FAULT_USER, second->position, "an override cannot have both '%s' and '%s'",
		   "instance_type", "requirements");
	diag_hint(diagnostics, "keep one of them");
	return false;
}

/* https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_InstancesDistribution.html */
static const char *const without_pools[] = {"capacity-optimized", "capacity-optimized-prioritized",
					    "price-capacity-optimized", NULL};
static const struct field_rule rules[] = {
	/* "Valid only when the SpotAllocationStrategy is lowest-price." */
	{{{"spot_pools", NULL, false}, {"spot_strategy", without_pools, false}},
	 "'spot_pools' goes with no other 'spot_strategy' than lowest-price",
	 "leave out 'spot_pools', or write 'spot_strategy: lowest-price'"},
};

/* Strategies that go by the order of types: the one "cannot be used for groups that do" specify InstanceRequirements,
 * the other "is not a valid value" for them. */
static const char *const prioritized[] = {"prioritized", NULL};
static const char *const spot_prioritized[] = {"capacity-optimized-prioritized", NULL};
static const struct field_rule in_order[] = {
	{{{"on_demand_strategy", prioritized, false}},
	 "'on_demand_strategy' cannot be 'prioritized' where an override has 'requirements'",
	 "write 'lowest-price', or name types by 'instance_type' in every override"},
	{{{"spot_strategy", spot_prioritized, false}},
	 "'spot_strategy' cannot be 'capacity-optimized-prioritized' where an override has 'requirements'",
	 "write 'price-capacity-optimized', or name types by 'instance_type' in every override"},
};

/* "You can specify up to four separate sets of instance requirements per Auto Scaling group."
 * (https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_LaunchTemplateOverrides.html) */
enum { SETS_MOST = 4 };

static bool check_sets(const struct value *policy, const struct value *overrides, struct diagnostics *diagnostics)
{
	int sets = 0;

	for (uint32_t i = 0; i < overrides->count; i++) {
		const struct value *one = value_get_named(&overrides->items[i], "requirements");

		if (!value_is(one, VALUE_MAP) || ++sets <= SETS_MOST)
			continue;
		diag_error(diagnostics, FAULT_USER, one->position, "a group has %d sets of 'requirements' at most",
			   SETS_MOST);
		diag_hint(diagnostics, "let one set ask for less, or make two groups");
		return false;
	}
	return sets == 0 || aws_check_rules(in_order, sizeof(in_order) / sizeof(in_order[0]), policy, diagnostics);
}

/* "If you specify a value for WeightedCapacity for one instance type, you must specify a value for WeightedCapacity for
 * all of them." (the same page) */
static bool check_weights(const struct value *overrides, struct diagnostics *diagnostics)
{
	const struct value *weight = NULL, *without = NULL;

	for (uint32_t i = 0; i < overrides->count; i++) {
		const struct value *one = &overrides->items[i], *of_one = value_get_named(one, "weight");

		if (value_is(one, VALUE_MAP) && value_is(value_get_named(one, "instance_type"), VALUE_STRING) &&
		    !of_one && !without)
			without = one;
		if (value_is(of_one, VALUE_STRING) && !weight)
			weight = of_one;
	}
	if (!weight || !without)
		return true;
	diag_error(diagnostics, FAULT_USER, without->position, "this override has no 'weight', but another has one");
	diag_related(diagnostics, weight->position, "a 'weight' is set here");
	diag_hint(diagnostics, "give each override a 'weight', or none");
	return false;
}

bool aws_check_mixed(const struct value *policy, struct diagnostics *diagnostics)
{
	const struct value *overrides = value_get_named(policy, "overrides");
	bool good = aws_check_rules(rules, sizeof(rules) / sizeof(rules[0]), policy, diagnostics);

	if (!value_is(overrides, VALUE_LIST))
		return good;
	for (uint32_t i = 0; i < overrides->count; i++)
		good &= check_override(&overrides->items[i], diagnostics);
	good &= check_weights(overrides, diagnostics);
	return check_sets(policy, overrides, diagnostics) && good;
}
