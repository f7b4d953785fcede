#ifndef TRUEUP_SPECS_YAML_H
#define TRUEUP_SPECS_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/source.h"
#include "base/value.h"

/*
 * YAML text to a value tree in which each key and value knows its line and column. The
 * YAML is strict: no duplicate keys, no tabs as indentation, one document, keys are text,
 * core schema of YAML 1.2 without the words and numbers that older YAML read differently,
 * no tags but the core schema's. Anchors, aliases and merge keys work.
 */

enum {
	YAML_DEEPEST = 64,
	/* How many values aliases and merge keys may add to a stack: its generous size many times over. */
	YAML_EXPANSION_MOST = 10000000,
};

struct yaml_tree {
	struct value root; /* null where the text holds no value */
	/* The text was not read to its end. root then holds what was complete before: lists and
	 * maps below the second level that were still open are left out. */
	bool cut;
	bool shared; /* an alias was used: parts of the tree stand in several places */
	/* What the text holds besides root: maps and lists around keys given twice, or never complete. */
	const struct value *dropped;
	size_t dropped_count;
	struct span *spans; /* see struct source; in the order of the text */
	size_t span_count;
	struct slice rest; /* cut: what was not read */
};

/*
 * text must live as long as the tree, which points into it. file: its index in struct
 * sources. *expansion_left is lowered by what aliases and merge keys add.
 * False after diagnostics; *ret is set all the same, so that a caller may go on and find
 * more errors: a value that was refused is VALUE_UNREAD.
 */
__attribute__((warn_unused_result)) bool yaml_read(struct arena *arena, struct slice text, uint16_t file,
						   size_t *expansion_left, struct yaml_tree *ret,
						   struct diagnostics *diagnostics);

#endif
