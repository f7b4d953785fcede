#ifndef TRUEUP_SPECS_UNREAD_H
#define TRUEUP_SPECS_UNREAD_H

#include "specs/loading.h"
#include "specs/yaml.h"

/* Hands the spans of a tree over to its source. What the file holds and is not in the tree must not be shown either,
 * where it is a secret: what was dropped, and what was not read. */
void unread_hide(struct loading *loading, uint16_t file, const struct yaml_tree *tree);

#endif
