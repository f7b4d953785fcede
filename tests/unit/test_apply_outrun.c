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
#define ATTACHED(type, list, state) type, list, "[{\"vpcId\":\"", "\",\"state\":\"" state "\"}]", list ".0.vpcId"
#define VPN(fields) NETS "aws.vpn_gateway: {g: {" fields "}}\n"

static const struct row {
	const char *name;
	const char *before, *after;
	const char *moment; /* ahead of which call they come */
	/* An attribute of the one thing of a type, and what it becomes, as JSON around the id of their VPC. */
	const char *type, *attribute, *head, *tail;
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
};

static struct slice their_id(struct cloud *cloud)
{
	return cloud_find(cloud, "vpc", "cidrBlock", "10.50.0.0/16");
}

static void come_first(struct cloud *cloud, const void *what)
{
	const struct row *row = what;
	struct slice theirs = their_id(cloud), own = cloud_find(cloud, row->type, "tagSet.0.key", "trueup:stack");
	struct slice value = arena_format(&cloud->arena, "%s%.*s%s", row->head, SLICE_ARGUMENTS(theirs), row->tail);

	cloud_change(cloud, row->type, own, row->attribute, arena_string(&cloud->arena, value));
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
		struct slice theirs = their_id(&cloud);
		if (status != row->status || !cloud_says(&cloud, row->says) || !cloud_says(&cloud, row->hint) ||
		    !cloud_has(&cloud, row->type, row->stays, arena_string(&cloud.arena, theirs)))
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
