#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "providers/aws/protocol.h"

enum { BODY_BYTES_MOST = 64 * 1024 };

struct bench {
	struct arena arena;
	struct diagnostics diagnostics;
};

static void bench_open(struct bench *bench)
{
	arena_init(&bench->arena);
	diagnostics_init(&bench->diagnostics, &bench->arena);
}

static void bench_close(struct bench *bench)
{
	diagnostics_release(&bench->diagnostics);
	arena_release(&bench->arena);
}

/* "ec2.CreateVpc" */
static const struct aws_operation_shape *operation_named(const char *name)
{
	struct slice rest = slice_of(name);
	const struct aws_service_shape *service = aws_service(slice_cut(&rest, '.'));
	const struct aws_operation_shape *operation = service ? aws_operation(service, rest) : NULL;

	if (!operation)
		fail_msg("no operation %s", name);
	return operation;
}

static struct value read_json(struct bench *bench, const char *text)
{
	struct value value = value_null();

	if (!json_read(&bench->arena, slice_of(text), true, BODY_BYTES_MOST, "the row", &value, &bench->diagnostics))
		fail_msg("no JSON: %s", text);
	return value;
}

static void expect_failure(const char *row, const struct bench *bench, enum fault fault, const char *message)
{
	const struct diag *diag = diagnostics_first_error(&bench->diagnostics);

	if (!diag || bench->diagnostics.count != 1)
		fail_msg("%s: %zu diagnostics", row, bench->diagnostics.count);
	else if (diag->fault != fault || !slice_is(diag->message, message))
		fail_msg("%s\nfound:  %.*s\nwanted: %s", row, SLICE_ARGUMENTS(diag->message), message);
}

static void test_request(void **state)
{
	static const struct {
		const char *name;
		const char *operation;
		const char *parameters;
		const char *body;
	} rows[] = {
		{"nothing", "sts.GetCallerIdentity", "{}", "Action=GetCallerIdentity&Version=2011-06-15"},
		{"order is the shape's", "ec2.CreateSubnet", "{\"VpcId\":\"vpc-1\",\"CidrBlock\":\"10.0.0.0/24\"}",
		 "Action=CreateSubnet&Version=2016-11-15&CidrBlock=10.0.0.0%2F24&VpcId=vpc-1"},
		{"lists and maps of EC2", "ec2.CreateVpc",
		 "{\"TagSpecifications\":[{\"ResourceType\":\"vpc\",\"Tags\":[{\"Key\":\"a b\",\"Value\":\"\"},"
		 "{\"Key\":\"c\",\"Value\":\"\xc3\xa4&=+\"}]}]}",
		 "Action=CreateVpc&Version=2016-11-15&TagSpecification.1.ResourceType=vpc"
		 "&TagSpecification.1.Tag.1.Key=a%20b&TagSpecification.1.Tag.1.Value="
		 "&TagSpecification.1.Tag.2.Key=c&TagSpecification.1.Tag.2.Value=%C3%A4%26%3D%2B"},
		{"a location name is capitalised", "ec2.CreateVpc", "{\"DryRun\":true,\"InstanceTenancy\":\"default\"}",
		 "Action=CreateVpc&Version=2016-11-15&DryRun=true&InstanceTenancy=default"},
		{"integers and booleans", "ec2.CreateVpnConnection",
		 "{\"CustomerGatewayId\":\"cgw-1\",\"Type\":\"ipsec.1\",\"Options\":{\"StaticRoutesOnly\":false,"
		 "\"TunnelOptions\":[{\"Phase1LifetimeSeconds\":3600,\"IKEVersions\":[{\"Value\":\"ikev2\"}]}]}}",
		 "Action=CreateVpnConnection&Version=2016-11-15&CustomerGatewayId=cgw-1"
		 "&Options.StaticRoutesOnly=false&Options.TunnelOptions.1.IKEVersion.1.Value=ikev2"
		 "&Options.TunnelOptions.1.Phase1LifetimeSeconds=3600&Type=ipsec.1"},
		{"a blob", "ec2.ImportKeyPair", "{\"KeyName\":\"k\",\"PublicKeyMaterial\":\"ssh-rsa ~?\"}",
		 "Action=ImportKeyPair&Version=2016-11-15&KeyName=k&PublicKeyMaterial=c3NoLXJzYSB%2BPw%3D%3D"},
		{"a number", "ec2.RunInstances", "{\"MaxCount\":1,\"MinCount\":-1}",
		 "Action=RunInstances&Version=2016-11-15&MaxCount=1&MinCount=-1"},
		{"an empty list of EC2", "ec2.DescribeVpcs", "{\"VpcIds\":[]}",
		 "Action=DescribeVpcs&Version=2016-11-15"},
		{"lists of the query protocol", "autoscaling.DescribeAutoScalingGroups",
		 "{\"AutoScalingGroupNames\":[\"a\",\"b\"],\"MaxRecords\":100}",
		 "Action=DescribeAutoScalingGroups&Version=2011-01-01&AutoScalingGroupNames.member.1=a"
		 "&AutoScalingGroupNames.member.2=b&MaxRecords=100"},
		{"an empty list of the query protocol", "autoscaling.SuspendProcesses",
		 "{\"AutoScalingGroupName\":\"a\",\"ScalingProcesses\":[]}",
		 "Action=SuspendProcesses&Version=2011-01-01&AutoScalingGroupName=a&ScalingProcesses="},
		{"a secret goes out in clear", "ec2.ModifyVpnTunnelOptions",
		 "{\"VpnConnectionId\":\"v\",\"VpnTunnelOutsideIpAddress\":\"a\",\"TunnelOptions\":"
		 "{\"PreSharedKey\":{\"$secret\":\"abc\"}}}",
		 "Action=ModifyVpnTunnelOptions&Version=2016-11-15&TunnelOptions.PreSharedKey=abc&VpnConnectionId=v"
		 "&VpnTunnelOutsideIpAddress=a"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench bench;
		BUFFER_AUTO body;

		bench_open(&bench);
		buffer_init(&body, BODY_BYTES_MOST);
		struct value parameters = read_json(&bench, rows[i].parameters);
		if (!aws_request_body(operation_named(rows[i].operation), &parameters, &body, &bench.diagnostics))
			fail_msg("%s: %.*s", rows[i].name, SLICE_ARGUMENTS(bench.diagnostics.items[0].message));
		if (!slice_is(buffer_slice(&body), rows[i].body))
			fail_msg("%s\nfound:  %s\nwanted: %s", rows[i].name, body.data, rows[i].body);
		bench_close(&bench);
	}
}

static void test_request_refused(void **state)
{
	static const struct {
		const char *name;
		const char *operation;
		const char *parameters;
		const char *message;
	} rows[] = {
		{"an unknown member", "ec2.CreateVpc", "{\"Cidr\":\"10.0.0.0/16\"}",
		 "the call 'CreateVpc' cannot be written: 'parameters' has no member 'Cidr'"},
		{"an unknown member within", "ec2.CreateVpc", "{\"TagSpecifications\":[{},{\"Tag\":[]}]}",
		 "the call 'CreateVpc' cannot be written: 'TagSpecifications.1' has no member 'Tag'"},
		{"the wire's name", "ec2.CreateVpc", "{\"TagSpecification\":[]}",
		 "the call 'CreateVpc' cannot be written: 'parameters' has no member 'TagSpecification'"},
		{"a string for a list", "ec2.DescribeVpcs", "{\"VpcIds\":\"vpc-1\"}",
		 "the call 'DescribeVpcs' cannot be written: 'VpcIds' should be a list and is a string"},
		{"an integer for a string", "ec2.DescribeVpcs", "{\"VpcIds\":[\"a\",7]}",
		 "the call 'DescribeVpcs' cannot be written: 'VpcIds.1' should be a string and is a whole number"},
		{"a string for a boolean", "ec2.CreateVpc", "{\"DryRun\":\"true\"}",
		 "the call 'CreateVpc' cannot be written: 'DryRun' should be a boolean and is a string"},
		{"null", "ec2.CreateVpc", "{\"CidrBlock\":null}",
		 "the call 'CreateVpc' cannot be written: 'CidrBlock' should be a string and is null"},
		{"deferred", "ec2.DeleteVpc", "{\"VpcId\":{\"$deferred\":\"${aws.vpc.a.id}\"}}",
		 "the call 'DeleteVpc' cannot be written: 'VpcId' should be a string and is a value known only later"},
		{"a list for all", "ec2.DeleteVpc", "[]",
		 "the call 'DeleteVpc' cannot be written: 'parameters' should be a map and is a list"},
		{"a required member", "ec2.DeleteVpc", "{}",
		 "the call 'DeleteVpc' cannot be written: 'parameters' lacks the member 'VpcId'"},
		{"a parameter where there is none", "sts.GetCallerIdentity", "{\"A\":1}",
		 "the call 'GetCallerIdentity' cannot be written: 'parameters' has no member 'A'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench bench;
		BUFFER_AUTO body;

		bench_open(&bench);
		buffer_init(&body, BODY_BYTES_MOST);
		buffer_string(&body, "before");
		struct value parameters = read_json(&bench, rows[i].parameters);
		if (aws_request_body(operation_named(rows[i].operation), &parameters, &body, &bench.diagnostics))
			fail_msg("%s: written as %s", rows[i].name, body.data);
		expect_failure(rows[i].name, &bench, FAULT_INTERNAL, rows[i].message);
		assert_string_equal(body.data, "before");
		bench_close(&bench);
	}
}

static void test_request_twice_and_too_long(void **state)
{
	struct value_member members[] = {{value_text("VpcId"), value_text("a")},
					 {value_text("VpcId"), value_text("b")}};
	struct value twice = value_map(members, 2);
	struct value once = value_map(members, 1);
	struct bench bench;
	BUFFER_AUTO body;

	(void)state;
	bench_open(&bench);
	buffer_init(&body, 50);
	assert_false(aws_request_body(operation_named("ec2.DeleteVpc"), &twice, &body, &bench.diagnostics));
	expect_failure("twice", &bench, FAULT_INTERNAL,
		       "the call 'DeleteVpc' cannot be written: 'parameters' holds twice the member 'VpcId'");
	bench_close(&bench);

	bench_open(&bench);
	assert_true(aws_request_body(operation_named("ec2.DeleteVpc"), &once, &body, &bench.diagnostics));
	assert_string_equal(body.data, "Action=DeleteVpc&Version=2016-11-15&VpcId=a");
	assert_false(aws_request_body(operation_named("ec2.DeleteVpc"), &once, &body, &bench.diagnostics));
	expect_failure("too long", &bench, FAULT_USER, "the call 'DeleteVpc' is longer than 50 bytes");
	assert_string_equal(body.data, "Action=DeleteVpc&Version=2016-11-15&VpcId=a");
	bench_close(&bench);
}

static const struct {
	const char *name;
	const char *operation;
	const char *xml;
	const char *json; /* canonical */
} responses[] = {
	{"EC2", "ec2.DescribeVpcs",
	 "<?xml version=\"1.0\"?>\n<DescribeVpcsResponse xmlns=\"http://x/\"><requestId>r</requestId><vpcSet>"
	 "\n <item><vpcId>vpc-1</vpcId><isDefault>true</isDefault><tagSet><item><key>Name</key><value> a&amp;b"
	 " </value></item></tagSet></item>\n</vpcSet></DescribeVpcsResponse>\n",
	 "{\"Vpcs\":[{\"IsDefault\":true,\"Tags\":[{\"Key\":\"Name\",\"Value\":\" a&b "
	 "\"}],\"VpcId\":\"vpc-1\"}]}"},
	{"an empty list", "ec2.DescribeVpcs", "<DescribeVpcsResponse><vpcSet/></DescribeVpcsResponse>",
	 "{\"Vpcs\":[]}"},
	{"no list", "ec2.DescribeVpcs", "<DescribeVpcsResponse/>", "{}"},
	{"a prefix", "ec2.DescribeVpcs",
	 "<a:DescribeVpcsResponse xmlns:a=\"x\"><a:vpcSet><a:item><a:vpcId>v</a:vpcId></a:item></a:vpcSet>"
	 "</a:DescribeVpcsResponse>",
	 "{\"Vpcs\":[{\"VpcId\":\"v\"}]}"},
	{"strangers", "ec2.DescribeVpcs",
	 "<DescribeVpcsResponse><new><vpcSet/></new><vpcSet><item><x><vpcId>no</vpcId></x><vpcId>v<y>no</y>w</"
	 "vpcId>"
	 "</item>text</vpcSet></DescribeVpcsResponse>",
	 "{\"Vpcs\":[{\"VpcId\":\"vw\"}]}"},
	{"comments and character data", "ec2.DescribeVpcs",
	 "<DescribeVpcsResponse><!-- no --><nextToken>a<!-- no --><![CDATA[<b>]]>&#x63;</nextToken>"
	 "</DescribeVpcsResponse>",
	 "{\"NextToken\":\"a<b>c\"}"},
	{"numbers", "ec2.DescribeSubnets",
	 "<DescribeSubnetsResponse><subnetSet><item><availableIpAddressCount> "
	 "251\n</availableIpAddressCount></item>"
	 "<item><availableIpAddressCount>many</availableIpAddressCount></item>"
	 "<item><availableIpAddressCount/></item></subnetSet></DescribeSubnetsResponse>",
	 "{\"Subnets\":[{\"AvailableIpAddressCount\":251},{\"AvailableIpAddressCount\":{\"$unread\":true}},"
	 "{\"AvailableIpAddressCount\":{\"$unread\":true}}]}"},
	{"booleans", "ec2.DescribeVpcAttribute",
	 "<DescribeVpcAttributeResponse><enableDnsSupport><value>True</value></enableDnsSupport>"
	 "<enableDnsHostnames><value>maybe</value></enableDnsHostnames></DescribeVpcAttributeResponse>",
	 "{\"EnableDnsHostnames\":{\"Value\":{\"$unread\":true}},\"EnableDnsSupport\":{\"Value\":true}}"},
	{"an empty string and structure", "ec2.CreateVpc", "<CreateVpcResponse><vpc><vpcId/></vpc></CreateVpcResponse>",
	 "{\"Vpc\":{\"VpcId\":\"\"}}"},
	{"an answer that says nothing", "ec2.AttachInternetGateway",
	 "<AttachInternetGatewayResponse><return>true</return></AttachInternetGatewayResponse>", "{}"},
	{"one that does not even say that", "ec2.DeleteSubnet",
	 "<DeleteSubnetResponse><requestId>r</requestId></DeleteSubnetResponse>", "{}"},
	{"one that says nothing of it beside what it says", "ec2.CreateRoute", "<CreateRouteResponse/>", "{}"},
	{"a text of that name deeper down", "ec2.DeleteSubnet",
	 "<DeleteSubnetResponse><a><return>false</return></a></DeleteSubnetResponse>", "{}"},
	{"one of the query protocol", "autoscaling.DeleteAutoScalingGroup",
	 "<DeleteAutoScalingGroupResponse><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata>"
	 "</DeleteAutoScalingGroupResponse>",
	 "{}"},
	{"the query protocol", "autoscaling.DescribeAutoScalingGroups",
	 "<DescribeAutoScalingGroupsResponse "
	 "xmlns=\"x\"><DescribeAutoScalingGroupsResult><AutoScalingGroups><member>"
	 "<AutoScalingGroupName>a</AutoScalingGroupName><MinSize>0</MinSize></member></AutoScalingGroups>"
	 "</DescribeAutoScalingGroupsResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata>"
	 "</DescribeAutoScalingGroupsResponse>",
	 "{\"AutoScalingGroups\":[{\"AutoScalingGroupName\":\"a\",\"MinSize\":0}]}"},
	{"the query protocol with a prefix", "sts.GetCallerIdentity",
	 "<a:GetCallerIdentityResponse xmlns:a=\"x\"><a:GetCallerIdentityResult><a:Account>1</a:Account>"
	 "</a:GetCallerIdentityResult></a:GetCallerIdentityResponse>",
	 "{\"Account\":\"1\"}"},
	{"what is sensitive", "ec2.DescribeVpnConnections",
	 "<DescribeVpnConnectionsResponse><vpnConnectionSet><item><options><tunnelOptionSet><item>"
	 "<preSharedKey>abc</preSharedKey></item></tunnelOptionSet></options></item></vpnConnectionSet>"
	 "</DescribeVpnConnectionsResponse>",
	 "{\"VpnConnections\":[{\"Options\":{\"TunnelOptions\":[{\"PreSharedKey\":{\"$secret\":\"\"}}]}}]}"},
	{"another encoding", "ec2.DescribeVpcs",
	 "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><DescribeVpcsResponse><nextToken>\xe4</nextToken>"
	 "</DescribeVpcsResponse>",
	 "{\"NextToken\":\"\xc3\xa4\"}"},
};

static void test_response(void **state)
{
	static const struct json_style style = {.fingerprint = NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(responses) / sizeof(responses[0]); i++) {
		struct value value = value_null();
		struct bench bench;
		struct slice json;

		bench_open(&bench);
		if (!aws_response_read(operation_named(responses[i].operation), slice_of(responses[i].xml),
				       &bench.arena, &value, &bench.diagnostics))
			fail_msg("%s: %.*s", responses[i].name, SLICE_ARGUMENTS(bench.diagnostics.items[0].message));
		json = json_canonical(&bench.arena, &value, &style);
		if (!slice_is(json, responses[i].json))
			fail_msg("%s\nfound:  %.*s\nwanted: %s", responses[i].name, SLICE_ARGUMENTS(json),
				 responses[i].json);
		bench_close(&bench);
	}
}

static const struct {
	const char *name;
	const char *operation;
	const char *xml;
	const char *message;
} refused_responses[] = {
	{"nothing", "ec2.DescribeVpcs", "", "the answer to 'DescribeVpcs' cannot be read: it is empty (line 1)"},
	{"a web page", "ec2.DescribeVpcs", "<!DOCTYPE html>\n<html lang=en>",
	 "the answer to 'DescribeVpcs' cannot be read: it declares a document type, as a web page does (line "
	 "1)"},
	{"another web page", "ec2.DescribeVpcs", "<html><body>hello</body></html>",
	 "the answer to 'DescribeVpcs' cannot be read: it answers something else (line 1)"},
	{"an error", "ec2.DescribeVpcs", "<Response><Errors/></Response>",
	 "the answer to 'DescribeVpcs' cannot be read: it answers something else (line 1)"},
	{"one of two", "ec2.DescribeVpcs",
	 "<DescribeVpcsResponse><nextToken>a</nextToken><nextToken>b</nextToken></DescribeVpcsResponse>",
	 "the answer to 'DescribeVpcs' cannot be read: it has an element twice that comes once (line 1)"},
	{"another operation's answer", "ec2.DescribeVpcs",
	 "<DescribeSubnetsResponse><subnetSet/></DescribeSubnetsResponse>",
	 "the answer to 'DescribeVpcs' cannot be read: it answers something else (line 1)"},
	{"the answer of an operation whose name is longer", "ec2.DescribeVpcs",
	 "<DescribeVpcsMoreResponse><vpcSet/></DescribeVpcsMoreResponse>",
	 "the answer to 'DescribeVpcs' cannot be read: it answers something else (line 1)"},
	{"another operation's answer of the query protocol", "autoscaling.DescribeAutoScalingGroups",
	 "<DescribeTagsResponse><DescribeAutoScalingGroupsResult/></DescribeTagsResponse>",
	 "the answer to 'DescribeAutoScalingGroups' cannot be read: it answers something else (line 1)"},
	{"no success of an operation whose model has no output", "ec2.DeleteSubnet",
	 "<DeleteSubnetResponse><requestId>r</requestId><return>false</return></DeleteSubnetResponse>",
	 "the answer to 'DeleteSubnet' cannot be read: it says 'false' of its success, and names no error (line 1)"},
	{"no success of one whose model has it", "ec2.CreateRoute",
	 "<CreateRouteResponse><return>false</return></CreateRouteResponse>",
	 "the answer to 'CreateRoute' cannot be read: it says 'false' of its success, and names no error (line 1)"},
	{"no success of one that calls it otherwise", "ec2.ModifyVpcTenancy",
	 "<ModifyVpcTenancyResponse><return>false</return></ModifyVpcTenancyResponse>",
	 "the answer to 'ModifyVpcTenancy' cannot be read: it says 'false' of its success, and names no error (line "
	 "1)"},
	{"JSON", "ec2.DescribeVpcs", "{\"a\":\x1b[31m\xc3\xa4}",
	 "the answer to 'DescribeVpcs' cannot be read: not well-formed (invalid token) (line 1)"},
	{"half", "ec2.DescribeVpcs", "<DescribeVpcsResponse><vpcSet>\n<item><vpcId>vpc-1</vpc",
	 "the answer to 'DescribeVpcs' cannot be read: unclosed token (line 2)"},
	{"entities", "ec2.DescribeVpcs",
	 "<!DOCTYPE a [<!ENTITY b "
	 "\"c\">]><DescribeVpcsResponse><nextToken>&b;</nextToken></DescribeVpcsResponse>",
	 "the answer to 'DescribeVpcs' cannot be read: it declares a document type, as a web page does (line "
	 "1)"},
	{"an unknown entity", "ec2.DescribeVpcs",
	 "<DescribeVpcsResponse><nextToken>&b;</nextToken></DescribeVpcsResponse>",
	 "the answer to 'DescribeVpcs' cannot be read: undefined entity (line 1)"},
	{"no result", "autoscaling.DescribeAutoScalingGroups",
	 "<DescribeAutoScalingGroupsResponse><Other/></DescribeAutoScalingGroupsResponse>",
	 "the answer to 'DescribeAutoScalingGroups' cannot be read: it holds no result (line 1)"},
	{"two roots", "ec2.DescribeVpcs", "<DescribeVpcsResponse/><DescribeVpcsResponse/>",
	 "the answer to 'DescribeVpcs' cannot be read: junk after document element (line 1)"},
};

static void test_response_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused_responses) / sizeof(refused_responses[0]); i++) {
		struct value value = value_integer(7);
		struct bench bench;

		bench_open(&bench);
		if (aws_response_read(operation_named(refused_responses[i].operation),
				      slice_of(refused_responses[i].xml), &bench.arena, &value, &bench.diagnostics))
			fail_msg("%s: read", refused_responses[i].name);
		assert_true(value_is(&value, VALUE_INTEGER));
		expect_failure(refused_responses[i].name, &bench, FAULT_INTERNAL, refused_responses[i].message);
		bench_close(&bench);
	}
}

static void test_response_depth(void **state)
{
	(void)state;
	for (size_t depth = 63; depth <= 64; depth++) {
		struct bench bench;
		struct value value;
		BUFFER_AUTO xml;

		bench_open(&bench);
		buffer_init(&xml, BODY_BYTES_MOST);
		buffer_string(&xml, "<DescribeVpcsResponse>");
		for (size_t i = 0; i < depth; i++)
			buffer_string(&xml, "<a>");
		for (size_t i = 0; i < depth; i++)
			buffer_string(&xml, "</a>");
		buffer_string(&xml, "</DescribeVpcsResponse>");
		assert_int_equal(depth < 64, aws_response_read(operation_named("ec2.DescribeVpcs"), buffer_slice(&xml),
							       &bench.arena, &value, &bench.diagnostics));
		bench_close(&bench);
	}
}

/* Far below the most bytes of an answer, and yet more than anybody could hold of it. */
static void test_response_elements(void **state)
{
	enum { ELEMENTS_MOST = 1000 * 1000, BYTES_MOST = 16 * 1024 * 1024 };

	(void)state;
	for (size_t count = ELEMENTS_MOST; count <= ELEMENTS_MOST + 1; count++) {
		struct bench bench;
		struct value value;
		BUFFER_AUTO xml;

		bench_open(&bench);
		buffer_init(&xml, BYTES_MOST);
		buffer_string(&xml, "<DescribeVpcsResponse><vpcSet>");
		for (size_t i = 2; i < count; i++)
			buffer_string(&xml, "<item/>");
		buffer_string(&xml, "</vpcSet></DescribeVpcsResponse>");
		bool is_read = aws_response_read(operation_named("ec2.DescribeVpcs"), buffer_slice(&xml), &bench.arena,
						 &value, &bench.diagnostics);
		assert_int_equal(is_read, count == ELEMENTS_MOST);
		if (!is_read)
			expect_failure("elements", &bench, FAULT_INTERNAL,
				       "the answer to 'DescribeVpcs' cannot be read: it holds more than 1,000,000 "
				       "elements (line 1)");
		bench_close(&bench);
	}
}

/* What is recorded of an object has several such texts, and as many escapes. */
static void test_response_text(void **state)
{
	enum { TEXT_MOST = 1024 * 1024 };

	(void)state;
	for (size_t size = TEXT_MOST; size <= TEXT_MOST + 1; size++) {
		struct bench bench;
		struct value value;
		BUFFER_AUTO xml;

		bench_open(&bench);
		buffer_init(&xml, 2 * (size_t)TEXT_MOST);
		buffer_string(&xml, "<DescribeVpcsResponse><vpcSet><item><vpcId>");
		for (size_t i = 0; i < size; i++)
			buffer_byte(&xml, 'a');
		buffer_string(&xml, "</vpcId></item></vpcSet></DescribeVpcsResponse>");
		bool is_read = aws_response_read(operation_named("ec2.DescribeVpcs"), buffer_slice(&xml), &bench.arena,
						 &value, &bench.diagnostics);
		assert_int_equal(is_read, size == TEXT_MOST);
		if (!is_read)
			expect_failure("text", &bench, FAULT_INTERNAL,
				       "the answer to 'DescribeVpcs' cannot be read: it holds a text of more than "
				       "1 MiB (line 1)");
		bench_close(&bench);
	}
}

static void append_subnets(struct buffer *xml, size_t count)
{
	buffer_string(xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<DescribeSubnetsResponse "
			   "xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"><requestId>r</requestId><subnetSet>");
	for (size_t i = 0; i < count; i++)
		buffer_format(
			xml,
			"<item><subnetId>subnet-%zu</subnetId><state>available</state><availableIpAddressCount>251"
			"</availableIpAddressCount><mapPublicIpOnLaunch>false</mapPublicIpOnLaunch>"
			"<ipv6CidrBlockAssociationSet/><tagSet><item><key>a</key><value>&lt;%zu&gt;</value></item>"
			"</tagSet><privateDnsNameOptionsOnLaunch><hostnameType>ip-name</hostnameType>"
			"</privateDnsNameOptionsOnLaunch></item>\n",
			i, i);
	buffer_string(xml, "</subnetSet></DescribeSubnetsResponse>");
}

/* Cut anywhere, an answer is refused with one diagnostic, and what it says is never half of it. */
static void test_response_cut(void **state)
{
	BUFFER_AUTO xml;

	(void)state;
	buffer_init(&xml, BODY_BYTES_MOST);
	append_subnets(&xml, 3);
	for (size_t size = 0; size <= xml.size; size++) {
		/* In memory of its own size, so that a sanitizer sees a read past its end. */
		char *copy = malloc(size + (size == 0));
		struct value value = value_integer(7);
		struct bench bench;

		assert_non_null(copy);
		memcpy(copy, xml.data, size);
		bench_open(&bench);
		if (aws_response_read(operation_named("ec2.DescribeSubnets"), (struct slice){copy, size}, &bench.arena,
				      &value, &bench.diagnostics)) {
			assert_int_equal(size, xml.size);
			assert_int_equal(value_get_named(&value, "Subnets")->count, 3);
		} else {
			assert_true(size < xml.size);
			assert_int_equal(bench.diagnostics.count, 1);
			assert_true(value_is(&value, VALUE_INTEGER));
		}
		bench_close(&bench);
		free(copy);
	}
}

/* Bytes changed at random (with a fixed seed): read or refused, never a crash. */
static void test_response_damaged(void **state)
{
	static const char interesting[] = "<>/&;\"'=! \n\0\xff\x80"
					  "ax:-[]";
	uint64_t random = 20161115;
	size_t refused = 0;
	BUFFER_AUTO xml;

	(void)state;
	buffer_init(&xml, BODY_BYTES_MOST);
	append_subnets(&xml, 3);
	for (size_t round = 0; round < 5000; round++) {
		char *copy = malloc(xml.size);
		struct value value;
		struct bench bench;

		assert_non_null(copy);
		memcpy(copy, xml.data, xml.size);
		for (size_t i = 0; i <= round % 4; i++) {
			random = random * 6364136223846793005U + 1442695040888963407U;
			copy[(random >> 33) % xml.size] = interesting[(random >> 20) % (sizeof(interesting) - 1)];
		}
		bench_open(&bench);
		if (!aws_response_read(operation_named("ec2.DescribeSubnets"), (struct slice){copy, xml.size},
				       &bench.arena, &value, &bench.diagnostics)) {
			assert_int_equal(bench.diagnostics.count, 1);
			refused++;
		}
		bench_close(&bench);
		free(copy);
	}
	assert_in_range(refused, 1000, 4999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_request_refused),
		cmocka_unit_test(test_request_twice_and_too_long),
		cmocka_unit_test(test_response),
		cmocka_unit_test(test_response_refused),
		cmocka_unit_test(test_response_depth),
		cmocka_unit_test(test_response_elements),
		cmocka_unit_test(test_response_text),
		cmocka_unit_test(test_response_cut),
		cmocka_unit_test(test_response_damaged),
	};

	return cmocka_run_group_tests_name("providers/aws/protocol", tests, NULL, NULL);
}
