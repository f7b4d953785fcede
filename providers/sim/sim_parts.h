#ifndef TRUEUP_PROVIDERS_SIM_PARTS_H
#define TRUEUP_PROVIDERS_SIM_PARTS_H

#include "base/cidr.h"
#include "providers/sim/sim_call.h"

/* What one family needs of another. */

/* A call that modifies an attribute of an instance or of its interface takes one at a time: a failed call and false
 * where none or more are given. */
bool sim_attribute_alone(struct sim_call *call, size_t given);
/* The range that a parameter gives, canonical; a failed call where it is none of that family. */
bool sim_range(struct sim_call *call, const char *parameter, uint8_t family, struct cidr *ret);
struct slice sim_range_text(struct sim_call *call, const struct cidr *range);
/* Any of a VPC's ranges in use contains range; associated ranges only. */
bool sim_vpc_contains(const struct sim_object *vpc, const struct cidr *range);
/* Any subnet of a VPC has an IPv6 range that overlaps range, and is not about to lose it. */
bool sim_subnets_overlap_ipv6(const struct sim_object *vpc, const struct cidr *range);
/* Any of a VPC's ranges, of that family, in the order of association. */
bool sim_vpc_each_range(const struct sim_object *vpc, uint8_t family,
			bool (*visit)(void *context, const struct cidr *range), void *context);

/* Whether a VPC takes one more IPv4 range; a failed call where it does not. */
bool sim_vpc_may_join(struct sim_call *call, struct sim_object *vpc, struct cidr *range);

/* The default group and the main route table of a new VPC. */
void sim_security_group_default(struct sim_call *call, struct sim_object *vpc);
void sim_route_table_main(struct sim_call *call, struct sim_object *vpc);
/* A subnet that goes takes its association along. */
void sim_route_tables_forget_subnet(struct sim *sim, struct sim_object *subnet);
/* Routes to a target are active while usable, and lead nowhere ("blackhole") otherwise. */
void sim_routes_to(struct sim *sim, struct sim_object *target, bool usable);
/* Makes the propagated routes in all tables those that the VPN gateway has now. */
void sim_routes_propagate(struct sim *sim, struct sim_object *vpn_gateway);
/* A VPN gateway that goes is propagated from no more. */
void sim_routes_forget(struct sim *sim, struct sim_object *vpn_gateway);
/* Calls visit for each destination that the VPN gateway learnt. */
void sim_vpn_gateway_routes(const struct sim_object *vpn_gateway,
			    void (*visit)(void *context, struct slice destination), void *context);
/* Whether an internet or VPN gateway is attached to that VPC. */
bool sim_gateway_attached(const struct sim_object *gateway, struct slice vpc_id);
/* What happens to an idempotency token: false where the call is done with (a repeat, whose first
 * result is then *ret, or a failed call). The result of a first call is recorded at its end. */
bool sim_token_fresh(struct sim_call *call, struct slice token, struct sim_object **ret);
void sim_token_record(struct sim_call *call, struct slice token, const struct sim_object *result);
/* Adds or removes a VPC's local route in all its tables. */
void sim_route_tables_local(struct sim *sim, struct sim_object *vpc, struct slice range, bool add);

/* "us-west-2a"; false where the region has no zone of that index. */
bool sim_zone_name(const struct sim_region *region, size_t index, char ret[48]);
/* The id of the zone of that name ("usw2-az1"), or false. */
bool sim_zone_id(const struct sim_region *region, struct slice name, char ret[48]);
/* "2026-11-21T08:45:22.000Z" */
void sim_time_text(int64_t ms, char ret[32]);

#endif
