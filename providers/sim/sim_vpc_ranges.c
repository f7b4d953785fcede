#include "providers/sim/sim_parts.h"
#include "providers/sim/sim_query.h"

/* Which ranges a VPC takes beside those that it has. */

enum { RANGES_MOST = 5 };

static bool overlaps(void *context, const struct cidr *range)
{
	return cidr_overlap(range, context);
}

/* Which ranges go together in one VPC: page "VPC CIDR blocks", "IPv4 CIDR block association restrictions". */
static const char *const private_ranges[] = {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "198.19.0.0/16"};

static int private_range(const struct cidr *range)
{
	struct cidr outer;

	for (size_t i = 0; i < sizeof(private_ranges) / sizeof(private_ranges[0]); i++)
		if (cidr_read(slice_of(private_ranges[i]), &outer) && cidr_overlap(&outer, range))
			return (int)i;
	return -1;
}

/* A VPC with a range of the first of a row takes none of the second: the same page. */
static bool is_kept_apart(const struct sim_object *vpc, struct cidr *range)
{
	static const char *const rows[][2] = {{"10.0.0.0/15", "10.0.0.0/16"}, {"172.16.0.0/12", "172.31.0.0/16"}};
	struct cidr there, added;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (cidr_read(slice_of(rows[i][0]), &there) && cidr_read(slice_of(rows[i][1]), &added) &&
		    cidr_overlap(&added, range) && sim_vpc_each_range(vpc, 4, overlaps, &there))
			return true;
	return false;
}

/* No range is the same as, or larger than, what one of the VPC's route tables has a route for: that page, too. */
static bool holds_a_route(const struct sim_object *vpc, const struct cidr *range)
{
	const struct sim_object *table;
	size_t cursor = 0;

	while ((table = sim_referrer(vpc, SIM_ROUTE_TABLE, &cursor)) != NULL) {
		const struct node *routes = node_get(&table->body, "routeSet");

		for (uint32_t i = 0; routes && i < routes->count; i++) {
			struct cidr destination;

			if (!node_is(&routes->items[i], "gatewayId", "local") &&
			    cidr_read(node_text(&routes->items[i], "destinationCidrBlock"), &destination) &&
			    cidr_contains(range, &destination))
				return true;
		}
	}
	return false;
}

/* One that is gone stays listed for a while, and is not the VPC's any more. */
static uint32_t count_ranges(const struct sim_object *vpc)
{
	const struct node *list = node_get(&vpc->body, "cidrBlockAssociationSet");
	uint32_t count = 0;

	for (uint32_t i = 0; list && i < list->count; i++)
		count += !node_is(node_get(&list->items[i], "cidrBlockState"), "state", "disassociated");
	return count;
}

bool sim_vpc_may_join(struct sim_call *call, struct sim_object *vpc, struct cidr *range)
{
	struct cidr link_local;
	int primary = private_range(&vpc->range), added = private_range(range);
	/* A public VPC takes no private range; a private one takes its own and public ones. */
	bool restricted = added >= 0 && added != primary;

	if (cidr_read(SLICE("169.254.0.0/16"), &link_local) && cidr_overlap(&link_local, range))
		restricted = true;
	restricted |= is_kept_apart(vpc, range);
	if (restricted)
		sim_fail(call, "InvalidVpc.Range",
			 "The CIDR '%.*s' is restricted. Use a CIDR from the same private address range as the current "
			 "VPC "
			 "CIDR, or use a publicly-routable CIDR.",
			 SLICE_ARGUMENTS(sim_range_text(call, range)));
	else if (sim_vpc_each_range(vpc, 4, overlaps, range))
		sim_fail(call, "InvalidVpc.Range", "The CIDR '%.*s' conflicts with another CIDR block of the VPC.",
			 SLICE_ARGUMENTS(sim_range_text(call, range)));
	else if (holds_a_route(vpc, range))
		sim_fail(call, "InvalidVpc.Range",
			 "The CIDR '%.*s' conflicts with a destination in a route table of the VPC.",
			 SLICE_ARGUMENTS(sim_range_text(call, range)));
	else if (count_ranges(vpc) >= RANGES_MOST)
		sim_fail(call, "CidrLimitExceeded",
			 "This network '%.*s' has met its maximum number of allowed CIDRs: %d",
			 SLICE_ARGUMENTS(vpc->id), RANGES_MOST);
	return !call->failed;
}
