#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "providers/aws/kinds/group_instances.h"

/* What a listing tells of a group's instances, and what each keeps where the group has these fields. */

#define INSTANCE(id, state, template, version)                                                                         \
	"{\"InstanceId\":\"" id "\",\"LifecycleState\":\"" state "\",\"AvailabilityZone\":\"us-west-2a\","             \
	"\"LaunchTemplate\":{\"LaunchTemplateId\":\"" template "\",\"Version\":\"" version "\"}}"
#define ONE INSTANCE("i-1", "InService", "lt-1", "1")
#define GROUP(version) "{\"launch_template\":\"lt-1\",\"launch_template_version\":" version ",\"max\":2}"
#define WORD(word, outputs)                                                                                            \
	"{\"launch_template\":\"lt-1\",\"launch_template_version\":\"" word "\",\"aws.launch_template\":{" outputs "}" \
	"}"
#define UNKNOWN(text) "{\"$deferred\":\"${" text "}\"}"

static const struct row {
	const char *name, *instances, *group;
	const char *expected; /* "id zone: what it keeps" */
} rows[] = {
	{"of the group's version", ONE, GROUP("\"1\""), "i-1 us-west-2a: "},
	{"of an older one", ONE, GROUP("\"2\""), "i-1 us-west-2a: version 1"},
	{"of one that another will follow", ONE, GROUP(UNKNOWN("aws.launch_template.x.latest_version")),
	 "i-1 us-west-2a: version 1"},
	{"of another template", INSTANCE("i-1", "InService", "lt-0", "7"), GROUP("\"7\""),
	 "i-1 us-west-2a: version 7 of lt-0"},
	{"a template that will be another", ONE,
	 "{\"launch_template\":" UNKNOWN("aws.launch_template.x.id") ",\"launch_template_version\":" UNKNOWN(
		 "aws.launch_template.x.latest_version") "}",
	 "i-1 us-west-2a: version 1 of lt-1"},
	{"whichever is the latest", ONE, GROUP("\"$Latest\""), "i-1 us-west-2a: "},
	{"the latest", ONE, WORD("$Latest", "\"latest_version\":\"1\",\"default_version\":\"2\""), "i-1 us-west-2a: "},
	{"the latest is another", ONE, WORD("$Latest", "\"latest_version\":\"2\",\"default_version\":\"1\""),
	 "i-1 us-west-2a: version 1"},
	{"the latest will be another", ONE, WORD("$Latest", "\"name\":\"x\""), "i-1 us-west-2a: version 1"},
	{"the default", ONE, WORD("$Default", "\"latest_version\":\"2\",\"default_version\":\"1\""),
	 "i-1 us-west-2a: "},
	{"the default is another", ONE, WORD("$Default", "\"latest_version\":\"1\",\"default_version\":\"2\""),
	 "i-1 us-west-2a: version 1"},
	{"each for itself", ONE "," INSTANCE("i-2", "Pending", "lt-1", "2"), GROUP("\"2\""),
	 "i-1 us-west-2a: version 1, i-2 us-west-2a: "},
	{"on their way out",
	 INSTANCE("i-1", "Terminating:Wait", "lt-1", "1") "," INSTANCE("i-2", "Detaching", "lt-1",
								       "1") "," INSTANCE("i-3", "Standby", "lt-1", "1"),
	 GROUP("\"2\""), "i-3 us-west-2a: version 1"},
	{"kept on its way out", INSTANCE("i-1", "Terminating:Retained", "lt-1", "1"), GROUP("\"2\""),
	 "i-1 us-west-2a: version 1"},
	{"about to go, as none may run", ONE,
	 "{\"launch_template\":\"lt-1\",\"launch_template_version\":\"2\",\"max\":0}", "i-1 us-west-2a: "},
	{"not launched by a template", "{\"InstanceId\":\"i-1\",\"AvailabilityZone\":\"us-west-2b\"}", GROUP("\"2\""),
	 "i-1 us-west-2b: "},
	{"of a mixed group", ONE,
	 "{\"mixed_instances\":{\"launch_template\":\"lt-1\",\"launch_template_version\":\"2\","
	 "\"overrides\":[{\"instance_type\":\"m7i.large\"}]}}",
	 "i-1 us-west-2a: version 1"},
	{"of a mixed group, some of which is of another template", ONE,
	 "{\"mixed_instances\":{\"launch_template\":\"lt-2\",\"launch_template_version\":\"2\","
	 "\"overrides\":[{\"launch_template\":\"lt-1\"}]}}",
	 "i-1 us-west-2a: "},
	{"none", "", GROUP("\"2\""), ""},
};

static struct value read_json(struct arena *arena, struct diagnostics *diagnostics, struct slice text)
{
	struct value value;

	assert_true(json_read(arena, text, true, 65536, "the row", &value, diagnostics));
	return value;
}

static void test_keeps(void **state)
{
	const struct row *row = *state;
	struct arena arena;
	struct diagnostics diagnostics;
	struct buffer said;

	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	buffer_init(&said, 65536);
	struct slice item = arena_format(&arena, "{\"Instances\":[%s]}", row->instances);
	struct value group = read_json(&arena, &diagnostics, slice_of(row->group));
	struct value listed = read_json(&arena, &diagnostics, item);
	struct value running = aws_group_running(&listed, &arena);
	assert_true(value_is(&running, VALUE_LIST));
	for (uint32_t i = 0; i < running.count; i++) {
		const struct value *one = &running.items[i];
		struct slice kept = aws_group_runs.keeps(one, &group, &arena);
		buffer_format(&said, "%s%.*s %.*s: %.*s", i ? ", " : "",
			      SLICE_ARGUMENTS(value_slice(value_get_named(one, "id"))),
			      SLICE_ARGUMENTS(value_slice(value_get_named(one, "zone"))), SLICE_ARGUMENTS(kept));
	}
	if (!slice_is(buffer_slice(&said), row->expected))
		fail_msg("'%.*s', not '%s'", SLICE_ARGUMENTS(buffer_slice(&said)), row->expected);
	buffer_release(&said);
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

/* Whether the capacity of a group is how many instances it has. */
static void test_is_number(void **state)
{
	static const struct {
		const char *group;
		bool expected;
	} capacities[] = {
		{"{\"desired\":2}", true},
		{"{\"capacity_unit\":\"units\"}", true},
		{"{\"capacity_unit\":\"vcpu\"}", false},
		{"{\"mixed_instances\":{\"overrides\":[{\"instance_type\":\"m7i.large\"}]}}", true},
		{"{\"mixed_instances\":{\"overrides\":[{\"instance_type\":\"a\"},{\"weight\":\"2\"}]}}", false},
		{"{\"suspended\":[\"AZRebalance\"]}", true},
		{"{\"suspended\":[\"Terminate\"]}", false},
		{"{\"suspended\":[\"Launch\"]}", false},
	};
	struct arena arena;
	struct diagnostics diagnostics;

	(void)state;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++) {
		struct value group = read_json(&arena, &diagnostics, slice_of(capacities[i].group));
		if (aws_group_runs.is_number(&group) != capacities[i].expected)
			fail_msg("%s", capacities[i].group);
	}
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

/* Whether an instance leaves a zone with its group. */
static void test_moves(void **state)
{
	static const struct {
		const char *instance, *group;
		bool expected;
	} leavings[] = {
		{"{}", "{}", true},
		{"{\"protected\":true}", "{}", false},
		{"{\"retained\":true}", "{}", false},
		{"{}", "{\"hooks\":[]}", true},
		{"{}", "{\"hooks\":[{\"name\":\"up\"}]}", false},
		{"{}", "{\"suspended\":[\"AZRebalance\"]}", false},
		{"{}", "{\"suspended\":[\"Launch\"]}", false},
		{"{}", "{\"suspended\":[\"Terminate\"]}", false},
		{"{}", "{\"suspended\":[\"AlarmNotification\"]}", true},
	};
	struct arena arena;
	struct diagnostics diagnostics;

	(void)state;
	arena_init(&arena);
	diagnostics_init(&diagnostics, &arena);
	for (size_t i = 0; i < sizeof(leavings) / sizeof(leavings[0]); i++) {
		struct value instance = read_json(&arena, &diagnostics, slice_of(leavings[i].instance));
		struct value group = read_json(&arena, &diagnostics, slice_of(leavings[i].group));
		if (aws_group_runs.moves(&instance, &group) != leavings[i].expected)
			fail_msg("%s of %s", leavings[i].instance, leavings[i].group);
	}
	diagnostics_release(&diagnostics);
	arena_release(&arena);
}

int main(void)
{
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	struct CMUnitTest tests[COUNT + 2];

	for (size_t i = 0; i < COUNT; i++)
		tests[i] = (struct CMUnitTest){rows[i].name, test_keeps, NULL, NULL, (void *)(uintptr_t)&rows[i]};
	tests[COUNT] = (struct CMUnitTest)cmocka_unit_test(test_is_number);
	tests[COUNT + 1] = (struct CMUnitTest)cmocka_unit_test(test_moves);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
