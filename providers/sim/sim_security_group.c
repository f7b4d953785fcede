#include "providers/sim/sim_security_group.h"

#include <ctype.h>
#include <stdio.h>

#include "providers/sim/sim_parts.h"

/* Security groups; their rules are in sim_security_rule.c. */

/* "Names are case-insensitive" (https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html). */
static void write_key(struct slice vpc, struct slice name, char ret[512])
{
	(void)snprintf(ret, 512, "%.*s/%.*s", SLICE_ARGUMENTS(vpc), SLICE_ARGUMENTS(name));
	for (char *at = ret; *at; at++)
		*at = lower_case(*at);
}

static void key(const struct sim_object *group, char ret[512])
{
	write_key(node_text(&group->body, "vpcId"), node_text(&group->body, "groupName"), ret);
}

static bool holds(const struct sim_object *group, const struct sim_object *target)
{
	(void)target;
	return !node_is(&group->body, "groupName", "default");
}

static void leave(struct sim *sim, struct sim_object *group)
{
	sim_delete_referrers(sim, group, SIM_SECURITY_GROUP_RULE);
}

static const char *const references[] = {"vpcId", NULL};

const struct sim_type sim_security_group_type = {
	.number = SIM_SECURITY_GROUP,
	.name = "security-group",
	.prefix = "sg",
	.id_name = "groupId",
	.references = references,
	.key = key,
	.holds = holds,
	.leave = leave,
	.absent_code = "InvalidGroup.NotFound",
	.absent_message = "The security group '%s' does not exist",
	.malformed_code = "InvalidGroupId.Malformed",
};

static struct sim_object *new_group(struct sim_call *call, const struct sim_object *vpc, struct slice name,
				    struct slice description)
{
	struct sim_object *group = sim_create(call->sim, call->region, SIM_SECURITY_GROUP, (struct slice){NULL, 0});
	struct node *body = &group->body;
	struct node rule = {.type = NODE_MAP};
	struct slice account = node_text(&vpc->body, "ownerId");

	node_put(body, "groupName", name);
	node_put(body, "groupDescription", description);
	node_put(body, "ownerId", account);
	node_put(body, "vpcId", vpc->id);
	node_format(body, "securityGroupArn", "arn:aws:ec2:%.*s:%.*s:security-group/%.*s",
		    SLICE_ARGUMENTS(call->region->name), SLICE_ARGUMENTS(account), SLICE_ARGUMENTS(group->id));
	node_list(body, "tagSet");
	node_set(&rule, "isEgress", "true");
	node_set(&rule, "ipProtocol", "-1");
	node_set(&rule, "fromPort", "-1");
	node_set(&rule, "toPort", "-1");
	node_set(&rule, "cidrIpv4", "0.0.0.0/0");
	(void)sim_rule_add(call, group, &rule);
	/* A VPC with an IPv6 range lets that out too. */
	if (node_count(&vpc->body, "ipv6CidrBlockAssociationSet") > 0) {
		node_drop(&rule, "cidrIpv4");
		node_set(&rule, "cidrIpv6", "::/0");
		(void)sim_rule_add(call, group, &rule);
	}
	node_release(&rule);
	return group;
}

void sim_security_group_default(struct sim_call *call, struct sim_object *vpc)
{
	struct sim_object *group = new_group(call, vpc, SLICE("default"), SLICE("default VPC security group"));
	struct node rule = {.type = NODE_MAP}, *info;

	node_set(&rule, "isEgress", "false");
	node_set(&rule, "ipProtocol", "-1");
	node_set(&rule, "fromPort", "-1");
	node_set(&rule, "toPort", "-1");
	info = node_map(&rule, "referencedGroupInfo");
	node_put(info, "groupId", group->id);
	node_put(info, "userId", node_text(&group->body, "ownerId"));
	node_put(info, "vpcId", vpc->id);
	(void)sim_rule_add(call, group, &rule);
	node_release(&rule);
}

static bool valid_text(struct slice text)
{
	bool valid = text.size > 0 && text.size <= 255;

	for (size_t i = 0; valid && i < text.size; i++)
		valid = isalnum((unsigned char)text.data[i]) || strchr(" ._-:/()#,@[]+=&;{}!$*", text.data[i]);
	return valid;
}

static bool check_names(struct sim_call *call, struct slice name, struct slice description)
{
	if (!valid_text(name))
		sim_fail(call, "InvalidParameterValue",
			 "Value (%.*s) for parameter GroupName is invalid. Character sets beyond "
			 "ASCII are not supported.",
			 SLICE_ARGUMENTS(name));
	else if (slice_starts_with(name, SLICE("sg-")))
		sim_fail(call, "InvalidParameterValue",
			 "Value (%.*s) for parameter GroupName is invalid. Group names may not be in the format sg-*",
			 SLICE_ARGUMENTS(name));
	else if (slice_is(name, "default"))
		sim_fail(call, "InvalidParameterValue", "Cannot use reserved security group name: default");
	else if (!valid_text(description))
		sim_fail(call, "InvalidParameterValue",
			 "Value (%.*s) for parameter GroupDescription is invalid. Character sets beyond ASCII are not "
			 "supported.",
			 SLICE_ARGUMENTS(description));
	return !call->failed;
}

static void create_security_group(struct sim_call *call)
{
	struct slice name = sim_text(call, "GroupName"), description = sim_text(call, "GroupDescription");
	struct sim_object *vpc;
	char full[512];

	if (!sim_given(call, "VpcId")) {
		sim_fail(call, "VPCIdNotSpecified", "No default VPC for this user");
		return;
	}
	vpc = sim_need(call, SIM_VPC, "VpcId");
	if (!vpc || !check_names(call, name, description))
		return;
	sim_tag_new(call, "security-group", NULL);
	write_key(vpc->id, name, full);
	if (sim_find_key(call->region, SIM_SECURITY_GROUP, slice_of(full)))
		sim_fail(call, "InvalidGroup.Duplicate", "The security group '%.*s' already exists for VPC '%.*s'",
			 SLICE_ARGUMENTS(name), SLICE_ARGUMENTS(vpc->id));
	if (call->failed || !sim_within_quota(call, SIM_SECURITY_GROUP, SIM_SETTING_SECURITY_GROUPS,
					      "SecurityGroupLimitExceeded", "security groups"))
		return;
	struct sim_object *group = new_group(call, vpc, name, description);
	sim_tag_new(call, "security-group", group);
	sim_out_return(call);
	sim_out_text(call, "groupId", group->id);
	sim_out_node(call, "tagSet", node_get(&group->body, "tagSet"));
	sim_out_text(call, "securityGroupArn", node_text(&group->body, "securityGroupArn"));
}

static void delete_security_group(struct sim_call *call)
{
	struct sim_object *group;

	if (!sim_given(call, "GroupId")) {
		sim_fail(call, "MissingParameter", "The request must contain the parameter groupId");
		return;
	}
	group = sim_need(call, SIM_SECURITY_GROUP, "GroupId");
	if (!group)
		return;
	if (node_is(&group->body, "groupName", "default"))
		sim_fail(call, "CannotDelete",
			 "the specified group: \"%.*s\" name: \"default\" cannot be deleted by a user",
			 SLICE_ARGUMENTS(group->id));
	else if (sim_is_held(group))
		sim_fail(call, "DependencyViolation", "resource %.*s has a dependent object",
			 SLICE_ARGUMENTS(group->id));
	if (call->failed)
		return;
	leave(call->sim, group);
	sim_out_return(call);
	sim_out_text(call, "groupId", group->id);
	sim_delete(call->sim, group);
}

static void write(struct sim_call *call, const struct sim_object *group, const struct node *body)
{
	sim_out_members(call, body);
	sim_permissions_write(call, group, false);
	sim_permissions_write(call, group, true);
}

static bool rule_matches(struct sim_call *call, const struct sim_object *group, const char *egress, const char *path,
			 const struct node *values)
{
	struct sim_object *rule;
	size_t cursor = 0;

	while ((rule = sim_rule_of(group, &cursor)) != NULL) {
		const struct node *body = sim_listed(call->sim, rule);
		const struct node *map = strchr(path, '.') ? node_get(body, "referencedGroupInfo") : body;
		const char *name = strchr(path, '.') ? strchr(path, '.') + 1 : path;

		if (body && node_is(body, "isEgress", egress) && sim_matches(values, node_text(map, name)))
			return true;
	}
	return false;
}

static bool ingress_group(struct sim_call *call, const struct sim_object *group, const struct node *body,
			  const struct node *values)
{
	(void)body;
	return rule_matches(call, group, "false", "referencedGroupInfo.groupId", values);
}

static bool egress_group(struct sim_call *call, const struct sim_object *group, const struct node *body,
			 const struct node *values)
{
	(void)body;
	return rule_matches(call, group, "true", "referencedGroupInfo.groupId", values);
}

static bool ingress_range(struct sim_call *call, const struct sim_object *group, const struct node *body,
			  const struct node *values)
{
	(void)body;
	return rule_matches(call, group, "false", "cidrIpv4", values);
}

static bool egress_range(struct sim_call *call, const struct sim_object *group, const struct node *body,
			 const struct node *values)
{
	(void)body;
	return rule_matches(call, group, "true", "cidrIpv4", values);
}

static const struct sim_filter filters[] = {
	{"group-id", "groupId", NULL},
	{"group-name", "groupName", NULL},
	{"description", "groupDescription", NULL},
	{"vpc-id", "vpcId", NULL},
	{"owner-id", "ownerId", NULL},
	{"ip-permission.group-id", NULL, ingress_group},
	{"ip-permission.cidr", NULL, ingress_range},
	{"egress.ip-permission.group-id", NULL, egress_group},
	{"egress.ip-permission.cidr", NULL, egress_range},
};

static const struct sim_listing listing = {
	.type = SIM_SECURITY_GROUP,
	.set = "securityGroupInfo",
	.ids = "GroupId",
	.keys = "GroupName",
	.filters = filters,
	.filter_count = sizeof(filters) / sizeof(filters[0]),
	.page_least = 5,
	.page_most = 1000,
	.write = write,
	.absent_key_code = "InvalidGroup.NotFound",
	.absent_key_message = "The security group '%s' does not exist in default VPC",
};

static const struct sim_action actions[] = {
	{"CreateSecurityGroup", create_security_group,
	 "GroupName! GroupDescription! VpcId TagSpecification[]{ResourceType Tag[]{Key Value}}", NULL},
	{"DescribeSecurityGroups", sim_describe, "Filter[]{Name Value[]} GroupId[] GroupName[] NextToken MaxResults:i",
	 &listing},
	{"DeleteSecurityGroup", delete_security_group, "GroupId GroupName", NULL},
};

const struct sim_family sim_security_group_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
