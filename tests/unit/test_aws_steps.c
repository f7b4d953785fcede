#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "providers/aws/aws.h"
#include "tests/unit/support_aws_kinds.h"

/* Which fields an update of these leaves between two values, should it be cut off. */

static const struct {
	const char *kind, *field, *changed;
	bool steps;
} rows[] = {
	{"aws.instance", "running", "{\"instance_type\":\"t3.small\"}", true},
	{"aws.instance", "running", "{\"tags\":{}}", false},
	{"aws.instance", "instance_type", "{\"instance_type\":\"t3.small\"}", false},
	{"aws.instance", "tags", "{\"instance_type\":\"t3.small\"}", false},
	{"aws.vpn_gateway", "vpc", "{\"vpc\":\"vpc-2\"}", true},
	{"aws.vpn_gateway", "vpc", "{\"tags\":{}}", false},
	{"aws.subnet", "ipv6_cidr", "{\"ipv6_cidr\":null}", true},
	{"aws.subnet", "ipv6_cidr", "{\"public\":true}", false},
	{"aws.subnet", "assign_ipv6_on_creation", "{\"ipv6_cidr\":null}", true},
	{"aws.subnet", "assign_ipv6_on_creation", "{\"assign_ipv6_on_creation\":true}", false},
	{"aws.subnet", "dns64", "{\"ipv6_cidr\":null}", true},
	{"aws.subnet", "public", "{\"public\":true}", false},
	{"aws.vpn_connection", "tunnels", "{\"tunnels\":[]}", true},
	{"aws.vpn_connection", "tunnels", "{\"tags\":{}}", false},
	{"aws.route_table", "propagation", "{\"propagation\":[]}", true},
	{"aws.route_table", "routes", "{\"routes\":[]}", false},
};

static void test_steps(void **state)
{
	struct diagnostics diagnostics;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct aws_kind *kind = kinds_named(rows[i].kind);
		struct value changed;

		assert_non_null(kind);
		const struct field *field = field_named(&kind->kind.fields, slice_of(rows[i].field));
		assert_true(json_read(&arena, slice_of(rows[i].changed), true, 4096, "a row", &changed, &diagnostics));
		if (!field || aws_takes_steps(&kind->kind, field, &changed) != rows[i].steps)
			fail_msg("%s '%s' with %s", rows[i].kind, rows[i].field, rows[i].changed);
	}
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
	};

	return cmocka_run_group_tests_name("aws_steps", tests, NULL, NULL);
}
