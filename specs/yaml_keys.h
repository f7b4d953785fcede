#ifndef TRUEUP_SPECS_YAML_KEYS_H
#define TRUEUP_SPECS_YAML_KEYS_H

#include <stddef.h>

#include "base/map.h"
#include "base/slice.h"
#include "base/value.h"
#include "specs/yaml_order.h"

/* The keys of a map that is being read, to find one that is given twice. Zeroed where there is none yet. */
struct yaml_keys {
	struct yaml_order order;
	struct map *found; /* owned; to the index of each key; NULL while it is not needed */
};

/*
 * Claims a place for a key that is about to become the next of the map's members. Returns the key
 * of that text which is there already, or NULL; good until members move. Keys that keep an
 * order cannot repeat, so only others are hashed.
 */
const struct value *yaml_keys_claim(struct yaml_keys *keys, const struct value_member *members, size_t count,
				    struct slice key);
void yaml_keys_release(struct yaml_keys *keys);

#endif
