#include <ctype.h>
#include <stdio.h>

#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_security_group.h"

/* Permissions as the API takes and gives them: several sources under one protocol and range of ports. */

/* IANA's numbers that the API spells out. */
static const struct {
	const char *number, *name;
} protocols[] = {
	{"-1", "-1"},	{"all", "-1"}, {"6", "tcp"},	 {"tcp", "tcp"},   {"17", "udp"},
	{"udp", "udp"}, {"1", "icmp"}, {"icmp", "icmp"}, {"58", "icmpv6"}, {"icmpv6", "icmpv6"},
};

static bool normal_protocol(struct sim_call *call, struct node *rule)
{
	struct slice text = arena_copy(call->arena, node_text(rule, "ipProtocol"));
	int64_t number;

	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
		if (slice_equal_caseless(text, slice_of(protocols[i].number))) {
			node_set(rule, "ipProtocol", protocols[i].name);
			return true;
		}
	}
	if (slice_integer(text, &number) && number >= 0 && number <= 255)
		return true;
	sim_fail(call, "InvalidParameterValue", "Invalid value '%.*s' for IP protocol. Unknown protocol.",
		 SLICE_ARGUMENTS(text));
	return false;
}

static bool normal_ports(struct sim_call *call, struct node *rule)
{
	bool ports = node_is(rule, "ipProtocol", "tcp") || node_is(rule, "ipProtocol", "udp");
	bool icmp = node_is(rule, "ipProtocol", "icmp") || node_is(rule, "ipProtocol", "icmpv6");
	int64_t from = node_integer(rule, "fromPort", -1), to = node_integer(rule, "toPort", -1);

	if (ports && (!node_get(rule, "fromPort") || !node_get(rule, "toPort")))
		sim_fail(call, "InvalidParameterValue",
			 "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.");
	else if (ports && (from < 0 || to > 65535 || from > to))
		sim_fail(call, "InvalidParameterValue", "Invalid value '%lld-%lld' for portRange.", (long long)from,
			 (long long)to);
	else if (icmp && (from < -1 || from > 255 || to < -1 || to > 255))
		sim_fail(call, "InvalidParameterValue", "ICMP code (%lld) out of range", (long long)to);
	if (!ports && !icmp)
		from = to = -1;
	node_number(rule, "fromPort", from);
	node_number(rule, "toPort", to);
	return !call->failed;
}

static bool normal_range(struct sim_call *call, struct node *rule, const char *name, uint8_t family)
{
	struct slice text = arena_copy(call->arena, node_text(rule, name));
	struct cidr range;

	if (!cidr_read(text, &range) || range.family != family) {
		sim_fail(call, "InvalidParameterValue", "CIDR block %.*s is malformed", SLICE_ARGUMENTS(text));
		return false;
	}
	range = cidr_network(range);
	node_put(rule, name, sim_range_text(call, &range));
	return true;
}

static bool normal_group(struct sim_call *call, const struct sim_object *group, struct node *rule)
{
	struct node *info = node_find(rule, "referencedGroupInfo");
	struct slice id = arena_copy(call->arena, node_text(info, "groupId"));
	struct sim_object *other = sim_need_id(call, SIM_SECURITY_GROUP, id);

	if (!other)
		return false;
	if (!slice_equal(node_text(&other->body, "vpcId"), node_text(&group->body, "vpcId"))) {
		sim_fail(call, "InvalidGroup.NotFound",
			 "You have specified two resources that belong to different networks.");
		return false;
	}
	node_put(info, "userId", node_text(&group->body, "ownerId"));
	node_put(info, "vpcId", node_text(&group->body, "vpcId"));
	return true;
}

/* At most 255 characters of a-z, A-Z, 0-9, spaces and ._-:/()#,@[]+=&;{}!$* (type IpRange). */
static bool valid_description(struct sim_call *call, struct slice text)
{
	bool valid = text.size <= 255;

	for (size_t i = 0; valid && i < text.size; i++)
		valid = isalnum((unsigned char)text.data[i]) || strchr(" ._-:/()#,@[]+=&;{}!$*", text.data[i]);
	if (!valid)
		sim_fail(call, "InvalidParameterValue",
			 "Invalid rule description. Valid descriptions are strings less than 256 characters from the "
			 "following "
			 "set:  a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*");
	return valid;
}

/* Lists that AWS keeps in every region for its own services: S3's and DynamoDB's. There are no others here. */
static bool valid_prefix_list(struct sim_call *call, struct slice id)
{
	bool known = slice_is(id, "pl-0123456789abcdef0") || slice_is(id, "pl-0fedcba9876543210");

	if (!known)
		sim_fail(call, "InvalidPrefixListID.NotFound", "The prefix list ID '%.*s' does not exist",
			 SLICE_ARGUMENTS(id));
	return known;
}

bool sim_permission_check(struct sim_call *call, const struct sim_object *group, struct node *rule)
{
	static const char *const sources[] = {"cidrIpv4", "cidrIpv6", "prefixListId", "referencedGroupInfo"};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		count += node_get(rule, sources[i]) != NULL;
	if (count != 1) {
		sim_fail(call, count ? "InvalidParameterCombination" : "MissingParameter",
			 "A rule must contain exactly one source or destination");
		return false;
	}
	if (!normal_protocol(call, rule) || !normal_ports(call, rule) ||
	    !valid_description(call, node_text(rule, "description")))
		return false;
	if (node_get(rule, "cidrIpv4"))
		return normal_range(call, rule, "cidrIpv4", 4);
	if (node_get(rule, "cidrIpv6"))
		return normal_range(call, rule, "cidrIpv6", 6);
	if (node_get(rule, "referencedGroupInfo"))
		return normal_group(call, group, rule);
	return valid_prefix_list(call, node_text(rule, "prefixListId"));
}

static struct node *begin_rule(struct node *wanted, const struct node *permission, bool egress,
			       const struct node *source)
{
	static const char *const names[][2] = {
		{"IpProtocol", "ipProtocol"}, {"FromPort", "fromPort"}, {"ToPort", "toPort"}};
	struct node *rule = node_append(wanted, NODE_MAP);

	node_set(rule, "isEgress", egress ? "true" : "false");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (node_get(permission, names[i][0]))
			node_put(rule, names[i][1], node_text(permission, names[i][0]));
	if (node_get(source, "Description"))
		node_put(rule, "description", node_text(source, "Description"));
	return rule;
}

static const struct {
	const char *list, *member, *name;
} kinds[] = {
	{"IpRanges", "CidrIp", "cidrIpv4"},
	{"Ipv6Ranges", "CidrIpv6", "cidrIpv6"},
	{"PrefixListIds", "PrefixListId", "prefixListId"},
	{"Groups", "GroupId", NULL},
};

static bool read_permission(struct sim_call *call, const struct sim_object *group, bool egress,
			    const struct node *permission, struct node *wanted)
{
	size_t before = wanted->count;

	if (!node_get(permission, "IpProtocol"))
		sim_fail(call, "MissingParameter", "The request must contain the parameter ipProtocol");
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		const struct node *list = node_get(permission, kinds[kind].list);

		for (uint32_t i = 0; list && i < list->count && !call->failed; i++) {
			struct node *rule = begin_rule(wanted, permission, egress, &list->items[i]);
			struct slice source = node_text(&list->items[i], kinds[kind].member);

			if (kinds[kind].name)
				node_put(rule, kinds[kind].name, source);
			else
				node_put(node_map(rule, "referencedGroupInfo"), "groupId", source);
			(void)sim_permission_check(call, group, rule);
		}
	}
	if (wanted->count == before)
		sim_fail(call, "InvalidParameterValue", "The permission contains no source or destination");
	return !call->failed;
}

bool sim_permissions_read(struct sim_call *call, const struct sim_object *group, bool egress, struct node *wanted)
{
	const struct node *permissions = node_get(&call->request, "IpPermissions");

	node_reset(wanted, NODE_LIST);
	for (uint32_t i = 0; permissions && i < permissions->count; i++)
		if (!read_permission(call, group, egress, &permissions->items[i], wanted))
			return false;
	/* The old form: one permission, its members at the top. */
	if (sim_given(call, "CidrIp")) {
		struct node *rule = begin_rule(wanted, &call->request, egress, NULL);

		node_put(rule, "cidrIpv4", sim_text(call, "CidrIp"));
		if (!node_get(rule, "ipProtocol"))
			node_set(rule, "ipProtocol", "-1");
		(void)sim_permission_check(call, group, rule);
	}
	if (sim_given(call, "SourceSecurityGroupName"))
		sim_fail(call, "InvalidParameterCombination",
			 "The parameter SourceSecurityGroupName may not be used with a security group of a VPC");
	return !call->failed;
}

struct slice sim_permission_text(struct sim_call *call, const struct node *rule)
{
	struct slice peer = node_text(rule, "cidrIpv4"), protocol = node_text(rule, "ipProtocol");
	char upper[16] = "ALL";

	if (peer.size == 0)
		peer = node_text(rule, "cidrIpv6");
	if (peer.size == 0)
		peer = node_text(rule, "prefixListId");
	if (peer.size == 0)
		peer = node_text(node_get(rule, "referencedGroupInfo"), "groupId");
	for (size_t i = 0; !slice_is(protocol, "-1") && i <= protocol.size && i < sizeof(upper) - 1; i++)
		upper[i] = i < protocol.size ? (char)toupper((unsigned char)protocol.data[i]) : '\0';
	if (node_is(rule, "fromPort", "-1"))
		return arena_format(call->arena, "peer: %.*s, %s, ALLOW", SLICE_ARGUMENTS(peer), upper);
	return arena_format(call->arena, "peer: %.*s, %s, from port: %.*s, to port: %.*s, ALLOW", SLICE_ARGUMENTS(peer),
			    upper, SLICE_ARGUMENTS(node_text(rule, "fromPort")),
			    SLICE_ARGUMENTS(node_text(rule, "toPort")));
}

static struct node *group_for(struct node *permissions, const struct node *rule)
{
	static const char *const lists[] = {"groups", "ipRanges", "ipv6Ranges", "prefixListIds"};
	struct slice protocol = node_text(rule, "ipProtocol");
	bool ports = !node_is(rule, "fromPort", "-1") || slice_starts_with(protocol, SLICE("icmp"));

	for (uint32_t i = 0; i < permissions->count; i++) {
		struct node *item = &permissions->items[i];

		if (slice_equal(node_text(item, "ipProtocol"), protocol) &&
		    (!ports || (slice_equal(node_text(item, "fromPort"), node_text(rule, "fromPort")) &&
				slice_equal(node_text(item, "toPort"), node_text(rule, "toPort")))))
			return item;
	}
	struct node *item = node_append(permissions, NODE_MAP);
	node_put(item, "ipProtocol", protocol);
	if (ports) {
		node_put(item, "fromPort", node_text(rule, "fromPort"));
		node_put(item, "toPort", node_text(rule, "toPort"));
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		node_list(item, lists[i]);
	return item;
}

static void add_source(struct node *item, const struct node *rule)
{
	static const char *const plain[][3] = {
		{"ipRanges", "cidrIp", "cidrIpv4"},
		{"ipv6Ranges", "cidrIpv6", "cidrIpv6"},
		{"prefixListIds", "prefixListId", "prefixListId"},
	};
	const struct node *info = node_get(rule, "referencedGroupInfo");
	struct node *source = NULL;

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (!node_get(rule, plain[i][2]))
			continue;
		source = node_append(node_list(item, plain[i][0]), NODE_MAP);
		node_put(source, plain[i][1], node_text(rule, plain[i][2]));
	}
	if (info) {
		source = node_append(node_list(item, "groups"), NODE_MAP);
		node_put(source, "userId", node_text(info, "userId"));
		node_put(source, "groupId", node_text(info, "groupId"));
	}
	if (source && node_get(rule, "description"))
		node_put(source, "description", node_text(rule, "description"));
}

static bool rule_visible(struct sim_call *call, const struct sim_object *rule, bool egress)
{
	const struct node *body = sim_listed(call->sim, rule);

	return body && node_is(body, "isEgress", egress ? "true" : "false");
}

void sim_permissions_write(struct sim_call *call, const struct sim_object *group, bool egress)
{
	struct node permissions = {.type = NODE_LIST};
	struct sim_object *rule;
	size_t cursor = 0;

	while ((rule = sim_rule_of(group, &cursor)) != NULL) {
		const struct node *body = sim_listed(call->sim, rule);

		if (rule_visible(call, rule, egress))
			add_source(group_for(&permissions, body), body);
	}
	sim_out_node(call, egress ? "ipPermissionsEgress" : "ipPermissions", &permissions);
	node_release(&permissions);
}
