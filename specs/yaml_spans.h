#ifndef TRUEUP_SPECS_YAML_SPANS_H
#define TRUEUP_SPECS_YAML_SPANS_H

#include "base/arena.h"
#include "base/value.h"
#include "specs/yaml_place.h"

/* Between specs/yaml*.c alone: the values that are written otherwise than they read; see struct span. */
struct yaml_spans {
	struct arena *arena;
	struct span *items;
	size_t count, capacity;
};

/* Of a scalar whose text stands in the source unchanged, whatever was made of it. */
bool yaml_reads_as_written(const struct value *value, struct slice text);
/* The one that was read last, from byte on to the mark. */
void yaml_spans_add(struct yaml_spans *spans, struct yaml_places *places, const yaml_mark_t *end, struct position from,
		    size_t byte);

#endif
