#include "tests/simulate/target.h"

#include <string.h>

#include "tests/simulate/operation.h"

#define AS_IT_COMES (-1)
#define WISH(species, other, parts)                                                                                    \
	{                                                                                                              \
		(species), {(other), SPECIES_COUNT}, (parts), AS_IT_COMES, FEATURE_NONE, 0                             \
	}
#define ROW(operation, species, turn)                                                                                  \
	{                                                                                                              \
		(operation), WISH(species, SPECIES_COUNT, AS_IT_COMES), (turn), 2                                      \
	}
#define ROW_WITH(operation, species, other, parts, turn)                                                               \
	{                                                                                                              \
		(operation), WISH(species, other, parts), (turn), 2                                                    \
	}
/* Of what mostly comes once in a seed, or not at all, nothing is passed over. */
#define ONCE(operation, species, turn)                                                                                 \
	{                                                                                                              \
		(operation), WISH(species, SPECIES_COUNT, AS_IT_COMES), (turn), 1                                      \
	}
#define ONCE_WITH(operation, species, other, parts, turn)                                                              \
	{                                                                                                              \
		(operation), WISH(species, other, parts), (turn), 1                                                    \
	}
/* The feature's field has the value of that side before it is turned. */
#define TURNED(operation, species, feature, side)                                                                      \
	{                                                                                                              \
		(operation), {(species), {SPECIES_COUNT, SPECIES_COUNT}, AS_IT_COMES, AS_IT_COMES, (feature), (side)}, \
			TURN_FEATURE, 1                                                                                \
	}
/* The same, of what comes more than once in a seed. */
#define READ_TURNED(operation, species, feature, side)                                                                 \
	{                                                                                                              \
		(operation), {(species), {SPECIES_COUNT, SPECIES_COUNT}, AS_IT_COMES, AS_IT_COMES, (feature), (side)}, \
			TURN_FEATURE, 2                                                                                \
	}
#define DISK_ROW(step, one_in)                                                                                         \
	{                                                                                                              \
		(step), WISH(SPECIES_VPC, SPECIES_COUNT, AS_IT_COMES), TURN_NONE, (one_in)                             \
	}

static const struct target_row rows[] = {
	ROW("CreateVpc", SPECIES_VPC, TURN_NONE),
	ROW("ModifyVpcAttribute", SPECIES_VPC, TURN_PARTS),
	ONCE("DeleteVpc", SPECIES_VPC, TURN_DESTROY),
	ROW("CreateSubnet", SPECIES_SUBNET, TURN_NONE),
	ROW("DeleteSubnet", SPECIES_SUBNET, TURN_REMOVAL),
	ROW("CreateSecurityGroup", SPECIES_GROUP, TURN_NONE),
	ROW("AuthorizeSecurityGroupIngress", SPECIES_GROUP, TURN_PARTS),
	ROW("RevokeSecurityGroupIngress", SPECIES_GROUP, TURN_PARTS),
	ROW("DeleteSecurityGroup", SPECIES_GROUP, TURN_RENEWAL),
	ROW("CreateInternetGateway", SPECIES_INTERNET_GATEWAY, TURN_NONE),
	ROW("AttachInternetGateway", SPECIES_INTERNET_GATEWAY, TURN_NONE),
	ONCE("DetachInternetGateway", SPECIES_INTERNET_GATEWAY, TURN_REMOVAL),
	ONCE("DeleteInternetGateway", SPECIES_INTERNET_GATEWAY, TURN_REMOVAL),
	ROW("CreateRouteTable", SPECIES_ROUTE_TABLE, TURN_NONE),
	ROW_WITH("CreateRoute", SPECIES_ROUTE_TABLE, SPECIES_VPN_GATEWAY, AS_IT_COMES, TURN_PARTS),
	ONCE_WITH("DeleteRoute", SPECIES_ROUTE_TABLE, SPECIES_VPN_GATEWAY, AS_IT_COMES, TURN_PARTS),
	ROW_WITH("AssociateRouteTable", SPECIES_ROUTE_TABLE, SPECIES_COUNT, 1, TURN_PARTS),
	ONCE_WITH("DisassociateRouteTable", SPECIES_ROUTE_TABLE, SPECIES_COUNT, 3, TURN_PARTS),
	ONCE("DeleteRouteTable", SPECIES_ROUTE_TABLE, TURN_REMOVAL),
	ROW("CreateVpnGateway", SPECIES_VPN_GATEWAY, TURN_NONE),
	ROW("AttachVpnGateway", SPECIES_VPN_GATEWAY, TURN_NONE),
	ONCE("DetachVpnGateway", SPECIES_VPN_GATEWAY, TURN_REMOVAL),
	ONCE("DeleteVpnGateway", SPECIES_VPN_GATEWAY, TURN_REMOVAL),
	ONCE_WITH("EnableVgwRoutePropagation", SPECIES_VPN_GATEWAY, SPECIES_ROUTE_TABLE, 1, TURN_NONE),
	ONCE_WITH("DisableVgwRoutePropagation", SPECIES_VPN_GATEWAY, SPECIES_ROUTE_TABLE, 1, TURN_PARTS),
	ROW("CreateCustomerGateway", SPECIES_CUSTOMER_GATEWAY, TURN_NONE),
	ROW("DeleteCustomerGateway", SPECIES_CUSTOMER_GATEWAY, TURN_RENEWAL),
	ONCE("CreateVpnConnection", SPECIES_VPN_CONNECTION, TURN_NONE),
	ONCE("CreateVpnConnectionRoute", SPECIES_VPN_CONNECTION, TURN_PARTS),
	ONCE("DeleteVpnConnectionRoute", SPECIES_VPN_CONNECTION, TURN_PARTS),
	ONCE("DeleteVpnConnection", SPECIES_VPN_CONNECTION, TURN_REMOVAL),
	ROW("ImportKeyPair", SPECIES_KEY_PAIR, TURN_RENEWAL),
	ROW("CreateKeyPair", SPECIES_SHOWN_KEY, TURN_NONE),
	ROW("DeleteKeyPair", SPECIES_KEY_PAIR, TURN_RENEWAL),
	ROW("CreateLaunchTemplate", SPECIES_TEMPLATE, TURN_NONE),
	ONCE("CreateLaunchTemplateVersion", SPECIES_TEMPLATE, TURN_PARTS),
	ONCE("ModifyLaunchTemplate", SPECIES_TEMPLATE, TURN_PARTS),
	ONCE("DeleteLaunchTemplate", SPECIES_TEMPLATE, TURN_REMOVAL),
	ONCE("CreateAutoScalingGroup", SPECIES_SCALING_GROUP, TURN_NONE),
	TURNED("UpdateAutoScalingGroup", SPECIES_SCALING_GROUP, FEATURE_MAINTENANCE, 0),
	ONCE("DeleteAutoScalingGroup", SPECIES_SCALING_GROUP, TURN_REMOVAL),
	ROW("RunInstances", SPECIES_INSTANCE, TURN_NONE),
	ONCE_WITH("MonitorInstances", SPECIES_INSTANCE, SPECIES_COUNT, 0, TURN_PARTS),
	ONCE_WITH("UnmonitorInstances", SPECIES_INSTANCE, SPECIES_COUNT, 1, TURN_PARTS),
	ONCE("TerminateInstances", SPECIES_INSTANCE, TURN_REMOVAL),
	ROW("CreateTags", SPECIES_SUBNET, TURN_IN_PLACE),
	TURNED("AssociateVpcCidrBlock", SPECIES_VPC, FEATURE_RANGES, 0),
	TURNED("DisassociateVpcCidrBlock", SPECIES_VPC, FEATURE_IPV6, 1),
	TURNED("AssociateDhcpOptions", SPECIES_VPC, FEATURE_DHCP, 0),
	TURNED("ModifyVpcTenancy", SPECIES_VPC, FEATURE_TENANCY, 0),
	TURNED("ModifySubnetAttribute", SPECIES_SUBNET, FEATURE_PUBLIC_SUBNET, 0),
	TURNED("AssociateSubnetCidrBlock", SPECIES_SUBNET, FEATURE_SUBNET_IPV6, 0),
	TURNED("DisassociateSubnetCidrBlock", SPECIES_SUBNET, FEATURE_SUBNET_IPV6, 1),
	TURNED("AuthorizeSecurityGroupEgress", SPECIES_GROUP, FEATURE_EGRESS, 0),
	TURNED("RevokeSecurityGroupEgress", SPECIES_GROUP, FEATURE_EGRESS, 1),
	ONCE("UpdateSecurityGroupRuleDescriptionsIngress", SPECIES_GROUP, TURN_IN_PLACE),
	TURNED("UpdateSecurityGroupRuleDescriptionsEgress", SPECIES_GROUP, FEATURE_EGRESS_DESCRIPTION, 0),
	{"ReplaceRoute",
	 {SPECIES_ROUTE_TABLE, {SPECIES_INTERNET_GATEWAY, SPECIES_VPN_GATEWAY}, AS_IT_COMES, 0, FEATURE_NONE, 0},
	 TURN_IN_PLACE,
	 1},
	ONCE_WITH("ModifyVpnConnection", SPECIES_CUSTOMER_GATEWAY, SPECIES_VPN_CONNECTION, AS_IT_COMES, TURN_RENEWAL),
	TURNED("ModifyVpnConnectionOptions", SPECIES_VPN_CONNECTION, FEATURE_CONNECTION_OPTIONS, 0),
	TURNED("ModifyVpnTunnelOptions", SPECIES_VPN_CONNECTION, FEATURE_TUNNELS, 0),
	TURNED("PutLifecycleHook", SPECIES_SCALING_GROUP, FEATURE_HOOKS, 0),
	TURNED("DeleteLifecycleHook", SPECIES_SCALING_GROUP, FEATURE_HOOKS, 1),
	TURNED("SuspendProcesses", SPECIES_SCALING_GROUP, FEATURE_SUSPENDED, 0),
	TURNED("ResumeProcesses", SPECIES_SCALING_GROUP, FEATURE_SUSPENDED, 1),
	TURNED("EnableMetricsCollection", SPECIES_SCALING_GROUP, FEATURE_METRICS, 0),
	TURNED("DisableMetricsCollection", SPECIES_SCALING_GROUP, FEATURE_METRICS, 1),
	TURNED("AttachLoadBalancerTargetGroups", SPECIES_SCALING_GROUP, FEATURE_TARGET_GROUPS, 0),
	TURNED("DetachLoadBalancerTargetGroups", SPECIES_SCALING_GROUP, FEATURE_TARGET_GROUPS, 1),
	TURNED("CreateOrUpdateTags", SPECIES_SCALING_GROUP, FEATURE_GROUP_TAGS, 0),
	TURNED("AssociateIamInstanceProfile", SPECIES_INSTANCE, FEATURE_PROFILE, 0),
	TURNED("ReplaceIamInstanceProfileAssociation", SPECIES_INSTANCE, FEATURE_OTHER_PROFILE, 0),
	TURNED("DisassociateIamInstanceProfile", SPECIES_INSTANCE, FEATURE_PROFILE, 1),
	TURNED("AssignIpv6Addresses", SPECIES_INSTANCE, FEATURE_ADDRESSES6, 0),
	TURNED("UnassignIpv6Addresses", SPECIES_INSTANCE, FEATURE_ADDRESSES6, 1),
	TURNED("ModifyInstanceAttribute", SPECIES_INSTANCE, FEATURE_DISK_END, 0),
	TURNED("ModifyInstanceMetadataOptions", SPECIES_INSTANCE, FEATURE_METADATA, 0),
	TURNED("ModifyInstancePlacement", SPECIES_INSTANCE, FEATURE_PLACEMENT, 0),
	TURNED("ModifyInstanceCpuOptions", SPECIES_INSTANCE, FEATURE_CPU, 0),
	TURNED("ModifyInstanceMaintenanceOptions", SPECIES_INSTANCE, FEATURE_RECOVERY, 0),
	TURNED("ModifyInstanceNetworkPerformanceOptions", SPECIES_INSTANCE, FEATURE_WEIGHTING, 0),
	TURNED("ModifyInstanceCapacityReservationAttributes", SPECIES_INSTANCE, FEATURE_CAPACITY, 0),
	TURNED("ModifyPrivateDnsNameOptions", SPECIES_INSTANCE, FEATURE_HOST_NAMES, 0),
	TURNED("ModifyInstanceCreditSpecification", SPECIES_INSTANCE, FEATURE_CREDITS, 0),
	TURNED("ModifyNetworkInterfaceAttribute", SPECIES_INSTANCE, FEATURE_PUBLIC_ADDRESS, 0),
	TURNED("StopInstances", SPECIES_INSTANCE, FEATURE_TYPE, 0),
	TURNED("StartInstances", SPECIES_INSTANCE, FEATURE_RUNNING, 1),
	{"DeleteTags",
	 {SPECIES_SUBNET, {SPECIES_COUNT, SPECIES_COUNT}, AS_IT_COMES, 1, FEATURE_NONE, 0},
	 TURN_IN_PLACE,
	 1},
	ROW("GetCallerIdentity", SPECIES_VPC, TURN_NONE),
	ROW("DescribeVpcs", SPECIES_VPC, TURN_NONE),
	ROW("DescribeVpcAttribute", SPECIES_VPC, TURN_NONE),
	ROW("DescribeSubnets", SPECIES_SUBNET, TURN_NONE),
	ROW("DescribeSecurityGroups", SPECIES_GROUP, TURN_NONE),
	ROW("DescribeInternetGateways", SPECIES_INTERNET_GATEWAY, TURN_NONE),
	ROW("DescribeRouteTables", SPECIES_ROUTE_TABLE, TURN_NONE),
	ROW("DescribeVpnGateways", SPECIES_VPN_GATEWAY, TURN_NONE),
	ROW("DescribeCustomerGateways", SPECIES_CUSTOMER_GATEWAY, TURN_NONE),
	READ_TURNED("DescribeVpnConnections", SPECIES_VPN_CONNECTION, FEATURE_FIRST_TUNNELS, 0),
	ROW("DescribeKeyPairs", SPECIES_KEY_PAIR, TURN_NONE),
	ROW("DescribeLaunchTemplates", SPECIES_TEMPLATE, TURN_NONE),
	ROW("DescribeLaunchTemplateVersions", SPECIES_TEMPLATE, TURN_NONE),
	ROW("DescribeAutoScalingGroups", SPECIES_SCALING_GROUP, TURN_NONE),
	ROW("DescribeInstances", SPECIES_INSTANCE, TURN_NONE),
	TURNED("DescribeLifecycleHooks", SPECIES_SCALING_GROUP, FEATURE_HOOKS, 0),
	TURNED("DescribeInstanceAttribute", SPECIES_INSTANCE, FEATURE_USER_DATA, 0),
	TURNED("DescribeInstanceCreditSpecifications", SPECIES_INSTANCE, FEATURE_CREDITS, 1),
	TURNED("DescribeIamInstanceProfileAssociations", SPECIES_INSTANCE, FEATURE_PROFILE, 1),
	DISK_ROW("disk-create", 1),
	DISK_ROW("disk-write", 100),
	DISK_ROW("disk-truncate", 1),
	DISK_ROW("disk-sync", 20),
	DISK_ROW("disk-remove", 1),
	/* What a key is kept in is written beside its place. */
	{"disk-rename", WISH(SPECIES_SHOWN_KEY, SPECIES_COUNT, 0), TURN_NONE, 1},
	DISK_ROW("disk-lock", 100),
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

/* Why there is no such pair; NULL: there is. */
static const char *absence(const struct target_row *row, enum mishap mishap)
{
	if (strncmp(row->operation, "disk-", 5) == 0)
		return mishap_is_of_disk(mishap) ? NULL : "a step of the disk is no request";
	return mishap_absence(mishap, row->operation);
}

void target_each(void (*visit)(void *context, const char *operation, enum mishap mishap, const char *absence),
		 void *context)
{
	for (enum mishap mishap = MISHAP_NONE + 1; mishap < MISHAP_COUNT; mishap++)
		for (size_t i = 0; i < ROW_COUNT; i++)
			visit(context, rows[i].operation, mishap, absence(&rows[i], mishap));
}

bool target_has(const char *operation)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (strcmp(rows[i].operation, operation) == 0)
			return true;
	return false;
}

/* They are the same for all seeds. */
struct pairs {
	struct target all[ROW_COUNT * MISHAP_COUNT];
	size_t count;
};

static void find_pairs(struct pairs *pairs)
{
	for (enum mishap mishap = MISHAP_NONE + 1; mishap < MISHAP_COUNT; mishap++)
		for (size_t i = 0; i < ROW_COUNT; i++)
			if (!absence(&rows[i], mishap))
				pairs->all[pairs->count++] = (struct target){&rows[i], mishap, false};
}

struct target target_of(uint64_t seed)
{
	static struct pairs pairs;

	if (pairs.count == 0)
		find_pairs(&pairs);
	return pairs.all[seed % pairs.count];
}

bool target_strikes(struct target *target, const char *operation, struct chance *fate)
{
	if (target->struck || strcmp(target->row->operation, operation) != 0 ||
	    !chance_one_in(fate, target->row->one_in))
		return false;
	target->struck = true;
	return true;
}

void target_turn(const struct target *target, struct blueprint *blueprint)
{
	struct thing *thing = blueprint_thing(blueprint, target->row->wish.species, 0);

	if (!thing)
		return;
	switch (target->row->turn) {
	case TURN_IN_PLACE:
		thing->in_place++;
		break;
	case TURN_PARTS:
		thing->parts++;
		break;
	case TURN_FEATURE:
		blueprint->featured++;
		break;
	case TURN_RENEWAL:
		thing->renewal++;
		break;
	case TURN_REMOVAL:
		thing->wanted = false;
		break;
	case TURN_NONE:
	case TURN_DESTROY:
		break;
	}
}
