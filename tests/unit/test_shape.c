#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "providers/aws/shape.h"
#include "providers/aws/shapes/shapes.h"

enum { DEPTH_MOST = 32 };

/* What the look-ups by bisection and the protocols rely on, in every generated table. */
static void check_shape(const struct aws_shape *shape, size_t depth)
{
	if (depth > DEPTH_MOST)
		fail_msg("%s lies too deep", shape->name.data);
	if (shape->type == AWS_LIST) {
		assert_non_null(shape->item);
		assert_true(shape->item_name.size > 0);
		check_shape(shape->item, depth + 1);
	}
	for (size_t i = 1; i < shape->value_count; i++) {
		if (slice_compare(shape->values[i - 1], shape->values[i]) >= 0)
			fail_msg("%s: '%s' is not in order", shape->name.data, shape->values[i].data);
	}
	assert_in_range(shape->member_count, 0, AWS_MEMBERS_MOST);
	for (size_t i = 0; i < shape->member_count; i++) {
		const struct aws_member *member = &shape->members[i];

		if (aws_member(shape, member->name) != member)
			fail_msg("%s: '%s' is not found", shape->name.data, member->name.data);
		if (aws_response_member(shape, member->response_name) != member)
			fail_msg("%s: '%s' is not found in an answer", shape->name.data, member->response_name.data);
		/* The protocol writes these without encoding them. */
		for (size_t k = 0; k < member->request_name.size; k++) {
			char byte = member->request_name.data[k];

			if (!(byte >= 'a' && byte <= 'z') && !(byte >= 'A' && byte <= 'Z') &&
			    !(byte >= '0' && byte <= '9'))
				fail_msg("%s: '%s' needs encoding", shape->name.data, member->request_name.data);
		}
		check_shape(member->shape, depth + 1);
	}
}

static void test_tables(void **state)
{
	(void)state;
	assert_int_equal(aws_service_count, 3);
	for (size_t i = 0; i < aws_service_count; i++) {
		const struct aws_service_shape *service = aws_services[i];

		assert_ptr_equal(aws_service(service->name), service);
		for (size_t k = 0; k < service->operation_count; k++) {
			const struct aws_operation_shape *operation = &service->operations[k];

			if (aws_operation(service, operation->name) != operation || operation->service != service)
				fail_msg("%s is not found", operation->name.data);
			if (operation->input)
				check_shape(operation->input, 0);
			if (operation->output)
				check_shape(operation->output, 0);
			if (operation->pages.output_token.size > 0 &&
			    (!aws_member(operation->input, operation->pages.input_token) ||
			     !aws_member(operation->output, operation->pages.output_token) ||
			     !aws_member(operation->output, operation->pages.result_key)))
				fail_msg("%s pages over members that it lacks", operation->name.data);
		}
	}
}

static void test_absent(void **state)
{
	const struct aws_operation_shape *operation = aws_operation(&aws_ec2_service, SLICE("AttachInternetGateway"));

	(void)state;
	assert_null(aws_service(SLICE("ec3")));
	assert_null(aws_service(SLICE("")));
	assert_null(aws_operation(&aws_ec2_service, SLICE("CreateVp")));
	assert_null(aws_operation(&aws_ec2_service, SLICE("CreateVpcX")));
	assert_non_null(operation);
	assert_null(operation->output);
	assert_null(aws_member(operation->output, SLICE("Return")));
	assert_null(aws_response_member(NULL, SLICE("return")));
	assert_null(aws_member(aws_member(operation->input, SLICE("VpcId"))->shape, SLICE("VpcId")));
}

/* A few facts that the tables must give, told by the API's own pages. */
static void test_facts(void **state)
{
	const struct aws_operation_shape *create = aws_operation(&aws_ec2_service, SLICE("CreateRouteTable"));
	const struct aws_operation_shape *list = aws_operation(&aws_ec2_service, SLICE("DescribeRouteTables"));
	const struct aws_operation_shape *group =
		aws_operation(&aws_autoscaling_service, SLICE("CreateAutoScalingGroup"));
	const struct aws_member *tenancy =
		aws_member(aws_operation(&aws_ec2_service, SLICE("CreateVpc"))->input, SLICE("InstanceTenancy"));
	const struct aws_shape *most = aws_member(list->input, SLICE("MaxResults"))->shape;

	(void)state;
	assert_int_equal(aws_member(create->input, SLICE("ClientToken"))->flags, AWS_MEMBER_TOKEN);
	assert_int_equal(aws_member(create->input, SLICE("VpcId"))->flags, AWS_MEMBER_REQUIRED);
	assert_true(slice_is(list->pages.input_token, "NextToken"));
	assert_true(slice_is(list->pages.result_key, "RouteTables"));
	assert_true(slice_is(list->pages.limit_key, "MaxResults"));
	assert_true(most->has_minimum && most->minimum == 5 && most->has_maximum && most->maximum == 100);
	assert_true(aws_shape_has_value(tenancy->shape, SLICE("dedicated")));
	assert_false(aws_shape_has_value(tenancy->shape, SLICE("shared")));
	assert_int_equal(group->service->protocol, AWS_PROTOCOL_QUERY);
	assert_true(slice_is(group->error_codes[0], "AlreadyExists"));
	assert_true(slice_is(aws_operation(&aws_autoscaling_service, SLICE("DescribeLifecycleHooks"))->result_wrapper,
			     "DescribeLifecycleHooksResult"));
	assert_true(slice_is(aws_sts_service.api_version, "2011-06-15"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_facts),
	};

	return cmocka_run_group_tests_name("providers/aws/shape", tests, NULL, NULL);
}
