#ifndef TRUEUP_PROVIDERS_SIM_AUTOSCALING_H
#define TRUEUP_PROVIDERS_SIM_AUTOSCALING_H

#include "providers/sim/sim_call.h"

/*
 * Auto Scaling groups. An instance of a group says so in its own tree:
 * _groupId, _lifecycle ("InService", ...), _protected, _hookEndMs (0: no hook holds it).
 */

/* The group that AutoScalingGroupName names; a failed call and NULL without. */
struct sim_object *sim_group_need(struct sim_call *call);
/* The next instance of group that is not terminated. */
struct sim_object *sim_group_instance(const struct sim_object *group, size_t *cursor);
/* Looks after the group's capacity soon. */
void sim_group_wake(struct sim *sim, struct sim_object *group, int64_t delay_ms);
void sim_group_tick(struct sim *sim, struct sim_object *group);
/* An instance that may be of a group has changed its state. */
void sim_group_instance_changed(struct sim *sim, struct sim_object *instance);
/* Begins to end an instance of a group, by its terminating hook where there is one. */
void sim_group_end_instance(struct sim *sim, struct sim_object *group, struct sim_object *instance, const char *cause);
void sim_group_forget(struct sim *sim, struct sim_object *group);
/* Launch data for one more instance of the group: its template, overridden. False, and a failed call, without. */
bool sim_group_launch_data(struct sim_call *call, const struct sim_object *group, struct slice subnet_id,
			   struct node *data, struct sim_object **ret_version);
/* The comma-separated subnets of the group, one after another from *rest. */
bool sim_group_next_subnet(struct slice *rest, struct slice *ret);
/* Sets a tag in the group's tree, and checks those of a request. */
void sim_group_tag(struct node *body, const struct node *tag);
bool sim_group_tags_check(struct sim_call *call, const struct node *tags, bool of_group);
/* Makes or changes a hook from a request's map. */
void sim_group_hook_put(struct sim_call *call, struct sim_object *group, const struct node *given);
/* Adds or removes sources of traffic in a tree. */
void sim_group_traffic(struct node *body, const struct node *sources, bool add);

#endif
