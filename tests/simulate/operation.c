#include "tests/simulate/operation.h"

#include <stddef.h>
#include <string.h>

static bool begins_with_one(const char *operation, const char *const *verbs)
{
	for (; *verbs; verbs++)
		if (strncmp(operation, *verbs, strlen(*verbs)) == 0)
			return true;
	return false;
}

bool operation_changes(const char *operation)
{
	static const char *const reads[] = {"Describe", "Get", "List", NULL};

	return !begins_with_one(operation, reads);
}

bool operation_creates(const char *operation)
{
	static const char *const creates[] = {"Create", "RunInstances", "ImportKeyPair", NULL};

	return begins_with_one(operation, creates);
}

bool operation_sets_tags(const char *operation)
{
	static const char *const setting[] = {"CreateTags", "CreateOrUpdateTags", NULL};

	return slice_is_one_of(slice_of(operation), setting);
}

bool operation_adds(const char *operation, struct slice body)
{
	static const struct {
		const char *operation, *member;
	} adding[] = {
		{"AssignIpv6Addresses", "Ipv6AddressCount="},
		{"AssociateVpcCidrBlock", "AmazonProvidedIpv6CidrBlock="},
	};

	for (size_t i = 0; i < sizeof(adding) / sizeof(adding[0]); i++)
		if (strcmp(operation, adding[i].operation) == 0 && slice_contains(body, slice_of(adding[i].member)))
			return true;
	return false;
}

bool operation_is_slow(const char *operation)
{
	static const char *const slow[] = {"RunInstances", "CreateVpnConnection", NULL};

	return slice_is_one_of(slice_of(operation), slow);
}

bool operation_refers(const char *operation)
{
	static const char *const alone[] = {"CreateVpc",
					    "CreateInternetGateway",
					    "CreateVpnGateway",
					    "CreateCustomerGateway",
					    "CreateKeyPair",
					    "ImportKeyPair",
					    NULL};

	return !slice_is_one_of(slice_of(operation), alone);
}
