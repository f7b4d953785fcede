#include "providers/aws/kinds/holding_instances.h"
#include "providers/aws/kinds/kinds.h"
#include "providers/aws/kinds/security_rule.h"
#include "providers/aws/parameters.h"

/*
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html
 *
 * A rule here has one source; AWS answers with permissions that gather several sources
 * under one protocol and range of ports, so an answer is taken apart.
 */

/* Names of the lists within a permission, and of the member that holds the source. */
static const struct rule_source {
	const char *list;
	const char *member;
	const char *field;
} sources[] = {
	{"IpRanges", "CidrIp", "cidr"},
	{"Ipv6Ranges", "CidrIpv6", "cidr6"},
	{"UserIdGroupPairs", "GroupId", "group"},
	{"PrefixListIds", "PrefixListId", "prefix_list"},
};

enum { SOURCE_COUNT = sizeof(sources) / sizeof(sources[0]) };

static void add_rule(struct value_builder *rules, const struct value *permission, const struct rule_source *source,
		     const struct value *pair, struct arena *arena)
{
	const struct value *from = value_get_named(permission, "FromPort");
	const struct value *to = value_get_named(permission, "ToPort");
	const struct value *value = value_get_named(pair, source->member);
	const struct value *description = value_get_named(pair, "Description");
	const struct value *protocol = value_get_named(permission, "IpProtocol");
	if (!value || !protocol)
		return;
	VALUE_BUILDER_AUTO rule;
	value_builder_init(&rule);
	value_builder_member(&rule, SLICE("protocol"), *protocol);
	if (from && to) {
		value_builder_member(&rule, SLICE("from_port"), *from);
		value_builder_member(&rule, SLICE("to_port"), *to);
	}
	value_builder_member(&rule, slice_of(source->field), *value);
	if (description && value_slice(description).size)
		value_builder_member(&rule, SLICE("description"), *description);
	value_builder_item(rules, value_builder_map(&rule, arena));
}

static struct value decode_rules(const struct aws_field *field, const struct value *item, struct arena *arena)
{
	const struct value *permissions = value_get_named(item, field->read);
	VALUE_BUILDER_AUTO rules;
	value_builder_init(&rules);
	for (uint32_t i = 0; permissions && value_is(permissions, VALUE_LIST) && i < permissions->count; i++)
		for (size_t k = 0; k < SOURCE_COUNT; k++) {
			const struct value *pairs = value_get_named(&permissions->items[i], sources[k].list);
			for (uint32_t n = 0; pairs && value_is(pairs, VALUE_LIST) && n < pairs->count; n++)
				add_rule(&rules, &permissions->items[i], &sources[k], &pairs->items[n], arena);
		}
	return value_builder_list(&rules, arena);
}

static struct value encode_rule(const struct aws_field *field, const struct value *rule, struct arena *arena)
{
	struct aws_parameters parameters = {.count = 0};
	const struct value *from = value_get_named(rule, "from_port");
	const struct value *to = value_get_named(rule, "to_port");
	const struct value *description = value_get_named(rule, "description");
	struct slice protocol = value_slice(value_get_named(rule, "protocol"));
	/* Null: to be cleared, which a call that does not say it does. */
	bool described = description && !value_is(description, VALUE_NULL);
	(void)field;
	aws_parameter_add(&parameters, "IpProtocol", value_string(slice_is(protocol, "all") ? SLICE("-1") : protocol));
	if (from && to) {
		aws_parameter_add(&parameters, "FromPort", *from);
		aws_parameter_add(&parameters, "ToPort", *to);
	}
	for (size_t i = 0; i < SOURCE_COUNT; i++) {
		const struct value *source = value_get_named(rule, sources[i].field);
		if (!source)
			continue;
		struct value_member *members = arena_new_array(arena, 2, struct value_member);
		struct value *pair = arena_new(arena, struct value);
		members[0] = (struct value_member){value_text(sources[i].member), *source};
		if (described)
			members[1] = (struct value_member){value_text("Description"), *description};
		*pair = value_map(members, described ? 2 : 1);
		aws_parameter_add(&parameters, sources[i].list, value_list(pair, 1));
	}
	return aws_parameters_value(&parameters, arena);
}

/*
 * Rules that travel in one call. The service takes all of them or, where one is there already or breaks a quota, none;
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AuthorizeSecurityGroupIngress.html names no bound.
 */
enum { RULES_A_CALL = 50 };

static const char *const duplicate[] = {"InvalidPermission.Duplicate", NULL};
static const char *const not_there[] = {"InvalidPermission.NotFound", "InvalidGroup.NotFound", NULL};
static const char *const young[] = {"InvalidGroup.NotFound", "InvalidVpcID.NotFound", NULL};

static const char *const rule_hints[] = {
	"InvalidGroup.OtherNetwork",
	"a rule names a group of its own VPC, or of one that is peered with it: peer them first, or name another group",
	NULL};

#define RULES(direction)                                                                                               \
	{                                                                                                              \
		.add = {.operation = "AuthorizeSecurityGroup" direction,                                               \
			.id = "GroupId",                                                                               \
			.recipe = RECIPE_NATURAL,                                                                      \
			.present = duplicate,                                                                          \
			.settling = young,                                                                             \
			.hints = rule_hints},                                                                          \
		.remove = {.operation = "RevokeSecurityGroup" direction,                                               \
			   .id = "GroupId",                                                                            \
			   .recipe = RECIPE_CONVERGE,                                                                  \
			   .absent = not_there},                                                                       \
		.change = {.operation = "UpdateSecurityGroupRuleDescriptions" direction,                               \
			   .id = "GroupId",                                                                            \
			   .recipe = RECIPE_CONVERGE},                                                                 \
		.items = "IpPermissions", .batch = RULES_A_CALL                                                        \
	}

static const struct aws_part ingress = RULES("Ingress");
static const struct aws_part egress = RULES("Egress");

/* What names and descriptions are made of, as that page has it. */
#define CHARACTERS "[a-zA-Z0-9 ._:/()#,@\\[\\]+=&;{}!$*-]*"
#define CHARACTERS_IN_WORDS "letters, digits, spaces and . _ - : / ( ) # , @ [ ] + = & ; { } ! $ * alone"

static const struct aws_field rule_members[] = {
	{.field = {.name = "protocol",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | KEY,
		   .pattern = "all|tcp|udp|icmp|icmpv6|-1|[1-9]?[0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5]",
		   .in_words = "tcp, udp, icmp, icmpv6, all, or a protocol's number from 0 to 255",
		   .about = "tcp, udp, icmp, icmpv6, all or a number"}},
	{.field = {.name = "from_port",
		   .type = FIELD_INTEGER,
		   .flags = KEY,
		   .least = -1,
		   .most = 65535,
		   .about = "first port, or ICMP type; -1 is every type"}},
	{.field = {.name = "to_port",
		   .type = FIELD_INTEGER,
		   .flags = KEY,
		   .least = -1,
		   .most = 65535,
		   .about = "last port, the first where it is not given; or ICMP code, else every code"}},
	{.field = {.name = "cidr", .type = FIELD_CIDR4, .flags = KEY, .about = "an IPv4 range"}},
	{.field = {.name = "cidr6", .type = FIELD_CIDR6, .flags = KEY, .about = "an IPv6 range"}},
	{.field = {.name = "group",
		   .type = FIELD_REFERENCE,
		   .target = "aws.security_group",
		   .beside_or_joined = "vpc",
		   .flags = KEY | PINS,
		   .about = "the members of a group; self is this one"}},
	{.field = {.name = "prefix_list",
		   .type = FIELD_STRING,
		   .flags = KEY,
		   .pattern = "pl-[0-9a-f]{8,17}",
		   .in_words = "an id such as pl-0123456789abcdef0",
		   .about = "id of a managed prefix list"}},
	{.field = {.name = "description",
		   .type = FIELD_STRING,
		   .most = 255,
		   .pattern = CHARACTERS,
		   .in_words = CHARACTERS_IN_WORDS,
		   .when_unset = UNSET_CLEAR,
		   .about = "what the rule is for"}},
};

static const struct aws_field rule = {
	.field = {.name = "rule",
		  .type = FIELD_OBJECT,
		  .members = FIELDS(rule_members),
		  .check = aws_check_rule,
		  .form = aws_rule_form},
	.encode = encode_rule,
};

static const char *const one_source[] = {"cidr", "cidr6", "group", "prefix_list", NULL};
static const struct exclusive exclusives[] = {
	{"ingress", one_source, true},
	{"egress", one_source, true},
};

static bool check_name(const struct field *field, const struct value *value, struct diagnostics *diagnostics)
{
	if (slice_ends_with(value_slice(value), SLICE(" "))) {
		diag_error(diagnostics, FAULT_USER, value->position, "'%s' of a security group cannot end with a space",
			   field->name);
		diag_hint(diagnostics, "AWS takes it away, and the group would have another name; leave it out");
		return false;
	}
	/* Names that differ in case alone are one, and each VPC has a group of this one. */
	if (slice_equal_caseless(value_slice(value), SLICE("default"))) {
		diag_error(diagnostics, FAULT_USER, value->position, "'%s' of a security group cannot be 'default'",
			   field->name);
		diag_hint(diagnostics, "the group that comes with each VPC has it; give this one another name");
		return false;
	}
	if (!slice_starts_with(value_slice(value), SLICE("sg-")))
		return true;
	diag_error(diagnostics, FAULT_USER, value->position, "'%s' of a security group cannot begin with 'sg-'",
		   field->name);
	diag_hint(diagnostics, "AWS keeps that for ids; give it another name");
	return false;
}

static const struct aws_field fields[] = {
	{.field = {.name = "name",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | IMMUTABLE | NAMES,
		   .unique_in = "vpc",
		   .any_case = true,
		   .least = 1,
		   .most = 255,
		   .pattern = CHARACTERS,
		   .in_words = CHARACTERS_IN_WORDS,
		   .check = check_name,
		   .about = "name within the VPC"},
	 .member = "GroupName"},
	{.field = {.name = "description",
		   .type = FIELD_STRING,
		   .flags = REQUIRED | IMMUTABLE,
		   .least = 1,
		   .most = 255,
		   .pattern = CHARACTERS,
		   .in_words = CHARACTERS_IN_WORDS,
		   .about = "what the group is for"},
	 .member = "Description"},
	{.field = {.name = "vpc",
		   .type = FIELD_REFERENCE,
		   .target = "aws.vpc",
		   .flags = REQUIRED | IMMUTABLE | PINS,
		   .about = "the VPC it belongs to"},
	 .member = "VpcId"},
	{.field = {.name = "ingress",
		   .type = FIELD_SET,
		   .flags = SETTLES | COMPARED,
		   .item = &rule.field,
		   .when_unset = UNSET_CONSTANT,
		   .unset_value = "[]",
		   .about = "what may come in"},
	 .read = "IpPermissions",
	 .decode = decode_rules,
	 .part = &ingress},
	{.field = {.name = "egress",
		   .type = FIELD_SET,
		   .flags = SETTLES | COMPARED,
		   .item = &rule.field,
		   .when_unset = UNSET_RELEASE,
		   .about = "what may go out; where it was never given, everything"},
	 .read = "IpPermissionsEgress",
	 .decode = decode_rules,
	 .part = &egress},
	AWS_TAGS_FIELD,
};

static const struct aws_output outputs[] = {
	{.output = {.name = "id", .pattern = "sg-[0-9a-f]{8,17}", .about = "id of the group"}, .read = "GroupId"},
	{.output = {.name = "owner", .about = "account that owns it"}, .read = "OwnerId"},
};

static const char *const absent[] = {"InvalidGroup.NotFound", NULL};
/* A group is held by rules and interfaces that are being taken away; by another group's the code may be its own
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html). */
static const char *const held[] = {"DependencyViolation", "InvalidGroup.InUse", NULL};
/* What an Auto Scaling group has launched is in no spec. */
#define OCCUPIED                                                                                                       \
	"an interface or another group's rule still names it; instances of an Auto Scaling group whose template "      \
	"names "                                                                                                       \
	"another group by now keep this one until they are replaced: replace them, and run again"
static const char *const occupied[] = {"DependencyViolation", OCCUPIED, "InvalidGroup.InUse", OCCUPIED, NULL};

#define AUTHORIZE(direction)                                                                                           \
	{"AuthorizeSecurityGroup" direction, "CidrIp", OLDER},                                                         \
		{"AuthorizeSecurityGroup" direction, "FromPort", OLDER},                                               \
		{"AuthorizeSecurityGroup" direction, "ToPort", OLDER},                                                 \
		{"AuthorizeSecurityGroup" direction, "IpProtocol", OLDER},                                             \
		{"AuthorizeSecurityGroup" direction, "SourceSecurityGroupName", OLDER},                                \
	{                                                                                                              \
		"AuthorizeSecurityGroup" direction, "SourceSecurityGroupOwnerId", OLDER                                \
	}
#define DESCRIBE(direction)                                                                                            \
	{"UpdateSecurityGroupRuleDescriptions" direction, "GroupName", NAMED},                                         \
	{                                                                                                              \
		"UpdateSecurityGroupRuleDescriptions" direction, "SecurityGroupRuleDescriptions",                      \
			"rules are told apart by what they say, not by their ids"                                      \
	}
#define OLDER "the older form of IpPermissions"
#define NAMED "groups are named by their ids; names belong to EC2-Classic"

static const struct aws_omission omitted[] = {
	AUTHORIZE("Ingress"),
	AUTHORIZE("Egress"),
	{"AuthorizeSecurityGroupIngress", "GroupName", NAMED},
	DESCRIBE("Ingress"),
	DESCRIBE("Egress"),
	{"ModifySecurityGroupRules", NULL, "but for its description a rule that differs is another rule"},
	{"AssociateSecurityGroupVpc", NULL,
	 "a group of its own in each VPC does the same, and 'vpc' says which it is in"},
	{"DisassociateSecurityGroupVpc", NULL,
	 "a group of its own in each VPC does the same, and 'vpc' says which it is in"},
	{"ApplySecurityGroupsToClientVpnTargetNetwork", NULL, "client VPN endpoints are not managed"},
};

const struct aws_kind aws_security_group = {
	.kind = {.name = "aws.security_group",
		 .about = "rules for what may reach an interface",
		 .version = 1,
		 .fields = FIELDS(fields),
		 .outputs = FIELDS(outputs),
		 .exclusives = exclusives,
		 .exclusive_count = sizeof(exclusives) / sizeof(exclusives[0])},
	.service = "ec2",
	.create = {.operation = "CreateSecurityGroup",
		   .recipe = RECIPE_TAG,
		   .tagged = "security-group",
		   .result = "GroupId",
		   .settling = young},
	.delete = {.operation = "DeleteSecurityGroup",
		   .id = "GroupId",
		   .recipe = RECIPE_CONVERGE,
		   .absent = absent,
		   .settling = held,
		   .hints = occupied},
	.holders = &aws_group_holders,
	/* Half of what the service would give: 1,000 with 120 rules each are more elements than an answer may hold. */
	.list = {.operation = "DescribeSecurityGroups", .items = "SecurityGroups", .page = 500, .filter = "group-id"},
	.tags_member = "Tags",
	.omitted = omitted,
	.omitted_count = sizeof(omitted) / sizeof(omitted[0]),
};
