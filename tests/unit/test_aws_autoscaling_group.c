#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "providers/aws/kinds/kinds.h"
#include "tests/unit/support_aws.h"

/* What the driver sends for Auto Scaling groups. */

#define GROUP_TAG(key, value) "{\"Key\":\"" key "\",\"Value\":\"" value "\",\"PropagateAtLaunch\":false}"
#define OUR_GROUP_TAGS                                                                                                 \
	GROUP_TAG("trueup:stack", "stack")                                                                             \
	"," GROUP_TAG("trueup:object", "object") "," GROUP_TAG("trueup:intent", "intent") "," GROUP_TAG(               \
		"trueup:generation", "1") "," GROUP_TAG("trueup:address", "aws.x.test")
#define SCALING(most, instances, tags)                                                                                 \
	{                                                                                                              \
		"DescribeAutoScalingGroups", "{\"AutoScalingGroupNames\":[\"g\"]}",                                    \
			"{\"AutoScalingGroups\":[{\"AutoScalingGroupName\":\"g\",\"MinSize\":0,\"MaxSize\":" most      \
			",\"VPCZoneIdentifier\":\"subnet-1,subnet-2\",\"LaunchTemplate\":{\"LaunchTemplateId\":\"lt-"  \
			"1\",\"Version\":\"1\"},"                                                                      \
			"\"Instances\":[" instances "],\"Tags\":[" tags "]}]}",                                        \
			NULL, 0                                                                                        \
	}
#define ASG(rest)                                                                                                      \
	"{\"name\":\"g\",\"launch_template\":\"lt-1\",\"launch_template_version\":\"1\",\"subnets\":[\"subnet-2\","    \
	"\"subnet-1\"],"                                                                                               \
	"\"min\":0,\"max\":2" rest "}"
#define CREATE_GROUP(answer, code)                                                                                     \
	{                                                                                                              \
		"CreateAutoScalingGroup",                                                                              \
			"{\"AutoScalingGroupName\":\"g\",\"LaunchTemplate\":{\"LaunchTemplateId\":\"lt-1\","           \
			"\"Version\":\"1\"},"                                                                          \
			"\"VPCZoneIdentifier\":\"subnet-1,subnet-2\",\"MinSize\":0,\"MaxSize\":2,\"Tags\":["           \
			"{\"Key\":\"a\",\"Value\":\"b\",\"PropagateAtLaunch\":true}," OUR_GROUP_TAGS "]}",             \
			answer, code, 0                                                                                \
	}
#define EMPTY                                                                                                          \
	{                                                                                                              \
		"UpdateAutoScalingGroup",                                                                              \
			"{\"AutoScalingGroupName\":\"g\",\"MinSize\":0,\"MaxSize\":0,\"DesiredCapacity\":0}", "{}",    \
			NULL, 0                                                                                        \
	}
/* As often as a listing may lag. */
#define SHOWS_OLD                                                                                                      \
	{                                                                                                              \
		"DescribeAutoScalingGroups", NULL,                                                                     \
			"{\"AutoScalingGroups\":[{\"AutoScalingGroupName\":\"g\",\"MinSize\":0,\"MaxSize\":2,"         \
			"\"Instances\":[]}]}",                                                                         \
			NULL, 46                                                                                       \
	}
#define LEFT "{\"InstanceId\":\"i-1\"}"
#define GONE                                                                                                           \
	{                                                                                                              \
		"DescribeAutoScalingGroups", NULL, "{\"AutoScalingGroups\":[]}", NULL, 0                               \
	}

#define SEND_SECOND_VERSION                                                                                            \
	{                                                                                                              \
		"UpdateAutoScalingGroup",                                                                              \
			"{\"AutoScalingGroupName\":\"g\",\"LaunchTemplate\":{\"LaunchTemplateId\":\"lt-1\","           \
			"\"Version\":\"2\"}}",                                                                         \
			"{}", NULL, 0                                                                                  \
	}
#define SHOW_SECOND_VERSION                                                                                            \
	{                                                                                                              \
		"DescribeAutoScalingGroups", NULL,                                                                     \
			"{\"AutoScalingGroups\":[{\"AutoScalingGroupName\":\"g\",\"LaunchTemplate\":"                  \
			"{\"LaunchTemplateId\":\"lt-1\",\"Version\":\"2\"}}]}",                                        \
			NULL, 0                                                                                        \
	}

/* Of that name, with another ARN than the one that is recorded. */
#define NAMED_SO(tags)                                                                                                 \
	{                                                                                                              \
		"DescribeAutoScalingGroups", NULL,                                                                     \
			"{\"AutoScalingGroups\":[{\"AutoScalingGroupName\":\"g\",\"AutoScalingGroupARN\":\"arn:b\","   \
			"\"MinSize\":0,\"MaxSize\":0,\"Instances\":[],\"Tags\":[" tags "]}]}",                         \
			NULL, 0                                                                                        \
	}
#define ARN_A .outputs = "{\"id\":\"g\",\"arn\":\"arn:a\"}"

static const struct scenario groups[] = {
	{.name = "a group of that name that is another one is not deleted",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 ARN_A,
	 .unsettle_all = true,
	 .script = {NAMED_SO(GROUP_TAG("trueup:stack", "another"))},
	 .ends = STEP_DONE},
	{.name = "nor by force",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 ARN_A,
	 .unsettle_all = true,
	 .force = true,
	 .script = {NAMED_SO("")},
	 .ends = STEP_DONE},
	{.name = "nor is it changed, or waited for",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_MAKE,
	 .provider_id = "g",
	 ARN_A,
	 .applied = ASG(""),
	 .wanted = ASG(",\"cooldown_s\":60"),
	 .script = {NAMED_SO("")},
	 .ends = STEP_FAILED,
	 .message = "is not there any more"},
	{.name = "one that has this stack's tags is its own, whichever it is",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 ARN_A,
	 .unsettle_all = true,
	 .script = {NAMED_SO(OUR_GROUP_TAGS),
		    {"DeleteAutoScalingGroup", "{\"AutoScalingGroupName\":\"g\"}", "{}", NULL, 0},
		    GONE},
	 .ends = STEP_DONE},
	{.name = "a group is tagged in its create call, and passes on no tag of ours",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_MAKE,
	 .wanted = ASG(",\"tags\":[{\"key\":\"a\",\"value\":\"b\",\"propagate\":true}]"),
	 .script = {CREATE_GROUP("{}", NULL),
		    SCALING("2", "", "{\"Key\":\"a\",\"Value\":\"b\",\"PropagateAtLaunch\":true}," OUR_GROUP_TAGS)},
	 .ends = STEP_DONE,
	 .fields = "{\"tags\":[{\"key\":\"a\",\"value\":\"b\",\"propagate\":true}]}"},
	{.name = "a name that is taken may be our own of a run that was cut off",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_MAKE,
	 .wanted = ASG(",\"tags\":[{\"key\":\"a\",\"value\":\"b\",\"propagate\":true}]"),
	 .script = {CREATE_GROUP(NULL, "AlreadyExists"),
		    SCALING("2", "", "{\"Key\":\"a\",\"Value\":\"b\",\"PropagateAtLaunch\":true}," OUR_GROUP_TAGS)},
	 .ends = STEP_DONE},
	{.name = "a name that others took is theirs",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_MAKE,
	 .wanted = ASG(",\"tags\":[{\"key\":\"a\",\"value\":\"b\",\"propagate\":true}]"),
	 .script = {CREATE_GROUP(NULL, "AlreadyExists"), SCALING("2", "", "")},
	 .ends = STEP_FAILED,
	 .message = "is not of this stack",
	 .record_removed = true},
	{.name = "a structure travels whole: the template with its version",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_MAKE,
	 .provider_id = "g",
	 .applied = ASG(""),
	 .wanted = "{\"name\":\"g\",\"launch_template\":\"lt-1\",\"launch_template_version\":\"2\",\"subnets\":["
		   "\"subnet-1\","
		   "\"subnet-2\"],"
		   "\"min\":0,\"max\":2}",
	 .script = {SCALING("2", "", OUR_GROUP_TAGS), SEND_SECOND_VERSION, SHOW_SECOND_VERSION},
	 .ends = STEP_DONE},
	{.name = "of a structure that travels, what is left to others is as they have it",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_MAKE,
	 .provider_id = "g",
	 .applied = "{\"name\":\"g\",\"launch_template\":\"lt-0\",\"launch_template_version\":\"1\",\"min\":0}",
	 .wanted = "{\"name\":\"g\",\"launch_template\":\"lt-0\",\"launch_template_version\":\"2\",\"min\":0}",
	 .ignored = "launch_template",
	 .script = {SCALING("2", "", OUR_GROUP_TAGS), SEND_SECOND_VERSION, SHOW_SECOND_VERSION},
	 .ends = STEP_DONE},
	{.name = "but a version that others chose is none of another template",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_MAKE,
	 .provider_id = "g",
	 .applied = "{\"name\":\"g\",\"launch_template\":\"lt-1\",\"launch_template_version\":\"3\",\"min\":0}",
	 .wanted = "{\"name\":\"g\",\"launch_template\":\"lt-2\",\"launch_template_version\":\"7\",\"min\":0}",
	 .ignored = "launch_template_version",
	 .script = {SCALING("2", "", OUR_GROUP_TAGS),
		    {"UpdateAutoScalingGroup",
		     "{\"AutoScalingGroupName\":\"g\",\"LaunchTemplate\":{\"LaunchTemplateId\":\"lt-2\",\"Version\":"
		     "\"7\"}}",
		     "{}", NULL, 0},
		    {"DescribeAutoScalingGroups", NULL,
		     "{\"AutoScalingGroups\":[{\"AutoScalingGroupName\":\"g\",\"LaunchTemplate\":{\"LaunchTemplateId\":"
		     "\"lt-2\","
		     "\"Version\":\"7\"}}]}",
		     NULL, 0}},
	 .ends = STEP_DONE},
	{.name = "tags of a group name the group",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_MAKE,
	 .provider_id = "g",
	 .applied = ASG(",\"tags\":[{\"key\":\"a\",\"value\":\"1\",\"propagate\":true},{\"key\":\"b\",\"value\":\"1\","
			"\"propagate\":true}]"),
	 .wanted = ASG(",\"tags\":[{\"key\":\"a\",\"value\":\"2\",\"propagate\":true}]"),
	 .script = {SCALING("2", "",
			    "{\"Key\":\"a\",\"Value\":\"1\",\"PropagateAtLaunch\":true},{\"Key\":\"b\",\"Value\":\"1\","
			    "\"PropagateAtLaunch\":true}," OUR_GROUP_TAGS),
		    {"DeleteTags",
		     "{\"Tags\":[{\"ResourceId\":\"g\",\"ResourceType\":\"auto-scaling-group\",\"Key\":\"b\"}]}", "{}",
		     NULL, 0},
		    {"CreateOrUpdateTags",
		     "{\"Tags\":[{\"ResourceId\":\"g\",\"ResourceType\":\"auto-scaling-group\",\"Key\":\"a\",\"Value\":"
		     "\"2\","
		     "\"PropagateAtLaunch\":true}]}",
		     "{}", NULL, 0},
		    SCALING("2", "", "{\"Key\":\"a\",\"Value\":\"2\",\"PropagateAtLaunch\":true}," OUR_GROUP_TAGS)},
	 .ends = STEP_DONE},
	{.name = "a group is emptied, then deleted, then gone",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {SCALING("2", LEFT, OUR_GROUP_TAGS),
		    EMPTY,
		    SCALING("0", LEFT, OUR_GROUP_TAGS),
		    SCALING("0", LEFT, OUR_GROUP_TAGS),
		    SCALING("0", "", OUR_GROUP_TAGS),
		    {"DeleteAutoScalingGroup", "{\"AutoScalingGroupName\":\"g\"}", "{}", NULL, 0},
		    GONE},
	 /* By these a look tells that it was emptied. */
	 .effects = {"{\"desired\":0,\"max\":0,\"min\":0} {}", "nothing"},
	 .ends = STEP_DONE},
	{.name = "a listing that lags does not have a group emptied again",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {SCALING("2", "", OUR_GROUP_TAGS),
		    EMPTY,
		    SCALING("2", "", OUR_GROUP_TAGS),
		    SCALING("0", "", OUR_GROUP_TAGS),
		    {"DeleteAutoScalingGroup", "{\"AutoScalingGroupName\":\"g\"}", "{}", NULL, 0},
		    GONE},
	 .ends = STEP_DONE},
	{.name = "a group that somebody gives its size back each time is emptied once more, not for ever",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {SCALING("2", "", OUR_GROUP_TAGS), EMPTY, SHOWS_OLD, EMPTY, SHOWS_OLD},
	 .ends = STEP_FAILED,
	 .message = "is given its size back each time that it is emptied"},
	{.name = "a group that was being emptied is waited for",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {SCALING("0", LEFT, OUR_GROUP_TAGS),
		    SCALING("0", "", OUR_GROUP_TAGS),
		    {"DeleteAutoScalingGroup", NULL, NULL, "ValidationError.NotFound", 0},
		    GONE,
		    GONE,
		    GONE},
	 .ends = STEP_DONE},
	{.name = "a group that is not emptied in time is not gone yet",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {{"DescribeAutoScalingGroups", NULL,
		     "{\"AutoScalingGroups\":[{\"AutoScalingGroupName\":\"g\",\"MinSize\":0,\"MaxSize\":0,"
		     "\"Instances\":[" LEFT "]}]}",
		     NULL, -1}},
	 .ends = STEP_FAILED,
	 .message = "is not gone yet",
	 .waits = true},
	{.name = "a group that is gone cannot be emptied, which its deletion confirms",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {SCALING("2", LEFT, OUR_GROUP_TAGS),
		    {"UpdateAutoScalingGroup", NULL, NULL, "ValidationError.NotFound", 0},
		    {"DeleteAutoScalingGroup", NULL, NULL, "ValidationError.NotFound", 0},
		    GONE,
		    GONE,
		    GONE},
	 .ends = STEP_DONE},
	{.name = "a group that launched something cannot be emptied once its template is gone",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {SCALING("2", LEFT, OUR_GROUP_TAGS),
		    {"UpdateAutoScalingGroup", NULL, NULL, "ValidationError.LaunchTemplateNotFound", 0}},
	 .ends = STEP_FAILED,
	 .message = "UpdateAutoScalingGroup answered ValidationError.LaunchTemplateNotFound"},
	{.name = "a group whose template is gone cannot be emptied, and is deleted as it is",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {SCALING("2", "", OUR_GROUP_TAGS),
		    {"UpdateAutoScalingGroup", NULL, NULL, "ValidationError.LaunchTemplateNotFound", 0},
		    {"DeleteAutoScalingGroup", "{\"AutoScalingGroupName\":\"g\"}", "{}", NULL, 0},
		    GONE},
	 .ends = STEP_DONE},
	{.name = "a group that cannot be read is not emptied blindly",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {{"DescribeAutoScalingGroups", NULL, NULL, "AccessDenied", 0}},
	 .ends = STEP_FAILED,
	 .message = "could not be read back (could not read aws.autoscaling_group: DescribeAutoScalingGroups answered "
		    "AccessDenied"},
	{.name = "a group that is protected from deletion is not emptied",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {{"DescribeAutoScalingGroups", "{\"AutoScalingGroupNames\":[\"g\"]}",
		     "{\"AutoScalingGroups\":[{\"AutoScalingGroupName\":\"g\",\"MinSize\":0,\"MaxSize\":2,"
		     "\"DeletionProtection\":\"prevent-all-deletion\",\"Instances\":[" LEFT
		     "],\"Tags\":[" OUR_GROUP_TAGS "]}]}",
		     NULL, 0}},
	 .ends = STEP_FAILED,
	 .message = "is protected from deletion, and was left as it is"},
	{.name = "a group is not emptied in part: what is protected from scale-in would stay for ever",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {SCALING("2", LEFT ",{\"InstanceId\":\"i-2\",\"ProtectedFromScaleIn\":true}", OUR_GROUP_TAGS)},
	 .ends = STEP_FAILED,
	 .message = "cannot be emptied while instances of it are protected from scale-in"},
	{.name = "a protected instance that is on its way out keeps nothing up",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {SCALING("0",
			    "{\"InstanceId\":\"i-2\",\"LifecycleState\":\"Terminating\",\"ProtectedFromScaleIn\":true}",
			    OUR_GROUP_TAGS),
		    SCALING("0", "", OUR_GROUP_TAGS),
		    {"DeleteAutoScalingGroup", "{\"AutoScalingGroupName\":\"g\"}", "{}", NULL, 0},
		    GONE},
	 .ends = STEP_DONE},
	{.name = "what was retained on its way out goes by no waiting",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {SCALING("0", "{\"InstanceId\":\"i-1\",\"LifecycleState\":\"Terminating:Retained\"}",
			    OUR_GROUP_TAGS)},
	 .ends = STEP_FAILED,
	 .message = "cannot be emptied while instances of it are retained"},
	{.name = "a group whose terminating rests is not waited for",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .script = {SCALING("0", LEFT "],\"SuspendedProcesses\":[{\"ProcessName\":\"Terminate\"}", OUR_GROUP_TAGS)},
	 .ends = STEP_FAILED,
	 .message = "cannot be emptied while its process 'Terminate' is suspended"},
	{.name = "by force it goes at once",
	 .kind = &aws_autoscaling_group,
	 .phase = PHASE_DELETE,
	 .provider_id = "g",
	 .unsettle_all = true,
	 .force = true,
	 .script = {SCALING("2", LEFT, OUR_GROUP_TAGS),
		    {"DeleteAutoScalingGroup", "{\"AutoScalingGroupName\":\"g\",\"ForceDelete\":true}", "{}", NULL, 0},
		    GONE},
	 .ends = STEP_DONE},
};

static void test_groups(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		scenario_run(&groups[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
