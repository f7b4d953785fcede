#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/exit_status.h"
#include "tests/unit/support_cloud.h"

/* Tags that a provider block gives to everything that goes through it. */

#define STACK(defaults, tags_of_b)                                                                                     \
	"stack: tags\nproviders: {aws: {region: eu-central-1" defaults                                                 \
	"}}\naws.vpc: {main: {cidr: 10.0.0.0/16}}\naws.subnet:\n"                                                      \
	"  a: {vpc: main, cidr: 10.0.1.0/24}\n  b: {vpc: main, cidr: 10.0.2.0/24" tags_of_b "}\n"                      \
	"aws.launch_template: {t: {name: template, image: ami-0123456789abcdef0, instance_type: t3.micro}}\n"          \
	"aws.autoscaling_group: {g: {name: g, launch_template: t, launch_template_version: t, subnets: [a], min: 0, "  \
	"max: 0}}\n"

static const char defaults_and_own[] = STACK(", default_tags: {team: red, cost: \"7\"}", ", tags: {team: blue, n: x}");
static const char other_defaults[] = STACK(", default_tags: {team: green}", ", tags: {team: blue, n: x}");
static const char no_defaults[] = STACK("", ", tags: {team: blue, n: x}");

/* The tag's value, or "-". */
static const char *tag_of(struct cloud *cloud, const char *type, const char *attribute, const char *value,
			  const char *key)
{
	struct diagnostics diagnostics;
	struct value *world = arena_new(&cloud->arena, struct value);
	struct slice id = cloud_find(cloud, type, attribute, value);

	diagnostics_init(&diagnostics, &cloud->arena);
	assert_true(sim_show(cloud->sim, &cloud->arena, world, &diagnostics));
	diagnostics_release(&diagnostics);
	const struct value *thing = value_get(value_get_named(value_get_named(world, "eu-central-1"), type), id);
	const struct value *tags = value_get_named(thing, "tagSet");
	bool upper = !tags;
	if (upper)
		tags = value_get_named(thing, "Tags");
	for (uint32_t i = 0; tags && i < tags->count; i++)
		if (slice_is(value_slice(value_get_named(&tags->items[i], upper ? "Key" : "key")), key))
			return arena_string(&cloud->arena,
					    value_slice(value_get_named(&tags->items[i], upper ? "Value" : "value")));
	return "-";
}

static const struct {
	const char *name;
	const char *spec;
	const char *of_vpc, *of_a, *of_b, *own_of_b, *of_group; /* the tag team; of b also n */
	const char *cost;					/* of all */
} rows[] = {
	{"defaults", defaults_and_own, "red", "red", "blue", "x", "red", "7"},
	{"other defaults", other_defaults, "green", "green", "blue", "x", "green", "-"},
	{"none any more", no_defaults, "-", "-", "blue", "x", "-", "-"},
};

static void check_tag(struct cloud *cloud, const char *name, const char *is, const char *wanted)
{
	if (strcmp(is, wanted) != 0)
		fail_msg("%s: '%s' instead of '%s'\n%.*s", name, is, wanted, (int)cloud->output.size,
			 cloud->output.data);
}

static void test_default_tags(void **state)
{
	struct cloud cloud;

	cloud_open(&cloud, *state);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *name = rows[i].name;

		cloud_write(&cloud, "tags.yaml", rows[i].spec);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_expect(&cloud, "plan --detailed-exitcode", STATUS_FINE);
		check_tag(&cloud, name, tag_of(&cloud, "vpc", "cidrBlock", "10.0.0.0/16", "team"), rows[i].of_vpc);
		check_tag(&cloud, name, tag_of(&cloud, "vpc", "cidrBlock", "10.0.0.0/16", "cost"), rows[i].cost);
		check_tag(&cloud, name, tag_of(&cloud, "subnet", "cidrBlock", "10.0.1.0/24", "team"), rows[i].of_a);
		check_tag(&cloud, name, tag_of(&cloud, "subnet", "cidrBlock", "10.0.2.0/24", "team"), rows[i].of_b);
		check_tag(&cloud, name, tag_of(&cloud, "subnet", "cidrBlock", "10.0.2.0/24", "n"), rows[i].own_of_b);
		check_tag(&cloud, name, tag_of(&cloud, "auto-scaling-group", "AutoScalingGroupName", "g", "team"),
			  rows[i].of_group);
	}
	check_tag(&cloud, "first", tag_of(&cloud, "vpc", "cidrBlock", "10.0.0.0/16", "trueup:generation"), "1");
	cloud_close(&cloud);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_default_tags),
	};

	return cmocka_run_group_tests_name("default tags", tests, NULL, NULL);
}
