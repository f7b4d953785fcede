#ifndef TRUEUP_PROVIDERS_SIM_STORE_H
#define TRUEUP_PROVIDERS_SIM_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cidr.h"
#include "base/map.h"
#include "providers/sim/sim.h"
#include "providers/sim/sim_node.h"

/* The simulated things: objects in tables, one table for each region and type. */

struct sim_object;
struct sim_region;

/* In the order in which things are shown. */
enum sim_type_number {
	SIM_SETTINGS,
	SIM_FAULT,
	SIM_ACCESS_KEY,
	SIM_MACHINE,
	SIM_VPC,
	SIM_SUBNET,
	SIM_INTERNET_GATEWAY,
	SIM_ROUTE_TABLE,
	SIM_SECURITY_GROUP,
	SIM_SECURITY_GROUP_RULE,
	SIM_VPN_GATEWAY,
	SIM_CUSTOMER_GATEWAY,
	SIM_VPN_CONNECTION,
	SIM_KEY_PAIR,
	SIM_LAUNCH_TEMPLATE,
	SIM_LAUNCH_TEMPLATE_VERSION,
	SIM_INSTANCE,
	SIM_AUTOSCALING_GROUP,
	SIM_LIFECYCLE_HOOK,
	SIM_VOLUME,
	SIM_IMAGE,
	SIM_TOKEN,
	SIM_TYPE_COUNT,
};

struct sim_type {
	enum sim_type_number number;
	const char *name;	/* "vpc"; also the resource type in a tag specification */
	const char *prefix;	/* of its ids, without '-'; NULL: the id is a name that the caller chose */
	const char *id_name;	/* the member of its tree that holds the id, or NULL */
	const char *range_path; /* the member that holds its address range, or NULL */
	/* Paths in its tree that hold ids of other things, NULL at the end. What refers to a thing
	 * is found from that thing: dependencies are judged by it. */
	const char *const *references;
	/* Paths to ids of parts that calls name without naming the thing, NULL at the end. */
	const char *const *parts;
	/* The second key by which it is found within its table, or NULL: writes the name to ret. */
	void (*key)(const struct sim_object *object, char ret[512]);
	/* Whether it keeps target, which it refers to, from being deleted; NULL: it does not. */
	bool (*holds)(const struct sim_object *object, const struct sim_object *target);
	/* Added by hand: false after a diagnostic where it means nothing; NULL: anything does. */
	bool (*check)(const struct sim_object *object, struct diagnostics *diagnostics);
	/* Taken away by hand: takes what belongs to it along; NULL: nothing does. */
	void (*leave)(struct sim *sim, struct sim_object *object);
	/* Deleted or terminated, though still listed; NULL: never. Counts towards no quota. */
	bool (*gone)(const struct sim_object *object);
	/* At due_ms; sim->now_ms is that time. Sets due_ms anew or leaves it 0. */
	void (*tick)(struct sim *sim, struct sim_object *object);
	/* After each change, however it came about, or NULL. */
	void (*changed)(struct sim *sim, struct sim_object *object);
	/* The error for an id of which there is none, and for a text that is no such id. */
	const char *absent_code;
	const char *absent_message; /* one %s: the id */
	const char *malformed_code; /* NULL: as absent */
	bool untagged;
	bool worldwide; /* lies in no region */
	bool hidden;	/* not part of what sim_show() shows */
};

extern const struct sim_type *const sim_types[SIM_TYPE_COUNT];

struct sim_link {
	struct sim_object *object;
	size_t index; /* of the other end's entry in that object's list */
};

struct sim_object {
	const struct sim_type *type;
	struct sim_region *region;
	struct slice id;   /* ends in NUL */
	struct slice key;  /* by type->key, or empty */
	uint64_t sequence; /* grows with every thing made: the order of listings */
	struct node body;
	struct node *stale; /* owned: what listings show until settled_ms; NULL: nothing */
	int64_t settled_ms; /* listings lag behind until then */
	int64_t created_ms;
	int64_t due_ms;	     /* when something happens to it by itself; 0: never */
	int64_t queued_ms;   /* the due_ms that the queue knows of */
	struct cidr range;   /* of range_path; family 0 without one */
	struct sim_link *to; /* owned: what it refers to */
	size_t to_count;
	struct sim_link *from; /* owned: what refers to it */
	size_t from_count, from_capacity;
	bool removed, dirty;
};

struct sim_table {
	struct sim_object **objects; /* owned, by sequence; removed ones stay until listings forget them */
	size_t count, capacity, removed_count;
	struct map keys; /* by second key; may point to removed ones */
};

struct sim_region {
	struct slice name; /* ends in NUL */
	struct map ids;	   /* by id, whatever the type; may point to removed ones */
	struct map parts;  /* by a part's id; the part may be gone */
	struct sim_table tables[SIM_TYPE_COUNT];
};

/* Made on first use. */
struct sim_region *sim_region(struct sim *sim, struct slice name);

/* A new thing, empty but for its id; id empty: one is made up. Filled in by the caller. */
struct sim_object *sim_create(struct sim *sim, struct sim_region *region, enum sim_type_number type, struct slice id);
/* The tree, to be changed: call before each change, for listings that lag. */
struct node *sim_edit(struct sim *sim, struct sim_object *object);
void sim_delete(struct sim *sim, struct sim_object *object);
/* Wakes the thing's tick after delay_ms. */
void sim_schedule(struct sim *sim, struct sim_object *object, int64_t delay_ms);

/* NULL where there is none or it was removed. type SIM_TYPE_COUNT: any. */
struct sim_object *sim_find(const struct sim_region *region, enum sim_type_number type, struct slice id);
struct sim_object *sim_find_key(const struct sim_region *region, enum sim_type_number type, struct slice key);
/* The thing that holds the part with that id. */
struct sim_object *sim_find_part(const struct sim_region *region, enum sim_type_number type, struct slice id);
/* As sim_find(), removed things too while listings still show them. */
struct sim_object *sim_find_listed(const struct sim *sim, const struct sim_region *region, enum sim_type_number type,
				   struct slice id);
/* What listings show of it now, or NULL where they do not show it. */
const struct node *sim_listed(const struct sim *sim, const struct sim_object *object);
/* The next thing of type that refers to target, from *cursor on (start with 0); NULL at the end. */
struct sim_object *sim_referrer(const struct sim_object *target, enum sim_type_number type, size_t *cursor);
/* Deletes every thing of type that refers to target. */
void sim_delete_referrers(struct sim *sim, struct sim_object *target, enum sim_type_number type);
/* Whether anything keeps it from being deleted. */
bool sim_is_held(const struct sim_object *target);
/* For types whose things always hold what they refer to. */
bool sim_holds(const struct sim_object *object, const struct sim_object *target);
/* How many things of type there are. */
size_t sim_table_count(const struct sim_region *region, enum sim_type_number type);
/* The first index whose object has at least that sequence. */
size_t sim_table_seek(const struct sim_table *table, uint64_t sequence);

/* Ends a transaction: links what changed, writes it to the file, forgets the stale. */
void sim_commit(struct sim *sim);
/* Brings to pass all that falls due up to now_ms, in order, and sets the time to it. */
void sim_run_until(struct sim *sim, int64_t now_ms);

/* For the file and for hands: an object with all that a record holds, indexed at once. */
struct sim_object *sim_restore(struct sim *sim, struct sim_region *region, const struct sim_type *type, struct slice id,
			       uint64_t sequence);
void sim_relink(struct sim *sim, struct sim_object *object);
void sim_forget(struct sim_object *object);
void sim_queue(struct sim *sim, struct sim_object *object);
/* Forgets every thing; the clock, the random source and the file stay. */
void sim_store_release(struct sim *sim);

#endif
