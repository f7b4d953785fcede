#ifndef TRUEUP_PROVIDERS_SIM_NODE_H
#define TRUEUP_PROVIDERS_SIM_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/*
 * The mutable tree in which the simulator keeps requests and things. A thing's tree has
 * the names and nesting of the API's answers, so that an answer is the tree written out.
 * Every leaf is text, as it is on the wire. A name that starts with '_' is the simulator's
 * own and never leaves it.
 *
 * Children stand in one array: adding or removing a child of a node invalidates pointers
 * to the children of that node, and to nothing else.
 */
enum node_type {
	NODE_TEXT,
	NODE_LIST,
	NODE_MAP,
};

enum { NODE_SMALL = 16 };

struct node {
	const char *name; /* borrowed for ever: a literal, or interned; NULL for an item of a list */
	uint32_t count;	  /* bytes of a text, children of a list or map */
	uint8_t type;
	union {
		char small[NODE_SMALL]; /* a text of fewer than NODE_SMALL bytes */
		char *text;
		struct node *items; /* capacity: count rounded up to a power of two, at least 4 */
	};
};

void node_release(struct node *node);
/* Empties it and makes it what type says; the name stays. */
void node_reset(struct node *node, enum node_type type);
/* A deep copy of from's content into to, which keeps its name; what to held is released. NULL, as of what a world that
 * somebody edited lacks: to is emptied. */
void node_copy(struct node *to, const struct node *from);

struct slice node_slice(const struct node *node);
void node_assign(struct node *node, struct slice text);

/* The child of that name, or NULL; also NULL where map is NULL or no map. */
struct node *node_find(struct node *map, const char *name);
const struct node *node_get(const struct node *map, const char *name);
/* The text of that child, or the empty slice. */
struct slice node_text(const struct node *map, const char *name);
bool node_is(const struct node *map, const char *name, const char *text);
/* The child's number, or otherwise where it is none. */
int64_t node_integer(const struct node *map, const char *name, int64_t otherwise);
/* Children of the list of that name; 0 without one. */
size_t node_count(const struct node *map, const char *name);
/* The item of a list whose member name is text, or NULL. */
struct node *node_item(struct node *list, const char *name, struct slice text);

/* Each sets or replaces the child of that name and returns it. text may be one of the same map. */
struct node *node_put(struct node *map, const char *name, struct slice text);
struct node *node_set(struct node *map, const char *name, const char *text);
struct node *node_number(struct node *map, const char *name, int64_t number);
__attribute__((format(printf, 3, 4))) struct node *node_format(struct node *map, const char *name, const char *format,
							       ...);
struct node *node_put_copy(struct node *map, const char *name, const struct node *from);
/* The child list or map of that name, made where it is missing or of another type. */
struct node *node_list(struct node *map, const char *name);
struct node *node_map(struct node *map, const char *name);
/* A new last item of a list. */
struct node *node_append(struct node *list, enum node_type type);
void node_drop(struct node *map, const char *name);
void node_remove(struct node *list, size_t index);

/*
 * Calls visit for every text that a dotted path reaches; lists on the way are passed
 * through item by item ("groupSet.groupId"). Stops, returning true, where visit does.
 */
typedef bool node_visit(void *context, struct slice text);
bool node_walk(const struct node *node, const char *path, node_visit *visit, void *context);

#endif
