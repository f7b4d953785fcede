#include "providers/aws/kinds/holding_instances.h"

/* https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html */
static const char *const by_group[] = {"Filters.0.Name", "network-interface.group-id", NULL};
static const char *const by_subnet[] = {"Filters.0.Name", "network-interface.subnet-id", NULL};

static struct value ids_of(const struct value *answer, struct arena *arena)
{
	const struct value *reservations = value_get_named(answer, "Reservations");
	VALUE_BUILDER_AUTO ids;

	value_builder_init(&ids);
	for (uint32_t i = 0; value_is(reservations, VALUE_LIST) && i < reservations->count; i++) {
		const struct value *instances = value_get_named(&reservations->items[i], "Instances");

		for (uint32_t k = 0; value_is(instances, VALUE_LIST) && k < instances->count; k++) {
			const struct value *id = value_get_named(&instances->items[k], "InstanceId");

			if (value_is(id, VALUE_STRING))
				value_builder_item(&ids, *id);
		}
	}
	return value_builder_list(&ids, arena);
}

#define INSTANCES(filter)                                                                                              \
	{                                                                                                              \
		.one = "instance", .many = "instances", .operation = "DescribeInstances", .fixed = (filter),           \
		.id = "Filters.0.Values.0", .ids = ids_of                                                              \
	}
const struct aws_holders aws_group_holders = INSTANCES(by_group);
const struct aws_holders aws_subnet_holders = INSTANCES(by_subnet);
