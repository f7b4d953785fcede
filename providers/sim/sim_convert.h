#ifndef TRUEUP_PROVIDERS_SIM_CONVERT_H
#define TRUEUP_PROVIDERS_SIM_CONVERT_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/value.h"
#include "providers/sim/sim_node.h"

struct sim;
struct sim_type;

/* Between the simulator's trees, values and JSON. */
void sim_node_json(struct buffer *buffer, const struct node *node);
/* Numbers and booleans become their text, null the empty text. */
void sim_node_read(struct sim *sim, struct node *to, const struct value *value);
/* A name as people see it: the simulator's own without the '_'. */
const char *sim_shown_name(const char *name);
struct value sim_node_value(struct arena *arena, const struct node *node);

/* NULL where there is none of that name. */
const struct sim_type *sim_type_named(struct slice name);

#endif
