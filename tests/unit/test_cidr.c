#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/cidr.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static struct cidr parsed(const char *text)
{
	struct cidr cidr = {0};

	if (!cidr_read(slice_of(text), &cidr))
		fail_msg("'%s' is refused", text);
	return cidr;
}

static const struct {
	const char *name, *text, *canonical, *network;
} taken[] = {
	{"IPv4", "10.1.2.0/24", "10.1.2.0/24", "10.1.2.0/24"},
	{"IPv4 host bits", "10.1.2.3/20", "10.1.2.3/20", "10.1.0.0/20"},
	{"one bit of a byte", "10.255.0.0/9", "10.255.0.0/9", "10.128.0.0/9"},
	{"everything", "0.0.0.0/0", "0.0.0.0/0", "0.0.0.0/0"},
	{"one address", "255.255.255.255/32", "255.255.255.255/32", "255.255.255.255/32"},
	{"IPv6", "fd00::/48", "fd00::/48", "fd00::/48"},
	{"IPv6 in full", "2001:0DB8:0000:0000:0008:0800:200C:417A/128", "2001:db8::8:800:200c:417a/128",
	 "2001:db8::8:800:200c:417a/128"},
	{"IPv6 everything", "::/0", "::/0", "::/0"},
	{"IPv6 everything in full", "0:0:0:0:0:0:0:0/0", "::/0", "::/0"},
	{"IPv6 host bits", "2001:db8::1/47", "2001:db8::1/47", "2001:db8::/47"},
	{"gap at the end", "1:2:3:4:5:6:7::/128", "1:2:3:4:5:6:7:0/128", "1:2:3:4:5:6:7:0/128"},
	{"gap at the start", "::2:3:4:5:6:7:8/128", "0:2:3:4:5:6:7:8/128", "0:2:3:4:5:6:7:8/128"},
	{"gap for one group", "1:2:3:4::6:7:8/128", "1:2:3:4:0:6:7:8/128", "1:2:3:4:0:6:7:8/128"},
	{"the first of two runs", "1:0:0:2:0:0:3:4/128", "1::2:0:0:3:4/128", "1::2:0:0:3:4/128"},
	{"the longest of two runs", "1:0:0:2:0:0:0:4/128", "1:0:0:2::4/128", "1:0:0:2::4/128"},
	{"zeros at the end", "1:2:3:4:5:6:0:0/128", "1:2:3:4:5:6::/128", "1:2:3:4:5:6::/128"},
	{"dotted end", "::ffff:1.2.3.4/128", "::ffff:1.2.3.4/128", "::ffff:1.2.3.4/128"},
	{"dotted end of another", "64:ff9b::1.2.3.4/128", "64:ff9b::102:304/128", "64:ff9b::102:304/128"},
	{"dotted end in full", "1:2:3:4:5:6:7.8.9.10/128", "1:2:3:4:5:6:708:90a/128", "1:2:3:4:5:6:708:90a/128"},
	{"loopback", "::1/128", "::1/128", "::1/128"},
};

static const struct {
	const char *name, *text;
} refused[] = {
	{"nothing", ""},
	{"only a slash", "/"},
	{"no address", "/24"},
	{"no length", "10.0.0.0"},
	{"empty length", "10.0.0.0/"},
	{"IPv6 without length", "::"},
	{"IPv4 too long", "10.0.0.0/33"},
	{"IPv6 too long", "::/129"},
	{"far too long", "::/999"},
	{"a length of four digits", "::/1280"},
	{"length wraps", "10.0.0.0/4294967320"},
	{"leading zero in length", "10.0.0.0/08"},
	{"leading zeros for zero", "10.0.0.0/00"},
	{"signed length", "10.0.0.0/+8"},
	{"negative length", "10.0.0.0/-8"},
	{"netmask", "10.0.0.0/255.0.0.0"},
	{"two lengths", "10.0.0.0/8/8"},
	{"space", "10.0.0.0 /8"},
	{"space before", " 10.0.0.0/8"},
	{"space behind", "10.0.0.0/8 "},
	{"three octets", "10.0.0/8"},
	{"three octets and a dot", "10.0.0./8"},
	{"five octets", "10.0.0.0.0/8"},
	{"four octets and a dot", "10.0.0.0./8"},
	{"empty octet", "10..0.0/8"},
	{"octet too large", "10.0.0.256/8"},
	{"octet of four digits", "10.0.0.1000/8"},
	{"leading zero", "10.0.0.01/8"},
	{"two zeros", "10.0.0.00/8"},
	{"hexadecimal octet", "0xa.0.0.0/8"},
	{"one number", "167772160/8"},
	{"a letter", "10.0.0.a/8"},
	{"seven groups", "1:2:3:4:5:6:7/64"},
	{"nine groups", "1:2:3:4:5:6:7:8:9/64"},
	{"gap for no group", "1:2:3:4::5:6:7:8/64"},
	{"gap for no group at the end", "1:2:3:4:5:6:7:8::/64"},
	{"gap for no group at the start", "::1:2:3:4:5:6:7:8/64"},
	{"two gaps", "1::2::3/64"},
	{"three colons", "1:::2/64"},
	{"only three colons", ":::/64"},
	{"one colon", ":/64"},
	{"colon first", ":1:2:3:4:5:6:7/64"},
	{"colon last", "1:2:3:4:5:6:7:/64"},
	{"colon last after a gap", "1::2:/64"},
	{"five digits", "::12345/64"},
	{"zeros beyond four digits", "::00001/64"},
	{"no hexadecimal digit", "::g/64"},
	{"zone", "fe80::1%eth0/64"},
	{"brackets", "[::1]/64"},
	{"dotted too early", "1.2.3.4::/64"},
	{"dotted in the middle", "::1.2.3.4:5/64"},
	{"dotted in front of a gap", "1:1.2.3.4::1/64"},
	{"dotted without room", "1:2:3:4:5:6:7:1.2.3.4/64"},
	{"dotted with a bad octet", "::1.2.3.256/64"},
	{"dotted with three octets", "::1.2.3/64"},
};

static void test_taken(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(taken); i++) {
		struct cidr cidr = {.family = 9}, network;

		if (!cidr_read(slice_of(taken[i].text), &cidr))
			fail_msg("%s: refused", taken[i].name);
		if (!slice_is(cidr_text(&arena, &cidr), taken[i].canonical))
			fail_msg("%s: %s", taken[i].name, cidr_text(&arena, &cidr).data);
		network = cidr_network(cidr);
		if (!slice_is(cidr_text(&arena, &network), taken[i].network) || network.host_bits)
			fail_msg("%s: network %s", taken[i].name, cidr_text(&arena, &network).data);
		if (cidr.host_bits != (strcmp(taken[i].canonical, taken[i].network) != 0))
			fail_msg("%s: host bits", taken[i].name);
	}
	arena_release(&arena);
}

static void test_refused(void **state)
{
	struct cidr cidr = {.family = 9};

	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) {
		if (cidr_read(slice_of(refused[i].text), &cidr))
			fail_msg("%s: taken", refused[i].name);
		if (cidr.family != 9)
			fail_msg("%s: changed what it refused", refused[i].name);
	}
	assert_false(cidr_read((struct slice){"::/6\0", 5}, &cidr));
}

static void test_read_address(void **state)
{
	static const struct {
		const char *name, *text, *canonical;
		unsigned bits, family;
	} rows[] = {
		{"IPv4", "10.1.2.3", "10.1.2.3", 32, 4},
		{"IPv6", "FD00::A", "fd00::a", 128, 6},
		{"with a length", "10.1.2.3/32", NULL, 0, 0},
		{"with a length, IPv6", "::/128", NULL, 0, 0},
		{"nothing", "", NULL, 0, 0},
		{"a name", "localhost", NULL, 0, 0},
		{"the longest", "0001:0002:0003:0004:0005:0006:255.255.255.255", "1:2:3:4:5:6:ffff:ffff", 128, 6},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cidr cidr = {.family = 9};

		if (cidr_read_address(slice_of(rows[i].text), &cidr) != (rows[i].canonical != NULL))
			fail_msg("%s: taken or refused", rows[i].name);
		if (rows[i].canonical && (!slice_is(cidr_address_text(&arena, &cidr), rows[i].canonical) ||
					  cidr.bits != rows[i].bits || cidr.family != rows[i].family || cidr.host_bits))
			fail_msg("%s: %s", rows[i].name, cidr_address_text(&arena, &cidr).data);
	}
	arena_release(&arena);
}

static void test_relations(void **state)
{
	static const struct {
		const char *name, *a, *b;
		bool contains, contained;
	} rows[] = {
		{"the same", "10.0.0.0/8", "10.0.0.0/8", true, true},
		{"host bits do not count", "10.1.0.0/8", "10.2.0.0/8", true, true},
		{"outer first", "10.0.0.0/8", "10.0.0.0/9", true, false},
		{"inside, by a bit", "10.0.0.0/9", "10.64.0.0/10", true, false},
		{"inside, by a nibble", "10.16.0.0/12", "10.31.255.255/32", true, false},
		{"inside", "10.0.0.0/8", "10.200.0.0/24", true, false},
		{"outer with host bits, first", "10.255.0.0/8", "10.200.0.0/24", true, false},
		{"neighbours", "10.0.0.0/9", "10.128.0.0/9", false, false},
		{"differ in the last bit", "10.0.0.0/32", "10.0.0.1/32", false, false},
		{"everything", "0.0.0.0/0", "255.0.0.0/8", true, false},
		{"families apart", "0.0.0.0/0", "::/0", false, false},
		{"IPv6 inside", "fd00::/48", "fd00:0:0:ffff::/64", true, false},
		{"IPv6 neighbours", "fd00::/49", "fd00:0:0:8000::/49", false, false},
		{"IPv6 everything", "::/0", "ffff::/16", true, false},
		{"IPv6 last bit", "::/128", "::1/128", false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cidr a = parsed(rows[i].a), b = parsed(rows[i].b);

		if (cidr_contains(&a, &b) != rows[i].contains || cidr_contains(&b, &a) != rows[i].contained)
			fail_msg("%s: contains", rows[i].name);
		if (cidr_overlap(&a, &b) != (rows[i].contains || rows[i].contained) ||
		    cidr_overlap(&b, &a) != (rows[i].contains || rows[i].contained))
			fail_msg("%s: overlap", rows[i].name);
	}
}

static void test_subnet(void **state)
{
	/* subnet NULL: there is none. */
	static const struct {
		const char *name, *network;
		unsigned bits;
		uint64_t number;
		const char *subnet;
	} rows[] = {
		{"first", "10.0.0.0/16", 24, 0, "10.0.0.0/24"},
		{"second", "10.0.0.0/16", 24, 1, "10.0.1.0/24"},
		{"last", "10.0.0.0/16", 24, 255, "10.0.255.0/24"},
		{"one past the last", "10.0.0.0/16", 24, 256, NULL},
		{"across a byte", "10.0.0.0/15", 25, 1023, "10.1.255.128/25"},
		{"itself", "10.0.0.0/16", 16, 0, "10.0.0.0/16"},
		{"a second self", "10.0.0.0/16", 16, 1, NULL},
		{"shorter", "10.0.0.0/16", 15, 0, NULL},
		{"too long", "10.0.0.0/16", 33, 0, NULL},
		{"host bits go", "10.0.255.255/16", 24, 2, "10.0.2.0/24"},
		{"single addresses", "10.0.0.0/24", 32, 255, "10.0.0.255/32"},
		{"of everything", "0.0.0.0/0", 32, UINT32_MAX, "255.255.255.255/32"},
		{"of everything, past the last", "0.0.0.0/0", 32, (uint64_t)UINT32_MAX + 1, NULL},
		{"IPv6", "fd00::/48", 64, 0xffff, "fd00:0:0:ffff::/64"},
		{"IPv6, past the last", "fd00::/48", 64, 0x10000, NULL},
		{"IPv6, 64 bits of number", "fd00::/64", 128, UINT64_MAX, "fd00::ffff:ffff:ffff:ffff/128"},
		{"IPv6, 63 bits of number", "fd00::/65", 128, UINT64_MAX, NULL},
		{"IPv6, more bits than a number has", "::/0", 128, UINT64_MAX, "::ffff:ffff:ffff:ffff/128"},
		{"IPv6, too long", "::/0", 129, 0, NULL},
	};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cidr network = parsed(rows[i].network), subnet = {.family = 9};

		if (cidr_subnet(&network, (uint8_t)rows[i].bits, rows[i].number, &subnet) != (rows[i].subnet != NULL))
			fail_msg("%s: given or refused", rows[i].name);
		if (rows[i].subnet ? !slice_is(cidr_text(&arena, &subnet), rows[i].subnet) : subnet.family != 9)
			fail_msg("%s: a wrong one", rows[i].name);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),	  cmocka_unit_test(test_refused), cmocka_unit_test(test_read_address),
		cmocka_unit_test(test_relations), cmocka_unit_test(test_subnet),
	};

	return cmocka_run_group_tests_name("cidr", tests, NULL, NULL);
}
