#include <stdlib.h>

#include "base/memory.h"
#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_security_group.h"

/* Calls on the rules of a security group. */

static bool holds(const struct sim_object *rule, const struct sim_object *target)
{
	return !slice_equal(node_text(&rule->body, "groupId"), target->id);
}

static const char *const references[] = {"groupId", "referencedGroupInfo.groupId", NULL};

const struct sim_type sim_security_group_rule_type = {
	.number = SIM_SECURITY_GROUP_RULE,
	.name = "security-group-rule",
	.prefix = "sgr",
	.id_name = "securityGroupRuleId",
	.references = references,
	.holds = holds,
	.absent_code = "InvalidSecurityGroupRuleId.NotFound",
	.absent_message = "The security group rule ID '%s' does not exist",
	.malformed_code = "InvalidSecurityGroupRuleId.Malformed",
};

struct sim_object *sim_rule_of(const struct sim_object *group, size_t *cursor)
{
	struct sim_object *rule;

	while ((rule = sim_referrer(group, SIM_SECURITY_GROUP_RULE, cursor)) != NULL)
		if (slice_equal(node_text(&rule->body, "groupId"), group->id))
			return rule;
	return NULL;
}

static bool same_rule(const struct node *a, const struct node *b)
{
	static const char *const names[] = {"isEgress", "ipProtocol", "fromPort",    "toPort",
					    "cidrIpv4", "cidrIpv6",   "prefixListId"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!slice_equal(node_text(a, names[i]), node_text(b, names[i])))
			return false;
	return slice_equal(node_text(node_get(a, "referencedGroupInfo"), "groupId"),
			   node_text(node_get(b, "referencedGroupInfo"), "groupId"));
}

/* The group's rule that admits just the same, or NULL. */
static struct sim_object *sim_rule_find(const struct sim_object *group, const struct node *wanted)
{
	struct sim_object *rule;
	size_t cursor = 0;

	while ((rule = sim_rule_of(group, &cursor)) != NULL)
		if (same_rule(&rule->body, wanted))
			return rule;
	return NULL;
}

struct sim_object *sim_rule_add(struct sim_call *call, const struct sim_object *group, const struct node *wanted)
{
	struct sim_object *rule = sim_create(call->sim, call->region, SIM_SECURITY_GROUP_RULE, (struct slice){NULL, 0});
	struct node *body = &rule->body;

	node_put(body, "groupId", group->id);
	node_put(body, "groupOwnerId", node_text(&group->body, "ownerId"));
	for (uint32_t i = 0; i < wanted->count; i++)
		node_put_copy(body, wanted->items[i].name, &wanted->items[i]);
	node_format(body, "securityGroupRuleArn", "arn:aws:ec2:%.*s:%.*s:security-group-rule/%.*s",
		    SLICE_ARGUMENTS(call->region->name), SLICE_ARGUMENTS(node_text(&group->body, "ownerId")),
		    SLICE_ARGUMENTS(rule->id));
	node_list(body, "tagSet");
	return rule;
}

static struct sim_object *need_group(struct sim_call *call)
{
	if (!sim_given(call, "GroupId")) {
		sim_fail(call, "MissingParameter", "The request must contain the parameter groupId");
		return NULL;
	}
	return sim_need(call, SIM_SECURITY_GROUP, "GroupId");
}

static size_t rule_count(const struct sim_object *group, bool egress)
{
	const struct sim_object *rule;
	size_t cursor = 0, count = 0;

	while ((rule = sim_rule_of(group, &cursor)) != NULL)
		count += node_is(&rule->body, "isEgress", egress ? "true" : "false");
	return count;
}

static void check_new(struct sim_call *call, const struct sim_object *group, const struct node *wanted, bool egress)
{
	for (uint32_t i = 0; i < wanted->count; i++) {
		bool repeated = sim_rule_find(group, &wanted->items[i]) != NULL;

		for (uint32_t other = 0; other < i; other++)
			if (same_rule(&wanted->items[i], &wanted->items[other]))
				sim_fail(call, "InvalidParameterValue",
					 "The same permission must not appear multiple times");
		if (repeated)
			sim_fail(call, "InvalidPermission.Duplicate", "the specified rule \"%.*s\" already exists",
				 SLICE_ARGUMENTS(sim_permission_text(call, &wanted->items[i])));
	}
	if ((int64_t)(rule_count(group, egress) + wanted->count) > sim_setting(call->sim, SIM_SETTING_RULES_PER_GROUP))
		sim_fail(call, "RulesPerSecurityGroupLimitExceeded",
			 "The maximum number of rules per security group has been reached.");
}

static void authorize(struct sim_call *call, bool egress)
{
	struct sim_object *group = need_group(call);
	struct node wanted = {.type = NODE_LIST};

	if (!group)
		return;
	sim_tag_new(call, "security-group-rule", NULL);
	if (sim_permissions_read(call, group, egress, &wanted)) {
		if (wanted.count == 0)
			sim_fail(call, "MissingParameter",
				 "Either 'ipPermissions' or 'securityGroupRuleIds' should be provided.");
		check_new(call, group, &wanted, egress);
	}
	if (!call->failed) {
		sim_out_return(call);
		sim_out_open(call, "securityGroupRuleSet");
		for (uint32_t i = 0; i < wanted.count; i++) {
			struct sim_object *rule = sim_rule_add(call, group, &wanted.items[i]);

			sim_tag_new(call, "security-group-rule", rule);
			sim_out_node(call, "item", &rule->body);
		}
		sim_out_close(call, "securityGroupRuleSet");
	}
	node_release(&wanted);
}

static void authorize_ingress(struct sim_call *call)
{
	authorize(call, false);
}

static void authorize_egress(struct sim_call *call)
{
	authorize(call, true);
}

/* The rules that a call names, by id or by what they admit. */
struct chosen {
	struct sim_object **rules; /* owned */
	size_t count;
};

static void choose(struct chosen *chosen, struct sim_object *rule)
{
	chosen->rules = memory_resize(chosen->rules, (chosen->count + 1) * sizeof(struct sim_object *));
	chosen->rules[chosen->count++] = rule;
}

static struct sim_object *need_rule(struct sim_call *call, const struct sim_object *group, struct slice id)
{
	struct sim_object *rule = sim_need_id(call, SIM_SECURITY_GROUP_RULE, id);

	if (rule && !slice_equal(node_text(&rule->body, "groupId"), group->id)) {
		sim_fail(call, "InvalidSecurityGroupRuleId.NotFound",
			 "The security group rule ID '%.*s' does not belong to the security group '%.*s'",
			 SLICE_ARGUMENTS(id), SLICE_ARGUMENTS(group->id));
		return NULL;
	}
	return rule;
}

static void choose_rules(struct sim_call *call, struct sim_object *group, bool egress, struct chosen *chosen)
{
	const struct node *ids = node_get(&call->request, "SecurityGroupRuleId");
	struct node wanted = {.type = NODE_LIST};

	for (uint32_t i = 0; ids && i < ids->count && !call->failed; i++) {
		struct sim_object *rule = need_rule(call, group, node_slice(&ids->items[i]));

		if (rule && node_is(&rule->body, "isEgress", egress ? "true" : "false"))
			choose(chosen, rule);
		else
			sim_fail(call, "InvalidParameterValue",
				 "The security group rule ID '%.*s' is of the other direction",
				 SLICE_ARGUMENTS(node_slice(&ids->items[i])));
	}
	if (!call->failed && sim_permissions_read(call, group, egress, &wanted)) {
		for (uint32_t i = 0; i < wanted.count; i++) {
			struct sim_object *rule = sim_rule_find(group, &wanted.items[i]);

			if (rule)
				choose(chosen, rule);
			else
				sim_fail(call, "InvalidPermission.NotFound",
					 "The specified rule does not exist in this security group.");
		}
	}
	if (!call->failed && chosen->count == 0)
		sim_fail(call, "MissingParameter",
			 "Either 'ipPermissions' or 'securityGroupRuleIds' should be provided.");
	node_release(&wanted);
}

static void write_revoked(struct sim_call *call, const struct sim_object *rule)
{
	static const char *const names[] = {"securityGroupRuleId",
					    "groupId",
					    "isEgress",
					    "ipProtocol",
					    "fromPort",
					    "toPort",
					    "cidrIpv4",
					    "cidrIpv6",
					    "prefixListId",
					    "description"};
	const struct node *info = node_get(&rule->body, "referencedGroupInfo");

	sim_out_open(call, "item");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (node_get(&rule->body, names[i]))
			sim_out_text(call, names[i], node_text(&rule->body, names[i]));
	if (info)
		sim_out_text(call, "referencedGroupId", node_text(info, "groupId"));
	sim_out_close(call, "item");
}

static void revoke(struct sim_call *call, bool egress)
{
	struct sim_object *group = need_group(call);
	struct chosen chosen = {0};

	if (!group)
		return;
	choose_rules(call, group, egress, &chosen);
	if (!call->failed) {
		sim_out_return(call);
		sim_out_open(call, "revokedSecurityGroupRuleSet");
		for (size_t i = 0; i < chosen.count; i++) {
			if (chosen.rules[i]->removed)
				continue;
			write_revoked(call, chosen.rules[i]);
			sim_delete(call->sim, chosen.rules[i]);
		}
		sim_out_close(call, "revokedSecurityGroupRuleSet");
	}
	free(chosen.rules);
}

static void revoke_ingress(struct sim_call *call)
{
	revoke(call, false);
}

static void revoke_egress(struct sim_call *call)
{
	revoke(call, true);
}

static void read_change(struct sim_call *call, const struct sim_object *group, const struct sim_object *rule,
			const struct node *change, struct node *wanted)
{
	static const char *const names[][2] = {
		{"IpProtocol", "ipProtocol"},	{"FromPort", "fromPort"}, {"ToPort", "toPort"},
		{"CidrIpv4", "cidrIpv4"},	{"CidrIpv6", "cidrIpv6"}, {"PrefixListId", "prefixListId"},
		{"Description", "description"},
	};

	node_reset(wanted, NODE_MAP);
	node_put(wanted, "isEgress", node_text(&rule->body, "isEgress"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (node_get(change, names[i][0]))
			node_put(wanted, names[i][1], node_text(change, names[i][0]));
	if (node_get(change, "ReferencedGroupId"))
		node_put(node_map(wanted, "referencedGroupInfo"), "groupId", node_text(change, "ReferencedGroupId"));
	if (!sim_permission_check(call, group, wanted))
		return;
	struct sim_object *same = sim_rule_find(group, wanted);
	if (same && same != rule)
		sim_fail(call, "InvalidPermission.Duplicate", "the specified rule \"%.*s\" already exists",
			 SLICE_ARGUMENTS(sim_permission_text(call, wanted)));
}

static void apply_change(struct sim_call *call, struct sim_object *rule, const struct node *wanted)
{
	static const char *const names[] = {
		"ipProtocol",	       "fromPort",   "toPort", "cidrIpv4", "cidrIpv6", "prefixListId",
		"referencedGroupInfo", "description"};
	struct node *body = sim_edit(call->sim, rule);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		node_drop(body, names[i]);
		if (node_get(wanted, names[i]))
			node_put_copy(body, names[i], node_get(wanted, names[i]));
	}
}

static void modify_rules(struct sim_call *call)
{
	struct sim_object *group = need_group(call);
	const struct node *updates = node_get(&call->request, "SecurityGroupRule");
	struct node wanted = {.type = NODE_MAP};

	/* All are judged before the first is changed. */
	for (int pass = 0; group && pass < 2; pass++) {
		for (uint32_t i = 0; i < updates->count && !call->failed; i++) {
			struct sim_object *rule =
				need_rule(call, group, node_text(&updates->items[i], "SecurityGroupRuleId"));

			if (rule)
				read_change(call, group, rule, node_get(&updates->items[i], "SecurityGroupRule"),
					    &wanted);
			if (rule && pass == 1 && !call->failed)
				apply_change(call, rule, &wanted);
		}
	}
	node_release(&wanted);
	if (!call->failed)
		sim_out_return(call);
}

static void describe_anew(struct sim_call *call, struct sim_object *rule, const struct node *description)
{
	struct node *body = sim_edit(call->sim, rule);

	if (node_slice(description).size > 0)
		node_put(body, "description", node_slice(description));
	else
		node_drop(body, "description");
}

static void update_descriptions(struct sim_call *call, bool egress)
{
	struct sim_object *group = need_group(call);
	const struct node *by_id = node_get(&call->request, "SecurityGroupRuleDescription");
	struct node wanted = {.type = NODE_LIST};

	if (!group)
		return;
	for (uint32_t i = 0; by_id && i < by_id->count && !call->failed; i++) {
		struct sim_object *rule = need_rule(call, group, node_text(&by_id->items[i], "SecurityGroupRuleId"));

		if (rule)
			describe_anew(call, rule, node_get(&by_id->items[i], "Description"));
	}
	if (!call->failed && sim_permissions_read(call, group, egress, &wanted)) {
		for (uint32_t i = 0; i < wanted.count; i++)
			if (!sim_rule_find(group, &wanted.items[i]))
				sim_fail(call, "InvalidPermission.NotFound",
					 "The specified rule does not exist in this security group.");
		for (uint32_t i = 0; i < wanted.count && !call->failed; i++)
			describe_anew(call, sim_rule_find(group, &wanted.items[i]),
				      node_get(&wanted.items[i], "description"));
	}
	node_release(&wanted);
	if (!call->failed)
		sim_out_return(call);
}

static void update_ingress_descriptions(struct sim_call *call)
{
	update_descriptions(call, false);
}

static void update_egress_descriptions(struct sim_call *call)
{
	update_descriptions(call, true);
}

static const struct sim_filter filters[] = {
	{"security-group-rule-id", "securityGroupRuleId", NULL},
	{"group-id", "groupId", NULL},
};

static const struct sim_listing listing = {
	.type = SIM_SECURITY_GROUP_RULE,
	.set = "securityGroupRuleSet",
	.ids = "SecurityGroupRuleId",
	.filters = filters,
	.filter_count = sizeof(filters) / sizeof(filters[0]),
	.page_least = 5,
	.page_most = 1000,
};

#define PERMISSIONS                                                                                                    \
	"IpPermissions[]{IpProtocol FromPort:i ToPort:i "                                                              \
	"Groups[]{Description UserId GroupName GroupId VpcId VpcPeeringConnectionId PeeringStatus} "                   \
	"IpRanges[]{Description CidrIp} Ipv6Ranges[]{Description CidrIpv6} PrefixListIds[]{Description "               \
	"PrefixListId}} "
#define FLAT "CidrIp FromPort:i ToPort:i IpProtocol SourceSecurityGroupName SourceSecurityGroupOwnerId "
#define TAGS "TagSpecification[]{ResourceType Tag[]{Key Value}}"
#define DESCRIPTIONS "SecurityGroupRuleDescription[]{SecurityGroupRuleId Description}"

static const struct sim_action actions[] = {
	{"AuthorizeSecurityGroupIngress", authorize_ingress, "GroupId GroupName " PERMISSIONS FLAT TAGS, NULL},
	{"AuthorizeSecurityGroupEgress", authorize_egress, "GroupId! " PERMISSIONS FLAT TAGS, NULL},
	{"RevokeSecurityGroupIngress", revoke_ingress, "GroupId GroupName SecurityGroupRuleId[] " PERMISSIONS FLAT,
	 NULL},
	{"RevokeSecurityGroupEgress", revoke_egress, "GroupId! SecurityGroupRuleId[] " PERMISSIONS FLAT, NULL},
	{"ModifySecurityGroupRules", modify_rules,
	 "GroupId! SecurityGroupRule![]{SecurityGroupRuleId! SecurityGroupRule!{IpProtocol FromPort:i ToPort:i "
	 "CidrIpv4 "
	 "CidrIpv6 PrefixListId ReferencedGroupId Description}}",
	 NULL},
	{"UpdateSecurityGroupRuleDescriptionsIngress", update_ingress_descriptions,
	 "GroupId GroupName " PERMISSIONS DESCRIPTIONS, NULL},
	{"UpdateSecurityGroupRuleDescriptionsEgress", update_egress_descriptions,
	 "GroupId GroupName " PERMISSIONS DESCRIPTIONS, NULL},
	{"DescribeSecurityGroupRules", sim_describe,
	 "Filter[]{Name Value[]} SecurityGroupRuleId[] NextToken MaxResults:i", &listing},
};

const struct sim_family sim_security_rule_family = {SIM_EC2, actions, sizeof(actions) / sizeof(actions[0])};
