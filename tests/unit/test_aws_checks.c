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
#define NAMED(name) "{\"name\":\"" name "\",\"description\":\"d\",\"vpc\":\"vpc-12345678\"}"
#define CARD(text)                                                                                                     \
	"{\"image\":\"ami-0123456789abcdef0\",\"instance_type\":\"m6i.large\",\"interfaces\":[{\"device_index\":"      \
	"0," text "}]}"
#define RULE(rest) GROUP("{" rest ",\"cidr\":\"10.0.0.0/8\"}")
#define GROUPED(rest) GROUP("{" rest ",\"group\":{\"$deferred\":\"${aws.security_group.h.id}\"}}")
#define VPN(rest) "{\"customer_gateway\":\"cgw-12345678\",\"vpn_gateway\":\"vgw-12345678\"" rest "}"
#define KEY(name) "{\"name\":\"" name "\",\"public_key\":\"ssh-ed25519 AAAA\"}"
#define SCALING(name, rest)                                                                                            \
	"{\"name\":\"" name "\",\"min\":0,\"max\":1,\"subnets\":[\"subnet-12345678\"],\"launch_template\":"            \
	"\"lt-12345678\"" rest "}"
#define HOOKED(metadata)                                                                                               \
	SCALING("g", ",\"hooks\":[{\"name\":\"h\",\"transition\":\"autoscaling:EC2_INSTANCE_LAUNCHING\","              \
		     "\"metadata\":\"" metadata "\"}]")
#define GROUP_OF(rest) SCALING("g", "," rest)
#define MAINTAINED(least, most)                                                                                        \
	GROUP_OF("\"maintenance\":{\"min_healthy_percent\":" least ",\"max_healthy_percent\":" most "}")
#define MIXED(rest)                                                                                                    \
	"{\"name\":\"g\",\"min\":0,\"max\":1,\"subnets\":[\"subnet-12345678\"],\"mixed_instances\":"                   \
	"{\"launch_template\":\"lt-12345678\"," rest "}}"
#define REQUIRES(rest) "{\"name\":\"abc\",\"requirements\":{" rest "}}"
#define REQUIRES_ALSO(rest) REQUIRES("\"vcpus_min\":2,\"memory_mib_min\":0," rest)
#define MARKET(rest) "{\"name\":\"abc\",\"market\":{\"type\":\"spot\"," rest "}}"
#define MACHINE(rest) "{\"image\":\"ami-12345678\",\"instance_type\":\"t3.micro\"," rest "}"
#define CREDITS(type) "{\"image\":\"ami-12345678\",\"instance_type\":" type ",\"credits\":\"standard\"}"
#define DISK(rest) MACHINE("\"block_devices\":[{\"device\":\"/dev/sdf\"," rest "}]")
#define TEMPLATE_DISK(rest) "{\"name\":\"abc\",\"block_devices\":[{\"device\":\"/dev/sdf\"," rest "}]}"
#define SPOT(rest) MACHINE("\"market\":{\"type\":\"spot\"" rest "}")
#define UNKNOWN "{\"$deferred\":\"${x}\"}"
#define ADDRESSES(second)                                                                                              \
	MACHINE("\"interfaces\":[{\"device_index\":0,\"addresses\":[{\"address\":\"10.0.0.4\",\"primary\":true},"      \
		"{\"address\":\"10.0.0.5\",\"primary\":" second "}]}]")
#define TRANSIT(rest) "{\"customer_gateway\":\"cgw-12345678\",\"transit_gateway\":\"tgw-12345678\"" rest "}"
#define TUNNEL(rest) VPN(",\"tunnels\":[{" rest "},{}]")
#define TUNNEL6(rest) TRANSIT(",\"tunnels\":[{\"inside_cidr6\":\"" rest "\"},{}]")
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
	{"aws.security_group", NAMED("default"), "'name' of a security group cannot be 'default'"},
	{"aws.security_group", NAMED("Default"), "'name' of a security group cannot be 'default'"},
	{"aws.security_group", NAMED("default-2"), NULL},
	{"aws.security_group", NAMED("sg-1"), "'name' of a security group cannot begin with 'sg-'"},
	{"aws.key_pair", "{\"name\":\"k\",\"public_key\":\"ssh-ed25519\"}", "'public_key' is no public key"},
	{"aws.key_pair", "{\"name\":\"k\",\"public_key\":\"ssh-ed25519 AAAA\"}", NULL},
	{"aws.key_pair", KEY("a key"), NULL},
	{"aws.key_pair", KEY("\xc3\xa9 k"), "'name' cannot be"},
	{"aws.key_pair", KEY(" k"), "'name' cannot be ' k'"},
	{"aws.key_pair", KEY("k "), "'name' cannot be 'k '"},
	{"aws.vpc", "{\"cidr\":\"169.254.0.0/16\"}", "no VPC takes the link-local range"},
	{"aws.vpc", "{\"cidr\":\"8.8.0.0/16\",\"secondary_cidrs\":[\"10.0.0.0/16\"]}", "AWS does not add 10.0.0.0/16"},
	{"aws.vpc", "{\"cidr\":\"10.0.0.0/16\",\"secondary_cidrs\":[\"8.8.0.0/16\",\"10.1.0.0/16\"]}", NULL},
	{"aws.vpc", "{\"cidr\":\"10.1.0.0/16\",\"secondary_cidrs\":[\"10.2.0.0/16\",\"10.0.0.0/20\"]}",
	 "AWS does not add 10.0.0.0/20, of 10.0.0.0/16, to a VPC that has a range of 10.0.0.0/15"},
	{"aws.vpc", "{\"cidr\":\"10.2.0.0/16\",\"secondary_cidrs\":[\"10.0.0.0/20\",\"10.1.0.0/20\"]}", NULL},
	{"aws.vpc", "{\"cidr\":\"10.2.0.0/16\",\"secondary_cidrs\":[\"10.0.0.0/20\",\"10.0.16.0/20\"]}",
	 "AWS does not add 10.0.16.0/20"},
	{"aws.vpc", "{\"cidr\":\"172.16.0.0/16\",\"secondary_cidrs\":[\"172.31.0.0/16\"]}",
	 "AWS does not add 172.31.0.0/16"},
	{"aws.vpc", "{\"cidr\":\"172.16.0.0/16\",\"secondary_cidrs\":[\"172.30.0.0/16\"]}", NULL},
	{"aws.vpc", "{\"cidr\":\"10.0.0.0/16\",\"secondary_cidrs\":[{\"$deferred\":\"${x}\"},\"169.254.1.0/24\"]}",
	 "no VPC takes the link-local range"},
	{"aws.vpc", "{\"cidr\":\"10.0.0.0/16\",\"dns_support\":false,\"dns_hostnames\":true}",
	 "'dns_hostnames' needs 'dns_support'"},
	{"aws.vpc", "{\"cidr\":\"10.0.0.0/16\",\"dns_support\":false,\"dns_hostnames\":false}", NULL},
	{"aws.vpc", "{\"cidr\":\"10.0.0.0/16\",\"dns_support\":{\"$deferred\":\"${x}\"},\"dns_hostnames\":true}", NULL},
	{"aws.vpc", "{\"cidr\":\"10.0.0.0/16\",\"dns_hostnames\":true}", NULL},
	{"aws.instance", CARD("\"prefixes\":[\"10.0.1.16/28\"],\"prefixes6\":[\"2600:1f14::/80\"]"), NULL},
	{"aws.instance", CARD("\"prefixes\":[\"10.0.1.32/27\"]"), "'prefixes' has a /27, but AWS takes a /28"},
	{"aws.instance", CARD("\"prefixes\":[\"10.0.1.32/28\",\"10.0.1.16/29\"]"),
	 "'prefixes' has a /29, but AWS takes a /28"},
	{"aws.instance", CARD("\"prefixes6\":[\"2600:1f14::/64\"]"), "'prefixes6' has a /64, but AWS takes a /80"},
	{"aws.launch_template",
	 "{\"name\":\"tmpl\",\"interfaces\":[{\"device_index\":0,\"prefixes\":[\"10.0.0.0/24\"]}]}",
	 "'prefixes' has a /24, but AWS takes a /28"},
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
	{"aws.subnet", SUBNET("\"ipv6_cidr\":\"2600:1f14::/64\",\"ipv6_native\":true,\"resource_name_dns_a\":true"),
	 "no name resolves to an IPv4 address"},
	{"aws.subnet", SUBNET("\"ipv6_cidr\":\"2600:1f14::/64\",\"ipv6_native\":true,\"public\":true"),
	 "no instance gets a public IPv4 address"},
	{"aws.subnet", SUBNET("\"ipv6_cidr\":\"2600:1f14::/64\",\"ipv6_native\":true,\"public\":false"), NULL},
	{"aws.subnet", SUBNET("\"cidr\":\"10.0.1.0/24\",\"assign_ipv6_on_creation\":true"),
	 "'assign_ipv6_on_creation' needs the field 'ipv6_cidr'"},
	{"aws.subnet", SUBNET("\"cidr\":\"10.0.1.0/24\",\"assign_ipv6_on_creation\":false"), NULL},
	{"aws.subnet", SUBNET("\"cidr\":\"10.0.1.0/24\",\"dns64\":true"), "'dns64' needs the field 'ipv6_cidr'"},
	{"aws.subnet", SUBNET("\"cidr\":\"10.0.1.0/24\",\"dns64\":false"), NULL},
	{"aws.subnet", SUBNET("\"cidr\":\"10.0.1.0/24\",\"ipv6_cidr\":\"2600:1f14::/64\",\"dns64\":true"), NULL},
	{"aws.subnet", SUBNET("\"cidr\":\"10.0.1.0/24\",\"resource_name_dns_aaaa\":true"),
	 "'resource_name_dns_aaaa' needs the field 'ipv6_cidr'"},
	{"aws.vpn_connection", VPN(",\"routes\":[\"10.0.0.0/8\"]"), "learns its routes by BGP has no 'routes'"},
	{"aws.vpn_connection", VPN(",\"routes\":[]"), NULL},
	{"aws.vpn_connection", VPN(",\"routes\":{\"$deferred\":\"${x}\"}"), NULL},
	{"aws.vpn_connection", VPN(",\"static_routes_only\":false,\"routes\":[\"10.0.0.0/8\"]"),
	 "learns its routes by BGP has no 'routes'"},
	{"aws.vpn_connection", VPN(",\"static_routes_only\":true,\"routes\":[\"10.0.0.0/8\"]"), NULL},
	{"aws.vpn_connection", VPN(",\"static_routes_only\":{\"$deferred\":\"${x}\"},\"routes\":[\"10.0.0.0/8\"]"),
	 NULL},
	{"aws.vpn_connection", VPN(",\"static_routes_only\":false,\"routes\":[]"), NULL},
	{"aws.vpn_connection", TUNNEL("\"phase1_encryption\":[\"FOO\"]"), "cannot be 'FOO'"},
	{"aws.vpn_connection", TUNNEL("\"phase2_integrity\":[\"SHA2-384\",\"SHA1\"]"), NULL},
	{"aws.vpn_connection", TUNNEL("\"phase1_dh_groups\":[1]"), "cannot be 1"},
	{"aws.vpn_connection", TUNNEL("\"phase1_dh_groups\":[5]"), "cannot be 5"},
	{"aws.vpn_connection", TUNNEL("\"phase1_dh_groups\":[2,35],\"phase2_dh_groups\":[5,37]"), NULL},
	{"aws.vpn_connection", TUNNEL("\"ike_versions\":[\"ikev3\"]"), "cannot be 'ikev3'"},
	{"aws.vpn_connection", TUNNEL("\"log_format\":\"xml\""), "'log_format' cannot be 'xml'"},
	{"aws.vpn_connection", TUNNEL("\"startup_action\":\"start\",\"ike_versions\":[\"ikev1\"]"),
	 "with IKE version 1 'startup_action' cannot be 'start'"},
	{"aws.vpn_connection", TUNNEL("\"startup_action\":\"start\",\"ike_versions\":[\"ikev1\",\"ikev2\"]"), NULL},
	{"aws.vpn_connection", TUNNEL("\"startup_action\":\"start\""), NULL},
	{"aws.vpn_connection", TUNNEL("\"rekey_margin_s\":1800,\"phase2_lifetime_s\":900"),
	 "'rekey_margin_s' is more than half of what phase 2 lasts"},
	{"aws.vpn_connection", TUNNEL("\"rekey_margin_s\":1800"), NULL},
	{"aws.vpn_connection", TUNNEL("\"phase2_lifetime_s\":900"), NULL},
	{"aws.vpn_connection", TUNNEL("\"inside_cidr6\":\"fd00::/126\""), "'inside_cidr6' needs a transit gateway"},
	{"aws.vpn_connection", TUNNEL6("fd12:3456::4/126"), NULL},
	{"aws.vpn_connection", TUNNEL6("2001:db8::/126"), "'inside_cidr6' is a /126 within fd00::/8"},
	{"aws.vpn_connection", TUNNEL6("fd00::/64"), "'inside_cidr6' is a /126 within fd00::/8"},
	{"aws.vpn_connection", VPN(",\"acceleration\":true"), "'acceleration' needs a transit gateway"},
	{"aws.vpn_connection", VPN(",\"inside_version\":\"ipv6\""), "'inside_version' needs a transit gateway"},
	{"aws.vpn_connection", VPN(",\"bandwidth\":\"large\""), "'bandwidth' needs a transit gateway"},
	{"aws.vpn_connection", VPN(",\"outside_ipv6\":true"), "'outside_ipv6' needs a transit gateway"},
	{"aws.vpn_connection", TRANSIT(",\"outside_ipv6\":true"), NULL},
	{"aws.vpn_connection", VPN(",\"local_cidr6\":\"::/0\""), "'local_cidr6' needs a transit gateway"},
	{"aws.vpn_connection", VPN(",\"acceleration\":false,\"inside_version\":\"ipv4\",\"bandwidth\":\"standard\""),
	 NULL},
	{"aws.vpn_connection", TRANSIT(",\"acceleration\":true,\"inside_version\":\"ipv6\",\"local_cidr6\":\"::/0\""),
	 NULL},
	{"aws.vpn_gateway", "{\"asn\":64512}", NULL},
	{"aws.vpn_gateway", "{\"asn\":65534}", NULL},
	{"aws.vpn_gateway", "{\"asn\":7224}", NULL},
	{"aws.vpn_gateway", "{\"asn\":17493}", NULL},
	{"aws.vpn_gateway", "{\"asn\":65535}", "'asn' cannot be 65535"},
	{"aws.vpn_gateway", "{\"asn\":4199999999}", "'asn' cannot be 4199999999"},
	{"aws.vpn_gateway", "{\"asn\":4200000000}", NULL},
	{"aws.vpn_gateway", "{\"asn\":4294967295}", "'asn' cannot be 4294967295"},
	{"aws.vpn_gateway", "{\"asn\":64511}", "'asn' cannot be 64511"},
	{"aws.customer_gateway", "{\"address\":\"203.0.113.7\",\"asn\":7224}", "'asn' cannot be 7224"},
	{"aws.customer_gateway", "{\"address\":\"203.0.113.7\",\"asn\":9059}", NULL},
	{"aws.internet_gateway", "{\"tags\":{\"\":\"x\"}}", "a tag needs a name"},
	{"aws.internet_gateway", "{\"tags\":{\"k\":\"" SIXTEEN(SIXTEEN("\xc3\xa4")) "\"}}", NULL},
	{"aws.internet_gateway", "{\"tags\":{\"k\":\"a" SIXTEEN(SIXTEEN("\xc3\xa4")) "\"}}",
	 "cannot have 257 characters"},
	{"aws.internet_gateway", "{\"tags\":{\"trueup:x\":{\"$deferred\":\"${x}\"}}}", "cannot begin with 'trueup:'"},
	{"aws.autoscaling_group", SCALING("a b", ""), NULL},
	{"aws.autoscaling_group", SCALING("a:b", ""), "'name' cannot be 'a:b'"},
	{"aws.autoscaling_group",
	 GROUP_OF("\"capacity_reservation\":{\"preference\":\"none\",\"reservations\":[\"cr-0123456789abcdef0\"]}"),
	 "'preference: none' uses no reservation"},
	{"aws.autoscaling_group",
	 GROUP_OF("\"capacity_reservation\":{\"preference\":\"none\",\"resource_groups\":[\"arn:aws:x\"]}"),
	 "'preference: none' uses no reservation"},
	{"aws.autoscaling_group",
	 GROUP_OF("\"capacity_reservation\":{\"preference\":\"capacity-reservations-first\",\"reservations\":[\"cr-"
		  "0123456789abcdef0\"]}"),
	 NULL},
	{"aws.autoscaling_group", GROUP_OF("\"capacity_reservation\":{\"preference\":\"none\"}"), NULL},
	{"aws.autoscaling_group", SCALING("a-b_c!~", ""), NULL},
	{"aws.autoscaling_group", SCALING("\xc3\xa4", ""), "'name' cannot be"},
	{"aws.autoscaling_group", SCALING("a\\tb", ""), "'name' cannot be"},
	{"aws.customer_gateway", "{\"asn\":65010}", "aws.customer_gateway needs one of 'address', 'certificate'"},
	{"aws.customer_gateway", "{\"certificate\":\"arn:aws:acm:x\"}", NULL},
	{"aws.customer_gateway", "{\"address\":\"203.0.113.7\",\"certificate\":\"arn:aws:acm:x\"}", NULL},
	{"aws.customer_gateway", "{\"address\":" UNKNOWN "}", NULL},
	{"aws.autoscaling_group", HOOKED(SIXTEEN(SIXTEEN("four"))), NULL},
	{"aws.autoscaling_group", HOOKED("\\tone line\\r\\nand another"), NULL},
	{"aws.autoscaling_group", HOOKED("\xc3\xa4"), "'metadata' cannot be"},
	{"aws.autoscaling_group",
	 "{\"name\":\"g\",\"min\":0,\"max\":1,\"subnets\":[\"subnet-12345678\"],\"launch_template\":\"lt-12345678\","
	 "\"tags\":[{\"key\":\"Aws:x\",\"value\":\"\",\"propagate\":true}]}",
	 "cannot begin with 'aws:'"},
	{"aws.autoscaling_group", MIXED("\"overrides\":[{\"instance_type\":\"\"}]"), "an override says nothing"},
	{"aws.autoscaling_group",
	 MIXED("\"overrides\":[{\"requirements\":{\"vcpus_min\":4,\"vcpus_max\":2,\"memory_mib_min\":0}}]"),
	 "'vcpus_min' is greater than 'vcpus_max'"},
	{"aws.autoscaling_group", MIXED("\"spot_pools\":21"), "'spot_pools' cannot be 21"},
	{"aws.autoscaling_group", MIXED("\"on_demand_percent\":101"), "'on_demand_percent' cannot be 101"},
	{"aws.autoscaling_group", MIXED("\"on_demand_percent\":0,\"on_demand_base\":0,\"spot_pools\":20"), NULL},
	{"aws.autoscaling_group", MIXED("\"on_demand_base\":-5"), "'on_demand_base' cannot be -5"},
	{"aws.autoscaling_group", MIXED("\"spot_max_price\":\"cheap\""), "'spot_max_price' cannot be 'cheap'"},
	{"aws.autoscaling_group", MIXED("\"spot_max_price\":\".05\",\"spot_pools\":1"), NULL},
	{"aws.autoscaling_group", MIXED("\"spot_pools\":2,\"spot_strategy\":\"price-capacity-optimized\""),
	 "'spot_pools' goes with no other 'spot_strategy'"},
	{"aws.autoscaling_group", MIXED("\"spot_pools\":2,\"spot_strategy\":\"capacity-optimized\""),
	 "'spot_pools' goes with no other 'spot_strategy'"},
	{"aws.autoscaling_group", MIXED("\"spot_pools\":2,\"spot_strategy\":\"lowest-price\""), NULL},
	{"aws.autoscaling_group", MIXED("\"spot_pools\":2,\"spot_strategy\":" UNKNOWN ""), NULL},
	{"aws.autoscaling_group",
	 MIXED("\"on_demand_strategy\":\"prioritized\",\"overrides\":[{\"requirements\":{\"vcpus_min\":2,\"memory_mib_"
	       "min\":0}}]"),
	 "'on_demand_strategy' cannot be 'prioritized'"},
	{"aws.autoscaling_group",
	 MIXED("\"on_demand_strategy\":\"lowest-price\",\"overrides\":[{\"requirements\":{\"vcpus_min\":2,\"memory_mib_"
	       "min\":0}}]"),
	 NULL},
	{"aws.autoscaling_group",
	 MIXED("\"on_demand_strategy\":\"prioritized\",\"overrides\":[{\"instance_type\":\"t3.micro\"}]"), NULL},
	{"aws.autoscaling_group", MIXED("\"on_demand_strategy\":\"prioritized\",\"overrides\":" UNKNOWN ""), NULL},
	{"aws.autoscaling_group",
	 MIXED("\"spot_strategy\":\"capacity-optimized-prioritized\",\"overrides\":[{\"requirements\":{\"vcpus_min\":2,"
	       "\"memory_mib_min\":0}}]"),
	 "'spot_strategy' cannot be 'capacity-optimized-prioritized'"},
	{"aws.autoscaling_group",
	 MIXED("\"spot_strategy\":\"capacity-optimized-prioritized\",\"overrides\":[{\"instance_type\":\"t3.micro\"}]"),
	 NULL},
	{"aws.autoscaling_group",
	 MIXED("\"overrides\":[{\"requirements\":{\"vcpus_min\":2,\"memory_mib_min\":0}},{\"requirements\":{\"vcpus_"
	       "min\":2,\"memory_mib_min\":0}},{\"requirements\":{\"vcpus_min\":2,\"memory_mib_min\":0}},{"
	       "\"requirements\":{\"vcpus_min\":2,\"memory_mib_min\":0}}]"),
	 NULL},
	{"aws.autoscaling_group",
	 MIXED("\"overrides\":[{\"requirements\":{\"vcpus_min\":2,\"memory_mib_min\":0}},{\"requirements\":{\"vcpus_"
	       "min\":2,\"memory_mib_min\":0}},{\"requirements\":{\"vcpus_min\":2,\"memory_mib_min\":0}},{"
	       "\"requirements\":{\"vcpus_min\":2,\"memory_mib_min\":0}},{\"requirements\":{\"vcpus_min\":2,\"memory_"
	       "mib_min\":0}}]"),
	 "a group has 4 sets of 'requirements' at most"},
	{"aws.autoscaling_group",
	 MIXED("\"overrides\":[{\"instance_type\":\"t3.micro\",\"weight\":\"1\"},{\"instance_type\":\"t3.small\"}]"),
	 "this override has no 'weight', but another has one"},
	{"aws.autoscaling_group",
	 MIXED("\"overrides\":[{\"instance_type\":\"t3.micro\",\"weight\":\"1\"},{\"instance_type\":\"t3.small\","
	       "\"weight\":\"2\"}]"),
	 NULL},
	{"aws.autoscaling_group",
	 MIXED("\"overrides\":[{\"instance_type\":\"t3.micro\",\"weight\":\"1\"},{\"instance_type\":\"t3.small\","
	       "\"weight\":" UNKNOWN "}]"),
	 NULL},
	{"aws.autoscaling_group",
	 MIXED("\"overrides\":[{\"requirements\":{\"vcpus_min\":2,\"memory_mib_min\":0,\"allowed_types\":[\"m5.*\"],"
	       "\"excluded_types\":[\"t2.*\"]}}]"),
	 "cannot have both 'allowed_types' and 'excluded_types'"},
	{"aws.autoscaling_group", GROUP_OF("\"cooldown_s\":-5"), "'cooldown_s' cannot be -5"},
	{"aws.autoscaling_group", GROUP_OF("\"health_check_grace_s\":99999999999"), "cannot be 99999999999"},
	{"aws.autoscaling_group", GROUP_OF("\"max_instance_lifetime_s\":7"),
	 "'max_instance_lifetime_s' cannot be less than a day"},
	{"aws.autoscaling_group", GROUP_OF("\"max_instance_lifetime_s\":0,\"warmup_s\":-1,\"cooldown_s\":0"), NULL},
	{"aws.autoscaling_group", GROUP_OF("\"max_instance_lifetime_s\":86400,\"warmup_s\":0"), NULL},
	{"aws.autoscaling_group", GROUP_OF("\"warmup_s\":-2"), "'warmup_s' cannot be -2"},
	{"aws.autoscaling_group", MAINTAINED("0", "101"), "'max_healthy_percent' is more than 100 above"},
	{"aws.autoscaling_group", MAINTAINED("0", "100"), NULL},
	{"aws.autoscaling_group", MAINTAINED("100", "200"), NULL},
	{"aws.autoscaling_group", MAINTAINED("{\"$deferred\":\"${x}\"}", "200"), NULL},
	{"aws.launch_template", REQUIRES_ALSO("\"vcpus_max\":2"), NULL},
	{"aws.launch_template", REQUIRES_ALSO("\"bandwidth_gbit_s_min\":1.5,\"bandwidth_gbit_s_max\":1"),
	 "'bandwidth_gbit_s_min' is greater than 'bandwidth_gbit_s_max'"},
	{"aws.launch_template", REQUIRES_ALSO("\"vcpus_max\":{\"$deferred\":\"${x}\"}"), NULL},
	{"aws.launch_template", REQUIRES_ALSO("\"allowed_types\":[\"m5.*\"],\"excluded_types\":[\"t2.*\"]"),
	 "cannot have both 'allowed_types' and 'excluded_types'"},
	{"aws.launch_template", REQUIRES_ALSO("\"allowed_types\":[\"m5.*\"]"), NULL},
	{"aws.launch_template", REQUIRES_ALSO("\"allowed_types\":[\"m5.*\"],\"excluded_types\":" UNKNOWN ""), NULL},
	{"aws.launch_template", REQUIRES_ALSO("\"spot_price_percent\":10,\"spot_price_of_on_demand_percent\":80"),
	 "cannot have both 'spot_price_percent' and"},
	{"aws.launch_template", REQUIRES_ALSO("\"spot_price_of_on_demand_percent\":80,\"on_demand_price_percent\":20"),
	 NULL},
	{"aws.launch_template", REQUIRES("\"vcpus_min\":0,\"memory_mib_min\":-1"), "'memory_mib_min' cannot be -1"},
	{"aws.launch_template", REQUIRES_ALSO("\"cpu_makers\":[\"zzz\"]"), "cannot be 'zzz'"},
	{"aws.launch_template", REQUIRES("\"vcpus_max\":2,\"memory_mib_min\":0"), "needs the field 'vcpus_min'"},
	{"aws.instance", MACHINE("\"hibernation\":true,\"enclave\":true"), "holds no Nitro enclaves"},
	{"aws.instance", MACHINE("\"hibernation\":true,\"enclave\":false"), NULL},
	{"aws.instance", MACHINE("\"hibernation\":{\"$deferred\":\"${x}\"},\"enclave\":true"), NULL},
	{"aws.instance", MACHINE("\"termination_protection\":true,\"market\":{\"type\":\"spot\"}"),
	 "a spot instance cannot have 'termination_protection'"},
	{"aws.instance", MACHINE("\"termination_protection\":true,\"market\":{\"type\":\"on-demand\"}"), NULL},
	{"aws.instance", MACHINE("\"termination_protection\":false,\"market\":{\"type\":\"spot\"}"), NULL},
	{"aws.instance", MACHINE("\"running\":false,\"market\":{\"type\":\"spot\"}"),
	 "the spot instance of a one-time request cannot be stopped"},
	{"aws.instance",
	 MACHINE("\"running\":false,\"market\":{\"type\":\"spot\",\"spot_type\":\"persistent\",\"interruption\":"
		 "\"stop\"}"),
	 NULL},
	{"aws.instance", MACHINE("\"running\":true,\"market\":{\"type\":\"spot\"}"), NULL},
	{"aws.instance", CREDITS("\"t3.micro\""), NULL},
	{"aws.instance", CREDITS("\"t4g.micro\""), NULL},
	{"aws.instance", CREDITS(UNKNOWN), NULL},
	{"aws.instance", CREDITS("\"m5.large\""), "an instance of type m5.large has no CPU credits"},
	{"aws.instance", CREDITS("\"trn1.2xlarge\""), "an instance of type trn1.2xlarge has no CPU credits"},
	{"aws.instance", CREDITS("\"t1.micro\""), "an instance of type t1.micro has no CPU credits"},
	{"aws.instance", DISK("\"type\":\"gp2\",\"size_gib\":1"), NULL},
	{"aws.instance", DISK("\"type\":\"gp2\",\"size_gib\":16384"), NULL},
	{"aws.instance", DISK("\"type\":\"gp2\",\"size_gib\":16385"),
	 "'size_gib' of a volume of type gp2 cannot be 16385"},
	{"aws.instance", DISK("\"type\":\"io1\",\"size_gib\":3,\"iops\":1000"),
	 "'size_gib' of a volume of type io1 cannot be 3"},
	{"aws.instance", DISK("\"type\":\"io1\",\"size_gib\":4,\"iops\":1000"), NULL},
	{"aws.instance", DISK("\"type\":\"io1\",\"size_gib\":16384,\"iops\":1000"), NULL},
	{"aws.instance", DISK("\"type\":\"io1\",\"size_gib\":16385,\"iops\":1000"),
	 "'size_gib' of a volume of type io1 cannot be 16385"},
	{"aws.instance", DISK("\"type\":\"io2\",\"size_gib\":3,\"iops\":1000"),
	 "'size_gib' of a volume of type io2 cannot be 3"},
	{"aws.instance", DISK("\"type\":\"io2\",\"size_gib\":4,\"iops\":1000"), NULL},
	{"aws.instance", DISK("\"type\":\"io2\",\"size_gib\":65536,\"iops\":1000"), NULL},
	{"aws.instance", DISK("\"type\":\"st1\",\"size_gib\":124"), "'size_gib' of a volume of type st1 cannot be 124"},
	{"aws.instance", DISK("\"type\":\"st1\",\"size_gib\":125"), NULL},
	{"aws.instance", DISK("\"type\":\"st1\",\"size_gib\":16384"), NULL},
	{"aws.instance", DISK("\"type\":\"st1\",\"size_gib\":16385"),
	 "'size_gib' of a volume of type st1 cannot be 16385"},
	{"aws.instance", DISK("\"type\":\"sc1\",\"size_gib\":124"), "'size_gib' of a volume of type sc1 cannot be 124"},
	{"aws.instance", DISK("\"type\":\"sc1\",\"size_gib\":125"), NULL},
	{"aws.instance", DISK("\"type\":\"sc1\",\"size_gib\":16384"), NULL},
	{"aws.instance", DISK("\"type\":\"sc1\",\"size_gib\":16385"),
	 "'size_gib' of a volume of type sc1 cannot be 16385"},
	{"aws.instance", DISK("\"type\":\"standard\",\"size_gib\":1"), NULL},
	{"aws.instance", DISK("\"type\":\"standard\",\"size_gib\":1024"), NULL},
	{"aws.instance", DISK("\"type\":\"standard\",\"size_gib\":1025"),
	 "'size_gib' of a volume of type standard cannot be 1025"},
	{"aws.instance", DISK("\"type\":\"gp3\",\"size_gib\":1"), NULL},
	{"aws.instance", DISK("\"type\":\"gp3\",\"size_gib\":65536"), NULL},
	{"aws.instance", DISK("\"type\":\"gp3\",\"iops\":2999"), "'iops' of a volume of type gp3 cannot be 2999"},
	{"aws.instance", DISK("\"type\":\"gp3\",\"iops\":3000"), NULL},
	{"aws.instance", DISK("\"type\":\"gp3\",\"iops\":80000"), NULL},
	{"aws.instance", DISK("\"type\":\"gp3\",\"iops\":80001"), "'iops' of a volume of type gp3 cannot be 80001"},
	{"aws.instance", DISK("\"type\":\"io1\",\"iops\":100"), NULL},
	{"aws.instance", DISK("\"type\":\"io1\",\"iops\":64000"), NULL},
	{"aws.instance", DISK("\"type\":\"io1\",\"iops\":64001"), "'iops' of a volume of type io1 cannot be 64001"},
	{"aws.instance", DISK("\"type\":\"io2\",\"iops\":100"), NULL},
	{"aws.instance", DISK("\"type\":\"io2\",\"iops\":256000"), NULL},
	{"aws.instance", DISK("\"type\":\"gp2\",\"iops\":3000"), "a volume of type gp2 takes no 'iops'"},
	{"aws.instance", DISK("\"type\":\"st1\",\"iops\":3000"), "a volume of type st1 takes no 'iops'"},
	{"aws.instance", DISK("\"type\":\"sc1\",\"iops\":3000"), "a volume of type sc1 takes no 'iops'"},
	{"aws.instance", DISK("\"type\":\"standard\",\"iops\":3000"), "a volume of type standard takes no 'iops'"},
	{"aws.instance", DISK("\"type\":\"io1\""), "a volume of type io1 needs the field 'iops'"},
	{"aws.instance", DISK("\"type\":\"io1\",\"iops\":100,\"throughput_mib_s\":125"),
	 "a volume of type io1 takes no 'throughput_mib_s'"},
	{"aws.instance", DISK("\"type\":\"io2\""), "a volume of type io2 needs the field 'iops'"},
	{"aws.instance", DISK("\"type\":\"io2\",\"iops\":100,\"throughput_mib_s\":125"),
	 "a volume of type io2 takes no 'throughput_mib_s'"},
	{"aws.instance", DISK("\"type\":\"io2\",\"iops\":" UNKNOWN), NULL},
	{"aws.instance", DISK("\"type\":" UNKNOWN ",\"size_gib\":1,\"throughput_mib_s\":125"), NULL},
	{"aws.instance", DISK("\"iops\":3000,\"throughput_mib_s\":125"), NULL},
	{"aws.instance", DISK("\"type\":\"gp3\",\"throughput_mib_s\":2000"), NULL},
	{"aws.instance", DISK("\"type\":\"gp3\""), NULL},
	{"aws.instance", DISK("\"type\":\"io1\",\"suppressed\":true"), NULL},
	{"aws.instance", DISK("\"type\":\"io1\",\"suppressed\":false"), "a volume of type io1 needs the field 'iops'"},
	{"aws.launch_template", TEMPLATE_DISK("\"type\":\"gp2\",\"throughput_mib_s\":125"),
	 "a volume of type gp2 takes no 'throughput_mib_s'"},
	{"aws.launch_template", TEMPLATE_DISK("\"type\":\"gp2\",\"size_gib\":8"), NULL},
	{"aws.instance", SPOT(",\"spot_type\":\"persistent\",\"interruption\":\"terminate\""),
	 "an interruption cannot terminate the instance of a persistent"},
	{"aws.instance", SPOT(",\"spot_type\":\"one-time\",\"interruption\":\"terminate\""), NULL},
	{"aws.instance", SPOT(",\"spot_type\":\"persistent\""), "a persistent spot request needs 'interruption'"},
	{"aws.instance", SPOT(",\"spot_type\":\"persistent\",\"interruption\":\"stop\""), NULL},
	{"aws.instance", SPOT(",\"spot_type\":\"persistent\",\"interruption\":" UNKNOWN), NULL},
	{"aws.instance", MACHINE("\"hibernation\":true,\"market\":{\"type\":\"spot\",\"spot_type\":\"persistent\"}"),
	 NULL},
	{"aws.instance",
	 MACHINE("\"hibernation\":" UNKNOWN ",\"market\":{\"type\":\"spot\",\"spot_type\":\"persistent\"}"), NULL},
	{"aws.instance", MACHINE("\"hibernation\":false,\"market\":{\"type\":\"spot\",\"spot_type\":\"persistent\"}"),
	 "a persistent spot request needs 'interruption'"},
	{"aws.instance", MACHINE("\"hibernation\":true,\"market\":{\"type\":\"spot\",\"interruption\":\"stop\"}"),
	 "a spot instance with 'hibernation' hibernates it"},
	{"aws.instance", MACHINE("\"hibernation\":true,\"market\":{\"type\":\"spot\",\"interruption\":\"terminate\"}"),
	 "a spot instance with 'hibernation' hibernates it"},
	{"aws.instance", MACHINE("\"hibernation\":true,\"market\":{\"type\":\"spot\",\"interruption\":\"hibernate\"}"),
	 NULL},
	{"aws.instance",
	 MACHINE("\"hibernation\":" UNKNOWN ",\"market\":{\"type\":\"spot\",\"interruption\":\"stop\"}"), NULL},
	{"aws.instance", SPOT(",\"valid_until\":\"2030-01-31T12:00:00Z\""),
	 "only a persistent spot request has a 'valid_until'"},
	{"aws.instance", SPOT(",\"valid_until\":\"2030-01-31T12:00:00Z\",\"spot_type\":\"one-time\""),
	 "only a persistent spot request has a 'valid_until'"},
	{"aws.instance", SPOT(",\"valid_until\":\"2030-01-31T12:00:00Z\",\"spot_type\":" UNKNOWN), NULL},
	{"aws.instance",
	 SPOT(",\"valid_until\":\"2030-01-31T12:00:00Z\",\"spot_type\":\"persistent\",\"interruption\":\"stop\""),
	 NULL},
	{"aws.instance", SPOT(",\"valid_until\":\"\""), NULL},
	{"aws.instance", SPOT(",\"valid_until\":" UNKNOWN), NULL},
	{"aws.instance", MACHINE("\"cpu\":{\"cores\":2}"), "'cores' needs 'threads_per_core' beside it"},
	{"aws.instance", MACHINE("\"cpu\":{\"threads_per_core\":1}"), "'threads_per_core' needs 'cores' beside it"},
	{"aws.instance", MACHINE("\"cpu\":{\"cores\":2,\"threads_per_core\":1}"), NULL},
	{"aws.instance", MACHINE("\"cpu\":{\"nested_virtualization\":\"enabled\"}"), NULL},
	{"aws.instance", MACHINE("\"cpu\":{\"cores\":2,\"threads_per_core\":" UNKNOWN "}"), NULL},
	{"aws.instance", MACHINE("\"cpu\":{\"cores\":" UNKNOWN "}"), NULL},
	{"aws.instance",
	 MACHINE("\"capacity_reservation\":{\"preference\":\"open\",\"reservation\":\"cr-0123456789abcdef0\"}"),
	 "names no reservation, but 'reservation' does"},
	{"aws.instance",
	 MACHINE("\"capacity_reservation\":{\"preference\":\"none\",\"reservation\":\"cr-0123456789abcdef0\"}"),
	 "names no reservation, but 'reservation' does"},
	{"aws.instance",
	 MACHINE("\"capacity_reservation\":{\"preference\":\"none\",\"resource_group\":\"arn:aws:resource-groups:x\"}"),
	 "names no reservations, but 'resource_group' does"},
	{"aws.instance",
	 MACHINE("\"capacity_reservation\":{\"preference\":\"capacity-reservations-only\",\"reservation\":\"cr-"
		 "0123456789abcdef0\"}"),
	 NULL},
	{"aws.instance", MACHINE("\"capacity_reservation\":{\"resource_group\":\"arn:aws:resource-groups:x\"}"), NULL},
	{"aws.instance", MACHINE("\"capacity_reservation\":{\"preference\":\"open\"}"), NULL},
	{"aws.instance",
	 MACHINE("\"capacity_reservation\":{\"preference\":" UNKNOWN ",\"reservation\":\"cr-0123456789abcdef0\"}"),
	 NULL},
	{"aws.instance", ADDRESSES("true"), "two of 'addresses' of one interface are 'primary'"},
	{"aws.instance", ADDRESSES("false"), NULL},
	{"aws.instance", ADDRESSES(UNKNOWN), NULL},
	{"aws.launch_template", "{\"name\":\"abc\",\"cpu\":{\"cores\":2}}",
	 "'cores' needs 'threads_per_core' beside it"},
	{"aws.launch_template", "{\"name\":\"abc\",\"cpu\":{\"amd_sev_snp\":\"enabled\"}}", NULL},
	{"aws.launch_template",
	 "{\"name\":\"abc\",\"capacity_reservation\":{\"preference\":\"open\",\"reservation\":\"cr-0123456789abcdef0\"}"
	 "}",
	 "names no reservation, but 'reservation' does"},
	{"aws.launch_template",
	 "{\"name\":\"abc\",\"capacity_reservation\":{\"reservation\":\"cr-0123456789abcdef0\"}}", NULL},
	{"aws.launch_template",
	 "{\"name\":\"abc\",\"market\":{\"type\":\"spot\",\"valid_until\":\"2030-01-31T12:00:00Z\"}}",
	 "only a persistent spot request has a 'valid_until'"},
	{"aws.launch_template",
	 "{\"name\":\"abc\",\"market\":{\"type\":\"spot\",\"spot_type\":\"persistent\",\"interruption\":\"terminate\"}"
	 "}",
	 NULL},
	{"aws.launch_template",
	 "{\"name\":\"abc\",\"interfaces\":[{\"device_index\":0,\"addresses\":[{\"address\":\"10.0.0.4\",\"primary\":"
	 "true},{\"address\":\"10.0.0.5\",\"primary\":true}]}]}",
	 "two of 'addresses' of one interface are 'primary'"},
	{"aws.launch_template", MARKET("\"valid_until\":\"tomorrow\""), "'valid_until' cannot be 'tomorrow'"},
	{"aws.launch_template",
	 MARKET("\"spot_type\":\"persistent\",\"valid_until\":\"2030-01-31T12:00:00.000Z\",\"max_price\":\"\""), NULL},
	{"aws.launch_template", MARKET("\"max_price\":\"cheap\""), "'max_price' cannot be 'cheap'"},
	{"aws.launch_template", "{\"name\":\"abc\",\"block_devices\":[{\"device\":\"\"}]}", "'device' cannot"},
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
