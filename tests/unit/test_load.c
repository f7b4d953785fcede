#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/support_load.h"
#include "tests/unit/support_rounds.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

#define A "=== a.yaml\nstack: s\n"

static const struct load_row rows[] = {
	{"only a name", A, ""},
	{"an empty file beside it", A "=== b.yaml\n# nothing yet\n", ""},
	{"a resource without fields", A "net.group:\n  a:\n  b: {}\n",
	 "net.group.a {}\n"
	 "net.group.b {}\n"},
	{"fields",
	 A "net.vpc:\n  a: {cidr: 10.0.0.0/16, cidr6: 'FD00:0::/48', dns: true, tags: {x: y1, n: ~}, ranges: "
	   "[fd01::/64, 10.9.0.0/16, 10.8.0.0/16, 10.9.0.0/16]}\n",
	 "net.vpc.a "
	 "{\"cidr\":\"10.0.0.0/16\",\"cidr6\":\"fd00::/48\",\"dns\":true,\"ranges\":[\"10.8.0.0/16\",\"10.9.0.0/"
	 "16\",\"fd01::/64\"],\"tags\":{\"x\":\"y1\"}}\n"},
	{"a reference by name", A "net.vpc: {a: {cidr: 10.0.0.0/16}}\nnet.subnet: {x: {vpc: a, cidr: 10.0.1.0/24}}\n",
	 "net.subnet.x {\"cidr\":\"10.0.1.0/24\",\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"a reference by address, declared later",
	 A "net.subnet: {x: {vpc: net.vpc.a, cidr: 10.0.1.0/24}}\n=== b.yml\nnet.vpc: {a: {cidr: 10.0.0.0/16}}\n",
	 "net.subnet.x {\"cidr\":\"10.0.1.0/24\",\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"a reference by expression",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16}}\nnet.subnet: {x: {vpc: \"${net.vpc.a.id}\"}}\n",
	 "net.subnet.x {\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"a literal id", A "net.subnet: {x: {vpc: vpc-0123456789abcdef0, cidr: 10.0.1.0/24}}\n",
	 "net.subnet.x {\"cidr\":\"10.0.1.0/24\",\"vpc\":\"vpc-0123456789abcdef0\"}\n"},
	{"a name that looks like an id",
	 A "net.vpc: {vpc-01234567: {cidr: 10.0.0.0/16}}\nnet.subnet: {x: {vpc: vpc-01234567}}\n",
	 "net.subnet.x {\"vpc\":{\"$deferred\":\"${net.vpc.vpc-01234567.id}\"}}\n"
	 "  make net.vpc.vpc-01234567.id in vpc immutable\n"
	 "net.vpc.vpc-01234567 {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"a reference to another output",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16}}\nnet.gateway: {g: {owner: a, vpc: a}, h: {owner: 'arn:b:xyz'}}\n",
	 "net.gateway.g {\"owner\":{\"$deferred\":\"${net.vpc.a.arn}\"},\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.arn in owner\n"
	 "  make net.vpc.a.id in vpc\n"
	 "net.gateway.h {\"owner\":\"arn:b:xyz\"}\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"references in a list",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16}}\nnet.subnet: {x: {vpc: a}, b: {vpc: a}}\nnet.gateway: {g: {subnets: [x, "
	   "b, subnet-01234567, x]}}\n",
	 "net.gateway.g "
	 "{\"subnets\":[{\"$deferred\":\"${net.subnet.x.id}\"},{\"$deferred\":\"${net.subnet.b.id}\"},\"subnet-"
	 "01234567\",{\"$deferred\":\"${net.subnet.x.id}\"}]}\n"
	 "  make net.subnet.b.id in subnets\n"
	 "  make net.subnet.x.id in subnets\n"
	 "net.subnet.b {\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.subnet.x {\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"one name in two kinds",
	 A
	 "net.vpc: {a: {cidr: 10.0.0.0/16}}\nnet.subnet: {a: {vpc: a}}\nnet.gateway: {g: {vpc: a, subnets: [a], owner: "
	 "a}}\n",
	 "net.gateway.g "
	 "{\"owner\":{\"$deferred\":\"${net.vpc.a.arn}\"},\"subnets\":[{\"$deferred\":\"${net.subnet.a.id}\"}],\"vpc\":"
	 "{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.subnet.a.id in subnets\n"
	 "  make net.vpc.a.arn in owner\n"
	 "  make net.vpc.a.id in vpc\n"
	 "net.subnet.a {\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"a reference within an object",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16}}\nnet.gateway: {g: {options: {mode: m, vpc: a}}}\n",
	 "net.gateway.g {\"options\":{\"mode\":\"m\",\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}}\n"
	 "  make net.vpc.a.id in options\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"groups that admit each other",
	 A "net.group:\n  a: {rules: [{protocol: tcp, port: 1, group: b}]}\n  b: {rules: [{protocol: tcp, port: 1, "
	   "group: a}]}\n",
	 "net.group.a {\"rules\":[{\"group\":{\"$deferred\":\"${net.group.b.id}\"},\"port\":1,\"protocol\":\"tcp\"}]}\n"
	 "  settle net.group.b.id in rules\n"
	 "net.group.b {\"rules\":[{\"group\":{\"$deferred\":\"${net.group.a.id}\"},\"port\":1,\"protocol\":\"tcp\"}]}\n"
	 "  settle net.group.a.id in rules\n"},
	{"a group that admits itself",
	 A "net.group:\n  a: {rules: [{protocol: udp, group: self}, {protocol: tcp, group: a}, {protocol: tcp, port: "
	   "5, group: \"${net.group.a.id}\"}]}\n",
	 "net.group.a "
	 "{\"rules\":[{\"group\":{\"$deferred\":\"${net.group.a.id}\"},\"port\":5,\"protocol\":\"tcp\"},{\"group\":{\"$"
	 "deferred\":\"${net.group.a.id}\"},\"protocol\":\"tcp\"},{\"group\":{\"$deferred\":\"${net.group.a.id}\"},"
	 "\"protocol\":\"udp\"}]}\n"},
	{"make and settle to one target", A "net.group:\n  a: {peer: b, rules: [{protocol: udp, group: b}]}\n  b:\n",
	 "net.group.a "
	 "{\"peer\":{\"$deferred\":\"${net.group.b.id}\"},\"rules\":[{\"group\":{\"$deferred\":\"${net.group.b.id}\"},"
	 "\"protocol\":\"udp\"}]}\n"
	 "  make net.group.b.id in peer\n"
	 "  settle net.group.b.id in rules\n"
	 "net.group.b {}\n"},
	{"a known field of another resource",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16}}\nnet.subnet: {x: {vpc: a, cidr: \"${cidr_subnet(net.vpc.a.cidr, 8, "
	   "3)}\", label: z1, tags: {t: \"${net.subnet.x.label}-${net.vpc.a.cidr}\"}}}\n",
	 "net.subnet.x "
	 "{\"cidr\":\"10.0.3.0/24\",\"label\":\"z1\",\"tags\":{\"t\":\"z1-10.0.0.0/"
	 "16\"},\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"a known field of a later resource, through others",
	 A "net.group:\n  a: {about: \"a ${net.group.b.about}\"}\n  b: {about: \"b ${net.group.c.about}\"}\n  c: "
	   "{about: c}\n",
	 "net.group.a {\"about\":\"a b c\"}\n"
	 "net.group.b {\"about\":\"b c\"}\n"
	 "net.group.c {\"about\":\"c\"}\n"},
	{"a field that is a reference itself",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16}}\nnet.subnet: {x: {vpc: a}}\nnet.gateway: {g: {vpc: "
	   "\"${net.subnet.x.vpc}\"}}\n",
	 "net.gateway.g {\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc\n"
	 "net.subnet.x {\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"an output where the field is not known",
	 A "net.vpc: {a: {cidr: \"${net.group.g.id}\"}}\nnet.group: {g: {}, h: {about: \"${net.vpc.a.cidr}\"}}\n",
	 "net.group.g {}\n"
	 "net.group.h {\"about\":{\"$deferred\":\"${net.vpc.a.cidr}\"}}\n"
	 "  make net.vpc.a.cidr in about\n"
	 "net.vpc.a {\"cidr\":{\"$deferred\":\"${net.group.g.id}\"}}\n"
	 "  make net.group.g.id in cidr immutable\n"},
	{"a part of a field",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16, tags: {team: 'red', id: \"${net.group.g.id}\"}}}\nnet.group: {g: {about: "
	   "\"${net.vpc.a.tags.team}\"}, h: {about: \"${net.vpc.a.tags.id}\"}}\n",
	 "net.group.g {\"about\":\"red\"}\n"
	 "net.group.h {\"about\":{\"$deferred\":\"${net.group.g.id}\"}}\n"
	 "  make net.group.g.id in about\n"
	 "net.vpc.a "
	 "{\"cidr\":\"10.0.0.0/16\",\"tags\":{\"id\":{\"$deferred\":\"${net.group.g.id}\"},\"team\":\"red\"}}\n"
	 "  make net.group.g.id in tags\n"},
	{"text around an output",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16}}\nnet.group: {g: {about: \"of ${net.vpc.a.id} and "
	   "${net.vpc.a.version}\"}}\n",
	 "net.group.g {\"about\":{\"$deferred\":\"of ${net.vpc.a.id} and ${net.vpc.a.version}\"}}\n"
	 "  make net.vpc.a.id in about\n"
	 "  make net.vpc.a.version in about\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"an escaped expression in a key", A "net.vpc: {a: {cidr: 10.0.0.0/16, tags: {\"a $$${x} $y\": z}}}\n",
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\",\"tags\":{\"a $${x} $y\":\"z\"}}\n"},
	{"an escaped expression", A "net.group: {g: {about: \"$${HOME} $x $$\"}}\n",
	 "net.group.g {\"about\":\"${HOME} $x $$\"}\n"},
	{"variables",
	 A "vars:\n  n: {type: integer, default: 4}\n  name: {type: string, default: alpha}\n  vpc: {default: a}\n  "
	   "list: {type: list, default: [x, z]}\n  short: text\n  none: {type: map, default: {k: v}}\nnet.vpc: {a: "
	   "{cidr: 10.0.0.0/16}}\nnet.subnet: {x: {vpc: \"${var.vpc}\", size: \"${var.n}\", zone: \"${var.name}\", "
	   "tags: {a: \"${var.list[1]}\", b: \"${var.short}\", c: \"${var.none.k}\"}}}\n",
	 "net.subnet.x "
	 "{\"size\":4,\"tags\":{\"a\":\"z\",\"b\":\"text\",\"c\":\"v\"},\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"},"
	 "\"zone\":\"alpha\"}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"a variable that is null", A "vars: {x: {type: string, default: ~}}\nnet.group: {g: {about: \"${var.x}\"}}\n",
	 "net.group.g {}\n"},
	{"a secret variable",
	 A "vars: {p: {default: hunter2, secret: true}}\nnet.gateway: {g: {policy: {a: 1}, address: \"10.0.0.1\", "
	   "password: \"${var.p}\"}, h: {options: {mode: \"x-${var.p}\", secret: abc}}}\n",
	 "net.gateway.g {\"address\":\"10.0.0.1\",\"password\":{\"$secret\":\"\"},\"policy\":\"{\\\"a\\\":1}\"}\n"
	 "net.gateway.h "
	 "{\"options\":{\"mode\":{\"$segments\":[\"x-\",{\"$secret\":\"\"}]},\"secret\":{\"$secret\":\"\"}}}\n"},
	{"a field that is secret stays so elsewhere",
	 A "net.gateway: {g: {password: hunter2}, h: {options: {mode: \"${net.gateway.g.password}\"}}}\n",
	 "net.gateway.g {\"password\":{\"$secret\":\"\"}}\n"
	 "net.gateway.h {\"options\":{\"mode\":{\"$secret\":\"\"}}}\n"},
	{"documents",
	 A "net.gateway: {a: {policy: {b: [1, x], a: ~}}, b: {policy: '{ \"b\" : [1,\"x\"] }'}, c: {policy: {id: "
	   "\"${net.group.g.id}\"}}}\nnet.group: {g: {}}\n",
	 "net.gateway.a {\"policy\":\"{\\\"a\\\":null,\\\"b\\\":[1,\\\"x\\\"]}\"}\n"
	 "net.gateway.b {\"policy\":\"{\\\"b\\\":[1,\\\"x\\\"]}\"}\n"
	 "net.gateway.c {\"policy\":{\"id\":{\"$deferred\":\"${net.group.g.id}\"}}}\n"
	 "  make net.group.g.id in policy\n"
	 "net.group.g {}\n"},
	{"numbers",
	 A "net.subnet: {x: {vpc: vpc-01234567, size: 0x10, weight: 1}, b: {vpc: vpc-01234567, size: \"${2 * 3}\", "
	   "weight: 0.5}}\n",
	 "net.subnet.b {\"size\":6,\"vpc\":\"vpc-01234567\",\"weight\":0.5}\n"
	 "net.subnet.x {\"size\":16,\"vpc\":\"vpc-01234567\",\"weight\":1}\n"},
	{"whole numbers where any number may be",
	 A "vars: {n: {type: number, default: 9007199254740993}, i: {type: number, default: 1}}\n"
	   "outputs: {t: \"v${var.n}\", h: \"${var.i / 2}\", l: '${[\"a\", \"b\"][var.i]}'}\n",
	 "output t \"v9007199254740993\"\n"
	 "output h 0.5\n"
	 "output l \"b\"\n"},
	{"depends_on",
	 A "net.group: {a: {depends_on: [net.group.b, net.vpc.v, net.group.b]}, b: {}}\nnet.vpc: {v: {cidr: "
	   "10.0.0.0/16}}\n",
	 "net.group.a {}\n"
	 "  whole net.group.b\n"
	 "  whole net.vpc.v\n"
	 "net.group.b {}\n"
	 "net.vpc.v {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"lifecycle",
	 A "net.vpc:\n  v: {cidr: 10.0.0.0/16, lifecycle: {protect: true, create_before_destroy: false, ignore: [tags, "
	   "dns]}}\n  w: {cidr: 10.1.0.0/16, lifecycle: {create_before_destroy: true}}\n",
	 "net.vpc.v {\"cidr\":\"10.0.0.0/16\"} protect create_before_destroy=1 ignores tags ignores dns\n"
	 "net.vpc.w {\"cidr\":\"10.1.0.0/16\"} create_before_destroy=2\n"},
	{"providers",
	 A "vars: {r: east-1}\nproviders: {net: {region: west}, net.east: {region: \"${var.r}\", retries: "
	   "3}}\nnet.group: {a: {provider: net.east}, b: {provider: net}}\nbox.machine: {m: {address: 'FD00::0:1'}}\n",
	 "box.machine.m {\"address\":\"fd00::1\"}\n"
	 "net.group.a {} by net.east\n"
	 "net.group.b {}\n"
	 "provider box {}\n"
	 "provider net {\"region\":\"west\"}\n"
	 "provider net.east {\"region\":\"east-1\",\"retries\":3}\n"},
	{"references to where another provider leads as well, and texts and waiting from anywhere",
	 A "providers: {net: {region: r}, net.twin: {region: r, account: '1'}, net.east: {region: e}}\n"
	   "net.vpc: {a: {cidr: 10.0.0.0/16, provider: net.twin}, b: {cidr: 10.1.0.0/16, provider: net.east}}\n"
	   "net.group: {g: {vpc: a, about: \"${net.vpc.b.id}\", depends_on: [net.vpc.b]}}\n",
	 "net.group.g {\"about\":{\"$deferred\":\"${net.vpc.b.id}\"},\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "  make net.vpc.b.id in about\n"
	 "  whole net.vpc.b\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"} by net.twin\n"
	 "net.vpc.b {\"cidr\":\"10.1.0.0/16\"} by net.east\n"
	 "provider net {\"region\":\"r\"}\n"
	 "provider net.east {\"region\":\"e\"}\n"
	 "provider net.twin {\"account\":\"1\",\"region\":\"r\"}\n"},
	{"machines that are told apart, also by what only one has",
	 A "box.machine:\n  a: {address: 10.0.0.1}\n  b: {address: 10.0.0.1, slot: 1}\n"
	   "  c: {address: 10.0.0.2, note: \"${box.machine.a.serial}\"}\n",
	 "box.machine.a {\"address\":\"10.0.0.1\"}\n"
	 "box.machine.b {\"address\":\"10.0.0.1\",\"slot\":1}\n"
	 "box.machine.c {\"address\":\"10.0.0.2\",\"note\":{\"$deferred\":\"${box.machine.a.serial}\"}}\n"
	 "  make box.machine.a.serial in note\n"},
	{"settings and outputs",
	 A "settings: {max_delete: 5}\noutputs: {id: \"${net.group.a.id}\", all: {k: [\"${net.group.a.about}\", "
	   "2]}}\nnet.group: {a: {about: z}}\n",
	 "net.group.a {\"about\":\"z\"}\n"
	 "output id {\"$deferred\":\"${net.group.a.id}\"}\n"
	 "output all {\"k\":[\"z\",2]}\n"
	 "max_delete 5\n"},
	{"address space",
	 A "address_space:\n  pools: {all: 10.0.0.0/8}\n  reserved: {office: [192.168.10.0/24, 'FD00:0:0::/48']}\n  "
	   "networks: {rack: 10.128.0.0/16}\nnet.vpc: {a: {cidr: 10.0.0.0/16}}\n",
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"anchors",
	 A "net.vpc:\n  a: &v {cidr: 10.0.0.0/16}\nnet.subnet:\n  x: &s {vpc: a, tags: &t {k: v}}\n  z: *s\n  w: {<<: "
	   "*s, zone: beta, tags: *t}\n",
	 "net.subnet.w {\"tags\":{\"k\":\"v\"},\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"},\"zone\":\"beta\"}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.subnet.x {\"tags\":{\"k\":\"v\"},\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.subnet.z {\"tags\":{\"k\":\"v\"},\"vpc\":{\"$deferred\":\"${net.vpc.a.id}\"}}\n"
	 "  make net.vpc.a.id in vpc immutable\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"},
	{"several files",
	 A "net.vpc: {a: {cidr: 10.0.0.0/16}}\n=== b.yaml\nvars: {z: gamma}\nnet.vpc: {b: {cidr: 10.1.0.0/16}}\n=== "
	   "c.yml\noutputs: {o: 1}\nnet.subnet: {x: {vpc: b, zone: \"${var.z}\"}}\n=== .hidden.yaml\nbad\n=== "
	   "note.txt\nbad\n",
	 "net.subnet.x {\"vpc\":{\"$deferred\":\"${net.vpc.b.id}\"},\"zone\":\"gamma\"}\n"
	 "  make net.vpc.b.id in vpc immutable\n"
	 "net.vpc.a {\"cidr\":\"10.0.0.0/16\"}\n"
	 "net.vpc.b {\"cidr\":\"10.1.0.0/16\"}\n"
	 "output o 1\n"},
};

static void test_rows(void **state)
{
	(void)state;
	assert_int_equal(load_rows_check(rows, COUNT(rows)), 0);
}

/* One stack written in several ways: what comes of each resource is the same to the byte. */
static void test_order(void **state)
{
	static const char *const parts[] = {
		"stack: s\nvars: {z: alpha}\n",
		"net.vpc: {a: {cidr: 10.0.0.0/16}, b: {cidr: 10.1.0.0/16, tags: {t: \"${net.subnet.x.cidr}\"}}}\n",
		"net.subnet: {x: {vpc: a, cidr: \"${cidr_subnet(net.vpc.a.cidr, 8, 1)}\", zone: \"${var.z}\"}}\n",
		"net.group: {g: {peer: h, rules: [{protocol: udp, group: g}, {protocol: tcp, group: h}]}, h: {vpc: "
		"a}}\n",
		"net.gateway: {w: {subnets: [x], vpc: b, options: {mode: m, vpc: a}, policy: [\"${net.group.g.id}\", "
		"1], "
		"depends_on: [net.group.h, net.group.g]}}\n",
	};
	char *first = NULL;
	uint32_t seed = 7;

	(void)state;
	for (size_t round = 0; round < 100; round++) {
		size_t order[COUNT(parts)];
		struct loaded loaded;
		struct folder folder;
		BUFFER_AUTO files;

		buffer_init(&files, 65536);
		for (size_t i = 0; i < COUNT(parts); i++) {
			seed = seed * 1664525 + 1013904223;
			order[i] = i;
			if (i > 0) {
				size_t other = (seed >> 16) % (i + 1);

				order[i] = order[other];
				order[other] = i;
			}
		}
		for (size_t i = 0; i < COUNT(parts); i++) {
			/* Sometimes in one file, sometimes in several. */
			if (i == 0 || round % 3 > 0)
				buffer_format(&files, "=== %zu.yaml\n", i);
			buffer_string(&files, parts[order[i]]);
		}
		folder_init(&folder, files.data);
		loaded_start(&loaded, &folder, NULL);
		assert_true(loaded.good);
		if (first)
			assert_string_equal(loaded_text(&loaded), first);
		else
			first = strdup(loaded_text(&loaded));
		if (!first)
			abort();
		loaded_end(&loaded);
	}
	assert_non_null(strstr(first, "10.0.1.0/24"));
	free(first);
}

/* A chain of fields, each of which needs the next, is as long as the spec; so is a circle. */
static void test_long_chain(void **state)
{
	enum { LENGTH = 30000, SHOWN = 11 };
	const int length = rounds_of(LENGTH);

	(void)state;
	for (int circle = 0; circle < 2; circle++) {
		struct loaded loaded;
		struct folder folder;
		char more[32];
		BUFFER_AUTO files;

		buffer_init(&files, 64 * 1024 * 1024);
		buffer_string(&files, A "net.group:\n");
		for (int i = 0; i < length; i++)
			buffer_format(&files, "  g%d: {about: \"${net.group.g%d.about}\"}\n", i, i + 1);
		buffer_format(&files, "  g%d: {about: %s}\n", length, circle ? "\"${net.group.g0.about}\"" : "end");
		folder_init(&folder, files.data);
		loaded_start(&loaded, &folder, NULL);
		assert_int_equal(loaded.diagnostics.count, circle);
		(void)snprintf(more, sizeof(more), ", %d more needs", length - SHOWN);
		if (circle)
			assert_true(slice_contains(loaded.diagnostics.items[0].message, slice_of(more)));
		else
			assert_true(slice_is(value_slice(value_get_named(&loaded.stack.resources[0].desired, "about")),
					     "end"));
		loaded_end(&loaded);
	}
}

/* Likewise references between resources. */
static void test_long_circle(void **state)
{
	enum { LENGTH = 30000 };
	const int length = rounds_of(LENGTH);

	(void)state;
	for (int circle = 0; circle < 2; circle++) {
		struct loaded loaded;
		struct folder folder;
		BUFFER_AUTO files;

		buffer_init(&files, 64 * 1024 * 1024);
		buffer_string(&files, A "net.group:\n");
		for (int i = 0; i < length; i++)
			buffer_format(&files, "  g%d: {peer: g%d}\n", i, i + 1);
		buffer_format(&files, "  g%d: {%s}\n", length, circle ? "peer: g0" : "");
		folder_init(&folder, files.data);
		loaded_start(&loaded, &folder, NULL);
		assert_int_equal(loaded.diagnostics.count, circle);
		loaded_end(&loaded);
	}
}

/* A chain each member of which closes a circle with the first, too. Returns the processor time it takes. */
static clock_t load_circles(const char *attribute, size_t count)
{
	struct loaded loaded;
	struct folder folder;
	clock_t from;
	BUFFER_AUTO files;

	buffer_init(&files, 64 * 1024 * 1024);
	buffer_string(&files, A "net.group:\n");
	for (size_t i = 0; i < count; i++)
		buffer_format(&files, "  g%zu: {about: \"${net.group.g%zu.%s}${net.group.g0.%s}\"}\n", i,
			      (i + 1) % count, attribute, attribute);
	folder_init(&folder, files.data);
	from = clock();
	loaded_start(&loaded, &folder, NULL);
	from = clock() - from;
	assert_true(loaded.diagnostics.error_count > count / 2);
	loaded_end(&loaded);
	return from;
}

/* Eight times as many take about eight times as long: by the square it would be sixty-four times. */
static void test_many_circles(void **state)
{
	enum { COUNT_FEW = 4000, FACTOR = 8, MOST = 20 };
	static const char *const attributes[] = {"about", "id"};
	const size_t count = (size_t)rounds_of(COUNT_FEW);

	(void)state;
	for (size_t i = 0; i < COUNT(attributes); i++) {
		clock_t few = load_circles(attributes[i], count);
		clock_t many = load_circles(attributes[i], count * FACTOR);

		if (many > few * MOST)
			fail_msg("%s: %ld, and %ld", attributes[i], (long)few, (long)many);
	}
}

/* Loads many groups, each with a field that refers to nothing: all are counted. Returns the processor time it takes. */
static clock_t load_wrong(const char *field)
{
	enum { COUNT_WRONG = 50000 };
	const size_t count = (size_t)rounds_of(COUNT_WRONG);
	struct loaded loaded;
	struct folder folder;
	clock_t from;
	BUFFER_AUTO files;

	buffer_init(&files, 64 * 1024 * 1024);
	buffer_string(&files, A "net.vpc: {a: {cidr: 10.0.0.0/16}}\nnet.group:\n");
	for (size_t i = 0; i < count; i++)
		buffer_format(&files, "  g%zu: {%s: none%zu}\n", i, field, i);
	folder_init(&folder, files.data);
	from = clock();
	loaded_start(&loaded, &folder, NULL);
	from = clock() - from;
	assert_int_equal(loaded.diagnostics.error_count, count);
	assert_int_equal(loaded.diagnostics.count, DIAGNOSTICS_MOST);
	loaded_end(&loaded);
	return from;
}

/* The nearest name costs some times what all the rest does (and not hundreds), also of a kind that is rare. */
static void test_many_errors(void **state)
{
	clock_t usual = load_wrong("nothing");

	(void)state;
	assert_true(load_wrong("peer") < 40 * usual);
	assert_true(load_wrong("vpc") < 40 * usual);
}

/* Where things of a stack stand. */
static void test_positions(void **state)
{
	struct loaded loaded;
	struct folder folder;
	const struct resource *subnet;

	(void)state;
	folder_init(&folder, A "net.vpc:\n  a: {cidr: 10.0.0.0/16}\n=== b.yaml\nnet.subnet:\n  x:\n    vpc: a\n");
	loaded_start(&loaded, &folder, NULL);
	assert_true(loaded.good);
	assert_int_equal(loaded.stack.resource_count, 2);
	subnet = &loaded.stack.resources[1];
	assert_true(slice_is(subnet->name, "x"));
	assert_int_equal(subnet->position.file, 1);
	assert_int_equal(subnet->position.line, 2);
	assert_int_equal(subnet->dependencies[0].position.line, 3);
	assert_int_equal(subnet->dependencies[0].position.column, 10);
	assert_int_equal(value_get_named(&subnet->desired, "vpc")->position.column, 10);
	assert_true(slice_is(loaded.sources.items[1].name, "specs/b.yaml"));
	assert_true(slice_starts_with(loaded.sources.items[1].text, SLICE("net.subnet:")));
	assert_int_equal(loaded.stack.max_delete, -1);
	loaded_end(&loaded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	     cmocka_unit_test(test_order),
		cmocka_unit_test(test_long_chain),   cmocka_unit_test(test_long_circle),
		cmocka_unit_test(test_many_circles), cmocka_unit_test(test_many_errors),
		cmocka_unit_test(test_positions),
	};

	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
