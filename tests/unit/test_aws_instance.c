#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "providers/aws/kinds/instance_network.h"
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
/* As often as it is asked, or so many times more. */
#define INSTANCES(state, type, rest, times)                                                                            \
	{                                                                                                              \
		.operation = "DescribeInstances",                                                                      \
		.answer =                                                                                              \
			"{\"Reservations\":[{\"Instances\":[{\"InstanceId\":\"i-1\",\"ImageId\":\"ami-1\",\"State\":{" \
			"\"Name\":\"" state "\"},\"InstanceType\":\"" type "\"" rest "}]}]}",                          \
		.repeat = (times)                                                                                      \
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
#define PROTECT(value)                                                                                                 \
	{                                                                                                              \
		"ModifyInstanceAttribute", "{\"InstanceId\":\"i-1\",\"DisableApiStop\":{\"Value\":" value "}}", "{}",  \
			NULL, 0                                                                                        \
	}
#define READ_PROTECTION(value)                                                                                         \
	{                                                                                                              \
		"DescribeInstanceAttribute", "{\"InstanceId\":\"i-1\",\"Attribute\":\"disableApiStop\"}",              \
			"{\"DisableApiStop\":{\"Value\":" value "}}", NULL, 0                                          \
	}
#define FOR_THE_KEY ",\"StateReason\":{\"Code\":\"x\",\"Message\":\"Client.InternalError\"}"
#define PROFILE ",\"IamInstanceProfile\":{\"Arn\":\"arn:aws:iam::1:instance-profile/path/p\"}"
#define ON_INTERFACE(operation, members)                                                                               \
	{                                                                                                              \
		operation, "{\"NetworkInterfaceId\":\"eni-1\"," members "}", "{}", NULL, 0                             \
	}
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

#define RUN(network)                                                                                                   \
	"{\"ClientToken\":\"intent\",\"ImageId\":\"ami-1\",\"InstanceType\":\"small\",\"MaxCount\":1,\"MinCount\":"    \
	"1," network ",\"TagSpecifications\":[{\"ResourceType\":\"instance\",\"Tags\":[" OURS "]}]}"
#define RAN "{\"Instances\":[{\"InstanceId\":\"i-1\"}]}"
/* addresses: of its interface, as ADDRESS6() has them. */
#define INTERFACE6(addresses)                                                                                          \
	",\"NetworkInterfaces\":[{\"NetworkInterfaceId\":\"eni-1\",\"Ipv6Addresses\":[" addresses "]}]"
#define PUBLIC ",\"PublicIpAddress\":\"54.0.0.1\""
#define ADDRESS6(text) "{\"Ipv6Address\":\"" text "\"}"
#define LAUNCHED(addresses)                                                                                            \
	INSTANCE("running", "small",                                                                                   \
		 INTERFACE6(addresses) ",\"SubnetId\":\"subnet-1\",\"SecurityGroups\":[{\"GroupId\":\"sg-1\"}],"       \
				       "\"PrivateIpAddress\":\"10.0.0.9\",\"Tags\":[" OURS "]")

/* How often it is looked at until no listing can lag any more behind a stop, and behind a change. */
enum { STOP_LOOKS = 27, LAG_LOOKS = 46 };

static const struct scenario instances[] = {
	{.name = "create",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .wanted = BOX("small", ",\"user_data\":\"a\",\"tags\":{\"a\":\"b\"}"),
	 .script = {{"RunInstances",
		     "{\"ClientToken\":\"intent\",\"ImageId\":\"ami-1\",\"InstanceType\":\"small\",\"MaxCount\":1,"
		     "\"MinCount\":1,"
		     "\"UserData\":\"YQ==\",\"TagSpecifications\":["
		     "{\"ResourceType\":\"instance\",\"Tags\":[{\"Key\":\"a\",\"Value\":\"b\"}," OURS "]},"
		     "{\"ResourceType\":\"volume\",\"Tags\":[{\"Key\":\"a\",\"Value\":\"b\"}]}]}",
		     "{\"Instances\":[{\"InstanceId\":\"i-1\"}]}", NULL, 0},
		    INSTANCE("pending", "small", ""),
		    {"DescribeInstanceAttribute", "{\"InstanceId\":\"i-1\",\"Attribute\":\"userData\"}",
		     "{\"UserData\":{\"Value\":\"YQ==\"}}", NULL, 0},
		    INSTANCE("running", "small", ",\"Tags\":[{\"Key\":\"a\",\"Value\":\"b\"}," OURS "]"),
		    {"DescribeInstanceAttribute", NULL, NULL, "UnauthorizedOperation", 0}},
	 .ends = STEP_DONE,
	 .fields = "{\"running\":true,\"user_data\":{\"$unread\":true}}"},
	{.name = "what is said beside the interfaces goes into the first one where that is said more of",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .wanted = BOX("small", ",\"public_ip\":true,\"subnet\":\"subnet-1\",\"security_groups\":[\"sg-1\"],"
				"\"address\":\"10.0.0.9\",\"addresses6\":[\"fd00::9\"],\"primary_ipv6\":true"),
	 .script = {{"RunInstances",
		     RUN("\"NetworkInterfaces\":[{\"AssociatePublicIpAddress\":true,\"DeviceIndex\":0,"
			 "\"Groups\":[\"sg-1\"],\"Ipv6Addresses\":[{\"Ipv6Address\":\"fd00::9\"}],"
			 "\"PrimaryIpv6\":true,\"PrivateIpAddress\":\"10.0.0.9\",\"SubnetId\":\"subnet-1\"}]"),
		     RAN, NULL, 0},
		    LAUNCHED(ADDRESS6("fd00::9"))},
	 .ends = STEP_DONE},
	{.name = "no public address is an answer too, whatever the subnet says",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .wanted = BOX("small", ",\"public_ip\":false,\"subnet\":\"subnet-1\",\"address6_count\":2"),
	 .script = {{"RunInstances",
		     RUN("\"NetworkInterfaces\":[{\"AssociatePublicIpAddress\":false,\"DeviceIndex\":0,"
			 "\"Ipv6AddressCount\":2,\"SubnetId\":\"subnet-1\"}]"),
		     RAN, NULL, 0},
		    LAUNCHED(ADDRESS6("fd00::8") "," ADDRESS6("fd00::9"))},
	 .ends = STEP_DONE},
	{.name = "the first interface goes first, with what is said beside it",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .wanted = BOX("small", ",\"subnet\":\"subnet-1\",\"interfaces\":["
				"{\"device_index\":1,\"network_card\":1,\"type\":\"efa-only\",\"subnet\":\"subnet-1\"},"
				"{\"device_index\":0,\"type\":\"efa\",\"prefix_count\":1}]"),
	 .script = {{"RunInstances",
		     RUN("\"NetworkInterfaces\":[{\"DeviceIndex\":0,\"InterfaceType\":\"efa\",\"Ipv4PrefixCount\":1,"
			 "\"SubnetId\":\"subnet-1\"},{\"DeviceIndex\":1,\"InterfaceType\":\"efa-only\","
			 "\"NetworkCardIndex\":1,\"SubnetId\":\"subnet-1\"}]"),
		     RAN, NULL, 0},
		    LAUNCHED("")},
	 .ends = STEP_DONE},
	{.name = "further interfaces alone leave the first one as it is",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .wanted = BOX("small", ",\"subnet\":\"subnet-1\",\"interfaces\":[{\"device_index\":1,"
				"\"subnet\":\"subnet-2\"}]"),
	 .script = {{"RunInstances",
		     RUN("\"NetworkInterfaces\":[{\"DeviceIndex\":0,\"SubnetId\":\"subnet-1\"},"
			 "{\"DeviceIndex\":1,\"SubnetId\":\"subnet-2\"}]"),
		     RAN, NULL, 0},
		    LAUNCHED("")},
	 .ends = STEP_DONE},
	{.name = "what was launched and given up is not waited for",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .wanted = BOX("small", ""),
	 .script = {{"RunInstances", NULL, RAN, NULL, 0},
		    INSTANCE("pending", "small", ""),
		    INSTANCE("terminated", "small", "")},
	 .ends = STEP_FAILED,
	 .message = "is not there any more, state terminated"},
	{.name = "why it was given up is told in the service's own words",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .wanted = BOX("small", ""),
	 .script = {{"RunInstances", NULL, RAN, NULL, 0},
		    INSTANCE("terminated", "small",
			     ",\"StateReason\":{\"Code\":\"x\",\"Message\":\"Client.VolumeLimitExceeded\"}")},
	 .ends = STEP_FAILED,
	 .message = "is not there any more, state terminated (Client.VolumeLimitExceeded)"},
	{.name = "stop, change, start",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ""),
	 .wanted = BOX("large", ""),
	 .script = {INSTANCE("running", "small", ""), ON_INSTANCES("StopInstances"), INSTANCE("stopping", "small", ""),
		    INSTANCE("stopped", "small", ""), RESIZE, INSTANCE("stopped", "large", ""),
		    ON_INSTANCES("StartInstances"), INSTANCE("pending", "large", ""), INSTANCE("running", "large", "")},
	 .effects = {"{\"running\":false} {}", "{\"instance_type\":\"large\"} {}", "{\"running\":true} {}"},
	 .ends = STEP_DONE,
	 .fields = "{\"instance_type\":\"large\",\"running\":true}"},
	{.name = "what was stopped for a change that is refused is started again",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ""),
	 .wanted = BOX("large", ""),
	 .script = {INSTANCE("running", "small", ""),
		    ON_INSTANCES("StopInstances"),
		    INSTANCE("stopped", "small", ""),
		    {"ModifyInstanceAttribute", NULL, NULL, "InvalidParameterCombination", 0},
		    ON_INSTANCES("StartInstances")},
	 .ends = STEP_FAILED,
	 .message = "ModifyInstanceAttribute answered InvalidParameterCombination"},
	{.name = "a stop that is refused because it was done unseen is done",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ""),
	 .wanted = BOX("large", ""),
	 .script = {INSTANCE("running", "small", ""),
		    {"StopInstances", NULL, NULL, "?UnauthorizedOperation", 0},
		    INSTANCE("stopped", "small", ""),
		    RESIZE,
		    INSTANCE("stopped", "large", ""),
		    ON_INSTANCES("StartInstances"),
		    INSTANCE("running", "large", "")},
	 .ends = STEP_DONE,
	 .fields = "{\"running\":true}"},
	{.name = "a stop that is refused and was not done is refused",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ""),
	 .wanted = BOX("large", ""),
	 .script = {INSTANCE("running", "small", ""),
		    {"StopInstances", NULL, NULL, "?UnauthorizedOperation", 0},
		    INSTANCES("running", "small", "", STOP_LOOKS - 1),
		    {"StopInstances", NULL, NULL, "UnauthorizedOperation", 0}},
	 .ends = STEP_FAILED,
	 .message = "StopInstances answered UnauthorizedOperation"},
	{.name = "what does not stop for a change is stopped once more, and no further time",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ""),
	 .wanted = BOX("large", ""),
	 .script = {INSTANCE("running", "small", ""), ON_INSTANCES("StopInstances"),
		    INSTANCES("running", "small", "", STOP_LOOKS - 1), ON_INSTANCES("StopInstances"),
		    INSTANCES("running", "small", "", -1)},
	 .ends = STEP_FAILED,
	 .message = "still runs, though it was stopped for a change, state running"},
	{.name = "a listing that lags behind a stop is waited for",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ""),
	 .wanted = BOX("large", ""),
	 .script = {INSTANCE("running", "small", ""), ON_INSTANCES("StopInstances"),
		    INSTANCES("running", "small", "", 4), INSTANCE("stopped", "small", ""), RESIZE,
		    INSTANCE("stopped", "large", ""), ON_INSTANCES("StartInstances"), INSTANCE("running", "large", "")},
	 .ends = STEP_DONE,
	 .fields = "{\"running\":true}"},
	{.name = "what was stopped for a change and does not start again is told of",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ""),
	 .wanted = BOX("large", ""),
	 .script = {INSTANCE("running", "small", ""), ON_INSTANCES("StopInstances"), INSTANCE("stopped", "small", ""),
		    RESIZE, INSTANCE("stopped", "large", ""), ON_INSTANCES("StartInstances"),
		    INSTANCE("pending", "large", ""), INSTANCES("stopped", "large", FOR_THE_KEY, -1)},
	 .ends = STEP_FAILED,
	 .message = "does not start again, state stopped (Client.InternalError)"},
	{.name = "a listing that lags behind a start is waited for",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ""),
	 .wanted = BOX("large", ""),
	 .script = {INSTANCE("running", "small", ""), ON_INSTANCES("StopInstances"), INSTANCE("stopped", "small", ""),
		    RESIZE, INSTANCE("stopped", "large", ""), ON_INSTANCES("StartInstances"),
		    INSTANCES("stopped", "large", "", 4), INSTANCE("running", "large", "")},
	 .ends = STEP_DONE,
	 .fields = "{\"running\":true}"},
	{.name = "a protection from being stopped goes before the stop",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"stop_protection\":true"),
	 .wanted = BOX("large", ",\"stop_protection\":false"),
	 .script = {INSTANCE("running", "small", ""), READ_PROTECTION("true"), PROTECT("false"),
		    ON_INSTANCES("StopInstances"), INSTANCE("stopped", "small", ""), READ_PROTECTION("false"), RESIZE,
		    INSTANCE("stopped", "large", ""), READ_PROTECTION("false"), ON_INSTANCES("StartInstances"),
		    INSTANCE("running", "large", ""), READ_PROTECTION("false")},
	 .ends = STEP_DONE},
	{.name = "and before one for good",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"stop_protection\":true,\"running\":true"),
	 .wanted = BOX("small", ",\"stop_protection\":false,\"running\":false"),
	 .script = {INSTANCE("running", "small", ""), READ_PROTECTION("true"), PROTECT("false"),
		    ON_INSTANCES("StopInstances"), INSTANCE("stopped", "small", ""), READ_PROTECTION("false"),
		    INSTANCE("stopped", "small", ""), READ_PROTECTION("false")},
	 .ends = STEP_DONE},
	{.name = "what is to stand still stays so, though its change is refused",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"running\":true"),
	 .wanted = BOX("large", ",\"running\":false"),
	 .script = {INSTANCE("running", "small", ""),
		    ON_INSTANCES("StopInstances"),
		    INSTANCE("stopped", "small", ""),
		    {"ModifyInstanceAttribute", NULL, NULL, "InvalidParameterCombination", 0}},
	 .ends = STEP_FAILED,
	 .message = "ModifyInstanceAttribute answered InvalidParameterCombination"},
	{.name = "what stood still is not started",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ""),
	 .wanted = BOX("large", ""),
	 .script = {INSTANCE("stopped", "small", ""), RESIZE, INSTANCE("stopped", "large", "")},
	 .ends = STEP_DONE,
	 .fields = "{\"running\":false}"},
	{.name = "what stands still and was not finished is started, once",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .unfinished = true,
	 .applied = BOX("small", ""),
	 .wanted = BOX("large", ""),
	 .script = {INSTANCE("stopped", "small", ""), RESIZE, INSTANCE("stopped", "large", ""),
		    ON_INSTANCES("StartInstances"), INSTANCES("stopped", "large", "", -1)},
	 .ends = STEP_FAILED,
	 .message = "does not start again"},
	{.name = "what no read gives back, and is wanted otherwise since it was launched, is sent",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .unfinished = true,
	 .applied = BOX("small", ",\"public_ip\":true"),
	 .wanted = BOX("small", ",\"public_ip\":false"),
	 .script = {LAUNCHED(""),
		    {"ModifyNetworkInterfaceAttribute",
		     "{\"NetworkInterfaceId\":\"eni-1\",\"AssociatePublicIpAddress\":false}", "{}", NULL, 0},
		    LAUNCHED("")},
	 .ends = STEP_DONE},
	{.name = "what no read gives back, and is wanted as it was launched, is not sent",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .unfinished = true,
	 .applied = BOX("small", ",\"public_ip\":true"),
	 .wanted = BOX("small", ",\"public_ip\":true"),
	 .script = {LAUNCHED("")},
	 .ends = STEP_DONE},
	{.name = "what was not finished and is to stand still is not started",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .unfinished = true,
	 .applied = BOX("small", ",\"running\":false"),
	 .wanted = BOX("small", ",\"running\":false"),
	 .script = {INSTANCE("stopped", "small", "")},
	 .ends = STEP_DONE},
	{.name = "what is to stand still is not started",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"running\":true"),
	 .wanted = BOX("large", ",\"running\":false"),
	 .script = {INSTANCE("running", "small", ""), ON_INSTANCES("StopInstances"), INSTANCE("stopped", "small", ""),
		    RESIZE, INSTANCE("stopped", "large", "")},
	 .ends = STEP_DONE,
	 .fields = "{\"running\":false}"},
	{.name = "a call of its own switches on, another off",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"monitoring\":true"),
	 .wanted = BOX("small", ",\"monitoring\":false"),
	 .script = {INSTANCE("running", "small", ",\"Monitoring\":{\"State\":\"enabled\"}"),
		    ON_INSTANCES("UnmonitorInstances"),
		    INSTANCE("running", "small", ",\"Monitoring\":{\"State\":\"disabling\"}")},
	 .ends = STEP_DONE,
	 .fields = "{\"monitoring\":false}"},
	{.name = "a public address that comes by the first interface is waited for",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"public_ip\":false"),
	 .wanted = BOX("small", ",\"public_ip\":true"),
	 .script = {INSTANCE("running", "small", INTERFACE6("")),
		    {"ModifyNetworkInterfaceAttribute",
		     "{\"NetworkInterfaceId\":\"eni-1\",\"AssociatePublicIpAddress\":true}", "{}", NULL, 0},
		    INSTANCE("running", "small", INTERFACE6("")),
		    INSTANCE("running", "small", INTERFACE6("")),
		    INSTANCE("running", "small", INTERFACE6("") PUBLIC)},
	 .ends = STEP_DONE},
	{.name = "one that goes is waited for",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"public_ip\":true"),
	 .wanted = BOX("small", ",\"public_ip\":false"),
	 .script = {INSTANCE("running", "small", INTERFACE6("") PUBLIC),
		    {"ModifyNetworkInterfaceAttribute",
		     "{\"NetworkInterfaceId\":\"eni-1\",\"AssociatePublicIpAddress\":false}", "{}", NULL, 0},
		    INSTANCE("running", "small", INTERFACE6("") PUBLIC),
		    INSTANCE("running", "small", INTERFACE6(""))},
	 .ends = STEP_DONE},
	{.name = "one that no read tells of is not done because it was refused when it was sent once more",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"public_ip\":false"),
	 .wanted = BOX("small", ",\"public_ip\":true"),
	 .script = {INSTANCE("running", "small", INTERFACE6("")),
		    {"ModifyNetworkInterfaceAttribute", NULL, NULL, "?UnauthorizedOperation", 0}},
	 .ends = STEP_FAILED,
	 .message = "UnauthorizedOperation"},
	{.name = "what stands still has none before it is started",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"public_ip\":false"),
	 .wanted = BOX("small", ",\"public_ip\":true"),
	 .script = {INSTANCE("stopped", "small", INTERFACE6("")),
		    {"ModifyNetworkInterfaceAttribute", NULL, "{}", NULL, 0},
		    INSTANCE("stopped", "small", INTERFACE6(""))},
	 .ends = STEP_DONE},
	{.name = "addresses that go make room for those that come",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"addresses6\":[\"fd00::7\",\"fd00::8\"]"),
	 .wanted = BOX("small", ",\"addresses6\":[\"fd00::8\",\"fd00::9\"]"),
	 .script = {INSTANCE("running", "small", INTERFACE6(ADDRESS6("fd00::7") "," ADDRESS6("fd00::8"))),
		    ON_INTERFACE("UnassignIpv6Addresses", "\"Ipv6Addresses\":[\"fd00::7\"]"),
		    ON_INTERFACE("AssignIpv6Addresses", "\"Ipv6Addresses\":[\"fd00::9\"]"),
		    INSTANCE("running", "small", INTERFACE6(ADDRESS6("fd00::8") "," ADDRESS6("fd00::9")))},
	 .ends = STEP_DONE,
	 .fields = "{\"addresses6\":[\"fd00::8\",\"fd00::9\"]}"},
	{.name = "as many more as are missing",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"address6_count\":1"),
	 .wanted = BOX("small", ",\"address6_count\":3"),
	 .script = {INSTANCE("running", "small", INTERFACE6(ADDRESS6("fd00::7"))),
		    ON_INTERFACE("AssignIpv6Addresses", "\"Ipv6AddressCount\":2"),
		    INSTANCE("running", "small",
			     INTERFACE6(ADDRESS6("fd00::7") "," ADDRESS6("fd00::8") "," ADDRESS6("fd00::9")))},
	 .ends = STEP_DONE,
	 .fields = "{\"address6_count\":3}"},
	{.name = "more that are not seen for long come late, and are not asked for again",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"address6_count\":1"),
	 .wanted = BOX("small", ",\"address6_count\":2"),
	 .script = {INSTANCE("running", "small", INTERFACE6(ADDRESS6("fd00::7"))),
		    ON_INTERFACE("AssignIpv6Addresses", "\"Ipv6AddressCount\":1"),
		    INSTANCES("running", "small", INTERFACE6(ADDRESS6("fd00::7")), LAG_LOOKS + 9),
		    INSTANCE("running", "small", INTERFACE6(ADDRESS6("fd00::7") "," ADDRESS6("fd00::8")))},
	 .ends = STEP_DONE,
	 .waits = true},
	{.name = "more that are never seen are not asked for again",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"address6_count\":1"),
	 .wanted = BOX("small", ",\"address6_count\":2"),
	 .script = {INSTANCE("running", "small", INTERFACE6(ADDRESS6("fd00::7"))),
		    ON_INTERFACE("AssignIpv6Addresses", "\"Ipv6AddressCount\":1"),
		    INSTANCES("running", "small", INTERFACE6(ADDRESS6("fd00::7")), -1)},
	 .ends = STEP_FAILED,
	 .message = "still shows its old 'address6_count', though AssignIpv6Addresses was accepted",
	 .waits = true},
	{.name = "nor with another change, which is sent once more",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"address6_count\":1"),
	 .wanted = BOX("small", ",\"address6_count\":2,\"instance_profile\":\"p\""),
	 .script = {INSTANCE("running", "small", INTERFACE6(ADDRESS6("fd00::7"))),
		    {"AssociateIamInstanceProfile", NULL, "{}", NULL, 0},
		    ON_INTERFACE("AssignIpv6Addresses", "\"Ipv6AddressCount\":1"),
		    INSTANCES("running", "small", INTERFACE6(ADDRESS6("fd00::7")), LAG_LOOKS),
		    {"AssociateIamInstanceProfile", NULL, "{}", NULL, 0},
		    INSTANCES("running", "small", INTERFACE6(ADDRESS6("fd00::7") "," ADDRESS6("fd00::8")) PROFILE, 1)},
	 .ends = STEP_DONE},
	{.name = "of too many the last go, and the primary one stays",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"address6_count\":3"),
	 .wanted = BOX("small", ",\"address6_count\":1"),
	 .script = {INSTANCE("running", "small",
			     INTERFACE6(ADDRESS6("fd00::7") "," ADDRESS6(
				     "fd00::8") ","
						"{\"Ipv6Address\":\"fd00::9\",\"IsPrimaryIpv6\":true}")),
		    ON_INTERFACE("UnassignIpv6Addresses", "\"Ipv6Addresses\":[\"fd00::7\",\"fd00::8\"]"),
		    INSTANCE("running", "small", INTERFACE6(ADDRESS6("fd00::9")))},
	 .ends = STEP_DONE,
	 .fields = "{\"address6_count\":1}"},
	{.name = "but what is not recorded goes first, wherever it is listed",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"address6_count\":2"),
	 .outputs = "{\"addresses6\":[\"fd00::7\",\"fd00::8\"]}",
	 .wanted = BOX("small", ",\"address6_count\":1"),
	 .script = {INSTANCE("running", "small",
			     INTERFACE6(ADDRESS6("fd00::1") "," ADDRESS6("fd00::7") "," ADDRESS6("fd00::8"))),
		    ON_INTERFACE("UnassignIpv6Addresses", "\"Ipv6Addresses\":[\"fd00::8\",\"fd00::1\"]"),
		    INSTANCE("running", "small", INTERFACE6(ADDRESS6("fd00::7")))},
	 .ends = STEP_DONE,
	 .fields = "{\"address6_count\":1}"},
	{.name = "the first profile is associated",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ""),
	 .wanted = BOX("small", ",\"instance_profile\":\"p\""),
	 .script = {INSTANCE("running", "small", ""),
		    {"AssociateIamInstanceProfile", "{\"InstanceId\":\"i-1\",\"IamInstanceProfile\":{\"Name\":\"p\"}}",
		     "{}", NULL, 0},
		    INSTANCE("running", "small", PROFILE)},
	 .ends = STEP_DONE,
	 .fields = "{\"instance_profile\":\"p\"}"},
	{.name = "another profile takes its place through the association",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"instance_profile\":\"o\""),
	 .wanted = BOX("small", ",\"instance_profile\":\"p\""),
	 .script = {INSTANCE("running", "small",
			     ",\"IamInstanceProfile\":{\"Arn\":\"arn:aws:iam::1:instance-profile/o\"}"),
		    FIND_ASSOCIATION("{\"AssociationId\":\"a-1\"}"),
		    {"ReplaceIamInstanceProfileAssociation",
		     "{\"AssociationId\":\"a-1\",\"IamInstanceProfile\":{\"Name\":\"p\"}}", "{}", NULL, 0},
		    INSTANCE("running", "small", PROFILE)},
	 .ends = STEP_DONE},
	{.name = "a profile that is no longer set goes",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"instance_profile\":\"p\""),
	 .wanted = BOX("small", ""),
	 .script = {INSTANCE("running", "small", PROFILE),
		    FIND_ASSOCIATION("{\"AssociationId\":\"a-1\"}"),
		    {"DisassociateIamInstanceProfile", "{\"AssociationId\":\"a-1\"}", "{}", NULL, 0},
		    INSTANCE("running", "small", "")},
	 .ends = STEP_DONE},
	{.name = "an association that is gone already needs no call",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"instance_profile\":\"p\""),
	 .wanted = BOX("small", ""),
	 .script = {INSTANCE("running", "small", PROFILE), FIND_ASSOCIATION(""), INSTANCE("running", "small", "")},
	 .ends = STEP_DONE},
	{.name = "what is looked up may be on a page that was not given",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"instance_profile\":\"p\""),
	 .wanted = BOX("small", ""),
	 .script = {INSTANCE("running", "small", PROFILE),
		    {.operation = "DescribeIamInstanceProfileAssociations",
		     .answer = "{\"IamInstanceProfileAssociations\":[],\"NextToken\":\"more\"}"}},
	 .ends = STEP_FAILED,
	 .message = "DescribeIamInstanceProfileAssociations answered without the rest of its list"},
	{.name = "a failure within an answer that succeeded counts",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"credits\":\"standard\""),
	 .wanted = BOX("small", ",\"credits\":\"unlimited\""),
	 .script = {INSTANCE("running", "small", ""),
		    READ_CREDITS("standard"),
		    {"ModifyInstanceCreditSpecification",
		     "{\"InstanceCreditSpecifications\":[{\"InstanceId\":\"i-1\",\"CpuCredits\":\"unlimited\"}]}",
		     "{\"UnsuccessfulInstanceCreditSpecifications\":[{\"InstanceId\":\"i-1\",\"Error\":"
		     "{\"Code\":\"InstanceCreditSpecification.NotSupported\",\"Message\":\"not burstable\"}}]}",
		     NULL, 0}},
	 .ends = STEP_FAILED,
	 .message = "not burstable"},
	{.name = "a change that never shows is given up",
	 .kind = &aws_instance,
	 .phase = PHASE_MAKE,
	 .provider_id = "i-1",
	 .applied = BOX("small", ",\"metadata\":{\"hop_limit\":1}"),
	 .wanted = BOX("small", ",\"metadata\":{\"hop_limit\":2}"),
	 .script = {INSTANCE("running", "small", ",\"MetadataOptions\":{\"HttpPutResponseHopLimit\":1}"),
		    {"ModifyInstanceMetadataOptions", "{\"InstanceId\":\"i-1\",\"HttpPutResponseHopLimit\":2}", "{}",
		     NULL, 0},
		    {"DescribeInstances", NULL,
		     "{\"Reservations\":[{\"Instances\":[{\"InstanceId\":\"i-1\",\"ImageId\":\"ami-1\",\"State\":{"
		     "\"Name\":"
		     "\"running\"},"
		     "\"InstanceType\":\"small\",\"MetadataOptions\":{\"HttpPutResponseHopLimit\":1}}]}]}",
		     NULL, 46},
		    {"ModifyInstanceMetadataOptions", NULL, "{}", NULL, 0},
		    {"DescribeInstances", NULL,
		     "{\"Reservations\":[{\"Instances\":[{\"InstanceId\":\"i-1\",\"ImageId\":\"ami-1\",\"State\":{"
		     "\"Name\":"
		     "\"running\"},"
		     "\"InstanceType\":\"small\",\"MetadataOptions\":{\"HttpPutResponseHopLimit\":1}}]}]}",
		     NULL, -1}},
	 .ends = STEP_FAILED,
	 .message = "still shows its old 'metadata'"},
	{.name = "a termination is waited for; a terminated instance is gone",
	 .kind = &aws_instance,
	 .phase = PHASE_DELETE,
	 .provider_id = "i-1",
	 .unsettle_all = true,
	 .script = {INSTANCE("running", "small", ""), ON_INSTANCES("TerminateInstances"),
		    INSTANCE("shutting-down", "small", ""), INSTANCE("terminated", "small", "")},
	 .ends = STEP_DONE},
	{.name = "a spot request is cancelled before its instance is terminated, or it would launch another",
	 .kind = &aws_instance,
	 .phase = PHASE_DELETE,
	 .provider_id = "i-1",
	 .unsettle_all = true,
	 .script = {INSTANCE("running", "small", ",\"SpotInstanceRequestId\":\"sir-1\""),
		    {"CancelSpotInstanceRequests", "{\"SpotInstanceRequestIds\":[\"sir-1\"]}", "{}", NULL, 0},
		    ON_INSTANCES("TerminateInstances"),
		    INSTANCE("terminated", "small", "")},
	 .ends = STEP_DONE},
	{.name = "a spot request that cannot be cancelled keeps its instance",
	 .kind = &aws_instance,
	 .phase = PHASE_DELETE,
	 .provider_id = "i-1",
	 .unsettle_all = true,
	 .script = {INSTANCE("running", "small", ",\"SpotInstanceRequestId\":\"sir-1\""),
		    {"CancelSpotInstanceRequests", NULL, NULL, "UnauthorizedOperation", 0}},
	 .ends = STEP_FAILED,
	 .message = "could not cancel the spot request of aws.x.test"},
	{.name = "protection blocks a deletion, and says what to do",
	 .kind = &aws_instance,
	 .phase = PHASE_DELETE,
	 .provider_id = "i-1",
	 .unsettle_all = true,
	 .script = {INSTANCE("running", "small", ""), {"TerminateInstances", NULL, NULL, "OperationNotPermitted", 0}},
	 .ends = STEP_FAILED,
	 .message = "termination_protection: false"},
};

static void test_instances(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(instances) / sizeof(instances[0]); i++)
		scenario_run(&instances[i]);
}

#define LISTED(id, slot, card) "{\"NetworkInterfaceId\":\"" id "\",\"Attachment\":{\"DeviceIndex\":" slot card "}}"
#define CARD(number) ",\"NetworkCardIndex\":" number

static const struct {
	const char *name, *interfaces, *first;
} listings[] = {
	{"the only one", LISTED("eni-1", "0", ""), "eni-1"},
	{"without a word of its place", "{\"NetworkInterfaceId\":\"eni-1\"}", "eni-1"},
	{"the first one last",
	 LISTED("eni-1", "1", CARD("0")) "," LISTED("eni-2", "0", CARD("1")) "," LISTED("eni-3", "0", CARD("0")),
	 "eni-3"},
	{"none", "", ""},
};

static void test_first_interface(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(listings) / sizeof(listings[0]); i++) {
		struct arena arena;
		struct diagnostics diagnostics;
		struct value item = value_null();
		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		struct slice text = arena_format(&arena, "{\"NetworkInterfaces\":[%s]}", listings[i].interfaces);
		assert_true(json_read(&arena, text, false, 4096, "a row", &item, &diagnostics));
		struct value first = aws_decode_first_interface(&item, &arena);
		if (!slice_is(value_slice(&first), listings[i].first))
			fail_msg("%s: %.*s", listings[i].name, SLICE_ARGUMENTS(value_slice(&first)));
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_instances), cmocka_unit_test(test_first_interface)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
