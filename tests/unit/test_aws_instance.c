#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "providers/aws/kinds/kinds.h"
#include "tests/unit/support_aws.h"

/* What the driver sends for instances. */

#define OURS                                                                                                           \
	"{\"Key\":\"trueup:stack\",\"Value\":\"stack\"},{\"Key\":\"trueup:object\",\"Value\":\"object\"},"             \
	"{\"Key\":\"trueup:intent\",\"Value\":\"intent\"},{\"Key\":\"trueup:generation\",\"Value\":\"1\"},{\"Key\":"   \
	"\"trueup:address\",\"Value\":\"aws.x.test\"}"
#define BY_ID(filter, id) "{\"Filters\":[{\"Name\":\"" filter "\",\"Values\":[\"" id "\"]}]}"

#define INSTANCE(state, type, rest)                                                                                    \
	{                                                                                                              \
		"DescribeInstances", BY_ID("instance-id", "i-1"),                                                      \
			"{\"Reservations\":[{\"Instances\":[{\"InstanceId\":\"i-1\",\"ImageId\":\"ami-1\",\"State\":{" \
			"\"Name\":\"" state "\"},\"InstanceType\":\"" type "\"" rest "}]}]}",                          \
			NULL, 0                                                                                        \
	}
#define BOX(type, rest) "{\"image\":\"ami-1\",\"instance_type\":\"" type "\"" rest "}"
#define ON_INSTANCES(operation)                                                                                        \
	{                                                                                                              \
		operation, "{\"InstanceIds\":[\"i-1\"]}", "{}", NULL, 0                                                \
	}
#define RESIZE                                                                                                         \
	{                                                                                                              \
		"ModifyInstanceAttribute", "{\"InstanceId\":\"i-1\",\"InstanceType\":{\"Value\":\"large\"}}", "{}",    \
			NULL, 0                                                                                        \
	}
#define PROFILE ",\"IamInstanceProfile\":{\"Arn\":\"arn:aws:iam::1:instance-profile/path/p\"}"
#define FIND_ASSOCIATION(found)                                                                                        \
	{                                                                                                              \
		"DescribeIamInstanceProfileAssociations",                                                              \
			"{\"Filters\":[{\"Name\":\"instance-id\",\"Values\":[\"i-1\"]},"                               \
			"{\"Name\":\"state\",\"Values\":[\"associating\",\"associated\"]}]}",                          \
			"{\"IamInstanceProfileAssociations\":[" found "]}", NULL, 0                                    \
	}
#define READ_CREDITS(value)                                                                                            \
	{                                                                                                              \
		"DescribeInstanceCreditSpecifications", "{\"InstanceIds\":[\"i-1\"]}",                                 \
			"{\"InstanceCreditSpecifications\":[{\"InstanceId\":\"i-1\",\"CpuCredits\":\"" value "\"}]}",  \
			NULL, 0                                                                                        \
	}

static const struct scenario instances[] = {
	{"create",
	 &aws_instance,
	 PHASE_MAKE,
	 NULL,
	 NULL,
	 BOX("small", ",\"user_data\":\"a\",\"tags\":{\"a\":\"b\"}"),
	 NULL,
	 false,
	 false,
	 {{"RunInstances",
	   "{\"ClientToken\":\"intent\",\"ImageId\":\"ami-1\",\"InstanceType\":\"small\",\"MaxCount\":1,\"MinCount\":1,"
	   "\"UserData\":\"YQ==\",\"TagSpecifications\":["
	   "{\"ResourceType\":\"instance\",\"Tags\":[{\"Key\":\"a\",\"Value\":\"b\"}," OURS "]},"
	   "{\"ResourceType\":\"volume\",\"Tags\":[{\"Key\":\"a\",\"Value\":\"b\"}]}]}",
	   "{\"Instances\":[{\"InstanceId\":\"i-1\"}]}", NULL, 0},
	  INSTANCE("pending", "small", ""),
	  {"DescribeInstanceAttribute", "{\"InstanceId\":\"i-1\",\"Attribute\":\"userData\"}",
	   "{\"UserData\":{\"Value\":\"YQ==\"}}", NULL, 0},
	  INSTANCE("running", "small", ",\"Tags\":[{\"Key\":\"a\",\"Value\":\"b\"}," OURS "]"),
	  {"DescribeInstanceAttribute", NULL, NULL, "UnauthorizedOperation", 0}},
	 STEP_DONE,
	 NULL,
	 "{\"running\":true,\"user_data\":{\"$unread\":true}}",
	 false,
	 false},
	{"stop, change, start",
	 &aws_instance,
	 PHASE_MAKE,
	 "i-1",
	 BOX("small", ""),
	 BOX("large", ""),
	 NULL,
	 false,
	 false,
	 {INSTANCE("running", "small", ""), ON_INSTANCES("StopInstances"), INSTANCE("stopping", "small", ""),
	  INSTANCE("stopped", "small", ""), RESIZE, INSTANCE("stopped", "large", ""), ON_INSTANCES("StartInstances"),
	  INSTANCE("pending", "large", ""), INSTANCE("running", "large", "")},
	 STEP_DONE,
	 NULL,
	 "{\"instance_type\":\"large\",\"running\":true}",
	 false,
	 false},
	{"what stood still is not started",
	 &aws_instance,
	 PHASE_MAKE,
	 "i-1",
	 BOX("small", ""),
	 BOX("large", ""),
	 NULL,
	 false,
	 false,
	 {INSTANCE("stopped", "small", ""), RESIZE, INSTANCE("stopped", "large", "")},
	 STEP_DONE,
	 NULL,
	 "{\"running\":false}",
	 false,
	 false},
	{"what is to stand still is not started",
	 &aws_instance,
	 PHASE_MAKE,
	 "i-1",
	 BOX("small", ",\"running\":true"),
	 BOX("large", ",\"running\":false"),
	 NULL,
	 false,
	 false,
	 {INSTANCE("running", "small", ""), ON_INSTANCES("StopInstances"), INSTANCE("stopped", "small", ""), RESIZE,
	  INSTANCE("stopped", "large", "")},
	 STEP_DONE,
	 NULL,
	 "{\"running\":false}",
	 false,
	 false},
	{"a call of its own switches on, another off",
	 &aws_instance,
	 PHASE_MAKE,
	 "i-1",
	 BOX("small", ",\"monitoring\":true"),
	 BOX("small", ",\"monitoring\":false"),
	 NULL,
	 false,
	 false,
	 {INSTANCE("running", "small", ",\"Monitoring\":{\"State\":\"enabled\"}"), ON_INSTANCES("UnmonitorInstances"),
	  INSTANCE("running", "small", ",\"Monitoring\":{\"State\":\"disabling\"}")},
	 STEP_DONE,
	 NULL,
	 "{\"monitoring\":false}",
	 false,
	 false},
	{"the first profile is associated",
	 &aws_instance,
	 PHASE_MAKE,
	 "i-1",
	 BOX("small", ""),
	 BOX("small", ",\"instance_profile\":\"p\""),
	 NULL,
	 false,
	 false,
	 {INSTANCE("running", "small", ""),
	  {"AssociateIamInstanceProfile", "{\"InstanceId\":\"i-1\",\"IamInstanceProfile\":{\"Name\":\"p\"}}", "{}",
	   NULL, 0},
	  INSTANCE("running", "small", PROFILE)},
	 STEP_DONE,
	 NULL,
	 "{\"instance_profile\":\"p\"}",
	 false,
	 false},
	{"another profile takes its place through the association",
	 &aws_instance,
	 PHASE_MAKE,
	 "i-1",
	 BOX("small", ",\"instance_profile\":\"o\""),
	 BOX("small", ",\"instance_profile\":\"p\""),
	 NULL,
	 false,
	 false,
	 {INSTANCE("running", "small", ",\"IamInstanceProfile\":{\"Arn\":\"arn:aws:iam::1:instance-profile/o\"}"),
	  FIND_ASSOCIATION("{\"AssociationId\":\"a-1\"}"),
	  {"ReplaceIamInstanceProfileAssociation",
	   "{\"AssociationId\":\"a-1\",\"IamInstanceProfile\":{\"Name\":\"p\"}}", "{}", NULL, 0},
	  INSTANCE("running", "small", PROFILE)},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
	{"a profile that is no longer set goes",
	 &aws_instance,
	 PHASE_MAKE,
	 "i-1",
	 BOX("small", ",\"instance_profile\":\"p\""),
	 BOX("small", ""),
	 NULL,
	 false,
	 false,
	 {INSTANCE("running", "small", PROFILE),
	  FIND_ASSOCIATION("{\"AssociationId\":\"a-1\"}"),
	  {"DisassociateIamInstanceProfile", "{\"AssociationId\":\"a-1\"}", "{}", NULL, 0},
	  INSTANCE("running", "small", "")},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
	{"an association that is gone already needs no call",
	 &aws_instance,
	 PHASE_MAKE,
	 "i-1",
	 BOX("small", ",\"instance_profile\":\"p\""),
	 BOX("small", ""),
	 NULL,
	 false,
	 false,
	 {INSTANCE("running", "small", PROFILE), FIND_ASSOCIATION(""), INSTANCE("running", "small", "")},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
	{"a failure within an answer that succeeded counts",
	 &aws_instance,
	 PHASE_MAKE,
	 "i-1",
	 BOX("small", ",\"credits\":\"standard\""),
	 BOX("small", ",\"credits\":\"unlimited\""),
	 NULL,
	 false,
	 false,
	 {INSTANCE("running", "small", ""),
	  READ_CREDITS("standard"),
	  {"ModifyInstanceCreditSpecification",
	   "{\"InstanceCreditSpecifications\":[{\"InstanceId\":\"i-1\",\"CpuCredits\":\"unlimited\"}]}",
	   "{\"UnsuccessfulInstanceCreditSpecifications\":[{\"InstanceId\":\"i-1\",\"Error\":"
	   "{\"Code\":\"InstanceCreditSpecification.NotSupported\",\"Message\":\"not burstable\"}}]}",
	   NULL, 0}},
	 STEP_FAILED,
	 "not burstable",
	 NULL,
	 false,
	 false},
	{"a change that never shows is given up",
	 &aws_instance,
	 PHASE_MAKE,
	 "i-1",
	 BOX("small", ",\"metadata\":{\"hop_limit\":1}"),
	 BOX("small", ",\"metadata\":{\"hop_limit\":2}"),
	 NULL,
	 false,
	 false,
	 {INSTANCE("running", "small", ",\"MetadataOptions\":{\"HttpPutResponseHopLimit\":1}"),
	  {"ModifyInstanceMetadataOptions", "{\"InstanceId\":\"i-1\",\"HttpPutResponseHopLimit\":2}", "{}", NULL, 0},
	  {"DescribeInstances", NULL,
	   "{\"Reservations\":[{\"Instances\":[{\"InstanceId\":\"i-1\",\"ImageId\":\"ami-1\",\"State\":{\"Name\":"
	   "\"running\"},"
	   "\"InstanceType\":\"small\",\"MetadataOptions\":{\"HttpPutResponseHopLimit\":1}}]}]}",
	   NULL, 46},
	  {"ModifyInstanceMetadataOptions", NULL, "{}", NULL, 0},
	  {"DescribeInstances", NULL,
	   "{\"Reservations\":[{\"Instances\":[{\"InstanceId\":\"i-1\",\"ImageId\":\"ami-1\",\"State\":{\"Name\":"
	   "\"running\"},"
	   "\"InstanceType\":\"small\",\"MetadataOptions\":{\"HttpPutResponseHopLimit\":1}}]}]}",
	   NULL, -1}},
	 STEP_FAILED,
	 "still shows its old 'metadata'",
	 NULL,
	 false,
	 false},
	{"a termination is waited for; a terminated instance is gone",
	 &aws_instance,
	 PHASE_DELETE,
	 "i-1",
	 NULL,
	 NULL,
	 NULL,
	 true,
	 false,
	 {INSTANCE("running", "small", ""), ON_INSTANCES("TerminateInstances"), INSTANCE("shutting-down", "small", ""),
	  INSTANCE("terminated", "small", "")},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
	{"protection blocks a deletion, and says what to do",
	 &aws_instance,
	 PHASE_DELETE,
	 "i-1",
	 NULL,
	 NULL,
	 NULL,
	 true,
	 false,
	 {INSTANCE("running", "small", ""), {"TerminateInstances", NULL, NULL, "OperationNotPermitted", 0}},
	 STEP_FAILED,
	 "termination_protection: false",
	 NULL,
	 false,
	 false},
};

static void test_instances(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(instances) / sizeof(instances[0]); i++)
		scenario_run(&instances[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_instances)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
