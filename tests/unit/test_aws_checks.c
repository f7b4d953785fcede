#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/json.h"
#include "reconcile/schema.h"
#include "tests/unit/support_aws_kinds.h"

/* What validate knows of AWS without asking: fields as given, and what becomes of them or is said of them. */

#define FOUR(text) text text text text
#define SIXTEEN(text) FOUR(FOUR(text))
#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define GROUP(rules) "{\"name\":\"g\",\"description\":\"d\",\"vpc\":\"vpc-12345678\",\"ingress\":[" rules "]}"
#define RULE(rest) GROUP("{" rest ",\"cidr\":\"10.0.0.0/8\"}")
#define GROUPED(rest) GROUP("{" rest ",\"group\":{\"$deferred\":\"${aws.security_group.h.id}\"}}")
#define VPN(rest) "{\"customer_gateway\":\"cgw-12345678\",\"vpn_gateway\":\"vgw-12345678\"" rest "}"
#define SUBNET(rest) "{\"vpc\":\"vpc-12345678\"," rest "}"

static const struct check_row {
	const char *kind, *given;
	const char *said; /* part of the first message; NULL: it is taken */
} rows[] = {
	{"aws.security_group", RULE("\"protocol\":\"tcp\",\"from_port\":22"), NULL},
	{"aws.security_group", RULE("\"protocol\":\"-1\""), NULL},
	{"aws.security_group", RULE("\"protocol\":\"255\""), NULL},
	{"aws.security_group", RULE("\"protocol\":\"256\""), "'protocol' cannot be '256'"},
	{"aws.security_group", RULE("\"protocol\":\"06\",\"from_port\":22"), "'protocol' cannot be '06'"},
	{"aws.security_group", RULE("\"protocol\":\"tcp\""), "a rule for protocol 'tcp' needs 'from_port'"},
	{"aws.security_group", GROUPED("\"protocol\":\"tcp\""), "a rule for protocol 'tcp' needs 'from_port'"},
	{"aws.security_group", GROUPED("\"protocol\":\"tcp\",\"from_port\":{\"$deferred\":\"${x}\"}"), NULL},
	{"aws.security_group", RULE("\"protocol\":\"17\",\"to_port\":22"),
	 "a rule for protocol '17' needs 'from_port'"},
	{"aws.security_group", RULE("\"protocol\":\"tcp\",\"from_port\":23,\"to_port\":22"),
	 "'from_port' 23 is greater than 'to_port' 22"},
	{"aws.security_group", RULE("\"protocol\":\"tcp\",\"from_port\":-1,\"to_port\":-1"),
	 "a port is from 0 to 65535"},
	{"aws.security_group", RULE("\"protocol\":\"udp\",\"from_port\":1,\"to_port\":65536"),
	 "'to_port' cannot be 65536"},
	{"aws.security_group", RULE("\"protocol\":\"all\",\"from_port\":0,\"to_port\":65535"), NULL},
	{"aws.security_group", RULE("\"protocol\":\"all\",\"from_port\":22,\"to_port\":22"),
	 "a rule for protocol 'all' lets every port through"},
	{"aws.security_group", RULE("\"protocol\":\"50\",\"from_port\":22"),
	 "a rule for protocol '50' lets every port through"},
	{"aws.security_group", RULE("\"protocol\":\"icmp\",\"from_port\":8,\"to_port\":0"), NULL},
	{"aws.security_group", RULE("\"protocol\":\"icmp\",\"from_port\":256"),
	 "an ICMP type or code is from 0 to 255"},
	{"aws.security_group", RULE("\"protocol\":\"icmpv6\",\"to_port\":3"), "an ICMP code, 'to_port', needs a type"},
	{"aws.security_group", RULE("\"protocol\":\"1\",\"from_port\":-1,\"to_port\":3"),
	 "an ICMP code, 'to_port', needs a type"},
	{"aws.security_group",
	 GROUP("{\"protocol\":\"6\",\"from_port\":22,\"cidr\":\"10.0.0.0/8\",\"description\":\"a\"},"
	       "{\"protocol\":\"tcp\",\"from_port\":22,\"to_port\":22,\"cidr\":\"10.0.0.0/8\"}"),
	 "'ingress' has two different entries for 'tcp 22 22 10.0.0.0/8'"},
	{"aws.security_group",
	 "{\"name\":\"g\",\"description\":\"d\",\"vpc\":\"vpc-12345678\",\"egress\":[{\"protocol\":\"all\"}]}",
	 "needs one of 'cidr', 'cidr6'"},
	{"aws.key_pair", "{\"name\":\"k\",\"public_key\":\"ssh-ed25519\"}", "'public_key' is no public key"},
	{"aws.key_pair", "{\"name\":\"k\",\"public_key\":\"ssh-ed25519 AAAA\"}", NULL},
	{"aws.vpc", "{\"cidr\":\"169.254.0.0/16\"}", "no VPC takes the link-local range"},
	{"aws.vpc", "{\"cidr\":\"8.8.0.0/16\",\"secondary_cidrs\":[\"10.0.0.0/16\"]}", "AWS does not add 10.0.0.0/16"},
	{"aws.vpc", "{\"cidr\":\"10.0.0.0/16\",\"secondary_cidrs\":[\"8.8.0.0/16\",\"10.1.0.0/16\"]}", NULL},
	{"aws.vpc", "{\"cidr\":\"10.0.0.0/16\",\"secondary_cidrs\":[{\"$deferred\":\"${x}\"},\"169.254.1.0/24\"]}",
	 "no VPC takes the link-local range"},
	{"aws.subnet", SUBNET("\"cidr\":\"10.0.1.0/24\",\"ipv6_native\":false"), NULL},
	{"aws.subnet", SUBNET("\"ipv6_cidr\":\"2600:1f14::/44\",\"cidr\":\"10.0.1.0/24\""), NULL},
	{"aws.subnet", SUBNET("\"ipv6_cidr\":\"2600:1f14::/62\",\"cidr\":\"10.0.1.0/24\""),
	 "'ipv6_cidr' is a /62, but AWS takes"},
	{"aws.subnet", SUBNET("\"ipv6_cidr\":\"2600:1f14::/40\",\"cidr\":\"10.0.1.0/24\""),
	 "'ipv6_cidr' is a /40, but AWS takes"},
	{"aws.subnet", SUBNET("\"ipv6_cidr\":\"2600:1f14::/64\""), "a subnet needs the field 'cidr'"},
	{"aws.subnet", SUBNET("\"ipv6_cidr\":\"2600:1f14::/64\",\"ipv6_native\":false"),
	 "a subnet needs the field 'cidr'"},
	{"aws.subnet", SUBNET("\"ipv6_cidr\":\"2600:1f14::/64\",\"ipv6_native\":true"), NULL},
	{"aws.subnet", SUBNET("\"ipv6_cidr\":\"2600:1f14::/64\",\"ipv6_native\":{\"$deferred\":\"${x}\"}"), NULL},
	{"aws.subnet", SUBNET("\"ipv6_native\":true"), "a subnet of IPv6 alone needs the field 'ipv6_cidr'"},
	{"aws.subnet", SUBNET("\"cidr\":\"10.0.1.0/24\",\"ipv6_native\":true"), "a subnet of IPv6 alone has no 'cidr'"},
	{"aws.subnet", SUBNET("\"ipv6_cidr\":\"2600:1f14::/64\",\"ipv6_native\":true,\"hostname_type\":\"ip-name\""),
	 "no host name can come from an IPv4 address"},
	{"aws.subnet", SUBNET("\"cidr\":\"10.0.1.0/24\",\"assign_ipv6_on_creation\":true"),
	 "'assign_ipv6_on_creation' needs the field 'ipv6_cidr'"},
	{"aws.subnet", SUBNET("\"cidr\":\"10.0.1.0/24\",\"assign_ipv6_on_creation\":false"), NULL},
	{"aws.vpn_connection", VPN(",\"routes\":[\"10.0.0.0/8\"]"), NULL},
	{"aws.vpn_connection", VPN(",\"static_routes_only\":false,\"routes\":[\"10.0.0.0/8\"]"),
	 "learns its routes by BGP has no 'routes'"},
	{"aws.vpn_connection", VPN(",\"static_routes_only\":true,\"routes\":[\"10.0.0.0/8\"]"), NULL},
	{"aws.vpn_connection", VPN(",\"static_routes_only\":{\"$deferred\":\"${x}\"},\"routes\":[\"10.0.0.0/8\"]"),
	 NULL},
	{"aws.vpn_connection", VPN(",\"static_routes_only\":false,\"routes\":[]"), NULL},
	{"aws.vpn_gateway", "{\"asn\":64512}", NULL},
	{"aws.vpn_gateway", "{\"asn\":65534}", NULL},
	{"aws.vpn_gateway", "{\"asn\":7224}", NULL},
	{"aws.vpn_gateway", "{\"asn\":17493}", NULL},
	{"aws.vpn_gateway", "{\"asn\":65535}", "'asn' cannot be 65535"},
	{"aws.vpn_gateway", "{\"asn\":4199999999}", "'asn' cannot be 4199999999"},
	{"aws.vpn_gateway", "{\"asn\":4200000000}", NULL},
	{"aws.vpn_gateway", "{\"asn\":4294967295}", "'asn' cannot be 4294967295"},
	{"aws.vpn_gateway", "{\"asn\":64511}", "'asn' cannot be 64511"},
	{"aws.internet_gateway", "{\"tags\":{\"\":\"x\"}}", "a tag needs a name"},
	{"aws.internet_gateway", "{\"tags\":{\"k\":\"" SIXTEEN(SIXTEEN("\xc3\xa4")) "\"}}", NULL},
	{"aws.internet_gateway", "{\"tags\":{\"k\":\"a" SIXTEEN(SIXTEEN("\xc3\xa4")) "\"}}",
	 "cannot have 257 characters"},
	{"aws.internet_gateway", "{\"tags\":{\"trueup:x\":{\"$deferred\":\"${x}\"}}}", "cannot begin with 'trueup:'"},
	{"aws.autoscaling_group",
	 "{\"name\":\"g\",\"min\":0,\"max\":1,\"subnets\":[\"subnet-12345678\"],\"launch_template\":\"lt-12345678\","
	 "\"tags\":[{\"key\":\"Aws:x\",\"value\":\"\",\"propagate\":true}]}",
	 "cannot begin with 'aws:'"},
	{"aws.autoscaling_group",
	 "{\"name\":\"g\",\"min\":0,\"max\":1,\"subnets\":[\"subnet-12345678\"],\"mixed_instances\":"
	 "{\"launch_template\":\"lt-12345678\",\"overrides\":[{\"instance_type\":\"\"}]}}",
	 "an override says nothing"},
};

static void check_row(const struct aws_kind *kind, const struct check_row *row)
{
	struct diagnostics diagnostics;
	struct value given, canonical;
	struct arena arena;
	struct slice said = {0};

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	assert_true(json_read(&arena, slice_of(row->given), true, 65536, "the row", &given, &diagnostics));
	if (schema_check(&kind->kind, &given, &arena, &canonical, &diagnostics) && kind->kind.check)
		(void)kind->kind.check(&kind->kind, &canonical, &diagnostics);
	if (diagnostics.count > 0)
		said = diagnostics.items[0].message;
	if (row->said ? !slice_contains(said, slice_of(row->said)) : said.size > 0)
		kind_report(kind, "%s: '%.*s'", row->given, SLICE_ARGUMENTS(said));
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

static void check(const struct aws_kind *kind)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].kind, kind->kind.name) == 0)
			check_row(kind, &rows[i]);
}

int main(void)
{
	return kinds_try(check);
}
