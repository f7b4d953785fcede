#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/unit/support_overlap.h"

/* "line:column<related line:column message | hint" for each. */
static struct slice told(struct plan *plan)
{
	struct slice text = SLICE("");

	for (size_t i = 0; i < plan->diagnostics.count; i++) {
		const struct diag *diag = &plan->diagnostics.items[i];

		text = arena_format(&plan->arena, "%.*s%u:%u<%u:%u %.*s%s%.*s\n", SLICE_ARGUMENTS(text),
				    diag->position.line, diag->position.column, diag->related.line,
				    diag->related.column, SLICE_ARGUMENTS(diag->message),
				    diag->hint.size > 0 ? " | " : "", SLICE_ARGUMENTS(diag->hint));
	}
	return text;
}

#define NET(name, desired)                                                                                             \
	{                                                                                                              \
		"test.net", name, desired                                                                              \
	}
#define REFERENCE(address) "{\"$deferred\":\"${" address ".id}\"}"
#define SUBNET(name, net, cidr)                                                                                        \
	{                                                                                                              \
		"test.subnet", name, "{\"net\":" REFERENCE("test.net." net) ",\"cidr\":\"" cidr "\"}"                  \
	}
#define PART(name, net, part)                                                                                          \
	{                                                                                                              \
		"test.subnet", name,                                                                                   \
			"{\"net\":" REFERENCE("test.net." net) ",\"part\":{\"$deferred\":\"${" part "}\"}}"            \
	}
#define OWN(bits, number) "cidr_subnet(test.net.a.own, " bits ", " number ")"
#define GATEWAY(name, net)                                                                                             \
	{                                                                                                              \
		"test.gateway", name, "{\"net\":" REFERENCE("test.net." net) "}"                                       \
	}
#define PEERING(name, first, second)                                                                                   \
	{                                                                                                              \
		"test.peering", name,                                                                                  \
			"{\"ends\":[" REFERENCE("test.net." first) "," REFERENCE("test.net." second) "]}"              \
	}
#define TABLE(name, net, peerings)                                                                                     \
	{                                                                                                              \
		"test.table", name, "{\"net\":" REFERENCE("test.net." net) ",\"peerings\":" peerings "}"               \
	}
#define CUSTOMER(name, address)                                                                                        \
	{                                                                                                              \
		"test.customer", name, "{\"address\":" address "}"                                                     \
	}
/* Two networks, each with a connection to a customer gateway of its own. */
#define OF_TWO_CUSTOMERS(first, second)                                                                                \
	{                                                                                                              \
		NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), NET("b", "{\"cidr\":\"10.0.128.0/17\"}"), GATEWAY("g", "a"),   \
			GATEWAY("h", "b"), CUSTOMER("c", first), CUSTOMER("d", second),                                \
			CONNECTION("x", "g", "c", "[]"), CONNECTION("y", "h", "d", "[]")                               \
	}
#define CONNECTION(name, gateway, customer, routes)                                                                    \
	{                                                                                                              \
		"test.connection", name,                                                                               \
			"{\"gateway\":" REFERENCE("test.gateway." gateway) ",\"customer\":" REFERENCE(                 \
				"test.customer." customer) ",\"routes\":" routes "}"                                   \
	}

#define BOTH_BEYOND                                                                                                    \
	"both lead to the far end: keep the wider one if the same network lies behind both; if the narrower one is "   \
	"one by itself, name it under 'reserved' in 'address_space'"

static void test_rows(void **state)
{
	static const struct {
		const char *name;
		struct {
			const char *kind, *name, *desired;
		} resources[8];
		const char *reserved[3], *networks[3];
		const char *wanted;
	} rows[] = {
		{"nothing", {{0}}, {0}, {0}, ""},
		{"apart",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), NET("b", "{\"cidr\":\"10.1.0.0/16\"}"),
		  PEERING("p", "a", "b")},
		 {0},
		 {0},
		 ""},
		{"equal but never meeting",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), NET("b", "{\"cidr\":\"10.0.0.0/16\"}")},
		 {0},
		 {0},
		 ""},
		{"equal and peered",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), NET("b", "{\"cidr\":\"10.0.0.0/16\"}"),
		  PEERING("p", "a", "b")},
		 {0},
		 {0},
		 "2:1<1:1 10.0.0.0/16 of 'test.net.b' overlaps 10.0.0.0/16 of 'test.net.a', and the two meet by VPN or "
		 "peering | the nearest free range of this size is 10.1.0.0/16\n"},
		{"nested, the inner one first",
		 {NET("a", "{\"cidr\":\"10.3.4.0/24\"}"), NET("b", "{\"cidr\":\"10.0.0.0/8\"}"),
		  PEERING("p", "a", "b")},
		 {0},
		 {0},
		 "2:1<1:1 10.0.0.0/8 of 'test.net.b' overlaps 10.3.4.0/24 of 'test.net.a', and the two meet by VPN or "
		 "peering\n"},
		{"by a customer gateway of two connections",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"),
		  NET("b", "{\"cidr\":\"10.0.128.0/17\"}"),
		  GATEWAY("g", "a"),
		  GATEWAY("h", "b"),
		  {"test.customer", "c", "{}"},
		  CONNECTION("x", "g", "c", "[]"),
		  CONNECTION("y", "h", "c", "[]")},
		 {0},
		 {0},
		 "2:1<1:1 10.0.128.0/17 of 'test.net.b' overlaps 10.0.0.0/16 of 'test.net.a', and the two meet by VPN "
		 "or "
		 "peering | the nearest free range of this size is 10.1.0.0/17\n"},
		{"by two customer gateways of one address",
		 OF_TWO_CUSTOMERS("\"198.51.100.7\"", "\"198.51.100.7\""),
		 {0},
		 {0},
		 "2:1<1:1 10.0.128.0/17 of 'test.net.b' overlaps 10.0.0.0/16 of 'test.net.a', and the two meet by VPN "
		 "or peering | the nearest free range of this size is 10.1.0.0/17\n"},
		{"by two customer gateways of one address, IPv6",
		 OF_TWO_CUSTOMERS("\"2001:db8::7\"", "\"2001:db8::7\""),
		 {0},
		 {0},
		 "2:1<1:1 10.0.128.0/17 of 'test.net.b' overlaps 10.0.0.0/16 of 'test.net.a', and the two meet by VPN "
		 "or peering | the nearest free range of this size is 10.1.0.0/17\n"},
		{"by two customer gateways of one address that is not known yet",
		 OF_TWO_CUSTOMERS(REFERENCE("test.net.a"), REFERENCE("test.net.a")),
		 {0},
		 {0},
		 "2:1<1:1 10.0.128.0/17 of 'test.net.b' overlaps 10.0.0.0/16 of 'test.net.a', and the two meet by VPN "
		 "or peering | the nearest free range of this size is 10.1.0.0/17\n"},
		{"customer gateways of two addresses",
		 OF_TWO_CUSTOMERS("\"198.51.100.7\"", "\"198.51.100.8\""),
		 {0},
		 {0},
		 ""},
		{"customer gateways of two addresses that are not known yet",
		 OF_TWO_CUSTOMERS(REFERENCE("test.net.a"), REFERENCE("test.net.b")),
		 {0},
		 {0},
		 ""},
		{"customer gateways of addresses that nobody knows",
		 OF_TWO_CUSTOMERS("{\"$unread\":true}", "{\"$unread\":true}"),
		 {0},
		 {0},
		 ""},
		{"by a gateway outside the spec",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"),
		  NET("b", "{\"cidr\":\"10.0.0.0/17\"}"),
		  {"test.peering", "p", "{\"ends\":[" REFERENCE("test.net.a") ",\"net-1\"]}"},
		  {"test.peering", "q", "{\"ends\":[" REFERENCE("test.net.b") ",\"net-1\"]}"}},
		 {0},
		 {0},
		 "2:1<1:1 10.0.0.0/17 of 'test.net.b' overlaps 10.0.0.0/16 of 'test.net.a', and the two meet by VPN or "
		 "peering | the nearest free range of this size is 10.1.0.0/17\n"},
		{"ends of one peering, by two tables of one of them",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\",\"cidr6\":\"fd00::/48\"}"),
		  NET("b", "{\"cidr\":\"10.0.0.0/17\",\"cidr6\":\"fd00::/48\"}"), TABLE("t", "a", "[\"p\",\"p\"]"),
		  TABLE("u", "a", "[\"p\"]"), TABLE("v", "b", "[\"q\",\"p\"]")},
		 {0},
		 {"10.0.128.0/17"},
		 "2:1<1:1 10.0.0.0/17 of 'test.net.b' overlaps 10.0.0.0/16 of 'test.net.a', and the two meet by "
		 "peering "
		 "| the nearest free range of this size is 10.1.0.0/17\n"
		 "2:2<1:2 fd00::/48 of 'test.net.b' overlaps fd00::/48 of 'test.net.a', and the two meet by peering | "
		 "the nearest free range of this size is fd00:0:1::/48\n"},
		{"ends of two peerings do not meet in the middle",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), NET("b", "{\"cidr\":\"10.1.0.0/16\"}"),
		  NET("c", "{\"cidr\":\"10.0.0.0/16\"}"), TABLE("t", "a", "[\"p\"]"), TABLE("u", "b", "[\"p\",\"q\"]"),
		  TABLE("v", "c", "[\"q\"]")},
		 {0},
		 {0},
		 ""},
		{"ends of a peering in one domain are told once",
		 {NET("a", "{\"cidr\":\"8.0.0.0/16\",\"more\":[\"8.0.1.0/24\"]}"),
		  NET("b", "{\"cidr\":\"8.0.0.0/17\"}"), PEERING("p", "a", "b"), TABLE("t", "a", "[\"p\"]"),
		  TABLE("u", "b", "[\"p\"]")},
		 {0},
		 {0},
		 "1:2<1:1 8.0.1.0/24 of 'test.net.a' overlaps 8.0.0.0/16 of 'test.net.a'\n"
		 "2:1<1:1 8.0.0.0/17 of 'test.net.b' overlaps 8.0.0.0/16 of 'test.net.a', and the two meet by VPN or "
		 "peering\n"
		 "2:1<1:2 8.0.0.0/17 of 'test.net.b' overlaps 8.0.1.0/24 of 'test.net.a', and the two meet by VPN or "
		 "peering\n"},
		{"of one resource",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\",\"more\":[\"10.1.0.0/16\",\"10.0.4.0/24\"]}")},
		 {0},
		 {0},
		 "1:3<1:1 10.0.4.0/24 of 'test.net.a' overlaps 10.0.0.0/16 of 'test.net.a' | the nearest free range of "
		 "this "
		 "size is 10.2.0.0/24\n"},
		{"three equal ones are three pairs",
		 {NET("a", "{\"more\":[\"10.0.0.0/9\",\"10.0.0.0/9\",\"10.0.0.0/9\"]}")},
		 {0},
		 {0},
		 "1:2<1:1 10.0.0.0/9 of 'test.net.a' overlaps 10.0.0.0/9 of 'test.net.a' | the nearest free range of "
		 "this "
		 "size is 10.128.0.0/9\n"
		 "1:3<1:1 10.0.0.0/9 of 'test.net.a' overlaps 10.0.0.0/9 of 'test.net.a' | the nearest free range of "
		 "this "
		 "size is 10.128.0.0/9\n"
		 "1:3<1:2 10.0.0.0/9 of 'test.net.a' overlaps 10.0.0.0/9 of 'test.net.a' | the nearest free range of "
		 "this "
		 "size is 10.128.0.0/9\n"},
		{"deep in a map",
		 {NET("a", "{\"pools\":{\"p\":{\"label\":\"10.0.0.0/8\",\"cidrs\":[\"10.0.0.0/24\"]},"
			   "\"q\":{\"cidrs\":[\"10.0.0.0/25\"]}}}")},
		 {0},
		 {0},
		 "1:3<1:2 10.0.0.0/25 of 'test.net.a' overlaps 10.0.0.0/24 of 'test.net.a' | the nearest free range of "
		 "this "
		 "size is 10.0.1.0/25\n"},
		{"IPv6",
		 {NET("a", "{\"cidr6\":\"fd00::/48\"}"), NET("b", "{\"cidr6\":\"fd00:0:0:8000::/49\"}"),
		  PEERING("p", "a", "b")},
		 {0},
		 {0},
		 "2:1<1:1 fd00:0:0:8000::/49 of 'test.net.b' overlaps fd00::/48 of 'test.net.a', and the two meet by "
		 "VPN or "
		 "peering | the nearest free range of this size is fd00:0:1::/49\n"},
		{"the first and the last address",
		 {NET("a",
		      "{\"cidr\":\"8.0.0.0/16\",\"cidr6\":\"2000::/48\",\"more\":[\"8.0.0.0/32\",\"8.0.255.255/32\","
		      "\"8.1.0.0/32\",\"2000::ffff:ffff:ffff:ffff:ffff/128\",\"2000:0:1::/128\"]}")},
		 {0},
		 {0},
		 "1:3<1:1 8.0.0.0/32 of 'test.net.a' overlaps 8.0.0.0/16 of 'test.net.a'\n"
		 "1:4<1:1 8.0.255.255/32 of 'test.net.a' overlaps 8.0.0.0/16 of 'test.net.a'\n"
		 "1:6<1:2 2000::ffff:ffff:ffff:ffff:ffff/128 of 'test.net.a' overlaps 2000::/48 of 'test.net.a'\n"},
		{"one address twice",
		 {NET("a",
		      "{\"more\":[\"8.0.0.1/32\",\"8.0.0.1/32\",\"2000::1/128\",\"2000::1/128\",\"2000::2/128\"]}")},
		 {0},
		 {0},
		 "1:2<1:1 8.0.0.1/32 of 'test.net.a' overlaps 8.0.0.1/32 of 'test.net.a'\n"
		 "1:4<1:3 2000::1/128 of 'test.net.a' overlaps 2000::1/128 of 'test.net.a'\n"},
		{"the families do not meet", {NET("a", "{\"cidr\":\"0.0.0.0/0\",\"cidr6\":\"::/0\"}")}, {0}, {0}, ""},
		{"the whole of a family",
		 {NET("a", "{\"more\":[\"0.0.0.0/0\",\"10.0.0.0/8\",\"::/0\",\"fd00::/8\"]}")},
		 {0},
		 {0},
		 "1:2<1:1 10.0.0.0/8 of 'test.net.a' overlaps 0.0.0.0/0 of 'test.net.a'\n"
		 "1:4<1:3 fd00::/8 of 'test.net.a' overlaps ::/0 of 'test.net.a'\n"},
		{"deferred ranges are skipped",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\",\"more\":[" REFERENCE("test.net.b") "]}"),
		  NET("b", "{\"cidr\":{\"$unread\":true}}"), PEERING("p", "a", "b")},
		 {0},
		 {0},
		 ""},
		{"the hint keeps clear of address_space",
		 {NET("a", "{\"cidr\":\"10.1.0.0/16\"}"), NET("b", "{\"cidr\":\"10.1.0.0/16\"}"),
		  PEERING("p", "a", "b")},
		 {"10.2.0.0/16"},
		 {"10.3.0.0/16"},
		 "2:1<1:1 10.1.0.0/16 of 'test.net.b' overlaps 10.1.0.0/16 of 'test.net.a', and the two meet by VPN or "
		 "peering | the nearest free range of this size is 10.0.0.0/16\n"},
		{"the hint steps over what is taken",
		 {NET("a", "{\"more\":[\"10.128.0.0/9\",\"10.255.255.0/24\"]}")},
		 {0},
		 {0},
		 "1:2<1:1 10.255.255.0/24 of 'test.net.a' overlaps 10.128.0.0/9 of 'test.net.a' | the nearest free "
		 "range of "
		 "this size is 10.127.255.0/24\n"},
		{"host bits do not count",
		 {NET("a", "{\"more\":[\"10.0.128.5/16\",\"10.0.7.0/24\"]}")},
		 {0},
		 {0},
		 "1:2<1:1 10.0.7.0/24 of 'test.net.a' overlaps 10.0.0.0/16 of 'test.net.a' | the nearest free range of "
		 "this "
		 "size is 10.1.0.0/24\n"},
		{"a public range has no hint",
		 {NET("a", "{\"more\":[\"8.0.0.0/16\",\"8.0.0.0/17\"]}")},
		 {0},
		 {0},
		 "1:2<1:1 8.0.0.0/17 of 'test.net.a' overlaps 8.0.0.0/16 of 'test.net.a'\n"},

		{"subnets apart",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), SUBNET("s", "a", "10.0.0.0/24"),
		  SUBNET("t", "a", "10.0.1.0/24")},
		 {0},
		 {0},
		 ""},
		{"a subnet as large as its parent",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), SUBNET("s", "a", "10.0.0.0/16")},
		 {0},
		 {0},
		 ""},
		{"subnets that overlap",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), SUBNET("s", "a", "10.0.0.0/23"),
		  SUBNET("t", "a", "10.0.1.0/24")},
		 {0},
		 {0},
		 "3:2<2:2 10.0.1.0/24 of 'test.subnet.t' overlaps 10.0.0.0/23 of 'test.subnet.s', both within "
		 "'test.net.a' "
		 "| the nearest free range of this size is 10.0.2.0/24\n"},
		{"a full parent has no hint",
		 {NET("a", "{\"cidr\":\"10.0.0.0/24\"}"), SUBNET("s", "a", "10.0.0.0/25"),
		  SUBNET("t", "a", "10.0.0.128/25"), SUBNET("u", "a", "10.0.0.128/25")},
		 {0},
		 {0},
		 "4:2<3:2 10.0.0.128/25 of 'test.subnet.u' overlaps 10.0.0.128/25 of 'test.subnet.t', both within "
		 "'test.net.a'\n"},
		{"subnets of two parents",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), NET("b", "{\"cidr\":\"10.0.0.0/16\"}"),
		  SUBNET("s", "a", "10.0.0.0/24"), SUBNET("t", "b", "10.0.0.0/24")},
		 {0},
		 {0},
		 ""},
		{"a subnet outside",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\",\"more\":[\"10.8.0.0/16\"]}"), SUBNET("s", "a", "10.8.1.0/24"),
		  SUBNET("t", "a", "10.1.0.0/24")},
		 {0},
		 {0},
		 "3:2<1:1 10.1.0.0/24 of 'test.subnet.t' lies outside the ranges of 'test.net.a' | the nearest free "
		 "range of "
		 "this size is 10.0.0.0/24\n"},
		{"a subnet larger than its parent",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), SUBNET("s", "a", "10.0.0.0/15")},
		 {0},
		 {0},
		 "2:2<1:1 10.0.0.0/15 of 'test.subnet.s' lies outside the ranges of 'test.net.a'\n"},
		{"across two ranges of the parent",
		 {NET("a", "{\"more\":[\"10.0.0.0/16\",\"10.1.0.0/16\"]}"), SUBNET("s", "a", "10.0.0.0/15")},
		 {0},
		 {0},
		 "2:2<1:1 10.0.0.0/15 of 'test.subnet.s' lies outside the ranges of 'test.net.a'\n"},
		{"in a parent of which not all is known",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\",\"more\":[" REFERENCE("test.net.b") "]}"),
		  SUBNET("s", "a", "10.9.0.0/24"), SUBNET("t", "a", "10.9.0.0/25")},
		 {0},
		 {0},
		 "3:2<2:2 10.9.0.0/25 of 'test.subnet.t' overlaps 10.9.0.0/24 of 'test.subnet.s', both within "
		 "'test.net.a' | "
		 "the nearest free range of this size is 10.0.0.0/25\n"},
		{"of a family that the parent says nothing about",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), SUBNET("s", "a", "2001:db8::/64")},
		 {0},
		 {0},
		 ""},
		{"in a parent outside the spec",
		 {{"test.subnet", "s", "{\"net\":\"net-1\",\"cidr\":\"10.0.0.0/24\"}"},
		  {"test.subnet", "t", "{\"net\":\"net-1\",\"cidr\":\"10.0.0.0/25\"}"},
		  {"test.subnet", "u", "{\"net\":\"net-2\",\"cidr\":\"10.0.0.0/25\"}"}},
		 {"10.0.0.0/30"},
		 {0},
		 "1:2<101:1 10.0.0.0/24 of 'test.subnet.s' overlaps 10.0.0.0/30 (reserved 'r0') | the ranges "
		 "that it lies within are not known: take one that is free in them\n"
		 "2:2<101:1 10.0.0.0/25 of 'test.subnet.t' overlaps 10.0.0.0/30 (reserved 'r0') | the ranges "
		 "that it lies within are not known: take one that is free in them\n"
		 "2:2<1:2 10.0.0.0/25 of 'test.subnet.t' overlaps 10.0.0.0/24 of 'test.subnet.s', and both are in one "
		 "routing "
		 "domain | the ranges that it lies within are not known: take one that is free in them\n"
		 "3:2<101:1 10.0.0.0/25 of 'test.subnet.u' overlaps 10.0.0.0/30 (reserved 'r0') | the ranges "
		 "that it lies within are not known: take one that is free in them\n"},
		{"members of items",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"),
		  {"test.subnet", "s",
		   "{\"net\":" REFERENCE("test.net.a") ",\"blocks\":[{\"range\":\"10.0.1.0/24\",\"label\":\"x\"},"
						       "{\"range\":\"10.0.0.0/23\",\"label\":\"10.0.1.0/24\"}]}"}},
		 {0},
		 {0},
		 "2:4<2:2 10.0.0.0/23 of 'test.subnet.s' overlaps 10.0.1.0/24 of 'test.subnet.s', both within "
		 "'test.net.a' | "
		 "the nearest free range of this size is 10.0.2.0/23\n"},

		{"equal parts of what is unknown",
		 {NET("a", "{}"), PART("s", "a", OWN("8", "1")), PART("t", "a", OWN("8", "1"))},
		 {0},
		 {0},
		 "3:2<2:2 ${cidr_subnet(test.net.a.own, 8, 1)} of 'test.subnet.t' overlaps "
		 "${cidr_subnet(test.net.a.own, 8, 1)} of 'test.subnet.s', both within 'test.net.a' | give one of the "
		 "two another number\n"},
		{"a part of another part",
		 {NET("a", "{\"cidr6\":\"fd00::/48\"}"), PART("s", "a", OWN("4", "1")),
		  PART("t", "a", "cidr_subnet(cidr_subnet(test.net.a.own, 4, 1), 4, 15)")},
		 {0},
		 {0},
		 "3:2<2:2 ${cidr_subnet(cidr_subnet(test.net.a.own, 4, 1), 4, 15)} of 'test.subnet.t' overlaps "
		 "${cidr_subnet(test.net.a.own, 4, 1)} of 'test.subnet.s', both within 'test.net.a' | give one of the "
		 "two another number\n"},
		{"parts apart",
		 {NET("a", "{}"), NET("b", "{}"), PART("s", "a", OWN("8", "0")), PART("t", "a", OWN("8", "255")),
		  PART("u", "b", "cidr_subnet(test.net.b.own, 8, 0)"), PEERING("p", "a", "b")},
		 {0},
		 {0},
		 ""},
		{"parts of what is unknown, and of what everything is in",
		 {NET("a", "{}"), PART("s", "a", OWN("8", "0"))},
		 {"::/0"},
		 {0},
		 ""},
		{"parts of what nothing is known of",
		 {NET("a", "{}"), PART("s", "a", "cidr_subnet(test.net.a.any, 8, 999)"),
		  PART("t", "a", "cidr_subnet(test.net.a.any, 8, 999)"), PART("u", "a", "test.net.z.own"),
		  PART("v", "a", "test.net.a.any ? test.net.a.own : test.net.a.own")},
		 {0},
		 {0},
		 ""},
		{"no such part",
		 {NET("a", "{}"), PART("s", "a", OWN("8", "256")), PART("t", "a", OWN("8", "-1"))},
		 {0},
		 {0},
		 "2:35<1:0 'test.net.a.own' has no subnet of that length with the number 256 | test.net.a.own is a "
		 "/56, "
		 "whichever it will be\n"
		 "3:35<1:0 'test.net.a.own' has no subnet of that length with the number -1 | test.net.a.own is a /56, "
		 "whichever it will be\n"},
		{"no part of that length",
		 {NET("a", "{}"), PART("s", "a", OWN("73", "0")), PART("t", "a", OWN("12", "0"))},
		 {0},
		 {0},
		 "2:32<1:0 a /56 prefix can become longer by 0 to 72 bits, not by 73 | test.net.a.own is a /56, "
		 "whichever "
		 "it will be\n"
		 "3:2<1:0 'part' is longer than /64 | test.net.a.own is a /56, whichever it will be\n"},

		{"reserved and alone",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}")},
		 {"10.0.7.0/24"},
		 {0},
		 "1:1<101:1 10.0.0.0/16 of 'test.net.a' overlaps 10.0.7.0/24 (reserved 'r0') | the nearest free range "
		 "of this "
		 "size is 10.1.0.0/16\n"},
		{"within what is reserved",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}")},
		 {"10.0.0.0/8", "11.0.0.0/8"},
		 {0},
		 "1:1<101:1 10.0.0.0/16 of 'test.net.a' overlaps 10.0.0.0/8 (reserved 'r0')\n"},
		{"reserved twice", {{0}}, {"10.0.0.0/8", "10.0.0.0/16"}, {0}, ""},
		{"a network and a domain alone", {NET("a", "{\"cidr\":\"10.0.0.0/16\"}")}, {0}, {"10.0.0.0/24"}, ""},
		{"a network and a joined domain",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"), GATEWAY("g", "a")},
		 {0},
		 {"10.0.0.0/24"},
		 "1:1<201:1 10.0.0.0/16 of 'test.net.a' overlaps 10.0.0.0/24 (network 'n0') | the nearest free range "
		 "of this "
		 "size is 10.1.0.0/16\n"},
		{"a network and a domain that a reference to outside joins",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"),
		  {"test.peering", "p", "{\"ends\":[\"net-9\"," REFERENCE("test.net.a") "]}"}},
		 {0},
		 {"10.0.0.0/8"},
		 "1:1<201:1 10.0.0.0/16 of 'test.net.a' overlaps 10.0.0.0/8 (network 'n0')\n"},
		{"networks",
		 {{0}},
		 {0},
		 {"10.0.0.0/24", "10.0.1.0/24", "10.0.0.128/25"},
		 "203:1<201:1 10.0.0.128/25 (network 'n2') overlaps 10.0.0.0/24 (network 'n0')\n"},
		{"a network and a reserved range",
		 {{0}},
		 {"10.0.0.0/24"},
		 {"10.0.0.0/16"},
		 "201:1<101:1 10.0.0.0/16 (network 'n0') overlaps 10.0.0.0/24 (reserved 'r0')\n"},

		{"routes to networks and reserved ranges",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"),
		  GATEWAY("g", "a"),
		  {"test.customer", "c", "{}"},
		  CONNECTION("x", "g", "c", "[\"10.1.0.0/24\",\"10.2.0.0/16\"]")},
		 {"10.1.0.0/16"},
		 {"10.2.3.0/24"},
		 ""},
		{"a route over the network's own range",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"),
		  GATEWAY("g", "a"),
		  {"test.customer", "c", "{}"},
		  CONNECTION("x", "g", "c", "[\"10.0.7.0/24\"]")},
		 {0},
		 {0},
		 "4:3<1:1 10.0.7.0/24 of 'test.connection.x' overlaps 10.0.0.0/16 of 'test.net.a', and the two meet by "
		 "VPN or "
		 "peering | addresses on this side hide those at the far end: give one of the two another range\n"},
		{"a default route beside the network's own range and another route",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"),
		  GATEWAY("g", "a"),
		  {"test.customer", "c", "{}"},
		  CONNECTION("x", "g", "c", "[\"0.0.0.0/0\",\"10.1.0.0/24\"]")},
		 {0},
		 {0},
		 ""},
		{"two ways to one place",
		 {NET("a", "{\"cidr\":\"10.0.0.0/16\"}"),
		  GATEWAY("g", "a"),
		  {"test.customer", "c", "{}"},
		  {"test.customer", "d", "{}"},
		  CONNECTION("x", "g", "c", "[\"10.1.0.0/24\"]"),
		  CONNECTION("y", "g", "d", "[\"10.1.0.0/24\"]")},
		 {0},
		 {0},
		 ""},
		{"two ways to one place, and a part of it",
		 {GATEWAY("g", "a"),
		  {"test.customer", "c", "{}"},
		  CONNECTION("x", "g", "c", "[\"10.1.0.0/16\"]"),
		  CONNECTION("y", "g", "c", "[\"10.1.0.0/16\"]"),
		  CONNECTION("z", "g", "c", "[\"10.1.2.0/24\"]")},
		 {0},
		 {0},
		 "5:3<3:3 10.1.2.0/24 of 'test.connection.z' overlaps 10.1.0.0/16 of 'test.connection.x', and the two "
		 "meet "
		 "by VPN or peering | " BOTH_BEYOND "\n"},
		{"two places that overlap",
		 {GATEWAY("g", "a"),
		  {"test.customer", "c", "{}"},
		  {"test.customer", "d", "{}"},
		  CONNECTION("x", "g", "c", "[\"10.1.0.0/24\"]"),
		  CONNECTION("y", "g", "d", "[\"10.1.0.0/24\",\"10.1.0.0/16\"]")},
		 {0},
		 {0},
		 "5:4<4:3 10.1.0.0/16 of 'test.connection.y' overlaps 10.1.0.0/24 of 'test.connection.x', and the two "
		 "meet by "
		 "VPN or peering | " BOTH_BEYOND "\n"
		 "5:4<5:3 10.1.0.0/16 of 'test.connection.y' overlaps 10.1.0.0/24 of 'test.connection.y' | " BOTH_BEYOND
		 "\n"},
		{"a part of a place that is one by itself",
		 {GATEWAY("g", "a"),
		  {"test.customer", "c", "{}"},
		  {"test.customer", "d", "{}"},
		  CONNECTION("x", "g", "c", "[\"10.1.0.0/16\",\"10.1.3.0/24\"]"),
		  CONNECTION("y", "g", "d", "[\"10.1.2.0/24\",\"10.1.2.0/25\"]")},
		 {"10.1.2.0/24"},
		 {"10.1.3.0/24"},
		 "5:4<4:3 10.1.2.0/25 of 'test.connection.y' overlaps 10.1.0.0/16 of 'test.connection.x', and the two "
		 "meet by VPN or peering | " BOTH_BEYOND "\n"
		 "5:4<5:3 10.1.2.0/25 of 'test.connection.y' overlaps 10.1.2.0/24 of 'test.connection.y' | " BOTH_BEYOND
		 "\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct plan plan;
		struct slice text;

		plan_init(&plan);
		for (size_t j = 0; j < COUNT(rows[i].resources) && rows[i].resources[j].kind; j++)
			plan_add(&plan, rows[i].resources[j].kind, rows[i].resources[j].name,
				 rows[i].resources[j].desired);
		for (size_t j = 0; j < COUNT(rows[i].reserved) && rows[i].reserved[j]; j++)
			plan.reserved[plan.reserved_count++] = (struct named_range){
				arena_format(&plan.arena, "r%zu", j), value_text(rows[i].reserved[j])};
		for (size_t j = 0; j < COUNT(rows[i].networks) && rows[i].networks[j]; j++)
			plan.networks[plan.network_count++] = (struct named_range){arena_format(&plan.arena, "n%zu", j),
										   value_text(rows[i].networks[j])};
		plan_check(&plan);
		text = told(&plan);
		if (!slice_is(text, rows[i].wanted))
			fail_msg("%s:\n%.*s", rows[i].name, SLICE_ARGUMENTS(text));
		plan_release(&plan);
	}
}

static void test_address(void **state)
{
	struct plan plan;

	(void)state;
	plan_init(&plan);
	plan_add(&plan, "test.net", "a", "{\"more\":[\"10.0.0.0/16\",\"10.0.0.0/17\"]}");
	assert_false(plan_check(&plan));
	assert_true(slice_is(plan.diagnostics.items[0].address, "test.net.a"));
	assert_true(slice_is(plan.diagnostics.items[0].related_message, "10.0.0.0/16 of 'test.net.a'"));
	assert_int_equal(plan.diagnostics.items[0].fault, FAULT_USER);
	plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_address),
	};

	return cmocka_run_group_tests_name("overlap", tests, NULL, NULL);
}
