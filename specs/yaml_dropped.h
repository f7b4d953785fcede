#ifndef TRUEUP_SPECS_YAML_DROPPED_H
#define TRUEUP_SPECS_YAML_DROPPED_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/value.h"

/*
 * What was read and has no place in the tree: the values of keys that are there already, and what was not complete when
 * the reading ended. Nobody uses it, but an excerpt of the source may show it.
 */
struct yaml_dropped {
	struct arena *arena;
	struct dropped_member *waiting; /* for the end of the maps that they stand in, the innermost last */
	size_t waiting_count, waiting_capacity;
	struct value *values; /* maps with all their members, those given twice as well */
	size_t count, capacity;
};

/* A key is there already. */
void yaml_dropped_report(struct diagnostics *diagnostics, const struct value *key, const struct value *earlier);
/* Its value. depth: of the map that they stand in. */
void yaml_dropped_add(struct yaml_dropped *dropped, size_t depth, const struct value *key, const struct value *value);
/* The map of that depth is complete. */
void yaml_dropped_close(struct yaml_dropped *dropped, size_t depth, const struct value *map);
/* The list or map of that depth never will be. */
void yaml_dropped_cut(struct yaml_dropped *dropped, size_t depth, const struct value *begun);

#endif
