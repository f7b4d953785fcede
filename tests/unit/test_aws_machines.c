#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "providers/aws/kinds/kinds.h"
#include "tests/unit/support_aws.h"

/* What the driver sends for launch templates, VPN connections, instances and groups of them. */

#define OURS                                                                                                           \
	"{\"Key\":\"trueup:stack\",\"Value\":\"stack\"},{\"Key\":\"trueup:object\",\"Value\":\"object\"},"             \
	"{\"Key\":\"trueup:intent\",\"Value\":\"intent\"},{\"Key\":\"trueup:address\",\"Value\":\"aws.x.test\"}"
#define BY_ID(filter, id) "{\"Filters\":[{\"Name\":\"" filter "\",\"Values\":[\"" id "\"]}]}"

#define TEMPLATE(default_version, latest, data)                                                                        \
	{"DescribeLaunchTemplates", "{\"MaxResults\":200}",                                                            \
	 "{\"LaunchTemplates\":[{\"LaunchTemplateId\":\"lt-0\"},{\"LaunchTemplateId\":\"lt-1\","                       \
	 "\"LaunchTemplateName\":\"t\","                                                                               \
	 "\"DefaultVersionNumber\":" default_version ",\"LatestVersionNumber\":" latest ",\"Tags\":[" OURS "]}]}",     \
	 NULL, 0},                                                                                                     \
	{                                                                                                              \
		"DescribeLaunchTemplateVersions", "{\"MaxResults\":200,\"Versions\":[\"$Latest\"]}",                   \
			"{\"LaunchTemplateVersions\":[{\"LaunchTemplateId\":\"lt-1\",\"LaunchTemplateName\":\"t\","    \
			"\"VersionNumber\":" latest ",\"LaunchTemplateData\":{" data "}}]}",                           \
			NULL, 0                                                                                        \
	}
#define NEW_VERSION(data)                                                                                              \
	{                                                                                                              \
		"CreateLaunchTemplateVersion",                                                                         \
			"{\"LaunchTemplateId\":\"lt-1\",\"ClientToken\":\"<token>\",\"LaunchTemplateData\":{" data     \
			"}}",                                                                                          \
			"{}", NULL, 0                                                                                  \
	}
#define MAKE_DEFAULT                                                                                                   \
	{                                                                                                              \
		"ModifyLaunchTemplate", "{\"LaunchTemplateId\":\"lt-1\",\"DefaultVersion\":\"2\"}", "{}", NULL, 0      \
	}

static const struct scenario templates[] = {
	{"a version is made whole, then the default; what others put there stays",
	 &aws_launch_template,
	 PHASE_MAKE,
	 "lt-1",
	 "{\"name\":\"t\",\"image\":\"ami-1\",\"key\":\"k\",\"user_data\":\"a\"}",
	 "{\"name\":\"t\",\"image\":\"ami-2\",\"user_data\":\"a\"}",
	 NULL,
	 false,
	 false,
	 {TEMPLATE("1", "1", "\"ImageId\":\"ami-1\",\"KeyName\":\"k\",\"UserData\":\"YQ==\",\"EbsOptimized\":true"),
	  NEW_VERSION("\"ImageId\":\"ami-2\",\"UserData\":\"YQ==\",\"EbsOptimized\":true"),
	  TEMPLATE("1", "2", "\"ImageId\":\"ami-2\",\"UserData\":\"YQ==\",\"EbsOptimized\":true"), MAKE_DEFAULT,
	  TEMPLATE("1", "2", "\"ImageId\":\"ami-2\",\"UserData\":\"YQ==\",\"EbsOptimized\":true"),
	  TEMPLATE("2", "2", "\"ImageId\":\"ami-2\",\"UserData\":\"YQ==\",\"EbsOptimized\":true")},
	 STEP_DONE,
	 NULL,
	 "{\"image\":\"ami-2\",\"user_data\":\"a\"}",
	 false,
	 false},
	{"a token is the same for the same change of the same version",
	 &aws_launch_template,
	 PHASE_MAKE,
	 "lt-1",
	 "{\"name\":\"t\",\"image\":\"ami-1\"}",
	 "{\"name\":\"t\",\"image\":\"ami-2\"}",
	 NULL,
	 false,
	 false,
	 {TEMPLATE("1", "1", "\"ImageId\":\"ami-1\""),
	  {"CreateLaunchTemplateVersion",
	   "{\"LaunchTemplateId\":\"lt-1\",\"ClientToken\":\"cbcdb9195df54b861085684da4ab15e9\",\"LaunchTemplateData\":"
	   "{\"ImageId\":\"ami-2\"}}",
	   "{}", NULL, 0},
	  TEMPLATE("2", "2", "\"ImageId\":\"ami-2\"")},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
	{"a deletion",
	 &aws_launch_template,
	 PHASE_DELETE,
	 "lt-1",
	 NULL,
	 NULL,
	 NULL,
	 true,
	 false,
	 {TEMPLATE("1", "1", "\"ImageId\":\"ami-1\""),
	  {"DeleteLaunchTemplate", "{\"LaunchTemplateId\":\"lt-1\"}", NULL, "InvalidLaunchTemplateId.NotFound", 0}},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
};

#define CONNECTION(state, first, second)                                                                               \
	{                                                                                                              \
		"DescribeVpnConnections", BY_ID("vpn-connection-id", "vpn-1"),                                         \
			"{\"VpnConnections\":[{\"VpnConnectionId\":\"vpn-1\",\"State\":\"" state                       \
			"\",\"CustomerGatewayId\":\"cgw-1\","                                                          \
			"\"VpnGatewayId\":\"vgw-1\",\"Options\":{\"TunnelOptions\":["                                  \
			"{\"OutsideIpAddress\":\"203.0.113.1\",\"DpdTimeoutSeconds\":" first                           \
			"},{\"OutsideIpAddress\":\"203.0.113.2\",\"DpdTimeoutSeconds\":" second "}]}}]}",              \
			NULL, 0                                                                                        \
	}
#define TUNNELS(first, second)                                                                                         \
	"{\"customer_gateway\":\"cgw-1\",\"vpn_gateway\":\"vgw-1\",\"tunnels\":[{\"dpd_timeout_s\":" first             \
	"},{\"dpd_timeout_s\":" second "}]}"
#define CHANGE_TUNNEL(address, value)                                                                                  \
	{                                                                                                              \
		"ModifyVpnTunnelOptions",                                                                              \
			"{\"VpnConnectionId\":\"vpn-1\",\"VpnTunnelOutsideIpAddress\":\"" address                      \
			"\",\"TunnelOptions\":{\"DPDTimeoutSeconds\":" value "}}",                                     \
			"{}", NULL, 0                                                                                  \
	}

static const struct scenario connections[] = {
	{"tunnels change one after the other, each by its outside address",
	 &aws_vpn_connection,
	 PHASE_MAKE,
	 "vpn-1",
	 TUNNELS("40", "40"),
	 TUNNELS("50", "60"),
	 NULL,
	 false,
	 false,
	 {CONNECTION("available", "40", "40"), CHANGE_TUNNEL("203.0.113.1", "50"), CONNECTION("modifying", "40", "40"),
	  CONNECTION("modifying", "40", "40"), CONNECTION("modifying", "40", "40"), CONNECTION("modifying", "40", "40"),
	  CONNECTION("modifying", "40", "40"), CONNECTION("modifying", "40", "40"), CONNECTION("available", "50", "40"),
	  CHANGE_TUNNEL("203.0.113.2", "60"), CONNECTION("modifying", "50", "40"), CONNECTION("available", "50", "60"),
	  CONNECTION("available", "50", "60")},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 true},
	{"a tunnel that nobody lists cannot be changed",
	 &aws_vpn_connection,
	 PHASE_MAKE,
	 "vpn-1",
	 TUNNELS("40", "40"),
	 TUNNELS("50", "40"),
	 NULL,
	 false,
	 false,
	 {{"DescribeVpnConnections", NULL,
	   "{\"VpnConnections\":[{\"VpnConnectionId\":\"vpn-1\",\"State\":\"available\"}]}", NULL, 0}},
	 STEP_FAILED,
	 "the service does not list them",
	 NULL,
	 false,
	 false},
};

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
	   NULL, 20},
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

#define GROUP_TAG(key, value) "{\"Key\":\"" key "\",\"Value\":\"" value "\",\"PropagateAtLaunch\":false}"
#define OUR_GROUP_TAGS                                                                                                 \
	GROUP_TAG("trueup:stack", "stack")                                                                             \
	"," GROUP_TAG("trueup:object", "object") "," GROUP_TAG("trueup:intent",                                        \
							       "intent") "," GROUP_TAG("trueup:address", "aws.x.test")
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
#define LEFT "{\"InstanceId\":\"i-1\"}"
#define GONE                                                                                                           \
	{                                                                                                              \
		"DescribeAutoScalingGroups", NULL, "{\"AutoScalingGroups\":[]}", NULL, 0                               \
	}

static const struct scenario groups[] = {
	{"a group is tagged in its create call, and passes on no tag of ours",
	 &aws_autoscaling_group,
	 PHASE_MAKE,
	 NULL,
	 NULL,
	 ASG(",\"tags\":[{\"key\":\"a\",\"value\":\"b\",\"propagate\":true}]"),
	 NULL,
	 false,
	 false,
	 {CREATE_GROUP("{}", NULL),
	  SCALING("2", "", "{\"Key\":\"a\",\"Value\":\"b\",\"PropagateAtLaunch\":true}," OUR_GROUP_TAGS)},
	 STEP_DONE,
	 NULL,
	 "{\"tags\":[{\"key\":\"a\",\"value\":\"b\",\"propagate\":true}]}",
	 false,
	 false},
	{"a name that is taken may be our own of a run that was cut off",
	 &aws_autoscaling_group,
	 PHASE_MAKE,
	 NULL,
	 NULL,
	 ASG(",\"tags\":[{\"key\":\"a\",\"value\":\"b\",\"propagate\":true}]"),
	 NULL,
	 false,
	 false,
	 {CREATE_GROUP(NULL, "AlreadyExists"),
	  SCALING("2", "", "{\"Key\":\"a\",\"Value\":\"b\",\"PropagateAtLaunch\":true}," OUR_GROUP_TAGS)},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
	{"a name that others took is theirs",
	 &aws_autoscaling_group,
	 PHASE_MAKE,
	 NULL,
	 NULL,
	 ASG(",\"tags\":[{\"key\":\"a\",\"value\":\"b\",\"propagate\":true}]"),
	 NULL,
	 false,
	 false,
	 {CREATE_GROUP(NULL, "AlreadyExists"), SCALING("2", "", "")},
	 STEP_FAILED,
	 "belongs to somebody else",
	 NULL,
	 true,
	 false},
	{"a structure travels whole: the template with its version",
	 &aws_autoscaling_group,
	 PHASE_MAKE,
	 "g",
	 ASG(""),
	 "{\"name\":\"g\",\"launch_template\":\"lt-1\",\"launch_template_version\":\"2\",\"subnets\":[\"subnet-1\","
	 "\"subnet-2\"],"
	 "\"min\":0,\"max\":2}",
	 NULL,
	 false,
	 false,
	 {SCALING("2", "", OUR_GROUP_TAGS),
	  {"UpdateAutoScalingGroup",
	   "{\"AutoScalingGroupName\":\"g\",\"LaunchTemplate\":{\"LaunchTemplateId\":\"lt-1\",\"Version\":\"2\"}}",
	   "{}", NULL, 0},
	  {"DescribeAutoScalingGroups", NULL,
	   "{\"AutoScalingGroups\":[{\"AutoScalingGroupName\":\"g\",\"LaunchTemplate\":{\"LaunchTemplateId\":\"lt-1\","
	   "\"Version\":\"2\"}}]}",
	   NULL, 0}},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
	{"tags of a group name the group",
	 &aws_autoscaling_group,
	 PHASE_MAKE,
	 "g",
	 ASG(",\"tags\":[{\"key\":\"a\",\"value\":\"1\",\"propagate\":true},{\"key\":\"b\",\"value\":\"1\","
	     "\"propagate\":true}]"),
	 ASG(",\"tags\":[{\"key\":\"a\",\"value\":\"2\",\"propagate\":true}]"),
	 NULL,
	 false,
	 false,
	 {SCALING("2", "",
		  "{\"Key\":\"a\",\"Value\":\"1\",\"PropagateAtLaunch\":true},{\"Key\":\"b\",\"Value\":\"1\","
		  "\"PropagateAtLaunch\":true}," OUR_GROUP_TAGS),
	  {"DeleteTags", "{\"Tags\":[{\"ResourceId\":\"g\",\"ResourceType\":\"auto-scaling-group\",\"Key\":\"b\"}]}",
	   "{}", NULL, 0},
	  {"CreateOrUpdateTags",
	   "{\"Tags\":[{\"ResourceId\":\"g\",\"ResourceType\":\"auto-scaling-group\",\"Key\":\"a\",\"Value\":\"2\","
	   "\"PropagateAtLaunch\":true}]}",
	   "{}", NULL, 0},
	  SCALING("2", "", "{\"Key\":\"a\",\"Value\":\"2\",\"PropagateAtLaunch\":true}," OUR_GROUP_TAGS)},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
	{"a group is emptied, then deleted, then gone",
	 &aws_autoscaling_group,
	 PHASE_DELETE,
	 "g",
	 NULL,
	 NULL,
	 NULL,
	 true,
	 false,
	 {SCALING("2", LEFT, OUR_GROUP_TAGS),
	  EMPTY,
	  SCALING("0", LEFT, OUR_GROUP_TAGS),
	  SCALING("0", LEFT, OUR_GROUP_TAGS),
	  SCALING("0", "", OUR_GROUP_TAGS),
	  {"DeleteAutoScalingGroup", "{\"AutoScalingGroupName\":\"g\"}", "{}", NULL, 0},
	  GONE},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
	{"a group that was being emptied is waited for",
	 &aws_autoscaling_group,
	 PHASE_DELETE,
	 "g",
	 NULL,
	 NULL,
	 NULL,
	 true,
	 false,
	 {SCALING("0", LEFT, OUR_GROUP_TAGS),
	  SCALING("0", "", OUR_GROUP_TAGS),
	  {"DeleteAutoScalingGroup", NULL, NULL, "ValidationError.NotFound", 0}},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
	{"by force it goes at once",
	 &aws_autoscaling_group,
	 PHASE_DELETE,
	 "g",
	 NULL,
	 NULL,
	 NULL,
	 true,
	 true,
	 {SCALING("2", LEFT, OUR_GROUP_TAGS),
	  {"DeleteAutoScalingGroup", "{\"AutoScalingGroupName\":\"g\",\"ForceDelete\":true}", "{}", NULL, 0},
	  GONE},
	 STEP_DONE,
	 NULL,
	 NULL,
	 false,
	 false},
};

static void run_all(const struct scenario *scenarios, size_t count)
{
	for (size_t i = 0; i < count; i++)
		scenario_run(&scenarios[i]);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_templates(void **state)
{
	(void)state;
	run_all(templates, COUNT(templates));
}

static void test_connections(void **state)
{
	(void)state;
	run_all(connections, COUNT(connections));
}

static void test_instances(void **state)
{
	(void)state;
	run_all(instances, COUNT(instances));
}

static void test_groups(void **state)
{
	(void)state;
	run_all(groups, COUNT(groups));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_templates),
		cmocka_unit_test(test_connections),
		cmocka_unit_test(test_instances),
		cmocka_unit_test(test_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
