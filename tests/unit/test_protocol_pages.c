#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "providers/aws/aws.h"
#include "providers/aws/kinds/kinds.h"
#include "providers/aws/protocol.h"

/* The largest answers that a listing may give. */

/* Groups with as many rules of their own as the quotas allow unasked: 60 in each direction. */
static void append_full_groups(struct buffer *xml, size_t count)
{
	static const char *const directions[] = {"ipPermissions", "ipPermissionsEgress"};

	buffer_string(xml, "<DescribeSecurityGroupsResponse><securityGroupInfo>");
	for (size_t i = 0; i < count; i++) {
		buffer_format(
			xml,
			"<item><groupId>sg-%zu</groupId><tagSet><item><key>a</key><value>b</value></item></tagSet>", i);
		for (size_t direction = 0; direction < 2; direction++) {
			buffer_format(xml, "<%s>", directions[direction]);
			for (size_t rule = 0; rule < 60; rule++)
				buffer_format(
					xml,
					"<item><ipProtocol>tcp</ipProtocol><fromPort>%zu</fromPort><toPort>%zu"
					"</toPort><groups/><ipRanges><item><cidrIp>10.0.0.0/8</cidrIp><description>"
					"d</description></item></ipRanges><ipv6Ranges/><prefixListIds/></item>",
					rule, rule);
			buffer_format(xml, "</%s>", directions[direction]);
		}
		buffer_string(xml, "</item>");
	}
	buffer_string(xml, "</securityGroupInfo></DescribeSecurityGroupsResponse>");
}

/* Machines with as many interfaces and addresses as the largest of the usual types take (m5.24xlarge). */
static void append_full_instances(struct buffer *xml, size_t count)
{
	buffer_string(xml, "<DescribeInstancesResponse><reservationSet><item><instancesSet>");
	for (size_t i = 0; i < count; i++) {
		buffer_format(xml, "<item><instanceId>i-%zu</instanceId><networkInterfaceSet>", i);
		for (size_t interface = 0; interface < 15; interface++) {
			buffer_string(xml, "<item><privateIpAddressesSet>");
			for (size_t address = 0; address < 50; address++)
				buffer_format(xml,
					      "<item><privateIpAddress>10.0.%zu.%zu</privateIpAddress><privateDnsName>"
					      "d</privateDnsName><primary>false</primary></item>",
					      interface, address);
			buffer_string(xml, "</privateIpAddressesSet></item>");
		}
		buffer_string(xml, "</networkInterfaceSet></item>");
	}
	buffer_string(xml, "</instancesSet></item></reservationSet></DescribeInstancesResponse>");
}

/* A page that a kind asks for is one that can be read. */
static void test_full_pages(void **state)
{
	enum { BYTES_MOST = 256 * 1024 * 1024 };
	static const struct {
		const struct aws_kind *kind;
		void (*append)(struct buffer *xml, size_t count);
	} rows[] = {
		{&aws_security_group, append_full_groups},
		{&aws_instance, append_full_instances},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct aws_listing *list = &rows[i].kind->list;
		struct diagnostics diagnostics;
		struct arena arena;
		struct value value;
		BUFFER_AUTO xml;

		arena_init(&arena);
		diagnostics_init(&diagnostics, &arena);
		buffer_init(&xml, BYTES_MOST);
		rows[i].append(&xml, (size_t)list->page);
		if (!aws_response_read(aws_operation_of(rows[i].kind, list->operation), buffer_slice(&xml), &arena,
				       &value, &diagnostics))
			fail_msg("%s", list->operation);
		diagnostics_release(&diagnostics);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full_pages),
	};

	return cmocka_run_group_tests_name("providers/aws/protocol, pages", tests, NULL, NULL);
}
