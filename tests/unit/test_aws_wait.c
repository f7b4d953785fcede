#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "providers/aws/aws.h"
#include "providers/aws/work.h"
#include "tests/unit/support_aws_kinds.h"

/* When a work looks again, by how long ago the last answer came, and after which refusals. */

enum { BEGIN_MS = 7000, PATIENCE_MS = 1800 * 1000 };

static const struct {
	const char *name;
	enum step (*wait)(struct work *work);
	int64_t poll_ms;
	int64_t waited_ms;
	int64_t delay_ms;
} rows[] = {
	{"the first look misses what was just made", aws_look_later, 0, 60, 50},
	{"a lag of a moment", aws_look_later, 0, 960, 60},
	{"a lag of seconds", aws_look_later, 0, 6400, 800},
	{"a lag of minutes", aws_look_later, 0, 100000, 12500},
	{"work that has begun", aws_poll_later, 0, 60, 240},
	{"work that may be done", aws_poll_later, 0, 320, 12},
	{"work of a moment", aws_poll_later, 0, 960, 12},
	{"work of seconds", aws_poll_later, 0, 8000, 1000},
	{"work of minutes", aws_poll_later, 0, 200000, 25000},
	{"work of hours", aws_poll_later, 0, 7200000, 30000},
	{"work of a slow kind that has begun", aws_poll_later, 5000, 60, 5000},
	{"work of a slow kind, of minutes", aws_poll_later, 5000, 200000, 25000},
};

static void test_delays(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct aws_kind kind = {.poll_ms = rows[i].poll_ms};
		struct work work = {
			.kind = &kind.kind,
			.patience_ms = PATIENCE_MS,
			.deadline_ms = BEGIN_MS + PATIENCE_MS,
			.task = {.now_ms = BEGIN_MS + rows[i].waited_ms},
		};

		assert_int_equal(rows[i].wait(&work), STEP_READ);
		if (work.task.wake_ms - work.task.now_ms != rows[i].delay_ms)
			fail_msg("%s: %lld ms", rows[i].name, (long long)(work.task.wake_ms - work.task.now_ms));
	}
}

static const struct {
	const char *name;
	bool (*may)(struct work *work);
	struct aws_change change;
	int64_t waited_ms;
	bool wanted;
} lags[] = {
	{"made a moment ago", aws_count_absence, {.created_ms = BEGIN_MS, .absences = 100}, 299 * 1000, true},
	{"made long ago", aws_count_absence, {.created_ms = BEGIN_MS}, 300 * 1000, false},
	{"there before, and untouched", aws_count_absence, {0}, 0, false},
	{"changed, and missed in few looks", aws_count_absence, {.sent_any = true, .absences = 4}, 60 * 1000, true},
	{"changed a moment ago", aws_count_absence, {.sent_any = true, .absences = 5}, 19 * 1000, true},
	{"changed, and missed for long", aws_count_absence, {.sent_any = true, .absences = 5}, 20 * 1000, false},
	{"shown as it was in few looks", aws_count_look, {.looks = 4}, 60 * 1000, true},
	{"shown as it was for a moment", aws_count_look, {.looks = 5}, 19 * 1000, true},
	{"shown as it was for long", aws_count_look, {.looks = 5}, 20 * 1000, false},
};

/* How long a listing may lag: both so many looks and so much time are needed to believe it. */
static void test_lags(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lags) / sizeof(lags[0]); i++) {
		struct aws_change change = lags[i].change;
		struct work work = {
			.detail = &change,
			.patience_ms = PATIENCE_MS,
			.deadline_ms = BEGIN_MS + PATIENCE_MS,
			.task = {.now_ms = BEGIN_MS + lags[i].waited_ms},
		};

		if (lags[i].may(&work) != lags[i].wanted)
			fail_msg("%s", lags[i].name);
	}
}

enum meaning {
	REFUSED,
	PASSES, /* it is sent again for a while */
	DONE,
};

/* What AWS's codes mean
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html, and /query-api-troubleshooting.html on
 * eventual consistency): what is young is not known everywhere yet, and what holds something on is on its way out. */
static const struct {
	const char *kind, *operation, *code;
	enum meaning meaning;
} codes[] = {
	{"aws.autoscaling_group", "CreateAutoScalingGroup", "AlreadyExists", DONE},
	{"aws.autoscaling_group", "CreateAutoScalingGroup", "ValidationError.NotFound", PASSES},
	{"aws.autoscaling_group", "CreateAutoScalingGroup", "ValidationError.LaunchTemplateNotFound", PASSES},
	{"aws.autoscaling_group", "UpdateAutoScalingGroup", "ScalingActivityInProgress", PASSES},
	{"aws.autoscaling_group", "DeleteAutoScalingGroup", "ResourceInUse", PASSES},
	{"aws.autoscaling_group", "DeleteAutoScalingGroup", "ValidationError.NotFound", DONE},
	{"aws.autoscaling_group", "DeleteLifecycleHook", "ValidationError.NotFound", DONE},
	{"aws.customer_gateway", "DeleteCustomerGateway", "IncorrectState", PASSES},
	{"aws.customer_gateway", "DeleteCustomerGateway", "InvalidCustomerGatewayID.NotFound", DONE},
	{"aws.instance", "RunInstances", "InvalidSubnetID.NotFound", PASSES},
	{"aws.instance", "ModifyInstanceAttribute", "IncorrectInstanceState", PASSES},
	{"aws.instance", "AssociateIamInstanceProfile", "IncorrectInstanceState", PASSES},
	{"aws.instance", "DisassociateIamInstanceProfile", "InvalidAssociationID.NotFound", DONE},
	{"aws.instance", "TerminateInstances", "InvalidInstanceID.NotFound", DONE},
	{"aws.instance", "TerminateInstances", "OperationNotPermitted", REFUSED},
	{"aws.internet_gateway", "AttachInternetGateway", "Resource.AlreadyAssociated", DONE},
	{"aws.internet_gateway", "AttachInternetGateway", "InvalidVpcID.NotFound", PASSES},
	{"aws.internet_gateway", "DetachInternetGateway", "DependencyViolation", PASSES},
	{"aws.internet_gateway", "DetachInternetGateway", "Gateway.NotAttached", DONE},
	{"aws.internet_gateway", "DeleteInternetGateway", "DependencyViolation", PASSES},
	{"aws.key_pair", "DeleteKeyPair", "InvalidKeyPair.NotFound", DONE},
	{"aws.launch_template", "CreateLaunchTemplateVersion", "InvalidLaunchTemplateId.NotFound", PASSES},
	{"aws.launch_template", "DeleteLaunchTemplate", "InvalidLaunchTemplateId.NotFound", DONE},
	{"aws.route_table", "CreateRouteTable", "InvalidVpcID.NotFound", PASSES},
	{"aws.route_table", "CreateRoute", "RouteAlreadyExists", DONE},
	{"aws.route_table", "CreateRoute", "InvalidGatewayID.NotFound", PASSES},
	{"aws.route_table", "ReplaceRoute", "Gateway.NotAttached", PASSES},
	{"aws.route_table", "DeleteRoute", "InvalidRoute.NotFound", DONE},
	{"aws.route_table", "AssociateRouteTable", "InvalidSubnetID.NotFound", PASSES},
	{"aws.route_table", "DisassociateRouteTable", "InvalidAssociationID.NotFound", DONE},
	{"aws.route_table", "EnableVgwRoutePropagation", "Gateway.NotAttached", PASSES},
	{"aws.route_table", "DisableVgwRoutePropagation", "InvalidGatewayID.NotFound", DONE},
	{"aws.route_table", "DeleteRouteTable", "DependencyViolation", PASSES},
	{"aws.security_group", "CreateSecurityGroup", "InvalidVpcID.NotFound", PASSES},
	{"aws.security_group", "AuthorizeSecurityGroupIngress", "InvalidPermission.Duplicate", DONE},
	{"aws.security_group", "AuthorizeSecurityGroupEgress", "InvalidGroup.NotFound", PASSES},
	{"aws.security_group", "RevokeSecurityGroupEgress", "InvalidPermission.NotFound", DONE},
	{"aws.security_group", "DeleteSecurityGroup", "DependencyViolation", PASSES},
	{"aws.security_group", "DeleteSecurityGroup", "InvalidGroup.InUse", PASSES},
	{"aws.subnet", "CreateSubnet", "InvalidVpcID.NotFound", PASSES},
	{"aws.subnet", "DisassociateSubnetCidrBlock", "InvalidSubnetCidrBlockAssociationID.NotFound", DONE},
	{"aws.subnet", "DeleteSubnet", "DependencyViolation", PASSES},
	{"aws.vpc", "CreateVpc", "VpcLimitExceeded", REFUSED},
	{"aws.vpc", "DisassociateVpcCidrBlock", "InvalidVpcCidrBlockAssociationID.NotFound", DONE},
	{"aws.vpc", "DeleteVpc", "DependencyViolation", PASSES},
	{"aws.vpc", "DeleteVpc", "InvalidVpcID.NotFound", DONE},
	{"aws.vpn_connection", "CreateVpnConnection", "InvalidCustomerGatewayID.NotFound", PASSES},
	{"aws.vpn_connection", "ModifyVpnConnection", "IncorrectState", PASSES},
	{"aws.vpn_connection", "ModifyVpnConnectionOptions", "IncorrectState", PASSES},
	{"aws.vpn_connection", "ModifyVpnTunnelOptions", "IncorrectState", PASSES},
	{"aws.vpn_connection", "CreateVpnConnectionRoute", "RouteAlreadyExists", DONE},
	{"aws.vpn_connection", "DeleteVpnConnectionRoute", "InvalidRoute.NotFound", DONE},
	{"aws.vpn_connection", "DeleteVpnConnection", "IncorrectState", PASSES},
	{"aws.vpn_connection", "DeleteVpnConnection", "InvalidVpnConnectionID.NotFound", DONE},
	{"aws.vpn_gateway", "AttachVpnGateway", "InvalidVpcID.NotFound", PASSES},
	{"aws.vpn_gateway", "DetachVpnGateway", "InvalidVpnGatewayAttachment.NotFound", DONE},
	{"aws.vpn_gateway", "EnableVgwRoutePropagation", "Gateway.NotAttached", PASSES},
	{"aws.vpn_gateway", "DisableVgwRoutePropagation", "InvalidRouteTableID.NotFound", DONE},
	{"aws.vpn_gateway", "DeleteVpnGateway", "IncorrectState", PASSES},
};

static const struct aws_call *named(const struct aws_call *call, const char *operation)
{
	return call && call->operation && strcmp(call->operation, operation) == 0 ? call : NULL;
}

static const struct aws_call *find_of_field(const struct aws_field *field, const char *operation)
{
	const struct aws_call *const calls[] = {
		field->update,
		field->update_first,
		field->update_several,
		field->update_off,
		field->part ? &field->part->add : NULL,
		field->part ? &field->part->remove : NULL,
		field->part ? &field->part->change : NULL,
		field->part ? &field->part->set_back : NULL,
		field->attachment ? &field->attachment->attach : NULL,
		field->attachment ? &field->attachment->detach : NULL,
		field->each ? &field->each->change : NULL,
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (named(calls[i], operation))
			return calls[i];
	return NULL;
}

static const struct aws_call *find_call(const struct aws_kind *kind, const char *operation)
{
	const struct aws_call *found = named(&kind->create, operation);

	if (!found)
		found = named(&kind->delete, operation);
	for (size_t i = 0; !found && i < kind->kind.fields.count; i++)
		found = find_of_field(aws_field_at(&kind->kind.fields, i), operation);
	return found;
}

static void test_codes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		const struct aws_kind *kind = kinds_named(codes[i].kind);
		const struct aws_call *call = kind ? find_call(kind, codes[i].operation) : NULL;
		const struct answer answer = {.code = slice_of(codes[i].code)};

		if (!call) {
			fail_msg("%s sends no %s", codes[i].kind, codes[i].operation);
			return;
		}
		enum meaning meaning = aws_is_done(call, &answer)		      ? DONE
				       : slice_is_one_of(answer.code, call->settling) ? PASSES
										      : REFUSED;
		if (meaning != codes[i].meaning)
			fail_msg("%s of %s: %s", codes[i].code, codes[i].kind, codes[i].operation);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delays),
		cmocka_unit_test(test_lags),
		cmocka_unit_test(test_codes),
	};

	return cmocka_run_group_tests_name("aws_wait", tests, NULL, NULL);
}
