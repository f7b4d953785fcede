#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/exit_status.h"
#include "tests/unit/support_cloud.h"

/* Somebody is faster than a call of ours: between the look that the plan was made by and the call. */

#define NETS "stack: outrun\naws.vpc: {main: {cidr: 10.0.0.0/16}, theirs: {cidr: 10.50.0.0/16}}\n"
#define INTERNET(fields) NETS "aws.internet_gateway: {g: {" fields "}}\n"
#define ATTACHED(type, list, state) type, list, "[{\"vpcId\":\"", "\",\"state\":\"" state "\"}]", NULL, list ".0.vpcId"
#define VPN(fields) NETS "aws.vpn_gateway: {g: {" fields "}}\n"
#define TABLE(routes)                                                                                                  \
	NETS "aws.internet_gateway: {g: {vpc: main}}\naws.vpn_gateway: {v: {vpc: main}}\n"                             \
	     "aws.route_table: {t: {vpc: main, routes: [" routes "]}}\n"
#define TO(target) "{destination: 10.99.0.0/16, " target "}"
#define ROUTED(other)                                                                                                  \
	"route-table", "routeSet",                                                                                     \
		"[{\"destinationCidrBlock\":\"10.0.0.0/16\",\"gatewayId\":\"local\",\"origin\":"                       \
		"\"CreateRouteTable\",\"state\":\"active\"},{\"destinationCidrBlock\":\"10.99.0.0/16\","               \
		"\"origin\":\"CreateRoute\",\"state\":\"active\",\"gatewayId\":\"",                                    \
		"\"}]", other, "routeSet.1.gatewayId"

static const struct row {
	const char *name;
	const char *before, *after;
	const char *moment; /* ahead of which call they come */
	/* An attribute of the one thing of a type, and what it becomes, as JSON around an id: of their VPC, or of our
	 * one thing of another type. */
	const char *type, *attribute, *head, *tail, *other;
	const char *stays; /* the path at which that id is afterwards */
	int status;
	const char *says, *hint;
} rows[] = {
	{"a gateway that is to go is moved away", INTERNET("vpc: main"), NETS, "DetachInternetGateway",
	 ATTACHED("internet-gateway", "attachmentSet", "available"), STATUS_ERROR, "which is not recorded as its own",
	 "detach it there first, or give it up: 'trueup state rm aws.internet_gateway.g'"},
	{"a VPN gateway that is to go is moved away", VPN("vpc: main"), NETS, "DetachVpnGateway",
	 ATTACHED("vpn-gateway", "attachments", "attached"), STATUS_ERROR, "which is not recorded as its own",
	 "detach it there first, or give it up: 'trueup state rm aws.vpn_gateway.g'"},
	{"a gateway that is to be attached is attached elsewhere", INTERNET(""), INTERNET("vpc: main"),
	 "AttachInternetGateway", ATTACHED("internet-gateway", "attachmentSet", "available"), STATUS_REFUSED,
	 "'aws.internet_gateway.g' has changed since the plan was made: it is attached to vpc-",
	 "it was not detached from there: plan again, and review that"},
	{"a gateway is attached by them as it is to be", INTERNET(""), INTERNET("vpc: theirs"), "AttachInternetGateway",
	 ATTACHED("internet-gateway", "attachmentSet", "available"), STATUS_FINE, "1 done", ""},
	{"a route is made to another target", TABLE(""), TABLE(TO("internet_gateway: g")), "CreateRoute",
	 ROUTED("vpn-gateway"), STATUS_REFUSED,
	 "'aws.route_table.t' has changed since the plan was made: other values are there now (routes[10.99.0.0/16])",
	 "they were left as they are: plan again, and review that"},
	{"and after another route has come", TABLE(""),
	 TABLE("{destination: 10.98.0.0/16, vpn_gateway: v}, " TO("internet_gateway: g")), "CreateRoute",
	 ROUTED("vpn-gateway"), STATUS_PARTLY,
	 "'aws.route_table.t' has changed since the plan was made: other values are there now (routes[10.99.0.0/16])",
	 "they were left as they are: plan again, and review that"},
	{"a route is made by them as it is to be", TABLE(""), TABLE(TO("vpn_gateway: v")), "CreateRoute",
	 ROUTED("vpn-gateway"), STATUS_FINE, "1 done", ""},
};

static struct slice own_id(struct cloud *cloud, const char *type)
{
	return cloud_find(cloud, type, "tagSet.0.key", "trueup:stack");
}

static struct slice told_id(struct cloud *cloud, const struct row *row)
{
	return row->other ? own_id(cloud, row->other) : cloud_find(cloud, "vpc", "cidrBlock", "10.50.0.0/16");
}

static void come_first(struct cloud *cloud, const void *what)
{
	const struct row *row = what;
	struct slice id = told_id(cloud, row);
	struct slice value = arena_format(&cloud->arena, "%s%.*s%s", row->head, SLICE_ARGUMENTS(id), row->tail);

	cloud_change(cloud, row->type, own_id(cloud, row->type), row->attribute, arena_string(&cloud->arena, value));
}

/* What they did stays: the plan, which did not know of it, overwrites nothing. */
static void test_outrun(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct cloud cloud;

		cloud_open(&cloud, *state);
		cloud_write(&cloud, "outrun.yaml", row->before);
		cloud_expect(&cloud, "apply --yes", STATUS_FINE);
		cloud_write(&cloud, "outrun.yaml", row->after);
		cloud.moment = row->moment;
		cloud.happening = come_first;
		cloud.what = row;
		int status = cloud_run(&cloud, "apply --yes");
		struct slice id = told_id(&cloud, row);
		if (status != row->status || !cloud_says(&cloud, row->says) || !cloud_says(&cloud, row->hint) ||
		    !cloud_has(&cloud, row->type, row->stays, arena_string(&cloud.arena, id)))
			fail_msg("%s: status %d:\n%.*s", row->name, status, (int)cloud.output.size, cloud.output.data);
		cloud_close(&cloud);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_outrun),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
