#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "cli/exit_status.h"
#include "tests/unit/support_cloud.h"

/* What was planned long ago is compared with what is there before it is changed. */

enum { SOON_MS = 30 * 1000, LATE_MS = 61 * 1000 };

static const char before[] = "stack: look\n"
			     "aws.vpc: {main: {cidr: 10.0.0.0/16}}\n"
			     "aws.subnet:\n"
			     "  a: {vpc: main, cidr: 10.0.1.0/24, public: false, tags: {team: red}}\n"
			     "  b: {vpc: main, cidr: 10.0.2.0/24, public: false, tags: {team: red}}\n"
			     "  c: {vpc: main, cidr: 10.0.3.0/24, public: false, tags: {team: red}}\n";

#define AFTER(team_of_b, rest_of_c)                                                                                    \
	"stack: look\n"                                                                                                \
	"aws.vpc: {main: {cidr: 10.0.0.0/16}}\n"                                                                       \
	"aws.subnet:\n"                                                                                                \
	"  a: {vpc: main, cidr: 10.0.1.0/24, public: false, tags: {team: blue}}\n"                                     \
	"  b: {vpc: main, cidr: 10.0.2.0/24, public: false, tags: {team: " team_of_b "}}\n" rest_of_c

static const char all[] = AFTER("blue", "  c: {vpc: main, cidr: 10.0.3.0/24, public: false, tags: {team: blue}}\n");
static const char only_a[] = AFTER("red", "  c: {vpc: main, cidr: 10.0.3.0/24, public: false, tags: {team: red}}\n");
static const char without_c[] = AFTER("blue", "");
static const char other_c[] = AFTER("blue", "  c: {vpc: main, cidr: 10.0.4.0/24, public: false, tags: {team: red}}\n");
static const char careless_a[] = "stack: look\n"
				 "aws.vpc: {main: {cidr: 10.0.0.0/16}}\n"
				 "aws.subnet:\n"
				 "  a: {vpc: main, cidr: 10.0.1.0/24, public: false, tags: {team: blue}, "
				 "lifecycle: {ignore: [public]}}\n"
				 "  b: {vpc: main, cidr: 10.0.2.0/24, public: false, tags: {team: red}}\n"
				 "  c: {vpc: main, cidr: 10.0.3.0/24, public: false, tags: {team: red}}\n";

static const struct look {
	const char *name;
	const char *after;	       /* the spec that is applied */
	int64_t passing_ms;	       /* while the user thinks */
	const char *cidr;	       /* of the subnet that somebody else touches meanwhile; NULL: nobody does */
	const char *attribute, *value; /* NULL: it is taken away */
	bool denied;		       /* nothing can be read from then on */
	int status;
	const char *says;
	unsigned reads; /* DescribeSubnets, more than those of an apply at once */
} looks[] = {
	{"answered soon", all, SOON_MS, NULL, NULL, NULL, false, STATUS_FINE, "3 done", 0},
	{"answered late", all, LATE_MS, NULL, NULL, NULL, false, STATUS_FINE, "3 done", 1},
	{"one has changed", all, LATE_MS, "10.0.1.0/24", "mapPublicIpOnLaunch", "true", false, STATUS_PARTLY,
	 "'aws.subnet.a' has changed since the plan was made: other values are there now (public)", 1},
	{"the only one has changed", only_a, LATE_MS, "10.0.1.0/24", "mapPublicIpOnLaunch", "true", false,
	 STATUS_REFUSED, "'aws.subnet.a' has changed since the plan was made", 1},
	{"what the spec leaves alone has changed", careless_a, LATE_MS, "10.0.1.0/24", "mapPublicIpOnLaunch", "true",
	 false, STATUS_FINE, "1 done", 1},
	{"another one has changed", only_a, LATE_MS, "10.0.2.0/24", "mapPublicIpOnLaunch", "true", false, STATUS_FINE,
	 "1 done", 1},
	{"one is gone", only_a, LATE_MS, "10.0.1.0/24", NULL, NULL, false, STATUS_REFUSED,
	 "'aws.subnet.a' has changed since the plan was made: it is not there any more", 1},
	{"what was to be deleted is gone", without_c, LATE_MS, "10.0.3.0/24", NULL, NULL, false, STATUS_FINE, "3 done",
	 2},
	{"what was to be replaced has changed", other_c, LATE_MS, "10.0.3.0/24", "mapPublicIpOnLaunch", "true", false,
	 STATUS_PARTLY, "'aws.subnet.c' has changed since the plan was made", 1},
	{"cannot be read again", only_a, LATE_MS, NULL, NULL, NULL, true, STATUS_ERROR,
	 "'aws.subnet.a' could not be read again before its change", 1},
};

static void meanwhile(struct cloud *cloud, const void *what)
{
	const struct look *row = what;
	struct diagnostics diagnostics;

	diagnostics_init(&diagnostics, &cloud->arena);
	sim_advance(cloud->sim, row->passing_ms);
	if (row->denied)
		sim_fault(cloud->sim, (struct sim_fault){SLICE("DescribeSubnets"), SIM_FAULT_DENY, 1, 0});
	if (row->cidr) {
		struct slice id = cloud_find(cloud, "subnet", "cidrBlock", row->cidr);

		if (row->attribute)
			cloud_change(cloud, "subnet", id, row->attribute, row->value);
		else
			assert_true(sim_remove(cloud->sim, SLICE("eu-central-1"), SLICE("subnet"), id, &diagnostics));
	}
	diagnostics_release(&diagnostics);
}

static uint64_t reads(const struct cloud *cloud)
{
	return sim_requests(cloud->sim, SLICE("DescribeSubnets"));
}

/* How many readings an apply needs whose question was answered at once. */
static uint64_t reads_at_once(const struct world_fixture *fixture, const char *after)
{
	struct cloud cloud;

	cloud_open(&cloud, fixture);
	cloud_write(&cloud, "look.yaml", before);
	cloud_expect(&cloud, "apply --yes", STATUS_FINE);
	cloud_write(&cloud, "look.yaml", after);
	uint64_t count = reads(&cloud);
	cloud_expect(&cloud, "apply", STATUS_FINE);
	count = reads(&cloud) - count;
	cloud_close(&cloud);
	return count;
}

static void test_looks(void **state)
{
	struct world_fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		const struct look *row = &looks[i];
		uint64_t usual = reads_at_once(fixture, row->after);
		struct cloud cloud;

		cloud_open(&cloud, fixture);
		cloud_write(&cloud, "look.yaml", before);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "look.yaml", row->after);
		uint64_t count = reads(&cloud);
		cloud.moment = "question";
		cloud.happening = meanwhile;
		cloud.what = row;
		int status = cloud_run(&cloud, "apply");
		count = reads(&cloud) - count;
		if (status != row->status || !cloud_says(&cloud, row->says))
			fail_msg("%s: status %d, not %d with \"%s\":\n%.*s", row->name, status, row->status, row->says,
				 (int)cloud.output.size, cloud.output.data);
		bool whole = row->status == STATUS_FINE;
		if (whole ? count != usual + row->reads : count > usual + row->reads)
			fail_msg("%s: %llu readings instead of %llu", row->name, (unsigned long long)count,
				 (unsigned long long)usual + row->reads);
		cloud_close(&cloud);
	}
}

static void turn_on(struct cloud *cloud, const void *what)
{
	sim_advance(cloud->sim, LATE_MS);
	if (*(const bool *)what)
		cloud_change(cloud, "subnet", cloud_find(cloud, "subnet", "cidrBlock", "10.0.1.0/24"),
			     "mapPublicIpOnLaunch", "true");
}

#define ONE_SUBNET(cidr)                                                                                               \
	"stack: look\naws.vpc: {main: {cidr: 10.0.0.0/16}}\naws.subnet:\n"                                             \
	"  a: {vpc: main, cidr: " cidr ", public: false, lifecycle: {create_before_destroy: true}}\n"
#define NOTHING "stack: look\naws.vpc: {main: {cidr: 10.0.0.0/16}}\n"
#define OTHER_OWNER "\"0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f\""

/* Nor is that taken back which a replace has left behind, where it is not as it was when that was planned. */
static void test_take_back(void **state)
{
	static const bool changes[] = {false, true};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "look.yaml", ONE_SUBNET("10.0.1.0/24"));
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "look.yaml", ONE_SUBNET("10.0.2.0/24"));
		sim_fault(cloud.sim, (struct sim_fault){SLICE("DeleteSubnet"), SIM_FAULT_DENY, 1, 1});
		cloud_expect(&cloud, "apply --yes", STATUS_PARTLY);
		cloud_write(&cloud, "look.yaml", ONE_SUBNET("10.0.1.0/24"));
		cloud.moment = "question";
		cloud.happening = turn_on;
		cloud.what = &changes[i];
		int status = cloud_run(&cloud, "apply");
		if (status != (changes[i] ? STATUS_REFUSED : STATUS_FINE) ||
		    cloud_says(&cloud, "other values are there now (public)") != changes[i])
			fail_msg("row %zu: status %d:\n%.*s", i, status, (int)cloud.output.size, cloud.output.data);
		cloud_close(&cloud);
	}
}

#define GROUPS(rules, others)                                                                                          \
	"stack: look\naws.vpc: {main: {cidr: 10.0.0.0/16}}\naws.security_group:\n"                                     \
	"  web: {vpc: main, name: web, description: web, ingress: [{protocol: tcp, from_port: 80, to_port: 80, "       \
	"cidr: 10.0.0.0/8}" rules "]}\n" others

static const char one_group[] = GROUPS("", "");
static const char two_groups[] =
	GROUPS(", {protocol: tcp, from_port: 81, to_port: 81, group: \"${aws.security_group.new.id}\"}",
	       "  new: {vpc: main, name: new, description: new}\n");

static const struct {
	const char *name;
	int64_t passing_ms; /* while the new group is made */
	const char *cidr;   /* of the other group's rule from then on; NULL: as it was */
	int status;
	const char *says;
} long_applies[] = {
	{"what comes first is quick", SOON_MS, NULL, STATUS_FINE, "2 done"},
	{"what comes first takes long", LATE_MS, NULL, STATUS_FINE, "2 done"},
	{"and somebody changes what waits", LATE_MS, "\"10.0.0.0/9\"", STATUS_PARTLY,
	 "'aws.security_group.web' has changed since the plan was made: other values are there now (ingress["},
};

static void while_it_is_made(struct cloud *cloud, const void *what)
{
	size_t i = *(const size_t *)what;

	sim_advance(cloud->sim, long_applies[i].passing_ms);
	if (long_applies[i].cidr)
		cloud_change(cloud, "security-group-rule",
			     cloud_find(cloud, "security-group-rule", "cidrIpv4", "10.0.0.0/8"), "cidrIpv4",
			     long_applies[i].cidr);
}

/* The plan may be new and its turn late. */
static void test_long_applies(void **state)
{
	for (size_t i = 0; i < sizeof(long_applies) / sizeof(long_applies[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "look.yaml", one_group);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "look.yaml", two_groups);
		cloud.moment = "CreateSecurityGroup";
		cloud.happening = while_it_is_made;
		cloud.what = &i;
		int status = cloud_run(&cloud, "apply --yes");
		if (status != long_applies[i].status || !cloud_says(&cloud, long_applies[i].says))
			fail_msg("%s: status %d:\n%.*s", long_applies[i].name, status, (int)cloud.output.size,
				 cloud.output.data);
		cloud_close(&cloud);
	}
}

#define TWO_NETS(cidr)                                                                                                 \
	"stack: look\naws.vpc: {main: {cidr: 10.0.0.0/16}, net: {cidr: " cidr "}}\n"                                   \
	"aws.subnet: {n: {vpc: net, cidr: \"${cidr_subnet(aws.vpc.net.cidr, 8, 1)}\"}}\n"

#define TWO_GROUPS(old_text, rules)                                                                                    \
	"stack: look\naws.vpc: {main: {cidr: 10.0.0.0/16}}\naws.security_group:\n"                                     \
	"  old: {vpc: main, name: old, description: " old_text "}\n"                                                   \
	"  web: {vpc: main, name: web, description: web, ingress: [{protocol: tcp, from_port: 80, to_port: 80, "       \
	"cidr: 10.0.0.0/8}, {protocol: tcp, from_port: 81, to_port: 81, group: old}" rules "]}\n"

#define GATEWAY(asn)                                                                                                   \
	"stack: look\naws.vpc: {main: {cidr: 10.0.0.0/16}}\naws.route_table:\n"                                        \
	"  r: {vpc: main, routes: [{destination: 10.9.0.0/16, vpn_gateway: w}]}\n"                                     \
	"aws.vpn_gateway: {w: {vpc: main, propagate_to: [r], asn: " asn "}}\n"                                         \
	"aws.customer_gateway: {c: {address: 198.51.100.1, asn: 65001}}\naws.vpn_connection:\n"                        \
	"  n: {vpn_gateway: w, customer_gateway: c, static_routes_only: true, routes: [192.168.13.0/24]}\n"

/* What goes on between two phases of one action. */
static const struct later {
	const char *name;
	const char *before, *after;
	const char *moment; /* after the first of them was compared */
	int64_t passing_ms;
	const char *type, *attribute, *value; /* of what somebody changes meanwhile; NULL: nothing */
	const char *told_by, *was;	      /* by which attribute, and what it was, that is known */
	int status;
	const char *says;
} laters[] = {
	{"an old object is kept for a moment", ONE_SUBNET("10.0.1.0/24"), ONE_SUBNET("10.0.2.0/24"), "CreateSubnet",
	 SOON_MS, NULL, NULL, NULL, NULL, NULL, STATUS_FINE, "1 done"},
	{"an old object is kept for long", ONE_SUBNET("10.0.1.0/24"), ONE_SUBNET("10.0.2.0/24"), "CreateSubnet",
	 LATE_MS, NULL, NULL, NULL, NULL, NULL, STATUS_FINE, "1 done"},
	{"and somebody takes it over", ONE_SUBNET("10.0.1.0/24"), ONE_SUBNET("10.0.2.0/24"), "CreateSubnet", LATE_MS,
	 "subnet", "tagSet.0.value", OTHER_OWNER, "cidrBlock", "10.0.1.0/24", STATUS_PARTLY,
	 "'aws.subnet.a' has changed since the plan was made: its tags name another owner"},
	{"and somebody changes it", ONE_SUBNET("10.0.1.0/24"), ONE_SUBNET("10.0.2.0/24"), "CreateSubnet", LATE_MS,
	 "subnet", "mapPublicIpOnLaunch", "true", "cidrBlock", "10.0.1.0/24", STATUS_PARTLY,
	 "'aws.subnet.a' has changed since the plan was made: other values are there now (public)"},
	{"and somebody deletes it", ONE_SUBNET("10.0.1.0/24"), ONE_SUBNET("10.0.2.0/24"), "CreateSubnet", LATE_MS,
	 "subnet", NULL, NULL, "cidrBlock", "10.0.1.0/24", STATUS_FINE, "1 done"},
	{"what is replaced waits for what lies in it", TWO_NETS("10.8.0.0/16"), TWO_NETS("10.9.0.0/16"), "DeleteSubnet",
	 LATE_MS, NULL, NULL, NULL, NULL, NULL, STATUS_FINE, "2 done"},
	{"and somebody takes it over", TWO_NETS("10.8.0.0/16"), TWO_NETS("10.9.0.0/16"), "DeleteSubnet", LATE_MS, "vpc",
	 "tagSet.0.value", OTHER_OWNER, "cidrBlock", "10.8.0.0/16", STATUS_PARTLY,
	 "'aws.vpc.net' has changed since the plan was made: its tags name another owner"},
	{"rules are taken off, and the group goes late", TWO_GROUPS("old", ""), NOTHING, "RevokeSecurityGroupIngress",
	 LATE_MS, NULL, NULL, NULL, NULL, NULL, STATUS_FINE, "2 done"},
	{"and somebody takes it over", TWO_GROUPS("old", ""), NOTHING, "RevokeSecurityGroupIngress", LATE_MS,
	 "security-group", "tagSet.0.value", OTHER_OWNER, "groupName", "web", STATUS_PARTLY,
	 "'aws.security_group.web' has changed since the plan was made: its tags name another owner"},
	{"a rule is taken off, and late another comes", TWO_GROUPS("old", ""), TWO_GROUPS("new", ""),
	 "CreateSecurityGroup", LATE_MS, NULL, NULL, NULL, NULL, NULL, STATUS_FINE, "2 done"},
	{"a table lets go of the gateway that was replaced", GATEWAY("64600"), GATEWAY("64601"), "CreateVpnGateway",
	 LATE_MS, NULL, NULL, NULL, NULL, NULL, STATUS_FINE, "3 done"},
	{"and somebody takes that over", GATEWAY("64600"), GATEWAY("64601"), "CreateVpnGateway", LATE_MS, "vpn-gateway",
	 "tagSet.0.value", OTHER_OWNER, "amazonSideAsn", "64600", STATUS_PARTLY,
	 "'aws.vpn_gateway.w' has changed since the plan was made: its tags name another owner"},
	{"and before the gateway's own turn comes", GATEWAY("64600"), GATEWAY("64601"), "DisableVgwRoutePropagation",
	 LATE_MS, NULL, NULL, NULL, NULL, NULL, STATUS_FINE, "3 done"},
	{"and somebody changes one that stays", TWO_GROUPS("old", ""), TWO_GROUPS("new", ""), "CreateSecurityGroup",
	 LATE_MS, "security-group-rule", "cidrIpv4", "\"10.0.0.0/9\"", "cidrIpv4", "10.0.0.0/8", STATUS_PARTLY,
	 "'aws.security_group.web' has changed since the plan was made: other values are there now (ingress["},
};

static void between_phases(struct cloud *cloud, const void *what)
{
	const struct later *row = what;
	struct diagnostics diagnostics;

	sim_advance(cloud->sim, row->passing_ms);
	if (!row->type)
		return;
	struct slice id = cloud_find(cloud, row->type, row->told_by, row->was);
	diagnostics_init(&diagnostics, &cloud->arena);
	if (row->attribute)
		cloud_change(cloud, row->type, id, row->attribute, row->value);
	else
		assert_true(sim_remove(cloud->sim, SLICE("eu-central-1"), slice_of(row->type), id, &diagnostics));
	diagnostics_release(&diagnostics);
}

/* Each phase of an action looks anew where the last look was long ago; what the one before has done is no change. */
static void test_later_phases(void **state)
{
	for (size_t i = 0; i < sizeof(laters) / sizeof(laters[0]); i++) {
		const struct later *row = &laters[i];
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "look.yaml", row->before);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "look.yaml", row->after);
		cloud.moment = row->moment;
		cloud.happening = between_phases;
		cloud.what = row;
		int status = cloud_run(&cloud, "apply --yes");
		if (status != row->status || !cloud_says(&cloud, row->says))
			fail_msg("%s, %s: status %d:\n%.*s", row->moment, row->name, status, (int)cloud.output.size,
				 cloud.output.data);
		/* What was left is told of, or is an error where it is another's by now. */
		if ((cloud_run(&cloud, "plan --detailed-exitcode") == STATUS_FINE) != (status == STATUS_FINE))
			fail_msg("%s, %s, and then:\n%.*s", row->moment, row->name, (int)cloud.output.size,
				 cloud.output.data);
		cloud_close(&cloud);
	}
}

#define DESCRIBED(text)                                                                                                \
	"stack: look\naws.vpc: {main: {cidr: 10.0.0.0/16}}\naws.security_group:\n"                                     \
	"  web: {vpc: main, name: web, description: web, ingress: [{protocol: tcp, from_port: 80, to_port: 80, "       \
	"cidr: 10.0.0.0/8, description: " text "}]}\n"

static void describe(struct cloud *cloud, const void *what)
{
	sim_advance(cloud->sim, LATE_MS);
	cloud_change(cloud, "security-group-rule", cloud_find(cloud, "security-group-rule", "cidrIpv4", "10.0.0.0/8"),
		     "description", what);
}

/* It is the same change only where it begins at the value that was shown; what has come true is none. */
static void test_other_value(void **state)
{
	static const struct {
		const char *description;
		int status;
	} rows[] = {{"\"one\"", STATUS_FINE}, {"\"two\"", STATUS_FINE}, {"\"other\"", STATUS_REFUSED}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "look.yaml", DESCRIBED("one"));
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "look.yaml", DESCRIBED("two"));
		cloud.moment = "question";
		cloud.happening = describe;
		cloud.what = rows[i].description;
		cloud_expect(&cloud, "apply", rows[i].status);
		cloud_close(&cloud);
	}
}

static void put_machine(struct cloud *cloud, const char *attributes, bool is_new)
{
	struct diagnostics diagnostics;
	struct value value;
	struct slice id;

	diagnostics_init(&diagnostics, &cloud->arena);
	assert_true(json_read(&cloud->arena, slice_of(attributes), true, SIZE_MAX, "attributes", &value, &diagnostics));
	if (is_new)
		assert_true(sim_add(cloud->sim, &cloud->arena, SLICE(""), SLICE("machine"), SLICE("m.example"), &value,
				    &id, &diagnostics));
	else
		assert_true(
			sim_change(cloud->sim, SLICE(""), SLICE("machine"), SLICE("m.example"), &value, &diagnostics));
	diagnostics_release(&diagnostics);
}

static void while_a_group_is_made(struct cloud *cloud, const void *what)
{
	sim_advance(cloud->sim, LATE_MS);
	if (*(const bool *)what)
		put_machine(cloud, "{\"serial\":\"S2\"}", false);
}

#define MACHINE_AT(path, power, more)                                                                                  \
	"stack: look\nproviders: {metal: {user: ops, password: calvin}}\naws.vpc: {main: {cidr: 10.0.0.0/16}}\n"       \
	"metal.machine: {m: {controller: 'https://m.example" path "'" power "}}\n" more
#define MACHINE(power, more) MACHINE_AT("", power, more)

/* At the address of a controller another machine may answer by the time that it is to be turned on. */
static void test_another_machine(void **state)
{
	static const struct {
		const char *before; /* where it is found under another address it is replaced */
		bool swaps;
	} rows[] = {
		{MACHINE("", ""), false},
		{MACHINE("", ""), true},
		{MACHINE_AT("/redfish/v1/Systems/1", "", ""), false},
		{MACHINE_AT("/redfish/v1/Systems/1", "", ""), true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cloud cloud;

		cloud_open(&cloud, *state);
		put_machine(&cloud, "{\"serial\":\"S1\",\"power\":\"Off\",\"user\":\"ops\",\"password\":\"calvin\"}",
			    true);
		cloud_write(&cloud, "look.yaml", rows[i].before);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "look.yaml",
			    MACHINE(", power: 'on', depends_on: [aws.security_group.new]",
				    "aws.security_group: {new: {vpc: main, name: new, description: new}}\n"));
		cloud.moment = "CreateSecurityGroup";
		cloud.happening = while_a_group_is_made;
		cloud.what = &rows[i].swaps;
		int status = cloud_run(&cloud, "apply --yes");
		if (status != (rows[i].swaps ? STATUS_PARTLY : STATUS_FINE) ||
		    cloud_says(&cloud, "another one is in its place, whose 'serial' is \"S2\"") != rows[i].swaps)
			fail_msg("row %zu: status %d:\n%.*s", i, status, (int)cloud.output.size, cloud.output.data);
		if ((cloud_run(&cloud, "plan --detailed-exitcode") == STATUS_FINE) == rows[i].swaps)
			fail_msg("row %zu, and then:\n%.*s", i, (int)cloud.output.size, cloud.output.data);
		cloud_close(&cloud);
	}
}

static const struct exchange {
	const char *name;
	bool begun;		    /* an earlier run has taken it on, and was refused */
	const char *moment, *power; /* of the machine, when it is planned for */
	int64_t passing_ms;
	const char *change; /* of it meanwhile, or NULL */
	int status;
	const char *says;
} exchanges[] = {
	{"soon", false, "question", "On", SOON_MS, NULL, STATUS_FINE, "2 done"},
	{"late", false, "question", "On", LATE_MS, NULL, STATUS_FINE, "2 done"},
	{"late, and as planned", false, "question", "Off", LATE_MS, "{\"power\":\"On\"}", STATUS_FINE, "2 done"},
	{"late, and another one", false, "question", "Off", LATE_MS, "{\"serial\":\"S2\"}", STATUS_PARTLY,
	 "another one is in its place, whose 'serial' is \"S2\""},
	{"late, and it does not tell", false, "question", "Off", LATE_MS, "{\"serial\":null}", STATUS_PARTLY,
	 "nothing tells now that it is the same one"},
	{"late, and turned otherwise", false, "question", "On", LATE_MS, "{\"power\":\"Off\"}", STATUS_PARTLY,
	 "other values are there now (power)"},
	{"its turn is late", false, "CreateVpc", "Off", LATE_MS, NULL, STATUS_FINE, "2 done"},
	{"its turn is late, and another one", false, "CreateVpc", "Off", LATE_MS, "{\"serial\":\"S2\"}", STATUS_PARTLY,
	 "another one is in its place, whose 'serial' is \"S2\""},
	{"taken on before, and late", true, "question", "Off", LATE_MS, NULL, STATUS_FINE, "1 done"},
	{"taken on before, late, and as planned", true, "question", "Off", LATE_MS, "{\"power\":\"On\"}", STATUS_FINE,
	 "1 done"},
	{"taken on before, late, and another one", true, "question", "Off", LATE_MS, "{\"serial\":\"S2\"}",
	 STATUS_REFUSED, "another one is in its place, whose 'serial' is \"S2\""},
};

static void exchange(struct cloud *cloud, const void *what)
{
	const struct exchange *row = what;

	sim_advance(cloud->sim, row->passing_ms);
	if (row->change)
		put_machine(cloud, row->change, false);
}

/* Nor is another one taken on than the one that was planned for, nor turned on. */
static void test_exchanged(void **state)
{
	for (size_t i = 0; i < sizeof(exchanges) / sizeof(exchanges[0]); i++) {
		const struct exchange *row = &exchanges[i];
		struct cloud cloud;

		cloud_open(&cloud, *state);
		struct slice machine = arena_format(
			&cloud.arena, "{\"serial\":\"S1\",\"power\":\"%s\",\"user\":\"ops\",\"password\":\"calvin\"}",
			row->power);
		put_machine(&cloud, machine.data, true);
		cloud_write(&cloud, "look.yaml", MACHINE(", power: 'on', depends_on: [aws.vpc.main]", ""));
		if (row->begun) {
			sim_fault(cloud.sim,
				  (struct sim_fault){SLICE("POST /redfish/v1/Systems/1/Actions/ComputerSystem.Reset"),
						     SIM_FAULT_DENY, 1, 1});
			cloud_expect(&cloud, "apply --yes", STATUS_PARTLY);
		}
		cloud.moment = row->moment;
		cloud.happening = exchange;
		cloud.what = row;
		int status = cloud_run(&cloud, strcmp(row->moment, "question") == 0 ? "apply" : "apply --yes");
		if (status != row->status || !cloud_says(&cloud, row->says))
			fail_msg("%s: status %d:\n%.*s", row->name, status, (int)cloud.output.size, cloud.output.data);
		cloud_close(&cloud);
	}
}

/* What is left alone is left alone by a saved plan too. */
static void test_saved_and_ignored(void **state)
{
	struct cloud cloud;

	cloud_open(&cloud, *state);
	cloud_write(&cloud, "look.yaml", before);
	cloud_expect(&cloud, "apply --yes", STATUS_FINE);
	cloud_change(&cloud, "subnet", cloud_find(&cloud, "subnet", "cidrBlock", "10.0.1.0/24"), "mapPublicIpOnLaunch",
		     "true");
	cloud_write(&cloud, "look.yaml", careless_a);
	struct slice plan = arena_format(&cloud.arena, "plan --out %s/saved", cloud.folder);
	struct slice apply = arena_format(&cloud.arena, "apply %s/saved", cloud.folder);
	cloud_expect(&cloud, plan.data, STATUS_FINE);
	cloud_expect(&cloud, apply.data, STATUS_FINE);
	cloud_expect(&cloud, "plan --detailed-exitcode", STATUS_FINE);
	cloud_close(&cloud);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_looks),		  WORLD_TEST(test_long_applies),
		WORLD_TEST(test_later_phases),	  WORLD_TEST(test_saved_and_ignored),
		WORLD_TEST(test_another_machine), WORLD_TEST(test_take_back),
		WORLD_TEST(test_other_value),	  WORLD_TEST(test_exchanged),
	};

	return cmocka_run_group_tests_name("looks before changes", tests, NULL, NULL);
}
