#include "specs/yaml_keys.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Up to here keys are compared one by one. */
enum { KEYS_FEW = 12 };

/* From here on the keys are found by their hash. */
static void index_all(struct yaml_keys *keys, const struct value_member *members, size_t count)
{
	keys->found = (struct map *)memory_get(sizeof(*keys->found));
	map_init(keys->found);
	for (size_t i = 0; i < count; i++)
		map_set_number(keys->found, value_slice(&members[i].key), i);
}

const struct value *yaml_keys_claim(struct yaml_keys *keys, const struct value_member *members, size_t count,
				    struct slice key)
{
	size_t earlier;

	if (count < KEYS_FEW) {
		for (size_t i = 0; i < count; i++) {
			if (members[i].key.count == key.size && memcmp(members[i].key.text, key.data, key.size) == 0)
				return &members[i].key;
		}
		return NULL;
	}
	if (count == KEYS_FEW && !keys->found)
		keys->order = yaml_order_of(members, count);
	if ((keys->order.ascending || keys->order.lengthening) &&
	    yaml_order_keeps(&keys->order, &members[count - 1].key, key))
		return NULL;
	if (!keys->found)
		index_all(keys, members, count);
	earlier = map_add_number(keys->found, key, count);
	return earlier != SIZE_MAX ? &members[earlier].key : NULL;
}

void yaml_keys_release(struct yaml_keys *keys)
{
	if (keys->found)
		map_release(keys->found);
	free(keys->found);
	keys->found = NULL;
}
