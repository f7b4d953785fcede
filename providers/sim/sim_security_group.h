#ifndef TRUEUP_PROVIDERS_SIM_SECURITY_GROUP_H
#define TRUEUP_PROVIDERS_SIM_SECURITY_GROUP_H

#include "providers/sim/sim_call.h"

/* Rules of security groups: things of their own, each of one source and one range of ports. */

/* The next rule of group, not of others that refer to it. */
struct sim_object *sim_rule_of(const struct sim_object *group, size_t *cursor);
/* Makes the rule that wanted (a rule's tree without id) says. */
struct sim_object *sim_rule_add(struct sim_call *call, const struct sim_object *group, const struct node *wanted);
/* Reads the request's permissions, in all the ways that the API takes them, into a list of rules' trees. */
bool sim_permissions_read(struct sim_call *call, const struct sim_object *group, bool egress, struct node *wanted);
/* Checks and normalises protocol, ports and source of one rule's tree. */
bool sim_permission_check(struct sim_call *call, const struct sim_object *group, struct node *rule);
/* "peer: 10.0.0.0/16, TCP, from port: 22, to port: 22, ALLOW" */
struct slice sim_permission_text(struct sim_call *call, const struct node *rule);
/* The group's rules of one direction as the API groups them. */
void sim_permissions_write(struct sim_call *call, const struct sim_object *group, bool egress);

#endif
